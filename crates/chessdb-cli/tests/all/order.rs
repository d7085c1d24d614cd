//! Tests of the order, number and columns of printed games, and of lists of positions.

use crate::arrange::ids;
use crate::common::{BROKEN, Lab};

const MOVES: [&str; 7] = ["e4", "c5", "Nf3", "d6", "d4", "cxd4", "Nxd4"];

/// Games with values that repeat, in no order.
fn many(first: u32, count: u32) -> String {
    let mut text = String::new();
    let mut state = first;
    for n in 0..count {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let random = |shift: u32, below: u32| (state >> shift) % below;
        let (year, round) = (1990 + random(28, 5), random(20, 12));
        let (white, elo) = (random(16, 6), 2400 + 50 * random(12, 6));
        let plies = random(24, 8) as usize;
        let moves: Vec<String> = MOVES[..plies.min(7)]
            .iter()
            .enumerate()
            .map(|(ply, mv)| match ply % 2 {
                0 => format!("{}. {mv}", ply / 2 + 1),
                _ => (*mv).to_owned(),
            })
            .collect();
        text += &format!(
            "[Event \"E{n}\"]\n[Date \"{year}.??.??\"]\n[Round \"{round}\"]\n[White \"P{white}\"]\n\
             [Black \"Q\"]\n[Result \"*\"]\n[WhiteElo \"{elo}\"]\n\n{} *\n\n",
            moves.join(" ")
        );
    }
    text
}

fn lab() -> Lab {
    let lab = Lab::empty();
    lab.write("a.pgn", many(1, 60));
    lab.write("b.pgn", many(2, 40));
    lab.run(["convert", "-q", "a.pgn", "a.si4"]).expect(0);
    // A packed file is a stream, which has an order of its own.
    lab.run(["convert", "-q", "a.pgn", "a.pgn.gz"]).expect(0);
    lab
}

#[test]
fn a_limit_prints_the_first_of_all() {
    let lab = lab();
    for base in ["a.pgn", "a.si4", "a.pgn.gz", "-"] {
        for words in [
            "ls",
            "ls white:P1",
            "ls --sort -plies",
            "ls --sort white,-date -n 5-50",
            "ls --columns movetext,white,tag:Event --sort round",
            "find line:1.e4 --ids",
            "find line:1.e4 plies:2.. --sort -elo",
            "find line:1.e4 --sort date --columns game,ply,position",
            "cat --format uci --no-tags",
            "cat --format uci --no-tags --sort -plies,event",
        ] {
            let (command, rest) = words.split_once(' ').unwrap_or((words, ""));
            let mut args = vec![command, base];
            args.extend(rest.split_whitespace());
            let run = |more: &[&str]| {
                let args = [&args[..], more].concat();
                match base {
                    "-" => lab.run_with(&lab.read("a.pgn"), &args).out,
                    _ => lab.run(args).out,
                }
            };
            let all = run(&[]);
            let count = all.lines().count();
            assert!(count > 3, "{base} {words}: {all}");
            for limit in [0, 1, 3, count - 1, count, count + 5] {
                let some = run(&["--limit", &limit.to_string()]);
                let first: Vec<&str> = all.lines().take(limit).collect();
                let some: Vec<&str> = some.lines().collect();
                assert_eq!(some, first, "{base} {words} {limit}");
            }
        }
        if base != "-" {
            let count = ["find", base, "line:1.e4", "--count", "-m", "4"];
            assert_eq!(lab.run(count).out, "4\n");
        }
    }
    lab.run(["ls", "a.pgn", "--sort", "name"]).expect(2);
    lab.run(["ls", "a.pgn", "--limit", "-1"]).expect(2);
}

/// A list in an order is the list of the database that `sort` writes.
#[test]
fn a_sorted_list_is_that_of_a_sorted_database() {
    let lab = lab();
    let columns = ["--columns", "date,white,event,plies,whiteelo"];
    for base in ["a.pgn", "a.si4", "a.pgn.gz"] {
        for by in [
            "date",
            "-date,white",
            "-plies",
            "round,-elo",
            "WHITE",
            "-event",
        ] {
            let sorted = format!("sorted-{by}.pgn");
            lab.run(["sort", "-q", "--force", base, &sorted, "--by", by])
                .expect(0);
            let expected = lab.run([&["ls", &sorted], &columns[..]].concat()).expect(0);
            let listed = ["ls", base, "--sort", by];
            let listed = lab.run([&listed[..], &columns[..]].concat()).expect(0);
            assert_eq!(listed.out, expected.out, "{base} {by}");
            let target = format!("converted-{by}.pgn");
            let first = ["convert", "-q", "--force", "--sort", by, "-m", "7"];
            lab.run([&first[..], &[base, &target]].concat()).expect(0);
            let first = lab.run([&["ls", &target], &columns[..]].concat()).out;
            let expected: Vec<&str> = expected.out.lines().take(7).collect();
            assert_eq!(first.lines().collect::<Vec<_>>(), expected, "{base} {by}");
            let pgn = lab.run(["find", base, "white:P", "--pgn", "--sort", by]);
            assert_eq!(pgn.expect(0).out, lab.text(&sorted), "{base} {by}");
        }
    }
    let refused = lab.run(["convert", "a.pgn", "b.pgn", "x.pgn", "--sort", "date"]);
    assert!(refused.expect(2).err.contains("merge"));
}

#[test]
fn several_databases_become_one_list() {
    let lab = lab();
    lab.run(["merge", "-q", "a.pgn", "b.pgn", "all.pgn"])
        .expect(0);
    let columns = ["--columns", "event,white,plies", "--sort", "-plies,date"];
    for limit in [&[][..], &["-m", "9"]] {
        let one = lab.run([&["ls", "all.pgn"], &columns[..], limit].concat());
        let both = lab.run([&["ls", "a.pgn", "b.pgn"], &columns[..], limit].concat());
        let both = both.expect(0).out;
        let both: Vec<&str> = both
            .lines()
            .map(|line| line.split_once('\t').unwrap().1)
            .collect();
        let one = one.expect(0).out;
        assert_eq!(both, one.lines().collect::<Vec<_>>());
        let json = lab.run([&["ls", "a.pgn", "b.pgn", "--json"], &columns[..], limit].concat());
        let json = json.expect(0).json();
        let bases = json["bases"].as_array().unwrap().iter();
        let games = bases.flat_map(|base| base["games"].as_array().unwrap());
        let events: Vec<String> = games
            .map(|game| format!("{}\t{}\t{}", game["event"], game["white"], game["plyCount"]))
            .collect();
        assert_eq!(events.join("\n").replace('"', ""), one.trim_end());
        let trees = lab.run([&["cat", "a.pgn", "b.pgn", "--json"], &columns[2..], limit].concat());
        let trees = trees.expect(0).json();
        let bases = trees["bases"].as_array().unwrap().iter();
        let games: usize = bases
            .map(|base| base["games"].as_array().unwrap().len())
            .sum();
        assert_eq!(games, both.len());
    }
}

#[test]
fn a_damaged_game_is_reported_and_left_out_of_a_sorted_list() {
    let lab = Lab::empty();
    lab.write("bad.pgn", BROKEN);
    for extra in [
        &["--sort", "-white"][..],
        &["-m", "9"],
        &["-m", "9", "--sort", "event"],
    ] {
        let plain = lab.run(["ls", "bad.pgn"]);
        let ran = lab.run([&["ls", "bad.pgn"], extra].concat());
        assert_eq!(ran.code, plain.code, "{extra:?}: {}", ran.err);
        assert_eq!(
            ran.out.lines().count(),
            plain.out.lines().count(),
            "{extra:?}"
        );
    }
}

#[test]
fn columns_are_chosen_by_name() {
    let lab = Lab::new();
    let listed = |columns: &str| {
        lab.run(["ls", "games.pgn", "--columns", columns, "-n", "1"])
            .expect(0)
            .out
    };
    assert_eq!(
        listed("White,BLACK,game"),
        "Tal, Mihail\tSmyslov, Vasily\t1\n"
    );
    assert_eq!(
        listed("plies,moves,year"),
        "5\t1. e4 c6 2. d3 d5 3. Nd2 1-0\t1959\n"
    );
    assert_eq!(listed("opening,tag:ECO,result,deleted"), "\tB10\t1-0\t\n");
    let json = lab.run([
        "ls",
        "games.pgn",
        "--columns",
        "whiteelo,plies,date",
        "--json",
    ]);
    let json = json.expect(0).json();
    let first = serde_json::json!({"whiteElo": 2700, "plyCount": 5, "date": "1959.09.07"});
    assert_eq!(json["games"][0], first);
    for command in ["ls", "find"] {
        let names = lab.run([command, "--columns", "help"]).expect(0).out;
        assert!(names.starts_with("game\ndate\nwhite\n"), "{names}");
    }
    let wrong = lab.run(["ls", "games.pgn", "--columns", "whyte"]).expect(2);
    assert!(wrong.err.contains("columns: game, date"), "{}", wrong.err);
    lab.run(["ls", "--columns", "white"]).expect(2);
    lab.run(["cat", "games.pgn", "--columns", "white"])
        .expect(2);
}

#[cfg(feature = "tables")]
#[test]
fn tables_have_their_columns_on_standard_output() {
    let lab = Lab::new();
    for command in ["convert", "cat"] {
        let names = lab.run([command, "--columns", "help", "--format", "csv"]);
        let names = match command {
            "convert" => lab.run(["convert", "--columns", "HELP"]),
            _ => names,
        };
        let names = names.expect(0).out;
        assert!(
            names.contains("\nmovetext\n") && names.contains("text: Event,"),
            "{names}"
        );
    }
    let csv = [
        "cat",
        "games.si4",
        "--format",
        "csv",
        "--sort",
        "-date",
        "-m",
        "2",
    ];
    let csv = lab
        .run([&csv[..], &["--columns", "white,PLYCOUNT"]].concat())
        .expect(0);
    assert_eq!(
        csv.out,
        "White,PlyCount\n\"Karpov, Anatoly\",2\n\"Keres, Paul\",3\n"
    );
    let plain = lab
        .run(["cat", "games.si4", "--format", "csv", "-q"])
        .expect(0)
        .out;
    assert!(plain.contains("1. e4 c6 2. d3 d5 3. Nd2 1-0"), "{plain}");
    let line = lab.run(["cat", "games.si4", "--format", "ndjson", "-n", "3", "-q"]);
    let json: serde_json::Value = serde_json::from_str(&line.expect(0).out).unwrap();
    assert_eq!(json["movetext"], "1. e4 c5 0-1");
}

#[test]
fn a_count_of_several_databases_has_a_total() {
    let lab = Lab::new();
    lab.write("none.pgn", "[White \"Nobody\"]\n\n*\n");
    let find = |words: &[&str]| lab.run([&["find", ".", "--count"], words].concat());
    let counts = find(&["tal"]).expect(0).out;
    assert_eq!(counts, "games.pgn\t2\ngames.si4\t2\ntotal\t4\n");
    assert_eq!(find(&["petrosian"]).expect(1).out, "total\t0\n");
    let json = find(&["tal", "--json"]).expect(0).json();
    assert_eq!(json["total"], 4);
    let counts: Vec<_> = json["bases"].as_array().unwrap().iter().collect();
    assert_eq!(counts.len(), 3);
}

#[test]
fn positions_and_moves_are_written_line_by_line() {
    let lab = Lab::new();
    for base in ["games.pgn", "games.si4"] {
        let done = lab.run(["convert", base, "x.epd", "--force"]).expect(0);
        assert!(done.err.contains("tags left out"), "{}", done.err);
        assert!(done.err.contains("comment"), "{}", done.err);
        let epd = lab.text("x.epd");
        assert_eq!(epd.lines().count(), 6 + 4 + 3);
        assert_eq!(lab.run(["cat", base, "--format", "epd"]).out, epd);
        let id = format!("id \"{base} 2 ply 3\";");
        assert!(epd.lines().nth(9).unwrap().ends_with(&id), "{epd}");
        let last = ["convert", "-q", base, "-t", "fen", "-", "--final-position"];
        let last = lab.run(last).expect(0).out;
        let all = lab
            .run(["convert", "-q", base, "-t", "FEN", "-"])
            .expect(0)
            .out;
        let all: Vec<&str> = all.lines().collect();
        // No pawn can capture on the last square.
        let third = all[12].replace(" c6 ", " - ");
        assert_eq!(last.lines().collect::<Vec<_>>(), [all[5], all[9], &third]);
        lab.run(["convert", "-q", base, "x.uci", "--force"])
            .expect(0);
        let uci = lab.run(["cat", base, "--format", "uci", "--no-tags"]).out;
        assert_eq!(lab.text("x.uci"), uci);
        let strict = ["convert", "-q", base, "no.epd", "--strict"];
        lab.run(strict).expect(1);
        assert!(!lab.path("no.epd").exists());
    }
    lab.run(["convert", "games.pgn", "x.pgn", "--final-position"])
        .expect(2);
    // They are read back as positions.
    let positions = lab.text("x.epd").lines().count();
    for file in ["x.epd", "x.fen"] {
        lab.run(["convert", "-q", "games.pgn", file, "--force"])
            .expect(0);
        let games = lab.run(["cat", file]).expect(0).out;
        let games = games.matches("[Event ").count();
        assert_eq!(games, lab.text(file).lines().count(), "{file}");
    }
    assert!(positions > 0);
}

#[test]
fn a_database_is_changed_in_place() {
    for format in ["pgn", "si4", "pgn.gz"] {
        let lab = Lab::new();
        let base = format!("my.{format}");
        lab.run(["convert", "-q", "games.pgn", &base]).expect(0);
        lab.run(["sort", "-q", &base, "--by", "-date"]).expect(0);
        assert_eq!(ids(&lab, &base, "white:karpov"), "1", "{format}");
        assert_eq!(ids(&lab, &base, "white:tal"), "3", "{format}");
        lab.run(["eco", "-q", &base, "--all", "-n", "1-"]).expect(0);
        assert_eq!(ids(&lab, &base, "eco:B20"), "1", "{format}");
        let rename = ["names", "-q", "--rename", "Tal, Mihail", "Tal, M", &base];
        lab.run(rename).expect(2);
        lab.run([&rename[..], &["-n", "1-"]].concat()).expect(0);
        assert_eq!(
            ids(&lab, &base, "player:\"Tal, M\" -player:Mihail"),
            "2,3",
            "{format}"
        );
        // Nothing else was touched.
        let before = lab.read(&base);
        for args in [
            &["sort", &base, "white:tal", "--by", "date"][..],
            &["sort", &base, "--by", "date", "-n", "1"],
            &["eco", &base],
            &["names", "--rename", "a", &base],
            &["names", "--rename", "", "b", &base],
        ] {
            lab.run(args).expect(2);
            assert_eq!(lab.read(&base), before, "{args:?}");
        }
    }
    let lab = Lab::empty();
    lab.write("bad.pgn", BROKEN);
    let sorted = lab.run(["sort", "bad.pgn", "--by", "white"]).expect(0);
    assert!(sorted.err.contains("kept byte for byte"), "{}", sorted.err);
    assert!(lab.text("bad.pgn").contains("Ke7"));
    let sorted = lab.run_with(many(1, 3).as_bytes(), &["sort", "-", "--by", "-event"]);
    assert!(sorted.expect(0).out.starts_with("[Event \"E2\"]"));
}

#[test]
fn merge_lists_what_it_leaves_out() {
    let lab = Lab::new();
    let args = ["merge", "-q", "games.pgn", "games.si4", "--append"];
    lab.run([&args[..], &["--dedupe", "--map", "gone"]].concat());
    let gone = lab.text("gone");
    assert_eq!(gone.lines().count(), 3, "{gone}");
    assert!(gone.starts_with("games.pgn\t1\tgames.si4\t1\n"), "{gone}");
    lab.run(["merge", "games.pgn", "x.si4", "--map", "gone2"])
        .expect(2);
}

#[test]
fn parts_keep_the_capitals_of_names() {
    let lab = Lab::empty();
    let game = |white: &str| format!("[White \"{white}\"]\n[Black \"?\"]\n\n1. e4 *\n\n");
    let names = ["de la Cruz, Ana", "De La Cruz, Ana", "McShane"];
    lab.write("in.pgn", names.map(game).concat());
    lab.run(["split", "-q", "in.pgn", "--by", "player", "-o", "out"])
        .expect(0);
    let mut files = lab.names();
    files.retain(|name| name.starts_with("out/"));
    let expected = ["De La Cruz, Ana", "McShane", "de la Cruz, Ana-2", "unknown"];
    assert_eq!(files, expected.map(|name| format!("out/{name}.pgn")));
    let piped = ["split", "-q", "-", "--by", "1", "-o", "parts"];
    lab.run_with(&lab.read("in.pgn"), &piped).expect(0);
    assert_eq!(ids(&lab, "parts/000003.pgn", "white:McShane"), "1");
}
