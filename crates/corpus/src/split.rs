//! Cutting a dataset into parts.
//!
//! A split is *stratified*: each part gets its share of every class, to the nearest whole document.
//! It is chosen by a seed alone: the same labels, shares and seed give the same parts on every
//! machine. Each class is shuffled by a generator of its own, so that a class added later leaves
//! the others where they were.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// Assigns each document, given by its label, to one of the parts; returns the parts' numbers in
/// the order of `shares`.
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
    for (label, mut members) in classes {
        members.shuffle(&mut generator(seed, label));
        let mut members = members.into_iter();
        for (part, size) in sizes(members.len(), shares).into_iter().enumerate() {
            for index in members.by_ref().take(size) {
                parts[index] = part;
            }
        }
    }
    parts
}

/// Whether shares are usable: at least one, none negative, together 1.
pub fn check_shares(shares: &BTreeMap<String, f64>) -> Result<(), String> {
    if shares.is_empty() {
        return Err("there are no parts".to_owned());
    }
    if let Some((name, share)) = shares.iter().find(|(_, share)| !(0.0..=1.0).contains(*share)) {
        return Err(format!("the share of `{name}` is {share}, not between 0 and 1"));
    }
    let sum: f64 = shares.values().sum();
    if (sum - 1.0).abs() > 1e-6 {
        // Rounded, so that sums of tenths read as people write them.
        return Err(format!("the shares add up to {}, not to 1", (sum * 1e6).round() / 1e6));
    }
    Ok(())
}

/// How many of `total` documents each part gets: the whole part of its share, and then one more for
/// the largest remainders until none is left; ties go to the earlier part.
fn sizes(total: usize, shares: &[f64]) -> Vec<usize> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "shares are in [0, 1]"
    )]
    let floor = |exact: f64| (exact + 1e-9).floor() as usize;
    let exact: Vec<f64> = shares.iter().map(|share| share * total as f64).collect();
    let mut sizes: Vec<usize> = exact.iter().map(|&exact| floor(exact)).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    let remainder = |part: usize| exact[part] - exact[part].floor();
    order.sort_by(|&a, &b| remainder(b).total_cmp(&remainder(a)).then(a.cmp(&b)));
    let left = total.saturating_sub(sizes.iter().sum());
    for &part in order.iter().cycle().take(if order.is_empty() { 0 } else { left }) {
        sizes[part] += 1;
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
        assert_eq!(sizes(10, &[0.8, 0.2]), [8, 2]);
        assert_eq!(sizes(54, &[0.8, 0.2]), [43, 11]);
        assert_eq!(sizes(1, &[0.5, 0.5]), [1, 0]);
        assert_eq!(sizes(0, &[0.5, 0.5]), [0, 0]);
        assert_eq!(sizes(10, &[0.7, 0.1, 0.2]), [7, 1, 2]);
    }

    #[test]
    fn the_seed_decides_and_nothing_else() {
        let labels: Vec<_> = (0..60).map(|n| Some(if n % 3 == 0 { "a" } else { "b" })).collect();
        let split = |seed| stratified(labels.clone(), &[0.8, 0.2], seed);
        assert_eq!(split(1), split(1));
        assert_ne!(split(1), split(2));
        let with_more: Vec<_> = labels.iter().copied().chain([Some("c"); 9]).collect();
        assert_eq!(stratified(with_more, &[0.8, 0.2], 1)[..60], split(1));
    }

    #[test]
    fn a_known_split_stays_as_it_is() {
        // A regression pin: changing the generator would silently change every published figure.
        let labels = [Some("a"); 10];
        assert_eq!(stratified(labels, &[0.5, 0.5], 42), [0, 0, 1, 0, 1, 0, 1, 0, 1, 1]);
    }

    #[test]
    fn bad_shares_are_refused() {
        let check = |shares: &[(&str, f64)]| {
            check_shares(&shares.iter().map(|&(name, share)| (name.to_owned(), share)).collect())
        };
        assert_eq!(check(&[("train", 0.8), ("test", 0.2)]), Ok(()));
        assert_eq!(check(&[("a", 0.1); 0]), Err("there are no parts".to_owned()));
        assert!(check(&[("a", 1.5)]).unwrap_err().contains("`a` is 1.5"));
        assert!(check(&[("a", f64::NAN)]).is_err());
        assert!(check(&[("a", 0.5), ("b", 0.4)]).unwrap_err().contains("0.9"));
    }
}
