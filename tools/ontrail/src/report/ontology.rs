//! The ontology as a tree that opens and closes, and the lattice that it came from as a line diagram.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use ontrail_cli::count;
use ontrail_diagram::escape;
use ontrail_taxonomy::Taxonomy;
use ontrail_tool_lattice::{Picture, What};
use ontrail_topic::Topic;

use super::facts;
use super::words::Lang;

/// How many concepts a line diagram shows; more is no picture any more.
const MOST_NODES: usize = 60;
/// How many levels of the tree are open at first.
const OPEN_LEVELS: usize = 2;
/// How many entries a tree lists, and how deep it goes; a page with more is of no use to anyone.
const MOST_ENTRIES: usize = 5_000;
const MOST_LEVELS: usize = 100;

pub(super) fn chapter(
    ontology: Option<&Path>,
    context: Option<&Path>,
    topic: Option<&Topic>,
    lang: Lang,
) -> Result<String> {
    let words = lang.words();
    let mut body = String::new();
    if let Some(path) = ontology {
        let taxonomy = taxonomy(path)?;
        body += &facts(&[
            (count(taxonomy.len() as u64), words.concepts),
            (count(taxonomy.levels() as u64), words.levels),
            (count(taxonomy.branches().len() as u64), words.branches),
        ]);
        body += &format!(
            "<h3>{}</h3>\n<div class=\"controls\"><input class=\"tree-search\" type=\"search\" placeholder=\"{search}\" \
             aria-label=\"{search}\"><span class=\"tree-found faint\" role=\"status\"></span>\
             <button class=\"open-all\" type=\"button\">{}</button><button class=\"close-all\" type=\"button\">{}</button>\
             </div>\n",
            words.hierarchy,
            words.open_all,
            words.close_all,
            search = words.search,
        );
        body += &Tree::new(&taxonomy, topic, lang).html();
    }
    if let Some(path) = context {
        let (diagram, _, note) = Picture::new(What::Iceberg, MOST_NODES, lang.tag()).of(path)?;
        let note = note.map(|note| format!(" {note}")).unwrap_or_default();
        body += &format!(
            "<h3>{}</h3>\n<p class=\"note\">{}{}</p>\n{}",
            words.line_diagram,
            words.line_diagram_note,
            escape(&note),
            diagram.viewer(lang.tag())
        );
    }
    Ok(body)
}

/// Reads an ontology for its hierarchy.
fn taxonomy(path: &Path) -> Result<Taxonomy> {
    let document = ontrail_ontology::read(path)?;
    document.taxonomy().with_context(|| format!("{}: has no hierarchy", path.display()))
}

/// The tree, while it is written.
struct Tree<'a> {
    taxonomy: &'a Taxonomy,
    lang: Lang,
    /// What terms of the topic weigh.
    weights: BTreeMap<&'a str, f64>,
    /// Concepts whose branch was written: one with several parents is written out once.
    written: BTreeSet<usize>,
    entries: usize,
    is_cut: bool,
    html: String,
}

impl<'a> Tree<'a> {
    fn new(taxonomy: &'a Taxonomy, topic: Option<&'a Topic>, lang: Lang) -> Self {
        let terms = topic.map(|topic| topic.terms.as_slice()).unwrap_or_default();
        let weights = terms.iter().map(|term| (term.term.as_str(), term.weight)).collect();
        let (written, html) = (BTreeSet::new(), String::new());
        Self { taxonomy, lang, weights, written, entries: 0, is_cut: false, html }
    }

    fn html(mut self) -> String {
        self.html += "<ul class=\"tree\">\n";
        self.list(self.taxonomy.roots(), 0);
        self.html += "</ul>\n";
        if self.is_cut {
            let number = count(self.entries as u64);
            let text = self.lang.words().tree_cut.replace("%n", &number);
            self.html += &format!("<p class=\"note\">{text}</p>\n");
        }
        self.html
    }

    /// Writes concepts and what is below them, as deep as people look.
    fn list(&mut self, concepts: Vec<usize>, level: usize) {
        for id in concepts {
            if self.entries >= MOST_ENTRIES || level >= MOST_LEVELS {
                self.is_cut = true;
                return;
            }
            self.entries += 1;
            let names = self.names(id);
            let children = self.taxonomy.children(id).to_vec();
            if children.is_empty() {
                self.html += &format!("<li><div class=\"leaf\">{names}</div></li>\n");
            } else if self.written.insert(id) {
                let open = if level < OPEN_LEVELS { " open" } else { "" };
                self.html += &format!("<li><details{open}><summary>{names}</summary>\n<ul>\n");
                self.list(children, level + 1);
                self.html += "</ul></details></li>\n";
            } else {
                let above = self.lang.words().see_above;
                self.html += &format!(
                    "<li><div class=\"leaf\">{names} <span class=\"other\">({above})</span></div></li>\n"
                );
            }
        }
    }

    /// The names of a concept, its weight in the topic, and what it means.
    fn names(&self, id: usize) -> String {
        let first = self.taxonomy.name(id, self.lang.tag());
        let concept = self.taxonomy.concept(id);
        let others: Vec<String> = concept
            .labels
            .iter()
            .map(|label| label.text.as_str())
            .filter(|text| *text != first)
            .map(escape)
            .collect();
        let others = match others.as_slice() {
            [] => String::new(),
            others => format!(" <span class=\"other\">{}</span>", others.join(" · ")),
        };
        let labels = concept.labels.iter().map(|label| label.text.as_str());
        let weight = std::iter::once(first)
            .chain(labels)
            .filter_map(|name| self.weights.get(name).copied())
            .fold(0.0, f64::max);
        let weight = if weight > 0.0 {
            let width = 3.0 * weight.min(1.0);
            format!("<i class=\"weight\" style=\"width:{width:.2}rem\" title=\"{weight:.4}\"></i>")
        } else {
            String::new()
        };
        let meaning: Vec<String> =
            concept.definitions.iter().map(|definition| escape(&definition.text)).collect();
        let title = if meaning.is_empty() {
            String::new()
        } else {
            format!(" title=\"{}\"", meaning.join("\n"))
        };
        format!("<span class=\"names\"{title}>{}{weight}{others}</span>", escape(first))
    }
}
