//! The parts of a release besides the program: the packages for Python and JavaScript, and the page.

use std::path::Path;
use std::process::Command;

use anyhow::anyhow;
use fs_err as fs;

use super::{Options, TIME, licences, sbom};
use crate::cmd;
use crate::python::Venv;
use crate::{Outcome, ci, npm as javascript, web};

/// The builder of wheels, the C compiler and linker with which a wheel runs on every Linux since 2014,
/// and a cargo that uses it to build programs for other processors.
const BUILDERS: &[&str] = &[
    "maturin==1.16.0",
    "ziglang==0.17.1",
    "cargo-zigbuild==0.24.1",
];

/// The Python that runs zig; without it, programs look for `python3` on the path.
const ZIG_PYTHON: &str = "CARGO_ZIGBUILD_PYTHON_PATH";

/// The oldest Linux with the GNU C library that a wheel runs on.
const MANYLINUX: &str = "manylinux2014";

/// The oldest Linux with musl that a wheel runs on.
const MUSLLINUX: &str = "musllinux_1_2";

/// Builds the page and the modules of the package for JavaScript, if a part needs them.
pub(super) fn prepare(options: &Options, folder: &Path) -> Outcome {
    let builds_program = options.makes("program") && options.program.is_none();
    let needs_modules = options.makes("npm") || options.makes("page");
    if !builds_program && !needs_modules {
        if options.makes("program") {
            // The licence texts of the page's packages are in these.
            return web::packages(false);
        }
        return Ok(());
    }
    if !options.has_page {
        return web::web(&[]);
    }
    web::packages(false)?;
    if builds_program {
        ci::has_page()?;
    }
    let page = folder.join("page/chessdb.html");
    if needs_modules && !page.exists() {
        Err(anyhow!(
            "{} does not exist; leave out --keep-page",
            page.display()
        ))
    } else {
        Ok(())
    }
}

/// Returns a command that builds like `cargo build`, with zig as the C compiler and the linker.
pub(super) fn zigbuild() -> Outcome<Command> {
    let venv = Venv::with("dist", BUILDERS)?;
    let mut build = Command::new(venv.folder().join("bin/cargo-zigbuild"));
    build.arg("zigbuild").current_dir(cmd::root());
    build.env(ZIG_PYTHON, venv.python().get_program());
    Ok(build)
}

/// Builds the wheel; on Linux one that is linked with the GNU C library and one with musl, for both kinds
/// of systems.
pub(super) fn wheels(target: &str, to: &Path) -> Outcome {
    if !target.contains("-linux-") {
        return wheel(target, None, to);
    }
    let (system, _) = target.rsplit_once('-').unwrap_or((target, ""));
    wheel(&format!("{system}-gnu"), Some(MANYLINUX), to)?;
    wheel(&format!("{system}-musl"), Some(MUSLLINUX), to)
}

/// Builds a wheel, for a Linux with the oldest system that it runs on.
fn wheel(target: &str, linux: Option<&str>, to: &Path) -> Outcome {
    let venv = Venv::with("dist", BUILDERS)?;
    let package = cmd::root().join("python/chessdb");
    licences::write(&licences::PYTHON, target, &package)?;
    // The list that maturin makes names the folders of this machine.
    let list = venv.folder().join("chessdb.cyclonedx.json");
    sbom::write("chessdb-py", target, &list)?;
    let mut build = venv.maturin("build");
    build.arg("--sbom-include").arg(&list);
    build.args(["--locked", "--compression-level", "9", "--target", target]);
    if let Some(system) = linux {
        build.args(["--zig", "--compatibility", system]);
        build.env(ZIG_PYTHON, venv.python().get_program());
    }
    // A module is a dynamic library, which musl has only with this.
    let is_musl = target.ends_with("-musl");
    let flags: &[&str] = if is_musl { &["-Ctarget-feature=-crt-static"] } else { &[] };
    cmd::set_flags(&mut build, flags)?;
    let built = cmd::run(build.env(TIME.0, TIME.1).arg("--out").arg(to));
    for name in licences::FILES {
        let _ = fs::remove_file(package.join(name));
    }
    built
}

/// Packs the sources of the Python package with the crates that it needs.
pub(super) fn sdist(to: &Path) -> Outcome {
    let mut pack = Venv::with("dist", BUILDERS)?.maturin("sdist");
    cmd::run(pack.env(TIME.0, TIME.1).arg("--out").arg(to))
}

/// Packs the package for JavaScript around the modules of the page.
pub(super) fn npm(folder: &Path, to: &Path) -> Outcome {
    web::packages(true)?;
    let archive = javascript::packed(folder)?;
    copy(&archive, to)
}

/// Copies the page that is a single file.
pub(super) fn page(folder: &Path, to: &Path) -> Outcome {
    copy(&folder.join("page/chessdb.html"), to)
}

fn copy(file: &Path, to: &Path) -> Outcome {
    let to = to.join(file.file_name().unwrap_or_default());
    fs::copy(file, to)?;
    Ok(())
}
