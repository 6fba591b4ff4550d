//! IRIs of the vocabularies that Ontrail's ontologies use.

pub(crate) const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
pub(crate) const LABEL: &str = "http://www.w3.org/2000/01/rdf-schema#label";
pub(crate) const COMMENT: &str = "http://www.w3.org/2000/01/rdf-schema#comment";
pub(crate) const CLASS: &str = "http://www.w3.org/2002/07/owl#Class";
pub(crate) const THING: &str = "http://www.w3.org/2002/07/owl#Thing";
pub(crate) const NOTHING: &str = "http://www.w3.org/2002/07/owl#Nothing";
pub(crate) const STRING: &str = "http://www.w3.org/2001/XMLSchema#string";
pub(crate) const INTEGER: &str = "http://www.w3.org/2001/XMLSchema#integer";
pub(crate) const SOURCE: &str = "http://purl.org/dc/terms/source";

/// RDF lists.
pub(crate) mod rdf {
    pub(crate) const FIRST: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#first";
    pub(crate) const REST: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#rest";
    pub(crate) const NIL: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#nil";
}

/// Disjointness of classes and properties in OWL.
pub(crate) mod owl {
    pub(crate) const ALL_DISJOINT_CLASSES: &str =
        "http://www.w3.org/2002/07/owl#AllDisjointClasses";
    pub(crate) const ALL_DISJOINT_PROPERTIES: &str =
        "http://www.w3.org/2002/07/owl#AllDisjointProperties";
    pub(crate) const PROPERTY_DISJOINT_WITH: &str =
        "http://www.w3.org/2002/07/owl#propertyDisjointWith";
    pub(crate) const MEMBERS: &str = "http://www.w3.org/2002/07/owl#members";
}

/// SKOS: labels and definitions of classes, and SKOS vocabularies.
pub(crate) mod skos {
    pub(crate) const CONCEPT: &str = "http://www.w3.org/2004/02/skos/core#Concept";
    pub(crate) const PREF_LABEL: &str = "http://www.w3.org/2004/02/skos/core#prefLabel";
    pub(crate) const ALT_LABEL: &str = "http://www.w3.org/2004/02/skos/core#altLabel";
    pub(crate) const DEFINITION: &str = "http://www.w3.org/2004/02/skos/core#definition";
    pub(crate) const BROADER: &str = "http://www.w3.org/2004/02/skos/core#broader";
    pub(crate) const NARROWER: &str = "http://www.w3.org/2004/02/skos/core#narrower";
    pub(crate) const RELATED: &str = "http://www.w3.org/2004/02/skos/core#related";
}

/// Ontrail's own annotations: the number of documents that a class is based on, and their names.
pub(crate) mod evidence {
    pub(crate) const SUPPORT: &str = "http://ontrail.example/evidence#support";
    pub(crate) const DOCUMENT: &str = "http://ontrail.example/evidence#document";
}

/// The prefixes in written files.
pub(crate) const PREFIXES: [(&str, &str); 7] = [
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("owl", "http://www.w3.org/2002/07/owl#"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
    ("skos", "http://www.w3.org/2004/02/skos/core#"),
    ("dcterms", "http://purl.org/dc/terms/"),
    ("evidence", "http://ontrail.example/evidence#"),
];
