#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Not `forbid`: the macros of wasm-bindgen generate unsafe code in `bindings`. There is no other.
#![deny(unsafe_code)]

mod abilities;
#[cfg(target_arch = "wasm32")]
mod bindings;
mod collect;
mod counted_names;
mod database_source;
mod edit;
mod edit_history;
mod encodings;
mod failure;
mod findings;
mod game;
mod legal;
mod line;
mod open_database;
mod open_databases;
mod query;
mod read_games;
mod renames;
mod report;
mod rows;
mod save;
mod session;
mod tasks;
mod texts;

pub use database_source::{DatabaseSource, OfferedDatabase};
pub use save::Receiver;
pub use session::Session;
