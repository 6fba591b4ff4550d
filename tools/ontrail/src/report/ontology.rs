//! The ontology as a tree that unfolds, and its concept lattice as a line diagram.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use ontrail_cli::count;
use ontrail_report::{Branch, Part, Tree, TreeWords, Viewer};
use ontrail_taxonomy::{ConceptId, Taxonomy};
use ontrail_tool_lattice::{Picture, What};
use ontrail_topic::Topic;

use super::facts;
use super::words::Lang;

/// Greatest number of concepts in a line diagram; with more it would not be readable.
const MOST_NODES: usize = 60;
/// Number of levels of the tree that are open at first.
const OPEN_LEVELS: usize = 2;
/// Greatest number of entries in a tree; more would not be readable.
const MOST_ENTRIES: usize = 5_000;
/// Greatest number of levels in a tree.
const MOST_LEVELS: usize = 100;

pub(super) fn chapter(
    ontology: Option<&Path>,
    context: Option<&Path>,
    topic: Option<&Topic>,
    lang: Lang,
) -> Result<Vec<Part>> {
    let words = lang.words();
    let mut parts = Vec::new();
    if let Some(path) = ontology {
        let taxonomy = taxonomy(path)?;
        parts.extend([
            facts([
                (count(taxonomy.len() as u64), words.concepts),
                (count(taxonomy.levels() as u64), words.levels),
                (count(taxonomy.branches().len() as u64), words.branches),
            ]),
            Part::Subheading(words.hierarchy.to_owned()),
            Part::Tree(TreeBuilder::new(&taxonomy, topic, lang).tree()),
        ]);
    }
    if let Some(path) = context {
        let (diagram, _, note) = Picture::new(What::Iceberg, MOST_NODES, lang.tag()).of(path)?;
        let note = note.map(|note| format!(" {note}")).unwrap_or_default();
        parts.extend([
            Part::Subheading(words.line_diagram.to_owned()),
            Part::Note(format!("{}{note}", words.line_diagram_note)),
            Part::Viewer(Viewer::new(&diagram, lang.tag())),
        ]);
    }
    Ok(parts)
}

/// Reads the hierarchy of an ontology.
fn taxonomy(path: &Path) -> Result<Taxonomy> {
    let document = ontrail_ontology::read(path)?;
    document.taxonomy().with_context(|| format!("{}: cannot read the hierarchy", path.display()))
}

/// Builds the tree.
struct TreeBuilder<'a> {
    taxonomy: &'a Taxonomy,
    lang: Lang,
    /// Weights of the terms of the topic.
    weights: BTreeMap<&'a str, f64>,
    /// Concepts whose branch was written. A concept with several parents has one branch only.
    written: BTreeSet<ConceptId>,
    entries: usize,
    is_cut: bool,
}

impl<'a> TreeBuilder<'a> {
    fn new(taxonomy: &'a Taxonomy, topic: Option<&'a Topic>, lang: Lang) -> Self {
        let terms = topic.map(|topic| topic.terms.as_slice()).unwrap_or_default();
        let weights = terms.iter().map(|term| (term.term.as_str(), term.weight)).collect();
        Self { taxonomy, lang, weights, written: BTreeSet::new(), entries: 0, is_cut: false }
    }

    fn tree(mut self) -> Tree {
        let roots = self.branches(&self.taxonomy.roots(), 0);
        let words = self.lang.words();
        let cut = || words.tree_cut.replace("%n", &count(self.entries as u64));
        let words = TreeWords {
            search: words.search.to_owned(),
            open_all: words.open_all.to_owned(),
            close_all: words.close_all.to_owned(),
            see_above: words.see_above.to_owned(),
            note: self.is_cut.then(cut),
        };
        Tree { roots, words }
    }

    /// Returns the branches of some concepts, down to the greatest level.
    fn branches(&mut self, concepts: &[ConceptId], level: usize) -> Vec<Branch> {
        let mut branches = Vec::new();
        for &id in concepts {
            if self.entries >= MOST_ENTRIES || level >= MOST_LEVELS {
                self.is_cut = true;
                break;
            }
            self.entries += 1;
            let mut branch = self.branch(id);
            let taxonomy = self.taxonomy;
            let children = taxonomy.children(id);
            if !children.is_empty() && self.written.insert(id) {
                branch.is_open = level < OPEN_LEVELS;
                branch.below = self.branches(children, level + 1);
            } else {
                branch.is_above = !children.is_empty();
            }
            branches.push(branch);
        }
        branches
    }

    /// Returns an entry: the names of a concept, its weight in the topic, and its definitions.
    fn branch(&self, id: ConceptId) -> Branch {
        let name = self.taxonomy.name(id, self.lang.tag());
        let concept = self.taxonomy.concept(id);
        let labels = || concept.labels.iter().map(|label| label.text.as_str());
        let weights = std::iter::once(name).chain(labels());
        let weights = weights.filter_map(|name| self.weights.get(name).copied());
        let meanings: Vec<&str> =
            concept.definitions.iter().map(|definition| definition.text.as_str()).collect();
        Branch {
            name: name.to_owned(),
            others: labels().filter(|text| *text != name).map(str::to_owned).collect(),
            weight: weights.fold(0.0, f64::max),
            meaning: meanings.join("\n"),
            ..Branch::default()
        }
    }
}
