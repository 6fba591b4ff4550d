//! The graph as a picture.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use ontrail_artifact::{Format, Provenance, write_with_sidecar};
use ontrail_cli::{ExitStatus, Printer, count, decimal};
use ontrail_diagram::{Link, Mark, Network, Spot};
use ontrail_report::Form;
use ontrail_sdg::{Edge, Node, Sdg};
use serde_json::json;

use crate::show::short;

const PICTURE: Format =
    Format { kind: "picture", version: 1, oldest: 1, rebuild: "ontrail sdg show -o" };

/// What a picture says, in one language or the other.
struct Words {
    /// What the marks mean.
    legend: &'static str,
    weight: &'static str,
    relevance: &'static str,
    popularity: &'static str,
    importance: &'static str,
    /// How many pages of the topic and how many others a term is on.
    pages: &'static str,
    ambiguity: &'static str,
    ambiguous: &'static str,
    not_ambiguous: &'static str,
    shown_by: &'static str,
}

const ENGLISH: Words = Words {
    legend: "size and figure of a node: its weight in the topic · dashed: ambiguous · hollow: not in the \
             background · figure at a line: co-occurrence degree",
    weight: "weight",
    relevance: "relevance",
    popularity: "popularity",
    importance: "importance",
    pages: "on %n pages of the topic and %m others",
    ambiguity: "ambiguity",
    ambiguous: "ambiguous",
    not_ambiguous: "not ambiguous",
    shown_by: "its meaning is shown by",
};

const CHINESE: Words = Words {
    legend: "节点大小与数字：在主题中的权重 · 虚线：有歧义 · 空心：背景语料中没有 · 边上的数字：共现度",
    weight: "权重",
    relevance: "相关度",
    popularity: "流行度",
    importance: "重要度",
    pages: "出现在 %n 个主题网页和 %m 个其他网页中",
    ambiguity: "歧义度",
    ambiguous: "有歧义",
    not_ambiguous: "无歧义",
    shown_by: "揭示其含义的词：",
};

/// How many edges of each term are drawn.
const EDGES: usize = 2;

/// What is drawn.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "The picture")]
pub(crate) struct PictureArgs {
    /// Draw the graph: .svg, .html (to pan and search), .png or .dot
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How many of the weightiest terms to draw
    #[arg(long, value_name = "N", default_value_t = 60, requires = "output", value_parser = clap::value_parser!(u32).range(1..=2_000))]
    max_nodes: u32,
    /// Draw of each term its N strongest edges; all would be a tangle
    #[arg(
        long,
        value_name = "N",
        default_value_t = EDGES,
        requires = "output",
        conflicts_with = "min_degree"
    )]
    edges: usize,
    /// Draw all edges of at least this degree instead
    #[arg(long, value_name = "D", requires = "output", allow_hyphen_values = true)]
    min_degree: Option<f64>,
    /// How many pixels a unit has, for .png [default: 2]
    #[arg(long, value_name = "N", requires = "output")]
    scale: Option<f32>,
}

impl PictureArgs {
    /// The file to draw and its form, if a picture is wanted and can be.
    pub(crate) fn wanted(&self, graph: &Path) -> Result<Option<(&Path, Form)>> {
        let Some(output) = self.output.as_deref() else { return Ok(None) };
        let form = Form::of(output)?;
        match self.scale {
            Some(_) if form != Form::Png => bail!("--scale is for .png, the others have no size"),
            Some(scale) if !(scale > 0.0 && scale <= 20.0) => {
                bail!("--scale: {scale} is not above 0 and at most 20")
            }
            _ => {}
        }
        if let Some(degree) = self.min_degree
            && !(0.0..=1.0).contains(&degree)
        {
            bail!("--min-degree: {degree} is not from 0 to 1");
        }
        ontrail_intake::check_output(graph, output)?;
        Ok(Some((output, form)))
    }

    /// Draws the graph that was read from a file.
    pub(crate) fn draw(
        &self,
        (output, form): (&Path, Form),
        graph: &Path,
        sdg: &Sdg,
        printer: &mut Printer,
    ) -> Result<ExitStatus> {
        let nodes = weightiest(sdg, self.max_nodes as usize);
        let edges = drawn_edges(sdg, &nodes, self.edges, self.min_degree);
        let network = network(sdg, &nodes, &edges, &ENGLISH);
        let bytes = form
            .drawn(&network, self.scale.unwrap_or(2.0))
            .with_context(|| format!("{}: cannot be drawn", output.display()))?;
        let provenance = Provenance::of_this_process("ontrail sdg show")
            .with_parameter("max_nodes", self.max_nodes)
            .with_parameter("edges", self.edges)
            .with_parameter("min_degree", self.min_degree)
            .with_input(graph)?;
        write_with_sidecar(output, &PICTURE, &provenance, |out| out.write_all(&bytes))?;
        if printer.is_json() {
            printer.json(&json!({
                "output": output, "nodes": nodes.len(), "edges": edges.len(),
                "nodes_in_graph": sdg.terms.len(), "edges_in_graph": sdg.edges.len(),
            }))?;
        } else {
            printer.line(format_args!(
                "{}: {} of {} terms, {} of {} edges",
                output.display(),
                count(nodes.len() as u64),
                count(sdg.terms.len() as u64),
                count(edges.len() as u64),
                count(sdg.edges.len() as u64)
            ))?;
        }
        Ok(ExitStatus::Done)
    }
}

/// The graph as it is drawn where nothing else is said: its weightiest terms, with the strongest edges of each; what is said of
/// them is Chinese where the language is `zh`, else English.
#[must_use]
pub fn network_of(sdg: &Sdg, max_nodes: usize, lang: &str) -> Network {
    let nodes = weightiest(sdg, max_nodes);
    let words = if lang == "zh" { &CHINESE } else { &ENGLISH };
    network(sdg, &nodes, &drawn_edges(sdg, &nodes, EDGES, None), words)
}

fn weightiest(sdg: &Sdg, most: usize) -> Vec<&Node> {
    let mut nodes: Vec<&Node> = sdg.terms.iter().collect();
    nodes.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    nodes.truncate(most);
    nodes
}

/// The edges that are drawn: the strongest of each node, or all from a degree on.
fn drawn_edges<'a>(
    sdg: &'a Sdg,
    nodes: &[&Node],
    of_each: usize,
    min_degree: Option<f64>,
) -> Vec<&'a Edge> {
    let drawn: BTreeSet<&str> = nodes.iter().map(|node| node.term.as_str()).collect();
    let is_drawn = |edge: &&Edge| edge.terms.iter().all(|term| drawn.contains(term.as_str()));
    let mut edges: Vec<&Edge> = sdg.edges.iter().filter(is_drawn).collect();
    edges.sort_by(|a, b| b.degree.total_cmp(&a.degree));
    if let Some(least) = min_degree {
        edges.retain(|edge| edge.degree >= least);
        return edges;
    }
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    edges.retain(|edge| {
        let [first, second] = [&edge.terms[0], &edge.terms[1]].map(String::as_str);
        let mut take = |term| {
            let taken = taken.entry(term).or_default();
            *taken += 1;
            *taken <= of_each
        };
        let (of_first, of_second) = (take(first), take(second));
        of_first || of_second
    });
    edges
}

fn network(sdg: &Sdg, nodes: &[&Node], edges: &[&Edge], words: &Words) -> Network {
    let drawn = match nodes.len() {
        all if all == sdg.terms.len() => String::new(),
        some => format!(", the weightiest {} drawn", count(some as u64)),
    };
    let title = format!(
        "{} ({} terms, {} of them ambiguous{drawn})",
        sdg.name,
        count(sdg.terms.len() as u64),
        count(sdg.ambiguous().count() as u64)
    );
    let mut network = Network::new(title, words.legend);
    let most = nodes.iter().map(|node| node.weight).fold(0.0, f64::max);
    let mut ids = BTreeMap::new();
    for node in nodes {
        let id = network.add(Spot {
            label: node.term.clone(),
            figure: decimal(node.weight),
            detail: detail(node, words),
            size: if most > 0.0 { node.weight / most } else { 0.0 },
            mark: match (node.ambiguous, node.ambiguity) {
                (true, _) => Mark::Odd,
                (false, None) => Mark::Hollow,
                (false, Some(_)) => Mark::Plain,
            },
        });
        ids.insert(node.term.as_str(), id);
    }
    for edge in edges {
        let [from, to] = [&edge.terms[0], &edge.terms[1]].map(|term| ids[term.as_str()]);
        let label = match edge.degree {
            degree if degree >= 0.005 => format!("{degree:.2}"),
            _ => "<0.01".to_owned(),
        };
        network.connect(Link { from, to, strength: edge.degree, label });
    }
    network
}

/// What is shown of a node when someone points at it.
fn detail(node: &Node, words: &Words) -> String {
    let Node { indicators, counts, .. } = node;
    let pages = words.pages.replace("%n", &count(counts.relevant_pages));
    let mut lines = vec![
        format!("{} {}", words.weight, decimal(node.weight)),
        format!(
            "{} {}, {} {}, {} {}",
            words.relevance,
            short(indicators.relevance),
            words.popularity,
            short(indicators.popularity),
            words.importance,
            short(indicators.importance)
        ),
        pages.replace("%m", &count(counts.other_pages)),
    ];
    if let Some(ambiguity) = node.ambiguity {
        let verdict = if node.ambiguous { words.ambiguous } else { words.not_ambiguous };
        lines.push(format!("{} {}: {verdict}", words.ambiguity, short(ambiguity.value)));
    }
    if !node.disambiguated_by.is_empty() {
        lines.push(format!("{} {}", words.shown_by, node.disambiguated_by.join(", ")));
    }
    lines.join("\n")
}
