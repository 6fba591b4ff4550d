//! Pictures of a graph.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use ontrail_artifact::{Destination, Format, Output, Provenance, write_with_sidecar};
use ontrail_cli::{
    ExitStatus, ForceArgs, OutputFile, Printer, count, output_file, pixels_per_unit, share,
};
use ontrail_report::Form;
use ontrail_sdg::{EdgeChoice, Picture, Sdg};
use serde_json::json;

const PICTURE: Format =
    Format { kind: "picture", version: 1, oldest: 1, rebuild: "ontrail sdg show -o" };

/// The options of a picture.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Picture")]
pub(crate) struct PictureArgs {
    /// File for a picture of the graph: .svg, .html (to pan and search), .png or .dot
    #[arg(short, long, value_name = "FILE", value_parser = output_file(Form::of, "x.svg"))]
    output: Option<OutputFile<Form>>,
    #[command(flatten)]
    force: ForceArgs,
    /// Number of terms to draw, those of greatest weight
    #[arg(long, value_name = "N", default_value_t = 60, requires = "output", value_parser = clap::value_parser!(u32).range(1..=2_000))]
    max_nodes: u32,
    /// Number of edges to draw for each term, the strongest; all edges would be a tangle
    #[arg(
        long,
        value_name = "N",
        default_value_t = EdgeChoice::USUAL,
        requires = "output",
        conflicts_with = "min_degree"
    )]
    edges: usize,
    /// Draw all edges of at least this degree instead
    #[arg(long, value_name = "D", requires = "output", allow_hyphen_values = true, value_parser = share)]
    min_degree: Option<f64>,
    /// Pixels per unit, for .png [default: 2]
    #[arg(long, value_name = "N", requires = "output", value_parser = pixels_per_unit)]
    scale: Option<f32>,
}

impl PictureArgs {
    /// Returns the destination and the format of the picture, if one was asked for.
    pub(crate) fn wanted(
        &self,
        graph: &Path,
        printer: &mut Printer,
    ) -> Result<Option<(Destination<'_>, Form)>> {
        let Some(OutputFile { path, form }) = &self.output else { return Ok(None) };
        if self.scale.is_some() && *form != Form::Png {
            bail!("--scale is for .png; the other formats have no size in pixels");
        }
        let to = self.force.destination(path, printer)?;
        Output::file(to, &PICTURE).check([graph])?;
        Ok(Some((to, *form)))
    }

    /// Draws the graph that was read from a file.
    pub(crate) fn draw(
        &self,
        (to, form): (Destination<'_>, Form),
        graph: &Path,
        sdg: &Sdg,
        printer: &mut Printer,
    ) -> Result<ExitStatus> {
        let output = to.path();
        let strongest = EdgeChoice::StrongestOfEach(self.edges);
        let choice = self.min_degree.map_or(strongest, EdgeChoice::FromDegree);
        let Picture { network, nodes, edges } = sdg.picture(self.max_nodes as usize, choice, "en");
        let bytes = form
            .drawn(&network, self.scale.unwrap_or(2.0))
            .with_context(|| format!("{}: cannot draw the picture", output.display()))?;
        let provenance = Provenance::of_this_process("ontrail sdg show")
            .with_parameter("max_nodes", self.max_nodes)
            .with_parameter("edges", self.edges)
            .with_parameter("min_degree", self.min_degree)
            .with_input(graph)?;
        write_with_sidecar(to, &PICTURE, &provenance, |out| out.write_all(&bytes))?;
        if printer.is_json() {
            printer.json(&json!({
                "output": output, "nodes": nodes, "edges": edges,
                "nodes_in_graph": sdg.terms.len(), "edges_in_graph": sdg.edges.len(),
            }))?;
        } else {
            printer.line(format_args!(
                "{}: {} of {} terms, {} of {} edges",
                output.display(),
                count(nodes as u64),
                count(sdg.terms.len() as u64),
                count(edges as u64),
                count(sdg.edges.len() as u64)
            ))?;
        }
        Ok(ExitStatus::Done)
    }
}
