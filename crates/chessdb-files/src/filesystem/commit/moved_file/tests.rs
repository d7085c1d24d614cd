use super::*;
use chessdb_core::files::ByteRange;

const LENGTH: usize = 3 << 20;

/// A range of a file by start and end, and its new bytes.
type Splice<'a> = (usize, usize, &'a [u8]);

fn old_bytes() -> Vec<u8> {
    (0..LENGTH as u32).map(|n| (n % 251) as u8).collect()
}

/// Returns the change of these ranges (start, end, new bytes), and the new bytes of the file.
fn changed(target: &Path, splices: &[Splice<'_>]) -> (FileChange, Vec<u8>) {
    let old = old_bytes();
    fs::write(target, &old).unwrap();
    let mut new = old.clone();
    for (start, end, bytes) in splices.iter().rev() {
        new.splice(*start..*end, bytes.iter().copied());
    }
    let ranges = splices.iter().map(|(start, end, bytes)| ByteRange {
        offset: *start as u64,
        before: old[*start..*end].to_vec(),
        after: bytes.to_vec(),
    });
    let change = FileChange::splicing(target, LENGTH as u64, ranges.collect(), u64::MAX).unwrap();
    (change, new)
}

/// Changes of equal length, at the end, at the start, and several together: each is done, undone and
/// repeated, from every state of the files that a stop can leave.
#[test]
fn each_change_is_done_undone_and_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("b.pgn");
    let end = LENGTH;
    let cases: &[(&[Splice<'_>], bool)] = &[
        (&[(0, 3, b"new")], false),
        (
            &[(10, 11, b"x"), (700, 705, b"equal"), (end - 1, end, b"y")],
            false,
        ),
        (&[(end - 9, end - 4, b"longer than before")], false),
        (&[(end - 900, end - 4, b"shorter")], false),
        (&[(end - 1100, end, b"")], false),
        (&[(end, end, b"appended")], false),
        (
            &[
                (5, 6, b"a"),
                (end - 2000, end - 1000, b""),
                (end - 3, end - 2, b"zz"),
            ],
            false,
        ),
        (&[(0, 0, b"inserted")], true),
        (&[(0, 4, b""), (2000, 2000, b"four")], true),
        (
            &[
                (512, 1024, b""),
                (LENGTH / 2, LENGTH / 2, b"m"),
                (end - 1, end, b"end"),
            ],
            true,
        ),
        (&[(1, 2, &[7; 100_000]), (100, 200, b"x")], true),
    ];
    for (n, (splices, is_moved)) in cases.iter().enumerate() {
        let (change, new) = changed(&target, splices);
        let old = old_bytes();
        assert_eq!(change.is_moved(), *is_moved, "{n}");
        let back = change.reversed();
        assert_eq!(back.reversed(), change, "{n}");
        for (step, bytes) in [
            (&change, &new),
            (&back, &old),
            (&change, &new),
            (&back, &old),
        ] {
            assert_eq!(step.look().unwrap(), ChangeState::Possible, "{n}");
            step.prepare().unwrap();
            step.finish().unwrap();
            assert!(&fs::read(&target).unwrap() == bytes, "{n}");
            assert!(step.is_exact().unwrap(), "{n}");
            // A second run, after a stop before the note of completion. Of a moved file
            // a prepared one may remain.
            for remains in [false, *is_moved] {
                if remains {
                    fs::write(hidden(&target, WRITING), bytes).unwrap();
                    assert_eq!(step.look().unwrap(), ChangeState::Done, "{n}");
                }
                step.finish().unwrap();
            }
            assert!(&fs::read(&target).unwrap() == bytes, "{n}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{n}");
        }
        // Without the hidden file, the ranges are enough.
        change.finish().unwrap();
        assert!(fs::read(&target).unwrap() == new, "{n}");
        let appended = [&new[..], b"of another program"].concat();
        fs::write(&target, &appended).unwrap();
        // With a length between both, the file may still be cut.
        if appended.len() > LENGTH {
            assert_eq!(change.look().unwrap(), ChangeState::Done, "{n}");
        }
        assert!(!change.is_exact().unwrap(), "{n}");
    }
}

#[test]
fn a_file_of_another_program_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("b.pgn");
    let (change, _) = changed(&target, &[(100, 104, b"longer")]);
    change.prepare().unwrap();
    for other in [
        &b"short"[..],
        &[1; LENGTH],
        &[1; LENGTH + 2],
        &[1; LENGTH + 9],
    ] {
        fs::write(&target, other).unwrap();
        assert_eq!(change.look().unwrap(), ChangeState::Other);
        assert!(change.finish().is_err());
        assert!(fs::read(&target).unwrap() == other);
    }
}

#[test]
fn many_near_ranges_are_copied_with_the_bytes_between_them() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("b.pgn");
    let splices: Vec<(usize, usize, &[u8])> = (0..900)
        .map(|n| (n * 3000, n * 3000 + n % 7, &b"0123456789"[..n % 10]))
        .collect();
    let (change, new) = changed(&target, &splices);
    change.prepare().unwrap();
    change.finish().unwrap();
    assert!(fs::read(&target).unwrap() == new);
    change.reversed().finish().unwrap();
    assert!(fs::read(&target).unwrap() == old_bytes());
}
