//! Tests of the comparison of names.

use super::*;

#[test]
fn a_name_with_several_better_ones_is_ambiguous() {
    let list = |names: &[(&str, u64)]| {
        let named = names.iter().map(|(name, games)| {
            let seen = NameUse {
                games: *games,
                ..NameUse::of(1990, None)
            };
            ((*name).to_owned(), seen)
        });
        let names: Vec<_> = named.collect();
        let found = suggest_names(&names).into_iter();
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
        (&[" Linares", "LINARES", "Linares"], "Linares"),
    ] {
        // The better name is rarer.
        let listed = names.iter().map(|name| {
            let seen = NameUse {
                games: 1 + 8 * u64::from(*name != better),
                ..NameUse::of(1990, None)
            };
            ((*name).to_owned(), seen)
        });
        let listed: Vec<_> = listed.collect();
        let found = suggest_names(&listed);
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
    let use_of = NameUse::of(1990, None);
    let alone = suggest_names(&[("Wijk  aan Zee ".to_owned(), use_of)]);
    assert_eq!(alone[0].spelling.as_deref(), Some("Wijk aan Zee"));
    for (one, other) in [
        ("Open 2023", "Open 2024"),
        ("TCEC Season 1", "TCEC Season 10"),
        ("Li, Chao", "Li, Chao2"),
    ] {
        let names = [one, other].map(|name| (name.to_owned(), use_of));
        assert_eq!(suggest_names(&names), [], "{one} / {other}");
    }
}

#[test]
fn spellings_of_a_name() {
    for (a, b) in [
        ("kasparov, garry", "kasparov, g"),
        ("kasparov, garry", "garry kasparov"),
        ("kasparov, garry", "kasparow, gary"),
        ("kasparov, garry", "kasparov"),
        ("korchnoi, viktor", "kortchnoi, v."),
        ("tal, mihail", "tal, m"),
        ("nepomniachtchi, ian", "nepomniachtchi,i"),
    ] {
        assert!(same_person(a, b) && same_person(b, a), "{a} / {b}");
    }
    for (a, b) in [
        ("kasparov, garry", "karpov, garry"),
        ("polgar, judit", "polgar, zsofia"),
        ("li, chao", "li, shilong"),
        ("smith, a", "smith, b"),
        ("", "kasparov"),
        ("g", "garry kasparov"),
    ] {
        assert!(!same_person(a, b) && !same_person(b, a), "{a} / {b}");
    }
    for (a, b) in [
        ("Blübaum, Matthias", "Bluebaum, M."),
        ("Høi, Carsten", "Hoei, Carsten"),
        ("Håkansson, Ulf", "Haakansson, U"),
        ("Weiß, Otto", "Weiss, Otto"),
    ] {
        let (a, b) = (fold_name(a), fold_name(b));
        assert!(same_person(&a, &b), "{a} / {b}");
        assert_eq!(surname_key(&a), surname_key(&b));
    }
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
    assert_eq!(surname_key("kasparov, garry"), "kasp");
    assert_eq!(surname_key("tal, mihail"), "tal");
}
