//! Options for the contents of random games.

use chessdb_core::loss::LossSet;
use chessdb_core::{Format, LossKind};

/// Declares the switches with their values in games with everything, and in plain games.
macro_rules! switches {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $all:expr, $plain:expr;)*) => {
        /// Switches for the contents of random games; a format's tests turn off what it cannot
        /// store.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct GameOptions {
            $($(#[$doc])* pub $name: $type,)*
        }

        impl GameOptions {
            /// Allows everything.
            pub fn all() -> GameOptions {
                GameOptions { $($name: $all,)* }
            }

            /// Allows moves of one line, the seven tags, and nothing that is difficult for any
            /// format.
            pub fn plain() -> GameOptions {
                GameOptions { $($name: $plain,)* }
            }
        }
    };
}

switches! {
    /// Maximum number of half-moves of the mainline.
    plies: usize = 90, 90;
    /// Maximum number of half-moves of all lines together.
    all_plies: usize = 400, 400;
    /// Maximum nesting of variations; 0 for none.
    depth: usize = 5, 0;
    /// Alternatives to the first move of a variation, inside that variation.
    first_alternatives: bool = true, false;
    /// Variations without a move.
    empty_variations: bool = true, false;
    /// Null moves.
    null_moves: bool = true, false;
    /// Start positions other than the standard one.
    setups: bool = true, false;
    /// Also the standard start position, spelt out.
    spelt_out_start: bool = true, false;
    /// Also Chess960 start positions.
    chess960: bool = true, false;
    /// The tag `SetUp "1"` whenever there is a start position; otherwise sometimes, if there are
    /// other tags.
    setup_tag: bool = false, false;

    /// Start positions with half-moves since the last capture or pawn move.
    halfmove_clocks: bool = true, true;

    /// NAGs, 0..=255.
    nags: bool = true, false;
    /// Also NAG 0.
    zero_nags: bool = true, false;
    /// NAGs before the first move of a line.
    start_nags: bool = true, false;

    /// Comments after moves and before the first move of a line.
    comments: bool = true, false;
    /// Comments before the first move of a variation.
    comments_before_variation: bool = true, false;
    /// Comments directly before a move within a line.
    comments_before: bool = true, false;
    /// Comments after a variation.
    comments_after_variation: bool = true, false;
    /// Several comments at one place.
    several_comments: bool = true, false;
    /// Empty comments.
    empty_comments: bool = true, false;
    /// Newlines and tabs inside comments.
    newlines: bool = true, false;
    /// Spaces at both ends of comments, and double ones inside.
    blanks: bool = true, false;
    /// Closing braces in comments, and opening ones after a tag, where PGN would begin another game.
    braces: bool = true, false;
    /// Clocks, evaluations, arrows and squares.
    commands: bool = true, false;
    /// Results and faults within the moves.
    odd_events: bool = true, false;

    /// Names, tags and comments beyond ASCII.
    unicode: bool = true, false;
    /// Texts in windows-1252 that are not valid UTF-8.
    legacy_texts: bool = true, false;
    /// Missing names; otherwise every name of the roster is present.
    missing_names: bool = true, false;
    /// Names that are empty or unknown (`?`).
    empty_names: bool = true, false;
    /// Rounds are numbers from 1 to 127, or missing.
    whole_rounds: bool = false, false;
    /// Maximum length of names and tag values in bytes.
    name_bytes: usize = 300, 30;
    /// Rounds are plain numbers from 1, or missing.
    number_rounds: bool = false, false;
    /// Ratings.
    ratings: bool = true, false;
    /// Ratings that are not Elo.
    rating_kinds: bool = true, false;
    /// Maximum rating.
    greatest_rating: u16 = u16::MAX, u16::MAX;
    /// Titles of players.
    titles: bool = true, false;
    /// FIDE numbers.
    fide_ids: bool = true, false;
    /// Annotators and sources.
    annotators: bool = true, false;
    /// ECO codes.
    eco: bool = true, false;
    /// Sub-codes in SCID's form, `B07a1`.
    eco_letters: bool = true, false;
    /// Sub-codes in ChessBase's form, `B50/04`.
    eco_numbers: bool = true, false;
    /// Dates with impossible days and months.
    odd_dates: bool = true, false;
    /// Maximum year.
    greatest_year: u16 = 9999, 2047;
    /// Dates of the event.
    event_dates: bool = true, false;
    /// Maximum distance in years between event and game; only with known years.
    event_window: Option<u16> = None, None;
    /// Letters of the flags that a game may have.
    flags: &'static [u8] = b"DWBMENPTKQ!?U123456", b"";
    /// Tags without a typed field.
    tags: bool = true, false;
    /// Several such tags with the same name.
    repeated_tags: bool = true, false;
}

impl GameOptions {
    /// Returns the contents that PGN reproduces exactly.
    ///
    /// A missing name is read as `?`, white space in comments may be folded where lines are broken,
    /// a brace ends a comment, and a file has one charset.
    pub fn for_pgn() -> GameOptions {
        GameOptions {
            setup_tag: true,
            newlines: false,
            blanks: false,
            braces: false,
            odd_events: false,
            legacy_texts: false,
            missing_names: false,
            comments_before: false,
            // Its reader keeps an impossible month or day as text.
            odd_dates: false,
            ..GameOptions::all()
        }
    }

    /// Returns the contents that si4 reproduces exactly (docs/formats/scid.md).
    pub fn for_scid() -> GameOptions {
        GameOptions {
            chess960: false,
            setup_tag: true,
            start_nags: false,
            comments_before: false,
            comments_after_variation: false,
            several_comments: false,
            empty_comments: false,
            odd_events: false,
            // There a missing name becomes an empty one.
            missing_names: false,
            name_bytes: 255,
            greatest_rating: 4000,
            eco_numbers: false,
            odd_dates: false,
            greatest_year: 2047,
            event_window: Some(3),
            ..GameOptions::all()
        }
    }

    /// Returns the contents that si5 reproduces exactly: names of any length, and events years away
    /// from the game.
    pub fn for_si5() -> GameOptions {
        GameOptions {
            name_bytes: GameOptions::all().name_bytes,
            event_window: None,
            ..GameOptions::for_scid()
        }
    }

    /// Returns the contents that si3 reproduces exactly: it has no user-defined flags of the
    /// database.
    pub fn for_si3() -> GameOptions {
        GameOptions {
            flags: b"DWBMENPTKQ!?U",
            ..GameOptions::for_scid()
        }
    }

    /// Returns the contents that DC* reproduces exactly (docs/formats/dcx.md, section 14).
    pub fn for_dcx() -> GameOptions {
        GameOptions {
            first_alternatives: false,
            empty_variations: false,
            spelt_out_start: false,
            chess960: false,
            setup_tag: true,
            zero_nags: false,
            start_nags: false,
            comments_before_variation: false,
            comments_before: false,
            comments_after_variation: false,
            several_comments: false,
            empty_comments: false,
            odd_events: false,
            legacy_texts: false,
            // There a missing name becomes `?`.
            missing_names: false,
            name_bytes: 36,
            number_rounds: true,
            rating_kinds: false,
            titles: false,
            fide_ids: false,
            annotators: false,
            eco_letters: false,
            eco_numbers: false,
            odd_dates: false,
            event_dates: false,
            flags: b"D",
            tags: false,
            repeated_tags: false,
            ..GameOptions::all()
        }
    }

    /// Returns the contents that a Chess Assistant database reproduces exactly
    /// (docs/formats/chess-assistant.md).
    pub fn for_ca() -> GameOptions {
        GameOptions {
            chess960: false,
            setup_tag: true,
            halfmove_clocks: false,
            comments_after_variation: false,
            // After commands, a text with a leading space and an empty text have another meaning
            // than alone.
            blanks: false,
            empty_comments: false,
            odd_events: false,
            unicode: false,
            // There a player without a name has no title.
            missing_names: false,
            whole_rounds: true,
            name_bytes: 255,
            rating_kinds: false,
            eco_letters: false,
            eco_numbers: false,
            odd_dates: false,
            event_dates: false,
            flags: b"",
            tags: false,
            ..GameOptions::all()
        }
    }

    /// Returns the contents that a ChessBase database since 1997 reproduces exactly
    /// (docs/formats/cbh.md, section 20).
    pub fn for_cbh() -> GameOptions {
        GameOptions {
            first_alternatives: false,
            empty_variations: false,
            halfmove_clocks: false,
            zero_nags: false,
            start_nags: false,
            comments_after_variation: false,
            empty_comments: false,
            odd_events: false,
            empty_names: false,
            whole_rounds: true,
            name_bytes: 15,
            rating_kinds: false,
            titles: false,
            fide_ids: false,
            eco_letters: false,
            odd_dates: false,
            greatest_year: 4095,
            flags: b"D",
            tags: false,
            repeated_tags: false,
            ..GameOptions::all()
        }
    }

    /// Returns the contents that a format reproduces exactly unless it counts a loss.
    ///
    /// A format that is not named here gets what the losses that it may announce leave
    /// ([`GameOptions::without`]).
    pub fn held_by(format: &Format) -> GameOptions {
        match format.id {
            // PGN adds the tag `Variant` to a Chess960 game.
            "pgn" | "parquet" | "lucaschess" | "ocgdb" => GameOptions {
                chess960: false,
                ..GameOptions::for_pgn()
            },
            "si4" | "si3" | "si5" => GameOptions::for_scid(),
            "dcx" => GameOptions::for_dcx(),
            "ca" => GameOptions::for_ca(),
            "cbh" | "2cbh" => GameOptions::for_cbh(),
            "jose" | "jose-sql" => GameOptions {
                comments_before: false,
                odd_dates: false,
                ..GameOptions::all()
            },
            "cbf" => GameOptions {
                comments: true,
                depth: 4,
                first_alternatives: true,
                empty_variations: true,
                setups: true,
                newlines: true,
                commands: true,
                empty_comments: true,
                ..GameOptions::plain()
            },
            // The text formats are written with the moves only.
            "fbk" | "jose-io" | "jose-myisam" | "csv" | "ndjson" | "epd" | "fen" => GameOptions {
                depth: 4,
                first_alternatives: true,
                ..GameOptions::plain()
            },
            _ => GameOptions::without(format.losses),
        }
    }

    /// Returns everything except the contents that a format with these losses cannot store. Losses
    /// that also occur when a line is cut, such as comments, exclude nothing.
    pub fn without(losses: LossSet) -> GameOptions {
        let keeps = |kinds: &[LossKind]| !kinds.iter().any(|&kind| losses.contains(kind));
        let setups = keeps(&[LossKind::StartPosition]);
        GameOptions {
            setups,
            spelt_out_start: setups,
            chess960: setups && keeps(&[LossKind::Chess960]),
            halfmove_clocks: keeps(&[LossKind::StartCounters]),
            odd_events: keeps(&[LossKind::Fault, LossKind::MoveResult]),
            legacy_texts: keeps(&[LossKind::NameText, LossKind::CommentText]),
            empty_names: keeps(&[LossKind::EmptyTag]),
            ratings: keeps(&[LossKind::Rating]),
            rating_kinds: keeps(&[LossKind::RatingType]),
            titles: keeps(&[LossKind::Title]),
            fide_ids: keeps(&[LossKind::FideId]),
            annotators: keeps(&[LossKind::Annotator, LossKind::Source]),
            eco: keeps(&[LossKind::Eco]),
            odd_dates: keeps(&[LossKind::Date]),
            event_dates: keeps(&[LossKind::EventDate]),
            flags: match (keeps(&[LossKind::Flags]), keeps(&[LossKind::DeletedFlag])) {
                (true, _) => GameOptions::all().flags,
                (false, true) => b"D",
                (false, false) => b"",
            },
            tags: keeps(&[LossKind::Tag]),
            repeated_tags: keeps(&[LossKind::Tag]),
            ..GameOptions::all()
        }
    }

    /// Returns the contents that survive a conversion through both PGN and si4.
    pub fn for_pgn_and_scid() -> GameOptions {
        GameOptions {
            newlines: false,
            blanks: false,
            braces: false,
            legacy_texts: false,
            ..GameOptions::for_scid()
        }
    }
}
