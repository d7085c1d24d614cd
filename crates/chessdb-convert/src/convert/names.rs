//! The names in games, and replacing their spellings.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use chessdb_core::Color;
use chessdb_core::model::NameRole;
use chessdb_database::{Database, Game, Scan};
use chessdb_files::error::Result;
use chessdb_query::names::{NameUse, NamesAre, Spelling, Spellings, known_text};

use super::NamesInUse;

/// A kind of names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameKind {
    /// The players of both colors.
    Players,
    /// The events.
    Events,
    /// The sites.
    Sites,
    /// The rounds.
    Rounds,
    /// The annotators.
    Annotators,
}

impl NameKind {
    /// All kinds, each with its name in commands and requests.
    pub const ALL: [(NameKind, &'static str); 5] = [
        (NameKind::Players, "players"),
        (NameKind::Events, "events"),
        (NameKind::Sites, "sites"),
        (NameKind::Rounds, "rounds"),
        (NameKind::Annotators, "annotators"),
    ];

    /// Returns the kind with this name.
    pub fn by_name(name: &str) -> Option<NameKind> {
        NameKind::ALL
            .into_iter()
            .find_map(|(kind, label)| (label == name).then_some(kind))
    }

    /// Returns the role of these names in tables.
    pub fn role(self) -> NameRole {
        match self {
            NameKind::Players => NameRole::Player,
            NameKind::Events => NameRole::Event,
            NameKind::Sites => NameRole::Site,
            NameKind::Rounds => NameRole::Round,
            NameKind::Annotators => NameRole::Annotator,
        }
    }

    /// Returns whether these are names of persons.
    pub fn names_are(self) -> NamesAre {
        match self {
            NameKind::Players | NameKind::Annotators => NamesAre::Persons,
            NameKind::Events | NameKind::Sites | NameKind::Rounds => NamesAre::Titles,
        }
    }

    /// Returns the known names of this kind in a game, each with its use there.
    pub fn uses(self, game: &Game) -> Vec<(String, NameUse)> {
        let year = game.effective_date().year;
        let used = |name: &str| {
            let name = known_text(name);
            (!name.is_empty()).then(|| (name.to_owned(), NameUse::new(year, None)))
        };
        let names = match self {
            NameKind::Players => NameUse::of_players(game).to_vec(),
            NameKind::Events => vec![used(&game.event())],
            NameKind::Sites => vec![used(&game.site())],
            NameKind::Rounds => vec![used(&game.round())],
            NameKind::Annotators => vec![used(&game.annotator().unwrap_or_default())],
        };
        names.into_iter().flatten().collect()
    }

    /// Replaces the names of this kind for which `better` returns another name.
    pub fn rename(self, game: &mut Game, mut better: impl FnMut(&str) -> Option<String>) {
        match self {
            NameKind::Players => {
                for color in Color::ALL {
                    let name = match color {
                        Color::White => game.white(),
                        Color::Black => game.black(),
                    };
                    if let Some(better) = better(&name) {
                        let text = game.add_text(&better);
                        game.header.player_mut(color).name = text.into();
                    }
                }
            }
            NameKind::Events => {
                if let Some(better) = better(&game.event()) {
                    game.header.event = game.add_text(&better).into();
                }
            }
            NameKind::Sites => {
                if let Some(better) = better(&game.site()) {
                    game.header.site = game.add_text(&better).into();
                }
            }
            NameKind::Rounds => {
                if let Some(better) = better(&game.round()) {
                    game.header.round = game.add_text(&better).into();
                }
            }
            NameKind::Annotators => {
                if let Some(better) = better(&game.annotator().unwrap_or_default()) {
                    game.header.annotator = game.add_text(&better).into();
                }
            }
        }
    }
}

/// A replacement of the spellings of names, game by game.
#[derive(Default, Debug)]
#[non_exhaustive]
pub struct Renaming {
    spellings: Vec<(NameKind, Spellings)>,
    /// The number of names replaced so far.
    pub names: u64,
    /// The number of names that [`Renaming::names_in_use`] found to replace.
    pub found: u64,
    /// The names that were replaced or found to replace, by role and old spelling.
    pub replaced: BTreeMap<(NameRole, String), String>,
    /// The ambiguous names of the games, which are kept, each with its candidates.
    pub ambiguous: BTreeMap<String, Vec<String>>,
}

impl Renaming {
    /// Adds the replacement of names of a kind.
    #[must_use]
    pub fn with(mut self, kind: NameKind, spellings: Spellings) -> Renaming {
        self.spellings.push((kind, spellings));
        self
    }

    /// Returns whether no names are replaced.
    pub fn is_empty(&self) -> bool {
        self.spellings.is_empty()
    }

    /// Replaces the names of a game.
    pub fn edit(&mut self, game: &mut Game) {
        for (kind, spellings) in &self.spellings {
            kind.rename(game, |name| {
                match spellings.of(name) {
                    Spelling::Kept => {}
                    Spelling::Better(better) => {
                        self.names += 1;
                        let better = better.into_owned();
                        let key = (kind.role(), name.to_owned());
                        self.replaced.entry(key).or_insert_with(|| better.clone());
                        return Some(better);
                    }
                    Spelling::Ambiguous(meant) => {
                        if !self.ambiguous.contains_key(name) {
                            let meant = meant.into_iter().map(str::to_owned).collect();
                            self.ambiguous.insert(name.to_owned(), meant);
                        }
                    }
                }
                None
            });
        }
    }

    /// Returns the names that remain in use in the games of a scan of `db`, so that a new database
    /// in the same format does not keep the old spellings. `see` is called with the number of each
    /// game, and whether a name of it is replaced. [`Renaming::names`] is not changed.
    ///
    /// # Errors
    ///
    /// Returns the errors of the scan.
    pub fn names_in_use(
        &mut self,
        db: &Database,
        scan: Scan<'_>,
        mut see: impl FnMut(u32, bool),
    ) -> Result<NamesInUse> {
        let before = self.names;
        let mut names = NamesInUse::new(db.info());
        scan.headers().for_each(|game, _| {
            let number = game.number();
            let mut game = game.clone();
            let replaced = self.names;
            self.edit(&mut game);
            see(number, self.names > replaced);
            names.see(&game);
            ControlFlow::Continue(())
        })?;
        // These edits were made on copies, and count when the games are written.
        self.found += self.names - before;
        self.names = before;
        Ok(names)
    }
}
