//! Games copied as entry and record.

use chessdb_core::{Date, LossKind, Losses, Result, Setup};

use super::{Writer, lost_name};
use crate::entry::{GameEntry, NAME_LISTS};
use crate::raw::{IndexFlags, RecordParts, Tags};

impl Writer<'_> {
    /// Appends a game. Its name numbers refer to the database that this writer was created with.
    pub(crate) fn copy(&mut self, mut entry: GameEntry, record: &[u8]) -> Result<Losses> {
        let mut losses = Losses::new();
        let spec = self.spec;
        if !spec.has_event_date(entry.event_date, entry.date.to_date()) {
            losses.add(LossKind::EventDate, None);
            entry.event_date = Date::UNKNOWN;
        }
        let marks = entry.flags.marks();
        let stored = spec.marks(marks);
        if stored != marks {
            losses.add(LossKind::Flags, None);
            entry.flags = entry.flags.with_marks(stored);
        }
        if entry.chess960 && !spec.chess960 {
            losses.add(LossKind::Chess960, None);
        } else if spec.chess960 && entry.flags.contains(IndexFlags::START) {
            // The index of an older generation lacks the bit, but the start position shows it.
            entry.chess960 |= is_chess960(record);
        }
        let mut room = self.has_room(record);
        for (n, id) in NAME_LISTS.into_iter().zip(entry.names_mut()) {
            let Some(list) = self.names.lists.get_mut(n) else {
                continue;
            };
            let renumbered = list.renumber(*id);
            if renumbered.is_none() && list.overflowed {
                losses.add(lost_name(n), None);
            }
            // A name that is missing or no longer fits becomes the empty one.
            let new = renumbered.or_else(|| list.id(b""));
            room &= new.is_some();
            *id = new.unwrap_or(0);
        }
        losses.add_if(LossKind::Game, !room);
        self.state.check(&losses)?;
        if room {
            self.put_record(entry, record)?;
            self.state.count()?;
        }
        Ok(losses)
    }
}

/// Returns whether the start position in a record shows that the game is Chess960.
fn is_chess960(record: &[u8]) -> bool {
    let mut tags = Tags::new(record);
    // After the last tag the rest begins with the flags byte.
    tags.by_ref().for_each(drop);
    let parts = RecordParts::parse(tags.rest(), record.len());
    let fen = parts.ok().and_then(|parts| parts.fen);
    fen.and_then(|fen| Setup::from_fen(fen).ok())
        .is_some_and(|(setup, _)| setup.chess960)
}
