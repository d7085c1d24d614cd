//! Recovery of damaged databases: which entries are trusted, and which records no entry refers to
//! (docs/formats/scidb.md, section 12).

use std::ops::Range;

use chessdb_core::error::Location;
use chessdb_core::options::Mode;
use chessdb_core::report::GameReport;
use chessdb_core::salvage::{
    Carve, Found, IndexClaim, Piece, Work, add_listed, main_line, recover,
};
use chessdb_core::{Diagnostic, Game, ReadOptions, Scratch, Severity};

use crate::moves::decode;
use crate::raw::{GameFile, NameKind, Record};
use crate::roles::{SCG_FILE, SCI_FILE};
use crate::start;
use crate::store::{GamePlace, Store};

/// Minimum half-moves of a record that has no other evidence.
const MIN_PLIES: u32 = 8;

impl Store<'_> {
    /// Finds the games with and without an index entry and makes them the games of this store.
    /// `whole` states that there is no evidence against the index as a whole.
    pub(crate) fn recover(&mut self, whole: bool) {
        let claims = self.claims();
        let is_whole = whole && claims.len() == self.index.entries.len();
        let mut carver = Carver::new(self.games, &self.options);
        let file = (SCG_FILE, self.games);
        let (places, mut salvaged) =
            recover(file, GameFile::HEADER, &claims, is_whole, &mut carver);
        self.places = Some(places);
        // Missing names were no reason to doubt an entry. From now on each game reports its own.
        self.names.is_cut = false;
        self.opened.salvaged = Some(salvaged.clone());
        salvaged.mark_incomplete(self);
        self.opened.salvaged = Some(salvaged);
    }

    /// Returns the records that the entries refer to, if the entry or the record is credible.
    fn claims(&self) -> Vec<IndexClaim> {
        let mut carver = Carver::new(self.games, &self.options);
        let mut work = Work::new(self.games.len());
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        let mut claims = Vec::new();
        let count = u32::try_from(self.index.entries.len()).unwrap_or(u32::MAX);
        let range_of = |n| {
            let start = self.index.entry(n)?.record as usize;
            let is_there = start >= GameFile::HEADER;
            let rest = self.games.get(start..).filter(|_| is_there)?;
            // Without a valid size, one byte represents the record.
            let size = Record::size(rest).unwrap_or(1).min(rest.len());
            (size > 0).then_some(start..start + size)
        };
        for n in 0..count {
            let Some(entry) = self.index.entry(n) else {
                continue;
            };
            let start = entry.record as usize;
            let is_there = (GameFile::HEADER..self.games.len()).contains(&start);
            let piece = is_there
                .then(|| carver.record(start..self.games.len(), false, &mut work))
                .flatten()
                .filter(|piece| piece.found.is_whole());
            let is_credible = self.is_credible(&entry);
            let claim = match piece {
                Some(piece) => {
                    let place = GamePlace {
                        number: Some(n),
                        entry: Some(entry),
                        offset: Some(start),
                    };
                    let is_exact = is_credible && self.is_exact(&place, &mut game, &mut scratch);
                    IndexClaim {
                        entry: n,
                        range: Some(start..start.saturating_add(piece.length)),
                        found: if is_exact { Found::Exact } else { Found::HeaderUnknown },
                        key: piece.key,
                        plies: 0,
                        is_doubtful: false,
                    }
                }
                None if is_credible => IndexClaim {
                    entry: n,
                    range: range_of(n),
                    found: Found::MovesUpToFault,
                    key: None,
                    plies: 0,
                    is_doubtful: false,
                },
                None => continue,
            };
            claims.push(claim);
        }
        add_listed(&mut claims, self, &Some, &range_of);
        claims
    }

    /// Returns whether entry and record agree.
    fn is_exact(&self, place: &GamePlace, game: &mut Game, scratch: &mut Scratch) -> bool {
        scratch.diagnostics.clear();
        let mut report = GameReport::new(&self.options, scratch, None);
        let read = self.read(place, game, &mut report);
        let is_lost = |finding: &Diagnostic| {
            finding.severity == Severity::Lost && finding.at.file == Some(SCI_FILE)
        };
        read.is_ok() && !scratch.diagnostics.iter().any(is_lost)
    }

    /// Returns whether an entry has a header worth keeping.
    fn is_credible(&self, entry: &crate::raw::Entry) -> bool {
        let [white, black] = entry.players();
        let is_named = |kind, id| self.names.get(kind, id).is_some();
        // A lost name file must not take all headers with it.
        let has_names = self.names.is_empty()
            || is_named(NameKind::Player, white)
                && is_named(NameKind::Player, black)
                && is_named(NameKind::Event, entry.event);
        has_names
            && entry.record >= GameFile::HEADER as u32
            && entry.result <= 4
            && entry.month <= 12
    }
}

/// A recognizer of records in a games file.
struct Carver<'a> {
    games: &'a [u8],
    lenient: ReadOptions,
    strict: ReadOptions,
    game: Game,
    scratch: Scratch,
}

impl<'a> Carver<'a> {
    fn new(games: &'a [u8], options: &ReadOptions) -> Carver<'a> {
        Carver {
            games,
            lenient: options.clone(),
            strict: options.clone().with_mode(Mode::Strict),
            game: Game::new(),
            scratch: Scratch::new(),
        }
    }
}

impl Carve for Carver<'_> {
    fn record(&mut self, range: Range<usize>, looking: bool, work: &mut Work) -> Option<Piece> {
        let bytes = self.games.get(range.clone())?;
        let size = Record::size(bytes)?;
        let cut = size > bytes.len();
        // Only the last record of the file can be cut.
        if cut && (looking || range.end != self.games.len()) {
            return None;
        }
        let (record, fault) = Record::parse_partly(bytes.get(..size).unwrap_or(bytes));
        if looking && fault.is_some() {
            return None;
        }
        // At an arbitrary offset, content that is nearly valid is chance.
        let options = if looking { &self.strict } else { &self.lenient };
        self.game.clear();
        self.scratch.diagnostics.clear();
        let mut report = GameReport::new(options, &mut self.scratch, None);
        let location = Location::byte(SCG_FILE, range.start as u64);
        let has_start = start::read(&record, location, &mut self.game, &mut report).ok()?;
        if !has_start {
            return None;
        }
        let read = decode(&record, location, &mut self.game, &mut report);
        let plies = self.game.moves.plies();
        // A candidate costs time for its header, and for each half-move that is decoded.
        if !work.spend(64 + 4 * plies as usize) {
            return None;
        }
        let is_whole = fault.is_none() && matches!(read, Ok(Some(_)));
        let quality = match (is_whole, looking) {
            (true, true) if plies < MIN_PLIES => return None,
            (true, _) => Found::HeaderUnknown,
            (_, false) if plies >= MIN_PLIES => Found::MovesUpToFault,
            _ => return None,
        };
        let key = main_line(&self.game.header.start, self.game.mainline());
        Some(Piece {
            length: size.min(bytes.len()),
            found: quality,
            key: key.filter(|_| is_whole),
            plies: self.game.plies(),
        })
    }
}
