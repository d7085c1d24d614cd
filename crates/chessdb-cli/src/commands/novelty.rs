//! The command `novelty`: where games left all others.

use std::fmt::Write as _;
use std::path::Path;

use chessdb::formats::shown;
use chessdb::query::novelty::Novelties;
use chessdb::query::stats::GameLabel;
use chessdb::{Database, Game};

use crate::args::Novelty;
use crate::commands::database_scan::ScanOutcome;
use crate::commands::game_label;
use crate::csv;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::json::{Json, SCHEMA, list, object, rounded};
use crate::output::{column, count, grouped, print_json, print_text, width, wrap};
use crate::query;
use crate::table::{Table, percent, text_of};

/// The largest number of games that are compared in one pass. Memory is in proportion to it.
const MOST_GAMES: usize = 1000;

pub(crate) fn run(args: &Novelty) -> Outcome {
    let (paths, terms) = query::split_query(&args.scan_options.choice.words);
    let (base, source) = match paths {
        [base] => (base, base),
        [base, source] => (base, source),
        _ => {
            let message = "novelty takes one database, and at most one more with the games";
            return Err(Failure::Usage(message.to_owned()));
        }
    };
    if let Some(advice) = query::wrong_order(paths) {
        return Err(Failure::Usage(advice));
    }
    let is_narrowed = !terms.is_empty() || !args.scan_options.choice.games.is_all();
    if paths.len() == 1 && !is_narrowed {
        let message = "no games are selected; use -n NUMBER, a query, or a second database";
        return Err(Failure::Usage(message.to_owned()));
    }
    let words = [source].into_iter().chain(terms).cloned().collect();
    let mut asked: Vec<(GameLabel, chessdb::core::Game)> = Vec::new();
    let mut is_over = false;
    let read = args.scan_options.with_words(words).each_of(
        false,
        |db: &Database, game: &mut Game| {
            let rules = game.has_standard_rules() && game.has_known_start();
            Ok((game_label::new(db, game), rules, game.clone().into_model()))
        },
        |_, (label, rules, game)| {
            match asked.len() < MOST_GAMES {
                true if rules => asked.push((label, game)),
                true => say(format_args!(
                    "chessdb: {}: skipped: a variant with other rules",
                    game_label::place(&label)
                )),
                false => is_over = true,
            }
            Ok(())
        },
    )?;
    if is_over {
        let advice = match paths.len() {
            1 => "select fewer with -n or a query".to_owned(),
            _ => format!(
                "the database to compare with comes first, then the games: chessdb novelty {} {}",
                shown(source),
                shown(base)
            ),
        };
        return Err(Failure::Usage(format!(
            "more than {} games are selected; {advice}",
            grouped(MOST_GAMES as u64)
        )));
    }
    let (labels, games): (Vec<_>, Vec<_>) = asked.into_iter().unzip();
    let mut novelties = Novelties::new(games, args.earlier);
    let outcome = compare(args, base, &mut novelties)?;
    let compared: Vec<_> = (0..labels.len())
        .filter_map(|n| novelties.of(n))
        .zip(&labels)
        .collect();
    let top = usize::from(args.top);
    if args.csv {
        let rows = compared
            .iter()
            .map(|(novelty, label)| csv_row(novelty, label));
        csv::print(&rows.collect::<Vec<_>>())?;
    } else if args.json {
        let games = compared
            .iter()
            .map(|(novelty, label)| json(novelty, label, top));
        let bases = list(outcome.bases);
        print_json(&object! { "schema": SCHEMA, "bases": bases, "games": list(games) })?;
    } else {
        let texts: Vec<String> = compared
            .iter()
            .map(|(novelty, label)| text(novelty, label, top))
            .collect();
        print_text(&texts.join("\n"))?;
    }
    let done = read.done.max(outcome.done);
    Ok(done.max(Completion::of_search(labels.len() as u64)))
}

/// Compares all games of the database.
fn compare(args: &Novelty, base: &Path, novelties: &mut Novelties) -> Result<ScanOutcome, Failure> {
    // -n and the query select the games to examine, not those to compare with.
    let scan = args.scan_options.for_all_games(&[base.to_owned()]);
    let search = novelties.search();
    scan.each_mainline(
        || search.observer(),
        |observer, game| Some(observer.finish(game)).filter(|matches| !matches.is_empty()),
        |matches, label| novelties.add(&matches, || label.clone()),
    )
}

fn text(novelty: &chessdb::query::novelty::Novelty, label: &GameLabel, top: usize) -> String {
    let mut text = String::new();
    wrap(&game_label::text(label), width(), &mut text);
    let games = novelty.games();
    if games == 0 {
        text += "No game to compare with.\n";
        return text;
    }
    let line = novelty.line();
    match novelty.ply {
        0 => text += "No other game has the first move.\n",
        _ => wrap(&line, width(), &mut text),
    }
    match novelty.san() {
        Some(san) => {
            let _ = writeln!(
                text,
                "Novelty: {} ({} reached the position)",
                game_label::numbered(novelty.board(), &san),
                count(games, "other game")
            );
        }
        None => {
            let _ = writeln!(
                text,
                "No novelty: {} reached the last position",
                count(games, "other game")
            );
        }
    }
    let replies = novelty.replies();
    let table = Table::new("  Played", "Games, Score, Elo");
    let mut table = table.fixed([14, 9, 8, 6]).indented();
    for (san, score) in replies.iter().take(top) {
        let (white, name) = (&score.white, game_label::numbered(novelty.board(), san));
        let share = percent(white.score());
        table.row(
            &name,
            [grouped(white.games), share, text_of(score.rating())],
        );
    }
    if !replies.is_empty() {
        text.push('\n');
        text += &table.text();
    }
    if replies.len() > top {
        let _ = writeln!(
            text,
            "  … {} more; list them with --top {}",
            replies.len() - top,
            replies.len()
        );
    }
    // Of few games both lists would be the same.
    let is_complete = games <= novelty.latest.len() as u64;
    let rated = novelty.highest.iter().any(|game| game.rating_sum() > 0);
    let lists = if is_complete {
        vec![("Games", &novelty.latest)]
    } else {
        vec![
            ("Highest rated", &novelty.highest),
            ("Most recent", &novelty.latest),
        ]
    };
    for (title, games) in lists {
        if title == "Highest rated" && !rated {
            continue;
        }
        let _ = writeln!(text, "\n  {title}");
        for game in games {
            let line = format!("  {} {}", game.number, game_label::text(game));
            let mut short = String::new();
            column(&mut short, &line, width().min(line.chars().count()));
            let _ = writeln!(text, "{short}");
        }
    }
    text
}

/// Returns the game and its novelty without the lists of moves and games.
fn csv_row(novelty: &chessdb::query::novelty::Novelty, label: &GameLabel) -> Json {
    let mut row = game_label::json(label);
    if let (Json::Object(row), Json::Object(members)) = (&mut row, json(novelty, label, 0)) {
        let values = members
            .into_iter()
            .filter(|(name, value)| !value.is_array() && name != "game");
        // The number of a game has the name that this number has in JSON.
        row.extend(values.map(|(name, value)| match name.as_str() {
            "games" => ("otherGames".to_owned(), value),
            _ => (name, value),
        }));
    }
    row
}

fn json(novelty: &chessdb::query::novelty::Novelty, label: &GameLabel, top: usize) -> Json {
    let replies = novelty.replies().into_iter().take(top);
    let replies = replies.map(|(san, score)| {
        let white = &score.white;
        object! {
            "san": san, "games": white.games, "white": white.white, "draws": white.draws,
            "black": white.black, "score": rounded(white.score()), "rating": score.rating(),
        }
    });
    let board = novelty.board();
    object! {
        "game": game_label::json(label), "commonPlies": novelty.ply, "plies": novelty.plies(),
        "line": novelty.line(), "fen": board.to_string(), "moveNumber": board.fullmove_number(),
        "novelty": novelty.san(), "games": novelty.games(), "moves": list(replies),
        "highestRated": game_label::json_list(&novelty.highest),
        "mostRecent": game_label::json_list(&novelty.latest),
    }
}
