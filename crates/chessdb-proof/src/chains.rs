//! Random chains of conversions: what differs between the first and the last database was announced
//! by one of the conversions in between.
//!
//! [`crate::hop`] judges a single conversion between stores. A chain opens every database as the
//! program does, so that it also covers the guess of a code page, and finds differences that only
//! several conversions together produce.

use chessdb::core::{Charset, Game, MemorySet, compare};
use chessdb::{Converter, Database, Format, LossKind, Losses};
use chessdb_testkit::rng::Rng;
use chessdb_testkit::strategy::{self, GameOptions};

use crate::hop::{Announced, Model};
use crate::matrix;

/// Conversions in one chain.
const HOPS: usize = 5;

/// Games that enter one chain.
const GAMES: usize = 8;

/// The result of one chain.
#[derive(Default, Debug)]
pub struct Chain {
    /// The ids of the formats, in the order of the conversions.
    pub formats: Vec<&'static str>,
    /// Games that reached the end.
    pub games: usize,
    /// Descriptions of the problems, each with its place.
    pub problems: Vec<String>,
}

/// A game on its way through a chain.
struct Traveller {
    first: Game,
    /// Whether a format that keeps the layout of comments took them from text with wrapped lines, so
    /// that they are no longer compared with the first.
    is_wrapped: bool,
    /// The game as the latest database contains it.
    latest: Game,
    announced: Losses,
}

/// Runs the chain with this number, over games from `pool` and random ones.
///
/// A third of the chains carries random annotated games, a third games from `pool`, a third both.
pub fn run(seed: u64, pool: &[Game]) -> Chain {
    let mut rng = Rng::new(seed);
    let mut travellers: Vec<Traveller> = (0..GAMES)
        .map(|n| {
            let from_pool = seed % 3 == 1 || (seed % 3 == 2 && n % 2 == 0);
            let drawn = pool.get(rng.below(pool.len().max(1)));
            // A pool may be empty, so a random game is always possible.
            let first = match drawn.filter(|_| from_pool) {
                Some(game) => game.clone(),
                None => strategy::game(rng.any(), &GameOptions::all()),
            };
            Traveller {
                latest: first.clone(),
                is_wrapped: false,
                first,
                announced: Losses::new(),
            }
        })
        .collect();
    let mut chain = Chain::default();
    let mut of_base = Losses::new();
    let mut db: Option<Database> = None;
    let mut page = None;
    // A book contains positions, not games.
    let formats: Vec<_> = matrix::targets()
        .filter(|format| format.id != "fbk")
        .collect();
    // Games in memory do not enter a format that has several pages and no default one.
    let first_formats: Vec<_> = formats
        .iter()
        .copied()
        .filter(|format| format.pages.is_empty() || format.default_charset.is_some())
        .collect();
    for _ in 0..HOPS {
        let target = match &db {
            None => rng.pick(&first_formats),
            Some(_) => rng.pick(&formats),
        };
        chain.formats.push(target.id);
        let place = format!("chain {seed}, {}", chain.formats.join(" > "));
        // The first database is written from games in memory, without the choice of a code page
        // that a source database would cause. Its page is named, also for copies of its bytes.
        page = match &db {
            // UTF-8 is recognised without being named.
            None => target
                .written_charset()
                .filter(|charset| !charset.is_unicode()),
            Some(db) => page.filter(|_| db.format().id == target.id),
        };
        match step(
            &place,
            db.as_ref(),
            target,
            page,
            &mut travellers,
            &mut of_base,
        ) {
            Ok((next, problems)) => {
                db = Some(next);
                chain.problems.extend(problems);
            }
            Err(error) => {
                chain.problems.push(format!("{place}: {error}"));
                return chain;
            }
        }
    }
    chain.games = travellers.len();
    for (n, one) in travellers.iter().enumerate() {
        let place = format!(
            "chain {seed}, {}, game {}",
            chain.formats.join(" > "),
            n + 1
        );
        // Each conversion was compared by itself. Across all of them, a command that became part of a
        // merged comment cannot be distinguished from a lost one.
        let mut announced = one.announced.clone();
        if announced.count(LossKind::CommentMerged) > 0 {
            for kind in [LossKind::Clock, LossKind::Eval, LossKind::Shapes] {
                announced.add(kind, None);
            }
        }
        let announced = [&announced, &of_base];
        let problems = not_announced(&one.first, &one.latest, announced, one.is_wrapped)
            .map(|what| format!("{place}: since the start: {what}"));
        chain.problems.extend(problems);
    }
    chain
}

/// Converts into `target`, opens the result, and returns it with the differences that the
/// conversion did not announce.
fn step(
    place: &str,
    db: Option<&Database>,
    target: &'static Format,
    page: Option<Charset>,
    travellers: &mut Vec<Traveller>,
    of_base: &mut Losses,
) -> chessdb::Result<(Database, Vec<String>)> {
    let mut announced = Announced::new(travellers.len());
    let mut files = MemorySet::new();
    let model = Model {
        games: match db {
            None => travellers.iter().map(|one| one.first.clone()).collect(),
            Some(_) => Vec::new(),
        },
        ..Model::default()
    };
    let converter = Converter::to_sink(&mut files).format(target);
    let converter = match db {
        Some(db) => converter.add_database(db),
        None => converter.add_store(&model, None),
    };
    let report = converter.observer(&mut announced).run()?;
    let announced_of_base = report.base_losses().clone();
    of_base.merge(&announced_of_base);
    // Lines of text are wrapped, and these formats take comments with their line breaks.
    let is_text = |id: &str| ["lucaschess", "ocgdb", "parquet", "pgn"].contains(&id);
    let from_text = db.is_some_and(|db| is_text(db.format().id));
    let wraps = from_text && target.keeps_comment_whitespace;
    let mut announced = announced.0.into_iter();
    let mut now = Vec::new();
    // Games that the format does not take end their way here.
    travellers.retain_mut(|one| {
        let losses = announced.next().unwrap_or_default();
        one.announced.merge(&losses);
        let stays = losses.count(LossKind::Game) == 0;
        if stays {
            now.push(losses);
        }
        stays
    });
    let options = Database::options().format(target.id);
    let options = match page {
        Some(page) => options.encoding(page.name()),
        None => options,
    };
    let next = options.open_set(files)?;
    let mut problems = Vec::new();
    if next.len()? as usize != travellers.len() {
        let (actual, meant) = (next.len()?, travellers.len());
        problems.push(format!("{place}: {actual} games instead of {meant}"));
        // The games that are there are still compared.
        travellers.truncate(actual as usize);
    }
    for ((n, one), losses) in (0..).zip(travellers.iter_mut()).zip(&now) {
        let game = next.game(n)?.into_model();
        let before = std::mem::replace(&mut one.latest, game);
        one.is_wrapped |= wraps;
        let unannounced = not_announced(&before, &one.latest, [losses, &announced_of_base], wraps);
        problems.extend(unannounced.map(|what| format!("{place}, game {}: {what}", n + 1)));
    }
    Ok((next, problems))
}

/// The differences between two games that none of these losses covers. Other spellings of the same
/// value are not differences, nor are comments if `wrapped`.
fn not_announced(
    before: &Game,
    after: &Game,
    announced: [&Losses; 2],
    wrapped: bool,
) -> impl Iterator<Item = String> {
    let kinds = announced.map(|losses| losses.iter().map(|loss| loss.kind).collect::<Vec<_>>());
    let mut kinds = kinds.concat();
    kinds.extend(wrapped.then_some(LossKind::CommentText));
    compare::games(before, after)
        .into_iter()
        .filter(move |seen| {
            let is_spelling = seen
                .excuse
                .is_some_and(|excuse| excuse != compare::excuse::LAYOUT);
            !is_spelling && !seen.kinds.iter().any(|kind| kinds.contains(kind))
        })
        .map(move |seen| format!("not announced: {seen}"))
}
