//! The damage lab: every kind of damage to every file of a database, in every format that stores
//! games in files, and the results of the commands. The table is docs/data/damage.tsv.
//!
//! `CHESSDB_DAMAGE_SEEDS` requests more than one seed per case; the table is then not compared.

#![cfg(all(feature = "all-formats", feature = "sqlite-write"))]

mod commands;
mod data;
mod kinds;

use std::env;
use std::thread;

use chessdb::{FORMATS, Format, formats};
use chessdb_testkit::{fixtures, golden};

use crate::damage::TEXT_LINES;

use commands::{Lab, Row};

/// The formats that are not in the lab unless they are named, with the reason. All others of
/// [`FORMATS`] are.
const LEFT_OUT: &[(&str, &str)] = &[
    ("fbk", "a book merges its games into one"),
    (
        "jose-archive",
        "read only: a packed file of the tables of `jose-io`",
    ),
    (
        "jose-sql",
        "its map covers one statement, and these games need several",
    ),
    (
        "parquet",
        "not in every build of the tests, as the table needs",
    ),
];

#[test]
fn nothing_passes_strict_with_a_game_changed_and_the_table_is_true() {
    let asked = env::var("CHESSDB_DAMAGE_SEEDS").ok();
    let seeds = asked.as_ref().map_or(1, |seeds| seeds.parse().unwrap());
    let only = env::var("CHESSDB_DAMAGE_ONLY").ok();
    let wanted = |format: &&Format| {
        only.as_deref()
            .is_none_or(|only| only.split(',').any(|id| id == format.id))
    };
    let is_left_out = |format: &&Format| LEFT_OUT.iter().any(|(id, _)| *id == format.id);
    let formats = FORMATS.iter().copied().filter(wanted);
    let formats = formats.filter(|format| only.is_some() || !is_left_out(format));
    let formats: Vec<_> = formats.collect();
    let results: Vec<(&str, Vec<Row>)> = thread::scope(|scope| {
        let labs = formats
            .iter()
            .map(|&format| (format.id, scope.spawn(move || Lab::new(format).run(seeds))));
        let labs: Vec<_> = labs.collect();
        labs.into_iter()
            .map(|(id, lab)| (id, lab.join().unwrap()))
            .collect()
    });
    let mut problems = Vec::new();
    for (id, rows) in &results {
        let sum = |count: fn(&Row) -> usize| rows.iter().map(count).sum::<usize>();
        let (intact, salvaged) = (sum(|row| row.intact), sum(|row| row.salvaged));
        println!("{id}: {salvaged} of {intact} games of which no byte was touched were salvaged");
        if salvaged * 100 < intact * 98 {
            problems.push(format!("{id}: {salvaged} of {intact} salvaged"));
        }
        for row in rows {
            row.passed.iter().for_each(|case| println!("{id}: {case}"));
            // Nothing marks the end of a game in a line: the rest of a line that was cut is a game,
            // and text that is not moves becomes a tag.
            if !row.kind.may_hide && !TEXT_LINES.contains(id) {
                problems.extend(row.passed.iter().map(|case| format!("{id}: {case}")));
            }
        }
    }
    println!("{}", data::table(&results));
    assert!(
        problems.is_empty(),
        "{} cases\n{}",
        problems.len(),
        problems.join("\n")
    );
    if asked.is_none() && only.is_none() {
        let docs = fixtures::root().with_file_name("docs");
        golden::check(docs.join("data/damage.tsv"), &data::table(&results));
    }
}

/// Damage that earlier versions accepted with `--strict`, as games of null moves, without moves,
/// with blank headers, or with truncated comments: zeros, which every format can read as something.
#[test]
fn zeros_do_not_pass_for_games() {
    for (id, role, length) in [
        ("si4", "sg4", 8192),
        ("si5", "sg5", 8192),
        ("si3", "sg3", 8192),
        ("ca", "a02", 400),
        ("ca", "d00", 4000),
        ("ca", "d02", 4000),
        ("cbf", "cbf", 4096),
    ] {
        let lab = Lab::new(formats::by_id(id).unwrap());
        for part in 0..4 {
            let row = lab.zeros(role, part, length);
            assert_eq!(
                (row.unnoticed, row.lossy, row.strict),
                (0, 1, 0),
                "{id} {role} {part}"
            );
            println!("{id} {role} {part}: {} games do not say so", row.unmarked);
            // At the border of the zeros half a header may be left.
            assert!(
                row.unmarked <= 2,
                "{id} {role} {part}: {} games",
                row.unmarked
            );
        }
    }
}
