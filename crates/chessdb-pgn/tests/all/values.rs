//! Results, dates and start positions in the spellings used by people and programs.

use chessdb_core::{Date, ErrorKind, Game, Outcome, Severity};

use crate::common::{read_all, read_one};

fn with_tags(tags: &[(&str, &str)], moves: &str) -> String {
    let tags = tags
        .iter()
        .map(|(name, value)| format!("[{name} \"{value}\"]\n"));
    format!("[Event \"E\"]\n{}\n{moves}\n\n", tags.collect::<String>())
}

fn read(tags: &[(&str, &str)], moves: &str) -> (Game, Vec<Severity>) {
    let text = with_tags(tags, moves);
    let (game, findings) = read_one(text.as_bytes());
    // Two copies in one file, so that the end of the first is found as well.
    let (games, _) = read_all(text.repeat(2).as_bytes());
    assert_eq!(games.len(), 2, "{text}");
    for other in &games {
        assert_eq!(other.header.outcome, game.header.outcome, "{text}");
        assert_eq!(other.ucis(), game.ucis(), "{text}");
    }
    (game, findings.iter().map(|found| found.severity).collect())
}

#[test]
fn results_at_the_end_are_no_moves_and_no_signs() {
    let opening = "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7";
    for (tag, written, outcome) in [
        ("0-0", "0-0", Outcome::Unknown),
        ("0-0", "0 - 0", Outcome::Unknown),
        ("0:0", "0-0", Outcome::Unknown),
        ("0-0", "*", Outcome::Unknown),
        ("0-0", "-:-", Outcome::Unknown),
        ("-/-", "-/-", Outcome::Unknown),
        ("+/-", "+/-", Outcome::WhiteWins),
        ("1-0", "+/-", Outcome::WhiteWins),
        ("+-", "+-", Outcome::WhiteWins),
        ("+:-", "+:-", Outcome::WhiteWins),
        ("+--", "+--", Outcome::WhiteWins),
        ("-/+", "-/+", Outcome::BlackWins),
        ("-+", "-+", Outcome::BlackWins),
        ("-:+", "-:+", Outcome::BlackWins),
        ("--+", "--+", Outcome::BlackWins),
        ("=", "=", Outcome::Draw),
        ("1/2-1/2", "=", Outcome::Draw),
        ("0.5-0.5", "0.5-0.5", Outcome::Draw),
        ("0,5-0,5", "0,5-0,5", Outcome::Draw),
        ("?", "0.5-0.5", Outcome::Draw),
        ("½-½", "½-½", Outcome::Draw),
        ("½", "½-½", Outcome::Draw),
        ("1/2", "1/2", Outcome::Draw),
        ("1 - 0", "1 - 0", Outcome::WhiteWins),
        ("1:0", "1:0", Outcome::WhiteWins),
        ("0:1", "0:1", Outcome::BlackWins),
        ("0 - 1", "0 - 1", Outcome::BlackWins),
        ("1-0 ff", "1-0", Outcome::WhiteWins),
    ] {
        for moves in [opening, ""] {
            for comment in ["", " {by default}"] {
                let text = format!("{moves} {written}{comment}");
                let (game, found) = read(&[("Result", tag)], text.trim());
                assert_eq!(game.header.outcome, outcome, "{tag} {text}");
                assert_eq!(
                    game.plies() as usize,
                    moves.split(' ').count() / 3 * 2,
                    "{text}"
                );
                assert_eq!(game.tag("Result").as_deref(), Some(tag), "{text}");
                assert!(
                    found.iter().all(|found| *found == Severity::Note),
                    "{text} {found:?}"
                );
                let signs = game
                    .events()
                    .filter(|event| matches!(event, chessdb_core::Event::Nag(_)));
                assert_eq!(signs.count(), 0, "{text}");
            }
        }
    }
    // These characters at other places.
    let (game, _) = read(&[("Result", "1-0")], &format!("{opening} 4. 0-0 0-0 1-0"));
    assert_eq!(game.plies(), 8);
    let (game, _) = read(&[("Result", "0-0")], &format!("{opening} 4. 0-0 0-0 0-0"));
    assert_eq!((game.plies(), game.header.outcome), (8, Outcome::Unknown));
    let (game, _) = read(&[("Result", "1-0")], "1. e4 e5 +- 1-0");
    assert_eq!(game.events().count(), 3);
}

#[test]
fn dates_are_doubted_aloud_and_keep_their_text() {
    for (text, date, severity) in [
        ("2020-05-01", Date::new(2020, 5, 1), None),
        ("May 1, 2020", Date::new(2020, 5, 1), None),
        ("12/25/2020", Date::new(2020, 12, 25), Some(Severity::Note)),
        ("01.05.2020", Date::new(2020, 5, 1), Some(Severity::Note)),
        ("1/5/2020", Date::new(2020, 0, 0), Some(Severity::Note)),
        ("2020.25.12", Date::new(2020, 0, 0), Some(Severity::Note)),
        ("2020.13.01", Date::new(2020, 0, 0), Some(Severity::Note)),
        ("1987-88", Date::new(1987, 0, 0), Some(Severity::Note)),
        ("yesterday", Date::UNKNOWN, Some(Severity::Note)),
    ] {
        for name in ["Date", "EventDate", "UTCDate"] {
            let (game, found) = read(&[(name, text), ("Result", "*")], "1. e4 *");
            assert_eq!(game.tag(name).as_deref(), Some(text));
            assert_eq!(found.first().copied(), severity, "{name} {text}");
            match name {
                "Date" => assert_eq!(game.header.date, date, "{text}"),
                "EventDate" => assert_eq!(game.header.event_date, date, "{text}"),
                _ => {}
            }
        }
    }
}

#[test]
fn a_start_that_is_announced_and_not_given_is_not_the_standard_one() {
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR w KQkq - 2 3";
    for (tags, is_known) in [
        (format!("[FEN \"{fen}\"]"), true),
        (format!("[SetUp \"1\"]\n[FEN \"{fen}\"]"), true),
        (format!("[fen \"{fen}\"]"), true),
        (format!("[Fen \"{fen}\"]"), true),
        (format!("[FEN {fen}]"), true),
        (format!("[SetUp \"1\"]\n[FEN {fen}]"), true),
        (format!("[FEN: \"{fen}\"]"), true),
        (format!("[FEN = \"{fen}\"]"), true),
        (
            "[FEN \"r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR  w  KQkq\"]".into(),
            true,
        ),
        ("[SetUp \"1\"]".into(), false),
        ("[SetUp \"1\"]\n[FEN \"\"]".into(), false),
        ("[FEN \"?\"]".into(), false),
        ("[FEN \"8/8/8\"]".into(), false),
        (
            format!("[FEN \"{fen} w w w\"]").replace("KQkq", "xyz"),
            false,
        ),
    ] {
        let text = format!("[Event \"E\"]\n[Result \"*\"]\n{tags}\n\n1. Nf3 Nf6 2. d3 *\n");
        let (game, found) = read_one(text.as_bytes());
        assert_eq!(game.has_known_start(), is_known, "{tags}");
        let is_lost = found.iter().any(|found| found.severity == Severity::Lost);
        assert_eq!(is_lost, !is_known, "{tags} {found:?}");
        assert_eq!(game.plies(), if is_known { 3 } else { 0 }, "{tags}");
        let is_standard = matches!(game.header.start, chessdb_core::Start::Standard);
        assert_eq!(is_standard, !is_known, "{tags}");
        let is_bug =
            |found: &chessdb_core::Diagnostic| matches!(found.kind, ErrorKind::BadMove { .. });
        assert!(!found.iter().any(is_bug), "{tags} {found:?}");
    }
    let (game, _) = read(&[("SetUp", "0")], "1. e4 *");
    assert!(game.has_known_start());
    assert_eq!(game.plies(), 1);
}
