//! The hosts of a woven web.

use super::plan::PageId;
use super::settings::WeaveSettings;
use super::texts::Texts;
use crate::dice::Dice;

/// A host.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub(crate) name: String,
    /// What it is called.
    pub(crate) title: String,
    /// Its main topic.
    pub(crate) main: u16,
    pub(crate) is_portal: bool,
    pub(crate) charset: Charset,
    /// What its pages look like, and its addresses.
    pub(crate) theme: u8,
    pub(crate) addresses: u8,
    pub(crate) front: PageId,
    /// The first page of each section that it has.
    pub(crate) sections: Vec<(u16, PageId)>,
    /// The articles that most links lead to.
    pub(crate) hot: Vec<PageId>,
    pub(crate) calendar: Option<PageId>,
    /// Whether its robots.txt keeps crawlers out of the calendar.
    pub(crate) forbids_calendar: bool,
}

/// How a host's pages are encoded, and what they say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charset {
    Gbk,
    Utf8,
    /// UTF-8 that says GB2312.
    Utf8Misdeclared,
}

/// Parts of the names of hosts.
const SYLLABLES: [&str; 24] = [
    "qing", "lan", "yun", "he", "shan", "bei", "lin", "xi", "hai", "tian", "dong", "mu", "jin",
    "song", "tao", "wen", "yuan", "an", "ping", "chuan", "feng", "ning", "zhou", "lu",
];

/// The hosts, with their main topics; the first are portals.
pub(crate) fn hosts(
    settings: &WeaveSettings,
    texts: &Texts,
    mains: &[u16],
    portals: usize,
) -> Vec<Host> {
    let words = texts.words();
    let host = |(at, main): (usize, &u16)| {
        let mut dice = Dice::new(settings.seed, "host", at as u64);
        let is_portal = at < portals;
        let syllable = dice.pick(&SYLLABLES).to_owned() + dice.pick(&SYLLABLES);
        let prefix = dice.pick(&["www", "news", "bbs", "blog", "info", "m"]);
        let prefix = if is_portal { "www" } else { prefix };
        let is_gbk = texts.is_chinese && dice.happens(settings.gbk);
        let is_wrong = texts.is_chinese && dice.happens(settings.wrong_charset);
        Host {
            name: format!("{prefix}.{syllable}{at}.example"),
            title: format!("{syllable}{at} {}", dice.pick(words.site)),
            main: *main,
            is_portal,
            charset: match (is_gbk, is_wrong) {
                (true, _) => Charset::Gbk,
                (false, true) => Charset::Utf8Misdeclared,
                (false, false) => Charset::Utf8,
            },
            theme: u8::try_from(dice.below(4)).unwrap_or(0),
            addresses: u8::try_from(dice.below(4)).unwrap_or(0),
            front: 0,
            sections: Vec::new(),
            hot: Vec::new(),
            calendar: None,
            forbids_calendar: false,
        }
    };
    mains.iter().enumerate().map(host).collect()
}
