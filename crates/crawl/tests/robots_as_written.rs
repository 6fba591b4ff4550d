//! robots.txt as sites write it: files that the RFC does not describe are read as Google's matcher
//! reads them. The peer checks ask that matcher itself; these are the cases one by one.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::time::Duration;

use ontrail_crawl::SiteRules;
use url::Url;

fn rules(text: &[u8]) -> SiteRules {
    SiteRules::parse(text, "Ontrail/0.1")
}

fn url(path: &str) -> Url {
    format!("http://www.example.org{path}").parse().unwrap()
}

/// Checks which paths are allowed: a path after `-` must not be.
fn check(text: &str, paths: &[&str]) {
    check_bytes(text.as_bytes(), paths);
}

fn check_bytes(text: &[u8], paths: &[&str]) {
    let rules = rules(text);
    for path in paths {
        let (path, expected) = match path.strip_prefix('-') {
            Some(path) => (path, false),
            None => (*path, true),
        };
        let verdict = rules.verdict(&url(path));
        let text = String::from_utf8_lossy(text);
        assert_eq!(verdict.is_allowed, expected, "{path}: {} under\n{text}", verdict.reason);
        assert_eq!(rules.allows(&url(path)), expected);
    }
}

/// Checks which paths rules for every agent allow.
fn check_rules(lines: &str, paths: &[&str]) {
    check(&format!("User-agent: *\n{lines}"), paths);
}

#[test]
fn a_leading_star_matches_like_google() {
    check_rules("Disallow: */search?", &["-/search?q=1", "-/a/search?", "/search", "/research?q"]);
    check_rules("Disallow: */", &["-/", "-/a"]);
    check_rules("Disallow: *", &["-/", "-/a"]);
    check_rules("Disallow: *x$", &["-/x", "-/a/x", "/xy"]);
    check_rules("Disallow: /*/x", &["/x", "-/a/x", "-//x"]);
}

#[test]
fn a_rule_without_a_leading_slash_matches_nothing() {
    check_rules("Disallow: private", &["/private", "/"]);
    check_rules("Disallow: www.example.org/private", &["/private"]);
    check_rules("Disallow: http://www.example.org/private", &["/private"]);
    check_rules("Disallow: /\nAllow: private", &["-/private"]);
    check_rules("Disallow: ?x", &["/?x"]);
}

#[test]
fn only_a_star_that_stands_alone_names_every_agent() {
    check("User-agent: *MLBot*\nDisallow: /", &["/", "/a"]);
    check("User-agent: *bot\nDisallow: /", &["/a"]);
    check("User-agent: **\nDisallow: /", &["/a"]);
    check("User-agent: * (all)\nDisallow: /", &["-/a"]);
    check("User-agent: *\tall\nDisallow: /", &["-/a"]);
    check("User-agent:\nDisallow: /", &["/a"]);
    check("User-agent: 机器人\nDisallow: /", &["/a"]);
}

#[test]
fn an_agent_is_the_longest_prefix_of_letters_hyphens_and_underscores() {
    for name in ["ONTRAIL", "Ontrail/9.9", "ontrail bot", "Ontrail*", "ontrail;x", "Ontrail机"] {
        let text = format!("User-agent: {name}\nDisallow: /a\nUser-agent: *\nDisallow: /b");
        check(&text, &["-/a", "/b"]);
    }
    for name in ["Ontrail-News", "ontrail_x", "ontra", "My Ontrail", "(Ontrail)", "1Ontrail"] {
        let text = format!("User-agent: {name}\nDisallow: /a\nUser-agent: *\nDisallow: /b");
        check(&text, &["/a", "-/b"]);
    }
}

#[test]
fn only_rules_end_the_agents_of_a_group() {
    for line in ["Crawl-delay: 5", "Sitemap: http://x.example/s", "Host: x", "Nonsense", "#", ""] {
        let text = format!("User-agent: *\n{line}\nUser-agent: Googlebot\nDisallow: /x");
        check(&text, &["-/x", "/y"]);
        let text = format!("User-agent: Ontrail\n{line}\nUser-agent: Googlebot\nDisallow: /x");
        check(&text, &["-/x", "/y"]);
    }
    check("User-agent: *\nDisallow:\nUser-agent: Googlebot\nDisallow: /x", &["/x"]);
    check("User-agent: *\nAllow: /y\nUser-agent: Googlebot\nDisallow: /x", &["/x"]);
    check("User-agent: *\nUser-agent: Googlebot\nDisallow: /x", &["-/x"]);
}

#[test]
fn rules_outside_groups_are_ignored_and_groups_of_an_agent_are_merged() {
    check("Disallow: /a\nUser-agent: *\nDisallow: /b", &["/a", "-/b"]);
    let text = "User-agent: ontrail\nDisallow: /a\nUser-agent: x\nDisallow: /b\n\
                User-agent: Ontrail\nDisallow: /c\nUser-agent: *\nDisallow: /d";
    check(text, &["-/a", "/b", "-/c", "/d"]);
    check("User-agent: *\nDisallow: /\nUser-agent: ontrail\n", &["/a"]);
    check("User-agent: *\nDisallow: /\nUser-agent: ontrail\nDisallow:", &["/a"]);
    check("User-agent: *\nDisallow: /a\n\n\nDisallow: /b", &["-/a", "-/b"]);
}

#[test]
fn frequent_typos_of_keys_are_accepted() {
    for key in [
        "dissallow",
        "dissalow",
        "disalow",
        "diasllow",
        "disallaw",
        "DISALLOW",
        "Disallowed",
        "disallow ",
    ] {
        check_rules(&format!("{key}: /a"), &["-/a", "/b"]);
    }
    for key in ["useragent", "user agent", "USER-AGENT", "User-agents", " user-agent\t"] {
        check(&format!("{key}: ontrail\nDisallow: /a"), &["-/a"]);
    }
    check_rules("Disallow: /\nAllowed: /a", &["/a", "-/b"]);
    check_rules("Dis-allow: /a\nNoindex: /a\nForbid: /a\n: /a", &["/a"]);
}

#[test]
fn a_line_of_two_words_needs_no_colon() {
    check("user-agent ontrail\ndisallow /a", &["-/a", "/b"]);
    check("user-agent *\ndisallow\t\t/a  # all", &["-/a", "/b"]);
    check_rules("disallow /a /b", &["/a", "/b"]);
    check_rules("disallow /a:b", &["/a", "/b"]);
    check_rules("disallow\n/a", &["/a"]);
}

#[test]
fn values_may_contain_colons_and_end_at_a_comment() {
    check_rules("Disallow: /a:b", &["-/a:b", "/a"]);
    check_rules("Disallow:/a#b", &["-/a", "-/ab"]);
    check_rules("#Disallow: /a\n  # Disallow: /b", &["/a", "/b"]);
    check_rules("\u{b} Disallow \u{b}:\u{c} /a \t", &["-/a"]);
}

#[test]
fn lines_end_with_cr_or_lf_or_both() {
    for end in ["\n", "\r", "\r\n"] {
        let text = ["User-agent: *", "", "Disallow: /a", "Disallow: /b"].join(end);
        check(&text, &["-/a", "-/b", "/c"]);
        assert_eq!(rules(text.as_bytes()).verdict(&url("/b")).line, Some(4), "{end:?}");
    }
    let mixed = "User-agent: *\n\r\n\r\rDisallow: /a";
    assert_eq!(rules(mixed.as_bytes()).verdict(&url("/a")).line, Some(5));
}

#[test]
fn a_byte_order_mark_is_skipped_even_if_it_is_cut() {
    let text = "User-agent: *\nDisallow: /a";
    for mark in [&b"\xef\xbb\xbf"[..], b"\xef\xbb", b"\xef"] {
        check_bytes(&[mark, text.as_bytes()].concat(), &["-/a"]);
    }
    check_bytes(&[b"\xef\x11\xbf", text.as_bytes()].concat(), &["/a"]);
    check_bytes(b"User-agent: *\n\xef\xbb\xbfDisallow: /a", &["/a"]);
}

#[test]
fn the_longest_rule_wins_by_its_octets() {
    check_rules("Allow: /page\nDisallow: /*.html", &["-/page.html", "/page"]);
    check_rules("Allow: /x/page.\nDisallow: /*.html", &["/x/page.html", "-/x/y.html"]);
    check_rules("Allow: /$\nDisallow: /", &["/", "-/a"]);
    check_rules("Disallow: /x\nAllow: /x/", &["-/x", "/x/"]);
    check_rules("Disallow:\nAllow:", &["/a"]);
    // `*` and `$` count.
    check_rules("Allow: /ab\nDisallow: /a**", &["-/ab"]);
    check_rules("Allow: /ab\nDisallow: /ab$", &["-/ab", "/abc"]);
    check_rules("Disallow: /fish*.php", &["-/fish.php", "-/fishes/x.php?a", "/Fish.PHP"]);
}

#[test]
fn an_allowed_start_page_allows_its_folder() {
    let lines = "Allow: /a/index.html\nDisallow: /";
    check_rules(lines, &["/a/", "/a/index.html", "-/a/index.htm", "-/a/b", "-/a/?b"]);
    check_rules("Allow: /index.htm\nDisallow: /", &["/", "/index.html", "-/a"]);
    check_rules("Allow: /\nDisallow: /a/index.html", &["/a/", "-/a/index.html"]);
    check_rules("Allow: /a/index.php\nDisallow: /", &["-/a/"]);
    let verdict = rules(b"User-agent: *\nAllow: /a/index.html\nDisallow: /").verdict(&url("/a/"));
    assert_eq!(verdict.reason, "Allow: /a/index.html (line 2, User-agent: *)");
}

#[test]
fn encoded_characters_are_those_that_they_encode_unless_reserved() {
    check_rules("Disallow: /%62%61%7A", &["-/baz", "-/%62az"]);
    check_rules("Disallow: /ツ", &["-/%E3%83%84", "-/%e3%83%84", "-/ツ"]);
    check_rules("Disallow: /%e3%83%84", &["-/ツ"]);
    check_rules("Disallow: /a%2fb", &["-/a%2Fb", "/a/b"]);
    check_rules("Disallow: /a/b", &["/a%2fb"]);
    check_rules("Disallow: /a?b=http://c.example/d?e&f", &["-/a?b=http://c.example/d?e&f"]);
    check_rules("Disallow: /a b", &["-/a%20b", "-/a b"]);
    check_rules("Disallow: /?q='a'", &["-/?q='a'", "-/?q=%27a%27"]);
    check_rules("Disallow: /100%", &["-/100%", "-/100%x"]);
    check_bytes(b"User-agent: *\nDisallow: /\xe9", &["-/%E9", "/\u{e9}"]);
}

/// An encoded `*` or `$` is not special (RFC 9309, section 2.2.3).
#[test]
fn special_characters_can_be_encoded() {
    check_rules("Disallow: /a-%2A.html", &["-/a-*.html", "-/a-%2a.html", "/a-b.html"]);
    check_rules("Disallow: /foo-%24", &["-/foo-$", "-/foo-$x", "-/foo-%24", "/foo-"]);
    check_rules("Disallow: /a$b", &["-/a$b", "-/a%24b", "/a"]);
    check_rules("Disallow: /a$$", &["-/a$", "/a", "/a$b"]);
}

#[test]
fn only_the_start_of_a_long_line_counts() {
    let long = format!("/x/{}", "a".repeat(20_000));
    let kept = 8 * 2_083 - 1 - "Disallow: ".len();
    let (start, less) = (&long[..kept], &long[..kept - 1]);
    check_rules(&format!("Disallow: {long}"), &[&format!("-{start}"), less, "/x/"]);
}

#[test]
fn the_crawl_delay_for_us_counts() {
    let seconds = |text: &str| rules(text.as_bytes()).crawl_delay().map(|it| it.as_secs_f64());
    let both = "User-agent: *\nCrawl-delay: 10\nUser-agent: ontrail\nCrawl-delay: 2\nDisallow: /a";
    assert_eq!(seconds(both), Some(2.0));
    let swapped = "User-agent: ontrail\nCrawl-delay: 2\nUser-agent: *\nCrawl-delay: 10";
    assert_eq!(seconds(swapped), Some(2.0));
    let other = SiteRules::parse(swapped.as_bytes(), "other").crawl_delay();
    assert_eq!(other, Some(Duration::from_secs(10)));
    // The first of several counts, and one that is not a number does not.
    assert_eq!(seconds("User-agent: *\nCrawl-delay: 3\nDisallow: /\nCrawl-delay: 9"), Some(3.0));
    assert_eq!(seconds("User-agent: *\nCrawl-delay: soon\nCrawl-delay: 9"), Some(9.0));
    for value in ["-1", "NaN", "inf", "1e300", ""] {
        assert_eq!(seconds(&format!("User-agent: *\nCrawl-delay: {value}")), None, "{value}");
    }
    // A group of our own without a delay has none, and another agent's is not ours.
    assert_eq!(seconds("User-agent: *\nCrawl-delay: 9\nUser-agent: ontrail\nDisallow:"), None);
    assert_eq!(seconds("User-agent: x\nCrawl-delay: 60\nUser-agent: *\nDisallow: /a"), None);
    // A delay is for all agents that directly precede it, before or after the rules.
    assert_eq!(seconds("User-agent: ontrail\nUser-agent: x\nCrawl-delay: 4"), Some(4.0));
    assert_eq!(seconds("User-agent: *\nDisallow: /a\nCrawl-delay: 4"), Some(4.0));
    assert_eq!(seconds("Crawl-delay: 7\nUser-agent: *\nDisallow: /a"), None);
}

#[test]
fn sitemaps_are_for_every_agent_wherever_they_stand() {
    let text = "Sitemap: http://x.example/1\nUser-agent: other\nSITE-MAP: http://x.example/2\n\
                Disallow: /\nsitemap http://x.example/3\nSitemap: /4";
    let rules = rules(text.as_bytes());
    let found: Vec<&str> = rules.sitemaps().iter().map(Url::as_str).collect();
    assert_eq!(found, ["http://x.example/1", "http://x.example/2"]);
}

#[test]
fn the_verdict_names_the_rule_and_its_line() {
    let text = "User-agent: *\n\nDisallow: /a\nDisallow: /暴雨\nAllow: /a\nAllow: /a";
    let rules = rules(text.as_bytes());
    let verdict = rules.verdict(&url("/a"));
    assert_eq!(verdict.reason, "Allow: /a (line 5, User-agent: *)");
    assert_eq!((verdict.line, verdict.is_allowed), (Some(5), true));
    let verdict = rules.verdict(&url("/暴雨/x"));
    assert_eq!(verdict.reason, "Disallow: /暴雨 (line 4, User-agent: *)");
    assert_eq!(rules.verdict(&url("/b")).line, None);
}
