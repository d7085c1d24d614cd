//! Games through ChessBase's format and back: the reported losses are exactly the differences.
//!
//! Every tenth game of the corpus is tested, all of them if `CHESSDB_THOROUGH` is set.
#![cfg(all(feature = "cbf", feature = "pgn", feature = "scid"))]

mod losses;

use std::path::Path;

use chessdb::cbf::{CBF, CBF_FILE, CBI_FILE, FBK, FBK_FILE};
use chessdb::convert::Report;
use chessdb::core::store::StoreReader;
use chessdb::core::{FileSet, Game, GameRead, MemorySet, ReadOptions, Scratch, WriteOptions};
use chessdb::pgn::PGN;
use chessdb::scid::SI4;
use chessdb::{Allow, Converter, Format, LossKind, Losses, Severity};
use chessdb_testkit::fixtures;
use chessdb_testkit::time::one_of;

/// Writes games in ChessBase's format and from there in the format `back`, and compares the
/// results, in batches of many games. One of `every` games is tested.
fn round_trip(reader: &mut dyn GameRead, every: u32, back: &Format, place: &str) -> (u32, Losses) {
    const RUN: usize = 2000;
    let mut scratch = Scratch::new();
    let (mut games, mut read, mut sum) = (0, 0, Losses::new());
    loop {
        let mut run = Vec::new();
        let mut game = Game::new();
        while run.len() < RUN {
            let wanted = read % every == 0;
            read += 1;
            let found = if wanted {
                reader.read_into(&mut game, &mut scratch)
            } else {
                reader.skip_game()
            };
            match found {
                Ok(true) if wanted => run.push((read, game.clone())),
                Ok(true) => {}
                Ok(false) => break,
                // A game that cannot be read at all does not concern this test.
                Err(_) => {}
            }
        }
        scratch.diagnostics.clear();
        if run.is_empty() {
            return (games, sum);
        }
        let (cbf, announced) = write(&CBF, run.iter().map(|(_, game)| game));
        let held = read_all(&CBF, &cbf);
        let (written, later) = write(back, &held);
        let returned = read_all(back, &written);
        assert_eq!(returned.len(), run.len(), "{place}");
        for (n, ((number, a), b)) in run.iter().zip(&returned).enumerate() {
            // The other format can store everything that ChessBase's format did, except the
            // position of the round in the source text and which hyphens were stored as such; and
            // PGN cannot write every comment and name that it can be read from.
            let mut said = announced[n].clone();
            for loss in &later[n] {
                match loss.kind {
                    LossKind::GameExtra => {}
                    LossKind::CommentText | LossKind::NameText => {
                        said.add_many(loss.kind, loss.count, loss.ply);
                    }
                    _ => panic!("{place}, game {number}: {loss:?}"),
                }
            }
            if let Err(fault) = losses::compare(a, b, &said) {
                panic!("{place}, game {number}: {fault}");
            }
            sum.merge(&said);
        }
        games += run.len() as u32;
    }
}

fn write<'g>(
    format: &Format,
    games: impl IntoIterator<Item = &'g Game>,
) -> (MemorySet, Vec<Losses>) {
    let mut set = MemorySet::new();
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    let mut writer = format.create.unwrap()(&mut set, options).unwrap();
    let losses = games.into_iter().map(|game| {
        let losses = writer.write(game).unwrap();
        assert_eq!(losses.count(LossKind::Game), 0);
        losses
    });
    let losses = losses.collect();
    writer.finish().unwrap();
    (set, losses)
}

fn read_all(format: &Format, set: &MemorySet) -> Vec<Game> {
    let store = (format.open)(set, ReadOptions::default()).unwrap();
    let mut scratch = Scratch::new();
    let games = (0..store.len()).map(|n| {
        let mut game = Game::new();
        store.game_into(n, &mut game, &mut scratch).unwrap();
        game
    });
    let games = games.collect();
    let mut said = scratch
        .diagnostics
        .iter()
        .filter(|said| said.severity > Severity::Note);
    let worst = said.next().map(ToString::to_string);
    assert_eq!(worst, None, "{}", format.id);
    games
}

fn one_file(format: &Format, path: &Path) -> MemorySet {
    let mut set = MemorySet::new();
    set.insert(format.roles[0], fixtures::read(path));
    set
}

fn print(what: &str, games: u32, losses: &Losses) {
    let kinds = losses
        .iter()
        .map(|loss| format!("{} {}", loss.count, loss.kind.code()));
    println!(
        "{what}: {games} games; {}",
        kinds.collect::<Vec<_>>().join(", ")
    );
}

#[test]
fn pgn_fixtures_through_cbf_and_back() {
    let mut all = 0;
    for folder in ["pgn/clean", "pgn/edge", "pgn/broken"] {
        for path in fixtures::files(&fixtures::path(folder)) {
            let set = one_file(&PGN, &path);
            let Ok(store) = (PGN.open)(&set, ReadOptions::default()) else {
                continue;
            };
            let mut reader = StoreReader::new(store.as_ref());
            let place = path.file_name().unwrap().to_string_lossy();
            // Spellings are not counted here; chessdb-proof compares these by their text.
            if place == "tags-odd.pgn" {
                continue;
            }
            let (games, losses) = round_trip(&mut reader, 1, &PGN, &place);
            print(&place, games, &losses);
            all += games;
        }
    }
    assert!(all > 500, "{all}");
}

#[test]
fn scid_bases_through_cbf_and_back() {
    let mut folders = vec![fixtures::path("scid")];
    folders.extend(fixtures::testdata("fixtures-made/scid4"));
    for name in [
        "benini-scid",
        "oracle-made",
        "scidvspc-five",
        "scidvspc-si4",
    ] {
        folders.extend(fixtures::testdata(&format!("fixtures-real/scid/{name}")));
    }
    for stem in folders
        .iter()
        .flat_map(|folder| fixtures::bases(folder, SI4.roles[0]))
    {
        let set = fixtures::load_set(&stem, SI4.roles);
        let store = (SI4.open)(&set, ReadOptions::default()).unwrap();
        let mut reader = StoreReader::new(store.as_ref());
        let place = stem.file_name().unwrap().to_string_lossy();
        let (games, losses) = round_trip(&mut reader, 1, &SI4, &place);
        print(&place, games, &losses);
        assert_eq!(games, store.len());
    }
}

#[test]
fn the_corpus_through_cbf_and_back() {
    let Some(path) = fixtures::testdata("corpus/games-100k.pgn.zst") else {
        return;
    };
    let every = one_of(10) as u32;
    let bytes = zstd::decode_all(std::fs::File::open(path).unwrap()).unwrap();
    let stream = PGN.stream.unwrap();
    let mut reader = stream(Box::new(&bytes[..]), ReadOptions::default()).unwrap();
    let (games, losses) = round_trip(reader.as_mut(), every, &PGN, "corpus");
    print("corpus", games, &losses);
    assert_eq!(games, 100_000 / every);
}

/// A comparison that finds nothing would pass all tests above.
#[test]
fn the_comparison_finds_both_kinds_of_fault() {
    let through = |text: &str| {
        let mut set = MemorySet::new();
        set.insert(PGN.roles[0], text);
        let a = read_all(&PGN, &set).remove(0);
        let (cbf, mut announced) = write(&CBF, [&a]);
        let (back, _) = write(&PGN, &read_all(&CBF, &cbf));
        (a, read_all(&PGN, &back).remove(0), announced.remove(0))
    };
    let (a, b, announced) = through(
        "[White \"Tal\"]\n[Site \"Riga\"]\n[Date \"1960.03.15\"]\n[WhiteElo \"2703\"]\n[Remark \"x\"]\n\n\
         1. e4 e5 $1 $240 {a} (1... c5 2. -- d6) {b} 2. Nf3 Nc6 {c} *\n",
    );
    assert_eq!(losses::compare(&a, &b, &announced), Ok(()));
    assert!(announced.iter().count() >= 8, "{announced:?}");
    for left_out in &announced {
        let mut fewer = Losses::new();
        for loss in announced.iter().filter(|loss| loss.kind != left_out.kind) {
            fewer.add_many(loss.kind, loss.count, None);
        }
        let found = losses::compare(&a, &b, &fewer);
        assert!(found.is_err(), "{left_out:?} of {announced:?}");
    }
    let (a, b, announced) =
        through("[White \"Tal\"]\n[Date \"1960.??.??\"]\n\n1. e4 e5 $1 {a} (1... c5 {b}) *\n");
    assert_eq!(losses::compare(&a, &b, &announced), Ok(()));
    assert!(announced.is_empty());
    for kind in CBF.losses.iter() {
        let mut more = Losses::new();
        more.add(kind, None);
        assert!(losses::compare(&a, &b, &more).is_err(), "{kind:?}");
    }
}

/// Converts a database as the program does.
fn converted(
    source: &MemorySet,
    from: &'static Format,
    to: &'static Format,
) -> (MemorySet, Report) {
    let store = (from.open)(source, ReadOptions::default()).unwrap();
    let mut target = MemorySet::new();
    let converter = Converter::to_sink(&mut target).format(to);
    let report = converter.add_store(store.as_ref(), Some(from));
    let report = report.run().unwrap();
    (target, report)
}

/// Returns a PGN file on one line.
fn words(pgn: &MemorySet) -> String {
    let text = std::str::from_utf8(pgn.get(PGN.roles[0]).unwrap()).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn fixture(name: &str) -> MemorySet {
    fixtures::load_set(fixtures::path("cbf").join(name), CBF.roles)
}

/// In PGN a line ends at ChessBase's illegal en passant, with a comment that states the move
/// played; between databases it is an ordinary move.
#[test]
fn a_ghost_ends_the_line_in_pgn() {
    let source = fixture("odd");
    let (pgn, report) = converted(&source, &CBF, &PGN);
    assert_eq!(report.lost(LossKind::GhostEnPassant), 1);
    assert!(
        words(&pgn).contains("6. d4 O-O {illegal en passant: exd6} *"),
        "{}",
        words(&pgn)
    );
    let (again, report) = converted(&source, &CBF, &CBF);
    assert!(!report.has_losses(), "{report:?}");
    for role in [CBF_FILE, CBI_FILE] {
        assert!(again.get(role) == source.get(role), "{role}");
    }
}

#[test]
fn a_book_becomes_a_tree_of_variations_and_a_book_again() {
    let mut book = MemorySet::new();
    book.insert(FBK_FILE, fixtures::read(fixtures::path("cbf/book.fbk")));
    let (pgn, report) = converted(&book, &FBK, &PGN);
    assert!(!report.has_losses());
    let moves = "1. e4 (1. d4 d5) 1... e5 (1... c5 2. Nf3 (2. c3)) (1... f5 $6) 2. Nf3 Nc6 *";
    assert_eq!(words(&pgn).rsplit("] ").next(), Some(moves));
    let (again, report) = converted(&pgn, &PGN, &FBK);
    assert!(!report.has_losses(), "{report:?}");
    assert_eq!(again.get(FBK_FILE), book.get(FBK_FILE));
}
