//! Finding the records of a games file without its index (docs/formats/cbf.md, section 17).

use chessdb_core::legacy::Numbering as _;
use chessdb_core::legacy::cbf::CbfNumbering;
use chessdb_core::{Game, Lines, Setup, Start};

use crate::raw::marker::{CLOSE, COMMENTED, OPEN};
use crate::raw::{Comments, Header, Index, Position, RecordParts, cipher};
use crate::setup;

/// How deep variations may be in a record that is believed.
const DEPTH: usize = 256;

/// The records that a games file seems to hold.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Rebuilt {
    /// Where they begin, ascending.
    pub offsets: Vec<u64>,
    /// Bytes that belong to none of them.
    pub unused: u64,
}

impl Rebuilt {
    /// The index of these records, if their games file has this many bytes; none if the file is too
    /// large for an index.
    pub fn index(&self, end: u64) -> Option<Index> {
        Index::new(&self.offsets, end)
    }
}

/// Walks through a games file from record to record. Where none follows, the next one is looked
/// for whose check byte, texts, moves and comments are all in order. Former versions of edited
/// games, which ChessBase leaves in the file, are found as games too.
pub fn rebuild_index(games: &[u8]) -> Rebuilt {
    let mut search = Search {
        budget: games.len().saturating_mul(16).saturating_add(1 << 20),
        ..Search::default()
    };
    let mut found = Rebuilt::default();
    let mut at = 0;
    let mut looking = false;
    while let Some(rest) = games.get(at..).filter(|rest| rest.len() >= Header::SIZE) {
        match search.record(rest, looking) {
            Some(length) => {
                found.offsets.push(at as u64);
                at += length;
                looking = false;
            }
            None => {
                at += usize::from(looking);
                found.unused += u64::from(looking);
                looking = true;
            }
        }
    }
    found.unused += games.len().saturating_sub(at) as u64;
    found
}

#[derive(Default)]
struct Search {
    /// Bytes that may still be examined: hostile files could make every byte look like a header.
    budget: usize,
    moves: Vec<u8>,
    game: Game,
}

impl Search {
    /// The length of the record at the start of `bytes`, if one is believed to stand there. While
    /// looking for one, everything has to be right; behind another record, what is hard to come
    /// by chance.
    fn record(&mut self, bytes: &[u8], looking: bool) -> Option<usize> {
        let header = Header::parse(bytes.first_chunk()?);
        if looking && !header.is_checked() {
            return None;
        }
        let length = header.record_len();
        self.budget = self.budget.checked_sub(length)?;
        let parts = RecordParts::parse(bytes).ok()?;
        if !is_readable(&parts) {
            return None;
        }
        let right = self.moves_are_right(&parts);
        let believed = if looking {
            right
        } else {
            right || header.is_checked()
        };
        believed.then_some(length)
    }

    fn moves_are_right(&mut self, parts: &RecordParts<'_>) -> bool {
        self.game.head.start = match parts.position {
            Some(position) => {
                let (setup, faults) = setup::read(&parts.header, &Position::parse(position));
                if faults != setup::Faults::default() {
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
        let count = comments.count_left();
        lines.depth() == 0
            && comments.starts
            && comments.ends
            && (count == commented || count == commented + 1)
    }
}

/// Whether players and source have no control characters.
fn is_readable(parts: &RecordParts<'_>) -> bool {
    let mut text = [0; 2 * Header::MAX_TEXT];
    let Some(text) = text.get_mut(..parts.text.len()) else {
        return false;
    };
    text.copy_from_slice(parts.text);
    cipher::text(text);
    text.iter().all(|byte| *byte >= b' ')
}
