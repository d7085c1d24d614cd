use super::*;

fn file(names: &[&str], frequency: u32) -> Vec<u8> {
    let mut file = NameFile::default();
    let mut sorted: Vec<(usize, &&str)> = names.iter().enumerate().collect();
    sorted.sort_by(|(_, a), (_, b)| compare_names(a.as_bytes(), b.as_bytes()));
    for (id, name) in sorted {
        file.lists[1].push(id as u32, frequency, name.as_bytes());
    }
    file.file_header.counts[1] = names.len() as u32;
    file.file_header.max_frequencies[1] = frequency;
    file.to_bytes()
}

fn apply(old: &[u8], changed: ChangedNames) -> NameFile {
    let bytes = match changed {
        ChangedNames::Whole(bytes) => bytes,
        ChangedNames::Appended(bytes) => [old, &bytes].concat(),
        ChangedNames::Patches(patches) => {
            let mut bytes = old.to_vec();
            for (offset, patch) in patches {
                bytes[offset as usize..][..patch.len()].copy_from_slice(&patch);
            }
            bytes
        }
    };
    let (file, fault) = NameFile::parse(&bytes).unwrap();
    assert!(fault.is_none());
    file
}

fn listed(file: &NameFile) -> Vec<(String, u32, u32)> {
    let list = &file.lists[1];
    let name = |record| String::from_utf8(list.name(record).to_vec()).unwrap();
    let records = list.records().iter();
    records
        .map(|record| (name(record), record.id, record.frequency))
        .collect()
}

#[test]
fn names_are_found_among_shared_prefixes() {
    let names = [
        "Tal",
        "Ta",
        "Tarrasch",
        "Tal Memorial",
        "",
        "\u{e9}t\u{e9}",
        "Talb",
        "T",
    ];
    let mut patches = NameChanges::of_lists(file(&names, 1)).unwrap().unwrap();
    for (id, name) in names.iter().enumerate() {
        assert_eq!(patches.find(1, name.as_bytes()), Some(id as u32), "{name}");
    }
    for absent in ["Talbot", "Tam", "A", "Tal M", "t"] {
        assert_eq!(patches.find(1, absent.as_bytes()), None, "{absent}");
    }
    assert_eq!(patches.find(0, b"Tal"), None);
    assert_eq!(patches.number(1, b"Tam", 9), Some(8));
    assert_eq!(
        (patches.number(1, b"Tam", 9), patches.number(1, b"Ta", 9)),
        (Some(8), Some(1))
    );
    assert_eq!(patches.number(1, b"Tan", 9), None);
}

#[test]
fn many_lookups_give_the_same_numbers() {
    let names: Vec<String> = (0..100)
        .map(|n| format!("Player {}", n * 7 % 100))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut log = Vec::new();
    for name in &names {
        NameRecord::new(NameKind::Event, name.as_bytes()).write(&mut log);
    }
    let of_lists = NameChanges::of_lists(file(&names, 1)).unwrap().unwrap();
    for mut changes in [of_lists, NameChanges::of_log(log).unwrap()] {
        for (id, name) in (0..).zip(&names) {
            let new = format!("New {name}");
            assert_eq!(changes.number(1, new.as_bytes(), 1000), Some(100 + id));
            assert_eq!(changes.number(1, name.as_bytes(), 1000), Some(id), "{name}");
            assert_eq!(changes.find(1, new.as_bytes()), Some(100 + id));
        }
        assert!(changes.lists[1].is_indexed && !changes.lists[0].is_indexed);
        assert_eq!(changes.counts_with_new(), [0, 200, 0, 0]);
    }
}

#[test]
fn frequencies_change_in_place_while_they_are_as_wide() {
    let old = file(&["A", "B"], 250);
    let mut patches = NameChanges::of_lists(old.clone()).unwrap().unwrap();
    patches.count(1, 0, 5);
    patches.count(1, 1, -300);
    let changed = patches.finish().unwrap().unwrap();
    assert!(matches!(changed, ChangedNames::Patches(_)));
    let file = apply(&old, changed);
    assert_eq!(file.file_header.max_frequencies[1], 255);
    assert_eq!(
        listed(&file),
        [("A".to_owned(), 0, 255), ("B".to_owned(), 1, 0)]
    );
    let mut patches = NameChanges::of_lists(old.clone()).unwrap().unwrap();
    patches.count(1, 0, 6);
    let changed = patches.finish().unwrap().unwrap();
    assert!(matches!(changed, ChangedNames::Whole(_)));
    assert_eq!(listed(&apply(&old, changed))[0].2, 256);
    assert!(
        NameChanges::of_lists(old)
            .unwrap()
            .unwrap()
            .finish()
            .unwrap()
            .is_none()
    );
}

#[test]
fn new_names_get_their_sorted_places() {
    let old = file(&["Berlin", "Amsterdam", "Zagreb"], 3);
    let mut patches = NameChanges::of_lists(old.clone()).unwrap().unwrap();
    for name in ["Riga", "Aachen", "Zwolle"] {
        let number = patches.number(1, name.as_bytes(), 100).unwrap();
        patches.count(1, number, 2);
    }
    let changed = patches.finish().unwrap().unwrap();
    let names = [
        "Aachen 4 2",
        "Amsterdam 1 3",
        "Berlin 0 3",
        "Riga 3 2",
        "Zagreb 2 3",
        "Zwolle 5 2",
    ];
    let listed = listed(&apply(&old, changed));
    let words: Vec<String> = listed
        .iter()
        .map(|(a, b, c)| format!("{a} {b} {c}"))
        .collect();
    assert_eq!(words, names);
}

#[test]
fn a_new_spelling_moves_to_its_sorted_place_with_its_number() {
    let old = file(&["Berlin", "Amsterdam", "Zagreb"], 3);
    let mut names = NameChanges::of_lists(old.clone()).unwrap().unwrap();
    assert!(!names.rename(1, b"Riga", b"Rome"), "there is no such name");
    assert!(!names.rename(1, b"Berlin", b"Zagreb"), "both are there");
    assert!(!names.rename(0, b"Berlin", b"Bonn"), "another list");
    assert!(names.finish().unwrap().is_none());
    let mut names = NameChanges::of_lists(old.clone()).unwrap().unwrap();
    assert!(names.rename(1, b"Berlin", b"Zwolle"));
    assert!(names.rename(1, b"Zagreb", b"Aachen"));
    let words = [(2, "Aachen"), (1, "Amsterdam"), (0, "Zwolle")];
    let expected = words.map(|(id, name)| (name.to_owned(), id, 3));
    assert_eq!(
        listed(&apply(&old, names.finish().unwrap().unwrap())),
        expected
    );
    let mut names = NameChanges::of_lists(old).unwrap().unwrap();
    assert!(names.rename(1, b"Berlin", b"Rome"));
    assert!(
        !names.rename(1, b"Zagreb", b"Rome"),
        "two names would be one"
    );
}

#[test]
fn a_new_spelling_keeps_its_place_in_a_log() {
    let mut bytes = Vec::new();
    for (kind, name) in [
        (NameKind::Site, "Riga"),
        (NameKind::Info, "type7"),
        (NameKind::Event, "Riga"),
        (NameKind::Site, "Tallinn"),
    ] {
        NameRecord::new(kind, name.as_bytes()).write(&mut bytes);
    }
    let mut names = NameChanges::of_log(bytes).unwrap();
    assert!(names.rename(2, b"Riga", b"Riga (Latvia)"));
    let Some(ChangedNames::Whole(bytes)) = names.finish().unwrap() else {
        panic!("the log is written again");
    };
    let mut log = Log::new(&bytes);
    let mut texts = Vec::new();
    while let Some(record) = log.read().unwrap() {
        texts.push(String::from_utf8(record.text.to_vec()).unwrap());
    }
    assert_eq!(texts, ["Riga (Latvia)", "type7", "Riga", "Tallinn"]);
}

#[test]
fn new_names_are_appended_to_a_log() {
    let mut bytes = Vec::new();
    for (kind, name) in [
        (NameKind::Site, "Riga"),
        (NameKind::Info, "type7"),
        (NameKind::Event, "Riga"),
    ] {
        NameRecord::new(kind, name.as_bytes()).write(&mut bytes);
    }
    let mut names = NameChanges::of_log(bytes.clone()).unwrap();
    assert_eq!(names.counts(), [0, 1, 1, 0]);
    assert_eq!(
        (names.number(1, b"Riga", 9), names.number(2, b"Riga", 9)),
        (Some(0), Some(0))
    );
    assert_eq!(
        (names.number(2, b"type7", 9), names.number(2, b"", 9)),
        (Some(1), Some(2))
    );
    let Some(ChangedNames::Appended(added)) = names.finish().unwrap() else {
        panic!("two names are new");
    };
    let mut names = NameChanges::of_log([bytes, added].concat()).unwrap();
    assert_eq!(
        (names.number(2, b"type7", 9), names.number(2, b"", 9)),
        (Some(1), Some(2))
    );
    assert!(names.finish().unwrap().is_none());
    assert!(NameChanges::of_log(vec![0x0D]).is_none());
}
