//! Reading all games of a database with the crate of its format alone.

use std::fmt;
use std::io;

use crate::{
    Diagnostic, FileSet, Format, Game, GameStore, MemorySet, ReadOptions, Result, Scratch,
};

/// The files of a database in memory, with their format: [`Format::open_bytes`] and
/// [`Format::open_files`].
#[derive(Clone, Debug)]
pub struct MemoryDatabase {
    format: &'static Format,
    files: MemorySet,
    options: ReadOptions,
}

impl Format {
    /// Takes the bytes of a database that consists of one file.
    pub fn open_bytes(&'static self, bytes: impl Into<Vec<u8>>) -> MemoryDatabase {
        let mut files = MemorySet::new();
        // A file beside the games, such as an index, is not required.
        if let Some(&role) = self.required.first().or(self.roles.first()) {
            files.insert(role, bytes);
        }
        MemoryDatabase::new(self, files)
    }

    /// Reads the files of a database. `read` returns the content of the file with a suffix, such as
    /// `si4`, or with a whole name, such as `Game.MYD`. It is called for every file that the format
    /// may have; a file that does not exist ([`io::ErrorKind::NotFound`]) is left out.
    ///
    /// This neither takes locks nor completes a commit that another program has interrupted; the
    /// crate chessdb opens databases by path and does both.
    ///
    /// # Errors
    ///
    /// Returns the errors of `read`.
    pub fn open_files(
        &'static self,
        mut read: impl FnMut(&str) -> io::Result<Vec<u8>>,
    ) -> Result<MemoryDatabase> {
        let mut files = MemorySet::new();
        for &role in self.roles {
            match read(role.0) {
                Ok(bytes) => files.insert(role, bytes),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(MemoryDatabase::new(self, files))
    }
}

impl MemoryDatabase {
    /// Creates a database of these files, such as those that a writer has made.
    pub fn new(format: &'static Format, files: MemorySet) -> MemoryDatabase {
        MemoryDatabase {
            format,
            files,
            options: ReadOptions::default(),
        }
    }

    /// Sets the options for reading.
    #[must_use]
    pub fn with_options(mut self, options: ReadOptions) -> MemoryDatabase {
        self.options = options;
        self
    }

    /// Returns the files.
    pub fn files(&self) -> &dyn FileSet {
        &self.files
    }

    /// Opens the database and starts reading at the first game.
    ///
    /// # Errors
    ///
    /// Returns an error if the files are not a database of the format.
    pub fn games(&self) -> Result<Games<'_>> {
        let store = (self.format.open)(&self.files, self.options.clone())?;
        Ok(Games {
            store,
            next: 0,
            scratch: Scratch::new(),
        })
    }
}

/// An iterator over all games of a database. A game that cannot be read is an error, after which
/// the iterator continues with the next one.
///
/// Each game is a value of its own. To reuse the memory of one for all, call
/// [`GameStore::game_into`] of [`Games::store`].
pub struct Games<'s> {
    store: Box<dyn GameStore + 's>,
    next: u32,
    scratch: Scratch,
}

impl Games<'_> {
    /// Returns the open database: the data besides its games, the findings of opening it, and games
    /// by number.
    pub fn store(&self) -> &dyn GameStore {
        &*self.store
    }

    /// Returns the findings about the game that was read last.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.scratch.diagnostics
    }
}

impl Iterator for Games<'_> {
    type Item = Result<Game>;

    fn next(&mut self) -> Option<Result<Game>> {
        if self.next >= self.store.len() {
            return None;
        }
        let mut game = Game::new();
        self.scratch.diagnostics.clear();
        let read = self
            .store
            .game_into(self.next, &mut game, &mut self.scratch);
        self.next += 1;
        Some(read.map(|()| game))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let remaining = self.store.len().saturating_sub(self.next) as usize;
        (remaining, Some(remaining))
    }
}

impl ExactSizeIterator for Games<'_> {}

impl fmt::Debug for Games<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut games = f.debug_struct("Games");
        games.field("next", &self.next).finish_non_exhaustive()
    }
}
