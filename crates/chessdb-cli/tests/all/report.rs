//! Tests of `report`: it describes a database without repeating anything that a person wrote.

use chessdb::{Database, FORMATS};
use chessdb_testkit::fixtures;

use crate::common::Lab;

/// A game in which every text is made of words that occur nowhere else.
const SECRET: &str = "[Event \"Qwyxevent Qwyxopen\"]\n[Site \"Qwyxtown\"]\n[Date \"1987.06.05\"]\n\
    [Round \"7\"]\n[White \"Qwyxwhite, Qwyxfirst\"]\n[Black \"Qwyxblack\"]\n[Result \"1-0\"]\n\
    [Annotator \"Qwyxannot\"]\n[WhiteTeam \"Qwyxteam\"]\n[Qwyxtag \"Qwyxvalue\"]\n\n\
    {Qwyxstart} 1. e4 $1 {Qwyxcomment of Ünyx} e5 (1... c5 {Qwyxinner}) 2. Nf3 Nc6 1-0\n";

/// Returns the words of a text that are long enough to be recognised.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|letter: char| !letter.is_alphabetic());
    words
        .filter(|word| word.chars().count() >= 4)
        .map(str::to_lowercase)
}

/// Returns a report with the bytes of headers as letters as well.
fn readable(report: &str) -> String {
    let mut all = report.to_lowercase();
    for line in report.lines().filter(|line| line.contains("header: ")) {
        let bytes = line
            .split_whitespace()
            .filter_map(|word| u8::from_str_radix(word, 16).ok());
        all.extend(bytes.map(char::from));
    }
    all.to_lowercase()
}

#[test]
fn a_report_repeats_nothing_of_any_format() {
    let lab = Lab::new();
    lab.write("secret.pgn", SECRET);
    for format in FORMATS.iter().filter(|format| format.writer().is_some()) {
        let name = match format.id {
            "pgn" => "secret.pgn".to_owned(),
            id => format!("qwyx-{id}.{}", format.roles[0].0),
        };
        if format.id != "pgn" {
            let ran = lab.run(["convert", "-q", "secret.pgn", &name]);
            assert!(ran.code < 2, "{name}: {}", ran.err);
        }
        for options in [&["report", &name][..], &["report", "--json", &name]] {
            let report = lab.run(options).expect(0).out;
            let all = readable(&report);
            for word in words(SECRET).chain(["nf3", "nc6", "e2e4"].map(str::to_owned)) {
                let is_of_format = ["event", "site", "round", "white", "black", "result", "date"];
                let is_of_format = is_of_format.contains(&word.as_str());
                let is_of_format = is_of_format || word == "annotator" || word == "whiteteam";
                assert!(
                    is_of_format || !all.contains(&word),
                    "{name}: {word}\n{report}"
                );
            }
            assert!(
                !all.contains("qwyx") && !all.contains("1987"),
                "{name}\n{report}"
            );
            assert!(report.contains(format.id), "{name}\n{report}");
        }
    }
}

/// The databases of the repository, two of them of formats that the program does not write.
#[test]
fn a_report_of_every_fixture_is_free_of_names() {
    let lab = Lab::new();
    lab.write("secret.pgn", SECRET);
    // Words that describe structures may also be names.
    let mut known = vec!["annotation".to_owned()];
    for name in ["secret.cbh", "secret.cdp"] {
        lab.run(["convert", "-q", "secret.pgn", name]);
        known.extend(words(&lab.run(["report", name]).expect(0).out));
    }
    for name in ["2cbh/text.2cbh", "cbh/text.cbh", "ca/text.cdp"] {
        let path = fixtures::path(name);
        let report = lab.run(["report", path.to_str().unwrap()]).expect(0).out;
        let all = readable(&report);
        let db = Database::open(&path).unwrap();
        for game in db.games() {
            let game = game.unwrap();
            let header = &game.header;
            let names = [
                header.white.name,
                header.black.name,
                header.event,
                header.site,
            ];
            for text in names.map(|name| game.text(name.text).decode().into_owned()) {
                for word in words(&text).filter(|word| !known.contains(word)) {
                    assert!(!all.contains(&word), "{name}: {word}\n{report}");
                }
            }
        }
    }
}

/// The report of an intact database and of a damaged one.
#[test]
fn a_report_shows_structure_and_faults() {
    let lab = Lab::new();
    for role in ["2cbh", "2cbg", "2cba", "2lid"] {
        let bytes = fixtures::read(fixtures::path(format!("2cbh/text.{role}")));
        lab.write(&format!("base.{role}"), bytes);
    }
    let whole = lab.run(["report", "--json", "base.2cbh"]).expect(0).json();
    let report = &whole["reports"][0];
    assert_eq!(report["format"], "2cbh");
    assert_eq!(report["faults"].as_array().unwrap().len(), 0, "{report}");
    assert_eq!(report["contents"]["games"], 28);
    let files = report["files"].as_array().unwrap();
    assert_eq!(files.len(), 4);
    let header = files[0]["header"].as_str().unwrap();
    assert!(
        header.starts_with("00 00 00 00 00 00 00 00 26 00 c0 00"),
        "{header}"
    );
    assert!(
        report["files"][2]["regions"]["game, type 02"]["count"].as_u64() > Some(0),
        "{report}"
    );
    let mut games = lab.read("base.2cbg");
    games[40] ^= 1;
    lab.write("base.2cbg", games);
    let damaged = lab.run(["report", "base.2cbh"]).expect(0).out;
    assert!(
        damaged.contains("the checksum of the record is wrong"),
        "{damaged}"
    );
    assert!(damaged.contains("offset: 12"), "{damaged}");
}
