//! `chessdb-bindgen MODULE FOLDER`: what `wasm-bindgen --target no-modules` does, without the rest of
//! that program.

use std::env::args_os;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let (Some(module), Some(folder)) = (args_os().nth(1), args_os().nth(2)) else {
        eprintln!("chessdb-bindgen MODULE FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).typescript(false).out_name("engine");
    // Names of functions are a seventh of it, and nobody reads them.
    bindgen.remove_name_section(true).remove_producers_section(true);
    let made = bindgen.no_modules(true).and_then(|bindgen| bindgen.generate(folder));
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("chessdb-bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}
