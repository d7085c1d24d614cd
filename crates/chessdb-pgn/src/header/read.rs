//! Conversion of tags into the header of a game.

use chessdb_core::fen::{FenFault, FenNotes};
use chessdb_core::model::{
    DateDoubt, Eco, Field, GameFlags, Header, NamedResult, Rating, RatingKind, Tag, read_number,
};
use chessdb_core::text::{EncodingDetector, TextId, Texts};
use chessdb_core::{Charset, Date, Outcome, Setup, Start, Text};

use super::{bit, color_of};
use crate::moves::Rules;
use crate::raw::{TagPair, is_start_tag};

/// A finding about a tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TagFinding {
    /// No finding.
    Fine,
    /// A repeated tag. The first one counts; this one is kept verbatim.
    Repeated,
    /// A date in an ambiguous spelling.
    AmbiguousDate(DateDoubt),
    /// A FEN that had to be completed or interpreted.
    RepairedFen(FenNotes),
    /// A FEN that cannot be parsed, so the start position is unknown.
    BadFen(FenFault),
}

impl TagFinding {
    fn of_date(doubt: Option<DateDoubt>) -> TagFinding {
        doubt.map_or(TagFinding::Fine, TagFinding::AmbiguousDate)
    }
}

/// Reads the tags of one game.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct HeaderReader {
    seen: u32,
    others: u32,
    chess960: bool,
    /// Whether a tag `SetUp` announces a start position.
    setup: bool,
    /// Whether a tag of a field has other capitals, such as `[white "…"]`.
    has_other_capitals: bool,
    rules: Rules,
}

impl HeaderReader {
    /// Returns the number of tags without a typed field so far.
    pub(crate) fn others(&self) -> u32 {
        self.others
    }

    /// Returns the rules of the game.
    pub(crate) fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns whether a start position is announced but not given by a tag.
    pub(crate) fn lacks_start(&self) -> bool {
        self.setup && !self.has(Field::Fen)
    }

    /// Returns whether the tag was among those read.
    pub(crate) fn has(&self, field: Field) -> bool {
        self.seen & bit(field) != 0
    }

    /// Returns whether a tag since the last call had other capitals than its field.
    pub(crate) fn take_other_capitals(&mut self) -> bool {
        std::mem::take(&mut self.has_other_capitals)
    }

    /// Reads one tag. `buffer` is scratch memory.
    pub(crate) fn read(
        &mut self,
        pair: &TagPair<'_>,
        detector: &EncodingDetector,
        header: &mut Header,
        texts: &mut Texts,
        buffer: &mut Vec<u8>,
    ) -> TagFinding {
        let name = if is_start_tag(pair.name) { Field::Fen.tag().as_bytes() } else { pair.name };
        let field_and_kind = Field::of_tag(name).or_else(|| {
            let field = Field::of_tag_in_any_case(name);
            self.has_other_capitals |= field.is_some();
            field
        });
        let Some((field, kind)) = field_and_kind else {
            self.other(pair, detector, header, texts);
            if pair.name == b"UTCDate" {
                return TagFinding::of_date(Date::read(pair.value).1);
            }
            return TagFinding::Fine;
        };
        if self.has(field) {
            // Ratings of several kinds, such as Elo and USCF, fill the same field.
            if !matches!(field, Field::WhiteRating | Field::BlackRating) {
                self.other(pair, detector, header, texts);
                return TagFinding::Repeated;
            }
            if !self.give_way(field, header, texts) {
                self.other(pair, detector, header, texts);
                return TagFinding::Fine;
            }
        }
        self.seen |= bit(field);
        texts.begin();
        pair.unescape_into(texts);
        typed(field, kind, detector, header, texts, buffer)
    }

    /// Applies what depends on several tags. Must be called once, after all tags are read.
    pub(crate) fn finish(&self, header: &mut Header) {
        if self.chess960
            && let Start::Setup(setup) = &mut header.start
        {
            setup.chess960 = true;
        }
    }

    fn other(
        &mut self,
        pair: &TagPair<'_>,
        detector: &EncodingDetector,
        header: &mut Header,
        texts: &mut Texts,
    ) {
        self.others += 1;
        let name = texts.push(pair.name, detector.charset(pair.name));
        texts.begin();
        pair.unescape_into(texts);
        if pair.name.eq_ignore_ascii_case(b"SetUp") {
            self.setup |= texts.pending().trim_ascii() == b"1";
        }
        if pair.name.eq_ignore_ascii_case(b"Variant") {
            let variant = Text::new(texts.pending(), Charset::UTF_8);
            self.chess960 |= variant.names_chess960();
            self.rules = rules(variant);
        }
        let charset = detector.charset(texts.pending());
        let value = texts.finish(charset);
        header.tags.push(Tag::Other { name, value });
    }

    /// Moves an unreadable rating to the other tags, in favor of a rating of another kind. Returns
    /// whether there was one.
    fn give_way(&mut self, field: Field, header: &mut Header, texts: &mut Texts) -> bool {
        if header.player(color_of(field)).rating.is_some() {
            return false;
        }
        let unreadable = header.tags.iter_mut().find_map(|tag| match *tag {
            Tag::Verbatim(f, value) if f == field => Some((tag, value)),
            _ => None,
        });
        if let Some((tag, value)) = unreadable {
            let name = texts.push(field.tag().as_bytes(), Charset::UTF_8);
            *tag = Tag::Other { name, value };
            self.others += 1;
        }
        true
    }
}

/// Fills a typed field from the text under construction.
fn typed(
    field: Field,
    kind: RatingKind,
    detector: &EncodingDetector,
    header: &mut Header,
    texts: &mut Texts,
    buffer: &mut Vec<u8>,
) -> TagFinding {
    let color = color_of(field);
    let value = texts.pending();
    let charset = detector.charset(value);
    let mut finding = TagFinding::Fine;
    if header.text_of(field).is_some() {
        header.set_text(field, texts.finish(charset));
        if !Field::ROSTER.contains(&field) {
            header.tags.push(Tag::Place(field));
        }
        return finding;
    }
    buffer.clear();
    // Whether the typed value reproduces the text.
    let exact = match field {
        Field::Date => {
            let (date, doubt) = Date::read(value);
            header.date = date;
            finding = TagFinding::of_date(doubt);
            header.date.write_pgn(buffer);
            buffer == value
        }
        Field::EventDate => {
            let (date, doubt) = Date::read(value);
            header.event_date = date;
            finding = TagFinding::of_date(doubt);
            header.event_date.write_pgn(buffer);
            buffer == value && !header.event_date.is_unknown()
        }
        Field::Result => {
            header.outcome = outcome(value);
            header.outcome.as_pgn().as_bytes() == value
        }
        Field::WhiteRating | Field::BlackRating => {
            let (points, exact) = read_number(value);
            let points = points.and_then(|n| u16::try_from(n).ok());
            header.player_mut(color).rating = points.map(|value| Rating { value, kind });
            if points.is_none() && kind != RatingKind::Elo {
                // A verbatim text would not preserve the kind.
                let text = texts.finish(charset);
                let name = texts.push(kind.tag(color).as_bytes(), Charset::UTF_8);
                header.tags.push(Tag::Other { name, value: text });
                return finding;
            }
            exact && points.is_some()
        }
        Field::WhiteFideId | Field::BlackFideId => {
            let (id, exact) = read_number(value);
            header.player_mut(color).fide_id = id;
            exact
        }
        Field::Eco => {
            header.eco = Eco::from_ascii(value);
            let exact = header.eco.is_some();
            header.eco = header.eco.or_else(|| Eco::from_lenient_ascii(value));
            exact
        }
        Field::Flags => {
            header.flags = GameFlags::from_lenient_letters(value);
            header.flags.write_letters(buffer);
            buffer == value && !value.is_empty()
        }
        Field::Fen => match Setup::from_fen(value) {
            Ok((setup, notes)) => {
                setup.write_fen(buffer);
                header.start = Start::Setup(Box::new(setup));
                if !notes.is_empty() {
                    finding = TagFinding::RepairedFen(notes);
                }
                buffer == value
            }
            Err(fault) => {
                finding = TagFinding::BadFen(fault);
                false
            }
        },
        // `Field::of_tag` returns no other field.
        _ => false,
    };
    if !exact {
        let text: TextId = texts.finish(charset);
        header.tags.push(Tag::Verbatim(field, text));
    } else {
        texts.abort();
        if !Field::ROSTER.contains(&field) {
            header.tags.push(Tag::Place(field));
        }
    }
    finding
}

/// Returns the rules that a variant's name implies. Unknown variants are not played.
fn rules(variant: Text<'_>) -> Rules {
    let name = variant.as_bytes().trim_ascii_start();
    let is_atomic = |name: &[u8]| name.eq_ignore_ascii_case(b"atomic");
    if variant.names_standard_rules() {
        Rules::Chess
    } else if name.get(..6).is_some_and(is_atomic) {
        Rules::Atomic
    } else {
        Rules::Other
    }
}

fn outcome(text: &[u8]) -> Outcome {
    NamedResult::read(text).map_or(Outcome::Unknown, |named| named.outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_eco_codes() {
        for (text, eco) in [
            ("c44", Some("C44")),
            ("C4", Some("C40")),
            ("b07A", Some("B07a")),
            ("B07a5", Some("B07a")),
            (" B07a2 x", Some("B07a2")),
            ("C44 x", Some("C44")),
            ("Z99", None),
            ("?", None),
            ("", None),
            ("C", None),
        ] {
            let shown = Eco::from_lenient_ascii(text.as_bytes()).map(|eco| eco.to_string());
            assert_eq!(shown.as_deref(), eco, "{text}");
        }
    }

    #[test]
    fn odd_results() {
        assert_eq!(outcome(b"1/2"), Outcome::Draw);
        assert_eq!(outcome(" ½-½".as_bytes()), Outcome::Draw);
        assert_eq!(outcome(b"1-0 ff"), Outcome::WhiteWins);
        assert_eq!(outcome(b"0,5-0,5"), Outcome::Draw);
        assert_eq!(outcome(b"?"), Outcome::Unknown);
    }
}
