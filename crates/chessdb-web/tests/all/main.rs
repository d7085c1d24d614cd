//! Tests of the session with the requests that the worker sends.
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
