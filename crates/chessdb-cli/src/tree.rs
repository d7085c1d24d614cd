//! A game as JSON: its tags, and its moves as a tree.
//!
//! ```text
//! game = { "tags": {…}, "pre": comment before the first move, "deleted": true, "line": [move, …] }
//! move = "e2e4" | [uci, [NAG, …], comment, [line, …]] | [uci, [NAG, …], comment, [line, …], before]
//! ```
//!
//! A variation belongs to the move it replaces. Promotions are `a7a8q`, castling is the king's
//! move, the null move `0000`. Comments of one place are joined by a blank; clocks, evaluations,
//! arrows and squares are in the comments, as in PGN, and so is what a source could not express as
//! a move, as `<IllegalMove Ke9>`. What stands before the first move of a line
//! and is no comment (NAGs, variations) belongs to a first element whose uci is empty.

use std::fmt::Write;

use chessdb::annotation::CommentRun;
use chessdb::{Color, Date, Event, Field, Game, GameFlags, Place, Start, Tag, TextId};

use crate::json::Quoted;

/// Lines in one list, the main line first: depth of nesting is no depth of calls.
#[derive(Default)]
struct Tree {
    lines: Vec<Vec<Ply>>,
    pre: String,
}

#[derive(Default)]
struct Ply {
    uci: String,
    nags: Vec<u16>,
    comment: String,
    /// Indexes of [`Tree::lines`].
    variations: Vec<usize>,
    before: String,
}

impl Ply {
    fn is_bare(&self) -> bool {
        self.has_no_annotation() && self.comment.is_empty() && self.before.is_empty()
    }

    fn has_no_annotation(&self) -> bool {
        self.nags.is_empty() && self.variations.is_empty()
    }
}

/// The game as one line of JSON.
pub(crate) fn to_json(game: &Game) -> String {
    let mut out = String::from("{\"tags\":{");
    for (n, (name, value)) in tags(game).iter().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        let _ = write!(out, "{comma}{}:{}", Quoted(name), Quoted(value));
    }
    let tree = Tree::of(game);
    let _ = write!(out, "}},\"pre\":{}", Quoted(&tree.pre));
    if game.head.flags.contains(GameFlags::DELETED) {
        out.push_str(",\"deleted\":true");
    }
    out.push_str(",\"line\":");
    tree.push_lines(&mut out);
    out.push('}');
    out
}

impl Tree {
    fn of(game: &Game) -> Tree {
        let mut tree = Tree {
            lines: vec![Vec::new()],
            ..Tree::default()
        };
        tree.add_moves(game);
        tree.settle_first_comments();
        tree
    }

    fn add_moves(&mut self, game: &Game) {
        let mut interrupted = Vec::new();
        let mut line = 0;
        let mut run = CommentRun::default();
        let mut before = String::new();
        for event in game.events() {
            if run.command(&event) {
                continue;
            }
            if let Event::Comment(place, text) = event {
                let text = run.with_text(text).decode();
                match place {
                    Place::Before => join(&mut before, &text),
                    Place::After => self.comment(line, &text),
                }
                continue;
            }
            if let Some(commands) = run.take() {
                self.comment(line, &commands.decode());
            }
            match event {
                Event::Move(mv) => {
                    let before = std::mem::take(&mut before);
                    let ply = Ply {
                        uci: mv.to_string(),
                        before,
                        ..Ply::default()
                    };
                    self.last_or_new(line, Some(ply), |_| {});
                }
                Event::Nag(nag) => self.last_or_new(line, None, |ply| ply.nags.push(nag)),
                Event::Open(_) => {
                    self.comment(line, &std::mem::take(&mut before));
                    let new = self.lines.len();
                    self.last_or_new(line, None, |ply| ply.variations.push(new));
                    self.lines.push(Vec::new());
                    interrupted.push(std::mem::replace(&mut line, new));
                }
                Event::Close => {
                    self.comment(line, &std::mem::take(&mut before));
                    line = interrupted.pop().unwrap_or(0);
                }
                Event::Fault(kind, text) => {
                    self.comment(line, &format!("<{kind:?} {}>", text.decode()));
                }
                // A further result, and bytes of one format only, have no home here.
                _ => {}
            }
        }
        if let Some(commands) = run.take() {
            self.comment(line, &commands.decode());
        }
        self.comment(line, &before);
    }

    /// Appends `new` to the line, or changes its last half-move; a line without any gets one
    /// without a move.
    fn last_or_new(&mut self, line: usize, new: Option<Ply>, change: impl FnOnce(&mut Ply)) {
        let Some(line) = self.lines.get_mut(line) else {
            return;
        };
        if new.is_some() || line.is_empty() {
            line.push(new.unwrap_or_default());
        }
        if let Some(last) = line.last_mut() {
            change(last);
        }
    }

    fn comment(&mut self, line: usize, text: &str) {
        if !text.is_empty() {
            self.last_or_new(line, None, |ply| join(&mut ply.comment, text));
        }
    }

    /// A comment at the start of a line is one before its first move; in the main line it is the
    /// comment of the game.
    fn settle_first_comments(&mut self) {
        for line in &mut self.lines {
            let [first, second, ..] = line.as_mut_slice() else {
                continue;
            };
            if first.uci.is_empty() {
                let mut comment = std::mem::take(&mut first.comment);
                join(&mut comment, &second.before);
                second.before = comment;
                if first.has_no_annotation() {
                    line.remove(0);
                }
            }
        }
        let Some(main) = self.lines.first_mut() else {
            return;
        };
        if let Some(first) = main.iter_mut().find(|ply| !ply.uci.is_empty()) {
            self.pre = std::mem::take(&mut first.before);
        } else if let Some(first) = main.first_mut() {
            self.pre = std::mem::take(&mut first.comment);
            if first.has_no_annotation() {
                main.clear();
            }
        }
    }

    fn push_lines(&self, out: &mut String) {
        // Per open line: which, how many half-moves are begun, and which variation of the last of
        // them is next.
        let mut open: Vec<(usize, usize, usize)> = vec![(0, 0, 0)];
        out.push('[');
        while let Some((line, begun, variation)) = open.last_mut() {
            let plies = self.lines.get(*line).map_or(&[][..], Vec::as_slice);
            let current = begun.checked_sub(1).and_then(|at| plies.get(at));
            if let Some(ply) = current.filter(|ply| !ply.is_bare()) {
                if let Some(&inner) = ply.variations.get(*variation) {
                    out.push_str(if *variation == 0 { "[" } else { ",[" });
                    *variation += 1;
                    open.push((inner, 0, 0));
                    continue;
                }
                out.push(']');
                if !ply.before.is_empty() {
                    let _ = write!(out, ",{}", Quoted(&ply.before));
                }
                out.push(']');
            }
            let Some(ply) = plies.get(*begun) else {
                out.push(']');
                open.pop();
                continue;
            };
            out.push_str(if *begun == 0 { "" } else { "," });
            *begun += 1;
            *variation = 0;
            if ply.is_bare() {
                let _ = write!(out, "{}", Quoted(&ply.uci));
                continue;
            }
            let _ = write!(out, "[{},[", Quoted(&ply.uci));
            for (n, nag) in ply.nags.iter().enumerate() {
                let _ = write!(out, "{}{nag}", if n == 0 { "" } else { "," });
            }
            let _ = write!(out, "],{},[", Quoted(&ply.comment));
        }
    }
}

fn join(to: &mut String, text: &str) {
    if !to.is_empty() && !text.is_empty() {
        to.push(' ');
    }
    to.push_str(text);
}

/// The tags as PGN has them: the seven of the roster always, other typed fields that are set, the
/// rest in source order. Where the source spells a field in its own way, that stands here.
fn tags(game: &Game) -> Vec<(String, String)> {
    let head = &game.head;
    let text = |id: TextId| game.text(id).decode().into_owned();
    let named = |id: TextId| id.is_some().then(|| text(id));
    let known = |id: TextId| Some(named(id).unwrap_or_else(|| "?".to_owned()));
    let mut tags: Vec<(String, String)> = Vec::new();
    let mut push = |field: Field, name: String, value: Option<String>| {
        if let Some(value) = head.verbatim(field).map(text).or(value) {
            tags.push((name, value));
        }
    };
    let mut put = |field: Field, value: Option<String>| push(field, field.tag().to_owned(), value);
    put(Field::Event, known(head.event.text));
    put(Field::Site, known(head.site.text));
    put(Field::Date, Some(head.date.to_string()));
    put(Field::Round, known(head.round.text));
    put(Field::White, known(head.white.name.text));
    put(Field::Black, known(head.black.name.text));
    put(Field::Result, Some(head.outcome.to_string()));
    for color in Color::ALL {
        let player = head.player(color);
        let title = color.pick(Field::WhiteTitle, Field::BlackTitle);
        push(title, title.tag().to_owned(), named(player.title));
        let rating = Field::rating(color);
        let kind = player.rating.map(|rating| rating.kind).unwrap_or_default();
        let points = player.rating.map(|rating| rating.value.to_string());
        push(rating, kind.tag(color).to_owned(), points);
        let fide = Field::fide_id(color);
        push(
            fide,
            fide.tag().to_owned(),
            player.fide_id.map(|id| id.to_string()),
        );
    }
    let mut put = |field: Field, value: Option<String>| push(field, field.tag().to_owned(), value);
    put(Field::Eco, head.eco.map(|eco| eco.to_string()));
    let date = Some(head.event_date).filter(|date| *date != Date::UNKNOWN);
    put(Field::EventDate, date.map(|date| date.to_string()));
    put(Field::Annotator, named(head.annotator.text));
    put(Field::Source, named(head.source.text));
    put(Field::Fen, fen(&head.start));
    let mut letters = Vec::new();
    head.flags
        .difference(GameFlags::DELETED)
        .write_letters(&mut letters);
    put(
        Field::Flags,
        (!letters.is_empty()).then(|| String::from_utf8_lossy(&letters).into()),
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
