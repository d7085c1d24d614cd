//! A game for the page: its header and its moves, with the position after each.

use chessdb::Problem;
use chessdb::core::rules::san;
use chessdb::core::{Color, ErrorKind, Severity};
use chessdb::query::openings::opening;
use serde_json::{Value, json};

use crate::failure::Result;
use crate::page::open_database::OpenDatabase;
use crate::page::rows;
use crate::tokens::{fen, fen_after, result, tokens};

/// Longer games are truncated; no game that was actually played comes close.
const MOST_TOKENS: usize = 60_000;

/// Returns the game as an object. A move is the token `m` with its number, whether it is Black's, its
/// SAN and UCI, and the FEN of the position after it; [`tokens`] lists the others.
pub(crate) fn game(base: &mut OpenDatabase, index: u32) -> Result<Value> {
    let hit = base.hits.get(&index).copied();
    let mut game = std::mem::take(&mut base.game);
    let read = base.db().game_into(index, &mut game);
    let (fault, kinds) = match read {
        Ok(()) => (game.fault(), fault_kinds(&game)),
        Err(error) if error.game().is_some() => {
            base.db().header_into(index, &mut game)?;
            let kinds = match error.problem() {
                Problem::Format(inner) => json!([kind_ids(inner.kind())]),
                _ => json!([]),
            };
            (Some(error.to_string()), kinds)
        }
        Err(error) => return Err(error.into()),
    };
    let (tokens, is_cut) = tokens(&game, MOST_TOKENS, |tokens, board, mv, uci| {
        let (number, black) = (board.fullmove_number(), board.turn() == Color::Black);
        let (san, after) = (san(board, mv), fen_after(board, mv));
        tokens.push(json!(["m", number, black, san, uci.to_string(), after]));
    })?;
    let tags: Vec<Value> = game
        .tags()
        .map(|(name, value)| json!([name, value]))
        .collect();
    let setup = game.start();
    let mut flags = Vec::new();
    game.header.flags.write_letters(&mut flags);
    let flags: String = flags.into_iter().map(char::from).collect();
    let value = json!({
        "game": index,
        "white": game.white(),
        "black": game.black(),
        "whiteElo": game.elo(Color::White),
        "blackElo": game.elo(Color::Black),
        "event": rows::short(&game.event()),
        "site": rows::short(&game.site()),
        "round": rows::short(&game.round()),
        "date": game.effective_date().to_string(),
        "eco": game.eco().map(|eco| eco.to_string()),
        // A name next to the code of another opening would contradict it.
        "opening": opening(&game)
            .filter(|opening| game.eco().is_none_or(|eco| eco.code == opening.eco.code))
            .map(|opening| opening.name),
        "result": result(game.result()),
        "annotator": game.annotator(),
        "moves": game.plies().div_ceil(2),
        "start": fen(&setup.board),
        "isSetup": !setup.is_standard(),
        "tags": tags,
        "fault": fault,
        "faultKinds": kinds,
        "isCut": is_cut,
        "hit": hit,
        "flags": flags,
        "isUnsaved": base.is_unsaved(index),
        "tokens": tokens,
    });
    base.game = game;
    Ok(value)
}

/// Returns the ids of a kind of error, for which the page has words.
fn kind_ids(kind: &ErrorKind) -> Value {
    json!([kind.code(), kind.detail()])
}

/// Returns the ids of what is missing in a game, without repetition.
fn fault_kinds(game: &chessdb::Game) -> Value {
    let lost = game.diagnostics().iter();
    let lost = lost.filter(|diagnostic| diagnostic.severity == Severity::Lost);
    let mut kinds: Vec<Value> = lost.map(|diagnostic| kind_ids(&diagnostic.kind)).collect();
    kinds.dedup();
    Value::Array(kinds)
}
