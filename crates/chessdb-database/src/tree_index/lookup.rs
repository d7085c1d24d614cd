//! Reading of a tree file.

use std::fmt;
#[cfg(feature = "fs")]
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use chessdb_core::files::SharedBytes;
use chessdb_core::{Board, PackedMove};
use chessdb_files::files::Files;
#[cfg(feature = "fs")]
use chessdb_files::filesystem::index_files;

use super::answer::{PlayedMove, PositionMoves};
#[cfg(feature = "fs")]
use super::layout::COUNTS_SIZE;
use super::layout::{
    BLOCK_ENTRY_SIZE, BlockEntry, Damaged, MoveRecord, NO_MOVE, TreeLayout, find_entry, read_moves,
};
#[cfg(feature = "fs")]
use crate::index::{
    FileStamp, Index, IndexUse, are_on_disk, check_stamps, is_of_all, main_of, read_bytes,
};
use crate::index::{bytes_at, have_contents};
use crate::reading::PositionGames;

/// A tree file in memory, which the caller gave for a database. It is verified at its first use.
#[derive(Default)]
pub(crate) struct GivenTree {
    bytes: Option<SharedBytes>,
    open: OnceLock<Option<TreeIndex>>,
}

impl GivenTree {
    pub(crate) fn new(bytes: SharedBytes) -> GivenTree {
        GivenTree {
            bytes: Some(bytes),
            open: OnceLock::new(),
        }
    }

    /// Returns whether a tree file was given and found not to be one of the database.
    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.open.get(), Some(None))
    }

    /// Returns the tree file, if it is one of the database with these files and number of games.
    pub(crate) fn open(&self, files: &Files, games: u32) -> Option<&TreeIndex> {
        let bytes = self.bytes.as_ref()?;
        let open = || {
            let tree = TreeIndex::parse(bytes.clone()).ok()?;
            let stamps: Vec<_> = tree.layout.stamps(tree.bytes()).collect();
            let is_same = tree.games() == games && have_contents(&stamps, files);
            is_same.then_some(tree)
        };
        self.open.get_or_init(open).as_ref()
    }
}

impl fmt::Debug for GivenTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GivenTree({:?})", self.open.get())
    }
}

/// The tree file of an open database, opened at its first use.
#[cfg(feature = "fs")]
#[derive(Default, Debug)]
pub(crate) struct LazyTree {
    is_allowed: bool,
    open: OnceLock<OpenTree>,
}

#[cfg(feature = "fs")]
impl LazyTree {
    /// Creates a tree file that may be used or not.
    pub(crate) fn new(is_allowed: bool) -> LazyTree {
        LazyTree {
            is_allowed,
            open: OnceLock::new(),
        }
    }

    /// Returns the tree file of the database with these files and number of games, if it is used.
    /// `index` is its index.
    pub(crate) fn open(
        &self,
        files: &Files,
        games: u32,
        index: Option<&Index>,
    ) -> Option<&TreeIndex> {
        let open = || OpenTree::open(files, games, index);
        let open = self.is_allowed.then(|| self.open.get_or_init(open));
        open?.tree.as_ref()
    }

    /// Returns the state of the tree file; `None` before its first use.
    pub(crate) fn state(&self) -> Option<&IndexUse> {
        self.open.get().map(OpenTree::state)
    }
}

/// A tree file, if there is a valid one, and its state.
#[cfg(feature = "fs")]
#[derive(Debug)]
struct OpenTree {
    tree: Option<TreeIndex>,
    /// The state at opening, and the state to report if the file is found to be damaged.
    state: IndexUse,
    damaged: IndexUse,
}

#[cfg(feature = "fs")]
impl OpenTree {
    fn open(files: &Files, games: u32, index: Option<&Index>) -> OpenTree {
        let path = main_of(files).filter(|_| are_on_disk(files));
        let Some(path) = path.map(tree_path_of) else {
            return OpenTree::none(IndexUse::None);
        };
        match TreeIndex::open(&path, files, games, index) {
            Ok(Some(tree)) => OpenTree {
                state: match tree.games() < games {
                    true => IndexUse::Partial(path.clone(), tree.games()),
                    false => IndexUse::Used,
                },
                tree: Some(tree),
                damaged: IndexUse::Damaged(path),
            },
            Ok(None) => OpenTree::none(IndexUse::None),
            Err(why) => OpenTree::none(IndexUse::Refused(path, why)),
        }
    }

    fn none(state: IndexUse) -> OpenTree {
        OpenTree {
            tree: None,
            state,
            damaged: IndexUse::None,
        }
    }

    fn state(&self) -> &IndexUse {
        match &self.tree {
            Some(tree) if tree.is_damaged.load(Ordering::Relaxed) => &self.damaged,
            _ => &self.state,
        }
    }
}

/// Returns the path of the tree file of a database with this main file.
#[cfg(feature = "fs")]
pub(crate) fn tree_path_of(main: &Path) -> PathBuf {
    let [_, tree] = index_files(main);
    tree
}

/// A tree file. All bytes except the blocks are verified; a block is verified when it is used.
pub(crate) struct TreeIndex {
    bytes: SharedBytes,
    layout: TreeLayout,
    is_damaged: AtomicBool,
}

impl TreeIndex {
    /// Opens the tree file at this path, if there is one; returns the reason if it is not used. If
    /// the files are those of the valid `index`, it need not be compared with the database.
    #[cfg(feature = "fs")]
    pub(crate) fn open(
        path: &Path,
        files: &Files,
        games: u32,
        index: Option<&Index>,
    ) -> Result<Option<TreeIndex>, String> {
        let Some(bytes) = read_bytes(path, COUNTS_SIZE, length)? else {
            return Ok(None);
        };
        let tree = TreeIndex::parse(bytes)?;
        let is_same = |index: &Index| index.stamps().eq(tree.layout.stamps(tree.bytes()));
        let covered = match index.filter(|index| is_same(index)) {
            Some(index) => index.games(),
            None => {
                let stamps: Vec<_> = tree.layout.stamps(tree.bytes()).collect();
                check_stamps(&stamps, files)?;
                match is_of_all(&stamps, files) {
                    true => games,
                    // Only the index has the place where the last game ended.
                    false => return Err("the database has grown since it was built".to_owned()),
                }
            }
        };
        if tree.layout.games != covered {
            return Err("it has a different number of games".to_owned());
        }
        Ok(Some(tree))
    }

    /// Returns the number of games that are counted or listed as not counted.
    pub(crate) fn games(&self) -> u32 {
        self.layout.games
    }

    /// Parses a tree file; returns the reason if it is invalid.
    pub(super) fn parse(bytes: SharedBytes) -> Result<TreeIndex, &'static str> {
        let all = (*bytes).as_ref();
        let layout = TreeLayout::read(all)?;
        if layout.length() != Some(all.len() as u64) {
            return Err("it is damaged: its length is wrong");
        }
        let tables = layout.directory().start..layout.uncounted().end;
        let mut sum = crc32fast::Hasher::new();
        for range in [0..layout.header_size(), tables.clone()] {
            sum.update(all.get(range).unwrap_or_default());
        }
        if sum.finalize() != u32::from_le_bytes(bytes_at(all, tables.end)) {
            return Err("it is damaged: its checksum is wrong");
        }
        Ok(TreeIndex {
            bytes,
            layout,
            is_damaged: AtomicBool::new(false),
        })
    }

    fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    /// Returns the moves played in a position, in a database of `games` games. `None` if the file
    /// does not have it, or its block is damaged.
    pub(crate) fn moves(&self, board: &Board, games: u32) -> Option<PositionMoves> {
        if (board.occupied().len() as u64) < self.layout.least_pieces.into() {
            return None;
        }
        match self.find(board.placement_key()) {
            Ok(found) => found.map(|mut found| {
                found.uncounted.extend(self.games()..games);
                found
            }),
            Err(Damaged) => {
                self.is_damaged.store(true, Ordering::Relaxed);
                None
            }
        }
    }

    /// Returns the games that may have a position, in a database of `games` games. `None` if the
    /// file knows nothing about it, or its block is damaged.
    pub(crate) fn games_of(&self, board: &Board, games: u32) -> Option<PositionGames> {
        if (board.occupied().len() as u64) < self.layout.least_pieces.into() {
            return None;
        }
        let Ok(records) = self.records(board.placement_key()) else {
            self.is_damaged.store(true, Ordering::Relaxed);
            return None;
        };
        let records = records?;
        let mut uncounted = self.uncounted();
        uncounted.extend(self.games()..games);
        if records.iter().all(MoveRecord::lists_all) {
            let listed = records.into_iter().flat_map(|record| record.best);
            return Some(PositionGames::listed(listed.collect(), uncounted));
        }
        let first = records.iter().map(|record| record.first_game).min()?;
        let most = records.iter().map(|record| record.tally.games).sum();
        Some(PositionGames::from(first, most, uncounted))
    }

    /// Returns the moves of the position with this key.
    fn records(&self, key: u64) -> Result<Option<Vec<MoveRecord>>, Damaged> {
        let after = self
            .blocks()
            .partition_point(|entry| BlockEntry::read(entry).key <= key);
        let Some(number) = after.checked_sub(1) else {
            return Ok(None);
        };
        match find_entry(self.block(number)?, key)? {
            Some(body) => read_moves(body).ok_or(Damaged).map(Some),
            None => Ok(None),
        }
    }

    pub(super) fn find(&self, key: u64) -> Result<Option<PositionMoves>, Damaged> {
        let Some(records) = self.records(key)? else {
            return Ok(None);
        };
        let mut found = PositionMoves {
            uncounted: self.uncounted(),
            ..PositionMoves::default()
        };
        for record in records {
            match PackedMove::from_bits(record.mv) {
                Some(mv) => found.moves.push(PlayedMove {
                    mv,
                    tally: record.tally,
                    first_year: record.first_year,
                    first_game: record.first_game,
                    best: record.best,
                }),
                None if record.mv == NO_MOVE => found.ended = record.tally,
                None => return Err(Damaged),
            }
        }
        Ok(Some(found))
    }

    pub(super) fn layout(&self) -> &TreeLayout {
        &self.layout
    }

    /// Returns the entries of the positions whose keys have this highest byte.
    pub(super) fn partition(&self, number: usize) -> &[u8] {
        let before = |number: usize| {
            self.blocks()
                .partition_point(|entry| (BlockEntry::read(entry).key >> 56) < number as u64)
        };
        let first = self.layout.header_size() + self.offset(before(number)) as usize;
        let end = self.layout.header_size() + self.offset(before(number + 1)) as usize;
        self.bytes().get(first..end).unwrap_or_default()
    }

    /// Returns the directory.
    pub(super) fn blocks(&self) -> &[[u8; BLOCK_ENTRY_SIZE]] {
        let directory = self.bytes().get(self.layout.directory());
        directory.unwrap_or_default().as_chunks().0
    }

    /// Returns the offset of a block after the first; for one more than the last, the end.
    fn offset(&self, block: usize) -> u64 {
        let entry = self.blocks().get(block).map(BlockEntry::read);
        entry.map_or(self.layout.blocks_size, |entry| entry.offset)
    }

    /// Returns the bytes of a block, verified.
    pub(super) fn block(&self, number: usize) -> Result<&[u8], Damaged> {
        let entry = self.blocks().get(number).ok_or(Damaged)?;
        let first = self.layout.header_size();
        let blocks = self.bytes().get(first..self.layout.directory().start);
        let range = self.offset(number) as usize..self.offset(number + 1) as usize;
        let block = blocks.and_then(|blocks| blocks.get(range)).ok_or(Damaged)?;
        match crc32fast::hash(block) == BlockEntry::read(entry).sum {
            true => Ok(block),
            false => Err(Damaged),
        }
    }

    /// Returns whether all blocks are intact.
    pub(super) fn is_intact(&self) -> bool {
        (0..self.blocks().len()).all(|number| self.block(number).is_ok())
    }

    /// Returns the stamps of the database files at the time of writing.
    #[cfg(feature = "fs")]
    pub(crate) fn stamps(&self) -> impl Iterator<Item = FileStamp> + '_ {
        self.layout.stamps(self.bytes())
    }

    pub(super) fn uncounted(&self) -> Vec<u32> {
        let numbers = self.bytes().get(self.layout.uncounted());
        let (numbers, _) = numbers.unwrap_or_default().as_chunks();
        numbers
            .iter()
            .map(|number| u32::from_le_bytes(*number))
            .collect()
    }
}

impl fmt::Debug for TreeIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TreeIndex({:?})", self.layout)
    }
}

/// Returns the length of the file with this start, or the reason why it is invalid.
#[cfg(feature = "fs")]
fn length(start: &[u8]) -> Result<u64, &'static str> {
    let length = TreeLayout::read(start)?.length();
    length.ok_or("it is damaged: its counts are wrong")
}
