//! `ontrail crawl resume`: goes on with a crawl that was broken off, or makes a finished one longer.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_cli::{ExitStatus, Printer};
use ontrail_crawl::{
    FrontierPlace, MeaningsPlace, ModelFile, RunFile, RunFolder, RunFolderError, WebPlace,
    read_progress, read_run,
};
use ontrail_focus::ModelFiles;

use crate::go::{go, web};
use crate::watch::WatchArgs;

/// Go on with a crawl that was stopped, killed, or whose budget is spent
///
/// Nothing that was stored is lost, no page is stored twice, and links that were being fetched are fetched again.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail crawl resume rain-crawl
  ontrail crawl resume rain-crawl --budget 50000")]
pub(crate) struct ResumeArgs {
    /// The folder of the crawl
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Fetch so many pages in all, those fetched already included
    #[arg(long, value_name = "N")]
    budget: Option<u64>,
    /// Crawl so many seconds in all, those spent already included
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    max_time: Option<f64>,
    #[command(flatten)]
    watching: WatchArgs,
}

pub(crate) fn run(args: &ResumeArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let folder = RunFolder::open(&args.folder)?;
    let (begun, mut run) = read_run(&args.folder)?;
    if run.frontier == FrontierPlace::Memory {
        bail!(
            "{}: was crawled with --frontier memory, so it cannot be gone on with; crawl anew",
            args.folder.display()
        );
    }
    if args.budget.is_some() || args.max_time.is_some() {
        run.settings.budget = args.budget.unwrap_or(run.settings.budget);
        run.settings.max_seconds = args.max_time.or(run.settings.max_seconds);
        run.settings.check()?;
        let mut provenance = Provenance::of_this_process("ontrail crawl resume")
            .with_parameter("budget", run.settings.budget)
            .with_seed(run.settings.seed);
        provenance.inputs.clone_from(&begun.inputs);
        folder.write_run(&run, &provenance)?;
    }
    if let Some(progress) = read_progress(&args.folder)?
        && run.settings.budget <= progress.summary.downloaded
    {
        printer.note(format_args!(
            "all {} pages that were asked for are there; give a larger --budget to go on",
            run.settings.budget
        ));
    }
    warn_of_archives(&run, &begun, printer);
    let web = web(&run.web, &run.settings)?;
    let models = model_files(&folder, &run)?.read()?;
    let focus = models.for_recipe(&run.recipe)?;
    go(&folder, &run, web, focus, &args.watching, printer)
}

/// The copies of the models that the crawl began with.
fn model_files(folder: &RunFolder, run: &RunFile) -> Result<ModelFiles, RunFolderError> {
    let copy = |model: &Option<ModelFile>| model.as_ref().map(|it| folder.model(it)).transpose();
    let (ontology, wordnet) = match &run.meanings {
        Some(MeaningsPlace::Ontology(file)) => (Some(folder.model(file)?), None),
        Some(MeaningsPlace::Wordnet(path)) => (None, Some(path.clone())),
        None => (None, None),
    };
    Ok(ModelFiles {
        topics: copy(&run.topic)?.into_iter().collect(),
        classifier: copy(&run.classifier)?,
        sdg: copy(&run.sdg)?,
        ontology,
        wordnet,
    })
}

/// Warns if an archive is not the one that the crawl began with.
fn warn_of_archives(run: &RunFile, begun: &Provenance, printer: &mut Printer) {
    let WebPlace::Archives(paths) = &run.web else { return };
    for path in paths {
        let known = begun.inputs.iter().find(|input| path.ends_with(&input.path));
        let bytes = std::fs::metadata(path).map(|it| it.len()).ok();
        if let (Some(known), Some(bytes)) = (known, bytes)
            && known.bytes != bytes
        {
            printer.warn(format_args!(
                "{}: is not the archive that the crawl began with ({} bytes then, {bytes} now)",
                path.display(),
                known.bytes
            ));
        }
    }
}
