//! Games as PGN, as rows of a list, and as moves.

use std::ffi::{c_char, c_int};

use chessdb::columns::Column;
use chessdb::core::Event;
use chessdb::core::board::UciNotation;
use chessdb::core::line::Walk;
use chessdb::core::rules::write_san;
use chessdb::pgn::{Layout, write_game};
use chessdb::{Database, Game};

use crate::boundary::{self, Failure, guard, optional_text, remember, to_c};
use crate::open::{DATABASES, index_of};
use crate::{ERROR, completion};

/// A half-move: `chessdb_move`. Later versions append members.
#[repr(C)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Move {
    /// The number of half-moves before it in its line.
    pub ply: u32,
    /// 0 in the main line, 1 in a variation of it, and so on.
    pub depth: u16,
    /// The square that the piece leaves: a1 is 0, b1 is 1, h8 is 63.
    pub from: u8,
    /// The square that it reaches.
    pub to: u8,
    /// The piece that a pawn becomes, one of "nbrq", or 0.
    pub promotion: u8,
    /// The move in standard algebraic notation; the rest is 0.
    pub san: [u8; 15],
}

/// Reads game `number`, counted from 1.
fn read(db: &Database, number: u32) -> Result<Game, Failure> {
    let index = number.checked_sub(1).ok_or("games are counted from 1")?;
    Ok(db.game(index)?)
}

/// Stores a game as PGN.
///
/// # Safety
///
/// `pgn` must be null or the place of a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_game_pgn(
    db: *const Database,
    number: u32,
    pgn: *mut *mut c_char,
) -> c_int {
    guard(ERROR, || {
        // SAFETY: the caller promises that the place is writable, or null.
        let pgn = unsafe { boundary::output(pgn)? }.ok_or(NO_PLACE)?;
        let game = read(&*DATABASES.get(db)?, number)?;
        let mut written = Vec::new();
        let losses = write_game(&game, &Layout::default(), &mut written);
        let mut missing: Vec<String> = game.fault().into_iter().collect();
        missing.extend(
            losses
                .iter()
                .map(|loss| format!("{} {}", loss.count, loss.kind)),
        );
        *pgn = to_c(&String::from_utf8_lossy(&written))?;
        Ok(completion(missing))
    })
}

const NO_PLACE: &str = "the place of the result is NULL";

/// Stores values of games as rows of a list.
///
/// # Safety
///
/// `numbers` must be an array of at least `count` numbers, `columns` null or a text that ends with a
/// zero byte, and `rows` null or the place of a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_rows(
    db: *const Database,
    numbers: *const u32,
    count: usize,
    columns: *const c_char,
    rows: *mut *mut c_char,
) -> c_int {
    guard(ERROR, || {
        // SAFETY: the caller promises that the place is writable, or null.
        let rows = unsafe { boundary::output(rows)? }.ok_or(NO_PLACE)?;
        // SAFETY: the caller promises the array and the text.
        let (numbers, columns) =
            unsafe { (boundary::input(numbers, count)?, optional_text(columns)?) };
        let columns = match columns {
            Some(names) => names
                .split(',')
                .map(str::parse)
                .collect::<Result<_, String>>()?,
            None => Column::defaults().collect::<Vec<_>>(),
        };
        let db = DATABASES.get(db)?;
        let name = db.path().and_then(|path| path.file_name());
        let name = name.unwrap_or_default().to_string_lossy();
        let needs_moves = columns
            .iter()
            .any(|column| column.needs_moves() || column.is_tag());
        let mut missing = Vec::new();
        let mut text = Vec::new();
        for &number in numbers {
            let index = index_of(number, &db)?;
            let game = if needs_moves { db.game(index) } else { db.header(index) };
            append_row(&name, game.as_ref().ok(), &columns, &mut text);
            missing.extend(match game {
                Ok(game) => game.fault().map(|fault| format!("game {number}: {fault}")),
                Err(error) => Some(error.to_string()),
            });
        }
        *rows = to_c(&String::from_utf8_lossy(&text))?;
        Ok(completion(missing.into_iter().take(1).collect()))
    })
}

/// Appends the row of a game of this database; a game that cannot be read has empty values.
fn append_row(database: &str, game: Option<&Game>, columns: &[Column], text: &mut Vec<u8>) {
    for (place, column) in columns.iter().enumerate() {
        if place > 0 {
            text.push(b'\t');
        }
        if let Some(game) = game {
            column.append(database, game, text);
        }
    }
    text.push(b'\n');
}

/// Stores the moves of a game.
///
/// # Safety
///
/// `moves` must be an array of at least `capacity` moves of `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_game_moves(
    db: *const Database,
    number: u32,
    moves: *mut Move,
    capacity: usize,
    size: usize,
) -> i64 {
    guard(ERROR.into(), || {
        // SAFETY: the caller promises the array.
        let mut places = unsafe { boundary::records(moves, capacity, size)? };
        let game = read(&*DATABASES.get(db)?, number)?;
        let mut count = 0;
        each_move(&game, &mut |mv| {
            places.put(mv);
            count += 1;
        })?;
        if let Some(fault) = game.fault() {
            remember(&fault);
        }
        Ok(count)
    })
}

/// Passes the moves of all lines, each variation after the move that it replaces.
fn each_move(game: &Game, visit: &mut dyn FnMut(Move)) -> Result<(), Failure> {
    let notation = UciNotation::from_game(game);
    let mut walk = Walk::plain(game).map_err(|error| error.to_string())?;
    let mut san = Vec::new();
    while let Some(event) = walk.step() {
        let Event::Move(mv) = event else { continue };
        let lines = walk.lines();
        san.clear();
        write_san(lines.board(), mv, &mut san);
        let mut data = Move {
            ply: lines.ply(),
            depth: u16::try_from(lines.depth()).unwrap_or(u16::MAX),
            from: mv.from().rank_major(),
            to: notation.target(mv).rank_major(),
            promotion: mv
                .promotion()
                .map_or(0, |piece| piece.letter().to_ascii_lowercase()),
            ..Move::default()
        };
        // The last byte stays 0, so that the text ends there at the latest.
        let places = data.san.iter_mut().take(14);
        places.zip(&san).for_each(|(place, byte)| *place = *byte);
        visit(data);
    }
    Ok(())
}
