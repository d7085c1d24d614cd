//! Changes of games in place (docs/formats/cbf.md, section 19).

use chessdb_cbf::raw::{Index, RawHeader, RecordFlags};
use chessdb_cbf::{CBF, CBF_FILE, CBI_FILE, Store};
use chessdb_core::compare::first_difference;
use chessdb_core::model::GameFlags;
use chessdb_core::{Charset, FileSet, Game, GameStore, MemorySet, ReadOptions};
use chessdb_testkit::changes::{change, change_and_append, random_changes};
use chessdb_testkit::identity;

use crate::common::{examples, made};

fn unused(set: &MemorySet) -> u64 {
    let store = Store::open(set, ReadOptions::default()).unwrap();
    store.unused().unwrap().bytes
}

fn findings(set: &MemorySet) -> Vec<String> {
    let mut findings = Vec::new();
    chessdb_core::format::check(&CBF, set, &ReadOptions::default(), &mut |finding| {
        findings.push(format!("{finding:?}"));
    });
    findings
}

fn header_of(set: &MemorySet, n: u32) -> RawHeader {
    let store = Store::open(set, ReadOptions::default()).unwrap();
    let offset = store.offset(n).unwrap() as usize;
    RawHeader::parse(set.get(CBF_FILE).unwrap()[offset..].first_chunk().unwrap())
}

/// A mark is one bit of byte 10, which stays one bit under the cipher.
#[test]
fn marking_changes_one_bit() {
    let set = examples();
    for n in 0..4 {
        for (mark, flag) in [
            (GameFlags::DELETED, RecordFlags::DELETED),
            (GameFlags::USER, RecordFlags::MARKED),
        ] {
            let marked = change(&CBF, &set, n, |game| game.header.flags ^= mark).unwrap();
            let store = Store::open(&set, ReadOptions::default()).unwrap();
            let at = store.offset(n).unwrap() as usize + 10;
            let ranges = [(CBF_FILE, at..at + 1)];
            assert_eq!(identity::differing_ranges(&set, &marked), ranges);
            let [old, new] = [&set, &marked].map(|set| set.get(CBF_FILE).unwrap()[at]);
            assert_eq!(old ^ new, flag.bits());
            let mut expected = header_of(&set, n);
            expected.flags ^= flag;
            assert_eq!(header_of(&marked, n), expected);
            let back = change(&CBF, &marked, n, |game| game.header.flags ^= mark).unwrap();
            assert_eq!(identity::first_difference(&back, &set), None);
            assert_eq!(findings(&marked), findings(&set));
        }
    }
}

/// A changed record is the last one, and only two longwords of the index change.
#[test]
fn a_changed_record_follows_the_others() {
    let set = examples();
    let games = identity::open_all(&CBF, &set);
    for n in 0..4 {
        let changed = change(&CBF, &set, n, |game| game.set_tag("Event", "Riga")).unwrap();
        let [old, new] = [&set, &changed].map(|set| set.get(CBF_FILE).unwrap());
        assert!(new.starts_with(old));
        let [mut words, expected] =
            [&set, &changed].map(|set| Index::parse(set.get(CBI_FILE).unwrap()).words);
        words[n as usize + 1] = old.len() as u32 + n + 2;
        words[5] = new.len() as u32 + 6;
        assert_eq!(words, expected);
        for (k, (game, old)) in (0..).zip(identity::open_all(&CBF, &changed).iter().zip(&games)) {
            if k != n {
                assert_eq!(first_difference(game, old), None, "{n}: game {k}");
            }
        }
        assert_eq!(findings(&changed), findings(&set));
        let hole = header_of(&set, n).record_len();
        assert_eq!(unused(&changed), hole as u64);
    }
    assert_eq!(unused(&set), 0);
    // A mark stays when the game changes later.
    let marked = change(&CBF, &set, 2, |game| {
        game.header.flags ^= GameFlags::DELETED
    })
    .unwrap();
    let changed = change(&CBF, &marked, 2, |game| game.set_tag("White", "Tal")).unwrap();
    assert!(header_of(&changed, 2).flags.contains(RecordFlags::DELETED));
}

/// New texts get the code page of the database.
#[test]
fn texts_keep_their_code_page() {
    let mut game = identity::open_all(&CBF, &examples()).remove(2);
    let name = |game: &Game| game.text(game.header.white.name.text).decode().into_owned();
    let mut changed = examples();
    for tag in ["Bäcker", "Müller"] {
        changed = change(&CBF, &changed, 2, |game| game.set_tag("White", tag)).unwrap();
        game = identity::open_all(&CBF, &changed).remove(2);
        assert_eq!(name(&game), tag);
    }
    let text = game.text(game.header.white.name.text);
    assert_eq!(
        (text.charset(), text.as_bytes()),
        (Charset::CHESSBASE, &b"M\x81ller"[..])
    );
}

/// Damage to a file.
type Change = fn(&mut Vec<u8>);

/// Where new bytes could be taken for those of another game, the database must be rewritten.
#[test]
fn doubtful_files_are_not_changed() {
    let rename = |set: &MemorySet, n| change(&CBF, set, n, |game| game.set_tag("White", "Tal"));
    let mark =
        |set: &MemorySet, n| change(&CBF, set, n, |game| game.header.flags ^= GameFlags::USER);
    let changes: [(&str, chessdb_core::files::Role, Change); 5] = [
        ("bytes behind the index", CBI_FILE, |bytes| bytes.push(0)),
        ("another count", CBI_FILE, |bytes| bytes[3] -= 1),
        ("another end", CBI_FILE, |bytes| bytes[23] -= 1),
        ("bytes behind the games", CBF_FILE, |bytes| bytes.push(0)),
        ("a game beyond the end", CBI_FILE, |bytes| bytes[6] = 1),
    ];
    for (what, role, damage) in changes {
        let mut set = examples();
        damage(set.get_mut(role).unwrap());
        assert!(
            rename(&set, 1).is_none() && mark(&set, 1).is_none(),
            "{what}"
        );
    }
    // A record that ends beyond the file.
    let mut cut = examples();
    let length = cut.get(CBF_FILE).unwrap().len() - 1;
    cut.get_mut(CBF_FILE).unwrap().truncate(length);
    cut.get_mut(CBI_FILE).unwrap()[23] -= 1;
    assert!(rename(&cut, 0).is_none() && mark(&cut, 0).is_none());
    // Two games with one record: the record of neither may be marked.
    let mut shared = examples();
    let words = Index::new(&[0, 73, 0, 161], 195).unwrap();
    shared.insert(CBI_FILE, words.to_bytes());
    assert!(mark(&shared, 0).is_none() && mark(&shared, 2).is_none());
    assert!(mark(&shared, 1).is_some());
    let renamed = rename(&shared, 0).unwrap();
    let games = identity::open_all(&CBF, &renamed);
    let white = |n: usize| {
        games[n]
            .text(games[n].header.white.name.text)
            .decode()
            .into_owned()
    };
    assert_eq!((&*white(0), &*white(2)), ("Tal", "Kasparov,G"));
}

/// Another game changes in the step in which one is appended.
#[test]
fn a_game_is_appended_with_a_change() {
    let set = examples();
    let games = identity::open_all(&CBF, &set);
    let new = games[3].clone();
    let after = identity::open_all(&CBF, &change_and_append(&CBF, &set, &new));
    assert_eq!(after.len(), games.len() + 1);
    let event = after[0].header.event.text;
    assert_eq!(after[0].text(event).decode(), "Changed");
    for (game, old) in after[1..].iter().zip(games[1..].iter().chain([&new])) {
        assert_eq!(first_difference(game, old), None);
    }
    let changed = change_and_append(&CBF, &set, &new);
    assert_eq!(findings(&changed), findings(&set));
    assert_eq!(
        identity::open_all(&CBF, &change_and_append(&CBF, &changed, &new)).len(),
        games.len() + 2
    );
}

#[test]
fn random_changes_keep_all_other_games() {
    let mut all = made();
    all.push(crate::common::Base {
        name: "examples".into(),
        files: examples(),
    });
    for base in all {
        let (set, changes) = random_changes(&CBF, &base.files, 150, 1987, &base.name);
        assert!(changes > 100, "{}: {changes}", base.name);
        assert!(unused(&set) > 0);
    }
}
