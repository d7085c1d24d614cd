//! The generations of SCID files and their differences (docs/formats/scid.md, sections 1, 2, 9 and
//! 10).

use chessdb_core::Date;
use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::model::GameFlags;
use chessdb_core::report::GameReport;

use crate::raw::{DateCode, Entry, FileHeader, GameFile, NameHeader, si5};
use crate::roles::{
    SG3_FILE, SG4_FILE, SG5_FILE, SI3_FILE, SI4_FILE, SI5_FILE, SN3_FILE, SN4_FILE, SN5_FILE,
};

/// A generation of SCID files. All generations share the format of game records.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Generation {
    /// SCID 3: si3, sg3, sn3.
    Si3,
    /// SCID 4: si4, sg4, sn4.
    Si4,
    /// SCID 5: si5, sg5, sn5.
    Si5,
}

impl Generation {
    /// All generations, the most common one first.
    pub const ALL: [Generation; 3] = [Generation::Si4, Generation::Si5, Generation::Si3];

    /// Returns the roles of the database's files: index, games, names.
    pub const fn files(self) -> &'static [Role; 3] {
        &self.spec().files
    }

    pub(crate) const fn spec(self) -> &'static Spec {
        match self {
            Generation::Si3 => &SI3_SPEC,
            Generation::Si4 => &SI4_SPEC,
            Generation::Si5 => &SI5_SPEC,
        }
    }
}

/// The properties of a generation, apart from the byte layouts of index and names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    pub(crate) generation: Generation,
    /// The roles of index, games and names.
    pub(crate) files: [Role; 3],
    /// The size of the index header, in bytes.
    pub(crate) file_header: usize,
    /// The size of an index entry, in bytes.
    pub(crate) entry: usize,
    /// The byte offsets of the fields within an entry.
    pub(crate) field_offsets: FieldOffsets,
    pub(crate) max_games: u32,
    /// The largest size of a game record, in bytes.
    pub(crate) max_record: usize,
    /// The block size in bytes. No record crosses a multiple of it.
    pub(crate) block: u64,
    /// Whether the rest of a block is filled with zeros instead of the start of the next record.
    pub(crate) zero_filler: bool,
    /// The largest size of the games file, in bytes.
    pub(crate) max_bytes: u64,
    /// The largest numbers of players, events, sites and rounds.
    pub(crate) max_names: [u32; 4],
    /// The largest size of a name, in bytes.
    pub(crate) max_name: usize,
    /// Whether the custom flags 1 to 6 exist.
    pub(crate) custom_flags: bool,
    /// Whether an event date must be within three years of the game's date.
    pub(crate) event_window: bool,
    /// Whether the index marks Chess960 games.
    pub(crate) chess960: bool,
    /// The autoload number of a new database (section 1).
    pub(crate) autoload: u32,
}

impl Spec {
    pub(crate) const fn index_file(&self) -> Role {
        let [index, _, _] = self.files;
        index
    }

    pub(crate) const fn games_file(&self) -> Role {
        let [_, games, _] = self.files;
        games
    }

    pub(crate) const fn names_file(&self) -> Role {
        let [_, _, names] = self.files;
        names
    }

    /// Returns the game flags that this generation can store.
    pub(crate) fn marks(&self, flags: GameFlags) -> GameFlags {
        const CUSTOM: GameFlags = GameFlags::CUSTOM_1
            .union(GameFlags::CUSTOM_2)
            .union(GameFlags::CUSTOM_3)
            .union(GameFlags::CUSTOM_4)
            .union(GameFlags::CUSTOM_5)
            .union(GameFlags::CUSTOM_6);
        if self.custom_flags { flags } else { flags.difference(CUSTOM) }
    }

    /// Returns whether the index can store the event date of a game with this date.
    pub(crate) fn has_event_date(&self, event: Date, game: Date) -> bool {
        let fits = if self.event_window {
            DateCode::from_event_date(event, game).is_some()
        } else {
            DateCode::from_date(event).is_some()
        };
        // An unknown date is stored as 0, outside any window.
        fits || event.is_unknown()
    }

    /// Returns the byte offset in the index of the entry of `game`, counted from 1.
    pub(crate) fn place(&self, game: u32) -> u64 {
        // Findings that concern no game have the number 0, which counts as the first.
        self.file_header as u64 + u64::from(game.saturating_sub(1)) * self.entry as u64
    }

    /// Returns the location of a byte of the games file.
    pub(crate) const fn in_games(&self, offset: u64) -> Location {
        Location::byte(self.games_file(), offset)
    }

    /// Returns the location of a byte of the index entry of the game being read.
    pub(crate) fn in_entry(&self, report: &GameReport<'_>, offset: u64) -> Location {
        let entry = self.place(report.game.unwrap_or_default());
        Location::byte(self.index_file(), entry + offset)
    }
}

/// Returns the location of a file as a whole.
pub(crate) fn in_file(file: Role) -> Location {
    Location {
        file: Some(file),
        ..Location::default()
    }
}

/// The byte offsets of the fields within an index entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldOffsets {
    pub(crate) flags: u64,
    pub(crate) white: u64,
    pub(crate) black: u64,
    pub(crate) event: u64,
    pub(crate) site: u64,
    pub(crate) round: u64,
    pub(crate) variations: u64,
    pub(crate) comments: u64,
    pub(crate) nags: u64,
    pub(crate) result: u64,
    pub(crate) eco: u64,
    pub(crate) white_rating: u64,
    pub(crate) black_rating: u64,
    pub(crate) chess960: u64,
    pub(crate) line_code: u64,
    pub(crate) material: u64,
    pub(crate) plies: u64,
    pub(crate) home_pawn_count: u64,
    pub(crate) home_pawns: u64,
}

/// Returns the offsets of section 2. `shift` is 1 in SCID 3, which lacks byte 6, else 0.
const fn big_endian_offsets(shift: u64) -> FieldOffsets {
    FieldOffsets {
        flags: 8 - shift,
        white: 9 - shift,
        black: 9 - shift,
        event: 14 - shift,
        site: 14 - shift,
        round: 14 - shift,
        variations: 22 - shift,
        comments: 22 - shift,
        nags: 21 - shift,
        result: 21 - shift,
        eco: 23 - shift,
        white_rating: 29 - shift,
        black_rating: 31 - shift,
        chess960: 0,
        line_code: 33 - shift,
        material: 34 - shift,
        plies: 37 - shift,
        home_pawn_count: 38 - shift,
        home_pawns: 39 - shift,
    }
}

const SI4_SPEC: Spec = Spec {
    generation: Generation::Si4,
    files: [SI4_FILE, SG4_FILE, SN4_FILE],
    file_header: FileHeader::SIZE,
    entry: Entry::SIZE,
    field_offsets: big_endian_offsets(0),
    max_games: FileHeader::MAX_GAMES,
    max_record: Entry::MAX_LENGTH as usize,
    block: GameFile::BLOCK,
    zero_filler: false,
    max_bytes: u32::MAX as u64,
    max_names: NameHeader::MAX_COUNTS,
    max_name: 255,
    custom_flags: true,
    event_window: true,
    chess960: false,
    autoload: 1,
};

/// The properties of SCID 3 (section 9).
const SI3_SPEC: Spec = Spec {
    generation: Generation::Si3,
    files: [SI3_FILE, SG3_FILE, SN3_FILE],
    file_header: FileHeader::SI3_SIZE,
    entry: Entry::SI3_SIZE,
    field_offsets: big_endian_offsets(1),
    // Scid 3 reads and writes in blocks of 32,768 bytes.
    max_record: 32_767,
    block: 32_768,
    zero_filler: true,
    custom_flags: false,
    autoload: 2,
    ..SI4_SPEC
};

/// Files named si4, sg4 and sn4 with an index in the SCID 3 layout, which Scid 4.7 reads.
pub(crate) static SI3_NAMED_SI4: Spec = Spec {
    files: SI4_SPEC.files,
    ..SI3_SPEC
};

/// The properties of SCID 5 (section 10).
const SI5_SPEC: Spec = Spec {
    generation: Generation::Si5,
    files: [SI5_FILE, SG5_FILE, SN5_FILE],
    file_header: 0,
    entry: si5::Entry::SIZE,
    field_offsets: FieldOffsets {
        flags: 28,
        white: 0,
        black: 4,
        event: 8,
        site: 12,
        round: 16,
        variations: 7,
        comments: 3,
        nags: 11,
        result: 46,
        eco: 44,
        white_rating: 22,
        black_rating: 26,
        chess960: 19,
        line_code: 43,
        material: 40,
        plies: 30,
        home_pawn_count: 47,
        home_pawns: 48,
    },
    max_games: si5::Entry::MAX_GAMES,
    max_bytes: si5::Entry::MAX_OFFSET,
    max_names: si5::Names::MAX_COUNTS,
    max_name: si5::Names::MAX_NAME,
    event_window: false,
    chess960: true,
    ..SI4_SPEC
};
