//! Appending to an existing database (docs/formats/cbh.md, section 20).

use chessdb_core::files::Growing;
use chessdb_core::store::{WriteEncoded, WriterState};
use chessdb_core::text::{CharsetPrior, EncodingDetector, Evidence};
use chessdb_core::{Charset, ErrorKind, Game, Losses, Result, WriteOptions};

use super::existing::ExistingBase;
use super::names::{NAME_TABLES, names_of, set_number};
use super::{GAMES, GameBuffers};
use crate::raw::{NewExtended, cut};
use crate::table_writers::MAX_NAMES;
use crate::text::TextEncoder;

/// The number of players at each end of the table whose names show the code page of a database.
const EXAMINED_NAMES: u32 = 128;

/// A writer that appends games to a database.
pub(crate) struct Appender<'a> {
    base: &'a mut dyn Growing,
    existing: ExistingBase,
    state: WriterState<TextEncoder>,
}

impl<'a> Appender<'a> {
    /// Opens a database. `None` if it must be rewritten: its files do not match, or it has no
    /// extended headers of the current form, which hold all fields of a new game.
    pub(crate) fn open(
        base: &'a mut dyn Growing,
        options: WriteOptions,
    ) -> Result<Option<Appender<'a>>> {
        let texts = TextEncoder::new(options.charset, None);
        let Some(mut existing) = ExistingBase::open(base, texts)? else {
            return Ok(None);
        };
        let extended = existing.extended.as_ref();
        let mut is_sound = extended.is_some_and(|extended| extended.is_complete(existing.count));
        for table in 0..existing.names.tables.len() {
            is_sound &= existing.names.table(base, table)?.is_some();
        }
        if !is_sound || !existing.names.has_details(base)? {
            return Ok(None);
        }
        let Some(games) = existing.count_games(base)? else {
            return Ok(None);
        };
        let page = match options.charset {
            Some(page) => page,
            None => page_of(&mut existing, base)?,
        };
        let texts = TextEncoder::new(Some(page), None);
        existing.names.texts = texts.clone();
        let state = WriterState::appending(texts, options.allow, games);
        Ok(Some(Appender {
            base,
            existing,
            state,
        }))
    }
}

impl Appender<'_> {
    /// Returns ChessBase's number of the next game, which counts guiding texts as well.
    fn id(&self) -> u32 {
        let texts_and_games = self.existing.count.saturating_add(self.state.games());
        texts_and_games.saturating_add(1)
    }
}

/// Returns the code page of the names of a database, by a sample of them. New texts then have the
/// encoding in which readers expect them.
fn page_of(existing: &mut ExistingBase, base: &dyn Growing) -> Result<Charset> {
    let mut evidence = Evidence::new();
    if let Some(players) = existing.names.table(base, 0)? {
        let count = players.len();
        let last = EXAMINED_NAMES.max(count.saturating_sub(EXAMINED_NAMES));
        for number in (0..EXAMINED_NAMES.min(count)).chain(last..count) {
            let name = players.name(base, number)?;
            if let Some((last, first)) = name.split_at_checked(30) {
                evidence.add_together([cut(last), cut(first)]);
            }
        }
    }
    let guess = evidence.guess(CharsetPrior::ChessBaseWindows);
    let page = guess.map(|guess| EncodingDetector::of_base(&guess, Charset::WINDOWS_1252).page());
    Ok(page.unwrap_or(Charset::WINDOWS_1252))
}

impl WriteEncoded for Appender<'_> {
    type Encoder = TextEncoder;

    fn state(&self) -> &WriterState<TextEncoder> {
        &self.state
    }

    fn state_mut(&mut self) -> &mut WriterState<TextEncoder> {
        &mut self.state
    }

    fn fit(&self, _: &Game, _: &mut GameBuffers, _: &mut Losses) -> bool {
        self.id() <= GAMES
    }

    fn put(&mut self, _: &Game, encoded: &mut GameBuffers) -> Result<()> {
        let id = self.id();
        let (base, existing) = (&mut *self.base, &mut self.existing);
        let mut record = encoded.header.record;
        let mut numbers = [u32::MAX; NAME_TABLES.len()];
        let names = names_of(&encoded.header.names);
        for (slot, ((table, name), number)) in NAME_TABLES
            .into_iter()
            .zip(names)
            .zip(&mut numbers)
            .enumerate()
        {
            let Some(new) = existing.names.number(base, table, name)? else {
                let what = "names of each kind";
                let limit = MAX_NAMES.into();
                return Err(ErrorKind::LimitExceeded { what, limit }.into());
            };
            existing.move_reference(base, table, id, None, new)?;
            *number = new.unwrap_or(u32::MAX);
            set_number(&mut record, slot, *number);
        }
        let moves = existing
            .moves
            .append(base, |out| out.extend_from_slice(&encoded.record))?;
        let (count, notes) = (
            encoded.moves.summary.annotations,
            &encoded.moves.annotations,
        );
        let annotations = existing.append_annotations(base, id, count, notes)?;
        // The index holds the low 32 bits; .cbj holds all 64 (section 4).
        (record.moves, record.annotations) = (moves as u32, annotations as u32);
        existing.add_entry(record.to_bytes());
        let [.., white_team, black_team, tag] = numbers;
        let extended = NewExtended {
            teams: [white_team, black_team],
            annotations,
            moves,
            rating_kinds: encoded.header.rating_kinds,
            created: id.into(),
            tag,
        };
        if let Some(file) = &mut existing.extended {
            file.append(base, &extended)?;
        }
        (existing.outdates_boosters, existing.outdates_keys) = (true, true);
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.existing.finish(self.base)
    }
}
