//! Tests of `dump --raw`: every byte of every file occurs exactly once.

use std::collections::BTreeMap;
use std::fs;

use chessdb::FORMATS;

use crate::common::Lab;

/// Returns the bytes of each file in the order of the map.
fn files(map: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut here = None;
    for line in map.lines().filter(|line| !line.is_empty()) {
        // The description of a byte may contain the same words.
        if let Some((role, _)) = line.split_once(" file, ")
            && !role.contains(' ')
        {
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

/// Texts that the map of a format contains.
const PARTS: &[(&str, &[&str])] = &[
    ("si4", &["game 2: record at ", "\"Tal, Mihail\""]),
    ("cbf", &["games and one: 4", "players, enciphered"]),
    ("dcx", &["game 3: status ", "\"Tal, Mihail\""]),
    ("ca", &["a variation begins", "outcome: 2"]),
    ("fbk", &["e2e4"]),
    ("pgn", &["no byte map is available for this format"]),
];

#[test]
fn every_byte_of_every_format_is_shown_once() {
    let lab = Lab::new();
    for format in FORMATS.iter().filter(|format| format.create.is_some()) {
        let main = format.roles[0].0;
        let name = match format.id {
            "pgn" => "games.pgn".to_owned(),
            id => format!("{id}.{main}"),
        };
        let name = name.as_str();
        let parts = PARTS.iter().find(|(id, _)| *id == format.id);
        let parts = parts.map_or(&[][..], |(_, parts)| parts);
        if format.id != "pgn" {
            let ran = lab.run(["convert", "-q", "games.pgn", name]);
            assert!(ran.code < 2, "{name}: {}", ran.err);
        }
        let map = lab.run(["dump", "--raw", name]).expect(0).out;
        for part in parts {
            assert!(map.contains(part), "{name}: {part}\n{map}");
        }
        let found = files(&map);
        let mut files = 0;
        for role in format.roles {
            let path = lab.path(name).with_extension(role.0);
            let Ok(bytes) = fs::read(path) else {
                continue;
            };
            assert_eq!(found[role.0], bytes, "{name} {role}");
            files += 1;
        }
        assert!(files > 0 && files == found.len(), "{name}");
        if format.dump.is_some() {
            // Every byte that the project itself writes is explained, except undocumented fields.
            let odd = map
                .lines()
                .filter(|line| line.as_bytes().get(9) == Some(&b'*'));
            let most = usize::from(format.id == "ca");
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
