//! The mainline of a game with its clocks and evaluations.

use chessdb_core::commands::{self, Clock, ClockKind, Command, Eval};
use chessdb_core::{Color, Event, Game};

/// A half-move of the mainline with its annotations. If an annotation is repeated, the first counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AnnotatedMove {
    pub(crate) side: Color,
    /// The move number.
    pub(crate) number: u32,
    /// The time left, in milliseconds.
    pub(crate) left: Option<u32>,
    /// The time spent, in milliseconds.
    pub(crate) spent: Option<u32>,
    pub(crate) eval: Option<Eval>,
}

/// Returns the mainline of a game.
pub(crate) fn annotated_moves(game: &Game) -> Vec<AnnotatedMove> {
    let start = game.start_board();
    let (mut side, mut number) = (start.turn(), start.fullmove_number().into());
    let mut moves: Vec<AnnotatedMove> = Vec::new();
    let mut depth = 0_usize;
    for event in game.events() {
        match event {
            Event::Open(_) => depth += 1,
            Event::Close => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            Event::Move(_) => {
                moves.push(AnnotatedMove {
                    side,
                    number,
                    left: None,
                    spent: None,
                    eval: None,
                });
                number += u32::from(side == Color::Black);
                side = side.other();
            }
            event => {
                let Some(last) = moves.last_mut() else {
                    continue;
                };
                match event {
                    Event::Clock(clock) => last.add_clock(clock),
                    Event::Eval(eval) => last.add_eval(eval),
                    Event::Comment(_, text) => {
                        // In a comment, the last value counts: commands replace the engine's text.
                        let (mut clocks, mut eval) = ([None, None], None);
                        commands::scan(text.as_bytes(), Some(last.side), &mut |command| {
                            match command {
                                Command::Clock(clock) if clock.kind == ClockKind::Clock => {
                                    clocks[0] = Some(clock);
                                }
                                Command::Clock(clock) => clocks[1] = Some(clock),
                                Command::Eval(found) => eval = Some(found),
                                _ => {}
                            }
                        });
                        clocks
                            .into_iter()
                            .flatten()
                            .for_each(|clock| last.add_clock(clock));
                        eval.into_iter().for_each(|eval| last.add_eval(eval));
                    }
                    _ => {}
                }
            }
        }
    }
    moves
}

impl AnnotatedMove {
    fn add_clock(&mut self, clock: Clock) {
        let time = match clock.kind {
            ClockKind::Clock => &mut self.left,
            ClockKind::Elapsed => &mut self.spent,
        };
        time.get_or_insert(clock.milliseconds);
    }

    fn add_eval(&mut self, eval: Eval) {
        self.eval.get_or_insert(eval);
    }
}
