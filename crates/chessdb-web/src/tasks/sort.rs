//! The task that sorts the list by a column. The ranks of all games of the database are computed
//! once.

use std::collections::HashMap;

use chessdb::Game;
use chessdb::core::{Color, Outcome};
use chessdb::query::fold;
use serde_json::{Value, json};

use super::Task;
use crate::failure::{Failure, Result};
use crate::open_database::{OpenDatabase, Ranks, UNKNOWN};

/// The kind of a column.
#[derive(Clone, Copy)]
enum Column {
    Number,
    White,
    Black,
    Event,
    WhiteElo,
    BlackElo,
    Date,
    Result,
    Eco,
    Moves,
}

const COLUMNS: &[(&str, Column)] = &[
    ("number", Column::Number),
    ("white", Column::White),
    ("black", Column::Black),
    ("event", Column::Event),
    ("whiteElo", Column::WhiteElo),
    ("blackElo", Column::BlackElo),
    ("date", Column::Date),
    ("result", Column::Result),
    ("eco", Column::Eco),
    ("moves", Column::Moves),
];

pub(super) struct Sort {
    name: String,
    column: Column,
    down: bool,
    known: bool,
    ranks: Ranks,
    /// Distinct texts, numbered in the order of their first occurrence.
    texts: HashMap<String, u32>,
    buffer: String,
}

impl Sort {
    pub(super) fn new(base: &OpenDatabase, name: &str, down: bool) -> Result<Sort> {
        let column = COLUMNS.iter().find(|(known, _)| *known == name);
        let &(_, column) =
            column.ok_or_else(|| Failure::new("request", format!("unknown column `{name}`")))?;
        let known = matches!(column, Column::Number) || base.ranks_of(name).is_some();
        Ok(Sort {
            name: name.to_owned(),
            column,
            down,
            known,
            ranks: Vec::new(),
            texts: HashMap::new(),
            buffer: String::new(),
        })
    }

    fn key(&mut self, game: &Game) -> Option<u32> {
        let header = &game.header;
        match self.column {
            Column::Number => None,
            Column::White => self.text(&game.white()),
            Column::Black => self.text(&game.black()),
            Column::Event => self.text(&game.event()),
            Column::WhiteElo => game.elo(Color::White).map(u32::from),
            Column::BlackElo => game.elo(Color::Black).map(u32::from),
            Column::Date => {
                let date = header.date;
                let days = u32::from(date.month) * 32 + u32::from(date.day);
                (date.year > 0).then(|| u32::from(date.year) * 1024 + days)
            }
            Column::Result => match game.result() {
                Outcome::WhiteWins => Some(0),
                Outcome::Draw => Some(1),
                Outcome::BlackWins => Some(2),
                Outcome::Unknown => None,
            },
            Column::Eco => game.eco().map(|eco| u32::from(eco.code)),
            Column::Moves => Some(game.plies()),
        }
    }

    fn text(&mut self, text: &str) -> Option<u32> {
        self.buffer.clear();
        fold(text.trim(), &mut self.buffer);
        if self.buffer.is_empty() || self.buffer == "?" {
            return None;
        }
        if let Some(&known) = self.texts.get(&self.buffer) {
            return Some(known);
        }
        let new = self.texts.len() as u32;
        self.texts.insert(self.buffer.clone(), new);
        Some(new)
    }
}

impl Task for Sort {
    fn len(&self, base: &OpenDatabase) -> u32 {
        if self.known { 0 } else { base.len() }
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        let mut game = std::mem::take(&mut base.game);
        for index in from..to {
            let read = match self.column {
                Column::Moves => base.db().game_into(index, &mut game),
                _ => base.db().header_into(index, &mut game),
            };
            let key = read.ok().and_then(|()| self.key(&game));
            self.ranks.push(key.unwrap_or(UNKNOWN));
        }
        base.game = game;
        Ok(())
    }

    fn finish(&mut self, base: &mut OpenDatabase) -> Result<Value> {
        if !self.known {
            let mut texts: Vec<(String, u32)> = self.texts.drain().collect();
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
        let plain = matches!(self.column, Column::Number) && !self.down;
        base.order_by((!plain).then(|| (self.name.clone(), self.down)));
        Ok(json!({ "found": base.listed() }))
    }
}
