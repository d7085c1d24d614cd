//! What a reader must get over (docs/formats/chess-assistant.md, section 13), each with what it says
//! and what strict reading refuses; and what only Chess Assistant understands.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

mod common;

use chessdb_ca::{A02_FILE, CA, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE, SIDE_FILES, Store};
use chessdb_core::{
    Allow, FileSet, Game, GameStore, LossKind, MemorySet, Mode, ReadOptions, Scratch, WriteOptions,
};
use chessdb_testkit::identity::{self, rewrite, rewrite_with};
use common::{Reading, base_of, file, read, record, rewritten, with_records};

/// A record that deviates: how its moves come out, and what is said about it.
fn odd(body: &[u8], expected: &str, said: &[&str]) -> Reading {
    let set = with_records(&[&record(body)]);
    let reading = read(&set, 0);
    assert_eq!(reading.text, expected);
    assert_eq!(reading.said.len(), said.len(), "{:?}", reading.said);
    for (found, part) in reading.said.iter().zip(said) {
        assert!(found.contains(part), "{found}");
    }
    assert_eq!(reading.strict.is_err(), !said.is_empty());
    // Whatever it was, it is written in the usual form, which is read without a word.
    let again = rewritten(&set);
    let second = read(&again, 0);
    assert_eq!((second.text, second.said.len()), (reading.text.clone(), 0));
    reading
}

/// A record that is right, and comes back byte for byte.
fn right(body: &[u8], expected: &str) {
    odd(body, expected, &[]);
    let set = with_records(&[&record(body)]);
    assert_eq!(
        file(&rewritten(&set), D02_FILE),
        file(&set, D02_FILE),
        "{expected}"
    );
}

const E4: u8 = 0x13;
const E5: u8 = 0x13;
const C5: u8 = 0x0B;
const NF3: u8 = 0x2B;
const NC6: u8 = 0x27;
const OPEN: u8 = 231;
const CLOSE: u8 = 232;

#[test]
fn comments_of_every_type() {
    right(&[E4, 234, 2, b'!', 234, 2, b'?'], "e2e4 $1 $2");
    right(&[E4, 235, 3, 2, b'!', b'?'], "e2e4 $5");
    // Symbols of unknown meaning stay bytes.
    right(&[E4, 234, 2, 0x1F, E5], "e2e4 [2:1f] e7e5");
    right(&[E4, 235, 4, 2, b'!', b'!', b'!'], "e2e4 [2:212121]");
    // Before the move: the NAG stands behind it, and a mark says so.
    right(&[234, 3, b'!', E4, E5], "[256:01] e2e4 $1 e7e5");
    right(
        &[E4, 234, 3, b'?', 234, 3, b'!', E5, 234, 2, b'?'],
        "e2e4 [256:02] e7e5 $2 $1 $2",
    );
    right(&[E4, 235, 3, 3, 1, 2, E5], "e2e4 [3:0102] e7e5");
    right(&[235, 4, 4, b'a', b'b', b'c', E4], "<{abc}> e2e4");
    right(&[E4, 235, 3, 5, b'x', b'y', E5], "e2e4 <{xy}> e7e5");
    right(&[E4, 235, 4, 6, 1, 2, 3], "e2e4 [6:010203]");
    right(
        &[E4, 234, 7, 9, 235, 3, 21, 0, 0, 235, 1, 200],
        "e2e4 [7:09] [21:0000] [200:]",
    );
    right(&[E4, 235, 1, 8, E5], "e2e4 $220 e7e5");
    right(&[E4, 234, 8, 5, E5], "e2e4 $220 [8:05] e7e5");
    right(&[E4, 235, 1, 9, E5], "e2e4 $220 [9:] e7e5");
    right(&[E4, 234, 9, 5, E5], "e2e4 $220 [9:05] e7e5");
    right(
        &[E4, 235, 5, 29, 35, 0, 255, 0, E5],
        "e2e4 [Centipawns(35)] e7e5",
    );
    right(
        &[E4, 235, 5, 29, 0, 128, 7, 0, E5],
        "e2e4 [Centipawns(-32768)] [258:0700] e7e5",
    );
    right(&[E4, 235, 3, 29, 35, 0, E5], "e2e4 [29:2300] e7e5");
    right(&[E4, 235, 4, 4, b'$', b'1', b'4', E5], "e2e4 $14 e7e5");
    right(
        &[E4, 236, 4, 0, 0, 0, 4, b'$', b'1', b'4', E5],
        "e2e4 {$14} e7e5",
    );
    right(&[E4, 233, 77, E5, 211, 211], "e2e4 [257:4d] e7e5 0000 0000");
    right(&[E4, 235, 1, 4, E5], "e2e4 {} e7e5");
    // Behind an evaluation a text goes on with its comment, unless an empty one ends it.
    let eval = [235, 5, 29, 35, 0, 255, 0];
    right(
        &[&[E4][..], &eval, &[235, 2, 4, b'x', E5]].concat(),
        "e2e4 [Centipawns(35)] {x} e7e5",
    );
    right(
        &[&[E4][..], &eval, &[235, 1, 4, 235, 2, 4, b'x', E5]].concat(),
        "e2e4 [Centipawns(35)] | {x} e7e5",
    );
}

#[test]
fn lengths_that_could_be_shorter_become_so() {
    odd(&[E4, 236, 2, 0, 0, 0, 4, b'x', E5], "e2e4 {x} e7e5", &[]);
    odd(&[E4, 235, 0, 236, 0, 0, 0, 0, E5], "e2e4 e7e5", &[]);
    odd(&[E4, 235, 2, 2, b'!', E5], "e2e4 $1 e7e5", &[]);
}

#[test]
fn variations_in_odd_places() {
    right(&[E4, OPEN, C5, CLOSE, E5, NF3], "e2e4 e7e5 (c7c5) g1f3");
    right(&[OPEN, 0x0F, CLOSE, E4, E5], "e2e4 (d2d4) e7e5");
    right(&[E4, OPEN, CLOSE, E5], "e2e4 e7e5 ()");
    // A comment behind the last move that stands behind the variation of the next.
    odd(
        &[E4, OPEN, C5, CLOSE, 235, 2, 4, b'x', E5],
        "e2e4 {x} e7e5 (c7c5)",
        &[],
    );
    // Comments before the move, before or behind its variations.
    odd(
        &[E4, 235, 2, 5, b'x', OPEN, C5, CLOSE, E5],
        "e2e4 <{x}> e7e5 (c7c5)",
        &[],
    );
    right(
        &[E4, OPEN, C5, CLOSE, 235, 2, 5, b'x', E5],
        "e2e4 <{x}> e7e5 (c7c5)",
    );
    // Nothing to replace.
    odd(
        &[E4, E5, OPEN, NF3, CLOSE],
        "e2e4 e7e5 (e7e5 g1f3)",
        &["a variation behind the last move"],
    );
    odd(
        &[OPEN, E4, E5, CLOSE, OPEN, 0x0F, CLOSE],
        "e2e4 (d2d4) e7e5",
        &["a variation with no move to replace"],
    );
    odd(
        &[E4, OPEN, C5, NF3],
        "e2e4 (e2e4 c7c5 g1f3)",
        &["behind the last move", "inside a variation"],
    );
    odd(
        &[E4, CLOSE, E5],
        "e2e4 e7e5",
        &["closed that was never opened"],
    );
    // A comment before a move that does not come.
    right(
        &[E4, OPEN, C5, CLOSE, E5, 235, 2, 5, b'x'],
        "e2e4 e7e5 (c7c5) {x}",
    );
}

#[test]
fn moves_that_make_no_sense_end_their_line() {
    odd(
        &[E4, E5, 0x28, 0x13],
        "e2e4 e7e5",
        &["the rules do not allow it"],
    );
    odd(
        &[E4, E5, 137, 0x13],
        "e2e4 e7e5",
        &["no man of the side to move has this number"],
    );
    odd(
        &[E4, OPEN, 137, NF3, CLOSE, E5, NF3],
        "e2e4 e7e5 () g1f3",
        &["has this number"],
    );
    odd(&[E4, 222, E5], "e2e4", &["a code has the value 222"]);
    odd(
        &[E4, OPEN, C5, 240, CLOSE, E5],
        "e2e4 (e2e4 c7c5)",
        &["last move", "value 240"],
    );
    odd(
        &[E4, 235, 9, 4],
        "e2e4",
        &["a code needs 11 bytes, but only 3 are left"],
    );
    odd(
        &[E4, 236, 255, 255, 255, 255, 4],
        "e2e4",
        &["a code needs 4294967300 bytes"],
    );
    odd(&[E4, 209], "e2e4", &["a code needs 3 bytes"]);
    odd(
        &[&[E4, 230][..], &[0; 76], &[E5]].concat(),
        "e2e4",
        &["a start position behind the start"],
    );
}

#[test]
fn marks_of_en_passant() {
    let before = [E4, 0x00, 0x10, 0x0F];
    let game = |rest: &[u8]| [&before, rest].concat();
    right(&game(&[210, 0x11, 0x11]), "e2e4 a7a6 e4e5 d7d5 e5d6 e7d6");
    odd(
        &game(&[0x11]),
        "e2e4 a7a6 e4e5 d7d5 e5d6",
        &["without its mark"],
    );
    odd(
        &game(&[210, 235, 2, 4, b'x', 0x11]),
        "e2e4 a7a6 e4e5 d7d5 {x} e5d6",
        &[],
    );
    odd(
        &game(&[210, NF3]),
        "e2e4 a7a6 e4e5 d7d5 g1f3",
        &["mark before another move"],
    );
    odd(
        &game(&[210, 0x1F]),
        "e2e4 a7a6 e4e5 d7d5 h2h4",
        &["mark before another move"],
    );
    odd(
        &game(&[210]),
        "e2e4 a7a6 e4e5 d7d5",
        &["mark before another move"],
    );
}

fn with_header(change: impl Fn(&mut Vec<u8>)) -> MemorySet {
    let mut game = Game::new();
    game.head.white.name = game.add_text("Tal").into();
    let mut set = base_of(&[game]);
    change(set.get_mut(D00_FILE).unwrap());
    set
}

#[test]
fn heads_keep_what_they_cannot_say() {
    for outcome in [0, 5, 16, 17, 255] {
        let set = with_header(|d00| d00[10] = outcome);
        let game = read(&set, 0).game;
        let tags = chessdb_testkit::tree::tags(&game);
        assert!(tags.contains(&("CAOutcome".into(), outcome.to_string())));
        assert_eq!(file(&rewritten(&set), D00_FILE), file(&set, D00_FILE));
    }
    for (kind, value) in [(9u32, "strategy"), (31, "31"), (u32::MAX, "4294967295")] {
        let set = with_header(|d00| d00[20..24].copy_from_slice(&kind.to_le_bytes()));
        let tags = chessdb_testkit::tree::tags(&read(&set, 0).game);
        assert!(tags.contains(&("CAType".into(), value.into())));
        assert_eq!(file(&rewritten(&set), D00_FILE), file(&set, D00_FILE));
    }
    for at in [28, 29, 31] {
        let set = with_header(|d00| d00[at] = 3);
        let reading = read(&set, 0);
        assert_eq!(reading.game.head.extras.len(), 1);
        assert!(reading.strict.is_ok());
        assert_eq!(file(&rewritten(&set), D00_FILE), file(&set, D00_FILE));
    }
    // A year that no text of four digits holds.
    let set = with_header(|d00| d00[11..14].copy_from_slice(&[255; 3]));
    assert!(read(&set, 0).said[0].contains("the year"));
}

#[test]
fn names_that_are_not_there() {
    for (id, said) in [([255; 3], 0), ([9, 0, 0], 1), ([0; 3], 0)] {
        let set = with_header(|d00| d00[0..3].copy_from_slice(&id));
        let reading = read(&set, 0);
        assert_eq!(reading.said.len(), said, "{id:?}");
        assert!(reading.game.head.white.name.text.is_none());
    }
}

#[test]
fn missing_files() {
    let mut game = Game::new();
    game.head.white.name = game.add_text("Tal").into();
    let set = base_of(&[game]);
    for (role, needed) in [
        (CDP_FILE, false),
        (EMB_FILE, false),
        (D00_FILE, true),
        (A02_FILE, true),
        (D02_FILE, true),
    ] {
        let mut set = set.clone();
        set.remove(role);
        let store = (CA.open)(&set, ReadOptions::default());
        assert_eq!(store.is_err(), needed, "{role}");
        let Ok(store) = store else { continue };
        assert!(store.diagnostics()[0].to_string().contains("is missing"));
        let reading = read(&set, 0);
        assert_eq!(reading.said.len(), 0);
        assert_eq!(
            reading.game.head.white.name.text.is_none(),
            role == EMB_FILE
        );
        let mut options = ReadOptions::default();
        options.mode = Mode::Strict;
        assert!((CA.open)(&set, options).is_err());
    }
}

/// Cycles, aliases and addresses that lead nowhere: the game has its head and no moves.
#[test]
fn addresses_that_lead_nowhere() {
    let set = with_records(&[&record(&[E4]), &record(&[E4, E5])]);
    for (table, moves, said) in [
        ([1i32, 3], ["e2e4", "e2e4 e7e5"], ["", ""]),
        ([-1, 1], ["e2e4", "e2e4"], ["", ""]),
        ([-1, 3], ["e2e4 e7e5", "e2e4 e7e5"], ["", ""]),
        ([3, 0], ["e2e4 e7e5", ""], ["", ""]),
        (
            [-1, -1],
            ["", ""],
            ["leads back to itself", "leads back to itself"],
        ),
        (
            [-7, i32::MIN],
            ["", ""],
            ["the number of the record", "the number of the record"],
        ),
        (
            [6, 7000],
            ["", ""],
            ["the record needs", "the record needs"],
        ),
    ] {
        let mut set = set.clone();
        set.insert(
            A02_FILE,
            table
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect::<Vec<_>>(),
        );
        for n in 0..2 {
            let reading = read(&set, n as u32);
            assert_eq!(reading.text, moves[n], "{table:?}");
            assert_eq!(
                reading.said.is_empty(),
                said[n].is_empty(),
                "{:?}",
                reading.said
            );
            assert!(
                reading.said.iter().all(|found| found.contains(said[n])),
                "{:?}",
                reading.said
            );
        }
    }
}

/// Guess 6: a length that makes sense only as LEB128.
#[test]
fn long_lengths_are_tried_the_other_way() {
    let mut body = vec![E4, 236, 0, 0, 0, 0, 4];
    body.resize(20_000, b'x');
    let content = body.len() as u32 - 6;
    body[2..6].copy_from_slice(&content.to_le_bytes());
    body.push(E5);
    let mut leb = vec![
        body.len() as u8 | 128,
        (body.len() >> 7) as u8 | 128,
        (body.len() >> 14) as u8,
    ];
    leb.extend(&body);
    let reading = read(&with_records(&[&leb]), 0);
    assert!(reading.text.starts_with("e2e4 {xxx") && reading.text.ends_with("} e7e5"));
    assert_eq!(reading.said.len(), 1);
    assert!(reading.said[0].contains("only in the other reading"));
    assert!(reading.strict.is_err());
    // By the seed's formula it is read without a word, and comes back.
    let set = with_records(&[&record(&body)]);
    let reading = read(&set, 0);
    assert!(reading.said.is_empty() && reading.text.ends_with("} e7e5"));
    assert_eq!(file(&rewritten(&set), D02_FILE), file(&set, D02_FILE));
}

/// A game that is too long loses evaluations, then comments, then variations; then it is refused.
#[test]
fn too_long_games_lose_what_is_least_missed() {
    let game = |evals: usize, text: usize, variation: usize| {
        let mut game = Game::new();
        let long = game
            .texts
            .push(&vec![b'x'; text], chessdb_core::Charset::UTF_8);
        let main = read(&with_records(&[&record(&[E4, E5, NF3, NC6])]), 0).game;
        let moves: Vec<_> = main.moves.mainline().collect();
        let mut limits = chessdb_core::Limits::default();
        limits.plies = 1_000_000;
        let mut tape = game.moves.builder(&limits);
        tape.mv(moves[0]).unwrap();
        for n in 0..evals {
            let value = chessdb_core::commands::EvalValue::Centipawns(n as i32);
            tape.eval(chessdb_core::commands::Eval { value, depth: None })
                .unwrap();
        }
        tape.comment(chessdb_core::Place::After, long).unwrap();
        tape.mv(moves[1]).unwrap();
        tape.open().unwrap();
        for _ in 0..variation {
            tape.mv(chessdb_core::PackedMove::NULL).unwrap();
        }
        tape.close();
        tape.finish();
        game
    };
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    for (evals, text, variation, expected) in [
        (3, 30_000, 9, vec![]),
        (1000, 30_000, 9, vec![(LossKind::Eval, 1000)]),
        (
            1000,
            40_000,
            9,
            vec![(LossKind::Eval, 1000), (LossKind::Comment, 1)],
        ),
        (
            3,
            300,
            40_000,
            vec![
                (LossKind::Eval, 3),
                (LossKind::Comment, 1),
                (LossKind::Variation, 1),
            ],
        ),
    ] {
        let game = game(evals, text, variation);
        let (set, losses) = identity::write_all(&CA, [&game], options.clone()).unwrap();
        let found: Vec<_> = losses.iter().map(|loss| (loss.kind, loss.count)).collect();
        assert_eq!(found, expected);
        let reading = read(&set, 0);
        assert!(reading.strict.is_ok() && reading.text.starts_with("e2e4 "));
    }
    let mut game = Game::new();
    let mut tape = game.moves.builder(&chessdb_core::Limits::default());
    for _ in 0..40_000 {
        tape.mv(chessdb_core::PackedMove::NULL).unwrap();
    }
    tape.finish();
    let (set, losses) = identity::write_all(&CA, [&game, &Game::new()], options).unwrap();
    assert_eq!(losses.count(LossKind::Game), 1);
    assert_eq!(identity::open(&CA, &set).len(), 1);
    assert!(identity::write_all(&CA, [&game], WriteOptions::default()).is_err());
}

/// Files that nobody understands go along as long as all games do.
#[test]
fn side_files_go_along_with_all_games() {
    let mut set = with_records(&[&record(&[E4]), &record(&[E5])]);
    for (n, role) in SIDE_FILES.into_iter().enumerate() {
        set.insert(role, vec![n as u8; 9]);
    }
    let cdp = set.get_mut(CDP_FILE).unwrap();
    cdp[16] = b'7';
    cdp[100] = 1;
    cdp.extend(b"behind");
    let emb = set.get_mut(EMB_FILE).unwrap();
    emb[16] = b'7';
    assert_eq!(identity::first_difference(&set, &rewritten(&set)), None);

    // In part, or beside other games, they are lost, and counted.
    let store = Store::open(&set, ReadOptions::default()).unwrap();
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    options.base = store.base().clone();
    let mut game = Game::new();
    store.game_into(0, &mut game, &mut Scratch::new()).unwrap();
    let (part, losses) = identity::write_all(&CA, [&game], options.clone()).unwrap();
    assert_eq!(losses.count(LossKind::BaseExtra), 6);
    assert!(SIDE_FILES.iter().all(|role| part.get(*role).is_none()));
    options.base.names.clear();
    let (other, losses) = identity::write_all(&CA, [&game, &game], options).unwrap();
    assert_eq!(
        losses.count(LossKind::BaseExtra) as usize,
        store.base().extras.len()
    );
    assert!(SIDE_FILES.iter().all(|role| other.get(*role).is_none()));
    // A game that cannot be stored takes them with it.
    let refused = rewrite_with(&CA, &set, &Allow::Everything, |n, game| {
        if n == 0 {
            let mut tape = game.moves.builder(&chessdb_core::Limits::default());
            (0..40_000).for_each(|_| tape.mv(chessdb_core::PackedMove::NULL).unwrap());
            tape.finish();
        }
    });
    let refused = refused.unwrap();
    assert_eq!(refused.losses.count(LossKind::BaseExtra), 6);
    assert!(refused.set.get(SIDE_FILES[0]).is_none());
}

/// Inner files of unknown meaning go along; masks get room for new names.
#[test]
fn inner_files_go_along() {
    use chessdb_ca::raw::{Emb, EmbHeader, write_volume};
    let mut game = Game::new();
    game.head.event = game.add_text("Riga").into();
    let mut set = base_of(&[game]);
    let emb = Emb::parse(set.get(EMB_FILE).unwrap()).unwrap();
    let mut files: Vec<_> = emb
        .entries
        .iter()
        .zip(&emb.files)
        .map(|(entry, file)| {
            (
                String::from_utf8(entry.name().to_vec()).unwrap(),
                file.content.clone(),
            )
        })
        .collect();
    for (name, content) in &mut files {
        match &**name {
            "Events.axx" => *content = vec![0b11],
            "Events.d00" => *content = b"data".to_vec(),
            "Events.cdp" => content[20] = 9,
            _ => {}
        }
    }
    files.push(("Notes.txt".into(), b"a file of its own".to_vec()));
    let bytes = write_volume(&EmbHeader::new(), &files, 512);
    set.insert(EMB_FILE, bytes);
    assert_eq!(identity::first_difference(&set, &rewritten(&set)), None);
    // Ten more events ask for another byte of each mask.
    let more = rewrite_with(&CA, &set, &Allow::Nothing, |_, game| {
        game.head.event = game.add_text("Tallinn").into();
    });
    let more = more.unwrap().set;
    let emb = Emb::parse(more.get(EMB_FILE).unwrap()).unwrap();
    assert_eq!(emb.file("events.AXX"), Some(&[0b11][..]));
    assert_eq!(emb.file("Events.d00"), Some(&b"data"[..]));
    assert_eq!(emb.file("notes.txt"), Some(&b"a file of its own"[..]));
    let cdp = emb.file("Events.cdp").unwrap();
    assert_eq!((cdp[20], cdp[104]), (9, 3));
}

#[test]
fn probing_goes_by_content() {
    use chessdb_core::Score;
    let set = with_records(&[&record(&[E4])]);
    assert_eq!((CA.probe)(&set), Score::Certain);
    let mut headless = set.clone();
    headless.remove(CDP_FILE);
    assert_eq!((CA.probe)(&headless), Score::Certain);
    headless.remove(EMB_FILE);
    assert_eq!((CA.probe)(&headless), Score::Likely);
    headless.get_mut(D00_FILE).unwrap().push(0);
    assert_eq!((CA.probe)(&headless), Score::Maybe);
    headless.get_mut(D00_FILE).unwrap()[10] = 99;
    assert_eq!((CA.probe)(&headless), Score::No);
    headless.remove(A02_FILE);
    assert_eq!((CA.probe)(&headless), Score::No);
    assert_eq!((CA.probe)(&MemorySet::new()), Score::No);
}

#[test]
fn a_rewrite_needs_no_permission() {
    let set = with_records(&[&record(&[E4])]);
    assert!(rewrite(&CA, &set, &Allow::Nothing).is_ok());
}
