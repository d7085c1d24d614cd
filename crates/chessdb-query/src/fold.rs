//! Normalization of texts for comparison: Latin letters without case and accents.

/// Appends the text in lower-case ASCII letters: `Élan` as `elan`, `Карпов` as `karpov`. Apostrophes
/// are left out: `O'Kelly` as `okelly`, and `Гельфанд`, whose soft sign has no letter, as `gelfand`.
///
/// ```
/// let mut folded = String::new();
/// chessdb_query::names::fold("Łukasz Öst", &mut folded);
/// assert_eq!(folded, "lukasz ost");
/// ```
pub fn fold(text: &str, out: &mut String) {
    let start = out.len();
    spell(text, out);
    if let Some(added) = out.get_mut(start..) {
        added.make_ascii_lowercase();
    }
    let added = out.as_bytes().get(start..).unwrap_or_default();
    if memchr::memchr2(b'\'', b'`', added).is_some() {
        let unmarked = out.split_off(start).replace(['\'', '`'], "");
        out.push_str(&unmarked);
    }
}

/// Returns what [`fold`] appends.
pub(crate) fn folded(text: &str) -> String {
    let mut folded = String::new();
    fold(text, &mut folded);
    folded
}

/// Returns a folded text with the two spellings of an umlaut merged: `bluebaum` as `blubaum`,
/// `aagaard` as `agard`. [`fold`] has already merged `ß` and `ss`.
pub(crate) fn merge_umlauts(folded: &str) -> String {
    let mut merged = String::with_capacity(folded.len());
    let mut letters = folded.chars().peekable();
    while let Some(letter) = letters.next() {
        merged.push(letter);
        letters.next_if(|&next| is_umlaut(letter, next));
    }
    merged
}

/// Returns whether two letters are the two-letter spelling of ä, å, ö, ø or ü.
fn is_umlaut(first: char, second: char) -> bool {
    matches!((first, second), ('a', 'a' | 'e') | ('o', 'e') | ('u', 'e'))
}

/// Returns whether a folded text has an umlaut written as two letters.
pub(crate) fn has_umlaut(folded: &str) -> bool {
    folded.as_bytes().windows(2).any(|pair| match pair {
        &[first, second] => is_umlaut(first.into(), second.into()),
        _ => false,
    })
}

/// Returns whether a folded text contains a [merged](merge_umlauts) one, in either spelling of each
/// umlaut.
pub(crate) fn contains_merged(folded: &str, merged: &str) -> bool {
    let text = folded.as_bytes();
    let Some(&first) = merged.as_bytes().first() else {
        return false;
    };
    memchr::memchr_iter(first, text).any(|start| {
        let mut index = start;
        merged.bytes().all(|wanted| {
            let is_equal = text.get(index) == Some(&wanted);
            index += 1;
            // The merged text lacks the second letter of an umlaut.
            let next = text.get(index).copied().unwrap_or_default();
            index += usize::from(is_umlaut(wanted.into(), next.into()));
            is_equal
        })
    })
}

/// Appends the text in ASCII letters, keeping case.
pub(crate) fn spell(text: &str, out: &mut String) {
    if text.is_ascii() {
        out.push_str(text);
        return;
    }
    for c in text.chars() {
        if c.is_ascii() { out.push(c) } else { push_spelling(c, out) }
    }
}

#[cfg(not(target_family = "wasm"))]
fn push_spelling(c: char, out: &mut String) {
    out.push_str(any_ascii::any_ascii_char(c));
}

/// In WebAssembly builds only the letters used in names are transliterated. Others stay unchanged,
/// so that they still match themselves.
#[cfg(target_family = "wasm")]
fn push_spelling(c: char, out: &mut String) {
    match crate::latin::spelled(c) {
        Some(spelling) => out.push_str(spelling),
        None => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_accents_are_one() {
        for (text, folded) in [
            ("Élan", "elan"),
            ("E\u{301}lan", "elan"),
            ("Карпов", "karpov"),
            ("Παπαϊωάννου", "papaioannoy"),
            ("Groß", "gross"),
            ("O'Kelly", "okelly"),
            ("O’Kelly", "okelly"),
            ("Гельфанд", "gelfand"),
            ("TAL, Mihail", "tal, mihail"),
        ] {
            assert_eq!(super::folded(text), folded, "{text}");
        }
    }

    #[test]
    fn spellings_of_umlauts_are_one() {
        for (one, other) in [
            ("Blübaum", "Bluebaum"),
            ("Blübaum", "Blubaum"),
            ("Høi", "Hoei"),
            ("Höi", "Hoi"),
            ("Håkansson", "Haakansson"),
            ("Jäger", "Jaeger"),
            ("Ærø", "Aeroe"),
            ("Groß", "Gross"),
        ] {
            let mut both = [one, other].map(|text| {
                let folded = super::folded(text);
                let merged = merge_umlauts(&folded);
                (folded, merged)
            });
            assert_eq!(both[0].1, both[1].1, "{one} / {other}");
            for _ in 0..2 {
                assert!(contains_merged(&both[0].0, &both[1].1), "{one} / {other}");
                both.swap(0, 1);
            }
        }
        assert!(!contains_merged("bluhm", "blubaum") && !contains_merged("blubau", "blubaum"));
        assert!(!contains_merged("", "a") && !contains_merged("a", ""));
        assert!(has_umlaut("bluebaum") && !has_umlaut("blubaum") && !has_umlaut(""));
    }
}
