//! The measures of a crawl after each page, for charts.

use ontrail_pilot::Score;

use crate::metrics::{Judged, Tally};
use crate::output::LogRow;

/// Number of pages over which the recent harvest rate is computed.
const WINDOW: usize = 500;

/// The measures of a crawl as points (number of pages, value), one point after each page.
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
    /// Computes self-reported curves; empty if the crawl had no topic.
    #[must_use]
    pub fn by_itself(pages: &[&LogRow]) -> Self {
        Self::of(pages, |row| {
            let relevance = row.relevance?;
            let is_relevant = row.relevant?;
            let priority = row.score(Score::Priority);
            Some(Judged { is_relevant, relevance, similarity: relevance, priority })
        })
    }

    /// Computes curves by the ground truth; empty if there was none.
    #[must_use]
    pub fn by_labels(pages: &[&LogRow]) -> Self {
        Self::of(pages, |row| {
            let is_relevant = row.truly_relevant?;
            let relevance = f64::from(u8::from(is_relevant));
            Some(Judged { is_relevant, relevance, similarity: relevance, priority: None })
        })
    }

    fn of(pages: &[&LogRow], judge: impl Fn(&LogRow) -> Option<Judged>) -> Self {
        let (mut curves, mut tally) = (Self::default(), Tally::default());
        let judged: Vec<Judged> = pages.iter().filter_map(|row| judge(row)).collect();
        let mut recent = 0_usize;
        for (place, page) in judged.iter().enumerate() {
            tally.add(*page);
            recent += usize::from(page.is_relevant);
            if let Some(gone) = place.checked_sub(WINDOW) {
                recent -= usize::from(judged[gone].is_relevant);
            }
            let x = tally.pages as f64;
            curves.relevant.push((x, tally.relevant as f64));
            curves.accuracy.push((x, tally.accuracy()));
            curves.window.push((x, recent as f64 / (place + 1).min(WINDOW) as f64));
            curves.average.push((x, tally.average_relevance()));
            curves.deviation.push((x, tally.deviation()));
        }
        curves
    }
}
