//! The traits by which games are read and written, and the description of a format.
// tidy: long because the traits, and the one description that ties them together

use std::fmt;
use std::io::Read;

use crate::dump::DumpFn;
use crate::{
    BaseInfo, Board, Charset, Diagnostic, Error, ErrorKind, FileSet, FileSink, Game, Limits,
    Location, LossKind, Losses, MemorySet, Mode, Result, Role, Severity,
};

/// How a base is read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Whether a deviation is an error.
    pub mode: Mode,
    /// How much one game may cost.
    pub limits: Limits,
    /// The charset of texts that do not say theirs; without it the format's own default.
    pub charset: Option<Charset>,
    /// Whether the line breaks and blanks by which a text format lays out its comments are handed
    /// on as part of them: for targets that store comments byte by byte. Binary formats have no
    /// layout and do not look at this.
    pub preserve_comment_whitespace: bool,
}

impl ReadOptions {
    /// With this answer to deviations.
    #[must_use]
    pub fn with_mode(mut self, mode: Mode) -> ReadOptions {
        self.mode = mode;
        self
    }

    /// With these limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> ReadOptions {
        self.limits = limits;
        self
    }

    /// With this charset for texts that do not say theirs, or the format's own default.
    ///
    /// ```
    /// use chessdb_core::{Charset, Mode, ReadOptions};
    ///
    /// let options = ReadOptions::default()
    ///     .with_charset(Charset::by_name("cp850"))
    ///     .with_mode(Mode::Strict);
    /// ```
    #[must_use]
    pub fn with_charset(mut self, charset: impl Into<Option<Charset>>) -> ReadOptions {
        self.charset = charset.into();
        self
    }

    /// With the layout of comments handed on, or not.
    #[must_use]
    pub fn with_layout(mut self, keep: bool) -> ReadOptions {
        self.preserve_comment_whitespace = keep;
        self
    }
}

/// How a base is written.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct WriteOptions {
    /// Losses that are allowed; any other is an error before the game is written.
    pub allow: Allow,
    /// What belongs to the base as a whole.
    pub base: BaseInfo,
    /// The charset of texts, where the format leaves a choice.
    pub charset: Option<Charset>,
}

impl WriteOptions {
    /// With these losses allowed.
    #[must_use]
    pub fn with_allowed(mut self, allow: Allow) -> WriteOptions {
        self.allow = allow;
        self
    }

    /// With these data of the base as a whole.
    #[must_use]
    pub fn with_base(mut self, base: BaseInfo) -> WriteOptions {
        self.base = base;
        self
    }

    /// With this charset of texts, or the format's own choice.
    #[must_use]
    pub fn with_charset(mut self, charset: impl Into<Option<Charset>>) -> WriteOptions {
        self.charset = charset.into();
        self
    }
}

/// Which losses a writer may take without asking.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Allow {
    /// None: the first loss is an error.
    #[default]
    Nothing,
    /// These kinds.
    Kinds(Vec<LossKind>),
    /// All of them; they are counted and reported.
    Everything,
}

impl Allow {
    /// Whether this kind may be lost.
    pub fn allows(&self, kind: LossKind) -> bool {
        match self {
            Allow::Nothing => false,
            Allow::Kinds(kinds) => kinds.contains(&kind),
            Allow::Everything => true,
        }
    }

    /// An error for the first loss that is not allowed.
    pub fn check(&self, losses: &Losses) -> Result<()> {
        match losses.iter().find(|loss| !self.allows(loss.kind)) {
            Some(loss) => {
                let at = Location {
                    ply: loss.ply,
                    ..Location::default()
                };
                Err(Error::new(ErrorKind::Unrepresentable(loss.kind)).at(at))
            }
            None => Ok(()),
        }
    }
}

/// Memory and findings of one reader thread: buffers that are used again from game to game.
#[derive(Debug, Default)]
pub struct Scratch {
    /// What lenient reading got over since it was last taken.
    pub diagnostics: Vec<Diagnostic>,
    /// Diagnostics beyond the limit, only counted.
    pub more_diagnostics: u32,
    /// Boards of the lines that are open.
    pub boards: Vec<Board>,
    /// For whatever a format needs.
    pub bytes: Vec<u8>,
    /// The game that the last diagnostic was about, and how many there were before its first.
    last_game: Option<u32>,
    before_game: usize,
}

impl Scratch {
    /// New buffers.
    pub fn new() -> Scratch {
        Scratch::default()
    }

    /// A deviation from the format page: an error in strict mode, otherwise a diagnostic. Of each
    /// game (`at.game`) as many are kept as [`Limits::diagnostics`] says, however many the caller
    /// has not taken yet.
    pub fn deviation(
        &mut self,
        options: &ReadOptions,
        severity: Severity,
        kind: ErrorKind,
        at: Location,
    ) -> Result<()> {
        if options.mode == Mode::Strict {
            return Err(Error::new(kind).at(at));
        }
        let kept = self.diagnostics.len().checked_sub(self.before_game);
        let of_game = kept
            .filter(|_| self.last_game == at.game)
            .unwrap_or_else(|| {
                self.last_game = at.game;
                self.before_game = self.diagnostics.len();
                0
            });
        if of_game < options.limits.diagnostics as usize {
            self.diagnostics.push(Diagnostic { severity, kind, at });
        } else {
            self.more_diagnostics = self.more_diagnostics.saturating_add(1);
        }
        Ok(())
    }
}

/// Where findings about one game go while it is read: errors in strict mode, diagnostics otherwise.
#[derive(Debug)]
#[non_exhaustive]
pub struct GameReport<'r> {
    /// How the game is read.
    pub options: &'r ReadOptions,
    /// What takes the diagnostics.
    pub scratch: &'r mut Scratch,
    /// The game, from 1, where it is one of a base.
    pub game: Option<u32>,
}

impl<'r> GameReport<'r> {
    /// For this game, counted from 1, or for one that is not of a base.
    pub fn new(
        options: &'r ReadOptions,
        scratch: &'r mut Scratch,
        game: impl Into<Option<u32>>,
    ) -> GameReport<'r> {
        GameReport {
            options,
            scratch,
            game: game.into(),
        }
    }

    /// A deviation at this place of this game ([`Scratch::deviation`]).
    ///
    /// # Errors
    ///
    /// In strict mode the deviation.
    pub fn add(&mut self, severity: Severity, kind: ErrorKind, mut at: Location) -> Result<()> {
        at.game = at.game.or(self.game);
        self.scratch.deviation(self.options, severity, kind, at)
    }
}

/// Games one after another: every format can do this, streams included.
pub trait GameRead {
    /// Fills `game` with the next game; false at the end. After an error about one game the next
    /// call goes on behind it, unless the stream itself failed.
    fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool>;

    /// Goes past the next game, ending where `read_into` would have ended; false at the end.
    fn skip_game(&mut self) -> Result<bool>;

    /// What was found that belongs to no game, and was not taken yet. Complete once a method has said
    /// that there is no further game; so text behind the last game is told here, whether the games
    /// were read or skipped. Faults of a store on opening stay with the store.
    fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        Vec::new()
    }
}

/// Games by number, counted from 0: all indexed formats, and PGN after one pass.
pub trait GameStore: Send + Sync {
    /// How many games there are.
    fn len(&self) -> u32;

    /// Whether there is no game.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What belongs to no single game.
    fn base(&self) -> &BaseInfo;

    /// Faults found on opening.
    fn diagnostics(&self) -> &[Diagnostic];

    /// Fills the head of `game` and leaves its moves empty.
    fn head_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()>;

    /// Fills the whole `game`. An error concerns this game only.
    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()>;
}

/// Takes games and makes a base of them.
pub trait GameWrite {
    /// What the target cannot hold of this game, before anything is written.
    fn assess(&self, game: &Game) -> Losses;

    /// Appends a game. With a loss that is not allowed it is an error and nothing is written.
    fn write(&mut self, game: &Game) -> Result<Losses>;

    /// What the target cannot hold of the base as a whole; known from the beginning.
    fn base_losses(&self) -> &Losses;

    /// Limits of old programs ([`Format::limits`]) that games written so far exceed. Nothing is
    /// lost, but those programs may refuse the game.
    fn exceeded(&self) -> &[Exceeded] {
        &[]
    }

    /// What of the base gets lost, beyond [`GameWrite::base_losses`], if no further game comes and
    /// [`GameWrite::finish`] is called now: data that make sense only beside all their games.
    fn late_losses(&self) -> Losses {
        Losses::new()
    }

    /// Writes counts, indexes and name tables, commits, and says how many games there are.
    fn finish(self: Box<Self>) -> Result<u32>;
}

/// How sure a probe is that a set of files belongs to a format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Score {
    /// It does not.
    No,
    /// Nothing speaks against it.
    Maybe,
    /// Its structure fits.
    Likely,
    /// Its magic bytes say so.
    Certain,
}

/// Something `chessdb check` found.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// What it is.
    pub kind: ErrorKind,
    /// Where it is.
    pub at: Location,
}

impl Finding {
    /// A finding at this place.
    pub fn new(severity: Severity, kind: ErrorKind, at: Location) -> Finding {
        Finding { severity, kind, at }
    }
}

impl From<Diagnostic> for Finding {
    fn from(Diagnostic { severity, kind, at }: Diagnostic) -> Finding {
        Finding { severity, kind, at }
    }
}

/// Of severity [`Severity::Lost`]: what could not be read at all.
impl From<Error> for Finding {
    fn from(error: Error) -> Finding {
        let (kind, at) = error.into_parts();
        Finding {
            severity: Severity::Lost,
            kind,
            at,
        }
    }
}

/// A limit of a format, for `chessdb formats --limits`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FormatLimit {
    /// What is limited.
    pub what: &'static str,
    /// The greatest value.
    pub limit: u64,
    /// Whose limit it is: the format's, or that of an old program.
    pub of: &'static str,
}

impl FormatLimit {
    /// Whose limit it is that no program gets round: what exceeds it is lost.
    pub const FORMAT: &'static str = "the format";

    /// A limit of the format itself.
    pub const fn own(what: &'static str, limit: u64) -> FormatLimit {
        FormatLimit::new(what, limit, FormatLimit::FORMAT)
    }

    /// A limit, and whose it is.
    pub const fn new(what: &'static str, limit: u64, of: &'static str) -> FormatLimit {
        FormatLimit { what, limit, of }
    }
}

/// Games beyond a limit of an old program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Exceeded {
    /// The limit.
    pub limit: &'static FormatLimit,
    /// How many games exceed it.
    pub games: u32,
    /// The first of them in the new base, from 1.
    pub first: u32,
}

impl Exceeded {
    /// So many games, the first of which is this one of the new base, counted from 1.
    pub const fn new(limit: &'static FormatLimit, games: u32, first: u32) -> Exceeded {
        Exceeded {
            limit,
            games,
            first,
        }
    }

    /// Notes that this game, counted from 1, exceeds a limit.
    pub fn note(all: &mut Vec<Exceeded>, limit: &'static FormatLimit, game: u32) {
        match all.iter_mut().find(|known| known.limit == limit) {
            Some(known) => known.games = known.games.saturating_add(1),
            None => all.push(Exceeded::new(limit, 1, game)),
        }
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FormatLimit { what, limit, of } = self.limit;
        let Exceeded { games, first, .. } = self;
        let plural = if *games == 1 { "" } else { "s" };
        write!(
            f,
            "{of} takes at most {limit} {what}: exceeded by {games} game{plural}, the first is {first}"
        )
    }
}

/// In what charset a format's texts are, and so what [`WriteOptions::charset`] does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Charsets {
    /// In the format's own one, or each text says its own: a writer takes no other.
    Own,
    /// In any; readers are told by the files or find out, and a writer takes the one it is told.
    Choice,
    /// In any, and nothing in the files says in which: the one they are read in is the one to write
    /// them in again, and a writer takes the one it is told.
    Undeclared,
}

/// Opens a base.
pub type OpenFn = for<'a> fn(&'a dyn FileSet, ReadOptions) -> Result<Box<dyn GameStore + 'a>>;
/// Reads games from a stream.
pub type StreamFn =
    for<'a> fn(Box<dyn Read + Send + 'a>, ReadOptions) -> Result<Box<dyn GameRead + Send + 'a>>;
/// Starts a base.
pub type CreateFn =
    for<'a> fn(&'a mut dyn FileSink, WriteOptions) -> Result<Box<dyn GameWrite + 'a>>;
/// Parses the files of a base into the structures on disk and writes those.
pub type RawFn = fn(&dyn FileSet) -> Result<MemorySet>;
/// Examines a base.
pub type CheckFn = fn(&dyn FileSet, &ReadOptions, &mut dyn FnMut(Finding));

/// A format: what it is called, which files it has, what it can do. Made by [`Format::new`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Format {
    /// Short name for options and messages, such as `scid4`.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// The files of a set. The first is the one that names the base (the index).
    pub roles: &'static [Role],
    /// The files without which nothing can be read.
    pub required: &'static [Role],
    /// What it cannot hold.
    pub losses: &'static [LossKind],
    /// Its limits and those of the programs that read it.
    pub limits: &'static [FormatLimit],
    /// Whether its texts are in one charset, or in any.
    pub charsets: Charsets,
    /// Whether comments are stored as they are laid out, so that games for this format are to be
    /// read with [`ReadOptions::preserve_comment_whitespace`].
    pub keeps_layout: bool,
    /// How well a set of files fits; looks at a bounded part of the content.
    pub probe: fn(&dyn FileSet) -> Score,
    /// Opens a base for reading.
    pub open: OpenFn,
    /// Reads games one after another without the whole file at hand, where that is possible.
    pub stream: Option<StreamFn>,
    /// Starts a base, where writing is supported.
    pub create: Option<CreateFn>,
    /// Looks for contradictions between and within the files.
    pub check: CheckFn,
    /// Reports what every byte of the files is, where that has been written down.
    pub dump: Option<DumpFn>,
    /// Parses the files into the structures on disk and writes those, which must give every byte
    /// back (docs/architecture.md, section 5, first promise); none where the files are those of a
    /// container that this project does not define.
    pub raw: Option<RawFn>,
}

impl Format {
    /// A format that can be read and holds everything. What else it can do, and what it cannot hold,
    /// is told by the setters.
    ///
    /// ```
    /// use chessdb_core::{ErrorKind, Format, LossKind, Role, Score};
    ///
    /// pub static MINE: Format = Format::new(
    ///     "mine",
    ///     "My own format",
    ///     |_| Score::No,
    ///     |_, _| Err(ErrorKind::Unsupported("reading").into()),
    ///     |_, _, _| {},
    /// )
    /// .with_files(&[Role("idx"), Role("gam")], &[Role("gam")])
    /// .with_losses(&[LossKind::Clock]);
    /// assert!(MINE.create.is_none());
    /// ```
    pub const fn new(
        id: &'static str,
        name: &'static str,
        probe: fn(&dyn FileSet) -> Score,
        open: OpenFn,
        check: CheckFn,
    ) -> Format {
        Format {
            id,
            name,
            roles: &[],
            required: &[],
            losses: &[],
            limits: &[],
            charsets: Charsets::Own,
            keeps_layout: false,
            probe,
            open,
            stream: None,
            create: None,
            check,
            dump: None,
            raw: None,
        }
    }

    /// With these files, the one that names the base first, of which the required ones must be
    /// there.
    #[must_use]
    pub const fn with_files(mut self, roles: &'static [Role], required: &'static [Role]) -> Format {
        self.roles = roles;
        self.required = required;
        self
    }

    /// That cannot hold this.
    #[must_use]
    pub const fn with_losses(mut self, losses: &'static [LossKind]) -> Format {
        self.losses = losses;
        self
    }

    /// With these limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: &'static [FormatLimit]) -> Format {
        self.limits = limits;
        self
    }

    /// With texts in these charsets.
    #[must_use]
    pub const fn with_charsets(mut self, charsets: Charsets) -> Format {
        self.charsets = charsets;
        self
    }

    /// That stores comments as they are laid out, or not.
    #[must_use]
    pub const fn with_layout(mut self, keeps: bool) -> Format {
        self.keeps_layout = keeps;
        self
    }

    /// That can be read from a stream.
    #[must_use]
    pub const fn with_stream(mut self, stream: StreamFn) -> Format {
        self.stream = Some(stream);
        self
    }

    /// That can be written.
    #[must_use]
    pub const fn with_create(mut self, create: CreateFn) -> Format {
        self.create = Some(create);
        self
    }

    /// That can tell what every byte is.
    #[must_use]
    pub const fn with_dump(mut self, dump: DumpFn) -> Format {
        self.dump = Some(dump);
        self
    }

    /// That has its structures on disk written down.
    #[must_use]
    pub const fn with_raw(mut self, raw: RawFn) -> Format {
        self.raw = Some(raw);
        self
    }
}

/// Reads a store's games one after another.
pub struct StoreReader<'s> {
    store: &'s dyn GameStore,
    next: u32,
}

impl<'s> StoreReader<'s> {
    /// Begins at the first game.
    pub fn new(store: &'s dyn GameStore) -> StoreReader<'s> {
        StoreReader { store, next: 0 }
    }
}

impl GameRead for StoreReader<'_> {
    fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool> {
        if self.next >= self.store.len() {
            return Ok(false);
        }
        let n = self.next;
        self.next += 1;
        self.store.game_into(n, game, scratch)?;
        Ok(true)
    }

    fn skip_game(&mut self) -> Result<bool> {
        let more = self.next < self.store.len();
        self.next += u32::from(more);
        Ok(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_on_diagnostics_is_per_game() {
        let options = ReadOptions::default().with_limits(Limits::default().with_diagnostics(3));
        let mut scratch = Scratch::new();
        let add = |scratch: &mut Scratch, game: u32, times: usize| {
            for _ in 0..times {
                let kind = ErrorKind::Structure("odd");
                let at = Location::game(game);
                scratch
                    .deviation(&options, Severity::Note, kind, at)
                    .unwrap();
            }
            (scratch.diagnostics.len(), scratch.more_diagnostics)
        };
        assert_eq!(add(&mut scratch, 1, 5), (3, 2));
        assert_eq!(add(&mut scratch, 2, 2), (5, 2));
        assert_eq!(add(&mut scratch, 2, 2), (6, 3));
        scratch.diagnostics.clear();
        assert_eq!(add(&mut scratch, 2, 1), (1, 3));
        assert_eq!(add(&mut scratch, 3, 4), (4, 4));
    }
}
