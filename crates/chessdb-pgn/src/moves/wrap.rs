//! Tokens on lines of a limited width.

use memchr::memchr2;

use crate::raw::is_blank;

/// Puts tokens after one another, a space or a line break between them.
///
/// A token is written where it seems to belong; if its line is then too long, the space before it
/// becomes a line break. So nothing is written twice, and no length is needed beforehand.
pub(super) struct LineWrapper<'o> {
    pub(super) out: &'o mut Vec<u8>,
    width: usize,
    /// Where the last line starts.
    line: usize,
    /// The last place where a line may be broken.
    space: Option<usize>,
    /// Whether the next token follows without a space.
    glued: bool,
}

impl<'o> LineWrapper<'o> {
    /// Begins on a new line; a width of 0 means no limit.
    pub(super) fn new(out: &'o mut Vec<u8>, width: usize) -> LineWrapper<'o> {
        let line = out.len();
        LineWrapper {
            out,
            width: if width == 0 { usize::MAX } else { width },
            line,
            space: None,
            glued: false,
        }
    }

    /// Before a token.
    #[inline]
    pub(super) fn begin(&mut self) {
        if std::mem::take(&mut self.glued) || self.out.len() == self.line {
            return;
        }
        self.space = Some(self.out.len());
        self.out.push(b' ');
    }

    /// After a token.
    #[inline]
    pub(super) fn end(&mut self) {
        if self.out.len() - self.line > self.width {
            self.wrap();
        }
    }

    #[cold]
    fn wrap(&mut self) {
        let line = self.out.get(self.line..).unwrap_or_default();
        // Characters count, not the bytes by which UTF-8 continues one.
        let width = line.iter().filter(|&&b| b & 0xC0 != 0x80).count();
        if width <= self.width {
            return;
        }
        if let Some(space) = self.space.take()
            && let Some(byte) = self.out.get_mut(space)
        {
            *byte = b'\n';
            self.line = space + 1;
        }
    }

    pub(super) fn token(&mut self, token: &[u8]) {
        self.begin();
        self.out.extend_from_slice(token);
        self.end();
    }

    /// An opening bracket; the next token follows directly.
    pub(super) fn open(&mut self) {
        self.begin();
        self.out.push(b'(');
        self.glued = true;
    }

    /// A closing bracket, directly behind the token before it.
    pub(super) fn close(&mut self) {
        self.glued = false;
        self.out.push(b')');
        self.end();
    }

    /// A comment. Lines are broken only at single spaces between words, so that whoever takes a
    /// break for a space reads the same text; and not before `%`, which some readers take for an
    /// escape at the start of a line.
    pub(super) fn comment(&mut self, text: &[u8]) {
        self.begin();
        self.out.push(b'{');
        let mut rest = text;
        let mut before = None;
        while let Some(n) = memchr2(b' ', b'\n', rest) {
            let (word, tail) = rest.split_at_checked(n).unwrap_or((rest, &[]));
            let Some((&blank, tail)) = tail.split_first() else {
                break;
            };
            self.out.extend_from_slice(word);
            if blank == b'\n' {
                self.end();
                self.out.push(b'\n');
                self.line = self.out.len();
                self.space = None;
            } else {
                let left = word.last().copied().or(before);
                let right = tail.first().copied();
                if left.is_some_and(|b| !is_blank(b))
                    && right.is_some_and(|b| !is_blank(b) && b != b'%')
                {
                    self.end();
                    self.space = Some(self.out.len());
                }
                self.out.push(b' ');
            }
            before = Some(blank);
            rest = tail;
        }
        self.out.extend_from_slice(rest);
        self.out.push(b'}');
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(width: usize, fill: impl FnOnce(&mut LineWrapper<'_>)) -> String {
        let mut out = b"[tag]\n".to_vec();
        let mut wrapper = LineWrapper::new(&mut out, width);
        fill(&mut wrapper);
        String::from_utf8(out[6..].to_vec()).unwrap()
    }

    #[test]
    fn lines_are_broken_between_tokens() {
        let moves = |wrapper: &mut LineWrapper<'_>| {
            wrapper.token(b"1.");
            wrapper.token(b"e4");
            wrapper.open();
            wrapper.token(b"1.");
            wrapper.token(b"d4");
            wrapper.close();
            wrapper.token(b"e5");
        };
        assert_eq!(wrapped(0, moves), "1. e4 (1. d4) e5");
        assert_eq!(wrapped(8, moves), "1. e4\n(1. d4)\ne5");
        assert_eq!(wrapped(1, moves), "1.\ne4\n(1.\nd4)\ne5");
    }

    #[test]
    fn comments_are_broken_only_where_it_does_no_harm() {
        let comment = |text: &'static str| {
            move |wrapper: &mut LineWrapper<'_>| wrapper.comment(text.as_bytes())
        };
        assert_eq!(wrapped(6, comment("one two three")), "{one\ntwo\nthree}");
        assert_eq!(wrapped(6, comment("one  two %three")), "{one  two %three}");
        assert_eq!(wrapped(6, comment(" one two ")), "{ one\ntwo }");
        assert_eq!(wrapped(6, comment("one\n\ntwo  x")), "{one\n\ntwo  x}");
        assert_eq!(wrapped(6, comment("äöüß ß")), "{äöüß\nß}");
        assert_eq!(wrapped(9, comment("äöüß ß")), "{äöüß ß}");
    }
}
