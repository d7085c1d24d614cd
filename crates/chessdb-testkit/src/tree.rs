//! A game as a tree of lines in plain text: the form of the `expected.json` files, used to compare
//! games that came by different ways and to hand games to other programs.
//!
//! ```text
//! { "tags": {…}, "pre": "comment before the first move", "deleted": true, "line": [ move, … ] }
//! move = "e2e4" | [uci, [NAGs], comment, [line, …], comment before]
//! ```
//!
//! A variation belongs to the move that it replaces. The comment before stands only where there is
//! one. Comments of one place are joined with a blank. What precedes the first move of a line and
//! has no home there (NAGs, variations, the comment of a line without moves) belongs to a first
//! element whose uci is empty.

use chessdb_core::annotation::CommentRun;
use chessdb_core::{Color, Date, Event, Field, Game, GameFlags, Place, Start, Tag, TextId};

/// A game; its lines lie in one list, the main line first and every line after the one that
/// contains its move, so that depth of nesting is no depth of calls.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tree {
    /// Names and values of all tags.
    pub tags: Vec<(String, String)>,
    /// The comment before the first move.
    pub pre: String,
    /// Whether the game is flagged as deleted.
    pub deleted: bool,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line of moves.
pub type Line = Vec<Ply>;

/// A half-move with its annotations.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Ply {
    /// `e2e4`, `a7a8q`, castling as the king's move, `0000`; empty for what precedes a first move.
    pub uci: String,
    /// NAGs in source order.
    pub nags: Vec<u16>,
    /// The comment after the move.
    pub comment: String,
    /// The variations, as indexes of [`Tree::lines`].
    pub variations: Vec<usize>,
    /// The comment before the move.
    pub before: String,
}

impl Tree {
    /// The tree of a game.
    pub fn from_game(game: &Game) -> Tree {
        let mut tree = Tree {
            tags: tags(game),
            deleted: game.head.flags.contains(GameFlags::DELETED),
            lines: vec![Line::new()],
            ..Tree::default()
        };
        tree.add_moves(game);
        tree.pull_up_first_comments();
        tree
    }

    fn add_moves(&mut self, game: &Game) {
        let mut open = vec![0];
        let mut run = CommentRun::default();
        let mut before = String::new();
        for event in game.events() {
            if run.command(&event) {
                continue;
            }
            let line = *open.last().expect("the main line is never closed");
            if let Event::Comment(place, text) = event {
                let text = run.with_text(text).decode().into_owned();
                match place {
                    Place::Before => join(&mut before, &text),
                    Place::After => join(&mut self.last(line).comment, &text),
                }
                continue;
            }
            if let Some(commands) = run.take() {
                join(&mut self.last(line).comment, &commands.decode());
            }
            match event {
                Event::Move(mv) => {
                    let before = std::mem::take(&mut before);
                    self.lines[line].push(Ply {
                        uci: mv.to_string(),
                        before,
                        ..Ply::default()
                    });
                }
                Event::Nag(nag) => self.last(line).nags.push(nag),
                Event::Open(_) => {
                    join_rest(&mut before, &mut self.last(line).comment);
                    let new = self.lines.len();
                    self.last(line).variations.push(new);
                    self.lines.push(Line::new());
                    open.push(new);
                }
                Event::Close => {
                    join_rest(&mut before, &mut self.last(line).comment);
                    open.pop();
                }
                Event::Fault(kind, text) => {
                    let fault = format!("<{kind:?} {}>", text.decode());
                    join(&mut self.last(line).comment, &fault);
                }
                // A further result and bytes of one format only have no home in this form.
                _ => {}
            }
        }
        if let Some(commands) = run.take() {
            join(&mut self.last(0).comment, &commands.decode());
        }
        join_rest(&mut before, &mut self.last(0).comment);
    }

    /// The last half-move of a line, or what precedes its first.
    fn last(&mut self, line: usize) -> &mut Ply {
        let line = &mut self.lines[line];
        if line.is_empty() {
            line.push(Ply::default());
        }
        line.last_mut().expect("not empty")
    }

    /// A comment at the start of a line is the comment before its first move; that of the main
    /// line is the comment of the game.
    fn pull_up_first_comments(&mut self) {
        for line in &mut self.lines {
            let [first, second, ..] = line.as_mut_slice() else {
                continue;
            };
            if !first.uci.is_empty() {
                continue;
            }
            let mut comment = std::mem::take(&mut first.comment);
            join_rest(&mut second.before, &mut comment);
            second.before = comment;
            if first.nags.is_empty() && first.variations.is_empty() {
                line.remove(0);
            }
        }
        let Some(main) = self.lines.first_mut() else {
            return;
        };
        if let Some(first) = main.iter_mut().find(|ply| !ply.uci.is_empty()) {
            self.pre = std::mem::take(&mut first.before);
        } else if let Some(first) = main.first_mut() {
            self.pre = std::mem::take(&mut first.comment);
            if first.nags.is_empty() && first.variations.is_empty() {
                main.clear();
            }
        }
    }

    /// The main line.
    pub fn main(&self) -> &[Ply] {
        self.lines.first().map_or(&[], Vec::as_slice)
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
    }

    /// The tree as one line of JSON.
    pub fn to_json(&self) -> String {
        let mut out = String::from("{\"tags\":{");
        for (n, (name, value)) in self.tags.iter().enumerate() {
            if n > 0 {
                out.push(',');
            }
            push_json(name, &mut out);
            out.push(':');
            push_json(value, &mut out);
        }
        out.push_str("},\"pre\":");
        push_json(&self.pre, &mut out);
        if self.deleted {
            out.push_str(",\"deleted\":true");
        }
        out.push_str(",\"line\":");
        self.push_lines(&mut out);
        out.push('}');
        out
    }

    fn push_lines(&self, out: &mut String) {
        // Where each open line stands: line, next half-move, next variation of the one before it.
        let mut open: Vec<(usize, usize, usize)> = vec![(0, 0, 0)];
        out.push('[');
        while let Some((line, next, variation)) = open.last_mut() {
            let plies = self.lines.get(*line).map_or(&[][..], Vec::as_slice);
            // Inside the array of variations of the half-move before `next`.
            if let Some(ply) = next.checked_sub(1).and_then(|n| plies.get(n))
                && !ply.is_bare()
            {
                if let Some(&inner) = ply.variations.get(*variation) {
                    out.push_str(if *variation > 0 { ",[" } else { "[" });
                    *variation += 1;
                    open.push((inner, 0, 0));
                    continue;
                }
                out.push(']');
                if !ply.before.is_empty() {
                    out.push(',');
                    push_json(&ply.before, out);
                }
                out.push(']');
            }
            let Some(ply) = plies.get(*next) else {
                out.push(']');
                open.pop();
                continue;
            };
            if *next > 0 {
                out.push(',');
            }
            *next += 1;
            *variation = 0;
            if ply.is_bare() {
                push_json(&ply.uci, out);
                continue;
            }
            out.push('[');
            push_json(&ply.uci, out);
            out.push_str(",[");
            for (n, nag) in ply.nags.iter().enumerate() {
                out.push_str(&format!("{}{nag}", if n > 0 { "," } else { "" }));
            }
            out.push_str("],");
            push_json(&ply.comment, out);
            out.push_str(",[");
        }
    }
}

impl Ply {
    /// Whether there is nothing but the move.
    pub fn is_bare(&self) -> bool {
        self.nags.is_empty()
            && self.comment.is_empty()
            && self.variations.is_empty()
            && self.before.is_empty()
    }
}

/// One line of JSON for a game: [`Tree::from_game`] and [`Tree::to_json`].
pub fn to_json(game: &Game) -> String {
    Tree::from_game(game).to_json()
}

fn push_json(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

fn join(to: &mut String, text: &str) {
    if !to.is_empty() && !text.is_empty() {
        to.push(' ');
    }
    to.push_str(text);
}

fn join_rest(from: &mut String, to: &mut String) {
    join(to, &std::mem::take(from));
}

/// All tags of a game as PGN shows them: the seven of the roster first and always, then the other
/// typed fields that are set, then the rest in source order. A text that the source spells
/// differently from the typed value stands as in the source.
pub fn tags(game: &Game) -> Vec<(String, String)> {
    let head = &game.head;
    let text = |id: TextId| game.text(id).decode().into_owned();
    let mut tags: Vec<(String, String)> = Vec::new();
    let mut push = |field: Field, name: String, value: Option<String>| {
        if let Some(value) = head.verbatim(field).map(text).or(value) {
            tags.push((name, value));
        }
    };
    let named = |id: TextId| id.is_some().then(|| text(id));
    let or_unknown = |id: TextId| Some(named(id).unwrap_or_else(|| "?".into()));
    let date = |date: Date| date.to_string();

    push(Field::Event, "Event".into(), or_unknown(head.event.text));
    push(Field::Site, "Site".into(), or_unknown(head.site.text));
    push(Field::Date, "Date".into(), Some(date(head.date)));
    push(Field::Round, "Round".into(), or_unknown(head.round.text));
    push(
        Field::White,
        "White".into(),
        or_unknown(head.white.name.text),
    );
    push(
        Field::Black,
        "Black".into(),
        or_unknown(head.black.name.text),
    );
    push(
        Field::Result,
        "Result".into(),
        Some(head.outcome.to_string()),
    );
    for color in Color::ALL {
        let player = head.player(color);
        let title = color.pick(Field::WhiteTitle, Field::BlackTitle);
        push(title, title.tag().into(), named(player.title));
        let kind = player.rating.map(|rating| rating.kind).unwrap_or_default();
        push(
            Field::rating(color),
            kind.tag(color).to_owned(),
            player.rating.map(|rating| rating.value.to_string()),
        );
        let id = Field::fide_id(color);
        push(id, id.tag().into(), player.fide_id.map(|id| id.to_string()));
    }
    push(
        Field::Eco,
        "ECO".into(),
        head.eco.map(|eco| eco.to_string()),
    );
    let event_date = (!head.event_date.is_unknown()).then(|| date(head.event_date));
    push(Field::EventDate, "EventDate".into(), event_date);
    push(
        Field::Annotator,
        "Annotator".into(),
        named(head.annotator.text),
    );
    push(Field::Source, "Source".into(), named(head.source.text));
    push(Field::Fen, "FEN".into(), fen(&head.start));
    let letters = flag_letters(head.flags.difference(GameFlags::DELETED));
    push(
        Field::Flags,
        "ScidFlags".into(),
        (!letters.is_empty()).then_some(letters),
    );
    for tag in &head.tags {
        if let Tag::Other { name, value } = *tag {
            tags.push((text(name), text(value)));
        }
    }
    tags
}

fn fen(start: &Start) -> Option<String> {
    match start {
        Start::Standard => None,
        Start::Setup(setup) => Some(setup.board.to_string()),
    }
}

/// The letters of a game's flags.
pub(crate) fn flag_letters(flags: GameFlags) -> String {
    let mut letters = Vec::new();
    flags.write_letters(&mut letters);
    String::from_utf8(letters).expect("flag letters are ASCII")
}

#[cfg(test)]
mod tests;
