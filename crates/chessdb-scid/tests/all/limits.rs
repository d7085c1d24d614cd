//! Values beyond a limit of the format or of the programs that read it (docs/formats/scid.md,
//! section 13).

use chessdb_core::annotation::read_comment;
use chessdb_core::limits::Limits;
use chessdb_core::model::{
    Field, GameFlags, NameRecord, NameRole, NameTable, Place, Rating, RatingKind, Start, Tag,
};
use chessdb_core::options::Allow;
use chessdb_core::{
    BaseInfo, Charset, Color, Event, Game, LossKind, MemorySet, ReadOptions, WriteOptions,
};
use chessdb_scid::raw::si5;
use chessdb_scid::{Generation, SI4, Store, translate};
use chessdb_testkit::identity;

fn everything(base: BaseInfo) -> WriteOptions {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    options.base = base;
    options
}

/// Returns metadata with a table of `count` names of this kind.
fn with_names(role: NameRole, count: u32) -> BaseInfo {
    let mut base = BaseInfo::default();
    let records = (0..count).map(|key| NameRecord {
        key,
        text: base.texts.push(key.to_string().as_bytes(), Charset::UTF_8),
        player: None,
    });
    let records = records.collect();
    base.names.push(NameTable::new(role, records));
    base
}

#[test]
fn a_round_without_room_is_left_out_of_its_game() {
    let most = 262_143;
    let base = with_names(NameRole::Round, most - 1);
    let games = ["1", "new", "262141", "newer", ""].map(|round| {
        let mut game = Game::new();
        game.header.round = game.texts.push(round.as_bytes(), Charset::UTF_8).into();
        game.header.white.name = game.texts.push(b"Able, Ann", Charset::UTF_8).into();
        game
    });
    for generation in [Generation::Si4, Generation::Si3] {
        let format = crate::common::format(generation);
        let (files, losses) =
            identity::write_all(format, &games, everything(base.clone())).unwrap();
        let found: Vec<_> = losses.iter().map(|loss| (loss.kind, loss.count)).collect();
        assert_eq!(found, [(LossKind::Round, 2)]);
        let store = Store::open(&files, ReadOptions::default()).unwrap();
        let rounds: Vec<_> = identity::read_all(&store)
            .iter()
            .map(|game| game.text(game.header.round.text).decode().into_owned())
            .collect();
        assert_eq!(rounds, ["1", "", "262141", "", ""]);
    }
    // SCID 5 has no such limit.
    let si5 = crate::common::format(Generation::Si5);
    let (_, losses) = identity::write_all(si5, &games, everything(base)).unwrap();
    assert!(losses.is_empty());
}

/// When records are copied without decoding, names that do not fit into the lists of SCID 4 are
/// left out.
#[test]
fn names_without_room_are_left_out_when_records_are_copied() {
    let base = with_names(NameRole::Round, 300_000);
    let games = ["1", "299999", "262141", "262142"].map(|round| {
        let mut game = Game::new();
        game.header.round = game.texts.push(round.as_bytes(), Charset::UTF_8).into();
        game
    });
    let si5 = crate::common::format(Generation::Si5);
    let (files, _) = identity::write_all(si5, &games, everything(base)).unwrap();
    let store = Store::open(&files, ReadOptions::default()).unwrap();
    let mut there = MemorySet::new();
    let losses = translate(&store, Generation::Si4, &mut there, Allow::Everything)
        .unwrap()
        .losses;
    assert_eq!(losses.count(LossKind::Round), 2);
    assert_eq!(losses.count(LossKind::Game), 0);
    let store = Store::open(&there, ReadOptions::default()).unwrap();
    let rounds: Vec<_> = identity::read_all(&store)
        .iter()
        .map(|game| game.text(game.header.round.text).decode().into_owned())
        .collect();
    assert_eq!(rounds, ["1", "", "262141", ""]);
}

/// Returns a game with `count` comments at one place, in UTF-8 and in windows-1252.
fn many_comments(count: u32) -> Game {
    let mut game = Game::new();
    let Game { moves, texts, .. } = &mut game;
    let limits = Limits::default();
    let mut tape = moves.builder(&limits);
    for n in 0..count {
        let (text, charset) = match n % 3 {
            0 => (&b"f\xC3\xBCr"[..], Charset::UTF_8),
            1 => (&b"f\xFCr"[..], Charset::WINDOWS_1252),
            _ => (
                &b"f\xFCr f\xC3\xBCr"[..],
                Charset::WINDOWS_1252.beside_utf8(),
            ),
        };
        read_comment(text, charset, Place::Before, texts, &mut tape).unwrap();
    }
    tape.finish();
    game
}

/// Joins a hundred thousand comments at one move. This would take minutes if each join examined all
/// preceding comments.
#[test]
fn comments_are_joined_in_their_length() {
    let games = [many_comments(100_000), many_comments(9)];
    for keep in [false, true] {
        let base = if keep { with_names(NameRole::Player, 1) } else { BaseInfo::default() };
        for generation in Generation::ALL {
            let format = crate::common::format(generation);
            let (files, _) = identity::write_all(format, &games, everything(base.clone())).unwrap();
            let store = Store::open(&files, ReadOptions::default()).unwrap();
            let games = identity::read_all(&store);
            assert_eq!(games[0].events().count(), 0, "too long for its record");
            let Some(Event::Comment(_, text)) = games[1].events().next() else {
                panic!("no comment");
            };
            assert_eq!(text.decode(), ["für für für für"; 3].join(" "));
        }
    }
}

/// Tags too long for Scid's PGN export are written and reported.
#[test]
fn tags_that_old_programs_cannot_export_are_told() {
    let game = |name: &str, length: usize| {
        let mut game = Game::new();
        let value = game.texts.push(&vec![b'x'; length], Charset::UTF_8);
        match name {
            "Event" => game.header.event = value.into(),
            "Black" => game.header.black.name = value.into(),
            "Annotator" => game.header.annotator = value.into(),
            name => {
                let name = game.texts.push(name.as_bytes(), Charset::UTF_8);
                game.header.tags.push(Tag::Other { name, value });
            }
        }
        game
    };
    let cases = [
        ("Event", 244, 0),
        ("Event", 245, 1),
        ("Black", 245, 1),
        ("Annotator", 240, 0),
        ("Annotator", 241, 1),
        ("Foo", 246, 0),
        ("Foo", 247, 1),
    ];
    for generation in Generation::ALL {
        for (name, length, exceeded) in cases {
            let mut files = MemorySet::new();
            let create = crate::common::format(generation).create.unwrap();
            let mut writer = create(&mut files, WriteOptions::default()).unwrap();
            for game in [game("Foo", 1), game(name, length)] {
                assert!(writer.write(&game).unwrap().is_empty());
            }
            let found: Vec<_> = writer
                .exceeded()
                .iter()
                .map(|e| (e.games, e.first))
                .collect();
            assert_eq!(found, vec![(1, 2); exceeded], "{name} {length}");
        }
    }
    assert!(
        SI4.limits
            .iter()
            .any(|limit| limit.limit == 249 && limit.of == "Scid")
    );
}

/// A rating that does not fit into the index stays the player's first, regardless of other ratings
/// among the tags.
#[test]
fn a_rating_beyond_the_index_stays_the_first() {
    for kind in RatingKind::ALL {
        for other in RatingKind::ALL.into_iter().filter(|&other| other != kind) {
            let mut game = Game::new();
            let rating = Some(Rating { value: 4096, kind });
            game.header.white.rating = rating;
            let name = other.tag(Color::White).as_bytes();
            let name = game.texts.push(name, Charset::UTF_8);
            let value = game.texts.push(b"2000", Charset::UTF_8);
            game.header.tags.push(Tag::Other { name, value });
            for generation in Generation::ALL {
                let format = crate::common::format(generation);
                let games = std::slice::from_ref(&game);
                let (files, losses) =
                    identity::write_all(format, games, WriteOptions::default()).unwrap();
                assert!(losses.is_empty(), "{losses:?}");
                let store = Store::open(&files, ReadOptions::default()).unwrap();
                let read = identity::read_all(&store);
                assert_eq!(read[0].header.white.rating, rating, "{other:?}");
                assert_eq!(read[0].tag(other.tag(Color::White)).unwrap(), "2000");
            }
        }
    }
}

/// The other six flags of SCID 4 do not exist in SCID 3.
#[test]
fn a_flag_without_a_bit_is_counted() {
    let mut game = Game::new();
    game.header.flags = GameFlags::CUSTOM_1;
    for (generation, lost) in [(Generation::Si3, 1), (Generation::Si4, 0)] {
        let format = crate::common::format(generation);
        let options = everything(BaseInfo::default());
        let (_, losses) = identity::write_all(format, [&game], options).unwrap();
        assert_eq!(losses.count(LossKind::Flags), lost, "{generation:?}");
    }
}

/// Chess960 without castling rights is known from the index of SCID 5 alone.
#[test]
fn chess960_without_rights_is_no_contradiction() {
    let game = Game::builder().fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    let mut game = game.unwrap().build();
    if let Start::Setup(setup) = &mut game.header.start {
        setup.chess960 = true;
    }
    let si5 = crate::common::format(Generation::Si5);
    let (set, _) = identity::write_all(si5, [&game], everything(BaseInfo::default())).unwrap();
    assert_eq!(crate::common::complaints(Generation::Si5, &set), [""; 0]);
    let back = identity::open_all(si5, &set).remove(0);
    assert!(matches!(&back.header.start, Start::Setup(setup) if setup.chess960));
}

/// The text of a FEN is kept if it states the start position.
#[test]
fn a_short_fen_is_kept() {
    for (text, lost) in [
        ("8/8/8/8/8/8/8/K6k w - -", 0),
        ("8/8/8/8/8/8/8/K5k1 w - -", 1),
    ] {
        let game = Game::builder().fen("8/8/8/8/8/8/8/K6k w - - 0 1");
        let mut game = game.unwrap().build();
        let id = game.add_text(text);
        game.header.tags.push(Tag::Verbatim(Field::Fen, id));
        let options = everything(BaseInfo::default());
        let (_, losses) = identity::write_all(&SI4, [&game], options).unwrap();
        assert_eq!(losses.count(LossKind::TagText), lost, "{text}");
    }
}

#[test]
fn the_highest_offset_has_47_bits() {
    let entry = si5::Entry {
        offset: (1 << 47) - 1,
        ..si5::Entry::parse(&[0; si5::Entry::SIZE])
    };
    assert_eq!(si5::Entry::MAX_OFFSET, entry.offset);
    assert_eq!(si5::Entry::parse(&entry.to_bytes()), entry);
}
