//! Tests of `dump --raw`: every byte of every file occurs exactly once.

use std::collections::BTreeMap;
use std::fs;

use crate::common::Lab;

/// Returns the bytes of each file in the order of the map.
fn files(map: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut here = None;
    for line in map.lines().filter(|line| !line.is_empty()) {
        if let Some((role, _)) = line.split_once(" file, ") {
            here = Some(role.to_owned());
            continue;
        }
        let bytes: &mut Vec<u8> = files.entry(here.clone().unwrap()).or_default();
        let offset = usize::from_str_radix(&line[..8], 16).unwrap();
        assert_eq!(offset, bytes.len(), "{line}");
        let hex = line[11..11 + 48].split_whitespace();
        bytes.extend(hex.map(|byte| u8::from_str_radix(byte, 16).unwrap()));
    }
    files
}

#[test]
fn every_byte_of_every_format_is_shown_once() {
    let lab = Lab::new();
    for (name, roles, parts) in [
        (
            "a.si4",
            &["si4", "sg4", "sn4"][..],
            &["game 2: record at ", "\"Tal, Mihail\""][..],
        ),
        (
            "b.cbi",
            &["cbi", "cbf"],
            &["games and one: 4", "players, enciphered"],
        ),
        (
            "c.dci",
            &["dci", "dcn", "dcs", "dce", "dcg"],
            &["game 3: status ", "\"Tal, Mihail\""],
        ),
        (
            "d.cdp",
            &["cdp", "d00", "a02", "d02", "emb"],
            &["a variation begins", "outcome: 2"],
        ),
        ("e.fbk", &["fbk"], &["e2e4"]),
        (
            "games.pgn",
            &["pgn"],
            &["no byte map is available for this format"],
        ),
    ] {
        if name != "games.pgn" {
            lab.run(["convert", "-q", "games.pgn", name]).expect(0);
        }
        let map = lab.run(["dump", "--raw", name]).expect(0).out;
        for part in parts {
            assert!(map.contains(part), "{name}: {part}\n{map}");
        }
        let found = files(&map);
        assert_eq!(found.len(), roles.len(), "{name}");
        for role in roles {
            let path = lab.path(name).with_extension(role);
            assert_eq!(found[*role], fs::read(path).unwrap(), "{name} {role}");
        }
        if name != "games.pgn" {
            // Every byte that the project itself writes is explained, except undocumented fields.
            let odd = map
                .lines()
                .filter(|line| line.as_bytes().get(9) == Some(&b'*'));
            let most = usize::from(name.starts_with('d'));
            assert!(odd.count() <= most, "{name}\n{map}");
        }
    }
}

#[test]
fn what_is_damaged_is_shown_too() {
    let lab = Lab::new();
    for (name, file) in [
        ("a.si4", "a.si4"),
        ("c.dci", "c.dci"),
        ("d.cdp", "d.d02"),
        ("b.cbi", "b.cbf"),
    ] {
        lab.run(["convert", "-q", "games.pgn", name]).expect(0);
        let mut bytes = fs::read(lab.path(file)).unwrap();
        bytes.truncate(bytes.len() - 7);
        bytes[3] ^= 0x55;
        fs::write(lab.path(file), &bytes).unwrap();
        let format = lab
            .path(name)
            .extension()
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        let id = match format.as_str() {
            "cbi" => "cbf",
            "dci" => "dcx",
            "cdp" => "ca",
            other => other,
        };
        let map = lab.run(["dump", "--raw", "-f", id, name]).expect(0).out;
        let role = lab
            .path(file)
            .extension()
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        assert_eq!(files(&map)[&role], bytes, "{name}");
    }
}

#[test]
fn raw_is_what_a_dump_is() {
    let lab = Lab::new();
    let [said, unsaid] = [&["dump", "--raw", "games.si4"][..], &["dump", "games.si4"]];
    assert_eq!(lab.run(said).expect(0).out, lab.run(unsaid).expect(0).out);
    lab.run(["dump", "--raw", "nothing.si4"]).expect(3);
}
