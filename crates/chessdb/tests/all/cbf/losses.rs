//! Comparison of two games and of the losses reported between them: every missing part must be
//! reported, and every reported part must be missing.
//!
//! The kinds of loss are grouped into facets, each with the number of differences found.

use chessdb::core::annotation::CommentRun;
use chessdb::core::board::MoveKind;
use chessdb::core::compare::{first_difference, moves_difference};
use chessdb::core::model::{Field, Place, Tag};
use chessdb::core::text::TextId;
use chessdb::core::{Charset, Event, Game, Start, Text};
use chessdb::{Color, LossKind, Losses};

/// One aspect in which games may differ.
struct Facet {
    what: &'static str,
    kinds: &'static [LossKind],
    /// Number of differences found.
    found: u32,
    /// Whether the reported number must equal the number found; otherwise both must be zero or
    /// neither.
    exact: bool,
}

/// Creates a facet with an exact number.
fn exact(what: &'static str, kinds: &'static [LossKind], found: u32) -> Facet {
    let exact = true;
    Facet {
        what,
        kinds,
        found,
        exact,
    }
}

/// Creates a facet for which a loss must be reported if and only if a difference is found.
fn loose(what: &'static str, kinds: &'static [LossKind], found: bool) -> Facet {
    let (found, exact) = (u32::from(found), false);
    Facet {
        what,
        kinds,
        found,
        exact,
    }
}

/// Compares the losses reported between `a` and `b` with the differences. `b` came back from a
/// format that can store everything ChessBase's format can.
pub(crate) fn compare(a: &Game, b: &Game, losses: &Losses) -> Result<(), String> {
    let announced = |kinds: &[LossKind]| -> u32 { kinds.iter().map(|k| losses.count(*k)).sum() };
    let facets = facets(a, b, losses);
    for facet in &facets {
        let said = announced(facet.kinds);
        let agrees =
            if facet.exact { said == facet.found } else { (said > 0) == (facet.found > 0) };
        if !agrees {
            let Facet { what, found, .. } = facet;
            let difference = first_difference(a, b).map(|difference| difference.to_string());
            return Err(format!(
                "{what}: a diff finds {found}, announced were {said}: {losses:?}; {difference:?}"
            ));
        }
    }
    let known = |kind| facets.iter().any(|facet| facet.kinds.contains(&kind));
    match losses.iter().find(|loss| !known(loss.kind)) {
        Some(loss) => Err(format!("{} is a loss that nothing shows", loss.kind.code())),
        None => Ok(()),
    }
}

fn facets(a: &Game, b: &Game, losses: &Losses) -> Vec<Facet> {
    let mut facets = header(a, b);
    facets.extend(tape(a, b, losses));
    facets
}

/// Returns a name; a missing name, an empty name and PGN's `?` are equal.
fn name(game: &Game, id: TextId) -> String {
    let text = game.text(id).decode().into_owned();
    if text == "?" { String::new() } else { text }
}

fn header(a: &Game, b: &Game) -> Vec<Facet> {
    let (x, y) = (&a.header, &b.header);
    let gone = |field: Field| u32::from(tells(a, x.verbatim(field)) && y.verbatim(field).is_none());
    let differs = |p: TextId, q: TextId| name(a, p) != name(b, q);
    let per_player = |count: &dyn Fn(Color) -> bool| {
        Color::ALL.iter().filter(|color| count(**color)).count() as u32
    };
    let ratings = |color: Color| (x.player(color).rating, y.player(color).rating);
    let rounded = per_player(&|color| match ratings(color) {
        (Some(p), Some(q)) => p.value != q.value && p.value.abs_diff(q.value) <= 2,
        _ => false,
    });
    let other_kind = per_player(&|color| match ratings(color) {
        (Some(p), Some(q)) => p.kind != q.kind,
        _ => false,
    });
    let lost = per_player(&|color| match ratings(color) {
        (Some(p), Some(q)) => p.value.abs_diff(q.value) > 2,
        (p, q) => p != q,
    });
    let lost = lost + gone(Field::WhiteRating) + gone(Field::BlackRating);
    let says = |id: TextId| id.is_some() && !a.text(id).says_nothing();
    let titles = per_player(&|color| says(x.player(color).title));
    let ids = per_player(&|color| x.player(color).fide_id != y.player(color).fide_id);
    let players =
        per_player(&|color| differs(x.player(color).name.text, y.player(color).name.text));
    let event = merged_event(a) != name(b, y.event.text);
    let annotator = differs(x.annotator.text, y.annotator.text);
    let site = !name(a, x.site.text).is_empty() && name(b, y.site.text).is_empty();
    let round = differs(x.round.text, y.round.text);
    let date = x.date != y.date || gone(Field::Date) > 0;
    let event_date = x.event_date != y.event_date || gone(Field::EventDate) > 0;
    let eco = x.eco != y.eco || gone(Field::Eco) > 0;
    let flags = x.flags != y.flags || gone(Field::Flags) > 0;
    let fen_text = x.verbatim(Field::Fen).is_some() && y.verbatim(Field::Fen).is_none();
    let chess960 = is_chess960(a);
    let start = fen(a, chess960) != fen(b, chess960);
    let (tags, empty_tags) = tags_lost(a, b);
    let names: &[_] = &[
        LossKind::NameCut,
        LossKind::NameText,
        LossKind::TextLayout,
        LossKind::Annotator,
    ];
    let starts: &[_] = &[LossKind::StartPosition, LossKind::StartCounters];
    vec![
        exact("rounded ratings", &[LossKind::RatingRounded], rounded),
        exact("types of ratings", &[LossKind::RatingType], other_kind),
        exact("ratings", &[LossKind::Rating], lost),
        exact("titles", &[LossKind::Title], titles),
        exact("FIDE numbers", &[LossKind::FideId], ids),
        exact("site", &[LossKind::SiteMerged], site.into()),
        exact("tags", &[LossKind::Tag], tags),
        exact("empty tags", &[LossKind::EmptyTag], empty_tags),
        loose("names", names, players > 0 || event || annotator),
        loose("round", &[LossKind::Round], round),
        loose("source", &[LossKind::Source], says(x.source.text)),
        loose("text of a FEN", &[LossKind::TagText], fen_text),
        loose("date", &[LossKind::Date], date),
        loose("event date", &[LossKind::EventDate], event_date),
        loose(
            "result",
            &[LossKind::Result],
            x.outcome != y.outcome || gone(Field::Result) > 0,
        ),
        loose("ECO", &[LossKind::Eco], eco),
        loose("flags", &[LossKind::Flags], flags),
        loose("start", starts, start),
        loose(
            "Chess960",
            &[LossKind::Chess960],
            chess960 && !is_chess960(b),
        ),
    ]
}

/// Returns whether a source text that its field does not reproduce has any content.
fn tells(game: &Game, text: Option<TextId>) -> bool {
    text.is_some_and(|text| !game.text(text).says_nothing())
}

/// Returns the expected event: with the site, and with a round that is not a number.
fn merged_event(game: &Game) -> String {
    let header = &game.header;
    let [mut event, site, round] =
        [header.event, header.site, header.round].map(|named| name(game, named.text));
    if site.starts_with(&event) {
        event = site;
    } else if !site.is_empty() {
        event = format!("{event}, {site}");
    }
    let number = round.strip_prefix("m/").unwrap_or(&round);
    let is_round = number
        .chars()
        .all(|c| c.is_ascii_digit() || "./\\".contains(c))
        && number.contains(|c: char| c.is_ascii_digit());
    if !is_round && !matches!(&*round, "" | "-") {
        let blank = if event.is_empty() { "" } else { " " };
        event = format!("{event}{blank}({round})");
    }
    event
}

/// Returns placement, side to move and counters, and castling rights except in Chess960.
fn fen(game: &Game, chess960: bool) -> Option<String> {
    let Start::Setup(setup) = &game.header.start else {
        return None;
    };
    let fen = setup.board.to_string();
    let fields = fen.split(' ').enumerate();
    let kept = fields.filter(|(n, _)| *n != 2 || !chess960);
    Some(kept.map(|(_, field)| field).collect::<Vec<_>>().join(" "))
}

/// Returns whether a game is marked as Chess960, or has a castling right of a rook not in a corner.
fn is_chess960(game: &Game) -> bool {
    let Start::Setup(setup) = &game.header.start else {
        return false;
    };
    let board = &setup.board;
    let odd = |color: Color, side| {
        let rook = board.castling_rook(color, side);
        rook.is_some_and(|rook| !matches!(rook.file(), 0 | 7) || rook.rank() != color.rank(0))
    };
    let mut rights = Color::ALL
        .into_iter()
        .flat_map(|color| chessdb::core::board::Side::ALL.map(|side| (color, side)));
    setup.chess960 || rights.any(|(color, side)| odd(color, side))
}

/// Returns how many tags without a field only `a` has: with content, and without.
fn tags_lost(a: &Game, b: &Game) -> (u32, u32) {
    let others = |game: &Game| -> Vec<(String, String)> {
        let text = |id| game.text(id).decode().into_owned();
        let tags = game.header.tags.iter().filter_map(|tag| match *tag {
            Tag::Other { name, value } => Some((text(name), text(value))),
            _ => None,
        });
        // PGN writes it whenever there is a start position.
        let setup = matches!(game.header.start, Start::Setup(_));
        tags.filter(|(name, value)| !(setup && name == "SetUp" && value == "1"))
            .collect()
    };
    let held = others(b);
    let lost: Vec<_> = others(a)
        .into_iter()
        .filter(|tag| !held.contains(tag))
        .collect();
    let says = |(name, value): &&(String, String)| {
        let text = Text::new(value.as_bytes(), Charset::UTF_8);
        name == "Variant" || !text.says_nothing()
    };
    let tags = lost.iter().filter(says).count();
    let mut empty = lost.len() - tags;
    for tag in &a.header.tags {
        if let Tag::Verbatim(field, text) = *tag {
            let is_lost = field != Field::Fen && b.header.verbatim(field).is_none();
            empty += usize::from(is_lost && !tells(a, Some(text)));
        }
    }
    let (x, y) = (&a.header, &b.header);
    let annotator = x.annotator.text;
    empty += usize::from(annotator.is_some() && name(a, annotator).is_empty());
    for text in [x.white.title, x.black.title, x.source.text] {
        empty += usize::from(text.is_some() && a.text(text).says_nothing());
    }
    let is_empty = |id: TextId| id.is_some() && a.text(id).is_empty();
    for named in [x.event, x.site] {
        empty += usize::from(is_empty(named.text));
    }
    // An empty round in a name table comes from SCID, which writes one for a missing round.
    empty += usize::from(is_empty(x.round.text) && x.round.key.is_none());
    for color in Color::ALL {
        let [p, q] = [x, y].map(|header| header.player(color).name.text);
        empty += usize::from(is_empty(p) && (q.is_none() || b.text(q).as_bytes() == b"?"));
    }
    (tags as u32, empty as u32)
}

/// Counts of the elements of a movetext.
#[derive(Default, Debug)]
struct Tape {
    moves: u32,
    nulls: u32,
    variations: u32,
    nags: Vec<u16>,
    commands: u32,
    outcomes: u32,
    faults: u32,
    extras: u32,
    /// Comments with the commands before them, and commands alone.
    texts: Vec<String>,
    /// All elements except texts, in order.
    order: Vec<String>,
}

impl Tape {
    fn of(game: &Game) -> Tape {
        let mut tape = Tape::default();
        let mut run = CommentRun::default();
        for event in game.events() {
            tape.commands += u32::from(run.command(&event));
            if let Event::Comment(place, text) = event {
                tape.text(Some(place), run.with_text(text));
                continue;
            }
            if matches!(event, Event::Clock(_) | Event::Eval(_) | Event::Shapes(_)) {
                continue;
            }
            if let Some(text) = run.take() {
                tape.text(None, text);
            }
            match event {
                Event::Move(mv) => {
                    tape.moves += 1;
                    tape.nulls += u32::from(mv.kind() == MoveKind::Null);
                }
                Event::Open(_) => tape.variations += 1,
                Event::Nag(nag) => tape.nags.push(nag),
                Event::Outcome(_) => tape.outcomes += 1,
                Event::Fault(..) => tape.faults += 1,
                _ => tape.extras += u32::from(matches!(event, Event::Extra(_))),
            }
            tape.order.push(match event {
                Event::Open(_) => "open".into(),
                event => format!("{event:?}"),
            });
        }
        if let Some(text) = run.take() {
            tape.text(None, text);
        }
        tape
    }

    fn text(&mut self, place: Option<Place>, text: Text<'_>) {
        self.texts.push(text.decode().into_owned());
        self.order.push(format!("comment {place:?}"));
    }
}

/// Returns how many of `a` are not in `b`.
fn missing<T: Ord + Clone>(a: &[T], b: &[T]) -> u32 {
    let mut rest = b.to_vec();
    let gone = a
        .iter()
        .filter(|item| match rest.iter().position(|other| other == *item) {
            Some(at) => {
                rest.swap_remove(at);
                false
            }
            None => true,
        });
    gone.count() as u32
}

/// Losses that appear in moves and annotations only.
const OF_TAPE: &[LossKind] = &[
    LossKind::MovesCut,
    LossKind::VariationMoves,
    LossKind::NullMove,
    LossKind::GhostEnPassant,
    LossKind::IllegalMove,
    LossKind::Variation,
    LossKind::VariationBeforeMove,
    LossKind::Comment,
    LossKind::CommentMerged,
    LossKind::CommentMoved,
    LossKind::CommentCut,
    LossKind::CommentText,
    LossKind::CommentLayout,
    LossKind::Nag,
    LossKind::NagMoved,
    LossKind::NagChanged,
    LossKind::Clock,
    LossKind::Eval,
    LossKind::Shapes,
    LossKind::MoveResult,
    LossKind::Fault,
];

fn tape(a: &Game, b: &Game, losses: &Losses) -> Vec<Facet> {
    let (x, y) = (Tape::of(a), Tape::of(b));
    let count = |kind| losses.count(kind);
    let any = |kinds: &[LossKind]| kinds.iter().any(|kind| count(*kind) > 0);
    let commands: &[_] = &[LossKind::Clock, LossKind::Eval, LossKind::Shapes];
    let comments: &[_] = &[LossKind::Comment, LossKind::CommentMerged];
    let changed: &[_] = &[
        LossKind::CommentText,
        LossKind::CommentLayout,
        LossKind::CommentCut,
    ];
    let moved: &[_] = &[LossKind::CommentMoved, LossKind::NagMoved];
    let cut: &[_] = &[
        LossKind::NullMove,
        LossKind::GhostEnPassant,
        LossKind::IllegalMove,
        LossKind::MovesCut,
        LossKind::VariationMoves,
    ];
    // In Chess960 a castling move can end a line; one loss is counted for the start.
    let castlings = count(LossKind::Chess960).saturating_sub(1);
    let extras = missing_extras(a, b) + x.extras.wrapping_sub(y.extras);
    let variations: &[_] = &[LossKind::Variation, LossKind::VariationBeforeMove];
    let differs = moves_difference(a, b).is_some() && extras == 0;
    let mut facets = vec![
        exact(
            "moves",
            cut,
            x.moves.wrapping_sub(y.moves).wrapping_sub(castlings),
        ),
        exact(
            "variations",
            variations,
            x.variations.wrapping_sub(y.variations),
        ),
        exact(
            "NAGs",
            &[LossKind::Nag],
            (x.nags.len() as u32).wrapping_sub(y.nags.len() as u32),
        ),
        exact(
            "results",
            &[LossKind::MoveResult],
            x.outcomes.wrapping_sub(y.outcomes),
        ),
        exact(
            "faults",
            &[LossKind::Fault],
            x.faults.wrapping_sub(y.faults),
        ),
        exact("data of the format", &[LossKind::GameExtra], extras),
        loose(
            "moves and annotations",
            OF_TAPE,
            differs && (castlings == 0 || any(OF_TAPE)),
        ),
    ];
    if any(&[LossKind::NullMove]) || !any(cut) {
        // Null moves after the end of a line count as cut moves.
        facets.push(loose(
            "null moves",
            &[LossKind::NullMove],
            x.nulls > y.nulls,
        ));
    }
    let units = (x.texts.len() as u32).wrapping_sub(y.texts.len() as u32);
    if any(commands) || !any(comments) {
        // Joined with another comment, commands become text.
        facets.push(loose("commands", commands, x.commands != y.commands));
    }
    if !any(commands) {
        facets.push(exact("comments", comments, units));
    }
    if units == 0 {
        facets.push(exact(
            "texts of comments",
            changed,
            missing(&x.texts, &y.texts),
        ));
    }
    if x.nags.len() == y.nags.len() {
        facets.push(exact(
            "NAGs changed",
            &[LossKind::NagChanged],
            missing(&x.nags, &y.nags),
        ));
    }
    let removed = any(cut)
        || any(variations)
        || any(comments)
        || any(commands)
        || any(&[LossKind::Nag, LossKind::NagChanged, LossKind::MoveResult])
        || any(&[LossKind::Fault, LossKind::GameExtra])
        || castlings > 0;
    if !removed {
        facets.push(loose("places", moved, x.order != y.order));
    }
    facets
}

/// Returns the number of format-specific header data that only `a` has.
fn missing_extras(a: &Game, b: &Game) -> u32 {
    let held = |extra| !b.header.extras.contains(extra);
    a.header.extras.iter().filter(|extra| held(extra)).count() as u32
}
