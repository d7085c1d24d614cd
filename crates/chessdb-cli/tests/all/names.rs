//! Tests of `names`: suggested and applied spellings.

use crate::arrange::{LONG, ids, tagged};
use crate::common::Lab;

#[test]
fn names_that_may_be_several_are_left_alone() {
    let lab = Lab::empty();
    let mut text = String::new();
    for (n, name) in ["Ivanov, A", "Ivanov, Alexander", "Ivanov, Alexey"]
        .iter()
        .enumerate()
    {
        for round in 0..2 {
            let round = (2 * n + round + 1).to_string();
            text += &tagged(&[("White", name), ("Round", &round)], LONG);
        }
    }
    lab.write("in.pgn", text);
    let found = lab.run(["names", "in.pgn", "--suggest"]).expect(0);
    assert_eq!(
        found.out.matches("# ambiguous: Ivanov, A\t").count(),
        2,
        "{}",
        found.out
    );
    assert!(
        found.err.contains("1 name with several candidates"),
        "{}",
        found.err
    );
    lab.write("list", &found.out);
    lab.run(["names", "--apply", "list", "in.pgn", "x.pgn"])
        .expect(3);
    lab.write("both", found.out.replace("# ambiguous: ", ""));
    let said = lab
        .run(["names", "--apply", "both", "in.pgn", "out.pgn"])
        .expect(1)
        .err;
    let meant = "\"Ivanov, A\" not renamed: ambiguous between Ivanov, Alexander; Ivanov, Alexey";
    assert!(said.contains(meant), "{said}");
    assert_eq!(ids(&lab, "out.pgn", "-white:Alex"), "1,2");
    lab.write("circle", "A\tB\nB\tA\n");
    let circle = lab
        .run(["names", "--apply", "circle", "in.pgn", "y.pgn"])
        .expect(3);
    assert!(
        circle.err.contains("in a cycle (A => B => A)"),
        "{}",
        circle.err
    );
    lab.write(
        "chain",
        "Ivanov, A\tIvanov, Al\nIvanov, Al\tIvanov, Alexei\n",
    );
    lab.run(["names", "-q", "--apply", "chain", "in.pgn", "z.pgn"])
        .expect(0);
    assert_eq!(ids(&lab, "z.pgn", "white:\"Ivanov, Alexei\""), "1,2");
}

#[test]
fn spelling_files_of_scid_correct_names_of_each_kind() {
    let lab = Lab::empty();
    let file = "@PLAYER \", .-\"\n%Prefix \"GM \" \"\"\nKorchnoi, Viktor  #gm SUI [2695] 1931\n   \
        %Bio FIDEID 1\n   = Kortchnoi, V\n@SITE \" .,-\"\n%Suffix \"(Italy)\" \"ITA\"\nMoscow RUS\n\
        = Moscow\n@EVENT \"\"\n%Infix \"Ch.\" \"Championship\"\n@ROUND \"\"\n1\n  = 01\n";
    lab.write("names.ssp", file);
    let game = |white: &str, site: &str, event: &str| {
        tagged(
            &[
                ("White", white),
                ("Site", site),
                ("Event", event),
                ("Round", "01"),
            ],
            LONG,
        )
        .replace("[Event \"Live\"]\n", "")
    };
    lab.write(
        "in.pgn",
        game("Kortchnoi,V", "Moscow.", "World Ch.")
            + &game("GM Korchnoi, Viktor", "Roma (Italy)", "Open"),
    );
    for (of, field, wanted) in [
        ("players", "white", ["Korchnoi, Viktor"; 2]),
        ("sites", "site", ["Moscow RUS", "Roma ITA"]),
        ("events", "event", ["World Championship", "Open"]),
        ("rounds", "round", ["1", "1"]),
    ] {
        let out = format!("{of}.pgn");
        let said = lab.run(["names", "--apply", "names.ssp", "--of", of, "in.pgn", &out]);
        let said = said.expect(0).err;
        let games = lab.run(["ls", &out, "--json"]).expect(0).json();
        let found: Vec<String> = (0..2)
            .map(|n| games["games"][n][field].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(found, wanted, "{said}");
    }
}
