//! The candidate code pages of a database and their prior probabilities (docs/encodings.md, section
//! 2).

use crate::Charset;

/// The programs that write a format, which decide about the code pages that its texts may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CharsetPrior {
    /// Any program, or a Windows program.
    AnyProgram,
    /// ChessBase for DOS, which has its own code page.
    ChessBaseDos,
    /// ChessBase for Windows, with comments that contain symbols where code pages have letters.
    ChessBaseWindows,
}

/// The number of candidate code pages.
pub(super) const CANDIDATES: usize = 29;

/// Code page, logarithm of its prior probability in general, and in a database of a DOS program. Of
/// equally good code pages the first one is reported.
#[rustfmt::skip]
static ALL: [(Charset, f32, f32); CANDIDATES] = [
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

/// Returns the penalty of a code page that is supported by few words, so that one letter too many
/// in a common code page is not taken for one of a rare code page. Nearly all characters in the
/// upper half of the Baltic code page are letters of languages with short words, and a word of
/// another language reads well in it: `naïve` as `naļve`.
fn few_words_penalty(page: Charset) -> f32 {
    match page {
        Charset::WINDOWS_1250 => 1.0,
        Charset::WINDOWS_1251 | Charset::KOI8_R | Charset::WINDOWS_1253 | Charset::WINDOWS_1255 => {
            2.0
        }
        Charset::WINDOWS_1257 => 4.0,
        _ => 0.0,
    }
}

impl CharsetPrior {
    /// Returns the candidate code pages, in order, each with the logarithm of its prior probability
    /// if `words` words support it.
    pub(super) fn pages(self, words: usize) -> impl Iterator<Item = (Charset, f32)> {
        ALL.iter()
            // Elsewhere its figurines and symbols have no meaning.
            .filter(move |page| self == CharsetPrior::ChessBaseDos || page.0 != Charset::CHESSBASE)
            .map(move |&(page, anywhere, dos)| {
                let likely = match self {
                    CharsetPrior::AnyProgram | CharsetPrior::ChessBaseWindows => anywhere,
                    CharsetPrior::ChessBaseDos => dos,
                };
                let penalty =
                    if words < super::FEW_WITNESSES { few_words_penalty(page) } else { 0.0 };
                (page, likely - penalty)
            })
    }
}
