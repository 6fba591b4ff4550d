//! Instructions to crawlers, in the head of a page or in the `X-Robots-Tag` headers of a response.

/// Maximum number of crawlers whose instructions are kept.
const MOST_AGENTS: usize = 32;

/// Instructions in an `X-Robots-Tag` that have a value after a colon, so that the name before the
/// colon is not that of a crawler.
const WITH_VALUE: [&str; 4] =
    ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// The instructions to a crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct RobotsMeta {
    /// True if the page must not be stored.
    pub noindex: bool,
    /// True if the page's links must not be followed.
    pub nofollow: bool,
}

impl RobotsMeta {
    /// Adds the instructions of one more meta element.
    pub fn merge(&mut self, content: &str) {
        content.split(',').for_each(|directive| self.add(directive));
    }

    /// Adds the instructions of one more `X-Robots-Tag` header to the crawler with the product
    /// token `agent`. The name of a crawler and a colon mean that the instructions after them are
    /// for that crawler only.
    ///
    /// ```
    /// # use ontrail_page::RobotsMeta;
    /// let mut robots = RobotsMeta::default();
    /// robots.merge_header("otherbot: noindex, nofollow", "Ontrail");
    /// assert_eq!(robots, RobotsMeta::default());
    /// robots.merge_header("ontrail: noindex, otherbot: nofollow", "Ontrail");
    /// assert_eq!(robots, RobotsMeta { noindex: true, nofollow: false });
    /// ```
    pub fn merge_header(&mut self, value: &str, agent: &str) {
        let mut is_ours = true;
        for part in value.split(',') {
            let directive = match part.split_once(':') {
                Some((name, directive)) if names_agent(name.trim()) => {
                    let name = name.trim().split('/').next().unwrap_or_default();
                    is_ours = name == "*" || name.eq_ignore_ascii_case(agent);
                    directive
                }
                _ => part,
            };
            if is_ours {
                self.add(directive);
            }
        }
    }

    /// Adds the instructions of another source for the same crawler.
    pub fn add_all(&mut self, other: Self) {
        self.noindex |= other.noindex;
        self.nofollow |= other.nofollow;
    }

    fn add(&mut self, directive: &str) {
        let is = |name: &str| directive.trim().eq_ignore_ascii_case(name);
        self.noindex |= is("noindex") || is("none");
        self.nofollow |= is("nofollow") || is("none");
    }
}

/// Returns true if a word before a colon is the name of a crawler. The date of an
/// `unavailable_after` may contain commas and colons, so a name has no spaces and starts with a
/// letter.
fn names_agent(name: &str) -> bool {
    let is_word = name == "*"
        || (name.starts_with(|c: char| c.is_ascii_alphabetic())
            && !name.contains(|c: char| c.is_ascii_whitespace()));
    is_word && !WITH_VALUE.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The instructions to single crawlers, such as `<meta name="otherbot" content="noindex">`, by the
/// name of the crawler.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentRobots(Vec<(String, RobotsMeta)>);

impl AgentRobots {
    /// Adds the instructions of a meta element with any name. Does nothing if it has none: most
    /// meta elements are not for crawlers.
    pub(crate) fn merge(&mut self, name: &str, content: &str) {
        let mut robots = RobotsMeta::default();
        robots.merge(content);
        if robots != RobotsMeta::default() && self.0.len() < MOST_AGENTS {
            self.0.push((name.to_owned(), robots));
        }
    }

    /// Returns the instructions to the crawler with the product token `agent`.
    #[must_use]
    pub fn of(&self, agent: &str) -> RobotsMeta {
        let mut robots = RobotsMeta::default();
        let own = self.0.iter().filter(|(name, _)| name.eq_ignore_ascii_case(agent));
        own.for_each(|(_, more)| robots.add_all(*more));
        robots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_for_all_crawlers_or_for_the_one_it_names() {
        for (value, noindex, nofollow) in [
            ("noindex", true, false),
            ("NOINDEX , NoFollow", true, true),
            ("none", true, true),
            ("ontrail: noindex", true, false),
            ("Ontrail/1.0: none", true, true),
            ("otherbot: noindex, nofollow", false, false),
            ("otherbot: noindex, ontrail: nofollow", false, true),
            ("nofollow, otherbot: noindex", false, true),
            ("otherbot2: noindex, nofollow", false, false),
            ("*: noindex", true, false),
            ("ontrail : noindex", true, false),
            ("unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow", false, true),
            ("unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex", true, false),
            ("max-snippet: -1, noindex", true, false),
            ("ontrail: max-image-preview: large, noindex", true, false),
            ("otherbot: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex", false, false),
            ("noarchive, nosnippet", false, false),
            (": noindex", false, false),
            ("", false, false),
        ] {
            let mut robots = RobotsMeta::default();
            robots.merge_header(value, "Ontrail");
            assert_eq!(robots, RobotsMeta { noindex, nofollow }, "{value}");
        }
    }
}
