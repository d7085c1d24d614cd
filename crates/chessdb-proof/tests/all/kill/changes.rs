//! The commands that change games of a database, and the databases for them.

use std::path::Path;
use std::{fmt, fs};

/// A command that changes games.
///
/// `BASE` is the database, and `FOLDER/` the folder of [`write_sources`].
#[derive(PartialEq, Eq)]
pub(crate) struct Change {
    /// A command that is run before.
    pub(crate) before: &'static [&'static str],
    pub(crate) words: &'static [&'static str],
    /// Whether the command changes nothing if it is run again.
    pub(crate) is_final: bool,
}

impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))
    }
}

const fn of(words: &'static [&'static str]) -> Change {
    after(&[], words)
}

const fn after(before: &'static [&'static str], words: &'static [&'static str]) -> Change {
    Change {
        before,
        words,
        is_final: true,
    }
}

const fn repeated(before: &'static [&'static str], words: &'static [&'static str]) -> Change {
    Change {
        is_final: false,
        ..after(before, words)
    }
}

/// A change of every format that can be written, even if the whole database is written again.
pub(crate) const EVERYWHERE: [Change; 1] = [of(&["tag", "-n", "3", "--set", "White=Player 11"])];

pub(crate) const MARKS: [Change; 4] = [
    of(&["delete", "-n", "5"]),
    after(&["delete", "-q", "-n", "5"], &["undelete", "-n", "5"]),
    of(&["flag", "-n", "6", "--set", "novelty"]),
    of(&["dedupe", "--mark"]),
];

pub(crate) const NAMES: [Change; 5] = [
    of(&["tag", "-n", "7", "--set", "Site=A place that no game has"]),
    of(&["eco", "-n", "1-"]),
    of(&["names", "--apply", "FOLDER/fixes.txt", "-n", "1-"]),
    of(&[
        "names",
        "--rename",
        "Player 4",
        "Player 4 again",
        "-n",
        "1-",
    ]),
    of(&[
        "names", "--of", "events", "--rename", "Event 0", "Zero", "-n", "1-",
    ]),
];

pub(crate) const RECORDS: [Change; 5] = [
    of(&["edit", "-n", "7"]),
    of(&["tag", "-n", "2", "--set", "Annotator=Someone"]),
    of(&[
        "merge",
        "--append",
        "--dedupe",
        "--prefer",
        "base",
        "FOLDER/more.pgn",
        "BASE",
    ]),
    repeated(&[], &["convert", "--append", "FOLDER/more.pgn", "BASE"]),
    // SQLite counts each compaction in the header of its file.
    repeated(&["delete", "-q", "-n", "5"], &["compact"]),
];

const TAG: &[&str] = &["tag", "-q", "-n", "7", "--set", "White=Undone"];
const APPEND: &[&str] = &["convert", "-q", "--append", "FOLDER/more.pgn", "BASE"];

pub(crate) const UNDO: [Change; 2] = [repeated(TAG, &["undo"]), repeated(APPEND, &["undo"])];

/// Returns games of this number of players, with numbers from `first`.
fn games(first: u32, count: u32) -> String {
    let game = |n: u32| {
        let (event, day, white, black) = (n / 4, n % 28 + 1, n % 17, n % 13 + 20);
        format!(
            "[Event \"Event {event}\"]\n[Site \"Site {event}\"]\n[Date \"2024.05.{day:02}\"]\n\
             [Round \"{n}\"]\n[White \"Player {white}\"]\n[Black \"Player {black}\"]\n\
             [Result \"1-0\"]\n\n1. e4 e5 2. Nf3 {{game {n}}} Nc6 3. Bb5 a6 (3... Nf6 4. O-O) \
             4. Ba4 Nf6 1-0\n\n"
        )
    };
    (first..first + count).map(game).collect()
}

/// Writes the games of a database, some of them twice, and the files that the commands read. Returns
/// the name of the former.
pub(crate) fn write_sources(folder: &Path) -> &'static str {
    for (name, text) in [
        ("changed.pgn", games(0, 30) + &games(10, 4)),
        ("more.pgn", games(20, 20)),
        (
            "edited.pgn",
            "[White \"Editor\"]\n\n1. d4 d5 {new} *\n".to_owned(),
        ),
        (
            "fixes.txt",
            "Player 3\tPlayer, Three\nPlayer 25\tOther\n".to_owned(),
        ),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    "changed.pgn"
}
