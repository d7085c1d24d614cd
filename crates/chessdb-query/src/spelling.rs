//! Corrections of names, from a list or a spelling file of Scid.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// Names and their corrections.
///
/// ```
/// use chessdb_query::names::{Spelling, Spellings};
///
/// let file = "@PLAYER \"., -\"\nKorchnoi, Viktor #gm SUI\n  %Bio FIDEID 1\n  = Kortchnoi, V\n";
/// let spellings = Spellings::read(file, "PLAYER")?;
/// assert_eq!(spellings.of("Kortchnoi,V."), Spelling::Better("Korchnoi, Viktor".into()));
/// assert_eq!(spellings.of("Karpov, A"), Spelling::Kept);
/// # Ok::<(), chessdb_query::names::SpellingFault>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct Spellings {
    /// The right names. The indexes below refer to this list.
    right: Vec<String>,
    /// The right names by spelling without the ignored characters; several if a spelling is
    /// ambiguous.
    by_spelling: HashMap<String, Vec<u32>>,
    /// Characters that are ignored.
    ignored: String,
    /// Whether the last word may be the surname of a player.
    may_turn: bool,
    corrections: Corrections,
    skipped: Vec<usize>,
}

/// The correction of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Spelling<'s> {
    /// The name is not changed.
    Kept,
    /// This name must be written instead.
    Better(Cow<'s, str>),
    /// Any of these may be the right name.
    Ambiguous(Vec<&'s str>),
}

/// The reason why a list cannot correct names.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SpellingFault {
    /// It contains no name to correct.
    Empty,
    /// Each of these names becomes the next, and the last one the first.
    Circle(Vec<String>),
}

impl fmt::Display for SpellingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpellingFault::Empty => f.write_str("contains no renaming"),
            SpellingFault::Circle(names) => {
                f.write_str("names are renamed in a cycle (")?;
                const SHOWN: usize = 5;
                for name in names.iter().take(SHOWN) {
                    write!(f, "{name} => ")?;
                }
                let rest = if names.len() > SHOWN { "…" } else { "" };
                let first = names.first().map_or("", String::as_str);
                write!(f, "{rest}{first}); remove one of these lines")
            }
        }
    }
}

impl std::error::Error for SpellingFault {}

/// General corrections: a wrong part of a name and the right one.
#[derive(Clone, Default, Debug)]
struct Corrections {
    prefixes: Vec<(String, String)>,
    infixes: Vec<(String, String)>,
    suffixes: Vec<(String, String)>,
}

impl Corrections {
    /// Applies the first prefix that matches, all infixes at all their places, and the first suffix
    /// that matches.
    fn apply<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let mut corrected = Cow::Borrowed(name);
        let of_prefix = self.prefixes.iter().find_map(|(wrong, right)| {
            let rest = corrected.strip_prefix(wrong.as_str())?;
            Some(format!("{right}{rest}"))
        });
        corrected = of_prefix.map_or(corrected, Cow::Owned);
        for (wrong, right) in &self.infixes {
            if corrected.contains(wrong.as_str()) {
                corrected = Cow::Owned(corrected.replace(wrong.as_str(), right));
            }
        }
        let of_suffix = self.suffixes.iter().find_map(|(wrong, right)| {
            let rest = corrected.strip_suffix(wrong.as_str())?;
            Some(format!("{rest}{right}"))
        });
        of_suffix.map_or(corrected, Cow::Owned)
    }

    /// Reads a line that begins with `%`. Returns false if it cannot be parsed.
    fn read(&mut self, line: &str) -> bool {
        let list = match line.split_whitespace().next() {
            Some("%Prefix") => &mut self.prefixes,
            Some("%Infix") => &mut self.infixes,
            Some("%Suffix") => &mut self.suffixes,
            // Data about a player.
            _ => return true,
        };
        let parts: Vec<&str> = line.split('"').collect();
        match parts.as_slice() {
            [_, wrong, _, right, _] if !wrong.is_empty() => {
                list.push(((*wrong).to_owned(), (*right).to_owned()));
                true
            }
            _ => false,
        }
    }
}

impl Spellings {
    /// Reads lines of a name, a tab and a better name, or a spelling file of Scid. Of the latter,
    /// it reads the sections with this name, such as `PLAYER`, and all lines before the first
    /// section.
    ///
    /// # Errors
    ///
    /// Returns an error if there is nothing to correct, or if names of a list form a circle.
    pub fn read(text: &str, section: &str) -> Result<Spellings, SpellingFault> {
        let text = text.trim_start_matches('\u{FEFF}');
        let is_file = text
            .lines()
            .any(|line| line.trim_start().starts_with(['@', '=', '%']));
        let read = if is_file {
            Spellings::from_file(text, section)
        } else {
            Spellings::from_list(text)?
        };
        let Corrections {
            prefixes,
            infixes,
            suffixes,
        } = &read.corrections;
        let is_empty = [prefixes, infixes, suffixes]
            .iter()
            .all(|list| list.is_empty());
        if read.by_spelling.is_empty() && is_empty {
            Err(SpellingFault::Empty)
        } else {
            Ok(read)
        }
    }

    /// Returns the numbers of lines that could not be parsed, counted from 1.
    pub fn skipped(&self) -> &[usize] {
        &self.skipped
    }

    /// Returns the correction of a name.
    pub fn of(&self, name: &str) -> Spelling<'_> {
        let name = name.trim();
        let corrected = self.corrections.apply(name);
        let key = self.key(&corrected);
        let mut indexes = self.by_spelling.get(&key).filter(|_| !key.is_empty());
        // Sources write `Viktor Korchnoi` for `Korchnoi, Viktor`.
        if indexes.is_none()
            && self.may_turn
            && let Some((first, last)) = corrected.rsplit_once(' ')
        {
            indexes = self.by_spelling.get(&self.key(&format!("{last} {first}")));
        }
        let right = |index: &u32| self.right.get(*index as usize).map(String::as_str);
        let meant: Vec<&str> = indexes.into_iter().flatten().filter_map(right).collect();
        match meant.as_slice() {
            right if right.contains(&name) => Spelling::Kept,
            [right] => Spelling::Better(Cow::Borrowed(right)),
            [] if corrected != name && !corrected.trim().is_empty() => {
                Spelling::Better(Cow::Owned(corrected.trim().to_owned()))
            }
            [] => Spelling::Kept,
            _ => Spelling::Ambiguous(meant),
        }
    }

    fn key(&self, name: &str) -> String {
        let counts = |c: &char| !self.ignored.contains(*c);
        name.chars().filter(counts).collect()
    }

    /// Reads a spelling file: a name alone on a line is right, and the names after `=` below it are
    /// its other spellings.
    fn from_file(text: &str, section: &str) -> Spellings {
        let mut read = Spellings {
            may_turn: section == "PLAYER",
            ..Spellings::default()
        };
        let mut spelled: Vec<(&str, u32)> = Vec::new();
        let mut inside = true;
        let mut right = None;
        for (n, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if let Some(header) = line.strip_prefix('@') {
                let title = header.split([' ', '\t', '"']).next();
                let name = title.unwrap_or_default().to_ascii_uppercase();
                inside = name.strip_suffix('S').unwrap_or(&name) == section;
                right = None;
                if let Some(ignored) = header.split('"').nth(1).filter(|_| inside) {
                    read.ignored.push_str(ignored);
                }
                continue;
            }
            if !inside || line.is_empty() || line.starts_with('>') {
                continue;
            }
            if line.starts_with('%') {
                if !read.corrections.read(line) {
                    read.skipped.push(n);
                }
            } else if let Some(name) = line.strip_prefix('=') {
                match right {
                    Some(right) if !name.trim().is_empty() => spelled.push((name.trim(), right)),
                    _ => read.skipped.push(n),
                }
            } else {
                let index = read.right.len() as u32;
                read.right.push(line.to_owned());
                spelled.push((line, index));
                right = Some(index);
            }
        }
        // A later section may add characters to ignore, so the keys are only known now.
        for (name, right) in spelled {
            read.add(name, right);
        }
        read
    }

    fn add(&mut self, name: &str, right: u32) {
        let key = self.key(name);
        let name = self.right.get(right as usize).cloned();
        let meant = self.by_spelling.entry(key).or_default();
        // A name that is listed twice counts once.
        let is_listed = |index: &u32| self.right.get(*index as usize) == name.as_ref();
        if meant.len() < MOST_MEANT && !meant.iter().any(is_listed) {
            meant.push(right);
        }
    }

    /// Reads a list.
    fn from_list(text: &str) -> Result<Spellings, SpellingFault> {
        let mut pairs = Vec::new();
        let mut skipped = Vec::new();
        for (n, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            let mut fields = line.split('\t');
            let old = fields.next().unwrap_or_default().trim();
            let rest = fields.next().unwrap_or_default();
            let new = rest.split(" # ").next().unwrap_or_default().trim();
            if old.is_empty() || new.is_empty() || new.starts_with('#') {
                skipped.push(n);
                continue;
            }
            pairs.push((old, new));
        }
        let read = Spellings::from_pairs(pairs)?;
        Ok(Spellings { skipped, ..read })
    }

    /// Creates corrections from pairs of a name and a better name, following chains of better names
    /// to the end.
    ///
    /// # Errors
    ///
    /// Returns an error if names form a circle.
    pub fn from_pairs<'n>(
        pairs: impl IntoIterator<Item = (&'n str, &'n str)>,
    ) -> Result<Spellings, SpellingFault> {
        let mut read = Spellings::default();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut names: Vec<&str> = Vec::new();
        let mut better: Vec<Vec<usize>> = Vec::new();
        let mut seen = HashSet::new();
        for (old, new) in pairs {
            let [old, new] = [old.trim(), new.trim()].map(|name| {
                *places.entry(name).or_insert_with(|| {
                    names.push(name);
                    better.push(Vec::new());
                    names.len() - 1
                })
            });
            if old != new
                && seen.insert((old, new))
                && let Some(list) = better.get_mut(old)
            {
                list.push(new);
            }
        }
        let name = |index: usize| names.get(index).map_or("", |name| name).to_owned();
        let chain_ends = ends(&better)
            .map_err(|circle| SpellingFault::Circle(circle.into_iter().map(name).collect()))?;
        read.right = names.iter().map(|name| (*name).to_owned()).collect();
        for (old, end) in chain_ends.iter().enumerate() {
            let meant = match end {
                Some(end) if *end == old => continue,
                Some(end) => vec![*end as u32],
                None => meant(old, &better),
            };
            read.by_spelling.insert(name(old), meant);
        }
        Ok(read)
    }
}

/// The largest number of right names kept for an ambiguous name.
const MOST_MEANT: usize = 8;

/// Returns the right names for an ambiguous one.
fn meant(name: usize, better: &[Vec<usize>]) -> Vec<u32> {
    let mut current = name;
    // A name with one better name is as ambiguous as that one.
    while let Some([next]) = better.get(current).map(Vec::as_slice) {
        current = *next;
    }
    let all = better.get(current).into_iter().flatten();
    all.take(MOST_MEANT).map(|&name| name as u32).collect()
}

/// Returns for each name the end of its chain of better names; `None` if there are several. Names
/// that form a circle are an error.
pub(crate) fn ends(better: &[Vec<usize>]) -> Result<Vec<Option<usize>>, Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done(Option<usize>),
    }
    let mut states = vec![State::New; better.len()];
    let set = |states: &mut [State], index: usize, state| {
        if let Some(place) = states.get_mut(index) {
            *place = state;
        }
    };
    // The names with better ones still to follow, each with the number already followed.
    let mut path: Vec<(usize, usize)> = Vec::new();
    for start in 0..better.len() {
        if states.get(start) == Some(&State::New) {
            path.push((start, 0));
            set(&mut states, start, State::Open);
        }
        while let Some((name, looked)) = path.last_mut() {
            let all = better.get(*name).map(Vec::as_slice).unwrap_or_default();
            if let Some(&next) = all.get(*looked) {
                *looked += 1;
                match states.get(next) {
                    Some(State::New) => {
                        set(&mut states, next, State::Open);
                        path.push((next, 0));
                    }
                    Some(State::Open) => {
                        // The name is on the path, which is a circle from there on.
                        let names = path.iter().map(|(name, _)| *name);
                        return Err(names.skip_while(|name| *name != next).collect());
                    }
                    _ => {}
                }
                continue;
            }
            let name = *name;
            let mut ends = all.iter().map(|next| match states.get(*next) {
                Some(State::Done(end)) => *end,
                _ => None,
            });
            let end = match ends.next() {
                None => Some(name),
                Some(first) => first.filter(|_| ends.all(|end| end == first)),
            };
            set(&mut states, name, State::Done(end));
            path.pop();
        }
    }
    let ends = states.into_iter().map(|state| match state {
        State::Done(end) => end,
        _ => None,
    });
    Ok(ends.collect())
}

#[cfg(test)]
mod tests;
