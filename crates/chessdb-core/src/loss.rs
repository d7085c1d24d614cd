//! Losses of a target format: kinds, counts, first plies, and the limits that a database reached.

mod format_limit;

use std::fmt;

use crate::PackedMove;
use crate::board::MoveKind;

pub use format_limit::{FormatLimit, LimitExceeded};

macro_rules! loss_kinds {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $text:literal;)*) => {
        /// A kind of data that a target format may be unable to store.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum LossKind { $($(#[$doc])* #[doc = $text] $name,)* }

        impl LossKind {
            /// All kinds, in a fixed order.
            pub const ALL: &'static [LossKind] = &[$(LossKind::$name,)*];

            /// Returns the constant name of the kind, for options and machine-readable output.
            pub const fn code(self) -> &'static str {
                match self { $(LossKind::$name => $code,)* }
            }

            /// Returns the kind with this code.
            pub fn by_code(code: &str) -> Option<LossKind> {
                LossKind::ALL.iter().copied().find(|kind| kind.code() == code)
            }

            /// Returns the kind in words.
            pub const fn text(self) -> &'static str {
                match self { $(LossKind::$name => $text,)* }
            }
        }
    };
}

loss_kinds! {
    Game = "game", "entire games left out";
    Moves = "moves", "moves left out because only headers are written";
    MovesCut = "moves-cut", "moves left out at the end of a shortened game";
    NullMove = "null-move", "null moves left out; their line ends there";
    GhostEnPassant = "ghost-en-passant", "illegal en passant moves of ChessBase left out; their line ends there";
    IllegalMove = "illegal-move", "illegal moves left out; their line ends there";
    Promotion = "promotion", "promotions to a piece other than a queen, which the format does not record";
    UnnumberedPiece = "unnumbered-piece", "moves left out because the format has no number for their piece";
    Variation = "variation", "variations left out";
    VariationMoves = "variation-moves", "moves left out of variations";
    VariationBeforeMove = "variation-before-move", "variations left out because they replace no move";
    VariationMoved = "variation-moved", "nested variations moved next to their parent variation";
    Comment = "comment", "comments left out";
    CommentMerged = "comment-merged", "comments merged with a neighbouring comment";
    CommentMoved = "comment-moved", "comments moved to a neighbouring move";
    CommentCut = "comment-cut", "comments shortened to the allowed length";
    CommentText = "comment-text", "comments in which unsupported characters were replaced";
    CommentLayout = "comment-layout", "comments in which line breaks were changed or replaced by spaces";
    Nag = "nag", "NAGs left out";
    NagMoved = "nag-moved", "NAGs moved before the comment or the variations of their move";
    NagChanged = "nag-changed", "NAGs replaced by the nearest one that the target supports";
    Clock = "clock", "clock times left out";
    Eval = "eval", "engine evaluations left out";
    Shapes = "shapes", "arrows and coloured squares left out";
    MoveResult = "move-result", "results in the movetext left out";
    Fault = "fault", "markers of unreadable moves left out";
    NameCut = "name-cut", "names shortened to the allowed length";
    NameLeftOut = "name-left-out", "names left out because the name table is full";
    NameText = "name-text", "names in which unsupported characters were replaced";
    SiteMerged = "site-merged", "sites merged into the event name";
    Tag = "tag", "tags left out because the target has no field for them";
    TagText = "tag-text", "tags in which unsupported characters were replaced";
    TextLayout = "text-layout", "names and tags in which line breaks or other white space were changed";
    Transliterated = "transliterated", "texts transliterated because the target lacks some of their letters";
    EmptyTag = "empty-tag", "tags without a value left out (empty or question marks)";
    TagCut = "tag-cut", "tags shortened to the allowed length";
    Title = "title", "titles of players left out";
    FideId = "fide-id", "FIDE numbers left out";
    Rating = "rating", "ratings left out or changed because they are outside the allowed range";
    RatingRounded = "rating-rounded", "ratings rounded";
    RatingType = "rating-type", "rating types left out or changed";
    Round = "round", "rounds left out or shortened to fit the field";
    Date = "date", "dates reduced to the parts that the field can store";
    EventDate = "event-date", "event dates left out: too far from the game's date, or not supported";
    Eco = "eco", "ECO codes or sub-codes left out";
    Result = "result", "results left out because the format has no code for them";
    Annotator = "annotator", "annotators left out";
    Source = "source", "sources left out";
    Flags = "flags", "game flags left out";
    DeletedFlag = "deleted-flag", "deleted games that lost their deletion mark and now count as normal games";
    StartPosition = "start-position", "start positions left out or changed";
    StartCounters = "start-counters", "move counters of start positions left out";
    Chess960 = "chess960", "Chess960 games or castling rights left out or stored as those of standard chess";
    BaseTitle = "base-title", "database titles left out";
    Description = "description", "database descriptions left out or shortened";
    BaseKind = "base-kind", "database types left out";
    FlagNames = "flag-names", "names of user-defined flags left out";
    OpenFirst = "open-first", "the number of the game to open first left out";
    NameTable = "name-table", "unused names left out";
    NameDetails = "name-details", "details of names left out (birthday, FIDE number …)";
    Collection = "collection", "collections left out or merged";
    BaseExtra = "base-extra", "format-specific data of the database left out";
    GameExtra = "game-extra", "format-specific data of games left out";
}

impl LossKind {
    /// Returns the kind of loss of an illegal move that the target cannot store.
    pub const fn of_illegal(mv: PackedMove) -> LossKind {
        match mv.kind() {
            MoveKind::GhostEnPassant => LossKind::GhostEnPassant,
            _ => LossKind::IllegalMove,
        }
    }
}

impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// A set of kinds of loss, such as those that a format may announce.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LossSet(u64);

impl LossSet {
    /// The kinds that [`BaseInfo::losses`](crate::BaseInfo::losses) counts.
    pub const BASE: LossSet = LossSet::new(&[
        LossKind::BaseTitle,
        LossKind::Description,
        LossKind::BaseKind,
        LossKind::FlagNames,
        LossKind::NameDetails,
        LossKind::Collection,
        LossKind::BaseExtra,
    ]);

    /// All kinds except those that only few formats have, such as [`LossKind::SiteMerged`].
    pub const COMMON: LossSet = LossSet::all().without(&[
        LossKind::Moves,
        LossKind::Promotion,
        LossKind::UnnumberedPiece,
        LossKind::CommentLayout,
        LossKind::NagChanged,
        LossKind::SiteMerged,
        LossKind::TextLayout,
        LossKind::Transliterated,
        LossKind::RatingRounded,
    ]);

    /// The kinds that [`write_lines`](crate::line::write_lines) counts for every format that rejects
    /// illegal moves: the moves, and everything that follows them or belongs to them.
    pub const MOVES: LossSet = LossSet::new(&[
        LossKind::MovesCut,
        LossKind::GhostEnPassant,
        LossKind::IllegalMove,
        LossKind::Variation,
        LossKind::VariationMoves,
        LossKind::Comment,
        LossKind::Nag,
        LossKind::Clock,
        LossKind::Eval,
        LossKind::Shapes,
        LossKind::MoveResult,
        LossKind::Fault,
    ]);

    /// Returns the set of all kinds.
    pub const fn all() -> LossSet {
        LossSet::new(LossKind::ALL)
    }

    /// Returns the set of these kinds.
    pub const fn new(kinds: &[LossKind]) -> LossSet {
        let (mut set, mut rest) = (0, kinds);
        while let [kind, others @ ..] = rest {
            set |= 1 << *kind as u32;
            rest = others;
        }
        LossSet(set)
    }

    /// Returns the set with these kinds too.
    #[must_use]
    pub const fn with(self, kinds: &[LossKind]) -> LossSet {
        LossSet(self.0 | LossSet::new(kinds).0)
    }

    /// Returns the set with the kinds of another one too.
    #[must_use]
    pub const fn union(self, other: LossSet) -> LossSet {
        LossSet(self.0 | other.0)
    }

    /// Returns the set without these kinds.
    #[must_use]
    pub const fn without(self, kinds: &[LossKind]) -> LossSet {
        LossSet(self.0 & !LossSet::new(kinds).0)
    }

    /// Returns whether the set contains this kind.
    pub const fn contains(self, kind: LossKind) -> bool {
        self.0 & LossSet::new(&[kind]).0 != 0
    }

    /// Returns the kinds in the order of [`LossKind::ALL`].
    pub fn iter(self) -> impl Iterator<Item = LossKind> {
        LossKind::ALL
            .iter()
            .copied()
            .filter(move |&kind| self.contains(kind))
    }
}

/// One kind of loss in one game or database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loss {
    /// The kind.
    pub kind: LossKind,
    /// The number of occurrences.
    pub count: u32,
    /// The ply of the first occurrence, if the loss belongs to the moves.
    pub ply: Option<u32>,
}

/// The losses of a game or database: one entry per kind, in the order in which the kinds first
/// occurred.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Losses {
    kinds: Vec<Loss>,
    /// Whether the mainline ends early.
    is_cut: bool,
}

impl Losses {
    /// Creates an empty list.
    pub const fn new() -> Losses {
        Losses {
            kinds: Vec::new(),
            is_cut: false,
        }
    }

    /// Counts one loss.
    pub fn add(&mut self, kind: LossKind, ply: Option<u32>) {
        self.add_many(kind, 1, ply);
    }

    /// Counts one loss that belongs to no ply, if there is one.
    #[inline]
    pub fn add_if(&mut self, kind: LossKind, is_lost: bool) {
        if is_lost {
            self.add(kind, None);
        }
    }

    /// Counts the changes to a text, each as its own kind.
    pub fn add_text(&mut self, loss: TextLoss, replaced: LossKind, cut: LossKind) {
        self.add_if(replaced, loss.replaced);
        self.add_if(cut, loss.cut);
    }

    /// Counts the loss of a move with which the mainline ends ([`Losses::is_cut`]).
    pub fn cut(&mut self, kind: LossKind, ply: Option<u32>) {
        self.add(kind, ply);
        self.is_cut = true;
    }

    /// Returns whether the mainline lost its last moves, for any reason.
    pub fn is_cut(&self) -> bool {
        // `MovesCut` is counted only for the mainline; other kinds need the call of `cut`.
        self.is_cut || self.count(LossKind::MovesCut) > 0
    }

    /// Counts several losses of one kind.
    pub fn add_many(&mut self, kind: LossKind, count: u32, ply: Option<u32>) {
        if count == 0 {
            return;
        }
        // The ply of the first occurrence stays.
        match self.kinds.iter_mut().find(|loss| loss.kind == kind) {
            Some(loss) => loss.count = loss.count.saturating_add(count),
            None => self.kinds.push(Loss { kind, count, ply }),
        }
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &Losses) {
        for loss in &other.kinds {
            self.add_many(loss.kind, loss.count, loss.ply);
        }
        self.is_cut |= other.is_cut;
    }

    /// Returns whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Returns the count of one kind.
    pub fn count(&self, kind: LossKind) -> u32 {
        self.kinds
            .iter()
            .find(|loss| loss.kind == kind)
            .map_or(0, |loss| loss.count)
    }

    /// Returns one entry per kind.
    pub fn iter(&self) -> std::slice::Iter<'_, Loss> {
        self.kinds.iter()
    }

    /// Returns the losses beyond `other`, kind by kind.
    #[must_use]
    pub fn beyond(&self, other: &Losses) -> Losses {
        let mut losses = Losses::new();
        for loss in self {
            let more = loss.count.saturating_sub(other.count(loss.kind));
            losses.add_many(loss.kind, more, loss.ply);
        }
        losses
    }

    /// Removes all entries and keeps the memory.
    pub fn clear(&mut self) {
        self.kinds.clear();
        self.is_cut = false;
    }
}

/// The changes to a text that a format stored.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TextLoss {
    /// Whether characters had to be replaced.
    pub replaced: bool,
    /// Whether the text was cut.
    pub cut: bool,
}

impl<'a> IntoIterator for &'a Losses {
    type Item = &'a Loss;
    type IntoIter = std::slice::Iter<'a, Loss>;
    fn into_iter(self) -> Self::IntoIter {
        self.kinds.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct() {
        let mut codes: Vec<_> = LossKind::ALL.iter().map(|kind| kind.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), LossKind::ALL.len());
    }

    #[test]
    fn sets_of_kinds() {
        assert!(LossSet::all().iter().eq(LossKind::ALL.iter().copied()));
        let few = LossSet::all().without(&LossKind::ALL[2..]);
        assert_eq!(few, LossSet::new(&[LossKind::Moves, LossKind::Game]));
        assert!(few.contains(LossKind::Game) && !few.contains(LossKind::Nag));
        assert!(few.with(&[LossKind::Nag]).contains(LossKind::Nag));
    }

    /// A format with `LossSet::all().without(…)` announces a new kind until it is listed there.
    #[test]
    fn new_kind_requires_review_of_formats() {
        assert_eq!(LossKind::ALL.len(), 63);
    }

    #[test]
    fn losses_add_up_per_kind() {
        let mut losses = Losses::new();
        losses.add(LossKind::Nag, Some(3));
        losses.add(LossKind::Nag, Some(9));
        losses.add_many(LossKind::Tag, 0, None);
        let mut sum = Losses::new();
        sum.merge(&losses);
        assert_eq!(sum.count(LossKind::Nag), 2);
        assert_eq!(sum.iter().next().and_then(|loss| loss.ply), Some(3));
        assert_eq!(sum.iter().count(), 1);
        assert!(!sum.is_cut());
        losses.cut(LossKind::NullMove, None);
        sum.merge(&losses);
        assert!(sum.is_cut());
        sum.clear();
        assert!(!sum.is_cut());
        sum.add(LossKind::MovesCut, None);
        assert!(sum.is_cut());
    }
}
