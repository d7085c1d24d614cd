use super::*;

const INDEX: Role = Role("idx");
const GAMES: Role = Role("dat");

fn base() -> MemorySet {
    let mut base = MemorySet::new();
    base.insert(INDEX, *b"headAABBCCDD");
    base.insert(GAMES, *b"moves");
    base
}

fn names(variants: &[Variant<'_>]) -> Vec<String> {
    variants
        .iter()
        .map(|variant| variant.name.clone())
        .collect()
}

#[test]
fn truncations_are_all_shorter_lengths() {
    let base = base();
    let cuts: Vec<_> = Corruptor::new(&base, 1).truncations(GAMES).collect();
    assert_eq!(names(&cuts)[3], "dat: cut to 3 bytes");
    for (length, cut) in cuts.iter().enumerate() {
        assert_eq!(cut.get(GAMES), Some(&b"moves"[..length]));
        assert_eq!(cut.get(INDEX), base.get(INDEX));
    }
    assert_eq!(cuts.len(), 5);
    let some: Vec<_> = Corruptor::new(&base, 1)
        .some_truncations(INDEX, 3, 4)
        .collect();
    assert_eq!(some.len(), 7);
    assert!(
        some[3..]
            .iter()
            .all(|cut| (3..12).contains(&cut.get(INDEX).unwrap().len()))
    );
    assert_eq!(
        Corruptor::new(&base, 1)
            .some_truncations(GAMES, 99, 4)
            .count(),
        5
    );
}

#[test]
fn flips_change_one_bit() {
    let base = base();
    let flips: Vec<_> = Corruptor::new(&base, 1).bit_flips(INDEX, 2, 3).collect();
    assert_eq!(flips.len(), 16 + 3);
    for flip in &flips {
        let pairs = flip
            .get(INDEX)
            .unwrap()
            .iter()
            .zip(base.get(INDEX).unwrap());
        assert_eq!(
            pairs.map(|(a, b)| (a ^ b).count_ones()).sum::<u32>(),
            1,
            "{}",
            flip.name
        );
    }
    assert_eq!(flips[9].get(INDEX).unwrap()[1], b'e' ^ 2);
}

#[test]
fn the_same_seed_gives_the_same_noise() {
    let base = base();
    let noise = |seed| {
        Corruptor::new(&base, seed)
            .noise(GAMES, 9)
            .map(|v| v.get(GAMES).unwrap().to_vec())
            .collect::<Vec<_>>()
    };
    assert_eq!(noise(7), noise(7));
    assert_ne!(noise(7), noise(8));
}

#[test]
fn extremes_reach_every_width_and_order() {
    let base = base();
    let all: Vec<_> = Corruptor::new(&base, 1).extremes(GAMES, 1..4).collect();
    let has = |bytes: &[u8]| all.iter().any(|v| v.get(GAMES) == Some(bytes));
    assert!(has(b"m\xFFves") && has(b"m\xFF\xFF\xFFs") && has(b"m\x80\x00\x00s"));
    assert!(has(b"m\x00\x00\x01s") && has(b"m\x01\x00\x00s") && has(b"mo\x7F\xFFs"));
    assert!(all.iter().all(|v| v.get(GAMES).unwrap().ends_with(b"s")));
}

#[test]
fn whole_records_are_exchanged_and_repeated() {
    let base = base();
    let records = Records { start: 4, size: 2 };
    let corruptor = Corruptor::new(&base, 1);
    for swap in corruptor.swapped_records(INDEX, records, 20) {
        let bytes = swap.get(INDEX).unwrap();
        assert_eq!(bytes.len(), 12);
        let mut chunks: Vec<_> = bytes[4..].chunks(2).collect();
        assert_ne!(chunks, [b"AA", b"BB", b"CC", b"DD"]);
        chunks.sort_unstable();
        assert_eq!(chunks, [b"AA", b"BB", b"CC", b"DD"]);
    }
    for twice in corruptor.repeated_records(INDEX, records, 20) {
        let mut chunks: Vec<_> = twice.get(INDEX).unwrap()[4..].chunks(2).collect();
        chunks.sort_unstable();
        chunks.dedup();
        assert_eq!(chunks.len(), 3, "{}", twice.name);
    }
    for exchanged in corruptor.exchanged_fields(INDEX, records, 1..2, 20) {
        let bytes = exchanged.get(INDEX).unwrap();
        let firsts: Vec<_> = bytes[4..].iter().step_by(2).collect();
        assert_eq!(firsts, b"ABCD".iter().collect::<Vec<_>>());
        let changed = bytes[4..].chunks(2).filter(|pair| pair[0] != pair[1]);
        assert_eq!(changed.count(), 2, "{}", exchanged.name);
    }
    let shifted: Vec<_> = corruptor.shifted_records(INDEX, records, 1).collect();
    assert_eq!(shifted[0].get(INDEX).unwrap().len(), 10);
    assert_eq!(shifted[1].get(INDEX).unwrap().len(), 14);
    assert_eq!(corruptor.swapped_records(GAMES, records, 20).count(), 0);
}

#[test]
fn whole_files_are_removed_emptied_and_swapped() {
    let base = base();
    let variants: Vec<_> = Corruptor::new(&base, 1).whole_files().collect();
    let find = |name: &str| variants.iter().find(|v| v.name == name).unwrap();
    assert_eq!(find("idx missing").get(INDEX), None);
    assert_eq!(find("idx empty").get(INDEX), Some(&[][..]));
    assert_eq!(find("dat in place of idx").get(INDEX), Some(&b"moves"[..]));
    assert_eq!(
        find("dat with bytes appended").get(GAMES).unwrap().len(),
        69
    );
    assert_eq!(variants.len(), 8);
    let usual = Corruptor::new(&base, 1).usual(4, 2).count();
    assert!(usual > 200 / one_of(3), "{usual}");
}
