//! Tests of the page: texts are never markup, and every move leads to its position.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

use chessdb_core::options::Allow;
use chessdb_core::{
    Board, Color, ErrorKind, Event, FileSet, Game, MemorySet, Outcome, PackedMove, WriteOptions,
};
use chessdb_html::{HTML, HTML_FILE, board_svg};
use chessdb_testkit::strategy::{GameOptions, games};
use proptest::prelude::*;

fn page_with(games: &[Game], settings: &[(&'static str, &str)]) -> String {
    let mut options = WriteOptions::default().with_allowed(Allow::Everything);
    for (name, value) in settings {
        options = options.with_setting(name, *value);
    }
    let mut files = MemorySet::new();
    let mut writer = HTML.create.unwrap()(&mut files, options).unwrap();
    for game in games {
        writer.write(game).unwrap();
    }
    assert_eq!(writer.finish().unwrap() as usize, games.len());
    String::from_utf8(files.get(HTML_FILE).unwrap().to_vec()).unwrap()
}

fn page(game: &Game) -> String {
    page_with(std::slice::from_ref(game), &[])
}

/// Returns the part of a page with the games, without styles and script.
fn articles(page: &str) -> &str {
    let start = page.find("<main>").unwrap();
    &page[start..page.find("<script>").unwrap()]
}

/// Returns the moves of a page: the number of the move before each, and the pieces after it.
fn moves(page: &str) -> Vec<(usize, Option<&str>)> {
    let spans = articles(page).split("<span class=\"m\"").skip(1);
    spans
        .enumerate()
        .map(|(n, span)| {
            let tag = span.split('>').next().unwrap();
            let value = |name: &str| {
                let (_, rest) = tag.split_once(&format!(" data-{name}=\""))?;
                rest.split('"').next()
            };
            let before = value("b").map_or(n, |number| number.parse().unwrap());
            (before, value("p"))
        })
        .collect()
}

/// Returns the position after move `number`, by playing the moves that lead to it.
fn board_after(number: usize, moves: &[(usize, Option<&str>)], game: &Game) -> Board {
    let all: Vec<PackedMove> = game
        .events()
        .filter_map(|event| match event {
            Event::Move(mv) => Some(mv),
            _ => None,
        })
        .collect();
    assert_eq!(all.len(), moves.len());
    let mut path = Vec::new();
    let mut next = number;
    while next > 0 {
        path.push(all[next - 1]);
        next = moves[next - 1].0;
    }
    let mut board = game.start_board();
    for mv in path.into_iter().rev() {
        board.play(mv);
    }
    board
}

proptest! {
    #[test]
    fn every_move_has_the_position_to_which_it_leads(game in games(GameOptions::all())) {
        let page = page(&game);
        let moves = moves(&page);
        for number in 1..=moves.len() {
            let fen = board_after(number, &moves, &game).to_string();
            let placement = fen.split(' ').next();
            prop_assert!(
                !game.has_known_start() || moves[number - 1].1 == placement,
                "move {number}: {:?} instead of {placement:?}", moves[number - 1]
            );
        }
    }

    /// The page has only elements that the writer makes.
    #[test]
    fn texts_are_never_markup(game in games(GameOptions::all())) {
        const NAMES: &[&str] = &[
            "main", "h1", "h2", "p", "a", "article", "header", "div", "svg", "path", "use", "span",
            "small", "b", "i", "br", "figure", "details", "summary", "pre", "nav", "ol", "li",
        ];
        for part in articles(&page(&game)).split('<').skip(1) {
            let name = part.trim_start_matches('/').split([' ', '>']).next().unwrap();
            prop_assert!(NAMES.contains(&name), "{name}");
        }
    }
}

#[test]
fn markup_in_names_and_comments_is_text() {
    let game = Game::builder()
        .white("<b>\"A\" & Co")
        .event("</header><script>alert(1)</script>")
        .san("e4")
        .unwrap()
        .comment("<img src=x onerror=alert(2)>\nsecond line")
        .build();
    let page = page(&game);
    assert!(
        page.contains("<h2>&lt;b&gt;&quot;A&quot; &amp; Co – ?</h2>"),
        "{page}"
    );
    assert!(
        page.contains("&lt;img src=x onerror=alert(2)&gt;<br>second line</i>"),
        "{page}"
    );
    assert_eq!(page.matches("<script>").count(), 1);
}

#[test]
fn variations_are_paragraphs_and_their_variations_parentheses() {
    let game = Game::builder()
        .sans(["e4", "e5"])
        .unwrap()
        .nag(1)
        .variation(|line| line.sans(["c5", "Nf3"]))
        .unwrap()
        .variation(|line| line.san("c6")?.variation(|line| line.san("e6")))
        .unwrap()
        .san("Nf3")
        .unwrap()
        .build();
    let page = page(&game);
    let mut text = String::new();
    let movetext = page.split("<div class=\"moves\"").nth(1).unwrap();
    let movetext = movetext.split("</div>").next().unwrap();
    for part in movetext.split('<').skip(1) {
        let (tag, rest) = part.split_once('>').unwrap();
        text += if tag == "p class=\"v\"" { "[" } else { "" };
        text += rest;
    }
    assert_eq!(text, "1.e4 e5!\n[1…c5 2.Nf3\n[1…c6 (1…e6)\n2.Nf3 *\n");
    let before: Vec<usize> = moves(&page).iter().map(|(before, _)| *before).collect();
    assert_eq!(before, [0, 1, 1, 3, 1, 1, 2]);
}

#[test]
fn diagrams_are_drawn_where_they_are_requested() {
    let game = Game::builder()
        .sans(["e4", "e5", "Nf3"])
        .unwrap()
        .nag(221)
        .san("Nc6")
        .unwrap()
        .build();
    let figures = |settings: &[(&'static str, &str)]| {
        let page = page_with(std::slice::from_ref(&game), settings);
        page.matches("<figure>").count()
    };
    assert_eq!(figures(&[]), 1);
    assert_eq!(figures(&[("diagrams", "1,2b,9")]), 3);
    let page = page(&game);
    let figure = page.split("<figure>").nth(1).unwrap();
    // Black's rook on a8 is in the lower right corner.
    assert!(
        figure.contains("<use href=\"#r\" class=\"b\" x=\"700\" y=\"700\""),
        "{figure}"
    );
    let board = board_svg(&Board::standard(), Color::White, "x");
    assert!(board.contains("<use href=\"#r\" class=\"b\" x=\"0\" y=\"0\""));
}

#[test]
fn page_without_games_is_complete() {
    let page = page_with(&[], &[]);
    assert!(page.contains("<h1>Games</h1>") && page.ends_with("</html>\n"));
}

/// Returns a game of a round robin.
fn round_game(event: &str, round: &str, players: [&str; 2], result: Outcome) -> Game {
    let game = Game::builder().event(event).round(round);
    let game = game.white(players[0]).black(players[1]).result(result);
    game.sans(["e4", "e5"]).unwrap().build()
}

#[test]
fn a_bulletin_has_tables_and_rounds_whose_texts_are_never_markup() {
    let evil = "<script>alert(1)</script>";
    let games = [
        round_game(evil, "1", [evil, "B & B"], Outcome::WhiteWins),
        round_game(evil, "2.1", ["C\"", evil], Outcome::Draw),
        round_game(evil, "<b>", ["B & B", "C\""], Outcome::Unknown),
    ];
    let page = page_with(&games, &[("bulletin", "")]);
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(page.contains("<h1>&lt;script&gt;alert(1)&lt;/script&gt;</h1>"));
    let headings = page.split("<h2 class=\"round\">").skip(1);
    let headings: Vec<&str> = headings
        .map(|rest| rest.split("</h2>").next().unwrap())
        .collect();
    assert_eq!(headings, ["Round 1", "Round 2", "&lt;b&gt;"]);
    assert!(page.contains("<th scope=\"row\">B &amp; B</th>"), "{page}");
    // The header of a game repeats neither event nor round.
    assert!(!articles(&page).contains("round 2.1"), "{page}");
    assert!(page.contains("<header><h3>"));
}

#[test]
fn a_bulletin_without_games_is_complete_and_tie_breaks_are_checked() {
    let page = page_with(&[], &[("bulletin", "direct,wins")]);
    assert!(page.contains("<h1>Games</h1>") && page.ends_with("</html>\n"));
    let mut files = MemorySet::new();
    let options = WriteOptions::default().with_setting("bulletin", "elo");
    let error = HTML.create.unwrap()(&mut files, options).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::Setting(_)), "{error}");
}

proptest! {
    /// A bulletin of any games has only elements that the writer makes.
    #[test]
    fn texts_of_a_bulletin_are_never_markup(game in games(GameOptions::all())) {
        const NAMES: &[&str] = &[
            "main", "h1", "h2", "h3", "p", "a", "article", "header", "div", "svg", "path", "use",
            "span", "small", "b", "i", "br", "figure", "details", "summary", "pre", "nav", "ul",
            "li", "section", "table", "thead", "tbody", "tr", "th", "td",
        ];
        let page = page_with(std::slice::from_ref(&game), &[("bulletin", "")]);
        for part in articles(&page).split('<').skip(1) {
            let name = part.trim_start_matches('/').split([' ', '>']).next().unwrap();
            prop_assert!(NAMES.contains(&name), "{name}");
        }
    }
}
