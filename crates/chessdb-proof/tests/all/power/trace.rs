//! The changes that a run of the program makes in a folder, as strace records them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The number of a file. It stays when the file is renamed.
pub(super) type Inode = usize;

/// A change in the folder.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Create(String, Inode),
    Write(Inode, u64, Vec<u8>),
    /// From a file and offset to a file and offset, so many bytes.
    Copy([(Inode, u64); 2], u64),
    SetLength(Inode, u64),
    Rename(String, String),
    Link(String, String),
    Unlink(String),
    Sync(Inode),
    SyncFolder,
}

/// The system calls that change files or move the position in them.
const CALLS: &str = "openat,open,creat,close,dup,dup2,dup3,write,pwrite64,writev,pwritev,\
    copy_file_range,sendfile,splice,rename,renameat,renameat2,link,linkat,unlink,unlinkat,\
    ftruncate,truncate,fallocate,fsync,fdatasync,lseek,read,mmap,symlink,symlinkat";

/// Returns a command that runs `program` and records its calls in `log`.
pub(super) fn recording(strace: &Path, program: &Path, log: &Path) -> Command {
    let mut command = Command::new(strace);
    command.args(["-f", "-xx", "-s", "100000000"]);
    command.arg(format!("--trace={CALLS}"));
    command.arg("-o").arg(log).arg(program);
    command
}

/// An open file: the file, or `None` for the folder itself, the offset, and whether it is at the end
/// for each write.
struct Open {
    inode: Option<Inode>,
    offset: u64,
    appends: bool,
}

/// The files of the folder while the calls are read.
#[derive(Default)]
struct Reader {
    /// The names, and the length of each file.
    names: BTreeMap<String, Inode>,
    lengths: Vec<u64>,
    open: BTreeMap<i64, Open>,
    ops: Vec<Op>,
}

/// Returns the changes in `folder`, which had these files before, with the numbers of their order.
pub(super) fn changes(log: &Path, folder: &Path, before: &BTreeMap<String, Vec<u8>>) -> Vec<Op> {
    let mut reader = Reader::default();
    for (name, bytes) in before {
        reader.names.insert(name.clone(), reader.lengths.len());
        reader.lengths.push(bytes.len() as u64);
    }
    let text = fs::read_to_string(log).unwrap();
    let mut unfinished: BTreeMap<&str, String> = BTreeMap::new();
    for line in text.lines() {
        let Some((thread, call)) = line.split_once(' ') else {
            continue;
        };
        let call = call.trim_start();
        if let Some(start) = call.strip_suffix(" <unfinished ...>") {
            if start.starts_with("close(") {
                // Another thread may get the number before this call returns.
                reader.read(&format!("{start}) = 0"), folder);
            } else {
                unfinished.insert(thread, start.to_owned());
            }
            continue;
        }
        let resumed = call
            .strip_prefix("<... ")
            .and_then(|rest| rest.split_once(" resumed>"));
        let whole = match resumed {
            Some((_, end)) => unfinished.remove(thread).unwrap_or_default() + end,
            None => call.to_owned(),
        };
        reader.read(&whole, folder);
    }
    reader.ops
}

impl Reader {
    fn read(&mut self, call: &str, folder: &Path) {
        let Some((name, rest)) = call.split_once('(') else {
            return;
        };
        let Some((arguments, result)) = rest.rsplit_once(") = ").or_else(|| {
            // strace aligns short calls.
            let (arguments, result) = rest.rsplit_once(" = ")?;
            Some((arguments.trim_end().strip_suffix(')')?, result))
        }) else {
            return;
        };
        let result = result
            .split(' ')
            .next()
            .and_then(|word| word.parse::<i64>().ok());
        let Some(result) = result.filter(|result| *result >= 0) else {
            return;
        };
        let texts = texts(arguments);
        let in_folder = |n: usize| -> Option<String> {
            let path = std::str::from_utf8(texts.get(n)?).ok()?;
            if Path::new(path) == folder {
                return Some(String::new());
            }
            let name = Path::new(path).strip_prefix(folder).ok()?;
            Some(name.to_str()?.to_owned())
        };
        let words: Vec<&str> = arguments.split(", ").collect();
        let number = |n: usize| words.get(n).and_then(|word| word.parse::<i64>().ok());
        let last = words.last().and_then(|word| word.parse::<u64>().ok());
        let file = number(0).unwrap_or(-1);
        match name {
            "openat" | "open" | "creat" => self.opened(in_folder(0), arguments, result),
            "close" => drop(self.open.remove(&file)),
            "rename" | "renameat" | "renameat2" | "link" | "linkat" => {
                let (Some(from), Some(to)) = (in_folder(0), in_folder(1)) else {
                    assert!(
                        in_folder(0).is_none() && in_folder(1).is_none(),
                        "{call:.300}"
                    );
                    return;
                };
                // Whether a file is in use is found out by renaming it to its own name.
                if from == to {
                    return;
                }
                let inode = self.names[&from];
                self.names.insert(to.clone(), inode);
                if name.starts_with("rename") {
                    self.names.remove(&from);
                    self.ops.push(Op::Rename(from, to));
                } else {
                    self.ops.push(Op::Link(from, to));
                }
            }
            "unlink" | "unlinkat" => {
                if let Some(name) = in_folder(0) {
                    self.names.remove(&name);
                    self.ops.push(Op::Unlink(name));
                }
            }
            "copy_file_range" => {
                let to = number(2).unwrap_or(-1);
                if result > 0 && self.open.contains_key(&to) {
                    let length = result as u64;
                    let ends = [file, to].map(|file| {
                        let open = self.open.get_mut(&file).unwrap();
                        open.offset += length;
                        (open.inode.unwrap(), open.offset - length)
                    });
                    self.ops.push(Op::Copy(ends, length));
                    self.grow(ends[1].0, ends[1].1 + length);
                }
            }
            _ if !self.open.contains_key(&file) => {}
            "lseek" => self.open.get_mut(&file).unwrap().offset = result as u64,
            "read" => self.open.get_mut(&file).unwrap().offset += result as u64,
            "write" | "writev" => {
                let bytes = texts.concat();
                self.written(file, bytes[..result as usize].to_vec());
            }
            "pwrite64" => {
                let inode = self.open[&file].inode.unwrap();
                let bytes = texts[0][..result as usize].to_vec();
                self.grow(inode, last.unwrap() + bytes.len() as u64);
                self.ops.push(Op::Write(inode, last.unwrap(), bytes));
            }
            "ftruncate" => {
                let inode = self.open[&file].inode.unwrap();
                self.lengths[inode] = last.unwrap();
                self.ops.push(Op::SetLength(inode, last.unwrap()));
            }
            "fsync" | "fdatasync" => self.ops.push(match self.open[&file].inode {
                Some(inode) => Op::Sync(inode),
                None => Op::SyncFolder,
            }),
            "mmap" => {
                let is_shared = arguments.contains("MAP_SHARED");
                assert!(
                    !is_shared || !arguments.contains("PROT_WRITE"),
                    "{call:.300}"
                );
            }
            other => panic!("{other} is not replayed: {call:.300}"),
        }
    }

    fn opened(&mut self, name: Option<String>, arguments: &str, file: i64) {
        self.open.remove(&file);
        let Some(name) = name else {
            return;
        };
        let inode = if name.is_empty() {
            None
        } else if let Some(inode) = self.names.get(&name).copied() {
            if arguments.contains("O_TRUNC") {
                self.lengths[inode] = 0;
                self.ops.push(Op::SetLength(inode, 0));
            }
            Some(inode)
        } else {
            assert!(arguments.contains("O_CREAT"), "{name} is unknown");
            let inode = self.lengths.len();
            self.lengths.push(0);
            self.names.insert(name.clone(), inode);
            self.ops.push(Op::Create(name, inode));
            Some(inode)
        };
        let appends = arguments.contains("O_APPEND");
        self.open.insert(
            file,
            Open {
                inode,
                offset: 0,
                appends,
            },
        );
    }

    fn written(&mut self, file: i64, bytes: Vec<u8>) {
        let open = self.open.get_mut(&file).unwrap();
        let inode = open.inode.unwrap();
        if open.appends {
            open.offset = self.lengths[inode];
        }
        let offset = open.offset;
        open.offset += bytes.len() as u64;
        self.grow(inode, offset + bytes.len() as u64);
        self.ops.push(Op::Write(inode, offset, bytes));
    }

    fn grow(&mut self, inode: Inode, end: u64) {
        self.lengths[inode] = self.lengths[inode].max(end);
    }
}

/// Returns the texts among the arguments of a call, which are all in hexadecimal digits.
fn texts(arguments: &str) -> Vec<Vec<u8>> {
    let quoted = arguments.split('"').skip(1).step_by(2);
    let bytes = |text: &str| -> Vec<u8> {
        let pairs = text.split("\\x").skip(1);
        pairs
            .map(|pair| u8::from_str_radix(pair, 16).unwrap())
            .collect()
    };
    quoted.map(bytes).collect()
}
