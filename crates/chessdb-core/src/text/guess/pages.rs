//! The pages that a base may be in, and how likely each is before a byte was seen
//! (docs/encodings.md, section 3).

use crate::Charset;

/// Where a base comes from, as far as its format says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// From anywhere, or from a Windows program.
    Unknown,
    /// From ChessBase under DOS, which has a page of its own.
    ChessBase,
    /// From ChessBase under Windows, whose comments have signs where pages have letters.
    ChessBaseWindows,
}

/// How many pages are tried at most.
pub(super) const PAGES: usize = 29;

/// Page, logarithm of how likely it is anywhere, and in a base of a DOS program. Of pages that do equally well the
/// first one is named.
#[rustfmt::skip]
static ALL: [(Charset, f32, f32); PAGES] = [
    (Charset::WINDOWS_1252, 0.0, -3.0),
    (Charset::WINDOWS_1250, -0.5, -3.0),
    (Charset::WINDOWS_1251, -0.5, -3.0),
    (Charset::IBM866, -1.0, -0.4),
    (Charset::WINDOWS_1253, -1.0, -4.0),
    (Charset::WINDOWS_1254, -1.0, -4.0),
    (Charset::WINDOWS_1255, -1.0, -4.0),
    (Charset::CP437, -1.5, -0.2),
    (Charset::WINDOWS_1257, -1.5, -4.0),
    (Charset::CP850, -1.6, -0.4),
    (Charset::CP852, -1.6, -0.4),
    (Charset::CHESSBASE, -1.7, 0.0),
    (Charset::KOI8_R, -2.0, -6.0),
    (Charset::LATIN_1, -2.0, -6.0),
    (Charset::ISO_8859_2, -2.0, -6.0),
    (Charset::KOI8_U, -2.2, -6.0),
    (Charset::MIK, -2.5, -1.5),
    (Charset::ISO_8859_5, -3.0, -6.0),
    (Charset::ISO_8859_7, -3.0, -6.0),
    (Charset::ISO_8859_8, -3.0, -6.0),
    (Charset::ISO_8859_9, -3.0, -6.0),
    (Charset::ISO_8859_15, -3.0, -6.0),
    (Charset::MACINTOSH, -3.0, -6.0),
    (Charset::MAC_CENTRAL, -3.0, -6.0),
    (Charset::MAC_CYRILLIC, -3.0, -6.0),
    (Charset::CP737, -3.0, -1.5),
    (Charset::CP855, -3.0, -1.5),
    (Charset::CP857, -3.0, -1.5),
    (Charset::CP862, -3.0, -1.5),
];

/// What a page counts for less where few words speak for it, so that one letter too many in a usual page
/// is not taken for one of a rare page. Nearly all of the upper half of the Baltic page are letters of
/// languages with short words, and a word of another tongue reads well in it: `naïve` as `naļve`.
fn thin(page: Charset) -> f32 {
    match page {
        Charset::WINDOWS_1250 => 1.0,
        Charset::WINDOWS_1251 | Charset::KOI8_R | Charset::WINDOWS_1253 | Charset::WINDOWS_1255 => {
            2.0
        }
        Charset::WINDOWS_1257 => 4.0,
        _ => 0.0,
    }
}

impl Origin {
    /// The pages to try, in order, each with the logarithm of how likely it is where so many words
    /// speak for it.
    pub(super) fn pages(self, words: usize) -> impl Iterator<Item = (Charset, f32)> {
        ALL.iter()
            // Elsewhere its figurines and signs have no meaning.
            .filter(move |page| self == Origin::ChessBase || page.0 != Charset::CHESSBASE)
            .map(move |&(page, anywhere, dos)| {
                let likely = match self {
                    Origin::Unknown | Origin::ChessBaseWindows => anywhere,
                    Origin::ChessBase => dos,
                };
                let thin = if words < super::FEW { thin(page) } else { 0.0 };
                (page, likely - thin)
            })
    }
}
