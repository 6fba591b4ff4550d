//! The arguments that name on-topic and off-topic pages.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ontrail_artifact::Provenance;
use ontrail_cli::Printer;
use ontrail_intake::{PageFile, labelled_pages};

/// The arguments that name pages whose relevance is known.
#[derive(Debug, Clone, Args)]
pub(crate) struct LabelledArgs {
    /// Pages about the topic: a page, a folder, a tarball, a dataset or a web archive; may be
    /// repeated
    #[arg(long, value_name = "PAGES", required_unless_present = "data")]
    on: Vec<PathBuf>,
    /// Pages that are not about the topic; may be repeated
    #[arg(long, value_name = "PAGES", required_unless_present = "data")]
    off: Vec<PathBuf>,
    /// Dataset with labels: pages with --label are about the topic, the others are not
    #[arg(long, value_name = "DATA", conflicts_with_all = ["on", "off"], requires = "label")]
    data: Option<PathBuf>,
    /// Label of the pages about the topic in --data; may be repeated
    #[arg(long, value_name = "LABEL", requires = "data")]
    label: Vec<String>,
    /// Skip and report pages that cannot be read, instead of stopping at the first
    #[arg(long)]
    skip_bad: bool,
}

/// Pages whose relevance is known.
pub(crate) struct Labelled {
    pub(crate) on: Vec<PageFile>,
    pub(crate) off: Vec<PageFile>,
}

impl LabelledArgs {
    /// Returns the arguments for pages about a topic and a path of others.
    pub(crate) fn of(on: &[PathBuf], off: &Path, skip_bad: bool) -> Self {
        let (on, off) = (on.to_vec(), vec![off.to_owned()]);
        Self { on, off, data: None, label: Vec::new(), skip_bad }
    }

    /// Returns the paths to read.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.on.iter().chain(&self.off).chain(&self.data).map(PathBuf::as_path)
    }

    /// Returns the paths of the pages about the topic.
    pub(crate) fn paths_on(&self) -> impl Iterator<Item = &Path> {
        self.on.iter().chain(&self.data).map(PathBuf::as_path)
    }

    /// Reads the pages.
    pub(crate) fn read(&self, printer: &mut Printer) -> Result<Labelled> {
        let mut skipped = Vec::new();
        let mut read = |path: &Path| -> Result<Vec<PageFile>> {
            let noted = self.skip_bad.then_some(&mut skipped);
            let pages = labelled_pages(path, noted)?;
            if pages.is_empty() {
                bail!("{}: contains no pages", path.display());
            }
            Ok(pages)
        };
        let mut found = Labelled { on: Vec::new(), off: Vec::new() };
        for path in &self.on {
            found.on.extend(read(path)?);
        }
        for path in &self.off {
            found.off.extend(read(path)?);
        }
        if let Some(path) = &self.data {
            found = self.by_label(path, read(path)?)?;
        }
        printer.skipped(skipped.len() as u64, "pages", &skipped);
        Ok(found)
    }

    fn by_label(&self, path: &Path, pages: Vec<PageFile>) -> Result<Labelled> {
        let path = path.display();
        let known: std::collections::BTreeSet<&str> =
            pages.iter().filter_map(|it| it.label.as_deref()).collect();
        if let Some(unknown) = self.label.iter().find(|label| !known.contains(label.as_str())) {
            let names: Vec<&str> = known.into_iter().take(30).collect();
            bail!(
                "{path}: --label: no page has the label {unknown:?}; the labels are {}",
                names.join(", ")
            );
        }
        let is_on = |it: &PageFile| it.label.as_ref().is_some_and(|it| self.label.contains(it));
        let (on, off): (Vec<_>, Vec<_>) = pages.into_iter().partition(is_on);
        if off.is_empty() {
            bail!("{path}: all pages have the labels of the topic; add pages with other labels");
        }
        Ok(Labelled { on, off })
    }

    /// Records the pages as inputs.
    pub(crate) fn record(&self, mut provenance: Provenance) -> Result<Provenance> {
        for path in self.paths() {
            provenance = provenance.with_input(path)?;
            // A topic that is calibrated again has the same inputs.
            let (last, before) = provenance.inputs.split_last().expect("an input was added");
            if before.contains(last) {
                provenance.inputs.pop();
            }
        }
        Ok(provenance.with_parameter("calibration_labels", &self.label))
    }
}
