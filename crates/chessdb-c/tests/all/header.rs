//! chessdb.h declares what the source defines.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::of_crate;

/// Returns the text of a C or Rust file without comments, attributes of a line and line breaks.
fn code(name: &str) -> String {
    let text = fs::read_to_string(of_crate(name)).unwrap();
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find("/*") {
        plain.push_str(&rest[..start]);
        rest = rest[start..].split_once("*/").unwrap().1;
    }
    plain.push_str(rest);
    let lines = plain.lines().map(str::trim);
    let lines = lines.filter(|line| !line.starts_with("//") && !line.starts_with('#'));
    let words = lines.flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the functions that the header declares: name, and the rest in one form.
fn declared() -> BTreeMap<String, String> {
    let header = code("chessdb.h");
    let statements = header.split(';').map(str::trim);
    let functions = statements.filter(|text| text.ends_with(')') && !text.starts_with("typedef"));
    functions
        .map(|text| text.rsplit_once('{').map_or(text, |(_, text)| text))
        .map(|text| {
            let (before, arguments) = text.trim_end_matches(')').split_once('(').unwrap();
            let (kind, name) = typed(before);
            let arguments: Vec<String> = match arguments {
                "void" => Vec::new(),
                arguments => arguments
                    .split(',')
                    .map(|argument| typed(argument).0)
                    .collect(),
            };
            (name, format!("({}) -> {kind}", arguments.join(", ")))
        })
        .collect()
}

/// Divides `const char *text` into type and name.
fn typed(text: &str) -> (String, String) {
    let text = text.trim();
    let start = text.rfind([' ', '*']).unwrap() + 1;
    let words = text[..start].replace('*', " * ");
    let words: Vec<&str> = words.split_whitespace().collect();
    (words.join(" "), text[start..].to_owned())
}

/// Returns the source files of this crate.
fn sources() -> Vec<String> {
    let files = fs::read_dir(of_crate("src")).unwrap();
    let name = |file: std::io::Result<fs::DirEntry>| file.unwrap().file_name();
    let names = files.map(|file| format!("src/{}", name(file).to_string_lossy()));
    names.collect()
}

/// Returns the functions that the source exports, in the same form.
fn defined() -> BTreeMap<String, String> {
    let source: String = sources().iter().map(|file| code(file)).collect();
    let functions = source.split("extern \"C\" fn ").skip(1);
    functions
        .map(|text| {
            let (name, rest) = text.split_once('(').unwrap();
            let (arguments, rest) = rest.split_once(')').unwrap();
            let result = rest.split_once('{').unwrap().0.trim();
            let result = result.strip_prefix("->").map_or("()", str::trim);
            let arguments = arguments.split(',').map(str::trim);
            let arguments: Vec<String> = arguments
                .filter(|argument| !argument.is_empty())
                .map(|argument| of_c(argument.split_once(':').unwrap().1.trim()))
                .collect();
            let shape = format!("({}) -> {}", arguments.join(", "), of_c(result));
            (name.to_owned(), shape)
        })
        .collect()
}

/// Returns the C type of a Rust type.
fn of_c(kind: &str) -> String {
    if let Some(to) = kind.strip_prefix("*const ") {
        return format!("const {} *", of_c(to));
    }
    if let Some(to) = kind.strip_prefix("*mut ") {
        return format!("{} *", of_c(to));
    }
    let name = match kind {
        "()" => "void",
        "c_char" => "char",
        "c_int" => "int",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "i64" => "int64_t",
        "usize" => "size_t",
        "Database" => "chessdb",
        "Edit" => "chessdb_edit",
        "File" => "chessdb_file",
        "Move" => "chessdb_move",
        "Options" => "chessdb_options",
        "Progress" => "chessdb_progress",
        "c_void" => "void",
        other => panic!("no C type for {other}"),
    };
    name.to_owned()
}

#[test]
fn the_header_declares_the_functions_of_the_source() {
    let (declared, defined) = (declared(), defined());
    assert!(declared.len() > 8, "{declared:?}");
    assert_eq!(declared, defined);
}

#[test]
fn every_exported_function_has_its_name() {
    for file in sources() {
        let text = fs::read_to_string(of_crate(&file)).unwrap();
        let exported = text.matches("#[unsafe(no_mangle)]").count();
        assert_eq!(
            exported,
            code(&file).matches("extern \"C\" fn chessdb_").count()
        );
    }
    let names: BTreeSet<String> = defined().into_keys().collect();
    assert!(names.iter().all(|name| name.starts_with("chessdb_")));
}

#[test]
fn the_numbers_of_the_header_are_those_of_the_source() {
    let text = fs::read_to_string(of_crate("chessdb.h")).unwrap();
    let numbers = text.lines().filter_map(|line| {
        let (name, value) = line.strip_prefix("#define CHESSDB_")?.split_once(' ')?;
        Some((name, value.trim_end_matches('u').parse::<i64>().unwrap()))
    });
    let numbers: BTreeMap<&str, i64> = numbers.collect();
    let expected = BTreeMap::from([
        ("ERROR", chessdb_c::ERROR.into()),
        ("INCOMPLETE", chessdb_c::INCOMPLETE.into()),
        ("INTERFACE", chessdb_c::INTERFACE.into()),
        ("OK", chessdb_c::OK.into()),
        ("REPLACE", chessdb_c::REPLACE.into()),
        ("STRICT", chessdb_c::STRICT.into()),
    ]);
    assert_eq!(numbers, expected);
}

/// Returns the names of the functions of the header.
pub(crate) fn names() -> BTreeSet<String> {
    declared().into_keys().collect()
}
