//! Tests of the session with the requests that the worker sends.
#![cfg(feature = "page")]
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests may fail loudly"
)]

mod books;
mod changes;
mod database_source;
mod edits;
mod hard_games;
mod names_and_losses;
mod player_report;
mod read_games;
mod reading_session;
mod saving;
mod session;
mod several;
mod test_session;
mod words;
