//! The tree file as a Parquet table: a row for each position and move (docs/parquet.md, section 4).

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use chessdb_core::board::UciNotation;
use chessdb_core::files::FileSink;
use chessdb_core::rules::san;
use chessdb_core::{Board, PackedMove, Setup};
use chessdb_files::error::{Error, Problem, Result};
use chessdb_files::filesystem::create_files;
use chessdb_parquet::{MoveRow, MoveTableWriter, PARQUET_FILE};

use crate::database::Database;

use super::layout::{
    BlockEntry, Damaged, EncodedEntry, MoveRecord, entries, find_entry, read_moves,
};
use super::lookup::TreeIndex;

/// Maximum number of half-moves from the start to a position with a FEN.
const MOST_PLIES: u16 = 1000;
/// Number of rows that are written at once.
const BATCH_ROWS: usize = 8 << 10;

/// The extent of a table of moves ([`Database::write_tree_table`]).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct TreeTable {
    /// The number of games that the tree file counts.
    pub games: u32,
    /// The number of games of the database that it does not count.
    pub uncounted: u32,
    /// The number of positions.
    pub positions: u32,
    /// The number of rows.
    pub rows: u64,
}

impl Database {
    /// Writes the positions of the tree file to a Parquet file, with a row for each move, sorted by
    /// key. The table is visible when it is complete. Memory holds 6 bytes per position. `progress`
    /// is called regularly with the share that is done, from 0 to 1, and can interrupt.
    ///
    /// `None`, and no table, if no tree file is used ([`Database::position_moves`]), or if games have
    /// changed since it was written.
    ///
    /// # Errors
    ///
    /// Returns an error if the tree file is damaged, if the table exists and `replace` is false or
    /// cannot be written, or if `progress` interrupts.
    pub fn write_tree_table(
        &self,
        target: impl AsRef<Path>,
        replace: bool,
        mut progress: impl FnMut(f64) -> ControlFlow<()>,
    ) -> Result<Option<TreeTable>> {
        let target = target.as_ref();
        let games = self.len()?;
        // The file does not state the moves of all positions after a change.
        let has_changed = self.index().is_some_and(|index| index.has_changed_games());
        let Some(tree) = self.tree_file().filter(|_| !has_changed) else {
            return Ok(None);
        };
        let damaged = |Damaged| {
            let why = "the tree file is damaged; write it again with `chessdb index`";
            Error::from(Problem::Io(io::Error::other(why))).with_path(self.path())
        };
        let positions = Positions::new(tree).map_err(damaged)?;
        let sink = create_files(target, &[PARQUET_FILE], replace, None);
        let mut sink = sink.map_err(Error::while_writing)?;
        // Finding the positions takes about as long as writing them.
        let mut report = |half: f64, done: u32| match progress(
            half + f64::from(done) / f64::from(2 * positions.len().max(1)),
        ) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::from(Problem::Interrupted)),
        };
        let routes = Routes::find(&positions, &mut |done| report(0.0, done))?;
        let unwritten = |problem: Problem| Error::new(target, problem).while_writing();
        let mut writer = MoveTableWriter::new().map_err(|error| unwritten(error.into()))?;
        let file = sink
            .create(PARQUET_FILE)
            .map_err(|error| unwritten(error.into()))?;
        let uncounted = tree.uncounted().len() as u32;
        let mut table = TreeTable {
            games: tree.games().saturating_sub(uncounted),
            uncounted: games.saturating_sub(tree.games()).saturating_add(uncounted),
            positions: positions.len(),
            rows: 0,
        };
        // The keys are ascending as signed numbers, too. A block has keys of one sign.
        let is_positive = |entry: &_| BlockEntry::read(entry).key.cast_signed() >= 0;
        let blocks = tree.blocks();
        let split = blocks.partition_point(is_positive);
        let (mut rows, mut ready, mut done) = (Vec::new(), Vec::new(), 0);
        for (n, block) in (split..blocks.len()).chain(0..split).enumerate() {
            let mut number = positions.first_of(block);
            for entry in entries(tree.block(block).map_err(damaged)?) {
                let entry = entry.map_err(damaged)?;
                let route = routes.board(number);
                let moves = read_moves(entry.body).ok_or(Damaged).map_err(damaged)?;
                table.rows += moves.len() as u64;
                let row = |record| row(entry.key, route.as_ref(), record);
                rows.extend(moves.iter().map(row));
                (number, done) = (number.saturating_add(1), done + 1);
            }
            if rows.len() >= BATCH_ROWS || n + 1 == blocks.len() {
                let written = writer.write(&rows, &mut ready);
                written.map_err(|error| unwritten(error.into()))?;
                let written = sink.write(file, &ready);
                written.map_err(|error| unwritten(error.into()))?;
                rows.clear();
                ready.clear();
                report(0.5, done)?;
            }
        }
        writer
            .finish(&mut ready)
            .map_err(|error| unwritten(error.into()))?;
        sink.write(file, &ready)
            .map_err(|error| unwritten(error.into()))?;
        sink.commit().map_err(|error| unwritten(error.into()))?;
        Ok(Some(table))
    }
}

fn row(key: u64, route: Option<&(Board, u16)>, record: &MoveRecord) -> MoveRow {
    let mv = PackedMove::from_bits(record.mv);
    let board = route.map_or_else(Board::standard, |(board, _)| board.clone());
    let san = route.zip(mv).map(|((board, _), mv)| san(board, mv));
    let notation = UciNotation::of_setup(&Setup::from_board(board));
    let tally = &record.tally;
    let long = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let years = [record.first_year, tally.last_year].map(|year| i16::try_from(year).unwrap_or(0));
    MoveRow {
        key: key.cast_signed(),
        fen: route.map(|(board, ply)| (board.to_string(), i32::from(*ply))),
        uci: mv.map(|mv| notation.show(mv).to_string()),
        san,
        games: long(tally.games),
        white: long(tally.white),
        draws: long(tally.draws),
        black: long(tally.black),
        rating: tally.rating().and_then(|rating| rating.try_into().ok()),
        performance: tally
            .performance()
            .and_then(|rating| rating.try_into().ok()),
        years: (years[1] > 0).then_some(years),
        longest: tally.longest.try_into().unwrap_or(i32::MAX),
        best: record
            .best
            .iter()
            .filter_map(|game| game.saturating_add(1).try_into().ok())
            .collect(),
    }
}

/// The positions of a tree file by number, in the order of their keys.
struct Positions<'t> {
    tree: &'t TreeIndex,
    /// The number of the first position of each block, and of one after the last.
    firsts: Vec<u32>,
}

impl<'t> Positions<'t> {
    /// Counts the positions. Verifies all blocks.
    fn new(tree: &'t TreeIndex) -> std::result::Result<Positions<'t>, Damaged> {
        let mut firsts = vec![0u32];
        let mut number = 0u32;
        for block in 0..tree.blocks().len() {
            for entry in entries(tree.block(block)?) {
                entry?;
                number = number.checked_add(1).ok_or(Damaged)?;
            }
            firsts.push(number);
        }
        Ok(Positions { tree, firsts })
    }

    fn len(&self) -> u32 {
        self.firsts.last().copied().unwrap_or(0)
    }

    /// Returns the number of the first position of a block.
    fn first_of(&self, block: usize) -> u32 {
        self.firsts.get(block).copied().unwrap_or(NO_ROUTE)
    }

    /// Returns the number of the position with this key.
    fn find(&self, key: u64) -> Option<u32> {
        let block = self.tree.block_with(key)?;
        let bytes = self.tree.block(block).ok()?;
        find_entry(bytes, key).ok()??;
        let before = entries(bytes).take_while(|entry| entry.is_ok_and(|entry| entry.key < key));
        self.firsts.get(block)?.checked_add(before.count() as u32)
    }

    /// Returns the position with this number.
    fn nth(&self, number: u32) -> Option<EncodedEntry<'t>> {
        let after = self.firsts.partition_point(|first| *first <= number);
        let block = after.checked_sub(1)?;
        let place = number.checked_sub(*self.firsts.get(block)?)?;
        entries(self.tree.block(block).ok()?)
            .nth(place as usize)?
            .ok()
    }
}

/// Ways from the start position to positions of a tree file, by moves in the file, with as few
/// half-moves as possible.
struct Routes {
    /// Of each position the position before it and the move; [`NO_ROUTE`] if there is no way.
    before: Vec<u32>,
    moves: Vec<u16>,
    start: Option<u32>,
}

const NO_ROUTE: u32 = u32::MAX;

impl Routes {
    fn find(
        positions: &Positions<'_>,
        report: &mut dyn FnMut(u32) -> Result<()>,
    ) -> Result<Routes> {
        let start = positions.find(Board::standard().placement_key());
        let mut routes = Routes {
            before: vec![NO_ROUTE; positions.len() as usize],
            moves: vec![0; positions.len() as usize],
            start,
        };
        let mut reached: Vec<u32> = start.into_iter().collect();
        // The start position is its own predecessor, so that no move leads back to it.
        routes.set(start.unwrap_or(NO_ROUTE), start.unwrap_or(NO_ROUTE), 0);
        let mut done = 0;
        for _ in 0..MOST_PLIES {
            for &number in &std::mem::take(&mut reached) {
                done += 1;
                if done % 4096 == 0 {
                    report(done)?;
                }
                let board = routes.board(number);
                let moves = positions
                    .nth(number)
                    .and_then(|entry| read_moves(entry.body));
                let Some((board, moves)) = board.zip(moves) else {
                    continue;
                };
                for mv in moves
                    .iter()
                    .filter_map(|record| PackedMove::from_bits(record.mv))
                {
                    let mut after = board.0.clone();
                    after.play(mv);
                    let next = positions.find(after.placement_key());
                    if let Some(next) = next.filter(|next| routes.set(*next, number, mv.bits())) {
                        reached.push(next);
                    }
                }
            }
            if reached.is_empty() {
                break;
            }
        }
        Ok(routes)
    }

    /// Sets the way to a position, unless there is one. Returns whether there was none.
    fn set(&mut self, number: u32, before: u32, mv: u16) -> bool {
        let index = number as usize;
        let place = self.before.get_mut(index).zip(self.moves.get_mut(index));
        match place {
            Some((previous, move_here)) if *previous == NO_ROUTE => {
                (*previous, *move_here) = (before, mv);
                true
            }
            _ => false,
        }
    }

    /// Returns a position and the number of half-moves that lead to it.
    fn board(&self, number: u32) -> Option<(Board, u16)> {
        let mut moves = Vec::new();
        let mut number = number;
        while Some(number) != self.start {
            if moves.len() > usize::from(MOST_PLIES) {
                return None;
            }
            moves.push(PackedMove::from_bits(*self.moves.get(number as usize)?)?);
            number = self
                .before
                .get(number as usize)
                .copied()
                .filter(|number| *number != NO_ROUTE)?;
        }
        let mut board = Board::standard();
        for mv in moves.iter().rev() {
            board.play(*mv);
        }
        Some((board, moves.len() as u16))
    }
}
