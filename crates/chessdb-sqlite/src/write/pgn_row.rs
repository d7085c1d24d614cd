//! Games as rows with a column for each tag and one for the movetext.

use chessdb_core::model::{Extra, Field, RatingKind};
use chessdb_core::{BaseInfo, Color, Game, LossKind, Losses};
use chessdb_pgn::raw::TagPair;
use chessdb_pgn::{GameText, Layout};

use super::as_row;
use super::quoted;
use crate::file::Value;

/// A game as PGN, cut into columns. So it loses what PGN loses.
pub(crate) struct PgnRow {
    text: GameText,
    header: Vec<u8>,
    /// The movetext with its result.
    pub(crate) moves: Vec<u8>,
}

impl Default for PgnRow {
    fn default() -> PgnRow {
        PgnRow {
            // The movetext is one line.
            text: GameText::new(Layout::with_width(0)),
            header: Vec::new(),
            moves: Vec::new(),
        }
    }
}

impl PgnRow {
    /// Converts a game.
    pub(crate) fn fill(&mut self, game: &Game, losses: &mut Losses) {
        self.header.clear();
        self.moves.clear();
        losses.merge(&self.text.append_header(game, &mut self.header));
        losses.merge(&self.text.append_moves_and_evaluation(game, &mut self.moves));
        losses.add_extras(game);
    }

    /// Returns the tags of the game: their names, and their values with the escapes of PGN.
    pub(crate) fn tags(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let lines = self.header.split(|&byte| byte == b'\n');
        lines.filter_map(|line| {
            let tag = TagPair::parse(line)?;
            Some((std::str::from_utf8(tag.name).ok()?, tag.value))
        })
    }

    /// Returns the value of the first tag with this name.
    pub(crate) fn tag(&self, name: &str) -> Option<&[u8]> {
        self.tags()
            .find(|&(tag, _)| tag == name)
            .map(|(_, value)| value)
    }
}

/// Which ratings of a game keep their meaning. Readers take the first column with a rating of a
/// player for the player's rating, so the others must be in later columns.
pub(crate) struct RatingOrder {
    /// The tag of each player's rating, if the game has it, and the place of its column, if known.
    own: [Option<(&'static str, Option<usize>)>; 2],
}

impl RatingOrder {
    /// Finds the ratings of a game in its row.
    pub(crate) fn new(game: &Game, row: &PgnRow, columns: &Columns) -> RatingOrder {
        let own = Color::ALL.map(|color| {
            let name = game.header.tag_name(Field::rating(color));
            row.tag(name).map(|_| (name, columns.place(name)))
        });
        RatingOrder { own }
    }

    /// Adds a tag in the column at this place. Returns whether the players keep their ratings.
    pub(crate) fn add(&mut self, name: &str, place: usize) -> bool {
        let Some((color, _)) = RatingKind::of_tag(name.as_bytes()) else {
            return true;
        };
        let [white, black] = &mut self.own;
        match color.pick(white, black) {
            Some((own, own_place)) if *own == name => {
                *own_place = Some(place);
                true
            }
            Some((_, own_place)) => own_place.is_some_and(|own_place| own_place < place),
            None => true,
        }
    }
}

/// The losses of tags without a column ([`lose_tag`]).
pub(crate) const COLUMN_LOSSES: [LossKind; 9] = [
    LossKind::Tag,
    LossKind::Title,
    LossKind::FideId,
    LossKind::Rating,
    LossKind::EventDate,
    LossKind::Eco,
    LossKind::Annotator,
    LossKind::Source,
    LossKind::Flags,
];

/// Counts a tag that has no column. The first tag of a field holds the value of the field.
pub(crate) fn lose_tag(game: &Game, name: &str, is_first: bool, losses: &mut Losses) {
    let parsed = Field::of_tag(name.as_bytes()).map(|(field, _)| field);
    let field = parsed.filter(|&field| is_first && game.header.tag_name(field) == name);
    losses.add(field.map_or(LossKind::Tag, LossKind::of_field), None);
}

/// More columns than games need, and fewer than SQLite permits.
const MOST_COLUMNS: usize = 1900;

/// The columns of a table, of which those for rare tags are added when a game needs them.
pub struct Columns {
    names: Vec<String>,
    insert: String,
}

impl Columns {
    /// Returns the columns of a new table.
    pub(crate) fn new(names: &[&str]) -> Columns {
        let owned = names.iter().map(|&name| name.to_owned()).collect();
        let mut columns = Columns {
            names: owned,
            insert: String::new(),
        };
        columns.prepare();
        columns
    }

    /// Adds the other columns of the table of a file.
    pub(crate) fn adopt(&mut self, names: Vec<String>) {
        for name in names {
            if self.place(&name).is_none() {
                self.names.push(name);
            }
        }
        self.prepare();
    }

    /// Returns the names in their order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Returns the number of columns.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the place of a column; upper and lower case are the same, as in SQLite.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.names
            .iter()
            .position(|own| own.eq_ignore_ascii_case(name))
    }

    /// Returns the name of the column at this place.
    pub(crate) fn name(&self, place: usize) -> Option<&str> {
        self.names.get(place).map(String::as_str)
    }

    /// Returns whether another column is possible.
    pub(crate) fn has_room(&self) -> bool {
        self.names.len() < MOST_COLUMNS
    }

    /// Adds a column. Returns the statement that adds it to the table.
    pub(super) fn add(&mut self, name: &str, kind: &str) -> String {
        self.names.push(name.to_owned());
        self.prepare();
        format!("ALTER TABLE Games ADD COLUMN {} {kind}", quoted(name))
    }

    /// Returns a row with these values at their places and nothing in the other columns.
    pub(crate) fn row<'v>(
        &self,
        values: impl IntoIterator<Item = (usize, Value<'v>)>,
    ) -> Vec<Value<'v>> {
        let mut row = vec![Value::Null; self.names.len()];
        for (place, value) in values {
            if let Some(cell) = row.get_mut(place) {
                *cell = value;
            }
        }
        row
    }

    /// Returns the statement that inserts a row with a value for each column.
    pub(crate) fn insert(&self) -> &str {
        &self.insert
    }

    fn prepare(&mut self) {
        let names: Vec<String> = self.names.iter().map(|name| quoted(name)).collect();
        let values: Vec<String> = (1..=names.len()).map(|n| format!("?{n}")).collect();
        self.insert = format!(
            "INSERT INTO Games ({}) VALUES ({})",
            names.join(", "),
            values.join(", ")
        );
    }
}

/// Returns the losses of the data about a database as a whole, of which `kinds` and the settings of
/// this format are stored.
pub(crate) fn base_losses(base: &BaseInfo, kinds: &[LossKind], format: &str) -> Losses {
    let mut losses = Losses::new();
    let is_row = |extra: &&Extra| as_row(extra, format).is_some();
    let own = base.extras.iter().filter(is_row).count();
    for loss in &base.losses() {
        let stored = match loss.kind {
            kind if kinds.contains(&kind) => loss.count,
            LossKind::BaseExtra => u32::try_from(own).unwrap_or(u32::MAX),
            _ => 0,
        };
        losses.add_many(loss.kind, loss.count.saturating_sub(stored), None);
    }
    // The programs open no game by themselves.
    losses.add_if(LossKind::OpenFirst, base.open_first.is_some());
    for (id, kind) in [
        (base.title, LossKind::BaseTitle),
        (base.description, LossKind::Description),
    ] {
        let is_changed = kinds.contains(&kind) && base.texts.get(id).decode_strict().is_none();
        losses.add_if(kind, is_changed);
    }
    losses
}
