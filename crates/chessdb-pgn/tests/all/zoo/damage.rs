//! Random damage as caused by typists, scanners and foreign programs.

use std::path::PathBuf;

use chessdb_core::{GameStore, ReadOptions};
use chessdb_pgn::Store;
use chessdb_testkit::fixtures;

/// A portable random number generator (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// Returns the seed and the number of games: `CHESSDB_ZOO=SEED,GAMES` for other and longer runs.
pub(crate) fn seed_and_games() -> (u64, usize) {
    let asked = std::env::var("CHESSDB_ZOO").ok();
    let asked = asked.as_deref().and_then(|run| run.split_once(','));
    match asked {
        Some((seed, games)) => (seed.parse().unwrap(), games.parse().unwrap()),
        None => (13, if cfg!(miri) { 20 } else { 2000 }),
    }
}

/// Returns games to damage, short enough that damage often hits a significant place.
pub(crate) fn seeds(files: &[PathBuf]) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for path in files {
        let bytes = fixtures::read(path);
        let Ok(store) = Store::open(&bytes, ReadOptions::default()) else {
            continue;
        };
        for n in 0..store.len().min(3) {
            let game = store.game_bytes(n).unwrap();
            if (60..4000).contains(&game.len()) && std::str::from_utf8(game).is_ok() {
                seeds.push(game.to_vec());
            }
        }
    }
    // Short games, in which one damaged word decides about the language of the game.
    for game in [
        "1. e4 e5 2. Ke2 d6 3. f3 *",
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O *",
        "1 d4 d5 2 c4 e6 3 Nc3 Nf6 4 Bg5 Be7 5 e3 O-O 1/2-1/2",
        "1. e4 d5 2. exd5 c6 3. dxc6 Kd7 4. cxb7 Qa5 5. bxa8=Q *",
        "1. f3 (1. d4 d5 (1... Nf6) 2. Nf3) e5 2. g4 Qh4# 0-1",
    ] {
        for _ in 0..20 {
            seeds.push(game.as_bytes().to_vec());
        }
    }
    seeds
}

/// Characters and their lookalikes.
const ALIKE: &[(char, &[&str])] = &[
    ('B', &["8", "В", "Β", "ß", "b", "Ｂ"]),
    ('K', &["К", "Κ", "k", "Ｋ"]),
    ('N', &["И", "Ν", "n", "H", "Ｎ", "ɴ"]),
    ('R', &["Я", "r", "Р", "Ｒ", "®"]),
    ('Q', &["0", "О", "O", "q", "Ｑ"]),
    ('O', &["0", "o", "О", "Ο", "Ø", "C"]),
    ('0', &["O", "o", "О"]),
    ('1', &["l", "I", "¹", "１", "7"]),
    ('5', &["S", "s", "⁵", "6"]),
    ('8', &["B", "⁸", "3"]),
    ('2', &["Z", "²"]),
    ('4', &["А", "⁴"]),
    ('3', &["З", "³", "8"]),
    ('a', &["а", "ɑ", "@", "o"]),
    ('b', &["6", "Ь", "h"]),
    ('c', &["с", "(", "¢", "e"]),
    ('d', &["ԁ", "cl"]),
    ('e', &["е", "é", "c"]),
    ('f', &["ƒ", "t"]),
    ('g', &["9", "q", "ɡ"]),
    ('h', &["һ", "b"]),
    ('x', &["х", "×", "X", "%", "*", ":"]),
    ('=', &["-", "", " = ", "＝"]),
    ('-', &["–", "—", "−", "‐", " ", "", "_"]),
    ('.', &["…", "·", ",", "", "..", ":"]),
    ('(', &["[", "{", "<", "（"]),
    (')', &["]", "}", ">", "）"]),
    ('+', &["†", "‡", "", "t"]),
];

const SPACES: &[&str] = &[
    "\u{A0}", "\u{2009}", "\u{200B}", "\u{3000}", "\t", "\n", "", "\u{AD}", "_", "-", ".", "---",
    "===",
];

const LETTERS: &[[&str; 5]] = &[
    ["K", "D", "T", "L", "S"],
    ["K", "D", "T", "L", "P"],
    ["R", "D", "T", "F", "C"],
    ["R", "D", "T", "A", "C"],
    ["Кр", "Ф", "Л", "С", "К"],
    ["K", "H", "W", "G", "S"],
    ["K", "D", "V", "S", "J"],
    ["K", "V", "B", "F", "H"],
    ["♔", "♕", "♖", "♗", "♘"],
    ["♚", "♛", "♜", "♝", "♞"],
];

/// Returns a damaged copy of a game.
pub(crate) fn damaged(game: &[u8], random: &mut Random) -> Vec<u8> {
    let text = String::from_utf8(game.to_vec()).unwrap();
    let start = text
        .rfind("]\n")
        .or_else(|| text.rfind("]\r\n"))
        .map_or(0, |n| n + 1);
    let (tags, moves) = text.split_at(start);
    let mut moves: Vec<String> = moves.chars().map(String::from).collect();
    if random.below(3) == 0 {
        translate(&mut moves, random.pick(LETTERS), None);
    }
    for _ in 0..1 + random.below(5) {
        let at = random.below(moves.len());
        match random.below(10) {
            0 => translate(&mut moves, random.pick(LETTERS), Some(at)),
            1 => moves[at] = String::new(),
            2 => moves.insert(at, random.pick(SPACES).to_owned()),
            3 => {
                let next = (at..moves.len()).find(|&n| moves[n] == " ");
                if let Some(n) = next {
                    moves[n] = random.pick(SPACES).to_owned();
                }
            }
            _ => {
                // The next character with a lookalike.
                let found = (at..moves.len()).find_map(|n| {
                    let c = moves[n].chars().next()?;
                    let alike = ALIKE.iter().find(|(of, _)| *of == c)?;
                    Some((n, alike.1))
                });
                if let Some((n, alike)) = found {
                    moves[n] = random.pick(alike).to_owned();
                }
            }
        }
    }
    let mut bytes = tags.as_bytes().to_vec();
    bytes.extend(moves.concat().into_bytes());
    bytes
}

/// Replaces the piece letters: of the whole game, or of the first word after `at`.
fn translate(moves: &mut [String], letters: [&str; 5], at: Option<usize>) {
    let mut comment = false;
    for piece in moves.iter_mut().skip(at.unwrap_or(0)) {
        match &**piece {
            "{" => comment = true,
            "}" => comment = false,
            letter @ ("K" | "Q" | "R" | "B" | "N") if !comment => {
                let kind = "KQRBN".find(letter).unwrap();
                letters[kind].clone_into(piece);
                if at.is_some() {
                    return;
                }
            }
            _ => {}
        }
    }
}
