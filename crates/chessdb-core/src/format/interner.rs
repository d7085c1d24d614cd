//! The name table of a database that is being written: each name is stored once and has a number.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// Names, numbered in order of insertion.
///
/// Before it is looked up, a name is compared with the most recently requested ones: the games of a
/// tournament are adjacent, and the same players often appear in consecutive games with colours
/// reversed.
#[derive(Clone, Default, Debug)]
pub struct Interner {
    /// The names one after another, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The first number of each name, once no searches are left.
    numbers: HashMap<Box<[u8]>, u32, RandomState>,
    /// How many times all names are compared before they get a table.
    searches_left: u32,
    /// The numbers of the most recently requested names, the latest first.
    last: [u32; 4],
}

impl Interner {
    /// The number of searches after which a table of all names has cost less.
    const SEARCHES: u32 = 16;

    /// Creates a list for many existing names and few searches. It makes a table of the names only after
    /// [`Interner::number`] has compared all names with several others.
    pub fn for_few_searches() -> Interner {
        Interner {
            searches_left: Interner::SEARCHES,
            ..Interner::default()
        }
    }

    /// Returns the number of a name; a new name gets the next number.
    #[inline]
    pub fn number(&mut self, name: &[u8]) -> u32 {
        // Comparing four names costs less than a hash of one.
        let is_it = |&number: &u32| self.get(number) == Some(name);
        if let Some(number) = self.last.iter().copied().find(is_it) {
            return number;
        }
        let existing = self.find(name);
        self.count_search();
        let number = existing.unwrap_or_else(|| self.push(name));
        self.last.rotate_right(1);
        if let Some(latest) = self.last.first_mut() {
            *latest = number;
        }
        number
    }

    fn count_search(&mut self) {
        if self.searches_left == 0 {
            return;
        }
        self.searches_left -= 1;
        if self.searches_left == 0 {
            for number in 0..self.ends.len() as u32 {
                self.add_to_table(number);
            }
        }
    }

    /// Adds a name and returns its number. If the name is already present, [`Interner::find`] still
    /// returns its first number.
    pub fn push(&mut self, name: &[u8]) -> u32 {
        let number = self.ends.len() as u32;
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        if self.searches_left == 0 {
            self.add_to_table(number);
        }
        number
    }

    fn add_to_table(&mut self, number: u32) {
        let name: Box<[u8]> = self.get(number).unwrap_or_default().into();
        // Not `insert`: the first of equal names keeps its number.
        self.numbers.entry(name).or_insert(number);
    }

    /// Returns the first number of a name, if present.
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        if self.searches_left == 0 {
            return self.numbers.get(name).copied();
        }
        let place = self.names().position(|other| other == name);
        place.map(|place| place as u32)
    }

    /// Returns the name with a number.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&[u8]> {
        let number = number as usize;
        let end = *self.ends.get(number)?;
        let start = number
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        self.bytes.get(start.copied().unwrap_or(0)..end)
    }

    /// Returns the names in the order of their numbers.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &[u8]> + ExactSizeIterator {
        let numbers = 0..self.ends.len();
        numbers.map(|number| self.get(number as u32).unwrap_or_default())
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}
