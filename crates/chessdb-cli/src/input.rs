//! From a path on the command line to games.

use std::path::Path;

use chessdb::convert::{Games, Source};
use chessdb::fs::{Base, Found, PathError, Progress, find_as, recover, stdin};
use chessdb::{BaseInfo, Diagnostic, Format, GameRead, GameStore, ReadOptions, reading_for};

use crate::args::Reading;
use crate::exit::say;

/// The most that a plain PGN file may hold to be read whole; beyond that its games come one after
/// another, as those of packed files and pipes always do.
const WHOLE: u64 = 1 << 30;

/// A base on its way: in memory, or to be read as a stream.
#[derive(Debug)]
pub(crate) enum Loaded {
    Whole(Base),
    Stream(Found),
}

/// A base whose games can be read.
pub(crate) enum Opened<'a> {
    Store(Box<dyn GameStore + 'a>),
    Stream(Option<Box<dyn GameRead + Send + 'a>>),
}

/// How a command wants its games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// One after another, with as little memory as possible.
    InOrder,
    /// Some of them, soon.
    Random,
}

/// Finds a base; what a writer that was interrupted left undone is done, and said.
pub(crate) fn find(path: &Path, reading: &Reading) -> Result<Found, PathError> {
    if path.as_os_str() == "-" {
        return stdin(reading.from);
    }
    end_interrupted(path)?;
    let found = find_as(path, reading.from)?;
    for recovery in found.recoveries() {
        say(format_args!("chessdb: {recovery}"));
    }
    for member in found.left_out() {
        let (archive, member) = (path.display(), member.display());
        say(format_args!(
            "chessdb: {archive}: {member} is no part of the base and is not read"
        ));
    }
    Ok(found)
}

/// Ends what another run began to write there and did not end, and says so. Apart from finding or
/// writing the base, so that it is said even if that fails.
pub(crate) fn end_interrupted(path: &Path) -> Result<(), PathError> {
    for recovery in recover(path)? {
        say(format_args!("chessdb: {recovery}"));
    }
    Ok(())
}

/// Reads a base if it cannot be streamed, or if that suits the command.
pub(crate) fn load(found: Found, access: Access) -> Result<Loaded, PathError> {
    let awkward = || found.is_packed() || found.size().is_none_or(|size| size > WHOLE);
    match found.can_stream() && (access == Access::InOrder || awkward()) {
        true => Ok(Loaded::Stream(found)),
        false => found.read().map(Loaded::Whole),
    }
}

/// The options that the arguments mean.
pub(crate) fn options(reading: &Reading) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.charset = reading.encoding;
    options
}

impl Loaded {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Loaded::Whole(base) => base.path(),
            Loaded::Stream(found) => found.path(),
        }
    }

    pub(crate) fn format(&self) -> &'static Format {
        match self {
            Loaded::Whole(base) => base.format(),
            Loaded::Stream(found) => found.format(),
        }
    }

    /// Begins to read; `progress` counts the bytes of a stream.
    pub(crate) fn open(
        &self,
        reading: &Reading,
        progress: &Progress,
    ) -> Result<Opened<'_>, PathError> {
        self.open_with(options(reading), progress)
    }

    /// The same for games that go into this format.
    pub(crate) fn open_for(
        &self,
        target: &Format,
        reading: &Reading,
        progress: &Progress,
    ) -> Result<Opened<'_>, PathError> {
        self.open_with(reading_for(target, options(reading)), progress)
    }

    fn open_with(
        &self,
        options: ReadOptions,
        progress: &Progress,
    ) -> Result<Opened<'_>, PathError> {
        match self {
            Loaded::Whole(base) => base.store(options).map(Opened::Store),
            Loaded::Stream(found) => found
                .stream(options, progress)
                .map(|stream| Opened::Stream(Some(stream))),
        }
    }

    /// Bytes that a stream has altogether, where that is known.
    pub(crate) fn stream_bytes(&self) -> Option<u64> {
        match self {
            Loaded::Whole(_) => None,
            Loaded::Stream(found) => found.size(),
        }
    }
}

impl<'a> Opened<'a> {
    /// What belongs to no single game.
    pub(crate) fn base(&self) -> Option<&BaseInfo> {
        match self {
            Opened::Store(store) => Some(store.base()),
            Opened::Stream(_) => None,
        }
    }

    /// Faults found on opening.
    pub(crate) fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Opened::Store(store) => store.diagnostics(),
            Opened::Stream(_) => &[],
        }
    }

    /// How many games there are, where that is known.
    pub(crate) fn len(&self) -> Option<u32> {
        match self {
            Opened::Store(store) => Some(store.len()),
            Opened::Stream(_) => None,
        }
    }

    /// The games; those of a stream once only.
    pub(crate) fn games(&mut self) -> Games<'_> {
        match self {
            Opened::Store(store) => Games::Store(&**store),
            Opened::Stream(stream) => match stream.take() {
                Some(stream) => Games::Stream(stream),
                None => Games::Stream(Box::new(Drained)),
            },
        }
    }

    /// The games and the base they belong to, for a conversion.
    pub(crate) fn source(&mut self) -> Source<'_> {
        match self {
            Opened::Store(store) => Source::store(&**store),
            stream => Source {
                games: stream.games(),
                base: None,
                diagnostics: &[],
            },
        }
    }
}

/// A stream that was already read.
struct Drained;

impl GameRead for Drained {
    fn read_into(
        &mut self,
        _game: &mut chessdb::Game,
        _scratch: &mut chessdb::Scratch,
    ) -> chessdb::Result<bool> {
        Ok(false)
    }

    fn skip_game(&mut self) -> chessdb::Result<bool> {
        Ok(false)
    }
}
