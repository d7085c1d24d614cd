//! The five files of a database together.

use chessdb_core::{FileSet, MemorySet, Result};

use super::detect::FileSizes;
use super::games::GameFile;
use super::index::Index;
use super::layout::EntrySize;
use super::magic::FileKind;
use super::names::NameFile;
use crate::roles::{DCE_FILE, DCG_FILE, DCI_FILE, DCN_FILE, DCS_FILE};

/// The bytes of a database as structs, without interpretation and without omissions.
#[derive(Clone, Debug)]
pub struct Base<'a> {
    /// The index.
    pub index: Index,
    /// The names of players, if there is such a file.
    pub players: Option<NameFile>,
    /// The sites, if there is such a file.
    pub sites: Option<NameFile>,
    /// The events; the oldest layout has no such file.
    pub events: Option<NameFile>,
    /// The games, if there is such a file.
    pub games: Option<GameFile<'a>>,
}

impl<'a> Base<'a> {
    /// Reads a database.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is missing or [`Index::parse`] rejects it. The other files
    /// cannot cause errors.
    pub fn parse(files: &'a dyn FileSet) -> Result<Base<'a>> {
        let sizes = FileSizes::from_files(files);
        let index = Index::parse(files.require(DCI_FILE)?, &sizes)?;
        let old = index.layout().entry == EntrySize::Short;
        let games = files.get(DCG_FILE);
        Ok(Base {
            players: files.get(DCN_FILE).map(NameFile::parse),
            sites: files.get(DCS_FILE).map(NameFile::parse),
            events: files.get(DCE_FILE).map(NameFile::parse),
            games: games.map(|bytes| GameFile::parse(bytes, &index.entries, old)),
            index,
        })
    }

    /// Returns one of the name tables.
    pub fn names(&self, kind: FileKind) -> Option<&NameFile> {
        match kind {
            FileKind::Players => self.players.as_ref(),
            FileKind::Sites => self.sites.as_ref(),
            FileKind::Events => self.events.as_ref(),
            FileKind::Index | FileKind::Games => None,
        }
    }

    /// Returns the files.
    pub fn to_bytes(&self) -> MemorySet {
        let mut set = MemorySet::new();
        set.insert(DCI_FILE, self.index.to_bytes());
        for kind in FileKind::ALL {
            if let Some(names) = self.names(kind) {
                set.insert(kind.role(), names.to_bytes());
            }
        }
        if let Some(games) = &self.games {
            set.insert(DCG_FILE, games.to_bytes());
        }
        set
    }
}

impl FileSizes {
    /// Returns the sizes of the files of a database.
    pub fn from_files(files: &dyn FileSet) -> FileSizes {
        let size = |role| files.get(role).map_or(0, |bytes| bytes.len() as u64);
        FileSizes {
            players: size(DCN_FILE),
            sites: size(DCS_FILE),
            events: size(DCE_FILE),
            games: size(DCG_FILE),
        }
    }
}
