//! The names of a base that is being written: each once, by number.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

/// Names, numbered in the order in which they came.
///
/// A name is compared with the ones that were asked for last before it is looked up: the games of a
/// tournament follow one another, and a player has the other colour as often as the same.
#[derive(Clone, Default, Debug)]
pub struct Interner {
    /// The first number of each name.
    numbers: HashMap<Arc<[u8]>, u32, RandomState>,
    names: Vec<Arc<[u8]>>,
    /// The numbers of the names that were asked for last, the latest first.
    last: [u32; 4],
}

impl Interner {
    /// The number of a name, which gets the next one if it is new.
    #[inline]
    pub fn number(&mut self, name: &[u8]) -> u32 {
        let is_it = |&number: &u32| self.get(number) == Some(name);
        if let Some(number) = self.last.iter().copied().find(is_it) {
            return number;
        }
        let found = self.numbers.get(name).copied();
        let number = found.unwrap_or_else(|| self.push(name));
        self.last.rotate_right(1);
        if let Some(latest) = self.last.first_mut() {
            *latest = number;
        }
        number
    }

    /// Adds a name, even one that is there already, which keeps its first number.
    pub fn push(&mut self, name: &[u8]) -> u32 {
        let number = self.names.len() as u32;
        let name: Arc<[u8]> = name.into();
        self.numbers.entry(Arc::clone(&name)).or_insert(number);
        self.names.push(name);
        number
    }

    /// The first number of a name, if it is there.
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The name with a number.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&[u8]> {
        self.names.get(number as usize).map(|name| &**name)
    }

    /// The names by their numbers.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &[u8]> + ExactSizeIterator {
        self.names.iter().map(|name| &**name)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
