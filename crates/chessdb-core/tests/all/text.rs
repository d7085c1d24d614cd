//! Tests of charsets, decoding and encoding.

use std::borrow::Cow;

use chessdb_core::text::{Charset, Text, Unmappable};
use oem_cp::code_table::{
    DECODING_TABLE_CP437, DECODING_TABLE_CP737, DECODING_TABLE_CP850, DECODING_TABLE_CP852,
    DECODING_TABLE_CP855, DECODING_TABLE_CP857, DECODING_TABLE_CP862,
};
use proptest::prelude::*;

fn decode(bytes: &[u8], charset: Charset) -> String {
    Text::new(bytes, charset).decode().into_owned()
}

fn encode(text: &str, charset: Charset) -> Vec<u8> {
    let mut out = Vec::new();
    charset.encode_strict(text, &mut out).unwrap();
    out
}

#[test]
fn dos_pages_equal_those_of_oem_cp_in_all_bytes() {
    let whole = |table: &[char; 128]| table.map(Some);
    let pages = [
        (Charset::CP437, whole(&DECODING_TABLE_CP437)),
        (Charset::CP737, whole(&DECODING_TABLE_CP737)),
        (Charset::CP850, whole(&DECODING_TABLE_CP850)),
        (Charset::CP852, whole(&DECODING_TABLE_CP852)),
        (Charset::CP855, whole(&DECODING_TABLE_CP855)),
        (Charset::CP857, DECODING_TABLE_CP857),
        (Charset::CP862, whole(&DECODING_TABLE_CP862)),
    ];
    for (charset, decoding) in pages {
        for byte in 0..=255u8 {
            let expected = match byte.checked_sub(0x80) {
                Some(upper) => decoding[usize::from(upper)],
                None => Some(char::from(byte)),
            };
            let text = decode(&[byte], charset);
            let shown = expected.unwrap_or(char::REPLACEMENT_CHARACTER);
            assert_eq!(text, shown.to_string(), "{charset} {byte:02X}");
            if expected.is_some() {
                assert_eq!(encode(&text, charset), [byte]);
            }
        }
    }
}

/// Returns the bytes that a code page leaves unassigned, from its published mapping table.
fn unassigned(charset: Charset) -> Vec<u8> {
    let ranges: &[(u8, u8)] = match charset.name() {
        "windows-874" => &[(0xDB, 0xDE), (0xFC, 0xFF)],
        "windows-1253" => &[(0xAA, 0xAA), (0xD2, 0xD2), (0xFF, 0xFF)],
        "windows-1255" => &[(0xD9, 0xDF), (0xFB, 0xFC), (0xFF, 0xFF)],
        "windows-1257" => &[(0xA1, 0xA1), (0xA5, 0xA5)],
        "ISO-8859-3" => &[
            (0xA5, 0xA5),
            (0xAE, 0xAE),
            (0xBE, 0xBE),
            (0xC3, 0xC3),
            (0xD0, 0xD0),
            (0xE3, 0xE3),
            (0xF0, 0xF0),
        ],
        "ISO-8859-6" => &[
            (0xA1, 0xA3),
            (0xA5, 0xAB),
            (0xAE, 0xBA),
            (0xBC, 0xBE),
            (0xC0, 0xC0),
            (0xDB, 0xDF),
            (0xF3, 0xFF),
        ],
        "ISO-8859-7" => &[(0xAE, 0xAE), (0xD2, 0xD2), (0xFF, 0xFF)],
        "CP857" => &[(0xD5, 0xD5), (0xE7, 0xE7), (0xF2, 0xF2)],
        "ISO-8859-8" => &[(0xA1, 0xA1), (0xBF, 0xDE), (0xFB, 0xFC), (0xFF, 0xFF)],
        _ => &[],
    };
    ranges.iter().flat_map(|&(a, b)| a..=b).collect()
}

#[test]
fn single_byte_pages_are_bijective_but_for_their_unassigned_bytes() {
    let mut pages = 0;
    let bijective = |charset: &Charset| !charset.is_unicode() && *charset != Charset::CHESSBASE;
    for charset in Charset::all().filter(bijective) {
        pages += 1;
        let mut undecodable = Vec::new();
        for byte in 0..=255u8 {
            let bytes = [byte];
            let text = Text::new(&bytes, charset);
            match text.decode_strict() {
                Some(decoded) => {
                    assert_eq!(decoded.chars().count(), 1, "{charset} {byte:02X}");
                    assert_eq!(encode(&decoded, charset), bytes, "{charset} {byte:02X}");
                    assert_eq!(byte < 0x80, decoded.is_ascii(), "{charset} {byte:02X}");
                }
                None => {
                    assert_eq!(text.decode(), "\u{FFFD}");
                    undecodable.push(byte);
                }
            }
        }
        assert_eq!(undecodable, unassigned(charset), "{charset}");
    }
    assert_eq!(pages, 39);
}

/// Bytes with the same meaning as another, and the one that is written (docs/formats/cbf.md, 8.3).
const TWINS: [(u8, u8); 11] = [
    (0x9E, 0xE1),
    (0xB7, 0xAC),
    (0xB8, 0xAB),
    (0xC7, 0xC6),
    (0xCD, 0xCC),
    (0xCE, 0xCB),
    (0xEC, 0xBE),
    (0xF1, 0xBB),
    (0xF2, 0xC5),
    (0xF3, 0xC6),
    (0xFE, 0x0A),
];

#[test]
fn chessbase_page_is_bijective_but_for_its_twins() {
    for byte in 0..=255u8 {
        let text = decode(&[byte], Charset::CHESSBASE);
        let twin = TWINS.iter().find(|(from, _)| *from == byte);
        let written = twin.map_or(byte, |&(_, to)| to);
        assert_eq!(encode(&text, Charset::CHESSBASE), [written], "{byte:02X}");
        if byte < 0xB0 && byte != 0x9E {
            assert_eq!(text, decode(&[byte], Charset::CP437));
        }
    }
    let text = "Weiß spielt ♘f3";
    assert_eq!(decode(b"Wei\xE1 spielt \xB3f3", Charset::CHESSBASE), text);
    assert_eq!(decode(b"Wei\x9E\xFE", Charset::CHESSBASE), "Weiß\n");
}

#[test]
fn known_letters_of_each_family() {
    let samples: [(&str, &[u8], &str); 20] = [
        ("cp1251", b"\xCA\xE0\xF1\xEF\xE0\xF0\xEE\xE2", "Каспаров"),
        ("koi8-r", b"\xEB\xC1\xD3\xD0\xC1\xD2\xCF\xD7", "Каспаров"),
        ("koi8-u", b"\xA4\xA6\xA7\xAD", "єіїґ"),
        ("cp866", b"\x8A\xA0\xE1\xAF\xA0\xE0\xAE\xA2", "Каспаров"),
        (
            "iso-8859-5",
            b"\xBA\xD0\xE1\xDF\xD0\xE0\xDE\xD2",
            "Каспаров",
        ),
        (
            "x-mac-cyrillic",
            b"\x8A\xE0\xF1\xEF\xE0\xF0\xEE\xE2",
            "Каспаров",
        ),
        ("cp1250", b"Ftacn\xEDk, \x8Aahovi\xE6", "Ftacník, Šahović"),
        ("iso-8859-2", b"\xA9ahovi\xE6", "Šahović"),
        ("cp1252", b"H\xFCbner \x96 \x80", "Hübner – €"),
        ("latin1", b"H\xFCbner \x96", "Hübner \u{96}"),
        ("iso-8859-15", b"\xA4", "€"),
        ("cp437", b"H\x81bner", "Hübner"),
        ("cp850", b"\x9D \xE0", "Ø Ó"),
        ("macintosh", b"H\x9Fbner", "Hübner"),
        ("cp1253", b"\xC1\xE8\xDE\xED\xE1", "Αθήνα"),
        ("cp1254", b"\xDD\xFE\xF0", "İşğ"),
        ("cp1255", b"\xF9\xEC\xE5\xED", "שלום"),
        ("cp1256", b"\xD4", "ش"),
        ("cp1257", b"\xD0\xE8", "Šč"),
        ("cp1258", b"\xD0", "Đ"),
    ];
    for (name, bytes, text) in samples {
        let charset = Charset::by_name(name).unwrap();
        assert_eq!(decode(bytes, charset), text, "{name}");
        assert_eq!(encode(text, charset), bytes, "{name}");
    }
}

#[test]
fn names_and_aliases_are_found_and_belong_to_one_charset() {
    let mut seen = Vec::new();
    for charset in Charset::all() {
        assert_eq!(Charset::by_name(charset.name()), Some(charset));
        assert_eq!(
            Charset::by_name(&charset.name().to_uppercase()),
            Some(charset)
        );
        assert!(!charset.aliases().is_empty());
        for alias in charset.aliases() {
            assert_eq!(Charset::by_name(alias), Some(charset), "{alias}");
            assert!(!seen.contains(alias), "{alias} twice");
            seen.push(alias);
        }
    }
    for (name, charset) in [
        ("windows-1251", Charset::WINDOWS_1251),
        ("CP1251", Charset::WINDOWS_1251),
        ("Latin-1", Charset::LATIN_1),
        ("iso_8859-1", Charset::LATIN_1),
        ("utf8", Charset::UTF_8),
        ("dos437", Charset::CP437),
        ("IBM850", Charset::CP850),
        ("mac", Charset::MACINTOSH),
        ("KOI8_R", Charset::KOI8_R),
        ("cesu8", Charset::CESU_8),
    ] {
        assert_eq!(Charset::by_name(name), Some(charset), "{name}");
    }
    for name in [
        "",
        "-",
        "utf7",
        "cp1259",
        "кои8",
        "a name that is far too long to be any charset at all",
    ] {
        assert_eq!(Charset::by_name(name), None, "{name}");
    }
    assert_eq!(size_of::<Charset>(), 2);
}

#[test]
fn a_byte_order_mark_is_a_character_like_any_other() {
    let bytes = b"\xEF\xBB\xBFabc";
    assert_eq!(decode(bytes, Charset::WINDOWS_1252), "ï»¿abc");
    assert_eq!(decode(bytes, Charset::UTF_8), "\u{FEFF}abc");
    assert_eq!(decode(b"\xFF\xFEa\0", Charset::WINDOWS_1251), "яюa\0");
}

#[test]
fn decoding_borrows_where_it_can() {
    for charset in Charset::all() {
        let text = Text::new(b"Kasparov, G", charset).decode();
        assert!(matches!(text, Cow::Borrowed(_)), "{charset}");
    }
    let text = Text::new("Каспаров".as_bytes(), Charset::UTF_8).decode_strict();
    assert!(matches!(text, Some(Cow::Borrowed("Каспаров"))));
}

#[test]
fn what_a_page_lacks_is_counted_and_never_an_entity() {
    let mut out = b"kept".to_vec();
    assert_eq!(
        Charset::WINDOWS_1252.encode_strict("aЖb€Ж♞", &mut out),
        Err(Unmappable {
            count: 3,
            first: 'Ж'
        })
    );
    assert_eq!(out, b"kept");
    for (charset, expected) in [
        (Charset::WINDOWS_1252, &b"a?b\x80??"[..]),
        (Charset::LATIN_1, b"a?b???"),
        (Charset::CP850, b"a?b???"),
        (Charset::WINDOWS_1251, b"a\xC6b\x88\xC6?"),
    ] {
        let mut out = Vec::new();
        let lost = charset.encode_lossy("aЖb€Ж♞", &mut out);
        assert_eq!(out, expected, "{charset}");
        assert_eq!(
            lost,
            expected.iter().filter(|&&byte| byte == b'?').count(),
            "{charset}"
        );
    }
    let one = Charset::CP437.encode_strict("Ж", &mut Vec::new());
    assert_eq!(
        one.unwrap_err().to_string(),
        "the encoding has no code for 'Ж' (U+0416)"
    );
}

#[test]
fn conversion_counts_what_is_lost_and_copies_where_it_can() {
    let convert = |bytes: &[u8], from, to| {
        let mut out = Vec::new();
        let lost = Text::new(bytes, from).convert_into(to, &mut out);
        (out, lost)
    };
    let (win, utf, dos) = (Charset::WINDOWS_1253, Charset::UTF_8, Charset::CP850);
    // The same charset keeps even invalid bytes.
    assert_eq!(convert(b"a\xAAb", win, win), (b"a\xAAb".to_vec(), 0));
    assert_eq!(convert(b"\xC3\x28", utf, utf), (b"\xC3\x28".to_vec(), 0));
    // An unassigned byte is one loss, in Unicode and elsewhere.
    assert_eq!(
        convert(b"a\xAAb", win, utf),
        ("a\u{FFFD}b".as_bytes().to_vec(), 1)
    );
    assert_eq!(convert(b"a\xAAb", win, dos), (b"a?b".to_vec(), 1));
    assert_eq!(convert(b"a\xFFb\xE9", utf, dos), (b"a?b?".to_vec(), 2));
    // U+FFFD in the source is no loss in Unicode.
    assert_eq!(
        convert("\u{FFFD}".as_bytes(), utf, Charset::CESU_8),
        ("\u{FFFD}".as_bytes().to_vec(), 0)
    );
    assert_eq!(
        convert("Müller, Ødegård".as_bytes(), utf, dos),
        (b"M\x81ller, \x9Ddeg\x86rd".to_vec(), 0)
    );
    // Longer than any internal buffer.
    let long = "Жук".repeat(5000);
    let (cyrillic, lost) = convert(long.as_bytes(), utf, Charset::WINDOWS_1251);
    assert_eq!((cyrillic.len(), lost), (15_000, 0));
    let (back, lost) = convert(&cyrillic, Charset::WINDOWS_1251, utf);
    assert_eq!((back, lost), (long.clone().into_bytes(), 0));
    assert_eq!(
        convert(long.as_bytes(), utf, dos),
        (vec![b'?'; 15_000], 15_000)
    );
}

#[test]
fn cesu_8_pairs_surrogates() {
    let knight = "a\u{1FA00}b";
    let cesu = b"a\xED\xA0\xBE\xED\xB8\x80b";
    assert_eq!(encode(knight, Charset::CESU_8), cesu);
    assert_eq!(decode(cesu, Charset::CESU_8), knight);
    // Plain UTF-8 is accepted.
    assert_eq!(decode(knight.as_bytes(), Charset::CESU_8), knight);
    // A lone surrogate, the wrong order, a truncated pair.
    for (bytes, text) in [
        (&b"a\xED\xA0\xBEb"[..], "a\u{FFFD}b"),
        (b"\xED\xB8\x80\xED\xA0\xBE", "\u{FFFD}\u{FFFD}"),
        (b"\xED\xA0\xBE\xED\xB8", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        (b"\xED\xA0\xBE\xED\xA0\xBE\xED\xB8\x80", "\u{FFFD}\u{1FA00}"),
        (b"\xFFa", "\u{FFFD}a"),
    ] {
        assert_eq!(decode(bytes, Charset::CESU_8), text, "{bytes:X?}");
        assert_eq!(Text::new(bytes, Charset::CESU_8).decode_strict(), None);
    }
}

#[test]
fn utf_8_is_detected() {
    let other = Charset::WINDOWS_1252;
    for (bytes, expected) in [
        (&b""[..], Charset::UTF_8),
        (b"ascii", Charset::UTF_8),
        ("Tönu".as_bytes(), Charset::UTF_8),
        (b"T\xF6nu", other),
        (b"cut \xC3", other),
        (b"\xED\xA0\xBE", other),
    ] {
        assert_eq!(Charset::detect_utf8_or(bytes, other), expected);
    }
}

pub(crate) fn any_charset() -> impl Strategy<Value = Charset> {
    proptest::sample::select(Charset::all().collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn valid_bytes_come_back_and_others_are_noticed(
        bytes in proptest::collection::vec(any::<u8>(), 0..700),
        charset in any_charset(),
    ) {
        let text = Text::new(&bytes, charset);
        match text.decode_strict() {
            // CESU-8 accepts plain UTF-8 and writes its own form.
            Some(decoded) if ![Charset::CESU_8, Charset::UTF_8_TWICE].contains(&charset) => {
                let back = encode(&decoded, charset);
                if charset == Charset::CHESSBASE {
                    // Of several bytes with the same meaning, one is written.
                    prop_assert_eq!(decode(&back, charset), text.decode());
                } else {
                    prop_assert_eq!(back, bytes.clone());
                }
                prop_assert_eq!(&text.decode(), &decoded);
            }
            Some(_) => {}
            None => {
                let replaced = text.decode().contains(char::REPLACEMENT_CHARACTER);
                prop_assert!(replaced);
            }
        }
        let mut out = Vec::new();
        let lost = text.convert_into(Charset::UTF_8, &mut out);
        if charset == Charset::UTF_8 {
            prop_assert_eq!(&out, &bytes);
        } else {
            // U+FFFD may occur in the source of Unicode texts, but not in a code page.
            let replaced = text.decode().matches(char::REPLACEMENT_CHARACTER).count();
            prop_assert!(lost == replaced || charset.is_unicode());
            prop_assert_eq!(std::str::from_utf8(&out).unwrap(), text.decode());
        }
    }

    #[test]
    fn utf_8_decodes_as_the_standard_library_does(
        bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(0xED), Just(0xF0), Just(0x9F), 0x80u8..0xC0], 0..40),
    ) {
        prop_assert_eq!(decode(&bytes, Charset::UTF_8), String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn unicode_charsets_write_every_text(text in any::<String>()) {
        for charset in [Charset::UTF_8, Charset::CESU_8] {
            prop_assert_eq!(&decode(&encode(&text, charset), charset), &text);
        }
    }

    #[test]
    fn strict_and_lossy_encoding_agree(text in "[ -~À-ÿĀ-žА-я☀-♯\u{1FA00}]{0,300}", charset in any_charset()) {
        let mut strict = Vec::new();
        let mut lossy = Vec::new();
        let lost = charset.encode_lossy(&text, &mut lossy);
        match charset.encode_strict(&text, &mut strict) {
            Ok(()) => {
                prop_assert_eq!(lost, 0);
                prop_assert_eq!(&strict, &lossy);
                // This charset writes UTF-8, and reads a text that looks converted twice otherwise.
                if charset != Charset::UTF_8_TWICE {
                    prop_assert_eq!(&decode(&strict, charset), &text);
                }
            }
            Err(unmappable) => {
                prop_assert_eq!(lost, unmappable.count);
                prop_assert!(text.contains(unmappable.first));
                prop_assert!(strict.is_empty());
                let asked = text.matches('?').count();
                let written = lossy.iter().filter(|&&byte| byte == b'?').count();
                prop_assert_eq!(written, asked + lost);
            }
        }
    }
}
