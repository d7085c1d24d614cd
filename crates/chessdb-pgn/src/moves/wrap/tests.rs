//! Tests of lines of every width, token by token.

use chessdb_core::rules::{Referee, read_san};

use super::*;

fn wrapped(width: usize, fill: impl FnOnce(&mut LineWrapper<'_>)) -> String {
    let mut out = b"[tag]\n".to_vec();
    let mut wrapper = LineWrapper::new(&mut out, width);
    fill(&mut wrapper);
    String::from_utf8(out[6..].to_vec()).unwrap()
}

#[test]
fn lines_are_broken_between_tokens() {
    let moves = |wrapper: &mut LineWrapper<'_>| {
        wrapper.token(b"1.");
        wrapper.token(b"e4");
        wrapper.open();
        wrapper.token(b"1.");
        wrapper.token(b"d4");
        wrapper.close();
        wrapper.token(b"e5");
    };
    assert_eq!(wrapped(0, moves), "1. e4 (1. d4) e5");
    assert_eq!(wrapped(8, moves), "1. e4\n(1. d4)\ne5");
    assert_eq!(wrapped(1, moves), "1.\ne4\n(1.\nd4)\ne5");
}

#[test]
fn comments_are_broken_only_where_it_does_no_harm() {
    let comment =
        |text: &'static str| move |wrapper: &mut LineWrapper<'_>| wrapper.comment(text.as_bytes());
    assert_eq!(wrapped(6, comment("one two three")), "{one\ntwo\nthree}");
    assert_eq!(wrapped(6, comment("one  two %three")), "{one  two %three}");
    assert_eq!(wrapped(6, comment(" one two ")), "{ one\ntwo }");
    assert_eq!(wrapped(6, comment("one\n\ntwo  x")), "{one\n\ntwo  x}");
    assert_eq!(wrapped(6, comment("äöüß ß")), "{äöüß\nß}");
    assert_eq!(wrapped(9, comment("äöüß ß")), "{äöüß ß}");
}

/// Compares plain comments with word-wise wrapping, in every context.
#[test]
fn plain_comments_are_wrapped_like_others() {
    let mut state = 5u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    for width in (0..40).chain([80]) {
        for _ in 0..400 {
            let mut parts = Vec::new();
            for _ in 0..1 + random(5) {
                let letters = b"abc  %x\t z  qr";
                let most = if random(4) == 0 { 200 } else { 24 };
                let length = random(most);
                let text = (0..length).map(|_| letters[random(14) as usize]);
                let text: Vec<u8> = text.collect();
                parts.push((random(6), text));
            }
            let fill = |wrapper: &mut LineWrapper<'_>, by_words: bool| {
                for (kind, text) in &parts {
                    match kind {
                        0 => wrapper.token(b"Nf3"),
                        1 => wrapper.open(),
                        2 => wrapper.close(),
                        _ if by_words => wrapper.comment_by_words(text),
                        _ => wrapper.comment(text),
                    }
                }
                wrapper.close();
                wrapper.number(12, 1);
                wrapper.short(*b"Qa1xb2#\0", 7);
            };
            let plain = wrapped(width, |wrapper| fill(wrapper, false));
            assert_eq!(
                plain,
                wrapped(width, |wrapper| fill(wrapper, true)),
                "{width}"
            );
        }
    }
}

/// Compares all widths, number lengths and contexts with general tokens.
#[test]
fn short_tokens_are_wrapped_like_others() {
    let number = |n: u16, dots| format!("{n}{}", ".".repeat(dots));
    for width in 0..24 {
        for n in [0, 7, 10, 99, 100, 999, 1000, 9999, 10000, u16::MAX] {
            for dots in [1, 3] {
                let fill = |wrapper: &mut LineWrapper<'_>, short: bool| {
                    for round in 0..3 {
                        if short {
                            wrapper.number(n, dots);
                            wrapper.short(*b"Qa1xb2#\0", 7);
                        } else {
                            wrapper.token(number(n, dots as usize).as_bytes());
                            wrapper.token(b"Qa1xb2#");
                        }
                        match round {
                            0 => wrapper.comment("äöü ß\nß".as_bytes()),
                            1 => wrapper.open(),
                            _ => wrapper.close(),
                        }
                    }
                };
                let short = wrapped(width, |wrapper| fill(wrapper, true));
                assert_eq!(short, wrapped(width, |wrapper| fill(wrapper, false)));
            }
        }
    }
}

/// Compares runs with tokens, for all numbers, line widths and preceding text.
#[test]
fn runs_are_wrapped_like_tokens() {
    let mut referee = Referee::default();
    let sans: Vec<ShortSan> = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6"]
        .iter()
        .map(|word| {
            let mv = read_san(referee.board(), word.as_bytes()).unwrap();
            ShortSan::new(mv, referee.play_legal(mv))
        })
        .collect();
    for width in 0..24 {
        for first in [0, 2, 17, 18, 196, 1990] {
            for before in 0..4 {
                let fill = |wrapper: &mut LineWrapper<'_>, at_once: bool| {
                    match before {
                        0 => wrapper.token(b"Qa1xb2#"),
                        1 => wrapper.comment(b"one two"),
                        2 => wrapper.comment(b"one\ntwo"),
                        _ => wrapper.close(),
                    }
                    let moves = (first..2000).zip(sans.iter().cycle()).take(30);
                    if at_once {
                        let mut run = wrapper.run().unwrap();
                        for (next, &san) in moves {
                            if next & 1 == 0 {
                                run.number(next / 2);
                            }
                            run.short(san);
                        }
                        run.end();
                    } else {
                        for (next, san) in moves {
                            if next & 1 == 0 {
                                wrapper.number((next / 2) as u16, 1);
                            }
                            wrapper.short(san.bytes(), san.length());
                        }
                    }
                    wrapper.comment(b"three four five");
                    wrapper.token(b"1-0");
                };
                let run = wrapped(width, |wrapper| fill(wrapper, true));
                assert_eq!(run, wrapped(width, |wrapper| fill(wrapper, false)));
            }
        }
    }
}
