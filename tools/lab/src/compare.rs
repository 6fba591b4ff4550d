//! `ontrail lab compare`: several crawlers on the same webs.

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_cli::{ExitStatus, Printer, count, significance};
use ontrail_lab::{Figures, Judging};
use ontrail_pilot::Recipe;

use crate::blocks::{Asked, Block, BlockArgs, Models, RunArgs};
use crate::{figures, report, runs};

/// Compare crawlers on the same webs, from the same seeds, with the same models and budget
///
/// Every crawler is judged twice: by its own opinion, as the papers do, and by the truth. Blocks are webs and seed sets (and
/// topics, in a plan); a crawler's figures are means over the repeats of a block first and over blocks then, and the tests
/// compare blocks, never repeats or measures.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Measures: LP, RP relevant pages by the crawler and by the truth, AC accuracy (harvest rate), AR average
relevance, SD its deviation, AS relevance of relevant pages, AE error of prediction, RC recall, TR recall
without the seeds, areas under the curves of AC and TR over the whole budget: what a crawl that ends
early does not spend brings it nothing.

With -o: report.html, report.md, measures.csv, curves.csv, tests.csv, comparison.json, and runs/, from
which the same command goes on after a Ctrl-C.

Examples:
  ontrail lab compare --web web --relevant rainstorm --topic rain.topic.json \\
      --recipes bfs,ops,ontrail --budget 2000 --repeats 10 -o compared
  ontrail lab compare --web a --web b --web c --relevant sports --topic sports.topic.json \\
      --classifier news.bcw --seed-sets 2 --budget 2000 -o sports
  ontrail lab compare --web pages.warc.gz --labels labels.tsv --relevant 'course*' --topic t.json \\
      --seed-urls seeds.txt --recipes bfs,mine.toml --set mine.toml:threshold=0.4 --json
  ontrail lab compare --plan experiment.toml --budget 3000 -o everything")]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    blocks: BlockArgs,
    /// The crawlers: names of recipes, or files, with commas between them [default: all that the models suffice for]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    recipes: Vec<String>,
    /// Set something of all recipes otherwise, or of one of them
    #[arg(long = "set", value_name = "[RECIPE:]PART.SETTING=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    run: RunArgs,
    /// The crawler that the others are tested against [default: the one with the best mean rank]
    #[arg(long, value_name = "NAME")]
    control: Option<String>,
    /// The error that tests accept
    #[arg(long, value_name = "A", default_value_t = 0.05, value_parser = significance)]
    alpha: f64,
    /// At how many points on the way the tables stand
    #[arg(long, value_name = "N", default_value_t = 10)]
    checkpoints: usize,
}

pub(crate) fn run(args: &CompareArgs, printer: &mut Printer) -> Result<ExitStatus> {
    args.run.check_output()?;
    let blocks = args.blocks.blocks(args.run.seed)?;
    let asked = crawlers(args, &blocks, printer)?;
    if let Some(control) = &args.control
        && !asked.iter().any(|it| it.name == *control)
    {
        let names: Vec<&str> = asked.iter().map(|it| it.name.as_str()).collect();
        bail!("--control {control}: is not among the recipes: {}", names.join(", "));
    }
    let Some((comparison, speed)) = runs::make(&blocks, &asked, &args.run, printer)? else {
        return Ok(stopped(&args.run, printer));
    };
    let judging = Judging {
        repeats: args.run.repeats,
        seed: args.run.seed,
        control: args.control.as_deref(),
        alpha: args.alpha,
        checkpoints: args.checkpoints,
    };
    let found = Figures::new(&comparison, speed, &judging);
    if let Some(folder) = &args.run.output {
        let provenance = Provenance::of_this_process("ontrail lab compare");
        report::write(folder, &comparison, &found, &blocks, &asked, &provenance)?;
    }
    if printer.is_json() {
        printer.json(&found)?;
    } else {
        figures::show(&found, &comparison, printer)?;
        if let Some(folder) = &args.run.output {
            printer.line(folder.join("report.html").display())?;
        }
    }
    Ok(ExitStatus::Done)
}

/// What is said when an experiment was broken off.
pub(crate) fn stopped(args: &RunArgs, printer: &mut Printer) -> ExitStatus {
    match &args.output {
        Some(folder) => printer.note(format_args!(
            "stopped; what was run is in {}, and the same command goes on",
            folder.join("runs").display()
        )),
        None => printer
            .note("stopped; with -o DIR the same command would go on where it was broken off"),
    }
    ExitStatus::No
}

/// The crawlers that were asked for.
fn crawlers(args: &CompareArgs, blocks: &[Block], printer: &mut Printer) -> Result<Vec<Asked>> {
    let names: Vec<String> = match args.recipes.as_slice() {
        [] => Recipe::names().map(str::to_owned).collect(),
        given => given
            .iter()
            .map(|name| name.trim().to_owned())
            .filter(|name| !name.is_empty())
            .collect(),
    };
    let mut asked: Vec<Asked> = Vec::new();
    for name in &names {
        let set = settings_of(name, &args.set);
        let found = Recipe::find(name, &set);
        let recipe = if set.is_empty() {
            found?
        } else {
            found.with_context(|| {
                format!("recipe {name} (--set {name}:PART.SETTING=VALUE sets one recipe only)")
            })?
        };
        let shown = if Recipe::is_file(name) { recipe.name.clone() } else { name.clone() };
        if asked.iter().any(|it| it.name == shown) {
            bail!(
                "--recipes: there are two that are called {shown}; give one of them another name in its file"
            );
        }
        asked.push(Asked { name: shown, recipe });
    }
    let unknown = args
        .set
        .iter()
        .filter_map(|given| scope_of(given).0)
        .find(|scope| !names.iter().any(|it| it == scope));
    if let Some(scope) = unknown {
        bail!("--set {scope}:…: is not among the recipes");
    }
    let mut seen = std::collections::HashSet::new();
    for block in blocks.iter().filter(|block| seen.insert(format!("{:?}", block.files))) {
        let models = Models::read(&block.files).with_context(|| format!("block {}", block.name))?;
        if args.recipes.is_empty() {
            let (kept, left): (Vec<Asked>, Vec<Asked>) =
                asked.into_iter().partition(|it| models.suffice_for(it));
            if !left.is_empty() {
                let names: Vec<String> = left.into_iter().map(|it| it.name).collect();
                printer.note(format_args!(
                    "left out, because a model is missing: {}",
                    names.join(", ")
                ));
            }
            asked = kept;
        }
        models.check(&asked).with_context(|| format!("block {}", block.name))?;
    }
    if let Some(block) = blocks.first() {
        Models::read(&block.files)?.note_topics(&asked, printer);
    }
    if asked.is_empty() {
        return Err(anyhow!("no recipe to run; give some with --recipes"));
    }
    printer.note(format_args!(
        "{} recipes on {} block{}, {} pages each",
        asked.len(),
        blocks.len(),
        if blocks.len() == 1 { "" } else { "s" },
        count(args.run.budget)
    ));
    Ok(asked)
}

/// What is set of one recipe.
fn settings_of(name: &str, set: &[String]) -> Vec<String> {
    let own = |given: &String| match scope_of(given) {
        (None, setting) => Some(setting.to_owned()),
        (Some(scope), setting) => (scope == name).then(|| setting.to_owned()),
    };
    set.iter().filter_map(own).collect()
}

/// The recipe that a setting is of, if it names one.
fn scope_of(given: &str) -> (Option<&str>, &str) {
    let before = given.split('=').next().unwrap_or(given);
    match before.rfind(':') {
        Some(at) => (Some(&given[..at]), &given[at + 1..]),
        None => (None, given),
    }
}
