//! Databases in both formats hold the same games.

use std::{env, fs};

use chessdb_cbh::{CBH, CBH2};
use chessdb_core::commands::ClockKind;
use chessdb_core::format::Score;
use chessdb_core::model::Token;
use chessdb_core::{Event, Game, ReadOptions};
use chessdb_testkit::cbh2::is_written;
use chessdb_testkit::{fixtures, golden, identity, readings};

use super::{MADE, games, write};

/// Returns everything that a game holds except the numbers of its names and the bits that only CBH
/// needs, as lines of text.
fn content(game: &Game) -> Vec<String> {
    let header = &game.header;
    let text = |id| game.text(id).decode().into_owned();
    let mut lines = vec![
        format!(
            "{} - {}",
            text(header.white.name.text),
            text(header.black.name.text)
        ),
        format!("{} {}", text(header.event.text), text(header.site.text)),
        format!(
            "{} {}",
            text(header.annotator.text),
            text(header.source.text)
        ),
        format!(
            "{} {:?} {:?}",
            text(header.round.text),
            header.date,
            header.event_date
        ),
        format!("{:?} {:?} {:?}", header.outcome, header.eco, header.flags),
        format!("{:?} {:?}", header.white.rating, header.black.rating),
        format!("{:?}", header.start),
    ];
    for tag in game.tags() {
        lines.push(format!("{tag:?}"));
    }
    lines.extend(game.events().filter_map(|event| match event {
        Event::Comment(_, text) if text.is_empty() => None,
        Event::Comment(place, text) => Some(format!("{place:?} {:?}", text.decode())),
        Event::Open(_) => Some("(".to_owned()),
        // The writer of the tests has no place for these. CBH has such times as texts, and marks
        // the end of commands with an empty comment.
        Event::Clock(clock) if clock.kind == ClockKind::Clock => None,
        Event::Extra(extra) if !is_written(extra.field) => None,
        event => Some(format!("{event:?}")),
    }));
    lines
}

/// Compares two databases game by game and annotation by annotation; returns the number of games
/// and of annotations.
pub(super) fn compare(name: &str, cbh: &[Game], cbh2: &[Game]) -> (usize, usize) {
    assert_eq!(cbh.len(), cbh2.len(), "{name}");
    let mut annotations = 0;
    for (n, (expected, found)) in (1..).zip(cbh.iter().zip(cbh2)) {
        let (expected, found) = (content(expected), content(found));
        let differing = expected.iter().zip(&found).find(|(a, b)| a != b);
        assert_eq!(differing, None, "{name}, game {n}");
        assert_eq!(expected.len(), found.len(), "{name}, game {n}");
    }
    for game in cbh2 {
        let is_annotation =
            |token: &Token<'_>| !matches!(token, Token::Move(_) | Token::Open(_) | Token::Close);
        annotations += game.moves.tokens().filter(is_annotation).count();
    }
    (cbh2.len(), annotations)
}

#[test]
fn a_base_made_from_cbh_is_equal_to_it() {
    let folders = ["fixtures-made/cbh", "fixtures-real/2cbh-made"];
    let [Some(cbh), Some(cbh2)] = folders.map(fixtures::testdata) else {
        return;
    };
    let cbh = fixtures::load_set(cbh.join("annotated"), CBH.roles);
    let cbh2 = fixtures::load_set(cbh2.join("annotated"), CBH2.roles);
    assert_eq!((CBH2.probe)(&cbh2), Score::Certain);
    let mut findings = Vec::new();
    let options = ReadOptions::default();
    chessdb_core::format::check(&CBH2, &cbh2, &options, &mut |finding| {
        findings.push(finding)
    });
    assert!(findings.is_empty(), "{findings:?}");
    readings::check(&CBH2, &cbh2, &options);
    let raw = (CBH2.raw.unwrap())(&cbh2).unwrap();
    assert_eq!(identity::first_difference(&raw, &cbh2), None);
    let [cbh, cbh2] =
        [(&CBH, &cbh), (&CBH2, &cbh2)].map(|(format, set)| identity::open_all(format, set));
    let (games, annotations) = compare("annotated", &cbh, &cbh2);
    println!("equal: {games} games, {annotations} annotations");
    assert!(games == 160 && annotations > 5000, "{annotations}");
}

/// The databases of the repository are what the test writer makes of those in CBH.
#[test]
fn own_fixtures_are_made_from_cbh() {
    for name in MADE {
        let cbh = games(name);
        let made = write(&cbh);
        let stem = fixtures::root().join("2cbh").join(name);
        if env::var(golden::BLESS).is_ok_and(|value| value == "1") {
            fs::create_dir_all(stem.parent().unwrap()).unwrap();
            for (role, bytes) in made.iter() {
                fs::write(stem.with_extension(role.0), bytes).unwrap();
            }
        }
        let stored = fixtures::load_set(&stem, CBH2.roles);
        assert_eq!(identity::first_difference(&made, &stored), None, "{name}");
        compare(name, &cbh, &identity::open_all(&CBH2, &stored));
    }
}

#[test]
fn own_fixtures_look_as_their_golden_files_say() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/2cbh");
    assert_eq!(golden::check_bases(&CBH2, "2cbh", golden), MADE.len());
}
