//! The program `chessdb`: reads, searches, converts and repairs chess databases.
//!
//! The library of the same name does the work; this crate contains the arguments, threads, progress
//! and messages. docs/reference describes the program.

#![forbid(unsafe_code)]

mod advice;
mod args;
mod columns;
mod commands;
mod csv;
mod double_click;
mod exit;
mod findings;
mod game_json;
mod game_output;
mod input;
mod inputs;
mod json;
mod loss_log;
mod output;
mod progress;
mod query;
mod report;
mod report_file;
mod split_names;
mod table;
mod text_file;
mod unified_diff;
mod view;
#[cfg(any(windows, test))]
mod wildcards;

use std::ffi::OsString;
use std::process::ExitCode;

use chessdb::fs::has_own_console;

fn main() -> ExitCode {
    exit::report_panics();
    exit::report_cut_files();
    let words = std::env::args_os();
    #[cfg(windows)]
    let words = wildcards::expand(words);
    let mut words: Vec<OsString> = words.collect();
    let is_double_clicked = has_own_console();
    if is_double_clicked {
        double_click::add_view(&mut words);
    }
    let code = match args::read(query::arguments(words.into_iter())) {
        Ok(args) => exit::report_outcome(commands::run(args.command), args.json),
        Err(error) => exit::report_argument_error(&error),
    };
    if is_double_clicked && code != ExitCode::SUCCESS {
        double_click::wait_for_enter();
    }
    code
}
