//! Pictures of contexts and ontologies.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use clap::ValueEnum;
use ontrail_cli::count;
use ontrail_diagram::{Diagram, Node, Shape};
use ontrail_fca::format::{self, Format as ContextFormat};
use ontrail_fca::{AttributeOrder, Context, Lattice, Listing, ListingError};
use ontrail_taxonomy::{ConceptId, Taxonomy};

use crate::shared::{Support, file_name, listed};

/// The part of a context to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum What {
    /// The whole lattice if it is small enough, otherwise the attributes or the iceberg
    #[default]
    Auto,
    /// The whole lattice
    Lattice,
    /// The concepts with the most objects (iceberg lattice)
    Iceberg,
    /// The attributes, ordered by implication
    Attributes,
}

/// The settings of a picture.
#[derive(Debug, Clone)]
pub struct Picture {
    /// The part of a context to draw.
    pub what: What,
    pub(crate) min_support: Option<Support>,
    /// Greatest number of nodes.
    pub max_nodes: usize,
    /// Language of the first label of a class.
    pub lang: String,
    /// Title; by default the name of the file.
    pub title: Option<String>,
    /// The word for objects that follows their number in the details of a concept.
    pub objects: &'static str,
}

/// The English word for the objects of a context.
pub(crate) const OBJECTS: &str = "objects";

/// A diagram, the name of what it shows, and a note for the user.
pub type Drawn = (Diagram, &'static str, Option<String>);

impl Picture {
    /// Creates the settings of a picture with at most `max_nodes` nodes, and labels in `lang`
    /// first.
    #[must_use]
    pub fn new(what: What, max_nodes: usize, lang: &str) -> Self {
        let objects = if lang == "zh" { "个对象" } else { OBJECTS };
        Self { what, min_support: None, max_nodes, lang: lang.to_owned(), title: None, objects }
    }

    /// Draws the context or ontology in a file. The extension tells which of the two it is.
    pub fn of(&self, path: &Path) -> Result<Drawn> {
        if ContextFormat::of(path).is_some() {
            return self.of_context(path, &format::read(path)?);
        }
        let document = ontrail_ontology::read(path)?;
        let (diagram, note) = self.of_ontology(path, &document.taxonomy()?)?;
        Ok((diagram, "hierarchy", note))
    }

    fn title(&self, path: &Path) -> String {
        self.title.clone().unwrap_or_else(|| file_name(path))
    }

    fn of_context(&self, path: &Path, context: &Context) -> Result<Drawn> {
        let most = self.max_nodes;
        let title = self.title(path);
        let support = self.min_support.map_or(0, |support| support.of(context.objects().len()));
        let refuse = |what: &str| {
            anyhow!(
                "{}: more than {most} {what}, which would not be readable\n  raise --max-nodes, or leave \
                 out small concepts with --min-support",
                path.display()
            )
        };
        match self.what {
            What::Attributes => {
                let order = AttributeOrder::of(context, 1.0);
                if order.nodes.len() > most {
                    return Err(refuse("attributes"));
                }
                Ok((of_order(&title, context, &order), "attribute order", None))
            }
            What::Lattice | What::Auto => match lattice(context, support, most) {
                Ok(lattice) => {
                    let drawn = if support > 0 { "iceberg" } else { "lattice" };
                    Ok((self.of_lattice(&title, context, &lattice, drawn), drawn, None))
                }
                Err(_) if self.what == What::Lattice => Err(refuse("concepts")),
                Err(_) => self.instead(path, &title, context),
            },
            What::Iceberg if support > 0 => {
                let lattice = lattice(context, support, most).map_err(|_| refuse("concepts"))?;
                Ok((self.of_lattice(&title, context, &lattice, "iceberg"), "iceberg", None))
            }
            What::Iceberg => {
                let (lattice, _) = iceberg(context, most)?;
                Ok((self.of_lattice(&title, context, &lattice, "iceberg"), "iceberg", None))
            }
        }
    }

    /// Draws the attributes or the iceberg of a context whose lattice is too large.
    fn instead(&self, path: &Path, title: &str, context: &Context) -> Result<Drawn> {
        let most = self.max_nodes;
        let order = AttributeOrder::of(context, 1.0);
        let path = path.display();
        if order.nodes.len() <= most {
            let note = format!(
                "{path}: more than {most} concepts, so only the order of the attributes is drawn"
            );
            return Ok((of_order(title, context, &order), "attribute order", Some(note)));
        }
        let (lattice, support) = iceberg(context, most)?;
        let note = format!(
            "{path}: more than {most} concepts, so only those with at least {} objects are drawn",
            count(u64::from(support))
        );
        Ok((self.of_lattice(title, context, &lattice, "iceberg"), "iceberg", Some(note)))
    }

    /// Draws a lattice, with each attribute above the greatest concept that has it, and each object
    /// below the least.
    fn of_lattice(
        &self,
        title: &str,
        context: &Context,
        lattice: &Lattice,
        drawn: &str,
    ) -> Diagram {
        let concepts = lattice.concepts();
        let mut above = vec![Vec::new(); lattice.len()];
        for (attribute, id) in lattice.attribute_concepts(context).into_iter().enumerate() {
            if let Some(id) = id {
                above[id.index()].push(context.attributes().get(attribute).into_owned());
            }
        }
        let mut below = vec![Vec::new(); lattice.len()];
        for (object, id) in lattice.object_concepts(context).into_iter().enumerate() {
            if let Some(id) = id {
                below[id.index()].push(context.objects().get(object).into_owned());
            }
        }
        let figures = format!("{drawn}, {} concepts", count(lattice.len() as u64));
        let mut diagram = Diagram::new(format!("{title} ({figures})"), Shape::Lattice);
        let mut nodes = Vec::with_capacity(lattice.len());
        for (id, (above, below)) in concepts.ids().zip(above.into_iter().zip(below)) {
            let detail = format!(
                "{} {}: {}",
                count(u64::from(concepts.support(id))),
                self.objects,
                listed(context.attributes(), &concepts.intent(id))
            );
            nodes.push(diagram.add(Node::new().above(above).below(below).detail(detail)));
        }
        for id in concepts.ids() {
            for &lower in lattice.lower_neighbours(id) {
                diagram.connect(nodes[id.index()], nodes[lower.index()]);
            }
        }
        diagram
    }

    /// Draws the hierarchy, or its upper levels if it is too large.
    fn of_ontology(&self, path: &Path, taxonomy: &Taxonomy) -> Result<(Diagram, Option<String>)> {
        let most = self.max_nodes;
        let within = |levels: usize| taxonomy.ids().filter(move |&id| taxonomy.depth(id) <= levels);
        let levels = (1..=taxonomy.levels()).rev().find(|&levels| within(levels).count() <= most);
        let Some(levels) = levels.or((taxonomy.is_empty()).then_some(0)) else {
            bail!(
                "{}: more than {most} classes on the first level, which would not be readable; raise \
                 --max-nodes",
                path.display()
            );
        };
        let note = (levels < taxonomy.levels()).then(|| {
            format!(
                "{}: more than {most} classes, so only the upper {levels} of {} levels are drawn",
                path.display(),
                taxonomy.levels()
            )
        });
        let drawn: Vec<ConceptId> = within(levels).collect();
        let name = format!(
            "{} ({} concepts, {} levels)",
            self.title(path),
            count(taxonomy.len() as u64),
            taxonomy.levels()
        );
        let mut diagram = Diagram::new(name, Shape::Tree);
        let mut nodes = BTreeMap::new();
        for &id in &drawn {
            let first = taxonomy.name(id, &self.lang);
            let labels = taxonomy.concept(id).labels.iter().filter(|label| label.is_preferred);
            let others = labels.map(|label| label.text.clone()).filter(|text| text != first);
            let synonyms: Vec<&str> = taxonomy
                .concept(id)
                .labels
                .iter()
                .filter(|label| !label.is_preferred)
                .map(|label| label.text.as_str())
                .collect();
            let definitions = taxonomy.concept(id).definitions.iter().map(|it| it.text.as_str());
            let detail: Vec<String> = std::iter::once(synonyms.join(", "))
                .chain(definitions.map(str::to_owned))
                .filter(|line| !line.is_empty())
                .collect();
            let drawn = Node::new().above([first]).below(others).detail(detail.join("\n"));
            nodes.insert(id, diagram.add(drawn));
        }
        // Parents are on higher levels, so they are drawn whenever a child is.
        for (id, node) in &nodes {
            taxonomy.parents(*id).iter().for_each(|it| diagram.connect(nodes[it], *node));
        }
        Ok((diagram, note))
    }
}

fn lattice(context: &Context, support: u32, most: usize) -> Result<Lattice, ListingError> {
    Listing::new().min_support(support).limit(most as u64).lattice(context)
}

/// Returns the largest iceberg with at most `most` concepts, and its least support.
fn iceberg(context: &Context, most: usize) -> Result<(Lattice, u32)> {
    let objects = u32::try_from(context.objects().len()).unwrap_or(u32::MAX);
    let (mut too_low, mut enough) = (0, objects);
    while enough - too_low > 1 {
        let middle = too_low + (enough - too_low) / 2;
        if Listing::new().min_support(middle).limit(most as u64).count(context).is_ok() {
            enough = middle;
        } else {
            too_low = middle;
        }
    }
    Ok((lattice(context, enough, most)?, enough))
}

/// Draws only the attributes, as a tree from left to right, below a node for all objects.
fn of_order(title: &str, context: &Context, order: &AttributeOrder) -> Diagram {
    let objects = context.objects().len();
    let name = format!("{title} (attribute order)");
    let mut diagram = Diagram::new(name, Shape::Tree);
    let mut nodes = Vec::new();
    for (attributes, extent) in order.nodes.iter().zip(&order.extents) {
        let labels = attributes.iter().map(|&it| context.attributes().get(it).into_owned());
        let figures = format!("{} of {}", count(extent.len() as u64), count(objects as u64));
        let node = Node::new().above(labels).below([figures.clone()]).detail(figures + " objects");
        nodes.push(diagram.add(node));
    }
    let everywhere = order.extents.iter().position(|extent| extent.len() == objects);
    let top = match everywhere {
        Some(place) => nodes[place],
        None => diagram.add(Node::new().below([format!("{} objects", count(objects as u64))])),
    };
    for (&node, parents) in nodes.iter().zip(&order.parents) {
        if parents.is_empty() && node != top {
            diagram.connect(top, node);
        }
        parents.iter().for_each(|&parent| diagram.connect(nodes[parent], node));
    }
    diagram
}
