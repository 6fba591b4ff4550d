//! Any bytes give the rows of a table, or errors that name a valid line.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ontrail_corpus::{Columns, CorpusError, Format, read_rows};

fuzz_target!(|input: (u8, bool, Vec<u8>)| {
    let (format, header, bytes) = input;
    let format = [Format::Tsv, Format::Csv, Format::Jsonl][usize::from(format) % 3];
    let columns = Columns { header: Some(header), ..Columns::default() };
    let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    for row in read_rows(format, std::io::Cursor::new(bytes), "fuzz", &columns) {
        if let Err(CorpusError::Row(bad)) = row {
            let line = bad.line.expect("rows of tables have lines");
            assert!(1 <= line && line <= lines, "line {line} of {lines}");
        }
    }
});
