//! Tests the outline: from terms to classes.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeMap;

use ontrail_fca::{Context, ContextBuilder, Names};
use ontrail_ontology::{Outline, OutlineSettings, Overrides};

fn context(terms: &[&str], rows: &[&[u32]]) -> Context {
    let mut builder = ContextBuilder::new();
    rows.iter().for_each(|row| builder.row(row));
    let terms = terms.iter().map(|&term| term.to_owned()).collect();
    builder.finish(Names::Numbered(rows.len()), Names::Given(terms)).unwrap()
}

/// Ten pages: floods are on pages 1–5, flash floods on 2–5 and 9, warnings on 6–8.
fn pages() -> Context {
    let rows: [&[u32]; 10] =
        [&[0, 3], &[0, 1, 3], &[0, 1, 3], &[0, 1, 3], &[0, 1, 3], &[2], &[2], &[2], &[1], &[]];
    context(&["flood", "flash flood", "warning", "inundation"], &rows)
}

/// Settings with the exact order of the attribute concepts.
fn exact(topic: &str) -> OutlineSettings {
    OutlineSettings::new(topic).confidence(1.0)
}

fn parents(outline: &Outline) -> BTreeMap<String, Vec<String>> {
    let name = |class: usize| outline.name(class).to_owned();
    (0..outline.classes.len())
        .map(|class| {
            (name(class), outline.classes[class].parents.iter().map(|&it| name(it)).collect())
        })
        .collect()
}

fn expected(pairs: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    pairs.iter().map(|&(class, parents)| (class.to_owned(), owned(parents))).collect()
}

fn outline(settings: &OutlineSettings, overrides: &str) -> Result<Outline, String> {
    Outline::of(&pages(), settings, &overrides.parse().unwrap()).map_err(|error| error.to_string())
}

#[test]
fn equal_terms_are_synonyms_and_the_topic_is_the_root() {
    let outline = outline(&exact("rain"), "").unwrap();
    assert_eq!(
        parents(&outline),
        expected(&[
            ("rain", &[]),
            ("flood", &["rain"]),
            ("flash flood", &["rain"]),
            ("warning", &["rain"]),
        ])
    );
    assert_eq!(outline.classes[1].terms, ["flash flood"]);
    let flood = outline.classes.iter().find(|class| class.terms[0] == "flood").unwrap();
    assert_eq!(flood.terms, ["flood", "inundation"]);
}

#[test]
fn a_share_of_the_documents_is_enough_with_confidence_below_one() {
    // Both terms are on five pages, and a broader term must be on more, so neither is above.
    let loose = outline(&OutlineSettings::new("rain").confidence(0.8), "").unwrap();
    assert_eq!(parents(&loose)["flash flood"], ["rain"]);
    let mut rows: Vec<Vec<u32>> = (0..10).map(|_| vec![0]).collect();
    rows.extend((0..4).map(|_| vec![0, 1]));
    rows.push(vec![1]);
    let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
    let context = context(&["flood", "flash flood"], &rows);
    let of = |c: f64| {
        let settings = OutlineSettings::new("rain").confidence(c);
        parents(&Outline::of(&context, &settings, &Overrides::default()).unwrap())
    };
    // Of 5 pages with flash floods, 4 have floods: the share is 0.8.
    assert_eq!(of(0.8)["flash flood"], ["flood"]);
    assert_eq!(of(0.81)["flash flood"], ["rain"]);
    let default = OutlineSettings::new("rain");
    assert_eq!(default, OutlineSettings::new("rain").confidence(0.8), "0.8 is the default");
    for bad in [0.0, -1.0, 1.5, f64::NAN] {
        let settings = OutlineSettings::new("rain").confidence(bad);
        assert!(Outline::of(&context, &settings, &Overrides::default()).is_err());
    }
}

#[test]
fn a_term_on_every_page_is_a_synonym_of_the_topic() {
    let context = context(&["weather", "rain", "sky"], &[&[0, 1, 2], &[0, 2]]);
    let of = |topic: &str| Outline::of(&context, &exact(topic), &Overrides::default()).unwrap();
    assert_eq!(of("weather").classes[0].terms, ["weather", "sky"]);
    assert_eq!(of("climate").classes[0].terms, ["climate", "weather", "sky"]);
    assert_eq!(of("climate").classes.len(), 2);
    // The same holds if the topic is itself a term, on fewer pages.
    assert_eq!(of("rain").classes[0].terms, ["rain", "weather", "sky"]);
    assert_eq!(of("rain").classes.len(), 1);
}

/// Only the merged synonym moves; its old class stays.
#[test]
fn a_synonym_is_moved_to_another_class() {
    let overrides =
        "[[class]]\nterm = \"flash flood\"\nparent = \"flood\"\nmerge = [\"inundation\"]\n";
    let outline = outline(&exact("rain"), overrides).unwrap();
    assert_eq!(parents(&outline)["flash flood"], ["flood"]);
    let terms: Vec<_> = outline.classes.iter().map(|class| class.terms.join(", ")).collect();
    assert_eq!(terms, ["rain", "flash flood, inundation", "flood", "warning"]);
}

/// The pages do not distinguish the two terms, but a person does.
#[test]
fn synonyms_with_a_class_each_are_split() {
    let overrides =
        "[[class]]\nterm = \"flood\"\n[[class]]\nterm = \"inundation\"\nparent = \"flood\"\n";
    let outline = outline(&exact("rain"), overrides).unwrap();
    assert_eq!(parents(&outline)["inundation"], ["flood"]);
    assert_eq!(parents(&outline)["flood"], ["rain"]);
    assert_eq!(outline.classes.len(), 5);
}

#[test]
fn terms_are_dropped_merged_added_and_related() {
    let overrides = r#"
drop = ["inundation", "a term that is not there"]
[[class]]
term = "flash flood"
parent = "flood"
merge = ["warning"]
[[class]]
term = "levee breach"
parent = ["flash flood"]
[[relation]]
from = "levee breach"
to = "flood"
id = "follows"
"#;
    let outline = outline(&exact("rain"), overrides).unwrap();
    assert_eq!(
        parents(&outline),
        expected(&[
            ("rain", &[]),
            ("flood", &["rain"]),
            ("flash flood", &["flood"]),
            ("levee breach", &["flash flood"]),
        ])
    );
    let flash = &outline.classes[1];
    assert_eq!(
        (flash.terms.as_slice(), flash.documents.len()),
        (["flash flood".to_owned(), "warning".to_owned()].as_slice(), 8)
    );
    let [relation] = outline.relations.as_slice() else { panic!("one relation") };
    assert_eq!((outline.name(relation.from), outline.name(relation.to)), ("levee breach", "flood"));
}

#[test]
fn classes_deeper_than_the_maximum_are_lifted() {
    let rows: [&[u32]; 5] = [&[0, 1, 2, 3, 4], &[0, 1, 2, 3], &[0, 1, 2], &[0, 1], &[0]];
    let context = context(&["a", "b", "c", "d", "e"], &rows);
    let of = |depth| {
        let settings = exact("a").max_depth(depth);
        parents(&Outline::of(&context, &settings, &Overrides::default()).unwrap())
    };
    assert_eq!(of(None)["e"], ["d"]);
    assert_eq!(
        (of(Some(3))["d"].as_slice(), of(Some(3))["e"].as_slice()),
        (["b".to_owned()].as_slice(), ["b".to_owned()].as_slice())
    );
    assert_eq!(of(Some(2))["e"], ["a"]);
    let settings = exact("a").max_depth(Some(1));
    assert!(Outline::of(&context, &settings, &Overrides::default()).is_err());
}

#[test]
fn a_tree_keeps_the_most_specific_parent() {
    // d is below both b (3 pages) and c (4 pages).
    let rows: [&[u32]; 6] = [&[0, 1, 2, 3], &[0, 1, 2, 3], &[0, 1], &[0, 2], &[0, 2], &[0]];
    let context = context(&["a", "b", "c", "d"], &rows);
    let of = |tree| {
        let settings = exact("a").tree(tree);
        parents(&Outline::of(&context, &settings, &Overrides::default()).unwrap())["d"].clone()
    };
    assert_eq!((of(false), of(true)), (vec!["b".to_owned(), "c".to_owned()], vec!["b".to_owned()]));
}

#[test]
fn contradictory_or_malformed_overrides_are_refused() {
    let refused = |overrides: &str| outline(&exact("rain"), overrides).unwrap_err();
    let class =
        |term: &str, parent: &str| format!("[[class]]\nterm = \"{term}\"\nparent = \"{parent}\"\n");
    assert_eq!(
        refused(&(class("flood", "warning") + &class("warning", "flood"))),
        "the overrides make a cycle in the hierarchy: flood → warning → flood; remove one of these links"
    );
    assert_eq!(
        refused(&class("flood", "inundation")),
        "the overrides make a cycle in the hierarchy: flood → flood; remove one of these links"
    );
    assert!(refused("[[class]]\nterm = \"new\"\n").contains("give it a parent to add it"));
    assert!(refused(&class("flood", "nothing")).starts_with("parent: \"nothing\" is neither"));
    assert!(
        refused(&(class("flood", "rain") + &class("flood", "rain"))).contains("is defined twice")
    );
    assert!(
        refused("[[relation]]\nfrom = \"flood\"\nto = \"x\"\nid = \"y\"\n")
            .starts_with("relation.to: \"x\"")
    );
    let merged =
        "[[class]]\nterm = \"flood\"\nmerge = [\"warning\"]\n[[class]]\nterm = \"warning\"\n";
    assert!(refused(merged).contains("is defined twice; a term has at most one [[class]] entry"));
    let empty = "[[class]]\nterm = \"flood\"\nlabel = { en = \"\" }\n".parse::<Overrides>();
    assert_eq!(
        empty.unwrap_err().to_string(),
        "a label, synonym or definition of \"flood\" is empty"
    );
    let wrong = "[[class]]\nterm = 3\n".parse::<Overrides>().unwrap_err().to_string();
    assert!(wrong.contains("line 2, column 8"), "{wrong}");
    let unknown = "[[class]]\nterm = \"a\"\ncolour = \"b\"\n".parse::<Overrides>().unwrap_err();
    assert!(unknown.to_string().contains("unknown field `colour`"), "{unknown}");
}

#[test]
fn terms_that_would_share_an_iri_get_a_number() {
    let context = context(&["a b", "a/b"], &[&[0], &[1], &[]]);
    let outline = Outline::of(&context, &exact("t"), &Overrides::default()).unwrap();
    let classes = outline.to_ontology("urn:x", &[]).unwrap().classes();
    assert_eq!(classes.into_iter().collect::<Vec<_>>(), ["urn:x#a_b", "urn:x#a_b_2", "urn:x#t"]);
    let same = "[[class]]\nterm = \"a b\"\nid = \"X\"\n[[class]]\nterm = \"a/b\"\nid = \"X\"\n";
    let outline = Outline::of(&context, &exact("t"), &same.parse().unwrap()).unwrap();
    let error = outline.to_ontology("urn:x", &[]).unwrap_err().to_string();
    assert!(error.contains("both have the id \"X\""), "{error}");
}
