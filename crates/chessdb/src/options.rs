//! Options for opening and creating databases.

pub use crate::database::{OpenOptions, TextField};
pub use crate::writer::CreateOptions;
