//! How a base is opened, and how one is made.

pub use crate::database::{OpenOptions, TextField};
pub use crate::writer::CreateOptions;
