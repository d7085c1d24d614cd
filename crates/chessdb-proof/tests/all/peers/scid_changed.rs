//! Scid as the judge of databases that were changed in place many times.

use std::path::Path;
use std::{env, fs};

use chessdb::convert::Editor;
use chessdb::core::model::GameFlags;
use chessdb::{Allow, Converter, Database};
use chessdb_testkit::rng::Rng;

use super::lab::{Lab, SCID, fixtures_of, name};
use super::scid::{SUFFIXES, copy_base};

/// Scid reads every game of a database after random changes, and exports the same text as from a new
/// database of the same games. `CHESSDB_CHANGES` sets the number of changes, 1,000 by default.
#[test]
fn scid_reads_a_base_that_was_changed_many_times() {
    let Some(lab) = Lab::new("scid-changed", &[SCID]) else {
        return;
    };
    let changes = env::var("CHESSDB_CHANGES").map_or(1000, |number| number.parse().unwrap());
    let base = lab.folder.join("changed.si4");
    let inputs = fixtures_of("pgn/clean", &["pgn"]);
    let sources: Vec<Database> = inputs
        .iter()
        .map(|path| Database::open(path).unwrap())
        .collect();
    let converter = Converter::to(&base);
    let converter = sources
        .iter()
        .fold(converter, |converter, db| converter.add_database(db));
    converter.run().unwrap();
    let one = lab.folder.join("one.pgn");
    let mut rng = Rng::new(1987);
    let mut in_place = 0;
    for n in 0..changes {
        if rng.chance(5) {
            let game =
                format!("[White \"Appended {n}\"]\n[Event \"Late\"]\n\n1. d4 {{{n}}} d5 *\n");
            fs::write(&one, game).unwrap();
            let added = Database::open(&one).unwrap();
            let report = Converter::to(&base).append(true).add_database(&added).run();
            assert!(!report.unwrap().is_rewritten());
            in_place += 1;
            continue;
        }
        let mut editor = Editor::open(&base, Database::options()).unwrap();
        let games = editor.database().len().unwrap();
        let number = 1 + rng.below(games as usize) as u32;
        let other = editor
            .database()
            .game(rng.below(games as usize) as u32)
            .unwrap();
        let kind = rng.below(7);
        let mut change = |game: &mut chessdb::Game| match kind {
            0 => game.header.flags ^= GameFlags::DELETED,
            1 => game.header.flags ^= GameFlags::CUSTOM_3,
            2 => game.set_tag("White", &other.black()),
            3 => game.set_tag("Site", &format!("Site {n}")),
            4 => game.set_tag("Annotator", &format!("Annotator {n}")),
            5 => game.set_tag("Result", if n % 2 == 0 { "1-0" } else { "1/2-1/2" }),
            _ => {
                let flags = game.header.flags;
                **game = (*other).clone();
                game.header.flags = flags;
            }
        };
        in_place += u64::from(
            editor
                .change(&[number], Allow::Nothing, &mut change)
                .unwrap(),
        );
    }
    let written = u64::from(Database::open(&base).unwrap().len().unwrap());
    let copy = |base: &Path, folder: &str| {
        copy_base(base, &lab.folder.join(folder), SUFFIXES, &name(base))
    };
    let answer = lab.scid("scid_open.tcl", &[&copy(&base, "opened")], &[]);
    if answer.number("games") != written || answer.number("unreadable") != 0 {
        lab.fault(format!("{written} games written, Scid: {answer:?}"));
    }
    let (pgn, fresh) = (lab.folder.join("again.pgn"), lab.folder.join("fresh.si4"));
    lab.convert(&[], &base, &pgn);
    lab.convert(&[], &pgn, &fresh);
    let exported = [&base, &fresh].map(|base| {
        let place = format!("{}-export", name(base));
        let out = lab.folder.join(&place).join("scid.pgn");
        lab.scid("scid_export.tcl", &[&copy(base, &place), &out], &["base"]);
        fs::read(out).unwrap()
    });
    if exported[0] != exported[1] {
        lab.fault("Scid exports other games than from a new database".to_owned());
    }
    assert!(
        in_place * 10 > changes * 9,
        "{in_place} of {changes} in place"
    );
    lab.finish(&format!(
        "{in_place} changes in place, {written} games read by Scid"
    ));
}
