//! Tests of the report on a player.

use serde_json::json;

use crate::test_session::TestSession;

/// Games of players with names that are alike; each has White once.
fn alike(names: &[&str]) -> String {
    let game = |name: &&str| {
        format!("[White \"{name}\"]\n[Black \"Cedar, Ann\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n")
    };
    names.iter().map(game).collect()
}

#[test]
fn the_report_on_a_player_counts_proved_names_and_offers_others() {
    let names = [
        "Maple,S",
        "Maple, Sue",
        "S. Maple",
        "Maple, Sam",
        "Oak, Jim",
        "MAPLE, SUE",
    ];
    let mut session = TestSession::of_pgn(&alike(&names));
    let one = ["Maple,S", "S. Maple"];
    let sue = ["MAPLE, SUE", "Maple, Sue"];
    let all = [
        "MAPLE, SUE",
        "Maple, Sam",
        "Maple, Sue",
        "Maple,S",
        "S. Maple",
    ];
    for (request, counted, possible, part) in [
        (
            json!({ "name": "Maple,S" }),
            &one[..],
            &["MAPLE, SUE", "Maple, Sam", "Maple, Sue"][..],
            false,
        ),
        (
            json!({ "name": "Maple,S" }),
            &one,
            &["MAPLE, SUE", "Maple, Sam", "Maple, Sue"],
            false,
        ),
        (
            json!({ "name": "Maple, Sue", "whole": true }),
            &sue,
            &["Maple,S", "S. Maple"],
            false,
        ),
        (
            json!({ "name": "Maple,S", "also": ["Maple, Sam"], "whole": true }),
            &["Maple, Sam", "Maple,S", "S. Maple"],
            &["MAPLE, SUE", "Maple, Sue"],
            false,
        ),
        (
            json!({ "name": "Oak, Jim", "whole": true }),
            &["Oak, Jim"],
            &[],
            false,
        ),
        (
            json!({ "name": "Ash, Lee", "whole": true }),
            &[],
            &[],
            false,
        ),
        // A part, an abbreviation that no game has, and an expression.
        (json!({ "name": "maple" }), &all, &[], true),
        (json!({ "name": "maple,s" }), &all, &[], true),
        (
            json!({ "name": "/^maple, s/" }),
            &["MAPLE, SUE", "Maple, Sam", "Maple, Sue"],
            &[],
            true,
        ),
    ] {
        for max_games in [1, 4, 100] {
            let mut task = request.clone();
            task["task"] = "player".into();
            let answer = session.task(task, max_games);
            let of = |key: &str| -> Vec<String> {
                let list = answer[key].as_array().unwrap().iter();
                list.map(|one| one[0].as_str().unwrap().to_owned())
                    .collect()
            };
            assert_eq!(of("names"), counted, "{request}");
            assert_eq!(of("possible"), possible, "{request}");
            assert_eq!(answer["part"], part, "{request}");
            assert_eq!(answer["total"]["games"], counted.len(), "{request}");
            assert_eq!(
                answer["opponents"].as_array().unwrap().len(),
                usize::from(!counted.is_empty())
            );
        }
    }
    // Only the games of the list count. The list also has the games of abbreviated names.
    session.task(
        json!({ "task": "filter", "query": "white:\"Maple, Sue\"" }),
        3,
    );
    let answer = session.task(json!({ "task": "player", "name": "Maple, Sue" }), 1);
    assert_eq!(
        (&answer["total"]["games"], &answer["term"]),
        (&json!(2), &json!("/^(MAPLE, SUE|Maple, Sue)$/"))
    );
}
