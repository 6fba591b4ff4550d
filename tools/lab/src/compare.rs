//! `ontrail lab compare`: compares recipes on the same webs.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_cli::{ExitStatus, Printer, count, significance};
use ontrail_focus::{LoadedModels, TopicMismatch, made_from};
use ontrail_lab::{Block, FigureSettings, Figures, NamedRecipe, ORACLE};
use ontrail_pilot::Recipe;

use crate::blocks::{BlockArgs, RunArgs};
use crate::{figures, report};

/// Compare recipes on the same webs, with the same seeds, models and budget
///
/// Every recipe is measured twice: by the ground truth, and by the crawler's own relevance, as the
/// papers do. A block is one web with one set of seeds (and one topic, in a plan). The figures of
/// a recipe are averaged over the repeats of each block first, then over blocks. The statistical
/// tests compare blocks, never repeats or measures.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Measures:
  LP, RP   relevant pages: by the crawler itself, and by the ground truth
  AC       harvest rate: relevant pages divided by pages fetched
  AR, SD   mean relevance of the pages fetched, and its standard deviation
  AS       mean relevance of the relevant pages
  AE       prediction error: mean difference between a page's relevance and its link's priority
  P, R, F1 precision, recall and F1 of the crawler's own judgement of the pages that it fetched
  RC, TR   recall: share of all relevant pages that were fetched; TR leaves the seeds out
  area     mean of AC or TR over the whole budget, or the first N pages; pages not fetched count as
           irrelevant
  gap      share of the gap closed: (area - reference's area) / (oracle's area - reference's area),
           of the areas of TR; the reference is fixed-classifier or fixed if it takes part, or else
           the best of the other recipes
  worst    area of TR minus the reference's, in the block in which that is least

--oracle adds a crawler that knows the labels. It always takes a link to a relevant page; if it
knows none, it takes the link that is nearest to a relevant page not yet fetched, by the number of
links. It is greedy, so it is an upper reference and no optimum. It takes no part in the tests.

The terminal shows the most telling measures. All of them are in the output of --json and in the
files that -o writes: report.html, report.md, measures.csv, curves.csv, gaps.csv, tests.csv,
comparison.json.
The finished runs are in runs/; after an interruption, the same command runs only what is missing.

Examples:
  ontrail lab compare --web web --relevant rainstorm --topic rain.topic.json \\
      --recipes bfs,ops,ontrail --budget 2000 --repeats 10 -o compared
  ontrail lab compare --web a --web b --web c --relevant sports --topic sports.topic.json \\
      --classifier news.bcw --seed-sets 2 --budget 2000 -o sports
  ontrail lab compare --web pages.warc.gz --labels labels.tsv --relevant 'course*' --topic t.json \\
      --seed-urls seeds.txt --recipes bfs,mine.toml --set mine.toml:threshold=0.4 --json
  ontrail lab compare --plan experiment.toml --oracle --control ontrail --budget 3000 -o all")]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    blocks: BlockArgs,
    /// Recipes to compare: names or files, separated by commas [default: all built-in recipes for
    /// which the given models suffice]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Recipes")]
    recipes: Vec<String>,
    /// Change a setting of all recipes, or of one
    #[arg(long = "set", value_name = "[RECIPE:]PART.SETTING=VALUE", help_heading = "Recipes")]
    set: Vec<String>,
    /// Use the thresholds that the recipes' papers print, instead of computing them from the
    /// scores of pages
    #[arg(long, help_heading = "Recipes")]
    as_printed: bool,
    /// Add the oracle: a greedy crawler that knows the labels, as an upper reference
    #[arg(long, help_heading = "Recipes")]
    oracle: bool,
    #[command(flatten)]
    run: RunArgs,
    /// Recipe to test the others against [default: the one with the best mean rank]
    #[arg(long, value_name = "NAME", help_heading = "Statistics")]
    control: Option<String>,
    /// Significance level of the tests
    #[arg(long, value_name = "A", default_value_t = 0.05, value_parser = significance, help_heading = "Statistics")]
    alpha: f64,
    /// Number of points during the crawl at which the reports show the measures
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Statistics")]
    checkpoints: usize,
}

pub(crate) fn run(args: &CompareArgs, printer: &mut Printer) -> Result<ExitStatus> {
    args.run.check_output()?;
    if args.oracle && args.recipes.iter().any(|name| name.trim() == ORACLE) {
        bail!("--recipes: the oracle is no recipe; --oracle alone adds it");
    }
    let blocks = args.blocks.blocks(args.run.seed)?;
    let chosen = recipes(args, &blocks, printer)?;
    if let Some(control) = &args.control
        && !chosen.iter().any(|it| it.name == *control)
    {
        let names: Vec<&str> = chosen.iter().map(|it| it.name.as_str()).collect();
        bail!("--control {control}: not one of the recipes: {}", names.join(", "));
    }
    let Some((comparison, speed)) = args.run.run(&blocks, &chosen, args.oracle, printer)? else {
        return Ok(stopped(&args.run, printer));
    };
    let settings = FigureSettings {
        repeats: args.run.repeats,
        seed: args.run.seed,
        control: args.control.as_deref(),
        alpha: args.alpha,
        milestones: args.checkpoints,
    };
    let found = Figures::new(&comparison, speed, &settings);
    if let Some(folder) = &args.run.output {
        let provenance = Provenance::of_this_process("ontrail lab compare");
        report::write(folder, &comparison, &found, &blocks, &chosen, &provenance)?;
    }
    if printer.is_json() {
        printer.json(&found)?;
    } else {
        figures::show(&found, &comparison, printer)?;
        match &args.run.output {
            Some(folder) => {
                printer.line(folder.join("report.html").display())?;
                printer.note("all measures are in the report; measures.csv has every run");
            }
            None => {
                printer
                    .note("--json prints all measures; -o DIR writes them as a report and tables");
            }
        }
    }
    Ok(ExitStatus::Done)
}

/// Tells the user how to resume an experiment that was stopped.
pub(crate) fn stopped(args: &RunArgs, printer: &mut Printer) -> ExitStatus {
    match &args.output {
        Some(folder) => printer.note(format_args!(
            "stopped; the finished runs are in {}, and the same command resumes the experiment",
            folder.join("runs").display()
        )),
        None => {
            printer
                .note("stopped; with -o DIR, the same command could have resumed the experiment");
        }
    }
    ExitStatus::No
}

/// Returns the recipes to compare, after checking that the models suffice for them.
fn recipes(
    args: &CompareArgs,
    blocks: &[Block],
    printer: &mut Printer,
) -> Result<Vec<NamedRecipe>> {
    let names: Vec<String> = match args.recipes.as_slice() {
        [] => Recipe::names().map(str::to_owned).collect(),
        given => given
            .iter()
            .map(|name| name.trim().to_owned())
            .filter(|name| !name.is_empty())
            .collect(),
    };
    let mut chosen: Vec<NamedRecipe> = Vec::new();
    for name in &names {
        let set = settings_of(name, &args.set);
        let find = if args.as_printed { Recipe::find_as_printed } else { Recipe::find };
        let found = find(name, &set);
        let recipe = if set.is_empty() {
            found?
        } else {
            found.with_context(|| {
                format!("recipe {name} (--set RECIPE:PART.SETTING=VALUE changes one recipe only)")
            })?
        };
        let shown = if Recipe::is_file(name) { recipe.name.clone() } else { name.clone() };
        if chosen.iter().any(|it| it.name == shown) {
            bail!("--recipes: two recipes have the name {shown}; rename one of them in its file");
        }
        if args.oracle && shown == ORACLE {
            bail!("--oracle: a recipe has the name {ORACLE} too; rename it in its file");
        }
        chosen.push(NamedRecipe { name: shown, recipe });
    }
    let unknown = args
        .set
        .iter()
        .filter_map(|given| scope_of(given).0)
        .find(|scope| !names.iter().any(|it| it == scope));
    if let Some(scope) = unknown {
        bail!("--set {scope}:…: not one of the recipes");
    }
    let mut seen = std::collections::HashSet::new();
    let mut of_first_block = None;
    for block in blocks.iter().filter(|block| seen.insert(format!("{:?}", block.files))) {
        let models = block.files.read_models()?;
        if args.recipes.is_empty() {
            let (kept, left): (Vec<NamedRecipe>, Vec<NamedRecipe>) =
                chosen.into_iter().partition(|it| block.files.fit(&models, it).is_ok());
            if !left.is_empty() {
                let names: Vec<String> = left.into_iter().map(|it| it.name).collect();
                printer.note(format_args!(
                    "recipes left out because they need a model that was not given: {}",
                    names.join(", ")
                ));
            }
            chosen = kept;
        }
        for recipe in &chosen {
            block.files.fit(&models, recipe)?;
        }
        of_first_block.get_or_insert(models);
    }
    if let Some(models) = of_first_block {
        note_topics(&models, &chosen, printer);
    }
    if chosen.is_empty() {
        return Err(anyhow!("no recipes to run; give some with --recipes"));
    }
    printer.note(format_args!(
        "{} recipes on {} block{}, {} pages each",
        chosen.len(),
        blocks.len(),
        if blocks.len() == 1 { "" } else { "s" },
        count(args.run.budget)
    ));
    Ok(chosen)
}

/// Names the recipes that are designed for another kind of topic than the one they get.
fn note_topics(models: &LoadedModels, recipes: &[NamedRecipe], printer: &mut Printer) {
    let mut without: BTreeMap<&'static str, Vec<&str>> = BTreeMap::new();
    for NamedRecipe { name, recipe } in recipes {
        if let Some(TopicMismatch::Origin { wanted, .. }) = models.mismatch(recipe) {
            without.entry(made_from(wanted)).or_default().push(name);
        }
    }
    for (made, names) in without {
        printer.note(format_args!(
            "recipes designed for a topic made from {made}, but given another: {}",
            names.join(", ")
        ));
    }
}

/// Returns the settings that concern one recipe.
fn settings_of(name: &str, set: &[String]) -> Vec<String> {
    let own = |given: &String| match scope_of(given) {
        (None, setting) => Some(setting.to_owned()),
        (Some(scope), setting) => (scope == name).then(|| setting.to_owned()),
    };
    set.iter().filter_map(own).collect()
}

/// Splits a setting into the recipe it names, if any, and the rest.
fn scope_of(given: &str) -> (Option<&str>, &str) {
    let before = given.split('=').next().unwrap_or(given);
    match before.rfind(':') {
        Some(at) => (Some(&given[..at]), &given[at + 1..]),
        None => (None, given),
    }
}
