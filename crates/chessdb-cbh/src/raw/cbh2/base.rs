//! All files of a 2CBH database.

use chessdb_core::{FileSet, MemorySet, Result};

use super::entities::EntityFile;
use super::frame::FrameFile;
use super::index::{Index, Record, RecordKind};
use crate::roles::{CBA2_FILE, CBG2_FILE, CBH2_FILE, LCD2_FILE, LGD2_FILE, LID2_FILE};

/// The raw content of a 2CBH database, uninterpreted and complete.
#[derive(Clone, PartialEq, Debug)]
pub struct Base<'a> {
    /// The index.
    pub index: Index<'a>,
    /// The games and texts.
    pub games: Option<FrameFile<'a>>,
    /// The annotations.
    pub annotations: Option<FrameFile<'a>>,
    /// The names.
    pub names: Option<EntityFile<'a>>,
    /// The games of each name.
    pub references: Option<&'a [u8]>,
    /// The sorted names.
    pub order: Option<&'a [u8]>,
}

impl<'a> Base<'a> {
    /// Parses a database. The index locates the records; a guiding text has no annotations.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is missing.
    pub fn parse(files: &'a dyn FileSet) -> Result<Base<'a>> {
        let index = Index::parse(files.require(CBH2_FILE)?);
        let records = || index.records.iter().map(Record);
        let games = records().map(|record| match record.kind() {
            RecordKind::Empty => 0,
            _ => record.moves(),
        });
        let annotations = records().map(|record| match record.kind() {
            RecordKind::Game | RecordKind::Analysis => record.annotations(),
            RecordKind::Text | RecordKind::Empty => 0,
        });
        Ok(Base {
            games: files
                .get(CBG2_FILE)
                .map(|bytes| FrameFile::parse(bytes, games)),
            annotations: files
                .get(CBA2_FILE)
                .map(|bytes| FrameFile::parse(bytes, annotations)),
            names: files.get(LID2_FILE).map(EntityFile::parse),
            references: files.get(LGD2_FILE),
            order: files.get(LCD2_FILE),
            index,
        })
    }

    /// Returns the files as parsed.
    pub fn to_files(&self) -> MemorySet {
        let frames = |file: &Option<FrameFile<'_>>| file.as_ref().map(FrameFile::to_bytes);
        let files = [
            (CBH2_FILE, Some(self.index.to_bytes())),
            (CBG2_FILE, frames(&self.games)),
            (CBA2_FILE, frames(&self.annotations)),
            (LID2_FILE, self.names.as_ref().map(EntityFile::to_bytes)),
            (LGD2_FILE, self.references.map(<[u8]>::to_vec)),
            (LCD2_FILE, self.order.map(<[u8]>::to_vec)),
        ];
        files
            .into_iter()
            .filter_map(|(role, bytes)| Some((role, bytes?)))
            .collect()
    }
}
