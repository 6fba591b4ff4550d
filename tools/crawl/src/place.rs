//! Where a command reads a crawl: in its folder, or in an object store.
//!
//! Of a crawl in an object store, the files that the command needs are fetched into a temporary
//! folder, verified by their checksums. After that, it is read like any other.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ontrail_artifact::{Input, Provenance};
use ontrail_cli::{Printer, bytes, count};
use ontrail_depot::{Address, Fetched, is_address};

/// What a command reads of a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Settings and figures.
    Figures,
    /// The log, too.
    Log,
    /// Log and links.
    Links,
    /// Log and pages.
    Pages,
    /// All of it.
    Everything,
}

impl Needs {
    fn folders(self) -> &'static [&'static str] {
        match self {
            Self::Figures => &[],
            Self::Log => &["log/"],
            Self::Links => &["log/", "links/"],
            Self::Pages => &["log/", "pages/"],
            Self::Everything => &["log/", "links/", "pages/", "models/"],
        }
    }

    fn include(self, name: &str) -> bool {
        !name.contains('/') || self.folders().iter().any(|folder| name.starts_with(folder))
    }
}

/// A crawl that a command reads.
#[derive(Debug)]
pub(crate) struct Place {
    given: PathBuf,
    name: Option<String>,
    fetched: Option<Fetched>,
}

impl Place {
    /// Opens the folder of a crawl, or fetches what is needed of a crawl in an object store.
    pub(crate) fn open(given: &Path, needs: Needs, printer: &mut Printer) -> Result<Self> {
        let given = given.to_owned();
        if !is_address(&given) {
            return Ok(Self { given, name: None, fetched: None });
        }
        let address: Address = given.to_string_lossy().parse()?;
        let line = printer.live_line();
        let progress = |number: u64, files: u64, size: u64| {
            let number = count(number + 1);
            line.set(format!("fetching file {number} of {} ({})", count(files), bytes(size)));
        };
        let fetched = Fetched::open(&address, |name| needs.include(name), progress)
            .context("the crawl cannot be fetched")?;
        Ok(Self { given, name: Some(address.name().to_owned()), fetched: Some(fetched) })
    }

    /// Returns the folder to read.
    pub(crate) fn path(&self) -> &Path {
        self.fetched.as_ref().map_or(&self.given, Fetched::path)
    }

    /// Returns true if the crawl was fetched, so that the folder to read is temporary.
    pub(crate) fn is_fetched(&self) -> bool {
        self.fetched.is_some()
    }

    /// Returns the name of the crawl.
    pub(crate) fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| {
            let path = self.given.canonicalize().unwrap_or_else(|_| self.given.clone());
            path.file_name().unwrap_or_default().to_string_lossy().into_owned()
        })
    }

    /// Adds the settings of the crawl to the inputs of an artifact, under the name that the user
    /// gave.
    pub(crate) fn as_input_of(&self, mut provenance: Provenance) -> Result<Provenance> {
        let mut input = Input::read(&self.path().join("run.json"))?;
        if self.is_fetched() {
            input.path = format!("{}/run.json", self.given.display());
        }
        provenance.inputs.push(input);
        Ok(provenance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_fetch_what_they_read() {
        let names = ["run.json", "log/00000.parquet", "links/00000.parquet", "models/topic.json"];
        let of = |needs: Needs| names.map(|name| needs.include(name));
        assert_eq!(of(Needs::Figures), [true, false, false, false]);
        assert_eq!(of(Needs::Log), [true, true, false, false]);
        assert_eq!(of(Needs::Links), [true, true, true, false]);
        assert_eq!(of(Needs::Pages), [true, true, false, false]);
        assert_eq!(of(Needs::Everything), [true; 4]);
    }
}
