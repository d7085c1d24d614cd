//! Games and data of a database at the edges of what formats can store, for the kinds of loss that
//! no ordinary game shows.

use chessdb::core::Charset;
use chessdb::core::Date;
use chessdb::core::commands::{Clock, ClockKind, Eval, EvalValue, Shape, ShapeColor};
use chessdb::core::limits::OverLimit;
use chessdb::core::model::{Builder, Eco, EcoSub, Field, Tag};

use super::*;

/// Returns the games and the data of their database.
pub fn odd_model() -> Model {
    Model {
        opened: Opened::new(odd_base(), Vec::new()),
        games: odd_games(),
    }
}

fn odd_games() -> Vec<Game> {
    let mut games = Vec::new();
    let mut with = |change: &dyn Fn(&mut Game)| {
        let mut game = from_pgn("[White \"A\"] [Black \"B\"] 1. e4 e5 *");
        change(&mut game);
        games.push(game);
    };
    // A move that formats refuse, with annotations of every kind after it.
    let ghost = PackedMove::new(square("e5"), square("d6"), MoveKind::GhostEnPassant);
    let from_empty = PackedMove::normal(square("e4"), square("e6"));
    let king_alone = PackedMove::normal(square("e8"), square("h5"));
    for (refused, has_marks) in [(ghost, false), (from_empty, true), (king_alone, false)] {
        with(&|game| {
            let mut line = moves(&["e2e4", "a7a6", "e4e5", "d7d5", "h2h3", "h7h6"]);
            line.push(refused);
            let (first, second) = (game.add_text("after it"), game.add_text("and more"));
            let unreadable = game.add_text("Nxz9");
            tape(game, &line, |tape| {
                annotations(tape)?;
                // Text formats write these marks as comments.
                if has_marks {
                    tape.fault(FaultKind::UnreadableMove, unreadable)?;
                    tape.outcome(Outcome::WhiteWins)
                } else {
                    // Text formats write one comment for the move that they refuse.
                    tape.comment(Place::After, first)?;
                    tape.comment(Place::After, second)
                }
            });
        });
    }
    // A variation at the start of a variation.
    with(&|game| {
        let [e4, d4, c4] = ["e2e4", "d2d4", "c2c4"].map(|text| moves(&[text]));
        tape(game, &e4, |tape| {
            tape.open()?;
            tape.open()?;
            d4.iter().try_for_each(|&mv| tape.mv(mv))?;
            tape.close();
            c4.iter().try_for_each(|&mv| tape.mv(mv))?;
            tape.close();
            Ok(())
        });
    });
    // Each text too long for its field.
    with(&|game| {
        let long = "Long text ".repeat(30);
        let mut text = || game.add_text(&long);
        let (title, round, site, source) = (text(), text(), text(), text());
        let others = [text(), text()];
        let names = ["Board", "Opening"].map(|name| game.add_text(name));
        game.header.white.title = title;
        game.header.round = round.into();
        game.header.site = site.into();
        game.header.source = source.into();
        game.header.annotator = site.into();
        let tags = names.into_iter().zip(others);
        let tags = tags.map(|(name, value)| Tag::Other { name, value });
        game.header.tags.extend(tags);
    });
    // A tag that leaves no room for the others, where they share a field.
    with(&|game| {
        let (name, value) = (game.add_text("Note"), game.add_text(&"x".repeat(247)));
        game.header.tags.push(Tag::Other { name, value });
        let source = game.add_text("A magazine");
        game.header.source = source.into();
        game.header.white.fide_id = Some(99_999_999);
        game.header.white.rating = Some(Rating {
            value: 2100,
            kind: RatingKind::Uscf,
        });
        game.header.flags = GameFlags::NOVELTY;
        game.header.event_date = Date::new(1990, 13, 31);
        let unknown = game.add_text("?");
        game.header.tags.push(Tag::Verbatim(Field::Date, unknown));
        game.header.eco = Some(Eco {
            code: 97,
            sub: EcoSub::Letter {
                letter: 2,
                digit: 1,
            },
        });
    });
    // Source texts with a sign that separates tags where they share a field.
    with(&|game| {
        game.header.white.rating = Some(Rating {
            value: 2400,
            kind: RatingKind::Elo,
        });
        game.header.white.fide_id = Some(77);
        game.header.outcome = Outcome::WhiteWins;
        game.header.flags = GameFlags::NOVELTY;
        let source = game.add_text("A magazine; a book");
        game.header.source = source.into();
        for (field, text) in [
            (Field::WhiteRating, "2400; est."),
            (Field::WhiteFideId, "77; est."),
            (Field::Eco, "; C20"),
            (Field::Result, "1-0; resigns"),
            (Field::Flags, "N;"),
        ] {
            let text = game.add_text(text);
            game.header.tags.push(Tag::Verbatim(field, text));
        }
    });
    with(&|game| {
        let name = game.add_text("Board");
        let values = ["1", "2"].map(|number| game.add_text(number));
        let tags = values.map(|value| Tag::Other { name, value });
        game.header.tags.extend(tags);
    });
    // An evaluation instead of a result that several formats store as a similar one.
    with(&|game| {
        let (name, value) = (game.add_text("LineEvaluation"), game.add_text("$10"));
        game.header.tags.push(Tag::Other { name, value });
    });
    // Chess960 without a sign of it, too many pieces, and a rook that castles in place.
    let full = "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ";
    for (fen, chess960) in [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            true,
        ),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", true),
        ("4k3/8/8/8/QQQQQQQQ/8/QQQQQQQQ/QQQQKQQQ w - - 0 1", false),
        (&format!("4k3/8/8/8/{full} w - - 0 1"), false),
        (&format!("{full}/{full} w - - 0 1"), false),
        ("4k3/8/8/8/8/8/8/RK6 w Q - 300 9000", true),
        // En passant of the other side.
        ("4k3/8/8/8/8/8/8/4K3 w - e3 0 1", false),
    ] {
        with(&|game| {
            let mut setup: Setup = fen.parse().unwrap_or_else(|_| panic!("{fen}"));
            setup.chess960 |= chess960;
            game.header.start = Start::Setup(Box::new(setup));
            game.moves.clear();
        });
    }
    games
}

/// Appends a NAG, commands, a variation and a move.
fn annotations(tape: &mut Builder<'_>) -> Result<(), OverLimit> {
    tape.nag(1)?;
    tape.clock(Clock {
        kind: ClockKind::Clock,
        milliseconds: 60_000,
    })?;
    tape.eval(Eval {
        value: EvalValue::Centipawns(35),
        depth: None,
    })?;
    tape.shapes(&[Shape {
        color: ShapeColor::GREEN,
        from: square("d4"),
        to: None,
    }])?;
    tape.open()?;
    tape.mv(PackedMove::NULL)?;
    tape.close();
    tape.mv(PackedMove::NULL)
}

fn odd_base() -> BaseInfo {
    let mut base = BaseInfo::default();
    let mut text = |text: &str| base.texts.push(text.as_bytes(), Charset::UTF_8);
    base.title = text("A title for a database. ".repeat(20).trim_end());
    base.description = text("Words about a database. ".repeat(20).trim_end());
    base.flag_names = (0..8).map(|_| text("a flag with a long name")).collect();
    base.open_first = Some(0x0100_0001);
    base
}
