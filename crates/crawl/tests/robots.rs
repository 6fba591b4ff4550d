//! RFC 9309, case by case.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::time::Duration;

use ontrail_crawl::SiteRules;
use proptest::prelude::*;
use url::Url;

fn url(path: &str) -> Url {
    format!("http://www.example.org{path}").parse().unwrap()
}

/// Checks which paths are allowed: a path after `-` must not be.
fn check(text: &str, agent: &str, paths: &[&str]) {
    let rules = SiteRules::parse(text.as_bytes(), agent);
    for path in paths {
        let (path, expected) = match path.strip_prefix('-') {
            Some(path) => (path, false),
            None => (*path, true),
        };
        assert_eq!(rules.allows(&url(path)), expected, "{path} by {agent} under\n{text}");
        assert_eq!(rules.verdict(&url(path)).is_allowed, expected);
    }
}

#[test]
fn the_longest_match_wins_and_allow_wins_a_tie() {
    let text =
        "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /x\nDisallow: /x\n";
    check(text, "Ontrail", &["-/a", "-/a/", "/a/b", "/a/bc", "-/a/b/c", "/", "/x", "/xy"]);
    check("User-agent: *\nDisallow: /*.gif$\nAllow: /images/", "x", &["/images/a.gif", "-/a.gif"]);
    check("User-agent: *\nDisallow: /*.gif$\nAllow: /i/", "x", &["-/i/a.gif"]);
}

#[test]
fn wildcards_and_end_anchors_are_supported() {
    let text = "User-agent: *\nDisallow: /*.php$\nDisallow: /a*b*c\nDisallow: /*?id=\nAllow: /z$\nDisallow: /z";
    check(
        text,
        "Ontrail",
        &["-/x.php", "/x.php?y", "-/axbxc", "/axcxb", "-/p?id=1", "/p?x=1", "/z", "-/zz", "-/z/"],
    );
    check("User-agent: *\nDisallow: *.pdf", "x", &["-/a.pdf", "-/a.pdfs", "/a"]);
    check("User-agent: *\nDisallow: /a$b", "x", &["-/a$b", "/a"]);
}

#[test]
fn groups_of_one_agent_are_merged_and_the_star_applies_to_others() {
    let text = "User-agent: ontrail\nUser-agent: other\nDisallow: /1\n\nUser-agent: *\nDisallow: /2\n\n\
                User-agent: ONTRAIL\nDisallow: /3\n";
    check(text, "Ontrail", &["-/1", "/2", "-/3"]);
    check(text, "other", &["-/1", "/2", "/3"]);
    check(text, "third", &["/1", "-/2", "/3"]);
}

#[test]
fn agents_are_compared_by_their_product_token() {
    let text = "User-agent: Ontrail/2.0 (the crawler)\nDisallow: /a\nUser-agent: *\nDisallow: /b";
    for agent in ["ontrail", "Ontrail/0.1 (+mailto:someone@example.org)", " ONTRAIL "] {
        check(text, agent, &["-/a", "/b"]);
    }
    // A token is compared as a whole, not as a prefix.
    check(text, "Ontrail-Images", &["/a", "-/b"]);
    check(text, "Ont", &["/a", "-/b"]);
}

#[test]
fn lines_that_are_not_rules_are_ignored() {
    check("Disallow: /\nUser-agent: other\nDisallow: /a", "Ontrail", &["/", "/a"]);
    check("User-agent: *\nDisallow:\n", "Ontrail", &["/", "/a"]);
    check("", "Ontrail", &["/"]);
    check("<html><body>not found</body></html>", "Ontrail", &["/"]);
    let text = "\u{feff}User-agent: * # all\r\nHost: x\rDisallow: /a # and below\r\n\r\nNonsense\nDisallow: /b";
    check(text, "Ontrail", &["-/a", "-/b", "/c"]);
}

#[test]
fn percent_encoding_is_compared_in_one_form() {
    let text =
        "User-agent: *\nDisallow: /%7ejoe/\nDisallow: /暴雨\nDisallow: /a%3Cb\nDisallow: /x%2fy";
    check(
        text,
        "Ontrail",
        &["-/~joe/a", "-/%7Ejoe/", "-/%e6%9a%b4%e9%9b%a8/1", "-/暴雨", "-/a<b", "-/x%2Fy", "/x/y"],
    );
}

#[test]
fn robots_txt_itself_is_always_allowed() {
    check("User-agent: *\nDisallow: /", "Ontrail", &["/robots.txt", "-/robots.txt.bak", "-/"]);
    let failing = SiteRules::of_status(503).unwrap();
    assert!(failing.allows(&url("/robots.txt")));
}

#[test]
fn the_status_decides_if_there_is_no_file() {
    for (status, allowed, reason) in [
        (404, true, "there is no robots.txt"),
        (401, true, "there is no robots.txt"),
        (301, true, "there is no robots.txt"),
        (500, false, "the server failed to return its robots.txt"),
        (503, false, "the server failed to return its robots.txt"),
        (0, false, "the server failed to return its robots.txt"),
    ] {
        let verdict = SiteRules::of_status(status).unwrap().verdict(&url("/a"));
        assert_eq!((verdict.is_allowed, verdict.reason.as_str()), (allowed, reason), "{status}");
    }
    assert!(SiteRules::of_status(200).is_none());
}

#[test]
fn delays_sitemaps_and_reasons_are_reported() {
    let text = "User-agent: *\nCrawl-delay: 2.5\nDisallow: /a\nSitemap: http://www.example.org/map.xml\n\
                Sitemap: nowhere\nUser-agent: other\nCrawl-delay: nonsense";
    let rules = SiteRules::parse(text.as_bytes(), "Ontrail");
    assert_eq!(rules.crawl_delay(), Some(Duration::from_millis(2_500)));
    assert_eq!(rules.sitemaps(), [url("/map.xml")]);
    assert_eq!(SiteRules::parse(text.as_bytes(), "other").crawl_delay(), None);
    assert_eq!(rules.verdict(&url("/a/b")).reason, "Disallow: /a (line 3, User-agent: *)");
    assert_eq!(rules.verdict(&url("/c")).reason, "no rule matches (User-agent: *)");
}

/// Rules beyond 500 KiB are ignored, and so is a rule that crosses the limit.
#[test]
fn only_the_start_of_a_long_file_counts() {
    let filler = "# nothing to see here, only a long comment that fills the file\n".repeat(9_000);
    let text = format!("User-agent: *\nDisallow: /a\n{filler}Disallow: /b\n");
    assert!(text.len() > 500 * 1024);
    check(&text, "Ontrail", &["-/a", "/b"]);
    let start = "User-agent: *\n";
    let room = 500 * 1024 - start.len() - "Disallow: /secret".len() + 4;
    let text = format!("{start}{}\nDisallow: /secret/place\n", "#".repeat(room - 1));
    check(&text, "Ontrail", &["/sec", "/secret/place"]);
}

proptest! {
    /// Any bytes can be parsed, and `allows` agrees with `verdict`.
    #[test]
    fn nothing_panics(text in prop::collection::vec(any::<u8>(), 0..400), path in "[ -~]{0,40}") {
        let rules = SiteRules::parse(&text, "Ontrail");
        if let Ok(url) = format!("http://www.example.org/{path}").parse::<Url>() {
            prop_assert_eq!(rules.allows(&url), rules.verdict(&url).is_allowed);
        }
    }
}
