//! Events on their way to the tree file: divided by key, in memory and in a temporary file.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::collect::CollectedPosition;
use crate::index::read_at;

/// Number of partitions; the highest bits of the key select one.
pub(super) const PARTITIONS: usize = 256;
/// Number of successive events of a partition in the file: 4 KiB, so that the current events of all
/// partitions fit into the cache of a processor.
const CHUNK_EVENTS: usize = 256;
const EVENT_SIZE: usize = 16;
const CHUNK_SIZE: usize = CHUNK_EVENTS * EVENT_SIZE;
/// Number of bytes that are written at once. With a mebibyte, the system time of the whole pass was
/// three times as long on a virtual machine.
const WRITE_SIZE: usize = 32 << 10;

/// Maximum number of chunks in memory, 192 MiB; the others are in the file.
const MAX_KEPT: usize = 48 << 10;

/// The first occurrence of a position in a game. Events are ordered by key, then by game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct PositionEvent(u128);

impl PositionEvent {
    pub(super) fn new(game: u32, position: &CollectedPosition) -> PositionEvent {
        let plies = u128::from(position.plies) | u128::from(position.is_black) << 15;
        let key = u128::from(position.key) << 64;
        PositionEvent(key | u128::from(game) << 32 | plies << 16 | u128::from(position.mv))
    }

    pub(super) fn key(self) -> u64 {
        (self.0 >> 64) as u64
    }

    pub(super) fn game(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Returns the number of half-moves after the position.
    pub(super) fn plies_left(self) -> u32 {
        (self.0 >> 16) as u32 & 0x7FFF
    }

    pub(super) fn is_black(self) -> bool {
        self.0 >> 31 & 1 != 0
    }

    pub(super) fn mv(self) -> u16 {
        self.0 as u16
    }
}

/// Events by partition. The file is created when no more chunks fit into memory.
pub(super) struct EventSpool {
    folder: PathBuf,
    most_kept: usize,
    /// The number of chunks in memory.
    kept: usize,
    file: Option<File>,
    /// The number of chunks in the file.
    chunks: u64,
    /// The last chunks, which are not in the file yet.
    unwritten: Vec<u8>,
    partitions: Vec<Partition>,
}

#[derive(Default)]
struct Partition {
    /// The first chunks, in memory.
    kept: Vec<Box<[PositionEvent]>>,
    /// The numbers of the next chunks, in the file.
    chunks: Vec<u64>,
    /// The events since the last chunk.
    current: Vec<PositionEvent>,
}

impl EventSpool {
    /// Prepares for events. The temporary file will be in `folder`, without a name.
    pub(super) fn new(folder: &Path) -> EventSpool {
        EventSpool::with(folder, MAX_KEPT)
    }

    fn with(folder: &Path, most_kept: usize) -> EventSpool {
        EventSpool {
            folder: folder.to_owned(),
            most_kept,
            kept: 0,
            file: None,
            chunks: 0,
            unwritten: Vec::new(),
            partitions: (0..PARTITIONS).map(|_| Partition::default()).collect(),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, event: PositionEvent) -> io::Result<()> {
        let number = (event.key() >> 56) as usize;
        let Some(partition) = self.partitions.get_mut(number) else {
            return Ok(());
        };
        partition.current.push(event);
        if partition.current.len() >= CHUNK_EVENTS {
            self.end_chunk(number)
        } else {
            Ok(())
        }
    }

    fn end_chunk(&mut self, number: usize) -> io::Result<()> {
        let Some(partition) = self.partitions.get_mut(number) else {
            return Ok(());
        };
        if self.kept < self.most_kept {
            partition.kept.push(partition.current.as_slice().into());
            partition.current.clear();
            self.kept += 1;
            return Ok(());
        }
        let events = partition.current.drain(..);
        events.for_each(|event| self.unwritten.extend_from_slice(&event.0.to_le_bytes()));
        partition.chunks.push(self.chunks);
        self.chunks += 1;
        if self.unwritten.len() >= WRITE_SIZE { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(&self.folder)?),
        };
        file.write_all(&self.unwritten)?;
        self.unwritten.clear();
        Ok(())
    }

    /// Returns the number of events of a partition.
    pub(super) fn len(&self, number: usize) -> usize {
        let partition = self.partitions.get(number);
        partition.map_or(0, |partition| {
            let chunks = partition.kept.len() + partition.chunks.len();
            chunks * CHUNK_EVENTS + partition.current.len()
        })
    }

    /// Removes and returns the events of a partition, in the order in which they were added.
    pub(super) fn take(&mut self, number: usize) -> io::Result<Vec<PositionEvent>> {
        if !self.unwritten.is_empty() {
            self.write()?;
        }
        let mut events = Vec::with_capacity(self.len(number));
        let Some(partition) = self.partitions.get_mut(number) else {
            return Ok(events);
        };
        let partition = std::mem::take(partition);
        self.kept -= partition.kept.len();
        for chunk in partition.kept {
            events.extend_from_slice(&chunk);
        }
        let mut bytes = [0; CHUNK_SIZE];
        for chunk in &partition.chunks {
            let Some(file) = &self.file else {
                break;
            };
            read_at(file, &mut bytes, chunk * CHUNK_SIZE as u64)?;
            let (chunk, _) = bytes.as_chunks::<EVENT_SIZE>();
            let chunk = chunk.iter().copied().map(u128::from_le_bytes);
            events.extend(chunk.map(PositionEvent));
        }
        events.extend_from_slice(&partition.current);
        Ok(events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_back_by_key_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        for most_kept in [0, 1, 300, usize::MAX] {
            let mut spool = EventSpool::with(folder.path(), most_kept);
            let mut expected = vec![Vec::new(); PARTITIONS];
            for game in 0..200_000_u32 {
                let key = u64::from(game).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let position = CollectedPosition {
                    pieces: 32,
                    // Some partitions have many chunks.
                    key: if game % 3 == 0 { key >> 4 } else { key },
                    plies: game as u16 & 0x7FFF,
                    is_black: game % 2 == 1,
                    mv: game as u16,
                };
                let event = PositionEvent::new(game, &position);
                expected[(position.key >> 56) as usize].push(event);
                spool.add(event).unwrap();
            }
            assert_eq!(spool.file.is_some(), most_kept < 600, "{most_kept}");
            for (number, expected) in expected.iter().enumerate() {
                assert_eq!(spool.len(number), expected.len(), "{most_kept} {number}");
                assert!(
                    spool.take(number).unwrap() == *expected,
                    "{most_kept} {number}"
                );
            }
            assert_eq!(spool.kept, 0);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
