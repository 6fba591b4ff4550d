//! Checks the lengths in a Parquet file before the reader allocates memory for them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::thrift::{Broken, walk};

/// The last bytes of a file: the length of the footer, and the mark PAR1.
const TRAILER: usize = 8;

/// Greatest size of an unpacked page, in bytes. Writers make pages of about a megabyte; one with a
/// single long text may be larger.
const MOST_PAGE: i64 = 256 << 20;

/// Greatest number of groups in a schema. The reader descends into them recursively.
const MOST_GROUPS: usize = 1_000;

/// The length of the first part of a page that is read to find its header.
const HEADER: u64 = 4_096;

/// The error of a check: one of reading, or the damage.
#[derive(Debug)]
pub(crate) enum Fault {
    Io(io::Error),
    Damage(String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn damage(reason: &str) -> Fault {
    Fault::Damage(reason.to_owned())
}

/// Checks that the footer is whole, and that no list in it is longer than the footer.
pub(crate) fn footer(file: &mut File) -> Result<(), Fault> {
    let length = file.metadata()?.len();
    if length < 4 + TRAILER as u64 {
        return Err(damage("it is too short"));
    }
    let mut trailer = [0; TRAILER];
    file.seek(SeekFrom::Start(length - TRAILER as u64))?;
    file.read_exact(&mut trailer)?;
    let [size @ .., b'P', b'A', b'R', b'1'] = trailer else {
        return Err(damage("it does not end with PAR1"));
    };
    let size = u64::from(u32::from_le_bytes(size));
    let start = (length - TRAILER as u64).checked_sub(size);
    let Some(start) = start else { return Err(damage("its footer is longer than the file")) };
    let footer = read(file, start, size)?;
    let mut groups = 0;
    // Field 2 of the footer lists the elements of the schema; their field 5 counts the children.
    let walked = walk(&footer, &mut |path, number| {
        groups += usize::from(path == [2, 5] && number > 0);
    });
    if walked.is_err() {
        return Err(damage("its footer is broken"));
    }
    if groups > MOST_GROUPS {
        return Err(Fault::Damage(format!("its schema has more than {MOST_GROUPS} groups")));
    }
    Ok(())
}

/// A column of one row group.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk {
    /// The offset of its first page.
    pub(crate) start: u64,
    /// The offset of its end.
    pub(crate) end: u64,
    /// The number of values, by the footer.
    pub(crate) values: i64,
    /// The number of rows of the row group.
    pub(crate) rows: usize,
}

/// The numbers in the header of a page.
#[derive(Default)]
struct Page {
    /// The length of the header.
    header: u64,
    unpacked: i64,
    packed: i64,
    /// The number of values of a data page.
    values: i64,
    /// The number of values of a dictionary.
    dictionary: i64,
}

/// Checks that the pages of a column lie within the file, have acceptable sizes, and have together
/// as many values as there are rows.
pub(crate) fn pages(file: &mut File, chunk: Chunk) -> Result<(), Fault> {
    if chunk.start > chunk.end || chunk.end > file.metadata()?.len() {
        return Err(damage("a column lies outside the file"));
    }
    let rows = i64::try_from(chunk.rows).unwrap_or(i64::MAX);
    if chunk.values != rows {
        return Err(damage("a column has more or fewer values than there are rows"));
    }
    let (mut offset, mut values) = (chunk.start, 0_i64);
    while values < rows {
        let page = page(file, offset, chunk.end)?;
        let Ok(packed) = u64::try_from(page.packed) else {
            return Err(damage("a page has no size"));
        };
        offset = offset.saturating_add(page.header).saturating_add(packed);
        if offset > chunk.end {
            return Err(damage("a page is longer than its column"));
        }
        if !(0..=MOST_PAGE).contains(&page.unpacked) {
            return Err(Fault::Damage(format!("a page has more than {} MB", MOST_PAGE >> 20)));
        }
        // A value of a dictionary takes a byte at least.
        if !(0..=page.unpacked).contains(&page.dictionary) || page.values < 0 {
            return Err(damage("a page states a wrong number of values"));
        }
        values = values.saturating_add(page.values);
    }
    if values != rows {
        return Err(damage("a column has more or fewer values than there are rows"));
    }
    Ok(())
}

/// Reads the header of the page at `offset`.
fn page(file: &mut File, offset: u64, end: u64) -> Result<Page, Fault> {
    let mut length = HEADER;
    loop {
        let rest = end.saturating_sub(offset);
        let bytes = read(file, offset, length.min(rest))?;
        let mut page = Page::default();
        let walked = walk(&bytes, &mut |path, number| match path {
            [2] => page.unpacked = number,
            [3] => page.packed = number,
            [5 | 8, 1] => page.values = number,
            [7, 1] => page.dictionary = number,
            _ => {}
        });
        match walked {
            Ok(header) => {
                page.header = header as u64;
                return Ok(page);
            }
            // The statistics in a header may be long.
            Err(Broken::Short) if length < rest => length *= 4,
            Err(_) => return Err(damage("the header of a page is broken")),
        }
    }
}

fn read(file: &mut File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Checks a column of one page with the given numbers: its sizes, its values, and the values of
    /// its dictionary.
    fn checked(unpacked: i64, packed: i64, values: i64, dictionary: i64) -> Result<(), String> {
        let mut bytes = vec![0x15, 0];
        for (field, number) in [(0x15, unpacked), (0x15, packed)] {
            bytes.push(field);
            bytes.extend(varint(number));
        }
        for (field, number) in [(0x2c, values), (0x2c, dictionary)] {
            bytes.extend([field, 0x15]);
            bytes.extend(varint(number));
            bytes.push(0);
        }
        bytes.push(0);
        bytes.extend([7; 20]);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        let chunk = Chunk { start: 0, end: bytes.len() as u64, values: 9, rows: 9 };
        pages(&mut file, chunk).map_err(|fault| format!("{fault:?}"))
    }

    fn varint(number: i64) -> Vec<u8> {
        let mut rest = ((number << 1) ^ (number >> 63)).cast_unsigned();
        let mut bytes = Vec::new();
        while rest >= 128 {
            bytes.push(u8::try_from(rest & 127).unwrap() | 128);
            rest >>= 7;
        }
        bytes.push(u8::try_from(rest).unwrap());
        bytes
    }

    #[test]
    fn sizes_that_the_file_cannot_have_are_refused() {
        assert_eq!(checked(50, 20, 9, 5), Ok(()));
        for (numbers, reason) in [
            ([2_147_483_647, 20, 9, 5], "a page has more than 256 MB"),
            ([-1, 20, 9, 5], "a page has more than 256 MB"),
            ([50, 21, 9, 5], "a page is longer than its column"),
            ([50, -1, 9, 5], "a page has no size"),
            ([50, 20, 2_147_483_647, 5], "more or fewer values"),
            ([50, 20, -9, 5], "a wrong number of values"),
            ([50, 20, 9, 2_147_483_647], "a wrong number of values"),
        ] {
            let [unpacked, packed, values, dictionary] = numbers;
            let refused = checked(unpacked, packed, values, dictionary).unwrap_err();
            assert!(refused.contains(reason), "{numbers:?}: {refused}");
        }
    }

    #[test]
    fn a_footer_with_an_endless_list_is_refused() {
        // A list of two thousand million row groups, of which none follows.
        let list = [0x49, 0xfc, 0xff, 0xff, 0xff, 0xff, 7, 0];
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"PAR1").unwrap();
        file.write_all(&list).unwrap();
        file.write_all(&[8, 0, 0, 0]).unwrap();
        file.write_all(b"PAR1").unwrap();
        let refused = footer(&mut file).unwrap_err();
        assert!(format!("{refused:?}").contains("its footer is broken"), "{refused:?}");
    }
}
