//! Tests of games built by hand, read through the accessors and as trees.

use std::fmt::Write as _;

use chessdb_core::limits::Limits;
use chessdb_core::model::{Field, GameBuilder, Place, Rating, RatingKind, Tag};
use chessdb_core::text::TextId;
use chessdb_core::{Board, Color, Date, ErrorKind, Event, Game, Outcome, PackedMove, Square};

fn mv(from: &str, to: &str) -> PackedMove {
    PackedMove::normal(from.parse().unwrap(), to.parse::<Square>().unwrap())
}

fn tags(game: &Game) -> String {
    let mut text = String::new();
    for (name, value) in game.tags() {
        write!(text, "{name}={value};").unwrap();
    }
    text
}

fn pawns() -> GameBuilder {
    Game::builder()
        .fen("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 7")
        .unwrap()
}

#[test]
fn what_the_source_does_not_say_is_a_question_mark_and_no_tag() {
    let nothing = Game::new();
    for name in [
        nothing.white(),
        nothing.black(),
        nothing.event(),
        nothing.site(),
        nothing.round(),
    ] {
        assert_eq!(name, "?");
    }
    for tag in [
        "White",
        "Date",
        "ECO",
        "WhiteElo",
        "FEN",
        "ScidFlags",
        "Annotator",
        "Mode",
    ] {
        assert_eq!(nothing.tag(tag), None, "{tag}");
    }
    assert_eq!(nothing.tag("Result").as_deref(), Some("*"));
    assert_eq!((nothing.annotator(), nothing.source()), (None, None));
    assert_eq!((nothing.elo(Color::White), nothing.eco()), (None, None));
    assert_eq!(
        tags(&nothing),
        "Event=?;Site=?;Date=????.??.??;Round=?;White=?;Black=?;Result=*;"
    );
    let blank = Game::builder().white("?").black("").build();
    assert_eq!(
        (blank.white(), blank.tag("White").as_deref()),
        ("?".into(), Some("?"))
    );
    assert_eq!(
        (blank.black(), blank.tag("Black").as_deref()),
        ("".into(), Some(""))
    );
}

#[test]
fn typed_values_are_read_as_they_were_set() {
    let kind = RatingKind::Rapid;
    let game = Game::builder()
        .white("Morphy, Paul")
        .black("Duke Karl")
        .event("Paris")
        .site("Paris FRA")
        .round("3.2")
        .date("1858.??.??")
        .event_date("1858.11.02")
        .result(Outcome::WhiteWins)
        .elo(Color::White, 2690)
        .rating(Color::Black, Rating { value: 1800, kind })
        .title(Color::White, "GM")
        .fide_id(Color::White, 4100018)
        .eco("C41")
        .annotator("Maróczy")
        .source("a book")
        .build();
    assert_eq!(
        game.to_string(),
        "Morphy, Paul - Duke Karl, Paris 1858, 1-0"
    );
    assert_eq!(game.date(), Date::new(1858, 0, 0));
    assert_eq!(game.event_date(), Date::new(1858, 11, 2));
    assert_eq!(game.result(), Outcome::WhiteWins);
    assert_eq!(game.elo(Color::White), Some(2690));
    assert_eq!(
        (
            game.elo(Color::Black),
            game.rating(Color::Black).unwrap().value
        ),
        (None, 1800)
    );
    assert_eq!(game.title(Color::White).as_deref(), Some("GM"));
    assert_eq!(game.fide_id(Color::White), Some(4100018));
    assert_eq!(game.eco().unwrap().to_string(), "C41");
    assert_eq!(game.annotator().as_deref(), Some("Maróczy"));
    assert_eq!(game.source().as_deref(), Some("a book"));
    assert_eq!(game.tag("BlackRapid").as_deref(), Some("1800"));
    assert_eq!(game.tag("BlackElo"), None);
    assert_eq!(
        tags(&game),
        "Event=Paris;Site=Paris FRA;Date=1858.??.??;Round=3.2;White=Morphy, Paul;Black=Duke Karl;\
         Result=1-0;WhiteElo=2690;BlackRapid=1800;WhiteFideId=4100018;EventDate=1858.11.02;\
         WhiteTitle=GM;ECO=C41;Annotator=Maróczy;Source=a book;"
    );
}

#[test]
fn a_game_is_one_line_for_people() {
    for (event, site, date, shown) in [
        ("Paris 1858", "", "1858.??.??", "? - ?, Paris 1858, *"),
        ("?", "Wien", "1910.01.01", "? - ?, Wien 1910, *"),
        (" ", "?", "1910", "? - ?, 1910, *"),
        ("Cup", "", "????.05.01", "? - ?, Cup, *"),
        ("", "", "", "? - ?, *"),
    ] {
        let game = Game::builder().event(event).site(site).date(date).build();
        assert_eq!(game.to_string(), shown);
    }
}

#[test]
fn a_value_that_its_field_does_not_give_back_stays_as_text() {
    let odd = [
        ("Date", "in May", Field::Date),
        ("EventDate", "????.??.??", Field::EventDate),
        ("ECO", "c41", Field::Eco),
        ("Result", "1:0", Field::Result),
        ("WhiteFideId", "0123", Field::WhiteFideId),
        ("ScidFlags", "UD", Field::Flags),
        ("FEN", "nonsense", Field::Fen),
    ];
    for (name, value, field) in odd {
        let game = Game::builder().tag(name, "?").tag(name, value).build();
        assert_eq!(game.tag(name).as_deref(), Some(value), "{name}");
        assert_eq!(
            game.text(game.header.verbatim(field).unwrap()).to_string(),
            value
        );
        assert_eq!(game.tags().filter(|(tag, _)| tag == name).count(), 1);
    }
    let game = Game::builder()
        .tag("Date", "?")
        .tag("Date", "1858.11.02")
        .build();
    assert_eq!(
        (game.header.verbatim(Field::Date), game.date().year),
        (None, 1858)
    );
    let game = Game::builder()
        .tag("Mode", "OTB")
        .tag("Mode", "ICS")
        .tag("Time", "x")
        .build();
    assert!(tags(&game).ends_with("Result=*;Mode=ICS;Time=x;"));
    let game = Game::builder()
        .tag("WhiteElo", "2400")
        .tag("WhiteRapid", "2500")
        .build();
    assert_eq!(game.elo(Color::White), Some(2400));
    assert_eq!(game.tag("WhiteRapid").as_deref(), Some("2500"));
    let game = Game::builder().tag("WhiteElo", "2400?").build();
    assert_eq!(game.elo(Color::White), Some(2400));
    assert_eq!(game.tag("WhiteElo").as_deref(), Some("2400?"));
    let game = Game::builder()
        .tag("WhiteElo", "?")
        .tag("WhiteDWZ", "1900")
        .build();
    assert_eq!(game.rating(Color::White).unwrap().kind, RatingKind::Dwz);
    assert_eq!(game.tag("WhiteElo").as_deref(), Some("?"));
    let game = Game::builder()
        .tag("WhiteDWZ", "?")
        .date("????.??.??")
        .date("1985/11")
        .build();
    assert_eq!(
        (game.rating(Color::White), game.tag("WhiteDWZ").as_deref()),
        (None, Some("?"))
    );
    assert_eq!(
        (game.date(), game.tag("Date").as_deref()),
        (Date::new(1985, 11, 0), Some("1985/11"))
    );
    let unknown = Game::builder().date("????.??.??").build();
    assert!(unknown.header.tags.is_empty());
}

#[test]
fn the_order_of_tags_is_that_of_pgn() {
    let mut game = Game::builder()
        .white("A")
        .elo(Color::White, 2000)
        .eco("A00")
        .build();
    let (name, value) = (game.add_text("Mode"), game.add_text("OTB"));
    game.header.tags.insert(0, Tag::Other { name, value });
    game.header.annotator = game.add_text("B").into();
    assert_eq!(
        tags(&game),
        "Event=?;Site=?;Date=????.??.??;Round=?;White=A;Black=?;Result=*;\
         WhiteElo=2000;Annotator=B;Mode=OTB;ECO=A00;"
    );
}

#[test]
fn moves_come_in_notation_and_as_positions() {
    let game = pawns()
        .sans(["e4", "Kd7"])
        .unwrap()
        .variation(|line| line.sans(["e5", "Kd2"]))
        .unwrap()
        .uci("e1e2")
        .unwrap()
        .build();
    assert_eq!((game.plies(), game.moves.plies()), (3, 5));
    assert_eq!(game.sans(), ["e4", "Kd7", "Ke2"]);
    assert_eq!(game.ucis(), ["e2e4", "e8d7", "e1e2"]);
    let fens: Vec<_> = game.positions().map(|board| board.to_string()).collect();
    assert_eq!(fens.len(), 4);
    assert_eq!(fens[0], game.start().to_string());
    assert_eq!(fens[3], "8/3kp3/8/8/4P3/8/4K3/8 b - - 2 8");
    assert_eq!(game.tag("FEN").unwrap(), fens[0]);
    assert_eq!(
        Game::new().positions().collect::<Vec<_>>(),
        [Board::standard()]
    );
}

#[test]
fn comments_are_texts_without_commands() {
    let game = Game::builder()
        .comment("start")
        .san("e4")
        .unwrap()
        .comment("[%clk 0:01:00] good")
        .comment("[%clk 0:02:00]")
        .variation(|line| Ok(line.comment("inner").san("d4")?.comment_before("next")))
        .unwrap()
        .build();
    assert!(game.comments().eq(["start", "good", "inner", "next"]));
    let clocks = game
        .events()
        .filter(|event| matches!(event, Event::Clock(_)));
    assert_eq!(clocks.count(), 2);
}

#[test]
fn errors_of_a_builder_name_the_ply_and_the_move() {
    for (built, message) in [
        (
            Game::builder().sans(["e4", "e5", "Ke3"]),
            "ply 2: move \"Ke3\": no piece can move there",
        ),
        (
            Game::builder().sans(["e4", "1."]),
            "ply 1: move \"1.\": not a move",
        ),
        (
            Game::builder().uci("Nf3"),
            "ply 0: move \"Nf3\": not coordinates such as e2e4 or e7e8q",
        ),
        (
            Game::builder()
                .sans(["e4", "e5"])
                .unwrap()
                .variation(|line| line.sans(["c5", "Nf6"])),
            "ply 2: move \"Nf6\": no piece can move there",
        ),
        (
            Game::builder().variation(Ok),
            "ply 0: a variation needs a move that it replaces",
        ),
        (
            Game::builder()
                .san("e4")
                .unwrap()
                .fen("8/8/8/8/8/8/8/8 w - - 0 1"),
            "the start position must be set before the moves",
        ),
    ] {
        assert_eq!(built.unwrap_err().to_string(), message);
    }
    let error = Game::builder().fen("8/8").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Syntax { .. }));
    // A move against the rules is accepted if the caller gives it explicitly.
    assert_eq!(Game::builder().mv(mv("e2", "e5")).build().ucis(), ["e2e5"]);
}

#[test]
fn a_tree_has_everything_at_its_move() {
    let mut game = Game::new();
    let texts = ["a", "b", "c", "d", "e"].map(|text| game.add_text(text));
    let mut tape = game.moves.builder(&Limits::default());
    tape.nag(7).unwrap();
    tape.comment(Place::After, texts[0]).unwrap();
    tape.comment(Place::Before, texts[1]).unwrap();
    tape.mv(mv("e2", "e4")).unwrap();
    tape.nag(1).unwrap();
    tape.open().unwrap();
    tape.comment(Place::Before, texts[2]).unwrap();
    tape.mv(mv("d2", "d4")).unwrap();
    tape.open().unwrap();
    tape.comment(Place::Before, texts[3]).unwrap();
    tape.close();
    tape.close();
    tape.comment(Place::After, texts[4]).unwrap();
    tape.mv(mv("e7", "e5")).unwrap();
    tape.finish();

    let tree = game.tree();
    let main = tree.mainline();
    assert_eq!(
        (tree.comment(), main.nags(), main.len()),
        ("a b", &[7][..], 2)
    );
    let nodes: Vec<_> = main.clone().collect();
    assert!(main.rev().map(|node| node.san()).eq(["e5", "e4"]));
    assert_eq!(
        (nodes[0].comment_before(), nodes[0].comment()),
        ("a b", "e")
    );
    assert_eq!((nodes[0].nags(), nodes[0].mv()), (&[1][..], mv("e2", "e4")));
    assert_eq!(
        (nodes[1].number(), nodes[1].color(), nodes[1].ply()),
        (1, Color::Black, 1)
    );
    let inner = nodes[0].variations().next().unwrap();
    assert_eq!((nodes[0].variations().len(), inner.comment()), (1, "c"));
    let reply = inner.clone().next().unwrap();
    assert_eq!(
        (reply.san(), reply.number(), reply.color()),
        ("d4", 1, Color::White)
    );
    let empty = reply.variations().next().unwrap();
    assert_eq!((empty.len(), empty.comment()), (0, "d"));
}

#[test]
fn a_tree_tells_what_is_no_move() {
    let mut game = Game::new();
    let text = game.add_text("Ke9");
    let mut tape = game.moves.builder(&Limits::default());
    tape.mv(mv("e2", "e4")).unwrap();
    tape.fault(chessdb_core::model::FaultKind::IllegalMove, text)
        .unwrap();
    tape.comment(Place::Before, TextId::NONE).unwrap();
    tape.finish();
    let tree = game.tree();
    assert_eq!(
        tree.mainline().next().unwrap().comment(),
        "<IllegalMove Ke9>"
    );
}

#[test]
fn deep_trees_are_made_and_dropped() {
    let mut game = Game::new();
    let mut tape = game.moves.builder(&Limits::default().with_depth(50_000));
    for _ in 0..50_000 {
        tape.mv(mv("e2", "e4")).unwrap();
        tape.open().unwrap();
    }
    tape.finish();
    let tree = game.tree();
    let mut depth = 0;
    let mut line = tree.mainline();
    while let Some(node) = line.next() {
        depth += 1;
        line = node.variations().next().unwrap();
    }
    assert_eq!(depth, 50_000);
    drop(tree);
}
