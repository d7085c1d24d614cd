//! Deviations that a reader must tolerate (docs/formats/chess-assistant.md, section 13), each with
//! its diagnostic and the error of strict mode; and data that only Chess Assistant understands.

use chessdb_ca::{A02_FILE, CA, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE};
use chessdb_core::options::Mode;
use chessdb_core::{Game, MemorySet, ReadOptions};
use chessdb_testkit::readings;

use crate::common::{
    C5, CLOSE, E4, E5, NF3, OPEN, Reading, base_of, file, read, record, rewritten, with_records,
};

/// Checks the moves and the diagnostics of a record that deviates from the format page.
fn odd(body: &[u8], expected: &str, said: &[&str]) -> Reading {
    let set = with_records(&[&record(body)]);
    let reading = read(&set, 0);
    assert_eq!(reading.text, expected);
    assert_eq!(reading.said.len(), said.len(), "{:?}", reading.said);
    for (found, part) in reading.said.iter().zip(said) {
        assert!(found.contains(part), "{found}");
    }
    assert_eq!(reading.strict.is_err(), !said.is_empty());
    // It is always rewritten in the regular form, which is read without diagnostics.
    let again = rewritten(&set);
    let second = read(&again, 0);
    assert_eq!((second.text, second.said.len()), (reading.text.clone(), 0));
    reading
}

/// Checks a valid record, which is rewritten byte for byte.
fn right(body: &[u8], expected: &str) {
    odd(body, expected, &[]);
    let set = with_records(&[&record(body)]);
    assert_eq!(
        file(&rewritten(&set), D02_FILE),
        file(&set, D02_FILE),
        "{expected}"
    );
}

#[test]
fn comments_of_every_type() {
    right(&[E4, 234, 2, b'!', 234, 2, b'?'], "e2e4 $1 $2");
    right(&[E4, 235, 3, 2, b'!', b'?'], "e2e4 $5");
    // Symbols of unknown meaning are kept as bytes.
    right(&[E4, 234, 2, 0x1F, E5], "e2e4 [2:1f] e7e5");
    right(&[E4, 235, 4, 2, b'!', b'!', b'!'], "e2e4 [2:212121]");
    // Before the move: the NAG follows it in the model, and an extra states its position.
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
    // After an evaluation a text continues its comment, unless an empty text ends it.
    let eval = [235, 5, 29, 35, 0, 255, 0];
    right(
        &[&[E4][..], &eval, &[235, 2, 4, b'x', E5]].concat(),
        "e2e4 [Centipawns(35)] {x} e7e5",
    );
    right(
        &[&[E4][..], &eval, &[235, 1, 4, 235, 2, 4, b'x', E5]].concat(),
        "e2e4 [Centipawns(35)] | {x} e7e5",
    );
    // A text of commands alone ends where an item with its own code follows.
    let clock = [&[235, 15, 4][..], b"[%clk 0:01:00]"].concat();
    right(
        &[&[E4][..], &clock, &eval, &[E5]].concat(),
        "e2e4 Clock(Clock { kind: Clock, milliseconds: 60000 }) | [Centipawns(35)] e7e5",
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
    // A comment on the last move that is stored after the variation of the next.
    odd(
        &[E4, OPEN, C5, CLOSE, 235, 2, 4, b'x', E5],
        "e2e4 {x} e7e5 (c7c5)",
        &[],
    );
    // Comments before the move, before or after its variations.
    odd(
        &[E4, 235, 2, 5, b'x', OPEN, C5, CLOSE, E5],
        "e2e4 <{x}> e7e5 (c7c5)",
        &[],
    );
    right(
        &[E4, OPEN, C5, CLOSE, 235, 2, 5, b'x', E5],
        "e2e4 <{x}> e7e5 (c7c5)",
    );
    // Variations with no move to replace.
    odd(
        &[E4, E5, OPEN, NF3, CLOSE],
        "e2e4 e7e5 (e7e5 g1f3)",
        &["a variation after the last move"],
    );
    odd(
        &[OPEN, E4, E5, CLOSE, OPEN, 0x0F, CLOSE],
        "e2e4 (d2d4) e7e5",
        &["a variation without a move to replace"],
    );
    odd(
        &[E4, OPEN, C5, NF3],
        "e2e4 (e2e4 c7c5 g1f3)",
        &["after the last move", "inside a variation"],
    );
    odd(
        &[E4, CLOSE, E5],
        "e2e4 e7e5",
        &["the end of a variation that was never opened"],
    );
    // A comment before a move that does not follow.
    right(
        &[E4, OPEN, C5, CLOSE, E5, 235, 2, 5, b'x'],
        "e2e4 e7e5 (c7c5) {x}",
    );
}

#[test]
fn moves_that_make_no_sense_end_their_line() {
    odd(&[E4, E5, 0x28, 0x13], "e2e4 e7e5", &["illegal move"]);
    odd(
        &[E4, E5, 137, 0x13],
        "e2e4 e7e5",
        &["no piece of the side to move has this number"],
    );
    odd(
        &[E4, OPEN, 137, NF3, CLOSE, E5, NF3],
        "e2e4 e7e5 () g1f3",
        &["has this number"],
    );
    odd(
        &[E4, 222, E5],
        "e2e4",
        &["a code has the unexpected value 222"],
    );
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
        &["a start position after the first move"],
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

fn with_raw_header(change: impl Fn(&mut Vec<u8>)) -> MemorySet {
    let mut game = Game::new();
    game.header.white.name = game.add_text("Tal").into();
    let mut set = base_of(&[game]);
    change(set.get_mut(D00_FILE).unwrap());
    set
}

#[test]
fn heads_keep_what_they_cannot_say() {
    let verdicts = [16, 17, 14, 15, 18, 19, 11, 13, 44, 40, 36, 132];
    let verdicts = (5..).zip(verdicts.map(|nag| ("LineEvaluation", format!("${nag}"))));
    let unknown = [0, 17, 255].map(|outcome: u8| (outcome, ("CAOutcome", outcome.to_string())));
    for (outcome, (name, value)) in verdicts.chain(unknown) {
        let set = with_raw_header(|d00| d00[10] = outcome);
        let game = read(&set, 0).game;
        let tags = chessdb_testkit::tree::tags(&game);
        assert!(tags.contains(&(name.into(), value)), "{outcome}");
        assert_eq!(file(&rewritten(&set), D00_FILE), file(&set, D00_FILE));
    }
    for (kind, value) in [(9u32, "strategy"), (31, "31"), (u32::MAX, "4294967295")] {
        let set = with_raw_header(|d00| d00[20..24].copy_from_slice(&kind.to_le_bytes()));
        let tags = chessdb_testkit::tree::tags(&read(&set, 0).game);
        assert!(tags.contains(&("CAType".into(), value.into())));
        assert_eq!(file(&rewritten(&set), D00_FILE), file(&set, D00_FILE));
    }
    for at in [28, 29, 31] {
        let set = with_raw_header(|d00| d00[at] = 3);
        let reading = read(&set, 0);
        assert_eq!(reading.game.header.extras.len(), 1);
        assert!(reading.strict.is_ok());
        assert_eq!(file(&rewritten(&set), D00_FILE), file(&set, D00_FILE));
    }
    // A year that does not fit into four digits.
    let set = with_raw_header(|d00| d00[11..14].copy_from_slice(&[255; 3]));
    assert!(read(&set, 0).said[0].contains("the year"));
}

#[test]
fn names_that_are_not_there() {
    for (id, said) in [([255; 3], 0), ([9, 0, 0], 1), ([0; 3], 0)] {
        let set = with_raw_header(|d00| d00[0..3].copy_from_slice(&id));
        let reading = read(&set, 0);
        assert_eq!(reading.said.len(), said, "{id:?}");
        assert!(reading.game.header.white.name.text.is_none());
    }
}

#[test]
fn missing_files() {
    let mut game = Game::new();
    game.header.white.name = game.add_text("Tal").into();
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
            reading.game.header.white.name.text.is_none(),
            role == EMB_FILE
        );
        let mut options = ReadOptions::default();
        options.mode = Mode::Strict;
        assert!((CA.open)(&set, options).is_err());
    }
}

/// Cycles, aliases and invalid addresses: the game has its header and no moves.
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
            ["refers to the record itself", "refers to the record itself"],
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

/// A header with a finding is never taken as one that needs no further look.
#[test]
fn findings_of_headers_do_not_depend_on_the_way_of_reading() {
    for (offset, bytes, findings) in [
        (10, &[1][..], 0),            // A draw.
        (10, &[0], 1),                // No such outcome.
        (11, &[0xFF; 3], 1),          // The year 40,329.
        (0, &[0x00, 0x10, 0x00], 1),  // A player of no list.
        (14, &[0x00, 0x10, 0x00], 1), // An event of no list.
    ] {
        let mut set = with_records(&[&record(&[E4, E5])]);
        let mut d00 = file(&set, D00_FILE);
        d00[offset..offset + bytes.len()].copy_from_slice(bytes);
        set.insert(D00_FILE, d00);
        readings::check(&CA, &set, &ReadOptions::default());
        let said = read(&set, 0).said;
        assert_eq!(said.len(), findings, "{offset}: {said:?}");
    }
}
