//! Which games of a base.

use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::error::{Error, Problem};

/// Games of a source by number, counted from 1: ranges in ascending order that do not touch.
///
/// Written `1,5-9,20-`; order and repetition in the text do not matter, games are always taken in
/// the order of the base.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection(Vec<RangeInclusive<u32>>);

impl Default for Selection {
    fn default() -> Selection {
        Selection::all()
    }
}

impl Selection {
    /// Every game.
    pub fn all() -> Selection {
        Selection(vec![1..=u32::MAX])
    }

    /// Whether no game is left out.
    pub fn is_all(&self) -> bool {
        matches!(self.0.as_slice(), [range] if *range == (1..=u32::MAX))
    }

    /// The ranges, ascending, counted from 1.
    pub fn ranges(&self) -> &[RangeInclusive<u32>] {
        &self.0
    }

    /// Whether it takes game `number`, counted from 1.
    pub fn contains(&self, number: u32) -> bool {
        let at = self.0.partition_point(|range| *range.end() < number);
        self.0.get(at).is_some_and(|range| range.contains(&number))
    }

    /// The last number it takes.
    pub fn last(&self) -> u32 {
        self.0.last().map_or(0, |range| *range.end())
    }

    /// How many of a base of `len` games it takes.
    pub fn count_in(&self, len: u32) -> u32 {
        self.clipped(len)
            .map(|range| range.end() - range.start() + 1)
            .sum()
    }

    /// The first number it takes from `number` on.
    pub(crate) fn next_from(&self, number: u32) -> Option<u32> {
        let at = self.0.partition_point(|range| *range.end() < number);
        self.0.get(at).map(|range| number.max(*range.start()))
    }

    fn clipped(&self, len: u32) -> impl Iterator<Item = RangeInclusive<u32>> + '_ {
        self.0
            .iter()
            .map(move |range| *range.start()..=(*range.end()).min(len))
            .filter(|range| !range.is_empty())
    }
}

impl FromStr for Selection {
    type Err = Error;

    fn from_str(text: &str) -> Result<Selection, Error> {
        let bad = || Error::from(Problem::BadSelection(text.to_owned()));
        let number = |text: &str| match text.trim().parse() {
            Ok(0) | Err(_) => Err(bad()),
            Ok(number) => Ok(number),
        };
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let range: RangeInclusive<u32> = match part.split_once('-') {
                None => {
                    let one = number(part)?;
                    one..=one
                }
                Some((first, "")) => number(first)?..=u32::MAX,
                Some(("", last)) => 1..=number(last)?,
                Some((first, last)) => number(first)?..=number(last)?,
            };
            if range.is_empty() {
                return Err(bad());
            }
            ranges.push(range);
        }
        ranges.sort_unstable_by_key(|range| *range.start());
        let mut merged: Vec<RangeInclusive<u32>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match merged.last_mut() {
                Some(last) if *range.start() <= last.end().saturating_add(1) => {
                    *last = *last.start()..=*last.end().max(range.end());
                }
                _ => merged.push(range),
            }
        }
        Ok(Selection(merged))
    }
}

impl From<RangeInclusive<u32>> for Selection {
    /// The games of these numbers, counted from 1.
    fn from(numbers: RangeInclusive<u32>) -> Selection {
        match numbers.is_empty() {
            true => Selection(Vec::new()),
            false => Selection(vec![numbers]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_are_sorted_and_merged() {
        let selection: Selection = "5-9,1,20-,8-12,13".parse().unwrap();
        assert_eq!(selection.ranges(), [1..=1, 5..=13, 20..=u32::MAX]);
        let next = |number| selection.next_from(number);
        assert_eq!(
            [next(0), next(2), next(13), next(14)],
            [1, 5, 13, 20].map(Some)
        );
        assert_eq!("3".parse::<Selection>().unwrap().next_from(4), None);
        assert_eq!(selection.count_in(21), 12);
        assert_eq!(selection.count_in(0), 0);
        assert!(selection.contains(13) && !selection.contains(14) && !selection.contains(0));
        assert!(!selection.is_all());
        assert!("1-".parse::<Selection>().unwrap().is_all());
        assert_eq!("-3".parse::<Selection>().unwrap().ranges(), [1..=3]);
    }

    #[test]
    fn what_is_no_selection_is_refused() {
        for bad in ["", "0", "-", "3-1", "a", "1,,2", "4294967296", "1-2-3"] {
            assert!(bad.parse::<Selection>().is_err(), "{bad}");
        }
    }
}
