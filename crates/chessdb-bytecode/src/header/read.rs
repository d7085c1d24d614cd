//! Conversion of a row into a game's header.

use chessdb_core::error::Location;
use chessdb_core::model::{Extra, Field, GameFlags, Named, Rating, RatingKind, Tag};
use chessdb_core::report::GameReport;
use chessdb_core::text::TextId;
use chessdb_core::{
    BaseInfo, Charset, Color, Date, ErrorKind, Game, Outcome, Result, Setup, Severity, Start,
};

use super::tags;
use crate::extras;
use crate::names::{NameList, NameLookup, NameMatch};
use crate::raw::{Attributes, DateFlags, StoredDate};
use crate::row::{Column, Row};
use crate::text;

/// Header data that is needed to read or check the moves.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct HeaderFacts {
    /// The attributes, if the row has any.
    pub(crate) attributes: Option<Attributes>,
    /// Half-moves of the mainline.
    pub(crate) plies: Option<i64>,
    /// Whether the row states the result.
    pub(crate) outcome: bool,
    /// Whether the start position is known; without it the moves cannot be read.
    pub(crate) start: bool,
}

/// A reader of the header cells of one row.
pub(crate) struct HeaderReader<'r, 't, 'o> {
    row: Row<'r, 't>,
    names: &'r NameLookup,
    base: &'r BaseInfo,
    fallback: Charset,
    report: &'r mut GameReport<'o>,
}

/// Fills the header of `game`, which is empty, from a row.
pub(crate) fn read_header(
    row: Row<'_, '_>,
    names: &NameLookup,
    base: &BaseInfo,
    fallback: Charset,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<HeaderFacts> {
    let mut reader = HeaderReader {
        row,
        names,
        base,
        fallback,
        report,
    };
    let mut facts = HeaderFacts::default();
    reader.read_names(game)?;
    reader.read_dates(game)?;
    for (color, column) in [
        (Color::White, Column::WhiteElo),
        (Color::Black, Column::BlackElo),
    ] {
        game.header.player_mut(color).rating = reader.rating(column)?;
    }
    reader.read_outcome(game, &mut facts)?;
    reader.read_texts(game)?;
    reader.read_info(game)?;
    reader.read_attributes(game, &mut facts)?;
    facts.start = reader.read_fen(game, &facts)?;
    facts.plies = row.int(Column::PlyCount);
    reader.read_extras(game);
    Ok(facts)
}

impl HeaderReader<'_, '_, '_> {
    /// Reports a number that is invalid for its column.
    fn report_bad_number(&mut self, severity: Severity, column: Column, value: i64) -> Result<()> {
        let kind = ErrorKind::BadField {
            field: column.name(),
            // Negative numbers are shown as stored in the file.
            value: value as u64,
        };
        self.report.add(severity, kind, Location::default())
    }

    fn name(&mut self, list: NameList, column: Column, game: &mut Game) -> Result<Named> {
        let id = self.row.int(column);
        match self.names.get(list, id, self.base) {
            NameMatch::Nothing => {
                // In a salvage, games without a name are counted.
                let number = id.filter(|&id| id != 0 && self.report.options.salvage);
                if let Some(number) = number.filter(|_| !self.names.is_present(list)) {
                    self.report_bad_number(Severity::Lost, column, number)?;
                }
                Ok(Named::default())
            }
            NameMatch::Name(text) => Ok(Named {
                text: game.texts.push_from(&self.base.texts, text),
                key: id.and_then(|id| u32::try_from(id).ok()),
            }),
            NameMatch::Missing => {
                self.report_bad_number(Severity::Lost, column, id.unwrap_or(0))?;
                Ok(Named::default())
            }
        }
    }

    fn read_names(&mut self, game: &mut Game) -> Result<()> {
        game.header.white.name = self.name(NameList::Player, Column::White, game)?;
        game.header.black.name = self.name(NameList::Player, Column::Black, game)?;
        game.header.event = self.name(NameList::Event, Column::Event, game)?;
        game.header.site = self.name(NameList::Site, Column::Site, game)?;
        game.header.annotator = self.name(NameList::Player, Column::Annotator, game)?;
        let opening = self.name(NameList::Opening, Column::Opening, game)?;
        if opening.text.is_some() {
            let name = game.add_text("Opening");
            let value = opening.text;
            game.header.tags.push(Tag::Other { name, value });
        }
        Ok(())
    }

    fn read_dates(&mut self, game: &mut Game) -> Result<()> {
        let flags = self.row.int(Column::DateFlags).unwrap_or(0) as u16;
        // The low byte is for GameDate, the high one for EventDate (section 7).
        let [game_flags, event_flags] = flags.to_le_bytes();
        game.header.date = self.date(Column::GameDate, game_flags)?;
        game.header.event_date = self.date(Column::EventDate, event_flags)?;
        Ok(())
    }

    fn date(&mut self, column: Column, flags: u8) -> Result<Date> {
        let cell = self.row.cell(column);
        let date = cell.as_date();
        if date.is_none() && !cell.is_null() {
            let content = cell.as_bytes().unwrap_or_default();
            let kind = ErrorKind::Syntax {
                expected: "a date",
                found: ErrorKind::excerpt(&content),
            };
            self.report.lost(kind, Location::default())?;
        }
        let stored = StoredDate {
            date,
            unknown: DateFlags::from_bits_truncate(flags),
        };
        Ok(stored.to_date())
    }

    /// 0 and NULL both mean no rating.
    fn rating(&mut self, column: Column) -> Result<Option<Rating>> {
        let Some(stored) = self.row.int(column).filter(|&stored| stored != 0) else {
            return Ok(None);
        };
        match u16::try_from(stored) {
            Ok(value) => Ok(Some(Rating {
                value,
                kind: RatingKind::Elo,
            })),
            Err(_) => {
                self.report_bad_number(Severity::Lost, column, stored)?;
                Ok(None)
            }
        }
    }

    fn read_outcome(&mut self, game: &mut Game, facts: &mut HeaderFacts) -> Result<()> {
        let Some(code) = self.row.int(Column::Result) else {
            return Ok(());
        };
        game.header.outcome = match code {
            -1 => Outcome::Unknown,
            0 => Outcome::BlackWins,
            1 => Outcome::Draw,
            2 => Outcome::WhiteWins,
            _ => return self.report_bad_number(Severity::Repaired, Column::Result, code),
        };
        facts.outcome = true;
        Ok(())
    }

    fn text(&self, column: Column, game: &mut Game) -> TextId {
        match self.row.bytes(column) {
            Some(bytes) => {
                let charset = text::detect(&bytes, self.fallback);
                game.texts.push(&bytes, charset)
            }
            None => TextId::NONE,
        }
    }

    fn read_texts(&mut self, game: &mut Game) -> Result<()> {
        game.header.round = self.text(Column::Round, game).into();
        game.header.white.title = self.text(Column::WhiteTitle, game);
        game.header.black.title = self.text(Column::BlackTitle, game);
        let board = self.text(Column::Board, game);
        if board.is_some() {
            let name = game.add_text("Board");
            game.header.tags.push(Tag::Other { name, value: board });
        }
        let Some(eco) = self.row.bytes(Column::Eco) else {
            return Ok(());
        };
        // A column of fixed width may be padded with blanks.
        let code = eco.trim_ascii_end();
        if code.is_empty() {
            return Ok(());
        }
        game.header.eco = chessdb_core::model::Eco::from_ascii(code);
        if game.header.eco.is_none() {
            let value = game.texts.push(code, text::detect(code, self.fallback));
            game.header.tags.push(Tag::Verbatim(Field::Eco, value));
        }
        Ok(())
    }

    fn read_info(&mut self, game: &mut Game) -> Result<()> {
        let Some(bytes) = self.row.bytes(Column::Info) else {
            return Ok(());
        };
        let limit = self.report.options.limits.tags as usize;
        let mut others = 0;
        for part in tags::parts(&bytes) {
            if others >= limit {
                let kind = ErrorKind::over_limit("tags of a game", limit as u64);
                return self.report.lost(kind, Location::default());
            }
            let charset = text::detect(part.value, self.fallback);
            let value = game.texts.push(part.value, charset);
            let name = part.name.unwrap_or(tags::NAMELESS);
            let entry = match typed(name, part.value, value, game) {
                Some(entry) => entry,
                None => Tag::Other {
                    name: game.texts.push(name, text::detect(name, self.fallback)),
                    value,
                },
            };
            others += usize::from(matches!(entry, Tag::Other { .. }));
            game.header.tags.push(entry);
        }
        Ok(())
    }

    fn read_attributes(&mut self, game: &mut Game, facts: &mut HeaderFacts) -> Result<()> {
        let Some(stored) = self.row.int(Column::Attributes) else {
            return Ok(());
        };
        // Old tables have one signed byte here.
        let bits = match stored {
            -128..0 => (stored & 0xFF) as u16,
            _ => stored as u16,
        };
        let attributes = Attributes::from_bits_retain(bits);
        if i64::from(bits) != stored && i64::from(bits as i16) != stored && stored >= 0 {
            self.report_bad_number(Severity::Lost, Column::Attributes, stored)?;
        }
        // The tag ScidFlags, read before, may have set a flag too.
        for (attribute, flag) in FLAGS {
            game.header.flags.set(
                flag,
                game.header.flags.contains(flag) || attributes.contains(attribute),
            );
        }
        facts.attributes = Some(attributes);
        let unknown = attributes - KNOWN;
        if !unknown.is_empty() {
            push_extra(game, extras::ATTRIBUTES, &unknown.bits().to_be_bytes());
        }
        Ok(())
    }

    /// Reads the start position. Returns false if this fails.
    fn read_fen(&mut self, game: &mut Game, facts: &HeaderFacts) -> Result<bool> {
        let chess960 = facts
            .attributes
            .is_some_and(|attributes| attributes.contains(Attributes::CHESS960));
        let stored = self.row.bytes(Column::Fen);
        let Some(fen) = stored.filter(|fen| !fen.is_empty()) else {
            return Ok(true);
        };
        let setup = Setup::from_fen(&fen);
        let verbatim = match &setup {
            Ok((setup, _)) => !setup.is_written_as(&fen, &mut self.report.scratch.bytes),
            Err(_) => true,
        };
        if verbatim {
            let text = game.texts.push(&fen, text::detect(&fen, self.fallback));
            game.header.tags.push(Tag::Verbatim(Field::Fen, text));
        }
        match setup {
            Ok((mut setup, _)) => {
                // Castling letters that are standard do not show Chess960; the attribute does.
                setup.chess960 |= chess960;
                game.header.start = Start::Setup(Box::new(setup));
                Ok(true)
            }
            Err(fault) => {
                let kind = fault.into_kind(&fen);
                self.report.lost(kind, Location::default())?;
                Ok(false)
            }
        }
    }

    fn read_extras(&mut self, game: &mut Game) {
        let own = self.base.collections.first().map_or(1, |first| first.key);
        if let Some(collection) = self.row.int(Column::CollectionId)
            && collection != i64::from(own)
        {
            push_extra(game, extras::COLLECTION, &collection.to_be_bytes());
        }
        let [collection, index] =
            [Column::OriginCollection, Column::OriginIndex].map(|column| self.row.int(column));
        if collection.is_some() || index.is_some() {
            let bytes = [collection, index].map(|number| number.unwrap_or(i64::MIN).to_be_bytes());
            push_extra(game, extras::ORIGIN, &bytes.concat());
        }
        for (column, field) in [
            (Column::PosMain, extras::POS_MAIN),
            (Column::PosVar, extras::POS_VAR),
        ] {
            if let Some(bytes) = self.row.bytes(column).filter(|bytes| !bytes.is_empty()) {
                push_extra(game, field, &bytes);
            }
        }
    }
}

/// The attributes that are flags of the model.
pub(super) const FLAGS: [(Attributes, GameFlags); 4] = [
    (Attributes::USER_1, GameFlags::CUSTOM_1),
    (Attributes::USER_2, GameFlags::CUSTOM_2),
    (Attributes::USER_3, GameFlags::CUSTOM_3),
    (Attributes::DELETED, GameFlags::DELETED),
];

/// The attributes that the model holds or that follow from the moves.
const KNOWN: Attributes = Attributes::VARIATIONS
    .union(Attributes::COMMENTS)
    .union(Attributes::ERRORS)
    .union(Attributes::CHESS960)
    .union(Attributes::USER_1)
    .union(Attributes::USER_2)
    .union(Attributes::USER_3)
    .union(Attributes::DELETED);

fn push_extra(game: &mut Game, field: u16, bytes: &[u8]) {
    game.header
        .extras
        .push(Extra::new(extras::FORMAT, field, bytes));
}

/// Puts an Info tag into the corresponding typed field, if there is one and it is still free.
pub(super) fn typed(name: &[u8], bytes: &[u8], value: TextId, game: &mut Game) -> Option<Tag> {
    let header = &mut game.header;
    let free = |field| header.is_free(field);
    let verbatim = |field| Some(Tag::Verbatim(field, value)).filter(|_| free(field));
    match name {
        b"Source" if free(Field::Source) => {
            header.source.text = value;
            Some(Tag::Place(Field::Source))
        }
        // Info has a date only if the column does not reproduce it (section 9).
        b"Date" => header.put_date(Field::Date, bytes, value, in_column),
        b"EventDate" => header.put_date(Field::EventDate, bytes, value, in_column),
        b"Result" => verbatim(Field::Result),
        b"ECO" => {
            match (super::eco(bytes), header.eco) {
                // The column has no space for the sub-code.
                (Some(full), Some(short)) if full.code == short.code && free(Field::Eco) => {
                    header.eco = Some(full);
                    let mut written = Vec::with_capacity(6);
                    full.write_ascii(&mut written);
                    Some(if written == bytes {
                        Tag::Place(Field::Eco)
                    } else {
                        Tag::Verbatim(Field::Eco, value)
                    })
                }
                (_, None) => verbatim(Field::Eco),
                // A repeated tag.
                (_, Some(_)) => None,
            }
        }
        b"ScidFlags" if free(Field::Flags) && !bytes.is_empty() => {
            match GameFlags::from_letters(bytes).filter(|&flags| matches_letters(flags, bytes)) {
                Some(flags) => {
                    header.flags |= flags;
                    Some(Tag::Place(Field::Flags))
                }
                None => {
                    // Flags with their own attribute are read from there.
                    let lenient = GameFlags::from_lenient_letters(bytes);
                    let marks: GameFlags = FLAGS.iter().map(|&(_, flag)| flag).collect();
                    let entry = verbatim(Field::Flags);
                    header.flags |= lenient - marks;
                    entry
                }
            }
        }
        b"ScidFlags" => verbatim(Field::Flags),
        // The columns hold Elo only.
        _ => header.put_number(name, bytes, value, |rating| rating.kind != RatingKind::Elo),
    }
}

/// Returns a date as the columns can store it.
pub(super) fn in_column(date: Date) -> Date {
    StoredDate::from_date(date).0.to_date()
}

/// Returns whether these flags are written with these letters.
fn matches_letters(flags: GameFlags, letters: &[u8]) -> bool {
    let mut written = Vec::new();
    flags.write_letters(&mut written);
    written == letters
}
