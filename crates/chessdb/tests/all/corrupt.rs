//! Damaged databases of every format: strict reading fails or agrees with lenient reading, and
//! lenient reading delivers every game without a touched byte.
#![cfg(feature = "all-formats")]

use chessdb::core::FileSet;
use chessdb::{FORMATS, Format};
use chessdb_testkit::corrupt::{Corruptor, Records, Variant};
use chessdb_testkit::time::one_of;

use crate::damage::{Outcome, Sample, examine, samples};

/// Files up to this length are cut at every length.
const SMALL: usize = 400;

fn all_of(sample: &Sample, outcome: &mut Outcome) {
    let mut try_all = |variants: &mut dyn Iterator<Item = Variant<'_>>| {
        for variant in variants.step_by(one_of(3)) {
            examine(sample, &variant, &variant.name, outcome);
        }
    };
    // Databases in containers are slow to open and have no map.
    let (cuts, flips) = match &sample.map {
        Some(_) => (40, 120),
        None => (12, 12),
    };
    let corruptor = Corruptor::new(&sample.set, 8);
    try_all(&mut corruptor.whole_files());
    let roles: Vec<_> = sample.set.iter().map(|(role, _)| role).collect();
    for role in roles {
        let length = sample.set.get(role).unwrap().len();
        let every = if sample.map.is_some() && length <= SMALL { length } else { cuts };
        try_all(&mut corruptor.some_truncations(role, every, cuts));
        try_all(&mut corruptor.bit_flips(role, 0, flips));
        try_all(&mut corruptor.noise(role, flips));
    }
    let Some(map) = &sample.map else {
        // Pages of a database, blocks of an archive, rows of a table.
        for (role, bytes) in sample.set.iter() {
            let size = if role.0 == "sqlite" { 4096 } else { 512 };
            let records = Records { start: 0, size };
            try_all(&mut corruptor.swapped_records(role, records, 6));
            try_all(&mut corruptor.repeated_records(role, records, 6));
            try_all(&mut corruptor.shifted_records(role, records, 3));
            for at in [0, bytes.len() / 3, bytes.len() / 2] {
                try_all(&mut corruptor.extremes(role, at..at + 16).step_by(11));
            }
        }
        return;
    };
    for (role, range) in &map.header {
        try_all(&mut corruptor.bit_flips_in(*role, range.clone()));
        // Numbers are at the front, texts after them.
        let numbers = range.start..range.end.min(range.start + 24);
        try_all(&mut corruptor.extremes(*role, numbers));
    }
    if let Some((role, records, place)) = &map.index {
        try_all(&mut corruptor.swapped_records(*role, *records, 20));
        try_all(&mut corruptor.repeated_records(*role, *records, 20));
        try_all(&mut corruptor.shifted_records(*role, *records, 10));
        try_all(&mut corruptor.exchanged_fields(*role, *records, place.clone(), 20));
    }
}

fn corrupt(format: &'static Format) {
    let samples = samples(format);
    let mut sum = Outcome::default();
    for sample in &samples {
        let mut outcome = Outcome::default();
        examine(sample, &sample.set, "as it is", &mut outcome);
        assert_eq!(outcome.opened, 1, "{} {}", format.id, sample.name);
        if sample.map.is_some() {
            assert_eq!(outcome.intact, sample.games.len());
        }
        all_of(sample, &mut sum);
    }
    println!("{}: {} bases, {sum:?}", format.id, samples.len());
    if samples.is_empty() {
        println!("not run: no base of this format is at hand");
        return;
    }
    if format.create.is_some() {
        assert!(samples.len() >= 3 && sum.variants > 100, "{}", format.id);
        assert!(sum.opened > 20, "{}", format.id);
    }
}

/// Defines one test per format, so that they run in parallel.
macro_rules! formats {
    ($($name:ident: $id:literal,)*) => {
        $(
            #[test]
            fn $name() {
                if let Some(format) = FORMATS.iter().find(|format| format.id == $id) {
                    corrupt(format);
                }
            }
        )*

        #[test]
        fn every_other_format() {
            let tested = [$($id),*];
            for format in FORMATS.iter().filter(|format| !tested.contains(&format.id)) {
                corrupt(format);
            }
        }
    };
}

formats! {
    scid3: "si3",
    scid4: "si4",
    scid5: "si5",
    chessbase: "cbf",
    book: "fbk",
    dcx: "dcx",
    chess_assistant: "ca",
    jose: "jose",
    jose_script: "jose-sql",
    jose_tables: "jose-myisam",
    jose_tables_of_an_archive: "jose-io",
    jose_archive: "jose-archive",
    pgn: "pgn",
}
