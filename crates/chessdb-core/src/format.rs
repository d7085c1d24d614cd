//! The description of a format: what it is called, which files it has, what it can do.

use std::fmt;
use std::io::Read;

use crate::dump::DumpFn;
use crate::guiding::GuidingText;
use crate::text::Origin;
use crate::{
    BaseInfo, Charset, FileSet, FileSink, Finding, GameRead, GameStore, GameWrite, Growing,
    LossKind, MemorySet, ReadOptions, Result, Role, WriteOptions,
};

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
pub struct LimitExceeded {
    /// The limit.
    pub limit: &'static FormatLimit,
    /// How many games exceed it.
    pub games: u32,
    /// The first of them in the new base, from 1.
    pub first: u32,
}

impl LimitExceeded {
    /// So many games, the first of which is this one of the new base, counted from 1.
    pub const fn new(limit: &'static FormatLimit, games: u32, first: u32) -> LimitExceeded {
        LimitExceeded {
            limit,
            games,
            first,
        }
    }

    /// Notes that this game, counted from 1, exceeds a limit.
    pub fn note(all: &mut Vec<LimitExceeded>, limit: &'static FormatLimit, game: u32) {
        match all.iter_mut().find(|known| known.limit == limit) {
            Some(known) => known.games = known.games.saturating_add(1),
            None => all.push(LimitExceeded::new(limit, 1, game)),
        }
    }
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FormatLimit { what, limit, of } = self.limit;
        let LimitExceeded { games, first, .. } = self;
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
    /// In any: readers learn it from the files or find out, and a writer takes the one it is given.
    Choice,
    /// In any, and nothing in the files says in which: the one they are read in is the one to write
    /// them in again, and a writer takes the one it is given.
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
/// Goes on with a base that is there, by so much work as the new games make; none if this base has to be
/// written again for that. Nothing is written if it is not what its own program leaves: then what is new
/// might stand where something else is looked for.
pub type AppendFn =
    for<'a> fn(&'a mut dyn Growing, WriteOptions) -> Result<Option<Box<dyn GameWrite + 'a>>>;
/// Replaces a game (from 0) of an existing database in time proportional to the game, by the format's own
/// rules: the new version follows at the end, and the old one is marked as deleted. Returns the number of
/// games afterwards; `None` if the database must be rewritten.
pub type ReplaceFn = fn(&mut dyn Growing, u32, &crate::Game, WriteOptions) -> Result<Option<u32>>;
/// Parses the files of a base into the structures on disk and writes those.
pub type RawFn = fn(&dyn FileSet) -> Result<MemorySet>;
/// Makes what people read of the texts that a base has beside its games.
pub type TextsFn = fn(&BaseInfo, &ReadOptions) -> Vec<GuidingText>;
/// Examines what lies around the games.
pub type CheckFn = fn(&dyn FileSet, &ReadOptions, &mut dyn FnMut(Finding));

/// What numbers in [`Extra::field`](crate::Extra::field) mean, for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExtraField {
    /// [`Extra::format`](crate::Extra::format).
    pub format: &'static str,
    /// [`Extra::field`](crate::Extra::field), the first of those that mean this.
    pub first: u16,
    /// The last of them.
    pub last: u16,
    /// Whether it is of a base; otherwise of a game.
    pub of_base: bool,
    /// What it holds, in words.
    pub what: &'static str,
}

impl ExtraField {
    /// A field of a game.
    pub const fn of_game(format: &'static str, field: u16, what: &'static str) -> ExtraField {
        ExtraField {
            format,
            first: field,
            last: field,
            of_base: false,
            what,
        }
    }

    /// A field of a base.
    pub const fn of_base(format: &'static str, field: u16, what: &'static str) -> ExtraField {
        ExtraField {
            format,
            first: field,
            last: field,
            of_base: true,
            what,
        }
    }

    /// The same of all fields up to this one.
    #[must_use]
    pub const fn up_to(mut self, last: u16) -> ExtraField {
        self.last = last;
        self
    }

    /// Whether it is this field of a base or game.
    pub fn is_of(&self, extra: &crate::Extra, of_base: bool) -> bool {
        let fields = self.first..=self.last;
        self.format == extra.format && self.of_base == of_base && fields.contains(&extra.field)
    }
}

/// A format: what it is called, which files it has, what it can do. Made by [`Format::new`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Format {
    /// Short name for options and messages, such as `si4`.
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
    /// What its bases hold beyond the model.
    pub extras: &'static [ExtraField],
    /// Whether its texts are in one charset, or in any.
    pub charsets: Charsets,
    /// Where texts come from that nothing says the charset of, so that it is guessed from all of them;
    /// none if there are no such texts.
    pub origin: Option<Origin>,
    /// What such texts are taken for as long as nothing was found about the base, if that is always
    /// the same.
    pub usual: Option<Charset>,
    /// If all texts of a base are in one page, the pages that the format's programs know, the usual
    /// one first. Else nothing.
    pub pages: &'static [Charset],
    /// Whether comments are stored as they are laid out, so that games for this format are to be
    /// read with [`ReadOptions::preserve_comment_whitespace`].
    pub keeps_comment_whitespace: bool,
    /// Whether its writer asks what the rules say of each move, so that games for this format are best
    /// read with [`ReadOptions::facts`].
    pub asks_for_facts: bool,
    /// Whether [`ReadOptions::salvage`] finds games that plain reading does not.
    pub salvages: bool,
    /// The names of what it lets a writer choose ([`WriteOptions::settings`]).
    pub settings: &'static [&'static str],
    /// The names of the choices its reader knows ([`ReadOptions::settings`]).
    pub read_settings: &'static [&'static str],
    /// How well a set of files fits; looks at a bounded part of the content.
    pub probe: fn(&dyn FileSet) -> Score,
    /// Opens a base for reading.
    pub open: OpenFn,
    /// Reads games one after another without the whole file at hand, where that is possible.
    pub stream: Option<StreamFn>,
    /// Starts a base, where writing is supported.
    pub create: Option<CreateFn>,
    /// Puts games behind those of a base without writing it again, where that is possible. Of
    /// [`WriteOptions::base`] it takes nothing: the base says what it said.
    pub append: Option<AppendFn>,
    /// Replaces one game in place, where the format has rules for that.
    pub replace: Option<ReplaceFn>,
    /// Looks for contradictions between and within the files that opening the base and reading its
    /// games do not find ([`crate::check`] does all of that).
    pub check: CheckFn,
    /// Reports what every byte of the files is, where that has been written down.
    pub dump: Option<DumpFn>,
    /// Parses the files into the structures on disk and writes those, which must give every byte
    /// back (docs/architecture.md, section 5, first promise); none where the files are those of a
    /// container that this project does not define.
    pub raw: Option<RawFn>,
    /// Tells the texts that stand in a base beside its games, where it can have such.
    pub texts: Option<TextsFn>,
}

impl Format {
    /// A format that can be read and holds everything. The setters say what else it can do and what it
    /// cannot hold.
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
            extras: &[],
            charsets: Charsets::Own,
            origin: None,
            usual: None,
            pages: &[],
            keeps_comment_whitespace: false,
            asks_for_facts: false,
            salvages: false,
            settings: &[],
            read_settings: &[],
            probe,
            open,
            stream: None,
            create: None,
            append: None,
            replace: None,
            check,
            dump: None,
            raw: None,
            texts: None,
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

    /// Whose bases hold this beyond the model.
    #[must_use]
    pub const fn with_extras(mut self, extras: &'static [ExtraField]) -> Format {
        self.extras = extras;
        self
    }

    /// With texts in these charsets.
    #[must_use]
    pub const fn with_charsets(mut self, charsets: Charsets) -> Format {
        self.charsets = charsets;
        self
    }

    /// Whose texts come from there, and nothing says what they are in: this page, if it is always
    /// the same, as long as nothing was found about the base.
    #[must_use]
    pub const fn with_origin(mut self, origin: Origin, usual: Option<Charset>) -> Format {
        self.origin = Some(origin);
        self.usual = usual;
        self
    }

    /// Whose bases are in one of these pages each, the usual one first.
    #[must_use]
    pub const fn with_pages(mut self, pages: &'static [Charset]) -> Format {
        self.pages = pages;
        self
    }

    /// That stores comments as they are laid out, or not.
    #[must_use]
    pub const fn with_comment_whitespace(mut self, keeps: bool) -> Format {
        self.keeps_comment_whitespace = keeps;
        self
    }

    /// Whether its writer asks what the rules say of each move.
    #[must_use]
    pub const fn with_facts(mut self) -> Format {
        self.asks_for_facts = true;
        self
    }

    /// That looks for games where no index leads to, if [`ReadOptions::salvage`] asks for it.
    #[must_use]
    pub const fn with_salvage(mut self) -> Format {
        self.salvages = true;
        self
    }

    /// That lets a writer choose this.
    #[must_use]
    pub const fn with_settings(mut self, settings: &'static [&'static str]) -> Format {
        self.settings = settings;
        self
    }

    /// With these choices for a reader.
    #[must_use]
    pub const fn with_read_settings(mut self, settings: &'static [&'static str]) -> Format {
        self.read_settings = settings;
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

    /// That can be gone on with.
    #[must_use]
    pub const fn with_append(mut self, append: AppendFn) -> Format {
        self.append = Some(append);
        self
    }

    /// With a way to replace one game in place.
    #[must_use]
    pub const fn with_replace(mut self, replace: ReplaceFn) -> Format {
        self.replace = Some(replace);
        self
    }

    /// That can say what every byte is.
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

    /// That may have texts beside its games.
    #[must_use]
    pub const fn with_texts(mut self, texts: TextsFn) -> Format {
        self.texts = Some(texts);
        self
    }
}
