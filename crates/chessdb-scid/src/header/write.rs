//! Conversion of a header into index entry and record.

use chessdb_core::board::Bitboard;
use chessdb_core::loss::TextLoss;
use chessdb_core::model::{Field, GameFlags, RatingKind, Tag};
use chessdb_core::text::TextId;
use chessdb_core::{
    Charset, Color, Date, Game, LossKind, Losses, Outcome, PieceType, Setup, Start, Text, rules,
};

use super::TAG_FIELDS;
use super::read::typed;
use crate::entry::GameEntry;
use crate::generation::Spec;
use crate::raw::{DateCode, EcoCode, IndexFlags, RatingCode, TagName, TagRecord};
use crate::text::{MAX_NAME, TextEncoder, is_meaningless};

/// Typed fields that do not fit into the index and become extra tags.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Overflow {
    event_date: bool,
    ratings: [bool; 2],
}

/// Fills the fields of an index entry that come from the header, except names and moves. Returns
/// the fields that [`write_tags`] must store as extra tags.
pub(crate) fn write_entry(
    game: &Game,
    spec: &Spec,
    entry: &mut GameEntry,
    losses: &mut Losses,
) -> Overflow {
    let header = &game.header;
    let mut overflow = Overflow::default();
    entry.result = match header.outcome {
        Outcome::Unknown => 0,
        Outcome::WhiteWins => 1,
        Outcome::BlackWins => 2,
        Outcome::Draw => 3,
    };
    // If the source text of flags or dates is kept as a tag, it preserves what the index cannot
    // hold.
    let source = |field| {
        header
            .verbatim(field)
            .map(|text| game.text(text).as_bytes())
    };
    let marks = spec.marks(header.flags);
    let declared = source(Field::Flags).map(GameFlags::from_lenient_letters);
    losses.add_if(
        LossKind::Flags,
        marks != header.flags && declared != Some(header.flags),
    );
    entry.flags = IndexFlags::empty().with_marks(marks);
    // Like Scid 5, decides by the castling rights. A tag that states the variant is sufficient.
    entry.chess960 = match &header.start {
        Start::Setup(setup) if header.names_chess960(&game.texts) => {
            Setup::from_board(setup.board.clone()).chess960
        }
        Start::Setup(setup) => setup.chess960,
        Start::Standard => false,
    };
    let date = storable_date(header.date);
    let spelling = source(Field::Date);
    let is_same =
        |text| Date::read(text).0 == header.date || Date::from_lenient_ascii(text) == header.date;
    losses.add_if(
        LossKind::Date,
        date != header.date && !spelling.is_some_and(is_same),
    );
    entry.date = DateCode::from_date(date).unwrap_or_default();
    if spec.has_event_date(header.event_date, date) {
        entry.event_date = header.event_date;
    } else {
        overflow.event_date = true;
    }
    if let Some(eco) = header.eco {
        entry.eco = EcoCode::from_eco(eco).unwrap_or_default();
        losses.add_if(LossKind::Eco, entry.eco.to_eco() != Some(eco));
    }
    let [white, black] = &mut overflow.ratings;
    for (color, code, over) in [
        (Color::White, &mut entry.white_rating, white),
        (Color::Black, &mut entry.black_rating, black),
    ] {
        let stored = RatingCode::from_rating(header.player(color).rating);
        *over = stored.is_none();
        *code = stored.unwrap_or_default();
    }
    entry.set_spare(header.spare);
    overflow
}

/// Returns the date with the parts that do not fit set to unknown.
pub(super) fn storable_date(date: Date) -> Date {
    let fitting = |value, limit| if value > limit { 0 } else { value };
    let year = if date.year > DateCode::MAX_YEAR { 0 } else { date.year };
    Date::new(year, fitting(date.month, 15), fitting(date.day, 31))
}

/// Appends the tags of a record and the terminating 0. Returns the largest combined size of name
/// and value of one tag, in bytes.
pub(crate) fn write_tags(
    game: &Game,
    overflow: Overflow,
    spec: &Spec,
    texts: &TextEncoder,
    out: &mut Vec<u8>,
    losses: &mut Losses,
) -> usize {
    let mut writer = TagWriter {
        game,
        texts,
        out,
        losses,
        longest: 0,
        tags: Written::default(),
    };
    let mut written = Written::default();
    for tag in &game.header.tags {
        match *tag {
            Tag::Other { name, value } => {
                let (name, value) = (game.text(name), game.text(value));
                // The first rating read becomes the player's, so it is written before ratings of
                // other kinds.
                let parsed = RatingKind::of_tag(name.as_bytes());
                let rating = parsed.map(|(color, _)| Field::rating(color));
                if let Some(field) = rating.filter(|&f| game.header.verbatim(f).is_none())
                    && written.insert(field)
                {
                    writer.typed(field, overflow);
                }
                // Of several tags for one typed field, a reader uses the first.
                let repeated = game.repeated_field(name.as_bytes());
                if let Some(field) = repeated.filter(|&f| game.header.verbatim(f).is_none()) {
                    if written.insert(field) {
                        writer.typed(field, overflow);
                    }
                    if writer.would_replace(field, name, value, spec) {
                        writer.losses.add(LossKind::Tag, None);
                        continue;
                    }
                }
                writer.tag(name, value);
            }
            Tag::Place(field) => {
                if written.insert(field) {
                    writer.typed(field, overflow);
                }
            }
            Tag::Verbatim(field, value) => {
                if writer.verbatim(field, value) {
                    written.insert(field);
                }
            }
        }
    }
    let overflowing = [Field::EventDate, Field::WhiteRating, Field::BlackRating];
    // Fields that no tag of the game placed come last, in a fixed order.
    for field in TAG_FIELDS.into_iter().chain(overflowing) {
        if written.insert(field) {
            writer.typed(field, overflow);
        }
    }
    writer.out.push(0);
    writer.longest
}

/// The set of fields already written.
#[derive(Default)]
struct Written(u32);

impl Written {
    /// Adds a field. Returns whether it was new.
    fn insert(&mut self, field: Field) -> bool {
        let new = !self.contains(field);
        // The mask only keeps the shift in range: there are fewer than 32 fields.
        self.0 |= 1 << (field as u32 & 31);
        new
    }

    fn contains(&self, field: Field) -> bool {
        self.0 & 1 << (field as u32 & 31) != 0
    }
}

struct TagWriter<'w> {
    game: &'w Game,
    texts: &'w TextEncoder,
    out: &'w mut Vec<u8>,
    losses: &'w mut Losses,
    longest: usize,
    /// The fields that have a tag in the game.
    tags: Written,
}

impl TagWriter<'_> {
    fn tag(&mut self, name: Text<'_>, value: Text<'_>) {
        let mut converted = Vec::new();
        let mut change = TextLoss::default();
        let bytes = name.as_bytes();
        // Nearly all names are plain, and need neither conversion nor memory.
        let plain = bytes.is_ascii() && !bytes.contains(&0);
        let stored_name = if plain {
            bytes
        } else {
            change = self.texts.put(name, &mut converted);
            &converted
        };
        let Some(name) = TagName::from_name(stored_name) else {
            self.losses.add(LossKind::Tag, None);
            return;
        };
        let name_length = stored_name.len();
        // The length byte precedes the value, but is known only after the value is converted.
        TagRecord { name, value: &[] }.write(self.out);
        let start = self.out.len();
        let value = self.texts.put_cut(value, MAX_NAME, self.out);
        let length = self.out.len() - start;
        self.longest = self.longest.max(name_length + length);
        if let Some(byte) = self.out.get_mut(start - 1) {
            *byte = length as u8;
        }
        change.replaced |= value.replaced;
        self.losses.add_if(LossKind::TagText, change.replaced);
        self.losses.add_if(LossKind::TagCut, value.cut);
    }

    fn field(&mut self, field: Field, value: Text<'_>) {
        let name = self.game.header.tag_name(field);
        self.tag(Text::new(name.as_bytes(), Charset::UTF_8), value);
        self.tags.insert(field);
    }

    /// Writes a typed field that is stored as a tag, if it is set.
    fn typed(&mut self, field: Field, overflow: Overflow) {
        let header = &self.game.header;
        let [white_over, black_over] = overflow.ratings;
        let is_in_tag = match field {
            Field::EventDate => overflow.event_date,
            Field::WhiteRating => white_over,
            Field::BlackRating => black_over,
            _ => TAG_FIELDS.contains(&field),
        };
        if !is_in_tag {
            return;
        }
        let mut value = Vec::new();
        match header.text_of(field) {
            Some(text) if text.is_some() => self.field(field, self.game.text(text)),
            Some(_) => {}
            None => {
                header.write_value(field, &mut value);
                if !value.is_empty() {
                    self.field(field, Text::new(&value, Charset::UTF_8));
                }
            }
        }
    }

    /// Returns whether a reader would take this tag as the spelling of a field stored only in the
    /// index.
    fn would_replace(&self, field: Field, name: Text<'_>, value: Text<'_>, spec: &Spec) -> bool {
        if self.tags.contains(field) {
            return false;
        }
        let header = &self.game.header;
        // The reader itself decides, given the header that the index alone yields.
        let mut read = Game::default();
        read.header.date = storable_date(header.date);
        read.header.event_date = header.event_date;
        read.header.outcome = header.outcome;
        read.header.eco = header.eco;
        read.header.flags = spec.marks(header.flags);
        for color in Color::ALL {
            read.header.player_mut(color).rating = header.player(color).rating;
        }
        let (name, value) = (name.as_bytes(), value.as_bytes());
        typed(name, value, TextId::NONE, spec, &mut read).is_some()
    }

    /// Writes the source text of a typed field. Returns false if the field is not stored as a tag.
    fn verbatim(&mut self, field: Field, text: TextId) -> bool {
        let value = self.game.text(text);
        let keeps_nothing = match field {
            // Scid's import keeps these even if they are empty.
            Field::WhiteFideId | Field::BlackFideId => true,
            // `0-0` is the result of a game that both players lost.
            Field::Result => value.names_double_forfeit(),
            Field::Date | Field::Eco | Field::EventDate | Field::Flags => false,
            Field::WhiteRating | Field::BlackRating => false,
            // The FEN is stored separately unless it could not be parsed. The other fields are
            // texts themselves.
            Field::Fen => {
                self.losses
                    .add_if(LossKind::Tag, self.game.header.start == Start::Standard);
                return false;
            }
            _ => return false,
        };
        if !keeps_nothing && is_meaningless(value.as_bytes()) {
            self.losses.add(LossKind::EmptyTag, None);
        } else {
            self.field(field, value);
        }
        true
    }
}

/// Appends the FEN of a start position, with its NUL.
pub(crate) fn write_fen(
    game: &Game,
    setup: &Setup,
    texts: &TextEncoder,
    out: &mut Vec<u8>,
    losses: &mut Losses,
) {
    // Scid rejects a FEN with an e.p. square on a rank other than the third and sixth.
    let ep = setup.board.ep_square();
    let odd_ep = ep.is_some_and(|square| square.rank() != 2 && square.rank() != 5);
    if let Some(text) = game.header.verbatim(Field::Fen) {
        let text = game.text(text);
        let bytes = text.as_bytes();
        let same = Setup::from_fen(bytes).is_ok_and(|(read, _)| read.board == setup.board);
        if same && !odd_ep && is_read_by_scid(bytes) {
            texts.put(text, out);
            out.push(0);
            return;
        }
        losses.add(LossKind::TagText, None);
    }
    if odd_ep {
        losses.add(LossKind::StartPosition, None);
        let mut without = setup.clone();
        without.board.set_ep_square(None);
        without.write_fen(out);
    } else {
        setup.write_fen(out);
    }
    out.push(0);
}

/// Returns whether Scid can read this spelling of a FEN, which this crate can read. It must name
/// the side to move (section 4.2) and contain no NUL.
fn is_read_by_scid(fen: &[u8]) -> bool {
    let mut fields = fen
        .split(|&byte| byte == b' ')
        .filter(|field| !field.is_empty());
    fields.next().is_some() && matches!(fields.next(), Some(b"w" | b"b")) && !fen.contains(&0)
}

/// Returns whether Scid refuses to read a game with this start position (section 4.2): a side
/// without exactly one king or with more than sixteen pieces, a pawn on the first or last rank, or
/// a king that could be captured.
pub(crate) fn is_refused_by_scid(start: &Start) -> bool {
    let Start::Setup(setup) = start else {
        return false;
    };
    let board = &setup.board;
    let one_king = |color| board.pieces(color, PieceType::King).len() == 1;
    let few_pieces = |color| board.by_color(color).len() <= 16;
    let edges = Bitboard::rank(0).0 | Bitboard::rank(7).0;
    let fine = Color::ALL
        .into_iter()
        .all(|color| one_king(color) && few_pieces(color))
        && board.by_type(PieceType::Pawn).0 & edges == 0
        && !rules::in_check(board, board.turn().other());
    !fine
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rating_field_is_distinct_in_the_set() {
        let mut written = Written::default();
        for field in TAG_FIELDS.into_iter().chain(Color::ALL.map(Field::rating)) {
            assert!(written.insert(field));
            assert!(!written.insert(field));
        }
    }
}
