//! The players' text, `White-Black` (docs/formats/cbf.md, section 6).

/// Splits the text into White and Black. Black is `None` if the text has no hyphen.
pub(super) fn split(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    let hyphens = || {
        text.iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'-')
            .map(|(index, _)| index)
    };
    let Some(first) = hyphens().next() else {
        return (text, None);
    };
    let comma = text.iter().position(|byte| *byte == b',');
    // For example `Deep-Thought,X-Black`.
    let index = match (hyphens().nth(1), comma) {
        (Some(second), Some(comma)) if comma > first => second,
        _ => first,
    };
    (text.get(..index).unwrap_or_default(), text.get(index + 1..))
}

/// Returns the content of [`crate::extras::HYPHENS`]: the hyphens of the names that are stored as
/// hyphens rather than underscores. `None` if all are stored as underscores.
pub(super) fn hyphens(white: &[u8], black: &[u8]) -> Option<Vec<u8>> {
    let stored = white.iter().chain(black);
    if !stored.clone().any(|byte| *byte == b'-') {
        return None;
    }
    let mut list = vec![0];
    let hyphens = stored.filter(|byte| matches!(byte, b'-' | b'_'));
    for (n, byte) in hyphens.enumerate() {
        if n % 8 == 0 {
            list.push(0);
        }
        if let (b'-', Some(last)) = (byte, list.last_mut()) {
            *last |= 0x80 >> (n % 8);
        }
        if let Some(count) = list.first_mut() {
            *count += 1;
        }
    }
    Some(list)
}

/// Replaces the hyphens of the names with underscores, except those that `stored` lists as hyphens.
/// Returns false if the list does not match the names; all hyphens are then replaced.
pub(super) fn put_hyphens(white: &mut [u8], black: &mut [u8], stored: Option<&[u8]>) -> bool {
    let count = white
        .iter()
        .chain(&*black)
        .filter(|byte| **byte == b'-')
        .count();
    let (fits, bits) = match stored {
        Some([of, bits @ ..]) => (
            usize::from(*of) == count && bits.len() == count.div_ceil(8),
            bits,
        ),
        _ => (true, &[][..]),
    };
    let hyphens = white.iter_mut().chain(black).filter(|byte| **byte == b'-');
    for (n, byte) in hyphens.enumerate() {
        let bit = bits
            .get(n / 8)
            .is_some_and(|bits| bits & 0x80 >> (n % 8) != 0);
        if !(fits && bit) {
            *byte = b'_';
        }
    }
    fits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn players_split_at_the_hyphen() {
        let check = |text: &str, white: &str, black: Option<&str>| {
            let (w, b) = split(text.as_bytes());
            assert_eq!(
                (w, b),
                (white.as_bytes(), black.map(str::as_bytes)),
                "{text}"
            );
        };
        check("Kasparov,G-Karpov,A", "Kasparov,G", Some("Karpov,A"));
        check("Deep-Thought,X-Black", "Deep-Thought,X", Some("Black"));
        check("Deep-Thought-Black", "Deep", Some("Thought-Black"));
        check("A,B-C-D", "A,B", Some("C-D"));
        check("Study-", "Study", Some(""));
        check("-Black", "", Some("Black"));
        check("alone", "alone", None);
        check("", "", None);
    }

    proptest! {
        #[test]
        fn hyphens_come_back(white in "[ab_-]{0,20}", black in "[ab_-]{0,20}") {
            let list = hyphens(white.as_bytes(), black.as_bytes());
            let shown = |name: &str| name.replace('_', "-").into_bytes();
            let (mut w, mut b) = (shown(&white), shown(&black));
            prop_assert!(put_hyphens(&mut w, &mut b, list.as_deref()));
            prop_assert_eq!((w, b), (white.into_bytes(), black.into_bytes()));
        }
    }

    #[test]
    fn a_list_of_other_names_is_not_used() {
        let list = hyphens(b"a-b", b"").unwrap();
        let (mut white, mut black) = (*b"a-b-c", *b"");
        assert!(!put_hyphens(&mut white, &mut black, Some(&list)));
        assert_eq!(&white, b"a_b_c");
        assert!(!put_hyphens(&mut [], &mut [], Some(&list)));
    }
}
