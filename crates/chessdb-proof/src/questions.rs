//! Random queries for the games of a database.

use chessdb::Database;
use chessdb::core::{Board, Color, Game, PieceType, Square};
use chessdb_testkit::rng::Rng;

/// The text fields that random queries use.
const TEXT_KEYS: &[&str] = &[
    "player",
    "white",
    "black",
    "event",
    "site",
    "annotator",
    "text",
];

/// The values of `has:`.
const CONTENTS: &[&str] = &[
    "variations",
    "comments",
    "nags",
    "clocks",
    "evals",
    "fen",
    "arrows",
];

/// A generator of random queries.
///
/// Their values come from the games of one database, so that many queries match a few games.
#[derive(Debug)]
pub struct Questions {
    games: Vec<Game>,
    rng: Rng,
}

impl Questions {
    /// Collects the values of all readable games.
    pub fn new(db: &Database, seed: u64) -> Questions {
        Questions {
            games: db
                .games()
                .filter_map(Result::ok)
                .map(chessdb::Game::into_model)
                .collect(),
            rng: Rng::new(seed),
        }
    }

    /// Returns the next query, in the language described by `chessdb help query`.
    pub fn next_query(&mut self) -> String {
        let terms = 1 + self.rng.below(3);
        let mut query = String::new();
        for n in 0..terms {
            if n > 0 {
                query.push_str(if self.rng.chance(30) { " or " } else { " " });
            }
            let term = self.term();
            match self.rng.below(8) {
                0 => query.push_str(&format!("-{term}")),
                1 => {
                    let other = self.term();
                    query.push_str(&format!("({term} or {other})"));
                }
                2 => query.push_str(&format!("-({term})")),
                _ => query.push_str(&term),
            }
        }
        query
    }

    fn term(&mut self) -> String {
        match self.rng.below(3) {
            0 => self.position(),
            _ => self.header(),
        }
    }

    fn game(&mut self) -> Game {
        let index = self.rng.below(self.games.len().max(1));
        self.games.get(index).cloned().unwrap_or_default()
    }

    fn header(&mut self) -> String {
        let game = self.game();
        match self.rng.below(16) {
            0..=3 => self.text(&game),
            4 => format!("result:{}", self.rng.pick(&["1-0", "0-1", "draw", "*"])),
            5 => self.range("year", game.header.date.year.clamp(1900, 9000).into(), 40),
            6 => {
                let mut date = game.header.date;
                date.year = date.year.clamp(1900, 9000);
                let month = u32::from(date.month).clamp(1, 12);
                format!("date:{}.{month:02}..{}.12", date.year, date.year + 2)
            }
            7 => {
                let key = self.rng.pick(&["elo", "whiteelo", "blackelo", "minelo"]);
                let elo = game.header.white.rating.map_or(2000, |rating| rating.value);
                self.range(key, u32::from(elo), 300)
            }
            8 => format!(
                "elodiff:{}..{}",
                -(self.rng.below(400) as i64),
                self.rng.below(400)
            ),
            9 => self.range("moves", game.plies().div_ceil(2), 15),
            10 => self.range("plies", game.plies(), 30),
            11 => format!(
                "start:{}",
                self.rng.pick(&["standard", "setup", "chess960"])
            ),
            12 => format!("has:{}", self.rng.pick(CONTENTS)),
            13 => match game.header.eco {
                Some(eco) => format!("eco:{}", char::from(b'A' + (eco.code / 100).min(4) as u8)),
                None => "eco:C".to_owned(),
            },
            14 => format!(
                "tag:{}",
                self.rng
                    .pick(&["ECO", "FEN", "SetUp", "WhiteElo", "Opening"])
            ),
            _ => format!("round:{}", 1 + self.rng.below(12)),
        }
    }

    /// Returns a term that searches a text field for the beginning of a word from the game's event,
    /// site or player names.
    fn text(&mut self, game: &Game) -> String {
        let key = self.rng.pick(TEXT_KEYS);
        let value = match key {
            "event" => game.event(),
            "site" => game.site(),
            "black" => game.black(),
            _ => game.white(),
        };
        let words: Vec<&str> = value.split(|c: char| !c.is_alphanumeric()).collect();
        let word = words
            .iter()
            .find(|word| word.len() > 2)
            .copied()
            .unwrap_or("Miller");
        let letters = 2 + self.rng.below(6);
        let word: String = word.chars().take(letters).collect();
        format!("{key}:\"{word}\"")
    }

    /// Returns a range around a value, sometimes open at one end.
    fn range(&mut self, key: &str, value: u32, width: usize) -> String {
        let low = value.saturating_sub(self.rng.below(width + 1) as u32);
        // A range that ends at 0 contains no value, which the language rejects.
        let high = (value + self.rng.below(width + 1) as u32).max(1);
        match self.rng.below(4) {
            0 => format!("{key}:{low}.."),
            1 => format!("{key}:..{high}"),
            _ => format!("{key}:{low}..{high}"),
        }
    }

    fn position(&mut self) -> String {
        let game = self.game();
        let boards: Vec<Board> = game.positions().collect();
        let index = self.rng.below(boards.len().max(1));
        let board = boards.get(index).cloned().unwrap_or_else(Board::standard);
        let fen = board.to_string();
        let placement = fen.split(' ').next().unwrap_or_default();
        let mut term = match self.rng.below(9) {
            0 | 1 => format!("fen:\"{fen}\""),
            2 => format!("fen:\"{placement}\""),
            3 => format!("fen!:\"{fen}\""),
            4 => format!("pattern:\"{}\"", self.pattern(&board)),
            5 | 6 => self.pieces(&board),
            7 => {
                let sans = game.sans();
                // A query for a line always begins at the standard position, and null moves are no
                // part of it.
                let own_start = boards
                    .first()
                    .is_none_or(|first| *first != Board::standard());
                if own_start || sans.is_empty() || sans.iter().any(|san| san == "--") {
                    "line:\"1.e4\"".to_owned()
                } else {
                    let plies = 1 + self.rng.below(sans.len().min(8));
                    format!(
                        "line:\"{}\"",
                        sans.get(..plies).unwrap_or_default().join(" ")
                    )
                }
            }
            _ => format!("material:{}", material(&board)),
        };
        if !term.starts_with("line") && self.rng.chance(20) {
            let low = (index as u64).saturating_sub(self.rng.below(10) as u64);
            term += &format!(" at:{low}..{}", index + self.rng.below(10));
        }
        // Only an arrangement of pieces may have to stay on the board.
        if term.starts_with("sub") && self.rng.chance(30) {
            term += &format!(" for:{}", 2 + self.rng.below(4));
        }
        if term.starts_with("sub") && self.rng.chance(20) {
            term += &format!(" material:{}", material(&board));
        }
        // Terms about one position share parentheses.
        format!("({term})")
    }

    /// Returns a term with up to three pieces of the board and their squares.
    fn pieces(&mut self, board: &Board) -> String {
        let all: Vec<String> = (0..64)
            .filter_map(|n| {
                let square = Square::from_coords(n % 8, n / 8)?;
                let piece = board.piece_at(square)?;
                Some(format!("{}{square}", letter(piece.color, piece.kind)))
            })
            .collect();
        let mut some: Vec<&str> = (0..2 + self.rng.below(2))
            .map(|_| self.rng.below(all.len().max(1)))
            .filter_map(|n| all.get(n).map(String::as_str))
            .collect();
        some.sort_unstable();
        some.dedup();
        if some.is_empty() {
            "sub:\"Ke1\"".to_owned()
        } else {
            format!("sub:\"{}\"", some.join(" "))
        }
    }

    /// Returns a pattern with some ranks of the board and `*` for the others.
    fn pattern(&mut self, board: &Board) -> String {
        let fen = board.to_string();
        let ranks = fen.split(' ').next().unwrap_or_default().split('/');
        let ranks: Vec<&str> = ranks
            .map(|rank| if self.rng.chance(30) { rank } else { "*" })
            .collect();
        ranks.join("/")
    }
}

fn letter(color: Color, kind: PieceType) -> char {
    let letter = match kind {
        PieceType::Pawn => 'P',
        PieceType::Knight => 'N',
        PieceType::Bishop => 'B',
        PieceType::Rook => 'R',
        PieceType::Queen => 'Q',
        PieceType::King => 'K',
    };
    if color == Color::White { letter } else { letter.to_ascii_lowercase() }
}

fn material(board: &Board) -> String {
    let side = |color| -> String {
        let kinds = PieceType::ALL.into_iter().rev();
        kinds
            .map(|kind| {
                letter(Color::White, kind)
                    .to_string()
                    .repeat(board.pieces(color, kind).len() as usize)
            })
            .collect()
    };
    format!("{}-{}", side(Color::White), side(Color::Black))
}
