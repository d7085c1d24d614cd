use super::super::journal::JournalEntry;
use super::*;

fn journal(main: &Path) -> Journal {
    let range = |offset, before: &[u8], after: &[u8]| ByteRange {
        offset,
        before: before.to_vec(),
        after: after.to_vec(),
    };
    let command = |command: &str, games| RecordedCommand {
        time: UNIX_EPOCH + std::time::Duration::from_secs(1_764_425_212),
        games,
        command: command.to_owned(),
    };
    Journal {
        main: main.to_owned(),
        entries: vec![JournalEntry {
            target: main.with_extension("sn4"),
            old: Some(Fingerprint::new(b"names")),
            new: Some(Fingerprint::new(b"more names")),
        }],
        changes: vec![
            FileChange {
                target: main.with_extension("sg4"),
                before: 700,
                after: 705,
                tail: Tail::Inline(b"moves".to_vec()),
                ranges: Vec::new(),
            },
            FileChange {
                target: main.to_owned(),
                before: 2000,
                after: 1000,
                tail: Tail::Hidden(Fingerprint::new(b"entries")),
                ranges: vec![range(0, b"abc", b"abd"), range(512, b"\nx", b"y\n")],
            },
            FileChange {
                target: main.with_extension("pgn"),
                before: 2000,
                after: 1999,
                tail: Tail::Moved,
                ranges: vec![range(5, b"", b"ab"), range(1997, b"abc", b"")],
            },
        ],
        kept: Some(KeptState {
            log: ChangeLog {
                commands: vec![
                    command("tag --set Site=R\u{ed}ga", Some(12)),
                    command("", None),
                ],
            },
            soundness: Soundness {
                is_sound: true,
                others: vec![OtherFile::read(&main.with_extension("si5"))],
            },
            is_reversed: false,
        }),
    }
}

fn parse_file(main: &Path, bytes: &[u8]) -> Option<(State, Journal)> {
    fs::write(path(main), bytes).unwrap();
    read(main).unwrap()
}

#[test]
fn journal_round_trips_in_each_state_and_rejects_damage() {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("b%s.si4");
    let journal = journal(&main);
    let kept = journal.kept.clone().unwrap();
    let times = vec![0; journal.targets().count()];
    let bytes = journal.kept_bytes(&kept, State::Pending, &times).unwrap();
    assert_eq!(
        parse_file(&main, &bytes),
        Some((State::Pending, journal.clone()))
    );
    assert_eq!(read_unfinished(&main).unwrap(), Some(journal.clone()));
    journal.note_completion(false).unwrap();
    assert_eq!(read(&main).unwrap(), Some((State::Done, journal.clone())));
    assert_eq!(read_unfinished(&main).unwrap(), None);
    note_state(&main, State::Undoing).unwrap();
    assert_eq!(read_unfinished(&main).unwrap(), Some(journal.reversed()));
    assert_eq!(journal.reversed().reversed(), journal);
    let lines: Vec<&[u8]> = bytes.splitn(3, |byte| *byte == b'\n').collect();
    let checked = bytes.len() - lines[2].len();
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        let read = parse_file(&main, &damaged);
        // The noted times have no checksum.
        assert!(place < checked || read.is_none(), "byte {place}");
        assert_eq!(parse_file(&main, &bytes[..place]), None, "cut at {place}");
    }
}
