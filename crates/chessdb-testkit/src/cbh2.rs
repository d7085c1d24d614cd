//! A writer of 2CBH databases for tests (docs/formats/2cbh.md). The program refuses to write the
//! format, since no program of ChessBase's has been seen to open what another program wrote.
//!
//! It writes games that were read from CBH or have only plain content.

mod notes;
pub mod starts;
mod tags;
pub mod words;

use std::collections::HashMap;

use chessdb_core::board::Side;
use chessdb_core::commands::{ClockKind, EvalValue};
use chessdb_core::files::Role;
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::line::Lines;
use chessdb_core::model::{Eco, EcoSub, Place, Player, RatingKind};
use chessdb_core::{Color, Date, Event, Game, MemorySet, Outcome, PieceType, Start};

use notes::Notes;
pub use tags::MEDALS;
use tags::Tags;
use words::Encoder;

/// The treatment of data for which the writer has no place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// A panic, so that no test compares less than it claims.
    Everything,
    /// It is left out.
    Known,
}

impl Content {
    fn missing(self, what: &str) {
        assert!(
            self == Content::Known,
            "the test writer has no place for {what}"
        );
    }
}

/// Returns whether the writer has a place for annotations of this type of CBH, or for these
/// descriptions of texts.
pub fn is_written(field: u16) -> bool {
    field > 255 || matches!(field, 0x08 | 0x14..=0x18 | 0x22..=0x26)
}

/// Returns the database of these games.
pub fn write(games: &[Game], content: Content) -> MemorySet {
    let mut writer = Writer {
        content,
        encoder: Encoder::default(),
        index: vec![0; 192],
        games: vec![0; 12],
        annotations: vec![0; 12],
        names: Default::default(),
    };
    for kind in 0..6 {
        // "Nothing" is a name with empty texts.
        match kind {
            0 => writer.player("", None),
            1 => writer.name(1, tournament("", "", 0, [0; 8])),
            2 => writer.name(2, [0; 20].to_vec()),
            5 => writer.name(5, [0; 4].to_vec()),
            _ => 0,
        };
    }
    for game in games {
        writer.game(game);
    }
    writer.finish()
}

struct Writer {
    content: Content,
    encoder: Encoder,
    index: Vec<u8>,
    games: Vec<u8>,
    annotations: Vec<u8>,
    /// Of each type, the names and their numbers.
    names: [NameTable; 6],
}

/// The names of a type, and their numbers.
type NameTable = (Vec<Vec<u8>>, HashMap<Vec<u8>, u64>);

const SIZES: [u32; 6] = [1024, 1120, 220, 1024, 314, 532];

fn string(text: &str, out: &mut Vec<u8>) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

fn pack(date: Date) -> u32 {
    u32::from(date.year) << 9 | u32::from(date.month) << 5 | u32::from(date.day)
}

fn tournament(title: &str, place: &str, date: u32, fields: [u8; 8]) -> Vec<u8> {
    let mut out = Vec::new();
    string(place, &mut out);
    string(title, &mut out);
    out.extend(date.to_le_bytes());
    out.extend(fields);
    out.extend([0; 8 + 1 + 37 + 2 + 4 + 44]);
    out
}

/// Returns content with its frame, as fresh records have it: room so that the size is a multiple of
/// eight.
pub fn frame(tag: u16, content: &[u8]) -> Vec<u8> {
    let mut room = 97;
    while !(content.len() + room + 34).is_multiple_of(8) {
        room += 1;
    }
    let eighth = content.len() / 8;
    // A content of less than eight bytes is its own checksum; the bytes after the last eighth do
    // not count.
    let mut sums: Vec<u8> = match eighth {
        0 => content.to_vec(),
        _ => (0..8)
            .map(|n| {
                let part = &content[n * eighth..(n + 1) * eighth];
                part.iter().map(|byte| u32::from(*byte)).sum::<u32>() as u8
            })
            .collect(),
    };
    sums.resize(8, 0);
    // The only big-endian number of a record.
    sums.reverse();
    let mut out = vec![0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11];
    out.extend((content.len() as u32).to_le_bytes());
    out.extend((room as u32).to_le_bytes());
    out.extend(sums);
    out.extend(tag.to_le_bytes());
    out.extend(content);
    out.resize(out.len() + room, 0);
    out.extend((out.len() as u64 + 8).to_le_bytes());
    out
}

/// A variation or the mainline: the words, each with the lines that replace it.
#[derive(Default)]
struct Line(Vec<(u16, Vec<Line>)>);

/// Returns the words of all lines in stored order: after a line, the alternatives to its moves, the
/// last first.
fn stored(main: Line) -> Vec<u16> {
    let mut out = Vec::new();
    let mut waiting = vec![vec![main]];
    while let Some(mut siblings) = waiting.pop() {
        // The others are alternatives to its first move.
        let line = siblings.remove(0);
        for (n, (word, alternatives)) in line.0.into_iter().enumerate() {
            out.push(word);
            let mut alternatives = alternatives;
            if n == 0 {
                alternatives.extend(std::mem::take(&mut siblings));
            }
            if !alternatives.is_empty() {
                out.push(0xFFFD);
                waiting.push(alternatives);
            }
        }
        out.push(0xFFFF);
    }
    out
}

impl Writer {
    /// Returns the number of a name.
    fn name(&mut self, kind: usize, fields: Vec<u8>) -> u64 {
        let (names, numbers) = &mut self.names[kind];
        *numbers.entry(fields).or_insert_with_key(|fields| {
            names.push(fields.clone());
            names.len() as u64 - 1
        })
    }

    fn player(&mut self, name: &str, fide_id: Option<u32>) -> u64 {
        let (last, first) = name.split_once(", ").unwrap_or((name, ""));
        let mut fields = Vec::new();
        string(last, &mut fields);
        string(first, &mut fields);
        fields.extend([0; 8]);
        fields.extend((-1i32).to_le_bytes());
        fields.extend(8u32.to_le_bytes());
        fields.extend(fide_id.map_or(-1, i64::from).to_le_bytes());
        self.name(0, fields)
    }

    fn game(&mut self, game: &Game) {
        let mut record = vec![0; 192];
        let mut put = |offset: usize, bytes: &[u8]| {
            record[offset..offset + bytes.len()].copy_from_slice(bytes)
        };
        let header = &game.header;
        let deleted = header
            .flags
            .contains(chessdb_core::model::GameFlags::DELETED);
        put(0, &[if deleted { 0x81 } else { 1 }, 0, 1, 1]);
        // The offsets at which the record of the game and its annotations will begin.
        put(0x08, &(self.games.len() as u64).to_le_bytes());
        put(0x10, &(self.annotations.len() as u64).to_le_bytes());
        let text = |id| game.text(id).decode().into_owned();
        let player = |player: &Player| (text(player.name.text), player.fide_id);
        for (offset, (name, fide_id)) in
            [(0x18, player(&header.white)), (0x20, player(&header.black))]
        {
            put(offset, &self.player(&name, fide_id).to_le_bytes());
        }
        let annotator = text(header.annotator.text);
        put(0x30, &self.player(&annotator, None).to_le_bytes());
        let tags = Tags::new(game, self.content);
        let fields = tournament(
            &text(header.event.text),
            &text(header.site.text),
            pack(header.event_date),
            tags.tournament,
        );
        put(0x28, &self.name(1, fields).to_le_bytes());
        let mut source = Vec::new();
        string(&tags.source_title, &mut source);
        string(&text(header.source.text), &mut source);
        source.extend(tags.source);
        put(0x38, &self.name(2, source).to_le_bytes());
        for (offset, team) in [(0x40, &tags.teams[0]), (0x48, &tags.teams[1])] {
            let number = match team {
                None => u64::MAX,
                Some(team) => {
                    let mut fields = Vec::new();
                    string(&team.title, &mut fields);
                    fields.extend(team.fields);
                    self.name(4, fields)
                }
            };
            put(offset, &number.to_le_bytes());
        }
        put(0x50, &self.name(5, tags.titles).to_le_bytes());
        let result = match (header.outcome, tags.forfeit) {
            (Outcome::BlackWins, forfeit) => 4 * u8::from(forfeit),
            (Outcome::Draw, forfeit) => 1 + 4 * u8::from(forfeit),
            (Outcome::WhiteWins, forfeit) => 2 + 4 * u8::from(forfeit),
            (Outcome::Unknown, true) => 7,
            _ => 3,
        };
        put(0x58, &[result, tags.line_nag]);
        let round = text(header.round.text);
        for (offset, part) in [0x5A, 0x5C].into_iter().zip(round.split('.')) {
            put(offset, &part.parse::<u16>().unwrap_or(0).to_le_bytes());
        }
        for (offset, player) in [(0x60, &header.white), (0x70, &header.black)] {
            if let Some(rating) = player.rating {
                if rating.kind != RatingKind::Elo {
                    self.content.missing(&format!("{rating:?}"));
                }
                put(offset, &rating.value.to_le_bytes());
                put(offset + 2, b"\x01\0\x01\0\0\0FIDE\0\0\0\0");
            }
        }
        let number = match &header.start {
            Start::Setup(setup) if setup.chess960 => starts::number(setup),
            _ => None,
        };
        // The number of a Chess960 start takes the place of the opening.
        let eco = match (header.eco, number) {
            (_, Some(number)) => 64576 + number,
            (Some(Eco { code, sub }), _) => {
                let sub = match sub {
                    EcoSub::Number(sub) => sub.into(),
                    _ => 0,
                };
                (code + 1) * 128 + sub
            }
            _ => 0,
        };
        put(0x80, &eco.to_le_bytes());
        put(0x82, &tags.medals.to_le_bytes());
        let plies = game.mainline().count() as u16;
        let first = u16::from(game.start_board().turn() == Color::Black);
        let full_moves = if plies == 0 { 0 } else { (plies + first).div_ceil(2) };
        put(0x8A, &full_moves.to_le_bytes());
        put(0xBC, &pack(header.date).to_le_bytes());
        self.index.extend(record);
        let (line, notes) = self.moves(game, number);
        let (tag, mut words) = start(game, number);
        words.push(0xFFFC);
        words.extend(stored(line));
        let content: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.games.extend(frame(tag, &content));
        self.annotations.extend(frame(0x2000, &notes));
    }

    /// Returns the lines of a game and the content of its annotations.
    fn moves(&self, game: &Game, number: Option<u16>) -> (Line, Vec<u8>) {
        let mut lines = Lines::new(PlainNumbering, game).unwrap();
        // The open lines, each with the number of its last move in the order of PGN.
        // -1 is the place before the first move.
        let mut open = vec![(Line::default(), -1)];
        let mut notes = Notes::default();
        let mut count = 0;
        for event in game.events() {
            let last = open.last().unwrap().1;
            match event {
                Event::Move(mv) => {
                    let word = self.encoder.encode(lines.board(), mv, number);
                    lines.play(mv);
                    let (line, last) = open.last_mut().unwrap();
                    line.0.push((word, Vec::new()));
                    *last = count;
                    count += 1;
                }
                Event::Open(_) => {
                    lines.open();
                    open.push((Line::default(), -1));
                }
                Event::Close => {
                    lines.close();
                    let (line, _) = open.pop().unwrap();
                    let (outer, _) = open.last_mut().unwrap();
                    outer.0.last_mut().unwrap().1.push(line);
                }
                Event::Outcome(_) | Event::Fault(..) => self.content.missing(&format!("{event:?}")),
                event => notes.event(event, last, count, self.content),
            }
        }
        (open.pop().unwrap().0, notes.content())
    }

    fn finish(mut self) -> MemorySet {
        let records = self.index.len() as u32 / 192;
        self.index[8..16].copy_from_slice(&[38, 0, 192, 0, 0, 5, 0, 0]);
        self.index[16..20].copy_from_slice(&records.to_le_bytes());
        for (file, version) in [(&mut self.games, 5), (&mut self.annotations, 0)] {
            let size = file.len() as u64;
            file[..8].copy_from_slice(&size.to_le_bytes());
            file[8..12].copy_from_slice(&[12, 0, 0, version]);
        }
        let mut names = 184u32.to_be_bytes().to_vec();
        names.extend(6u32.to_be_bytes());
        for (size, (list, _)) in SIZES.iter().zip(&self.names) {
            names.extend(size.to_be_bytes());
            names.extend((list.len() as u64).to_be_bytes());
            names.extend((-1i64).to_be_bytes());
        }
        // Most databases have a header of this size.
        names.resize(184, 0);
        let blocks = self.names.iter().map(|(list, _)| list.len()).max().unwrap();
        let mut end = names.len();
        // The tables of the six types are interleaved: a record of each, then the next one of each.
        for block in 0..blocks {
            for (size, (list, _)) in SIZES.iter().zip(&self.names) {
                let start = names.len();
                if let Some(fields) = list.get(block) {
                    assert!(fields.len() + 4 <= *size as usize);
                    names.extend((fields.len() as u32).to_le_bytes());
                    names.extend(fields);
                    end = names.len();
                }
                names.resize(start + *size as usize, 0);
            }
        }
        names.truncate(end);
        let mut set = MemorySet::new();
        set.insert(Role("2cbh"), self.index);
        set.insert(Role("2cbg"), self.games);
        set.insert(Role("2cba"), self.annotations);
        set.insert(Role("2lid"), names);
        set
    }
}

/// Returns the tag of a game's record and the words of its start section.
fn start(game: &Game, number: Option<u16>) -> (u16, Vec<u16>) {
    let Start::Setup(setup) = &game.header.start else {
        return (1, Vec::new());
    };
    if let Some(number) = number {
        return (2, vec![0xFFFB, number]);
    }
    let board = &setup.board;
    let mut words = vec![0xFFFB];
    if setup.chess960 {
        words.push(1000);
    }
    let rights = [
        (Color::White, Side::Long),
        (Color::White, Side::Short),
        (Color::Black, Side::Long),
        (Color::Black, Side::Short),
    ];
    let mut flags = board.turn().pick(0, 1);
    for (bit, (color, side)) in rights.into_iter().enumerate() {
        flags |= u16::from(board.castling_rook(color, side).is_some()) << (8 + bit);
    }
    words.push(board.fullmove_number());
    words.push(flags);
    words.push(
        board
            .ep_square()
            .map_or(0, |square| u16::from(square.file()) + 1),
    );
    for square in chessdb_core::Square::all() {
        let Some(piece) = board.piece_at(square) else {
            continue;
        };
        let order = [
            PieceType::King,
            PieceType::Queen,
            PieceType::Knight,
            PieceType::Bishop,
            PieceType::Rook,
        ];
        let kind_index = order.iter().position(|kind| *kind == piece.kind);
        let (file, rank) = (u16::from(square.file()), u16::from(square.rank()));
        words.push(match kind_index {
            Some(kind_index) => {
                let word = 64 * kind_index as u16 + u16::from(square.index());
                piece.color.pick(0xC02D, 0xC16D) + word
            }
            None => piece.color.pick(0xC2AD, 0xC2DD) + 6 * file + rank - 1,
        });
    }
    (if setup.chess960 { 2 } else { 1 }, words)
}
