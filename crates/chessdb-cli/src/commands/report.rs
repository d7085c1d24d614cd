//! The command `report`: the structure and the faults of a database, without anything that a person
//! wrote into it, so that the owner can send it to the authors.
//!
//! Only numbers, fixed words of this program, and masked bytes of headers are printed. Everything
//! else of a database, including its name, can be private: texts, moves, even messages, since they
//! quote what they are about. So the command does not print the output of `check`.

use std::collections::BTreeMap;
use std::io::Write;

use chessdb::core::dump::{RegionKind, cover};
use chessdb::core::error::Location;
use chessdb::core::files::Role;
use chessdb::core::model::Token;
use chessdb::core::{ErrorKind, FileSet as _};
use chessdb::formats::Files;
use chessdb::{Game, Severity};
use std::ops::ControlFlow;

use crate::args::StructureReport;
use crate::exit::{Completion, Failure, Outcome};
use crate::input;
use crate::inputs::Inputs;
use crate::json::{Json, list, object};
use crate::output::{print_list, stdout};

/// The number of places that are printed for each kind of fault.
const PLACES: usize = 5;
/// The number of bytes of a header that are printed.
const HEADER: usize = 64;
/// The number of consecutive bytes that may be text and are printed all the same.
const SHORT_RUN: usize = 2;
/// Values above may contain letters of a text.
const LARGEST_VALUE: u64 = u16::MAX as u64;

/// The first words of descriptions of regions that name a structure. Other descriptions may begin
/// with a text of the database.
const STRUCTURES: &[&str] = &[
    "annotation",
    "annotations",
    "annotator",
    "details",
    "empty",
    "end",
    "extended",
    "game",
    "header",
    "magic",
    "move",
    "moves",
    "player",
    "record",
    "records",
    "source",
    "start",
    "table",
    "tag",
    "team",
    "text",
    "titles",
    "tournament",
    "unused",
];

pub(crate) fn run(args: &StructureReport) -> Outcome {
    let inputs = Inputs::new(&args.bases, &args.input_options);
    let mut out = stdout();
    let mut bases = Vec::new();
    let mut number = 0;
    let done = inputs.each(
        |base| {
            let files = input::find(&base.path, &args.input_options)?.read()?;
            let report = describe(files, args)?;
            number += 1;
            if args.json {
                bases.push(report);
            } else {
                if inputs.are_several() {
                    writeln!(out, "database: {number}")?;
                }
                print(&report, "", &mut out)?;
            }
            Ok(Completion::Success)
        },
        |_, _| {},
    )?;
    if args.json {
        print_list("reports", bases)?;
    }
    out.flush()?;
    Ok(done)
}

/// Returns the report about a database.
fn describe(files: Files, args: &StructureReport) -> Result<Json, Failure> {
    let format = files.format();
    let structure = structure(&files);
    let options = input::options(&args.input_options)
        .jobs(args.jobs.thread_count())
        .checking(true);
    let mut faults = Faults::default();
    options.check_around_games(&files, &mut |finding| {
        faults.add(finding.severity, &finding.kind, &finding.at);
    })?;
    let mut contents = Contents::default();
    match options.open_in_memory(files) {
        Ok(db) => {
            for diagnostic in db.diagnostics() {
                faults.add(diagnostic.severity, &diagnostic.kind, &diagnostic.at);
            }
            let rest = db.scan().for_each(|game, result| {
                contents.add(game);
                for diagnostic in game.diagnostics() {
                    faults.add(diagnostic.severity, &diagnostic.kind, &diagnostic.at);
                }
                faults.dropped += u64::from(game.dropped_diagnostics());
                if let Err(error) = result {
                    faults.add_error(&error);
                }
                ControlFlow::Continue(())
            });
            match rest {
                Ok(diagnostics) => {
                    for diagnostic in &diagnostics {
                        faults.add(diagnostic.severity, &diagnostic.kind, &diagnostic.at);
                    }
                }
                Err(error) => faults.add_error(&error),
            }
        }
        Err(error) => faults.add_error(&error),
    }
    Ok(object! {
        "program": concat!("chessdb ", env!("CARGO_PKG_VERSION")), "format": format.id,
        "files": structure, "contents": contents.json(), "faults": faults.json(),
    })
}

/// Returns the size, the header and the kinds of regions of each file.
fn structure(files: &Files) -> Json {
    let format = files.format();
    let mut all: BTreeMap<&'static str, FileParts> = BTreeMap::new();
    cover(files, format.roles, format.dump, &mut |region, bytes| {
        let parts = all.entry(region.file.0).or_default();
        let of_kind = parts.kinds.entry(region.kind).or_default();
        *of_kind += bytes.len() as u64;
        // Without a map of the format no structure has a name.
        if format.dump.is_none() {
            return;
        }
        let name = structure_name(&region.what);
        let region_count = parts.regions.entry(name.clone()).or_default();
        region_count.0 += 1;
        region_count.1 += bytes.len() as u64;
        let is_header = name == "header" || name == "magic";
        if is_header && region.start < HEADER as u64 {
            let start = region.start as usize;
            // Regions that are not of the header leave a gap of masked bytes.
            parts.header.resize(start.max(parts.header.len()), None);
            parts.header.extend(mask(bytes));
            parts.header.truncate(HEADER);
        }
    });
    let file = |role: &'static str| {
        let size = files.get(Role(role)).map_or(0, <[u8]>::len) as u64;
        let parts = all.get(role);
        let kinds = parts.into_iter().flat_map(|parts| &parts.kinds);
        let kinds = kinds.map(|(kind, bytes)| (kind.code().to_owned(), (*bytes).into()));
        let regions = parts.into_iter().flat_map(|parts| &parts.regions);
        let regions = regions.map(|(name, (count, bytes))| {
            let counts = object! { "count": *count, "bytes": *bytes };
            (name.clone(), counts)
        });
        let header = parts.map(|parts| hex(&parts.header)).unwrap_or_default();
        object! {
            "file": role, "bytes": size, "header": header, "known": Json::Object(kinds.collect()),
            "regions": Json::Object(regions.collect()),
        }
    };
    let roles = format
        .roles
        .iter()
        .filter(|role| files.get(**role).is_some());
    list(roles.map(|role| file(role.0)))
}

/// The regions of a file.
#[derive(Default)]
struct FileParts {
    /// The bytes of each kind.
    kinds: BTreeMap<RegionKind, u64>,
    /// The number and the bytes of the regions with each name.
    regions: BTreeMap<String, (u64, u64)>,
    /// The first bytes of the header; `None` for masked bytes.
    header: Vec<Option<u8>>,
}

/// Returns the name of a structure: the first word of its description if that is a known one, and
/// the number of a type or kind.
fn structure_name(what: &str) -> String {
    // Texts of the database are in quotation marks.
    let what = what.split('"').next().unwrap_or_default();
    let word = |text: &str| {
        let letters = text.find(|letter: char| !letter.is_ascii_lowercase());
        text.get(..letters.unwrap_or(text.len()))
            .unwrap_or_default()
            .to_owned()
    };
    let first = word(what);
    if !STRUCTURES.contains(&first.as_str()) {
        return "other".to_owned();
    }
    for label in ["type ", "kind "] {
        let number = what.split_once(label).map(|(_, rest)| rest);
        let number = number.map(|rest| rest.strip_prefix("0x").unwrap_or(rest));
        let Some(number) = number else {
            continue;
        };
        let end = number.find(|digit: char| !digit.is_ascii_hexdigit());
        let digits = number
            .get(..end.unwrap_or(number.len()))
            .unwrap_or_default();
        // A longer number may be a value of the database.
        if (1..=4).contains(&digits.len()) {
            return format!("{first}, {label}{digits}");
        }
    }
    first
}

/// Masks bytes that may be text: runs of letters of any code page.
fn mask(bytes: &[u8]) -> Vec<Option<u8>> {
    let is_text = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ' || *byte >= 0x80;
    let mut masked = Vec::with_capacity(bytes.len().min(HEADER));
    for run in bytes.chunk_by(|a, b| is_text(a) == is_text(b)) {
        let is_long = run.len() > SHORT_RUN && run.iter().any(is_text);
        masked.extend(run.iter().map(|byte| Some(*byte).filter(|_| !is_long)));
    }
    masked
}

/// Returns bytes in hexadecimal, with `..` for masked ones.
fn hex(bytes: &[Option<u8>]) -> String {
    let bytes = bytes.iter().map(|byte| match byte {
        Some(byte) => format!("{byte:02x}"),
        None => "..".to_owned(),
    });
    bytes.collect::<Vec<_>>().join(" ")
}

/// Counts of the contents of the games.
#[derive(Default)]
struct Contents {
    games: u64,
    counts: BTreeMap<String, u64>,
}

impl Contents {
    fn add(&mut self, game: &Game) {
        self.games += 1;
        let (mut depth, mut deepest) = (0_u64, 0);
        let header = &game.header;
        self.count("tags", header.tags.len() as u64);
        if !header.start.is_standard() {
            self.count("start positions", 1);
        }
        for extra in &header.extras {
            self.count(&format!("header field {} {}", extra.format, extra.field), 1);
        }
        for token in game.moves.tokens() {
            let name = match token {
                Token::Move(_) => "half-moves",
                Token::Nag(nag) => &format!("NAG {nag}"),
                Token::Comment(..) => "comments",
                Token::Open(_) => {
                    depth += 1;
                    deepest = deepest.max(depth);
                    "variations"
                }
                Token::Close => {
                    depth = depth.saturating_sub(1);
                    continue;
                }
                Token::Clock(_) => "clocks",
                Token::Eval(_) => "evaluations",
                Token::Shapes(_) => "squares and arrows",
                Token::Outcome(_) => "results among the moves",
                Token::Fault(..) => "faults among the moves",
                Token::Extra(extra) => &format!("annotation {} {}", extra.format, extra.field),
            };
            self.count(name, 1);
        }
        let deepest_of_all = self
            .counts
            .entry("depth of variations".to_owned())
            .or_default();
        *deepest_of_all = deepest.max(*deepest_of_all);
    }

    fn count(&mut self, name: &str, number: u64) {
        // Not by `entry`, which would copy the name for each token.
        match self.counts.get_mut(name) {
            Some(count) => *count += number,
            None => {
                self.counts.insert(name.to_owned(), number);
            }
        }
    }

    fn json(self) -> Json {
        let counts = self.counts.into_iter();
        let counts = counts.map(|(name, count)| (name, count.into()));
        let games = std::iter::once(("games".to_owned(), self.games.into()));
        Json::Object(games.chain(counts).collect())
    }
}

/// The faults by kind.
#[derive(Default)]
struct Faults {
    kinds: BTreeMap<(Severity, &'static str, &'static str), Fault>,
    dropped: u64,
}

#[derive(Default)]
struct Fault {
    count: u64,
    places: Vec<Json>,
}

impl Faults {
    fn add(&mut self, severity: Severity, kind: &ErrorKind, location: &Location) {
        let fault = self
            .kinds
            .entry((severity, kind.code(), kind.detail()))
            .or_default();
        fault.count += 1;
        if fault.places.len() < PLACES {
            let value = match kind {
                ErrorKind::BadField { value, .. } => Some(*value),
                ErrorKind::Mismatch { found, .. } => Some(*found),
                _ => None,
            };
            let value = value.filter(|value| *value <= LARGEST_VALUE);
            fault.places.push(object! {
                "file": location.file.map(|role| role.0), "offset": location.offset,
                "game": location.game, "ply": location.ply, "value": value,
            });
        }
    }

    /// Adds an error that ended the reading of a game or of the database.
    fn add_error(&mut self, error: &chessdb::Error) {
        match error.problem() {
            chessdb::Problem::Format(error) => {
                self.add(Severity::Lost, error.kind(), error.location());
            }
            _ => {
                // The messages of other errors have names of files.
                let kind = ErrorKind::Structure("cannot be opened");
                self.add(Severity::Lost, &kind, &Location::default());
            }
        }
    }

    fn json(self) -> Json {
        let kinds = self.kinds.into_iter();
        let mut all: Vec<Json> = kinds
            .map(|((severity, code, detail), fault)| {
                object! {
                    "severity": severity.to_string(), "code": code, "detail": detail,
                    "count": fault.count, "places": Json::Array(fault.places),
                }
            })
            .collect();
        if self.dropped > 0 {
            all.push(object! { "not listed": self.dropped });
        }
        Json::Array(all)
    }
}

/// Prints an object as indented lines.
fn print(value: &Json, indent: &str, out: &mut dyn Write) -> std::io::Result<()> {
    let Json::Object(members) = value else {
        return Ok(());
    };
    let inner = format!("{indent}  ");
    for (name, value) in members {
        match value {
            Json::Null => {}
            Json::Object(_) => {
                writeln!(out, "{indent}{name}:")?;
                // The report decides the depth, whatever the database has.
                print(value, &inner, out)?;
            }
            Json::Array(items) => {
                writeln!(out, "{indent}{name}: {}", items.len())?;
                for item in items {
                    writeln!(out, "{inner}-")?;
                    print(item, &format!("{inner}  "), out)?;
                }
            }
            Json::String(text) => writeln!(out, "{indent}{name}: {text}")?,
            value => writeln!(out, "{indent}{name}: {value}")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_become_names_without_texts() {
        for (what, expected) in [
            ("game 3: moves at 0x10, White player 4", "game"),
            ("game 7: type 0x82 at move 5", "game, type 82"),
            ("move 5, type 1c", "move, type 1c"),
            ("\"Tal, Mihail\"", "other"),
            ("tal game 5", "other"),
            ("player 5: \"type 0xBEEF\"", "player"),
            ("game 3: kind 0x2000", "game, kind 2000"),
        ] {
            assert_eq!(structure_name(what), expected);
        }
    }

    #[test]
    fn runs_of_letters_are_masked() {
        assert_eq!(
            hex(&mask(b"\x01\0Tal\0\xC0\xC1\x02")),
            "01 00 .. .. .. 00 c0 c1 02"
        );
        assert_eq!(hex(&mask(b"\x88\x77\x66\x01")), ".. .. .. 01");
    }
}
