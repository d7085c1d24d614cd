//! PGN to SCID 4 and back: the bytes equal Scid's own import, the games are the same, and all
//! losses are reported.
#![cfg(all(feature = "pgn", feature = "scid"))]

use std::path::Path;

use chessdb::core::compare::first_difference;
use chessdb::core::files::Role;
use chessdb::core::{Game, MemorySet, WriteOptions};
use chessdb::pgn::PGN;
use chessdb::scid::{SI3, SI4, SI5};
use chessdb::{Allow, Format, LossKind, Losses};
use chessdb_testkit::expected::{self, CompareOptions};
use chessdb_testkit::strategy::{GameOptions, games};
use chessdb_testkit::{fixtures, identity};
use proptest::prelude::*;

fn write(format: &Format, games: &[Game]) -> (MemorySet, Losses) {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    identity::write_all(format, games, options).unwrap()
}

fn pgn(path: &Path) -> MemorySet {
    let mut set = MemorySet::new();
    set.insert(Role("pgn"), fixtures::read(path));
    set
}

/// SCID 4 may report no losses for clean PGN.
#[test]
fn clean_pgn_becomes_what_scid_itself_makes_of_it() {
    let files = fixtures::files(&fixtures::path("pgn/clean"));
    assert!(files.len() >= 15, "only {} files", files.len());
    for file in files {
        let stem = file.file_stem().unwrap();
        let roles = SI4.roles;
        let by_scid = fixtures::load_set(fixtures::path("scid").join(stem), roles);
        let games = identity::open_all(&PGN, &pgn(&file));
        let (ours, losses) = write(&SI4, &games);
        let difference = identity::first_difference(&ours, &by_scid);
        assert!(
            difference.is_none(),
            "{}: {}",
            file.display(),
            difference.unwrap()
        );
        assert!(losses.is_empty(), "{}: {losses:?}", file.display());
    }
}

/// Standard castling rights, or none, do not mark a game as Chess960; only the tag does. Without
/// the tag the mark is a reported loss.
#[test]
fn chess960_with_standard_rights_is_kept_or_announced() {
    let path = fixtures::path("pgn/edge/chess960-standard-rights.pgn");
    let games = identity::open_all(&PGN, &pgn(&path));
    assert_eq!(games.len(), 5);
    for format in [&SI3, &SI4, &SI5] {
        let (base, losses) = write(format, &games);
        assert!(losses.is_empty(), "{}: {losses:?}", format.id);
        let back = identity::open_all(format, &base);
        for (game, back) in games.iter().zip(&back) {
            assert_eq!(first_difference(game, back), None, "{}", format.id);
        }
    }
    let mut untagged = games;
    for game in &mut untagged {
        game.header.tags.clear();
    }
    for (format, lost) in [(&SI3, 5), (&SI4, 5), (&SI5, 0)] {
        let (_, losses) = write(format, &untagged);
        assert_eq!(losses.count(LossKind::Chess960), lost, "{}", format.id);
    }
}

/// Database to PGN to database: the bytes are the same, as PGN can store everything in these
/// databases.
#[test]
fn clean_bases_survive_pgn() {
    for file in fixtures::files(&fixtures::path("pgn/clean")) {
        let stem = file.file_stem().unwrap();
        let by_scid = fixtures::load_set(fixtures::path("scid").join(stem), SI4.roles);
        let games = identity::open_all(&SI4, &by_scid);
        let (text, losses) = write(&PGN, &games);
        assert!(losses.is_empty(), "{}: {losses:?}", file.display());
        let again = identity::open_all(&PGN, &text);
        assert_eq!(games.len(), again.len());
        let (ours, losses) = write(&SI4, &again);
        assert!(losses.is_empty(), "{}: {losses:?}", file.display());
        let difference = identity::first_difference(&ours, &by_scid);
        assert!(
            difference.is_none(),
            "{}: {}",
            file.display(),
            difference.unwrap()
        );
    }
}

/// The database that Scid made from an annotated PGN, and that PGN, contain the expected games.
#[test]
fn the_made_base_and_its_source_hold_the_expected_games() {
    let Some(folder) = fixtures::testdata("fixtures-made/scid4") else {
        return;
    };
    for base in expected::bases(&folder) {
        let si4 = fixtures::load_set(&base.stem, SI4.roles);
        let source = pgn(base.source.as_deref().expect("the base has a source"));
        for (what, games) in [
            (&base.name[..], identity::open_all(&SI4, &si4)),
            ("its source", identity::open_all(&PGN, &source)),
        ] {
            assert_eq!(games.len(), base.games.len(), "{what}");
            // The expected games do not list Scid's own tag for flags.
            let mut options = CompareOptions::default().ignoring("ScidFlags");
            // The source does not mark deleted games.
            options.deleted = what != "its source";
            for (n, (game, expected)) in games.iter().zip(&base.games).enumerate() {
                if let Err(difference) = expected::compare(game, expected, &options) {
                    panic!("{what}, game {}: {difference}", n + 1);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Everything that both formats can store comes back equal, without losses.
    #[test]
    fn random_games_survive_both_formats(game in games(GameOptions::for_pgn_and_scid())) {
        let start = [game];
        let (text, losses) = write(&PGN, &start);
        prop_assert!(losses.is_empty(), "to PGN: {losses:?}");
        let read = identity::open_all(&PGN, &text);
        prop_assert_eq!(read.len(), 1);
        let (base, losses) = write(&SI4, &read);
        prop_assert!(losses.is_empty(), "to SCID: {losses:?}");
        let stored = identity::open_all(&SI4, &base);
        let (text_again, losses) = write(&PGN, &stored);
        prop_assert!(losses.is_empty(), "back to PGN: {losses:?}");
        let back = identity::open_all(&PGN, &text_again);
        prop_assert_eq!(back.len(), 1);
        if let Some(difference) = first_difference(&start[0], &back[0]) {
            let shown = String::from_utf8_lossy(
                chessdb::core::FileSet::get(&text, Role("pgn")).unwrap()
            ).into_owned();
            prop_assert!(false, "{difference}\n{shown}");
        }
    }
}

/// The limit counts tags other than the typed ones in both formats: games that one reader accepts
/// are not cut by the other.
#[test]
fn as_many_tags_as_a_game_may_have_come_back() {
    let mut text = String::new();
    for name in [
        "Event",
        "Site",
        "Round",
        "White",
        "Black",
        "WhiteTitle",
        "Annotator",
    ] {
        text += &format!("[{name} \"x\"]\n");
    }
    for n in 0..512 {
        text += &format!("[Tag{n} \"{n}\"]\n");
    }
    text += "\n*\n";
    let mut set = MemorySet::new();
    set.insert(Role("pgn"), text.into_bytes());
    let games = identity::open_all(&PGN, &set);
    let others = games[0].header.tags.len();
    assert!(others >= 512, "{others}");
    for format in [&SI3, &SI4, &SI5] {
        let (base, losses) = write(format, &games);
        assert!(losses.is_empty(), "{}: {losses:?}", format.id);
        let back = identity::open_all(format, &base);
        assert_eq!(first_difference(&games[0], &back[0]), None, "{}", format.id);
    }
}

/// Tags with fields of their own that occur twice, in standard and odd spellings.
const REPEATED: &str = r#"[Event "Edge set"]
[Site "Testville"]
[Date "2000.01.01"]
[Round "1"]
[White "White"]
[Black "Black"]
[Result "*"]
[ECO "C50"]
[WhiteElo "2500"]
[WhiteTitle "GM"]
[EventDate "2000.01.02"]
[Annotator "A"]
[Source "S"]
[ECO "B00"]
[Date "2001.01.01"]
[WhiteElo "2400"]
[WhiteTitle "IM"]
[EventDate "2001.01.02"]
[Annotator "B"]
[Source "T"]

1.e4 *

[Event "Edge set"]
[Site "Testville"]
[Date "2000.01.01"]
[Round "2"]
[White "White"]
[Black "Black"]
[Result "*"]
[ECO "C50"]
[EventDate "2000.01.02"]
[WhiteFideId "1"]
[ECO "b00"]
[Date "2001/1"]
[EventDate "2001/5"]
[WhiteFideId "02"]
[BlackElo "2400"]
[BlackElo "2,300"]

1.e4 *
"#;

/// The text of a repeated tag is not an odd spelling of the first one's value.
#[test]
fn repeated_tags_come_back() {
    let mut set = MemorySet::new();
    set.insert(Role("pgn"), REPEATED.as_bytes());
    let games = identity::open_all(&PGN, &set);
    for format in [&SI3, &SI4, &SI5] {
        let (base, losses) = write(format, &games);
        assert!(losses.is_empty(), "{}: {losses:?}", format.id);
        let again = write(&PGN, &identity::open_all(format, &base)).0;
        for (game, back) in games.iter().zip(identity::open_all(&PGN, &again)) {
            assert_eq!(first_difference(game, &back), None, "{}", format.id);
        }
    }
}
