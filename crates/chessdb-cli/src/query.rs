//! Which games `ls` lists.

use chessdb::Outcome;
use chessdb::core::{Game, TextId};

/// Terms that all must fit.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Query(Vec<Term>);

#[derive(Clone, PartialEq, Debug)]
enum Term {
    Player(String),
    White(String),
    Black(String),
    Event(String),
    /// First and last year.
    Year(u16, u16),
    Result(Outcome),
}

const HELP: &str =
    "terms are player:TEXT white:TEXT black:TEXT event:TEXT year:1985..1990 result:1-0";

impl Query {
    /// Reads the terms, one per word.
    pub(crate) fn parse(words: &[String]) -> Result<Query, String> {
        words
            .iter()
            .map(|word| term(word))
            .collect::<Result<_, _>>()
            .map(Query)
    }

    /// Whether every game fits.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a game fits.
    pub(crate) fn fits(&self, game: &Game) -> bool {
        let head = &game.head;
        let has = |id: TextId, part: &str| game.text(id).decode().to_lowercase().contains(part);
        self.0.iter().all(|term| match term {
            Term::Player(part) => {
                has(head.white.name.text, part) || has(head.black.name.text, part)
            }
            Term::White(part) => has(head.white.name.text, part),
            Term::Black(part) => has(head.black.name.text, part),
            Term::Event(part) => has(head.event.text, part),
            Term::Year(first, last) => (*first..=*last).contains(&head.date.year),
            Term::Result(outcome) => head.outcome == *outcome,
        })
    }
}

fn term(word: &str) -> Result<Term, String> {
    let bad = || format!("\"{word}\" is no term of a query; {HELP}");
    let (field, value) = word.split_once(':').ok_or_else(bad)?;
    let text = || match value.trim() {
        "" => Err(bad()),
        value => Ok(value.to_lowercase()),
    };
    match field {
        "player" => Ok(Term::Player(text()?)),
        "white" => Ok(Term::White(text()?)),
        "black" => Ok(Term::Black(text()?)),
        "event" => Ok(Term::Event(text()?)),
        "year" => years(value).ok_or_else(bad),
        "result" => result(value).ok_or_else(bad),
        _ => Err(bad()),
    }
}

/// `1985`, `1985..1990`, `1985..`, `..1990`. A game of unknown year has the year 0 and fits only
/// where that is asked for.
fn years(text: &str) -> Option<Term> {
    let (first, last) = match text.split_once("..") {
        None => {
            let year = text.parse().ok()?;
            (year, year)
        }
        Some(("", last)) => (1, last.parse().ok()?),
        Some((first, "")) => (first.parse().ok()?, u16::MAX),
        Some((first, last)) => (first.parse().ok()?, last.parse().ok()?),
    };
    (first <= last).then_some(Term::Year(first, last))
}

fn result(text: &str) -> Option<Term> {
    let outcome = match text {
        "1/2" | "draw" => Outcome::Draw,
        text => Outcome::from_pgn(text.as_bytes())?,
    };
    Some(Term::Result(outcome))
}

#[cfg(test)]
mod tests {
    use chessdb::core::Date;

    use super::*;

    fn fits(words: &[&str]) -> bool {
        let mut game = Game::new();
        game.head.white.name = game.add_text("Tal, Mihail").into();
        game.head.black.name = game.add_text("Łukasz Öst").into();
        game.head.event.text = game.add_text("Bled");
        game.head.date = Date::new(1959, 9, 0);
        game.head.outcome = Outcome::Draw;
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Query::parse(&words).unwrap().fits(&game)
    }

    #[test]
    fn all_terms_must_fit() {
        assert!(fits(&[]));
        assert!(fits(&[
            "player:tal",
            "black:ÖST",
            "event:led",
            "year:1957..1961",
            "result:1/2"
        ]));
        assert!(fits(&["player:łukasz"]) && !fits(&["white:łukasz"]));
        assert!(fits(&["year:1959"]) && fits(&["year:..1959"]) && fits(&["year:1959.."]));
        assert!(
            !fits(&["year:1960"])
                && !fits(&["year:..1958"])
                && !fits(&["player:tal", "result:1-0"])
        );
    }

    #[test]
    fn nonsense_is_refused() {
        for bad in [
            "Tal",
            "player:",
            "year:x",
            "year:1990..1985",
            "result:2-0",
            "elo:2000",
            ":",
        ] {
            assert!(Query::parse(&[bad.to_owned()]).is_err(), "{bad}");
        }
        assert!(Query::parse(&[]).unwrap().is_empty());
    }
}
