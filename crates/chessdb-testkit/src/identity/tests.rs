//! Tests of the helpers on two tiny formats: an honest one, and one that cheats.

use chessdb_core::{
    Charset, ErrorKind, FileSink, Finding, GameWrite, Limits, Location, LossKind, LossSet,
    MoveKind, PackedMove, Place, Score, Severity, Square,
};

use chessdb_core::{Extra, TextId};

use super::*;

const INDEX: Role = Role("idx");
const GAMES: Role = Role("dat");

/// A format in which a game is the name of White and one comment, each after a length byte; the
/// index has a byte with the length of each record.
static HONEST: Format = Format::new(
    "honest",
    "Honest",
    |set| {
        if set.get(INDEX).is_some() {
            Score::Likely
        } else {
            Score::No
        }
    },
    |set, options| open_tiny(set, options, false),
    |set, _, found| {
        if set.get(GAMES).is_none() {
            let kind = ErrorKind::MissingFile(GAMES);
            found(Finding::new(Severity::Lost, kind, Location::default()));
        }
    },
)
.with_files(&[INDEX, GAMES], &[INDEX, GAMES])
.with_losses(LossSet::of(&[LossKind::Nag]))
.with_create(|sink, options| Ok(Box::new(Writer::new(sink, options, false)?)));

/// Like [`HONEST`], but every record is stored in the game and copied when it is written.
static CHEAT: Format = {
    let mut cheat = HONEST;
    cheat.id = "cheat";
    cheat.open = |set, options| open_tiny(set, options, true);
    cheat.create = Some(|sink, options| Ok(Box::new(Writer::new(sink, options, true)?)));
    cheat
};

struct Store<'a> {
    records: Vec<&'a [u8]>,
    base: BaseInfo,
    options: ReadOptions,
    cheats: bool,
}

fn open_tiny<'a>(
    set: &'a dyn FileSet,
    options: ReadOptions,
    cheats: bool,
) -> Result<Box<dyn GameStore + 'a>> {
    let mut rest = set.require(GAMES)?;
    let mut records = Vec::new();
    for &length in set.require(INDEX)? {
        let (record, after) = rest
            .split_at_checked(length.into())
            .ok_or(ErrorKind::Structure("short"))?;
        records.push(record);
        rest = after;
    }
    Ok(Box::new(Store {
        records,
        base: BaseInfo::default(),
        options,
        cheats,
    }))
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        self.records.len() as u32
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
        game.clear();
        let record = self.records[n as usize];
        let mut texts = [TextId::NONE; 2];
        let mut rest = record;
        for text in &mut texts {
            let found = rest
                .split_first()
                .and_then(|(&length, rest)| rest.split_at_checked(length.into()));
            let Some((bytes, after)) = found else {
                return scratch.deviation(
                    &self.options,
                    Severity::Lost,
                    ErrorKind::Structure("short"),
                    Location::game(n + 1),
                );
            };
            *text = game.texts.push(bytes, Charset::UTF_8);
            rest = after;
        }
        game.header.white.name = texts[0].into();
        if self.cheats {
            game.header.extras.push(Extra {
                format: "cheat",
                field: 1,
                bytes: record.into(),
            });
        }
        let mut tape = game.moves.builder(&self.options.limits);
        let pushed = tape.comment(Place::Before, texts[1]);
        pushed.map_err(|over| ErrorKind::Structure(over.what()).into())
    }
}

struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    index: chessdb_core::FileId,
    games: chessdb_core::FileId,
    allow: Allow,
    none: Losses,
    count: u32,
    cheats: bool,
}

impl<'a> Writer<'a> {
    fn new(sink: &'a mut dyn FileSink, options: WriteOptions, cheats: bool) -> Result<Self> {
        let games = sink.create(GAMES)?;
        let index = sink.create(INDEX)?;
        let (allow, none) = (options.allow, Losses::new());
        Ok(Writer {
            sink,
            index,
            games,
            allow,
            none,
            count: 0,
            cheats,
        })
    }
}

impl GameWrite for Writer<'_> {
    fn assess(&self, game: &Game) -> Losses {
        let mut losses = Losses::new();
        for event in game.events().filter(|event| matches!(event, Event::Nag(_))) {
            let _ = event;
            losses.add(LossKind::Nag, None);
        }
        losses
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let losses = self.assess(game);
        self.allow.check(&losses)?;
        let mut record = Vec::new();
        let comment = game.events().find_map(|event| match event {
            Event::Comment(_, text) => Some(text.as_bytes()),
            _ => None,
        });
        let name = game.text(game.header.white.name.text).as_bytes();
        for text in [name, comment.unwrap_or_default()] {
            record.push(text.len() as u8);
            record.extend_from_slice(text);
        }
        if let Some(extra) = game.header.extras.first().filter(|_| self.cheats) {
            record = extra.bytes.to_vec();
        }
        self.sink.write(self.games, &record)?;
        self.sink.write(self.index, &[record.len() as u8])?;
        self.count += 1;
        Ok(losses)
    }

    fn base_losses(&self) -> &Losses {
        &self.none
    }

    fn finish(self: Box<Self>) -> Result<u32> {
        self.sink.commit()?;
        Ok(self.count)
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
    let (set, losses) = write_all(&HONEST, &games, WriteOptions::default()).unwrap();
    assert!(losses.is_empty());
    set
}

#[test]
fn a_base_is_rewritten_and_compared() {
    let base = base();
    let games = open_all(&HONEST, &base);
    assert_eq!(games.len(), 2);
    assert_eq!(games[1], tiny_game("Bert", "77 zoo"));
    let same = rewrite(&HONEST, &base, &Allow::Nothing).unwrap();
    assert_eq!(first_difference(&base, &same.set), None);
    assert!(same.losses.is_empty() && same.diagnostics.is_empty());

    let other = rewrite_with(&HONEST, &base, &Allow::Nothing, |n, game| {
        if n == 0 {
            game.header.white.name = game.add_text("Annabell").into();
        }
    });
    let difference = first_difference(&base, &other.unwrap().set).unwrap();
    assert_eq!(
        difference.to_string(),
        "dat file, byte 0x0: [04, 41, 6e, 6e, 61, 04, 67, 6f, 6f, \
        64, 04, 42, 65, 72, 74, 06] / [08, 41, 6e, 6e, 61, 62, 65, 6c, 6c, 04, 67, 6f, 6f, 64, \
        04, 42]"
    );
}

#[test]
fn losses_stop_or_are_counted() {
    let base = base();
    let with_nag = |_: u32, game: &mut Game| {
        let mut tape = game.moves.builder(&Limits::default());
        tape.nag(1).unwrap();
        tape.finish();
    };
    assert!(rewrite_with(&HONEST, &base, &Allow::Nothing, with_nag).is_err());
    let counted = rewrite_with(&HONEST, &base, &Allow::Everything, with_nag).unwrap();
    assert_eq!(counted.losses.count(LossKind::Nag), 2);
}

#[test]
fn carried_bytes_are_found_out() {
    let base = base();
    let ranges = |format, n| changed_letter(format, &base, &Allow::Everything, n).unwrap();
    // Record 2 begins at byte 10: length, four letters, length, then "77 zoo".
    assert_eq!(ranges(&HONEST, 0), Some(vec![(GAMES, 6..7)]));
    assert_eq!(ranges(&HONEST, 1), Some(vec![(GAMES, 19..20)]));
    assert_eq!(ranges(&CHEAT, 0), Some(vec![]));
    let honest = rewrite_with(&CHEAT, &base, &Allow::Everything, |_, game| {
        drop_extras(game)
    });
    assert_eq!(first_difference(&base, &honest.unwrap().set), None);
}

#[test]
fn ranges_and_first_differences_agree() {
    let (mut a, mut b) = (MemorySet::new(), MemorySet::new());
    a.insert(GAMES, *b"abcdef");
    b.insert(GAMES, *b"aXXdeY+");
    assert_eq!(
        differing_ranges(&a, &b),
        [(GAMES, 1..3), (GAMES, 5..6), (GAMES, 6..7)]
    );
    assert_eq!(first_difference(&a, &b).unwrap().offset, Some(1));
    b.insert(GAMES, *b"abc");
    assert_eq!(differing_ranges(&a, &b), [(GAMES, 3..6)]);
    assert_eq!(first_difference(&a, &b).unwrap().offset, Some(3));
    b.insert(GAMES, *b"abcdef");
    b.insert(INDEX, *b"");
    let missing = first_difference(&a, &b).unwrap();
    assert_eq!((missing.file, missing.offset), (INDEX, None));
}

#[test]
fn dropping_extras_leaves_the_rest() {
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
fn damaged_bases_are_survived_or_not() {
    let base = base();
    let options = ReadOptions::default();
    let whole = survive(&HONEST, &base, &options, 10);
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
    damaged.get_mut(GAMES).unwrap()[0] = 200;
    let lenient = survive(&HONEST, &damaged, &options, 10);
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
    strict.mode = chessdb_core::Mode::Strict;
    assert_eq!(survive(&HONEST, &damaged, &strict, 10).failed, 1);
    damaged.remove(GAMES);
    assert!(!survive(&HONEST, &damaged, &options, 10).opened);
    let mut tight = options.clone();
    tight.limits.text_bytes = 3;
    let exceeded = std::panic::catch_unwind(|| survive(&HONEST, &base, &tight, 10));
    assert!(exceeded.is_err());
}

#[test]
fn a_writer_announces_its_losses() {
    let base = base();
    static SILENT: Format = HONEST.with_losses(LossSet::of(&[]));
    let with_nag = || {
        rewrite_with(&SILENT, &base, &Allow::Everything, |_, game| {
            let mut tape = game.moves.builder(&Limits::default());
            tape.nag(1).unwrap();
            tape.finish();
        })
    };
    assert!(std::panic::catch_unwind(with_nag).is_err());
    assert!(rewrite(&SILENT, &base, &Allow::Nothing).is_ok());
}
