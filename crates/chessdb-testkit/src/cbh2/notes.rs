//! The annotations of a 2CBH database for tests.

use super::*;

/// The annotations of a game.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) list: Vec<(i32, u16, Vec<u8>)>,
    /// Field and content of the description of the next text.
    pub(super) about: Option<(u16, Vec<u8>)>,
}

impl Notes {
    /// Adds an event after the move `last` of its line. `count` is the number of moves before it.
    pub(super) fn event(&mut self, event: Event<'_>, last: i32, count: i32, content: Content) {
        let mut add = |kind: u16, data: Vec<u8>| self.list.push((last, kind, data));
        match event {
            Event::Nag(nag) => {
                // One place each for the move, the position and the prefix.
                let slot = match nag {
                    1..=9 | 22 => 0,
                    140..=145 => 2,
                    _ => 1,
                };
                let mut data = vec![0; 3];
                data[slot] = nag as u8;
                add(0x03, data);
            }
            Event::Shapes(shapes) => {
                let mut data = Vec::new();
                for shape in shapes {
                    data.push(match shape.color.letter() {
                        b'G' => 2,
                        b'Y' => 3,
                        b'R' => 4,
                        letter => letter - b'A',
                    });
                    data.push(shape.from.index() + 1);
                    data.extend(shape.to.map(|to| to.index() + 1));
                }
                let kind = if shapes[0].to.is_some() { 5 } else { 4 };
                let mut counted = (data.len() as u32).to_le_bytes().to_vec();
                counted.extend(data);
                add(kind, counted);
            }
            Event::Clock(clock) if clock.kind == ClockKind::Elapsed => {
                let hundredths = clock.milliseconds / 10;
                let parts = [
                    hundredths % 100,
                    hundredths / 100 % 60,
                    hundredths / 6000 % 60,
                    hundredths / 360_000,
                ];
                add(0x07, parts.map(|part| part as u8).to_vec());
            }
            Event::Eval(eval) => {
                let (kind, value) = match eval.value {
                    EvalValue::Centipawns(value) => (0u16, value),
                    EvalValue::Mate(value) => (1, value),
                    EvalValue::WinDraw { .. } => return content.missing(&format!("{eval:?}")),
                };
                let mut data = (value as i16).to_le_bytes().to_vec();
                data.extend(kind.to_le_bytes());
                data.extend(eval.depth.unwrap_or(0).to_le_bytes());
                add(0x21, data);
            }
            Event::Extra(extra) if extra.format == "cbh" && extra.field > 255 => {
                self.about = Some((extra.field, extra.bytes.to_vec()));
            }
            Event::Extra(extra) if extra.format == "cbh" => {
                let bytes = &extra.bytes;
                let data = match extra.field {
                    // A single number, which is big-endian in CBH.
                    0x08 | 0x16 | 0x17 | 0x22 | 0x23 | 0x25 => {
                        bytes.iter().rev().copied().collect()
                    }
                    0x14 | 0x18 => bytes.to_vec(),
                    0x15 => {
                        let mut data = (bytes.len() as u32).to_le_bytes().to_vec();
                        data.extend(bytes);
                        data
                    }
                    0x24 => {
                        let mut data = vec![1];
                        data.extend(bytes);
                        data.extend([0; 4]);
                        data
                    }
                    0x26 => {
                        let mut data = vec![1];
                        data.extend((bytes.len() as u32).to_le_bytes());
                        data.extend(&bytes[..2]);
                        for entry in bytes[2..].chunks(4) {
                            data.extend([entry[2], entry[3], entry[1], entry[0]]);
                        }
                        data
                    }
                    field => return content.missing(&format!("annotation {field:#x}")),
                };
                add(extra.field, data);
            }
            Event::Comment(place, text) => self.comment(place, text.as_bytes(), last, count),
            event => content.missing(&format!("{event:?}")),
        }
    }

    pub(super) fn comment(&mut self, place: Place, text: &[u8], last: i32, count: i32) {
        if text.is_empty() {
            return;
        }
        let about = self.about.take();
        let field = about.as_ref().map(|(field, _)| *field);
        let (position, kind) = match (place, field) {
            (Place::Before, Some(0x382)) => (-1, 0x82),
            (Place::Before, None | Some(0x102)) if count == 0 => (-1, 0x02),
            (Place::Before, _) => (count, 0x82),
            _ => (last, 0x02),
        };
        let nation = about.and_then(|(_, bytes)| bytes.first().copied());
        // CBH has the nation of a language instead.
        let language: u16 = match nation {
            None | Some(0) => 7,
            Some(42) => 0,
            Some(53) => 1,
            Some(49) => 2,
            nation => panic!("{nation:?}"),
        };
        let mut data = vec![0, 0];
        data.extend(language.to_le_bytes());
        data.extend((text.len() as u32).to_le_bytes());
        data.extend(text);
        self.list.push((position, kind, data));
    }

    /// Returns the content of the record: blocks in ascending order, and the end.
    pub(super) fn content(mut self) -> Vec<u8> {
        self.list.sort_by_key(|(position, ..)| *position);
        let mut out = Vec::new();
        for block in self.list.chunk_by(|a, b| a.0 == b.0) {
            out.extend(block[0].0.to_le_bytes());
            out.extend((block.len() as u32).to_le_bytes());
            for (_, kind, data) in block {
                out.extend(kind.to_le_bytes());
                out.extend(data);
            }
        }
        // A place after all moves ends the list.
        out.extend(i32::MAX.to_le_bytes());
        out
    }
}
