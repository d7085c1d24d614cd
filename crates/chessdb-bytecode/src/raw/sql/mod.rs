//! SQL scripts: those written here for MySQL and MariaDB, and what mysqldump makes of such tables.

mod lexer;
mod read;
mod write;

pub use read::read;
pub use write::SqlSink;
