//! The bases of the repository.

use chessdb_ca::CA;
use chessdb_testkit::golden;

/// Readable dumps beside them, byte identity, nothing to complain of.
#[test]
fn own_fixtures_look_as_their_golden_files_say() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    let bases = golden::check_bases(&CA, "ca", golden);
    assert!(bases >= 8, "{bases}");
}
