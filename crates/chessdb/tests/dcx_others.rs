//! DC* and the other formats, PGN fixtures and a piece of the corpus: what is not counted as lost
//! comes back.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    missing_docs
)]
#![cfg(all(
    feature = "bytecode",
    feature = "ca",
    feature = "cbf",
    feature = "dcx",
    feature = "pgn",
    feature = "scid"
))]

use chessdb::compare::{first_difference, moves_difference};
use chessdb::dcx::DCX;
use chessdb::pgn::PGN;
use chessdb::{
    Allow, FileSet, Format, Game, LossKind, Losses, MemorySet, Named, ReadOptions, Role, Start,
    Tag, WriteOptions, format_by_id,
};
use chessdb_testkit::strategy::{GameOptions, game};
use chessdb_testkit::{fixtures, identity};

fn write(format: &Format, games: &[Game]) -> (MemorySet, Losses) {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    identity::write_all(format, games, options).unwrap()
}

/// Losses that leave the moves and what stands among them alone.
fn of_head(kind: LossKind) -> bool {
    use LossKind::{
        Annotator, Chess960, Date, DeletedFlag, Eco, EmptyTag, EventDate, FideId, Flags, GameExtra,
        NameCut, NameText, Rating, RatingRounded, RatingType, Round, SiteMerged, Source,
        StartCounters, Tag, TagCut, TagText, Title,
    };
    matches!(
        kind,
        Annotator
            | Chess960
            | Date
            | DeletedFlag
            | Eco
            | EmptyTag
            | EventDate
            | FideId
            | Flags
            | GameExtra
            | NameCut
            | NameText
            | Rating
            | RatingRounded
            | RatingType
            | Round
            | SiteMerged
            | Source
            | StartCounters
            | Tag
            | TagCut
            | TagText
            | Title
    )
}

/// The same game with every name that says nothing missing, for which some formats have the empty
/// name or `?`, and without the tag that announces a start position, which some formats imply.
fn settled(game: &Game) -> Game {
    let mut settled = game.clone();
    let Game { head, texts, .. } = &mut settled;
    for named in [
        &mut head.white.name,
        &mut head.black.name,
        &mut head.event,
        &mut head.site,
        &mut head.round,
    ] {
        if matches!(&*texts.get(named.text).decode(), "" | "?") {
            *named = Named::default();
        }
    }
    if head.start != Start::Standard {
        head.tags.retain(|tag| match *tag {
            Tag::Other { name, .. } => texts.get(name).as_bytes() != b"SetUp",
            _ => true,
        });
    }
    settled
}

fn difference(before: &Game, after: &Game) -> Option<String> {
    let difference = first_difference(&settled(before), &settled(after))?;
    Some(difference.to_string().chars().take(300).collect())
}

/// What came of many games.
#[derive(Default, Debug)]
struct Tally {
    games: usize,
    /// Nothing was lost of them, and they are equal.
    equal: usize,
    /// Something of their heads was lost, and the rest is equal.
    moves_equal: usize,
}

/// A game on its way through a format: whatever is not counted is equal afterwards.
fn through(format: &Format, before: &Game, tally: &mut Tally, what: &str) -> (Game, Losses) {
    let (set, losses) = write(format, std::slice::from_ref(before));
    let mut back = identity::open_all(format, &set);
    tally.games += 1;
    let left_out = losses.count(LossKind::Game);
    assert_eq!(back.len() as u32 + left_out, 1, "{what}");
    let Some(after) = back.pop() else {
        return (Game::new(), losses);
    };
    if losses.is_empty() {
        if let Some(difference) = difference(before, &after) {
            panic!("{what}, nothing lost in {}: {difference}", format.id);
        }
        tally.equal += 1;
    } else if losses.iter().all(|loss| of_head(loss.kind)) {
        if let Some(difference) = moves_difference(before, &after) {
            let difference: String = difference.to_string().chars().take(300).collect();
            panic!("{what}, {losses:?} lost in {}: {difference}", format.id);
        }
        tally.moves_equal += 1;
    }
    (after, losses)
}

/// Random games as DC* holds them go into the other format and come back into DC*: where nothing
/// was lost on the way, the base has the same bytes, names that say nothing apart.
fn dcx_through(id: &str, options: &GameOptions, most_lose_nothing: bool) {
    let other = format_by_id(id).unwrap();
    let mut tally = Tally::default();
    for seed in 0..400 {
        let what = format!("seed {seed}");
        let (base, losses) = write(&DCX, &[game(seed, options)]);
        assert!(losses.is_empty(), "{what}, into DC*: {losses:?}");
        let stored = identity::open_all(&DCX, &base).remove(0);
        let (back, lost) = through(other, &stored, &mut tally, &what);
        if lost.is_empty() {
            let (again, losses) = write(&DCX, &[settled(&back)]);
            assert!(losses.is_empty(), "{what}, back into DC*: {losses:?}");
            let (first, _) = write(&DCX, &[settled(&stored)]);
            let difference = identity::first_difference(&first, &again);
            assert!(difference.is_none(), "{what}: {}", difference.unwrap());
        }
    }
    println!("dcx, {id}, dcx: {tally:?}");
    let least = tally.games * 9 / 10;
    if most_lose_nothing {
        assert!(tally.equal >= least, "{id}: {tally:?}");
    }
    assert!(tally.equal + tally.moves_equal >= least, "{id}: {tally:?}");
}

/// Random games as the other format holds them go into DC* and back: what DC* does not count as
/// lost is in it.
fn other_through_dcx(id: &str, options: &GameOptions) {
    let other = format_by_id(id).unwrap();
    let mut tally = Tally::default();
    for seed in 1000..1400 {
        let (base, _) = write(other, &[game(seed, options)]);
        let Some(stored) = identity::open_all(other, &base).pop() else {
            continue;
        };
        through(&DCX, &stored, &mut tally, &format!("seed {seed}"));
    }
    println!("{id}, dcx, {id}: {tally:?}");
    assert!(tally.equal + tally.moves_equal >= 300, "{id}: {tally:?}");
}

const PGN_FILE: Role = Role("pgn");

/// What DC* gives back exactly, and PGN too: no comments at odd places.
fn usual() -> GameOptions {
    GameOptions {
        blanks: false,
        newlines: false,
        braces: false,
        legacy_texts: false,
        ..GameOptions::for_dcx()
    }
}

/// The same without what ChessBase's old format has no room for. It keeps event and site in one
/// field and of dates the year, so of heads something is lost nearly always.
fn for_cbf() -> GameOptions {
    GameOptions {
        null_moves: false,
        nags: false,
        unicode: false,
        commands: false,
        ..usual()
    }
}

fn for_ca() -> GameOptions {
    GameOptions {
        unicode: false,
        halfmove_clocks: false,
        whole_rounds: true,
        flags: b"",
        ..usual()
    }
}

#[test]
fn games_go_through_cbf_and_back() {
    dcx_through("cbf", &for_cbf(), false);
}

#[test]
fn games_of_cbf_go_through_dcx() {
    other_through_dcx("cbf", &for_cbf());
}

#[test]
fn games_go_through_chess_assistant_and_back() {
    dcx_through("ca", &for_ca(), true);
}

#[test]
fn games_of_chess_assistant_go_through_dcx() {
    other_through_dcx("ca", &for_ca());
}

#[test]
fn games_go_through_scid_and_back() {
    dcx_through("si4", &for_scid(), true);
}

fn for_scid() -> GameOptions {
    let scid = GameOptions::for_scid();
    GameOptions {
        greatest_rating: scid.greatest_rating,
        greatest_year: scid.greatest_year,
        ..usual()
    }
}

#[test]
fn games_go_through_scripts_of_jose_and_back() {
    dcx_through("jose-sql", &usual(), true);
}

#[test]
fn games_of_jose_go_through_dcx() {
    other_through_dcx("jose-sql", &usual());
}

#[cfg(feature = "sqlite")]
#[test]
fn games_go_through_jose_and_back() {
    dcx_through("jose", &usual(), true);
}

/// Games of PGN text; with `layout` as they are read on their way into DC*.
fn from_pgn(text: &[u8], layout: bool) -> Vec<Game> {
    let mut set = MemorySet::new();
    set.insert(PGN_FILE, text);
    let mut options = ReadOptions::default();
    options.keep_layout = layout;
    let store = (PGN.open)(&set, options).unwrap();
    identity::read_all(&*store)
}

/// PGN to DC* to PGN: of a game of which nothing was lost the text says the same afterwards, of one
/// whose head lost something the moves.
fn pgn_through_dcx(before: &Game, on_its_way: &Game, tally: &mut Tally, what: &str) {
    let (after, mut losses) = through(&DCX, on_its_way, tally, what);
    let (text, in_pgn) = write(&PGN, std::slice::from_ref(&after));
    // A brace in a comment up to the end of the line is all that PGN text has and PGN cannot write.
    let braces = in_pgn.iter().all(|loss| loss.kind == LossKind::CommentText);
    assert!(braces, "{what}, back to PGN: {in_pgn:?}");
    losses.merge(&in_pgn);
    let again = from_pgn(text.get(PGN_FILE).unwrap(), false).remove(0);
    if losses.is_empty() {
        let difference = difference(before, &again);
        assert!(difference.is_none(), "{what}: {}", difference.unwrap());
    } else if losses.iter().all(|loss| of_head(loss.kind)) {
        assert!(moves_difference(before, &again).is_none(), "{what}");
    }
    // What DC* holds goes there a second time without a new kind of loss.
    let again = from_pgn(text.get(PGN_FILE).unwrap(), true).remove(0);
    let (_, more) = write(&DCX, &[again]);
    let new = more.iter().find(|loss| losses.count(loss.kind) == 0);
    assert!(new.is_none(), "{what}, a second time: {new:?}");
}

#[test]
fn pgn_fixtures_survive_dcx() {
    let mut tally = Tally::default();
    for folder in ["clean", "edge", "broken"] {
        for path in fixtures::files(&fixtures::path("pgn").join(folder)) {
            let text = fixtures::read(&path);
            let games = from_pgn(&text, false)
                .into_iter()
                .zip(from_pgn(&text, true));
            for (n, (game, on_its_way)) in games.enumerate() {
                let what = format!("{}, game {}", path.display(), n + 1);
                pgn_through_dcx(&game, &on_its_way, &mut tally, &what);
            }
        }
    }
    println!("pgn, dcx, pgn: {tally:?}");
    assert!(tally.games > 300 && tally.equal > 100, "{tally:?}");
}

/// Some thousand human games.
#[cfg(feature = "archives")]
#[test]
fn games_of_the_corpus_survive_dcx() {
    let Some(path) = fixtures::testdata("corpus/games-100k.pgn.zst") else {
        return;
    };
    let found = chessdb::fs::find(&path).unwrap();
    let mut stream = found
        .stream(ReadOptions::default(), &chessdb::fs::Progress::default())
        .unwrap();
    let (mut game, mut scratch) = (Game::new(), chessdb::Scratch::new());
    let mut all = Vec::new();
    while all.len() < 3000 && stream.read_into(&mut game, &mut scratch).unwrap() {
        all.push(game.clone());
    }
    let (base, losses) = write(&DCX, &all);
    let back = identity::open_all(&DCX, &base);
    assert_eq!((all.len(), back.len()), (3000, 3000));
    println!("corpus: {losses:?}");
    let mut tally = Tally::default();
    for (n, (game, stored)) in all.iter().zip(&back).enumerate() {
        let what = format!("game {}", n + 1);
        let (alone, _) = through(&DCX, game, &mut tally, &what);
        assert_eq!(difference(&alone, stored), None, "{what}");
        if n < 1000 {
            pgn_through_dcx(game, game, &mut Tally::default(), &what);
        }
    }
    println!("corpus: {tally:?}");
    assert_eq!(tally.equal + tally.moves_equal, 3000);
    assert!(tally.equal > 1000, "{tally:?}");
}
