//! How a base is read and written.

use std::sync::Arc;

use crate::text::{CharsetGuess, Judge};
use crate::{
    BaseInfo, Charset, Error, ErrorKind, Limits, Location, LossKind, Losses, Mode, Places, Result,
};

/// How a base is read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Whether a deviation is an error.
    pub mode: Mode,
    /// How much one game may cost.
    pub limits: Limits,
    /// The charset of texts that do not say theirs.
    pub charset: Option<Charset>,
    /// Without it what was found about the base; without that too it is the format's own default.
    pub guess: Option<Arc<CharsetGuess>>,
    /// Whether the line breaks and blanks by which a text format lays out its comments are handed
    /// on as part of them: for targets that store comments byte by byte. Binary formats have no
    /// layout and do not look at this.
    pub preserve_comment_whitespace: bool,
    /// Whether the base is damaged and everything that can be had is wanted: missing files are
    /// rebuilt, and bytes that no index entry owns are searched for games.
    pub salvage: bool,
    /// Whether the tape is to say what the rules say of each move ([`crate::Facts`]): for targets
    /// that would have to play the game to find it. A reader that knows it says it anyway, and one
    /// that does not play games does not.
    pub facts: bool,
    /// Whether contradictions are looked for: reading a game also compares what costs more than it,
    /// and notes moves that the rules do not allow though the format's programs do.
    pub check: bool,
    /// Where the games of the file are, for formats that have to go through it to find them
    /// ([`crate::GameStore::place`]). Only for the very bytes, and limits, with which they were found.
    pub places: Option<Places>,
    /// Choices that only some formats know, by name ([`crate::Format::read_settings`]). Other formats
    /// ignore them.
    pub settings: Vec<(&'static str, String)>,
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

    /// With this found about the base.
    #[must_use]
    pub fn with_verdict(mut self, guess: impl Into<Option<Arc<CharsetGuess>>>) -> ReadOptions {
        self.guess = guess.into();
        self
    }

    /// What judges texts that may be UTF-8, beside the page that was named or found, or the usual one
    /// of the format.
    pub fn judge(&self, usual: Charset) -> Judge {
        match (self.charset, &self.guess) {
            (Some(charset), _) => Judge::new(charset),
            (None, Some(guess)) => Judge::of_base(guess, usual),
            (None, None) => Judge::new(usual),
        }
    }

    /// The same where texts are UTF-8 altogether or not at all ([`Judge::page_of`]).
    pub fn judge_of_pages(&self, usual: Charset) -> Judge {
        match &self.guess {
            Some(_) => self.judge(Charset::UTF_8),
            None => self.judge(usual),
        }
    }

    /// With the layout of comments handed on, or not.
    #[must_use]
    pub fn with_comment_whitespace(mut self, keep: bool) -> ReadOptions {
        self.preserve_comment_whitespace = keep;
        self
    }

    /// For a damaged base of which everything is wanted, or not.
    #[must_use]
    pub fn with_salvage(mut self, salvage: bool) -> ReadOptions {
        self.salvage = salvage;
        self
    }

    /// Looking for contradictions, or not.
    #[must_use]
    pub fn with_check(mut self, check: bool) -> ReadOptions {
        self.check = check;
        self
    }

    /// With these places of games, or none.
    #[must_use]
    pub fn with_places(mut self, places: impl Into<Option<Places>>) -> ReadOptions {
        self.places = places.into();
        self
    }

    /// With this choice, which only some formats know ([`crate::Format::read_settings`]).
    #[must_use]
    pub fn with_setting(mut self, name: &'static str, value: impl Into<String>) -> ReadOptions {
        self.settings.push((name, value.into()));
        self
    }

    /// The value of a choice; the last one counts.
    pub fn setting(&self, name: &str) -> Option<&str> {
        let mut settings = self.settings.iter().rev();
        let found = settings.find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// With what the rules say of each move, or not.
    #[must_use]
    pub fn with_facts(mut self, facts: bool) -> ReadOptions {
        self.facts = facts;
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
    /// What the base was judged by that is written again in its own format: texts keep their bytes.
    pub judge: Option<Judge>,
    /// What only this format lets one choose, by name ([`crate::Format::settings`]).
    pub settings: Vec<(&'static str, String)>,
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

    /// With this choice that only this format has.
    #[must_use]
    pub fn with_setting(mut self, name: &'static str, value: impl Into<String>) -> WriteOptions {
        self.settings.push((name, value.into()));
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
