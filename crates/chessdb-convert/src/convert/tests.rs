//! Tests of the conversion with a toy format: one line per game, with prefixes for the errors to
//! simulate.

use std::io::{self, BufRead, BufReader, Read};

use chessdb_core::{
    Charset, FileSet, FormatLimit, Game, GameRead, GameStore, Location, MemorySet, NameRecord,
    NameRole, NameTable, ReadOptions, Result, Role, Score, Scratch, TextId,
};

use super::*;

const TOY: Role = Role("toy");

/// A line is White's name with an optional prefix: `!` unreadable, `~` damaged, `x` deleted, `c`
/// something the target cannot store, `s` a game the target cannot store, `m` moves that it cuts,
/// `d` disk full. The first line is the description of the database.
static FORMAT: Format = Format::new(
    "toy",
    "Toy",
    |files| {
        if files.get(TOY).is_some() {
            Score::Maybe
        } else {
            Score::No
        }
    },
    |files, options| Ok(Box::new(Toy::new(files.require(TOY)?, options))),
    |_, _, _| {},
)
.with_files(&[TOY], &[TOY])
.with_losses(&[LossKind::Tag])
.with_limits(&[FormatLimit::new("games", 9, "the format")])
.with_stream(|input, options| Ok(Box::new(ToyStream::new(input, options))))
.with_create(|sink, options| Ok(Box::new(ToyWriter::new(sink, options)?)));

struct Toy {
    lines: Vec<String>,
    base: BaseInfo,
    options: ReadOptions,
}

impl Toy {
    fn new(bytes: &[u8], options: ReadOptions) -> Toy {
        let mut lines = std::str::from_utf8(bytes).unwrap().lines();
        let mut base = BaseInfo::default();
        base.description = base
            .texts
            .push(lines.next().unwrap().as_bytes(), Charset::UTF_8);
        base.open_first = Some(2);
        let lines: Vec<String> = lines.map(str::to_owned).collect();
        let names = lines.iter().map(|line| &line[1..]).chain(["nobody"]);
        let records = names.zip(0..).map(|(name, key)| {
            let text = base.texts.push(name.as_bytes(), Charset::UTF_8);
            NameRecord {
                key,
                text,
                player: None,
            }
        });
        let records = records.collect();
        base.names.push(NameTable::new(NameRole::Player, records));
        Toy {
            lines,
            base,
            options,
        }
    }
}

fn read_line(
    line: &str,
    key: u32,
    options: &ReadOptions,
    game: &mut Game,
    scratch: &mut Scratch,
) -> Result<()> {
    game.clear();
    let (sign, name) = line.split_at(1);
    game.header.white.name.text = game.add_text(name);
    game.header.white.name.key = Some(key);
    game.header.event.text = game.add_text(sign);
    match sign {
        "!" => return Err(ErrorKind::Structure("unreadable").into()),
        "~" => {
            let kind = ErrorKind::Structure("damaged");
            scratch.deviation(options, Severity::Lost, kind, Location::default())?;
        }
        "x" => game.header.flags = GameFlags::DELETED,
        _ => {}
    }
    Ok(())
}

impl GameStore for Toy {
    fn len(&self) -> u32 {
        self.lines.len() as u32
    }
    fn base(&self) -> &BaseInfo {
        &self.base
    }
    fn diagnostics(&self) -> &[Diagnostic] {
        &[]
    }
    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.game_into(n, game, scratch)
    }
    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        read_line(&self.lines[n as usize], n, &self.options, game, scratch)
    }
}

struct ToyStream<'a> {
    lines: io::Lines<BufReader<Box<dyn Read + Send + 'a>>>,
    options: ReadOptions,
}

impl<'a> ToyStream<'a> {
    fn new(input: Box<dyn Read + Send + 'a>, options: ReadOptions) -> ToyStream<'a> {
        let mut lines = BufReader::new(input).lines();
        lines.next();
        ToyStream { lines, options }
    }
}

impl GameRead for ToyStream<'_> {
    fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool> {
        match self.lines.next() {
            None => Ok(false),
            Some(line) => read_line(&line?, 0, &self.options, game, scratch).map(|()| true),
        }
    }
    fn skip_game(&mut self) -> Result<bool> {
        Ok(self.lines.next().transpose()?.is_some())
    }
}

struct ToyWriter<'a> {
    sink: &'a mut dyn FileSink,
    file: chessdb_core::FileId,
    base: Losses,
    count: u32,
}

impl<'a> ToyWriter<'a> {
    fn new(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<ToyWriter<'a>> {
        let file = sink.create(TOY)?;
        let description = options.base.texts.get(options.base.description).decode();
        let names: Vec<_> = options
            .base
            .names
            .iter()
            .map(|table| table.records.len())
            .collect();
        sink.write(file, format!("{description} {names:?}\n").as_bytes())?;
        let mut base = Losses::new();
        base.add_many(LossKind::BaseKind, options.base.kind.unwrap_or(0), None);
        Ok(ToyWriter {
            sink,
            file,
            base,
            count: 0,
        })
    }
}

impl GameWrite for ToyWriter<'_> {
    fn assess(&self, game: &Game) -> Losses {
        let mut losses = Losses::new();
        match &*game.text(game.header.event.text).decode() {
            "c" => losses.add_many(LossKind::Tag, 3, None),
            "m" => losses.add(LossKind::MovesCut, Some(7)),
            _ => {}
        }
        losses
    }
    fn write(&mut self, game: &Game) -> Result<Losses> {
        match &*game.text(game.header.event.text).decode() {
            "s" => return Err(ErrorKind::Unrepresentable(LossKind::StartPosition).into()),
            "d" => return Err(io::Error::from(io::ErrorKind::StorageFull).into()),
            _ => {}
        }
        let name = game.text(game.header.white.name.text).decode().into_owned();
        self.sink.write(self.file, format!("{name}\n").as_bytes())?;
        self.count += 1;
        Ok(self.assess(game))
    }
    fn base_losses(&self) -> &Losses {
        &self.base
    }
    fn finish(self: Box<Self>) -> Result<u32> {
        self.sink.commit()?;
        Ok(self.count)
    }
}

fn toy(games: &str) -> Toy {
    Toy::new(format!("old\n{games}").as_bytes(), ReadOptions::default())
}

/// Converts a toy database and returns the report and the output, if it was committed.
fn run(
    games: &str,
    change: impl FnOnce(Converter<'_>) -> Converter<'_>,
) -> (chessdb_files::error::Result<Report>, Option<String>) {
    let store = toy(games);
    let mut sink = MemorySet::new();
    let converter = Converter::to_sink(&mut sink).format(&FORMAT);
    let result = change(converter).add_store(&store, None).run();
    let result = result.or_else(chessdb_files::error::Error::into_report);
    let text = String::from_utf8(sink.get(TOY).unwrap().to_vec()).unwrap();
    (result, sink.is_committed().then_some(text))
}

fn select(list: &str) -> chessdb_database::Selection {
    list.parse().unwrap()
}

#[test]
fn damaged_games_are_kept_skipped_or_end_it() {
    let games = " Anand\n!Bronstein\n~Carlsen\n Deep Blue\n";
    let (report, text) = run(games, |all| all);
    let report = report.unwrap();
    assert_eq!(text.unwrap(), "old []\nAnand\nCarlsen\nDeep Blue\n");
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
    assert_eq!(text.unwrap(), "old []\nAnand\nDeep Blue\n");
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
    assert_eq!(text.unwrap(), "old []\nAnand\nBronstein\nDeep Blue\nEuwe\n");
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
    assert_eq!(text.unwrap(), "old []\nAnand\n");
}

#[test]
fn a_full_disk_ends_it() {
    let (error, text) = run(" Anand\ndBronstein\n", |all| all);
    assert!(error.unwrap_err().is_about_writing());
    assert_eq!(text, None);
}

#[test]
fn deleted_games_stay_unless_they_are_dropped() {
    let games = " Anand\nxBronstein\n";
    assert_eq!(
        run(games, |all| all).1.unwrap(),
        "old []\nAnand\nBronstein\n"
    );
    let (report, text) = run(games, |all| all.drop_deleted(true));
    assert_eq!(text.unwrap(), "old []\nAnand\n");
    let report = report.unwrap();
    assert_eq!((report.read, report.written, report.dropped), (2, 1, 1));
    assert!(!report.has_losses());
}

#[test]
fn a_stream_gives_the_same_games_as_a_store() {
    let games = " A\n!B\n~C\nxD\n E\n F\n";
    for list in ["1-", "2,4", "3-9", "7"] {
        let (from_store, stored) = run(games, |all| all.select(select(list)));
        let text = format!("old\n{games}");
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
        let lines = |text: &[u8]| String::from_utf8(text.to_vec()).unwrap();
        let visible = sink.get(TOY).filter(|_| !report.refused).map(lines);
        // A stream has no description.
        let stored = stored.map(|text| text.replacen("old", "", 1));
        assert_eq!(visible, stored);
        let mut expected = from_store.unwrap();
        expected.base_losses.clear();
        assert_eq!(report, expected);
    }
}

#[test]
fn several_bases_go_into_one_and_the_first_describes_it() {
    let mut second = toy(" B\ncC\n");
    second.base.description = second.base.texts.push(b"new", Charset::UTF_8);
    let first = toy(" A\n");
    let mut sink = MemorySet::new();
    let converter = Converter::to_sink(&mut sink).format(&FORMAT);
    let report = converter.add_store(&first, None).add_store(&second, None);
    let report = report.run().unwrap();
    assert_eq!(sink.get(TOY).unwrap(), b"old []\nA\nB\nC\n");
    assert_eq!(report.losses[0].first, [GameRef { source: 1, game: 2 }]);
    assert_eq!(report.lost(LossKind::Description), 1);
    assert_eq!(
        report.lost(LossKind::NameTable),
        2,
        "one unused name in each"
    );
}

#[test]
fn a_rewrite_gets_the_name_tables() {
    let store = toy(" A\n B\n");
    let mut sink = MemorySet::new();
    let converter = Converter::to_sink(&mut sink).format(&FORMAT).strict(true);
    let report = converter.add_store(&store, Some(&FORMAT)).run().unwrap();
    assert!(!report.refused);
    assert_eq!(sink.get(TOY).unwrap(), b"old [3]\nA\nB\n");
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
    let store = toy("cA\n~B\n!C\nsD\n");
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
            "4 game 1",
            "4 start-position 1",
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
