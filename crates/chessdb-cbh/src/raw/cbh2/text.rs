//! Guiding texts (docs/formats/2cbh.md, section 7).

use crate::raw::bytes::Input;

/// A guiding text in several languages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GuidingText<'a> {
    /// The contents.
    pub contents: Vec<TextContent<'a>>,
}

/// The content of a guiding text in one language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextContent<'a> {
    /// The language, as the number of a nation; 0 for none.
    pub language: u32,
    /// HTML.
    pub text: &'a [u8],
}

impl<'a> GuidingText<'a> {
    /// The first two bytes.
    const MARK: u16 = 5;

    /// Parses the content of a record. `None` if it has another form or ends too early.
    pub fn parse(content: &'a [u8]) -> Option<GuidingText<'a>> {
        let mut input = Input(content);
        input.short().filter(|mark| *mark == GuidingText::MARK)?;
        let mut input = Input(input.counted()?);
        let mut contents = Vec::new();
        for _ in 0..input.long()? {
            contents.push(TextContent {
                language: input.long()?,
                text: input.counted()?,
            });
        }
        Some(GuidingText { contents })
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;

    use super::*;

    #[test]
    fn a_text_is_read() {
        let bytes = hex!("0500 16000000 02000000 2A000000 02000000 4869 35000000 00000000");
        let text = GuidingText::parse(&bytes).unwrap();
        let found: Vec<_> = text.contents.iter().map(|c| (c.language, c.text)).collect();
        assert_eq!(found, [(42, &b"Hi"[..]), (53, b"")]);
        assert!((0..bytes.len()).all(|end| GuidingText::parse(&bytes[..end]).is_none()));
    }
}
