//! Writing of a database as import of PGN makes it (docs/formats/lucaschess.md, section 9).

use chessdb_core::board::MoveKind;
use chessdb_core::files::FileSink;
use chessdb_core::files::Role;
use chessdb_core::loss::{FormatLimit, LimitExceeded};
use chessdb_core::model::Token;
use chessdb_core::options::Allow;
use chessdb_core::store::GameCopy;
use chessdb_core::{
    BaseInfo, Board, Game, GameWrite, LossKind, Losses, Outcome, PackedMove, Result, WriteOptions,
};

use super::format::{CASTLING, KNOWN, LCDB, NULL_MOVES};
use super::store::BODY;
use super::{tags, xpv};
use crate::extras::Known;
use crate::file::Value;
use crate::write::{
    Columns, PgnRow, RatingOrder, SqliteWriter, base_losses, insert_settings, lose_tag,
    number_after,
};
use crate::write::{CopiedRows, RowWriter, impl_game_copy};

/// A writer of databases.
pub struct Writer<'a> {
    file: SqliteWriter<'a>,
    allow: Allow,
    base: BaseInfo,
    base_losses: Losses,
    exceeded: Vec<LimitExceeded>,
    columns: Columns,
    /// The names of the tags of all columns after the first [`FIRST`].
    spellings: Vec<String>,
    games: u32,
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

/// The columns that are no tags.
pub(super) const FIRST: [&str; 3] = ["XPV", "_DATA_", "PLYCOUNT"];

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

/// An encoded game.
struct EncodedGame {
    row: PgnRow,
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
    fn new(game: &Game) -> EncodedGame {
        let mut encoded = EncodedGame {
            row: PgnRow::new(),
            moves: Vec::new(),
            plies: 0,
            has_body: false,
            cut: None,
            rest: 0,
        };
        encoded.row.fill(game);
        if !game.has_known_start() {
            encoded.has_body = true;
            return encoded;
        }
        if let Some(fen) = encoded.row.tag("FEN") {
            encoded.moves = [b"|", fen, b"|"].concat();
        }
        // Without a body, the tag states the result.
        let result = encoded.row.tag("Result").and_then(Outcome::from_pgn);
        let is_stated = result.unwrap_or(Outcome::Unknown) == game.header.outcome;
        encoded.has_body = !is_stated || !game.has_standard_rules();
        encoded.mainline(game);
        // The program makes no body for a mainline alone, and shows none of its moves if there is one.
        if let Some(kind) = encoded.cut.filter(|_| !encoded.has_body) {
            encoded.end_early(kind);
        }
        encoded
    }

    /// Counts the moves that the column cannot hold, except those that PGN has lost already.
    fn end_early(&mut self, kind: LossKind) {
        let losses = &mut self.row.losses;
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
        let WriteOptions { allow, base, .. } = options;
        let lost = base_losses(&base, &[], KNOWN.format);
        allow.check(&lost)?;
        Ok(Writer {
            file: SqliteWriter::create(sink, LCDB, TABLES)?,
            allow,
            base,
            base_losses: lost,
            exceeded: Vec::new(),
            columns: Columns::new(&FIRST),
            spellings: Vec::new(),
            games: 0,
            copied: None,
            adopted: FIRST.len(),
            known: Vec::new(),
        })
    }

    /// Returns the tags of a game with the places of their columns; places after the last column are
    /// those of new columns. Counts the other tags as lost.
    fn tags<'r>(
        &self,
        game: &Game,
        row: &'r PgnRow,
        losses: &mut Losses,
    ) -> Vec<(usize, &'r str, &'r [u8])> {
        let mut stored: Vec<(usize, &str, &[u8])> = Vec::new();
        let mut next = self.columns.len();
        let mut ratings = RatingOrder::new(game, row, &self.columns);
        let has_fen = row.tag("FEN").is_some();
        for (name, value) in row.tags() {
            // Without a FEN, readers ignore this tag as a remainder of import.
            if name == "SetUp" && value == b"1" && !has_fen {
                losses.add(LossKind::Tag, None);
                continue;
            }
            let is_known =
                |&&(_, other, _): &&(usize, &str, &[u8])| other.eq_ignore_ascii_case(name);
            let is_twin = stored.iter().any(|tag| is_known(&tag));
            let place = match self.columns.place(name) {
                _ if is_twin => None,
                Some(place) => {
                    let index = place.checked_sub(FIRST.len());
                    let spelling = index.and_then(|n| self.spellings.get(n));
                    Some(place).filter(|_| spelling.is_some_and(|spelling| spelling == name))
                }
                None if self.columns.has_room() && tags::is_read_as(name) => Some(next),
                None => None,
            };
            match place.filter(|&place| ratings.add(name, place)) {
                Some(place) => {
                    next += usize::from(place == next);
                    stored.push((place, name, value));
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
        tags: &[(usize, &'r str, &'r [u8])],
    ) -> Result<Vec<Value<'r>>> {
        for &(place, name, _) in tags {
            if place >= self.columns.len() {
                let (_, statement) = self.columns.add(&name.to_ascii_uppercase(), "VARCHAR");
                self.spellings.push(name.to_owned());
                self.file.execute(&statement)?;
            }
        }
        let fixed = [
            Value::Text(&encoded.moves),
            body.as_deref().map_or(Value::Null, Value::Blob),
            Value::Int(encoded.plies.into()),
        ];
        let texts = tags
            .iter()
            .map(|&(place, _, value)| (place, Value::Text(value)));
        Ok(self.columns.row(fixed.into_iter().enumerate().chain(texts)))
    }
}

impl<'a> RowWriter<'a> for Writer<'a> {
    const KNOWN: &'static Known = &KNOWN;
    const ROLE: Role = LCDB;

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
        let [mut before, mut after] = [old, new].map(EncodedGame::new);
        let [mut old_losses, mut losses] =
            [&mut before, &mut after].map(|encoded| std::mem::take(&mut encoded.row.losses));
        let bodies = [before.body(), after.body()];
        // The new version comes first: it may add columns, which the old row then has without
        // values.
        let new_tags = self.tags(new, &after.row, &mut losses);
        let new_row = self.row(&after, &bodies[1], &new_tags)?;
        let old_tags = self.tags(old, &before.row, &mut old_losses);
        let old_row = self.row(&before, &bodies[0], &old_tags)?;
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

    fn count(&mut self) -> Result<()> {
        self.games = number_after(self.games)?;
        Ok(())
    }
}

impl_game_copy!(Writer);

impl GameWrite for Writer<'_> {
    fn assess(&self, game: &Game) -> Losses {
        let mut encoded = EncodedGame::new(game);
        let mut losses = std::mem::take(&mut encoded.row.losses);
        self.tags(game, &encoded.row, &mut losses);
        losses
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let mut encoded = EncodedGame::new(game);
        let mut losses = std::mem::take(&mut encoded.row.losses);
        let tags = self.tags(game, &encoded.row, &mut losses);
        self.allow.check(&losses)?;
        let games = number_after(self.games)?;
        let body = encoded.body();
        let row = self.row(&encoded, &body, &tags)?;
        self.file.insert(self.columns.insert(), &row)?;
        self.games = games;
        for limit in encoded.limits(game).into_iter().flatten() {
            LimitExceeded::note(&mut self.exceeded, limit, games);
        }
        Ok(losses)
    }

    fn copier(&mut self) -> Option<&mut dyn GameCopy> {
        Some(self)
    }

    fn exceeded(&self) -> &[LimitExceeded] {
        &self.exceeded
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn finish(mut self: Box<Self>) -> Result<u32> {
        if self.copied.take().is_some() {
            let added = self.columns.len() > self.adopted;
            if added {
                let added = self.spellings.iter().skip(self.adopted - FIRST.len());
                let added =
                    added.map(|name| (name.to_ascii_uppercase().into(), name.clone().into()));
                self.known.extend(added);
                let row = [Value::Text(b"dcabs"), Value::Blob(&pickle_of(&self.known))];
                self.file.insert(SET_CONFIG, &row)?;
            }
            self.file.finish()?;
            return Ok(self.games);
        }
        for key in OPTIONS {
            let row = [Value::Text(key.as_bytes()), Value::Blob(TRUE)];
            self.file.insert(INSERT_CONFIG, &row)?;
        }
        insert_settings(&mut self.file, SET_CONFIG, &self.base, KNOWN.format)?;
        let spellings = self.spellings.iter();
        let spellings =
            spellings.map(|name| (name.to_ascii_uppercase().into(), name.clone().into()));
        let spellings = pickle_of(&spellings.collect::<Vec<_>>());
        let row = [Value::Text(b"dcabs"), Value::Blob(&spellings)];
        self.file.insert(INSERT_CONFIG, &row)?;
        self.file.finish()?;
        Ok(self.games)
    }
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
