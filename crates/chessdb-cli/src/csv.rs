//! Tables as comma-separated values (RFC 4180): the values of `--json` as rows and columns.

use std::io;

use crate::json::{Json, members};
use crate::output::{plain, print_text};

/// Appends a row.
pub(crate) fn push_row<'f>(text: &mut String, fields: impl IntoIterator<Item = &'f str>) {
    for (n, field) in fields.into_iter().enumerate() {
        if n > 0 {
            text.push(',');
        }
        // Control characters are for the terminal, and a row has one line.
        let field = plain(field);
        if field.contains([',', '"']) {
            text.push('"');
            text.push_str(&field.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(&field);
        }
    }
    text.push('\n');
}

/// Prints objects as the rows of a table with a title row. Members of inner objects are columns
/// such as `asWhite.games`.
pub(crate) fn print(rows: &[Json]) -> io::Result<()> {
    print_text(&table(rows))
}

/// Prints all lists of objects of a document as one table, with the name of the list and the first
/// member of each object as the first columns.
pub(crate) fn print_document(document: &Json) -> io::Result<()> {
    let mut rows = Vec::new();
    push_lists("", document, &mut rows);
    print(&rows)
}

fn table(rows: &[Json]) -> String {
    let cells: Vec<Vec<(String, String)>> = rows.iter().map(cells).collect();
    let mut titles: Vec<&str> = Vec::new();
    for (title, _) in cells.iter().flatten() {
        if !titles.contains(&title.as_str()) {
            titles.push(title);
        }
    }
    let mut text = String::new();
    if !titles.is_empty() {
        push_row(&mut text, titles.iter().copied());
    }
    for row in &cells {
        let value = |title: &&str| {
            let cell = row.iter().find(|(name, _)| name == title);
            cell.map_or("", |(_, value)| value.as_str())
        };
        push_row(&mut text, titles.iter().map(value));
    }
    text
}

/// Returns the values of an object with their titles.
fn cells(row: &Json) -> Vec<(String, String)> {
    let mut cells = Vec::new();
    let Json::Object(row) = row else {
        return cells;
    };
    for (name, value) in row {
        if let Json::Object(_) = value {
            let inner = self::cells(value).into_iter();
            cells.extend(inner.map(|(title, value)| (format!("{name}.{title}"), value)));
        } else {
            cells.push((name.clone(), text_of(value)));
        }
    }
    cells
}

fn text_of(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// Appends the objects of a document as rows: each of a list, and each without inner objects.
fn push_lists(name: &str, value: &Json, rows: &mut Vec<Json>) {
    let Json::Object(document) = value else {
        return;
    };
    let path =
        |inner: &str| if name.is_empty() { inner.to_owned() } else { format!("{name}.{inner}") };
    for (inner, value) in document {
        match value {
            Json::Array(list) => {
                for item in list {
                    if let Json::Object(item) = item {
                        let first = item.values().next().cloned().unwrap_or_default();
                        let mut row = members([("table", path(inner).into()), ("value", first)]);
                        if let Json::Object(row) = &mut row {
                            let rest = item.iter().skip(1);
                            row.extend(rest.map(|(name, value)| (name.clone(), value.clone())));
                        }
                        rows.push(row);
                    }
                }
            }
            Json::Object(object)
                if object
                    .values()
                    .any(|inner| inner.is_object() || inner.is_array()) =>
            {
                push_lists(&path(inner), value, rows);
            }
            Json::Object(object) => {
                let mut row = members([("table", name.into()), ("value", inner.as_str().into())]);
                if let Json::Object(row) = &mut row {
                    row.extend(object.clone());
                }
                rows.push(row);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{list, object};

    #[test]
    fn rows_have_all_columns_and_quotes_where_needed() {
        let rows = [
            object! { "name": "Tal, M", "inner": object! { "a": 1, "b": Json::Null } },
            object! { "name": "a\"b\nc\u{1b}", "more": list([1, 2]) },
        ];
        assert_eq!(
            table(&rows),
            "name,inner.a,inner.b,more\n\"Tal, M\",1,,\n\"a\"\"b c \",,,\"[1,2]\"\n"
        );
        assert_eq!(table(&[]), "");
    }

    #[test]
    fn lists_of_a_document_become_one_table() {
        let document = object! {
            "games": 3, "years": list([object! { "year": 1990, "games": 2 }]), "none": Json::Null,
            "clocks": object! { "white": object! { "moves": 4 }, "players": list([object! { "name": "x" }]) },
        };
        let mut rows = Vec::new();
        push_lists("", &document, &mut rows);
        assert_eq!(
            table(&rows),
            "table,value,games,moves\nyears,1990,2,\nclocks,white,,4\nclocks.players,x,,\n"
        );
    }
}
