//! `ontrail crawl join`: adds a worker to a crawl on a Redis server.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_cli::{ExitStatus, Printer};
use ontrail_crawl::{FrontierPlace, RunFile, RunFolder, SharedFile, SharedPlace, hide_arguments};

use crate::execute::{Prepared, Start, execute, open_web};
use crate::resume::model_files;
use crate::shared::{Named, check_is_not_stopped};
use crate::upload::UploadArgs;
use crate::watch::WatchArgs;

/// Add a worker to a crawl that is shared over a Redis server
///
/// The worker gets settings, recipe and models from the server, takes its share of the hosts, and
/// stores its pages in a folder of its own. When it ends or dies, the others go on with its links.
/// `ontrail crawl merge` puts the folders of all workers together.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
User name and password of the server can be part of its URL or come from ONTRAIL_REDIS_USER and
ONTRAIL_REDIS_PASSWORD.

Examples:
  ontrail crawl run --frontier redis://10.0.0.5 --name rain --contact me@example.org \\
      --topic rain.topic.json --recipe vsm --seeds seeds.txt --budget 100000 -o rain-1
  ontrail crawl join redis://10.0.0.5 rain -o rain-2
  ontrail crawl resume rain-2")]
pub(crate) struct JoinArgs {
    #[command(flatten)]
    crawl: Named,
    /// New folder for the pages of this worker
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    upload: UploadArgs,
    #[command(flatten)]
    watching: WatchArgs,
}

pub(crate) fn run(args: &JoinArgs, printer: &mut Printer) -> Result<ExitStatus> {
    RunFolder::check_new(&args.output)?;
    args.upload.address()?;
    let (crawl, credentials) = args.crawl.open()?;
    check_is_not_stopped(&crawl)?;
    let SharedPlace { server, name } = crawl.place().clone();
    let mut run: RunFile = serde_json::from_str(&crawl.run()?)
        .with_context(|| format!("{server}: another version of Ontrail began the crawl {name}"))?;
    // The server may have another address here than where the crawl was begun.
    run.frontier = FrontierPlace::Shared(SharedPlace { server, name });
    let web = open_web(&run.web, &run.settings, &run.seeds)?;
    let files = crawl.files()?;
    args.upload.check_new(printer)?;
    let folder = RunFolder::create(&args.output)?;
    let prepared = write_files(&folder.path, &files).and_then(|()| {
        let mut provenance =
            Provenance::of_this_process("ontrail crawl join").with_seed(run.settings.seed);
        provenance.arguments = hide_arguments(&provenance.arguments);
        folder.write_run(&run, &provenance)?;
        Ok(model_files(&folder, &run)?.read()?.for_recipe(&run.recipe)?)
    });
    let focus = match prepared {
        Ok(focus) => focus,
        Err(error) => {
            // Nothing was crawled: the folder would only be in the way of the next attempt.
            let _ = std::fs::remove_dir_all(&folder.path);
            return Err(error);
        }
    };
    let upload = args.upload.order(&folder.path)?;
    let prepared = Prepared { web, focus, start: Start::AsItIs, credentials, upload };
    execute(&folder, &run, prepared, &args.watching, printer)
}

/// Writes the models. A server that somebody else filled must not write elsewhere.
fn write_files(folder: &Path, files: &[SharedFile]) -> Result<()> {
    for (name, content) in files {
        let name = Path::new(name);
        let is_within = name.components().all(|it| matches!(it, Component::Normal(_)));
        if !is_within || !name.starts_with("models") {
            bail!("{}: the server names a file outside the folder of the crawl", name.display());
        }
        let path = folder.join(name);
        let written = std::fs::create_dir_all(path.parent().unwrap_or(folder))
            .and_then(|()| std::fs::write(&path, content));
        written.with_context(|| format!("{}: cannot be written", path.display()))?;
    }
    Ok(())
}
