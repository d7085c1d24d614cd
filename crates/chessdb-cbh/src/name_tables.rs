//! The names of a database, by their numbers.

use chessdb_core::FileSet;
use chessdb_core::text::{TextId, Texts};

use crate::raw::{
    Annotator, Entity, GameTag, Player, Records, Source, Table, Team, Tournament,
    TournamentDetails, cut,
};
use crate::roles::{CBC_FILE, CBE_FILE, CBL_FILE, CBP_FILE, CBS_FILE, CBT_FILE, CBTT_FILE};
use crate::text::TextCharsets;

/// The tables of a database. A missing table is empty.
#[derive(Clone, Debug)]
pub(crate) struct NameTables<'a> {
    pub(crate) players: Table<'a, Player>,
    pub(crate) tournaments: Table<'a, Tournament>,
    pub(crate) annotators: Table<'a, Annotator>,
    pub(crate) sources: Table<'a, Source>,
    pub(crate) teams: Table<'a, Team>,
    pub(crate) tags: Table<'a, GameTag>,
    pub(crate) details: Records<'a>,
    pub(crate) charsets: TextCharsets,
}

impl<'a> NameTables<'a> {
    pub(crate) fn new(files: &'a dyn FileSet, charsets: TextCharsets) -> NameTables<'a> {
        fn table<'a, E: Entity>(bytes: Option<&'a [u8]>) -> Table<'a, E> {
            bytes.map(Table::parse).unwrap_or_default()
        }
        NameTables {
            players: table(files.get(CBP_FILE)),
            tournaments: table(files.get(CBT_FILE)),
            annotators: table(files.get(CBC_FILE)),
            sources: table(files.get(CBS_FILE)),
            teams: table(files.get(CBE_FILE)),
            tags: table(files.get(CBL_FILE)),
            details: files.get(CBTT_FILE).map(Records::parse).unwrap_or_default(),
            charsets,
        }
    }

    /// Returns the number of names that no game or text refers to. Records without a name do not
    /// count, because ChessBase creates them with the database.
    pub(crate) fn unused(&self) -> u64 {
        self.players.unused()
            + self.tournaments.unused()
            + self.annotators.unused()
            + self.sources.unused()
            + self.teams.unused()
            + self.tags.unused()
    }

    /// Returns the details of a tournament, if any.
    pub(crate) fn details(&self, tournament: u32) -> Option<TournamentDetails<'a>> {
        self.details.get(tournament).map(TournamentDetails)
    }

    /// Returns true if the details of this tournament are missing because the file with the details
    /// is shorter than it states. Its count is the number of the last record, and 0 in an empty
    /// file.
    pub(crate) fn lacks_details(&self, tournament: u32) -> bool {
        let details = &self.details;
        details.version.is_some()
            && tournament <= details.count
            && (details.count > 0 || !details.body.is_empty())
            && self.details.get(tournament).is_none()
    }

    /// Adds the text of a fixed string. An empty string gives `TextId::NONE`.
    pub(crate) fn push(&self, field: &[u8], texts: &mut Texts) -> TextId {
        self.charsets.push_name(cut(field), texts)
    }

    /// Adds a player's name in the form `Last, First`.
    pub(crate) fn push_player(&self, player: &Player, texts: &mut Texts) -> TextId {
        let (last, first) = (cut(&player.last), cut(&player.first));
        self.charsets.push_player(last, first, texts)
    }
}
