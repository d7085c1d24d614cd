//! What `chessdb check` says about a table of games.

use chessdb_core::{FileSet, Finding, Game, GameStore, Mode, ReadOptions, Scratch};

use crate::Store;
use crate::roles::PARQUET_FILE;

/// Reads every game and hands out what is not as it should be.
pub(crate) fn check(files: &dyn FileSet, options: &ReadOptions, sink: &mut dyn FnMut(Finding)) {
    let mut options = options.clone();
    options.mode = Mode::Lenient;
    let opened = files
        .require(PARQUET_FILE)
        .and_then(|bytes| Store::open(bytes, options));
    let store = match opened {
        Ok(store) => store,
        Err(error) => return sink(error.into()),
    };
    let mut game = Game::new();
    let mut scratch = Scratch::new();
    for n in 0..store.len() {
        if let Err(error) = store.game_into(n, &mut game, &mut scratch) {
            sink(error.into());
        }
        for found in scratch.diagnostics.drain(..) {
            sink(found.into());
        }
    }
    for found in store.into_diagnostics() {
        sink(found.into());
    }
}
