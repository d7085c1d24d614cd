//! The data of a database as a whole.

use crate::model::{Date, Extra};
use crate::text::{TextId, Texts};
use crate::{LossKind, Losses};

/// The kind of names in a name table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum NameRole {
    /// Players, and annotators where a format has one table for both.
    Player,
    /// Events.
    Event,
    /// Sites.
    Site,
    /// Rounds.
    Round,
    /// Sources.
    Source,
    /// Annotators, where they have their own table.
    Annotator,
    /// Openings.
    Opening,
}

/// Data of a player in addition to the name (stored by Chess Assistant).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PlayerDetails {
    /// Title, or [`TextId::NONE`].
    pub title: TextId,
    /// Rating; 0 unknown.
    pub rating: u16,
    /// FIDE number; 0 unknown.
    pub fide_id: u32,
    /// Date of birth.
    pub birthday: Date,
    /// 0 unknown, 1 male, 2 female.
    pub gender: u8,
}

/// One name of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameRecord {
    /// The number by which the format's index refers to the name.
    pub key: u32,
    /// The name as stored.
    pub text: TextId,
    /// Further fields, if the format has them.
    pub player: Option<PlayerDetails>,
}

/// The names of one role in stored order, unused ones included.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NameTable {
    /// The kind of names.
    pub role: NameRole,
    /// The names.
    pub records: Vec<NameRecord>,
}

impl NameTable {
    /// Creates a table of these names.
    pub fn new(role: NameRole, records: Vec<NameRecord>) -> NameTable {
        NameTable { role, records }
    }
}

/// A named part of a database (jose).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collection {
    /// The format's number of the collection.
    pub key: u32,
    /// The number of the enclosing collection.
    pub parent: Option<u32>,
    /// The name.
    pub name: TextId,
}

/// The data of a database that belongs to no single game. Its texts are in its own arena.
///
/// Construct it from `BaseInfo::default()`: more fields may be added.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct BaseInfo {
    /// The title of the database, if the format stores one in its files.
    pub title: TextId,
    /// SCID's description, Chess Assistant's comment.
    pub description: TextId,
    /// SCID's type number.
    pub kind: Option<u32>,
    /// The names of the database's custom flags, [`crate::model::GameFlags::CUSTOM_1`] first.
    pub flag_names: Vec<TextId>,
    /// The game that a program opens first, as the format numbers it.
    pub open_first: Option<u32>,
    /// The name tables.
    pub names: Vec<NameTable>,
    /// The collections.
    pub collections: Vec<Collection>,
    /// Data that only the source format understands.
    pub extras: Vec<Extra>,
    /// Settings of the source's program. A writer of the same format stores them again; a database
    /// in another format misses nothing without them.
    pub settings: Vec<Extra>,
    /// All texts of the database.
    pub texts: Texts,
}

impl BaseInfo {
    /// Returns the table of a role, if the format has one.
    pub fn table(&self, role: NameRole) -> Option<&NameTable> {
        self.names.iter().find(|table| table.role == role)
    }

    /// Returns the losses of a text format: [`BaseInfo::losses`], and the game to open first, which no
    /// program opens there.
    pub fn losses_in_text(&self) -> Losses {
        let mut losses = self.losses();
        losses.add_if(LossKind::OpenFirst, self.open_first.is_some());
        losses
    }

    /// Returns the losses of a format that stores no data about the database as a whole.
    ///
    /// Not counted are names, because the games that use them contain them, and the game to open
    /// first, because the format determines whether a program opens it anyway.
    pub fn losses(&self) -> Losses {
        let mut losses = Losses::new();
        let mut lose = |kind, count: usize| {
            losses.add_many(kind, u32::try_from(count).unwrap_or(u32::MAX), None);
        };
        let text = |id| usize::from(!self.texts.get(id).is_empty());
        lose(LossKind::BaseTitle, text(self.title));
        lose(LossKind::Description, text(self.description));
        let kind = self.kind.is_some_and(|kind| kind != 0);
        lose(LossKind::BaseKind, usize::from(kind));
        lose(
            LossKind::FlagNames,
            self.flag_names.iter().map(|&name| text(name)).sum(),
        );
        let records = self.names.iter().flat_map(|table| &table.records);
        let details = records.filter_map(|record| record.player);
        lose(
            LossKind::NameDetails,
            details
                .filter(|player| *player != PlayerDetails::default())
                .count(),
        );
        lose(LossKind::Collection, self.collections.len());
        lose(LossKind::BaseExtra, self.extras.len());
        losses
    }
}
