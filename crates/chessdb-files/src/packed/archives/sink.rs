//! The sink for new databases that are packed while they are written.

use std::io::{self, Write};

use chessdb_core::files::{FileId, FileSink, Role};
use chessdb_core::{ErrorKind, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::zstandard_encoder;

/// Packed bytes are passed on in pieces of this size.
const PIECE: usize = 64 << 10;

/// Packs the single file of a database and passes it on to another sink. Packed bytes cannot be
/// changed afterwards, so this is only for formats that never patch.
pub(super) struct PackedSink<'s> {
    sink: &'s mut dyn FileSink,
    file: Option<FileId>,
    encoder: Option<Encoder>,
}

/// The packed bytes that are not yet passed on are in a vector.
pub(super) enum Encoder {
    Gzip(GzEncoder<Vec<u8>>),
    Zstd(zstandard_encoder::Encoder),
}

impl<'s> PackedSink<'s> {
    /// Packs with this encoder what is written, into `sink`.
    pub(super) fn new(sink: &'s mut dyn FileSink, encoder: Encoder) -> PackedSink<'s> {
        PackedSink {
            sink,
            file: None,
            encoder: Some(encoder),
        }
    }
}

impl Encoder {
    pub(super) fn gzip() -> Encoder {
        Encoder::Gzip(GzEncoder::new(Vec::new(), Compression::default()))
    }

    pub(super) fn zstd() -> io::Result<Encoder> {
        Ok(Encoder::Zstd(zstandard_encoder::encoder()?))
    }

    fn ready(&mut self) -> &mut Vec<u8> {
        match self {
            Encoder::Gzip(encoder) => encoder.get_mut(),
            Encoder::Zstd(encoder) => encoder.get_mut(),
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Encoder::Gzip(encoder) => encoder.write_all(bytes),
            Encoder::Zstd(encoder) => encoder.write_all(bytes),
        }
    }

    fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl FileSink for PackedSink<'_> {
    fn name(&self) -> Option<&str> {
        // Without the extension of the packing.
        let name = self.sink.name()?;
        Some(name.rsplit_once('.').map_or(name, |(stem, _)| stem))
    }

    fn create(&mut self, role: Role) -> Result<FileId> {
        if self.file.is_some() {
            return Err(
                ErrorKind::Unsupported("writing a packed database with several files").into(),
            );
        }
        let file = self.sink.create(role)?;
        self.file = Some(file);
        Ok(file)
    }

    fn write(&mut self, file: FileId, bytes: &[u8]) -> Result<()> {
        let Some(encoder) = &mut self.encoder else {
            return Err(ErrorKind::Structure("writing after the end").into());
        };
        encoder.write_all(bytes)?;
        let ready = encoder.ready();
        if ready.len() >= PIECE {
            self.sink.write(file, ready)?;
            ready.clear();
        }
        Ok(())
    }

    fn patch(&mut self, _file: FileId, _offset: u64, _bytes: &[u8]) -> Result<()> {
        Err(ErrorKind::Unsupported("changing bytes that are already packed").into())
    }

    fn commit(&mut self) -> Result<()> {
        if let (Some(encoder), Some(file)) = (self.encoder.take(), self.file) {
            self.sink.write(file, &encoder.finish()?)?;
        }
        self.sink.commit()
    }
}
