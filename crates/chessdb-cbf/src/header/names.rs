//! The names contained in the two texts of a record (docs/formats/cbf.md, section 6).

use super::players;
use super::short_text::ShortText;
use super::source::{SourceText, compose, take_round};

/// The names as displayed; `None` where the texts do not contain a name.
#[derive(Clone, Debug)]
pub(super) struct ParsedNames {
    pub(super) white: Option<ShortText>,
    pub(super) black: Option<ShortText>,
    pub(super) event: Option<ShortText>,
    pub(super) round: Option<ShortText>,
    pub(super) annotator: Option<ShortText>,
    /// The content of [`crate::extras::HYPHENS`].
    pub(super) hyphens: Option<Vec<u8>>,
    /// The content of [`crate::extras::ROUND_PLACE`], if the round is not at its default position.
    pub(super) round_place: Option<[u8; 3]>,
    /// The content of [`crate::extras::ANNOTATOR_PLACE`], if the annotator is not at its default
    /// position.
    pub(super) annotator_place: Option<[u8; 2]>,
}

impl ParsedNames {
    /// Parses both texts.
    pub(super) fn parse(players: &[u8], source: &[u8]) -> ParsedNames {
        let mut names = ParsedNames {
            white: None,
            black: None,
            event: None,
            round: None,
            annotator: None,
            hyphens: None,
            round_place: None,
            annotator_place: None,
        };
        match take_round(players) {
            Some((round, rest, place)) => {
                names.round = Some(round);
                names.round_place = Some([1, place.offset, place.blanks]);
                names.read_players(rest.as_bytes());
            }
            None => names.read_players(players),
        }
        names.read_source(source);
        names
    }

    fn read_players(&mut self, players: &[u8]) {
        let (white, black) = players::split(players);
        // A lone hyphen separates two empty names. With Black alone White is missing.
        let nothing = white.is_empty() && black.is_none_or(|black| !black.is_empty());
        self.white = (!nothing).then(|| displayed(white));
        self.black = black.map(displayed);
        self.hyphens = players::hyphens(white, black.unwrap_or_default());
    }

    fn read_source(&mut self, text: &[u8]) {
        let non_empty = |text: &[u8]| (!text.is_empty()).then(|| ShortText::new(&[text]));
        if !text.iter().any(|byte| matches!(byte, b'(' | b'[')) {
            self.event = non_empty(text);
            return;
        }
        let mut source = SourceText::parse(text);
        if self.round.is_some() {
            // The round in the players' text takes precedence; one in the source stays part of the
            // event.
            source.keep_round();
        }
        self.annotator = source.annotator;
        if source.round.is_some() {
            self.round = source.round;
        }
        self.event = non_empty(source.rest.as_bytes());
        let bytes = |name: &Option<ShortText>| name.as_ref().map(|name| name.as_bytes().to_vec());
        let (round, annotator) = (bytes(&source.round), bytes(&source.annotator));
        // A source in the default order needs no extras.
        if compose(
            source.rest.as_bytes(),
            round.as_deref(),
            annotator.as_deref(),
        ) != text
        {
            let (r, a) = (source.round_place, source.annotator_place);
            if round.is_some() {
                self.round_place = Some([0, r.offset, r.blanks]);
            }
            if annotator.is_some() {
                self.annotator_place = Some([a.offset, a.blanks]);
            }
        }
    }
}

/// Returns a name as displayed, with a hyphen for each underscore.
fn displayed(name: &[u8]) -> ShortText {
    let mut displayed = ShortText::new(&[name]);
    for byte in displayed
        .bytes_mut()
        .iter_mut()
        .filter(|byte| **byte == b'_')
    {
        *byte = b'-';
    }
    displayed
}
