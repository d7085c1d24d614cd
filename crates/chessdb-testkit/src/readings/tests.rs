//! A toy format of lines, `name` or `name!` with an unusual mark, and versions of it with a fault
//! in one way of reading.

use std::io::Read;

use chessdb_core::{
    BaseInfo, Diagnostic, ErrorKind, Limits, Location, MemorySet, PackedMove, Role, Score, Severity,
};

use super::*;

const LINES: Role = Role("txt");

/// The fault.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Nothing,
    HeaderDiffers,
    HeaderHasMoves,
    OldGameStays,
    StrictIsLax,
    StreamStops,
    SkipGoesTooFar,
}

fn format(fault: Fault) -> Format {
    macro_rules! of {
        ($($fault:ident),*) => {
            match fault {
                $(Fault::$fault => {
                    let mut format = FORMAT.with_stream(|input, options| {
                        Ok(Box::new(Stream::new(input, options, Fault::$fault)?))
                    });
                    format.open =
                        |set, options| Ok(Box::new(Lines::new(set, options, Fault::$fault)?));
                    format
                })*
            }
        };
    }
    of!(
        Nothing,
        HeaderDiffers,
        HeaderHasMoves,
        OldGameStays,
        StrictIsLax,
        StreamStops,
        SkipGoesTooFar
    )
}

static FORMAT: Format = Format::new(
    "lines",
    "Lines",
    |_| Score::Maybe,
    |_, _| Err(ErrorKind::Unsupported("opening").into()),
    |_, _, _| (),
)
.with_files(&[LINES], &[LINES]);

struct Lines {
    lines: Vec<Vec<u8>>,
    options: ReadOptions,
    base: BaseInfo,
    fault: Fault,
}

impl Lines {
    fn new(set: &dyn FileSet, options: ReadOptions, fault: Fault) -> Result<Lines> {
        let lines = set
            .require(LINES)?
            .split(|&b| b == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        Ok(Lines {
            lines,
            options,
            base: BaseInfo::default(),
            fault,
        })
    }

    fn fill(&self, n: usize, whole: bool, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let line = &self.lines[n];
        if self.fault != Fault::OldGameStays {
            game.clear();
        }
        if line.ends_with(b"!")
            && !(self.fault == Fault::StrictIsLax && self.options.mode == Mode::Strict)
        {
            let at = Location::game(n as u32 + 1);
            scratch.deviation(
                &self.options,
                Severity::Note,
                ErrorKind::Structure("odd"),
                at,
            )?;
        }
        let name = String::from_utf8_lossy(line).into_owned();
        let lower = self.fault == Fault::HeaderDiffers && !whole;
        let name = if lower { name.to_lowercase() } else { name };
        if game.header.white.name.text.is_none() {
            game.header.white.name = game.add_text(&name).into();
        }
        if whole || self.fault == Fault::HeaderHasMoves {
            let mut tape = game.moves.builder(&Limits::default());
            let pushed = tape.mv(PackedMove::NULL);
            pushed.map_err(|over| ErrorKind::Structure(over.what()))?;
        }
        Ok(())
    }
}

impl GameStore for Lines {
    fn len(&self) -> u32 {
        self.lines.len() as u32
    }

    fn base(&self) -> &BaseInfo {
        &self.base
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &[]
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.fill(n as usize, false, game, scratch)
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.fill(n as usize, true, game, scratch)
    }
}

struct Stream {
    lines: Lines,
    next: usize,
}

impl Stream {
    fn new(
        mut input: Box<dyn Read + Send + '_>,
        options: ReadOptions,
        fault: Fault,
    ) -> Result<Stream> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        let mut set = MemorySet::new();
        set.insert(LINES, bytes);
        let mut lines = Lines::new(&set, options, fault)?;
        if fault == Fault::StreamStops {
            lines.lines.pop();
        }
        Ok(Stream { lines, next: 0 })
    }
}

impl GameRead for Stream {
    fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool> {
        if self.next >= self.lines.lines.len() {
            return Ok(false);
        }
        self.next += 1;
        self.lines.fill(self.next - 1, true, game, scratch)?;
        Ok(true)
    }

    fn skip_game(&mut self) -> Result<bool> {
        let more = self.next < self.lines.lines.len();
        self.next += usize::from(more);
        self.next += usize::from(self.lines.fault == Fault::SkipGoesTooFar);
        Ok(more)
    }
}

fn outcome(fault: Fault) -> std::result::Result<(), String> {
    let mut set = MemorySet::new();
    set.insert(LINES, *b"Anna\nBert!\nCarl\nDora");
    compare(&format(fault), &set, &ReadOptions::default())
}

#[test]
fn a_sound_format_passes() {
    assert_eq!(outcome(Fault::Nothing), Ok(()));
    let nothing = MemorySet::new();
    assert_eq!(compare(&FORMAT, &nothing, &ReadOptions::default()), Ok(()));
}

#[test]
fn every_disagreement_is_found() {
    for (fault, message) in [
        (Fault::HeaderDiffers, "game 1, head alone / game: White"),
        (Fault::HeaderHasMoves, "game 1: the head brings moves"),
        (Fault::OldGameStays, "game 3, new game / used game: White"),
        (Fault::StrictIsLax, "game 2, lenient / strict"),
        (Fault::StreamStops, "the stream ends before game 4"),
        (
            Fault::SkipGoesTooFar,
            "game 2, read / read behind a skipped game",
        ),
    ] {
        let found = outcome(fault).expect_err(message);
        assert!(found.starts_with(message), "{found}");
    }
}
