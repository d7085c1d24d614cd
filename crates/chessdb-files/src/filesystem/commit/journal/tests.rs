use super::*;

fn seal(bytes: u64, crc: u32) -> Option<Fingerprint> {
    Some(Fingerprint { bytes, crc })
}

fn journal() -> Journal {
    let main = PathBuf::from("folder/b%s ü.si4");
    let entry = |name: &str, old, new| JournalEntry {
        target: main.with_file_name(name),
        old,
        new,
    };
    let entries = vec![
        entry("b%s ü.sg4", seal(5, 6), seal(u64::MAX, u32::MAX)),
        entry("B%S Ü.SN4", None, seal(0, 0)),
        entry("b%s ü.si4", seal(1, 0xabc), None),
    ];
    Journal {
        main,
        entries,
        changes: Vec::new(),
        kept: None,
    }
}

#[test]
fn journal_round_trips_and_rejects_changes() {
    let journal = journal();
    let text = journal.text().unwrap();
    assert_eq!(Journal::parse(&journal.main, &text).unwrap(), journal);
    assert_eq!(main_of(&journal.path(), JOURNAL).unwrap(), journal.main);
    for end in 0..text.len() {
        if let Some(start) = text.get(..end) {
            assert_eq!(Journal::parse(&journal.main, start), None, "cut at {end}");
        }
    }
    for place in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[place] ^= 1;
        let Ok(changed) = String::from_utf8(bytes) else {
            continue;
        };
        // An upper-case digit in the checksum of the last line does not change the meaning.
        let read = Journal::parse(&journal.main, &changed);
        assert!(read.is_none_or(|read| read == journal), "{changed}");
    }
}

#[test]
fn journal_rejects_files_of_other_databases() {
    let text = |name: &str| {
        let text = format!("{FIRST_LINE}\n1:2 - {name}\n");
        let crc = crc32fast::hash(text.as_bytes());
        format!("{text}end {crc:08x}\n")
    };
    let main = Path::new("folder/base.si4");
    let read = |name| Journal::parse(main, &text(name));
    assert!(read("base.sg4").is_some() && read("BASE.x").is_some());
    for name in [
        "other.si4",
        "../base.si4",
        "/base.si4",
        "base.d%2fbase.si4",
        "..",
        "",
        "%zz",
    ] {
        assert_eq!(read(name), None, "{name}");
    }
}

#[test]
fn journal_applies_to_files_of_its_stem() {
    let journal = journal();
    for name in ["b%s ü", "B%s ü.si4", "b%s ü.sn4"] {
        assert!(journal.concerns(OsStr::new(name)), "{name}");
    }
    for name in ["b%s ü.pgn", "b%s", ".b%s ü.si4"] {
        assert!(!journal.concerns(OsStr::new(name)), "{name}");
    }
    assert_eq!(main_of(Path::new("x/.chessdb-journal"), JOURNAL), None);
    assert_eq!(main_of(Path::new("x/a.chessdb-journal"), JOURNAL), None);
}
