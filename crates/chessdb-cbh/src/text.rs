//! Texts of a base: nothing says what they are in (docs/formats/cbh.md, section 2).

use chessdb_core::{Charset, ReadOptions, text::Judge};

/// What names and comments are in that are not UTF-8.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    names: Judge,
    comments: Judge,
}

impl Pages {
    /// The page that a reader names or that was found, or the western one, in whose comments some
    /// letters are signs.
    pub(crate) fn new(options: &ReadOptions) -> Pages {
        let names = options.judge(Charset::WINDOWS_1252);
        let comments = match names.page() {
            Charset::WINDOWS_1252 => Judge::new(Charset::CHESSBASE_WINDOWS),
            _ => names.clone(),
        };
        Pages { names, comments }
    }

    /// What a name is in. One that fills its field may end within a character of UTF-8.
    pub(crate) fn of_name(&self, name: &[u8]) -> Charset {
        if name.is_ascii() {
            return Charset::UTF_8;
        }
        match std::str::from_utf8(name) {
            Err(fault) if fault.error_len().is_none() && fault.valid_up_to() > 0 => {
                let whole = name.get(..fault.valid_up_to()).unwrap_or_default();
                match whole.is_ascii() {
                    true => self.names.charset(name),
                    false => self.names.charset(whole),
                }
            }
            _ => self.names.charset(name),
        }
    }

    /// What a comment is in.
    pub(crate) fn of_comment(&self, text: &[u8]) -> Charset {
        match text.is_ascii() {
            true => Charset::UTF_8,
            false => self.comments.charset(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use chessdb_core::Text;

    use super::*;

    #[test]
    fn a_base_may_be_in_any_page() {
        let western = Pages::new(&ReadOptions::default());
        let read = |bytes, charset| Text::new(bytes, charset).decode().into_owned();
        let name = |pages: &Pages, bytes| read(bytes, pages.of_name(bytes));
        let comment = |pages: &Pages, bytes| read(bytes, pages.of_comment(bytes));
        assert_eq!(name(&western, b"H\xFCbner \x92"), "Hübner \u{2019}");
        assert_eq!(comment(&western, b"\xA4f3 \xB1 \xBD \xFC"), "♘f3 ± ½ ü");
        assert_eq!(name(&western, "Ünlü".as_bytes()), "Ünlü");
        assert_eq!(name(&western, b"\xC3\x9Cnl\xC3"), "Ünl\u{FFFD}");
        let cyrillic = ReadOptions::default().with_charset(Charset::WINDOWS_1251);
        let cyrillic = Pages::new(&cyrillic);
        assert_eq!(name(&cyrillic, b"\xD2\xE0\xEB\xFC"), "Таль");
        assert_eq!(comment(&cyrillic, b"\xF7\xFE"), "чю");
    }
}
