//! Arguments and functions that several commands share.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use ontrail_artifact::{
    ArtifactError, Destination, Format, Output, Provenance, write_with_sidecar,
};
use ontrail_cli::width;
use ontrail_fca::format::{self, Format as ContextFormat};
use ontrail_fca::{BitSet, Context, Listing, ListingError, Names};

// The kinds of artifacts that this tool writes.
pub(crate) const CONTEXT: Format =
    Format { kind: "context", version: 1, oldest: 1, rebuild: "ontrail lattice context" };
pub(crate) const ONTOLOGY: Format =
    Format { kind: "ontology", version: 1, oldest: 1, rebuild: "ontrail lattice owl" };
pub(crate) const SUGGESTION: Format =
    Format { kind: "suggestion", version: 1, oldest: 1, rebuild: "ontrail lattice enrich" };
pub(crate) const PICTURE: Format =
    Format { kind: "picture", version: 1, oldest: 1, rebuild: "ontrail lattice draw" };

/// The arguments that limit the number of concepts.
#[derive(Debug, Clone, Args)]
pub(crate) struct ListingArgs {
    /// Leave out concepts with fewer objects than this: a number, or a share such as 2%
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) min_support: Support,
    /// Give up if there are more concepts than this
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..=4_000_000_000))]
    pub(crate) limit: u64,
}

impl ListingArgs {
    pub(crate) fn listing(&self, context: &Context) -> Listing {
        let support = self.min_support.of(context.objects().len());
        Listing::new().min_support(support).limit(self.limit)
    }
}

/// Adds the remedy to an error about too many concepts.
pub(crate) fn explain(error: ListingError, path: &Path) -> anyhow::Error {
    anyhow!(
        "{}: {error}\n  leave out small concepts with --min-support (such as 2%), or raise --limit",
        path.display()
    )
}

/// A number of objects, or a share of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Support {
    Objects(u32),
    Percent(f64),
}

impl FromStr for Support {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let invalid = || format!("{text:?} is neither a number of objects nor a share such as 2%");
        match text.strip_suffix('%') {
            Some(percent) => percent
                .trim()
                .parse()
                .ok()
                .filter(|percent| (0.0..=100.0).contains(percent))
                .map(Self::Percent)
                .ok_or_else(invalid),
            None => text.parse().map(Self::Objects).map_err(|_| invalid()),
        }
    }
}

impl Support {
    /// Returns true if it leaves nothing out.
    pub(crate) fn is_zero(self) -> bool {
        match self {
            Self::Objects(count) => count == 0,
            Self::Percent(percent) => percent == 0.0,
        }
    }

    /// Returns the number of objects. A share is rounded up.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a count"
    )]
    pub(crate) fn of(self, objects: usize) -> u32 {
        match self {
            Self::Objects(count) => count,
            Self::Percent(percent) => (percent * objects as f64 / 100.0 - 1e-9).ceil() as u32,
        }
    }
}

/// Returns the format of a context to write, which the extension of the file tells.
pub(crate) fn context_format(path: &Path) -> Result<ContextFormat, String> {
    let Some(format) = ContextFormat::of(path).filter(|format| format.is_written()) else {
        let file = path.display();
        return Err(format!("{file}: name a .cxt, .csv, .dat or .json file to write a context to"));
    };
    if path.extension().is_some_and(|ending| ending == "gz") {
        return Err(format!("{}: contexts are written uncompressed; remove .gz", path.display()));
    }
    Ok(format)
}

/// Returns the files of a context. A FIMI file has two files of names beside it.
fn context_files(path: &Path, format: ContextFormat) -> Vec<PathBuf> {
    let beside = format::names_beside(path).into_iter().filter(|_| format == ContextFormat::Fimi);
    std::iter::once(path.to_owned()).chain(beside).collect()
}

/// Refuses an output that must not be written.
pub(crate) fn check_context(
    to: Destination<'_>,
    format: ContextFormat,
    inputs: &[&Path],
) -> Result<(), ArtifactError> {
    let files = context_files(to.path(), format);
    files.iter().try_for_each(|file| Output::file(to.beside(file), &CONTEXT).check(inputs))
}

/// Writes a context. For FIMI, the names are written to files beside it.
pub(crate) fn write_context(
    to: Destination<'_>,
    format: ContextFormat,
    context: &Context,
    provenance: &Provenance,
) -> Result<()> {
    if let Some(name) = format::unwritable_name(context, format) {
        bail!(
            "{}: the name {name:?} does not fit on one line of this format; write .csv or .json",
            to.path().display()
        );
    }
    check_context(to, format, &[])?;
    write_with_sidecar(to, &CONTEXT, provenance, |out| format::write(context, format, out))?;
    let names = [context.attributes(), context.objects()];
    for (path, names) in context_files(to.path(), format).iter().skip(1).zip(names) {
        write_with_sidecar(to.beside(path), &CONTEXT, provenance, |out| {
            names.iter().try_for_each(|name| writeln!(out, "{name}"))
        })?;
    }
    Ok(())
}

/// Returns the names of some attributes, joined by commas.
pub(crate) fn listed(names: &Names, members: &BitSet) -> String {
    let names: Vec<String> = members.iter().map(|it| names.get(it).into_owned()).collect();
    if names.is_empty() { "∅".to_owned() } else { names.join(", ") }
}

/// Greatest number of columns of a list in a table; with the other columns, tables stay below 100.
const LIST_COLUMNS: usize = 76;

/// Returns a list, with an ellipsis instead of its end if it is too wide for a table.
pub(crate) fn shortened(list: &str) -> String {
    if width(list) <= LIST_COLUMNS {
        return list.to_owned();
    }
    let mut start = String::new();
    for letter in list.chars() {
        start.push(letter);
        if width(&start) >= LIST_COLUMNS {
            start.pop();
            break;
        }
    }
    start + "…"
}

/// Returns the names of some attributes, for JSON.
pub(crate) fn names_of(names: &Names, members: &BitSet) -> Vec<String> {
    members.iter().map(|it| names.get(it).into_owned()).collect()
}

/// Returns the name of a file without its folder, so that artifacts do not depend on the folder.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
