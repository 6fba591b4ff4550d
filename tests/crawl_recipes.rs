//! End-to-end tests of recipes: listed, shown, changed, refused, crawled with, and explained.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;

use ontrail_crawl::{LogRow, Outcome, read_links, read_log};
use ontrail_pilot::{Recipe, Score};
use ontrail_tests::{Folder, root};
use serde_json::Value;

fn path(name: &str) -> String {
    root().join(name).to_string_lossy().into_owned()
}

/// Makes a topic from the shipped rainstorm ontology, for a crawl of the shipped pages.
fn rainstorm(folder: &Folder) {
    let ontology = path("ontologies/rainstorm/rainstorm.owl");
    done(folder, &["topic", "weigh", &ontology, "-o", "t.json", "--quiet"]);
}

/// Runs a command that must succeed.
fn done(folder: &Folder, args: &[&str]) {
    let ran = folder.run(args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// A crawl of the rainstorm pages.
fn args<'a>(web: &'a str, recipe: &'a str, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["crawl", "run", "--web", web, "--topic", "t.json", "--recipe", recipe];
    args.extend(["-o", out, "--json", "http://localhost/001.html"]);
    args.extend(more);
    args
}

/// Returns the pages that were fetched, lookahead included.
fn pages(folder: &Folder, out: &str) -> Vec<LogRow> {
    let rows = read_log(&folder.path(out).join("log")).unwrap();
    rows.into_iter().filter(|row| row.is_page() || row.outcome == Outcome::Looked).collect()
}

#[test]
fn recipes_are_listed_and_shown() {
    let folder = Folder::new();
    let listed = folder.run(&["crawl", "recipes"]);
    for name in Recipe::names() {
        assert!(listed.stdout.contains(&format!("  {name} ")), "{name}: {}", listed.stdout);
    }
    let widest = listed.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(100), "{widest:?} columns");
    let json = folder.run(&["crawl", "recipes", "--json"]).json();
    assert_eq!(json["recipes"].as_array().unwrap().len(), 24);
    assert_eq!(json["recipes"][0]["strategy"]["kind"], "hedge");
    assert_eq!(json["recipes"][14]["strategy"]["kind"], "improved-tabu");
    let shown = folder.run(&["crawl", "recipes", "show", "bcw-cc"]);
    assert!(shown.stdout.contains("E(l) = α R(G) + β R(AL) + γ R(CL)"), "{}", shown.stdout);
    folder
        .run(&["crawl", "recipes", "show", "bcw"])
        .refused("unknown recipe \"bcw\"; give one of ontrail, ontrail-classifier, fixed");
}

/// A copy of a shown recipe is the same crawler, and can be changed.
#[test]
fn a_recipe_can_be_copied_and_changed() {
    let folder = Folder::new();
    rainstorm(&folder);
    let web = path("datasets/rainstorm-pages/pages");
    let shown = folder.run(&["crawl", "recipes", "show", "fcoits"]).stdout;
    folder.write("mine.toml", shown.replace("tries = 5", "tries = 2"));
    done(&folder, &args(&web, "mine.toml", "mine", &["--budget", "30"]));
    let set = ["--set", "strategy.tries=2", "--budget", "30"];
    done(&folder, &args(&web, "fcoits", "set", &set));
    let order = |out: &str| {
        pages(&folder, out).into_iter().map(|row| (row.url, row.rule)).collect::<Vec<_>>()
    };
    assert_eq!(order("mine"), order("set"));
    assert_eq!(order("mine").len(), 30);
    let run: Value =
        serde_json::from_slice(&fs::read(folder.path("mine/run.json")).unwrap()).unwrap();
    assert!(run.to_string().contains("\"tries\":2"));
}

#[test]
fn mistakes_in_a_recipe_are_reported_before_anything_is_written() {
    let folder = Folder::new();
    rainstorm(&folder);
    let web = path("datasets/rainstorm-pages/pages");
    let classifier = path("models/news-mini");
    let refused = |recipe: &str, more: &[&str], message: &str| {
        folder.run(&args(&web, recipe, "out", more)).refused(message);
        assert!(!folder.path("out").exists());
    };
    refused("fcitsoh", &[], "unknown recipe \"fcitsoh\"; did you mean fcits-oh?");
    refused(
        "ops",
        &["--set", "strategy.kind=random"],
        "expected one of `bfs`, `best-first`, `hedge`, `annealing`",
    );
    refused("ops", &["--set", "gate.kind=svm"], "expected one of `none`, `threshold`, `bcw`");
    refused("ops", &["--set", "priority.beta=0.2"], "expected one of `rank`, `page`, `anchor`");
    refused("ops", &["--set", "priority"], "--set priority: missing `=`");
    refused("ops", &["--threshold", "1.5"], "'--threshold <A>': 1.5 is not from 0 to 1");
    refused("bcw-cc", &[], "give one with --classifier");
    refused("bcw-cc", &["--classifier", &classifier], "\"\" is not a class");
    let wrong = ["--classifier", &classifier, "--class", "weather"];
    refused(
        "bcw-cc",
        &wrong,
        "give one with --class: rainstorm, realty, sports, stocks, technology",
    );
    let misplaced = ["--classifier", &classifier, "--class", "rainstorm"];
    refused("ops", &misplaced, "--class: recipe ops does not use a classifier");
    let two = ["--set", "strategy.kind=tabu", "--set", "strategy.term=five"];
    refused(
        "ops",
        &two,
        "--set strategy.term=five: invalid type: string \"five\", expected a whole number in `strategy`",
    );
    refused("olmoaco", &["--set", "strategy.ants=9223372036854775807"], "strategy.ants");
    refused(
        "olmoaco",
        &["--set", "strategy.bounds=[3.0, 2.0]"],
        "the first bound must not be greater than the second",
    );
    refused("sdvsm", &[], "--set similarity.sdg=false");
    refused("mine.toml", &[], "mine.toml");
    folder.write("mine.toml", "name = \"mine\"\nabout = 3\n");
    refused("mine.toml", &[], "mine.toml: TOML parse error at line 2, column 9");
    let shown = folder.run(&["crawl", "recipes", "show", "ops"]).stdout;
    folder.write("mine.toml", shown.replace("anchor = 0.2", "anker = 0.2"));
    refused("mine.toml", &[], "unknown field `anker`");
    let live =
        ["crawl", "run", "--topic", "t.json", "--recipe", "fcits", "-o", "out", "http://a.test/"];
    let oracle = ["--set", "strategy.lookahead=oracle", "--contact", "me@example.org"];
    folder.run(&[&live[..], &oracle].concat()).refused("only possible offline");
    let plain = ["crawl", "run", "--web", &web, "-o", "out", "http://localhost/001.html"];
    folder
        .run(&[&plain[..], &["--recipe", "fcits"]].concat())
        .refused("recipe fcits needs a topic");
}

/// A topic of another kind is accepted with a note, because the recipe is not meant for it.
#[test]
fn a_topic_that_does_not_suit_the_recipe_is_noted() {
    let folder = Folder::new();
    let web = path("datasets/rainstorm-pages/pages");
    let ontology = path("ontologies/rainstorm/rainstorm.owl");
    done(&folder, &["topic", "weigh", &ontology, "--dep-mode", "diff", "-o", "t.json", "--quiet"]);
    let budget = ["--budget", "3"];
    let ran = folder.run(&args(&web, "fcits", "a", &budget));
    assert!(ran.stderr.contains("designed for a topic made from texts"), "{}", ran.stderr);
    let ran = folder.run(&args(&web, "fcoits", "b", &budget));
    assert!(ran.stderr.contains("weight it again with --dep-mode sum"), "{}", ran.stderr);
    let set = ["--budget", "3", "--set", "topic.dep-mode=diff"];
    let ran = folder.run(&args(&web, "fcoits", "c", &set));
    assert!(!ran.stderr.contains("dep-mode"), "{}", ran.stderr);
}

/// Every recipe crawls the shipped pages. The same random seed gives the same bytes with any number
/// of threads and any kind of store; no page is fetched twice; the log has the rule by which each
/// page was chosen.
#[test]
fn every_recipe_crawls_and_gives_the_same_bytes() {
    let folder = Folder::new();
    rainstorm(&folder);
    let web = path("datasets/rainstorm-pages/pages");
    let classifier = path("models/news-mini");
    let ontology = path("ontologies/rainstorm/rainstorm.owl");
    for name in Recipe::names() {
        let more: &[&str] = match name {
            "bcw-cc" | "fcbcw" | "fixed-classifier" | "ontrail-classifier" => {
                &["--classifier", &classifier, "--class", "rainstorm"]
            }
            "ssrm" => &["--ontology", &ontology],
            "sdvsm" => &["--ontology", &ontology, "--set", "similarity.sdg=false"],
            _ => &[],
        };
        let run = |out: &str, how: &[&str]| {
            let more =
                [more, how, &["--budget", "60", "--seed", "3", "--threshold", "0.4"]].concat();
            folder.run(&args(&web, name, out, &more)).json()
        };
        let (one, two) = (format!("{name}-1"), format!("{name}-2"));
        let summary = run(&one, &["--threads", "1"]);
        run(&two, &["--threads", "2", "--frontier", "memory"]);
        let rows = pages(&folder, &one);
        assert!(!rows.is_empty() && rows.len() <= 60, "{name}: {}", rows.len());
        assert_eq!(summary["downloaded"].as_u64().unwrap(), rows.len() as u64, "{name}");
        let mut urls: Vec<&str> = rows.iter().map(|row| row.url.as_str()).collect();
        urls.sort_unstable();
        urls.dedup();
        assert_eq!(urls.len(), rows.len(), "{name} fetches a page twice");
        assert!(rows.iter().all(|row| row.rule.is_some()), "{name}");
        for file in ["log/00000.parquet", "links/00000.parquet"] {
            let bytes = |out: &str| fs::read(folder.path(out).join(file)).unwrap();
            assert!(bytes(&one) == bytes(&two), "{name}: {file} differs");
        }
    }
}

/// A crawl uses the similarity of its recipe: with similar meanings, more words of a page count
/// than those of the topic.
#[test]
fn similarities_are_those_of_the_recipe() {
    let folder = Folder::new();
    done(&folder, &["topic", "keywords", "rain", "storm", "-o", "t.json"]);
    folder.write("web/001.html", "<title>tempest</title><p>storm <a href=2.html>rain</a>");
    let relevance = |name: &str, more: &[&str]| {
        done(&folder, &args("web", name, name, more));
        pages(&folder, name)[0].relevance.unwrap()
    };
    // The cosine over the two words of the topic, both of which are on the page.
    assert!((relevance("ontrail", &[]) - 1.0).abs() < 1e-9);
    // Over all words of the text it is lower (the third word, tempest, is the rarest in general
    // text), and SSRM is a mean of similarities.
    let vsm = relevance("vsm", &[]);
    assert!(vsm > 0.6 && vsm < 0.8, "{vsm}");
    let ssrm = relevance("ssrm", &["--ontology", &path("ontologies/things/things.ttl")]);
    assert!(ssrm > 0.2 && (ssrm - vsm).abs() > 0.01, "{ssrm}");
}

/// Words that the graph removes do not count for SDVSM.
#[test]
fn sdvsm_removes_words_that_do_not_mean_the_topic() {
    let folder = Folder::new();
    let line = |label: &str, text: &str| format!("{{\"label\":\"{label}\",\"text\":\"{text}\"}}\n");
    let texts = [
        ("rain", "storm flood river storm"),
        ("rain", "storm flood dyke"),
        ("rain", "storm river dyke"),
        ("rain", "storm flood"),
        ("band", "storm guitar"),
        ("band", "storm storm drummer"),
        ("band", "storm guitar drummer"),
        ("band", "singer guitar"),
    ];
    folder.write("p.jsonl", texts.iter().map(|(a, b)| line(a, b)).collect::<String>());
    let build =
        ["sdg", "build", "p.jsonl", "--label", "rain", "--background", "p.jsonl", "-o", "g.json"];
    let bounds = ["--relevance-bounds", "1,2", "--popularity-bounds", "1,2"];
    done(&folder, &[&build[..], &bounds].concat());
    done(&folder, &["topic", "keywords", "storm", "flood", "-o", "t.json"]);
    folder.write("web/001.html", "<p>the storm played guitar <a href=2.html>drummer</a>");
    let relevance = |out: &str, more: &[&str]| {
        done(&folder, &args("web", "sdvsm", out, more));
        pages(&folder, out)[0].relevance.unwrap()
    };
    // The printed SVSM computes the length over similar pairs only, so a single such pair gives
    // relevance 1.
    let meanings = path("ontologies/things/things.ttl");
    let text = ["--set", "similarity.norm=text", "--ontology", &meanings];
    let without = relevance("without", &[&text[..], &["--set", "similarity.sdg=false"]].concat());
    let with = relevance("with", &[&text[..], &["--sdg", "g.json"]].concat());
    assert!(without > 0.1 && with < without / 2.0, "{with} {without}");
}

/// The crawl tunnels through an irrelevant page by its relevant block, and the log shows it.
#[test]
fn a_tunnel_is_crossed_and_logged() {
    let folder = Folder::new();
    done(&folder, &["topic", "keywords", "rain", "storm", "flood", "-o", "t.json"]);
    folder.write(
        "web/001.html",
        "<title>Shops</title><h1>shoes hats rain</h1><div>buy shoes <a href=shoes.html>shoes</a></div>\
         <div>rain storm flood <a href=news.html>more</a></div>",
    );
    folder.write("web/news.html", "<p>weather <a href=rain.html>rain storm flood</a>");
    folder.write("web/rain.html", "<p>rain storm flood");
    folder.write("web/shoes.html", "<p>shoes");
    let more = ["--as-printed", "--set", "priority.above=0.2"];
    done(&folder, &args("web", "fccbs", "out", &more));
    let rows = pages(&folder, "out");
    let told: Vec<(&str, &str)> = rows
        .iter()
        .map(|row| (row.url.rsplit('/').next().unwrap(), row.rule.unwrap().name()))
        .collect();
    assert_eq!(told, [("001.html", "best"), ("news.html", "tunnel"), ("rain.html", "best")]);
    assert!(rows[1].score(Score::Block).unwrap() > 0.3);
    assert!(rows[2].score(Score::Context).is_some());
    let links = read_links(&folder.path("out/links")).unwrap();
    let verdict =
        |name: &str| links.iter().find(|it| it.url.ends_with(name)).unwrap().verdict.name();
    assert_eq!((verdict("shoes.html"), verdict("news.html")), ("off-topic", "tunnel"));
    let story = folder.run(&["crawl", "explain", "out", "http://localhost/news.html"]).stdout;
    assert!(
        story.contains(
            "it is in a relevant content block of a page that is not relevant itself (tunnel)"
        ),
        "{story}"
    );
    let story = folder.run(&["crawl", "explain", "out", "http://localhost/shoes.html"]).stdout;
    assert!(
        story.contains("It was not queued: the page that links to it is not relevant."),
        "{story}"
    );
}

#[test]
fn a_url_is_explained() {
    let folder = Folder::new();
    done(&folder, &["topic", "keywords", "rain", "storm", "-o", "t.json"]);
    folder.write(
        "web/001.html",
        "rain storm <a href=2.html>rain</a> <a href=3.html>暴雨</a> <a href=3.html>storm</a>",
    );
    folder.write("web/2.html", "rain");
    folder.write("web/3.html", "storm <a href=2.html>rain storm</a>");
    let plain =
        ["--set", "priority.kind=page-anchor", "--set", "priority.page=0.5", "--budget", "2"];
    done(&folder, &args("web", "fixed", "out", &plain));
    let explain = |url: &str| folder.run(&["crawl", "explain", "out", url]);
    let story = explain("http://LOCALHOST:80/001.html#top").stdout;
    assert!(story.contains("It is a seed."), "{story}");
    assert!(story.contains("Fetch 2: chosen because it had the highest priority"), "{story}");
    // Rain and storm are equal and 2 was found first, so 3 waits when the budget is spent.
    let story = explain("http://localhost/3.html").stdout;
    assert!(story.contains("It was found 2 times:"), "{story}");
    assert!(
        story.contains("(fetch 2, relevance 1.000), anchor text \"暴雨\", priority 0.500: it was added to the queue"),
        "{story}"
    );
    assert!(story.contains("anchor text \"storm\", priority 0.854: it was already in the queue, and its priority was raised"), "{story}");
    assert!(
        story.contains(
            "It still waits: 1 other page(s) were fetched after it was found. Its priority was 0.854"
        ),
        "{story}"
    );
    let json = folder.run(&["crawl", "explain", "out", "http://localhost/2.html", "--json"]).json();
    assert_eq!(json["fetches"][0]["rule"], "best");
    assert!((json["fetches"][0]["scores"]["priority"].as_f64().unwrap() - 0.853_553).abs() < 1e-6);
    assert_eq!(json["found"].as_array().unwrap().len(), 1);
    let unknown = explain("http://localhost/9.html");
    assert_eq!((unknown.code, unknown.stdout.contains("The crawl has never seen it.")), (1, true));
    explain("mailto:x@example.org").refused("not a URL that can be crawled");
    folder.run(&["crawl", "explain", "web", "http://localhost/"]).refused("is not a crawl folder");
}

/// `explain` tells redirects, pages that robots.txt forbids, and links with a low priority; a crawl
/// that ended early says why; an export leaves out pages that are not in the archives yet.
#[test]
fn redirects_forbidden_pages_and_low_priorities_are_explained() {
    let folder = Folder::new();
    done(&folder, &["topic", "keywords", "rain", "storm", "-o", "t.json"]);
    folder
        .write("web/001.html", "rain storm <a href=secret.html>rain</a> <a href=2.html>shoes</a>");
    folder.write("web/robots.txt", "User-agent: *\nDisallow: /secret");
    let ran = folder.run(&args("web", "ops", "out", &["--set", "priority.at-least=0.85"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let plain = ["crawl", "run", "--web", "web", "--topic", "t.json", "--recipe", "ops"];
    let set = ["--set", "priority.at-least=0.85", "-o", "early", "http://localhost/001.html"];
    let ran = folder.run(&[&plain[..], &set].concat());
    assert!(
        ran.stderr.contains(
            "the crawl ended early: 1 link(s) had a priority below the recipe's minimum of 0.85"
        ),
        "{}",
        ran.stderr
    );
    let explain = |url: &str| folder.run(&["crawl", "explain", "out", url]).stdout;
    let story = explain("http://localhost/secret.html");
    assert!(story.contains("robots.txt forbids it, so it was not fetched"), "{story}");
    let story = explain("http://localhost/2.html");
    assert!(story.contains("The recipe requires a priority of at least 0.85."), "{story}");
    // As if the crawl had been killed before the archive was complete.
    let archive = folder.path("out/pages/pages-00000.warc.gz");
    let bytes = fs::read(&archive).unwrap();
    fs::write(&archive, &bytes[..bytes.len() / 2]).unwrap();
    let ran = folder.run(&["crawl", "export", "out", "--all"]);
    assert!(ran.stderr.contains("not in the archives yet") && ran.code == 2, "{}", ran.stderr);
}

/// Lookahead pages, which the paper does not count, are in the log but in no figure.
#[test]
fn lookahead_pages_are_not_counted() {
    let folder = Folder::new();
    rainstorm(&folder);
    let web = path("datasets/rainstorm-pages/pages");
    let more =
        ["--set", "strategy.lookahead=oracle", "--set", "priority.at-least=0.0", "--budget", "20"];
    let summary = folder.run(&args(&web, "fcoits", "out", &more)).json();
    assert_eq!((summary["downloaded"].as_u64(), summary["stored"].as_u64()), (Some(20), Some(20)));
    let rows = pages(&folder, "out");
    let looks = rows.iter().filter(|row| row.outcome == Outcome::Looked).count();
    assert!(looks > 0 && rows.len() == 20 + looks, "{looks} of {}", rows.len());
}

/// R(A) by which a crawl chose a link is the one of `topic score`, if the background of the topic
/// consists of the pages that had been fetched by then.
#[test]
fn anchor_texts_are_compared_as_topic_score_compares_them() {
    let folder = Folder::new();
    let topic = ["topic", "keywords", "rain=1", "flood=0.5", "--quiet"];
    done(&folder, &[&topic[..], &["-o", "t.json"]].concat());
    let home = "<p>city rain <a href=2.html>rain report</a> <a href=3.html>flood, rain, flood</a> \
                <a href=4.html>rain and flood</a> <a href=5.html>town hall</a>";
    let others = ["a flood, and other words about the river", "flood", "town", "city"];
    folder.write("web/001.html", home);
    for (number, text) in (2..).zip(others) {
        folder.write(&format!("web/{number}.html"), format!("<p>{text}"));
    }
    done(&folder, &args("web", "ops", "out", &["--set", "priority.at-least=0"]));
    let rows = pages(&folder, "out");
    assert_eq!(rows.len(), 5);
    let mut found = Vec::new();
    for (number, row) in rows.iter().enumerate().skip(1) {
        let (met, file) = (format!("met{number}.jsonl"), format!("t{number}.json"));
        let text_of = |row: &LogRow| {
            let name = row.url.rsplit('/').next().unwrap();
            let html = fs::read_to_string(folder.path("web").join(name)).unwrap();
            let parts = html.split('<').map(|part| part.split_once('>').map_or("", |it| it.1));
            serde_json::json!({ "text": parts.collect::<String>() }).to_string() + "\n"
        };
        folder.write(&met, rows[..number].iter().map(text_of).collect::<String>());
        done(&folder, &[&topic[..], &["--background", &met, "-o", &file]].concat());
        let score = ["topic", "score", &file, "web/001.html", "--links", "--json"];
        let scored = folder.run(&[&score[..], &["--url", "http://localhost/001.html"]].concat());
        let scored = scored.json();
        let mut links = scored["pages"][0]["links"].as_array().unwrap().iter();
        let link = links.find(|link| link["url"] == row.url.as_str()).unwrap();
        let expected = link["anchor_bm25"].as_f64().unwrap();
        let own = row.scores.iter().find(|(score, _)| *score == Score::Anchor).unwrap().1;
        assert!((own - expected).abs() < 1e-12, "{}: {own} is not {expected}", row.url);
        found.push(own);
    }
    // The texts differ, and so do the numbers of pages: no two links are alike.
    found.sort_by(f64::total_cmp);
    found.dedup();
    assert_eq!(found.len(), 4, "{found:?}");
}

/// A classifier that was trained on the main content of pages classifies the main content in a
/// crawl; one that was trained on whole pages, or on texts, the whole page.
#[test]
fn a_crawl_classifies_the_part_of_pages_that_the_classifier_was_trained_on() {
    let folder = Folder::new();
    let rain = "Heavy rain fell all night, the river rose, and the flood reached the town.";
    let sport = "The team won the match, the striker scored a late goal, and the fans cheered.";
    let page = |nav: &str, text: &str| {
        format!("<html><body><nav>{nav}</nav><article><p>{text} {text}</p></article></body></html>")
    };
    for number in 0..8 {
        let more = format!("Report number {number}.");
        folder.write(&format!("train/rain/{number}.html"), page("", &format!("{rain} {more}")));
        folder.write(&format!("train/sport/{number}.html"), page("", &format!("{sport} {more}")));
    }
    folder.write("texts.tsv", format!("rain\t{rain}\nsport\t{sport}\n").repeat(8));
    let menu = "<a href=x>team match goal striker fans</a> ".repeat(30);
    folder.write("web/001.html", page(&menu, rain));
    let class = |name: &str, data: &str, more: &[&str]| {
        let train = ["bcw", "train", data, "-o", name, "--no-auto"];
        done(&folder, &[&train[..], more].concat());
        let out = format!("{name}-out");
        let crawl = ["--recipe", "bfs", "--classifier", name, "-o", &out];
        let begin = ["crawl", "run", "--web", "web", "http://localhost/001.html"];
        done(&folder, &[&begin[..], &crawl].concat());
        pages(&folder, &out)[0].class.clone().unwrap()
    };
    assert_eq!(class("main", "train", &[]), "rain");
    assert_eq!(class("page", "train", &["--content", "page"]), "sport");
    assert_eq!(class("texts", "texts.tsv", &[]), "sport");
}
