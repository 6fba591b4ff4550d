//! Splits a dataset into parts.
//!
//! A split is *stratified*: each part gets its share of every class, to within one document, and of
//! the whole. It depends on the random seed alone: the same labels, shares and seed give the same
//! parts on every machine. Each class has its own random number generator, so that a class added
//! later moves only a few documents of the other classes, at the boundaries of parts.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// Assigns each document, given by its label, to a part, and returns the index of each document's
/// part in `shares`.
///
/// ```
/// use ontrail_corpus::split::stratified;
///
/// let labels = ["a"; 8].into_iter().chain(["b"; 4]).map(Some);
/// let parts = stratified(labels, &[0.75, 0.25], 42);
/// assert_eq!(parts[..8].iter().filter(|&&part| part == 1).count(), 2);
/// assert_eq!(parts[8..].iter().filter(|&&part| part == 1).count(), 1);
/// ```
#[must_use]
pub fn stratified<'a>(
    labels: impl IntoIterator<Item = Option<&'a str>>,
    shares: &[f64],
    seed: u64,
) -> Vec<usize> {
    let mut classes: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    let mut documents = 0;
    for (index, label) in labels.into_iter().enumerate() {
        classes.entry(label).or_default().push(index);
        documents += 1;
    }
    let mut parts = vec![0; documents];
    let mut carry = vec![0.0; shares.len()];
    for (label, mut members) in classes {
        members.shuffle(&mut generator(seed, label));
        let mut members = members.into_iter();
        for (part, size) in sizes(members.len(), shares, &mut carry).into_iter().enumerate() {
            for index in members.by_ref().take(size) {
                parts[index] = part;
            }
        }
    }
    parts
}

/// Checks that there is at least one share, that each is between 0 and 1, and that they add up to
/// 1.
pub fn check_shares(shares: &BTreeMap<String, f64>) -> Result<(), String> {
    if shares.is_empty() {
        return Err("no parts are given".to_owned());
    }
    if let Some((name, share)) = shares.iter().find(|(_, share)| !(0.0..=1.0).contains(*share)) {
        return Err(format!("the share of `{name}` is {share}; it must be between 0 and 1"));
    }
    let sum: f64 = shares.values().sum();
    if (sum - 1.0).abs() > 1e-6 {
        // Rounded, so that a sum of tenths is shown as 0.9 and not as 0.8999999999999999.
        let rounded = (sum * 1e6).round() / 1e6;
        return Err(format!("the shares add up to {rounded}; they must add up to 1"));
    }
    Ok(())
}

/// Returns the number of a class's documents that each part gets: its share plus the remainder of
/// earlier classes (`carry`, which is updated), rounded so that no document is lost. The carry lets
/// many small classes together come close to the shares, although none of them can alone.
fn sizes(total: usize, shares: &[f64], carry: &mut [f64]) -> Vec<usize> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped at zero")]
    let floor = |exact: f64| (exact + 1e-9).floor().max(0.0) as usize;
    let due: Vec<f64> = shares
        .iter()
        .zip(carry.iter())
        .map(|(share, carry)| share * total as f64 + carry)
        .collect();
    let mut sizes: Vec<usize> = due.iter().map(|&due| floor(due)).collect();
    // The part that is furthest behind gets the next document; of equal ones, the earlier part.
    let behind = |sizes: &[usize], part: usize| due[part] - sizes[part] as f64;
    while sizes.iter().sum::<usize>() < total {
        let most =
            |a: &usize, b: &usize| behind(&sizes, *a).total_cmp(&behind(&sizes, *b)).then(b.cmp(a));
        let Some(part) = (0..shares.len()).max_by(most) else { break };
        sizes[part] += 1;
    }
    while sizes.iter().sum::<usize>() > total {
        let least = |a: &usize, b: &usize| behind(&sizes, *a).total_cmp(&behind(&sizes, *b));
        let Some(part) = (0..shares.len()).filter(|&p| sizes[p] > 0).min_by(least) else { break };
        sizes[part] -= 1;
    }
    for (part, carry) in carry.iter_mut().enumerate() {
        *carry = due[part] - sizes[part] as f64;
    }
    sizes
}

fn generator(seed: u64, label: Option<&str>) -> ChaCha8Rng {
    let mut hasher = Sha256::new_with_prefix(seed.to_le_bytes());
    hasher.update([u8::from(label.is_some())]);
    hasher.update(label.unwrap_or_default());
    ChaCha8Rng::from_seed(hasher.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_add_up_and_follow_the_shares() {
        let sizes = |total, shares: &[f64]| sizes(total, shares, &mut vec![0.0; shares.len()]);
        assert_eq!(sizes(10, &[0.8, 0.2]), [8, 2]);
        assert_eq!(sizes(54, &[0.8, 0.2]), [43, 11]);
        assert_eq!(sizes(1, &[0.5, 0.5]), [1, 0]);
        assert_eq!(sizes(0, &[0.5, 0.5]), [0, 0]);
        assert_eq!(sizes(10, &[0.7, 0.1, 0.2]), [7, 1, 2]);
        assert_eq!(sizes(50, &[0.58, 0.21, 0.21]), [29, 11, 10]);
        assert_eq!(sizes(100, &[0.29, 0.355, 0.355]), [29, 36, 35]);
    }

    #[test]
    fn small_classes_together_follow_the_shares() {
        let names: Vec<String> = (0..100).map(|n| format!("class {n:03}")).collect();
        let labels = || names.iter().flat_map(|name| [Some(name.as_str()); 2]);
        let count = |parts: &[usize], part| parts.iter().filter(|&&p| p == part).count();
        let parts = stratified(labels(), &[0.8, 0.2], 1);
        assert_eq!((count(&parts, 0), count(&parts, 1)), (160, 40));
        let parts = stratified(labels(), &[0.7, 0.1, 0.2], 1);
        assert_eq!([0, 1, 2].map(|part| count(&parts, part)), [140, 20, 40]);
    }

    #[test]
    fn the_split_depends_on_the_seed_alone() {
        let labels: Vec<_> = (0..60).map(|n| Some(if n % 3 == 0 { "a" } else { "b" })).collect();
        let split = |seed| stratified(labels.clone(), &[0.8, 0.2], seed);
        assert_eq!(split(1), split(1));
        assert_ne!(split(1), split(2));
        let with_more: Vec<_> = labels.iter().copied().chain([Some("c"); 9]).collect();
        assert_eq!(stratified(with_more, &[0.8, 0.2], 1)[..60], split(1));
    }

    #[test]
    fn a_known_split_never_changes() {
        // Another random number generator would silently change every published number.
        let labels = [Some("a"); 10];
        assert_eq!(stratified(labels, &[0.5, 0.5], 42), [0, 0, 1, 0, 1, 0, 1, 0, 1, 1]);
    }

    #[test]
    fn bad_shares_are_refused() {
        let check = |shares: &[(&str, f64)]| {
            check_shares(&shares.iter().map(|&(name, share)| (name.to_owned(), share)).collect())
        };
        assert_eq!(check(&[("train", 0.8), ("test", 0.2)]), Ok(()));
        assert_eq!(check(&[("a", 0.1); 0]), Err("no parts are given".to_owned()));
        assert!(check(&[("a", 1.5)]).unwrap_err().contains("`a` is 1.5"));
        assert!(check(&[("a", f64::NAN)]).is_err());
        assert!(check(&[("a", 0.5), ("b", 0.4)]).unwrap_err().contains("0.9"));
    }
}
