//! The settings of a crawl, as a person writes them in a file.
//!
//! Times are in seconds. Settings that are left out have their defaults.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::robots::product_token;
use crate::scope::ScopeRules;
use crate::traps::TrapLimits;

/// The settings of a crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct CrawlSettings {
    /// Number of pages to fetch.
    pub budget: u64,
    /// Time limit of the crawl, in seconds.
    pub max_seconds: Option<f64>,
    /// The random seed.
    pub seed: u64,
    /// The URLs that the crawl may fetch.
    pub scope: ScopeRules,
    /// True if the crawl stays on the sites of the seeds.
    pub same_site: bool,
    /// Limits that keep the crawl out of traps.
    pub traps: TrapLimits,
    /// Upper limits on pages, links and hosts.
    pub caps: Caps,
    /// Treatment of hosts.
    pub politeness: Politeness,
    /// Settings of the HTTP client.
    pub fetch: FetchSettings,
    /// Settings of the output.
    pub output: OutputSettings,
}

impl Default for CrawlSettings {
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

/// Upper limits on pages, links and hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Caps {
    /// Pages fetched from one host.
    pub pages_per_host: u64,
    /// URLs that differ only in numbers or in the values of parameters.
    pub links_per_pattern: u32,
    /// Links that wait.
    pub queued_links: u64,
    /// Links of one host that wait; a tenth of `queued-links` if not set.
    pub queued_per_host: Option<u64>,
    /// Links of one site that wait; a fifth of `queued-links` if not set.
    pub queued_per_site: Option<u64>,
    /// Hosts in total. Each takes about half a kilobyte of memory.
    pub hosts: u32,
    /// Hosts of one site. The owner of a domain can create any number of hosts below it.
    pub hosts_per_site: u32,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            pages_per_host: 1_000_000,
            links_per_pattern: 20_000,
            queued_links: 100_000_000,
            queued_per_host: None,
            queued_per_site: None,
            hosts: 1_000_000,
            hosts_per_site: 10_000,
        }
    }
}

impl Caps {
    /// Returns the number of links of one host that may wait.
    #[must_use]
    pub fn queued_of_host(&self) -> u64 {
        self.queued_per_host.unwrap_or(self.queued_links.div_ceil(10))
    }

    /// Returns the number of links of one site that may wait.
    #[must_use]
    pub fn queued_of_site(&self) -> u64 {
        self.queued_per_site.unwrap_or(self.queued_links.div_ceil(5))
    }
}

/// Treatment of hosts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Politeness {
    /// Seconds between the end of one fetch from a host and the start of the next.
    pub delay: f64,
    /// Seconds between two fetches from one IP address, whatever the host names.
    pub address_delay: f64,
    /// The crawl delay after a slow fetch, as a multiple of the duration of the fetch.
    pub slow_factor: f64,
    /// The longest crawl delay after a slow fetch, in seconds.
    pub slow_cap: f64,
    /// The longest `Crawl-delay` of a robots.txt that is honoured, in seconds; longer ones are cut
    /// to this.
    pub crawl_delay_cap: f64,
    /// Simultaneous connections to one host.
    pub connections_per_host: u32,
    /// Seconds after which the links of a host that does not answer are given up.
    pub give_up_after: f64,
    /// Seconds that the crawl waits at its end, when only hosts that do not answer and pages that
    /// failed are left.
    pub end_wait: f64,
    /// The longest delay that a server may ask for with `Retry-After`, in seconds; longer ones are
    /// cut to this.
    pub retry_after_cap: f64,
    /// True if links marked nofollow are followed.
    pub follow_nofollow: bool,
    /// True if the sitemaps that robots.txt names are read.
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
            give_up_after: 3.0 * 86_400.0,
            end_wait: 600.0,
            retry_after_cap: 86_400.0,
            follow_nofollow: false,
            sitemaps: false,
        }
    }
}

/// Settings for fetching pages from the live web.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct FetchSettings {
    /// The crawler's name; robots.txt rules are looked up by its first word.
    pub agent: String,
    /// An e-mail address or web page by which webmasters can reach the person who runs the crawler;
    /// required for the live web.
    pub contact: Option<String>,
    /// Maximum number of simultaneous fetches.
    pub parallel: usize,
    /// Time limit for connecting, in seconds.
    pub connect_timeout: f64,
    /// Time limit of a DNS look-up, and then until the head of the response has arrived, in
    /// seconds.
    pub head_timeout: f64,
    /// Time limit between two parts of the body, in seconds.
    pub idle_timeout: f64,
    /// Time limit for the whole fetch, in seconds.
    pub total_timeout: f64,
    /// Maximum size of a body, both as received and decompressed, in bytes.
    pub body_limit: usize,
    /// Treatment of longer bodies.
    pub over_limit: OverLimit,
    /// The media types to fetch; `text/*` is any text.
    pub types: Vec<String>,
    /// Maximum number of redirects in a chain.
    pub redirects: u8,
    /// Maximum number of retries of a page whose host answers otherwise.
    pub retries: u8,
    /// Additional headers to send. Those that may be secrets go only to the sites of the seeds.
    pub headers: BTreeMap<String, String>,
    /// Additional headers for a host and the hosts below it.
    pub headers_for: BTreeMap<String, BTreeMap<String, String>>,
    /// A proxy, such as `http://127.0.0.1:3128`.
    pub proxy: Option<String>,
    /// True if cookies are kept.
    pub cookies: bool,
    /// A file of additional certificates to trust, in PEM format.
    pub ca_file: Option<std::path::PathBuf>,
    /// Private networks that the crawler may nevertheless connect to.
    pub allow_private: Vec<String>,
    /// Ports that the crawler may connect to although browsers refuse them.
    pub allow_ports: Vec<u16>,
    /// Fixed IP addresses of hosts, which are not looked up in DNS.
    pub resolve: BTreeMap<String, IpAddr>,
    /// The name server to ask, instead of those of the system.
    pub dns: Option<SocketAddr>,
}

/// Treatment of a body that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OverLimit {
    /// Keep the start of the body.
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
            retries: 3,
            headers: BTreeMap::new(),
            headers_for: BTreeMap::new(),
            proxy: None,
            cookies: false,
            ca_file: None,
            allow_private: Vec::new(),
            allow_ports: Vec::new(),
            resolve: BTreeMap::new(),
            dns: None,
        }
    }
}

impl FetchSettings {
    /// Returns true if a media type is to be fetched. A page without a media type is assumed to be
    /// HTML.
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

    /// Returns the full user agent that is sent: the agent and the contact.
    #[must_use]
    pub fn full_agent(&self) -> String {
        match &self.contact {
            Some(contact) => format!("{} (+{contact})", self.agent),
            None => self.agent.clone(),
        }
    }
}

/// Settings of the output.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct OutputSettings {
    /// Size of an archive at which the next one is started, in bytes.
    pub archive_bytes: u64,
    /// Seconds between commits. Pages fetched since the last commit are fetched again after a
    /// crash.
    pub commit_seconds: f64,
    /// Free space on the disk below which the crawl pauses, in bytes.
    pub least_free: u64,
    /// True if the links that were found are stored.
    pub links: bool,
    /// True if irrelevant pages are stored too.
    pub irrelevant: bool,
    /// True if pages are stored that forbid it (`noindex`).
    pub noindex: bool,
}

impl Default for OutputSettings {
    fn default() -> Self {
        Self {
            archive_bytes: 1_000_000_000,
            commit_seconds: 1.0,
            least_free: 1_000_000_000,
            links: true,
            irrelevant: true,
            noindex: false,
        }
    }
}

/// A setting that is out of range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {value} is out of range; give {range}")]
pub struct OutOfRange {
    name: &'static str,
    value: String,
    range: &'static str,
}

impl CrawlSettings {
    /// Returns the settings after a change, such as `settings.with(|it| it.budget = 200)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Checks that all settings are within their ranges.
    pub fn check(&self) -> Result<(), OutOfRange> {
        let seconds = [
            ("delay", self.politeness.delay),
            ("address-delay", self.politeness.address_delay),
            ("slow-cap", self.politeness.slow_cap),
            ("crawl-delay-cap", self.politeness.crawl_delay_cap),
            ("give-up-after", self.politeness.give_up_after),
            ("end-wait", self.politeness.end_wait),
            ("retry-after-cap", self.politeness.retry_after_cap),
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
            let range = "a name that begins with a letter, such as Ontrail, for use in robots.txt";
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

/// Converts seconds to a duration. Negative numbers and NaN become zero.
pub(crate) fn seconds(number: f64) -> Duration {
    Duration::try_from_secs_f64(number).unwrap_or(Duration::ZERO)
}

/// Converts seconds to milliseconds.
pub(crate) fn milliseconds(number: f64) -> u64 {
    u64::try_from(seconds(number).as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_are_matched() {
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
    fn numbers_out_of_range_are_refused() {
        assert_eq!(CrawlSettings::default().check(), Ok(()));
        let mut settings = CrawlSettings::default();
        settings.politeness.delay = f64::NAN;
        assert_eq!(
            settings.check().unwrap_err().to_string(),
            "delay: NaN is out of range; give seconds from 0 to 10000000"
        );
        let mut settings = CrawlSettings::default();
        settings.fetch.parallel = 0;
        assert!(settings.check().unwrap_err().to_string().starts_with("parallel: 0 "));
    }
}
