//! 2CBH: databases made for tests against their twins in CBH, quoted bytes, damage, salvage.
//!
//! No genuine database is at hand. The database in `fixtures-real/2cbh-made` was made from the CBH
//! database of the same name by a writer that is not ours; those in `fixtures/2cbh` by the writer
//! of the testkit.

mod hostile;
mod quotes;
mod records;
mod twins;

use chessdb_cbh::CBH;
use chessdb_core::{Game, MemorySet};
use chessdb_testkit::cbh2::{self, Content};
use chessdb_testkit::{fixtures, identity};

/// The CBH databases of the repository from which those in `fixtures/2cbh` are made.
const MADE: [&str; 3] = ["nags", "starts", "text"];

/// Returns the games of a CBH database of the repository that the test writer can store.
fn games(name: &str) -> Vec<Game> {
    let stem = fixtures::path("cbh").join(name);
    identity::open_all(&CBH, &fixtures::load_set(stem, CBH.roles))
}

/// Returns the 2CBH database of these games.
fn write(games: &[Game]) -> MemorySet {
    cbh2::write(games, Content::Known)
}
