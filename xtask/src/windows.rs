//! The command `windows`: builds the program for Windows on Debian and tests it under wine.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use fs_err as fs;

use crate::{Outcome, cmd, web};

/// The C compiler for Windows, as other tools call it.
const GCC: &str = "x86_64-w64-mingw32-gcc";
const TARGET: &str = "x86_64-pc-windows-gnu";

/// Debian's packages with a compiler for Windows and wine. Rust's package for browsers is the newest
/// one, and has the sources of the standard library, of which Debian has no build for Windows.
const PACKAGES: &[&str] = &[
    "rustc-web",
    "cargo-web",
    "rust-web-src",
    "libstd-rust-web-dev",
    "gcc-mingw-w64-x86-64-posix",
    "gcc-mingw-w64-x86-64-posix-runtime",
    "binutils-mingw-w64-x86-64",
    "mingw-w64-common",
    "mingw-w64-x86-64-dev",
    "libz-mingw-w64",
    "wine64",
    "libwine",
];

/// The crates that touch files or the terminal, and therefore depend on the system.
const CRATES: &[&str] = &[
    "chessdb-owned",
    "chessdb-files",
    "chessdb-database",
    "chessdb-convert",
    "chessdb-cli",
];

/// The tests after each build: the session of the README, killed commits, other writers, files in use,
/// and the index.
const SMOKE_TESTS: &[&str] = &[
    "session_of_the_readme",
    "killed",
    "second_writer",
    "in_use",
    "an_index",
];

/// Builds the program with its page, and its tests. With `build` it then runs [`SMOKE_TESTS`] under
/// wine, with `test` all tests, or those that further arguments select. `--keep-page` does not build
/// the page again.
pub(crate) fn windows(args: &[String]) -> Outcome {
    let (options, words): (Vec<&str>, Vec<&str>) = args
        .iter()
        .map(String::as_str)
        .partition(|word| word.starts_with('-'));
    let tests = match words.split_first() {
        Some((&"build", [])) => SMOKE_TESTS,
        Some((&"test", tests)) => tests,
        _ => bail!("the first argument is `build` or `test`"),
    };
    match options[..] {
        [] => web::web(&[])?,
        ["--keep-page"] => {}
        _ => bail!("only the option --keep-page is known"),
    }
    let target_folder = cmd::metadata()?.target_directory.into_std_path_buf();
    let tools = Tools::prepare(&target_folder.join("windows"))?;
    // With the flags of the tests, so that nothing is compiled twice.
    let mut cargo = tools.cargo()?;
    cargo.args(["test", "--locked", "--no-fail-fast", "--target", TARGET]);
    cargo.arg("-Zbuild-std=std,panic_unwind,proc_macro,test");
    cargo.args(["--lib", "--bins", "--tests"]);
    cargo.args(CRATES.iter().flat_map(|name| ["-p", name]));
    cmd::run(cargo.arg("--").args(tests))
}

/// The compiler and wine, unpacked into a folder of their own.
struct Tools {
    folder: PathBuf,
    /// The folder that stands for `/usr`.
    usr: PathBuf,
}

impl Tools {
    /// Downloads, unpacks and completes the tools, unless this was done before.
    fn prepare(folder: &Path) -> Outcome<Tools> {
        let tools = Tools {
            folder: folder.to_owned(),
            usr: folder.join("root/usr"),
        };
        let stamp = folder.join("prepared");
        let packages = PACKAGES.join("\n");
        if fs::read_to_string(&stamp).is_ok_and(|prepared| prepared == packages) {
            return Ok(tools);
        }
        tools.unpack()?;
        tools.name_compiler()?;
        tools.add_start_objects()?;
        tools.complete_wine()?;
        fs::write(&stamp, packages)?;
        Ok(tools)
    }

    /// Downloads the packages with Debian's package client and unpacks them. Nothing is installed.
    fn unpack(&self) -> Outcome {
        let archives = self.folder.join("packages");
        fs::create_dir_all(archives.join("partial"))?;
        let mut apt = Command::new("apt-get");
        apt.args(["install", "--download-only", "--reinstall", "--yes"]);
        apt.args(["--no-install-recommends", "-o", "Debug::NoLocking=1", "-o"]);
        apt.arg(format!("Dir::Cache::archives={}", archives.display()));
        cmd::run(apt.args(PACKAGES))
            .context("this needs Debian, and `apt-get update` before it")?;
        let root = self.folder.join("root");
        for entry in fs::read_dir(&archives)? {
            let path = entry?.path();
            if path.extension().is_some_and(|suffix| suffix == "deb") {
                cmd::run(Command::new("dpkg").arg("-x").arg(&path).arg(&root))?;
            }
        }
        Ok(fs::remove_dir_all(&archives)?)
    }

    /// Gives the compiler the name by which other tools call it. In Debian its installation does that.
    fn name_compiler(&self) -> Outcome {
        let name = self.usr.join("bin").join(GCC);
        let program = self.usr.join("bin").join(format!("{GCC}-posix"));
        Ok(fs::hard_link(&program, &name)?)
    }

    /// Compiles the objects that the linker adds to each program. The sources of the standard library
    /// contain them, but cargo does not compile them.
    fn add_start_objects(&self) -> Outcome {
        let rustlib = self.usr.join("lib/rustlib");
        let objects = rustlib.join(TARGET).join("lib");
        fs::create_dir_all(&objects)?;
        for name in ["rsbegin", "rsend"] {
            let source = format!("src/rust/library/rtstartup/{name}.rs");
            let mut rustc = Command::new(self.usr.join("bin/rustc"));
            self.set_variables(&mut rustc)?;
            rustc.args(["--target", TARGET, "--emit", "obj", "-O", "-o"]);
            rustc.arg(objects.join(format!("{name}.o")));
            cmd::run(rustc.arg(rustlib.join(source)))?;
        }
        Ok(())
    }

    /// Adds what wine expects in other places: its server next to the program, where Debian has a script
    /// for an installed wine, zlib, and a library that it lacks, which is found by `WINEPATH`.
    fn complete_wine(&self) -> Outcome {
        let server = self.usr.join("lib/wine/wineserver");
        fs::copy(self.usr.join("lib/wine/wineserver64"), &server)?;
        let libraries = self.windows_libraries();
        let zlib = self.usr.join("x86_64-w64-mingw32/lib/zlib1.dll");
        fs::copy(&zlib, libraries.join("zlib1.dll"))?;
        let mut gcc = Command::new(self.usr.join("bin").join(GCC));
        gcc.args(["-shared", "-O", "-o"]);
        gcc.arg(libraries.join("bcryptprimitives.dll"));
        gcc.arg(cmd::root().join("xtask/src/windows/bcryptprimitives.c"));
        cmd::run(gcc.arg("-ladvapi32"))
    }

    fn windows_libraries(&self) -> PathBuf {
        self.usr.join("lib/x86_64-linux-gnu/wine/x86_64-windows")
    }

    /// Returns a `cargo` command that compiles for Windows and runs programs with wine.
    fn cargo(&self) -> Outcome<Command> {
        let mut cargo = Command::new(self.usr.join("bin/cargo"));
        cargo.current_dir(cmd::root());
        self.set_variables(&mut cargo)?;
        cargo
            .env(
                "CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER",
                self.usr.join("lib/wine/wine64"),
            )
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_INCREMENTAL", "0")
            .env("WINEPREFIX", self.folder.join("prefix"))
            .env("WINEDEBUG", "-all")
            // The root of Unix is the drive Z.
            .env(
                "WINEPATH",
                format!("Z:{}", self.windows_libraries().display()),
            )
            // A process of wine takes a tenth of a second to start.
            .env("CHESSDB_PATIENCE", "20");
        Ok(cargo)
    }

    /// Sets the variables with which the unpacked programs find each other.
    fn set_variables(&self, command: &mut Command) -> Outcome {
        for name in ["CARGO", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
            command.env_remove(name);
        }
        let path = env::var_os("PATH").unwrap_or_default();
        let paths = [self.usr.join("bin")]
            .into_iter()
            .chain(env::split_paths(&path));
        let libraries = [self.usr.join("lib/x86_64-linux-gnu"), self.usr.join("lib")];
        let joined = |paths| env::join_paths(paths);
        command
            .env("PATH", joined(paths.collect::<Vec<PathBuf>>())?)
            .env("LD_LIBRARY_PATH", joined(libraries.to_vec())?)
            .env("RUSTC", self.usr.join("bin/rustc"))
            // The sources of the standard library, and `-Z`.
            .env("RUSTC_BOOTSTRAP", "1");
        Ok(())
    }
}
