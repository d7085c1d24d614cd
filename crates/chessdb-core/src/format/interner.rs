//! The name table of a database that is being written: each name is stored once and has a number.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

/// Names, numbered in order of insertion.
///
/// Before it is looked up, a name is compared with the most recently requested ones: the games of a
/// tournament are adjacent, and the same players often appear in consecutive games with colours
/// reversed.
#[derive(Clone, Default, Debug)]
pub struct Interner {
    /// The first number of each name.
    numbers: HashMap<Arc<[u8]>, u32, RandomState>,
    names: Vec<Arc<[u8]>>,
    /// The numbers of the most recently requested names, the latest first.
    last: [u32; 4],
}

impl Interner {
    /// Returns the number of a name; a new name gets the next number.
    #[inline]
    pub fn number(&mut self, name: &[u8]) -> u32 {
        // Comparing four names costs less than a hash of one.
        let is_it = |&number: &u32| self.get(number) == Some(name);
        if let Some(number) = self.last.iter().copied().find(is_it) {
            return number;
        }
        let existing = self.numbers.get(name).copied();
        let number = existing.unwrap_or_else(|| self.push(name));
        self.last.rotate_right(1);
        if let Some(latest) = self.last.first_mut() {
            *latest = number;
        }
        number
    }

    /// Adds a name and returns its number. If the name is already present, [`Interner::find`] still
    /// returns its first number.
    pub fn push(&mut self, name: &[u8]) -> u32 {
        let number = self.names.len() as u32;
        let name: Arc<[u8]> = name.into();
        // Not `insert`: the first of equal names keeps its number.
        self.numbers.entry(Arc::clone(&name)).or_insert(number);
        self.names.push(name);
        number
    }

    /// Returns the first number of a name, if present.
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Returns the name with a number.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&[u8]> {
        self.names.get(number as usize).map(|name| &**name)
    }

    /// Returns the names in the order of their numbers.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &[u8]> + ExactSizeIterator {
        self.names.iter().map(|name| &**name)
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
