use super::*;

const ROOM: u64 = 10_000;

/// Returns a file of 1,300 bytes, and a change of three places that also appends to it.
fn sample(folder: &Path) -> (Vec<u8>, FileChange) {
    let old: Vec<u8> = (0..1300_u32).map(|n| (n % 251) as u8).collect();
    let target = folder.join("b.i");
    fs::write(&target, &old).unwrap();
    let patches = [
        (3, b"one".to_vec()),
        (510, b"across".to_vec()),
        (4, b"2".to_vec()),
    ];
    let tail = Tail::Inline(b"appended".to_vec());
    let change = FileChange::new(&target, 1300, tail, &patches, ROOM).unwrap();
    (old, change)
}

fn new_bytes(old: &[u8]) -> Vec<u8> {
    let mut new = old.to_vec();
    new[3..6].copy_from_slice(b"o2e");
    new[510..516].copy_from_slice(b"across");
    new.extend_from_slice(b"appended");
    new
}

#[test]
fn later_patches_win_and_ranges_end_at_sectors() {
    let folder = tempfile::tempdir().unwrap();
    let (old, change) = sample(folder.path());
    let ends: Vec<_> = change
        .ranges
        .iter()
        .map(|range| (range.offset, range.end()))
        .collect();
    assert_eq!(ends, [(0, 1300)]);
    assert_eq!((change.before, change.after), (1300, 1308));
    change.finish().unwrap();
    assert_eq!(fs::read(&change.target).unwrap(), new_bytes(&old));
    assert_eq!(change.look().unwrap(), ChangeState::Done);
    change.reversed().finish().unwrap();
    assert_eq!(fs::read(&change.target).unwrap(), old);
    assert!(
        FileChange::new(
            &change.target,
            1300,
            Tail::Inline(vec![]),
            &[(1299, vec![1; 2])],
            ROOM
        )
        .is_err()
    );
}

/// Each piece of the file may be old, new or, where something is written, lost.
#[test]
fn every_mixture_of_old_new_and_damaged_sectors_is_completed() {
    let folder = tempfile::tempdir().unwrap();
    let (old, change) = sample(folder.path());
    let new = new_bytes(&old);
    for mixture in 0..4_u32.pow(3) {
        for length in [1300, 1303, 1308] {
            let mut bytes = new.clone();
            for (n, sector) in bytes.chunks_mut(512).enumerate() {
                let start = n * 512;
                match mixture >> (2 * n) & 3 {
                    0 => {}
                    1 if n < 2 => {
                        let count = sector.len();
                        sector.copy_from_slice(&old[start..start + count]);
                    }
                    1 => sector[..276].copy_from_slice(&old[1024..]),
                    2 => sector.fill(0),
                    _ => sector.iter_mut().for_each(|byte| *byte ^= 0xA5),
                }
            }
            bytes.truncate(length);
            for next in [&change, &change.reversed()] {
                fs::write(&change.target, &bytes).unwrap();
                assert_ne!(
                    next.look().unwrap(),
                    ChangeState::Other,
                    "{mixture} {length}"
                );
                next.finish().unwrap();
                let wanted = if next.after == 1308 { &new } else { &old };
                assert!(
                    &fs::read(&change.target).unwrap() == wanted,
                    "{mixture} {length}"
                );
            }
        }
    }
}

#[test]
fn change_beyond_the_room_of_a_journal_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (_, change) = sample(folder.path());
    // Three sectors, of which the last has 276 bytes, once old and once new.
    let bytes = 8 + 2 * 1300 + 12;
    assert_eq!(change.journal_bytes(), bytes);
    let with_room = |room| {
        let tail = Tail::Inline(b"appended".to_vec());
        FileChange::new(&change.target, 1300, tail, &[(3, vec![1])], room)
    };
    assert!(with_room(2048).is_ok());
    assert!(with_room(2047).is_err());
}

#[test]
fn bytes_of_other_programs_stay() {
    let folder = tempfile::tempdir().unwrap();
    let (old, change) = sample(folder.path());
    let mut bytes = old.clone();
    for place in [0, 4, 600] {
        bytes[place] = 0xEE;
    }
    fs::write(&change.target, &bytes).unwrap();
    change.finish().unwrap();
    let mut wanted = new_bytes(&old);
    for place in [0, 4, 600] {
        wanted[place] = 0xEE;
    }
    assert_eq!(fs::read(&change.target).unwrap(), wanted);
    let more = [&new_bytes(&old)[..], b"more"].concat();
    for (bytes, state) in [
        (&more[..], ChangeState::Done),
        (&[&old[..], b"something else"].concat(), ChangeState::Other),
        (&old[..1299], ChangeState::Other),
    ] {
        fs::write(&change.target, bytes).unwrap();
        assert_eq!(change.look().unwrap(), state);
    }
    fs::remove_file(&change.target).unwrap();
    assert_eq!(change.look().unwrap(), ChangeState::Other);
}
