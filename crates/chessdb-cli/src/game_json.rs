//! Games as JSON: the tags, and the moves as a tree.
//!
//! ```text
//! game = { "tags": {…}, "pre": comment before the first move, "deleted": true, "line": [move, …] }
//! move = "e2e4"
//!      | [uci, [NAG, …], comment, [line, …]]
//!      | [uci, [NAG, …], comment, [line, …], before]
//! ```
//!
//! A variation belongs to the move it replaces. Promotions are `a7a8q`, castling is the king's move
//! (in Chess960 king takes rook), the null move is `0000`. Several comments in one place are joined
//! by a space. Comments also contain clocks, evaluations, arrows and squares, as in PGN, and
//! anything a source could not express as a move, as `<IllegalMove Ke9>`. NAGs and variations
//! before the first move of a line belong to a first element with an empty uci.

use std::borrow::Cow;
use std::fmt::Write;

use chessdb::core::board::UciNotation;
use chessdb::core::model::{Field, GameFlags, Tag};
use chessdb::core::tree::{Line, Node, Variations};
use chessdb::core::{Game, PackedMove};

use crate::json::Quoted;

/// Returns the game as one line of JSON.
pub(crate) fn to_json(game: &Game) -> String {
    let mut out = String::from("{\"tags\":{");
    for (n, (name, value)) in tags(game).enumerate() {
        let comma = if n == 0 { "" } else { "," };
        let _ = write!(out, "{comma}{}:{}", Quoted(&name), Quoted(&value));
    }
    let tree = game.tree();
    let _ = write!(out, "}},\"pre\":{}", Quoted(tree.comment()));
    if game.header.flags.contains(GameFlags::DELETED) {
        out.push_str(",\"deleted\":true");
    }
    out.push_str(",\"line\":");
    push_lines(tree.mainline(), UciNotation::from_game(game), &mut out);
    out.push('}');
    out
}

/// An element of a line: a half-move, or the annotations before the first one.
struct Element<'t> {
    mv: Option<PackedMove>,
    nags: &'t [u16],
    comment: &'t str,
    variations: Variations<'t>,
    before: &'t str,
}

impl<'t> Element<'t> {
    fn new(node: Node<'t>) -> Element<'t> {
        Element {
            mv: Some(node.mv()),
            nags: node.nags(),
            comment: node.comment(),
            variations: node.variations(),
            before: node.comment_before(),
        }
    }

    fn is_bare(&self) -> bool {
        self.has_no_annotation() && self.comment.is_empty() && self.before.is_empty()
    }

    fn has_no_annotation(&self) -> bool {
        self.nags.is_empty() && self.variations.len() == 0
    }

    /// Writes the move. It needs no escaping.
    fn push_uci(&self, notation: UciNotation, out: &mut String) {
        let _ = match self.mv {
            Some(mv) => write!(out, "\"{}\"", notation.show(mv)),
            None => write!(out, "\"\""),
        };
    }
}

/// A line that is being written.
struct Open<'t> {
    /// The annotations before the first move, if there are any.
    start: Option<Element<'t>>,
    nodes: Line<'t>,
    /// Whether it is the mainline. The comment at its start is written separately.
    is_main: bool,
    is_empty: bool,
    /// The element with the variations that are being written, and whether one has been written.
    current: Option<(Element<'t>, bool)>,
}

impl<'t> Open<'t> {
    fn new(line: Line<'t>, is_main: bool) -> Open<'t> {
        // The comment before a line is in `pre` or in its first move. A line without moves has
        // neither.
        let has_comment_place = is_main || line.len() > 0;
        let start = Element {
            mv: None,
            nags: line.nags(),
            comment: if has_comment_place { "" } else { line.comment() },
            variations: line.variations(),
            before: "",
        };
        Open {
            start: Some(start).filter(|start| !start.is_bare()),
            nodes: line,
            is_main,
            is_empty: true,
            current: None,
        }
    }

    fn next_element(&mut self) -> Option<Element<'t>> {
        if let Some(start) = self.start.take() {
            return Some(start);
        }
        let mut element = Element::new(self.nodes.next()?);
        // The comment before the first move is in `pre` already.
        if std::mem::take(&mut self.is_main) {
            element.before = "";
        }
        Some(element)
    }
}

/// Writes a line and its variations. Open lines are kept on a list, so that deep nesting does not
/// overflow the stack.
fn push_lines(main: Line<'_>, notation: UciNotation, out: &mut String) {
    let mut open = vec![Open::new(main, true)];
    out.push('[');
    while let Some(line) = open.last_mut() {
        if let Some((element, has_variation)) = &mut line.current {
            if let Some(inner) = element.variations.next() {
                out.push_str(if *has_variation { ",[" } else { "[" });
                *has_variation = true;
                open.push(Open::new(inner, false));
                continue;
            }
            out.push(']');
            if !element.before.is_empty() {
                let _ = write!(out, ",{}", Quoted(element.before));
            }
            out.push(']');
            line.current = None;
        }
        let Some(element) = line.next_element() else {
            out.push(']');
            open.pop();
            continue;
        };
        if !std::mem::take(&mut line.is_empty) {
            out.push(',');
        }
        if element.is_bare() {
            element.push_uci(notation, out);
            continue;
        }
        out.push('[');
        element.push_uci(notation, out);
        out.push_str(",[");
        for (n, nag) in element.nags.iter().enumerate() {
            let _ = write!(out, "{}{nag}", if n == 0 { "" } else { "," });
        }
        let _ = write!(out, "],{},[", Quoted(element.comment));
        line.current = Some((element, false));
    }
}

/// The typed fields in the order of their members.
const FIELDS: [Field; 19] = [
    Field::Event,
    Field::Site,
    Field::Date,
    Field::Round,
    Field::White,
    Field::Black,
    Field::Result,
    Field::WhiteTitle,
    Field::WhiteRating,
    Field::WhiteFideId,
    Field::BlackTitle,
    Field::BlackRating,
    Field::BlackFideId,
    Field::Eco,
    Field::EventDate,
    Field::Annotator,
    Field::Source,
    Field::Fen,
    Field::Flags,
];

/// Returns the tags as PGN has them: the seven-tag roster always, other typed fields that are set,
/// the rest in source order. A field with a special spelling in the source keeps that spelling.
fn tags(game: &Game) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    let fields = FIELDS.into_iter().filter_map(|field| {
        let value = match game.field_or_unknown(field)? {
            // The mark of deleted games is a separate member.
            letters if field == Field::Flags && game.header.verbatim(field).is_none() => {
                let letters = letters.replace('D', "");
                Some(letters.into()).filter(|letters: &Cow<'_, str>| !letters.is_empty())?
            }
            value => value,
        };
        Some((game.header.tag_name(field).into(), value))
    });
    let others = game.header.tags.iter().filter_map(|tag| match *tag {
        Tag::Other { name, value } => Some((game.text(name).decode(), game.text(value).decode())),
        _ => None,
    });
    let derived = game.start_tags();
    let derived = derived.map(|(name, value)| (name.into(), value.into()));
    fields.chain(others).chain(derived)
}
