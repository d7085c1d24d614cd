//! The command `npm`: the package for JavaScript, from the folder js and the modules of the page.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{anyhow, bail};
use fs_err as fs;

use crate::{
    Outcome,
    cmd::{self, root},
    compress,
    dist::licences,
    modules,
    web::{self, Modules},
};

/// The builds of the engine that the package contains.
const BUILDS: [&str; 3] = ["engine", "full", LEAN];

/// The build that only reads.
const LEAN: &str = "lean";

/// The maximum size of the lean build in bytes: its module and its glue, each with gzip. Servers
/// compress with zlib, whose result is 0.4 % smaller than that of this program: 400 kB there.
const LEAN_LIMIT: usize = 401_600;

/// Builds the package in `target/npm`, packs it, and tests it in Node and Chromium. With `page`, it
/// contains the modules of the last build of the page.
pub(crate) fn npm(args: &[String]) -> Outcome {
    let modules = match args {
        [] => Modules::Compiled,
        [word] if word == "page" => Modules::OfLastBuild,
        _ => bail!("only `page` is known"),
    };
    let target = web::prepare(true)?;
    if modules == Modules::Compiled {
        modules::compile_for_page(&target)?;
    }
    let package = typed(&target)?;
    pack(&package)?;
    test(&package)
}

/// Assembles the package around the modules of the last build of the page and the lean build, and
/// checks and declares its types.
pub(crate) fn typed(target: &Path) -> Outcome<PathBuf> {
    modules::compile_lean(target)?;
    let package = assemble(target)?;
    check_types(&package)?;
    Ok(package)
}

/// Packs the package around the modules of the last build, without tests, with the licences of the
/// libraries in them, and returns the archive.
pub(crate) fn packed(target: &Path) -> Outcome<PathBuf> {
    let package = typed(target)?;
    licences::write(&licences::JAVASCRIPT, modules::TARGET, &package)?;
    pack(&package)
}

/// Builds and tests the package, for `ci`, after the page.
pub(crate) fn tested() -> Outcome {
    npm(&["page".to_owned()])
}

/// Returns the place in the package of a file of a build. All names differ, since bundlers may put the
/// files into one folder with the program's.
fn file_of(build: &str, made: &str) -> String {
    match made.strip_prefix("engine.") {
        Some(suffix) => format!("src/builds/{build}-glue.{suffix}"),
        None => format!("src/builds/chessdb-{build}.wasm"),
    }
}

/// Puts the files of the package, its tests and its examples into one folder, and returns it.
fn assemble(target: &Path) -> Outcome<PathBuf> {
    let package = target.join("npm/chessdb");
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    cmd::copy_folder(&root().join("js"), &package)?;
    cmd::copy(&root().join("LICENSE"), &package.join("LICENSE"))?;
    for build in BUILDS {
        let glue = modules::package_glue(target, build);
        for name in ["engine.js", "engine.d.ts", "engine_bg.wasm"] {
            cmd::copy(&glue.join(name), &package.join(file_of(build, name)))?;
        }
    }
    web::bundle(
        &package.join("src/worker/browser.js"),
        &package.join("src/builds/chessdb-worker.js"),
    )?;
    let manifest = package.join("package.json");
    let text = fs::read_to_string(&manifest)?;
    let version = format!("\"version\": \"{}\"", cmd::version_of("chessdb-web")?);
    if text.contains(&version) {
        Ok(package)
    } else {
        Err(anyhow!(
            "js/package.json lacks {version}, the version of chessdb-web"
        ))
    }
}

/// Checks the types of the package, writes its declarations, and checks a program against them.
fn check_types(package: &Path) -> Outcome {
    let types = root().join("web/node_modules/@types");
    let tsc = root().join("web/node_modules/.bin/tsc");
    let run = |args: &[&str]| {
        let mut command = Command::new(&tsc);
        command.current_dir(package).args(args);
        cmd::run(command.arg("--typeRoots").arg(&types))
    };
    run(&["-p", "."])?;
    run(&[
        "-p",
        ".",
        "--noEmit",
        "false",
        "--emitDeclarationOnly",
        "--declarationDir",
        "types",
    ])?;
    run(&["-p", "test"])
}

/// Packs the package as `npm publish` does, prints the sizes, and returns the archive.
fn pack(package: &Path) -> Outcome<PathBuf> {
    let folder = package.parent().unwrap_or(package);
    let mut npm = cmd::npm();
    npm.current_dir(package)
        .args(["pack", "--silent", "--pack-destination"]);
    let name = cmd::output(npm.arg(folder))?;
    let archive = folder.join(name.trim());
    for build in BUILDS {
        // A program that uses a build downloads its module and its glue.
        let (mut bytes, mut gzip) = (0, 0);
        for name in ["engine_bg.wasm", "engine.js"] {
            let file = package.join(file_of(build, name));
            let content = fs::read(&file)?;
            bytes += content.len();
            gzip += compress::packed(&content)?.len();
        }
        let (kilobytes, packed) = (bytes / 1000, gzip / 1000);
        println!("build {build}: {kilobytes} kB, {packed} kB with gzip");
        if build == LEAN && gzip > LEAN_LIMIT {
            bail!("the lean build has {gzip} bytes with gzip: above {LEAN_LIMIT}");
        }
    }
    let size = fs::metadata(&archive)?.len();
    println!("{}: {} kB", archive.display(), size / 1000);
    Ok(archive)
}

/// Runs the tests of the package in Node, Deno, Bun and Chromium, there also as bundlers include it.
fn test(package: &Path) -> Outcome {
    let toolchains = toolchains(package)?;
    let program = |name: &str| toolchains.join("node_modules/.bin").join(name);
    // Deno may not run the programs of README.md, because they ask for no permission.
    let deno =
        "test --no-check --allow-all --node-modules-dir=manual --ignore=test/readme.test.mjs test/";
    for (runtime, arguments) in [
        ("node".into(), "--test test/"),
        (program("deno"), deno),
        (program("bun"), "test --timeout 120000 ./test/"),
    ] {
        let mut tests = Command::new(runtime);
        tests.current_dir(package).args(arguments.split(' '));
        cmd::run(tests.env("CHESSDB_FIXTURES", root().join("fixtures")))?;
    }
    let in_chromium = |script: &str, folders: &[PathBuf]| {
        let mut node = Command::new("node");
        node.current_dir(root().join("web")).arg(script);
        cmd::run(node.args(folders))
    };
    in_chromium("test/package.mjs", &[package.to_owned()])?;
    in_chromium("test/bundlers.mjs", &bundled(&toolchains)?)
}

/// The bundlers, which are scripts of js/examples/toolchains.
const BUNDLERS: [&str; 5] = ["esbuild", "parcel", "rollup", "vite", "webpack"];

/// Copies js/examples/toolchains, installs its bundlers and runtimes and the package, and returns the
/// folder.
fn toolchains(package: &Path) -> Outcome<PathBuf> {
    let folder = package.with_file_name("toolchains");
    cmd::copy_folder(&package.join("examples/toolchains"), &folder)?;
    let installed = folder.join("node_modules/chessdb");
    if installed.exists() {
        fs::remove_dir_all(&installed)?;
    }
    web::install(&folder, &[&BUNDLERS[..], &["bun", "deno"]].concat())?;
    cmd::copy_folder(package, &installed)?;
    // The script that npm would run after the installation puts the program into its place.
    let mut bun = Command::new("node");
    cmd::run(bun.current_dir(&folder).arg("node_modules/bun/install.js"))?;
    Ok(folder)
}

/// Makes the page of js/examples/toolchains with each bundler, and returns the folders.
///
/// # Errors
///
/// Fails if a bundler prints a warning.
fn bundled(toolchains: &Path) -> Outcome<Vec<PathBuf>> {
    let bundle = |name: &&str| {
        let to = toolchains.join("dist").join(name);
        if to.exists() {
            fs::remove_dir_all(&to)?;
        }
        println!("==> {name}");
        let mut npm = cmd::npm();
        npm.current_dir(toolchains).args(["run", "--silent", name]);
        // Some bundlers print warnings to the standard output.
        let done = npm.output()?;
        let output = [done.stdout, done.stderr].concat();
        let output = String::from_utf8_lossy(&output);
        if !done.status.success() || output.to_lowercase().contains("warn") {
            bail!("{name}: {output}");
        }
        if !to.join("index.html").exists() {
            cmd::copy(&toolchains.join("index.html"), &to.join("index.html"))?;
        }
        Ok(to)
    };
    BUNDLERS.iter().map(bundle).collect()
}
