//! Single-byte code pages that `encoding_rs` lacks: the upper 128 characters of each.
//!
//! The lower half is ASCII in all of them: in texts of databases the bytes 00..1F are control
//! characters, not the graphics that a DOS screen shows for them.

/// The characters for the bytes 80..FF, in order; U+FFFD for unassigned bytes.
pub(crate) type Table = [char; 128];

/// DOS code page 437, United States. A test compares it with the dev-dependency `oem_cp`.
pub(crate) static CP437: Table = table(
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
     └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩\
     ≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}",
);

/// DOS code page 850, Western Europe. A test compares it with the dev-dependency `oem_cp`.
pub(crate) static CP850: Table = table(
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
     └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\
     \u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}",
);

/// ChessBase's code page for DOS (docs/formats/cbf.md, sections 6 and 8.3): code page 437 up to AF,
/// then fractions, figurines and annotation symbols (their exact shapes are unknown). FE is a line
/// break, FF ends a comment. If several bytes have the same meaning, [`byte_for`] returns the
/// standard one; unknown bytes are as in code page 437.
pub(crate) static CHESSBASE: Table = table(
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥ßƒáíóúñÑªº¿⌐¬½¼¡«»‖♔♕♘♗♖♙¼½¾║±⩲⯹∞⧝\
     ⩱∓◫◩◨≥≤≤\u{2002}□∆⟪⟫⟫⟪↑→⇆⟋⊞⇔⊥×⊙⊕♟⯺⯼⯽∟⌟⟳αßΓπΣσµτΦΘΩδ∞φε∩\
     ≡±≥≤⌠⌡÷≈•∙·√ⁿ²\n\u{A0}",
);

/// ChessBase's code page for comments on Windows (docs/formats/cbh.md, section 8.4): windows-1252
/// with annotation symbols, with the same characters as in [`CHESSBASE`] where both have a symbol;
/// 9E is a diagram. Bytes that windows-1252 leaves undefined are control characters.
pub(crate) static CHESSBASE_WINDOWS: Table = table(
    "€\u{81}→↑⇆∆○⊙ˆ‰Š‹Œ\u{8D}Ž\u{8F}⟳⇔⟋⊕⊞•–—˜□š›œ\u{9D}▦Ÿ\
     \u{A0}¡♔♕♘♗♖♙¨⧝∟⟪⊥◫◩◨⯹±⩲⩱´∓¶·¸≥⌟⟫¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ\
     ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö∞øùúûüý⯽ÿ",
);

/// DOS code page 737, Greek.
pub(crate) static CP737: Table = table(
    "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
     └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ωάέήϊίόύϋώΆΈΉΊΌΎ\
     Ώ±≥≤ΪΫ÷≈°∙·√ⁿ²■\u{A0}",
);

/// DOS code page 852, Central Europe.
pub(crate) static CP852: Table = table(
    "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐\
     └┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\
     \u{AD}˝˛ˇ˘§÷¸°¨˙űŘř■\u{A0}",
);

/// DOS code page 855, Cyrillic.
pub(crate) static CP855: Table = table(
    "ђЂѓЃёЁєЄѕЅіІїЇјЈљЉњЊћЋќЌўЎџЏюЮъЪаАбБцЦдДеЕфФгГ«»░▒▓│┤хХиИ╣║╗╝йЙ┐\
     └┴┬├─┼кК╚╔╩╦╠═╬¤лЛмМнНоОп┘┌█▄Пя▀ЯрРсСтТуУжЖвВьЬ№\
     \u{AD}ыЫзЗшШэЭщЩчЧ§■\u{A0}",
);

/// DOS code page 857, Turkish; three bytes are unassigned.
pub(crate) static CP857: Table = table(
    "ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞşáíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
     └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ\u{FFFD}ÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµ\u{FFFD}×ÚÛÙìÿ¯´\
     \u{AD}±\u{FFFD}¾¶§÷¸°¨·¹³²■\u{A0}",
);

/// DOS code page 862, Hebrew.
pub(crate) static CP862: Table = table(
    "אבגדהוזחטיךכלםמןנסעףפץצקרשת¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
     └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩\
     ≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}",
);

/// MIK, Bulgaria's code page for DOS: the letters in order, box drawing as in code page 437 but at
/// other positions, then code page 437.
pub(crate) static MIK: Table = table(
    "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя\
     └┴┬├─┼╣║╚╔╩╦╠═╬┐░▒▓│┤№§╗╝┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩\
     ≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}",
);

/// Mac OS, Central Europe.
pub(crate) static MAC_CE: Table = table(
    "ÄĀāÉĄÖÜáąČäčĆćéŹźĎíďĒēĖóėôöõúĚěü†°Ę£§•¶ß®©™ę¨≠ģĮįĪ≤≥īĶ∂∑łĻļĽľĹĺŅ\
     ņŃ¬√ńŇ∆«»…\u{A0}ňŐÕőŌ–—“”‘’÷◊ōŔŕŘ‹›řŖŗŠ‚„šŚśÁŤťÍŽžŪÓÔ\
     ūŮÚůŰűŲųÝýķŻŁżĢˇ",
);

/// Latin-5, Turkish: ISO-8859-1 except for six letters, including 80..9F. Not windows-1254.
pub(crate) static ISO_8859_9: Table = table(
    "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\
     \u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\
     \u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ\
     ĞÑÒÓÔÕÖ×ØÙÚÛÜİŞßàáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ",
);

/// Returns these 128 characters as a table. The compiler evaluates this, so any other number of them
/// is an error.
#[expect(clippy::panic, reason = "evaluated by the compiler, which reports it")]
pub(super) const fn table(characters: &str) -> Table {
    let mut table = ['\0'; 128];
    let mut places: &mut [char] = &mut table;
    let mut bytes = characters.as_bytes();
    while let Some((place, other_places)) = places.split_first_mut() {
        let (code, length) = match *bytes {
            [a @ ..0x80, ..] => (a as u32, 1),
            [a @ ..0xE0, b, ..] => ((a as u32 & 0x1F) << 6 | b as u32 & 0x3F, 2),
            [a, b, c, ..] => (
                (a as u32 & 15) << 12 | (b as u32 & 0x3F) << 6 | c as u32 & 0x3F,
                3,
            ),
            _ => panic!("fewer than 128 characters"),
        };
        *place = match char::from_u32(code) {
            Some(character) => character,
            None => panic!("a character of four bytes"),
        };
        bytes = bytes.split_at(length).1;
        places = other_places;
    }
    assert!(bytes.is_empty(), "more than 128 characters");
    table
}

/// ISO-8859-1 according to the standard: each byte is its own code point, including 80..9F.
pub(crate) static LATIN_1: Table = latin_1();

const fn latin_1() -> Table {
    let mut table = ['\0'; 128];
    let mut byte = 0x80u8;
    let mut rest: &mut [char] = &mut table;
    while let Some((first, tail)) = rest.split_first_mut() {
        *first = byte as char;
        byte = byte.wrapping_add(1);
        rest = tail;
    }
    table
}

/// Returns the byte of a character that is not ASCII. If there are several, the first, except for
/// ß: there the first is the one of the Atari and the last the one of DOS.
pub(crate) fn byte_for(table: &Table, c: char) -> Option<u8> {
    if c == char::REPLACEMENT_CHARACTER {
        return None;
    }
    let mut entries = table.iter();
    let index = match c {
        'ß' => entries.rposition(|&entry| entry == c)?,
        _ => entries.position(|&entry| entry == c)?,
    };
    u8::try_from(index + 0x80).ok()
}

/// Returns the character of one byte, including ASCII.
pub(crate) fn char_for(table: &Table, byte: u8) -> char {
    match byte.checked_sub(0x80) {
        Some(upper) => table.get(usize::from(upper)).copied().unwrap_or('\u{FFFD}'),
        None => char::from(byte),
    }
}
