//! Tests that the page has words in its four languages for every loss, error, failure and format,
//! and for the errors of the query language. The lists come from the code.

use std::collections::BTreeSet;

use chessdb::core::{ErrorKind, LossKind};
use chessdb::{FORMATS, query::language::KEYS};
use chessdb_testkit::{fixtures, rng::Rng};
use chessdb_web::Session;
use serde_json::{Value, json};

/// The plural forms of the languages, in the order of the words.
const FORMS: [&[&str]; 4] = [
    &["one", "other"],
    &["one", "other"],
    &["one", "few", "many", "other"],
    &["one", "many", "other"],
];

/// Returns the object or list that a file of words exports, which is strict JSON.
fn words(file: &str) -> Value {
    let path = fixtures::root().with_file_name("web").join("src/words");
    let text = String::from_utf8(fixtures::read(path.join(file))).unwrap();
    let (_, value) = text.split_once(" = ").unwrap();
    let value = value.trim().strip_suffix(';').unwrap();
    serde_json::from_str(value).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the names of the placeholders of a text.
fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{')
        .skip(1)
        .filter_map(|part| Some(part.split_once('}')?.0))
        .collect()
}

/// Checks that a text has all languages, with the same placeholders in each.
fn check_languages(key: &str, languages: &Value) {
    let languages = languages
        .as_array()
        .unwrap_or_else(|| panic!("{key} has no words"));
    assert_eq!(languages.len(), FORMS.len(), "{key}: a language is missing");
    let mut first = None;
    for (language, forms) in languages.iter().zip(FORMS) {
        let texts: Vec<&str> = match language {
            Value::String(text) => vec![text],
            plural => forms
                .iter()
                .map(|form| {
                    plural[form]
                        .as_str()
                        .unwrap_or_else(|| panic!("{key}: no {form}"))
                })
                .collect(),
        };
        for text in texts {
            assert!(!text.trim().is_empty(), "{key}: an empty text");
            let used = placeholders(text);
            let first = first.get_or_insert_with(|| used.clone());
            assert_eq!(*first, used, "{key}: {text}");
        }
    }
}

/// Checks that a file has words for each of these keys.
fn check_file(file: &str, keys: impl IntoIterator<Item = String>) {
    let words = words(file);
    for (key, languages) in words.as_object().unwrap() {
        check_languages(key, languages);
    }
    for key in keys {
        assert!(
            !words[&key].is_null(),
            "web/src/words/{file} has no words for {key}"
        );
    }
}

#[test]
fn losses_have_words() {
    let codes: BTreeSet<String> = LossKind::ALL
        .iter()
        .map(|kind| format!("loss.kind.{}", kind.code()))
        .collect();
    check_file("losses.js", codes.iter().cloned());
    let worded = words("losses.js");
    let worded: BTreeSet<String> = worded.as_object().unwrap().keys().cloned().collect();
    assert_eq!(worded, codes);
}

#[test]
fn findings_have_words() {
    let codes = ErrorKind::CODES.iter();
    check_file("findings.js", codes.map(|code| format!("fault.{code}")));
}

#[test]
fn targets_have_words() {
    let written = FORMATS.iter().filter(|format| format.create.is_some());
    let written = written.map(|format| format!("target.{}", format.id));
    // Those of the larger module.
    let full = ["target.jose", "target.parquet"].map(str::to_owned);
    check_file("targets.js", written.chain(full));
}

/// Returns the codes in the sources of the session: the first argument of `Failure::new` and
/// `Failure::with`.
fn failure_codes() -> BTreeSet<String> {
    let mut folders = vec![fixtures::root().with_file_name("crates/chessdb-web/src")];
    let mut codes = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for call in ["Failure::new(", "Failure::with("] {
                for (start, _) in text.match_indices(call) {
                    let argument = text[start + call.len()..].trim_start();
                    if argument.starts_with("code") {
                        continue;
                    }
                    let code = argument
                        .strip_prefix('"')
                        .and_then(|code| code.split_once('"'));
                    let code = code.unwrap_or_else(|| {
                        panic!(
                            "{}: the code of a failure must be a literal",
                            path.display()
                        )
                    });
                    codes.insert(code.0.to_owned());
                }
            }
        }
    }
    codes
}

#[test]
fn failures_have_words() {
    let codes = failure_codes();
    assert!(codes.len() > 10, "{codes:?}");
    // Those of the page itself.
    let own = ["cancelled", "gone", "io", "large", "broken", "other"].map(str::to_owned);
    let codes = codes.into_iter().chain(own);
    check_file("findings.js", codes.map(|code| format!("fail.{code}")));
}

/// Returns whether a text fits a template with placeholders, and the parts in their places.
fn parts_of<'t>(text: &'t str, template: &str) -> Option<Vec<&'t str>> {
    let mut pieces = template.split('{');
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut parts = Vec::new();
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let (_, literal) = piece.split_once('}')?;
        let end = match (literal.is_empty(), pieces.peek()) {
            (true, _) => rest.len(),
            (false, None) => rest.strip_suffix(literal)?.len(),
            (false, Some(_)) => rest.find(literal)?,
        };
        if end == 0 {
            return None;
        }
        parts.push(rest.get(..end)?);
        rest = rest.get(end + literal.len()..)?;
    }
    rest.is_empty().then_some(parts)
}

/// Returns whether the page has words for a text of the program. What is expected must have words
/// too; other parts are names and examples.
fn has_words(text: &str, templates: &[String]) -> bool {
    templates.iter().any(|template| {
        let Some(parts) = parts_of(text, template) else {
            return false;
        };
        let is_expected = template.starts_with("expected {a}");
        !is_expected || has_words(parts[0], templates)
    })
}

#[test]
fn templates_are_recognised() {
    for (text, template, parts) in [
        ("a value", "a value", Some(vec![])),
        ("a values", "a value", None),
        (
            "1999.02 has 28 days",
            "{a} has {b} days",
            Some(vec!["1999.02", "28"]),
        ),
        ("write x", "write {a}", Some(vec!["x"])),
        ("write ", "write {a}", None),
    ] {
        assert_eq!(parts_of(text, template), parts, "{text}");
    }
}

/// Returns the texts of the program for which the page has words.
fn program_texts() -> Vec<String> {
    let program = words("../phrases.js");
    let texts = program.as_array().unwrap().iter().map(|languages| {
        let english = languages[0].as_str().unwrap().to_owned();
        check_languages(&english, languages);
        english
    });
    texts.collect()
}

#[test]
fn keys_and_notes_of_queries_have_words() {
    let texts = program_texts();
    let notes = [
        "Kasparov - Topalov",
        "Tal Keres black",
        "white Tal",
        "site:Trinidad and Tobago",
        "event:Bled or Zagreb",
        "Tal,Keres",
        "e4",
    ]
    .map(|query| {
        let query: chessdb::query::Query = query.parse().unwrap();
        query.notes().to_vec()
    });
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    assert!(notes.len() >= 6, "{notes:?}");
    let asks = KEYS.iter().map(|key| key.asks.to_owned());
    for text in asks.chain(notes) {
        assert!(
            has_words(&text, &texts),
            "web/src/phrases.js has no words for: {text}"
        );
    }
}

/// The errors of queries, whether written by hand or made by changing a good one at random, have
/// words.
#[test]
fn errors_of_queries_have_words() {
    let templates = program_texts();
    let mut queries: Vec<String> = [
        "elo:x",
        "elo:-5",
        "elo:9..5",
        "elo:>2..5",
        "elo:..",
        "year:59",
        "date:1.2.1999",
        "date:1999.13",
        "date:1999.02.31",
        "date:2.1999",
        "eco:B9x",
        "eco:B99-B90",
        "eco:sicilian",
        "plyer:Tal",
        "xyzzy:1",
        "\"Tal",
        "player:",
        "Tal,",
        ",",
        "(Tal",
        "Tal)",
        "or Tal",
        "Tal and",
        "not",
        "Tal - Keres - Smyslov",
        "Tal - ",
        "player:T*l",
        "player:Tal*",
        "player:/(/",
        "result:2-0",
        "result:drow",
        "start:960x",
        "deleted:perhaps",
        "title:Grossmeister",
        "flag:best",
        "has:clokcs",
        "ending:mat",
        "castled:never",
        "promotion:X",
        "sacrifice:Z",
        "fen:x",
        "fen:8/8/8/8/8/8/8/8/8",
        "fen:9/8/8/8/8/8/8/8",
        "fen:https://lichess.org/abc",
        "fen!:\"8/8/8/8/8/8/8/8 x\"",
        "line:\"1.e9\"",
        "line:\"1.Ke2\"",
        "line:\"1.e5\"",
        "line:\" \"",
        "pattern:8/8",
        "pattern:\"[Q/8/8/8/8/8/8/8\"",
        "pattern:\"**6/8/8/8/8/8/8/8\"",
        "sub:\"X9\"",
        "sub:\"Nf5 Bf5\"",
        "material:KX",
        "material:KrK",
        "imbalance:K",
        "imbalance:Qr",
        "imbalance:q-r",
        "imbalance:MN",
        "imbalance:P3-1",
        "balance:x",
        "bishops:some",
        "at:5",
        "for:0",
        "fen:8/8/8/8/8/8/8/8 at:x",
        "player>Tal",
        "elo",
        "-at:5",
        "vs Tal",
        "Tal vs",
        "fen:8/8/8/8/8/8/8/8 fen:8/8/8/8/8/8/8/8",
        "*al",
        "minelo:",
        "moves:..x",
    ]
    .map(str::to_owned)
    .to_vec();
    for key in KEYS {
        for value in [
            "x",
            "-1",
            "9..1",
            "\"",
            "/(/",
            "*",
            ">5",
            ",",
            "=",
            "1999.99.99",
            "[",
            "Zz9",
        ] {
            queries.push(format!("{}:{value}", key.name));
        }
    }
    queries.push("(".repeat(500));
    let mut random = Rng::new(35);
    let good = queries.clone();
    for _ in 0..20_000 {
        let mut query: Vec<char> = good[random.below(good.len())].chars().take(60).collect();
        for _ in 0..=random.below(3) {
            let index = random.below(query.len() + 1);
            let letter = random.pick(&[
                '"', '/', '(', ')', ',', ':', '-', '.', ' ', '*', 'x', '9', '>', '|',
            ]);
            if random.chance(50) && index < query.len() {
                query[index] = letter;
            } else {
                query.insert(index, letter);
            }
        }
        queries.push(query.into_iter().collect());
    }
    let mut session = Session::new();
    let mut missing = BTreeSet::new();
    let mut wrong = 0;
    for query in queries {
        let request = json!({ "op": "query", "text": query });
        let answer: Value = serde_json::from_str(&session.call(&request.to_string())).unwrap();
        if let Some(message) = answer["message"].as_str() {
            wrong += 1;
            if !has_words(message, &templates) {
                missing.insert(message.to_owned());
            }
        }
    }
    assert!(wrong > 1_000, "{wrong}");
    assert!(
        missing.is_empty(),
        "web/src/phrases.js has no words for: {missing:#?}"
    );
}
