//! The lessons of crawls: what counts for and against links, and thresholds that do not suit.

use ontrail_cli::{count, decimal};
use ontrail_crawl::Summary;
use ontrail_pilot::{Cause, Strongest};
use ontrail_report::{Part, Table};

use super::words::{Lang, Words};

/// Greatest number of features of each kind on each side.
const MOST: usize = 5;

/// Returns what a crawl has learned about links, and a remark on its threshold if that does not
/// suit the pages.
pub(super) fn parts(name: &str, summary: &Summary, lang: Lang) -> Vec<Part> {
    let words = lang.words();
    let remark = remark(name, summary, words).map(Part::Note);
    remark.into_iter().chain(table(name, summary, lang).map(Part::Table)).collect()
}

fn table(name: &str, summary: &Summary, lang: Lang) -> Option<Table> {
    let words = lang.words();
    let learned = summary.learned.as_ref().filter(|it| !it.strongest.is_empty())?;
    let listed =
        |all: &[&Strongest]| all.iter().map(|it| it.shown()).collect::<Vec<_>>().join(", ");
    let rows = learned
        .by_cause(MOST)
        .into_iter()
        .map(|it| [cause(it.cause, lang).to_owned(), listed(&it.good), listed(&it.bad)]);
    let title = words.learned.replace("%c", name).replace("%n", &count(learned.pages));
    Some(Table::new(title, words.learned_heads, rows))
}

/// Returns a remark on a threshold that nearly all pages pass, or hardly any.
fn remark(name: &str, summary: &Summary, words: &Words) -> Option<String> {
    let (odd, own) = summary.odd_threshold.zip(summary.own)?;
    let better = odd.better.map(|it| words.better_threshold.replace("%b", &decimal(it)));
    let remark = words
        .odd_threshold
        .replace("%c", name)
        .replace("%n", &count(own.relevant))
        .replace("%m", &count(summary.downloaded))
        .replace("%t", &decimal(odd.threshold));
    Some(remark + better.as_deref().unwrap_or(words.no_better_threshold))
}

fn cause(cause: Cause, lang: Lang) -> &'static str {
    match (cause, lang) {
        (Cause::AnchorWord, Lang::En) => "words of anchor texts",
        (Cause::AnchorWord, Lang::Zh) => "锚文本中的词",
        (Cause::ContextWord, Lang::En) => "words near links",
        (Cause::ContextWord, Lang::Zh) => "链接附近的词",
        (Cause::UrlWord, Lang::En) => "parts of URLs",
        (Cause::UrlWord, Lang::Zh) => "网址的组成部分",
        (Cause::Place, Lang::En) => "places on pages",
        (Cause::Place, Lang::Zh) => "页面中的位置",
        (Cause::HostRate, Lang::En) => "hosts",
        (Cause::HostRate, Lang::Zh) => "主机",
        (Cause::DirectoryRate, Lang::En) => "directories",
        (Cause::DirectoryRate, Lang::Zh) => "目录",
        (_, Lang::En) => "other",
        (_, Lang::Zh) => "其他",
    }
}
