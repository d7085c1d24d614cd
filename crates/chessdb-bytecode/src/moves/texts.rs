//! The storage of the texts of comments and errors (section 5).

use super::marker::END;

/// The location of the texts of comments and errors.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Layout {
    /// In a separate column, each terminated by NUL, in the order of their marks. All tables of
    /// jose itself have this layout.
    #[default]
    Separate,
    /// After their marks, terminated by NUL.
    Inline,
}

/// The texts of one game as a reader receives them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextColumn<'a> {
    /// The column with the texts, or NULL.
    Separate(Option<&'a [u8]>),
    /// There is no such column.
    Inline,
}

/// An iterator over the texts in order.
#[derive(Clone, Debug)]
pub(super) struct TextReader<'a> {
    /// The rest of the column.
    rest: &'a [u8],
    inline: bool,
}

/// A text, and whether it is terminated.
pub(super) struct FoundText<'a> {
    pub(super) text: &'a [u8],
    pub(super) ended: bool,
    /// Number of bytes that it takes of the stream.
    pub(super) used: usize,
}

impl<'a> TextReader<'a> {
    pub(super) fn new(column: TextColumn<'a>) -> TextReader<'a> {
        let (rest, inline) = match column {
            TextColumn::Separate(column) => (column.unwrap_or_default(), false),
            TextColumn::Inline => (&[][..], true),
        };
        TextReader { rest, inline }
    }

    /// Returns the next text, or `None` if the column has no more. `stream` is the byte code after
    /// its mark.
    pub(super) fn next(&mut self, stream: &'a [u8]) -> Option<FoundText<'a>> {
        if self.inline {
            if matches!(stream, [END, ..]) {
                return None;
            }
            let (text, rest) = split(stream);
            return Some(FoundText {
                text,
                ended: rest.is_some(),
                used: inline_length(stream),
            });
        }
        if matches!(self.rest, [] | [END, ..]) {
            self.rest = &[];
            return None;
        }
        let (text, rest) = split(self.rest);
        self.rest = rest.unwrap_or_default();
        Some(FoundText {
            text,
            ended: rest.is_some(),
            used: 0,
        })
    }

    /// Returns whether the texts are in the byte code.
    pub(super) fn is_inline(&self) -> bool {
        self.inline
    }

    /// Returns the bytes of the column that have not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

/// Returns the number of bytes of a text after its mark, with its NUL; 0 at the end of the game.
pub(super) fn inline_length(stream: &[u8]) -> usize {
    if matches!(stream, [END, ..]) {
        return 0;
    }
    let (text, rest) = split(stream);
    text.len() + usize::from(rest.is_some())
}

/// Splits a text from the bytes after its NUL, if it has one. Without a NUL it ends before FF, which
/// ends the data of a game and is never part of UTF-8.
fn split(bytes: &[u8]) -> (&[u8], Option<&[u8]>) {
    match bytes.iter().position(|&byte| byte == 0) {
        Some(end) => (
            bytes.get(..end).unwrap_or_default(),
            Some(bytes.get(end + 1..).unwrap_or_default()),
        ),
        None => {
            let text = bytes.split(|&byte| byte == END).next();
            (text.unwrap_or_default(), None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_returns_texts_in_order() {
        let mut texts = TextReader::new(TextColumn::Separate(Some(b"a\0\0last")));
        for (text, ended) in [(&b"a"[..], true), (b"", true), (b"last", false)] {
            let stored = texts.next(b"stream").unwrap();
            assert_eq!((stored.text, stored.ended, stored.used), (text, ended, 0));
        }
        assert!(texts.next(b"").is_none());
        assert!(
            TextReader::new(TextColumn::Separate(None))
                .next(b"x\0")
                .is_none()
        );
    }

    #[test]
    fn inline_texts_stand_in_the_stream() {
        let mut texts = TextReader::new(TextColumn::Inline);
        let stored = texts.next(b"hello\0\xFF").unwrap();
        assert_eq!(
            (stored.text, stored.ended, stored.used),
            (&b"hello"[..], true, 6)
        );
        assert!(texts.next(b"\xFF").is_none());
        let stored = texts.next(b"ok\xFF").unwrap();
        assert_eq!(
            (stored.text, stored.ended, stored.used),
            (&b"ok"[..], false, 2)
        );
        // A text of an old program in a code page.
        let stored = texts.next(b"L'Ha\xFF\0\xFF").unwrap();
        assert_eq!((stored.text, stored.used), (&b"L'Ha\xFF"[..], 6));
        let stored = texts.next(b"cut").unwrap();
        assert_eq!(
            (stored.text, stored.ended, stored.used),
            (&b"cut"[..], false, 3)
        );
        assert!(texts.next(b"\0").unwrap().ended);
    }
}
