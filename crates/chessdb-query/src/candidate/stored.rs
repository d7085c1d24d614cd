//! Candidates as bytes: most games of a large database are not compared with others, and take less
//! memory so. The bytes are for the program that wrote them, and have no version.

use chessdb_core::{Date, Outcome, PackedMove};

use super::{Candidate, Dates, Player, Round};
use crate::annotations::AnnotationSample;
use crate::evidence::Facts;

impl Candidate {
    /// Appends the candidate as bytes, from which [`Candidate::from_bytes`] reads it.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        for player in &self.players {
            put_bytes(out, player.name.as_bytes());
            out.extend(player.surname.to_le_bytes());
            out.extend(player.fide_id.to_le_bytes());
            out.extend(player.rating.to_le_bytes());
            out.extend(player.federation);
            out.push(player.is_program.into());
        }
        put_bytes(out, self.event.as_bytes());
        match self.round {
            Round::Unknown => out.push(0),
            Round::Numbers(numbers) => {
                out.push(1);
                out.extend(numbers.into_iter().flat_map(u16::to_le_bytes));
            }
            Round::Text(hash) => {
                out.push(2);
                out.extend(hash.to_le_bytes());
            }
        }
        for Date { year, month, day } in [self.dates.day, self.dates.event] {
            out.extend(year.to_le_bytes());
            out.extend([month, day]);
        }
        out.push(self.outcome as u8);
        let (facts, ids, variant) = self.facts.parts();
        put_count(out, facts.len());
        for (question, answer) in facts {
            out.extend(question.to_le_bytes());
            out.extend(answer.to_le_bytes());
        }
        put_count(out, ids.len());
        out.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
        for hash in [variant, self.header, self.start] {
            out.extend(hash.to_le_bytes());
        }
        let (count, sample) = self.annotations.parts();
        out.extend(count.to_le_bytes());
        put_count(out, sample.len());
        out.extend(sample.iter().flat_map(|hash| hash.to_le_bytes()));
        put_count(out, self.tag_names.len());
        out.extend(self.tag_names.iter().flat_map(|hash| hash.to_le_bytes()));
        put_count(out, self.moves.len());
        out.extend(self.moves.iter().flat_map(|mv| mv.bits().to_le_bytes()));
        out.extend(self.tags.to_le_bytes());
        let marks = [
            self.has_site,
            self.is_position,
            self.is_live,
            self.stays,
            self.is_before_equals,
        ];
        out.extend(marks.map(u8::from));
    }

    /// Reads a candidate from the bytes of [`Candidate::append_to`]. `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Candidate> {
        let mut rest = Rest(bytes);
        let players = [rest.player()?, rest.player()?];
        let event = rest.text()?;
        let round = match rest.byte()? {
            0 => Round::Unknown,
            1 => Round::Numbers([rest.u16()?, rest.u16()?, rest.u16()?]),
            _ => Round::Text(rest.u64()?),
        };
        let dates = Dates {
            day: rest.date()?,
            event: rest.date()?,
        };
        let outcome = *Outcome::ALL.get(usize::from(rest.byte()?))?;
        let facts = rest.list(|rest| Some((rest.u64()?, rest.u64()?)))?;
        let ids = rest.list(Rest::u64)?;
        let facts = Facts::from_parts(facts, ids, rest.u64()?);
        Some(Candidate {
            players,
            event,
            round,
            dates,
            outcome,
            facts,
            header: rest.u64()?,
            start: rest.u64()?,
            annotations: AnnotationSample::from_parts(rest.u32()?, rest.list(Rest::u32)?),
            tag_names: rest.list(Rest::u16)?,
            moves: rest.list(|rest| PackedMove::from_bits(rest.u16()?))?,
            tags: rest.u32()?,
            has_site: rest.bool()?,
            is_position: rest.bool()?,
            is_live: rest.bool()?,
            stays: rest.bool()?,
            is_before_equals: rest.bool()?,
        })
    }
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend((count as u32).to_le_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_count(out, bytes.len());
    out.extend_from_slice(bytes);
}

/// The bytes that are still to be read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    fn byte(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    fn bool(&mut self) -> Option<bool> {
        self.byte().map(|byte| byte != 0)
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn text(&mut self) -> Option<Box<str>> {
        let length = self.u32()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok().map(Box::from)
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Rest<'a>) -> Option<T>) -> Option<Box<[T]>> {
        let count = self.u32()?;
        (0..count).map(|_| item(self)).collect()
    }

    fn date(&mut self) -> Option<Date> {
        let (year, [month, day]) = (self.u16()?, self.array()?);
        Some(Date { year, month, day })
    }

    fn player(&mut self) -> Option<Player> {
        Some(Player {
            name: self.text()?,
            surname: self.u32()?,
            fide_id: self.u32()?,
            rating: self.u16()?,
            federation: self.array()?,
            is_program: self.bool()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use chessdb_testkit::strategy::{self, GameOptions};

    use super::*;

    #[test]
    fn bytes_keep_a_candidate() {
        for seed in 0..300 {
            let game = strategy::game(seed, &GameOptions::all());
            let candidate = Candidate::from_game(&game).staying();
            let mut bytes = Vec::new();
            candidate.append_to(&mut bytes);
            let read = Candidate::from_bytes(&bytes).unwrap();
            assert_eq!(format!("{candidate:?}"), format!("{read:?}"));
            for length in 0..bytes.len() {
                assert!(Candidate::from_bytes(&bytes[..length]).is_none());
            }
        }
    }
}
