//! A threshold of relevance that does not suit the pages of a crawl, in words.

use ontrail_cli::{count, decimal};
use ontrail_crawl::Summary;

/// Returns a remark on a threshold that nearly all pages pass, or hardly any, with the threshold
/// that would separate the pages better.
pub(crate) fn message(summary: &Summary) -> Option<String> {
    let (odd, own) = summary.odd_threshold.zip(summary.own)?;
    let (relevant, pages) = (count(own.relevant), count(summary.downloaded));
    let threshold = decimal(odd.threshold);
    Some(match (odd.passes_nearly_all, odd.better.map(decimal)) {
        (true, Some(better)) => format!(
            "{relevant} of {pages} pages pass the threshold {threshold}, so it hardly filters; by \
             their scores, --threshold {better} would separate relevant pages from others"
        ),
        (true, None) => format!(
            "{relevant} of {pages} pages pass the threshold {threshold}, so it hardly filters; their \
             scores show no threshold that separates them better"
        ),
        (false, Some(better)) => format!(
            "{relevant} of {pages} pages pass the threshold {threshold}, so nearly all are filtered \
             out; by their scores, --threshold {better} would separate relevant pages from others"
        ),
        (false, None) => format!(
            "{relevant} of {pages} pages pass the threshold {threshold}, so nearly all are filtered \
             out; their scores show no threshold that separates them better"
        ),
    })
}
