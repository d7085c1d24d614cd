//! SQLite files, read without SQLite: pages, the write-ahead log, b-trees and records
//! (docs/formats/sqlite.md).
//!
//! Rows are read where they lie. Nothing is copied except values that are spread over several
//! pages, so a database of any size opens in memory that depends only on its number of pages.

mod leaves;
mod log;
mod owners;
mod page;
mod pages;
mod record;
mod recover;
mod schema;
mod words;

pub use leaves::Leaves;
pub(crate) use leaves::PageSet;
pub(crate) use owners::Owners;
pub use page::Row;
pub use pages::{MAGIC, Pages, TextEncoding};
pub use record::{Record, Value};
pub(crate) use recover::{Layout, complete, pages_of};
pub use schema::{Column, ColumnKind, Constant, OtherObject, Schema, Table};
