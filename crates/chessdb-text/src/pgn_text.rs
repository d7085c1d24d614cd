//! A game as PGN, which the PGN reader then reads. So a game means the same in every text format.

use chessdb_core::error::Location;
use chessdb_core::model::Field;
use chessdb_core::report::GameReport;
use chessdb_core::{ErrorKind, Outcome, Result};
use chessdb_pgn::raw::{EscapeChanges, append_tag_name, escape_into};

/// A PGN text under construction: tags, then moves.
#[derive(Debug)]
pub(crate) struct PgnText<'t, 'o> {
    text: &'t mut Vec<u8>,
    /// The location of the record in its file.
    pub(crate) location: Location,
    pub(crate) report: &'t mut GameReport<'o>,
    /// Whether only the header is needed.
    pub(crate) headers_only: bool,
    has_changed: bool,
    in_moves: bool,
}

impl<'t, 'o> PgnText<'t, 'o> {
    /// Creates an empty text in this buffer.
    pub(crate) fn new(
        text: &'t mut Vec<u8>,
        headers_only: bool,
        location: Location,
        report: &'t mut GameReport<'o>,
    ) -> PgnText<'t, 'o> {
        text.clear();
        PgnText {
            text,
            location,
            report,
            headers_only,
            has_changed: false,
            in_moves: false,
        }
    }

    /// Appends a tag. A name that PGN does not allow loses its other characters.
    pub(crate) fn tag(&mut self, name: &str, value: impl AsRef<[u8]>) {
        self.text.push(b'[');
        append_tag_name(name.as_bytes(), self.text);
        self.finish_tag(value.as_ref());
    }

    /// Appends a tag with a name that PGN defines, which need not be examined.
    pub(crate) fn known_tag(&mut self, name: &'static str, value: &[u8]) {
        self.text.push(b'[');
        self.text.extend_from_slice(name.as_bytes());
        self.finish_tag(value);
    }

    fn finish_tag(&mut self, value: &[u8]) {
        self.text.extend_from_slice(b" \"");
        let EscapeChanges { text, layout } = escape_into(value, self.text);
        self.has_changed |= text || layout;
        self.text.extend_from_slice(b"\"]\n");
    }

    /// Appends a tag unless the value is empty.
    pub(crate) fn tag_if_any(&mut self, name: &str, value: impl AsRef<[u8]>) {
        if !value.as_ref().is_empty() {
            self.tag(name, value);
        }
    }

    /// Appends a tag that has no meaning in PGN, under its own name unless PGN defines that.
    pub(crate) fn foreign_tag(&mut self, prefix: &str, name: &str, value: impl AsRef<[u8]>) {
        if Field::of_tag(name.as_bytes()).is_some()
            || Field::of_tag_in_any_case(name.as_bytes()).is_some()
            || matches!(name, "SetUp" | "FEN" | "Variant")
        {
            self.tag(&format!("{prefix}{name}"), value)
        } else {
            self.tag(name, value)
        }
    }

    /// Appends the roster of a position, which has no players.
    pub(crate) fn roster(
        &mut self,
        event: impl AsRef<[u8]>,
        site: impl AsRef<[u8]>,
        result: Outcome,
    ) {
        self.tag("Event", event);
        self.tag("Site", site);
        self.tag("Date", "????.??.??");
        self.tag("Round", "?");
        self.tag("White", "?");
        self.tag("Black", "?");
        self.tag("Result", result.as_pgn());
    }

    /// Appends the start position.
    pub(crate) fn start(&mut self, fen: impl AsRef<[u8]>) {
        self.tag("SetUp", "1");
        self.tag("FEN", fen);
    }

    /// Appends text with tags or moves that is PGN already.
    pub(crate) fn raw(&mut self, pgn: &[u8]) {
        self.text.extend_from_slice(pgn);
    }

    /// Appends a word of the moves.
    pub(crate) fn word(&mut self, word: impl AsRef<[u8]>) {
        if !std::mem::replace(&mut self.in_moves, true) {
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(word.as_ref());
        self.text.push(b' ');
    }

    /// Appends a comment.
    pub(crate) fn comment(&mut self, text: &str) {
        self.has_changed |= text.contains('}');
        self.word(format!("{{{}}}", text.trim().replace('}', ")")));
    }

    /// Appends the result and reports texts that PGN cannot hold.
    pub(crate) fn end(&mut self, result: &str) -> Result<()> {
        self.word(result);
        if self.has_changed {
            let kind = ErrorKind::Structure(
                "control characters in a text became spaces, or braces parentheses",
            );
            self.report.lost(kind, self.location)?;
        }
        Ok(())
    }
}

/// Returns whether a word may stand among moves: no sign that means something else there.
pub(crate) fn is_move_word(word: &[u8]) -> bool {
    let is_sign = |byte: &u8| matches!(byte, b'-' | b'+' | b'#' | b'=' | b'!' | b'?' | b'@');
    word.iter()
        .all(|byte| byte.is_ascii_alphanumeric() || is_sign(byte))
        && word.iter().any(u8::is_ascii_alphabetic)
        || word == b"--"
}
