//! Appending to an existing database, and what changes of single games need to know about it.

use chessdb_core::files::Growing;
use chessdb_core::store::{ChangeGames, WriteEncoded};
use chessdb_core::{Game, Losses, Result, WriteOptions};

use super::change::GameChanger;
use super::games::GamesFile;
use super::{GameBuffers, GameEncoder, compare_limits};
use crate::names::{GameUses, NameTables};
use crate::raw::{Entry, GameFile, IndexHeader, Record, VERSION};
use crate::roles::{SCG_FILE, SCI_FILE, SCN_FILE};

/// The number of entries examined together.
const PORTION: u32 = 1 << 14;

impl<'a> GameChanger<'a> {
    /// Opens a database for appending. `None` if it must be rewritten, because its files do not
    /// match: new games might be taken for others, or get numbers of names that are in use.
    pub(crate) fn open_to_append(
        base: &'a mut dyn Growing,
        options: WriteOptions,
    ) -> Result<Option<GameChanger<'a>>> {
        let Some(mut changer) = GameChanger::open(base, options)? else {
            return Ok(None);
        };
        Ok(if changer.open_games()? { Some(changer) } else { None })
    }
}

impl WriteEncoded for GameChanger<'_> {
    chessdb_core::writer_state!(GameEncoder);

    fn fit(&self, _: &Game, encoded: &mut GameBuffers, _: &mut Losses) -> bool {
        let has_room = |games: &GamesFile| games.has_room(encoded.record.len());
        self.state.total() < IndexHeader::MOST_GAMES
            && self.games.as_ref().is_some_and(has_room)
            && self.names.as_ref().is_some_and(|names| !names.are_full())
    }

    fn put(&mut self, _: &Game, encoded: &mut GameBuffers) -> Result<()> {
        if let (Some(games), Some(names)) = (&mut self.games, &mut self.names) {
            let start = games.append(&encoded.record, self.base)?;
            encoded.number_names(names, start);
            self.added.extend(encoded.entry.to_bytes());
            compare_limits(&mut self.state, encoded, games.end());
        }
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<()> {
        ChangeGames::finish(self)
    }
}

/// The index and games file of an existing database.
pub(super) struct ExistingBase {
    pub(super) header: IndexHeader,
    /// The length of the games file.
    pub(super) games_bytes: u64,
}

impl ExistingBase {
    /// Reads the headers. `None` if a file is missing, has another version, or does not have as many
    /// games as its header states.
    pub(super) fn read(base: &dyn Growing) -> Result<Option<ExistingBase>> {
        let lengths = [SCI_FILE, SCG_FILE, SCN_FILE].map(|role| base.length(role));
        let [Some(index_bytes), Some(games_bytes), Some(_)] = lengths else {
            return Ok(None);
        };
        let (mut index_start, mut games_start) = ([0; IndexHeader::SIZE], [0; GameFile::HEADER]);
        if index_bytes < index_start.len() as u64 || games_bytes < games_start.len() as u64 {
            return Ok(None);
        }
        base.read_old(SCI_FILE, 0, &mut index_start)?;
        base.read_old(SCG_FILE, 0, &mut games_start)?;
        let header = IndexHeader::parse(&index_start)?;
        let expected = entry_offset(header.games);
        let games_version = games_start.strip_prefix(GameFile::MAGIC);
        let is_sound = (header.version, header.variant) == (VERSION, 0)
            && expected == index_bytes
            && games_version.is_some_and(|rest| rest.starts_with(&VERSION.to_be_bytes()));
        Ok(is_sound.then_some(ExistingBase {
            header,
            games_bytes,
        }))
    }

    /// Counts the uses of all names. Returns false if an entry does not refer into the games file, or
    /// to a number that the next name may get: otherwise games that are damaged would become others.
    pub(super) fn count_uses(&self, base: &dyn Growing, names: &mut NameTables) -> Result<bool> {
        let [players, _, events, annotators] = names.free_numbers().map(|free| free as usize);
        let mut uses = GameUses {
            players: vec![0; players],
            events: vec![0; events],
            annotators: vec![0; annotators],
        };
        let (mut first, mut last) = (0, 0);
        let mut bytes = Vec::new();
        while first < self.header.games {
            let portion = PORTION.min(self.header.games - first);
            bytes.resize(portion as usize * Entry::SIZE, 0);
            base.read_old(SCI_FILE, entry_offset(first), &mut bytes)?;
            for entry in bytes.as_chunks().0.iter().map(Entry::parse) {
                let mut players = entry.players().into_iter();
                let are_named = players.all(|number| count(&mut uses.players, number))
                    && count(&mut uses.events, entry.event)
                    && count(&mut uses.annotators, entry.annotator);
                if !are_named {
                    return Ok(false);
                }
                last = last.max(entry.record);
            }
            first += portion;
        }
        if first > 0 && read_record(base, last, self.games_bytes)?.is_none() {
            return Ok(false);
        }
        names.count_existing(&uses);
        Ok(true)
    }
}

/// Counts a use of a name. Returns false if it does not exist.
fn count(uses: &mut [u32], number: u32) -> bool {
    let uses = uses.get_mut(number as usize);
    uses.map(|uses| *uses += 1).is_some()
}

/// Returns the offset of an entry in the index.
pub(super) fn entry_offset(n: u32) -> u64 {
    IndexHeader::SIZE as u64 + u64::from(n) * Entry::SIZE as u64
}

/// Returns the bytes of the record at this offset; `None` if it is not inside the file.
pub(super) fn read_record(
    base: &dyn Growing,
    offset: u32,
    games_bytes: u64,
) -> Result<Option<Vec<u8>>> {
    let start = u64::from(offset);
    let rest = games_bytes.saturating_sub(start);
    let mut size = [0; 3];
    if start < GameFile::HEADER as u64 || rest < size.len() as u64 {
        return Ok(None);
    }
    base.read_old(SCG_FILE, start, &mut size)?;
    let Some(size) = Record::size(&size).filter(|&size| size as u64 <= rest) else {
        return Ok(None);
    };
    let mut record = vec![0; size];
    base.read_old(SCG_FILE, start, &mut record)?;
    Ok(Some(record))
}
