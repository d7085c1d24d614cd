//! Whether `cargo xtask web` has made the page of `chessdb view`.
#![allow(clippy::print_stdout, reason = "so cargo is told")]

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=page");
    println!("cargo::rustc-check-cfg=cfg(has_page)");
    if Path::new("page/view.html.gz").exists() {
        println!("cargo::rustc-cfg=has_page");
    }
}
