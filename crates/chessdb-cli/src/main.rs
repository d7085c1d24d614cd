//! The program `chessdb`: reads, searches, converts and repairs chess databases.
//!
//! The library of the same name does the work; this crate contains the arguments, threads, progress
//! and messages. docs/reference describes the program.

#![forbid(unsafe_code)]

mod advice;
mod args;
mod columns;
mod commands;
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
mod table;
mod text_file;
mod unified_diff;
mod view;

use std::process::ExitCode;

fn main() -> ExitCode {
    exit::report_panics();
    exit::report_cut_files();
    match args::read(query::arguments(std::env::args_os())) {
        Ok(args) => exit::report_outcome(commands::run(args.command), args.json),
        Err(error) => exit::report_argument_error(&error),
    }
}
