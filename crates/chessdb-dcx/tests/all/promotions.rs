//! The numbering with which promotions are read (docs/formats/dcx.md, section 5.3).

use chessdb_core::line::Walk;
use chessdb_core::options::Mode;
use chessdb_core::rules::write_san;
use chessdb_core::{
    Diagnostic, Event, Game, GameStore, MemorySet, ReadOptions, Scratch, Severity, Square,
};
use chessdb_dcx::raw::{Length, MoveWord, Record, StartField};
use chessdb_dcx::{DCX, Promotions, Store};
use chessdb_testkit::changes::change;
use chessdb_testkit::identity;

use crate::common::base_of_records;

/// A position in which White promotes on a8 and both kings are out of the way.
const FEN: &str = "8/P6k/8/8/8/8/7K/8 w - - 0 1";

/// Returns a database with these games from that position: moves with promotion codes, such as
/// `a7a8=4`.
fn base(games: &[&str]) -> MemorySet {
    base_from(FEN, games)
}

fn base_from(fen: &str, games: &[&str]) -> MemorySet {
    let record = |moves: &&str| {
        let mut body = Vec::new();
        for word in moves.split_whitespace() {
            let square =
                |range: std::ops::Range<usize>| Square::from_ascii(word[range].as_bytes()).unwrap();
            let code = word.get(5..).map_or(0, |code| code.parse().unwrap());
            let word = MoveWord::new(square(0..2), square(2..4), code);
            body.extend(word.bits().to_be_bytes());
        }
        let start = StartField::Fen {
            length: Length::new(fen.len() as u32),
            text: fen.as_bytes(),
        };
        let mut record = Vec::new();
        Record::new(start, &body).unwrap().write(&mut record);
        record
    };
    base_of_records(&games.iter().map(record).collect::<Vec<_>>())
}

fn moves(game: &Game) -> String {
    let mut walk = Walk::plain(game).unwrap();
    let mut text = Vec::new();
    while let Some(event) = walk.step() {
        if let Event::Move(mv) = event {
            if !text.is_empty() {
                text.push(b' ');
            }
            write_san(walk.lines().board(), mv, &mut text);
        }
    }
    String::from_utf8(text).unwrap()
}

struct Reading {
    promotions: Promotions,
    games: Vec<String>,
    /// The findings on opening, then those of the games.
    found: Vec<(Severity, String)>,
    remark: String,
}

fn read(set: &MemorySet, setting: &str) -> Reading {
    let options = ReadOptions::default().with_setting("dcx-promotions", setting);
    let store = Store::open(set, options).unwrap();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let games = (0..store.len()).map(|n| {
        store.game_into(n, &mut game, &mut scratch).unwrap();
        moves(&game)
    });
    let games = games.collect();
    let all = store.diagnostics().iter().chain(&scratch.diagnostics);
    let found = all.map(|found: &Diagnostic| (found.severity, found.to_string()));
    Reading {
        promotions: store.promotions(),
        games,
        found: found.collect(),
        remark: store
            .remarks()
            .iter()
            .map(|remark| remark.text.clone())
            .collect(),
    }
}

const PROGRAM: Promotions = Promotions::Reference;
const SEED: Promotions = Promotions::Published;

/// A test case: the games of a database, the chosen numbering, the moves read, and words of the
/// findings.
type Row = (
    &'static [&'static str],
    Promotions,
    &'static [&'static str],
    &'static [&'static str],
);

#[rustfmt::skip]
const TABLE: &[Row] = &[
    // One game decides by its later moves, whatever the code.
    (&["a7a8=4 h7g6 a8b7"], SEED, &["a8=Q Kg6 Qb7"], &["published text"]),
    (&["a7a8=3 h7g6 a8b8"], SEED, &["a8=R Kg6 Rb8"], &["published text"]),
    (&["a7a8=2 h7g6 a8b7"], SEED, &["a8=B Kg6 Bb7"], &["published text"]),
    (&["a7a8=1 h7g6"], SEED, &["a8=N Kg6"], &["published text"]),
    (&["a7a8=5 h7g6"], PROGRAM, &["a8=Q Kg6"], &[]),
    (&["a7a8=3 h7g6 a8b7"], PROGRAM, &["a8=B Kg6 Bb7"], &[]),
    (&["a7a8=2 h7g6 a8b6"], PROGRAM, &["a8=N Kg6 Nb6"], &[]),
    // Nothing decides.
    (&["a7a8=4 h7g6 a8g8"], PROGRAM, &["a8=R Kg6 Rg8+"], &["1 promotion is possible with both"]),
    (&["a7a8=3", "a7a8=2 h7g6"], PROGRAM, &["a8=B", "a8=N Kg6"], &["2 promotions are possible"]),
    (&["h2g2 h7g6"], PROGRAM, &["Kg2 Kg6"], &[]),
    // One game decides for the others.
    (&["a7a8=4", "a7a8=3 h7g6 a8b8"], SEED, &["a8=Q", "a8=R Kg6 Rb8"], &["published text"]),
    (&["a7a8=4", "a7a8=3 h7g6 a8b7"], PROGRAM, &["a8=R", "a8=B Kg6 Bb7"], &[]),
    (&["a7a8=4", "h2g2", "a7a8=5"], PROGRAM, &["a8=R", "Kg2", "a8=Q"], &[]),
    // The majority decides. The other game is read with the numbering that fits, and that is a
    // finding.
    (&["a7a8=5", "a7a8=4 h7g6 a8b7"], PROGRAM, &["a8=Q", "a8=Q Kg6 Qb7"], &["possible only with the promotions as the published"]),
    (&["a7a8=3 h7g6 a8b7", "a7a8=4 h7g6 a8b7", "a7a8=4 h7g6 a8h1"], SEED,
        &["a8=B Kg6 Bb7", "a8=Q Kg6 Qb7", "a8=Q Kg6 Qh1"], &["published text", "possible only with the promotions as programs"]),
    // One code 1 may be damage, two are not; among codes 5 they are.
    (&["a7a8=4", "a7a8=1"], PROGRAM, &["a8=R", "a8=N"], &["is possible with both", "possible only with"]),
    (&["a7a8=4", "a7a8=1", "a7a8=1"], SEED, &["a8=Q", "a8=N", "a8=N"], &["published text"]),
    (&["a7a8=5", "a7a8=1"], PROGRAM, &["a8=Q", ""], &["a7a8=1"]),
    // The two lower bits of the queen's code 4 are 0.
    (&["a7a8 h7g6 a8b7"], PROGRAM, &["a8=Q Kg6 Qb7"], &["possible only with the promotions as the published"]),
    // Damage that neither numbering explains.
    (&["a7a8=5", "a7a8=4 h7g6 a8b6"], PROGRAM, &["a8=Q", "a8=R Kg6"], &["a8b6"]),
    (&["a7a8=6"], PROGRAM, &[""], &["a7a8=6"]),
];

#[test]
fn the_games_decide_which_numbering_it_is() {
    for (games, promotions, expected, words) in TABLE {
        let reading = read(&base(games), "auto");
        assert_eq!(reading.promotions, *promotions, "{games:?}");
        assert_eq!(reading.games, *expected, "{games:?}");
        let found = &reading.found;
        assert_eq!(found.len(), words.len(), "{games:?}: {found:?}");
        for ((_, found), words) in found.iter().zip(*words) {
            assert!(found.contains(words), "{games:?}: {found}");
        }
        let has_promotion = games.iter().any(|game| game.contains('='));
        assert_eq!(!reading.remark.is_empty(), has_promotion, "{games:?}");
    }
}

/// Black's king would stay in check from a queen, and does not move: the piece is a rook.
#[test]
fn a_king_that_ignores_a_check_shows_the_numbering() {
    let set = base_from("8/P7/8/8/7p/8/6k1/2K5 w - - 0 1", &["a7a8=4 h4h3"]);
    let reading = read(&set, "auto");
    assert_eq!(reading.promotions, PROGRAM);
    assert_eq!(reading.games, ["a8=R h3"]);
    assert!(reading.found.is_empty(), "{:?}", reading.found);
}

#[test]
fn a_setting_decides_and_a_contradiction_is_reported() {
    for (setting, games) in [
        ("program", "a8=R Kg6"),
        ("seed", "a8=Q Kg6"),
        ("published", "a8=Q Kg6"),
    ] {
        let reading = read(&base(&["a7a8=4 h7g6"]), setting);
        assert_eq!(reading.games, [games]);
        assert!(reading.found.is_empty(), "{:?}", reading.found);
        assert!(reading.remark.contains("1 read as"), "{}", reading.remark);
        assert!(reading.remark.contains("as the setting requests"));
    }
    let reading = read(&base(&["a7a8=4 h7g6 a8b7"]), "program");
    assert_eq!(reading.games, ["a8=R Kg6"]);
    let [(lost, bad), (note, hint)] = &reading.found[..] else {
        panic!("{:?}", reading.found)
    };
    assert_eq!((*lost, *note), (Severity::Lost, Severity::Note));
    assert!(bad.contains("a8b7"), "{bad}");
    assert!(hint.contains("all moves are possible with the promotions as the published"));
    let set = base(&[]);
    let queen = ReadOptions::default().with_setting("dcx-promotions", "queen");
    assert!(Store::open(&set, queen).is_err());
}

/// The published text leaves one bit of a move undefined (4 in a promotion code): it is a note.
#[test]
fn the_reserved_bit_of_a_move_means_nothing() {
    let set = base_from("r3k3/8/8/8/8/8/8/4K2R w K - 0 1", &["e1g1=4 a8a1=4 f1a1"]);
    for setting in ["auto", "program", "seed"] {
        let reading = read(&set, setting);
        assert_eq!(reading.games, ["O-O Ra1 Rxa1"], "{setting}");
        assert!(
            reading
                .found
                .iter()
                .all(|(severity, _)| *severity == Severity::Note)
        );
        let bits = reading
            .found
            .iter()
            .filter(|(_, what)| what.contains("reserved bit"));
        assert_eq!(bits.count(), 2, "{:?}", reading.found);
    }
    for (code, san) in [(5, "N"), (6, "B"), (7, "R")] {
        let set = base(&[&format!("a7a8={code} h7g6")]);
        let reading = read(&set, "seed");
        assert_eq!(reading.games, [format!("a8={san} Kg6")]);
        assert!(
            reading
                .found
                .iter()
                .any(|(_, what)| what.contains("reserved bit"))
        );
    }
    // Codes that are no promotion and more than the reserved bit are damage.
    let reading = read(&base(&["h2g2=5 h7g6"]), "auto");
    assert_eq!(reading.games, [""]);
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let store = Store::open(&set, ReadOptions::default()).unwrap();
    store
        .game_unchecked_into(0, &mut game, &mut scratch)
        .unwrap();
    assert_eq!(moves(&game), "O-O Ra1 Rxa1");
}

/// A database of programs that has only underpromotions is no deviation; one with the published
/// numbering is.
#[test]
fn strict_reading_refuses_the_published_numbering_alone() {
    let strict = ReadOptions::default().with_mode(Mode::Strict);
    assert!(Store::open(&base(&["a7a8=4 h7g6"]), strict.clone()).is_ok());
    assert!(Store::open(&base(&["a7a8=4 h7g6 a8b7"]), strict).is_err());
}

/// The remark counts the promotions that the choice affects.
#[test]
fn the_remark_states_numbering_reason_and_count() {
    let set = base(&["a7a8=5", "a7a8=4", "a7a8=2"]);
    let text = read(&set, "auto").remark;
    for words in [
        "3 read as programs number them",
        "game 1 has the code 5",
        "2 would be another piece",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

/// With rules, only a pawn can have a code, and a fault names the half-move after which the game
/// ends. Without rules, the reserved bit is noted after its move.
#[test]
fn a_code_of_a_king_is_reported_with_its_ply() {
    let set = base(&["a7a8=1 h7g6 h2g2=5", "h2g2=5"]);
    let store = Store::open(&set, ReadOptions::default()).unwrap();
    for (n, ply) in [(0, 2), (1, 0)] {
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        store.game_into(n, &mut game, &mut scratch).unwrap();
        let fault = scratch.diagnostics.remove(0);
        assert_eq!((fault.severity, fault.at.ply), (Severity::Lost, Some(ply)));
        store
            .game_unchecked_into(n, &mut game, &mut scratch)
            .unwrap();
        let note = scratch.diagnostics.remove(0);
        assert_eq!(
            (note.severity, note.at.ply),
            (Severity::Note, Some(ply + 1))
        );
    }
}

/// A changed game gets a promotion by the numbering of programs only if the others have it.
#[test]
fn a_change_does_not_mix_numberings() {
    let queen = identity::open_all(&DCX, &base(&["a7a8=5 h7g6"])).remove(0);
    for (games, is_in_place) in [
        (&["h2g2", "h2h3"][..], true),
        (&["h2g2", "a7a8=5"], true),
        (&["h2g2", "a7a8=4", "a7a8=5"], true),
        // Nothing decides: the new promotion would.
        (&["h2g2", "a7a8=4"], false),
        (&["h2g2", "a7a8=3 h7g6 a8b8"], false),
    ] {
        let set = base(games);
        let changed = change(&DCX, &set, 0, |game| game.clone_from(&queen));
        assert_eq!(changed.is_some(), is_in_place, "{games:?}");
        if let Some(changed) = changed {
            let reading = read(&changed, "auto");
            assert_eq!(reading.games[0], "a8=Q Kg6");
            assert_eq!(
                reading.games[1..],
                read(&set, "auto").games[1..],
                "{games:?}"
            );
        }
        // Other changes do not matter.
        let changed = change(&DCX, &set, 0, |game| game.set_tag("White", "Tal")).unwrap();
        assert_eq!(read(&changed, "auto").games, read(&set, "auto").games);
    }
}
