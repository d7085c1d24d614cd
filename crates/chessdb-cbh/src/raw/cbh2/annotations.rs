//! The annotations of a game in .2cba (docs/formats/2cbh.md, section 8).

use crate::raw::bytes::Input;

/// An annotation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Note<'a> {
    /// The index of the move in the order of PGN, from 0; -1 for the game.
    pub position: i32,
    /// The type.
    pub kind: u16,
    /// The content after the type.
    pub data: &'a [u8],
    /// The offset of the content from the first block of the game.
    pub offset: usize,
}

/// An iterator over the annotations of a game. It ends early at an annotation of an unknown type,
/// since no annotation states its length.
#[derive(Clone, Copy, Debug)]
pub struct Notes<'a> {
    whole: &'a [u8],
    input: Input<'a>,
    position: i32,
    left: u32,
    is_ended: bool,
}

impl<'a> Notes<'a> {
    /// The position that ends the blocks.
    const END: i32 = i32::MAX;

    /// Starts with the content of a record.
    pub fn new(content: &'a [u8]) -> Notes<'a> {
        Notes {
            whole: content,
            input: Input(content),
            position: -1,
            left: 0,
            is_ended: false,
        }
    }

    /// Returns the bytes that were not read. After the last annotation these are none, or an
    /// annotation that cannot be read with everything after it.
    pub fn rest(&self) -> &'a [u8] {
        self.input.0
    }

    /// Returns true if the end of the blocks was found.
    pub fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// Returns the position of the block that is being read.
    pub fn position(&self) -> i32 {
        self.position
    }

    /// Returns the type of the annotation that could not be read, if its type exists.
    pub fn stopped_at(&self) -> Option<u16> {
        let mut input = self.input;
        input.short().filter(|_| self.left > 0 && !self.is_ended)
    }

    /// Returns the offset of the first byte that was not read.
    pub fn offset(&self) -> usize {
        self.whole.len() - self.input.0.len()
    }
}

impl<'a> Iterator for Notes<'a> {
    type Item = Note<'a>;

    fn next(&mut self) -> Option<Note<'a>> {
        // A block may state that it has no annotations.
        while self.left == 0 {
            let mut input = self.input;
            let position = input.long().filter(|_| !self.is_ended)? as i32;
            if position == Notes::END {
                (self.input, self.is_ended) = (input, true);
                return None;
            }
            self.left = input.long()?;
            (self.input, self.position) = (input, position);
        }
        // The input advances by whole annotations only, so that `rest` begins with an unreadable
        // one.
        let mut input = self.input;
        let kind = input.short()?;
        let bytes = length(kind, input)?;
        let data = input.take(bytes)?;
        let offset = self.whole.len() - input.0.len() - bytes;
        self.input = input;
        self.left -= 1;
        Some(Note {
            position: self.position,
            kind,
            data,
            offset,
        })
    }
}

/// Returns the length of the content of an annotation; `None` for an unknown type, and if the
/// content ends too early.
fn length(kind: u16, mut input: Input<'_>) -> Option<usize> {
    let start = input.0.len();
    match kind {
        0x02 | 0x82 | 0x20 => {
            input.take(4)?;
            input.counted()?;
        }
        0x03 => {
            input.take(3)?;
        }
        0x04 | 0x05 | 0x15 => {
            input.counted()?;
        }
        0x07 | 0x08 | 0x16 | 0x17 | 0x22 | 0x23 | 0x25 => {
            input.take(4)?;
        }
        0x09 => training(&mut input)?,
        0x13 => quotation(&mut input)?,
        0x14 | 0x18 => {
            input.take(1)?;
        }
        0x1C => {
            input.take(1)?;
            input.counted()?;
            input.counted()?;
        }
        0x21 => {
            input.take(6)?;
        }
        0x24 => {
            input.take(1 + 3 * 11 + 4)?;
        }
        0x26 => {
            input.take(1)?;
            input.counted()?;
        }
        0x27 => {
            input.take(2)?;
        }
        _ => return None,
    }
    Some(start - input.0.len())
}

/// Skips a training question (section 8.2).
fn training(input: &mut Input<'_>) -> Option<()> {
    let head = input.take(6)?;
    let &[_, _, variant, ..] = head else {
        return None;
    };
    input.take(6)?;
    for _ in 0..4 {
        list(input)?;
    }
    for _ in 0..input.byte()? {
        match variant {
            1 => {
                input.take(4)?;
                list(input)?;
            }
            2 => {
                input.take(1)?;
                list(input)?;
                list(input)?;
            }
            _ => return None,
        }
    }
    Some(())
}

/// Skips a list of texts, arrows and squares of a training question.
fn list(input: &mut Input<'_>) -> Option<()> {
    for _ in 0..input.short()? {
        input.short()?;
        input.counted()?;
    }
    Some(())
}

/// Skips a quotation (section 8.3).
fn quotation(input: &mut Input<'_>) -> Option<()> {
    input.take(13)?;
    for _ in 0..6 {
        let length = input.byte()?;
        input.take(length.into())?;
    }
    input.take(35 + 44)?;
    for _ in 0..2 {
        input.take(5)?;
        input.counted()?;
    }
    input.take(26)?;
    if input.byte()? == 0 {
        input.take(64 + 11)?;
    }
    input.take(2)?;
    let moves = usize::try_from(input.long()?).ok()?;
    input.take(moves.checked_mul(5)?)?;
    input.take(4)?;
    Some(())
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;

    use super::*;

    #[test]
    fn blocks_are_read() {
        let bytes = hex!(
            "FFFFFFFF 01000000 0200 0000 0700 02000000 4869
             05000000 02000000 0300 010000 2700 0100 FFFFFF7F"
        );
        let mut notes = Notes::new(&bytes);
        let found: Vec<_> = (&mut notes)
            .map(|note| (note.position, note.kind, note.data.len()))
            .collect();
        assert_eq!(found, [(-1, 2, 10), (5, 3, 3), (5, 0x27, 2)]);
        assert!(notes.is_ended() && notes.rest().is_empty());
    }

    /// No annotation states its length, so nothing after an unknown type can be read.
    #[test]
    fn an_unknown_type_ends_the_record() {
        let bytes = hex!("00000000 02000000 1400 03 9900 0102 FFFFFF7F");
        let mut notes = Notes::new(&bytes);
        assert_eq!((&mut notes).count(), 1);
        assert_eq!((notes.stopped_at(), notes.offset()), (Some(0x99), 11));
        assert!(!notes.is_ended());
    }

    #[test]
    fn a_quotation_has_a_length() {
        let mut data = vec![1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
        data.extend([2, b'A', 0].repeat(6));
        data.extend([0; 79]);
        for _ in 0..2 {
            data.extend(hex!("0100010000 01000000 58"));
        }
        data.extend([0; 26]);
        data.extend([1, 0, 0, 2, 0, 0, 0]);
        data.extend([0; 10]);
        data.extend([0; 4]);
        assert_eq!(length(0x13, Input(&data)), Some(data.len()));
        assert_eq!(length(0x13, Input(&data[..data.len() - 1])), None);
    }
}
