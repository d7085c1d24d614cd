//! Check that the data of docs/roundtrip.md is up to date and contains no broken promise.

use chessdb_proof::bases::{Line, examine};
use chessdb_proof::data;
use chessdb_proof::matrix::{Matrix, own_bases, sources};
use chessdb_testkit::{fixtures, golden};

#[test]
fn every_pair_of_formats_loses_what_it_says_and_the_tables_are_true() {
    let matrix = Matrix::build(None);
    let lines = lines();
    let mut problems = matrix.problems();
    problems.extend(
        lines
            .iter()
            .filter(|line| !line.holds())
            .map(Line::to_string),
    );
    for kind in matrix.unseen() {
        problems.push(format!("the loss {} is never seen", kind.code()));
    }
    problems.extend(matrix.superfluous());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let folder = fixtures::root().with_file_name("docs").join("data");
    golden::check(folder.join("losses.tsv"), &data::losses(&matrix));
    golden::check(folder.join("bases.tsv"), &data::bases(&lines));
    golden::check(folder.join("excuses.tsv"), &data::excuses(&matrix));
}

fn lines() -> Vec<Line> {
    let root = fixtures::root();
    let mut lines = Vec::new();
    for format in sources() {
        for path in own_bases(format) {
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            lines.push(examine(&path, name, false).unwrap());
        }
    }
    lines
}
