//! Reading of a tree file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use chessdb_core::files::SharedBytes;
use chessdb_core::{Board, PackedMove};
use chessdb_files::files::Files;
use chessdb_files::filesystem::{ChangedGame, index_files};
use chessdb_query::tree::GameFacts;

use super::answer::{PlayedMove, PositionMoves};
use super::changes::TreeChanges;
use super::collect::CountedGame;
use super::layout::{
    BLOCK_ENTRY_SIZE, BlockEntry, Damaged, KIND, MoveRecord, NO_MOVE, NUMBER_SIZE, find_entry,
    read_moves,
};
use crate::index::{
    FIRST_TABLE, FileStamp, IndexUse, OpenFile, PIECES, Piece, SECOND_TABLE, SectionedFile,
    WRONG_COUNTS, are_whole, check_stamps, main_on_disk,
};
use crate::reading::PositionGames;

/// The tree file of an open database, opened at its first use.
#[derive(Default, Debug)]
pub(crate) struct LazyTree {
    /// `None` if no tree file may be used.
    source: Option<TreeSource>,
    open: OnceLock<OpenFile<TreeIndex>>,
    /// The games that have changed since.
    changes: OnceLock<TreeChanges>,
}

/// Where the tree file of a database is.
enum TreeSource {
    /// Next to the database.
    Path,
    /// In memory, given by the caller.
    Bytes(SharedBytes),
}

impl fmt::Debug for TreeSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TreeSource")
    }
}

/// The stamps of a valid index, the number of games that it covers, and whether the changes of the
/// database since it was written are known.
type CheckedStamps<'i> = (&'i [FileStamp], u32, bool);

/// The changed games of a database, and a function that returns the properties of a game.
pub(crate) type AppliedChanges<'c> = (&'c TreeChanges, &'c dyn Fn(u32) -> GameFacts);

impl LazyTree {
    /// Creates the tree file next to a database, which may be used or not.
    pub(crate) fn next_to_database(is_allowed: bool) -> LazyTree {
        LazyTree {
            source: is_allowed.then_some(TreeSource::Path),
            ..LazyTree::default()
        }
    }

    pub(crate) fn in_memory(bytes: SharedBytes) -> LazyTree {
        LazyTree {
            source: Some(TreeSource::Bytes(bytes)),
            ..LazyTree::default()
        }
    }

    /// Returns the tree file of the database with these files and number of games, if it is used.
    pub(crate) fn open(
        &self,
        files: &Files,
        games: u32,
        index: Option<CheckedStamps<'_>>,
    ) -> Option<&TreeIndex> {
        let source = self.source.as_ref()?;
        let open = || match source {
            TreeSource::Path => {
                let path = main_on_disk(files).map(tree_path_of).unwrap_or_default();
                let tree = TreeIndex::open(&path, files, games, index);
                let is_followed = index.is_some_and(|(.., is_followed)| is_followed);
                OpenFile::new(&path, tree).for_games(games, is_followed, |_| false)
            }
            TreeSource::Bytes(bytes) => {
                let tree = TreeIndex::parse(SharedBytes::clone(bytes)).map_err(str::to_owned);
                let tree = tree.and_then(|tree| tree.of_database(files, games, true));
                OpenFile::new(Path::new(""), tree.map(Some))
            }
        };
        self.open.get_or_init(open).file().map(|tree| &**tree)
    }

    /// Returns the changed games of the database, which `compare` compares with the tree file.
    pub(crate) fn changes(&self, compare: impl FnOnce() -> TreeChanges) -> &TreeChanges {
        self.changes.get_or_init(compare)
    }

    /// Returns the state of the tree file; `None` before its first use.
    pub(crate) fn state(&self) -> Option<&IndexUse> {
        self.open.get().map(OpenFile::state)
    }
}

/// Returns the path of the tree file of a database with this main file.
pub(crate) fn tree_path_of(main: &Path) -> PathBuf {
    let [_, tree] = index_files(main);
    tree
}

/// A tree file. A block is verified when it is first used.
pub(crate) struct TreeIndex {
    file: SectionedFile,
}

impl AsRef<SectionedFile> for TreeIndex {
    fn as_ref(&self) -> &SectionedFile {
        &self.file
    }
}

impl TreeIndex {
    /// Opens the tree file at this path, if there is one; returns the reason if it is not used. If
    /// the stamps are those of a valid index, it need not be compared with the database.
    pub(crate) fn open(
        path: &Path,
        files: &Files,
        games: u32,
        index: Option<CheckedStamps<'_>>,
    ) -> Result<Option<TreeIndex>, String> {
        let Some(file) = SectionedFile::open(path, &KIND, files.is_read_only())? else {
            return Ok(None);
        };
        let tree = TreeIndex::new(file)?;
        let tree = match index {
            Some((stamps, covered, _)) if stamps == tree.stamps() => tree.with_games(covered),
            _ => tree.of_database(files, games, false),
        };
        tree.map(Some)
    }

    /// Parses a tree file; returns the reason if it is invalid.
    pub(super) fn parse(bytes: SharedBytes) -> Result<TreeIndex, &'static str> {
        TreeIndex::new(SectionedFile::parse(bytes, None, &KIND)?)
    }

    fn new(file: SectionedFile) -> Result<TreeIndex, &'static str> {
        let header = file.header();
        let [_, directory, uncounted, _] = header.lengths;
        let [_, _, chosen_games, _] = header.numbers;
        let is_right = directory == file.pieces() as u64 * BLOCK_ENTRY_SIZE as u64
            && uncounted.is_multiple_of(NUMBER_SIZE as u64)
            && uncounted / NUMBER_SIZE as u64 <= header.games.into()
            && chosen_games <= header.games;
        is_right.then_some(TreeIndex { file }).ok_or(WRONG_COUNTS)
    }

    /// Returns the file if it is one of the whole database with these files; otherwise the reason.
    fn of_database(self, files: &Files, games: u32, is_copy: bool) -> Result<TreeIndex, String> {
        check_stamps(self.stamps(), files, is_copy)?;
        if are_whole(self.stamps(), files) {
            self.with_games(games)
        } else {
            // Only the index has the place where the last game ended.
            Err("the database has grown since it was built".to_owned())
        }
    }

    fn with_games(self, games: u32) -> Result<TreeIndex, String> {
        if self.games() == games {
            Ok(self)
        } else {
            Err("it has a different number of games".to_owned())
        }
    }

    /// Returns the number of games that are counted or listed as not counted.
    pub(crate) fn games(&self) -> u32 {
        self.file.header().games
    }

    /// Returns the minimum number of games of a position in the file.
    pub(super) fn least_games(&self) -> u32 {
        self.number(0)
    }

    /// Returns the minimum number of pieces of a position in the file.
    fn least_pieces(&self) -> u32 {
        self.number(1)
    }

    /// Returns the number of games when the positions were chosen. Later games count in these
    /// positions.
    pub(super) fn chosen_games(&self) -> u32 {
        self.number(2)
    }

    fn number(&self, index: usize) -> u32 {
        let number = self.file.header().numbers.get(index);
        number.copied().unwrap_or_default()
    }

    /// Compares the changed games of a database with the file. `current` returns what the file would
    /// count of a game now.
    pub(crate) fn compare(
        &self,
        changed: &[ChangedGame],
        current: impl FnMut(u32) -> Option<CountedGame>,
    ) -> TreeChanges {
        TreeChanges::new(changed, self.games(), &self.uncounted(), current)
    }

    /// Returns the moves played in a position, in a database of `games` games. `None` if the file
    /// does not have it, its block is damaged, or they do not follow from the file and the changes.
    pub(crate) fn moves(
        &self,
        board: &Board,
        games: u32,
        changes: Option<AppliedChanges<'_>>,
    ) -> Option<PositionMoves> {
        if (board.occupied().len() as u64) < self.least_pieces().into() {
            return None;
        }
        match self.find(board.placement_key(), changes) {
            Ok(None) => None,
            Ok(Some(mut answer)) => {
                answer.uncounted.extend(self.games()..games);
                Some(answer)
            }
            Err(Damaged) => {
                self.file.set_damaged();
                None
            }
        }
    }

    /// Returns the games that may have a position, in a database of `games` games. `None` if the
    /// file knows nothing about it, or its block is damaged.
    pub(crate) fn games_of(
        &self,
        board: &Board,
        games: u32,
        changes: Option<&TreeChanges>,
    ) -> Option<PositionGames> {
        if (board.occupied().len() as u64) < self.least_pieces().into() {
            return None;
        }
        let key = board.placement_key();
        let Ok(records) = self.records(key) else {
            self.file.set_damaged();
            return None;
        };
        let records = records.filter(|_| !changes.is_some_and(TreeChanges::is_unknown))?;
        let mut uncounted = self.unread(changes);
        uncounted.extend(self.games()..games);
        // Changed games are read like those that are not counted.
        let (removed, added) = changes.map_or_else(Default::default, |it| it.games_of(key));
        if !removed.is_empty() || !added.is_empty() {
            uncounted.extend(removed.iter().chain(&added));
            uncounted.sort_unstable();
            uncounted.dedup();
        }
        // With few games per move, the file lists every game of the position.
        if records.iter().all(MoveRecord::lists_all) {
            let listed = records.into_iter().flat_map(|record| record.best);
            let listed = listed.filter(|game| !removed.contains(game));
            return Some(PositionGames::listed(listed.collect(), uncounted));
        }
        let first = records.iter().map(|record| record.first_game).min()?;
        let counted: u64 = records.iter().map(|record| record.tally.games).sum();
        let max_games = counted.saturating_sub(removed.len() as u64);
        Some(PositionGames::from(first, max_games, uncounted))
    }

    /// Returns the games of the file that must be read for any position.
    fn unread(&self, changes: Option<&TreeChanges>) -> Vec<u32> {
        let mut unread = self.uncounted();
        if let Some(changes) = changes.filter(|changes| !changes.uncounted().is_empty()) {
            unread.extend(changes.uncounted());
            unread.sort_unstable();
        }
        unread
    }

    /// Returns the moves of the position with this key.
    fn records(&self, key: u64) -> Result<Option<Vec<MoveRecord>>, Damaged> {
        let Some(number) = self.block_with(key) else {
            return Ok(None);
        };
        match find_entry(self.block(number)?, key)? {
            Some(body) => read_moves(body).ok_or(Damaged).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the moves of the position with this key, in the games of the file.
    pub(super) fn find(
        &self,
        key: u64,
        changes: Option<AppliedChanges<'_>>,
    ) -> Result<Option<PositionMoves>, Damaged> {
        let records = match (self.records(key)?, changes) {
            (Some(records), Some((changes, facts_of))) => changes.apply(key, records, facts_of),
            (records, _) => records,
        };
        let Some(records) = records else {
            return Ok(None);
        };
        let mut answer = answer_of(records)?;
        answer.uncounted = self.unread(changes.map(|(changes, _)| changes));
        Ok(Some(answer))
    }

    /// Returns the entries of the positions whose keys have this highest byte.
    pub(super) fn partition(&self, number: usize) -> &[u8] {
        let before = |number: usize| {
            self.blocks()
                .partition_point(|entry| (BlockEntry::read(entry).key >> 56) < number as u64)
        };
        let range = self.offset(before(number))..self.offset(before(number + 1));
        let blocks = self.file.section(PIECES);
        blocks.get(range).unwrap_or_default()
    }

    /// Returns the directory.
    pub(super) fn blocks(&self) -> &[[u8; BLOCK_ENTRY_SIZE]] {
        self.file.section(FIRST_TABLE).as_chunks().0
    }

    /// Returns the block that may have the position with this key.
    pub(super) fn block_with(&self, key: u64) -> Option<usize> {
        let blocks = self.blocks();
        let later = blocks.partition_point(|entry| BlockEntry::read(entry).key <= key);
        later.checked_sub(1)
    }

    /// Returns the offset of a block after the first; for one more than the last, the end.
    fn offset(&self, block: usize) -> usize {
        let end = self.file.header().section(PIECES).len();
        let entry = self.blocks().get(block).map(BlockEntry::read);
        entry.map_or(end, |entry| (entry.offset as usize).min(end))
    }

    fn piece(&self, number: usize) -> Option<Piece> {
        let offset = self.offset(number);
        Some(Piece {
            number,
            start: self.file.header().section(PIECES).start + offset,
            length: self.offset(number + 1).checked_sub(offset)?,
        })
    }

    /// Returns the bytes of a block, verified.
    pub(super) fn block(&self, number: usize) -> Result<&[u8], Damaged> {
        let piece = self.piece(number).ok_or(Damaged)?;
        self.file.verified(self.file.bytes(), piece).ok_or(Damaged)
    }

    /// Returns whether all blocks are intact.
    pub(super) fn is_intact(&self) -> bool {
        let blocks = 0..self.blocks().len();
        self.file
            .are_intact(blocks.map(|number| self.piece(number)))
    }

    /// Returns the stamps of the database files at the time of writing.
    pub(crate) fn stamps(&self) -> &[FileStamp] {
        &self.file.header().stamps
    }

    pub(super) fn uncounted(&self) -> Vec<u32> {
        let (numbers, _) = self.file.section(SECOND_TABLE).as_chunks();
        numbers
            .iter()
            .map(|number| u32::from_le_bytes(*number))
            .collect()
    }
}

/// Returns the answer with these moves, without the games that are not counted.
fn answer_of(records: Vec<MoveRecord>) -> Result<PositionMoves, Damaged> {
    let mut answer = PositionMoves::default();
    for record in records {
        match PackedMove::from_bits(record.mv) {
            Some(mv) => answer.moves.push(PlayedMove {
                mv,
                tally: record.tally,
                first_year: record.first_year,
                first_game: record.first_game,
                best: record.best,
            }),
            None if record.mv == NO_MOVE => answer.ended = record.tally,
            // No writer stores other bits without a move.
            None => return Err(Damaged),
        }
    }
    Ok(answer)
}

impl fmt::Debug for TreeIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TreeIndex({} games)", self.games())
    }
}
