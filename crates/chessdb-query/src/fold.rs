//! Texts as they are compared: without case and accents, in Latin letters.

/// Appends the text in small ASCII letters: `Élan` as `elan`, `Карпов` as `karpov`.
///
/// ```
/// let mut folded = String::new();
/// chessdb_query::fold("Łukasz Öst", &mut folded);
/// assert_eq!(folded, "lukasz ost");
/// ```
pub fn fold(text: &str, out: &mut String) {
    let start = out.len();
    spell(text, out);
    if let Some(added) = out.get_mut(start..) {
        added.make_ascii_lowercase();
    }
}

/// Appends a folded text with the two spellings of an umlaut made one: `bluebaum` as `blubaum`, `aagaard` as
/// `agard`. `ß` and `ss` are one after [`fold`] already.
pub(crate) fn merge_umlauts(folded: &str, out: &mut String) {
    let mut letters = folded.chars().peekable();
    while let Some(letter) = letters.next() {
        out.push(letter);
        letters.next_if(|&next| is_umlaut(letter, next));
    }
}

/// Whether two letters are how a keyboard without umlauts writes ä, å, ö, ø or ü.
fn is_umlaut(first: char, second: char) -> bool {
    matches!((first, second), ('a', 'a' | 'e') | ('o', 'e') | ('u', 'e'))
}

/// Whether a folded text has an umlaut written as two letters.
pub(crate) fn has_umlaut(folded: &str) -> bool {
    let pairs = folded.as_bytes().windows(2);
    pairs.into_iter().any(|pair| match pair {
        &[first, second] => is_umlaut(first.into(), second.into()),
        _ => false,
    })
}

/// Whether a folded text contains a [merged](merge_umlauts) one, in either spelling of each umlaut.
pub(crate) fn contains_merged(folded: &str, merged: &str) -> bool {
    let text = folded.as_bytes();
    let Some(&first) = merged.as_bytes().first() else {
        return false;
    };
    memchr::memchr_iter(first, text).any(|start| {
        let mut at = start;
        merged.bytes().all(|wanted| {
            let is_there = text.get(at) == Some(&wanted);
            at += 1;
            let next = text.get(at).copied().unwrap_or_default();
            at += usize::from(is_umlaut(wanted.into(), next.into()));
            is_there
        })
    })
}

/// Appends the text in ASCII letters as they are.
pub(crate) fn spell(text: &str, out: &mut String) {
    if text.is_ascii() {
        out.push_str(text);
        return;
    }
    for c in text.chars() {
        match c.is_ascii() {
            true => out.push(c),
            false => push_spelling(c, out),
        }
    }
}

#[cfg(not(target_family = "wasm"))]
fn push_spelling(c: char, out: &mut String) {
    out.push_str(any_ascii::any_ascii_char(c));
}

/// On the web only letters of names are spelled; others stay, so that they are found by themselves.
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
            ("TAL, Mihail", "tal, mihail"),
        ] {
            let mut out = String::new();
            fold(text, &mut out);
            assert_eq!(out, folded, "{text}");
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
                let (mut folded, mut merged) = (String::new(), String::new());
                fold(text, &mut folded);
                merge_umlauts(&folded, &mut merged);
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
