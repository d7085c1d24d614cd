//! The moves of a game as a flat tape of 32-bit tokens, in PGN order.
//!
//! All formats are depth-first streams with open and close marks. Decoding and encoding therefore
//! take one pass without a tree, and hostile nesting only increases a counter instead of the call
//! stack.
//!
//! 1. [`Token::Open`] follows the move that its variation replaces.
//! 2. Sibling variations are in source order.
//! 3. A comment with [`Place::Before`] comes directly after the start, after an `Open`, or before a
//!    move.
//! 4. The result of the game is in the header; results on the tape are additional information.
//! 5. A NAG refers to the last move of its line, or to the start position if there is none. The
//!    same applies to shapes, clocks and evaluations; directly before a comment they are part of
//!    it.

mod builder;

pub use builder::Builder;

use crate::board::Facts;
use crate::commands::{Clock, Eval, Shape};
use crate::limits::{Limits, MOST_NUMBERS};
use crate::text::TextId;
use crate::{Outcome, PackedMove};

/// The position of a comment relative to the moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// The comment belongs to the next move, or to the start of its line.
    Before,
    /// The comment belongs to the previous move.
    After,
}

/// The start of a variation, with the index of its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Branch {
    /// The index of the token after the matching [`Token::Close`].
    pub end: u32,
}

/// The source's description of something that it could not express as a move (jose's error nodes).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum FaultKind {
    /// A move that could not be read.
    UnreadableMove,
    /// A move that the rules do not allow.
    IllegalMove,
    /// A move with several interpretations.
    AmbiguousMove,
    /// Input that was not recognized.
    UnrecognisedInput,
    /// Input that was missing.
    InputExpected,
}

impl FaultKind {
    const ALL: [FaultKind; 5] = [
        FaultKind::UnreadableMove,
        FaultKind::IllegalMove,
        FaultKind::AmbiguousMove,
        FaultKind::UnrecognisedInput,
        FaultKind::InputExpected,
    ];
}

/// Bytes that only their own format understands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extra {
    /// The format's id, such as `cbf`.
    pub format: &'static str,
    /// The number of the field in the documentation of the format.
    pub field: u16,
    /// The content.
    pub bytes: Box<[u8]>,
}

impl Extra {
    /// Creates the content of a field.
    pub fn new(format: &'static str, field: u16, bytes: impl Into<Box<[u8]>>) -> Extra {
        let bytes = bytes.into();
        Extra {
            format,
            field,
            bytes,
        }
    }

    /// Returns whether this is the content of a field of this format.
    pub fn is_of(&self, format: &str, field: u16) -> bool {
        self.format == format && self.field == field
    }
}

/// An entry of the tape, with texts by number. [`crate::Event`] is the form with the texts
/// themselves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Token<'g> {
    /// A half-move.
    Move(PackedMove),
    /// A numeric annotation glyph (NAG).
    Nag(u16),
    /// A comment.
    Comment(Place, TextId),
    /// The start of a variation: an alternative to the last move.
    Open(Branch),
    /// The end of a variation.
    Close,
    /// A clock time.
    Clock(Clock),
    /// An engine's evaluation.
    Eval(Eval),
    /// Arrows and coloured squares.
    Shapes(&'g [Shape]),
    /// A result within the moves.
    Outcome(Outcome),
    /// Something that the source could not express as a move.
    Fault(FaultKind, TextId),
    /// Data that only the source format understands.
    Extra(&'g Extra),
}

const TAG_SHIFT: u32 = 28;
const PAYLOAD: u32 = MOST_NUMBERS;
/// The first bit of the facts that are stored with a move.
const FACTS_SHIFT: u32 = 16;

const MOVE: u32 = 0;
const NAG: u32 = 1;
const COMMENT_BEFORE: u32 = 2;
const COMMENT_AFTER: u32 = 3;
const OPEN: u32 = 4;
const CLOSE: u32 = 5;
const CLOCK: u32 = 6;
const EVAL: u32 = 7;
const SHAPES: u32 = 8;
const OUTCOME: u32 = 9;
const FAULT: u32 = 10;
const EXTRA: u32 = 11;

/// The tape. A token consists of four tag bits and 28 payload bits: the value itself, a text
/// number, or an index into a side table. A move is stored with its facts, if known.
#[derive(Clone, Default, Debug)]
pub struct Movetext {
    tokens: Vec<u32>,
    clocks: Vec<Clock>,
    evals: Vec<Eval>,
    shapes: Vec<Shape>,
    shape_ends: Vec<u32>,
    faults: Vec<(FaultKind, TextId)>,
    extras: Vec<Extra>,
    plies: u32,
    /// The number of half-moves with known facts, including null moves, which have none.
    known_facts: u32,
}

/// Tapes are equal if their tokens are, including text numbers but not the texts themselves.
impl PartialEq for Movetext {
    fn eq(&self, other: &Movetext) -> bool {
        self.tokens().eq(other.tokens())
    }
}

impl Movetext {
    /// Removes all content and keeps the allocations.
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.clocks.clear();
        self.evals.clear();
        self.shapes.clear();
        self.shape_ends.clear();
        self.faults.clear();
        self.extras.clear();
        self.plies = 0;
        self.known_facts = 0;
    }

    /// Returns the number of tokens.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Returns the number of half-moves in all lines.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Returns the facts of each half-move of a game that has only a mainline without annotations, or
    /// `None` for any other game.
    pub fn plain_facts(&self) -> Option<impl DoubleEndedIterator<Item = Facts>> {
        let facts = self.tokens.iter();
        let facts = facts.map(|word| Facts::from_bits((word >> FACTS_SHIFT) as u16));
        // Only then is every token a half-move.
        (self.tokens.len() == self.plies as usize).then_some(facts)
    }

    /// Returns whether all moves except null moves have [`Facts`]. Then all moves are legal, and
    /// code that needs only the facts does not have to play them.
    pub fn is_known(&self) -> bool {
        self.known_facts == self.plies
    }

    /// Removes the facts about all moves.
    pub fn forget_facts(&mut self) {
        for word in &mut self.tokens {
            if *word >> TAG_SHIFT == MOVE {
                *word &= 0xFFFF;
            }
        }
        self.known_facts = 0;
        // A null move needs no facts.
        let nulls = self.tokens().filter(|token| match token {
            Token::Move(mv) => mv.is_null(),
            _ => false,
        });
        self.known_facts = nulls.count() as u32;
    }

    /// Returns whether there are any variations.
    pub fn has_variations(&self) -> bool {
        // A tape of moves only need not be searched.
        let notes = self.tokens.len() > self.plies as usize;
        notes && self.tokens.iter().any(|&word| word >> TAG_SHIFT == OPEN)
    }

    /// Returns an iterator over the tape from its beginning.
    pub fn tokens(&self) -> Tokens<'_> {
        Tokens {
            tape: self,
            next: 0,
        }
    }

    /// Returns the half-moves of the mainline.
    pub fn mainline(&self) -> Mainline<'_> {
        Mainline(self.tokens())
    }

    /// Clears the tape and starts a new one.
    pub fn builder(&mut self, limits: &Limits) -> Builder<'_> {
        self.clear();
        Builder::new(self, limits)
    }

    fn token(&self, index: u32) -> Option<Token<'_>> {
        let word = *self.tokens.get(index as usize)?;
        let payload = word & PAYLOAD;
        let slot = payload as usize;
        Some(match word >> TAG_SHIFT {
            MOVE => Token::Move(PackedMove::from_bits(payload as u16)?),
            NAG => Token::Nag(payload as u16),
            COMMENT_BEFORE => Token::Comment(Place::Before, TextId::from_raw(payload)),
            COMMENT_AFTER => Token::Comment(Place::After, TextId::from_raw(payload)),
            OPEN => Token::Open(Branch { end: payload }),
            CLOSE => Token::Close,
            CLOCK => Token::Clock(*self.clocks.get(slot)?),
            EVAL => Token::Eval(*self.evals.get(slot)?),
            SHAPES => {
                let end = *self.shape_ends.get(slot)? as usize;
                // The shapes of a token begin at the end of those of the previous one.
                let start = match slot.checked_sub(1) {
                    Some(before) => *self.shape_ends.get(before)? as usize,
                    None => 0,
                };
                Token::Shapes(self.shapes.get(start..end)?)
            }
            OUTCOME => Token::Outcome(*Outcome::ALL.get(slot)?),
            FAULT => {
                let (kind, text) = *self.faults.get(slot)?;
                Token::Fault(kind, text)
            }
            EXTRA => Token::Extra(self.extras.get(slot)?),
            _ => return None,
        })
    }
}

/// An iterator over the tape.
#[derive(Clone, Debug)]
pub struct Tokens<'g> {
    tape: &'g Movetext,
    next: u32,
}

impl<'g> Tokens<'g> {
    /// Skips a variation that was just opened.
    pub fn skip_variation(&mut self, branch: Branch) {
        self.next = self.next.max(branch.end);
    }

    /// Takes the next token, with its facts, if it is a half-move; otherwise takes nothing.
    #[inline]
    pub fn next_move(&mut self) -> Option<(PackedMove, Facts)> {
        let word = *self.tape.tokens.get(self.next as usize)?;
        if word >> TAG_SHIFT != MOVE {
            return None;
        }
        self.next += 1;
        let facts = Facts::from_bits((word >> FACTS_SHIFT) as u16);
        Some((PackedMove::from_bits(word as u16)?, facts))
    }

    /// Returns the number of tokens before the next one.
    pub(crate) fn index(&self) -> u32 {
        self.next
    }

    /// Continues at the token with this index.
    pub(crate) fn starting_at(mut self, index: u32) -> Tokens<'g> {
        self.next = index;
        self
    }

    /// Goes back by one token.
    pub(crate) fn go_back(&mut self) {
        self.next = self.next.saturating_sub(1);
    }
}

impl<'g> Iterator for Tokens<'g> {
    type Item = Token<'g>;

    fn next(&mut self) -> Option<Token<'g>> {
        let token = self.tape.token(self.next)?;
        self.next += 1;
        Some(token)
    }
}

/// An iterator over the half-moves of the mainline.
#[derive(Clone, Debug)]
pub struct Mainline<'g>(Tokens<'g>);

impl Mainline<'_> {
    /// Returns the number of tokens passed so far, to continue there with
    /// [`Builder::mainline_from`].
    pub fn passed(&self) -> u32 {
        self.0.next
    }
}

impl Iterator for Mainline<'_> {
    type Item = PackedMove;

    #[inline]
    fn next(&mut self) -> Option<PackedMove> {
        loop {
            // Nearly every token is a half-move.
            if let Some((mv, _)) = self.0.next_move() {
                return Some(mv);
            }
            match self.0.next()? {
                Token::Move(mv) => return Some(mv),
                Token::Open(branch) => self.0.skip_variation(branch),
                _ => {}
            }
        }
    }
}

impl From<FaultKind> for u8 {
    /// Returns jose's number of the fault, 1..=5.
    fn from(kind: FaultKind) -> u8 {
        FaultKind::ALL
            .iter()
            .position(|&entry| entry == kind)
            .map_or(0, |index| index as u8 + 1)
    }
}

impl TryFrom<u8> for FaultKind {
    type Error = ();

    fn try_from(number: u8) -> Result<FaultKind, ()> {
        let index = usize::from(number).checked_sub(1).ok_or(())?;
        FaultKind::ALL.get(index).copied().ok_or(())
    }
}

impl crate::Losses {
    /// Counts the loss of a token that is left out ([`Token::loss`]).
    pub fn add_token(&mut self, token: Token<'_>, ply: Option<u32>) {
        if let Some(kind) = token.loss() {
            self.add(kind, ply);
        }
    }
}
