//! Comparison with the package pgn-reader: games, moves, variations, NAGs and comments.

use std::ops::ControlFlow;

use chessdb_core::annotation::CommentRun;
use chessdb_core::line::Walk;
use chessdb_core::rules::san;
use chessdb_core::{Event, Game};
use chessdb_pgn::{Layout, write_game};
use chessdb_testkit::fixtures;
use chessdb_testkit::strategy::{GameOptions, games};
use pgn_reader::{Nag, RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use proptest::prelude::*;

use crate::common::read_all;

/// A game as words, one for each element that both sides report.
type Words = Vec<String>;

/// Collects words.
struct Collect;

impl Visitor for Collect {
    type Tags = Words;
    type Movetext = Words;
    type Output = Words;

    fn begin_tags(&mut self) -> ControlFlow<Words, Words> {
        ControlFlow::Continue(Words::new())
    }

    fn tag(&mut self, words: &mut Words, name: &[u8], value: RawTag<'_>) -> ControlFlow<Words> {
        if name == b"White" {
            words.push(format!("white {}", value.decode_utf8_lossy()));
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, words: Words) -> ControlFlow<Words, Words> {
        ControlFlow::Continue(words)
    }

    fn san(&mut self, words: &mut Words, san: SanPlus) -> ControlFlow<Words> {
        words.push(san.san.to_string());
        ControlFlow::Continue(())
    }

    fn nag(&mut self, words: &mut Words, nag: Nag) -> ControlFlow<Words> {
        words.push(nag.to_string());
        ControlFlow::Continue(())
    }

    fn partial_comment(&mut self, words: &mut Words, part: RawComment<'_>) -> ControlFlow<Words> {
        let text = String::from_utf8_lossy(part.0).into_owned();
        words.push(format!("part {text}"));
        ControlFlow::Continue(())
    }

    fn comment(&mut self, words: &mut Words, comment: RawComment<'_>) -> ControlFlow<Words> {
        let mut text = String::new();
        while let Some(part) = words.pop_if(|word| word.starts_with("part ")) {
            text.insert_str(0, &part["part ".len()..]);
        }
        text.push_str(&String::from_utf8_lossy(comment.0));
        words.push(comment_word(&text));
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, words: &mut Words) -> ControlFlow<Words, Skip> {
        words.push("(".into());
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, words: &mut Words) -> ControlFlow<Words> {
        words.push(")".into());
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, words: Words) -> Words {
        words
    }
}

/// White space is collapsed for the comparison, since pgn-reader returns the bytes between the
/// braces.
fn comment_word(text: &str) -> String {
    let words: Vec<_> = text.split_ascii_whitespace().collect();
    format!("{{{}}}", words.join(" "))
}

fn theirs(bytes: &[u8]) -> Vec<Words> {
    let mut reader = Reader::new(bytes);
    std::iter::from_fn(|| reader.read_game(&mut Collect).unwrap()).collect()
}

fn ours(game: &Game) -> Words {
    let mut words = Words::new();
    if game.header.white.name.text.is_some() {
        words.push(format!(
            "white {}",
            game.text(game.header.white.name.text).decode()
        ));
    }
    let mut run = CommentRun::default();
    let mut walk = Walk::plain(game).unwrap();
    while let Some(event) = walk.step() {
        if run.command(&event) {
            continue;
        }
        if let Event::Comment(_, text) = event {
            words.push(comment_word(&run.with_text(text).decode()));
            continue;
        }
        words.extend(run.take().map(|text| comment_word(&text.decode())));
        match event {
            Event::Move(mv) => {
                let san = san(walk.lines().board(), mv);
                words.push(san.trim_end_matches(['+', '#']).to_owned());
            }
            Event::Nag(nag) => words.push(format!("${nag}")),
            Event::Open(_) => words.push("(".into()),
            Event::Close => words.push(")".into()),
            _ => {}
        }
    }
    words.extend(run.take().map(|text| comment_word(&text.decode())));
    words
}

#[test]
fn fixtures_are_seen_alike() {
    let mut games = 0;
    for path in fixtures::files(&fixtures::path("pgn/clean")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        if name == "spelling" {
            // Long algebraic moves and blank lines among the moves, which pgn-reader skips.
            continue;
        }
        let bytes = fixtures::read(&path);
        let (ours_read, theirs_read) = (read_all(&bytes).0, theirs(&bytes));
        assert_eq!(ours_read.len(), theirs_read.len(), "{name}");
        for (n, (game, theirs)) in ours_read.iter().zip(&theirs_read).enumerate() {
            assert_eq!(&ours(game), theirs, "{name} game {}", n + 1);
            games += 1;
        }
    }
    assert!(games > 400, "{games}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_we_write_is_seen_alike(game in games(written_alike())) {
        let mut out = Vec::new();
        write_game(&game, &Layout::default(), &mut out);
        let read = read_all(&out).0;
        let theirs = theirs(&out);
        prop_assert_eq!(theirs.len(), 1);
        prop_assert_eq!(&ours(&read[0]), &theirs[0], "{}", String::from_utf8_lossy(&out));
    }
}

/// Excludes what pgn-reader cannot represent: NAGs above 255 and escapes in tags.
fn written_alike() -> GameOptions {
    GameOptions {
        odd_events: false,
        ..GameOptions::all()
    }
}
