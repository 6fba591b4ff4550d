//! Reads a robots.txt file and selects what it says to one crawler.

use std::fmt;
use std::time::Duration;

use url::Url;

use super::pattern::{Pattern, comparable};
use super::product_token;

/// The number of bytes of a file that count (RFC 9309, section 2.5).
const MOST_BYTES: usize = 500 << 10;
/// The number of bytes of a line that count: eight times the longest URL that browsers accept, less
/// one, as at Google.
const MOST_LINE_BYTES: usize = 8 * 2_083 - 1;
const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// The rules of a robots.txt for one crawler.
#[derive(Debug, Clone)]
pub(crate) struct RulesFile {
    /// The agent whose groups apply: the crawler's product token in lower case, or `*`.
    agent: Box<str>,
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<Url>,
}

/// An Allow or Disallow line.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) line: usize,
    kind: RuleKind,
    written: Box<str>,
    pattern: Pattern,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RuleKind {
    Allow,
    Disallow,
}

impl RulesFile {
    /// Reads a file for the crawler with this product token. Groups of the same agent are merged,
    /// and the groups of `*` apply if the crawler has none of its own.
    pub(crate) fn parse(text: &[u8], token: &str) -> Self {
        let mut reader = Reader::new(token);
        for (number, line) in lines(text).enumerate() {
            reader.read(number + 1, line);
        }
        let Reader { own, others, sitemaps, .. } = reader;
        let (agent, group) = if own.is_named { (token, own) } else { ("*", others) };
        let Group { rules, crawl_delay, .. } = group;
        Self { agent: agent.to_ascii_lowercase().into(), rules, crawl_delay, sitemaps }
    }

    /// Returns the rule that decides about a path with its query: the longest that matches, and of
    /// rules of the same length Allow before Disallow, and the first.
    pub(crate) fn deciding_rule(&self, path: &str) -> Option<&Rule> {
        let path = comparable(path.as_bytes());
        let matching = self.rules.iter().filter(|rule| rule.pattern.matches(&path));
        // The last maximum is returned, so the first rule has to come last.
        matching.rev().max_by_key(|rule| (rule.pattern.length(), rule.allows()))
    }

    pub(crate) fn agent(&self) -> &str {
        &self.agent
    }

    pub(crate) fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    pub(crate) fn sitemaps(&self) -> &[Url] {
        &self.sitemaps
    }
}

impl Rule {
    pub(crate) fn allows(&self) -> bool {
        self.kind == RuleKind::Allow
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.written)
    }
}

/// Reads a file line by line.
struct Reader<'a> {
    token: &'a str,
    /// The merged groups that name the crawler.
    own: Group,
    /// The merged groups that name `*`.
    others: Group,
    /// True if a rule has come since the last line with an agent, so that the next such line begins
    /// another group. Lines of other kinds do not end the list of a group's agents (RFC 9309,
    /// section 2.2.4).
    after_rule: bool,
    /// True if a rule or a Crawl-delay has come since the last line with an agent. A Crawl-delay is
    /// for the agents that directly precede it. Many files have a Crawl-delay and no rule for one
    /// agent, and go on with the next agent.
    after_delay: bool,
    sitemaps: Vec<Url>,
}

/// The groups of one agent, merged.
#[derive(Default)]
struct Group {
    is_named: bool,
    /// True if the next rule belongs to this agent.
    takes_rules: bool,
    /// True if the next Crawl-delay belongs to this agent.
    takes_delay: bool,
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

impl<'a> Reader<'a> {
    fn new(token: &'a str) -> Self {
        let (own, others) = (Group::default(), Group::default());
        Self { token, own, others, after_rule: false, after_delay: false, sitemaps: Vec::new() }
    }

    fn read(&mut self, number: usize, line: &[u8]) {
        let Some((key, value)) = key_and_value(line) else { return };
        match Key::of(key) {
            Some(Key::UserAgent) => self.read_agent(value),
            Some(Key::Rule(kind)) => self.read_rule(number, kind, value),
            Some(Key::CrawlDelay) => self.read_delay(value),
            Some(Key::Sitemap) => {
                let url = std::str::from_utf8(value).ok().and_then(|value| Url::parse(value).ok());
                self.sitemaps.extend(url);
            }
            None => {}
        }
    }

    fn read_agent(&mut self, value: &[u8]) {
        for group in [&mut self.own, &mut self.others] {
            group.takes_rules &= !self.after_rule;
            group.takes_delay &= !self.after_delay;
        }
        (self.after_rule, self.after_delay) = (false, false);
        let named = String::from_utf8_lossy(value);
        let group = match product_token(&named) {
            "*" => &mut self.others,
            named if !named.is_empty() && named.eq_ignore_ascii_case(self.token) => &mut self.own,
            _ => return,
        };
        (group.is_named, group.takes_rules, group.takes_delay) = (true, true, true);
    }

    fn read_rule(&mut self, line: usize, kind: RuleKind, value: &[u8]) {
        (self.after_rule, self.after_delay) = (true, true);
        let written: Box<str> = String::from_utf8_lossy(value).into();
        let patterns = [Some(Pattern::new(value)), directory_of_index(kind, value)];
        for pattern in patterns.into_iter().flatten().filter(|pattern| pattern.length() > 0) {
            let rule = Rule { line, kind, written: written.clone(), pattern };
            for group in [&mut self.own, &mut self.others] {
                if group.takes_rules {
                    group.rules.push(rule.clone());
                }
            }
        }
    }

    fn read_delay(&mut self, value: &[u8]) {
        self.after_delay = true;
        let seconds = std::str::from_utf8(value).ok().and_then(|value| value.parse().ok());
        let delay = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        for group in [&mut self.own, &mut self.others] {
            if group.takes_delay {
                group.crawl_delay = group.crawl_delay.or(delay);
            }
        }
    }
}

/// Returns the folder whose start page a rule allows: at Google, `Allow: /a/index.html` also allows
/// `/a/`.
fn directory_of_index(kind: RuleKind, value: &[u8]) -> Option<Pattern> {
    let slash = value.iter().rposition(|byte| *byte == b'/')?;
    let is_index = kind == RuleKind::Allow && value[slash..].starts_with(b"/index.htm");
    is_index.then(|| Pattern::new(&[&value[..=slash], b"$"].concat()))
}

/// The key of a line that counts.
#[derive(Clone, Copy)]
enum Key {
    UserAgent,
    Rule(RuleKind),
    CrawlDelay,
    Sitemap,
}

impl Key {
    /// Spellings that Google accepts. A key may go on after them.
    const SPELLINGS: [(&'static str, Self); 13] = [
        ("user-agent", Self::UserAgent),
        ("useragent", Self::UserAgent),
        ("user agent", Self::UserAgent),
        ("allow", Self::Rule(RuleKind::Allow)),
        ("disallow", Self::Rule(RuleKind::Disallow)),
        ("dissallow", Self::Rule(RuleKind::Disallow)),
        ("dissalow", Self::Rule(RuleKind::Disallow)),
        ("disalow", Self::Rule(RuleKind::Disallow)),
        ("diasllow", Self::Rule(RuleKind::Disallow)),
        ("disallaw", Self::Rule(RuleKind::Disallow)),
        ("sitemap", Self::Sitemap),
        ("site-map", Self::Sitemap),
        ("crawl-delay", Self::CrawlDelay),
    ];

    fn of(key: &[u8]) -> Option<Self> {
        let starts = |spelling: &str| {
            key.get(..spelling.len()).is_some_and(|it| it.eq_ignore_ascii_case(spelling.as_bytes()))
        };
        Self::SPELLINGS.into_iter().find(|(spelling, _)| starts(spelling)).map(|(_, key)| key)
    }
}

/// Returns the lines of a file that count, without the characters that end them: a line feed, a
/// carriage return, or both.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let mark = text.iter().zip(BYTE_ORDER_MARK).take_while(|(byte, mark)| *byte == mark).count();
    let text = &text[mark..];
    // A rule of which only the beginning is known would match too much.
    let end = match text.get(..MOST_BYTES) {
        Some(start) if text.len() > MOST_BYTES => start.iter().rposition(is_end),
        _ => Some(text.len()),
    };
    let mut rest = Some(&text[..end.unwrap_or(0)]);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.iter().position(is_end);
        let line = &text[..end.unwrap_or(text.len())];
        rest = end.map(|end| {
            let length = if text[end..].starts_with(b"\r\n") { 2 } else { 1 };
            &text[end + length..]
        });
        Some(&line[..line.len().min(MOST_LINE_BYTES)])
    })
}

/// Splits a line into its key and its value. Some people forget the colon, so a line of two words
/// counts as well.
fn key_and_value(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = line.iter().position(|byte| matches!(byte, b'#' | 0)).unwrap_or(line.len());
    let line = trimmed(&line[..end]);
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let separator = line.iter().position(|byte| *byte == b':').or_else(|| {
        let blank = line.iter().position(is_blank)?;
        (!trimmed(&line[blank..]).iter().any(is_blank)).then_some(blank)
    })?;
    let (key, value) = (trimmed(&line[..separator]), trimmed(&line[separator + 1..]));
    (!key.is_empty()).then_some((key, value))
}

/// Returns text without white space at its ends. Unlike the standard library's function, this
/// includes the vertical tab.
fn trimmed(text: &[u8]) -> &[u8] {
    let is_text = |byte: &u8| !matches!(byte, b' ' | b'\t'..=b'\r');
    let start = text.iter().position(is_text).unwrap_or(text.len());
    let end = text.iter().rposition(is_text).map_or(start, |last| last + 1);
    &text[start..end]
}
