//! What a woven web is like: every property has a name, a default, and where the default is from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a woven web is like.
///
/// Where the web has been measured, the default is what was measured:
///
/// | setting | default | measured |
/// |---|---|---|
/// | `host-exponent` | 1.8 | pages of a site follow a power law with an exponent from 1.7 to 1.9 (Huberman and Adamic 1999) |
/// | `in-exponent` | 2.1 | in-degrees (Broder et al. 2000) |
/// | `out-exponent`, `least-links` | 2.72, 3 | out-degrees (Broder et al. 2000); with three links at least the mean is theirs, 7.2 |
/// | `same-host` | 0.75 | most links stay on their host (Kamvar et al. 2003) |
/// | `duplicates`, `near-duplicates` | 0.222, 0.07 | 22.2 % of pages are virtually identical to others, 29.2 % very similar (Fetterly et al. 2003) |
/// | `dead` | 0.042 | 23 % of news pages have a dead link (Pew 2024), which is so with 4.2 % of the links here |
///
/// Links follow topics (Davison 2000, Menczer 2001, Chakrabarti et al. 2002), but how much depends on what is called a topic, so
/// `locality` is ours, and so are all others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct WeaveSettings {
    /// How many pages there are.
    pub pages: u32,
    /// On how many hosts.
    pub hosts: u32,
    /// What fixes every random choice.
    pub seed: u64,
    /// How skewed the sizes of hosts are: the exponent of their power law.
    pub host_exponent: f64,
    /// How skewed in-degrees are.
    pub in_exponent: f64,
    /// How skewed the number of links in articles is.
    pub out_exponent: f64,
    /// How many links an article has at least, navigation aside.
    pub least_links: u32,
    /// The share of an article's links that stay on its host.
    pub same_host: f64,
    /// The share of an article's links that lead to its own topic.
    pub locality: f64,
    /// The share of hosts that are portals, with all topics and pages that mix them.
    pub portals: f64,
    /// The share of another host's articles that are on its main topic.
    pub purity: f64,
    /// The share of articles that only portals lead to.
    pub tunnels: f64,
    /// How many such articles lie together.
    pub island: u32,
    /// The share of articles that borrow a third of their sentences from another topic.
    pub ambiguous: f64,
    /// The share of pages with the same bytes as another.
    pub duplicates: f64,
    /// The share of pages with nearly the same text as another.
    pub near_duplicates: f64,
    /// The share of an article's links that lead nowhere.
    pub dead: f64,
    /// The share of an article's links that lead through a redirect.
    pub redirects: f64,
    /// The share of pages that belong to calendars without end.
    pub traps: f64,
    /// The share of links whose text says nothing of where they lead.
    pub generic_anchors: f64,
    /// The share of hosts that write GBK, where the texts are Chinese.
    pub gbk: f64,
    /// The share of the other hosts that declare a charset which is not theirs.
    pub wrong_charset: f64,
    /// The shares of topics among articles; what is not named shares the rest evenly.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub shares: BTreeMap<String, f64>,
    /// What topics are called on pages, where that is not their label.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, String>,
}

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
            gbk: 0.3,
            wrong_charset: 0.05,
            shares: BTreeMap::new(),
            names: BTreeMap::new(),
        }
    }
}

impl WeaveSettings {
    /// Checks that numbers are where they can be. Says what is wrong otherwise.
    pub fn check(&self) -> Result<(), String> {
        let within = |name: &str, value: f64, least: f64, most: f64| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            Err(format!("{name} = {value} is not from {least} to {most}"))
        };
        within("pages", f64::from(self.pages), 100.0, 10_000_000.0)?;
        within("hosts", f64::from(self.hosts), 4.0, 50_000.0)?;
        if self.hosts > self.pages / 5 {
            return Err(format!(
                "{} hosts for {} pages: give five pages a host at least",
                self.hosts, self.pages
            ));
        }
        if i64::try_from(self.seed).is_err() {
            return Err(format!("seed = {} is more than a TOML file can hold", self.seed));
        }
        within("host-exponent", self.host_exponent, 1.2, 5.0)?;
        within("in-exponent", self.in_exponent, 1.5, 5.0)?;
        within("out-exponent", self.out_exponent, 1.5, 5.0)?;
        within("least-links", f64::from(self.least_links), 1.0, 50.0)?;
        within("island", f64::from(self.island), 1.0, 50.0)?;
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
            ("gbk", self.gbk),
            ("wrong-charset", self.wrong_charset),
        ] {
            within(name, value, 0.0, 1.0)?;
        }
        within("duplicates", self.duplicates, 0.0, 0.5)?;
        within("near-duplicates", self.near_duplicates, 0.0, 0.3)?;
        for (label, share) in &self.shares {
            within(&format!("the share of {label}"), *share, 0.0, 1.0)?;
        }
        if self.dead + self.redirects > 1.0 {
            return Err("dead and redirects are more than all links together".to_owned());
        }
        Ok(())
    }

    /// The share of each topic, in the order of the labels.
    pub(crate) fn topic_shares(&self, labels: &[String]) -> Result<Vec<f64>, String> {
        if let Some(unknown) = self.shares.keys().find(|name| !labels.contains(name)) {
            return Err(format!(
                "there are no texts on {unknown:?}; there are {}",
                labels.join(", ")
            ));
        }
        let named: f64 = self.shares.values().sum();
        if named > 1.0 + 1e-9 {
            return Err(format!("the shares of topics add up to {named}, which is more than 1"));
        }
        let others = labels.len() - self.shares.len();
        let rest = if others == 0 { 0.0 } else { (1.0 - named).max(0.0) / others as f64 };
        Ok(labels.iter().map(|label| self.shares.get(label).copied().unwrap_or(rest)).collect())
    }
}
