//! Tests of the names of one person.

use super::*;
use crate::names::{NamesAre, suggest_names};
use chessdb_core::Game;

/// A name with its year, rating, number of FIDE and opponent; 0 and "" are unknown.
type Row = (&'static str, u16, u16, u32, &'static str);

fn listed(rows: &[Row]) -> Vec<(String, NameUse)> {
    let names = rows.iter().map(|&(name, year, elo, number, met)| {
        let mut seen = NameUse::new(year, Some(elo));
        seen.fide_ids.extend((number > 0).then_some(number));
        seen.met.extend((!met.is_empty()).then(|| met.to_owned()));
        (name.to_owned(), seen)
    });
    names.collect()
}

fn plain(names: &[&'static str]) -> Vec<Row> {
    names
        .iter()
        .map(|name| (*name, 2020, 2000, 0, ""))
        .collect()
}

/// Returns the counted and the possible names of a person, for every rotation of the list and its
/// reverse, which must not matter.
fn person(rows: &[Row], asked: &str) -> (Vec<String>, Vec<String>) {
    let mut answers = Vec::new();
    for turn in 0..2 * rows.len() {
        let mut rows = rows.to_vec();
        rows.rotate_left(turn / 2);
        if turn % 2 == 1 {
            rows.reverse();
        }
        let names = listed(&rows);
        let person = one_person(&names, &[asked]);
        let [counted, possible] = [person.counted, person.possible].map(|list| {
            let mut list: Vec<String> = list.into_iter().map(|n| names[n].0.clone()).collect();
            list.sort();
            list
        });
        answers.push((counted, possible));
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{rows:?}");
    answers.remove(0)
}

#[test]
fn spellings_of_the_same_words_are_counted() {
    for spellings in [
        &[
            "Birch, Nils",
            "Birch,Nils",
            "BIRCH, NILS",
            "Nils Birch",
            "birch  nils",
            "Birch , Nils.",
        ][..],
        &["Birch,N", "Birch, N.", "N. Birch", "N Birch"],
        &[
            "Müller, Jörg",
            "Mueller, Joerg",
            "Muller, Jorg",
            "Jörg MÜLLER",
        ],
        &["Østergård, Søren", "Oestergaard, Soeren", "Soren Ostergard"],
        &["O'Hara, Liam", "OHara, Liam", "Liam O`Hara"],
        &["Elder-Ash, Kim", "Elder Ash, Kim", "Kim Elder Ash"],
        &["Alder, Tom jr.", "Alder, Tom Junior", "Tom Alder Jr"],
        &["Ольхов, Иван", "Olkhov, Ivan"],
    ] {
        let mut rows = plain(spellings);
        rows.extend(plain(&["Cedar, Ann", "Maple, Sue"]));
        for asked in spellings {
            let (counted, possible) = person(&rows, asked);
            let mut expected: Vec<&str> = spellings.to_vec();
            expected.sort_unstable();
            assert_eq!(
                (counted, possible.len()),
                (expected.iter().map(|name| (*name).to_owned()).collect(), 0),
                "{asked}"
            );
        }
    }
}

#[test]
fn similar_names_are_possible_but_not_counted() {
    for (one, other) in [
        ("Birch,N", "Birch, Nils"),
        ("Birch,N", "Birch, Nora"),
        ("Birch", "Birch, Nils"),
        ("Birch, Nils", "Birch, Nisl"),
        ("Birch, Nils P", "Birch, Nils"),
        ("Birch, Nils Peter", "Birch, Nils"),
        ("Tschernov, Ivan", "Chernov, Ivan"),
        ("Elder Ash, Kim", "Elder, Kim"),
    ] {
        for (asked, possible) in [(one, other), (other, one)] {
            let rows = plain(&[one, other, "Cedar, Ann"]);
            let expected = (vec![asked.to_owned()], vec![possible.to_owned()]);
            assert_eq!(person(&rows, asked), expected, "{asked} / {possible}");
        }
    }
    // The most probable name first, then the one with the most games.
    let mut names = listed(&plain(&["Birch", "Birch, Nora", "Birch,N", "Birch, Nils"]));
    names[3].1.games = 9;
    assert_eq!(one_person(&names, &["Birch,N"]).possible, [3, 1, 0]);
    // Names that were added are counted, with their spellings.
    let names = listed(&plain(&[
        "Birch,N",
        "Birch, Nora",
        "Birch, Nils",
        "Nils Birch",
    ]));
    let both = one_person(&names, &["Birch,N", "Birch, Nils"]);
    assert_eq!((both.counted, both.possible), (vec![0, 2, 3], vec![1]));
    // A name in another spelling than those of the list.
    assert_eq!(one_person(&names, &["birch, nils"]).counted, [2, 3]);
    assert_eq!(one_person(&names, &["Oak, Jim"]), PersonNames::default());
    assert_eq!(one_person(&[], &["", "Oak"]), PersonNames::default());
}

#[test]
fn names_proved_to_be_another_person_are_left_out() {
    let same: [Row; 2] = [
        ("Birch, Nils", 2020, 2000, 0, ""),
        ("Nils Birch", 2020, 2000, 0, ""),
    ];
    assert_eq!(person(&same, "Nils Birch").0.len(), 2);
    for changed in [
        [
            ("Birch, Nils", 2020, 2000, 11, ""),
            ("Nils Birch", 2020, 2000, 12, ""),
        ],
        [
            ("Birch, Nils", 2020, 2000, 0, "Nils Birch"),
            ("Nils Birch", 2020, 2000, 0, ""),
        ],
        [
            ("Birch, Nils", 1905, 0, 0, ""),
            ("Nils Birch", 2020, 0, 0, ""),
        ],
        [
            ("Birch, Nils", 1990, 0, 0, ""),
            ("Nils Birch", 2020, 0, 0, ""),
        ],
        [
            ("Birch, Nils", 2020, 1500, 0, ""),
            ("Nils Birch", 2020, 2500, 0, ""),
        ],
        [
            ("Birch, Nils", 2020, 2000, 0, ""),
            ("Birch, Nils jr.", 2020, 2000, 0, ""),
        ],
        [
            ("Birch, Nils", 2020, 2000, 0, ""),
            ("Birch, Nils II", 2020, 2000, 0, ""),
        ],
        [
            ("Birch, Nils", 2020, 2000, 0, ""),
            ("Birch, Nils2", 2020, 2000, 0, ""),
        ],
        [
            ("Birch, Nils", 2020, 2000, 11, ""),
            ("Birch,N", 2020, 2000, 12, ""),
        ],
    ] {
        for (asked, ..) in changed {
            let expected = (vec![asked.to_owned()], Vec::new());
            assert_eq!(person(&changed, asked), expected, "{changed:?}");
        }
    }
}

#[test]
fn a_number_of_fide_joins_different_names() {
    let rows = [
        ("Birch, Nora", 2005, 1800, 11, ""),
        ("Cedar, Nora", 2022, 2300, 11, ""),
        ("Nora Cedar", 2022, 2300, 0, ""),
        ("Cedar, N", 2022, 2300, 0, ""),
    ];
    let (counted, possible) = person(&rows, "Birch, Nora");
    assert_eq!(counted, ["Birch, Nora", "Cedar, Nora", "Nora Cedar"]);
    assert_eq!(possible, ["Cedar, N"]);
}

#[test]
fn name_that_fits_two_persons_joins_neither() {
    let rows = [
        ("Birch, Nils", 2020, 2000, 11, ""),
        ("Nils Birch", 2020, 2000, 12, ""),
        ("Birch,Nils", 2020, 2000, 0, ""),
        ("BIRCH, NILS", 2020, 2000, 12, ""),
    ];
    let one = |name: &str| vec![name.to_owned()];
    assert_eq!(
        person(&rows, "Birch, Nils"),
        (one("Birch, Nils"), one("Birch,Nils"))
    );
    let (counted, possible) = person(&rows, "Nils Birch");
    assert_eq!((counted.len(), possible), (2, one("Birch,Nils")));
    assert_eq!(person(&rows, "Birch,Nils").0, ["Birch,Nils"]);
    assert_eq!(proved_persons(&listed(&rows)), [[1, 3]]);
    // No decade without games: one person, though the first and the last are far apart.
    let years = [
        ("Oak, Jim", 1990, 0, 0, ""),
        ("Jim Oak", 2003, 0, 0, ""),
        ("OAK, JIM", 2016, 0, 0, ""),
    ];
    assert_eq!(proved_persons(&listed(&years)), [[0, 1, 2]]);
}

#[test]
fn many_names_with_one_number_are_not_one_person() {
    let mut names = Vec::new();
    for n in 0..3000 {
        let mut seen = NameUse::new(2020, None);
        seen.fide_ids.push(1);
        let letters = [n / 225, n / 15 % 15, n % 15].map(|n| b"bcdfghklmnprtvx"[n]);
        let letters = letters.map(char::from);
        names.push((letters.iter().collect(), seen));
    }
    assert!(proved_persons(&names).is_empty());
}

#[test]
fn players_of_one_game_with_the_same_number_are_two() {
    let game = Game::builder().white("Birch, Nils").black("Cedar, Ann");
    let game = game
        .tag("WhiteFideId", "11")
        .tag("BlackFideId", "11")
        .build();
    let names: Vec<_> = NameUse::of_players(&game).into_iter().flatten().collect();
    assert_eq!(names.len(), 2);
    assert_eq!(one_person(&names, &["Birch, Nils"]).possible.len(), 0);
    assert!(proved_persons(&names).is_empty());
}

/// The form with more games is not preferred if it is the worse form, with numbers too.
#[test]
fn fide_id_keeps_the_better_spelling() {
    let mut names = listed(&[
        ("BIRCH, NILS", 2020, 2000, 11, ""),
        ("Birch, Nils", 2020, 2000, 11, ""),
    ]);
    names[0].1.games = 9;
    let suggestions = suggest_names(&names, NamesAre::Persons);
    let [one] = suggestions.as_slice() else {
        panic!("{suggestions:?}");
    };
    assert_eq!((one.name, one.better, one.is_ambiguous), (0, 1, false));
}
