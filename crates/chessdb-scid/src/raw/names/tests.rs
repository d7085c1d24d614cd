//! Tests of the name file.
use proptest::prelude::*;

use super::*;

fn file(lists: [Vec<(u32, u32, Vec<u8>)>; 4], wide: [u32; 4]) -> NameFile {
    let mut file = NameFile::default();
    for (n, names) in lists.into_iter().enumerate() {
        file.file_header.counts[n] = names.len() as u32;
        file.file_header.max_frequencies[n] = wide[n];
        for (id, frequency, name) in names {
            assert!(file.lists[n].push(id, frequency, &name));
        }
    }
    file
}

fn names() -> impl Strategy<Value = Vec<(u32, u32, Vec<u8>)>> {
    let name = (
        any::<u16>(),
        any::<u8>(),
        prop::collection::vec(97u8..100, 0..6),
    );
    let name = name.prop_map(|(id, frequency, name)| (id.into(), frequency.into(), name));
    prop::collection::vec(name, 0..9)
}

proptest! {
    #[test]
    fn a_written_file_is_read_again(lists in prop::array::uniform4(names()),
                                    wide in prop::array::uniform4(0u32..1 << 24)) {
        let file = file(lists, wide);
        let bytes = file.to_bytes();
        let (back, fault) = NameFile::parse(&bytes).unwrap();
        prop_assert!(fault.is_none());
        prop_assert_eq!(back.to_bytes(), bytes);
        prop_assert_eq!(back, file);
    }

    #[test]
    fn every_byte_comes_back(counts in prop::array::uniform4(0u8..4),
                             wide in prop::array::uniform4(0u8..2),
                             rest in prop::collection::vec(0u8..9, 0..200)) {
        let mut bytes = NameHeader::MAGIC.to_vec();
        bytes.extend_from_slice(&[1, 2, 3, 4]);
        bytes.extend(counts.iter().flat_map(|&n| [0, 0, n]));
        bytes.extend(wide.iter().flat_map(|&n| [0, n, 9]));
        bytes.extend_from_slice(&rest);
        let (file, _) = NameFile::parse(&bytes).unwrap();
        prop_assert_eq!(file.to_bytes(), bytes);
    }
}

#[test]
fn names_are_sorted_as_scid_sorts_them() {
    let sorted: Vec<Vec<u8>> = [
        "", "?", "Café", "Caf", "Caf é", "Cafa", "Cafz", "Zz", "aa", "Éa", "Ébc",
    ]
    .map(|name| name.as_bytes().to_vec())
    .to_vec();
    let mut names = sorted.clone();
    names.reverse();
    names.sort_by(|a, b| compare_names(a, b));
    assert_eq!(names, sorted);
}

#[test]
#[cfg_attr(miri, ignore = "seventy thousand names")]
fn numbers_get_wider_with_their_lists() {
    let many = (0..70_001).map(|id| (id, 1, b"x".to_vec())).collect();
    let wide = file(
        [many, vec![(0, 70_000, b"e".to_vec())], vec![], vec![]],
        [1, 70_000, 0, 0],
    );
    let (back, fault) = NameFile::parse(&wide.to_bytes()).unwrap();
    assert!(fault.is_none());
    assert_eq!(back, wide);
    assert_eq!(back.lists[0].records()[70_000].id, 70_000);
    assert_eq!(back.lists[1].records()[0].frequency, 70_000);
}

#[test]
fn faults_have_offsets_and_keep_earlier_names() {
    let good = file(
        [
            vec![(0, 1, b"Able, Ann".to_vec()), (1, 1, b"Able, Bob".to_vec())],
            vec![],
            vec![],
            vec![],
        ],
        [1; 4],
    );
    let bytes = good.to_bytes();
    for len in NameHeader::SIZE..bytes.len() {
        let (file, fault) = NameFile::parse(&bytes[..len]).unwrap();
        let at = fault.unwrap().location().offset.unwrap();
        assert!(at <= len as u64);
        assert_eq!(file.to_bytes(), &bytes[..len]);
    }
    let mut shared = bytes.clone();
    let prefix = shared.len() - 4;
    assert_eq!(shared[prefix], 6);
    shared[prefix] = 10;
    let (file, fault) = NameFile::parse(&shared).unwrap();
    assert!(fault.is_some());
    assert_eq!(file.lists[0].records().len(), 1);
    assert_eq!(file.to_bytes(), shared);
}
