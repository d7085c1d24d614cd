//! Detects whether `cargo xtask web` has built the page of `chessdb view`.
#![allow(
    clippy::print_stdout,
    reason = "this is how build scripts talk to cargo"
)]

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=page");
    println!("cargo::rustc-check-cfg=cfg(has_page)");
    if Path::new("page/view.html.gz").exists() {
        println!("cargo::rustc-cfg=has_page");
    }
}
