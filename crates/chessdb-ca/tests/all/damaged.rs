//! Damaged databases: no panic, no hang, within the limits; and a partly lost database yields the
//! rest.

use chessdb_ca::raw::{Base, RawHeader};
use chessdb_ca::{A02_FILE, CA, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE};
use chessdb_core::files::Role;
use chessdb_core::limits::Limits;
use chessdb_core::options::Allow;
use chessdb_core::{Diagnostic, FileSet, MemorySet, ReadOptions, Severity, WriteOptions, dump};
use chessdb_testkit::corrupt::{Corruptor, Records};
use chessdb_testkit::identity::{self, survive};
use chessdb_testkit::readings;
use chessdb_testkit::strategy::{self, GameOptions};
use chessdb_testkit::time::{one_of, patience};

const FILES: [Role; 5] = [CDP_FILE, D00_FILE, A02_FILE, D02_FILE, EMB_FILE];

/// Returns a database with all kinds of content.
fn base() -> MemorySet {
    let games: Vec<_> = (0..12)
        .map(|seed| strategy::game(seed, &GameOptions::all()))
        .collect();
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    let base = &mut options.base;
    base.description = base
        .texts
        .push(b"a base to be damaged", chessdb_core::Charset::UTF_8);
    identity::write_all(&CA, &games, options).unwrap().0
}

fn small_limits() -> ReadOptions {
    let mut options = ReadOptions::default();
    options.limits = Limits::small();
    options
}

/// Checks that reading, checking and mapping terminate and that the map covers every byte.
fn survives(set: &dyn FileSet, name: &str) {
    survive(&CA, set, &small_limits(), 20);
    let mut told = 0;
    dump::cover(set, CA.roles, CA.dump, &mut |_, bytes| told += bytes.len());
    let all: usize = FILES
        .iter()
        .filter_map(|role| set.get(*role))
        .map(<[u8]>::len)
        .sum();
    assert_eq!(told, all, "{name}");
}

#[test]
fn every_kind_of_damage_is_survived() {
    let set = base();
    let mut count = 0;
    for role in FILES {
        let corruptor = Corruptor::new(&set, 11);
        let variants = corruptor
            .some_truncations(role, 160, 60)
            .chain(corruptor.bit_flips(role, 160, 300))
            .chain(corruptor.noise(role, 300));
        for variant in variants.step_by(one_of(3)) {
            survives(&variant, &variant.name);
            count += 1;
        }
    }
    println!("{count} variants");
}

#[test]
fn numbers_that_are_often_forgotten_are_survived() {
    let set = base();
    let emb_directory = {
        let emb = set.get(EMB_FILE).unwrap();
        let table = u32::from_le_bytes(emb[140..144].try_into().unwrap()) as usize;
        let first = u32::from_le_bytes(emb[table + 4..table + 8].try_into().unwrap()) as usize;
        (first..first + 20, table..table + 16)
    };
    let ranges = [
        (CDP_FILE, 100..112),
        (D00_FILE, 0..76),
        (A02_FILE, 0..12),
        (D02_FILE, 0..8),
        (EMB_FILE, 128..144),
        (EMB_FILE, emb_directory.0),
        (EMB_FILE, emb_directory.1),
    ];
    for (role, range) in ranges {
        let variants = Corruptor::new(&set, 5).extremes(role, range);
        for variant in variants.step_by(one_of(3)) {
            survives(&variant, &variant.name);
        }
    }
}

#[test]
fn records_that_change_places_are_survived() {
    let set = base();
    let raw_headers = Records {
        start: 0,
        size: RawHeader::SIZE,
    };
    let addresses = Records { start: 0, size: 4 };
    for (role, records) in [(D00_FILE, raw_headers), (A02_FILE, addresses)] {
        let corruptor = Corruptor::new(&set, 3);
        let variants = corruptor
            .swapped_records(role, records, 40)
            .chain(corruptor.repeated_records(role, records, 40));
        for variant in variants {
            survives(&variant, &variant.name);
        }
    }
}

/// Strict and lenient mode, header and game, and different orders agree on damaged databases, too;
/// and the structs still return every byte.
#[test]
fn readings_of_damaged_bases_agree() {
    let set = base();
    let mut parsed = 0;
    for role in FILES {
        let corruptor = Corruptor::new(&set, 17);
        for variant in corruptor
            .noise(role, 60)
            .chain(corruptor.some_truncations(role, 0, 20))
        {
            readings::check(&CA, &variant, &small_limits());
            let Ok(base) = Base::parse(&variant) else {
                continue;
            };
            for (role, bytes) in base.to_bytes() {
                assert_eq!(Some(&bytes[..]), variant.get(role), "{}", variant.name);
            }
            parsed += 1;
        }
    }
    assert!(parsed > 200, "{parsed}");
}

/// A game read leniently from a damaged database can be written and is then read without
/// diagnostics.
#[test]
fn what_is_left_of_a_base_is_a_base() {
    let set = base();
    for role in FILES {
        for variant in Corruptor::new(&set, 23).noise(role, 40) {
            let Ok(rewritten) = identity::rewrite(&CA, &variant, &Allow::Everything) else {
                continue;
            };
            let store = identity::open(&CA, &rewritten.set);
            // A damaged signature is an unknown one: it is kept. So are damaged texts and numbers,
            // with a diagnostic.
            let is_kept = |said: &Diagnostic| {
                let kind = said.kind.to_string();
                kind.contains("not text") || kind.contains("numbers that do not exist")
            };
            let odd = store
                .diagnostics()
                .iter()
                .find(|said| said.severity > Severity::Note && !is_kept(said));
            assert!(odd.is_none(), "{}: {odd:?}", variant.name);
            let again = identity::rewrite(&CA, &rewritten.set, &Allow::Everything).unwrap();
            let odd = again.diagnostics.iter().find(|said| !is_kept(said));
            assert!(odd.is_none(), "{}: {odd:?}", variant.name);
        }
    }
}

/// Fragments that share the same bytes, endless directories, tables inside themselves: no more is
/// read than the file contains.
#[test]
fn volumes_that_bite_their_own_tail_stay_small() {
    use chessdb_ca::raw::{Emb, EmbHeader};
    let raw_header = |length: u32, table: u32| EmbHeader {
        length,
        table,
        ..EmbHeader::new()
    };
    let mut looping = raw_header(u32::MAX, 144).to_bytes().to_vec();
    for _ in 0..4000 {
        looping.extend(30_000u32.to_le_bytes());
        looping.extend(144u32.to_le_bytes());
    }
    let emb = Emb::parse(&looping).unwrap();
    let all: usize = emb.files.iter().map(|file| file.content.len()).sum();
    assert!(emb.directory.content.len() + all <= looping.len());
    assert_eq!(emb.to_bytes(), looping);
    let mut zero = raw_header(100, 144).to_bytes().to_vec();
    zero.extend([0; 8]);
    let emb = Emb::parse(&zero).unwrap();
    assert!(emb.directory.fault.is_some() && emb.files.is_empty());
}

/// Arbitrary bytes as the codes of a game.
#[test]
fn any_codes_are_survived() {
    let mut state = 7u64;
    let mut next = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    for n in 0..3000 {
        let length = usize::from(next());
        // Codes of variations and comments are rare among random bytes.
        let body: Vec<u8> = (0..length)
            .map(|_| match (n % 3, next() % 8) {
                (1, 0..=2) => 231 + next() % 6,
                (2, 0..=4) => next() % 32,
                _ => next(),
            })
            .collect();
        let set = crate::common::with_records(&[&crate::common::record(&body)]);
        survives(&set, "random codes");
        readings::check(&CA, &set, &small_limits());
        let rewritten = identity::rewrite(&CA, &set, &Allow::Everything).unwrap();
        let again = identity::rewrite(&CA, &rewritten.set, &Allow::Nothing).unwrap();
        assert!(
            again.diagnostics.is_empty(),
            "{body:02x?}: {:?}",
            again.diagnostics
        );
        assert_eq!(
            identity::first_difference(&rewritten.set, &again.set),
            None,
            "{body:02x?}"
        );
    }
}

/// Nesting to the limit and beyond, in the most expensive order.
#[test]
fn deep_nesting_is_cut() {
    let depth = 8000;
    let mut body = vec![0x13];
    body.extend([231].repeat(depth));
    body.extend([211, 232].repeat(depth));
    body.push(0x13);
    let set = crate::common::with_records(&[&crate::common::record(&body)]);
    let started = std::time::Instant::now();
    survives(&set, "nested");
    let reading = crate::common::read(&set, 0);
    assert!(
        reading
            .said
            .iter()
            .any(|said| said.contains("variations within variations"))
    );
    assert!(reading.text.starts_with("e2e4 e7e5 (0000 (0000"));
    assert!(started.elapsed() < patience(20));
}

/// The description counts the games, so it shows that headers are missing, wherever they were.
#[test]
fn headers_that_are_gone_are_lost_and_not_miscounted() {
    let set = base();
    for (change, severity, text) in [
        (-1, Severity::Lost, "headers is 9, but 10 was"),
        (1, Severity::Repaired, "games is 10, but 11 was"),
    ] {
        let mut set = set.clone();
        let raw_headers = set.get_mut(D00_FILE).unwrap();
        match change {
            1 => raw_headers.extend_from_within(raw_headers.len() - 38..),
            _ => raw_headers.truncate(raw_headers.len() - 38),
        }
        let store = identity::open(&CA, &set);
        let said: Vec<String> = store.diagnostics().iter().map(|d| d.to_string()).collect();
        let of = |d: &&chessdb_core::Diagnostic| d.to_string().contains(text);
        let found = store.diagnostics().iter().find(of);
        assert_eq!(found.map(|d| d.severity), Some(severity), "{said:?}");
    }
}
