//! End-to-end tests of `ontrail crawl`.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_tests::Folder;
use serde_json::json;

const TEXT: &str = "User-agent: Ontrail/1.0\nDisallow: /private/\nAllow: /private/news\nCrawl-delay: 3\n\n\
                    User-agent: *\nDisallow: /\nSitemap: http://www.example.org/map.xml\n";

#[test]
fn robots_says_what_is_allowed_line_by_line() {
    let folder = Folder::new();
    folder.write("robots.txt", TEXT);
    let urls =
        ["http://www.example.org/a?b=1", "https://www.example.org/private/x", "/private/news/1"];
    let ask =
        |more: &[&str]| folder.run(&[&["crawl", "robots", "robots.txt"], more, &urls].concat());
    let ran = ask(&["--agent", "Ontrail"]);
    let expected = "allowed\thttp://www.example.org/a?b=1\ndisallowed\thttps://www.example.org/private/x\n\
                    allowed\t/private/news/1\n";
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (1, expected, ""));
    let why = ask(&["--agent", "ontrail/0.1 (+mailto:someone@example.org)", "--why"]);
    assert!(
        why.stdout.contains("x\tDisallow: /private/ (line 2, User-agent: ontrail)\n"),
        "{}",
        why.stdout
    );
    let others = ask(&["--agent", "Other"]);
    assert_eq!((others.code, others.stdout.matches("disallowed\t").count()), (1, 3));
    let one = folder.run(&["crawl", "robots", "robots.txt", "/", "/robots.txt"]);
    assert_eq!((one.code, one.stdout.as_str()), (0, "allowed\t/\nallowed\t/robots.txt\n"));
}

#[test]
fn robots_has_a_json_form_and_reads_standard_input() {
    let folder = Folder::new();
    let args = ["crawl", "robots", "-", "/private/", "--json"];
    let ran = folder.run_with_input(&args, TEXT);
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.json(),
        json!({
            "agent": "Ontrail", "crawl_delay": 3.0, "sitemaps": ["http://www.example.org/map.xml"],
            "urls": [{
                "url": "/private/", "allowed": false, "line": 2,
                "reason": "Disallow: /private/ (line 2, User-agent: ontrail)",
            }],
        })
    );
}

#[test]
fn robots_refuses_invalid_input() {
    let folder = Folder::new();
    folder.write("robots.txt", TEXT);
    for (args, message) in [
        (["robots.txt", "--agent", "Ontrail", "www.example.org"], "www.example.org: not a URL"),
        (["robots.txt", "--agent", "Ontrail", "ftp://example.org/"], "not an http or https URL"),
        (["robots.txt", "--agent", "/1.0", "/"], "does not start with a product token"),
        (["nowhere.txt", "--agent", "Ontrail", "/"], "nowhere.txt: cannot read"),
    ] {
        folder.run(&[&["crawl", "robots"], &args[..]].concat()).refused(message);
    }
}
