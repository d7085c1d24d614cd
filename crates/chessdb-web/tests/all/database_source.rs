//! Tests of databases that the host offers.

use chessdb::core::files::Role;
use chessdb::core::{Charset, MemorySet};
use chessdb::{Database, Error};
use chessdb_web::{DatabaseSource, OfferedDatabase, Session};
use serde_json::json;

use crate::test_session::TestSession;

/// A source with two databases. The charset of the first must be chosen.
struct Two;

impl DatabaseSource for Two {
    fn bases(&self) -> Vec<OfferedDatabase> {
        let named = |name: &str| OfferedDatabase {
            name: name.to_owned(),
            format: Some("PGN"),
            size: None,
        };
        vec![named("first.pgn"), named("second.pgn")]
    }

    fn open(&mut self, number: usize, encoding: Option<&str>, _: bool) -> Result<Database, Error> {
        let text: &[u8] = match number {
            // "Таль" in Windows-1251.
            0 => b"[White \"\xd2\xe0\xeb\xfc\"]\n\n1. e4 *\n",
            _ => b"[White \"Keres\"]\n\n1. d4 *\n\n1. c4 *\n",
        };
        let mut set = MemorySet::new();
        set.insert(Role("pgn"), text.to_vec());
        let charset = encoding.and_then(Charset::by_name);
        let options = Database::options().encoding(charset.unwrap_or(Charset::WINDOWS_1252));
        options.open_set(set)
    }
}

#[test]
fn each_base_of_a_shelf_is_opened_and_again_in_another_charset() {
    let mut session = TestSession::of(Session::with_source(Box::new(Two)));
    let wanted = json!([
        { "name": "first.pgn", "formatName": "PGN", "size": null },
        { "name": "second.pgn", "formatName": "PGN", "size": null },
    ]);
    assert_eq!(session.ask(json!({ "op": "bases" }))["bases"], wanted);
    for (encoding, name) in [("", "\u{d2}\u{e0}\u{eb}\u{fc}"), ("windows-1251", "Таль")] {
        let info = session.ask(json!({ "op": "open", "base": 0, "encoding": encoding }));
        assert_eq!(
            (&info["name"], &info["games"]),
            (&json!("first.pgn"), &json!(1))
        );
        let game = session.ask(json!({ "op": "game", "game": 0 }));
        assert_eq!(game["white"], name);
        // After `clear`, the databases are listed again.
        session.ask(json!({ "op": "clear" }));
        assert_eq!(session.ask(json!({ "op": "bases" }))["bases"], wanted);
    }
    let info = session.ask(json!({ "op": "open", "base": 1 }));
    assert_eq!(
        (&info["name"], &info["games"]),
        (&json!("second.pgn"), &json!(2))
    );
}
