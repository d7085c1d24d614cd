//! Writing of a database as import of PGN makes it (docs/formats/lucaschess.md, section 9).

use chessdb_core::board::MoveKind;
use chessdb_core::files::FileSink;
use chessdb_core::loss::FormatLimit;
use chessdb_core::model::Token;
use chessdb_core::store::EncodeGame;
use chessdb_core::{
    BaseInfo, Board, Format, Game, LossKind, Losses, Outcome, PackedMove, Result, WriteOptions,
};

use super::format::FORMAT;
use super::store::{BODY, FIRST};
use super::{tags, xpv};
use crate::file::Value;
use crate::row_format::RowFormat;
use crate::write::{
    COLUMN_LOSSES, Columns, GamesTable, PgnRow, RatingOrder, RowWriter, SqliteWriter, WriteRows,
    insert_settings, lose_tag, with_changes,
};

/// The first moves that the mainline of a game without a body cannot hold (section 9).
const CUT_LOSSES: &[LossKind] = &[
    LossKind::NullMove,
    LossKind::Chess960,
    LossKind::GhostEnPassant,
    LossKind::IllegalMove,
];

/// A limit for games with comments, NAGs or variations, whose body has all moves (section 9).
const NULL_MOVES: FormatLimit = FormatLimit::new(
    "null moves in games with annotations",
    0,
    "Lucas Chess, which leaves out such lines",
);

/// The same for Chess960.
const CASTLING: FormatLimit = FormatLimit::new(
    "castling in annotated games of Chess960",
    0,
    "Lucas Chess, which ends the line there",
);

/// Adds losses, writing and the access to files on disk to the description of the format.
pub(super) const fn with_writing(format: Format) -> Format {
    let pgn = chessdb_pgn::PGN.losses.with(&COLUMN_LOSSES);
    with_changes::<Rows>(
        format
            .with_losses(pgn.with(CUT_LOSSES))
            .with_limits(&[NULL_MOVES, CASTLING])
            .with_create(|sink, options| Ok(Box::new(Writer::create(sink, options)?))),
    )
}

/// A writer of databases.
pub type Writer<'a> = RowWriter<'a, Rows>;

/// The rows of games and settings.
#[derive(Default)]
pub struct Rows {
    base: BaseInfo,
    /// The names of the tags of all columns after the first [`FIRST`].
    spellings: Vec<String>,
    /// The number of spellings of an existing file, and those that it remembers.
    adopted: usize,
    known: Vec<(Vec<u8>, Vec<u8>)>,
}

/// The tables (section 1).
const TABLES: &str = "
CREATE TABLE Games(XPV VARCHAR,_DATA_ BLOB,PLYCOUNT INT);
CREATE INDEX XPV_INDEX ON Games (XPV);
CREATE TABLE Config( KEY TEXT PRIMARY KEY, VALUE BLOB );";

const INSERT_CONFIG: &str = "INSERT INTO Config (KEY, VALUE) VALUES (?1, ?2)";
const SET_CONFIG: &str = "INSERT INTO Config (KEY, VALUE) VALUES (?1, ?2) \
    ON CONFLICT (KEY) DO UPDATE SET VALUE = excluded.VALUE";

/// The options that let the program open any database: a pickle of `True`.
const OPTIONS: [&str; 4] = [
    "ALLOWS_DUPLICATES",
    "ALLOWS_POSITIONS",
    "ALLOWS_COMPLETE_GAMES",
    "ALLOWS_ZERO_MOVES",
];
const TRUE: &[u8] = b"\x80\x04\x88.";

/// The encoder of games.
#[derive(Clone, Default, Debug)]
pub struct GameEncoder;

impl EncodeGame for GameEncoder {
    type Encoded = EncodedGame;

    fn encode(&self, game: &Game, encoded: &mut EncodedGame, losses: &mut Losses) -> Result<bool> {
        encoded.fill(game, losses);
        let movetext = &encoded.row.moves;
        let body = || [BODY, movetext, b"\n\n"].concat();
        encoded.body = encoded.has_body.then(body);
        Ok(true)
    }
}

/// An encoded game.
#[derive(Default)]
pub struct EncodedGame {
    row: PgnRow,
    /// The tags that have a column: its place, its name and the value.
    tags: Vec<(usize, String, Vec<u8>)>,
    /// Start position and mainline as far as the column can hold it.
    moves: Vec<u8>,
    plies: u32,
    /// Whether the game needs a body, and the body.
    has_body: bool,
    body: Option<Vec<u8>>,
    /// The first move of the mainline that the column cannot hold, as a loss.
    cut: Option<LossKind>,
    /// The number of moves after that one.
    rest: u32,
}

impl EncodedGame {
    fn fill(&mut self, game: &Game, losses: &mut Losses) {
        self.row.fill(game, losses);
        self.moves.clear();
        (self.plies, self.has_body, self.cut, self.rest) = (0, false, None, 0);
        if !game.has_known_start() {
            self.has_body = true;
            return;
        }
        if let Some(fen) = self.row.tag("FEN") {
            self.moves = [b"|", fen, b"|"].concat();
        }
        // Without a body, the tag states the result.
        let result = self.row.tag("Result").and_then(Outcome::from_pgn);
        let is_stated = result.unwrap_or(Outcome::Unknown) == game.header.outcome;
        self.has_body = !is_stated || !game.has_standard_rules();
        self.mainline(game);
        // The program makes no body for a mainline alone, and shows none of its moves if there is one.
        if let Some(kind) = self.cut.filter(|_| !self.has_body) {
            self.end_early(kind, losses);
        }
    }

    /// Counts the moves that the column cannot hold, except those that PGN has lost already.
    fn end_early(&self, kind: LossKind, losses: &mut Losses) {
        let counted = if losses.is_cut() { losses.count(LossKind::MovesCut) + 1 } else { 0 };
        // The last moves are lost first: PGN cannot hold what depends on an illegal move.
        if counted <= self.rest {
            let ply = Some(self.plies);
            losses.cut(kind, ply);
            losses.add_many(LossKind::MovesCut, self.rest - counted, ply);
        }
    }

    /// Encodes the mainline up to the first move that the program cannot hold.
    fn mainline(&mut self, game: &Game) {
        let mut board: Board = game.start_board();
        let is_chess960 = game.is_chess960();
        let mut depth = 0_u32;
        for token in game.moves.tokens() {
            match token {
                Token::Open(_) => depth += 1,
                Token::Close => depth = depth.saturating_sub(1),
                Token::Move(mv) if depth == 0 => {
                    if self.cut.is_some() {
                        self.rest += 1;
                        continue;
                    }
                    let from = self.moves.len();
                    let is_castling = is_chess960 && is_castling(mv);
                    let has_code = !is_castling && xpv::encode(mv, &mut self.moves);
                    let code = self.moves.get(from..).unwrap_or_default();
                    if !has_code || xpv::find(code, &board) != Some(mv) {
                        self.moves.truncate(from);
                        let kind = if mv.is_null() {
                            LossKind::NullMove
                        } else if is_castling {
                            LossKind::Chess960
                        } else {
                            LossKind::of_illegal(mv)
                        };
                        self.cut = Some(kind);
                        continue;
                    }
                    board.play(mv);
                    self.plies += 1;
                    continue;
                }
                _ => {}
            }
            self.has_body = true;
        }
    }
}

impl<'a> Writer<'a> {
    /// Starts a database.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink or the temporary file fails, or if something of the database as
    /// a whole would be lost and this is not allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        let mut writer = RowWriter::<Rows>::start(sink, TABLES, &[], &options)?;
        writer.rows.base = options.base;
        Ok(writer)
    }
}

impl Rows {
    /// Returns the tags of a game with the places of their columns; places after the last column are
    /// those of new columns. Counts the other tags as lost.
    fn tags(
        &self,
        columns: &Columns,
        game: &Game,
        row: &PgnRow,
        losses: &mut Losses,
    ) -> Vec<(usize, String, Vec<u8>)> {
        let mut stored: Vec<(usize, String, Vec<u8>)> = Vec::new();
        let mut next = columns.len();
        let mut ratings = RatingOrder::new(game, row, columns);
        let has_fen = row.tag("FEN").is_some();
        for (name, value) in row.tags() {
            // Without a FEN, readers ignore this tag as a remainder of import.
            if name == "SetUp" && value == b"1" && !has_fen {
                losses.add(LossKind::Tag, None);
                continue;
            }
            let is_twin = stored
                .iter()
                .any(|(_, other, _)| other.eq_ignore_ascii_case(name));
            let place = match columns.place(name) {
                _ if is_twin => None,
                Some(place) => {
                    let index = place.checked_sub(FIRST.len());
                    let spelling = index.and_then(|n| self.spellings.get(n));
                    Some(place).filter(|_| spelling.is_some_and(|spelling| spelling == name))
                }
                None if columns.has_room() && is_read_as(name) => Some(next),
                None => None,
            };
            match place.filter(|&place| ratings.add(name, place)) {
                Some(place) => {
                    next += usize::from(place == next);
                    stored.push((place, name.to_owned(), value.to_vec()));
                }
                None => lose_tag(game, name, !is_twin, losses),
            }
        }
        stored
    }
}

impl WriteRows for Rows {
    type Encoder = GameEncoder;

    const FORMAT: &'static RowFormat = &FORMAT;

    fn fit(&self, columns: &Columns, game: &Game, encoded: &mut EncodedGame, losses: &mut Losses) {
        encoded.tags = self.tags(columns, game, &encoded.row, losses);
    }

    fn row<'r>(
        &mut self,
        table: &mut GamesTable<'_>,
        _: i64,
        _: &Game,
        encoded: &'r EncodedGame,
    ) -> Result<Vec<Value<'r>>> {
        for (place, name, _) in &encoded.tags {
            if *place >= table.columns.len() {
                table.add_column(&name.to_ascii_uppercase(), "VARCHAR")?;
                self.spellings.push(name.clone());
            }
        }
        let fixed = [
            Value::Text(&encoded.moves),
            encoded.body.as_deref().map_or(Value::Null, Value::Blob),
            Value::Int(encoded.plies.into()),
        ];
        let texts = encoded
            .tags
            .iter()
            .map(|(place, _, value)| (*place, Value::Text(value)));
        let values = fixed.into_iter().enumerate().chain(texts);
        Ok(table.columns.row(values))
    }

    /// Returns the limits of the program that the body of the game exceeds.
    fn exceeded(encoded: &EncodedGame, game: &Game) -> [Option<&'static FormatLimit>; 2] {
        let moves = || {
            game.moves.tokens().filter_map(|token| match token {
                Token::Move(mv) if encoded.has_body => Some(mv),
                _ => None,
            })
        };
        let has_null = moves().any(PackedMove::is_null);
        let has_castling = game.is_chess960() && moves().any(is_castling);
        [
            has_null.then_some(&NULL_MOVES),
            has_castling.then_some(&CASTLING),
        ]
    }

    fn adopt(&mut self, table: &mut GamesTable<'_>) -> Result<()> {
        let pickle = table
            .file
            .blob("SELECT VALUE FROM Config WHERE KEY = 'dcabs'")?;
        self.known = tags::pairs(pickle.as_deref());
        let names = table.columns.names().skip(FIRST.len());
        self.spellings = names.map(|name| tags::spelled(name, &self.known)).collect();
        self.adopted = self.spellings.len();
        Ok(())
    }

    /// Returns whether a row has no body or one that import writes. Other bodies contain tags too, and
    /// determine how the columns are read.
    fn is_plain(&self, file: &mut SqliteWriter<'_>, row: i64) -> Result<bool> {
        let stored = file.find_int(
            "SELECT ifnull(length(_DATA_), 0) = 0 OR substr(CAST(_DATA_ AS BLOB), 1, 5) = \
             CAST('BODY ' AS BLOB) FROM Games WHERE rowid = ?1",
            &[Value::Int(row)],
        )?;
        Ok(stored == Some(1))
    }

    fn finish_existing(&mut self, file: &mut SqliteWriter<'_>) -> Result<()> {
        // Only new columns change what the database remembers.
        if let Some(new @ [_, ..]) = self.spellings.get(self.adopted..) {
            self.known.extend(with_capitals(new));
            let row = [Value::Text(b"dcabs"), Value::Blob(&pickle_of(&self.known))];
            file.insert(SET_CONFIG, &row)?;
        }
        Ok(())
    }

    fn finish_new(&mut self, file: &mut SqliteWriter<'_>, _: u32) -> Result<()> {
        for key in OPTIONS {
            let row = [Value::Text(key.as_bytes()), Value::Blob(TRUE)];
            file.insert(INSERT_CONFIG, &row)?;
        }
        insert_settings(file, SET_CONFIG, &self.base, FORMAT.known.format)?;
        let spellings = pickle_of(&with_capitals(&self.spellings).collect::<Vec<_>>());
        let row = [Value::Text(b"dcabs"), Value::Blob(&spellings)];
        file.insert(INSERT_CONFIG, &row)
    }
}

/// Returns the names of tags, each after the capitals of its column.
fn with_capitals(names: &[String]) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
    names
        .iter()
        .map(|name| (name.to_ascii_uppercase().into(), name.clone().into()))
}

/// Returns whether the name of a tag is read again from a column in capitals.
fn is_read_as(name: &str) -> bool {
    tags::USUAL
        .iter()
        .find(|tag| tag.eq_ignore_ascii_case(name))
        .is_none_or(|tag| *tag == name)
        && name != "PlyCount"
}

fn is_castling(mv: PackedMove) -> bool {
    matches!(mv.kind(), MoveKind::CastleShort | MoveKind::CastleLong)
}

/// Returns the pickle of a dictionary from capitals to the names of tags.
fn pickle_of(names: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let mut pickle = b"\x80\x04}(".to_vec();
    for text in names.iter().flat_map(|(capitals, name)| [capitals, name]) {
        pickle.push(b'X');
        pickle.extend(u32::try_from(text.len()).unwrap_or(0).to_le_bytes());
        pickle.extend(text);
    }
    pickle.extend(b"u.");
    pickle
}
