//! Texts of a database: bytes in a Windows code page that no field declares
//! (docs/formats/chess-assistant.md, section 11).

use chessdb_core::loss::TextLoss;
use chessdb_core::text::{CharsetPrior, EncodingDetector, Evidence, whole_characters};
use chessdb_core::{Charset, ErrorKind, Result, Text};

use crate::guesses::Guesses;
use crate::raw::{Item, Items};

/// The Windows code pages, most likely first.
pub(crate) const PAGES: &[Charset] = &[
    Charset::WINDOWS_1252,
    Charset::WINDOWS_1251,
    Charset::WINDOWS_1250,
    Charset::WINDOWS_1253,
    Charset::WINDOWS_1254,
    Charset::WINDOWS_1255,
    Charset::WINDOWS_1256,
    Charset::WINDOWS_1257,
    Charset::WINDOWS_1258,
];

/// Number of record bytes that are examined to find the charset.
pub(crate) const SAMPLE: usize = 1 << 16;

/// The charsets that a database can have, each with the byte by which this crate marks it before
/// the records if it could not be detected. The published description allows any byte there.
const MARKS: [(u8, Charset); 40] = [
    (0x50, Charset::WINDOWS_1250),
    (0x51, Charset::WINDOWS_1251),
    (0x52, Charset::WINDOWS_1252),
    (0x53, Charset::WINDOWS_1253),
    (0x54, Charset::WINDOWS_1254),
    (0x55, Charset::WINDOWS_1255),
    (0x56, Charset::WINDOWS_1256),
    (0x57, Charset::WINDOWS_1257),
    (0x58, Charset::WINDOWS_1258),
    (0x38, Charset::UTF_8),
    (0x80, Charset::CP437),
    (0x81, Charset::CP850),
    (0x82, Charset::CHESSBASE),
    (0x83, Charset::CP852),
    (0x84, Charset::CP855),
    (0x85, Charset::CP857),
    (0x86, Charset::IBM866),
    (0x87, Charset::CP737),
    (0x88, Charset::CP862),
    (0x89, Charset::MIK),
    (0x8A, Charset::KOI8_R),
    (0x8B, Charset::KOI8_U),
    (0x8C, Charset::LATIN_1),
    (0x8D, Charset::ISO_8859_2),
    (0x8E, Charset::ISO_8859_3),
    (0x8F, Charset::ISO_8859_4),
    (0x90, Charset::ISO_8859_5),
    (0x91, Charset::ISO_8859_6),
    (0x92, Charset::ISO_8859_7),
    (0x93, Charset::ISO_8859_8),
    (0x94, Charset::ISO_8859_9),
    (0x95, Charset::ISO_8859_10),
    (0x96, Charset::ISO_8859_13),
    (0x97, Charset::ISO_8859_14),
    (0x98, Charset::ISO_8859_15),
    (0x99, Charset::ISO_8859_16),
    (0x9A, Charset::MACINTOSH),
    (0x9B, Charset::MAC_CENTRAL),
    (0x9C, Charset::MAC_CYRILLIC),
    (0x9D, Charset::WINDOWS_874),
];

/// Returns the charset of a mark.
pub(crate) fn charset_of_mark(mark: u8) -> Option<Charset> {
    MARKS
        .iter()
        .find(|(byte, _)| *byte == mark)
        .map(|(_, charset)| *charset)
}

/// Returns the mark of a charset.
pub(crate) fn mark_of_charset(charset: Charset) -> Option<u8> {
    MARKS
        .iter()
        .find(|(_, page)| *page == charset)
        .map(|(mark, _)| *mark)
}

/// Returns the texts after and before moves in the codes of a record.
pub(crate) fn texts_of_record(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    Items::new(body).filter_map(|(_, item)| match item {
        Item::Comment(comment) => match comment.parts()? {
            (4 | 5, text) => Some(text),
            _ => None,
        },
        _ => None,
    })
}

/// A detector that distinguishes Cyrillic from Western texts: Cyrillic letters are in the upper
/// quarter of the code page and come in runs. Guess 12 is implemented here and in [`Guesses`].
#[derive(Clone, Default, Debug)]
pub(crate) struct Detector {
    /// The evidence used by readers that guess the code page.
    evidence: Evidence,
    /// The number of bytes of 128 or more.
    high: u64,
    /// The number of these that are in runs of three or more letters of windows-1251.
    in_runs: u64,
    /// The number of record bytes examined.
    sampled: usize,
}

impl Detector {
    /// Examines a text.
    pub(crate) fn text(&mut self, text: &[u8]) {
        if text.is_ascii() {
            return;
        }
        self.evidence.add(text);
        let is_letter = |byte: &u8| matches!(byte, 0xC0..=0xFF | 0xA8 | 0xB8);
        self.high += text.iter().filter(|byte| !byte.is_ascii()).count() as u64;
        for run in text.split(|byte| !is_letter(byte)) {
            // Western words seldom have three accented letters in a row; Cyrillic ones have nothing
            // else.
            if run.len() >= 3 {
                self.in_runs += run.len() as u64;
            }
        }
    }

    /// Examines the comments of a record. Returns false once [`SAMPLE`] bytes have been seen.
    pub(crate) fn record(&mut self, body: &[u8]) -> bool {
        if self.sampled >= SAMPLE {
            return false;
        }
        self.sampled += body.len();
        texts_of_record(body).for_each(|text| self.text(text));
        true
    }

    /// Returns the charset that the texts suggest.
    pub(crate) fn charset(&self, guesses: &Guesses) -> Charset {
        if guesses.detect_cyrillic && self.in_runs * 2 > self.high {
            Charset::WINDOWS_1251
        } else {
            guesses.charset
        }
    }
}

impl Detector {
    /// Returns whether all texts were ASCII.
    pub(crate) fn is_empty(&self) -> bool {
        self.high == 0
    }

    /// Returns whether all readers detect this charset: those that know only windows-1252 and
    /// Cyrillic, and those that guess.
    pub(crate) fn is_sure_of(&self, charset: Charset, guesses: &Guesses) -> bool {
        let guess = self.evidence.guess(CharsetPrior::AnyProgram);
        self.charset(guesses) == charset
            && guess
                .is_none_or(|guess| guess.page == charset && !guess.low && guess.mixed.is_empty())
    }
}

/// An encoder of texts into stored bytes.
///
/// A database has one charset: the requested one, otherwise the charset of the first non-ASCII text
/// if a database can have it, otherwise one that has its characters.
#[derive(Clone, Default, Debug)]
pub(crate) struct Encoder {
    charset: Option<Charset>,
    /// The detector of the database that is rewritten: texts that it reads correctly keep their bytes.
    detector: Option<EncodingDetector>,
}

impl Encoder {
    /// Creates an encoder for this charset, or one that has yet to choose.
    ///
    /// # Errors
    ///
    /// Returns `Unsupported` for a charset that a database cannot have.
    pub(crate) fn new(
        charset: Option<Charset>,
        detector: Option<EncodingDetector>,
    ) -> Result<Encoder> {
        match charset {
            Some(charset) if mark_of_charset(charset).is_none() => {
                Err(ErrorKind::Unsupported("this charset in a Chess Assistant database").into())
            }
            charset => Ok(Encoder { charset, detector }),
        }
    }

    /// Returns the charset if it has been chosen.
    pub(crate) fn charset(&self) -> Option<Charset> {
        self.charset
    }

    /// Appends the stored form of a text. Returns whether characters had to be replaced.
    pub(crate) fn put(&mut self, text: Text<'_>, out: &mut Vec<u8>) -> bool {
        if text.as_bytes().is_ascii() {
            out.extend_from_slice(text.as_bytes());
            return false;
        }
        let detector = self.detector.as_ref();
        if detector.is_some_and(|detector| detector.page_of(text.as_bytes()) == text.charset()) {
            self.charset.get_or_insert(text.charset());
            out.extend_from_slice(text.as_bytes());
            return false;
        }
        let charset = *self.charset.get_or_insert_with(|| first_charset(text));
        text.convert_into(charset, out) > 0
    }

    /// Appends at most `limit` bytes of a text. Returns whether characters were replaced and whether
    /// it was cut.
    pub(crate) fn put_cut(&mut self, text: Text<'_>, limit: usize, out: &mut Vec<u8>) -> TextLoss {
        let start = out.len();
        let replaced = self.put(text, out);
        let cut = out.len() - start > limit;
        if cut {
            // UTF-8 must not end inside a character; elsewhere every byte is one.
            let length = match self.charset {
                Some(Charset::UTF_8) => {
                    whole_characters(out.get(start..).unwrap_or_default(), limit)
                }
                _ => limit,
            };
            out.truncate(start + length);
        }
        TextLoss { replaced, cut }
    }
}

fn first_charset(text: Text<'_>) -> Charset {
    if PAGES.contains(&text.charset()) {
        return text.charset();
    }
    let pages = [
        Charset::WINDOWS_1252,
        Charset::WINDOWS_1251,
        Charset::WINDOWS_1250,
    ];
    let lossless = |page: &Charset| page.encode_strict(&text.decode(), &mut Vec::new()).is_ok();
    pages
        .into_iter()
        .find(lossless)
        .unwrap_or(Charset::WINDOWS_1252)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(texts: &[&[u8]]) -> Charset {
        let mut detector = Detector::default();
        texts.iter().for_each(|text| detector.text(text));
        detector.charset(&Guesses::PAGE)
    }

    #[test]
    fn cyrillic_is_detected() {
        let moscow = &b"\xCC\xEE\xF1\xEA\xE2\xE0"[..];
        let zuerich = &b"Z\xFCrich, \xC9l\xE8ve, M\xFCnchen, \xD6\xFE x"[..];
        assert_eq!(detected(&[]), Charset::WINDOWS_1252);
        assert_eq!(detected(&[moscow]), Charset::WINDOWS_1251);
        assert_eq!(detected(&[zuerich]), Charset::WINDOWS_1252);
        assert_eq!(detected(&[zuerich, moscow]), Charset::WINDOWS_1252);
        assert_eq!(detected(&[moscow, zuerich, moscow]), Charset::WINDOWS_1251);
    }

    /// Databases with these marks exist, so the marks never change.
    #[test]
    fn marks_stay_as_they_are() {
        let windows = [
            "windows-1250",
            "windows-1251",
            "windows-1252",
            "windows-1253",
            "windows-1254",
            "windows-1255",
            "windows-1256",
            "windows-1257",
            "windows-1258",
        ];
        let others = [
            "CP437",
            "CP850",
            "ChessBase",
            "CP852",
            "CP855",
            "CP857",
            "IBM866",
            "CP737",
            "CP862",
            "MIK",
            "KOI8-R",
            "KOI8-U",
            "ISO-8859-1",
            "ISO-8859-2",
            "ISO-8859-3",
            "ISO-8859-4",
            "ISO-8859-5",
            "ISO-8859-6",
            "ISO-8859-7",
            "ISO-8859-8",
            "ISO-8859-9",
            "ISO-8859-10",
            "ISO-8859-13",
            "ISO-8859-14",
            "ISO-8859-15",
            "ISO-8859-16",
            "macintosh",
            "x-mac-ce",
            "x-mac-cyrillic",
            "windows-874",
        ];
        let marks = (0x50..).zip(windows).chain((0x80..).zip(others));
        for (mark, name) in marks.chain([(0x38, "UTF-8")]) {
            let charset = charset_of_mark(mark).unwrap();
            assert_eq!(charset.name(), name, "{mark:x}");
            assert_eq!(mark_of_charset(charset), Some(mark), "{name}");
        }
        assert_eq!(MARKS.len(), windows.len() + others.len() + 1);
    }

    #[test]
    fn first_text_chooses_charset() {
        let mut encoder = Encoder::default();
        let mut out = Vec::new();
        let text = |text: &'static str| Text::new(text.as_bytes(), Charset::UTF_8);
        assert!(!encoder.put(text("plain"), &mut out));
        assert_eq!(encoder.charset(), None);
        assert!(!encoder.put(text("Ёлка"), &mut out));
        assert_eq!(encoder.charset(), Some(Charset::WINDOWS_1251));
        assert!(encoder.put(text("Müller"), &mut out));
        assert_eq!(out, b"plain\xA8\xEB\xEA\xE0M?ller");
        let stored = Text::new(b"\x98", Charset::WINDOWS_1251);
        let mut encoder = Encoder::default();
        assert!(!encoder.put(stored, &mut out));
        assert_eq!(encoder.charset(), Some(Charset::WINDOWS_1251));
    }

    #[test]
    fn put_cut_keeps_whole_characters() {
        let text = Text::new("aüb".as_bytes(), Charset::UTF_8);
        for (charset, limit, expected) in [
            (Charset::UTF_8, 2, &b"a"[..]),
            (Charset::UTF_8, 3, "aü".as_bytes()),
            (Charset::WINDOWS_1252, 2, b"a\xFC"),
        ] {
            let mut out = Vec::new();
            let change = Encoder::new(Some(charset), None)
                .unwrap()
                .put_cut(text, limit, &mut out);
            assert_eq!((change.cut, &out[..]), (true, expected));
        }
        assert!(Encoder::new(Some(Charset::CESU_8), None).is_err());
    }

    #[test]
    fn marks_are_distinct() {
        for (mark, charset) in MARKS {
            assert_eq!(charset_of_mark(mark), Some(charset));
            assert_eq!(mark_of_charset(charset), Some(mark));
        }
        assert_eq!(charset_of_mark(0), None);
    }
}
