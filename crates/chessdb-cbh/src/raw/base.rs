//! All files of a database.

use chessdb_core::{FileSet, MemorySet, Result};

use super::annotations::AnnotationFile;
use super::entity::{Annotator, Entity, GameTag, Player, Source, Table, Team, Tournament};
use super::extended::Records;
use super::games::GameFile;
use super::index::{Index, Record};
use crate::roles::{
    CBA_FILE, CBC_FILE, CBE_FILE, CBG_FILE, CBH_FILE, CBJ_FILE, CBL_FILE, CBM_FILE, CBP_FILE,
    CBS_FILE, CBT_FILE, CBTT_FILE, FLAGS_FILE,
};

/// The raw content of a database, uninterpreted and complete.
#[derive(Clone, PartialEq, Debug)]
pub struct Base<'a> {
    /// The index.
    pub index: Index<'a>,
    /// The games.
    pub games: Option<GameFile<'a>>,
    /// The annotations.
    pub annotations: Option<AnnotationFile<'a>>,
    /// The players.
    pub players: Option<Table<'a, Player>>,
    /// The tournaments.
    pub tournaments: Option<Table<'a, Tournament>>,
    /// The annotators.
    pub annotators: Option<Table<'a, Annotator>>,
    /// The sources.
    pub sources: Option<Table<'a, Source>>,
    /// The teams.
    pub teams: Option<Table<'a, Team>>,
    /// The game tags.
    pub tags: Option<Table<'a, GameTag>>,
    /// The extended headers of games.
    pub extended: Option<Records<'a>>,
    /// The details of tournaments.
    pub details: Option<Records<'a>>,
    /// The manifests of media.
    pub media: Option<Records<'a>>,
    /// The marks of top games.
    pub flags: Option<&'a [u8]>,
}

impl<'a> Base<'a> {
    /// Parses a database. The records are located by the index; a guiding text has no annotations.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is missing.
    pub fn parse(files: &'a dyn FileSet) -> Result<Base<'a>> {
        let index = Index::parse(files.require(CBH_FILE)?);
        let records = || index.records.iter().map(Record::parse);
        let offsets = records().map(|record| record.offset().into());
        let annotations = records().map(|record| match record {
            Record::Game(game) if game.annotations > 0 => game.annotations.into(),
            // Beyond every file.
            _ => u64::MAX,
        });
        Ok(Base {
            games: files
                .get(CBG_FILE)
                .map(|bytes| GameFile::parse(bytes, offsets)),
            annotations: files
                .get(CBA_FILE)
                .map(|bytes| AnnotationFile::parse(bytes, annotations)),
            players: files.get(CBP_FILE).map(Table::parse),
            tournaments: files.get(CBT_FILE).map(Table::parse),
            annotators: files.get(CBC_FILE).map(Table::parse),
            sources: files.get(CBS_FILE).map(Table::parse),
            teams: files.get(CBE_FILE).map(Table::parse),
            tags: files.get(CBL_FILE).map(Table::parse),
            extended: files.get(CBJ_FILE).map(Records::parse),
            details: files.get(CBTT_FILE).map(Records::parse),
            media: files.get(CBM_FILE).map(Records::parse),
            flags: files.get(FLAGS_FILE),
            index,
        })
    }

    /// Returns the files as parsed.
    pub fn to_files(&self) -> MemorySet {
        fn table<E: Entity>(table: &Option<Table<'_, E>>) -> Option<Vec<u8>> {
            table.as_ref().map(Table::to_bytes)
        }
        let records = |records: &Option<Records<'_>>| records.as_ref().map(Records::to_bytes);
        let files = [
            (CBH_FILE, Some(self.index.to_bytes())),
            (CBG_FILE, self.games.as_ref().map(GameFile::to_bytes)),
            (
                CBA_FILE,
                self.annotations.as_ref().map(AnnotationFile::to_bytes),
            ),
            (CBP_FILE, table(&self.players)),
            (CBT_FILE, table(&self.tournaments)),
            (CBC_FILE, table(&self.annotators)),
            (CBS_FILE, table(&self.sources)),
            (CBE_FILE, table(&self.teams)),
            (CBL_FILE, table(&self.tags)),
            (CBJ_FILE, records(&self.extended)),
            (CBTT_FILE, records(&self.details)),
            (CBM_FILE, records(&self.media)),
            (FLAGS_FILE, self.flags.map(<[u8]>::to_vec)),
        ];
        files
            .into_iter()
            .filter_map(|(role, bytes)| Some((role, bytes?)))
            .collect()
    }
}
