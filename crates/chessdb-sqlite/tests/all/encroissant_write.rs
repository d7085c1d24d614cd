//! Databases that this crate writes, against those that En Croissant made from the same PGN.

use chessdb_core::options::Allow;
use chessdb_core::{Color, Game, GameStore, GameWrite, LossKind, Losses, MemorySet, compare};
use chessdb_core::{Diagnostic, ReadOptions, Scratch, Severity, WriteOptions};
use chessdb_pgn::Store as Pgn;
use chessdb_sqlite::encroissant::{DB3, EN_CROISSANT, Store, Writer};
use chessdb_testkit::corrupt::Corruptor;
use chessdb_testkit::judge::{Excused, judge};
use chessdb_testkit::strategy::{GameOptions, games};
use chessdb_testkit::{identity, readings};
use proptest::prelude::*;
use rusqlite::types::Value as Sql;

use crate::encroissant::{DIFFERING, clean_pgn, content, sample};
use crate::write::{connect, query};

fn write(games: &[Game], options: WriteOptions) -> (MemorySet, Vec<Losses>) {
    let mut files = MemorySet::new();
    let options = options.with_allowed(Allow::Everything);
    let mut writer = Box::new(Writer::create(&mut files, options).unwrap());
    let losses = games.iter().map(|game| {
        let before = writer.assess(game);
        let losses = writer.write(game).unwrap();
        assert_eq!(before, losses);
        losses
    });
    let losses = losses.collect();
    writer.finish().unwrap();
    (files, losses)
}

fn read(game: &Game) -> (Game, Losses) {
    let (files, losses) = write(std::slice::from_ref(game), WriteOptions::default());
    let store = Store::open(&files, ReadOptions::default()).unwrap();
    let (mut back, mut scratch) = (Game::new(), Scratch::new());
    store.game_into(0, &mut back, &mut scratch).unwrap();
    let lost = |found: &Diagnostic| found.severity == Severity::Lost;
    assert!(
        !scratch.diagnostics.iter().any(lost),
        "{:?}",
        scratch.diagnostics
    );
    (back, losses.into_iter().next().unwrap())
}

/// The cells of `Games` that differ although the game is the same: row numbers, column, the
/// program's value, ours (`None`: any number), and the reason.
type DifferingCells = (
    &'static [i64],
    &'static str,
    Option<Sql>,
    Option<Sql>,
    &'static str,
);

fn differing_cells() -> Vec<DifferingCells> {
    let text = |text: &str| Some(Sql::Text(text.into()));
    vec![
        (
            &[3, 4, 5, 6, 399, 471],
            "Result",
            Some(Sql::Null),
            text("*"),
            "a game without the tag, which is an unknown result in the model",
        ),
        (
            &[356, 365, 432, 433, 436, 437, 438],
            "Date",
            text("????.??.??"),
            Some(Sql::Null),
            "an unknown date, which is an absent one in the model",
        ),
        (
            &[329, 330, 331, 332, 333, 334],
            "WhiteElo",
            Some(Sql::Null),
            None,
            "a rating of another kind, which the program drops",
        ),
        (
            &[328, 329, 330, 331, 333, 334],
            "BlackElo",
            Some(Sql::Null),
            None,
            "the same",
        ),
        (
            &[336],
            "BlackElo",
            None,
            None,
            "the Elo after a rating of another kind, which is the player's rating in the model",
        ),
    ]
}

#[test]
fn tables_are_those_of_the_program() {
    let Some(genuine) = sample("made-fixtures.db3") else {
        return;
    };
    let mut pgn = Vec::new();
    for (_, bytes) in clean_pgn() {
        pgn.extend(identity::read_all(
            &Pgn::open(&bytes, ReadOptions::default()).unwrap(),
        ));
    }
    let store = Store::open(&genuine, ReadOptions::default()).unwrap();
    // The PGN game that each game was imported from. A game that differs is written as it was
    // imported.
    let mut rest = pgn.iter();
    let mut same = Vec::new();
    for (id, game) in (1..).zip(identity::read_all(&store)) {
        let wanted = content(&game);
        let is_listed = DIFFERING.iter().any(|(own, _)| *own == id);
        let found = rest.clone().position(|other| content(other) == wanted);
        match found.filter(|_| !is_listed) {
            Some(at) => same.extend(rest.nth(at).cloned()),
            None => same.push(game),
        }
    }
    let base = WriteOptions::default().with_base(store.base().clone());
    let (ours, _) = write(&same, base);
    let (ours, genuine) = (connect(&ours, DB3), connect(&genuine, DB3));
    for table in ["sqlite_sequence", "Info", "Events", "Sites", "Players"] {
        let rows = |connection| query(connection, &format!("SELECT * FROM {table}"));
        assert_eq!(rows(&genuine), rows(&ours), "{table}");
    }
    let columns = query(&genuine, "SELECT name FROM pragma_table_info('Games')");
    let mut listed: Vec<(i64, &str)> = Vec::new();
    for (ids, column, ..) in differing_cells() {
        listed.extend(ids.iter().map(|&id| (id, column)));
    }
    let mut differing = Vec::new();
    for column in &columns {
        let Sql::Text(column) = &column[0] else {
            panic!("{column:?}")
        };
        let cells = format!("SELECT {column} FROM Games ORDER BY ID");
        let cells = |connection| query(connection, &cells).concat();
        let (wanted, found) = (cells(&genuine), cells(&ours));
        assert_eq!(wanted.len(), found.len());
        for (id, (wanted, found)) in (1..).zip(wanted.into_iter().zip(found)) {
            if wanted == found {
                continue;
            }
            let listed = differing_cells().into_iter().find(|(ids, own, a, b, _)| {
                let is_wanted = a.as_ref().is_none_or(|a| *a == wanted);
                let is_found = match b {
                    Some(b) => *b == found,
                    None => matches!(found, Sql::Integer(_)),
                };
                *own == column.as_str() && ids.contains(&id) && is_wanted && is_found
            });
            assert!(
                listed.is_some(),
                "game {id}, {column}: {wanted:?}, ours {found:?}"
            );
            differing.push((id, listed.unwrap().1));
        }
    }
    listed.sort_unstable();
    differing.sort_unstable();
    assert_eq!(differing, listed);
    // Names of columns, types and indexes.
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name";
    let plain = |rows: Vec<Vec<Sql>>| {
        let spaceless = |value: Sql| match value {
            Sql::Text(text) => text.replace(char::is_whitespace, ""),
            value => format!("{value:?}"),
        };
        rows.into_iter()
            .map(|row| row.into_iter().map(spaceless).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    assert_eq!(plain(query(&ours, schema)), plain(query(&genuine, schema)));
    for pragma in [
        "page_size",
        "encoding",
        "user_version",
        "application_id",
        "auto_vacuum",
    ] {
        let pragma = format!("PRAGMA {pragma}");
        assert_eq!(query(&ours, &pragma), query(&genuine, &pragma), "{pragma}");
    }
}

#[test]
fn a_database_of_the_program_is_rewritten_without_loss() {
    for name in ["made-example.db3", "made-fixtures.db3"] {
        let Some(genuine) = sample(name) else { return };
        let once = identity::rewrite(&EN_CROISSANT, &genuine, &Allow::Nothing).unwrap();
        let games = |files| identity::open_all(&EN_CROISSANT, files);
        for (before, after) in games(&genuine).iter().zip(&games(&once.set)) {
            assert_eq!(compare::first_difference(before, after), None);
        }
        let twice = identity::rewrite(&EN_CROISSANT, &once.set, &Allow::Nothing).unwrap();
        assert_eq!(identity::first_difference(&once.set, &twice.set), None);
    }
}

#[test]
fn spellings_come_back_or_are_counted() {
    use LossKind as L;
    for (tag, value, lost) in [
        ("Event", "", None),
        ("Event", "?", None),
        ("Event", r#"A "quoted" \ event"#, None),
        ("Event", r#"\""#, None),
        ("Site", "two\nlines\tand more", None),
        ("Event", "Unknown", Some(L::Tag)),
        ("White", "Unknown", Some(L::Tag)),
        ("White", r#"O"Hara \"#, None),
        ("Black", "", None),
        ("Round", "1", None),
        ("Round", "1.1", None),
        ("Round", "?", None),
        ("Round", "", None),
        ("Round", "-", None),
        ("Round", "3.2.1", None),
        ("Round", "1.10", Some(L::Round)),
        ("Round", "05", Some(L::Round)),
        ("Round", "1e3", Some(L::Round)),
        ("Round", " 5", Some(L::Round)),
        ("Round", "12345678901234567890", Some(L::Round)),
        ("Date", "1960.??.??", None),
        ("Date", "1985/11", None),
        ("Date", r#"x"y"#, None),
        ("UTCDate", "2020.01.02", Some(L::Tag)),
        ("UTCTime", "10:20:30", None),
        ("TimeControl", "40/7200:3600", None),
        ("TimeControl", "-", None),
        ("WhiteElo", "2500", None),
        ("WhiteElo", "-", None),
        ("WhiteElo", "-5", None),
        ("WhiteElo", "70000", None),
        ("WhiteElo", "02500", Some(L::Rating)),
        ("WhiteElo", "?", Some(L::EmptyTag)),
        ("WhiteElo", "0", Some(L::EmptyTag)),
        ("WhiteElo", "99999999999", Some(L::Rating)),
        ("BlackRapid", "2400", Some(L::RatingType)),
        ("Result", "1/2", None),
        ("Result", "1-0 ff", None),
        ("Result", "0", None),
        ("Result", "01", Some(L::Result)),
        ("ECO", "B90", None),
        ("ECO", "?", None),
        ("ECO", "b90x", None),
        ("Annotator", "N. N.", Some(L::Annotator)),
        ("Opening", "Sicilian", Some(L::Tag)),
        ("Board", "?", Some(L::EmptyTag)),
        ("WhiteTitle", "GM", Some(L::Title)),
        ("WhiteFideId", "12345", Some(L::FideId)),
        ("EventDate", "2020.01.01", Some(L::EventDate)),
        ("FEN", "4k3/8/8/8/8/8/8/4K2R w K - 3 40", None),
        ("FEN", "4k3/8/8/8/8/8/8/4K2R  w  K", Some(L::TagText)),
        (
            "FEN",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            Some(L::Tag),
        ),
    ] {
        let game = Game::builder().tag(tag, value).build();
        let (back, losses) = read(&game);
        let counted: Vec<_> = losses.iter().map(|loss| loss.kind).collect();
        let also = (tag == "UTCDate").then_some(L::Date);
        let wanted: Vec<_> = also.into_iter().chain(lost).collect();
        assert_eq!(counted, wanted, "{tag} {value:?}");
        let seen = compare::games(&game, &back);
        let problems = judge(&seen, &losses, &mut Excused::new());
        assert!(problems.is_empty(), "{tag} {value:?}: {problems:?}");
        if lost.is_none() {
            assert_eq!(
                back.tag(tag).as_deref(),
                game.tag(tag).as_deref(),
                "{tag} {value:?}"
            );
        }
    }
}

#[test]
fn long_comments_are_cut_into_pieces_and_joined() {
    for length in [0, 1, 65534, 65535, 65536, 131_070, 131_071] {
        // The pieces end within a character.
        let text = "xä".repeat(length / 3) + &"x".repeat(length % 3);
        assert_eq!(text.len(), length);
        let builder = Game::builder().comment_before("before").san("e4").unwrap();
        let game = builder.comment(&text).comment("after").nag(1).build();
        let (back, losses) = read(&game);
        assert!(losses.is_empty());
        assert_eq!(identity::line(&back), identity::line(&game), "{length}");
    }
}

#[test]
fn null_moves_end_their_line_and_are_counted() {
    let mut game = Game::builder().sans(["e4", "e5"]).unwrap().build();
    let mut tape = game.moves.builder(&chessdb_core::limits::Limits::default());
    tape.mv(chessdb_core::PackedMove::NULL).unwrap();
    tape.finish();
    let (back, losses) = read(&game);
    assert_eq!(losses.count(LossKind::NullMove), 1);
    assert_eq!(
        back.plies() + losses.count(LossKind::MovesCut) + 1,
        game.plies()
    );
}

#[test]
fn search_columns_are_those_of_the_final_position() {
    let game = Game::builder()
        .fen("k7/7P/8/8/8/8/p7/K7 w - - 0 1")
        .unwrap()
        .sans(["h8=Q+", "Kb7", "Qb8+"])
        .unwrap()
        .build();
    let (files, _) = write(&[game], WriteOptions::default());
    let row = query(
        &connect(&files, DB3),
        "SELECT WhiteMaterial, BlackMaterial, PawnHome, PlyCount, hex(Moves) FROM Games",
    );
    let ints = [1, 1, 0, 3].map(Sql::Integer);
    assert_eq!(row[0][..4], ints);
}

#[test]
fn losses_that_are_not_allowed_are_errors_and_leave_no_trace() {
    let mut files = MemorySet::new();
    let mut writer = Box::new(Writer::create(&mut files, WriteOptions::default()).unwrap());
    assert!(
        writer
            .write(&Game::builder().tag("Opening", "x").build())
            .is_err()
    );
    let game = Game::builder().white("A").elo(Color::White, 2500).build();
    writer.write(&game).unwrap();
    assert_eq!(writer.finish().unwrap(), 1);
    let back = identity::open_all(&EN_CROISSANT, &files);
    assert_eq!((back.len(), &*back[0].white()), (1, "A"));
}

/// Everything that the format holds.
fn held() -> GameOptions {
    GameOptions {
        null_moves: false,
        comments_before: false,
        // The program drops a FEN of the standard position.
        spelt_out_start: false,
        ..GameOptions::held_by(&EN_CROISSANT)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// What is not announced comes back.
    #[test]
    fn random_games_lose_only_what_is_counted(all in prop::collection::vec(games(GameOptions::all()), 1..4)) {
        let (files, losses) = write(&all, WriteOptions::default());
        let back = identity::open_all(&EN_CROISSANT, &files);
        prop_assert_eq!(back.len(), all.len());
        for ((game, back), losses) in all.iter().zip(&back).zip(&losses) {
            let problems = judge(&compare::games(game, back), losses, &mut Excused::new());
            prop_assert!(problems.is_empty(), "{:?}", problems);
            prop_assert!(losses.iter().all(|loss| EN_CROISSANT.losses.contains(loss.kind)), "{:?}", losses);
        }
    }

    #[test]
    fn moves_with_variations_comments_and_nags_come_back(game in games(held())) {
        let (back, losses) = read(&game);
        prop_assert!(losses.is_empty());
        prop_assert_eq!(identity::line(&back), identity::line(&game));
    }
}

#[test]
fn all_ways_of_reading_agree_on_sound_and_on_damaged_files() {
    let games: Vec<Game> = (0..6)
        .map(|seed| chessdb_testkit::strategy::game(seed, &held()))
        .collect();
    let (files, _) = write(&games, WriteOptions::default());
    let options = ReadOptions::default();
    readings::check(&EN_CROISSANT, &files, &options);
    let corruptor = Corruptor::new(&files, 8);
    let truncations = corruptor.some_truncations(DB3, 32, 60);
    for variant in truncations.chain(corruptor.bit_flips(DB3, 40, 300)) {
        identity::survive(&EN_CROISSANT, &variant, &options, 6);
        readings::check(&EN_CROISSANT, &variant, &options);
    }
}
