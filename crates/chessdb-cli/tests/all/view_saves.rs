//! Tests of `view`: changes on the page are saved in the database, and undone.

use serde_json::json;

use crate::common::Lab;
use crate::view::View;

#[test]
fn changes_are_saved_in_the_database_and_undone() {
    let lab = Lab::new();
    let before = lab.read("games.sg4");
    let view = View::of(&lab, &["games.si4"]);
    let (_open, page) = view.page();
    let info = view.call(&page, &json!({ "op": "open", "base": 0 }));
    assert_eq!(info["stores"], true);
    let nothing = view.call(&page, &json!({ "op": "restore" }));
    assert!(nothing["error"].is_object(), "{nothing}");
    let change = |game: u32, text: &str| {
        let request = json!({
            "op": "edit", "game": game, "node": 0, "change": "annotate", "after": text,
        });
        view.call(&page, &request)
    };
    assert_eq!(change(0, "a saved comment")["edits"]["edited"], true);
    let pasted = "[White \"New\"]\n\n1. g3 *";
    view.call(
        &page,
        &json!({ "op": "add", "text": pasted, "join": false }),
    );
    let refused = view.call(&page, &json!({ "op": "restore" }));
    assert_eq!(refused["error"]["code"], "unsaved", "{refused}");
    assert!(lab.read("games.sg4") == before, "nothing is saved yet");
    let stored = view.call(&page, &json!({ "op": "store" }));
    assert_eq!(
        (&stored["games"], &stored["edits"]["edited"]),
        (&json!(2), &json!(false)),
        "{stored}"
    );
    assert_eq!(
        (&stored["edits"]["unsaved"], &stored["edits"]["games"]),
        (&json!(0), &json!(4))
    );
    let text = lab.run(["cat", "games.si4"]).expect(0).out;
    assert!(
        text.contains("{ a saved comment }") || text.contains("{a saved comment}"),
        "{text}"
    );
    assert!(text.contains("[White \"New\"]"), "{text}");
    let game = view.call(&page, &json!({ "op": "pgn", "game": 3 }));
    assert!(game["text"].as_str().unwrap().contains("1. g3"), "{game}");
    let listed = lab.run(["undo", "games.si4", "--list"]).expect(0).out;
    assert!(
        listed.contains("edit in `chessdb view` (2 games)"),
        "{listed}"
    );
    // The page continues with the saved games, and undoes the save.
    change(1, "another comment");
    view.call(&page, &json!({ "op": "store" }));
    let undone = view.call(&page, &json!({ "op": "restore" }));
    assert_eq!(
        (&undone["undone"], &undone["games"]),
        (&json!(true), &json!(1)),
        "{undone}"
    );
    let info = view.call(&page, &json!({ "op": "open", "base": 0, "in": 1 }));
    assert_eq!(info["games"], 4, "{info}");
    let text = lab.run(["cat", "games.si4"]).expect(0).out;
    assert!(
        text.contains("a saved comment") && !text.contains("another comment"),
        "{text}"
    );
    // Another program has changed the database since.
    change(2, "too late");
    lab.run(["delete", "-q", "games.si4", "-n", "1"]).expect(0);
    let refused = view.call(&page, &json!({ "op": "store" }));
    assert_eq!(refused["error"]["code"], "changed", "{refused}");
    assert!(
        !lab.run(["cat", "games.si4"])
            .expect(0)
            .out
            .contains("too late")
    );
}
