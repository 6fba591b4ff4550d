//! Damaged tables: every change gives an error or other values, and never a panic or an abort.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::path::Path;
use std::sync::{Mutex, Once};

use ontrail_table::{Table, TableError};
use polars::prelude::{Column, DataFrame, DataType, ParquetCompression, ParquetWriter, TimeUnit};

const ROWS: usize = 400;
const COLUMNS: [&str; 6] = ["url", "title", "number", "share", "is_relevant", "time"];

/// A table with columns of all types that crawls and corpora use, with gaps.
fn table(compression: ParquetCompression) -> Vec<u8> {
    let rows = 0..ROWS as u64;
    let time: Vec<i64> = (0_i64..).take(ROWS).map(|row| 1_700_000_000_000 + row * 77).collect();
    let columns = vec![
        Column::new(
            "url".into(),
            rows.clone().map(|row| format!("http://a.example/{row}")).collect::<Vec<_>>(),
        ),
        Column::new(
            "title".into(),
            rows.clone()
                .map(|row| (row % 3 > 0).then(|| format!("雨 {}", row % 7)))
                .collect::<Vec<_>>(),
        ),
        Column::new("number".into(), rows.clone().map(|row| row * 1_000_003).collect::<Vec<_>>()),
        Column::new(
            "share".into(),
            rows.clone().map(|row| (row % 5 > 0).then_some(row as f64 / 7.0)).collect::<Vec<_>>(),
        ),
        Column::new("is_relevant".into(), rows.map(|row| row % 2 == 0).collect::<Vec<_>>()),
        Column::new("time".into(), time)
            .cast(&DataType::Datetime(TimeUnit::Milliseconds, None))
            .unwrap(),
    ];
    let mut frame = DataFrame::new(ROWS, columns).unwrap();
    let mut bytes = Vec::new();
    let writer = ParquetWriter::new(&mut bytes).with_compression(compression);
    writer.with_row_group_size(Some(200)).finish(&mut frame).unwrap();
    bytes
}

/// Reads all values of a table. Returns the number of its rows.
fn read(path: &Path) -> Result<usize, TableError> {
    let mut rows = 0;
    for batch in Table::open(path)?.batches(&COLUMNS)? {
        let batch = batch?;
        let lengths = [
            batch.texts("url")?.len(),
            batch.texts("title")?.len(),
            batch.numbers("number")?.len(),
            batch.decimals("share")?.len(),
            batch.booleans("is_relevant")?.len(),
            batch.numbers("time")?.len(),
        ];
        assert_eq!(lengths, [batch.rows(); 6]);
        rows += batch.rows();
    }
    Ok(rows)
}

/// The panics that reached the hook of the program.
static PRINTED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Sets a hook like that of a program, before a table is read.
fn watch_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PRINTED.lock().unwrap().push(panic.to_string());
            before(panic);
        }));
    });
}

/// Reads a damaged table. Returns true if the damage was noticed.
fn is_refused(path: &Path, bytes: &[u8]) -> bool {
    watch_panics();
    fs::write(path, bytes).unwrap();
    match read(path) {
        Ok(rows) => {
            assert!(rows <= ROWS, "{rows} rows");
            false
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with(&path.display().to_string()), "{message}");
            true
        }
    }
}

#[test]
fn a_whole_table_is_read_in_batches() {
    watch_panics();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("whole.parquet");
    fs::write(&path, table(ParquetCompression::Snappy)).unwrap();
    let table = Table::open(&path).unwrap();
    assert_eq!((table.rows(), table.columns().len()), (ROWS, COLUMNS.len()));
    let batches: Vec<_> =
        table.batches(&["number", "title"]).unwrap().map(Result::unwrap).collect();
    assert_eq!(batches.iter().map(ontrail_table::Batch::rows).collect::<Vec<_>>(), [200, 200]);
    assert_eq!(batches[1].numbers("number").unwrap()[0], Some(200 * 1_000_003));
    assert_eq!(batches[1].texts("title").unwrap()[0].as_deref(), Some("雨 4"));
    assert_eq!(batches[0].texts("title").unwrap()[0], None);
    let error = batches[0].texts("url").unwrap_err().to_string();
    assert!(error.ends_with("column `url`: it was not read"), "{error}");
    let error = Table::open(&path).unwrap().batches(&["links"]).unwrap_err().to_string();
    assert!(error.ends_with("column `links`: the table has no such column"), "{error}");
}

/// Every byte of a small file is changed in turn, the footer in several ways.
#[test]
fn no_changed_byte_makes_the_reader_panic_or_print() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.parquet");
    let zstd = ParquetCompression::Zstd(None);
    let (mut mutants, mut refused) = (0, 0);
    for (turn, compression) in
        [ParquetCompression::Uncompressed, ParquetCompression::Snappy, zstd].into_iter().enumerate()
    {
        let bytes = table(compression);
        for at in (turn..bytes.len()).step_by(9) {
            let change = [0, 0xff, 65, bytes[at] ^ 1, bytes[at] ^ 0x80][(at / 9) % 5];
            let mut mutant = bytes.clone();
            mutant[at] = change;
            mutants += 1;
            refused += usize::from(is_refused(&path, &mutant));
        }
    }
    assert_eq!(*PRINTED.lock().unwrap(), Vec::<String>::new());
    assert!(mutants > 1_000 && refused > mutants / 5, "{refused} of {mutants} were refused");
}

#[test]
fn a_truncated_table_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("short.parquet");
    let bytes = table(ParquetCompression::Snappy);
    for length in (0..bytes.len()).step_by(23) {
        assert!(is_refused(&path, &bytes[..length]), "{length}");
    }
    // The footer is there, but bytes before it are missing.
    for cut in (4..bytes.len() / 2).step_by(101) {
        let mutant = [&bytes[..4], &bytes[4 + cut..]].concat();
        assert!(is_refused(&path, &mutant), "{cut}");
    }
}

/// Runs of zeros and of ones, as a bad disk or an interrupted copy leaves them.
#[test]
fn wiped_ranges_never_crash_the_reader() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wiped.parquet");
    let bytes = table(ParquetCompression::Snappy);
    let mut refused = 0;
    for (turn, start) in (0..bytes.len()).step_by(41).enumerate() {
        let end = (start + 5 + 97 * (turn % 7)).min(bytes.len());
        let mut mutant = bytes.clone();
        mutant[start..end].fill(if turn % 2 == 0 { 0 } else { 0xff });
        refused += usize::from(is_refused(&path, &mutant));
    }
    assert!(refused > 50, "{refused}");
}
