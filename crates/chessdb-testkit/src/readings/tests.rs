//! Versions of the format of chessdb-template with a fault in one way of reading.

use std::io::Read;

use chessdb_core::MemorySet;
use chessdb_core::search::{MainlineObserver, observe_game};
use chessdb_core::store::{Opened, RecordStore, StoreReader};
use chessdb_template::{Line, TEMPLATE, TEMPLATE_FILE, open};

use super::*;

/// The fault.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Nothing,
    HeaderDiffers,
    HeaderHasMoves,
    OldGameStays,
    StrictIsLax,
    StreamStops,
    SkipGoesTooFar,
    MainlineIsShort,
    MainlineIsForgotten,
    FindingIsLost,
}

fn format(fault: Fault) -> Format {
    macro_rules! of {
        ($($fault:ident),*) => {
            match fault {
                $(Fault::$fault => {
                    let mut format = TEMPLATE.with_stream(|input, options| {
                        Ok(Box::new(FaultyReader::new(input, options, Fault::$fault)?))
                    });
                    format.open = |set, options| {
                        Ok(Box::new(FaultyStore::new(set, options, Fault::$fault)?))
                    };
                    format
                })*
            }
        };
    }
    of!(
        Nothing,
        HeaderDiffers,
        HeaderHasMoves,
        OldGameStays,
        StrictIsLax,
        StreamStops,
        SkipGoesTooFar,
        MainlineIsShort,
        MainlineIsForgotten,
        FindingIsLost
    )
}

struct FaultyStore<'a> {
    store: RecordStore<Line<'a>>,
    fault: Fault,
}

impl<'a> FaultyStore<'a> {
    fn new(set: &'a dyn FileSet, mut options: ReadOptions, fault: Fault) -> Result<Self> {
        if fault == Fault::StrictIsLax {
            options.mode = Mode::Lenient;
        }
        let store = open(set, options)?;
        Ok(FaultyStore { store, fault })
    }
}

impl GameStore for FaultyStore<'_> {
    fn len(&self) -> u32 {
        self.store.len()
    }

    fn opened(&self) -> &Opened {
        self.store.opened()
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        if self.fault == Fault::HeaderHasMoves {
            return self.store.game_into(n, game, scratch);
        }
        self.store.header_into(n, game, scratch)?;
        if self.fault == Fault::HeaderDiffers {
            let lower = game.white().to_lowercase();
            game.header.white.name = game.add_text(&lower).into();
        }
        Ok(())
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let is_used = !game.header.white.name.text.is_none();
        let old = game.white().into_owned();
        self.store.game_into(n, game, scratch)?;
        if self.fault == Fault::OldGameStays && is_used {
            game.header.white.name = game.add_text(&old).into();
        }
        Ok(())
    }

    fn game_or_mainline(
        &self,
        n: u32,
        game: &mut Game,
        observer: &mut dyn MainlineObserver,
        scratch: &mut Scratch,
    ) -> Result<bool> {
        self.store.game_into(n, game, scratch)?;
        if self.fault == Fault::FindingIsLost {
            scratch.diagnostics.clear();
        }
        match self.fault {
            Fault::MainlineIsShort => observe_game(&Game::new(), observer),
            _ => observe_game(game, observer),
        }
        if self.fault != Fault::MainlineIsForgotten {
            game.moves.clear();
        }
        Ok(true)
    }
}

struct FaultyReader {
    reader: StoreReader<'static>,
    fault: Fault,
    remaining: usize,
}

impl FaultyReader {
    fn new(mut input: impl Read, options: ReadOptions, fault: Fault) -> Result<Self> {
        let remaining = if fault == Fault::StreamStops { 3 } else { 4 };
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        let set = MemorySet::from_iter([(TEMPLATE_FILE, bytes)]);
        // The store lasts as long as the test.
        let store = Box::leak(Box::new(open(Box::leak(Box::new(set)), options)?));
        Ok(FaultyReader {
            reader: StoreReader::new(store),
            fault,
            remaining,
        })
    }
}

impl GameRead for FaultyReader {
    fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool> {
        let is_there = self.remaining > 0;
        self.remaining = self.remaining.saturating_sub(1);
        Ok(is_there && self.reader.read_into(game, scratch)?)
    }

    fn skip_game(&mut self) -> Result<bool> {
        self.remaining = self.remaining.saturating_sub(1);
        let is_there = self.reader.skip_game()?;
        if self.fault == Fault::SkipGoesTooFar {
            self.reader.skip_game()?;
        }
        Ok(is_there)
    }
}

fn outcome(fault: Fault) -> std::result::Result<(), String> {
    let mut set = MemorySet::new();
    let games = [("-", "Anna"), ("?", "Bert"), ("-", "Carl"), ("-", "Dora")];
    let lines = games.map(|(mark, white)| format!("{mark}\t{white}\tX\t*\te2e4\n"));
    set.insert(TEMPLATE_FILE, format!("template 1\n{}", lines.concat()));
    compare(&format(fault), &set, &ReadOptions::default())
}

#[test]
fn sound_format_passes() {
    assert_eq!(outcome(Fault::Nothing), Ok(()));
    let nothing = MemorySet::new();
    assert_eq!(
        compare(&TEMPLATE, &nothing, &ReadOptions::default()),
        Ok(())
    );
}

#[test]
fn every_disagreement_is_reported() {
    for (fault, message) in [
        (Fault::HeaderDiffers, "game 1, head alone / game: White"),
        (Fault::HeaderHasMoves, "game 1: the head brings moves"),
        (Fault::OldGameStays, "game 3, new game / used game: White"),
        (
            Fault::StrictIsLax,
            "game 2: strict is content, lenient says",
        ),
        (Fault::StreamStops, "the stream ends before game 4"),
        (
            Fault::SkipGoesTooFar,
            "game 2, read / read behind a skipped game",
        ),
        (Fault::MainlineIsShort, "game 1, shown / read: [] / [e2e4]"),
        (
            Fault::MainlineIsForgotten,
            "game 1, shown / read: [e2e4] / [e2e4]",
        ),
        (Fault::FindingIsLost, "game 2, shown / read: [] / [\""),
    ] {
        let difference = outcome(fault).expect_err(message);
        assert!(difference.starts_with(message), "{difference}");
    }
}
