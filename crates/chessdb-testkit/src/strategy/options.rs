//! What random games may contain.

/// Switches for the contents of random games; a format's tests switch off what it cannot hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameOptions {
    /// Most half-moves of the main line.
    pub plies: usize,
    /// Most half-moves of all lines together.
    pub all_plies: usize,
    /// Deepest nesting of variations; 0 for none.
    pub depth: usize,
    /// Alternatives to the first move of a variation, inside that variation.
    pub first_alternatives: bool,
    /// Variations without a move.
    pub empty_variations: bool,
    /// Null moves.
    pub null_moves: bool,
    /// Start positions other than the usual one.
    pub setups: bool,
    /// The usual start position, spelt out, among them.
    pub spelt_out_start: bool,
    /// Chess960 start positions among them.
    pub chess960: bool,
    /// The tag `SetUp "1"` always where there is a start position; otherwise now and then.
    pub setup_tag: bool,

    /// Start positions with half-moves since the last capture or pawn move.
    pub halfmove_clocks: bool,

    /// NAGs, 0..=255.
    pub nags: bool,
    /// NAG 0 among them.
    pub zero_nags: bool,
    /// NAGs before the first move of a line.
    pub start_nags: bool,
    /// NAGs as Scid's own import leaves them: at most seven of a move, one of 1..=6 and in front,
    /// one of 10..=21, no 0.
    pub scid_nags: bool,

    /// Comments after moves and before the first move of a line.
    pub comments: bool,
    /// Those before the first move of a variation.
    pub comments_before_variation: bool,
    /// Comments directly before a move within a line.
    pub comments_before: bool,
    /// Comments behind a variation.
    pub comments_after_variation: bool,
    /// Several comments at one place.
    pub several_comments: bool,
    /// Comments without a character.
    pub empty_comments: bool,
    /// Newlines and tabs inside comments.
    pub newlines: bool,
    /// Blanks at both ends of comments, and double ones inside.
    pub blanks: bool,
    /// Closing braces in comments.
    pub braces: bool,
    /// Clocks, evaluations, arrows and squares.
    pub commands: bool,
    /// Results and faults within the moves.
    pub odd_events: bool,

    /// Names, tags and comments beyond ASCII.
    pub unicode: bool,
    /// Texts in windows-1252 that are not valid UTF-8.
    pub legacy_texts: bool,
    /// Missing names; otherwise every name of the roster is there.
    pub missing_names: bool,
    /// Names that are there but empty.
    pub empty_names: bool,
    /// Rounds are numbers from 1 to 127, or missing.
    pub whole_rounds: bool,
    /// Longest name and tag value in bytes.
    pub name_bytes: usize,
    /// Rounds that are plain numbers from 1, or missing.
    pub number_rounds: bool,
    /// Ratings.
    pub ratings: bool,
    /// Ratings that are not Elo.
    pub rating_kinds: bool,
    /// Greatest rating.
    pub greatest_rating: u16,
    /// Titles of players.
    pub titles: bool,
    /// FIDE numbers.
    pub fide_ids: bool,
    /// Annotators and sources.
    pub annotators: bool,
    /// ECO codes.
    pub eco: bool,
    /// Sub-codes as SCID has them, `B07a1`.
    pub eco_letters: bool,
    /// Sub-codes as ChessBase has them, `B50/04`.
    pub eco_numbers: bool,
    /// Dates with impossible days and months.
    pub odd_dates: bool,
    /// Greatest year.
    pub greatest_year: u16,
    /// Dates of the event.
    pub event_dates: bool,
    /// How many years the event may be away from the game; only with known years.
    pub event_window: Option<u16>,
    /// Letters of the flags that a game may have.
    pub flags: &'static [u8],
    /// Tags without a typed field.
    pub tags: bool,
    /// Such tags several times with the same name.
    pub repeated_tags: bool,
}

impl GameOptions {
    /// Everything.
    pub fn all() -> GameOptions {
        GameOptions {
            plies: 90,
            all_plies: 400,
            depth: 5,
            first_alternatives: true,
            empty_variations: true,
            null_moves: true,
            setups: true,
            spelt_out_start: true,
            chess960: true,
            setup_tag: false,
            halfmove_clocks: true,
            nags: true,
            zero_nags: true,
            start_nags: true,
            scid_nags: false,
            comments: true,
            comments_before_variation: true,
            comments_before: true,
            comments_after_variation: true,
            several_comments: true,
            empty_comments: true,
            newlines: true,
            blanks: true,
            braces: true,
            commands: true,
            odd_events: true,
            unicode: true,
            legacy_texts: true,
            missing_names: true,
            empty_names: true,
            whole_rounds: false,
            name_bytes: 300,
            number_rounds: false,
            ratings: true,
            rating_kinds: true,
            greatest_rating: u16::MAX,
            titles: true,
            fide_ids: true,
            annotators: true,
            eco: true,
            eco_letters: true,
            eco_numbers: true,
            odd_dates: true,
            greatest_year: 9999,
            event_dates: true,
            event_window: None,
            flags: b"DWBMENPTKQ!?U123456",
            tags: true,
            repeated_tags: true,
        }
    }

    /// Moves of one line, the seven tags, and nothing that any format would stumble over.
    pub fn plain() -> GameOptions {
        GameOptions {
            depth: 0,
            first_alternatives: false,
            empty_variations: false,
            null_moves: false,
            setups: false,
            spelt_out_start: false,
            chess960: false,
            nags: false,
            zero_nags: false,
            start_nags: false,
            comments: false,
            comments_before_variation: false,
            comments_before: false,
            comments_after_variation: false,
            several_comments: false,
            empty_comments: false,
            newlines: false,
            blanks: false,
            braces: false,
            commands: false,
            odd_events: false,
            unicode: false,
            legacy_texts: false,
            missing_names: false,
            empty_names: false,
            name_bytes: 30,
            ratings: false,
            rating_kinds: false,
            titles: false,
            fide_ids: false,
            annotators: false,
            eco: false,
            eco_letters: false,
            eco_numbers: false,
            odd_dates: false,
            greatest_year: 2047,
            event_dates: false,
            flags: b"",
            tags: false,
            repeated_tags: false,
            ..GameOptions::all()
        }
    }

    /// What PGN gives back exactly.
    ///
    /// A missing name comes back as `?`, white space in comments may be folded where lines are
    /// broken, a brace ends a comment, and a file has one charset.
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
            ..GameOptions::all()
        }
    }

    /// What si4 gives back exactly (docs/formats/scid.md).
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
            // A missing name becomes the empty one there.
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

    /// What si5 gives back exactly: names of any length, and events years away from the game.
    pub fn for_si5() -> GameOptions {
        GameOptions {
            name_bytes: GameOptions::all().name_bytes,
            event_window: None,
            ..GameOptions::for_scid()
        }
    }

    /// What si3 gives back exactly: it has no flags of the base's own.
    pub fn for_si3() -> GameOptions {
        GameOptions {
            flags: b"DWBMENPTKQ!?U",
            ..GameOptions::for_scid()
        }
    }

    /// What DC* gives back exactly (docs/formats/dcx.md, section 14).
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
            // A missing name becomes `?` there.
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

    /// What a Chess Assistant base gives back exactly (docs/formats/chess-assistant.md).
    pub fn for_ca() -> GameOptions {
        GameOptions {
            chess960: false,
            setup_tag: true,
            halfmove_clocks: false,
            comments_after_variation: false,
            // Behind commands, a text with a blank in front and one without a character say
            // something else than they do alone.
            blanks: false,
            empty_comments: false,
            odd_events: false,
            unicode: false,
            // Nobody has no title there.
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

    /// What survives a way through both PGN and si4.
    pub fn for_pgn_and_scid() -> GameOptions {
        GameOptions {
            newlines: false,
            blanks: false,
            braces: false,
            legacy_texts: false,
            ..GameOptions::for_scid()
        }
    }

    /// Games on which none of the rules fires by which Scid's import changes a PGN.
    pub fn clean_for_scid_import() -> GameOptions {
        GameOptions {
            scid_nags: true,
            empty_names: false,
            repeated_tags: false,
            name_bytes: 120,
            // Scid drops the whole game if a variation has no move to replace.
            empty_variations: false,
            ..GameOptions::for_pgn_and_scid()
        }
    }
}
