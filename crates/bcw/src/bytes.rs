//! Numbers in binary files: little-endian, one list after the other, without padding.

use crate::error::BcwError;

/// A number type of binary files.
pub(crate) trait Number: Copy {
    const BYTES: usize;
    fn put(self, bytes: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! number {
    ($($kind:ty),*) => {$(
        impl Number for $kind {
            const BYTES: usize = size_of::<$kind>();

            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }

            fn get(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().expect("the right number of bytes"))
            }
        }
    )*};
}

number!(u8, u16, u32, u64, f32, f64);

/// Appends numbers to a file that is being written.
pub(crate) fn put_all<N: Number>(bytes: &mut Vec<u8>, numbers: impl IntoIterator<Item = N>) {
    numbers.into_iter().for_each(|number| number.put(bytes));
}

/// A file that is being read.
pub(crate) struct Input<'f> {
    file: &'static str,
    rest: &'f [u8],
}

impl<'f> Input<'f> {
    pub(crate) fn new(file: &'static str, bytes: &'f [u8]) -> Self {
        Self { file, rest: bytes }
    }

    pub(crate) fn damaged(&self, reason: impl Into<String>) -> BcwError {
        BcwError::Damaged { file: self.file.to_owned(), reason: reason.into() }
    }

    /// Reads the next `count` numbers.
    pub(crate) fn numbers<N: Number>(&mut self, count: usize) -> Result<Vec<N>, BcwError> {
        let wanted = count.checked_mul(N::BYTES).filter(|&wanted| wanted <= self.rest.len());
        let Some(wanted) = wanted else { return Err(self.damaged("it ends too early")) };
        let (own, rest) = self.rest.split_at(wanted);
        self.rest = rest;
        Ok(own.chunks_exact(N::BYTES).map(N::get).collect())
    }

    /// Reads the next number as a size.
    pub(crate) fn size(&mut self) -> Result<usize, BcwError> {
        let size = self.numbers::<u64>(1)?[0];
        usize::try_from(size).map_err(|_| self.damaged("it holds an impossible size"))
    }

    /// Reads the ends of `rows` rows. They must not decrease, and the last is the number of
    /// entries.
    pub(crate) fn ends(&mut self, rows: usize, entries: usize) -> Result<Vec<usize>, BcwError> {
        let ends: Vec<usize> = self
            .numbers::<u64>(rows)?
            .into_iter()
            .map(|end| usize::try_from(end).unwrap_or(usize::MAX))
            .collect();
        if !ends.is_sorted() || ends.last().copied().unwrap_or(0) != entries {
            return Err(self.damaged("the ends of its rows are out of order"));
        }
        Ok(ends)
    }

    /// Checks that nothing is left.
    pub(crate) fn finish(self) -> Result<(), BcwError> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(self.damaged(format!("it has {left} bytes too many"))),
        }
    }
}
