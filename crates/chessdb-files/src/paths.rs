//! Text of file names: their parts, their display, and safe names for new files. Names may come from
//! untrusted sources.

use std::ffi::OsStr;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

/// Returns the name of a database in tables and messages: the name of its file without the folder.
pub fn base_name(path: &Path) -> Option<String> {
    let name = path.file_name()?;
    Some(name.to_string_lossy().into_owned())
}

/// Returns the folder that contains a path, `.` for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Returns the path of a file in a folder, with `/`, which Windows understands too. So messages, lists
/// and JSON are the same on every system.
pub fn in_folder(folder: &Path, name: impl AsRef<Path>) -> PathBuf {
    // A drive alone, such as `C:`, is its current folder, not its root.
    let ends_open = folder.as_os_str().as_encoded_bytes().last();
    if !cfg!(windows) || matches!(ends_open, None | Some(b'/' | b'\\' | b':')) {
        return folder.join(name);
    }
    let mut path = folder.as_os_str().to_owned();
    path.push("/");
    path.push(name.as_ref());
    PathBuf::from(path)
}

/// Splits a file name at its last dot.
pub(crate) fn split(name: &OsStr) -> (&OsStr, &str) {
    let path = Path::new(name);
    match (path.file_stem(), path.extension().and_then(OsStr::to_str)) {
        (Some(stem), Some(extension)) => (stem, extension),
        _ => (name, ""),
    }
}

/// Returns a name in lower case, letter by letter. `str::to_lowercase` also knows that a Greek sigma
/// looks different at the end of a word, which names of files need not, and web modules would carry
/// its tables.
pub(crate) fn lowercase(name: &str) -> String {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// Returns a name in the form in which equal names are equal: in lower case, and with each letter and
/// its accents as one character. A Mac stores accents as separate characters.
pub(crate) fn comparable(name: &str) -> String {
    #[cfg(not(target_family = "wasm"))]
    if !name.is_ascii() {
        use unicode_normalization::UnicodeNormalization;
        return name.nfc().flat_map(char::to_lowercase).collect();
    }
    lowercase(name)
}

/// Returns whether two names are equal, ignoring case and the way in which accents are stored.
pub(crate) fn same_name(a: &OsStr, b: &OsStr) -> bool {
    let (a_bytes, b_bytes) = (a.as_encoded_bytes(), b.as_encoded_bytes());
    if a_bytes.eq_ignore_ascii_case(b_bytes) {
        return true;
    }
    let is_ascii = a_bytes.is_ascii() && b_bytes.is_ascii();
    match (a.to_str(), b.to_str()) {
        (Some(a), Some(b)) if !is_ascii => comparable(a) == comparable(b),
        _ => false,
    }
}

/// Names that Windows reserves for devices, with any suffix.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Returns a relative path of names that every file system accepts.
///
/// Use it for files that are named after members of an archive or texts of games. It has no control
/// characters, no characters that Windows rejects, no dots and blanks at the end of a name, and no
/// device names.
///
/// ```
/// use chessdb::formats::portable_name;
///
/// assert_eq!(portable_name("open/a: b?.pgn".as_ref()), std::path::Path::new("open/a_ b_.pgn"));
/// assert_eq!(portable_name("../aux.pgn".as_ref()), std::path::Path::new("aux_.pgn"));
/// ```
pub fn portable_name(path: &Path) -> PathBuf {
    // `Path::components` would take `a:b.pgn` for a file of the drive `a` on Windows.
    let text = path.to_string_lossy();
    let parts = text.split(std::path::is_separator);
    let parts = parts.filter(|part| !matches!(*part, "" | "." | ".."));
    let parts: Vec<String> = parts.map(portable_part).collect();
    if parts.is_empty() {
        PathBuf::from("unnamed")
    } else {
        PathBuf::from(parts.join("/"))
    }
}

fn portable_part(name: &str) -> String {
    let is_refused = |c: char| {
        is_unprintable(c) || matches!(c, '<' | '>' | ':' | '"' | '/' | '\\' | '|' | '?' | '*')
    };
    let mut name: String = name
        .chars()
        .map(|c| if is_refused(c) { '_' } else { c })
        .collect();
    let length = name.trim_end_matches(['.', ' ']).len();
    name.replace_range(length.., &"_".repeat(name.len() - length));
    if is_device(&name) {
        let dot = name.find('.').unwrap_or(name.len());
        name.insert(dot, '_');
    }
    name
}

/// Returns whether Windows opens a device instead of a file of this name.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.trim_end().to_ascii_lowercase();
    let number = stem
        .strip_prefix("com")
        .or_else(|| stem.strip_prefix("lpt"));
    let is_port = |number: &str| {
        let mut digits = number.chars();
        let is_digit = |c: char| matches!(c, '0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}');
        digits.next().is_some_and(is_digit) && digits.next().is_none()
    };
    DEVICES.contains(&stem.as_str()) || number.is_some_and(is_port)
}

/// The reason why a name that [`leads_elsewhere`] is refused.
pub const NO_FILE_NAME: &str = "is no name of a file on Windows";

/// Returns whether this system would write a path with this file name to something else: Windows opens
/// devices, writes the part after a colon to a hidden stream of another file, and drops dots and
/// blanks at the end.
pub fn leads_elsewhere(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    cfg!(windows) && (name.contains(':') || name.ends_with(['.', ' ']) || is_device(&name))
}

/// Returns whether a character moves the cursor, breaks the line or changes the text direction.
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Returns a path for messages and lists: on one line, with control characters escaped as `\n` or
/// `\u{1b}`.
///
/// ```
/// use chessdb::formats::shown;
///
/// assert_eq!(shown("a\nb\u{202e}.pgn").to_string(), "a\\nb\\u{202e}.pgn");
/// ```
pub fn shown<P: AsRef<Path> + ?Sized>(path: &P) -> Shown<'_> {
    Shown(path.as_ref())
}

/// The displayable path that [`shown`] returns.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a>(&'a Path);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string_lossy();
        if !text.chars().any(is_unprintable) {
            return f.pad(&text);
        }
        for c in text.chars() {
            if is_unprintable(c) {
                write!(f, "{}", c.escape_default())?
            } else {
                f.write_char(c)?
            }
        }
        Ok(())
    }
}

/// Returns whether an operating system makes files with this name next to others: the second halves
/// of files on a Mac, previews on Windows. They have the suffixes of databases, but no games.
pub(crate) fn is_system_file(path: &Path) -> bool {
    const NAMES: [&str; 4] = [".DS_Store", "Thumbs.db", "ehthumbs.db", "desktop.ini"];
    let name = path.file_name().unwrap_or_default();
    let mut folders = path.components();
    name.as_encoded_bytes().starts_with(b"._")
        || NAMES.iter().any(|other| same_name(name, OsStr::new(other)))
        || folders.any(|folder| folder.as_os_str() == SYSTEM_FOLDER)
}

/// The folder with the second halves of files in archives that were packed on a Mac.
pub(crate) const SYSTEM_FOLDER: &str = "__MACOSX";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portable_names_are_valid_on_every_file_system() {
        for (name, expected) in [
            ("a.pgn", "a.pgn"),
            ("sub/a.pgn", "sub/a.pgn"),
            ("/etc/a.pgn", "etc/a.pgn"),
            ("../../a.pgn", "a.pgn"),
            ("a:b.pgn", "a_b.pgn"),
            ("a\nb\u{1b}.pgn", "a_b_.pgn"),
            ("a. ", "a__"),
            ("...", "___"),
            ("sub./a.pgn", "sub_/a.pgn"),
            ("aux", "aux_"),
            ("AUX.pgn", "AUX_.pgn"),
            ("com1.tar.gz", "com1_.tar.gz"),
            ("COM\u{b2}.pgn", "COM\u{b2}_.pgn"),
            ("con .pgn", "con _.pgn"),
            ("com10.pgn", "com10.pgn"),
            ("auxiliary.pgn", "auxiliary.pgn"),
            ("", "unnamed"),
            ("..", "unnamed"),
        ] {
            let portable = portable_name(Path::new(name));
            assert_eq!(portable, Path::new(expected), "{name:?}");
            assert_eq!(portable_name(&portable), portable, "{name:?}");
        }
    }

    #[test]
    fn names_are_equal_in_any_case_and_with_separate_accents() {
        for (a, b, is_same) in [
            ("Base.SI4", "bASE.si4", true),
            ("R\u{e9}ti", "RE\u{301}TI", true),
            ("R\u{e9}ti", "Reti", false),
            ("\u{5de}", "\u{5de}", true),
        ] {
            assert_eq!(same_name(a.as_ref(), b.as_ref()), is_same, "{a} {b}");
        }
    }

    #[test]
    fn windows_has_names_that_lead_elsewhere() {
        for (name, is_special) in [
            ("sub/a.pgn", false),
            ("C:/games/a.pgn", false),
            ("sub/a:b.pgn", true),
            ("nul", true),
            ("sub/com1.pgn", true),
            ("a.pgn.", true),
            ("a.pgn ", true),
            ("console.pgn", false),
        ] {
            let leads_elsewhere = leads_elsewhere(Path::new(name));
            assert_eq!(leads_elsewhere, cfg!(windows) && is_special, "{name}");
        }
    }

    #[test]
    fn shown_paths_have_no_line_breaks() {
        for (name, expected) in [
            ("a b.pgn", "a b.pgn"),
            ("Übung.pgn", "Übung.pgn"),
            ("a\nb", "a\\nb"),
            ("a\r\tb", "a\\r\\tb"),
            ("\u{1b}[31m", "\\u{1b}[31m"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("a\u{2028}b", "a\\u{2028}b"),
            ("\u{202e}ngp.a", "\\u{202e}ngp.a"),
        ] {
            assert_eq!(shown(name).to_string(), expected, "{name:?}");
        }
    }
}
