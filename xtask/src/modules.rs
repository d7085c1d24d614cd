//! The engine compiled for the web, in several builds, each with the glue for JavaScript.

use std::path::{Path, PathBuf};

use crate::{
    Outcome,
    cmd::{self, cargo},
};

/// The target of the modules.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// A build of the crate chessdb-web.
struct ModuleBuild {
    name: &'static str,
    /// The profile of cargo, and further options.
    profile: &'static str,
    options: &'static str,
    /// Whether the page uses it, besides the npm package.
    is_of_page: bool,
}

const ENGINE: ModuleBuild = ModuleBuild {
    name: "engine",
    profile: "web",
    options: "",
    is_of_page: true,
};
const FULL: ModuleBuild = ModuleBuild {
    name: "full",
    options: "--features full",
    ..ENGINE
};
const LEAN: ModuleBuild = ModuleBuild {
    name: "lean",
    profile: "lean",
    options: "--no-default-features",
    is_of_page: false,
};

/// Compiles the builds that the page and the npm package contain.
pub(crate) fn compile_for_page(target: &Path) -> Outcome {
    compile(target, &ENGINE)?;
    compile(target, &FULL)
}

/// Compiles the build that only the npm package contains.
pub(crate) fn compile_lean(target: &Path) -> Outcome {
    compile(target, &LEAN)
}

/// Compiles a build, and makes its glue for the npm package and for the page.
fn compile(target: &Path, build: &ModuleBuild) -> Outcome {
    let ModuleBuild {
        name,
        profile,
        options,
        is_of_page,
    } = build;
    // A module for the web; everything else uses the crate as a Rust library.
    let line = format!(
        "rustc --locked --profile {profile} -p chessdb-web --lib --crate-type cdylib --target {TARGET} {options}"
    );
    // Exclude features that only tests request.
    let mut cargo_build = cargo(line.trim_end());
    cargo_build.env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION");
    cmd::set_flags(&mut cargo_build, &[])?;
    cmd::run(&mut cargo_build)?;
    let module = target.join(TARGET).join(profile).join("chessdb_web.wasm");
    let for_page = is_of_page.then(|| (page_glue(target, name), "no-modules"));
    for (folder, kind) in for_page
        .into_iter()
        .chain([(package_glue(target, name), "web")])
    {
        let tool = "run --quiet --locked --manifest-path web/tools/bindgen/Cargo.toml --";
        let mut bindgen = cargo(tool);
        bindgen.env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION");
        bindgen.env("CARGO_TARGET_DIR", target.join("tools"));
        cmd::run(bindgen.arg(&module).arg(folder).arg(kind))?;
    }
    Ok(())
}

/// The folder with a compiled module and its glue as an ECMAScript module, for the npm package.
pub(crate) fn package_glue(target: &Path, name: &str) -> PathBuf {
    target.join("page/package").join(name)
}

/// The folder with a compiled module and the glue between it and the worker of the page.
pub(crate) fn page_glue(target: &Path, name: &str) -> PathBuf {
    target.join("page/glue").join(name)
}
