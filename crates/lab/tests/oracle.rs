//! The oracle takes links in the order worked out on paper, and obeys the rules of every crawl.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use ontrail_archive::Capture;
use ontrail_lab::{
    Block, BlockFiles, Comparison, Experiment, LoadedWeb, NamedRecipe, SourceText, WeaveSettings,
    weave,
};
use ontrail_pilot::Recipe;

/// Writes an archive of pages: each has a path, and the paths that it links to or, after `=`, the
/// path that it redirects to.
fn archive(path: &Path, pages: &[(&str, &str)]) {
    let mut bytes = Vec::new();
    for (number, (page, links)) in (0..).zip(pages) {
        let url = format!("http://a.example/{page}");
        let (head, body) = if let Some(to) = links.strip_prefix('=') {
            (format!("HTTP/1.1 301 Moved\r\nLocation: /{to}\r\n\r\n"), String::new())
        } else {
            let link = |to| match to {
                "-" => String::new(),
                to => format!("<a href='/{to}'>to {to}</a>"),
            };
            let links: String = links.split(' ').map(link).collect();
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n".to_owned();
            (head, format!("<title>{page}</title><p>This is {page}.{links}"))
        };
        let capture = Capture {
            url: &url,
            time: 0,
            number,
            address: None,
            request: b"",
            head: head.as_bytes(),
            body: body.as_bytes(),
            truncated: None,
        };
        bytes.extend(capture.pack().bytes);
    }
    fs::write(path, bytes).unwrap();
}

fn block(folder: &Path, web: &str, relevant: &str) -> BlockFiles {
    BlockFiles {
        name: "web".to_owned(),
        web: folder.join(web),
        labels: Some(folder.join("labels.tsv")),
        relevant: relevant.to_owned(),
        seed_urls: Some(folder.join("seeds.txt")),
        topics: Vec::new(),
        classifier: None,
        class: None,
        sdg: None,
        wordnet: None,
        judge: None,
        link_model: None,
        ontology: None,
    }
}

fn compared(block: BlockFiles, recipes: &[&str], budget: u64, runs: Option<&Path>) -> Comparison {
    let blocks = Block::prepare(vec![block], 1, 0).unwrap();
    let recipe = |name: &&str| NamedRecipe {
        name: (*name).to_owned(),
        recipe: Recipe::shipped(name).unwrap(),
    };
    let recipes: Vec<NamedRecipe> = recipes.iter().map(recipe).collect();
    let experiment = Experiment {
        blocks: &blocks,
        recipes: &recipes,
        budget,
        repeats: 1,
        seed: 0,
        folder: runs.map(Path::to_owned),
        has_oracle: true,
    };
    experiment.run(&AtomicBool::new(false), &|_| ()).unwrap().unwrap().0
}

#[test]
fn relevant_pages_come_first_then_the_way_to_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let pages = [
        ("s", "a b c"),
        ("a", "d"),
        ("b", "r2"),
        ("c", "gone"),
        ("d", "r1"),
        ("r1", "-"),
        ("r2", "n old"),
        ("n", "-"),
        ("old", "=r3"),
        ("r3", "s"),
        ("island", "r1"),
    ];
    archive(&folder.join("web.warc.gz"), &pages);
    let label = |(page, _): &(&str, &str)| {
        let label = if page.starts_with('r') { "yes" } else { "no" };
        format!("http://a.example/{page}\t{label}\n")
    };
    fs::write(folder.join("labels.tsv"), pages.iter().map(label).collect::<String>()).unwrap();
    fs::write(folder.join("seeds.txt"), "http://a.example/s\n").unwrap();
    let found = compared(block(folder, "web.warc.gz", "yes"), &["bfs"], 9, Some(folder));
    let outcome = &found.oracle[0];
    let web = LoadedWeb::open(&[folder.join("web.warc.gz")]).unwrap();
    let urls = web.urls();
    let order: Vec<&str> = outcome.found.as_ref().unwrap()[0]
        .iter()
        .map(|place| urls[*place as usize].trim_start_matches("http://a.example/"))
        .collect();
    // After s, a relevant page lies two links behind a, one behind b and none behind c. Then r2 is
    // known, then r3 by a redirect. Only r1 is left, behind a and d; then nothing, so the oldest
    // link comes first.
    assert_eq!(order, ["s", "b", "r2", "r3", "a", "d", "r1", "c", "n"]);
    // Recall after each page: 0, 0, 1/3, 2/3, 2/3, 2/3, 1, 1, 1. The mean is 16/27; that of the
    // first five pages is 1/3, and that of the first three 1/9.
    for (area, wanted) in [
        (outcome.recall_area, 16.0 / 27.0),
        (outcome.recall_area_half, 1.0 / 3.0),
        (outcome.recall_area_quarter, 1.0 / 9.0),
    ] {
        assert!((area - wanted).abs() < 1e-12, "{area} is not {wanted}");
    }
    assert!(outcome.own.is_none() && !outcome.is_random);
    // The run is saved, and a saved run is used again.
    let again = compared(block(folder, "web.warc.gz", "yes"), &["bfs"], 9, Some(folder));
    assert!((again.oracle[0].seconds - outcome.seconds).abs() < f64::EPSILON);
    // Breadth-first has the same engine and another order.
    let bfs = &found.runs[0][0][0];
    assert_eq!(bfs.pages, 9);
    assert!(bfs.recall_area < outcome.recall_area);
}

/// With a budget for everything, the oracle fetches exactly the pages that breadth-first fetches;
/// with a small one it finds more than any recipe.
#[test]
fn the_oracle_crawls_what_others_crawl_and_finds_more() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = |(label, words): (&str, &str), number: usize| SourceText {
        label: label.to_owned(),
        title: Some(format!("{words} {number}")),
        body: format!("The {words} of day {number}. No more of {words}. It was {number} again."),
    };
    let topics = [("rain", "storm flood"), ("sport", "match coach"), ("money", "bond broker")];
    let texts: Vec<SourceText> = topics
        .into_iter()
        .flat_map(|topic| (0..8).map(move |number| text(topic, number)))
        .collect();
    let settings = WeaveSettings::default().with(|it| {
        it.pages = 500;
        it.hosts = 20;
    });
    weave(&settings, &texts, folder, BTreeMap::new(), &|_| ()).unwrap();
    let all = compared(block(folder, "", "rain"), &["bfs"], 5_000, None);
    let pages = |places: &[u32]| places.iter().copied().collect::<BTreeSet<u32>>();
    let [own, relevant] = all.oracle[0].found.clone().unwrap();
    let [others, their_relevant] = all.runs[0][0][0].found.clone().unwrap();
    assert!(own.len() > 400 && pages(&own) == pages(&others));
    assert_eq!(pages(&relevant), pages(&their_relevant));
    let few = compared(block(folder, "", "rain"), &["bfs", "hits"], 100, None);
    let best = few.runs[0].iter().map(|runs| runs[0].recall_area).fold(0.0, f64::max);
    assert!(few.oracle[0].recall_area > 1.5 * best, "{} {best}", few.oracle[0].recall_area);
}
