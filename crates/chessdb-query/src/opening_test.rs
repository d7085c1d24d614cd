//! Tests of the name of an opening.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use chessdb_core::Game;

use crate::fold::folded;
use crate::names::fold_name;
use crate::openings::{name_in_tags, opening, opening_codes, opening_names};
use crate::person::edit_distance;
use crate::syntax::{Fault, Form, Item, TextTest, is_eco};

/// A condition on the name of an opening, in the tags or in the table of openings.
#[derive(Clone, Debug)]
pub(crate) enum OpeningTest {
    /// Each of these words is in the name, as [`normalized`].
    Words(Vec<String>),
    Regex(TextTest),
}

impl OpeningTest {
    pub(crate) fn read(item: &Item) -> Result<OpeningTest, Fault> {
        let code = item.text.trim();
        if item.form != Form::Regex && is_eco(code) {
            return Err(Fault::from(format!(
                "this is an ECO code; write eco:{code}"
            )));
        }
        let test = TextTest::read(item)?;
        if item.form == Form::Regex {
            return Ok(OpeningTest::Regex(test));
        }
        let words: Vec<String> = normalized(&item.text)
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        if words.is_empty() {
            Err(Fault::from("expected the name of an opening"))
        } else {
            Ok(OpeningTest::Words(words))
        }
    }

    /// Returns the ECO codes of the lines with these words as whole words. `None` if the table of
    /// openings has the words only in names of side lines, which are mostly those of players.
    pub(crate) fn codes(&self) -> Option<OpeningCodes> {
        let OpeningTest::Words(words) = self else {
            return None;
        };
        // The number of lines of each code, and of those with the words.
        let mut codes = [(0_u32, 0_u32); ECO_CODES as usize];
        let mut is_family = false;
        for (code, name) in opening_codes() {
            let Some((all, named)) = codes.get_mut(usize::from(code)) else {
                continue;
            };
            *all += 1;
            if words.iter().all(|word| has_word(name, word)) {
                *named += 1;
                let family = name.split(':').next().unwrap_or_default();
                is_family |= words.iter().all(|word| has_word(family, word));
            }
        }
        let codes = (0_u16..).zip(&codes).filter(|(_, (_, named))| *named > 0);
        let whole = codes.clone().filter(|(_, (all, named))| all == named);
        let lines: u32 = whole.clone().map(|(_, (all, _))| all).sum();
        let part = codes.filter(|(_, (all, named))| is_family && named < all);
        (lines >= LEAST_LINES || is_family).then(|| OpeningCodes {
            whole: whole.map(|(code, _)| code).collect(),
            part: part.map(|(code, _)| code).collect(),
        })
    }

    /// Returns whether the table of openings has a name with these words.
    pub(crate) fn is_in_table(&self) -> bool {
        opening_names().any(|name| self.fits(name))
    }

    fn fits(&self, name: &str) -> bool {
        match self {
            OpeningTest::Words(words) => {
                let name = normalized(name);
                words.iter().all(|word| name.contains(word.as_str()))
            }
            OpeningTest::Regex(test) => test.fits(&folded(name)),
        }
    }
}

/// ECO codes of openings with a name.
pub(crate) struct OpeningCodes {
    /// The codes of which every line has the name.
    pub(crate) whole: Vec<u16>,
    /// Other codes of which some line has the name, if it is the name of a family of openings.
    pub(crate) part: Vec<u16>,
}

/// The number of ECO codes.
pub(crate) const ECO_CODES: u16 = 500;

/// The number of lines that codes named after one word must have together, unless a whole family of
/// openings is named so.
const LEAST_LINES: u32 = 5;

/// Returns whether a name of the table has this [`normalized`] word.
fn has_word(name: &str, word: &str) -> bool {
    let Some(&first) = word.as_bytes().first() else {
        return false;
    };
    // Only words that begin alike are normalized: this is done for each line of the table.
    let may_begin = |own: u8| own.eq_ignore_ascii_case(&first) || !own.is_ascii();
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'\'';
    let text = name.as_bytes();
    let is_start = |index: usize| {
        !index
            .checked_sub(1)
            .and_then(|index| text.get(index))
            .is_some_and(is_inner)
    };
    let mut places = memchr::memchr2_iter(first, first.to_ascii_uppercase(), text);
    if text.is_ascii() && !places.any(is_start) {
        return false;
    }
    let begins_alike = |other: &str| other.bytes().next().is_some_and(may_begin);
    name.split(|c: char| !c.is_alphanumeric() && c != '\'')
        .any(|other| begins_alike(other) && normalized(other) == word)
}

/// Returns the word of the names of openings that is spelled most like `word`, and the number of
/// letters that differ.
pub(crate) fn nearest_opening_word(word: &str) -> Option<(&'static str, usize)> {
    let word = normalized(word);
    let limit = match word.len() {
        // Short words are near to too many others.
        0..5 => return None,
        5..9 => 2,
        _ => 3,
    };
    opening_names()
        .flat_map(|name| name.split(|c: char| !c.is_alphanumeric()))
        .filter(|other| other.len() > 3)
        .filter_map(|other| {
            let distance = edit_distance(&word, &normalized(other), limit)?;
            Some((other, distance))
        })
        .min_by_key(|(_, distance)| *distance)
}

/// Returns the folded words of a name, with one spelling of umlauts and of "defence".
fn normalized(name: &str) -> String {
    let words: String = fold_name(name)
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    words.replace("defence", "defense")
}

/// Returns whether a tag names the opening.
pub(crate) fn has_opening_tag(game: &Game) -> bool {
    name_in_tags(game).is_some()
}

/// Returns whether the opening named by the tags matches a test.
pub(crate) fn fits_tags(tests: &[OpeningTest], game: &Game) -> bool {
    name_in_tags(game).is_some_and(|name| tests.iter().any(|test| test.fits(&name)))
}

/// The names of the table of openings that match one of several tests.
#[derive(Clone, Debug)]
pub(crate) struct OpeningNames {
    tests: Vec<OpeningTest>,
    /// Filled for the first game.
    names: Arc<OnceLock<HashSet<&'static str>>>,
}

impl OpeningNames {
    pub(crate) fn new(tests: Vec<OpeningTest>) -> OpeningNames {
        OpeningNames {
            tests,
            names: Arc::default(),
        }
    }

    /// Returns whether the opening reached by the moves matches a test.
    pub(crate) fn fit(&self, game: &Game) -> bool {
        let fits = |name: &&'static str| self.tests.iter().any(|test| test.fits(name));
        let names = self
            .names
            .get_or_init(|| opening_names().filter(fits).collect());
        !names.is_empty() && opening(game).is_some_and(|opening| names.contains(opening.name))
    }
}
