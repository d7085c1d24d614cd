//! A disk that can lose power: what was flushed stays, and of everything else any part may be lost.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use chessdb_testkit::rng::Rng;

use super::trace::{Inode, Op};

/// The names and contents of files.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// The unit in which a disk writes.
const SECTOR: usize = 512;

/// The largest number of combinations of names and contents for each random subset.
const PAIRS: usize = 40;

/// The number of unflushed changes of which all subsets are tried.
const ALL_SUBSETS: usize = 6;

/// An unflushed change of the content of a file, at most one sector.
#[derive(Clone, Debug)]
enum Unflushed {
    Write(usize, Vec<u8>),
    SetLength(usize),
}

/// What the disk has in place of a lost change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lost {
    /// The bytes before the change, and zeros where the file grew.
    Zeros,
    /// The same, and old content of the disk where the file grew.
    Stale,
    /// The whole sector has other bytes.
    Garbage,
}

#[derive(Clone, Default, Debug)]
struct Content {
    current: Vec<u8>,
    flushed: Vec<u8>,
    unflushed: Vec<Unflushed>,
}

/// The files of a folder.
pub(super) struct Disk {
    files: Vec<Content>,
    names: BTreeMap<String, Inode>,
    flushed_names: BTreeMap<String, Inode>,
    unflushed_names: Vec<Op>,
    seen: BTreeSet<u64>,
    /// The number of states made, with those that occurred before.
    pub(super) tried: u64,
}

impl Disk {
    /// Creates a disk with these files, all flushed.
    pub(super) fn new(files: &Files) -> Disk {
        let names: BTreeMap<String, Inode> = files.keys().cloned().zip(0..).collect();
        let content = |bytes: &Vec<u8>| Content {
            current: bytes.clone(),
            flushed: bytes.clone(),
            unflushed: Vec::new(),
        };
        Disk {
            files: files.values().map(content).collect(),
            flushed_names: names.clone(),
            names,
            unflushed_names: Vec::new(),
            seen: BTreeSet::new(),
            tried: 0,
        }
    }

    /// Applies the next change.
    pub(super) fn apply(&mut self, op: &Op) {
        match op {
            Op::Write(inode, offset, bytes) => self.write(*inode, *offset as usize, bytes),
            Op::Copy([(from, start), (to, offset)], length) => {
                let (start, length) = (*start as usize, *length as usize);
                let bytes = self.files[*from].current[start..start + length].to_vec();
                self.write(*to, *offset as usize, &bytes);
            }
            Op::SetLength(inode, length) => {
                let file = &mut self.files[*inode];
                file.current.resize(*length as usize, 0);
                file.unflushed.push(Unflushed::SetLength(*length as usize));
            }
            Op::Sync(inode) => {
                let file = &mut self.files[*inode];
                file.flushed.clone_from(&file.current);
                file.unflushed.clear();
            }
            Op::SyncFolder => {
                self.flushed_names.clone_from(&self.names);
                self.unflushed_names.clear();
            }
            Op::Create(_, inode) => {
                assert_eq!(*inode, self.files.len());
                self.files.push(Content::default());
                self.renamed(op);
            }
            Op::Rename(..) | Op::Link(..) | Op::Unlink(_) => self.renamed(op),
        }
    }

    fn renamed(&mut self, op: &Op) {
        change_names(&mut self.names, op);
        self.unflushed_names.push(op.clone());
    }

    fn write(&mut self, inode: Inode, offset: usize, bytes: &[u8]) {
        let file = &mut self.files[inode];
        put(&mut file.current, offset, bytes, 0);
        let mut start = offset;
        while start < offset + bytes.len() {
            let end = ((start / SECTOR + 1) * SECTOR).min(offset + bytes.len());
            let part = bytes[start - offset..end - offset].to_vec();
            file.unflushed.push(Unflushed::Write(start, part));
            start = end;
        }
    }

    /// Returns the files with all changes.
    pub(super) fn current(&self) -> Files {
        let content =
            |(name, inode): (&String, &Inode)| (name.clone(), self.files[*inode].current.clone());
        self.names.iter().map(content).collect()
    }

    /// Passes states of the disk after a loss of power now to `visit`, each once: some subsets of the
    /// unflushed changes of names and contents, with each kind of loss. `budget` is the number of
    /// random subsets.
    pub(super) fn states(&mut self, budget: usize, rng: &mut Rng, visit: &mut dyn FnMut(Files)) {
        let count = self.files.iter().map(|file| file.unflushed.len()).sum();
        let contents = subsets(count, budget, rng);
        let names = subsets(self.unflushed_names.len(), budget.min(8), rng);
        let pairs = names.len() * contents.len();
        let limit = PAIRS * budget;
        for n in 0..pairs.min(limit) {
            let pair = if pairs > limit { rng.below(pairs) } else { n };
            let (kept_names, kept) = (&names[pair % names.len()], &contents[pair / names.len()]);
            for lost in [Lost::Zeros, Lost::Stale, Lost::Garbage] {
                // Without any loss, the kinds are equal.
                if lost != Lost::Zeros && kept.iter().all(|kept| *kept) {
                    continue;
                }
                let state = self.state(kept_names, kept, lost, rng);
                self.tried += 1;
                let mut hasher = DefaultHasher::new();
                state.hash(&mut hasher);
                if self.seen.insert(hasher.finish()) {
                    visit(state);
                }
            }
        }
    }

    fn state(&self, kept_names: &[bool], kept: &[bool], lost: Lost, rng: &mut Rng) -> Files {
        let mut names = self.flushed_names.clone();
        for (op, _) in self
            .unflushed_names
            .iter()
            .zip(kept_names)
            .filter(|(_, kept)| **kept)
        {
            change_names(&mut names, op);
        }
        let mut kept = kept.iter();
        let contents: Vec<Vec<u8>> = self
            .files
            .iter()
            .map(|file| {
                let kept: Vec<bool> = kept.by_ref().take(file.unflushed.len()).copied().collect();
                file.after_loss(&kept, lost, rng)
            })
            .collect();
        let content = |(name, inode): (String, Inode)| (name, contents[inode].clone());
        names.into_iter().map(content).collect()
    }
}

impl Content {
    fn after_loss(&self, kept: &[bool], lost: Lost, rng: &mut Rng) -> Vec<u8> {
        let fill = if lost == Lost::Zeros { 0 } else { 0xA5 };
        let mut bytes = self.flushed.clone();
        for (change, _) in self.unflushed.iter().zip(kept).filter(|(_, kept)| **kept) {
            match change {
                Unflushed::Write(offset, part) => put(&mut bytes, *offset, part, fill),
                Unflushed::SetLength(length) => bytes.resize(*length, fill),
            }
        }
        if lost == Lost::Garbage {
            for (change, _) in self.unflushed.iter().zip(kept).filter(|(_, kept)| !**kept) {
                if let Unflushed::Write(offset, _) = change {
                    let start = offset / SECTOR * SECTOR;
                    let end = (start + SECTOR).min(bytes.len());
                    let sector = bytes.get_mut(start..end).unwrap_or_default();
                    sector
                        .iter_mut()
                        .for_each(|byte| *byte = rng.below(256) as u8);
                }
            }
        }
        bytes
    }
}

fn put(bytes: &mut Vec<u8>, offset: usize, part: &[u8], fill: u8) {
    let end = offset + part.len();
    if bytes.len() < end {
        bytes.resize(end, fill);
    }
    bytes[offset..end].copy_from_slice(part);
}

fn change_names(names: &mut BTreeMap<String, Inode>, op: &Op) {
    match op {
        Op::Create(name, inode) => {
            names.entry(name.clone()).or_insert(*inode);
        }
        Op::Rename(from, to) => {
            if let Some(inode) = names.remove(from) {
                names.insert(to.clone(), inode);
            }
        }
        Op::Link(from, to) => {
            if let Some(inode) = names.get(from).copied() {
                names.insert(to.clone(), inode);
            }
        }
        Op::Unlink(name) => {
            names.remove(name);
        }
        _ => {}
    }
}

/// Returns subsets of `count` things: all of few; of many the empty and the full set, sets of one, of
/// all but one, of the first ones, and random ones.
fn subsets(count: usize, budget: usize, rng: &mut Rng) -> Vec<Vec<bool>> {
    if count <= ALL_SUBSETS {
        let subset = |bits: usize| (0..count).map(|n| bits >> n & 1 == 1).collect();
        return (0..1 << count).map(subset).collect();
    }
    let mut sets = vec![vec![false; count], vec![true; count]];
    for _ in 0..budget {
        let chosen = rng.below(count);
        sets.push((0..count).map(|n| n == chosen).collect());
        sets.push((0..count).map(|n| n != chosen).collect());
        sets.push((0..count).map(|n| n < chosen).collect());
        let percent = rng.below(100);
        sets.push((0..count).map(|_| rng.chance(percent)).collect());
    }
    sets
}
