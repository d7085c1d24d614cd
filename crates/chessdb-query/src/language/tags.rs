//! The terms about tags: `tag:ECO`, `tag:Opening=Najdorf`, `tag:WhiteElo>2600`.

use crate::headers::{DecimalRange, TagTest, TagValue};
use crate::syntax::{
    Bounds, DateRanges, Fault, Form, Item, Sign, TextTest, is_decimal, is_name_key, sign_at,
};

/// Parses the tags of a list.
pub(super) fn tags(items: &[Item]) -> Result<Vec<TagTest>, (usize, Fault)> {
    let mut tests: Vec<TagTest> = Vec::with_capacity(items.len());
    let mut n = 0;
    while let Some(item) = items.get(n) {
        let mut item = with_name(item);
        let next = items.get(n + 1);
        // A comma belongs to the name of a person, as after `player:`.
        if let (Some((name, _)), Some(given)) = (&item.name, next)
            && is_name_key(&name.to_ascii_lowercase())
            && given.form == Form::Plain
            && item.form != Form::Regex
            && given.name.is_none()
        {
            item.text = format!("{}, {}", item.text, given.text);
            n += 1;
        }
        tests.push(tag(&item).map_err(|fault| (n, fault))?);
        n += 1;
    }
    Ok(tests)
}

/// Returns the item with the name of its tag. In quotes it has not been separated yet:
/// `"WhiteElo > 2600"`.
fn with_name(item: &Item) -> Item {
    let mut item = item.clone();
    if let (None, Some((start, end, sign))) = (&item.name, sign_at(&item.text)) {
        let name = item.text.get(..start).unwrap_or_default().trim().to_owned();
        let value = item.text.get(end..).unwrap_or_default().trim().to_owned();
        item.name = Some((name, sign));
        item.text = value;
        item.form = Form::Plain;
    }
    item
}

fn tag(item: &Item) -> Result<TagTest, Fault> {
    let name = item.name.as_ref().map_or(&item.text, |(name, _)| name);
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if name.is_empty() || !is_name(name) {
        let message = "expected the name of a tag, as in tag:WhiteTeam, tag:WhiteTeam=Riga or \
                       tag:WhiteElo>2600";
        return Err(Fault::from(message));
    }
    let value = match &item.name {
        Some((name, sign)) => Some(value(name, *sign, item)?),
        None => None,
    };
    Ok(TagTest {
        name: name.to_ascii_lowercase(),
        value,
    })
}

/// Parses the value of a tag. Numbers and dates are compared as such; other values are texts.
fn value(name: &str, sign: Sign, item: &Item) -> Result<TagValue, Fault> {
    if sign == Sign::IsNot {
        return Err(Fault::from("to exclude a value write -tag:NAME=VALUE"));
    }
    let is_name = is_name_key(&name.to_ascii_lowercase());
    let text = || if is_name { TextTest::read_name(item) } else { TextTest::read(item) };
    let written = item.text.trim();
    if sign == Sign::Is && item.form != Form::Plain {
        return text().map(TagValue::Text);
    }
    let is_date = name.to_ascii_lowercase().ends_with("date");
    let is_open = |text: &str| {
        text.strip_suffix('+').is_some_and(is_decimal)
            || text.starts_with(['<', '>', '=', '\u{2264}', '\u{2265}'])
    };
    let is_range = sign != Sign::Is || written.contains("..") || is_open(written);
    if is_date && (is_range || written.starts_with(|c: char| c.is_ascii_digit())) {
        let items = std::slice::from_ref(item);
        let dates = DateRanges::read(items, sign).map_err(|(_, fault)| fault)?;
        return Ok(TagValue::Dates(dates));
    }
    if !is_range {
        let number = DecimalRange::one(written);
        let is_elo = matches!(name.to_ascii_lowercase().as_str(), "whiteelo" | "blackelo");
        if is_elo && number.is_none() && !matches!(written, "?" | "-") {
            let message = "a rating is a number; write tag:WhiteElo=2600 or a range, 2500..2600";
            return Err(Fault::from(message));
        }
        let test = text()?;
        return Ok(match number {
            Some(number) => TagValue::Number(number, Some(test)),
            None => TagValue::Text(test),
        });
    }
    let ends = Bounds::read(written, sign, |_, _| false)?;
    let bad = || Fault::from("only numbers and dates can be compared: tag:WhiteElo>2600");
    let end = |text: Option<&str>| -> Result<Option<f64>, Fault> {
        text.map(|text| DecimalRange::number(text).ok_or_else(bad))
            .transpose()
    };
    let (first, last) = (end(ends.first)?, end(ends.last)?);
    if let (Some(first), Some(last)) = (first, last)
        && first > last
    {
        return Err(ends.reversed().unwrap_or_else(bad));
    }
    Ok(TagValue::Number(
        DecimalRange {
            first,
            last,
            sign: ends.sign,
        },
        None,
    ))
}
