//! The losses of the format under their names, and what comes back instead.

use chessdb_core::commands::{Shape, ShapeColor};
use chessdb_core::limits::Limits;
use chessdb_core::model::{GameFlags, NameRole, Rating, RatingKind};
use chessdb_core::options::Allow;
use chessdb_core::{
    BaseInfo, Color, Game, LossKind, Losses, MemorySet, ReadOptions, Square, WriteOptions,
};
use chessdb_scidb::SCIDB;
use chessdb_testkit::identity;

/// Writes a game; returns it as it is read back, and the losses.
pub(crate) fn through(game: &Game) -> (Game, Losses) {
    let mut files = MemorySet::new();
    let options = WriteOptions::default().with_allowed(Allow::Everything);
    let mut writer = SCIDB.create.unwrap()(&mut files, options).unwrap();
    let losses = writer.write(game).unwrap();
    writer.finish().unwrap();
    let mut back = identity::open_all(&SCIDB, &files);
    (back.pop().unwrap_or_default(), losses)
}

fn kinds(losses: &Losses) -> Vec<LossKind> {
    losses.iter().map(|loss| loss.kind).collect()
}

#[test]
fn a_long_name_is_cut() {
    let long = "x".repeat(300);
    let (read, losses) = through(&Game::builder().event(&long).build());
    assert_eq!(kinds(&losses), [LossKind::NameCut]);
    assert_eq!(read.event(), &long[..255]);
}

/// Values beyond the fields of the index are among the tags.
#[test]
fn values_of_tags_are_kept() {
    for (tag, value) in [
        ("Round", "1.2.3"),
        ("Round", "256"),
        ("Round", "final"),
        ("Date", "1199.05.06"),
        ("Date", "2223.??.??"),
        ("EventDate", "1100.??.??"),
        ("WhiteElo", "4096"),
        ("BlackUSCF", "65535"),
        ("Round", "255.255"),
        ("Round", "0.7"),
        ("Date", "1200.01.01"),
        ("Date", "2222.12.31"),
        ("EventDate", "2222.12.??"),
        ("WhiteElo", "4095"),
        ("WhiteDWZ", "1999"),
        ("BlackIPS", "2000"),
        ("WhiteTitle", "WGM"),
        ("WhiteTitle", "Master of sports"),
        ("BlackFideId", "4294967295"),
        ("Termination", "time forfeit"),
        ("Termination", "bored"),
        ("Source", "a book"),
        ("ECO", "B50/04"),
        ("Board", "12"),
        ("MyTag", "mine"),
        ("SetUp", "0"),
    ] {
        let game = Game::builder().tag(tag, value).build();
        let (read, losses) = through(&game);
        assert!(losses.is_empty(), "{tag} {value}: {losses:?}");
        assert_eq!(read.tag(tag).as_deref(), Some(value), "{tag}");
    }
}

#[test]
fn two_ratings_of_a_player_are_kept() {
    let game = Game::builder()
        .rating(
            Color::White,
            Rating {
                value: 2500,
                kind: RatingKind::Elo,
            },
        )
        .tag("WhiteRapid", "2450")
        .tag("WhiteUSCF", "2600")
        .build();
    let (read, losses) = through(&game);
    assert!(losses.is_empty(), "{losses:?}");
    let tags =
        ["WhiteElo", "WhiteRapid", "WhiteUSCF"].map(|tag| read.tag(tag).unwrap().into_owned());
    assert_eq!(tags, ["2500", "2450", "2600"]);
}

#[test]
fn user_flags_of_scid_are_counted() {
    let mut game = Game::new();
    game.header.flags = GameFlags::DELETED | GameFlags::USER | GameFlags::CUSTOM_3;
    let (read, losses) = through(&game);
    assert_eq!(kinds(&losses), [LossKind::Flags]);
    assert_eq!(read.header.flags, GameFlags::DELETED | GameFlags::USER);
}

#[test]
fn events_at_two_sites_keep_both() {
    let game = |site| Game::builder().event("Open").site(site).build();
    let games = [game("Riga"), game("Bern")];
    let nothing = identity::nothing_lost(&BaseInfo::default());
    let (files, _) = identity::write_all(&SCIDB, &games, nothing).unwrap();
    let back = identity::open_all(&SCIDB, &files);
    assert_eq!((&*back[0].site(), &*back[1].site()), ("Riga", "Bern"));
}

#[test]
fn a_side_with_several_kings_cannot_be_stored() {
    let game = Game::builder()
        .fen("kk6/8/8/8/8/8/8/K7 w - - 0 1")
        .unwrap()
        .build();
    let (_, losses) = through(&game);
    assert_eq!(kinds(&losses), [LossKind::StartPosition, LossKind::Game]);
}

#[test]
fn drawings_become_marks() {
    let mut game = Game::builder().sans(["e4"]).unwrap().build();
    let square = |name: &[u8]| Square::from_ascii(name).unwrap();
    let shapes = [Shape {
        color: ShapeColor::RED,
        from: square(b"e4"),
        to: None,
    }];
    let old = game.moves.clone();
    let mut tape = game.moves.builder(&Limits::default());
    for token in old.tokens() {
        tape.token(token).unwrap();
    }
    tape.shapes(&shapes).unwrap();
    tape.finish();
    let (read, losses) = through(&game);
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(read.moves, game.moves);
}

#[test]
fn chess960_from_the_standard_position_comes_back() {
    let mut setup = chessdb_core::Setup::standard();
    setup.chess960 = true;
    let mut game = Game::builder().sans(["e4", "e5"]).unwrap().build();
    game.header.start = chessdb_core::Start::Setup(Box::new(setup));
    let (read, losses) = through(&game);
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(read.header.start, game.header.start);
    assert_eq!(read.moves, game.moves);
    let (again, losses) = through(&read);
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(again.header, read.header);
}

#[test]
fn the_game_to_open_first_is_counted() {
    let mut options = WriteOptions::default().with_allowed(Allow::Everything);
    options.base.open_first = Some(2);
    let mut files = MemorySet::new();
    let writer = SCIDB.create.unwrap()(&mut files, options).unwrap();
    assert_eq!(kinds(writer.base_losses()), [LossKind::OpenFirst]);
}

/// A renamed player remains in the names, with the title and the FIDE number.
#[test]
fn names_without_a_game_are_kept() {
    let mut game = Game::builder().white("Tal").black("Keres").build();
    game.header.white.title = game.add_text("GM");
    game.header.white.fide_id = Some(7);
    let nothing = identity::nothing_lost(&BaseInfo::default());
    let (files, _) = identity::write_all(&SCIDB, &[game], nothing).unwrap();
    let renamed = identity::rewrite_with(&SCIDB, &files, &Allow::Nothing, |_, game| {
        game.header.white.name = game.add_text("Mikhail Tal").into();
        game.header.white.fide_id = None;
    });
    let renamed = renamed.unwrap().set;
    let store = (SCIDB.open)(&renamed, ReadOptions::default()).unwrap();
    let base = store.base();
    let players = base.table(NameRole::Player).unwrap();
    let mut players: Vec<_> = players
        .records
        .iter()
        .map(|record| {
            let player = record.player.unwrap_or_default();
            let title = base.texts.get(player.title).decode().into_owned();
            let name = base.texts.get(record.text).decode().into_owned();
            (name, title, player.fide_id)
        })
        .collect();
    players.sort();
    let expected = [("Keres", "", 0), ("Mikhail Tal", "GM", 0), ("Tal", "GM", 7)];
    let expected = expected.map(|(name, title, id)| (name.to_owned(), title.to_owned(), id));
    assert_eq!(players, expected);
}
