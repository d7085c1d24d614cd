//! The stream of moves as codes, independent of the encoding mode.

use chessdb_core::legacy::cbh::{Mode, codes};

/// An element of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Code {
    /// A move: one byte, or [`codes::SQUARES`] and two bytes.
    Move([u8; 3]),
    /// There is an alternative to the next move.
    Push,
    /// The line ends.
    Pop,
    /// Code 236.
    Nothing,
    /// An unused code.
    Unused(u8),
}

/// An iterator over the codes of a stream.
#[derive(Clone, Debug)]
pub(super) struct CodeReader<'a> {
    mode: Mode,
    bytes: &'a [u8],
    /// The offset of the next code.
    pub(super) offset: usize,
    /// The number of moves read.
    pub(super) moves: u32,
    /// The part of a simple mode's word that has not been returned yet.
    waiting: PendingWord,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PendingWord {
    Nothing,
    Move(u16),
    Pop,
}

/// The bits of a word of the simple modes (section 6.6).
const PUSH: u16 = 0x8000;
const POP: u16 = 0x4000;
const SQUARES: u16 = 0x0FFF;

impl<'a> CodeReader<'a> {
    pub(super) fn new(mode: Mode, bytes: &'a [u8]) -> CodeReader<'a> {
        CodeReader {
            mode,
            bytes,
            offset: 0,
            moves: 0,
            waiting: PendingWord::Nothing,
        }
    }

    /// Returns the number of remaining bytes.
    pub(super) fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.offset)
    }

    /// Returns true if the end of the last line may be missing: in a game without moves in a simple
    /// mode.
    pub(super) fn may_end(&self) -> bool {
        self.mode.is_simple() && self.bytes.is_empty()
    }

    /// Returns a byte of the stream as a code.
    fn code(&self, offset: usize) -> Option<u8> {
        let byte = self.bytes.get(offset)?;
        Some(self.mode.code(*byte, self.moves))
    }

    /// Returns two bytes of the stream as codes.
    fn pair(&self, offset: usize) -> Option<[u8; 2]> {
        Some([self.code(offset)?, self.code(offset + 1)?])
    }

    /// Returns the next code. `None` at the end, or if the stream ends within a move.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Code> {
        if self.mode.is_simple() {
            return self.next_simple();
        }
        let code = self.code(self.offset)?;
        let item = match code {
            codes::PUSH => Code::Push,
            codes::POP => Code::Pop,
            codes::NOTHING => Code::Nothing,
            codes::SQUARES => {
                // All bytes of a move share one counter, which grows after them (section 6.2).
                let [high, low] = self.pair(self.offset + 1)?;
                self.offset += 2;
                self.moves = self.moves.saturating_add(1);
                Code::Move([code, high, low])
            }
            237..=253 => Code::Unused(code),
            code => {
                self.moves = self.moves.saturating_add(1);
                Code::Move([code, 0, 0])
            }
        };
        self.offset += 1;
        Some(item)
    }

    fn next_simple(&mut self) -> Option<Code> {
        let word = match std::mem::replace(&mut self.waiting, PendingWord::Nothing) {
            PendingWord::Pop => return Some(Code::Pop),
            PendingWord::Move(word) => word,
            PendingWord::Nothing => {
                let word = u16::from_be_bytes(self.pair(self.offset)?);
                self.offset += 2;
                if word & PUSH != 0 {
                    self.waiting = PendingWord::Move(word);
                    return Some(Code::Push);
                }
                word
            }
        };
        self.moves = self.moves.saturating_add(1);
        if word & POP != 0 {
            self.waiting = PendingWord::Pop;
        }
        // A move from a1 to a1 is the null move (section 6.6).
        if word & SQUARES == 0 {
            return Some(Code::Move([0; 3]));
        }
        let (from, to) = (word & 0x3F, word >> 6 & 0x3F);
        // Reverse modes store the squares in the opposite order (section 6.6).
        let word = if self.mode.is_reverse() {
            word & 0x3000 | from << 6 | to
        } else {
            word & 0x3FFF
        };
        let [high, low] = word.to_be_bytes();
        Some(Code::Move([codes::SQUARES, high, low]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 6.10: 1.e4 e5 (1...c5).
    #[test]
    fn compact_stream_of_the_page() {
        let stream = [0xFF, 0xDD, 0x00, 0x0E, 0xDC, 0x0F];
        let mut stream = CodeReader::new(Mode::CHESS, &stream);
        let mv = |code| Some(Code::Move([code, 0, 0]));
        let found: Vec<_> = std::iter::from_fn(|| Some(stream.next())).take(7).collect();
        let expected = [
            mv(128),
            Some(Code::Push),
            mv(128),
            Some(Code::Pop),
            mv(120),
            Some(Code::Pop),
            None,
        ];
        assert_eq!(found, expected);
        assert_eq!((stream.moves, stream.left()), (3, 0));
    }

    /// Section 8.3: 1.e4 e5, and the end of a quotation.
    #[test]
    fn a_simple_stream() {
        let stream = [0xDF, 0x93, 0x6C, 0xD8];
        let mut stream = CodeReader::new(Mode::QUOTED, &stream);
        let squares = |from: u16, to: u16| {
            let [high, low] = (from | to << 6).to_be_bytes();
            Some(Code::Move([codes::SQUARES, high, low]))
        };
        assert_eq!(stream.next(), squares(33, 35));
        assert_eq!(stream.next(), squares(38, 36));
        assert_eq!(stream.next(), None);
        let mut end = CodeReader::new(Mode::QUOTED, &[0xB5, 0xAF]);
        let found = [end.next(), end.next(), end.next()];
        assert_eq!(found, [Some(Code::Move([0; 3])), Some(Code::Pop), None]);
    }
}
