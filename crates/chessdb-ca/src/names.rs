//! The name lists of a database that is being written (docs/formats/chess-assistant.md, section 4).

mod existing;

use std::collections::HashMap;

use chessdb_core::format::Interner;
use chessdb_core::model::{NameRole, NameTable, PlayerDetails};
use chessdb_core::{BaseInfo, LossKind, Losses};

use crate::guesses::Guesses;
use crate::header::{HeaderNames, NO_NAME};
use crate::raw::{
    Cdp, DateCode, EmbHeader, LIST_NAMES, NameRecord, PlayerData, addresses_to_bytes, write_volume,
};
use crate::text::Encoder;

/// The role of each list's names.
pub(crate) const ROLES: [NameRole; 4] = [
    NameRole::Player,
    NameRole::Event,
    NameRole::Site,
    NameRole::Source,
];

/// A name of a list. Name and title are in [`NameListBuilder::texts`], one after the other.
#[derive(Clone, Copy, Default, Debug)]
struct Entry {
    start: usize,
    /// The lengths of name and title, at most [`NameRecord::MAX`].
    lengths: [u8; 2],
    data: PlayerData,
}

/// A list that is being built.
#[derive(Clone, Default, Debug)]
pub(crate) struct NameListBuilder {
    entries: Vec<Entry>,
    /// The names and titles of all entries. An allocation for each would take most of the time of a
    /// change of one game.
    texts: Vec<u8>,
    /// The keys of the entries, without the entries for an absent name.
    index: Interner,
    /// The entry of each key; the first of several equal entries.
    ids: Vec<u32>,
    /// The number of an absent name.
    absent: u32,
    /// The entries of the database that is rewritten by their old numbers, if names get new ones.
    renumbered: Option<HashMap<u32, Entry>>,
}

/// Fills `key` with what identifies an entry: name, title, FIDE number.
fn fill_key(key: &mut Vec<u8>, name: &[u8], title: &[u8], fide_id: u32) {
    key.clear();
    key.push(name.len() as u8);
    key.extend_from_slice(name);
    key.extend_from_slice(title);
    key.extend(fide_id.to_le_bytes());
}

impl NameListBuilder {
    fn new(absent: u32) -> NameListBuilder {
        let mut list = NameListBuilder {
            absent,
            ..NameListBuilder::default()
        };
        // The empty entry is not indexed: a name that is present but empty gets its own entry.
        list.entries
            .resize_with(if absent == 0 { 1 } else { 0 }, Entry::default);
        list
    }

    /// Stores name and title of an entry.
    fn entry(&mut self, name: &[u8], title: &[u8], data: PlayerData) -> Entry {
        let start = self.texts.len();
        self.texts.extend_from_slice(name);
        self.texts.extend_from_slice(title);
        let lengths = [name.len() as u8, title.len() as u8];
        Entry {
            start,
            lengths,
            data,
        }
    }

    /// Returns the name and the title of an entry.
    fn texts_of(&self, entry: &Entry) -> (&[u8], &[u8]) {
        let [name, title] = entry.lengths.map(usize::from);
        let texts = self.texts.get(entry.start..).unwrap_or_default();
        let (name, rest) = texts.split_at_checked(name).unwrap_or_default();
        (name, rest.get(..title).unwrap_or_default())
    }

    fn is_entry(&self, id: u32, name: &[u8], title: &[u8], fide_id: u32) -> bool {
        self.entries.get(id as usize).is_some_and(|entry| {
            self.texts_of(entry) == (name, title) && entry.data.fide_id == fide_id
        })
    }

    /// Returns whether `more` new names fit.
    fn has_room(&self, more: usize) -> bool {
        // Numbers have three bytes, and the greatest one is read as no name.
        self.entries.len() + more < NO_NAME as usize
    }

    /// Returns the number of a name: `key` if the list has the name under it, otherwise the number
    /// of an equal entry, otherwise a new one.
    fn id(&mut self, key: Option<u32>, name: &[u8], title: &[u8], fide_id: u32) -> u32 {
        if let Some(id) = key.filter(|&id| id != self.absent && self.renumbered.is_none())
            && self.is_entry(id, name, title, fide_id)
        {
            return id;
        }
        let plain = PlayerData {
            fide_id,
            ..PlayerData::default()
        };
        let old_entry = self
            .old_entry(key, name)
            .filter(|entry| self.texts_of(entry).1 == title && entry.data.fide_id == fide_id);
        let data = old_entry.map_or(plain, |entry| entry.data);
        let mut identity = Vec::new();
        fill_key(&mut identity, name, title, fide_id);
        if data != plain {
            identity.extend(data.to_bytes());
        }
        let number = self.index.number(&identity);
        if let Some(&id) = self.ids.get(number as usize) {
            return id;
        }
        let id = self.entries.len() as u32;
        let entry = self.entry(name, title, data);
        self.entries.push(entry);
        self.ids.push(id);
        id
    }

    /// Returns the entry that a name had in the database that is rewritten, if names get new numbers.
    fn old_entry(&self, key: Option<u32>, name: &[u8]) -> Option<&Entry> {
        let entry = self.renumbered.as_ref()?.get(&key?)?;
        (self.texts_of(entry).0 == name).then_some(entry)
    }

    /// Returns the number of an annotator, which is identified by the name only.
    fn annotator_id(&mut self, key: Option<u32>, name: &[u8]) -> u32 {
        if let Some(entry) = self.old_entry(key, name) {
            let (title, fide_id) = (self.texts_of(entry).1.to_vec(), entry.data.fide_id);
            return self.id(key, name, &title, fide_id);
        }
        let has_old_number = |id: &u32| *id != self.absent && self.renumbered.is_none();
        let listed = key.filter(has_old_number).filter(|&id| {
            let entry = self.entries.get(id as usize);
            entry.is_some_and(|entry| self.texts_of(entry).0 == name)
        });
        listed.unwrap_or_else(|| self.id(None, name, &[], 0))
    }

    /// Copies a table with its numbers.
    fn take_over(
        &mut self,
        table: &NameTable,
        base: &BaseInfo,
        texts: &mut Encoder,
        losses: &mut Losses,
    ) {
        let mut records: Vec<_> = table.records.iter().collect();
        records.sort_by_key(|record| record.key);
        self.entries.clear();
        for record in records {
            let key = record.key as usize;
            // A number far beyond the others would require unbounded memory.
            let is_far = self.renumbered.is_none() && key > table.records.len();
            if is_far || !self.has_room(1) {
                losses.add(LossKind::NameTable, None);
                continue;
            }
            let (mut name, mut title, mut details) =
                (Vec::new(), Vec::new(), PlayerData::default());
            let name_change =
                texts.put_cut(base.texts.get(record.text), NameRecord::MAX, &mut name);
            if let Some(player) = &record.player {
                let text = base.texts.get(player.title);
                let change = texts.put_cut(text, NameRecord::MAX, &mut title);
                details = data(player, losses);
                losses.add_if(LossKind::Title, change.cut || change.replaced);
            }
            losses.add_text(name_change, LossKind::NameText, LossKind::NameCut);
            let entry = self.entry(&name, &title, details);
            if let Some(renumbered) = &mut self.renumbered {
                renumbered.insert(record.key, entry);
                continue;
            }
            if self.entries.len() <= key {
                self.entries.resize_with(key + 1, Entry::default);
            }
            if let Some(place) = self.entries.get_mut(key) {
                *place = entry;
            }
        }
        self.index_entries(|_| true);
    }

    /// Adds the entries of an existing database to the index, if `is_readable`.
    fn index_entries(&mut self, is_readable: impl Fn(usize) -> bool) {
        // If the first entry is a real name, it cannot represent an absent one.
        let named = |entry: &Entry| entry.lengths != [0; 2] || entry.data.fide_id != 0;
        if self.absent == 0 && self.entries.first().is_some_and(named) {
            self.absent = NO_NAME;
        } else if self.absent == 0 && self.entries.is_empty() {
            self.entries.push(Entry::default());
        }
        let mut key = Vec::new();
        for (id, entry) in (0..).zip(&self.entries) {
            if id != self.absent && is_readable(id as usize) {
                let (name, title) = self.texts_of(entry);
                fill_key(&mut key, name, title, entry.data.fide_id);
                self.index.push(&key);
                self.ids.push(id);
            }
        }
    }

    /// Returns the files `iii`, `d00`, `a01` and `d01`.
    fn files(&self, players: bool) -> [Vec<u8>; 4] {
        // A leading byte, so that no address is 0 (section 4.4).
        let mut names = vec![0];
        let mut table = Vec::with_capacity(self.entries.len());
        let mut rows = Vec::new();
        for entry in &self.entries {
            table.push(i32::try_from(names.len()).unwrap_or(i32::MAX));
            let (name, title) = self.texts_of(entry);
            let title = players.then_some(title);
            NameRecord { name, title }.write(&mut names);
            if players {
                rows.extend(entry.data.to_bytes());
            }
        }
        let mut order: Vec<u32> = (0..self.entries.len() as u32).collect();
        let folded = self.entries.iter();
        let folded: Vec<_> = folded
            .map(|entry| self.texts_of(entry).0.to_ascii_lowercase())
            .collect();
        // The collation of the program is unknown: letters of ASCII without case (section 4.3).
        order.sort_by_key(|&id| folded.get(id as usize));
        let sorted = order.iter().flat_map(|id| id.to_le_bytes()).collect();
        [sorted, rows, addresses_to_bytes(&table), names]
    }
}

fn data(player: &PlayerDetails, losses: &mut Losses) -> PlayerData {
    let birthday = DateCode::from_date(player.birthday);
    losses.add_if(LossKind::NameDetails, birthday.is_none());
    PlayerData {
        elo: player.rating,
        fide_id: player.fide_id,
        birthday: birthday.unwrap_or_default(),
        gender: player.gender,
    }
}

/// The numbers of a game's names.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct NameIds {
    pub(crate) players: [u32; 2],
    /// Event, place and source.
    pub(crate) others: [u32; 3],
    pub(crate) annotator: u32,
}

/// The keys of the names in the database they come from, in the order of [`NameIds`].
pub(crate) type NameKeys = ([Option<u32>; 2], [Option<u32>; 3], Option<u32>);

/// Inner files that a rewrite carries over, by name.
pub(crate) type CarriedFiles = Vec<(String, Vec<u8>)>;

/// The four lists.
#[derive(Clone, Debug)]
pub(crate) struct NameListsBuilder {
    lists: [NameListBuilder; 4],
}

impl NameListsBuilder {
    /// Creates the lists with the names of `base`, with their numbers unless `renumbers`.
    pub(crate) fn new(
        base: &BaseInfo,
        texts: &mut Encoder,
        guesses: &Guesses,
        renumbers: bool,
        losses: &mut Losses,
    ) -> NameListsBuilder {
        let mut lists = NameListsBuilder {
            lists: ROLES.map(|_| NameListBuilder {
                renumbered: renumbers.then(HashMap::new),
                ..NameListBuilder::new(guesses.absent_name)
            }),
        };
        for table in &base.names {
            let index = ROLES.iter().position(|&role| role == table.role);
            match index.and_then(|index| lists.lists.get_mut(index)) {
                Some(list) => list.take_over(table, base, texts, losses),
                None => losses.add_many(LossKind::NameTable, table.records.len() as u32, None),
            }
        }
        lists
    }

    /// Returns whether the names of any further game fit.
    pub(crate) fn has_room(&self) -> bool {
        // One game adds at most three names to a list: both players and the annotator.
        self.lists.iter().all(|list| list.has_room(3))
    }

    /// Returns the numbers of a game's names, adding new names.
    pub(crate) fn ids(&mut self, names: &HeaderNames, keys: &NameKeys) -> NameIds {
        let [players, events, places, sources] = &mut self.lists;
        let mut ids = NameIds::default();
        for ((id, name), key) in ids.players.iter_mut().zip(&names.players).zip(keys.0) {
            *id = match name {
                Some(player) => players.id(key, &player.name, &player.title, player.fide_id),
                None => players.absent,
            };
        }
        let lists = [events, places, sources];
        for (((id, name), key), list) in ids
            .others
            .iter_mut()
            .zip(&names.others)
            .zip(keys.1)
            .zip(lists)
        {
            *id = match name {
                Some(name) => list.id(key, name, &[], 0),
                None => list.absent,
            };
        }
        ids.annotator = match &names.annotator {
            Some(name) => players.annotator_id(keys.2, name),
            None => players.absent,
        };
        ids
    }

    /// Returns all names and titles.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.lists.iter().flat_map(|list| {
            let texts = list.entries.iter().map(|entry| list.texts_of(entry));
            texts.flat_map(|(name, title)| [name, title])
        })
    }

    /// Returns the bytes of the EMB. `cdp` is the description of the database and the template for
    /// the descriptions of the lists. `carried` replaces the default content of files of unknown
    /// meaning.
    pub(crate) fn to_emb(
        &self,
        raw_header: &EmbHeader,
        cdp: &Cdp,
        carried: &CarriedFiles,
        guesses: &Guesses,
    ) -> Vec<u8> {
        let mut files = Vec::new();
        for (index, (list, name)) in self.lists.iter().zip(LIST_NAMES).enumerate() {
            let count = list.entries.len();
            let [iii, d00, a01, d01] = list.files(index == 0);
            let description = Cdp {
                count: count as u32,
                declared: 0,
                comment: Vec::new(),
                tail: Vec::new(),
                ..cdp.clone()
            };
            let mask = vec![guesses.mask_byte; count.div_ceil(8)];
            let contents = [
                ("cdp", description.to_bytes()),
                ("iii", iii),
                ("axx", mask.clone()),
                ("dxx", mask),
                ("d00", d00),
                ("a01", a01),
                ("d01", d01),
            ];
            for (suffix, content) in contents {
                let name = format!("{name}.{suffix}");
                let content = match find(carried, &name) {
                    Some(original) => updated(suffix, original, &content, count),
                    None => content,
                };
                files.push((name, content));
            }
        }
        // Another program may have added inner files that belong to no list.
        let is_written = |name: &str| {
            files
                .iter()
                .any(|(file, _)| file.eq_ignore_ascii_case(name))
        };
        let others: Vec<_> = carried
            .iter()
            .filter(|(name, _)| !is_written(name))
            .cloned()
            .collect();
        files.extend(others);
        write_volume(raw_header, &files, guesses.fragment)
    }
}

fn find<'c>(carried: &'c CarriedFiles, name: &str) -> Option<&'c [u8]> {
    let (_, content) = carried
        .iter()
        .find(|(file, _)| file.eq_ignore_ascii_case(name))?;
    Some(content)
}

/// Returns a carried file for the new number of names: masks get bits for new names, a description
/// its count.
fn updated(suffix: &str, original: &[u8], written: &[u8], count: usize) -> Vec<u8> {
    let mut content = original.to_vec();
    match suffix {
        "axx" | "dxx" => {
            // The marks of names that the list already had stay as they are.
            let more = written.get(content.len()..).unwrap_or_default();
            content.extend_from_slice(more);
        }
        "cdp" => {
            if let Some(place) = content.get_mut(Cdp::COUNT_AT..Cdp::COUNT_AT + 4) {
                place.copy_from_slice(&(count as u32).to_le_bytes());
            }
        }
        _ => {}
    }
    content
}
