//! Lines of EPD: their way through a game and back, and what is wrong with them.

use chessdb_core::Severity;
use chessdb_core::store::Origin;
use chessdb_pgn::{LineKind, append_lines};
use chessdb_text::EPD;

use crate::read;

const POSITION: &str = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq -";

#[test]
fn operations_come_back_as_they_were() {
    for operations in [
        "bm Ng5 d3; id \"one\"; c0 \"x; y\";",
        "id \"two\"; am Qe2; acd 12; ce +35; c0 \"a\"; c9 \"\";",
        "D1 20; D2 400;",
        "noop; eco \"C55\"; pv Ng5 d5 exd5; rc 1; v0 \"v\";",
        "bm d3; fmvn 4; hmvc 4;",
        "c0 \"a\"; fmvn 1; hmvc 0; id \"b\"; sm d3;",
        "Event 5; comment \"a\" \"b\"; other \"quoted\";",
        "bm Ng5+ id \"missing semicolon\"; c0 \"x\";",
        "bm Ng5, d3; id \"comma\";",
    ] {
        let line = format!("{POSITION} {operations}");
        let (game, _) = read(&EPD, line.clone().into_bytes()).remove(0).unwrap();
        let mut out = Vec::new();
        append_lines(&game, LineKind::Epd, false, Origin::default(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), format!("{line}\n"));
    }
}

#[test]
fn moves_that_cannot_be_meant_are_named() {
    for (operations, expected) in [
        ("bm Ng5 d3; id \"x\";", None),
        ("bm Ng5+ id \"x\";", Some("semicolon")),
        ("bm d3 c0 \"x\";", Some("semicolon")),
        ("am Qh5;", Some("not possible")),
        ("bm Ng5, d3;", Some("comma")),
        ("sm Ke3;", Some("not possible")),
    ] {
        let line = format!("{POSITION} {operations}");
        let (_, found) = read(&EPD, line.into_bytes()).remove(0).unwrap();
        let found: Vec<_> = found.iter().collect();
        assert!(
            found.iter().all(|found| found.severity == Severity::Note),
            "{found:?}"
        );
        let found = found.first().map(ToString::to_string);
        let is_named = match (&found, expected) {
            (Some(found), Some(expected)) => found.contains(expected),
            (found, expected) => found.is_none() && expected.is_none(),
        };
        assert!(is_named, "{operations}: {found:?}");
    }
}
