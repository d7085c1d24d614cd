//! Tests of all commands with folders, archives and several databases.

use std::io::Write;

use chessdb::FORMATS;

use crate::common::{GAMES, Lab};

/// Creates a folder `coll` with a database of each writable format, a broken one, an unsupported
/// ChessBase file and a text. Returns the number of readable databases.
fn collection() -> (Lab, usize) {
    let lab = Lab::new();
    let mut bases = 0;
    for format in FORMATS.iter().filter(|format| format.create.is_some()) {
        let suffix = format.roles[0].0;
        let target = format!("coll/{}/of-{}.{suffix}", format.id, format.id);
        lab.write(
            &format!("coll/{}/notes.txt", format.id),
            "1. e4 is a good move",
        );
        lab.run([
            "convert",
            "-q",
            "-n",
            "3",
            "-t",
            format.id,
            "games.pgn",
            &target,
        ])
        .expect(0);
        bases += 1;
    }
    lab.write("coll/broken.si4", "Scid.si\0 and then nothing");
    lab.write("coll/big.cbone", [0_u8; 46]);
    lab.write("coll/readme.txt", "a text");
    (lab, bases)
}

#[test]
fn every_command_takes_a_folder_and_names_what_it_cannot_read() {
    let (lab, bases) = collection();
    for command in ["info", "ls", "cat", "check", "dump"] {
        let ran = lab.run([command, "coll"]).expect(3);
        let said = |part: &str| assert!(ran.err.contains(part), "{command}: {part}\n{}", ran.err);
        said(
            "chessdb: coll/big.cbone: a ChessBase database in a single file, which is not \
             supported\n",
        );
        // A database that cannot be opened can still be dumped.
        let unread = if command == "dump" { 1 } else { 2 };
        if unread == 2 {
            said("chessdb: coll/broken.si4: ");
        }
        said(&format!(
            "chessdb: {unread} of {} databases not read\n",
            bases + 2
        ));
        assert!(!ran.err.contains("txt"), "{}", ran.err);
        if command != "cat" {
            for format in FORMATS.iter().filter(|format| format.create.is_some()) {
                let name = format!("coll/{0}/of-{0}.", format.id);
                assert!(ran.out.contains(&name), "{command}: {name}\n{}", ran.out);
            }
        }
    }
    let listed = lab.run(["info", "coll"]).expect(3).out;
    assert_eq!(listed.lines().count(), bases, "{listed}");
    // A ChessBase book has no headers, and its moves form a single game.
    let games = lab.run(["cat", "coll"]).expect(3).out;
    assert_eq!(
        games.matches("[White \"Karpov, Anatoly\"]").count(),
        bases - 1
    );
    let listed = lab.run(["ls", "coll", "player:karpov"]).expect(3).out;
    assert_eq!(listed.lines().count(), bases - 1, "{listed}");
    assert!(
        listed.contains("coll/si4/of-si4.si4\t1\t1985.11.09\tKarpov"),
        "{listed}"
    );
    let ran = lab.run(["convert", "coll", "out", "-t", "pgn"]).expect(3);
    assert!(
        ran.err
            .contains("big.cbone: a ChessBase database in a single file"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains(", 2 not read\n"), "{}", ran.err);
    assert!(lab.path("out/ca/of-ca.pgn").exists());
}

#[test]
fn json_lists_what_cannot_be_read() {
    let (lab, bases) = collection();
    for command in ["info", "ls", "cat", "check"] {
        let ran = lab.run([command, "--json", "coll"]).expect(3);
        let json = ran.json();
        let all = json["bases"].as_array().unwrap();
        assert_eq!(all.len(), bases + 2, "{command}: {}", ran.out);
        let failed: Vec<_> = all
            .iter()
            .filter(|base| base["error"].is_string())
            .collect();
        assert_eq!(failed.len(), 2, "{command}: {}", ran.out);
        let names: Vec<_> = failed
            .iter()
            .map(|base| base["base"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["coll/broken.si4", "coll/big.cbone"], "{command}");
    }
    let json = lab
        .run(["convert", "--json", "coll", "out", "-t", "pgn"])
        .expect(3)
        .json();
    let all = json["conversions"].as_array().unwrap();
    assert_eq!(all.len(), bases + 2);
    assert_eq!(all.iter().filter(|one| one["error"].is_string()).count(), 2);
    // A complete failure of a command is also reported as a JSON document.
    for args in [
        &["info", "--json", "missing.pgn"][..],
        &["ls", "--json", "missing.pgn"],
        &["cat", "--json", "missing.pgn"],
        &["check", "--json", "missing.pgn"],
        &["diff", "--json", "missing.pgn", "games.pgn"],
        &["convert", "--json", "missing.pgn", "new.pgn"],
    ] {
        let ran = lab.run(args).expect(3);
        assert!(ran.out.contains("no such file"), "{args:?}: {}", ran.out);
        ran.json();
    }
    let json = lab.run(["info", "--json", "--frob", "x"]).expect(2).json();
    assert_eq!(json["error"]["code"], 2);
}

#[test]
fn a_folder_without_bases_is_said_to_be_one() {
    let lab = Lab::empty();
    lab.write("empty/readme.txt", "nothing");
    for command in ["info", "ls", "cat", "check", "dump"] {
        let ran = lab.run([command, "empty"]).expect(3);
        assert!(
            ran.err.contains("empty: no chess database found"),
            "{}",
            ran.err
        );
    }
}

fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, *content).unwrap();
    }
    archive.into_inner().unwrap()
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, content) in files {
        archive.start_file(*name, stored).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[test]
fn archives_of_several_bases_open_one_by_one_and_as_a_whole() {
    let lab = Lab::new();
    let long = format!("{}/deep.pgn", "folder-with-a-long-name".repeat(6));
    let scid: Vec<_> = ["si4", "sg4", "sn4"]
        .map(|suffix| lab.read(&format!("games.{suffix}")))
        .into();
    let files: Vec<(&str, &[u8])> = vec![
        ("one.pgn", GAMES.as_bytes()),
        ("sub/base.si4", &scid[0]),
        ("sub/base.sg4", &scid[1]),
        ("sub/base.sn4", &scid[2]),
        (&long, GAMES.as_bytes()),
        ("sub/old.cbv", b"x"),
        ("readme.txt", b"x"),
    ];
    let xz = include_bytes!("packed/games.tar.xz");
    for (name, content) in [
        ("coll.zip", zip(&files)),
        ("coll.tar", tar(&files)),
        ("coll.tar.gz", gz(&tar(&files))),
        ("coll.tgz", gz(&tar(&files))),
        (
            "coll.tar.zst",
            zstd::encode_all(tar(&files).as_slice(), 1).unwrap(),
        ),
        ("without-a-suffix", gz(&tar(&files))),
    ] {
        lab.write(name, content);
        let ran = lab.run(["info", name]).expect(3);
        assert_eq!(ran.out.lines().count(), 3, "{}{}", ran.out, ran.err);
        assert!(
            ran.err.contains(&format!("{name}:sub/old.cbv: an archive")),
            "{}",
            ran.err
        );
        for inner in ["one.pgn", "sub/base.si4", "sub/base.sg4", "sub/base", &long] {
            let listed = lab.run(["ls", &format!("{name}:{inner}")]).expect(0).out;
            assert_eq!(listed.lines().count(), 3, "{name}:{inner}");
        }
        let ran = lab
            .run(["convert", "--force", name, "out", "-t", "pgn"])
            .expect(3);
        assert!(ran.err.contains("9 games"), "{}", ran.err);
        assert!(lab.path("out/one.pgn").exists() && lab.path("out/sub/base.pgn").exists());
        lab.run(["ls", &format!("{name}:nothing.pgn")]).expect(3);
    }
    lab.write("some.tar.xz", xz);
    assert_eq!(
        lab.run(["ls", "some.tar.xz"]).expect(0).out.lines().count(),
        3
    );
    // An archive found in a folder becomes a folder with its name.
    lab.write("coll/a.zip", zip(&files));
    lab.run(["convert", "coll", "into", "-t", "pgn"]).expect(3);
    assert!(
        lab.path("into/a/sub/base.pgn").exists(),
        "{:?}",
        lab.names()
    );
    // A truncated archive is not read silently as far as possible.
    let cut = tar(&files);
    lab.write("cut.tar", &cut[..cut.len() / 2]);
    lab.run(["info", "cut.tar"]).expect(3);
}

#[test]
fn what_is_packed_with_bzip2_and_xz_is_read() {
    let lab = Lab::empty();
    lab.write("bz.pgn.bz2", include_bytes!("packed/games.pgn.bz2"));
    lab.write("xz.pgn.xz", include_bytes!("packed/games.pgn.xz"));
    for name in ["bz.pgn.bz2", "xz.pgn.xz"] {
        assert_eq!(
            lab.run(["ls", name]).expect(0).out.lines().count(),
            3,
            "{name}"
        );
        let mut cut = lab.read(name);
        cut.truncate(cut.len() - 12);
        lab.write("cut", cut);
        // bzip2 has one block, of which nothing is readable.
        let code = if name.ends_with("bz2") { 1 } else { 0 };
        lab.run(["cat", "cut"]).expect(code);
        lab.run(["cat", "cut", "--strict"]).expect(3);
    }
}

#[test]
fn output_is_packed_by_its_suffix() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.si4", "plain.pgn"])
        .expect(0);
    for name in ["new.pgn.gz", "new.pgn.zst"] {
        lab.run(["convert", "-q", "games.si4", name]).expect(0);
        assert_ne!(lab.read(name)[0], b'[');
        lab.run(["diff", "plain.pgn", name]).expect(0);
        assert_eq!(lab.run(["cat", name]).expect(0).out, lab.text("plain.pgn"));
        let ran = lab.run(["convert", "-q", "games.si4", name]).expect(4);
        assert!(ran.err.contains("already exists"), "{}", ran.err);
    }
    // A strict conversion with losses leaves no file.
    lab.write("odd.pgn", "[White \"x\"]\n\n1. e4 e9 *\n");
    lab.run(["convert", "-q", "--strict", "odd.pgn", "odd2.pgn.gz"])
        .expect(1);
    assert!(!lab.path("odd2.pgn.gz").exists());
    let ran = lab.run(["convert", "games.pgn", "x.si4.gz"]).expect(2);
    assert!(
        ran.err
            .contains("only single-file formats can be written compressed"),
        "{}",
        ran.err
    );
}

/// The extension before the compression extension is a hint; the content decides.
#[test]
fn a_packed_base_is_what_it_holds() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.pgn", "games.sqlite"])
        .expect(0);
    lab.write("games.pgn.gz", gz(&lab.read("games.sqlite")));
    let ran = lab.run(["info", "games.pgn.gz"]).expect(0);
    assert!(ran.out.contains("jose, SQLite"), "{}", ran.out);
    lab.write("index.pgn.gz", gz(&lab.read("games.si4")));
    lab.run(["info", "index.pgn.gz"]).expect(3);
    lab.write("base.si4.gz", gz(&lab.read("games.si4")));
    lab.run(["info", "base.si4.gz"]).expect(3);
    lab.write("text.sqlite.gz", gz(GAMES.as_bytes()));
    let ran = lab.run(["info", "text.sqlite.gz"]).expect(0);
    assert!(ran.out.contains("Portable Game Notation"), "{}", ran.out);
}

/// A folder is joined into one database of everything readable; the rest is reported.
#[test]
fn what_cannot_be_read_is_left_out_of_one_base_of_a_folder() {
    let lab = Lab::new();
    lab.write("coll/a.pgn", GAMES);
    lab.write("coll/b.si4", "Scid.si\0 and then nothing");
    lab.write("coll/c.sqlite", "no base of any format \0");
    lab.write("coll/d.pgn", GAMES);
    lab.write("coll/e.abk", "x");
    for command in [
        &["convert", "coll", "all.pgn"][..],
        &["merge", "coll", "once.pgn", "--dedupe"],
        &["split", "coll", "--by", "100", "-o", "parts"],
        &["names", "coll"],
        &["stats", "coll"],
    ] {
        let ran = lab.run(command).expect(3);
        for said in [
            "coll/b.si4: ",
            "coll/c.sqlite: ",
            "coll/e.abk: an Arena opening book",
        ] {
            assert!(ran.err.contains(said), "{command:?}: {said}\n{}", ran.err);
        }
        assert!(!ran.err.contains("coll/a.pgn: "), "{}", ran.err);
    }
    let twice = format!("{0}{0}", lab.run(["cat", "coll/a.pgn"]).expect(0).out);
    assert_eq!(lab.text("all.pgn"), twice);
    assert_eq!(lab.text("parts/000001.pgn"), twice);
    assert_eq!(lab.text("once.pgn").matches("[White ").count(), 3);
    lab.run(["dedupe", "coll", "--dry-run"]).expect(3);
    let json = lab
        .run(["convert", "--json", "--force", "coll", "all.pgn"])
        .expect(3)
        .json();
    let failed = json["conversions"].as_array().unwrap();
    let failed: Vec<_> = failed
        .iter()
        .filter(|one| one["error"].is_string())
        .collect();
    assert_eq!(failed.len(), 3, "{json}");
    // Not with --strict, not for databases that were named, and not if none is readable.
    for args in [
        &["convert", "--strict", "coll", "none.pgn"][..],
        &["convert", "--on-error", "stop", "coll", "none.pgn"],
        &["convert", "coll/a.pgn", "coll/b.si4", "none.pgn"],
    ] {
        let ran = lab.run(args).expect(3);
        let hints = ran.err.contains("omit --strict");
        assert_eq!(hints, args[1].starts_with("--"), "{}", ran.err);
        assert!(!lab.path("none.pgn").exists(), "{args:?}");
    }
    for name in ["a.pgn", "d.pgn"] {
        std::fs::remove_file(lab.path(&format!("coll/{name}"))).unwrap();
    }
    lab.run(["convert", "coll", "none.pgn"]).expect(3);
    assert!(!lab.path("none.pgn").exists());
}
