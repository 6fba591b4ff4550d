//! The columns of an export: one table of them for every format, and for `--where`.

use ontrail_crawl::LogRow;
use ontrail_pilot::Rule;
use ontrail_table::Values;
use url::Url;

use super::page::StoredPage;

/// The value of a page in a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Missing,
    Text(String),
    Number(f64),
    Whole(u64),
    Flag(bool),
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    Whole,
    Flag,
}

/// The source of a column's values.
#[derive(Debug, Clone, Copy)]
enum From {
    /// The log of the crawl.
    Log(fn(&LogRow) -> Value),
    /// The page in the archive, which has to be read.
    Page(fn(&StoredPage) -> Value),
}

/// A column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    from: From,
}

impl Column {
    const fn log(name: &'static str, kind: Kind, of: fn(&LogRow) -> Value) -> Self {
        Self { name, kind, from: From::Log(of) }
    }

    const fn page(name: &'static str, kind: Kind, of: fn(&StoredPage) -> Value) -> Self {
        Self { name, kind, from: From::Page(of) }
    }

    /// Returns true if the page has to be read for it.
    pub(super) fn needs_page(&self) -> bool {
        matches!(self.from, From::Page(_))
    }

    /// Returns the value. Without a page, columns that are read from it have none.
    pub(super) fn value(&self, row: &LogRow, page: Option<&StoredPage>) -> Value {
        match self.from {
            From::Log(of) => of(row),
            From::Page(of) => page.map_or(Value::Missing, of),
        }
    }
}

/// The columns, in their order.
pub(super) const COLUMNS: [Column; 26] = [
    Column::log("url", Kind::Text, |row| text(&row.url)),
    Column::log("final_url", Kind::Text, |row| text(&row.final_url)),
    Column::page("fetched_at", Kind::Text, |page| maybe(page.date.as_ref())),
    Column::log("status", Kind::Whole, |row| whole(row.status.map(u64::from))),
    Column::log("charset", Kind::Text, |row| maybe(row.charset.as_ref())),
    Column::log("language", Kind::Text, |row| maybe(row.language.as_ref())),
    Column::page("title", Kind::Text, |page| maybe(page.title.as_ref())),
    Column::page("author", Kind::Text, |page| maybe(page.metadata.author.as_ref())),
    Column::page("date", Kind::Text, |page| maybe(page.metadata.date.as_ref())),
    Column::page("site", Kind::Text, |page| maybe(page.metadata.site.as_ref())),
    Column::page("text", Kind::Text, |page| text(&page.text)),
    Column::log("relevance", Kind::Number, |row| number(row.relevance)),
    Column::log("probability", Kind::Number, |row| number(row.probability)),
    Column::log("is_relevant", Kind::Flag, |row| row.relevant.map_or(Value::Missing, Value::Flag)),
    Column::log("class", Kind::Text, |row| maybe(row.class.as_ref())),
    Column::log("class_probability", Kind::Number, |row| number(row.class_probability)),
    Column::log("parent_url", Kind::Text, |row| maybe(row.parent.as_ref())),
    Column::log("anchor", Kind::Text, |row| maybe(Some(&row.anchor))),
    Column::log("depth", Kind::Whole, |row| Value::Whole(u64::from(row.depth))),
    Column::log("rule", Kind::Text, |row| {
        row.rule.map_or(Value::Missing, |it| text(Rule::name(it)))
    }),
    Column::page("digest", Kind::Text, |page| maybe(page.digest.as_ref())),
    Column::log("near_duplicate_of", Kind::Text, |row| maybe(row.near_duplicate_of.as_ref())),
    Column::log("label", Kind::Text, |row| maybe(row.label.as_ref())),
    Column::log("number", Kind::Whole, |row| Value::Whole(row.number)),
    Column::log("warc", Kind::Text, |row| maybe(row.stored.as_ref().map(|it| &it.file))),
    Column::log("warc_offset", Kind::Whole, |row| whole(row.stored.as_ref().map(|it| it.offset))),
];

/// The host of a page, which `--where` knows beside the columns.
pub(super) const HOST: Column = Column::log("host", Kind::Text, |row| {
    let url = Url::parse(&row.final_url).ok();
    maybe(url.as_ref().and_then(Url::host_str).map(str::to_owned).as_ref())
});

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn maybe(text: Option<&String>) -> Value {
    text.filter(|text| !text.is_empty()).map_or(Value::Missing, |text| Value::Text(text.clone()))
}

fn number(number: Option<f64>) -> Value {
    number.filter(|number| number.is_finite()).map_or(Value::Missing, Value::Number)
}

fn whole(number: Option<u64>) -> Value {
    number.map_or(Value::Missing, Value::Whole)
}

impl Kind {
    /// Returns the values that `--where` compares such a column with.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Text => "a text in quotation marks",
            Self::Number | Self::Whole => "a number",
            Self::Flag => "true or false",
        }
    }

    /// Returns the values of one column, for a table. The values must be of this kind.
    pub(super) fn values(self, values: impl Iterator<Item = Value>) -> Values {
        match self {
            Self::Text => Values::Texts(
                values
                    .map(|it| if let Value::Text(text) = it { Some(text) } else { None })
                    .collect(),
            ),
            Self::Number => Values::Numbers(
                values
                    .map(|it| if let Value::Number(number) = it { Some(number) } else { None })
                    .collect(),
            ),
            Self::Whole => Values::Wholes(
                values
                    .map(|it| if let Value::Whole(number) = it { Some(number) } else { None })
                    .collect(),
            ),
            Self::Flag => Values::Flags(
                values
                    .map(|it| if let Value::Flag(flag) = it { Some(flag) } else { None })
                    .collect(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_the_kind_of_its_column() {
        let mut row = LogRow { status: Some(200), relevant: Some(true), ..LogRow::default() };
        row.relevance = Some(0.5);
        row.class_probability = Some(f64::NAN);
        row.rule = Some(Rule::Free);
        row.final_url = "http://a.example/x".to_owned();
        for column in COLUMNS.iter().chain([&HOST]) {
            let value = column.value(&row, None);
            let fits = matches!(
                (&value, column.kind),
                (Value::Missing, _)
                    | (Value::Text(_), Kind::Text)
                    | (Value::Number(_), Kind::Number)
                    | (Value::Whole(_), Kind::Whole)
                    | (Value::Flag(_), Kind::Flag)
            );
            assert!(fits, "{}: {value:?}", column.name);
        }
        assert_eq!(HOST.value(&row, None), Value::Text("a.example".to_owned()));
        let nan = COLUMNS.iter().find(|it| it.name == "class_probability").unwrap();
        assert_eq!(nan.value(&row, None), Value::Missing);
    }
}
