//! The crafted files behave as stated in the table of docs/formats/dcx.md, section 13.

use std::fmt::Write as _;
use std::path::PathBuf;

use chessdb_core::line::Walk;
use chessdb_core::model::{Field, GameFlags, Place};
use chessdb_core::options::Mode;
use chessdb_core::rules::san;
use chessdb_core::{Diagnostic, Event, Game, MemorySet, ReadOptions, Scratch, Severity, Start};
use chessdb_dcx::{DCI_FILE, DCX, Promotions, Store};
use chessdb_testkit::fixtures;

/// A row of the table: the expected result for a file.
struct Row {
    name: &'static str,
    /// The moves of each game in the form of [`shown`].
    games: &'static [&'static str],
    /// The diagnostics on opening, then those of each game: severity and words of the message.
    said: &'static [(Severity, &'static str)],
}

const fn quiet(name: &'static str, games: &'static [&'static str]) -> Row {
    Row {
        name,
        games,
        said: &[],
    }
}

use Severity::{Lost, Note, Repaired};

#[rustfmt::skip]
const TABLE: &[Row] = &[
    quiet("ok", &["e4 e5"]),
    quiet("len7f_game", &["e4 {122 c}"]),
    quiet("len7f_comment", &["e4 {127 c} e5"]),
    quiet("len81small", &["e4 {abc} e5"]),
    quiet("len83", &["e4 {abc} e5"]),
    quiet("len84", &["e4 {abc} e5"]),
    Row { name: "halfmove", games: &["e4"], said: &[(Lost, "ply 1: a move needs 2 bytes")] },
    Row { name: "ref0", games: &["e4"], said: &[
        (Lost, "reference to a player has the unexpected value 0"),
        (Lost, "reference to a player has the unexpected value 47"),
        (Lost, "reference to a site has the unexpected value 4000"),
    ] },
    Row { name: "comment_after_bov", games: &["e4 {M} e5 {N} ( <P> c5 ) Nf3"],
        said: &[(Note, "a comment before the first move of a variation")] },
    Row { name: "two_comments", games: &["e4 {M} {N} e5"], said: &[(Note, "a second comment on one move")] },
    quiet("comment_then_nag", &["e4 {M} $1 e5 $2 $14 $146"]),
    quiet("deleted", &["(deleted) e4", "Nf3"]),
    Row { name: "status1", games: &["e4", "Nf3"], said: &[(Note, "game 1, byte 0x13: Status has the unexpected value 1")] },
    Row { name: "ver1", games: &["e4"], said: &[(Note, "byte 0xa: version has the unexpected value 1")] },
    Row { name: "magiced", games: &["e4"], said: &[
        (Note, "dci file: expected"), (Note, "dcn file: expected"),
        (Note, "dcs file: expected"), (Note, "dce file: expected"),
        (Note, "dcg file: expected"),
    ] },
    Row { name: "prom1", games: &["[8/P6k/8/8/8/8/7K/8 w - - 0 1] a8=N Kg6"],
        said: &[(Note, "promotions are numbered as in the published text")] },
    Row { name: "prom4", games: &["[8/P6k/8/8/8/8/7K/8 w - - 0 1] a8=R Kg6"],
        said: &[(Note, "1 promotion is possible with both numberings")] },
    Row { name: "prom6", games: &["[8/P6k/8/8/8/8/7K/8 w - - 0 1]"],
        said: &[(Lost, "ply 0: move \"a7a8=6\"")] },
    Row { name: "fenmark2", games: &[""], said: &[(Lost, "byte 0xb: FenMarker has the unexpected value 2")] },
    Row { name: "illegal", games: &["e4"], said: &[(Lost, "ply 1: move \"e7e4\"")] },
    quiet("castle_kg", &["[4k3/8/8/8/8/8/8/4K2R w K - 0 1] O-O"]),
    Row { name: "bov_first", games: &["( e4 ) Nf3"], said: &[(Repaired, "a variation without a move to replace")] },
    Row { name: "eov_extra", games: &["e4 e5"], said: &[(Repaired, "the end of a variation that was never opened")] },
    Row { name: "unclosed", games: &["e4 e5 ( c5 )"], said: &[(Repaired, "the game ends inside a variation")] },
    Row { name: "tailpartial", games: &["e4"], said: &[(Note, "an entry of the index needs 39 bytes, but only 10")] },
    Row { name: "marker89", games: &["e4"], said: &[(Lost, "a token has the unexpected value 137")] },
    Row { name: "byte80", games: &["e4"], said: &[(Lost, "a token has the unexpected value 141")] },
    Row { name: "rootnag", games: &["$1 e4"], said: &[(Note, "NAGs before the first move")] },
    quiet("empty", &[""]),
    Row { name: "nul_pad", games: &["e4"], said: &[
        (Note, "dcn file, byte 0xa: a name that is not padded"), (Note, "dcn file, byte 0x2e: a name"),
        (Note, "dcs file, byte 0xa: a name"), (Note, "dce file, byte 0xa: a name"),
    ] },
    Row { name: "len0", games: &[""], said: &[(Lost, "a game of length 0")] },
];

fn folder() -> Option<PathBuf> {
    fixtures::testdata("fixtures-real/dcx/own-crafted")
}

fn load(folder: &std::path::Path, name: &str) -> MemorySet {
    fixtures::load_set(folder.join(name), DCX.roles)
}

/// Returns flags, start position, moves and annotations in one line.
fn shown(game: &Game) -> String {
    let mut words = Vec::new();
    if game.header.flags.contains(GameFlags::DELETED) {
        words.push("(deleted)".to_owned());
    }
    if let Start::Setup(setup) = &game.header.start {
        words.push(format!("[{}]", setup.board));
    }
    let mut walk = Walk::plain(game).unwrap();
    while let Some(event) = walk.step() {
        words.push(match event {
            Event::Move(mv) => san(walk.lines().board(), mv),
            Event::Nag(nag) => format!("${nag}"),
            Event::Comment(place, text) => {
                let text = text.decode();
                let letters = text.trim_matches('c');
                let text = if letters.is_empty() {
                    format!("{} c", text.len())
                } else {
                    text.into_owned()
                };
                match place {
                    Place::Before => format!("<{text}>"),
                    Place::After => format!("{{{text}}}"),
                }
            }
            Event::Open(_) => "(".into(),
            Event::Close => ")".into(),
            other => panic!("{other:?}"),
        });
    }
    words.join(" ")
}

fn with_mode(mode: Mode) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.mode = mode;
    options
}

#[test]
fn every_crafted_file_gives_what_the_table_says() {
    let Some(folder) = folder() else { return };
    for row in TABLE {
        let set = load(&folder, row.name);
        let store = (DCX.open)(&set, ReadOptions::default()).unwrap();
        let mut said: Vec<String> = store
            .diagnostics()
            .iter()
            .map(Diagnostic::to_string)
            .collect();
        let mut severities: Vec<_> = store.diagnostics().iter().map(|d| d.severity).collect();
        let mut scratch = Scratch::new();
        let mut game = Game::new();
        assert_eq!(store.len() as usize, row.games.len(), "{}", row.name);
        for (n, wanted) in row.games.iter().enumerate() {
            store.game_into(n as u32, &mut game, &mut scratch).unwrap();
            assert_eq!(shown(&game), *wanted, "{}, game {}", row.name, n + 1);
            check_header(row.name, n as u32, &game);
        }
        said.extend(scratch.diagnostics.iter().map(Diagnostic::to_string));
        severities.extend(scratch.diagnostics.iter().map(|d| d.severity));
        assert_eq!(said.len(), row.said.len(), "{}: {said:?}", row.name);
        for (n, (severity, words)) in row.said.iter().enumerate() {
            assert_eq!(severities[n], *severity, "{}: {}", row.name, said[n]);
            assert!(said[n].contains(words), "{}: {}", row.name, said[n]);
        }
    }
}

/// Checks names, date and so on, which are the same in all files.
fn check_header(name: &str, n: u32, game: &Game) {
    let header = &game.header;
    let text = |id| game.text(id).decode().into_owned();
    if name == "ref0" {
        assert!(header.white.name.text.is_none() && header.black.name.text.is_none());
        assert!(header.site.text.is_none());
    } else {
        assert_eq!(text(header.white.name.text), "Wn", "{name}");
        assert_eq!(text(header.black.name.text), "Bn", "{name}");
        assert_eq!(text(header.site.text), "St", "{name}");
    }
    assert_eq!(text(header.event.text), "Ev", "{name}");
    assert_eq!(text(header.round.text), (n + 1).to_string(), "{name}");
    assert_eq!(
        header.eco.map(|eco| eco.to_string()).as_deref(),
        Some("A00")
    );
    let mut date = String::new();
    write!(date, "{}", header.date).unwrap();
    assert_eq!(date, format!("{}.01.01", 2000 + n), "{name}");
    assert!(header.verbatim(Field::Eco).is_none());
}

/// Files without diagnostics are also read in strict mode; the others are rejected with their first
/// deviation.
#[test]
fn strict_reading_agrees_with_the_table() {
    let Some(folder) = folder() else { return };
    for row in TABLE {
        let set = load(&folder, row.name);
        let strictly = || -> chessdb_core::Result<()> {
            let store = (DCX.open)(&set, with_mode(Mode::Strict))?;
            for n in 0..store.len() {
                store.game_into(n, &mut Game::new(), &mut Scratch::new())?;
            }
            Ok(())
        };
        // It is no deviation if nothing determines the numbering of promotions.
        let is_deviation = |said: &&(Severity, &str)| !said.1.contains("possible with both");
        let said: Vec<_> = row.said.iter().filter(is_deviation).copied().collect();
        match (strictly(), &said[..]) {
            (Ok(()), []) => {}
            (Err(error), [(_, words), ..]) => {
                assert!(error.to_string().contains(words), "{}: {error}", row.name);
            }
            (result, said) => panic!("{}: {result:?}, but {said:?}", row.name),
        }
    }
}

#[test]
fn the_table_lists_every_file() {
    let Some(folder) = folder() else { return };
    let mut names: Vec<_> = TABLE.iter().map(|row| row.name).collect();
    names.sort_unstable();
    let found: Vec<_> = fixtures::bases(&folder, DCI_FILE)
        .iter()
        .map(|stem| stem.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, found);
}

/// A given numbering of promotions is not guessed.
#[test]
fn the_numbering_of_promotions_can_be_chosen() {
    let Some(folder) = folder() else { return };
    let read = |name: &str, promotions| {
        let set = load(&folder, name);
        let store = Store::open_numbered(&set, ReadOptions::default(), promotions).unwrap();
        let mut game = Game::new();
        chessdb_core::GameStore::game_into(&store, 0, &mut game, &mut Scratch::new()).unwrap();
        shown(&game)
            .split_once("] ")
            .map(|(_, moves)| moves.to_owned())
    };
    assert_eq!(read("prom1", Some(Promotions::Reference)), None);
    let queen = read("prom4", Some(Promotions::Published));
    assert_eq!(queen.as_deref(), Some("a8=Q Kg6"));
}
