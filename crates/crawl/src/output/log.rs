//! The tables of a crawl: the log, with one row per fetch, and the links, with one row per link
//! found.

use std::path::Path;

use ontrail_pilot::{Rule, Score, Verdict, Why};
use ontrail_table::Batch;
use polars::prelude::{
    Column, DataFrame, DataType, ParquetCompression, ParquetWriter, PolarsError, TimeUnit,
};
use serde::{Deserialize, Serialize};

use super::OutputError;
use super::journal::Row;
use super::rows::{Rows, table, write_parts};
use crate::outcome::{FetchKind, Outcome};

/// A row of the log: one fetch, or one link that was chosen but not fetched.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogRow {
    /// The number of the row, from 1, in the order in which fetches ended.
    pub number: u64,
    /// The time at which the fetch began, or failed, in milliseconds since 1970; none offline,
    /// where no time passes.
    pub time: Option<u64>,
    /// The kind of resource that was fetched.
    pub kind: FetchKind,
    /// The outcome of the fetch.
    pub outcome: Outcome,
    /// Details of an error or a special case.
    pub detail: Option<String>,
    /// The URL that was requested first.
    pub url: String,
    /// The URL that responded, after redirects; for a redirect, its target.
    pub final_url: String,
    /// The status code, if there was a response.
    pub status: Option<u16>,
    /// The size of the body as received, in bytes.
    pub bytes: u64,
    /// The duration of the fetch, in milliseconds.
    pub milliseconds: u64,
    /// The IP address of the server.
    pub address: Option<String>,
    /// The media type.
    pub mime: Option<String>,
    /// The charset in which the page was decoded.
    pub charset: Option<String>,
    /// The language of the page.
    pub language: Option<String>,
    /// The title of the page.
    pub title: Option<String>,
    /// Distance from a seed, in links.
    pub depth: u32,
    /// The page on which the link was found.
    pub parent: Option<String>,
    /// The anchor text of the link.
    pub anchor: String,
    /// The scores that the choice of the link was based on.
    pub scores: Vec<(Score, f64)>,
    /// The rule that picked the link.
    pub rule: Option<Rule>,
    /// The reasons for the choice, if the recipe learns from links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Box<Why>>,
    /// R(p), the relevance of the page.
    pub relevance: Option<f64>,
    /// P(relevant), if the crawl is calibrated.
    pub probability: Option<f64>,
    /// True if the crawler considers the page relevant.
    pub relevant: Option<bool>,
    /// The class that the classifier predicts.
    pub class: Option<String>,
    /// The probability of that class.
    pub class_probability: Option<f64>,
    /// The page's label in the ground truth, if it has one.
    pub label: Option<String>,
    /// True if the page is relevant by the ground truth; none if there is no ground truth.
    pub truly_relevant: Option<bool>,
    /// The canonical URL that the page declares.
    pub canonical: Option<String>,
    /// The URL of a page with the same bytes, or of the canonical page if it was fetched before.
    pub duplicate_of: Option<String>,
    /// The URL of a page with nearly the same text.
    pub near_duplicate_of: Option<String>,
    /// Number of links on the page.
    pub links: u32,
    /// Number of earlier attempts that failed.
    pub attempts: u8,
    /// The place of the page in the archives.
    pub stored: Option<Stored>,
}

/// The place of a page in the archives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// The name of the archive.
    pub file: String,
    /// The offset of the record in the archive.
    pub offset: u64,
    /// The length of the record, in bytes.
    pub length: u64,
}

/// The detail of a page that was not stored because it asks crawlers not to.
pub(crate) const NOINDEX: &str = "not stored, because the page forbids it (noindex)";

impl LogRow {
    /// Returns true if the page was not stored because it asks crawlers not to.
    #[must_use]
    pub fn is_noindex(&self) -> bool {
        self.stored.is_none() && self.detail.as_deref().is_some_and(|it| it.starts_with(NOINDEX))
    }

    /// Returns true if a page was fetched that counts as downloaded.
    #[must_use]
    pub fn is_page(&self) -> bool {
        self.outcome.is_page()
    }

    /// Returns the value of a score, if the row has it.
    #[must_use]
    pub fn score(&self, score: Score) -> Option<f64> {
        self.scores.iter().find(|(own, _)| *own == score).map(|(_, value)| *value)
    }
}

/// A row of the table of links: one link of one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkRow {
    /// The number of the page's row in the log.
    pub page: u64,
    /// The URL that the link points to.
    pub url: String,
    /// The anchor text.
    pub anchor: String,
    /// The priority that the recipe gave the link.
    pub priority: Option<f64>,
    /// The decision about the link.
    pub verdict: Verdict,
}

/// Builds columns from pairs of a name and a function of a row.
macro_rules! columns {
    ($rows:expr, $($name:literal => $of:expr),+ $(,)?) => {
        vec![$(Column::new($name.into(), $rows.iter().map($of).collect::<Vec<_>>())),+]
    };
}

impl Row for LogRow {
    const ROWS: u64 = 20_000;

    fn write_part(rows: &[Self], path: &Path) -> Result<(), OutputError> {
        let number = |time: Option<u64>| time.and_then(|time| i64::try_from(time).ok());
        let stored = |row: &Self| row.stored.clone();
        let mut columns: Vec<Column> = columns![rows,
            "number" => |row| row.number,
            "time" => |row| number(row.time),
            "kind" => |row| row.kind.name(),
            "outcome" => |row| row.outcome.name(),
            "detail" => |row| row.detail.clone(),
            "url" => |row| row.url.clone(),
            "final_url" => |row| row.final_url.clone(),
            "status" => |row| row.status.map(u32::from),
            "bytes" => |row| row.bytes,
            "milliseconds" => |row| row.milliseconds,
            "address" => |row| row.address.clone(),
            "mime" => |row| row.mime.clone(),
            "charset" => |row| row.charset.clone(),
            "language" => |row| row.language.clone(),
            "title" => |row| row.title.clone(),
            "depth" => |row| row.depth,
            "parent" => |row| row.parent.clone(),
            "anchor" => |row| row.anchor.clone(),
            "rule" => |row| row.rule.map(Rule::name),
            "relevance" => |row| row.relevance,
            "probability" => |row| row.probability,
            "relevant" => |row| row.relevant,
            "class" => |row| row.class.clone(),
            "class_probability" => |row| row.class_probability,
            "label" => |row| row.label.clone(),
            "truly_relevant" => |row| row.truly_relevant,
            "canonical" => |row| row.canonical.clone(),
            "duplicate_of" => |row| row.duplicate_of.clone(),
            "near_duplicate_of" => |row| row.near_duplicate_of.clone(),
            "why" => |row| row.why.as_ref().and_then(|why| serde_json::to_string(why).ok()),
            "links" => |row| row.links,
            "attempts" => |row| u32::from(row.attempts),
            "warc" => |row| stored(row).map(|it| it.file),
            "warc_offset" => |row| stored(row).map(|it| it.offset),
            "warc_length" => |row| stored(row).map(|it| it.length),
        ];
        for score in Score::ALL {
            let values: Vec<Option<f64>> = rows.iter().map(|row| row.score(score)).collect();
            columns.push(Column::new(score_column(score).into(), values));
        }
        let time = &mut columns[1];
        *time = time
            .cast(&DataType::Datetime(TimeUnit::Milliseconds, None))
            .map_err(|error| OutputError::table(path, error))?;
        write_frame(rows.len(), columns, path)
    }
}

/// Returns the name of a score's column.
fn score_column(score: Score) -> String {
    format!("score_{}", score.name())
}

impl Row for LinkRow {
    const ROWS: u64 = 100_000;

    fn write_part(rows: &[Self], path: &Path) -> Result<(), OutputError> {
        let columns = columns![rows,
            "page" => |row| row.page,
            "url" => |row| row.url.clone(),
            "anchor" => |row| row.anchor.clone(),
            "priority" => |row| row.priority,
            "verdict" => |row| row.verdict.name(),
        ];
        write_frame(rows.len(), columns, path)
    }
}

fn write_frame(height: usize, columns: Vec<Column>, path: &Path) -> Result<(), OutputError> {
    let wrong = |error: PolarsError| OutputError::table(path, error);
    let mut frame = DataFrame::new(height, columns).map_err(wrong)?;
    let write = |out: &mut dyn std::io::Write| {
        let writer = ParquetWriter::new(out).with_compression(ParquetCompression::Snappy);
        writer.finish(&mut frame).map(|_| ()).map_err(std::io::Error::other)
    };
    ontrail_artifact::write_atomically(path, write).map_err(|error| OutputError::table(path, error))
}

/// Writes a log in parts, as a crawl does; for tests and measurements.
pub fn write_log(folder: &Path, rows: impl IntoIterator<Item = LogRow>) -> Result<(), OutputError> {
    write_parts(folder, rows)
}

/// Writes links in parts, as a crawl does; for tests and measurements.
pub fn write_links(
    folder: &Path,
    rows: impl IntoIterator<Item = LinkRow>,
) -> Result<(), OutputError> {
    write_parts(folder, rows)
}

/// Reads the whole log of a crawl, in order.
pub fn read_log(folder: &Path) -> Result<Vec<LogRow>, OutputError> {
    log_rows(folder)?.collect()
}

/// Reads all links that a crawl found, in order.
pub fn read_links(folder: &Path) -> Result<Vec<LinkRow>, OutputError> {
    link_rows(folder)?.collect()
}

/// Returns the rows of a crawl's log, in order. They are read on demand, a part at a time.
pub fn log_rows(
    folder: &Path,
) -> Result<impl Iterator<Item = Result<LogRow, OutputError>> + use<>, OutputError> {
    Rows::open(folder, logged, |_| Ok(true))
}

/// Returns the links that a crawl found, in order. They are read on demand, a part at a time.
pub fn link_rows(
    folder: &Path,
) -> Result<impl Iterator<Item = Result<LinkRow, OutputError>> + use<>, OutputError> {
    Rows::open(folder, linked, |_| Ok(true))
}

/// Returns the links to a URL that a crawl found, in order. Parts without such links are skipped.
pub fn links_to<'a>(
    folder: &Path,
    url: &'a str,
) -> Result<impl Iterator<Item = Result<LinkRow, OutputError>> + use<'a>, OutputError> {
    let has_links = |path: &Path| {
        for batch in table(path)?.batches(&["url"]).map_err(OutputError::from)? {
            if !batch?.find("url", url)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    };
    let rows = Rows::open(folder, linked, has_links)?;
    Ok(rows.filter(move |row| row.as_ref().map_or(true, |row| row.url == url)))
}

/// The cells of a table, by column name.
pub(super) struct Cells<'a> {
    pub(super) batch: &'a Batch,
    pub(super) path: &'a Path,
}

impl Cells<'_> {
    fn has(&self, name: &str) -> bool {
        self.batch.has(name)
    }

    fn texts(&self, name: &str) -> Result<Vec<Option<String>>, OutputError> {
        Ok(self.batch.texts(name)?)
    }

    /// Returns the values of a column that holds names.
    fn named<T>(
        &self,
        column: &str,
        named: fn(&str) -> Option<T>,
    ) -> Result<Vec<Option<T>>, OutputError> {
        let unknown = |name: &str| {
            OutputError::table(self.path, format_args!("{column}: unknown name {name:?}"))
        };
        let value = |name: Option<String>| match name {
            None => Ok(None),
            Some(name) => named(&name).map(Some).ok_or_else(|| unknown(&name)),
        };
        self.texts(column)?.into_iter().map(value).collect()
    }

    fn numbers(&self, name: &str) -> Result<Vec<Option<u64>>, OutputError> {
        Ok(self.batch.numbers(name)?)
    }

    fn decimals(&self, name: &str) -> Result<Vec<Option<f64>>, OutputError> {
        Ok(self.batch.decimals(name)?)
    }

    fn booleans(&self, name: &str) -> Result<Vec<Option<bool>>, OutputError> {
        Ok(self.batch.booleans(name)?)
    }
}

fn logged(cells: &Cells<'_>) -> Result<Vec<LogRow>, OutputError> {
    let mut rows = vec![LogRow::default(); cells.batch.rows()];
    fill(&mut rows, cells.numbers("number")?, |row, it| row.number = it.unwrap_or(0));
    fill(&mut rows, cells.numbers("time")?, |row, it| row.time = it);
    fill(&mut rows, cells.named("kind", FetchKind::named)?, |row, it| {
        row.kind = it.unwrap_or_default();
    });
    fill(&mut rows, cells.named("outcome", Outcome::named)?, |row, it| {
        row.outcome = it.unwrap_or_default();
    });
    fill(&mut rows, cells.texts("detail")?, |row, it| row.detail = it);
    fill(&mut rows, cells.texts("url")?, |row, it| row.url = it.unwrap_or_default());
    fill(&mut rows, cells.texts("final_url")?, |row, it| row.final_url = it.unwrap_or_default());
    fill(&mut rows, cells.numbers("status")?, |row, it| {
        row.status = it.and_then(|it| it.try_into().ok());
    });
    fill(&mut rows, cells.numbers("bytes")?, |row, it| row.bytes = it.unwrap_or(0));
    fill(&mut rows, cells.numbers("milliseconds")?, |row, it| row.milliseconds = it.unwrap_or(0));
    fill(&mut rows, cells.texts("address")?, |row, it| row.address = it);
    fill(&mut rows, cells.texts("mime")?, |row, it| row.mime = it);
    fill(&mut rows, cells.texts("charset")?, |row, it| row.charset = it);
    fill(&mut rows, cells.texts("language")?, |row, it| row.language = it);
    fill(&mut rows, cells.texts("title")?, |row, it| row.title = it);
    fill(&mut rows, cells.numbers("depth")?, |row, it| row.depth = small(it));
    fill(&mut rows, cells.texts("parent")?, |row, it| row.parent = it);
    fill(&mut rows, cells.texts("anchor")?, |row, it| row.anchor = it.unwrap_or_default());
    fill(&mut rows, cells.named("rule", Rule::named)?, |row, it| row.rule = it);
    fill(&mut rows, cells.decimals("relevance")?, |row, it| row.relevance = it);
    // Older logs do not have this column.
    if cells.has("probability") {
        fill(&mut rows, cells.decimals("probability")?, |row, it| row.probability = it);
    }
    fill(&mut rows, cells.booleans("relevant")?, |row, it| row.relevant = it);
    fill(&mut rows, cells.texts("class")?, |row, it| row.class = it);
    fill(&mut rows, cells.decimals("class_probability")?, |row, it| row.class_probability = it);
    fill(&mut rows, cells.texts("label")?, |row, it| row.label = it);
    fill(&mut rows, cells.booleans("truly_relevant")?, |row, it| row.truly_relevant = it);
    // Older logs do not have this column.
    if cells.has("canonical") {
        fill(&mut rows, cells.texts("canonical")?, |row, it| row.canonical = it);
    }
    fill(&mut rows, cells.texts("duplicate_of")?, |row, it| row.duplicate_of = it);
    fill(&mut rows, cells.texts("near_duplicate_of")?, |row, it| row.near_duplicate_of = it);
    // Older logs do not have this column.
    if cells.has("why") {
        for (row, why) in rows.iter_mut().zip(cells.texts("why")?) {
            let Some(why) = why else { continue };
            let why = serde_json::from_str(&why)
                .map_err(|error| OutputError::table(cells.path, format_args!("why: {error}")))?;
            row.why = Some(Box::new(why));
        }
    }
    fill(&mut rows, cells.numbers("links")?, |row, it| row.links = small(it));
    fill(&mut rows, cells.numbers("attempts")?, |row, it| {
        row.attempts = it.and_then(|it| it.try_into().ok()).unwrap_or(u8::MAX);
    });
    fill(&mut rows, cells.texts("warc")?, |row, it| {
        row.stored = it.map(|file| Stored { file, offset: 0, length: 0 });
    });
    fill(&mut rows, cells.numbers("warc_offset")?, |row, it| {
        if let Some(stored) = &mut row.stored {
            stored.offset = it.unwrap_or(0);
        }
    });
    fill(&mut rows, cells.numbers("warc_length")?, |row, it| {
        if let Some(stored) = &mut row.stored {
            stored.length = it.unwrap_or(0);
        }
    });
    for score in Score::ALL {
        for (row, value) in rows.iter_mut().zip(cells.decimals(&score_column(score))?) {
            row.scores.extend(value.map(|value| (score, value)));
        }
    }
    Ok(rows)
}

/// Sets a field of each row.
fn fill<T>(rows: &mut [LogRow], values: Vec<T>, set: impl Fn(&mut LogRow, T)) {
    rows.iter_mut().zip(values).for_each(|(row, value)| set(row, value));
}

fn small(number: Option<u64>) -> u32 {
    number.and_then(|number| number.try_into().ok()).unwrap_or(0)
}

fn linked(cells: &Cells<'_>) -> Result<Vec<LinkRow>, OutputError> {
    let (pages, urls) = (cells.numbers("page")?, cells.texts("url")?);
    let (anchors, verdicts) = (cells.texts("anchor")?, cells.named("verdict", Verdict::named)?);
    let priorities = cells.decimals("priority")?;
    let texts = urls.into_iter().zip(anchors).zip(verdicts);
    let rows = pages.into_iter().zip(priorities).zip(texts);
    Ok(rows
        .map(|((page, priority), ((url, anchor), verdict))| LinkRow {
            page: page.unwrap_or(0),
            url: url.unwrap_or_default(),
            anchor: anchor.unwrap_or_default(),
            priority,
            verdict: verdict.unwrap_or(Verdict::KNOWN),
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::super::journal::{Journal, Position};
    use super::super::surplus::Surplus;
    use super::*;

    #[test]
    fn rows_are_read_back_from_journals_and_tables() {
        let folder = tempfile::tempdir().unwrap();
        let full = LogRow {
            number: 2,
            time: Some(1_700_000_000_123),
            kind: FetchKind::Sitemap,
            outcome: Outcome::Http(404),
            detail: Some("x".into()),
            url: "http://a.example/".into(),
            final_url: "http://b.example/".into(),
            status: Some(200),
            bytes: 7,
            milliseconds: 8,
            address: Some("192.0.2.1".into()),
            mime: Some("text/html".into()),
            charset: Some("GBK".into()),
            language: Some("zh".into()),
            title: Some("暴雨".into()),
            depth: 3,
            parent: Some("http://c.example/".into()),
            anchor: "雨情".into(),
            scores: vec![(Score::Page, 0.5), (Score::Priority, 0.25)],
            rule: Some(Rule::Best),
            why: Some(Box::new(Why { in_links: 3, ..Why::default() })),
            relevance: Some(0.75),
            relevant: Some(true),
            class: Some("rain".into()),
            probability: Some(0.7),
            class_probability: Some(0.9),
            label: Some("a|b".into()),
            truly_relevant: Some(false),
            canonical: Some("http://f.example/".into()),
            duplicate_of: Some("http://d.example/".into()),
            near_duplicate_of: Some("http://e.example/".into()),
            links: 9,
            attempts: 1,
            stored: Some(Stored { file: "f".into(), offset: 10, length: 11 }),
        };
        let empty = LogRow { number: 1, ..LogRow::default() };
        let open = |position| Journal::open(folder.path(), position, &Surplus::Remove).unwrap();
        let mut journal = open(Position::default());
        journal.add(&empty).unwrap();
        journal.add(&full).unwrap();
        journal.sync().unwrap();
        assert_eq!(read_log(folder.path()).unwrap(), [empty.clone(), full.clone()]);
        let position = journal.finish().unwrap();
        assert_eq!(read_log(folder.path()).unwrap(), [empty.clone(), full.clone()]);
        journal.committed().unwrap();
        drop(journal);
        // Rows that were not committed are discarded.
        let mut journal = open(position);
        journal.add(&full).unwrap();
        journal.sync().unwrap();
        assert_eq!(read_log(folder.path()).unwrap().len(), 3);
        drop(journal);
        open(position);
        assert_eq!(read_log(folder.path()).unwrap(), [empty, full]);
    }

    /// A process dies before or after the commit that follows the sealing of a part.
    #[test]
    fn a_part_that_was_sealed_around_a_crash_is_there_once() {
        let folder = tempfile::tempdir().unwrap();
        let open = |position| Journal::open(folder.path(), position, &Surplus::Remove).unwrap();
        let row = |number| LogRow { number, ..LogRow::default() };
        let mut journal = open(Position::default());
        journal.add(&row(1)).unwrap();
        let before = journal.sync().unwrap();
        journal.add(&row(2)).unwrap();
        let after = journal.finish().unwrap();
        let names = || {
            let files = std::fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> = files.map(|it| it.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names(), ["00000.jsonl", "00000.parquet"]);
        drop(open(before));
        assert_eq!(
            (names(), read_log(folder.path()).unwrap()),
            (vec!["00000.jsonl".into()], vec![row(1)])
        );
        let mut journal = open(before);
        journal.add(&row(2)).unwrap();
        assert_eq!(journal.finish().unwrap(), after);
        drop(open(after));
        assert_eq!(names(), ["00000.parquet"]);
        assert_eq!(read_log(folder.path()).unwrap(), [row(1), row(2)]);
    }

    #[test]
    fn unknown_names_are_refused_with_their_line() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("00000.jsonl"), "{\"outcome\":\"eaten\"}\n").unwrap();
        let error = read_log(folder.path()).unwrap_err().to_string();
        assert!(error.contains("line 1") && error.contains("unknown outcome \"eaten\""), "{error}");
    }
}
