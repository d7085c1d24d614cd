//! Equal games in several generations: genuine databases, and those that Scid made from one PGN.

use chessdb_core::compare::first_difference;
use chessdb_core::options::Mode;
use chessdb_core::text::TextId;
use chessdb_core::{BaseInfo, Game, GameStore, MemorySet, ReadOptions, Scratch, Start};
use chessdb_scid::{Generation, SG3_FILE, SI3, SI4, SN3_FILE, Store};
use chessdb_testkit::expected::{CompareOptions, compare_trees};
use chessdb_testkit::identity;
use chessdb_testkit::tree::Tree;

use crate::common::{Base, MADE, bases, twin};

const SI3_BASES: &str = "fixtures-real/scid/scidvspc-si3";
const SI4_BASES: &str = "fixtures-real/scid/scidvspc-si4";

/// Returns the metadata of a database as text.
fn about(base: &BaseInfo) -> Vec<String> {
    let text = |id: TextId| base.texts.get(id).decode().into_owned();
    let mut all = vec![format!("{:?}", base.kind), text(base.description)];
    for table in &base.names {
        let names = table.records.iter();
        all.extend(
            names.map(|record| format!("{:?} {} {}", table.role, record.key, text(record.text))),
        );
    }
    all
}

#[test]
fn si3_bases_equal_their_si4_twins_game_by_game() {
    let si4 = bases(SI4_BASES);
    for base in bases(SI3_BASES) {
        let other = twin(&base.name, &si4, Generation::Si4);
        let (a, b) = (
            identity::open(&SI3, &base.files),
            identity::open(&SI4, &other),
        );
        let (mut about, other_about) = (about(a.base()), about(b.base()));
        if base.name.ends_with("/tactics") {
            // The description was edited.
            assert_eq!(about[1], "Tactics (easy)");
            about[1].truncate(7);
        }
        assert_eq!(about, other_about, "{}", base.name);
        let (a, b) = (
            identity::open_all(&SI3, &base.files),
            identity::open_all(&SI4, &other),
        );
        assert_eq!(a.len(), b.len());
        for (n, (a, b)) in a.iter().zip(&b).enumerate() {
            assert_eq!(first_difference(a, b), None, "{} game {}", base.name, n + 1);
            assert_eq!(a.header.tags.len(), b.header.tags.len());
            assert_eq!(a.header.white.name.key, b.header.white.name.key);
        }
        println!("{}: {} games equal", base.name, a.len());
    }
}

/// Returns the damaged database: its index and names, with the games of the undamaged one.
fn damaged() -> Option<(MemorySet, Base)> {
    let folder = chessdb_testkit::fixtures::testdata("fixtures-real/scid/scidvspc-si3-damaged")?;
    let sound = bases(SI3_BASES)
        .into_iter()
        .find(|base| base.name.ends_with("/tactics"))?;
    let mut files = chessdb_testkit::fixtures::load_set(folder.join("tactics"), SI3.roles);
    let games = chessdb_core::FileSet::get(&sound.files, SG3_FILE).unwrap();
    files.insert(SG3_FILE, games);
    Some((files, sound))
}

#[test]
fn names_that_lost_a_carriage_return_are_restored() {
    let Some((files, sound)) = damaged() else {
        return;
    };
    let store = Store::open(&files, ReadOptions::default()).unwrap();
    let said: Vec<String> = store
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    println!("{said:?}");
    assert_eq!(
        said,
        ["repaired: sn3 file, byte 0x759: a line feed without its carriage return"]
    );
    let games = all_equal(&store, &sound);
    println!("{games} games equal");
    let mut strict = ReadOptions::default();
    strict.mode = Mode::Strict;
    let refused = Store::open(&files, strict).unwrap_err();
    assert_eq!(refused.location().offset, Some(0x759));
}

/// After irreparable damage to the names, all moves are still read.
#[test]
fn names_that_are_cut_leave_the_moves_whole() {
    let Some((mut files, sound)) = damaged() else {
        return;
    };
    files.get_mut(SN3_FILE).unwrap().truncate(1881);
    let store = Store::open(&files, ReadOptions::default()).unwrap();
    let said: Vec<String> = store
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(
        said.len() == 1 && said[0].starts_with("lost: sn3 file, byte 0x7"),
        "{said:?}"
    );
    let whole = identity::open_all(&SI3, &sound.files);
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    for (n, expected) in whole.iter().enumerate() {
        store.game_into(n as u32, &mut game, &mut scratch).unwrap();
        assert!(game.events().eq(expected.events()), "game {}", n + 1);
    }
    assert!(
        scratch
            .diagnostics
            .iter()
            .all(|d| d.at.file == Some(chessdb_scid::SI3_FILE))
    );
}

fn all_equal(store: &Store<'_>, other: &Base) -> usize {
    let whole = identity::open_all(other.format, &other.files);
    assert_eq!(store.len() as usize, whole.len());
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    for (n, expected) in whole.iter().enumerate() {
        store.game_into(n as u32, &mut game, &mut scratch).unwrap();
        assert_eq!(first_difference(&game, expected), None, "game {}", n + 1);
    }
    assert!(scratch.diagnostics.is_empty());
    whole.len()
}

/// Scid 4.7.4 and 5.0.2 imported the same PGN. Differing games are listed, with the section of the
/// page that explains the difference.
#[test]
fn si5_bases_equal_their_si4_twins() {
    let mut all = bases("fixtures-real/scid/oracle-made");
    all.extend(MADE.into_iter().flat_map(bases));
    let mut found = Vec::new();
    for base in all.iter().filter(|base| base.generation == Generation::Si5) {
        let other = twin(&base.name, &all, Generation::Si4);
        let new = identity::open_all(base.format, &base.files);
        let old = identity::open_all(&SI4, &other);
        let (mut breaks, mut dates) = (0, 0);
        for (n, (a, b)) in old.iter().zip(&new).enumerate() {
            let Some(difference) = first_difference(a, b) else {
                continue;
            };
            let yearless = a.header.date.year == 0 && b.header.date.is_unknown();
            let options = CompareOptions::default().ignoring("Date");
            let same = compare_trees(&Tree::from_game(a), &Tree::from_game(b), &options);
            match (same, a.header.date == b.header.date) {
                // Section 8: Scid 5 keeps line breaks in comments.
                (Ok(()), true) => breaks += 1,
                // Section 2.4: it treats a date without a year as unknown.
                (Ok(()), false) if yearless => dates += 1,
                _ => found.push(format!("{} game {}: {difference}", base.name, n + 1)),
            }
        }
        for (n, game) in new.iter().enumerate().skip(old.len()) {
            let chess960 = matches!(&game.header.start, Start::Setup(setup) if setup.chess960);
            let what = if chess960 { "Chess960" } else { "another" };
            found.push(format!("{} game {}: only in si5, {what}", base.name, n + 1));
        }
        if breaks + dates > 0 {
            let line = format!("{}: {breaks} line breaks, {dates} dates", base.name);
            found.push(line);
        }
        println!("{}: {} and {} games", base.name, old.len(), new.len());
    }
    if !all.is_empty() {
        assert_eq!(found, DIFFERENCES);
    }
}

const DIFFERENCES: [&str; 4] = [
    // Section 2.4: more than three years from the game, which si4 cannot store.
    "oracle-made/mixed game 2: EventDate: ????.??.?? / 1996.12.31",
    "oracle-made/mixed game 6: only in si5, Chess960",
    "oracle-made/mixed: 0 line breaks, 1 dates",
    "scid5/annotated: 44 line breaks, 5 dates",
];
