//! The command `new-format`: a crate for a new format, copied from crates/chessdb-template, with
//! its entries in the lists that name every format.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use fs_err as fs;
use sha2::{Digest, Sha256};

use crate::{
    Outcome,
    cmd::{self, cargo, root},
};

/// The crate that is copied.
const TEMPLATE: &str = "crates/chessdb-template";

/// Parts of manifests and texts that concern only the template, and their replacements, in which
/// `template` then becomes the id.
const OWN_PARTS: &[(&str, &str)] = &[
    (
        "# `cargo xtask new-format` copies this crate without this line.\npublish = false\n",
        "",
    ),
    ("\nversion.workspace = true\n", "\nversion = \"0.1.0\"\n"),
    (
        "categories.workspace = true\n",
        "repository.workspace = true\ndocumentation = \"https://docs.rs/chessdb-template\"\n\
         categories.workspace = true\n",
    ),
    (
        "[lints]\n",
        "[package.metadata.docs.rs]\nall-features = true\n\n[lints]\n",
    ),
    (
        "#![forbid(unsafe_code)]\n",
        "#![cfg_attr(docsrs, feature(doc_cfg))]\n#![forbid(unsafe_code)]\n",
    ),
    ("../crates/chessdb-template/fixtures/", "template/"),
    ("FORMAT.md", "docs/formats/template.md"),
];

/// The work that needs a person, printed at the end.
const BY_HAND: &str = "\
It compiles, and its tests pass: `cargo test -p chessdb-ID`. What a person has to do:

1. docs/formats/ID.md, then crates/chessdb-ID: describe and implement the format. Names and files
   in the tables of the READMEs follow with `cargo xtask bless -p chessdb`.
2. docs/formats/ID.md, section Status: read, written, proven, unknown.
3. `cargo xtask bless -p chessdb` and `-p chessdb-proof`: the tables in docs/data.

Then `cargo xtask ci`: the tests of damage, fuzzing, killed writers, memory and conversions take
their formats from `FORMATS`. A test that needs a fact about the format names it.";

/// The names of the new format.
struct NewFormat<'a> {
    id: &'a str,
    /// The name for people.
    name: &'a str,
}

impl NewFormat<'_> {
    /// Returns a text of the template with these names.
    fn put_into(&self, text: &str) -> String {
        // The longest text first, because it contains the others.
        text.replace("template, one game per line", self.name)
            .replace("TEMPLATE", &self.id.to_uppercase())
            .replace("template", self.id)
    }
}

/// New contents of files, by path from the top folder.
type Changes = BTreeMap<PathBuf, Vec<u8>>;

/// Creates the crate of a new format.
pub(crate) fn new_format(args: &[String]) -> Outcome {
    let [id, name] = args else {
        bail!("usage: cargo xtask new-format ID NAME");
    };
    let root = root();
    let changes = changes(&root, &NewFormat { id, name })?;
    for (path, content) in &changes {
        cmd::write(&root.join(path), content)?;
    }
    cmd::run(&mut cargo("fmt --all"))?;
    // The lock files get the new package. Offline this needs every other package.
    for folder in ["", "crates/chessdb/fuzz"] {
        let mut update = cargo("update --workspace --quiet");
        if cmd::run(update.current_dir(root.join(folder))).is_err() {
            println!("`cargo update --workspace` in `{folder}` remains to be done");
        }
    }
    for path in changes.keys() {
        println!("  {}", path.display());
    }
    println!("\n{}", BY_HAND.replace("ID", id));
    Ok(())
}

/// Returns the files of the new crate, and the changed lists.
fn changes(root: &Path, format: &NewFormat<'_>) -> Outcome<Changes> {
    let id = format.id;
    let is_letter = |c: char| c.is_ascii_lowercase();
    let is_id = id.starts_with(is_letter) && id.chars().all(|c| is_letter(c) || c.is_ascii_digit());
    if !is_id {
        bail!("`{id}`: an id has small letters and digits");
    }
    // The name is put into texts of Rust, JavaScript and TOML, and into tables.
    if format.name.contains(['\'', '"', '\\', '|']) {
        let name = format.name;
        bail!("`{name}`: a name has no quotes, backslashes or bars");
    }
    if root.join(format!("crates/chessdb-{id}")).exists() {
        bail!("crates/chessdb-{id} exists");
    }
    let mut changes = Changes::new();
    copy(root, format, &mut changes)?;
    for list in LISTS {
        let path = PathBuf::from(list.path);
        // Several entries may belong to one file.
        let text = match changes.get(&path) {
            Some(changed) => String::from_utf8_lossy(changed).into_owned(),
            None => fs::read_to_string(root.join(&path))?,
        };
        let entry = format.put_into(list.entry);
        let changed = list.place.insert(&text, &entry).with_context(|| {
            let (path, place) = (list.path, &list.place);
            format!("{path}: there is no {place:?}; correct LISTS in xtask")
        })?;
        changes.insert(path, changed.into_bytes());
    }
    Ok(changes)
}

/// Adds the files of the template under their new names.
fn copy(root: &Path, format: &NewFormat<'_>, changes: &mut Changes) -> Outcome {
    let id = format.id;
    let template = root.join(TEMPLATE);
    for path in cmd::files_in(&template)? {
        let own = path.strip_prefix(&template)?.to_string_lossy();
        let mut text = fs::read_to_string(&path)?;
        for (from, to) in OWN_PARTS {
            text = text.replace(from, to);
        }
        let content = format.put_into(&text).into_bytes();
        let target = match own.strip_prefix("fixtures/") {
            Some(name) => {
                let fixture = format!("{id}/{}", format.put_into(name));
                add_to_manifest(root, &fixture, &content, changes)?;
                format!("fixtures/{fixture}")
            }
            None if own == "FORMAT.md" => format!("docs/formats/{id}.md"),
            None => format!("crates/chessdb-{id}/{own}"),
        };
        changes.insert(target.into(), content);
    }
    Ok(())
}

/// Adds the entry of a fixture to the end of the manifest.
fn add_to_manifest(root: &Path, path: &str, content: &[u8], changes: &mut Changes) -> Outcome {
    const MANIFEST: &str = "fixtures/MANIFEST.toml";
    let sum = cmd::hex(&Sha256::digest(content));
    // A line each, after the one with the magic.
    let games = content.iter().filter(|&&byte| byte == b'\n').count() - 1;
    let entry = format!(
        "\n[[file]]\npath = \"{path}\"\norigin = \"written for this project\"\n\
         licence = \"GPL-3.0-or-later\"\nsha256 = \"{sum}\"\ngames = \"{games}\"\n\
         expect = \"raw and rewrite identical\"\n"
    );
    let manifest = fs::read_to_string(root.join(MANIFEST))? + &entry;
    changes.insert(MANIFEST.into(), manifest.into_bytes());
    Ok(())
}

/// A list that names every format.
struct List {
    path: &'static str,
    place: Place,
    /// The entry of the template.
    entry: &'static str,
}

/// A place in a file.
#[derive(Debug)]
enum Place {
    /// Before the first occurrence of this text.
    Before(&'static str),
    /// In order among the lines with this start that follow the first occurrence of a text.
    Among(&'static str, &'static str),
    /// In order among the words of the line with this start.
    InLine(&'static str),
}

const LISTS: &[List] = &[
    List {
        path: "crates/chessdb/Cargo.toml",
        place: Place::InLine("all-formats = ["),
        entry: "\"template\"",
    },
    List {
        path: "crates/chessdb/Cargo.toml",
        place: Place::Before("# Transliteration of letters"),
        entry: "template = [\"chessdb-formats/template\"]\n",
    },
    List {
        path: "crates/chessdb-formats/Cargo.toml",
        place: Place::Before("# Tables of games in Arrow"),
        entry: "template = [\"dep:chessdb-template\"]\n",
    },
    List {
        path: "crates/chessdb-formats/Cargo.toml",
        place: Place::Among("[dependencies]", "chessdb-"),
        entry: "chessdb-template = { path = \"../chessdb-template\", version = \"0.1.0\", optional = true }\n",
    },
    List {
        path: "crates/chessdb-formats/src/lib.rs",
        place: Place::Before("    #[cfg(feature = \"parquet\")]\n    pub use chessdb_parquet"),
        entry: "    #[cfg(feature = \"template\")]\n    pub use chessdb_template as template;\n",
    },
    // Formats with magic bytes come before plain text.
    List {
        path: "crates/chessdb-formats/src/lib.rs",
        place: Place::Before("    #[cfg(feature = \"parquet\")]\n    of_build!(chessdb_parquet"),
        entry: "    #[cfg(feature = \"template\")]\n    of_build!(chessdb_template::TEMPLATE),\n",
    },
    List {
        path: "crates/chessdb-formats/src/lib.rs",
        place: Place::Among("const FEATURES", "    \""),
        entry: "    \"template\": \"template\";\n",
    },
    List {
        path: "README.md",
        place: Place::Before("| `parquet` |"),
        entry: README_ROW,
    },
    List {
        path: "crates/chessdb/README.md",
        place: Place::Before("| `parquet` |"),
        entry: README_ROW,
    },
    List {
        path: "docs/SUMMARY.md",
        place: Place::Before("  - [Index of chessdb]"),
        entry: "  - [template, one game per line](formats/template.md)\n",
    },
    List {
        path: "web/src/drop.js",
        place: Place::Before("  ['zip, tar',"),
        entry: "  ['template, one game per line', '.template'],\n",
    },
];

const README_ROW: &str =
    "| `template` | template, one game per line | `.template` | `template` | yes | yes |\n";

impl Place {
    /// Returns the text with the entry; `None` if the place is not in the text.
    fn insert(&self, text: &str, entry: &str) -> Option<String> {
        let offset = match self {
            Place::Before(mark) => text.find(mark)?,
            Place::Among(mark, start) => {
                let mut offset = text.find(mark)?;
                let lines = text.get(offset..)?.split_inclusive('\n');
                let mut was_among = false;
                for line in lines {
                    let is_among = line.starts_with(start);
                    // The list is sorted and ends at the first other line.
                    if was_among && !is_among || is_among && line > entry {
                        break;
                    }
                    was_among |= is_among;
                    offset += line.len();
                }
                offset
            }
            Place::InLine(start) => {
                let line = text.find(start)?;
                let mut offset = line + start.len();
                let words = text.get(offset..)?.split_once(']')?.0;
                // Words keep their alphabetical order.
                for word in words.split_inclusive(", ") {
                    if word > entry {
                        let entry = format!("{entry}, ");
                        return Some(inserted(text, offset, &entry));
                    }
                    offset += word.len();
                }
                return Some(inserted(text, offset, &format!(", {entry}")));
            }
        };
        Some(inserted(text, offset, entry))
    }
}

fn inserted(text: &str, offset: usize, entry: &str) -> String {
    let (before, after) = text.split_at(offset);
    [before, entry, after].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every list is where [`LISTS`] expects it, and nothing of the template is left.
    #[test]
    fn new_format_is_added_to_every_list() {
        let (root, id) = (root(), "newid");
        let name = "A new name";
        let format = NewFormat { id, name };
        let changes = changes(&root, &format).unwrap();
        for list in LISTS {
            let text = String::from_utf8(changes[Path::new(list.path)].clone()).unwrap();
            assert!(text.contains(&format.put_into(list.entry)), "{}", list.path);
        }
        let first_screen = &changes[Path::new("web/src/drop.js")];
        assert!(String::from_utf8_lossy(first_screen).contains("  ['A new name', '.newid'],"));
        let page = String::from_utf8_lossy(&changes[Path::new("docs/formats/newid.md")]);
        assert!(
            !page.contains("Proven") && !page.contains("74 65 6D"),
            "{page}"
        );
        for (path, content) in &changes {
            let path = path.to_string_lossy();
            if path.contains(id) {
                let text = String::from_utf8(content.clone()).unwrap();
                assert!(!text.to_lowercase().contains("template"), "{path}\n{text}");
            }
        }
        for path in [
            "crates/chessdb-newid/Cargo.toml",
            "crates/chessdb-newid/README.md",
            "crates/chessdb-newid/CHANGELOG.md",
            "crates/chessdb-newid/tests/all/main.rs",
            "docs/formats/newid.md",
            "fixtures/newid/games.newid",
            "fixtures/MANIFEST.toml",
        ] {
            assert!(changes.contains_key(Path::new(path)), "{path}");
        }
        for id in ["pgn", "", "Id", "a-b", "1a"] {
            let format = NewFormat { id, name };
            assert!(super::changes(&root, &format).is_err(), "{id}");
        }
        let format = NewFormat { id, name: "Tal's" };
        assert!(super::changes(&root, &format).is_err());
    }

    #[test]
    fn entries_are_inserted_in_order() {
        let list = Place::Among("[a]", "x-");
        let text = "x-0\n[a]\nx-1\nx-3\ny\n";
        assert_eq!(
            list.insert(text, "x-2\n").unwrap(),
            "x-0\n[a]\nx-1\nx-2\nx-3\ny\n"
        );
        assert_eq!(
            list.insert(text, "x-4\n").unwrap(),
            "x-0\n[a]\nx-1\nx-3\nx-4\ny\n"
        );
        let line = Place::InLine("all = [");
        let text = "all = [\"a\", \"c\"]\n";
        assert_eq!(
            line.insert(text, "\"b\"").unwrap(),
            "all = [\"a\", \"b\", \"c\"]\n"
        );
        assert_eq!(
            line.insert(text, "\"d\"").unwrap(),
            "all = [\"a\", \"c\", \"d\"]\n"
        );
        assert_eq!(list.insert("nothing", "x-1\n"), None);
    }
}
