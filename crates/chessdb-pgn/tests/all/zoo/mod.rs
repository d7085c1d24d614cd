//! Tests that no move is invented: every move on a tape is justified by the text, according to an
//! independent reader that stops at the first doubt.

mod damage;
mod languages;
mod plain;

use std::path::{Path, PathBuf};

use chessdb_core::{Board, Event, Game, GameStore, PackedMove, ReadOptions, Scratch, Severity};
use chessdb_pgn::Store;
use chessdb_pgn::raw::Lexer;
use chessdb_testkit::fixtures;
use languages::LANGUAGES;
use plain::{ENGLISH, Letters, Piece, decode, is_dash, meanings, pieces};

/// The elements of the tape that are compared: moves and parentheses.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    Move(PackedMove),
    Open,
    Close,
}

/// Compares the tape with the text.
struct Judge<'g> {
    steps: &'g [Step],
    pieces: &'g [Piece],
    letters: Letters<'g>,
    board: Board,
    before: Board,
    /// The boards of interrupted lines, and whether they have a move.
    saved: Vec<(Board, Board, bool)>,
    has_move: bool,
    /// The difference between the written move numbers and the board's.
    ahead: Option<i64>,
    letter: Option<char>,
    after_dot: bool,
    /// The number of skipped pieces of text that may have been moves.
    left_out: usize,
}

impl Judge<'_> {
    /// Returns an error if a move is not justified.
    fn judge(&mut self) -> Result<(), String> {
        let mut at = 0;
        for n in 0..self.steps.len() {
            at = self
                .step(self.steps[n], at)
                .map_err(|fault| format!("step {}: {fault}", n + 1))?;
        }
        self.left_out += self.pieces[at..]
            .iter()
            .filter(|p| matches!(p, Piece::Word(_) | Piece::Doubt(_)))
            .count();
        Ok(())
    }

    fn step(&mut self, step: Step, mut at: usize) -> Result<usize, String> {
        if step == Step::Close {
            return self.close(at);
        }
        loop {
            let piece = self.pieces.get(at).cloned();
            let Some(piece) = piece else {
                return Err(format!("{step:?} behind the end of the text"));
            };
            at += 1;
            let letter = self.letter.take();
            let after_dot = std::mem::take(&mut self.after_dot);
            match (piece, step) {
                (Piece::Dotted(digits), _) => {
                    self.after_dot = !digits.is_empty();
                    self.number(&digits);
                }
                (Piece::Digits(digits), _) => {
                    let number: i64 = digits.parse().unwrap_or(i64::MAX / 2);
                    let ahead = number - i64::from(self.board.fullmove_number());
                    if after_dot || self.ahead.is_some_and(|known| known != ahead) {
                        return Err(format!("{step:?} behind the digits {digits}"));
                    }
                    self.ahead = Some(ahead);
                    self.letter = letter;
                }
                (Piece::Letter(letter), _) => self.letter = Some(letter),
                (Piece::Result, _) => {}
                (Piece::Doubt(word), _) => return Err(format!("{step:?} behind {word:?}")),
                (Piece::Open, Step::Open) => {
                    self.saved
                        .push((self.board.clone(), self.before.clone(), self.has_move));
                    if self.has_move {
                        self.board = self.before.clone();
                    }
                    self.has_move = false;
                    return Ok(at);
                }
                // Skipped completely because of a limit; the diagnostics must report it.
                (Piece::Open, _) => {
                    self.left_out += 1;
                    at = (end_of_variation(self.pieces, at) + 1).min(self.pieces.len());
                }
                // A surplus parenthesis.
                (Piece::Close, _) if self.saved.is_empty() => {}
                (Piece::Close, _) => return Err(format!("{step:?} behind the end of its line")),
                (Piece::Word(word), Step::Move(mv)) => {
                    self.word(&word, mv, letter)?;
                    return Ok(at);
                }
                (Piece::Word(word), _) => return Err(format!("{step:?} behind the word {word:?}")),
            }
        }
    }

    /// Takes a move number and computes its difference from the board's.
    fn number(&mut self, digits: &str) {
        if let Ok(number) = digits.parse::<i64>() {
            self.ahead = Some(number - i64::from(self.board.fullmove_number()));
        }
    }

    fn word(&mut self, word: &str, mv: PackedMove, letter: Option<char>) -> Result<(), String> {
        let meant = meanings(&self.board, word, self.letters);
        if meant != [mv] {
            return Err(format!("{word:?} may be {meant:?}, not {mv:?}"));
        }
        if let Some(letter) = letter
            && word.starts_with(|c: char| "abcdefgh12345678x".contains(c))
            && !meanings(&self.board, &format!("{letter}{word}"), ENGLISH).is_empty()
        {
            return Err(format!("{word:?} may be {letter}{word}"));
        }
        self.before = self.board.clone();
        self.board.play(mv);
        self.has_move = true;
        Ok(())
    }

    fn close(&mut self, at: usize) -> Result<usize, String> {
        let end = end_of_variation(self.pieces, at);
        let rest = &self.pieces[at..end.min(self.pieces.len())];
        // The numbers before what could not be read.
        for piece in rest {
            match piece {
                Piece::Dotted(digits) => self.number(digits),
                _ => break,
            }
        }
        self.left_out += rest
            .iter()
            .filter(|p| matches!(p, Piece::Word(_) | Piece::Doubt(_)))
            .count();
        let (board, before, has_move) = self.saved.pop().ok_or("a line too many ends")?;
        self.board = board;
        self.before = before;
        self.has_move = has_move;
        self.letter = None;
        self.after_dot = false;
        Ok((end + 1).min(self.pieces.len()))
    }
}

/// Returns the index of the parenthesis that closes the variation containing `at`.
fn end_of_variation(pieces: &[Piece], mut at: usize) -> usize {
    let mut depth = 0;
    while let Some(piece) = pieces.get(at) {
        match piece {
            Piece::Open => depth += 1,
            Piece::Close if depth == 0 => return at,
            Piece::Close => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    pieces.len()
}

/// The totals of all games.
#[derive(Default, Debug)]
struct Sum {
    games: usize,
    moves: usize,
    ended: usize,
    foreign: usize,
}

/// Judges every game of a file.
fn judge_file(bytes: &[u8], sum: &mut Sum) -> Result<(), String> {
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return Ok(());
    }
    let store = Store::open(bytes, ReadOptions::default()).map_err(|error| error.to_string())?;
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    for n in 0..store.len() {
        scratch.diagnostics.clear();
        store
            .game_into(n, &mut game, &mut scratch)
            .map_err(|error| error.to_string())?;
        let lost = scratch
            .diagnostics
            .iter()
            .any(|d| d.severity == Severity::Lost);
        let bytes = store.game_bytes(n).unwrap();
        judge_game(&game, bytes, lost, sum).map_err(|fault| format!("game {}: {fault}", n + 1))?;
    }
    Ok(())
}

/// Cuts a result that is the last word of a game: points of both sides, or a result that PGN does
/// not have if the tag has it too.
fn cut_result(text: &mut Vec<char>, tag: &str) {
    let dash = |c: &char| if is_dash(*c) { '-' } else { *c };
    let all: String = text.iter().map(dash).collect();
    let all = all.trim_end();
    let results = [
        ["0.5", "-", "0.5"],
        ["0,5", "-", "0,5"],
        ["1", "-", "0"],
        ["0", "-", "1"],
        ["1/2", "-", "1/2"],
    ];
    let own = match tag {
        "0-0" => Some(["0", "-", "0"]),
        "1/2-0" => Some(["1/2", "-", "0"]),
        "0-1/2" => Some(["0", "-", "1/2"]),
        _ => None,
    };
    for result in results.into_iter().chain(own) {
        // White space may separate the points.
        let part = |rest: &'_ str, part: &str| Some(rest.trim_end().strip_suffix(part)?.len());
        let length = result
            .iter()
            .rev()
            .try_fold(all.len(), |length, one| part(all.get(..length)?, one));
        let rest = length.and_then(|length| all.get(..length));
        let ends = |rest: &&str| rest.is_empty() || rest.ends_with(char::is_whitespace);
        if let Some(rest) = rest.filter(ends) {
            text.truncate(rest.chars().count());
            return;
        }
    }
}

fn judge_game(game: &Game, bytes: &[u8], lost: bool, sum: &mut Sum) -> Result<(), String> {
    let mut lexer = Lexer::new(bytes);
    let mut start = bytes.len();
    while let Some(token) = lexer.next() {
        if lexer.is_in_moves() {
            start = token.start;
            break;
        }
    }
    let mut text = decode(&bytes[start..]);
    cut_result(&mut text, &game.tag("Result").unwrap_or_default());
    let pieces = pieces(&text);
    let steps: Vec<Step> = game
        .events()
        .filter_map(|event| match event {
            Event::Move(mv) => Some(Step::Move(mv)),
            Event::Open(_) => Some(Step::Open),
            Event::Close => Some(Step::Close),
            _ => None,
        })
        .collect();
    let board = game.header.start.board();
    let from_start = board.is_standard_start();
    let judge = |letters: Letters<'static>| {
        let mut judge = Judge {
            steps: &steps,
            pieces: &pieces,
            letters,
            board: board.clone(),
            before: board.clone(),
            saved: Vec::new(),
            has_move: false,
            ahead: from_start.then_some(0),
            letter: None,
            after_dot: false,
            left_out: 0,
        };
        judge.judge().map(|()| judge.left_out)
    };
    sum.games += 1;
    sum.moves += steps
        .iter()
        .filter(|step| matches!(step, Step::Move(_)))
        .count();
    match judge(ENGLISH) {
        Ok(left_out) => {
            sum.ended += usize::from(left_out > 0);
            if left_out > 0 && !lost {
                return Err(format!(
                    "{left_out} words were left out, and nobody says so"
                ));
            }
            Ok(())
        }
        Err(fault) => {
            // Another language is accepted only if the whole game is in it.
            sum.foreign += 1;
            if LANGUAGES.iter().any(|letters| judge(letters) == Ok(0)) {
                return Ok(());
            }
            Err(format!(
                "{fault}\n{}",
                String::from_utf8_lossy(&bytes[start..])
            ))
        }
    }
}

/// Returns all PGN files below a folder.
fn pgn_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|e| e.eq_ignore_ascii_case("pgn"))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn all_files() -> Vec<PathBuf> {
    let mut files = pgn_files(&fixtures::root());
    if let Some(zoo) = fixtures::testdata("zoo") {
        files.extend(pgn_files(zoo.parent().unwrap()));
    }
    files
}

#[test]
fn no_move_that_was_not_written() {
    let mut sum = Sum::default();
    let mut faults = Vec::new();
    let files = all_files();
    for path in &files {
        if let Err(fault) = judge_file(&fixtures::read(path), &mut sum) {
            faults.push(format!("{}: {fault}", path.display()));
        }
    }
    println!("{} files, {sum:?}", files.len());
    assert!(sum.games > 300 && sum.moves > 10_000, "{sum:?}");
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn no_move_that_was_not_written_in_damaged_games() {
    let seeds = damage::seeds(&all_files());
    assert!(seeds.len() > 100, "{}", seeds.len());
    let (seed, games) = damage::seed_and_games();
    let mut random = damage::Random::new(seed);
    let mut sum = Sum::default();
    let mut faults = Vec::new();
    for n in 0..games {
        let bytes = damage::damaged(&seeds[n * 7 % seeds.len()], &mut random);
        if let Err(fault) = judge_file(&bytes, &mut sum) {
            faults.push(format!("{n}: {fault}\n{}", String::from_utf8_lossy(&bytes)));
        }
    }
    println!("{sum:?}");
    assert!(
        sum.ended > games / 4 && sum.foreign > games / 100,
        "{sum:?}"
    );
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// The judge detects faults.
#[test]
fn the_judge_is_not_blind() {
    let text = "1. e4 e5 2. ♘f3 Nc6 3. Xx4 d6 *";
    let store = Store::open(text.as_bytes(), ReadOptions::default()).unwrap();
    let mut game = Game::new();
    store.game_into(0, &mut game, &mut Scratch::new()).unwrap();
    let mut sum = Sum::default();
    assert_eq!(judge_game(&game, text.as_bytes(), true, &mut sum), Ok(()));
    assert!(judge_game(&game, text.as_bytes(), false, &mut sum).is_err());
    for other in [
        "1. e4 e5 2. ♘c3 Nc6 3. Xx4 d6 *",
        "1. e4 e5 2. ♘f3 Nf6 *",
        "1. e4 e5 2. Sf3 Nc6 *",
        "1. e4 xx e5 2. ♘f3 Nc6 *",
        "1. e4 (e5) 2. ♘f3 Nc6 *",
        "1. e4 e5 2. ♘f3 *",
        "1. e4 e5 94 2. ♘f3 Nc6 *",
    ] {
        assert!(
            judge_game(&game, other.as_bytes(), true, &mut sum).is_err(),
            "{other}"
        );
    }
}
