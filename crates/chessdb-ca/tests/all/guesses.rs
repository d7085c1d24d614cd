//! Each guess of docs/formats/chess-assistant.md, section 14, is one field of [`Guesses`]. The
//! opposite choice changes what the format page states, and nothing else.

use chessdb_ca::raw::{Emb, LongLengths};
use chessdb_ca::{
    A02_FILE, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE, GameTypes, Guesses, SIDE_FILES, Store,
    Symbols, Writer,
};
use chessdb_core::compare::first_difference;
use chessdb_core::files::Role;
use chessdb_core::legacy::ca::{CaNumbering, Files};
use chessdb_core::model::GameFlags;
use chessdb_core::options::Allow;
use chessdb_core::{
    Charset, FileSet, Game, GameStore, GameWrite, LossKind, Losses, MemorySet, ReadOptions,
    Scratch, Setup, Start, WriteOptions, rules,
};
use chessdb_testkit::identity::differing_ranges;

use crate::common::{file, moves, record, with_records};

const PAGE: Guesses = Guesses::PAGE;

fn write(games: &[Game], guesses: Guesses) -> (MemorySet, Losses) {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    let mut set = MemorySet::new();
    let mut losses = Losses::new();
    let mut writer = Box::new(Writer::create_with(&mut set, options, guesses).unwrap());
    for game in games {
        losses.merge(&writer.write(game).unwrap());
    }
    writer.finish().unwrap();
    (set, losses)
}

fn read(set: &MemorySet, guesses: Guesses) -> Vec<Game> {
    let store = Store::open_with(set, ReadOptions::default(), guesses).unwrap();
    let mut scratch = Scratch::new();
    let games = (0..store.len())
        .map(|n| {
            let mut game = Game::new();
            store.game_into(n, &mut game, &mut scratch).unwrap();
            game
        })
        .collect();
    assert!(scratch.diagnostics.is_empty(), "{:?}", scratch.diagnostics);
    games
}

/// Writes and reads with the opposite choice of a guess. Returns the ranges that differ from what
/// the choice of the format page writes.
fn flip(games: &[Game], guesses: Guesses) -> Vec<(Role, std::ops::Range<usize>)> {
    let (usual, usual_losses) = write(games, PAGE);
    let (other, losses) = write(games, guesses);
    assert_eq!(usual_losses, losses);
    for (game, back) in games.iter().zip(read(&other, guesses)) {
        assert_eq!(first_difference(game, &back), None);
    }
    differing_ranges(&usual, &other)
}

/// Returns a game with these moves in SAN, without annotations.
fn game(fen: Option<&str>, line: &str) -> Game {
    let mut game = Game::new();
    if let Some(fen) = fen {
        let setup = Setup::from_fen(fen.as_bytes()).unwrap().0;
        game.header.start = Start::Setup(Box::new(setup));
        let (name, value) = (game.add_text("SetUp"), game.add_text("1"));
        game.header
            .tags
            .push(chessdb_core::model::Tag::Other { name, value });
    }
    let mut board = game.start_board();
    let mut tape = game.moves.builder(&chessdb_core::limits::Limits::default());
    for san in line.split_whitespace() {
        let mv = rules::read_san(&board, san.as_bytes()).unwrap();
        tape.mv(mv).unwrap();
        board.play(mv);
    }
    tape.finish();
    game
}

fn numbering(numbering: CaNumbering) -> Guesses {
    Guesses { numbering, ..PAGE }
}

/// Returns the bytes of the only record.
fn codes(games: &[Game], guesses: Guesses) -> Vec<u8> {
    file(&write(games, guesses).0, D02_FILE)[2..].to_vec()
}

#[test]
fn guess_1_files_of_a_shift() {
    let games = [game(None, "e4 e5 Nf3 d5 exd5 Qxd5 Nc3 Qd8 h3 Ke7")];
    let other = numbering(CaNumbering {
        files: Files::Left,
        ..CaNumbering::PAGE
    });
    let (usual, flipped) = (codes(&games, PAGE), codes(&games, other));
    let changed: Vec<_> = (0..10).filter(|&n| usual[n] != flipped[n]).collect();
    // Nf3, exd5 and Nc3 change the file. Qxd5, Qd8 and the pawn moves do not.
    assert_eq!(changed, [2, 4, 6]);
    assert!(
        flip(&games, other)
            .iter()
            .all(|(role, _)| *role == D02_FILE)
    );
    // Read with the other choice it soon makes no sense (section 8).
    let (set, _) = write(&games, other);
    let store = Store::open(&set, ReadOptions::default()).unwrap();
    let mut scratch = Scratch::new();
    store.game_into(0, &mut Game::new(), &mut scratch).unwrap();
    assert_eq!(scratch.diagnostics.len(), 1);
}

#[test]
fn guess_2_numbers_of_promotions() {
    let games = [game(
        Some("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1"),
        "axb8=Q Kd7 Qb7 Kd6",
    )];
    let other = numbering(CaNumbering {
        promotion_kinds: [0, 2, 1, 3],
        ..CaNumbering::PAGE
    });
    let (usual, flipped) = (codes(&games, PAGE), codes(&games, other));
    let at = usual.iter().position(|&code| code == 209).unwrap();
    assert_eq!((usual[at + 1], flipped[at + 1]), (2, 1));
    assert_eq!(flip(&games, other), [(D02_FILE, at + 3..at + 4)]);
}

#[test]
fn guess_3_the_slot_of_a_piece_that_has_none() {
    let games = [game(
        Some("8/1P6/7k/8/8/8/QQQ5/K7 w - - 0 1"),
        "b8=Q Kg5 Qf8",
    )];
    let other = numbering(CaNumbering {
        no_slot: Some(31),
        ..CaNumbering::PAGE
    });
    let (usual, flipped) = (codes(&games, PAGE), codes(&games, other));
    let at = usual.iter().rposition(|&code| code == 209).unwrap();
    assert_eq!((usual[at + 2], flipped[at + 2]), (0xA1, 0xBF));
    assert_eq!(flip(&games, other), [(D02_FILE, at + 4..at + 5)]);
    // A reader accepts any number for the pawn's slot, so it reads both.
    let (set, _) = write(&games, other);
    assert_eq!(first_difference(&games[0], &read(&set, PAGE)[0]), None);
}

#[test]
fn guess_4_slots_of_captured_pieces() {
    let games = [game(
        Some("7k/1P6/8/8/8/8/NNNN4/K7 w - - 0 1"),
        "b8=Q+ Kg7 Qf8+ Kxf8",
    )];
    let other = numbering(CaNumbering {
        reuse_slots: false,
        ..CaNumbering::PAGE
    });
    let (usual, flipped) = (codes(&games, PAGE), codes(&games, other));
    let at = usual.iter().position(|&code| code == 209).unwrap();
    // The queen's own slot, or the pawn's slot with the long form of its moves.
    assert_eq!(usual[at + 2] & 31, 14);
    assert_eq!(flipped[at + 2] & 31, 1);
    assert_eq!(flipped[at + 4..at + 6], [213, 0x04]);
    assert_eq!(usual.len() + 1, flipped.len());
    assert!(
        flip(&games, other)
            .iter()
            .all(|(role, _)| *role == D02_FILE)
    );
    // The file states which, so both are read with either choice.
    let (set, _) = write(&games, other);
    assert_eq!(first_difference(&games[0], &read(&set, PAGE)[0]), None);
}

#[test]
fn guess_5_symbols() {
    let set = with_records(&[&record(&[0x13, 234, 2, b'!', 234, 2, 7, 235, 2, 4, b'x'])]);
    let other = Guesses {
        symbols: Symbols::Numbers,
        ..PAGE
    };
    assert_eq!(moves(&read(&set, PAGE)[0]), "e2e4 $1 [2:07] {x}");
    assert_eq!(moves(&read(&set, other)[0]), "e2e4 [2:21] [2:07] {x}");
    // Without symbols a NAG is written as text.
    let mut nags = Game::new();
    let mut tape = nags.moves.builder(&chessdb_core::limits::Limits::default());
    [1, 6, 14]
        .into_iter()
        .for_each(|nag| tape.nag(nag).unwrap());
    tape.finish();
    assert_eq!(
        codes(&[nags.clone()], PAGE),
        b"\xEA\x02!\xEB\x03\x02?!\xEB\x04\x04$14"
    );
    assert_eq!(
        codes(&[nags.clone()], other),
        b"\xEB\x03\x04$1\xEB\x03\x04$6\xEB\x04\x04$14"
    );
    assert!(
        flip(&[nags], other)
            .iter()
            .all(|(role, _)| *role == D02_FILE)
    );
}

#[test]
fn guess_6_long_lengths() {
    let mut long = game(None, "e4");
    let text = long.texts.push(&[b'x'; 20_000], Charset::UTF_8);
    let mut tape = long.moves.builder(&chessdb_core::limits::Limits::default());
    tape.comment(chessdb_core::model::Place::Before, text)
        .unwrap();
    tape.finish();
    let games = [game(None, "e4"), long, game(None, "d4")];
    let other = Guesses {
        long_lengths: LongLengths::Leb128,
        ..PAGE
    };
    let (usual, flipped) = (write(&games, PAGE).0, write(&games, other).0);
    let (usual_d02, flipped_d02) = (file(&usual, D02_FILE), file(&flipped, D02_FILE));
    // One more byte of length, and nothing else.
    assert_eq!(usual_d02.len() + 1, flipped_d02.len());
    assert_eq!(usual_d02[..3], flipped_d02[..3]);
    assert_eq!(usual_d02[5..], flipped_d02[6..]);
    // So the address after it is one higher.
    assert_eq!(file(&usual, A02_FILE)[..8], file(&flipped, A02_FILE)[..8]);
    let roles = flip(&games, other);
    assert!(
        roles
            .iter()
            .all(|(role, _)| [D02_FILE, A02_FILE].contains(role))
    );
}

fn plain_games() -> Vec<Game> {
    let mut first = game(None, "e4 e5");
    first.header.white.name = first.add_text("Tal").into();
    first.header.round = first.add_text("3").into();
    first.header.eco = Some(chessdb_core::model::Eco::new(0));
    vec![first, game(None, "d4")]
}

#[test]
fn guess_7_no_eco() {
    let other = Guesses {
        no_eco: 500,
        ..PAGE
    };
    // A00 is stored for the first game.
    assert_eq!(flip(&plain_games(), other), [(D00_FILE, 38 + 30..38 + 32)]);
}

#[test]
fn guess_8_absent_names() {
    let other = Guesses {
        absent_name: 0xFF_FFFF,
        ..PAGE
    };
    let differing = flip(&plain_games(), other);
    for (role, range) in &differing {
        match *role {
            D00_FILE => {
                let within = range.start % 38;
                assert!(
                    within < 6 || (14..20).contains(&within) || within >= 32,
                    "{range:?}"
                );
            }
            // The lists begin without the empty name.
            role => assert_eq!(role, EMB_FILE),
        }
    }
    let (set, _) = write(&plain_games(), other);
    let emb = Emb::parse(set.get(EMB_FILE).unwrap()).unwrap();
    assert_eq!(emb.file("Players.a01").unwrap().len(), 4);
    assert_eq!(emb.file("Events.a01").unwrap().len(), 0);
}

#[test]
fn guess_9_types_of_games() {
    let (mut set, _) = write(&plain_games(), PAGE);
    set.get_mut(D00_FILE).unwrap()[20] = 9;
    let tag = |guesses| {
        let game = read(&set, guesses).remove(0);
        let tags = chessdb_testkit::tree::tags(&game);
        let found = tags
            .into_iter()
            .find(|(name, _)| name == "CAType")
            .unwrap()
            .1;
        // The bytes are the same; only their meaning differs.
        assert_eq!(
            file(&write(&[game], guesses).0, D00_FILE)[20..24],
            [9, 0, 0, 0]
        );
        found
    };
    assert_eq!(tag(PAGE), "strategy");
    let set_of_types = Guesses {
        game_types: GameTypes::Set,
        ..PAGE
    };
    assert_eq!(tag(set_of_types), "own game, annotated game from a book");
}

#[test]
fn guess_10_fields_without_a_meaning() {
    let games = plain_games();
    let other = Guesses {
        raw_header_byte: 7,
        ..PAGE
    };
    assert_eq!(
        flip(&games, other),
        [(D00_FILE, 28..29), (D00_FILE, 38 + 28..38 + 29)]
    );
    let other = Guesses {
        round_bit: true,
        ..PAGE
    };
    assert_eq!(
        flip(&games, other),
        [(D00_FILE, 29..30), (D00_FILE, 38 + 29..38 + 30)]
    );
    let other = Guesses {
        mask_byte: 255,
        ..PAGE
    };
    let differing = flip(&games, other);
    assert_eq!(differing.len(), 8);
    assert!(
        differing
            .iter()
            .all(|(role, range)| *role == EMB_FILE && range.len() == 1)
    );
}

#[test]
fn guess_11_deleted_games() {
    let mut games = plain_games();
    games[1].header.flags |= GameFlags::DELETED;
    let other = Guesses {
        deleted_bits: 4,
        ..PAGE
    };
    let (usual, losses) = write(&games, PAGE);
    assert_eq!(losses.count(LossKind::DeletedFlag), 1);
    let (flipped, losses) = write(&games, other);
    assert!(losses.is_empty());
    assert_eq!(
        differing_ranges(&usual, &flipped),
        [(D00_FILE, 38 + 28..38 + 29)]
    );
    assert_eq!(first_difference(&games[1], &read(&flipped, other)[1]), None);
}

#[test]
fn guess_12_code_page() {
    let mut cyrillic = Game::new();
    cyrillic.header.white.name = cyrillic.add_text("Иванов").into();
    let (mut set, _) = write(&[cyrillic], PAGE);
    // One name is not enough evidence, so the writer marks the database.
    let mut records = set.get(D02_FILE).unwrap().to_vec();
    assert_eq!(std::mem::take(&mut records[0]), 0x51);
    set.insert(D02_FILE, records);
    let name = |guesses| {
        let game = read(&set, guesses).remove(0);
        game.text(game.header.white.name.text).decode().into_owned()
    };
    assert_eq!(name(PAGE), "Иванов");
    assert_eq!(
        name(Guesses {
            detect_cyrillic: false,
            ..PAGE
        }),
        "Èâàíîâ"
    );
    let other = Guesses {
        detect_cyrillic: false,
        charset: Charset::WINDOWS_1251,
        ..PAGE
    };
    assert_eq!(name(other), "Иванов");
}

#[test]
fn guess_13_pieces_in_slots_of_pawns() {
    // The last of four queens has a pawn's slot.
    let fen = "8/8/8/7k/8/8/QQQQ4/K7 w - - 0 1";
    let games = [game(Some(fen), "Qd8 Kh6")];
    let (set, _) = write(&games, PAGE);
    assert_eq!(first_difference(&games[0], &read(&set, PAGE)[0]), None);
    let other = Guesses {
        pieces_in_pawn_slots: false,
        ..PAGE
    };
    let store = Store::open_with(&set, ReadOptions::default(), other).unwrap();
    let mut scratch = Scratch::new();
    let mut without = Game::new();
    store.game_into(0, &mut without, &mut scratch).unwrap();
    assert_eq!(scratch.diagnostics.len(), 2);
    assert!(
        scratch.diagnostics[0]
            .to_string()
            .contains("a piece in a pawn's slot")
    );
    assert_eq!(
        without.start_board().occupied().len() + 1,
        games[0].start_board().occupied().len()
    );
}

#[test]
fn guess_14_fragments() {
    let other = Guesses {
        fragment: 100,
        ..PAGE
    };
    let games = plain_games();
    assert!(
        flip(&games, other)
            .iter()
            .all(|(role, _)| *role == EMB_FILE)
    );
    let (usual, flipped) = (write(&games, PAGE).0, write(&games, other).0);
    let files = |set: &MemorySet| {
        let emb = Emb::parse(set.get(EMB_FILE).unwrap()).unwrap();
        assert!(emb.gaps.is_empty());
        emb.files
            .into_iter()
            .map(|file| file.content)
            .collect::<Vec<_>>()
    };
    assert_eq!(files(&usual), files(&flipped));
}

#[test]
fn guess_15_files_that_may_be_asked_for() {
    let other = Guesses {
        empty_files: &SIDE_FILES,
        ..PAGE
    };
    let (set, _) = write(&plain_games(), other);
    let differing = flip(&plain_games(), other);
    assert!(
        differing.is_empty(),
        "only empty files are new: {differing:?}"
    );
    assert!(
        SIDE_FILES
            .iter()
            .all(|role| set.get(*role) == Some(&[][..]))
    );
    assert!(set.get(CDP_FILE).is_some());
}
