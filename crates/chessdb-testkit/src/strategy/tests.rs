use std::collections::BTreeSet;

use chessdb_core::Event;
use chessdb_core::board::MoveKind;
use chessdb_core::compare::{first_difference, moves_difference};
use chessdb_core::line::Walk;
use chessdb_core::model::Place;
use chessdb_core::rules::{is_legal, is_valid_position};

use super::*;

/// Returns the first five hundred games.
fn row(options: &GameOptions) -> impl Iterator<Item = Game> {
    (0..500).map(|seed| game(seed, options))
}

#[test]
fn every_move_is_legal_and_every_kind_occurs() {
    let mut kinds = BTreeSet::new();
    for game in row(&GameOptions::all()) {
        let mut walk = Walk::plain(&game).unwrap();
        while let Some(event) = walk.step() {
            let Event::Move(mv) = event else { continue };
            let board = walk.lines().board();
            assert!(is_legal(board, mv), "{mv:?} in {board}");
            kinds.insert(format!("{:?}", mv.kind()));
        }
        assert!(is_valid_position(&game.start_board()));
    }
    let promotions = kinds
        .iter()
        .filter(|kind| kind.starts_with("Promotion"))
        .count();
    assert_eq!(promotions, 4);
    for kind in [
        MoveKind::Null,
        MoveKind::CastleShort,
        MoveKind::CastleLong,
        MoveKind::EnPassant,
        MoveKind::Normal,
    ] {
        assert!(kinds.contains(&format!("{kind:?}")), "{kind:?}");
    }
}

#[test]
fn enabled_options_occur() {
    let mut seen = BTreeSet::new();
    for game in row(&GameOptions::all()) {
        let header = &game.header;
        let mut see = |what: &'static str, is: bool| {
            if is {
                seen.insert(what);
            }
        };
        see("setup", header.start != Start::Standard);
        see(
            "chess960",
            matches!(&header.start, Start::Setup(setup) if setup.chess960),
        );
        see("missing name", header.event.text.is_none());
        see(
            "empty name",
            header.event.text.is_some() && game.text(header.event.text).is_empty(),
        );
        see("rating", header.white.rating.is_some());
        see("title", header.black.title.is_some());
        see("FIDE number", header.white.fide_id.is_some());
        see("ECO", header.eco.is_some());
        see("event date", !header.event_date.is_unknown());
        see("odd date", header.date.month > 12);
        see("annotator", header.annotator.text.is_some());
        see("flags", !header.flags.is_empty());
        see("tags", !header.tags.is_empty());
        let (mut depth, mut last) = (0, None);
        for event in game.events() {
            match event {
                Event::Open(_) => depth += 1,
                Event::Close => depth -= 1,
                Event::Comment(place, text) => {
                    let after = !matches!(last, None | Some(Event::Open(_)));
                    see("comment before a move", after && place == Place::Before);
                    see(
                        "comment after a variation",
                        matches!(last, Some(Event::Close)),
                    );
                    see("second comment", matches!(last, Some(Event::Comment(..))));
                    see("empty comment", text.is_empty());
                    see(
                        "comment in windows-1252",
                        text.charset() != chessdb_core::Charset::UTF_8,
                    );
                    let text = text.decode();
                    see("newline", text.contains('\n'));
                    see("trailing blank", text.ends_with(' '));
                    see("brace", text.contains('}'));
                    see("PGN look-alike", text.contains("[Event \"x\"]"));
                    see("unicode", text.contains('😀'));
                }
                Event::Nag(_) => see("NAG", true),
                Event::Clock(_) => see("clock", true),
                Event::Eval(_) => see("evaluation", true),
                Event::Shapes(_) => see("shapes", true),
                Event::Outcome(_) => see("result", true),
                Event::Fault(..) => see("fault", true),
                _ => {}
            }
            see("depth 5", depth == 5);
            see(
                "empty variation",
                matches!((last, event), (Some(Event::Open(_)), Event::Close)),
            );
            last = Some(event);
        }
    }
    assert_eq!(seen.len(), 31, "{seen:?}");
}

#[test]
fn disabled_options_do_not_occur() {
    for game in row(&GameOptions::plain()) {
        assert!(
            game.events()
                .all(|event| matches!(event, Event::Move(mv) if !mv.is_null()))
        );
        assert_eq!(game.header.start, Start::Standard);
        assert!(game.header.tags.is_empty() && game.header.flags.is_empty());
        assert!(game.header.event.text.is_some());
    }
    let options = GameOptions::for_scid();
    for game in row(&options) {
        let mut last = None;
        for event in game.events() {
            if let Event::Comment(place, text) = event {
                assert!(!text.is_empty());
                assert!(!matches!(last, Some(Event::Comment(..) | Event::Close)));
                let start = matches!(
                    last,
                    None | Some(
                        Event::Open(_) | Event::Clock(_) | Event::Eval(_) | Event::Shapes(_)
                    )
                );
                assert!(place == Place::After || start, "{last:?}");
            }
            last = Some(event);
        }
        let header = &game.header;
        assert!(flags(options.flags).contains(header.flags));
        if !header.event_date.is_unknown() {
            assert!(header.event_date.year.abs_diff(header.date.year) <= 3);
        }
        assert!(
            game.texts
                .iter()
                .all(|(_, text)| !text.as_bytes().contains(&0))
        );
        assert!(game.text(header.event.text).as_bytes().len() <= 255);
    }
}

#[test]
fn smaller_amounts_shrink_the_same_game() {
    let mut recipe = Recipe::from_seed(7, GameOptions::all());
    (recipe.plies, recipe.notes, recipe.depth) = (60, 90, 3);
    let full = recipe.game();
    assert_eq!(first_difference(&full, &recipe.game()), None);
    recipe.notes = 0;
    let bare = recipe.game();
    assert!(full.moves.mainline().eq(bare.moves.mainline()));
    assert!(bare.events().all(|event| matches!(event, Event::Move(_))));
    assert!(moves_difference(&full, &bare).is_some());
    recipe.plies = 10;
    let short: Vec<_> = recipe.game().moves.mainline().collect();
    assert_eq!(short.len(), 10);
    assert!(full.moves.mainline().take(10).eq(short));
}

proptest! {
    #[test]
    fn strategies_create_valid_values(
        game in games(GameOptions::for_pgn()),
        valid in valid_board(),
        any in random_board(),
    ) {
        prop_assert!(game.moves.plies() <= 400);
        prop_assert!(is_valid_position(&valid));
        prop_assert!(any.occupied().len() <= 64);
    }
}
