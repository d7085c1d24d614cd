//! The description of the format for the facade.

use chessdb_core::format::{Charsets, Score};
use chessdb_core::text::CharsetPrior;
use chessdb_core::{Charset, FileSet, Format, MemorySet, Result};

use super::store::Cbh2Store;
use super::{check, info, map};
use crate::raw::cbh2::{Base, Frame, FrameFileHeader, Index, Record};
use crate::roles::{CBA2_FILE, CBG2_FILE, CBH2_FILE, LCD2_FILE, LGD2_FILE, LID2_FILE};

/// The format of ChessBase 17 and later. It can be read, but not written: no program of
/// ChessBase's has been seen to open a database that another program wrote.
pub static CBH2: Format = Format::new(
    "2cbh",
    "ChessBase 2CBH",
    probe,
    |files, options| Ok(Box::new(Cbh2Store::open(files, options)?)),
    check::check,
)
.with_files(
    &[
        CBH2_FILE, CBG2_FILE, CBA2_FILE, LID2_FILE, LGD2_FILE, LCD2_FILE,
    ],
    &[CBH2_FILE, CBG2_FILE],
)
.with_read_only(
    "it is not proven that ChessBase opens a database that another program wrote; write cbh, which \
     ChessBase converts",
)
.with_extras(crate::extras::FIELDS_2CBH)
.with_salvage()
.with_charsets(Charsets::Undeclared)
.with_charset_prior(CharsetPrior::ChessBaseWindows, Some(Charset::WINDOWS_1252))
.with_dump(map::dump)
.with_raw(rewrite_raw)
.with_texts(info::readable_texts);

fn rewrite_raw(files: &dyn FileSet) -> Result<MemorySet> {
    Base::parse(files).map(|base| base.to_files())
}

/// Scores the files by the header of the index, which states the size of its records.
fn probe(files: &dyn FileSet) -> Score {
    let Some(bytes) = files.get(CBH2_FILE) else {
        // Games can be searched for without their index.
        let games = files.get(CBG2_FILE);
        let first = games.and_then(|bytes| bytes.get(FrameFileHeader::SIZE..));
        return if first.is_some_and(|first| first.starts_with(&Frame::MARK)) {
            Score::Likely
        } else {
            Score::No
        };
    };
    // The header suffices.
    let start = bytes.get(..Record::SIZE).unwrap_or(bytes);
    let Some((used, size, next)) = Index::parse(start).fields() else {
        return Score::No;
    };
    let is_sized = usize::from(size) == Record::SIZE;
    let count = bytes.len() / Record::SIZE;
    match (is_sized, used == Index::USED, next as usize == count) {
        (true, true, true) => Score::Certain,
        (true, true, _) | (true, _, true) => Score::Likely,
        (true, ..) => Score::Maybe,
        _ => Score::No,
    }
}
