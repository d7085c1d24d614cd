//! Tables of addresses (docs/formats/chess-assistant.md, sections 4.1 and 7): a non-negative number
//! is an offset, a negative number is an alias of the entry with its absolute value.

/// The location of an entry's record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Address {
    /// The record is at this offset.
    At(u32),
    /// The entry's chain of aliases leaves the table.
    NoEntry,
    /// The entry's chain of aliases leads back to itself.
    Cycle,
}

impl Address {
    /// Returns the offset, if there is one.
    pub fn offset(self) -> Option<u32> {
        match self {
            Address::At(offset) => Some(offset),
            Address::NoEntry | Address::Cycle => None,
        }
    }
}

/// Returns the numbers of a table, and the up to three bytes after the last.
pub fn addresses(bytes: &[u8]) -> (Vec<i32>, &[u8]) {
    let (numbers, tail) = bytes.as_chunks::<4>();
    (
        numbers
            .iter()
            .map(|number| i32::from_le_bytes(*number))
            .collect(),
        tail,
    )
}

/// Returns the bytes of a table.
pub fn addresses_to_bytes(numbers: &[i32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

/// The meaning of one number.
enum Step {
    At(u32),
    Alias(usize),
    NoEntry,
}

fn step(table: &[i32], entry: usize) -> Step {
    match table.get(entry) {
        None => Step::NoEntry,
        Some(&number) => match u32::try_from(number) {
            // QUIRK: 0 is an address, not an alias of itself (section 4.1).
            Ok(offset) => Step::At(offset),
            Err(_) => Step::Alias(number.unsigned_abs() as usize),
        },
    }
}

/// Resolves all aliases, in time linear in the size of the table.
pub fn resolve(table: &[i32]) -> Vec<Address> {
    // Almost all tables have no aliases.
    if table.iter().all(|&number| number >= 0) {
        return table
            .iter()
            .map(|&number| Address::At(number as u32))
            .collect();
    }
    let mut resolved: Vec<Option<Address>> = vec![None; table.len()];
    // The pass that last visited each entry, to detect cycles.
    let mut seen = vec![0u32; table.len()];
    let mut path = Vec::new();
    for (start, pass) in (0..table.len()).zip(1u32..) {
        let mut entry = start;
        let end = loop {
            match resolved.get(entry) {
                Some(Some(address)) => break *address,
                Some(None) => {}
                None => break Address::NoEntry,
            }
            if let Some(seen) = seen.get_mut(entry)
                && std::mem::replace(seen, pass) == pass
            {
                break Address::Cycle;
            }
            path.push(entry);
            match step(table, entry) {
                Step::At(offset) => break Address::At(offset),
                Step::Alias(next) => entry = next,
                Step::NoEntry => break Address::NoEntry,
            }
        };
        // All entries of a chain end in the same place, so none is followed twice.
        for entry in path.drain(..) {
            if let Some(place) = resolved.get_mut(entry) {
                *place = Some(end);
            }
        }
    }
    resolved
        .into_iter()
        .map(|address| address.unwrap_or(Address::NoEntry))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Follows the wording of the format page: repeat at most as often as the table has entries.
    fn by_the_page(table: &[i32], mut entry: i64) -> Address {
        for _ in 0..=table.len() {
            let Some(&number) = usize::try_from(entry).ok().and_then(|at| table.get(at)) else {
                return Address::NoEntry;
            };
            if number >= 0 {
                return Address::At(number as u32);
            }
            entry = -i64::from(number);
        }
        Address::Cycle
    }

    #[test]
    fn zero_is_an_address_and_the_smallest_number_no_panic() {
        let table = [0, -2, -1, i32::MIN, -4, -9, 7, -6];
        assert_eq!(
            resolve(&table),
            [
                Address::At(0),
                Address::Cycle,
                Address::Cycle,
                Address::NoEntry,
                Address::Cycle,
                Address::NoEntry,
                Address::At(7),
                Address::At(7)
            ]
        );
    }

    proptest! {
        #[test]
        fn all_entries_resolve_as_the_page_says(table in prop::collection::vec(-20..20, 0..20)) {
            let expected: Vec<_> = (0..table.len()).map(|n| by_the_page(&table, n as i64)).collect();
            prop_assert_eq!(resolve(&table), expected);
        }

        #[test]
        fn tables_come_back(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let (numbers, tail) = addresses(&bytes);
            let mut back = addresses_to_bytes(&numbers);
            back.extend_from_slice(tail);
            prop_assert_eq!(back, bytes);
        }
    }
}
