//! Guiding texts, which are stored among the games (docs/formats/cbh.md, section 6.11) and are
//! little-endian.

use super::bytes::{Input, array};

/// A guiding text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GuidingText<'a> {
    /// 1 (ChessBase 6 to 8), 2 or 3 (HTML).
    pub version: u16,
    /// The titles, each with its language.
    pub titles: Vec<(u16, &'a [u8])>,
    /// 0 or 1.
    pub byte: u8,
    /// The content, in one or more languages.
    pub contents: Vec<Content<'a>>,
    /// The bytes after the contents.
    pub tail: &'a [u8],
}

/// The content of a guiding text in one language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Content<'a> {
    /// 0 English, 1 German, 2 French, 3 Spanish, 4 Italian, 5 Dutch, 6 Portuguese, 7 none.
    pub language: u16,
    /// The text; HTML in version 3.
    pub text: &'a [u8],
    /// The formatting.
    pub formatting: &'a [u8],
}

impl<'a> GuidingText<'a> {
    /// Parses the text in the body of a record. `None` if it ends too early or has an unknown
    /// version.
    pub fn parse(bytes: &'a [u8]) -> Option<GuidingText<'a>> {
        let mut input = Input(bytes);
        let version = input.short().filter(|version| (1..=3).contains(version))?;
        let mut titles = Vec::new();
        for _ in 0..input.short()? {
            titles.push((input.short()?, input.counted_short()?));
        }
        let byte = array::<1>(input.take(1)?, 0)[0];
        let counted = |input: &mut Input<'a>| match version {
            1 => input.counted_short(),
            _ => input.counted(),
        };
        let mut contents = Vec::new();
        for _ in 0..input.short()? {
            contents.push(Content {
                language: input.short()?,
                text: counted(&mut input)?,
                formatting: counted(&mut input)?,
            });
        }
        Some(GuidingText {
            version,
            titles,
            byte,
            contents,
            tail: input.0,
        })
    }

    /// Returns the bytes of the text.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.version.to_le_bytes().to_vec();
        out.extend_from_slice(&(self.titles.len() as u16).to_le_bytes());
        for (language, title) in &self.titles {
            out.extend_from_slice(&language.to_le_bytes());
            put_counted(title, false, &mut out);
        }
        out.push(self.byte);
        out.extend_from_slice(&(self.contents.len() as u16).to_le_bytes());
        for content in &self.contents {
            out.extend_from_slice(&content.language.to_le_bytes());
            put_counted(content.text, self.version > 1, &mut out);
            put_counted(content.formatting, self.version > 1, &mut out);
        }
        out.extend_from_slice(self.tail);
        out
    }
}

fn put_counted(bytes: &[u8], long: bool, out: &mut Vec<u8>) {
    if long {
        out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    } else {
        out.extend_from_slice(&(bytes.len() as u16).to_le_bytes());
    }
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_read() {
        let bytes = hex!("0300 0100 0000 0200 4869 01 0100 0100 03000000 3C703E 00000000 99");
        let text = GuidingText::parse(&bytes).unwrap();
        assert_eq!(text.titles, [(0, &b"Hi"[..])]);
        assert_eq!(
            (text.contents[0].language, text.contents[0].text),
            (1, &b"<p>"[..])
        );
        assert_eq!(text.tail, [0x99]);
        assert!((0..bytes.len() - 1).all(|end| GuidingText::parse(&bytes[..end]).is_none()));
    }

    proptest! {
        #[test]
        fn what_is_read_comes_back(bytes in prop::collection::vec(0u8..4, 0..60)) {
            if let Some(text) = GuidingText::parse(&bytes) {
                prop_assert_eq!(text.to_bytes(), bytes);
            }
        }
    }
}
