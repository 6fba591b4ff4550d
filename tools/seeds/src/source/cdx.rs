//! CDX and CDXJ files: indexes of web archives, one line for each capture.
//!
//! A CDX file has fields that its first line names by letters (` CDX N b a m s …`: `a` is the URL,
//! `m` the media type, `s` the status); without such a line, the usual order is assumed. A line of
//! CDXJ has a JSON object after the key and the time.

use std::io::BufRead;
use std::path::Path;

use anyhow::Result;
use serde::Deserialize;
use url::Url;

use super::{Listed, Skipped, crawlable, lines};

/// The places of the fields in a CDX file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cdx {
    separator: char,
    url: usize,
    media: Option<usize>,
    status: Option<usize>,
}

/// The fields of a CDXJ line that matter here. Programs write the status as text or as a number.
#[derive(Deserialize)]
struct Captured {
    url: String,
    #[serde(default, alias = "mimetype")]
    mime: Option<String>,
    #[serde(default)]
    status: Option<serde_json::Value>,
}

impl Default for Cdx {
    /// Returns the order in which key, time, URL, media type and status usually come.
    fn default() -> Self {
        Self { separator: ' ', url: 2, media: Some(3), status: Some(4) }
    }
}

impl Cdx {
    /// Returns true if a text begins like a CDX or CDXJ file.
    pub(super) fn is_one(text: &str) -> bool {
        let Some(first) = text.lines().find(|line| !line.trim().is_empty()) else { return false };
        if Self::header(first).is_some() || first.starts_with("!OpenWayback-CDXJ") {
            return true;
        }
        let mut fields = first.split(' ');
        let (key, time) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        let is_time = time.len() >= 4 && time.bytes().all(|byte| byte.is_ascii_digit());
        // A key is a URL turned around, such as `org,example)/`; some begin with `http://(`.
        let is_url = key.contains('\t') || (key.contains("://") && !key.contains("://("));
        !key.is_empty() && !is_url && is_time && fields.next().is_some()
    }

    /// Reads the line that names the fields.
    fn header(line: &str) -> Option<Self> {
        let separator = line.chars().next()?;
        let mut names = line[separator.len_utf8()..].split(separator);
        if names.next()? != "CDX" {
            return None;
        }
        let names: Vec<&str> = names.collect();
        let place = |name: &str| names.iter().position(|own| *own == name);
        Some(Self { separator, url: place("a")?, media: place("m"), status: place("s") })
    }

    /// Returns the URL of a line, and none if the capture is not a page. The error is the reason
    /// why the line cannot be read.
    fn read(&self, line: &str) -> Result<Option<Url>, String> {
        if let Some((_, json)) = line.split_once(" {") {
            let found: Captured = match serde_json::from_str(&format!("{{{json}")) {
                Ok(found) => found,
                Err(error) => return Err(format!("cannot read the JSON object: {error}")),
            };
            let status = match found.status {
                Some(serde_json::Value::String(status)) => Some(status),
                Some(serde_json::Value::Number(status)) => Some(status.to_string()),
                _ => None,
            };
            return page(&found.url, found.mime.as_deref(), status.as_deref());
        }
        let fields: Vec<&str> = line.split(self.separator).collect();
        let field = |place: Option<usize>| place.and_then(|place| fields.get(place).copied());
        let Some(url) = field(Some(self.url)) else {
            return Err("the line has too few fields".to_owned());
        };
        page(url, field(self.media), field(self.status))
    }
}

/// Returns a URL if it is that of a page: an HTML document, or one whose kind is not known, that
/// was fetched without an error.
fn page(url: &str, media: Option<&str>, status: Option<&str>) -> Result<Option<Url>, String> {
    let is_html =
        media.is_none_or(|media| matches!(media, "-" | "" | "unk") || media.contains("html"));
    let is_fetched = status.is_none_or(|status| matches!(status, "200" | "-" | ""));
    if !is_html || !is_fetched {
        return Ok(None);
    }
    let scheme = url.split_once(':').map_or("", |it| it.0).to_ascii_lowercase();
    match crawlable(url) {
        Some(url) => Ok(Some(url)),
        // Indexes also list dns: and other records.
        None if !scheme.is_empty() && !scheme.starts_with("http") => Ok(None),
        None => {
            let shown: String = url.chars().take(100).collect();
            Err(format!("{shown:?} is not an http or https URL"))
        }
    }
}

pub(super) fn each(
    reader: Box<dyn BufRead>,
    path: &Path,
    skips: bool,
    skipped: &mut Skipped,
    visit: &mut dyn FnMut(Listed),
) -> Result<()> {
    let mut format = Cdx::default();
    lines::each(reader, path, &mut |number, line| {
        if line.trim().is_empty() || line.starts_with('!') {
            return Ok(());
        }
        if let Some(header) = Cdx::header(line) {
            format = header;
            return Ok(());
        }
        match format.read(line) {
            Ok(Some(url)) => visit(Listed { url, title: String::new() }),
            Ok(None) => {}
            Err(reason) => skipped.line(path, number, &reason, skips)?,
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cdx: &Cdx, line: &str) -> Result<Option<String>, String> {
        Ok(cdx.read(line)?.map(|url| url.to_string()))
    }

    #[test]
    fn captures_of_pages_are_read_in_every_form() {
        let cdx = Cdx::default();
        let page = Ok(Some("http://a.test/rain".to_owned()));
        let json = r#"test,a)/rain 20240101000000 {"url": "http://a.test/rain", "mime": "text/html", "status": "200"}"#;
        assert_eq!(read(&cdx, json), page);
        assert_eq!(read(&cdx, r#"k 2024 {"url":"http://a.test/rain","status":200}"#), page);
        assert_eq!(
            read(&cdx, "test,a)/rain 20240101000000 http://a.test/rain text/html 200 X - -"),
            page
        );
        assert_eq!(read(&cdx, "test,a)/rain 20240101000000 http://a.test/rain"), page);
        let named = Cdx::header(" CDX s a b").unwrap();
        assert_eq!(read(&named, "200 http://a.test/rain 2024"), page);
        assert_eq!(read(&named, "404 http://a.test/rain 2024"), Ok(None));
        assert_eq!(Cdx::header(" CDX s b"), None);
    }

    #[test]
    fn other_captures_are_left_out_and_bad_lines_are_errors() {
        let cdx = Cdx::default();
        for line in [
            "k 2024 http://a.test/x image/png 200",
            "k 2024 http://a.test/x text/html 301",
            "k 2024 dns:a.test text/html 200",
            r#"k 2024 {"url": "http://a.test/", "mime": "warc/revisit"}"#,
        ] {
            assert_eq!(read(&cdx, line), Ok(None), "{line}");
        }
        for line in
            ["k 2024", "k 2024 {\"url\": 3}", "k 2024 {\"mime\"", "k 2024 nowhere text/html 200"]
        {
            assert!(read(&cdx, line).is_err(), "{line}");
        }
    }

    #[test]
    fn cdx_files_are_told_from_lists() {
        for text in
            [" CDX N b a m s\nx", "!OpenWayback-CDXJ 1.0\n", "a)/ 2024 http://a/", "a)/ 2024 {}"]
        {
            assert!(Cdx::is_one(text), "{text}");
        }
        for text in ["", "http://a.test/\train 2024 flood", "# comment", "http://a.test/ 2024 rain"]
        {
            assert!(!Cdx::is_one(text), "{text}");
        }
    }
}
