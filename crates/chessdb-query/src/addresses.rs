//! Web addresses that name one game for certain. docs/reference/duplicates.md has the table.

use crate::natural::is_number;

/// A web address.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Address {
    /// The host in lower case, without `www.`.
    pub(crate) host: String,
    /// Path and query, without slashes at its ends.
    pub(crate) page: String,
    /// The site's name of the game. `None` for events, studies, players, clubs.
    pub(crate) game: Option<String>,
}

/// What names a game in the addresses of a site.
#[derive(Clone, Copy, Debug)]
enum Naming {
    /// A path that begins with one of these folders, then a number.
    Folders(&'static [&'static str]),
    /// A parameter of the query, in a page whose path contains this text.
    Parameter(&'static str, &'static str),
}

/// The sites and their ways to name a game, from addresses that the sites write into their own PGN
/// files and link to. Lichess and chess.com have more ways, below.
const SITES: [(&str, Naming); 9] = [
    ("365chess.com", Naming::Parameter("view_game", "g")),
    ("365chess.com", Naming::Parameter("game.php", "gid")),
    ("chessgames.com", Naming::Parameter("chessgame", "gid")),
    (
        "chesstempo.com",
        Naming::Folders(&["game-database/game", "gamedb/game"]),
    ),
    ("database.chessbase.com", Naming::Parameter("", "gameid")),
    ("ficsgames.org", Naming::Folders(&["show"])),
    ("gameknot.com", Naming::Parameter("analyze-board", "bd")),
    ("iccf.com", Naming::Parameter("game", "id")),
    ("redhotpawn.com", Naming::Parameter("game", "gameid")),
];

/// Returns whether all addresses of games of this host are known, so that any other page is not a
/// game.
pub(crate) fn is_known(host: &str) -> bool {
    matches!(host, "lichess.org" | "chess.com") || SITES.iter().any(|(site, _)| *site == host)
}

/// Reads a web address. `None` if the text is something else.
pub(crate) fn parse(value: &str) -> Option<Address> {
    let rest = after(value, "https://").or_else(|| after(value, "http://"));
    let (rest, has_scheme) = (rest.unwrap_or(value), rest.is_some());
    let (rest, has_www) = match after(rest, "www.") {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, page) = rest.split_at_checked(end)?;
    let host = host.to_ascii_lowercase();
    // Hosts whose pages are known need no scheme.
    let is_named = !page.is_empty() && is_known(&host);
    let is_host = host.contains('.') && !host.contains(char::is_whitespace);
    (is_host && (has_scheme || has_www || is_named)).then(|| {
        let named_game = game(&host, page);
        let page = page.split('#').next().unwrap_or_default();
        Address {
            page: page.trim_matches('/').to_owned(),
            host,
            game: named_game,
        }
    })
}

/// Returns the text after a prefix, ignoring case.
fn after<'t>(text: &'t str, start: &str) -> Option<&'t str> {
    let header = text.get(..start.len())?;
    header
        .eq_ignore_ascii_case(start)
        .then_some(text.get(start.len()..)?)
}

fn game(host: &str, page: &str) -> Option<String> {
    let page = page.split('#').next().unwrap_or_default();
    let (path, query) = page.split_once('?').unwrap_or((page, ""));
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match host {
        "lichess.org" => lichess(&parts),
        "chess.com" => chess_com(&parts, query),
        _ => SITES
            .iter()
            .filter(|(site, _)| *site == host)
            .find_map(|(_, naming)| naming.game(&parts, query)),
    }
}

impl Naming {
    fn game(self, parts: &[&str], query: &str) -> Option<String> {
        match self {
            Naming::Folders(folders) => {
                let number = parts.last().filter(|part| is_number(part))?;
                let path = parts.join("/");
                let begins = |folder: &&str| path.strip_prefix(*folder);
                let rest = folders.iter().find_map(begins)?;
                rest.starts_with('/').then(|| (*number).to_owned())
            }
            Naming::Parameter(page, name) => {
                let path = parts.join("/");
                let number = parameter(query, name).filter(|number| is_number(number))?;
                path.contains(page).then(|| number.to_owned())
            }
        }
    }
}

/// Returns the value of a parameter of a query, whose name may have any case.
fn parameter<'q>(query: &'q str, name: &str) -> Option<&'q str> {
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find_map(|(key, value)| key.eq_ignore_ascii_case(name).then_some(value))
}

/// A game has eight letters and digits, followed by four for one player: `/abcdefgh/black`. Chapters
/// of studies and broadcasts are the last part of longer paths.
fn lichess(parts: &[&str]) -> Option<String> {
    let is_id = |part: &str, sizes: &[usize]| {
        sizes.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let (id, sizes): (&str, &[usize]) = match parts {
        ["study", _, chapter] | ["study", "embed", _, chapter] => (chapter, &[8]),
        ["broadcast", _, _, _, chapter] => (chapter, &[8]),
        ["game", "export", id] | ["embed", "game", id] | ["embed", id] => (id, &[8, 12]),
        [
            "training" | "practice" | "analysis" | "tutorial" | "timeline" | "calendar",
            ..,
        ] => {
            return None;
        }
        [id] | [id, "white" | "black"] => (id, &[8, 12]),
        _ => return None,
    };
    let game = is_id(id, sizes).then(|| id.get(..8))??;
    Some(game.to_owned())
}

fn chess_com(parts: &[&str], query: &str) -> Option<String> {
    let (kind, number) = match parts {
        ["echess", "game"] => ("daily", parameter(query, "id")?),
        ["games", "view", number] => ("view", *number),
        ["analysis", rest @ ..] | rest => match rest {
            ["game", kind @ ("live" | "daily" | "computer"), number, ..]
            | [kind @ ("live" | "daily"), "game", number, ..]
            | [kind @ ("live" | "daily"), number] => (*kind, *number),
            ["echess", "game", number] => ("daily", *number),
            ["game", number] => ("live", *number),
            _ => return None,
        },
    };
    is_number(number).then(|| format!("{kind} {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_games() {
        for (value, expected) in [
            ("https://lichess.org/abcdefgh", Some("abcdefgh")),
            ("https://lichess.org/abcdefghijkl#12", Some("abcdefgh")),
            ("lichess.org/abcdefgh/black", Some("abcdefgh")),
            (
                "https://lichess.org/study/aaaaaaaa/bbbbbbbb",
                Some("bbbbbbbb"),
            ),
            (
                "https://lichess.org/broadcast/open/round-1/aaaaaaaa/bbbbbbbb",
                Some("bbbbbbbb"),
            ),
            ("https://lichess.org/study/aaaaaaaa", None),
            ("https://lichess.org/broadcast/open/round-1/aaaaaaaa", None),
            ("https://lichess.org/tournament/may2024", None),
            ("https://lichess.org/training/abcde", None),
            ("https://lichess.org/@/someone", None),
            ("https://lichess.org/team/abcdefgh", None),
            ("https://www.chess.com/game/live/10", Some("live 10")),
            ("https://www.chess.com/live/game/10?move=3", Some("live 10")),
            (
                "chess.com/analysis/game/live/10?tab=review",
                Some("live 10"),
            ),
            ("https://www.chess.com/game/daily/10", Some("daily 10")),
            ("https://www.chess.com/echess/game?id=10", Some("daily 10")),
            ("https://www.chess.com/games/view/10", Some("view 10")),
            ("https://www.chess.com/club/matches/10", None),
            ("https://www.chess.com/club/matches/some-club/1000123", None),
            ("https://www.chess.com/tournament/live/arena/2024", None),
            ("https://www.chess.com/member/player1990", None),
            ("https://www.chess.com/events/2024-open/05", None),
            (
                "https://www.chessgames.com/perl/chessgame?gid=1001",
                Some("1001"),
            ),
            ("https://www.chessgames.com/perl/chess.pl?tid=1001", None),
            ("https://www.365chess.com/view_game.php?g=12", Some("12")),
            ("https://www.365chess.com/tournaments/open-2019/41234", None),
            ("https://www.iccf.com/game?id=12", Some("12")),
            ("https://www.iccf.com/event?id=12345", None),
            ("https://www.ficsgames.org/show/12", Some("12")),
            ("https://chess-results.com/tnr123456.aspx", None),
            ("https://ratings.fide.com/profile/1503014", None),
            ("https://en.wikipedia.org/wiki/Linares_1999", None),
        ] {
            let address = parse(value).unwrap();
            assert_eq!(address.game.as_deref(), expected, "{value}");
        }
        for value in ["London", "St. Petersburg", "a.b", "http://"] {
            assert_eq!(parse(value), None, "{value}");
        }
    }
}
