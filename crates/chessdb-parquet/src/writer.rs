//! The Parquet writer, which writes one row group after another.

use arrow_array::RecordBatch;
use chessdb_arrow::{Column, Columns, Encode, SCHEMA_VERSION, chosen_columns};
use chessdb_core::files::FileSink;
use chessdb_core::{ErrorKind, Result, WriteOptions};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::raw::parquet_error;
use crate::roles::PARQUET_FILE;

/// The maximum number of games of a row group, and the compressed size in bytes at which it ends
/// early.
const GROUP: usize = 128 << 10;
const GROUP_BYTES: usize = 64 << 20;
/// The default zstd compression level.
const LEVEL: i32 = 3;

/// A writer of games into a Parquet table.
pub type Writer<'a> = chessdb_arrow::Writer<'a, Parquet>;

/// Creates a table.
///
/// # Errors
///
/// Returns an error if the sink fails, if a loss that concerns the whole database is not allowed,
/// or if a setting has an invalid value.
pub fn create(sink: &mut dyn FileSink, options: WriteOptions) -> Result<Writer<'_>> {
    let columns = chosen_columns(&options.settings, Columns::ALL)?;
    let level = level(options.setting("zstd"))?;
    chessdb_arrow::Writer::create(sink, PARQUET_FILE, options, columns, |schema| {
        let schema = schema.clone();
        ArrowWriter::try_new(Vec::new(), schema, Some(properties(level)))
            .map(Parquet)
            .map_err(parquet_error)
    })
}

/// The encoder for Parquet files.
pub struct Parquet(ArrowWriter<Vec<u8>>);

impl std::fmt::Debug for Parquet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parquet").finish_non_exhaustive()
    }
}

impl Encode for Parquet {
    fn batch(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        self.0.write(batch).map_err(parquet_error)?;
        out.append(self.0.inner_mut());
        Ok(())
    }

    fn finish(self, out: &mut Vec<u8>) -> Result<()> {
        out.append(&mut self.0.into_inner().map_err(parquet_error)?);
        Ok(())
    }
}

/// Returns the zstd compression level of the setting `zstd`.
fn level(setting: Option<&str>) -> Result<ZstdLevel> {
    let number = match setting {
        Some(value) => value.parse().map_err(|_| {
            let why = format!("zstd has no level {value}");
            ErrorKind::Setting(why.into())
        })?,
        None => LEVEL,
    };
    ZstdLevel::try_new(number)
        .map_err(|_| ErrorKind::Setting("zstd has levels from 1 to 22".into()).into())
}

/// Returns the properties of the table. They do not depend on time or machine, so equal games give
/// equal bytes.
fn properties(level: ZstdLevel) -> WriterProperties {
    let note = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
    let path = |column: Column| ColumnPath::from(column.name());
    let element = |column: Column| {
        let path = [column.name(), "list", "element"];
        ColumnPath::new(path.map(str::to_owned).into())
    };
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("chessdb ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(Some(GROUP))
        .set_max_row_group_bytes(Some(GROUP_BYTES))
        .set_key_value_metadata(Some(vec![
            note("chessdb.schema", SCHEMA_VERSION.to_string()),
            note("chessdb.version", env!("CARGO_PKG_VERSION").to_owned()),
        ]))
        // Delta encoding suits consecutive numbers better than a dictionary.
        .set_column_encoding(path(Column::Game), Encoding::DELTA_BINARY_PACKED)
        .set_column_dictionary_enabled(path(Column::Game), false);
    // The values of these columns are all different, and their order has no meaning that statistics
    // could use.
    for column in [
        path(Column::Movetext),
        path(Column::Id),
        element(Column::Positions),
    ] {
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_statistics_enabled(column, EnabledStatistics::None);
    }
    properties.build()
}
