//! Changes to a game that was read: setting tags and removing parts of the moves.

use bitflags::bitflags;

use crate::Color;
use crate::annotation::continue_comment;
use crate::commands::{Command, StrippedKinds, strip};
use crate::limits::{Limits, OverLimit};
use crate::model::{
    Builder, Date, Field, Game, GameBuilder, GameFlags, Outcome, Place, Tag, Token,
};
use crate::text::TextId;

bitflags! {
    /// Parts of a game's moves.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
    pub struct Parts: u8 {
        /// Comments with everything in them, such as clocks, evaluations and arrows.
        const COMMENTS = 1;
        /// Variations.
        const VARIATIONS = 2;
        /// NAGs.
        const NAGS = 4;
        /// Clocks, evaluations and arrows, also those in the texts of comments.
        const COMMANDS = 8;
        /// Evaluations, also those in the texts of comments.
        const EVALS = 16;
    }
}

impl Game {
    /// Sets any PGN tag like [`GameBuilder::tag`]. An existing tag keeps its position. The tag
    /// `FEN` must not be set if there are moves, because they depend on the start position.
    ///
    /// ```
    /// use chessdb_core::Game;
    ///
    /// let mut game = Game::builder().eco("B90").tag("Opening", "Sicilian").build();
    /// game.set_tag("ECO", "C60");
    /// game.set_tag("White", "Tal, Mihail");
    /// assert!(game.remove_tag("Opening") && !game.remove_tag("Opening"));
    /// assert_eq!(game.eco().unwrap().to_string(), "C60");
    /// assert_eq!((&*game.white(), game.tag("Opening")), ("Tal, Mihail", None));
    /// ```
    pub fn set_tag(&mut self, name: &str, value: &str) {
        let before = self.header.tags.len();
        let index = self.place_of(name);
        let builder = GameBuilder::from_game(std::mem::take(self));
        *self = builder.tag(name, value).build_header();
        let tags = &mut self.header.tags;
        match (index, tags.last()) {
            // The builder moved the tag to the end.
            (Some(index), _) if tags.len() == before => {
                if let Some(rest) = tags.get_mut(index..)
                    && Field::of_tag(name.as_bytes()).is_some()
                {
                    rest.rotate_right(1);
                }
            }
            // The tag had no entry for its position, and needs none.
            (None, Some(Tag::Place(_))) if tags.len() > before => {
                tags.pop();
            }
            _ => {}
        }
    }

    /// Removes a tag; false if the game has none of this name. The seven tags that PGN requires
    /// become unknown. A start position cannot be removed.
    pub fn remove_tag(&mut self, name: &str) -> bool {
        if self.tag(name).is_none() {
            return false;
        }
        let field = Field::of_tag(name.as_bytes()).map(|(field, _)| field);
        match field.filter(|&field| self.header.tag_name(field) == name) {
            Some(Field::Fen) => return false,
            Some(Field::Result) if self.header.outcome == Outcome::Unknown => return false,
            Some(field) => self.clear_field(field),
            None => {
                let texts = &self.texts;
                self.header.tags.retain(|tag| match *tag {
                    Tag::Other { name: id, .. } => texts.get(id).decode() != name,
                    _ => true,
                });
            }
        }
        true
    }

    /// Removes these parts of the moves.
    pub fn leave_out(&mut self, parts: Parts) {
        let stripped = if parts.contains(Parts::COMMANDS) {
            StrippedKinds::all()
        } else if parts.contains(Parts::EVALS) {
            StrippedKinds::EVALS
        } else {
            StrippedKinds::empty()
        };
        // All evaluations are removed, or none, so the side to which they belong does not matter.
        self.remove(parts, stripped, None, Color::White);
    }

    /// Removes values of these kinds at a half-move of `mover`, counted as by
    /// [`Game::edit_moves`].
    pub(crate) fn remove_values(&mut self, half_move: u32, kinds: StrippedKinds, mover: Color) {
        self.remove(Parts::empty(), kinds, Some(half_move), mover);
    }

    /// Removes parts of the moves, and values of these kinds; at one half-move or everywhere.
    fn remove(
        &mut self,
        parts: Parts,
        stripped: StrippedKinds,
        only_at: Option<u32>,
        mover: Color,
    ) {
        let Game { moves, texts, .. } = self;
        let old = std::mem::take(moves);
        // The last half-move of the line and of those that it interrupts; none if it has no move.
        let (mut half_moves, mut last, mut outer) = (0, Some(0), Vec::new());
        let limits = Limits::of_tape();
        let mut tape = moves.builder(&limits);
        let mut tokens = old.tokens();
        loop {
            // The game does not grow, so it cannot reach a limit.
            let fits = match tokens.next_move() {
                Some((mv, facts)) => {
                    half_moves += 1;
                    last = Some(half_moves);
                    tape.known(mv, facts)
                }
                None => match tokens.next() {
                    None => break,
                    Some(Token::Open(branch)) if parts.contains(Parts::VARIATIONS) => {
                        tokens.skip_variation(branch);
                        Ok(())
                    }
                    Some(token @ Token::Open(_)) => {
                        outer.push(last.take());
                        tape.token(token)
                    }
                    Some(token @ Token::Close) => {
                        last = outer.pop().flatten();
                        tape.token(token)
                    }
                    Some(token) if only_at.is_some() && only_at != last => tape.token(token),
                    Some(token) if is_left_out(token, parts, stripped) => Ok(()),
                    // An absent comment only ends the commands before it.
                    Some(Token::Comment(place, text)) if text.is_none() => {
                        end_commands(&mut tape, place)
                    }
                    Some(token @ Token::Comment(place, text)) => {
                        let text = texts.get(text);
                        let charset = text.charset();
                        match strip(text.as_bytes(), stripped, mover) {
                            None => tape.token(token),
                            Some(rest) if rest.is_empty() => end_commands(&mut tape, place),
                            Some(rest) => continue_comment(&rest, charset, place, texts, &mut tape),
                        }
                    }
                    Some(token) => tape.token(token),
                },
            };
            if fits.is_err() {
                break;
            }
        }
        tape.finish();
    }

    /// Returns the index of the tag with this name.
    fn place_of(&self, name: &str) -> Option<usize> {
        let field = Field::of_tag(name.as_bytes()).map(|(field, _)| field);
        self.header.tags.iter().position(|tag| match *tag {
            Tag::Place(entry) | Tag::Verbatim(entry, _) => Some(entry) == field,
            Tag::Other { name: id, .. } => self.text(id).as_bytes() == name.as_bytes(),
        })
    }

    fn clear_field(&mut self, field: Field) {
        let header = &mut self.header;
        header.tags.retain(
            |tag| !matches!(*tag, Tag::Place(entry) | Tag::Verbatim(entry, _) if entry == field),
        );
        header.set_text(field, TextId::NONE);
        let player = header.player_mut(field.color().unwrap_or(Color::White));
        match field {
            Field::WhiteRating | Field::BlackRating => player.rating = None,
            Field::WhiteFideId | Field::BlackFideId => player.fide_id = None,
            Field::Date => header.date = Date::UNKNOWN,
            Field::EventDate => {
                header.event_date = Date::UNKNOWN;
                header.event.key = None;
            }
            Field::Result => header.outcome = Outcome::Unknown,
            Field::Eco => header.eco = None,
            Field::Flags => header.flags = GameFlags::empty(),
            _ => {}
        }
    }
}

/// Ends the commands at the end of the tape, if there are any.
fn end_commands(tape: &mut Builder<'_>, place: Place) -> Result<(), OverLimit> {
    if tape.ends_with_command() {
        tape.comment(place, TextId::NONE)
    } else {
        Ok(())
    }
}

fn is_left_out(token: Token<'_>, parts: Parts, stripped: StrippedKinds) -> bool {
    let kind = match token {
        Token::Nag(_) => return parts.contains(Parts::NAGS),
        Token::Comment(..) => return parts.contains(Parts::COMMENTS),
        Token::Clock(clock) => StrippedKinds::of_command(&Command::Clock(clock)),
        Token::Eval(eval) => StrippedKinds::of_command(&Command::Eval(eval)),
        Token::Shapes(shapes) => StrippedKinds::of_command(&Command::Shapes(shapes)),
        _ => StrippedKinds::empty(),
    };
    let is_whole = parts.intersects(Parts::COMMENTS | Parts::COMMANDS);
    stripped.intersects(kind) || token.is_command() && is_whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_tag_keeps_its_place() {
        let mut game = Game::builder()
            .tag("Opening", "Sicilian")
            .eco("B90")
            .tag("WhiteTeam", "Riga")
            .date("1959")
            .build();
        let names = |game: &Game| {
            game.tags()
                .skip(7)
                .map(|(name, _)| name.into_owned())
                .collect::<Vec<_>>()
                .join(" ")
        };
        let before = names(&game);
        for (name, value) in [
            ("ECO", "C60"),
            ("ECO", "C6"),
            ("ECO", "B07"),
            ("Opening", "Pirc"),
            ("Date", "1960.01.02"),
            ("Date", "1960/1"),
            ("Date", "1961.01.02"),
            ("Round", "3"),
        ] {
            game.set_tag(name, value);
            assert_eq!(game.tag(name).as_deref(), Some(value), "{name}");
            assert_eq!(names(&game), before, "{name} {value}");
        }
        game.set_tag("WhiteElo", "2700");
        game.set_tag("Annotator", "Tal");
        assert_eq!(names(&game), "WhiteElo Annotator Opening ECO WhiteTeam");
        assert_eq!(game.elo(crate::Color::White), Some(2700));
        for name in [
            "WhiteElo",
            "Annotator",
            "Opening",
            "ECO",
            "WhiteTeam",
            "Date",
            "Round",
        ] {
            assert!(game.remove_tag(name), "{name}");
            assert!(!game.remove_tag(name), "{name}");
        }
        assert_eq!(game, Game::default());
    }

    #[test]
    fn leave_out_removes_selected_parts() {
        let game = Game::builder()
            .comment("start")
            .san("e4")
            .unwrap()
            .nag(1)
            .comment("[%clk 1:00:00] good")
            .variation(|line| Ok(line.san("d4")?.nag(2).comment("too")))
            .unwrap()
            .san("e5")
            .unwrap()
            .comment("[%clk 0:59:00]")
            .build();
        let remaining = |parts| {
            let mut game = game.clone();
            game.leave_out(parts);
            game.moves
                .tokens()
                .map(|token| match token {
                    Token::Move(mv) => mv.to_string(),
                    Token::Nag(nag) => format!("${nag}"),
                    Token::Comment(_, text) if text.is_none() => "{}".to_owned(),
                    Token::Comment(_, text) => format!("{{{}}}", game.texts.get(text).decode()),
                    Token::Open(_) => "(".to_owned(),
                    Token::Close => ")".to_owned(),
                    Token::Clock(_) => "clk".to_owned(),
                    other => format!("{other:?}"),
                })
                .collect::<Vec<_>>()
                .join(" ")
        };
        let all = "{start} e2e4 $1 clk {good} ( d2d4 $2 {too} ) e7e5 clk {}";
        assert_eq!(
            remaining(Parts::empty()).replace(" {}", ""),
            all.replace(" {}", "")
        );
        assert_eq!(remaining(Parts::COMMENTS), "e2e4 $1 ( d2d4 $2 ) e7e5");
        assert_eq!(
            remaining(Parts::COMMANDS),
            "{start} e2e4 $1 {good} ( d2d4 $2 {too} ) e7e5"
        );
        assert_eq!(
            remaining(Parts::VARIATIONS | Parts::NAGS | Parts::COMMANDS),
            "{start} e2e4 {good} e7e5"
        );
        assert_eq!(remaining(Parts::all()), "e2e4 e7e5");
    }
}
