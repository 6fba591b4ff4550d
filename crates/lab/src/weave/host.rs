//! The hosts of a woven web.

use super::plan::PageId;
use super::settings::WeaveSettings;
use super::texts::Texts;
use crate::random_stream::RandomStream;

/// A host of a woven web.
#[derive(Debug, Clone)]
pub(crate) struct WovenHost {
    pub(crate) name: String,
    /// The name of the site, as shown on its pages.
    pub(crate) title: String,
    /// The label of its main topic.
    pub(crate) main: u16,
    pub(crate) is_portal: bool,
    pub(crate) charset: Charset,
    /// The layout of its pages.
    pub(crate) theme: u8,
    /// The style of the URLs of its articles.
    pub(crate) url_style: u8,
    pub(crate) front: PageId,
    /// The first page of each section, by label.
    pub(crate) sections: Vec<(u16, PageId)>,
    /// The articles with the most incoming links.
    pub(crate) popular: Vec<PageId>,
    pub(crate) calendar: Option<PageId>,
    /// True if its robots.txt keeps crawlers out of the calendar.
    pub(crate) forbids_calendar: bool,
}

/// The charset of a host's pages, and the one that they declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charset {
    Gbk,
    Utf8,
    /// UTF-8 that is declared as GB2312.
    Utf8Misdeclared,
}

/// Syllables of host names.
const SYLLABLES: [&str; 24] = [
    "qing", "lan", "yun", "he", "shan", "bei", "lin", "xi", "hai", "tian", "dong", "mu", "jin",
    "song", "tao", "wen", "yuan", "an", "ping", "chuan", "feng", "ning", "zhou", "lu",
];

/// Returns the hosts with the given main topics. The first `portals` hosts are portals.
pub(crate) fn hosts(
    settings: &WeaveSettings,
    texts: &Texts,
    mains: &[u16],
    portals: usize,
) -> Vec<WovenHost> {
    let words = texts.words();
    let host = |(at, main): (usize, &u16)| {
        let mut random = RandomStream::new(settings.seed, "host", at as u64);
        let is_portal = at < portals;
        let syllable = random.pick(&SYLLABLES).to_owned() + random.pick(&SYLLABLES);
        let prefix = random.pick(&["www", "news", "bbs", "blog", "info", "m"]);
        let prefix = if is_portal { "www" } else { prefix };
        let is_gbk = texts.is_chinese && random.happens(settings.gbk);
        let is_wrong = texts.is_chinese && random.happens(settings.wrong_charset);
        WovenHost {
            name: format!("{prefix}.{syllable}{at}.example"),
            title: format!("{syllable}{at} {}", random.pick(words.site)),
            main: *main,
            is_portal,
            charset: match (is_gbk, is_wrong) {
                (true, _) => Charset::Gbk,
                (false, true) => Charset::Utf8Misdeclared,
                (false, false) => Charset::Utf8,
            },
            theme: u8::try_from(random.below(4)).unwrap_or(0),
            url_style: u8::try_from(random.below(4)).unwrap_or(0),
            front: 0,
            sections: Vec::new(),
            popular: Vec::new(),
            calendar: None,
            forbids_calendar: false,
        }
    };
    mains.iter().enumerate().map(host).collect()
}
