//! Tests of the conversion into the format of chessdb-template, from games with the errors to
//! simulate.

use std::cell::RefCell;
use std::io;
use std::ops::ControlFlow;

use chessdb_core::board::MoveKind;
use chessdb_core::error::Location;
use chessdb_core::files::{FileId, FileSink, Role};
use chessdb_core::loss::Loss;
use chessdb_core::model::{GameFlags, NameRecord, NameRole, NameTable, Tag};
use chessdb_core::store::{Opened, StoreReader};
use chessdb_core::text::TextId;
use chessdb_core::{
    BaseInfo, Charset, Diagnostic, ErrorKind, FileSet, Format, Game, GameStore, LossKind,
    MemorySet, PackedMove, ReadOptions, Result, Scratch, Setup, Severity, Square, Start,
};
use chessdb_template::{TEMPLATE, TEMPLATE_FILE, open};

use super::*;

/// The format of chessdb-template, which notes in [`BASE`] the data of the database that its writer
/// gets. It can be read as a stream.
static FORMAT: Format = {
    let mut format = TEMPLATE;
    format.stream = Some(|mut input, options| {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        let set = MemorySet::from_iter([(TEMPLATE_FILE, bytes)]);
        // The store lasts as long as the test.
        let store = Box::leak(Box::new(open(Box::leak(Box::new(set)), options)?));
        Ok(Box::new(StoreReader::new(store)))
    });
    format.create = Some(|sink, options| {
        BASE.replace(options.base.clone());
        TEMPLATE.create.unwrap()(sink, options)
    });
    format
};

thread_local! {
    static BASE: RefCell<BaseInfo> = RefCell::default();
}

/// Games with errors to simulate. A line is White's name with a prefix: `!` unreadable, `~` damaged,
/// `x` deleted, `c` three tags that the target cannot store, `s` a game that the target cannot
/// store, `m` moves that it cuts.
struct Source {
    lines: Vec<String>,
    opened: Opened,
    options: ReadOptions,
}

/// Adds a table of players with these names.
pub(super) fn add_players<'n>(base: &mut BaseInfo, names: impl Iterator<Item = &'n str>) {
    let records = names.zip(0..).map(|(name, key)| NameRecord {
        key,
        text: base.texts.push(name.as_bytes(), Charset::UTF_8),
        player: None,
    });
    let records = records.collect();
    base.names.push(NameTable::new(NameRole::Player, records));
}

impl Source {
    fn new(lines: &str) -> Source {
        let mut base = BaseInfo::default();
        base.open_first = Some(2);
        let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
        let names = lines.iter().map(|line| &line[1..]).chain(["nobody"]);
        add_players(&mut base, names);
        Source {
            lines,
            opened: Opened::new(base, Vec::new()),
            options: ReadOptions::default(),
        }
    }

    fn described(mut self, description: &str) -> Source {
        let texts = &mut self.opened.base.texts;
        self.opened.base.description = texts.push(description.as_bytes(), Charset::UTF_8);
        self
    }
}

impl GameStore for Source {
    fn len(&self) -> u32 {
        self.lines.len() as u32
    }
    fn opened(&self) -> &Opened {
        &self.opened
    }
    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.game_into(n, game, scratch)
    }
    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        game.clear();
        let (sign, name) = self.lines[n as usize].split_at(1);
        game.header.white.name.text = game.add_text(name);
        game.header.white.name.key = Some(n);
        match sign {
            "!" => return Err(ErrorKind::Structure("unreadable").into()),
            "~" => {
                let kind = ErrorKind::Structure("damaged");
                scratch.deviation(&self.options, Severity::Lost, kind, Location::default())?;
            }
            "x" => game.header.flags = GameFlags::DELETED,
            "c" => {
                let [name, value] = ["Zebra", "stripes"].map(|text| game.add_text(text));
                game.header.tags = vec![Tag::Other { name, value }; 3];
            }
            "s" => {
                let fen = Setup::from_fen(b"4k3/8/8/8/8/8/8/4K2R w K - 0 1");
                game.header.start = Start::Setup(Box::new(fen.unwrap().0));
            }
            "m" => {
                let square = |name: &[u8]| Square::from_ascii(name).unwrap();
                let illegal = PackedMove::new(square(b"e2"), square(b"e5"), MoveKind::Normal);
                let mut tape = game.moves.builder(&self.options.limits);
                tape.mv(illegal).unwrap();
                tape.mv(PackedMove::NULL).unwrap();
                tape.finish();
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns the names of White in the database that was written, one per line.
fn written(sink: &MemorySet) -> String {
    let text = std::str::from_utf8(sink.get(TEMPLATE_FILE).unwrap()).unwrap();
    let games = text.lines().skip(1);
    let whites = games.map(|line| line.split('\t').nth(1).unwrap().to_owned() + "\n");
    whites.collect()
}

/// Converts games and returns the report and the output, if it was committed.
fn run(
    games: &str,
    change: impl FnOnce(Converter<'_>) -> Converter<'_>,
) -> (chessdb_files::error::Result<Report>, Option<String>) {
    run_store(&Source::new(games), change)
}

fn run_store(
    store: &dyn GameStore,
    change: impl FnOnce(Converter<'_>) -> Converter<'_>,
) -> (chessdb_files::error::Result<Report>, Option<String>) {
    let mut sink = MemorySet::new();
    let converter = Converter::to_sink(&mut sink).format(&FORMAT);
    let result = change(converter).add_store(store, None).run();
    let result = result.or_else(chessdb_files::error::Error::into_report);
    (result, sink.is_committed().then(|| written(&sink)))
}

/// A sink without space for the games of Bronstein.
struct FullDisk(MemorySet);

impl FileSink for FullDisk {
    fn create(&mut self, role: Role) -> Result<FileId> {
        self.0.create(role)
    }
    fn write(&mut self, file: FileId, bytes: &[u8]) -> Result<()> {
        if bytes.windows(9).any(|part| part == b"Bronstein") {
            return Err(io::Error::from(io::ErrorKind::StorageFull).into());
        }
        self.0.write(file, bytes)
    }
    fn patch(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<()> {
        self.0.patch(file, offset, bytes)
    }
    fn commit(&mut self) -> Result<()> {
        self.0.commit()
    }
}

fn select(list: &str) -> chessdb_database::Selection {
    list.parse().unwrap()
}

#[test]
fn damaged_games_are_kept_skipped_or_end_it() {
    let games = " Anand\n!Bronstein\n~Carlsen\n Deep Blue\n";
    let (report, text) = run(games, |all| all);
    let report = report.unwrap();
    assert_eq!(text.unwrap(), "Anand\nCarlsen\nDeep Blue\n");
    assert_eq!(
        (report.read, report.written, report.cut, report.skipped),
        (4, 3, 1, 1)
    );
    let found: Vec<_> = report
        .diagnostics
        .iter()
        .map(|odd| (odd.detail, odd.count))
        .collect();
    assert_eq!(found, [("unreadable", 1), ("damaged", 1)]);
    assert_eq!(
        report.diagnostics[0].first,
        [(0, "lost: game 2: unreadable".to_owned())]
    );

    let (report, text) = run(games, |all| all.on_error(OnError::Skip));
    let report = report.unwrap();
    assert_eq!(text.unwrap(), "Anand\nDeep Blue\n");
    assert_eq!((report.written, report.cut, report.skipped), (2, 0, 2));

    let (error, text) = run("~Carlsen\n Anand\n", |all| all.on_error(OnError::Stop));
    let error = error.unwrap_err();
    assert!(!error.is_about_writing() && error.game() == Some(1));
    assert_eq!(error.to_string(), "game 1: damaged");
    assert_eq!(text, None);
}

#[test]
fn losses_are_counted_and_a_strict_conversion_refuses_them() {
    let games = " Anand\ncBronstein\nsCarlsen\nmDeep Blue\ncEuwe\n";
    let (report, text) = run(games, |all| all);
    let report = report.unwrap();
    assert_eq!(text.unwrap(), "Anand\nBronstein\nDeep Blue\nEuwe\n");
    assert_eq!((report.written, report.cut, report.skipped), (4, 1, 1));
    assert_eq!(report.lost(LossKind::Tag), 6);
    assert_eq!(report.lost(LossKind::StartPosition), 1);
    let tag = report
        .losses
        .iter()
        .find(|loss| loss.kind == LossKind::Tag)
        .unwrap();
    assert_eq!(
        tag.first.iter().map(|at| at.game).collect::<Vec<_>>(),
        [2, 5]
    );

    let (report, text) = run(games, |all| all.strict(true));
    let report = report.unwrap();
    assert!(report.refused);
    assert_eq!(text, None, "nothing was committed");
    assert_eq!(report.written, 0);
    assert_eq!(
        report.lost(LossKind::Tag),
        6,
        "the report is complete all the same"
    );

    // Unused names of a whole database are a loss if the target cannot store them.
    let (report, _) = run(" Anand\n", |all| all.strict(true));
    assert!(report.as_ref().unwrap().refused);
    assert_eq!(report.unwrap().lost(LossKind::NameTable), 1);
    let (report, text) = run(" Anand\n", |all| all.strict(true).select(select("1")));
    assert!(!report.unwrap().refused);
    assert_eq!(text.unwrap(), "Anand\n");
}

#[test]
fn a_full_disk_ends_it() {
    let mut sink = FullDisk(MemorySet::new());
    let store = Source::new(" Anand\n Bronstein\n");
    let converter = Converter::to_sink(&mut sink).format(&FORMAT);
    let error = converter.add_store(&store, None).run().unwrap_err();
    assert!(error.is_about_writing());
    assert!(!sink.0.is_committed());
}

#[test]
fn deleted_games_stay_unless_they_are_dropped() {
    let games = " Anand\nxBronstein\n";
    assert_eq!(run(games, |all| all).1.unwrap(), "Anand\nBronstein\n");
    let (report, text) = run(games, |all| all.drop_deleted(true));
    assert_eq!(text.unwrap(), "Anand\n");
    let report = report.unwrap();
    assert_eq!((report.read, report.written, report.dropped), (2, 1, 1));
    assert!(!report.has_losses());
}

#[test]
fn a_stream_gives_the_same_games_as_a_store() {
    // The second game is unreadable, the third damaged, the fourth deleted.
    let text = "template 1\n-\tA\t\t*\te2e4\n-\tB\n-\tC\t\t*\te2e5\nd\tD\t\t*\t\n\
                -\tE\t\t*\te2e4\n-\tF\t\t*\te2e4\n";
    let mut files = MemorySet::new();
    files.insert(TEMPLATE_FILE, text);
    let store = open(&files, ReadOptions::default()).unwrap();
    for list in ["1-", "2,4", "3-9", "7"] {
        let (from_store, stored) = run_store(&store, |all| all.select(select(list)));
        let options = chessdb_database::Database::options().format(&FORMAT);
        let db = options.from_reader(io::Cursor::new(text)).unwrap();
        let mut sink = MemorySet::new();
        let converter = Converter::to_sink(&mut sink)
            .format(&FORMAT)
            .add_database(&db);
        let report = converter.select(select(list)).run();
        let report = report
            .or_else(chessdb_files::error::Error::into_report)
            .unwrap();
        // There is no seventh game, so nothing becomes visible, but this sink does not hide it.
        assert_eq!(report.refused, report.read == 0);
        assert_eq!((!report.refused).then(|| written(&sink)), stored);
        assert_eq!(report, from_store.unwrap());
    }
}

#[test]
fn several_bases_go_into_one_and_the_first_describes_it() {
    let first = Source::new(" A\n").described("old");
    let second = Source::new(" B\ncC\n").described("new");
    let mut sink = MemorySet::new();
    let converter = Converter::to_sink(&mut sink).format(&FORMAT);
    let report = converter.add_store(&first, None).add_store(&second, None);
    let report = report.run().unwrap();
    assert_eq!(written(&sink), "A\nB\nC\n");
    assert_eq!(report.losses[0].first, [GameRef { source: 1, game: 2 }]);
    BASE.with_borrow(|base| {
        assert_eq!(base.texts.get(base.description).decode(), "old");
        assert!(base.names.is_empty());
    });
    assert_eq!(
        report.lost(LossKind::Description),
        2,
        "the target has no place for the first, and the second is not the first"
    );
    assert_eq!(
        report.lost(LossKind::NameTable),
        2,
        "one unused name in each"
    );
}

#[test]
fn a_rewrite_gets_the_name_tables() {
    let store = Source::new(" A\n B\n");
    let mut sink = MemorySet::new();
    let converter = Converter::to_sink(&mut sink).format(&FORMAT).strict(true);
    let report = converter.add_store(&store, Some(&FORMAT)).run().unwrap();
    assert!(!report.refused);
    assert_eq!(written(&sink), "A\nB\n");
    let names = BASE.with_borrow(|base| base.names[0].records.len());
    assert_eq!(names, 3);
}

#[test]
fn the_observer_sees_everything_and_may_interrupt() {
    #[derive(Default)]
    struct Log(Vec<String>, u64);
    impl Observer for Log {
        fn game(&mut self, report: &Report) -> ControlFlow<()> {
            if report.read == self.1 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }
        fn loss(&mut self, at: GameRef, loss: &Loss) {
            self.0
                .push(format!("{} {} {}", at.game, loss.kind.code(), loss.count));
        }
        fn diagnostic(&mut self, source: usize, diagnostic: &Diagnostic) {
            self.0.push(format!("{source} {diagnostic}"));
        }
    }
    let store = Source::new("cA\n~B\n!C\nsD\n");
    let convert_with = |log: &mut Log| {
        let mut sink = MemorySet::new();
        let converter = Converter::to_sink(&mut sink).format(&FORMAT);
        converter.add_store(&store, None).observer(log).run()
    };
    let mut log = Log::default();
    convert_with(&mut log).unwrap();
    assert_eq!(
        log.0,
        [
            "1 tag 3",
            "0 lost: game 2: damaged",
            "0 lost: game 3: unreadable",
            "4 start-position 1",
            "4 game 1",
        ]
    );
    let mut log = Log(Vec::new(), 2);
    assert!(convert_with(&mut log).unwrap_err().is_interrupted());
}

#[test]
fn a_format_that_cannot_be_written_says_so() {
    static READ_ONLY: Format = {
        let mut format = FORMAT;
        format.create = None;
        format
    };
    let mut sink = MemorySet::new();
    let result = Converter::to_sink(&mut sink).format(&READ_ONLY).run();
    assert!(result.unwrap_err().is_about_writing());
    assert_eq!(TextId::NONE, BaseInfo::default().description);
}
