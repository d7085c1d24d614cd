//! Tests of the helpers on the format of chessdb-template, and on versions of it that cheat.

use chessdb_core::board::MoveKind;
use chessdb_core::files::{FileId, FileSink};
use chessdb_core::limits::Limits;
use chessdb_core::loss::LossSet;
use chessdb_core::model::{Extra, Place};
use chessdb_core::store::{Opened, RecordStore};
use chessdb_core::{Date, GameWrite, LossKind, PackedMove, Square};
use chessdb_template::{Line, MAGIC, TEMPLATE, TEMPLATE_FILE, open as open_template, parse};

use super::*;

/// A file that the format does not have.
const OTHER: Role = Role("other");

/// Like [`TEMPLATE`], but every line is stored in the game and copied when it is written.
static CHEAT: Format = {
    let mut cheat = TEMPLATE;
    cheat.open = |set, options| {
        let lines = parse(set)?;
        let lines = lines.iter().map(|line| line.bytes.to_vec()).collect();
        let store = open_template(set, options)?;
        Ok(Box::new(CheatStore { store, lines }))
    };
    cheat.create = Some(|sink, _| {
        let file = sink.create(TEMPLATE_FILE)?;
        sink.write(file, MAGIC)?;
        Ok(Box::new(CheatWriter {
            sink,
            file,
            none: Losses::new(),
        }))
    });
    cheat
};

/// Like [`TEMPLATE`], but without the caller's limits.
static GREEDY: Format = {
    let mut greedy = TEMPLATE;
    greedy.open = |set, _| Ok(Box::new(open_template(set, ReadOptions::default())?));
    greedy
};

struct CheatStore<'a> {
    store: RecordStore<Line<'a>>,
    lines: Vec<Vec<u8>>,
}

impl GameStore for CheatStore<'_> {
    fn len(&self) -> u32 {
        self.store.len()
    }

    fn opened(&self) -> &Opened {
        self.store.opened()
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.store.header_into(n, game, scratch)
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.store.game_into(n, game, scratch)?;
        game.header.extras.push(Extra {
            format: "cheat",
            field: 1,
            bytes: self.lines[n as usize].as_slice().into(),
        });
        Ok(())
    }
}

struct CheatWriter<'a> {
    sink: &'a mut dyn FileSink,
    file: FileId,
    none: Losses,
}

impl GameWrite for CheatWriter<'_> {
    fn assess(&self, _: &Game) -> Losses {
        Losses::new()
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        match game.header.extras.first() {
            Some(extra) => self.sink.write(self.file, &extra.bytes)?,
            None => {
                let (set, _) = write_all(&TEMPLATE, [game], WriteOptions::default())?;
                let line = set.get(TEMPLATE_FILE).unwrap().strip_prefix(MAGIC);
                self.sink.write(self.file, line.unwrap())?;
            }
        }
        Ok(Losses::new())
    }

    fn base_losses(&self) -> &Losses {
        &self.none
    }

    fn finish(self: Box<Self>) -> Result<u32> {
        self.sink.commit()?;
        Ok(0)
    }
}

fn tiny_game(name: &str, comment: &str) -> Game {
    let mut game = Game::new();
    game.header.white.name = game.add_text(name).into();
    let text = game.add_text(comment);
    let mut tape = game.moves.builder(&Limits::default());
    tape.comment(Place::Before, text).unwrap();
    tape.finish();
    game
}

fn base() -> MemorySet {
    let games = [tiny_game("Anna", "good"), tiny_game("Bert", "77 zoo")];
    let (set, losses) = write_all(&TEMPLATE, &games, WriteOptions::default()).unwrap();
    assert!(losses.is_empty());
    set
}

#[test]
fn rewritten_database_is_compared() {
    let base = base();
    let games = open_all(&TEMPLATE, &base);
    assert_eq!(games.len(), 2);
    assert_eq!(games[1], tiny_game("Bert", "77 zoo"));
    let same = rewrite(&TEMPLATE, &base, &Allow::Nothing).unwrap();
    assert_eq!(first_difference(&base, &same.set), None);
    assert!(same.losses.is_empty() && same.diagnostics.is_empty());

    let other = rewrite_with(&TEMPLATE, &base, &Allow::Nothing, |n, game| {
        if n == 0 {
            game.header.white.name = game.add_text("Annabell").into();
        }
    });
    let difference = first_difference(&base, &other.unwrap().set).unwrap();
    // Magic bytes, mark, tab, four letters: then a tab instead of more letters.
    assert_eq!(
        difference.to_string(),
        "template file, byte 0x11: [09, 09, 2a, 09, 3c, 67, 6f, 6f, \
        64, 0a, 2d, 09, 42, 65, 72, 74] / [62, 65, 6c, 6c, 09, 09, 2a, 09, 3c, 67, 6f, 6f, 64, \
        0a, 2d, 09]"
    );
}

#[test]
fn losses_fail_or_are_counted() {
    let base = base();
    let with_date = |_: u32, game: &mut Game| game.header.date = Date::new(1959, 9, 7);
    assert!(rewrite_with(&TEMPLATE, &base, &Allow::Nothing, with_date).is_err());
    let counted = rewrite_with(&TEMPLATE, &base, &Allow::Everything, with_date).unwrap();
    assert_eq!(counted.losses.count(LossKind::Date), 2);
}

#[test]
fn copied_bytes_are_detected() {
    let base = base();
    let ranges = |format, n| changed_letter(format, &base, &Allow::Everything, n).unwrap();
    // Line 2 begins at byte 27: ten bytes of header, the place, then "77 zoo".
    assert_eq!(ranges(&TEMPLATE, 0), Some(vec![(TEMPLATE_FILE, 22..23)]));
    assert_eq!(ranges(&TEMPLATE, 1), Some(vec![(TEMPLATE_FILE, 41..42)]));
    assert_eq!(ranges(&CHEAT, 0), Some(vec![]));
    let honest = rewrite_with(&CHEAT, &base, &Allow::Everything, |_, game| {
        drop_extras(game)
    });
    assert_eq!(first_difference(&base, &honest.unwrap().set), None);
}

#[test]
fn ranges_and_first_differences_agree() {
    let (mut a, mut b) = (MemorySet::new(), MemorySet::new());
    a.insert(TEMPLATE_FILE, *b"abcdef");
    b.insert(TEMPLATE_FILE, *b"aXXdeY+");
    assert_eq!(
        differing_ranges(&a, &b),
        [
            (TEMPLATE_FILE, 1..3),
            (TEMPLATE_FILE, 5..6),
            (TEMPLATE_FILE, 6..7)
        ]
    );
    assert_eq!(first_difference(&a, &b).unwrap().offset, Some(1));
    b.insert(TEMPLATE_FILE, *b"abc");
    assert_eq!(differing_ranges(&a, &b), [(TEMPLATE_FILE, 3..6)]);
    assert_eq!(first_difference(&a, &b).unwrap().offset, Some(3));
    b.insert(TEMPLATE_FILE, *b"abcdef");
    b.insert(OTHER, *b"");
    let missing = first_difference(&a, &b).unwrap();
    assert_eq!((missing.file, missing.offset), (OTHER, None));
}

#[test]
fn dropping_extras_keeps_everything_else() {
    let square = |name: &[u8]| Square::from_ascii(name).unwrap();
    let mv = PackedMove::new(square(b"e2"), square(b"e4"), MoveKind::Normal);
    let build = |extras: bool| {
        let mut game = tiny_game("Anna", "");
        let text = game.add_text("text");
        let mut tape = game.moves.builder(&Limits::default());
        tape.mv(mv).unwrap();
        if extras {
            tape.extra(Extra {
                format: "x",
                field: 1,
                bytes: Box::new([1]),
            })
            .unwrap();
        }
        tape.open().unwrap();
        tape.comment(Place::Before, text).unwrap();
        tape.close();
        tape.nag(300).unwrap();
        tape.finish();
        game
    };
    let mut game = build(true);
    assert_ne!(game, build(false));
    drop_extras(&mut game);
    assert_eq!(game, build(false));
}

#[test]
fn survive_reports_failures_and_checks_limits() {
    let base = base();
    let options = ReadOptions::default();
    let whole = survive(&TEMPLATE, &base, &options, 10);
    assert_eq!(
        whole,
        Survived {
            opened: true,
            games: 2,
            failed: 0,
            diagnostics: 0
        }
    );
    let mut damaged = base.clone();
    // The result of the first game.
    damaged.get_mut(TEMPLATE_FILE).unwrap()[19] = b'?';
    let lenient = survive(&TEMPLATE, &damaged, &options, 10);
    assert_eq!(
        lenient,
        Survived {
            opened: true,
            games: 2,
            failed: 0,
            diagnostics: 1
        }
    );
    let mut strict = options.clone();
    strict.mode = chessdb_core::options::Mode::Strict;
    assert_eq!(survive(&TEMPLATE, &damaged, &strict, 10).failed, 1);
    damaged.remove(TEMPLATE_FILE);
    assert!(!survive(&TEMPLATE, &damaged, &options, 10).opened);
    let mut tight = options.clone();
    tight.limits.text_bytes = 3;
    let exceeded = std::panic::catch_unwind(|| survive(&GREEDY, &base, &tight, 10));
    assert!(exceeded.is_err());
}

#[test]
fn writer_announces_its_losses() {
    let base = base();
    static SILENT: Format = TEMPLATE.with_losses(LossSet::new(&[]));
    let with_date = || {
        rewrite_with(&SILENT, &base, &Allow::Everything, |_, game| {
            game.header.date = Date::new(1959, 9, 7);
        })
    };
    assert!(std::panic::catch_unwind(with_date).is_err());
    assert!(rewrite(&SILENT, &base, &Allow::Nothing).is_ok());
}
