//! Reading of an index, with checksum verification of the data used.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use chessdb_core::files::GameOffsets;
use chessdb_core::search::{Feature, Signature};
use chessdb_core::text::Evidence;
use chessdb_files::filesystem::{IndexChanges, IndexId};

use super::FileStamp;
use super::layout::{
    COLUMN_SIZE, GAMES_PER_BLOCK, GAMES_PER_GROUP, GAMES_PER_WORD, IndexLayout, KIND, RECORD_SIZE,
    WORD_SIZE, WORDS_PER_COLUMN, read, read_evidence,
};
use super::sectioned::{FIRST_TABLE, SECOND_TABLE, SectionedFile};

/// Memory for a column of a full block.
pub(crate) type ColumnBuffer = [u8; COLUMN_SIZE];

/// Memory for the records of a group of games ([`Index::signature_copied`]).
#[derive(Default)]
pub(crate) struct RecordBuffer {
    /// The number of the piece in `records`, which is empty if the piece is damaged.
    piece: Option<usize>,
    records: Vec<u8>,
}

/// A parsed index. A search reads only the columns and records that it needs.
pub(crate) struct Index {
    file: SectionedFile,
    layout: IndexLayout,
    offsets: Option<GameOffsets>,
    /// What has changed in the database since, and the numbers of the games with other moves.
    changes: Option<IndexChanges>,
    changed: Vec<u32>,
}

impl AsRef<SectionedFile> for Index {
    fn as_ref(&self) -> &SectionedFile {
        &self.file
    }
}

impl Index {
    /// Opens the index at this path, if there is one; returns the reason if it is invalid.
    pub(crate) fn open(path: &Path, is_read_only: bool) -> Result<Option<Index>, String> {
        let file = SectionedFile::open(path, &KIND, is_read_only)?;
        Ok(file.map(Index::new).transpose()?)
    }

    /// Parses an index; returns the reason if it is invalid. `file` has the same bytes, if columns
    /// and records must be copied.
    #[cfg(test)]
    pub(crate) fn parse(
        bytes: chessdb_core::files::SharedBytes,
        file: Option<std::fs::File>,
    ) -> Result<Index, &'static str> {
        Index::new(SectionedFile::parse(bytes, file, &KIND)?)
    }

    fn new(file: SectionedFile) -> Result<Index, &'static str> {
        let layout = IndexLayout::read(file.header())?;
        let offsets = file.header().section(FIRST_TABLE);
        Ok(Index {
            offsets: GameOffsets::new(file.shared_bytes(), offsets),
            layout,
            file,
            changes: None,
            changed: Vec::new(),
        })
    }

    /// Notes what has changed in the database since the index was written: nothing is known about
    /// changed games.
    pub(super) fn with_changes(mut self, changes: IndexChanges) -> Index {
        let stored = changes.games.iter().filter(|game| !game.data.is_empty());
        let stored = stored.map(|game| game.number);
        self.changed = stored
            .take_while(|game| *game < self.layout.games)
            .collect();
        // Their texts may have moved those after them.
        let texts = changes.games.iter().map(|game| game.number).collect();
        self.offsets = self.offsets.map(|offsets| offsets.with_changed(texts));
        self.changes = Some(changes);
        self
    }

    /// Returns what has changed in the database since the index was written.
    pub(crate) fn changes(&self) -> Option<&IndexChanges> {
        self.changes.as_ref()
    }

    /// Returns whether the moves of games have changed that the index covers.
    pub(crate) fn has_changed_games(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Returns whether a game has changed.
    #[inline]
    pub(crate) fn is_changed(&self, game: u32) -> bool {
        !self.changed.is_empty() && self.changed.binary_search(&game).is_ok()
    }

    /// Returns the changed games of a range.
    #[inline]
    fn changed_in(&self, games: Range<usize>) -> &[u32] {
        if self.changed.is_empty() {
            return &[];
        }
        let before = |end: usize| self.changed.partition_point(|game| (*game as usize) < end);
        self.changed
            .get(before(games.start)..before(games.end))
            .unwrap_or_default()
    }

    /// Returns what identifies the index.
    pub(super) fn id(&self) -> IndexId {
        let bytes = self.file.bytes();
        IndexId {
            checksum: bytes.last_chunk().copied().unwrap_or_default(),
            length: bytes.len() as u64,
        }
    }

    /// Returns the stamps that the database files must have.
    pub(super) fn current_stamps(&self) -> &[FileStamp] {
        self.changes
            .as_ref()
            .map_or(self.stamps(), |changes| &changes.stamps)
    }

    /// Returns the number of games that the index covers: all games of the database, unless it grew.
    pub(crate) fn games(&self) -> u32 {
        self.layout.games
    }

    /// Returns whether the database was opened without findings.
    pub(crate) fn is_clean(&self) -> bool {
        self.layout.is_clean
    }

    /// Returns whether the place of a game follows from its number.
    pub(crate) fn is_dense(&self) -> bool {
        self.layout.is_dense
    }

    /// Returns whether the comments that are sampled to guess the charset are ASCII.
    pub(crate) fn has_ascii_comments(&self) -> bool {
        self.layout.has_ascii_comments
    }

    /// Returns the texts from which the charset of the database was guessed, without those of changes;
    /// `None` if it must be guessed again.
    pub(crate) fn evidence(&self) -> Option<Evidence> {
        self.layout.evidence?;
        let changes = self.changes.as_ref();
        let is_current = changes.is_none_or(|changes| !changes.has_new_letters);
        let bytes = self.file.section(SECOND_TABLE);
        is_current.then(|| read_evidence(bytes)).flatten()
    }

    /// Returns the offsets of the games in the main file of the database, if known.
    pub(crate) fn game_offsets(&self) -> Option<&GameOffsets> {
        self.offsets.as_ref()
    }

    /// Returns the stamps of the database files at the time of writing.
    pub(crate) fn stamps(&self) -> &[FileStamp] {
        &self.file.header().stamps
    }

    /// Verifies all pieces.
    pub(crate) fn is_intact(&self) -> bool {
        self.file.are_intact(self.layout.all_pieces().map(Some))
    }

    /// Returns the bytes and the checksums of the first blocks, all full, of an intact index.
    pub(super) fn full_blocks(&self, blocks: usize) -> Option<(&[u8], &[u8])> {
        let (bytes, pieces) = self.layout.full_blocks(blocks);
        Some((self.file.bytes().get(bytes)?, self.file.sums(pieces)?))
    }

    /// Returns a column of a block, and `None` if it is damaged.
    pub(super) fn column(&self, block: usize, column: usize) -> Option<&[u8]> {
        self.file
            .verified(self.file.bytes(), self.layout.column(block, column))
    }

    /// Returns the record of a game, counted from 0, and `None` if it is damaged.
    #[inline]
    pub(super) fn record(&self, game: usize) -> Option<&[u8; RECORD_SIZE]> {
        let records = self
            .file
            .verified(self.file.bytes(), self.layout.records_with(game))?;
        record_in(records, game)
    }

    /// Returns the signature of a game, counted from 0; `None` if it is unknown or its record is
    /// damaged.
    #[inline]
    pub(crate) fn signature(&self, game: u32) -> Option<Signature> {
        if game >= self.games() || self.is_changed(game) {
            return None;
        }
        self.record(game as usize).and_then(read)
    }

    /// Returns what [`Index::signature`] does, with the records of the games around it copied into
    /// `buffer`, unless they are there.
    #[inline]
    pub(crate) fn signature_copied(
        &self,
        game: u32,
        buffer: &mut RecordBuffer,
    ) -> Option<Signature> {
        if !self.file.is_copied() || game >= self.games() || self.is_changed(game) {
            return self.signature(game);
        }
        let piece = self.layout.records_with(game as usize);
        // Neighbouring games share a piece, so most lookups of a search copy nothing.
        if buffer.piece != Some(piece.number) {
            buffer.piece = Some(piece.number);
            buffer.records.resize(piece.length, 0);
            if self.file.copied(piece, &mut buffer.records).is_none() {
                buffer.records.clear();
            }
        }
        record_in(&buffer.records, game as usize).and_then(read)
    }

    /// Returns in which of the 64 games from `first`, counted from 0, `feature` may occur, one bit
    /// per game. Bits of games that the index does not cover are set.
    #[inline]
    pub(crate) fn may_have(&self, first: u32, feature: Feature) -> u64 {
        let (word, offset) = (
            first as usize / GAMES_PER_WORD,
            first as usize % GAMES_PER_WORD,
        );
        let bytes = self.file.bytes();
        let games = |bit: usize| match offset {
            0 => self.word(bytes, word, bit),
            _ => {
                let next = self.word(bytes, word + 1, bit) << (GAMES_PER_WORD - offset);
                self.word(bytes, word, bit) >> offset | next
            }
        };
        let bits = feature.bits().into_iter();
        let covered = self.games().saturating_sub(first);
        // With 64 or more covered games the shift has no defined result, and no bit is beyond.
        let beyond = u64::MAX.checked_shl(covered).unwrap_or(0);
        let start = first as usize;
        let changed = self.changed_in(start..start + GAMES_PER_WORD).iter();
        let unknown = changed.fold(beyond, |bits, game| bits | 1 << (game - first));
        bits.fold(u64::MAX, |all, bit| all & games(bit)) | unknown
    }

    /// Clears the bits of the games of a block in which `feature` cannot occur. Bit `k` of word `j`
    /// is game `64 j + k` of the block. Bits of games that the index does not cover stay. Columns may
    /// be copied into `buffer`.
    pub(crate) fn clear_without(
        &self,
        block: usize,
        feature: Feature,
        games: &mut [u64],
        buffer: &mut ColumnBuffer,
    ) {
        let covered = (self.games() as usize).saturating_sub(block * GAMES_PER_BLOCK);
        let beyond = u64::MAX << (covered % GAMES_PER_WORD);
        let last = (covered < GAMES_PER_BLOCK).then_some(covered / GAMES_PER_WORD);
        let retained = last
            .and_then(|last| games.get(last))
            .map(|last| last & beyond);
        let start = block * GAMES_PER_BLOCK;
        let changed = self.changed_in(start..start + GAMES_PER_BLOCK).iter();
        let place = |game: &u32| {
            let game = *game as usize % GAMES_PER_BLOCK;
            (game / GAMES_PER_WORD, 1 << (game % GAMES_PER_WORD))
        };
        let changed = changed.map(place);
        let unknown: Vec<(usize, u64)> = changed
            .map(|(word, bit)| (word, games.get(word).map_or(0, |games| games & bit)))
            .collect();
        // Both bits of a feature may be the same, and copying a column costs a system call.
        let mut done = None;
        for bit in feature.bits() {
            if done.replace(bit) == Some(bit) {
                continue;
            }
            let column = self.file.copied(self.layout.column(block, bit), buffer);
            let (words, _) = column.unwrap_or_default().as_chunks::<WORD_SIZE>();
            for (games, word) in games.iter_mut().zip(words) {
                *games &= u64::from_le_bytes(*word);
            }
        }
        if let Some((last, retained)) = last.and_then(|last| games.get_mut(last)).zip(retained) {
            *last |= retained;
        }
        for (word, bit) in unknown {
            if let Some(games) = games.get_mut(word) {
                *games |= bit;
            }
        }
    }

    /// Returns a column for 64 games; all bits are set if it is damaged, as any game may match.
    #[inline]
    fn word(&self, bytes: &[u8], number: usize, bit: usize) -> u64 {
        let column = self.layout.column(number / WORDS_PER_COLUMN, bit);
        let column = self.file.verified(bytes, column);
        let word = column.and_then(|column| {
            column
                .get(number % WORDS_PER_COLUMN * WORD_SIZE..)?
                .first_chunk()
        });
        word.map_or(u64::MAX, |word| u64::from_le_bytes(*word))
    }
}

/// Returns the record of a game, counted from 0, in the records of its group.
#[inline]
fn record_in(records: &[u8], game: usize) -> Option<&[u8; RECORD_SIZE]> {
    let record = records.get(game % GAMES_PER_GROUP * RECORD_SIZE..)?;
    record.first_chunk()
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Index({} games)", self.games())
    }
}
