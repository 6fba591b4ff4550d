//! `ontrail crawl learn`: keeps what crawls have learned about links.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use ontrail_artifact::{Output, Provenance};
use ontrail_cli::{ExitStatus, ForceArgs, Printer, count};
use ontrail_crawl::{RunFile, RunFolder, check_is_run, is_running, learn_from, read_run};
use ontrail_focus::{LINK_MODEL, ModelFiles, write_link_model};
use ontrail_pilot::{JudgeRecipe, KeptModel, Learned, Link, Pilot, Recipe, Start};
use serde::Serialize;

use crate::learned;
use crate::place::{Needs, Place};
use crate::resume::model_files;

/// Learn from finished crawls which links lead to relevant pages
///
/// Reads the stored pages of the crawls again, in the order in which they were fetched, and writes
/// a link model, with which `ontrail crawl run --link-model` begins. The crawls may be of any
/// recipe. Each page counts as relevant as its crawl judged it, unless another topic or classifier
/// is given.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail crawl learn rain-crawl -o rain.links.json
  ontrail crawl learn crawl-1 crawl-2 --topic rain.topic.json -o rain.links.json
  ontrail crawl run --link-model rain.links.json --topic rain.topic.json --seeds seeds.txt \\
      --contact me@example.org -o next-crawl")]
pub(crate) struct LearnArgs {
    /// Folders of crawls, or their addresses in an object store
    #[arg(value_name = "DIR|URL", required = true)]
    folders: Vec<PathBuf>,
    /// File to write
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Topic to judge the pages by, instead of the judgement of the crawls
    #[arg(long, value_name = "TOPIC")]
    topic: Option<PathBuf>,
    /// Recipe that learns from links: a name or a file [default: ontrail, or ontrail-classifier
    /// with --class]
    #[arg(long, value_name = "NAME|FILE")]
    recipe: Option<String>,
    /// Change a setting of the recipe
    #[arg(long = "set", value_name = "PART.SETTING=VALUE")]
    set: Vec<String>,
    /// Classifier to judge the pages by
    #[arg(long, value_name = "BUNDLE", requires = "class")]
    classifier: Option<PathBuf>,
    /// Class of relevant pages
    #[arg(long, value_name = "NAME", requires = "classifier")]
    class: Option<String>,
}

/// The result as JSON.
#[derive(Serialize)]
struct Report<'a> {
    output: &'a Path,
    pages: u64,
    not_stored: u64,
    learned: Option<&'a Learned>,
}

pub(crate) fn run(args: &LearnArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let default = if args.class.is_some() { "ontrail-classifier" } else { "ontrail" };
    let mut recipe = Recipe::find(args.recipe.as_deref().unwrap_or(default), &args.set)?;
    if !recipe.learns_links() {
        bail!(
            "recipe {} does not learn from links; choose ontrail or ontrail-classifier",
            recipe.name
        );
    }
    if let Some(class) = &args.class {
        recipe.set_class(class);
    }
    let to = args.force.destination(&args.output, printer)?;
    Output::json(to, &LINK_MODEL).check([] as [&Path; 0])?;
    let open = |folder: &PathBuf| Place::open(folder, Needs::Everything, printer);
    let places = args.folders.iter().map(open).collect::<Result<Vec<_>>>()?;
    let runs =
        places.iter().map(|place| checked(place.path(), args)).collect::<Result<Vec<_>>>()?;
    let (mut model, mut learned) = (None::<Arc<KeptModel>>, None);
    let (mut pages, mut not_stored) = (0, 0);
    let line = printer.live_line();
    for (place, run) in places.iter().zip(&runs) {
        let folder = place.path();
        let files = files(folder, run, args)?;
        // Without models of its own, a crawl is judged by its log, whatever the recipe's judge is.
        let judges_again = args.topic.is_some() || args.classifier.is_some();
        let own = if judges_again { recipe.clone() } else { by_log(&recipe) };
        let models = files.read()?;
        let own = models.fit(&own, &own.name, args.class.as_deref())?;
        let start_curve = models.start_curve_for(&own).ok().flatten();
        let focus = Arc::new(models.for_recipe(&own)?);
        let (budget, seed) = (run.settings.budget, run.settings.seed);
        let start = Start { recipe: &own, budget, seed, start_curve, link_model: model.take() };
        let mut pilot = Pilot::new(&start);
        pilot.seeds(run.seeds.iter().cloned().map(Link::seed).collect());
        let before = pages;
        let found = learn_from(folder, focus, &mut pilot, judges_again, &mut |done| {
            if done % 20 == 0 {
                line.set(format!("{} pages read", count(before + done)));
            }
        })?;
        pages += found.pages;
        not_stored += found.not_stored;
        // No order of links was chosen here.
        learned = pilot.learned().map(|it| Learned { orders: Vec::new(), ..it });
        model = pilot.kept_model().map(Arc::new);
    }
    drop(line);
    let Some(model) = model.filter(|model| model.pages > 0) else {
        bail!(
            "nothing to learn from: no page of the crawl(s) was found on a page that is stored; give \
             larger crawls"
        );
    };
    let mut provenance = Provenance::of_this_process("ontrail crawl learn")
        .with_parameter("crawls", &args.folders)
        .with_parameter("recipe", &recipe.name)
        .with_parameter("settings", &args.set)
        .with_parameter("class", &args.class);
    for path in args.topic.iter().chain(&args.classifier) {
        provenance = provenance.with_input(path)?;
    }
    for place in &places {
        provenance = place.as_input_of(provenance)?;
    }
    write_link_model(to, &provenance, &model)?;
    if printer.is_json() {
        let report = Report { output: &args.output, pages, not_stored, learned: learned.as_ref() };
        printer.json(&report)?;
        return Ok(ExitStatus::Done);
    }
    if not_stored > 0 {
        printer.warn(format_args!(
            "{} page(s) are not in the archives, so their links taught nothing",
            count(not_stored)
        ));
    }
    if let Some(learned) = &learned {
        learned::show(learned, printer)?;
    }
    printer.line(args.output.display())?;
    Ok(ExitStatus::Done)
}

/// Returns the settings of a crawl, or an error if there is nothing to learn from it.
fn checked(folder: &Path, args: &LearnArgs) -> Result<RunFile> {
    check_is_run(folder)?;
    let (_, run) = read_run(folder)?;
    if is_running(folder) {
        bail!("{}: the crawl is still running; wait for its end, or stop it", folder.display());
    }
    if run.topic.is_none() && args.topic.is_none() {
        bail!(
            "{}: this crawl had no topic, so its pages were not judged; give a topic with --topic",
            folder.display()
        );
    }
    Ok(run)
}

/// Returns the models to read the pages with: those given, or else those of the crawl.
fn files(folder: &Path, run: &RunFile, args: &LearnArgs) -> Result<ModelFiles> {
    let own = model_files(&RunFolder::open(folder)?, run)?;
    Ok(ModelFiles {
        topics: args.topic.clone().map_or(own.topics, |topic| vec![topic]),
        classifier: args.classifier.clone(),
        ..ModelFiles::default()
    })
}

/// Returns the recipe with the topic as its judge, for pages whose judgement is in a log.
fn by_log(recipe: &Recipe) -> Recipe {
    let mut recipe = recipe.clone();
    recipe.judge = JudgeRecipe::default();
    recipe
}
