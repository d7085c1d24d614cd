//! The names .2lid (docs/formats/2cbh.md, section 3): big-endian header, little-endian records.

use crate::raw::bytes::{Input, be32, be64, le32};

/// The kinds of names, with their numbers in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntityKind {
    /// Players and annotators.
    Player = 0,
    /// Tournaments.
    Tournament = 1,
    /// Sources.
    Source = 2,
    /// Teams.
    Team = 4,
    /// Game tags, and titles of texts and analyses.
    Titles = 5,
}

/// A type in the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntityType {
    /// The size of a container in bytes.
    pub size: u32,
    /// The number of names, including deleted ones.
    pub count: u64,
    /// The number of the first deleted name, or -1.
    pub first_deleted: i64,
    /// The offset of the container in its block.
    pub offset: usize,
}

/// The content of .2lid: blocks with one container for each type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntityFile<'a> {
    /// The header; empty if it is damaged or missing.
    pub header: &'a [u8],
    /// The types in the header.
    pub types: Vec<EntityType>,
    /// The blocks; the file ends after the last record.
    pub blocks: &'a [u8],
    block: usize,
}

impl<'a> EntityFile<'a> {
    /// The number of types in every known file.
    pub const TYPES: u32 = 6;
    /// The size of a type in the header in bytes.
    const TYPE: usize = 20;
    /// The content of a deleted name, before the number of the next one.
    pub const DELETED: [u8; 8] = [0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99];

    /// Parses a file of names. Any bytes are valid.
    pub fn parse(bytes: &'a [u8]) -> EntityFile<'a> {
        let size = usize::try_from(be32(bytes, 0)).unwrap_or(usize::MAX);
        let least = 8 + EntityFile::TYPE * EntityFile::TYPES as usize;
        // Every known file has six types (section 3). Without them no container can be located.
        let is_known = size >= least && be32(bytes, 4) == EntityFile::TYPES;
        let Some((header, blocks)) = bytes.split_at_checked(size).filter(|_| is_known) else {
            return EntityFile {
                header: &[],
                types: Vec::new(),
                blocks: bytes,
                block: 0,
            };
        };
        let mut block: usize = 0;
        let mut types = Vec::new();
        for offset in (8..least).step_by(EntityFile::TYPE) {
            let size = be32(header, offset);
            types.push(EntityType {
                size,
                count: be64(header, offset + 4),
                first_deleted: be64(header, offset + 12) as i64,
                offset: block,
            });
            block = block.saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
        }
        EntityFile {
            header,
            types,
            blocks,
            block,
        }
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        [self.header, self.blocks].concat()
    }

    /// Returns the range of a container in the file, of which the end may be missing.
    pub fn place(&self, kind: EntityKind, id: u64) -> Option<std::ops::Range<usize>> {
        let of = self.types.get(kind as usize)?;
        let id = usize::try_from(id).ok()?;
        let in_blocks = id.checked_mul(self.block)?.checked_add(of.offset)?;
        let start = in_blocks.checked_add(self.header.len())?;
        Some(start..start.checked_add(usize::try_from(of.size).ok()?)?)
    }

    /// Returns true if the file reaches the length field of a record of the type with this number.
    pub fn has_record(&self, kind: usize, id: u64) -> bool {
        let end = self.types.get(kind).and_then(|of| {
            let id = usize::try_from(id).ok()?;
            id.checked_mul(self.block)?
                .checked_add(of.offset)?
                .checked_add(4)
        });
        end.is_some_and(|end| end <= self.blocks.len())
    }

    /// Returns the number of blocks of which at least a part exists.
    pub fn block_count(&self) -> usize {
        // A damaged header may state sizes of 0.
        self.blocks.len().div_ceil(self.block.max(1))
    }

    /// Returns the fields of a name. `None` if it does not exist, is deleted, or does not fit its
    /// container.
    #[inline]
    pub fn get(&self, kind: EntityKind, id: i64) -> Option<&'a [u8]> {
        let fields = self.stored(kind, id)?;
        (!fields.starts_with(&EntityFile::DELETED)).then_some(fields)
    }

    /// Returns the fields of a name, deleted or not.
    fn stored(&self, kind: EntityKind, id: i64) -> Option<&'a [u8]> {
        let place = self.place(kind, u64::try_from(id).ok()?)?;
        let start = place.start.checked_sub(self.header.len())?;
        let rest = self.blocks.get(start..)?;
        // The file ends after its last name, so the last container may be short.
        let container = rest.get(..place.len()).unwrap_or(rest);
        Input(container)
            .counted()
            .filter(|fields| !fields.is_empty())
    }

    /// Returns the number that follows a deleted name in the list of deleted names, or -1; `None`
    /// if the name is not deleted.
    pub fn next_deleted(&self, kind: EntityKind, id: i64) -> Option<i64> {
        let number = self.stored(kind, id)?.strip_prefix(&EntityFile::DELETED)?;
        number.try_into().ok().map(i64::from_le_bytes)
    }
}

/// A player or annotator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Player<'a> {
    /// The family name.
    pub last: &'a [u8],
    /// The first name.
    pub first: &'a [u8],
    /// The FIDE number; -1 and 0 mean none.
    pub fide_id: i64,
}

impl<'a> Player<'a> {
    /// Parses the fields. `None` if they end too early.
    pub fn parse(fields: &'a [u8]) -> Option<Player<'a>> {
        let mut input = Input(fields);
        let [last, first] = [input.counted()?, input.counted()?];
        // Two zeros, ChessBase's number, and 8.
        input.take(16)?;
        let fide_id = i64::from_le_bytes(*input.take(8)?.first_chunk()?);
        Some(Player {
            last,
            first,
            fide_id,
        })
    }
}

/// A tournament.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tournament<'a> {
    /// The place.
    pub place: &'a [u8],
    /// The name.
    pub title: &'a [u8],
    /// The start date.
    pub date: u32,
    /// Type, team, nation, an unknown byte, category, flags, rounds, another unknown byte, as in
    /// [`crate::raw::Tournament`].
    pub fields: [u8; 8],
    /// Latitude and longitude.
    pub coordinates: [f32; 2],
    /// The rules for ties, two bytes each; their numbers are not those of .cbtt.
    pub tie_breaks: &'a [u8],
    /// The end date.
    pub end: u32,
}

impl<'a> Tournament<'a> {
    /// Parses the fields. `None` if they end too early.
    pub fn parse(fields: &'a [u8]) -> Option<Tournament<'a>> {
        let mut input = Input(fields);
        let [place, title] = [input.counted()?, input.counted()?];
        let date = input.long()?;
        let bytes = *input.take(8)?.first_chunk()?;
        let coordinates = [input.long()?, input.long()?].map(f32::from_bits);
        // The nation of the place today, and 37 bytes that are not understood.
        input.take(38)?;
        let count = usize::from(input.short()?);
        Some(Tournament {
            place,
            title,
            date,
            fields: bytes,
            coordinates,
            tie_breaks: input.take(2 * count)?,
            end: input.long()?,
        })
    }
}

/// A source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source<'a> {
    /// The title.
    pub title: &'a [u8],
    /// The publisher.
    pub publisher: &'a [u8],
    /// The date of publication.
    pub publication: u32,
    /// The date of the version.
    pub date: u32,
    /// The version.
    pub version: u16,
    /// 0 not set, 1 high, 2 medium, 3 low.
    pub quality: u16,
}

impl<'a> Source<'a> {
    /// Parses the fields. `None` if they end too early.
    pub fn parse(fields: &'a [u8]) -> Option<Source<'a>> {
        let mut input = Input(fields);
        Some(Source {
            title: input.counted()?,
            publisher: input.counted()?,
            publication: input.long()?,
            date: input.long()?,
            version: input.short()?,
            quality: input.short()?,
        })
    }
}

/// A team.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Team<'a> {
    /// The name.
    pub title: &'a [u8],
    /// The number among the teams with this name.
    pub number: u8,
    /// Bit 0: the season ends in the following year.
    pub season: u8,
    /// The year.
    pub year: u16,
    /// The nation.
    pub nation: u8,
}

impl<'a> Team<'a> {
    /// Parses the fields. `None` if they end too early.
    pub fn parse(fields: &'a [u8]) -> Option<Team<'a>> {
        let mut input = Input(fields);
        Some(Team {
            title: input.counted()?,
            number: input.byte()?,
            season: input.byte()?,
            year: input.short()?,
            nation: input.byte()?,
        })
    }
}

/// A title in one language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Title<'a> {
    /// The language, as the number of a nation.
    pub language: u32,
    /// The title.
    pub text: &'a [u8],
}

/// An iterator over the titles of a game tag, a text or an analysis.
#[derive(Clone, Copy, Debug)]
pub struct Titles<'a> {
    input: Input<'a>,
    left: u32,
}

impl<'a> Titles<'a> {
    /// Starts with the fields of the name. `None` if they end before the number of titles.
    pub fn parse(fields: &'a [u8]) -> Option<Titles<'a>> {
        let mut input = Input(fields);
        let left = input.long()?;
        Some(Titles { input, left })
    }

    /// Returns true if the fields ended before all titles were read.
    pub fn is_cut(&self) -> bool {
        self.left > 0
    }
}

impl<'a> Iterator for Titles<'a> {
    type Item = Title<'a>;

    fn next(&mut self) -> Option<Title<'a>> {
        let left = self.left.checked_sub(1)?;
        let mut input = self.input;
        let title = Title {
            language: input.long()?,
            text: input.counted()?,
        };
        (self.input, self.left) = (input, left);
        Some(title)
    }
}

/// Returns the length in bytes of a record with its length field at the start of `bytes`.
pub(crate) fn record_length(bytes: &[u8]) -> usize {
    4usize.saturating_add(le32(bytes, 0) as usize)
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_read() {
        let player = hex!(
            "07000000 4A756E69706572 04000000 4E696C73 00000000 00000000 FFFFFFFF 08000000
             FFFFFFFFFFFFFFFF"
        );
        let read = Player::parse(&player).unwrap();
        assert_eq!((read.last, read.first), (&b"Juniper"[..], &b"Nils"[..]));
        assert_eq!(read.fide_id, -1);
        assert!((0..player.len()).all(|end| Player::parse(&player[..end]).is_none()));
        let titles = hex!("02000000 2A000000 02000000 4869 35000000 03000000 416368");
        let mut read = Titles::parse(&titles).unwrap();
        let texts: Vec<_> = (&mut read)
            .map(|title| (title.language, title.text))
            .collect();
        assert_eq!(texts, [(42, &b"Hi"[..]), (53, b"Ach")]);
        assert!(!read.is_cut());
    }

    /// The content of a deleted name, from the page.
    #[test]
    fn deleted_names_lead_to_each_other() {
        let mut bytes = 128u32.to_be_bytes().to_vec();
        bytes.extend(6u32.to_be_bytes());
        for size in [32u32, 0, 0, 0, 0, 0] {
            bytes.extend(size.to_be_bytes());
            bytes.extend(2u64.to_be_bytes());
            bytes.extend(1i64.to_be_bytes());
        }
        for next in [-1i64, 0] {
            bytes.extend(16u32.to_le_bytes());
            bytes.extend(hex!("2233445566778899"));
            bytes.extend(next.to_le_bytes());
            bytes.extend([0; 12]);
        }
        let file = EntityFile::parse(&bytes);
        assert_eq!(file.next_deleted(EntityKind::Player, 1), Some(0));
        assert_eq!(file.next_deleted(EntityKind::Player, 0), Some(-1));
        assert_eq!(file.get(EntityKind::Player, 0), None);
        assert_eq!(file.next_deleted(EntityKind::Player, 2), None);
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..400), size in 120u32..200) {
            let mut bytes = bytes;
            for (place, byte) in bytes.iter_mut().zip([size, 6].map(u32::to_be_bytes).concat()) {
                *place = byte;
            }
            let file = EntityFile::parse(&bytes);
            prop_assert_eq!(file.to_bytes(), bytes);
        }
    }
}
