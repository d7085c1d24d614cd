//! Makes the module of the wheel smaller.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    // Functions that came out equal are linked once. rustc brings this linker for this target; others may not
    // know the word.
    if is("TARGET", "x86_64-unknown-linux-gnu")
        && is("HOST", "x86_64-unknown-linux-gnu")
        && is("DEBUG", "false")
    {
        println!("cargo:rustc-cdylib-link-arg=-Wl,--icf=all");
    }
}
