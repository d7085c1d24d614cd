//! From the tape to a format's codes.

use std::iter::Peekable;

use super::{Follow, Play, Skip};
use crate::annotation::CommentRun;
use crate::{Game, LossKind, Losses, PackedMove, Place, Text, Token};

/// What an encoder works with beside its own output.
#[derive(Debug)]
pub struct Out<'p, 'g, L> {
    /// The game.
    pub game: &'g Game,
    /// Where its lines stand: before the move, the variation or the end of one that is being
    /// written.
    pub lines: &'p mut L,
    /// What the target cannot hold.
    pub losses: &'p mut Losses,
}

impl<'p, 'g, L: Follow> Out<'p, 'g, L> {
    /// Puts them together.
    pub fn new(game: &'g Game, lines: &'p mut L, losses: &'p mut Losses) -> Self {
        Out {
            game,
            lines,
            losses,
        }
    }

    /// Counts one loss here.
    pub fn lose(&mut self, kind: LossKind) {
        self.losses.add(kind, Some(self.lines.ply()));
    }

    /// Counts what is lost with a token that is left out ([`Losses::add_token`]).
    pub fn lose_token(&mut self, token: Token<'g>) {
        self.losses.add_token(token, Some(self.lines.ply()));
    }
}

/// A comment as it is written.
#[derive(Clone, Copy, Debug)]
pub struct CommentOut<'a> {
    /// Its place.
    pub place: Place,
    /// All of it: commands, then the text.
    pub text: Text<'a>,
    /// How many commands it begins with.
    pub commands: usize,
    /// Its text alone; nothing for commands that no comment ended.
    pub rest: Option<Text<'a>>,
}

/// Takes the lines of a game and makes a format's codes of them.
///
/// A move or a variation that it refuses, with the loss that this is, does not come; nor does what
/// hangs on it, which [`write_lines`] counts.
pub trait LineSink<'g> {
    /// What follows the lines.
    type Lines: Play;

    /// A half-move, before it is played.
    ///
    /// # Errors
    ///
    /// What it is that the target cannot hold. The rest of the line is left out.
    fn mv(&mut self, out: &mut Out<'_, 'g, Self::Lines>, mv: PackedMove) -> Result<(), LossKind>;

    /// The half-move has been played.
    #[inline]
    fn played(&mut self, _out: &mut Out<'_, 'g, Self::Lines>) {}

    /// A NAG.
    fn nag(&mut self, out: &mut Out<'_, 'g, Self::Lines>, nag: u16);

    /// A comment.
    fn comment(&mut self, out: &mut Out<'_, 'g, Self::Lines>, comment: CommentOut<'_>);

    /// A variation begins.
    ///
    /// # Errors
    ///
    /// What it is that the target cannot hold. The variation is left out.
    fn open(&mut self, out: &mut Out<'_, 'g, Self::Lines>) -> Result<(), LossKind>;

    /// A variation ends: one for which [`LineSink::open`] was called.
    fn close(&mut self, out: &mut Out<'_, 'g, Self::Lines>);

    /// Whatever else is on the tape: a result, a fault, an extra that is no command.
    fn other(&mut self, out: &mut Out<'_, 'g, Self::Lines>, token: Token<'g>) {
        out.lose_token(token);
    }

    /// All comments that stand here have come, and something else comes now, or the end.
    #[inline]
    fn settle(&mut self, _out: &mut Out<'_, 'g, Self::Lines>) {}

    /// Takes a token before anything else is done with it; false to have it handled as usual.
    #[inline]
    fn take(
        &mut self,
        _out: &mut Out<'_, 'g, Self::Lines>,
        _token: Token<'g>,
        _rest: &mut Peekable<impl Iterator<Item = Token<'g>>>,
    ) -> bool {
        false
    }
}

/// Writes the lines of a game: puts commands into their comments, follows the lines, leaves out what
/// the target refuses and all that hangs on it, counts each of these as a loss, and closes what is
/// open at the end.
///
/// `tokens` are those of the tape, or the same in another order; `run` keeps its memory.
pub fn write_lines<'g, S: LineSink<'g>>(
    tokens: impl Iterator<Item = Token<'g>>,
    run: &mut CommentRun,
    out: &mut Out<'_, 'g, S::Lines>,
    sink: &mut S,
) {
    run.clear();
    let mut skip: Option<Skip> = None;
    let mut commands = 0;
    let mut tokens = tokens.peekable();
    while let Some(token) = tokens.next() {
        if let Some(skipped) = &mut skip {
            match token {
                Token::Open(_) => skipped.open(),
                Token::Close if Skip::close(&mut skip) => close(out, sink),
                _ => {}
            }
            out.lose_token(token);
            continue;
        }
        if sink.take(out, token, &mut tokens) {
            continue;
        }
        match token {
            Token::Comment(place, id) => {
                if !run.is_pending() {
                    commands = 0; // An empty list of shapes is nothing.
                }
                if commands > 0 || id.is_some() {
                    let rest = out.game.text(id);
                    let comment = CommentOut {
                        place,
                        text: run.with_text(rest),
                        commands: std::mem::take(&mut commands),
                        rest: Some(rest),
                    };
                    sink.comment(out, comment);
                }
                continue;
            }
            Token::Clock(_) | Token::Eval(_) | Token::Shapes(_) | Token::Extra(_)
                if run.command(&token.event(&out.game.texts)) =>
            {
                commands += 1;
                continue;
            }
            _ => {}
        }
        end_comments(run, &mut commands, out, sink);
        match token {
            Token::Move(mv) => match sink.mv(out, mv) {
                Ok(()) => {
                    out.lines.play(mv);
                    sink.played(out);
                }
                Err(kind) => {
                    out.lose(kind);
                    skip = Some(Skip::REST_OF_LINE);
                }
            },
            Token::Nag(nag) => sink.nag(out, nag),
            Token::Open(_) => match sink.open(out) {
                Ok(()) => out.lines.open(),
                Err(kind) => {
                    out.lose(kind);
                    skip = Some(Skip::VARIATION);
                }
            },
            Token::Close => close(out, sink),
            token => sink.other(out, token),
        }
    }
    end_comments(run, &mut commands, out, sink);
    while out.lines.depth() > 0 {
        close(out, sink);
    }
}

/// Hands out commands that no comment ended.
#[inline]
fn end_comments<'g, S: LineSink<'g>>(
    run: &mut CommentRun,
    commands: &mut usize,
    out: &mut Out<'_, 'g, S::Lines>,
    sink: &mut S,
) {
    if *commands > 0
        && let Some(text) = run.take()
    {
        let comment = CommentOut {
            place: Place::After,
            text,
            commands: *commands,
            rest: None,
        };
        sink.comment(out, comment);
    }
    *commands = 0;
    sink.settle(out);
}

fn close<'g, S: LineSink<'g>>(out: &mut Out<'_, 'g, S::Lines>, sink: &mut S) {
    if out.lines.depth() > 0 {
        sink.close(out);
        out.lines.close();
    }
}
