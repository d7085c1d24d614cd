//! Reading of games by number.

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::report::GameReport;
use chessdb_core::salvage::Place;
use chessdb_core::store::{Opened, Remark};
use chessdb_core::{ErrorKind, FileSet, Game, GameStore, ReadOptions, Result, Scratch, Severity};

use super::annotations::read_annotations;
use super::coverage;
use super::header::{Names, read_header};
use super::info::guiding_texts;
use super::moves::{WordStream, read_words};
use super::start::read_start;
use crate::extras::{self, extra_2cbh};
use crate::moves::{GameAnnotations, decode, full_moves};
use crate::raw::bytes::bytes_from;
use crate::raw::cbh2::{EntityFile, Frame, Index, Record, RecordKind};
use crate::roles::{CBA2_FILE, CBG2_FILE, CBH2_FILE, LID2_FILE};
use crate::salvage::{SalvageStore, report_missing, tolerate_index};
use crate::text::TextCharsets;

/// An open database.
#[derive(Debug)]
pub(super) struct Cbh2Store<'a> {
    pub(super) index: Index<'a>,
    /// The records that are games or analyses, from 0.
    pub(super) ids: Vec<u32>,
    /// In salvage mode, the games in the order in which they were recovered.
    pub(super) places: Option<Vec<Place>>,
    pub(super) games: Option<&'a [u8]>,
    annotations: Option<&'a [u8]>,
    pub(super) names: Names<'a>,
    pub(super) opened: Opened,
    pub(super) options: ReadOptions,
}

/// A game before its moves are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cbh2Entry<'a> {
    /// The number of the record from 1, and the record; `None` if no record leads to the game.
    pub(super) record: Option<(u32, Record<'a>)>,
    /// The offset of the moves, if the search found them.
    pub(super) offset: Option<u64>,
}

impl<'a> Cbh2Store<'a> {
    /// Opens the database. Without the games file only headers are available. Faults of single
    /// games are reported when the games are read.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is missing or has another format. In strict mode it also
    /// returns an error if the index does not match the file, or if files are missing.
    pub(super) fn open(files: &'a dyn FileSet, options: ReadOptions) -> Result<Cbh2Store<'a>> {
        let file = if options.salvage {
            files.get(CBH2_FILE).unwrap_or_default()
        } else {
            files.require(CBH2_FILE)?
        };
        let index = Index::parse(file);
        let mut scratch = Scratch::new();
        let checked = check_header(&index, &options, &mut scratch);
        tolerate_index(checked, CBH2_FILE, &options, &mut scratch)?;
        let (mut ids, mut texts) = (Vec::new(), Vec::new());
        let mut empty = 0_u64;
        for (n, record) in (0..).zip(index.records) {
            match Record(record).kind() {
                RecordKind::Game | RecordKind::Analysis => ids.push(n),
                RecordKind::Text => texts.push(n),
                RecordKind::Empty => empty += 1,
            }
        }
        if empty > 0 {
            let kind = ErrorKind::bad_field("the number of empty records of the index", empty);
            scratch.deviation(&options, Severity::Lost, kind, Location::file(CBH2_FILE))?;
        }
        for file in [CBG2_FILE, CBA2_FILE, LID2_FILE] {
            if !index.records.is_empty() && files.get(file).is_none() {
                let kind = ErrorKind::MissingFile(file);
                scratch.deviation(&options, Severity::Lost, kind, Location::file(file))?;
            }
        }
        let names = Names {
            file: files.get(LID2_FILE).map(EntityFile::parse),
            charsets: TextCharsets::new(&options),
        };
        if let Some(file) = names.file.as_ref().filter(|_| !index.records.is_empty()) {
            check_names(file, &options, &mut scratch)?;
        }
        let games = files.get(CBG2_FILE);
        if let Some(kind) = games.and_then(|games| coverage::fault(&index, games)) {
            scratch.deviation(&options, Severity::Lost, kind, Location::file(CBH2_FILE))?;
        }
        let base = guiding_texts(&index, &texts, games, &names, &options, &mut scratch)?;
        let whole = scratch.diagnostics.is_empty();
        let mut store = Cbh2Store {
            index,
            ids,
            places: None,
            games,
            annotations: files.get(CBA2_FILE),
            names,
            opened: Opened::new(base, scratch.diagnostics),
            options,
        };
        if store.options.salvage {
            store.recover(whole)?;
        }
        Ok(store)
    }

    /// Returns the index entry of a game and the offset of its record.
    fn entry(&self, n: u32) -> Result<Cbh2Entry<'a>> {
        let record_of = |id: u32| {
            let record = self.index.records.get(id as usize)?;
            Some((id.saturating_add(1), Record(record)))
        };
        let entry = match &self.places {
            Some(places) => places.get(n as usize).map(|place| Cbh2Entry {
                record: place.entry.and_then(record_of),
                // A record that was not found has no valid offset.
                offset: Some(match &place.range {
                    Some(range) => range.start as u64,
                    None => u64::MAX,
                }),
            }),
            None => self.ids.get(n as usize).map(|id| Cbh2Entry {
                record: record_of(*id),
                offset: None,
            }),
        };
        entry.ok_or_else(|| ErrorKind::no_such_game(n, self.len()).into())
    }

    /// Returns the record of a file at an offset, as far as it can be read.
    fn frame<'f>(
        file: &'f [u8],
        location: Location,
        what: &'static str,
        report: &mut GameReport<'_>,
    ) -> Result<Option<Frame<'f>>> {
        let bytes = bytes_from(file, location.offset.unwrap_or(u64::MAX));
        let Some(frame) = Frame::parse(bytes) else {
            let kind = ErrorKind::truncated(what, Frame::HEADER as u64 + 8, bytes.len() as u64);
            report.lost(kind, location)?;
            return Ok(None);
        };
        let is_right = Frame::checksum_of(frame.content) == frame.checksum;
        if frame.is_whole() {
            if !is_right {
                let kind = ErrorKind::Structure("the checksum of the record is wrong");
                report.lost(kind, location)?;
            }
            return Ok(Some(frame));
        }
        let size = u64::from(frame.used) + u64::from(frame.room) + Frame::OVERHEAD;
        let is_cut = (frame.content.len() as u64) < frame.used.into();
        let kind = match frame.size {
            Some(stated) if stated != size => {
                ErrorKind::mismatch("the size at the end of the record", stated, size)
            }
            Some(_) => ErrorKind::Structure("the mark of the record is damaged"),
            None => ErrorKind::truncated(what, size, bytes.len() as u64),
        };
        report.lost(kind, location)?;
        // Without its mark, and without a checksum that is right, this may be anything.
        let is_record = is_right || frame.mark == Frame::MARK && is_cut;
        Ok(Some(frame).filter(|_| is_record))
    }

    /// Fills the header and returns the moves. `None` if the moves cannot be read.
    fn header(
        &self,
        entry: &Cbh2Entry<'_>,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<Option<WordStream<'a>>> {
        let body = self.body(entry, game, report)?;
        let Some((id, record)) = entry.record else {
            let kind = ErrorKind::Structure("no index entry refers to the game");
            report.lost(kind, Location::file(CBH2_FILE))?;
            return Ok(body);
        };
        let location = Location::byte(CBH2_FILE, u64::from(id) * Record::SIZE as u64);
        read_header(record, &self.names, location, game, report)?;
        Ok(body)
    }

    /// Reads the start position and returns the moves.
    fn body(
        &self,
        entry: &Cbh2Entry<'_>,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<Option<WordStream<'a>>> {
        let Some(games) = self.games else {
            report_missing(CBG2_FILE, report)?;
            return Ok(None);
        };
        let stated = entry.record.map(|(_, record)| record.moves());
        let offset = entry.offset.or(stated).unwrap_or(u64::MAX);
        let location = Location::byte(CBG2_FILE, offset);
        let Some(frame) = Self::frame(games, location, "the record of the game", report)? else {
            return Ok(None);
        };
        let body_location = location.plus(Frame::HEADER as u64);
        let content = report.game_bytes(frame.content, body_location)?;
        if !matches!(frame.tag, Frame::CHESS | Frame::CHESS960) {
            let kind = ErrorKind::bad_field("the kind of the record", frame.tag);
            report.lost(kind, body_location)?;
            let mut bytes = frame.tag.to_le_bytes().to_vec();
            bytes.extend_from_slice(content);
            let extra = extra_2cbh(extras::RECORD_2CBH, &bytes);
            game.header.extras.push(extra);
            return Ok(None);
        }
        read_start(frame.tag, content, body_location, game, report)
    }

    fn moves(
        &self,
        entry: &Cbh2Entry<'_>,
        body: Option<WordStream<'a>>,
        game: &mut Game,
        buffer: &mut Vec<u8>,
        report: &mut GameReport<'_>,
    ) -> Result<bool> {
        let Some(stream) = body else {
            return Ok(false);
        };
        let (lines, words) = read_words(&stream, buffer, game, report)?;
        let counted = full_moves(lines.plies(), game.start_board().turn());
        // Analyses have no such field.
        let is_game = |(_, record): &(u32, Record<'_>)| record.kind() == RecordKind::Game;
        let game_record = entry.record.filter(is_game);
        let stated = game_record.map(|(_, record)| record.full_moves());
        let fits = stated.is_none_or(|stated| u32::from(stated) == counted);
        if let Some(stated) = stated.filter(|_| lines.complete && !fits) {
            let kind = ErrorKind::mismatch(
                "the number of moves in the index",
                stated.into(),
                counted.into(),
            );
            report.note(kind, Location::file(CBH2_FILE))?;
        }
        let mut converted = Vec::new();
        let charsets = self.names.charsets.clone();
        let file = self.annotations.zip(entry.record);
        let frame = match file {
            Some((file, (_, record))) => {
                let location = Location::byte(CBA2_FILE, record.annotations());
                let what = "the record of the annotations";
                let frame = Self::frame(file, location, what, report)?;
                frame.map(|frame| (frame, location.plus(Frame::HEADER as u64)))
            }
            None => {
                if entry.record.is_some() {
                    report_missing(CBA2_FILE, report)?;
                }
                None
            }
        };
        let notes = match frame {
            Some((frame, location)) if frame.tag == Frame::ANNOTATIONS => {
                let limit = report.options.limits.game_bytes as usize;
                let content = frame.content.get(..limit).unwrap_or(frame.content);
                read_annotations(
                    content,
                    &words,
                    &lines,
                    &mut converted,
                    charsets,
                    location,
                    report,
                )?
            }
            Some((frame, location)) => {
                let kind = ErrorKind::bad_field("the kind of the record", frame.tag);
                report.lost(kind, location)?;
                GameAnnotations::none(charsets)
            }
            None => GameAnnotations::none(charsets),
        };
        let complete = lines.complete;
        decode(&lines, &notes, stream.at, game, report)?;
        Ok(complete && fits)
    }
}

/// Checks the header of the index: the size of the records and their number, which the size of the
/// file states as well.
fn check_header(index: &Index<'_>, options: &ReadOptions, scratch: &mut Scratch) -> Result<()> {
    let Some((used, size, next)) = index.fields() else {
        return Err(ErrorKind::truncated(
            "the header of the index",
            Record::SIZE as u64,
            index.tail.len() as u64,
        )
        .into());
    };
    if usize::from(size) != Record::SIZE {
        return Err(ErrorKind::bad_field("the size of the records", size).into());
    }
    if used != Index::USED {
        let kind = ErrorKind::bad_field("the field at offset 8 of the index", used);
        scratch.deviation(options, Severity::Note, kind, Location::byte(CBH2_FILE, 8))?;
    }
    let count = index.records.len() as u64;
    let expected = u64::from(next).saturating_sub(1);
    if count == expected && index.tail.is_empty() {
        return Ok(());
    }
    let severity = if count < expected { Severity::Lost } else { Severity::Repaired };
    let kind = ErrorKind::mismatch("the number of records", count, expected);
    scratch.deviation(options, severity, kind, Location::byte(CBH2_FILE, 16))
}

/// Reports a damaged header of the file of names, and a file that ends before its last name.
fn check_names(file: &EntityFile<'_>, options: &ReadOptions, scratch: &mut Scratch) -> Result<()> {
    let location = Location::byte(LID2_FILE, 0);
    if file.types.is_empty() {
        let kind = ErrorKind::Structure("the header of the file of names is damaged");
        return scratch.deviation(options, Severity::Lost, kind, location);
    }
    for (n, names) in (0u64..).zip(&file.types) {
        let Some(last) = names.count.checked_sub(1) else {
            continue;
        };
        if !file.has_record(n as usize, last) {
            let kind = ErrorKind::mismatch(
                "the number of names of a type",
                file.block_count() as u64,
                names.count,
            );
            let location = Location::byte(LID2_FILE, 12 + 20 * n);
            scratch.deviation(options, Severity::Lost, kind, location)?;
        }
    }
    Ok(())
}

impl GameStore for Cbh2Store<'_> {
    fn len(&self) -> u32 {
        let count = match &self.places {
            Some(places) => places.len(),
            None => self.ids.len(),
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        game.clear();
        let mut report = GameReport::new(&self.options, scratch, Some(n.saturating_add(1)));
        let entry = self.entry(n)?;
        self.header_alone(&entry, game, &mut report)
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        game.clear();
        let mut buffer = std::mem::take(&mut scratch.bytes);
        let mut report = GameReport::new(&self.options, scratch, Some(n.saturating_add(1)));
        let read = self.entry(n).and_then(|entry| {
            let body = self.header(&entry, game, &mut report)?;
            self.moves(&entry, body, game, &mut buffer, &mut report)
        });
        scratch.bytes = buffer;
        read.map(|_| ())
    }

    fn remarks(&self) -> Vec<Remark> {
        vec![Remark::new(
            "evidence",
            "this reader was checked against descriptions of 2CBH and quoted bytes, not against a \
             genuine database; if you have one, please send us the output of `chessdb report`",
        )]
    }
}

impl<'a> SalvageStore for Cbh2Store<'a> {
    type Entry = Cbh2Entry<'a>;
    const INDEX_FILE: Role = CBH2_FILE;
    const GAMES_FILE: Role = CBG2_FILE;

    fn header_alone(
        &self,
        entry: &Self::Entry,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        self.header(entry, game, report).map(|_| ())
    }

    fn moves_alone(
        &self,
        entry: &Self::Entry,
        game: &mut Game,
        buffer: &mut Vec<u8>,
        report: &mut GameReport<'_>,
    ) -> Result<bool> {
        let body = self.body(entry, game, report)?;
        self.moves(entry, body, game, buffer, report)
    }

    fn salvage_parts(&mut self) -> (&mut Option<Vec<Place>>, &mut Opened, &ReadOptions) {
        (&mut self.places, &mut self.opened, &self.options)
    }
}
