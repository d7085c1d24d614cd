//! Other machines than this one, crates by themselves, sets of features.

use std::process::{Command, Stdio};

use cargo_metadata::{Metadata, Package};

use crate::{
    Outcome,
    cmd::{self, cargo},
    tidy::layers,
};

/// A part of `cross`: name, function, and whether it also runs when no part is named.
type Part = (&'static str, fn(&Metadata) -> Outcome, bool);

static PARTS: &[Part] = &[
    ("wasm", wasm, true),
    ("alone", alone, true),
    ("i686", i686, true),
    ("s390x", s390x, true),
    // Debian does not allow its compiler beside the one for `i686`.
    ("qemu", qemu, false),
];

const WASM: &str = "wasm32-unknown-unknown";
const I686: &str = "i686-unknown-linux-gnu";
const S390X: &str = "s390x-unknown-linux-gnu";

/// Tests may read files. What Miri watches in unsafe code takes a third of its time, and there is
/// none in the libraries: this run is about the order of bytes.
const MIRI_FLAGS: &str =
    "-Zmiri-disable-isolation -Zmiri-disable-stacked-borrows -Zmiri-disable-validation";

/// What core and nom bring, and what these need: encoding_rs and shakmaty find out what the
/// processor can do, and check UTF-8.
const EXPECTED: &[&str] = &[
    "bitflags",
    "encoding_rs",
    "cfg-if",
    "shakmaty",
    "arrayvec",
    "btoi",
    "num-traits",
    "core_detect",
    "multiversion_no_op",
    "scopeguard",
    "simdutf8",
    "nom",
    "memchr",
    "foldhash",
];

/// Runs the parts named, or all but the last.
pub(crate) fn cross(args: &[String]) -> Outcome {
    let metadata = cmd::metadata()?;
    for word in args {
        if !PARTS.iter().any(|(name, ..)| name == word) {
            return Err(format!("`{word}` is no part"));
        }
    }
    for (name, part, unasked) in PARTS {
        if args.is_empty() && *unasked || args.iter().any(|word| word == name) {
            println!("\n==> {name}");
            part(&metadata)?;
        }
    }
    Ok(())
}

/// The parts that cost seconds, for `ci`.
pub(crate) fn quick() -> Outcome {
    let metadata = cmd::metadata()?;
    alone(&metadata)?;
    wasm(&metadata)
}

/// What cargo and rustup can install for `cross` and `fuzz --asan`; what is there stays as it is.
pub(crate) fn setup(_: &[String]) -> Outcome {
    for line in [
        "toolchain install nightly --profile minimal --component miri,rust-src",
        "target add i686-unknown-linux-gnu s390x-unknown-linux-gnu wasm32-unknown-unknown",
    ] {
        cmd::run(Command::new("rustup").args(line.split(' ')))?;
    }
    println!("i686 needs Debian's gcc-multilib as well; qemu needs qemu-user, gcc-s390x-linux-gnu");
    println!("and libc6-dev-s390x-cross");
    Ok(())
}

/// The facade with no feature and with each feature alone, warnings denied: a feature that leans on
/// another one without saying so does not compile, and what only another one uses is not there. Every
/// set of features: `cargo hack --feature-powerset`.
pub(crate) fn features(_: &[String]) -> Outcome {
    let packages = cmd::metadata()?.packages.into_iter();
    let mut facade = packages.filter(|package| package.name == "chessdb");
    let features = facade.next().ok_or("no package chessdb")?.features;
    for feature in features.keys().chain([&String::new()]) {
        let line = "clippy --quiet -p chessdb --lib --no-deps --locked --no-default-features";
        cmd::run(cargo(line).args(["--features", feature, "--", "-D", "warnings"]))?;
    }
    Ok(())
}

/// The format crates.
fn formats(metadata: &Metadata) -> impl Iterator<Item = &Package> {
    let packages = metadata.packages.iter();
    packages.filter(|package| layers::is_format(&package.name))
}

/// The arguments that choose every library below the facade.
fn libraries(metadata: &Metadata) -> impl Iterator<Item = &str> {
    let names = formats(metadata).map(|package| package.name.as_str());
    let names = ["chessdb-core", "chessdb-owned", "chessdb-query"]
        .into_iter()
        .chain(names);
    names.flat_map(|name| ["-p", name])
}

/// `cargo` for the facade with every format, and one feature more or none.
fn facade(words: &str, more: &str) -> Command {
    let mut command = cargo(words);
    command.args(["-p", "chessdb", "--no-default-features", "--features"]);
    command.arg(format!("all-formats,{more}"));
    command
}

/// The libraries below the facade, and the facade without files, compile for the web.
fn wasm(metadata: &Metadata) -> Outcome {
    let check = format!("check --locked --target {WASM}");
    cmd::run(cargo(&check).args(libraries(metadata)))?;
    cmd::run(&mut facade(&check, ""))
}

/// Each format crate brings no other package than core, nom and what these need. (That it compiles with
/// nothing else is seen by `package --alone`.)
fn alone(metadata: &Metadata) -> Outcome {
    for Package { name, .. } in formats(metadata) {
        let tree = format!("tree --locked -p {name} --edges normal --prefix none");
        for line in cmd::output(&mut cargo(&tree))?.lines() {
            let on = line.split(' ').next().unwrap_or_default();
            if on != name.as_str() && on != "chessdb-core" && !EXPECTED.contains(&on) {
                return Err(format!("{name} brings the package `{on}`"));
            }
        }
    }
    Ok(())
}

/// Tests of the libraries where a pointer has 32 bits: lengths of files do not fit into it there.
fn i686(metadata: &Metadata) -> Outcome {
    tests_on(I686, metadata, &[])
}

/// The same tests on a big-endian processor that QEMU imitates: what Miri is too slow for.
fn qemu(metadata: &Metadata) -> Outcome {
    let cc = "s390x-linux-gnu-gcc";
    let variables = [
        (
            "CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER",
            "qemu-s390x -L /usr/s390x-linux-gnu",
        ),
        ("CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER", cc),
        ("CC_s390x_unknown_linux_gnu", cc),
        ("AR_s390x_unknown_linux_gnu", "s390x-linux-gnu-ar"),
        // Nobody debugs through an emulator, and it doubles what lies on the disk.
        ("CARGO_PROFILE_DEV_DEBUG", "0"),
        // An emulator needs ten times as long, and byte order hides in no rare case.
        ("CHESSDB_PATIENCE", "20"),
        ("PROPTEST_CASES", "16"),
    ];
    tests_on(S390X, metadata, &variables)
}

/// Tests of core, the format crates and the facade, for and as on another machine.
fn tests_on(target: &str, metadata: &Metadata, variables: &[(&str, &str)]) -> Outcome {
    let test = format!("test --locked --no-fail-fast --lib --tests --target {target}");
    let mut below = cargo(&test);
    for command in [below.args(libraries(metadata)), &mut facade(&test, "fs")] {
        cmd::run(command.envs(variables.iter().copied()))?;
    }
    Ok(())
}

/// Unit tests, and those of the pages' worked examples, under Miri, as on a big-endian machine. Miri
/// needs a thousand times as long as the processor: random tests get one case each, and tests that
/// take minutes are ignored there.
fn s390x(metadata: &Metadata) -> Outcome {
    for (tests, names) in [("--lib", &[][..]), ("--tests", &["page::", "vectors::"])] {
        let line = format!("miri test --locked --no-fail-fast {tests} --target {S390X}");
        let mut miri = cmd::nightly(&line);
        miri.args(libraries(metadata)).arg("--").args(names);
        miri.env_remove("CHESSDB_TESTDATA")
            .env("CARGO_TARGET_DIR", metadata.target_directory.join("miri"))
            .env("MIRIFLAGS", MIRI_FLAGS)
            .env("PROPTEST_CASES", "1")
            // Criterion compiles some C even for tests. Miri links nothing, so any compiler will do.
            .env("CC_s390x_unknown_linux_gnu", "cc")
            .env("AR_s390x_unknown_linux_gnu", "ar")
            .stdin(Stdio::null());
        cmd::run(&mut miri)?;
    }
    Ok(())
}
