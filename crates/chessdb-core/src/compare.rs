//! Where two games differ: for tests, round trips and `chessdb diff`.

use std::fmt;

use crate::model::same_event;
use crate::model::{Event, Field, Game, Named, Start, Tag};
use crate::{Color, TextId};

/// The first difference between two games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Which part differs: the name of a tag, or `move 12` and the like.
    pub what: String,
    /// The left game's value.
    pub left: String,
    /// The right game's value.
    pub right: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} / {}", self.what, self.left, self.right)
    }
}

/// The first difference of two games, head before moves; none if they are equal.
///
/// Texts are compared decoded; name numbers, text numbers, the order of tags, extras and spare bits do
/// not count.
pub fn first_difference(left: &Game, right: &Game) -> Option<Difference> {
    head_difference(left, right).or_else(|| moves_difference(left, right))
}

/// The first difference of two heads.
pub fn head_difference(left: &Game, right: &Game) -> Option<Difference> {
    let named =
        |what: &str, a: Named, b: Named| text_difference(what, (left, a.text), (right, b.text));
    let (a, b) = (&left.head, &right.head);
    let names = [
        (Field::Event, a.event, b.event),
        (Field::Site, a.site, b.site),
        (Field::Round, a.round, b.round),
        (Field::White, a.white.name, b.white.name),
        (Field::Black, a.black.name, b.black.name),
        (Field::Annotator, a.annotator, b.annotator),
        (Field::Source, a.source, b.source),
    ];
    if let Some(found) = names.into_iter().find_map(|(f, x, y)| named(f.tag(), x, y)) {
        return Some(found);
    }
    for color in Color::ALL {
        let (x, y) = (a.player(color), b.player(color));
        let title = color.pick(Field::WhiteTitle, Field::BlackTitle).tag();
        if let Some(found) = text_difference(title, (left, x.title), (right, y.title)) {
            return Some(found);
        }
        let rating = Field::rating(color).tag();
        if let Some(found) = debug_difference(rating, &x.rating, &y.rating) {
            return Some(found);
        }
        let fide_id = Field::fide_id(color).tag();
        if let Some(found) = debug_difference(fide_id, &x.fide_id, &y.fide_id) {
            return Some(found);
        }
    }
    debug_difference("Date", &a.date, &b.date)
        .or_else(|| debug_difference("EventDate", &a.event_date, &b.event_date))
        .or_else(|| debug_difference("Result", &a.outcome, &b.outcome))
        .or_else(|| debug_difference("ECO", &a.eco, &b.eco))
        .or_else(|| debug_difference("flags", &a.flags, &b.flags))
        .or_else(|| debug_difference("start position", &fen(&a.start), &fen(&b.start)))
        .or_else(|| debug_difference("other tags", &other_tags(left), &other_tags(right)))
}

/// The first difference of two games' moves and annotations.
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
                return Some(Difference {
                    what: format!("after {moves} moves of all lines"),
                    left: x.map_or("end".into(), |event| format!("{event:?}")),
                    right: y.map_or("end".into(), |event| format!("{event:?}")),
                });
            }
        }
    }
}

fn text_difference(what: &str, a: (&Game, TextId), b: (&Game, TextId)) -> Option<Difference> {
    let show = |(game, id): (&Game, TextId)| {
        if id.is_none() {
            None
        } else {
            Some(game.text(id).decode().into_owned())
        }
    };
    debug_difference(what, &show(a), &show(b))
}

fn debug_difference<T: PartialEq + fmt::Debug>(what: &str, a: &T, b: &T) -> Option<Difference> {
    (a != b).then(|| Difference {
        what: what.to_owned(),
        left: format!("{a:?}"),
        right: format!("{b:?}"),
    })
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
        .head
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
