//! `stats --by`: scores by a value of the games.

use std::collections::HashSet;

use chessdb::Color;
use chessdb::query::openings::eco_name;
use chessdb::query::stats::Score;
use chessdb::query::stats::groups::{GroupKey, Groups, JoinedNames};
use chessdb::query::stats::player::PlayerFilter;
use chessdb::query::tree::Tally;

use super::StatsScan;
use crate::args::Stats;
use crate::csv;
use crate::exit::{Completion, Outcome, note, say};
use crate::json::{Json, SCHEMA, games_by_name, list, object, rounded, text_or_null, with_first};
use crate::output::{count, grouped, plain, print_json, print_text};
use crate::table::{Table, percent, text_of};

/// The number of values listed by default.
const TOP: usize = 20;

pub(super) fn run(args: &Stats, scan: &StatsScan, key: &GroupKey) -> Outcome {
    let filter = scan.player.as_ref().map(|player| &player.filter);
    let mut groups = Groups::new(key.clone());
    // The reading threads make entries with the key alone, while this thread adds them.
    let empty = groups.clone();
    let outcome = scan.each(
        |game, _| empty.entry_of(game, sides(filter, game)),
        |entry| groups.add(entry),
    )?;
    let top = match args.top {
        Some(top) => top as usize,
        None if key.is_ordered() || args.csv => usize::MAX,
        None => TOP,
    };
    let is_of_players = key.is_of_players() || filter.is_some();
    let mut joined = groups.join_persons();
    let listed = groups.most(top);
    let names: HashSet<&str> = listed.iter().map(|(name, _)| *name).collect();
    joined.retain(|person| names.contains(person.name.as_str()));
    if groups.not_counted() > 0 {
        let games = count(groups.not_counted(), "game");
        let values = grouped(groups.len() as u64);
        say(format_args!(
            "chessdb: {games} not counted, with values after the first {values}; use a query"
        ));
    }
    if args.json || args.csv {
        let values = listed.iter().map(|(value, score)| {
            let row = if is_of_players { score_json(score) } else { white_json(score) };
            with_first("value", text_or_null(value), row)
        });
        if args.csv {
            csv::print(&values.collect::<Vec<Json>>())?;
            return Ok(outcome.done.max(Completion::of_search(groups.games())));
        }
        print_json(&object! {
            "schema": SCHEMA, "bases": list(outcome.bases), "games": groups.games(),
            "notCounted": groups.not_counted(), "byes": groups.byes(), "player": args.player.as_deref(), "values": groups.len(),
            "scores": list(values), "joined": list(joined.iter().map(joined_json)),
        })?;
    } else {
        note_joined(&joined);
        print_text(&text(args, &groups, &listed, is_of_players))?;
    }
    Ok(outcome.done.max(Completion::of_search(groups.games())))
}

/// The number of persons that are listed with their names.
const PERSONS: usize = 10;

/// Prints on standard error the names that were joined.
fn note_joined(joined: &[JoinedNames]) {
    for person in joined.iter().take(PERSONS) {
        let shown = crate::output::names_with_games(&person.spellings);
        let name = plain(&person.name);
        note(format_args!(
            "chessdb: \"{name}\" counts the games of {shown}"
        ));
    }
    let more = joined.len().saturating_sub(PERSONS) as u64;
    if more > 0 {
        let more = count(more, "player");
        note(format_args!(
            "chessdb: names were also joined of {more} more; --json lists them"
        ));
    }
}

fn joined_json(person: &JoinedNames) -> Json {
    let spellings = games_by_name(person.spellings.iter().cloned());
    object! { "name": person.name.as_str(), "spellings": spellings }
}

/// Returns the number of byes after the number of games; empty if there is none.
pub(super) fn byes(number: u64) -> String {
    match number {
        0 => String::new(),
        number => format!(", {}", count(number, "bye")),
    }
}

/// Returns the sides whose score counts.
fn sides(filter: Option<&PlayerFilter>, game: &chessdb::core::Game) -> [bool; 2] {
    filter.map_or([true, true], |filter| filter.sides(game))
}

/// Returns the title of the column of values.
fn title(key: &GroupKey) -> String {
    match key {
        GroupKey::Eco => "ECO".to_owned(),
        GroupKey::Family | GroupKey::Opening => "Opening".to_owned(),
        GroupKey::TimeControl => "Time control".to_owned(),
        GroupKey::TimeClass(_) => "Time class".to_owned(),
        GroupKey::EcoLetter => "ECO".to_owned(),
        GroupKey::Tag(name) => name.clone(),
        GroupKey::Position(plies) => format!("Position after {plies} half-moves"),
        key => format!("{key:?}"),
    }
}

fn text(args: &Stats, groups: &Groups, listed: &[(&str, Score)], is_of_players: bool) -> String {
    let title = title(groups.key());
    let mut text = count(groups.games(), "game");
    if let Some(player) = &args.player {
        text += &format!(" of {player}");
    }
    text += &byes(groups.byes());
    text += "\n\n";
    let mut table = if is_of_players {
        Table::new(
            &title,
            "Games, Won, Drawn, Lost, Score, White, Black, Elo, Perf",
        )
    } else {
        Table::new(&title, "Games, 1-0, ½-½, 0-1, Score, Elo")
    };
    if let GroupKey::Position(_) = groups.key() {
        table = table.unshortened();
    }
    for (value, score) in listed {
        let value = match eco_name(value).filter(|_| *groups.key() == GroupKey::Eco) {
            Some(name) => format!("{value} {name}"),
            None if value.is_empty() => "(unknown)".to_owned(),
            None => (*value).to_owned(),
        };
        let white = &score.white;
        if is_of_players {
            table.row(
                &value,
                [
                    grouped(score.games()),
                    grouped(score.wins()),
                    grouped(score.draws()),
                    grouped(score.losses()),
                    percent(score.share()),
                    percent(side_share(score, Color::White)),
                    percent(side_share(score, Color::Black)),
                    text_of(score.rating()),
                    text_of(score.performance()),
                ],
            )
        } else {
            table.row(
                &value,
                [
                    grouped(white.games),
                    grouped(white.white),
                    grouped(white.draws),
                    grouped(white.black),
                    percent(white.score()),
                    text_of(score.rating()),
                ],
            )
        }
    }
    text += &table.text();
    let more = groups.len() - listed.len();
    if more > 0 {
        text += &format!(
            "… {} more; list them with --top {}\n",
            grouped(more as u64),
            groups.len()
        );
    }
    text
}

/// Returns a player's score with one colour, from 0 to 1.
pub(super) fn side_share(score: &Score, side: Color) -> Option<f64> {
    let share = score.side(side).score()?;
    Some(side.pick(share, 1.0 - share))
}

/// Returns the results of games that are not seen from one player.
pub(super) fn white_json(score: &Score) -> Json {
    let white = &score.white;
    object! {
        "games": white.games, "white": white.white, "draws": white.draws, "black": white.black,
        "score": rounded(white.score()), "rating": score.rating(), "whiteRating": white.rating(),
        "blackRating": score.black.rating(),
    }
}

/// Returns a player's score, also by colour.
pub(super) fn score_json(score: &Score) -> Json {
    let side = |side: Color| {
        let tally: &Tally = score.side(side);
        object! {
            "games": tally.games, "won": tally.wins(side), "drawn": tally.draws,
            "lost": tally.wins(side.other()), "score": rounded(side_share(score, side)),
            "rating": tally.rating(), "opponents": tally.opponents(),
            "performance": tally.performance(),
        }
    };
    object! {
        "games": score.games(), "won": score.wins(), "drawn": score.draws(), "lost": score.losses(),
        "score": rounded(score.share()), "rating": score.rating(), "opponents": score.opponents(),
        "performance": score.performance(), "asWhite": side(Color::White),
        "asBlack": side(Color::Black),
    }
}
