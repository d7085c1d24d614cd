//! Reduces the size of the module in the wheel.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Cargo passes this variable on as RUSTC_LINKER.
    println!("cargo:rerun-if-env-changed=CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|variable| variable == value);
    // Identical functions are linked once. For this target rustc ships a linker that knows the
    // option; others may not, such as zig, which links the wheel for every Linux.
    if env::var_os("RUSTC_LINKER").is_none()
        && is("TARGET", "x86_64-unknown-linux-gnu")
        && is("HOST", "x86_64-unknown-linux-gnu")
        && is("DEBUG", "false")
    {
        println!("cargo:rustc-cdylib-link-arg=-Wl,--icf=all");
    }
}
