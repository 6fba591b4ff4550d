//! Reads documents one by one, in any format.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

use encoding_rs::Encoding;
use flate2::bufread::MultiGzDecoder;

use crate::document::Document;
use crate::error::CorpusError;
use crate::format::Format;
use crate::info::{Columns, Data};
use crate::{folder, json_lines, parquet, table, tarball};

/// An iterator over the documents of a dataset, which reads them on demand.
pub type Documents = Box<dyn Iterator<Item = Result<Document, CorpusError>> + Send>;

/// Opens the documents at `path`, in the given or the detected format.
pub(crate) fn open(path: &Path, data: &Data) -> Result<Documents, CorpusError> {
    let unknown = || CorpusError::Unknown { path: path.to_owned() };
    std::fs::metadata(path).map_err(CorpusError::io(path))?;
    let format = data.format.or_else(|| Format::detect(path)).ok_or_else(unknown)?;
    match format {
        Format::Folder if !path.is_dir() => Err(CorpusError::file(path, "not a folder")),
        _ if format != Format::Folder && path.is_dir() => {
            Err(CorpusError::file(path, "expected a file, but this is a folder"))
        }
        Format::Folder => Ok(folder::documents(path)),
        Format::Tar => tarball::documents(path),
        Format::Parquet => parquet::documents(path, &data.columns),
        Format::Tsv | Format::Csv | Format::Jsonl => {
            let name = path.display().to_string();
            let reader = open_text(path, data.columns.charset.as_deref())?;
            Ok(read_rows(format, reader, &name, &data.columns))
        }
    }
}

/// Reads the rows of a TSV, CSV or JSON Lines table from any reader; `name` is the name of the
/// table in errors. For any other format, the only item is an error.
pub fn read_rows(
    format: Format,
    reader: impl Read + Send + 'static,
    name: &str,
    columns: &Columns,
) -> Documents {
    match format {
        Format::Tsv | Format::Csv => table::documents(format, Box::new(reader), name, columns),
        Format::Jsonl => json_lines::documents(Box::new(BufReader::new(reader)), name, columns),
        Format::Folder | Format::Tar | Format::Parquet => {
            let error = CorpusError::file(name.as_ref(), "this format cannot be read row by row");
            Box::new(std::iter::once(Err(error)))
        }
    }
}

/// Opens a text file, decompresses gzip, and decodes a charset other than UTF-8.
fn open_text(path: &Path, charset: Option<&str>) -> Result<Box<dyn Read + Send>, CorpusError> {
    let reader = open_unpacked(path)?;
    let Some(label) = charset else { return Ok(reader) };
    let unknown = || CorpusError::file(path, format!("unknown charset `{label}`"));
    let encoding = Encoding::for_label(label.as_bytes()).ok_or_else(unknown)?;
    if encoding == encoding_rs::UTF_8 {
        return Ok(reader);
    }
    let mut bytes = Vec::new();
    { reader }.read_to_end(&mut bytes).map_err(CorpusError::io(path))?;
    let (text, _, damaged) = encoding.decode(&bytes);
    if damaged {
        return Err(CorpusError::file(path, format!("the file is not valid {}", encoding.name())));
    }
    Ok(Box::new(Cursor::new(text.into_owned().into_bytes())))
}

/// Opens a file, and decompresses it if it starts like a gzip file.
pub(crate) fn open_unpacked(path: &Path) -> Result<Box<dyn Read + Send>, CorpusError> {
    let mut reader = BufReader::new(File::open(path).map_err(CorpusError::io(path))?);
    let is_gzip = reader.fill_buf().map_err(CorpusError::io(path))?.starts_with(&[0x1f, 0x8b]);
    if is_gzip { Ok(Box::new(MultiGzDecoder::new(reader))) } else { Ok(Box::new(reader)) }
}
