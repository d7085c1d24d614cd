//! All header fields and annotations of genuine databases, compared with the output of another
//! reader. `CHESSDB_TESTDATA` is the folder.

use std::fs;

use chessdb_cbh::Store;
use chessdb_core::model::{GameFlags, Place, Tag};
use chessdb_core::{Date, Event, Game, GameStore as _, Outcome, ReadOptions, Scratch, Start};
use chessdb_testkit::fixtures;
use serde_json::Value;

use crate::common::{Base, bases};

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value}"))
}

/// Returns the value of a tag without a field.
fn tag(game: &Game, name: &str) -> Option<String> {
    game.header.tags.iter().find_map(|tag| match *tag {
        Tag::Other { name: found, value } if game.text(found).as_bytes() == name.as_bytes() => {
            Some(game.text(value).decode().into_owned())
        }
        _ => None,
    })
}

fn date(stored: i64) -> Date {
    Date::new(
        (stored >> 9) as u16,
        (stored >> 5 & 15) as u8,
        (stored & 31) as u8,
    )
}

/// Returns the differences in the header.
fn header(game: &Game, expected: &Value) -> Vec<String> {
    let mut differences = Vec::new();
    let mut same = |field: &str, is_same: bool| {
        if !is_same {
            differences.push(format!("{field} {}", expected[field]));
        }
    };
    let header = &game.header;
    let get = |field: &str| number(&expected[field]);
    let key = |key: Option<u32>| key.map_or(-1, i64::from);
    same("white", key(header.white.name.key) == get("white"));
    same("black", key(header.black.name.key) == get("black"));
    same("tournament", key(header.event.key) == get("tournament"));
    same("annotator", key(header.annotator.key) == get("annotator"));
    same("source", key(header.source.key) == get("source"));
    same("date", header.date == date(get("date")));
    let outcome = match get("result") {
        0 | 4 => Outcome::BlackWins,
        1 | 5 => Outcome::Draw,
        2 | 6 => Outcome::WhiteWins,
        _ => Outcome::Unknown,
    };
    let termination = match get("result") {
        7 => Some("double forfeit"),
        4.. => Some("forfeit"),
        _ => None,
    };
    same(
        "result",
        header.outcome == outcome && tag(game, "Termination").as_deref() == termination,
    );
    let nag = (get("eval") > 0).then(|| format!("${}", get("eval")));
    same("eval", tag(game, "LineEvaluation") == nag);
    let round = match (get("round"), get("subround")) {
        (0, 0) => String::new(),
        (round, 0) => round.to_string(),
        (round, subround) => format!("{round}.{subround}"),
    };
    same("round", game.text(header.round.text).decode() == round);
    let elo =
        |rating: Option<chessdb_core::model::Rating>| rating.map_or(0, |r| i64::from(r.value));
    same("welo", elo(header.white.rating) == get("welo"));
    same("belo", elo(header.black.rating) == get("belo"));
    let eco = match get("eco") {
        64576.. => None,
        eco => (eco / 128).checked_sub(1).filter(|&code| code >= 0),
    };
    same("eco", header.eco.map(|eco| i64::from(eco.code)) == eco);
    let medals = tag(game, "Medals").map_or(0, |medals| medals.split(", ").count());
    same("medals", medals == get("medals").count_ones() as usize);
    same(
        "deleted",
        header.flags.contains(GameFlags::DELETED) == expected["deleted"].as_bool().unwrap(),
    );
    if let Value::Object(extended) = &expected["x"] {
        let team =
            |field: &str, name: &str| (number(&extended[field]) >= 0) == tag(game, name).is_some();
        same(
            "x",
            team("wteam", "WhiteTeam") && team("bteam", "BlackTeam"),
        );
    }
    differences
}

/// Returns the indexes of the moves in stored order, in the order of PGN. The alternatives to the
/// last move of a line come first.
fn stored_order(tree: &str) -> Vec<usize> {
    /// Each move is its index in PGN's order, and its alternatives.
    type Line = Vec<(usize, Vec<usize>)>;
    let mut lines: Vec<Line> = vec![Vec::new()];
    let mut open = vec![0];
    let mut count = 0;
    for word in tree.split_whitespace() {
        let line = *open.last().unwrap();
        match word {
            "(" => {
                let variation = lines.len();
                lines.push(Vec::new());
                lines[line].last_mut().unwrap().1.push(variation);
                open.push(variation);
            }
            ")" => {
                open.pop();
            }
            _ => {
                lines[line].push((count, Vec::new()));
                count += 1;
            }
        }
    }
    let mut order = vec![0; count];
    let mut next = 0;
    let mut waiting = vec![0];
    while let Some(line) = waiting.pop() {
        for &(place, _) in &lines[line] {
            order[place] = next;
            next += 1;
        }
        for (_, variations) in &lines[line] {
            waiting.extend(variations.iter().rev());
        }
    }
    order
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns an annotation in words; an empty string if the model cannot represent any of it.
fn expected_note(note: &Value) -> String {
    let byte = |value: &Value| number(value) as u8;
    match number(&note["type"]) {
        kind @ (2 | 0x82) if note["raw"] == "" => {
            format!(
                "extra {kind} {}",
                hex(&[byte(&note["byte0"]), byte(&note["nation"])])
            )
        }
        kind @ (2 | 0x82) => format!(
            "text {kind} {} {}",
            note["nation"],
            note["raw"].as_str().unwrap()
        ),
        3 => {
            let nags = note["nags"].as_array().unwrap().iter().map(byte);
            let nags: Vec<String> = nags
                .filter(|nag| *nag > 0)
                .map(|nag| nag.to_string())
                .collect();
            format!("nags {}", nags.join(" "))
        }
        kind @ (4 | 5) => {
            let list = note[if kind == 4 { "squares" } else { "arrows" }]
                .as_array()
                .unwrap();
            let list: Vec<String> = list
                .iter()
                .map(|shape| {
                    let color = match number(&shape[0]) {
                        2 => "G".to_owned(),
                        3 => "Y".to_owned(),
                        4 => "R".to_owned(),
                        other => char::from(b'A' + other as u8).to_string(),
                    };
                    let squares = shape.as_array().unwrap()[1..].iter();
                    squares.fold(color, |text, square| text + square.as_str().unwrap())
                })
                .collect();
            format!("shapes {}", list.join(" "))
        }
        kind @ (0x16 | 0x17) => {
            let time = number(&note["centiseconds"]) as u32;
            format!("extra {kind} {}", hex(&time.to_be_bytes()))
        }
        0x22 => format!(
            "extra 34 {}",
            hex(&(number(&note["bits"]) as u32).to_be_bytes())
        ),
        7 => {
            let hms = note["hms"].as_array().unwrap().iter().map(number);
            let seconds = hms.fold(0, |seconds, part| seconds * 60 + part);
            let milliseconds = seconds * 1000 + number(&note["byte3"]) * 10;
            format!("Clock(Clock {{ kind: Elapsed, milliseconds: {milliseconds} }})")
        }
        0x18 => format!("extra 24 {:02x}", number(&note["phase"])),
        0x21 => {
            let kind = ["Centipawns", "Mate"][number(&note["mate"]) as usize];
            let (value, depth) = (&note["value"], &note["depth"]);
            format!("Eval(Eval {{ value: {kind}({value}), depth: Some({depth}) }})")
        }
        0x23 => {
            let colors = note["bgr"].as_array().unwrap().iter().map(byte);
            let bytes: Vec<u8> = [byte(&note["flags"])].into_iter().chain(colors).collect();
            format!("extra 35 {}", hex(&bytes))
        }
        // Annotations parsed by the other reader are compared only by size.
        9 => format!("extra 9 of {}", 3 + number(&note["size"])),
        kind => match note["hex"].as_str() {
            Some(bytes) => format!("extra {kind} {bytes}"),
            None => format!("extra {kind}: {note}"),
        },
    }
}

/// Returns the expected annotations of a game, each with the index of its move in PGN's order.
fn expected_notes(expected: &Value) -> Vec<(i64, String)> {
    let order = stored_order(expected["tree"].as_str().unwrap());
    let notes = expected["annotations"].as_array();
    let notes = notes.into_iter().flatten().map(|note| {
        let place = match number(&note["pos"]) {
            -1 => -1,
            stored => order.iter().position(|at| *at as i64 == stored).unwrap() as i64,
        };
        (place, expected_note(note))
    });
    let mut notes: Vec<_> = notes.collect();
    // Texts before a move precede everything else; then come NAGs, commands and texts.
    notes.sort_by_key(|(place, note)| {
        let rank = match note {
            _ if *place >= 0 && note.starts_with("text 130") => 0,
            _ if note.starts_with("nags") => 1,
            _ if note.starts_with("text") => 3,
            _ => 2,
        };
        (*place, rank)
    });
    // Consecutive symbol annotations of a move become one list of NAGs.
    let mut joined: Vec<(i64, String)> = Vec::new();
    for (place, note) in notes {
        match (joined.last_mut(), note.strip_prefix("nags")) {
            (Some((at, last)), Some(nags)) if *at == place && last.starts_with("nags") => {
                last.push_str(nags);
            }
            _ => joined.push((place, note)),
        }
    }
    joined
}

/// Returns the annotations found in a game.
fn found_notes(game: &Game) -> Vec<(i64, String)> {
    let mut notes: Vec<(i64, String)> = Vec::new();
    let mut place = -1;
    // The last moves of the lines interrupted by variations, and the number of moves.
    let (mut outer, mut moves) = (Vec::new(), -1);
    let mut about = None;
    for event in game.events() {
        match event {
            Event::Move(_) => {
                moves += 1;
                place = moves;
            }
            Event::Open(_) => outer.push(place),
            Event::Close => place = outer.pop().unwrap(),
            Event::Nag(nag) => match notes.last_mut() {
                Some((at, note)) if *at == place && note.starts_with("nags") => {
                    *note = format!("{note} {nag}");
                }
                _ => notes.push((place, format!("nags {nag}"))),
            },
            Event::Extra(extra) if extra.field > 0xFF => about = Some(extra),
            // An empty comment only marks the end of the preceding commands.
            Event::Comment(_, text) if text.is_empty() => {}
            Event::Comment(to, text) => {
                let about = about.take();
                let (kind, at) = match (to, about.map(|about| about.field)) {
                    (_, Some(0x382)) => (130, -1),
                    (_, Some(0x182)) => (130, moves + 1),
                    (Place::Before, _) if place >= 0 => (130, moves + 1),
                    _ => (2, place),
                };
                let language = about.map_or(0, |about| about.bytes[0]);
                notes.push((
                    at,
                    format!("text {kind} {language} {}", hex(text.as_bytes())),
                ));
            }
            Event::Extra(extra) if extra.field == 9 => {
                notes.push((place, format!("extra 9 of {}", extra.bytes.len())));
            }
            Event::Extra(extra) => {
                notes.push((
                    place,
                    format!("extra {} {}", extra.field, hex(&extra.bytes)),
                ));
            }
            Event::Shapes(shapes) => {
                let list = shapes.iter().map(|shape| {
                    let to = shape.to.map_or(String::new(), |to| to.to_string());
                    format!("{}{}{to}", char::from(shape.color.letter()), shape.from)
                });
                let list: Vec<String> = list.collect();
                notes.push((place, format!("shapes {}", list.join(" "))));
            }
            other => notes.push((place, format!("{other:?}"))),
        }
    }
    notes
}

fn list_of(base: &Base) -> Option<String> {
    if base.name == "stress" {
        let packed = fs::read(fixtures::testdata("fixtures-made/cbh/stress.jsonl.gz")?).unwrap();
        let mut text = String::new();
        let mut reader = flate2::read::GzDecoder::new(&packed[..]);
        std::io::Read::read_to_string(&mut reader, &mut text).unwrap();
        return Some(text);
    }
    let folder = fixtures::testdata("fixtures-real/cbh/expected")?;
    fs::read_to_string(folder.join(format!("{}.jsonl", base.name))).ok()
}

/// Databases for which the other reader's list is wrong or empty.
const KNOWN: [&str; 1] = [
    // The other reader stopped at the wrong game number, which we report as a diagnostic.
    "test-annotations",
];

#[test]
fn fields_and_annotations_are_the_expected_ones() {
    let mut differences = Vec::new();
    for base in bases() {
        let Some(list) = list_of(&base) else {
            continue;
        };
        let store = Store::open(&base.files, ReadOptions::default()).unwrap();
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        let (mut n, mut annotations) = (0, 0);
        let lines = list
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        for expected in lines.filter(|expected| expected["text"] != true) {
            store.game_into(n, &mut game, &mut scratch).unwrap();
            let id = store.id(n).unwrap();
            n += 1;
            assert_eq!(number(&expected["id"]), i64::from(id));
            let place = format!("{} {id}", base.name);
            let has_start = !expected["start"].is_null();
            assert_eq!(
                matches!(game.header.start, Start::Setup(_)),
                has_start,
                "{place}"
            );
            differences.extend(
                header(&game, &expected)
                    .iter()
                    .map(|d| format!("{place}: {d}")),
            );
            if KNOWN.contains(&&*base.name) {
                continue;
            }
            let (found, expected) = (found_notes(&game), expected_notes(&expected));
            annotations += found.len();
            if found != expected {
                let first = found.iter().zip(&expected).find(|(a, b)| a != b);
                let counts = (found.len(), expected.len());
                differences.push(format!("{place}: annotations {counts:?} {first:?}"));
            }
        }
        assert_eq!(n, store.len());
        println!("{}: {n} games, {annotations} annotations", base.name);
    }
    assert!(
        differences.is_empty(),
        "{} {}",
        differences.len(),
        differences.join("\n")
    );
}
