//! Values of a difference in the words that people read.

use crate::model::{Eco, GameFlags, Rating, RatingKind};
use crate::{Date, Outcome};

/// A value that a difference shows.
pub(super) trait InWords {
    fn in_words(&self) -> String;
}

impl<T: InWords> InWords for Option<T> {
    fn in_words(&self) -> String {
        self.as_ref().map_or_else(|| "none".to_owned(), T::in_words)
    }
}

impl<T: InWords + ?Sized> InWords for &T {
    fn in_words(&self) -> String {
        (*self).in_words()
    }
}

impl InWords for str {
    /// Quotes the text and escapes control characters.
    fn in_words(&self) -> String {
        format!("{self:?}")
    }
}

impl InWords for String {
    fn in_words(&self) -> String {
        self.as_str().in_words()
    }
}

impl InWords for bool {
    fn in_words(&self) -> String {
        if *self { "yes" } else { "no" }.to_owned()
    }
}

impl InWords for u32 {
    fn in_words(&self) -> String {
        self.to_string()
    }
}

impl InWords for Date {
    fn in_words(&self) -> String {
        self.to_string()
    }
}

impl InWords for Eco {
    fn in_words(&self) -> String {
        self.to_string()
    }
}

impl InWords for Outcome {
    fn in_words(&self) -> String {
        self.as_pgn().to_owned()
    }
}

impl InWords for Rating {
    fn in_words(&self) -> String {
        match self.kind {
            RatingKind::Elo => self.value.to_string(),
            kind => format!("{} ({})", self.value, kind.name()),
        }
    }
}

impl InWords for GameFlags {
    fn in_words(&self) -> String {
        let mut letters = Vec::new();
        self.write_letters(&mut letters);
        if letters.is_empty() {
            "none".to_owned()
        } else {
            letters.into_iter().map(char::from).collect()
        }
    }
}

impl InWords for [(String, String)] {
    fn in_words(&self) -> String {
        self.iter()
            .map(|(name, value)| format!("{name} {value:?}"))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl InWords for Vec<(String, String)> {
    fn in_words(&self) -> String {
        self.as_slice().in_words()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_without_names_of_types() {
        let rating = |kind| Some(Rating { value: 2500, kind });
        for (words, expected) in [
            (Date::UNKNOWN.in_words(), "????.??.??"),
            (Date::new(2015, 3, 0).in_words(), "2015.03.??"),
            (rating(RatingKind::Elo).in_words(), "2500"),
            (rating(RatingKind::Uscf).in_words(), "2500 (USCF)"),
            (None::<Rating>.in_words(), "none"),
            (Some(Outcome::Draw).in_words(), "1/2-1/2"),
            (GameFlags::empty().in_words(), "none"),
            (GameFlags::DELETED.in_words(), "D"),
            ("a\"b\u{1b}".in_words(), "\"a\\\"b\\u{1b}\""),
            (true.in_words(), "yes"),
            (vec![("A".to_owned(), "b".to_owned())].in_words(), "A \"b\""),
        ] {
            assert_eq!(words, expected);
        }
    }
}
