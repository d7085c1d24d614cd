//! Comparison of the games of a sample with the PGN games that its program imported.

use std::collections::HashMap;

use chessdb_core::files::Role;
use chessdb_core::{FileSet, Format, Game, GameStore, MemorySet, ReadOptions, Scratch};
use chessdb_pgn::{Layout, PGN_FILE, write_game};
use chessdb_testkit::tree::{Ply, Tree};

/// A game in the form of PGN: tags in the order of their names, and moves.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Twin {
    pub(crate) tags: Vec<(String, String)>,
    /// The movetext with variations, NAGs and comments.
    pub(crate) moves: String,
    /// The moves and comments of the mainline.
    pub(crate) mainline: String,
    /// The movetext without lines from their first null move on.
    pub(crate) before_nulls: String,
}

/// Writes a line as far as its first null move.
fn write_line(tree: &Tree, line: usize, out: &mut String) {
    for ply in tree.lines[line].iter().take_while(|ply| ply.uci != "0000") {
        let Ply { uci, nags, .. } = ply;
        *out += &format!(" {{{}}} {uci} {nags:?} {{{}}}", ply.before, ply.comment);
        for &variation in &ply.variations {
            if tree.lines[variation]
                .first()
                .is_some_and(|ply| ply.uci != "0000")
            {
                *out += " (";
                write_line(tree, variation, out);
                *out += ")";
            }
        }
    }
}

impl Twin {
    fn of(game: &Game) -> Twin {
        let tree = Tree::from_game(game);
        let mut mainline = tree.pre.clone();
        for ply in tree.main() {
            mainline += &format!(" {} {} {}", ply.before, ply.uci, ply.comment);
        }
        let mut before_nulls = tree.pre.clone();
        write_line(&tree, 0, &mut before_nulls);
        let mut tags = tree.tags;
        tags.sort();
        let mut bare = game.clone();
        let start = bare.header.start.clone();
        bare.header.clear();
        bare.header.start = start;
        let mut text = Vec::new();
        write_game(&bare, &Layout::default(), &mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let moves = text.rsplit_once("]\n").map_or(&*text, |(_, moves)| moves);
        Twin {
            tags,
            moves: moves.trim().to_owned(),
            before_nulls,
            mainline: mainline.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }

    pub(crate) fn tag(&self, name: &str) -> Option<&str> {
        let mut tags = self.tags.iter();
        let found = tags.find(|(found, _)| found == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Changes tags; those that become empty are removed.
    pub(crate) fn change_tags(&mut self, change: impl Fn(&str, &str) -> String) {
        for (name, value) in &mut self.tags {
            *value = change(name, value);
        }
        self.tags.retain(|(_, value)| !value.is_empty());
    }

    /// Returns event and round.
    fn label(&self) -> String {
        let tag = |name| self.tag(name).unwrap_or("-");
        format!("{} {}", tag("Event"), tag("Round"))
    }
}

/// Returns the games of a store, and their diagnostics.
pub(crate) fn read(store: &dyn GameStore) -> (Vec<Twin>, Vec<String>) {
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let games = (0..store.len()).map(|n| {
        store.game_into(n, &mut game, &mut scratch).unwrap();
        Twin::of(&game)
    });
    let games = games.collect();
    let found = scratch.diagnostics.iter().map(ToString::to_string);
    (games, found.collect())
}

/// Returns the games of a sample of another program, all of whose ways of reading must agree.
pub(crate) fn sample(format: &Format, role: Role, path: &str) -> Option<(Vec<Twin>, Vec<String>)> {
    let folder = chessdb_testkit::fixtures::testdata("fixtures-real/other")?;
    let mut files = MemorySet::new();
    files.insert(role, chessdb_testkit::fixtures::read(folder.join(path)));
    assert_eq!((format.probe)(&files), chessdb_core::format::Score::Certain);
    chessdb_testkit::readings::check(format, &files, &ReadOptions::default());
    let store = (format.open)(&files, ReadOptions::default()).unwrap();
    assert!(store.diagnostics().is_empty());
    Some(read(store.as_ref()))
}

/// Returns the clean PGN fixtures.
pub(crate) fn fixtures() -> Vec<Twin> {
    let folder = chessdb_testkit::fixtures::path("pgn/clean");
    let files = chessdb_testkit::fixtures::files(&folder);
    let games = files
        .iter()
        .flat_map(|file| pgn(std::fs::read(file).unwrap()));
    games.collect()
}

/// Returns the games of a PGN file.
pub(crate) fn pgn(bytes: Vec<u8>) -> Vec<Twin> {
    let mut files = MemorySet::new();
    files.insert(PGN_FILE, bytes);
    let bytes = files.get(PGN_FILE).unwrap();
    read(&chessdb_pgn::Store::open(bytes, ReadOptions::default()).unwrap()).0
}

/// Returns event and round of the games that have no twin, and prints what distinguishes them from
/// the nearest of `wanted`.
pub(crate) fn without_twin(name: &str, found: &[Twin], wanted: &[Twin]) -> Vec<String> {
    let mut left: HashMap<&Twin, usize> = HashMap::new();
    for twin in wanted {
        *left.entry(twin).or_default() += 1;
    }
    let alone = found.iter().filter(|game| match left.get_mut(game) {
        Some(count @ 1..) => {
            *count -= 1;
            false
        }
        _ => true,
    });
    let alone: Vec<&Twin> = alone.collect();
    let agreed = found.len() - alone.len();
    println!("{name}: {agreed} of {} games agree", found.len());
    for game in alone.iter().take(40) {
        explain(game, wanted);
    }
    alone.into_iter().map(Twin::label).collect()
}

fn explain(game: &Twin, wanted: &[Twin]) {
    let score = |other: &Twin| {
        let same = game.tags.iter().filter(|tag| other.tags.contains(tag));
        same.count() + 4 * usize::from(other.before_nulls == game.before_nulls)
    };
    let Some(near) = wanted.iter().max_by_key(|other| score(other)) else {
        return;
    };
    let only = |a: &Twin, b: &Twin| -> Vec<(String, String)> {
        let tags = a.tags.iter().filter(|tag| !b.tags.contains(tag));
        tags.cloned().collect()
    };
    let text = |twin: &Twin| format!("{}{}{}", twin.moves, twin.mainline, twin.before_nulls);
    let (own, other) = (text(game), text(near));
    let same = own
        .bytes()
        .zip(other.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let cut = |text: &str| {
        String::from_utf8_lossy(&text.as_bytes()[same..])
            .chars()
            .take(200)
            .collect::<String>()
    };
    println!("{}", game.label());
    println!("  found  {:?} …{}", only(game, near), cut(&own));
    println!("  wanted {:?} …{}", only(near, game), cut(&other));
}
