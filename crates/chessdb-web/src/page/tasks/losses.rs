//! The task that computes the report of a conversion without keeping what is written.

use chessdb::Game;
use chessdb::convert::{Assessment, GameRef, Observer, Renaming};
use chessdb::core::LossKind;
use chessdb::core::loss::Loss;
use serde_json::{Map, Value};

use super::Task;
use crate::failure::Result;
use crate::page::open_database::OpenDatabase;
use crate::page::renames;
use crate::page::report::report_json;
use crate::page::save::{GameScope, target};

pub(super) struct AssessLosses {
    assessment: Option<Assessment>,
    scope: GameScope,
    observer: LossObserver,
}

/// The columns of the page's table of losses. The last one has the kinds of no other.
const COLUMNS: [&str; 8] = [
    "tags", "comments", "lines", "signs", "clocks", "arrows", "names", "other",
];

/// Returns the column of a kind of loss.
fn column(kind: LossKind) -> &'static str {
    match kind {
        LossKind::Annotator
        | LossKind::Date
        | LossKind::DeletedFlag
        | LossKind::Eco
        | LossKind::EmptyTag
        | LossKind::EventDate
        | LossKind::FideId
        | LossKind::Flags
        | LossKind::Rating
        | LossKind::RatingRounded
        | LossKind::RatingType
        | LossKind::Result
        | LossKind::Round
        | LossKind::SiteMerged
        | LossKind::Source
        | LossKind::Tag
        | LossKind::TagCut
        | LossKind::TagText
        | LossKind::Title => "tags",
        LossKind::Comment
        | LossKind::CommentCut
        | LossKind::CommentLayout
        | LossKind::CommentMerged
        | LossKind::CommentMoved
        | LossKind::CommentText => "comments",
        LossKind::Chess960
        | LossKind::Fault
        | LossKind::Game
        | LossKind::GhostEnPassant
        | LossKind::IllegalMove
        | LossKind::MoveResult
        | LossKind::Moves
        | LossKind::MovesCut
        | LossKind::NullMove
        | LossKind::Promotion
        | LossKind::StartCounters
        | LossKind::StartPosition
        | LossKind::UnnumberedPiece
        | LossKind::Variation
        | LossKind::VariationBeforeMove
        | LossKind::VariationMoved
        | LossKind::VariationMoves => "lines",
        LossKind::Nag | LossKind::NagChanged | LossKind::NagMoved => "signs",
        LossKind::Clock | LossKind::Eval => "clocks",
        LossKind::Shapes => "arrows",
        LossKind::NameCut
        | LossKind::NameDetails
        | LossKind::NameLeftOut
        | LossKind::NameTable
        | LossKind::NameText
        | LossKind::Transliterated => "names",
        _ => "other",
    }
}

/// Replaces names, and counts the games that lose something in each column.
struct LossObserver {
    renaming: Renaming,
    columns: [ColumnCount; COLUMNS.len()],
}

/// The number of games that lose something of a column, and the last of them.
#[derive(Clone, Copy, Default)]
struct ColumnCount {
    games: u64,
    last: Option<u32>,
}

impl Observer for LossObserver {
    fn edit(&mut self, game: &mut Game) {
        self.renaming.edit(game);
    }

    fn edits(&self) -> bool {
        !self.renaming.is_empty()
    }

    fn loss(&mut self, at: GameRef, loss: &Loss) {
        let column = column(loss.kind);
        let place = COLUMNS.iter().position(|name| *name == column);
        // The losses of a game are reported one after another.
        if let Some(count) = place.and_then(|place| self.columns.get_mut(place))
            && count.last.replace(at.game) != Some(at.game)
        {
            count.games += 1;
        }
    }
}

impl AssessLosses {
    pub(super) fn new(base: &OpenDatabase, request: &Value) -> Result<AssessLosses> {
        let scope = GameScope::parse(request)?;
        let selection = scope.selection(base)?;
        let assessment = Assessment::new(base.db(), target(request)?, selection)?;
        Ok(AssessLosses {
            assessment: Some(assessment),
            scope,
            observer: LossObserver {
                renaming: renames::parse(request)?,
                columns: Default::default(),
            },
        })
    }
}

impl Task for AssessLosses {
    fn len(&self, base: &OpenDatabase) -> u32 {
        self.scope.len(base)
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        if from >= to {
            return Ok(());
        }
        let games = self.scope.part(base, from, to)?;
        if let Some(assessment) = &mut self.assessment {
            assessment.add_observed(base.db(), games, &mut self.observer)?;
        }
        Ok(())
    }

    fn finish(&mut self, _base: &mut OpenDatabase) -> Result<Value> {
        let report = self.assessment.take().map(Assessment::finish).transpose()?;
        let Some(mut answer) = report.map(|report| report_json(&report)) else {
            return Ok(Value::Null);
        };
        let counts = COLUMNS.iter().zip(&self.observer.columns);
        let columns: Map<String, Value> = counts
            .map(|(name, count)| ((*name).to_owned(), count.games.into()))
            .collect();
        if let Some(members) = answer.as_object_mut() {
            members.insert("columns".to_owned(), columns.into());
        }
        Ok(answer)
    }
}
