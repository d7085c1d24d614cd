//! Changes of single games that are saved together.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb_core::loss::Loss;
use chessdb_core::model::{GameFlags, TagForm};
use chessdb_core::{Diagnostic, Game, GameStore};
use chessdb_database::Database;
use chessdb_files::error::Error;

use super::{GameList, GameRef, Observer, Replacement, Report};

/// Changes of games of a database, and games to append, which [`super::Editor::save`] saves as one
/// change. Games are counted from 1, as in the database before.
///
/// ```
/// use chessdb::convert::{Editor, GameEdits};
/// use chessdb::{Database, Game};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("base.pgn");
/// std::fs::write(&path, "[White \"Tal\"]\n\n1. e4 *\n")?;
/// let mut edits = GameEdits::new();
/// edits.set_tag(1, "Site", Some("Riga"))?;
/// edits.append(Game::from_pgn("1. d4 *")?);
/// Editor::open(&path, Database::options())?.save(&edits, &mut ())?;
/// let db = Database::open(&path)?;
/// assert_eq!((db.len()?, &*db.game(0)?.site()), (2, "Riga"));
/// # Ok(()) }
/// ```
#[derive(Default, Debug)]
pub struct GameEdits {
    changes: BTreeMap<u32, Vec<GameEdit>>,
    added: GameList,
}

/// A change of a game.
#[derive(Debug)]
enum GameEdit {
    Replace(Arc<Game>),
    /// A tag with its new value, or without one if it is removed.
    Tag(String, Option<String>),
    Flags {
        set: GameFlags,
        remove: GameFlags,
    },
}

/// The tags that every PGN has, with their values if nothing is known.
const REQUIRED_TAGS: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

impl GameEdits {
    /// Creates a list without changes.
    pub fn new() -> GameEdits {
        GameEdits::default()
    }

    /// Returns whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.added.is_empty()
    }

    /// Returns the number of games that change or are appended.
    pub fn len(&self) -> u64 {
        self.changes.len() as u64 + u64::from(GameStore::len(&self.added))
    }

    /// Returns the numbers of the games that change, ascending.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        self.changes.keys().copied()
    }

    /// Returns the games to append.
    pub fn added(&self) -> &GameList {
        &self.added
    }

    fn add(&mut self, number: u32, edit: GameEdit) {
        self.changes.entry(number).or_default().push(edit);
    }

    /// Sets a tag of a game, or removes it if there is no value. Tags that PGN requires become
    /// unknown instead.
    ///
    /// # Errors
    ///
    /// Returns a message if the value does not have the form of the tag, or if the tag belongs to the
    /// moves.
    pub fn set_tag(&mut self, number: u32, name: &str, value: Option<&str>) -> Result<(), String> {
        let belongs_to = match name {
            "FEN" | "SetUp" | "Variant" => Some("the moves: replace the game"),
            "ScidFlags" => Some("the flags: set and remove flags"),
            _ => None,
        };
        if let Some(belongs_to) = belongs_to {
            return Err(format!("the tag {name} belongs to {belongs_to}"));
        }
        let required = REQUIRED_TAGS.iter().find(|(required, _)| *required == name);
        let value = value.or(required.map(|(_, unknown)| *unknown));
        if let Some(form) = TagForm::missed(name, value.unwrap_or("?")) {
            return Err(format!("tag {name:?}: expected {}", form.expected));
        }
        self.add(
            number,
            GameEdit::Tag(name.to_owned(), value.map(str::to_owned)),
        );
        Ok(())
    }

    /// Sets and removes flags of a game, such as the mark of a deleted game.
    pub fn set_flags(&mut self, number: u32, set: GameFlags, remove: GameFlags) {
        self.add(number, GameEdit::Flags { set, remove });
    }

    /// Replaces a game.
    pub fn replace(&mut self, number: u32, game: impl Into<Arc<Game>>) {
        let mut game = game.into();
        // They would name other records if the game comes from another database.
        Arc::make_mut(&mut game).header.clear_name_keys();
        self.add(number, GameEdit::Replace(game));
    }

    /// Appends a game.
    pub fn append(&mut self, game: chessdb_database::Game) {
        let is_damaged = game.is_damaged();
        self.added.push(Arc::new(game.into_model()), is_damaged);
    }

    /// Returns the games that change, as they are afterwards, with their numbers in ascending order.
    /// For the files of a database, [`super::Editor::save`] makes the changes.
    ///
    /// # Errors
    ///
    /// Each item is an error if the game cannot be read and is not replaced.
    pub fn changed_games(
        &self,
        db: &Database,
    ) -> impl Iterator<Item = Result<(u32, chessdb_database::Game), Error>> {
        self.changes.iter().map(|(&number, changes)| {
            let mut game = match changes.first() {
                // An unreadable game can be replaced.
                Some(GameEdit::Replace(_)) => chessdb_database::Game::new(),
                _ => db.game(number.saturating_sub(1))?,
            };
            for change in changes {
                change.apply(&mut game);
            }
            Ok((number, game))
        })
    }

    /// Appends games.
    pub fn append_all(&mut self, games: GameList) {
        self.added.extend(games);
    }
}

impl GameEdit {
    fn apply(&self, game: &mut chessdb_database::Game) {
        match self {
            GameEdit::Replace(model) => game.replace((**model).clone()),
            GameEdit::Tag(name, Some(value)) => game.set_tag(name, value),
            // A tag may occur several times.
            GameEdit::Tag(name, None) => while game.remove_tag(name) {},
            GameEdit::Flags { set, remove } => {
                let flags = game.header.flags.difference(*remove).union(*set);
                if flags != game.header.flags {
                    // A special spelling of the source would contradict the new flags.
                    game.remove_tag("ScidFlags");
                    game.header.flags = flags;
                }
            }
        }
    }
}

/// Makes the changes while a database is changed. Another observer gets everything else.
pub(super) struct EditsObserver<'e> {
    pub(super) edits: &'e GameEdits,
    pub(super) watch: &'e mut dyn Observer,
}

impl Observer for EditsObserver<'_> {
    /// A game that cannot be read can still be replaced.
    fn replacement(&mut self, number: u32) -> Option<Replacement> {
        match self.edits.changes.get(&number)?.first()? {
            GameEdit::Replace(model) => Some(Replacement {
                game: (**model).clone(),
                text: None,
            }),
            GameEdit::Tag(..) | GameEdit::Flags { .. } => None,
        }
    }

    fn edit(&mut self, game: &mut chessdb_database::Game) {
        let changes = self.edits.changes.get(&game.number());
        for change in changes.into_iter().flatten() {
            change.apply(game);
        }
    }

    fn source(&mut self, source: usize, db: &Database) {
        self.watch.source(source, db);
    }

    fn restart(&mut self) {
        self.watch.restart();
    }

    fn game(&mut self, report: &Report) -> ControlFlow<()> {
        self.watch.game(report)
    }

    fn loss(&mut self, place: GameRef, loss: &Loss) {
        self.watch.loss(place, loss);
    }

    fn diagnostic(&mut self, source: usize, diagnostic: &Diagnostic) {
        self.watch.diagnostic(source, diagnostic);
    }
}
