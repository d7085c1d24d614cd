//! Checks for other machines, for crates by themselves, and for sets of features.

use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use cargo_metadata::{Metadata, Package};

use crate::{
    Outcome,
    cmd::{self, cargo},
    tidy::layers,
};

/// A part of `cross`: name, function, and whether it runs when no part is named.
type CrossPart = (&'static str, fn(&Metadata) -> Outcome, bool);

static PARTS: &[CrossPart] = &[
    ("wasm", wasm, true),
    ("alone", alone, true),
    ("i686", i686, true),
    ("s390x", s390x, true),
    // Debian does not allow its compiler to be installed together with the one for `i686`.
    ("qemu", qemu, false),
];

const WASM: &str = "wasm32-unknown-unknown";
const I686: &str = "i686-unknown-linux-gnu";
const S390X: &str = "s390x-unknown-linux-gnu";

/// Tests may read files. Miri's checks of unsafe code take a third of its time and are disabled,
/// because the libraries have none: this run is about byte order.
const MIRI_FLAGS: &str =
    "-Zmiri-disable-isolation -Zmiri-disable-stacked-borrows -Zmiri-disable-validation";

/// The dependencies of core and nom, and of des, with which chessdb-cbh opens locked archives.
/// encoding_rs and shakmaty detect processor features and check UTF-8.
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
    "des",
    "cipher",
    "crypto-common",
    "hybrid-array",
    "inout",
    "typenum",
];

/// Runs the named parts, or all except the last.
pub(crate) fn cross(args: &[String]) -> Outcome {
    let metadata = cmd::metadata()?;
    for word in args {
        if !PARTS.iter().any(|(name, ..)| name == word) {
            bail!("unknown part `{word}`");
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

/// Runs the parts that take seconds, for `ci`.
pub(crate) fn quick() -> Outcome {
    let metadata = cmd::metadata()?;
    alone(&metadata)?;
    wasm(&metadata)
}

/// Installs what cargo and rustup can install for `cross` and `fuzz --asan`. Existing installations
/// are kept.
pub(crate) fn setup(_: &[String]) -> Outcome {
    for line in [
        "toolchain install nightly --profile minimal --component miri,rust-src",
        "target add i686-unknown-linux-gnu s390x-unknown-linux-gnu wasm32-unknown-unknown",
    ] {
        cmd::run(Command::new("rustup").args(line.split(' ')))?;
    }
    println!("i686 also needs Debian's gcc-multilib; qemu needs qemu-user, gcc-s390x-linux-gnu");
    println!("and libc6-dev-s390x-cross");
    Ok(())
}

/// Checks the facade and the crates that it forwards its features to, without features and with each
/// single feature, and chessdb-web without the page, warnings denied. This finds features that use
/// another one without declaring it, and code that only another feature uses. For all combinations
/// use `cargo hack --feature-powerset`.
pub(crate) fn features(_: &[String]) -> Outcome {
    const CLIPPY: &str = "clippy --quiet --lib --no-deps --locked --no-default-features";
    let packages = cmd::metadata()?.packages.into_iter();
    let mut facade = packages.filter(|package| package.name == "chessdb");
    let features = facade.next().context("no package chessdb")?.features;
    for feature in features.keys().chain([&String::new()]) {
        let crates =
            "-p chessdb -p chessdb-formats -p chessdb-files -p chessdb-database -p chessdb-convert";
        let line = format!("{CLIPPY} {crates}");
        let feature = match feature.as_str() {
            "" => String::new(),
            name => format!("chessdb/{name}"),
        };
        cmd::run(cargo(&line).args(["--features", &feature, "--", "-D", "warnings"]))?;
    }
    // By itself, since it enables formats.
    cmd::run(&mut cargo(&format!(
        "{CLIPPY} -p chessdb-web -- -D warnings"
    )))
}

/// Returns the format crates.
fn formats(metadata: &Metadata) -> impl Iterator<Item = &Package> {
    let packages = metadata.packages.iter();
    packages.filter(|package| layers::is_format(&package.name))
}

/// Returns the arguments that select every library below the facade.
fn libraries(metadata: &Metadata) -> impl Iterator<Item = &str> {
    let names = formats(metadata).map(|package| package.name.as_str());
    ["chessdb-core", "chessdb-owned", "chessdb-query"]
        .into_iter()
        .chain(names)
        .flat_map(|name| ["-p", name])
}

/// Returns a `cargo` command for the facade with every format and writing.
fn facade(words: &str) -> Command {
    let mut command = cargo(words);
    command.args(["-p", "chessdb", "--no-default-features", "--features"]);
    command.arg("all-formats,write");
    command
}

/// Checks that the libraries below the facade, and the facade, compile for WebAssembly.
fn wasm(metadata: &Metadata) -> Outcome {
    let check = format!("check --locked --target {WASM}");
    cmd::run(cargo(&check).args(libraries(metadata)))?;
    cmd::run(&mut facade(&check))
}

/// Checks that each format crate depends only on core, nom and their dependencies, except those that
/// contain other formats. (`package --alone` checks that it compiles with nothing else.)
fn alone(metadata: &Metadata) -> Outcome {
    let alone = formats(metadata).filter(|package| !layers::is_container(&package.name));
    for Package { name, .. } in alone {
        let tree = format!("tree --locked -p {name} --edges normal --prefix none");
        for line in cmd::output(&mut cargo(&tree))?.lines() {
            let on = line.split(' ').next().unwrap_or_default();
            if on != name.as_str() && on != "chessdb-core" && !EXPECTED.contains(&on) {
                bail!("{name} depends on the package `{on}`");
            }
        }
    }
    Ok(())
}

/// Tests the libraries with 32-bit pointers, where file lengths do not fit into `usize`.
fn i686(metadata: &Metadata) -> Outcome {
    tests_on(I686, metadata, &[])
}

/// Runs the same tests on a big-endian processor emulated by QEMU, including those that Miri is too
/// slow for.
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
        // Debug information is not needed in an emulator, and doubles the disk space.
        ("CARGO_PROFILE_DEV_DEBUG", "0"),
        // The emulator is ten times slower, and byte-order errors do not need rare cases.
        ("CHESSDB_PATIENCE", "20"),
        ("PROPTEST_CASES", "16"),
    ];
    tests_on(S390X, metadata, &variables)
}

/// Runs the tests of core, the format crates and the facade for another machine.
fn tests_on(target: &str, metadata: &Metadata, variables: &[(&str, &str)]) -> Outcome {
    // A run in an emulator takes long, so it shows all failures at once.
    let test = format!("test --locked --no-fail-fast --lib --tests --target {target}");
    let mut below = cargo(&test);
    for command in [below.args(libraries(metadata)), &mut facade(&test)] {
        cmd::run(command.envs(variables.iter().copied()))?;
    }
    Ok(())
}

/// Runs the unit tests and the worked examples of the format pages under Miri as a big-endian
/// machine. Miri is a thousand times slower than the processor: random tests get one case each, and
/// tests that would take minutes are ignored there.
fn s390x(metadata: &Metadata) -> Outcome {
    for (tests, names) in [("--lib", &[][..]), ("--tests", &["page::", "vectors::"])] {
        let line = format!("miri test --locked --no-fail-fast {tests} --target {S390X}");
        let mut miri = cmd::nightly(&line);
        miri.args(libraries(metadata)).arg("--").args(names);
        // The databases outside the repository are too large for Miri.
        miri.env_remove("CHESSDB_TESTDATA")
            .env("CARGO_TARGET_DIR", metadata.target_directory.join("miri"))
            .env("MIRIFLAGS", MIRI_FLAGS)
            .env("PROPTEST_CASES", "1")
            // Criterion compiles some C even for tests. Miri links nothing, so any compiler will
            // do.
            .env("CC_s390x_unknown_linux_gnu", "cc")
            .env("AR_s390x_unknown_linux_gnu", "ar")
            .stdin(Stdio::null());
        cmd::run(&mut miri)?;
    }
    Ok(())
}
