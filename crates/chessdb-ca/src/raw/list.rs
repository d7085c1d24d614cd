//! The name lists inside an EMB (docs/formats/chess-assistant.md, section 4).

use chessdb_core::raw::Parsed;
use chessdb_core::record;
use chessdb_core::record::Little;
use nom::Parser as _;
use nom::bytes::complete::take;
use nom::number::complete::u8 as byte;

use super::address::{Address, addresses, addresses_to_bytes, resolve};
use super::emb::Emb;
use super::raw_header::DateCode;
use super::scattered::{ScatteredRecord, ScatteredRecords};

/// The lists in their order in an EMB.
pub const LIST_NAMES: [&str; 4] = ["Players", "Events", "Places", "Sources"];

/// A name in `d01`; players also have a title.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameRecord<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The title; players only.
    pub title: Option<&'a [u8]>,
}

impl<'a> NameRecord<'a> {
    /// Maximum length of a name or a title, in bytes.
    pub const MAX: usize = 255;

    /// Reads a record. Returns `None` if the file ends within it.
    pub fn parse(bytes: &'a [u8], players: bool) -> Option<NameRecord<'a>> {
        let (_, record) = if players { player(bytes) } else { name(bytes) }.ok()?;
        Some(record)
    }

    /// Appends the bytes of the record; name and title are cut at 255 bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        let cut = |text: &'a [u8]| text.get(..NameRecord::MAX).unwrap_or(text);
        let (name, title) = (cut(self.name), self.title.map(cut));
        out.push(name.len() as u8);
        out.extend(title.map(|title| title.len() as u8));
        out.extend_from_slice(name);
        out.extend_from_slice(title.unwrap_or_default());
    }
}

fn player(bytes: &[u8]) -> Parsed<'_, NameRecord<'_>> {
    let (rest, (name, title)) = (byte, byte).parse(bytes)?;
    let (rest, (name, title)) = (take(name), take(title)).parse(rest)?;
    Ok((
        rest,
        NameRecord {
            name,
            title: Some(title),
        },
    ))
}

fn name(bytes: &[u8]) -> Parsed<'_, NameRecord<'_>> {
    let (rest, length) = byte.parse(bytes)?;
    let (rest, name) = take(length).parse(rest)?;
    Ok((rest, NameRecord { name, title: None }))
}

/// A [`NameRecord`] for [`ScatteredRecords`]. `PLAYERS` states whether the list has titles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ListRecord<'a, const PLAYERS: bool>(NameRecord<'a>);

impl<'a, const PLAYERS: bool> ScatteredRecord<'a> for ListRecord<'a, PLAYERS> {
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        NameRecord::parse(bytes, PLAYERS).map(ListRecord)
    }

    fn size(&self) -> usize {
        let NameRecord { name, title } = self.0;
        1 + name.len() + title.map_or(0, |title| 1 + title.len())
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }
}

record! {
    /// The data of a player in `Players.d00` (section 4.3).
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub struct PlayerData: Little, 10 {
        /// Rating; 0 if none.
        0..2 elo: u16 = "rating: {elo}",
        /// FIDE number; 0 if none.
        2..6 fide_id: u32 = "FIDE number: {fide_id}",
        /// Date of birth.
        6..9 birthday: DateCode = "date of birth: {birthday}",
        /// 0 unknown, 1 male, 2 female.
        9..10 gender: u8 = "gender: {gender}",
    }
}

/// The seven inner files of a list; empty if the EMB lacks one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ListFiles<'a> {
    /// The description.
    pub cdp: &'a [u8],
    /// The numbers of the names in sorted order.
    pub iii: &'a [u8],
    /// A bit mask of unknown meaning.
    pub axx: &'a [u8],
    /// Another bit mask of unknown meaning.
    pub dxx: &'a [u8],
    /// Data of fixed size; documented for players only.
    pub d00: &'a [u8],
    /// The addresses of the names.
    pub a01: &'a [u8],
    /// The names.
    pub d01: &'a [u8],
}

impl<'a> ListFiles<'a> {
    /// The suffixes in their order in an EMB.
    pub const SUFFIXES: [&'static str; 7] = ["cdp", "iii", "axx", "dxx", "d00", "a01", "d01"];

    /// Returns the files of the list with this name.
    pub fn find(emb: &'a Emb<'a>, list: &str) -> ListFiles<'a> {
        let get = |suffix: &str| emb.file(&format!("{list}.{suffix}")).unwrap_or_default();
        ListFiles {
            cdp: get("cdp"),
            iii: get("iii"),
            axx: get("axx"),
            dxx: get("dxx"),
            d00: get("d00"),
            a01: get("a01"),
            d01: get("d01"),
        }
    }
}

/// A list with resolved addresses.
#[derive(Clone, Debug)]
pub struct NameList<'a> {
    files: ListFiles<'a>,
    players: bool,
    addresses: Vec<Address>,
}

impl<'a> NameList<'a> {
    /// Resolves the addresses of a list.
    pub fn new(files: ListFiles<'a>, players: bool) -> NameList<'a> {
        let addresses = resolve(&addresses(files.a01).0);
        NameList {
            files,
            players,
            addresses,
        }
    }

    /// Returns the count of numbers in the list, including aliases.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    /// Returns whether the list has no numbers.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// Returns the address of the name with this number.
    pub fn address(&self, id: usize) -> Option<Address> {
        self.addresses.get(id).copied()
    }

    /// Returns the name with this number, if its record can be reached and is complete.
    pub fn name(&self, id: usize) -> Option<NameRecord<'a>> {
        let offset = self.address(id)?.offset()?;
        NameRecord::parse(self.files.d01.get(offset as usize..)?, self.players)
    }

    /// Returns the data of the player with this number.
    pub fn player(&self, id: usize) -> Option<PlayerData> {
        let rows = self.files.d00.as_chunks().0;
        Some(PlayerData::parse(rows.get(id).filter(|_| self.players)?))
    }

    /// Returns the bytes of `a01`, `d01` and `d00`, from the parsed numbers, records and rows.
    pub fn to_bytes(&self) -> [Vec<u8>; 3] {
        let (numbers, tail) = addresses(self.files.a01);
        let mut a01 = addresses_to_bytes(&numbers);
        a01.extend_from_slice(tail);
        let offsets = self.addresses.iter().filter_map(|address| address.offset());
        if !self.players {
            let names = ScatteredRecords::<ListRecord<'_, false>>::parse(self.files.d01, offsets);
            return [a01, names.to_bytes(), self.files.d00.to_vec()];
        }
        let names = ScatteredRecords::<ListRecord<'_, true>>::parse(self.files.d01, offsets);
        let (rows, tail) = self.files.d00.as_chunks();
        let mut d00: Vec<u8> = rows
            .iter()
            .flat_map(|row| PlayerData::parse(row).to_bytes())
            .collect();
        d00.extend_from_slice(tail);
        [a01, names.to_bytes(), d00]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_cut_and_ends_noticed() {
        let long = [b'x'; 300];
        let mut out = Vec::new();
        NameRecord {
            name: &long,
            title: Some(b"GM"),
        }
        .write(&mut out);
        assert_eq!((out.len(), &out[..2]), (2 + 255 + 2, &[255, 2][..]));
        assert!(NameRecord::parse(&out, true).is_some());
        assert!(NameRecord::parse(&out[..258], true).is_none());
        assert!(NameRecord::parse(&[], false).is_none());
        assert_eq!(NameRecord::parse(&[0], false).unwrap().name, b"");
    }

    proptest! {
        #[test]
        fn every_list_comes_back(
            a01 in prop::collection::vec(-6i32..60, 0..12),
            d01 in prop::collection::vec(0u8..20, 0..60),
            d00 in prop::collection::vec(any::<u8>(), 0..45),
            players in any::<bool>(),
        ) {
            let a01 = addresses_to_bytes(&a01);
            let files = ListFiles { a01: &a01, d01: &d01, d00: &d00, ..ListFiles::default() };
            let list = NameList::new(files, players);
            prop_assert_eq!(list.to_bytes(), [a01.clone(), d01.clone(), d00.clone()]);
            prop_assert_eq!(list.is_empty(), a01.is_empty());
            for id in 0..=list.len() {
                if let Some(record) = list.name(id) {
                    let mut out = Vec::new();
                    record.write(&mut out);
                    let at = list.address(id).unwrap().offset().unwrap() as usize;
                    prop_assert_eq!(&out[..], &d01[at..at + out.len()]);
                    prop_assert_eq!(ListRecord::<false>(record).size(), out.len());
                }
            }
        }

        #[test]
        fn every_row_comes_back(bytes in any::<[u8; 10]>()) {
            prop_assert_eq!(PlayerData::parse(&bytes).to_bytes(), bytes);
        }
    }
}
