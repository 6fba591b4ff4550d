//! Turns documents into a formal context, and the context into an OWL ontology in Turtle.
//!
//!     cargo run -p ontrail-examples --example context_to_owl

use std::error::Error;
use std::path::Path;

use ontrail_domain::Selection;
use ontrail_intake::{Reading, read};
use ontrail_ontology::{Outline, OutlineSettings, Overrides, Syntax};
use ontrail_text::{Analyzer, Counts};

fn main() -> Result<(), Box<dyn Error>> {
    let read =
        read(Path::new("datasets/rainstorm-pages"), Reading::default(), &|_| Box::new(|| ()))?;

    // Count the terms, choose the best, and cross them with the documents.
    let analyzer = Analyzer::new();
    let mut counts = Counts::new(&analyzer);
    for document in &read.documents {
        counts.add(&document.id, &document.full_text().unwrap_or_default());
    }
    let chosen = Selection::new().top(30).choose(&counts)?;
    println!("{} documents × {} terms", counts.len(), chosen.context.attributes().len());

    // The order of the attribute concepts becomes the class hierarchy.
    let settings = OutlineSettings::new("暴雨灾害");
    let outline = Outline::of(&chosen.context, &settings, &Overrides::default())?;
    let ontology = outline.to_ontology("http://example.org/rainstorm", &[])?;
    println!("{} classes, {} axioms", ontology.class_count(), ontology.axiom_count());
    let turtle = String::from_utf8(ontology.to_bytes(Syntax::Turtle)?)?;
    turtle
        .lines()
        .filter(|line| line.contains("subClassOf"))
        .take(5)
        .for_each(|line| println!("{line}"));
    Ok(())
}
