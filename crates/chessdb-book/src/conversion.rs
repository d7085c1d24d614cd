//! A book of any format as a Polyglot book.

use std::collections::HashSet;

use chessdb_core::{Board, Result, Scratch};

use crate::book::{Book, BookFormat, BookPosition};
use crate::ctg::Orientation;
use crate::entry::BookEntry;
use crate::loss::{BookLoss, BookLosses};
use crate::polyglot::{PolyglotEntry, polyglot_move, scaled};

/// Returns the entries of a Polyglot book with the positions and moves of a book, and what it
/// cannot contain.
///
/// The positions are those that the moves lead to from the initial position. An entry of a CTG book
/// that no move leads to is written for each of the two or four positions that it serves. A
/// Polyglot book is copied.
///
/// # Errors
///
/// Returns the first finding in strict mode.
pub fn to_polyglot(
    book: &Book<'_>,
    scratch: &mut Scratch,
) -> Result<(Vec<PolyglotEntry>, BookLosses)> {
    if book.format() == BookFormat::Polyglot {
        return Ok((book.polyglot_entries().collect(), BookLosses::default()));
    }
    let mut writer = Entries {
        entries: Vec::new(),
        losses: BookLosses::default(),
    };
    let (mut keys, mut reached) = (HashSet::new(), HashSet::new());
    let counts = book.walk(&Board::standard(), scratch, &mut |step| {
        if let Some(entry) = step.entry
            && keys.insert(step.board.polyglot_key())
        {
            reached.insert(entry.id);
            writer.add(step.board, entry);
        }
    })?;
    if book.format() == BookFormat::Ctg && counts.unreached > 0 {
        let mut rest = Vec::new();
        book.each_position(scratch, &mut |id, position| {
            if let BookPosition::Board(board) = position
                && !reached.contains(&id)
            {
                rest.push(board);
            }
        })?;
        let mut entry = BookEntry::new();
        for stored in rest {
            for orientation in Orientation::ALL {
                if orientation.mirrored && stored.has_castling_rights() {
                    continue;
                }
                let board = orientation.board(&stored);
                if keys.insert(board.polyglot_key()) && book.lookup(&board, &mut entry, scratch)? {
                    writer.add(&board, &entry);
                }
            }
        }
    }
    let unread = match book.format() {
        BookFormat::Abk => book.unreached_moves(),
        _ => 0,
    };
    writer.losses.add(BookLoss::Unreached, unread);
    Ok((writer.entries, writer.losses))
}

struct Entries {
    entries: Vec<PolyglotEntry>,
    losses: BookLosses,
}

impl Entries {
    fn add(&mut self, board: &Board, entry: &BookEntry) {
        let key = board.polyglot_key();
        let greatest = entry.moves.iter().map(|choice| choice.weight).max();
        let greatest = greatest.unwrap_or_default();
        let mut add = |kind, is_lost| self.losses.add(kind, u64::from(is_lost));
        add(BookLoss::Facts, entry.facts.is_some());
        add(
            BookLoss::Nag,
            entry.facts.is_some_and(|facts| facts.nag != 0),
        );
        for choice in &entry.moves {
            let weight = scaled(choice.weight.into(), greatest.into());
            add(BookLoss::Weight, u32::from(weight) != choice.weight);
            add(BookLoss::Statistics, choice.statistics.is_some());
            add(BookLoss::Nag, choice.nag != 0);
            add(
                BookLoss::Recommendation,
                choice.recommendation.0 & 0xC0 != 0,
            );
            add(BookLoss::Priority, choice.priority.is_some());
            add(BookLoss::Deleted, choice.is_deleted);
            self.entries.push(PolyglotEntry {
                key,
                mv: polyglot_move(board, choice.mv),
                weight,
                learn: 0,
            });
        }
    }
}
