//! A change of one game of a PGN file leaves all bytes outside that game as they are.
#![cfg(feature = "pgn")]

use std::fs;
use std::ops::Range;

use chessdb::convert::{Editor, Observer, Replacement, Report};
use chessdb::core::MemorySet;
use chessdb::core::model::GameFlags;
use chessdb::pgn::PGN_FILE;
use chessdb::{Converter, Database, Game};

/// The games, with LF as line end. `é` is written in the encoding of the file.
const GAMES: [&str; 7] = [
    "[Event \"Club event\"]\n[White \"Ashby,Mi\"]\n[Black \"Quincé,Te\"]\n[Result \"1-0\"]\n\n\
     1.e4 e5 2. Nf3  Nc6 {a  comment} 1-0",
    "[Event \"Club event\"]\n[White \"Miller,Jo\"]\n[Black \"Quince,Te\"]\n[Result \"0-1\"]\n\n\
     1. d4 d5 2. Bf9 Nc6 0-1",
    "1. c4 c5\n2. g3 g6 1/2-1/2",
    "[ Event   \"Club event\" ]\n[White \"Ashby,Ro\"]\n[WhiteElo \"2 450\"]\n[Black \"Smith,Al\"]\n\n\
     1.c4 c5 1/2-1/2",
    "[Event \"Café\"] [Site \"Town\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n[ECO \"B90\"]\n\
     1. e4 $1 c5 (1... e5!? {good}\n2. Nf3) 2. Nf3\n\n  *",
    "[White \"Only tags\"]\n[Black \"No moves\"]\n[Result \"1-0\"]\n\n1-0",
    "[Event \"x\"]\n[White \"P\"]\n[Black \"Q\"]\n[Result \"1-0\"]\n\n\
     1. f3 e5 2. g4 Qh4# 0-1",
];

const BETWEEN: [&str; 4] = [
    "\n\n",
    "\n\n\n",
    "  \n\n% an escape line\n",
    "\n\nRound two of the event\n\n",
];

/// A file, and where its games are.
fn file(seed: usize) -> (Vec<u8>, Vec<Range<usize>>) {
    let line_end = ["\n", "\r\n", "\r"][seed % 3];
    let is_latin = seed % 4 == 1;
    let encode = |text: &str, out: &mut Vec<u8>| {
        let text = text.replace('\n', line_end);
        if is_latin {
            out.extend(text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()))
        } else {
            out.extend_from_slice(text.as_bytes())
        }
    };
    let mut bytes = Vec::new();
    if seed % 4 == 2 {
        bytes.extend_from_slice("\u{FEFF}".as_bytes());
    }
    if seed % 5 == 3 {
        encode("Games of the club\n\n", &mut bytes);
    }
    let mut games = Vec::new();
    for n in 0..GAMES.len() {
        let game = GAMES[(n * 3 + seed) % GAMES.len()];
        let start = bytes.len();
        encode(game, &mut bytes);
        games.push(start..bytes.len());
        let is_last = n + 1 == GAMES.len();
        match (is_last, seed % 3) {
            (true, 0) => {}
            (true, _) => encode("\n", &mut bytes),
            (false, _) => encode(BETWEEN[(n + seed) % BETWEEN.len()], &mut bytes),
        }
    }
    if is_utf_16(seed) {
        utf_16(&bytes, &games, seed % 8 == 3)
    } else {
        (bytes, games)
    }
}

/// Returns whether [`file`] returns a file in UTF-16.
fn is_utf_16(seed: usize) -> bool {
    seed % 4 == 3
}

/// Converts a file from UTF-8 to UTF-16: big-endian with a byte order mark, or little-endian
/// without.
fn utf_16(bytes: &[u8], games: &[Range<usize>], is_big: bool) -> (Vec<u8>, Vec<Range<usize>>) {
    let text = str::from_utf8(bytes).unwrap();
    let encode = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16();
        if is_big {
            units.flat_map(u16::to_be_bytes).collect()
        } else {
            units.flat_map(u16::to_le_bytes).collect()
        }
    };
    let mark = if is_big { "\u{FEFF}" } else { "" };
    let offset = |offset: usize| encode(mark).len() + encode(&text[..offset]).len();
    let games = games
        .iter()
        .map(|game| offset(game.start)..offset(game.end));
    (encode(&format!("{mark}{text}")), games.collect())
}

/// Changes one game.
struct Change {
    number: u32,
    replacement: Option<Replacement>,
    edit: fn(&mut Game),
}

impl Observer for Change {
    fn replacement(&mut self, number: u32) -> Option<Replacement> {
        self.replacement.take_if(|_| number == self.number)
    }

    fn edit(&mut self, game: &mut Game) {
        if game.number() == self.number {
            (self.edit)(game);
        }
    }
}

/// Changes game `n` of a file, counted from 0, and returns the new file. A copy of the database with the
/// same change has the same bytes.
fn changed(
    bytes: &[u8],
    n: usize,
    edit: fn(&mut Game),
    replacement: Option<Replacement>,
) -> Result<(Vec<u8>, Report), chessdb::Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    fs::write(&path, bytes).unwrap();
    let change = || Change {
        number: n as u32 + 1,
        replacement: replacement.clone(),
        edit,
    };
    let mut editor = Editor::open(&path, Database::options()).unwrap();
    let mut copy = MemorySet::new();
    let copied = Converter::to_sink(&mut copy)
        .format("pgn")
        .in_place(true)
        .strict(true)
        .add_database(editor.database())
        .observer(&mut change())
        .run();
    let changed = editor.converter().observer(&mut change()).run();
    assert_eq!(copied.is_ok(), changed.is_ok());
    let new = fs::read(&path).unwrap();
    assert!(copied.is_err() || copy.remove(PGN_FILE).unwrap() == new);
    Ok((new, changed?))
}

fn assert_others_kept(old: &[u8], new: &[u8], game: &Range<usize>, what: &str) {
    let (before, after) = (&old[..game.start], &old[game.end..]);
    assert!(
        new.starts_with(before) && new[before.len()..].ends_with(after),
        "{what}: game {game:?}\n{}\n----\n{}",
        String::from_utf8_lossy(old),
        String::from_utf8_lossy(new)
    );
}

fn is_damaged(file: &[u8], game: &Range<usize>) -> bool {
    let text: Vec<u8> = file[game.clone()]
        .iter()
        .copied()
        .filter(|byte| *byte != 0)
        .collect();
    text.windows(3).any(|bytes| bytes == b"Bf9")
}

type TagCheck = (&'static str, fn(&mut Game), fn(&Game) -> bool);

#[test]
fn a_changed_game_leaves_the_others_byte_for_byte() {
    let checks: [TagCheck; 9] = [
        (
            "event",
            |game| game.set_tag("Event", "Tata Steel"),
            |game| game.event() == "Tata Steel",
        ),
        (
            "accent",
            |game| game.set_tag("White", "Réti, R"),
            |game| game.white() == "Réti, R",
        ),
        (
            "new tag",
            |game| game.set_tag("Termination", "normal"),
            |game| game.tag("Termination").as_deref() == Some("normal"),
        ),
        (
            "rating",
            |game| game.set_tag("WhiteElo", "2451"),
            |game| game.tag("WhiteElo").as_deref() == Some("2451"),
        ),
        (
            "removed",
            |game| {
                game.remove_tag("ECO");
            },
            |game| game.eco().is_none(),
        ),
        (
            "result",
            |game| game.set_tag("Result", "1/2-1/2"),
            |game| game.result() == chessdb::Outcome::Draw,
        ),
        (
            "flag",
            |game| game.header.flags = GameFlags::DELETED,
            |game| game.header.flags == GameFlags::DELETED,
        ),
        (
            "quote",
            |game| game.set_tag("Site", "a \"b\" \\ c"),
            |game| game.site() == "a \"b\" \\ c",
        ),
        (
            "nothing",
            |game| {
                let event = game.event().into_owned();
                game.set_tag("Event", &event);
            },
            |_| true,
        ),
    ];
    for seed in 0..60 {
        let (old, games) = file(seed);
        for (n, place) in games.iter().enumerate() {
            for (what, edit, is_done) in checks {
                let (new, report) = changed(&old, n, edit, None)
                    .unwrap_or_else(|error| panic!("{seed} {n} {what}: {error:?}"));
                assert_others_kept(&old, &new, place, what);
                // Text that belongs to no game counts as damage of the game after it.
                assert!(report.carried() >= 1, "{seed} {n} {what}");
                let db = Database::options().open_files([("a.pgn", new)]).unwrap();
                assert_eq!(db.len().unwrap() as usize, games.len(), "{what}");
                assert!(is_done(&db.game(n as u32).unwrap()), "{seed} {n} {what}");
            }
            let (same, _) = changed(&old, n, |_| {}, None).unwrap();
            assert_eq!(same, old, "{seed}");
        }
    }
}

#[test]
fn only_the_line_of_a_changed_tag_differs() {
    let old = b"[Event \"E\"]\r\n[White  \"A\"]\r\n[Black \"B\"]\r\n\r\n1.e4 e5  1-0\r\n";
    let edit: fn(&mut Game) = |game| game.set_tag("White", "C");
    let (new, _) = changed(old, 0, edit, None).unwrap();
    let right = b"[Event \"E\"]\r\n[White \"C\"]\r\n[Black \"B\"]\r\n\r\n1.e4 e5  1-0\r\n";
    assert_eq!(new, right);
}

#[test]
fn a_text_takes_the_place_of_a_damaged_game() {
    for seed in 0..60 {
        let (old, games) = file(seed);
        for (n, place) in games.iter().enumerate() {
            let text = "[White \"Réti\"]\n[Result \"1-0\"]\n\n1.e4   e6 1-0\n";
            let replacement = Replacement {
                game: Game::from_pgn(text).unwrap().into_model(),
                text: Some(text.to_owned()),
            };
            let (new, report) = changed(&old, n, |_| {}, Some(replacement)).unwrap();
            assert_others_kept(&old, &new, place, "text");
            let damaged = u64::from(!is_damaged(&old, place));
            assert!(report.carried() >= damaged, "{seed} {n}");
            let db = Database::options().open_files([("a.pgn", new)]).unwrap();
            assert_eq!(db.game(n as u32).unwrap().white(), "Réti");
        }
    }
}

#[test]
fn the_moves_of_a_damaged_game_are_not_rewritten() {
    let (old, games) = file(0);
    let n = games
        .iter()
        .position(|game| is_damaged(&old, game))
        .unwrap();
    let error = changed(&old, n, |game| game.moves.clear(), None).unwrap_err();
    let report = error.into_report().unwrap();
    assert!(report.is_refused() && report.written() == 0);
}

#[test]
fn a_letter_that_the_encoding_of_the_file_lacks_is_refused() {
    let old = b"[White \"R\xE9ti\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4 *\n";
    let edit: fn(&mut Game) = |game| game.set_tag("White", "Алехин");
    let error = changed(old, 1, edit, None).unwrap_err();
    assert!(error.to_string().contains("windows-125"), "{error}");
}

#[test]
fn deleted_games_are_removed_with_the_blanks_after_them() {
    for seed in 0..60 {
        let (old, games) = file(seed);
        for (n, place) in games.iter().enumerate() {
            let flagged: fn(&mut Game) = |game| game.header.flags = GameFlags::DELETED;
            let (marked, _) = changed(&old, n, flagged, None).unwrap();
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("games.pgn");
            fs::write(&path, &marked).unwrap();
            let mut editor = Editor::open(&path, Database::options()).unwrap();
            let report = editor.converter().drop_deleted(true).run().unwrap();
            assert_eq!(
                (report.dropped(), report.written()),
                (1, games.len() as u64 - 1)
            );
            let new = fs::read(&path).unwrap();
            let unit = if is_utf_16(seed) { 2 } else { 1 };
            let blanks = old[place.end..]
                .iter()
                .take_while(|b| b.is_ascii_whitespace() || unit == 2 && **b == 0);
            let gap = place.start..place.end + blanks.count() / unit * unit;
            assert_others_kept(&old, &new, &gap, "removed");
            // A game without tags needs a blank line before it.
            let more = new.len() - (old.len() - gap.len());
            assert!(more <= 2 * unit, "{seed} {n}: {more} bytes");
        }
    }
}

/// A file in UTF-16 with half a character has no exact text, so it is written again as a whole.
#[test]
fn utf_16_with_invalid_characters_becomes_utf_8() {
    let text = "[White \"A\"]\n\n1.e4   *\n";
    let mut old: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    old.extend(0xD800_u16.to_le_bytes());
    let edit: fn(&mut Game) = |game| game.set_tag("White", "B");
    match changed(&old, 0, edit, None) {
        Ok((new, _)) => assert!(str::from_utf8(&new).unwrap().contains("[White \"B\"]")),
        Err(error) => assert!(error.into_report().unwrap().is_refused()),
    }
}
