//! Scidb's NAGs above those of PGN and their numbers in other programs (docs/formats/scidb.md,
//! section 9).

/// Scidb's own numbers, and the numbers of the same signs in ChessPad (from 220) or Scid.
const OWN: [(u16, u16); 18] = [
    (155, 220),
    (156, 221),
    (157, 250),
    (158, 251),
    (159, 249),
    (160, 252),
    (161, 194),
    (162, 195),
    (163, 253),
    (165, 254),
    (166, 255),
    (167, 241),
    (168, 239),
    (172, 190),
    (173, 238),
    (182, 246),
    (183, 242),
    (184, 243),
];

/// Further numbers that Scidb's import replaces, and its own ones.
const IMPORTED: [(u16, u16); 9] = [
    (191, 158),
    (192, 157),
    (193, 159),
    (201, 155),
    (240, 150),
    (244, 147),
    (245, 148),
    (247, 153),
    (248, 154),
];

/// Returns the NAG of the model for a stored number.
pub(crate) fn read(stored: u8) -> u16 {
    let stored = u16::from(stored);
    OWN.iter()
        .find(|(own, _)| *own == stored)
        .map_or(stored, |&(_, common)| common)
}

/// Returns the number to store for a NAG of the model, and whether another NAG is read back. `None`
/// if Scidb has no number for it.
pub(crate) fn write(nag: u16) -> Option<(u8, bool)> {
    let entry = OWN.iter().find(|(_, common)| *common == nag);
    let imported = || IMPORTED.iter().find(|(foreign, _)| *foreign == nag);
    let stored = match nag {
        0 => return None,
        1..=184 => nag,
        _ => match entry {
            Some(&(own, _)) => own,
            None => imported()?.1,
        },
    };
    let stored = u8::try_from(stored).ok()?;
    // A number of Scidb's own is read back as another NAG, which is a loss.
    Some((stored, read(stored) != nag))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers in the file that Scidb's converter made from NAGs 1 to 255 of a PGN.
    #[test]
    fn import_numbers_are_mapped() {
        let kept = (1..=255).filter_map(write).map(|(stored, _)| stored);
        let mut expected: Vec<u8> = (1..=184).collect();
        expected.extend([
            0xAC, 0x9E, 0x9D, 0x9F, 0xA1, 0xA2, 0x9B, 0x9B, 0x9C, 0xAD, 0xA8, 0x96,
        ]);
        expected.extend([
            0xA7, 0xB7, 0xB8, 0x93, 0x94, 0xB6, 0x99, 0x9A, 0x9F, 0x9D, 0x9E, 0xA0,
        ]);
        expected.extend([0xA3, 0xA5, 0xA6]);
        assert_eq!(kept.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn stored_nags_round_trip() {
        for stored in 1..=184 {
            assert_eq!(write(read(stored)), Some((stored, false)));
        }
        assert_eq!([write(0), write(185), write(300)], [None; 3]);
    }
}
