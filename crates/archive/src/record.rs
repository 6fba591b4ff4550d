//! Reads WARC records.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use url::Url;

use crate::error::ArchiveError;
use crate::response::Response;

/// Maximum length of a header line.
const MAX_LINE_BYTES: u64 = 1 << 16;
/// Maximum number of header lines in a record.
const MAX_HEADER_LINES: usize = 1_000;

/// A record in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    headers: Vec<(String, String)>,
    /// The block, which is the content of the record.
    pub block: Vec<u8>,
    /// True if the block was longer than the reader's limit, so that its end is missing.
    pub truncated: bool,
}

impl Record {
    /// Returns the value of a header; the case of the name does not matter.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the type of the record: `response`, `request`, `warcinfo` and so on.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.header("WARC-Type").unwrap_or_default()
    }

    /// Returns the URL of the record.
    #[must_use]
    pub fn target(&self) -> Option<&str> {
        // Some programs that write WARC 1.0 put the URL in angle brackets.
        let value = self.header("WARC-Target-URI")?;
        Some(value.strip_prefix('<').and_then(|v| v.strip_suffix('>')).unwrap_or(value))
    }

    /// Parses the HTTP response, if this is a response record.
    #[must_use]
    pub fn response(&self) -> Option<Response> {
        let is_http = self.header("Content-Type").is_none_or(|t| t.contains("http"));
        if self.kind() == "response" && is_http { Response::parse(&self.block) } else { None }
    }
}

/// The records of an archive, in order.
pub struct Records<'r> {
    reader: Box<dyn BufRead + Send + 'r>,
    path: PathBuf,
    /// The number of the record being read, from 1.
    number: u64,
    /// Maximum number of bytes that are kept of a block.
    max_block: u64,
    failed: bool,
}

impl Records<'static> {
    /// Opens an archive, compressed with gzip or not.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let open = || {
            let mut reader = BufReader::with_capacity(1 << 16, File::open(path)?);
            let is_gzip = reader.fill_buf()?.starts_with(&[0x1f, 0x8b]);
            let unpacked: Box<dyn BufRead + Send> = if is_gzip {
                Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(reader)))
            } else {
                Box::new(reader)
            };
            Ok(unpacked)
        };
        let reader = open().map_err(|source| ArchiveError::Io {
            path: path.to_owned(),
            record: 1,
            source,
        })?;
        Ok(Self::new(reader, path))
    }
}

impl<'r> Records<'r> {
    /// Reads an uncompressed archive from any reader; `path` is its name in errors.
    #[must_use]
    pub fn new(reader: Box<dyn BufRead + Send + 'r>, path: &Path) -> Self {
        Self { reader, path: path.to_owned(), number: 0, max_block: 64 << 20, failed: false }
    }

    /// Sets the number of bytes that are kept of a block; of a larger one, only the start is kept.
    /// The default is 64 MiB.
    #[must_use]
    pub fn with_largest_block(mut self, bytes: u64) -> Self {
        self.max_block = bytes;
        self
    }

    fn read(&mut self) -> Result<Option<Record>, Fault> {
        let Some(version) = self.skip_blank_lines()? else { return Ok(None) };
        if !version.starts_with("WARC/1.") {
            let start: String = version.chars().take(40).collect();
            return Err(Fault::Malformed(format!(
                "expected WARC/1.0 or WARC/1.1, found `{start}`"
            )));
        }
        let headers = self.read_headers()?;
        let mut record = Record { headers, block: Vec::new(), truncated: false };
        let length: u64 = match record.header("Content-Length").map(str::parse) {
            Some(Ok(length)) => length,
            Some(Err(_)) => {
                return Err(Fault::Malformed("Content-Length is not a number".to_owned()));
            }
            None => return Err(Fault::Malformed("no Content-Length".to_owned())),
        };
        let kept =
            self.reader.by_ref().take(length.min(self.max_block)).read_to_end(&mut record.block)?;
        let rest = length - kept as u64;
        record.truncated = length > self.max_block;
        let skipped = io::copy(&mut self.reader.by_ref().take(rest), &mut io::sink())?;
        if skipped < rest {
            return Err(Fault::Malformed("the archive ends inside this record".to_owned()));
        }
        Ok(Some(record))
    }

    /// Returns the first line that is not blank, if there is one.
    fn skip_blank_lines(&mut self) -> Result<Option<String>, Fault> {
        loop {
            match self.read_line()? {
                None => return Ok(None),
                Some(line) if line.is_empty() => {}
                Some(line) => return Ok(Some(line)),
            }
        }
    }

    fn read_headers(&mut self) -> Result<Vec<(String, String)>, Fault> {
        let mut headers: Vec<(String, String)> = Vec::new();
        for _ in 0..MAX_HEADER_LINES {
            let ends = || {
                Fault::Malformed("the archive ends inside the headers of this record".to_owned())
            };
            let line = self.read_line()?.ok_or_else(ends)?;
            if line.is_empty() {
                return Ok(headers);
            }
            if line.starts_with([' ', '\t'])
                && let Some((_, value)) = headers.last_mut()
            {
                value.push(' ');
                value.push_str(line.trim());
            } else if let Some((name, value)) = line.split_once(':') {
                headers.push((name.trim().to_owned(), value.trim().to_owned()));
            } else {
                return Err(Fault::Malformed("a header line has no colon".to_owned()));
            }
        }
        Err(Fault::Malformed(format!("more than {MAX_HEADER_LINES} header lines")))
    }

    /// Returns the next line without its line end, or `None` at the end of the archive.
    fn read_line(&mut self) -> Result<Option<String>, Fault> {
        let mut bytes = Vec::new();
        self.reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        if bytes.len() as u64 == MAX_LINE_BYTES {
            return Err(Fault::Malformed("a header line is longer than 64 KiB".to_owned()));
        }
        Ok(Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned()))
    }
}

/// An error in reading a record, without its position.
enum Fault {
    Io(io::Error),
    Malformed(String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Record, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        self.number += 1;
        let (path, record) = (&self.path.clone(), self.number);
        let read = self.read().map_err(|fault| match fault {
            Fault::Io(source) => ArchiveError::Io { path: path.clone(), record, source },
            Fault::Malformed(reason) => {
                ArchiveError::Malformed { path: path.clone(), record, reason }
            }
        });
        self.failed = read.is_err();
        read.transpose()
    }
}

/// Returns the response for a URL in an archive: the first one whose URL is the same, apart from
/// the fragment.
pub fn find(path: &Path, url: &Url) -> Result<Option<Response>, ArchiveError> {
    let without_fragment = |mut url: Url| {
        url.set_fragment(None);
        url
    };
    let wanted = without_fragment(url.clone());
    for record in Records::open(path)? {
        let record = record?;
        let target = record.target().and_then(|target| Url::parse(target).ok());
        if target.is_some_and(|target| without_fragment(target) == wanted)
            && let Some(response) = record.response()
        {
            return Ok(Some(response));
        }
    }
    Ok(None)
}
