//! Reading a CTG book (docs/formats/ctg.md, sections 2 to 6).

use chessdb_core::error::Location;
use chessdb_core::rules::is_legal;
use chessdb_core::{
    Board, Color, ErrorKind, FileSet, PackedMove, ReadOptions, Result, Scratch, Severity,
};

use super::board::{Orientation, StoredBoard};
use super::codes;
use super::raw::{self, PAGE, RawPosition};
use super::table::{self, Table};
use crate::counts::Counts;
use crate::entry::{
    BookEntry, BookMove, MoveStatistics, PositionFacts, RatingSum, Recommendation, Results,
};
use crate::roles::{CTB_FILE, CTG_FILE, CTO_FILE};

/// The first bytes of each .ctg file.
const MAGIC: &[u8; 12] = b"\0\x20\x10\0\0\x01\0\x01\0\0\x10\0";

/// A CTG book in memory.
#[derive(Debug)]
pub(crate) struct Ctg<'f> {
    /// The pages with positions.
    pages: &'f [[u8; PAGE]],
    index: Index<'f>,
    /// The number of games is the one in the header of the file.
    pub(crate) counts: Counts,
}

/// The way from a board to its place.
#[derive(Debug)]
enum Index<'f> {
    Table(Table<'f>),
    /// Hash and offset of every position, sorted.
    Built(Vec<(u32, u64)>),
}

/// A position and its offset in the .ctg file.
type PlacedPosition<'f> = (RawPosition<'f>, u64);

impl<'f> Ctg<'f> {
    pub(crate) fn probe(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    pub(crate) fn open(
        files: &'f dyn FileSet,
        options: &ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<Ctg<'f>> {
        let bytes = files.require(CTG_FILE)?;
        if !Ctg::probe(bytes) {
            let kind = ErrorKind::BadMagic { expected: MAGIC };
            return Err(chessdb_core::Error::new(kind).at(Location::byte(CTG_FILE, 0)));
        }
        let (all, rest) = bytes.as_chunks::<PAGE>();
        let Some((header, pages)) = all.split_first() else {
            let length = bytes.len() as u64;
            return Err(ErrorKind::truncated("the first page", PAGE as u64, length).into());
        };
        let number = |offset: usize| {
            let field = header.get(offset..).and_then(|rest| rest.first_chunk());
            field.map_or(0, |field| u32::from_be_bytes(*field))
        };
        if !rest.is_empty() {
            let kind = ErrorKind::truncated("the last page", PAGE as u64, rest.len() as u64);
            let location = Location::byte(CTG_FILE, (all.len() * PAGE) as u64);
            scratch.deviation(options, Severity::Lost, kind, location)?;
        }
        if number(16) as usize != pages.len() {
            let kind =
                ErrorKind::mismatch("the number of pages", number(16).into(), pages.len() as u64);
            // Missing pages are lost games; surplus ones are read like the others.
            let severity = if number(16) as usize > pages.len() {
                Severity::Lost
            } else {
                Severity::Repaired
            };
            scratch.deviation(options, severity, kind, Location::byte(CTG_FILE, 16))?;
        }
        let mut book = Ctg {
            pages,
            index: Index::Built(Vec::new()),
            counts: Counts::default(),
        };
        let table = files
            .get(CTO_FILE)
            .map(|bytes| Table::parse(bytes, pages.len()));
        let mut index = match table {
            Some(Ok(table)) => Index::Table(table),
            Some(Err(what)) => {
                let kind = ErrorKind::Structure(what);
                let location = Location::byte(CTO_FILE, 0);
                scratch.deviation(options, Severity::Repaired, kind, location)?;
                Index::Built(Vec::new())
            }
            None => {
                let location = Location::byte(CTG_FILE, 0);
                let kind = ErrorKind::MissingFile(CTO_FILE);
                scratch.deviation(options, Severity::Repaired, kind, location)?;
                Index::Built(Vec::new())
            }
        };
        if let Index::Table(table) = &index {
            let location = Location::byte(CTB_FILE, 0);
            match files.get(CTB_FILE) {
                // The file repeats what follows from the table.
                Some(bounds) if bounds == table.bounds() => {}
                Some(_) => {
                    let kind = ErrorKind::Structure("the inner nodes of the table of pages");
                    scratch.deviation(options, Severity::Repaired, kind, location)?;
                }
                None => {
                    let kind = ErrorKind::MissingFile(CTB_FILE);
                    let location = Location::byte(CTG_FILE, 0);
                    scratch.deviation(options, Severity::Note, kind, location)?;
                }
            }
        }
        let mut misplaced = None;
        let mut counts = Counts {
            games: Some(number(28)),
            ..Counts::default()
        };
        book.each_raw(options, scratch, &mut |page, position, offset| {
            counts.positions += 1;
            counts.moves += position.moves.len() as u64;
            let hash = table::hash(position.board);
            match &mut index {
                Index::Table(table) if table.page(hash) == Some(page) => {}
                // One position in the wrong page makes every look-up unreliable.
                Index::Table(_) => misplaced = misplaced.or(Some(offset)),
                Index::Built(entries) => entries.push((hash, offset)),
            }
        })?;
        if let Some(offset) = misplaced {
            let kind = ErrorKind::Structure("the table of pages does not lead to a position");
            let location = Location::byte(CTG_FILE, offset);
            scratch.deviation(options, Severity::Repaired, kind, location)?;
            let mut entries = Vec::new();
            // The findings of this pass were reported by the first one.
            let mut unused = Scratch::new();
            let lenient = ReadOptions::default();
            book.each_raw(&lenient, &mut unused, &mut |_, position, offset| {
                entries.push((table::hash(position.board), offset));
            })?;
            index = Index::Built(entries);
        }
        if let Index::Built(entries) = &mut index {
            // `find` searches by hash; equal hashes keep the order of the file.
            entries.sort_unstable();
        }
        (book.index, book.counts) = (index, counts);
        Ok(book)
    }

    /// Calls `visit` with page, position and offset in the file of every position, in the order of
    /// the file.
    fn each_raw(
        &self,
        options: &ReadOptions,
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(usize, RawPosition<'f>, u64),
    ) -> Result<()> {
        for (n, page) in self.pages.iter().enumerate() {
            let start = page_offset(n);
            let Some((count, used)) = raw::page_header(page) else {
                continue;
            };
            // The used bytes include the four of the head; what follows them are remains of old
            // positions.
            let mut rest = page.get(4..used).unwrap_or_default();
            if !(4..=PAGE).contains(&used) {
                let (field, value) = ("the number of used bytes of a page", used as u64);
                let kind = ErrorKind::BadField { field, value };
                scratch.deviation(
                    options,
                    Severity::Lost,
                    kind,
                    Location::byte(CTG_FILE, start),
                )?;
            }
            let mut read = 0_u16;
            while !rest.is_empty() {
                let offset = start + (used - rest.len()) as u64;
                let location = Location::byte(CTG_FILE, offset);
                let Some((position, after)) = RawPosition::parse(rest) else {
                    let kind = ErrorKind::Structure("a position that does not fit into its page");
                    scratch.deviation(options, Severity::Lost, kind, location)?;
                    break;
                };
                rest = after;
                read = read.saturating_add(1);
                match StoredBoard::decode(position.board) {
                    Ok(_) => visit(n, position, offset),
                    Err(fault) => {
                        let kind = ErrorKind::Structure(fault.what());
                        scratch.deviation(options, Severity::Lost, kind, location)?;
                    }
                }
            }
            if read != count {
                let what = "the number of positions of a page";
                let kind = ErrorKind::mismatch(what, count.into(), read.into());
                // Positions beyond the declared number are intact.
                let severity = if read < count { Severity::Lost } else { Severity::Repaired };
                scratch.deviation(options, severity, kind, Location::byte(CTG_FILE, start))?;
            }
        }
        Ok(())
    }

    /// Calls `visit` with every stored position, each with White to move.
    pub(crate) fn each_position(
        &self,
        options: &ReadOptions,
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(u64, &Board),
    ) -> Result<()> {
        self.each_raw(options, scratch, &mut |_, position, offset| {
            if let Ok(board) = StoredBoard::decode(position.board) {
                visit(offset, &board);
            }
        })
    }

    /// Returns the position with this stored board.
    fn find(&self, board: &[u8]) -> Option<PlacedPosition<'f>> {
        let hash = table::hash(board);
        match &self.index {
            Index::Table(table) => {
                let n = table.page(hash)?;
                let page = self.pages.get(n)?;
                let (_, used) = raw::page_header(page)?;
                let mut rest = page.get(4..used)?;
                loop {
                    let offset = page_offset(n) + (used - rest.len()) as u64;
                    let (position, after) = RawPosition::parse(rest)?;
                    if position.board == board {
                        return Some((position, offset));
                    }
                    rest = after;
                }
            }
            Index::Built(entries) => {
                let first = entries.partition_point(|&(other, _)| other < hash);
                let same = entries.get(first..)?.iter();
                same.take_while(|&&(other, _)| other == hash)
                    .find_map(|&(_, offset)| {
                        let position = self.position_at(offset)?;
                        (position.board == board).then_some((position, offset))
                    })
            }
        }
    }

    /// Returns the position at an offset of the file.
    fn position_at(&self, offset: u64) -> Option<RawPosition<'f>> {
        let offset = usize::try_from(offset).ok()?;
        let page = self.pages.get((offset / PAGE).checked_sub(1)?)?;
        let (_, used) = raw::page_header(page)?;
        let (position, _) = RawPosition::parse(page.get(offset % PAGE..used)?)?;
        Some(position)
    }

    pub(crate) fn lookup(
        &self,
        board: &Board,
        into: &mut BookEntry,
        options: &ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<bool> {
        let Some((stored, orientation)) = StoredBoard::from_board(board) else {
            return Ok(false);
        };
        let Some((position, offset)) = self.find(stored.bytes()) else {
            return Ok(false);
        };
        into.id = offset;
        into.facts = Some(facts(&position, board.turn()));
        let turned = orientation.board(board);
        // The board is followed by a byte with the length of the moves.
        let codes = offset.saturating_add(position.board.len() as u64 + 1);
        for (n, &[code, nag]) in position.moves.iter().enumerate() {
            let location = Location::byte(CTG_FILE, codes.saturating_add(2 * n as u64));
            let mut fault = |severity, why| {
                let found = format!("0x{code:02x}").into();
                let kind = ErrorKind::BadMove { found, why };
                scratch.deviation(options, severity, kind, location)
            };
            let candidates = self.candidates(code, &turned, board, orientation);
            let (mv, next) = match candidates {
                // QUIRK: two codes have two readings; the right one leads to a position of the book
                // (section 5).
                [Some((mv, Some(next))), other] | [other, Some((mv, Some(next)))] => {
                    if matches!(other, Some((_, Some(_)))) {
                        fault(
                            Severity::Note,
                            "the code has two meanings, and both are possible",
                        )?;
                    }
                    (mv, Some(next))
                }
                [Some((mv, None)), _] | [None, Some((mv, None))] => {
                    fault(Severity::Note, "the book lacks the position after the move")?;
                    (mv, None)
                }
                [None, None] => {
                    fault(Severity::Lost, "not legal in its position")?;
                    continue;
                }
            };
            into.moves.push(book_move(mv, nag, next));
        }
        into.sort();
        Ok(true)
    }

    /// Returns the legal moves that a code may mean, each with the position after it if the book
    /// has it.
    fn candidates(
        &self,
        code: u8,
        turned: &Board,
        board: &Board,
        orientation: Orientation,
    ) -> [Option<(PackedMove, Option<RawPosition<'f>>)>; 2] {
        codes::moves_of_code(code, turned).map(|mv| {
            let mv = mv.filter(|&mv| is_legal(turned, mv))?;
            let mv = orientation.mv(mv);
            // The real position, because the next one may have another orientation.
            let mut after = board.clone();
            after.play(mv);
            let next =
                StoredBoard::from_board(&after).and_then(|(stored, _)| self.find(stored.bytes()));
            Some((mv, next.map(|(position, _)| position)))
        })
    }
}

/// Returns the offset of a page in the file.
fn page_offset(page: usize) -> u64 {
    (page as u64 + 1) * PAGE as u64
}

fn results(position: &RawPosition<'_>) -> Results {
    Results {
        wins: position.wins,
        draws: position.draws,
        losses: position.losses,
    }
}

fn facts(position: &RawPosition<'_>, turn: Color) -> PositionFacts {
    let recommendation = Recommendation(position.recommendation);
    // A bit distinguishes a stored 0 from no value.
    let has_value = position.value != 0 || recommendation.has_value();
    PositionFacts {
        games: position.games,
        results: results(position),
        ratings: position
            .ratings
            .map(|(games, sum)| RatingSum { games, sum }),
        value: has_value.then_some(position.value),
        nag: nag_for(position.comment, turn),
        recommendation,
        unknown: position.unknown,
    }
}

/// Returns the comment of a position as a NAG: stored comments are for the side to move as White.
fn nag_for(comment: u8, turn: Color) -> u8 {
    match (turn, comment) {
        // These NAGs come in pairs: White is better, Black is better.
        (Color::Black, 14 | 16 | 18) => comment + 1,
        (Color::Black, 15 | 17 | 19) => comment - 1,
        _ => comment,
    }
}

/// Returns a move with its annotation and the data of the position after it.
fn book_move(mv: PackedMove, nag: u8, next: Option<RawPosition<'_>>) -> BookMove {
    let mut book_move = BookMove::new(mv);
    book_move.nag = nag;
    let Some(next) = next else {
        return book_move;
    };
    let statistics = MoveStatistics {
        games: next.games,
        // The results after the move belong to the opponent.
        results: results(&next).reversed(),
    };
    book_move.recommendation = Recommendation(next.recommendation);
    book_move.statistics = Some(statistics);
    let is_bad = book_move.recommendation.is_avoided() || matches!(nag, 2 | 4);
    book_move.weight = match statistics.results.total() {
        // Red moves, `?` and `??` are never played (section 6).
        _ if is_bad => 0,
        0 => statistics.games,
        _ => statistics.results.points(),
    };
    book_move
}
