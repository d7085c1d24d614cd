//! Tests of file content other than complete games: stray text, other encodings, damaged or unusual
//! compression.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::common::{GAMES, Lab};

/// Checks that every reading command reports a loss and outputs `games`. It is an error with
/// `--strict`, and shows in the exit codes of `convert` and `check`.
fn is_lost(lab: &Lab, file: &str, games: usize, told: &str) {
    let new = format!("{file}.new.pgn");
    let runs: [&[&str]; 6] = [
        &["convert", "--force", file, &new],
        &["convert", "--strict", file, "strict.pgn"],
        &["check", file],
        &["ls", file],
        &["cat", file],
        &["cat", "--json", file],
    ];
    for run in runs {
        let only_reads = matches!(run[0], "ls" | "cat");
        if only_reads {
            lab.run([run, &["--strict"]].concat()).expect(3);
        }
        let is_found = only_reads && games > 0;
        let ran = lab.run(run).expect(if is_found { 0 } else { 1 });
        let said = ran.err.clone() + &ran.out;
        assert!(said.contains(told), "{run:?}: {said}");
        if run[0] == "ls" {
            assert_eq!(ran.out.lines().count(), games, "{file}: {}", ran.out);
        }
    }
    assert!(!lab.names().contains(&"strict.pgn".to_owned()));
    assert_eq!(lab.text(&new).matches("[Result ").count(), games, "{file}");
    let info = lab.run(["info", file]).expect(0).out;
    assert!(
        info.contains(told) || info.contains("problem with data loss"),
        "{info}"
    );
}

/// Checks that nothing is lost, and that `games` are output.
fn is_whole(lab: &Lab, file: &str, games: usize) {
    let new = format!("{file}.new.pgn");
    lab.run(["convert", "--force", "--strict", file, &new])
        .expect(0);
    assert_eq!(lab.text(&new).matches("[Result ").count(), games, "{file}");
    lab.run(["check", file]).expect(0);
    assert_eq!(lab.run(["ls", file]).expect(0).out.lines().count(), games);
}

fn gz(text: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text).unwrap();
    packer.finish().unwrap()
}

fn zst(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 3).unwrap()
}

#[test]
fn text_that_belongs_to_no_game_is_lost_aloud() {
    let lab = Lab::empty();
    let note = "Game 4: White Fischer, Black Spassky, annotated by hand";
    for (name, text, games, told) in [
        ("behind.pgn", format!("{GAMES}\n{note}\n"), 3, "Game 4"),
        ("before.pgn", format!("{note}\n\n{GAMES}"), 3, "Game 4"),
        (
            "between.pgn",
            GAMES.replacen("\n\n[Event", &format!("\n\n{note}\n\n[Event"), 1),
            3,
            "Game 4",
        ),
        ("comment.pgn", format!("{GAMES}\n{{{note}}}\n"), 3, "Game 4"),
        ("line.pgn", format!("{GAMES}\n; {note}\n"), 3, "Game 4"),
        ("only.pgn", format!("{note}\n"), 0, "Game 4"),
        (
            "escapes.pgn",
            format!("{GAMES}\n{}{note}\n", "% x\n".repeat(3000)),
            3,
            "Game 4",
        ),
        (
            "mixed.pgn",
            format!("{GAMES}\n\u{FEFF}\n\0{note}\n\u{1A}"),
            3,
            "Game 4",
        ),
    ] {
        lab.write(name, text);
        is_lost(&lab, name, games, told);
    }
    // From a pipe, too, and after games that were not requested.
    let text = lab.text("behind.pgn");
    let ran = lab
        .run_with(text.as_bytes(), &["convert", "-", "piped.pgn", "-n", "2-"])
        .expect(1);
    assert!(ran.err.contains("Game 4"), "{}", ran.err);
    // A loss of non-text data is not reported.
    lab.write("dos.pgn", format!("{GAMES}\n\u{1A}\0\0\0"));
    is_whole(&lab, "dos.pgn", 3);
}

#[test]
fn utf_16_is_read() {
    let lab = Lab::empty();
    let encode = |text: &str, big: bool| -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect()
    };
    for (name, mark, big) in [
        ("le-mark.pgn", "\u{FEFF}", false),
        ("be-mark.pgn", "\u{FEFF}", true),
        ("le.pgn", "", false),
        ("be.pgn", "", true),
        ("no-suffix", "", false),
    ] {
        let bytes = encode(&format!("{mark}{GAMES}"), big);
        lab.write(name, &bytes);
        is_whole(&lab, name, 3);
        let text = lab.text(&format!("{name}.new.pgn"));
        assert!(text.contains("{Über alles}"), "{text}");
        let info = lab.run(["info", name]).expect(0).out;
        assert!(info.contains("UTF-16"), "{info}");
        lab.write(&format!("{name}.gz"), gz(&bytes));
        is_whole(&lab, &format!("{name}.gz"), 3);
    }
    let mut half = encode(&GAMES.replacen("alles", "alle?", 1), false);
    let at = half.windows(2).position(|unit| unit == b"?\0").unwrap();
    half[at + 1] = 0xD8;
    lab.write("half.pgn", &half);
    is_lost(&lab, "half.pgn", 3, "U+FFFD");
    let mut odd = encode(GAMES, false);
    odd.push(b'x');
    lab.write("odd.pgn", &odd);
    is_lost(&lab, "odd.pgn", 3, "U+FFFD");
}

#[test]
fn damaged_packing_gives_what_comes_before() {
    let lab = Lab::empty();
    let text = GAMES.as_bytes();
    let (gzip, zstd) = (gz(text), zst(text));
    let skippable = b"\x50\x2A\x4D\x18\x05\0\0\0hello";
    for (name, bytes, games) in [
        ("whole.gz", gzip.clone(), 3),
        ("twice.gz", [gzip.clone(), gzip.clone()].concat(), 6),
        ("between.gz", [&gzip[..], &[0; 99], &gzip].concat(), 6),
        ("padded.gz", [&gzip[..], &[0; 512]].concat(), 3),
        ("twice.zst", [zstd.clone(), zstd.clone()].concat(), 6),
        ("skip.zst", [skippable, &zstd[..]].concat(), 3),
        ("skip.pgn.zst", [&zstd[..], skippable, &zstd].concat(), 6),
        ("odd name", [skippable, &zstd[..]].concat(), 3),
    ] {
        lab.write(name, bytes);
        is_whole(&lab, name, games);
    }
    for (name, bytes, games) in [
        ("trail.pgn.gz", [&gzip[..], b"garbage\n"].concat(), 3),
        ("no-sum.gz", gzip[..gzip.len() - 4].to_vec(), 3),
        ("trail.pgn.zst", [&zstd[..], b"garbage\n"].concat(), 3),
        ("second.zst", [&zstd[..], &zstd[..9]].concat(), 3),
        ("second.gz", [&gzip[..], &gzip[..12]].concat(), 3),
    ] {
        lab.write(name, bytes);
        is_lost(&lab, name, games, "lost: pgn file");
    }
    // For every position of the cut.
    for cut in (4..gzip.len()).step_by(13) {
        lab.write("cut", &gzip[..cut]);
        lab.run(["convert", "--force", "cut", "cut.pgn"]).expect(1);
        let cut = cut.min(zstd.len() - 1);
        lab.write("cut", &zstd[..cut]);
        lab.run(["convert", "--force", "cut", "cut.pgn"]).expect(1);
    }
}

#[test]
fn lists_of_moves_are_games() {
    let lab = Lab::empty();
    for (name, text, games) in [
        (
            "three.pgn",
            "1. e4 e5 2. Nf3 Nc6\n\n1. d4 d5 2. c4 e6\n\n1. c4\n",
            3,
        ),
        (
            "lines.pgn",
            "1. e4 e5 2. Nf3\n1. d4 d5\n1. Nf3 Nf6 2. g3\n",
            3,
        ),
        ("tags.pgn", "[Event \"a\"]\n\n1. e4 e5\n\n1. d4 d5\n", 2),
        ("numbers.pgn", "1 e4 e5 2 Nf3\r\n\r\n1 d4 d5\r\n", 2),
        (
            "prose.pgn",
            "[Event \"a\"]\n\n1. e4 {a\n\n1. d4} e5\n\n2. Nf3 (2. f4\n\n1. c4) Nc6 *\n",
            1,
        ),
        ("misprint.pgn", "10. Nc3 Nc6\n1. Nf3 Nf6 12. g3\n", 1),
    ] {
        lab.write(name, text);
        let ran = lab.run(["ls", name]);
        assert_eq!(ran.out.lines().count(), games, "{name}: {}", ran.out);
    }
    is_whole(&lab, "three.pgn", 3);
    let text = lab.text("three.pgn.new.pgn");
    assert!(text.contains("1. e4 e5 2. Nf3 Nc6 *"), "{text}");
    assert!(text.contains("1. d4 d5 2. c4 e6 *"), "{text}");
}
