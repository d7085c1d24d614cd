//! The part of a writer that is the same in every format: assessing, encoding in other threads,
//! refusing losses, counting games.

use std::fmt::Debug;
use std::sync::Arc;

use crate::loss::{FormatLimit, LimitExceeded};
use crate::options::Allow;
use crate::store::{GameCopy, GameWrite, Prepare, Prepared};
use crate::{ErrorKind, Game, LossKind, Losses, Result};

/// The encoding of a single game, without the state of the database, so that other threads can do
/// it.
pub trait EncodeGame: Clone + Debug + Send + Sync + 'static {
    /// The encoded form of a game. Its memory is reused for other games.
    type Encoded: Default + Send + 'static;

    /// Encodes a game and counts its losses. Returns whether the format can store it. If not, the
    /// losses state the reason; the loss of the game itself is added by the caller.
    ///
    /// # Errors
    ///
    /// Returns an error if the game cannot be encoded although nothing that it contains is a loss.
    fn encode(&self, game: &Game, encoded: &mut Self::Encoded, losses: &mut Losses)
    -> Result<bool>;
}

/// Implements the methods of [`WriteEncoded`] that return the state, for a writer with the field
/// `state` and this type of encoder.
#[macro_export]
macro_rules! writer_state {
    ($encoder:ty) => {
        type Encoder = $encoder;

        fn state(&self) -> &$crate::store::WriterState<$encoder> {
            &self.state
        }

        fn state_mut(&mut self) -> &mut $crate::store::WriterState<$encoder> {
            &mut self.state
        }
    };
}

/// A writer of encoded games. It implements [`GameWrite`] by providing what differs between
/// formats.
pub trait WriteEncoded {
    /// The encoder of games.
    type Encoder: EncodeGame;

    /// Returns the state that all writers have.
    fn state(&self) -> &WriterState<Self::Encoder>;

    /// Like [`WriteEncoded::state`], for changing it.
    fn state_mut(&mut self) -> &mut WriterState<Self::Encoder>;

    /// Counts the losses that depend on the games written before. Returns whether the database has
    /// room for the game; the loss of the game itself is added by the caller.
    fn fit(&self, _game: &Game, _encoded: &mut EncodedBy<Self>, _losses: &mut Losses) -> bool {
        true
    }

    /// Appends a game whose losses are allowed. Its number is [`WriterState::number`].
    ///
    /// # Errors
    ///
    /// Returns the errors of the sink.
    fn put(&mut self, game: &Game, encoded: &mut EncodedBy<Self>) -> Result<()>;

    /// Lends the writer's output buffer to the encoder of the next game, which appends to it, so
    /// that [`WriteEncoded::put`] need not copy the game. Called only for games that no other thread
    /// encodes.
    fn lend_buffer(&mut self, _encoded: &mut EncodedBy<Self>) {}

    /// Takes the buffer back without the game, unless [`WriteEncoded::put`] already took it.
    fn take_back_buffer(&mut self, _encoded: &mut EncodedBy<Self>) {}

    /// Returns the result of [`GameWrite::late_losses`].
    fn losses_at_end(&self) -> Losses {
        Losses::new()
    }

    /// Returns the number of games that a reader will find among those written.
    fn games_at_end(&self) -> u32 {
        self.state().games
    }

    /// Returns the result of [`GameWrite::copier`].
    fn game_copy(&mut self) -> Option<&mut dyn GameCopy> {
        None
    }

    /// Writes counts, indexes and name tables, and commits.
    ///
    /// # Errors
    ///
    /// Returns the errors of the sink.
    fn close(self: Box<Self>) -> Result<()>;
}

/// The encoded form of a game for a writer.
pub type EncodedBy<W> = <<W as WriteEncoded>::Encoder as EncodeGame>::Encoded;

/// The state that all writers of encoded games have.
#[derive(Debug)]
pub struct WriterState<E: EncodeGame> {
    /// The encoder of games.
    pub encoder: E,
    /// The losses of the database as a whole.
    pub base_losses: Losses,
    allow: Allow,
    exceeded: Vec<LimitExceeded>,
    /// The number of existing games, when appending.
    before: u32,
    games: u32,
    /// The buffers of the driver, while no game is being written. In a box, because an encoded game
    /// may be large, and it is moved for each game.
    work: Option<Box<EncodedGame<E::Encoded>>>,
}

impl<E: EncodeGame> WriterState<E> {
    /// Creates the state of a writer of a new database.
    ///
    /// # Errors
    ///
    /// Returns an error if one of `base_losses` is not allowed.
    pub fn new(encoder: E, allow: Allow, base_losses: Losses) -> Result<WriterState<E>> {
        allow.check(&base_losses)?;
        Ok(WriterState {
            base_losses,
            ..WriterState::appending(encoder, allow, 0)
        })
    }

    /// Creates the state of a writer that appends to a database with `before` games.
    pub fn appending(encoder: E, allow: Allow, before: u32) -> WriterState<E> {
        WriterState {
            encoder,
            allow,
            base_losses: Losses::new(),
            exceeded: Vec::new(),
            before,
            games: 0,
            work: None,
        }
    }

    /// Checks that all losses are allowed.
    ///
    /// # Errors
    ///
    /// Returns an error for the first one that is not.
    pub fn check(&self, losses: &Losses) -> Result<()> {
        self.allow.check(losses)
    }

    /// Returns the number of games written.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// Returns the number of games in the database, with those that existed before.
    pub fn total(&self) -> u32 {
        self.before.saturating_add(self.games)
    }

    /// Returns the number of the next game in the database, from 1.
    pub fn number(&self) -> u32 {
        self.total().saturating_add(1)
    }

    /// Counts a game that was written in another way than by [`WriteEncoded::put`].
    ///
    /// # Errors
    ///
    /// Returns an error if games cannot be numbered any further.
    pub fn count(&mut self) -> Result<()> {
        self.check_number()?;
        self.games += 1;
        Ok(())
    }

    fn check_number(&self) -> Result<()> {
        if self.total() < u32::MAX {
            return Ok(());
        }
        let what = "games in a database";
        let limit = u32::MAX.into();
        Err(ErrorKind::LimitExceeded { what, limit }.into())
    }

    /// Records that the next game exceeds a limit of an old program, if `value` does.
    pub fn compare_limit(&mut self, limit: &'static FormatLimit, value: u64) {
        if value > limit.limit {
            let number = self.number();
            LimitExceeded::note(&mut self.exceeded, limit, number);
        }
    }
}

/// A game encoded by the driver or by another thread.
#[derive(Debug)]
struct EncodedGame<W> {
    encoded: W,
    losses: Losses,
    /// Whether the format can store the game, or why it could not be encoded.
    state: Result<bool>,
}

impl<W: Default> Default for EncodedGame<W> {
    fn default() -> EncodedGame<W> {
        EncodedGame {
            encoded: W::default(),
            losses: Losses::new(),
            state: Ok(false),
        }
    }
}

impl<W> EncodedGame<W> {
    fn encode<E: EncodeGame<Encoded = W>>(&mut self, encoder: &E, game: &Game) {
        self.losses.clear();
        self.state = encoder.encode(game, &mut self.encoded, &mut self.losses);
        if let Ok(false) = self.state {
            self.losses.add(LossKind::Game, None);
        }
    }

    /// Returns whether the game can be stored in the database as it is now.
    fn fit<T: WriteEncoded + ?Sized>(&mut self, writer: &T, game: &Game) -> Result<bool>
    where
        T::Encoder: EncodeGame<Encoded = W>,
    {
        // Taken out, because an error cannot be cloned; `encode` sets the next state.
        let mut fits = std::mem::replace(&mut self.state, Ok(false))?;
        if fits {
            fits = writer.fit(game, &mut self.encoded, &mut self.losses);
            if !fits {
                self.losses.add(LossKind::Game, None);
            }
        }
        Ok(fits)
    }
}

/// An encoder for other threads.
#[derive(Debug)]
struct Preparer<E>(E);

impl<E: EncodeGame> Prepare for Preparer<E> {
    fn prepare(&self, game: &Game, prepared: &mut Prepared) {
        prepared.make(|work: &mut EncodedGame<E::Encoded>| work.encode(&self.0, game));
    }
}

/// Appends a game, unless it cannot be stored or a loss is not allowed.
fn append<W: WriteEncoded>(
    writer: &mut W,
    game: &Game,
    work: &mut EncodedGame<EncodedBy<W>>,
) -> Result<Losses> {
    let fits = work.fit(writer, game)?;
    // After `fit`, which adds losses.
    writer.state().check(&work.losses)?;
    if fits {
        writer.state().check_number()?;
        writer.put(game, &mut work.encoded)?;
        // Last: after an error of the sink the next game has the same number.
        writer.state_mut().games += 1;
    }
    Ok(std::mem::take(&mut work.losses))
}

impl<W: WriteEncoded> GameWrite for W {
    fn assess(&self, game: &Game) -> Losses {
        let mut work = EncodedGame::default();
        work.encode(&self.state().encoder, game);
        // A game that cannot be encoded is reported when it is written.
        let _ = work.fit(self, game);
        work.losses
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        // Taken out, because `append` borrows the whole writer.
        let mut work = self.state_mut().work.take().unwrap_or_default();
        self.lend_buffer(&mut work.encoded);
        work.encode(&self.state().encoder, game);
        let written = append(self, game, &mut work);
        // The game may have been refused.
        self.take_back_buffer(&mut work.encoded);
        self.state_mut().work = Some(work);
        written
    }

    fn preparer(&self) -> Option<Arc<dyn Prepare>> {
        let encoder = self.state().encoder.clone();
        Some(Arc::new(Preparer(encoder)))
    }

    fn write_prepared(&mut self, game: &Game, prepared: &mut Prepared) -> Result<Losses> {
        match prepared.get() {
            Some(work) => append(self, game, work),
            None => self.write(game),
        }
    }

    fn copier(&mut self) -> Option<&mut dyn GameCopy> {
        self.game_copy()
    }

    fn base_losses(&self) -> &Losses {
        &self.state().base_losses
    }

    fn exceeded(&self) -> &[LimitExceeded] {
        &self.state().exceeded
    }

    fn late_losses(&self) -> Losses {
        self.losses_at_end()
    }

    fn finish(self: Box<Self>) -> Result<u32> {
        // Before `close`, which consumes the writer.
        let games = self.games_at_end();
        self.close()?;
        Ok(games)
    }
}
