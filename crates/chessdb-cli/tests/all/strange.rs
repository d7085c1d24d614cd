//! Tests of archives and folders from others: names that lead elsewhere, names with line breaks,
//! files with unknown names, duplicate names.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::common::{GAMES, Lab, symlink};

const GAME: &str = "[White \"A\"]\n\n1. e4 e5 2. Nf3 *\n";

/// Returns a zip archive of these members, in this order, with arbitrary names.
fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let offset = archive.len() as u32;
        let mut common = Vec::new();
        common.extend([20, 0, 0, 8, 0, 0, 0, 0, 0, 0]);
        common.extend(crc.sum().to_le_bytes());
        common.extend((content.len() as u32).to_le_bytes());
        common.extend((content.len() as u32).to_le_bytes());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0; 2]);
        archive.extend(b"PK\x03\x04");
        archive.extend(&common);
        archive.extend(name.as_bytes());
        archive.extend(*content);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, size, count) = (
        archive.len() as u32,
        directory.len() as u32,
        members.len() as u16,
    );
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend(count.to_le_bytes());
    archive.extend(count.to_le_bytes());
    archive.extend(size.to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0; 2]);
    archive
}

/// Returns a tar archive of these members; names have up to 100 bytes.
fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in members {
        let mut header = tar::Header::new_ustar();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        archive.append(&header, *content).unwrap();
    }
    archive.into_inner().unwrap()
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn cbv(members: &[(&str, &[u8])]) -> Vec<u8> {
    let members = members
        .iter()
        .map(|(name, content)| (name.as_bytes(), *content));
    chessdb::cbh::archive::pack(members, chessdb::cbh::archive::Packing::Smallest).unwrap()
}

/// Returns archives of all kinds with these members.
fn archives(members: &[(&str, &[u8])]) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("a.zip", zip(members)),
        ("a.tar", tar(members)),
        ("a.tar.gz", gz(&tar(members))),
        ("a.cbv", cbv(members)),
    ]
}

/// Returns every file below a folder, with its content.
fn all(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all(&path, found)
        } else {
            found.insert(path.clone(), fs::read(path).unwrap());
        }
    }
}

/// Returns the files of the lab that are not below `out`.
fn outside(lab: &Lab) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    all(&lab.path("."), &mut found);
    let out = lab.path("deep/in/out");
    found.retain(|path, _| !path.components().collect::<PathBuf>().starts_with(&out));
    found
}

#[test]
fn no_member_is_written_outside_the_target() {
    let lab = Lab::empty();
    let absolute = lab.path("victim.pgn").to_str().unwrap().to_owned();
    let names = [
        "ok.pgn",
        "../../victim.pgn",
        "../victim.pgn",
        "sub/../../../victim.pgn",
        "..\\..\\victim.pgn",
        "./dot.pgn",
        "sub/./dot.pgn",
        "sub//dot.pgn",
        "/etc/x.pgn",
        "\\\\server\\share\\x.pgn",
        "C:\\windows\\x.pgn",
        "C:x.pgn",
        "aux.pgn",
        "sub/NUL.pgn",
        "trailing. .pgn",
        "folder./x.pgn",
        "a:b.pgn",
        "line\nbreak.pgn",
        "\u{1b}[31m.pgn",
        absolute.as_str(),
    ];
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, GAME.as_bytes())).collect();
    for (name, archive) in archives(&members) {
        for victim in [
            "victim.pgn",
            "deep/victim.pgn",
            "deep/in/victim.pgn",
            "deep/victim.si4",
        ] {
            lab.write(victim, "another's");
        }
        lab.write("deep/in/a", archive.clone());
        lab.write(&format!("deep/in/{name}"), archive);
        let input = format!("deep/in/{name}");
        let before = outside(&lab);
        for args in [
            vec!["convert", &input, "deep/in/out/", "-t", "pgn"],
            vec!["convert", &input, "deep/in/out/", "-t", "si4", "--force"],
            vec![
                "convert",
                &input,
                "deep/in/out/",
                "-t",
                "pgn",
                "--force",
                "--texts",
                "deep/in/out/texts",
            ],
            vec!["salvage", &input, "deep/in/out/", "-t", "pgn", "--force"],
            vec![
                "split",
                &input,
                "--by",
                "player",
                "-o",
                "deep/in/out/split",
                "-t",
                "pgn",
            ],
        ] {
            let ran = lab.run(args.iter().copied());
            assert_eq!(ran.code, 0, "{name} {args:?}: {}", ran.err);
            assert!(!ran.err.contains('\u{1b}'), "{:?}", ran.err);
            assert_eq!(outside(&lab), before, "{name} {args:?}");
            if args[0] == "convert" {
                let said = format!("{} games", names.len());
                assert!(ran.err.contains(&said), "{name} {args:?}: {}", ran.err);
            }
        }
        let mut written = BTreeMap::new();
        all(&lab.path("deep/in/out"), &mut written);
        let pgn = written
            .keys()
            .filter(|path| path.extension().is_some_and(|suffix| suffix == "pgn"));
        let pgn: Vec<_> = pgn
            .filter(|path| !path.to_str().unwrap().contains("split"))
            .collect();
        assert_eq!(pgn.len(), names.len(), "{name}: {pgn:?}");
        fs::remove_dir_all(lab.path("deep")).unwrap();
    }
}

#[test]
fn a_link_does_not_lead_a_target_out_of_its_folder() {
    let lab = Lab::new();
    lab.write("in/sub/a.pgn", GAME);
    lab.write("in/b.pgn", GAME);
    lab.write("elsewhere/a.pgn", "another's");
    lab.write("elsewhere/b.sg4", "another's");
    fs::create_dir(lab.path("out")).unwrap();
    if !symlink(lab.path("elsewhere"), lab.path("out/sub"))
        || !symlink(lab.path("elsewhere/b.sg4"), lab.path("out/b.sg4"))
    {
        return;
    }
    for format in ["pgn", "si4"] {
        let ran = lab
            .run(["convert", "in", "out/", "-t", format, "--force"])
            .expect(4);
        assert!(ran.err.contains("leads out of out"), "{}", ran.err);
        lab.run(["salvage", "in", "out/", "-t", format, "--force"])
            .expect(4);
    }
    assert_eq!(lab.text("elsewhere/a.pgn"), "another's");
    assert_eq!(lab.text("elsewhere/b.sg4"), "another's");
    assert_eq!(fs::read_dir(lab.path("elsewhere")).unwrap().count(), 2);
    // A link within the folder, and a folder that is a link itself, are the user's intention.
    assert!(symlink(lab.path("elsewhere"), lab.path("linked")));
    lab.run(["convert", "in", "linked/", "-t", "pgn", "--force"])
        .expect(0);
}

/// Every line of output and messages is about one database, regardless of its name.
#[test]
fn names_do_not_break_lines() {
    let members: Vec<(&str, &[u8])> = vec![
        ("one\ntwo: 99 games.pgn", GAME.as_bytes()),
        ("\u{1b}[2Kred\u{202e}.pgn", GAME.as_bytes()),
        ("bad\r.si4", b"Scid.si\0 and then nothing"),
    ];
    let lab = Lab::empty();
    lab.write("a.zip", zip(&members));
    #[cfg(unix)]
    for (name, content) in &members {
        lab.write(&format!("folder/{name}"), *content);
    }
    let inputs: &[&str] = if cfg!(unix) { &["a.zip", "folder"] } else { &["a.zip"] };
    for input in inputs {
        for command in [
            &["info"][..],
            &["ls"],
            &["find", "-c"],
            &["check"],
            &["cat"],
            &["convert", "-t", "pgn"],
            &["stats"],
            &["dump"],
            &["diff", "a.zip"],
        ] {
            let mut args = command.to_vec();
            args.push(input);
            if command[0] == "convert" {
                args.extend(["out/", "--force"]);
            }
            let ran = lab.run(args.iter().copied());
            for text in [&ran.out, &ran.err] {
                let bad = |c: char| {
                    c.is_control() && !matches!(c, '\n' | '\t') || matches!(c, '\u{202e}')
                };
                assert!(!text.contains(bad), "{args:?}: {text:?}");
                assert!(
                    !text.lines().any(|line| line.starts_with("two: 99")),
                    "{args:?}: {text}"
                );
            }
        }
        let ran = lab.run(["info", input]).expect(3);
        assert_eq!(ran.out.lines().count(), 2, "{}", ran.out);
        assert!(ran.out.contains("one\\ntwo: 99 games.pgn"), "{}", ran.out);
    }
}

#[test]
fn members_of_one_name_are_all_read() {
    let games =
        ["one", "two", "three", "four"].map(|name| format!("[White \"{name}\"]\n\n1. e4 *\n"));
    let names = ["a.pgn", "a.pgn", "A.pgn", "A.PGN"];
    let members: Vec<(&str, &[u8])> = names
        .iter()
        .zip(&games)
        .map(|(name, game)| (*name, game.as_bytes()))
        .collect();
    let lab = Lab::empty();
    for (name, archive) in archives(&members) {
        lab.write(name, archive);
        let ran = lab.run(["ls", name]).expect(0);
        for white in ["one", "two", "three", "four"] {
            assert_eq!(
                ran.out.matches(&format!("\t{white}\t")).count(),
                1,
                "{name}: {}",
                ran.out
            );
        }
        assert!(
            ran.err.contains("a (2).pgn: called a.pgn in the archive"),
            "{name}: {}",
            ran.err
        );
        lab.run(["convert", name, "out/", "-t", "si4", "--force"])
            .expect(0);
        let ran = lab.run(["ls", "out"]).expect(0);
        assert_eq!(ran.out.lines().count(), 4, "{name}: {}", ran.out);
        let ran = lab
            .run(["convert", name, "all.pgn", "--force", "--strict"])
            .expect(0);
        assert_eq!(
            lab.text("all.pgn").matches("[White ").count(),
            4,
            "{}",
            ran.err
        );
        fs::remove_dir_all(lab.path("out")).unwrap();
    }
}

/// The treatment of a file in a folder or archive: read, reported, or ignored.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fate {
    Read,
    Named,
    Nothing,
}

fn kinds(lab: &Lab) -> Vec<(&'static str, Vec<u8>, Fate)> {
    use Fate::{Named, Nothing, Read};
    lab.run(["convert", "-q", "games.pgn", "games.sqlite"])
        .expect(0);
    lab.run(["convert", "-q", "games.pgn", "games.cdp"])
        .expect(0);
    let wide: Vec<u8> = GAME.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bz2 = include_bytes!("packed/games.pgn.bz2").to_vec();
    let xz = include_bytes!("packed/games.pgn.xz").to_vec();
    vec![
        ("a.pgn", GAME.into(), Read),
        ("OLDGAMES", GAME.into(), Read),
        ("lichess_pgn.pgn.txt", GAME.into(), Read),
        ("b.txt", GAME.into(), Read),
        ("c.bak", GAME.into(), Read),
        ("d.pgn~", GAME.into(), Read),
        (
            "bare.text",
            "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n".into(),
            Read,
        ),
        ("wide.txt", [b"\xFF\xFE".to_vec(), wide].concat(), Read),
        ("packed.pgn.gz", gz(GAME.as_bytes()), Read),
        ("packed.gz", gz(GAME.as_bytes()), Read),
        ("packed.bz2", bz2, Read),
        ("packed.xz", xz, Read),
        (
            "packed.zst",
            zstd::encode_all(GAME.as_bytes(), 1).unwrap(),
            Read,
        ),
        ("packed.download", gz(GAME.as_bytes()), Read),
        ("jose.data", lab.read("games.sqlite"), Read),
        ("ca.old", lab.read("games.cdp"), Named),
        ("index.old", lab.read("games.si4"), Named),
        ("x.ctg", b"x".to_vec(), Named),
        ("x.pgn.lz4", b"x".to_vec(), Named),
        ("notes.txt", "1. e4 is a good move".into(), Nothing),
        ("config", "[core]\n[remote \"origin\"]\n".into(), Nothing),
        ("picture.png", vec![0x89; 5000], Nothing),
        ("nothing", Vec::new(), Nothing),
        ("letter.gz", gz(b"Dear friend"), Nothing),
    ]
}

#[test]
fn every_file_that_looks_like_chess_is_read_or_named() {
    let lab = Lab::new();
    let kinds = kinds(&lab);
    let members: Vec<(&str, &[u8])> = kinds
        .iter()
        .map(|(name, content, _)| (*name, content.as_slice()))
        .collect();
    for (name, content) in &members {
        lab.write(&format!("folder/sub/{name}"), *content);
    }
    lab.write("a.zip", zip(&members));
    lab.write("a.tar", tar(&members));
    lab.write("a.tar.gz", gz(&tar(&members)));
    for input in ["folder", "a.zip", "a.tar", "a.tar.gz"] {
        let ran = lab.run(["info", input]).expect(3);
        for (name, _, fate) in &kinds {
            let end = |line: &&str| {
                let name = format!("{name} ");
                let at = line.find(&name);
                at.is_some_and(|at| line[..at].ends_with(['/', ':']))
            };
            let is_read = ran.out.lines().filter(end).count();
            assert_eq!(
                is_read == 1,
                *fate == Fate::Read,
                "{input}: {name}: {}{}",
                ran.out,
                ran.err
            );
            let is_named = ran.err.contains(&format!("{name}: "));
            assert_eq!(
                is_named,
                *fate == Fate::Named,
                "{input}: {name}: {}",
                ran.err
            );
        }
        // With --strict nothing is skipped.
        let ran = lab.run(["convert", input, "all.si4", "--strict"]).expect(3);
        assert!(ran.err.contains("omit --strict"), "{}", ran.err);
        assert!(!lab.path("all.si4").exists());
    }
}

/// Texts without a known extension are read, also if there are two of them.
#[test]
fn several_texts_are_read_as_one_is() {
    let lab = Lab::empty();
    for n in 1..=3 {
        let names: Vec<String> = (0..n).map(|n| format!("round-{n}")).collect();
        let members: Vec<(&str, &[u8])> = names
            .iter()
            .map(|name| (name.as_str(), GAME.as_bytes()))
            .collect();
        for (name, archive) in archives(&members) {
            lab.write(name, archive);
            let ran = lab.run(["ls", name]).expect(0);
            assert_eq!(ran.out.lines().count(), n, "{name}: {}{}", ran.out, ran.err);
        }
        for (name, content) in &members {
            lab.write(&format!("folder/{name}"), *content);
        }
        lab.run(["convert", "folder", "all.si4", "--strict", "--force"])
            .expect(0);
        assert_eq!(lab.run(["ls", "all.si4"]).expect(0).out.lines().count(), n);
    }
}

#[test]
fn links_to_nowhere_and_what_is_no_file_are_named() {
    let lab = Lab::new();
    lab.write("folder/a.pgn", GAMES);
    let databases = ["gone.pgn", "gone.zip", "gone.si4", "gone.pgn.gz"];
    // Dangling links as editors create them, and links of other programs.
    for name in databases.iter().chain(&[".#a.pgn", "link"]) {
        if !symlink(lab.path("nowhere"), lab.path(&format!("folder/{name}"))) {
            return;
        }
    }
    fs::create_dir(lab.path("folder/dir.pgn")).unwrap();
    #[cfg(unix)]
    let _socket = std::os::unix::net::UnixListener::bind(lab.path("folder/socket.pgn")).unwrap();
    let ran = lab.run(["ls", "folder"]).expect(3);
    assert_eq!(ran.out.lines().count(), 3);
    for name in databases {
        let said = format!("chessdb: folder/{name}: a link to a missing file\n");
        assert!(ran.err.contains(&said), "{}", ran.err);
    }
    let has_socket = ran.err.contains("folder/socket.pgn: not a regular file");
    assert_eq!(has_socket, cfg!(unix), "{}", ran.err);
    let unread = if cfg!(unix) { "5 of 6" } else { "4 of 5" };
    let sentence = format!("{unread} databases not read");
    assert!(ran.err.contains(&sentence), "{}", ran.err);
}
