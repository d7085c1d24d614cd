//! Detects whether `cargo xtask web` has built the page of `chessdb view`, sets linker options, and adds
//! the icon, the version and the settings of the program for Windows.
#![allow(
    clippy::print_stdout,
    reason = "this is how build scripts talk to cargo"
)]

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=page");
    println!("cargo::rustc-check-cfg=cfg(has_page)");
    if Path::new("page/view.html.gz").exists() {
        println!("cargo::rustc-cfg=has_page");
    }
    // The addresses that the start of the program adjusts take 24 bytes each otherwise. glibc would
    // need version 2.36 for this; musl is part of the program. zig, which links for other processors,
    // lacks the option.
    let has_musl = env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|name| name == "musl");
    let processor = |triple: &str| Some(env::var(triple).ok()?.split('-').next()?.to_owned());
    if has_musl && processor("TARGET") == processor("HOST") {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    println!("cargo::rerun-if-changed=windows");
    let is_windows = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|name| name == "windows");
    // Everything works without them, and some compilers for Windows come without a resource compiler.
    if is_windows && let Err(error) = add_resources() {
        println!("cargo::warning=no icon and no version in the program: {error}");
    }
}

/// Adds an icon, the version, and a manifest with which Windows accepts paths of more than 260
/// characters.
fn add_resources() -> std::io::Result<()> {
    winresource::WindowsResource::new()
        .set("ProductName", "chessdb")
        .set("OriginalFilename", "chessdb.exe")
        .set_icon("windows/chessdb.ico")
        .set_manifest_file("windows/chessdb.exe.manifest")
        .compile_for("chessdb")
}
