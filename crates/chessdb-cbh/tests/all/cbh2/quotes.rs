//! Every byte string that the format page quotes.

use chessdb_cbh::CBH2;
use chessdb_core::board::Side;
use chessdb_core::files::Role;
use chessdb_core::{Board, Color, Event, Game, MemorySet, Severity};
use chessdb_core::{ReadOptions, Scratch};
use chessdb_testkit::cbh2::frame;
use chessdb_testkit::cbh2::starts::plain_start;
use chessdb_testkit::cbh2::words::Encoder;
use chessdb_testkit::identity;
use hex_literal::hex;

use super::write;

/// Returns a database whose only game has these words and this content of annotations.
fn base(tag: u16, words: &[u16], notes: &[u8], full_moves: u16) -> MemorySet {
    let mut base = write(&[Game::new()]);
    let content: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    for (role, tag, content) in [("2cbg", tag, &content[..]), ("2cba", 0x2000, notes)] {
        let file = base.get_mut(Role(role)).unwrap();
        file.truncate(12);
        file.extend(frame(tag, content));
        let size = file.len() as u64;
        file[..8].copy_from_slice(&size.to_le_bytes());
    }
    let index = base.get_mut(Role("2cbh")).unwrap();
    index[192 + 0x8A..192 + 0x8C].copy_from_slice(&full_moves.to_le_bytes());
    base
}

const NO_NOTES: [u8; 4] = hex!("FFFFFF7F");

/// Returns the game of such a database, and the findings.
fn read(base: &MemorySet) -> (Game, Vec<String>) {
    let store = (CBH2.open)(base, ReadOptions::default()).unwrap();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    store.game_into(0, &mut game, &mut scratch).unwrap();
    let said = store.diagnostics().iter().chain(&scratch.diagnostics);
    let said = said.map(ToString::to_string).collect();
    (game, said)
}

/// Returns the moves of a game, with alternatives in parentheses.
fn moves(game: &Game) -> String {
    let words = game.events().filter_map(|event| match event {
        Event::Move(mv) => Some(mv.to_string()),
        Event::Open(_) => Some("(".to_owned()),
        Event::Close => Some(")".to_owned()),
        _ => None,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the words of moves in coordinates from the start; `+`, `;` and `=` as on the page.
fn encode(text: &str) -> Vec<u16> {
    let encoder = Encoder::default();
    let mut board = Board::standard();
    // The boards before moves with another alternative.
    let mut waiting = Vec::new();
    let mut before = board.clone();
    let mut words = Vec::new();
    for word in text.split_whitespace() {
        match word {
            "+" => {
                words.push(0xFFFD);
                waiting.push(before.clone());
            }
            ";" => {
                words.push(0xFFFF);
                if let Some(next) = waiting.pop() {
                    board = next;
                }
            }
            word => {
                let mv = board.read_uci(word);
                words.push(encoder.encode(&board, mv, None));
                before = board.clone();
                board.play(mv);
            }
        }
    }
    words
}

/// Reads a move in coordinates.
trait ReadUci {
    fn read_uci(&self, text: &str) -> chessdb_core::PackedMove;
}

impl ReadUci for Board {
    fn read_uci(&self, text: &str) -> chessdb_core::PackedMove {
        let mut moves = Vec::new();
        chessdb_core::rules::legal_moves(self, &mut moves);
        let mut found = moves.into_iter().filter(|mv| mv.to_string() == text);
        found.next().unwrap_or_else(|| panic!("{text}"))
    }
}

const TREE: &str = "e2e4 c7c5 + g1f3 d7d6 + d2d4 ; b8c6 f1b5 ; c7c6 + d2d4 ; g8f6 e4e5 ;";

/// The tree of section 5: the last branch comes first, and alternatives to one move are siblings.
#[test]
fn the_tree_of_the_page() {
    let mut words = vec![0xFFFC];
    words.extend(encode(TREE));
    let (game, said) = read(&base(1, &words, &NO_NOTES, 3));
    assert_eq!(said, [""; 0]);
    let expected = "e2e4 c7c5 ( c7c6 d2d4 ) ( g8f6 e4e5 ) g1f3 d7d6 ( b8c6 f1b5 ) d2d4";
    assert_eq!(moves(&game), expected);
}

/// Annotations count the moves in the order of PGN, which is neither order of storage.
#[test]
fn annotations_count_the_moves_of_pgn() {
    let mut words = vec![0xFFFC];
    words.extend(encode(TREE));
    let mut notes = Vec::new();
    for position in 0..11i32 {
        notes.extend(position.to_le_bytes());
        notes.extend(1i32.to_le_bytes());
        notes.extend([3, 0, position as u8 + 1, 0, 0]);
    }
    notes.extend(NO_NOTES);
    let (game, said) = read(&base(1, &words, &notes, 3));
    assert_eq!(said, [""; 0]);
    let nags: Vec<u16> = game
        .events()
        .filter_map(|event| match event {
            Event::Nag(nag) => Some(nag),
            _ => None,
        })
        .collect();
    assert_eq!(nags, (1..=11).collect::<Vec<u16>>());
}

/// The one start section with an en passant file in the sources: `0107 0601 0006`, Black moves,
/// 263…exf3 e.p. 264.O-O.
#[test]
fn the_start_section_of_the_page() {
    let piece = |first: u16, kind: u16, square: &str| {
        let square: chessdb_core::Square = square.parse().unwrap();
        first + 64 * kind + u16::from(square.index())
    };
    let pawn = |first: u16, file: u16, rank: u16| first + 6 * file + rank - 2;
    let (white, black) = (0xC02D, 0xC16D);
    let mut words = vec![0xFFFB, 0x0107, 0x0601, 0x0006];
    words.extend([
        piece(white, 0, "e1"),
        piece(white, 4, "h1"),
        piece(black, 0, "e8"),
        piece(black, 4, "a8"),
        pawn(0xC2AD, 5, 4),
        pawn(0xC2DD, 4, 4),
    ]);
    words.push(0xFFFC);
    // exf3 e.p. by the word of the rule, and O-O.
    let takes = chessdb_core::PackedMove::new(
        "e4".parse().unwrap(),
        "f3".parse().unwrap(),
        chessdb_core::board::MoveKind::EnPassant,
    );
    let mut board = Board::empty();
    let man = chessdb_core::board::Piece {
        color: Color::Black,
        kind: chessdb_core::PieceType::Pawn,
    };
    board.put("e4".parse().unwrap(), Some(man));
    board.set_turn(Color::Black);
    words.push(Encoder::default().encode(&board, takes, None));
    words.extend([0xB12A, 0xFFFF]);
    let (game, said) = read(&base(1, &words, &NO_NOTES, 2));
    assert_eq!(said, [""; 0]);
    let start = game.start_board();
    assert_eq!((start.fullmove_number(), start.turn()), (263, Color::Black));
    assert_eq!(start.ep_square(), "f3".parse().ok());
    assert_eq!(
        start.castling_rook(Color::White, Side::Short),
        "h1".parse().ok()
    );
    assert_eq!(start.castling_rook(Color::White, Side::Long), None);
    assert_eq!(
        start.castling_rook(Color::Black, Side::Long),
        "a8".parse().ok()
    );
    assert_eq!(moves(&game), "e4f3 e1g1");
}

/// The castling words of the Chess960 position 566 in a game that begins there.
#[test]
fn castling_in_chess960_names_its_position() {
    let words = |number: u16| vec![0xFFFB, 566, 0xFFFC, 0xFFFA, 0xB12D + 4 * number, 0xFFFF];
    let (game, said) = read(&base(2, &words(566), &NO_NOTES, 1));
    // In the start position the path is not free, so the word is read and then refused.
    assert!(
        said[0].contains("the word is a move of the other side"),
        "{said:?}"
    );
    assert_eq!(game.start_board(), plain_start(566));
    let (_, said) = read(&base(2, &words(565), &NO_NOTES, 1));
    assert!(
        said[0].contains("castling in another start position"),
        "{said:?}"
    );
}

/// A word that contradicts the position ends its line; earlier moves and other lines remain.
#[test]
fn contradictions_end_their_line() {
    let good = encode(TREE);
    for at in 0..good.len() {
        let mut words = good.clone();
        if words[at] >= 0xFFFA {
            continue;
        }
        // The king is not on a1.
        words[at] = 1;
        let words = [vec![0xFFFC], words].concat();
        let (game, said) = read(&base(1, &words, &NO_NOTES, 3));
        assert!(said[0].starts_with("lost: 2cbg file, game 1"), "{said:?}");
        let before = at.min(1);
        assert!(
            game.moves.plies() as usize >= before,
            "{at}: {}",
            moves(&game)
        );
    }
}

/// An annotation of an unknown type: what comes before is read, the rest is kept and counted.
#[test]
fn unknown_annotations_are_kept() {
    let mut words = vec![0xFFFC];
    words.extend(encode("e2e4 ;"));
    let notes = hex!("00000000 02000000 0300 010000 9900 0102 FFFFFF7F");
    let (game, said) = read(&base(1, &words, &notes, 1));
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("lost: 2cba file, game 1"), "{said:?}");
    let kept = game.events().find_map(|event| match event {
        Event::Extra(extra) => Some((extra.format, extra.field, extra.bytes.to_vec())),
        _ => None,
    });
    let rest = hex!("9900 0102 FFFFFF7F").to_vec();
    assert_eq!(kept, Some(("2cbh", 0x101, rest)));
    assert!(game.events().any(|event| event == Event::Nag(1)));
}

/// A guiding text as section 7 describes it, with its title.
#[test]
fn a_guiding_text_is_read() {
    let mut base = write(&[Game::new()]);
    let mut text = hex!("0500 1B000000 01000000 2A000000 0F000000").to_vec();
    text.extend(b"<p>Welcome!</p>");
    let at = base.get_mut(Role("2cbg")).unwrap().len() as u64;
    base.get_mut(Role("2cbg"))
        .unwrap()
        .extend(frame(0x1000, &text));
    let index = base.get_mut(Role("2cbh")).unwrap();
    let mut record = [0; 192];
    record[..4].copy_from_slice(&[3, 0, 1, 3]);
    record[8..16].copy_from_slice(&at.to_le_bytes());
    index.extend(record);
    index[16] = 3;
    let store = (CBH2.open)(&base, ReadOptions::default()).unwrap();
    assert!(
        store
            .diagnostics()
            .iter()
            .all(|said| said.severity == Severity::Note)
    );
    let texts = (CBH2.texts.unwrap())(store.base(), &ReadOptions::default());
    assert_eq!((store.len(), texts.len()), (1, 1));
    assert_eq!(texts[0].contents[0].language, "en");
    assert_eq!(texts[0].contents[0].text, "<p>Welcome!</p>");
    assert_eq!(identity::open_all(&CBH2, &base).len(), 1);
}
