//! Borders between games where the first game has no end: no part of one game is assigned to
//! another, and what is missing is reported.

use chessdb_core::{Diagnostic, Event, Game, PackedMove, Severity};
use chessdb_pgn::{Layout, write_game};

use crate::any_bytes::all_ways;
use crate::common::read_all;

const BEFORE: &str = "[Event \"Before\"]\n[Site \"here\"]\n[White \"Alpha\"]\n[Black \"Beta\"]\n\
    [Result \"1-0\"]\n\n1. e4 e5 {fine} 2. Nf3 Nc6 1-0\n\n";

/// The game that is cut, with an example of every element.
const CUT: &str = "[Event \"Cut \\\"Open\\\"\"]\n[Site \"Town: C:\\\\x\"]\n[Date \"2024.01.02\"]\n\
    [Round \"3.1\"]\n[White \"Gamma, G\"]\n[Black \"Delta\"]\n[Result \"1/2-1/2\"]\n\
    [ECO \"C42\"]\n[TimeControl \"60+0.6\"]\n\n{first [words]} 1. d4 $14 d5 ; line [of] words\n\
    2. Nc3!? (2. c4 {Queen's} e6 $1 (2... c6 3. Nf3)) 2... Nc6 $140 3. Bf4 Bf5\n% escaped\n\
    4. Qd2 Qd7 5. O-O-O {[%clk 1:02:03] castles} 5... O-O-O 6. h4 1/2-1/2\n";

const NEXT: &str = "[Event \"Next\"]\n[Site \"Place\"]\n[Date \"2025.05.06\"]\n[White \"Epsilon\"]\n\
    [Black \"Zeta\"]\n[Result \"0-1\"]\n\n1. f3 {omega} e5 2. g4 Qh4# {mate} 0-1\n\n";

const LAST: &str = "[Event \"Last\"]\n[Site \"Place\"]\n[White \"Eta\"]\n[Black \"Theta\"]\n\
    [Result \"*\"]\n\n1. c4 c5 (1... e5 2. g3) 2. g3 *\n";

fn text_of(game: &Game) -> String {
    let mut out = Vec::new();
    write_game(game, &Layout::default(), &mut out);
    String::from_utf8(out).unwrap()
}

fn mainline(game: &Game) -> Vec<PackedMove> {
    let mut depth = 0;
    let mut moves = Vec::new();
    for event in game.events() {
        match event {
            Event::Open(_) => depth += 1,
            Event::Close => depth -= 1,
            Event::Move(mv) if depth == 0 => moves.push(mv),
            _ => {}
        }
    }
    moves
}

/// Returns whether something is reported at a byte in this range.
fn is_reported(found: &[Diagnostic], severity: Severity, from: usize, to: usize) -> bool {
    found.iter().any(|found| {
        let at = found.at.offset.unwrap() as usize;
        found.severity >= severity && from <= at && at <= to
    })
}

/// Cuts a game at every byte, and lets the next one follow after `between`.
fn cut_everywhere(between: &str, check: impl Fn(usize, &str, &[Game], &[Diagnostic])) {
    let alone = |text: &str| text_of(&read_all(text.as_bytes()).0[0]);
    let (next, last) = (alone(NEXT), alone(LAST));
    for cut in 0..=CUT.len() {
        let text = [BEFORE, &CUT[..cut], between, NEXT, LAST].concat();
        let (games, found) = read_all(text.as_bytes());
        let shown = &text[BEFORE.len()..text.len() - LAST.len()];
        let count = games.len();
        assert!((3..=4).contains(&count), "{count} games: {shown}");
        assert_eq!(text_of(&games[0]), alone(BEFORE), "{shown}");
        assert_eq!(text_of(&games[count - 2]), next, "{shown}");
        assert_eq!(text_of(&games[count - 1]), last, "{shown}");
        check(cut, shown, &games, &found);
        if cut % 8 == 0 {
            all_ways(text.as_bytes());
        }
    }
}

/// Compares the cut game with the whole one.
fn check_cut(cut: usize, shown: &str, between: &str, games: &[Game], found: &[Diagnostic]) {
    let whole = read_all(CUT.as_bytes()).0.remove(0);
    let complete = CUT.trim_end().len();
    let (from, to) = (BEFORE.len(), BEFORE.len() + cut + between.len());
    // Half of a draw (`1/2`) is read as a draw.
    if (1..complete).contains(&cut) && !CUT[..cut].ends_with(" 1/2") {
        assert!(
            is_reported(found, Severity::Note, from, to),
            "{found:?}\n{shown}"
        );
        if between.is_empty() && !CUT[..cut].ends_with(['\n', ' ']) {
            assert!(
                is_reported(found, Severity::Lost, from, to),
                "{found:?}\n{shown}"
            );
        }
    }
    let [_, part, _, _] = games else {
        // Only a part of the game's first tag is left.
        assert!(cut <= CUT.find('"').unwrap(), "{shown}");
        return;
    };
    let text = text_of(part);
    for word in [
        "Next", "Place", "2025", "Epsilon", "Zeta", "omega", "mate", "0-1",
    ] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    let (moves, all) = (mainline(part), mainline(&whole));
    // A word at the end of its line may be the first part of another: castling to the other side.
    let sure = moves.len() - usize::from(!between.is_empty() && !moves.is_empty());
    assert!(all.starts_with(&moves[..sure]), "{moves:?}\n{shown}");
    let names = |game: &Game| {
        let header = &game.header;
        let names = [
            header.event,
            header.site,
            header.round,
            header.white.name,
            header.black.name,
        ];
        names.map(|name| game.text(name.text).decode().into_owned())
    };
    for (part, whole) in names(part).iter().zip(names(&whole)) {
        let part = part.trim_end_matches('\\');
        assert!(whole.starts_with(part), "{part:?} {whole:?}\n{shown}");
    }
}

#[test]
fn a_game_that_is_cut_at_any_byte_takes_nothing_from_the_next() {
    for between in ["", "\n", "\n\n", "\r\n", " ", "\r\n\r\n"] {
        cut_everywhere(between, |cut, shown, games, found| {
            check_cut(cut, shown, between, games, found);
        });
    }
}

/// Returns the games in short form, and the severity if something is lost.
fn summary(text: &str) -> (Vec<String>, Option<Severity>) {
    let (games, found) = read_all(text.as_bytes());
    all_ways(text.as_bytes());
    let one = |game: &Game| {
        let white = game.text(game.header.white.name.text).decode().into_owned();
        format!(
            "{white}:{}:{}",
            game.header.outcome.as_pgn(),
            mainline(game).len()
        )
    };
    let worst = found.iter().map(|found| found.severity).max();
    (games.iter().map(one).collect(), worst)
}

#[test]
fn heads_without_moves_are_games_of_their_own() {
    let note = Some(Severity::Note);
    for (text, games) in [
        (
            "[Event \"a\"]\n[White \"A\"]\n[Result \"1-0\"]\n[Event \"a\"]\n[White \"B\"]\n[Result \"0-1\"]\n",
            &["A:1-0:0", "B:0-1:0"][..],
        ),
        (
            "[White \"A\"]\n[Black \"x\"]\n[Result \"1-0\"]\n[White \"B\"]\n[Black \"y\"]\n[Result \"0-1\"]\n",
            &["A:1-0:0", "B:0-1:0"],
        ),
        (
            "[Site \"s\"]\n[White \"A\"]\n[Result \"1-0\"]\n[White \"B\"]\n[Result \"0-1\"]\n*",
            &["A:1-0:0", "B:0-1:0"],
        ),
        (
            "[White \"A\"]\n[Result \"1-0\"]\n\n[White \"B\"]\n[Result \"0-1\"]\n\n1. e4 0-1",
            &["A:1-0:0", "B:0-1:1"],
        ),
        (
            "[FEN \"8/8/8/8/8/8/1k6/K1R5 w - - 0 1\"]\n[FEN \"8/8/8/8/8/8/1k6/K2R4 w - - 0 1\"]\n",
            &[":*:0", ":*:0"],
        ),
        (
            "[White \"A\"]\n[FEN \"8/8/8/8/8/8/1k6/K1R5 w - - 0 1\"]\n\n[FEN \"8/8/8/8/8/8/1k6/K2R4 w - - 0 1\"]\n",
            &["A:*:0", ":*:0"],
        ),
        (
            "[ID \"7\"]\n[White \"A\"]\n[ID \"8\"]\n[White \"B\"]\n*",
            &["A:*:0", "B:*:0"],
        ),
        // One game with a repeated tag.
        (
            "[Event \"e\"]\n[White \"A\"]\n[White \"B\"]\n[Black \"y\"]\n\n1. e4 *",
            &["A:*:1"],
        ),
        (
            "[Event \"e\"]\n[White \"A\"]\n[Result \"1-0\"]\n[ECO \"A00\"]\n[Result \"1-0\"]\n\n1. e4 1-0",
            &["A:1-0:1"],
        ),
    ] {
        let (found, worst) = summary(text);
        assert_eq!(found, games, "{text}");
        assert!(worst <= note, "{text}");
    }
}

#[test]
fn comments_that_quote_a_game_are_no_games() {
    for text in [
        "[White \"A\"]\n\n1. e4 {see [Event \"x\"]\n[Site \"y\"]\n\n1. d4 (1. c4) 1-0} e5 *",
        "[White \"A\"]\n\n1. e4 {see\n[Event \"x\"]\n[Site \"y\"]\n\n[FEN \"z\"]\n} e5 *",
        "[White \"A\"]\n\n1. e4 {see [Event \"x\"] {there} e5 *",
        "[White \"A\"]\n\n1. e4 ; see [Event \"x\"]\ne5 *",
        "[White \"A\"]\n; [Event \"x\"]\n[Black \"B\"]\n\n1. e4 e5 *",
        "% [Event \"x\"]\n[White \"A\"]\n[Annotator \"the \"best\" [of] \"all\"\"]\n\n1. e4 e5 *",
    ] {
        assert_eq!(summary(text).0, ["A:*:2"], "{text}");
    }
    let quoted = "[White \"A\"]\n\n1. e4 {see [Event \"x\"]\n[Site \"y\"]\n\n1. d4 {best} *";
    assert_eq!(
        summary(quoted),
        (
            vec!["A:*:1".to_owned(), ":*:1".to_owned()],
            Some(Severity::Lost)
        )
    );
}

#[test]
fn a_comment_with_tags_is_written_so_that_it_stays_a_comment() {
    let tags = "see [Event \"x\"]\n[Site \"y\"]\n\n1. d4";
    for comment in [
        tags.to_owned(),
        format!("{tags} {{best"),
        format!("{tags} {}", "w ".repeat(40_000)),
    ] {
        let text = format!(
            "[White \"A\"]\n\n1. e4 {{{comment}}} e5 *\n\n[White \"B\"]\n\n1. d4 {{x}} *\n"
        );
        let (games, _) = read_all(text.replace("{best", "[best").as_bytes());
        let mut written = Vec::new();
        for game in &games {
            write_game(game, &Layout::default(), &mut written);
        }
        let (again, _) = read_all(&written);
        assert_eq!(again.len(), games.len());
        assert_eq!(
            again.iter().map(mainline).collect::<Vec<_>>(),
            games.iter().map(mainline).collect::<Vec<_>>()
        );
    }
}

#[test]
fn a_variation_after_the_result_belongs_to_its_game() {
    for (late, variations, worst) in [
        ("(3. Bc4 Bc5 4. c3 {better})", 1, Severity::Note),
        (
            "{agreed} (3. Bc4) (3. d4 exd4 (3... d6))",
            3,
            Severity::Note,
        ),
        ("$1 (3. Bc4)", 1, Severity::Note),
        ("\n( 3. Bc4 Bc5 )\n(3. a3) {end}", 2, Severity::Note),
        ("(3. Bc4 Bc5", 1, Severity::Repaired),
        ("(3. Bc4 xx) (3. c3)", 2, Severity::Lost),
    ] {
        let text = format!(
            "[White \"x\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 0-1 {late}\n\n{NEXT}"
        );
        all_ways(text.as_bytes());
        let (games, found) = read_all(text.as_bytes());
        assert_eq!(games.len(), 2, "{text}");
        let opened = games[0]
            .events()
            .filter(|event| matches!(event, Event::Open(_)));
        assert_eq!(
            (mainline(&games[0]).len(), opened.count()),
            (5, variations),
            "{text}"
        );
        let worst_found = found.iter().map(|found| found.severity).max();
        assert_eq!(worst_found, Some(worst), "{text} {found:?}");
        let alone = read_all(NEXT.as_bytes()).0.remove(0);
        assert_eq!(text_of(&games[1]), text_of(&alone));
    }
    // Moves after the result are kept as text.
    for late in [
        "3. d4 exd4",
        "\n3. d4 exd4 1-0",
        "{so} 3. d4 exd4 0-1 4. c3",
    ] {
        let text =
            format!("[White \"x\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Nf3 Nc6 0-1 {late}\n\n{NEXT}");
        all_ways(text.as_bytes());
        let (games, found) = read_all(text.as_bytes());
        assert_eq!((games.len(), mainline(&games[0]).len()), (2, 4), "{text}");
        assert_eq!(games[0].header.outcome.as_pgn(), "0-1", "{text}");
        assert!(
            text_of(&games[0]).contains("{3. d4 exd4"),
            "{}",
            text_of(&games[0])
        );
        assert!(
            found.iter().any(|found| found.severity == Severity::Lost),
            "{text}"
        );
    }
    let (games, _) = read_all(b"1. e4 e5 1-0 1. d4 d5 0-1\n2. c4 *\n\n2. e4 *");
    assert_eq!(games.len(), 3);
    // The text of an ended line is kept.
    let text = "[White \"x\"]\n\n1. e4 xx 1-0 (1. d4 {good} d5)\n\n[White \"y\"]\n*";
    let (games, _) = read_all(text.as_bytes());
    assert!(
        text_of(&games[0]).contains("(1. d4 {good) d5)"),
        "{}",
        text_of(&games[0])
    );
}
