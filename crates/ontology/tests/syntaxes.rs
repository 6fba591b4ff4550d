//! Tests that no syntax loses an axiom, and that errors and problems of files are reported.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::path::Path;

use ontrail_fca::{Context, ContextBuilder, Names};
use ontrail_ontology::{
    Document, Ontology, Outline, OutlineSettings, Overrides, Syntax, diff, read_from,
};

/// Pages about rain and the terms on them.
fn context() -> Context {
    let rows: [&[u32]; 6] = [&[0, 1, 2], &[0, 1, 3], &[0, 1], &[0, 4], &[0, 4, 5], &[0, 4, 5, 3]];
    let mut builder = ContextBuilder::new();
    rows.iter().for_each(|row| builder.row(row));
    let terms = ["暴雨灾害", "洪涝", "山洪", "水位 & <雨量>", "预警", "red warning"];
    let documents = (1..=6).map(|number| format!("pages/{number:03}.html")).collect();
    builder
        .finish(Names::Given(documents), Names::Given(terms.map(str::to_owned).to_vec()))
        .unwrap()
}

const OVERRIDES: &str = r#"
[[class]]
term = "洪涝"
id = "Flood"
label = { zh = "洪涝", en = "flood" }
synonyms = { en = ["inundation", "\"high\" water"] }
definition = { en = "Water where it does harm.", zh = "造成危害的积水。" }

[[class]]
term = "决口"
parent = "洪涝"

[[relation]]
from = "山洪"
to = "预警"
id = "isAnnouncedBy"
label = { en = "is announced by", zh = "由…发布" }
"#;

fn ontology() -> Ontology {
    let overrides: Overrides = OVERRIDES.parse().unwrap();
    let settings = OutlineSettings::new("暴雨灾害").confidence(1.0);
    let outline = Outline::of(&context(), &settings, &overrides).unwrap();
    let provenance = ["made by a test".to_owned(), "pages.cxt sha256:00".to_owned()];
    outline.to_ontology("http://example.org/rain", &provenance).unwrap()
}

fn parse(text: &str, syntax: Syntax) -> Result<Document, String> {
    read_from(text.as_bytes(), Some(syntax), Path::new("file")).map_err(|error| error.to_string())
}

#[test]
fn an_ontology_is_the_same_in_every_syntax() {
    let ontology = ontology();
    assert_eq!(ontology.class_count(), 7);
    for syntax in Syntax::ALL {
        let bytes = ontology.to_bytes(syntax).unwrap();
        assert_eq!(
            bytes,
            self::ontology().to_bytes(syntax).unwrap(),
            "{syntax:?}: the bytes differ between two runs"
        );
        let read = read_from(&bytes, Some(syntax), Path::new("file")).unwrap();
        assert!(read.leftovers.is_empty(), "{syntax:?}: {:?}", read.leftovers);
        let difference = diff(&ontology, &read.ontology);
        assert!(difference.is_empty(), "{syntax:?}: {difference:#?}");
        assert_eq!(read.ontology.axiom_count(), ontology.axiom_count());
        // The syntax is also recognised from the content.
        let sniffed = read_from(&bytes, None, Path::new("file.owl")).unwrap();
        assert!(diff(&ontology, &sniffed.ontology).is_empty(), "{syntax:?}");
    }
}

#[test]
fn a_written_ontology_is_read_back_as_a_taxonomy() {
    let bytes = ontology().to_bytes(Syntax::RdfXml).unwrap();
    let document = read_from(&bytes, None, Path::new("rain.owl")).unwrap();
    let taxonomy = document.taxonomy().unwrap();
    assert_eq!((taxonomy.len(), taxonomy.levels()), (7, 3));
    let flood = taxonomy.find("http://example.org/rain#Flood").unwrap();
    assert_eq!((taxonomy.name(flood, "zh"), taxonomy.name(flood, "en")), ("洪涝", "flood"));
    let root = taxonomy.find("http://example.org/rain#暴雨灾害").unwrap();
    assert_eq!(taxonomy.parents(flood), [root]);
    let synonyms: Vec<&str> = taxonomy
        .concept(flood)
        .labels
        .iter()
        .filter(|it| !it.is_preferred)
        .map(|it| it.text.as_str())
        .collect();
    assert_eq!(synonyms, ["\"high\" water", "inundation"]);
    assert_eq!(taxonomy.concept(flood).definitions.len(), 2);
    let [relation] = taxonomy.relations() else { panic!("one relation") };
    assert_eq!(relation.property, "http://example.org/rain#isAnnouncedBy");
    assert_eq!(taxonomy.name(relation.from, "zh"), "山洪");
    let report = document.check();
    assert_eq!((report.classes, report.levels, report.branches), (7, 3, 3));
    assert_eq!(report.problems, []);
    assert_eq!(report.profiles, ["EL", "QL"]);
}

/// Axioms of many kinds, as an editor would save them.
const FOREIGN: &str = r#"Prefix(:=<http://example.org/animals#>)
Prefix(owl:=<http://www.w3.org/2002/07/owl#>)
Prefix(rdfs:=<http://www.w3.org/2000/01/rdf-schema#>)
Prefix(xsd:=<http://www.w3.org/2001/XMLSchema#>)
Ontology(<http://example.org/animals> <http://example.org/animals/1.0>
Annotation(rdfs:comment "about animals"@en)
Declaration(Class(:Animal))
Declaration(Class(:Cat))
Declaration(Class(:Dog))
Declaration(Class(:Pet))
Declaration(Class(:Feline))
Declaration(Class(:Hound))
Declaration(ObjectProperty(:owns))
Declaration(ObjectProperty(:isOwnedBy))
Declaration(DataProperty(:age))
Declaration(NamedIndividual(:tom))
Declaration(NamedIndividual(:rex))
SubClassOf(Annotation(rdfs:comment "told") :Cat :Animal)
SubClassOf(:Dog ObjectIntersectionOf(:Animal ObjectSomeValuesFrom(:isOwnedBy owl:Thing)))
SubClassOf(:Pet ObjectMinCardinality(1 :isOwnedBy :Animal))
EquivalentClasses(:Cat :Feline)
EquivalentClasses(:Hound :Dog ObjectUnionOf(:Dog :Hound))
DisjointClasses(:Cat :Dog :Pet)
InverseObjectProperties(:owns :isOwnedBy)
ObjectPropertyDomain(:owns :Animal)
DataPropertyRange(:age xsd:integer)
FunctionalDataProperty(:age)
ClassAssertion(:Cat :tom)
ObjectPropertyAssertion(:owns :rex :tom)
DataPropertyAssertion(:age :tom "7"^^xsd:integer)
DifferentIndividuals(:tom :rex)
AnnotationAssertion(rdfs:label :Cat "cat"@en)
AnnotationAssertion(rdfs:label :Cat "plain")
)"#;

#[test]
fn axioms_of_many_kinds_survive_every_syntax() {
    let document = parse(FOREIGN, Syntax::Functional).unwrap();
    for syntax in Syntax::ALL {
        let bytes = document.ontology.to_bytes(syntax).unwrap_or_else(|error| panic!("{error}"));
        let read = read_from(&bytes, Some(syntax), Path::new("file")).unwrap();
        let difference = diff(&document.ontology, &read.ontology);
        assert!(difference.is_empty(), "{syntax:?}: {difference:#?}");
        assert!(difference.shared > 25);
    }
}

#[test]
fn a_foreign_ontology_is_checked() {
    let report = parse(FOREIGN, Syntax::Functional).unwrap().check();
    // Cat and Feline are one concept, and so are Dog and Hound, but there are still six classes.
    assert_eq!((report.classes, report.levels), (6, 2));
    assert_eq!(report.profiles, Vec::<&str>::new());
    let kinds: Vec<&str> = report.problems.iter().map(|problem| problem.kind).collect();
    assert_eq!(kinds.iter().filter(|&&kind| kind == "no label").count(), 3);
    assert!(kinds.contains(&"orphan"), "Pet is not connected to another class: {kinds:?}");
}

#[test]
fn check_finds_the_problems_of_an_ontology() {
    let text = r#"Prefix(:=<urn:x#>)
Prefix(owl:=<http://www.w3.org/2002/07/owl#>)
Prefix(rdfs:=<http://www.w3.org/2000/01/rdf-schema#>)
Ontology(<urn:x>
Import(<http://example.org/not-here>)
Declaration(Class(:A))
Declaration(Class(:B))
Declaration(Class(:C))
AnnotationAssertion(rdfs:label :A "same"@en)
AnnotationAssertion(rdfs:label :B "Same"@en)
AnnotationAssertion(rdfs:label :C "c"@en)
SubClassOf(:C :A)
SubClassOf(:C :B)
SubClassOf(:D :C)
DisjointClasses(:A :B)
)"#;
    let report = parse(text, Syntax::Functional).unwrap().check();
    let found: Vec<(&str, &str)> =
        report.problems.iter().map(|problem| (problem.kind, problem.subject.as_str())).collect();
    assert_eq!(
        found,
        [
            ("duplicate label", "same"),
            ("import", "http://example.org/not-here"),
            ("no label", "urn:x#D"),
            ("several roots", "urn:x#A"),
            ("several roots", "urn:x#B"),
            ("undeclared", "urn:x#D"),
            ("unsatisfiable", "urn:x#C"),
            ("unsatisfiable", "urn:x#D"),
        ]
    );
    let cyclic = text.replace("SubClassOf(:D :C)", "SubClassOf(:A :C)");
    let document = parse(&cyclic, Syntax::Functional).unwrap();
    let report = document.check();
    let kinds: Vec<&str> = report.problems.iter().map(|problem| problem.kind).collect();
    assert_eq!(kinds, ["cycle", "duplicate label", "import", "unsatisfiable"]);
    assert_eq!(report.problems[0].subject, "urn:x#A → urn:x#C → urn:x#A");
    assert!(document.taxonomy().unwrap_err().to_string().contains("a cycle in the hierarchy"));
}

#[test]
fn skos_vocabularies_are_read() {
    let turtle = r#"@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <urn:words#> .
:rain a skos:Concept ; skos:prefLabel "rain"@en , "雨"@zh ; skos:narrower :storm .
:storm a skos:Concept ; skos:prefLabel "storm"@en ; skos:altLabel "tempest"@en ; skos:related :wind .
:wind a skos:Concept ; skos:broader :weather ; skos:definition "moving air"@en .
:rain skos:broader :weather .
:weather a skos:Concept ; skos:prefLabel "weather"@en .
"#;
    for syntax in [Syntax::Turtle, Syntax::RdfXml] {
        let text = if syntax == Syntax::Turtle { turtle.to_owned() } else { as_rdf_xml() };
        let document = parse(&text, syntax).unwrap();
        assert!(document.is_skos());
        let taxonomy = document.taxonomy().unwrap();
        assert_eq!((taxonomy.len(), taxonomy.levels()), (4, 3));
        let rain = taxonomy.find("urn:words#rain").unwrap();
        assert_eq!(taxonomy.name(rain, "zh"), "雨");
        let report = document.check();
        assert_eq!((report.classes, report.levels, report.branches), (4, 3, 2));
    }
}

fn as_rdf_xml() -> String {
    r#"<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">
  <skos:Concept rdf:about="urn:words#rain">
    <skos:prefLabel xml:lang="zh">雨</skos:prefLabel>
    <skos:broader rdf:resource="urn:words#weather"/>
  </skos:Concept>
  <skos:Concept rdf:about="urn:words#storm"><skos:broader rdf:resource="urn:words#rain"/></skos:Concept>
  <skos:Concept rdf:about="urn:words#wind"><skos:broader rdf:resource="urn:words#weather"/></skos:Concept>
</rdf:RDF>
"#
    .to_owned()
}

#[test]
fn malformed_files_are_refused_with_the_place() {
    let cases = [
        (Syntax::RdfXml, "<rdf:RDF>\n<a></b>", "file: line 2, column 4: malformed XML"),
        (
            Syntax::OwlXml,
            "<Ontology>\n",
            "file: line 2, column 1: malformed XML: the file ends within an element",
        ),
        (Syntax::Turtle, "@prefix : <urn:x#> .\n:a :b ;;; :c\n", "file: line "),
        (Syntax::NTriples, "<urn:a> <urn:b> .\n", "file: line 1, column "),
        (Syntax::Functional, "Ontology(\nNonsense(1)\n)", "file: line 2, column 1: "),
        (Syntax::Manchester, "Ontology: <urn:x>\nClass: {\n", "file: line "),
        (Syntax::JsonLd, "{\"@id\": ", "file: "),
    ];
    for (syntax, text, expected) in cases {
        let error = parse(text, syntax).err().unwrap_or_else(|| panic!("{syntax:?} was read"));
        assert!(
            error.starts_with(expected),
            "{syntax:?}: {error:?} should start with {expected:?}"
        );
    }
    let error = parse("Ontology(<urn:x>\u{0}", Syntax::Functional).unwrap_err();
    assert!(error.starts_with("file: line 1"), "{error}");
    let unknown = read_from(b"hello", None, Path::new("file.doc")).unwrap_err().to_string();
    assert!(unknown.starts_with("file.doc: not an ontology"), "{unknown}");
}

/// Nesting by brackets, keywords, tags and triples that would overflow a stack is refused.
#[test]
fn deep_nesting_is_refused_and_does_not_abort_the_program() {
    let depth = 20_000;
    let functional = format!(
        "Prefix(:=<urn:x#>)\nOntology(<urn:x>\nSubClassOf(:A {}:B{})\n)",
        "ObjectComplementOf(".repeat(depth),
        ")".repeat(depth)
    );
    let xml = format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
    let owl = "http://www.w3.org/2002/07/owl#";
    let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
    let mut triples = format!("<urn:A> <{rdf}type> <{owl}Class> .\n");
    triples += "<urn:A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> _:b0 .\n";
    for number in 0..2000 {
        triples += &format!("_:b{number} <{rdf}type> <{owl}Class> .\n");
        triples += &format!("_:b{number} <{owl}complementOf> _:b{} .\n", number + 1);
    }
    triples +=
        &format!("_:b2000 <{rdf}type> <{owl}Class> .\n_:b2000 <{owl}complementOf> <urn:A> .\n");
    let hidden = functional.replace("Ontology(<", "# a \"quote\nOntology(<");
    let words = format!(
        "Prefix: : <urn:x#>\nOntology: <urn:x>\nClass: :A\n    SubClassOf: {}:B\n",
        ":p some ".repeat(depth)
    );
    let cases = [
        (Syntax::Functional, functional),
        (Syntax::Functional, hidden),
        (Syntax::Manchester, words),
        (Syntax::RdfXml, xml),
        (Syntax::NTriples, triples),
    ];
    for (syntax, text) in cases {
        let error = parse(&text, syntax).err().unwrap_or_else(|| panic!("{syntax:?} was read"));
        assert!(error.contains("nested more than 500 levels deep"), "{syntax:?}: {error}");
    }
}

/// Files with a few bytes changed, removed or inserted never crash the reader.
#[test]
fn damaged_files_are_read_or_refused() {
    let mut state = 7u64;
    let mut random = move |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    for syntax in Syntax::ALL {
        let whole = ontology().to_bytes(syntax).unwrap();
        for _ in 0..60 {
            let mut bytes = whole.clone();
            for _ in 0..=random(3) {
                let at = random(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
                if bytes.is_empty() {
                    break;
                }
                match random(4) {
                    0 => bytes[at] = b"<>()[]{}\"':;,.#@\\ \n"[random(19)],
                    1 => drop(bytes.drain(at..(at + random(40)).min(bytes.len()))),
                    2 => bytes.insert(at, b"<>()\"\\"[random(6)]),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            match read_from(&bytes, Some(syntax), Path::new("file")) {
                Ok(document) => drop(document.check()),
                Err(error) => assert!(error.to_string().starts_with("file: "), "{error}"),
            }
        }
    }
}

/// Protégé writes pairwise disjoint classes as such a list.
#[test]
fn lists_of_disjoint_classes_are_read_as_pairs() {
    let turtle = r"@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix : <urn:x#> .
<urn:x> a owl:Ontology .
:A a owl:Class . :B a owl:Class . :C a owl:Class . :D a owl:Class .
:D rdfs:subClassOf :A , :C .
[] a owl:AllDisjointClasses ; owl:members ( :A :B :C ) .
";
    let document = parse(turtle, Syntax::Turtle).unwrap();
    assert_eq!(document.leftovers, Vec::<String>::new());
    let functional = parse(
        "Prefix(:=<urn:x#>)\nOntology(<urn:x>\nDeclaration(Class(:A)) Declaration(Class(:B))\n\
         Declaration(Class(:C)) Declaration(Class(:D)) SubClassOf(:D :A) SubClassOf(:D :C)\n\
         DisjointClasses(:A :B :C))",
        Syntax::Functional,
    )
    .unwrap();
    assert!(diff(&document.ontology, &functional.ontology).is_empty());
    let problems = document.check().problems;
    let unsatisfiable = problems.iter().find(|it| it.kind == "unsatisfiable").unwrap();
    assert_eq!(unsatisfiable.subject, "urn:x#D");
    // A list without an end is left among the leftover triples.
    let broken = turtle.replace("( :A :B :C )", "_:x").replace("[] a", "_:x a");
    assert!(!parse(&broken, Syntax::Turtle).unwrap().leftovers.is_empty());
}

#[test]
fn leftover_triples_are_the_same_in_every_run() {
    let turtle = "@prefix : <urn:x#> .\n:a :b [ :c :d ] .\n:a :e :f .\n";
    let read = || parse(turtle, Syntax::Turtle).unwrap();
    let leftovers = read().leftovers;
    assert_eq!(leftovers, read().leftovers);
    assert!(leftovers.contains(&"<urn:x#a> <urn:x#e> <urn:x#f>".to_owned()), "{leftovers:?}");
    let error = read().check_whole().unwrap_err().to_string();
    assert!(error.contains("are not part of an OWL 2 axiom and would be lost, such as"), "{error}");
}

/// `levels` entities, each of which refers ten times to the one before.
fn tower_of_entities(levels: usize, first: &str) -> String {
    let tower = (1..levels)
        .map(|level| format!("<!ENTITY e{level} \"{}\">", format!("&e{};", level - 1).repeat(10)));
    format!("<!ENTITY e0 \"{first}\">\n{}", tower.collect::<Vec<_>>().join("\n"))
}

#[test]
fn files_whose_entities_expand_to_gigabytes_are_refused() {
    let head = "<?xml version=\"1.0\"?>\n<!DOCTYPE x [\n";
    let label =
        "<rdfs:label xmlns:rdfs=\"http://www.w3.org/2000/01/rdf-schema#\">&e7;</rdfs:label>";
    let rdf = format!(
        "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\
         <rdf:Description rdf:about=\"urn:a\">{label}</rdf:Description></rdf:RDF>"
    );
    let owl = "<Ontology xmlns=\"http://www.w3.org/2002/07/owl#\"><AnnotationAssertion>\
               <AnnotationProperty IRI=\"urn:p\"/><IRI>urn:a</IRI><Literal>&e7;</Literal>\
               </AnnotationAssertion></Ontology>";
    for (body, syntax) in [(rdf.as_str(), Syntax::RdfXml), (owl, Syntax::OwlXml)] {
        // A > in a value once hid the entities that it refers to.
        for first in ["x".repeat(60), "x>".to_owned()] {
            let tower = tower_of_entities(8, &first);
            let error = parse(&format!("{head}{tower}]>\n{body}"), syntax).unwrap_err();
            assert!(error.contains("file: line 11, column"), "{error}");
            assert!(error.contains("expand to more than 8 MB"), "{error}");
            assert!(error.contains("write their text instead"), "{error}");
            let broken = tower.replace("<!ENTITY", "<<!ENTITY");
            let error = parse(&format!("{head}{broken}]>\n{body}"), syntax).unwrap_err();
            assert!(error.contains("file: line 3, column 1: expected <!ENTITY"), "{error}");
        }
    }
}

#[test]
fn entities_for_namespaces_are_read_in_both_xml_syntaxes() {
    let dtd = "<?xml version=\"1.0\"?>\n<!DOCTYPE rdf:RDF [\n\
               <!ENTITY w3 \"http://www.w3.org/\" >\n<!ENTITY owl '&w3;2002/07/owl#'>\n\
               <!ENTITY rdf \"&w3;1999/02/22-rdf-syntax-ns#\">\n<!ENTITY ex \"http://e.org/\">]>\n";
    let rdf = "<rdf:RDF xmlns:rdf=\"&rdf;\" xmlns:owl=\"&owl;\">\
               <owl:Class rdf:about=\"&ex;Rain\"/></rdf:RDF>";
    let owl = "<Ontology xmlns=\"&owl;\"><Declaration><Class IRI=\"&ex;Rain\"/></Declaration>\
               </Ontology>";
    for (body, syntax) in [(rdf, Syntax::RdfXml), (owl, Syntax::OwlXml)] {
        let document = parse(&format!("{dtd}{body}"), syntax).unwrap();
        let written = document.ontology.to_bytes(Syntax::NTriples).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert!(written.contains("<http://e.org/Rain>"), "{written}");
    }
}

#[test]
fn hostile_and_empty_files_are_refused() {
    for syntax in Syntax::ALL {
        assert_eq!(parse(" \n", syntax).unwrap_err(), "file: the file is empty");
    }
    let utf16 = read_from(b"\xff\xfe<\0a\0", None, Path::new("file.owl")).unwrap_err();
    assert!(utf16.to_string().contains("in UTF-16"), "{utf16}");
}

/// Control characters are removed from terms; in foreign texts they are an error in XML syntaxes.
#[test]
fn control_characters_are_never_written_to_xml() {
    let mut builder = ContextBuilder::new();
    builder.row(&[0, 1]);
    let terms = vec!["rain".to_owned(), "a\u{1b}[31mred".to_owned()];
    let context = builder.finish(Names::Numbered(1), Names::Given(terms)).unwrap();
    let settings = OutlineSettings::new("x").confidence(1.0);
    let outline = Outline::of(&context, &settings, &Overrides::default()).unwrap();
    let made = outline.to_ontology("http://example.org/x", &[]).unwrap();
    let bytes = made.to_bytes(Syntax::RdfXml).unwrap();
    assert!(!bytes.contains(&0x1b));
    let foreign = parse(
        "Prefix(rdfs:=<http://www.w3.org/2000/01/rdf-schema#>)\nOntology(<urn:x>\n\
         AnnotationAssertion(rdfs:label <urn:a> \"a\u{1}b\"))",
        Syntax::Functional,
    )
    .unwrap();
    let error = foreign.ontology.to_bytes(Syntax::OwlXml).unwrap_err().to_string();
    assert!(error.contains("control character"), "{error}");
}
