//! Values that are texts or names.

use memchr::memmem::Finder;

use super::lexer::{Form, Item};
use super::values::Fault;
use crate::fold::{contains_merged, folded, has_umlaut, merge_umlauts, spell};
use crate::regular_expression::Regex;
use crate::transliteration::{has_cyrillic, transliteration_key};

/// A condition on a text.
#[derive(Clone, Debug)]
pub(crate) enum TextTest {
    /// The text contains these folded letters.
    Part(Box<TextPart>),
    /// The text is a name with this surname and given names.
    Name(Box<NamePart>),
    /// The transliterated text matches, ignoring case.
    Regex(Regex),
}

/// Folded letters to find, with all spellings of each umlaut.
#[derive(Clone, Debug)]
pub(crate) struct TextPart {
    letters: Finder<'static>,
    /// The letters with umlauts merged, and whether there was an umlaut to merge.
    merged: Box<str>,
    has_umlaut: bool,
    /// Two letters that are next to each other in every spelling.
    pair: Option<[u8; 2]>,
    /// The letters for the comparison with Cyrillic names.
    transliterated: Option<String>,
    /// Whether the query has Cyrillic letters, so that every name is compared in this form.
    is_cyrillic: bool,
}

impl TextPart {
    fn new(text: &str) -> TextPart {
        let folded = &folded(text);
        let is_cyrillic = has_cyrillic(text);
        TextPart {
            transliterated: transliteration_key(folded),
            is_cyrillic,
            letters: Finder::new(folded).into_owned(),
            merged: merge_umlauts(folded).into_boxed_str(),
            has_umlaut: has_umlaut(folded),
            pair: fixed_pair(folded.as_bytes()).filter(|_| !is_cyrillic),
        }
    }

    /// Returns false only if ASCII text, with case, does not contain the letters.
    fn may_be_in(&self, ascii: &[u8]) -> bool {
        let Some([first, second]) = self.pair else {
            return true;
        };
        let next = ascii.get(1..).unwrap_or_default();
        // Compares all pairs, since that needs no branches. Setting this bit makes letters small.
        // An apostrophe, which is not compared, may separate them.
        let is_pair = |(a, b): (&u8, &u8)| {
            (a | 0x20 == first) & (b | 0x20 == second) | (*a == b'\'') | (*a == b'`')
        };
        let pairs = ascii.iter().zip(next).map(is_pair);
        pairs.fold(false, |any, is_pair| any | is_pair)
    }

    fn is_in(&self, folded: &str) -> bool {
        self.letters.find(folded.as_bytes()).is_some()
            || (self.has_umlaut || has_umlaut(folded)) && contains_merged(folded, &self.merged)
    }
}

/// Returns whether the form of a folded text for Cyrillic names contains that of the query.
fn is_in_transliterated(query: Option<&String>, folded: &str) -> bool {
    let text = query.and_then(|_| transliteration_key(folded));
    query
        .zip(text)
        .is_some_and(|(query, text)| text.contains(query.as_str()))
}

/// Returns two neighbours among folded letters that no other spelling of an umlaut parts.
fn fixed_pair(folded: &[u8]) -> Option<[u8; 2]> {
    let mut pairs = folded.windows(2);
    pairs.find_map(|pair| match *pair {
        [b'a' | b'e' | b'o' | b'u', _] => None,
        // Those that the comparison of small letters finds.
        [first, second] => (pair.is_ascii() && pair.iter().all(|byte| byte | 0x20 == *byte))
            .then_some([first, second]),
        _ => None,
    })
}

/// A name as lists write it, such as `Kasparov,G`: a surname, and the beginnings of given names.
/// `Adams,Mi` stands for Adams, Michael and Adams,Mi and Adams, M.
#[derive(Clone, Debug)]
pub(crate) struct NamePart {
    /// The folded name as it is, and with umlauts merged if that differs.
    spellings: Vec<FoldedName>,
    /// The name for the comparison with Cyrillic names, and whether it has Cyrillic letters.
    transliterated: Option<FoldedName>,
    is_cyrillic: bool,
}

#[derive(Clone, Debug)]
struct FoldedName {
    surname: String,
    given: Vec<GivenName>,
}

/// A given name of a query, or its beginning.
#[derive(Clone, Debug)]
struct GivenName {
    letters: String,
    /// Whether it is abbreviated, such as `Mi` and `Alex.`: a shorter abbreviation matches too.
    is_short: bool,
}

impl NamePart {
    /// Reads a name with a comma.
    fn new(text: &str) -> Option<NamePart> {
        let folded = folded(text);
        let read = |text: &str| {
            let (surname, given) = text.split_once(',')?;
            let surname = surname.trim().to_owned();
            let is_short = |name: &str| {
                // The name is a slice of the given names, so its address gives its end.
                let end = name.as_ptr() as usize + name.len() - given.as_ptr() as usize;
                let has_dot = given.get(end..).is_some_and(|rest| rest.starts_with('.'));
                name.len() <= 2 || has_dot && name.len() <= 4
            };
            let given = words(given)
                .map(|name| GivenName {
                    is_short: is_short(name),
                    letters: name.to_owned(),
                })
                .collect();
            (!surname.is_empty()).then_some(FoldedName { surname, given })
        };
        let spellings = [read(&folded)?, read(&merge_umlauts(&folded))?];
        Some(NamePart {
            spellings: spellings.into(),
            transliterated: transliteration_key(&folded).and_then(|key| read(&key)),
            is_cyrillic: has_cyrillic(text),
        })
    }

    fn is_in(&self, folded: &str) -> bool {
        let [plain, with_merged] = self.spellings.as_slice() else {
            return false;
        };
        plain.is_in(folded) || with_merged.is_in(&merge_umlauts(folded))
    }
}

impl FoldedName {
    /// Returns whether a folded name, in either order, has this surname and given names that begin
    /// like these.
    fn is_in(&self, name: &str) -> bool {
        if let Some((surname, given)) = name.split_once(',') {
            let before = surname.trim().strip_suffix(self.surname.as_str());
            return before.is_some_and(is_end_of_word) && self.begins(words(given));
        }
        name.match_indices(self.surname.as_str())
            .any(|(start, surname)| {
                let (before, after) = (name.get(..start), name.get(start + surname.len()..));
                let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
                let is_word =
                    is_end_of_word(before) && !after.starts_with(|c: char| c.is_alphanumeric());
                is_word && self.begins(words(before).chain(words(after)))
            })
    }

    fn begins<'n>(&self, mut names: impl Iterator<Item = &'n str>) -> bool {
        self.given.iter().all(|given| {
            names.next().is_some_and(|name| {
                let letters = given.letters.as_str();
                name.starts_with(letters) || given.is_short && letters.starts_with(name)
            })
        })
    }
}

fn is_end_of_word(before: &str) -> bool {
    !before.ends_with(|c: char| c.is_alphanumeric())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

impl TextTest {
    /// Reads a text that matches anywhere in another one, or a regular expression.
    pub(crate) fn read(item: &Item) -> Result<TextTest, Fault> {
        if item.form == Form::Regex {
            let mut spelled = String::new();
            spell(&item.text, &mut spelled);
            // Folded texts have no apostrophes.
            let pattern = spelled.replace('\'', "'?");
            let words =
                |reason: String| Fault::from(format!("invalid regular expression: {reason}"));
            return Regex::new(&pattern).map(TextTest::Regex).map_err(words);
        }
        if item.form == Form::Plain {
            refuse_wildcard(&item.text, '*')?;
        }
        if folded(item.text.trim()).is_empty() {
            Err(Fault::from("expected text"))
        } else {
            Ok(TextTest::Part(Box::new(TextPart::new(item.text.trim()))))
        }
    }

    /// Reads a text of a person's name. One with a comma is a surname with the beginning of the
    /// given names.
    pub(crate) fn read_name(item: &Item) -> Result<TextTest, Fault> {
        if item.form != Form::Regex {
            refuse_wildcard(&item.text, '*')?;
            if item.form == Form::Plain {
                refuse_wildcard(&item.text, '%')?;
                // `?` alone is PGN's unknown name.
                let is_inner = item.text.trim_matches('?').contains('?');
                if is_inner || item.text.len() > 1 && item.text.ends_with('?') {
                    refuse_wildcard(&item.text, '?')?;
                }
            }
            if let Some(name) = NamePart::new(item.text.trim()) {
                return Ok(TextTest::Name(Box::new(name)));
            }
        }
        TextTest::read(item)
    }

    /// Returns whether a folded text matches.
    pub(crate) fn fits(&self, folded: &str) -> bool {
        match self {
            TextTest::Part(part) => part.is_in(folded),
            TextTest::Name(name) => name.is_in(folded),
            TextTest::Regex(regex) => regex.is_match(folded),
        }
    }

    /// Returns whether a folded text matches in the form in which Cyrillic names are compared.
    /// `is_cyrillic` states whether the text has Cyrillic letters.
    pub(crate) fn fits_transliterated(&self, folded: &str, is_cyrillic: bool) -> bool {
        match self {
            TextTest::Part(part) => {
                (is_cyrillic || part.is_cyrillic)
                    && is_in_transliterated(part.transliterated.as_ref(), folded)
            }
            TextTest::Name(name) => {
                (is_cyrillic || name.is_cyrillic)
                    && transliteration_key(folded).is_some_and(|key| {
                        name.transliterated
                            .as_ref()
                            .is_some_and(|name| name.is_in(&key))
                    })
            }
            TextTest::Regex(_) => false,
        }
    }

    /// Returns false only if ASCII text that is not yet folded cannot match.
    pub(crate) fn may_be_in(&self, ascii: &[u8]) -> bool {
        match self {
            TextTest::Part(part) => part.may_be_in(ascii),
            TextTest::Name(_) | TextTest::Regex(_) => true,
        }
    }

    /// Returns the folded text, unless it is a regular expression.
    pub(crate) fn folded(&self) -> Option<String> {
        match self {
            TextTest::Part(part) => {
                Some(String::from_utf8_lossy(part.letters.needle()).into_owned())
            }
            TextTest::Name(name) => {
                let name = name.spellings.first()?;
                let given: Vec<&str> = name
                    .given
                    .iter()
                    .map(|given| given.letters.as_str())
                    .collect();
                Some(format!("{}, {}", name.surname, given.join(" ")))
            }
            TextTest::Regex(_) => None,
        }
    }
}

/// Returns an error if a text contains a wildcard of other programs.
fn refuse_wildcard(text: &str, wildcard: char) -> Result<(), Fault> {
    let Some(offset) = text.find(wildcard) else {
        return Ok(());
    };
    let part: String = text.chars().take_while(|c| *c != wildcard).collect();
    let message = if part.is_empty() || !part.chars().all(char::is_alphanumeric) {
        format!("{wildcard} is no wildcard: text matches anywhere, without it")
    } else {
        format!(
            "{wildcard} is no wildcard: text matches anywhere, so write {part}, or the regular \
             expression /^{part}/ for the beginning"
        )
    };
    Err(Fault::at(offset, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
            /// The comparison without folding excludes no text that matches.
            #[test]
            fn a_text_that_matches_may_match(
                word in "[aeouknlzjs' _.1@`{]{1,4}",
                before in "[aeouAEUknlzjsKN' _.1@`{]{0,8}",
                spelled in prop::bool::ANY,
                after in "[aeouAEUknlzjsKN' _.1@`{]{0,8}",
            ) {
                let inner = if spelled {
    word.to_ascii_uppercase().replace('U', "Ue").replace('A', "aA")
    } else {
    word.clone()
    };
                let text = format!("{before}{inner}{after}");
                let part = TextPart::new(&word);
                let is_in = part.is_in(&folded(&text));
                prop_assert!(part.may_be_in(text.as_bytes()) || !is_in, "{word:?} in {text:?}");
            }
        }

    #[test]
    fn names_without_the_letters_are_excluded() {
        let part = TextPart::new("kasparov");
        assert!(part.may_be_in(b"KASPAROV, G"));
        assert!(!part.may_be_in(b"Linares") && !part.may_be_in(b"k") && !part.may_be_in(b""));
        assert_eq!(TextPart::new("oae").pair, None);
        assert_eq!(TextPart::new("andersson").pair, Some(*b"nd"));
    }
}
