//! Crawls an archive by a recipe of one's own, without writing anything, and prints how it went.
//!
//!     cargo run -p ontrail-examples --example crawl_archive

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use ontrail_corpus::Document;
use ontrail_crawl::{
    ArchiveWeb, Crawl, CrawlParts, CrawlSettings, FrontierLimits, Labels, LocalState, parse_seeds,
};
use ontrail_focus::{Models, model_of};
use ontrail_intake::{Reading, read};
use ontrail_lab::{LABELS, SEEDS, SourceText, WEB, WeaveSettings, weave};
use ontrail_pilot::Recipe;
use ontrail_topic::{Origin, Term, Topic};

fn main() -> Result<(), Box<dyn Error>> {
    // An archive to crawl: here a woven web, whose ground truth is known.
    let folder = tempfile::tempdir()?;
    weave_web(folder.path())?;

    // The recipe: best-first by anchor text, then by the page around it.
    let set = ["priority.anchor=0.8".to_owned(), "priority.page=0.2".to_owned()];
    let recipe = Recipe::find("ontrail", &set)?;

    let terms = [("暴雨", 1.0), ("洪水", 0.8), ("预警", 0.6), ("内涝", 0.6)];
    let terms = terms.map(|(term, weight)| Term::new(term, weight)).to_vec();
    let topic = Topic::new("暴雨", Origin::Keywords, terms)?;
    let models = Models::new().reading_for(&recipe);
    let models = models.with_topic(&topic, model_of(&recipe.similarity), None)?;

    let settings = CrawlSettings::default().with(|it| it.budget = 200);
    let parts = CrawlParts {
        web: Arc::new(ArchiveWeb::open(&[folder.path().join(WEB)])?),
        focus: Arc::new(models),
        recipe,
        state: Box::new(LocalState::in_memory(FrontierLimits::from(&settings))),
        settings,
        seeds: parse_seeds(&std::fs::read_to_string(folder.path().join(SEEDS))?)?,
        labels: Some(Labels::read(&folder.path().join(LABELS), "rainstorm")?),
        has_topic: true,
        threads: 1,
    };
    let relevant = Arc::new(Mutex::new(Vec::new()));
    let found = Arc::clone(&relevant);
    let mut crawl = Crawl::without_output(parts, move |row| {
        if row.truly_relevant == Some(true) {
            found.lock().expect("no other thread panics").push(row.url);
        }
    })?;
    let end = crawl.run(&AtomicBool::new(false), &mut |_| ())?;
    let summary = crawl.summary();
    drop(crawl);

    let relevant = relevant.lock().expect("no other thread panics");
    println!("ended: {end:?}; {} pages, {} of them relevant", summary.downloaded, relevant.len());
    relevant.iter().take(5).for_each(|url| println!("  {url}"));
    Ok(())
}

fn weave_web(folder: &Path) -> Result<(), Box<dyn Error>> {
    let read = read(Path::new("datasets/news-mini"), Reading::default(), &|_| Box::new(|| ()))?;
    let text = |document: &Document| SourceText {
        label: document.label.clone().unwrap_or_default(),
        title: document.title.clone(),
        body: document.text().unwrap_or_default().to_owned(),
    };
    let texts: Vec<SourceText> = read.documents.iter().map(text).collect();
    let settings = WeaveSettings::default().with(|it| (it.pages, it.hosts) = (1_000, 50));
    weave(&settings, &texts, folder, BTreeMap::new(), &|_| ())?;
    Ok(())
}
