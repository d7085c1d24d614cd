//! The source text, which combines event, round and annotator (docs/formats/cbf.md, section 6).

use std::ops::Range;

use super::short_text::ShortText;

/// The position of a component in the text that remains without it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ComponentPosition {
    pub(super) offset: u8,
    /// Bit 0: a blank precedes it; bit 1: a blank follows it.
    pub(super) blanks: u8,
}

/// The components of a source text.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceText {
    /// The text without round and annotator.
    pub(super) rest: ShortText,
    /// The round without its parentheses.
    pub(super) round: Option<ShortText>,
    /// The annotator without its brackets.
    pub(super) annotator: Option<ShortText>,
    pub(super) round_place: ComponentPosition,
    pub(super) annotator_place: ComponentPosition,
}

const NOWHERE: ComponentPosition = ComponentPosition {
    offset: 0,
    blanks: 0,
};

impl SourceText {
    /// Parses a source text: first the annotator, then the round in the rest.
    pub(super) fn parse(text: &[u8]) -> SourceText {
        let mut source = SourceText {
            rest: ShortText::new(&[text]),
            round: None,
            annotator: None,
            round_place: NOWHERE,
            annotator_place: NOWHERE,
        };
        if let Some(range) = find_annotator(text) {
            source.annotator = Some(inner(text, &range));
            (source.rest, source.annotator_place) = cut(text, range);
        }
        // The annotator may contain parentheses and is therefore removed first.
        let text = source.rest;
        if let Some((round, rest, place)) = take_round(text.as_bytes()) {
            source.round = Some(round);
            (source.rest, source.round_place) = (rest, place);
        }
        source
    }

    /// Moves the round back into the rest.
    pub(super) fn keep_round(&mut self) {
        let whole = SourceText {
            annotator: None,
            ..*self
        }
        .restore();
        self.rest = ShortText::new(&[&whole]);
        self.round = None;
    }

    /// Returns the text with the components at their original positions.
    pub(super) fn restore(&self) -> Vec<u8> {
        let mut text = self.rest.as_bytes().to_vec();
        if let Some(round) = &self.round {
            text = insert_round(&text, self.round_place, round.as_bytes());
        }
        if let Some(annotator) = &self.annotator {
            text = insert_annotator(&text, self.annotator_place, annotator.as_bytes());
        }
        text
    }
}

/// Returns the components in their default order: `Event, Site (Round) [Annotator]`.
pub(super) fn compose(rest: &[u8], round: Option<&[u8]>, annotator: Option<&[u8]>) -> Vec<u8> {
    let mut text = rest.to_vec();
    let mut piece = |open, bytes: &[u8], close| {
        if !text.is_empty() {
            text.push(b' ');
        }
        text.push(open);
        text.extend_from_slice(bytes);
        text.push(close);
    };
    if let Some(round) = round {
        piece(b'(', round, b')');
    }
    if let Some(annotator) = annotator {
        piece(b'[', annotator, b']');
    }
    text
}

/// Returns the components with round and annotator first. This suits an event that contains
/// brackets, since the first brackets count.
pub(super) fn compose_in_front(
    rest: &[u8],
    round: Option<&[u8]>,
    annotator: Option<&[u8]>,
) -> Vec<u8> {
    let mut text = compose(b"", round, annotator);
    if !text.is_empty() && !rest.is_empty() {
        text.push(b' ');
    }
    text.extend_from_slice(rest);
    text
}

/// Extracts a round from a text. Returns the round, the rest, and the position of the round.
pub(super) fn take_round(text: &[u8]) -> Option<(ShortText, ShortText, ComponentPosition)> {
    let range = find_round(text)?;
    let round = inner(text, &range);
    let (rest, place) = cut(text, range);
    Some((round, rest, place))
}

/// Returns the range of the first parentheses that contain a round, including the parentheses.
fn find_round(text: &[u8]) -> Option<Range<usize>> {
    let mut from = 0;
    loop {
        let open = from + text.get(from..)?.iter().position(|byte| *byte == b'(')?;
        let inside = text.get(open + 1..)?;
        let length = inside.iter().position(|byte| *byte == b')')?;
        if is_round(inside.get(..length)?) {
            return Some(open..open + length + 2);
        }
        // A round may be inside other parentheses.
        from = open + 1;
    }
}

/// Returns true if a text is recognizable as a round: digits, `.`, `/` and `\`, optionally after
/// `m/`.
pub(super) fn is_round(text: &[u8]) -> bool {
    let number = text.strip_prefix(b"m/").unwrap_or(text);
    let is_allowed = |byte: &u8| byte.is_ascii_digit() || b"./\\".contains(byte);
    number.iter().all(is_allowed) && number.iter().any(u8::is_ascii_digit)
}

/// Returns the range of the first non-empty brackets, including the brackets.
fn find_annotator(text: &[u8]) -> Option<Range<usize>> {
    let open = text.iter().position(|byte| *byte == b'[')?;
    let length = text
        .get(open + 1..)?
        .iter()
        .position(|byte| *byte == b']')?;
    (length > 0).then_some(open..open + length + 2)
}

fn inner(text: &[u8], piece: &Range<usize>) -> ShortText {
    let inside = piece.start + 1..piece.end.saturating_sub(1);
    ShortText::new(&[text.get(inside).unwrap_or_default()])
}

/// Removes a component from the text, and one blank before it or, at the start of the text, after
/// it.
fn cut(text: &[u8], piece: Range<usize>) -> (ShortText, ComponentPosition) {
    let before = text.get(..piece.start).unwrap_or_default();
    let after = text.get(piece.end..).unwrap_or_default();
    // One blank goes with the component, and is noted so that the text can be restored.
    let (before, after, blanks) = match (before, after) {
        ([before @ .., b' '], after) => (before, after, 1),
        ([], [b' ', after @ ..]) => (&[][..], after, 2),
        _ => (before, after, 0),
    };
    let place = ComponentPosition {
        offset: before.len() as u8,
        blanks,
    };
    (ShortText::new(&[before, after]), place)
}

fn insert(text: &[u8], place: ComponentPosition, piece: &[&[u8]]) -> Vec<u8> {
    let offset = usize::from(place.offset).min(text.len());
    let (before, after) = text.split_at(offset);
    let blank = |bit| {
        if place.blanks & bit != 0 { &b" "[..] } else { b"" }
    };
    [before, blank(1), &piece.concat(), blank(2), after].concat()
}

impl ComponentPosition {
    /// Creates a position from two bytes of an extra.
    pub(super) fn new(offset: u8, blanks: u8) -> ComponentPosition {
        ComponentPosition { offset, blanks }
    }
}

/// Inserts a round into a text.
pub(super) fn insert_round(text: &[u8], place: ComponentPosition, round: &[u8]) -> Vec<u8> {
    insert(text, place, &[b"(", round, b")"])
}

/// Inserts an annotator into a text.
pub(super) fn insert_annotator(text: &[u8], place: ComponentPosition, annotator: &[u8]) -> Vec<u8> {
    insert(text, place, &[b"[", annotator, b"]"])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(text: &str) -> (String, Option<String>, Option<String>) {
        let source = SourceText::parse(text.as_bytes());
        let text = |short: &ShortText| String::from_utf8(short.as_bytes().to_vec()).unwrap();
        let (round, annotator) = (source.round.as_ref(), source.annotator.as_ref());
        (text(&source.rest), round.map(text), annotator.map(text))
    }

    #[test]
    fn source_parts_are_parsed() {
        let check = |text, rest: &str, round: Option<&str>, annotator: Option<&str>| {
            let (found, r, a) = parts(text);
            assert_eq!(
                (&*found, r.as_deref(), a.as_deref()),
                (rest, round, annotator),
                "{text}"
            );
        };
        check("Moskva wm (16)", "Moskva wm", Some("16"), None);
        check("Oslo (1) [Nutmeg,M]", "Oslo", Some("1"), Some("Nutmeg,M"));
        check("[Me] Oslo (3.2) op", "Oslo op", Some("3.2"), Some("Me"));
        check("Candidates (m/4)", "Candidates", Some("m/4"), None);
        check("Oslo (open) (2)", "Oslo (open)", Some("2"), None);
        check("(11)", "", Some("11"), None);
        check("Oslo (GM", "Oslo (GM", None, None);
        check("Oslo [] (.)", "Oslo [] (.)", None, None);
        check("[a(3)]", "", None, Some("a(3)"));
    }

    proptest! {
        #[test]
        fn every_source_comes_back(text in r"[ab ()\[\]1./m]{0,30}") {
            let source = SourceText::parse(text.as_bytes());
            prop_assert_eq!(source.restore(), text.as_bytes());
        }

        #[test]
        fn composed_sources_parse_back(rest in "[a-z]?[a-z ,.]{0,9}[a-z]?",
            round in prop::option::of("[0-9]{1,2}(\\.[0-9])?"), annotator in prop::option::of("[a-z(),]{1,6}")) {
            let (rest, round) = (rest.trim(), round.as_deref().map(str::as_bytes));
            let annotator = annotator.as_deref().map(str::as_bytes);
            for compose in [compose, compose_in_front] {
                let text = compose(rest.as_bytes(), round, annotator);
                let source = SourceText::parse(&text);
                prop_assert_eq!(source.rest.as_bytes(), rest.as_bytes());
                prop_assert_eq!(source.round.as_ref().map(ShortText::as_bytes), round);
                prop_assert_eq!(source.annotator.as_ref().map(ShortText::as_bytes), annotator);
            }
        }
    }
}
