//! The command `web`: the page, as a folder for hosting and as one file (docs/page.md), and its
//! tests in a browser.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use flate2::{Compression, write::GzEncoder};
use lzma_rust2::{CheckType, XzOptions, XzWriter};
use sha2::{Digest, Sha256};

use crate::{
    Outcome,
    ci::TESTS,
    cmd::{self, cargo, root},
};

const TARGET: &str = "wasm32-unknown-unknown";

/// The budget for the compressed size of the page: what a visitor of the hosted page loads who
/// needs only the small module, and the single file without the large module. Above it the build
/// warns; above [`LIMIT`] it fails.
const BUDGET: usize = 900_000;
/// The budget and ten per cent, so that a bug fix need not wait until the page has been made
/// smaller.
const LIMIT: usize = 990_000;

/// Sample games for visitors without a database.
const SAMPLE: &[&str] = &[
    "web/sample.pgn",
    "fixtures/pgn/clean/romantics.pgn",
    "fixtures/pgn/clean/masters.pgn",
    "fixtures/pgn/clean/miniatures.pgn",
];

/// Builds the page. With `test` it also tests the page, with `pictures` it makes the screenshots of
/// docs/page.md.
pub(crate) fn web(args: &[String]) -> Outcome {
    let script = match args {
        [] => None,
        [word] if word == "test" => Some("test/all.mjs"),
        [word] if word == "pictures" => Some("test/pictures.mjs"),
        [word] if word == "times" => Some("test/times.mjs"),
        _ => return Err("only `test`, `pictures` and `times` are known".to_owned()),
    };
    let target = prepare(script.is_some())?;
    let page = build(&target)?;
    let Some(script) = script else {
        return put_into_program(&page);
    };
    cmd::run(&mut cargo("build --locked -p chessdb-cli"))?;
    run(&target, script, &page)
}

/// Compresses the page of `chessdb view` to where the next build of the program includes it.
fn put_into_program(page: &Path) -> Outcome {
    let to = root().join("crates/chessdb-cli/page/view.html.gz");
    let failed = |error: std::io::Error| format!("{}: {error}", to.display());
    let text = fs::read(page.join("view.html")).map_err(failed)?;
    let packed = packed(&text)?;
    // Keep the file of an unchanged page, so that nothing is recompiled.
    if fs::read(&to).is_ok_and(|known| known == packed) {
        return Ok(());
    }
    fs::write(&to, packed).map_err(failed)
}

/// Builds and tests the page, for `ci`. It uses the program that the tests have built, which is not
/// recompiled with fewer features.
pub(crate) fn tested() -> Outcome {
    let target = prepare(true)?;
    let page = build(&target)?;
    cmd::run(cargo(TESTS).arg("--no-run"))?;
    run(&target, "test/all.mjs", &page)
}

/// Installs the packages and returns the target folder.
fn prepare(for_tests: bool) -> Result<PathBuf, String> {
    packages(for_tests)?;
    Ok(cmd::metadata()?.target_directory.into())
}

/// Runs a script of `web/` on the page.
fn run(target: &Path, script: &str, page: &Path) -> Outcome {
    let mut node = Command::new("node");
    node.current_dir(root().join("web")).arg(script).arg(page);
    cmd::run(node.env("CHESSDB", target.join("debug/chessdb")))
}

/// Installs the npm packages unless they are up to date.
fn packages(for_tests: bool) -> Outcome {
    let web = root().join("web");
    let there = |name: &str| web.join("node_modules").join(name).is_dir();
    let lock = fs::read(web.join("package-lock.json")).map_err(|error| error.to_string())?;
    let stamp = web.join("node_modules/.lock-sum");
    let sum = hex(&Sha256::digest(lock));
    let same = fs::read_to_string(&stamp).is_ok_and(|known| known == sum);
    if same
        && there("chessground")
        && there("esbuild")
        && there("xz-decompress")
        && (!for_tests || there("playwright-core"))
    {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    cmd::run(npm.current_dir(&web).arg("ci"))?;
    fs::write(stamp, sum).map_err(|error| error.to_string())
}

/// Builds the page, prints its sizes, and returns its folder.
fn build(target: &Path) -> Result<PathBuf, String> {
    let engine = engine_of(target, "engine", "")?;
    let full = engine_of(target, "full", "--features full")?;
    let (script, style) = (bundle("app.js", "esm")?, style()?);
    let sample = SAMPLE
        .iter()
        .map(|name| read(name))
        .collect::<Result<Vec<_>, _>>()?;
    let sample = sample.join("\n");
    let index = read("web/index.html")?;
    let folder = target.join("page");
    let site = folder.join("site");
    fs::create_dir_all(&site).map_err(|error| error.to_string())?;
    let write = |path: PathBuf, text: &str| -> Result<usize, String> {
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
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

    for (text, what) in [
        (&engine, "engine"),
        (&full, "full engine"),
        (&sample, "sample"),
        (&script, "script"),
    ] {
        let lower = text.to_lowercase();
        if lower.contains("</script") || lower.contains("<!--") {
            return Err(format!(
                "the {what} contains text that would end its element"
            ));
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
        "page, packed: {} kB hosted, {} kB more when SQLite or Parquet is needed; as one file {} kB, \
         {} kB without these",
        weight / 1000,
        more / 1000,
        whole / 1000,
        one / 1000
    );
    println!("{}", folder.join("chessdb.html").display());
    for (what, bytes) in [("hosted", weight), ("as one file", one)] {
        if let Some(warning) = over_budget(what, bytes)? {
            eprintln!("warning: {warning}");
        }
    }
    Ok(folder)
}

/// Returns the warning for a page of this size; `None` within the budget.
///
/// # Errors
///
/// Returns an error if the page is larger than [`LIMIT`].
fn over_budget(what: &str, bytes: usize) -> Result<Option<String>, String> {
    let text = || {
        format!(
            "the page, {what}, is {bytes} bytes packed: {} above the budget of {BUDGET}",
            bytes - BUDGET
        )
    };
    if bytes > LIMIT {
        return Err(format!("{}, and above the limit of {LIMIT}", text()));
    }
    Ok((bytes > BUDGET).then(text))
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

fn fill(index: &str, policy: &str, style: &str, script: &str) -> Result<String, String> {
    let mut text = index.to_owned();
    for (mark, with) in [
        ("<!--policy-->", policy),
        ("<!--style-->", style),
        ("<!--script-->", script),
    ] {
        let (before, after) = text
            .split_once(mark)
            .ok_or_else(|| format!("web/index.html has no {mark}"))?;
        text = format!("{before}{with}{after}");
    }
    Ok(text)
}

/// Returns a worker with the formats that these cargo options enable: glue, module, then the code
/// that talks to the page.
fn engine_of(target: &Path, name: &str, options: &str) -> Result<String, String> {
    // A module for the web; everything else uses the crate as a Rust library.
    let build = format!(
        "rustc --locked --profile web -p chessdb-web --lib --crate-type cdylib --target {TARGET} {options}"
    );
    // Exclude features that only tests request.
    let mut cargo_build = cargo(build.trim_end());
    cargo_build.env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION");
    cmd::run(&mut cargo_build)?;
    let glue = target.join("page/glue").join(name);
    let module = target.join(TARGET).join("web/chessdb_web.wasm");
    let tool = "run --quiet --locked --manifest-path web/tools/bindgen/Cargo.toml --";
    let mut bindgen = cargo(tool);
    bindgen.env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION");
    bindgen.env("CARGO_TARGET_DIR", target.join("tools"));
    cmd::run(bindgen.arg(module).arg(&glue))?;
    let read_made = |name: &str| {
        let path = glue.join(name);
        fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let code = String::from_utf8(read_made("engine.js")?).map_err(|error| error.to_string())?;
    let module = read_made("engine_bg.wasm")?;
    let packed = packed_small(&module)?;
    println!(
        "module {name}: {} kB, {} kB packed",
        module.len() / 1000,
        packed.len() / 1000
    );
    let worker = bundle("worker.js", "iife")?;
    Ok(format!(
        "{code}\nconst WASM = '{}';\n{worker}",
        BASE64.encode(&packed)
    ))
}

/// Returns a module of `web/src` and everything it imports as one script without imports.
fn bundle(module: &str, format: &str) -> Result<String, String> {
    let mut esbuild = Command::new("node");
    esbuild.current_dir(root().join("web"));
    esbuild.arg("node_modules/esbuild/bin/esbuild");
    esbuild.args([&format!("src/{module}"), &format!("--format={format}")]);
    cmd::output(esbuild.args([
        "--bundle",
        "--minify",
        "--charset=utf8",
        "--log-level=warning",
    ]))
}

fn style() -> Result<String, String> {
    let base = read("web/node_modules/chessground/assets/chessground.base.css")?;
    Ok(format!(
        "{base}\n{}\n{}",
        read("web/page.css")?,
        read("web/pieces.css")?
    ))
}

fn read(name: &str) -> Result<String, String> {
    fs::read_to_string(root().join(name)).map_err(|error| format!("{name}: {error}"))
}

/// Returns a text as a JavaScript string.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\u{2028}' => out += "\\u2028",
            '\u{2029}' => out += "\\u2029",
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// Compresses with xz, which makes the module a quarter smaller than gzip does.
fn packed_small(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut options = XzOptions::with_preset(9);
    // The decompressor supports no other checksum.
    options.set_check_sum_type(CheckType::Crc32);
    // Instructions are not aligned, and the window need not be longer than the module.
    options.lzma_options.pb = 0;
    options.lzma_options.lc = 4;
    options.lzma_options.dict_size = 4 << 20;
    options.lzma_options.nice_len = 273;
    let packed = XzWriter::new(Vec::new(), options).and_then(|mut packed| {
        packed.write_all(bytes)?;
        packed.finish()
    });
    packed.map_err(|error| error.to_string())
}

/// Compresses with gzip, as servers do.
fn packed(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    let packed = packed.write_all(bytes).and_then(|()| packed.finish());
    packed.map_err(|error| error.to_string())
}

fn hash(text: &str) -> String {
    format!(
        "'sha256-{}'",
        BASE64.encode(Sha256::digest(text.as_bytes()))
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::{BUDGET, LIMIT, over_budget, quoted};

    #[test]
    fn a_page_above_its_budget_is_reported_and_fails_above_the_limit() {
        assert_eq!(over_budget("hosted", BUDGET), Ok(None));
        let warning = over_budget("hosted", BUDGET + 1).unwrap().unwrap();
        assert!(warning.contains("900001 bytes") && warning.contains(": 1 above"));
        assert!(over_budget("hosted", LIMIT).is_ok_and(|found| found.is_some()));
        assert!(over_budget("hosted", LIMIT + 1).is_err_and(|error| error.contains("990000")));
    }

    #[test]
    fn a_quoted_text_ends_where_it_should() {
        assert_eq!(quoted("a\"b\\\n"), r#""a\"b\\\n""#);
    }
}
