//! The server of `chessdb view`: it listens on the loopback interface, serves one user's browser, and
//! writes only changes that the user saves in a database (docs/decisions/0024-view.md).

mod analysis;
mod http;
mod library;
mod server;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::thread;

use chessdb::formats::shown;

use crate::args::View;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::inputs::Inputs;
use crate::output::stdout;
use library::Library;
use server::{Page, Server};

/// The page, if it was built before the program (build.rs).
#[cfg(has_page)]
const PAGE: Option<&[u8]> = Some(include_bytes!("../page/view.html.gz"));
#[cfg(not(has_page))]
const PAGE: Option<&[u8]> = None;

/// Serves the databases until the page is closed.
pub(crate) fn run(args: View) -> Outcome {
    let page = page(args.page.as_deref())?;
    let Inputs { bases, others, .. } = Inputs::new(&args.bases, &args.input_options);
    let unread = others.len();
    for (_, message) in &others {
        say(format_args!("chessdb: {message}"));
    }
    if bases.is_empty() {
        return Ok(Completion::SomeUnread);
    }
    let library = Library::new(bases, args.input_options)?;
    let no_server = |error| Failure::Output(format!("cannot start a local server: {error}"));
    let (server, listener) = Server::open(page, library, args.engine).map_err(no_server)?;
    let mut out = stdout();
    writeln!(out, "{}", server.address())?;
    out.flush()?;
    drop(out);
    let acceptor = std::sync::Arc::clone(&server);
    thread::spawn(move || acceptor.accept_connections(&listener));
    if !args.no_open
        && let Err(error) = open::that_detached(server.address_once())
    {
        say(format_args!(
            "chessdb: cannot start a browser ({error}); open the address above yourself"
        ));
    }
    server.wait_until_closed();
    Ok(match unread {
        0 => Completion::Success,
        _ => Completion::SomeUnread,
    })
}

fn page(from: Option<&Path>) -> Result<Page, Failure> {
    match (from, PAGE) {
        (Some(path), _) => match fs::read(path) {
            Ok(bytes) => Ok(Page {
                // The magic number of gzip.
                is_packed: bytes.starts_with(&[0x1f, 0x8b]),
                bytes,
            }),
            Err(error) => Err(Failure::Input(format!("{}: {error}", shown(&path)))),
        },
        (None, Some(bytes)) => Ok(Page {
            bytes: bytes.to_owned(),
            is_packed: true,
        }),
        (None, None) => Err(Failure::Usage(
            "this chessdb was built without the page; build it with `cargo xtask web` and pass it with --page"
                .to_owned(),
        )),
    }
}
