//! The site to crawl. Its pages are generated from their numbers, the same every time.
//!
//! The number of a page decides how close it is to the topic, from 0 to 4. The closer a page is,
//! the more topic words are in its paragraphs and in the anchor texts of links to it.

use ontrail_topic::{Origin, Term, Topic};

/// Number of pages that links can lead to: far more than are crawled.
const PAGES: u64 = 10_000_000;
const LINKS: u64 = 50;
const PARAGRAPHS: u64 = 44;
/// Syllables of an invented language that is segmented like English.
const ONSETS: [&str; 16] =
    ["b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "st", "tr", "pl", "w"];
const VOWELS: [&str; 6] = ["a", "e", "i", "o", "u", "ea"];
const ENDS: [&str; 8] = ["n", "r", "l", "t", "nd", "rk", "m", "st"];

/// Returns the topic of the benchmark: 50 words with falling weights.
pub(super) fn topic() -> Topic {
    let terms =
        (0..50_u32).map(|n| Term::new(topic_word(u64::from(n)), 1.0 / f64::from(1 + n / 5)));
    Topic::new("bench", Origin::Keywords, terms.collect()).expect("the terms are words")
}

fn topic_word(number: u64) -> String {
    format!("{}{}", word(number * 31 + 7), "ix")
}

/// Returns a word of one or two syllables.
fn word(number: u64) -> String {
    let pick =
        |list: &[&str], of: u64| list[usize::try_from(of).unwrap_or(0) % list.len()].to_owned();
    let first = pick(&ONSETS, number) + &pick(&VOWELS, number / 16) + &pick(&ENDS, number / 96);
    if number < 600 && number.is_multiple_of(3) {
        return first;
    }
    first + &pick(&ONSETS, number / 768) + &pick(&VOWELS, number / 5) + &pick(&ENDS, number / 7)
}

/// Returns the number of one of 20,000 words. As in any language, the first are far more frequent
/// than the last.
fn common(random: u64) -> u64 {
    let share = (random % 10_000) as f64 / 10_000.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 20,000")]
    let number = (share.powi(4) * 20_000.0) as u64;
    number
}

/// Hashes a number (splitmix64).
fn mixed(number: u64) -> u64 {
    let a = (number.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ (number >> 30))
        .wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    b ^ (b >> 31)
}

/// Returns how close a page is to the topic, from 0 to 4.
fn closeness(page: u64) -> u64 {
    [0, 0, 0, 0, 1, 1, 2, 4][usize::try_from(mixed(page ^ 0x5eed) % 8).unwrap_or(0)]
}

/// Returns styles and scripts, which make up half of a typical page.
fn boilerplate() -> String {
    let rule = |n: u32| {
        format!(".c{n}{{margin:{n}px 0 {}px;color:#{:06x};display:block}}\n", n % 7, n * 4_099)
    };
    let step =
        |n: u32| format!("function f{n}(e){{var a=e.target;if(a.id>{n}){{a.className='c{n}'}}}}\n");
    let (rules, steps): (String, String) =
        ((0..70).map(rule).collect(), (0..70).map(step).collect());
    format!("<style>\n{rules}</style>\n<script>\n{steps}</script>\n")
}

/// The parts that pages are assembled from, generated once.
pub(super) struct Site {
    /// By closeness to the topic.
    paragraphs: [Vec<String>; 5],
    /// By closeness of the target.
    anchors: [Vec<String>; 5],
    boilerplate: String,
}

impl Site {
    pub(super) fn new() -> Self {
        let texts = |closeness: u64, count: u64, length: u64| -> Vec<String> {
            (0..count).map(|number| text(number * 8 + closeness, closeness, length)).collect()
        };
        Self {
            paragraphs: std::array::from_fn(|closeness| texts(closeness as u64, 400, 45)),
            anchors: std::array::from_fn(|closeness| texts(closeness as u64, 400, 5)),
            boilerplate: boilerplate(),
        }
    }

    /// Returns a page: about 32 kB of title, headings, paragraphs, navigation and links.
    pub(super) fn page(&self, number: u64) -> String {
        let own = usize::try_from(closeness(number)).unwrap_or(0);
        let mut seed = mixed(number);
        let mut next = |bound: u64| {
            seed = mixed(seed);
            usize::try_from(seed % bound).unwrap_or(0)
        };
        let title = &self.anchors[own][next(400)];
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
             <meta name=\"description\" content=\"{title}\">\n<link rel=\"stylesheet\" href=\"/style.css\">\n\
             {}</head>\n<body>\n<div class=\"top\"><ul class=\"menu\">\n",
            self.boilerplate
        );
        html.reserve(40_000);
        let (mut links, mut paragraphs) = (0, 0);
        while paragraphs < PARAGRAPHS || links < LINKS {
            if links * PARAGRAPHS <= paragraphs * LINKS && links < LINKS {
                let target = next(PAGES) as u64;
                let of = usize::try_from(closeness(target)).unwrap_or(0);
                let anchor = &self.anchors[of][next(400)];
                for piece in [
                    "<li class=\"item\"><a class=\"link c7\" href=\"/p/",
                    &target.to_string(),
                    ".html\">",
                    anchor,
                ] {
                    html.push_str(piece);
                }
                html.push_str("</a></li>\n");
                links += 1;
                continue;
            }
            if paragraphs % 12 == 0 {
                let heading = &self.anchors[own][next(400)];
                html += &format!("</ul></div>\n<div class=\"part\">\n<h2>{heading}</h2>\n<ul>\n");
            }
            let paragraph = &self.paragraphs[own][next(400)];
            for piece in
                ["<li class=\"text c3\"><div class=\"row c5\"><p>", paragraph, "</p></div></li>\n"]
            {
                html.push_str(piece);
            }
            paragraphs += 1;
        }
        html += "</ul></div>\n</body>\n</html>\n";
        html
    }
}

/// Returns a text of a given length, in which the share of topic words is `closeness` / 40.
fn text(number: u64, closeness: u64, words: u64) -> String {
    let mut seed = mixed(number ^ 0xabcd);
    let one = |_| {
        seed = mixed(seed);
        if seed % 40 < closeness { topic_word(seed / 40 % 50) } else { word(common(seed / 40)) }
    };
    (0..words).map(one).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_of_realistic_size_and_always_the_same() {
        let site = Site::new();
        let page = site.page(7);
        assert_eq!(page, site.page(7));
        assert!((28_000..40_000).contains(&page.len()), "{}", page.len());
        assert_eq!(page.matches("<a class").count() as u64, LINKS);
        assert_eq!(topic().terms.len(), 50);
    }
}
