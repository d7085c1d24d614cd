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
}
