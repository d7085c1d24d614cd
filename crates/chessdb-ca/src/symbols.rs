//! Symbols of moves and positions, verdicts, and types of games (docs/formats/chess-assistant.md,
//! sections 5 and 11).

use crate::guesses::{GameTypes, Symbols};

/// The symbols of the NAGs 1 to 6.
const SYMBOLS: [&[u8]; 6] = [b"!", b"?", b"!!", b"??", b"!?", b"?!"];

/// Returns the NAG for the payload of a symbol comment, or `None` if the payload is kept as bytes.
/// Guess 5 is implemented only here and in [`symbol_of_nag`].
pub(crate) fn nag_of_symbol(payload: &[u8], symbols: Symbols) -> Option<u16> {
    let index = SYMBOLS.iter().position(|&symbol| symbol == payload)?;
    (symbols == Symbols::Characters).then_some(index as u16 + 1)
}

/// Returns the payload for a NAG, or `None` if it is written as a text.
pub(crate) fn symbol_of_nag(nag: u16, symbols: Symbols) -> Option<&'static [u8]> {
    let index = usize::from(nag).checked_sub(1)?;
    let symbol = SYMBOLS.get(index).copied();
    symbol.filter(|_| symbols == Symbols::Characters)
}

/// Returns the NAG that a text such as `$14` states. This crate writes NAGs without a symbol in
/// this form.
pub(crate) fn nag_of_text(text: &[u8]) -> Option<u16> {
    match text {
        [b'$', digits @ ..] if digits.len() <= 5 && digits.iter().all(u8::is_ascii_digit) => {
            // `$01` would be written back as `$1`, so it stays a text.
            let plain = !digits.starts_with(b"0") || digits.len() == 1;
            std::str::from_utf8(digits)
                .ok()
                .filter(|_| plain)?
                .parse()
                .ok()
        }
        _ => None,
    }
}

/// Appends a NAG in the form that [`nag_of_text`] reads.
pub(crate) fn put_nag_text(nag: u16, out: &mut Vec<u8>) {
    out.push(b'$');
    out.extend_from_slice(nag.to_string().as_bytes());
}

/// Returns whether the payload of a comment of this type, whose meaning is unknown, looks like a
/// text: an evaluation with its author, or folders of the user. It is then read as bytes and as a
/// text.
pub(crate) fn is_readable(kind: u8, payload: &[u8]) -> bool {
    matches!(kind, 6 | 7 | 21)
        && payload
            .iter()
            // The Windows code pages have most of their letters from C0 on.
            .filter(|byte| byte.is_ascii_alphanumeric() || **byte >= 0xC0)
            .count()
            > 1
        && payload
            .iter()
            .all(|&byte| byte >= b' ' && !matches!(byte, b'{' | b'}' | b'[' | 0x7F))
        && payload.trim_ascii() == payload
}

/// The NAG of a diagram, commonly used in PGN.
pub(crate) const DIAGRAM: u16 = 220;

/// The NAGs of the outcomes from 5 on (section 5).
const VERDICTS: [u8; 12] = [16, 17, 14, 15, 18, 19, 11, 13, 44, 40, 36, 132];

/// Returns the NAG of an outcome that evaluates the last position.
pub(crate) fn nag_of_outcome(outcome: u8) -> Option<u8> {
    let index = usize::from(outcome.checked_sub(5)?);
    VERDICTS.get(index).copied()
}

/// Returns the outcome for a NAG, and whether it is read as the same NAG again.
pub(crate) fn outcome_of_nag(nag: u8) -> Option<(u8, bool)> {
    let near = match nag {
        // Three NAGs for equal positions share the code `=`, which is read as NAG 11.
        10 | 12 => 11,
        // NAGs that concern Black.
        45 => 44,
        41 => 40,
        37 => 36,
        133 => 132,
        nag => nag,
    };
    let index = VERDICTS.iter().position(|&verdict| verdict == near)?;
    Some((5 + index as u8, near == nag))
}

/// The tag that holds an outcome which is neither one of PGN's four nor an evaluation.
pub(crate) const OUTCOME_TAG: &str = "CAOutcome";
/// The tag that holds the type of a game.
pub(crate) const TYPE_TAG: &str = "CAType";

/// The names of types 1 to 30.
const TYPES: [&str; 30] = [
    "own game",
    "historic game",
    "model game",
    "annotated game from a book",
    "computer game",
    "opening",
    "middlegame",
    "endgame",
    "strategy",
    "tactics",
    "test",
    "blunder",
    "kingside attack",
    "queenside attack",
    "counter-attack",
    "typical pawn structure",
    "piece play",
    "positional sacrifice",
    "material imbalance",
    "transition to the endgame",
    "opposite-coloured bishops",
    "space",
    "defence",
    "prophylaxis",
    "drawing methods",
    "own analysis",
    "computer analysis",
    "tablebase analysis",
    "psychology",
    "miscellaneous",
];

/// Returns the tag value for a type, or `None` for 0. Guess 9 is implemented only here and in
/// [`type_of_text`].
pub(crate) fn text_of_type(kind: u32, types: GameTypes) -> Option<String> {
    if kind == 0 {
        return None;
    }
    let name = |n: u32| TYPES.get(n.checked_sub(1)? as usize).copied();
    let text = match types {
        GameTypes::OneOfThirty => name(kind).map(str::to_owned),
        GameTypes::Set => {
            let names: Option<Vec<_>> = (1..=32)
                .filter(|n| kind >> (n - 1) & 1 != 0)
                .map(name)
                .collect();
            names.map(|names| names.join(", "))
        }
    };
    Some(text.unwrap_or_else(|| kind.to_string()))
}

/// Returns the type that a tag value states if reading it back gives the same value.
pub(crate) fn type_of_text(text: &str, types: GameTypes) -> Option<u32> {
    let number = |name: &str| {
        TYPES
            .iter()
            .position(|&listed| listed == name)
            .map(|n| n as u32 + 1)
    };
    let kind = match types {
        _ if text.starts_with(|c: char| c.is_ascii_digit()) => text.parse().ok()?,
        GameTypes::OneOfThirty => number(text)?,
        GameTypes::Set => {
            // A name that comes twice sets one bit and fails the comparison below.
            text.split(", ")
                .try_fold(0, |bits, name| Some(bits | 1 << (number(name)? - 1)))?
        }
    };
    (text_of_type(kind, types).as_deref() == Some(text)).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_and_nags_are_inverse() {
        for nag in 0..300 {
            if let Some(payload) = symbol_of_nag(nag, Symbols::Characters) {
                assert_eq!(nag_of_symbol(payload, Symbols::Characters), Some(nag));
            }
            assert_eq!(symbol_of_nag(nag, Symbols::Numbers), None);
            let mut text = Vec::new();
            put_nag_text(nag, &mut text);
            assert_eq!(nag_of_text(&text), Some(nag));
        }
        for invalid in ["$", "$01", "14", "$14 ", "$65536", "$+1", "!!!"] {
            assert_eq!(nag_of_text(invalid.as_bytes()), None, "{invalid}");
        }
        assert_eq!(nag_of_symbol(b"!!!", Symbols::Characters), None);
    }

    #[test]
    fn types_have_names() {
        for types in [GameTypes::OneOfThirty, GameTypes::Set] {
            for kind in (1..100).chain([1 << 31, u32::MAX, 1 << 29, 0x3FFF_FFFF]) {
                let text = text_of_type(kind, types).unwrap();
                assert_eq!(type_of_text(&text, types), Some(kind), "{text}");
            }
        }
        assert_eq!(text_of_type(0, GameTypes::OneOfThirty), None);
        assert_eq!(
            text_of_type(9, GameTypes::OneOfThirty).as_deref(),
            Some("strategy")
        );
        assert_eq!(
            text_of_type(9, GameTypes::Set).as_deref(),
            Some("own game, annotated game from a book")
        );
        for invalid in [
            "",
            "9",
            "Strategy",
            "0",
            "031",
            "4294967296",
            "-1",
            "own game, ",
        ] {
            assert_eq!(
                type_of_text(invalid, GameTypes::OneOfThirty),
                None,
                "{invalid}"
            );
        }
    }
}
