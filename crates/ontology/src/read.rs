//! Reads ontologies.
//!
//! The parsers of horned-owl are recursive, so they run on a thread with a large stack: a deeply
//! nested file must not abort the program. Nothing is ever fetched; imports are reported, but not
//! loaded.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use horned_owl::io::{ParserConfiguration, RDFParserConfiguration};
use horned_owl::model::{
    AnnotatedComponent, ArcAnnotatedComponent, ArcStr, Build, Component, Literal,
};
use horned_owl::ontology::set::SetOntology;
use horned_owl::visitor::mutable::{VisitMut, WalkMut};
use ontrail_fca::format::{Place, place_of};
use ontrail_taxonomy::{Taxonomy, TaxonomyBuilder};

use crate::error::OntologyError;
use crate::model::Ontology;
use crate::syntax::Syntax;
use crate::{disjoint, skos, taxonomy, vocabulary, xml};

/// Stack size of the parser's thread, in bytes.
const STACK: usize = 512 << 20;

/// Maximum depth of nested elements and brackets. No ontology written by people comes close to it,
/// and later code that walks through expressions must fit into an ordinary stack.
const DEEPEST: usize = 500;
const TOO_DEEP: &str = "expressions are nested more than 500 levels deep";

/// The content of an ontology file.
#[derive(Debug, Clone)]
pub struct Document {
    /// The file.
    pub path: PathBuf,
    /// The syntax of the file.
    pub syntax: Syntax,
    /// The axioms.
    pub ontology: Ontology,
    /// Triples that are not part of any OWL 2 axiom, as text.
    pub leftovers: Vec<String>,
    /// The concepts, if the file is a SKOS vocabulary.
    pub(crate) skos: Option<TaxonomyBuilder>,
}

/// Reads an ontology in any of the syntaxes.
pub fn read(path: &Path) -> Result<Document, OntologyError> {
    let bytes = std::fs::read(path)
        .map_err(|source| OntologyError::Io { path: path.to_owned(), source })?;
    // Files named .owl or .rdf may be in any syntax; the other extensions are reliable.
    let named = Syntax::of(path).filter(|&syntax| syntax != Syntax::RdfXml);
    read_from(&bytes, named, path)
}

/// Reads an ontology from bytes, in the given syntax or, if that is `None`, in the one that the
/// content or else the extension of `path` indicates. Errors name `path`.
pub fn read_from(
    bytes: &[u8],
    syntax: Option<Syntax>,
    path: &Path,
) -> Result<Document, OntologyError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(OntologyError::malformed(path, Place::default(), "the file is empty"));
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        let reason = "the file is in UTF-16; save it as UTF-8";
        return Err(OntologyError::malformed(path, Place::default(), reason));
    }
    let sniffed = || Syntax::sniff(bytes).or_else(|| Syntax::of(path));
    let syntax =
        syntax.or_else(sniffed).ok_or_else(|| OntologyError::Unknown { path: path.to_owned() })?;
    let mut plain = Cow::Borrowed(bytes);
    if matches!(syntax, Syntax::RdfXml | Syntax::OwlXml) {
        plain = xml::without_entities(bytes, DEEPEST).map_err(|(offset, reason)| {
            OntologyError::malformed(path, place_of(bytes, offset as u64), reason)
        })?;
    } else if let Some(offset) = too_deep(bytes) {
        return Err(OntologyError::malformed(path, place_of(bytes, offset as u64), TOO_DEEP));
    } else if let Err(error) = std::str::from_utf8(bytes) {
        let place = place_of(bytes, error.valid_up_to() as u64);
        return Err(OntologyError::malformed(path, place, "not UTF-8; save the file as UTF-8"));
    }
    let bytes = plain.as_ref();
    let malformed = |(reason, place)| OntologyError::malformed(path, place, reason);
    let skos = skos::read(bytes, syntax).map_err(malformed)?;
    let expanded = disjoint::expanded(bytes, syntax).map_err(malformed)?;
    let (bytes, syntax_read) = match &expanded {
        Some(expanded) => (expanded.triples.as_slice(), Syntax::NTriples),
        None => (bytes, syntax),
    };
    let parsed = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let spawned = thread.spawn_scoped(scope, || parse(bytes, syntax_read));
        match spawned.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(parsed)) => parsed,
            Ok(Err(_)) => Err(("the parser crashed on this file".to_owned(), Place::default())),
            Err(error) => {
                Err((format!("cannot start a thread for the parser: {error}"), Place::default()))
            }
        }
    });
    let (mut ontology, leftovers) = parsed.map_err(malformed)?;
    for classes in expanded.map(|expanded| expanded.classes).unwrap_or_default() {
        ontology.add_disjoint(&classes);
    }
    Ok(Document { path: path.to_owned(), syntax, ontology, leftovers, skos })
}

impl Document {
    /// Returns an error if the file has triples that are not part of any OWL 2 axiom, because these
    /// would be lost when the ontology is written again.
    pub fn check_whole(&self) -> Result<(), OntologyError> {
        match self.leftovers.first() {
            Some(triple) if !self.is_skos() => Err(OntologyError::NotWhole {
                path: self.path.clone(),
                count: self.leftovers.len(),
                triple: triple.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Returns true if the file is a SKOS vocabulary rather than an OWL ontology.
    #[must_use]
    pub fn is_skos(&self) -> bool {
        self.skos.is_some()
    }

    /// Returns the hierarchy of the classes or SKOS concepts. Fails if it has a cycle.
    pub fn taxonomy(&self) -> Result<Taxonomy, OntologyError> {
        let built = self.hierarchy().finish();
        built.map_err(|cycle| OntologyError::Cycle { path: self.path.clone(), cycle })
    }

    /// Returns the hierarchy of the classes or SKOS concepts, which may have cycles.
    pub(crate) fn hierarchy(&self) -> TaxonomyBuilder {
        self.skos.clone().unwrap_or_else(|| taxonomy::builder(&self.ontology))
    }
}

/// Returns the offset at which expressions are nested too deeply, in syntaxes other than XML.
/// Expressions are nested by brackets, and in Manchester syntax also by keywords, which need no
/// brackets. Brackets in texts, IRIs and comments do not count.
fn too_deep(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut words) = (0usize, 0usize);
    let mut offset = 0;
    while let Some(&byte) = bytes.get(offset) {
        let rest = &bytes[offset + 1..];
        match byte {
            b'"' => offset += text_length(rest),
            b'<' => offset += iri_length(rest),
            b'#' => offset += rest.iter().position(|&it| it == b'\n').unwrap_or(rest.len()),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' | b'\n' => words = 0,
            b' ' if [&b"some "[..], b"only ", b"not "]
                .iter()
                .any(|word| rest.starts_with(word)) =>
            {
                words += 1;
            }
            _ => {}
        }
        if depth.max(words) > DEEPEST {
            return Some(offset.min(bytes.len()));
        }
        offset += 1;
    }
    None
}

/// Returns the number of bytes up to and including the quote that ends a text.
fn text_length(rest: &[u8]) -> usize {
    let mut is_escaped = false;
    let end = rest.iter().position(|&byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(rest.len(), |end| end + 1)
}

/// Returns the number of bytes up to and including the bracket that ends an IRI, or 0 if the
/// opening bracket is a less-than sign.
fn iri_length(rest: &[u8]) -> usize {
    let end = rest.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'>');
    end.filter(|&end| rest[end] == b'>').map_or(0, |end| end + 1)
}

type Parsed = Result<(Ontology, Vec<String>), (String, Place)>;

fn parse(mut bytes: &[u8], syntax: Syntax) -> Parsed {
    let build = Build::<ArcStr>::new();
    let config = ParserConfiguration::new(&build);
    let whole = bytes;
    let failed = |error: &horned_owl::error::HornedError| explain(error, whole);
    let plain =
        |set: SetOntology<ArcStr>| whole_or_too_deep(set).map(|ontology| (ontology, Vec::new()));
    match syntax {
        Syntax::OwlXml => {
            let read = horned_owl::io::owx::reader::read(&mut bytes, config);
            read.map_err(|error| failed(&error)).and_then(|(set, _)| plain(set))
        }
        Syntax::Functional => {
            let read = horned_owl::io::ofn::reader::read(&mut bytes, config);
            read.map_err(|error| failed(&error)).and_then(|(set, _)| plain(set))
        }
        Syntax::Manchester => {
            let read = horned_owl::io::omn::reader::read(&mut bytes, config);
            read.map_err(|error| failed(&error)).and_then(|(set, _)| plain(set))
        }
        Syntax::RdfXml | Syntax::Turtle | Syntax::NTriples | Syntax::JsonLd => {
            let mut config = RDFParserConfiguration::from(config);
            config.format = syntax.rdf_format();
            let read = horned_owl::io::rdf::reader::read::<ArcStr, ArcAnnotatedComponent, _, _>(
                &mut bytes, config,
            );
            let (ontology, rest) = read.map_err(|error| failed(&error))?;
            let leftovers = leftovers(&rest);
            Ok((whole_or_too_deep(ontology.into())?, leftovers))
        }
    }
}

/// Returns the axioms, or an error if an expression is nested too deeply. Runs on the thread with
/// the large stack, because dropping deeply nested expressions is recursive too.
fn whole_or_too_deep(set: SetOntology<ArcStr>) -> Result<Ontology, (String, Place)> {
    let ontology = normalised(set);
    if ontology.is_too_deep(DEEPEST) {
        return Err((TOO_DEEP.to_owned(), Place::default()));
    }
    Ok(ontology)
}

/// Returns the message of a parser error, and its place.
fn explain(error: &horned_owl::error::HornedError, bytes: &[u8]) -> (String, Place) {
    use horned_owl::error::{HornedError, Location};
    let place = |location: &Location| match location {
        Location::BytePosition(offset) => place_of(bytes, *offset),
        Location::ByteSpan(span) => place_of(bytes, span.start),
        Location::Unknown => Place::default(),
    };
    match error {
        HornedError::ParserError(cause, location) => (cause.to_string(), place(location)),
        HornedError::ValidityError(reason, location) => (reason.clone(), place(location)),
        other => (other.to_string(), Place::default()),
    }
}

/// Returns the axioms in the form in which they are compared: without the IRI of the document that
/// they were loaded from, with lower-case language tags, and with one form for plain strings, which
/// some syntaxes write with their datatype and others without.
fn normalised(set: SetOntology<ArcStr>) -> Ontology {
    struct PlainStrings;
    impl VisitMut<ArcStr> for PlainStrings {
        fn visit_literal(&mut self, literal: &mut Literal<ArcStr>) {
            if let Literal::Datatype { literal: text, datatype_iri } = literal
                && **datatype_iri == *vocabulary::STRING
            {
                *literal = Literal::Simple { literal: std::mem::take(text) };
            }
            if let Literal::Language { lang, .. } = literal {
                lang.make_ascii_lowercase();
            }
        }
    }
    let mut walk = WalkMut::new(PlainStrings);
    let keep =
        |axiom: &AnnotatedComponent<ArcStr>| !matches!(axiom.component, Component::DocIRI(_));
    let mut axioms: Vec<_> = set.into_iter().filter(keep).collect();
    axioms.iter_mut().for_each(|axiom| walk.annotated_component(axiom));
    axioms.into_iter().collect()
}

/// Returns the triples that became no axiom, as sorted text.
fn leftovers(rest: &horned_owl::io::rdf::reader::IncompleteParse<ArcStr>) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let triple = |triple: &[horned_owl::io::rdf::reader::Term<ArcStr>; 3]| {
        triple.iter().map(term_text).collect::<Vec<_>>().join(" ")
    };
    texts.extend(rest.simple.iter().map(|it| triple(it.triple())));
    texts.extend(rest.bnode.iter().flat_map(|it| it.vec_triple().iter().map(triple)));
    let list = |it: &Vec<_>| it.iter().map(term_text).collect::<Vec<_>>().join(" ");
    texts.extend(rest.bnode_seq.iter().map(list));
    texts.extend(rest.class_expression.iter().map(|it| format!("{it:?}")));
    texts.extend(rest.object_property_expression.iter().map(|it| format!("{it:?}")));
    texts.extend(rest.data_range.iter().map(|it| format!("{it:?}")));
    let mut annotated: Vec<String> = Vec::new();
    #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
    for annotation in rest.ann_map.keys() {
        annotated.push(triple(annotation));
    }
    #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
    for atom in rest.atom.values() {
        annotated.push(format!("{atom:?}"));
    }
    texts.extend(annotated);
    texts.sort();
    texts
}

fn term_text(term: &horned_owl::io::rdf::reader::Term<ArcStr>) -> String {
    use horned_owl::io::rdf::reader::Term;
    match term {
        Term::Iri(iri) => format!("<{iri}>"),
        Term::Literal(literal) => format!("{:?}", literal.literal()),
        // The names of blank nodes are arbitrary and differ between two runs.
        Term::BNode(_) => "[]".to_owned(),
        Term::OWL(word) => format!("<{}>", word.as_ref()),
        Term::RDF(word) => format!("<{}>", word.as_ref()),
        Term::RDFS(word) => format!("<{}>", word.as_ref()),
        Term::SWRL(word) => format!("<{}>", word.as_ref()),
        Term::FacetTerm(word) => format!("<{}>", word.as_ref()),
    }
}
