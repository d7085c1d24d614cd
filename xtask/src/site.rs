//! The command `site`: all documentation in one folder, as it is published with a release.

mod links;

use std::path::Path;
use std::process::Command;

use anyhow::bail;
use fs_err as fs;

use crate::{
    Outcome, book, ci,
    cmd::{self, cargo, root},
    python::Venv,
    web,
};

/// The start page, which links to the parts.
const START: &str = include_str!("site/index.html");

/// The start of the documentation of the crates. rustdoc links to such a page, but does not write it.
const RUST_START: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
    <title>chessdb: the crates</title>\n\
    <meta http-equiv=\"refresh\" content=\"0; url=chessdb/index.html\">\n\
    <a href=\"chessdb/index.html\">The crate chessdb</a>\n";

/// The program that documents the Python package.
const PDOC: &[&str] = &["pdoc==16.0.0"];

/// The folder with the program that documents the package for JavaScript, which needs another version
/// of TypeScript than the package itself.
const TYPEDOC: &str = "web/tools/typedoc";

/// Makes the folder `target/site` and checks the links in it. With `--keep-page`, the page and the
/// package for JavaScript come from the last build.
pub(crate) fn site(args: &[String]) -> Outcome {
    match args {
        [] => web::web(&[])?,
        [word] if word == "--keep-page" => {}
        _ => bail!("only --keep-page is known"),
    }
    let target = web::prepare(true)?;
    let to = target.join("site");
    let _ = fs::remove_dir_all(&to);
    fs::create_dir_all(&to)?;
    book::build(&to.join("book"))?;
    rust(&target, &to.join("rust"))?;
    python(&to.join("python"))?;
    javascript(&to.join("javascript"))?;
    // The page for hosting.
    cmd::copy_folder(&target.join("page/site"), &to.join("page"))?;
    let start = to.join("index.html");
    fs::write(&start, START)?;
    links::check(&to)?;
    println!("the site: {}", start.display());
    Ok(())
}

/// Documents the crates that are published.
fn rust(target: &Path, to: &Path) -> Outcome {
    let pages = target.join("doc");
    // Cargo keeps the pages of crates that were documented before.
    let _ = fs::remove_dir_all(&pages);
    let mut doc = cargo("doc --no-deps --locked");
    for package in ci::published(&cmd::metadata()?) {
        // The documentation of the program is the book.
        if package.name.as_str() != "chessdb-cli" {
            doc.args(["-p", package.name.as_str()]);
        }
    }
    // Cargo starts rustdoc in the folder of the workspace.
    let flags = "-D warnings --extend-css xtask/src/site/rustdoc.css";
    cmd::run(doc.env("RUSTDOCFLAGS", flags))?;
    cmd::copy_folder(&pages, to)?;
    let start = to.join("index.html");
    fs::write(&start, RUST_START)?;
    repair_lists(to)
}

/// Repairs links of rustdoc. The page of a crate within another one links to the list of all its
/// items, which is only written where the crate itself is documented.
fn repair_lists(folder: &Path) -> Outcome {
    for path in cmd::files_in(folder)? {
        let is_start = path.file_name().is_some_and(|name| name == "index.html");
        if is_start && !path.with_file_name("all.html").exists() {
            let text = fs::read_to_string(&path)?;
            fs::write(
                &path,
                text.replace("href=\"all.html\"", "href=\"index.html\""),
            )?;
        }
    }
    Ok(())
}

fn python(to: &Path) -> Outcome {
    let venv = Venv::with("docs", PDOC)?;
    venv.place_module("build --locked -p chessdb-py --lib")?;
    let mut pdoc = venv.python();
    pdoc.args(["-m", "pdoc", "--no-show-source", "-o"]).arg(to);
    // Both need packages that are not installed.
    cmd::run(pdoc.args(["chessdb", "!chessdb.polars", "!chessdb.spark"]))
}

fn javascript(to: &Path) -> Outcome {
    web::install(TYPEDOC, &["typedoc", "typescript"])?;
    let mut typedoc = Command::new("node");
    typedoc.arg(
        root()
            .join(TYPEDOC)
            .join("node_modules/typedoc/bin/typedoc"),
    );
    typedoc.current_dir(root().join("js"));
    typedoc.args([
        "--entryPoints",
        "src/index.js",
        "--name",
        "chessdb",
        "--readme",
        "none",
    ]);
    // The engine, which is compiled from Rust, has its types only in a built package.
    typedoc.args(["--disableSources", "--skipErrorChecking", "--customCss"]);
    typedoc.arg(root().join("xtask/src/site/typedoc.css"));
    cmd::run(typedoc.arg("--out").arg(to))
}
