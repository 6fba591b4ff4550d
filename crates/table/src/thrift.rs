//! Walks through a structure in Thrift's compact protocol, the encoding of the metadata of Parquet.
//!
//! Nothing is allocated: the walk tells where the structure ends and what its numbers are.

/// Deepest nesting of structures and lists. Parquet needs eight levels.
const DEEPEST: usize = 32;

/// The reason why a structure cannot be walked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The bytes end within the structure.
    Short,
    /// The structure is invalid.
    Invalid,
}

/// Walks through the structure at the start of `bytes`. Calls `visit` with each integer in it, and
/// the numbers of the fields that lead to it; the elements of a list share one path. Returns the
/// length of the structure.
pub(crate) fn walk(bytes: &[u8], visit: &mut dyn FnMut(&[i16], i64)) -> Result<usize, Broken> {
    let mut walk = Walk { bytes, offset: 0, path: Vec::new(), depth: 0, visit };
    walk.structure()?;
    Ok(walk.offset)
}

struct Walk<'a> {
    bytes: &'a [u8],
    offset: usize,
    path: Vec<i16>,
    depth: usize,
    visit: &'a mut dyn FnMut(&[i16], i64),
}

impl Walk<'_> {
    fn structure(&mut self) -> Result<(), Broken> {
        let mut last = 0_i16;
        loop {
            let header = self.byte()?;
            if header == 0 {
                return Ok(());
            }
            let number = match header >> 4 {
                0 => i16::try_from(self.integer()?).map_err(|_| Broken::Invalid)?,
                delta => last.saturating_add(i16::from(delta)),
            };
            last = number;
            self.path.push(number);
            // In a field, a Boolean is part of the type.
            if !matches!(header & 15, 1 | 2) {
                self.value(header & 15)?;
            }
            self.path.pop();
        }
    }

    fn value(&mut self, kind: u8) -> Result<(), Broken> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Broken::Invalid);
        }
        match kind {
            1..=3 => drop(self.byte()?),
            4..=6 => {
                let number = self.integer()?;
                (self.visit)(&self.path, number);
            }
            7 => self.skip(8)?,
            8 => {
                let length = self.length()?;
                self.skip(length)?;
            }
            9 | 10 => self.list()?,
            11 => self.map()?,
            12 => self.structure()?,
            13 => self.skip(16)?,
            _ => return Err(Broken::Invalid),
        }
        self.depth -= 1;
        Ok(())
    }

    fn list(&mut self) -> Result<(), Broken> {
        let header = self.byte()?;
        let count = match header >> 4 {
            15 => self.length()?,
            count => usize::from(count),
        };
        // Each element takes a byte at least, so a longer list does not fit into the file.
        if count > self.bytes.len() - self.offset {
            return Err(Broken::Short);
        }
        (0..count).try_for_each(|_| self.value(header & 15))
    }

    fn map(&mut self) -> Result<(), Broken> {
        let count = self.length()?;
        if count == 0 {
            return Ok(());
        }
        let kinds = self.byte()?;
        if count > self.bytes.len() - self.offset {
            return Err(Broken::Short);
        }
        (0..count).try_for_each(|_| {
            self.value(kinds >> 4)?;
            self.value(kinds & 15)
        })
    }

    fn byte(&mut self) -> Result<u8, Broken> {
        let byte = *self.bytes.get(self.offset).ok_or(Broken::Short)?;
        self.offset += 1;
        Ok(byte)
    }

    fn skip(&mut self, count: usize) -> Result<(), Broken> {
        if count > self.bytes.len() - self.offset {
            return Err(Broken::Short);
        }
        self.offset += count;
        Ok(())
    }

    /// Reads an unsigned number of up to ten bytes with seven bits each.
    fn unsigned(&mut self) -> Result<u64, Broken> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        Err(Broken::Invalid)
    }

    fn length(&mut self) -> Result<usize, Broken> {
        usize::try_from(self.unsigned()?).map_err(|_| Broken::Invalid)
    }

    /// Reads a signed number, whose sign is its lowest bit.
    fn integer(&mut self) -> Result<i64, Broken> {
        let number = self.unsigned()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Numbers = Vec<(Vec<i16>, i64)>;

    fn numbers(bytes: &[u8]) -> Result<(usize, Numbers), Broken> {
        let mut found = Vec::new();
        let length = walk(bytes, &mut |path, number| found.push((path.to_vec(), number)))?;
        Ok((length, found))
    }

    #[test]
    fn integers_are_found_with_the_fields_that_lead_to_them() {
        // 1: i32 -3; 3: true; 4: "ab"; 20: list of two structures with 1: i64 150.
        let bytes = [
            0x15, 5, 0x21, 0x18, 2, b'a', b'b', 0x09, 40, 0x2c, 0x16, 0xac, 2, 0, 0x16, 0xac, 2, 0,
            0, 99,
        ];
        let expected = vec![(vec![1], -3), (vec![20, 1], 150), (vec![20, 1], 150)];
        assert_eq!(numbers(&bytes), Ok((19, expected)));
        for length in 0..19 {
            assert_eq!(numbers(&bytes[..length]), Err(Broken::Short), "{length}");
        }
    }

    #[test]
    fn lengths_beyond_the_file_and_deep_nesting_are_refused() {
        let list = [0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 7, 0];
        assert_eq!(numbers(&list), Err(Broken::Short));
        let text = [0x18, 0xff, 0xff, 0xff, 0xff, 7, 0];
        assert_eq!(numbers(&text), Err(Broken::Short));
        assert_eq!(numbers(&[0x1c; 1_000]), Err(Broken::Invalid));
        assert_eq!(numbers(&[0x1e, 0]), Err(Broken::Invalid));
    }
}
