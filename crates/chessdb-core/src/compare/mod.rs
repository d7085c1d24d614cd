//! Differences between two games or databases, for tests, round trips and `chessdb diff`.
//!
//! Nothing here depends on a format.

mod base;
mod game;
mod tape;
mod words;

use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::model::{Event, Extra, Field, Game, NameRole, Named, Start, Tag, same_event};
use crate::text::TextId;
use crate::{BaseInfo, Color, LossKind};

pub use game::is_empty_tag;
use words::InWords;

/// A difference between two games or databases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The part that differs: the name of a tag, `move 12` or similar.
    pub what: String,
    /// The left value.
    pub left: String,
    /// The right value.
    pub right: String,
    /// The kinds of loss that can explain the difference if the right game was made from the left
    /// one. Empty in the results of [`first_difference`] and similar functions.
    pub kinds: Vec<LossKind>,
    /// The reason why the difference may exist without any of these losses ([`excuse`]).
    pub excuse: Option<&'static str>,
}

impl Difference {
    /// Returns a difference between two values.
    fn new(what: impl Into<String>, left: impl InWords, right: impl InWords) -> Difference {
        Difference::in_words(what, left.in_words(), right.in_words())
    }

    /// Returns a difference between two values in words; empty ones are not shown.
    fn in_words(
        what: impl Into<String>,
        left: impl Into<String>,
        right: impl Into<String>,
    ) -> Difference {
        Difference {
            what: what.into(),
            left: left.into(),
            right: right.into(),
            kinds: Vec::new(),
            excuse: None,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if !self.left.is_empty() || !self.right.is_empty() {
            write!(f, ": {} / {}", self.left, self.right)?;
        }
        Ok(())
    }
}

/// Reasons why a difference is no loss (docs/roundtrip.md lists them).
pub mod excuse {
    /// PGN requires seven tags and writes `?` for an unknown value.
    pub const UNKNOWN: &str =
        "an absent value, an empty value and `?` all mean that a field is unknown";
    /// A FEN of the standard start position adds nothing to its absence.
    pub const START: &str = "the standard start position may be written out or omitted";
    /// Formats with their own field for a typed value spell it in their own way.
    pub const SPELLING: &str =
        "another spelling of a start position or of the value of a typed field";
    /// Tags that PGN requires in addition to a FEN.
    pub const REPEATED: &str = "the tags `SetUp` and `Variant` repeat the start position";
    /// If one kind of annotation has changed, the order of the remaining ones means little.
    pub const ORDER: &str = "the order of NAGs and comments at a move, if one of them changed";
    /// Every command is still present, either as a command or as text.
    pub const COMMANDS: &str = "commands in comments (clocks, evaluations, shapes) that are plain \
         comment text on the other side";
    /// PGN breaks long lines, also in comments. This reason excuses no writer, since some formats
    /// keep comments byte by byte.
    pub const LAYOUT: &str = "blanks and line breaks between the words of a comment";
    /// The reasons that excuse a writer.
    pub const ALL: [&str; 6] = [UNKNOWN, START, SPELLING, REPEATED, ORDER, COMMANDS];
}

/// Returns all differences between two games, each with the kinds of loss that can explain it. The
/// right game may have additional data that only one format understands.
pub fn games(left: &Game, right: &Game) -> Vec<Difference> {
    let same_extras = || left.header.extras == right.header.extras;
    let same_start = || left.header.start == right.header.start;
    if first_difference(left, right).is_none() && same_start() && same_extras() {
        return Vec::new();
    }
    game::compare(left, right)
}

/// Returns all differences between two databases outside their games: the data of the left one that
/// are missing from the right one. `names` are the names that the games of the left one use
/// ([`add_names`]).
pub fn bases(
    left: &BaseInfo,
    right: &BaseInfo,
    names: &HashSet<(NameRole, String)>,
) -> Vec<Difference> {
    base::compare(left, right, names)
}

/// Adds the names that a game uses, each with its role. The opening is taken from a tag of the
/// game.
pub fn add_names(game: &Game, names: &mut HashSet<(NameRole, String)>) {
    use NameRole as R;
    let header = &game.header;
    let all = [
        (R::Player, header.white.name),
        (R::Player, header.black.name),
        (R::Player, header.annotator),
        (R::Annotator, header.annotator),
        (R::Event, header.event),
        (R::Site, header.site),
        (R::Round, header.round),
        (R::Source, header.source),
    ];
    let named = all.into_iter().map(|(role, named)| (role, named.text));
    let openings = header.tags.iter().filter_map(|tag| match *tag {
        Tag::Other { name, value } if game.text(name).as_bytes() == b"Opening" => {
            Some((R::Opening, value))
        }
        _ => None,
    });
    for (role, id) in named.chain(openings).filter(|(_, id)| id.is_some()) {
        names.insert((role, game.text(id).decode().into_owned()));
    }
}

/// A collector of differences.
#[derive(Default)]
struct Differences(Vec<Difference>);

impl Differences {
    fn add(&mut self, difference: Difference, kinds: &[LossKind]) {
        let kinds = kinds.to_vec();
        self.0.push(Difference {
            kinds,
            ..difference
        });
    }

    fn excused(&mut self, difference: Difference, kinds: &[LossKind], excuse: &'static str) {
        self.add(difference, kinds);
        if let Some(last) = self.0.last_mut() {
            last.excuse = Some(excuse);
        }
    }
}

/// Compares extras. Extras may be added, but not removed.
fn extras(before: &[Extra], after: &[Extra], kind: LossKind, differences: &mut Differences) {
    let mut remaining: HashMap<_, usize> = HashMap::new();
    let key = |extra: &'_ Extra| (extra.format, extra.field, extra.bytes.clone());
    for extra in after {
        *remaining.entry(key(extra)).or_default() += 1;
    }
    for extra in before {
        match remaining.get_mut(&key(extra)).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => {
                let what = format!("extra {} {}", extra.format, extra.field);
                differences.add(Difference::in_words(what, "", ""), &[kind]);
            }
        }
    }
}

/// Returns the first difference between two games, header before moves; `None` if they are equal.
///
/// Texts are compared decoded. Name numbers, text numbers, the order of tags, extras and spare bits
/// are ignored.
pub fn first_difference(left: &Game, right: &Game) -> Option<Difference> {
    header_difference(left, right).or_else(|| moves_difference(left, right))
}

/// Returns the first difference between two headers.
pub fn header_difference(left: &Game, right: &Game) -> Option<Difference> {
    let named =
        |what: &str, a: Named, b: Named| text_difference(what, (left, a.text), (right, b.text));
    let (a, b) = (&left.header, &right.header);
    let names = [
        (Field::Event, a.event, b.event),
        (Field::Site, a.site, b.site),
        (Field::Round, a.round, b.round),
        (Field::White, a.white.name, b.white.name),
        (Field::Black, a.black.name, b.black.name),
        (Field::Annotator, a.annotator, b.annotator),
        (Field::Source, a.source, b.source),
    ];
    if let Some(difference) = names.into_iter().find_map(|(f, x, y)| named(f.tag(), x, y)) {
        return Some(difference);
    }
    for color in Color::ALL {
        let (x, y) = (a.player(color), b.player(color));
        let title = Field::title(color).tag();
        if let Some(difference) = text_difference(title, (left, x.title), (right, y.title)) {
            return Some(difference);
        }
        let rating = Field::rating(color).tag();
        if let Some(difference) = value_difference(rating, &x.rating, &y.rating) {
            return Some(difference);
        }
        let fide_id = Field::fide_id(color).tag();
        if let Some(difference) = value_difference(fide_id, &x.fide_id, &y.fide_id) {
            return Some(difference);
        }
    }
    value_difference("Date", &a.date, &b.date)
        .or_else(|| value_difference("EventDate", &a.event_date, &b.event_date))
        .or_else(|| value_difference("Result", &a.outcome, &b.outcome))
        .or_else(|| value_difference("ECO", &a.eco, &b.eco))
        .or_else(|| value_difference("flags", &a.flags, &b.flags))
        .or_else(|| value_difference("start position", &fen(&a.start), &fen(&b.start)))
        .or_else(|| value_difference("other tags", &other_tags(left), &other_tags(right)))
}

/// Returns the first difference between the moves and annotations of two games.
pub fn moves_difference(left: &Game, right: &Game) -> Option<Difference> {
    let (mut a, mut b) = (left.events(), right.events());
    let mut moves = 0;
    loop {
        match (a.next(), b.next()) {
            (None, None) => return None,
            (x, y) => {
                if let (Some(p), Some(q)) = (&x, &y)
                    && same_event(p, q)
                {
                    moves += u32::from(matches!(p, Event::Move(_)));
                    continue;
                }
                let show = |event: Option<Event<'_>>| {
                    event.map_or_else(|| "end".to_owned(), |event| format!("{event:?}"))
                };
                let what = format!("after {moves} moves of all lines");
                return Some(Difference::in_words(what, show(x), show(y)));
            }
        }
    }
}

fn text_difference(what: &str, a: (&Game, TextId), b: (&Game, TextId)) -> Option<Difference> {
    let show = |(game, id): (&Game, TextId)| {
        if id.is_none() { None } else { Some(game.text(id).decode().into_owned()) }
    };
    value_difference(what, &show(a), &show(b))
}

fn value_difference<T: PartialEq + InWords>(what: &str, a: &T, b: &T) -> Option<Difference> {
    (a != b).then(|| Difference::new(what, a, b))
}

fn fen(start: &Start) -> Option<String> {
    match start {
        Start::Standard => None,
        Start::Setup(setup) => Some(setup.board.to_string()),
    }
}

fn other_tags(game: &Game) -> Vec<(String, String)> {
    let text = |id| game.text(id).decode().into_owned();
    let mut tags: Vec<_> = game
        .header
        .tags
        .iter()
        .filter_map(|tag| match *tag {
            Tag::Other { name, value } => Some((text(name), text(value))),
            Tag::Verbatim(field, value) => Some((field.tag().to_owned(), text(value))),
            Tag::Place(_) => None,
        })
        .collect();
    tags.sort();
    tags
}
