//! Unusual tag values, converted from PGN into a format and back, and compared as text.
//!
//! [`chessdb_testkit::judge`] compares the parsed values of two games; this module compares the PGN
//! text. Every changed tag text must be covered by an announced kind of loss that is possible for
//! this tag, and every announced kind must belong to a changed tag text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chessdb::core::model::RatingKind;
use chessdb::core::{GameStore, MemorySet, ReadOptions};
use chessdb::formats::reading_for;
use chessdb::{Converter, Format, LossKind, Losses, pgn};
use chessdb_testkit::rng::Rng;

use chessdb::core::compare::is_empty_tag;

use crate::hop::Announced;

/// Unusual values for any tag.
#[rustfmt::skip]
const ODD: &[&str] = &[
    "", " ", "?", "??", "-", "--", "0", "00", "000", "1", "7", "007", "0123", "+3", "-3", "+2400",
    "-2400", "2400", "02400", "2,400", "2.400", "2400.5", "2400 ", " 2400", "2400?", "2400/12",
    "1823/12", "2400-2500", "2400 (rapid)", "1600", "1605", "1601", "4000", "4001", "4095", "4096",
    "65535", "65536", "61000x", "4294967295", "4294967296", "99999999999999999999", "1503014",
    "unrated", "x", "1.2", "3.2.1", "127", "128", "12a", "1-2", "(3)", "3 ", "1999", "1999.01.02",
    "1999.??.??", "1999.05.??", "1999.??.07", "????.05.07", "????.??.??", "????.??.07", "????.??",
    "1999.05", "1999.14.03", "1999.20.03", "1999.14.??", "????.20.03", "1999.05.32", "1999.05.99",
    "1999.02.30", "1999.5.7", "07.05.1999", "1999-05-07", "1999/05", "1999.05.07 ", "1475.06.31",
    "0001.01.01", "1771.??.??", "1772.??.??", "2026.??.??", "2047.12.31", "2048.01.01",
    "9999.12.31", "May 1999", "C20", "c20", "C2", "C20a", "C20a1", "C20z4", "C20a5", "C20A",
    "C20/05", "C20/00", "C20/5", "C20 ", "F10", "F11", "G00", "C20-C29", "1-0", "0-1", "1/2-1/2",
    "1/2", "*", "1-0 ", "0-0", "1:0", "+--", "resigns", "DB1", "1BD", "db1", "dx1", "DD", "D", "W",
    "U", "123", "!?", "6", "own game", "5", "GM", "g", "a;b", "a=b", "a-b", "a_b", "(a)", "a (b)",
    "[a]", "a [b]", "$14", "a\tb", "a  b", " a", "a ", "\"a\"", "a\\b", "\u{1}", "a\u{7}b",
    "a\u{7f}b", "a\u{a0}b", "\u{fc}ber", "\u{418}\u{432}\u{430}\u{43d}", "\u{4e2d}", "a\u{20ac}",
];

/// Variants of FEN for start positions in which White can play e2e4.
const FENS: &[&str] = &[
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 5 12",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 05 012",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 99 65535",
    "4k3/8/8/8/8/8/4P3/4K3 w - -",
    "4k3/8/8/8/8/8/4P3/4K3 w -",
    "4k3/8/8/8/8/8/4P3/4K3 w",
    "4k3/8/8/8/8/8/4P3/4K3",
    "4k3/8/8/8/8/8/4P3/4K3  w  -  -  0  1",
    " 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 ",
    "4k3/8/8/8/8/8/4P3/4K3 w - e6 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 W - - 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/4P3/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/4P3/R3K2R w QKqk - 0 1",
    "r3k2r/8/8/8/8/8/4P3/R3K2R w HAha - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "x",
    "",
    "?",
];

/// Ratings that all, some or no formats can store, and malformed ones.
const RATINGS: &[&str] = &["2000", "1605", "4001", "4096", "65536", "2,400", "?"];

/// Returns tag names of every kind of storage that formats use: fields, columns, lists, or none.
fn tags() -> Vec<String> {
    let plain = "Event Site Date Round White Black Result WhiteTitle BlackTitle WhiteFideId BlackFideId \
        ECO EventDate Annotator Source ScidFlags Opening Board Info SetUp Variant PlyCount \
        CAType CAOutcome Remark";
    let mut tags: Vec<String> = plain.split(' ').map(str::to_owned).collect();
    for color in [chessdb::Color::White, chessdb::Color::Black] {
        tags.extend(RatingKind::ALL.map(|kind| kind.tag(color).to_owned()));
    }
    tags
}

/// Returns a typical value of a tag.
fn usual(tag: &str) -> &'static str {
    match tag {
        "Date" | "EventDate" => "1999.05.07",
        "Result" => "*",
        "ECO" => "C20",
        "ScidFlags" => "DB1",
        "WhiteFideId" | "BlackFideId" => "1503014",
        _ if RatingKind::of_tag(tag.as_bytes()).is_some() => "2400",
        _ => "x",
    }
}

/// The tags of one game in their order, and the result after its moves.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Case {
    tags: Vec<(String, String)>,
    result: String,
}

impl Case {
    /// Creates a game with ordinary values for all tags except `changes`.
    fn new(changes: &[(&str, &str)], result: &str) -> Case {
        let plain = [
            ("Event", "E"),
            ("Site", "?"),
            ("Date", "????.??.??"),
            ("Round", "?"),
            ("White", "A"),
            ("Black", "B"),
            ("Result", result),
        ];
        let mut tags: Vec<(String, String)> = plain
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        for &(name, value) in changes {
            match tags.iter_mut().find(|(other, _)| other == name) {
                Some((_, old)) => *old = value.to_owned(),
                None => tags.push((name.to_owned(), value.to_owned())),
            }
        }
        Case {
            tags,
            result: result.to_owned(),
        }
    }

    fn to_pgn(&self, out: &mut String) {
        for (name, value) in &self.tags {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(out, "[{name} \"{value}\"]");
        }
        let _ = writeln!(out, "\n1. e4 {}\n", self.result);
    }

    /// Parses PGN written by this project line by line, without the reader under test.
    fn all_of(pgn: &str) -> Vec<Case> {
        let mut cases = Vec::new();
        let mut tags = Vec::new();
        for line in pgn.lines().filter(|line| !line.is_empty()) {
            match line
                .strip_prefix('[')
                .and_then(|line| line.strip_suffix("\"]"))
            {
                Some(tag) => {
                    let (name, value) = tag.split_once(" \"").unwrap_or((tag, ""));
                    let value = value.replace("\\\"", "\"").replace("\\\\", "\\");
                    tags.push((name.to_owned(), value));
                }
                None => cases.push(Case {
                    tags: std::mem::take(&mut tags),
                    result: line.rsplit(' ').next().unwrap_or_default().to_owned(),
                }),
            }
        }
        cases
    }

    /// Returns the tags with values other than the ordinary ones.
    fn odd(&self) -> impl Iterator<Item = &(String, String)> {
        let plain = Case::new(&[], &self.result).tags;
        self.tags.iter().filter(move |tag| !plain.contains(tag))
    }

    /// Appends a tag, even if one with this name exists.
    fn with(mut self, name: &str, value: &str) -> Case {
        self.tags.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns all values by tag name; the result after the moves is listed as `(moves)`.
    fn values(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, value) in &self.tags {
            values.entry(name).or_default().push(value);
        }
        values.entry("(moves)").or_default().push(&self.result);
        values
            .values_mut()
            .for_each(|values| values.sort_unstable());
        values
    }
}

/// Returns games with one unusual tag each, games with an ordinary tag of the same name before or
/// after it, and `random` games with several unusual tags.
fn cases(random: usize) -> Vec<Case> {
    let tags = tags();
    let long = ["N".repeat(300), "\u{fc}".repeat(300), "12345".repeat(60)];
    let odd: Vec<&str> = ODD
        .iter()
        .copied()
        .chain(long.iter().map(String::as_str))
        .collect();
    let mut cases = Vec::new();
    for tag in &tags {
        for value in &odd {
            cases.push(Case::new(&[(tag, value)], "*"));
            // A second tag of this name starts another game.
            if ["Event", "FEN"].contains(&tag.as_str()) {
                continue;
            }
            let usual = usual(tag);
            cases.push(Case::new(&[(tag, usual)], "*").with(tag, value));
            cases.push(Case::new(&[(tag, value)], "*").with(tag, usual));
        }
    }
    for first in RatingKind::ALL {
        for second in RatingKind::ALL
            .into_iter()
            .filter(|&second| second != first)
        {
            let [first, second] = [first, second].map(|kind| kind.tag(chessdb::Color::White));
            for value in RATINGS {
                for other in RATINGS {
                    cases.push(Case::new(&[(first, value), (second, other)], "*"));
                }
            }
        }
    }
    for round in ["Final", "QF 2", "1", "3.2", "(Final)", "Final)"] {
        for event in ["Ev", "Ev (blitz)", "Ev (3)", "?", ""] {
            for site in ["?", "Paris", ""] {
                let changes = [("Event", event), ("Site", site), ("Round", round)];
                cases.push(Case::new(&changes, "*"));
            }
        }
    }
    for fen in FENS {
        cases.push(Case::new(&[("SetUp", "1"), ("FEN", fen)], "*"));
        cases.push(Case::new(&[("FEN", fen)], "*"));
    }
    for result in ["1-0", "0-1", "1/2-1/2"] {
        for value in ["1-0", "*", "?", "", "1/2", "won"] {
            cases.push(Case::new(&[("Result", value)], result));
        }
    }
    // Always the same games, so that a problem can be found again.
    let mut rng = Rng::new(13);
    for _ in 0..random {
        let mut changes = Vec::new();
        for _ in 0..2 + rng.below(4) {
            let tag = tags.get(rng.below(tags.len())).map_or("", String::as_str);
            let value = odd.get(rng.below(odd.len())).copied().unwrap_or_default();
            changes.push((tag, value));
        }
        cases.push(Case::new(&changes, "*"));
    }
    cases
}

/// Converts a database and returns the new files and the losses announced for each game.
fn written(store: &dyn GameStore, target: &'static Format) -> (MemorySet, Vec<Losses>) {
    let mut files = MemorySet::new();
    let mut announced = Announced::new(store.len() as usize);
    let converter = Converter::to_sink(&mut files).format(target);
    let converter = converter.add_store(store, None).observer(&mut announced);
    converter
        .run()
        .unwrap_or_else(|error| panic!("{}: {error}", target.id));
    (files, announced.0)
}

fn opened<'f>(
    files: &'f MemorySet,
    format: &Format,
    options: ReadOptions,
) -> Box<dyn GameStore + 'f> {
    (format.open)(files, options).unwrap_or_else(|error| panic!("{}: {error}", format.id))
}

/// Returns the problems of converting unusual tags into a format and back, as text.
pub fn problems(target: &'static Format, random: usize) -> Vec<String> {
    let cases = cases(random);
    // Games go one at a time into a format that joins them.
    let group = if joins(target) { 1 } else { cases.len() };
    let mut problems = Vec::new();
    for cases in cases.chunks(group) {
        there_and_back(cases, target, &mut problems);
    }
    problems
}

fn joins(target: &'static Format) -> bool {
    let two = [Case::new(&[], "*"), Case::new(&[("White", "C")], "*")];
    let (files, _) = written(
        &*opened(&in_pgn(&two), &pgn::PGN, ReadOptions::default()),
        target,
    );
    opened(&files, target, ReadOptions::default()).len() < 2
}

fn in_pgn(cases: &[Case]) -> MemorySet {
    let mut text = String::new();
    cases.iter().for_each(|case| case.to_pgn(&mut text));
    let mut files = MemorySet::new();
    files.insert(pgn::PGN_FILE, text.into_bytes());
    files
}

fn there_and_back(cases: &[Case], target: &'static Format, problems: &mut Vec<String>) {
    let source = in_pgn(cases);
    let store = opened(
        &source,
        &pgn::PGN,
        reading_for(target, ReadOptions::default()),
    );
    assert_eq!(store.len() as usize, cases.len(), "{}", target.id);
    let (files, losses_there) = written(&*store, target);
    let store = opened(
        &files,
        target,
        reading_for(&pgn::PGN, ReadOptions::default()),
    );
    let (files, back) = written(&*store, &pgn::PGN);
    let text = chessdb::core::FileSet::get(&files, pgn::PGN_FILE).unwrap_or_default();
    let mut after = Case::all_of(&String::from_utf8_lossy(text))
        .into_iter()
        .zip(back);
    for (case, mut losses) in cases.iter().zip(losses_there) {
        // The target did not take the game, so it is not among those after.
        if losses.count(LossKind::Game) > 0 {
            continue;
        }
        let Some((now, others)) = after.next() else {
            problems.push(format!("{}: {case:?} is missing", target.id));
            continue;
        };
        losses.merge(&others);
        for problem in judge(case, &now, &losses) {
            problems.push(format!("{}: {problem}", target.id));
        }
    }
    if after.next().is_some() {
        problems.push(format!("{}: more games than were written", target.id));
    }
}

/// Compares the texts with the announced losses, in both directions.
fn judge(before: &Case, after: &Case, losses: &Losses) -> Vec<String> {
    let (old, new) = (before.values(), after.values());
    let mut problems = Vec::new();
    let mut possible: Vec<LossKind> = Vec::new();
    let codes: Vec<_> = losses.iter().map(|loss| loss.kind.code()).collect();
    let mut names: Vec<_> = old.keys().chain(new.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let none = Vec::new();
        let (x, y) = (
            old.get(name).unwrap_or(&none),
            new.get(name).unwrap_or(&none),
        );
        if x == y {
            continue;
        }
        let kinds = kinds(name, x, y);
        let is_announced = kinds.iter().any(|&kind| losses.count(kind) > 0);
        if !is_announced && !is_same_position(name, x, y) {
            problems.push(format!(
                "not announced: {name} {x:?} became {y:?} (announced: {codes:?})"
            ));
        }
        possible.extend(kinds);
    }
    // Data that only one format knows is not a tag.
    possible.push(LossKind::GameExtra);
    for loss in losses.iter().filter(|loss| !possible.contains(&loss.kind)) {
        let code = loss.kind.code();
        let odd: Vec<_> = before.odd().collect();
        problems.push(format!("announced, but did not happen: {code} of {odd:?}"));
    }
    problems
}

/// Returns whether only the spelling of the castling rights differs.
///
/// PGN writes the letters that every program reads (docs/formats/pgn.md). Differences are also
/// allowed for `SetUp`, which is written with every start position, and for the Termination that
/// ChessBase implies with a double forfeit.
fn is_same_position(name: &str, before: &[&str], after: &[&str]) -> bool {
    let but_castling = |fen: &str| {
        fen.split(' ')
            .enumerate()
            .filter(|(n, _)| *n != 2)
            .map(|(_, field)| field.to_owned())
            .collect::<Vec<_>>()
    };
    match (name, before, after) {
        ("SetUp", [], ["1"]) | ("Termination", [], ["double forfeit"]) => true,
        ("FEN", [x], [y]) => x.len() == y.len() && but_castling(x) == but_castling(y),
        _ => false,
    }
}

/// Returns the kinds of loss that can explain the change of a tag.
fn kinds(name: &str, before: &[&str], after: &[&str]) -> Vec<LossKind> {
    use LossKind as L;
    let mut kinds = vec![L::TagText, L::NameText];
    let has_layout = |text: &&str| text.trim() != *text || text.contains(['\n', '\r', '\t']);
    if before.iter().any(has_layout) {
        kinds.push(L::TextLayout);
    }
    if before.iter().any(|text| is_empty_tag(text)) {
        kinds.push(L::EmptyTag);
    }
    if before.len() > after.len() {
        kinds.push(L::Tag);
    }
    let shorter = |text: &&str| after.iter().any(|now| now.len() < text.len());
    if before.iter().any(shorter) || after.is_empty() {
        kinds.extend([L::TagCut, L::NameCut]);
    }
    kinds.extend_from_slice(match name {
        // CBF has one field for the event, the site and a non-numeric round.
        "Event" => &[L::SiteMerged, L::Round, L::Tag],
        "Site" => &[L::SiteMerged, L::Tag],
        "White" | "Black" => &[L::Tag],
        "Date" => &[L::Date],
        "Round" => &[L::Round],
        "Result" | "(moves)" => &[L::Result, L::MoveResult],
        "WhiteTitle" | "BlackTitle" => &[L::Title],
        "WhiteFideId" | "BlackFideId" => &[L::FideId],
        "ECO" => &[L::Eco],
        "EventDate" => &[L::EventDate, L::Date],
        "Annotator" => &[L::Annotator],
        "Source" => &[L::Source],
        "FEN" => &[L::StartPosition, L::StartCounters, L::Chess960, L::Tag],
        "ScidFlags" => &[L::Flags, L::DeletedFlag],
        _ if RatingKind::of_tag(name.as_bytes()).is_some() => {
            &[L::Rating, L::RatingRounded, L::RatingType]
        }
        _ => &[],
    });
    kinds
}
