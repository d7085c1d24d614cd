//! Round trips through PGN: what is written is read back, except for the reported losses.

use chessdb_core::board::MoveKind;
use chessdb_core::compare::first_difference;
use chessdb_core::files::Role;
use chessdb_core::model::{Field, Place, Tag};
use chessdb_core::options::Allow;
use chessdb_core::store::Prepared;
use chessdb_core::{
    Event, FileSet, Game, GameRead, LossKind, MemorySet, PackedMove, Scratch, Severity, Square,
    Start, WriteOptions,
};
use chessdb_pgn::{Layout, PGN, Reader, write_game};
use chessdb_testkit::strategy::{GameOptions, games};
use chessdb_testkit::{facts, fixtures, identity, judge};
use proptest::prelude::*;

use crate::common::{read_all, read_one};

/// Returns the game with the data that PGN always contains: the seven tags, and the tags for the
/// start position, with the position itself in canonical FEN.
fn as_pgn_has_it(game: &Game) -> Game {
    let mut game = game.clone();
    let unknown = game.add_text("?");
    let header = &mut game.header;
    for name in [
        &mut header.event,
        &mut header.site,
        &mut header.round,
        &mut header.white.name,
        &mut header.black.name,
    ] {
        if name.text.is_none() {
            name.text = unknown;
        }
    }
    let Start::Setup(setup) = &game.header.start else {
        return game;
    };
    let chess960 = setup.chess960;
    game.header
        .tags
        .retain(|tag| !matches!(tag, Tag::Verbatim(Field::Fen, _)));
    let mut add = |name: &str, value: &str| {
        let has = |tag: &Tag| match *tag {
            Tag::Other { name: found, .. } => game.text(found).as_bytes() == name.as_bytes(),
            _ => false,
        };
        if !game.header.tags.iter().any(has) {
            let (name, value) = (game.add_text(name), game.add_text(value));
            game.header.tags.push(Tag::Other { name, value });
        }
    };
    if chess960 {
        add("Variant", "Chess960");
    }
    add("SetUp", "1");
    game
}

fn written(game: &Game, width: u32) -> (String, chessdb_core::Losses) {
    let mut out = Vec::new();
    let losses = write_game(game, &Layout::with_width(width), &mut out);
    (
        String::from_utf8(out).expect("PGN is written in UTF-8"),
        losses,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Known move facts do not change the output or the losses compared with playing the moves.
    #[test]
    fn what_is_known_changes_no_byte(game in games(GameOptions::all()), width in 0u32..90) {
        let write = |game: &Game| {
            let mut text = Vec::new();
            let losses = write_game(game, &Layout::with_width(width), &mut text);
            (String::from_utf8(text).unwrap(), format!("{losses:?}"))
        };
        prop_assert_eq!(write(&game), write(&facts::told(&game)));
    }

    #[test]
    fn any_game_comes_back_except_for_announced_losses(
        // An impossible month or day is read back as text.
        game in games(GameOptions { odd_dates: false, ..GameOptions::all() }),
        width in prop::sample::select(vec![80, 0, 20, 1]),
    ) {
        let (text, losses) = written(&game, width);
        let (once, findings) = read_one(text.as_bytes());
        prop_assert!(findings.iter().all(|f| f.severity != Severity::Lost), "{findings:?}\n{text}");
        if losses.is_empty() {
            let difference = first_difference(&as_pgn_has_it(&game), &once);
            prop_assert_eq!(difference.map(|d| d.to_string()), None, "{}", text);
        }
        // A game that was read from PGN has nothing more to lose.
        let (text, losses) = written(&once, width);
        prop_assert!(losses.is_empty(), "{losses:?}\n{text}");
        let (twice, _) = read_one(text.as_bytes());
        let difference = first_difference(&once, &twice);
        prop_assert_eq!(difference.map(|d| d.to_string()), None, "{}", text);
        prop_assert_eq!(once.header.tags.len(), twice.header.tags.len());
    }

    #[test]
    fn games_that_pgn_can_hold_lose_nothing(
        game in prop_oneof![games(lossless()), games(odd_blanks())],
    ) {
        let (text, losses) = written(&game, 80);
        prop_assert!(losses.is_empty(), "{losses:?}\n{text}");
        let (back, _) = read_one(text.as_bytes());
        let difference = first_difference(&as_pgn_has_it(&game), &back);
        prop_assert_eq!(difference.map(|d| d.to_string()), None, "{}", text);
    }

    #[test]
    fn lines_keep_to_their_width(game in games(odd_blanks())) {
        let (text, _) = written(&game, 80);
        let moves = text.split_once("\n\n").unwrap().1;
        for line in moves.lines().filter(|line| line.chars().count() > 80) {
            // Only where a break is not allowed: in runs of blanks, and before `%`.
            let allowed = ["  ", " %"];
            prop_assert!(allowed.iter().any(|text| line.contains(text)), "{line}");
        }
    }
}

/// Returns options for everything except what the first test of this file allows to be lost.
fn lossless() -> GameOptions {
    GameOptions {
        comments_before: false,
        newlines: false,
        braces: false,
        odd_events: false,
        legacy_texts: false,
        blanks: false,
        empty_comments: false,
        // An impossible month or day is read back as text.
        odd_dates: false,
        ..GameOptions::all()
    }
}

/// Returns options with blanks at the ends of comments and empty comments. These are kept too,
/// except after a command.
fn odd_blanks() -> GameOptions {
    GameOptions {
        blanks: true,
        empty_comments: true,
        commands: false,
        ..lossless()
    }
}

#[test]
fn fixtures_come_back() {
    let mut lossy = Vec::new();
    for folder in ["pgn/clean", "pgn/edge"] {
        for path in fixtures::files(&fixtures::path(folder)) {
            let name = path.file_stem().unwrap().to_str().unwrap();
            for (n, game) in read_all(&fixtures::read(&path)).0.iter().enumerate() {
                let (text, losses) = written(game, 80);
                let odd_fen = game.header.start != Start::Standard
                    && game.header.verbatim(Field::Fen).is_some();
                let changed_fens = losses.count(LossKind::TagText);
                let chess960 = name.starts_with("chess960");
                let expected = u32::from(odd_fen && !chess960);
                assert_eq!(changed_fens, expected, "{name} game {}", n + 1);
                let (back, _) = read_one(text.as_bytes());
                let difference = first_difference(&as_pgn_has_it(game), &back);
                if losses.iter().count() as u32 == changed_fens {
                    assert_eq!(difference, None, "{name} game {}", n + 1);
                } else {
                    lossy.push(format!("{name} {}: {losses:?}", n + 1));
                }
            }
        }
    }
    // A closing brace after `;` is the only thing in that file that cannot be written again.
    assert_eq!(lossy.len(), 1, "{lossy:?}");
    assert!(lossy[0].starts_with("comments 18: ") && lossy[0].contains("CommentText"));
}

#[test]
fn tags_keep_their_order_and_their_text() {
    let text = "[Event \"?\"]\n[Site \"\"]\n[Date \"1985/11\"]\n[Round \"1\"]\n[White \"A\"]\n\
        [Black \"B\"]\n[Result \"1-0\"]\n[Zebra \"z\"]\n[ECO \"b50\"]\n[BlackElo \"?\"]\n\
        [Annotator \"\"]\n[WhiteElo \"02500\"]\n[WhiteRapid \"2400\"]\n[EventDate \"?\"]\n\
        [WhiteFideId \"0\"]\n[BlackFideId \"4100018\"]\n[ScidFlags \"DW\"]\n[SetUp \"1\"]\n\
        [WhiteTitle \"GM\"]\n[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"]\n[Ape \"a\"]\n[ape \"b\"]\n\
        \n1. Kd1 1-0\n\n";
    let (game, findings) = read_one(text.as_bytes());
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(
        game.header.white.rating.map(|rating| rating.value),
        Some(2500)
    );
    assert_eq!(game.header.date.to_string(), "1985.11.??");
    assert_eq!(
        game.header.eco.map(|eco| eco.to_string()).as_deref(),
        Some("B50")
    );
    assert_eq!(written(&game, 80), (text.to_owned(), Default::default()));
}

#[test]
fn a_start_that_is_understood_is_written_in_canonical_fen() {
    let pgn = |fen: &str| {
        let text = format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n[Ape \"a\"]\n\n*\n");
        let game = read_one(text.as_bytes()).0;
        let mut options = WriteOptions::default();
        options.allow = Allow::Everything;
        let (_, losses) = identity::write_all(&PGN, [&game], options).unwrap();
        let (text, counted) = written(&game, 80);
        assert_eq!(losses, counted);
        let tags = text.split_once("\n[SetUp \"1\"]\n").unwrap().1;
        let tags = tags.split_once("\n\n").unwrap().0.to_owned();
        (tags, losses.iter().map(|l| (l.kind, l.count)).collect())
    };
    let changed = vec![(LossKind::TagText, 1)];
    for (fen, canonical, losses) in [
        (
            " 4k3/8/8/8/8/8/8/4K3 w  - -",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
            &changed[..],
        ),
        (
            "r3k2r/8/8/8/8/8/8/R3K2R b HAha -",
            "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
            &changed,
        ),
        // Castling rights by the files of the rooks mean the same.
        (
            "r3k2r/8/8/8/8/8/8/R3K2R b HAha - 3 9",
            "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9",
            &[],
        ),
        (
            "1rr1k1r1/8/8/8/8/8/8/1RR1K1R1 w GCgb - 0 1",
            "1rr1k1r1/8/8/8/8/8/8/1RR1K1R1 w KCkq - 0 1",
            &[],
        ),
    ] {
        let variant = if canonical.contains("KCkq") { "[Variant \"Chess960\"]\n" } else { "" };
        let tags = format!("{variant}[FEN \"{canonical}\"]\n[Ape \"a\"]");
        assert_eq!(pgn(fen), (tags.clone(), losses.to_vec()));
        assert_eq!(pgn(canonical), (tags, vec![]));
    }
    let unknown = "4k3/8/8/4K3 w - - 0 1";
    let tags = format!("[FEN \"{unknown}\"]\n[Ape \"a\"]");
    assert_eq!(pgn(unknown), (tags, vec![]), "nobody knows what it means");
}

#[test]
fn moves_and_annotations_in_export_format() {
    let source = "1. e4 $1 {good} (1. d4 {or} 1... d5 (1... Nf6 $10)) (1. c4) 1... e5 2. -- {[%clk \
        0:01:00]} 2... -- 3. Nf3 {a} {b} *";
    let mut game = read_one(format!("{source}\n").as_bytes()).0;
    let (text, losses) = written(&game, 80);
    assert!(losses.is_empty());
    let moves = text.split_once("\n\n").unwrap().1;
    let expected = "1. e4 $1 {good} (1. d4 {or} 1... d5 (1... Nf6 $10)) (1. c4) 1... e5 2. -- {[%clk\n\
        0:01:00]} 2... -- 3. Nf3 {a} {b} *\n\n";
    assert_eq!(moves, expected);
    assert!(text.starts_with(
        "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n\
         [Black \"?\"]\n[Result \"*\"]\n\n"
    ));
    game.clear();
    let moves = written(&game, 80).0;
    assert!(moves.ends_with("[Result \"*\"]\n\n*\n\n"));
}

/// Returns a game with manually added moves.
fn game_with(fill: impl FnOnce(&mut Game)) -> Game {
    let mut game = Game::new();
    fill(&mut game);
    game
}

fn square(name: &str) -> Square {
    Square::from_ascii(name.as_bytes()).unwrap()
}

#[test]
fn a_ghost_en_passant_ends_its_line() {
    let game = game_with(|game| {
        let Game { moves, .. } = game;
        let mut tape = moves.builder(&Default::default());
        let normal = |from, to| PackedMove::normal(square(from), square(to));
        for mv in [
            normal("e2", "e4"),
            normal("a7", "a6"),
            normal("e4", "e5"),
            normal("d7", "d5"),
        ] {
            tape.mv(mv).unwrap();
        }
        tape.mv(normal("h2", "h3")).unwrap();
        tape.mv(normal("a6", "a5")).unwrap();
        let ghost = PackedMove::new(square("e5"), square("d6"), MoveKind::GhostEnPassant);
        tape.mv(ghost).unwrap();
        tape.nag(1).unwrap();
        tape.mv(normal("a5", "a4")).unwrap();
        tape.finish();
    });
    let (text, losses) = written(&game, 80);
    assert!(
        text.ends_with("3. h3 a5 {illegal en passant: exd6} *\n\n"),
        "{text}"
    );
    let kinds: Vec<_> = losses
        .iter()
        .map(|loss| (loss.kind, loss.count, loss.ply))
        .collect();
    assert_eq!(
        kinds,
        [
            (LossKind::GhostEnPassant, 1, Some(6)),
            (LossKind::Nag, 1, Some(6)),
            (LossKind::MovesCut, 1, Some(6))
        ]
    );
}

#[test]
fn an_illegal_move_ends_only_its_line() {
    let game = game_with(|game| {
        let mut tape = game.moves.builder(&Default::default());
        let normal = |from, to| PackedMove::normal(square(from), square(to));
        tape.mv(normal("e2", "e4")).unwrap();
        tape.open().unwrap();
        tape.mv(normal("a1", "a5")).unwrap();
        tape.open().unwrap();
        tape.mv(normal("d2", "d4")).unwrap();
        tape.close();
        tape.close();
        tape.mv(normal("e7", "e5")).unwrap();
        tape.finish();
    });
    let (text, losses) = written(&game, 80);
    assert!(
        text.ends_with("1. e4 ({illegal move: Ra5}) 1... e5 *\n\n"),
        "{text}"
    );
    assert_eq!(losses.count(LossKind::IllegalMove), 1);
    assert_eq!(losses.count(LossKind::Variation), 1);
}

#[test]
fn comments_that_pgn_cannot_hold_are_counted() {
    for (comment, shown, lossless) in [
        ("a } b", "{a ) b}", false),
        ("a\nb", "{a\nb}", false),
        ("a\r\nb", "{a\nb}", false),
        ("a\n\nb", "{a\n\nb}", true),
        (" a  b ", "{ a  b }", true),
        ("", "{}", true),
        (" [%clk 0:01:00]", "{ [%clk 0:01:00]}", false),
        ("a\n\n[Event \"x\"]", "{a\n [Event \"x\"]}", false),
    ] {
        let game = game_with(|game| {
            let id = game.add_text(comment);
            let mut tape = game.moves.builder(&Default::default());
            tape.comment(Place::Before, id).unwrap();
            tape.finish();
        });
        let (text, losses) = written(&game, 80);
        let space = if shown.ends_with('}') { " " } else { "" };
        assert!(
            text.ends_with(&format!("\n\n{shown}{space}*\n\n")),
            "{text}"
        );
        assert_eq!(losses.is_empty(), lossless, "{comment:?}");
        // A break before `[Event` is layout; all other cases without a break are characters.
        let is_layout = comment.contains(['\n', '\r']);
        let kinds = [LossKind::CommentText, LossKind::CommentLayout];
        let counts = kinds.map(|kind| losses.count(kind));
        let lost = u32::from(!lossless);
        assert_eq!(counts, if is_layout { [0, lost] } else { [lost, 0] });
        let back = read_one(text.as_bytes()).0;
        let difference = first_difference(&as_pgn_has_it(&game), &back);
        assert_eq!(difference.is_none(), lossless, "{difference:?}");
        let comments = back
            .events()
            .filter(|event| matches!(event, Event::Comment(..)))
            .count();
        assert_eq!(
            comments,
            usize::from(!comment.contains("[%clk")),
            "{comment:?}"
        );
    }
}

#[test]
fn a_writer_refuses_what_it_may_not_lose() {
    let game = game_with(|game| {
        let id = game.add_text("}\n");
        let mut tape = game.moves.builder(&Default::default());
        tape.comment(Place::Before, id).unwrap();
        tape.finish();
    });
    let fine = game_with(|_| {});
    let mut set = MemorySet::new();
    let mut writer = (PGN.create.unwrap())(&mut set, WriteOptions::default()).unwrap();
    writer.write(&fine).unwrap();
    let error = writer.write(&game).unwrap_err();
    assert_eq!(error.kind().code(), "unrepresentable");
    writer.write(&fine).unwrap();
    // A game that another thread has encoded.
    let mut prepared = Prepared::default();
    writer.preparer().unwrap().prepare(&fine, &mut prepared);
    writer.write_prepared(&fine, &mut prepared).unwrap();
    writer.write(&game).unwrap_err();
    writer.write(&fine).unwrap();
    assert_eq!(writer.finish().unwrap(), 4);
    assert!(set.is_committed());
    let mut text = Vec::new();
    write_game(&fine, &Layout::default(), &mut text);
    assert_eq!(set.get(Role("pgn")).unwrap(), text.repeat(4));
    let games = [fine.clone(), game, fine];
    let written = identity::write_all(&PGN, &games, WriteOptions::default()).is_err();
    assert!(written);
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    identity::write_all(&PGN, &games, options).unwrap();
}

#[test]
fn a_rewrite_is_written_from_the_model_and_stable() {
    for path in fixtures::files(&fixtures::path("pgn/clean")) {
        let mut set = MemorySet::new();
        set.insert(Role("pgn"), fixtures::read(&path));
        let once = identity::rewrite(&PGN, &set, &Allow::Nothing).unwrap();
        let twice = identity::rewrite(&PGN, &once.set, &Allow::Nothing).unwrap();
        let difference = identity::first_difference(&once.set, &twice.set);
        assert!(difference.is_none(), "{}", path.display());
    }
}

#[test]
fn the_stream_stays_usable_after_an_error() {
    let text = "1.e4 Ke3 *\n\n1.d4 *\n\n1.c4 ) *\n\n1.b4 *\n";
    let mut options = chessdb_core::ReadOptions::default();
    options.mode = chessdb_core::options::Mode::Strict;
    let mut reader = Reader::new(text.as_bytes(), options);
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let mut next = || match reader.read_into(&mut game, &mut scratch) {
        Ok(true) => "game",
        Ok(false) => "end",
        Err(_) => "error",
    };
    assert_eq!(
        [next(), next(), next(), next(), next()],
        ["error", "game", "error", "game", "end"]
    );
}

/// Damaged databases contain tags with arbitrary bytes in their names.
#[test]
fn a_tag_that_pgn_cannot_name_so_is_counted() {
    for (name, value, lost) in [
        ("K1/8/8 w - -", "1P6 b", 1),
        ("\0", "a\u{1}b", 2),
        ("Remark", "two\nlines", 1),
        ("Remark", "plain", 0),
    ] {
        let mut game = Game::new();
        let (name, value) = (game.add_text(name), game.add_text(value));
        game.header.tags.push(Tag::Other { name, value });
        let mut everything = WriteOptions::default();
        everything.allow = Allow::Everything;
        let (set, losses) = identity::write_all(&PGN, [&game], everything).unwrap();
        let [back] = &identity::open_all(&PGN, &set)[..] else {
            panic!("one game");
        };
        let found = losses.count(LossKind::TagText) + losses.count(LossKind::TextLayout);
        assert_eq!(found, lost, "{losses:?}");
        let problems = judge::games(&as_pgn_has_it(&game), back, &losses);
        assert!(problems.is_empty(), "{problems:?}");
    }
}

/// Line breaks in tags become spaces, which is another loss than a character that PGN lacks.
#[test]
fn line_breaks_of_tags_are_a_loss_of_their_own() {
    for (name, kinds) in [
        ("Tal, Mihail", [0, 0]),
        ("Tal,\nMihail", [0, 1]),
        ("Tal,\tMihail", [0, 1]),
        ("Tal,\u{1}Mihail", [1, 0]),
        ("Tal,\u{0}\nMihail", [1, 1]),
        ("Žižka,\nJan", [0, 1]),
    ] {
        let game = game_with(|game| {
            game.header.white.name = game.add_text(name).into();
        });
        let (_, losses) = written(&game, 80);
        let found = [LossKind::NameText, LossKind::TextLayout].map(|kind| losses.count(kind));
        assert_eq!(found, kinds, "{name:?}");
        assert_eq!(losses.iter().count() as u32, kinds[0] + kinds[1]);
    }
}
