//! Recovery of the records of a games file without its index (docs/formats/cbf.md, section 17).

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use chessdb_core::legacy::Numbering as _;
use chessdb_core::legacy::cbf::CbfNumbering;
use chessdb_core::line::Lines;
use chessdb_core::salvage::{Carve, Found, NoGameReason, Piece, Work, recover};
use chessdb_core::{Game, Setup, Start};

use crate::raw::marker::{CLOSE, COMMENTED, OPEN};
use crate::raw::{Comments, Index, Position, RawHeader, RecordParts, cipher};
use crate::roles::CBF_FILE;
use crate::setup;

/// The maximum depth of variations in a plausible record.
const DEPTH: usize = 256;

/// The records found in a games file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Rebuilt {
    /// The offsets of the records, ascending.
    pub offsets: Vec<u64>,
    /// The number of bytes that belong to no record.
    pub unused: u64,
    /// The number of skipped records: the same game, or a later version of it, is elsewhere in the
    /// file.
    pub duplicates: u32,
}

impl Rebuilt {
    /// Returns the index of the records for a games file of `end` bytes. `None` if the file is too
    /// large for an index.
    pub fn index(&self, end: u64) -> Option<Index> {
        Index::new(&self.offsets, end)
    }
}

/// Finds the records of a games file by walking from record to record. Where no record follows, it
/// searches for the next one with a correct check byte and valid texts, moves and comments. Earlier
/// versions of edited games, which ChessBase leaves in the file, are skipped.
pub fn rebuild_index(games: &[u8]) -> Rebuilt {
    let mut carver = Carver::new(games);
    let (places, report) = recover((CBF_FILE, games), 0, &[], false, &mut carver);
    let starts = places.iter().filter_map(|place| place.range.as_ref());
    let bytes_of = |why| {
        report
            .barren
            .iter()
            .filter(move |barren| barren.2 == why)
            .map(|(_, range, _)| range.end - range.start)
    };
    Rebuilt {
        offsets: starts.map(|range| range.start as u64).collect(),
        unused: bytes_of(NoGameReason::Nothing).sum(),
        duplicates: u32::try_from(bytes_of(NoGameReason::Twice).count()).unwrap_or(u32::MAX),
    }
}

/// Recognizes the records of a games file.
pub(crate) struct Carver<'a> {
    games: &'a [u8],
    /// The deciphered moves of the last examined record.
    moves: Vec<u8>,
    game: Game,
}

impl Carve for Carver<'_> {
    fn record(&mut self, range: Range<usize>, looking: bool, work: &mut Work) -> Option<Piece> {
        let bytes = self.games.get(range.clone())?;
        let raw_header = RawHeader::parse(bytes.first_chunk()?);
        // The check byte is the cheapest test, and few places pass it by chance.
        if looking && !raw_header.is_checked() {
            return None;
        }
        let length = raw_header.record_len();
        if length > bytes.len() {
            // The last record of a truncated file.
            let text = raw_header.players_len() + raw_header.source_len();
            let text = bytes.get(RawHeader::SIZE..RawHeader::SIZE + text)?;
            let cut = range.end == self.games.len() && !looking && raw_header.is_checked();
            return (cut && is_readable(text))
                .then(|| Piece::without_moves(bytes.len(), Found::MovesUpToFault));
        }
        if !work.spend(length) {
            return None;
        }
        let parts = RecordParts::parse(bytes).ok()?;
        if !is_readable(parts.text) {
            return None;
        }
        let right = self.moves_are_right(&parts);
        // When searching, everything must be valid. Directly after another record, the parts that
        // are unlikely to match by chance suffice.
        let finding = match (right, looking) {
            (true, true) => Found::Carved,
            (true, false) => Found::Exact,
            (false, false) if raw_header.is_checked() => Found::MovesUpToFault,
            (false, _) => return None,
        };
        let (any_key, plies) = self.key(&parts);
        let key = any_key.filter(|_| right);
        Some(Piece {
            length,
            found: finding,
            key,
            plies,
        })
    }

    fn keys_know_players(&self) -> bool {
        true
    }
}

impl<'a> Carver<'a> {
    pub(crate) fn new(games: &'a [u8]) -> Carver<'a> {
        Carver {
            games,
            moves: Vec::new(),
            game: Game::new(),
        }
    }

    /// Returns a hash of the data that all versions of an edited game have in common: players,
    /// source, year, result, start position and the moves of the mainline. `None` for games that
    /// are too short or nameless to be distinguished from others. Also returns the number of these
    /// moves.
    fn key(&self, parts: &RecordParts<'_>) -> (Option<u64>, u32) {
        const MOVES: u32 = 8;
        let mut hasher = DefaultHasher::new();
        let RawHeader {
            year,
            result,
            players,
            source,
            ..
        } = parts.raw_header;
        // Only the lengths: the bits above belong to the ECO code, which an edit may change.
        (parts.text, year, result, players & 63, source & 63).hash(&mut hasher);
        parts.position.hash(&mut hasher);
        let (mut depth, mut count) = (0, 0);
        for &byte in &self.moves {
            match byte {
                OPEN => depth += 1,
                CLOSE => depth -= 1,
                byte if depth == 0 => {
                    (byte & !COMMENTED).hash(&mut hasher);
                    count += 1;
                }
                _ => {}
            }
        }
        let key = (count >= MOVES && !parts.text.is_empty()).then(|| hasher.finish());
        (key, count)
    }

    fn moves_are_right(&mut self, parts: &RecordParts<'_>) -> bool {
        self.game.header.start = match parts.position {
            Some(position) => {
                let (setup, faults) = setup::read(&parts.raw_header, &Position::parse(position));
                if faults != setup::SetupFaults::default() {
                    return false;
                }
                Start::Setup(Box::<Setup>::new(setup))
            }
            None => Start::Standard,
        };
        let Ok(mut lines) = Lines::new(CbfNumbering, &self.game) else {
            return false;
        };
        self.moves.clear();
        self.moves.extend_from_slice(parts.moves);
        cipher::moves(&mut self.moves);
        let mut commented = 0;
        for &byte in &self.moves {
            let fine = match byte {
                0 => false,
                OPEN => lines.depth() < DEPTH && lines.open(),
                CLOSE => lines.close(),
                byte => match CbfNumbering.decode(lines.state(), lines.board(), &[byte]) {
                    Ok((mv, _)) => {
                        lines.play(mv);
                        commented += usize::from(byte & COMMENTED != 0);
                        true
                    }
                    Err(_) => false,
                },
            };
            if !fine {
                return false;
            }
        }
        let comments = Comments::new(parts.comments);
        let count = comments.remaining_comments();
        lines.depth() == 0
            && comments.starts
            && comments.ends
            // One comment more than moves with a comment: the game's own (section 8.1).
            && (count == commented || count == commented + 1)
    }
}

/// Returns true if players and source contain no control characters.
fn is_readable(enciphered: &[u8]) -> bool {
    // Both texts together fit, and a search tests many places without an allocation.
    let mut text = [0; 2 * RawHeader::MAX_TEXT];
    let Some(text) = text.get_mut(..enciphered.len()) else {
        return false;
    };
    text.copy_from_slice(enciphered);
    cipher::text(text);
    text.iter().all(|byte| *byte >= b' ')
}
