//! The worked examples of docs/formats/scid.md, section 11: bytes as Scid 4.7.4 wrote them.

use chessdb_core::model::{Eco, Field, Rating, RatingKind, Tag};
use chessdb_core::{BaseInfo, Date, FileSet, Game, MemorySet, Outcome, Setup, Start};
use chessdb_scid::raw::{DateCode, Entry, FileHeader, NameFile, Record, TagName};
use chessdb_scid::{SG4_FILE, SI4, SI4_FILE, SN4_FILE};
use chessdb_testkit::identity;
use hex_literal::hex;

/// The game record and index entry of section 11.1.
const RECORD: [u8; 50] = hex!(
    "F3 03 5A6564 00 00 0C CFCF 6722 0D610B010C BF0E 5A52 0A0B06 B1BFC2 4B5B 6561 6790 360A 0F"
    "537461727400 506574726F666600"
);
const ENTRY: [u8; 47] = hex!(
    "00000000 0032 00 0000 00 0000 0001 00 0000 0000 0000 1221 7CDD 85CFA264 07D0 0000 CA 297657"
    "12 05 B34C600000000000"
);
const NAMES: [u8; 88] = hex!(
    "536369642E736E00 00000000 000002 000001 000001 000001 000001 000001 000001 000001"
    "0000 01 09 41626C652C20416E6E 0001 01 09 06 426F62"
    "0000 01 0A 436C7562204D61746368 0000 01 08 4F736C6F204E4F52 0000 01 01 32"
);

fn example() -> MemorySet {
    let mut file_header = FileHeader::new();
    file_header.games = 1;
    let mut files = MemorySet::new();
    files.insert(SI4_FILE, [&file_header.to_bytes()[..], &ENTRY].concat());
    files.insert(SG4_FILE, RECORD);
    files.insert(SN4_FILE, NAMES);
    files
}

/// Returns the same game as a person would enter it.
fn game() -> Game {
    let mut game = Game::new();
    let mut text = |text: &str| {
        game.texts
            .push(text.as_bytes(), chessdb_core::Charset::UTF_8)
    };
    let (white, black) = (text("Able, Ann"), text("Able, Bob"));
    let (event, site, round) = (text("Club Match"), text("Oslo NOR"), text("2"));
    let (annotator, start, petroff) = (text("Zed"), text("Start"), text("Petroff"));
    let header = &mut game.header;
    header.white.name = white.into();
    header.black.name = black.into();
    header.event = event.into();
    header.site = site.into();
    header.round = round.into();
    header.annotator = annotator.into();
    header.tags.push(Tag::Place(Field::Annotator));
    header.white.rating = Some(Rating {
        value: 2000,
        kind: RatingKind::Elo,
    });
    header.date = Date::new(2001, 3, 4);
    header.event_date = Date::new(2001, 2, 28);
    header.outcome = Outcome::WhiteWins;
    header.eco = Eco::from_ascii(b"C44");
    let mut tape = game.moves.builder(&chessdb_core::limits::Limits::default());
    let mut add = |what: &str| match what {
        "(" => tape.open().unwrap(),
        ")" => assert!(tape.close()),
        "{Start}" => tape
            .comment(chessdb_core::model::Place::Before, start)
            .unwrap(),
        "{Petroff}" => tape
            .comment(chessdb_core::model::Place::After, petroff)
            .unwrap(),
        nag if nag.starts_with('$') => tape.nag(nag[1..].parse().unwrap()).unwrap(),
        "O-O" => tape.mv(mv("e1g1", true)).unwrap(),
        "o-o" => tape.mv(mv("e8g8", true)).unwrap(),
        uci => tape.mv(mv(uci, false)).unwrap(),
    };
    let moves = "{Start} e2e4 e7e5 g1f3 b8c6 ( g8f6 $1 {Petroff} d2d4 ) f1c4 f8c5 O-O $6 d7d6 d2d4 \
                 e5d4 d1d4 c5d4 f3d4 g8f6 d4c6 b7c6 c1g5 o-o";
    moves.split(' ').for_each(&mut add);
    tape.finish();
    game
}

fn mv(uci: &str, castles: bool) -> chessdb_core::PackedMove {
    use chessdb_core::board::MoveKind;
    use chessdb_core::{PackedMove, Square};
    let (from, to) = uci.as_bytes().split_at(2);
    let kind = if castles { MoveKind::CastleShort } else { MoveKind::Normal };
    PackedMove::new(
        Square::from_ascii(from).unwrap(),
        Square::from_ascii(to).unwrap(),
        kind,
    )
}

#[test]
fn one_game_is_written_as_scid_writes_it() {
    let options = identity::nothing_lost(&BaseInfo::default());
    let (files, _) = identity::write_all(&SI4, [&game()], options).unwrap();
    assert_eq!(identity::first_difference(&files, &example()), None);
}

#[test]
fn one_game_is_read_as_it_was_meant() {
    let games = identity::open_all(&SI4, &example());
    assert_eq!(games.len(), 1);
    assert_eq!(
        chessdb_core::compare::first_difference(&games[0], &game()),
        None
    );
}

/// Checks the fields of the entry as section 11.1 explains them.
#[test]
fn the_entry_says_what_the_page_says() {
    let entry = Entry::parse(&ENTRY);
    assert_eq!((entry.offset, entry.length, entry.flags.bits()), (0, 50, 0));
    assert_eq!(
        (
            entry.white,
            entry.black,
            entry.event,
            entry.site,
            entry.round
        ),
        (0, 1, 0, 0, 0)
    );
    assert_eq!(
        (
            entry.result,
            entry.nags.0,
            entry.comments.0,
            entry.variations.0
        ),
        (1, 2, 2, 1)
    );
    assert_eq!(entry.eco.0, 31965);
    assert_eq!(entry.date, DateCode(0xFA264));
    assert_eq!(entry.event_date, 0x85C);
    assert_eq!((entry.line_code, entry.final_material), (202, 0x297657));
    assert_eq!((entry.plies, entry.home_pawn_count), (18, 5));
    let (names, fault) = NameFile::parse(&NAMES).unwrap();
    assert!(fault.is_none());
    let second = names.lists[0].records()[1];
    assert_eq!(
        (second.prefix, names.lists[0].name(&second)),
        (6, &b"Able, Bob"[..])
    );
}

/// Section 11.2: FEN start, promotions, a queen's diagonal move.
#[test]
fn promotions_from_a_fen() {
    let fen = b"4k3/PP6/8/8/8/8/7p/4K3 w - - 0 1";
    let bytes = [
        &hex!("FA 01 31 00 07")[..],
        fen,
        &hex!("00 24 01 17 1D 2047 0F")[..],
    ]
    .concat();
    let record = Record::parse(&bytes).unwrap();
    assert_eq!(record.tags[0].name, TagName::Common(250));
    assert_eq!(record.fen, Some(&fen[..]));
    let mut file_header = FileHeader::new();
    file_header.games = 1;
    let entry = Entry {
        length: bytes.len() as u32,
        flags: chessdb_scid::raw::IndexFlags::from_bits_retain(7),
        plies: 5,
        final_material: 0x500000,
        date: DateCode(0),
        event_date: 0x800,
        ..Entry::default()
    };
    let names = {
        let mut names = NameFile::default();
        for (list, uses) in names.lists.iter_mut().zip([2, 1, 1, 1]) {
            assert!(list.push(0, uses, b""));
        }
        names.file_header.counts = [1; 4];
        names.file_header.max_frequencies = [2, 1, 1, 1];
        names.to_bytes()
    };
    let mut files = MemorySet::new();
    files.insert(
        SI4_FILE,
        [&file_header.to_bytes()[..], &entry.to_bytes()].concat(),
    );
    files.insert(SG4_FILE, bytes);
    files.insert(SN4_FILE, names);
    let games = identity::open_all(&SI4, &files);
    let moves: Vec<_> = games[0].moves.mainline().map(|mv| mv.to_string()).collect();
    assert_eq!(moves, ["a7a8q", "e8d7", "b7b8r", "h2h1n", "a8h1"]);
    let setup = Setup::from_fen(fen).unwrap().0;
    assert_eq!(games[0].header.start, Start::Setup(Box::new(setup)));
    let rewritten = identity::rewrite(&SI4, &files, &chessdb_core::options::Allow::Nothing)
        .unwrap()
        .set;
    assert_eq!(identity::first_difference(&files, &rewritten), None);
    assert_eq!(rewritten.get(SG4_FILE), files.get(SG4_FILE));
}

/// Section 11.3: dates inside and outside the window of event dates.
#[test]
fn dates_as_the_page_has_them() {
    let entry = |word: [u8; 4]| {
        let mut bytes = [0; 47];
        bytes[25..29].copy_from_slice(&word);
        let entry = Entry::parse(&bytes);
        let date = entry.date.to_date();
        (date, DateCode::to_event_date(entry.event_date, date))
    };
    let day = Date::new(2000, 5, 17);
    assert_eq!(entry(hex!("39FFA0B1")), (day, Date::new(1997, 12, 31)));
    assert_eq!(entry(hex!("000FA0B1")), (day, Date::UNKNOWN));
    assert_eq!(entry(hex!("80000000")), (Date::UNKNOWN, Date::UNKNOWN));
}
