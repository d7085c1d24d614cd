//! Endings, castling, promotions, material differences and sacrifices: tables of cases.

use chessdb_core::{Game, Outcome};
use chessdb_query::Query;

pub(crate) fn from(fen: &str, sans: &str) -> Game {
    let game = match fen {
        "" => Game::builder(),
        fen => Game::builder().fen(fen).unwrap(),
    };
    game.sans(sans.split_whitespace()).unwrap().build()
}

pub(crate) fn query(text: &str) -> Query {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn fits(text: &str, game: &Game) -> bool {
    query(text).matches(game)
}

pub(crate) fn ply(text: &str, game: &Game) -> Option<u32> {
    Some(query(text).find(game)?.hit()?.ply())
}

/// All endings by rule.
pub(crate) const BY_RULE: [&str; 5] = ["mate", "stalemate", "repetition", "fifty", "insufficient"];

/// Returns the endings by rule, separated by commas.
pub(crate) fn by_rule(game: &Game) -> String {
    let fits = |ending: &&str| fits(&format!("ending:{ending}"), game);
    BY_RULE
        .into_iter()
        .filter(fits)
        .collect::<Vec<_>>()
        .join(",")
}

const SHUFFLE: &str = "Nf3 Nf6 Ng1 Ng8 ";

#[test]
fn endings_by_rule() {
    let rooks = "7k/8/8/8/8/8/R7/K7 w - - 98 80";
    for (fen, sans, endings) in [
        ("", "", ""),
        ("", "f3 e5 g4 Qh4", "mate"),
        ("", "f3 e5 g4", ""),
        ("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "Qc7", "stalemate"),
        ("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "Qc8", "mate"),
        // The start position counts; three times needs eight half-moves.
        ("", SHUFFLE, ""),
        ("", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1", ""),
        ("", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", "repetition"),
        ("", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 e4", ""),
        // Before the king moved, castling was possible.
        (
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "Ke2 Kd7 Ke1 Ke8 Ke2 Kd7 Ke1 Ke8",
            "",
        ),
        (
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "Ke2 Kd7 Ke1 Ke8 Ke2 Kd7 Ke1 Ke8 Ke2 Kd7 Ke1 Ke8",
            "repetition",
        ),
        // The first time, Black could capture en passant.
        (
            "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1",
            "e4 Kd7 Kd2 Ke8 Ke1 Kd7 Kd2 Ke8 Ke1",
            "",
        ),
        (
            "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1",
            "e4 Kd7 Kd2 Ke8 Ke1 Kd7 Kd2 Ke8 Ke1 Kd7 Kd2 Ke8 Ke1",
            "repetition",
        ),
        // No pawn could, so the first time counts; nor can a pinned one.
        (
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
            "e4 Kd7 Kd2 Ke8 Ke1 Kd7 Kd2 Ke8 Ke1",
            "repetition",
        ),
        (
            "3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1",
            "e4 Kc7 Kf2 Kd8 Ke1 Kc7 Kf2 Kd8 Ke1",
            "repetition",
        ),
        (rooks, "Rb2", ""),
        (rooks, "Rb2 Kg8", "fifty"),
        (rooks, "Rb2 Kg8 Rb3", "fifty"),
        // Mate at the hundredth half-move is mate.
        ("7k/8/6K1/8/8/8/R7/8 w - - 99 80", "Ra8", "mate"),
        // A capture or pawn move starts the count again.
        ("7k/8/8/8/8/8/RP6/K7 w - - 99 80", "b3", ""),
        ("8/8/8/8/8/k7/8/K7 w - - 0 1", "", "insufficient"),
        ("8/8/8/8/8/k7/8/K1n5 w - - 0 1", "", "insufficient"),
        ("8/8/8/8/8/k7/7B/K7 w - - 0 1", "", "insufficient"),
        // Bishops on squares of one color, of any number and either side.
        ("8/6b1/8/8/8/k7/7B/K7 w - - 0 1", "", "insufficient"),
        ("8/5b1B/8/8/8/k7/6B1/K7 w - - 0 1", "", "insufficient"),
        ("8/5b2/8/8/8/k7/7B/K7 w - - 0 1", "", ""),
        ("8/8/8/8/8/k7/6BB/K7 w - - 0 1", "", ""),
        ("8/8/8/8/8/k7/8/K1nn4 w - - 0 1", "", ""),
        ("8/8/8/8/8/k7/8/K1nN4 w - - 0 1", "", ""),
        ("8/8/8/8/8/k7/8/K1nB4 w - - 0 1", "", ""),
        ("8/7p/8/8/8/k7/8/K7 w - - 0 1", "", ""),
        ("8/8/8/8/8/k7/7r/1K6 w - - 0 1", "", ""),
    ] {
        assert_eq!(by_rule(&from(fen, sans)), endings, "{fen} {sans}");
    }
}

/// Returns `f3 e5` with this result, tag and comment.
fn ended(result: &str, termination: &str, comment: &str) -> Game {
    let game = Game::builder().sans(["f3", "e5"]).unwrap();
    let game = match termination {
        "" => game,
        text => game.tag("Termination", text),
    };
    let mut game = match comment {
        "" => game.build(),
        text => game.comment(text).build(),
    };
    game.header.outcome = Outcome::from_pgn(result.as_bytes()).unwrap();
    game
}

#[test]
fn endings_that_the_source_states() {
    let all = [
        "resigned",
        "agreed",
        "time",
        "adjudicated",
        "abandoned",
        "illegal",
        "infraction",
        "forfeit",
    ];
    for (result, termination, comment, endings) in [
        ("1-0", "", "", "resigned"),
        ("0-1", "Normal", "", "resigned"),
        ("1/2-1/2", "", "", "agreed"),
        ("*", "", "", ""),
        ("1-0", "Time forfeit", "", "time"),
        ("1/2-1/2", "Time forfeit", "", "time"),
        ("1-0", "time forfeit", "White wins on time.", "time"),
        ("1-0", "A won on time", "", "time"),
        (
            "1/2-1/2",
            "Game drawn by timeout vs insufficient material",
            "",
            "time",
        ),
        ("1-0", "A won by resignation", "", "resigned"),
        ("1/2-1/2", "A won by resignation", "", ""),
        ("1/2-1/2", "Game drawn by agreement", "", "agreed"),
        ("1/2-1/2", "Game drawn by repetition", "", ""),
        ("1/2-1/2", "Game drawn by 50-move rule", "", ""),
        ("1-0", "A won by checkmate", "", ""),
        ("1-0", "A won - game abandoned", "", "abandoned"),
        ("1-0", "Abandoned", "", "abandoned"),
        ("0-1", "rules infraction", "", "infraction"),
        ("0-1", "Rules infraction: illegal move", "", "illegal"),
        ("0-1", "White makes an illegal move: e1e3", "", "illegal"),
        ("1-0", "Fair play violation", "", "infraction"),
        ("1-0", "Forfeit", "", "forfeit"),
        ("1-0", "Black did not appear: no show", "", "forfeit"),
        ("1-0", "Rules infraction", "", "infraction"),
        ("1-0", "adjudication", "", "adjudicated"),
        ("1/2-1/2", "adjudication", "", "adjudicated"),
        ("*", "unterminated", "", "abandoned"),
        ("1-0", "", "-5.30/22 1.5s, Black resigns", "resigned"),
        ("1-0", "", "Black forfeits on time", "time"),
        ("1-0", "", "Black ran out of time", "time"),
        (
            "1/2-1/2",
            "",
            "White ran out of time and Black has no material to mate",
            "time",
        ),
        (
            "1-0",
            "",
            "+7.00/20 1s, White wins by adjudication",
            "adjudicated",
        ),
        ("1-0", "", "Black disconnects", "abandoned"),
        ("1/2-1/2", "", "Game drawn by mutual agreement", "agreed"),
        (
            "1-0",
            "",
            "Black forfeits on time in a won position!",
            "resigned",
        ),
        ("1-0", "", "a fine move", "resigned"),
        // Draws by the rules, also where the position alone does not decide.
        (
            "1/2-1/2",
            "normal",
            "Neither player has mating material",
            "",
        ),
        (
            "1/2-1/2",
            "",
            "Game drawn because neither side has mating material",
            "",
        ),
        (
            "1/2-1/2",
            "",
            "0.00/30 1s, Draw by insufficient mating material",
            "",
        ),
        ("1/2-1/2", "", "Draw by 3-fold repetition", ""),
        ("1/2-1/2", "", "Draw by fifty moves rule", ""),
        ("1/2-1/2", "", "Game drawn by the 50 move rule", ""),
        ("1/2-1/2", "", "Game drawn by stalemate", ""),
    ] {
        let game = ended(result, termination, comment);
        let fits = |ending: &&str| fits(&format!("ending:{ending}"), &game);
        let found: Vec<&str> = all.into_iter().filter(fits).collect();
        assert_eq!(found.join(","), endings, "{result} {termination} {comment}");
    }
    let server = ended("1/2-1/2", "", "Neither player has mating material");
    assert!(fits("ending:insufficient", &server));
    // On the board the game is decided; a game without moves was not played.
    let with = |mut game: Game, outcome| {
        game.header.outcome = outcome;
        game
    };
    let mated = with(from("", "f3 e5 g4 Qh4"), Outcome::BlackWins);
    assert!(!fits("ending:resigned", &mated) && fits("ending:mate,resigned", &mated));
    let drawn = with(from("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "Qc7"), Outcome::Draw);
    assert!(!fits("ending:agreed", &drawn) && fits("ending:stalemate", &drawn));
    let forfeit = with(Game::new(), Outcome::WhiteWins);
    assert!(!fits("ending:resigned", &forfeit));
    // A comment before the last move states nothing.
    let game = Game::builder()
        .sans(["e4"])
        .unwrap()
        .comment("Black resigns");
    let game = with(game.sans(["e5"]).unwrap().build(), Outcome::Draw);
    assert!(fits("ending:agreed", &game));
    // Other rules decide other endings.
    let atomic = Game::builder().tag("Variant", "Atomic");
    let atomic = atomic.sans(["f3", "e5", "g4", "Qh4"]).unwrap().build();
    assert_eq!(by_rule(&atomic), "");
    assert!("ending:win".parse::<Query>().is_err());
}

const SHORT: &str = "e4 e5 Nf3 Nf6 Bc4 Bc5 O-O O-O";
const OPPOSITE: &str = "d4 d5 Nc3 Nf6 Bg5 g6 Qd2 Bg7 O-O-O O-O";

#[test]
fn castling() {
    for (sans, matching, other) in [
        (
            SHORT,
            "short white black both same white-short black-O-O whiteshort kingside",
            "long opposite none white-long black-long",
        ),
        (
            OPPOSITE,
            "short long white black both opposite white-long black-short white-O-O-O queenside",
            "same none white-short black-long",
        ),
        (
            "e4 e5 Nf3 Nf6 Bc4 Bc5 O-O",
            "short white white-short",
            "black both same opposite none long black-short",
        ),
        ("e4 e5", "none", "white black both same opposite short long"),
    ] {
        let game = from("", sans);
        let fits = |value: &str| fits(&format!("castled:{value}"), &game);
        for value in matching.split(' ') {
            assert!(fits(value), "{value} {sans}");
        }
        for value in other.split(' ') {
            assert!(!fits(value), "{value} {sans}");
        }
        assert!(fits("none,white,black"));
    }
    for text in [
        "castled:",
        "castled:x",
        "castled:white-",
        "castled:white-none",
        "castled:O-O-O-O",
    ] {
        assert_eq!(
            text.parse::<Query>().is_err(),
            text != "castled:white-",
            "{text}"
        );
    }
}

#[test]
fn promotions() {
    let black_first = "8/P5k1/8/8/8/8/p7/2K5 b - - 0 1";
    for (sans, matching, other) in [
        (
            "a1=N",
            "N under any black-N black-any RN n",
            "Q white-N white-any RB black-Q",
        ),
        (
            "a1=Q Kc2 Kf7 a8=R",
            "Q R under any white-R black-Q Q,N",
            "N B white-Q black-R black-under",
        ),
        ("Kf7", "", "Q R B N any under"),
    ] {
        let game = from(black_first, sans);
        let fits = |value: &str| fits(&format!("promotion:{value}"), &game);
        for value in matching.split_whitespace() {
            assert!(fits(value), "{value} {sans}");
        }
        for value in other.split(' ') {
            assert!(!fits(value), "{value} {sans}");
        }
    }
    for text in [
        "promotion:",
        "promotion:K",
        "promotion:P",
        "promotion:white-",
        "promotion:white",
    ] {
        assert!(text.parse::<Query>().is_err(), "{text}");
    }
}

#[test]
fn imbalances_and_balance() {
    // White has a queen and a knight for two rooks and three pawns, and one pawn more elsewhere.
    let queen = from("r3k2r/ppp5/8/8/8/8/P7/3QK1N1 w - - 0 1", "Kf1 Rd8 Qxd8");
    for (value, first) in [
        ("QN-RR", Some(0)),
        ("RR-QN", Some(0)),
        ("QN-rr", Some(0)),
        ("rr-QN", Some(0)),
        ("qn-RR", None),
        ("QM-RR", Some(0)),
        ("QN-RRP2", Some(0)),
        ("QN-RRP", None),
        ("QN-RRP1+", Some(0)),
        ("QN-RRP*", Some(0)),
        ("QNP*-RR", None),
        ("QN-R", Some(3)),
        ("Q-RR", None),
        ("Q-RRN*", None),
        ("QN*-RR", Some(0)),
        ("Q", None),
        ("QM*-R*", Some(0)),
        ("qm*-R*", None),
        ("-q", None),
        ("-Q", None),
        ("QN2-RR", None),
        ("QN1-2-RR", Some(0)),
    ] {
        assert_eq!(ply(&format!("imbalance:{value}"), &queen), first, "{value}");
    }
    for (value, first) in [
        ("0", Some(0)),
        ("..-1", None),
        ("5..", Some(3)),
        ("5.. at:..2", None),
        (">0", Some(3)),
        ("0 for:3", Some(0)),
        ("0 for:4", None),
        ("-5..5", Some(0)),
        ("+5", Some(3)),
    ] {
        let key = if value.starts_with('>') { "balance" } else { "balance:" };
        assert_eq!(ply(&format!("{key}{value}"), &queen), first, "{value}");
    }
    assert_eq!(ply("imbalance:QN-RR material:KQNPKRRP3", &queen), Some(0));
    assert_eq!(ply("-imbalance:-q", &queen), None);
    let exchange = from("4k3/8/8/8/8/8/1r6/B3K3 w - - 0 1", "Bxb2 Kd7");
    for (value, first) in [
        ("R-M", Some(0)),
        ("r-B", Some(0)),
        ("R-m", None),
        ("R-N", None),
        ("B", Some(1)),
        ("B for:2", Some(1)),
        ("B for:3", None),
        ("N", None),
        ("M", Some(1)),
        ("b", None),
    ] {
        assert_eq!(
            ply(&format!("imbalance:{value}"), &exchange),
            first,
            "{value}"
        );
    }
    for text in [
        "", "-", "Q-R-N", "K", "x", "Qr", "Q-Rr", "q-r", "MN", "M-B", "R3-1", "Q--R",
    ] {
        let text = format!("imbalance:{text}");
        assert!(text.parse::<Query>().is_err(), "{text}");
    }
}

#[test]
fn sacrifices() {
    let with = |fen: &str, sans: &str, result: &str| {
        let mut game = from(fen, sans);
        game.header.outcome = Outcome::from_pgn(result.as_bytes()).unwrap();
        game
    };
    // Legal's mate: White gives the queen for two pawns.
    let legal = "e4 e5 Nf3 d6 Bc4 Bg4 Nc3 g6 Nxe5 Bxd1 Bxf7 Ke7 Nd5";
    let game = with("", legal, "1-0");
    for (value, is_found) in [
        ("Q", true),
        ("7", true),
        ("8", false),
        ("R", false),
        ("N", false),
        ("Q,R", true),
    ] {
        assert_eq!(
            fits(&format!("sacrifice:{value}"), &game),
            is_found,
            "{value}"
        );
    }
    for result in ["0-1", "1/2-1/2", "*"] {
        assert!(!fits("sacrifice:Q", &with("", legal, result)), "{result}");
    }
    // An exchange of queens is not one, whoever wins.
    let exchange = "d4 d5 Qd3 Qd6 Qg3 Qxg3 hxg3 Nc6";
    for result in ["1-0", "0-1"] {
        assert!(
            !fits("sacrifice:Q", &with("", exchange, result)),
            "{result}"
        );
    }
    // Black wins without the rook, but White has none either.
    let rooks = with("r4k2/8/8/8/8/8/6PP/Q6K w - - 0 1", "Qxa8 Ke7", "0-1");
    assert!(fits("sacrifice:11", &rooks) && !fits("sacrifice:R,12", &rooks));
    for text in [
        "sacrifice:",
        "sacrifice:0",
        "sacrifice:-3",
        "sacrifice:K",
        "sacrifice:x",
    ] {
        assert!(text.parse::<Query>().is_err(), "{text}");
    }
}
