//! Teams, medals and analyses, which the database of `fixtures-real/2cbh-made` does not have.

use chessdb_cbh::{CBH, CBH2};
use chessdb_core::files::Role;
use chessdb_core::{BaseInfo, Game, MemorySet, ReadOptions};
use chessdb_testkit::{identity, readings};

use super::twins::compare;
use super::write;

const INDEX: Role = Role("2cbh");
/// The size of a record of the index.
const RECORD: usize = 192;

/// Returns the games as a CBH database stores them, without any loss.
fn through_cbh(games: &[Game]) -> Vec<Game> {
    let nothing = identity::nothing_lost(&BaseInfo::default());
    let (set, _) = identity::write_all(&CBH, games, nothing).unwrap();
    identity::open_all(&CBH, &set)
}

fn findings(set: &MemorySet) -> Vec<String> {
    let mut findings = Vec::new();
    chessdb_core::format::check(&CBH2, set, &ReadOptions::default(), &mut |finding| {
        findings.push(finding.kind.to_string());
    });
    findings
}

/// Every combination of the fields of teams, and each medal alone and with others.
#[test]
fn teams_and_medals_are_those_of_cbh() {
    let team = |game: chessdb_core::model::GameBuilder, side: &str, n: usize| {
        let mut game = game.tag(&format!("{side}Team"), &format!("SC {n}"));
        for (bit, (field, value)) in [("Number", "7"), ("Season", "1998"), ("Country", "GER")]
            .into_iter()
            .enumerate()
        {
            if n >> bit & 1 != 0 {
                // A season of two years at every second team.
                let value = match (field, n >> 3 & 1) {
                    ("Season", 1) => "1998/1999",
                    _ => value,
                };
                game = game.tag(&format!("{side}Team{field}"), value);
            }
        }
        game
    };
    let medals = chessdb_testkit::cbh2::MEDALS;
    let games: Vec<Game> = (0..16)
        .map(|n| {
            let mut game = Game::builder().tag("White", &format!("Player {n}"));
            if n % 5 != 1 {
                game = team(game, "White", n);
            }
            if n % 5 != 2 {
                game = team(game, "Black", 15 - n);
            }
            let of_game = [medals[n], medals[15 - n]];
            let mut names = of_game.to_vec();
            names.sort_by_key(|name| medals.iter().position(|medal| medal == name));
            names.truncate(1 + n % 2);
            game.tag("Medals", &names.join(", "))
                .sans(["e4", "e5"])
                .unwrap()
                .build()
        })
        .collect();
    let cbh = through_cbh(&games);
    let made = write(&cbh);
    assert_eq!(findings(&made), [""; 0]);
    let cbh2 = identity::open_all(&CBH2, &made);
    compare("teams", &cbh, &cbh2);
    for (game, read) in games.iter().zip(&cbh2) {
        for tag in ["Medals", "WhiteTeam", "BlackTeamSeason", "WhiteTeamCountry"] {
            assert_eq!(game.tag(tag), read.tag(tag));
        }
    }
    readings::check(&CBH2, &made, &ReadOptions::default());
}

/// The record of an analysis has its names at other offsets (docs/formats/2cbh.md, section 2.3).
#[test]
fn an_analysis_is_read_as_a_game() {
    let games = [("Keres", "Riga"), ("Tal", "Oslo")].map(|(annotator, source)| {
        Game::builder()
            .tag("Annotator", annotator)
            .tag("Source", source)
            .tag("GameTitle", "The idea of move 2")
            .sans(["d4", "d5", "c4"])
            .unwrap()
            .build()
    });
    let cbh = through_cbh(&games);
    let mut made = write(&cbh);
    let plain = identity::open_all(&CBH2, &made);
    let index = made.get_mut(INDEX).unwrap();
    let record = &mut index[2 * RECORD..3 * RECORD];
    let number = |at: usize| <[u8; 8]>::try_from(&record[at..at + 8]).unwrap();
    let (annotator, source, title) = (number(0x30), number(0x38), number(0x50));
    record[2] = 2;
    record[0x18..].fill(0);
    record[0x18..0x20].copy_from_slice(&title);
    record[0x20..0x28].copy_from_slice(&source);
    record[0x28..0x30].copy_from_slice(&annotator);
    assert_eq!(findings(&made), [""; 0]);
    let read = identity::open_all(&CBH2, &made);
    assert_eq!(read.len(), 2);
    assert_eq!(read[0], plain[0]);
    assert_eq!(read[1].moves, plain[1].moves);
    for tag in ["Annotator", "Source", "GameTitle"] {
        assert!(read[1].tag(tag).is_some(), "{tag}");
        assert_eq!(read[1].tag(tag), games[1].tag(tag));
    }
    let marks = |game: &Game| {
        let mut extras = game.header.extras.iter();
        extras.any(|extra| (extra.format, extra.field) == ("2cbh", 513) && *extra.bytes == [2])
    };
    assert_eq!([marks(&read[0]), marks(&read[1])], [false, true]);
    let raw = CBH2.raw.unwrap()(&made).unwrap();
    assert_eq!(identity::first_difference(&raw, &made), None);
    readings::check(&CBH2, &made, &ReadOptions::default());
}

/// A team, a source or a title that does not exist is reported, and the game is read.
#[test]
fn names_of_an_analysis_that_do_not_exist_are_reported() {
    let game = Game::builder().sans(["d4"]).unwrap().build();
    let mut made = write(&through_cbh(&[game]));
    let record = &mut made.get_mut(INDEX).unwrap()[RECORD..];
    record[2] = 2;
    record[0x18..].fill(0);
    record[0x20..0x28].copy_from_slice(&99u64.to_le_bytes());
    record[0x28..0x30].copy_from_slice(&98u64.to_le_bytes());
    let said = findings(&made);
    assert!(
        said.iter()
            .any(|line| line.contains("the number of the source")),
        "{said:?}"
    );
    assert!(
        said.iter()
            .any(|line| line.contains("the number of the annotator")),
        "{said:?}"
    );
    assert_eq!(identity::open_all(&CBH2, &made)[0].plies(), 1);
}
