//! What the facade knows about the format.

use chessdb_core::text::Origin;
use chessdb_core::{Charset, Charsets, FileSet, Format, MemorySet, Result, Score};

use crate::raw::{Base, Header, Index, Record};
use crate::roles::{
    CBA_FILE, CBC_FILE, CBE_FILE, CBG_FILE, CBH_FILE, CBJ_FILE, CBL_FILE, CBM_FILE, CBP_FILE,
    CBS_FILE, CBT_FILE, CBTT_FILE, FLAGS_FILE,
};
use crate::{Store, check, map};

/// ChessBase 6 and later.
pub static CBH: Format = Format::new(
    "cbh",
    "ChessBase CBH",
    probe,
    |files, options| Ok(Box::new(Store::open(files, options)?)),
    check::check,
)
.with_files(
    &[
        CBH_FILE, CBG_FILE, CBA_FILE, CBP_FILE, CBT_FILE, CBC_FILE, CBS_FILE, CBE_FILE, CBL_FILE,
        CBJ_FILE, CBTT_FILE, CBM_FILE, FLAGS_FILE,
    ],
    &[CBH_FILE],
)
.with_extras(crate::extras::FIELDS)
.with_charsets(Charsets::Undeclared)
.with_origin(Origin::ChessBaseWindows, Some(Charset::WINDOWS_1252))
.with_dump(map::dump)
.with_raw(raw_again);

fn raw_again(files: &dyn FileSet) -> Result<MemorySet> {
    Base::parse(files).map(|base| base.to_files())
}

/// The header of the index states its own size and that of its records.
fn probe(files: &dyn FileSet) -> Score {
    let Some(bytes) = files.get(CBH_FILE) else {
        return Score::No;
    };
    // The header and the first record are enough.
    let start = bytes.get(..Header::SIZE + Record::SIZE).unwrap_or(bytes);
    let Some(header) = Index::parse(start).header else {
        return Score::No;
    };
    let sizes = header.zero == 0 && usize::from(header.record_size) == Record::SIZE;
    let count = (bytes.len() - Header::SIZE) / Record::SIZE;
    match (
        sizes,
        matches!(header.used, 36 | 44),
        header.next_game as usize == count + 1,
    ) {
        (true, true, true) => Score::Certain,
        (true, true, _) | (true, _, true) => Score::Likely,
        (true, ..) => Score::Maybe,
        _ => Score::No,
    }
}
