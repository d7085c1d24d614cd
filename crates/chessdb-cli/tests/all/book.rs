//! Tests of the README and the book in docs/: the commands of their pages run and print what the
//! pages show, and the reference of commands agrees with the help of the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use chessdb_testkit::golden;

use crate::common::{Lab, root};

/// Pages with examples that need a program with Parquet.
const WITH_PARQUET: &[&str] = &["docs/how-to/query-with-sql.md"];

/// The most lines of a how-to page: one screen. Pages for users of another program have two.
const LONGEST_TASK: usize = 45;
const FOR_USERS_OF: &str = "docs/how-to/coming-from-";

/// The folder of `fixtures` that examples do not need.
const UNUSED: &str = "fuzz";

/// A page's examples run in one folder, which contains the repository's fixtures.
struct Session {
    lab: Lab,
    code: i32,
    ran: usize,
}

impl Session {
    fn new() -> Session {
        let lab = Lab::empty();
        copy(&root().join("fixtures"), &lab.path("fixtures"));
        Session {
            lab,
            code: 0,
            ran: 0,
        }
    }

    /// Runs one command and returns its output. A few commands of the shell are done here, so that
    /// the examples run wherever the tests do.
    fn run(&mut self, line: &str) -> String {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let path = |name: &str| self.lab.path(name);
        match words[..] {
            // The tests do not run themselves; only the alias is checked.
            ["cargo", "xtask", "ci" | "test"] => {
                let config = fs::read_to_string(root().join(".cargo/config.toml")).unwrap();
                assert!(config.contains("xtask ="), "{config}");
                String::new()
            }
            // Compiling is left to readers; only the folder is checked.
            ["cargo", "install", "--locked", "--path", folder] => {
                assert!(root().join(folder).join("Cargo.toml").exists(), "{line}");
                String::new()
            }
            ["mkdir", "-p", folder] => {
                fs::create_dir_all(path(folder)).unwrap();
                String::new()
            }
            ["echo", "$?"] => format!("{}\n", std::mem::take(&mut self.code)),
            ["cat", name] => self.lab.text(name),
            ["cp", from, to] => {
                fs::copy(path(from), path(to)).unwrap();
                String::new()
            }
            ["rm", name] => {
                fs::remove_file(path(name)).unwrap();
                String::new()
            }
            ["truncate", "-s", bytes, name] => {
                let file = fs::File::options().write(true).open(path(name)).unwrap();
                file.set_len(bytes.parse().unwrap()).unwrap();
                String::new()
            }
            ["ls", folder] => {
                let entries = fs::read_dir(path(folder)).unwrap();
                let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
                let mut names: Vec<String> = names.collect();
                names.sort();
                names.join("\n") + "\n"
            }
            ["chessdb", ref args @ ..] => self.chessdb(args),
            [
                "cargo",
                "run",
                "--release",
                "-p",
                "chessdb-cli",
                "--",
                ref args @ ..,
            ] => {
                // Cargo makes it.
                fs::create_dir_all(path("target")).unwrap();
                self.chessdb(args)
            }
            _ => panic!("an example that the tests cannot run: {line}"),
        }
    }

    /// Runs the program. `> FILE` at the end takes its standard output.
    fn chessdb(&mut self, args: &[&str]) -> String {
        let (args, file) = match args {
            [args @ .., ">", file] => (args, Some(file)),
            _ => (args, None),
        };
        let mut ran = self.lab.run(args);
        if let Some(file) = file {
            self.lab.write(file, std::mem::take(&mut ran.out));
        }
        self.code = ran.code;
        self.ran += 1;
        ran.out + &ran.err
    }

    /// Runs the commands in a row of a table, which must succeed. Each may write databases whose
    /// names begin with `out`.
    fn run_row(&mut self, row: &str) {
        let commands = row.split('`').skip(1).step_by(2);
        for command in commands.filter(|code| code.starts_with("chessdb ")) {
            for entry in fs::read_dir(self.lab.path(".")).unwrap() {
                let path = entry.unwrap().path();
                if path
                    .file_name()
                    .unwrap()
                    .to_string_lossy()
                    .starts_with("out")
                {
                    if path.is_dir() {
                        fs::remove_dir_all(path).unwrap()
                    } else {
                        fs::remove_file(path).unwrap()
                    }
                }
            }
            let output = self.run(command);
            assert_eq!(self.code, 0, "{command}\n{output}");
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if !entry.file_type().unwrap().is_dir() {
            fs::copy(entry.path(), to).unwrap();
        } else if entry.file_name() != UNUSED {
            copy(&entry.path(), &to);
        }
    }
}

/// Divides a command into words; quotes of both kinds keep blanks.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None, None);
    for c in line.chars() {
        match (c, quote) {
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_with(String::new);
            }
            (_, Some(open)) if c == open => quote = None,
            (' ', None) => words.extend(word.take()),
            _ => word.get_or_insert_with(String::new).push(c),
        }
    }
    assert_eq!(quote, None, "an open quote: {line}");
    words.extend(word);
    words
}

/// Returns whether the output is the one shown, in which a line `...` is any number of lines.
fn matches(shown: &[&str], output: &[&str]) -> bool {
    match shown.split_first() {
        None => output.is_empty(),
        Some((&"...", rest)) => (0..=output.len()).any(|skipped| matches(rest, &output[skipped..])),
        Some((line, rest)) => output
            .split_first()
            .is_some_and(|(first, output)| line == first && matches(rest, output)),
    }
}

/// Returns the output as it is written to the page: with as many lines around a single `...` as are
/// shown, or all of it.
fn shortened<'a>(shown: &[&str], output: &[&'a str]) -> Vec<&'a str> {
    let parts: Vec<&[&str]> = shown.split(|line| *line == "...").collect();
    match parts[..] {
        [before, after] if shown.len() > 1 && shown.len() <= output.len() => {
            let (first, last) = (
                &output[..before.len()],
                &output[output.len() - after.len()..],
            );
            [first, &["..."], last].concat()
        }
        _ => output.to_vec(),
    }
}

/// Runs the console blocks of a page and returns the page as it must be. The output of a command is
/// compared if the page shows any. A command must succeed unless the next one is `echo $?`.
fn with_true_output(page: &str, session: &mut Session) -> String {
    let mut result = String::new();
    let mut lines = page.lines().peekable();
    let mut inside = false;
    while let Some(line) = lines.next() {
        result += &format!("{line}\n");
        if line.starts_with("```") {
            inside = line == "```console";
            continue;
        }
        if !inside {
            if line.starts_with('|') {
                session.run_row(line);
            }
            continue;
        }
        let command = line.strip_prefix("$ ");
        let command = command.unwrap_or_else(|| panic!("output without a command: {line}"));
        let mut shown = Vec::new();
        while let Some(line) =
            lines.next_if(|line| !line.starts_with("$ ") && !line.starts_with("```"))
        {
            shown.push(line);
        }
        let output = session.run(command);
        let is_asked = lines.peek() == Some(&"$ echo $?");
        assert!(session.code == 0 || is_asked, "{command}\n{output}");
        // Trailing blanks are invisible in a page. On Windows, paths have other separators.
        let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
        let is_right = shown.is_empty() || shown != ["..."] && matches(&shown, &lines);
        let lines = if is_right || cfg!(windows) { shown } else { shortened(&shown, &lines) };
        lines.iter().for_each(|line| result += &format!("{line}\n"));
    }
    result
}

/// The pages with examples, relative to the root, with `/`.
fn pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned(), "docs/tutorial.md".to_owned()];
    for folder in ["docs/how-to", "docs/reference"] {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        pages.extend(names.map(|name| format!("{folder}/{name}")));
    }
    pages.sort();
    pages
}

fn run(page: &str) -> Session {
    let path: PathBuf = root().join(page);
    let text = fs::read_to_string(&path).unwrap();
    let mut session = Session::new();
    golden::check(path, &with_true_output(&text, &mut session));
    session
}

#[test]
fn the_examples_of_every_page_run() {
    let pages = pages();
    for page in &pages {
        if WITH_PARQUET.contains(&page.as_str()) && !cfg!(feature = "parquet") {
            println!("{page} was not run: this program has no Parquet");
            continue;
        }
        let ran = run(page).ran;
        let is_task = page.starts_with("docs/how-to/") || page.ends_with("tutorial.md");
        assert!(ran > 0 || !is_task, "{page} has no example");
    }
    assert!(pages.len() > 20, "{pages:?}");
}

#[test]
fn a_task_fits_one_screen() {
    for page in pages()
        .iter()
        .filter(|page| page.starts_with("docs/how-to/"))
    {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let lines = text.lines().count();
        let screens = if page.starts_with(FOR_USERS_OF) { 2 } else { 1 };
        assert!(lines <= screens * LONGEST_TASK, "{page} has {lines} lines");
    }
}

#[test]
fn the_session_of_the_readme_keeps_every_game() {
    let lab = run("README.md").lab;
    let games = |name: &str| lab.run(["ls", name]).expect(0).out.lines().count();
    let number = games("fixtures/scid/annotated.si4");
    assert!(number >= 60);
    for name in ["games.pgn", "again.si4", "annotated.pgn"] {
        assert_eq!(games(&format!("target/{name}")), number, "{name}");
    }
}

/// After the session `git status` shows nothing: what it writes is in a folder that git ignores.
#[test]
fn the_session_of_the_readme_leaves_nothing_behind() {
    let ignored = fs::read_to_string(root().join(".gitignore")).unwrap();
    assert!(ignored.lines().any(|line| line == "/target"), "{ignored}");
    let contents = |session: &Session| {
        let mut files = BTreeMap::new();
        collect(&session.lab.path("."), &mut files);
        files.retain(|path, _| !path.starts_with(session.lab.path("target")));
        let path = |path: &PathBuf| path.strip_prefix(session.lab.path(".")).unwrap().to_owned();
        files
            .iter()
            .map(|(name, bytes)| (path(name), bytes.clone()))
            .collect::<BTreeMap<_, _>>()
    };
    let before = contents(&Session::new());
    let after = contents(&run("README.md"));
    assert!(before.len() > 100);
    let changed: Vec<_> = after
        .iter()
        .filter(|(path, bytes)| before.get(*path) != Some(bytes))
        .collect();
    let names: Vec<_> = changed.iter().map(|(path, _)| path).collect();
    assert!(names.is_empty() && before.len() == after.len(), "{names:?}");
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files)
        } else {
            _ = files.insert(path.clone(), fs::read(path).unwrap())
        }
    }
}

#[test]
fn examples_are_compared() {
    let shown = |page: &str| {
        let page = format!("```console\n{page}```\n");
        with_true_output(&page, &mut Session::new()) == page
    };
    assert!(shown(
        "$ chessdb ls fixtures/cbf/examples.cbf Study --count\n$ echo $?\n2\n"
    ));
    let count = "$ chessdb find fixtures/cbf/examples.cbf Study --count\n";
    assert!(shown(&format!("{count}1\n")) && shown(count));
    assert!(cfg!(windows) || !shown(&format!("{count}2\n")) && !shown(&format!("{count}...\n")));
    assert!(matches(&["a", "...", "c"], &["a", "b", "b", "c"]));
    assert!(!matches(&["a", "...", "c"], &["a", "b"]) && !matches(&["a"], &[]));
    assert_eq!(
        shortened(&["x", "...", "y"], &["a", "b", "c", "d"]),
        ["a", "...", "d"]
    );
    assert_eq!(shortened(&["..."], &["a", "b"]), ["a", "b"]);
    assert_eq!(words("a 'b c' \"d\" ''"), ["a", "b c", "d", ""]);
}

/// Returns the names and short descriptions of the commands, from the lists of `--help`.
fn commands(help: &str) -> Vec<(&str, &str)> {
    let (_, lists) = help.split_once("Look:\n").unwrap();
    let (lists, _) = lists.split_once("\nOptions:\n").unwrap();
    let lines = lists.lines().filter_map(|line| line.strip_prefix("  "));
    let entries = lines.map(|line| {
        let (name, purpose) = line.split_once(' ').unwrap();
        (name, purpose.trim())
    });
    entries.filter(|(name, _)| *name != "help").collect()
}

#[test]
fn the_help_of_a_command_begins_with_its_purpose() {
    let lab = Lab::empty();
    let help = lab.run(["--help"]).expect(0).out;
    let commands = commands(&help);
    assert_eq!(commands.len(), 35);
    for (name, purpose) in commands {
        let help = lab.run([name, "--help"]).expect(0).out;
        assert!(help.contains("--help"));
        assert!(help.starts_with(purpose), "{name}: {purpose}\n{help}");
    }
}

/// Returns the names of the parts of a command, such as `info` of `book`, from its help.
fn parts(help: &str) -> Vec<&str> {
    let list = help
        .split_once("\nCommands:\n")
        .map_or("", |(_, list)| list);
    let lines = list.lines().map_while(|line| line.strip_prefix("  "));
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").collect()
}

/// The page is generated, so that it is never out of date.
#[test]
fn the_reference_of_commands_is_the_help() {
    if !cfg!(feature = "parquet") {
        println!("not compared: a program without Parquet hides options of tables");
        return;
    }
    let lab = Lab::empty();
    let help = lab.run(["--help"]).expect(0).out;
    let mut page = String::from(
        "# Commands\n\n\
        This page is the output of `chessdb --help` and `chessdb COMMAND --help`. A test writes it,\n\
        with the program that has all features: `cargo xtask bless -p chessdb-cli`.\n\
        [Query language](query.md) shows the help of queries. The pages after this one describe what\n\
        the commands guarantee.\n",
    );
    let mut add = |title: &str, args: &[&str]| {
        let help = lab.run(args).expect(0).out;
        let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
        page += &format!("\n## {title}\n\n```text\n{}\n```\n", lines.join("\n"));
        help
    };
    add("chessdb", &["--help"]);
    for (name, _) in commands(&help) {
        let help = add(&format!("chessdb {name}"), &[name, "--help"]);
        for part in parts(&help) {
            add(&format!("chessdb {name} {part}"), &[name, part, "--help"]);
        }
    }
    golden::check(root().join("docs/reference/commands.md"), &page);
}

/// Collects the names of all fields. Names of tags and code pages are data and are left out.
fn fields(value: &serde_json::Value, names: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Array(items) => items.iter().for_each(|item| fields(item, names)),
        serde_json::Value::Object(object) => {
            for (name, value) in object {
                names.insert(name.clone());
                if name != "tags" && name != "mixed" {
                    fields(value, names);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn every_field_of_the_json_output_is_described() {
    let page = fs::read_to_string(root().join("docs/reference/json.md")).unwrap();
    let Session { lab, .. } = Session::new();
    for name in ["si4", "sg4", "sn4"] {
        let from = lab.path(&format!("fixtures/scid/masters.{name}"));
        fs::copy(from, lab.path(&format!("cut.{name}"))).unwrap();
    }
    lab.write("cut.sg4", &lab.read("cut.sg4")[..900]);
    // Databases with nearly every kind of data, and questions with nearly every kind of answer.
    let lines = [
        "info fixtures/scid/annotated.si4",
        "info fixtures/cbh/text.cbh fixtures/pgn/broken/x-bad-fen.pgn",
        "ls fixtures/scid3",
        "find fixtures/scid/masters.si4 sub:Nd5",
        "find fixtures/scid/masters.si4 fischer --count",
        "tree fixtures/scid/masters.si4",
        "index cut.si4",
        "stats fixtures/scid/annotated.si4",
        "stats fixtures/scid/annotated.si4 --by eco",
        "stats fixtures/scid/masters.si4 --player Kasparov",
        "stats fixtures/scid/masters.si4 year:1912 --crosstable",
        "stats fixtures/scid/annotated.si4 --clocks --accuracy",
        "novelty fixtures/scid/masters.si4 -n 9",
        "prepare fixtures/scid/masters.si4 Fischer --least 1",
        "repertoire fixtures/scid/romantics.si4 fixtures/scid/masters.si4 --white --min-games 1",
        "cat fixtures/scid/annotated.si4 -n 1-3",
        "cat --texts fixtures/cbh/chessbase.cbh",
        "convert fixtures/scid/annotated.si4 out.cbf",
        "convert fixtures/pgn/edge/latin1.pgn cut.si4 out.cdp",
        "names --details fixtures/ca/headers.cdp",
        "check cut.si4",
        "salvage cut.si4 out.pgn",
        "diff fixtures/scid/masters.si4 cut.si4",
        "diff fixtures/scid3 fixtures/scid5",
        "tag fixtures/scid/masters.si4 -n 1 --set Round=2",
        "formats",
    ];
    for line in lines {
        let ran = lab.run(words(line).iter().map(String::as_str).chain(["--json"]));
        let mut names = BTreeSet::new();
        fields(&ran.json(), &mut names);
        assert!(names.len() > 2, "{line}: {names:?}");
        let is_described = |name: &str| name == "schema" || page.contains(&format!("`{name}`"));
        let missing: Vec<_> = names.iter().filter(|name| !is_described(name)).collect();
        assert!(missing.is_empty(), "{line}: {missing:?}");
    }
}
