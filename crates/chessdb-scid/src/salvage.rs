//! Recovery of damaged databases: credible index entries, and records without an entry
//! (docs/formats/scid.md, section 17).

use std::ops::Range;

use chessdb_core::legacy::Numbering as _;
use chessdb_core::legacy::scid::ScidNumbering;
use chessdb_core::line::Lines;
use chessdb_core::salvage::{
    Carve, Found, IndexClaim, Piece, TrialReader, Work, add_listed, main_line, recover,
};
use chessdb_core::{Game, PackedMove, Setup, Start, rules};

use crate::entry::GameEntry;
use crate::raw::marker::{CLOSE, COMMENT, END, NAG, OPEN};
use crate::raw::{Comments, RecordFlags, TagName, Tags};
use crate::store::Store;

/// The deepest nesting of variations in a credible record.
const DEPTH: usize = 256;
/// The number of half-moves that makes a record credible without other evidence.
const PLIES: usize = 8;
/// The number of successive null moves that is not credible, since zero bytes are null moves.
const NULLS: usize = 3;

impl Store<'_> {
    /// Finds the games with and without an index entry and sets the places of this store. `whole`:
    /// the index is as long as it states.
    pub(crate) fn recover(&mut self, whole: bool) {
        let claims = self.claims();
        let is_whole = whole && claims.len() == self.entries.len() as usize;
        let mut carver = Carver::new(self);
        let file = (self.spec.games_file(), self.games);
        let (places, mut salvaged) = recover(file, 0, &claims, is_whole, &mut carver);
        self.places = Some(places);
        // Missing names were no reason to doubt an entry. From now on each game reports its own.
        if let Some(names) = self.names.get_mut() {
            names.lookup.is_cut = false;
            names.opened.salvaged = Some(salvaged.clone());
        }
        salvaged.mark_incomplete(self);
        if let Some(names) = self.names.get_mut() {
            names.opened.salvaged = Some(salvaged);
        }
    }

    /// Returns where the entries point, as far as either entry or record is credible.
    fn claims(&self) -> Vec<IndexClaim> {
        let mut reader = TrialReader::new(&self.options);
        let mut carver = Carver::new(self);
        let mut work = Work::new(self.games.len());
        let mut sound = |entry: GameEntry, n: u32| {
            let range = self.range_of(&entry)?;
            let quality = self.judge(&entry, &mut reader)?;
            let mut record = |work| carver.record(range.clone(), false, work);
            let fits = |piece: Piece| piece.length == range.len() && piece.found.is_whole();
            // Where the entry disagrees with its record, the length must prove that they belong
            // together.
            let believed = quality == Found::Exact || record(&mut work).is_some_and(fits);
            let key = reader.key();
            believed.then(|| IndexClaim {
                key,
                ..IndexClaim::new(n, Some(range), quality)
            })
        };
        let entries = || (0..).zip(self.entries.iter());
        let mut claims: Vec<_> = entries().map(|(n, entry)| sound(entry, n)).collect();
        // If bytes were removed or inserted, all later records have moved, and the block borders
        // too. At the end of a truncated file, only chance makes a record of one entry fit another.
        let shift = self.shift();
        if shift != 0 {
            let mut moved = Vec::new();
            let mut unsound = 0;
            for ((n, entry), _) in entries().zip(&claims).filter(|(_, claim)| claim.is_none()) {
                let offset = entry.offset.checked_add_signed(shift);
                moved.extend(offset.and_then(|offset| sound(GameEntry { offset, ..entry }, n)));
                unsound += 1;
            }
            // A few matches at the shifted offsets are chance; a real shift moves most records.
            if moved.len() * 2 > unsound {
                for claim in moved {
                    if let Some(place) = claims.get_mut(claim.entry as usize) {
                        *place = Some(claim);
                    }
                }
            }
        }
        let listed = entries().zip(claims).filter_map(|((n, entry), claim)| {
            let doubtful = || IndexClaim::new(n, self.range_of(&entry), Found::MovesUpToFault);
            claim.or_else(|| self.is_credible(&entry).then(doubtful))
        });
        let mut claims: Vec<IndexClaim> = listed.collect();
        let range_of = |n| self.range_of(&self.entries.get(n)?);
        add_listed(&mut claims, self, &Some, &range_of);
        claims
    }

    /// Returns by how many bytes the end of the last record has moved.
    fn shift(&self) -> i64 {
        let ends = self.entries.iter().filter(|entry| self.is_credible(entry));
        let last = ends
            .map(|entry| entry.offset.saturating_add(entry.length.into()))
            .max();
        let end = last.and_then(|last| i64::try_from(last).ok());
        let length = i64::try_from(self.games.len()).unwrap_or(i64::MAX);
        end.map_or(0, |end| length.saturating_sub(end))
    }

    /// Checks whether the whole record is where an entry points, and whether it matches the entry.
    fn judge(&self, entry: &GameEntry, reader: &mut TrialReader) -> Option<Found> {
        let (games_file, index_file) = (self.spec.games_file(), self.spec.index_file());
        reader.read(
            false,
            |file| file == Some(games_file),
            |game, report| self.read(entry, game, report),
        )?;
        // The index holds the number modulo 1024 (section 2).
        let same = reader.game.mainline().count() & 0x3FF == usize::from(entry.plies);
        let is_exact = same && !reader.has_lost(|file| file == Some(index_file));
        Some(if is_exact { Found::Exact } else { Found::HeaderUnknown })
    }

    /// Returns the range of bytes that an entry points to, cut at the end of the file.
    fn range_of(&self, entry: &GameEntry) -> Option<Range<usize>> {
        let start = usize::try_from(entry.offset).ok()?;
        let end = start
            .checked_add(entry.length as usize)?
            .min(self.games.len());
        (start < end).then_some(start..end)
    }

    /// Returns whether an entry without a record has a header worth keeping.
    fn is_credible(&self, entry: &GameEntry) -> bool {
        let lookup = &self.read_names().lookup;
        let is_named = |list, id| !lookup.get(list, id).is_none();
        // A lost name file must not take all headers with it.
        let names = if lookup.by_id.iter().all(Vec::is_empty) {
            entry.plies > 0
        } else {
            is_named(0, entry.white) && is_named(0, entry.black) && is_named(1, entry.event)
        };
        let length = entry.length as usize;
        let date = entry.date.to_date();
        names && (1..=self.spec.max_record).contains(&length) && date.month <= 12
    }
}

/// Recognizes records in a games file.
struct Carver<'a> {
    games: &'a [u8],
    block: usize,
    game: Game,
    lines: Option<Lines<ScidNumbering>>,
    mainline: Vec<PackedMove>,
    /// The number of bytes of moves examined last.
    seen: usize,
}

/// The moves of a record, as far as they are valid.
struct MoveScan {
    /// The offset after the end mark, or where the moves become invalid.
    end: usize,
    /// Whether there is an end mark.
    whole: bool,
    comments: usize,
}

impl Carve for Carver<'_> {
    fn record(&mut self, range: Range<usize>, looking: bool, work: &mut Work) -> Option<Piece> {
        let start = range.start;
        let border = start
            .saturating_sub(start % self.block)
            .saturating_add(self.block);
        let bytes = self.games.get(start..range.end.min(border))?;
        let mut tags = Tags::new(bytes);
        let mut named = false;
        for read in tags.by_ref() {
            let tag = read.ok()?;
            let fine = match tag.name {
                TagName::Common(_) => true,
                TagName::Text(name) => name.iter().all(u8::is_ascii_graphic),
                TagName::Nameless(_) => false,
                // Only Scid 2 wrote it, and its three bytes may be anything, which chance fits too
                // easily.
                TagName::OldEventDate => !looking,
            };
            if !fine
                || tag.value.iter().any(u8::is_ascii_control) && tag.name != TagName::OldEventDate
            {
                return None;
            }
            named = true;
        }
        let (&flags, mut rest) = tags.rest().split_first()?;
        let flags = RecordFlags::from_bits_retain(flags);
        // The other bits have no meaning, and no writer sets them.
        if flags.bits() > 7 {
            return None;
        }
        self.game.header.start = Start::Standard;
        if flags.contains(RecordFlags::FEN) {
            // Without a limit, each false candidate would search the file for a NUL.
            let mut text = Comments::new(rest.get(..128).unwrap_or(rest));
            let fen = text.next()?;
            let (setup, _) = Setup::from_fen(fen).ok()?;
            self.game.header.start = Start::Setup(Box::new(setup));
            rest = rest.get(fen.len() + 1..)?;
            named = true;
        }
        let moves_start = bytes.len() - rest.len();
        let scanned = self.moves(rest, looking);
        // Candidates that fail cost most of the time, so they are charged too.
        if !work.spend(moves_start + self.seen) {
            return None;
        }
        let moves = scanned?;
        let mut end = moves_start + moves.end;
        let plies = self.mainline.len();
        if looking && !named && plies < PLIES {
            return None;
        }
        if !moves.whole {
            // The bytes before a block border may be a copy of the start of the next record.
            let cut = start + end >= self.games.len() || end < bytes.len();
            return (cut && !looking && plies >= PLIES).then_some(Piece {
                length: end,
                found: Found::MovesUpToFault,
                key: None,
                plies: plies as u32,
            });
        }
        let mut comments = Comments::new(bytes.get(end..)?);
        for _ in 0..moves.comments {
            let comment = comments.next()?;
            end += comment.len() + 1;
            if !work.spend(comment.len()) {
                return None;
            }
        }
        Some(Piece {
            length: end,
            found: Found::HeaderUnknown,
            key: main_line(&self.game.header.start, self.mainline.iter().copied()),
            plies: plies as u32,
        })
    }

    /// Any bytes may follow the last record of a block.
    fn is_filler(&self, range: Range<usize>) -> bool {
        range.end.is_multiple_of(self.block) && range.len() < self.block / 4
    }
}

impl<'a> Carver<'a> {
    fn new(store: &Store<'a>) -> Carver<'a> {
        Carver {
            games: store.games,
            block: usize::try_from(store.spec.block)
                .unwrap_or(usize::MAX)
                .max(1),
            game: Game::new(),
            lines: None,
            mainline: Vec::new(),
            seen: 0,
        }
    }

    /// Follows moves to their end mark. `None` if not even the first bytes are moves.
    fn moves(&mut self, bytes: &[u8], looking: bool) -> Option<MoveScan> {
        self.mainline.clear();
        match &mut self.lines {
            Some(lines) => lines.restart(&self.game).ok()?,
            none => *none = Some(Lines::new(ScidNumbering, &self.game).ok()?),
        }
        let lines = self.lines.as_mut()?;
        let (mut offset, mut comments, mut nulls) = (0, 0, 0);
        let broken = |end, comments| MoveScan {
            end,
            whole: false,
            comments,
        };
        loop {
            self.seen = offset;
            let Some(&byte) = bytes.get(offset) else {
                return Some(broken(bytes.len(), comments));
            };
            let fine = match byte {
                END => {
                    offset += 1;
                    // At an arbitrary offset an open variation is evidence of chance, in a known
                    // record of damage.
                    let whole = lines.depth() == 0 || !looking;
                    return whole.then_some(MoveScan {
                        end: offset,
                        whole,
                        comments,
                    });
                }
                NAG => {
                    offset += 1;
                    true
                }
                COMMENT => {
                    comments += 1;
                    true
                }
                OPEN => lines.depth() < DEPTH && lines.open(),
                CLOSE => lines.close(),
                _ => {
                    let rest = bytes.get(offset..).unwrap_or_default();
                    match ScidNumbering.decode(lines.state(), lines.board(), rest) {
                        Ok((mv, used)) => {
                            offset += used - 1;
                            nulls = if mv.is_null() { nulls + 1 } else { 0 };
                            let main = lines.depth() == 0;
                            let legal = !looking || !main || rules::is_legal(lines.board(), mv);
                            if main {
                                self.mainline.push(mv);
                            }
                            lines.play(mv);
                            legal && nulls < NULLS
                        }
                        Err(_) => false,
                    }
                }
            };
            if !fine {
                return (!looking).then(|| broken(offset, comments));
            }
            offset += 1;
        }
    }
}
