//! Round trips of random annotated games through tables and scripts.

use chessdb_bytecode::raw::MemorySink;
use chessdb_bytecode::{
    JOSE_SQL, JoseNumbering, Layout, Store, TextColumn, Width, Writer, decode, encode_as,
};
use chessdb_core::compare::{first_difference, moves_difference};
use chessdb_core::options::{Allow, Mode};
use chessdb_core::{
    BaseInfo, FileSet, Game, GameWrite, LossKind, Losses, MemorySet, ReadOptions, Scratch,
    WriteOptions,
};
use chessdb_testkit::strategy::{self, GameOptions};
use chessdb_testkit::{facts, identity, readings};
use proptest::prelude::*;

/// The options for games that tables can store exactly.
fn options() -> GameOptions {
    GameOptions {
        comments_before: false,
        odd_dates: false,
        ..GameOptions::all()
    }
}

fn strict() -> ReadOptions {
    let mut options = ReadOptions::default();
    options.mode = Mode::Strict;
    options
}

fn read_strictly(files: &MemorySet) -> Vec<Game> {
    identity::read_all(&*(JOSE_SQL.open)(files, strict()).unwrap())
}

/// Writes games into tables without widths.
fn tables(games: &[Game], allow: Allow) -> (MemorySink, Losses) {
    let mut sink = MemorySink::new();
    let mut options = WriteOptions::default();
    options.allow = allow;
    let mut writer = Box::new(Writer::create(Box::new(&mut sink), Width::Any, options).unwrap());
    let mut losses = Losses::new();
    for game in games {
        let assessed = writer.assess(game);
        let written = writer.write(game).unwrap();
        assert_eq!(assessed, written);
        losses.merge(&written);
    }
    writer.finish().unwrap();
    (sink, losses)
}

/// Checks the output of this crate. Nothing may be reported except illegal moves, which the writer
/// accepts if jose's reader does.
fn complaints(files: &MemorySet) -> Vec<String> {
    let mut found = Vec::new();
    chessdb_core::format::check(&JOSE_SQL, files, &ReadOptions::default(), &mut |finding| {
        found.push(format!(
            "{}: {}: {}",
            finding.severity, finding.at, finding.kind
        ));
    });
    found
}

/// Returns whether all losses are unavoidable even without widths: tags with characters that Info
/// uses itself, variations with no move to replace, moves of a third knight in a custom start
/// position, and everything that depends on those.
fn expected_losses(losses: &Losses) -> bool {
    use LossKind::{
        Clock, Comment, Eval, Fault, MoveResult, MovesCut, Nag, Shapes, Tag, UnnumberedPiece,
        Variation, VariationBeforeMove, VariationMoves,
    };
    let cut = losses.count(UnnumberedPiece) + losses.count(VariationBeforeMove) > 0;
    losses.iter().all(|loss| match loss.kind {
        Tag | UnnumberedPiece | VariationBeforeMove => true,
        MovesCut | VariationMoves | Variation | Comment | Nag | Clock | Eval | Shapes
        | MoveResult | Fault => cut,
        _ => false,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Reading and playing moves in one step gives the same result as in two.
    #[test]
    fn facts_change_nothing_that_is_read(games in prop::collection::vec(strategy::games(options()), 1..4)) {
        let options = WriteOptions::default().with_allowed(Allow::Everything);
        let (files, _) = identity::write_all(&JOSE_SQL, &games, options).unwrap();
        facts::check_reading(&JOSE_SQL, &files);
    }

    /// A game with known facts about its moves is written exactly as when it is played, including
    /// the losses.
    #[test]
    fn what_is_known_changes_no_byte(
        legal in prop::collection::vec(strategy::games(options()), 1..4),
        any in prop::collection::vec(strategy::games(GameOptions::all()), 1..4),
    ) {
        facts::check(&JOSE_SQL, &legal);
        facts::check(&JOSE_SQL, &any);
    }

    #[test]
    fn columns_come_back_equal(game in strategy::games(options()), inline in any::<bool>(), clears_tags in any::<bool>()) {
        let layout = if inline { Layout::Inline } else { Layout::Separate };
        let Ok(encoded) = encode_as(&game, layout, JoseNumbering { clears_tags }) else {
            return Ok(());
        };
        let texts = match layout {
            Layout::Inline => TextColumn::Inline,
            Layout::Separate => TextColumn::Separate(encoded.comments.as_deref()),
        };
        let columns = chessdb_bytecode::MoveColumns { bin: &encoded.bin, texts, eval: encoded.eval.as_deref() };
        let mut back = Game::new();
        back.header.start = game.header.start.clone();
        chessdb_bytecode::decode_into(&columns, &mut back, &strict(), &mut Scratch::new()).unwrap();
        prop_assert_eq!(moves_difference(&game, &back), None);
        prop_assert_eq!(back.header.outcome, game.header.outcome);
        if encoded.eval.is_none() {
            prop_assert_eq!(decode(&encoded.bin, texts, game.header.start.clone()).unwrap(), back.clone());
        }
        let again = encode_as(&back, layout, JoseNumbering { clears_tags }).unwrap();
        prop_assert_eq!(again, encoded);
    }

    #[test]
    fn tables_give_games_back(games in prop::collection::vec(strategy::games(options()), 1..5)) {
        let (sink, losses) = tables(&games, Allow::Everything);
        prop_assert!(expected_losses(&losses), "{losses:?}");
        let store = Store::open(sink.into_set(), strict()).unwrap();
        let back = identity::read_all(&store);
        prop_assert_eq!(back.len(), games.len());
        for (game, back) in games.iter().zip(&back) {
            if tables(std::slice::from_ref(game), Allow::Everything).1.is_empty() {
                prop_assert_eq!(first_difference(game, back), None);
            }
        }
    }

    /// Any game: losses are announced, the output is valid, and rewriting it loses nothing more.
    #[test]
    fn any_game_is_written_cleanly(games in prop::collection::vec(strategy::games(GameOptions::all()), 1..5)) {
        let mut everything = WriteOptions::default();
        everything.allow = Allow::Everything;
        let (files, losses) = identity::write_all(&JOSE_SQL, &games, everything).unwrap();
        let back = read_strictly(&files);
        prop_assert_eq!(back.len() + losses.count(LossKind::Game) as usize, games.len());
        if losses.is_empty() {
            for (game, back) in games.iter().zip(&back) {
                prop_assert_eq!(first_difference(game, back), None);
            }
        }
        prop_assert_eq!(complaints(&files), Vec::<String>::new());
        let rewritten = identity::rewrite(&JOSE_SQL, &files, &Allow::Nothing).unwrap();
        prop_assert_eq!(identity::first_difference(&files, &rewritten.set), None);
        readings::check(&JOSE_SQL, &files, &ReadOptions::default());
    }

    /// One loss at a time: a game without losses is read back equal; one with losses is refused if
    /// they are not allowed, and is not written.
    #[test]
    fn a_forbidden_loss_writes_nothing(game in strategy::games(GameOptions::all())) {
        let options = identity::nothing_lost(&BaseInfo::default());
        let mut files = MemorySet::new();
        let mut writer = (JOSE_SQL.create.unwrap())(&mut files, options).unwrap();
        let assessed = writer.assess(&game);
        let written = writer.write(&game);
        let count = writer.finish().unwrap();
        prop_assert_eq!(assessed.is_empty(), written.is_ok());
        prop_assert_eq!(count, u32::from(written.is_ok()));
        let back = read_strictly(&files);
        prop_assert_eq!(back.len() as u32, count);
        for back in &back {
            prop_assert_eq!(first_difference(&game, back), None);
        }
    }

    /// The two anti-cheat tests of docs/architecture.md.
    #[test]
    fn nothing_stored_is_copied(games in prop::collection::vec(strategy::games(options()), 3)) {
        let mut everything = WriteOptions::default();
        everything.allow = Allow::Everything;
        let (files, _) = identity::write_all(&JOSE_SQL, &games, everything).unwrap();
        for n in 0..games.len() as u32 {
            let Some(ranges) = identity::changed_letter(&JOSE_SQL, &files, &Allow::Nothing, n).unwrap() else {
                continue;
            };
            // The letter is two hexadecimal digits, of which one or both differ.
            let changed: usize = ranges.iter().map(|(_, range)| range.len()).sum();
            prop_assert!((1..=2).contains(&changed), "{:?}", ranges);
        }
        let bare = identity::rewrite_with(&JOSE_SQL, &files, &Allow::Nothing, |_, game| identity::drop_extras(game)).unwrap();
        let (before, after) = (read_strictly(&files), read_strictly(&bare.set));
        for (before, after) in before.iter().zip(&after) {
            prop_assert_eq!(first_difference(before, after), None);
        }
        prop_assert!(files.get(chessdb_bytecode::SQL_FILE).is_some());
    }
}
