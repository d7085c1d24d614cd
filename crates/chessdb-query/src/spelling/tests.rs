//! Tests of spelling lists.

use super::*;

fn better(text: &str, section: &str, name: &str) -> String {
    let spellings = Spellings::read(text, section).unwrap();
    match spellings.of(name) {
        Spelling::Kept => name.to_owned(),
        Spelling::Better(better) => better.into_owned(),
        Spelling::Ambiguous(meant) => format!("? {}", meant.join(" / ")),
    }
}

const FILE: &str = "\u{FEFF}# Spelling file\r
@PLAYER \"., -_*\"\r
%Prefix \"GM \" \"\"
\t%Suffix \" (GM)\" \"\"

Korchnoi, Viktor  #gm SUI [2695] 1931.03.23--2016.06.06
%Bio Cand.1962
   %Bio FIDEID 5080444
   %Elo 1990:2630,?
>old biography
= Kortchnoi, V
   = Kortchnoi, Viktor   # a comment

  Smith, John\t#- ENG
   = Smith, J
Smith, James
   = Smith, J
   = Smyth, J
Moskva
   =Moscow
@SITE \" .,-()\"
   %Suffix \"(Italy)\" \"ITA\"
%Infix \"St. \" \"Saint \"
Moscow RUS
= Moskva
Milano ITA
@EVENT
%Prefix \"01. \" \"1. \"
%Prefix \"1. \" \"First \"
%Infix \"Ch.\" \"Championship\"
%Infix broken
@ROUND \"\"
1
 = 01
 = (01)
";

#[test]
fn files_of_scid_are_read() {
    for (section, name, right) in [
        ("PLAYER", "Kortchnoi, Viktor", "Korchnoi, Viktor"),
        ("PLAYER", "Kortchnoi,V.", "Korchnoi, Viktor"),
        ("PLAYER", "GM Korchnoi, Viktor", "Korchnoi, Viktor"),
        ("PLAYER", "Korchnoi,Viktor", "Korchnoi, Viktor"),
        ("PLAYER", "Viktor Kortchnoi", "Korchnoi, Viktor"),
        ("PLAYER", "Karpov, Anatoly (GM)", "Karpov, Anatoly"),
        ("PLAYER", "Korchnoi, Viktor", "Korchnoi, Viktor"),
        ("PLAYER", "Smith, J", "? Smith, John / Smith, James"),
        ("PLAYER", "Smyth, J", "Smith, James"),
        ("PLAYER", "kortchnoi, v", "kortchnoi, v"),
        ("PLAYER", "%Bio FIDEID 5080444", "%Bio FIDEID 5080444"),
        ("PLAYER", "-", "-"),
        ("PLAYER", "?", "?"),
        ("SITE", "Moskva.", "Moscow RUS"),
        ("SITE", "Milano (Italy)", "Milano ITA"),
        ("SITE", "Roma (Italy)", "Roma ITA"),
        ("SITE", "St. Louis", "Saint Louis"),
        (
            "EVENT",
            "01. Ch. of 01. Ch.",
            "1. Championship of 01. Championship",
        ),
        ("ROUND", "(01)", "1"),
        ("ROUND", "01", "1"),
        ("ROUND", "0.1", "0.1"),
    ] {
        assert_eq!(better(FILE, section, name), right, "{section} {name}");
    }
    let read = |section| Spellings::read(FILE, section).unwrap();
    assert_eq!(read("EVENT").skipped().len(), 1);
    assert!(read("PLAYER").skipped().is_empty());
}

#[test]
fn lines_of_a_file_without_sections_are_read() {
    let file = "A, Sohita #-  IND [1447] 1995 wi\n   %Bio FIDEID 5080444\n   = Sohita, A\n";
    assert_eq!(better(file, "PLAYER", "Sohita, A"), "A, Sohita");
    // Neither a name nor a spelling to correct.
    let file = "%Bio x\n= Sohita, A\nB\n= C";
    assert_eq!(better(file, "PLAYER", "Sohita, A"), "Sohita, A");
    assert_eq!(Spellings::read(file, "PLAYER").unwrap().skipped(), [2]);
    let none = Spellings::read("@PLAYER \"\"\n%Bio x\n", "PLAYER");
    assert_eq!(none.unwrap_err(), SpellingFault::Empty);
    let of_others = Spellings::read("@SITE\nParis\n=Pariss\n", "PLAYER");
    assert_eq!(of_others.unwrap_err(), SpellingFault::Empty);
}

#[test]
fn lists_are_followed_and_contradictions_found() {
    let list = "# comment\n\nA\tB\nB\tC\t# 1 game\nX\tY\nX\tZ\nV\tX\nD\tE # why\n\
        P\tQ\nP\tR\nQ\tR\nSame\tSame\nComputer #2\tComputer 2\nno tab\n";
    for (name, right) in [
        ("A", "C"),
        ("B", "C"),
        (" B ", "C"),
        ("X", "? Y / Z"),
        ("V", "? Y / Z"),
        ("D", "E"),
        ("P", "R"),
        ("Same", "Same"),
        ("Computer #2", "Computer 2"),
        ("C", "C"),
    ] {
        assert_eq!(better(list, "PLAYER", name), right, "{name}");
    }
    assert_eq!(Spellings::read(list, "PLAYER").unwrap().skipped(), [14]);
    for (list, circle) in [
        ("A\tB\nB\tA\n", &["A", "B"][..]),
        ("X\tA\nA\tB\nB\tC\nC\tA\n", &["A", "B", "C"]),
        ("A\tB\nA\tC\nC\tA\n", &["A", "C"]),
    ] {
        let names = circle.iter().map(|name| (*name).to_owned()).collect();
        let fault = Spellings::read(list, "PLAYER").unwrap_err();
        assert_eq!(fault, SpellingFault::Circle(names));
        assert!(fault.to_string().contains(" => "), "{fault}");
    }
    let long: String = (0..100_000).map(|n| format!("{n}\t{}\n", n + 1)).collect();
    assert_eq!(better(&long, "PLAYER", "0"), "100000");
}
