//! Differences between games: the header field by field; `tape` compares moves and annotations.

use super::{Difference, Differences, excuse, extras, first_difference, tape};
use crate::board::Side;
use crate::model::{Field, GameFlags, LINE_EVALUATION, Named, Rating, Tag};
use crate::text::TextId;
use crate::{Color, Date, Game, LossKind, Setup, Square, Start};

pub(super) fn compare(before: &Game, after: &Game) -> Vec<Difference> {
    let mut differences = Differences::default();
    names(before, after, &mut differences);
    players(before, after, &mut differences);
    values(before, after, &mut differences);
    start(before, after, &mut differences);
    tags(before, after, &mut differences);
    extras(
        &before.header.extras,
        &after.header.extras,
        LossKind::GameExtra,
        &mut differences,
    );
    tape::compare(before, after, &mut differences);
    if differences.0.is_empty()
        && let Some(difference) = first_difference(before, after)
    {
        differences.add(difference, &[]);
    }
    differences.0
}

fn shown(game: &Game, id: TextId) -> Option<String> {
    id.is_some().then(|| game.text(id).decode().into_owned())
}

/// Returns whether a name or tag is empty, or only spaces and question marks.
fn is_blank(text: &str) -> bool {
    text.trim_matches([' ', '?']).is_empty()
}

/// Returns whether a text has no content, so that its loss counts as the loss of an empty tag:
/// nothing, `-`, `0`, `????.??.??`.
pub fn is_empty_tag(text: &str) -> bool {
    text.bytes().all(|byte| b" \t?-.0*".contains(&byte))
}

/// Returns the kinds of loss that explain a changed text: those in `own`, `cut` if it became
/// shorter, and `changed` if characters were replaced.
fn text_kinds(
    before: &str,
    after: &str,
    own: &[LossKind],
    cut: LossKind,
    changed: LossKind,
) -> Vec<LossKind> {
    let mut kinds = own.to_vec();
    if after.chars().count() < before.chars().count() {
        kinds.push(cut);
    }
    // A text that lost only its end was cut, not changed.
    if !before.starts_with(after) || before.trim_end() == after {
        kinds.push(changed);
        if before.trim() != before || before.contains(['\n', '\r', '\t']) {
            kinds.push(LossKind::TextLayout);
        }
    }
    kinds
}

fn names(before: &Game, after: &Game, differences: &mut Differences) {
    use LossKind as L;
    let (a, b) = (&before.header, &after.header);
    let fields: [(Field, Named, Named, &[L]); 7] = [
        // CBF has one field for event, site, annotator, and a round that is not a number. It may read
        // brackets in an event as the annotator, which the writer announces as a changed text.
        (
            Field::Event,
            a.event,
            b.event,
            &[L::SiteMerged, L::Round, L::Tag, L::NameText],
        ),
        (Field::Site, a.site, b.site, &[L::SiteMerged, L::Tag]),
        (Field::Round, a.round, b.round, &[L::Round, L::EmptyTag]),
        (Field::White, a.white.name, b.white.name, &[L::Tag]),
        (Field::Black, a.black.name, b.black.name, &[L::Tag]),
        (Field::Annotator, a.annotator, b.annotator, &[L::Annotator]),
        (Field::Source, a.source, b.source, &[L::Source]),
    ];
    for (field, x, y, own) in fields {
        text(
            field.tag(),
            shown(before, x.text),
            shown(after, y.text),
            own,
            differences,
        );
    }
}

fn text(
    what: &str,
    x: Option<String>,
    y: Option<String>,
    own: &[LossKind],
    differences: &mut Differences,
) {
    if x == y {
        return;
    }
    let what = Difference::new(what, &x, &y);
    let (x, y) = (x.unwrap_or_default(), y.unwrap_or_default());
    let signs = |text: &str| text.matches('?').count();
    if is_blank(&x) && is_blank(&y) && signs(&y) > signs(&x).max(1) {
        // Letters that the target lacks, here from another field that was joined to this one.
        return differences.add(
            what,
            &[own, &[LossKind::NameText, LossKind::TagText]].concat(),
        );
    }
    if is_blank(&x) && is_blank(&y) {
        let kinds = [own, &[LossKind::EmptyTag]].concat();
        return differences.excused(what, &kinds, excuse::UNKNOWN);
    }
    let mut kinds = text_kinds(&x, &y, own, LossKind::NameCut, LossKind::NameText);
    // Some formats store some of these as tags.
    if kinds.contains(&LossKind::NameCut) {
        kinds.push(LossKind::TagCut);
    }
    if kinds.contains(&LossKind::NameText) {
        kinds.push(LossKind::TagText);
    }
    if is_empty_tag(&x) {
        kinds.push(LossKind::EmptyTag);
    }
    if is_blank(&y) {
        // `?` may replace a missing name or a character that the target lacks.
        kinds.push(LossKind::NameCut);
        if !x.chars().any(|c| c.is_ascii_alphanumeric()) {
            kinds.push(LossKind::NameText);
        }
    }
    differences.add(what, &kinds);
}

fn players(before: &Game, after: &Game, differences: &mut Differences) {
    for color in Color::ALL {
        let (x, y) = (before.header.player(color), after.header.player(color));
        let field = Field::title(color).tag();
        text(
            field,
            shown(before, x.title),
            shown(after, y.title),
            &[LossKind::Title],
            differences,
        );
        if x.fide_id != y.fide_id {
            let field = Field::fide_id(color).tag();
            let what = Difference::new(field, x.fide_id, y.fide_id);
            differences.add(what, &[LossKind::FideId]);
        }
        let field = Field::rating(color).tag();
        rating(field, x.rating, y.rating, differences);
    }
}

fn rating(field: &str, x: Option<Rating>, y: Option<Rating>, differences: &mut Differences) {
    if x == y {
        return;
    }
    let what = Difference::new(field, x, y);
    let mut kinds = Vec::new();
    let value = |rating: Option<Rating>| rating.map_or(0, |rating| rating.value);
    if value(x) != value(y) {
        kinds.push(LossKind::Rating);
        if value(x).abs_diff(value(y)) < 10 {
            kinds.push(LossKind::RatingRounded);
        }
    }
    if x.map(|rating| rating.kind) != y.map(|rating| rating.kind) {
        kinds.push(LossKind::RatingType);
    }
    differences.add(what, &kinds);
}

fn values(before: &Game, after: &Game, differences: &mut Differences) {
    use LossKind as L;
    let (a, b) = (&before.header, &after.header);
    let deleted = GameFlags::DELETED;
    let is_deleted = |flags: GameFlags| flags.contains(deleted);
    let rows: [(Difference, bool, &[L]); 6] = [
        (
            Difference::new("Date", a.date, b.date),
            a.date == b.date || is_kept_as_text(a.date, after, Field::Date),
            &[L::Date],
        ),
        (
            Difference::new("EventDate", a.event_date, b.event_date),
            a.event_date == b.event_date || is_kept_as_text(a.event_date, after, Field::EventDate),
            &[L::EventDate, L::Date],
        ),
        (
            Difference::new("Result", a.outcome, b.outcome),
            a.outcome == b.outcome,
            &[L::Result],
        ),
        (
            Difference::new("ECO", a.eco, b.eco),
            a.eco == b.eco,
            &[L::Eco],
        ),
        (
            Difference::new("flags", a.flags - deleted, b.flags - deleted),
            a.flags - deleted == b.flags - deleted,
            &[L::Flags],
        ),
        (
            Difference::new("deleted", is_deleted(a.flags), is_deleted(b.flags)),
            is_deleted(a.flags) == is_deleted(b.flags),
            &[L::DeletedFlag, L::Flags],
        ),
    ];
    for (difference, equal, kinds) in rows {
        if !equal {
            differences.add(difference, kinds);
        }
    }
}

/// Returns whether an impossible date is still present as the text of its field. Readers of tags
/// use only the possible part of the date.
fn is_kept_as_text(date: Date, after: &Game, field: Field) -> bool {
    let text = after.header.verbatim(field);
    let text = text.map(|text| after.text(text).as_bytes());
    !date.is_possible() && text.is_some_and(|text| Date::from_lenient_ascii(text) == date)
}

fn start(before: &Game, after: &Game, differences: &mut Differences) {
    if before.header.start == after.header.start {
        return;
    }
    let fen = |start: &Start| match start {
        Start::Standard => "usual".to_owned(),
        Start::Setup(setup) => {
            let mut text = Vec::new();
            setup.write_fen(&mut text);
            let kind = if setup.chess960 { " (Chess960)" } else { "" };
            String::from_utf8_lossy(&text).into_owned() + kind
        }
    };
    let setup = |start: &Start| match start {
        Start::Standard => Setup::standard(),
        Start::Setup(setup) => (**setup).clone(),
    };
    let (left, right) = (fen(&before.header.start), fen(&after.header.start));
    let what = Difference::in_words("start", left, right);
    let (x, y) = (setup(&before.header.start), setup(&after.header.start));
    if x == y {
        return differences.excused(
            what,
            &[LossKind::StartPosition, LossKind::Tag],
            excuse::START,
        );
    }
    let counters = |setup: &Setup| (setup.board.halfmove_clock(), setup.board.fullmove_number());
    let plain = |setup: &Setup| {
        let mut board = setup.board.clone();
        board.set_halfmove_clock(0);
        board.set_fullmove_number(1);
        board
    };
    if plain(&x) != plain(&y) || x.chess960 != y.chess960 {
        let kinds = [LossKind::StartPosition, LossKind::Chess960];
        let rights = x.chess960 || has_rights(&x) != has_rights(&y);
        differences.add(what.clone(), if rights { &kinds } else { &kinds[..1] });
    }
    if counters(&x) != counters(&y) {
        differences.add(what, &[LossKind::StartCounters, LossKind::StartPosition]);
    }
}

/// Returns the castling rights of a position.
fn has_rights(setup: &Setup) -> Vec<Option<Square>> {
    let rights = |color| Side::ALL.map(|side| setup.board.castling_rook(color, side));
    Color::ALL.into_iter().flat_map(rights).collect()
}

/// A tag: name, value, and the typed field if the tag is a spelling of one.
type TagSpelling = (String, String, Option<Field>);

/// Compares tags without a typed field, and spellings of typed fields.
fn tags(before: &Game, after: &Game, differences: &mut Differences) {
    let all = |game: &Game| -> Vec<TagSpelling> {
        let text = |id| game.text(id).decode().into_owned();
        game.header
            .tags
            .iter()
            .filter_map(|tag| match *tag {
                Tag::Other { name, value } => Some((text(name), text(value), None)),
                Tag::Verbatim(field, value) => {
                    Some((field.tag().to_owned(), text(value), Some(field)))
                }
                Tag::Place(_) => None,
            })
            .collect()
    };
    let (mut old, mut new) = (all(before), all(after));
    // Tags present on both sides are no difference; repeated tags are matched one by one.
    let same = |a: &TagSpelling, b: &TagSpelling| (&a.0, &a.1) == (&b.0, &b.1);
    old.retain(|tag| match new.iter().position(|other| same(other, tag)) {
        Some(index) => {
            new.remove(index);
            false
        }
        None => true,
    });
    let repeats = |name: &str| ["SetUp", "Variant"].contains(&name);
    for (name, value, field) in old {
        if repeats(&name) && !matches!(after.header.start, Start::Standard) {
            let kinds = [LossKind::Tag, LossKind::EmptyTag];
            let what = Difference::new(format!("tag {name}"), value, "");
            differences.excused(what, &kinds, excuse::REPEATED);
            continue;
        }
        let mut kinds = Vec::new();
        if is_empty_tag(&value) {
            kinds.push(LossKind::EmptyTag);
        }
        let index = new.iter().position(|(other, _, _)| *other == name);
        let now = index.map(|index| new.remove(index).1);
        let what = Difference::new(format!("tag {name}"), &value, &now);
        match &now {
            None => kinds.extend([LossKind::Tag, LossKind::TagCut, LossKind::TagText]),
            Some(_) if name == LINE_EVALUATION => kinds.push(LossKind::NagChanged),
            Some(now) => {
                let (cut, changed) = (LossKind::TagCut, LossKind::TagText);
                kinds.extend(text_kinds(&value, now, &[], cut, changed));
            }
        }
        match field {
            None => differences.add(what, &kinds),
            Some(field) => {
                kinds.extend(losses_of_field(field));
                // Some formats count spellings of names and similar fields with the names.
                kinds.push(LossKind::NameText);
                let read = Setup::from_fen(value.as_bytes()).map(|(read, _)| read.board);
                let same_start = before.header.start == after.header.start
                    && read.is_ok_and(|board| board == after.start_board());
                let is_double_forfeit =
                    field == Field::Result && before.header.is_double_forfeit(&before.texts);
                if is_blank(&value) && now.is_none() && !is_double_forfeit {
                    differences.excused(what, &kinds, excuse::UNKNOWN);
                } else if field == Field::Fen && same_start {
                    differences.excused(what, &kinds, excuse::SPELLING);
                } else {
                    differences.add(what, &kinds);
                }
            }
        }
    }
    for (name, value, field) in new {
        let what = Difference::new(format!("tag {name}"), None::<String>, Some(value));
        match field {
            // The value itself is compared as a typed field.
            Some(_) => differences.excused(what, &[], excuse::SPELLING),
            // ChessBase has one code for the result and the reason for it.
            None if name == "Termination" && after.header.is_double_forfeit(&after.texts) => {
                differences.excused(what, &[], excuse::REPEATED);
            }
            None if repeats(&name) => differences.excused(what, &[], excuse::REPEATED),
            None => differences.add(what, &[LossKind::TagText, LossKind::TagCut]),
        }
    }
}

/// Returns the kinds of loss of a typed field.
fn losses_of_field(field: Field) -> &'static [LossKind] {
    use LossKind as L;
    match field {
        Field::Date => &[L::Date],
        Field::EventDate => &[L::EventDate],
        Field::Round => &[L::Round],
        Field::Result => &[L::Result],
        Field::Eco => &[L::Eco],
        Field::WhiteTitle | Field::BlackTitle => &[L::Title],
        Field::WhiteRating | Field::BlackRating => &[L::Rating],
        Field::WhiteFideId | Field::BlackFideId => &[L::FideId],
        Field::Annotator => &[L::Annotator],
        Field::Source => &[L::Source],
        Field::Fen => &[L::StartPosition, L::Chess960],
        Field::Flags => &[L::Flags],
        _ => &[],
    }
}
