//! Converts an outline to an OWL ontology.

use std::collections::{BTreeMap, BTreeSet};

use horned_owl::model::{
    AnnotatedComponent, Annotation, AnnotationAssertion, AnnotationSubject, AnnotationValue,
    ArcStr, Build, ClassExpression, Component, DeclareAnnotationProperty, DeclareClass,
    DeclareObjectProperty, Literal, ObjectPropertyExpression, OntologyAnnotation, OntologyID,
    SubClassOf,
};

use crate::model::Ontology;
use crate::outline::{Outline, OutlineClass, OutlineError};
use crate::overrides::ByLanguage;
use crate::vocabulary::{COMMENT, INTEGER, LABEL, SOURCE, evidence, skos};

/// Number of documents that are listed as evidence of a class; the total number is stated too.
const MOST_DOCUMENTS: usize = 20;

impl Outline {
    /// Converts the outline to an ontology with this IRI. Each line of `provenance`, which
    /// describes how the ontology was made, becomes an annotation of the ontology.
    pub fn to_ontology(&self, iri: &str, provenance: &[String]) -> Result<Ontology, OutlineError> {
        let names = self.local_names()?;
        let mut writer = Writer::new(iri);
        writer.ontology(self, iri, provenance);
        for (class, name) in self.classes.iter().zip(&names) {
            writer.class(self, class, name);
            for &parent in &class.parents {
                writer.subclass(name, &names[parent]);
            }
        }
        for relation in &self.relations {
            let (from, to) = (&names[relation.from], &names[relation.to]);
            writer.relation(from, &local_name(&relation.id), &relation.labels, to);
        }
        Ok(Ontology { axioms: writer.axioms })
    }

    /// Returns the last part of the IRI of each class.
    fn local_names(&self) -> Result<Vec<String>, OutlineError> {
        let mut owners: BTreeMap<String, &str> = BTreeMap::new();
        let mut names = vec![String::new(); self.classes.len()];
        // Ids from the overrides take precedence; a term whose name is taken gets a number.
        let chosen = |class: &OutlineClass| class.id.is_some();
        let order = (0..names.len()).filter(|&it| chosen(&self.classes[it]));
        for number in order.chain((0..names.len()).filter(|&it| !chosen(&self.classes[it]))) {
            let class = &self.classes[number];
            let term = &class.terms[0];
            let name = local_name(class.id.as_deref().unwrap_or(term));
            let mut free = name.clone();
            for count in 2.. {
                let Some(first) = owners.get(&free) else { break };
                if chosen(class) {
                    let (first, second) = ((*first).to_owned(), term.clone());
                    return Err(OutlineError::SameId { first, second, id: name });
                }
                free = format!("{name}_{count}");
            }
            owners.insert(free.clone(), term);
            names[number] = free;
        }
        for relation in &self.relations {
            if let Some(class) = owners.get(&local_name(&relation.id)) {
                let (first, second) = ((*class).to_owned(), "a relation".to_owned());
                return Err(OutlineError::SameId { first, second, id: relation.id.clone() });
            }
        }
        Ok(names)
    }
}

/// Converts a term to the last part of an IRI: keeps letters and digits of any script, and replaces
/// everything else by `_`.
pub(crate) fn local_name(term: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = term.trim().chars().map(plain).collect();
    // XML does not allow names that begin with a digit or a hyphen.
    if name.starts_with(|c: char| c.is_numeric() || c == '-') { format!("_{name}") } else { name }
}

/// Guesses the language of a term by its script.
pub(crate) fn language_of(term: &str) -> &'static str {
    let is_han = |c: char| matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    if term.chars().any(is_han) { "zh" } else { "en" }
}

/// Returns the prefix of the IRIs of an ontology's own entities.
pub(crate) fn namespace(iri: &str) -> String {
    if iri.ends_with(['#', '/']) { iri.to_owned() } else { format!("{iri}#") }
}

/// Collects the axioms of an ontology.
pub(crate) struct Writer<'a> {
    build: Build<ArcStr>,
    base: &'a str,
    axioms: BTreeSet<AnnotatedComponent<ArcStr>>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(base: &'a str) -> Self {
        Self { build: Build::new(), base, axioms: BTreeSet::new() }
    }

    pub(crate) fn into_axioms(self) -> BTreeSet<AnnotatedComponent<ArcStr>> {
        self.axioms
    }

    fn add(&mut self, component: impl Into<Component<ArcStr>>) {
        self.axioms.insert(AnnotatedComponent::new(component.into(), BTreeSet::new()));
    }

    fn iri(&self, name: &str) -> String {
        format!("{}{name}", namespace(self.base))
    }

    fn annotation(&self, property: &str, literal: Literal<ArcStr>) -> Annotation<ArcStr> {
        let ap = self.build.annotation_property(property);
        Annotation { ap, av: AnnotationValue::Literal(literal), ann: BTreeSet::new() }
    }

    fn annotate(&mut self, subject: &str, property: &str, literal: Literal<ArcStr>) {
        let subject = AnnotationSubject::IRI(self.build.iri(subject));
        let ann = self.annotation(property, literal);
        self.add(AnnotationAssertion { subject, ann });
    }

    fn ontology(&mut self, outline: &Outline, iri: &str, provenance: &[String]) {
        self.add(OntologyID { iri: Some(self.build.iri(iri)), viri: None });
        let topic = &outline.classes[0];
        for (language, label) in labels(topic) {
            let label = self.annotation(LABEL, tagged(&label, &language));
            self.add(OntologyAnnotation(label));
        }
        for (number, line) in provenance.iter().enumerate() {
            let property = if number == 0 { COMMENT } else { SOURCE };
            let line = self.annotation(property, Literal::Simple { literal: line.clone() });
            self.add(OntologyAnnotation(line));
        }
        self.declare_annotations();
        let source = self.build.annotation_property(SOURCE);
        self.add(DeclareAnnotationProperty(source));
    }

    /// Declares the annotation properties of classes, and labels those that Ontrail defines.
    pub(crate) fn declare_annotations(&mut self) {
        let own = [
            (evidence::SUPPORT, "how many documents a class rests on", "支持文档数"),
            (evidence::DOCUMENT, "a document that a class rests on", "支持文档"),
        ];
        for (property, en, zh) in own {
            self.annotate(property, LABEL, tagged(en, "en"));
            self.annotate(property, LABEL, tagged(zh, "zh"));
        }
        for property in [evidence::SUPPORT, evidence::DOCUMENT, skos::ALT_LABEL, skos::DEFINITION] {
            let property = self.build.annotation_property(property);
            self.add(DeclareAnnotationProperty(property));
        }
    }

    fn class(&mut self, outline: &Outline, class: &OutlineClass, name: &str) {
        let iri = self.iri(name);
        self.add(DeclareClass(self.build.class(iri.as_str())));
        for (language, label) in labels(class) {
            self.annotate(&iri, LABEL, tagged(&label, &language));
        }
        for (language, synonym) in synonyms(class) {
            self.annotate(&iri, skos::ALT_LABEL, tagged(&synonym, &language));
        }
        for (language, definition) in &class.definitions {
            self.annotate(&iri, skos::DEFINITION, tagged(definition, language));
        }
        // The topic is based on all documents, so listing some of them would be pointless.
        let is_topic = std::ptr::eq(class, &raw const outline.classes[0]);
        let named = if is_topic { 0 } else { MOST_DOCUMENTS };
        let documents = class.documents.iter().take(named).map(|it| outline.documents[it].as_str());
        self.support(&iri, class.documents.len(), documents);
    }

    /// States the number of documents that a class is based on, and lists some of them.
    fn support<'d>(&mut self, iri: &str, count: usize, named: impl Iterator<Item = &'d str>) {
        let literal = count.to_string();
        let datatype_iri = self.build.iri(INTEGER);
        self.annotate(iri, evidence::SUPPORT, Literal::Datatype { literal, datatype_iri });
        for document in named {
            let literal = printable(document);
            self.annotate(iri, evidence::DOCUMENT, Literal::Simple { literal });
        }
    }

    /// States the documents that a class is based on.
    pub(crate) fn evidence(&mut self, iri: &str, documents: &[String]) {
        let named = documents.iter().take(MOST_DOCUMENTS).map(String::as_str);
        self.support(iri, documents.len(), named);
    }

    /// Adds a synonym to a class.
    pub(crate) fn synonym(&mut self, class: &str, name: &str, language: &str) {
        self.annotate(class, skos::ALT_LABEL, tagged(name, language));
    }

    /// Declares a subclass of another class, with a label.
    pub(crate) fn class_below(&mut self, parent: &str, name: &str, label: &str, language: &str) {
        let iri = self.iri(name);
        let class = self.build.class(iri.as_str());
        self.add(DeclareClass(class.clone()));
        self.annotate(&iri, LABEL, tagged(label, language));
        let sup = ClassExpression::Class(self.build.class(parent));
        self.add(SubClassOf { sup, sub: ClassExpression::Class(class) });
    }

    fn subclass(&mut self, sub: &str, sup: &str) {
        let class = |name: &str| ClassExpression::Class(self.build.class(self.iri(name)));
        let axiom = SubClassOf { sup: class(sup), sub: class(sub) };
        self.add(axiom);
    }

    fn relation(&mut self, from: &str, name: &str, labels: &ByLanguage<String>, to: &str) {
        let iri = self.iri(name);
        let property = self.build.object_property(iri.as_str());
        self.add(DeclareObjectProperty(property.clone()));
        for (language, label) in labels {
            self.annotate(&iri, LABEL, tagged(label, language));
        }
        let class = |name: &str| ClassExpression::Class(self.build.class(self.iri(name)));
        let some = ClassExpression::ObjectSomeValuesFrom {
            ope: ObjectPropertyExpression::ObjectProperty(property),
            bce: Box::new(class(to)),
        };
        let axiom = SubClassOf { sup: some, sub: class(from) };
        self.add(axiom);
    }
}

fn tagged(text: &str, language: &str) -> Literal<ArcStr> {
    Literal::Language { literal: printable(text), lang: language.to_lowercase() }
}

/// Removes control characters, which are not allowed in XML and not readable.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// Returns the labels of a class: those of the overrides, and its first term for the language of
/// that term if the overrides have none.
fn labels(class: &OutlineClass) -> ByLanguage<String> {
    let mut labels = class.labels.clone();
    let term = &class.terms[0];
    labels.entry(language_of(term).to_owned()).or_insert_with(|| term.clone());
    labels
}

/// Returns all names of a class that are not labels.
fn synonyms(class: &OutlineClass) -> BTreeSet<(String, String)> {
    let labels = labels(class);
    let of_terms = class.terms.iter().map(|term| (language_of(term).to_owned(), term.clone()));
    let given = class.synonyms.iter().flat_map(|(language, names)| {
        names.iter().map(move |name| (language.clone(), name.clone()))
    });
    of_terms.chain(given).filter(|(language, name)| labels.get(language) != Some(name)).collect()
}
