//! Tests of ChessBase archives, with and without a password.

use std::fs;

use crate::common::{GAMES, Lab};
use chessdb::cbh::archive::{Key, Packing, lock, pack};

const PASSWORD: &str = "Opočenský 1929";

fn archive(lab: &Lab) -> Vec<u8> {
    let base = fs::read(lab.path("games.pgn")).unwrap();
    let page = (&b"page.html\\a.gif"[..], &b"GIF"[..]);
    pack([(&b"games.pgn"[..], &base[..]), page], Packing::Smallest).unwrap()
}

#[test]
fn an_archive_is_read_and_what_else_is_in_it_is_named() {
    let lab = Lab::new();
    lab.write("base.cbv", archive(&lab));
    let ran = lab.run(["ls", "base.cbv"]).expect(0);
    assert_eq!(ran.out.lines().count(), 3, "{}", ran.out);
    let left = "base.cbv: page.html/a.gif ignored: not part of the database";
    assert!(ran.err.contains(left), "{}", ran.err);
    let cat = lab.run(["cat", "-q", "base.cbv:games.pgn"]).expect(0);
    assert_eq!(
        cat.out.matches("[Event ").count(),
        GAMES.matches("[Event ").count()
    );
}

#[test]
fn a_password_is_taken_and_never_said() {
    let lab = Lab::new();
    // Texts that the Windows Western code page cannot represent are read as UTF-8.
    lab.write(
        "base.cbz",
        lock(archive(&lab), Key::new(PASSWORD.as_bytes())),
    );
    lab.write("password", format!("{PASSWORD}\r\nnot this line\n"));
    lab.write("wrong", "Réti 1921\n");
    for command in ["info", "ls", "cat", "check"] {
        let by_word = lab
            .run([command, "--password", PASSWORD, "base.cbz"])
            .expect(0);
        let by_file = lab
            .run([command, "--password-file", "password", "base.cbz"])
            .expect(0);
        assert_eq!(by_word.out, by_file.out, "{command}");
        let ran = lab.run([command, "base.cbz"]).expect(3);
        assert!(
            ran.err.contains("requires a password; use --password-file"),
            "{}",
            ran.err
        );
        let ran = lab
            .run([command, "--password-file", "wrong", "base.cbz"])
            .expect(3);
        assert!(ran.err.contains("wrong password"), "{}", ran.err);
        assert!(!ran.err.contains("Réti"), "{}", ran.err);
    }
    lab.run([
        "convert",
        "-q",
        "--password",
        PASSWORD,
        "base.cbz",
        "out.si4",
    ])
    .expect(0);
    let both = [
        "info",
        "--password",
        PASSWORD,
        "--password-file",
        "password",
        "base.cbz",
    ];
    let ran = lab.run(both).expect(2);
    assert!(!ran.err.contains(PASSWORD), "{}", ran.err);
}

#[test]
fn a_base_is_written_into_an_archive() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.pgn", "new.cbh"]).expect(0);
    let ran = lab.run(["convert", "games.pgn", "new.cbv"]).expect(0);
    assert!(ran.err.contains("→ new.cbv: 3 games"), "{}", ran.err);
    lab.run(["diff", "new.cbh", "new.cbv"]).expect(0);
    let listed = lab.run(["info", "--json", "new.cbv"]).expect(0).json();
    let base = &listed["bases"][0];
    assert_eq!(base["format"], "cbh");
    let files = base["files"].as_array().unwrap();
    assert!(files.len() >= 9, "{listed}");
    for file in files {
        let name = file["path"].as_str().unwrap();
        assert_eq!(file["bytes"], lab.read(name).len(), "{name}");
    }
    let ran = lab.run(["convert", "games.si4", "new.cbv"]).expect(4);
    assert!(ran.err.contains("already exists"), "{}", ran.err);
    lab.run(["convert", "--force", "games.si4", "new.cbv"])
        .expect(0);
    // An archive may contain any format.
    lab.run(["convert", "-t", "cbf", "games.si4", "old.cbv"])
        .expect(0);
    let ran = lab.run(["info", "old.cbv"]).expect(0);
    assert!(
        ran.out.contains("old.cbi") && ran.out.contains("ChessBase CBF"),
        "{}",
        ran.out
    );
    // A refused conversion leaves no file.
    lab.write("odd.pgn", "[White \"x\"]\n\n1. e4 e9 *\n");
    lab.run(["convert", "--strict", "odd.pgn", "odd.cbv"])
        .expect(1);
    assert!(!lab.path("odd.cbv").exists());
    // With a password.
    let ran = lab.run(["convert", "games.pgn", "new.cbz"]).expect(4);
    assert!(
        ran.err.contains("requires a password; use --password-file"),
        "{}",
        ran.err
    );
    let locked = ["convert", "--password", PASSWORD, "games.pgn", "new.cbz"];
    let ran = lab.run(locked).expect(0);
    assert!(!ran.err.contains(PASSWORD), "{}", ran.err);
    lab.run(["ls", "new.cbz"]).expect(3);
    lab.run(["diff", "--password", PASSWORD, "new.cbh", "new.cbz"])
        .expect(0);
}
