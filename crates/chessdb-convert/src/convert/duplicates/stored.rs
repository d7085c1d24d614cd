//! What is compared of many games, in memory up to a bound and in a file beyond it.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell, RefMut};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

use chessdb_query::duplicates::{Candidate, Candidates};

/// The bytes that stay in memory if there is a file.
const MAX_MEMORY: usize = 256 << 20;

#[derive(Debug)]
pub(super) struct StoredCandidates {
    /// Where each candidate ends, counted from the start of the first.
    ends: Vec<u64>,
    /// The first bytes of all, which were moved to the file.
    in_file: u64,
    /// The bytes after them.
    memory: Vec<u8>,
    max_memory: usize,
    file: Option<RefCell<File>>,
    /// The first error of the file. From then on, no candidate is returned.
    failure: OnceCell<io::Error>,
}

impl Default for StoredCandidates {
    fn default() -> StoredCandidates {
        StoredCandidates {
            ends: Vec::new(),
            in_file: 0,
            memory: Vec::new(),
            max_memory: MAX_MEMORY,
            file: None,
            failure: OnceCell::new(),
        }
    }
}

impl StoredCandidates {
    pub(super) fn set_file(&mut self, file: File) {
        self.file = Some(RefCell::new(file));
    }

    pub(super) fn push(&mut self, candidate: &Candidate) {
        candidate.append_to(&mut self.memory);
        self.ends.push(self.in_file + self.memory.len() as u64);
        if let Some(file) = &mut self.file
            && self.memory.len() > self.max_memory
        {
            let written = file.get_mut().write_all(&self.memory);
            self.in_file += self.memory.len() as u64;
            self.memory.clear();
            self.note(written);
        }
    }

    /// Returns the first error of the file.
    pub(super) fn into_result(self) -> io::Result<()> {
        self.failure.into_inner().map_or(Ok(()), Err)
    }

    fn note<T>(&self, result: io::Result<T>) -> Option<T> {
        match result {
            Ok(value) if self.failure.get().is_none() => Some(value),
            Ok(_) => None,
            Err(error) => {
                self.failure.get_or_init(|| error);
                None
            }
        }
    }

    /// Returns the place of a candidate, and its length in bytes.
    fn range(&self, n: usize) -> Option<(u64, usize)> {
        let end = *self.ends.get(n)?;
        let start = n.checked_sub(1).and_then(|before| self.ends.get(before));
        let start = start.copied().unwrap_or(0);
        Some((start, usize::try_from(end - start).ok()?))
    }

    fn in_memory(&self, start: u64, length: usize) -> Option<Candidate> {
        let start = usize::try_from(start.checked_sub(self.in_file)?).ok()?;
        Candidate::from_bytes(self.memory.get(start..)?.get(..length)?)
    }

    /// Reads a candidate at the current place of a reader.
    fn read(&self, file: &mut dyn Read, length: usize, bytes: &mut Vec<u8>) -> Option<Candidate> {
        bytes.resize(length, 0);
        self.note(file.read_exact(bytes))?;
        let changed = || io::Error::new(io::ErrorKind::InvalidData, "the file was changed");
        self.note(Candidate::from_bytes(bytes).ok_or_else(changed))
    }
}

/// `BufReader` needs a type that reads, which the guard of a cell does not.
struct ReadFile<'f>(RefMut<'f, File>);

impl Read for ReadFile<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Candidates for StoredCandidates {
    fn count(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, n: usize) -> Option<Cow<'_, Candidate>> {
        let (start, length) = self.range(n)?;
        if start >= self.in_file {
            return self.in_memory(start, length).map(Cow::Owned);
        }
        let mut file = self.file.as_ref()?.borrow_mut();
        self.note(file.seek(SeekFrom::Start(start)))?;
        self.read(&mut *file, length, &mut Vec::new())
            .map(Cow::Owned)
    }

    fn for_each(&self, visit: &mut dyn FnMut(usize, &Candidate)) {
        let mut buffered = None;
        let mut bytes = Vec::new();
        if let Some(file) = self.file.as_ref().filter(|_| self.in_file > 0) {
            let mut file = file.borrow_mut();
            if self.note(file.rewind()).is_none() {
                return;
            }
            buffered = Some(BufReader::with_capacity(1 << 20, ReadFile(file)));
        }
        for n in 0..self.count() {
            let Some((start, length)) = self.range(n) else {
                return;
            };
            let candidate = match &mut buffered {
                Some(file) if start < self.in_file => self.read(file, length, &mut bytes),
                _ => self.in_memory(start, length),
            };
            match candidate {
                Some(candidate) => visit(n, &candidate),
                None => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use chessdb_database::Game;

    use super::*;

    #[test]
    fn candidates_in_a_file_equal_those_in_memory() {
        let mut in_memory = StoredCandidates::default();
        let mut in_file = StoredCandidates {
            max_memory: 1000,
            ..StoredCandidates::default()
        };
        in_file.set_file(tempfile::tempfile().unwrap());
        for n in 0..100 {
            let mut game = Game::new();
            game.set_tag("White", &format!("Player {n}"));
            let candidate = Candidate::from_game(&game);
            in_memory.push(&candidate);
            in_file.push(&candidate);
        }
        assert!(in_file.in_file > 0 && !in_file.memory.is_empty());
        let shown = |candidate: Option<Cow<'_, Candidate>>| format!("{:?}", candidate.unwrap());
        let mut visited = 0;
        in_file.for_each(&mut |n, candidate| {
            assert_eq!(
                shown(Some(Cow::Borrowed(candidate))),
                shown(in_memory.get(n))
            );
            visited += 1;
        });
        assert_eq!(visited, 100);
        for n in (0..100).rev() {
            assert_eq!(shown(in_file.get(n)), shown(in_memory.get(n)));
        }
        in_file.into_result().unwrap();
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error() {
        let mut stored = StoredCandidates {
            max_memory: 10,
            ..StoredCandidates::default()
        };
        let file = tempfile::tempfile().unwrap();
        stored.set_file(file.try_clone().unwrap());
        stored.push(&Candidate::from_game(&Game::new()));
        file.set_len(3).unwrap();
        assert!(stored.get(0).is_none());
        assert!(stored.into_result().is_err());
    }
}
