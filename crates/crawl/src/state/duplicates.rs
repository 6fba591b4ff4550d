//! Pages that were seen before under another URL: the same bytes, nearly the same text, or the
//! canonical URL that a page declares.
//!
//! Two texts are nearly the same if their simhashes differ in at most three of 64 bits (Manku et
//! al. 2007). Then at least one of the four quarters of 16 bits is the same, so it is enough to
//! compare a simhash with those that share a quarter with it.

use serde::{Deserialize, Serialize};

use crate::store::{Store, StoreError, Table};

/// Maximum number of bits in which the simhashes of near duplicates differ.
pub(super) const NEAR_BITS: u32 = 3;
/// Maximum number of simhashes with the same quarter that one is compared with.
pub(super) const MOST_COMPARED: usize = 4_096;

/// A page that was seen before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The URL of the page.
    pub url: String,
    /// The time at which it was fetched.
    pub time: u64,
}

/// Returns the stored page with the same bytes, if there is one; otherwise records this page, if
/// `is_kept`.
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

/// Records that the page at a URL is stored, or that another stored page stands for it.
pub(crate) fn record_page(store: &mut dyn Store, url: &str) {
    store.put(Table::Contents, page_key(url), Vec::new());
}

/// Returns true if the page at a URL was recorded.
pub(crate) fn has_page(store: &dyn Store, url: &str) -> Result<bool, StoreError> {
    Ok(store.get(Table::Contents, &page_key(url))?.is_some())
}

fn page_key(url: &str) -> Vec<u8> {
    let hash = xxhash_rust::xxh3::xxh3_128(url.as_bytes());
    [&b"u"[..], &hash.to_be_bytes()].concat()
}

/// Returns the URL of a page with nearly the same text, if there is one; otherwise records this
/// page.
pub(crate) fn near_text(
    store: &mut dyn Store,
    simhash: u64,
    url: &str,
) -> Result<Option<String>, StoreError> {
    for quarter in 0..4 {
        let prefix = quarter_key(simhash, quarter);
        for (key, url) in store.scan(Table::Contents, &prefix, &prefix, MOST_COMPARED)? {
            let other = key.get(4..12).and_then(|bytes| bytes.try_into().ok());
            let other = u64::from_be_bytes(other.unwrap_or_default());
            if (other ^ simhash).count_ones() <= NEAR_BITS {
                return Ok(Some(String::from_utf8_lossy(&url).into_owned()));
            }
        }
    }
    for quarter in 0..4 {
        let mut key = quarter_key(simhash, quarter);
        key.extend(simhash.to_be_bytes());
        store.put(Table::Contents, key, url.into());
    }
    Ok(None)
}

fn quarter_key(simhash: u64, quarter: u8) -> Vec<u8> {
    let bits = simhash.to_be_bytes();
    let at = usize::from(quarter) * 2;
    vec![b'g', quarter, bits[at], bits[at + 1]]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::MemoryStore;

    #[test]
    fn a_stored_page_with_the_same_bytes_is_found() {
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
        /// A simhash is found if and only if it differs in at most three bits.
        #[test]
        fn near_texts_are_found(simhash: u64, places in prop::collection::btree_set(0_u32..64, 0..7)) {
            let mut store = MemoryStore::default();
            near_text(&mut store, simhash, "http://a.example/").unwrap();
            let other = places.iter().fold(simhash, |simhash, place| simhash ^ (1 << place));
            let found = near_text(&mut store, other, "http://b.example/").unwrap();
            prop_assert_eq!(found.is_some(), places.len() <= 3);
        }
    }
}
