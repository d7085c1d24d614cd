//! Hashes by which equal and similar games are found.

use std::hash::{DefaultHasher, Hash, Hasher};

use chessdb_core::model::Tag;
use chessdb_core::text::TextId;
use chessdb_core::{Color, Event, Game, Setup, Start};

/// Minimum number of half-moves for games to be the same because of their moves alone.
const MIN_PLIES: usize = 8;

/// A hash of 128 bits of everything that a comparison of two games can show. In four parts, so that
/// a waiting game has no padding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ContentKey([u32; 4]);

/// A content key, and a hash of the spellings that do not count as a difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct HashedContent {
    pub(super) key: ContentKey,
    pub(super) spelling: u32,
}

/// Computes content keys. Holds the memory for one game.
#[derive(Default)]
pub(super) struct ContentHasher {
    game: ByteCollector,
    tag: ByteCollector,
    spelling: ByteCollector,
}

impl ContentHasher {
    /// Returns the key of a game. Games with equal keys have no difference that counts
    /// ([`chessdb_core::compare::games`]); games without such a difference may still have different
    /// keys, as they may have different extras.
    pub(super) fn hash(&mut self, game: &Game) -> HashedContent {
        self.game.0.clear();
        self.spelling.0.clear();
        self.header(game);
        self.moves(game);
        let [first, second] = self.game.hashes();
        let parts = [first, first >> 32, second, second >> 32];
        HashedContent {
            key: ContentKey(parts.map(|part| part as u32)),
            spelling: self.spelling.hashes()[0] as u32,
        }
    }

    fn header(&mut self, game: &Game) {
        let header = &game.header;
        let players = Color::ALL.map(|color| header.player(color));
        for named in [
            header.event,
            header.site,
            header.round,
            header.annotator,
            header.source,
        ] {
            self.name(game, named.text);
        }
        for player in players {
            self.name(game, player.name.text);
            self.name(game, player.title);
            (player.rating, player.fide_id).hash(&mut self.game);
        }
        (header.date, header.event_date).hash(&mut self.game);
        (header.outcome, header.eco, header.flags).hash(&mut self.game);
        match &header.start {
            Start::Setup(setup) if **setup != Setup::standard() => setup.hash(&mut self.game),
            start => {
                0_u8.hash(&mut self.game);
                matches!(start, Start::Setup(_)).hash(&mut self.spelling);
            }
        }
        // The order of tags does not matter.
        let mut tags = [0_u64; 2];
        for tag in &header.tags {
            self.tag.0.clear();
            match *tag {
                Tag::Other { name, value } => {
                    let text = |id| game.text(id).decode();
                    (text(name), text(value)).hash(&mut self.tag);
                }
                Tag::Verbatim(field, value) => {
                    (field, game.text(value).decode()).hash(&mut self.tag);
                }
                Tag::Place(_) => continue,
            }
            for (sum, hash) in tags.iter_mut().zip(self.tag.hashes()) {
                *sum = sum.wrapping_add(hash);
            }
        }
        tags.hash(&mut self.game);
        for extra in &header.extras {
            (extra.format, extra.field, &extra.bytes).hash(&mut self.game);
        }
    }

    /// Adds a name. An absent one, an empty one and `?` mean the same.
    fn name(&mut self, game: &Game, id: TextId) {
        let text = game.text(id).decode();
        let is_unknown = matches!(&*text, "" | "?");
        if is_unknown {
            (id.is_some(), &text).hash(&mut self.spelling);
        }
        let name = if is_unknown { "" } else { &*text };
        name.hash(&mut self.game);
    }

    fn moves(&mut self, game: &Game) {
        let out = &mut self.game;
        for event in game.events() {
            match event {
                Event::Move(mv) => (0_u8, mv).hash(out),
                Event::Nag(nag) => (1_u8, nag).hash(out),
                Event::Comment(place, text) => (2_u8, place, text.decode()).hash(out),
                Event::Open(_) => 3_u8.hash(out),
                Event::Close => 4_u8.hash(out),
                Event::Clock(clock) => (5_u8, clock).hash(out),
                Event::Eval(eval) => (6_u8, eval).hash(out),
                Event::Shapes(shapes) => (7_u8, shapes).hash(out),
                Event::Outcome(outcome) => (8_u8, outcome).hash(out),
                Event::Fault(kind, text) => (9_u8, kind, text.decode()).hash(out),
                Event::Extra(extra) => {
                    (10_u8, extra.format, extra.field, &extra.bytes).hash(out);
                }
            }
        }
    }
}

/// Collects the bytes that [`Hash`] passes to a hasher, to hash them twice in one go each.
#[derive(Default)]
struct ByteCollector(Vec<u8>);

impl ByteCollector {
    /// Returns two independent hashes of the bytes.
    fn hashes(&self) -> [u64; 2] {
        // One hash of 64 bits is too short to take equal hashes of millions of games for equal
        // games.
        [0_u8, 1].map(|lane| {
            let mut hasher = DefaultHasher::new();
            hasher.write_u8(lane);
            hasher.write(&self.0);
            hasher.finish()
        })
    }
}

impl Hasher for ByteCollector {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Nothing asks for a hash before all bytes are collected.
    fn finish(&self) -> u64 {
        self.hashes()[0]
    }
}

/// A game for which no equal game was found, with the hashes for finding a similar one.
#[derive(Clone, Copy, Debug)]
pub(super) struct SimilarityKeys {
    pub(super) index: u32,
    /// Whether the name of a player is known.
    pub(super) is_named: bool,
    /// Whether the mainline is long enough to distinguish games.
    pub(super) is_long: bool,
    /// Players, event, round and date.
    pub(super) header: u64,
    /// Start position and mainline.
    pub(super) moves: u64,
}

impl SimilarityKeys {
    pub(super) fn new(index: u32, game: &Game) -> SimilarityKeys {
        let (mut header, mut moves) = (DefaultHasher::new(), DefaultHasher::new());
        let mut is_named = false;
        for player in Color::ALL.map(|color| game.header.player(color)) {
            let name = game.text(player.name.text).decode();
            let name = name.trim_matches([' ', '?']);
            name.hash(&mut header);
            is_named |= !name.is_empty();
        }
        for named in [game.header.event, game.header.round] {
            let name = game.text(named.text).decode();
            name.trim_matches([' ', '?']).hash(&mut header);
        }
        game.header.date.hash(&mut header);
        game.start_board().to_string().hash(&mut moves);
        let mut plies = 0;
        for mv in game.moves.mainline() {
            mv.hash(&mut moves);
            plies += 1;
        }
        SimilarityKeys {
            index,
            is_named,
            is_long: plies >= MIN_PLIES,
            header: header.finish(),
            moves: moves.finish(),
        }
    }
}
