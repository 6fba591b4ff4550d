//! The one port through which the crawler asks its models.
//!
//! The crawler knows how to fetch and where to go next; what a page is about it asks here. The crate `focus`
//! has the answer.

use ontrail_page::RobotsMeta;
use ontrail_pilot::PageFacts;
use url::Url;

/// Something that reads pages with a topic in mind.
pub trait Focus: Send + Sync {
    /// Reads a page: what it is about, and where it leads.
    fn read(&self, bytes: &[u8], url: &Url, content_type: Option<&str>) -> Reading;
}

/// What a page was found to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Its title.
    pub title: String,
    /// The charset that it was read in.
    pub charset: &'static str,
    /// Its language, if that is known.
    pub language: Option<String>,
    /// What it asks of crawlers.
    pub robots: RobotsMeta,
    /// R(p), from 0 to 1; none if there is no topic.
    pub relevance: Option<f64>,
    /// What a classifier takes it for.
    pub class: Option<Class>,
    /// What it says, in 64 bits: texts that hardly differ differ in few of them. None for a text that is too short to tell.
    pub gist: Option<u64>,
    /// Where it leads.
    pub links: Vec<FoundLink>,
}

impl Reading {
    /// What a pilot needs to know of it.
    #[must_use]
    pub fn facts(&self) -> PageFacts<'_> {
        let class = self.class.as_ref().map(|class| class.name.as_str());
        PageFacts { relevance: self.relevance, class }
    }
}

/// What a classifier takes a page for.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// The class.
    pub name: String,
    /// How sure it is, from 0 to 1.
    pub probability: f64,
}

/// A link on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundLink {
    /// Where it leads.
    pub url: Url,
    /// Its text.
    pub anchor: String,
    /// Whether crawlers are asked not to follow it.
    pub nofollow: bool,
    /// R(A), the relevance of its text; 0 if there is no topic.
    pub relevance: f64,
    /// R(CL), the relevance of what stands around it; 0 unless it was asked for.
    pub context: f64,
    /// R(B), the relevance of the content block that it stands in; 0 unless it was asked for.
    pub block: f64,
}

/// The gist of a text (Charikar's SimHash): each word votes on each of 64 bits, as often as it occurs.
///
/// ```
/// # use ontrail_crawl::gist;
/// let a = gist([("rain", 9), ("storm", 8), ("flood", 7), ("city", 1)]);
/// let b = gist([("rain", 9), ("storm", 8), ("flood", 7), ("town", 1)]);
/// assert!((a ^ b).count_ones() <= 3);
/// ```
#[must_use]
pub fn gist<'t>(words: impl IntoIterator<Item = (&'t str, u32)>) -> u64 {
    let mut votes = [[0_i32; 8]; 8];
    for (word, count) in words {
        let bits = xxhash_rust::xxh3::xxh3_64(word.as_bytes()).to_le_bytes();
        // A thousand times is as good as any more.
        let count = i32::try_from(count.min(1_000)).unwrap_or(0);
        for (votes, byte) in votes.iter_mut().zip(bits) {
            let signs = &SIGNS[usize::from(byte)];
            votes.iter_mut().zip(signs).for_each(|(vote, sign)| *vote += sign * count);
        }
    }
    let votes = votes.as_flattened();
    let set = votes.iter().enumerate().filter(|(_, vote)| **vote > 0);
    set.fold(0, |gist, (place, _)| gist | 1 << place)
}

/// Of each byte, how its bits vote: 1 for those that are set, -1 for the others.
const SIGNS: [[i32; 8]; 256] = {
    let mut signs = [[-1; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                signs[byte][bit] = 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    signs
};
