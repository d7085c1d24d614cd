//! Games through ChessBase's format and back: what the losses announce is missing, nothing else,
//! and nothing is announced in vain.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]
#![cfg(all(feature = "cbf", feature = "pgn", feature = "scid"))]

use std::path::{Path, PathBuf};

use chessdb::cbf::{CBF, CBF_FILE, CBI_FILE, FBK, FBK_FILE};
use chessdb::compare::{first_difference, moves_difference};
use chessdb::convert::{Report, Source, carry_base};
use chessdb::pgn::PGN;
use chessdb::scid::SI4;
use chessdb::{
    Allow, Color, ConvertOptions, FileSet, Format, Game, GameRead, LossKind, Losses, MemorySet,
    ReadOptions, Scratch, Start, StoreReader, Tag, TextId, WriteOptions, convert,
};
use chessdb_testkit::{fixtures, golden};

/// What makes moves and comments differ.
const OF_MOVES: [LossKind; 20] = [
    LossKind::MovesCut,
    LossKind::NullMove,
    LossKind::GhostEnPassant,
    LossKind::IllegalMove,
    LossKind::Variation,
    LossKind::VariationBeforeMove,
    LossKind::Comment,
    LossKind::CommentMerged,
    LossKind::CommentMoved,
    LossKind::CommentCut,
    LossKind::CommentText,
    LossKind::Nag,
    LossKind::NagMoved,
    LossKind::NagChanged,
    LossKind::Clock,
    LossKind::Eval,
    LossKind::Shapes,
    LossKind::MoveResult,
    LossKind::Fault,
    LossKind::GameExtra,
];

/// What ends the main line before its end.
const ENDS_LINES: [LossKind; 5] = [
    LossKind::MovesCut,
    LossKind::NullMove,
    LossKind::GhostEnPassant,
    LossKind::IllegalMove,
    LossKind::Chess960,
];

/// A name; a missing one, an empty one and PGN's question mark say the same.
fn name(game: &Game, id: TextId) -> String {
    let text = game.text(id).decode().into_owned();
    if text == "?" { String::new() } else { text }
}

/// Where two games differ, and the kinds of loss of which one must have been announced.
fn differences(a: &Game, b: &Game) -> Vec<(&'static str, Vec<LossKind>)> {
    let mut found: Vec<(&'static str, Vec<LossKind>)> = Vec::new();
    let mut differ = |differs: bool, what, kinds: &[LossKind]| {
        if differs {
            found.push((what, kinds.to_vec()));
        }
    };
    let (x, y) = (&a.head, &b.head);
    let cut = [LossKind::NameCut, LossKind::NameText];
    for color in Color::ALL {
        let (p, q) = (x.player(color), y.player(color));
        differ(name(a, p.name.text) != name(b, q.name.text), "player", &cut);
        let kinds = [
            LossKind::Rating,
            LossKind::RatingRounded,
            LossKind::RatingType,
        ];
        differ(p.rating != q.rating, "rating", &kinds);
        differ(
            name(a, p.title) != name(b, q.title),
            "title",
            &[LossKind::Title],
        );
        differ(p.fide_id != q.fide_id, "FIDE id", &[LossKind::FideId]);
    }
    let event = name(a, x.event.text) != name(b, y.event.text);
    let merged = [
        LossKind::SiteMerged,
        LossKind::NameCut,
        LossKind::NameText,
        LossKind::Round,
    ];
    differ(event, "event", &merged);
    let site = name(a, x.site.text) != name(b, y.site.text);
    differ(site, "site", &[LossKind::SiteMerged]);
    let round = name(a, x.round.text) != name(b, y.round.text);
    differ(round, "round", &[LossKind::Round, LossKind::NameText]);
    let annotator = name(a, x.annotator.text) != name(b, y.annotator.text);
    differ(
        annotator,
        "annotator",
        &[LossKind::Annotator, LossKind::NameCut, LossKind::NameText],
    );
    let source = name(a, x.source.text) != name(b, y.source.text);
    differ(source, "source", &[LossKind::Source]);
    differ(x.date != y.date, "date", &[LossKind::Date]);
    differ(
        x.event_date != y.event_date,
        "event date",
        &[LossKind::EventDate],
    );
    differ(x.outcome != y.outcome, "result", &[LossKind::Result]);
    differ(x.eco != y.eco, "ECO", &[LossKind::Eco]);
    differ(x.flags != y.flags, "flags", &[LossKind::Flags]);
    let starts = [
        LossKind::StartPosition,
        LossKind::StartCounters,
        LossKind::Chess960,
    ];
    differ(fen(a) != fen(b), "start", &starts);
    let (lost, gained) = tags(a, b);
    let kinds = [
        LossKind::Tag,
        LossKind::EmptyTag,
        LossKind::Date,
        LossKind::Rating,
        LossKind::Eco,
        LossKind::Round,
        LossKind::Result,
        LossKind::EventDate,
        LossKind::Flags,
        LossKind::StartPosition,
    ];
    differ(lost > 0, "tags", &kinds);
    differ(gained > 0, "new tags", &[]);
    differ(moves_difference(a, b).is_some(), "moves", &OF_MOVES);
    found
}

fn fen(game: &Game) -> Option<String> {
    match &game.head.start {
        Start::Standard => None,
        Start::Setup(setup) => {
            let mut fen = Vec::new();
            setup.write_fen(&mut fen);
            Some(String::from_utf8(fen).unwrap())
        }
    }
}

/// How many tags without a field only one of the games has; the tag `SetUp` says nothing of its
/// own.
fn tags(a: &Game, b: &Game) -> (usize, usize) {
    let all = |game: &Game| -> Vec<(String, String)> {
        let text = |id| game.text(id).decode().into_owned();
        let tags = game.head.tags.iter().filter_map(|tag| match *tag {
            Tag::Other { name, value } => Some((text(name), text(value))),
            Tag::Verbatim(field, value) => Some((field.tag().to_owned(), text(value))),
            Tag::Place(_) => None,
        });
        tags.filter(|(name, _)| name != "SetUp").collect()
    };
    let (x, y) = (all(a), all(b));
    let missing = |from: &[(String, String)], to: &[(String, String)]| {
        from.iter().filter(|tag| !to.contains(tag)).count()
    };
    (missing(&x, &y), missing(&y, &x))
}

/// Compares a game with what came back, and with what was announced.
fn compare(a: &Game, b: &Game, losses: &Losses, place: &str) {
    let announced = |kind: &LossKind| losses.count(*kind) > 0;
    let found = differences(a, b);
    for (what, kinds) in &found {
        let difference = first_difference(a, b);
        assert!(
            kinds.iter().any(announced),
            "{place}: {what} differs, but only {losses:?} was announced: {difference:?}"
        );
    }
    let differs = |what: &str| found.iter().any(|(found, _)| *found == what);
    let in_vain: [(&[LossKind], &[&str]); 13] = [
        (&OF_MOVES, &["moves"]),
        (&[LossKind::Date], &["date", "tags"]),
        (&[LossKind::EventDate], &["event date", "tags"]),
        (&[LossKind::SiteMerged], &["event", "site"]),
        (&[LossKind::RatingRounded], &["rating"]),
        (&[LossKind::Rating], &["rating", "tags"]),
        (&[LossKind::Title], &["title"]),
        (&[LossKind::FideId], &["FIDE id"]),
        (&[LossKind::Source], &["source"]),
        (&[LossKind::Flags], &["flags", "tags"]),
        (&[LossKind::Eco], &["ECO", "tags"]),
        (&[LossKind::StartCounters], &["start"]),
        (&[LossKind::NameCut], &["player", "event", "annotator"]),
    ];
    for (kinds, whats) in in_vain {
        for kind in kinds.iter().filter(|kind| announced(kind)) {
            let differs = whats.iter().any(|what| differs(what));
            assert!(
                differs,
                "{place}: {kind} announced, but nothing differs: {losses:?}"
            );
        }
    }
    if !ENDS_LINES.iter().any(announced) {
        assert!(
            a.moves.mainline().eq(b.moves.mainline()),
            "{place}: other moves"
        );
    }
    // Only what the fields can round is rounded.
    for color in Color::ALL {
        let ratings = (a.head.player(color).rating, b.head.player(color).rating);
        if let (Some(x), Some(y)) = ratings {
            assert!(x.value.abs_diff(y.value) <= 2, "{place}: {ratings:?}");
        }
    }
}

/// Writes all games in ChessBase's format, from there in the format `back`, and compares what came
/// back, in runs of many games.
fn round_trip(reader: &mut dyn GameRead, back: &Format, place: &str) -> (u32, Losses) {
    const RUN: usize = 2000;
    let mut scratch = Scratch::new();
    let (mut games, mut sum) = (0, Losses::new());
    loop {
        let mut run = Vec::new();
        let mut game = Game::new();
        while run.len() < RUN {
            match reader.read_into(&mut game, &mut scratch) {
                Ok(true) => run.push(game.clone()),
                Ok(false) => break,
                // A game that cannot be read at all is no matter of this test.
                Err(_) => {}
            }
        }
        scratch.diagnostics.clear();
        if run.is_empty() {
            return (games, sum);
        }
        let (cbf, announced) = write(&CBF, &run);
        let held = read_all(&CBF, &cbf);
        let (written, later) = write(back, &held);
        let returned = read_all(back, &written);
        assert_eq!(returned.len(), run.len(), "{place}");
        for (n, (a, b)) in run.iter().zip(&returned).enumerate() {
            let place = format!("{place}, game {}", games + n as u32 + 1);
            // What ChessBase's format held, the other one holds as well.
            assert!(later[n].is_empty(), "{place}: {:?}", later[n]);
            compare(a, b, &announced[n], &place);
            sum.merge(&announced[n]);
        }
        games += run.len() as u32;
    }
}

fn write(format: &Format, games: &[Game]) -> (MemorySet, Vec<Losses>) {
    let mut set = MemorySet::new();
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    let mut writer = format.create.unwrap()(&mut set, options).unwrap();
    let losses = games.iter().map(|game| {
        let losses = writer.write(game).unwrap();
        assert_eq!(losses.count(LossKind::Game), 0);
        losses
    });
    let losses = losses.collect();
    writer.finish().unwrap();
    (set, losses)
}

fn read_all(format: &Format, set: &MemorySet) -> Vec<Game> {
    let store = (format.open)(set, ReadOptions::default()).unwrap();
    let mut scratch = Scratch::new();
    let mut games = Vec::new();
    for n in 0..store.len() {
        let mut game = Game::new();
        store.game_into(n, &mut game, &mut scratch).unwrap();
        games.push(game);
    }
    let said: Vec<_> = scratch
        .diagnostics
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(said.is_empty(), "{}: {said:?}", format.id);
    games
}

fn one_file(format: &Format, path: &Path) -> MemorySet {
    let mut set = MemorySet::new();
    set.insert(format.roles[0], fixtures::read(path));
    set
}

fn print(what: &str, games: u32, losses: &Losses) {
    let kinds: Vec<_> = losses
        .iter()
        .map(|loss| format!("{} {}", loss.count, loss.kind.code()));
    println!(
        "{what}: {games} games; {}",
        kinds.collect::<Vec<_>>().join(", ")
    );
}

#[test]
fn pgn_fixtures_through_cbf_and_back() {
    let mut all = 0;
    for folder in ["pgn/clean", "pgn/edge"] {
        for path in fixtures::files(&fixtures::path(folder)) {
            let set = one_file(&PGN, &path);
            let store = (PGN.open)(&set, ReadOptions::default()).unwrap();
            let mut reader = StoreReader::new(store.as_ref());
            let place = path.file_name().unwrap().to_string_lossy();
            let (games, losses) = round_trip(&mut reader, &PGN, &place);
            print(&place, games, &losses);
            all += games;
        }
    }
    assert!(all > 500, "{all}");
}

#[test]
fn scid_bases_through_cbf_and_back() {
    let mut folders = vec![fixtures::path("scid")];
    folders.extend(fixtures::testdata("fixtures-made/scid4"));
    for name in [
        "benini-scid",
        "oracle-made",
        "scidvspc-five",
        "scidvspc-si4",
    ] {
        folders.extend(fixtures::testdata(&format!("fixtures-real/scid/{name}")));
    }
    for stem in folders
        .iter()
        .flat_map(|folder| fixtures::bases(folder, SI4.roles[0]))
    {
        let set = fixtures::load_set(&stem, SI4.roles);
        let store = (SI4.open)(&set, ReadOptions::default()).unwrap();
        let mut reader = StoreReader::new(store.as_ref());
        let place = stem.file_name().unwrap().to_string_lossy();
        let (games, losses) = round_trip(&mut reader, &SI4, &place);
        print(&place, games, &losses);
        assert_eq!(games, store.len());
    }
}

/// The 100,000 games of the corpus.
#[cfg(feature = "archives")]
#[test]
fn the_corpus_through_cbf_and_back() {
    let Some(path) = fixtures::testdata("corpus/games-100k.pgn.zst") else {
        return;
    };
    let bytes = zstd::decode_all(std::fs::File::open(path).unwrap()).unwrap();
    let stream = PGN.stream.unwrap();
    let mut reader = stream(Box::new(&bytes[..]), ReadOptions::default()).unwrap();
    let (games, losses) = round_trip(reader.as_mut(), &PGN, "corpus");
    print("corpus", games, &losses);
    assert_eq!(games, 100_000);
}

/// What the program does with bases by their paths.
fn converted(source: &MemorySet, from: &Format, to: &'static Format) -> (MemorySet, Report) {
    let store = (from.open)(source, ReadOptions::default()).unwrap();
    let share = match from.id == to.id {
        true => chessdb::convert::Share::Rewrite,
        false => chessdb::convert::Share::Whole,
    };
    let base = carry_base(store.base(), share);
    let mut target = MemorySet::new();
    let options = ConvertOptions::default();
    let source = Source::store(store.as_ref());
    let report = convert(source, base, to, &mut target, options, &mut ()).unwrap();
    (target, report)
}

fn fixture(name: &str) -> MemorySet {
    fixtures::load_set(fixtures::path("cbf").join(name), CBF.roles)
}

/// In PGN a line ends at ChessBase's illegal en passant, with a comment that says what was played.
#[test]
fn a_ghost_ends_the_line_in_pgn() {
    let (pgn, report) = converted(&fixture("odd"), &CBF, &PGN);
    assert_eq!(report.lost(LossKind::GhostEnPassant), 1);
    assert_eq!(report.lost(LossKind::MovesCut), 1);
    let text = String::from_utf8(pgn.get(PGN.roles[0]).unwrap().to_vec()).unwrap();
    assert!(
        text.contains("6. d4 O-O {illegal en passant: exd6} *"),
        "{text}"
    );
    let (again, report) = converted(&fixture("odd"), &CBF, &CBF);
    assert!(
        report.losses.is_empty() && again == committed(fixture("odd")),
        "{report:?}"
    );
}

/// The same files as a writer leaves them.
fn committed(files: MemorySet) -> MemorySet {
    let mut set = MemorySet::new();
    use chessdb::FileSink as _;
    for role in [CBF_FILE, CBI_FILE] {
        let file = set.create(role).unwrap();
        set.write(file, files.get(role).unwrap()).unwrap();
    }
    set.commit().unwrap();
    set
}

#[test]
fn a_book_becomes_a_tree_of_variations_and_a_book_again() {
    let mut book = MemorySet::new();
    book.insert(FBK_FILE, fixtures::read(fixtures::path("cbf/book.fbk")));
    let (pgn, report) = converted(&book, &FBK, &PGN);
    assert!(!report.has_losses());
    let text = String::from_utf8(pgn.get(PGN.roles[0]).unwrap().to_vec()).unwrap();
    let moves = "1. e4 (1. d4 d5) 1... e5 (1... c5 2. Nf3 (2. c3)) (1... f5 $6) 2. Nf3 Nc6 *";
    assert_eq!(
        text.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .rsplit("] ")
            .next(),
        Some(moves)
    );
    let (again, report) = converted(&pgn, &PGN, &FBK);
    assert!(!report.has_losses(), "{report:?}");
    assert_eq!(again.get(FBK_FILE), book.get(FBK_FILE));
}

fn pgn(text: impl Into<Vec<u8>>) -> MemorySet {
    let mut set = MemorySet::new();
    set.insert(PGN.roles[0], text);
    set
}

/// Limits of old programs are warned of, and nothing is lost.
#[test]
fn old_limits_are_warned_of() {
    let mut text = String::from(
        "[White \"A name of twenty-four let.\"]\n[Black \"And one of twenty-two\"]\n\n",
    );
    text.push_str(&"Nf3 Nf6 Ng1 Ng8 ".repeat(100));
    text.push('*');
    let (set, report) = converted(&pgn(text), &PGN, &CBF);
    assert!(
        report
            .losses
            .iter()
            .all(|loss| loss.kind == LossKind::NameText),
        "{report:?}"
    );
    let said: Vec<_> = report.exceeded.iter().map(ToString::to_string).collect();
    let expected = [
        "ChessBase for DOS takes at most 47 bytes of the players, or of the source: exceeded by 1 games, first 1",
        "ChessBase for DOS (CBASCII 1.6c) takes at most 180 moves of a game: exceeded by 1 games, first 1",
    ];
    assert_eq!(said, expected);
    let (_, again) = converted(&set, &CBF, &PGN);
    assert!(again.exceeded.is_empty());
}

/// The bases of fixtures/cbf that are made from PGN are what the conversion gives.
#[test]
fn the_fixtures_are_conversions() {
    let bless = std::env::var(golden::BLESS).is_ok_and(|value| value == "1");
    for name in ["miniatures", "romantics", "nags", "starts", "text"] {
        let path = fixtures::path("pgn/clean").join(format!("{name}.pgn"));
        let (set, _) = converted(&one_file(&PGN, &path), &PGN, &CBF);
        for role in [CBF_FILE, CBI_FILE] {
            let path: PathBuf = fixtures::path("cbf").join(format!("{name}.{role}"));
            let bytes = set.get(role).unwrap();
            if bless {
                std::fs::write(&path, bytes).unwrap();
            } else {
                assert!(fixtures::read(&path) == bytes, "{}", path.display());
            }
        }
    }
}
