//! What belongs to a base as a whole and to no single game.

use crate::model::{Date, Extra};
use crate::{LossKind, Losses, TextId, Texts};

/// What a name table names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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

/// Data of a player beside the name (Chess Assistant keeps them).
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
    /// The number by which the format's index refers to it.
    pub key: u32,
    /// The name as stored.
    pub text: TextId,
    /// Further fields, where the format has them.
    pub player: Option<PlayerDetails>,
}

/// The names of one role in stored order, unused ones included.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NameTable {
    /// What they name.
    pub role: NameRole,
    /// The names.
    pub records: Vec<NameRecord>,
}

impl NameTable {
    /// These names.
    pub fn new(role: NameRole, records: Vec<NameRecord>) -> NameTable {
        NameTable { role, records }
    }
}

/// A named part of a base (jose).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collection {
    /// The format's number of it.
    pub key: u32,
    /// The number of the collection it lies in.
    pub parent: Option<u32>,
    /// Its name.
    pub name: TextId,
}

/// What belongs to no single game. Texts lie in its own arena.
///
/// Fill one from `BaseInfo::default()`: further fields may come.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct BaseInfo {
    /// Name of the base, where the format has one inside its files.
    pub title: TextId,
    /// SCID's description, Chess Assistant's comment.
    pub description: TextId,
    /// SCID's type number.
    pub kind: Option<u32>,
    /// The names of the base's own flags, [`crate::GameFlags::CUSTOM_1`] first.
    pub flag_names: Vec<TextId>,
    /// The game that a program opens first, as the format numbers it.
    pub open_first: Option<u32>,
    /// The name tables.
    pub names: Vec<NameTable>,
    /// The collections.
    pub collections: Vec<Collection>,
    /// What only the source format understands.
    pub extras: Vec<Extra>,
    /// Every text of the base.
    pub texts: Texts,
}

impl BaseInfo {
    /// The table of a role, if the format has one.
    pub fn table(&self, role: NameRole) -> Option<&NameTable> {
        self.names.iter().find(|table| table.role == role)
    }

    /// What a format loses that stores nothing about the base as a whole.
    ///
    /// Not counted are names, which stand in the games that use them, and the game to open first:
    /// whether a program opens it anyway depends on the format.
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
