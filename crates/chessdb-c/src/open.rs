//! Opening, creating and closing databases.

use std::ffi::{c_char, c_int};
use std::ptr;

use chessdb::Database;
use chessdb::options::OpenOptions;

use crate::boundary::{self, Failure, guard, optional_text, text, to_c};
use crate::handles::Handles;
use crate::{ERROR, OK};

/// The open databases.
pub(crate) static DATABASES: Handles<Database> = Handles::new("database");

/// How a database is opened: `chessdb_options`. Later versions append members.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The size of the caller's structure in bytes.
    pub size: usize,
    /// An id such as "cbh"; null lets the content decide.
    pub format: *const c_char,
    /// The encoding of texts that do not declare one; null lets the texts decide.
    pub encoding: *const c_char,
    /// The password of an archive, or null.
    pub password: *const c_char,
}

/// A file in memory: `chessdb_file`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// The name, with a suffix.
    pub name: *const c_char,
    /// The content.
    pub bytes: *const u8,
    /// The number of bytes.
    pub size: usize,
}

/// Returns the options of a database with this format, or of the format that its content has.
pub(crate) fn with_format(format: Option<&str>) -> OpenOptions {
    let options = Database::options().index(true);
    match format {
        Some(format) => options.format(format),
        None => options,
    }
}

/// Checks the number of a game, counted from 1, and returns its index.
pub(crate) fn index_of(number: u32, db: &Database) -> Result<u32, Failure> {
    let games = db.len()?;
    let index = number.checked_sub(1).filter(|&index| index < games);
    index.ok_or_else(|| format!("no game {number}: there are {games}, counted from 1").into())
}

/// Returns the options that the caller set.
///
/// # Safety
///
/// `options` must be null or point to options, with as many bytes as their size states, and with
/// texts that end with a zero byte, or null.
unsafe fn with_options(options: *const Options) -> Result<OpenOptions, Failure> {
    if options.is_null() {
        return Ok(with_format(None));
    }
    // SAFETY: the caller promises the bytes.
    let Options {
        format,
        encoding,
        password,
        ..
    } = unsafe { boundary::sized(options, (*options).size)? };
    // SAFETY: the caller promises the texts.
    let (format, encoding, password) = unsafe {
        (
            optional_text(format)?,
            optional_text(encoding)?,
            optional_text(password)?,
        )
    };
    let mut opening = with_format(format);
    if let Some(encoding) = encoding {
        opening = opening.encoding(encoding);
    }
    if let Some(password) = password {
        opening = opening.password(password);
    }
    Ok(opening)
}

/// Opens a database.
///
/// # Safety
///
/// `path` must be a text that ends with a zero byte; `format` must be one, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_open(path: *const c_char, format: *const c_char) -> *mut Database {
    guard(ptr::null_mut(), || {
        // SAFETY: the caller promises that both are texts, or null.
        let (path, format) = unsafe { (boundary::path(path)?, optional_text(format)?) };
        Ok(DATABASES.insert(with_format(format).open(path)?))
    })
}

/// Opens a database with options.
///
/// # Safety
///
/// `path` must be a text that ends with a zero byte, and `options` null or complete options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_open_with(
    path: *const c_char,
    options: *const Options,
) -> *mut Database {
    guard(ptr::null_mut(), || {
        // SAFETY: the caller promises the text and the options.
        let (path, options) = unsafe { (boundary::path(path)?, with_options(options)?) };
        Ok(DATABASES.insert(options.open(path)?))
    })
}

/// Opens a database from files in memory, which are copied.
///
/// # Safety
///
/// `files` must be an array of at least `count` files, each with a name that ends with a zero byte and
/// as many bytes as its size states; `options` must be null or complete options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_open_files(
    files: *const File,
    count: usize,
    options: *const Options,
) -> *mut Database {
    guard(ptr::null_mut(), || {
        // SAFETY: the caller promises the options and the array.
        let (options, files) = unsafe { (with_options(options)?, boundary::input(files, count)?) };
        let named = files.iter().map(|file| {
            // SAFETY: the caller promises the name and the bytes of each file.
            unsafe {
                let name = text(file.name)?;
                Ok((name, boundary::input(file.bytes, file.size)?))
            }
        });
        let named = named.collect::<Result<Vec<_>, Failure>>()?;
        Ok(DATABASES.insert(options.open_files(named)?))
    })
}

/// Creates a database without games.
///
/// # Safety
///
/// `path` must be a text that ends with a zero byte; `format` must be one, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_create(path: *const c_char, format: *const c_char) -> c_int {
    guard(ERROR, || {
        // SAFETY: the caller promises that both are texts, or null.
        let (path, format) = unsafe { (boundary::path(path)?, optional_text(format)?) };
        let mut options = chessdb::Writer::options();
        if let Some(format) = format {
            options = options.format(format);
        }
        options.create(path)?.finish()?;
        Ok(OK)
    })
}

/// Closes a database.
///
/// # Safety
///
/// None: a handle is not an address. The function is unsafe like all that take pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_close(db: *mut Database) {
    guard((), || DATABASES.close(db));
}

/// Returns the number of games, or [`ERROR`].
///
/// # Safety
///
/// None, as for [`chessdb_close`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_count(db: *const Database) -> i64 {
    guard(ERROR.into(), || {
        let db = DATABASES.get(db)?;
        match db.count() {
            Some(count) => Ok(i64::try_from(count).unwrap_or(i64::MAX)),
            None => Ok(db.len()?.into()),
        }
    })
}

/// Returns the id of the format.
///
/// # Safety
///
/// None, as for [`chessdb_close`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_format(db: *const Database) -> *mut c_char {
    guard(ptr::null_mut(), || to_c(DATABASES.get(db)?.format().id))
}
