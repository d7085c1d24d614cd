//! Titles of players, which share a value with the country.

/// The titles, by number.
const TITLES: [&[u8]; 15] = [
    b"", b"GM", b"IM", b"FM", b"CM", b"WGM", b"WIM", b"WFM", b"WCM", b"HGM", b"CGM", b"CIM",
    b"CLGM", b"CILM", b"CSIM",
];
/// The bits of the value that hold the country; the title is above them.
const COUNTRY_BITS: u32 = 9;

/// Splits a value into the title and the rest: the country, and the bits of an unknown title.
pub(crate) fn split_title(value: u16) -> (Option<&'static [u8]>, u16) {
    let title = TITLES.get(usize::from(value >> COUNTRY_BITS));
    match title.filter(|title| !title.is_empty()) {
        Some(title) => (Some(title), country(value)),
        None => (None, value),
    }
}

/// Returns the bits of a title in the value; 0 for a text that has no number.
pub(crate) fn title_bits(title: &[u8]) -> u16 {
    let number = TITLES.iter().position(|listed| *listed == title);
    (number.unwrap_or(0) as u16) << COUNTRY_BITS
}

/// Returns the bits of the country.
pub(super) fn country(value: u16) -> u16 {
    value & ((1 << COUNTRY_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_round_trips() {
        for value in 0..=u16::MAX {
            let (title, rest) = split_title(value);
            assert_eq!(title.map_or(0, title_bits) | rest, value);
        }
        assert_eq!(split_title(0x0205), (Some(&b"GM"[..]), 5));
        assert_eq!((title_bits(b""), title_bits(b"XM")), (0, 0));
    }
}
