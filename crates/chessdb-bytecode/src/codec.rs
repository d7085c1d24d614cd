//! Conversion of the columns of a single game, for callers without tables.

use chessdb_core::error::Location;
use chessdb_core::legacy::jose::JoseNumbering;
use chessdb_core::options::Mode;
use chessdb_core::report::GameReport;
use chessdb_core::{Error, ErrorKind, Game, Losses, ReadOptions, Result, Scratch, Start};

use crate::moves::{self, Layout, MoveEncoder, TextColumn};
use crate::text::FALLBACK;

/// The columns of a game that hold its moves.
#[derive(Clone, Copy, Debug)]
pub struct MoveColumns<'a> {
    /// The byte code: jose's `MoreGame.Bin`.
    pub bin: &'a [u8],
    /// The texts of its comments and errors.
    pub texts: TextColumn<'a>,
    /// jose's `MoreGame.Eval`, if it is not NULL.
    pub eval: Option<&'a [u8]>,
}

/// The byte code of a game and its texts.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Encoded {
    /// jose's `MoreGame.Bin`.
    pub bin: Vec<u8>,
    /// jose's `MoreGame.Comments`; `None` if there is no text or the texts are inline.
    pub comments: Option<Vec<u8>>,
    /// jose's `MoreGame.Eval`; `None` if no move has shares of wins and draws.
    pub eval: Option<Vec<u8>>,
}

/// Decodes a column with a game's byte code (docs/formats/bytecode.md, section 1).
///
/// ```
/// use chessdb_bytecode::{TextColumn, decode};
/// use chessdb_core::Start;
///
/// let bin = [0x13, 0x13, 0x2E, 0xE0, 0x22, 0xD3, 0xFF];
/// let game = decode(&bin, TextColumn::Separate(Some(b"hello\0")), Start::Standard)?;
/// let moves: Vec<_> = game.moves.mainline().map(|mv| mv.to_string()).collect();
/// assert_eq!(moves, ["e2e4", "e7e5", "g1f3", "b8c6"]);
/// # Ok::<(), chessdb_core::Error>(())
/// ```
///
/// # Errors
///
/// Returns the first deviation from the format page, with its offset in the column and the number
/// of half-moves before it. [`decode_into`] tolerates deviations.
pub fn decode(bytes: &[u8], texts: TextColumn<'_>, start: Start) -> Result<Game> {
    let columns = MoveColumns {
        bin: bytes,
        texts,
        eval: None,
    };
    let mut options = ReadOptions::default();
    options.mode = Mode::Strict;
    let mut game = Game::new();
    game.header.start = start;
    decode_into(&columns, &mut game, &options, &mut Scratch::new())?;
    Ok(game)
}

/// Decodes columns into a game. The start position of `game` is used and kept; everything else is
/// replaced. In lenient mode deviations become diagnostics.
///
/// # Errors
///
/// In strict mode, returns the first deviation.
pub fn decode_into(
    columns: &MoveColumns<'_>,
    game: &mut Game,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<()> {
    decode_with(columns, false, game, options, scratch)
}

/// Decodes like [`decode_into`], and also reports every move that the rules of chess do not allow.
///
/// # Errors
///
/// In strict mode, returns the first deviation.
pub fn decode_and_judge(
    columns: &MoveColumns<'_>,
    game: &mut Game,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<()> {
    decode_with(columns, true, game, options, scratch)
}

fn decode_with(
    columns: &MoveColumns<'_>,
    legality: bool,
    game: &mut Game,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<()> {
    let start = std::mem::take(&mut game.header.start);
    game.clear();
    game.header.start = start;
    let mut report = GameReport::new(options, scratch, None);
    let fallback = options.charset.unwrap_or(FALLBACK);
    moves::decode(columns, fallback, false, legality, game, &mut report)?;
    Ok(())
}

/// Encodes a game's moves, with their texts in a separate column.
///
/// # Errors
///
/// Returns an error for anything that the byte code cannot hold, with the number of half-moves
/// before it: a move of a third knight or second queen in a custom start position, an illegal move,
/// a NAG above 255.
pub fn encode(game: &Game) -> Result<Encoded> {
    encode_as(game, Layout::Separate, JoseNumbering::default())
}

/// Encodes a game's moves like [`encode`], with a choice of layout and of jose's quirk Q1 (section
/// 2). Some games are written exactly as by jose only with this quirk.
///
/// # Errors
///
/// See [`encode`].
pub fn encode_as(game: &Game, layout: Layout, numbering: JoseNumbering) -> Result<Encoded> {
    let mut encoder = MoveEncoder::default();
    let mut losses = Losses::new();
    let encoded = encoder
        .encode(game, numbering, layout, &mut losses)
        .map_err(ErrorKind::Unrepresentable)?;
    if let Some((mv, ply, fault)) = encoded.refused {
        let kind = ErrorKind::Other(format!("move \"{mv}\": {fault}").into());
        return Err(Error::new(kind).at(Location::default().at_ply(ply)));
    }
    chessdb_core::options::Allow::Nothing.check(&losses)?;
    Ok(Encoded {
        bin: encoder.bin,
        comments: Some(encoder.comments).filter(|_| encoded.texts && layout == Layout::Separate),
        eval: Some(encoder.evals).filter(|_| encoded.evals),
    })
}
