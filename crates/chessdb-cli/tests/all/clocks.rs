//! Tests of clocks, evaluations and shapes in every spelling. The program and the packages for
//! Python and JavaScript read one table of them: crates/chessdb-core/tests/values.json.

use serde_json::{Value, json};

use crate::common::{Lab, root};

fn cases() -> Vec<Value> {
    let table = root().join("crates/chessdb-core/tests/values.json");
    serde_json::from_slice(&std::fs::read(table).unwrap()).unwrap()
}

/// Returns the values of the columns of one game, read from PGN through the program.
fn columns(lab: &Lab, file: &str, option: Option<&str>) -> Value {
    let columns = "clocks,elapsed,evals,movetext";
    let args = [
        "cat",
        file,
        "-q",
        "--format",
        "ndjson",
        "--columns",
        columns,
    ];
    let ran = lab.run(args.into_iter().chain(option)).expect(0);
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn every_spelling_of_a_value_is_read_and_left_out() {
    let lab = Lab::empty();
    let first = |list: Value| list.get(0).cloned().unwrap_or(Value::Null);
    for case in cases() {
        let after = case["after"].as_str().unwrap();
        lab.write("one.pgn", format!("[White \"A\"]\n\n1. e4 {after} e5 *\n"));
        let row = columns(&lab, "one.pgn", None);
        assert_eq!(first(row["clocks"].clone()), case["clock"], "{after}");
        assert_eq!(first(row["elapsed"].clone()), case["elapsed"], "{after}");
        let mate = case["mate"].as_i64().map(|moves| match moves {
            moves if moves > 0 => json!(32_768 - moves),
            moves => json!(-32_769 - moves),
        });
        let eval = mate.unwrap_or_else(|| case["eval"].clone());
        assert_eq!(first(row["evals"].clone()), eval, "{after}");
        // The terms and counts of a game agree with that.
        for (term, value) in [("clocks", "clock"), ("evals", "eval"), ("arrows", "shapes")] {
            let expected = match term {
                "clocks" => case["clock"].is_null() && case["elapsed"].is_null(),
                "evals" => eval.is_null(),
                _ => case[value].is_null(),
            };
            let query = format!("has:{term}");
            lab.run(["find", "one.pgn", &query, "-q"])
                .expect(i32::from(expected));
        }
        let without = columns(&lab, "one.pgn", Some("--no-clocks"));
        for column in ["clocks", "elapsed", "evals"] {
            assert!(without[column].is_null(), "{after}: {without}");
        }
        let movetext = without["movetext"].as_str().unwrap();
        for word in [
            "[%clk", "[%emt", "[%eval", "[%csl", "[%cal", "/22", "/16", "/9",
        ] {
            assert!(!movetext.contains(word), "{after}: {movetext}");
        }
        let without = columns(&lab, "one.pgn", Some("--no-evals"));
        assert!(without["evals"].is_null(), "{after}: {without}");
        assert_eq!(without["clocks"], row["clocks"], "{after}");
        assert_eq!(without["elapsed"], row["elapsed"], "{after}");
    }
}

#[test]
fn words_around_values_stay() {
    let lab = Lab::empty();
    let moves = "1. e4 { one [%clk 0:03:00] two } e5 { first } { [%eval 1.0] [%clk 0:02:59] } \
                 2. Nf3 {+M1/9 0.010s, White mates} *";
    lab.write("one.pgn", format!("[White \"A\"]\n\n{moves}\n"));
    let ran = lab
        .run(["cat", "one.pgn", "--no-clocks", "-q", "-w0"])
        .expect(0);
    let rest = "1. e4 { one two } 1... e5 { first } 2. Nf3 {White mates} *";
    assert!(ran.out.contains(rest), "{}", ran.out);
}

#[test]
fn time_controls_of_correspondence_odds_and_hourglasses() {
    let lab = Lab::empty();
    let seconds = |control: &str, clocks: [&str; 4]| {
        let [a, b, c, d] = clocks.map(|clock| format!("{{[%clk {clock}]}}"));
        let moves = format!("1. e4 {a} e5 {b} 2. Nf3 {c} Nc6 {d} *");
        let tags = format!("[White \"A\"]\n[Black \"B\"]\n[TimeControl \"{control}\"]");
        lab.write("one.pgn", format!("{tags}\n\n{moves}\n"));
        let ran = lab
            .run(["stats", "one.pgn", "--clocks", "--json"])
            .expect(0);
        let clocks = &ran.json()["clocks"];
        ["white", "black"].map(|side| {
            let number = |name: &str| clocks[side][name].as_f64().unwrap_or(0.0);
            (number("secondsPerMove"), number("moves"))
        })
    };
    for control in ["1/86400", "1 day"] {
        let times = seconds(control, ["23:59:20", "12:00:00", "22:00:00", "20:00:00"]);
        assert_eq!(times, [(3620.0, 2.0), (28_800.0, 2.0)], "{control}");
    }
    let times = seconds("5+1; 10+2", ["4:51", "9:52", "4:42", "9:44"]);
    assert_eq!(times, [(10.0, 2.0), (10.0, 2.0)]);
    // White thinks for 10 s and 20 s, Black for 30 s and 40 s.
    let times = seconds("*180", ["2:50", "2:40", "3:00", "2:20"]);
    assert_eq!(times, [(15.0, 2.0), (35.0, 2.0)]);
}
