//! Side-by-side reading of two databases with a window of games not yet paired.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use chessdb_core::{Color, Diagnostic, Event, Tag, TextId};

use super::{Comparison, WINDOW};
use crate::error::{Error, Result};
use crate::{Game, Reader};

/// Maximum bytes of the games that are not yet paired.
const BYTES: usize = 64 << 20;

/// Minimum number of half-moves for games to be the same because of their moves alone.
const LONG: usize = 8;

pub(super) struct Window<'d> {
    left: Side<'d>,
    right: Side<'d>,
    /// Number of games read from each database.
    tick: u64,
}

struct Side<'d> {
    reader: Reader<'d>,
    /// Games without a counterpart so far, in database order.
    waiting: VecDeque<Waiting>,
    /// Bytes of these games.
    bytes: usize,
    /// Games for reuse of their memory.
    #[expect(clippy::vec_box, reason = "a game is large and moves between lists")]
    spare: Vec<Box<Game>>,
    ended: bool,
}

struct Waiting {
    tick: u64,
    keys: Keys,
    game: Box<Game>,
}

enum Read {
    End,
    Game(Box<Game>),
    Failed(Error),
}

type Flow = ControlFlow<()>;

impl<'d> Window<'d> {
    pub(super) fn new(left: Reader<'d>, right: Reader<'d>) -> Window<'d> {
        Window {
            left: Side::new(left),
            right: Side::new(right),
            tick: 0,
        }
    }

    /// Returns the diagnostics of the readers that belong to no game.
    pub(super) fn take_diagnostics(&mut self) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
        let (left, right) = (&mut self.left.reader, &mut self.right.reader);
        (left.take_diagnostics(), right.take_diagnostics())
    }

    /// Reads the next game of each database; `None` at the end of both.
    fn next(&mut self, work: &mut Comparison<'_>) -> Result<Option<(Read, Read)>> {
        let (left, right) = (self.left.next()?, self.right.next()?);
        self.tick += 1;
        if let Read::Game(game) = &left {
            work.saw_left(game);
        }
        if let Read::Game(game) = &right {
            work.saw_right(game);
        }
        Ok(match (&left, &right) {
            (Read::End, Read::End) => None,
            _ => Some((left, right)),
        })
    }

    pub(super) fn by_order(&mut self, work: &mut Comparison<'_>) -> Result<Flow> {
        while let Some(read) = self.next(work)? {
            let flow = match read {
                (Read::Game(a), Read::Game(b)) => {
                    let flow = work.pair(&a, &b);
                    self.left.reuse(a);
                    self.right.reuse(b);
                    flow
                }
                (left, right) => one_of_two(left, right, work),
            };
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    pub(super) fn by_content(&mut self, work: &mut Comparison<'_>) -> Result<Flow> {
        while let Some(read) = self.next(work)? {
            if self.match_or_keep(read, work).is_break() || self.settle_old(work).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(self.settle_until(u64::MAX, u64::MAX, work))
    }

    /// Pairs these games with equal ones, or adds them to the waiting games.
    fn match_or_keep(&mut self, read: (Read, Read), work: &mut Comparison<'_>) -> Flow {
        let (a, b) = match read {
            (Read::Game(a), Read::Game(b)) => {
                let none_waits = self.left.waiting.is_empty() && self.right.waiting.is_empty();
                if none_waits && let Some(flow) = work.pair_if_equal(&a, &b) {
                    self.left.reuse(a);
                    self.right.reuse(b);
                    return flow;
                }
                (Some(a), Some(b))
            }
            (left, right) => {
                let a = left.game_or(|error| work.unread_left(error))?;
                let b = right.game_or(|error| work.unread_right(error))?;
                (a, b)
            }
        };
        if let Some(a) = a {
            self.left.keep(self.tick, a);
        }
        if let Some(b) = b {
            self.right.keep(self.tick, b);
        }
        // Each of the new games may be equal to a game of the other database, waiting or new.
        if let Some(keys) = self.left.newest(self.tick)
            && let Some(at) = self.right.equal_to(keys)
        {
            let last = self.left.waiting.len().saturating_sub(1);
            self.take_if_equal(last, at, work)?;
        }
        if let Some(keys) = self.right.newest(self.tick)
            && let Some(at) = self.left.equal_to(keys)
        {
            let last = self.right.waiting.len().saturating_sub(1);
            self.take_if_equal(at, last, work)?;
        }
        ControlFlow::Continue(())
    }

    /// Removes two waiting games and reports them as a pair, if they are equal.
    fn take_if_equal(&mut self, left: usize, right: usize, work: &mut Comparison<'_>) -> Flow {
        let (Some(a), Some(b)) = (self.left.waiting.get(left), self.right.waiting.get(right))
        else {
            return ControlFlow::Continue(());
        };
        if let Some(flow) = work.pair_if_equal(&a.game, &b.game) {
            flow?;
            let (a, b) = (self.left.take(left), self.right.take(right));
            a.into_iter().for_each(|a| self.left.reuse(a.game));
            b.into_iter().for_each(|b| self.right.reuse(b.game));
        }
        ControlFlow::Continue(())
    }

    /// Reports games that have waited long enough or take too much memory.
    fn settle_old(&mut self, work: &mut Comparison<'_>) -> Flow {
        // A game paired as changed must itself have waited long enough for an equal one.
        if let Some(old) = self.tick.checked_sub(2 * WINDOW) {
            self.settle_until(old, old + WINDOW, work)?;
        }
        while self.left.bytes + self.right.bytes > BYTES {
            let Some(oldest) = self.oldest() else { break };
            self.settle_until(oldest, u64::MAX, work)?;
        }
        ControlFlow::Continue(())
    }

    fn oldest(&self) -> Option<u64> {
        let ticks = [&self.left, &self.right].map(Side::oldest);
        ticks.into_iter().flatten().min()
    }

    /// Takes all games waiting since `tick` or longer. Pairs each with a similar game waiting since
    /// `other_tick` or longer, or reports that it has no counterpart.
    fn settle_until(&mut self, tick: u64, other_tick: u64, work: &mut Comparison<'_>) -> Flow {
        while let Some(oldest) = self.oldest().filter(|oldest| *oldest <= tick) {
            let is_left = self.left.oldest() == Some(oldest);
            let (own, other) = match is_left {
                true => (&mut self.left, &mut self.right),
                false => (&mut self.right, &mut self.left),
            };
            let Some(mine) = own.take(0) else { break };
            let like = other.like(&mine.keys, other_tick).or_else(|| {
                // The game with the same position in the other database, if it has no similar game
                // either.
                let at = other.at(mine.tick)?;
                let keys = other.waiting.get(at)?.keys;
                let is_alone = own.like(&keys, u64::MAX).is_none();
                (is_alone && work.pairs_by_order()).then_some(at)
            });
            let like = like.and_then(|at| other.take(at));
            match (&like, is_left) {
                (Some(like), true) => work.pair(&mine.game, &like.game)?,
                (Some(like), false) => work.pair(&like.game, &mine.game)?,
                (None, true) => work.only_left(&mine.game)?,
                (None, false) => work.only_right(&mine.game)?,
            }
            own.reuse(mine.game);
            like.into_iter().for_each(|like| other.reuse(like.game));
        }
        ControlFlow::Continue(())
    }
}

/// Reports the games at a position where at least one database has none.
fn one_of_two(left: Read, right: Read, work: &mut Comparison<'_>) -> Flow {
    match left {
        Read::Game(game) => work.only_left(&game)?,
        Read::Failed(error) => work.unread_left(error)?,
        Read::End => {}
    }
    match right {
        Read::Game(game) => work.only_right(&game),
        Read::Failed(error) => work.unread_right(error),
        Read::End => ControlFlow::Continue(()),
    }
}

impl Read {
    fn game_or(self, failed: impl FnOnce(Error) -> Flow) -> ControlFlow<(), Option<Box<Game>>> {
        match self {
            Read::Game(game) => return ControlFlow::Continue(Some(game)),
            Read::Failed(error) => failed(error)?,
            Read::End => {}
        }
        ControlFlow::Continue(None)
    }
}

impl<'d> Side<'d> {
    fn new(reader: Reader<'d>) -> Side<'d> {
        Side {
            reader,
            waiting: VecDeque::new(),
            bytes: 0,
            spare: Vec::new(),
            ended: false,
        }
    }

    fn next(&mut self) -> Result<Read> {
        if self.ended {
            return Ok(Read::End);
        }
        let mut game = self.spare.pop().unwrap_or_default();
        match self.reader.read_into(&mut game) {
            Ok(true) => Ok(Read::Game(game)),
            Ok(false) => {
                self.ended = true;
                Ok(Read::End)
            }
            Err(error) if error.game().is_some() => {
                self.spare.push(game);
                Ok(Read::Failed(error))
            }
            Err(error) => Err(error),
        }
    }

    fn keep(&mut self, tick: u64, game: Box<Game>) {
        let keys = Keys::of(&game);
        self.bytes += game.weight();
        self.waiting.push_back(Waiting { tick, keys, game });
    }

    fn take(&mut self, at: usize) -> Option<Waiting> {
        let taken = self.waiting.remove(at)?;
        self.bytes = self.bytes.saturating_sub(taken.game.weight());
        Some(taken)
    }

    /// Keeps a game for reuse of its memory, unless it is very large.
    fn reuse(&mut self, game: Box<Game>) {
        if game.weight() <= BYTES >> 12 {
            self.spare.push(game);
        }
    }

    fn oldest(&self) -> Option<u64> {
        self.waiting.front().map(|waiting| waiting.tick)
    }

    /// Returns the keys of the game read at this tick, if it is waiting.
    fn newest(&self, tick: u64) -> Option<Keys> {
        let last = self.waiting.back().filter(|last| last.tick == tick)?;
        Some(last.keys)
    }

    /// Returns the index of the game read at this tick, if it is waiting.
    fn at(&self, tick: u64) -> Option<usize> {
        let place = self
            .waiting
            .binary_search_by_key(&tick, |waiting| waiting.tick);
        place.ok()
    }

    fn equal_to(&self, keys: Keys) -> Option<usize> {
        let mut waiting = self.waiting.iter();
        waiting.position(|waiting| waiting.keys.content == keys.content)
    }

    /// Returns the index of the game most similar to the one with these keys, among games waiting
    /// since `tick` or longer.
    fn like(&self, keys: &Keys, tick: u64) -> Option<usize> {
        let find = |fits: &dyn Fn(&Keys) -> bool| {
            let mut waiting = self
                .waiting
                .iter()
                .take_while(|waiting| waiting.tick <= tick);
            waiting.position(|waiting| fits(&waiting.keys))
        };
        let same_header = |other: &Keys| other.header == keys.header;
        let same_moves = |other: &Keys| other.moves == keys.moves;
        find(&|other| same_header(other) && same_moves(other))
            .or_else(|| find(&|other| keys.is_named && same_header(other)))
            .or_else(|| find(&|other| same_moves(other) && keys.tell_by_moves(other)))
    }
}

/// Hashes for finding equal and similar games.
#[derive(Clone, Copy)]
struct Keys {
    /// Everything.
    content: u64,
    /// Players, event, round and date.
    header: u64,
    /// Whether a player's name is known.
    is_named: bool,
    /// Start position and mainline.
    moves: u64,
    /// Whether the mainline is long enough to distinguish games.
    is_long: bool,
}

impl Keys {
    /// Returns whether games with the same moves are the same game. Short games with different
    /// named players may be two games.
    fn tell_by_moves(&self, other: &Keys) -> bool {
        self.is_long || !self.is_named || !other.is_named
    }

    fn of(game: &Game) -> Keys {
        let (mut header, mut moves) = (DefaultHasher::new(), DefaultHasher::new());
        let text = |id: TextId, hasher: &mut DefaultHasher| {
            let text = game.text(id).decode();
            text.hash(hasher);
            text
        };
        let players = [game.header.white, game.header.black].map(|player| player.name.text);
        let mut is_named = false;
        for player in players {
            is_named |= !text(player, &mut header)
                .trim_matches([' ', '?'])
                .is_empty();
        }
        text(game.header.event.text, &mut header);
        text(game.header.round.text, &mut header);
        game.header.date.hash(&mut header);
        let mut content = header.clone();
        rest_of_header(game, &mut content);
        let (mut depth, mut plies) = (0_usize, 0);
        for event in game.events() {
            match event {
                Event::Move(mv) => {
                    mv.hash(&mut content);
                    if depth == 0 {
                        mv.hash(&mut moves);
                        plies += 1;
                    }
                    continue;
                }
                Event::Open(_) => depth += 1,
                Event::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            match event {
                Event::Open(_) => 1_u8.hash(&mut content),
                Event::Close => 2_u8.hash(&mut content),
                Event::Nag(nag) => nag.hash(&mut content),
                Event::Comment(place, text) => (place, text.decode()).hash(&mut content),
                other => format!("{other:?}").hash(&mut content),
            }
        }
        game.start_board().to_string().hash(&mut moves);
        Keys {
            content: content.finish(),
            header: header.finish(),
            is_named,
            moves: moves.finish(),
            is_long: plies >= LONG,
        }
    }
}

/// Hashes the part of the header that is in [`Keys::content`] but not in [`Keys::header`]. The
/// order of tags does not matter.
fn rest_of_header(game: &Game, hasher: &mut DefaultHasher) {
    let header = &game.header;
    let text = |id| game.text(id).decode();
    for named in [header.site, header.annotator, header.source] {
        text(named.text).hash(hasher);
    }
    for player in Color::ALL.map(|color| header.player(color)) {
        text(player.title).hash(hasher);
        (player.rating, player.fide_id).hash(hasher);
    }
    (header.event_date, header.outcome, header.eco, header.flags).hash(hasher);
    header.start.hash(hasher);
    let mut tags = 0_u64;
    for tag in &header.tags {
        let mut one = DefaultHasher::new();
        match *tag {
            Tag::Other { name, value } => (text(name), text(value)).hash(&mut one),
            Tag::Verbatim(field, value) => (field, text(value)).hash(&mut one),
            Tag::Place(_) => continue,
        }
        tags = tags.wrapping_add(one.finish());
    }
    tags.hash(hasher);
}
