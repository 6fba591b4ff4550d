//! Correlation of two series of numbers.

/// Returns Pearson's correlation, or `None` if one of the series is constant.
pub(crate) fn pearson(a: &[f64], b: &[f64]) -> Option<f64> {
    let varies = |row: &[f64]| row.iter().any(|value| value.total_cmp(&row[0]).is_ne());
    if !(varies(a) && varies(b)) {
        return None;
    }
    let count = a.len() as f64;
    let mean = |row: &[f64]| row.iter().sum::<f64>() / count;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let (mut both, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (x - mean_a, y - mean_b);
        both += x * y;
        of_a += x * x;
        of_b += y * y;
    }
    let value = both / of_a.sqrt() / of_b.sqrt();
    value.is_finite().then(|| value.clamp(-1.0, 1.0))
}

/// Returns Spearman's correlation, which compares ranks; ties get the mean of their ranks.
pub(crate) fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    pearson(&ranks(a), &ranks(b))
}

fn ranks(row: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..row.len()).collect();
    order.sort_by(|&x, &y| row[x].total_cmp(&row[y]));
    let mut ranks = vec![0.0; row.len()];
    let mut start = 0;
    for tied in order.chunk_by(|&x, &y| row[x].total_cmp(&row[y]).is_eq()) {
        let mean = start as f64 + f64::midpoint(tied.len() as f64, 1.0);
        tied.iter().for_each(|&place| ranks[place] = mean);
        start += tied.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values are from `pearsonr` and `spearmanr` of `SciPy`.
    #[test]
    fn correlations_with_ties() {
        let a = [1.0, 2.0, 2.0, 3.0, 5.0];
        let b = [2.0, 1.0, 4.0, 4.0, 9.0];
        assert!((pearson(&a, &b).unwrap() - 0.909_207_918_411_186).abs() < 1e-12);
        assert!((spearman(&a, &b).unwrap() - 0.763_157_894_736_842_1).abs() < 1e-12);
    }

    #[test]
    fn constant_series_have_no_correlation() {
        assert_eq!(pearson(&[1.0, 1.0], &[1.0, 2.0]), None);
        assert_eq!(pearson(&[0.1; 3], &[1.0, 2.0, 3.0]), None);
        assert_eq!(spearman(&[], &[]), None);
        assert_eq!(pearson(&[1.0], &[1.0]), None);
    }
}
