//! End-to-end tests of `ontrail seeds`: candidates from every kind of input, ranked, spread over
//! hosts, and used by a crawl.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use ontrail_tests::{Folder, root};

fn topic(folder: &Folder) {
    let ran = folder.run(&["topic", "keywords", "rain", "flood=0.5", "-o", "t.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// Runs the tool with the topic and returns its report.
fn report(folder: &Folder, more: &[&str]) -> serde_json::Value {
    folder.run(&[&["seeds", "--topic", "t.json", "--json"], more].concat()).json()
}

fn text_of(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path(name)).unwrap()
}

fn urls(report: &serde_json::Value) -> Vec<&str> {
    report["seeds"].as_array().unwrap().iter().map(|seed| seed["url"].as_str().unwrap()).collect()
}

/// A record of a web archive.
fn record(url: &str, html: &str) -> String {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: \
         application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    )
}

#[test]
fn every_kind_of_input_gives_seeds() {
    let folder = Folder::new();
    topic(&folder);
    let page = record("http://warc.test/a", "<title>Rain</title><p>rain and flood");
    let other = record("http://warc.test/b", "<title>Town</title><p>a town");
    folder.write("a.warc", page + &other);
    folder.write("list.tsv", "# mine\nhttp://list.test/1\tRain today\nhttp://list.test/2\tTown\n");
    let sitemap = "<urlset><url><loc>http://map.test/rain/</loc></url></urlset>";
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(sitemap.as_bytes()).unwrap();
    folder.write("sitemap.xml.gz", packed.finish().unwrap());
    folder.write(
        "x.cdxj",
        "test,cdx)/flood 20240101000000 {\"url\": \"http://cdx.test/flood\", \"mime\": \"text/html\", \
         \"status\": \"200\"}\ntest,cdx)/rain.png 20240101000000 {\"url\": \
         \"http://cdx.test/rain.png\", \"mime\": \"image/png\", \"status\": \"200\"}\n",
    );
    folder.write("y.cdx", " CDX N b a m s k r M S V g\ntest,old)/rain 2001 http://old.test/rain-report text/html 200 X - - 1 2 y.warc.gz\n");
    // The order of the inputs decides only between equal scores.
    let inputs = ["x.cdxj", "y.cdx", "sitemap.xml.gz", "list.tsv", "a.warc"];
    let found_first = report(&folder, &inputs);
    let mut turned = inputs;
    turned.reverse();
    let report = report(&folder, &turned);
    let sorted = |report: &serde_json::Value| {
        let mut urls: Vec<String> = urls(report).into_iter().map(str::to_owned).collect();
        urls.sort();
        urls
    };
    assert_eq!(sorted(&found_first), sorted(&report));
    let expected = [
        ("http://warc.test/a", "page"),
        ("http://list.test/1", "title"),
        ("http://map.test/rain/", "url"),
        ("http://old.test/rain-report", "url"),
        ("http://cdx.test/flood", "url"),
    ];
    let found: Vec<(&str, &str)> = report["seeds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|seed| (seed["url"].as_str().unwrap(), seed["evidence"].as_str().unwrap()))
        .collect();
    assert_eq!(found, expected);
    assert_eq!((report["pages"].as_u64(), report["listed"].as_u64()), (Some(2), Some(5)));
    let scores: Vec<f64> = report["seeds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["score"].as_f64().unwrap())
        .collect();
    // Rain has 2 + 1 (title and text), flood 1: (3 + .5) / √1.25 / √10. One term alone has its
    // weight in the topic: 1 / √1.25 and .5 / √1.25.
    let length = 1.25_f64.sqrt();
    let page = 3.5 / length / 10.0_f64.sqrt();
    for (score, expected) in
        scores.iter().zip([page, 1.0 / length, 1.0 / length, 1.0 / length, 0.5 / length])
    {
        assert!((score - expected).abs() < 1e-9, "{scores:?}");
    }
}

/// A page at hand is judged by its text, not by a title that promises more; and a host that has
/// nothing but relevant pages does not take all places.
#[test]
fn pages_count_more_than_titles_and_hosts_are_spread() {
    let folder = Folder::new();
    topic(&folder);
    folder.write("a.warc", record("http://a.test/1", "<title>Town</title><p>nothing here"));
    let mut list = "http://a.test/1\tRain\n".to_owned();
    (0..9).for_each(|n| list.push_str(&format!("http://big.test/{n}\tRain and flood\n")));
    (0..4).for_each(|n| list.push_str(&format!("http://small{n}.test/\tflood\n")));
    folder.write("list.txt", list);
    let found = report(&folder, &["list.txt", "a.warc", "-n", "5"]);
    let expected = [
        "http://big.test/0",
        "http://big.test/1",
        "http://small0.test/",
        "http://small1.test/",
        "http://small2.test/",
    ];
    assert_eq!(urls(&found), expected);
    // A page that has two URLs is proposed once.
    let page = "<title>Rain</title><p>rain";
    let twice = record("http://a.test/x", page) + &record("http://b.test/y", page);
    folder.write("twice.warc", twice);
    assert_eq!(urls(&report(&folder, &["twice.warc"])), ["http://a.test/x"]);
    let one = report(&folder, &["list.txt", "--per-host", "1", "--min-score", "0.9"]);
    assert_eq!(urls(&one), ["http://big.test/0"]);
}

/// The file of seeds is one that a crawl takes, and says why each seed was chosen.
#[test]
fn a_crawl_starts_from_the_seeds() {
    let folder = Folder::new();
    let ontology = root().join("ontologies/rainstorm/rainstorm.owl").display().to_string();
    let made = folder.run(&["topic", "weigh", &ontology, "-o", "t.json", "--quiet"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let news = root().join("datasets/news-mini").display().to_string();
    let woven =
        folder.run(&["lab", "weave", "--from", &news, "-o", "web", "--pages", "400", "--quiet"]);
    assert_eq!(woven.code, 0, "{}", woven.stderr);
    let args = ["seeds", "--topic", "t.json", "web/web.warc.gz", "-o", "seeds.txt", "-n", "6"];
    let ran = folder.run(&args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("6 seeds of"), "{}", ran.stdout);
    let text = text_of(&folder, "seeds.txt");
    assert!(text.starts_with("# Seeds for the topic "), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("http")).count(), 6);
    assert_eq!(text.lines().filter(|line| line.starts_with("# R ")).count(), 6);
    // Most of the seeds are about the topic.
    let labels = text_of(&folder, "web/labels.tsv");
    let is_on_topic = |url: &str| {
        let line = labels.lines().find(|line| line.split('\t').next() == Some(url));
        line.is_some_and(|line| line.contains("rainstorm"))
    };
    let right = text.lines().filter(|line| line.starts_with("http") && is_on_topic(line)).count();
    assert!(right >= 4, "{right}: {text}");
    let crawl = ["crawl", "run", "--web", "web", "--topic", "t.json", "--seeds", "seeds.txt"];
    let ran = folder.run(&[&crawl[..], &["--budget", "12", "-o", "out", "--json"]].concat());
    assert_eq!(ran.json()["downloaded"], 12, "{}", ran.stderr);
    // The same command may replace its own file.
    assert_eq!(folder.run(&args).code, 0);
    folder.write("seeds.txt", "http://a.test/");
    folder.run(&args).refused("seeds.txt");
}

#[test]
fn bad_input_is_refused_or_skipped() {
    let folder = Folder::new();
    topic(&folder);
    let refused = |input: &str, complaint: &str| {
        folder.run(&["seeds", "--topic", "t.json", input, "-o", "out.txt"]).refused(complaint);
        assert!(!folder.path("out.txt").exists());
    };
    refused("absent.xml", "absent.xml: cannot read this file");
    folder.write("list.txt", "http://a.test/rain\nnowhere\tRain\n");
    refused("list.txt", "list.txt: line 2: \"nowhere\" is not an http or https URL");
    let ran = folder.run(&["seeds", "--topic", "t.json", "list.txt", "--skip-bad"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("http://a.test/rain"), "{}", ran.stdout);
    assert!(ran.stderr.contains("list.txt: line 2"), "{}", ran.stderr);
    folder.write("cut.xml", "<urlset><url><loc>http://a.test/rain</loc></url><url></loc>");
    refused("cut.xml", "cut.xml: not valid XML at byte");
    folder.write("page.xml", "<html><p>rain</p></html>");
    refused("page.xml", "page.xml: not a sitemap: it lists no URLs");
    folder.write("bad.cdxj", "test,a)/ 20240101000000 {\"url\": 3}\n");
    refused("bad.cdxj", "bad.cdxj: line 1: cannot read the JSON object");
    folder.write("noise.bin", [0_u8, 1, 2, 3]);
    refused("noise.bin", "noise.bin: this is neither a web archive nor text");
    folder.write("dir/x.txt", "http://a.test/");
    refused("dir", "dir: this is a folder");
    folder.write("cut.warc", &record("http://a.test/", "<p>rain")[..150]);
    refused("cut.warc", "cut.warc");
    folder.write(
        "index.xml",
        "<sitemapindex><sitemap><loc>http://a.test/s.xml</loc></sitemap></sitemapindex>",
    );
    let none = folder.run(&["seeds", "--topic", "t.json", "index.xml"]);
    assert_eq!(none.code, 1, "{}", none.stderr);
    assert!(none.stderr.contains("http://a.test/s.xml"), "{}", none.stderr);
    folder.write("other.txt", "http://a.test/sun\n");
    let none = folder.run(&["seeds", "--topic", "t.json", "other.txt", "-o", "out.txt"]);
    assert_eq!(none.code, 1);
    assert!(none.stderr.contains("none of the 1 URLs has a term of the topic"), "{}", none.stderr);
    assert!(!folder.path("out.txt").exists());
}

/// A topic with a calibration gives pages a probability, by which they are ranked.
#[test]
fn calibrated_topics_rank_pages_by_probability() {
    let folder = Folder::new();
    topic(&folder);
    folder.write("a.warc", record("http://a.test/1", "<title>Rain</title><p>rain and flood"));
    let plain = report(&folder, &["a.warc"]);
    assert!(plain["seeds"][0]["probability"].is_null());
    let path = folder.path("t.json");
    let mut rain = ontrail_topic::Topic::read(&path).unwrap();
    let scoring =
        ontrail_topic::Scoring::new(&ontrail_topic::Model::labels(), ontrail_page::Content::Page);
    let (on, off) = ([0.7, 0.8, 0.9, 0.95], [0.0, 0.1, 0.2, 0.0]);
    let calibration = ontrail_topic::Calibration::fit(&rain, scoring, &on, &off).unwrap();
    rain.add_calibration(calibration).unwrap();
    rain.write(&path, &ontrail_artifact::Provenance::default()).unwrap();
    let calibrated = report(&folder, &["a.warc"]);
    let seed = &calibrated["seeds"][0];
    assert_eq!(seed["score"], seed["probability"]);
    assert!(seed["probability"].as_f64().unwrap() > 0.5, "{seed}");
}

/// A classifier ranks pages by the probability of the topic's class. The page about a flood of
/// goals has the words of the topic, and the classifier knows better.
#[test]
fn a_classifier_ranks_pages_by_the_probability_of_a_class() {
    let folder = Folder::new();
    topic(&folder);
    let words = [
        ("rain", "rain flood storm river water dike rescue"),
        ("sports", "goal match team player flood of goals stadium rain of goals"),
    ];
    for (class, text) in words {
        for number in 0..8 {
            let body = format!("<title>{class} {number}</title><p>{text}. {text}, {text}.");
            folder.write(&format!("training/{class}/{number}.html"), body);
        }
    }
    let trained = folder.run(&["bcw", "train", "training", "-o", "model.bcw"]);
    assert_eq!(trained.code, 0, "{}", trained.stderr);
    let storm =
        record("http://a.test/storm", "<p>the storm and the river: rescue at the dike, rain");
    let goals = record("http://b.test/goals", "<p>rain, flood: a goal, a match, a team, a stadium");
    folder.write("a.warc", goals + &storm);
    let by_topic = report(&folder, &["a.warc"]);
    assert_eq!(urls(&by_topic), ["http://b.test/goals", "http://a.test/storm"]);
    let by = ["--classifier", "model.bcw", "--class", "rain", "a.warc"];
    let by_class = report(&folder, &by);
    assert_eq!(urls(&by_class), ["http://a.test/storm", "http://b.test/goals"]);
    let seed = &by_class["seeds"][0];
    assert_eq!(seed["score"], seed["probability"]);
    let unknown = ["seeds", "--topic", "t.json", "--classifier", "model.bcw", "--class", "snow"];
    folder.run(&[&unknown[..], &["a.warc"]].concat()).refused("not a class");
}
