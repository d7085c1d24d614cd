//! The charsets of databases, and their names.

use std::fmt;

use super::PageCodec;
use super::mixed::EncodingDetector;
use super::tables::{self, Table};

/// The encoding of the bytes of a text. In all charsets the lower 128 bytes are ASCII.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Charset {
    pub(super) page: Page,
    /// Whether well-formed sequences of UTF-8 appear among bytes of the code page.
    mixed: bool,
}

/// Declares the code pages, and the charset of each.
macro_rules! charsets {
    ($($(#[$doc:meta])* $name:ident = $page:ident;)+) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub(super) enum Page { $($page,)+ }

        impl Charset {
            $($(#[$doc])* pub const $name: Charset = Charset::from_page(Page::$page);)+

            /// The number of code pages.
            pub(super) const COUNT: usize = [$(Page::$page),+].len();
        }
    };
}

charsets! {
    /// Unicode in its standard form.
    UTF_8 = Utf8;
    /// UTF-8 that a program took for windows-1252 and converted to UTF-8 again, so that `ä` became
    /// `Ã¤`. Characters that were converted once are read as well; text is written as UTF-8.
    UTF_8_TWICE = Utf8Twice;
    /// Unicode in which each half of a surrogate pair is encoded in three bytes
    /// (docs/formats/bytecode.md, texts). Decoding also accepts plain UTF-8.
    CESU_8 = Cesu8;
    /// ISO-8859-1: each byte is its own code point. Not windows-1252.
    LATIN_1 = Latin1;
    /// DOS, United States.
    CP437 = Cp437;
    /// DOS, Western Europe.
    CP850 = Cp850;
    /// DOS, Greek.
    CP737 = Cp737;
    /// DOS, Central Europe.
    CP852 = Cp852;
    /// DOS, Cyrillic, older than 866 and outside Russia.
    CP855 = Cp855;
    /// DOS, Turkish; three bytes are unassigned.
    CP857 = Cp857;
    /// DOS, Hebrew.
    CP862 = Cp862;
    /// DOS, Bulgarian.
    MIK = Mik;
    /// ChessBase's own code page on DOS and the Atari: figurines and annotation symbols, FE is a
    /// line break (docs/formats/cbf.md). Several bytes may mean the same character.
    CHESSBASE = ChessBase;
    /// Comments of ChessBase on Windows: windows-1252 with figurines and annotation symbols in
    /// place of letters that western texts do not need (docs/formats/cbh.md, section 8.4).
    CHESSBASE_WINDOWS = ChessBaseWindows;
    /// DOS, Cyrillic.
    IBM866 = Ibm866;
    /// Unix, Russian.
    KOI8_R = Koi8R;
    /// Unix, Ukrainian.
    KOI8_U = Koi8U;
    /// Mac OS, Western Europe.
    MACINTOSH = Macintosh;
    /// Mac OS, Central Europe.
    MAC_CENTRAL = MacCentral;
    /// Mac OS, Cyrillic.
    MAC_CYRILLIC = MacCyrillic;
    /// Windows, Thai.
    WINDOWS_874 = Windows874;
    /// Windows, Central Europe.
    WINDOWS_1250 = Windows1250;
    /// Windows, Cyrillic.
    WINDOWS_1251 = Windows1251;
    /// Windows, Western Europe.
    WINDOWS_1252 = Windows1252;
    /// Windows, Greek; three bytes are unassigned.
    WINDOWS_1253 = Windows1253;
    /// Windows, Turkish.
    WINDOWS_1254 = Windows1254;
    /// Windows, Hebrew; some bytes are unassigned.
    WINDOWS_1255 = Windows1255;
    /// Windows, Arabic.
    WINDOWS_1256 = Windows1256;
    /// Windows, Baltic; two bytes are unassigned.
    WINDOWS_1257 = Windows1257;
    /// Windows, Vietnamese.
    WINDOWS_1258 = Windows1258;
    /// Latin-2, Central Europe.
    ISO_8859_2 = Iso2;
    /// Latin-3, Southern Europe; some bytes are unassigned.
    ISO_8859_3 = Iso3;
    /// Latin-4, Northern Europe.
    ISO_8859_4 = Iso4;
    /// Cyrillic.
    ISO_8859_5 = Iso5;
    /// Arabic; many bytes are unassigned.
    ISO_8859_6 = Iso6;
    /// Greek; three bytes are unassigned.
    ISO_8859_7 = Iso7;
    /// Hebrew; many bytes are unassigned.
    ISO_8859_8 = Iso8;
    /// Latin-5, Turkish. Not windows-1254.
    ISO_8859_9 = Iso9;
    /// Latin-6, Nordic.
    ISO_8859_10 = Iso10;
    /// Latin-7, Baltic.
    ISO_8859_13 = Iso13;
    /// Latin-8, Celtic.
    ISO_8859_14 = Iso14;
    /// Latin-9, Western Europe with the euro sign.
    ISO_8859_15 = Iso15;
    /// Latin-10, South-Eastern Europe.
    ISO_8859_16 = Iso16;
}

/// The implementation of a charset.
pub(super) enum Coding {
    Utf8,
    Utf8Twice,
    Cesu8,
    Table(&'static Table),
    PageCodec(PageCodec),
}

impl Charset {
    /// Returns the number of its code page, below [`Charset::COUNT`].
    pub(super) const fn number(self) -> usize {
        self.page as usize
    }

    const fn from_page(page: Page) -> Charset {
        Charset { page, mixed: false }
    }

    /// Returns the mixture of UTF-8 and this code page. In each word, either all bytes belong to
    /// the code page, or its sequences of UTF-8 are UTF-8 and only stray bytes belong to the code
    /// page, depending on which reading is less unusual (docs/decisions/0015-text-by-text.md). The
    /// mixture has no separate name, and text is written in it as UTF-8. A Unicode charset is
    /// returned unchanged.
    pub const fn beside_utf8(self) -> Charset {
        Charset {
            page: self.page,
            mixed: self.mixed || !self.is_unicode(),
        }
    }

    /// Returns whether it is a mixture made by [`Charset::beside_utf8`].
    pub const fn is_mixed(self) -> bool {
        self.mixed
    }

    /// Returns the code page of a mixture; any other charset is returned unchanged.
    pub const fn page(self) -> Charset {
        Charset::from_page(self.page)
    }

    /// Returns the charset with this name or alias. Case, `-`, `_`, `.`, `:` and spaces are
    /// ignored: `cp1251`, `windows-1251`, `win1251`, `latin1`, `utf8`, `dos437`, `ibm850`, `mac`,
    /// `koi8-r`.
    pub fn by_name(name: &str) -> Option<Charset> {
        // The longest known alias is shorter than the buffer; a name that does not fit is unknown.
        let mut plain = [0u8; 24];
        let mut length = 0;
        for byte in name.bytes() {
            if !matches!(byte, b'-' | b'_' | b' ' | b'.' | b':') {
                *plain.get_mut(length)? = byte.to_ascii_lowercase();
                length += 1;
            }
        }
        let plain = std::str::from_utf8(plain.get(..length)?).ok()?;
        ALL.iter()
            .find(|(_, _, aliases)| aliases.contains(&plain))
            .map(|&(charset, _, _)| charset)
    }

    /// Returns the standard name, such as `windows-1251`, which [`Charset::by_name`] accepts. For a
    /// mixture it is the name of the code page; `Display` shows both.
    pub fn name(self) -> &'static str {
        ALL.iter()
            .find(|&&(charset, _, _)| charset == self.page())
            .map_or("", |&(_, name, _)| name)
    }

    /// Returns all charsets, in the order of help texts.
    pub fn all() -> impl ExactSizeIterator<Item = Charset> {
        ALL.iter().map(|&(charset, _, _)| charset)
    }

    /// Returns every name that [`Charset::by_name`] accepts for this charset, in lower case without
    /// `-` and `_`.
    pub fn aliases(self) -> &'static [&'static str] {
        ALL.iter()
            .find(|&&(charset, _, _)| charset == self.page())
            .map_or(&[], |&(_, _, aliases)| aliases)
    }

    /// Returns the encoding of a text that does not declare one: UTF-8 if the bytes are valid UTF-8
    /// (pure ASCII is) and do not read better in the fallback; otherwise the fallback, mixed with
    /// UTF-8 if some words read better as UTF-8. A shortcut for [`EncodingDetector`].
    pub fn detect_utf8_or(bytes: &[u8], fallback: Charset) -> Charset {
        EncodingDetector::new(fallback).charset(bytes)
    }

    /// Returns whether every character can be encoded.
    pub const fn is_unicode(self) -> bool {
        self.mixed || matches!(self.page, Page::Utf8 | Page::Utf8Twice | Page::Cesu8)
    }

    /// Returns the implementation for encoding, and for decoding unless the charset is mixed.
    pub(super) fn coding(self) -> Coding {
        if self.mixed {
            return Coding::Utf8;
        }
        match self.page {
            Page::Utf8 => Coding::Utf8,
            Page::Utf8Twice => Coding::Utf8Twice,
            Page::Cesu8 => Coding::Cesu8,
            Page::Latin1 => Coding::Table(&tables::LATIN_1),
            Page::Cp437 => Coding::Table(&tables::CP437),
            Page::Cp850 => Coding::Table(&tables::CP850),
            Page::Cp737 => Coding::Table(&tables::CP737),
            Page::Cp852 => Coding::Table(&tables::CP852),
            Page::Cp855 => Coding::Table(&tables::CP855),
            Page::Cp857 => Coding::Table(&tables::CP857),
            Page::Cp862 => Coding::Table(&tables::CP862),
            Page::Mik => Coding::Table(&tables::MIK),
            Page::MacCentral => Coding::Table(&tables::MAC_CE),
            Page::Iso9 => Coding::Table(&tables::ISO_8859_9),
            Page::ChessBase => Coding::Table(&tables::CHESSBASE),
            Page::ChessBaseWindows => Coding::Table(&tables::CHESSBASE_WINDOWS),
            page => PageCodec::for_page(page).map_or(Coding::Utf8, Coding::PageCodec),
        }
    }
}

impl Default for Charset {
    fn default() -> Charset {
        Charset::UTF_8
    }
}

impl fmt::Display for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.mixed {
            f.write_str("UTF-8 beside ")?;
        }
        f.write_str(self.name())
    }
}

impl fmt::Debug for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Charset, standard name, and the names it is found by (lower case, without `-`, `_`, `.`, `:` and
/// spaces).
#[rustfmt::skip]
static ALL: [(Charset, &str, &[&str]); 43] = [
    (Charset::UTF_8, "UTF-8", &["utf8", "unicode"]),
    (Charset::LATIN_1, "ISO-8859-1", &["iso88591", "latin1", "88591", "l1"]),
    (Charset::WINDOWS_1252, "windows-1252", &["windows1252", "win1252", "cp1252", "1252", "ansi", "western"]),
    (Charset::WINDOWS_1250, "windows-1250", &["windows1250", "win1250", "cp1250", "1250"]),
    (Charset::WINDOWS_1251, "windows-1251", &["windows1251", "win1251", "cp1251", "1251"]),
    (Charset::WINDOWS_1253, "windows-1253", &["windows1253", "win1253", "cp1253", "1253"]),
    (Charset::WINDOWS_1254, "windows-1254", &["windows1254", "win1254", "cp1254", "1254"]),
    (Charset::WINDOWS_1255, "windows-1255", &["windows1255", "win1255", "cp1255", "1255"]),
    (Charset::WINDOWS_1256, "windows-1256", &["windows1256", "win1256", "cp1256", "1256"]),
    (Charset::WINDOWS_1257, "windows-1257", &["windows1257", "win1257", "cp1257", "1257"]),
    (Charset::WINDOWS_1258, "windows-1258", &["windows1258", "win1258", "cp1258", "1258"]),
    (Charset::WINDOWS_874, "windows-874", &["windows874", "win874", "cp874", "874", "iso885911", "tis620"]),
    (Charset::CP437, "CP437", &["cp437", "ibm437", "dos437", "oem437", "437"]),
    (Charset::CP850, "CP850", &["cp850", "ibm850", "dos850", "oem850", "850"]),
    (Charset::CP852, "CP852", &["cp852", "ibm852", "dos852", "oem852", "852"]),
    (Charset::CP855, "CP855", &["cp855", "ibm855", "dos855", "oem855", "855"]),
    (Charset::CP857, "CP857", &["cp857", "ibm857", "dos857", "oem857", "857"]),
    (Charset::CP737, "CP737", &["cp737", "ibm737", "dos737", "oem737", "737"]),
    (Charset::CP862, "CP862", &["cp862", "ibm862", "dos862", "oem862", "862"]),
    (Charset::MIK, "MIK", &["mik", "cpmik", "bulgariamik", "bulgarianmik"]),
    (Charset::CHESSBASE, "ChessBase", &["chessbase", "cbf"]),
    (Charset::CHESSBASE_WINDOWS, "ChessBase-Windows", &["chessbasewindows", "cbh"]),
    (Charset::IBM866, "IBM866", &["ibm866", "cp866", "dos866", "oem866", "866", "alt"]),
    (Charset::KOI8_R, "KOI8-R", &["koi8r", "koi8", "koi", "cp20866", "koi8ru"]),
    (Charset::KOI8_U, "KOI8-U", &["koi8u", "cp21866"]),
    (Charset::MACINTOSH, "macintosh", &["macintosh", "mac", "macroman", "xmacroman", "macwestern", "applemac"]),
    (Charset::MAC_CENTRAL, "x-mac-ce", &["xmacce", "macce", "maccentraleurope", "maclatin2", "xmaccentraleurroman", "maccentraleuropean"]),
    (Charset::MAC_CYRILLIC, "x-mac-cyrillic", &["xmaccyrillic", "maccyrillic", "maccyr", "xmacukrainian", "macukrainian"]),
    (Charset::ISO_8859_2, "ISO-8859-2", &["iso88592", "latin2", "88592", "l2"]),
    (Charset::ISO_8859_3, "ISO-8859-3", &["iso88593", "latin3", "88593", "l3"]),
    (Charset::ISO_8859_4, "ISO-8859-4", &["iso88594", "latin4", "88594", "l4"]),
    (Charset::ISO_8859_5, "ISO-8859-5", &["iso88595", "88595", "isocyrillic"]),
    (Charset::ISO_8859_6, "ISO-8859-6", &["iso88596", "88596"]),
    (Charset::ISO_8859_7, "ISO-8859-7", &["iso88597", "88597"]),
    (Charset::ISO_8859_8, "ISO-8859-8", &["iso88598", "88598"]),
    (Charset::ISO_8859_9, "ISO-8859-9", &["iso88599", "latin5", "88599", "l5"]),
    (Charset::ISO_8859_10, "ISO-8859-10", &["iso885910", "latin6", "885910", "l6"]),
    (Charset::ISO_8859_13, "ISO-8859-13", &["iso885913", "latin7", "885913", "l7"]),
    (Charset::ISO_8859_14, "ISO-8859-14", &["iso885914", "latin8", "885914", "l8"]),
    (Charset::ISO_8859_15, "ISO-8859-15", &["iso885915", "latin9", "885915", "l9"]),
    (Charset::ISO_8859_16, "ISO-8859-16", &["iso885916", "latin10", "885916", "l10"]),
    (Charset::CESU_8, "CESU-8", &["cesu8"]),
    (Charset::UTF_8_TWICE, "UTF-8-twice", &["utf8twice", "doubleutf8"]),
];
