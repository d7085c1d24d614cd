//! The data model of games and databases, independent of formats (docs/architecture.md, section
//! 2).

mod accessors;
mod base;
mod builder;
mod calendar;
mod dates;
mod edit;
mod evaluation;
mod events;
mod game;
mod header;
mod lenient;
mod line_games;
mod merge;
mod move_tree;
mod movetext;
mod results;
mod tag_values;
mod tags;
mod values;
mod variant;

pub use base::{BaseInfo, Collection, NameRecord, NameRole, NameTable, PlayerDetails};
pub use builder::{GameBuilder, LineBuilder};
pub use dates::DateDoubt;
pub use edit::Parts;
pub use evaluation::{LINE_EVALUATION, evaluation_sign};
pub use events::{Event, Events};
pub use game::Game;
pub(crate) use game::same_event;
pub use header::{Field, Header, Named, Player, Start, Tag};
pub use lenient::read_number;
pub use line_games::LineGames;
pub use merge::{GameTree, TreeComments, WrittenTree, is_placeholder};
pub use move_tree::{GamesOfTree, MoveTree};
pub use movetext::{Branch, Builder, Extra, FaultKind, Mainline, Movetext, Place, Token, Tokens};
pub use results::NamedResult;
pub use tag_values::{MAX_RATING, TagForm, is_rating};
pub use values::{Date, Eco, EcoSub, GameFlags, Outcome, Rating, RatingKind};
