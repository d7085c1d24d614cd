//! Index entries, independent of the generation.

use chessdb_core::Date;
use chessdb_core::search::{HomePawns, PieceCounts, Signature};

use crate::generation::{Generation, Spec};
use crate::raw::{CountCode, DateCode, EcoCode, Entry, IndexFlags, RatingCode, si5};

/// The name list of each name of [`GameEntry::names_mut`]: event, site, round, White, Black. New
/// names get their numbers in this order (section 3).
pub(crate) const NAME_LISTS: [usize; 5] = [1, 2, 3, 0, 0];

/// The fields of an index entry, each as wide as in the widest generation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct GameEntry {
    pub(crate) offset: u64,
    pub(crate) length: u32,
    /// A bit without meaning in SCID 4.
    pub(crate) spare: bool,
    pub(crate) flags: IndexFlags,
    pub(crate) chess960: bool,
    pub(crate) white: u32,
    pub(crate) black: u32,
    pub(crate) event: u32,
    pub(crate) site: u32,
    pub(crate) round: u32,
    pub(crate) variations: CountCode,
    pub(crate) comments: CountCode,
    pub(crate) nags: CountCode,
    pub(crate) result: u8,
    pub(crate) eco: EcoCode,
    pub(crate) date: DateCode,
    pub(crate) event_date: Date,
    /// Whether an unknown event date has no year field (SCID 4, section 2.4).
    pub(crate) no_event_year: bool,
    pub(crate) white_rating: RatingCode,
    pub(crate) black_rating: RatingCode,
    pub(crate) line_code: u8,
    pub(crate) final_material: u32,
    pub(crate) plies: u16,
    pub(crate) home_pawn_count: u8,
    pub(crate) home_pawns: [u8; 8],
}

/// Creates an entry with these fields. All others, which every form of an entry has, are copied.
macro_rules! with_common_fields {
    ($($entry:ident)::+, $from:expr, { $($field:ident: $value:expr,)* }) => {
        $($entry)::+ {
            $($field: $value,)*
            length: $from.length,
            flags: $from.flags,
            white: $from.white,
            black: $from.black,
            event: $from.event,
            site: $from.site,
            round: $from.round,
            variations: $from.variations,
            comments: $from.comments,
            nags: $from.nags,
            result: $from.result,
            eco: $from.eco,
            date: $from.date,
            line_code: $from.line_code,
            final_material: $from.final_material,
            plies: $from.plies,
            home_pawn_count: $from.home_pawn_count,
            home_pawns: $from.home_pawns,
        }
    };
}

impl GameEntry {
    /// The entry of a record without an index entry. Its name numbers are in no list.
    pub(crate) const UNKNOWN: GameEntry = GameEntry {
        offset: 0,
        length: 0,
        spare: false,
        flags: IndexFlags::empty(),
        chess960: false,
        white: u32::MAX,
        black: u32::MAX,
        event: u32::MAX,
        site: u32::MAX,
        round: u32::MAX,
        variations: CountCode(0),
        comments: CountCode(0),
        nags: CountCode(0),
        result: 0,
        eco: EcoCode(0),
        date: DateCode(0),
        event_date: Date::new(0, 0, 0),
        no_event_year: false,
        white_rating: RatingCode(0),
        black_rating: RatingCode(0),
        line_code: 0,
        final_material: 0,
        plies: 0,
        home_pawn_count: 0,
        home_pawns: [0; 8],
    };

    /// Returns whether this is [`GameEntry::UNKNOWN`].
    pub(crate) fn is_unknown(&self) -> bool {
        self.white == u32::MAX
    }

    /// Returns the meaningless bits of the entry that are only preserved for rewriting
    /// ([`chessdb_core::model::Header::spare`]).
    pub(crate) fn spare(&self) -> u16 {
        // Scid leaves the type of a rating that it drops, with the value 0 (section 2.5).
        let kind = |rating: RatingCode| match rating {
            RatingCode(code) if rating.value() == 0 && rating.kind() < 7 => code >> 12,
            _ => 0,
        };
        let year = self.no_event_year && self.event_date.is_unknown();
        kind(self.white_rating) | kind(self.black_rating) << 3 | u16::from(year) << 6
    }

    /// Restores the bits of [`GameEntry::spare`] where the fields are still empty.
    pub(crate) fn set_spare(&mut self, spare: u16) {
        let kinds = [
            (&mut self.white_rating, spare & 7),
            (&mut self.black_rating, spare >> 3 & 7),
        ];
        for (rating, kind) in kinds {
            if *rating == RatingCode::default() {
                *rating = RatingCode(kind << 12);
            }
        }
        self.no_event_year = spare >> 6 & 1 != 0;
    }

    // Inlined so that a caller that needs a few fields computes only these. For a hundred thousand
    // entries this is most of the time for opening a database.
    #[inline(always)]
    fn from_si4(entry: &Entry) -> GameEntry {
        with_common_fields!(GameEntry, entry, {
            offset: entry.offset.into(),
            spare: entry.spare,
            chess960: false,
            event_date: DateCode::to_event_date(entry.event_date, entry.date.to_date()),
            no_event_year: entry.event_date == 0,
            white_rating: entry.white_rating,
            black_rating: entry.black_rating,
        })
    }

    #[inline(always)]
    fn from_si5(entry: &si5::Entry) -> GameEntry {
        let rating = |kind: u8, value: u16| RatingCode(u16::from(kind) << 12 | value);
        with_common_fields!(GameEntry, entry, {
            offset: entry.offset,
            spare: false,
            chess960: entry.chess960,
            event_date: entry.event_date.to_date(),
            no_event_year: false,
            white_rating: rating(entry.white_rating_kind, entry.white_rating),
            black_rating: rating(entry.black_rating_kind, entry.black_rating),
        })
    }

    fn to_si4(self, spec: &Spec) -> Entry {
        let no_year = self.no_event_year || spec.generation == Generation::Si3;
        let event_date = if self.event_date.is_unknown() && no_year {
            // The quirk of section 2.4 is newer than SCID 3 and does not apply to dates that Scid
            // dropped.
            None
        } else {
            DateCode::from_event_date(self.event_date, self.date.to_date())
        };
        with_common_fields!(Entry, self, {
            offset: self.offset as u32,
            spare: false,
            event_date: event_date.unwrap_or(0),
            white_rating: self.white_rating,
            black_rating: self.black_rating,
        })
    }

    fn to_si5(self) -> si5::Entry {
        with_common_fields!(si5::Entry, self, {
            chess960: self.chess960,
            white_rating: self.white_rating.value(),
            black_rating: self.black_rating.value(),
            event_date: DateCode::from_date(self.event_date).unwrap_or_default(),
            offset: self.offset,
            white_rating_kind: self.white_rating.kind(),
            black_rating_kind: self.black_rating.kind(),
        })
    }

    /// Returns the signature stored in the search fields (docs/formats/scid.md, section 6), or
    /// `None` where old writers are known to have stored something else, or where the fields
    /// contradict each other.
    #[inline]
    pub(crate) fn signature(&self) -> Option<Signature> {
        let code = self.final_material;
        // In games from other positions writers left stale fields (section 6.5), and a material of
        // 0 was not computed (section 6.4).
        if self.flags.contains(IndexFlags::START) || self.is_unknown() || code == 0 {
            return None;
        }
        let side = |code: u32| {
            let two = |shift: u32| (code >> shift & 3) as u8;
            [(code & 15) as u8, two(4), two(6), two(8), two(10)]
        };
        let sides = [side(code >> 12), side(code)];
        let promotes = self.flags.contains(IndexFlags::PROMOTION);
        let home = HomePawns::new(u64::from_be_bytes(self.home_pawns), self.home_pawn_count);
        // Pawns still at home must be on the board at the end; more than eight per side is a
        // miscount.
        let [[white, ..], [black, ..]] = sides;
        let staying = 16 - self.home_pawn_count.min(16);
        if white > 8 || black > 8 || white + black < staying || self.home_pawn_count > 16 {
            return None;
        }
        Some(Signature {
            piece_counts: sides.map(PieceCounts::new),
            promotes,
            home: Some(home),
            opening: self.line_code,
            // It is stored modulo 1024, and each half-move takes at least one byte of the record.
            plies: (self.length < 1024).then_some(self.plies.into()),
        })
    }

    /// Returns the numbers of event, site, round, White and Black.
    pub(crate) fn names_mut(&mut self) -> [&mut u32; 5] {
        [
            &mut self.event,
            &mut self.site,
            &mut self.round,
            &mut self.white,
            &mut self.black,
        ]
    }

    /// Appends the entry in the layout of this generation, without the fields it lacks.
    pub(crate) fn write(self, spec: &Spec, out: &mut Vec<u8>) {
        match spec.generation {
            Generation::Si3 => out.extend_from_slice(&self.to_si4(spec).to_si3_bytes()),
            Generation::Si4 => out.extend_from_slice(&self.to_si4(spec).to_bytes()),
            Generation::Si5 => out.extend_from_slice(&self.to_si5().to_bytes()),
        }
    }
}

/// The stored bytes of an index entry of one generation.
pub(crate) trait StoredEntry {
    /// Parses the entry.
    fn entry(&self) -> GameEntry;
}

impl StoredEntry for [u8; Entry::SI3_SIZE] {
    #[inline(always)]
    fn entry(&self) -> GameEntry {
        GameEntry {
            // The quirk does not exist in SCID 3.
            no_event_year: false,
            ..GameEntry::from_si4(&Entry::parse_si3(self))
        }
    }
}

impl StoredEntry for [u8; Entry::SIZE] {
    #[inline(always)]
    fn entry(&self) -> GameEntry {
        GameEntry::from_si4(&Entry::parse(self))
    }
}

impl StoredEntry for [u8; si5::Entry::SIZE] {
    #[inline(always)]
    fn entry(&self) -> GameEntry {
        GameEntry::from_si5(&si5::Entry::parse(self))
    }
}

/// The unparsed entries of an index file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entries<'a> {
    Si3(&'a [[u8; Entry::SI3_SIZE]]),
    Si4(&'a [[u8; Entry::SIZE]]),
    Si5(&'a [[u8; si5::Entry::SIZE]]),
}

impl<'a> Entries<'a> {
    /// Splits these bytes into whole entries and the rest.
    pub(crate) fn split(bytes: &'a [u8], generation: Generation) -> (Entries<'a>, &'a [u8]) {
        match generation {
            Generation::Si3 => {
                let (entries, tail) = bytes.as_chunks();
                (Entries::Si3(entries), tail)
            }
            Generation::Si4 => {
                let (entries, tail) = bytes.as_chunks();
                (Entries::Si4(entries), tail)
            }
            Generation::Si5 => {
                let (entries, tail) = bytes.as_chunks();
                (Entries::Si5(entries), tail)
            }
        }
    }
}

impl Entries<'_> {
    pub(crate) fn len(&self) -> u32 {
        let len = match self {
            Entries::Si3(entries) => entries.len(),
            Entries::Si4(entries) => entries.len(),
            Entries::Si5(entries) => entries.len(),
        };
        u32::try_from(len).unwrap_or(u32::MAX)
    }

    #[inline(always)]
    pub(crate) fn get(&self, n: u32) -> Option<GameEntry> {
        let index = n as usize;
        match self {
            Entries::Si3(entries) => entries.get(index).map(StoredEntry::entry),
            Entries::Si4(entries) => entries.get(index).map(StoredEntry::entry),
            Entries::Si5(entries) => entries.get(index).map(StoredEntry::entry),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = GameEntry> {
        (0..self.len()).map_while(|n| self.get(n))
    }
}

/// Returns the entries of an index that lost its header or other bytes at its start. They begin at
/// the offset for which most records follow one another.
pub(crate) fn aligned<'a>(bytes: &'a [u8], spec: &Spec) -> Entries<'a> {
    // The sample bounds the time, since each possible offset within an entry is tried.
    const SAMPLE: usize = 500;
    let entries = |from: usize| {
        let shifted = bytes.get(from % spec.entry..).unwrap_or_default();
        Entries::split(shifted, spec.generation).0
    };
    let follow = |from: &usize| {
        let mut end = None;
        let mut count = 0;
        for entry in entries(*from)
            .iter()
            .take(SAMPLE)
            .filter(|entry| entry.length > 0)
        {
            count += usize::from(end == Some(entry.offset));
            end = entry.offset.checked_add(entry.length.into());
        }
        count
    };
    // Among equals, prefers the offset of the entries after an undamaged header.
    let places = spec.file_header..spec.file_header + spec.entry;
    let best = places.rev().max_by_key(follow);
    entries(best.unwrap_or(spec.file_header))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header is lost, and the first entries with or without a part of the next.
    #[test]
    fn entries_are_aligned_by_the_records_that_follow_one_another() {
        for generation in Generation::ALL {
            let spec = generation.spec();
            let mut bytes = Vec::new();
            for n in 0..20 {
                let entry = GameEntry {
                    offset: 100 * n,
                    length: 100,
                    ..GameEntry::default()
                };
                entry.write(spec, &mut bytes);
            }
            for lost in [0, 1, spec.entry - 1, spec.entry, spec.entry + 1] {
                // Entries full of zeros, with the lowest byte first, follow one another elsewhere too.
                if generation == Generation::Si5 && !lost.is_multiple_of(spec.entry) {
                    continue;
                }
                let entries = aligned(&bytes[lost..], spec);
                let whole = 20 - lost.div_ceil(spec.entry);
                assert_eq!(entries.len() as usize, whole, "{generation:?} {lost}");
                let first = entries.get(0).unwrap().offset;
                assert_eq!(first, 100 * (20 - whole as u64), "{generation:?} {lost}");
            }
        }
    }

    /// Section 6.1: from the lowest bits, Black's pawns, knights, bishops, rooks and queens, then
    /// White's.
    #[test]
    fn signatures_are_read_from_the_search_fields() {
        let black = 5 | 1 << 4 | 2 << 6 | 3 << 8;
        let white = 8 | 2 << 4 | 1 << 6 | 1 << 10;
        let entry = GameEntry {
            final_material: white << 12 | black,
            home_pawn_count: 3,
            home_pawns: [0xB4, 0xC0, 0, 0, 0, 0, 0, 0],
            line_code: 17,
            plies: 40,
            length: 1023,
            ..GameEntry::default()
        };
        let signature = entry.signature().unwrap();
        let counts = signature.piece_counts.map(PieceCounts::counts);
        assert_eq!(counts, [[8, 2, 1, 0, 1], [5, 1, 2, 3, 0]]);
        assert_eq!(signature.home, Some(HomePawns::new(0xB4C0 << 48, 3)));
        assert_eq!((signature.opening, signature.plies), (17, Some(40)));
        assert!(!signature.promotes);
        let changed = |change: fn(&mut GameEntry)| {
            let mut entry = entry;
            change(&mut entry);
            entry.signature()
        };
        // The number of half-moves of a longer record may be greater than its field.
        let long = changed(|entry| entry.length = 1024).unwrap();
        assert_eq!(long.plies, None);
        let promoted = changed(|entry| entry.flags = IndexFlags::PROMOTION).unwrap();
        assert!(promoted.promotes);
        let contradictions: [fn(&mut GameEntry); 6] = [
            |entry| entry.flags = IndexFlags::START,
            |entry| entry.white = u32::MAX,
            |entry| entry.final_material = 0,
            |entry| entry.home_pawn_count = 17,
            // Nine pawns of one side; more pawns at home than on the board.
            |entry| entry.final_material += 1 << 12,
            |entry| entry.home_pawn_count = 2,
        ];
        for (n, change) in contradictions.into_iter().enumerate() {
            assert_eq!(changed(change), None, "{n}");
        }
        let nine_black = changed(|entry| entry.final_material += 4);
        assert_eq!(nine_black, None);
    }
}
