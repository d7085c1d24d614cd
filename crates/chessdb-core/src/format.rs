//! The description of a format: its names, its files and its capabilities; and helpers for crates
//! that implement one.

mod check;
mod extra_field;
mod interner;
mod segments;

use std::io::Read;

use crate::dump::DumpFn;
use crate::files::{DiskAccess, FileSink, Growing, Role};
use crate::guiding::GuidingText;
use crate::loss::{FormatLimit, LossSet};
use crate::report::Finding;
use crate::text::CharsetPrior;
use crate::{
    BaseInfo, Charset, FileSet, GameRead, GameStore, GameWrite, MemorySet, ReadOptions, Result,
    WriteOptions,
};

pub use check::check;
pub use extra_field::ExtraField;
pub use interner::Interner;
pub use segments::Segment;

/// How certain a probe is that a set of files belongs to a format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Score {
    /// The files do not belong to the format.
    No,
    /// No evidence against it.
    Maybe,
    /// The structure fits.
    Likely,
    /// The magic bytes match.
    Certain,
}

/// The encodings that the texts of a format can have; they determine the effect of
/// [`WriteOptions::charset`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Charsets {
    /// The format's own encoding, or one that each text states. A writer accepts no other.
    Own,
    /// Any encoding. Readers find it in the files or guess it; a writer uses the one it is given.
    Choice,
    /// Any encoding, and the files do not state which. The texts should be written in the encoding
    /// in which they are read; a writer uses the one it is given.
    Undeclared,
}

/// Opens a database.
pub type OpenFn = for<'a> fn(&'a dyn FileSet, ReadOptions) -> Result<Box<dyn GameStore + 'a>>;
/// Reads games from a stream.
pub type StreamFn =
    for<'a> fn(Box<dyn Read + Send + 'a>, ReadOptions) -> Result<Box<dyn GameRead + Send + 'a>>;
/// Creates a database.
pub type CreateFn =
    for<'a> fn(&'a mut dyn FileSink, WriteOptions) -> Result<Box<dyn GameWrite + 'a>>;
/// Appends to an existing database in time proportional to the new games. Returns `None` if the
/// database must be rewritten. Nothing is written unless the database is in the state in which its
/// own program leaves it: otherwise the new data might overwrite something that is needed.
pub type AppendFn =
    for<'a> fn(&'a mut dyn Growing, WriteOptions) -> Result<Option<Box<dyn GameWrite + 'a>>>;
/// Opens an existing database for changing its games in place. Returns `None` if it must be rewritten
/// for any change, because it is not in the state in which its own program leaves it.
pub type ChangeFn = for<'a> fn(
    &'a mut dyn Growing,
    WriteOptions,
) -> Result<Option<Box<dyn crate::store::ChangeGames + 'a>>>;
/// Parses the files of a database into the on-disk structures and writes these again.
pub type RawFn = fn(&dyn FileSet) -> Result<MemorySet>;
/// Converts the texts that a database contains besides its games into readable form.
pub type TextsFn = fn(&BaseInfo, &ReadOptions) -> Vec<GuidingText>;
/// Checks the data around the games.
pub type CheckFn = fn(&dyn FileSet, &ReadOptions, &mut dyn FnMut(Finding));

/// A format: its names, its files and its capabilities. Created by [`Format::new`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Format {
    /// Short name for options and messages, such as `si4`.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// The files of a set. The first is the one that names the database (the index).
    pub roles: &'static [Role],
    /// The files without which nothing can be read.
    pub required: &'static [Role],
    /// The files that the format's programs derive from a database to search it faster. Rewriting the
    /// database removes them, and a change in place removes those that no longer match.
    pub derived: &'static [Role],
    /// The files of statistics that only the format's programs update, with each change that they make.
    /// A change by this library leaves them as they are and reports them.
    pub statistics: &'static [Role],
    /// The kinds of data it cannot store.
    pub losses: LossSet,
    /// Limits of the format and of the programs that read it.
    pub limits: &'static [FormatLimit],
    /// Data beyond the model that its databases contain.
    pub extras: &'static [ExtraField],
    /// The encodings that its texts can have.
    pub charsets: Charsets,
    /// The starting point for guessing the encoding of texts that do not state one; `None` if the
    /// format has only texts with a known encoding.
    pub charset_prior: Option<CharsetPrior>,
    /// The encoding assumed for these texts before anything is known about the database, if it is
    /// always the same.
    pub default_charset: Option<Charset>,
    /// If all texts of a database have the same code page, the code pages that the format's
    /// programs know, the default first; otherwise empty.
    pub pages: &'static [Charset],
    /// Whether comments are stored with their layout. Games for this format should then be read
    /// with [`ReadOptions::preserve_comment_whitespace`].
    pub keeps_comment_whitespace: bool,
    /// Whether its writer needs facts about each move that follow from the rules. Games for this
    /// format are then best read with [`ReadOptions::facts`].
    pub needs_facts: bool,
    /// Whether [`ReadOptions::salvage`] finds games that normal reading does not.
    pub salvages: bool,
    /// Whether other programs use the suffix of its files for other content. In a folder, such a
    /// file is a database only if its content is certain, and a name without suffix never means it.
    pub shares_suffix: bool,
    /// The names of the settings of its writer ([`WriteOptions::settings`]).
    pub settings: &'static [&'static str],
    /// The names of the settings of its reader ([`ReadOptions::settings`]).
    pub read_settings: &'static [&'static str],
    /// Returns how well a set of files fits; reads a bounded part of the content.
    pub probe: fn(&dyn FileSet) -> Score,
    /// Opens a database for reading.
    pub open: OpenFn,
    /// Reads games sequentially without access to the whole file, if the format allows it.
    pub stream: Option<StreamFn>,
    /// Creates a database, if writing is supported.
    pub create: Option<CreateFn>,
    /// The reason why the format is only read, and what to write instead, if that is a decision.
    pub read_only: Option<&'static str>,
    /// Writes games as something else that is read back as other games or without a part of them,
    /// such as a list of positions. `None` if the format has [`Format::create`].
    pub export: Option<CreateFn>,
    /// Appends games to a database without rewriting it, if the format allows it. Ignores
    /// [`WriteOptions::base`]: the database keeps its own metadata.
    pub append: Option<AppendFn>,
    /// Changes games in place, if the format allows it.
    pub change: Option<ChangeFn>,
    /// Finds contradictions between and within the files that opening the database and reading its
    /// games do not find ([`check()`] does all of that).
    pub check: CheckFn,
    /// Reports the meaning of every byte of the files, if the format has a description of it.
    pub dump: Option<DumpFn>,
    /// Parses the files into the on-disk structures and writes these again; the result must be
    /// identical byte for byte (docs/architecture.md, section 5, first promise). `None` if the
    /// files belong to a container format that this project does not define.
    pub raw: Option<RawFn>,
    /// Returns the texts that a database contains besides its games, if the format has such texts.
    pub texts: Option<TextsFn>,
    /// The locks of the container's library, if other programs follow these.
    pub disk: Option<DiskAccess>,
}

impl Format {
    /// Creates a format that can be read and stores everything. The setters add capabilities and
    /// restrictions.
    ///
    /// ```
    /// use chessdb_core::files::Role;
    /// use chessdb_core::format::Score;
    /// use chessdb_core::loss::LossSet;
    /// use chessdb_core::{ErrorKind, Format, LossKind};
    ///
    /// pub static MINE: Format = Format::new(
    ///     "mine",
    ///     "My own format",
    ///     |_| Score::No,
    ///     |_, _| Err(ErrorKind::Unsupported("reading").into()),
    ///     |_, _, _| {},
    /// )
    /// .with_files(&[Role("idx"), Role("gam")], &[Role("gam")])
    /// .with_losses(LossSet::new(&[LossKind::Clock]));
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
            derived: &[],
            statistics: &[],
            losses: LossSet::new(&[]),
            limits: &[],
            extras: &[],
            charsets: Charsets::Own,
            charset_prior: None,
            default_charset: None,
            pages: &[],
            keeps_comment_whitespace: false,
            needs_facts: false,
            salvages: false,
            shares_suffix: false,
            settings: &[],
            read_settings: &[],
            probe,
            open,
            stream: None,
            create: None,
            read_only: None,
            export: None,
            append: None,
            change: None,
            check,
            dump: None,
            raw: None,
            texts: None,
            disk: None,
        }
    }

    /// Returns the function that writes games: [`Format::create`] or [`Format::export`].
    pub const fn writer(&self) -> Option<CreateFn> {
        match self.create {
            Some(create) => Some(create),
            None => self.export,
        }
    }

    /// Returns the charset in which a writer stores texts if no other is chosen; `None` if the
    /// charset of texts is always stated, or if the database must decide.
    pub fn written_charset(&self) -> Option<Charset> {
        self.charset_prior?;
        // A format with any charset writes UTF-8 by choice; one with code pages must stay with what
        // its programs know.
        match (self.charsets, self.pages) {
            (Charsets::Own | Charsets::Choice, []) => Some(Charset::UTF_8),
            (_, pages) => self.default_charset.or(pages.first().copied()),
        }
    }

    /// Sets the files, the one that names the database first, and which of them are required.
    #[must_use]
    pub const fn with_files(mut self, roles: &'static [Role], required: &'static [Role]) -> Format {
        self.roles = roles;
        self.required = required;
        self
    }

    /// Sets the files that the format's programs derive from a database.
    #[must_use]
    pub const fn with_derived(mut self, derived: &'static [Role]) -> Format {
        self.derived = derived;
        self
    }

    /// Sets the files of statistics that the format's programs keep next to a database.
    #[must_use]
    pub const fn with_statistics(mut self, statistics: &'static [Role]) -> Format {
        self.statistics = statistics;
        self
    }

    /// Sets the kinds of data that the format cannot store.
    #[must_use]
    pub const fn with_losses(mut self, losses: LossSet) -> Format {
        self.losses = losses;
        self
    }

    /// Sets the limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: &'static [FormatLimit]) -> Format {
        self.limits = limits;
        self
    }

    /// Sets the data beyond the model that databases of the format contain.
    #[must_use]
    pub const fn with_extras(mut self, extras: &'static [ExtraField]) -> Format {
        self.extras = extras;
        self
    }

    /// Sets the encodings of texts.
    #[must_use]
    pub const fn with_charsets(mut self, charsets: Charsets) -> Format {
        self.charsets = charsets;
        self
    }

    /// Sets what the format reveals about the encoding of texts that do not state one, and the
    /// encoding assumed for them before anything is known about the database, if it is always the
    /// same.
    #[must_use]
    pub const fn with_charset_prior(
        mut self,
        prior: CharsetPrior,
        default: Option<Charset>,
    ) -> Format {
        self.charset_prior = Some(prior);
        self.default_charset = default;
        self
    }

    /// Sets the code pages, the default first; each database uses one of them.
    #[must_use]
    pub const fn with_pages(mut self, pages: &'static [Charset]) -> Format {
        self.pages = pages;
        self
    }

    /// Sets whether comments are stored with their layout.
    #[must_use]
    pub const fn with_comment_whitespace(mut self, keeps: bool) -> Format {
        self.keeps_comment_whitespace = keeps;
        self
    }

    /// Declares that the writer needs facts about each move that follow from the rules.
    #[must_use]
    pub const fn with_facts(mut self) -> Format {
        self.needs_facts = true;
        self
    }

    /// Declares that [`ReadOptions::salvage`] makes the reader search for games that are not in the
    /// index.
    #[must_use]
    pub const fn with_salvage(mut self) -> Format {
        self.salvages = true;
        self
    }

    /// Declares that files with its suffix often have other content.
    #[must_use]
    pub const fn with_shared_suffix(mut self) -> Format {
        self.shares_suffix = true;
        self
    }

    /// Sets the names of the writer's settings.
    #[must_use]
    pub const fn with_settings(mut self, settings: &'static [&'static str]) -> Format {
        self.settings = settings;
        self
    }

    /// Sets the names of the reader's settings.
    #[must_use]
    pub const fn with_read_settings(mut self, settings: &'static [&'static str]) -> Format {
        self.read_settings = settings;
        self
    }

    /// Sets the function that reads from a stream.
    #[must_use]
    pub const fn with_stream(mut self, stream: StreamFn) -> Format {
        self.stream = Some(stream);
        self
    }

    /// Sets the function that creates a database.
    #[must_use]
    pub const fn with_create(mut self, create: CreateFn) -> Format {
        self.create = Some(create);
        self
    }

    /// Sets the reason why the format is only read.
    #[must_use]
    pub const fn with_read_only(mut self, reason: &'static str) -> Format {
        self.read_only = Some(reason);
        self
    }

    /// Sets the function that exports games, with everything that describes it, to those of a
    /// format that is only written.
    #[must_use]
    pub const fn with_export(mut self, target: &Format) -> Format {
        self.export = target.create;
        self.losses = target.losses;
        self.settings = target.settings;
        self.needs_facts = target.needs_facts;
        self
    }

    /// Sets the function that changes games in place.
    #[must_use]
    pub const fn with_change(mut self, change: ChangeFn) -> Format {
        self.change = Some(change);
        self
    }

    /// Sets the function that appends games.
    #[must_use]
    pub const fn with_append(mut self, append: AppendFn) -> Format {
        self.append = Some(append);
        self
    }

    /// Sets the function that reports the meaning of every byte.
    #[must_use]
    pub const fn with_dump(mut self, dump: DumpFn) -> Format {
        self.dump = Some(dump);
        self
    }

    /// Sets the function that parses the on-disk structures and writes them again.
    #[must_use]
    pub const fn with_raw(mut self, raw: RawFn) -> Format {
        self.raw = Some(raw);
        self
    }

    /// Sets the function that returns the texts besides the games.
    #[must_use]
    pub const fn with_texts(mut self, texts: TextsFn) -> Format {
        self.texts = Some(texts);
        self
    }

    /// Sets the functions that start a transaction on files on disk.
    #[must_use]
    pub const fn with_disk(mut self, disk: DiskAccess) -> Format {
        self.disk = Some(disk);
        self
    }

    /// Returns the format with only the functions that recognise a database and read its games. A
    /// program that uses only the result does not contain the others.
    ///
    /// ```
    /// use chessdb_core::format::Score;
    /// use chessdb_core::{ErrorKind, Format};
    ///
    /// static MINE: Format = Format::new(
    ///     "mine",
    ///     "My own format",
    ///     |_| Score::No,
    ///     |_, _| Err(ErrorKind::Unsupported("reading").into()),
    ///     |_, _, _| {},
    /// )
    /// .with_create(|_, _| Err(ErrorKind::Unsupported("writing").into()));
    /// static READ_ONLY: Format = MINE.only_reading();
    /// assert!(MINE.create.is_some() && READ_ONLY.create.is_none());
    /// ```
    #[must_use]
    pub const fn only_reading(mut self) -> Format {
        self.create = None;
        self.export = None;
        self.change = None;
        self.append = None;
        self.check = |_, _, _| {};
        self.texts = None;
        self.disk = None;
        self.without_dump()
    }

    /// Returns this format without [`Format::dump`] and [`Format::raw`], for programs that should be
    /// small.
    #[must_use]
    pub const fn without_dump(mut self) -> Format {
        self.dump = None;
        self.raw = None;
        self
    }
}
