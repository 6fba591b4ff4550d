//! `ontrail crawl upload`, and the uploads of running crawls.
//!
//! What is uploaded is named here, one by one: secrets and the state that is needed to resume a
//! crawl stay on the machine.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use ontrail_cli::{ExitStatus, Printer, count, stop_flag};
use ontrail_crawl::{RunFolder, finished_files, unfinished_files};
use ontrail_depot::{
    Address, Candidate, Depot, DepotError, Ledger, Mirror, Moment, Scan, UploadStatus, Uploader,
};
use serde::Serialize;
use walkdir::WalkDir;

/// Interval at which the figures of a running crawl are uploaded.
const FIGURES_EVERY: Duration = Duration::from_mins(1);
/// The file by which a crawl is known in a store.
const SIGNATURE: &str = "run.json";

/// The arguments about uploads.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Upload")]
pub(crate) struct UploadArgs {
    /// Upload the results to this address in an object store as they become complete; `ontrail
    /// crawl upload --help` lists the stores
    #[arg(long, value_name = "URL")]
    upload: Option<String>,
    /// At the end, wait this long for an object store that does not answer
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    upload_wait: u64,
}

impl UploadArgs {
    /// Checks the address for a new crawl. A store that does not answer is no reason not to crawl.
    pub(crate) fn check_new(&self, printer: &mut Printer) -> Result<()> {
        let Some(address) = self.address()? else { return Ok(()) };
        match Depot::open(&address).and_then(|depot| depot.owner()) {
            Ok(None) => Ok(()),
            Ok(Some(_)) => Err(anyhow!(DepotError::Other(address.to_string()))),
            Err(error @ DepotError::Store { is_refusal: false, .. }) => {
                printer.warn(format_args!(
                    "{error}. The crawl starts all the same; uploads are tried again"
                ));
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the order to upload, if there is one: the address that was given, or that of an
    /// earlier run.
    pub(crate) fn order(&self, folder: &Path) -> Result<Option<Order>> {
        let earlier = || Ledger::of_folder(folder).and_then(|(to, _)| to.parse().ok());
        let to = self.address()?.or_else(earlier);
        Ok(to.map(|to| Order { to, patience: Duration::from_secs(self.upload_wait) }))
    }

    /// Returns the address that was given, if it is one of an object store.
    pub(crate) fn address(&self) -> Result<Option<Address>> {
        self.upload.as_deref().map(str::parse).transpose().context("--upload")
    }
}

/// The order to upload a crawl.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    to: Address,
    patience: Duration,
}

impl Order {
    /// Starts to upload what is complete in a folder.
    pub(crate) fn start(self, folder: &RunFolder) -> Result<Upload> {
        let mirror = mirror(&folder.path, &self.to)?;
        let uploader = Uploader::start(mirror, scan(&folder.path))?;
        Ok(Upload { uploader, order: self })
    }
}

/// The upload of a crawl that runs.
#[derive(Debug)]
pub(crate) struct Upload {
    uploader: Uploader,
    order: Order,
}

impl Upload {
    /// Returns the number of files that wait, and whether the store fails.
    pub(crate) fn waiting_text(&self) -> Option<String> {
        waiting_text(&self.uploader.status())
    }

    /// Waits for the rest, and says what is left. Ctrl-C ends the waiting; if it ended the crawl,
    /// pressing it again does.
    pub(crate) fn finish(self, folder: &Path, stop: &AtomicBool, printer: &mut Printer) {
        let Order { to, patience } = self.order;
        let status = finish(self.uploader, patience, stop, printer);
        if status.waiting == 0 && status.error.is_none() {
            printer.note(format_args!("{} file(s) are uploaded to {to}", count(status.uploaded)));
            return;
        }
        printer.warn(format_args!(
            "{} file(s) are not uploaded yet ({}); go on with: ontrail crawl upload {} {to}",
            count(status.waiting),
            reason(&status),
            folder.display(),
        ));
    }
}

fn finish(
    uploader: Uploader,
    patience: Duration,
    stop: &AtomicBool,
    printer: &mut Printer,
) -> UploadStatus {
    let line = printer.live_line();
    let was_stopped = stop.load(Ordering::Relaxed);
    uploader.finish(patience, |status| {
        if let Some(text) = waiting_text(status) {
            line.set(text);
        }
        was_stopped || !stop.load(Ordering::Relaxed)
    })
}

/// Returns how many files wait, for people; none if all are uploaded.
pub(crate) fn waiting_text(status: &UploadStatus) -> Option<String> {
    let waiting = count(status.waiting);
    match (&status.error, status.waiting) {
        (Some(_), _) => Some(format!("{waiting} file(s) to upload, but the object store fails")),
        (None, 0) => None,
        (None, _) => Some(format!("{waiting} file(s) to upload")),
    }
}

fn reason(status: &UploadStatus) -> &str {
    status.error.as_deref().unwrap_or("interrupted")
}

/// Upload a crawl to an object store, or what is left of it
///
/// Uploads pages, log, links, models, settings and figures of a crawl that has ended or was
/// stopped, but neither its secrets nor the state that is needed to resume it. Files that are there
/// already with the same checksum are skipped; damaged or missing ones are uploaded again.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Stores, with the environment variables that they read:
  s3://BUCKET/PREFIX     Amazon S3 and what speaks like it (AWS_ACCESS_KEY_ID,
                         AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT, AWS_ALLOW_HTTP)
  gs://BUCKET/PREFIX     Google Cloud Storage (GOOGLE_APPLICATION_CREDENTIALS)
  az://CONTAINER/PREFIX  Azure Blob Storage (AZURE_STORAGE_ACCOUNT_NAME,
                         AZURE_STORAGE_ACCOUNT_KEY)
  file:///DIR            a folder, such as one on another disk

Examples:
  ontrail crawl upload rain-crawl s3://crawls/rain
  ontrail crawl upload rain-crawl
  ontrail crawl upload rain-crawl s3://crawls/rain --check
  ontrail crawl export s3://crawls/rain -o rain.jsonl")]
pub(crate) struct CommandArgs {
    /// Folder of the crawl
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Address in the object store [default: the one that the crawl was uploaded to before]
    #[arg(value_name = "URL")]
    to: Option<String>,
    /// Read everything back that was uploaded before, and compare the checksums
    #[arg(long)]
    check: bool,
    /// Wait this long for an object store that does not answer
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    upload_wait: u64,
}

/// The result as JSON.
#[derive(Serialize)]
struct Report<'a> {
    to: String,
    #[serde(flatten)]
    status: &'a UploadStatus,
}

pub(crate) fn run(args: &CommandArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let to: Option<Address> = args.to.as_deref().map(str::parse).transpose()?;
    let folder = RunFolder::open(&args.folder)?;
    let earlier = || Ledger::of_folder(&folder.path).and_then(|(to, _)| to.parse().ok());
    let Some(to) = to.or_else(earlier) else {
        bail!(
            "{}: was never uploaded; give an address such as s3://bucket/prefix",
            args.folder.display()
        );
    };
    let open = unfinished_files(&folder.path)?.len() as u64;
    if open > 0 {
        printer.warn(format_args!(
            "{} file(s) are not complete, because the crawl was interrupted, and are not uploaded; \
             `ontrail crawl resume {}` completes them",
            count(open),
            args.folder.display()
        ));
    }
    let stop = stop_flag().context("cannot listen for signals")?;
    let mirror = mirror(&folder.path, &to)?;
    let mirror = if args.check { mirror.checking() } else { mirror };
    let uploader = Uploader::start(mirror, scan(&folder.path))?;
    let status = finish(uploader, Duration::from_secs(args.upload_wait), &stop, printer);
    if status.waiting > 0 || status.error.is_some() {
        bail!("{} file(s) are not uploaded to {to}: {}", count(status.waiting), reason(&status));
    }
    if printer.is_json() {
        printer.json(&Report { to: to.to_string(), status: &status })?;
    } else {
        printer.line(format_args!("{} file(s) are uploaded to {to}", count(status.uploaded)))?;
    }
    Ok(ExitStatus::Done)
}

fn mirror(folder: &Path, to: &Address) -> Result<Mirror> {
    Ok(Mirror::new(Depot::open(to)?, Ledger::open(folder, to), SIGNATURE))
}

/// Returns a scan for the complete files of a crawl.
fn scan(folder: &Path) -> Scan {
    let folder = folder.to_owned();
    let mut figures = None::<Instant>;
    Box::new(move |moment| {
        let is_end = moment == Moment::End;
        let is_due = is_end || figures.is_none_or(|time| time.elapsed() >= FIGURES_EVERY);
        if is_due {
            figures = Some(Instant::now());
        }
        candidates(&folder, is_due, is_end).map_err(|error| format!("{error:#}"))
    })
}

/// Returns the complete files of a crawl.
fn candidates(folder: &Path, with_figures: bool, is_end: bool) -> Result<Vec<Candidate>> {
    let mut paths = vec![folder.join(SIGNATURE)];
    for entry in WalkDir::new(folder.join("models")).sort_by_file_name() {
        // A crawl without models has no such folder.
        let Ok(entry) = entry else { continue };
        if entry.file_type().is_file() {
            paths.push(entry.into_path());
        }
    }
    paths.extend(finished_files(folder)?);
    if with_figures {
        paths.push(folder.join("progress.json"));
    }
    if is_end {
        paths.extend(["summary.json", "commits"].map(|name| folder.join(name)));
    }
    let named = paths.into_iter().filter(|path| path.is_file()).map(|path| {
        let name = path.strip_prefix(folder)?.to_string_lossy().replace('\\', "/");
        Ok(Candidate { name, path })
    });
    named.collect()
}
