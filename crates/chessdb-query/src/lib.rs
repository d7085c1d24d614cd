#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod addresses;
mod advice;
mod annotations;
mod candidate;
mod castling;
mod duplicates;
mod endings;
mod evidence;
mod expr;
mod fold;
mod headers;
mod judgement;
mod language;
#[cfg(any(test, target_family = "wasm"))]
mod latin;
mod moves;
mod name_spellings;
mod names;
mod natural;
mod near_names;
mod novelty;
mod opening_test;
mod openings;
mod order;
mod person;
mod position;
mod prefilter;
mod preparation;
mod promotions;
mod query;
mod regular_expression;
mod sacrifices;
mod search;
mod spelling;
mod stats;
mod syntax;
mod tally;
mod traces;
mod transliteration;
mod tree;
mod words;

pub use advice::{Advice, Proposal, ProposalKind};
pub use candidate::{Candidate, Details};
/// Re-exported so that a program needs only one dependency.
pub use chessdb_core;
pub use duplicates::{DuplicateRule, Duplicates, find_duplicates};
pub use fold::fold;
pub use judgement::Evidence;
pub use language::{QueryOptions, read_flags};
pub use name_spellings::NameSpellings;
pub use names::{
    NameUse, NamesAre, PersonNames, Suggestion, known_text, one_person, proved_persons,
    suggest_names,
};
pub use novelty::{Novelties, Novelty, NoveltyMatches, NoveltyObserver, NoveltySearch};
pub use openings::{Opening, eco_name, opening, opening_at, opening_label, opening_of_moves};
pub use order::{FirstGames, Order, OrderKey};
pub use person::may_be_alike;
pub use position::{ClearWithout, Hit, RequiredFeatures};
pub use prefilter::{Prefilter, PrefilterResult};
pub use preparation::{
    Comparison, ComparisonMatches, ComparisonObserver, ComparisonSearch, Deviation, NewMove,
    Preparation, PreparedGame, PreparedMove, PreparedPosition,
};
pub use query::{Needs, Query};
pub use search::{Match, PositionSearch};
pub use spelling::{Spelling, SpellingFault, Spellings};
pub use stats::{
    Accuracies, Accuracy, AccuracyEntry, Annotations, Crosstable, Crosstables, EventSummary,
    GROUP_KEYS, GameLabel, GameStats, GroupEntry, GroupKey, Groups, JoinedNames, LongestThink,
    MOVE_BANDS, PlayerEntry, PlayerFilter, PlayerReport, Results, Score, Stats, TableEntry,
    TableGame, TableKind, TablePlayer, ThinkingEntry, ThinkingTime, ThinkingTimes,
};
pub use syntax::{KEYS, Key, QueryError, continues_line};
pub use tally::{BestGames, GameFacts, Tally};
pub use traces::{GameTraces, SeenGame, TraceAnswer, TraceObserver, TraceSearch};
pub use tree::{NodeId, OpeningTree, TreeLine, TreeObserver, line_board};
pub use words::{KindCount, WordCount, WordCounts, WordKind};
