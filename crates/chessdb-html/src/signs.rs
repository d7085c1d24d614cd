//! The signs of NAGs.

/// Returns the common sign of a NAG, such as `!` or `±`. `None` if it has none.
pub const fn nag_sign(nag: u16) -> Option<&'static str> {
    Some(match nag {
        1 => "!",
        2 => "?",
        3 => "!!",
        4 => "??",
        5 => "!?",
        6 => "?!",
        7 => "□",
        10 => "=",
        13 => "∞",
        14 => "⩲",
        15 => "⩱",
        16 => "±",
        17 => "∓",
        18 => "+−",
        19 => "−+",
        22 | 23 => "⨀",
        32 | 33 => "⟳",
        36 | 37 => "↑",
        40 | 41 => "→",
        44 | 45 => "⯹",
        132 | 133 => "⇆",
        138 | 139 => "⊕",
        140 => "∆",
        146 => "N",
        _ => return None,
    })
}

/// Returns whether the sign judges the move itself, so that it is written directly after it.
pub(crate) const fn belongs_to_move(nag: u16) -> bool {
    matches!(nag, 1..=7)
}
