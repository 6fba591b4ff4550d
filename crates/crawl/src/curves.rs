//! The measures of a crawl after each page, for charts.

use std::collections::VecDeque;

use ontrail_pilot::Score;

use crate::metrics::{Judged, Tally};
use crate::output::LogRow;

/// Number of pages over which the recent harvest rate is computed.
const WINDOW: usize = 500;

/// Greatest number of points of a curve. Charts show fewer; of a longer crawl, the points after
/// some pages are left out.
const MOST_POINTS: usize = 1 << 15;

/// The measures of a crawl as points (number of pages, value). A crawl of up to some thousand pages
/// has a point after each page.
#[derive(Debug, Clone, Default)]
pub struct Curves {
    /// LP or RP: the number of relevant pages.
    pub relevant: Vec<(f64, f64)>,
    /// AC: the harvest rate.
    pub accuracy: Vec<(f64, f64)>,
    /// The harvest rate of the last five hundred pages.
    pub window: Vec<(f64, f64)>,
    /// AR: the mean relevance.
    pub average: Vec<(f64, f64)>,
    /// SD: the standard deviation of the relevance.
    pub deviation: Vec<(f64, f64)>,
}

impl Curves {
    fn all(&mut self) -> [&mut Vec<(f64, f64)>; 5] {
        let Self { relevant, accuracy, window, average, deviation } = self;
        [relevant, accuracy, window, average, deviation]
    }
}

/// Computes curves from the pages of a crawl, one after the other, in bounded memory.
#[derive(Debug)]
pub struct CurvesBuilder {
    judge: fn(&LogRow) -> Option<Judged>,
    tally: Tally,
    /// The pages over which the recent harvest rate is computed: true if relevant.
    recent: VecDeque<bool>,
    /// The number of relevant pages among them.
    recently_relevant: usize,
    curves: Curves,
    /// The curves have a point after the first page and after every `stride` pages from there.
    stride: u64,
    /// The values after the last page.
    last: [f64; 5],
}

impl CurvesBuilder {
    /// Starts self-reported curves.
    #[must_use]
    pub fn by_itself() -> Self {
        Self::new(|row| {
            let relevance = row.relevance?;
            let is_relevant = row.relevant?;
            let priority = row.score(Score::Priority);
            Some(Judged { is_relevant, relevance, similarity: relevance, priority })
        })
    }

    /// Starts curves by the ground truth.
    #[must_use]
    pub fn by_labels() -> Self {
        Self::new(|row| {
            let is_relevant = row.truly_relevant?;
            let relevance = f64::from(u8::from(is_relevant));
            Some(Judged { is_relevant, relevance, similarity: relevance, priority: None })
        })
    }

    fn new(judge: fn(&LogRow) -> Option<Judged>) -> Self {
        Self {
            judge,
            tally: Tally::default(),
            recent: VecDeque::with_capacity(WINDOW),
            recently_relevant: 0,
            curves: Curves::default(),
            stride: 1,
            last: [0.0; 5],
        }
    }

    /// Adds a page, unless it was not judged.
    pub fn add(&mut self, page: &LogRow) {
        let Some(judged) = (self.judge)(page) else { return };
        self.tally.add(judged);
        if self.recent.len() == WINDOW {
            self.recently_relevant -= usize::from(self.recent.pop_front().unwrap_or(false));
        }
        self.recent.push_back(judged.is_relevant);
        self.recently_relevant += usize::from(judged.is_relevant);
        let tally = &self.tally;
        self.last = [
            tally.relevant as f64,
            tally.accuracy(),
            self.recently_relevant as f64 / self.recent.len() as f64,
            tally.average_relevance(),
            tally.deviation(),
        ];
        if (tally.pages - 1).is_multiple_of(self.stride) {
            self.push();
            if self.curves.relevant.len() == MOST_POINTS {
                self.halve();
            }
        }
    }

    /// Returns the curves. Their last point is after the last page.
    #[must_use]
    pub fn finish(mut self) -> Curves {
        let end = self.curves.relevant.last().map(|point| point.0);
        if end.is_some_and(|end| end < self.tally.pages as f64) {
            self.push();
        }
        self.curves
    }

    fn push(&mut self) {
        let x = self.tally.pages as f64;
        let values = self.last;
        self.curves.all().into_iter().zip(values).for_each(|(curve, y)| curve.push((x, y)));
    }

    /// Drops every second point.
    fn halve(&mut self) {
        for curve in self.curves.all() {
            let mut place = 0;
            curve.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
        self.stride *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: u64) -> LogRow {
        let relevance = (number % 10) as f64 / 10.0;
        let (relevance, relevant) = (Some(relevance), Some(relevance > 0.45));
        LogRow { number, relevance, relevant, ..LogRow::default() }
    }

    fn curves(pages: u64) -> Curves {
        let mut curves = CurvesBuilder::by_itself();
        (1..=pages).for_each(|number| curves.add(&page(number)));
        curves.finish()
    }

    #[test]
    fn a_short_crawl_has_a_point_after_each_page() {
        let curves = curves(1_000);
        assert_eq!(curves.relevant.len(), 1_000);
        assert_eq!(curves.relevant[999], (1_000.0, 500.0));
        assert_eq!(curves.window[999], (1_000.0, 0.5));
        // Pages 1 to 7: .1, .2, .3, .4, .5, .6, .7.
        assert_eq!(curves.accuracy[6], (7.0, 3.0 / 7.0));
        assert!((curves.average[6].1 - 0.4).abs() < 1e-12);
    }

    #[test]
    fn a_long_crawl_has_a_bounded_number_of_points_and_keeps_the_ends() {
        let curves = curves(200_001);
        for curve in [&curves.relevant, &curves.window, &curves.deviation] {
            assert!((MOST_POINTS / 2..=MOST_POINTS).contains(&curve.len()), "{}", curve.len());
            assert!(curve.is_sorted_by(|a, b| a.0 < b.0));
            assert_eq!((curve[0].0, curve[curve.len() - 1].0), (1.0, 200_001.0));
        }
        assert_eq!(curves.relevant.last(), Some(&(200_001.0, 100_000.0)));
    }
}
