//! Tests that reading time is proportional to the text, for repetitions of every element.

use std::time::{Duration, Instant};

use chessdb_core::{GameStore, ReadOptions};
use chessdb_pgn::Store;
use chessdb_testkit::readings;

use crate::common::read_all;

/// A name, the text before, the text that is repeated, the text after.
const MANY: &[(&str, &str, &str, &str)] = &[
    ("comments", "1. e4 ", "{c} ", "*"),
    ("NAGs", "1. e4 ", "$1 ", "*"),
    ("glyphs", "1. e4", "!", " *"),
    ("variations", "1. e4 ", "(1. d4) ", "*"),
    ("late variations", "1. e4 * ", "(1. d4) ", ""),
    ("open brackets", "1. e4 ", "(", ""),
    ("open variations", "1. e4 ", "(1. d4 ", ""),
    ("closing brackets", "1. e4 ", ")", "*"),
    ("tags", "[Event \"x\"]\n", "[A \"b\"]\n", "*"),
    ("events", "", "[Event \"x\"]\n", "*"),
    ("open events", "", "[Event \"", ""),
    ("open events in lines", "", "[Event \"\n", ""),
    ("events in a line", "", "[Event \"x\"]", ""),
    ("events among moves", "1. e4 ", "[Event \"x\"]\n1. e4 ", ""),
    ("events in a comment", "1. e4 {", "[Event \"x\"] ", ""),
    ("events in a quotation", "1. e4 {", "[Event \"x\"] ", "} *"),
    (
        "events in a line comment",
        "1. e4 ;",
        "[Event \"x\"] ",
        "\n*",
    ),
    (
        "open comments",
        "",
        "[Event \"x\"]\n[Site \"y\"]\n\n1. e4 {",
        "",
    ),
    ("quotes", "[Event \"", "a\" ", "\"]\n*"),
    (
        "other quotes",
        "[Event \u{201C}",
        "a\u{201D} ",
        "\u{201D}]\n*",
    ),
    ("brackets", "1. e4 ", "[", "*"),
    ("names in brackets", "", "[A", "*"),
    ("backslashes", "[Event \"", "\\", "\"]\n*"),
    ("results", "1. e4 ", "1-0 ", ""),
    ("stars", "", "*", ""),
    ("blank lines", "1. e4 ", "\n", "*"),
    ("blanks", "1. e4 ", " ", "*"),
    ("words", "1. e4 ", "word ", "*"),
    ("letters", "1. e4 ", "S", " *"),
    ("numbers", "1. e4 ", "1 ", "*"),
    ("dots", "1. e4 ", ".", "*"),
    ("dashes", "1. e4 ", "-", "*"),
    ("null moves", "1. e4 ", "-- ", "*"),
    ("stray signs", "1. e4 ", ", } ", "*"),
    ("escape lines", "1. e4\n", "%\n", "*"),
    ("line comments", "1. e4\n", ";\n", "*"),
    ("text", "", "prose\n", "*"),
];

fn text_of(many: &(&str, &str, &str, &str), count: usize) -> String {
    format!("{}{}{}", many.1, many.2.repeat(count), many.3)
}

fn time(text: &str) -> Duration {
    let start = Instant::now();
    let (games, _) = read_all(text.as_bytes());
    let store = Store::open(text.as_bytes(), ReadOptions::default()).unwrap();
    assert_eq!(store.len() as usize, games.len());
    start.elapsed()
}

#[test]
fn ten_times_as_much_takes_ten_times_as_long() {
    let count = if cfg!(miri) { 20 } else { 10_000 };
    for many in MANY {
        let (few, more) = (text_of(many, count), text_of(many, 10 * count));
        // The best of three, because of other programs. Quadratic growth would take a hundred times
        // as long.
        let best = |text: &str| (0..3).map(|_| time(text)).min().unwrap();
        let (few, more) = (best(&few), best(&more));
        println!("{}: {few:?}, {more:?}", many.0);
        assert!(
            more < few * 40 + Duration::from_millis(20),
            "{}: {few:?}, {more:?}",
            many.0
        );
    }
}

#[test]
fn all_ways_of_reading_agree_on_much_of_anything() {
    for many in MANY {
        let text = text_of(many, 300);
        let set = [(chessdb_core::files::Role("pgn"), text.into_bytes())];
        let set = set.into_iter().collect::<chessdb_core::MemorySet>();
        readings::check(&chessdb_pgn::PGN, &set, &ReadOptions::default());
    }
}
