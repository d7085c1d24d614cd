//! Random headers.

use chessdb_core::model::{Eco, EcoSub, Field, Named, Rating, RatingKind, Tag};
use chessdb_core::text::Texts;
use chessdb_core::{Charset, Color, Date, Game, Outcome, Start};

use super::{GameOptions, Recipe, flags, texts};
use crate::rng::Rng;

/// Fills everything except the start position.
pub(super) fn fill(game: &mut Game, recipe: &Recipe, rng: &mut Rng) {
    let options = &recipe.options;
    let mut name = |rng: &mut Rng| -> Named {
        if options.missing_names && rng.chance(10) {
            return Named::default();
        }
        texts::name(rng, options, &mut game.texts).into()
    };
    game.header.event = name(rng);
    game.header.site = name(rng);
    game.header.round = name(rng);
    game.header.white.name = name(rng);
    game.header.black.name = name(rng);
    if options.number_rounds {
        game.header.round = number_round(rng, &mut game.texts);
    }
    game.header.date = date(rng, options);
    game.header.outcome = rng.pick(&Outcome::ALL);
    if options.whole_rounds {
        game.header.round = if rng.chance(20) {
            Named::default()
        } else {
            game.add_text(&(1 + rng.below(127)).to_string()).into()
        };
    }
    let has_setup = matches!(game.header.start, Start::Setup(_));
    if has_setup && (options.setup_tag || options.tags && rng.chance(50)) {
        let (name, value) = (game.add_text("SetUp"), game.add_text("1"));
        game.header.tags.push(Tag::Other { name, value });
    }
    if recipe.full_header {
        fill_more(game, options, rng);
    }
}

fn number_round(rng: &mut Rng, texts: &mut Texts) -> Named {
    if rng.chance(20) {
        return Named::default();
    }
    let limit = rng.pick(&[11, 999, 65_535]);
    let number = (1 + rng.below(limit)).to_string();
    texts.push(number.as_bytes(), Charset::UTF_8).into()
}

fn fill_more(game: &mut Game, options: &GameOptions, rng: &mut Rng) {
    for color in Color::ALL {
        if options.titles && rng.chance(30) {
            let title = game.add_text(rng.pick(&["GM", "WIM", "FM", "c-M"]));
            game.header.player_mut(color).title = title;
            place(game, color.pick(Field::WhiteTitle, Field::BlackTitle), rng);
        }
        if options.ratings && rng.chance(60) {
            let kind =
                if options.rating_kinds { rng.pick(&RatingKind::ALL) } else { RatingKind::Elo };
            let value = match rng.below(8) {
                0 => 1,
                1 => options.greatest_rating,
                _ => 1000 + rng.below(1900) as u16,
            };
            game.header.player_mut(color).rating = Some(Rating { value, kind });
            // The tag has its own position among the others only in some games.
            place(game, Field::rating(color), rng);
        }
        if options.fide_ids && rng.chance(20) {
            game.header.player_mut(color).fide_id = Some(1 + rng.below(99_999_999) as u32);
            place(game, Field::fide_id(color), rng);
        }
    }
    if options.eco && rng.chance(60) {
        game.header.eco = Some(eco(rng, options));
        place(game, Field::Eco, rng);
    }
    if options.event_dates && rng.chance(40) {
        game.header.event_date = event_date(rng, game.header.date, options);
    }
    if options.annotators && rng.chance(30) {
        game.header.annotator = texts::name(rng, options, &mut game.texts).into();
        place(game, Field::Annotator, rng);
    }
    if options.annotators && rng.chance(20) {
        game.header.source = texts::name(rng, options, &mut game.texts).into();
        place(game, Field::Source, rng);
    }
    if !options.flags.is_empty() && rng.chance(30) {
        for _ in 0..=rng.below(4) {
            game.header.flags |= flags(&[rng.pick(options.flags)]);
        }
    }
    if options.tags {
        add_tags(game, options, rng);
    }
}

/// Records the position of a tag in half of the cases: some games know the source order of their
/// tags, some do not.
fn place(game: &mut Game, field: Field, rng: &mut Rng) {
    if rng.chance(50) {
        game.header.tags.push(Tag::Place(field));
    }
}

fn add_tags(game: &mut Game, options: &GameOptions, rng: &mut Rng) {
    let mut used = Vec::new();
    for _ in 0..rng.below(5) {
        let name = texts::tag_name(rng);
        if used.contains(&name) && !options.repeated_tags {
            continue;
        }
        used.push(name);
        let name = game.add_text(name);
        let value = texts::name(rng, options, &mut game.texts);
        game.header.tags.push(Tag::Other { name, value });
    }
}

fn date(rng: &mut Rng, options: &GameOptions) -> Date {
    let year = match rng.below(6) {
        0 => options.greatest_year,
        1 => 1,
        _ => 1850 + rng.below(180) as u16,
    };
    let (month, day) = (1 + rng.below(12) as u8, 1 + rng.below(28) as u8);
    match rng.below(10) {
        0 => Date::UNKNOWN,
        1 => Date::new(year, 0, 0),
        2 => Date::new(year, month, 0),
        3 => Date::new(year, 0, day),
        4 => Date::new(0, month, day),
        5 if options.odd_dates => Date::new(year, 13 + rng.below(3) as u8, 31),
        6 if options.odd_dates => Date::new(1926, 6, 31),
        _ => Date::new(year, month, day),
    }
}

fn event_date(rng: &mut Rng, game: Date, options: &GameOptions) -> Date {
    let Some(window) = options.event_window else {
        return date(rng, options);
    };
    // Such a format stores the year of the event relative to that of the game.
    if game.year <= window || game.year + window > options.greatest_year {
        return Date::UNKNOWN;
    }
    let year = game.year - window + rng.below(2 * usize::from(window) + 1) as u16;
    match rng.below(4) {
        0 => Date::new(year, 0, 0),
        _ => Date::new(year, 1 + rng.below(12) as u8, 1 + rng.below(28) as u8),
    }
}

fn eco(rng: &mut Rng, options: &GameOptions) -> Eco {
    let code = match rng.below(8) {
        0 => 0,
        1 => 499,
        _ => rng.below(500) as u16,
    };
    let sub = match rng.below(4) {
        0 if options.eco_letters => EcoSub::Letter {
            letter: rng.below(26) as u8,
            digit: rng.below(5) as u8,
        },
        1 if options.eco_numbers => EcoSub::Number(rng.below(100) as u8),
        _ => EcoSub::None,
    };
    // SCID cannot number the last code with the last sub-code.
    Eco {
        code: if sub == EcoSub::None { code } else { code.min(498) },
        sub,
    }
}
