//! The table docs/data/damage.tsv.

use std::fmt::Write;

use super::commands::Row;
use super::kinds::Kind;

const COLUMNS: &str = "format\tdamage\tbases\tcheck silent\trefused\tlossy\tstrict\tchanged\t\
                       unmarked\tintact\tconverted\tsalvaged\n";

pub(crate) fn table(results: &[(&str, Vec<Row>)]) -> String {
    let mut out = String::from(COLUMNS);
    let rows = results
        .iter()
        .flat_map(|(id, rows)| rows.iter().map(move |row| (id, row)));
    for (id, row) in rows.filter(|(_, row)| row.cases > 0) {
        let Row {
            kind,
            cases,
            unnoticed,
            refused,
            lossy,
            strict,
            passed,
            unmarked,
            intact,
            delivered,
            salvaged,
        } = row;
        let _ = writeln!(
            out,
            "{id}\t{}\t{cases}\t{unnoticed}\t{refused}\t{lossy}\t{strict}\t{}\t{unmarked}\t\
             {intact}\t{delivered}\t{salvaged}",
            star(kind),
            passed.len(),
        );
    }
    out
}

fn star(kind: &Kind) -> String {
    let star = if kind.may_hide { " *" } else { "" };
    format!("{}{star}", kind.name)
}
