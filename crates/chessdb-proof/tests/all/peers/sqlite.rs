//! Python's sqlite3 and python-chess, on the databases of other programs that we write.

use super::lab::{Lab, PYTHON, fixtures_of, label};

/// PGN files with the formats that they are not compared in, and the reason.
const LEFT_OUT: [(&str, &[&str], &str); 3] = [
    (
        "spelling.pgn",
        &["db3", "lcdb", "ocgdb"],
        "python-chess ends a game at a blank line in the movetext",
    ),
    (
        "headers.pgn",
        &["db3"],
        "En Croissant has only one kind of rating",
    ),
    (
        "random.pgn",
        &["db3"],
        "En Croissant has no null moves, so it loses the alternatives to them",
    ),
];

/// Every table and every move has the meaning that the format pages describe.
#[test]
fn python_reads_every_database_of_sqlite() {
    let Some(lab) = Lab::new("sqlite", &[PYTHON]) else {
        return;
    };
    let mut read = 0;
    for (n, input) in fixtures_of("pgn/clean", &["pgn"]).iter().enumerate() {
        let file = label(input);
        for suffix in ["db3", "lcdb", "ocgdb"] {
            let is_left_out = LEFT_OUT
                .iter()
                .any(|(name, suffixes, _)| file.ends_with(name) && suffixes.contains(&suffix));
            if is_left_out {
                continue;
            }
            let out = lab.folder.join(format!("{n:03}.{suffix}"));
            lab.convert(&[], input, &out);
            let answer = lab.script_on("sqlite_games.py", &[input, &out]);
            match answer.lines().last() {
                Some(last) if last.ends_with(" games, 0 differ") => read += 1,
                _ => lab.fault(format!("{file} as {suffix}: {answer}")),
            }
        }
    }
    assert!(read > 40, "{read} databases");
    lab.finish(&format!("{read} databases"));
}
