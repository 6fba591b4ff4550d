//! `ontrail crawl resume`: resumes an interrupted crawl, or extends a finished one.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_cli::{ExitStatus, Printer};
use ontrail_crawl::{
    Credentials, FrontierPlace, MeaningsPlace, ModelFile, RunFile, RunFolder, RunFolderError,
    WebPlace, read_progress, read_run,
};
use ontrail_focus::ModelFiles;

use crate::execute::{Prepared, Start, execute, open_web};
use crate::upload::UploadArgs;
use crate::watch::WatchArgs;

/// Resume a crawl that was stopped or interrupted, or extend one that has spent its budget
///
/// Nothing that was stored is lost, and no page is stored twice. Links that were being fetched when
/// the crawl ended are fetched again.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail crawl resume rain-crawl
  ontrail crawl resume rain-crawl --budget 50000
  ontrail crawl resume rain-crawl --retry-failed
  ontrail crawl resume rain-crawl --budget 50000 --max-time 7200 --log info")]
pub(crate) struct ResumeArgs {
    /// Folder of the crawl
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// New budget: pages to fetch in total, including those already fetched
    #[arg(long, value_name = "N")]
    budget: Option<u64>,
    /// New time limit: seconds to crawl in total, including those already spent
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    max_time: Option<f64>,
    /// Queue the links again that were given up because their host did not answer or failed
    #[arg(long)]
    retry_failed: bool,
    #[command(flatten)]
    upload: UploadArgs,
    #[command(flatten)]
    watching: WatchArgs,
}

pub(crate) fn run(args: &ResumeArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let upload = args.upload.order(&args.folder)?;
    let folder = RunFolder::open(&args.folder)?;
    let (original, mut run) = read_run(&args.folder)?;
    folder.restore_secrets(&mut run)?;
    check_is_no_merge(&args.folder, &run)?;
    if run.frontier == FrontierPlace::Memory {
        bail!(
            "{}: cannot resume this crawl, because its frontier was kept in memory (--frontier \
             memory); start a new one",
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
        provenance.inputs.clone_from(&original.inputs);
        folder.write_run(&run, &provenance)?;
    }
    if let Some(progress) = read_progress(&args.folder)?
        && run.settings.budget <= progress.summary.downloaded
    {
        printer.note(format_args!(
            "the budget of {} pages is spent; give a larger --budget to fetch more",
            run.settings.budget
        ));
    }
    warn_of_archives(&run, &original, printer);
    let web = open_web(&run.web, &run.settings, &run.seeds)?;
    let models = model_files(&folder, &run)?.read()?;
    let focus = models.for_recipe(&run.recipe)?;
    let start = if args.retry_failed { Start::RetryFailed } else { Start::AsItIs };
    let credentials = Credentials::from_environment();
    let prepared = Prepared { web, focus, start, credentials, upload };
    execute(&folder, &run, prepared, &args.watching, printer)
}

/// Refuses the folder of a merge, which has no state.
pub(crate) fn check_is_no_merge(folder: &Path, run: &RunFile) -> Result<()> {
    if run.merged.is_empty() {
        return Ok(());
    }
    bail!(
        "{}: holds the pages of several workers ({}), and no links that wait; resume the workers \
         instead, then merge them again",
        folder.display(),
        run.merged.join(", ")
    );
}

/// Returns the crawl's own copies of its models.
pub(crate) fn model_files(folder: &RunFolder, run: &RunFile) -> Result<ModelFiles, RunFolderError> {
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
        judge: copy(&run.judge)?,
        ontology,
        wordnet,
        link_model: copy(&run.link_model)?,
    })
}

/// Warns if an archive has changed since the crawl started.
fn warn_of_archives(run: &RunFile, original: &Provenance, printer: &mut Printer) {
    let WebPlace::Archives(paths) = &run.web else { return };
    for path in paths {
        let known = original.inputs.iter().find(|input| path.ends_with(&input.path));
        let bytes = std::fs::metadata(path).map(|it| it.len()).ok();
        if let (Some(known), Some(bytes)) = (known, bytes)
            && known.bytes != bytes
        {
            printer.warn(format_args!(
                "{}: the archive has changed since the crawl started ({} bytes then, {bytes} now)",
                path.display(),
                known.bytes
            ));
        }
    }
}
