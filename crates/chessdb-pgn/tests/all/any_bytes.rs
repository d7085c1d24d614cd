//! Tests with arbitrary bytes: no panic, no more memory than the limits allow, and the same result
//! for all ways of reading.

use std::io::Read;

use chessdb_core::files::Role;
use chessdb_core::format::Score;
use chessdb_core::limits::Limits;
use chessdb_core::options::Mode;
use chessdb_core::{
    ErrorKind, FileSet, Game, GameRead, GameStore, MemorySet, ReadOptions, Scratch, Severity,
};
use chessdb_pgn::{PGN, Reader, Store};
use chessdb_testkit::corrupt::Corruptor;
use chessdb_testkit::{fixtures, readings};
use proptest::prelude::*;

use crate::common::read_all;

const ROLE: Role = Role("pgn");

fn small() -> ReadOptions {
    let mut options = ReadOptions::default();
    options.limits = Limits::small();
    options
}

fn set_of(bytes: Vec<u8>) -> MemorySet {
    let mut set = MemorySet::new();
    set.insert(ROLE, bytes);
    set
}

/// A stream that delivers its bytes in portions of varying sizes.
struct Portions<'a> {
    rest: &'a [u8],
    size: usize,
}

impl Read for Portions<'_> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        self.size = self.size * 7 % 31 + 1;
        let length = self.size.min(room.len()).min(self.rest.len());
        room[..length].copy_from_slice(&self.rest[..length]);
        self.rest = &self.rest[length..];
        Ok(length)
    }
}

/// Returns the offset after each game, by reading or by skipping.
fn offsets(bytes: &[u8], skip: bool, size: usize) -> Vec<u64> {
    let mut reader = Reader::new(Portions { rest: bytes, size }, small());
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let mut offsets = Vec::new();
    loop {
        let more = if skip {
            reader.skip_game().unwrap()
        } else {
            reader.read_into(&mut game, &mut scratch).unwrap()
        };
        offsets.push(reader.offset());
        if !more {
            return offsets;
        }
    }
}

/// Returns everything that a stream delivers: games and their diagnostics, errors, and findings
/// that belong to no game.
fn everything(mut reader: impl GameRead, cutting: bool) -> Vec<String> {
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let mut all = Vec::new();
    let mut note = |stream: &mut dyn GameRead| {
        let read = stream.read_into(&mut game, &mut scratch);
        let said = std::mem::take(&mut scratch.diagnostics);
        let ended = matches!(read, Ok(false));
        let moves = game.moves.clone();
        all.push(format!("{read:?} {said:?} {:?} {moves:?}", game.header));
        ended
    };
    loop {
        let portion = if cutting { reader.cut().unwrap() } else { None };
        match portion {
            Some(mut portion) => {
                assert!(portion.len > 0);
                for _ in 0..portion.len {
                    assert!(!note(&mut *portion.games));
                }
                let mut left = Game::new();
                assert!(
                    !portion
                        .games
                        .read_into(&mut left, &mut Scratch::new())
                        .unwrap()
                );
            }
            None if note(&mut reader) => break,
            None => {}
        }
    }
    all.push(format!("{:?}", reader.take_diagnostics()));
    all
}

/// Checks that cutting a stream into portions does not change the results.
fn cutting(bytes: &[u8], fails: Option<bool>) {
    for mode in [Mode::Lenient, Mode::Strict] {
        let reader = |size| {
            let input = Portions { rest: bytes, size };
            let end: Box<dyn Read> = match fails {
                Some(fails) => Box::new(Failing(fails)),
                None => Box::new(std::io::empty()),
            };
            Reader::new(input.chain(end), small().with_mode(mode))
        };
        assert_eq!(everything(reader(1), false), everything(reader(2), true));
    }
}

pub(crate) fn all_ways(bytes: &[u8]) {
    cutting(bytes, None);
    readings::check(&PGN, &set_of(bytes.to_vec()), &small());
    assert_eq!(offsets(bytes, false, 1), offsets(bytes, true, 2));
    let mut findings = 0;
    chessdb_core::format::check(&PGN, &set_of(bytes.to_vec()), &small(), &mut |_| {
        findings += 1
    });
}

/// Returns some genuine PGN to damage.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for folder in ["pgn/edge", "pgn/broken", "pgn/clean"] {
        for path in fixtures::files(&fixtures::path(folder)) {
            let mut bytes = fixtures::read(path);
            bytes.truncate(3000);
            seeds.push(bytes);
        }
    }
    seeds
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        all_ways(&bytes);
    }

    #[test]
    fn arbitrary_ascii(text in "[\\[\\]\"{}();%$*\\-+=!?a-hNOKQx0-9./\n A-Z]{0,300}") {
        all_ways(text.as_bytes());
    }

    #[test]
    fn damaged_pgn(
        n in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let seeds = seeds();
        let mut bytes = n.get(&seeds).clone();
        bytes.truncate(cut.index(bytes.len() + 1));
        for (at, byte) in changes {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        all_ways(&bytes);
    }
}

#[test]
fn truncations_at_every_length_and_flipped_bits() {
    for name in [
        "pgn/edge/comments.pgn",
        "pgn/edge/variations.pgn",
        "pgn/edge/escapes.pgn",
    ] {
        let mut bytes = fixtures::read(fixtures::path(name));
        bytes.truncate(1500);
        let set = set_of(bytes);
        let corruptor = Corruptor::new(&set, 1);
        let variants = corruptor
            .truncations(ROLE)
            .chain(corruptor.bit_flips(ROLE, 150, 300));
        for variant in variants {
            let bytes = variant.get(ROLE).unwrap_or_default().to_vec();
            let (_, _) = crate::common::read_with(&bytes, &small());
        }
    }
}

#[test]
fn intact_games_survive_their_broken_neighbours() {
    let good = "[Event \"good\"]\n\n1. e4 e5 1-0\n\n";
    for path in fixtures::files(&fixtures::path("pgn/broken")) {
        let broken = fixtures::read(&path);
        let bytes = [good.as_bytes(), b"\n", &broken, b"\n\n", good.as_bytes()].concat();
        let (games, _) = read_all(&bytes);
        for game in [games.first().unwrap(), games.last().unwrap()] {
            assert_eq!(
                game.text(game.header.event.text).as_bytes(),
                b"good",
                "{}",
                path.display()
            );
            assert_eq!(game.moves.plies(), 2, "{}", path.display());
        }
    }
}

/// Severity, kind, offset and ply of a finding.
type Said = (Severity, &'static str, u64, Option<u32>);

/// Returns the only game of a text and its findings.
fn findings(bytes: &[u8], limits: Limits) -> (Game, Vec<Said>) {
    let mut options = ReadOptions::default();
    options.limits = limits;
    let (mut games, findings) = crate::common::read_with(bytes, &options);
    let findings = findings
        .iter()
        .map(|f| (f.severity, f.kind.code(), f.at.offset.unwrap(), f.at.ply))
        .collect();
    (games.remove(0), findings)
}

#[test]
fn limits_cut_games_and_say_where() {
    let limits = Limits::small();

    let deep = format!("1.e4 {}{} e5 *", "(1.e4 ".repeat(70), ")".repeat(70));
    let (game, said) = findings(deep.as_bytes(), limits);
    assert_eq!(said, [(Severity::Lost, "limit", 5 + 64 * 6, Some(1))]);
    assert_eq!(game.moves.plies(), 1 + 64 + 1);

    let long = format!("{} *", "Nf3 Nf6 Ng1 Ng8 ".repeat(600));
    let (game, said) = findings(long.as_bytes(), limits);
    assert_eq!(said, [(Severity::Lost, "limit", 8000, Some(2000))]);
    assert_eq!(game.moves.plies(), 2000);

    let noted = format!("1.e4 {} e5 *", "$1 ".repeat(20_000));
    let (game, said) = findings(noted.as_bytes(), limits);
    assert_eq!(said, [(Severity::Lost, "limit", 5 + 16_000 * 3, Some(1))]);
    assert_eq!(game.moves.plies(), 2);

    let wordy = format!("1.e4 {{{}}} {{b}} e5 *", "a ".repeat(10_000));
    let (game, said) = findings(wordy.as_bytes(), limits);
    assert_eq!(said, [(Severity::Lost, "limit", 5, Some(1))]);
    assert_eq!(game.events().count(), 3);

    let tags: String = (0..40).map(|n| format!("[T{n} \"x\"]\n")).collect();
    let (game, said) = findings(format!("{tags}\n1.e4 *").as_bytes(), limits);
    assert_eq!(said.len(), 1);
    assert_eq!((game.header.tags.len(), said[0].1), (32, "limit"));

    let endless = format!("1.e4 e5 {{{}}} 2.Nf3 1-0 1.d4 *", "x".repeat(100_000));
    let mut options = ReadOptions::default();
    options.limits = limits;
    let (games, said) = crate::common::read_with(endless.as_bytes(), &options);
    assert_eq!(games.len(), 2);
    assert_eq!(games[0].moves.plies(), 2);
    assert!(matches!(
        said[0].kind,
        ErrorKind::LimitExceeded { limit: 65_536, .. }
    ));
    assert_eq!(games[1].moves.plies(), 1);

    let prose = format!("{}1.e4 *", "no chess here\n".repeat(10_000));
    let (games, said) = crate::common::read_with(prose.as_bytes(), &options);
    assert_eq!((games.len(), games[0].moves.plies()), (1, 1));
    assert_eq!(said.len(), 1);
    let store = Store::open(prose.as_bytes(), options).unwrap();
    assert_eq!(store.diagnostics()[0].to_string(), said[0].to_string());
}

/// A very long stream: one game of endless comments, then another game.
struct Endless {
    portions: usize,
}

impl Read for Endless {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        let text: &[u8] = match self.portions {
            0 => return Ok(0),
            1 => b"} *\n\n1.d4 d5 1-0\n",
            _ => b"x long comment [%clk without end; ",
        };
        self.portions -= 1;
        let length = text.len().min(room.len());
        room[..length].copy_from_slice(&text[..length]);
        Ok(length)
    }
}

#[test]
fn a_game_of_any_length_takes_little_memory() {
    let start = &b"1.e4 {"[..];
    let input = start.chain(Endless { portions: 300_000 });
    let mut reader = Reader::new(input, small());
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    assert!(reader.read_into(&mut game, &mut scratch).unwrap());
    assert_eq!(game.moves.plies(), 1);
    assert!(reader.buffer_size() < 1 << 20, "{}", reader.buffer_size());
    assert!(reader.read_into(&mut game, &mut scratch).unwrap());
    assert_eq!(game.moves.plies(), 2);
    assert!(!reader.read_into(&mut game, &mut scratch).unwrap());
}

#[test]
fn utf_16_is_read_and_strictly_refused() {
    let text = "[Event \"\u{41C}\u{1F600}\"]\n\n1. e4 *\n\nand more";
    for (mark, big) in [(true, true), (true, false), (false, true), (false, false)] {
        let text = if mark { format!("\u{FEFF}{text}") } else { text.to_owned() };
        let bytes: Vec<u8> = text
            .encode_utf16()
            .flat_map(
                |unit| {
                    if big { unit.to_be_bytes() } else { unit.to_le_bytes() }
                },
            )
            .collect();
        all_ways(&bytes);
        assert_eq!((PGN.probe)(&set_of(bytes.clone())), Score::Certain);
        let (games, found) = read_all(&bytes);
        assert_eq!(games.len(), 1);
        assert_eq!(
            games[0].text(games[0].header.event.text).decode(),
            "\u{41C}\u{1F600}"
        );
        assert!(found[0].to_string().contains("and more"), "{found:?}");
        assert!(
            found
                .iter()
                .any(|found| found.to_string().contains("UTF-16")),
            "{found:?}"
        );
        let mut options = ReadOptions::default();
        options.mode = Mode::Strict;
        assert!(Store::open(&bytes, options.clone()).is_err());
        let mut reader = Reader::new(&bytes[..], options);
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        assert!(reader.read_into(&mut game, &mut scratch).is_err());
        assert!(!reader.read_into(&mut game, &mut scratch).unwrap());
    }
}

/// A stream that fails: with a system error if true, otherwise because its data is damaged.
struct Failing(bool);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(if self.0 {
            std::io::Error::from_raw_os_error(5)
        } else {
            std::io::Error::other("damaged")
        })
    }
}

#[test]
fn a_failing_stream_is_an_error_once() {
    let input = (&b"1.e4 *\n\n1.d4"[..]).chain(Failing(true));
    let mut reader = Reader::new(input, ReadOptions::default());
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let error = reader.read_into(&mut game, &mut scratch).unwrap_err();
    assert_eq!(error.kind().code(), "io");
    assert!(!reader.read_into(&mut game, &mut scratch).unwrap());
}

#[test]
fn a_damaged_stream_gives_all_games_before_the_fault() {
    for (text, games, cut) in [
        ("1.e4 *\n\n1.d4", 2, true),
        ("1.e4 *\n\n1.d4 *", 2, false),
        ("1.e4 *\n\n1.d4 *\n", 2, false),
        ("1.e4 *\n\nNext game: ", 1, false),
    ] {
        let input = text.as_bytes().chain(Failing(false));
        let mut reader = Reader::new(input, ReadOptions::default());
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        for _ in 0..games {
            assert!(
                reader.read_into(&mut game, &mut scratch).unwrap(),
                "{text:?}"
            );
        }
        let lost = |found: &[chessdb_core::Diagnostic]| {
            found.iter().any(|found| found.severity == Severity::Lost)
        };
        assert_eq!(lost(&scratch.diagnostics), cut, "{text:?}");
        let error = reader.read_into(&mut game, &mut scratch).unwrap_err();
        assert_eq!(error.kind().code(), "io");
        assert!(!reader.read_into(&mut game, &mut scratch).unwrap());
        assert_eq!(lost(&reader.take_diagnostics()), games == 1, "{text:?}");
        cutting(text.as_bytes(), Some(false));
        cutting(text.as_bytes(), Some(true));
        // Skipping ends in the same way.
        let mut reader = Reader::new(
            text.as_bytes().chain(Failing(false)),
            ReadOptions::default(),
        );
        for _ in 0..games {
            assert!(reader.skip_game().unwrap(), "{text:?}");
        }
        assert!(reader.skip_game().is_err() && !reader.skip_game().unwrap());
        assert_eq!(lost(&reader.take_diagnostics()), games == 1, "{text:?}");
    }
}

#[test]
fn the_head_alone_has_the_result_of_the_game() {
    const WORDS: [&str; 20] = [
        "e5",
        "d4",
        "0-1",
        "1/2",
        "*",
        "(1. d4",
        ")",
        "{c5}",
        "{c5",
        "; c5\n",
        "\n% c5\n",
        "$1",
        "N",
        "!",
        "2.d4",
        "[c5",
        "O-O",
        "0:1",
        "0\u{2013}1",
        "\u{bd}:\u{bd}",
    ];
    let (mut game, mut header, mut scratch) = (Game::new(), Game::new(), Scratch::new());
    for chosen in 0..WORDS.len().pow(3) {
        let words = [0, 1, 2].map(|n| WORDS[chosen / WORDS.len().pow(n) % WORDS.len()]);
        let text = format!("[Result \"1-0\"]\n\n1. e4 {} 1-0\n", words.join(" "));
        let in_windows_1252 = text.chars().map(|letter| match letter {
            '\u{2013}' => 0x96,
            letter => letter as u8,
        });
        for bytes in [in_windows_1252.collect(), text.clone().into_bytes()] {
            let store = Store::open(&bytes, ReadOptions::default()).unwrap();
            for n in 0..store.len() {
                store.game_into(n, &mut game, &mut scratch).unwrap();
                store.header_into(n, &mut header, &mut scratch).unwrap();
                assert_eq!(
                    header.header.outcome, game.header.outcome,
                    "game {n} of {text}"
                );
            }
        }
    }
}
