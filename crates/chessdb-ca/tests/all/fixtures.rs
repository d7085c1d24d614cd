//! The databases of the repository.

use chessdb_ca::CA;
use chessdb_testkit::golden;

/// Their dumps equal the golden files, a rewrite returns the same bytes, and nothing is reported.
#[test]
fn own_fixtures_look_as_their_golden_files_say() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    let bases = golden::check_bases(&CA, "ca", golden);
    assert!(bases >= 8, "{bases}");
}
