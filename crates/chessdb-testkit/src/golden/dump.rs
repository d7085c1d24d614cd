//! A database as readable text.

use std::fmt::Write as _;

use chessdb_core::commands::{self, Command};
use chessdb_core::line::Walk;
use chessdb_core::model::{Event, Extra, Field, Named, Place, Tag};
use chessdb_core::rules::san;
use chessdb_core::text::TextId;
use chessdb_core::{BaseInfo, Charset, Color, Game, GameStore, Scratch, Start, Text};

use crate::tree::flag_letters;

/// Maximum width of a line of moves in columns.
const WIDTH: usize = 96;

/// Returns the whole content of a store: the metadata of the database, diagnostics, and each game
/// as in [`dump_game`] with the diagnostics from reading it.
///
/// Texts are quoted with escapes such as `\n`; a text that is not UTF-8 is followed by its charset.
/// Absent values are left out.
pub fn dump(store: &dyn GameStore) -> String {
    let mut out = String::from("base\n");
    dump_base(store.base(), &mut out);
    for diagnostic in store.diagnostics() {
        line(&mut out, format_args!("  {diagnostic}"));
    }
    let mut game = Game::new();
    let mut scratch = Scratch::new();
    for n in 0..store.len() {
        line(&mut out, format_args!("\ngame {}", n + 1));
        game.clear();
        let read = store.game_into(n, &mut game, &mut scratch);
        dump_into(&game, &mut out);
        for diagnostic in scratch.diagnostics.drain(..) {
            line(&mut out, format_args!("  {diagnostic}"));
        }
        if scratch.dropped_diagnostics > 0 {
            line(
                &mut out,
                format_args!("  and {} more", scratch.dropped_diagnostics),
            );
            scratch.dropped_diagnostics = 0;
        }
        if let Err(error) = read {
            line(&mut out, format_args!("  error: {error}"));
        }
    }
    out
}

/// Returns a game as readable text: header, tags in their order, moves in SAN with every
/// annotation, and variations on separate, indented lines.
pub fn dump_game(game: &Game) -> String {
    let mut out = String::new();
    dump_into(game, &mut out);
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("a string takes everything");
}

fn dump_base(base: &BaseInfo, out: &mut String) {
    let text = |id: TextId| quoted(base.texts.get(id));
    for (name, id) in [("title", base.title), ("description", base.description)] {
        if id.is_some() {
            line(out, format_args!("  {name} {}", text(id)));
        }
    }
    for (name, number) in [("kind", base.kind), ("open first", base.open_first)] {
        if let Some(number) = number {
            line(out, format_args!("  {name} {number}"));
        }
    }
    if !base.flag_names.is_empty() {
        let names: Vec<_> = base.flag_names.iter().map(|&id| text(id)).collect();
        line(out, format_args!("  flag names {}", names.join(" ")));
    }
    for table in &base.names {
        line(
            out,
            format_args!("  {:?} names {}", table.role, table.records.len()),
        );
        for record in &table.records {
            let mut shown = format!("    {} {}", record.key, text(record.text));
            if let Some(player) = record.player {
                write!(
                    shown,
                    " title {} rating {} FIDE {} born {} gender {}",
                    text(player.title),
                    player.rating,
                    player.fide_id,
                    player.birthday,
                    player.gender
                )
                .expect("a string takes everything");
            }
            line(out, format_args!("{shown}"));
        }
    }
    for collection in &base.collections {
        let (key, name) = (collection.key, text(collection.name));
        line(
            out,
            format_args!("  collection {key} in {:?} {name}", collection.parent),
        );
    }
    for extra in &base.extras {
        line(out, format_args!("  {}", shown_extra(extra)));
    }
}

fn dump_into(game: &Game, out: &mut String) {
    dump_header(game, out);
    dump_moves(game, out);
}

fn dump_header(game: &Game, out: &mut String) {
    let header = &game.header;
    let text = |id: TextId| quoted(game.text(id));
    let mut named = |field: Field, name: Named| {
        let key = name
            .key
            .map(|key| format!(" (name {key})"))
            .unwrap_or_default();
        if name.text.is_some() {
            line(
                out,
                format_args!("  {} {}{key}", field.tag(), text(name.text)),
            );
        } else if !key.is_empty() {
            line(out, format_args!("  {}{key}", field.tag()));
        }
    };
    named(Field::Event, header.event);
    named(Field::Site, header.site);
    named(Field::Round, header.round);
    named(Field::White, header.white.name);
    named(Field::Black, header.black.name);
    named(Field::Annotator, header.annotator);
    named(Field::Source, header.source);
    for color in Color::ALL {
        let player = header.player(color);
        let side = color.pick("White", "Black");
        if player.title.is_some() {
            line(out, format_args!("  {side}Title {}", text(player.title)));
        }
        if let Some(rating) = player.rating {
            line(
                out,
                format_args!("  {side}{} {}", rating.kind.name(), rating.value),
            );
        }
        if let Some(id) = player.fide_id {
            line(out, format_args!("  {side}FideId {id}"));
        }
    }
    if !header.date.is_unknown() {
        line(out, format_args!("  Date {}", header.date));
    }
    if !header.event_date.is_unknown() {
        line(out, format_args!("  EventDate {}", header.event_date));
    }
    line(out, format_args!("  Result {}", header.outcome));
    if let Some(eco) = header.eco {
        line(out, format_args!("  ECO {eco}"));
    }
    if !header.flags.is_empty() {
        line(out, format_args!("  flags {}", flag_letters(header.flags)));
    }
    if let Start::Setup(setup) = &header.start {
        let chess960 = if setup.chess960 { " (Chess960)" } else { "" };
        line(out, format_args!("  FEN {}{chess960}", setup.board));
    }
    for tag in &header.tags {
        match *tag {
            Tag::Other { name, value } => {
                line(out, format_args!("  tag {} {}", text(name), text(value)));
            }
            Tag::Place(field) => line(out, format_args!("  tag {}", field.tag())),
            Tag::Verbatim(field, value) => {
                line(
                    out,
                    format_args!("  tag {} as {}", field.tag(), text(value)),
                );
            }
        }
    }
    for extra in &header.extras {
        line(out, format_args!("  {}", shown_extra(extra)));
    }
}

/// A writer that breaks words into lines of at most [`WIDTH`] columns.
struct LineWriter<'o> {
    out: &'o mut String,
    current: String,
    indent: usize,
}

impl LineWriter<'_> {
    fn word(&mut self, word: &str) {
        if !self.current.is_empty()
            && self.current.chars().count() + 1 + word.chars().count() > WIDTH
        {
            self.end();
        }
        if self.current.is_empty() {
            // With deep nesting, a full indentation would dominate the text.
            self.current = " ".repeat(self.indent.min(30) * 2);
        } else {
            self.current.push(' ');
        }
        self.current.push_str(word);
    }

    fn end(&mut self) {
        if !self.current.is_empty() {
            line(self.out, format_args!("{}", self.current));
            self.current.clear();
        }
    }
}

fn dump_moves(game: &Game, out: &mut String) {
    let mut lines = LineWriter {
        out,
        current: String::new(),
        indent: 1,
    };
    let mut walk = Walk::plain(game).expect("plain numbering takes every position");
    let mut number_due = true;
    while let Some(event) = walk.step() {
        let after_note = !matches!(event, Event::Move(_));
        match event {
            Event::Move(mv) => {
                let board = walk.lines().board();
                let san = san(board, mv);
                let number = board.fullmove_number();
                match (board.turn(), number_due) {
                    (Color::White, _) => lines.word(&format!("{number}. {san}")),
                    (Color::Black, true) => lines.word(&format!("{number}... {san}")),
                    (Color::Black, false) => lines.word(&san),
                }
            }
            Event::Nag(nag) => lines.word(&format!("${nag}")),
            Event::Comment(place, text) => {
                let place = match place {
                    Place::Before => "before ",
                    Place::After => "",
                };
                lines.word(&format!("{{{place}{}}}", quoted(text)));
            }
            Event::Open(_) => {
                lines.end();
                lines.indent += 1;
                lines.word("(");
            }
            Event::Close => {
                lines.word(")");
                lines.end();
                lines.indent -= 1;
            }
            Event::Clock(clock) => lines.word(&shown_command(Command::Clock(clock))),
            Event::Eval(eval) => lines.word(&shown_command(Command::Eval(eval))),
            Event::Shapes(shapes) => lines.word(&shown_command(Command::Shapes(shapes))),
            Event::Outcome(outcome) => lines.word(&format!("<result {outcome}>")),
            Event::Fault(kind, text) => lines.word(&format!("<{kind:?} {}>", quoted(text))),
            Event::Extra(extra) => lines.word(&format!("<{}>", shown_extra(extra))),
        }
        number_due = after_note;
    }
    if lines.current.is_empty() && game.moves.is_empty() {
        lines.word("no moves");
    }
    lines.end();
}

fn shown_command(command: Command<'_>) -> String {
    let mut text = Vec::new();
    commands::render_command(&command, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn shown_extra(extra: &Extra) -> String {
    let bytes: Vec<_> = extra
        .bytes
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!(
        "extra {} {}: {}",
        extra.format,
        extra.field,
        bytes.join(" ")
    )
}

/// Returns a text in quotes with invisible characters escaped, followed by its charset unless that
/// is UTF-8.
fn quoted(text: Text<'_>) -> String {
    let mut shown = String::from("\"");
    for c in text.decode().chars() {
        match c {
            '"' => shown.push_str("\\\""),
            '\\' => shown.push_str("\\\\"),
            ' ' => shown.push(c),
            // Joiners and marks of direction and byte order are invisible too.
            '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' => shown.extend(c.escape_default()),
            _ if c.is_whitespace() || c.is_control() => shown.extend(c.escape_default()),
            _ => shown.push(c),
        }
    }
    shown.push('"');
    if text.charset() != Charset::UTF_8 {
        write!(shown, " in {}", text.charset()).expect("a string takes everything");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb_core::board::MoveKind;
    use chessdb_core::limits::Limits;
    use chessdb_core::model::{Rating, RatingKind};
    use chessdb_core::{Date, Outcome, PackedMove, Setup, Square};

    fn mv(text: &str) -> PackedMove {
        let square = |start: usize| Square::from_ascii(&text.as_bytes()[start..start + 2]).unwrap();
        PackedMove::new(square(0), square(2), MoveKind::Normal)
    }

    #[test]
    fn dump_shows_every_part_of_a_game() {
        let mut game = Game::new();
        game.header.white.name = game.add_text("A \"B\"\n\u{FEFF}").into();
        game.header.white.rating = Some(Rating {
            value: 2000,
            kind: RatingKind::Dwz,
        });
        game.header.date = Date::new(1999, 0, 0);
        game.header.outcome = Outcome::Draw;
        let fen = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 7";
        game.header.start = Start::Setup(Box::new(Setup::from_fen(fen).unwrap().0));
        let (name, value) = (game.add_text("Own"), game.add_text(""));
        game.header.tags = vec![Tag::Place(Field::White), Tag::Other { name, value }];
        let latin = Charset::by_name("windows-1252").unwrap();
        let text = game.texts.push(b"gr\xFC\xDF", latin);
        let mut tape = game.moves.builder(&Limits::default());
        tape.mv(mv("e2e4")).unwrap();
        tape.nag(1).unwrap();
        tape.open().unwrap();
        tape.comment(Place::Before, text).unwrap();
        tape.mv(mv("d2d4")).unwrap();
        tape.mv(mv("d7d5")).unwrap();
        tape.close();
        tape.mv(mv("e7e5")).unwrap();
        tape.finish();
        let expected = concat!(
            "  White \"A \\\"B\\\"\\n\\u{feff}\"\n  WhiteDWZ 2000\n  Date 1999.??.??\n  Result 1/2-1/2\n",
            "  FEN rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 7\n",
            "  tag White\n  tag \"Own\" \"\"\n  7. e4 $1\n",
            "    ( {before \"grüß\" in windows-1252} 7. d4 d5 )\n  7... e5\n"
        );
        assert_eq!(dump_game(&game), expected);
    }
}
