//! Tokens of unlimited length, and the tags of another game in them.

use super::super::lexer::next_in_bracket;
use super::super::scan::{self, InValue, byte, from};
use super::super::section::is_quotation;
use super::{Phase, Splitter, Step, Within};

impl Splitter {
    pub(super) fn comment(&mut self, window: &[u8], last: bool) -> Option<Step> {
        while let Some(n) = memchr::memchr2(b'}', b'[', from(window, self.at)) {
            self.at += n;
            if byte(window, self.at) == b'}' {
                self.at += 1;
                self.within = Within::Nothing;
                return None;
            }
            if self.is_near_end(window, last) {
                return Some(Step::More);
            }
            if scan::is_lost_game_start(window, self.at) {
                return self.interrupted();
            }
            if self.section.interrupts_text(window, self.at) {
                self.within = Within::Border(self.at);
                return None;
            }
            self.at += 1;
        }
        self.at = window.len();
        Some(Step::More)
    }

    /// Continues in a comment with the tags of another game. The next brace decides whether they
    /// are quoted.
    pub(super) fn border(&mut self, window: &[u8], tags: usize, last: bool) -> Option<Step> {
        match is_quotation(window, tags, last) {
            None => {
                self.at = window.len();
                Some(Step::More)
            }
            Some(true) => {
                self.at = tags;
                self.within = Within::Nothing;
                let brace = memchr::memchr(b'}', from(window, tags));
                self.at += brace.map_or(0, |n| n + 1);
                None
            }
            Some(false) => {
                self.at = tags;
                self.interrupted()
            }
        }
    }

    /// Ends the game if the tags of another game begin within a comment.
    fn interrupted(&mut self) -> Option<Step> {
        self.within = Within::Nothing;
        matches!(self.phase, Phase::Tags | Phase::Moves).then_some(Step::Game { end: self.at })
    }

    /// Continues in a comment to the end of the line, or in an escape line.
    pub(super) fn line(&mut self, window: &[u8], last: bool) -> Option<Step> {
        loop {
            let next = memchr::memchr3(b'\n', b'\r', b'[', from(window, self.at));
            if let Some(step) = self.skip(next, window) {
                return Some(step);
            }
            if byte(window, self.at) != b'[' {
                return None;
            }
            if self.is_near_end(window, last) {
                self.within = Within::Line;
                return Some(Step::More);
            }
            let in_moves = self.phase == Phase::Moves;
            if self.section.interrupts_line(window, self.at, in_moves) {
                return self.interrupted();
            }
            self.enter(Within::Line);
        }
    }

    pub(super) fn bracket(&mut self, window: &[u8], last: bool) -> Option<Step> {
        loop {
            let next = next_in_bracket(from(window, self.at));
            if let Some(step) = self.skip(next, window) {
                return Some(step);
            }
            match byte(window, self.at) {
                b']' => {
                    self.at += 1;
                    return None;
                }
                b'[' => {
                    if self.is_near_end(window, last) {
                        self.within = Within::Bracket;
                        return Some(Step::More);
                    }
                    if self.section.may_begin(window, self.at) {
                        return None;
                    }
                    self.enter(Within::Bracket);
                }
                _ => return None,
            }
        }
    }

    pub(super) fn value(&mut self, window: &[u8], last: bool) -> Option<Step> {
        loop {
            self.at = scan::next_in_value(window, self.at);
            if self.at >= window.len() || self.is_near_end(window, last) {
                return Some(Step::More);
            }
            match scan::in_value(window, self.at) {
                InValue::Continues(next) => {
                    if byte(window, self.at) == b'"'
                        && let Some(end) = self.section.interrupts_value(window, self.at)
                    {
                        self.at = end;
                        break;
                    }
                    self.at = next;
                }
                InValue::Closed { end, .. } => {
                    self.at = end;
                    break;
                }
                InValue::Broken => break,
            }
        }
        self.within = Within::Nothing;
        None
    }
}
