//! Writes a database of many distinct games for measurements:
//! `cargo run --release -p chessdb-proof --example distinct_games -- SOURCE TARGET GAMES`
//!
//! Each game begins like a random game of the source, up to a random half-move from 12 to 40, so
//! that openings have the frequencies of the source. Random legal moves follow, until the game is
//! as long as that game, so that hardly any two games are equal. The header is that game's. The same
//! source and number give the same games with any number of threads.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use chessdb::core::limits::Limits;
use chessdb::core::options::Allow;
use chessdb::core::rules::legal_moves;
use chessdb::core::{Game, PackedMove};
use chessdb::{Database, Writer};
use chessdb_testkit::rng::Rng;

const SEED: u64 = 20_261_126;
const BATCH: u64 = 1024;
/// The half-moves that are kept, and the minimum number of random ones after them.
const KEPT: std::ops::RangeInclusive<usize> = 12..=40;
const LEAST_TAIL: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [source, target, games] = args.as_slice() else {
        return Err("SOURCE TARGET GAMES".into());
    };
    let games: u64 = games.parse()?;
    let source = Database::open(source)?;
    let mut models = Vec::new();
    for game in source.games() {
        let game: Game = (*game?).clone();
        if game.header.start.is_standard() && game.mainline().count() >= *KEPT.start() {
            models.push(game);
        }
    }
    if models.is_empty() {
        return Err("no game of the source is long enough".into());
    }
    let models = &models;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut writer = Writer::options().allow(Allow::Everything).create(target)?;
    thread::scope(|scope| -> Result<(), Box<dyn Error>> {
        let start = |first: u64| -> Receiver<Vec<Game>> {
            let (give, take) = sync_channel(2);
            scope.spawn(move || {
                for batch in (first..games.div_ceil(BATCH)).step_by(threads) {
                    let mut rng = Rng::new(SEED ^ batch << 20);
                    let numbers = batch * BATCH..((batch + 1) * BATCH).min(games);
                    let batch_games = numbers.map(|_| make(models, &mut rng));
                    if give.send(batch_games.collect()).is_err() {
                        break;
                    }
                }
            });
            take
        };
        let receivers: Vec<_> = (0..threads as u64).map(start).collect();
        let mut receivers = receivers.iter().cycle();
        while let Some(batch) = receivers.next().and_then(|receiver| receiver.recv().ok()) {
            for game in batch {
                writer.write(&game)?;
            }
        }
        Ok(())
    })?;
    println!("{} games", writer.finish()?);
    Ok(())
}

fn make(models: &[Game], rng: &mut Rng) -> Game {
    let Some(model) = models.get(rng.below(models.len())) else {
        return Game::new();
    };
    let moves: Vec<PackedMove> = model.mainline().collect();
    let length = KEPT.start() + rng.below(KEPT.end() - KEPT.start() + 1);
    let length = length.min(moves.len());
    let mut game = Game::new();
    game.header.clone_from(&model.header);
    game.texts.clone_from(&model.texts);
    let mut board = game.start_board();
    let limits = Limits::default();
    let mut tape = game.moves.builder(&limits);
    let (mut legal, mut done) = (Vec::new(), 0);
    while done < moves.len().max(length + LEAST_TAIL) {
        let mv = match moves.get(done).filter(|_| done < length) {
            Some(&mv) => mv,
            None => {
                legal.clear();
                legal_moves(&board, &mut legal);
                if legal.is_empty() {
                    break;
                }
                rng.pick(&legal)
            }
        };
        let _ = tape.mv(mv);
        board.play(mv);
        done += 1;
    }
    tape.finish();
    game
}
