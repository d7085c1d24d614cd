//! `chessdb-bindgen MODULE FOLDER TARGET`: what `wasm-bindgen --target TARGET` does, without the rest
//! of that program. TARGET is `no-modules` (for the page) or `web` (for the npm package).

use std::env::args_os;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let args: Vec<_> = args_os().skip(1).collect();
    let [module, folder, target] = args.as_slice() else {
        eprintln!("chessdb-bindgen MODULE FOLDER no-modules|web");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).typescript(target == "web").out_name("engine");
    // Names of functions are a seventh of it, and nobody reads them.
    bindgen.remove_name_section(true).remove_producers_section(true);
    let bindgen = match target.to_str() {
        Some("web") => bindgen.web(true),
        _ => bindgen.no_modules(true),
    };
    let made = bindgen.and_then(|bindgen| bindgen.generate(folder));
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("chessdb-bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}
