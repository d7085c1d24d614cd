//! The parser of terms without a key: pairings, colors, words and positions.

use super::bare;
use super::parse::{ParsedTerm, Parser};
use super::written;
use crate::expr::Expr;
use crate::headers::{HeaderTerm, TextField};
use crate::opening_test::OpeningTest;
use crate::position::{ExactPosition, Material, PositionTest};
use crate::syntax::{
    Form, Item, QueryError, RawKey, RawTerm, Sign, TextTest, Token, TokenKind, each, fen_of,
    is_comparable,
};
use crate::words::{PlainWord, WordKind, WordTest, opening_of_word};

impl Parser<'_> {
    /// Parses two players with `vs` or a dash between them, if these are next.
    pub(super) fn pairing(&mut self) -> Result<Option<(String, ParsedTerm)>, QueryError> {
        // Restored where the tokens turn out to be no pairing.
        let start = self.rest;
        let (is_not, _) = self.negations();
        let first = bare::leading_names(self.rest);
        let after = self.rest.get(first.len()..).unwrap_or_default();
        let (Some((joint, after)), false) = (after.split_first(), first.is_empty()) else {
            self.rest = start;
            return Ok(None);
        };
        let second = bare::leading_names(after);
        match (&joint.kind, second.is_empty()) {
            (TokenKind::Versus | TokenKind::Dash, false) => {}
            (TokenKind::Versus, true) => {
                return Err(self.fault(
                    joint,
                    "a player is required on both sides; quote this if it is a name",
                ));
            }
            _ => {
                self.rest = start;
                return Ok(None);
            }
        }
        self.rest = after.get(second.len()..).unwrap_or_default();
        if let Some(third) = self.rest.first()
            && matches!(third.kind, TokenKind::Versus | TokenKind::Dash)
            && self
                .rest
                .get(1..)
                .is_some_and(|rest| !bare::leading_names(rest).is_empty())
        {
            return Err(self.fault(third, "a game has two players"));
        }
        // `KRP vs KR` is material, not two players.
        if let (Some(text), false) = (bare::material_of([&first, &second]), is_not)
            && let Ok(material) = Material::read(&text)
        {
            let test = PositionTest::Material(vec![material]);
            return Ok(Some((
                format!("material:{text}"),
                ParsedTerm::Position(test),
            )));
        }
        let side = |terms: &[&RawTerm]| {
            bare::Side::read(self.text, terms).map_err(|fault| self.fault_at(&fault))
        };
        let (expr, text) = bare::pairing(&side(&first)?, &side(&second)?);
        if self.text.get(joint.span.clone()) == Some("-") {
            self.notes.push(
                "a hyphen between blanks joins two players; to leave a player out write not NAME"
                    .to_owned(),
            );
        }
        Ok(Some(if is_not {
            (
                format!("-{text}"),
                ParsedTerm::Expr(Expr::Not(Box::new(expr))),
            )
        } else {
            (text, ParsedTerm::Expr(expr))
        }))
    }

    /// Parses a name with the color of the player after or before it, such as `fischer black`, if
    /// these are next.
    pub(super) fn with_color(&mut self) -> Result<Option<(String, Expr)>, QueryError> {
        let start = self.rest;
        let (is_not, _) = self.negations();
        let term_at = |index: usize| match self.rest.get(index).map(|token| &token.kind) {
            Some(TokenKind::Term(term)) => Some(term),
            _ => None,
        };
        let color_at = |index: usize| term_at(index).and_then(bare::color);
        let has_name_at =
            |index: usize| term_at(index).is_some_and(bare::is_name) && color_at(index).is_none();
        let (name, color) = match (color_at(0), color_at(1)) {
            (None, Some(color)) if has_name_at(0) => (0, color),
            (Some(color), None) if has_name_at(1) && color_at(2).is_none() => (1, color),
            _ => {
                self.rest = start;
                return Ok(None);
            }
        };
        let (Some(term), Some(token)) = (term_at(name), self.rest.get(name)) else {
            return Ok(None);
        };
        self.rest = self.rest.get(2..).unwrap_or_default();
        let (items, _) = self.names(&term.items, "")?;
        let (name_text, side) = (written::values(&items), capitalized(color));
        self.notes.push(format!(
            "{name_text} {color} is read as {name_text} with {side}; for the word write \"{color}\""
        ));
        let key = RawKey {
            name: color.to_owned(),
            span: token.span.clone(),
            sign: Sign::Is,
        };
        let (text, ParsedTerm::Expr(expr)) = self.keyed(&key, &items, token)? else {
            return Ok(None);
        };
        Ok(Some(if is_not {
            (format!("-{text}"), Expr::Not(Box::new(expr)))
        } else {
            (text, expr)
        }))
    }

    /// Parses a term without a key.
    pub(super) fn bare(
        &mut self,
        raw: &RawTerm,
        token: &Token,
    ) -> Result<(String, ParsedTerm), QueryError> {
        let items = raw.items.as_slice();
        if let [item] = items {
            match item.form {
                Form::Position => return self.position(item, token),
                Form::Plain => self.refuse_key(item, token)?,
                _ => {}
            }
        }
        if let Some(name) = bare::key_of(items) {
            let key = RawKey {
                name: name.to_owned(),
                span: token.span.clone(),
                sign: Sign::Is,
            };
            let kind = match name {
                "year" => Some(WordKind::Year),
                "eco" => Some(WordKind::Eco),
                _ => None,
            };
            let term = self.keyed(&key, items, token)?;
            self.words.extend(kind.map(|kind| PlainWord {
                value: written::values(items),
                span: token.span.clone(),
                test: WordTest::Value(kind),
            }));
            return Ok(term);
        }
        let (items, note) = self.names(items, "")?;
        self.notes.extend(note);
        let tests = each(&items, TextTest::read_name)
            .map_err(|fault| self.fault_in(&items, token, fault))?;
        // Only a single plain word may also be the name of an opening.
        if let ([item], [test @ TextTest::Part(_)]) = (items.as_slice(), tests.as_slice()) {
            let named = OpeningTest::read(item).ok();
            let opening = named.as_ref().and_then(opening_of_word);
            let expr = PlainWord::expr(test, opening.as_ref());
            let value = match bare::color(raw) {
                Some(color) => written::quoted(color),
                None => written::values(&items),
            };
            self.words.push(PlainWord {
                value: value.clone(),
                span: token.span.clone(),
                test: WordTest::Name(test.clone(), opening),
            });
            return Ok((value, ParsedTerm::Expr(expr)));
        }
        let expr = Expr::header(HeaderTerm::Text(TextField::Player, tests));
        Ok((bare::player(&items), ParsedTerm::Expr(expr)))
    }

    /// Parses a position without a key.
    fn position(&self, item: &Item, token: &Token) -> Result<(String, ParsedTerm), QueryError> {
        let items = std::slice::from_ref(item);
        let read = |item: &Item| {
            let fen = fen_of(&item.text)?;
            Ok((ExactPosition::read(&fen, false)?, fen.into_owned()))
        };
        let read = each(items, read).map_err(|fault| self.fault_in(items, token, fault))?;
        let (positions, fens): (Vec<ExactPosition>, Vec<String>) = read.into_iter().unzip();
        let text = format!("fen:{}", written::quoted(&fens.concat()));
        Ok((text, ParsedTerm::Position(PositionTest::Exact(positions))))
    }

    /// Returns an error if a word is a comparison without a key, or a key that lost its value.
    fn refuse_key(&self, item: &Item, token: &Token) -> Result<(), QueryError> {
        if item.text.contains(['<', '>']) {
            let message = "a comparison needs a key before the sign, such as elo>2600";
            return Err(self.fault(token, message));
        }
        let name = item.text.to_ascii_lowercase();
        if !is_comparable(&name) || name == "round" {
            return Ok(());
        }
        let example = match name.as_str() {
            "date" => "1959.09",
            "year" => "1959",
            "moves" | "plies" => "40",
            "elodiff" => "100",
            "balance" => "3",
            _ => "2600",
        };
        let message = format!(
            "{name} needs a value, such as {name}:{example}..; quote > and < in a shell: \
             '{name}>{example}'"
        );
        Err(self.fault(token, message))
    }
}

/// Returns the name of a side, for messages.
fn capitalized(color: &str) -> &'static str {
    match color {
        "white" => "White",
        _ => "Black",
    }
}
