//! Choice of the numbering of promotions in a database (docs/formats/dcx.md, section 5.3).

use std::ops::Range;

use chessdb_core::model::Token;
use chessdb_core::options::Mode;
use chessdb_core::report::GameReport;
use chessdb_core::store::Remark;
use chessdb_core::{Diagnostic, ErrorKind, Game, GameStore as _, Result, Scratch, Severity};

use super::{Store, with_boards};
use crate::moves::{PromotionEvidence, PromotionSurvey, Promotions};
use crate::raw::Record;
use crate::report::ReportExt as _;
use crate::roles::DCG_FILE;

/// Returns whether a finding after the first `before` is a move that the rules do not allow.
#[inline]
pub(super) fn has_bad_move(scratch: &Scratch, before: usize) -> bool {
    let new = scratch.diagnostics.get(before..).unwrap_or_default();
    new.iter()
        .any(|diagnostic| matches!(diagnostic.kind, ErrorKind::BadMove { .. }))
}

impl Store<'_> {
    /// Chooses the numbering that the games show. Reports it if programs do not use it, or if the
    /// games show none.
    pub(super) fn choose_promotions(&mut self, report: &mut GameReport<'_>) -> Result<()> {
        let survey = self.survey(false);
        let (promotions, evidence) = self.weigh(&survey);
        self.promotions = promotions;
        self.evidence = evidence;
        let what = match (promotions, evidence) {
            (Promotions::Published, _) => {
                let what =
                    "the promotions are numbered as in the published text, not as in programs";
                return report.file(Severity::Note, ErrorKind::Structure(what), DCG_FILE);
            }
            (Promotions::Reference, PromotionEvidence::Undecided(promotions)) => {
                let (are, were) = match promotions {
                    1 => ("promotion is", "was"),
                    _ => ("promotions are", "were"),
                };
                format!(
                    "{promotions} {are} possible with both numberings and {were} read {}; \
                     the setting dcx-promotions selects the numbering",
                    Promotions::Reference
                )
            }
            _ => return Ok(()),
        };
        // The files are as programs write them: this is no deviation that strict mode would reject.
        if self.options.mode == Mode::Lenient {
            return report.file(Severity::Note, ErrorKind::Other(what.into()), DCG_FILE);
        }
        Ok(())
    }

    fn survey(&self, all: bool) -> PromotionSurvey {
        self.survey_of(0..self.len(), all)
    }

    fn survey_of(&self, games: Range<u32>, all: bool) -> PromotionSurvey {
        let bodies = games.filter_map(|n| {
            let start = usize::try_from(self.entry(n)?.offset).ok()?;
            let record = Record::parse(self.games.get(start..)?, false).ok()?;
            Some((n, record.body))
        });
        // Entries may share a record; then a survey need not examine it again and again.
        PromotionSurvey::scan(bodies, self.games.len(), all)
    }

    /// Returns the numbering with which most games have more possible moves; without evidence, that
    /// of programs.
    fn weigh(&self, survey: &PromotionSurvey) -> (Promotions, PromotionEvidence) {
        let reference = Promotions::Reference;
        if let Some(game) = survey.five {
            return (reference, PromotionEvidence::Five(game));
        }
        if survey.games.is_empty() {
            return (reference, PromotionEvidence::NoPromotion);
        }
        let (mut programs, mut published, mut ones) = (0, 0, 0);
        let mut game = Game::new();
        for &(n, one) in &survey.games {
            let (by_programs, _) = self.moves_with(n, reference, &mut game);
            let (by_text, _) = self.moves_with(n, reference.other(), &mut game);
            programs += u32::from(by_programs > by_text);
            published += u32::from(by_text > by_programs && !one);
            ones += u32::from(by_text > by_programs && one);
        }
        // A single code 1 may be a damaged 5, and is no evidence for other games.
        if ones > 1 || published > 0 || survey.games.len() == 1 {
            published += ones;
        }
        if published > programs {
            let (with, against) = (published, programs);
            (
                reference.other(),
                PromotionEvidence::Games { with, against },
            )
        } else if programs > 0 {
            let (with, against) = (programs, published);
            (reference, PromotionEvidence::Games { with, against })
        } else {
            (reference, PromotionEvidence::Undecided(survey.ambiguous()))
        }
    }

    /// Returns the number of moves of a game, including variations, that the rules allow with a
    /// numbering, and whether these are all.
    fn moves_with(&self, n: u32, numbering: Promotions, game: &mut Game) -> (usize, bool) {
        let mut options = self.options.clone();
        // Strict mode would stop at the first deviation instead of counting the moves.
        options.mode = Mode::Lenient;
        let mut scratch = Scratch::new();
        let mut report = GameReport::new(&options, &mut scratch, None);
        let record = self.entry(n).and_then(|entry| {
            let start = usize::try_from(entry.offset).ok()?;
            let record = Record::parse(self.games.get(start..)?, false).ok()?;
            Some((entry.offset, record))
        });
        let Some((offset, record)) = record else {
            return (0, false);
        };
        game.clear();
        game.moves.clear();
        let filled = self.fill(numbering, offset, &record, game, &mut report, with_boards);
        let is_move = |token: &Token<'_>| matches!(token, Token::Move(_));
        let moves = game.moves.tokens().filter(is_move).count();
        // Notes concern moves that are kept: a king that stays in check.
        let is_kept = |diagnostic: &&Diagnostic| {
            diagnostic.severity == Severity::Note
                && matches!(diagnostic.kind, ErrorKind::BadMove { .. })
        };
        let illegal = scratch.diagnostics.iter().filter(is_kept).count();
        let all = filled.is_ok() && !has_bad_move(&scratch, 0);
        (moves.saturating_sub(illegal), all)
    }

    /// Reads a game again if its moves are impossible with the numbering of the database but the
    /// other numbering allows more of them. If the caller chose the numbering, this is only
    /// reported.
    #[cold]
    pub(super) fn try_other_numbering(
        &self,
        n: u32,
        before: usize,
        game: &mut Game,
        scratch: &mut Scratch,
    ) -> Result<()> {
        // In a database with codes 5, a code 1 is damage and not the other numbering. So are codes
        // above 4, which have the reserved bit of the published text.
        let [_, one, _, _, _, five, six, seven] =
            self.survey_of(n..n.saturating_add(1), true).codes;
        let has_fives = matches!(self.evidence, PromotionEvidence::Five(_));
        let is_chosen = self.evidence == PromotionEvidence::Chosen;
        if has_fives && one > 0 || !is_chosen && five + six + seven > 0 {
            return Ok(());
        }
        let mut trial = Game::new();
        let (by_own, _) = self.moves_with(n, self.promotions, &mut trial);
        let other = self.promotions.other();
        let (by_other, all) = self.moves_with(n, other, &mut trial);
        if !all || by_other <= by_own {
            return Ok(());
        }
        // A game that contradicts the others may just be damaged.
        let mut severity = Severity::Repaired;
        let what = if self.evidence == PromotionEvidence::Chosen {
            severity = Severity::Note;
            format!("all moves are possible with the promotions {other}")
        } else {
            scratch.diagnostics.truncate(before);
            self.read(n, other, game, scratch, with_boards)?;
            format!("possible only with the promotions {other}, which were used")
        };
        let offset = self.entry(n).map_or(0, |entry| entry.offset);
        let number = n.saturating_add(1);
        GameReport::new(&self.options, scratch, Some(number)).byte(
            severity,
            ErrorKind::Other(what.into()),
            offset,
        )
    }

    /// Returns how the promotions are read, why, and how many are affected, or `None` if there are
    /// no promotions.
    pub(super) fn remark_on_promotions(&self) -> Option<Remark> {
        let survey = self.survey(true);
        let all: u64 = survey.codes.iter().sum();
        if all == 0 {
            return None;
        }
        let why = match self.evidence {
            PromotionEvidence::Chosen => "as the setting requests".to_owned(),
            PromotionEvidence::Five(game) => {
                format!("game {} has the code 5", game.saturating_add(1))
            }
            PromotionEvidence::Games { with, against } => {
                let mut text = match with {
                    1 => "1 game is possible with no other numbering".to_owned(),
                    with => format!("{with} games are possible with no other numbering"),
                };
                if against > 0 {
                    text += &format!(", {against} only with the other");
                }
                text
            }
            PromotionEvidence::NoPromotion | PromotionEvidence::Undecided(_) => {
                "no game shows the numbering; programs write this one".to_owned()
            }
        };
        let numbering = self.promotions;
        let ambiguous = survey.ambiguous();
        let text = format!(
            "{all} read {numbering}: {why}; {ambiguous} would be another piece with the other numbering"
        );
        Some(Remark::new("promotions", text).of_reading())
    }
}
