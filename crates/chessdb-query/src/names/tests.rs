//! Tests of the comparison of names.

use super::*;

#[test]
fn a_name_with_several_better_ones_is_ambiguous() {
    let list = |names: &[(&str, u64)]| {
        let named = names.iter().map(|(name, games)| {
            let seen = NameUse {
                games: *games,
                ..NameUse::new(1990, None)
            };
            ((*name).to_owned(), seen)
        });
        let names: Vec<_> = named.collect();
        let found = suggest_names(&names, NamesAre::Persons).into_iter();
        let found = found.map(|one| {
            let name = |n: usize| names[n].0.clone();
            (name(one.name), name(one.better), one.is_ambiguous)
        });
        found.collect::<Vec<_>>()
    };
    let two = list(&[
        ("Ivanov, A", 2),
        ("Ivanov, Alexander", 3),
        ("Ivanov, Alexey", 3),
    ]);
    assert_eq!(two.len(), 2);
    assert!(
        two.iter()
            .all(|(name, _, is_ambiguous)| name == "Ivanov, A" && *is_ambiguous)
    );
    // One of the better names is a spelling of the other.
    let chain = list(&[
        ("Kasparov, G", 1),
        ("Kasparov, Gary", 2),
        ("Kasparov, Garry", 9),
    ]);
    assert_eq!(chain.len(), 3);
    assert!(
        chain.iter().all(|(_, _, is_ambiguous)| !is_ambiguous),
        "{chain:?}"
    );
    let umlaut = list(&[("Bluebaum, Matthias", 1), ("Blübaum, Matthias", 9)]);
    let names = (
        "Bluebaum, Matthias".to_owned(),
        "Blübaum, Matthias".to_owned(),
        false,
    );
    assert_eq!(umlaut, [names]);
}

#[test]
fn well_formed_spellings_are_preferred() {
    for (names, better) in [
        (
            &[
                "Tata Steel Masters",
                "Tata Steel  Masters",
                "tata steel masters",
            ][..],
            "Tata Steel Masters",
        ),
        (
            &["Tal, Mihail", "TAL, MIHAIL", "tal, mihail"],
            "Tal, Mihail",
        ),
        (
            &["Tal, Mihail", "Mihail Tal", "Tal,Mihail", "Tal , Mihail"],
            "Tal, Mihail",
        ),
        (&["S. Maple", "Maple,S", "S Maple"], "Maple,S"),
        (&[" Linares", "LINARES", "Linares"], "Linares"),
    ] {
        // The better name is rarer.
        let listed = names.iter().map(|name| {
            let seen = NameUse {
                games: 1 + 8 * u64::from(*name != better),
                ..NameUse::new(1990, None)
            };
            ((*name).to_owned(), seen)
        });
        let listed: Vec<_> = listed.collect();
        let found = suggest_names(&listed, NamesAre::Titles);
        for (n, name) in names
            .iter()
            .enumerate()
            .filter(|(_, name)| **name != better)
        {
            let to_best = found
                .iter()
                .any(|one| one.name == n && !one.is_ambiguous && names[one.better] == better);
            assert!(to_best, "{name}: {found:?}");
        }
    }
    let use_of = NameUse::new(1990, None);
    let alone = suggest_names(
        &[("Wijk  aan Zee ".to_owned(), use_of.clone())],
        NamesAre::Titles,
    );
    assert_eq!(alone[0].spelling.as_deref(), Some("Wijk aan Zee"));
    for (one, other) in [
        ("Open 2023", "Open 2024"),
        ("TCEC Season 1", "TCEC Season 10"),
        ("Li, Chao", "Li, Chao2"),
    ] {
        let names = [one, other].map(|name| (name.to_owned(), use_of.clone()));
        for kind in [NamesAre::Persons, NamesAre::Titles] {
            assert_eq!(suggest_names(&names, kind), [], "{one} / {other}");
        }
    }
}

/// Two names, each with its years, ratings and FIDE number; whether they are joined, and whether
/// with a mark.
#[test]
fn evidence_about_two_names() {
    let seen = |year: u16, elo: u16, fide_id: u32| NameUse {
        fide_ids: (fide_id > 0).then_some(fide_id).into_iter().collect(),
        ..NameUse::new(year, (elo > 0).then_some(elo))
    };
    let none = seen(1990, 0, 0);
    for (one, first, other, second, expected) in [
        (
            "Tal, M",
            none.clone(),
            "Tal, Mihail",
            none.clone(),
            Some(false),
        ),
        ("Tal", none.clone(), "Tal, Mihail", none.clone(), Some(true)),
        (
            "Tal, Mihall",
            none.clone(),
            "Tal, Mihail",
            none.clone(),
            Some(true),
        ),
        (
            "Tal, M",
            seen(1990, 0, 1),
            "Tal, Mihail",
            seen(1990, 0, 2),
            None,
        ),
        (
            "Tal, Mihail",
            seen(1990, 0, 1),
            "Mihail Tal",
            seen(1990, 0, 2),
            None,
        ),
        (
            "Tal, M",
            seen(1990, 0, 1),
            "Tal, Mihail",
            seen(1990, 0, 1),
            Some(false),
        ),
        (
            "Smith, Ann",
            seen(2010, 0, 7),
            "Jones, Ann",
            seen(2012, 0, 7),
            Some(false),
        ),
        (
            "Tal, M",
            seen(1990, 2000, 0),
            "Tal, Mihail",
            seen(1990, 2600, 0),
            None,
        ),
        (
            "Tal, M",
            seen(1880, 0, 0),
            "Tal, Mihail",
            seen(1990, 0, 0),
            None,
        ),
        (
            "Tal, Mihail jr.",
            none.clone(),
            "Tal, Mihail",
            none.clone(),
            None,
        ),
    ] {
        for turn in [false, true] {
            let mut names = vec![
                (one.to_owned(), first.clone()),
                (other.to_owned(), second.clone()),
            ];
            if turn {
                names.reverse();
            }
            let found = suggest_names(&names, NamesAre::Persons);
            let marks: Vec<bool> = found.iter().map(|one| one.is_ambiguous).collect();
            let expected: Vec<bool> = expected.into_iter().collect();
            assert_eq!(marks, expected, "{one} / {other}");
        }
    }
    let mut met = none.clone();
    met.met.push("Tal, M".to_owned());
    let names = [("Tal, M".to_owned(), none), ("Tal, Mihail".to_owned(), met)];
    assert_eq!(suggest_names(&names, NamesAre::Persons), []);
}

#[test]
fn byes_and_unknown_players() {
    for name in [
        "BYE",
        "bye 3",
        "Spielfrei",
        "½-point bye",
        "Bye (full point)",
        "freilos",
    ] {
        assert!(is_bye(&fold_name(name)), "{name}");
    }
    for name in ["Bye, John", "Byers", "Point, A", "", "?", "1", "Bye, A"] {
        assert!(!is_bye(&fold_name(name)), "{name}");
    }
    for name in ["", "?", "-", "N.N.", "NN", "N. N.", "Unknown", "anonymous"] {
        assert!(is_unknown_name(&fold_name(name)), "{name}");
    }
    assert!(!is_unknown_name("nn, anna") && !is_unknown_name("an"));
}
