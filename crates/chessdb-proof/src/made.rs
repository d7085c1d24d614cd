//! Games constructed in code that use everything the model can express, so that every kind of loss
//! occurs.
//!
//! About half of them are random and contain everything. Each of the others tests one subject, so
//! that a loss announced without cause is not hidden by legitimate ones.

use chessdb::core::board::MoveKind;
use chessdb::core::model::{
    Collection, Extra, FaultKind, GameFlags, NameRecord, NameRole, NameTable, Place, PlayerDetails,
    Rating, RatingKind,
};
use chessdb::core::store::Opened;
use chessdb::core::{
    FileSet, Game, MemorySet, PackedMove, ReadOptions, Scratch, Setup, Square, Start,
};
use chessdb::options::Limits;
use chessdb::{BaseInfo, Outcome};
use chessdb_testkit::strategy::{self, GameOptions};

use crate::hop::Model;

/// The number of random games.
const RANDOM: u64 = 24;

/// Games that PGN can express, with one subject each.
const SUBJECTS: &[&str] = &[
    // All basic fields.
    "[Event \"Club evening\"] [Site \"Town\"] [Date \"1987.03.04\"] [Round \"3\"] [White \"Miller, A\"]
     [Black \"Smith, B\"] [Result \"1-0\"] [WhiteElo \"2210\"] [BlackElo \"1985\"] [ECO \"C20\"]
     [EventDate \"1987.03.01\"] [Annotator \"Smith\"] 1. e4 e5 2. Nf3 Nc6 1-0",
    // Annotations of every kind.
    "[White \"A\"] [Black \"B\"] {first words} 1. e4 $1 {good} e5 $4 (1... c5 {Sicilian} 2. Nf3 (2. c3 $5))
     2. Nf3 {one} {two} ({before} 2. f4 {gambit}) {behind} Nc6 $14 $32 $255 *",
    "[White \"A\"] [Black \"B\"] 1. e4 {[%clk 1:02:03] quick} e5 {[%eval 0.35]} 2. Nf3
     {[%csl Gd4,Rf7][%cal Ge2e4] look} Nc6 {[%emt 0:00:07]} *",
    "[White \"A\"] [Black \"B\"] 1. e4 (1. d4 (1. c4) 1... d5) (1. Nf3) 1... e5 *",
    "[White \"A\"] [Black \"B\"] 1. e4 -- 2. d4 -- *",
    "[White \"A\"] [Black \"B\"] 1. e4 {a } e5 {with \u{4e2d}\u{6587} and \u{2192} \u{20ac}} *",
    "[White \"A\"] [Black \"B\"] $10 {nothing yet} 1. e4 (1. d4) $2 $6 e5 {NAG behind} $146 *",
    // Names.
    "[White \"\u{0418}\u{0432}\u{0430}\u{043d}\u{043e}\u{0432}\"] [Black \"M\u{00fc}ller, J\u{00f6}rg\"] [Event \"\u{4e2d}\"] 1. e4 *",
    "[Event \"An event with quite a long name, longer than most old programs allow in one field\"]
     [Site \"A site with a long name as well, so that both do not fit\"] [Round \"12.34.5 (replay)\"]
     [White \"A player whose name is longer than thirty characters\"] [Black \"B\"] 1. e4 *",
    "[Event \"E\"] [Site \"S\"] [White \"A\"] [Black \"B\"] [Source \"A magazine\"] 1. e4 *",
    // Ratings, titles and FIDE IDs.
    "[White \"A\"] [Black \"B\"] [WhiteElo \"2347\"] [BlackElo \"4095\"] 1. e4 *",
    "[White \"A\"] [Black \"B\"] [WhiteUSCF \"1877\"] [BlackRapid \"1720\"] 1. e4 *",
    "[White \"A\"] [Black \"B\"] [WhiteTitle \"GM\"] [BlackTitle \"WIM\"] 1. e4 *",
    "[White \"A\"] [Black \"B\"] [WhiteFideId \"1503014\"] 1. e4 *",
    // Dates.
    "[White \"A\"] [Black \"B\"] [Date \"1475.06.31\"] 1. e4 *",
    "[White \"A\"] [Black \"B\"] [Date \"2950.??.??\"] [EventDate \"1990.01.01\"] 1. e4 *",
    "[White \"A\"] [Black \"B\"] [Date \"1985/11\"] 1. e4 *",
    "[White \"A\"] [Black \"B\"] [ECO \"B97c\"] 1. e4 *",
    "[White \"A\"] [Black \"B\"] [ECO \"?\"] [Result \"resigns\"] 1. e4 *",
    // Tags without a field in the model.
    "[White \"A\"] [Black \"B\"] [Termination \"time forfeit\"] [Board \"4\"] [Opening \"French\"] 1. e4 *",
    "[White \"A\"] [Black \"B\"] [Empty \"\"] [Unknown \"?\"] 1. e4 *",
    "[White \"A\"] [Black \"B\"] [Note \"\u{4e2d}\u{6587}\"] 1. e4 *",
    "[White \"A\"] [Black \"B\"] [WhiteTeam \"T\"] [WhiteCountry \"GER\"] [ScidFlags \"DB1\"] 1. e4 *",
    // Start positions.
    "[White \"A\"] [Black \"B\"] [FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 11 42\"] 1. a8=N Ke7 *",
    "[White \"A\"] [Black \"B\"] [FEN \"bnrbkqrn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKQRN w KQkq - 0 1\"] 1. e4 *",
    "[White \"A\"] [Black \"B\"] [FEN \"4k3/8/8/8/8/8/QQQ5/4K3 w - - 0 1\"] 1. Qc2 *",
    "[White \"A\"] [Black \"B\"] [FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"] *",
    "[White \"A\"] [Black \"B\"] [FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"] 1. e4 *",
    "[White \"A\"] [Black \"B\"] [Result \"0-1\"] *",
];

/// Returns the games and the data of their database.
pub fn model() -> Model {
    let mut games: Vec<Game> = SUBJECTS.iter().map(|text| from_pgn(text)).collect();
    games.extend(beyond_pgn());
    let all = GameOptions::all();
    games.extend((0..RANDOM).map(|seed| strategy::game(seed, &all)));
    Model {
        opened: Opened::new(base(), Vec::new()),
        games,
    }
}

/// Parses a single game from PGN.
///
/// # Panics
///
/// Panics if the text is not readable as a game.
fn from_pgn(text: &str) -> Game {
    let mut set = MemorySet::new();
    // PGN requires one tag per line.
    let text = text
        .replace("] [", "]\n[")
        .replace("] 1.", "]\n\n1.")
        .replace("] {", "]\n\n{");
    set.insert(chessdb::pgn::PGN_FILE, text.into_bytes());
    let files: &dyn FileSet = &set;
    let store = (chessdb::pgn::PGN.open)(files, ReadOptions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    let mut game = Game::new();
    let read = store.game_into(0, &mut game, &mut Scratch::new());
    read.unwrap_or_else(|error| panic!("{error}"));
    game
}

fn square(name: &str) -> Square {
    Square::from_ascii(name.as_bytes()).unwrap_or_else(|| panic!("no square {name}"))
}

fn moves(squares: &[&str]) -> Vec<PackedMove> {
    squares
        .iter()
        .map(|pair| pair.split_at(2))
        .map(|(from, to)| PackedMove::normal(square(from), square(to)))
        .collect()
}

fn limits() -> Limits {
    Limits::default()
}

/// Returns games that PGN cannot express.
fn beyond_pgn() -> Vec<Game> {
    let plain = || from_pgn("[White \"A\"] [Black \"B\"] 1. e4 e5 *");
    let mut games = Vec::new();
    let mut with = |change: &dyn Fn(&mut Game)| {
        let mut game = plain();
        change(&mut game);
        games.push(game);
    };
    // A word that is no move.
    with(&|game| {
        let text = game.add_text("Nxz9");
        tape(game, &moves(&["e2e4"]), |tape| {
            tape.fault(FaultKind::UnreadableMove, text)
        });
    });
    // A result among the moves.
    with(&|game| {
        tape(game, &moves(&["e2e4"]), |tape| {
            tape.outcome(Outcome::WhiteWins)
        })
    });
    // An illegal move.
    with(&|game| tape(game, &moves(&["e2e4", "e7e2"]), |_| Ok(())));
    // Capturing en passant one move too late.
    with(&|game| {
        let mut line = moves(&["e2e4", "a7a6", "e4e5", "d7d5", "h2h3", "h7h6"]);
        line.push(PackedMove::new(
            square("e5"),
            square("d6"),
            MoveKind::GhostEnPassant,
        ));
        tape(game, &line, |_| Ok(()));
    });
    // A variation before the first move.
    with(&|game| {
        tape(game, &[], |tape| {
            tape.open()?;
            tape.mv(PackedMove::normal(square("d2"), square("d4")))?;
            tape.close();
            tape.mv(PackedMove::normal(square("e2"), square("e4")))
        });
    });
    with(&|game| {
        // An alternative to the first move of a variation.
        tape(game, &moves(&["e2e4"]), |tape| {
            tape.open()?;
            tape.mv(PackedMove::normal(square("d2"), square("d4")))?;
            tape.open()?;
            tape.mv(PackedMove::normal(square("c2"), square("c4")))?;
            tape.close();
            tape.mv(PackedMove::normal(square("d7"), square("d5")))?;
            tape.close();
            Ok(())
        });
    });
    // An empty variation.
    with(&|game| {
        tape(game, &moves(&["e2e4"]), |tape| {
            tape.open()?;
            tape.close();
            tape.mv(PackedMove::normal(square("e7"), square("e5")))
        });
    });
    // A comment longer than 16 bits can count.
    with(&|game| {
        let words = "So many words. ".repeat(5000);
        let text = game.add_text(&words);
        tape(game, &moves(&["e2e4"]), |tape| {
            tape.comment(Place::After, text)
        });
    });
    // Comments that PGN would write differently: empty, with braces, with control characters.
    with(&|game| {
        let texts = [
            game.add_text(""),
            game.add_text("a {b} c"),
            game.add_text("x\ny\u{1}z"),
        ];
        tape(game, &moves(&["e2e4"]), |tape| {
            texts
                .iter()
                .try_for_each(|&text| tape.comment(Place::After, text))
        });
    });
    // NAGs after a comment, and those that are no numbers of PGN.
    with(&|game| {
        let text = game.add_text("word");
        tape(game, &moves(&["e2e4"]), |tape| {
            tape.comment(Place::After, text)?;
            tape.nag(1)?;
            tape.nag(300)?;
            tape.nag(0)
        });
    });
    with(&|game| game.header.flags = GameFlags::DELETED);
    with(&|game| game.header.flags = GameFlags::CUSTOM_6 | GameFlags::NOVELTY | GameFlags::USER);
    with(&|game| {
        let extra = foreign();
        game.header.extras.push(extra.clone());
        tape(game, &moves(&["e2e4"]), |tape| tape.extra(extra.clone()));
    });
    // Ratings above the limits of most formats.
    with(&|game| {
        let rating = |value, kind| Some(Rating { value, kind });
        game.header.white.rating = rating(61_000, RatingKind::Elo);
        game.header.black.rating = rating(4001, RatingKind::Elo);
    });
    // A name longer than 16 bits can count.
    with(&|game| {
        let name = "N".repeat(70_000);
        game.header.white.name = game.add_text(&name).into();
    });
    with(&|game| {
        let name = game.add_text("Line\nbreak \u{7} bell");
        game.header.white.name = name.into();
    });
    // The standard position with another move number.
    with(&|game| {
        let mut setup = Setup::standard();
        setup.board.set_fullmove_number(9);
        game.header.start = Start::Setup(Box::new(setup));
    });
    // More half-moves than a signed number of 16 bits can count.
    with(&|game| {
        let line = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(9000);
        tape(game, &moves(&line), |_| Ok(()));
    });
    games
}

/// Replaces the moves of a game with `line`, followed by the output of `more`.
fn tape(
    game: &mut Game,
    line: &[PackedMove],
    more: impl FnOnce(
        &mut chessdb::core::model::Builder<'_>,
    ) -> Result<(), chessdb::core::limits::OverLimit>,
) {
    let mut tape = game.moves.builder(&limits());
    for &mv in line {
        tape.mv(mv)
            .unwrap_or_else(|limit| panic!("{}", limit.what()));
    }
    more(&mut tape).unwrap_or_else(|limit| panic!("{}", limit.what()));
    tape.finish();
}

/// Returns an extra of an unknown format.
fn foreign() -> Extra {
    Extra {
        format: "nobody",
        field: 1,
        bytes: Box::new([1, 2, 3]),
    }
}

/// Returns database data with every kind of field set.
fn base() -> BaseInfo {
    let mut base = BaseInfo::default();
    let mut text = |text: &str| {
        base.texts
            .push(text.as_bytes(), chessdb::core::Charset::UTF_8)
    };
    base.title = text("Games of a club");
    base.description = text("Played between 1980 and 1990, and then some: \u{4e2d}\u{6587}. ");
    base.flag_names = vec![text("seen"), text("checked twice by two people")];
    let collection = Collection {
        key: 7,
        parent: None,
        name: text("Openings"),
    };
    let details = PlayerDetails {
        title: text("IM"),
        rating: 2400,
        fide_id: 77,
        gender: 2,
        ..PlayerDetails::default()
    };
    let records = vec![
        NameRecord {
            key: 0,
            text: text("Miller, A"),
            player: Some(details),
        },
        NameRecord {
            key: 1,
            text: text("Nobody"),
            player: None,
        },
    ];
    base.names = vec![NameTable::new(NameRole::Player, records)];
    base.kind = Some(3);
    base.open_first = Some(2);
    base.collections = vec![collection];
    base.extras = vec![foreign()];
    base
}
