//! The tables of names of an existing database that is being changed.

use chessdb_core::Result;
use chessdb_core::files::Growing;

use super::details::TournamentDetailsChanges;
use crate::raw::{Extended, GameRecord, Record, TextRecord};
use crate::table_changes::{TABLE_KINDS, TableChanges};
use crate::table_writers::{NAME_TABLES, NameNumbers, TOURNAMENT_DATA, TOURNAMENTS};
use crate::text::TextEncoder;

/// Returns the numbers of a record of the index and of its extended header.
pub(super) fn numbers_of(record: &[u8; Record::SIZE], extended: Option<&[u8]>) -> NameNumbers {
    match Record::parse(record) {
        Record::Game(GameRecord {
            white,
            black,
            tournament,
            annotator,
            source,
            ..
        }) => {
            let extended = extended.map(Extended);
            let [white_team, black_team] = extended.map_or([None; 2], Extended::teams);
            let tag = extended.and_then(Extended::tag);
            let [white, black, tournament, annotator, source] =
                [white, black, tournament, annotator, source].map(Some);
            [
                white, black, tournament, annotator, source, white_team, black_team, tag,
            ]
        }
        Record::Text(TextRecord {
            tournament,
            source,
            annotator,
            ..
        }) => {
            let [tournament, annotator, source] = [tournament, annotator, source].map(Some);
            [None, None, tournament, annotator, source, None, None, None]
        }
    }
}

/// Sets the number of a name in a record of the index. Returns false if that does not hold it.
pub(super) fn set_number(record: &mut GameRecord, slot: usize, number: u32) -> bool {
    let fields = [
        &mut record.white,
        &mut record.black,
        &mut record.tournament,
        &mut record.annotator,
        &mut record.source,
    ];
    match fields.into_iter().nth(slot) {
        Some(field) => {
            *field = number;
            true
        }
        None => false,
    }
}

/// The tables of an existing database.
#[derive(Debug)]
pub(super) struct NameChanges {
    /// The tables that were needed.
    pub(super) tables: [Option<TableChanges>; 6],
    details: Option<TournamentDetailsChanges>,
    pub(super) texts: TextEncoder,
}

impl NameChanges {
    pub(super) fn new(texts: TextEncoder) -> NameChanges {
        NameChanges {
            tables: Default::default(),
            details: None,
            texts,
        }
    }

    /// Returns a table. `None` if its file cannot be changed in place.
    pub(super) fn table(
        &mut self,
        base: &dyn Growing,
        table: usize,
    ) -> Result<Option<&mut TableChanges>> {
        let (Some(place), Some(kind)) = (self.tables.get_mut(table), TABLE_KINDS.get(table)) else {
            return Ok(None);
        };
        if place.is_none() {
            *place = TableChanges::open(kind, base)?;
        }
        Ok(place.as_mut())
    }

    /// Returns the number of a name, which is added if necessary; no name has none. `None` if the
    /// name cannot be added in place.
    pub(super) fn number(
        &mut self,
        base: &dyn Growing,
        table: usize,
        name: &[u8],
    ) -> Result<Option<Option<u32>>> {
        if name.is_empty() {
            return Ok(Some(None));
        }
        if let Some(number) = self.find(base, table, name)? {
            return Ok(Some(Some(number)));
        }
        // The database may have the name in another encoding.
        let kind = TABLE_KINDS.get(table);
        let other = kind
            .and_then(|kind| kind.with_strings(name, |field| self.texts.in_other_encoding(field)));
        if let Some(other) = other
            && let Some(number) = self.find(base, table, &other)?
        {
            return Ok(Some(Some(number)));
        }
        let Some(changes) = self.table(base, table)? else {
            return Ok(None);
        };
        let Some(number) = changes.add(base, name)? else {
            return Ok(None);
        };
        let is_complete = table != TOURNAMENTS
            || match self.details(base)? {
                Some(details) => details.set(base, number, details_of(name))?,
                None => false,
            };
        Ok(is_complete.then_some(Some(number)))
    }

    fn find(&mut self, base: &dyn Growing, table: usize, name: &[u8]) -> Result<Option<u32>> {
        if table == TOURNAMENTS {
            // Opened before, because the table cannot be searched while it is.
            self.details(base)?;
        }
        self.table(base, table)?;
        let Some(Some(changes)) = self.tables.get_mut(table) else {
            return Ok(None);
        };
        match &self.details {
            Some(details) if table == TOURNAMENTS => changes.find(base, name, &mut |number| {
                details.is_equal(base, number, details_of(name))
            }),
            _ => changes.find(base, name, &mut |_| Ok(true)),
        }
    }

    /// Returns whether the details of tournaments can be changed in place.
    pub(super) fn has_details(&mut self, base: &dyn Growing) -> Result<bool> {
        Ok(self.details(base)?.is_some())
    }

    fn details(&mut self, base: &dyn Growing) -> Result<Option<&mut TournamentDetailsChanges>> {
        if self.details.is_none() {
            self.details = TournamentDetailsChanges::open(base)?;
        }
        Ok(self.details.as_mut())
    }

    /// Sets the first game of those names of a game that are searched for. Returns their number.
    pub(super) fn note_first(
        &mut self,
        base: &dyn Growing,
        game: u32,
        numbers: NameNumbers,
        wanted: &mut [Vec<bool>; 6],
    ) -> Result<usize> {
        let mut count = 0;
        for (table, number) in NAME_TABLES.into_iter().zip(numbers) {
            let wanted = wanted.get_mut(table);
            let place = wanted.and_then(|wanted| wanted.get_mut(usize::try_from(number?).ok()?));
            let (Some(place @ true), Some(number)) = (place, number) else {
                continue;
            };
            *place = false;
            count += 1;
            if let Some(Some(changes)) = self.tables.get_mut(table) {
                changes.set_first_game(base, number, game)?;
            }
        }
        Ok(count)
    }

    /// Writes the changes.
    pub(super) fn finish(self, base: &mut dyn Growing) -> Result<()> {
        for table in self.tables.into_iter().flatten() {
            table.finish(base)?;
        }
        match self.details {
            Some(details) => details.finish(base),
            None => Ok(()),
        }
    }
}

/// Returns the details after the data of a tournament; none if it has no details.
fn details_of(tournament: &[u8]) -> &[u8] {
    tournament.get(TOURNAMENT_DATA..).unwrap_or_default()
}
