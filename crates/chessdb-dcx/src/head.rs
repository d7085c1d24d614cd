//! Heads of games: index entries to the model and back (docs/formats/dcx.md, sections 6, 11, 14).

use chessdb_core::{
    Charset, Color, Date, Eco, EcoSub, Field, Game, GameFlags, LossKind, Losses, Named, Outcome,
    Rating, RatingKind, Result, Severity, Start, Tag, TextId, Texts,
};

use crate::raw::{Entry, FileKind};
use crate::store::{Names, Report};

/// Results in the order of their codes.
const RESULTS: [Outcome; 4] = [
    Outcome::Unknown,
    Outcome::WhiteWins,
    Outcome::BlackWins,
    Outcome::Draw,
];

/// Fills the head of a game from its entry. The start position is not in the index.
pub(crate) fn read(
    entry: &Entry,
    names: &Names<'_>,
    texts: &Texts,
    game: &mut Game,
    report: &mut Report<'_>,
) -> Result<()> {
    let Game {
        head, texts: own, ..
    } = game;
    let (players, sites) = (FileKind::Players, FileKind::Sites);
    head.white.name = names.get(texts, players, entry.white, own, report)?;
    head.black.name = names.get(texts, players, entry.black, own, report)?;
    head.site = names.get(texts, sites, entry.site, own, report)?;
    if names.has_events() {
        head.event = names.get(texts, FileKind::Events, entry.event, own, report)?;
    }
    game.head.round = round(entry.round, game).into();
    let rating = |value| {
        let kind = RatingKind::Elo;
        (value != 0).then_some(Rating { value, kind })
    };
    game.head.white.rating = rating(entry.white_elo);
    game.head.black.rating = rating(entry.black_elo);
    game.head.date = Date::new(entry.year, entry.month, entry.day);
    if entry.month > 12 || entry.day > 31 {
        let (field, value) = if entry.month > 12 {
            ("Month", entry.month)
        } else {
            ("Day", entry.day)
        };
        report.entry(Severity::Note, field, value.into())?;
    }
    match RESULTS.get(usize::from(entry.result)) {
        Some(&outcome) => game.head.outcome = outcome,
        None => report.entry(Severity::Repaired, "Result", entry.result.into())?,
    }
    match entry.status {
        0 => {}
        Entry::DELETED => game.head.flags = GameFlags::DELETED,
        other => report.entry(Severity::Note, "Status", other.into())?,
    }
    read_eco(entry, game, report)
}

/// Three letters that are a code, or blank, or kept as text.
fn read_eco(entry: &Entry, game: &mut Game, report: &mut Report<'_>) -> Result<()> {
    game.head.eco = Eco::from_ascii(&entry.eco).filter(|eco| eco.code < 500);
    let blank = entry.eco.iter().all(|&byte| byte == 0 || byte == b' ');
    if game.head.eco.is_some() || blank {
        return Ok(());
    }
    let value = entry
        .eco
        .iter()
        .fold(0, |value, &b| value << 8 | u64::from(b));
    report.entry(Severity::Note, "ECO", value)?;
    let text = entry.eco.split(|&b| b == 0).next().unwrap_or_default();
    let text = game.texts.push(text.trim_ascii(), Charset::UTF_8);
    game.head.tags.push(Tag::Verbatim(Field::Eco, text));
    Ok(())
}

/// A round as text; 0 is unknown.
fn round(number: u16, game: &mut Game) -> TextId {
    if number == 0 {
        return TextId::NONE;
    }
    let digit = |power| b'0' + (number / power % 10) as u8;
    // Few rounds have more than two digits, and copying a constant number of bytes is quick.
    match number {
        0..=9 => game.texts.push_front(&[digit(1)], 1, Charset::UTF_8),
        10..=99 => game
            .texts
            .push_front(&[digit(10), digit(1)], 2, Charset::UTF_8),
        _ => game
            .texts
            .push(number.to_string().as_bytes(), Charset::UTF_8),
    }
}

/// The entry of a game without offset and references.
pub(crate) fn write(game: &Game, losses: &mut Losses) -> Entry {
    let head = &game.head;
    let deleted = head.flags.contains(GameFlags::DELETED);
    let elo = |color| head.player(color).rating.map_or(0, |rating| rating.value);
    let date = write_date(head.date, losses);
    let result = RESULTS.iter().position(|&known| known == head.outcome);
    let entry = Entry {
        status: if deleted { Entry::DELETED } else { 0 },
        round: write_round(game, losses),
        white_elo: elo(Color::White),
        black_elo: elo(Color::Black),
        result: result.unwrap_or(0) as u8,
        eco: head.eco.map_or([0; 3], |eco| write_eco(eco, losses)),
        year: date.year,
        month: date.month,
        day: date.day,
        ..Entry::default()
    };
    count_losses(game, losses);
    entry
}

fn write_date(date: Date, losses: &mut Losses) -> Date {
    let mut cut = date;
    if date.year > 9999 {
        cut.year = 0;
    }
    if date.month > 12 {
        cut.month = 0;
    }
    if date.day > 31 {
        cut.day = 0;
    }
    if cut != date {
        losses.add(LossKind::Date, None);
    }
    cut
}

/// A plain number 1..65535; what a reader shows as `?` is no loss.
fn write_round(game: &Game, losses: &mut Losses) -> u16 {
    let text = game.text(game.head.round.text).decode();
    if matches!(&*text, "" | "?") {
        return 0;
    }
    // Spellings such as 03 have their number, as in the reference writer, but do not come back.
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits).unwrap_or(0);
    if number == 0 || text.starts_with('0') {
        losses.add(LossKind::Round, None);
    }
    number
}

fn write_eco(eco: Eco, losses: &mut Losses) -> [u8; 3] {
    if eco.sub != EcoSub::None || eco.code > 499 {
        losses.add(LossKind::Eco, None);
    }
    if eco.code > 499 {
        return [0; 3];
    }
    let digit = |n: u16| b'0' + (n % 10) as u8;
    let letter = b'A' + (eco.code / 100) as u8;
    [letter, digit(eco.code / 10), digit(eco.code)]
}

/// Counts what of a head has no home here.
fn count_losses(game: &Game, losses: &mut Losses) {
    let head = &game.head;
    let mut present = |named: Named, kind| {
        if named.text.is_some() {
            losses.add(kind, None);
        }
    };
    present(head.annotator, LossKind::Annotator);
    present(head.source, LossKind::Source);
    for color in Color::ALL {
        let player = head.player(color);
        if player.title.is_some() {
            losses.add(LossKind::Title, None);
        }
        if player.fide_id.is_some() {
            losses.add(LossKind::FideId, None);
        }
        if player.rating.is_some_and(|r| r.kind != RatingKind::Elo) {
            losses.add(LossKind::RatingType, None);
        }
    }
    if !head.event_date.is_unknown() {
        losses.add(LossKind::EventDate, None);
    }
    let flags = head.flags.difference(GameFlags::DELETED).bits();
    losses.add_many(LossKind::Flags, flags.count_ones(), None);
    losses.add_many(LossKind::GameExtra, head.extras.len() as u32, None);
    let has_fen = match &head.start {
        Start::Standard => false,
        Start::Setup(setup) => {
            // Castling rights that only Chess960 knows say it in the FEN, and castling is written
            // as the king taking his rook.
            if setup.chess960 && !chessdb_core::Setup::from_board(setup.board.clone()).chess960 {
                losses.add(LossKind::Chess960, None);
            }
            if setup.board.is_standard_start() {
                // Marker 00 does not say that the game spelt its position out.
                losses.add(LossKind::Tag, None);
            }
            !setup.board.is_standard_start()
        }
    };
    let mut setup_tag = has_fen;
    for tag in &head.tags {
        match *tag {
            Tag::Place(_) => {}
            Tag::Other { name, value } => {
                let implied = game.text(name).as_bytes() == b"SetUp"
                    && game.text(value).as_bytes() == b"1"
                    && std::mem::take(&mut setup_tag);
                if !implied {
                    losses.add(LossKind::Tag, None);
                }
            }
            Tag::Verbatim(field, _) => losses.add(loss_of_spelling(field), None),
        }
    }
}

/// What is lost with the source text of a typed field.
fn loss_of_spelling(field: Field) -> LossKind {
    match field {
        Field::Date => LossKind::Date,
        Field::EventDate => LossKind::EventDate,
        Field::Eco => LossKind::Eco,
        Field::Result => LossKind::Result,
        Field::WhiteRating | Field::BlackRating => LossKind::Rating,
        Field::WhiteFideId | Field::BlackFideId => LossKind::FideId,
        Field::Flags => LossKind::Flags,
        _ => LossKind::Tag,
    }
}

/// Fills the start position from a FEN; none if it cannot be read.
pub(crate) fn read_fen(
    fen: &[u8],
    game: &mut Game,
    report: &mut Report<'_>,
    offset: u64,
) -> Result<bool> {
    let setup = match chessdb_core::Setup::from_fen(fen) {
        Ok((setup, _)) => setup,
        Err(fault) => {
            report.byte(Severity::Lost, fault.into_kind(fen), offset)?;
            return Ok(false);
        }
    };
    let verbatim = !setup.is_written_as(fen, &mut Vec::with_capacity(fen.len()));
    game.head.start = Start::Setup(Box::new(setup));
    let name = game.add_text("SetUp");
    let value = game.add_text("1");
    game.head.tags.push(Tag::Other { name, value });
    if verbatim {
        let text = game.texts.push(fen, Charset::UTF_8);
        game.head.tags.push(Tag::Verbatim(Field::Fen, text));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(change: impl FnOnce(&mut Game)) -> (Entry, Vec<LossKind>) {
        let mut game = Game::new();
        change(&mut game);
        let mut losses = Losses::new();
        let entry = write(&game, &mut losses);
        (entry, losses.iter().map(|loss| loss.kind).collect())
    }

    /// Section 6.
    #[test]
    fn rounds_are_plain_numbers() {
        let round = |text: &str| written(|game| game.head.round = game.add_text(text).into());
        for (text, number, lossy) in [
            ("3", 3, false),
            ("65535", 65535, false),
            ("", 0, false),
            ("?", 0, false),
            ("65536", 0, true),
            ("1.2", 0, true),
            ("-", 0, true),
            ("+3", 0, true),
            ("03", 3, true),
            ("0", 0, true),
        ] {
            let (entry, losses) = round(text);
            assert_eq!(entry.round, number, "{text}");
            assert_eq!(losses == [LossKind::Round], lossy, "{text}");
        }
        for number in [1, 9, 10, 999, 1000, 65535] {
            let mut game = Game::new();
            let text = super::round(number, &mut game);
            assert_eq!(game.text(text).decode(), number.to_string());
        }
    }

    #[test]
    fn dates_and_codes_out_of_range_are_losses() {
        let (entry, losses) = written(|game| game.head.date = Date::new(1999, 13, 31));
        assert_eq!((entry.year, entry.month, entry.day), (1999, 0, 31));
        assert_eq!(losses, [LossKind::Date]);
        let (entry, losses) = written(|game| game.head.eco = Eco::from_ascii(b"B07a1"));
        assert_eq!((entry.eco, losses), (*b"B07", vec![LossKind::Eco]));
        let (entry, losses) = written(|game| game.head.eco = Eco::from_ascii(b"F10"));
        assert_eq!((entry.eco, losses), ([0; 3], vec![LossKind::Eco]));
        let (entry, losses) = written(|game| game.head.eco = Eco::from_ascii(b"E99"));
        assert_eq!((entry.eco, losses), (*b"E99", vec![]));
    }
}
