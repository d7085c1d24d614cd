//! SQL scripts for MySQL and MariaDB, both those written by this crate and mysqldump's dumps of
//! such tables.

mod lexer;
mod read;
mod write;

pub use read::read;
pub use write::SqlSink;
