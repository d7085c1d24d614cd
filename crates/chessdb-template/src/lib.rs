#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

use chessdb_core::legacy::PlainNumbering;
use chessdb_core::prelude::*;
use chessdb_core::rules::read_san;

/// The common model, so that a program that reads one format needs one dependency.
pub use chessdb_core;

/// The formats of this crate.
pub static FORMATS: &[&Format] = &[&TEMPLATE];

/// The format `template`, FORMAT.md.
pub static TEMPLATE: Format = Format::new(
    "template",
    "template, one game per line",
    |files| match files.get(TEMPLATE_FILE) {
        Some(bytes) if bytes.starts_with(MAGIC) => Score::Certain,
        _ => Score::No,
    },
    |files, options| Ok(Box::new(open(files, options)?)),
    // Reading the games finds everything: there is nothing around them.
    |_, _, _| {},
)
.with_files(&[TEMPLATE_FILE], &[TEMPLATE_FILE])
.with_losses(LOSSES)
.with_create(|sink, options| {
    FileWriter::create(sink, TEMPLATE_FILE, |_| MAGIC.to_vec(), Encoder, options)
})
.with_dump(dump)
.with_raw(|files| {
    let lines = parse(files)?.into_iter().map(|line| line.bytes);
    let bytes: Vec<_> = [MAGIC].into_iter().chain(lines).collect();
    Ok(MemorySet::from_iter([(TEMPLATE_FILE, bytes.concat())]))
});

/// The only file of a database.
pub const TEMPLATE_FILE: Role = Role("template");

/// The first line of the file, with the version.
pub const MAGIC: &[u8] = b"template 1\n";

/// The part of a header that a line has fields for.
const STORED: StoredHeader = StoredHeader::new(
    &[Field::White, Field::Black, Field::Result],
    GameFlags::DELETED,
);

const LOSSES: LossSet = STORED
    .losses()
    .union(LossSet::MOVES)
    .union(LossSet::BASE)
    .with(&[
        LossKind::Game,
        LossKind::StartPosition,
        LossKind::VariationBeforeMove,
        LossKind::NameText,
        LossKind::CommentText,
    ]);

/// A line of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line<'a> {
    /// The start of the line in the file.
    pub location: Location,
    /// The bytes of the line. Only the last line may lack a line feed at the end.
    pub bytes: &'a [u8],
}

/// Returns the lines of the games.
///
/// # Errors
///
/// Returns an error if the file or its magic bytes are missing; any bytes after them are lines.
pub fn parse(files: &dyn FileSet) -> Result<Vec<Line<'_>>> {
    let Some(games) = files.require(TEMPLATE_FILE)?.strip_prefix(MAGIC) else {
        let kind = ErrorKind::BadMagic { expected: MAGIC };
        return Err(Error::new(kind).at(Location::byte(TEMPLATE_FILE, 0)));
    };
    let mut offset = MAGIC.len();
    let lines = games.split_inclusive(|&byte| byte == b'\n').map(|bytes| {
        let location = Location::byte(TEMPLATE_FILE, offset as u64);
        offset += bytes.len();
        Line { location, bytes }
    });
    Ok(lines.collect())
}

/// Reports the meaning of each byte.
fn dump(files: &dyn FileSet, emit: &mut dyn FnMut(Region)) {
    let Ok(lines) = parse(files) else { return };
    let mut fields = Fields::new(TEMPLATE_FILE, 0, emit);
    fields.known(MAGIC.len() as u64, "magic bytes");
    for (n, line) in (1..).zip(lines) {
        fields.known(line.bytes.len() as u64, format!("game {n}: its line"));
    }
}

/// Opens a database for reading.
///
/// # Errors
///
/// Returns the errors of [`parse`], and in strict mode one if the last line is incomplete.
pub fn open(files: &dyn FileSet, options: ReadOptions) -> Result<RecordStore<Line<'_>>> {
    let lines = parse(files)?;
    let mut scratch = Scratch::new();
    if let Some(last) = lines.last().filter(|line| !line.bytes.ends_with(b"\n")) {
        // Its last moves may be missing.
        let kind = ErrorKind::Structure("the last line has no end");
        scratch.deviation(&options, Severity::Lost, kind, last.location)?;
    }
    Ok(RecordStore::new(lines, options, scratch.diagnostics))
}

impl<'a> Line<'a> {
    fn fields(&self) -> Vec<&'a [u8]> {
        let text = self.bytes.strip_suffix(b"\n").unwrap_or(self.bytes);
        text.split(|&byte| byte == b'\t').collect()
    }
}

impl DecodeGame for Line<'_> {
    fn decode_header(&self, game: &mut Game, report: &mut GameReport<'_>) -> Result<()> {
        let (location, fields) = (self.location, self.fields());
        let [mark, white, black, result, ..] = fields.as_slice() else {
            let kind = ErrorKind::Structure("a line with too few fields");
            return Err(Error::new(kind).at(location));
        };
        match *mark {
            b"d" => game.header.flags = GameFlags::DELETED,
            b"-" => {}
            _ => {
                let kind = ErrorKind::Structure("an unknown mark");
                report.repaired(kind, location)?;
            }
        }
        for (color, name) in [(Color::White, white), (Color::Black, black)] {
            if !name.is_empty() {
                let name = unescaped(name);
                let id = report.push_text(&name, Charset::UTF_8, location, &mut game.texts)?;
                game.header.set_text(Field::player(color), id);
            }
        }
        match Outcome::from_pgn(result) {
            Some(outcome) => game.header.outcome = outcome,
            None => {
                let kind = ErrorKind::Structure("an unknown result");
                report.lost(kind, location)?;
            }
        }
        Ok(())
    }

    fn decode_moves(&self, game: &mut Game, report: &mut GameReport<'_>) -> Result<()> {
        let fields = self.fields();
        let (header, words) = fields.split_at_checked(4).unwrap_or_default();
        // Each field of the header has a tab after it.
        let length = header.concat().len() + header.len();
        let start = self.location.plus(length as u64);
        read_game(PlainNumbering, start, game, report, |line| {
            read_words(words, line)
        })?;
        Ok(())
    }
}

fn read_words(words: &[&[u8]], line: &mut LineReader<'_, '_, Lines<PlainNumbering>>) -> Step {
    for word in words {
        match *word {
            [] => {}
            b"(" => line.open()?,
            b")" => line.close_or_repair()?,
            // A move that cannot be read leaves the rest of its line without positions.
            _ if line.is_skipping() => {}
            [b'<', text @ ..] => line.comment(&unescaped(text), Charset::UTF_8, Place::Before)?,
            [b'>', text @ ..] => line.comment(&unescaped(text), Charset::UTF_8, Place::After)?,
            [b'$', digits @ ..] => match std::str::from_utf8(digits).map(str::parse) {
                Ok(Ok(nag)) => line.nag(nag)?,
                _ => line.repaired(ErrorKind::Structure("a NAG without a number"))?,
            },
            word => match read_san(line.lines().board(), word) {
                Ok(mv) => line.mv(mv)?,
                Err(fault) => line.bad_move(ErrorKind::BadMove {
                    found: ErrorKind::excerpt(word),
                    why: fault.as_str(),
                })?,
            },
        }
        line.at += word.len() + 1;
    }
    Ok(())
}

/// The encoder of games.
#[derive(Clone, Debug)]
struct Encoder;

impl EncodeGame for Encoder {
    type Encoded = Vec<u8>;

    fn encode(&self, game: &Game, line: &mut Vec<u8>, losses: &mut Losses) -> Result<bool> {
        line.clear();
        if !game.header.start.is_standard() {
            losses.add(LossKind::StartPosition, None);
            return Ok(false);
        }
        let is_deleted = game.header.flags.contains(GameFlags::DELETED);
        line.push(if is_deleted { b'd' } else { b'-' });
        for color in Color::ALL {
            let id = game.header.player(color).name.text;
            line.push(b'\t');
            let is_changed = escape(game.text(id), line) > 0;
            losses.add_if(LossKind::NameText, is_changed);
            // An empty field is a missing name.
            losses.add_if(LossKind::EmptyTag, game.text(id).is_empty() && id.is_some());
        }
        line.push(b'\t');
        line.extend_from_slice(game.header.outcome.as_pgn().as_bytes());
        STORED.lose_rest(game, losses);
        write_game(PlainNumbering, game, losses, &mut Words(line))?;
        line.push(b'\n');
        Ok(true)
    }
}

/// A sink that writes words, each after a tab.
struct Words<'o>(&'o mut Vec<u8>);

impl Words<'_> {
    fn put(&mut self, word: &str) {
        self.0.push(b'\t');
        self.0.extend_from_slice(word.as_bytes());
    }
}

type WordsOut<'p, 'g> = Out<'p, 'g, Lines<PlainNumbering>>;

impl<'g> LineSink<'g> for Words<'_> {
    type Lines = Lines<PlainNumbering>;

    fn mv(&mut self, out: &mut WordsOut<'_, 'g>, mv: PackedMove) -> Result<(), LossKind> {
        out.check_legal(mv)?;
        self.put(&mv.to_string());
        Ok(())
    }

    fn nag(&mut self, _: &mut WordsOut<'_, 'g>, nag: u16) {
        self.put(&format!("${nag}"));
    }

    fn comment(&mut self, out: &mut WordsOut<'_, 'g>, comment: CommentOut<'_>) {
        self.put(if comment.place == Place::Before { "<" } else { ">" });
        if escape(comment.text, self.0) > 0 {
            out.lose(LossKind::CommentText);
        }
        if comment.hides_empty_text {
            out.lose(LossKind::Comment);
        }
    }

    fn open(&mut self, out: &mut WordsOut<'_, 'g>) -> Result<(), LossKind> {
        if out.lines.at_line_start() {
            return Err(LossKind::VariationBeforeMove);
        }
        self.put("(");
        Ok(())
    }

    fn close(&mut self, _: &mut WordsOut<'_, 'g>) {
        self.put(")");
    }
}

/// Appends a text in UTF-8 with escapes. Returns the number of characters that were replaced.
fn escape(text: Text<'_>, out: &mut Vec<u8>) -> usize {
    let mut plain = Vec::new();
    let replaced = text.convert_into(Charset::UTF_8, &mut plain);
    for byte in plain {
        match byte {
            b'\t' => out.extend(b"\\t"),
            b'\n' => out.extend(b"\\n"),
            b'\\' => out.extend(b"\\\\"),
            byte => out.push(byte),
        }
    }
    replaced
}

/// Returns a text without its escapes. A backslash without a known letter stays as it is.
fn unescaped(mut bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    loop {
        let (byte, rest) = match bytes {
            [b'\\', b't', rest @ ..] => (b'\t', rest),
            [b'\\', b'n', rest @ ..] => (b'\n', rest),
            [b'\\', b'\\', rest @ ..] => (b'\\', rest),
            [byte, rest @ ..] => (*byte, rest),
            [] => return text,
        };
        text.push(byte);
        bytes = rest;
    }
}
