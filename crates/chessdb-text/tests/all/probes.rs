//! Recognition by content, and the messages for other files.

use chessdb_core::format::Score;
use chessdb_core::{Format, ReadOptions};
use chessdb_text::{CSV, EPD, FEN, FORMATS, NDJSON};

use crate::golden::{FIXTURES, fixture};
use crate::set;

fn score(format: &Format, text: &str) -> Score {
    (format.probe)(&set(format, text))
}

#[test]
fn fixtures_are_recognised_and_told_apart() {
    for (name, format) in FIXTURES {
        let is_export = name.starts_with("games.");
        let expected = if is_export { Score::Likely } else { Score::Certain };
        assert_eq!((format.probe)(&fixture(name, format)), expected, "{name}");
        let bytes = chessdb_testkit::fixtures::path(format!("text/{name}"));
        let bytes = chessdb_testkit::fixtures::read(bytes);
        for other in FORMATS.iter().filter(|other| other.id != format.id) {
            let is_list = [format.id, other.id]
                .iter()
                .all(|id| ["epd", "fen"].contains(id));
            let score = (other.probe)(&set(other, bytes.clone()));
            assert_eq!(score == Score::No, !is_list, "{name} as {}", other.id);
        }
    }
}

#[test]
fn other_texts_are_none_of_them() {
    for text in [
        "id,name,price\n1,a,2\n",
        "White,Black,Result\nA,B,1-0\n",
        "FEN,Solution\n8/8/8/8/8/8/8/8 w - - 0 1,e2e4\n",
        "Moves\nare made of words\n",
        "The position after 8/8/8 was won by White.\nThis is prose.\n",
        "1. e4 e5 2. Nf3 Nc6 *\n",
        "[Event \"x\"]\n\n1. e4 *\n",
        "{\"name\":\"package\",\"version\":\"1.0\"}\n",
        "[1, 2, 3]\n",
        "[core]\n\tbare = false\n",
        "\0\0\0\0",
    ] {
        for format in FORMATS {
            assert_eq!(score(format, text), Score::No, "{} {text}", format.id);
        }
    }
}

#[test]
fn damaged_lists_are_still_likely() {
    let position = "4k3/8/8/8/8/8/4P3/4K3 w - -\n";
    for format in [&EPD, &FEN] {
        assert_eq!(
            score(format, &format!("damaged\n{position}")),
            Score::Likely
        );
        assert_eq!(
            score(format, &format!("prose\nprose\n{position}")),
            Score::No
        );
        assert_eq!(score(format, ""), Score::Maybe);
        assert_eq!(score(format, "# remark\n\u{FEFF}"), Score::No);
    }
    // The part that is examined ends within a line.
    assert_eq!(score(&EPD, &position.repeat(1000)), Score::Certain);
    assert_eq!(score(&NDJSON, "{\"moves\":1}"), Score::Likely);
}

#[test]
fn an_unknown_table_is_refused_with_the_expected_columns() {
    for text in ["", "id,name\n1,a\n", "White,Black,Result\nA,B,1-0\n"] {
        let set = set(&CSV, text);
        let store = (CSV.open)(&set, ReadOptions::default());
        let error = store.err().unwrap().to_string();
        for word in ["csv file", "PuzzleId, FEN, Moves", "movetext"] {
            assert!(error.contains(word), "{error}");
        }
        let stream = CSV.stream.unwrap()(Box::new(text.as_bytes()), ReadOptions::default());
        assert_eq!(stream.err().unwrap().to_string(), error);
    }
}
