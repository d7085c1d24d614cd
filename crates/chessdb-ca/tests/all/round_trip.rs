//! Round trips of random games.

use chessdb_ca::CA;
use chessdb_core::compare::first_difference;
use chessdb_core::model::{NameRecord, NameRole, NameTable, PlayerDetails, Tag};
use chessdb_core::options::Allow;
use chessdb_core::{
    BaseInfo, Charset, Date, FileSet, Game, MemorySet, ReadOptions, Scratch, Start, WriteOptions,
};
use chessdb_testkit::identity::{self, open_all};
use chessdb_testkit::strategy::{self, GameOptions};
use chessdb_testkit::{facts, readings};
use proptest::prelude::*;

fn everything() -> WriteOptions {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    options
}

/// Returns the game as a reader returns it: with the tag for a start position, and without a round
/// that is a question mark, which means the same as no round.
fn as_read(game: &Game) -> Game {
    let mut game = game.clone();
    if game.text(game.header.round.text).decode() == "?" {
        game.header.round = Default::default();
    }
    let is_setup =
        |tag: &Tag| matches!(*tag, Tag::Other { name, .. } if game.text(name).decode() == "SetUp");
    if game.header.start != Start::Standard && !game.header.tags.iter().any(is_setup) {
        let (name, value) = (game.add_text("SetUp"), game.add_text("1"));
        game.header.tags.push(Tag::Other { name, value });
    }
    game
}

/// Reading the output of the writer reports nothing, and writing it again changes nothing.
fn check_set(set: &MemorySet) {
    readings::check(&CA, set, &ReadOptions::default());
    let store = identity::open(&CA, set);
    assert!(store.diagnostics().is_empty(), "{:?}", store.diagnostics());
    let mut scratch = Scratch::new();
    for n in 0..store.len() {
        store.game_into(n, &mut Game::new(), &mut scratch).unwrap();
    }
    assert!(scratch.diagnostics.is_empty(), "{:?}", scratch.diagnostics);
    let again = crate::common::rewritten(set);
    assert_eq!(identity::first_difference(set, &again), None);
    let mut findings = Vec::new();
    chessdb_core::format::check(&CA, set, &ReadOptions::default(), &mut |finding| {
        findings.push(format!("{finding:?}"))
    });
    assert_eq!(findings, Vec::<String>::new());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A game with known facts about its moves is written exactly as when it is played, including
    /// the losses.
    #[test]
    fn what_is_known_changes_no_byte(
        legal in prop::collection::vec(storable(), 1..4),
        any in prop::collection::vec(strategy::games(GameOptions::all()), 1..4),
    ) {
        facts::check(&CA, &legal);
        facts::check(&CA, &any);
    }

    /// Games within the limits of the format are read back equal, without loss.
    #[test]
    fn storable_games_come_back(games in prop::collection::vec(storable(), 1..4)) {
        let (set, losses) = identity::write_all(&CA, &games, WriteOptions::default()).unwrap();
        prop_assert!(losses.is_empty());
        check_set(&set);
        for (game, back) in games.iter().zip(open_all(&CA, &set)) {
            if let Some(difference) = first_difference(game, &back) {
                panic!("{difference}");
            }
        }
    }

    /// Any game: without announced losses it is read back equal; with them the database is still
    /// valid.
    #[test]
    fn losses_are_announced(recipe in strategy::recipes(all()), base in base_like()) {
        let game = recipe.game();
        let mut options = everything();
        options.base = base;
        let (set, losses) = identity::write_all(&CA, [&game], options).unwrap();
        check_set(&set);
        let back = open_all(&CA, &set);
        if losses.is_empty() {
            let difference = first_difference(&as_read(&game), &back[0]);
            prop_assert_eq!(difference, None);
        }
    }

    /// Arbitrary positions, especially with promoted pieces, are stored correctly or not at all.
    #[test]
    fn positions_come_back(board in prop_oneof![strategy::random_board(), strategy::valid_board()]) {
        let mut game = Game::new();
        let setup = chessdb_core::Setup { board, chess960: false };
        game.header.start = Start::Setup(Box::new(setup));
        let (set, losses) = identity::write_all(&CA, [&game], everything()).unwrap();
        check_set(&set);
        if losses.is_empty() {
            prop_assert_eq!(first_difference(&as_read(&game), &open_all(&CA, &set)[0]), None);
        }
    }
}

fn storable() -> impl Strategy<Value = Game> {
    let texts = GameOptions {
        commands: false,
        blanks: true,
        empty_comments: true,
        ..GameOptions::for_ca()
    };
    prop_oneof![
        strategy::games(GameOptions::for_ca()),
        strategy::games(texts)
    ]
}

/// All options, except comments that no format distinguishes.
fn all() -> GameOptions {
    GameOptions {
        empty_comments: false,
        blanks: false,
        ..GameOptions::all()
    }
}

/// Generates descriptions and name tables like those of a rewrite.
fn base_like() -> impl Strategy<Value = BaseInfo> {
    let name = prop::sample::select(vec!["", "Birch", "Maple, J", "Жуков", "Grübel", "x"]);
    let names = prop::collection::vec((name, any::<bool>()), 0..6);
    (
        prop::sample::select(vec!["", "old games", "Партии"]),
        names,
        any::<bool>(),
    )
        .prop_map(|(comment, names, tables)| {
            let mut base = BaseInfo::default();
            let mut text = |text: &str| base.texts.push(text.as_bytes(), Charset::UTF_8);
            let description = text(comment);
            let records = names.iter().zip(0..).map(|(&(name, titled), key)| {
                let title = if titled { text("GM") } else { Default::default() };
                let details = PlayerDetails {
                    title,
                    rating: 2000 + key as u16,
                    fide_id: u32::from(titled) * 7,
                    birthday: Date::new(1960, 1, key as u8),
                    gender: u8::from(titled),
                };
                NameRecord {
                    key,
                    text: text(name),
                    player: Some(details),
                }
            });
            let records = records.collect();
            base.description = description;
            if tables {
                base.names.push(NameTable::new(NameRole::Player, records));
            }
            base
        })
}

/// Name tables keep numbers, unused names and data, and the games still refer to them.
#[test]
fn tables_of_names_keep_their_numbers() {
    let mut base = BaseInfo::default();
    let mut text = |text: &str| base.texts.push(text.as_bytes(), Charset::UTF_8);
    let player = |title, rating, fide_id| PlayerDetails {
        title,
        rating,
        fide_id,
        birthday: Date::new(1951, 5, 23),
        gender: 1,
    };
    let gm = text("GM");
    let records = vec![
        NameRecord {
            key: 0,
            text: text(""),
            player: Some(PlayerDetails::default()),
        },
        NameRecord {
            key: 1,
            text: text("nobody's"),
            player: Some(player(gm, 2700, 4)),
        },
        NameRecord {
            key: 2,
            text: text("Karpov"),
            player: Some(player(gm, 2700, 4_100_026)),
        },
        NameRecord {
            key: 3,
            text: text("Karpov"),
            player: Some(PlayerDetails::default()),
        },
    ];
    base.names.push(NameTable::new(NameRole::Player, records));
    let mut game = Game::new();
    let karpov = game.add_text("Karpov");
    let white = &mut game.header.white;
    white.name.text = karpov;
    white.name.key = Some(2);
    white.fide_id = Some(4_100_026);
    game.header.white.title = game.add_text("GM");
    game.header.black.name.text = karpov;
    game.header.annotator.text = karpov;
    game.header.annotator.key = Some(2);
    let mut options = WriteOptions::default();
    options.base = base;
    let (set, losses) = identity::write_all(&CA, [&game], options.clone()).unwrap();
    assert!(losses.is_empty());
    let back = &open_all(&CA, &set)[0];
    assert_eq!(first_difference(&game, back), None);
    let keys = |game: &Game| {
        [
            game.header.white.name.key,
            game.header.black.name.key,
            game.header.annotator.key,
        ]
    };
    assert_eq!(keys(back), [Some(2), Some(3), Some(2)]);
    let store = identity::open(&CA, &set);
    let table = store.base().table(NameRole::Player).unwrap();
    assert_eq!(table.records.len(), 4);
    assert_eq!(
        table.records[2].player.unwrap().birthday,
        Date::new(1951, 5, 23)
    );
    // A changed title creates a new entry; the old one stays.
    game.header.white.title = game.add_text("IM");
    let (set, _) = identity::write_all(&CA, [&game], options).unwrap();
    assert_eq!(keys(&open_all(&CA, &set)[0]), [Some(4), Some(3), Some(2)]);
}

/// The charset is that of the texts; one that a reader could not detect is marked.
#[test]
fn charsets_are_found_again() {
    for (name, asked, expected) in [
        ("Иванов", None, Charset::WINDOWS_1251),
        ("Müller", None, Charset::WINDOWS_1252),
        ("ÄÖÜß", None, Charset::WINDOWS_1252),
        ("Ж.", None, Charset::WINDOWS_1251),
        ("Müller", Some(Charset::UTF_8), Charset::UTF_8),
        ("Иванов", Some(Charset::KOI8_R), Charset::KOI8_R),
        ("Łódź", None, Charset::WINDOWS_1250),
        ("plain", Some(Charset::WINDOWS_1253), Charset::WINDOWS_1252),
    ] {
        let mut game = Game::new();
        game.header.white.name = game.add_text(name).into();
        let mut options = WriteOptions::default();
        options.charset = asked;
        let (set, losses) = identity::write_all(&CA, [&game], options).unwrap();
        assert!(losses.is_empty(), "{name}");
        assert_eq!(
            first_difference(&game, &open_all(&CA, &set)[0]),
            None,
            "{name}"
        );
        let store = chessdb_ca::Store::open(&set, ReadOptions::default()).unwrap();
        if name != "plain" {
            assert_eq!(store.charset(), expected, "{name}");
        }
        check_set(&set);
    }
    let mut options = ReadOptions::default();
    options.charset = Some(Charset::WINDOWS_1251);
    let mut game = Game::new();
    let text = game.texts.push(b"\xCC\xFC", Charset::WINDOWS_1252);
    game.header.white.name = text.into();
    let set = crate::common::base_of(&[game]);
    let store = (CA.open)(&set, options).unwrap();
    let mut game = Game::new();
    store.game_into(0, &mut game, &mut Scratch::new()).unwrap();
    assert_eq!(game.text(game.header.white.name.text).decode(), "Мь");
    let mut options = WriteOptions::default();
    options.charset = Some(Charset::CESU_8);
    assert!(identity::write_all(&CA, [], options).is_err());
}

#[test]
fn an_empty_base_is_a_base() {
    let set = crate::common::base_of(&[]);
    check_set(&set);
    assert_eq!(identity::open(&CA, &set).len(), 0);
    assert!(set.iter().count() >= 5 && set.get(chessdb_ca::D00_FILE).unwrap().is_empty());
}
