//! Terms written in full.

use crate::syntax::{Form, Item, RawKey, Sign};

/// Returns a text in quotes, with escapes.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}

/// Returns a value so that it is read as the same value again.
pub(super) fn value(item: &Item) -> String {
    let text = match item.form {
        Form::Regex => format!("/{}/", item.text.replace('/', "\\/")),
        Form::Plain if item.text.contains(|c: char| c.is_whitespace() || c == ',') => {
            quoted(&item.text)
        }
        Form::Plain | Form::Unclosed => item.text.clone(),
        Form::Quoted | Form::Position => quoted(&item.text),
    };
    match &item.name {
        Some((name, Sign::Is)) => format!("{name}={text}"),
        Some((name, sign)) => format!("{name}{}{text}", sign_text(*sign)),
        None => text,
    }
}

/// Returns the values of a list.
pub(super) fn values(items: &[Item]) -> String {
    let values: Vec<String> = items.iter().map(value).collect();
    values.join(",")
}

/// Returns a term with its key.
pub(super) fn term(key: &RawKey, items: &[Item]) -> String {
    format!("{}{}{}", key.name, sign_text(key.sign), values(items))
}

fn sign_text(sign: Sign) -> &'static str {
    match sign {
        Sign::Is | Sign::IsNot => ":",
        Sign::AtLeast => ">=",
        Sign::AtMost => "<=",
        Sign::Above => ">",
        Sign::Below => "<",
    }
}
