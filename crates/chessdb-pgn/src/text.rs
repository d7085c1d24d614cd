//! Charsets of games, white space in comments, and conversion of texts for writing.

use chessdb_core::text::{EncodingDetector, KnownTokens, Texts};
use chessdb_core::{Charset, ReadOptions, Text, commands};

use crate::raw::{hide_tags, is_blank};

/// Returns the detector of the charset of a game's texts (docs/formats/pgn.md, section 3). Bytes that
/// are not UTF-8 are in the given or detected code page, or in windows-1252.
pub(crate) fn detector_of(
    game: &[u8],
    options: &ReadOptions,
    tokens: &mut KnownTokens,
) -> EncodingDetector {
    options
        .detector(Charset::WINDOWS_1252)
        .around_known(game, tokens)
}

/// Returns the offset of the first byte that is not UTF-8, in a UTF-8 file with stray bytes.
pub(crate) fn first_stray(game: &[u8], options: &ReadOptions) -> Option<usize> {
    let guess = options
        .guess
        .as_ref()
        .filter(|_| options.charset.is_none())?;
    guess.strays?;
    std::str::from_utf8(game)
        .err()
        .map(|error| error.valid_up_to())
}

/// Puts the text between the braces of a comment into the arena's text under construction.
///
/// White space around line breaks is layout: with one break it becomes a space, with more it
/// becomes that many breaks, and at either end nothing. Other blanks at the ends are kept, except
/// between a brace and a command.
///
/// With `preserve_comment_whitespace`, line breaks and all blanks at the ends of the comment are
/// kept.
pub(crate) fn comment_into(comment: &[u8], preserve_comment_whitespace: bool, texts: &mut Texts) {
    texts.begin();
    if memchr::memchr2(b'\n', b'\r', comment).is_none() {
        texts.extend(if preserve_comment_whitespace { comment } else { within_commands(comment) });
        return;
    }
    let mut rest = comment;
    while let Some(length) = memchr::memchr2(b'\n', b'\r', rest) {
        let (before, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        let text = trim_end(before);
        texts.extend(text);
        let blanks = after.iter().take_while(|&&b| is_blank(b)).count();
        let (run, tail) = after.split_at_checked(blanks).unwrap_or((after, &[]));
        rest = tail;
        if texts.pending().is_empty() || rest.is_empty() {
            continue;
        }
        match count_breaks(run) {
            1 if !preserve_comment_whitespace => texts.push_byte(b' '),
            breaks => (0..breaks).for_each(|_| texts.push_byte(b'\n')),
        }
    }
    texts.extend(rest);
    if !preserve_comment_whitespace {
        trim_to_commands(texts);
    }
}

/// Removes blanks that hide the commands of the text under construction.
fn trim_to_commands(texts: &mut Texts) {
    let folded = texts.pending();
    let (start, length) = {
        let within = within_commands(folded);
        let start = folded.len() - trim_start(folded).len();
        (
            if within.len() == folded.len() { 0 } else { start },
            within.len(),
        )
    };
    texts.skip_pending(start);
    texts.truncate_pending(length);
}

fn trim_start(mut text: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = text
        && is_blank(*first)
    {
        text = rest;
    }
    text
}

fn trim_end(mut text: &[u8]) -> &[u8] {
    while let [rest @ .., last] = text
        && is_blank(*last)
    {
        text = rest;
    }
    text
}

/// Returns the comment without blanks at its ends if they would hide its commands from
/// [`commands::parse_leading`], and unchanged otherwise.
fn within_commands(comment: &[u8]) -> &[u8] {
    let (Some(first), Some(last)) = (comment.first(), comment.last()) else {
        return comment;
    };
    if !is_blank(*first) && !is_blank(*last) {
        return comment;
    }
    let trimmed = trim_end(trim_start(comment));
    if !trimmed.starts_with(b"[%") {
        return comment;
    }
    let taken = commands::parse_leading(trimmed, &mut |_| {});
    let hidden = if is_blank(*first) { taken > 0 } else { taken == trimmed.len() };
    if hidden { trimmed } else { comment }
}

/// Counts the line breaks in a run of blanks; CR LF is one.
fn count_breaks(run: &[u8]) -> usize {
    let mut breaks = 0;
    let mut before = 0;
    for &b in run {
        breaks += usize::from(b == b'\r' || b == b'\n' && before != b'\r');
        before = b;
    }
    breaks
}

/// The changes made so that a comment fits between braces.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct CommentChanges {
    /// Whether characters changed.
    pub(crate) text: bool,
    /// Whether line breaks changed.
    pub(crate) layout: bool,
}

/// Makes bytes fit between braces and returns the changes. `}` becomes `)` (a comment to the end of
/// the line could contain it, but pgn-extract refuses those). Carriage returns become line breaks,
/// or are removed before one. Where a reader would see the tag section of the next game, a line
/// break becomes a blank, or the bracket of a tag `(`.
pub(crate) fn make_safe(comment: &mut Vec<u8>) -> CommentChanges {
    let mut changed = CommentChanges::default();
    if memchr::memchr3(b'\r', b'}', b'[', comment).is_none() {
        return changed;
    }
    if memchr::memchr(b'\r', comment).is_some() {
        changed.layout = true;
        let mut after_return = false;
        comment.retain_mut(|b| {
            let second = after_return && *b == b'\n';
            after_return = *b == b'\r';
            if after_return {
                *b = b'\n';
            }
            !second
        });
    }
    for b in comment.iter_mut().filter(|b| **b == b'}') {
        *b = b')';
        changed.text = true;
    }
    let event = memchr::memmem::find_iter(comment, b"\n[Event \"").collect::<Vec<_>>();
    for offset in event {
        if let Some(b) = comment.get_mut(offset) {
            *b = b' ';
            changed.layout = true;
        }
    }
    changed.text |= hide_tags(comment);
    changed
}

/// The limit above which a line that quotes tags may have to change.
const LONG_LINE: usize = 32 << 10;

/// Returns whether a comment is one line of ASCII that [`make_safe`] would not change, as most are.
pub(crate) fn is_safe_line(comment: &[u8]) -> bool {
    // Free of branches, so that it is vectorized.
    let odd = |byte: u8| {
        let sign = (byte == b'\n') | (byte == b'\r') | (byte == b'}') | (byte == b'{');
        byte & 0x80 | u8::from(sign)
    };
    if comment.len() > LONG_LINE {
        return false;
    }
    let Some(last) = comment.last_chunk::<16>() else {
        return comment.iter().all(|&byte| odd(byte) == 0);
    };
    // The last bytes may overlap the preceding ones.
    let (chunks, _) = comment.as_chunks::<16>();
    let mut seen = [0; 16];
    for chunk in chunks.iter().chain([last]) {
        for (flags, &byte) in seen.iter_mut().zip(chunk) {
            *flags |= odd(byte);
        }
    }
    u128::from_ne_bytes(seen) == 0
}

/// Returns whether a comment that [`make_safe`] would not change is read back exactly: the same
/// text, beginning with this number of commands.
#[cfg(test)]
pub(crate) fn is_read_back(comment: &[u8], commands: usize) -> bool {
    are_commands_read_back(comment, commands) && are_lines_read_back(comment)
}

/// Returns whether a one-line comment is read back exactly, with this number of commands.
pub(crate) fn are_commands_read_back(comment: &[u8], commands: usize) -> bool {
    if within_commands(comment).len() != comment.len() {
        return false;
    }
    if !comment.starts_with(b"[%") && commands == 0 {
        return true;
    }
    let mut count = 0;
    commands::parse_leading(comment, &mut |_| count += 1);
    count == commands
}

/// Returns whether the line breaks of a comment are read back exactly.
pub(crate) fn are_lines_read_back(comment: &[u8]) -> bool {
    let mut offset = 0;
    while let Some(n) = memchr::memchr(b'\n', comment.get(offset..).unwrap_or_default()) {
        let start = offset + n;
        let rest = comment.get(start..).unwrap_or_default();
        let breaks = rest.iter().take_while(|&&b| b == b'\n').count();
        offset = start + breaks;
        let before = start.checked_sub(1).and_then(|n| comment.get(n));
        let after = comment.get(offset);
        let inside = |b: Option<&u8>| b.is_some_and(|&b| !is_blank(b));
        if breaks < 2 || !inside(before) || !inside(after) {
            return false;
        }
    }
    true
}

/// Appends a text as UTF-8. Returns the number of characters that could not be decoded.
pub(crate) fn append_utf8(text: Text<'_>, out: &mut Vec<u8>) -> usize {
    let bytes = text.as_bytes();
    if bytes.is_ascii() || text.charset() == Charset::UTF_8 && std::str::from_utf8(bytes).is_ok() {
        out.extend_from_slice(bytes);
        return 0;
    }
    if text.charset() != Charset::UTF_8 {
        return text.convert_into(Charset::UTF_8, out);
    }
    // Marked as UTF-8, but invalid: one such text would make a reader doubt the whole game.
    let mut lost = 0;
    for chunk in bytes.utf8_chunks() {
        out.extend_from_slice(chunk.valid().as_bytes());
        if !chunk.invalid().is_empty() {
            lost += 1;
            out.extend_from_slice("\u{FFFD}".as_bytes());
        }
    }
    lost
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(comment: &[u8]) -> Vec<u8> {
        let mut texts = Texts::new();
        comment_into(comment, false, &mut texts);
        texts.pending().to_vec()
    }

    #[test]
    fn layout_can_be_kept() {
        for (comment, text) in [
            ("a b", "a b"),
            (" a\tb ", " a\tb "),
            ("a \r\n  b", "a\nb"),
            ("a\n\nb", "a\n\nb"),
            ("\n a\n", "a"),
            (" [%clk 0:01:00] ", " [%clk 0:01:00] "),
            (" [%clk 0:01:00]\nx ", " [%clk 0:01:00]\nx "),
        ] {
            let mut texts = Texts::new();
            comment_into(comment.as_bytes(), true, &mut texts);
            assert_eq!(texts.pending(), text.as_bytes(), "{comment:?}");
        }
    }

    #[test]
    fn line_breaks_are_layout() {
        for (comment, text) in [
            ("a b", "a b"),
            (" a b ", " a b "),
            ("a\nb", "a b"),
            ("a \r\n  b", "a b"),
            ("a\rb\tc  d", "a b\tc  d"),
            ("a\n\nb", "a\n\nb"),
            ("a \n \r\n\t\n b", "a\n\n\nb"),
            ("\n a\n", "a"),
            (" \n\n ", ""),
            ("", ""),
            (" [%clk 0:01:00] ", "[%clk 0:01:00]"),
            (" [%clk 0:01:00] x ", "[%clk 0:01:00] x"),
            ("[%clk 0:01:00] x ", "[%clk 0:01:00] x "),
            (
                "[%eval 0.10] [%clk 0:01:00] ",
                "[%eval 0.10] [%clk 0:01:00]",
            ),
            (" [%clk 1] ", " [%clk 1] "),
            (
                " [%eval 0.10]\n[%clk 0:01:00] x\ny ",
                "[%eval 0.10] [%clk 0:01:00] x y",
            ),
            ("x [%clk 0:01:00] ", "x [%clk 0:01:00] "),
        ] {
            assert_eq!(
                String::from_utf8(read(comment.as_bytes())).unwrap(),
                text,
                "{comment:?}"
            );
        }
    }

    #[test]
    fn make_safe_replaces_braces_and_game_starts() {
        for (comment, safe) in [
            ("a} {b", Some("a) {b")),
            ("a\r\nb\rc", Some("a\nb\nc")),
            ("a\n\n[Event \"x\"]", Some("a\n [Event \"x\"]")),
            ("[Event \"x\"] {", None),
            (
                "[x] [FEN \"x\"] [Site \"y\"] {",
                Some("[x] (FEN \"x\"] [Site \"y\"] {"),
            ),
            ("{ [Event \"x\"]", None),
            ("[Event \"x\"]", None),
            ("plain", None),
        ] {
            let mut bytes = comment.as_bytes().to_vec();
            assert_eq!(
                make_safe(&mut bytes) != CommentChanges::default(),
                safe.is_some()
            );
            assert_eq!(bytes, safe.unwrap_or(comment).as_bytes());
        }
    }

    #[test]
    fn detector_finds_charset_of_texts() {
        let (utf8, koi8) = (Charset::UTF_8, Charset::KOI8_R);
        let options = |page| ReadOptions::default().with_charset(page);
        let detector = detector_of(
            "Öl".as_bytes(),
            &options(Some(koi8)),
            &mut KnownTokens::default(),
        );
        assert_eq!(detector.charset("Öl".as_bytes()), utf8);
        let detector = detector_of(
            "Öl\nJérôme".as_bytes(),
            &options(None),
            &mut KnownTokens::default(),
        );
        assert_eq!(detector.charset("Jérôme".as_bytes()), utf8);
        for (page, page_found) in [(None, Charset::WINDOWS_1252), (Some(koi8), koi8)] {
            let detector = detector_of(
                b"J\xC3\xA9r\xC3\xB4me \xD6l",
                &options(page),
                &mut KnownTokens::default(),
            );
            assert_eq!(detector.charset(b"plain"), utf8);
            assert_eq!(detector.charset("Jérôme".as_bytes()), utf8);
            assert_eq!(detector.charset(b"\xD6l"), page_found);
            let both = detector.charset(b"J\xC3\xA9r\xC3\xB4me \xD6l");
            assert_eq!(both, page_found.beside_utf8());
        }
    }

    #[test]
    fn invalid_utf_8_is_replaced() {
        let mut out = Vec::new();
        assert_eq!(
            append_utf8(Text::new(b"a\xFFb", Charset::UTF_8), &mut out),
            1
        );
        assert_eq!(
            append_utf8(Text::new(b"\xD6", Charset::LATIN_1), &mut out),
            0
        );
        assert_eq!(out, "a\u{FFFD}bÖ".as_bytes());
    }

    proptest! {
        #[test]
        fn safe_lines_are_known(comment in "[a-z }\n\ré]{0,3}[a-z ]{0,70}[a-z }\n\ré]{0,2}[a-z ]{0,20}") {
            let bytes = comment.as_bytes();
            let safe = comment.is_ascii()
                && !bytes.contains(&b'\n')
                && !bytes.contains(&b'{')
                && make_safe(&mut bytes.to_vec()) == CommentChanges::default();
            prop_assert_eq!(is_safe_line(bytes), safe);
            if safe {
                prop_assert_eq!(is_read_back(bytes, 0), are_commands_read_back(bytes, 0));
            }
        }

        #[test]
        fn what_is_read_back_is_known(comment in r"[ab \n\t\[%]{0,12}|(\[%clk 0:01:00\])?[ \n]{0,3}[ab ]{0,3}[ \n]{0,3}") {
            let comment = comment.as_bytes();
            let mut commands = 0;
            commands::parse_leading(comment, &mut |_| commands += 1);
            prop_assert_eq!(read(comment) == comment, is_read_back(comment, commands));
            prop_assert!(!is_read_back(comment, commands + 1));
        }

        #[test]
        fn reading_twice_changes_nothing_more(comment in r"[ab \n\r\t]{0,16}") {
            let once = read(comment.as_bytes());
            prop_assert_eq!(&read(&once), &once);
        }
    }
}
