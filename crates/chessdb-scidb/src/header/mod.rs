//! The header of a game: its index entry, its names, and the tags of its record
//! (docs/formats/scidb.md, sections 2.2, 3 and 4.2).

mod details;
mod read;
mod tag_writer;
mod tags;
mod titles;
mod write;

pub(crate) use read::{read_entry, read_tags};
pub(crate) use titles::{split_title, title_bits};
pub(crate) use write::{EncodedHeader, encode_header};

/// The reasons for the end of a game, by number; empty where PGN has no word.
const TERMINATIONS: [&[u8]; 11] = [
    b"",
    b"normal",
    b"unplayed",
    b"abandoned",
    b"adjudication",
    b"disconnection",
    b"emergency",
    b"rules infraction",
    b"time forfeit",
    b"time forfeit of both",
    b"unterminated",
];
const TERMINATION: &[u8] = b"Termination";

/// The names of the second rating's kinds, after "White" or "Black".
const RATINGS: [&[u8]; 8] = [
    b"Elo", b"Rating", b"Rapid", b"ICCF", b"USCF", b"DWZ", b"ECF", b"IPS",
];

/// The largest FIDE number of a player's details. QUIRK: Scidb compares the numbers with a sign, which
/// is no order beyond this one.
const MOST_FIDE_NUMBER: u32 = i32::MAX as u32;
/// The number of ECO codes, A00 to E99.
const ECO_CODES: u16 = 500;
/// The bits of a player's flags that the program sets by hand: kind and sex.
const PLAYER_FLAGS: u16 = 0x1B;
/// The bits of an event's flags for type, mode and time mode.
const EVENT_FLAGS: u16 = 0x3FF;
/// The first bit of the day in an event's flags.
const EVENT_DAY: u32 = 10;
/// The bits of an event's second value that hold the year; the month is above them.
const EVENT_YEAR_BITS: u32 = 10;
/// The flags of the index that the model has.
pub(crate) const MODEL_FLAGS: u32 = 0x1FFF;
/// The first of the flags that only Scidb has.
const OWN_FLAGS: u32 = 13;
/// The flag of a game with an illegal move.
const ILLEGAL_MOVE: u32 = 1 << 23;
