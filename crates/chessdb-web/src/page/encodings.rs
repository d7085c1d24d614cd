//! A preview of names with non-ASCII letters in several charsets.

use std::collections::BTreeSet;

use chessdb::core::text::TextId;
use chessdb::core::{Charset, Text};
use serde_json::{Value, json};

use crate::failure::Result;
use crate::page::open_database::OpenDatabase;

/// The maximum number of names shown.
const SHOWN: usize = 8;
/// The maximum number of names judged.
const JUDGED: usize = 2_000;
/// The number of games that are searched for names.
const SEARCHED: u32 = 20_000;

/// The charsets that old databases use most often.
const COMMON_CHARSETS: &[Charset] = &[
    Charset::WINDOWS_1252,
    Charset::WINDOWS_1251,
    Charset::CP850,
    Charset::IBM866,
    Charset::WINDOWS_1250,
];

/// Returns `{ names: [bytes], pages: [{ page, names: [text], odd }], judged, hasNames }`, the current
/// charset first.
pub(crate) fn preview(base: &mut OpenDatabase) -> Result<Value> {
    let (names, has_names) = non_ascii_names(base);
    let guess = base.db().charset();
    let mut pages: Vec<Charset> = Vec::new();
    let guessed = guess.map(|guess| guess.page.page());
    let second = guess.and_then(|guess| guess.runner_up).map(Charset::page);
    let common = COMMON_CHARSETS.iter().copied();
    for page in guessed.into_iter().chain(second).chain(common) {
        // The guess may be one of the common charsets.
        if !pages.contains(&page) && pages.len() < 5 {
            pages.push(page);
        }
    }
    let shown: Vec<&Vec<u8>> = names.iter().take(SHOWN).collect();
    let pages: Vec<Value> = pages
        .into_iter()
        .map(|page| {
            let read = |bytes: &[u8]| Text::new(bytes, page).decode().into_owned();
            let odd = names.iter().filter(|name| looks_wrong(&read(name))).count();
            let names: Vec<String> = shown.iter().map(|name| read(name)).collect();
            json!({ "page": page.name(), "names": names, "odd": odd })
        })
        .collect();
    let bytes: Vec<String> = shown.iter().map(|name| hex(name)).collect();
    Ok(json!({ "names": bytes, "pages": pages, "judged": names.len(), "hasNames": has_names }))
}

/// Returns the distinct names that are not ASCII and not in a Unicode charset, and whether there are
/// any names.
fn non_ascii_names(base: &mut OpenDatabase) -> (Vec<Vec<u8>>, bool) {
    let mut names = BTreeSet::new();
    let mut order = Vec::new();
    let mut has_names = false;
    let mut game = std::mem::take(&mut base.game);
    for index in 0..base.len().min(SEARCHED) {
        if base.db().header_into(index, &mut game).is_err() {
            continue;
        }
        let header = &game.header;
        let ids: [TextId; 4] = [
            header.white.name.text,
            header.black.name.text,
            header.event.text,
            header.site.text,
        ];
        for id in ids {
            let text = game.text(id);
            let bytes = text.as_bytes();
            has_names |= bytes.iter().any(|byte| !b"?- ".contains(byte));
            // Only these bytes look different in another charset.
            if !bytes.is_ascii() && !text.charset().is_unicode() && bytes.len() <= 200 {
                let new = names.insert(bytes.to_vec());
                if new {
                    order.push(bytes.to_vec());
                }
            }
        }
        if order.len() >= JUDGED {
            break;
        }
    }
    base.game = game;
    (order, has_names)
}

/// The length from which a sequence of accented Latin letters occurs in no language, so that they
/// must belong to another script.
const ACCENTED: usize = 3;

/// Returns whether a name looks wrong: it has line-drawing symbols, control characters, an
/// upper-case letter after a lower-case one, or many accented letters in sequence.
fn looks_wrong(name: &str) -> bool {
    let mut before_small = false;
    let mut accented = 0;
    for letter in name.chars() {
        accented = match letter {
            'À'..='ɏ' => accented + 1,
            _ => 0,
        };
        if accented >= ACCENTED {
            return true;
        }
        let plain = letter.is_ascii() && !letter.is_control();
        let common = "’‘“”„–—…«»·´`№°".contains(letter);
        if !plain && !common && !letter.is_alphabetic() {
            return true;
        }
        // ASCII capitals after small letters are common: McDonald, DeFirmian.
        if before_small && letter.is_uppercase() && !letter.is_ascii() {
            return true;
        }
        before_small = letter.is_lowercase();
    }
    false
}

fn hex(bytes: &[u8]) -> String {
    let bytes = bytes.iter().take(16).map(|byte| format!("{byte:02x}"));
    bytes.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::looks_wrong;

    #[test]
    fn names_in_wrong_script_look_wrong() {
        for name in [
            "Müller, Jörg",
            "Łódź",
            "Ботвинник",
            "Αθήνα",
            "Núñez, Íñigo",
            "O’Kelly",
        ] {
            assert!(!looks_wrong(name), "{name}");
        }
        for name in ["Ñìûñëîâ", "Ðý¹±Ù¯Ô", "╤ь√ёыют", "ПЕТРоСЯН", "M\u{81}ller"]
        {
            assert!(looks_wrong(name), "{name}");
        }
    }
}
