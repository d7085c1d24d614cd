//! Small databases of unusual records, built byte by byte. fixtures/cbf holds them as files.

use chessdb_cbf::raw::{Index, RawHeader, Record, RecordFlags};
use chessdb_cbf::{CBF_FILE, CBI_FILE};
use chessdb_core::MemorySet;

/// Returns a record with these texts and moves, and a header as a later ChessBase writes it.
pub fn record(players: &str, source: &str, moves: &[u8], comments: &[u8]) -> Record {
    let raw_header = RawHeader {
        year: 90,
        extra: RawHeader::VERSION,
        ..RawHeader::default()
    };
    let mut record = Record {
        raw_header,
        text: [players, source].concat().into_bytes(),
        moves: moves.to_vec(),
        comments: comments.to_vec(),
        position: None,
    };
    assert!(record.set_lengths(players.len()));
    record.raw_header.full_moves = main_moves(moves);
    sealed(record)
}

/// Returns the number of full moves of a mainline that White begins.
fn main_moves(moves: &[u8]) -> u8 {
    let (mut depth, mut plies) = (0, 0u8);
    for byte in moves {
        match byte {
            0xFF => depth += 1,
            0x80 => depth -= 1,
            _ => plies += u8::from(depth == 0),
        }
    }
    plies.div_ceil(2)
}

/// Sets the check byte that matches the version bit.
pub fn sealed(mut record: Record) -> Record {
    let new = record.raw_header.extra & RawHeader::VERSION != 0;
    record.raw_header.check = record.raw_header.check_by(new);
    record
}

/// Changes the header and updates the check byte.
pub fn with(mut record: Record, change: impl FnOnce(&mut RawHeader)) -> Record {
    change(&mut record.raw_header);
    sealed(record)
}

/// The game of section 13, example 4, up to and including the ghost en passant.
pub const GHOST: [u8; 14] = [
    0x0B, 0x06, 0x10, 0x0B, 0x04, 0x18, 0x1C, 0x17, 0x11, 0x1E, 0x0B, 0x15, 27, 1,
];

/// Returns records that strict reading accepts without diagnostics.
pub fn unusual_records() -> Vec<Record> {
    let short = [0x0B, 0x0B];
    let plain = |players, source| record(players, source, &short, b"");
    vec![
        // All values for a missing result: none, the evaluations, and CBASCII's 16.
        with(plain("Result,A-Result,B", "evaluated (1)"), |h| {
            h.result = 3 | 1 << 2
        }),
        with(plain("Result,A-Result,B", "evaluated (2)"), |h| {
            h.result = 3 | 8 << 2
        }),
        with(plain("Result,A-Result,B", "time trouble (3)"), |h| {
            h.result = 3 | 14 << 2
        }),
        with(plain("Result,A-Result,B", "CBASCII (4)"), |h| h.result = 16),
        // Version bit and check byte in the three unusual combinations.
        with(plain("Old,A-Old,B", "Atari"), |h| h.extra = 0),
        {
            let mut record = with(plain("Old,A-Old,B", "old byte, new bit"), |_| ());
            record.raw_header.check = record.raw_header.check_old();
            record
        },
        {
            let mut record = with(plain("New,A-New,B", "new byte, old bit"), |h| h.extra = 0);
            record.raw_header.check = record.raw_header.check_new();
            record
        },
        // Extreme values of marks, years, Elo and ECO.
        with(plain("Mark,A-Mark,B", "marked"), |h| {
            h.flags |= RecordFlags::MARKED
        }),
        with(plain("Mark,A-Mark,B", "deleted"), |h| {
            h.flags |= RecordFlags::DELETED
        }),
        with(plain("Year,A-Year,B", "1772"), |h| {
            (h.year, h.elo) = (128, [1, 255])
        }),
        with(plain("Year,A-Year,B", "2026"), |h| {
            (h.year, h.elo) = (126, [0, 1])
        }),
        with(plain("Eco,A-Eco,B", "A31, a multiple of 32"), |h| {
            h.set_eco(32, 0)
        }),
        with(plain("Eco,A-Eco,B", "F10/99"), |h| h.set_eco(511, 99)),
        // Texts that differ from those a later program would write.
        plain("Deep-Thought,X-Mephisto", "two hyphens"),
        plain("Deep_Thought,X-Saint_Amant", "underscores"),
        plain("alone", "no hyphen"),
        plain("White (5)-Black", "round beside White"),
        plain("Before,A-Before,B", "[Somebody] (3.2) Oslo open"),
        plain("Match,A-Match,B", "Candidates (m/4) [Me]"),
        record("", "", b"", b""),
        // Codes without a NAG, figurines, line breaks, signs, a comment of the game.
        record(
            "Codes,A-Codes,B",
            "",
            &[0x8B, 0x8B, 0x8F, 0xFF, 0x91, 0x80, 0x86],
            b"\xFF\x07\xFF\x08\x0A\x05\xFF\x00\x0F\x07\x00\xB3c6 \xFE\xC1 \xD7\xFF\
              \x09\x0B\x02\xFF\xFF\x00\x00\x00\x00Game\xFE\x9C 5\xFF",
        ),
        // ChessBase's illegal en passant, followed by a move.
        record("Ghost,A-Ghost,B", "Q2", &GHOST, b""),
    ]
}

/// Returns a database of these records in this order.
pub fn base(records: &[Record]) -> MemorySet {
    let all: Vec<_> = records.iter().map(Record::to_bytes).collect();
    place(&all, &(0..all.len()).collect::<Vec<_>>(), 0)
}

/// Returns a database with the records in another order and bytes of no record between them.
pub fn moved(records: &[Record]) -> MemorySet {
    let all: Vec<_> = records.iter().map(Record::to_bytes).collect();
    let order: Vec<_> = (0..all.len()).map(|n| (n * 7 + 3) % all.len()).collect();
    place(&all, &order, 5)
}

fn place(all: &[Vec<u8>], order: &[usize], gap: usize) -> MemorySet {
    let mut games = Vec::new();
    let mut offsets = vec![0; all.len()];
    for &n in order {
        games.extend((0..gap).map(|at| (at * 37 + n) as u8));
        offsets[n] = games.len() as u64;
        games.extend_from_slice(&all[n]);
    }
    let index = Index::new(&offsets, games.len() as u64).unwrap();
    let mut set = MemorySet::new();
    set.insert(CBF_FILE, games);
    set.insert(CBI_FILE, index.to_bytes());
    set
}

/// Returns a game with a check byte that matches no formula.
pub fn private() -> Record {
    let mut record = record("Private,A-Private,B", "not to be shown", &[0x0B, 0x0B], b"");
    record.raw_header.check ^= 0x55;
    assert!(!record.raw_header.is_checked());
    record
}
