//! `cross`: other machines than this one, and crates as others use them.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use crate::{
    Outcome,
    cmd::{self, cargo},
    metadata::{Metadata, Package},
};

/// A part of the command: name, function, and whether it also runs when no part is named.
type Part = (&'static str, fn(&Metadata) -> Outcome, bool);

static PARTS: &[Part] = &[
    ("wasm", wasm, true),
    ("consumer", consumer, true),
    ("i686", i686, true),
    ("s390x", s390x, true),
    // Debian does not allow its compiler beside the one for `i686`.
    ("qemu", qemu, false),
];

const WASM: &str = "wasm32-unknown-unknown";
const I686: &str = "i686-unknown-linux-gnu";
const S390X: &str = "s390x-unknown-linux-gnu";

/// What the part `qemu` runs and links with, and the Debian package that has it.
const EMULATOR: [(&str, &str); 2] = [
    ("qemu-s390x", "qemu-user"),
    (
        "s390x-linux-gnu-gcc",
        "gcc-s390x-linux-gnu and libc6-dev-s390x-cross",
    ),
];

/// Tests may read files. What Miri watches in unsafe code takes a third of its time, and there is
/// none in the libraries: this run is about the order of bytes.
const MIRI_FLAGS: &str =
    "-Zmiri-disable-isolation -Zmiri-disable-stacked-borrows -Zmiri-disable-validation";

/// Integration tests that Miri runs beside the unit tests: worked examples, bytes spelt out.
const EXAMPLES: &[&str] = &["page", "vectors"];

/// Features of the facade that bring C code or a file system; the others stand for formats.
const NOT_FORMATS: &[&str] = &["default", "fs", "archives", "sqlite"];

/// What depending on one format may bring: the project's own crates are added by name.
const EXPECTED: &[&str] = &[
    // core
    "bitflags",
    "encoding_rs",
    "cfg-if",
    "shakmaty",
    "arrayvec",
    "btoi",
    "num-traits",
    // encoding_rs and shakmaty find out what the processor can do, and check UTF-8
    "core_detect",
    "multiversion_no_op",
    "scopeguard",
    "simdutf8",
    // nom
    "nom",
    "memchr",
];

/// Runs the parts named, or all but the last.
pub(crate) fn cross(args: &[String]) -> Outcome {
    let metadata = Metadata::of_workspace()?;
    for word in args {
        if !PARTS.iter().any(|(name, ..)| name == word) {
            let known: Vec<&str> = PARTS.iter().map(|(name, ..)| *name).collect();
            return Err(format!("`{word}` is none of {}", known.join(", ")));
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

/// The part that costs seconds, for `ci`.
pub(crate) fn quick() -> Outcome {
    let metadata = Metadata::of_workspace()?;
    consumer(&metadata)?;
    if has_target(WASM) {
        return wasm(&metadata);
    }
    println!("the target {WASM} is not installed: `cargo xtask setup` installs it");
    Ok(())
}

/// The format crates: published, and nothing of the project but core below them.
fn formats(metadata: &Metadata) -> Vec<&Package> {
    let published = metadata.packages.iter().filter(|package| package.published);
    published
        .filter(|package| {
            let own = package
                .dependencies
                .iter()
                .filter(|dependency| !dependency.dev && dependency.name.starts_with("chessdb"));
            own.map(|dependency| dependency.name.as_str())
                .eq(["chessdb-core"])
        })
        .collect()
}

/// The features of the facade that stand for formats, joined by commas.
fn format_features(metadata: &Metadata) -> Result<String, String> {
    let facade = metadata
        .package("chessdb")
        .ok_or("no package `chessdb` in the workspace")?;
    let features = facade.features.iter().map(|feature| feature.name.as_str());
    let formats: Vec<&str> = features
        .filter(|name| !NOT_FORMATS.contains(name))
        .collect();
    Ok(formats.join(","))
}

/// `-p` for core and every format crate.
fn libraries(metadata: &Metadata) -> Vec<String> {
    let mut words = vec!["-p".to_owned(), "chessdb-core".to_owned()];
    for package in formats(metadata) {
        words.extend(["-p".to_owned(), package.name.clone()]);
    }
    words
}

fn has_target(target: &str) -> bool {
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let Ok(folder) = cmd::output(rustc.args(["--print", "target-libdir", "--target", target]))
    else {
        return false;
    };
    let folder = String::from_utf8_lossy(&folder);
    fs::read_dir(folder.trim()).is_ok_and(|mut files| files.next().is_some())
}

fn need_target(target: &str) -> Outcome {
    if has_target(target) {
        return Ok(());
    }
    Err(format!(
        "the target {target} is missing: `cargo xtask setup` installs it"
    ))
}

/// What the parts lack beside what `setup` installs, in sentences.
pub(crate) fn missing_programs() -> Vec<String> {
    missing_for_i686()
        .into_iter()
        .chain(missing_for_qemu())
        .collect()
}

fn missing_for_i686() -> Option<String> {
    let mut cc = Command::new("cc");
    // The bare name comes back if there is no such file.
    let found = cmd::output(cc.args(["-m32", "-print-file-name=crt1.o"]));
    let found = found.is_ok_and(|path| path.contains(&b'/'));
    (!found).then(|| "a C compiler for 32 bits is missing (Debian: gcc-multilib)".to_owned())
}

fn missing_for_qemu() -> Option<String> {
    let lacks = |(program, _): &(&str, &str)| cmd::find(program).is_none();
    let (program, package) = EMULATOR.into_iter().find(lacks)?;
    Some(format!("{program} is missing (Debian: {package})"))
}

/// Core, the format crates and the facade without files compile for the web.
fn wasm(metadata: &Metadata) -> Outcome {
    need_target(WASM)?;
    let check = ["check", "--locked", "--target", WASM];
    cmd::run(cargo(check).args(libraries(metadata)))?;
    let facade = ["-p", "chessdb", "--no-default-features", "--features"];
    cmd::run(cargo(check).args(facade).arg(format_features(metadata)?))
}

/// Tests of the libraries where a pointer has 32 bits: lengths of files do not fit into it there.
fn i686(metadata: &Metadata) -> Outcome {
    need_target(I686)?;
    missing_for_i686().map_or(Ok(()), Err)?;
    tests_on(I686, metadata, &[])
}

/// The same tests on a big-endian processor that QEMU imitates: what Miri is too slow for.
fn qemu(metadata: &Metadata) -> Outcome {
    need_target(S390X)?;
    missing_for_qemu().map_or(Ok(()), Err)?;
    let [(runner, _), (cc, _)] = EMULATOR;
    let runner = format!("{runner} -L /usr/s390x-linux-gnu");
    tests_on(
        S390X,
        metadata,
        &[
            ("CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER", &runner),
            ("CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER", cc),
            ("CC_s390x_unknown_linux_gnu", cc),
            ("AR_s390x_unknown_linux_gnu", "s390x-linux-gnu-ar"),
            // Nobody debugs through an emulator, and it doubles what lies on the disk.
            ("CARGO_PROFILE_DEV_DEBUG", "0"),
            // An emulator needs ten times as long, and byte order hides in no rare case.
            ("CHESSDB_PATIENCE", "20"),
            ("PROPTEST_CASES", "16"),
        ],
    )
}

/// Tests of core, the format crates and the facade, for and as on another machine.
fn tests_on(target: &str, metadata: &Metadata, variables: &[(&str, &str)]) -> Outcome {
    let test = || {
        let line = ["test", "--locked", "--no-fail-fast", "--lib", "--tests"];
        let mut command = cargo(line);
        command.args(["--target", target]);
        command.envs(variables.iter().copied());
        command
    };
    let mut count = Count::new(target);
    count.run(test().args(libraries(metadata)))?;
    let facade = ["-p", "chessdb", "--no-default-features", "--features"];
    let features = format!("fs,{}", format_features(metadata)?);
    count.run(test().args(facade).arg(features))?;
    count.tell()
}

/// Tests under Miri as on a big-endian machine. Miri needs a thousand times as long as the
/// processor: random tests get one case each, and tests that take minutes are ignored there.
fn s390x(metadata: &Metadata) -> Outcome {
    let mut count = Count::new("s390x under Miri");
    let mut miri = cmd::nightly(["cargo", "miri", "test", "--locked", "--no-fail-fast"]);
    miri.args(["--lib", "--target", S390X])
        .args(EXAMPLES.iter().flat_map(|name| ["--test", *name]))
        .args(libraries(metadata))
        .env_remove("CHESSDB_TESTDATA")
        .env("CARGO_TARGET_DIR", metadata.target.join("miri"))
        .env("MIRIFLAGS", MIRI_FLAGS)
        .env("PROPTEST_CASES", "1")
        // Criterion compiles some C even for tests. Miri links nothing, so any compiler will do.
        .env("CC_s390x_unknown_linux_gnu", "cc")
        .env("AR_s390x_unknown_linux_gnu", "ar");
    count.run(&mut miri)?;
    count.tell()
}

/// What the test programs of one machine said.
struct Count<'a> {
    machine: &'a str,
    begin: Instant,
    programs: u32,
    /// Passed, failed, ignored.
    tests: [u32; 3],
    failed: Vec<String>,
}

impl<'a> Count<'a> {
    fn new(machine: &'a str) -> Count<'a> {
        Count {
            machine,
            begin: Instant::now(),
            programs: 0,
            tests: [0; 3],
            failed: Vec::new(),
        }
    }

    /// Runs `cargo test`, passes on what it prints, and counts.
    fn run(&mut self, command: &mut Command) -> Outcome {
        let line = cmd::line_of(command);
        println!("$ {line}");
        let error = |e: std::io::Error| format!("`{line}`: {e}");
        let mut child = command.stdout(Stdio::piped()).spawn().map_err(error)?;
        let out = child.stdout.take().ok_or("no pipe to the tests")?;
        for line in BufReader::new(out).split(b'\n') {
            let line = line.map_err(error)?;
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            self.line(&line);
        }
        if !child.wait().map_err(error)?.success() {
            self.failed.push(line);
        }
        Ok(())
    }

    /// `test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; …` ends each program.
    fn line(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result: ") else {
            return;
        };
        self.programs += 1;
        let result = result.split_once(". ").map_or(result, |(_, rest)| rest);
        for (sum, part) in self.tests.iter_mut().zip(result.split("; ")) {
            let number = part.split(' ').next().and_then(|word| word.parse().ok());
            *sum += number.unwrap_or(0);
        }
    }

    fn tell(self) -> Outcome {
        let [passed, failed, ignored] = self.tests;
        println!(
            "{}: {passed} tests passed, {failed} failed, {ignored} ignored, in {} programs, {:.0} s",
            self.machine,
            self.programs,
            self.begin.elapsed().as_secs_f64()
        );
        match self.failed.first() {
            Some(line) => Err(format!("`{line}` failed")),
            None if passed == 0 => Err("no test ran".to_owned()),
            None => Ok(()),
        }
    }
}

/// A package outside the workspace that depends on one format alone: it builds, writes
/// and reads an empty base, and brings no other package than core, nom and what these need.
fn consumer(metadata: &Metadata) -> Outcome {
    for format in formats(metadata) {
        let folder = metadata.target.join("consumer/src").join(&format.name);
        write_consumer(&folder, format)?;
        let in_folder = |line: &[&str]| {
            let mut command = cargo([]);
            command.current_dir(&folder).args(line);
            command.env("CARGO_TARGET_DIR", metadata.target.join("consumer"));
            command
        };
        let tree = ["tree", "--edges", "normal", "--prefix", "depth"];
        let tree = cmd::output(&mut in_folder(&tree))?;
        let tree = String::from_utf8_lossy(&tree);
        println!("{}", plain(&tree));
        let own = ["consumer", "chessdb-core", format.name.as_str()];
        for line in tree.lines() {
            let name = package_of(line);
            if !own.contains(&name) && !EXPECTED.contains(&name) {
                return Err(format!("{} brings the package `{name}`", format.name));
            }
        }
        cmd::run(&mut in_folder(&["run", "--quiet"]))?;
    }
    Ok(())
}

/// The name in a line such as `2bitflags v2.13.2 (*)`.
fn package_of(line: &str) -> &str {
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.split(' ').next().unwrap_or_default()
}

/// The tree, indented, each package once and without folders.
fn plain(tree: &str) -> String {
    let mut out = String::new();
    for line in tree.lines().filter(|line| !line.ends_with("(*)")) {
        let depth = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let depth: usize = line.get(..depth).and_then(|d| d.parse().ok()).unwrap_or(0);
        let mut words = line.split(' ');
        let (_, version) = (words.next(), words.next().unwrap_or_default());
        out += &format!("{}{} {version}\n", "  ".repeat(depth), package_of(line));
    }
    out
}

/// Writes an empty base into memory and reads it, for each format of the crate.
const PROGRAM: &str = r#"use MODULE::chessdb_core::{MemorySet, ReadOptions, WriteOptions};

fn main() {
    for format in MODULE::FORMATS {
        let mut files = MemorySet::new();
        let Some(create) = format.create else {
            println!("{}: is only read", format.id);
            continue;
        };
        let writer = create(&mut files, WriteOptions::default()).unwrap();
        writer.finish().unwrap();
        let store = (format.open)(&files, ReadOptions::default()).unwrap();
        assert_eq!(store.len(), 0);
        println!("{}: an empty base written and read", format.id);
    }
}
"#;

fn write_consumer(folder: &Path, format: &Package) -> Outcome {
    let io = |e: std::io::Error| format!("{}: {e}", folder.display());
    fs::create_dir_all(folder.join("src")).map_err(io)?;
    let manifest = format!(
        "[package]\nname = \"consumer\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [workspace]\n\n[dependencies]\n{} = {{ path = {:?} }}\n",
        format.name, format.folder
    );
    fs::write(folder.join("Cargo.toml"), manifest).map_err(io)?;
    // The same versions as the workspace; cargo drops what is not needed.
    fs::copy(cmd::root().join("Cargo.lock"), folder.join("Cargo.lock")).map_err(io)?;
    let program = PROGRAM.replace("MODULE", &format.name.replace('-', "_"));
    fs::write(folder.join("src/main.rs"), program).map_err(io)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_test_programs_are_added() {
        let mut count = Count::new("x");
        count.line("test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out");
        count.line("test a::b ... ok");
        count.line("test result: FAILED. 11 passed; 2 failed; 0 ignored; 0 measured");
        assert_eq!((count.programs, count.tests), (2, [16, 2, 1]));
        assert!(count.tell().is_ok());
        assert!(Count::new("x").tell().is_err());
    }

    #[test]
    fn trees_are_printed_without_folders_and_repetitions() {
        let tree = "0consumer v0.0.0 (/tmp/x)\n1chessdb-cbf v0.1.0 (/tmp/y)\n2nom v8.0.0\n2nom v8.0.0 (*)\n";
        assert_eq!(
            plain(tree),
            "consumer v0.0.0\n  chessdb-cbf v0.1.0\n    nom v8.0.0\n"
        );
        assert_eq!(package_of("12nom v8.0.0"), "nom");
    }
}
