//! The tree of `view`, with and without a tree file.

use serde_json::{Value, json};

use crate::common::Lab;
use crate::view::View;

/// Returns the answer to a task.
fn task(view: &View, page: &str, request: &Value) -> Value {
    let begun = view.call(page, request);
    loop {
        let step = json!({ "op": "step", "task": begun["task"], "most": 50 });
        let state = view.call(page, &step);
        if state["done"] != json!(false) {
            return state["result"].clone();
        }
    }
}

/// The tree answers the same with a tree file, at once, and without; and after an edit, which the
/// file does not know.
#[test]
fn a_tree_file_changes_no_answer_of_the_tree() {
    let lab = Lab::new();
    let mut text = String::new();
    for n in 0..400 {
        let [first, reply] = [["e4", "d4", "c4"][n % 3], ["e5", "c5", "Nf6", "Nf6"][n % 4]];
        let (white, black, year) = (2000 + 7 * n % 600, 2000 + 11 * n % 700, 1950 + n % 70);
        let result = ["1-0", "0-1", "1/2-1/2"][n % 3];
        text += &format!(
            "[Date \"{year}.01.01\"]\n[WhiteElo \"{white}\"]\n[BlackElo \"{black}\"]\n\n1. {first} {reply} {result}\n\n"
        );
    }
    lab.write("many.pgn", &text);
    lab.write("plain.pgn", &text);
    lab.run(["index", "-q", "many.pgn"]).expect(0);
    let fens = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/5P2/8/PPPPP1PP/RNBQKBNR b KQkq - 0 1",
    ];
    let answers = |base: &str| -> Vec<Value> {
        let view = View::of(&lab, &[base]);
        let (_alive, page) = view.page();
        view.call(&page, &json!({ "op": "open", "base": 0 }));
        let mut answers = Vec::new();
        for query in ["", "year:1950..1970"] {
            let filter = json!({ "op": "start", "task": "filter", "query": query });
            task(&view, &page, &filter);
            for fen in fens {
                let tree = json!({ "op": "start", "task": "tree", "fen": fen });
                let step = |task: &Value| {
                    view.call(
                        &page,
                        &json!({ "op": "step", "task": task["task"], "most": 1 }),
                    )
                };
                let first = step(&view.call(&page, &tree));
                let is_at_once = first["done"] == json!(true);
                // The last position is not in the file, but the index excludes all games.
                let is_known = base == "many.pgn" && query.is_empty();
                assert_eq!(is_at_once, is_known, "{base} {query} {fen}");
                answers.push(task(&view, &page, &tree));
            }
        }
        let edit = json!({ "op": "edit", "game": 0, "node": 2, "change": "delete" });
        assert!(view.call(&page, &edit)["error"].is_null());
        let tree = json!({ "op": "start", "task": "tree", "fen": fens[0] });
        answers.push(task(&view, &page, &tree));
        answers
    };
    let (with, without) = (answers("many.pgn"), answers("plain.pgn"));
    for (with, without) in with.iter().zip(&without) {
        for member in ["reached", "moves", "opening"] {
            assert_eq!(with[member], without[member]);
        }
        // The file has the three best games of each move: the first three are the best of all.
        let best = |answer: &Value| -> Vec<Value> {
            let games = answer["games"].as_array().unwrap().iter();
            games.take(3).map(|row| row[0].clone()).collect()
        };
        assert_eq!(best(with), best(without));
    }
    assert_eq!(with.len(), without.len());
    assert_eq!(with[0]["reached"], 400);
    assert_eq!(with[1]["reached"], 133);
    assert_eq!(with[6]["moves"].as_array().unwrap().len(), 3);
}
