//! Writing of the index files of a database.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use chessdb_core::files::GameOffsets;
use chessdb_files::error::{Error, Problem, Result};
use chessdb_files::files::Files;
use chessdb_files::filesystem::{
    LOCK, Lock, WRITING, consume_while_held, hidden, index_changes_path, remove,
};
use chessdb_files::paths::folder_of;
use chessdb_files::snapshot::Snapshot;
use chessdb_owned::release_mapped_pages;

use crate::database::{Database, has_ascii_comments};
use crate::game::Game;
use crate::index::{
    GAMES_PER_WORD, HEADER_SIZE, Index, IndexBuilder, IndexLayout, OpenFile, evidence_bytes,
    has_default_limits, index_path_of, main_of, main_on_disk, stamps,
};
use crate::tree_index::{
    CollectedGame, CountedGame, FrequentPositions, OldTree, TreeBuilder, TreeIndex, collect,
    tree_path_of,
};

/// Number of games after which the memory of mapped files is released.
const RELEASE_EVERY: u32 = 1 << 16;
/// Number of bytes of an old index that are copied before its memory is released.
const COPIED_AT_ONCE: usize = 16 << 20;
/// A game of more bytes is freed before the next one is read ([`Game::weight`]).
const MAX_KEPT_WEIGHT: usize = 64 << 10;

impl Database {
    /// Writes the index and the tree file next to the database and returns the path of the index;
    /// the tree file has the suffix `chessdb-tree` instead. If intact files of the first games exist,
    /// only later games are read; current files are only verified. Old files are replaced when the
    /// new ones are complete. `progress` is called regularly with the number of games done.
    ///
    /// # Errors
    ///
    /// Returns an error if the database is a stream, packed, or not on disk, if it cannot be read, if
    /// another program is writing its index, or if the index cannot be written.
    pub fn write_index(&self, mut progress: impl FnMut(u32)) -> Result<PathBuf> {
        // Tested at the start and at the end: an index of changed files would describe other games.
        let is_changed = || {
            let changed = self.snapshot().and_then(Snapshot::changed);
            changed.map(|path| Error::new(path, Problem::Changed).while_writing())
        };
        if let Some(error) = is_changed() {
            return Err(error);
        }
        let files = self.plain_files();
        let files =
            files.ok_or_else(|| Error::from(Problem::NoRandomAccess).with_path(self.path()))?;
        let path = main_of(files).map(index_path_of);
        let path = path.ok_or_else(|| Error::from(Problem::NotFound).with_path(self.path()))?;
        let error = |problem: std::io::Error| Error::new(&path, problem).while_writing();
        let stamps = stamps(files);
        let store = self.store()?;
        let games = store.len();
        let old = self.indexed_part(files, games);
        let is_current = |(index, tree): &(Arc<Index>, TreeIndex)| {
            index.games() == games
                && tree.games() == games
                && index.stamps() == stamps
                && tree.stamps() == stamps
        };
        // The stamps contain checksums of all bytes, so these files need not be written again.
        if old.as_ref().is_some_and(is_current) {
            progress(games);
            return Ok(path);
        }
        let offsets = self.game_offsets();
        let tree_path = main_of(files).map(tree_path_of).unwrap_or_default();
        let folder = folder_of(&path);
        let _lock = Lock::take(hidden(&path, LOCK), &path).map_err(Error::while_writing)?;
        let new_file = |path: &Path| -> Result<_> {
            let unfinished = hidden(path, WRITING);
            refuse_special(&unfinished)?;
            // The lock is ours, so the file of that name is left over from a killed writer.
            remove(&unfinished).map_err(error)?;
            let name = unfinished.file_name().unwrap_or_default();
            let file = tempfile::Builder::new()
                .prefix(name)
                .rand_bytes(0)
                .tempfile_in(folder)
                .map_err(error)?;
            let guard = chessdb_owned::HiddenFileGuard::new(file.path());
            Ok((file, guard))
        };
        let (file, _removed_by_signal) = new_file(&path)?;
        let (mut tree_file, _removed_by_signal_too) = new_file(&tree_path)?;
        // Games before `covered` are in the old files. Those after its full words are read again.
        let covered = old.as_ref().map_or(0, |(index, _)| index.games());
        let first = covered / GAMES_PER_WORD as u32 * GAMES_PER_WORD as u32;
        let frequent = match &old {
            // New games count in the positions of the old file.
            Some(_) => None,
            None => FrequentPositions::sample(self, games).map_err(error)?,
        };
        let mut tree = TreeBuilder::new(folder, covered, frequent.as_ref());
        let retained_file = file.reopen().map_err(error)?;
        let out = BufWriter::new(file);
        let evidence = self.charset_evidence().map(evidence_bytes);
        let layout = IndexLayout {
            games,
            has_offsets: offsets.is_some(),
            is_clean: self.diagnostics().is_empty(),
            has_ascii_comments: has_ascii_comments(store),
            is_dense: store.is_dense(),
            evidence: evidence.as_ref().map(|bytes| bytes.len() as u32),
        };
        let mut builder = IndexBuilder::new(out, stamps.clone(), layout).map_err(error)?;
        let retained = match &old {
            Some((index, _)) => builder.keep(index, first).map_err(error)?,
            None => &[],
        };
        // The memory of games that were added is reused.
        let added = Mutex::new(Vec::<CountedGame>::new());
        let added = || added.lock().unwrap_or_else(PoisonError::into_inner);
        let make = |game: &mut Game, _| {
            let unneeded = added().pop().unwrap_or_default();
            let collected = collect(store, game, game.index(), unneeded, frequent.as_ref());
            if game.weight() > MAX_KEPT_WEIGHT {
                *game = Game::default();
            }
            collected
        };
        let scan = self.scan().select(first.saturating_add(1)..=u32::MAX);
        let scan = scan.unread();
        let size = files.iter().map(|(_, _, size)| size).sum();
        let facts_of = |game| self.game_facts(game);
        let old_tree: Option<OldTree<'_>> = old.as_ref().map(|(_, tree)| (tree, &facts_of as _));
        let write = || {
            let mut done = first;
            let mut written = Ok(());
            let take = |collected: Option<CollectedGame>| {
                let (facts, counted) = collected.unzip();
                let counted = counted.flatten();
                written = builder.add(facts.as_ref());
                // The tree file already counts the games before.
                if written.is_ok() && done >= covered {
                    written = tree.add(counted.as_ref());
                }
                added().extend(counted);
                done += 1;
                if done.is_multiple_of(4096) {
                    progress(done);
                }
                if done.is_multiple_of(RELEASE_EVERY) {
                    release_mapped_pages();
                }
                match written {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            };
            scan.map_in_order(make, take)?;
            let out = written
                .and_then(|()| {
                    let offsets = offsets.into_iter().flat_map(GameOffsets::iter);
                    builder.finish(offsets, evidence.as_deref().unwrap_or_default())
                })
                .map_err(error)?;
            tree.finish(tree_file.as_file_mut(), stamps, size, self.jobs(), old_tree)
                .map_err(|problem| Error::new(&tree_path, problem).while_writing())?;
            out.into_inner()
                .map_err(|failed| error(failed.into_error()))
        };
        // The kept blocks are written meanwhile.
        let (copied, file) = thread::scope(|scope| {
            let copied = scope.spawn(|| copy(retained, retained_file));
            let file = write();
            (copied.join(), file)
        });
        let file = file?;
        let panicked = |_| Err(io::Error::other("a thread panicked"));
        copied.unwrap_or_else(panicked).map_err(error)?;
        // Like other new files, it gets the permissions of the database.
        let main = main_of(files).filter(|_| cfg!(unix));
        let rights = main.and_then(|main| fs::metadata(main).ok());
        // They are not synced: checksums detect what a crash of the system loses.
        for (file, path) in [(&file, &path), (&tree_file, &tree_path)] {
            if let Some(rights) = &rights {
                let error = |problem: std::io::Error| Error::new(path, problem).while_writing();
                let rights = rights.permissions();
                file.as_file().set_permissions(rights).map_err(error)?;
            }
            refuse_special(path)?;
        }
        if let Some(error) = is_changed() {
            return Err(error);
        }
        for (file, path) in [(file, &path), (tree_file, &tree_path)] {
            let named = consume_while_held(file, &mut |file: tempfile::NamedTempFile| {
                let persisted = file.persist(path).map(drop);
                persisted.map_err(|failed| (failed.file, failed.error))
            });
            named.map_err(|error| Error::new(path, error).while_writing())?;
        }
        // The list of changes belongs to the old index, so it is ignored if it stays.
        if let Some(main) = main_of(files) {
            let _ = remove(&index_changes_path(main));
        }
        Ok(path)
    }

    /// Returns the index and the tree file if they are intact, and `games` has only new games after
    /// theirs.
    fn indexed_part(&self, files: &Files, games: u32) -> Option<(Arc<Index>, TreeIndex)> {
        let index = OpenFile::find(files).for_store(files, self.store().ok()?);
        let index = Arc::clone(index.file()?);
        let path = main_of(files).map(tree_path_of)?;
        // Changed games are in the old files as they were, and cannot be removed from them.
        if index.has_changed_games() {
            return None;
        }
        let covered = (index.stamps(), index.games(), index.changes().is_some());
        let tree = TreeIndex::open(&path, files, games, Some(covered)).ok()??;
        (tree.can_grow(games) && index.is_intact()).then_some((index, tree))
    }

    /// Returns the files of the database if they are on disk as they were read.
    fn plain_files(&self) -> Option<&Files> {
        self.files()
            .filter(|_| self.is_read_as_stored())
            .filter(|files| main_on_disk(files).is_some())
    }

    /// Returns the offsets of the games, if the format has to scan the file to find them.
    fn game_offsets(&self) -> Option<&GameOffsets> {
        let store = self
            .store()
            .ok()
            .filter(|_| has_default_limits(&self.reading().limits))?;
        store.details().game_offsets
    }
}

/// Refuses to replace something that is not a file.
fn refuse_special(path: &Path) -> Result<()> {
    // A link is replaced by the file, and its target stays as it is.
    let is_special = |data: fs::Metadata| !data.is_file() && !data.is_symlink();
    if fs::symlink_metadata(path).is_ok_and(is_special) {
        Err(Error::new(path, Problem::NotRegularFile).while_writing())
    } else {
        Ok(())
    }
}

/// Writes the blocks that a new index has in common with the old one.
fn copy(blocks: &[u8], mut file: File) -> io::Result<()> {
    file.seek(SeekFrom::Start(HEADER_SIZE as u64))?;
    for part in blocks.chunks(COPIED_AT_ONCE) {
        file.write_all(part)?;
        release_mapped_pages();
    }
    Ok(())
}
