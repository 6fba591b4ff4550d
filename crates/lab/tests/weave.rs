//! A woven web has the properties that its settings ask for, measured on the files and not on the
//! plan.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fs;
use std::path::Path;

use ontrail_crawl::{ArchiveWeb, Labels};
use ontrail_lab::{LoadedWeb, REALISTIC, SourceText, WeaveFile, WeaveSettings, weave};
use ontrail_page::{Html, Source};
use polars::prelude::{ParquetReader, SerReader};
use url::Url;

/// Returns texts whose words identify their topic: no two topics share a word.
fn texts(is_chinese: bool) -> Vec<SourceText> {
    let topics: [(&str, [&str; 6]); 4] = if is_chinese {
        [
            ("雨灾", ["暴雨", "洪水", "预警", "内涝", "救援", "积水"]),
            ("体育", ["球队", "比赛", "教练", "冠军", "球迷", "联赛"]),
            ("股票", ["股市", "大盘", "基金", "涨停", "投资者", "券商"]),
            ("房产", ["楼盘", "房价", "开发商", "物业", "租金", "户型"]),
        ]
    } else {
        [
            ("rain", ["storm", "flood", "warning", "river", "rescue", "levee"]),
            ("sport", ["match", "coach", "goal", "league", "striker", "stadium"]),
            ("money", ["shares", "index", "broker", "bond", "dividend", "trader"]),
            ("homes", ["house", "rent", "mortgage", "tenant", "landlord", "garden"]),
        ]
    };
    let mut texts = Vec::new();
    for (label, words) in topics {
        for number in 0..12 {
            let sentence = |at: usize| {
                let (a, b) = (words[(number + at) % 6], words[(number * 5 + at * 2 + 1) % 6]);
                if is_chinese {
                    format!("关于{a}的第{}条消息说明{b}在{}天内有变化。", at + 10, number + 3)
                } else {
                    format!(
                        "The {a} number {} was followed by a {b} within {} days. ",
                        at + 10,
                        number + 3
                    )
                }
            };
            let body: String = (0..7).map(sentence).collect();
            let title = format!("{} {} {number}", words[number % 6], words[(number + 2) % 6]);
            texts.push(SourceText { label: label.to_owned(), title: Some(title), body });
        }
    }
    texts
}

fn settings(pages: u32, seed: u64) -> WeaveSettings {
    WeaveSettings::default().with(|it| {
        it.pages = pages;
        it.hosts = 60;
        it.seed = seed;
    })
}

fn woven(settings: &WeaveSettings, is_chinese: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    weave(settings, &texts(is_chinese), folder.path(), BTreeMap::new(), &|_| ()).unwrap();
    folder
}

/// A row of the table of links: from, to, kind and anchor text.
type LinkRow = (String, String, String, String);

fn links(folder: &Path) -> Vec<LinkRow> {
    let file = fs::File::open(folder.join("links.parquet")).unwrap();
    let frame = ParquetReader::new(file).finish().unwrap();
    let column = |name: &str| -> Vec<String> {
        let column = frame.column(name).unwrap();
        column.str().unwrap().iter().map(|it| it.unwrap().to_owned()).collect()
    };
    let (from, to, kind, anchor) = (column("from"), column("to"), column("kind"), column("anchor"));
    from.into_iter()
        .zip(to)
        .zip(kind.into_iter().zip(anchor))
        .map(|((a, b), (c, d))| (a, b, c, d))
        .collect()
}

/// Returns the label and the kind of each page.
fn labels(folder: &Path) -> BTreeMap<String, (String, String)> {
    let text = fs::read_to_string(folder.join("labels.tsv")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        (cells[0].to_owned(), (cells[1].to_owned(), cells[2].to_owned()))
    };
    text.lines().map(row).collect()
}

fn host(url: &str) -> String {
    Url::parse(url).unwrap().host_str().unwrap().to_owned()
}

/// Returns the URLs that can be reached from the seeds without passing through the avoided ones.
fn reached(
    folder: &Path,
    links: &[LinkRow],
    web: &ArchiveWeb,
    avoided: impl Fn(&str) -> bool,
) -> HashSet<String> {
    let mut next: HashMap<&str, Vec<&str>> = HashMap::new();
    links.iter().for_each(|(from, to, ..)| next.entry(from).or_default().push(to));
    let seeds = fs::read_to_string(folder.join("seeds.txt")).unwrap();
    let mut open: VecDeque<String> =
        seeds.lines().map(str::to_owned).filter(|it| !avoided(it)).collect();
    let mut seen: HashSet<String> = open.iter().cloned().collect();
    while let Some(url) = open.pop_front() {
        let answer = web.response(&url.parse().unwrap(), &|_| true, usize::MAX).unwrap();
        let mut targets: Vec<String> = answer.location().into_iter().collect();
        targets.extend(next.get(url.as_str()).into_iter().flatten().map(|it| (*it).to_owned()));
        for to in targets {
            if !avoided(&to) && seen.insert(to.clone()) {
                open.push_back(to);
            }
        }
    }
    seen
}

#[test]
fn equal_seeds_give_equal_bytes_and_different_seeds_do_not() {
    let (a, b, c) = (
        woven(&settings(600, 1), true),
        woven(&settings(600, 1), true),
        woven(&settings(600, 2), true),
    );
    for name in ["web.warc.gz", "labels.tsv", "links.parquet", "seeds.txt", "weave.toml"] {
        let bytes = |folder: &tempfile::TempDir| fs::read(folder.path().join(name)).unwrap();
        assert!(bytes(&a) == bytes(&b), "{name}");
        assert!(bytes(&a) != bytes(&c), "{name}");
    }
    // The number of threads makes no difference.
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let alone = one.install(|| woven(&settings(600, 1), true));
    let bytes = |folder: &tempfile::TempDir| fs::read(folder.path().join("web.warc.gz")).unwrap();
    assert!(bytes(&alone) == bytes(&a));
}

#[test]
fn every_page_can_be_reached_and_its_links_are_in_the_table() {
    let folder = woven(&settings(1_500, 3), true);
    let web = ArchiveWeb::open(&[folder.path().join("web.warc.gz")]).unwrap();
    let (links, labels) = (links(folder.path()), labels(folder.path()));
    assert_eq!(labels.len(), 1_500);
    let reached = reached(folder.path(), &links, &web, |_| false);
    let missing: Vec<&String> = labels.keys().filter(|url| !reached.contains(*url)).collect();
    assert!(missing.is_empty(), "{} of them, such as {:?}", missing.len(), missing.first());
    // The target of every link is a page, a redirect, or missing on purpose.
    let archived: HashSet<&str> = web.urls().into_iter().collect();
    for (_, to, kind, _) in &links {
        let is_missing_on_purpose = to.contains("/gone/") || kind == "trap";
        assert!(archived.contains(to.as_str()) || is_missing_on_purpose, "{to}");
    }
    // The table has exactly the links of the pages.
    let loaded = LoadedWeb::open(&[folder.path().join("web.warc.gz")]).unwrap();
    let mut by_page: HashMap<&str, Vec<(&str, &str)>> = HashMap::new();
    links
        .iter()
        .for_each(|(from, to, _, anchor)| by_page.entry(from).or_default().push((to, anchor)));
    for url in labels.keys().step_by(37) {
        let answer = loaded.get(url).unwrap();
        let parsed: Url = url.parse().unwrap();
        let source =
            ontrail_page::Source::at(&parsed).with_content_type(answer.header("content-type"));
        let page = ontrail_page::Html::parse(&answer.body, source);
        let found: Vec<(&str, &str)> =
            page.links.iter().map(|it| (it.url.as_str(), it.anchor.as_str())).collect();
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let table: Vec<(String, String)> =
            by_page[url.as_str()].iter().map(|it| (it.0.to_owned(), squeezed(it.1))).collect();
        let found: Vec<(String, String)> =
            found.iter().map(|it| (it.0.to_owned(), squeezed(it.1))).collect();
        assert_eq!(found, table, "{url}");
    }
}

/// With many topics, portals have more sections than their navigation shows.
#[test]
fn pages_of_many_topics_can_all_be_reached() {
    let folder = tempfile::tempdir().unwrap();
    let many: Vec<SourceText> = (0..16)
        .flat_map(|topic| (0..3).map(move |number| (topic, number)))
        .map(|(topic, number)| SourceText {
            label: format!("topic {topic}"),
            title: Some(format!("word{topic} {number}")),
            body: format!("A word{topic} came. Then word{topic} went {number} times. And it was word{topic} again."),
        })
        .collect();
    weave(&settings(1_500, 9), &many, folder.path(), BTreeMap::new(), &|_| ()).unwrap();
    let web = ArchiveWeb::open(&[folder.path().join("web.warc.gz")]).unwrap();
    // Links of articles are random, so lists must lead to every page without them.
    let listed: Vec<LinkRow> =
        links(folder.path()).into_iter().filter(|link| link.2 != "content").collect();
    let reached = reached(folder.path(), &listed, &web, |_| false);
    let pages = labels(folder.path());
    let missing: Vec<&String> = pages
        .iter()
        .filter(|(url, it)| it.1 != "duplicate" && !reached.contains(*url))
        .map(|it| it.0)
        .collect();
    assert!(missing.is_empty(), "{} of them, such as {:?}", missing.len(), missing.first());
}

#[test]
fn hidden_articles_can_be_reached_only_through_tunnels() {
    let folder = woven(&settings(1_500, 4), true);
    let web = ArchiveWeb::open(&[folder.path().join("web.warc.gz")]).unwrap();
    let (links, labels) = (links(folder.path()), labels(folder.path()));
    let kind = |url: &str| labels.get(url).map_or("", |it| it.1.as_str()).to_owned();
    let hidden: BTreeSet<&String> =
        labels.iter().filter(|(_, it)| it.1 == "hidden").map(|it| it.0).collect();
    let articles = labels
        .values()
        .filter(|it| ["article", "hidden", "ambiguous", "near-duplicate"].contains(&it.1.as_str()));
    let share = hidden.len() as f64 / articles.count() as f64;
    assert!((share - 0.15).abs() < 0.03, "{share}");
    // Without the channel pages, which mix topics, none of them can be reached.
    let without = reached(folder.path(), &links, &web, |url| kind(url) == "channel");
    assert!(hidden.iter().all(|url| !without.contains(*url)));
    // Channel pages belong to no topic, and list other topics besides that of the hidden article.
    for (from, to, _, _) in links.iter().filter(|link| link.2 == "tunnel") {
        assert_eq!(labels[from].0, "portal");
        assert!(hidden.contains(to));
        let beside: BTreeSet<&String> = links
            .iter()
            .filter(|link| link.0 == *from && link.2 == "hub")
            .map(|link| &labels[&link.1].0)
            .collect();
        assert!(beside.len() >= 3, "{from}: {beside:?}");
    }
}

#[test]
fn the_words_of_a_page_match_its_label() {
    for is_chinese in [true, false] {
        let folder = woven(&settings(800, 5), is_chinese);
        let loaded = LoadedWeb::open(&[folder.path().join("web.warc.gz")]).unwrap();
        let mut vocabulary: HashMap<String, Vec<String>> = HashMap::new();
        for text in texts(is_chinese) {
            let own = vocabulary.entry(text.label).or_default();
            let title = text.title.unwrap();
            own.extend(title.split(' ').take(2).map(str::to_owned));
        }
        let mut right = 0;
        let pages = labels(folder.path());
        let articles: Vec<_> =
            pages.iter().filter(|(_, it)| vocabulary.contains_key(&it.0)).collect();
        for (url, (label, kind)) in &articles {
            let answer = loaded.get(url).unwrap();
            let (text, _, _) = encoding_rs::Encoding::for_label(
                if answer.header("content-type").unwrap().contains("gbk") {
                    b"gbk"
                } else {
                    b"utf-8"
                },
            )
            .unwrap()
            .decode(&answer.body);
            // The text between the heading and the links.
            let start = text.find("<p class=\"by\">").unwrap();
            let end = text.find("<div class=\"related\">").unwrap();
            let body = &text[start..end];
            let hits = |words: &Vec<String>| {
                words.iter().map(|word| body.matches(word.as_str()).count()).sum::<usize>()
            };
            let best = vocabulary.iter().max_by_key(|(_, words)| hits(words)).unwrap().0;
            let is_right = best == label;
            assert!(
                is_right
                    || kind == "ambiguous"
                    || hits(&vocabulary[label]) * 3 >= hits(&vocabulary[best]),
                "{url} {kind} {label}: {body}"
            );
            right += usize::from(is_right);
        }
        let share = right as f64 / articles.len() as f64;
        assert!(share > 0.97, "{share}");
    }
}

#[test]
fn a_web_has_the_distributions_and_faults_of_its_settings() {
    let settings = WeaveSettings::default().with(|it| {
        it.pages = 12_000;
        it.hosts = 150;
        it.seed = 6;
    });
    let folder = woven(&settings, true);
    let (links, labels) = (links(folder.path()), labels(folder.path()));
    assert_eq!(labels.len(), 12_000);
    let close = |what: &str, found: f64, wanted: f64, within: f64| {
        assert!((found - wanted).abs() <= within, "{what}: {found} is not {wanted}");
    };
    // Exact copies have the same bytes under other URLs.
    let loaded = LoadedWeb::open(&[folder.path().join("web.warc.gz")]).unwrap();
    let mut bodies: HashMap<&[u8], u32> = HashMap::new();
    labels.keys().for_each(|url| *bodies.entry(&loaded.get(url).unwrap().body).or_default() += 1);
    let extra: u32 = bodies.values().map(|count| count - 1).sum();
    close("copies", f64::from(extra) / 12_000.0, settings.duplicates, 0.01);
    let of_kind = |kind: &str| labels.values().filter(|it| it.1 == kind).count() as f64;
    close("near copies", of_kind("near-duplicate") / 12_000.0, settings.near_duplicates, 0.005);
    close("calendars", of_kind("calendar") / 12_000.0, settings.traps, 0.001);
    // The links of articles, without those of their copies.
    let is_article = |url: &str| {
        labels.get(url).is_some_and(|it| {
            !it.0.ends_with("-hub")
                && it.1 != "duplicate"
                && !["portal", "calendar"].contains(&it.0.as_str())
        })
    };
    let content: Vec<&LinkRow> = links
        .iter()
        .filter(|link| {
            ["content", "copy", "island"].contains(&link.2.as_str()) && is_article(&link.0)
        })
        .collect();
    let articles = labels.keys().filter(|url| is_article(url)).count() as f64;
    close("links of an article", content.len() as f64 / articles, 7.2, 0.8);
    let dead: HashSet<&String> =
        content.iter().filter(|link| link.1.contains("/gone/")).map(|link| &link.0).collect();
    close("articles with a dead link", dead.len() as f64 / articles, 0.23, 0.02);
    let redirected = content.iter().filter(|link| link.1.contains("/old/")).count() as f64;
    close("redirects", redirected / content.len() as f64, settings.redirects, 0.01);
    // Locality, by the labels of the targets.
    let alive: Vec<&&LinkRow> =
        content.iter().filter(|link| labels.contains_key(&link.1)).collect();
    let same_topic =
        alive.iter().filter(|link| labels[&link.0].0 == labels[&link.1].0).count() as f64;
    close("same topic", same_topic / alive.len() as f64, settings.locality, 0.03);
    let same_host = alive.iter().filter(|link| host(&link.0) == host(&link.1)).count() as f64;
    close("same host", same_host / alive.len() as f64, settings.same_host, 0.06);
    // The exponent of the in-degrees, estimated from the tail by maximum likelihood.
    let mut degrees: HashMap<&String, u32> = HashMap::new();
    content
        .iter()
        .filter(|link| link.2 == "content")
        .for_each(|link| *degrees.entry(&link.1).or_default() += 1);
    let tail: Vec<f64> =
        degrees.values().filter(|it| **it >= 10).map(|it| f64::from(*it)).collect();
    let exponent = 1.0 + tail.len() as f64 / tail.iter().map(|it| (it / 9.5).ln()).sum::<f64>();
    close("exponent of in-degrees", exponent, settings.in_exponent, 0.35);
    // Sizes of hosts.
    let mut sizes: HashMap<String, u32> = HashMap::new();
    labels.keys().for_each(|url| *sizes.entry(host(url)).or_default() += 1);
    assert_eq!(sizes.len(), 150);
    let mut sizes: Vec<u32> = sizes.into_values().collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    assert!(sizes[..15].iter().sum::<u32>() > 12_000 / 2, "{:?}", &sizes[..15]);
    // Charsets, by the bytes of the front pages.
    let fronts: Vec<&String> =
        labels.iter().filter(|(_, it)| it.1 == "front").map(|it| it.0).collect();
    let gbk = fronts
        .iter()
        .filter(|url| std::str::from_utf8(&loaded.get(url).unwrap().body).is_err())
        .count() as f64;
    close("GBK hosts", gbk / fronts.len() as f64, settings.gbk, 0.12);
    // weave.toml has the same figures as measured here.
    let file: WeaveFile =
        toml::from_str(&fs::read_to_string(folder.path().join("weave.toml")).unwrap()).unwrap();
    assert_eq!(file.settings, settings);
    close("weave.toml: same topic", file.woven.same_topic, same_topic / alive.len() as f64, 0.02);
    close("weave.toml: same host", file.woven.same_host, same_host / alive.len() as f64, 0.02);
    close(
        "weave.toml: dead",
        file.woven.articles_with_dead_links,
        dead.len() as f64 / articles,
        1e-9,
    );
    assert_eq!(file.woven.links, links.len() as u64);
}

#[test]
fn settings_take_effect_and_bad_ones_are_refused() {
    let quiet = settings(1_000, 8).with(|it| {
        it.tunnels = 0.0;
        it.duplicates = 0.0;
        it.near_duplicates = 0.0;
        it.dead = 0.0;
        it.redirects = 0.0;
        it.traps = 0.0;
        it.ambiguous = 0.0;
        it.gbk = 0.0;
        it.generic_anchors = 0.0;
        it.locality = 1.0;
        it.shares = BTreeMap::from([("雨灾".to_owned(), 0.05)]);
    });
    let folder = woven(&quiet, true);
    let (links, labels) = (links(folder.path()), labels(folder.path()));
    let kinds: BTreeSet<&str> = labels.values().map(|it| it.1.as_str()).collect();
    assert_eq!(kinds, BTreeSet::from(["article", "channel", "directory", "front", "section"]));
    assert!(links.iter().all(|link| labels.contains_key(&link.1)), "nothing is dead or redirected");
    let content = links.iter().filter(|link| link.2 == "content");
    assert!(content.clone().all(|link| labels[&link.0].0 == labels[&link.1].0));
    let articles: Vec<&String> =
        labels.values().filter(|it| it.1 == "article").map(|it| &it.0).collect();
    let rare = articles.iter().filter(|label| **label == "雨灾").count() as f64;
    assert!((rare / articles.len() as f64 - 0.05).abs() < 0.02, "{rare}");
    let truth = Labels::read(&folder.path().join("labels.tsv"), "雨灾").unwrap();
    assert!((truth.relevant_pages() as f64 - rare).abs() < 0.5);
    let wrong = |settings: &WeaveSettings| {
        let folder = tempfile::tempdir().unwrap();
        weave(settings, &texts(true), folder.path(), BTreeMap::new(), &|_| ())
            .unwrap_err()
            .to_string()
    };
    assert!(
        wrong(&settings(1_000, 0).with(|it| it.locality = 1.5))
            .contains("locality = 1.5 is not between 0 and 1")
    );
    assert!(wrong(&settings(100, 0)).contains("five pages per host"));
    let shares = BTreeMap::from([("天气".to_owned(), 0.5)]);
    assert!(
        wrong(&settings(1_000, 0).with(|it| it.shares = shares))
            .contains("no text has the label \"天气\"")
    );
    assert!(wrong(&settings(1_000, 0).with(|it| it.locality = f64::NAN)).contains("locality"));
    let one = [SourceText { label: "x".to_owned(), title: None, body: "y".to_owned() }];
    let folder = tempfile::tempdir().unwrap();
    assert!(weave(&settings(1_000, 0), &one, folder.path(), BTreeMap::new(), &|_| ()).is_err());
}

/// Returns the links of a page with the paths of tags above them.
fn links_in_place(web: &LoadedWeb, url: &str) -> Vec<(String, String)> {
    let answer = web.get(url).unwrap();
    let page = Url::parse(url).unwrap();
    let source = Source::at(&page).with_content_type(answer.header("content-type"));
    let html = Html::parse(&answer.body, source);
    html.links.into_iter().map(|link| (link.url.to_string(), link.path)).collect()
}

/// The settings of the preset, as the command line applies them.
fn realistic(pages: u32, seed: u64) -> WeaveSettings {
    let table: toml::Table = REALISTIC.parse().unwrap();
    let preset: WeaveSettings = table.try_into().unwrap();
    preset.with(|it| {
        it.pages = pages;
        it.hosts = 60;
        it.seed = seed;
    })
}

/// Figures in the documentation were measured on webs with these settings: their pages must stay
/// as they are.
#[test]
fn plain_webs_keep_their_pages() {
    let folder = woven(&settings(600, 1), true);
    let web = LoadedWeb::open(&[folder.path().join("web.warc.gz")]).unwrap();
    let mut urls = web.urls();
    urls.sort_unstable();
    let mut all = Vec::new();
    for url in urls {
        all.extend(url.bytes());
        all.extend(&web.get(url).unwrap().body);
    }
    assert_eq!(format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&all)), "72a27f0f8b582f92");
}

#[test]
fn link_texts_are_titles_as_often_as_wanted() {
    let wanted = settings(3_000, 9).with(|it| {
        it.hosts = 100;
        it.untitled_links = 0.4;
    });
    let folder = woven(&wanted, true);
    let (links, labels) = (links(folder.path()), labels(folder.path()));
    let web = LoadedWeb::open(&[folder.path().join("web.warc.gz")]).unwrap();
    let title = |url: &str| {
        let answer = web.get(url)?;
        let page = Url::parse(url).unwrap();
        let source = Source::at(&page).with_content_type(answer.header("content-type"));
        Some(Html::parse(&answer.body, source).title)
    };
    let titles: HashMap<&String, String> =
        labels.keys().filter_map(|url| Some((url, title(url)?))).collect();
    let kinds = ["content", "copy", "island", "hub", "tunnel"];
    let is_article = |url: &String| !labels[url].0.ends_with("-hub");
    let to_articles: Vec<&LinkRow> = links
        .iter()
        .filter(|(_, to, kind, _)| kinds.contains(&kind.as_str()) && labels.contains_key(to))
        .filter(|(_, to, ..)| is_article(to))
        .collect();
    assert!(to_articles.len() > 5_000);
    let untitled: Vec<&&LinkRow> = to_articles
        .iter()
        .filter(|(_, to, _, anchor)| anchor.is_empty() || !titles[to].starts_with(anchor.as_str()))
        .collect();
    let share = |part: usize, whole: usize| part as f64 / whole as f64;
    let found = share(untitled.len(), to_articles.len());
    assert!((found - 0.4).abs() < 0.02, "{found}");
    // A quarter are images without text, a quarter pieces of the title, the others phrases.
    let images = untitled.iter().filter(|link| link.3.is_empty()).count();
    assert!((share(images, untitled.len()) - 0.25).abs() < 0.02);
    let pieces = untitled.iter().filter(|link| link.3.contains('…')).count();
    assert!((share(pieces, untitled.len()) - 0.25).abs() < 0.02);
    for phrase in ["更多", "详细", "下一篇"] {
        assert!(untitled.iter().any(|link| link.3 == phrase), "{phrase}");
    }
    // The links themselves are those of the same web without this setting.
    let plain = woven(&wanted.with(|it| it.untitled_links = 0.0), true);
    let without_anchors = |links: &[LinkRow]| -> Vec<(String, String)> {
        links.iter().map(|link| (link.0.clone(), link.1.clone())).collect()
    };
    assert!(without_anchors(&links) == without_anchors(&self::links(plain.path())));
}

/// The path of tags above a link says in which section it stands: on one host no two sections
/// share a path, and on different hosts the same section has different ones.
#[test]
fn tag_paths_tell_sections_apart() {
    let folder = woven(&realistic(1_500, 10), true);
    let (links, labels) = (links(folder.path()), labels(folder.path()));
    let web = LoadedWeb::open(&[folder.path().join("web.warc.gz")]).unwrap();
    let mut kinds_of: HashMap<(&str, &str), BTreeSet<&str>> = HashMap::new();
    for (from, to, kind, _) in &links {
        kinds_of.entry((from, to)).or_default().insert(kind);
    }
    // The sections of each path on each host, by the kinds of links that stand nowhere else.
    let mut sections: BTreeMap<(String, String), BTreeSet<&str>> = BTreeMap::new();
    let mut related: BTreeSet<String> = BTreeSet::new();
    let mut hosts: BTreeSet<String> = BTreeSet::new();
    for url in labels.iter().filter(|(_, it)| it.1 == "article").map(|it| it.0) {
        for (to, path) in links_in_place(&web, url) {
            let Some(kinds) = kinds_of.get(&(url.as_str(), to.as_str())) else { continue };
            // A target that several sections link to says nothing.
            if kinds.len() > 1 {
                continue;
            }
            let kind = *kinds.first().unwrap();
            let section = if kind == "copy" { "content" } else { kind };
            if section == "content" {
                related.insert(path.clone());
                hosts.insert(host(url));
            }
            // Navigation and the most read articles have the same kind.
            sections.entry((host(url), path)).or_default().insert(section);
        }
    }
    for ((host, path), found) in &sections {
        assert_eq!(found.len(), 1, "{host} {path}: {found:?}");
    }
    let kinds: BTreeSet<&str> = sections.values().flatten().copied().collect();
    assert_eq!(kinds, BTreeSet::from(["advert", "content", "friend", "navigation", "teaser"]));
    // Few hosts have the same path by chance.
    assert!(related.len() * 4 > hosts.len() * 3, "{} {}", related.len(), hosts.len());
}

#[test]
fn hosts_have_boilerplate_and_teasers_of_their_own() {
    for is_chinese in [true, false] {
        let wanted = realistic(1_000, 11);
        let folder = woven(&wanted, is_chinese);
        let (links, labels) = (links(folder.path()), labels(folder.path()));
        let web = LoadedWeb::open(&[folder.path().join("web.warc.gz")]).unwrap();
        let mut texts: BTreeMap<String, BTreeSet<Vec<String>>> = BTreeMap::new();
        for (url, (_, kind)) in &labels {
            // A copy has the template of another host.
            if kind == "duplicate" {
                continue;
            }
            let answer = web.get(url).unwrap();
            let (body, ..) = encoding_rs::Encoding::for_label(
                if answer.header("content-type").unwrap().contains("gbk") {
                    b"gbk"
                } else {
                    b"utf-8"
                },
            )
            .unwrap()
            .decode(&answer.body);
            let is_boilerplate = |line: &&str| {
                ["notice", "note", "imprint"]
                    .iter()
                    .any(|class| line.contains(&format!("<p class=\"{class}\">")))
            };
            let found: Vec<String> =
                body.lines().filter(is_boilerplate).map(str::to_owned).collect();
            texts.entry(host(url)).or_default().insert(found);
        }
        let count = |found: &Vec<String>| {
            found.iter().map(|line| line.matches("<p class=").count()).sum::<usize>()
        };
        for (host, found) in &texts {
            assert_eq!(found.len(), 1, "{host}: the same text on all its pages");
            assert_eq!(found.iter().map(count).sum::<usize>(), 6, "{host}: {found:?}");
        }
        let different: BTreeSet<&BTreeSet<Vec<String>>> = texts.values().collect();
        assert!(different.len() > texts.len() * 9 / 10);
        // Teasers lead to open articles of the same host.
        let teasers: Vec<&LinkRow> = links.iter().filter(|link| link.2 == "teaser").collect();
        assert!(!teasers.is_empty());
        for (from, to, ..) in &teasers {
            assert!(labels[from].1 == "duplicate" || host(from) == host(to));
            assert!(labels[to].1 != "hidden" && from != to, "{from} {to}");
        }
        let mut of_page: HashMap<&String, usize> = HashMap::new();
        teasers.iter().for_each(|link| *of_page.entry(&link.0).or_default() += 1);
        assert!(of_page.values().all(|count| *count <= 6) && of_page.values().any(|it| *it == 6));
    }
}

#[test]
fn opaque_urls_say_nothing_and_lead_to_the_same_pages() {
    let plain = settings(1_000, 12).with(|it| it.traps = 0.3);
    let opaque = plain.clone().with(|it| it.opaque_urls = true);
    let (plain, opaque) = (woven(&plain, false), woven(&opaque, false));
    let (ours, theirs) = (labels(opaque.path()), labels(plain.path()));
    let kinds = |labels: &BTreeMap<String, (String, String)>| {
        let mut kinds: Vec<(String, String)> = labels.values().cloned().collect();
        kinds.sort();
        kinds
    };
    assert_eq!(kinds(&ours), kinds(&theirs), "the same pages, and no two with the same URL");
    let web = LoadedWeb::open(&[opaque.path().join("web.warc.gz")]).unwrap();
    let mut calendars = 0;
    for url in web.urls() {
        let url = Url::parse(url).unwrap();
        if url.path() == "/robots.txt" {
            let rules = String::from_utf8_lossy(&web.get(url.as_str()).unwrap().body).into_owned();
            let folder = rules.trim().rsplit(' ').next().unwrap();
            let of_host = |it: &&String| host(it) == host(url.as_str());
            calendars += ours
                .iter()
                .filter(|(url, it)| it.1 == "calendar" && of_host(url) && url.contains(folder))
                .count();
            continue;
        }
        let is_code = |part: &str| part.len() == 16 && part.chars().all(|c| c.is_ascii_hexdigit());
        let parts: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
        assert!(url.query().is_none() && parts.iter().all(|part| is_code(part)), "{url}");
    }
    assert!(calendars > 0, "robots.txt names the folder of a calendar");
    // Links lead to the same kinds of pages, redirects included.
    let counts = |folder: &Path, labels: &BTreeMap<String, (String, String)>| {
        let mut counts: BTreeMap<(String, Option<String>), usize> = BTreeMap::new();
        for (_, to, kind, _) in links(folder) {
            let target = labels.get(&to).map(|it| it.1.clone());
            *counts.entry((kind, target)).or_default() += 1;
        }
        counts
    };
    assert_eq!(counts(opaque.path(), &ours), counts(plain.path(), &theirs));
}
