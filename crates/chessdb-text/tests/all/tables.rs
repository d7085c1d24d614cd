//! Tables of games: line breaks in cells, line ends, repeated columns, names of other programs.

use chessdb_core::{Format, Game, MemorySet, ReadOptions, Severity};
use chessdb_text::{CSV, NDJSON};

use crate::read;

/// Returns the games of a file, of which nothing is lost.
fn games(format: &Format, text: &str) -> Vec<Game> {
    let games = read(format, text.as_bytes().to_vec())
        .into_iter()
        .map(|read| {
            let (game, found) = read.unwrap();
            assert!(
                found.iter().all(|found| found.severity == Severity::Note),
                "{text}: {found:?}"
            );
            game
        });
    games.collect()
}

fn tag(game: &Game, name: &str) -> String {
    game.tag(name).unwrap_or_default().into_owned()
}

fn line(game: &Game) -> String {
    game.sans().join(" ")
}

#[test]
fn cells_in_quotes_contain_line_breaks() {
    for end in ["\n", "\r\n", "\r"] {
        for (moves, comment) in [
            ("\"1. e4 {one{}two} e5 1-0\"", "one two"),
            ("\"1. e4 {one{}{}two} e5{}1-0\"", "one\n\ntwo"),
            ("\"1. e4 {a \"\"b\"\", c{}two} e5 1-0\"", "a \"b\", c two"),
        ] {
            let text = format!("White,movetext{{}}a,{moves}{{}}\"b\",1. d4 d5 0-1{{}}");
            let games = games(&CSV, &text.replace("{}", end));
            let names: Vec<String> = games.iter().map(|game| tag(game, "White")).collect();
            assert_eq!(names, ["a", "b"], "{text:?}");
            assert_eq!(
                (line(&games[0]), line(&games[1])),
                ("e4 e5".into(), "d4 d5".into())
            );
            let found = games[0].events().find_map(|event| match event {
                chessdb_core::model::Event::Comment(_, text) => Some(text.decode().into_owned()),
                _ => None,
            });
            assert_eq!(
                found.map(|text| text.replace("\n\n", " ")),
                Some(comment.replace("\n\n", " "))
            );
        }
    }
}

/// A quote that is never closed damages its row, but not those after it.
#[test]
fn a_stray_quote_concerns_one_row() {
    for stray in [
        "\"a,1. e4 *",
        "a,\"1. e4 *",
        "\"a\" b,1. e4 *",
        "a\"b,1. e4 *",
    ] {
        for others in ["b,1. d4 *", "\"b\",\"1. d4 *\"", "b,\"1. d4 {x\ny} *\""] {
            let text = format!("White,movetext\n{stray}\n{others}\n{others}\n");
            let games = read(&CSV, text.clone().into_bytes());
            assert_eq!(games.len(), 3, "{text}");
            for game in games.into_iter().skip(1) {
                let (game, found) = game.unwrap();
                assert_eq!(
                    (tag(&game, "White"), line(&game)),
                    ("b".into(), "d4".into())
                );
                assert!(found.is_empty(), "{text}: {found:?}");
            }
        }
    }
}

#[test]
fn carriage_returns_end_lines() {
    let puzzle = "0001,8/8/8/8/8/4k3/8/R3K3 w - - 0 1,a1a2 e3d3,1500,75,90,10,mate,";
    for end in ["\n", "\r", "\r\n"] {
        let text = format!(
            "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl{end}{puzzle}{end}{puzzle}{end}"
        );
        assert_eq!(games(&CSV, &text).len(), 2, "{end:?}");
        assert_eq!(
            games(&CSV, &format!("{puzzle}{end}{puzzle}{end}{puzzle}")).len(),
            3,
            "{end:?}"
        );
        let object = "{\"White\":\"a\",\"movetext\":\"1. e4 *\"}";
        assert_eq!(
            games(&NDJSON, &format!("{object}{end}{object}{end}")).len(),
            2,
            "{end:?}"
        );
        let position = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;";
        assert_eq!(
            games(
                &chessdb_text::EPD,
                &format!("{position}{end}{position}{end}")
            )
            .len(),
            2
        );
    }
}

#[test]
fn repeated_columns_and_keys_are_kept() {
    let text = "White,White,movetext,movetext\na,b,1. e4 *,1. d4 *\n";
    let game = games(&CSV, text).remove(0);
    assert_eq!(
        (tag(&game, "White"), tag(&game, "White2")),
        ("a".into(), "b".into())
    );
    assert_eq!(
        (line(&game), tag(&game, "movetext2")),
        ("e4".into(), "1. d4 *".into())
    );
    let text = "{\"White\":\"a\",\"White\":\"b\",\"movetext\":\"1. e4 *\"}\n";
    let game = games(&NDJSON, text).remove(0);
    assert_eq!(
        (tag(&game, "White"), tag(&game, "White2")),
        ("a".into(), "b".into())
    );
    let text = "{\"winner\":\"white\",\"winner\":\"black\",\"players\":{},\"moves\":\"e4\"}\n";
    let game = games(&NDJSON, text).remove(0);
    assert_eq!(
        (game.result().as_pgn(), tag(&game, "LichessWinner2")),
        ("1-0", "black".into())
    );
    for (format, text, count) in [
        (
            &CSV,
            "White,White,movetext,movetext\na,b,1. e4 *,1. d4 *\n",
            2,
        ),
        (&CSV, "White,Black,movetext\na,b,1. e4 *\n", 0),
        (
            &NDJSON,
            "{\"movetext\":\"*\",\"x\":[{\"y\":1,\"y\":2}]}\n",
            1,
        ),
    ] {
        let mut files = MemorySet::new();
        files.insert(format.roles[0], text.as_bytes().to_vec());
        let mut notes = Vec::new();
        chessdb_core::format::check(format, &files, &ReadOptions::default(), &mut |note| {
            notes.push(note)
        });
        assert_eq!(notes.len(), count, "{notes:?}");
        assert!(notes.iter().all(|note| note.severity == Severity::Note));
    }
}

#[test]
fn tables_of_other_programs_are_read() {
    let names = "id,rated,created_at,turns,victory_status,winner,increment_code,white_id,\
                 white_rating,black_id,black_rating,moves,opening_eco,opening_name";
    let row = "x1,TRUE,1504210000000,4,outoftime,black,15+2,anna,1500,bert,1191,d4 d5 c4 c6,D10,\
               Slav Defense";
    let values: Vec<String> = names
        .split(',')
        .zip(row.split(','))
        .map(|(name, value)| format!("\"{name}\":\"{value}\""))
        .collect();
    for (format, text) in [
        (&CSV, format!("{names}\n{row}\n")),
        (&CSV, format!("{names}\n{row}\n").replace(',', "\t")),
        (&NDJSON, format!("{{{}}}\n", values.join(","))),
    ] {
        let game = games(format, &text).remove(0);
        assert_eq!(line(&game), "d4 d5 c4 c6");
        for (name, value) in [
            ("White", "anna"),
            ("Black", "bert"),
            ("Result", "0-1"),
            ("WhiteElo", "1500"),
            ("BlackElo", "1191"),
            ("ECO", "D10"),
            ("Opening", "Slav Defense"),
            ("TimeControl", "900+2"),
            ("Termination", "outoftime"),
            ("Date", "2017.08.31"),
            ("UTCTime", "20:06:40"),
            ("created_at", "1504210000000"),
            ("id", "x1"),
            ("rated", "TRUE"),
        ] {
            assert_eq!(tag(&game, name), value, "{name} of {text}");
        }
    }
}

#[test]
fn the_moves_have_several_names() {
    for (name, cell) in [
        (
            "pgn",
            "\"[Event \"\"x\"\"]\n[White \"\"Tal\"\"]\n\n1. e4 e5 1-0\"",
        ),
        (
            "PGN",
            "\"[Event \"\"x\"\"] [White \"\"Tal\"\"] 1. e4 e5 1-0\"",
        ),
        ("moves", "e4 e5"),
        ("Moves", "e2e4 e7e5"),
        ("AN", "1. e4 e5 1-0"),
    ] {
        let text = format!("Result,WhiteElo,{name}\n1-0,2700,{cell}\n");
        let game = games(&CSV, &text).remove(0);
        assert_eq!(
            (line(&game), game.result().as_pgn()),
            ("e4 e5".into(), "1-0"),
            "{text}"
        );
        assert_eq!(tag(&game, "WhiteElo"), "2700");
        let is_tal = tag(&game, "White") == "Tal";
        assert_eq!(is_tal, name.eq_ignore_ascii_case("pgn"), "{text}");
    }
}

#[test]
fn a_date_in_another_column_is_the_date() {
    for (names, row, date) in [
        ("GameDate,movetext", "1985-11-09,*", "1985.11.09"),
        ("Year,movetext", "1985,*", "1985.??.??"),
        ("Date,Year,movetext", "1985.11.??,1985,*", "1985.11.??"),
    ] {
        let game = games(&CSV, &format!("{names}\n{row}\n")).remove(0);
        assert_eq!(tag(&game, "Date"), date, "{names}");
    }
}
