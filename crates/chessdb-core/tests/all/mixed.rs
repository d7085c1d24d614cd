//! Tests of texts that mix UTF-8 with bytes of a code page (docs/decisions/0015-text-by-text.md).

use chessdb_core::text::{Charset, EncodingDetector, Text};
use proptest::prelude::*;

const WIN: Charset = Charset::WINDOWS_1252;

fn judged(bytes: &[u8], page: Charset) -> (Charset, String) {
    let charset = Charset::detect_utf8_or(bytes, page);
    (charset, Text::new(bytes, charset).decode().into_owned())
}

fn encode(text: &str, page: Charset) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    page.encode_strict(text, &mut out).ok().map(|()| out)
}

/// Returns the result of Scid's import of text in windows-1252: bytes from C0 that are not followed
/// by a byte from 80 to BF become UTF-8, all others are kept (docs/formats/scid.md, section 8).
fn as_scid_imports(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (n, &byte) in bytes.iter().enumerate() {
        let follows = bytes.get(n + 1).is_some_and(|next| next & 0xC0 == 0x80);
        if byte >= 0xC0 && !follows {
            out.extend(char::from(byte).to_string().bytes());
        } else {
            out.push(byte);
        }
    }
    out
}

#[test]
fn each_text_is_judged_by_its_words() {
    let (utf8, both) = (Charset::UTF_8, WIN.beside_utf8());
    for (bytes, charset, text) in [
        // As Scid imports windows-1252.
        (
            &b"\x8Amejkal, J\xC3\xA9r\xC3\xB4me"[..],
            both,
            "Šmejkal, Jérôme",
        ),
        (
            b"Coupe d\x92\xC3\xA9t\xC3\xA9 \x96 \x9Cuvre",
            both,
            "Coupe d’été – œuvre",
        ),
        // QUIRK: a sharp s before a quotation mark is kept; the two bytes are well-formed UTF-8 for
        // a letter of N'Ko.
        (b"\x84Wei\xDF\x93 sch\xC3\xB6n", both, "„Weiß“ schön"),
        // UTF-8 with bytes of a code page between.
        (b"M\xC3\xBCller, \xD6dipus", both, "Müller, Ödipus"),
        ("Карпов \u{1}".as_bytes(), utf8, "Карпов \u{1}"),
        (
            b"\x93\xD0\x9A\xD0\xB0\xD1\x80\xD0\xBF\xD0\xBE\xD0\xB2\x94",
            both,
            "“Карпов”",
        ),
        (b"\xE2\x99\x98f3 \x96", both, "♘f3 –"),
        (b"caf\xE9 \xE2\x80\x93 caf\xC3\xA9", both, "café – café"),
        (b"\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D \x96", both, "שלום –"),
        (b"\xE5\xAE\xAE\xE6\x9C\xAC \xFC", both, "宮本 ü"),
        // A surrogate pair, as Java writes it.
        (b"\xED\xA0\xBE\xED\xB8\x80 \xFC", both, "\u{1FA00} ü"),
        // Only a code page, although sequences occur in it.
        (b"\x84Wei\xDF\x93 sch\xF6n", WIN, "„Weiß“ schön"),
        (b"Wei\xDF\x96Schwarz", WIN, "Weiß–Schwarz"),
        (b"\x93CAF\xC9\x94 \xE9", WIN, "“CAFÉ” é"),
        (b"na\xEFve", WIN, "naïve"),
        // Only UTF-8, even if it is unusual.
        (
            "K\u{430}sparov \u{6FF}".as_bytes(),
            utf8,
            "K\u{430}sparov \u{6FF}",
        ),
        ("สมชาย".as_bytes(), utf8, "สมชาย"),
        ("ߒߞߏ".as_bytes(), utf8, "ߒߞߏ"),
        ("\u{96}".as_bytes(), utf8, "\u{96}"),
    ] {
        let expected = (charset, text.to_owned());
        assert_eq!(judged(bytes, WIN), expected, "{}", bytes.escape_ascii());
    }
}

/// A code page given by the caller is treated alike, although its texts contain many well-formed
/// sequences.
#[test]
fn a_named_page_keeps_its_texts() {
    for (text, page) in [
        ("каспаров рам уже", Charset::IBM866),
        ("Сёмин, Пётр; ДИНАМО» Рёв", Charset::WINDOWS_1251),
        ("её всё полёт", Charset::KOI8_R),
        ("l’été – Éric", Charset::MACINTOSH),
        ("Úžasný Čáslav", Charset::WINDOWS_1250),
    ] {
        let bytes = encode(text, page).unwrap();
        assert_eq!(judged(&bytes, page), (page, text.to_owned()));
        let mut beside = bytes.clone();
        beside.extend(" Müller, Карпов".bytes());
        let both = (page.beside_utf8(), format!("{text} Müller, Карпов"));
        assert_eq!(judged(&beside, page), both);
    }
}

#[test]
fn texts_near_a_page_are_that_page_unless_they_read_better() {
    let game = encode("Каспаров - её партия, рам", Charset::KOI8_R).unwrap();
    let detector = EncodingDetector::from_texts(&game, Charset::KOI8_R);
    for (bytes, charset) in [
        (&b"\xC5\xA3"[..], Charset::KOI8_R),
        (b"plain", Charset::UTF_8),
        ("Müller".as_bytes(), Charset::UTF_8),
        ("Карпов".as_bytes(), Charset::UTF_8),
    ] {
        assert_eq!(detector.charset(bytes), charset, "{}", bytes.escape_ascii());
    }
    assert_eq!(judged(b"\xC5\xA3", Charset::KOI8_R).0, Charset::UTF_8);
}

#[test]
fn a_charset_beside_utf_8_is_one_of_its_own() {
    let both = WIN.beside_utf8();
    assert_ne!(both, WIN);
    assert_eq!(
        (both.page(), both.beside_utf8(), both.name()),
        (WIN, both, "windows-1252")
    );
    assert_eq!(both.to_string(), "UTF-8 beside windows-1252");
    assert!(both.is_mixed() && both.is_unicode() && !WIN.is_mixed());
    assert!(Charset::all().all(|charset| !charset.is_mixed()));
    assert_eq!(Charset::UTF_8.beside_utf8(), Charset::UTF_8);
    assert_eq!(Charset::CESU_8.beside_utf8(), Charset::CESU_8);
    // Text is written in it as UTF-8. Unassigned bytes are kept in it and lost in other charsets.
    assert_eq!(encode("Müller", both).unwrap(), "Müller".as_bytes());
    let greek = Charset::WINDOWS_1253.beside_utf8();
    let text = Text::new(b"\xAA M\xC3\xBCller", greek);
    let mut out = Vec::new();
    assert_eq!(text.convert_into(greek, &mut out), 0);
    assert_eq!(out, text.as_bytes());
    out.clear();
    assert_eq!(text.convert_into(Charset::UTF_8, &mut out), 1);
    assert_eq!(out, "\u{FFFD} Müller".as_bytes());
    assert_eq!(text.decode_strict(), None);
    // U+FFFD in the source is no loss.
    let text = Text::new(b"\xEF\xBF\xBDM\xC3\xBCller", both);
    assert!(text.decode_strict().is_some());
}

/// Returns the two readings of a word, computed in the simplest way.
fn readings(word: &[u8], page: Charset) -> [String; 2] {
    let by_page = |bytes| Text::new(bytes, page).decode().into_owned();
    let mut sequences = String::new();
    for chunk in word.utf8_chunks() {
        sequences += chunk.valid();
        sequences += &by_page(chunk.invalid());
    }
    [by_page(word), sequences]
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80
}

/// Generates texts of pieces in different charsets, without surrogates, which `utf8_chunks` does
/// not support.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[a-zA-Z .-]{0,6}".prop_map(String::into_bytes),
        "[à-ÿА-яĀ-ſα-ω♔-♟“”–ߊ-ߪ]{1,6}".prop_map(String::into_bytes),
        proptest::collection::vec((0x80u8..).prop_filter("surrogates", |&b| b != 0xED), 0..5),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn every_word_is_one_of_its_two_readings(
        bytes in pieces(),
        page in proptest::sample::select(Charset::all().filter(|c| !c.is_unicode()).collect::<Vec<_>>()),
    ) {
        let decoded = Text::new(&bytes, page.beside_utf8()).decode();
        let mut rest = &*decoded;
        for word in bytes.chunk_by(|&a, &b| is_word_byte(a) == is_word_byte(b)) {
            let reading = readings(word, page).into_iter().find(|word| rest.starts_with(word));
            prop_assert!(reading.is_some(), "{rest:?} {}", word.escape_ascii());
            rest = &rest[reading.unwrap().len()..];
        }
        // Text that the detector assigns to one charset decodes with that charset.
        let (charset, text) = judged(&bytes, page);
        if std::str::from_utf8(&bytes).is_err() {
            prop_assert!(charset == page || charset == page.beside_utf8());
        }
        if charset == Charset::UTF_8 {
            prop_assert_eq!(text.as_bytes(), &bytes[..]);
        }
        if charset == page.beside_utf8() {
            prop_assert_ne!(Text::new(&bytes, page).decode(), text);
        }
        // Nothing is lost except unassigned bytes of the code page.
        let mut out = Vec::new();
        let lost = Text::new(&bytes, charset).convert_into(Charset::UTF_8, &mut out);
        if charset != Charset::UTF_8 {
            prop_assert_eq!(std::str::from_utf8(&out).unwrap(), &*Text::new(&bytes, charset).decode());
        }
        prop_assert_eq!(lost > 0, Text::new(&bytes, charset).decode_strict().is_none());
    }

    #[test]
    fn no_bytes_are_too_odd(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        for page in [WIN, Charset::IBM866, Charset::WINDOWS_1255] {
            let (charset, text) = judged(&bytes, page);
            prop_assert!(charset == Charset::UTF_8 || charset.page() == page);
            let mut out = Vec::new();
            Text::new(&bytes, charset).convert_into(charset, &mut out);
            prop_assert_eq!(&out, &bytes);
            prop_assert!(text.is_empty() == bytes.is_empty());
        }
    }
}

/// Checks texts of a megabyte; a quadratic algorithm would take hours.
#[test]
fn long_texts_take_their_length() {
    for unit in [
        &b"\xC3\xBC\xFC"[..],
        b"\xDF\x93",
        b"\xE1\xAF",
        b"\xFC",
        b" \xC3\xBC\x96",
    ] {
        let bytes = unit.repeat((1 << 20) / unit.len());
        let (charset, text) = judged(&bytes, WIN);
        assert!(text.chars().count() >= bytes.len() / 2);
        let valid = std::str::from_utf8(&bytes).is_ok();
        assert_eq!(charset == Charset::UTF_8, valid);
    }
}

/// Checks the name lists of the external test data in their code pages: alone, mixed with UTF-8,
/// and as Scid imports them.
#[test]
fn name_lists_come_out_right() {
    let Some(root) = std::env::var_os("CHESSDB_TESTDATA") else {
        println!("CHESSDB_TESTDATA is not set: the name lists are not tried");
        return;
    };
    let root = std::path::Path::new(&root).join("encodings");
    let (mut all, mut wrong) = ([0u32; 4], [0u32; 4]);
    let mut files = 0;
    for (list, pages) in LISTS {
        let lines = std::fs::read_to_string(root.join(list).with_extension("txt")).unwrap();
        files += 1;
        for page in pages.iter().map(|name| Charset::by_name(name).unwrap()) {
            let lines: Vec<&str> = lines.lines().filter(|line| !line.is_ascii()).collect();
            for (n, line) in lines.iter().enumerate() {
                let Some(bytes) = encode(line, page) else {
                    continue;
                };
                let next = lines[(n + 1) % lines.len()];
                let mut tried = vec![(0, bytes.clone(), (*line).to_owned())];
                tried.push((
                    1,
                    [&bytes, &b" "[..], next.as_bytes()].concat(),
                    format!("{line} {next}"),
                ));
                tried.push((
                    2,
                    [line.as_bytes(), b" \x96"].concat(),
                    format!("{line} {}", Text::new(b"\x96", page).decode()),
                ));
                if page == WIN {
                    tried.push((3, as_scid_imports(&bytes), (*line).to_owned()));
                }
                for (kind, bytes, text) in tried {
                    all[kind] += 1;
                    let decoded = judged(&bytes, page);
                    if decoded.1 != text {
                        wrong[kind] += 1;
                        println!(
                            "{list} {page} {kind}: {text} came out as {} ({})",
                            decoded.1, decoded.0
                        );
                    }
                }
            }
        }
    }
    println!("{files} lists, lines {all:?}, wrong {wrong:?}");
    // In a code page; mixed with a line of UTF-8; UTF-8 with one byte of a code page; Scid's
    // import.
    assert_eq!((wrong[0], wrong[3]), (0, 0));
    assert!(wrong[1] + wrong[2] <= 5);
}

const LISTS: [(&str, &[&str]); 17] = [
    (
        "russian",
        &["1251", "866", "koi8-r", "iso-8859-5", "mac-cyrillic"],
    ),
    (
        "ukrainian",
        &["1251", "koi8-u", "iso-8859-5", "mac-cyrillic"],
    ),
    ("bulgarian", &["1251", "866", "iso-8859-5", "mac-cyrillic"]),
    ("polish", &["1250", "iso-8859-2"]),
    ("czech-slovak", &["1250", "iso-8859-2"]),
    ("hungarian", &["1250", "iso-8859-2"]),
    ("yugoslav-latin", &["1250", "iso-8859-2"]),
    ("german", &["1252", "437", "850", "iso-8859-15", "mac"]),
    ("french", &["1252", "437", "850", "iso-8859-15", "mac"]),
    ("spanish-portuguese", &["1252", "437", "850", "mac"]),
    ("scandinavian", &["1252", "850", "latin1", "mac"]),
    ("turkish", &["1254"]),
    ("greek", &["1253", "iso-8859-7"]),
    ("hebrew", &["1255", "iso-8859-8"]),
    ("baltic", &["1257"]),
    ("english", &["1252", "850", "mac"]),
    ("international", &["1252", "1250", "437", "850", "mac"]),
];
