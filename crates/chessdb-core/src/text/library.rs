//! The code pages of `encoding_rs`.

use encoding_rs::{DecoderResult, EncoderResult, Encoding};

use super::charset::Page;
use super::convert::{REPLACEMENT, Unmappable, substitute};

/// A code page of the library. [`super::page_tables`] has a type with the same methods that
/// replaces it where size matters.
pub(super) struct PageCodec(&'static Encoding);

impl PageCodec {
    pub(super) fn for_page(page: Page) -> Option<PageCodec> {
        Some(PageCodec(match page {
            Page::Ibm866 => encoding_rs::IBM866,
            Page::Koi8R => encoding_rs::KOI8_R,
            Page::Koi8U => encoding_rs::KOI8_U,
            Page::Macintosh => encoding_rs::MACINTOSH,
            Page::MacCyrillic => encoding_rs::X_MAC_CYRILLIC,
            Page::Windows874 => encoding_rs::WINDOWS_874,
            Page::Windows1250 => encoding_rs::WINDOWS_1250,
            Page::Windows1251 => encoding_rs::WINDOWS_1251,
            Page::Windows1252 => encoding_rs::WINDOWS_1252,
            Page::Windows1253 => encoding_rs::WINDOWS_1253,
            Page::Windows1254 => encoding_rs::WINDOWS_1254,
            Page::Windows1255 => encoding_rs::WINDOWS_1255,
            Page::Windows1256 => encoding_rs::WINDOWS_1256,
            Page::Windows1257 => encoding_rs::WINDOWS_1257,
            Page::Windows1258 => encoding_rs::WINDOWS_1258,
            Page::Iso2 => encoding_rs::ISO_8859_2,
            Page::Iso3 => encoding_rs::ISO_8859_3,
            Page::Iso4 => encoding_rs::ISO_8859_4,
            Page::Iso5 => encoding_rs::ISO_8859_5,
            Page::Iso6 => encoding_rs::ISO_8859_6,
            Page::Iso7 => encoding_rs::ISO_8859_7,
            Page::Iso8 => encoding_rs::ISO_8859_8,
            Page::Iso10 => encoding_rs::ISO_8859_10,
            Page::Iso13 => encoding_rs::ISO_8859_13,
            Page::Iso14 => encoding_rs::ISO_8859_14,
            Page::Iso15 => encoding_rs::ISO_8859_15,
            Page::Iso16 => encoding_rs::ISO_8859_16,
            _ => return None,
        }))
    }

    /// Appends a text and returns the characters that the code page lacks.
    pub(super) fn encode(&self, text: &str, out: &mut Vec<u8>) -> Option<Unmappable> {
        let mut lost = None;
        let mut encoder = self.0.new_encoder();
        let mut rest = text;
        let mut buffer = [0u8; 256];
        loop {
            let (result, read, written) =
                encoder.encode_from_utf8_without_replacement(rest, &mut buffer, true);
            out.extend_from_slice(buffer.get(..written).unwrap_or_default());
            rest = rest.get(read..).unwrap_or_default();
            match result {
                EncoderResult::InputEmpty => return lost,
                EncoderResult::OutputFull => {}
                EncoderResult::Unmappable(c) => substitute(&mut lost, c, out),
            }
        }
    }

    /// Passes characters to `sink` and returns the number of unassigned bytes.
    pub(super) fn decode(&self, bytes: &[u8], sink: &mut impl FnMut(&str)) -> usize {
        let mut malformed = 0;
        let mut decoder = self.0.new_decoder_without_bom_handling();
        let mut rest = bytes;
        let mut buffer = [0u8; 512];
        loop {
            let (result, read, written) =
                decoder.decode_to_utf8_without_replacement(rest, &mut buffer, true);
            let piece = buffer.get(..written).unwrap_or_default();
            if !piece.is_empty() {
                sink(std::str::from_utf8(piece).unwrap_or(REPLACEMENT));
            }
            rest = rest.get(read..).unwrap_or_default();
            match result {
                DecoderResult::InputEmpty => return malformed,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => {
                    malformed += 1;
                    sink(REPLACEMENT);
                }
            }
        }
    }
}
