//! Events on their way to the tree file: divided by key, in a temporary file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::collect::CollectedPosition;

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

/// Events by partition. The file is created when the first chunk is full.
pub(super) struct EventSpool {
    folder: PathBuf,
    file: Option<File>,
    chunks: u64,
    /// The last chunks, which are not in the file yet.
    unwritten: Vec<u8>,
    partitions: Vec<Partition>,
}

#[derive(Default)]
struct Partition {
    /// The events since the last chunk.
    current: Vec<PositionEvent>,
    /// The numbers of the chunks in the file.
    chunks: Vec<u64>,
}

impl EventSpool {
    /// Prepares for events. The temporary file will be in `folder`, without a name.
    pub(super) fn new(folder: &Path) -> EventSpool {
        EventSpool {
            folder: folder.to_owned(),
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
        match partition.current.len() >= CHUNK_EVENTS {
            true => self.end_chunk(number),
            false => Ok(()),
        }
    }

    fn end_chunk(&mut self, number: usize) -> io::Result<()> {
        let Some(partition) = self.partitions.get_mut(number) else {
            return Ok(());
        };
        let events = partition.current.drain(..);
        events.for_each(|event| self.unwritten.extend_from_slice(&event.0.to_le_bytes()));
        partition.chunks.push(self.chunks);
        self.chunks += 1;
        match self.unwritten.len() >= WRITE_SIZE {
            true => self.write(),
            false => Ok(()),
        }
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

    /// Returns the events of a partition, in the order in which they were added.
    pub(super) fn read(&mut self, number: usize) -> io::Result<Vec<PositionEvent>> {
        if !self.unwritten.is_empty() {
            self.write()?;
        }
        let Some(partition) = self.partitions.get(number) else {
            return Ok(Vec::new());
        };
        let count = partition.chunks.len() * CHUNK_EVENTS + partition.current.len();
        let mut events = Vec::with_capacity(count);
        let mut bytes = [0; CHUNK_SIZE];
        for chunk in &partition.chunks {
            let Some(file) = &mut self.file else {
                break;
            };
            file.seek(SeekFrom::Start(chunk * CHUNK_SIZE as u64))?;
            file.read_exact(&mut bytes)?;
            let (chunk, _) = bytes.as_chunks::<EVENT_SIZE>();
            events.extend(
                chunk
                    .iter()
                    .map(|event| PositionEvent(u128::from_le_bytes(*event))),
            );
        }
        events.extend_from_slice(&partition.current);
        Ok(events)
    }
}
