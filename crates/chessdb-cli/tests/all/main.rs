//! A single test program, so that it is linked only once and the slow tests run in parallel.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

mod answers;
mod appended;
mod arrange;
mod book;
mod book_queries;
mod bulletin;
mod cbf;
mod cleaning;
mod clocks;
mod common;
mod convert;
mod crash;
mod damaged;
mod diff;
mod dump;
mod edit;
mod encodings;
mod ends;
mod exit_codes;
mod facts;
mod file_level;
mod find;
mod folders;
mod guesses;
mod held;
mod in_place;
mod index;
mod interrupted;
mod kept_games;
mod killed;
mod listing;
mod locked;
mod look;
mod lost;
mod names;
mod old_database;
mod only_new;
mod opening_books;
mod order;
mod other_programs;
mod page;
mod persons;
mod pgn_changes;
mod prepare;
mod report;
mod report_files;
mod results;
mod safety;
mod salvage;
mod searches;
mod selections;
mod shape;
mod small;
mod stats;
mod strange;
mod strangers;
mod suggestions;
mod tables;
mod texts;
mod trees;
mod values;
mod view;
mod view_engine;
mod view_saves;
mod view_tree;

#[path = "../../src/json.rs"]
#[allow(
    dead_code,
    unused_imports,
    reason = "only what the trees need is used here"
)]
mod json;
/// The program's JSON tree writer, compiled into this test.
#[path = "../../src/game_json.rs"]
mod program_tree;
