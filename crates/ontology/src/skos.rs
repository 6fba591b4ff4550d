//! Reads SKOS vocabularies, which order concepts by `broader` and `narrower`.

use ontrail_fca::format::Place;
use ontrail_taxonomy::{Label, TaxonomyBuilder};
use oxrdf::{NamedOrBlankNode, Quad, Term};
use oxrdfio::{RdfParser, RdfSyntaxError};

use crate::syntax::Syntax;
use crate::vocabulary::{CLASS, LABEL, RDF_TYPE, skos};

/// The reason why RDF is malformed, and the place.
pub(crate) type Malformed = (String, Place);

/// Reads the concepts of a SKOS file. Returns `None` if the file has no SKOS concepts, or if it has
/// OWL classes.
pub(crate) fn read(bytes: &[u8], syntax: Syntax) -> Result<Option<TaxonomyBuilder>, Malformed> {
    let Some(format) = syntax.rdf_format() else { return Ok(None) };
    let mut builder = TaxonomyBuilder::new();
    let mut texts = Vec::new();
    for quad in RdfParser::from_format(format).for_slice(bytes) {
        let quad = quad.map_err(|error| explain(&error))?;
        match &quad.object {
            Term::NamedNode(object) if quad.predicate.as_str() == RDF_TYPE => match object.as_str()
            {
                skos::CONCEPT => drop(builder.concept(&key(&quad.subject))),
                CLASS => return Ok(None),
                _ => {}
            },
            Term::Literal(_) => texts.push(quad),
            _ => connect(&mut builder, &quad),
        }
    }
    if builder.is_empty() {
        return Ok(None);
    }
    texts.iter().for_each(|quad| name(&mut builder, quad));
    Ok(Some(builder))
}

/// Returns the key of a concept: its IRI, or the name of its blank node.
fn key(node: &NamedOrBlankNode) -> String {
    match node {
        NamedOrBlankNode::NamedNode(node) => node.as_str().to_owned(),
        NamedOrBlankNode::BlankNode(node) => node.to_string(),
    }
}

fn connect(builder: &mut TaxonomyBuilder, quad: &Quad) {
    let other = match &quad.object {
        Term::NamedNode(node) => node.as_str().to_owned(),
        Term::BlankNode(node) => node.to_string(),
        Term::Literal(_) => return,
    };
    let predicate = quad.predicate.as_str();
    if ![skos::BROADER, skos::NARROWER, skos::RELATED].contains(&predicate) {
        return;
    }
    let (one, other) = (builder.concept(&key(&quad.subject)), builder.concept(&other));
    match predicate {
        skos::BROADER => builder.is_a(one, other),
        skos::NARROWER => builder.is_a(other, one),
        _ => builder.relate(one, skos::RELATED, other),
    }
}

/// Adds the label or definition that a triple states to its concept.
fn name(builder: &mut TaxonomyBuilder, quad: &Quad) {
    let (Term::Literal(literal), Some(id)) = (&quad.object, builder.find(&key(&quad.subject)))
    else {
        return;
    };
    let (text, language) = (literal.value(), literal.language());
    match quad.predicate.as_str() {
        skos::PREF_LABEL | LABEL => builder.label(id, Label::preferred(text, language)),
        skos::ALT_LABEL => builder.label(id, Label::synonym(text, language)),
        skos::DEFINITION => builder.definition(id, Label::preferred(text, language)),
        _ => {}
    }
}

pub(crate) fn explain(error: &RdfSyntaxError) -> Malformed {
    let place = error.location().map_or(Place::default(), |span| Place {
        line: Some(span.start.line + 1),
        column: Some(span.start.column + 1),
    });
    (error.to_string(), place)
}
