//! Databases created on the spot.
// Each test file compiles its own copy and uses a part of it.
#![allow(dead_code, unreachable_pub)]

use chessdb_ca::{A02_FILE, CA, D02_FILE};
use chessdb_core::model::Token;
use chessdb_core::options::Mode;
use chessdb_core::{
    BaseInfo, FileSet, Game, GameStore, MemorySet, ReadOptions, Result, Scratch, WriteOptions,
};
use chessdb_testkit::identity;

/// Codes of the first moves.
pub const E4: u8 = 0x13;
pub const E5: u8 = 0x13;
pub const C5: u8 = 0x0B;
pub const NF3: u8 = 0x2B;
pub const NC6: u8 = 0x27;
pub const OPEN: u8 = 231;
pub const CLOSE: u8 = 232;

/// Writes these games as a database; nothing may be lost.
pub fn base_of(games: &[Game]) -> MemorySet {
    let (set, losses) = identity::write_all(&CA, games, WriteOptions::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    set
}

/// Returns a database with these records, each preceded by its length, and empty headers.
pub fn with_records(records: &[&[u8]]) -> MemorySet {
    let mut set = base_of(&vec![Game::new(); records.len()]);
    let mut d02 = vec![0];
    let mut a02 = Vec::new();
    for record in records {
        a02.extend((d02.len() as u32).to_le_bytes());
        d02.extend_from_slice(record);
    }
    set.insert(D02_FILE, d02);
    set.insert(A02_FILE, a02);
    set
}

/// Returns a record of these codes.
pub fn record(body: &[u8]) -> Vec<u8> {
    let mut record = match body.len() {
        length @ 0..128 => vec![length as u8],
        length => vec![length as u8 | 128, (length >> 7) as u8],
    };
    record.extend_from_slice(body);
    record
}

/// The result of reading a game: the game, its text, and the diagnostics in lenient and strict
/// mode.
pub struct Reading {
    pub game: Game,
    pub text: String,
    pub said: Vec<String>,
    pub strict: Result<()>,
}

/// Reads game `n`, counted from 0.
pub fn read(set: &MemorySet, n: u32) -> Reading {
    let mut options = ReadOptions::default();
    let store = (CA.open)(set, options.clone()).unwrap();
    let mut scratch = Scratch::new();
    let mut game = Game::new();
    store.game_into(n, &mut game, &mut scratch).unwrap();
    let said = scratch
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.to_string())
        .collect();
    options.mode = Mode::Strict;
    let strict = (CA.open)(set, options)
        .and_then(|store| store.game_into(n, &mut Game::new(), &mut Scratch::new()));
    let text = moves(&game);
    Reading {
        game,
        text,
        said,
        strict,
    }
}

/// Returns the moves with their annotations in one line: `e2e4 $1 {after} <{before}> (c7c5) …`; a
/// bar ends a comment of commands alone.
pub fn moves(game: &Game) -> String {
    use chessdb_core::Event;
    use chessdb_core::model::Place;
    let mut words = Vec::new();
    let mut open = false;
    for (token, event) in game.moves.tokens().zip(game.events()) {
        let word = match event {
            Event::Comment(..) if matches!(token, Token::Comment(_, id) if id.is_none()) => {
                "|".to_owned()
            }
            Event::Move(mv) => mv.to_string(),
            Event::Nag(nag) => format!("${nag}"),
            Event::Comment(Place::After, text) => format!("{{{}}}", text.decode()),
            Event::Comment(Place::Before, text) => format!("<{{{}}}>", text.decode()),
            Event::Open(_) => {
                open = true;
                continue;
            }
            Event::Close => {
                match words.last_mut() {
                    Some(word) if !open => {
                        let word: &mut String = word;
                        word.push(')');
                    }
                    _ => words.push("()".to_owned()),
                }
                open = false;
                continue;
            }
            Event::Extra(extra) => {
                let bytes: String = extra
                    .bytes
                    .iter()
                    .map(|byte| format!("{byte:02x}"))
                    .collect();
                format!("[{}:{bytes}]", extra.field)
            }
            Event::Eval(eval) => format!("[{:?}]", eval.value),
            other => format!("{other:?}"),
        };
        words.push(if std::mem::take(&mut open) { format!("({word}") } else { word });
    }
    words.join(" ")
}

/// Returns the files of a database that was read and rewritten without loss.
pub fn rewritten(set: &MemorySet) -> MemorySet {
    identity::rewrite(&CA, set, &chessdb_core::options::Allow::Nothing)
        .unwrap()
        .set
}

/// Returns the names, texts and data of a database, for comparison.
pub fn base_text(store: &dyn GameStore) -> String {
    let base: &BaseInfo = store.base();
    let text = |id| base.texts.get(id).decode().into_owned();
    let mut out = format!("{:?}", text(base.description));
    for table in &base.names {
        out.push_str(&format!("\n{:?}", table.role));
        for record in &table.records {
            let player = record.player.map(|player| {
                (
                    text(player.title),
                    player.rating,
                    player.fide_id,
                    player.birthday,
                    player.gender,
                )
            });
            out.push_str(&format!(
                "\n{} {:?} {player:?}",
                record.key,
                text(record.text)
            ));
        }
    }
    for extra in &base.extras {
        out.push_str(&format!("\n{extra:?}"));
    }
    out
}

/// Returns a file of a database.
pub fn file(set: &MemorySet, role: chessdb_core::files::Role) -> Vec<u8> {
    set.get(role).unwrap().to_vec()
}
