//! Writing a book: the moves of all games in one tree.

use chessdb_core::{
    Allow, Color, Event, FileId, FileSink, Game, GameFlags, GameWrite, LossKind, Losses, MoveKind,
    Outcome, PackedMove, PieceType, Result, Skip, Start, Tag, TextId, Walk, WriteOptions, rules,
};

use super::store::WEAK;
use super::tree::Tree;
use crate::FBK_FILE;
use crate::writer::base_losses;

/// A book that is being written. The tree stays in memory until the end.
pub struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    file: FileId,
    allow: Allow,
    base_losses: Losses,
    tree: Tree,
}

impl<'a> Writer<'a> {
    /// Starts a book.
    ///
    /// # Errors
    ///
    /// What the sink says, and a loss about the base as a whole that is not allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        let base_losses = base_losses(&options.base);
        options.allow.check(&base_losses)?;
        let file = sink.create(FBK_FILE)?;
        Ok(Writer {
            sink,
            file,
            allow: options.allow,
            base_losses,
            tree: Tree::default(),
        })
    }
}

impl GameWrite for Writer<'_> {
    fn assess(&self, game: &Game) -> Losses {
        let mut losses = lost_head(game);
        let mut alone = Tree::default();
        add_moves(game, &mut alone, &mut losses);
        if alone.root.is_none() && losses.count(LossKind::Game) == 0 {
            // A book is made of moves.
            losses.add(LossKind::Game, None);
        }
        losses
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let losses = self.assess(game);
        self.allow.check(&losses)?;
        add_moves(game, &mut self.tree, &mut Losses::new());
        Ok(losses)
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn finish(self: Box<Self>) -> Result<u32> {
        let bytes: Vec<u8> = self
            .tree
            .entries()
            .flat_map(|entry| entry.to_bytes())
            .collect();
        self.sink.write(self.file, &bytes)?;
        self.sink.commit()?;
        Ok(u32::from(self.tree.root.is_some()))
    }
}

/// Follows the lines of a game and adds its moves to the tree. What is counted is right for a tree
/// of this game alone.
fn add_moves(game: &Game, tree: &mut Tree, losses: &mut Losses) {
    if let Start::Setup(setup) = &game.head.start
        && !setup.is_standard()
    {
        losses.add(LossKind::StartPosition, None);
        losses.add(LossKind::Game, None);
        return;
    }
    let Ok(mut walk) = Walk::plain(game) else {
        return;
    };
    // The last move of the line and the one before it; those of interrupted lines.
    let (mut node, mut before): (Option<u32>, Option<u32>) = (None, None);
    let mut open: Vec<(Option<u32>, Option<u32>)> = Vec::new();
    let mut moves_here = vec![0u32];
    let mut skip: Option<Skip> = None;
    while let Some(event) = walk.step() {
        let ply = Some(walk.lines().ply());
        if let Some(skipped) = &mut skip {
            let ends = match event {
                Event::Open(_) => {
                    skipped.open();
                    false
                }
                Event::Close => Skip::close(&mut skip),
                _ => false,
            };
            if !ends {
                losses.add_event(&event, ply);
                continue;
            }
        }
        match event {
            Event::Move(mv) => {
                if let Some(kind) = refused(walk.lines().board(), mv) {
                    losses.add(kind, ply);
                    skip = Some(Skip::REST_OF_LINE);
                    continue;
                }
                before = node;
                let (from, to) = (mv.from(), mv.to());
                let known = tree.find(node, from, to);
                if known.is_some() && moves_here.last() == Some(&0) {
                    // The variation begins like another line and becomes a branch of it.
                    losses.add(LossKind::VariationMoved, ply);
                }
                node = Some(known.unwrap_or_else(|| tree.add(node, from, to, false)));
                if let Some(count) = moves_here.last_mut() {
                    *count += 1;
                }
                if !matches!(mv.promotion(), None | Some(PieceType::Queen)) {
                    // What follows would not fit a queen.
                    losses.add(LossKind::Promotion, ply);
                    skip = Some(Skip::REST_OF_LINE);
                }
            }
            Event::Nag(WEAK) if moves_here.last().is_some_and(|count| *count > 0) => {
                if let Some(node) = node {
                    tree.mark_weak(node);
                }
            }
            Event::Open(_) => {
                if moves_here.last() == Some(&0) {
                    losses.add(LossKind::VariationBeforeMove, ply);
                    skip = Some(Skip::VARIATION);
                    continue;
                }
                if moves_here.last() == Some(&1) && !open.is_empty() {
                    losses.add(LossKind::VariationMoved, ply);
                }
                open.push((node, before));
                moves_here.push(0);
                node = before;
            }
            Event::Close => {
                if moves_here.pop() == Some(0) {
                    losses.add(LossKind::Variation, ply);
                }
                (node, before) = open.pop().unwrap_or_default();
            }
            event => losses.add_event(&event, ply),
        }
    }
}

/// Why a move cannot be in a book.
fn refused(board: &chessdb_core::Board, mv: PackedMove) -> Option<LossKind> {
    match mv.kind() {
        MoveKind::Null => Some(LossKind::NullMove),
        MoveKind::GhostEnPassant => Some(LossKind::GhostEnPassant),
        _ if rules::is_legal(board, mv) => None,
        _ => Some(LossKind::IllegalMove),
    }
}

/// Everything but the moves.
fn lost_head(game: &Game) -> Losses {
    let head = &game.head;
    let mut losses = Losses::new();
    let mut lose = |kind: LossKind, lost: bool| losses.add_many(kind, u32::from(lost), None);
    let says = |id: TextId| !matches!(game.text(id).as_bytes(), b"" | b"?");
    for name in [head.white.name, head.black.name, head.event, head.site] {
        lose(LossKind::Tag, says(name.text));
    }
    lose(LossKind::Round, says(head.round.text));
    lose(LossKind::Annotator, says(head.annotator.text));
    lose(LossKind::Source, says(head.source.text));
    lose(LossKind::Date, !head.date.is_unknown());
    lose(LossKind::EventDate, !head.event_date.is_unknown());
    lose(LossKind::Result, head.outcome != Outcome::Unknown);
    lose(LossKind::Eco, head.eco.is_some());
    lose(LossKind::Flags, head.flags != GameFlags::empty());
    for color in Color::ALL {
        let player = head.player(color);
        lose(LossKind::Title, says(player.title));
        lose(LossKind::Rating, player.rating.is_some());
        lose(LossKind::FideId, player.fide_id.is_some());
    }
    for tag in &head.tags {
        match *tag {
            Tag::Place(_) => {}
            Tag::Other { name, value } if game.text(name).as_bytes() == b"SetUp" => {
                // Goes with the start position.
                lose(LossKind::Tag, game.text(value).as_bytes() != b"1");
            }
            Tag::Other { value, .. } if !says(value) => lose(LossKind::EmptyTag, true),
            Tag::Verbatim(_, value) if !says(value) => lose(LossKind::EmptyTag, true),
            Tag::Other { .. } | Tag::Verbatim(..) => lose(LossKind::Tag, true),
        }
    }
    losses.add_many(LossKind::GameExtra, head.extras.len() as u32, None);
    losses
}
