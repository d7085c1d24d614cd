//! Changes to a database in place: appending and replacing games.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use chessdb::convert::{Editor, Observer};
use chessdb::core::limits::Limits;
use chessdb::core::store::Opened;
use chessdb::core::{ErrorKind, GameStore, ReadOptions, Result, Scratch, Severity};
use chessdb::options::OpenOptions;
use chessdb::{Converter, Database, Error, Problem};
use pyo3::prelude::*;

use crate::convert::{NativeSource, ProgressCallback, native_sources};
use crate::game::Game;
use crate::report::Report;

/// Games that Python holds, as the source of a conversion.
pub(crate) struct GameList {
    opened: Opened,
    games: Vec<HeldGame>,
}

/// A game without the numbers of its names, which are different in every database.
struct HeldGame {
    model: Arc<chessdb::core::Game>,
    is_damaged: bool,
}

impl GameList {
    pub(crate) fn new() -> GameList {
        GameList {
            opened: Opened::default(),
            games: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, game: &Game) {
        self.games.push(HeldGame {
            model: without_name_keys(game.model()),
            is_damaged: game.is_damaged(),
        });
    }
}

impl GameStore for GameList {
    fn len(&self) -> u32 {
        u32::try_from(self.games.len()).unwrap_or(u32::MAX)
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn header_into(
        &self,
        n: u32,
        game: &mut chessdb::core::Game,
        scratch: &mut Scratch,
    ) -> Result<()> {
        self.game_into(n, game, scratch)?;
        game.moves.builder(&Limits::default()).finish();
        Ok(())
    }

    fn game_into(
        &self,
        n: u32,
        game: &mut chessdb::core::Game,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let held = self.games.get(n as usize);
        let held = held.ok_or(ErrorKind::Structure("no such game"))?;
        game.clone_from(&held.model);
        // The report of the conversion counts the game as damaged, as if read from its source.
        if held.is_damaged {
            let kind = ErrorKind::Structure("part of the game is missing in its source");
            let location = chessdb::core::error::Location::game(n + 1);
            scratch.deviation(&ReadOptions::default(), Severity::Lost, kind, location)?;
        }
        Ok(())
    }
}

fn without_name_keys(mut game: Arc<chessdb::core::Game>) -> Arc<chessdb::core::Game> {
    Arc::make_mut(&mut game).header.clear_name_keys();
    game
}

/// Appends games to the database at a path.
pub(crate) fn append(
    py: Python<'_>,
    path: &Path,
    format: Option<&str>,
    games: &Bound<'_, PyAny>,
    strict: bool,
) -> PyResult<Report> {
    let sources = native_sources(games)?;
    let mut interrupts = ProgressCallback::new(None);
    let run = || {
        let mut converter = Converter::to(path).append(true).strict(strict);
        if let Some(format) = format {
            converter = converter.format(format);
        }
        let options = Database::options();
        let add = |converter, source| NativeSource::add_to(source, converter, &options);
        let converter = sources.iter().fold(converter, add);
        converter.observer(&mut interrupts).run()
    };
    let done = py.detach(run);
    Ok(Report::new(interrupts.outcome(done)?))
}

/// Replaces a game, counted from 1, of the database at a path. `db` is the database as Python sees
/// it.
pub(crate) fn replace(
    py: Python<'_>,
    db: &Database,
    path: &Path,
    options: OpenOptions,
    number: u32,
    game: &Bound<'_, PyAny>,
) -> PyResult<Report> {
    let converted;
    let game = match game.cast::<Game>() {
        Ok(game) => game.get(),
        Err(_) => {
            let sources = py.import("chessdb._sources")?;
            converted = sources.call_method1("game", (game,))?.cast_into::<Game>()?;
            converted.get()
        }
    };
    let mut replacement = Replacement {
        number,
        model: without_name_keys(game.model()),
        interrupts: ProgressCallback::new(None),
    };
    let run = || {
        let mut editor = Editor::open(path, options)?;
        // The number may belong to another game by now.
        if db
            .snapshot()
            .is_some_and(|snapshot| snapshot.changed().is_some())
        {
            return Err(Error::new(path, Problem::Changed).while_writing());
        }
        editor.converter().observer(&mut replacement).run()
    };
    let done = py.detach(run);
    Ok(Report::new(replacement.interrupts.outcome(done)?))
}

/// Exchanges one game while a database is rewritten.
struct Replacement {
    number: u32,
    model: Arc<chessdb::core::Game>,
    interrupts: ProgressCallback,
}

impl Observer for Replacement {
    fn game(&mut self, report: &chessdb::convert::Report) -> ControlFlow<()> {
        self.interrupts.game(report)
    }

    fn replacement(&mut self, number: u32) -> Option<chessdb::convert::Replacement> {
        (number == self.number).then(|| chessdb::convert::Replacement {
            game: (*self.model).clone(),
            text: None,
        })
    }
}
