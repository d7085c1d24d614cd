//! Scores by player: the names of one person.

use chessdb_core::{Game, Outcome};
use chessdb_query::stats::groups::{GroupKey, Groups};

#[test]
fn names_of_one_person_are_one_row() {
    let names = [
        ("BIRCH, NILS", 1),
        ("Nils Birch", 3),
        ("Birch, Nils", 2),
        ("Birch,N", 4),
        ("Birch, Nora", 1),
        ("Birch, Nora jr.", 1),
        ("?", 5),
    ];
    for turn in 0..names.len() {
        let mut names = names;
        names.rotate_left(turn);
        let mut groups = Groups::new(GroupKey::Player);
        for (name, games) in names {
            for round in 0..games {
                let [white, black] =
                    if round % 2 == 0 { [name, "Oak, Jim"] } else { ["Oak, Jim", name] };
                let game = Game::builder()
                    .white(white)
                    .black(black)
                    .result(Outcome::WhiteWins);
                groups.add(groups.entry(&game.sans(["e4"]).unwrap().build()));
            }
        }
        let joined = groups.join_persons();
        let [one] = joined.as_slice() else {
            panic!("{joined:?}");
        };
        let spellings = [("Nils Birch", 3), ("Birch, Nils", 2), ("BIRCH, NILS", 1)];
        let spellings = spellings.map(|(name, games)| (name.to_owned(), games));
        assert_eq!(
            (one.name.as_str(), &one.spellings[..]),
            ("Birch, Nils", &spellings[..])
        );
        let rows = groups.most(usize::MAX).into_iter();
        let rows: Vec<_> = rows
            .map(|(name, score)| (name, score.games(), score.wins()))
            .collect();
        let expected = [
            ("Oak, Jim", 17, 6),
            ("Birch, Nils", 6, 4),
            ("", 5, 3),
            ("Birch,N", 4, 2),
            ("Birch, Nora", 1, 1),
            ("Birch, Nora jr.", 1, 1),
        ];
        assert_eq!(rows, expected);
        assert!(groups.join_persons().is_empty());
    }
}
