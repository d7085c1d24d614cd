//! Tables for the code pages of `encoding_rs`, for the web and the wheel, where size matters:
//! `encoding_rs` includes the encodings of East Asia. A test compares each table with the library.

use super::charset::Page;
use super::convert::{self, Unmappable};
use super::tables::{Table, table};

/// A code page as a table, with the same methods as the type in [`super::library`].
pub(super) struct PageCodec(&'static Table);

impl PageCodec {
    pub(super) fn for_page(page: Page) -> Option<PageCodec> {
        Some(PageCodec(match page {
            Page::Ibm866 => &IBM866,
            Page::Koi8R => &KOI8_R,
            Page::Koi8U => &KOI8_U,
            Page::Macintosh => &MACINTOSH,
            Page::MacCyrillic => &MAC_CYRILLIC,
            Page::Windows874 => &WINDOWS_874,
            Page::Windows1250 => &WINDOWS_1250,
            Page::Windows1251 => &WINDOWS_1251,
            Page::Windows1252 => &WINDOWS_1252,
            Page::Windows1253 => &WINDOWS_1253,
            Page::Windows1254 => &WINDOWS_1254,
            Page::Windows1255 => &WINDOWS_1255,
            Page::Windows1256 => &WINDOWS_1256,
            Page::Windows1257 => &WINDOWS_1257,
            Page::Windows1258 => &WINDOWS_1258,
            Page::Iso2 => &ISO_8859_2,
            Page::Iso3 => &ISO_8859_3,
            Page::Iso4 => &ISO_8859_4,
            Page::Iso5 => &ISO_8859_5,
            Page::Iso6 => &ISO_8859_6,
            Page::Iso7 => &ISO_8859_7,
            Page::Iso8 => &ISO_8859_8,
            Page::Iso10 => &ISO_8859_10,
            Page::Iso13 => &ISO_8859_13,
            Page::Iso14 => &ISO_8859_14,
            Page::Iso15 => &ISO_8859_15,
            Page::Iso16 => &ISO_8859_16,
            _ => return None,
        }))
    }

    /// Appends a text and returns the characters that the code page lacks.
    pub(super) fn encode(&self, text: &str, out: &mut Vec<u8>) -> Option<Unmappable> {
        convert::encode_by_table(self.0, text, out)
    }

    /// Passes characters to `sink` and returns the number of unassigned bytes.
    pub(super) fn decode(&self, bytes: &[u8], sink: &mut impl FnMut(&str)) -> usize {
        convert::decode_by_table(self.0, bytes, sink)
    }
}

/// DOS code page 866, Cyrillic.
static IBM866: Table = table(
    "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмноп░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
     └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀рстуфхцчшщъыьэюя\
     ЁёЄєЇїЎў°∙·√№¤■\u{A0}",
);

/// KOI8-R.
static KOI8_R: Table = table(
    "─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{A0}⌡°²·÷═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞\
     ╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНО\
     ПЯРСТУЖВЬЫЗШЭЩЧЪ",
);

/// KOI8-U.
static KOI8_U: Table = table(
    "─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{A0}⌡°²·÷═║╒ёє╔ії╗╘╙╚╛ґў╞\
     ╟╠╡ЁЄ╣ІЇ╦╧╨╩╪ҐЎ©юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНО\
     ПЯРСТУЖВЬЫЗШЭЩЧЪ",
);

/// Macintosh, Roman.
static MACINTOSH: Table = table(
    "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø\
     ¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\
     \u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ",
);

/// Macintosh, Cyrillic.
static MAC_CYRILLIC: Table = table(
    "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ†°Ґ£§•¶І®©™Ђђ≠Ѓѓ∞±≤≥іµґЈЄєЇїЉљЊњ\
     јЅ¬√ƒ≈∆«»…\u{A0}ЋћЌќѕ–—“”‘’÷„ЎўЏџ№Ёёяабвгдежзийклмноп\
     рстуфхцчшщъыьэю€",
);

/// Windows 874, Thai.
static WINDOWS_874: Table = table(
    "€\u{81}\u{82}\u{83}\u{84}…\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}‘’“”•–—\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}\u{E01}\u{E02}\u{E03}\u{E04}\u{E05}\u{E06}\u{E07}\
     \u{E08}\u{E09}\u{E0A}\u{E0B}\u{E0C}\u{E0D}\u{E0E}\u{E0F}\
     \u{E10}\u{E11}\u{E12}\u{E13}\u{E14}\u{E15}\u{E16}\u{E17}\
     \u{E18}\u{E19}\u{E1A}\u{E1B}\u{E1C}\u{E1D}\u{E1E}\u{E1F}\
     \u{E20}\u{E21}\u{E22}\u{E23}\u{E24}\u{E25}\u{E26}\u{E27}\
     \u{E28}\u{E29}\u{E2A}\u{E2B}\u{E2C}\u{E2D}\u{E2E}\u{E2F}\
     \u{E30}\u{E31}\u{E32}\u{E33}\u{E34}\u{E35}\u{E36}\u{E37}\
     \u{E38}\u{E39}\u{E3A}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{E3F}\
     \u{E40}\u{E41}\u{E42}\u{E43}\u{E44}\u{E45}\u{E46}\u{E47}\
     \u{E48}\u{E49}\u{E4A}\u{E4B}\u{E4C}\u{E4D}\u{E4E}\u{E4F}\
     \u{E50}\u{E51}\u{E52}\u{E53}\u{E54}\u{E55}\u{E56}\u{E57}\
     \u{E58}\u{E59}\u{E5A}\u{E5B}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
);

/// Windows 1250, Central Europe.
static WINDOWS_1250: Table = table(
    "€\u{81}‚\u{83}„…†‡\u{88}‰Š‹ŚŤŽŹ\u{90}‘’“”•–—\u{98}™š›śťžź\
     \u{A0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{AD}®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎ\
     ĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙",
);

/// Windows 1251, Cyrillic.
static WINDOWS_1251: Table = table(
    "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{98}™љ›њќћџ\u{A0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{AD}®Ї\
     °±Ііґµ¶·ё№є»јЅѕїАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмноп\
     рстуфхцчшщъыьэюя",
);

/// Windows 1252, Western Europe.
static WINDOWS_1252: Table = table(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ\
     \u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ\
     ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ",
);

/// Windows 1253, Greek.
static WINDOWS_1253: Table = table(
    "€\u{81}‚ƒ„…†‡\u{88}‰\u{8A}‹\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}‘’“”•–—\u{98}™\u{9A}›\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}΅Ά£¤¥¦§¨©\u{FFFD}«¬\u{AD}®―°±²³΄µ¶·ΈΉΊ»Ό½ΎΏ\
     ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ\u{FFFD}ΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξο\
     πρςστυφχψωϊϋόύώ\u{FFFD}",
);

/// Windows 1254, Turkish.
static WINDOWS_1254: Table = table(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}\u{8E}\u{8F}\
     \u{90}‘’“”•–—˜™š›œ\u{9D}\u{9E}Ÿ\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯\
     °±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞßàáâãäåæçèéêëìíîï\
     ğñòóôõö÷øùúûüışÿ",
);

/// Windows 1255, Hebrew.
static WINDOWS_1255: Table = table(
    "€\u{81}‚ƒ„…†‡ˆ‰\u{8A}‹\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}‘’“”•–—˜™\u{9A}›\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}¡¢£₪¥¦§¨©×«¬\u{AD}®¯°±²³´µ¶·¸¹÷»¼½¾¿\
     \u{5B0}\u{5B1}\u{5B2}\u{5B3}\u{5B4}\u{5B5}\u{5B6}\u{5B7}\
     \u{5B8}\u{5B9}\u{5BA}\u{5BB}\u{5BC}\u{5BD}\u{5BE}\u{5BF}\
     \u{5C0}\u{5C1}\u{5C2}\u{5C3}\u{5F0}\u{5F1}\u{5F2}\u{5F3}\
     \u{5F4}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\
     \u{5D0}\u{5D1}\u{5D2}\u{5D3}\u{5D4}\u{5D5}\u{5D6}\u{5D7}\
     \u{5D8}\u{5D9}\u{5DA}\u{5DB}\u{5DC}\u{5DD}\u{5DE}\u{5DF}\
     \u{5E0}\u{5E1}\u{5E2}\u{5E3}\u{5E4}\u{5E5}\u{5E6}\u{5E7}\
     \u{5E8}\u{5E9}\u{5EA}\u{FFFD}\u{FFFD}\u{200E}\u{200F}\u{FFFD}",
);

/// Windows 1256, Arabic.
static WINDOWS_1256: Table = table(
    "€\u{67E}‚ƒ„…†‡ˆ‰\u{679}‹Œ\u{686}\u{698}\u{688}\
     \u{6AF}‘’“”•–—\u{6A9}™\u{691}›œ\u{200C}\u{200D}\u{6BA}\
     \u{A0}\u{60C}¢£¤¥¦§¨©\u{6BE}«¬\u{AD}®¯\
     °±²³´µ¶·¸¹\u{61B}»¼½¾\u{61F}\
     \u{6C1}\u{621}\u{622}\u{623}\u{624}\u{625}\u{626}\u{627}\
     \u{628}\u{629}\u{62A}\u{62B}\u{62C}\u{62D}\u{62E}\u{62F}\
     \u{630}\u{631}\u{632}\u{633}\u{634}\u{635}\u{636}×\
     \u{637}\u{638}\u{639}\u{63A}\u{640}\u{641}\u{642}\u{643}\
     à\u{644}â\u{645}\u{646}\u{647}\u{648}çèéêë\u{649}\u{64A}îï\
     \u{64B}\u{64C}\u{64D}\u{64E}ô\u{64F}\u{650}÷\u{651}ù\u{652}ûü\u{200E}\u{200F}\u{6D2}",
);

/// Windows 1257, Baltic.
static WINDOWS_1257: Table = table(
    "€\u{81}‚\u{83}„…†‡\u{88}‰\u{8A}‹\u{8C}¨ˇ¸\
     \u{90}‘’“”•–—\u{98}™\u{9A}›\u{9C}¯˛\u{9F}\
     \u{A0}\u{FFFD}¢£¤\u{FFFD}¦§Ø©Ŗ«¬\u{AD}®Æ°±²³´µ¶·ø¹ŗ»¼½¾æ\
     ĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽßąįāćäåęēčéźėģķīļšńņóōõö÷ųłśūüżž˙",
);

/// Windows 1258, Vietnamese.
static WINDOWS_1258: Table = table(
    "€\u{81}‚ƒ„…†‡ˆ‰\u{8A}‹Œ\u{8D}\u{8E}\u{8F}\
     \u{90}‘’“”•–—˜™\u{9A}›œ\u{9D}\u{9E}Ÿ\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯\
     °±²³´µ¶·¸¹º»¼½¾¿ÀÁÂĂÄÅÆÇÈÉÊË\u{300}ÍÎÏ\
     ĐÑ\u{309}ÓÔƠÖ×ØÙÚÛÜƯ\u{303}ßàáâăäåæçèéêë\u{301}íîï\
     đñ\u{323}óôơö÷øùúûüư₫ÿ",
);

/// ISO 8859-2.
static ISO_8859_2: Table = table(
    "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\
     \u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\
     \u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{AD}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎ\
     ĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙",
);

/// ISO 8859-3.
static ISO_8859_3: Table = table(
    "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\
     \u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\
     \u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}Ħ˘£¤\u{FFFD}Ĥ§¨İŞĞĴ\u{AD}\u{FFFD}Ż°ħ²³´µĥ·¸ışğĵ½\u{FFFD}ż\
     ÀÁÂ\u{FFFD}ÄĊĈÇÈÉÊËÌÍÎÏ\u{FFFD}ÑÒÓÔĠÖ×ĜÙÚÛÜŬŜß\
     àáâ\u{FFFD}äċĉçèéêëìíîï\u{FFFD}ñòóôġö÷ĝùúûüŭŝ˙",
);

/// ISO 8859-4.
static ISO_8859_4: Table = table(
    "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\
     \u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\
     \u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}ĄĸŖ¤ĨĻ§¨ŠĒĢŦ\u{AD}Ž¯°ą˛ŗ´ĩļˇ¸šēģŧŊžŋĀÁÂÃÄÅÆĮČÉĘËĖÍÎĪ\
     ĐŅŌĶÔÕÖ×ØŲÚÛÜŨŪßāáâãäåæįčéęëėíîīđņōķôõö÷øųúûüũū˙",
);

/// ISO 8859-5.
static ISO_8859_5: Table = table(
    "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\
     \u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\
     \u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}ЁЂЃЄЅІЇЈЉЊЋЌ\u{AD}ЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ\
     абвгдежзийклмнопрстуфхцчшщъыьэюя№ёђѓєѕіїјљњћќ§ўџ",
);

/// ISO 8859-6.
static ISO_8859_6: Table = table(
    "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\
     \u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\
     \u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}\u{FFFD}\u{FFFD}\u{FFFD}¤\u{FFFD}\u{FFFD}\u{FFFD}\
     \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{60C}\u{AD}\u{FFFD}\u{FFFD}\
     \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\
     \u{FFFD}\u{FFFD}\u{FFFD}\u{61B}\u{FFFD}\u{FFFD}\u{FFFD}\u{61F}\
     \u{FFFD}\u{621}\u{622}\u{623}\u{624}\u{625}\u{626}\u{627}\
     \u{628}\u{629}\u{62A}\u{62B}\u{62C}\u{62D}\u{62E}\u{62F}\
     \u{630}\u{631}\u{632}\u{633}\u{634}\u{635}\u{636}\u{637}\
     \u{638}\u{639}\u{63A}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\
     \u{640}\u{641}\u{642}\u{643}\u{644}\u{645}\u{646}\u{647}\
     \u{648}\u{649}\u{64A}\u{64B}\u{64C}\u{64D}\u{64E}\u{64F}\
     \u{650}\u{651}\u{652}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\
     \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
);

/// ISO 8859-7.
static ISO_8859_7: Table = table(
    "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\
     \u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\
     \u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}‘’£€₯¦§¨©ͺ«¬\u{AD}\u{FFFD}―°±²³΄΅Ά·ΈΉΊ»Ό½ΎΏ\
     ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ\u{FFFD}ΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξο\
     πρςστυφχψωϊϋόύώ\u{FFFD}",
);

/// ISO 8859-8.
static ISO_8859_8: Table = table(
    "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\
     \u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\
     \u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}\u{FFFD}¢£¤¥¦§¨©×«¬\u{AD}®¯°±²³´µ¶·¸¹÷»¼½¾\u{FFFD}\
     \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\
     \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\
     \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\
     \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}‗\
     \u{5D0}\u{5D1}\u{5D2}\u{5D3}\u{5D4}\u{5D5}\u{5D6}\u{5D7}\
     \u{5D8}\u{5D9}\u{5DA}\u{5DB}\u{5DC}\u{5DD}\u{5DE}\u{5DF}\
     \u{5E0}\u{5E1}\u{5E2}\u{5E3}\u{5E4}\u{5E5}\u{5E6}\u{5E7}\
     \u{5E8}\u{5E9}\u{5EA}\u{FFFD}\u{FFFD}\u{200E}\u{200F}\u{FFFD}",
);

/// ISO 8859-10.
static ISO_8859_10: Table = table(
    "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\
     \u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\
     \u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}ĄĒĢĪĨĶ§ĻĐŠŦŽ\u{AD}ŪŊ°ąēģīĩķ·ļđšŧž―ūŋĀÁÂÃÄÅÆĮČÉĘËĖÍÎÏ\
     ÐŅŌÓÔÕÖŨØŲÚÛÜÝÞßāáâãäåæįčéęëėíîïðņōóôõöũøųúûüýþĸ",
);

/// ISO 8859-13.
static ISO_8859_13: Table = table(
    "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\
     \u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\
     \u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}”¢£¤„¦§Ø©Ŗ«¬\u{AD}®Æ°±²³“µ¶·ø¹ŗ»¼½¾æĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻ\
     ŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽßąįāćäåęēčéźėģķīļšńņóōõö÷ųłśūüżž’",
);

/// ISO 8859-14.
static ISO_8859_14: Table = table(
    "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\
     \u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\
     \u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}Ḃḃ£ĊċḊ§Ẁ©ẂḋỲ\u{AD}®ŸḞḟĠġṀṁ¶ṖẁṗẃṠỳẄẅṡÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ\
     ŴÑÒÓÔÕÖṪØÙÚÛÜÝŶßàáâãäåæçèéêëìíîïŵñòóôõöṫøùúûüýŷÿ",
);

/// ISO 8859-15.
static ISO_8859_15: Table = table(
    "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\
     \u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\
     \u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}¡¢£€¥Š§š©ª«¬\u{AD}®¯°±²³Žµ¶·ž¹º»ŒœŸ¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ\
     ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ",
);

/// ISO 8859-16.
static ISO_8859_16: Table = table(
    "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\
     \u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\
     \u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\
     \u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
     \u{A0}ĄąŁ€„Š§š©Ș«Ź\u{AD}źŻ°±ČłŽ”¶·žčș»ŒœŸżÀÁÂĂÄĆÆÇÈÉÊËÌÍÎÏ\
     ĐŃÒÓÔŐÖŚŰÙÚÛÜĘȚßàáâăäćæçèéêëìíîïđńòóôőöśűùúûüęțÿ",
);

#[cfg(test)]
mod tests {
    use super::PageCodec;
    use crate::{Charset, Text};

    #[test]
    fn tables_match_encoding_library() {
        let mut tables = 0;
        for charset in Charset::all() {
            let Some(page) = PageCodec::for_page(charset.page) else {
                continue;
            };
            tables += 1;
            for (byte, &c) in (0x80..=0xFF_u8).zip(page.0) {
                let read = Text::new(&[byte], charset).decode().into_owned();
                let mut ours = String::new();
                let malformed = page.decode(&[byte], &mut |piece| ours.push_str(piece));
                assert_eq!(read, ours, "{charset} {byte:02x}");
                assert_eq!(malformed == 0, c != char::REPLACEMENT_CHARACTER);
                let (mut written, mut own) = (Vec::new(), Vec::new());
                let can = charset.encode_strict(&c.to_string(), &mut written);
                assert_eq!(page.encode(&c.to_string(), &mut own), can.err());
                assert!(own == written || written.is_empty(), "{charset} {c:?}");
            }
        }
        assert_eq!(tables, 27);
    }
}
