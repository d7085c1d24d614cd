//! The command `prepare`: a report on what a player plays, for those who will play against him.

mod html;
mod json;
mod markdown;
mod pgn;
mod table;

use std::path::{Path, PathBuf};

use chessdb::query::openings::opening_at;
use chessdb::query::preparation::{
    Comparison, Deviation, NewMove, Preparation, PreparedGame, PreparedPosition,
};
use chessdb::query::stats::player::PlayerFilter;
use chessdb::query::stats::{GameLabel, Score};
use chessdb::query::tree::Tally;
use chessdb::{Color, Database, Game};

use crate::args::Prepare;
use crate::commands::chosen_player::ChosenPlayer;
use crate::commands::database_scan::ScanOutcome;
use crate::commands::game_label;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::json::line;
use crate::output::{grouped, plain, print_text};
use crate::query;
use crate::report_file::{ReportFile, refuse};
use crate::table::percent_with;

/// The largest number of the player's games. Memory is in proportion to it.
const MOST_GAMES: usize = 20_000;

/// The number of decimals of percentages.
const DECIMALS: usize = 0;

/// The number of games of others, or of older games, that makes a position well known.
const KNOWN: u64 = 20;

/// A report on a player.
struct Report {
    /// The most frequent spelling of the name.
    name: String,
    /// The other spellings with their games.
    spellings: Vec<(String, u64)>,
    preparation: Preparation,
    sides: Vec<SideReport>,
}

/// The positions and moves of one colour.
struct SideReport {
    side: Color,
    /// The least number of games of a position that is listed.
    least: u64,
    /// All positions with that many games.
    repertoire: Vec<PreparedPosition>,
    /// The places in the repertoire of the positions that are shown.
    shown: Vec<usize>,
    deviations: Vec<Deviation>,
    new_moves: Vec<NewMove>,
    best_wins: Vec<GameLabel>,
}

/// The form of a report.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Markdown,
    Html,
    Pgn,
    Json,
}

pub(crate) fn run(args: &Prepare) -> Outcome {
    let form = form(args)?;
    let (databases, player, terms) = words(args)?;
    if let Some(path) = &args.output {
        refuse(path, args.force, databases)?;
    }
    let chosen = ChosenPlayer::from_name(databases, player, &args.scan_options)?;
    let mut preparation = Preparation::default();
    let read = read_games(args, databases, &chosen, terms, &mut preparation)?;
    if preparation.games() > MOST_GAMES {
        return Err(Failure::Usage(format!(
            "more than {} games have a player `{}`, too many to compare; write more of the name, \
             or select with --since or a query",
            grouped(MOST_GAMES as u64),
            plain(player)
        )));
    }
    if preparation.report.score.games() == 0 && form != Form::Json {
        let message = format_args!("no games of `{}`; no report was written", plain(player));
        say(format_args!("chessdb: {message}"));
        return Ok(read.done.max(Completion::Negative));
    }
    let least = Color::ALL.map(|side| {
        args.least
            .unwrap_or_else(|| usual_least(&preparation, side))
    });
    let fewest = least.into_iter().min().unwrap_or(1);
    let mut comparison = preparation.comparison(fewest);
    let compared = compare(args, databases, &chosen.filter, &mut comparison)?;
    preparation.complete(comparison);
    let games = preparation.report.score.games();
    let report = Report::new(args, preparation, least);
    let text = match form {
        Form::Markdown => markdown::text(&report),
        Form::Html => html::page(&report),
        Form::Pgn => pgn::games(&report),
        Form::Json => line(&json::document(&report, read.bases, &chosen)) + "\n",
    };
    match &args.output {
        Some(path) => ReportFile::write(path, args.force, databases, text.as_bytes())?,
        None => print_text(&text)?,
    }
    let done = read.done.max(compared.done);
    Ok(done.max(Completion::of_search(games)))
}

/// Returns the form that the name of the file, or `--json`, asks for.
fn form(args: &Prepare) -> Result<Form, Failure> {
    let Some(path) = &args.output else {
        return Ok(if args.json { Form::Json } else { Form::Markdown });
    };
    let suffix = path.extension().and_then(|suffix| suffix.to_str());
    match suffix.map(str::to_ascii_lowercase).as_deref() {
        _ if args.json => Ok(Form::Json),
        Some("html" | "htm") => Ok(Form::Html),
        Some("pgn") => Ok(Form::Pgn),
        Some("md" | "markdown" | "txt") => Ok(Form::Markdown),
        _ if path.as_os_str() == "-" => Ok(Form::Markdown),
        _ => Err(Failure::Usage(format!(
            "{}: a report is written as .html, .pgn or .md; give the file one of these suffixes",
            chessdb::formats::shown(path)
        ))),
    }
}

/// Returns the databases, the player and the query.
fn words(args: &Prepare) -> Result<(&[PathBuf], &str, &[PathBuf]), Failure> {
    let (databases, rest) = query::split_query(&args.scan_options.choice.words);
    let (player, terms) = match rest.split_first() {
        Some((player, terms)) => (player, terms),
        None => {
            let message = query::wrong_order(databases).unwrap_or_else(|| {
                "no player is named; write the name after the database: \
                 chessdb prepare games.si4 \"Tal, Mikhail\""
                    .to_owned()
            });
            return Err(Failure::Usage(message));
        }
    };
    let player = player.to_str().map(str::trim).unwrap_or_default();
    Ok((databases, player, terms))
}

/// Returns the least number of games of a position that is worth showing: a fiftieth of the games
/// with this colour, and at least two.
fn usual_least(preparation: &Preparation, side: Color) -> u64 {
    (preparation.report.score.side(side).games / 50).max(2)
}

/// Adds the player's games.
fn read_games(
    args: &Prepare,
    databases: &[PathBuf],
    chosen: &ChosenPlayer,
    terms: &[PathBuf],
    preparation: &mut Preparation,
) -> Result<ScanOutcome, Failure> {
    let mut own = vec![PlayerFilter::term("player", &chosen.name)];
    own.extend(args.since.map(|since| format!("year:{since}..")));
    let scan = args.scan_options.with_terms(databases, own, terms);
    let map = |db: &Database, game: &mut Game| {
        let [white, black] = chosen.filter.sides(game);
        let sides = [white && !args.black, black && !args.white];
        let is_asked = sides != [false, false];
        Ok(is_asked.then(|| PreparedGame::from_game(game, sides, || game_label::new(db, game))))
    };
    scan.each_of(false, map, |_, game| {
        // One game more than the limit shows `run` that there are too many.
        if let Some(game) = game
            && preparation.games() <= MOST_GAMES
        {
            preparation.add(game);
        }
        Ok(())
    })
}

/// Compares with all games of the databases.
fn compare(
    args: &Prepare,
    databases: &[PathBuf],
    filter: &PlayerFilter,
    comparison: &mut Comparison,
) -> Result<ScanOutcome, Failure> {
    // -n and the query select the games of the player, not those to compare with.
    let scan = args.scan_options.for_all_games(databases);
    let search = comparison.search();
    scan.each_mainline(
        || search.observer(),
        |observer, game| {
            let is_own = filter.sides(game) != [false, false];
            Some(observer.finish(game, is_own)).filter(|matches| !matches.is_empty())
        },
        |matches, label| comparison.add(&matches, || label.clone()),
    )
}

impl Report {
    fn new(args: &Prepare, preparation: Preparation, least: [u64; 2]) -> Report {
        let mut names = preparation.report.names().into_iter();
        let name = names.next().map(|(name, _)| plain(name));
        let spellings = names.map(|(name, games)| (plain(name), games)).collect();
        let sides = Color::ALL.into_iter().zip(least);
        let sides = sides
            .map(|(side, least)| {
                let repertoire = preparation.repertoire(side, least);
                SideReport {
                    side,
                    least,
                    shown: shown(&repertoire, usize::from(args.positions)),
                    deviations: preparation.deviations(side, &repertoire, KNOWN),
                    new_moves: Vec::new(),
                    best_wins: preparation.best_wins(side, usize::from(args.top)),
                    repertoire,
                }
            })
            .filter(|report| preparation.report.score.side(report.side).games > 0);
        let mut sides: Vec<SideReport> = sides.collect();
        let top = usize::from(args.top);
        for new in preparation.new_moves(KNOWN) {
            let of = sides.iter_mut().find(|report| report.side == new.side);
            if let Some(of) = of.filter(|of| of.new_moves.len() < top) {
                of.new_moves.push(new);
            }
        }
        for side in &mut sides {
            side.deviations.truncate(top);
        }
        Report {
            name: name
                .filter(|name| !name.is_empty())
                .unwrap_or("?".to_owned()),
            spellings,
            sides,
            preparation,
        }
    }

    /// Returns the name and number of games, and the years.
    fn summary(&self) -> String {
        let report = &self.preparation.report;
        let years: Vec<u16> = report
            .years
            .keys()
            .copied()
            .filter(|year| *year > 0)
            .collect();
        let games = crate::output::count(report.score.games(), "game");
        match (years.first(), years.last()) {
            (Some(first), Some(last)) if first == last => format!("{games}, {first}"),
            (Some(first), Some(last)) => format!("{games}, {first}–{last}"),
            _ => games,
        }
    }

    /// Returns the other spellings of the name, each as `escaped` returns it; `None` without any.
    fn also_counted(&self, escaped: fn(&str) -> String) -> Option<String> {
        let shown = self.spellings.iter().take(8);
        let shown: Vec<String> = shown
            .map(|(name, games)| format!("{} ({})", escaped(name), grouped(*games)))
            .collect();
        let more = match self.spellings.len() - shown.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!shown.is_empty()).then(|| format!("Also counted: {}{more}", shown.join("; ")))
    }

    /// Returns the openings with the most games of one colour.
    fn openings(&self, side: Color) -> Vec<(&str, Score)> {
        self.preparation.report.openings(side, 15)
    }
}

/// Returns the places of the positions to show: those with a choice of moves, the most frequent
/// ones, in the order of the repertoire.
fn shown(repertoire: &[PreparedPosition], limit: usize) -> Vec<usize> {
    let has_choice = |position: &PreparedPosition| position.moves.len() > 1;
    let places = repertoire.iter().enumerate();
    let mut places: Vec<(usize, u64)> = places
        .filter(|(_, position)| has_choice(position))
        .map(|(place, position)| (place, position.tally.games))
        .collect();
    places.sort_by_key(|&(place, games)| (std::cmp::Reverse(games), place));
    let mut places: Vec<usize> = places
        .into_iter()
        .take(limit)
        .map(|(place, _)| place)
        .collect();
    places.sort_unstable();
    places
}

impl SideReport {
    fn shown(&self) -> impl Iterator<Item = &PreparedPosition> {
        let positions = self.shown.iter();
        positions.filter_map(|place| self.repertoire.get(*place))
    }

    fn title(&self) -> &'static str {
        self.side.pick("With White", "With Black")
    }
}

/// Returns a share as a percentage; empty if unknown.
fn percent(share: Option<f64>) -> String {
    percent_with(DECIMALS, share)
}

/// Returns the score of a colour, from 0 to 1.
fn score_of(tally: &Tally, side: Color) -> Option<f64> {
    let white = tally.score()?;
    Some(side.pick(white, 1.0 - white))
}

/// Returns the share of `part`; `None` of nothing.
fn share(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

/// Returns a line as the title of its position.
fn line_title(position: &PreparedPosition) -> String {
    if position.line.is_empty() {
        "Start position".to_owned()
    } else {
        position.san_line()
    }
}

/// Returns the code and name of the last named position of a line.
fn opening_name(position: &PreparedPosition) -> Option<String> {
    let mut board = chessdb::core::Board::standard();
    let mut last_named = None;
    for &mv in &position.line {
        board.play(mv);
        last_named = opening_at(&board).or(last_named);
    }
    last_named.map(|opening| format!("{} {}", opening.eco, opening.name))
}

/// Returns who moves in a position of this report.
fn mover(side: Color, position: &PreparedPosition, name: &str) -> String {
    if position.board.turn() == side {
        format!("{name} to move")
    } else {
        "Opponents to move".to_owned()
    }
}

/// Returns the opponent, year and number of a game.
fn short_label(game: &GameLabel, side: Color) -> String {
    let [white, black] = &game.players;
    let opponent = plain(side.pick(black, white));
    let rating = side.pick(game.ratings[1], game.ratings[0]);
    let rating = rating
        .map(|rating| format!(" ({rating})"))
        .unwrap_or_default();
    let year = match game.date.year {
        0 => String::new(),
        year => format!(", {year}"),
    };
    format!("{opponent}{rating}{year}, game {}", game.number)
}

/// Returns the name of a database without its folder.
fn base_name(game: &GameLabel) -> String {
    let name = Path::new(&game.base).file_name();
    plain(&name.unwrap_or_default().to_string_lossy())
}
