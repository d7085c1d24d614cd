//! File names with `*` and `?` on the command line. The shells of Windows pass them on as they are.

use std::ffi::OsString;
use std::path::PathBuf;

use glob::MatchOptions;

/// Replaces each word with a wildcard by the matching files, sorted. A word without a matching file
/// stays as it is: it may belong to a query.
pub(crate) fn expand(words: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    words.flat_map(|word| {
        let files = word.to_str().map(matching_files).unwrap_or_default();
        if files.is_empty() { vec![word] } else { files }
    })
}

fn matching_files(word: &str) -> Vec<OsString> {
    const OPTIONS: MatchOptions = MatchOptions {
        case_sensitive: false,
        require_literal_separator: true,
        require_literal_leading_dot: true,
    };
    if !word.contains(['*', '?']) {
        return Vec::new();
    }
    // Brackets are letters of names to Windows, such as in `games[1].pgn`.
    let pattern = word.replace('[', "[[]");
    let paths = glob::glob_with(&pattern, OPTIONS);
    let paths = paths.into_iter().flatten().flatten();
    // `glob` writes the separators of the system, but names are shown as the user writes them.
    let is_rewritten = cfg!(windows) && !word.contains('\\');
    let as_written = |path: PathBuf| match path.to_str() {
        Some(text) if is_rewritten => text.replace('\\', "/").into(),
        _ => path.into_os_string(),
    };
    paths.map(as_written).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn words_with_wildcards_become_the_matching_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "a.pgn",
            "B.PGN",
            "a[1].pgn",
            "a1.pgn",
            ".hidden.pgn",
            "c.si4",
        ] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(folder.path().join("sub/d.pgn"), "").unwrap();
        for (word, expected) in [
            ("*.pgn", &["B.PGN", "a.pgn", "a1.pgn", "a[1].pgn"][..]),
            ("a?.pgn", &["a1.pgn"]),
            ("a[1].*", &["a[1].pgn"]),
            ("s*/*", &["sub/d.pgn"]),
            ("c.si4", &["c.si4"]),
            ("*.cbh", &["*.cbh"]),
            ("result:*", &["result:*"]),
            ("**x", &["**x"]),
        ] {
            let path = |name: &str| folder.path().join(name).into_os_string();
            let files: Vec<OsString> = expand([path(word)].into_iter()).collect();
            let expected: Vec<OsString> = expected.iter().map(|name| path(name)).collect();
            assert_eq!(files, expected, "{word}");
        }
    }
}
