//! Setting the ECO codes and the names of openings of games.

use chessdb_core::model::{Field, Tag};
use chessdb_database::Game;
use chessdb_query::openings::{opening, opening_of_moves};

/// Sets the ECO code and the opening's name of games, one after another, and counts them.
///
/// ```
/// use chessdb::Game;
/// use chessdb::convert::OpeningTags;
///
/// # fn main() -> Result<(), chessdb::Error> {
/// let mut game = Game::from_pgn("1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 *")?;
/// let mut openings = OpeningTags::default();
/// openings.edit(&mut game);
/// assert_eq!(game.eco().unwrap().to_string(), "B90");
/// assert_eq!((openings.games, openings.changed), (1, 1));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Default, Debug)]
#[non_exhaustive]
pub struct OpeningTags {
    /// Whether existing codes and names are replaced.
    pub all: bool,
    /// Whether games of variants such as Crazyhouse are classified, too.
    pub variants: bool,
    /// Whether the tag `Opening` is set.
    pub names: bool,
    /// The number of games.
    pub games: u64,
    /// The number of games with a known opening.
    pub classified: u64,
    /// The number of ECO codes that were set.
    pub changed: u64,
    /// The number of games with an ECO code that is not the one of their moves.
    pub contrary: u64,
}

impl OpeningTags {
    /// Sets the tags of a game.
    pub fn edit(&mut self, game: &mut Game) {
        self.games += 1;
        let named = if self.variants { opening_of_moves(game) } else { opening(game) };
        // Moves from an unknown start lead to other positions than they seem to.
        let Some(opening) = named.filter(|_| game.has_known_start()) else {
            return;
        };
        self.classified += 1;
        let old = game.eco();
        if self.all && old.is_none_or(|eco| eco.code != opening.eco.code) || old.is_none() {
            game.header.eco = Some(opening.eco);
            // The verbatim tag has the old code as the source spells it, and would be written
            // again.
            game.header
                .tags
                .retain(|tag| !matches!(tag, Tag::Verbatim(Field::Eco, _)));
            self.changed += 1;
        }
        // A name next to the code of another opening would contradict it.
        let is_same = game.eco().is_some_and(|eco| eco.code == opening.eco.code);
        self.contrary += u64::from(!is_same);
        if self.names && is_same && (self.all || game.tag("Opening").is_none()) {
            set_tag(game, "Opening", opening.name);
        }
    }

    /// Forgets the games, which come again.
    pub fn restart(&mut self) {
        let OpeningTags {
            all,
            variants,
            names,
            ..
        } = *self;
        *self = OpeningTags {
            all,
            variants,
            names,
            ..OpeningTags::default()
        };
    }
}

/// Sets a tag that is no typed field, replacing an existing one.
fn set_tag(game: &mut Game, name: &str, value: &str) {
    let value = game.add_text(value);
    let index = game.header.tags.iter().position(|tag| match *tag {
        Tag::Other { name: other, .. } => game.text(other).as_bytes() == name.as_bytes(),
        _ => false,
    });
    let name = game.add_text(name);
    let tag = Tag::Other { name, value };
    match index.and_then(|index| game.header.tags.get_mut(index)) {
        Some(old) => *old = tag,
        None => game.header.tags.push(tag),
    }
}
