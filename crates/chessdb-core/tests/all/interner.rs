//! Tests of the name interner.

use chessdb_core::format::Interner;
use proptest::prelude::*;

proptest! {
    /// Compares the interner with a list that is searched linearly.
    #[test]
    fn a_name_has_the_first_of_its_numbers(
        few_searches in any::<bool>(),
        asked in prop::collection::vec((0_u8..12, any::<bool>()), 0..80),
    ) {
        let mut names = if few_searches { Interner::for_few_searches() } else { Interner::default() };
        let mut plain = Vec::new();
        for (n, again) in asked {
            let name = vec![b'a' + n % 3; usize::from(n / 3)];
            let existing = plain.iter().position(|other| *other == name);
            prop_assert_eq!(names.find(&name), existing.map(|n| n as u32));
            let number = if again { names.push(&name) } else { names.number(&name) };
            let expected = existing.filter(|_| !again).unwrap_or(plain.len());
            if expected == plain.len() {
                plain.push(name.clone());
            }
            prop_assert_eq!(number as usize, expected);
            prop_assert_eq!(names.get(number), Some(&*name));
        }
        prop_assert_eq!(names.len(), plain.len());
        prop_assert!(names.names().eq(plain.iter().map(|name| &**name)));
    }
}
