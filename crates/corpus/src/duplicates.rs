//! Finds texts that occur in a dataset more than once.
//!
//! Two texts are *equal* if they differ only in white space and case, and *near duplicates* if the
//! sets of their four-character shingles have a Jaccard similarity of at least a threshold. Near
//! duplicates are found by MinHash: 128 hash functions give each text a signature, signatures are
//! divided into bands, and texts that agree on a band are compared exactly. The bands are as long
//! as possible while a pair at the threshold is missed less than once in a thousand cases: four
//! hashes at 0.8, where the probability is (1 − 0.8⁴)³² ≈ 5·10⁻⁸. Time and memory grow with the
//! number of texts, not with its square: among many texts that agree on a band, each is compared
//! with the first one and with the sixteen before it.

use std::collections::BTreeSet;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;

/// Number of hash functions in a signature.
const HASHES: usize = 128;
/// Number of preceding texts in a bucket that a text is compared with.
const NEIGHBOURS: usize = 16;
/// Number of characters in a shingle.
const SHINGLE: usize = 4;

/// A text that repeats an earlier one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duplicate {
    /// The index of the earlier text.
    pub first: usize,
    /// The index of the later text.
    pub second: usize,
    /// Their Jaccard similarity: 1 for equal texts.
    pub similarity: f64,
}

/// Finds pairs of texts with at least the given similarity, sorted by the later and then by the
/// earlier text.
///
/// ```
/// use ontrail_corpus::duplicates::find;
///
/// let texts = ["昨夜临溪县普降暴雨，河水上涨", "主队客场取胜", "昨夜临溪县普降暴雨， 河水上涨"];
/// let found = find(&texts, 0.8);
/// assert_eq!((found[0].first, found[0].second, found[0].similarity), (0, 2, 1.0));
/// ```
#[must_use]
pub fn find<T: AsRef<str>>(texts: &[T], threshold: f64) -> Vec<Duplicate> {
    let shingles: Vec<Vec<u64>> = texts.iter().map(|text| shingles(text.as_ref())).collect();
    let signatures: Vec<Signature> = shingles.iter().map(|set| signature(set)).collect();
    let rows = rows_per_band(threshold);
    let mut candidates: BTreeSet<(usize, usize)> = BTreeSet::new();
    for band in 0..HASHES / rows {
        let key = |text: usize| &signatures[text][band * rows..(band + 1) * rows];
        let mut order: Vec<usize> = (0..texts.len()).filter(|&t| !shingles[t].is_empty()).collect();
        order.sort_by(|&a, &b| key(a).cmp(key(b)).then(a.cmp(&b)));
        for bucket in order.chunk_by(|&a, &b| key(a) == key(b)) {
            for (place, &second) in bucket.iter().enumerate().skip(1) {
                let near = bucket[place.saturating_sub(NEIGHBOURS)..place].iter();
                candidates.extend(near.chain(&bucket[..1]).map(|&first| (second, first)));
            }
        }
    }
    let compare = |(second, first): (usize, usize)| {
        let similarity = jaccard(&shingles[first], &shingles[second]);
        (similarity >= threshold).then_some(Duplicate { first, second, similarity })
    };
    candidates.into_iter().filter_map(compare).collect()
}

/// Returns the length of the longest band that misses a pair at the threshold in less than one of a
/// thousand cases.
fn rows_per_band(threshold: f64) -> usize {
    let missed = |rows: usize| {
        let agree = (0..rows).fold(1.0, |product, _| product * threshold);
        (0..HASHES / rows).fold(1.0, |product: f64, _| product * (1.0 - agree))
    };
    [8, 4, 2].into_iter().find(|&rows| missed(rows) < 1e-3).unwrap_or(1)
}

type Signature = [u32; HASHES];

/// Returns the hashes of a text's distinct shingles, sorted. A text shorter than a shingle counts
/// as one shingle.
fn shingles(text: &str) -> Vec<u64> {
    let characters: Vec<char> =
        text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    let state = FixedState::with_seed(0);
    let width = SHINGLE.min(characters.len());
    let mut hashes: Vec<u64> = match width {
        0 => Vec::new(),
        _ => characters.windows(width).map(|window| state.hash_one(window)).collect(),
    };
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// Returns, for each hash function, the smallest hash of any shingle. The functions are
/// multiply-shift hashes with odd multipliers from a fixed sequence.
fn signature(shingles: &[u64]) -> Signature {
    std::array::from_fn(|function| {
        let multiplier = mix(function as u64) | 1;
        let offset = mix(function as u64 + 1_000);
        let hash = |shingle: &u64| shingle.wrapping_mul(multiplier).wrapping_add(offset) >> 32;
        let smallest = shingles.iter().map(hash).min().unwrap_or_default();
        u32::try_from(smallest).expect("the upper half of 64 bits")
    })
}

/// Returns well-mixed bits from a small number: the finaliser of SplitMix64.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns the Jaccard similarity of two sorted sets: the size of their intersection divided by
/// that of their union.
fn jaccard(a: &[u64], b: &[u64]) -> f64 {
    let common = a.iter().filter(|element| b.binary_search(element).is_ok()).count();
    let all = a.len() + b.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(from: u32, length: u32) -> String {
        (from..from + length).filter_map(|n| char::from_u32(0x4e00 + n * 7 % 20_000)).collect()
    }

    #[test]
    fn near_duplicates_are_found_and_other_texts_are_not() {
        // 200 characters have 197 shingles; shifted by 10, 187 of 207 are common: 0.903.
        let texts = [text(0, 200), text(5_000, 200), text(10, 200)];
        let found = find(&texts, 0.8);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].first, found[0].second), (0, 2));
        assert!((found[0].similarity - 187.0 / 207.0).abs() < 1e-12);
        assert_eq!(find(&texts, 0.95), []);
    }

    #[test]
    fn every_copy_is_found_without_comparing_all_pairs() {
        let texts = vec!["同样的一句话出现很多次"; 500];
        let found = find(&texts, 0.8);
        let copies: BTreeSet<usize> = found.iter().map(|duplicate| duplicate.second).collect();
        assert_eq!(copies.len(), 499);
        assert!(found.len() <= 499 * (NEIGHBOURS + 1));
        assert!(copies.iter().all(|&c| found.iter().any(|d| d.second == c && d.first == 0)));
    }

    #[test]
    fn the_length_of_bands_grows_with_the_threshold() {
        assert_eq!([0.1, 0.3, 0.5, 0.8, 0.95].map(rows_per_band), [1, 1, 2, 4, 8]);
    }

    #[test]
    fn short_and_empty_texts_are_compared_whole() {
        let found = find(&["雨", "雪", "雨", "", ""], 0.8);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].first, found[0].second), (0, 2));
    }

    #[test]
    fn minhash_finds_what_exact_comparison_finds() {
        let texts: Vec<String> = (0..60).map(|n| text(n * 13 % 200, 120)).collect();
        let sets: Vec<_> = texts.iter().map(|text| shingles(text)).collect();
        for threshold in [0.3, 0.5, 0.9] {
            let repeats = |b: &usize| (0..*b).any(|a| jaccard(&sets[a], &sets[*b]) >= threshold);
            let exact: Vec<usize> = (0..texts.len()).filter(repeats).collect();
            let mut found: Vec<usize> = find(&texts, threshold).iter().map(|d| d.second).collect();
            found.dedup();
            assert!(!exact.is_empty());
            assert_eq!(found, exact, "{threshold}");
        }
    }
}
