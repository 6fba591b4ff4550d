//! How a crawl is to be done, as a person writes it in a file.
//!
//! Times are in seconds. What is not said has the default.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::robots::product_token;
use crate::scope::ScopeRules;
use crate::traps::TrapLimits;

/// Everything that can be set of a crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Settings {
    /// How many pages to fetch.
    pub budget: u64,
    /// How long to crawl, in seconds.
    pub max_seconds: Option<f64>,
    /// What fixes every random choice.
    pub seed: u64,
    /// Where to go.
    pub scope: ScopeRules,
    /// Whether to stay on the sites of the seeds.
    pub same_site: bool,
    /// Where not to be led.
    pub traps: TrapLimits,
    /// How many pages of one host, links of one pattern, and waiting links to take up.
    pub caps: Caps,
    /// How to be polite.
    pub politeness: Politeness,
    /// How to fetch.
    pub fetch: FetchSettings,
    /// How to store.
    pub output: OutputSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            budget: 1_000,
            max_seconds: None,
            seed: 0,
            scope: ScopeRules::default(),
            same_site: false,
            traps: TrapLimits::default(),
            caps: Caps::default(),
            politeness: Politeness::default(),
            fetch: FetchSettings::default(),
            output: OutputSettings::default(),
        }
    }
}

/// What is taken up at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Caps {
    /// Pages fetched from one host.
    pub pages_per_host: u64,
    /// Addresses that differ only in numbers or in the values of parameters.
    pub links_per_pattern: u32,
    /// Links that wait.
    pub queued_links: u64,
    /// Hosts in all. What is known of a host stays in memory, about half a kilobyte each.
    pub hosts: u32,
    /// Hosts of one site: whoever owns a name can make up as many below it as he likes.
    pub hosts_per_site: u32,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            pages_per_host: 1_000_000,
            links_per_pattern: 20_000,
            queued_links: 100_000_000,
            hosts: 1_000_000,
            hosts_per_site: 10_000,
        }
    }
}

/// How hosts are treated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Politeness {
    /// Seconds between the end of one fetch from a host and the start of the next.
    pub delay: f64,
    /// Seconds between two fetches from one machine, whatever its names.
    pub address_delay: f64,
    /// A host that takes long rests so many times as long.
    pub slow_factor: f64,
    /// The longest rest of a slow host, in seconds.
    pub slow_cap: f64,
    /// The longest `Crawl-delay` that is honoured, in seconds; a longer one counts as this.
    pub crawl_delay_cap: f64,
    /// Connections to one host at a time.
    pub connections_per_host: u32,
    /// Whether to follow links that their page asks not to follow.
    pub follow_nofollow: bool,
    /// Whether to take links from the sitemaps that robots.txt names.
    pub sitemaps: bool,
}

impl Default for Politeness {
    fn default() -> Self {
        Self {
            delay: 1.0,
            address_delay: 0.25,
            slow_factor: 2.0,
            slow_cap: 30.0,
            crawl_delay_cap: 60.0,
            connections_per_host: 1,
            follow_nofollow: false,
            sitemaps: false,
        }
    }
}

/// How pages are fetched from the live web.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct FetchSettings {
    /// What the crawler calls itself; its first word is looked up in robots.txt.
    pub agent: String,
    /// An address at which a webmaster reaches who runs it; the live web is not crawled without one.
    pub contact: Option<String>,
    /// Fetches under way at a time.
    pub parallel: usize,
    /// Seconds to connect.
    pub connect_timeout: f64,
    /// Seconds until the head of the answer has come.
    pub head_timeout: f64,
    /// Seconds without a byte of the body.
    pub idle_timeout: f64,
    /// Seconds for all of it.
    pub total_timeout: f64,
    /// Bytes of a body as it comes, and as it is unpacked.
    pub body_limit: usize,
    /// What to do with a longer one.
    pub over_limit: OverLimit,
    /// The media types that are fetched; `text/*` is any text.
    pub types: Vec<String>,
    /// How many redirects are followed.
    pub redirects: u8,
    /// How often a fetch is tried again.
    pub retries: u8,
    /// Headers to send besides.
    pub headers: BTreeMap<String, String>,
    /// A proxy, such as `http://127.0.0.1:3128`.
    pub proxy: Option<String>,
    /// Whether to keep cookies.
    pub cookies: bool,
    /// A file with further certificates to trust, in PEM.
    pub ca_file: Option<std::path::PathBuf>,
    /// Networks that are fetched from although they are private.
    pub allow_private: Vec<String>,
    /// Addresses of hosts that are not asked of DNS.
    pub resolve: BTreeMap<String, IpAddr>,
}

/// What to do with a body that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OverLimit {
    /// Keep its start.
    Cut,
    /// Drop the page.
    Drop,
}

impl Default for FetchSettings {
    fn default() -> Self {
        Self {
            agent: concat!("Ontrail/", env!("CARGO_PKG_VERSION")).to_owned(),
            contact: None,
            parallel: 64,
            connect_timeout: 10.0,
            head_timeout: 20.0,
            idle_timeout: 15.0,
            total_timeout: 60.0,
            body_limit: 10 << 20,
            over_limit: OverLimit::Cut,
            types: ["text/html", "application/xhtml+xml", "text/plain"].map(str::to_owned).into(),
            redirects: 5,
            retries: 2,
            headers: BTreeMap::new(),
            proxy: None,
            cookies: false,
            ca_file: None,
            allow_private: Vec::new(),
            resolve: BTreeMap::new(),
        }
    }
}

impl FetchSettings {
    /// Whether a media type is one of those to fetch. A page that does not say what it is is taken for HTML.
    #[must_use]
    pub fn takes(&self, content_type: Option<&str>) -> bool {
        let Some(content_type) = content_type else { return true };
        let media = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let is_of = |wanted: &String| match wanted.strip_suffix("/*") {
            Some(family) => media.split('/').next() == Some(family),
            None => *wanted == media,
        };
        media.is_empty() || self.types.iter().any(is_of)
    }

    /// The whole name that is sent: the agent, and how to reach who runs it.
    #[must_use]
    pub fn full_agent(&self) -> String {
        match &self.contact {
            Some(contact) => format!("{} (+{contact})", self.agent),
            None => self.agent.clone(),
        }
    }
}

/// How pages are stored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct OutputSettings {
    /// Bytes of one archive, before the next is begun.
    pub archive_bytes: u64,
    /// Seconds after which what came is made durable, all together. What came since then is fetched again
    /// after a crash.
    pub commit_seconds: f64,
    /// Whether to keep the links that were found.
    pub links: bool,
    /// Whether pages that are not on the topic are stored too.
    pub irrelevant: bool,
}

impl Default for OutputSettings {
    fn default() -> Self {
        Self { archive_bytes: 1_000_000_000, commit_seconds: 1.0, links: true, irrelevant: true }
    }
}

/// Why settings make no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {value} is out of range; give {range}")]
pub struct OutOfRange {
    name: &'static str,
    value: String,
    range: &'static str,
}

impl Settings {
    /// Checks that numbers are where they can be.
    pub fn check(&self) -> Result<(), OutOfRange> {
        let seconds = [
            ("delay", self.politeness.delay),
            ("address-delay", self.politeness.address_delay),
            ("slow-cap", self.politeness.slow_cap),
            ("crawl-delay-cap", self.politeness.crawl_delay_cap),
            ("max-seconds", self.max_seconds.unwrap_or(0.0)),
            ("commit-seconds", self.output.commit_seconds),
        ];
        for (name, value) in seconds {
            in_range(name, value, 0.0, 1e7, "seconds from 0 to 10000000")?;
        }
        in_range("slow-factor", self.politeness.slow_factor, 0.0, 100.0, "0 to 100")?;
        let timeouts = [
            ("connect-timeout", self.fetch.connect_timeout),
            ("head-timeout", self.fetch.head_timeout),
            ("idle-timeout", self.fetch.idle_timeout),
            ("total-timeout", self.fetch.total_timeout),
        ];
        for (name, value) in timeouts {
            in_range(name, value, 0.01, 3_600.0, "seconds from 0.01 to 3600")?;
        }
        in_range("parallel", self.fetch.parallel as f64, 1.0, 10_000.0, "1 to 10000")?;
        let connections = f64::from(self.politeness.connections_per_host);
        in_range("connections-per-host", connections, 1.0, 10_000.0, "1 to 10000")?;
        in_range("redirects", f64::from(self.fetch.redirects), 0.0, 50.0, "0 to 50")?;
        let archive = self.output.archive_bytes as f64;
        in_range("archive-bytes", archive, 1_000.0, 1e13, "1000 to 10000000000000")?;
        in_range("body-limit", self.fetch.body_limit as f64, 1.0, 1e9, "1 to 1000000000 bytes")?;
        if product_token(&self.fetch.agent).is_empty() {
            let (name, value) = ("agent", format!("{:?}", self.fetch.agent));
            let range =
                "a name that begins with letters, such as Ontrail, by which sites make rules";
            return Err(OutOfRange { name, value, range });
        }
        Ok(())
    }
}

fn in_range(
    name: &'static str,
    value: f64,
    least: f64,
    most: f64,
    range: &'static str,
) -> Result<(), OutOfRange> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(OutOfRange { name, value: value.to_string(), range })
}

/// Seconds as a span of time. Negative ones and what is no number count as none.
pub(crate) fn seconds(number: f64) -> Duration {
    Duration::try_from_secs_f64(number).unwrap_or(Duration::ZERO)
}

/// Seconds as milliseconds.
pub(crate) fn milliseconds(number: f64) -> u64 {
    u64::try_from(seconds(number).as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_are_told_apart() {
        let settings = FetchSettings::default();
        for content_type in ["text/html", "TEXT/HTML; charset=gbk", "application/xhtml+xml", ""] {
            assert!(settings.takes(Some(content_type)), "{content_type}");
        }
        assert!(settings.takes(None));
        for content_type in ["image/png", "application/pdf", "text/css", "textual/html"] {
            assert!(!settings.takes(Some(content_type)), "{content_type}");
        }
        let any = FetchSettings { types: vec!["text/*".into()], ..settings };
        assert!(any.takes(Some("text/css")) && !any.takes(Some("image/png")));
    }

    #[test]
    fn numbers_must_be_where_they_can_be() {
        assert_eq!(Settings::default().check(), Ok(()));
        let mut settings = Settings::default();
        settings.politeness.delay = f64::NAN;
        assert_eq!(
            settings.check().unwrap_err().to_string(),
            "delay: NaN is out of range; give seconds from 0 to 10000000"
        );
        let mut settings = Settings::default();
        settings.fetch.parallel = 0;
        assert!(settings.check().unwrap_err().to_string().starts_with("parallel: 0 "));
    }
}
