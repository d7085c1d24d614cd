//! Side-by-side reading of two databases with a window of games not yet paired.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use chessdb_core::model::Tag;
use chessdb_core::text::TextId;
use chessdb_core::{Color, Diagnostic, Event};
use chessdb_database::{Game, Reader};
use chessdb_files::error::{Error, Result};

use super::{Comparison, WINDOW};

/// Maximum bytes of the games that are not yet paired.
const MAX_WAITING_BYTES: usize = 64 << 20;

/// Minimum number of half-moves for games to be the same because of their moves alone.
const MIN_PLIES: usize = 8;

pub(super) struct Window<'d> {
    left: WindowSide<'d>,
    right: WindowSide<'d>,
    /// Number of games read from each database.
    tick: u64,
}

struct WindowSide<'d> {
    reader: Reader<'d>,
    /// Games without a counterpart so far, in database order.
    waiting: VecDeque<WaitingGame>,
    /// Bytes of these games.
    bytes: usize,
    /// Games for reuse of their memory.
    #[expect(clippy::vec_box, reason = "a game is large and moves between lists")]
    spare: Vec<Box<Game>>,
    ended: bool,
}

struct WaitingGame {
    tick: u64,
    keys: GameKeys,
    game: Box<Game>,
}

enum ReadResult {
    End,
    Game(Box<Game>),
    Failed(Error),
}

type Flow = ControlFlow<()>;

impl<'d> Window<'d> {
    pub(super) fn new(left: Reader<'d>, right: Reader<'d>) -> Window<'d> {
        Window {
            left: WindowSide::new(left),
            right: WindowSide::new(right),
            tick: 0,
        }
    }

    /// Returns the diagnostics of the readers that belong to no game.
    pub(super) fn take_diagnostics(&mut self) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
        let (left, right) = (&mut self.left.reader, &mut self.right.reader);
        (left.take_diagnostics(), right.take_diagnostics())
    }

    /// Reads the next game of each database; `None` at the end of both.
    fn next(
        &mut self,
        comparison: &mut Comparison<'_>,
    ) -> Result<Option<(ReadResult, ReadResult)>> {
        let (left, right) = (self.left.next()?, self.right.next()?);
        self.tick += 1;
        if let ReadResult::Game(game) = &left {
            comparison.saw_left(game);
        }
        if let ReadResult::Game(game) = &right {
            comparison.saw_right(game);
        }
        Ok(match (&left, &right) {
            (ReadResult::End, ReadResult::End) => None,
            _ => Some((left, right)),
        })
    }

    pub(super) fn by_order(&mut self, comparison: &mut Comparison<'_>) -> Result<Flow> {
        while let Some(read) = self.next(comparison)? {
            let flow = match read {
                (ReadResult::Game(a), ReadResult::Game(b)) => {
                    let flow = comparison.pair(&a, &b);
                    self.left.reuse(a);
                    self.right.reuse(b);
                    flow
                }
                (left, right) => report_unpaired(left, right, comparison),
            };
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    pub(super) fn by_content(&mut self, comparison: &mut Comparison<'_>) -> Result<Flow> {
        while let Some(read) = self.next(comparison)? {
            if self.match_or_keep(read, comparison).is_break()
                || self.settle_old(comparison).is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(self.settle_until(u64::MAX, u64::MAX, comparison))
    }

    /// Pairs these games with equal ones, or adds them to the waiting games.
    fn match_or_keep(
        &mut self,
        read: (ReadResult, ReadResult),
        comparison: &mut Comparison<'_>,
    ) -> Flow {
        let (a, b) = match read {
            (ReadResult::Game(a), ReadResult::Game(b)) => {
                let none_waits = self.left.waiting.is_empty() && self.right.waiting.is_empty();
                if none_waits && let Some(flow) = comparison.pair_if_equal(&a, &b) {
                    self.left.reuse(a);
                    self.right.reuse(b);
                    return flow;
                }
                (Some(a), Some(b))
            }
            (left, right) => {
                let a = left.game_or(|error| comparison.unread_left(error))?;
                let b = right.game_or(|error| comparison.unread_right(error))?;
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
            self.take_if_equal(last, at, comparison)?;
        }
        if let Some(keys) = self.right.newest(self.tick)
            && let Some(at) = self.left.equal_to(keys)
        {
            let last = self.right.waiting.len().saturating_sub(1);
            self.take_if_equal(at, last, comparison)?;
        }
        ControlFlow::Continue(())
    }

    /// Removes two waiting games and reports them as a pair, if they are equal.
    fn take_if_equal(
        &mut self,
        left: usize,
        right: usize,
        comparison: &mut Comparison<'_>,
    ) -> Flow {
        let (Some(a), Some(b)) = (self.left.waiting.get(left), self.right.waiting.get(right))
        else {
            return ControlFlow::Continue(());
        };
        if let Some(flow) = comparison.pair_if_equal(&a.game, &b.game) {
            flow?;
            let (a, b) = (self.left.take(left), self.right.take(right));
            a.into_iter().for_each(|a| self.left.reuse(a.game));
            b.into_iter().for_each(|b| self.right.reuse(b.game));
        }
        ControlFlow::Continue(())
    }

    /// Reports games that have waited long enough or take too much memory.
    fn settle_old(&mut self, comparison: &mut Comparison<'_>) -> Flow {
        // A game paired as changed must itself have waited long enough for an equal one.
        if let Some(old) = self.tick.checked_sub(2 * WINDOW) {
            self.settle_until(old, old + WINDOW, comparison)?;
        }
        while self.left.bytes + self.right.bytes > MAX_WAITING_BYTES {
            let Some(oldest) = self.oldest() else { break };
            self.settle_until(oldest, u64::MAX, comparison)?;
        }
        ControlFlow::Continue(())
    }

    fn oldest(&self) -> Option<u64> {
        let ticks = [&self.left, &self.right].map(WindowSide::oldest);
        ticks.into_iter().flatten().min()
    }

    /// Takes all games waiting since `tick` or longer. Pairs each with a similar game waiting since
    /// `other_tick` or longer, or reports that it has no counterpart.
    fn settle_until(
        &mut self,
        tick: u64,
        other_tick: u64,
        comparison: &mut Comparison<'_>,
    ) -> Flow {
        while let Some(oldest) = self.oldest().filter(|oldest| *oldest <= tick) {
            let is_left = self.left.oldest() == Some(oldest);
            let (own, other) = match is_left {
                true => (&mut self.left, &mut self.right),
                false => (&mut self.right, &mut self.left),
            };
            let Some(mine) = own.take(0) else { break };
            let find_similar = other.find_similar(&mine.keys, other_tick).or_else(|| {
                // The game with the same position in the other database, if it has no similar game
                // either.
                let at = other.at(mine.tick)?;
                let keys = other.waiting.get(at)?.keys;
                let is_alone = own.find_similar(&keys, u64::MAX).is_none();
                (is_alone && comparison.pairs_by_order()).then_some(at)
            });
            let find_similar = find_similar.and_then(|at| other.take(at));
            match (&find_similar, is_left) {
                (Some(find_similar), true) => comparison.pair(&mine.game, &find_similar.game)?,
                (Some(find_similar), false) => comparison.pair(&find_similar.game, &mine.game)?,
                (None, true) => comparison.only_left(&mine.game)?,
                (None, false) => comparison.only_right(&mine.game)?,
            }
            own.reuse(mine.game);
            find_similar
                .into_iter()
                .for_each(|find_similar| other.reuse(find_similar.game));
        }
        ControlFlow::Continue(())
    }
}

/// Reports the games at a position where at least one database has none.
fn report_unpaired(left: ReadResult, right: ReadResult, comparison: &mut Comparison<'_>) -> Flow {
    match left {
        ReadResult::Game(game) => comparison.only_left(&game)?,
        ReadResult::Failed(error) => comparison.unread_left(error)?,
        ReadResult::End => {}
    }
    match right {
        ReadResult::Game(game) => comparison.only_right(&game),
        ReadResult::Failed(error) => comparison.unread_right(error),
        ReadResult::End => ControlFlow::Continue(()),
    }
}

impl ReadResult {
    fn game_or(self, failed: impl FnOnce(Error) -> Flow) -> ControlFlow<(), Option<Box<Game>>> {
        match self {
            ReadResult::Game(game) => return ControlFlow::Continue(Some(game)),
            ReadResult::Failed(error) => failed(error)?,
            ReadResult::End => {}
        }
        ControlFlow::Continue(None)
    }
}

impl<'d> WindowSide<'d> {
    fn new(reader: Reader<'d>) -> WindowSide<'d> {
        WindowSide {
            reader,
            waiting: VecDeque::new(),
            bytes: 0,
            spare: Vec::new(),
            ended: false,
        }
    }

    fn next(&mut self) -> Result<ReadResult> {
        if self.ended {
            return Ok(ReadResult::End);
        }
        let mut game = self.spare.pop().unwrap_or_default();
        match self.reader.read_into(&mut game) {
            Ok(true) => Ok(ReadResult::Game(game)),
            Ok(false) => {
                self.ended = true;
                Ok(ReadResult::End)
            }
            Err(error) if error.game().is_some() => {
                self.spare.push(game);
                Ok(ReadResult::Failed(error))
            }
            Err(error) => Err(error),
        }
    }

    fn keep(&mut self, tick: u64, game: Box<Game>) {
        let keys = GameKeys::of(&game);
        self.bytes += game.weight();
        self.waiting.push_back(WaitingGame { tick, keys, game });
    }

    fn take(&mut self, at: usize) -> Option<WaitingGame> {
        let taken = self.waiting.remove(at)?;
        self.bytes = self.bytes.saturating_sub(taken.game.weight());
        Some(taken)
    }

    /// Keeps a game for reuse of its memory, unless it is very large.
    fn reuse(&mut self, game: Box<Game>) {
        if game.weight() <= MAX_WAITING_BYTES >> 12 {
            self.spare.push(game);
        }
    }

    fn oldest(&self) -> Option<u64> {
        self.waiting.front().map(|waiting| waiting.tick)
    }

    /// Returns the keys of the game read at this tick, if it is waiting.
    fn newest(&self, tick: u64) -> Option<GameKeys> {
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

    fn equal_to(&self, keys: GameKeys) -> Option<usize> {
        let mut waiting = self.waiting.iter();
        waiting.position(|waiting| waiting.keys.content == keys.content)
    }

    /// Returns the index of the game most similar to the one with these keys, among games waiting
    /// since `tick` or longer.
    fn find_similar(&self, keys: &GameKeys, tick: u64) -> Option<usize> {
        let find = |fits: &dyn Fn(&GameKeys) -> bool| {
            let mut waiting = self
                .waiting
                .iter()
                .take_while(|waiting| waiting.tick <= tick);
            waiting.position(|waiting| fits(&waiting.keys))
        };
        let same_header = |other: &GameKeys| other.header == keys.header;
        let same_moves = |other: &GameKeys| other.moves == keys.moves;
        find(&|other| same_header(other) && same_moves(other))
            .or_else(|| find(&|other| keys.is_named && same_header(other)))
            .or_else(|| find(&|other| same_moves(other) && keys.identify_by_moves(other)))
    }
}

/// Hashes for finding equal and similar games.
#[derive(Clone, Copy)]
struct GameKeys {
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

impl GameKeys {
    /// Returns whether games with the same moves are the same game. Short games with different
    /// named players may be two games.
    fn identify_by_moves(&self, other: &GameKeys) -> bool {
        self.is_long || !self.is_named || !other.is_named
    }

    fn of(game: &Game) -> GameKeys {
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
        hash_rest_of_header(game, &mut content);
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
        GameKeys {
            content: content.finish(),
            header: header.finish(),
            is_named,
            moves: moves.finish(),
            is_long: plies >= MIN_PLIES,
        }
    }
}

/// Hashes the part of the header that is in [`GameKeys::content`] but not in [`GameKeys::header`].
/// The order of tags does not matter.
fn hash_rest_of_header(game: &Game, hasher: &mut DefaultHasher) {
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
