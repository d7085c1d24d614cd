//! Writing of a database as import of PGN makes it (docs/formats/lucaschess.md, section 9).

use chessdb_core::board::MoveKind;
use chessdb_core::files::{FileSink, Role};
use chessdb_core::loss::FormatLimit;
use chessdb_core::model::Token;
use chessdb_core::options::Allow;
use chessdb_core::store::{EncodeGame, GameCopy, WriteEncoded, WriterState};
use chessdb_core::{
    BaseInfo, Board, Format, Game, LossKind, Losses, Outcome, PackedMove, Result, WriteOptions,
};

use super::format::{KNOWN, LCDB, WAL};
use super::store::{BODY, FIRST};
use super::{tags, xpv};
use crate::extras::Known;
use crate::file::Value;
use crate::write::{
    COLUMN_LOSSES, Columns, PgnRow, RatingOrder, SqliteWriter, append, base_losses, change,
    insert_settings, lose_tag, with_disk,
};
use crate::write::{CopiedRows, RowWriter, impl_game_copy};

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
    with_disk(
        format
            .with_losses(
                chessdb_pgn::PGN
                    .losses
                    .with(&COLUMN_LOSSES)
                    .with(CUT_LOSSES),
            )
            .with_limits(&[NULL_MOVES, CASTLING])
            .with_create(|sink, options| Ok(Box::new(Writer::create(sink, options)?)))
            .with_change(|base, options| change::<Writer<'_>>(base, options))
            .with_append(|base, options| append::<Writer<'_>>(base, options)),
    )
}

/// A writer of databases.
pub struct Writer<'a> {
    file: SqliteWriter<'a>,
    state: WriterState<GameEncoder>,
    base: BaseInfo,
    columns: Columns,
    /// The names of the tags of all columns after the first [`FIRST`].
    spellings: Vec<String>,
    copied: Option<Box<CopiedRows>>,
    /// The number of columns of the old file, and the spellings that it remembers.
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
#[derive(Clone, Debug)]
pub struct GameEncoder;

impl EncodeGame for GameEncoder {
    type Encoded = EncodedGame;

    fn encode(&self, game: &Game, encoded: &mut EncodedGame, losses: &mut Losses) -> Result<bool> {
        encoded.fill(game, losses);
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
    /// Whether the game needs a body.
    has_body: bool,
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

    /// Returns the body, if the game needs one.
    fn body(&self) -> Option<Vec<u8>> {
        self.has_body
            .then(|| [BODY, &self.row.moves, b"\n\n"].concat())
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

    /// Returns the limits of the program that the body of the game exceeds.
    fn limits(&self, game: &Game) -> [Option<&'static FormatLimit>; 2] {
        let moves = || {
            game.moves.tokens().filter_map(|token| match token {
                Token::Move(mv) if self.has_body => Some(mv),
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
}

impl<'a> Writer<'a> {
    /// Starts a database.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink or the temporary file fails, or if something of the database as
    /// a whole would be lost and this is not allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        let compacts = options.renumbers_names;
        let WriteOptions { allow, base, .. } = options;
        let lost = base_losses(&base, &[], KNOWN.format);
        let state = WriterState::new(GameEncoder, allow, lost)?;
        let mut file = SqliteWriter::create(sink, LCDB, TABLES)?;
        file.compacts = compacts;
        Ok(Writer::with_file(file, state, base))
    }

    fn with_file(
        file: SqliteWriter<'a>,
        state: WriterState<GameEncoder>,
        base: BaseInfo,
    ) -> Writer<'a> {
        Writer {
            file,
            state,
            base,
            columns: Columns::new(&FIRST),
            spellings: Vec::new(),
            copied: None,
            adopted: FIRST.len(),
            known: Vec::new(),
        }
    }

    /// Returns the tags of a game with the places of their columns; places after the last column are
    /// those of new columns. Counts the other tags as lost.
    fn tags(
        &self,
        game: &Game,
        row: &PgnRow,
        losses: &mut Losses,
    ) -> Vec<(usize, String, Vec<u8>)> {
        let mut stored: Vec<(usize, String, Vec<u8>)> = Vec::new();
        let mut next = self.columns.len();
        let mut ratings = RatingOrder::new(game, row, &self.columns);
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
            let place = match self.columns.place(name) {
                _ if is_twin => None,
                Some(place) => {
                    let index = place.checked_sub(FIRST.len());
                    let spelling = index.and_then(|n| self.spellings.get(n));
                    Some(place).filter(|_| spelling.is_some_and(|spelling| spelling == name))
                }
                None if self.columns.has_room() && is_read_as(name) => Some(next),
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

    /// Returns the row of a game. New columns are added to the table.
    fn row<'r>(
        &mut self,
        encoded: &'r EncodedGame,
        body: &'r Option<Vec<u8>>,
    ) -> Result<Vec<Value<'r>>> {
        for (place, name, _) in &encoded.tags {
            if *place >= self.columns.len() {
                let (_, statement) = self.columns.add(&name.to_ascii_uppercase(), "VARCHAR");
                self.spellings.push(name.clone());
                self.file.execute(&statement)?;
            }
        }
        let fixed = [
            Value::Text(&encoded.moves),
            body.as_deref().map_or(Value::Null, Value::Blob),
            Value::Int(encoded.plies.into()),
        ];
        let texts = encoded
            .tags
            .iter()
            .map(|(place, _, value)| (*place, Value::Text(value)));
        Ok(self.columns.row(fixed.into_iter().enumerate().chain(texts)))
    }
}

impl<'a> RowWriter<'a> for Writer<'a> {
    const KNOWN: &'static Known = &KNOWN;
    const ROLE: Role = LCDB;
    const LOG: Role = WAL;
    const TABLES: &'static [(&'static str, &'static [&'static str])] =
        &[("Games", &FIRST), ("Config", &["KEY", "VALUE"])];

    fn over(file: SqliteWriter<'a>, allow: Allow, before: u32) -> Result<Writer<'a>> {
        let state = WriterState::appending(GameEncoder, allow, before);
        Ok(Writer::with_file(file, state, BaseInfo::default()))
    }

    fn file(&mut self) -> &mut SqliteWriter<'a> {
        &mut self.file
    }

    fn copied(&mut self) -> &mut Option<Box<CopiedRows>> {
        &mut self.copied
    }

    fn adopt(&mut self) -> Result<()> {
        self.columns.adopt(self.file.columns("Games")?);
        let pickle = self
            .file
            .blob("SELECT VALUE FROM Config WHERE KEY = 'dcabs'")?;
        self.known = tags::pairs(pickle.as_deref());
        let names = self.columns.names().skip(FIRST.len());
        self.spellings = names.map(|name| tags::spelled(name, &self.known)).collect();
        self.adopted = self.columns.len();
        Ok(())
    }

    fn change(&mut self, row: i64, old: &Game, new: &Game) -> Result<Losses> {
        let [mut before, mut after] = [EncodedGame::default(), EncodedGame::default()];
        let [mut old_losses, mut losses] = [Losses::new(), Losses::new()];
        before.fill(old, &mut old_losses);
        after.fill(new, &mut losses);
        let bodies = [before.body(), after.body()];
        // The new version comes first: it may add columns, which the old row then has without
        // values.
        self.fit(new, &mut after, &mut losses);
        let new_row = self.row(&after, &bodies[1])?;
        self.fit(old, &mut before, &mut old_losses);
        let old_row = self.row(&before, &bodies[0])?;
        // Other bodies contain tags too, and determine how the columns are read.
        let stored = self.file.find_int(
            "SELECT ifnull(length(_DATA_), 0) = 0 OR substr(CAST(_DATA_ AS BLOB), 1, 5) = \
             CAST('BODY ' AS BLOB) FROM Games WHERE rowid = ?1",
            &[Value::Int(row)],
        )?;
        let is_plain = stored == Some(1);
        let (rows, columns) = (self.copied.as_deref(), self.columns.names());
        let old_row = is_plain.then_some(&old_row[..]);
        self.file.update(rows, row, columns, old_row, &new_row)?;
        Ok(if is_plain { losses.beyond(&old_losses) } else { losses })
    }
}

impl_game_copy!(Writer);

impl WriteEncoded for Writer<'_> {
    type Encoder = GameEncoder;

    fn state(&self) -> &WriterState<GameEncoder> {
        &self.state
    }

    fn state_mut(&mut self) -> &mut WriterState<GameEncoder> {
        &mut self.state
    }

    fn fit(&self, game: &Game, encoded: &mut EncodedGame, losses: &mut Losses) -> bool {
        encoded.tags = self.tags(game, &encoded.row, losses);
        true
    }

    fn put(&mut self, game: &Game, encoded: &mut EncodedGame) -> Result<()> {
        let body = encoded.body();
        let row = self.row(encoded, &body)?;
        self.file.insert(self.columns.insert(), &row)?;
        for limit in encoded.limits(game).into_iter().flatten() {
            self.state.compare_limit(limit, 1);
        }
        Ok(())
    }

    fn game_copy(&mut self) -> Option<&mut dyn GameCopy> {
        Some(self)
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        if let Some(rows) = self.copied.take() {
            self.file.compacts &= rows.has_no_others();
            let old = self.adopted - FIRST.len();
            // Only new columns change what the database remembers.
            if let Some(new @ [_, ..]) = self.spellings.get(old..) {
                self.known.extend(with_capitals(new));
                let row = [Value::Text(b"dcabs"), Value::Blob(&pickle_of(&self.known))];
                self.file.insert(SET_CONFIG, &row)?;
            }
            return self.file.finish();
        }
        for key in OPTIONS {
            let row = [Value::Text(key.as_bytes()), Value::Blob(TRUE)];
            self.file.insert(INSERT_CONFIG, &row)?;
        }
        insert_settings(&mut self.file, SET_CONFIG, &self.base, KNOWN.format)?;
        let spellings = pickle_of(&with_capitals(&self.spellings).collect::<Vec<_>>());
        let row = [Value::Text(b"dcabs"), Value::Blob(&spellings)];
        self.file.insert(INSERT_CONFIG, &row)?;
        self.file.finish()
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
