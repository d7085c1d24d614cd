//! Databases by path.
//!
//! Finding a database asks for the traces of an interrupted writer; committing one does not depend
//! on how databases are found.

mod commit;
mod find;
mod folder;
mod plain_file;

pub use commit::{
    DirSink, LOCK, Lock, WRITING, create, create_files, create_seen, hidden, recover,
};
pub use find::{
    Finder, FoundDatabase, Survey, belongs_to, find, find_as, in_archive, index_files, mapped,
    stdin, survey,
};
