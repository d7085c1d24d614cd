//! The traits by which games are read and written.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::salvage::Salvaged;
use crate::{
    BaseInfo, Charset, Diagnostic, Game, HeaderColumnSet, HeaderColumns, LimitExceeded, Losses,
    PackedMove, Result, Scratch, Signature, Watch, watch_whole,
};

/// Games one after another: every format can do this, streams included.
pub trait GameRead {
    /// Fills `game` with the next game; false at the end. After an error about one game the next
    /// call goes on behind it, unless the stream itself failed.
    fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool>;

    /// Goes past the next game, ending where `read_into` would have ended; false at the end.
    fn skip_game(&mut self) -> Result<bool>;

    /// What was found that belongs to no game, and was not taken yet. Complete once a method has said
    /// that there is no further game; so text behind the last game is reported here, whether the games
    /// were read or skipped. Faults of a store on opening stay with the store.
    fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// Cuts the next games off without reading them, so that somebody else may read them while others
    /// are cut. None if the next one, or the end, is to be had by the other methods only.
    ///
    /// # Errors
    ///
    /// None of a game; those of the stream itself come with the games that they concern.
    fn cut(&mut self) -> Result<Option<Portion>> {
        Ok(None)
    }
}

/// Games that were cut off a stream, by [`GameRead::cut`].
pub struct Portion {
    /// The games, which need nothing else any more.
    pub games: Box<dyn GameRead + Send>,
    /// How many they are; at least one.
    pub len: u32,
}

/// A fact about a database as a whole, for people: a title of one or two words, and a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The title, such as `promotions`.
    pub title: &'static str,
    /// The fact.
    pub text: String,
    /// Whether it explains how the data are read, so that `check` states it too.
    pub is_reading: bool,
}

impl Remark {
    /// A fact under a title.
    pub fn new(title: &'static str, text: impl Into<String>) -> Remark {
        Remark {
            title,
            text: text.into(),
            is_reading: false,
        }
    }

    /// A fact that explains how the data are read.
    #[must_use]
    pub fn of_reading(mut self) -> Remark {
        self.is_reading = true;
        self
    }
}

/// Games by number, counted from 0: all indexed formats, and PGN after one pass.
pub trait GameStore: Send + Sync {
    /// How many games there are.
    fn len(&self) -> u32;

    /// Whether there is no game.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What belongs to no single game.
    fn base(&self) -> &BaseInfo;

    /// Faults found on opening.
    fn diagnostics(&self) -> &[Diagnostic];

    /// How the games were found, if the base was opened with [`crate::ReadOptions::salvage`] and its format
    /// has anything to say beyond what reading the games says.
    fn salvaged(&self) -> Option<&Salvaged> {
        None
    }

    /// Returns facts about the database as a whole for people, each with a short title. Computing them
    /// may read every game.
    fn remarks(&self) -> Vec<Remark> {
        Vec::new()
    }

    /// Fills the head of `game` and leaves its moves empty.
    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()>;

    /// The charset that the files say their texts are in, if they do.
    fn declared_charset(&self) -> Option<Charset> {
        None
    }

    /// Fills the whole `game`. An error concerns this game only.
    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()>;

    /// What the files say of a main line without its moves, if they do and nothing speaks against it.
    fn signature(&self, _: u32) -> Option<Signature> {
        None
    }

    /// What an index says of the heads of 64 games from this one on, if there is an index and nothing speaks against it: then
    /// reading a head is no error, and says the same. False if there is none. Columns that are not asked for stay as they are,
    /// and so do the places of games behind the last.
    fn header_columns(&self, _: u32, _: HeaderColumnSet, _: &mut HeaderColumns) -> bool {
        false
    }

    /// Of 64 games from this one on, and of those that have a bit, which heads are as the [`HeaderColumns`] say even where these are open;
    /// none if there is any doubt.
    fn closed_briefs(&self, _: u32, _: u64) -> u64 {
        0
    }

    /// Whether reading the head of a game would find nothing wrong. Asked where there are [`HeaderColumns`]; false if there is
    /// any doubt.
    fn is_plain(&self, _: u32) -> bool {
        false
    }

    /// Whether it is known without reading a game that it has no texts but those of its head.
    fn is_bare(&self, _: u32) -> bool {
        false
    }

    /// Where game `n`, counted from 0, begins in the file, and for the number of games where the last one ends, if
    /// the format has to go through the file to know: whoever keeps these numbers spares it that
    /// ([`crate::ReadOptions::places`]). None if finding them found anything wrong.
    fn place(&self, _: u32) -> Option<u64> {
        None
    }

    /// The lines of moves that signatures name.
    fn openings(&self) -> &[Vec<PackedMove>] {
        &[]
    }

    /// Fills the header of `game`, unless `watch` does not need it ([`Watch::needs_header`]) and nothing is wrong with it,
    /// and shows its main line to `watch`, no further than that looks. The moves
    /// that `game` holds afterwards have no meaning, and what is wrong behind that place is not reported.
    fn watch_into(
        &self,
        n: u32,
        game: &mut Game,
        watch: &mut dyn Watch,
        scratch: &mut Scratch,
    ) -> Result<()> {
        watch_whole(self, n, game, watch, scratch)
    }
}

/// Where a game was read, and what reading said of it: for formats that keep such notes.
#[derive(Clone, Copy, Default, Debug)]
#[non_exhaustive]
pub struct Origin<'a> {
    /// The file name of the base.
    pub base: Option<&'a str>,
    /// The number of the game in it, from 1.
    pub number: Option<u32>,
    /// What could not be read of the game.
    pub fault: Option<&'a str>,
}

impl<'a> Origin<'a> {
    /// Game `number`, counted from 1.
    pub const fn new(number: u32) -> Origin<'a> {
        Origin {
            base: None,
            number: Some(number),
            fault: None,
        }
    }

    /// From the base of this file name.
    #[must_use]
    pub const fn of_base(mut self, base: Option<&'a str>) -> Origin<'a> {
        self.base = base;
        self
    }

    /// Of which this could not be read.
    #[must_use]
    pub const fn with_fault(mut self, fault: Option<&'a str>) -> Origin<'a> {
        self.fault = fault;
        self
    }
}

/// Does for a writer what needs nothing but the game, so that other threads do it ([`GameWrite::preparer`]).
pub trait Prepare: Send + Sync + fmt::Debug {
    /// Does it for this game. What `prepared` holds is of another one; its memory is used again.
    fn prepare(&self, game: &Game, prepared: &mut Prepared);
}

/// What a [`Prepare`] made of a game, for its own writer alone.
#[derive(Default)]
pub struct Prepared(Option<Box<dyn Any + Send>>);

impl Prepared {
    /// What was made, if it is of this type.
    pub fn made<T: Any + Send>(&mut self) -> Option<&mut T> {
        self.0.as_mut()?.downcast_mut()
    }

    /// Makes it, of what is there of this type or of an empty one.
    pub fn make<T: Any + Send + Default>(&mut self, make: impl FnOnce(&mut T)) {
        let there = self.0.take().and_then(|made| made.downcast().ok());
        let mut made: Box<T> = there.unwrap_or_default();
        make(&mut made);
        self.0 = Some(made);
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").finish_non_exhaustive()
    }
}

/// What other threads do for a writer, if it is to fill a `W` by `encode`; the memory of that is used again.
pub fn preparer<W: Any + Send + Default>(
    encode: impl Fn(&Game, &mut W) + Send + Sync + 'static,
) -> Arc<dyn Prepare> {
    Arc::new(Encoding {
        encode,
        made: PhantomData,
    })
}

/// What [`preparer`] makes.
struct Encoding<F, W> {
    encode: F,
    made: PhantomData<fn() -> W>,
}

impl<F, W> fmt::Debug for Encoding<F, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoding").finish_non_exhaustive()
    }
}

impl<F, W> Prepare for Encoding<F, W>
where
    F: Fn(&Game, &mut W) + Send + Sync,
    W: Any + Send + Default,
{
    fn prepare(&self, game: &Game, prepared: &mut Prepared) {
        prepared.make(|work| (self.encode)(game, work));
    }
}

/// Takes games and makes a base of them.
pub trait GameWrite {
    /// Where the game that comes next was read. Formats without a place for that do not listen.
    fn note_origin(&mut self, _: Origin<'_>) {}

    /// What the target cannot hold of this game, before anything is written.
    fn assess(&self, game: &Game) -> Losses;

    /// Appends a game. With a loss that is not allowed it is an error and nothing is written.
    fn write(&mut self, game: &Game) -> Result<Losses>;

    /// What other threads may do for this writer before it is a game's turn; none if that is nothing.
    fn preparer(&self) -> Option<Arc<dyn Prepare>> {
        None
    }

    /// The same as [`GameWrite::write`], of a game that was prepared by what [`GameWrite::preparer`] gave.
    fn write_prepared(&mut self, game: &Game, _: &mut Prepared) -> Result<Losses> {
        self.write(game)
    }

    /// What the target cannot hold of the base as a whole; known from the beginning.
    fn base_losses(&self) -> &Losses;

    /// Limits of old programs ([`crate::Format::limits`]) that games written so far exceed. Nothing is
    /// lost, but those programs may refuse the game.
    fn exceeded(&self) -> &[LimitExceeded] {
        &[]
    }

    /// What of the base gets lost, beyond [`GameWrite::base_losses`], if no further game comes and
    /// [`GameWrite::finish`] is called now: data that make sense only beside all their games.
    fn late_losses(&self) -> Losses {
        Losses::new()
    }

    /// Writes counts, indexes and name tables, commits, and says how many games there are.
    fn finish(self: Box<Self>) -> Result<u32>;
}

/// Reads a store's games one after another.
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
