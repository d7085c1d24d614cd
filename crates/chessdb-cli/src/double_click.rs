//! Start without a shell, on Windows: by a double click on the program or on a database, or by dropping
//! databases on the program.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use crate::exit::say;

/// Adds the command `view` after the name of the program if all other words are files or folders.
pub(crate) fn add_view(words: &mut Vec<OsString>) {
    let paths = words.get(1..).unwrap_or_default();
    if !paths.is_empty() && paths.iter().all(|path| Path::new(path).exists()) {
        words.insert(1, "view".into());
    }
}

/// Keeps the window open until the user has read the messages.
pub(crate) fn wait_for_enter() {
    say("press Enter to close this window");
    let _ = io::stdin().read_line(&mut String::new());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_are_viewed_and_commands_run() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("a.pgn").into_os_string();
        std::fs::write(&database, "").unwrap();
        for (words, is_view) in [
            (vec![], false),
            (vec![database.clone()], true),
            (vec![database.clone(), folder.path().into()], true),
            (vec!["ls".into(), database.clone()], false),
        ] {
            let mut all = [vec![OsString::from("chessdb")], words.clone()].concat();
            add_view(&mut all);
            assert_eq!(all.contains(&"view".into()), is_view, "{words:?}");
            assert!(all.ends_with(&words));
        }
    }
}
