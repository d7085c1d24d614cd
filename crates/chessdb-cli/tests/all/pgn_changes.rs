//! Changes of single games in a PGN file: every byte outside the changed game stays, `undo` brings the
//! old file back, and a stop leaves the old or the new file.

use std::ops::Range;

use crate::common::Lab;

/// The encoding of a file.
#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Utf8,
    Latin1,
    Utf16,
}

/// A way to lay out a file.
struct Variant {
    line_end: &'static str,
    encoding: Encoding,
    /// Text before the first game, between games, and after the last one.
    start: &'static str,
    between: &'static str,
    end: &'static str,
}

const PLAIN: Variant = Variant {
    line_end: "\n",
    encoding: Encoding::Utf8,
    start: "",
    between: "\n\n",
    end: "\n",
};

const VARIANTS: [Variant; 10] = [
    PLAIN,
    Variant {
        line_end: "\r\n",
        end: "\n\n",
        ..PLAIN
    },
    Variant {
        line_end: "\r",
        end: "",
        ..PLAIN
    },
    Variant {
        start: "\u{FEFF}",
        ..PLAIN
    },
    Variant {
        start: "\u{FEFF}",
        line_end: "\r\n",
        encoding: Encoding::Utf16,
        ..PLAIN
    },
    Variant {
        encoding: Encoding::Latin1,
        ..PLAIN
    },
    Variant {
        start: "% written by a program\n",
        between: "\n\n% an escape line\n\n\n",
        end: "\n% the end\n",
        ..PLAIN
    },
    Variant {
        start: "Games of the club\n\n",
        between: "\n\nRound two of the event\n\n",
        ..PLAIN
    },
    // No blank line between games, and no end of the last line.
    Variant {
        between: "\n",
        end: "",
        ..PLAIN
    },
    Variant {
        line_end: "\r\n",
        between: "   \n \t\n\n\n\n",
        end: "\n\n   \n",
        ..PLAIN
    },
];

impl Variant {
    fn encode(&self, text: &str) -> Vec<u8> {
        let text = text.replace('\n', self.line_end);
        match self.encoding {
            Encoding::Utf8 => text.into_bytes(),
            Encoding::Latin1 => text.chars().map(|c| c as u8).collect(),
            Encoding::Utf16 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        }
    }

    /// Returns a file of games with comments of this length, and the places of the games.
    fn file(&self, games: usize, comment: usize) -> (Vec<u8>, Vec<Range<usize>>) {
        let mut bytes = self.encode(self.start);
        let mut places = Vec::new();
        for n in 1..=games {
            let comment = "a comment, ".repeat(comment / 11);
            let game = format!(
                "[Event \"Caf\u{e9} {n}\"]\n[White  \"Player{n}\"]\n[Black \"Quince,Te\"]\n\
                 [Result \"1-0\"]\n\n1.e4   e5 {{{comment}}} 2. Nf3\n1-0"
            );
            let start = bytes.len();
            bytes.extend(self.encode(&game));
            places.push(start..bytes.len());
            let last = n == games;
            bytes.extend(self.encode(if last { self.end } else { self.between }));
        }
        (bytes, places)
    }
}

/// Checks that nothing but the game at this place differs.
fn assert_only(old: &[u8], new: &[u8], place: &Range<usize>, what: &str) {
    let (before, after) = (&old[..place.start], &old[place.end..]);
    let is_kept = new.starts_with(before) && new[before.len()..].ends_with(after);
    assert!(is_kept && new != old, "{what}");
}

/// Changes the first, a middle and the last game of a file in several ways, each of which is undone
/// and repeated.
fn change_each(lab: &Lab, n: usize, variant: &Variant, games: usize, comment: usize) {
    let (old, places) = variant.file(games, comment);
    let editor = "sed -i -e s/e5/e6/";
    for number in [1, games / 2, games] {
        for set in [
            "White=Miller,Jo",
            "White=P",
            "Site=Riga",
            "Result=0-1",
            "",
            "edit",
        ] {
            let what = format!("variant {n}, {games} games: game {number} {set}");
            lab.write("b.pgn", &old);
            let game = number.to_string();
            let mut command = lab.command();
            match set {
                "" => command.args(["delete", "b.pgn", "-n", &game]),
                "edit" => command.env("VISUAL", editor).args(["edit", "b.pgn", &game]),
                set => command.args(["tag", "b.pgn", "-n", &game, "--set", set]),
            };
            let output = command.output().unwrap();
            assert!(output.status.success(), "{what}: {output:?}");
            let new = lab.read("b.pgn");
            assert_only(&old, &new, &places[number - 1], &what);
            let word = set.split_once('=').map_or("", |(_, value)| value);
            let place = &places[number - 1];
            let changed = &new[place.start..new.len() + place.end - old.len()];
            let word = variant.encode(if set == "edit" { "e6" } else { word });
            assert!(
                changed
                    .windows(word.len().max(1))
                    .any(|bytes| bytes.starts_with(&word)),
                "{what}"
            );
            for state in [&old, &new, &old] {
                lab.run(["undo", "-q", "b.pgn"]).expect(0);
                assert!(lab.read("b.pgn") == *state, "{what}");
            }
        }
    }
    let names = lab.names();
    let left: Vec<_> = names
        .iter()
        .filter(|name| !name.ends_with(".chessdb-undo"))
        .collect();
    assert_eq!(left, ["b.pgn"]);
}

#[test]
fn a_change_leaves_every_other_byte() {
    let lab = Lab::empty();
    for (n, variant) in VARIANTS.iter().enumerate() {
        change_each(&lab, n, variant, 5, 20);
    }
}

/// So many bytes follow the first games that the file is copied around a change.
#[test]
fn a_change_in_a_large_file_leaves_every_other_byte() {
    let lab = Lab::empty();
    for n in [1, 4, 7] {
        change_each(&lab, n, &VARIANTS[n], 40, 100_000);
    }
}

#[test]
fn several_games_of_a_large_file_change_together() {
    let lab = Lab::empty();
    let (old, _) = PLAIN.file(2000, 1500);
    lab.write("b.pgn", &old);
    lab.write("c.pgn", &old);
    lab.run([
        "tag",
        "-q",
        "b.pgn",
        "-n",
        "1-1000,1990-",
        "--set",
        "Site=Riga",
    ])
    .expect(0);
    let old = String::from_utf8(old).unwrap();
    let mut new = String::new();
    for (n, line) in old.lines().enumerate() {
        let game = n / 8 + 1;
        new += line;
        new += "\n";
        if line.starts_with("[Event ") && (game <= 1000 || game >= 1990) {
            new += "[Site \"Riga\"]\n";
        }
    }
    assert!(lab.text("b.pgn") == new);
    lab.run(["undo", "-q", "b.pgn"]).expect(0);
    assert!(lab.text("b.pgn") == old);
    // Another program appends a game: that can no longer be undone.
    lab.run(["undo", "-q", "b.pgn"]).expect(0);
    lab.write("b.pgn", new.clone() + "\n[White \"N\"]\n\n*\n");
    lab.run(["undo", "-q", "b.pgn"]).expect(4);
    // The place of the games comes from the index, and a stale one is not used.
    lab.run(["index", "-q", "c.pgn"]).expect(0);
    for number in ["1", "1000", "2000"] {
        lab.run([
            "tag",
            "-q",
            "c.pgn",
            "-n",
            number,
            "--set",
            "White=Miller,Jo",
        ])
        .expect(0);
    }
    let changed = [1, 1000, 2000].iter().fold(old.clone(), |text, n| {
        text.replace(&format!("[White  \"Player{n}\"]"), "[White \"Miller,Jo\"]")
    });
    assert!(lab.text("c.pgn") == changed);
}

#[test]
fn a_damaged_game_keeps_its_moves() {
    let lab = Lab::empty();
    let (old, places) = PLAIN.file(5, 20);
    let old = String::from_utf8(old)
        .unwrap()
        .replacen("2. Nf3", "2. Bf9", 3);
    lab.write("b.pgn", &old);
    let ran = lab.run(["tag", "b.pgn", "-n", "2", "--set", "White=Miller,Jo"]);
    let ran = ran.expect(0);
    assert!(
        ran.err
            .contains("1 damaged game with moves kept byte for byte"),
        "{}",
        ran.err
    );
    assert_only(old.as_bytes(), &lab.read("b.pgn"), &places[1], "damaged");
    lab.run(["undo", "-q", "b.pgn"]).expect(0);
    assert_eq!(lab.text("b.pgn"), old);
}

#[test]
fn a_letter_that_the_file_lacks_changes_nothing() {
    let lab = Lab::empty();
    let (old, _) = VARIANTS[5].file(5, 20);
    lab.write("b.pgn", &old);
    let ran = lab.run(["tag", "b.pgn", "-n", "2", "--set", "White=\u{410}\u{43b}"]);
    assert!(
        ran.expect(4)
            .err
            .contains("convert the file to UTF-8 first")
    );
    assert!(lab.read("b.pgn") == old);
    assert_eq!(lab.names(), ["b.pgn"]);
}

/// A stop at any system call that changes files leaves the old or the new file, and the next command
/// completes the change if the journal was written.
#[cfg(target_os = "linux")]
#[test]
fn a_stop_leaves_the_old_or_the_new_file() {
    use std::fs;

    let lab = Lab::empty();
    for (games, comment) in [(5, 20), (40, 100_000)] {
        let (old, _) = PLAIN.file(games, comment);
        lab.write("b.pgn", &old);
        let args = ["tag", "-q", "b.pgn", "-n", "2", "--set", "White=Miller,Jo"];
        lab.run(args).expect(0);
        let new = lab.read("b.pgn");
        let mut stops = 0;
        for call in [
            "openat",
            "write",
            "copy_file_range",
            "fsync",
            "rename",
            "ftruncate",
            "unlink",
        ] {
            for when in 1..=12 {
                for name in lab.names() {
                    fs::remove_file(lab.path(&name)).unwrap();
                }
                lab.write("b.pgn", &old);
                let mut command = std::process::Command::new("strace");
                command
                    .current_dir(lab.path(""))
                    .args(["-f", "-o", "/dev/null"]);
                let inject = format!("inject={call}:signal=SIGKILL:when={when}");
                command.args(["-e", &format!("trace={call}"), "-e", &inject]);
                let output = command
                    .arg(env!("CARGO_BIN_EXE_chessdb"))
                    .args(args)
                    .output();
                let Ok(output) = output else {
                    println!("not run: no strace");
                    return;
                };
                if output.status.code().is_some() {
                    let is_done = output.status.success() && lab.read("b.pgn") == new;
                    assert!(is_done, "{output:?}");
                    break;
                }
                stops += 1;
                lab.run(["check", "-q", "b.pgn"]).expect(0);
                let found = lab.read("b.pgn");
                assert!(found == old || found == new, "{call} {when}");
                lab.run(["tag", "-q", "b.pgn", "-n", "2", "--set", "White=Miller,Jo"])
                    .expect(0);
                assert!(lab.read("b.pgn") == new, "{call} {when}");
                let mut names = lab.names();
                names.retain(|name| !name.ends_with(".chessdb-undo"));
                assert_eq!(names, ["b.pgn"], "{call} {when}");
            }
        }
        assert!(stops > 12, "{stops}");
    }
}
