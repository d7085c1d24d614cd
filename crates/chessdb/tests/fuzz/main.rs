//! Tests of the fuzzing seeds and of earlier fuzzing findings (docs/fuzzing.md).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]
#![cfg(feature = "all-formats")]

mod formats;
mod seeds;

use std::path::Path;
use std::{env, fs};

use chessdb_testkit::{fixtures, fuzz};

use formats::{fuzzed, is_written, run};

/// The environment variable with the folder for the seeds: `files/FORMAT` for the targets that
/// read, and `games/FORMAT` for `roundtrip` if the format can be written. `cargo xtask fuzz` sets
/// it.
const SEEDS: &str = "CHESSDB_FUZZ_SEEDS";

#[test]
fn seeds_are_bases_and_pass() {
    let games = seeds::games();
    let write = |kind: &str, name: &str, inputs: &[Vec<u8>]| {
        let Some(folder) = env::var_os(SEEDS) else {
            return;
        };
        let folder = Path::new(&folder).join(kind).join(name);
        fs::create_dir_all(&folder).unwrap();
        for (n, input) in inputs.iter().enumerate() {
            fs::write(folder.join(format!("{n:04}")), input).unwrap();
        }
    };
    for format in fuzzed() {
        let inputs = seeds::seeds(format, &games);
        write("files", format.id, &inputs);
        let mut opened = 0;
        for input in &inputs {
            for target in ["decode", "skip", "probe"] {
                assert!(run(target, format, input));
            }
            let set = fuzz::cut(input, format.roles);
            opened += u32::from((format.open)(&set, Default::default()).is_ok());
        }
        println!("{}: {} seeds, {opened} open", format.id, inputs.len());
        // Formats that cannot be written have seeds only if the external databases are available.
        let outside = ["cbh", "jose-io", "jose-myisam"].contains(&format.id);
        let enough = match (outside, env::var_os(fixtures::TESTDATA)) {
            (true, None) => 0,
            (true, Some(_)) => 4,
            // Its fixtures.
            (false, _) if format.create.is_none() => 1,
            (false, _) => 50,
        };
        assert!(opened >= enough, "{}: {opened} seeds open", format.id);
        if is_written(format) {
            let recipes = seeds::recipes();
            write("games", format.id, &recipes);
            for recipe in &recipes {
                assert!(run("roundtrip", format, recipe));
            }
        }
    }
}

/// Runs every input with an earlier finding: `fixtures/fuzz/FORMAT/TARGET-WHAT`.
#[test]
fn findings_stay_fixed() {
    let folder = fixtures::root().join("fuzz");
    let mut inputs = 0;
    for format in fuzzed() {
        let folder = folder.join(format.id);
        if !folder.is_dir() {
            continue;
        }
        for path in fixtures::files(&folder) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap();
            let (target, _) = name.split_once('-').expect("TARGET-WHAT");
            println!("{}: {name}", format.id);
            assert!(run(target, format, &fixtures::read(&path)), "{name}");
            inputs += 1;
        }
    }
    let folders = folder
        .is_dir()
        .then(|| fs::read_dir(&folder).unwrap().count());
    assert_eq!(folders.is_some_and(|count| count > 0), inputs > 0);
}
