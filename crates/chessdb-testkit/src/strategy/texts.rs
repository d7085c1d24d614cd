//! Random texts.

use chessdb_core::Charset;
use chessdb_core::text::{TextId, Texts};

use super::GameOptions;
use crate::rng::Rng;

const WORDS: &[&str] = &[
    "a", "the", "better", "was", "with", "plan", "pawn", "square", "tempo", "Nf3", "0-0", "e.g.",
    "file", "zugzwang", "only", "move", "trouble", "?!", "x", "7",
];
const UNICODE: &[&str] = &[
    "für",
    "élève",
    "Łódź",
    "отступить",
    "ψυχή",
    "将军",
    "½",
    "—",
    "“quoted”",
    "😀",
    "č",
    "¿quién?",
    "İ",
    "ß",
    "\u{A0}",
    "e\u{301}",
    "\u{FEFF}",
    "\u{2028}",
];
/// Texts that a careless PGN reader would not recognise as text.
const LOOK_ALIKES: &[&str] = &[
    "1. e4 e5 (1... c5) 2. Nf3 $5 1-0",
    "[Event \"x\"]",
    "[%clk 1:00] odd",
    "[%own 5]",
    "a ; b",
    "% percent",
    "(",
    ")",
    "{",
    "--",
    "$7",
    "*",
    "1/2-1/2",
    "\\",
    "\"",
    "\\\"",
    "#",
    "&amp;",
    "[",
    "]",
    "<RAV>",
    "%%",
    "...",
    "[%eval 0.3] not canonical",
];

/// Returns a name: of a player, a place, or the value of a tag.
pub(super) fn name(rng: &mut Rng, options: &GameOptions, texts: &mut Texts) -> TextId {
    if options.empty_names && rng.chance(3) {
        return texts.push(b"", Charset::UTF_8);
    }
    if options.legacy_texts && rng.chance(8) {
        return legacy(rng, texts);
    }
    let mut text = String::new();
    let words = if rng.chance(3) { 60 } else { 1 + rng.below(4) };
    for _ in 0..words {
        let next = if options.unicode && rng.chance(25) {
            rng.pick(UNICODE)
        } else if rng.chance(8) {
            rng.pick(&[
                "\"Z\"",
                "\\",
                "von der",
                "(server 7)",
                "?",
                "-",
                "ch-A",
                "1/2",
                "[x]",
            ])
        } else {
            rng.pick(&[
                "Birch",
                "Maple",
                "Nils",
                "Oslo NOR",
                "Open 2013",
                "J",
                "R.",
                "Port, X",
            ])
        };
        if !text.is_empty() {
            text.push_str(rng.pick(&[" ", ", ", "-"]));
        }
        text.push_str(next);
    }
    cut(&mut text, options.name_bytes);
    let name = match trimmed(&text) {
        "?" if !options.empty_names => "J",
        name => name,
    };
    texts.push(name.as_bytes(), Charset::UTF_8)
}

/// Returns a comment. With `bare` it does not begin with a space, so that commands can precede it.
pub(super) fn comment(
    rng: &mut Rng,
    options: &GameOptions,
    bare: bool,
    texts: &mut Texts,
) -> TextId {
    if options.legacy_texts && rng.chance(5) {
        return legacy(rng, texts);
    }
    let mut text = String::new();
    let words = if rng.chance(4) { 40 + rng.below(80) } else { 1 + rng.below(8) };
    for n in 0..words {
        let next = if rng.chance(6) {
            rng.pick(LOOK_ALIKES)
        } else if options.unicode && rng.chance(12) {
            rng.pick(UNICODE)
        } else if options.braces && rng.chance(2) {
            "}"
        } else {
            rng.pick(WORDS)
        };
        if n > 0 {
            text.push_str(separator(rng, options));
        }
        text.push_str(next);
    }
    let mut text = trimmed(&text).to_owned();
    if !options.braces
        && let Some(tag) = text.find("[Event")
        && text.get(tag..).is_some_and(|rest| rest.contains('{'))
    {
        text = text.replace('{', "(");
    }
    if options.blanks && rng.chance(10) {
        if !bare {
            text.insert_str(0, rng.pick(&[" ", "  "]));
        }
        text.push_str(rng.pick(&[" ", "  ", "\t"]));
    }
    texts.push(text.as_bytes(), Charset::UTF_8)
}

/// Returns the name of a tag without a typed field.
pub(super) fn tag_name(rng: &mut Rng) -> &'static str {
    rng.pick(&[
        "Opening",
        "Variation",
        "Termination",
        "TimeControl",
        "PlyCount",
        "WhiteCountry",
        "Own_tag",
        "X-long-name-with-dashes",
        "EventType",
        "UTCTime",
        "Mode",
        "a",
    ])
}

fn separator(rng: &mut Rng, options: &GameOptions) -> &'static str {
    if options.newlines && rng.chance(6) {
        return rng.pick(&["\n", "\n\n", "\t", "\r\n"]);
    }
    if options.blanks && rng.chance(4) { "  " } else { " " }
}

/// Returns bytes in windows-1252 that are not valid UTF-8.
fn legacy(rng: &mut Rng, texts: &mut Texts) -> TextId {
    let text: &[u8] = rng.pick(&[
        &b"gr\xFC\xDF"[..],
        b"\xC9lan",
        b"na\xEFve \x97 caf\xE9",
        b"T\xF6nu",
        b"50 \x80",
    ]);
    texts.push(text, Charset::WINDOWS_1252)
}

/// Removes white space of any kind at both ends; returns `-` if nothing is left.
fn trimmed(text: &str) -> &str {
    match text.trim() {
        "" => "-",
        trimmed => trimmed,
    }
}

fn cut(text: &mut String, bytes: usize) {
    while text.len() > bytes {
        text.pop();
    }
}
