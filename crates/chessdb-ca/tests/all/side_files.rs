//! Records at the limits of their length, files and inner files that a rewrite keeps, and the
//! detection of a database (docs/formats/chess-assistant.md, sections 3, 7 and 16).

use chessdb_ca::{A02_FILE, CA, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE, SIDE_FILES, Store};
use chessdb_core::options::Allow;
use chessdb_core::{
    FileSet, Game, GameStore, LossKind, MemorySet, ReadOptions, Scratch, WriteOptions,
};
use chessdb_testkit::identity::{self, rewrite, rewrite_with};

use crate::common::{E4, E5, NC6, NF3, base_of, file, read, record, rewritten, with_records};

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
    assert!(reading.said[0].contains("only in the other length encoding"));
    assert!(reading.strict.is_err());
    // Read by the formula of the published description it causes no diagnostics and is rewritten
    // unchanged.
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
        let mut limits = chessdb_core::limits::Limits::default();
        limits.plies = 1_000_000;
        let mut tape = game.moves.builder(&limits);
        tape.mv(moves[0]).unwrap();
        // An unknown code, which is kept as long as comments are.
        let unknown = chessdb_core::model::Extra {
            format: "ca",
            field: 257,
            bytes: [7].into(),
        };
        tape.extra(unknown).unwrap();
        for n in 0..evals {
            let value = chessdb_core::commands::EvalValue::Centipawns(n as i32);
            tape.eval(chessdb_core::commands::Eval { value, depth: None })
                .unwrap();
        }
        tape.comment(chessdb_core::model::Place::After, long)
            .unwrap();
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
            vec![
                (LossKind::GameExtra, 1),
                (LossKind::Eval, 1000),
                (LossKind::Comment, 1),
            ],
        ),
        (
            3,
            300,
            40_000,
            vec![
                (LossKind::GameExtra, 1),
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
    let mut tape = game.moves.builder(&chessdb_core::limits::Limits::default());
    for _ in 0..40_000 {
        tape.mv(chessdb_core::PackedMove::NULL).unwrap();
    }
    tape.finish();
    let (set, losses) = identity::write_all(&CA, [&game, &Game::new()], options).unwrap();
    assert_eq!(losses.count(LossKind::Game), 1);
    assert_eq!(identity::open(&CA, &set).len(), 1);
    assert!(identity::write_all(&CA, [&game], WriteOptions::default()).is_err());
}

/// Undocumented files are kept if all games are.
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

    // With a part of the games, or with other games, they are lost and counted.
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
    // A game that cannot be stored causes their loss.
    let refused = rewrite_with(&CA, &set, &Allow::Everything, |n, game| {
        if n == 0 {
            let mut tape = game.moves.builder(&chessdb_core::limits::Limits::default());
            (0..40_000).for_each(|_| tape.mv(chessdb_core::PackedMove::NULL).unwrap());
            tape.finish();
        }
    });
    let refused = refused.unwrap();
    assert_eq!(refused.losses.count(LossKind::BaseExtra), 6);
    assert!(refused.set.get(SIDE_FILES[0]).is_none());
}

/// Inner files of unknown meaning are kept; masks grow for new names.
#[test]
fn inner_files_go_along() {
    use chessdb_ca::raw::{Emb, EmbHeader, write_volume};
    let mut game = Game::new();
    game.header.event = game.add_text("Riga").into();
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
    // Ten more events require another byte in each mask.
    let more = rewrite_with(&CA, &set, &Allow::Nothing, |_, game| {
        game.header.event = game.add_text("Tallinn").into();
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
    use chessdb_core::format::Score;
    let set = with_records(&[&record(&[E4])]);
    assert_eq!((CA.probe)(&set), Score::Certain);
    let mut without_header = set.clone();
    without_header.remove(CDP_FILE);
    assert_eq!((CA.probe)(&without_header), Score::Certain);
    without_header.remove(EMB_FILE);
    assert_eq!((CA.probe)(&without_header), Score::Likely);
    without_header.get_mut(D00_FILE).unwrap().push(0);
    assert_eq!((CA.probe)(&without_header), Score::Maybe);
    without_header.get_mut(D00_FILE).unwrap()[10] = 99;
    assert_eq!((CA.probe)(&without_header), Score::No);
    without_header.remove(A02_FILE);
    assert_eq!((CA.probe)(&without_header), Score::No);
    assert_eq!((CA.probe)(&MemorySet::new()), Score::No);
}

#[test]
fn a_rewrite_needs_no_permission() {
    let set = with_records(&[&record(&[E4])]);
    assert!(rewrite(&CA, &set, &Allow::Nothing).is_ok());
}
