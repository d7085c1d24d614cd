//! Writing of a book: the moves of all games are merged into one tree.

use chessdb_core::board::MoveKind;
use chessdb_core::files::{FileId, FileSink};
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::line::{LineSink, Lines, Out, write_game};
use chessdb_core::model::{Field, Tag};
use chessdb_core::store::{EncodeGame, WriteEncoded, WriterState};
use chessdb_core::{
    Game, LossKind, Losses, PackedMove, PieceType, Result as CoreResult, WriteOptions, rules,
};

use super::store::WEAK;
use super::tree::Tree;
use crate::info;
use crate::roles::FBK_FILE;

/// A writer of a book. The tree is kept in memory until the end.
pub struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    file: FileId,
    state: WriterState<BookEncoder>,
    tree: Tree,
}

/// The encoder of a game: only its losses are known before it is added to the tree.
#[derive(Clone, Debug)]
pub struct BookEncoder;

impl<'a> Writer<'a> {
    /// Starts a book.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink fails or if a loss that concerns the whole database is not
    /// allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> CoreResult<Writer<'a>> {
        let state = WriterState::new(BookEncoder, options.allow, info::losses(&options.base))?;
        let file = sink.create(FBK_FILE)?;
        Ok(Writer {
            sink,
            file,
            state,
            tree: Tree::default(),
        })
    }
}

impl EncodeGame for BookEncoder {
    type Encoded = ();

    fn encode(&self, game: &Game, (): &mut (), losses: &mut Losses) -> CoreResult<bool> {
        lose_header(game, losses);
        let mut alone = Tree::default();
        add_moves(game, &mut alone, losses);
        // A book contains only moves.
        Ok(alone.root.is_some())
    }
}

impl WriteEncoded for Writer<'_> {
    chessdb_core::writer_state!(BookEncoder);

    fn put(&mut self, game: &Game, (): &mut ()) -> CoreResult<()> {
        add_moves(game, &mut self.tree, &mut Losses::new());
        Ok(())
    }

    fn games_at_end(&self) -> u32 {
        u32::from(self.tree.root.is_some())
    }

    fn close(self: Box<Self>) -> CoreResult<()> {
        let bytes: Vec<u8> = self
            .tree
            .entries()
            .flat_map(|entry| entry.to_bytes())
            .collect();
        self.sink.write(self.file, &bytes)?;
        self.sink.commit()
    }
}

/// Adds the moves of all lines of a game to the tree. The losses are exact for a tree of this game
/// alone.
fn add_moves(game: &Game, tree: &mut Tree, losses: &mut Losses) {
    if !game.header.start.is_standard() {
        losses.add(LossKind::StartPosition, None);
        return;
    }
    let mut book = BookSink {
        tree,
        line: BookLine::default(),
        open: Vec::new(),
    };
    // The numbering supports every position.
    let _ = write_game(PlainNumbering, game, losses, &mut book);
}

/// A tree and the current position in it.
struct BookSink<'t> {
    tree: &'t mut Tree,
    line: BookLine,
    /// The lines interrupted by variations.
    open: Vec<BookLine>,
}

#[derive(Clone, Copy, Default)]
struct BookLine {
    /// The last move of the line, and the move before it.
    node: Option<u32>,
    before: Option<u32>,
    /// The number of moves of the line.
    moves: u32,
}

type BookOut<'p, 'g> = Out<'p, 'g, Lines<PlainNumbering>>;

impl<'g> LineSink<'g> for BookSink<'_> {
    type Lines = Lines<PlainNumbering>;

    fn mv(&mut self, out: &mut BookOut<'_, 'g>, mv: PackedMove) -> Result<(), LossKind> {
        if let Some(kind) = refused(out.lines.board(), mv) {
            return Err(kind);
        }
        let BookLine { node, moves, .. } = self.line;
        let (from, to) = (mv.from(), mv.to());
        let existing = self.tree.find(node, from, to);
        if existing.is_some() && moves == 0 {
            // The variation begins with the move of another line and becomes a branch of that line.
            out.lose(LossKind::VariationMoved);
        }
        self.line = BookLine {
            node: Some(existing.unwrap_or_else(|| self.tree.add(node, from, to, false))),
            before: node,
            moves: moves.saturating_add(1),
        };
        match mv.promotion() {
            None | Some(PieceType::Queen) => Ok(()),
            // The following moves would not fit a queen.
            Some(_) => Err(LossKind::Promotion),
        }
    }

    fn nag(&mut self, out: &mut BookOut<'_, 'g>, nag: u16) {
        match self.line.node {
            Some(node) if nag == WEAK && self.line.moves > 0 => self.tree.mark_weak(node),
            _ => out.lose(LossKind::Nag),
        }
    }

    fn open(&mut self, out: &mut BookOut<'_, 'g>) -> Result<(), LossKind> {
        let BookLine { before, moves, .. } = self.line;
        if moves == 0 {
            return Err(LossKind::VariationBeforeMove);
        }
        if moves == 1 && !self.open.is_empty() {
            out.lose(LossKind::VariationMoved);
        }
        self.open.push(self.line);
        self.line = BookLine {
            node: before,
            ..BookLine::default()
        };
        Ok(())
    }

    fn close(&mut self, out: &mut BookOut<'_, 'g>) {
        if self.line.moves == 0 {
            out.lose(LossKind::Variation);
        }
        self.line = self.open.pop().unwrap_or_default();
    }

    fn drops_comments(&self) -> bool {
        true
    }
}

/// Returns the reason why a book cannot contain a move.
fn refused(board: &chessdb_core::Board, mv: PackedMove) -> Option<LossKind> {
    match mv.kind() {
        MoveKind::Null => Some(LossKind::NullMove),
        MoveKind::GhostEnPassant => Some(LossKind::GhostEnPassant),
        _ if rules::is_legal(board, mv) => None,
        _ => Some(LossKind::IllegalMove),
    }
}

/// Counts the losses of everything except the moves.
fn lose_header(game: &Game, losses: &mut Losses) {
    losses.add_unstored(game, &Field::ROSTER);
    losses.add_unstored(game, &[Field::Annotator, Field::Source, Field::EventDate]);
    losses.add_unstored(game, &[Field::Eco, Field::WhiteRating, Field::BlackRating]);
    losses.add_unstored(game, &Field::PLAYER_DETAILS);
    let has_flags = !game.header.flags.is_empty();
    losses.add_if(LossKind::Flags, has_flags);
    losses.add_tags(game, |tag| match tag {
        // All games of a book have this result when read back.
        Tag::Verbatim(Field::Result, text) => game.text(text).as_bytes() == b"*",
        tag => game.is_setup_tag(tag),
    });
    losses.add_extras(game);
}
