//! The three codes of a comment and the NAGs they correspond to (docs/formats/cbf.md, section 8.2).

use chessdb_core::Color;

/// The NAGs of a code after a move of White and after a move of Black; 0 for none.
type Nags = (u16, u16);

const fn both(nag: u16) -> Nags {
    (nag, nag)
}

/// Codes for the move. 7 is the sign for mate, which has no NAG.
const MOVE: [Nags; 9] = [
    both(1),
    both(2),
    both(5),
    both(6),
    both(3),
    both(4),
    both(0),
    (22, 23),
    (30, 31),
];

/// Codes for the position.
const OF_POSITION: [Nags; 15] = [
    both(18),
    both(16),
    both(14),
    both(11),
    both(13),
    both(15),
    both(17),
    both(19),
    both(146),
    (44, 45),
    (132, 133),
    (36, 37),
    (40, 41),
    (138, 139),
    both(7),
];

/// Codes for further remarks. 5 is another sign with the meaning of 2; the meaning of 7 is unknown.
const REMARK: [Nags; 7] = [
    both(145),
    both(142),
    both(140),
    both(144),
    both(142),
    both(143),
    both(0),
];

const SLOTS: [&[Nags]; 3] = [&MOVE, &OF_POSITION, &REMARK];

/// The slot of evaluations of the position.
pub(crate) const POSITION: usize = 1;

/// Returns the highest known code of a slot.
pub(crate) fn last_known(slot: usize) -> u8 {
    SLOTS.get(slot).map_or(0, |codes| codes.len() as u8)
}

/// Returns the NAG of a code after a move of `mover`.
pub(crate) fn nag_of(slot: usize, code: u8, mover: Color) -> Option<u16> {
    let index = usize::from(code).checked_sub(1)?;
    let (white, black) = *SLOTS.get(slot)?.get(index)?;
    Some(mover.pick(white, black)).filter(|nag| *nag != 0)
}

/// The code that represents a NAG.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NagCode {
    /// 0 for the move, 1 for the position, 2 for further remarks.
    pub(crate) slot: usize,
    pub(crate) code: u8,
    /// True if the code is read back as the same NAG.
    pub(crate) exact: bool,
}

/// Returns the code for a NAG after a move of `mover`.
pub(crate) fn code_of(nag: u16, mover: Color) -> Option<NagCode> {
    let (nag, near) = match nag {
        0 => return None,
        // The format has one sign for equality in quiet and in active positions, and one for
        // singular and only moves.
        10 | 12 => (11, true),
        8 => (7, true),
        nag => (nag, false),
    };
    let mut nearest = None;
    for (slot, codes) in SLOTS.iter().enumerate() {
        for (code, &(white, black)) in (1..).zip(codes.iter()) {
            if mover.pick(white, black) == nag {
                return Some(NagCode {
                    slot,
                    code,
                    exact: !near,
                });
            }
            // The sign does not name a side; the reader takes the side that moved.
            if mover.pick(black, white) == nag {
                nearest = Some(NagCode {
                    slot,
                    code,
                    exact: false,
                });
            }
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_nags_belong_together() {
        let mut twins = Vec::new();
        for mover in Color::ALL {
            for slot in 0..3 {
                assert_eq!(nag_of(slot, 0, mover), None);
                assert_eq!(nag_of(slot, last_known(slot) + 1, mover), None);
                for code in 1..=last_known(slot) {
                    let Some(nag) = nag_of(slot, code, mover) else {
                        twins.push((slot, code));
                        continue;
                    };
                    let coded = code_of(nag, mover).unwrap();
                    assert!(coded.exact);
                    if (coded.slot, coded.code) != (slot, code) {
                        twins.push((slot, code));
                    }
                }
            }
        }
        // Two codes have no NAG, one shares its NAG with another.
        assert_eq!(twins, [(0, 7), (2, 5), (2, 7), (0, 7), (2, 5), (2, 7)]);
    }

    #[test]
    fn nearest_codes_are_not_exact() {
        let near = |nag, mover| {
            let coded = code_of(nag, mover).unwrap();
            assert!(!coded.exact);
            nag_of(coded.slot, coded.code, mover).unwrap()
        };
        assert_eq!(near(10, Color::White), 11);
        assert_eq!(near(12, Color::Black), 11);
        assert_eq!(near(8, Color::White), 7);
        assert_eq!(near(23, Color::White), 22);
        assert_eq!(near(36, Color::Black), 37);
        for none in [0, 9, 20, 147, 255] {
            assert_eq!(code_of(none, Color::White), None);
        }
    }
}
