use super::*;

fn sum_of(role: Role, bytes: &[u8]) -> u32 {
    let part = |range: Range<u64>| &bytes[range.start as usize..range.end as usize];
    checksum(counted(role, bytes.len() as u64), &mut |range| {
        Ok(Cow::Borrowed(part(range)))
    })
    .unwrap()
}

/// The checksum of a changed file follows from the changes.
#[test]
fn checksum_follows_changes() {
    let mut random = 1_u32;
    let mut next = |limit: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % limit
    };
    for role in [Role("si4"), Role("sg4")] {
        let mut bytes: Vec<u8> = (0..1000).map(|_| next(256) as u8).collect();
        let mut sum = ChangedSum::new(role, 1000, sum_of(role, &bytes));
        for _ in 0..400 {
            match next(4) {
                0 => {
                    let more: Vec<u8> = (0..next(90)).map(|_| next(256) as u8).collect();
                    bytes.extend(&more);
                    sum.append(crc32fast::hash(&more), more.len() as u64);
                }
                // The header stays.
                1 if bytes.len() > 400 => {
                    let tail = bytes.split_off(bytes.len() - next(100));
                    sum.cut(crc32fast::hash(&tail), tail.len() as u64);
                }
                _ => {
                    let offset = next(bytes.len());
                    let length = next(bytes.len() - offset + 1).min(300);
                    let new: Vec<u8> = (0..length).map(|_| next(256) as u8).collect();
                    sum.replace(offset as u64, &bytes[offset..offset + length], &new);
                    bytes[offset..offset + length].copy_from_slice(&new);
                }
            }
            assert_eq!(sum.sum(), sum_of(role, &bytes));
        }
    }
}

#[test]
fn checksum_follows_moved_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.pgn");
    let old: Vec<u8> = (0..3_000_000_u32)
        .map(|n| (n * 7 / 3 % 251) as u8)
        .collect();
    fs::write(&path, &old).unwrap();
    let splices: [(usize, usize, &[u8]); 4] = [
        (0, 3, b"longer"),
        (700, 90, b""),
        (700_000, 0, b"new"),
        (2_900_000, 5, b"12345"),
    ];
    let mut new = old.clone();
    let ranges = splices.map(|(offset, length, after)| ByteRange {
        offset: offset as u64,
        before: old[offset..offset + length].to_vec(),
        after: after.to_vec(),
    });
    for (offset, length, after) in splices.into_iter().rev() {
        new.splice(offset..offset + length, after.iter().copied());
    }
    let role = Role("pgn");
    for count in 0..=splices.len() {
        if count < splices.len() {
            // Only the first ranges.
            let mut some = old.clone();
            for (offset, length, after) in splices.iter().take(count).rev() {
                some.splice(*offset..offset + length, after.iter().copied());
            }
            let sum = spliced_sum(
                &path,
                sum_of(role, &old),
                some.len() as u64,
                &ranges[..count],
            );
            assert_eq!(sum.unwrap(), sum_of(role, &some), "{count}");
        }
    }
    let sum = spliced_sum(&path, sum_of(role, &old), new.len() as u64, &ranges).unwrap();
    assert_eq!(sum, sum_of(role, &new));
}

#[test]
fn stamps_on_disk_equal_those_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    for size in [0_usize, 100, 182, 5000, 300_000] {
        let path = folder.path().join("b.si4");
        let bytes: Vec<u8> = (0..size).map(|n| (n * 7 / 3 % 251) as u8).collect();
        fs::write(&path, &bytes).unwrap();
        let stamp = FileStamp::after_change(Role("si4"), &path, 7).unwrap();
        let mut part = |range: Range<u64>| {
            Ok(Cow::Borrowed(
                &bytes[range.start as usize..range.end as usize],
            ))
        };
        let counted = counted(Role("si4"), size as u64);
        assert_eq!(stamp.parts, parts(counted.clone(), &mut part).unwrap());
        assert_eq!(
            whole_of(Role("si4"), &path).unwrap(),
            checksum(counted, &mut part).unwrap()
        );
    }
}
