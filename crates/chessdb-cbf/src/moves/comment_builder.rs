//! The comments of a record under construction: collected per move and written in the order of the
//! moves.

use chessdb_core::{Color, LossKind, Losses};

use crate::codes::{NagCode, code_of, nag_of};
use crate::raw::{Comment, END, RawHeader, used};

/// A move of the stream with its annotations. The first entry represents the game itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveEntry {
    /// The index of the move's byte; unused for the game.
    pub(super) byte: usize,
    /// The side that made the move.
    pub(super) mover: Color,
    /// True if the number of the move leaves no bit for the mark of a comment.
    pub(super) closed: bool,
    codes: [u8; 3],
    /// The first and the last piece of the text; `None` if there is no text.
    pieces: Option<(u32, u32)>,
}

/// A part of a comment's text.
#[derive(Clone, Copy, Debug)]
struct TextPiece {
    start: u32,
    end: u32,
    next: Option<u32>,
}

/// The comments of a game.
#[derive(Clone, Default, Debug)]
pub(super) struct CommentBuilder {
    entries: Vec<MoveEntry>,
    pieces: Vec<TextPiece>,
    /// The texts of all pieces.
    bytes: Vec<u8>,
    /// A buffer for the joined text of one comment.
    whole: Vec<u8>,
}

impl CommentBuilder {
    /// Removes everything and adds the game's own entry, which has number 0.
    pub(super) fn clear(&mut self, mover: Color) {
        self.entries.clear();
        self.pieces.clear();
        self.bytes.clear();
        self.entry(0, mover, false);
    }

    /// Adds the entry of a move and returns its number.
    #[inline]
    pub(super) fn entry(&mut self, byte: usize, mover: Color, closed: bool) -> u32 {
        self.entries.push(MoveEntry {
            byte,
            mover,
            closed,
            codes: [0; 3],
            pieces: None,
        });
        self.entries.len() as u32 - 1
    }

    pub(super) fn get(&self, number: u32) -> Option<&MoveEntry> {
        self.entries.get(number as usize)
    }

    /// Returns true if the entry already has a text.
    pub(super) fn has_text(&self, number: u32) -> bool {
        self.get(number).is_some_and(|entry| entry.pieces.is_some())
    }

    /// Returns the buffer to which texts are appended before [`CommentBuilder::piece`] is called.
    pub(super) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Appends a range of the buffer to the text of an entry.
    pub(super) fn piece(&mut self, number: u32, start: usize, end: usize) {
        let piece = self.pieces.len() as u32;
        let (start, end) = (start as u32, end as u32);
        self.pieces.push(TextPiece {
            start,
            end,
            next: None,
        });
        let Some(entry) = self.entries.get_mut(number as usize) else {
            return;
        };
        match &mut entry.pieces {
            Some((_, last)) => {
                if let Some(before) = self.pieces.get_mut(*last as usize) {
                    before.next = Some(piece);
                }
                *last = piece;
            }
            None => entry.pieces = Some((piece, piece)),
        }
    }

    /// Adds a NAG to an entry, or returns the loss.
    pub(super) fn nag(&mut self, number: u32, nag: u16) -> Result<(), LossKind> {
        let open_entry = self
            .entries
            .get_mut(number as usize)
            .filter(|entry| !entry.closed);
        let entry = open_entry.ok_or(LossKind::Nag)?;
        let NagCode { slot, code, exact } = code_of(nag, entry.mover).ok_or(LossKind::Nag)?;
        // The reader adds code after code, so a code before a later one changes the order of the
        // NAGs.
        let later = entry.codes.iter().skip(slot + 1).any(|code| *code != 0);
        let place = entry.codes.get_mut(slot).filter(|place| **place == 0);
        *place.ok_or(LossKind::Nag)? = code;
        match (exact, later || entry.pieces.is_some()) {
            (false, _) => Err(LossKind::NagChanged),
            (true, true) => Err(LossKind::NagMoved),
            (true, false) => Ok(()),
        }
    }

    /// Puts a code into its slot. A code without a NAG needs a free slot; a code that shares its
    /// NAG with another code replaces that one. Returns false if the code does not fit.
    pub(super) fn code(&mut self, number: u32, slot: usize, code: u8) -> bool {
        let entry = self
            .entries
            .get_mut(number as usize)
            .filter(|entry| !entry.closed);
        let Some(entry) = entry else { return false };
        let mover = entry.mover;
        let Some(place) = entry.codes.get_mut(slot) else {
            return false;
        };
        let fits = code != 0 && nag_of(slot, *place, mover) == nag_of(slot, code, mover);
        if fits {
            *place = code;
        }
        fits
    }

    /// Writes the comment area and marks the moves that have a comment. Writes nothing if there are
    /// no comments.
    pub(super) fn write(&mut self, moves: &mut [u8], area: &mut Vec<u8>, losses: &mut Losses) {
        let Some((game, entries)) = self.entries.split_first() else {
            return;
        };
        let has_comment = |entry: &&MoveEntry| entry.pieces.is_some() || entry.codes != [0; 3];
        let mut limit = AreaLimit::new(self.entries.iter().filter(has_comment), self);
        // The game's own comment is the last of the area (section 8.1).
        for entry in entries.iter().chain([game]).filter(has_comment) {
            let is_game = std::ptr::eq(entry, game);
            if !limit.takes(entry, losses) {
                continue;
            }
            if area.is_empty() {
                area.push(END);
            }
            if !is_game && let Some(byte) = moves.get_mut(entry.byte) {
                *byte |= crate::raw::marker::COMMENTED;
            }
            let text = match entry.pieces {
                Some((first, _)) => {
                    self.whole.clear();
                    join_pieces(&self.pieces, &self.bytes, first, &mut self.whole);
                    limit.text(&entry.codes, &self.whole, losses)
                }
                None => None,
            };
            Comment {
                codes: entry.codes,
                text,
            }
            .write(area);
            area.push(END);
        }
    }

    /// Returns the length of a text in bytes.
    fn text_len(&self, first: u32) -> usize {
        let mut length = 0;
        let mut next = Some(first);
        while let Some(piece) = next.and_then(|number| self.pieces.get(number as usize)) {
            let more = (piece.end - piece.start) as usize;
            length += more + usize::from(length > 0 && more > 0);
            next = piece.next;
        }
        length
    }
}

/// Joins the pieces of a text with blanks.
fn join_pieces(pieces: &[TextPiece], bytes: &[u8], first: u32, out: &mut Vec<u8>) {
    let mut next = Some(first);
    while let Some(piece) = next.and_then(|number| pieces.get(number as usize)) {
        let text = bytes
            .get(piece.start as usize..piece.end as usize)
            .unwrap_or_default();
        if !out.is_empty() && !text.is_empty() {
            out.push(b' ');
        }
        out.extend_from_slice(text);
        next = piece.next;
    }
}

/// Keeps the comment area within its maximum length. Only huge games reach it.
struct AreaLimit {
    /// The bytes left for texts; `None` if everything fits.
    texts: Option<usize>,
    /// The bytes left for codes.
    codes: usize,
}

impl AreaLimit {
    fn new<'e>(
        entries: impl Iterator<Item = &'e MoveEntry>,
        comments: &CommentBuilder,
    ) -> AreaLimit {
        let (mut least, mut all) = (1, 1);
        for entry in entries {
            let codes = used(&entry.codes) + 1;
            least += codes;
            all += match entry.pieces {
                // Three codes and the zero before the text, and the end after it.
                Some((first, _)) => 5 + comments.text_len(first),
                None => codes,
            };
        }
        let room = RawHeader::MAX_COMMENTS;
        let texts = (all > room).then(|| room.saturating_sub(least));
        // The area begins with an end.
        AreaLimit {
            texts,
            codes: room - 1,
        }
    }

    /// Returns true if the codes of this entry fit.
    fn takes(&mut self, entry: &MoveEntry, losses: &mut Losses) -> bool {
        let codes = used(&entry.codes) + 1;
        match self.codes.checked_sub(codes) {
            Some(left) => {
                self.codes = left;
                true
            }
            None => {
                let nags = entry.codes.iter().filter(|code| **code != 0).count();
                losses.add_many(LossKind::Nag, nags as u32, None);
                losses.add_if(LossKind::Comment, entry.pieces.is_some());
                false
            }
        }
    }

    /// Returns the part of a text that fits.
    fn text<'t>(
        &mut self,
        codes: &[u8; 3],
        text: &'t [u8],
        losses: &mut Losses,
    ) -> Option<&'t [u8]> {
        let Some(left) = &mut self.texts else {
            return Some(text);
        };
        if text.is_empty() {
            return Some(text);
        }
        // The bytes for the codes and the 0 in addition to those already counted.
        let extra = 4 - used(codes);
        let room = left.saturating_sub(extra);
        if room == 0 {
            losses.add(LossKind::Comment, None);
            return None;
        }
        let length = crate::text::whole_characters(text, room);
        losses.add_if(LossKind::CommentCut, length < text.len());
        *left -= extra + length;
        text.get(..length)
    }
}
