//! Where new bases go: files that replace the old ones together, or a stream.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::fs::lock::Lock;
use crate::fs::{PathError, Problem, locate};
use crate::{ErrorKind, FileId, FileSink, Format, Result, Role};

/// What stands behind the final name while a file is being written.
const WRITING: &str = ".chessdb-new";
/// What stands behind the name of an old file until its set is replaced completely.
const REPLACED: &str = ".chessdb-old";
/// What stands behind the name of the file that keeps a second writer out.
const LOCK: &str = ".chessdb-lock";

/// The files of a base on disk. They are written under hidden names beside the target, brought to
/// the disk, and renamed together, the index last. Until then, and if it is dropped before
/// [`FileSink::commit`], an older base of that name stays as it was.
#[derive(Debug)]
pub struct DirSink {
    /// Per role of the format: the final path.
    targets: Vec<(Role, PathBuf)>,
    files: Vec<Writing>,
    committed: bool,
    // Last, so that it is released after everything else is tidied up.
    _lock: Lock,
}

#[derive(Debug)]
struct Writing {
    file: File,
    role: Role,
    hidden: PathBuf,
    target: PathBuf,
}

/// Prepares to write a base of this format at `path`: a file of the set or its stem; for a format
/// of one file exactly that file. Nothing is written yet.
///
/// A file of the set that exists, in whatever capitals, is an error unless `replace` is true. So is
/// another writer at work on the same base.
pub fn create(
    path: impl AsRef<Path>,
    format: &'static Format,
    replace: bool,
) -> std::result::Result<DirSink, PathError> {
    let path = path.as_ref();
    if format.create.is_none() {
        return Err(PathError::new(path, Problem::ReadOnly(format.name)));
    }
    let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
        let directory = io::Error::from(io::ErrorKind::IsADirectory);
        return Err(PathError::new(path, Problem::Io(directory)));
    };
    let folder = locate::folder_of(path);
    let present = locate::files_of(folder)?;
    let mut targets = Vec::new();
    for (role, wanted) in final_names(name, format) {
        let found = present
            .iter()
            .find(|path| path.file_name() == Some(wanted.as_os_str()));
        let found = found.or_else(|| {
            let same =
                |path: &&PathBuf| locate::same_name(path.file_name().unwrap_or_default(), &wanted);
            present.iter().find(same)
        });
        match found {
            Some(found) if !replace => return Err(PathError::new(found, Problem::Exists)),
            // The file that a link points to is replaced, not the link.
            Some(found) => targets.push((role, fs::canonicalize(found).unwrap_or(found.clone()))),
            None => targets.push((role, path.with_file_name(wanted))),
        }
    }
    let main = targets.first().map_or(path, |(_, target)| target);
    let lock = Lock::take(hidden(main, LOCK), main)?;
    Ok(DirSink {
        targets,
        files: Vec::new(),
        committed: false,
        _lock: lock,
    })
}

/// The names of a set's files. If the name given ends like one of them, it is that one, and the
/// others follow it in capitals; otherwise it is the stem.
fn final_names(name: &OsStr, format: &'static Format) -> Vec<(Role, OsString)> {
    if let [role] = format.roles {
        return vec![(*role, name.to_owned())];
    }
    let (stem, extension) = locate::split(name);
    let is_role = format
        .roles
        .iter()
        .any(|role| role.0.eq_ignore_ascii_case(extension));
    let capitals = is_role && !extension.chars().any(char::is_lowercase);
    let with = |role: &Role| {
        let mut file = if is_role {
            stem.to_owned()
        } else {
            name.to_owned()
        };
        file.push(".");
        file.push(if capitals {
            role.0.to_uppercase()
        } else {
            role.0.to_owned()
        });
        (*role, file)
    };
    format.roles.iter().map(with).collect()
}

/// `.name` + suffix, in the same folder and so on the same file system.
fn hidden(target: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(suffix);
    target.with_file_name(name)
}

impl DirSink {
    /// The final path of the file that names the base.
    pub fn path(&self) -> &Path {
        self.targets.first().map_or(Path::new(""), |(_, path)| path)
    }

    /// Whether the files have got their final names.
    pub fn is_committed(&self) -> bool {
        self.committed
    }

    fn file(&mut self, file: FileId) -> Result<&mut File> {
        let writing = self.files.get_mut(file.0 as usize);
        writing
            .map(|writing| &mut writing.file)
            .ok_or_else(never_created)
    }

    /// Renames everything, keeping the old files under hidden names until all is done; if one step
    /// fails, the steps before it are undone.
    fn swap(&mut self) -> io::Result<()> {
        let mut done: Vec<(PathBuf, Option<PathBuf>)> = Vec::new();
        let result = self.files.iter().try_for_each(|writing| {
            let saved = match fs::symlink_metadata(&writing.target) {
                Ok(old) if old.is_file() => {
                    let saved = hidden(&writing.target, REPLACED);
                    let _ = fs::remove_file(&saved);
                    // A link keeps the old name in place; where links are unknown, rename.
                    if fs::hard_link(&writing.target, &saved).is_err() {
                        fs::rename(&writing.target, &saved)?;
                    }
                    Some(saved)
                }
                Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(error),
            };
            done.push((writing.target.clone(), saved));
            fs::rename(&writing.hidden, &writing.target)
        });
        for (target, saved) in done.into_iter().rev() {
            match (&result, saved) {
                (Ok(()), Some(saved)) => {
                    let _ = fs::remove_file(saved);
                }
                (Ok(()), None) => {}
                (Err(_), Some(saved)) => {
                    let _ = fs::rename(&saved, target);
                    // Renaming one of two links to the same file leaves both.
                    let _ = fs::remove_file(saved);
                }
                (Err(_), None) => {
                    let _ = fs::remove_file(target);
                }
            }
        }
        result
    }
}

fn never_created() -> crate::Error {
    ErrorKind::Structure("a file that was never created").into()
}

impl FileSink for DirSink {
    fn create(&mut self, role: Role) -> Result<FileId> {
        let target = self.targets.iter().find(|(known, _)| *known == role);
        let Some((_, target)) = target else {
            return Err(ErrorKind::Structure("a file that does not belong to the set").into());
        };
        if self.files.iter().any(|writing| writing.role == role) {
            return Err(ErrorKind::Structure("a file created twice").into());
        }
        let hidden = hidden(target, WRITING);
        // We hold the lock: whatever lies there is left over from a writer that was killed.
        if let Err(error) = fs::remove_file(&hidden)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(error.into());
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&hidden)?;
        self.files.push(Writing {
            file,
            role,
            hidden,
            target: target.clone(),
        });
        Ok(FileId(self.files.len() as u32 - 1))
    }

    fn write(&mut self, file: FileId, bytes: &[u8]) -> Result<()> {
        Ok(self.file(file)?.write_all(bytes)?)
    }

    fn patch(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<()> {
        let file = self.file(file)?;
        let had = file.seek(SeekFrom::End(0))?;
        let needed = offset.saturating_add(bytes.len() as u64);
        if needed > had {
            let what = "a patch of a written file";
            return Err(ErrorKind::Truncated { what, needed, had }.into());
        }
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)?;
        file.seek(SeekFrom::End(0))?;
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        for writing in &self.files {
            if let Ok(old) = fs::metadata(&writing.target) {
                // Who may read the base stays as it was.
                let _ = writing.file.set_permissions(old.permissions());
            }
            writing.file.sync_all()?;
        }
        self.swap()?;
        self.committed = true;
        // A file of the old base that the new one does without would be taken for a part of it.
        for (role, target) in &self.targets {
            if !self.files.iter().any(|writing| writing.role == *role) {
                let _ = fs::remove_file(target);
            }
        }
        let folder = locate::folder_of(self.path()).to_owned();
        if let Ok(folder) = File::open(folder) {
            // Not every system can bring a folder to the disk.
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for DirSink {
    fn drop(&mut self) {
        if !self.committed {
            for writing in &self.files {
                let _ = fs::remove_file(&writing.hidden);
            }
        }
    }
}

/// A base of one file on its way into a stream, such as standard output. What is written cannot be
/// taken back, so this is for formats that never patch.
#[derive(Debug)]
pub struct StreamSink<W> {
    out: W,
    created: bool,
}

impl<W: Write> StreamSink<W> {
    /// Writes to `out` as the games come.
    pub fn new(out: W) -> StreamSink<W> {
        StreamSink {
            out,
            created: false,
        }
    }
}

impl<W: Write> FileSink for StreamSink<W> {
    fn create(&mut self, _role: Role) -> Result<FileId> {
        if self.created {
            return Err(ErrorKind::Unsupported("a base of several files in a stream").into());
        }
        self.created = true;
        Ok(FileId(0))
    }

    fn write(&mut self, _file: FileId, bytes: &[u8]) -> Result<()> {
        Ok(self.out.write_all(bytes)?)
    }

    fn patch(&mut self, _file: FileId, _offset: u64, _bytes: &[u8]) -> Result<()> {
        Err(ErrorKind::Unsupported("changing what was already written to a stream").into())
    }

    fn commit(&mut self) -> Result<()> {
        Ok(self.out.flush()?)
    }
}

/// A base of one file that goes into a stream only when it is complete; until then it lies in a
/// file without a name.
#[derive(Debug)]
pub struct SpoolSink<W> {
    out: W,
    spool: File,
    created: bool,
}

impl<W: Write> SpoolSink<W> {
    /// Holds everything back until the end, in `spool`, an empty file open for reading and writing.
    pub fn new(out: W, spool: File) -> SpoolSink<W> {
        SpoolSink {
            out,
            spool,
            created: false,
        }
    }
}

impl<W: Write> FileSink for SpoolSink<W> {
    fn create(&mut self, _role: Role) -> Result<FileId> {
        if self.created {
            return Err(ErrorKind::Unsupported("a base of several files in a stream").into());
        }
        self.created = true;
        Ok(FileId(0))
    }

    fn write(&mut self, _file: FileId, bytes: &[u8]) -> Result<()> {
        Ok(self.spool.write_all(bytes)?)
    }

    fn patch(&mut self, _file: FileId, offset: u64, bytes: &[u8]) -> Result<()> {
        self.spool.seek(SeekFrom::Start(offset))?;
        self.spool.write_all(bytes)?;
        self.spool.seek(SeekFrom::End(0))?;
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        self.spool.seek(SeekFrom::Start(0))?;
        io::copy(&mut self.spool, &mut self.out)?;
        Ok(self.out.flush()?)
    }
}
