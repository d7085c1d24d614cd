#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Not `forbid`: the macros of wasm-bindgen generate unsafe code in `bindings`. There is no other.
#![deny(unsafe_code)]

#[cfg(feature = "page")]
mod abilities;
mod added_files;
#[cfg(target_arch = "wasm32")]
mod bindings;
#[cfg(feature = "page")]
mod collect;
#[cfg(feature = "page")]
mod counted_names;
#[cfg(feature = "page")]
mod database_source;
mod description;
#[cfg(feature = "page")]
mod edit;
#[cfg(feature = "page")]
mod edit_history;
#[cfg(feature = "page")]
mod encodings;
mod failure;
mod findings;
#[cfg(feature = "page")]
mod game;
#[cfg(feature = "page")]
mod legal;
#[cfg(feature = "page")]
mod line;
#[cfg(feature = "page")]
mod open_database;
#[cfg(feature = "page")]
mod open_databases;
#[cfg(feature = "page")]
mod query;
mod read_games;
mod reading_session;
#[cfg(feature = "page")]
mod renames;
#[cfg(feature = "page")]
mod report;
#[cfg(feature = "page")]
mod rows;
#[cfg(feature = "page")]
mod save;
#[cfg(feature = "page")]
mod session;
#[cfg(feature = "page")]
mod tasks;
#[cfg(feature = "page")]
mod texts;
mod tokens;

#[cfg(feature = "page")]
pub use database_source::{DatabaseSource, OfferedDatabase};
pub use reading_session::ReadingSession;
#[cfg(feature = "page")]
pub use save::Receiver;
#[cfg(feature = "page")]
pub use session::Session;
