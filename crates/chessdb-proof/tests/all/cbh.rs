//! Conversions of ChessBase databases into every format and back: every difference must be
//! announced.

use chessdb::cbh::CBH;
use chessdb_proof::hop::there_and_back;
use chessdb_proof::matrix::targets;
use chessdb_testkit::fixtures;

use crate::games::no_problems;

#[test]
fn chessbase_into_every_format_and_back() {
    let folders = ["fixtures-real/cbh", "fixtures-made/cbh"];
    let mut outcomes = Vec::new();
    for folder in folders.into_iter().filter_map(fixtures::testdata) {
        for path in chessdb::fs::survey(&folder, Some(&CBH)).unwrap().bases {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // The 6,117 games of twic have no annotations and take a minute per target.
            // Archives are packed copies of the same databases, some with a password.
            if name.starts_with("twic") || name.ends_with(".cbv") || name.ends_with(".cbz") {
                continue;
            }
            let base = chessdb::fs::find(&path).and_then(chessdb::fs::FoundDatabase::read);
            let base = base.unwrap();
            for target in targets() {
                let (outbound, back) = there_and_back(&name, &base, &CBH, target);
                outcomes.extend([outbound, back]);
            }
        }
    }
    no_problems(&outcomes);
}
