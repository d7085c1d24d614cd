//! Texts in a database in addition to its games, such as ChessBase's guiding texts.

use serde_json::{Value, json};

use crate::page::open_database::OpenDatabase;

/// The maximum number of bytes of one text in one language.
const MOST: usize = 1 << 20;
/// The maximum number of texts.
const MOST_TEXTS: usize = 1_000;
/// The maximum number of bytes of all texts.
const MOST_ALL: usize = 16 << 20;

/// Returns `{ texts: [{ titles: [[language, title]], contents: [[language, Markdown]] }], all }`. A
/// language is a code of two letters, or empty.
pub(crate) fn texts(base: &OpenDatabase) -> Value {
    let texts = base.db().guiding_texts();
    let mut remaining = MOST_ALL;
    let shown: Vec<Value> = texts
        .iter()
        .take(MOST_TEXTS)
        .map(|text| {
            let contents = text.contents.iter().map(|content| {
                let mut words = content.markdown.clone();
                cut(&mut words, MOST.min(remaining));
                remaining -= words.len();
                json!([content.language, words])
            });
            let contents: Vec<Value> = contents.collect();
            json!({ "titles": text.titles, "contents": contents })
        })
        .collect();
    json!({ "texts": shown, "all": texts.len() })
}

fn cut(words: &mut String, limit: usize) {
    let mut end = limit.min(words.len());
    while !words.is_char_boundary(end) {
        end -= 1;
    }
    words.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn text_is_cut_at_a_character_boundary() {
        for (limit, wanted) in [(0, ""), (1, ""), (2, "é"), (3, "éa"), (9, "éa")] {
            let mut words = "éa".to_owned();
            cut(&mut words, limit);
            assert_eq!(words, wanted);
        }
    }
}
