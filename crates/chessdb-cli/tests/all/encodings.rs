//! Tests of messages about databases without a stated encoding (docs/encodings.md).
use crate::common::{Lab, Ran};
use chessdb::core::Charset;

const NAMES: [&str; 6] = [
    "Смыслов, Василий",
    "Ботвинник, Михаил",
    "Таль, Михаил",
    "Петросян, Тигран",
    "Спасский, Борис",
    "Бронштейн, Давид",
];

/// Returns Russian games in an encoding.
fn games(charset: &str) -> Vec<u8> {
    let mut text = String::new();
    for pair in NAMES.windows(2) {
        text += &format!(
            "[Event \"Чемпионат СССР\"]\n[Site \"Москва\"]\n[White \"{}\"]\n[Black \"{}\"]\n\
             [Result \"*\"]\n\n1. e4 {{Обычный ход}} *\n\n",
            pair[0], pair[1]
        );
    }
    let mut bytes = Vec::new();
    let charset = Charset::by_name(charset).unwrap();
    charset.encode_strict(&text, &mut bytes).unwrap();
    bytes
}

fn lab(charset: &str) -> Lab {
    let lab = Lab::empty();
    lab.write("a.pgn", games(charset));
    lab
}

/// All texts are complete without the encoding being specified.
fn is_russian(lab: &Lab, pgn: &str) {
    let text = lab.text(pgn);
    for name in NAMES.into_iter().chain(["Чемпионат СССР", "Обычный ход"]) {
        assert!(text.contains(name), "{name}: {text}");
    }
}

#[test]
fn a_russian_base_of_dos_is_russian() {
    let lab = lab("utf-8");
    lab.run(["convert", "-q", "a.pgn", "a.cbf", "--to-encoding", "cp866"])
        .expect(0);
    let Ran { err, .. } = lab.run(["convert", "a.cbf", "b.pgn"]).expect(0);
    assert!(!err.contains("guessed"), "{err}");
    is_russian(&lab, "b.pgn");
    let info = lab.run(["info", "a.cbf"]).expect(0).out;
    let guessed = info.lines().find(|line| line.contains("guessed")).unwrap();
    assert!(guessed.contains("IBM866 (100 %)"), "{guessed}");
    assert!(info.contains("Бронштейн / "), "{info}");
    let json = lab.run(["info", "--json", "a.cbf"]).expect(0).json();
    let found = &json["bases"][0]["charset"];
    assert_eq!(found["page"], "IBM866");
    assert_eq!(found["samples"].as_array().unwrap().len(), 10);
}

#[test]
fn a_russian_text_file_of_windows_is_russian() {
    let lab = lab("cp1251");
    lab.run(["convert", "a.pgn", "b.pgn"]).expect(0);
    is_russian(&lab, "b.pgn");
    // From a pipe, too.
    let piped = lab.run_with(&games("cp1251"), &["cat", "-"]);
    assert_eq!(piped.expect(0).out, lab.text("b.pgn"));
    // An explicit encoding is used without a guess.
    lab.run(["convert", "a.pgn", "c.pgn", "-e", "cp1252"])
        .expect(0);
    assert!(lab.text("c.pgn").contains("Ñìûñëîâ"));
    lab.run(["convert", "a.pgn", "d.pgn", "-e", "auto"])
        .expect(0);
    assert_eq!(lab.text("b.pgn"), lab.text("d.pgn"));
}

#[test]
fn russian_names_go_into_a_page_that_has_them() {
    let lab = lab("utf-8");
    let said = lab.run(["convert", "a.pgn", "a.cbf"]).expect(0).err;
    assert!(said.contains("Text encoding IBM866: "), "{said}");
    lab.run(["convert", "-q", "a.cbf", "b.pgn"]).expect(0);
    is_russian(&lab, "b.pgn");
}

#[test]
fn what_a_page_lacks_is_told_with_what_would_help() {
    let lab = lab("utf-8");
    let to = ["convert", "a.pgn", "a.cbf", "--to-encoding", "cp850"];
    let said = lab.run(to).expect(0).err;
    assert!(said.contains("replaced"), "{said}");
    assert!(
        said.contains("Not representable: Борис; Ботвинник; "),
        "{said}"
    );
    assert!(
        said.contains("--to-encoding IBM866 can represent "),
        "{said}"
    );
    lab.run(to.into_iter().chain(["--force", "--strict"]))
        .expect(1);
    let ascii = lab.run(to.into_iter().chain(["--force", "--ascii"]));
    let said = ascii.expect(0).err;
    assert!(said.contains("texts transliterated"), "{said}");
    let names = lab.run(["ls", "a.cbf"]).expect(0).out;
    assert!(names.contains("Bronshteyn, David"), "{names}");
}

#[test]
fn a_doubtful_guess_is_told_with_the_option() {
    let lab = Lab::empty();
    lab.write("a.pgn", b"[White \"Ko\x9Ea\"]\n\n*\n");
    let said = lab.run(["convert", "a.pgn", "b.pgn"]).expect(0).err;
    assert!(said.contains("guessed encoding "), "{said}");
    assert!(said.contains("use -e to select"), "{said}");
    let info = lab.run(["info", "a.pgn"]).expect(0).out;
    assert!(info.contains("use -e to select"), "{info}");
    let player = ["convert", "a.pgn", "c.pgn", "--encoding-for"];
    let told = lab.run(player.into_iter().chain(["player=cp1250"]));
    assert!(!told.expect(0).err.contains("guessed"));
    assert!(lab.text("c.pgn").contains("Koža"));
    lab.run(player.into_iter().chain(["move=cp1250", "--force"]))
        .expect(2);
}
