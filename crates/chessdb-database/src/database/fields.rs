//! Charsets of single text fields, set by the caller.

use chessdb_core::model::{Header, Movetext, NameRole, Tag, Token};
use chessdb_core::search::{MainlineObserver, SearchIndex};
use chessdb_core::store::{Opened, Remark, StoreDetails, UnusedSpace};
use chessdb_core::text::{TextId, Texts};
use chessdb_core::{BaseInfo, Charset, Diagnostic, Game, GameRead, GameStore, Result, Scratch};

/// A kind of text with a charset that can be set separately
/// ([`crate::OpenOptions::encoding_for`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextField {
    /// Names of players.
    Player,
    /// Events.
    Event,
    /// Sites.
    Site,
    /// Rounds.
    Round,
    /// Annotators.
    Annotator,
    /// Sources.
    Source,
    /// Comments.
    Comment,
    /// All other tags.
    Tag,
}

impl TextField {
    /// All fields.
    pub const ALL: [TextField; 8] = [
        TextField::Player,
        TextField::Event,
        TextField::Site,
        TextField::Round,
        TextField::Annotator,
        TextField::Source,
        TextField::Comment,
        TextField::Tag,
    ];

    /// Returns the name used in options.
    pub const fn name(self) -> &'static str {
        match self {
            TextField::Player => "player",
            TextField::Event => "event",
            TextField::Site => "site",
            TextField::Round => "round",
            TextField::Annotator => "annotator",
            TextField::Source => "source",
            TextField::Comment => "comment",
            TextField::Tag => "tag",
        }
    }

    /// Returns the field with this name, in any case, singular or plural.
    pub fn by_name(name: &str) -> Option<TextField> {
        let name = name.to_ascii_lowercase();
        // `players` and `player` both are names that users type.
        let name = name.strip_suffix('s').unwrap_or(&name);
        TextField::ALL
            .into_iter()
            .find(|field| field.name() == name)
    }

    pub(super) fn of_name_table(role: NameRole) -> TextField {
        match role {
            NameRole::Player => TextField::Player,
            NameRole::Event => TextField::Event,
            NameRole::Site => TextField::Site,
            NameRole::Round => TextField::Round,
            NameRole::Source => TextField::Source,
            NameRole::Annotator => TextField::Annotator,
            _ => TextField::Tag,
        }
    }
}

/// Text fields with the charset set for each.
pub(super) type Fields = Vec<(TextField, Charset)>;

/// A source of games that applies the charsets set for text fields.
pub(super) struct CharsetOverride<S> {
    source: S,
    fields: Fields,
    base: BaseInfo,
}

impl<'a> CharsetOverride<Box<dyn GameStore + 'a>> {
    pub(super) fn store(source: Box<dyn GameStore + 'a>, fields: Fields) -> Self {
        let mut base = source.base().clone();
        for table in &base.names {
            if let Some(charset) = charset_of(&fields, TextField::of_name_table(table.role)) {
                for record in &table.records {
                    set_if_not_ascii(&mut base.texts, record.text, charset);
                }
            }
        }
        CharsetOverride {
            source,
            fields,
            base,
        }
    }
}

impl<'a> CharsetOverride<Box<dyn GameRead + Send + 'a>> {
    pub(super) fn stream(source: Box<dyn GameRead + Send + 'a>, fields: Fields) -> Self {
        CharsetOverride {
            source,
            fields,
            base: BaseInfo::default(),
        }
    }
}

impl<S> CharsetOverride<S> {
    fn apply(&self, game: &mut Game) {
        let Game {
            header,
            moves,
            texts,
        } = game;
        for &(field, charset) in &self.fields {
            each_text(field, header, moves, &mut |id| {
                set_if_not_ascii(texts, id, charset)
            });
        }
    }
}

/// Passes all texts of a field to `each`.
pub fn each_text(
    field: TextField,
    header: &Header,
    moves: &Movetext,
    each: &mut dyn FnMut(TextId),
) {
    match field {
        TextField::Player => {
            each(header.white.name.text);
            each(header.black.name.text);
        }
        TextField::Event => each(header.event.text),
        TextField::Site => each(header.site.text),
        TextField::Round => each(header.round.text),
        TextField::Annotator => each(header.annotator.text),
        TextField::Source => each(header.source.text),
        TextField::Tag => {
            for tag in &header.tags {
                if let Tag::Other { value, .. } = *tag {
                    each(value);
                }
            }
        }
        TextField::Comment => {
            for token in moves.tokens() {
                if let Token::Comment(_, id) = token {
                    each(id);
                }
            }
        }
    }
}

fn charset_of(fields: &Fields, field: TextField) -> Option<Charset> {
    // A later setting replaces an earlier one.
    let setting = fields.iter().rfind(|(set, _)| *set == field);
    setting.map(|&(_, charset)| charset)
}

fn set_if_not_ascii(texts: &mut Texts, id: TextId, charset: Charset) {
    // ASCII texts are equal in every charset.
    if !texts.get(id).as_bytes().is_ascii() {
        texts.set_charset(id, charset);
    }
}

impl GameStore for CharsetOverride<Box<dyn GameStore + '_>> {
    fn len(&self) -> u32 {
        self.source.len()
    }

    fn opened(&self) -> &Opened {
        self.source.opened()
    }

    fn base(&self) -> &BaseInfo {
        &self.base
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let read = self.source.header_into(n, game, scratch);
        self.apply(game);
        read
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let read = self.source.game_into(n, game, scratch);
        self.apply(game);
        read
    }

    fn game_or_mainline(
        &self,
        n: u32,
        game: &mut Game,
        observer: &mut dyn MainlineObserver,
        scratch: &mut Scratch,
    ) -> Result<bool> {
        let read = self.source.game_or_mainline(n, game, observer, scratch);
        self.apply(game);
        read
    }

    fn remarks(&self) -> Vec<Remark> {
        self.source.remarks()
    }

    fn unused(&self) -> Option<UnusedSpace> {
        self.source.unused()
    }

    fn details(&self) -> StoreDetails<'_> {
        self.source.details()
    }

    /// Text ids are the same here, and [`GameStore::base`] has the charsets that were set.
    fn search_index(&self) -> Option<&dyn SearchIndex> {
        self.source.search_index()
    }

    fn observe_mainline(
        &self,
        n: u32,
        game: &mut Game,
        observer: &mut dyn MainlineObserver,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let read = self.source.observe_mainline(n, game, observer, scratch);
        self.apply(game);
        read
    }
}

impl GameRead for CharsetOverride<Box<dyn GameRead + Send + '_>> {
    fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool> {
        let read = self.source.read_into(game, scratch);
        self.apply(game);
        read
    }

    fn skip_game(&mut self) -> Result<bool> {
        self.source.skip_game()
    }

    fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        self.source.take_diagnostics()
    }
}
