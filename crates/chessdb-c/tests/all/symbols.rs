//! The dynamic library exports the functions of the header and nothing else.

use std::collections::BTreeSet;
use std::process::Command;

use crate::{header, libraries};

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "nm has other options elsewhere")]
fn the_symbols_are_those_of_the_header() {
    let library = libraries().join("libchessdb_c.so");
    let nm = Command::new("nm")
        .args(["--dynamic", "--defined-only", "--format=posix"])
        .arg(&library)
        .output();
    let Ok(nm) = nm else {
        println!("not compared: nm is not installed");
        return;
    };
    let listed = String::from_utf8_lossy(&nm.stdout);
    assert!(nm.status.success(), "{}: {nm:?}", library.display());
    let symbols = listed.lines().filter_map(|line| line.split(' ').next());
    let symbols: BTreeSet<String> = symbols.map(str::to_owned).collect();
    assert_eq!(symbols, header::names());
}
