//! Shows the kind and provenance of an artifact.

use std::path::Path;

use anyhow::Result;
use ontrail_artifact::{Description, Shape};
use ontrail_cli::{ExitStatus, Printer, bytes};

pub(crate) fn show(
    path: &Path,
    description: &Description,
    printer: &mut Printer,
) -> Result<ExitStatus> {
    if printer.is_json() {
        printer.json(description)?;
    } else {
        print(path, description, printer)?;
    }
    Ok(if description.mismatches.is_empty() { ExitStatus::Done } else { ExitStatus::No })
}

fn print(path: &Path, description: &Description, printer: &mut Printer) -> Result<()> {
    let provenance = &description.provenance;
    let shape = match description.shape {
        Shape::Json => "JSON file",
        Shape::Bundle => "folder with a manifest",
        Shape::Sidecar => "file with a sidecar",
    };
    printer.heading(path.display())?;
    printer
        .line(format_args!("  kind      {}, format {}", description.kind, description.format))?;
    printer.line(format_args!("  stored as {shape}"))?;
    printer.line(format_args!("  made by   {} {}", provenance.tool, provenance.version))?;
    if !provenance.arguments.is_empty() {
        printer.line(format_args!("  arguments {}", provenance.arguments.join(" ")))?;
    }
    for (name, value) in &provenance.parameters {
        printer.line(format_args!("  parameter {name} = {value}"))?;
    }
    if let Some(seed) = provenance.seed {
        printer.line(format_args!("  seed      {seed}"))?;
    }
    for input in &provenance.inputs {
        let size = bytes(input.bytes);
        printer
            .line(format_args!("  input     {} ({size}, sha256 {})", input.path, input.sha256))?;
    }
    for (name, size) in &description.files {
        printer.line(format_args!("  file      {name} ({})", bytes(*size)))?;
    }
    for mismatch in &description.mismatches {
        printer.warn(format_args!("{}: {}", mismatch.file, mismatch.problem));
    }
    if description.shape != Shape::Json {
        let state = if description.mismatches.is_empty() { "match" } else { "do not match" };
        printer.line(format_args!("  checksums {state}"))?;
    }
    Ok(())
}
