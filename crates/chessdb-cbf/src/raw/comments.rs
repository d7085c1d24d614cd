//! The comment area of a record (docs/formats/cbf.md, section 8.1).

/// The byte before the first comment and after each comment.
pub const END: u8 = 0xFF;
/// A line break within a comment.
pub const LINE_BREAK: u8 = 0xFE;

/// A comment: three codes and a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comment<'a> {
    /// The codes of move, position and further remarks (section 8.2); 0 for none.
    pub codes: [u8; 3],
    /// The text; `None` if the comment ends before it.
    pub text: Option<&'a [u8]>,
}

impl<'a> Comment<'a> {
    /// Parses a comment without its final [`END`]. Any bytes are valid.
    pub fn parse(bytes: &'a [u8]) -> Comment<'a> {
        let Some((codes, rest)) = bytes.split_first_chunk::<3>() else {
            let mut codes = [0; 3];
            for (code, byte) in codes.iter_mut().zip(bytes) {
                *code = *byte;
            }
            return Comment { codes, text: None };
        };
        // More than one 0 before the text, and none, are read as well (section 8.1).
        let zeros = rest.iter().take_while(|byte| **byte == 0).count();
        let text = (!rest.is_empty()).then(|| rest.get(zeros..).unwrap_or_default());
        Comment {
            codes: *codes,
            text,
        }
    }

    /// Appends the comment in canonical form, without [`END`].
    pub fn write(&self, out: &mut Vec<u8>) {
        let codes = &self.codes;
        match self.text {
            Some(text) if !text.is_empty() || *codes != [0; 3] => {
                out.extend_from_slice(codes);
                out.push(0);
                out.extend_from_slice(text);
            }
            _ => out.extend_from_slice(codes.get(..used(codes)).unwrap_or_default()),
        }
    }

    /// Returns true if these bytes are the canonical form of the comment that they represent.
    pub fn is_canonical(bytes: &[u8]) -> bool {
        match Comment::parse(bytes) {
            Comment { codes, text: None } => used(&codes) == bytes.len(),
            Comment {
                codes,
                text: Some(text),
            } => bytes.len() == 4 + text.len() && (codes != [0; 3] || !text.is_empty()),
        }
    }
}

/// Returns the number of codes without the zeros at the end.
pub(crate) fn used(codes: &[u8; 3]) -> usize {
    codes
        .iter()
        .rposition(|code| *code != 0)
        .map_or(0, |index| index + 1)
}

/// An iterator over the comments of an area, each without its [`END`].
#[derive(Clone, Debug)]
pub struct Comments<'a> {
    rest: &'a [u8],
    /// True if the area begins with [`END`], as it should.
    pub starts: bool,
    /// True if the area ends with [`END`].
    pub ends: bool,
}

impl<'a> Comments<'a> {
    /// Creates an iterator over the comments of an area.
    pub fn new(area: &'a [u8]) -> Comments<'a> {
        let (starts, rest) = match area {
            [END, rest @ ..] => (true, rest),
            _ => (area.is_empty(), area),
        };
        let ends = rest.last().is_none_or(|last| *last == END);
        Comments { rest, starts, ends }
    }

    /// Returns the number of remaining comments.
    pub fn remaining_comments(&self) -> usize {
        self.rest.iter().filter(|byte| **byte == END).count() + usize::from(!self.ends)
    }

    /// Removes and returns the last comment.
    pub fn take_last(&mut self) -> Option<&'a [u8]> {
        let body = match self.rest {
            [] => return None,
            [body @ .., END] => body,
            body => body,
        };
        let start = body
            .iter()
            .rposition(|byte| *byte == END)
            .map_or(0, |index| index + 1);
        let (left, last) = self.rest.split_at_checked(start)?;
        self.rest = left;
        // A missing end belonged to the comment that is gone.
        self.ends = true;
        Some(match last {
            [last @ .., END] => last,
            last => last,
        })
    }

    /// Returns the number of unread bytes.
    pub fn remaining_bytes(&self) -> usize {
        self.rest.len()
    }
}

impl<'a> Iterator for Comments<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let length = self.rest.iter().position(|byte| *byte == END);
        let comment = self.rest.get(..length.unwrap_or(self.rest.len()))?;
        self.rest = self.rest.get(comment.len() + 1..).unwrap_or_default();
        Some(comment)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(bytes: &[u8]) -> ([u8; 3], Option<&[u8]>) {
        let Comment { codes, text } = Comment::parse(bytes);
        (codes, text)
    }

    #[test]
    fn comments_are_read_as_the_page_says() {
        assert_eq!(parse(b""), ([0; 3], None));
        assert_eq!(parse(b"\x01"), ([1, 0, 0], None));
        assert_eq!(parse(b"\x00\x04\x02"), ([0, 4, 2], None));
        assert_eq!(
            parse(b"\x00\x04\x00\x00Rossolimo"),
            ([0, 4, 0], Some(&b"Rossolimo"[..]))
        );
        assert_eq!(
            parse(b"\x00\x00\x00\x00\x00two"),
            ([0; 3], Some(&b"two"[..]))
        );
        assert_eq!(
            parse(b"\x01\x02\x03missing"),
            ([1, 2, 3], Some(&b"missing"[..]))
        );
        assert_eq!(parse(b"\x01\x00\x00\x00"), ([1, 0, 0], Some(&b""[..])));
        for canonical in [
            &b""[..],
            b"\x01",
            b"\0\0\x02",
            b"\0\0\0\0text",
            b"\x01\0\0\0",
        ] {
            assert!(Comment::is_canonical(canonical), "{canonical:?}");
        }
        for odd in [
            &b"\0"[..],
            b"\x01\0",
            b"\0\0\0\0",
            b"\0\0\0\0\0text",
            b"\x01\x02\x03text",
        ] {
            assert!(!Comment::is_canonical(odd), "{odd:?}");
        }
    }

    #[test]
    fn the_last_comment_can_be_taken_first() {
        let mut comments = Comments::new(b"\xFF\x01\xFF\0\0\0\0one\xFF\xFF\x05\xFF");
        assert_eq!(comments.remaining_comments(), 4);
        assert_eq!(comments.take_last(), Some(&b"\x05"[..]));
        assert_eq!(comments.remaining_comments(), 3);
        assert_eq!(comments.take_last(), Some(&b""[..]));
        let left: Vec<_> = comments.collect();
        assert_eq!(left, [&b"\x01"[..], b"\0\0\0\0one"]);
        let mut open = Comments::new(b"\x01\xFF\x02");
        assert!(!open.starts && !open.ends);
        assert_eq!(
            (open.remaining_comments(), open.take_last()),
            (2, Some(&b"\x02"[..]))
        );
        assert_eq!((open.next(), open.next()), (Some(&b"\x01"[..]), None));
        let mut none = Comments::new(b"\xFF");
        assert_eq!((none.remaining_comments(), none.take_last()), (0, None));
    }

    proptest! {
        #[test]
        fn usual_comments_come_back(bytes in prop::collection::vec(0u8..4, 0..8)) {
            let mut out = Vec::new();
            Comment::parse(&bytes).write(&mut out);
            prop_assert_eq!(Comment::is_canonical(&bytes), out == bytes);
            prop_assert!(Comment::is_canonical(&out));
        }

        #[test]
        fn areas_are_divided_without_a_rest(bytes in prop::collection::vec(250u8.., 0..20)) {
            let comments = Comments::new(&bytes);
            let (starts, ends, count) = (comments.starts, comments.ends, comments.remaining_comments());
            let parts: Vec<_> = comments.collect();
            prop_assert_eq!(parts.len(), count);
            let mut joined = Vec::new();
            if starts && !bytes.is_empty() {
                joined.push(END);
            }
            for part in parts {
                joined.extend_from_slice(part);
                joined.push(END);
            }
            if !ends {
                joined.pop();
            }
            prop_assert_eq!(joined, bytes);
        }
    }
}
