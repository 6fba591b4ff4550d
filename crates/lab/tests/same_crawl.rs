//! An experiment and a real crawl run the same code: they fetch the same pages in the same order,
//! with the same scores and verdicts.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use ontrail_crawl::{
    ArchiveWeb, Crawl, CrawlParts, CrawlSettings, Focus, FrontierLimits, Labels, LocalState,
    LogRow, Web, parse_seeds, read_log,
};
use ontrail_focus::{JudgeSettings, Models, Panel, ScoresUsed, content_of, model_of};
use ontrail_lab::{
    Contender, LoadedWeb, Setting, Shelf, ShelfReader, SourceText, WeaveSettings, run, weave,
};
use ontrail_pilot::Recipe;
use ontrail_topic::{Origin, Term, Topic};

fn texts() -> Vec<SourceText> {
    let topics = [
        ("rain", "storm flood river levee"),
        ("sport", "match coach goal league"),
        ("money", "shares bond broker index"),
    ];
    let text = |(label, words): (&str, &str), number: usize| {
        let words: Vec<&str> = words.split(' ').collect();
        let body: String = (0..6)
            .map(|at| {
                format!(
                    "A {} came with the {} on day {}. ",
                    words[(number + at) % 4],
                    words[(number * 3 + at) % 4],
                    at + 3
                )
            })
            .collect();
        SourceText {
            label: label.to_owned(),
            title: Some(format!("The {} of {number}", words[number % 4])),
            body,
        }
    };
    topics.into_iter().flat_map(|topic| (0..10).map(move |number| text(topic, number))).collect()
}

fn topic() -> Topic {
    let terms = [("storm", 1.0), ("flood", 0.8), ("river", 0.5), ("levee", 0.4)];
    Topic::new("rain", Origin::Keywords, terms.map(|(term, weight)| Term::new(term, weight)).into())
        .unwrap()
}

struct Lab {
    folder: tempfile::TempDir,
    labels: Labels,
    seeds: Vec<url::Url>,
    web: Arc<LoadedWeb>,
}

impl Lab {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = WeaveSettings::default().with(|it| {
            it.pages = 900;
            it.hosts = 40;
        });
        weave(&settings, &texts(), folder.path(), BTreeMap::new(), &|_| ()).unwrap();
        let labels = Labels::read(&folder.path().join("labels.tsv"), "rain").unwrap();
        let seeds = parse_seeds(&std::fs::read_to_string(folder.path().join("seeds.txt")).unwrap())
            .unwrap();
        let web = Arc::new(LoadedWeb::open(&[folder.path().join("web.warc.gz")]).unwrap());
        Self { folder, labels, seeds, web }
    }

    fn parts(&self, web: Arc<dyn Web>, focus: Arc<dyn Focus>, recipe: &Recipe) -> CrawlParts {
        let settings = CrawlSettings::default().with(|it| {
            it.budget = 250;
            it.seed = 5;
        });
        CrawlParts {
            web,
            focus,
            recipe: recipe.clone(),
            state: Box::new(LocalState::in_memory(FrontierLimits::from(&settings))),
            settings,
            seeds: self.seeds.clone(),
            labels: Some(self.labels.clone()),
            has_topic: true,
            threads: 1,
        }
    }

    /// Returns the log of a crawl that writes to a folder.
    fn stored(&self, recipe: &Recipe, folder: &Path) -> Vec<LogRow> {
        let web = Arc::new(ArchiveWeb::open(&[self.folder.path().join("web.warc.gz")]).unwrap());
        let models = Models::new()
            .reading_for(recipe)
            .with_topic(&topic(), model_of(&recipe.similarity), None)
            .unwrap();
        let mut crawl = Crawl::open(self.parts(web, Arc::new(models), recipe), folder).unwrap();
        crawl.run(&AtomicBool::new(false), &mut |_| ()).unwrap();
        read_log(&folder.join("log")).unwrap()
    }

    /// Returns the log of the same crawl in the lab, without output.
    fn without_output(&self, recipe: &Recipe, reader: ShelfReader) -> Vec<LogRow> {
        let rows = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&rows);
        let parts = self.parts(Arc::clone(&self.web) as _, Arc::new(reader), recipe);
        let mut crawl =
            Crawl::without_output(parts, move |row| kept.lock().unwrap().push(row)).unwrap();
        crawl.run(&AtomicBool::new(false), &mut |_| ()).unwrap();
        drop(crawl);
        Arc::try_unwrap(rows).unwrap().into_inner().unwrap()
    }
}

fn reader(shelf: &Arc<Shelf>, judge: usize, recipe: &Recipe) -> ShelfReader {
    ShelfReader {
        shelf: Arc::clone(shelf),
        used: ScoresUsed { judge: Some(judge), class: None },
        has_context: recipe.needs_context(),
        has_blocks: recipe.needs_blocks(),
        has_clues: recipe.learns_links(),
        has_class: false,
        start_curve: None,
        link_model: None,
    }
}

#[test]
fn every_recipe_crawls_the_same_in_the_lab() {
    let lab = Lab::new();
    let is_plain = |recipe: &Recipe| {
        recipe.class().is_none()
            && !recipe.similarity.needs_meanings()
            && !recipe.similarity.settings().sdg
    };
    let recipes: Vec<Recipe> =
        Recipe::names().map(|name| Recipe::shipped(name).unwrap()).filter(is_plain).collect();
    assert!(recipes.len() > 15);
    // All recipes share one shelf: they have different judges, but each page is read once.
    let mut panel = Panel::new(Some(&topic()));
    for recipe in &recipes {
        let (model, measure, senses) = (model_of(&recipe.similarity), None, None);
        panel
            .add(JudgeSettings {
                model,
                measure,
                senses,
                reads_context: true,
                reads_blocks: true,
                reads_anchor_terms: recipe.needs_anchor_terms(),
                content: content_of(recipe.similarity),
            })
            .unwrap();
    }
    panel.want_clues();
    let shelf = Arc::new(Shelf::new(Arc::clone(&lab.web), panel));
    for (judge, recipe) in recipes.iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let mut stored = lab.stored(recipe, folder.path());
        let mut without_output = lab.without_output(recipe, reader(&shelf, judge, recipe));
        // Only the place in the archive and the order of the scores may differ; what decided about
        // a link is logged only where there is a log.
        for row in stored.iter_mut().chain(&mut without_output) {
            row.stored = None;
            row.why = None;
            row.scores.sort_by_key(|(score, _)| score.name());
        }
        assert!(stored.len() > 30, "{}: {}", recipe.name, stored.len());
        assert_eq!(stored.len(), without_output.len(), "{}", recipe.name);
        for (a, b) in stored.iter().zip(&without_output) {
            assert_eq!(a, b, "{}", recipe.name);
        }
    }
}

#[test]
fn an_outcome_agrees_with_the_log() {
    let lab = Lab::new();
    let recipe = Recipe::shipped("ops").unwrap();
    let mut panel = Panel::new(Some(&topic()));
    let (model, measure, senses) = (model_of(&recipe.similarity), None, None);
    panel
        .add(JudgeSettings {
            model,
            measure,
            senses,
            reads_context: false,
            reads_blocks: false,
            reads_anchor_terms: recipe.needs_anchor_terms(),
            content: content_of(recipe.similarity),
        })
        .unwrap();
    let shelf = Arc::new(Shelf::new(Arc::clone(&lab.web), panel));
    let focus = Arc::new(reader(&shelf, 0, &recipe));
    let rows = lab.without_output(&recipe, reader(&shelf, 0, &recipe));
    let pages: Vec<&LogRow> = rows.iter().filter(|row| row.is_page()).collect();
    let setting = Setting {
        web: Arc::clone(&lab.web),
        labels: lab.labels.clone(),
        seeds: lab.seeds.clone(),
        budget: 250,
        seed: 5,
    };
    let contender = Contender { name: "ops".to_owned(), recipe, focus, has_topic: true };
    let outcome = run(&setting, &contender, 0, &AtomicBool::new(false)).unwrap().unwrap();
    assert!(!outcome.is_random, "ops uses no random numbers");
    assert_eq!(outcome.pages, pages.len() as u64);
    // Computed by hand from the labels of the pages, in order.
    let truth: Vec<bool> =
        pages.iter().map(|row| lab.labels.label(&row.final_url) == Some("rain")).collect();
    let relevant = truth.iter().filter(|it| **it).count() as u64;
    assert_eq!(outcome.truth.relevant, relevant);
    let all = lab.labels.relevant_pages() as f64;
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    close(outcome.truth.recall, relevant as f64 / all);
    let (mut found, mut harvest, mut recall) = (0.0, 0.0, 0.0);
    for at in 0..250 {
        found += f64::from(u8::from(truth.get(at).copied().unwrap_or(false)));
        harvest += found / (at + 1) as f64;
        // None of the seeds is relevant: they are front pages of portals.
        recall += found / all;
    }
    close(outcome.harvest_area, harvest / 250.0);
    close(outcome.recall_area, recall / 250.0);
    let last = outcome.curve.last().unwrap();
    assert_eq!((outcome.pages, outcome.curve.len()), (250, 100));
    assert_eq!((last.pages, last.truth), (250, outcome.truth));
    let middle = outcome.curve.iter().find(|point| point.pages >= 100).unwrap();
    let so_far = truth[..usize::try_from(middle.pages).unwrap()].iter().filter(|it| **it).count();
    assert_eq!(middle.truth.relevant, so_far as u64);
    let [places, right] = outcome.found.unwrap();
    assert_eq!((places.len(), right.len() as u64), (pages.len(), relevant));
    // Another repeat without random numbers is equal; a stopped run has no outcome.
    let again = run(&setting, &contender, 3, &AtomicBool::new(false)).unwrap().unwrap();
    assert_eq!((again.truth, again.own, again.curve), (outcome.truth, outcome.own, outcome.curve));
    assert!(run(&setting, &contender, 0, &AtomicBool::new(true)).unwrap().is_none());
}
