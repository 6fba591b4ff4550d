//! Pages that were seen before under another address: the same bytes, or nearly the same text.
//!
//! Nearly the same means that the gists differ in at most three of 64 bits (Manku et al. 2007). Then at least
//! one of four quarters of 16 bits is the same, so it is enough to compare with those that share a quarter.

use serde::{Deserialize, Serialize};

use crate::store::{Store, StoreError, Table};

/// In how many bits gists of nearly the same text differ at most.
const NEAR_BITS: u32 = 3;
/// With how many gists of the same quarter one is compared.
const MOST_COMPARED: usize = 4_096;

/// A page that was seen before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Its address.
    pub url: String,
    /// When it was fetched.
    pub time: u64,
}

/// The stored page with the same bytes, if there is one. Otherwise this one is noted, if it is to be stored.
pub(crate) fn same_bytes(
    store: &mut dyn Store,
    digest: &str,
    page: &Seen,
    is_kept: bool,
) -> Result<Option<Seen>, StoreError> {
    let key = [b"b", digest.as_bytes()].concat();
    if let Some(found) = store.get(Table::Contents, &key)? {
        return Ok(Some(postcard::from_bytes(&found)?));
    }
    if is_kept {
        store.put(Table::Contents, key, postcard::to_stdvec(page)?);
    }
    Ok(None)
}

/// The address of a page with nearly the same text, if there is one. Otherwise this one is noted.
pub(crate) fn near_text(
    store: &mut dyn Store,
    gist: u64,
    url: &str,
) -> Result<Option<String>, StoreError> {
    for quarter in 0..4 {
        let prefix = quarter_key(gist, quarter);
        for (key, url) in store.scan(Table::Contents, &prefix, &prefix, MOST_COMPARED)? {
            let other = key.get(4..12).and_then(|bytes| bytes.try_into().ok());
            let other = u64::from_be_bytes(other.unwrap_or_default());
            if (other ^ gist).count_ones() <= NEAR_BITS {
                return Ok(Some(String::from_utf8_lossy(&url).into_owned()));
            }
        }
    }
    for quarter in 0..4 {
        let mut key = quarter_key(gist, quarter);
        key.extend(gist.to_be_bytes());
        store.put(Table::Contents, key, url.into());
    }
    Ok(None)
}

fn quarter_key(gist: u64, quarter: u8) -> Vec<u8> {
    let bits = gist.to_be_bytes();
    let at = usize::from(quarter) * 2;
    vec![b'g', quarter, bits[at], bits[at + 1]]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::MemoryStore;

    #[test]
    fn the_same_bytes_are_found() {
        let mut store = MemoryStore::default();
        let first = Seen { url: "http://a.example/".into(), time: 1 };
        let second = Seen { url: "http://b.example/".into(), time: 2 };
        let mut ask =
            |digest, page, is_kept| same_bytes(&mut store, digest, page, is_kept).unwrap();
        assert_eq!(ask("sha1:X", &second, false), None);
        assert_eq!(ask("sha1:X", &first, true), None);
        assert_eq!(ask("sha1:Y", &second, true), None);
        assert_eq!(ask("sha1:X", &second, true), Some(first));
    }

    proptest! {
        /// Gists are found if and only if they differ in at most three bits.
        #[test]
        fn near_texts_are_found(gist: u64, places in prop::collection::btree_set(0_u32..64, 0..7)) {
            let mut store = MemoryStore::default();
            near_text(&mut store, gist, "http://a.example/").unwrap();
            let other = places.iter().fold(gist, |gist, place| gist ^ (1 << place));
            let found = near_text(&mut store, other, "http://b.example/").unwrap();
            prop_assert_eq!(found.is_some(), places.len() <= 3);
        }
    }
}
