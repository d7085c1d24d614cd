//! Options for reading and writing a database.

use std::sync::Arc;

use crate::error::Location;
use crate::files::GameOffsets;
use crate::limits::Limits;
use crate::text::{CharsetGuess, EncodingDetector};
use crate::{BaseInfo, Charset, Error, ErrorKind, LossKind, Losses, Result};

/// The reaction to deviations from the format specification.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Mode {
    /// The first deviation is an error.
    Strict,
    /// A documented repair is applied and reported as a [`crate::Diagnostic`].
    #[default]
    Lenient,
}

/// Options for reading a database.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Whether a deviation is an error.
    pub mode: Mode,
    /// Resource limits for one game.
    pub limits: Limits,
    /// The charset of texts that do not declare one.
    pub charset: Option<Charset>,
    /// The guess about the database, used if `charset` is `None`. Without either, the format's
    /// default applies.
    pub guess: Option<Arc<CharsetGuess>>,
    /// Whether line breaks and blanks that a text format uses to lay out its comments are kept as
    /// part of them, for targets that store comments byte by byte. Binary formats have no layout
    /// and ignore this.
    pub preserve_comment_whitespace: bool,
    /// Whether to recover as much as possible from a damaged database: missing files are rebuilt,
    /// and bytes outside all indexed games are searched for games.
    pub salvage: bool,
    /// Whether the tape should contain facts about each move ([`crate::board::Facts`]), for targets
    /// that would otherwise have to play the game to find them. Readers that know the facts provide
    /// them in any case; readers that do not play games never do.
    pub facts: bool,
    /// Whether to look for contradictions. If set, reading a game also makes comparisons that cost
    /// more than the reading itself, and reports moves that the rules forbid but the format's
    /// programs allow.
    pub check: bool,
    /// The offsets of the games in the file, for formats that would have to scan the file to find
    /// them ([`crate::store::StoreDetails::game_offsets`]). Valid only for the same bytes and
    /// limits with which they were found.
    pub game_offsets: Option<GameOffsets>,
    /// Whether the same games are known to have been opened without findings, so that comparisons of
    /// all games can be skipped.
    pub known_intact: bool,
    /// Whether, if `known_intact`, game `n` is also known to be entry `n` of the files
    /// ([`crate::GameStore::is_dense`]), so that no entries need to be counted.
    pub known_dense: bool,
    /// Format-specific settings, by name ([`crate::Format::read_settings`]). Other formats ignore
    /// them.
    pub settings: Vec<(&'static str, String)>,
}

impl ReadOptions {
    /// Sets the reaction to deviations.
    #[must_use]
    pub fn with_mode(mut self, mode: Mode) -> ReadOptions {
        self.mode = mode;
        self
    }

    /// Sets the resource limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> ReadOptions {
        self.limits = limits;
        self
    }

    /// Sets the charset of texts that do not declare one; `None` for the format's default.
    ///
    /// ```
    /// use chessdb_core::options::Mode;
    /// use chessdb_core::{Charset, ReadOptions};
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

    /// Sets the charset guess for the database.
    #[must_use]
    pub fn with_guess(mut self, guess: impl Into<Option<Arc<CharsetGuess>>>) -> ReadOptions {
        self.guess = guess.into();
        self
    }

    /// Returns the detector for texts that may be UTF-8 or in a code page: the given charset, else the
    /// guess, else the format's default (`default`).
    pub fn detector(&self, default: Charset) -> EncodingDetector {
        match (self.charset, &self.guess) {
            (Some(charset), _) => EncodingDetector::new(charset),
            (None, Some(guess)) => EncodingDetector::of_base(guess, default),
            (None, None) => EncodingDetector::new(default),
        }
    }

    /// Like [`ReadOptions::detector`], for formats with either all texts in UTF-8 or none
    /// ([`EncodingDetector::page_of`]).
    pub fn uniform_detector(&self, default: Charset) -> EncodingDetector {
        match &self.guess {
            Some(_) => self.detector(Charset::UTF_8),
            None => self.detector(default),
        }
    }

    /// Sets whether the layout of comments is kept.
    #[must_use]
    pub fn with_comment_whitespace(mut self, keep: bool) -> ReadOptions {
        self.preserve_comment_whitespace = keep;
        self
    }

    /// Sets whether to recover as much as possible from a damaged database.
    #[must_use]
    pub fn with_salvage(mut self, salvage: bool) -> ReadOptions {
        self.salvage = salvage;
        self
    }

    /// Sets whether to look for contradictions.
    #[must_use]
    pub fn with_check(mut self, check: bool) -> ReadOptions {
        self.check = check;
        self
    }

    /// Sets the offsets of the games, or `None`.
    #[must_use]
    pub fn with_game_offsets(mut self, offsets: impl Into<Option<GameOffsets>>) -> ReadOptions {
        self.game_offsets = offsets.into();
        self
    }

    /// Adds a format-specific setting ([`crate::Format::read_settings`]).
    #[must_use]
    pub fn with_setting(mut self, name: &'static str, value: impl Into<String>) -> ReadOptions {
        self.settings.push((name, value.into()));
        self
    }

    /// Returns the value of a setting; the last one counts.
    pub fn setting(&self, name: &str) -> Option<&str> {
        last_setting(&self.settings, name)
    }

    /// Sets whether the tape should contain facts about each move.
    #[must_use]
    pub fn with_facts(mut self, facts: bool) -> ReadOptions {
        self.facts = facts;
        self
    }
}

/// Options for writing a database.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct WriteOptions {
    /// Losses that are allowed; any other is an error before the game is written.
    pub allow: Allow,
    /// The data of the database as a whole.
    pub base: BaseInfo,
    /// The charset of texts, where the format allows a choice.
    pub charset: Option<Charset>,
    /// The detector with which the database was read, if it is written back in its own format: texts
    /// keep their bytes.
    pub detector: Option<EncodingDetector>,
    /// Whether names get new numbers in the order of their first use although
    /// [`BaseInfo::names`] has numbers. A format whose games refer to names by their text then
    /// writes the same tables as for a new database.
    pub renumbers_names: bool,
    /// The number of games of a database that is changed in place, if it is known. A format that has
    /// other records among its games then need not count them.
    pub games: Option<u32>,
    /// Whether a database that is changed in place is known to have been opened without findings.
    pub known_intact: bool,
    /// Format-specific settings, by name ([`crate::Format::settings`]).
    pub settings: Vec<(&'static str, String)>,
}

impl WriteOptions {
    /// Returns the value of a setting; the last one counts.
    pub fn setting(&self, name: &str) -> Option<&str> {
        last_setting(&self.settings, name)
    }

    /// Sets the allowed losses.
    #[must_use]
    pub fn with_allowed(mut self, allow: Allow) -> WriteOptions {
        self.allow = allow;
        self
    }

    /// Sets the data of the database as a whole.
    #[must_use]
    pub fn with_base(mut self, base: BaseInfo) -> WriteOptions {
        self.base = base;
        self
    }

    /// Sets the charset of texts, or `None` for the format's own choice.
    #[must_use]
    pub fn with_charset(mut self, charset: impl Into<Option<Charset>>) -> WriteOptions {
        self.charset = charset.into();
        self
    }

    /// Adds a format-specific setting.
    #[must_use]
    pub fn with_setting(mut self, name: &'static str, value: impl Into<String>) -> WriteOptions {
        self.settings.push((name, value.into()));
        self
    }
}

fn last_setting<'s>(settings: &'s [(&'static str, String)], name: &str) -> Option<&'s str> {
    let mut settings = settings.iter().rev();
    Some(&settings.find(|(other, _)| *other == name)?.1)
}

/// The losses that a writer may accept.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Allow {
    /// None: the first loss is an error.
    #[default]
    Nothing,
    /// Only these kinds.
    Kinds(Vec<LossKind>),
    /// All of them; they are counted and reported.
    Everything,
}

impl Allow {
    /// Returns whether losses of this kind are allowed.
    pub fn allows(&self, kind: LossKind) -> bool {
        match self {
            Allow::Nothing => false,
            Allow::Kinds(kinds) => kinds.contains(&kind),
            Allow::Everything => true,
        }
    }

    /// Checks that all losses are allowed.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Unrepresentable`] for the first loss that is not.
    pub fn check(&self, losses: &Losses) -> Result<()> {
        match losses.iter().find(|loss| !self.allows(loss.kind)) {
            Some(loss) => {
                let location = Location {
                    ply: loss.ply,
                    ..Location::default()
                };
                Err(Error::new(ErrorKind::Unrepresentable(loss.kind)).at(location))
            }
            None => Ok(()),
        }
    }
}
