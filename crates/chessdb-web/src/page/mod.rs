//! The session of the page, with searches, edits, conversions and reports.

mod abilities;
mod books;
mod collect;
mod counted_names;
mod database_source;
mod edit;
mod edit_history;
mod encodings;
mod game;
mod legal;
mod line;
mod open_database;
mod open_databases;
mod query;
mod renames;
mod report;
mod rows;
mod save;
mod session;
mod store;
mod tasks;
mod texts;

pub use database_source::{DatabaseSource, OfferedDatabase};
pub use save::Receiver;
pub use session::Session;
