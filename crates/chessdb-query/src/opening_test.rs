//! Tests of the name of an opening.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use chessdb_core::Game;
use chessdb_core::model::Tag;

use crate::fold::{fold, merge_umlauts};
use crate::openings::{opening, opening_names};
use crate::syntax::{Fault, Form, Item, TextTest};

/// A condition on the name of an opening, in the tags or in the table of openings.
#[derive(Clone, Debug)]
pub(crate) enum OpeningTest {
    /// Each of these words is in the name, as [`normalized`].
    Words(Vec<String>),
    Regex(TextTest),
}

impl OpeningTest {
    pub(crate) fn read(item: &Item) -> Result<OpeningTest, Fault> {
        let test = TextTest::read(item)?;
        if item.form == Form::Regex {
            return Ok(OpeningTest::Regex(test));
        }
        let words: Vec<String> = normalized(&item.text)
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        match words.is_empty() {
            true => Err(Fault::from("expected the name of an opening")),
            false => Ok(OpeningTest::Words(words)),
        }
    }

    fn fits(&self, name: &str) -> bool {
        match self {
            OpeningTest::Words(words) => {
                let name = normalized(name);
                words.iter().all(|word| name.contains(word.as_str()))
            }
            OpeningTest::Regex(test) => {
                let mut folded = String::new();
                fold(name, &mut folded);
                test.fits(&folded)
            }
        }
    }
}

/// Returns the folded words of a name, without apostrophes and with one spelling of umlauts and of
/// "defence".
fn normalized(name: &str) -> String {
    let (mut folded, mut merged) = (String::new(), String::new());
    fold(name, &mut folded);
    folded.retain(|c| c != '\'');
    merge_umlauts(&folded, &mut merged);
    let words: String = merged
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    words.replace("defence", "defense")
}

/// Returns the name of the opening in the tags. `None` if no tag contains one.
fn name_in_tags(game: &Game) -> Option<String> {
    let names = ["Opening", "Variation", "SubVariation"];
    let mut parts = names.map(|_| String::new());
    for tag in &game.header.tags {
        if let Tag::Other { name, value } = *tag
            && let Some(at) = names
                .iter()
                .position(|known| game.text(name).as_bytes() == known.as_bytes())
            && let Some(part) = parts.get_mut(at)
        {
            *part = game.text(value).decode().into_owned();
        }
    }
    let known: Vec<String> = parts
        .into_iter()
        .filter(|part| !matches!(part.trim(), "" | "?" | "-"))
        .collect();
    (!known.is_empty()).then(|| known.join(", "))
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
