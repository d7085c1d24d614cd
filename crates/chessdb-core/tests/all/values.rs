//! Tests of the times, evaluations and shapes of moves: which count, and leaving them out.

use chessdb_core::annotation::{CommentRun, MoveValues};
use chessdb_core::model::Parts;
use chessdb_core::{Color, Event, Game};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::commands::{Owned, any_command, near_commands, rendered};

/// Returns the values after the move of a game with this comment, without these parts.
fn values_without(comment: &str, parts: Parts) -> Vec<Owned> {
    let mut game = Game::builder()
        .sans(["e4"])
        .unwrap()
        .comment(comment)
        .build();
    game.leave_out(parts);
    let mut values = MoveValues::new(Color::White);
    let mut commands = Vec::new();
    for event in game.events() {
        values.read(&event, &mut |command| commands.push(Owned::of(command)));
    }
    commands
}

#[test]
fn commands_are_left_out_wherever_they_are() {
    for (comment, without, without_evals) in [
        ("[%clk 1:00]", "", "[%clk 1:00]"),
        ("a [%clk 1:00] b", "a b", "a [%clk 1:00] b"),
        ("a[%eval 0.3]b", "a b", "a b"),
        ("a [%eval 0.3]", "a", "a"),
        (
            "[%eval ?] [%clk soon] [%x 1]",
            "[%x 1]",
            "[%clk soon] [%x 1]",
        ),
        (
            "[%eval 0.30] [%clk 0:01:00] good",
            "good",
            "[%clk 0:01:00] good",
        ),
        (
            "[%egt 1] [%mct 2] [%timestamp 3] [%evp 0,4]",
            "",
            "[%egt 1] [%mct 2] [%timestamp 3]",
        ),
        (
            "so [%csl Gd4] [%CAL Gd4e5]",
            "so",
            "so [%csl Gd4] [%CAL Gd4e5]",
        ),
        (
            "[%ev[%eval 1]al 0.3] [%eval[%clk 1]0.3]",
            "[%ev al 0.3]",
            "[%ev al 0.3] [%eval[%clk 1]0.3]",
        ),
        (
            "+0.35/22 1.52s, White mates",
            "White mates",
            "[%emt 0:00:01.52] White mates",
        ),
        (
            "[%clk 1:00] +0.35/22 1.5s",
            "",
            "[%clk 1:00] [%emt 0:00:01.5]",
        ),
        ("plain  text ", "plain  text ", "plain  text "),
        ("[x] ]", "[x] ]", "[x] ]"),
        (" a [%eval 0.3] ", " a ", " a "),
        (" [%eval 0.3] a ", " a ", " a "),
    ] {
        for (parts, rest) in [(Parts::COMMANDS, without), (Parts::EVALS, without_evals)] {
            let mut game = Game::builder()
                .sans(["e4"])
                .unwrap()
                .comment(comment)
                .build();
            game.leave_out(parts);
            let mut run = CommentRun::default();
            let mut text = String::new();
            for event in game.events() {
                if !run.command(&event)
                    && let Event::Comment(_, words) = event
                {
                    text.push_str(&run.with_text(words).decode());
                }
            }
            text.extend(run.take().map(|text| text.decode().into_owned()));
            assert_eq!(text, rest, "{comment} without {parts:?}");
        }
    }
}

#[test]
fn values_belong_to_the_move_before_them() {
    let game = Game::builder()
        .comment("[%clk 9] before")
        .sans(["e4"])
        .unwrap()
        .comment("[%eval 0.1]")
        .comment("[%eval 0.2] +0.99/9 5s")
        .variation(|line| {
            Ok(line
                .comment("[%eval 7]")
                .sans(["d4"])?
                .comment("+0.30/1 1s"))
        })
        .unwrap()
        .comment("[%clk 1:00]")
        .sans(["e5"])
        .unwrap()
        .comment("-0.50/3 2s, [%clk 5]")
        .build();
    let mut values = MoveValues::new(Color::White);
    let mut shown = Vec::new();
    for event in game.events() {
        if let Event::Move(mv) = event {
            shown.push(mv.to_string());
        }
        values.read(&event, &mut |command| {
            shown.push(String::from_utf8(rendered(&[Owned::of(command)], b"")).unwrap());
        });
    }
    let expected = "[%clk 0:00:09] e2e4 [%eval 0.10] [%emt 0:00:05] d2d4 [%eval 0.30,1] \
                    [%emt 0:00:01] [%clk 0:01:00] e7e5 [%clk 0:00:05] [%eval 0.50,3] [%emt 0:00:02]";
    assert_eq!(shown.join(" "), expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// No order of left-over pieces hides a value or makes a new one.
    #[test]
    fn nothing_is_left_without_commands(bytes in near_commands(), text in "([-+(dM]?[0-9.]{0,6}[/ =][0-9/. ,:sMwvtl=]{0,20}|\\[%|\\]|clk |eval | ){0,8}") {
        for comment in [String::from_utf8_lossy(&bytes).into_owned(), text] {
            prop_assert_eq!(values_without(&comment, Parts::COMMANDS), []);
            let clocks = values_without(&comment, Parts::EVALS);
            prop_assert!(!clocks.iter().any(|value| matches!(value, Owned::Eval(_))));
        }
    }

    /// The other values and the words are still there.
    #[test]
    fn only_evaluations_are_left_out(commands in vec(any_command(), 0..4), words in "[a-z]{0,5}( [a-z]{1,5}){0,3}") {
        let comment = format!("{words} {}", String::from_utf8(rendered(&commands, b"")).unwrap());
        let mut all = values_without(&comment, Parts::empty());
        all.retain(|value| !matches!(value, Owned::Eval(_)));
        prop_assert_eq!(values_without(&comment, Parts::EVALS), all);
    }
}
