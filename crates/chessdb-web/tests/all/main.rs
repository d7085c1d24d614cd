//! The session behind the page, asked as the worker asks it.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "tests may fail loudly"
)]

mod asked;
mod made;
mod session;
mod shelf;
mod whole;
mod written;
