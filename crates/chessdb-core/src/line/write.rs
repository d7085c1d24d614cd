//! Conversion from the tape to a format's codes.

use super::{LineTracker, Lines, Play, Skip};
use crate::annotation::CommentRun;
use crate::board::Facts;
use crate::legacy::Numbering;
use crate::model::{Place, Token, Tokens};
use crate::rules::is_legal;
use crate::{Game, LossKind, Losses, PackedMove, Text};

/// The context of an encoder, except its own output.
#[derive(Debug)]
pub struct Out<'p, 'g, L> {
    /// The game.
    pub game: &'g Game,
    /// The lines at the current position: before the move, the variation or the end of a variation
    /// that is being written.
    pub lines: &'p mut L,
    /// The losses so far.
    pub losses: &'p mut Losses,
}

impl<'p, 'g, L: LineTracker> Out<'p, 'g, L> {
    /// Creates the context.
    pub fn new(game: &'g Game, lines: &'p mut L, losses: &'p mut Losses) -> Self {
        Out {
            game,
            lines,
            losses,
        }
    }

    /// Counts a loss at this position.
    pub fn lose(&mut self, kind: LossKind) {
        self.losses.add(kind, Some(self.lines.ply()));
    }

    /// Counts the loss of a move that the target cannot store, of this kind. In a variation,
    /// `MovesCut` becomes `VariationMoves`; in the mainline, the game ends here ([`Losses::cut`]).
    pub fn lose_move(&mut self, kind: LossKind, in_variation: bool) {
        match (in_variation || self.lines.depth() > 0, kind) {
            (true, LossKind::MovesCut) => self.lose(LossKind::VariationMoves),
            (true, kind) => self.lose(kind),
            (false, kind) => self.losses.cut(kind, Some(self.lines.ply())),
        }
    }

    /// Counts the loss of a token that is left out ([`Losses::add_token`]).
    pub fn lose_token(&mut self, token: Token<'g>) {
        self.losses.add_token(token, Some(self.lines.ply()));
    }
}

impl<N: Numbering> Out<'_, '_, Lines<N>> {
    /// Checks that the rules allow a move here. The null move is always allowed.
    ///
    /// # Errors
    ///
    /// Returns the kind of loss of an illegal move.
    pub fn check_legal(&self, mv: PackedMove) -> Result<(), LossKind> {
        if mv.is_null() || is_legal(self.lines.board(), mv) {
            Ok(())
        } else {
            Err(LossKind::of_illegal(mv))
        }
    }
}

/// A comment to be written.
#[derive(Clone, Copy, Debug)]
pub struct CommentOut<'a> {
    /// The place of the comment.
    pub place: Place,
    /// The complete comment: commands, then the text.
    pub text: Text<'a>,
    /// The number of commands at its start.
    pub commands: usize,
    /// The text without commands; `None` if the commands do not end in a comment.
    pub rest: Option<Text<'a>>,
    /// Whether an empty text follows commands. If both are written as one text, only the commands
    /// are read back.
    pub hides_empty_text: bool,
}

/// A receiver of the lines of a game that writes a format's codes.
///
/// A format that stores only the moves of the mainline implements [`LineSink::mv`], and
/// [`LineSink::drops_comments`] with `true`; the defaults count everything else as lost.
///
/// If the sink rejects a move or variation it returns the loss. [`write_lines`] skips everything
/// that depends on it and counts that too.
pub trait LineSink<'g> {
    /// The tracker of the lines.
    type Lines: Play;

    /// Writes a half-move, before it is played.
    ///
    /// # Errors
    ///
    /// Returns the kind of loss if the target cannot store the move. The rest of the line is left
    /// out.
    fn mv(&mut self, out: &mut Out<'_, 'g, Self::Lines>, mv: PackedMove) -> Result<(), LossKind>;

    /// Like [`LineSink::mv`], with the facts from the tape, for targets that then need less than a
    /// position.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`LineSink::mv`].
    #[inline]
    fn known(
        &mut self,
        out: &mut Out<'_, 'g, Self::Lines>,
        mv: PackedMove,
        _facts: Facts,
    ) -> Result<(), LossKind> {
        self.mv(out, mv)
    }

    /// Called after the half-move has been played.
    #[inline]
    fn played(&mut self, _out: &mut Out<'_, 'g, Self::Lines>) {}

    /// Writes and plays as many of the next half-moves as possible, as if they had been passed one
    /// by one.
    #[inline]
    fn run(&mut self, _out: &mut Out<'_, 'g, Self::Lines>, _tokens: &mut impl TokenSource<'g>) {}

    /// Writes a NAG. The default counts it as lost.
    fn nag(&mut self, out: &mut Out<'_, 'g, Self::Lines>, nag: u16) {
        out.lose_token(Token::Nag(nag));
    }

    /// Writes a comment, with the commands in it. Never called if [`LineSink::drops_comments`].
    fn comment(&mut self, out: &mut Out<'_, 'g, Self::Lines>, _comment: CommentOut<'_>) {
        out.lose(LossKind::Comment);
    }

    /// Returns whether the format stores no comments. Each comment, clock, evaluation and list of
    /// shapes is then counted as lost under its own kind.
    #[inline]
    fn drops_comments(&self) -> bool {
        false
    }

    /// Starts a variation. The default rejects it.
    ///
    /// # Errors
    ///
    /// Returns the kind of loss if the target cannot store the variation, which is then left out.
    fn open(&mut self, _out: &mut Out<'_, 'g, Self::Lines>) -> Result<(), LossKind> {
        Err(LossKind::Variation)
    }

    /// Ends a variation that [`LineSink::open`] accepted.
    fn close(&mut self, _out: &mut Out<'_, 'g, Self::Lines>) {}

    /// Writes any other token: a result, a fault, or an extra that is not a command.
    fn other(&mut self, out: &mut Out<'_, 'g, Self::Lines>, token: Token<'g>) {
        out.lose_token(token);
    }

    /// Called when all comments at a position have been written, before anything else or the end.
    #[inline]
    fn settle(&mut self, _out: &mut Out<'_, 'g, Self::Lines>) {}

    /// Handles a token that is not a half-move before anything else is done with it. Returns false
    /// if the token should be handled normally.
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

/// The source of the tokens for [`write_lines`]: the tape of a game, or its tokens in another
/// order.
pub trait TokenSource<'g>: Iterator<Item = Token<'g>> {
    /// Takes the next token, with its facts, if it is a half-move; otherwise takes nothing.
    fn next_move(&mut self) -> Option<(PackedMove, Facts)>;

    /// Goes back by one token.
    fn go_back(&mut self);

    /// Returns the next token without taking it.
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

/// The tokens of a game in another order, without the facts that the tape has about moves.
#[derive(Clone, Debug)]
pub struct Reordered<'t, 'g> {
    tokens: &'t [Token<'g>],
    next: usize,
}

impl<'t, 'g> Reordered<'t, 'g> {
    /// Creates a source of tokens in this order.
    pub fn new(tokens: &'t [Token<'g>]) -> Reordered<'t, 'g> {
        Reordered { tokens, next: 0 }
        // A variation that is left out loses its moves as those of a variation, even at depth 0 of the
        // target.
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

/// Writes the lines of a game.
///
/// It puts commands into their comments, follows the lines, leaves out everything that the target
/// rejects and everything that depends on it, counts each omission as a loss, and closes open
/// variations at the end.
///
/// `run` is passed in only to reuse its memory.
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
        while tokens.next_move().is_some() {
            if skip.is_some() {
                let in_variation = skip.is_some_and(Skip::is_in_variation);
                out.lose_move(LossKind::MovesCut, in_variation);
                continue;
            }
            end_comments(run, &mut commands, out, sink);
            // Back, because `run` takes the moves itself, as many as it can.
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
                    out.lose_move(kind, false);
                    skip = Some(Skip::REST_OF_LINE);
                }
            }
        }
        let Some(token) = tokens.next() else { break };
        if let Some(skipped) = &mut skip {
            match token {
                Token::Open(_) => skipped.open(),
                // The line was opened in the target before the skipping began.
                Token::Close if Skip::close(&mut skip) => close(out, sink),
                _ => {}
            }
            out.lose_token(token);
            continue;
        }
        // Before commands are collected: a sink may need one of them alone.
        if sink.take(out, token, &mut tokens) {
            continue;
        }
        if sink.drops_comments() && is_comment(token) {
            out.lose_token(token);
            continue;
        }
        match token {
            Token::Comment(place, id) => {
                if !run.is_pending() {
                    commands = 0; // An empty list of shapes writes nothing.
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
            // The lines follow only what the target has.
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

/// Writes the lines of a game, for encoders that reuse no memory ([`write_lines`]).
///
/// # Errors
///
/// Returns an error if the pieces of the start position cannot be numbered.
pub fn write_game<'g, N: Numbering, S: LineSink<'g, Lines = Lines<N>>>(
    numbering: N,
    game: &'g Game,
    losses: &mut Losses,
    sink: &mut S,
) -> crate::Result<()> {
    let mut lines = Lines::new(numbering, game)?;
    let mut out = Out::new(game, &mut lines, losses);
    write_lines(
        game.moves.tokens(),
        &mut CommentRun::default(),
        &mut out,
        sink,
    );
    Ok(())
}

/// Returns whether the token is a comment or is written in one.
fn is_comment(token: Token<'_>) -> bool {
    use Token::{Clock, Comment, Eval, Extra, Shapes};
    matches!(
        token,
        Comment(..) | Clock(_) | Eval(_) | Shapes(_) | Extra(_)
    )
}

/// Passes on commands that are not followed by a comment.
#[inline]
fn end_comments<'g, S: LineSink<'g>>(
    run: &mut CommentRun,
    commands: &mut usize,
    out: &mut Out<'_, 'g, S::Lines>,
    sink: &mut S,
) {
    // The commands have no text of their own to be written with.
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
    // Surplus ends of variations in the source have nothing to close in the target.
    if out.lines.depth() > 0 {
        sink.close(out);
        out.lines.close();
    }
}
