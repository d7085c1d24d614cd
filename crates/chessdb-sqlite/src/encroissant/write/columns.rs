//! The columns of a game's row for writing (docs/formats/encroissant.md, section 2).

use chessdb_core::model::{Field, GameFlags, RatingKind, Tag};
use chessdb_core::text::TextId;
use chessdb_core::{Color, Game, LossKind, Losses, Setup, Start};

use crate::write::numeric::survives_as_number;

/// A text of a column; absent values are null.
pub(super) type Text = Option<String>;

/// The values of a row except the moves, with names instead of their numbers.
#[derive(Default, Debug)]
pub(super) struct HeaderColumns {
    pub(super) event: Text,
    pub(super) site: Text,
    pub(super) white: Text,
    pub(super) black: Text,
    pub(super) date: Text,
    pub(super) utc_time: Text,
    pub(super) round: Text,
    pub(super) white_elo: Option<i64>,
    pub(super) black_elo: Option<i64>,
    pub(super) result: Text,
    pub(super) time_control: Text,
    pub(super) eco: Text,
    pub(super) fen: Text,
}

/// The name of row 0 of each table of names, for absent tags.
pub(super) const UNKNOWN: &str = "Unknown";

/// The tags without a typed field that have a column.
const OTHERS: [&str; 2] = ["UTCTime", "TimeControl"];

/// Returns the columns of a game and counts everything that has none.
pub(super) fn write_header(game: &Game, losses: &mut Losses) -> HeaderColumns {
    let header = &game.header;
    let [mut utc_time, mut time_control, mut utc_date] = [const { None }; 3];
    for tag in &header.tags {
        let Tag::Other { name, value: id } = *tag else {
            continue;
        };
        let name = game.text(name).as_bytes();
        let column = match name {
            b"UTCTime" => &mut utc_time,
            b"TimeControl" => &mut time_control,
            b"UTCDate" => &mut utc_date,
            _ => continue,
        };
        if column.is_none() {
            // Of a date and a UTC date there is one column; a UTC date is lost in any case.
            let mut unannounced = Losses::new();
            let losses = match name {
                b"UTCDate" => &mut unannounced,
                _ => &mut *losses,
            };
            *column = text(game, id, LossKind::TagText, losses);
        }
    }
    let mut name = |field, id| {
        let name = text(game, id, LossKind::NameText, losses);
        // Row 0 has this name, and a name can have only one row.
        if name.as_deref() == Some(UNKNOWN) {
            losses.add(LossKind::of_field(field), None);
        }
        name
    };
    let event = name(Field::Event, header.event.text).map(escaped);
    let site = name(Field::Site, header.site.text).map(escaped);
    let white = name(Field::White, header.white.name.text);
    let black = name(Field::Black, header.black.name.text);
    let round = text(game, header.round.text, LossKind::NameText, losses);
    if round
        .as_ref()
        .is_some_and(|round| !survives_as_number(round))
    {
        losses.add_field(Field::Round, game, header.round);
    }
    let result = value(game, Field::Result, losses).map(escaped);
    if result
        .as_ref()
        .is_some_and(|text| !survives_as_number(text))
    {
        losses.add(LossKind::Result, None);
    }
    let mut date = value(game, Field::Date, losses);
    if date.is_none() && utc_date.is_some() {
        date = utc_date;
        losses.add(LossKind::Date, None);
    }
    let columns = HeaderColumns {
        event,
        site,
        white,
        black,
        date: date.map(escaped),
        utc_time: utc_time.map(escaped),
        round,
        white_elo: rating(game, Color::White, losses),
        black_elo: rating(game, Color::Black, losses),
        result,
        time_control,
        eco: value(game, Field::Eco, losses),
        fen: fen(game, losses),
    };
    count_losses(game, columns.fen.is_some(), losses);
    columns
}

/// Returns a text in valid UTF-8, which the program needs.
fn text(game: &Game, id: TextId, kind: LossKind, losses: &mut Losses) -> Text {
    let text = game.text(id);
    let decoded = id.is_some().then(|| text.decode().into_owned());
    if decoded.is_some() && text.decode_strict().is_none() {
        losses.add(kind, None);
    }
    decoded
}

/// Returns a text as the program stores it: with the escapes of PGN. It does this with events,
/// sites, dates, times and results, and not with other texts.
fn escaped(text: String) -> String {
    if !text.bytes().any(|byte| matches!(byte, b'\\' | b'"')) {
        return text;
    }
    text.replace('\\', r"\\").replace('"', "\\\"")
}

/// Returns the value of a date, a result or an ECO code in the spelling of its source, unless a
/// reader would take another value from it.
fn value(game: &Game, field: Field, losses: &mut Losses) -> Text {
    let Some(id) = game.header.verbatim(field) else {
        return game.field(field).map(Into::into);
    };
    let spelling = game.text(id);
    let values = |game: &Game| (game.header.date, game.header.outcome, game.header.eco);
    // The value that the column would have without the spelling.
    let mut typed = Game::new();
    typed.header.date = game.header.date;
    typed.header.outcome = game.header.outcome;
    typed.header.eco = game.header.eco;
    let plain = typed.field(field).map(String::from);
    let mut read = Game::new();
    read.set_tag(game.header.tag_name(field), &spelling.decode());
    let (stated, taken) = (values(game), values(&read));
    let is_same = match field {
        Field::Date => stated.0 == taken.0,
        Field::Result => stated.1 == taken.1,
        _ => stated.2 == taken.2,
    };
    if is_same || plain.as_deref() == Some(&*spelling.decode()) {
        return text(game, id, LossKind::TagText, losses);
    }
    losses.add_spelling(field, spelling);
    plain
}

/// Returns a rating. The program stores `-` as 0.
fn rating(game: &Game, color: Color, losses: &mut Losses) -> Option<i64> {
    let rating = game.header.player(color).rating;
    if rating.is_some_and(|rating| rating.kind != RatingKind::Elo) {
        losses.add(LossKind::RatingType, None);
    }
    let field = Field::rating(color);
    let number = rating.map(|rating| i64::from(rating.value));
    let Some(id) = game.header.verbatim(field) else {
        // The program stores a rating that is no number as 0.
        if number == Some(0) {
            losses.add(LossKind::Rating, None);
        }
        return number.filter(|&number| number != 0);
    };
    let spelling = game.text(id);
    let spelled = spelling.decode();
    if spelled == "-" {
        return Some(0);
    }
    // The program reads 32 bits.
    let parsed = spelled.parse::<i32>().ok();
    let exact = parsed.filter(|&number| number != 0 && number.to_string() == spelled);
    if exact.is_none() {
        losses.add_spelling(field, spelling);
    }
    exact.map(i64::from).or(number)
}

/// Returns the FEN of a start position that is not the standard one.
fn fen(game: &Game, losses: &mut Losses) -> Text {
    if let Some(id) = game.header.verbatim(Field::Fen) {
        losses.add_spelling(Field::Fen, game.text(id));
    }
    let Start::Setup(setup) = &game.header.start else {
        return None;
    };
    // The FEN shows castling rights that exist only in Chess960.
    if setup.chess960 && !Setup::from_board(setup.board.clone()).chess960 {
        losses.add(LossKind::Chess960, None);
    } else if setup.board.is_standard_start() {
        losses.add(LossKind::Tag, None);
    }
    if setup.board.is_standard_start() {
        return None;
    }
    let mut fen = Vec::new();
    setup.write_fen(&mut fen);
    String::from_utf8(fen).ok()
}

/// Counts the header data without a column.
fn count_losses(game: &Game, has_fen: bool, losses: &mut Losses) {
    losses.add_unstored(game, &[Field::Annotator, Field::Source, Field::EventDate]);
    losses.add_unstored(game, &Field::PLAYER_DETAILS);
    let is_deleted = game.header.flags.contains(GameFlags::DELETED);
    losses.add_if(LossKind::DeletedFlag, is_deleted);
    losses.add_flags(game, GameFlags::DELETED);
    losses.add_extras(game);
    let mut implied = has_fen;
    let mut stored = [false; OTHERS.len()];
    losses.add_tags(game, |tag| match tag {
        Tag::Verbatim(
            Field::Date
            | Field::Result
            | Field::Eco
            | Field::Fen
            | Field::WhiteRating
            | Field::BlackRating,
            _,
        ) => true,
        Tag::Other { name, .. } => {
            let name = game.text(name).as_bytes();
            let column = OTHERS.iter().position(|own| own.as_bytes() == name);
            let is_first = column
                .and_then(|column| stored.get_mut(column))
                .is_some_and(|stored| !std::mem::replace(stored, true));
            // The FEN implies the tag SetUp.
            is_first || game.is_setup_tag(tag) && std::mem::take(&mut implied)
        }
        _ => false,
    });
}
