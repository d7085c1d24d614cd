//! The command `repertoire`: a repertoire next to the games of databases.

use std::fmt::Write as _;

use chessdb::Color;
use chessdb::formats::shown;
use chessdb::query::repertoire::{FollowedGame, MissingMove, Repertoire};
use chessdb::query::stats::player::PlayerFilter;

use crate::args::RepertoireArgs;
use crate::commands::chosen_player::ChosenPlayer;
use crate::commands::game_label;
use crate::exit::{Completion, Failure, Outcome, note};
use crate::json::{Json, SCHEMA, list, object, rounded};
use crate::output::{count, grouped, print_json, print_text};
use crate::query;
use crate::table::{Table, percent, text_of};

pub(super) fn run(args: &RepertoireArgs) -> Outcome {
    let options = &args.scan_options;
    let (paths, terms) = query::split_query(&options.choice.words);
    let [source, databases @ ..] = paths else {
        return Err(Failure::usage("name the repertoire, then the databases"));
    };
    if databases.is_empty() {
        let message = query::wrong_order(paths).unwrap_or_else(|| {
            format!(
                "name the databases to compare with: chessdb repertoire {} games.si4",
                shown(source)
            )
        });
        return Err(Failure::Usage(message));
    }
    let mut repertoire = Repertoire::default().limit(args.top.into());
    let own_games = options.for_all_games(std::slice::from_ref(source));
    let read = own_games.each(
        |game| game.clone().into_model(),
        |game| repertoire.add_lines(&game),
    )?;
    if repertoire.skipped() > 0 {
        let games = count(repertoire.skipped(), "game");
        note(format_args!(
            "chessdb: {}: {games} skipped (variants)",
            shown(source)
        ));
    }
    let color = args.color.as_deref();
    let chosen = match (
        args.white || color == Some("white"),
        args.black || color.is_some(),
    ) {
        (true, _) => Some(Color::White),
        (false, true) => Some(Color::Black),
        (false, false) => None,
    };
    let Some(side) = repertoire.begin(chosen) else {
        let name = shown(source);
        return Err(Failure::Usage(match repertoire.begin(Some(Color::White)) {
            None => format!("{name}: no moves"),
            Some(_) => format!("{name}: the colour is not clear; add --white or --black"),
        }));
    };
    if chosen.is_none() {
        let (name, color, other) = (shown(source), side.pick("White", "Black"), side.other());
        note(format_args!(
            "chessdb: {name}: taken as a repertoire for {color}; --{} for the other colour",
            other.pick("white", "black")
        ));
    }
    let mut own_terms = Vec::new();
    own_terms.extend(args.since.as_ref().map(|since| format!("date:{since}..")));
    if let Some(name) = &args.player {
        let player = ChosenPlayer::from_name(databases, name, options)?;
        own_terms.push(PlayerFilter::term(
            side.pick("white", "black"),
            &player.name,
        ));
    }
    let scan = options.with_terms(databases, own_terms, terms);
    let search = repertoire.search();
    let outcome = scan.each_mainline(
        || search.observer(),
        |observer, game| Some(observer.finish(game, false)).filter(|matches| !matches.is_empty()),
        |matches, label| repertoire.add(&matches, || label.clone()),
    )?;
    let report = Report {
        side,
        gaps: repertoire.gaps(args.min_games),
        deviations: repertoire.deviations(args.min_games),
        top: args.top.into(),
        repertoire: &repertoire,
    };
    if args.json {
        print_json(&report.json(outcome.bases))?;
    } else {
        print_text(&report.text(args.player.as_deref()))?;
    }
    let games = repertoire.counts().games;
    Ok(read
        .done
        .max(outcome.done)
        .max(Completion::of_search(games)))
}

struct Report<'r> {
    side: Color,
    repertoire: &'r Repertoire,
    gaps: Vec<MissingMove>,
    deviations: Vec<MissingMove>,
    top: usize,
}

impl Report<'_> {
    fn text(&self, player: Option<&str>) -> String {
        let counts = self.repertoire.counts();
        let (side, opponent) = self.side.pick(("White", "Black"), ("Black", "White"));
        let mut text = format!(
            "Repertoire for {side}: {} touch it\n\
             {:>9}  follow it to the end of a line\n\
             {:>9}  left by the opponent ({opponent})\n\
             {:>9}  left by {}\n",
            count(counts.games, "game"),
            grouped(counts.to_the_end),
            grouped(counts.left_by_opponent),
            grouped(counts.left_by_side),
            player.unwrap_or(side)
        );
        let title = format!("Gaps: moves of {opponent} without an answer");
        self.push_moves(&mut text, &title, &self.gaps);
        let title = format!("Moves of {} that are not in it", player.unwrap_or(side));
        self.push_moves(&mut text, &title, &self.deviations);
        if !self.repertoire.followed().is_empty() {
            text += "\nGames\n";
        }
        for followed in self.repertoire.followed() {
            let end = match &followed.left {
                Some((color, san)) => format!("{} leaves with {san}", color.pick("White", "Black")),
                None => "to the end".to_owned(),
            };
            let (number, label) = (followed.game.number, game_label::text(&followed.game));
            let _ = writeln!(text, "  {number} {label}: {end}");
        }
        text
    }

    fn push_moves(&self, text: &mut String, title: &str, moves: &[MissingMove]) {
        if moves.is_empty() {
            return;
        }
        let table = Table::new("Move", "Games, Share, Score, Last, Known, After");
        let mut table = table.texts(&["Known", "After"]);
        for missing in moves.iter().take(self.top) {
            table.row(
                &game_label::numbered(&missing.board, &missing.san),
                [
                    grouped(missing.tally.games),
                    percent(Some(missing.share())),
                    percent(missing.tally.score()),
                    text_of(Some(missing.tally.last_year).filter(|year| *year > 0)),
                    missing.known.join(" "),
                    missing.line.clone(),
                ],
            );
        }
        let _ = write!(text, "\n{title}\n\n{}", table.text());
        let more = moves.len().saturating_sub(self.top);
        if more > 0 {
            let _ = writeln!(text, "… {more} more; list them with --top {}", moves.len());
        }
    }

    fn json(&self, bases: Vec<Json>) -> Json {
        let counts = self.repertoire.counts();
        let moves = |moves: &[MissingMove]| list(moves.iter().take(self.top).map(missing_json));
        let followed = self.repertoire.followed().iter();
        object! {
            "schema": SCHEMA, "bases": list(bases), "color": self.side.pick("white", "black"),
            "games": counts.games, "toTheEnd": counts.to_the_end,
            "leftByOpponent": counts.left_by_opponent, "leftBySide": counts.left_by_side,
            "gaps": moves(&self.gaps), "deviations": moves(&self.deviations),
            "followed": list(followed.map(|followed| self.followed_json(followed))),
        }
    }

    fn followed_json(&self, followed: &FollowedGame) -> Json {
        let (color, san) = followed.left.as_ref().map_or((None, None), |(color, san)| {
            (Some(color.pick("white", "black")), Some(san.as_str()))
        });
        object! {
            "plies": followed.plies, "line": self.repertoire.line(followed), "leftBy": color,
            "move": san, "game": game_label::json(&followed.game),
        }
    }
}

fn missing_json(missing: &MissingMove) -> Json {
    let tally = &missing.tally;
    object! {
        "line": missing.line.as_str(), "fen": missing.board.to_string(),
        "move": missing.san.as_str(), "games": tally.games, "of": missing.all,
        "share": rounded(Some(missing.share())), "score": rounded(tally.score()),
        "lastYear": Some(tally.last_year).filter(|year| *year > 0),
        "known": list(missing.known.iter().map(String::as_str)),
    }
}
