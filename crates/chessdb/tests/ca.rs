//! Chess Assistant to and from the other formats: the same games, nothing lost that was not
//! announced, nothing announced that was not lost.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic
)]
#![allow(missing_docs)]
#![cfg(all(feature = "ca", feature = "pgn"))]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chessdb::ca::CA;
use chessdb::compare::{first_difference, moves_difference};
use chessdb::pgn::PGN;
use chessdb::{
    Allow, FORMATS, FileSet, Format, Game, LossKind, Losses, MemorySet, ReadOptions, Role, Scratch,
    Start, Tag, WriteOptions, reading_for,
};
use chessdb_testkit::strategy::{GameOptions, games};
use chessdb_testkit::tree::{Tree, tags};
use chessdb_testkit::{fixtures, identity};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

fn write<'g>(format: &Format, games: impl IntoIterator<Item = &'g Game>) -> (MemorySet, Losses) {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    identity::write_all(format, games, options).unwrap()
}

/// The games of a base as they are read on their way to Chess Assistant; those that cannot be read
/// are left out.
fn read(format: &Format, set: &dyn FileSet) -> Vec<Game> {
    let store = (format.open)(set, reading_for(&CA, ReadOptions::default())).unwrap();
    let mut scratch = Scratch::new();
    let mut games = Vec::new();
    for n in 0..store.len() {
        let mut game = Game::new();
        if store.game_into(n, &mut game, &mut scratch).is_ok() {
            games.push(game);
        }
    }
    games
}

fn pgn(path: &Path) -> MemorySet {
    let mut set = MemorySet::new();
    set.insert(Role("pgn"), fixtures::read(path));
    set
}

/// What a reader adds: the tag that goes with a start position.
fn with_setup_tag(game: &Game) -> Game {
    let mut game = game.clone();
    let is_setup =
        |tag: &Tag| matches!(*tag, Tag::Other { name, .. } if game.text(name).decode() == "SetUp");
    if game.head.start != Start::Standard && !game.head.tags.iter().any(is_setup) {
        let (name, value) = (game.add_text("SetUp"), game.add_text("1"));
        game.head.tags.push(Tag::Other { name, value });
    }
    game
}

/// What a diff of two games finds: the names of the tags that differ, `moves`, `comments`, …
fn changes(before: &Game, after: &Game) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let (left, right) = (tags(before), tags(after));
    for tag in &left {
        if !right.contains(tag) {
            found.insert(tag.0.clone());
        }
    }
    for tag in &right {
        if !left.contains(tag) {
            found.insert(tag.0.clone());
        }
    }
    // An empty text and none are two things.
    let names = |game: &Game| {
        let head = &game.head;
        [
            ("White", head.white.name.text),
            ("Black", head.black.name.text),
            ("Event", head.event.text),
            ("Site", head.site.text),
            ("Round", head.round.text),
            ("Annotator", head.annotator.text),
            ("Source", head.source.text),
            ("WhiteTitle", head.white.title),
            ("BlackTitle", head.black.title),
        ]
    };
    for (left, right) in names(before).iter().zip(names(after)) {
        if left.1.is_none() != right.1.is_none() {
            found.insert(left.0.into());
        }
    }
    let (left, right) = (Tree::from_game(before), Tree::from_game(after));
    if left.deleted != right.deleted || before.head.flags != after.head.flags {
        found.insert("all flags".into());
    }
    if before.head.start != after.head.start {
        found.insert("start".into());
    }
    if moves_difference(before, after).is_some() {
        found.insert("moves".into());
    }
    found
}

/// Where a loss of this kind shows.
fn place(kind: LossKind) -> &'static str {
    use LossKind as L;
    match kind {
        L::MovesCut
        | L::GhostEnPassant
        | L::IllegalMove
        | L::Variation
        | L::VariationBeforeMove
        | L::Comment
        | L::CommentMoved
        | L::CommentText
        | L::Nag
        | L::NagMoved
        | L::Clock
        | L::Eval
        | L::Shapes
        | L::MoveResult
        | L::Fault => "moves",
        L::Flags | L::DeletedFlag => "flags",
        L::StartPosition | L::StartCounters | L::Chess960 => "FEN",
        _ => "tags",
    }
}

/// Each game alone: what the writer announces is what the diff finds, place by place. Returns how
/// often which kind was announced.
fn compare_with_the_report(
    games: &[Game],
    what: &str,
    wrong: &mut Vec<String>,
) -> BTreeMap<&'static str, u32> {
    let mut kinds = BTreeMap::new();
    for (n, game) in games.iter().enumerate() {
        let what = format!("{what}, game {}", n + 1);
        let (set, losses) = write(&CA, [game]);
        let mut announced: BTreeSet<_> = losses.iter().map(|loss| place(loss.kind)).collect();
        for loss in losses.iter() {
            *kinds.entry(loss.kind.code()).or_default() += 1;
        }
        let back = read(&CA, &set);
        let Some(back) = back.first() else {
            assert!(
                losses.iter().any(|loss| loss.kind == LossKind::Game),
                "{what}"
            );
            continue;
        };
        let changes = changes(&with_setup_tag(game), back);
        let mut found: BTreeSet<_> = changes
            .iter()
            .map(|change| match change.as_str() {
                "moves" => "moves",
                "all flags" => "flags",
                "start" => "FEN",
                // These two show what has a place of its own, and may be spelt oddly beside.
                "FEN" | "ScidFlags" => "spelling",
                _ => "tags",
            })
            .collect();
        let spelt = found.remove("spelling");
        let spelling = |kind| matches!(kind, LossKind::TagText | LossKind::EmptyTag);
        let mut of_tags = losses.iter().filter(|loss| place(loss.kind) == "tags");
        if spelt && !found.contains("tags") && of_tags.all(|loss| spelling(loss.kind)) {
            announced.remove("tags");
        }
        if found != announced || spelt && losses.is_empty() {
            wrong.push(format!("{what}: {changes:?}, {losses:?}"));
        }
        if losses.is_empty() {
            assert_eq!(
                first_difference(&with_setup_tag(game), back),
                None,
                "{what}"
            );
        }
    }
    kinds
}

/// PGN to Chess Assistant: the report of losses agrees with a diff of the games.
#[test]
fn the_report_is_what_a_diff_finds() {
    let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
    let mut count = 0;
    let mut wrong = Vec::new();
    for folder in ["pgn/clean", "pgn/edge", "pgn/broken"] {
        for file in fixtures::files(&fixtures::path(folder)) {
            let games = read(&PGN, &pgn(&file));
            count += games.len();
            let name = file.display().to_string();
            for (kind, n) in compare_with_the_report(&games, &name, &mut wrong) {
                *kinds.entry(kind).or_default() += n;
            }
        }
    }
    println!("{count} games, announced: {kinds:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 300, "{count}");
    assert!(kinds.len() >= 10, "{kinds:?}");
}

/// PGN to Chess Assistant to PGN: where neither step announces a loss, the games are equal.
#[test]
fn pgn_survives() {
    let (mut equal, mut count) = (0, 0);
    for folder in ["pgn/clean", "pgn/edge"] {
        for file in fixtures::files(&fixtures::path(folder)) {
            for game in read(&PGN, &pgn(&file)) {
                equal += u32::from(survives_pgn(&game));
                count += 1;
            }
        }
    }
    println!("{equal} of {count} games without a loss");
    assert!(equal > 100, "{equal}");
}

/// False if something was announced.
fn survives_pgn(game: &Game) -> bool {
    let (base, losses) = write(&CA, [game]);
    let stored = read(&CA, &base);
    let (text, more) = write(&PGN, &stored);
    if !losses.is_empty() || !more.is_empty() {
        return false;
    }
    let back = read(&PGN, &text);
    // PGN alone names what is missing of the seven tags "?".
    let (straight, _) = write(&PGN, [&with_setup_tag(game)]);
    let straight = read(&PGN, &straight);
    assert_eq!(first_difference(&straight[0], &back[0]), None);
    true
}

/// Every game of a store into a new base of a format; what was lost of each.
#[cfg(feature = "archives")]
fn pour(store: &dyn chessdb::GameStore, format: &Format) -> (MemorySet, Vec<Losses>) {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    let mut set = MemorySet::new();
    let mut writer = (format.create.unwrap())(&mut set, options).unwrap();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let mut losses = Vec::new();
    for n in 0..store.len() {
        store.game_into(n, &mut game, &mut scratch).unwrap();
        losses.push(writer.write(&game).unwrap());
    }
    assert_eq!(writer.finish().unwrap(), store.len());
    (set, losses)
}

/// The corpus of human games to Chess Assistant and back: a game differs if and only if that was
/// announced.
#[test]
#[cfg(feature = "archives")]
fn the_corpus_survives() {
    let Some(folder) = fixtures::testdata("corpus") else {
        return;
    };
    let packed = chessdb::open(folder.join("games-100k.pgn.zst")).unwrap();
    let start = packed.store(ReadOptions::default()).unwrap();
    assert_eq!(start.len(), 100_000);
    let (base, losses) = pour(&*start, &CA);
    let stored = (CA.open)(&base, ReadOptions::default()).unwrap();
    let (text, more) = pour(&*stored, &PGN);
    assert!(more.iter().all(Losses::is_empty));
    let back = (PGN.open)(&text, ReadOptions::default()).unwrap();
    let (mut one, mut other, mut scratch) = (Game::new(), Game::new(), Scratch::new());
    let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
    let mut differ = 0;
    for (n, losses) in (0..).zip(&losses) {
        start.game_into(n, &mut one, &mut scratch).unwrap();
        back.game_into(n, &mut other, &mut scratch).unwrap();
        let difference = first_difference(&one, &other);
        for loss in losses.iter() {
            *kinds.entry(loss.kind.code()).or_default() += loss.count;
        }
        // PGN gives "?" for a tag that says nothing, as the corpus does.
        let says_nothing = |loss: &chessdb::Loss| loss.kind == LossKind::EmptyTag;
        let announced = !losses.is_empty();
        let silent = announced && losses.iter().all(says_nothing);
        assert!(
            difference.is_some() == announced || silent,
            "{n}: {difference:?}, {losses:?}"
        );
        assert_eq!(moves_difference(&one, &other), None, "game {}", n + 1);
        differ += u32::from(difference.is_some());
    }
    println!("{differ} games differ; announced: {kinds:?}");
}

/// The formats that can be written and hold games with heads.
fn others() -> impl Iterator<Item = &'static Format> {
    let others = FORMATS.iter().copied();
    others.filter(|format| format.create.is_some() && !["ca", "fbk"].contains(&format.id))
}

/// What Chess Assistant holds, and most others as well.
fn plain() -> GameOptions {
    GameOptions {
        newlines: false,
        braces: false,
        legacy_texts: false,
        first_alternatives: false,
        empty_variations: false,
        zero_nags: false,
        comments_before_variation: false,
        several_comments: false,
        start_nags: false,
        name_bytes: 30,
        titles: false,
        fide_ids: false,
        annotators: false,
        repeated_tags: false,
        ..GameOptions::for_ca()
    }
}

/// Chess Assistant to every other format and back: where nothing is announced, the games are equal.
#[test]
fn random_games_survive_every_other_format() {
    let lossless: RefCell<BTreeMap<&str, u32>> = RefCell::default();
    let cases = 150;
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let result = runner.run(&games(plain()), |game| {
        let (base, losses) = write(&CA, [&game]);
        assert!(losses.is_empty(), "{losses:?}");
        let stored = read(&CA, &base);
        for format in others() {
            let (theirs, there) = write(format, &stored);
            let (again, back) = write(&CA, &read(format, &theirs));
            let found = read(&CA, &again);
            if there.is_empty() && back.is_empty() {
                let difference = first_difference(&stored[0], &found[0]);
                assert_eq!(difference, None, "{}", format.id);
                *lossless.borrow_mut().entry(format.id).or_default() += 1;
            }
        }
        Ok(())
    });
    result.unwrap();
    let lossless = lossless.into_inner();
    println!("of {cases} games came back without a loss: {lossless:?}");
    for format in others() {
        // CBF has one text for event and site, no day, and no names beyond 63 bytes.
        let least = if format.id == "cbf" { 0 } else { cases / 6 };
        let count = lossless.get(format.id).copied().unwrap_or(0);
        assert!(count >= least, "{}: {count}", format.id);
    }
}

/// The bases in fixtures/ca: what our writer makes of clean PGN. `CHESSDB_BLESS=1` writes them anew
/// (then fixtures/MANIFEST.toml needs their new checksums).
#[test]
fn fixtures_are_what_our_writer_makes_of_their_pgn() {
    const MADE: [&str; 8] = [
        "commands",
        "headers",
        "nags",
        "nesting",
        "nullmoves",
        "romantics",
        "starts",
        "text",
    ];
    let bless = std::env::var(chessdb_testkit::golden::BLESS).is_ok_and(|value| value == "1");
    for name in MADE {
        let source = fixtures::path("pgn/clean").join(name).with_extension("pgn");
        let (ours, _) = write(&CA, &read(&PGN, &pgn(&source)));
        let stem = fixtures::root().join("ca").join(name);
        for (role, bytes) in ours.iter().filter(|_| bless) {
            std::fs::write(stem.with_extension(role.0), bytes).unwrap();
        }
        let stored = fixtures::load_set(&stem, CA.roles);
        let difference = identity::first_difference(&ours, &stored);
        assert!(difference.is_none(), "{name}: {}", difference.unwrap());
    }
    let stored = fixtures::bases(fixtures::path("ca"), chessdb::ca::D00_FILE);
    assert_eq!(stored.len(), MADE.len());
}
