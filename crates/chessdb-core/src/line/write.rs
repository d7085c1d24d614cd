//! From the tape to a format's codes.

use super::{LineTracker, Play, Skip};
use crate::annotation::CommentRun;
use crate::model::Tokens;
use crate::{Facts, Game, LossKind, Losses, PackedMove, Place, Text, Token};

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

impl<'p, 'g, L: LineTracker> Out<'p, 'g, L> {
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
    /// Whether an empty text follows commands: of both in one text, only the commands come back.
    pub hides_empty_text: bool,
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

    /// The same with what the tape knows of the move, for targets that can do with less than a
    /// position then.
    ///
    /// # Errors
    ///
    /// Those of [`LineSink::mv`].
    #[inline]
    fn known(
        &mut self,
        out: &mut Out<'_, 'g, Self::Lines>,
        mv: PackedMove,
        _facts: Facts,
    ) -> Result<(), LossKind> {
        self.mv(out, mv)
    }

    /// The half-move has been played.
    #[inline]
    fn played(&mut self, _out: &mut Out<'_, 'g, Self::Lines>) {}

    /// Takes the half-moves that come now, as many of them as it can, by itself: writes and plays them
    /// as if each had been handed to it.
    #[inline]
    fn run(&mut self, _out: &mut Out<'_, 'g, Self::Lines>, _tokens: &mut impl TokenSource<'g>) {}

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

    /// Takes a token that is no half-move before anything else is done with it; false to have it
    /// handled as usual.
    #[inline]
    fn take(
        &mut self,
        _out: &mut Out<'_, 'g, Self::Lines>,
        _token: Token<'g>,
        _rest: &mut impl TokenSource<'g>,
    ) -> bool {
        false
    }
}

/// Where [`write_lines`] finds the tokens of a game: on its tape, or the same in another order.
pub trait TokenSource<'g>: Iterator<Item = Token<'g>> {
    /// The next token with what is known of it, if that is a half-move; else nothing is taken.
    fn next_move(&mut self) -> Option<(PackedMove, Facts)>;

    /// Goes back by one token.
    fn go_back(&mut self);

    /// The token that comes next, which is not taken.
    #[inline]
    fn peek(&mut self) -> Option<Token<'g>> {
        let next = self.next();
        if next.is_some() {
            self.go_back();
        }
        next
    }
}

impl<'g> TokenSource<'g> for Tokens<'g> {
    #[inline]
    fn next_move(&mut self) -> Option<(PackedMove, Facts)> {
        Tokens::next_move(self)
    }

    fn go_back(&mut self) {
        Tokens::go_back(self);
    }
}

/// The tokens of a game in another order. What the tape knows of the moves they do not tell.
#[derive(Clone, Debug)]
pub struct Reordered<'t, 'g> {
    tokens: &'t [Token<'g>],
    next: usize,
}

impl<'t, 'g> Reordered<'t, 'g> {
    /// In this order.
    pub fn new(tokens: &'t [Token<'g>]) -> Reordered<'t, 'g> {
        Reordered { tokens, next: 0 }
    }
}

impl<'g> Iterator for Reordered<'_, 'g> {
    type Item = Token<'g>;

    fn next(&mut self) -> Option<Token<'g>> {
        let token = self.tokens.get(self.next)?;
        self.next += 1;
        Some(*token)
    }
}

impl<'g> TokenSource<'g> for Reordered<'_, 'g> {
    fn next_move(&mut self) -> Option<(PackedMove, Facts)> {
        let &Token::Move(mv) = self.tokens.get(self.next)? else {
            return None;
        };
        self.next += 1;
        Some((mv, Facts::UNKNOWN))
    }

    fn go_back(&mut self) {
        self.next = self.next.saturating_sub(1);
    }
}

/// Writes the lines of a game: puts commands into their comments, follows the lines, leaves out what
/// the target refuses and all that hangs on it, counts each of these as a loss, and closes what is
/// open at the end.
///
/// `run` keeps its memory.
pub fn write_lines<'g, S: LineSink<'g>>(
    mut tokens: impl TokenSource<'g>,
    run: &mut CommentRun,
    out: &mut Out<'_, 'g, S::Lines>,
    sink: &mut S,
) {
    run.clear();
    let mut skip: Option<Skip> = None;
    let mut commands = 0;
    loop {
        while let Some((mv, _)) = tokens.next_move() {
            if skip.is_some() {
                out.lose_token(Token::Move(mv));
                continue;
            }
            end_comments(run, &mut commands, out, sink);
            tokens.go_back();
            sink.run(out, &mut tokens);
            let Some((mv, facts)) = tokens.next_move() else {
                break;
            };
            match sink.known(out, mv, facts) {
                Ok(()) => {
                    out.lines.play_known(mv, facts);
                    sink.played(out);
                }
                Err(kind) => {
                    out.lose(kind);
                    skip = Some(Skip::REST_OF_LINE);
                }
            }
        }
        let Some(token) = tokens.next() else { break };
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
                        hides_empty_text: commands > 0 && id.is_some() && rest.is_empty(),
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
            hides_empty_text: false,
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
