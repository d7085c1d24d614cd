//! Games that the files can hold but the programs cannot show.
#![cfg(feature = "write")]

use chessdb_core::options::Allow;
use chessdb_core::{FileSet, Format, Game, LossKind, MemorySet, PackedMove, WriteOptions};
use chessdb_sqlite::encroissant::{DB3, EN_CROISSANT};
use chessdb_sqlite::lucaschess::{LCDB, LUCAS_CHESS};
use chessdb_testkit::identity;

/// What writing games gave.
struct Written {
    files: MemorySet,
    /// The kinds of loss of each game.
    losses: Vec<Vec<LossKind>>,
    /// The numbers of games beyond each limit of the program.
    exceeded: Vec<u32>,
}

fn write(format: &Format, games: &[Game]) -> Written {
    let mut files = MemorySet::new();
    let options = WriteOptions::default().with_allowed(Allow::Everything);
    let mut writer = format.create.unwrap()(&mut files, options).unwrap();
    let losses = games.iter().map(|game| {
        let losses = writer.write(game).unwrap();
        losses.iter().map(|loss| loss.kind).collect()
    });
    let losses = losses.collect();
    let exceeded = writer.exceeded().iter().map(|limit| limit.games).collect();
    writer.finish().unwrap();
    Written {
        files,
        losses,
        exceeded,
    }
}

fn has_body(files: &MemorySet) -> bool {
    let bytes = files.get(LCDB).unwrap();
    bytes.windows(5).any(|part| part == b"BODY ")
}

const ENDGAME: &str = "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1";
const CHESS960: &str = "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1";

/// A game without annotations ends before the move that Lucas Chess cannot hold, as its import does.
#[test]
fn lucas_chess_gets_no_body_for_a_mainline() {
    let endgame = || Game::builder().fen(ENDGAME).unwrap();
    let chess960 = || Game::builder().fen(CHESS960).unwrap();
    let null = PackedMove::NULL;
    for (game, kept, expected) in [
        (
            endgame()
                .sans(["e4"])
                .unwrap()
                .mv(null)
                .sans(["e5"])
                .unwrap(),
            1,
            vec![LossKind::NullMove, LossKind::MovesCut],
        ),
        (endgame().mv(null), 0, vec![LossKind::NullMove]),
        (
            Game::builder().sans(["e4"]).unwrap().mv(null),
            1,
            vec![LossKind::NullMove],
        ),
        (
            chess960().sans(["Ke2", "O-O-O", "Kf2"]).unwrap(),
            1,
            vec![LossKind::Chess960, LossKind::MovesCut],
        ),
        (chess960().sans(["Ke2", "Ke7", "Kf2"]).unwrap(), 3, vec![]),
    ] {
        let game = game.build();
        let written = write(&LUCAS_CHESS, std::slice::from_ref(&game));
        assert!(!has_body(&written.files));
        assert_eq!(written.exceeded, [0; 0]);
        assert_eq!(written.losses, [expected]);
        let back = identity::open_all(&LUCAS_CHESS, &written.files);
        assert_eq!(back[0].mainline().count(), kept);
        assert_eq!(back[0].header.start, game.header.start);
    }
}

/// A game with annotations is complete in the file, and announced if Lucas Chess shows less.
#[test]
fn annotated_games_of_lucas_chess_are_announced() {
    let null = PackedMove::NULL;
    let games = [
        Game::builder()
            .sans(["e4"])
            .unwrap()
            .mv(null)
            .comment("x")
            .build(),
        Game::builder()
            .sans(["e4"])
            .unwrap()
            .variation(|line| Ok(line.mv(null)))
            .unwrap()
            .build(),
        Game::builder()
            .fen(CHESS960)
            .unwrap()
            .sans(["O-O-O"])
            .unwrap()
            .nag(1)
            .build(),
        Game::builder().sans(["e4"]).unwrap().nag(1).build(),
    ];
    let written = write(&LUCAS_CHESS, &games);
    assert!(has_body(&written.files));
    assert_eq!(written.exceeded, [2, 1]);
    assert_eq!(written.losses, [vec![], vec![], vec![], vec![]]);
    for (game, back) in games
        .iter()
        .zip(identity::open_all(&LUCAS_CHESS, &written.files))
    {
        assert_eq!(identity::line(game), identity::line(&back));
    }
}

/// One such row would hide all games from En Croissant.
#[test]
fn en_croissant_gets_no_start_that_it_refuses() {
    for (fen, is_written) in [
        (ENDGAME, true),
        (CHESS960, true),
        ("4k3/8/8/8/8/8/8/4R1K1 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", false),
        ("8/8/8/8/8/8/8/8 w - - 0 1", false),
        ("kk6/8/8/8/8/8/8/7K w - - 0 1", false),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", false),
        // More pieces than chess allows, which the program accepts.
        ("4k3/8/PPPPPPPP/PPPPPPPP/8/8/8/4K3 b - - 0 1", true),
        // Three queens that give check at once.
        ("4k3/QQQQQQQQ/PPPPPPPP/8/8/8/8/4K3 b - - 0 1", false),
    ] {
        let plain = Game::builder().sans(["e4"]).unwrap().build();
        let odd = Game::builder().fen(fen).unwrap().build();
        let written = write(&EN_CROISSANT, &[odd, plain.clone()]);
        let back = identity::open_all(&EN_CROISSANT, &written.files);
        assert_eq!(back.len(), 1 + usize::from(is_written), "{fen}");
        assert_eq!(back.last().unwrap().moves, plain.moves);
        let expected =
            if is_written { vec![] } else { vec![LossKind::StartPosition, LossKind::Game] };
        assert_eq!(written.losses, [expected, vec![]], "{fen}");
    }
}

/// The writer asks the sink for the name only if the database has no title.
#[test]
fn a_title_is_that_of_the_database_or_the_name_of_the_file() {
    let title = |title: &str| {
        let mut options = WriteOptions::default();
        if !title.is_empty() {
            options.base.title = options
                .base
                .texts
                .push(title.as_bytes(), chessdb_core::Charset::UTF_8);
        }
        let mut sink = NamedSink(MemorySet::new());
        let writer = EN_CROISSANT.create.unwrap()(&mut sink, options).unwrap();
        writer.finish().unwrap();
        let store = (EN_CROISSANT.open)(&sink.0, Default::default()).unwrap();
        assert!(sink.0.get(DB3).is_some());
        store
            .base()
            .texts
            .get(store.base().title)
            .decode()
            .into_owned()
    };
    assert_eq!((&*title(""), &*title("Mine")), ("my games", "Mine"));
}

struct NamedSink(MemorySet);

impl chessdb_core::files::FileSink for NamedSink {
    fn create(
        &mut self,
        role: chessdb_core::files::Role,
    ) -> chessdb_core::Result<chessdb_core::files::FileId> {
        self.0.create(role)
    }

    fn write(
        &mut self,
        file: chessdb_core::files::FileId,
        bytes: &[u8],
    ) -> chessdb_core::Result<()> {
        self.0.write(file, bytes)
    }

    fn patch(
        &mut self,
        file: chessdb_core::files::FileId,
        offset: u64,
        bytes: &[u8],
    ) -> chessdb_core::Result<()> {
        self.0.patch(file, offset, bytes)
    }

    fn commit(&mut self) -> chessdb_core::Result<()> {
        self.0.commit()
    }

    fn name(&self) -> Option<&str> {
        Some("my games")
    }
}
