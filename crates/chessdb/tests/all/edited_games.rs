//! Tests of edited games in memory over a database.
#![cfg(feature = "all-formats")]

use std::sync::Arc;

use chessdb::convert::Observer;
use chessdb::core::model::Place;
use chessdb::core::tree::MovesEdit;
use chessdb::core::{Color, Game, MemorySet};
use chessdb::{Converter, Database, FORMATS};
use chessdb_testkit::fixtures;

use crate::edits::pgn;

/// Changes some games in the same way during a conversion.
struct Changes(fn(u32, &mut Game));

impl Observer for Changes {
    fn edit(&mut self, game: &mut chessdb::Game) {
        let index = game.index();
        self.0(index, game);
    }
}

fn some_changes(index: u32, game: &mut Game) {
    match index {
        1 => game.set_tag("White", "Tal, Mihail"),
        2 => {
            game.edit_moves(0, MovesEdit::Comment(Place::After, "début"))
                .unwrap();
        }
        3 if game.moves.plies() > 3 => {
            game.edit_moves(3, MovesEdit::DeleteFrom).unwrap();
            game.set_tag("Annotator", "me");
        }
        _ => {}
    }
}

/// Returns a fixture in this format, as a database in memory.
fn made(format: &str) -> MemorySet {
    let files = ["si4", "sg4", "sn4"].map(|suffix| {
        let name = format!("annotated.{suffix}");
        (
            name.clone(),
            fixtures::read(fixtures::path(format!("scid/{name}"))),
        )
    });
    let db = Database::options().open_files(files).unwrap();
    let mut set = MemorySet::new();
    let converter = Converter::to_sink(&mut set).format(format);
    converter.add_database(&db).run().unwrap();
    set
}

fn converted(
    db: &Database,
    format: &str,
    changes: Option<&mut Changes>,
) -> (Vec<(&'static str, Vec<u8>)>, String) {
    let mut set = MemorySet::new();
    let mut converter = Converter::to_sink(&mut set).format(format).add_database(db);
    if let Some(changes) = changes {
        converter = converter.observer(changes);
    }
    let report = converter.run().unwrap();
    let files = set
        .iter()
        .map(|(role, bytes)| (role.0, bytes.to_vec()))
        .collect();
    (files, format!("{:?}", report.game_losses()))
}

#[test]
fn an_edited_database_converts_like_the_original_with_the_changes() {
    let formats = || {
        FORMATS
            .iter()
            .filter(|format| format.create.is_some() && format.id != "jose")
    };
    for source in ["pgn", "si4", "si5", "cbh", "cbf", "dcx"] {
        let set = made(source);
        let original = Database::from_files(set.clone()).unwrap();
        let mut edited = Database::from_files(set).unwrap();
        for index in 0..edited.len().unwrap() {
            let mut game = edited.game(index).unwrap().into_model();
            let before = pgn(&game);
            some_changes(index, &mut game);
            if pgn(&game) != before {
                edited.set_game(index, Some(Arc::new(game))).unwrap();
            }
        }
        assert!(!edited.edits().unwrap().is_empty());
        for target in formats() {
            let wanted = converted(&original, target.id, Some(&mut Changes(some_changes)));
            let found = converted(&edited, target.id, None);
            assert!(found == wanted, "{source} to {}", target.id);
        }
        for index in 0..edited.len().unwrap() {
            edited.set_game(index, None).unwrap();
        }
        for target in formats() {
            let wanted = converted(&original, target.id, None);
            assert!(
                converted(&edited, target.id, None) == wanted,
                "{source} to {}",
                target.id
            );
        }
    }
}

#[test]
fn every_reader_sees_the_edited_games() {
    for source in ["pgn", "si4", "si5", "cbh", "ca"] {
        let mut db = Database::from_files(made(source)).unwrap();
        let len = db.len().unwrap();
        let mut game = db.game(0).unwrap().into_model();
        game.set_tag("White", "Zyx, Only");
        game.set_tag("Date", "1066.10.14");
        db.set_game(0, Some(Arc::new(game))).unwrap();
        let new = Game::builder().white("New, Game").elo(Color::White, 2888);
        let new = new.sans(["a3", "h6", "a4", "h5", "a5"]).unwrap().build();
        db.set_game(len, Some(Arc::new(new))).unwrap();
        assert_eq!(
            (db.len().unwrap(), db.games().count() as u32),
            (len + 1, len + 1)
        );
        for (query, wanted) in [
            ("white:\"Zyx, Only\"", vec![0]),
            ("year:1066", vec![0]),
            ("elo>=2888", vec![len]),
            ("line:\"1.a3 h6 2.a4\"", vec![len]),
            ("moves<=3 New", vec![len]),
        ] {
            let found = db.find(query).unwrap().map(|game| game.unwrap().index());
            assert_eq!(found.collect::<Vec<_>>(), wanted, "{source} {query}");
            let query: chessdb::query::Query = query.parse().unwrap();
            let numbers = db.scan().filter(query).numbers().games();
            let numbers = numbers.map(|game| game.unwrap().index());
            assert_eq!(numbers.collect::<Vec<_>>(), wanted, "{source}");
        }
        assert_eq!(db.header(0).unwrap().white(), "Zyx, Only");
        assert!(db.header(0).unwrap().moves.is_empty());
        assert!(db.signature(0).is_none() && db.signature(len).is_none());
        // Only the last added game can be removed, and only the next one added.
        assert!(db.set_game(len + 2, None).is_err());
        assert!(db.set_game(len + 2, Some(Arc::default())).is_err());
        db.set_game(len, None).unwrap();
        db.set_game(0, None).unwrap();
        assert!(db.edits().unwrap().is_empty());
        assert_eq!(db.find("Zyx").unwrap().count(), 0);
    }
}

#[test]
fn an_unreadable_game_can_be_replaced() {
    let text = &b"1. e4 Ke4 *\n\n1. d4 *\n"[..];
    let strict = Database::options().strict(true);
    let mut db = strict.open_files([("made.pgn", text)]).unwrap();
    assert!(db.game(0).is_err());
    let new = Game::builder().white("New");
    let new = new.sans(["a3"]).unwrap().build();
    db.set_game(0, Some(Arc::new(new))).unwrap();
    assert_eq!(db.game(0).unwrap().plies(), 1);
    assert_eq!(db.header(0).unwrap().white(), "New");
    db.set_game(0, None).unwrap();
    assert!(db.game(0).is_err());
}
