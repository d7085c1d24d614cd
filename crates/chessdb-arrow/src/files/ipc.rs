//! The encoders for Arrow's file format and stream format.

use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::SchemaRef;
use chessdb_core::Result;

use crate::writer::{Encode, arrow_error};

/// Returns an encoder for a file, which ends with an index of its batches.
pub(super) fn file(schema: &SchemaRef) -> Result<FileWriter<Vec<u8>>> {
    FileWriter::try_new(Vec::new(), schema).map_err(arrow_error)
}

/// Returns an encoder for a stream of batches, which suits pipes.
pub(super) fn stream(schema: &SchemaRef) -> Result<StreamWriter<Vec<u8>>> {
    StreamWriter::try_new(Vec::new(), schema).map_err(arrow_error)
}

impl Encode for FileWriter<Vec<u8>> {
    fn batch(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        self.write(batch).map_err(arrow_error)?;
        out.append(self.get_mut());
        Ok(())
    }

    fn finish(mut self, out: &mut Vec<u8>) -> Result<()> {
        FileWriter::finish(&mut self).map_err(arrow_error)?;
        out.append(self.get_mut());
        Ok(())
    }
}

impl Encode for StreamWriter<Vec<u8>> {
    fn batch(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        self.write(batch).map_err(arrow_error)?;
        out.append(self.get_mut());
        Ok(())
    }

    fn finish(mut self, out: &mut Vec<u8>) -> Result<()> {
        StreamWriter::finish(&mut self).map_err(arrow_error)?;
        out.append(self.get_mut());
        Ok(())
    }
}
