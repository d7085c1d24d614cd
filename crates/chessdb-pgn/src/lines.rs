//! Lists of positions and moves for other programs: EPD, FEN and moves in UCI notation. They are
//! only written.

use std::io::Write as _;

use chessdb_core::files::{FileId, FileSink, Role};
use chessdb_core::format::Score;
use chessdb_core::loss::LossSet;
use chessdb_core::model::{Start, Token};
use chessdb_core::options::Allow;
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
    let said = format!("{what} can be written but not read; open the original database");
    ErrorKind::Other(said.into()).into()
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
    while let Some((ply, board)) = positions.next() {
        let san = sans.next();
        if is_final && positions.peek().is_some() {
            continue;
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
        let mut base_losses = options.base.losses();
        if options.base.open_first.is_some() {
            base_losses.add(LossKind::OpenFirst, None);
        }
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
        if !game.has_known_start() {
            losses.add(LossKind::StartPosition, None);
        }
        let known = |value: &str| {
            let value = value.trim();
            !matches!(value, "" | "?" | "-" | "????.??.??")
        };
        let is_result = |(name, value): &(_, std::borrow::Cow<'_, str>)| {
            self.kind == LineKind::Uci && name == "Result" || *value == Outcome::Unknown.as_pgn()
        };
        let tags = game.tags().filter(|tag| known(&tag.1) && !is_result(tag));
        losses.add_many(
            LossKind::Tag,
            u32::try_from(tags.count()).unwrap_or(u32::MAX),
            None,
        );
        let extras = u32::try_from(game.header.extras.len()).unwrap_or(u32::MAX);
        losses.add_many(LossKind::GameExtra, extras, None);
        let mut tokens = game.moves.tokens();
        while let Some(token) = tokens.next() {
            match token {
                Token::Move(_) if has_positions && !self.is_final => {}
                Token::Move(_) => losses.add(LossKind::Moves, None),
                _ => losses.add_token(token, None),
            }
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
        let origin = Origin::new(self.number.take().unwrap_or(self.games));
        let origin = origin.of_base(self.base.as_deref());
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
    fn lists_have_their_lines() {
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
        assert_eq!(lines(&game, LineKind::Epd, true), epd[2..]);
        let fens = lines(&game, LineKind::Fen, false);
        let boards: Vec<String> = game.positions().map(|board| board.to_string()).collect();
        assert_eq!(fens, boards);
        assert_eq!(lines(&game, LineKind::Fen, true), boards[2..]);
        assert_eq!(lines(&game, LineKind::Uci, false), ["e2e4 c7c5 *"]);
    }

    #[test]
    fn a_start_position_is_part_of_the_moves() {
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
