//! The tags of a game, including FEN tags in irregular form.

use chessdb_core::model::Field;
use chessdb_core::{ErrorKind, Result, Severity};

use super::GameReader;
use crate::header::TagFinding;
use crate::raw::{OTHER_QUOTES, TagPair, Token, is_start_tag};
use crate::report::ReportOnce;

/// The finding about a start position that [`malformed_start_tag`] found.
pub(super) const UNUSUAL_START: &str = "a FEN tag with quotes around its value only";

impl GameReader<'_, '_, '_> {
    pub(super) fn tag(
        &mut self,
        token: Token,
        text: &[u8],
        pair: Option<TagPair<'_>>,
    ) -> Result<()> {
        let Some(pair) = pair else { return Ok(()) };
        let limits = &self.report.options.limits;
        if self.tags.others() >= limits.tags {
            let what = "tags in a game";
            return self
                .report
                .once(ReportOnce::Tags, what, limits.tags, token, None);
        }
        let bytes = pair.name.len() + pair.value.len();
        if let Err(over) = self.texts.check_room(bytes, limits) {
            let (what, limit) = (over.what(), over.limit(limits));
            return self
                .report
                .once(ReportOnce::Texts, what, limit, token, None);
        }
        if self.is_overwritten(pair.value) {
            let kind = ErrorKind::Structure("a tag contains bytes that are not text");
            self.add_finding(Severity::Lost, kind, token)?;
        }
        if let Some(expected) = pair.fault {
            // The rest of the tag was lost to another tag that begins within it.
            let severity = match self.source.bytes.get(token.end) {
                _ if expected == UNUSUAL_START => Severity::Repaired,
                Some(b'[') if expected != OTHER_QUOTES => Severity::Lost,
                None if self.source.followed && expected != OTHER_QUOTES => Severity::Lost,
                _ if expected == OTHER_QUOTES => Severity::Note,
                _ => Severity::Repaired,
            };
            self.add_finding(severity, ErrorKind::syntax(expected, text), token)?;
        }
        if is_start_tag(pair.name) && pair.name != Field::Fen.tag().as_bytes() {
            let kind = ErrorKind::Structure("the FEN tag in another spelling");
            self.add_finding(Severity::Note, kind, token)?;
        } else if let Some(b':' | b'=') = pair.name.last() {
            let what = "the name of a tag ends with a colon or an equals sign";
            self.add_finding(Severity::Note, ErrorKind::Structure(what), token)?;
        }
        let finding = self
            .tags
            .read(&pair, &self.detector, self.header, self.texts, self.buffer);
        if self.tags.take_other_capitals() {
            let kind = ErrorKind::Structure("a tag in other capitals was read as the usual tag");
            self.add_finding(Severity::Note, kind, token)?;
        }
        match finding {
            TagFinding::Fine => Ok(()),
            TagFinding::Repeated => {
                let kind = ErrorKind::Structure("a duplicate tag");
                self.add_finding(Severity::Note, kind, token)
            }
            TagFinding::AmbiguousDate(doubt) => {
                // The text of the tag stays.
                let severity = Severity::Note;
                self.add_finding(severity, ErrorKind::Structure(doubt.as_str()), token)
            }
            TagFinding::RepairedFen(notes) => {
                let kind = ErrorKind::Other(format!("FEN: {notes}").into());
                self.add_finding(Severity::Note, kind, token)
            }
            TagFinding::BadFen(fault) => {
                self.moves.refuse();
                let kind = ErrorKind::syntax(fault.expected, pair.value);
                self.add_finding(Severity::Lost, kind, token)
            }
        }
    }
}

/// Returns the FEN in a line meant as the tag FEN: without quotes, with a colon or an equals sign, or
/// with quotes around its name.
#[cold]
pub(super) fn malformed_start_tag(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_prefix(b"[")?.trim_ascii_start();
    let unquoted = line.strip_prefix(b"\"").or(line.strip_prefix(b"'"));
    let (name, rest) = unquoted.unwrap_or(line).split_at_checked(3)?;
    let mut value = rest.trim_ascii_end();
    if unquoted.is_some() {
        // Other tags may follow on the line.
        let bracket = memchr::memchr(b']', value).map(|end| value.get(..end));
        value = bracket.flatten().unwrap_or(value);
    }
    let value = value.strip_suffix(b"]").unwrap_or(value);
    let is_mark = |byte: &u8| byte.is_ascii_whitespace() || b":=\"'".contains(byte);
    let length = value.iter().take_while(|byte| is_mark(byte)).count();
    let value = value.get(length..)?;
    let end = value.iter().rev().take_while(|byte| is_mark(byte)).count();
    let value = value.get(..value.len().checked_sub(end)?)?;
    (is_start_tag(name) && length > 0 && value.contains(&b'/')).then_some(value)
}
