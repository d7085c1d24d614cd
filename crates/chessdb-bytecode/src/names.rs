//! The tables Player, Event, Site and Opening: names by their numbers.

use std::collections::HashMap;

use chessdb_core::BaseInfo;
use chessdb_core::format::Interner;
use chessdb_core::model::NameRole;
use chessdb_core::text::TextId;

/// The text of row 0 in each of the tables, which means unknown.
pub(crate) const UNKNOWN: &[u8] = b"-";

/// The roles of the tables, in the order of [`NameLookup`].
pub(crate) const ROLES: [NameRole; 4] = [
    NameRole::Player,
    NameRole::Event,
    NameRole::Site,
    NameRole::Opening,
];

/// One of the name tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NameList {
    Player,
    Event,
    Site,
    Opening,
}

/// The result of looking up a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NameMatch {
    /// The row for an unknown name, or no number at all.
    Nothing,
    /// A name, in the arena of the database.
    Name(TextId),
    /// No row has this number.
    Missing,
}

/// The names of a database by their numbers.
#[derive(Clone, Default, Debug)]
pub(crate) struct NameLookup {
    lists: [NamesById; 4],
    /// Whether each table exists.
    present: [bool; 4],
}

impl NameLookup {
    /// Adds a name. Returns false if its number is taken.
    pub(crate) fn insert(&mut self, list: NameList, id: i64, text: TextId) -> bool {
        match self.lists.get_mut(list as usize) {
            Some(names) => names.insert(id, text),
            None => false,
        }
    }

    /// Records that a table exists.
    pub(crate) fn set_present(&mut self, list: NameList) {
        if let Some(present) = self.present.get_mut(list as usize) {
            *present = true;
        }
    }

    /// Returns whether a table exists.
    pub(crate) fn is_present(&self, list: NameList) -> bool {
        self.present.get(list as usize) == Some(&true)
    }

    /// Returns the name with a number. Row 0 means unknown unless it has its own name. If the table
    /// is missing the result is [`NameMatch::Nothing`]; this has already been reported.
    pub(crate) fn get(&self, list: NameList, id: Option<i64>, base: &BaseInfo) -> NameMatch {
        let Some(id) = id else {
            return NameMatch::Nothing;
        };
        let names = self.lists.get(list as usize);
        match names.and_then(|names| names.get(id)) {
            Some(text) if id == 0 && base.texts.get(text).as_bytes() == UNKNOWN => {
                NameMatch::Nothing
            }
            Some(text) => NameMatch::Name(text),
            None if id == 0 => NameMatch::Nothing,
            None if !self.is_present(list) => NameMatch::Nothing,
            None => NameMatch::Missing,
        }
    }
}

/// The texts of a table by their numbers. Most numbers are consecutive.
#[derive(Clone, Default, Debug)]
struct NamesById {
    /// The first number added.
    first: i64,
    /// The texts of that number and of the consecutive numbers after it.
    run: Vec<TextId>,
    others: HashMap<i64, TextId>,
}

impl NamesById {
    /// Returns the index in the run that a number would have.
    fn place(&self, id: i64) -> Option<usize> {
        usize::try_from(id.checked_sub(self.first)?).ok()
    }

    /// Adds a text. Returns false if its number is taken.
    fn insert(&mut self, id: i64, text: TextId) -> bool {
        if self.run.is_empty() {
            self.first = id;
        }
        // A number that came before its neighbors is among the others already.
        if self.place(id) == Some(self.run.len()) && !self.others.contains_key(&id) {
            self.run.push(text);
            return true;
        }
        match self.place(id).and_then(|index| self.run.get_mut(index)) {
            // As in a map, the later row replaces the earlier one.
            Some(taken) => {
                *taken = text;
                false
            }
            None => self.others.insert(id, text).is_none(),
        }
    }

    #[inline]
    fn get(&self, id: i64) -> Option<TextId> {
        self.place(id)
            .and_then(|index| self.run.get(index))
            .or_else(|| self.others.get(&id))
            .copied()
    }
}

/// A name table that is being built.
#[derive(Clone, Debug)]
pub(crate) struct NameTableBuilder {
    names: Interner,
    /// The number of each name.
    numbers: Vec<i64>,
    /// The name for each number.
    rows: HashMap<i64, u32>,
    next: i64,
}

impl NameTableBuilder {
    /// Creates a table with only the row for unknown names.
    pub(crate) fn new() -> NameTableBuilder {
        NameTableBuilder {
            names: Interner::default(),
            numbers: Vec::new(),
            rows: HashMap::new(),
            next: 1,
        }
    }

    /// Copies a name with its number. Row 0 is reserved, so its name gets another number.
    pub(crate) fn take_over(&mut self, key: u32, name: &[u8]) {
        let key = i64::from(key);
        if key == 0 || self.rows.contains_key(&key) {
            self.id(None, Some(name));
            return;
        }
        let name = self.names.push(name);
        self.numbers.push(key);
        self.rows.insert(key, name);
        self.next = self.next.max(key + 1);
    }

    /// Returns the number of a name, adding the name if it is new; 0 for no name. `key` is its
    /// previous number, which is used if it still refers to this name.
    pub(crate) fn id(&mut self, key: Option<u32>, name: Option<&[u8]>) -> i64 {
        let Some(name) = name else { return 0 };
        if let Some(key) = key.map(i64::from)
            && let Some(&existing) = self.rows.get(&key)
            && self.names.get(existing) == Some(name)
        {
            return key;
        }
        let number = self.names.number(name);
        if let Some(&id) = self.numbers.get(number as usize) {
            return id;
        }
        let id = self.next;
        self.next += 1;
        self.numbers.push(id);
        self.rows.insert(id, number);
        id
    }

    /// Returns all rows in the order of their numbers.
    pub(crate) fn rows(&self) -> Vec<(i64, &[u8])> {
        let names = self.numbers.iter().copied().zip(self.names.names());
        let mut rows: Vec<_> = names.chain([(0, UNKNOWN)]).collect();
        rows.sort_unstable();
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_numbers() {
        let mut names = NameTableBuilder::new();
        for (key, name) in [(7, "Tal"), (3, "Tal"), (0, "odd"), (5, "-")] {
            names.take_over(key, name.as_bytes());
        }
        assert_eq!(names.id(None, Some(b"Tal")), 7);
        assert_eq!(names.id(Some(3), Some(b"Tal")), 3);
        assert_eq!(names.id(Some(3), Some(b"Ivkov")), 9);
        assert_eq!(names.id(Some(3), None), 0);
        assert_eq!(names.id(None, Some(b"-")), 5);
        let rows = names.rows();
        let expected: [(i64, &[u8]); 6] = [
            (0, b"-"),
            (3, b"Tal"),
            (5, b"-"),
            (7, b"Tal"),
            (8, b"odd"),
            (9, b"Ivkov"),
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn numbers_may_come_in_any_order() {
        let mut base = BaseInfo::default();
        let orders: [&[i64]; 6] = [
            &[0, 1, 2, 3],
            &[5, 6, 8, 7, 9, 6],
            &[3, 2, 1, 0, 4],
            &[7, 9, 8, 8, 9, 10],
            &[i64::MAX, i64::MIN, 0, -1],
            &[i64::MIN, i64::MAX, i64::MIN + 1],
        ];
        for order in orders {
            let (mut fast, mut plain) = (NamesById::default(), HashMap::new());
            for &id in order {
                let text = base.texts.push(b"x", chessdb_core::Charset::UTF_8);
                assert_eq!(
                    fast.insert(id, text),
                    plain.insert(id, text).is_none(),
                    "{order:?} {id}"
                );
            }
            for id in (-2..12).chain([i64::MIN, i64::MIN + 1, i64::MIN + 2, i64::MAX]) {
                assert_eq!(fast.get(id), plain.get(&id).copied(), "{order:?} {id}");
            }
        }
    }

    #[test]
    fn row_0_means_nothing_unless_it_has_a_name() {
        let mut base = BaseInfo::default();
        let mut push = |name: &[u8]| base.texts.push(name, chessdb_core::Charset::UTF_8);
        let (unknown, tal) = (push(b"-"), push(b"Tal"));
        let mut names = NameLookup::default();
        assert_eq!(
            names.get(NameList::Player, Some(5), &base),
            NameMatch::Nothing
        );
        names.set_present(NameList::Player);
        assert!(names.insert(NameList::Player, 0, unknown));
        assert!(names.insert(NameList::Player, 1, unknown));
        assert!(!names.insert(NameList::Player, 1, tal));
        assert!(names.insert(NameList::Site, 0, tal));
        for (list, id, expected) in [
            (NameList::Player, None, NameMatch::Nothing),
            (NameList::Player, Some(0), NameMatch::Nothing),
            (NameList::Player, Some(5), NameMatch::Missing),
            (NameList::Event, Some(0), NameMatch::Nothing),
            (NameList::Site, Some(0), NameMatch::Name(tal)),
        ] {
            assert_eq!(names.get(list, id, &base), expected, "{list:?} {id:?}");
        }
    }
}
