//! The command `web`: the page, as a folder for hosting and as one file (docs/page.md), and its
//! tests in a browser.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use fs_err as fs;
use sha2::{Digest, Sha256};

use crate::{
    Outcome,
    about::about,
    ci::TESTS,
    cmd::{self, cargo, root},
    compress::{packed, packed_small},
    modules,
};

/// The budget for the compressed size of the page: what a visitor of the hosted page loads who
/// needs only the small module, and the single file without the large module. It is the size that
/// was last measured and ten per cent. Above it the build warns; a size never stops a build.
const BUDGET: usize = 1_260_000;

/// The folder with the package of the chess engine.
const STOCKFISH: &str = "web/tools/stockfish";

/// Sample games for visitors without a database.
const SAMPLE: &[&str] = &[
    "web/sample.pgn",
    "fixtures/pgn/clean/romantics.pgn",
    "fixtures/pgn/clean/masters.pgn",
    "fixtures/pgn/clean/miniatures.pgn",
];

/// The tests in Chromium and Firefox.
const PAGE_TESTS: &[&str] = &["test/all.mjs", "test/firefox.mjs"];

/// Builds the page. With `test` it also tests the page in Chromium and Firefox, with `webkit` in
/// WebKitGTK, with `pictures` it makes the screenshots of docs/page.md. With `page` it builds only
/// the parts that are not compiled, around the modules of the last build, which takes seconds.
pub(crate) fn web(args: &[String]) -> Outcome {
    let scripts: &[&str] = match args {
        [] => &[],
        [word] if word == "page" => {
            let target = prepare(false)?;
            build(&target, Modules::OfLastBuild)?;
            return Ok(());
        }
        [word] if word == "test" => PAGE_TESTS,
        [word] if word == "webkit" => &["test/webkit.mjs"],
        [word] if word == "pictures" => &["test/pictures.mjs"],
        [word] if word == "times" => &["test/times.mjs"],
        _ => {
            bail!("only `page`, `test`, `webkit`, `pictures` and `times` are known");
        }
    };
    let target = prepare(!scripts.is_empty())?;
    if scripts == PAGE_TESTS {
        check_modules()?;
    }
    let page = build(&target, Modules::Compiled)?;
    if scripts.is_empty() {
        return put_into_program(&page);
    }
    cmd::run(&mut cargo("build --locked -p chessdb-cli"))?;
    run_all(&target, scripts, &page)
}

/// Compresses the page of `chessdb view` to where the next build of the program includes it.
fn put_into_program(page: &Path) -> Outcome {
    let to = root().join("crates/chessdb-cli/page/view.html.gz");
    let text = fs::read(page.join("view.html"))?;
    let packed = packed(&text)?;
    // Keep the file of an unchanged page, so that nothing is recompiled.
    if fs::read(&to).is_ok_and(|current| current == packed) {
        return Ok(());
    }
    Ok(fs::write(&to, packed)?)
}

/// Builds and tests the page, for `ci`. It uses the program that the tests have built, which is not
/// recompiled with fewer features.
pub(crate) fn tested() -> Outcome {
    let target = prepare(true)?;
    check_modules()?;
    let page = build(&target, Modules::Compiled)?;
    cmd::run(cargo(TESTS).arg("--no-run"))?;
    run_all(&target, PAGE_TESTS, &page)
}

/// Checks the types and the style of the modules of the page and of its tests, and runs their unit
/// tests, which takes seconds.
fn check_modules() -> Outcome {
    let mut npm = cmd::npm();
    npm.current_dir(root().join("web"));
    cmd::run(npm.args(["run", "--silent", "check"]))
}

/// Installs the packages and returns the target folder.
pub(crate) fn prepare(for_tests: bool) -> Outcome<PathBuf> {
    packages(for_tests)?;
    if let Err(error) = stockfish() {
        // Everything else works without it; the page reports it when the engine is requested.
        eprintln!("warning: the hosted page has no chess engine: {error}");
    }
    Ok(cmd::metadata()?.target_directory.into())
}

/// Runs scripts of `web/` on the page.
fn run_all(target: &Path, scripts: &[&str], page: &Path) -> Outcome {
    scripts
        .iter()
        .try_for_each(|script| run(target, script, page))
}

/// Runs a script of `web/` on the page.
fn run(target: &Path, script: &str, page: &Path) -> Outcome {
    let mut node = Command::new("node");
    node.current_dir(root().join("web")).arg(script).arg(page);
    cmd::run(node.env("CHESSDB", target.join("debug/chessdb")))
}

/// Installs the npm packages unless they are up to date.
pub(crate) fn packages(for_tests: bool) -> Outcome {
    let mut wanted = vec!["chessground", "esbuild", "fflate", "xz-decompress"];
    if for_tests {
        wanted.extend(["playwright-core", "typescript"]);
    }
    install("web", &wanted)
}

/// Installs the chess engine. It has its own folder because its package is 160 MB large: it
/// contains every variant of the engine.
fn stockfish() -> Outcome {
    install(STOCKFISH, &["stockfish"])
}

/// Installs the npm packages of a folder of the repository, or of one elsewhere, unless they are up to
/// date.
pub(crate) fn install(folder: impl AsRef<Path>, wanted: &[&str]) -> Outcome {
    let folder = root().join(folder);
    let is_installed = |name: &&str| folder.join("node_modules").join(name).is_dir();
    let lock = fs::read(folder.join("package-lock.json"))?;
    let stamp = folder.join("node_modules/.lock-sum");
    let sum = cmd::hex(&Sha256::digest(lock));
    let same = fs::read_to_string(&stamp).is_ok_and(|current| current == sum);
    if same && wanted.iter().all(is_installed) {
        return Ok(());
    }
    let mut npm = cmd::npm();
    cmd::run(
        npm.current_dir(&folder)
            .args(["ci", "--no-audit", "--no-fund"]),
    )?;
    Ok(fs::write(stamp, sum)?)
}

/// Returns the chess engine as one file: a script that gives the page the source of a worker, and,
/// in a worker, the engine itself. So a page from a disk can use it too, if the user chooses it.
fn engine_file() -> Outcome<String> {
    let folder = root().join(STOCKFISH).join("node_modules/stockfish/bin");
    let path = |suffix: &str| folder.join(format!("stockfish-19-lite-single.{suffix}"));
    let code = fs::read_to_string(path("js"))?;
    let module = BASE64.encode(fs::read(path("wasm"))?);
    // The policy of the page allows no request, so the module is inside. The engine's own code
    // would fetch it.
    Ok(format!(
        "/*! Stockfish 19, built for browsers by Nathan Rugg, GNU General Public License 3: \
         https://github.com/nmrugg/stockfish.js */\n\
         (globalThis.CHESSDB ??= {{}}).stockfish = function () {{\n\
         const module = Uint8Array.from(atob('{module}'), letter => letter.charCodeAt(0));\n\
         globalThis.fetch = async () => new Response(module, {{ headers: {{ 'Content-Type': 'application/wasm' }} }});\n\
         {code}\n}};\n\
         if (globalThis.WorkerGlobalScope) CHESSDB.stockfish();\n"
    ))
}

/// Which compiled modules a page is built around.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Modules {
    /// The modules of the present sources, compiled first.
    Compiled,
    /// Those that the last build left.
    OfLastBuild,
}

/// Builds the page, prints its sizes, and returns its folder.
fn build(target: &Path, modules: Modules) -> Outcome<PathBuf> {
    if modules == Modules::Compiled {
        modules::compile_for_page(target)?;
    }
    let engine = engine_of(target, "engine")?;
    let full = engine_of(target, "full")?;
    let (script, style) = (page_bundle("app.js", "esm")?, style()?);
    let sample = SAMPLE
        .iter()
        .map(|name| read(name))
        .collect::<Result<Vec<_>, _>>()?
        .join("\n");
    let index = read("web/index.html")?;
    let folder = target.join("page");
    let site = folder.join("site");
    fs::create_dir_all(&site)?;
    let write = |path: PathBuf, text: &str| -> Outcome<usize> {
        fs::write(&path, text)?;
        Ok(packed(text.as_bytes())?.len())
    };

    let pieces = format!(
        "Object.assign(globalThis.CHESSDB ??= {{}}, {{ engine: {}, sample: {} }});\n",
        quoted(&engine),
        quoted(&sample)
    );
    let hosted = fill(
        &index,
        &policy("'self'", "'self'"),
        "<link rel=\"stylesheet\" href=\"page.css\">",
        "<script type=\"module\" src=\"page.js\"></script>\n<script async id=\"pieces\" src=\"engine.js\"></script>",
    )?;
    let mut weight = write(site.join("index.html"), &hosted)?;
    weight += write(site.join("page.css"), &style)?;
    weight += write(site.join("page.js"), &script)?;
    weight += write(site.join("engine.js"), &pieces)?;
    let more = write(
        site.join("full.js"),
        &format!(
            "Object.assign(globalThis.CHESSDB ??= {{}}, {{ full: {} }});\n",
            quoted(&full)
        ),
    )?;

    let analysis = match engine_file() {
        Ok(text) => write(site.join("stockfish.js"), &text)?,
        Err(_) => 0,
    };

    for (text, what) in [
        (&engine, "engine"),
        (&full, "full engine"),
        (&sample, "sample"),
        (&script, "script"),
    ] {
        let lower = text.to_lowercase();
        if lower.contains("</script") || lower.contains("<!--") {
            bail!("the {what} contains text that would end its element");
        }
    }
    let element =
        |id: &str, text: &str| format!("<script type=\"text/plain\" id=\"{id}\">{text}</script>\n");
    let small = element("engine", &engine) + &element("sample", &sample);
    let single = |elements: &str| {
        fill(
            &index,
            &policy(&hash(&script), &hash(&style)),
            &format!("<style>{style}</style>"),
            &format!("{elements}<script type=\"module\">{script}</script>"),
        )
    };
    let one = packed(single(&small)?.as_bytes())?.len();
    let whole = write(
        folder.join("chessdb.html"),
        &single(&(small + &element("full", &full)))?,
    )?;

    // The page of `chessdb view`, which uses the program as its engine.
    let served = fill(
        &index.replace("<html ", "<html data-served "),
        &served_policy(&hash(&script), &hash(&style)),
        &format!("<style>{style}</style>"),
        &format!("<script type=\"module\">{script}</script>"),
    )?;
    write(folder.join("view.html"), &served)?;
    println!(
        "page, packed: {} kB hosted, {} kB more when SQLite or Parquet is needed, \
         {} kB more when the engine is asked for; as one file {} kB, {} kB without these",
        weight / 1000,
        more / 1000,
        analysis / 1000,
        whole / 1000,
        one / 1000
    );
    println!("{}", folder.join("chessdb.html").display());
    for (what, bytes) in [("hosted", weight), ("as one file", one)] {
        if let Some(warning) = over_budget(what, bytes) {
            eprintln!("warning: {warning}");
        }
    }
    Ok(folder)
}

/// Returns the warning for a page of this size; `None` within the budget.
fn over_budget(what: &str, bytes: usize) -> Option<String> {
    let above = bytes.checked_sub(BUDGET).filter(|&above| above > 0)?;
    Some(format!(
        "the page, {what}, is {bytes} bytes packed: {above} above the budget of {BUDGET}"
    ))
}

/// Returns the content security policy of the page of `chessdb view`, which may connect only to the
/// program that serves it.
fn served_policy(script: &str, style: &str) -> String {
    let policy = format!(
        "default-src 'none'; script-src {script}; style-src {style}; img-src data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'"
    );
    format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">")
}

/// Returns the content security policy of the page: it may run its own script and style, and may
/// not connect to anything.
fn policy(script: &str, style: &str) -> String {
    let policy = format!(
        "default-src 'none'; script-src {script} 'wasm-unsafe-eval'; worker-src blob:; style-src {style}; \
         img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'"
    );
    format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">")
}

fn fill(index: &str, policy: &str, style: &str, script: &str) -> Outcome<String> {
    let mut text = index.to_owned();
    for (mark, with) in [
        ("<!--policy-->", policy),
        ("<!--style-->", style),
        ("<!--script-->", script),
    ] {
        let (before, after) = text
            .split_once(mark)
            .with_context(|| format!("web/index.html has no {mark}"))?;
        text = format!("{before}{with}{after}");
    }
    Ok(text)
}

/// Returns a worker: glue, module, then the code that talks to the page.
fn engine_of(target: &Path, name: &str) -> Outcome<String> {
    let glue = modules::page_glue(target, name);
    let read_made = |name: &str| {
        let path = glue.join(name);
        fs::read(&path)
    };
    let code = String::from_utf8(read_made("engine.js")?)?;
    let module = read_made("engine_bg.wasm")?;
    let packed = packed_small(&module)?;
    println!(
        "module {name}: {} kB, {} kB packed",
        module.len() / 1000,
        packed.len() / 1000
    );
    let worker = page_bundle("worker.js", "iife")?;
    Ok(format!(
        "{code}\nconst WASM = '{}';\n{worker}",
        BASE64.encode(&packed)
    ))
}

/// Puts a module and everything it imports into one module without imports.
pub(crate) fn bundle(module: &Path, to: &Path) -> Outcome {
    let mut esbuild = esbuild();
    esbuild.args(["--bundle", "--format=esm", "--log-level=warning"]);
    esbuild.arg(module);
    cmd::write(to, cmd::output(&mut esbuild)?)
}

/// Returns the command of the bundler.
fn esbuild() -> Command {
    let mut node = Command::new("node");
    node.arg(root().join("web/node_modules/esbuild/bin/esbuild"));
    node
}

/// Returns a module of `web/src` and everything it imports as one script without imports.
fn page_bundle(module: &str, format: &str) -> Outcome<String> {
    let mut esbuild = esbuild();
    esbuild.current_dir(root().join("web"));
    esbuild.args([&format!("src/{module}"), &format!("--format={format}")]);
    if module == "app.js" {
        esbuild.arg(format!("--define:ABOUT={}", about()?));
    }
    cmd::output(esbuild.args([
        "--bundle",
        "--minify",
        "--charset=utf8",
        "--log-level=warning",
    ]))
}

/// Returns the board's style and all files of `web/css`, in the order of their names.
fn style() -> Outcome<String> {
    let folder = root().join("web/css");
    let entries = fs::read_dir(&folder)?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    let mut style = read("web/node_modules/chessground/assets/chessground.base.css")?;
    for path in paths {
        style.push('\n');
        style += &fs::read_to_string(&path)?;
    }
    Ok(style)
}

fn read(name: &str) -> Outcome<String> {
    Ok(fs::read_to_string(root().join(name))?)
}

/// Returns a text as a JavaScript string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn hash(text: &str) -> String {
    format!(
        "'sha256-{}'",
        BASE64.encode(Sha256::digest(text.as_bytes()))
    )
}

#[cfg(test)]
mod tests {
    use super::{BUDGET, over_budget};

    #[test]
    fn page_above_its_budget_is_reported() {
        assert_eq!(over_budget("hosted", BUDGET), None);
        let warning = over_budget("hosted", BUDGET + 1).unwrap();
        let size = format!("{} bytes packed: 1 above", BUDGET + 1);
        assert!(warning.contains(&size), "{warning}");
    }
}
