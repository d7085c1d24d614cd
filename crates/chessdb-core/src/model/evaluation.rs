//! Evaluations stored as results: ChessBase and Chess Assistant can end a game with `+-` or `=`
//! instead of 1-0.
//!
//! The model stores an evaluation as the tag [`LINE_EVALUATION`] of a game without a result; its
//! value is a NAG such as `$18`. PGN repeats the NAG after the moves.

use std::borrow::Cow;

use super::{Header, Tag};
use crate::text::Texts;
use crate::{Outcome, Text};

/// The name of the tag for an evaluation stored as a result.
pub const LINE_EVALUATION: &str = "LineEvaluation";

impl Header {
    /// Returns the NAG that evaluates a game without a result, 1 to 255.
    pub fn line_evaluation(&self, texts: &Texts) -> Option<u8> {
        if self.outcome != Outcome::Unknown {
            return None;
        }
        self.tags.iter().find_map(|tag| match *tag {
            Tag::Other { name, value }
                if texts.get(name).as_bytes() == LINE_EVALUATION.as_bytes() =>
            {
                texts.get(value).as_evaluation()
            }
            _ => None,
        })
    }

    /// Returns the result as displayed in a list of games: the sign of an evaluation, `0-0` for a
    /// game that both players lost, otherwise PGN's result.
    pub fn shown_result(&self, texts: &Texts) -> Cow<'static, str> {
        if self.is_double_forfeit(texts) {
            return "0-0".into();
        }
        match self.line_evaluation(texts) {
            Some(nag) => evaluation_sign(nag),
            None => self.outcome.as_pgn().into(),
        }
    }

    /// Adds the tag for an evaluation.
    pub fn put_line_evaluation(&mut self, nag: u8, texts: &mut Texts) {
        let mut text = |text: &str| texts.push(text.as_bytes(), crate::Charset::UTF_8);
        let name = text(LINE_EVALUATION);
        let value = text(&format!("${nag}"));
        self.tags.push(Tag::Other { name, value });
    }
}

impl Text<'_> {
    /// Returns the NAG in the value of a [`LINE_EVALUATION`] tag, if it is spelled as written by
    /// [`Header::put_line_evaluation`].
    pub fn as_evaluation(self) -> Option<u8> {
        let digits = self.as_bytes().strip_prefix(b"$")?;
        let nag: u8 = std::str::from_utf8(digits).ok()?.parse().ok()?;
        (nag > 0 && nag.to_string().as_bytes() == digits).then_some(nag)
    }
}

/// Returns an evaluation as an ASCII sign such as `+-` or `=`, or as a word; `$99` for other NAGs.
pub fn evaluation_sign(nag: u8) -> Cow<'static, str> {
    match nag {
        7 | 8 => "only move",
        10..=12 => "=",
        13 => "unclear",
        14 => "+/=",
        15 => "=/+",
        16 => "+/-",
        17 => "-/+",
        18 => "+-",
        19 => "-+",
        36 | 37 => "initiative",
        40 | 41 => "attack",
        44 | 45 => "compensation",
        132 | 133 => "counterplay",
        138 | 139 => "time",
        146 => "novelty",
        nag => return format!("${nag}").into(),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Charset, Game};

    #[test]
    fn line_evaluation_requires_canonical_value() {
        for nag in 1..=255 {
            let mut game = Game::new();
            game.header.put_line_evaluation(nag, &mut game.texts);
            assert_eq!(game.header.line_evaluation(&game.texts), Some(nag));
            game.header.outcome = Outcome::Draw;
            assert_eq!(game.header.line_evaluation(&game.texts), None);
        }
        for value in ["", "$", "18", "$0", "$018", "$256", "$ 18", "+-", "$18 "] {
            let text = Text::new(value.as_bytes(), Charset::UTF_8);
            assert_eq!(text.as_evaluation(), None, "{value}");
        }
    }
}
