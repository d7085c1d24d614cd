//! Tests of the guiding texts of a ChessBase database.

use chessdb::cbh::raw::{Content, GuidingText, MoveRecord};

use crate::common::Lab;

/// Appends a text to the games of `base.cbh`, with the next number that ChessBase would use.
fn add_text(lab: &Lab, base: &str, text: &GuidingText<'_>) {
    let (index, games) = (format!("{base}.cbh"), format!("{base}.cbg"));
    let mut records = lab.read(&index);
    let mut bytes = lab.read(&games);
    let mut record = [0_u8; 46];
    record[0] = 3;
    record[1..5].copy_from_slice(&(bytes.len() as u32).to_be_bytes());
    records.extend_from_slice(&record);
    let next = (records.len() / 46) as u32;
    records[6..10].copy_from_slice(&next.to_be_bytes());
    records[40..44].copy_from_slice(&next.to_be_bytes());
    let body = text.to_bytes();
    MoveRecord {
        flags: 0x80,
        body: &body,
    }
    .write(&mut bytes);
    let size = bytes.len() as u64;
    bytes[2..6].copy_from_slice(&(size as u32).to_be_bytes());
    bytes[10..18].copy_from_slice(&size.to_be_bytes());
    lab.write(&index, records);
    lab.write(&games, bytes);
}

const HTML: &str = "<html><head><title>x</title></head><body><p>The <b>King</b>&apos;s pawn, <a \
                    href=\"https://example.org\">here</a></p></body></html>";

fn with_texts() -> Lab {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.pgn", "games.cbh"])
        .expect(0);
    let content = |language, text| Content {
        language,
        text,
        formatting: &[],
    };
    let html = GuidingText {
        version: 3,
        titles: vec![(0, b"First/Second"), (1, "Erster Übergang".as_bytes())],
        byte: 1,
        contents: vec![
            content(0, HTML.as_bytes()),
            content(1, "<p>Über</p>".as_bytes()),
            content(2, b"<html><body></body></html>"),
        ],
        tail: &[],
    };
    let plain = GuidingText {
        version: 1,
        titles: vec![(7, b"Old")],
        byte: 0,
        // In the Windows Western code page.
        contents: vec![content(7, b"Gr\xFCnfeld\r\nand *more*")],
        tail: &[],
    };
    add_text(&lab, "games", &html);
    add_text(&lab, "games", &plain);
    lab
}

#[test]
fn texts_are_listed_and_printed() {
    let lab = with_texts();
    let ran = lab.run(["info", "games.cbh"]).expect(0);
    let bytes = HTML.len();
    for said in [
        "games        3".to_owned(),
        format!("text         First/Second (en {bytes} bytes, de 12 bytes)\n"),
        "text         Old (21 bytes)\n".to_owned(),
    ] {
        assert!(ran.out.contains(&said), "{said}\n{}", ran.out);
    }
    let json = lab.run(["info", "--json", "games.cbh"]).expect(0).json();
    assert_eq!(
        json["bases"][0]["texts"][0]["contents"][1]["language"],
        "de"
    );
    let ran = lab.run(["cat", "--texts", "games.cbh"]).expect(0);
    assert_eq!(
        ran.out,
        "# First/Second (en)\n\nThe **King**'s pawn, [here](<https://example.org>)\n\n\
         # Erster Übergang (de)\n\nÜber\n\n# Old\n\nGrünfeld\n\nand \\*more\\*\n"
    );
    let json = lab
        .run(["cat", "--texts", "--json", "games.cbh"])
        .expect(0)
        .json();
    assert_eq!(json["bases"][0]["texts"][0]["contents"][0]["text"], HTML);
    assert_eq!(json["bases"][0]["texts"][1]["contents"][0]["html"], false);
    // The games are unchanged.
    lab.run(["diff", "games.pgn", "games.cbh"]);
    assert_eq!(
        lab.run(["ls", "games.cbh"]).expect(0).out.lines().count(),
        3
    );
    let ran = lab.run(["cat", "--texts", "games.pgn"]).expect(1);
    lab.run(["cat", "--texts", "games.pgn", "games.cbh"])
        .expect(0);
    assert!(ran.err.contains("no guiding texts"), "{}", ran.err);
    lab.run(["cat", "--texts", "games.cbh", "player:Tal"])
        .expect(2);
}

#[test]
fn texts_are_written_beside_a_conversion_and_counted_as_lost() {
    let lab = with_texts();
    let ran = lab
        .run(["convert", "games.cbh", "out.pgn", "--texts", "texts"])
        .expect(0);
    assert!(ran.err.contains("a guiding text (2 times)"), "{}", ran.err);
    assert!(
        ran.err.contains("3 guiding texts written to texts"),
        "{}",
        ran.err
    );
    assert_eq!(lab.text("texts/001 first_second.en.html"), HTML);
    assert_eq!(lab.text("texts/001 erster übergang.de.html"), "<p>Über</p>");
    assert_eq!(lab.text("texts/002 old.md"), "Grünfeld\n\nand \\*more\\*\n");
    // Nothing is overwritten.
    let ran = lab
        .run(["convert", "games.cbh", "two.pgn", "--texts", "texts"])
        .expect(4);
    assert!(ran.err.contains("--force"), "{}", ran.err);
    lab.run([
        "convert",
        "--force",
        "games.cbh",
        "two.pgn",
        "--texts",
        "texts",
    ])
    .expect(0);
    let ran = lab
        .run(["convert", "--strict", "games.cbh", "x.pgn", "--texts", "no"])
        .expect(1);
    assert!(ran.err.contains("--allow base-extra"), "{}", ran.err);
    assert!(!lab.path("no").exists());
    // Each database of a folder gets a separate folder.
    std::fs::create_dir(lab.path("coll")).unwrap();
    for name in ["games.cbh", "games.cbg"] {
        lab.write(&format!("coll/{name}"), lab.read(name));
    }
    lab.write("coll/other.pgn", lab.read("games.pgn"));
    lab.run([
        "convert", "-q", "coll", "made/", "-t", "pgn", "--texts", "more",
    ]);
    assert!(
        lab.path("more/games/002 old.md").exists(),
        "{:?}",
        lab.names()
    );
}
