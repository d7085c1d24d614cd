//! The traits for reading and writing games.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::files::GameOffsets;
use crate::loss::LimitExceeded;
use crate::salvage::Salvaged;
use crate::search::{MainlineObserver, SearchIndex, observe_game};
use crate::{BaseInfo, Charset, Diagnostic, Game, Losses, Result, Scratch};

mod change;
mod copy;
mod encoded;
mod games;
mod single_file;

pub use change::{ChangeGames, SortedOffsets};
pub use copy::{GameCopy, StoredRows, StoredText, TextChange};
pub use encoded::{EncodeGame, EncodedBy, WriteEncoded, WriterState};
pub use games::{Games, MemoryDatabase};
pub use single_file::{DecodeGame, FileWriter, RecordStore};

/// A sequential reader of games; every format can do this, streams included.
pub trait GameRead {
    /// Fills `game` with the next game; returns `false` at the end. After an error about one game
    /// the next call continues after it, unless the stream itself failed.
    fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool>;

    /// Skips the next game and ends where `read_into` would have ended; returns `false` at the end.
    fn skip_game(&mut self) -> Result<bool>;

    /// Takes the diagnostics that belong to no game. They are complete once a method has reported
    /// the end, so text after the last game is reported here, no matter whether the games were read
    /// or skipped. Diagnostics from opening a store are not included.
    fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// Cuts the next games off the stream without reading them, so that another thread can read
    /// them while more are cut. Returns `None` if the next game, or the end, can be reached only by
    /// the other methods.
    ///
    /// # Errors
    ///
    /// Errors in games are not reported here. Errors of the stream itself are reported with the
    /// games that they affect.
    fn cut(&mut self) -> Result<Option<Portion>> {
        Ok(None)
    }
}

/// Games that were cut off a stream by [`GameRead::cut`].
pub struct Portion {
    /// The games; they no longer depend on the stream.
    pub games: Box<dyn GameRead + Send>,
    /// The number of games; at least one.
    pub len: u32,
}

/// A fact about a database as a whole, for people: a title of one or two words, and a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The title, such as `promotions`.
    pub title: &'static str,
    /// The fact.
    pub text: String,
    /// Whether it explains how the data are interpreted, so that `check` reports it too.
    pub is_reading: bool,
}

impl Remark {
    /// Creates a fact with a title.
    pub fn new(title: &'static str, text: impl Into<String>) -> Remark {
        Remark {
            title,
            text: text.into(),
            is_reading: false,
        }
    }

    /// Marks the fact as an explanation of how the data are interpreted.
    #[must_use]
    pub fn of_reading(mut self) -> Remark {
        self.is_reading = true;
        self
    }
}

/// Facts about an opened database that few formats have ([`GameStore::details`]).
#[derive(Clone, Copy, Default, Debug)]
#[non_exhaustive]
pub struct StoreDetails<'s> {
    /// The encoding that the files declare for their texts.
    pub declared_charset: Option<Charset>,
    /// How the games were found, if the database was opened with [`crate::ReadOptions::salvage`]
    /// and its format has information beyond what reading the games reports.
    pub salvaged: Option<&'s Salvaged>,
    /// The offsets of the games, if the format had to scan the file to find them and the scan found
    /// no fault. A caller that saves them can avoid the next scan
    /// ([`crate::ReadOptions::game_offsets`]).
    pub game_offsets: Option<&'s GameOffsets>,
}

impl<'s> StoreDetails<'s> {
    /// Sets the declared encoding.
    #[must_use]
    pub fn with_declared_charset(mut self, charset: Option<Charset>) -> StoreDetails<'s> {
        self.declared_charset = charset;
        self
    }

    /// Sets how the games were found.
    #[must_use]
    pub fn with_salvaged(mut self, salvaged: Option<&'s Salvaged>) -> StoreDetails<'s> {
        self.salvaged = salvaged;
        self
    }

    /// Sets the offsets of the games.
    #[must_use]
    pub fn with_game_offsets(mut self, offsets: Option<&'s GameOffsets>) -> StoreDetails<'s> {
        self.game_offsets = offsets;
        self
    }
}

/// The parts of a database that no game needs, such as the old versions of games that were changed
/// in place. Writing the database again removes them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct UnusedSpace {
    /// The bytes of the files that belong to no game and to no table.
    pub bytes: u64,
    /// The names in tables that no game has.
    pub names: u64,
}

/// The data that opening a database yields, apart from its games.
#[derive(Default, Debug)]
pub struct Opened {
    /// The data that belong to no single game.
    pub base: BaseInfo,
    /// The faults found on opening.
    pub diagnostics: Vec<Diagnostic>,
    /// How the games were found, if the database was opened with
    /// [`crate::ReadOptions::salvage`].
    pub salvaged: Option<Salvaged>,
}

impl Opened {
    /// Creates the data of a database that was not salvaged.
    pub fn new(base: BaseInfo, diagnostics: Vec<Diagnostic>) -> Opened {
        Opened {
            base,
            diagnostics,
            salvaged: None,
        }
    }
}

/// Random access to games by number, counted from 0: all indexed formats, and PGN after one pass.
///
/// A format must write the four methods without a default. The others add facts and speed.
pub trait GameStore: Send + Sync {
    /// Returns the number of games.
    fn len(&self) -> u32;

    /// Returns whether there are no games.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns what opening the database yielded. Callers use [`GameStore::base`],
    /// [`GameStore::diagnostics`] and [`GameStore::details`], which a store that changes the data of
    /// another one can override.
    fn opened(&self) -> &Opened;

    /// Returns the data that belong to no single game.
    fn base(&self) -> &BaseInfo {
        &self.opened().base
    }

    /// Returns the faults found on opening.
    fn diagnostics(&self) -> &[Diagnostic] {
        &self.opened().diagnostics
    }

    /// Fills the header of `game` and leaves its moves empty.
    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()>;

    /// Fills the whole `game`. An error affects this game only.
    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()>;

    /// Fills the header of `game` and passes the mainline to `observer` until that has seen enough.
    /// The moves of `game` are unspecified afterwards, and faults after that place are not
    /// reported.
    ///
    /// A store may leave out a header that `observer` does not need
    /// ([`MainlineObserver::needs_header`]) and that has no faults. The default reads the whole
    /// game; a format that can decode a mainline alone or in part does that instead.
    fn observe_mainline(
        &self,
        n: u32,
        game: &mut Game,
        observer: &mut dyn MainlineObserver,
        scratch: &mut Scratch,
    ) -> Result<()> {
        observe_whole_game(self, n, game, observer, scratch)
    }

    /// Like [`GameStore::game_into`], but a store may pass the moves of a plain game to `observer`
    /// instead, leave them out of `game`, and return `true`. A plain game has no faults, and nothing
    /// but a header and a mainline. `observer` must accept all moves; what it was passed has no
    /// meaning if the result is `false` or an error.
    ///
    /// This is for work on whole databases that needs all positions: moves are played once, not again
    /// after reading. The default reads the game.
    fn game_or_mainline(
        &self,
        n: u32,
        game: &mut Game,
        _observer: &mut dyn MainlineObserver,
        scratch: &mut Scratch,
    ) -> Result<bool> {
        self.game_into(n, game, scratch).map(|()| false)
    }

    /// Returns the text of game `n`, with everything between the game before and this one; for the
    /// number of games, the text after the last one. `None` if the format is no text, or if its
    /// writer cannot copy it ([`GameWrite::copier`]).
    fn stored_text(&self, _n: u32) -> Option<StoredText<'_>> {
        None
    }

    /// Returns the rows of the games, if their file also holds other data that a change in place
    /// keeps ([`GameWrite::copier`]).
    fn stored_rows(&self) -> Option<&dyn StoredRows> {
        None
    }

    /// Returns the index of the games, for searches. `None` if the format has none, or if it must
    /// not be relied on.
    fn search_index(&self) -> Option<&dyn SearchIndex> {
        None
    }

    /// Returns whether the place of each game in the files follows from its number alone, in a format
    /// where opening otherwise has to look at all entries: no others are between the games, and no
    /// numbers are missing. Changes in place keep it so ([`crate::ReadOptions::known_dense`]).
    /// Computing it may read every entry.
    fn is_dense(&self) -> bool {
        false
    }

    /// Returns facts about the opened database that only some formats have.
    fn details(&self) -> StoreDetails<'_> {
        StoreDetails::default().with_salvaged(self.opened().salvaged.as_ref())
    }

    /// Returns facts about the database as a whole for people, each with a short title. Computing
    /// them may read every game.
    fn remarks(&self) -> Vec<Remark> {
        Vec::new()
    }

    /// Returns the parts of the files that no game needs; `None` if the format has no such parts.
    /// Computing them may read the whole index. Such parts are not damage, so checks do not report
    /// them.
    fn unused(&self) -> Option<UnusedSpace> {
        None
    }
}

/// The origin of a game and a fault found in reading it, for formats that store such notes.
#[derive(Clone, Copy, Default, Debug)]
#[non_exhaustive]
pub struct Origin<'a> {
    /// The file name of the database.
    pub base: Option<&'a str>,
    /// The number of the game in the database, from 1.
    pub number: Option<u32>,
    /// The part of the game that could not be read.
    pub fault: Option<&'a str>,
}

impl<'a> Origin<'a> {
    /// Creates the origin of game `number`, counted from 1.
    pub const fn new(number: u32) -> Origin<'a> {
        Origin {
            base: None,
            number: Some(number),
            fault: None,
        }
    }

    /// Sets the file name of the database.
    #[must_use]
    pub const fn of_base(mut self, base: Option<&'a str>) -> Origin<'a> {
        self.base = base;
        self
    }

    /// Sets the part that could not be read.
    #[must_use]
    pub const fn with_fault(mut self, fault: Option<&'a str>) -> Origin<'a> {
        self.fault = fault;
        self
    }
}

/// The part of a writer's work that needs only the game and can run in other threads
/// ([`GameWrite::preparer`]).
pub trait Prepare: Send + Sync + fmt::Debug {
    /// Prepares a game. `prepared` contains the data of an earlier game, and its memory is reused.
    fn prepare(&self, game: &Game, prepared: &mut Prepared);
}

/// The result of [`Prepare`] for one game; only its own writer can use it.
#[derive(Default)]
pub struct Prepared(Option<Box<dyn Any + Send>>);

impl Prepared {
    /// Returns the result if it has this type.
    pub(crate) fn get<T: Any + Send>(&mut self) -> Option<&mut T> {
        self.0.as_mut()?.downcast_mut()
    }

    /// Creates the result with `make`, which gets the old value if it has this type, otherwise an
    /// empty one.
    pub(crate) fn make<T: Any + Send + Default>(&mut self, make: impl FnOnce(&mut T)) {
        let old = self.0.take().and_then(|result| result.downcast().ok());
        let mut result: Box<T> = old.unwrap_or_default();
        make(&mut result);
        self.0 = Some(result);
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").finish_non_exhaustive()
    }
}

/// A writer that makes a database of the games it receives.
pub trait GameWrite {
    /// Sets the origin of the next game. Formats that do not store it ignore the call.
    fn note_origin(&mut self, _: Origin<'_>) {}

    /// Returns what the target cannot store of this game; writes nothing.
    fn assess(&self, game: &Game) -> Losses;

    /// Appends a game. Returns an error and writes nothing if there is a loss that is not allowed.
    fn write(&mut self, game: &Game) -> Result<Losses>;

    /// Returns the work that other threads may do for this writer in advance; `None` if there is
    /// none.
    fn preparer(&self) -> Option<Arc<dyn Prepare>> {
        None
    }

    /// Like [`GameWrite::write`], for a game that the result of [`GameWrite::preparer`] has
    /// prepared.
    fn write_prepared(&mut self, game: &Game, _: &mut Prepared) -> Result<Losses> {
        self.write(game)
    }

    /// Returns the copier of games that keep their text or row; `None` if the format has none.
    fn copier(&mut self) -> Option<&mut dyn GameCopy> {
        None
    }

    /// Returns what the target cannot store of the database as a whole; known from the beginning.
    fn base_losses(&self) -> &Losses;

    /// Returns the limits of old programs ([`crate::Format::limits`]) that the games written so far
    /// exceed. No data are lost, but those programs may refuse the game.
    fn exceeded(&self) -> &[LimitExceeded] {
        &[]
    }

    /// Returns the database data that would be lost, in addition to [`GameWrite::base_losses`], if
    /// [`GameWrite::finish`] were called now: data that have a meaning only together with all their
    /// games.
    fn late_losses(&self) -> Losses {
        Losses::new()
    }

    /// Writes counts, indexes and name tables, commits, and returns the number of games.
    fn finish(self: Box<Self>) -> Result<u32>;
}

/// A sequential reader of the games of a store.
pub struct StoreReader<'s> {
    store: &'s dyn GameStore,
    next: u32,
}

impl<'s> StoreReader<'s> {
    /// Begins at the first game.
    pub fn new(store: &'s dyn GameStore) -> StoreReader<'s> {
        StoreReader { store, next: 0 }
    }
}

impl GameRead for StoreReader<'_> {
    fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool> {
        if self.next >= self.store.len() {
            return Ok(false);
        }
        // Before reading: the call after an error continues with the next game.
        let n = self.next;
        self.next += 1;
        self.store.game_into(n, game, scratch)?;
        Ok(true)
    }

    fn skip_game(&mut self) -> Result<bool> {
        let more = self.next < self.store.len();
        self.next += u32::from(more);
        Ok(more)
    }
}

/// Reads the whole of game `n` of a store, counted from 0, and shows its mainline to an observer.
/// For stores that cannot or must not stop earlier.
///
/// # Errors
///
/// Returns the errors of [`GameStore::game_into`].
pub fn observe_whole_game<S: GameStore + ?Sized>(
    store: &S,
    n: u32,
    game: &mut Game,
    observer: &mut dyn MainlineObserver,
    scratch: &mut Scratch,
) -> Result<()> {
    store.game_into(n, game, scratch)?;
    observe_game(game, observer);
    Ok(())
}
