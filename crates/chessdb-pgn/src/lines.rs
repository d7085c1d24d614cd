//! Lists of positions and moves for other programs: EPD, FEN and moves in UCI notation. They are
//! only written.

use std::borrow::Cow;
use std::io::Write as _;

use chessdb_core::files::{FileId, FileSink, Role};
use chessdb_core::format::Score;
use chessdb_core::loss::LossSet;
use chessdb_core::model::{Field, Start, Token};
use chessdb_core::options::Allow;
use chessdb_core::rules::has_ep_capture;
use chessdb_core::store::Origin;
use chessdb_core::{
    ErrorKind, Format, Game, GameWrite, LossKind, Losses, Outcome, Result, WriteOptions,
};

use crate::PGN;

/// The formats of this crate that are only written.
pub static TARGETS: &[&Format] = &[&EPD, &FEN, &UCI];

/// The setting with the value `yes` for the final position of each game only.
const FINAL: &str = "final";

/// The number of bytes buffered before they are written to the sink.
const PORTION: usize = 256 << 10;

/// The losses possible in every list: nearly everything except the moves.
const LOSSES: LossSet = PGN
    .losses
    .with(&[LossKind::Moves, LossKind::Tag, LossKind::StartPosition]);

/// The content of the lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineKind {
    /// A line per position of the mainline in Extended Position Description, with the move played,
    /// the move counters, the game and its description.
    Epd,
    /// A line per position of the mainline in Forsyth-Edwards Notation.
    Fen,
    /// A line per game: the mainline in coordinate notation and the result, after `fen FEN moves`
    /// if the game does not begin with the standard position.
    Uci,
}

macro_rules! targets {
    ($($(#[$doc:meta])* $name:ident $id:literal $title:literal $file:ident $settings:expr;)*) => {$(
        const $file: Role = Role($id);

        $(#[$doc])*
        pub static $name: Format = Format::new(
            $id,
            $title,
            |_| Score::No,
            |_, _| Err(write_only($title)),
            |_, _, _| {},
        )
        .with_files(&[$file], &[$file])
        .with_losses(LOSSES)
        .with_facts()
        .with_settings($settings)
        .with_create(|sink, options| {
            let kind = match $id {
                "epd" => LineKind::Epd,
                "fen" => LineKind::Fen,
                _ => LineKind::Uci,
            };
            Ok(Box::new(LineWriter::create(sink, $file, kind, options)?))
        });
    )*};
}

targets! {
    /// Every position of the mainlines as EPD. With the setting `final` only the last ones.
    EPD "epd" "Extended Position Description" EPD_FILE &[FINAL];
    /// Every position of the mainlines as FEN. With the setting `final` only the last ones.
    FEN "fen" "Forsyth-Edwards Notation" FEN_FILE &[FINAL];
    /// The mainline of each game in UCI notation.
    UCI "uci" "moves in UCI notation" UCI_FILE &[];
}

fn write_only(what: &str) -> chessdb_core::Error {
    let message = format!("{what} can be written but not read; open the original database");
    ErrorKind::Other(message.into()).into()
}

/// Appends the lines of a game. `origin` is named in EPD. `is_final` selects the final position
/// instead of all. A game of a variant with an unknown start position has no positions.
pub fn append_lines(
    game: &Game,
    kind: LineKind,
    is_final: bool,
    origin: Origin<'_>,
    out: &mut Vec<u8>,
) {
    if kind == LineKind::Uci {
        return append_moves(game, out);
    }
    if !game.has_known_start() {
        return;
    }
    if kind == LineKind::Epd
        && !is_final
        && let Some(operations) = operations_of(game)
    {
        return append_record(game, &operations, out);
    }
    let description = match kind {
        LineKind::Epd => quotable(&game.to_string()),
        _ => String::new(),
    };
    let base = quotable(origin.base.unwrap_or("game"));
    let number = origin.number.unwrap_or_default();
    let mut sans = match kind {
        LineKind::Epd if !is_final => game.sans().into_iter(),
        _ => Vec::new().into_iter(),
    };
    let mut positions = game.positions().enumerate().peekable();
    while let Some((ply, mut board)) = positions.next() {
        let san = sans.next();
        if is_final {
            if positions.peek().is_some() {
                continue;
            }
            // Without a capture the square makes no other position.
            if !has_ep_capture(&board) {
                board.set_ep_square(None);
            }
        }
        let fen = board.to_string();
        if kind == LineKind::Fen {
            out.extend_from_slice(fen.as_bytes());
            out.push(b'\n');
            continue;
        }
        let mut fields = fen.split(' ');
        for field in fields.by_ref().take(4) {
            out.extend_from_slice(field.as_bytes());
            out.push(b' ');
        }
        let (half, full) = (fields.next().unwrap_or("0"), fields.next().unwrap_or("1"));
        // Writing to memory cannot fail. The operations are in alphabetical order.
        let _ = write!(out, "c0 \"{description}\"; fmvn {full}; hmvc {half}; ");
        let _ = write!(out, "id \"{base} {number} ply {ply}\";");
        if let Some(san) = san {
            let _ = write!(out, " sm {san};");
        }
        out.push(b'\n');
    }
}

/// Returns the operations of a game that is a line of EPD: a position without players, with
/// operations as its tags (docs/formats/text.md, section 2). `None` for any other game.
fn operations_of(game: &Game) -> Option<Vec<(String, String)>> {
    let is_unknown = |name: &str| matches!(name, "" | "?");
    if game.header.start == Start::Standard
        || !is_unknown(&game.white())
        || !is_unknown(&game.black())
    {
        return None;
    }
    let is_operation = |name: &str| {
        Field::of_tag(name.as_bytes()).is_none() && !matches!(name, "SetUp" | "Variant")
    };
    let tags = game.tags().filter(|(name, _)| is_operation(name));
    let operations: Vec<_> = tags
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    // Names of PGN begin with capitals.
    let mut names = operations.iter().map(|(name, _)| name);
    let has_code = names.any(|name| name.starts_with(|c: char| c.is_ascii_lowercase()));
    (has_code || game.plies() == 0).then_some(operations)
}

/// Appends the line of EPD that a game was read from.
fn append_record(game: &Game, operations: &[(String, String)], out: &mut Vec<u8>) {
    let fen = game.start_board().to_string();
    let mut fields = fen.split(' ');
    let position: Vec<&str> = fields.by_ref().take(4).collect();
    out.extend_from_slice(position.join(" ").as_bytes());
    let mut append = |code: &str, operand: &str| {
        // Writing to memory cannot fail.
        let _ = match (code, operand) {
            ("Text", text) => write!(out, " {text};"),
            (code, "") if !is_text_operation(code) => write!(out, " {code};"),
            (code, text) if is_text_operation(code) && !text.contains('"') => {
                write!(out, " {code} \"{}\";", quotable(text))
            }
            (code, operand) => write!(out, " {code} {operand};"),
        };
    };
    let line = game.sans().join(" ");
    let mut counter = |usual: &str| fields.next().filter(|&counter| counter != usual);
    let (half, full) = (counter("0"), counter("1"));
    // These operations are not tags. They get their places in the order of names.
    let others = [("fmvn", full), ("hmvc", half), ("pv", Some(line.as_str()))];
    let others = others
        .into_iter()
        .filter_map(|(code, operand)| Some((code, operand?)));
    let mut others = others.filter(|(_, operand)| !operand.is_empty()).peekable();
    for (name, operand) in operations {
        let code = name.strip_prefix("Epd").unwrap_or(name);
        while let Some((code, operand)) = others.next_if(|(other, _)| *other < code) {
            append(code, operand);
        }
        append(code, operand);
    }
    others.for_each(|(code, operand)| append(code, operand));
    out.push(b'\n');
}

/// Returns whether the operand of an operation of EPD is a text in quotes.
pub fn is_text_operation(code: &str) -> bool {
    matches!(code, "id" | "eco" | "nic") || matches!(code.as_bytes(), [b'c' | b'v', b'0'..=b'9'])
}

fn append_moves(game: &Game, out: &mut Vec<u8>) {
    if game.header.start != Start::Standard {
        // Writing to memory cannot fail.
        let _ = write!(out, "fen {} moves ", game.start_board());
    }
    for mv in game.ucis() {
        out.extend_from_slice(mv.as_bytes());
        out.push(b' ');
    }
    out.extend_from_slice(game.result().as_pgn().as_bytes());
    out.push(b'\n');
}

/// Returns a text for an operand in quotes, which EPD cannot escape.
fn quotable(text: &str) -> String {
    let plain = |c: char| match c {
        '"' => '\'',
        c if c.is_control() => ' ',
        c => c,
    };
    text.chars().map(plain).collect()
}

/// Writes the lines of games into a file.
struct LineWriter<'a> {
    sink: &'a mut dyn FileSink,
    file: FileId,
    kind: LineKind,
    is_final: bool,
    buffer: Vec<u8>,
    allow: Allow,
    games: u32,
    base_losses: Losses,
    base: Option<String>,
    number: Option<u32>,
}

impl<'a> LineWriter<'a> {
    fn create(
        sink: &'a mut dyn FileSink,
        role: Role,
        kind: LineKind,
        options: WriteOptions,
    ) -> Result<LineWriter<'a>> {
        let base_losses = options.base.losses_in_text();
        options.allow.check(&base_losses)?;
        let mut settings = options.settings.iter();
        Ok(LineWriter {
            file: sink.create(role)?,
            sink,
            kind,
            is_final: settings.any(|(name, value)| *name == FINAL && value == "yes"),
            buffer: Vec::new(),
            allow: options.allow,
            games: 0,
            base_losses,
            base: None,
            number: None,
        })
    }
}

impl GameWrite for LineWriter<'_> {
    fn note_origin(&mut self, origin: Origin<'_>) {
        if self.base.as_deref() != origin.base {
            self.base = origin.base.map(str::to_owned);
        }
        self.number = origin.number;
    }

    fn assess(&self, game: &Game) -> Losses {
        let mut losses = Losses::new();
        let has_positions = self.kind == LineKind::Uci || game.has_known_start();
        losses.add_if(LossKind::StartPosition, !game.has_known_start());
        let is_given = |value: &str| {
            let value = value.trim();
            !matches!(value, "" | "?" | "-" | "????.??.??")
        };
        let is_result = |(name, value): &(Cow<'_, str>, Cow<'_, str>)| {
            self.kind == LineKind::Uci && name == "Result" || *value == Outcome::Unknown.as_pgn()
        };
        let operations = match self.kind {
            LineKind::Epd if !self.is_final => operations_of(game),
            _ => None,
        };
        let is_written = |(name, value): &(Cow<'_, str>, Cow<'_, str>)| {
            let Some(operations) = &operations else {
                return false;
            };
            let is_id = |(code, text): &(String, String)| code == "id" && text == value;
            match &**name {
                "FEN" | "SetUp" => true,
                "Event" => operations.iter().any(is_id),
                name => operations.iter().any(|(code, _)| code == name),
            }
        };
        let tags = game.tags();
        let tags = tags.filter(|tag| is_given(&tag.1) && !is_result(tag) && !is_written(tag));
        losses.add_many(
            LossKind::Tag,
            u32::try_from(tags.count()).unwrap_or(u32::MAX),
            None,
        );
        losses.add_extras(game);
        let mut tokens = game.moves.tokens();
        while let Some(token) = tokens.next() {
            match token {
                Token::Move(_) if has_positions && !self.is_final => {}
                Token::Move(_) => losses.add(LossKind::Moves, None),
                _ => losses.add_token(token, None),
            }
            // A variation is one loss, with everything in it.
            if let Token::Open(branch) = token {
                tokens.skip_variation(branch);
            }
        }
        losses
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let losses = self.assess(game);
        self.allow.check(&losses)?;
        self.games = self.games.saturating_add(1);
        let origin =
            Origin::new(self.number.take().unwrap_or(self.games)).of_base(self.base.as_deref());
        append_lines(game, self.kind, self.is_final, origin, &mut self.buffer);
        if self.buffer.len() >= PORTION {
            self.sink.write(self.file, &self.buffer)?;
            self.buffer.clear();
        }
        Ok(losses)
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn finish(self: Box<Self>) -> Result<u32> {
        self.sink.write(self.file, &self.buffer)?;
        self.sink.commit()?;
        Ok(self.games)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(game: &Game, kind: LineKind, is_final: bool) -> Vec<String> {
        let mut out = Vec::new();
        let origin = Origin::new(7).of_base(Some("a\"b.pgn"));
        append_lines(game, kind, is_final, origin, &mut out);
        let text = String::from_utf8(out).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn line_formats_have_expected_lines() {
        let game = Game::builder().white("A \"x\"").sans(["e4", "c5"]).unwrap();
        let game = game.build();
        let epd = lines(&game, LineKind::Epd, false);
        assert_eq!(epd.len(), 3);
        assert_eq!(
            epd[1],
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 c0 \"A 'x' - ?, *\"; \
             fmvn 1; hmvc 0; id \"a'b.pgn 7 ply 1\"; sm c5;"
        );
        assert!(
            epd[2].ends_with("fmvn 2; hmvc 0; id \"a'b.pgn 7 ply 2\";"),
            "{epd:?}"
        );
        // No pawn can capture on c6.
        let last = |line: &str| [line.replace(" c6 ", " - ")];
        assert_eq!(lines(&game, LineKind::Epd, true), last(&epd[2]));
        let fens = lines(&game, LineKind::Fen, false);
        let boards: Vec<String> = game.positions().map(|board| board.to_string()).collect();
        assert_eq!(fens, boards);
        assert_eq!(lines(&game, LineKind::Fen, true), last(&boards[2]));
        assert_eq!(lines(&game, LineKind::Uci, false), ["e2e4 c7c5 *"]);
    }

    #[test]
    fn position_with_operations_is_one_epd_line() {
        let fen = "4k3/8/8/8/4p3/8/3P4/4K3 w - -";
        let game = |tags: &[(&str, &str)], sans: &[&str]| {
            let mut game = Game::builder().fen(&format!("{fen} 3 20")).unwrap();
            for (name, value) in tags {
                game = game.tag(name, value);
            }
            game.sans(sans.iter().copied()).unwrap().build()
        };
        let tags = [
            ("bm", "d4 d3"),
            ("id", "one; two"),
            ("D1", "9"),
            ("sm", "d4"),
            ("noop", ""),
        ];
        let line = format!(
            "{fen} bm d4 d3; fmvn 20; hmvc 3; id \"one; two\"; D1 9; pv d4 exd3; sm d4; noop;"
        );
        assert_eq!(
            lines(&game(&tags, &["d4", "exd3"]), LineKind::Epd, false),
            [line]
        );
        let line = format!("{fen} fmvn 20; hmvc 3;");
        assert_eq!(lines(&game(&[], &[]), LineKind::Epd, false), [line]);
        // Not a record: a game with players, or with moves and the tags of PGN.
        assert_eq!(
            lines(
                &game(&[("White", "x"), ("bm", "d4")], &["d4"]),
                LineKind::Epd,
                false
            )
            .len(),
            2
        );
        assert_eq!(
            lines(&game(&[("Opening", "x")], &["d4"]), LineKind::Epd, false).len(),
            2
        );
    }

    #[test]
    fn final_position_omits_unusable_en_passant_square() {
        let with = |fen: &str| {
            let game = Game::builder().fen(fen).unwrap().build();
            lines(&game, LineKind::Fen, true).remove(0)
        };
        let fen = "4k3/8/8/pP6/8/8/8/4K3 w - a6 0 9";
        assert_eq!(with(fen), fen);
        let fen = "4k3/8/8/p1P5/8/8/8/4K3 w - a6 0 9";
        assert_eq!(with(fen), fen.replace("a6", "-"));
    }

    #[test]
    fn uci_line_contains_start_position() {
        let fen = "8/8/4k3/8/8/3K4/4P3/8 w - - 0 1";
        let game = Game::builder()
            .fen(fen)
            .unwrap()
            .sans(["e4"])
            .unwrap()
            .build();
        let line = format!("fen {fen} moves e2e4 *");
        assert_eq!(lines(&game, LineKind::Uci, false), [line]);
    }
}
