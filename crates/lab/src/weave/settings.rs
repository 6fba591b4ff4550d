//! The properties of a woven web: each has a name and a default, with the source of the default.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The properties of a woven web.
///
/// These defaults are measurements of the real web:
///
/// | setting | default | measured |
/// |---|---|---|
/// | `host-exponent` | 1.8 | pages per site: exponent 1.7 to 1.9 (Huberman and Adamic 1999) |
/// | `in-exponent` | 2.1 | in-degrees (Broder et al. 2000) |
/// | `out-exponent` | 2.72 | out-degrees (Broder et al. 2000) |
/// | `least-links` | 3 | gives their mean out-degree of 7.2 |
/// | `same-host` | 0.75 | most links stay on their host (Kamvar et al. 2003) |
/// | `duplicates` | 0.222 | 22.2 % of pages virtually identical to others (Fetterly et al. 2003) |
/// | `near-duplicates` | 0.07 | 29.2 % very similar, including identical ones (same source) |
/// | `dead` | 0.042 | 23 % of news pages have a dead link (Pew 2024), as with 4.2 % here |
///
/// Links tend to stay on a topic (Davison 2000, Menczer 2001, Chakrabarti et al. 2002), but the
/// share depends on the definition of a topic. The default of `locality` is therefore our choice,
/// and so are all the other defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct WeaveSettings {
    /// Number of pages.
    pub pages: u32,
    /// Number of hosts.
    pub hosts: u32,
    /// The random seed.
    pub seed: u64,
    /// Exponent of the power law of host sizes.
    pub host_exponent: f64,
    /// Exponent of the power law of in-degrees.
    pub in_exponent: f64,
    /// Exponent of the power law of the number of links in an article.
    pub out_exponent: f64,
    /// Least number of links in an article, without navigation.
    pub least_links: u32,
    /// Share of an article's links that stay on its host.
    pub same_host: f64,
    /// Share of an article's links that lead to its own topic.
    pub locality: f64,
    /// Share of hosts that are portals, which have all topics and pages that mix them.
    pub portals: f64,
    /// Share of the articles on the main topic of a host that is not a portal.
    pub purity: f64,
    /// Share of articles that can be reached only through portals.
    pub tunnels: f64,
    /// Mean number of such articles that are linked with each other.
    pub island: u32,
    /// Share of articles that take a third of their sentences from another topic.
    pub ambiguous: f64,
    /// Share of pages that are exact copies of others.
    pub duplicates: f64,
    /// Share of pages with nearly the same text as another.
    pub near_duplicates: f64,
    /// Share of an article's links that are dead.
    pub dead: f64,
    /// Share of an article's links that lead through a redirect.
    pub redirects: f64,
    /// Share of pages that belong to endless calendars.
    pub traps: f64,
    /// Share of links whose anchor text is a generic phrase, such as "more".
    pub generic_anchors: f64,
    /// Share of the links to articles whose anchor text is not the title: a phrase such as "more",
    /// a piece of the title, or an image without text. If greater than 0, it replaces
    /// `generic-anchors` and holds for lists as well.
    pub untitled_links: f64,
    /// True if each host has a template of its own, with its own tags and classes.
    pub own_templates: bool,
    /// Number of paragraphs that stand on every page of a host.
    pub boilerplate: u32,
    /// Number of teasers beside each article: links to other articles of the host, on any topic.
    pub teasers: u32,
    /// True if the paths of URLs say nothing about pages.
    pub opaque_urls: bool,
    /// Share of hosts whose pages are in GBK, if the texts are Chinese.
    pub gbk: f64,
    /// Share of the other hosts that declare a wrong charset, if the texts are Chinese.
    pub wrong_charset: f64,
    /// Shares of topics among articles, by label. Other topics share the rest evenly.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub shares: BTreeMap<String, f64>,
    /// Names of topics on pages, by label. By default, the label is the name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, String>,
}

/// The settings of a realistic web that differ from the defaults, as TOML: link texts that are no
/// titles, and templates with markup, text and teasers of their own.
pub const REALISTIC: &str = "\
untitled-links = 0.4
own-templates = true
boilerplate = 6
teasers = 6
";

impl Default for WeaveSettings {
    fn default() -> Self {
        Self {
            pages: 10_000,
            hosts: 300,
            seed: 0,
            host_exponent: 1.8,
            in_exponent: 2.1,
            out_exponent: 2.72,
            least_links: 3,
            same_host: 0.75,
            locality: 0.6,
            portals: 0.05,
            purity: 0.85,
            tunnels: 0.15,
            island: 6,
            ambiguous: 0.1,
            duplicates: 0.222,
            near_duplicates: 0.07,
            dead: 0.042,
            redirects: 0.05,
            traps: 0.02,
            generic_anchors: 0.15,
            untitled_links: 0.0,
            own_templates: false,
            boilerplate: 0,
            teasers: 0,
            opaque_urls: false,
            gbk: 0.3,
            wrong_charset: 0.05,
            shares: BTreeMap::new(),
            names: BTreeMap::new(),
        }
    }
}

impl WeaveSettings {
    /// Returns the settings after a change, such as `settings.with(|it| it.pages = 200)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Checks that all numbers are in their ranges. The error is a message for the user.
    pub fn check(&self) -> Result<(), String> {
        let within = |name: &str, value: f64, least: f64, most: f64| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            Err(format!("{name} = {value} is not between {least} and {most}"))
        };
        within("pages", f64::from(self.pages), 100.0, 10_000_000.0)?;
        within("hosts", f64::from(self.hosts), 4.0, 50_000.0)?;
        if self.hosts > self.pages / 5 {
            return Err(format!(
                "{} hosts for {} pages: a web needs at least five pages per host",
                self.hosts, self.pages
            ));
        }
        if i64::try_from(self.seed).is_err() {
            return Err(format!("seed = {} is too large for a TOML file", self.seed));
        }
        within("host-exponent", self.host_exponent, 1.2, 5.0)?;
        within("in-exponent", self.in_exponent, 1.5, 5.0)?;
        within("out-exponent", self.out_exponent, 1.5, 5.0)?;
        within("least-links", f64::from(self.least_links), 1.0, 50.0)?;
        within("island", f64::from(self.island), 1.0, 50.0)?;
        within("boilerplate", f64::from(self.boilerplate), 0.0, 12.0)?;
        within("teasers", f64::from(self.teasers), 0.0, 50.0)?;
        within("portals", self.portals, 0.0, 0.5)?;
        within("tunnels", self.tunnels, 0.0, 0.5)?;
        within("traps", self.traps, 0.0, 0.3)?;
        for (name, value) in [
            ("same-host", self.same_host),
            ("locality", self.locality),
            ("purity", self.purity),
            ("ambiguous", self.ambiguous),
            ("dead", self.dead),
            ("redirects", self.redirects),
            ("generic-anchors", self.generic_anchors),
            ("untitled-links", self.untitled_links),
            ("gbk", self.gbk),
            ("wrong-charset", self.wrong_charset),
        ] {
            within(name, value, 0.0, 1.0)?;
        }
        within("duplicates", self.duplicates, 0.0, 0.5)?;
        within("near-duplicates", self.near_duplicates, 0.0, 0.3)?;
        for (label, share) in &self.shares {
            within(&format!("share of {label}"), *share, 0.0, 1.0)?;
        }
        if self.dead + self.redirects > 1.0 {
            return Err("dead and redirects add up to more than 1".to_owned());
        }
        Ok(())
    }

    /// Returns the share of each topic, in the order of the labels.
    pub(crate) fn topic_shares(&self, labels: &[String]) -> Result<Vec<f64>, String> {
        if let Some(unknown) = self.shares.keys().find(|name| !labels.contains(name)) {
            return Err(format!(
                "no text has the label {unknown:?}; the labels are {}",
                labels.join(", ")
            ));
        }
        let named: f64 = self.shares.values().sum();
        if named > 1.0 + 1e-9 {
            return Err(format!("the shares of topics add up to {named}, more than 1"));
        }
        let others = labels.len() - self.shares.len();
        let rest = if others == 0 { 0.0 } else { (1.0 - named).max(0.0) / others as f64 };
        Ok(labels.iter().map(|label| self.shares.get(label).copied().unwrap_or(rest)).collect())
    }
}
