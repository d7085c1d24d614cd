//! Columns that hold PGN tags.

use chessdb_core::error::Location;
use chessdb_core::report::GameReport;
use chessdb_core::{Charset, ErrorKind, Game, Result, Text};
use chessdb_pgn::raw::{escape_into, is_tag_name};
use chessdb_pgn::read_embedded;

/// The tags of a row as PGN text, which is read as every PGN header is. So the spelling of a value
/// means the same in all formats.
#[derive(Default)]
pub(crate) struct Tags {
    text: Vec<u8>,
    result: Vec<u8>,
    /// The values with control characters, which PGN cannot contain.
    unprintable: Vec<(String, Vec<u8>)>,
    /// The names of the tags whose values are not UTF-8, the encoding of all texts.
    invalid: Vec<String>,
}

impl Tags {
    /// Adds a tag. Returns whether its name is possible in PGN.
    pub(crate) fn put(&mut self, name: &str, value: &[u8]) -> bool {
        if !is_tag_name(name.as_bytes()) {
            return false;
        }
        if std::str::from_utf8(value).is_err() {
            self.invalid.push(name.to_owned());
        }
        if name == "Result" {
            self.result = value.to_vec();
        }
        self.text.push(b'[');
        self.text.extend_from_slice(name.as_bytes());
        self.text.extend_from_slice(b" \"");
        let changes = escape_into(value, &mut self.text);
        self.text.extend_from_slice(b"\"]\n");
        if changes.layout || changes.text {
            self.unprintable.push((name.to_owned(), value.to_vec()));
        }
        true
    }

    /// Adds a tag whose value has PGN's escapes already: a backslash before quotation marks and
    /// backslashes.
    pub(crate) fn put_escaped(&mut self, name: &str, value: &[u8]) -> bool {
        if !value.contains(&b'\\') {
            return self.put(name, value);
        }
        let mut plain = Vec::with_capacity(value.len());
        let mut rest = value;
        while let [byte, after @ ..] = rest {
            rest = after;
            match (byte, after) {
                (b'\\', [escaped @ (b'\\' | b'"'), after @ ..]) => {
                    plain.push(*escaped);
                    rest = after;
                }
                _ => plain.push(*byte),
            }
        }
        self.put(name, &plain)
    }

    /// Fills the header of `game`, which loses everything else.
    pub(crate) fn read(
        mut self,
        location: Location,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        self.text.push(b'\n');
        self.end();
        self.read_text(false, location, game, report)
    }

    /// Fills `game` with the complete text.
    fn read_text(
        &self,
        has_moves: bool,
        location: Location,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        self.report_invalid(location, report)?;
        read_embedded(
            &self.text,
            report.options,
            !has_moves,
            location,
            game,
            report.scratch,
        )?;
        let detector = report.options.detector(Charset::WINDOWS_1252);
        // PGN cannot contain these values, so they do not pass through its reader.
        for (name, value) in self.unprintable.iter().filter(|(name, _)| name != "FEN") {
            let value = Text::new(value, detector.charset(value));
            game.set_tag(name, &value.decode());
        }
        Ok(())
    }

    /// Reports the texts that are not UTF-8, unless the caller has chosen another encoding.
    fn report_invalid(&self, location: Location, report: &mut GameReport<'_>) -> Result<()> {
        if report.options.charset.is_some() {
            return Ok(());
        }
        for name in &self.invalid {
            let what = format!(
                "the text of {name} is not UTF-8; if it has another encoding, name it with -e"
            );
            report.lost(ErrorKind::Other(what.into()), location)?;
        }
        Ok(())
    }

    /// Notes a text of this name that is not a tag.
    pub(crate) fn check_text(&mut self, name: &str, text: &[u8]) {
        if std::str::from_utf8(text).is_err() {
            self.invalid.push(name.to_owned());
        }
    }

    /// Adds the result at the end of a game.
    fn end(&mut self) {
        self.text.extend_from_slice(match self.result.as_slice() {
            result @ (b"1-0" | b"0-1" | b"1/2-1/2") => result,
            _ => b"*",
        });
        self.text.push(b'\n');
    }

    /// Fills `game` with these tags and this movetext, with or without a result at its end, or only
    /// its header.
    ///
    /// The PGN reader gets the movetext for the header, too, unless nothing in it matters: all bytes
    /// of a game decide about its charset, and a result or a tag may be anywhere in the movetext.
    pub(crate) fn read_with(
        mut self,
        movetext: &[u8],
        has_moves: bool,
        location: Location,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        self.check_text("the moves and comments", movetext);
        let trimmed = movetext.trim_ascii_end();
        let word = trimmed.rsplit(u8::is_ascii_whitespace).next();
        let last = word.unwrap_or_default();
        let is_result = matches!(last, b"1-0" | b"0-1" | b"1/2-1/2" | b"*");
        let before = trimmed.strip_suffix(last).unwrap_or(trimmed);
        if !has_moves && is_result && last == self.result && !may_change_header(before) {
            return self.read(location, game, report);
        }
        self.text.push(b'\n');
        self.text.extend_from_slice(movetext);
        self.text.push(b'\n');
        if !is_result {
            self.end();
        }
        self.read_text(has_moves, location, game, report)
    }

    /// Fills `game` with a PGN game, whose tags these replace, or only its header.
    pub(crate) fn read_over(
        mut self,
        pgn: &[u8],
        has_moves: bool,
        location: Location,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        self.check_text("the game", pgn);
        read_embedded(
            pgn,
            report.options,
            !has_moves,
            location,
            game,
            report.scratch,
        )?;
        let mut header = Game::new();
        self.read(location, &mut header, report)?;
        for (name, value) in header.tags() {
            // The moves depend on the start position that was read with them. Absent tags of the
            // roster have these values.
            let is_absent = matches!(&*value, "?" | "????.??.??" | "*");
            if !is_absent && !matches!(&*name, "FEN" | "SetUp") {
                game.set_tag(&name, &value);
            }
        }
        Ok(())
    }
}

/// Returns whether there may be a result, a tag, or a letter beyond ASCII in this part of a movetext.
/// It has no branches, so that it is vectorized.
fn may_change_header(movetext: &[u8]) -> bool {
    let signs = movetext.iter().fold(0, |seen, &byte| {
        let is_sign = matches!(byte, b'*' | b'[' | b':' | b'/');
        seen | byte & 0x80 | u8::from(is_sign)
    });
    let right = movetext.iter().skip(2);
    let triples = movetext.iter().zip(movetext.iter().skip(1)).zip(right);
    let dashes = triples.fold(false, |seen, ((left, sign), right)| {
        let is_digits = matches!(left, b'0'..=b'2') & matches!(right, b'0' | b'1');
        seen | (*sign == b'-') & is_digits
    });
    dashes | (signs != 0)
}
