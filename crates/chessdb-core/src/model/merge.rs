//! Merging of the annotations and tags of one game into another copy of it.

use std::collections::HashSet;
use std::fmt::Write;

use crate::PackedMove;
use crate::board::Facts;
use crate::limits::{Limits, MOST_NUMBERS};
use crate::model::{Event, Game, Place, Token};
use crate::text::{TextId, Texts};

/// The maximum number of comment bytes searched for parts of other comments, per pair of games.
/// Beyond it only equal comments are recognized, so that the time grows with the number of comments
/// and not with its square.
const MOST_SEARCHED: usize = 16 << 20;

/// The annotations at one place of the mainline, between two moves.
#[derive(Default, Debug)]
struct PlaceNotes<'g> {
    /// The move before the place; `None` at the start.
    mv: Option<(PackedMove, Facts)>,
    nags: Vec<u16>,
    /// Annotations of the move before and of the move after: commands with their comments, and
    /// variations.
    after: Vec<Note<'g>>,
    before: Vec<Note<'g>>,
}

/// A comment with its commands, a variation, or another single token.
type Note<'g> = Vec<Token<'g>>;

/// Tags that follow from the moves or the start position of the game that has them.
const OF_THE_MOVES: [&str; 3] = ["FEN", "PlyCount", "SetUp"];

/// Returns whether the value of a tag is only a placeholder: empty, `?`, `-`, `*`, `????.??.??` and
/// the like.
pub fn is_placeholder(value: &str) -> bool {
    value.bytes().all(|byte| b"?.-*: ".contains(&byte))
}

impl Game {
    /// Adds the tags of another copy of the game that this one lacks or has without a known value, such
    /// as `?` or the result `*`. A partly unknown date is replaced by a full one that agrees with it.
    /// Returns the number of tags.
    ///
    /// ```
    /// use chessdb_core::Game;
    ///
    /// let mut game = Game::builder().white("Tal").tag("Date", "1960.??.??").build();
    /// let other = Game::builder().white("Tal, M").tag("Date", "1960.03.15").tag("Board", "1").build();
    /// assert_eq!(game.take_tags(&other), 2);
    /// assert_eq!((&*game.white(), &*game.tag("Date").unwrap()), ("Tal", "1960.03.15"));
    /// ```
    pub fn take_tags(&mut self, other: &Game) -> usize {
        let is_known = |value: &str| !is_placeholder(value);
        let mut taken = 0;
        for (name, value) in other.tags() {
            let is_lacking = match self.tag(&name) {
                Some(own) if is_known(&own) => completes_date(&own, &value),
                _ => is_known(&value) && !OF_THE_MOVES.contains(&&*name),
            };
            if is_lacking {
                self.set_tag(&name, &value);
                taken += 1;
            }
        }
        taken
    }

    /// Adds the annotations of another game, for the moves that both mainlines have in common at
    /// their start: NAGs, comments, clocks, evaluations, arrows and variations.
    ///
    /// Annotations that this game already has are skipped: equal NAGs and variations, and comments
    /// contained in an existing one. A longer comment replaces those that it contains. A move keeps
    /// its own clock, evaluation and arrows if it has any. Returns the number of annotations added;
    /// 0 if the start positions differ.
    ///
    /// ```
    /// use chessdb_core::Game;
    ///
    /// let mut game = Game::builder().sans(["e4", "e5"])?.comment("Open").build();
    /// let other = Game::builder().san("e4")?.nag(1).san("e5")?.comment("Open");
    /// let other = other.san("Nf3")?.build();
    /// assert_eq!((game.take_notes(&other), game.take_notes(&other)), (1, 0));
    /// assert_eq!(game.tree().mainline().next().unwrap().nags(), [1]);
    /// # Ok::<(), chessdb_core::Error>(())
    /// ```
    pub fn take_notes(&mut self, other: &Game) -> usize {
        if self.start_board() != other.start_board() {
            return 0;
        }
        let old = std::mem::take(&mut self.moves);
        let mut own = split_mainline(old.tokens(), &self.texts);
        let theirs = split_mainline(other.moves.tokens(), &other.texts);
        let mv = |spot: &PlaceNotes<'_>| spot.mv.map(|(mv, _)| mv);
        let pairs = own.iter().zip(&theirs);
        let common = pairs.take_while(|(own, new)| mv(own) == mv(new)).count();
        let mut taken = 0;
        let mut searched = 0;
        for (n, (spot, mut new)) in (1..=common).zip(own.iter_mut().zip(theirs)) {
            if n == common {
                // They refer to a move that this game does not have.
                new.before.clear();
            }
            let mut nags: HashSet<u16> = if new.nags.is_empty() {
                HashSet::new()
            } else {
                spot.nags.iter().copied().collect()
            };
            for nag in new.nags {
                if nags.insert(nag) {
                    spot.nags.push(nag);
                    taken += 1;
                }
            }
            for (own, new_notes) in [(&mut spot.after, new.after), (&mut spot.before, new.before)] {
                if new_notes.is_empty() {
                    continue;
                }
                let mut existing = ExistingNotes::new(own, &self.texts, &mut searched);
                for note in new_notes {
                    let texts = (&mut self.texts, &other.texts);
                    taken += usize::from(existing.add_new_parts(note, own, texts));
                }
            }
        }
        // Each game is within the limits, but both together may exceed them.
        let limits = Limits::default()
            .with_plies(MOST_NUMBERS)
            .with_depth(MOST_NUMBERS);
        let mut tape = self.moves.builder(&limits);
        for spot in &own {
            let nags = spot.nags.iter().map(|&nag| Token::Nag(nag));
            let notes = spot.after.iter().chain(&spot.before).flatten().copied();
            let put = spot.mv.map_or(Ok(()), |(mv, facts)| tape.known(mv, facts));
            if put.is_err() {
                break;
            }
            for token in nags.chain(notes) {
                // Pushing fails only if both games together exceed 268 million entries.
                let _ = tape.token(token);
            }
        }
        tape.finish();
        taken
    }
}

/// Returns whether a date states parts that another one leaves open, such as the day of
/// `1960.03.??`, and the same others.
fn completes_date(partial: &str, full: &str) -> bool {
    let is_open = |byte: u8| byte == b'?';
    let is_date = partial.len() == 10 && full.len() == 10;
    let mut pairs = partial.bytes().zip(full.bytes());
    is_date
        && partial.bytes().any(is_open)
        && !full.bytes().any(is_open)
        && pairs.all(|(own, other)| is_open(own) || own == other)
}

/// Splits the mainline into its places.
fn split_mainline<'g>(mut tokens: crate::model::Tokens<'g>, texts: &Texts) -> Vec<PlaceNotes<'g>> {
    let mut places = vec![PlaceNotes::default()];
    let mut run: Note<'g> = Vec::new();
    loop {
        let mv = tokens.next_move();
        let token = match mv {
            Some(_) => None,
            None => tokens.next(),
        };
        let Some(spot) = places.last_mut() else {
            return places;
        };
        // Commands belong to the comment directly after them.
        let is_part = matches!(token, Some(Token::Comment(..)));
        let is_command = token.is_some_and(|token| token.event(texts).is_command());
        if !run.is_empty() && !is_part && !is_command {
            spot.after.push(std::mem::take(&mut run));
        }
        match (mv, token) {
            (Some(mv), _) => places.push(PlaceNotes {
                mv: Some(mv),
                ..PlaceNotes::default()
            }),
            (None, None) => return places,
            (None, Some(token)) => match token {
                Token::Nag(nag) => spot.nags.push(nag),
                Token::Comment(place, _) => {
                    run.push(token);
                    let note = std::mem::take(&mut run);
                    match place {
                        Place::Before => spot.before.push(note),
                        Place::After => spot.after.push(note),
                    }
                }
                Token::Open(_) => {
                    let mut note = vec![token];
                    let mut depth = 1_u32;
                    while depth > 0
                        && let Some(token) = tokens.next()
                    {
                        depth = match token {
                            Token::Open(_) => depth.saturating_add(1),
                            Token::Close => depth - 1,
                            _ => depth,
                        };
                        note.push(token);
                    }
                    spot.after.push(note);
                }
                token if is_command => run.push(token),
                token => spot.after.push(vec![token]),
            },
        }
    }
}

/// The annotations at one place, indexed to look up each new one.
struct ExistingNotes<'k> {
    /// Keys of complete annotations.
    notes: HashSet<String>,
    /// The content of annotations that are not variations: comments with single blanks, unreadable
    /// moves, and whether there is a clock, an evaluation, shapes.
    comments: HashSet<String>,
    faults: HashSet<String>,
    commands: [bool; 3],
    /// Bytes of comments searched so far.
    searched: &'k mut usize,
}

impl<'k> ExistingNotes<'k> {
    fn new(notes: &[Note<'_>], texts: &Texts, searched: &'k mut usize) -> ExistingNotes<'k> {
        let mut existing = ExistingNotes {
            notes: HashSet::new(),
            comments: HashSet::new(),
            faults: HashSet::new(),
            commands: [false; 3],
            searched,
        };
        for note in notes {
            existing.add(note, texts);
        }
        existing
    }

    fn add(&mut self, note: &Note<'_>, texts: &Texts) {
        self.notes.insert(key(note, texts));
        let [clock, eval, shapes] = &mut self.commands;
        for token in note.iter().filter(|_| !is_variation(note)) {
            match token {
                Token::Clock(_) => *clock = true,
                Token::Eval(_) => *eval = true,
                Token::Shapes(_) => *shapes = true,
                Token::Comment(_, text) => {
                    self.comments.insert(with_single_blanks(texts, *text));
                }
                Token::Fault(..) => {
                    self.faults.insert(key(&[*token], texts));
                }
                _ => {}
            }
        }
    }

    /// Returns whether all comments here may be searched once more.
    fn can_search(&mut self, text: &str) -> bool {
        let size = |text: &str| text.len() + 16;
        let cost = self.comments.iter().map(|text| size(text));
        let limit = MOST_SEARCHED.saturating_sub(*self.searched);
        // Adding up the lengths takes as long as searching.
        let mut sum = size(text);
        for cost in cost {
            sum += cost;
            if sum > limit {
                *self.searched = MOST_SEARCHED;
                return false;
            }
        }
        *self.searched += sum;
        true
    }

    /// Returns whether an existing annotation has the content of a new token, or precludes it.
    fn covers(&mut self, new: &Token<'_>, other: &Texts) -> bool {
        let [clock, eval, shapes] = self.commands;
        match new {
            Token::Clock(_) => clock,
            Token::Eval(_) => eval,
            Token::Shapes(_) => shapes,
            Token::Comment(_, text) => {
                let new = with_single_blanks(other, *text);
                self.comments.contains(&new)
                    || self.can_search(&new)
                        && self.comments.iter().any(|comment| comment.contains(&new))
            }
            Token::Fault(..) => self.faults.contains(&key(&[*new], other)),
            _ => false,
        }
    }

    /// Adds the new parts of an annotation; false if there are none.
    fn add_new_parts<'g>(
        &mut self,
        note: Note<'g>,
        own: &mut Vec<Note<'g>>,
        (texts, other): (&mut Texts, &Texts),
    ) -> bool {
        if self.notes.contains(&key(&note, other)) {
            return false;
        }
        let mut new_parts = note;
        if !is_variation(&new_parts) {
            // Further results and data of one format have no meaning in another game.
            new_parts.retain(|token| !matches!(token, Token::Outcome(_) | Token::Extra(_)));
            new_parts.retain(|token| !self.covers(token, other));
        }
        for token in &mut new_parts {
            match token {
                Token::Comment(_, text) | Token::Fault(_, text) => {
                    *text = texts.push_from(other, *text);
                }
                _ => {}
            }
        }
        // A longer comment replaces those that it contains.
        let longer = new_parts.iter().find_map(|token| match token {
            Token::Comment(_, text) if !is_variation(&new_parts) => {
                Some(with_single_blanks(texts, *text))
            }
            _ => None,
        });
        if let Some(longer) = longer
            && self.can_search(&longer)
            && self
                .comments
                .iter()
                .any(|text| longer.contains(text.as_str()))
        {
            self.comments.retain(|text| !longer.contains(text.as_str()));
            for note in own.iter_mut().filter(|note| !is_variation(note)) {
                note.retain(|token| match token {
                    Token::Comment(_, text) => !longer.contains(&with_single_blanks(texts, *text)),
                    _ => true,
                });
            }
            own.retain(|note| !note.is_empty());
        }
        let is_any = !new_parts.is_empty();
        if is_any {
            self.add(&new_parts, texts);
            own.push(new_parts);
        }
        is_any
    }
}

/// Returns a text that is equal for two annotations only if their contents are.
fn key(note: &[Token<'_>], texts: &Texts) -> String {
    let mut key = String::new();
    for token in note {
        // Writing to a string does not fail.
        let _ = match token.event(texts) {
            Event::Comment(place, text) => {
                let text = text.decode();
                write!(key, "{place:?} {}:{text}", text.len())
            }
            Event::Fault(kind, text) => {
                let text = text.decode();
                write!(key, "{kind:?} {}:{text}", text.len())
            }
            Event::Open(_) => write!(key, "("),
            Event::Move(mv) => {
                let (from, to) = (mv.from().index(), mv.to().index());
                write!(key, "{from} {to} {:?};", mv.kind())
            }
            event => write!(key, "{event:?};"),
        };
    }
    key
}

/// Returns whether an annotation is a variation.
fn is_variation(note: &[Token<'_>]) -> bool {
    matches!(note.first(), Some(Token::Open(_)))
}

/// Returns a text with single blanks.
fn with_single_blanks(texts: &Texts, text: TextId) -> String {
    texts
        .get(text)
        .decode()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use crate::Game;

    fn game(notes: bool) -> Game {
        let line = Game::builder().san("e4").unwrap();
        let line = if notes { line.comment("Best").nag(1) } else { line };
        let line = line.san("e5").unwrap();
        let line = if notes {
            line.variation(|line| line.sans(["c5", "Nf3"]))
                .unwrap()
                .comment("Open")
        } else {
            line
        };
        line.sans(["Nf3", "Nc6"]).unwrap().build()
    }

    #[test]
    fn merge_takes_notes_once_and_keeps_moves() {
        let mut plain = game(false);
        let moves = plain.sans();
        assert_eq!(plain.take_notes(&game(true)), 4);
        assert_eq!(plain.sans(), moves);
        assert_eq!(plain.tree(), game(true).tree());
        assert_eq!(plain.take_notes(&game(true)), 0);
        let before = plain.tree();
        assert_eq!(plain.take_notes(&game(false)), 0);
        assert_eq!(plain.tree(), before);
    }

    #[test]
    fn merge_ignores_notes_on_other_moves() {
        let mut game = game(true);
        let other = Game::builder().sans(["e4", "e5", "f4"]).unwrap();
        let other = other.comment("King's Gambit").nag(3).build();
        assert_eq!(game.take_notes(&other), 0);
        let fen = Game::builder()
            .fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
            .unwrap();
        let fen = fen.san("e4").unwrap().comment("Alone").build();
        assert_eq!(game.take_notes(&fen), 0);
    }

    #[test]
    fn merge_drops_comment_within_another() {
        let with = |text: &str| Game::builder().san("d4").unwrap().comment(text).build();
        let mut long = with("A good move, and\nan old one");
        assert_eq!(long.take_notes(&with("and an  old")), 0);
        assert_eq!(long.take_notes(&with("Rare")), 1);
        let comments: Vec<String> = long.comments().map(|text| text.into_owned()).collect();
        assert_eq!(comments, ["A good move, and\nan old one", "Rare"]);
        let mut short = with("and an old");
        assert_eq!(short.take_notes(&with("A good move, and an old one")), 1);
        assert_eq!(
            short.comments().collect::<Vec<_>>(),
            ["A good move, and an old one"]
        );
    }
    #[test]
    fn many_notes_at_one_move_merge_fast() {
        // Comparing all pairs would take minutes.
        const NOTES: u32 = 40_000;
        let with = |first: u32| {
            let game = Game::builder().san("d4").unwrap();
            let numbers = first..first + NOTES;
            numbers
                .fold(game, |game, n| {
                    game.comment(&format!("Comment {n}.")).nag(n as u16)
                })
                .build()
        };
        let mut game = with(0);
        let nags = NOTES / 2;
        assert_eq!(
            game.take_notes(&with(NOTES / 2)),
            (NOTES / 2 + nags) as usize
        );
        assert_eq!(game.take_notes(&with(NOTES / 2)), 0);
        assert_eq!(game.comments().count() as u32, NOTES / 2 * 3);
    }
}
