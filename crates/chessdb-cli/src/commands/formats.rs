//! The command `formats`: the supported formats and what they cannot store.

use std::io::Write;

use chessdb::formats::TARGETS;
use chessdb::{FORMATS, Format};

use crate::args::Formats;
use crate::exit::{Completion, Outcome};
use crate::json::{Json, document, list, object};
use crate::output::{cells, column, grouped, stdout};

pub(crate) fn run(args: &Formats) -> Outcome {
    let all: Vec<&'static Format> = if args.formats.is_empty() {
        FORMATS.iter().chain(TARGETS).copied().collect()
    } else {
        args.formats.clone()
    };
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", document("formats", list(all.iter().map(json))))?;
    } else {
        let width = |text: fn(&Format) -> String| {
            all.iter()
                .map(|format| cells(&text(format)))
                .max()
                .unwrap_or(0)
                + 2
        };
        let widths = [width(id), width(name), width(access)];
        for format in &all {
            writeln!(out, "{}", line(format, widths))?;
            if args.limits {
                write!(out, "{}", limits(format))?;
            }
        }
        if !args.limits {
            writeln!(
                out,
                "\n`chessdb formats --limits` shows what each format cannot store."
            )?;
        }
    }
    out.flush()?;
    Ok(Completion::Success)
}

fn files(format: &Format) -> String {
    let suffixes: Vec<String> = format.roles.iter().map(|role| role.pattern()).collect();
    suffixes.join(" ")
}

fn id(format: &Format) -> String {
    format.id.to_owned()
}

fn name(format: &Format) -> String {
    format.name.to_owned()
}

fn access(format: &Format) -> String {
    match (is_read(format), format.writer().is_some()) {
        (false, _) => "write",
        (true, true) => "read, write",
        (true, false) => "read",
    }
    .to_owned()
}

fn is_read(format: &Format) -> bool {
    !TARGETS.iter().any(|target| target.id == format.id)
}

/// The files are the last column, because jose's tables have many.
fn line(format: &Format, widths: [usize; 3]) -> String {
    let mut line = String::new();
    for (text, width) in [id(format), name(format), access(format)]
        .iter()
        .zip(widths)
    {
        column(&mut line, text, width);
    }
    line + &files(format)
}

fn limits(format: &Format) -> String {
    let mut text = String::new();
    for limit in format.limits {
        text += &format!(
            "      at most {} {} ({})\n",
            grouped(limit.limit),
            limit.what,
            limit.of
        );
    }
    for loss in format.losses.iter() {
        text += &format!("      loss: {loss}\n");
    }
    text
}

fn json(format: &&'static Format) -> Json {
    let limit = |limit: &chessdb::core::loss::FormatLimit| {
        object! { "what": limit.what, "limit": limit.limit, "of": limit.of }
    };
    let loss = |kind: chessdb::LossKind| {
        object! { "kind": kind.code(), "text": kind.text() }
    };
    object! {
        "id": format.id, "name": format.name, "files": list(format.roles.iter().map(|role| role.0)),
        "reads": is_read(format), "writes": format.writer().is_some(),
        "streams": format.stream.is_some(), "limits": list(format.limits.iter().map(limit)),
        "losses": list(format.losses.iter().map(loss)),
    }
}
