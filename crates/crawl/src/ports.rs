//! The ports that a crawler does not connect to.
//!
//! A link can name any port. Behind some of them are services that read a request line by line and
//! obey what looks like a command of theirs: mail servers, chat servers, databases. Browsers refuse
//! such ports, and so does the crawler, because whoever writes a page must not be able to make it
//! talk to them. Ports that the user names are exceptions.

use std::collections::BTreeSet;

use url::Url;

/// The bad ports of the Fetch standard (section "Port blocking"), in order.
const BAD: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
];
/// Ports that are refused besides. Redis (6379) and memcached (11211) read commands line by line;
/// Docker (2375) and Elasticsearch (9200) obey any HTTP request without asking who sent it. None of
/// them serves pages.
const SERVICES: [u16; 4] = [2375, 6379, 9200, 11211];

/// The ports that a crawl may connect to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ports {
    /// Ports that the user allows on every host.
    everywhere: BTreeSet<u16>,
    /// The hosts and ports of the seeds.
    seeds: BTreeSet<(String, u16)>,
}

impl Ports {
    /// Returns the ports of a crawl: those that are not refused, those that the user allows, and
    /// on the hosts of the seeds also those that the seeds name.
    #[must_use]
    pub fn new(allowed: &[u16], seeds: &[Url]) -> Self {
        let seeds = seeds.iter().filter_map(host_and_port).collect();
        Self { everywhere: allowed.iter().copied().collect(), seeds }
    }

    /// Returns the port of a URL if the crawler must not connect to it.
    ///
    /// ```
    /// # use ontrail_crawl::Ports;
    /// let ports = Ports::new(&[25], &["http://a.example:6379/".parse()?]);
    /// assert_eq!(ports.refused(&"http://b.example:6379/".parse()?), Some(6379));
    /// assert_eq!(ports.refused(&"http://a.example:6379/x".parse()?), None);
    /// assert_eq!(ports.refused(&"http://b.example:25/".parse()?), None);
    /// assert_eq!(ports.refused(&"http://b.example:8080/".parse()?), None);
    /// # Ok::<(), url::ParseError>(())
    /// ```
    #[must_use]
    pub fn refused(&self, url: &Url) -> Option<u16> {
        let port = url.port_or_known_default()?;
        let is_bad = BAD.binary_search(&port).is_ok() || SERVICES.contains(&port);
        let is_allowed = || {
            self.everywhere.contains(&port)
                || host_and_port(url).is_some_and(|place| self.seeds.contains(&place))
        };
        (is_bad && !is_allowed()).then_some(port)
    }
}

fn host_and_port(url: &Url) -> Option<(String, u16)> {
    Some((url.host_str()?.to_owned(), url.port_or_known_default()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_that_browsers_refuse_are_refused() {
        assert!(BAD.is_sorted(), "the list is searched by halves");
        let ports = Ports::default();
        for port in BAD.into_iter().chain(SERVICES) {
            let url = format!("https://example.org:{port}/").parse().unwrap();
            assert_eq!(ports.refused(&url), Some(port));
        }
        for url in ["http://example.org/", "https://example.org/", "http://example.org:8080/"] {
            assert_eq!(ports.refused(&url.parse().unwrap()), None, "{url}");
        }
    }

    #[test]
    fn the_port_of_a_seed_is_allowed_on_its_own_host_only() {
        let ports = Ports::new(&[], &["http://a.example:22/".parse().unwrap()]);
        assert_eq!(ports.refused(&"https://a.example:22/x".parse().unwrap()), None);
        assert_eq!(ports.refused(&"http://b.a.example:22/".parse().unwrap()), Some(22));
        assert_eq!(ports.refused(&"http://a.example:23/".parse().unwrap()), Some(23));
    }
}
