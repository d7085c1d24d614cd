//! The task that sorts the list by a column. The ranks of all games of the database are computed
//! once.

use std::collections::HashMap;

use chessdb::Game;
use chessdb::columns::Column;
use chessdb::core::Outcome;
use chessdb::query::names::fold;
use serde_json::{Value, json};

use super::Task;
use crate::failure::{Failure, Result};
use crate::page::open_database::{OpenDatabase, Ranks, UNKNOWN};

/// What the list is sorted by.
enum Key {
    Number,
    Date,
    Result,
    Eco,
    Moves,
    /// The text or number that a column shows.
    Value(Column),
}

impl Key {
    fn named(name: &str) -> Result<Key> {
        Ok(match name {
            "number" => Key::Number,
            "date" => Key::Date,
            "result" => Key::Result,
            "eco" => Key::Eco,
            "moves" => Key::Moves,
            other => Key::Value(
                other
                    .parse()
                    .map_err(|error: String| Failure::new("request", error))?,
            ),
        })
    }

    /// Returns whether the key is in the header of every format.
    fn is_in_header(&self) -> bool {
        match self {
            Key::Number | Key::Date | Key::Result | Key::Eco => true,
            Key::Moves => false,
            Key::Value(column) => !column.needs_moves() && !column.is_tag(),
        }
    }
}

pub(super) struct Sort {
    name: String,
    key: Key,
    down: bool,
    is_known: bool,
    ranks: Ranks,
    /// Distinct texts, numbered in the order of their first occurrence.
    texts: HashMap<String, u32>,
    buffer: String,
    /// A buffer for the value of a column.
    value: Vec<u8>,
}

impl Sort {
    pub(super) fn new(base: &OpenDatabase, name: &str, down: bool) -> Result<Sort> {
        let key = Key::named(name)?;
        let is_known = matches!(key, Key::Number) || base.ranks_of(name).is_some();
        Ok(Sort {
            name: name.to_owned(),
            key,
            down,
            is_known,
            ranks: Vec::new(),
            texts: HashMap::new(),
            buffer: String::new(),
            value: Vec::new(),
        })
    }

    fn key(&mut self, game: &Game) -> Option<u32> {
        match &self.key {
            Key::Number => None,
            Key::Date => {
                let date = game.effective_date();
                // Unknown months and days are 0 and precede all others of their year.
                let days = u32::from(date.month) * 32 + u32::from(date.day);
                (date.year > 0).then(|| u32::from(date.year) * 1024 + days)
            }
            Key::Result => match game.result() {
                Outcome::WhiteWins => Some(0),
                Outcome::Draw => Some(1),
                Outcome::BlackWins => Some(2),
                Outcome::Unknown => None,
            },
            Key::Eco => game.eco().map(|eco| u32::from(eco.code)),
            Key::Moves => Some(game.plies()),
            Key::Value(column) => {
                let mut value = std::mem::take(&mut self.value);
                value.clear();
                column.append("", game, &mut value);
                let is_number = column.is_number();
                let text = String::from_utf8_lossy(&value).into_owned();
                self.value = value;
                if is_number { text.parse().ok() } else { self.text(&text) }
            }
        }
    }

    /// Returns the number of a text, which [`Task::finish`] replaces by its rank.
    fn text(&mut self, text: &str) -> Option<u32> {
        self.buffer.clear();
        fold(text.trim(), &mut self.buffer);
        // These mean that the value is unknown.
        if self.buffer.is_empty() || self.buffer == "?" || self.buffer == "-" {
            return None;
        }
        if self.buffer.contains(|c: char| c.is_ascii_digit()) {
            self.buffer = with_wide_numbers(&self.buffer);
        }
        if let Some(&number) = self.texts.get(&self.buffer) {
            return Some(number);
        }
        let new = self.texts.len() as u32;
        self.texts.insert(self.buffer.clone(), new);
        Some(new)
    }
}

/// Returns a text whose numbers have leading zeros, so that round 10 comes after round 9.
fn with_wide_numbers(text: &str) -> String {
    const WIDTH: usize = 8;
    let mut wide = String::with_capacity(text.len() + 2 * WIDTH);
    let mut rest = text;
    while let Some(first) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from_number) = rest.split_at(first);
        let end = from_number.find(|c: char| !c.is_ascii_digit());
        let (number, after) = from_number.split_at(end.unwrap_or(from_number.len()));
        wide.push_str(before);
        wide.extend(std::iter::repeat_n('0', WIDTH.saturating_sub(number.len())));
        wide.push_str(number);
        rest = after;
    }
    wide + rest
}

impl Task for Sort {
    fn len(&self, base: &OpenDatabase) -> u32 {
        if self.is_known { 0 } else { base.len() }
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        let mut game = std::mem::take(&mut base.game);
        for index in from..to {
            let read = if self.key.is_in_header() {
                base.db().header_into(index, &mut game)
            } else {
                base.db().game_into(index, &mut game)
            };
            let key = read.ok().and_then(|()| self.key(&game));
            self.ranks.push(key.unwrap_or(UNKNOWN));
        }
        base.game = game;
        Ok(())
    }

    fn finish(&mut self, base: &mut OpenDatabase) -> Result<Value> {
        if !self.is_known {
            let mut texts: Vec<(String, u32)> = self.texts.drain().collect();
            // Numbers of first occurrence become ranks now that all texts are known.
            texts.sort_unstable();
            let mut places = vec![0; texts.len()];
            for (place, (_, number)) in texts.iter().enumerate() {
                if let Some(to) = places.get_mut(*number as usize) {
                    *to = place as u32;
                }
            }
            let mut ranks = std::mem::take(&mut self.ranks);
            if !places.is_empty() {
                for rank in &mut ranks {
                    *rank = places.get(*rank as usize).copied().unwrap_or(UNKNOWN);
                }
            }
            base.keep_ranks(&self.name, ranks);
        }
        // Ascending numbers are the order of the database, which needs no list.
        let plain = matches!(self.key, Key::Number) && !self.down;
        base.order_by((!plain).then(|| (self.name.clone(), self.down)));
        Ok(json!({ "found": base.listed() }))
    }
}
