//! Terms about endings, castling, promotions, material differences and sacrifices agree with plain
//! counts over the positions of random games, which shakmaty plays.

use chessdb_core::rules::Position;
use chessdb_core::{Game, Outcome, PackedMove};
use chessdb_testkit::rng::Rng;

use crate::questions::{BY_RULE, by_rule, fits, from, ply};

/// The facts of a random game, by shakmaty: FENs of all positions, and SANs.
struct Plain {
    fens: Vec<String>,
    sans: Vec<String>,
    /// Whether a pawn can capture en passant, in each position.
    takes: Vec<bool>,
    is_stuck: bool,
}

impl Plain {
    fn of(game: &Game) -> Plain {
        let mut position = Position::from_board(&game.start_board()).unwrap();
        let takes = |position: &Position| {
            let is_ep = |mv: &PackedMove| mv.kind() == chessdb_core::board::MoveKind::EnPassant;
            position.legal_moves().iter().any(is_ep)
        };
        let mut plain = Plain {
            fens: vec![position.fen()],
            sans: Vec::new(),
            takes: vec![takes(&position)],
            is_stuck: false,
        };
        for mv in game.mainline() {
            plain.sans.push(position.san(mv).unwrap());
            assert!(position.play(mv));
            plain.fens.push(position.fen());
            plain.takes.push(takes(&position));
        }
        plain.is_stuck = position.legal_moves().is_empty();
        plain
    }

    /// Returns the numbers of pieces by letter at a ply.
    fn count(&self, ply: usize, letter: char) -> i32 {
        let board = self.fens[ply].split(' ').next().unwrap();
        board.chars().filter(|&piece| piece == letter).count() as i32
    }

    fn difference(&self, ply: usize, letter: char) -> i32 {
        self.count(ply, letter) - self.count(ply, letter.to_ascii_lowercase())
    }

    fn points(&self, ply: usize) -> i32 {
        let each = [('P', 1), ('N', 3), ('B', 3), ('R', 5), ('Q', 9)];
        each.map(|(letter, points)| points * self.difference(ply, letter))
            .iter()
            .sum()
    }

    fn endings(&self) -> String {
        let last = self.fens.len() - 1;
        let is_mate = self.sans.last().is_some_and(|san| san.ends_with('#'));
        let same = |ply: usize| {
            let fields: Vec<&str> = self.fens[ply].split(' ').collect();
            let ep = if self.takes[ply] { fields[3] } else { "-" };
            format!("{} {} {} {ep}", fields[0], fields[1], fields[2])
        };
        let times = (0..=last).filter(|&ply| same(ply) == same(last)).count();
        let clock: u32 = self.fens[last].split(' ').nth(4).unwrap().parse().unwrap();
        let board = self.fens[last].split(' ').next().unwrap();
        let pieces: String = board
            .chars()
            .filter(|c| c.is_ascii_alphabetic() && !"kK".contains(*c))
            .collect();
        let mut colors = [false; 2];
        for (row, rank) in board.split('/').enumerate() {
            let mut column = 0;
            for piece in rank.chars() {
                colors[(row + column) % 2] |= "bB".contains(piece);
                column += piece.to_digit(10).map_or(1, |empty| empty as usize);
            }
        }
        let is_one_color = !(colors[0] && colors[1]);
        let is_insufficient = pieces.is_empty()
            || pieces.eq_ignore_ascii_case("n")
            || pieces.chars().all(|piece| "bB".contains(piece)) && is_one_color;
        let found = [
            is_mate,
            self.is_stuck && !is_mate,
            times >= 3,
            clock >= 100 && !self.is_stuck,
            is_insufficient,
        ];
        let names = BY_RULE.into_iter().zip(found).filter(|(_, found)| *found);
        names.map(|(name, _)| name).collect::<Vec<_>>().join(",")
    }

    /// Returns the first ply of a run of positions that pass the test, if it is long enough.
    fn run(&self, lasting: u32, test: impl Fn(usize) -> bool) -> Option<u32> {
        let mut count = 0;
        for ply in 0..self.fens.len() {
            count = if test(ply) { count + 1 } else { 0 };
            if count == lasting {
                return Some(ply as u32 + 1 - lasting);
            }
        }
        None
    }
}

/// Returns a game of random legal moves, up to a mate, a stalemate or `most` half-moves.
fn random(rng: &mut Rng, fen: &str, most: usize) -> Game {
    let mut position = Position::from_board(&from(fen, "").start_board()).unwrap();
    let mut sans = String::new();
    // Pieces often go back in some games, so that positions occur again.
    let goes_back = rng.chance(50);
    let mut played: Vec<PackedMove> = Vec::new();
    for _ in 0..most {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let before = played.iter().nth_back(1);
        let back = before.map(|mv| PackedMove::normal(mv.to(), mv.from()));
        let mv = match back {
            Some(back) if goes_back && moves.contains(&back) && rng.chance(80) => back,
            _ => rng.pick(&moves),
        };
        played.push(mv);
        sans.push_str(&position.san(mv).unwrap());
        sans.push(' ');
        position.play(mv);
    }
    let mut game = from(fen, &sans);
    game.header.outcome = rng.pick(&Outcome::ALL);
    game
}

#[test]
fn random_games_agree_with_plain_counts() {
    let starts = [
        ("", 200),
        ("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1", 60),
        ("8/P1P3k1/8/8/8/8/p1p5/2K5 w - - 0 1", 40),
        ("8/8/8/3k4/8/8/6R1/K6R w - - 60 1", 120),
        ("k7/8/8/8/8/8/8/K2Q4 w - - 0 1", 80),
        ("4k3/8/8/3p4/8/5B2/8/3BK3 w - - 0 1", 120),
        ("k7/8/8/8/8/n7/8/K1N5 w - - 0 1", 60),
        ("kb6/8/8/8/8/8/8/K1B5 w - - 0 1", 60),
        ("1k6/1P6/8/1K6/8/8/8/8 w - - 0 1", 12),
    ];
    let mut rng = Rng::new(34);
    let mut seen = std::collections::BTreeMap::<String, u32>::new();
    let mut note = |what: &str, is_there: bool| {
        *seen.entry(what.to_owned()).or_default() += u32::from(is_there)
    };
    for n in 0..900 {
        let (fen, most) = starts[n % starts.len()];
        let most = rng.below(most) + 1;
        let game = random(&mut rng, fen, most);
        let plain = Plain::of(&game);
        let endings = plain.endings();
        assert_eq!(by_rule(&game), endings, "{}", plain.fens.join("\n"));
        for ending in BY_RULE {
            note(ending, endings.split(',').any(|one| one == ending));
        }
        let first_black = plain.fens[0].contains(" b ");
        let by = |ply: usize| ply.is_multiple_of(2) == first_black;
        for (value, sans, is_black) in [
            ("white-short", "O-O", false),
            ("black-short", "O-O", true),
            ("white-long", "O-O-O", false),
            ("black-long", "O-O-O", true),
        ] {
            let plies = plain.sans.iter().enumerate();
            let is_there = plies
                .clone()
                .any(|(ply, san)| san.trim_end_matches(['+', '#']) == sans && by(ply) == is_black);
            assert_eq!(
                fits(&format!("castled:{value}"), &game),
                is_there,
                "{value}"
            );
            note(value, is_there);
        }
        for letter in ["Q", "R", "B", "N"] {
            let is_there = plain
                .sans
                .iter()
                .any(|san| san.contains(&format!("={letter}")));
            assert_eq!(
                fits(&format!("promotion:{letter}"), &game),
                is_there,
                "{letter}"
            );
            note(&format!("={letter}"), is_there);
        }
        let d = |ply, letter| plain.difference(ply, letter);
        let exact = |ply: usize, wanted: [i32; 4]| {
            "NBRQ"
                .chars()
                .zip(wanted)
                .all(|(letter, wanted)| d(ply, letter) == wanted)
        };
        type Test<'t> = Box<dyn Fn(usize) -> bool + 't>;
        let tests: [(&str, Test<'_>); 7] = [
            (
                "imbalance:R-M",
                Box::new(|ply| {
                    [1, -1].into_iter().any(|s| {
                        s * d(ply, 'R') == 1
                            && s * (d(ply, 'N') + d(ply, 'B')) == -1
                            && d(ply, 'Q') == 0
                    })
                }),
            ),
            ("imbalance:r-B", Box::new(|ply| exact(ply, [0, 1, -1, 0]))),
            (
                "imbalance:B-N,n-B",
                Box::new(|ply| exact(ply, [-1, 1, 0, 0]) || exact(ply, [1, -1, 0, 0])),
            ),
            ("imbalance:-q", Box::new(|ply| exact(ply, [0, 0, 0, -1]))),
            (
                "imbalance:P2+-Q*",
                Box::new(|ply| {
                    [1, -1].into_iter().any(|s| {
                        s * d(ply, 'P') >= 2
                            && s * d(ply, 'Q') <= 0
                            && d(ply, 'R') == 0
                            && d(ply, 'N') == 0
                            && d(ply, 'B') == 0
                    })
                }),
            ),
            ("balance:3..", Box::new(|ply| plain.points(ply) >= 3)),
            (
                "balance:..-5,-1..0",
                Box::new(|ply| plain.points(ply) <= -5 || (-1..=0).contains(&plain.points(ply))),
            ),
        ];
        for (text, test) in &tests {
            for lasting in [1, 2, 5] {
                let wanted = plain.run(lasting, test);
                let text = format!("{text} for:{lasting}");
                assert_eq!(
                    ply(&text, &game),
                    wanted,
                    "{text}\n{}",
                    plain.fens.join("\n")
                );
                note(&text, wanted.is_some());
            }
        }
        let winner = match game.header.outcome {
            Outcome::WhiteWins => 1,
            Outcome::BlackWins => -1,
            _ => 0,
        };
        for (value, least, letter) in [
            ("1", 1, None),
            ("4", 4, None),
            ("Q", 1, Some('Q')),
            ("r", 1, Some('R')),
        ] {
            let test = |ply: usize| {
                winner != 0
                    && winner * plain.points(ply) <= -least
                    && letter.is_none_or(|letter| winner * d(ply, letter) < 0)
            };
            let last = plain.fens.len() - 1;
            let wanted = plain.run(6, test).is_some() || last > 0 && test(last) && test(last - 1);
            assert_eq!(
                fits(&format!("sacrifice:{value}"), &game),
                wanted,
                "{value}"
            );
            note(&format!("sacrifice:{value}"), wanted);
        }
    }
    // Each case has occurred, and its opposite.
    for (what, count) in seen {
        assert!((1..900).contains(&count), "{what}: {count}");
    }
}
