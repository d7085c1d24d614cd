//! Random moves and annotations.

use chessdb_core::board::MoveKind;
use chessdb_core::commands::{Clock, ClockKind, Command, Eval, EvalValue, Shape, ShapeColor};
use chessdb_core::model::{Builder, FaultKind, Place};
use chessdb_core::rules::{in_check, legal_moves};
use chessdb_core::text::{TextId, Texts};
use chessdb_core::{Board, Game, Outcome, PackedMove, PieceType, Square};

use super::{GameOptions, Recipe, limits, texts};
use crate::rng::Rng;

/// Fills the moves.
pub(super) fn fill(game: &mut Game, recipe: &Recipe) {
    let board = game.start_board();
    let limits = limits();
    let mut maker = LineMaker {
        options: &recipe.options,
        notes: recipe.notes,
        depth: recipe.depth,
        plies_left: recipe.options.all_plies,
        rng: recipe.rng(4),
        tape: game.moves.builder(&limits),
        texts: &mut game.texts,
    };
    maker.line(board, recipe.plies, 0, &mut recipe.rng(3));
    maker.tape.finish();
}

struct LineMaker<'m> {
    options: &'m GameOptions,
    notes: usize,
    depth: usize,
    plies_left: usize,
    /// For annotations; every line has its own stream for its moves.
    rng: Rng,
    tape: Builder<'m>,
    texts: &'m mut Texts,
}

impl LineMaker<'_> {
    /// Adds a line that begins at this position. Recursive up to the depth that the options allow.
    fn line(&mut self, mut board: Board, plies: usize, depth: usize, moves: &mut Rng) {
        self.line_start(depth);
        for n in 0..plies {
            if self.plies_left == 0 {
                break;
            }
            let Some(mv) = choose(&board, self.options, moves) else {
                break;
            };
            if n > 0 && self.options.comments_before && self.note(4) {
                self.comment(Place::Before);
            }
            self.tape.mv(mv).expect("within the limits");
            self.plies_left -= 1;
            self.after_move();
            if n > 0 || depth == 0 || self.options.first_alternatives {
                self.variations(&board, plies - n, depth);
            }
            board.play(mv);
        }
    }

    fn variations(&mut self, board: &Board, plies: usize, depth: usize) {
        // Inner lines are short, so they need more variations to reach the full depth.
        while depth < self.depth && self.plies_left > 0 && self.note(10 + 8 * depth) {
            let empty = self.options.empty_variations && self.rng.chance(4);
            let plies = if empty { 0 } else { 1 + self.rng.below(plies.clamp(1, 20)) };
            let mut moves = Rng::new(self.rng.any());
            // If only a null move is possible, the next draw may find no move at all.
            if !empty && choose(board, self.options, &mut moves.clone()).is_none() {
                continue;
            }
            self.tape.open().expect("within the limits");
            self.line(board.clone(), plies, depth + 1, &mut moves);
            self.tape.close();
            if self.options.comments_after_variation && self.note(20) {
                self.comment(Place::After);
            }
        }
    }

    fn line_start(&mut self, depth: usize) {
        let comments = if depth == 0 {
            self.options.comments
        } else {
            self.options.comments && self.options.comments_before_variation
        };
        if comments && self.note(20) {
            self.comment(Place::Before);
        }
        if self.options.start_nags && self.note(4) {
            self.nag();
        }
    }

    fn after_move(&mut self) {
        if self.options.nags && self.note(30) {
            for _ in 0..=self.rng.below(3) {
                self.nag();
            }
        }
        if self.options.comments && self.note(40) {
            self.comment(Place::After);
            while self.options.several_comments && self.rng.chance(15) {
                self.comment(Place::After);
            }
        }
        if self.options.odd_events && self.note(3) {
            self.odd_event();
        }
    }

    /// Returns whether to add an annotation of this likelihood.
    fn note(&mut self, percent: usize) -> bool {
        // `notes` is a percentage too: it scales all annotations of the recipe.
        self.rng.below(100 * 100) < percent * self.notes
    }

    fn nag(&mut self) {
        let nag = match self.rng.below(4) {
            0 if self.options.zero_nags => self.rng.below(256),
            0 => 1 + self.rng.below(255),
            1 => self
                .rng
                .pick(&[10, 13, 14, 16, 18, 22, 32, 36, 40, 132, 138, 146]),
            _ => 1 + self.rng.below(6),
        };
        self.tape.nag(nag as u16).expect("within the limits");
    }

    /// Adds a comment: text, commands, or both.
    fn comment(&mut self, place: Place) {
        if self.tape.ends_with_command() {
            // The previous comment consisted of commands only: end it, as readers do, or the two
            // would become one.
            self.tape
                .comment(place, TextId::NONE)
                .expect("within the limits");
        }
        if self.options.empty_comments && self.rng.chance(3) {
            let text = self.texts.push(b"", chessdb_core::Charset::UTF_8);
            self.tape.comment(place, text).expect("within the limits");
            return;
        }
        let commands = self.options.commands && self.rng.chance(30);
        if commands {
            for _ in 0..=self.rng.below(2) {
                self.command();
            }
            // Commands alone have no known place, so they are added only after moves.
            if place == Place::After && self.rng.chance(40) {
                return;
            }
        }
        let text = texts::comment(&mut self.rng, self.options, commands, self.texts);
        self.tape.comment(place, text).expect("within the limits");
    }

    fn command(&mut self) {
        let rng = &mut self.rng;
        let square = |rng: &mut Rng| Square::new_masked(rng.below(64) as u8);
        let shapes: Vec<_>;
        let command = match rng.below(5) {
            0 => Command::Clock(Clock {
                kind: rng.pick(&[ClockKind::Clock, ClockKind::Elapsed]),
                milliseconds: match rng.below(3) {
                    0 => rng.below(4_000_000_000) as u32,
                    _ => rng.below(20_000) as u32 * 1000,
                },
            }),
            1 | 2 => {
                let value = match rng.below(4) {
                    0 => EvalValue::Mate(rng.below(40) as i32 - 20),
                    1 => EvalValue::WinDraw {
                        win: rng.below(32768) as u16,
                        draw: rng.below(32768) as u16,
                    },
                    _ => EvalValue::Centipawns(rng.below(4000) as i32 - 2000),
                };
                let depth = rng.chance(30).then(|| rng.below(60) as u16);
                Command::Eval(Eval { value, depth })
            }
            arrows => {
                let color = rng.pick(&[ShapeColor::GREEN, ShapeColor::RED, ShapeColor::YELLOW]);
                shapes = (0..=rng.below(3))
                    .map(|_| {
                        let to = (arrows == 3).then(|| square(rng));
                        Shape {
                            color,
                            from: square(rng),
                            to,
                        }
                    })
                    .collect();
                Command::Shapes(&shapes)
            }
        };
        self.tape.command(command).expect("within the limits");
    }

    fn odd_event(&mut self) {
        let pushed = if self.rng.chance(50) {
            self.tape.outcome(self.rng.pick(&Outcome::ALL))
        } else {
            let text = texts::comment(&mut self.rng, self.options, true, self.texts);
            self.tape.fault(FaultKind::IllegalMove, text)
        };
        pushed.expect("within the limits");
    }
}

/// Returns a legal move; promotions, castling and en passant are preferred.
fn choose(board: &Board, options: &GameOptions, rng: &mut Rng) -> Option<PackedMove> {
    let mut moves = Vec::new();
    legal_moves(board, &mut moves);
    // A null move in check would leave the king to be captured.
    if options.null_moves && rng.chance(2) && !in_check(board, board.turn()) {
        return Some(PackedMove::NULL);
    }
    let weights = moves.iter().map(|mv| match mv.kind() {
        // Rare moves get more weight, so that every kind occurs.
        MoveKind::Promotion(_) | MoveKind::EnPassant => 20,
        MoveKind::CastleShort | MoveKind::CastleLong => 10,
        _ if board
            .piece_at(mv.from())
            .is_some_and(|piece| piece.kind == PieceType::Pawn) =>
        {
            3
        }
        _ => 1,
    });
    let total: usize = weights.clone().sum();
    if total == 0 {
        return None;
    }
    let mut remaining = rng.below(total);
    for (&mv, weight) in moves.iter().zip(weights) {
        match remaining.checked_sub(weight) {
            Some(rest) => remaining = rest,
            None => return Some(mv),
        }
    }
    None
}
