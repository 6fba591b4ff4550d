//! Pictures of graphs: terms as nodes, co-occurrences as edges.

use std::collections::{BTreeMap, BTreeSet};

use ontrail_diagram::{Mark, Network, NetworkEdge, Spot};
use ontrail_numbers::{brief, count, decimal};

use crate::sdg::{Edge, Node, Sdg};

/// A picture of a graph, and the size of the part that it shows.
#[derive(Debug, Clone)]
pub struct Picture {
    /// The picture.
    pub network: Network,
    /// Number of terms drawn.
    pub nodes: usize,
    /// Number of edges drawn.
    pub edges: usize,
}

/// The edges to draw. A picture of all edges would be unreadable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EdgeChoice {
    /// This number of edges for each term, those with the highest degrees.
    StrongestOfEach(usize),
    /// All edges with at least this degree.
    FromDegree(f64),
}

impl EdgeChoice {
    /// Default number of edges drawn for each term.
    pub const USUAL: usize = 2;
}

impl Default for EdgeChoice {
    fn default() -> Self {
        Self::StrongestOfEach(Self::USUAL)
    }
}

impl Sdg {
    /// Draws the terms with the greatest weights, at most `most_terms` of them. Texts are Chinese
    /// if `lang` is `zh`, otherwise English.
    #[must_use]
    pub fn picture(&self, most_terms: usize, choice: EdgeChoice, lang: &str) -> Picture {
        let words = if lang == "zh" { &CHINESE } else { &ENGLISH };
        let nodes = weightiest(self, most_terms);
        let edges = drawn_edges(self, &nodes, choice);
        let network = network(self, &nodes, &edges, words);
        Picture { network, nodes: nodes.len(), edges: edges.len() }
    }
}

/// The texts of a picture in one language.
struct Words {
    /// The explanation of the marks.
    legend: &'static str,
    weight: &'static str,
    relevance: &'static str,
    popularity: &'static str,
    importance: &'static str,
    /// Numbers of relevant pages and of other pages that have a term.
    pages: &'static str,
    ambiguity: &'static str,
    ambiguous: &'static str,
    not_ambiguous: &'static str,
    shown_by: &'static str,
}

const ENGLISH: Words = Words {
    legend: "node size and number: weight in the topic · dashed: ambiguous · hollow: not in the \
             background · number on an edge: co-occurrence degree",
    weight: "weight",
    relevance: "relevance",
    popularity: "popularity",
    importance: "importance",
    pages: "on %n relevant pages and %m other pages",
    ambiguity: "ambiguity",
    ambiguous: "ambiguous",
    not_ambiguous: "not ambiguous",
    shown_by: "disambiguated by",
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

fn weightiest(sdg: &Sdg, most: usize) -> Vec<&Node> {
    let mut nodes: Vec<&Node> = sdg.terms.iter().collect();
    nodes.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    nodes.truncate(most);
    nodes
}

fn drawn_edges<'a>(sdg: &'a Sdg, nodes: &[&Node], choice: EdgeChoice) -> Vec<&'a Edge> {
    let drawn: BTreeSet<&str> = nodes.iter().map(|node| node.term.as_str()).collect();
    let is_drawn = |edge: &&Edge| edge.terms.iter().all(|term| drawn.contains(term.as_str()));
    let mut edges: Vec<&Edge> = sdg.edges.iter().filter(is_drawn).collect();
    edges.sort_by(|a, b| b.degree.total_cmp(&a.degree));
    match choice {
        EdgeChoice::FromDegree(least) => edges.retain(|edge| edge.degree >= least),
        EdgeChoice::StrongestOfEach(most) => keep_strongest(&mut edges, most),
    }
    edges
}

/// Keeps the edges that are among the first `most` edges of one of their terms.
fn keep_strongest(edges: &mut Vec<&Edge>, most: usize) {
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    edges.retain(|edge| {
        let [first, second] = [&edge.terms[0], &edge.terms[1]].map(String::as_str);
        let mut take = |term| {
            let taken = taken.entry(term).or_default();
            *taken += 1;
            *taken <= most
        };
        let (of_first, of_second) = (take(first), take(second));
        of_first || of_second
    });
}

fn network(sdg: &Sdg, nodes: &[&Node], edges: &[&Edge], words: &Words) -> Network {
    let drawn = match nodes.len() {
        all if all == sdg.terms.len() => String::new(),
        some => format!(", the {} of greatest weight drawn", count(some as u64)),
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
        network.connect(NetworkEdge { from, to, strength: edge.degree, label });
    }
    network
}

/// Returns the text that is shown when the pointer is over a node.
fn detail(node: &Node, words: &Words) -> String {
    let Node { indicators, counts, .. } = node;
    let pages = words.pages.replace("%n", &count(counts.relevant_pages));
    let mut lines = vec![
        format!("{} {}", words.weight, decimal(node.weight)),
        format!(
            "{} {}, {} {}, {} {}",
            words.relevance,
            brief(indicators.relevance),
            words.popularity,
            brief(indicators.popularity),
            words.importance,
            brief(indicators.importance)
        ),
        pages.replace("%m", &count(counts.other_pages)),
    ];
    if let Some(ambiguity) = node.ambiguity {
        let verdict = if node.ambiguous { words.ambiguous } else { words.not_ambiguous };
        lines.push(format!("{} {}: {verdict}", words.ambiguity, brief(ambiguity.value)));
    }
    if !node.disambiguated_by.is_empty() {
        lines.push(format!("{} {}", words.shown_by, node.disambiguated_by.join(", ")));
    }
    lines.join("\n")
}
