//! Values that are ECO codes.

use std::ops::RangeInclusive;

use chessdb_core::model::{Eco, EcoSub};

use super::lexer::Item;
use super::values::{Fault, each};

/// ECO codes: ranges, or one code with its sub-code.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct EcoRanges(Vec<(RangeInclusive<u16>, Option<String>)>);

impl EcoRanges {
    pub(crate) fn has(&self, eco: Option<Eco>) -> bool {
        let Some(eco) = eco else { return false };
        self.0.iter().any(|(range, sub)| {
            let with_sub = |sub: &String| eco.to_string().starts_with(sub.as_str());
            range.contains(&eco.code) && sub.as_ref().is_none_or(with_sub)
        })
    }

    /// Returns the ranges of ascending codes, counted from A00.
    pub(crate) fn of_codes(codes: impl IntoIterator<Item = u16>) -> EcoRanges {
        let mut ranges: Vec<(RangeInclusive<u16>, Option<String>)> = Vec::new();
        for code in codes {
            match ranges.last_mut() {
                Some((range, _)) if code.checked_sub(1) == Some(*range.end()) => {
                    *range = *range.start()..=code;
                }
                _ => ranges.push((code..=code, None)),
            }
        }
        EcoRanges(ranges)
    }

    /// Reads `B90`, `B9`, `B`, `B90-B99`, `B90..B99`, `B07a`.
    pub(crate) fn read(items: &[Item]) -> Result<EcoRanges, (usize, Fault)> {
        each(items, |item| eco(&item.text)).map(EcoRanges)
    }
}

fn eco(text: &str) -> Result<(RangeInclusive<u16>, Option<String>), Fault> {
    let bad = || {
        let is_name = text.len() > 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
        Fault::from(if is_name {
            format!("expected an ECO code such as B90; for a name write opening:{text}")
        } else {
            "expected an ECO code or a range such as B90 or B90-B99; codes are A00 to E99"
                .to_owned()
        })
    };
    let ends = text
        .split_once("..")
        .or_else(|| text.split_once(['-', '\u{2013}', '\u{2026}']));
    if let Some((first, last)) = ends {
        let end = |end: &str| codes(end.trim()).ok_or_else(|| bad().in_part(text, end));
        let (from, to) = (end(first)?, end(last)?);
        let range = *from.start()..=*to.end();
        return if range.is_empty() {
            let message = format!("this range is reversed; write {last}-{first}");
            Err(Fault::from(message))
        } else {
            Ok((range, None))
        };
    }
    if let Some(range) = codes(text) {
        return Ok((range, None));
    }
    let mut text = text.to_owned();
    if let Some(letter) = text.get_mut(..1) {
        letter.make_ascii_uppercase();
    }
    let eco = Eco::from_ascii(text.as_bytes()).ok_or_else(bad)?;
    // `codes` has read every code without a sub-code.
    debug_assert!(eco.sub != EcoSub::None);
    Ok((eco.code..=eco.code, Some(text)))
}

/// Returns whether a text is an ECO code with all digits, or a range of them.
pub(crate) fn is_eco(text: &str) -> bool {
    let ends = text.split_once("..").or_else(|| text.split_once('-'));
    let is_code = |code: &str| code.len() == 3 && codes(code).is_some();
    match ends {
        Some((first, last)) => is_code(first) && is_code(last),
        None => is_code(text),
    }
}

/// Returns the codes with this prefix of a letter and up to two digits.
fn codes(text: &str) -> Option<RangeInclusive<u16>> {
    let (&letter, digits) = text.as_bytes().split_first()?;
    let letter = letter.to_ascii_uppercase();
    if !(b'A'..=b'F').contains(&letter) || digits.len() > 2 {
        return None;
    }
    let start = digits.iter().try_fold(0, |sum: u16, digit| {
        digit
            .is_ascii_digit()
            .then(|| sum * 10 + u16::from(digit - b'0'))
    })?;
    let unit = match digits.len() {
        0 => 100,
        1 => 10,
        _ => 1,
    };
    let start = u16::from(letter - b'A') * 100 + start * unit;
    Some(start..=start + unit - 1)
}
