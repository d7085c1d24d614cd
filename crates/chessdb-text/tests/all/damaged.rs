//! Damaged files: any bytes are safe, and the games that the damage does not touch come out.

use chessdb_core::options::Mode;
use chessdb_core::{Format, ReadOptions, Severity, limits::Limits};
use chessdb_testkit::corrupt::Corruptor;
use chessdb_testkit::{identity, readings};
use chessdb_text::{CSV, EPD, FEN, FORMATS, NDJSON};
use proptest::prelude::*;

use crate::golden::{FIXTURES, fixture};
use crate::{read, set};

#[test]
fn damaged_files_are_read_or_refused() {
    for (name, format) in FIXTURES {
        let set = fixture(name, format);
        let role = format.roles[0];
        let corruptor = Corruptor::new(&set, 8);
        let variants = corruptor.some_truncations(role, 40, 60);
        let variants = variants.chain(corruptor.bit_flips(role, 0, 150));
        for variant in variants.chain(corruptor.noise(role, 30)) {
            identity::survive(format, &variant, &ReadOptions::default(), 10);
            readings::check(format, &variant, &ReadOptions::default());
        }
    }
}

/// Lines that are games, for every format.
const LINES: [(&Format, &str, &str); 6] = [
    (
        &CSV,
        "PuzzleId,FEN,Moves\n",
        "a1,8/4P1k1/8/8/8/8/6K1/8 w - - 0 1,e7e8n g7f8\n",
    ),
    (
        &CSV,
        "White,Black,movetext\n",
        "A,\"B, C\",\"1. e4 {\"\"x\"\"} e5 1-0\"\n",
    ),
    (
        &NDJSON,
        "",
        "{\"players\":{\"white\":{},\"black\":{}},\"moves\":\"e4 e5\"}\n",
    ),
    (
        &NDJSON,
        "{\"games\":[\n",
        "{\"url\":\"x\",\"pgn\":\"[White \\\"A\\\"]\\n\\n1. e4 *\"},\n",
    ),
    (
        &EPD,
        "",
        "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"x\"; pv e4 Ke7;\n",
    ),
    (
        &FEN,
        "",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1|text|1. e4 Ke7|\n",
    ),
];

/// Damage to a line, without its line break.
fn damage(line: &str, kind: usize, at: usize) -> Vec<u8> {
    let line = line.trim_end();
    let at = at % line.len();
    let mut bytes = line.as_bytes().to_vec();
    match kind {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 0x80,
        2 => bytes[at..].fill(0),
        3 => bytes[at] = b'"',
        4 => bytes[at] = b'{',
        5 => bytes[at] = b'}',
        6 => bytes.drain(..at).for_each(drop),
        7 => bytes[at] = b'\\',
        _ => bytes = b"damaged".to_vec(),
    }
    bytes
}

proptest! {
    /// The lines before and after a damaged one are read as if it were whole.
    #[test]
    fn other_lines_come_out(which in 0..LINES.len(), kind in 0_usize..9, at: usize) {
        let (format, start, line) = LINES[which];
        let whole = read(format, format!("{start}{}", line.repeat(4)));
        let expected = whole[0].as_ref().unwrap();
        prop_assert!(expected.1.iter().all(|found| found.severity == Severity::Note), "{:?}", expected.1);
        let mut text = [start, line, line].concat().into_bytes();
        text.extend(damage(line, kind, at));
        text.extend([b"\n", line.as_bytes()].concat());
        let games = read(format, text.clone());
        let expected = identity::line(&expected.0);
        let intact = games.iter().flatten().filter(|(game, _)| identity::line(game) == expected);
        prop_assert!(intact.count() >= 3, "{}", String::from_utf8_lossy(&text));
        let last = games.last().unwrap().as_ref().unwrap();
        prop_assert_eq!(identity::line(&last.0), expected);
    }

    /// Lines of any bytes are games or have findings.
    #[test]
    fn any_bytes_are_safe(
        which in 0..LINES.len(),
        rest in prop::collection::vec(any::<u8>(), 0..200),
        words in "([a-z0-9/]{1,4}|[\\[{\"}\\];,|\n#: ]|\\\\|moves|bm|pv|4k3/8/8/8/8/8/4P3/4K3 w|e4){0,30}",
    ) {
        let (format, start, line) = LINES[which];
        for rest in [&rest[..], words.as_bytes()] {
            let set = set(format, [start.as_bytes(), line.as_bytes(), rest].concat());
            identity::survive(format, &set, &ReadOptions::default(), 1000);
            readings::check(format, &set, &ReadOptions::default());
        }
    }
}

#[test]
fn every_part_of_a_damaged_line_is_named() {
    for (format, text, severity, words) in [
        (
            &CSV,
            "PuzzleId,FEN,Moves\na,8/4P1k1/8/8/8/8/6K1/8 w - - 0 1,e7e8n g7f9\n",
            Severity::Lost,
            "g7f9",
        ),
        (
            &CSV,
            "PuzzleId,FEN,Moves\na,8/4P1k1/8/8/8/8/6K1/8 w - - 0 1,e7e8n {\n",
            Severity::Lost,
            "not a move",
        ),
        (
            &CSV,
            "PuzzleId,FEN,Moves\na,8/4P1k1/8/8/8/8/6K1/8 w - - 0 1,,x\n",
            Severity::Lost,
            "cells",
        ),
        (
            &EPD,
            "4k3/8/8/8/8/8/4P3/4K3 w - - pv e4 Ke9;\n",
            Severity::Repaired,
            "pv",
        ),
        (
            &EPD,
            "4k3/8/8/8/8/8/4P3/4K3 w - - 1-0\n",
            Severity::Repaired,
            "operations",
        ),
        (
            &EPD,
            "4k3/8/8/8/8/8/4P3/4K3 w 0 1\n",
            Severity::Repaired,
            "fields",
        ),
        (
            &NDJSON,
            "{\"moves\":\"e4 x{y\"}\n",
            Severity::Lost,
            "not a move",
        ),
        (
            &NDJSON,
            "{\"moves\":\"e4\",\"clocks\":[1,2]}\n",
            Severity::Lost,
            "clocks",
        ),
        (&NDJSON, "{\"moves\":\"e4 e4\"}\n", Severity::Lost, "e4"),
    ] {
        let games = read(format, text);
        let (_, found) = games[0].as_ref().unwrap();
        let found = found.iter().find(|found| found.severity == severity);
        let found = found.unwrap_or_else(|| panic!("{text}: {games:?}"));
        assert!(found.to_string().contains(words), "{text}: {found}");
        assert_eq!(found.at.file, Some(format.roles[0]), "{text}");
        assert_eq!(
            (found.at.game, found.at.offset.is_some()),
            (Some(1), true),
            "{text}"
        );
        let strict = ReadOptions::default().with_mode(Mode::Strict);
        let set = set(format, text);
        let store = (format.open)(&set, strict).unwrap();
        let mut game = chessdb_core::Game::new();
        let error = store.game_into(0, &mut game, &mut chessdb_core::Scratch::new());
        assert!(error.is_err(), "{text}");
    }
    for (format, text, words) in [
        (&CSV, "PuzzleId,FEN,Moves\na,prose,e2e4\n", "column FEN"),
        (&EPD, "prose\n", "a position"),
        (&NDJSON, "{\"a\":1}\n", "players, moves"),
        (&NDJSON, "{\"a\":\n", "not a JSON object"),
        (&NDJSON, "{\"a\":1}\n[1]\n", "a JSON object"),
    ] {
        let error = read(format, text).pop().unwrap().unwrap_err();
        assert!(
            error.contains(words) && error.contains("game"),
            "{text}: {error}"
        );
    }
}

#[test]
fn deep_and_long_objects_are_refused() {
    let deep = format!(
        "{{\"moves\":{}{}}}\n",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let long = format!("{{\"moves\":\"{}\"}}\n", "e4 ".repeat(1000));
    let whole = "{\"moves\":\"e4\"}\n";
    assert!(read(&NDJSON, format!("{deep}{whole}"))[0].is_err());
    let options = ReadOptions::default().with_limits(Limits::default().with_game_bytes(500));
    for format in FORMATS {
        let line = LINES.iter().find(|(of, ..)| of.id == format.id).unwrap();
        let text = match format.id {
            "ndjson" => format!("{long}{whole}"),
            _ => format!(
                "{}{}{}\n{}",
                line.1,
                line.2.trim_end(),
                " x".repeat(1000),
                line.2
            ),
        };
        let set = set(format, text);
        let store = (format.open)(&set, options.clone()).unwrap();
        let (mut game, mut scratch) = (chessdb_core::Game::new(), chessdb_core::Scratch::new());
        assert!(
            store.game_into(0, &mut game, &mut scratch).is_err(),
            "{}",
            format.id
        );
        store.game_into(1, &mut game, &mut scratch).unwrap();
        readings::check(format, &set, &options);
    }
}
