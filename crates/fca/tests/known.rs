//! Lattices of known size, files as other programs write them, and malformed files.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]
#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use std::path::{Path, PathBuf};

use ontrail_fca::format::{self, Format, Scale, read_scaled};
use ontrail_fca::implication::basis;
use ontrail_fca::{AttributeOrder, Context, Listing, ListingError, measure};

/// A small context of marital states in Burmeister's format.
const STATES: &str = "B\n\n4\n4\n\nnever\nonce\nwidow\nagain\nsingle\nmarried\nhas been\nnot yet\n\
                      X..X\n.XX.\nX.X.\n.XX.\n";

fn read(text: &str, format: Format) -> Result<Context, String> {
    format::read_from(&mut text.as_bytes(), format, Path::new("file"))
        .map_err(|error| error.to_string())
}

/// Reads a well-known context, which Ontrail may not distribute, from the folder
/// `ONTRAIL_CONTEXTS`.
fn well_known(name: &str) -> Option<Context> {
    let Some(folder) = std::env::var_os("ONTRAIL_CONTEXTS") else {
        eprintln!("skipped {name}: set ONTRAIL_CONTEXTS to the folder that has it");
        return None;
    };
    Some(format::read(&Path::new(&folder).join(name)).unwrap())
}

#[test]
fn well_known_contexts_have_the_published_number_of_concepts() {
    let known = [
        ("fcatools/livingbeings_en.cxt", 19),
        ("fcatools/music_en.cxt", 163),
        ("fcatools/seasoningplanner_de.cxt", 532),
    ];
    for (name, concepts) in known {
        let Some(context) = well_known(name) else { continue };
        let lattice = Listing::new().lattice(&context).unwrap();
        assert_eq!(lattice.len(), concepts, "{name}");
        assert_eq!(Listing::new().count(&context).unwrap(), concepts as u64);
    }
    if let Some(mushroom) = well_known("mushroom.cxt.gz") {
        let count = |listing: Listing| listing.count(&mushroom);
        assert_eq!(count(Listing::new()), Ok(238_710));
        assert_eq!(count(Listing::new().parallel(false)), Ok(238_710));
        assert_eq!(
            count(Listing::new().limit(1000)),
            Err(ListingError::TooManyConcepts { limit: 1000 })
        );
    }
}

#[test]
fn the_boolean_lattice_has_the_known_size_height_and_width() {
    // The contranominal scale of 7 attributes: every set of attributes is an intent.
    let rows: String = (0..7)
        .map(|row| {
            (0..7)
                .map(|column| if row == column { '.' } else { 'X' })
                .chain(['\n'])
                .collect::<String>()
        })
        .collect();
    let names: String = (0..14).map(|number| format!("n{number}\n")).collect();
    let context = read(&format!("B\n\n7\n7\n\n{names}{rows}"), Format::Burmeister).unwrap();
    let lattice = Listing::new().lattice(&context).unwrap();
    assert_eq!((lattice.len(), lattice.edge_count(), lattice.height()), (128, 7 * 64, 7));
    // By Sperner's theorem the middle layer is the largest antichain: 7 choose 3.
    assert_eq!(measure::width(&lattice).concepts, 35);
    assert!(basis(&context, 0, 100, || ()).unwrap().is_empty());
}

#[test]
fn attribute_and_object_concepts_have_the_right_intents() {
    let context = read(STATES, Format::Burmeister).unwrap();
    let lattice = Listing::new().lattice(&context).unwrap();
    let concepts = lattice.concepts();
    for (attribute, id) in lattice.attribute_concepts(&context).into_iter().enumerate() {
        let of_one = ontrail_fca::BitSet::of(4, [attribute]);
        assert_eq!(concepts.intent(id.unwrap()), context.closure(&of_one));
    }
    for (object, id) in lattice.object_concepts(&context).into_iter().enumerate() {
        assert_eq!(concepts.intent(id.unwrap()), context.row_set(object));
    }
}

#[test]
fn all_variants_of_burmeister_files_are_read() {
    let plain = read(STATES, Format::Burmeister).unwrap();
    let titled = STATES.replacen("B\n\n", "B\nstates of marriage\n", 1);
    let variants = [
        titled.clone(),
        STATES.replace('\n', "\r\n"),
        format!("\u{feff}{STATES}\n\n"),
        STATES.replacen("4\n4\n\n", "4\n4\n", 1),
        STATES.replace('X', "x"),
    ];
    for text in variants {
        assert_eq!(read(&text, Format::Burmeister), Ok(plain.clone()), "{text}");
    }
}

#[test]
fn malformed_burmeister_files_are_refused_with_the_place() {
    let cases = [
        (STATES.replacen('B', "C", 1), "file: line 1, column 1: a Burmeister file starts with"),
        (
            STATES.replacen("4\n4", "4\nfour", 1),
            "file: line 4, column 1: expected the number of attributes, found \"four\"",
        ),
        (
            STATES.replacen("X..X", "X.?X", 1),
            "file: line 14, column 3: '?' is neither a cross X nor a dot",
        ),
        (
            STATES.replacen("X..X", "X..", 1),
            "file: line 14, column 4: the row has 3 signs, but there are 4 attributes",
        ),
        (STATES.replacen("X..X", "X..XX", 1), "file: line 14, column 5: the row has 5 signs"),
        (STATES.replacen("once", "never", 1), "file: objects 1 and 2 are both called \"never\""),
        (format!("{STATES}X...\n"), "file: line 18, column 1: more rows than the 4 objects"),
        (
            STATES.replacen(".XX.\n", "", 2),
            "file: line 16: the file ends before the row of object 3",
        ),
        ("B\n\n0\n2\n\na\nb\n".to_owned(), "file: the context has no objects"),
        (
            STATES.replacen("B\n\n4", "B\n4", 1),
            "file: line 5, column 1: expected the number of attributes, found \"never\"; if the \
             file has no title, leave an empty line after `B`",
        ),
        (String::new(), "file: line 1: the file ends before the letter B"),
        (
            "B\n\n99999999999\n3\n".to_owned(),
            "file: line 5: the file ends before the name of object 1",
        ),
    ];
    for (text, expected) in cases {
        let error = read(&text, Format::Burmeister).unwrap_err();
        assert!(error.starts_with(expected), "{error:?} should start with {expected:?}");
    }
}

#[test]
fn malformed_files_of_other_formats_are_refused_with_the_place() {
    let cases = [
        (Format::Csv, ",a,b\no,1\n", "file: line 2: 2 cells, but the first line has 3"),
        (
            Format::Csv,
            ",a,b\no,1,9\n",
            "file: line 2: column \"b\" has \"9\", but the cells of a context are crosses",
        ),
        (Format::Csv, "", "file: line 1: the first line must name the attributes"),
        (Format::Csv, ",a,a\no,1,1\n", "file: attributes 1 and 2 are both called \"a\""),
        (Format::Fimi, "1 2\n1 x 3\n", "file: line 2, column 3: \"x\" is not an item number"),
        (Format::Fimi, "", "file: the context has no objects"),
        (Format::Json, "{\"objects\":[\"a\"],", "file: line 1, column 17: "),
        (
            Format::Json,
            "{\"objects\":[\"a\"],\"attributes\":[\"m\"],\"rows\":[[3]]}",
            "file: the row of \"a\" has attribute 3",
        ),
        (Format::ConExp, "<ConceptualSystem><Contexts>", "file: the file ends within <Contexts>"),
        (Format::ConExp, "<a>\n</b>", "file: line 2, column 1: malformed XML"),
        (Format::ConExp, "<a/>", "file: the file has no <Context> element"),
        (
            Format::ConExpText,
            "Node: 1, 0, 0\nEdge: 2, 1\n",
            "file: line 2: node 2 is not defined above",
        ),
        (Format::ConExpText, "Node: 1, 0, 0\n", "file: line 2: no line EOF"),
    ];
    for (format, text, expected) in cases {
        let error = read(text, format).unwrap_err();
        assert!(error.starts_with(expected), "{error:?} should start with {expected:?}");
    }
}

#[test]
fn cex_files_of_conexp_are_read() {
    let cex = r#"<?xml version="1.0" encoding="UTF-8"?>
<ConceptualSystem>
  <Version MajorNumber="1" MinorNumber="0" />
  <Contexts>
    <Context Identifier="0" Type="Binary">
      <Attributes>
        <Attribute Identifier="0"><Name>single</Name></Attribute>
        <Attribute Identifier="1"><Name>married</Name></Attribute>
        <Attribute Identifier="2"><Name>has been</Name></Attribute>
        <Attribute Identifier="3"><Name>not yet</Name></Attribute>
      </Attributes>
      <Objects>
        <Object><Name>never</Name><Intent>
          <HasAttribute AttributeIdentifier="0" /><HasAttribute AttributeIdentifier="3" />
        </Intent></Object>
        <Object><Name>once</Name><Intent>
          <HasAttribute AttributeIdentifier="1" /><HasAttribute AttributeIdentifier="2" />
        </Intent></Object>
        <Object><Name>widow</Name><Intent>
          <HasAttribute AttributeIdentifier="0" /><HasAttribute AttributeIdentifier="2" />
        </Intent></Object>
        <Object><Name>again</Name><Intent>
          <HasAttribute AttributeIdentifier="1" /><HasAttribute AttributeIdentifier="2" />
        </Intent></Object>
      </Objects>
    </Context>
  </Contexts>
  <RecalculationPolicy Value="Clear" />
  <Lattices><Lattice><LineDiagram><ConceptFigures><LineDiagramFigure Type="Concept">
    <Intent><HasAttribute AttributeIdentifier="3" /></Intent>
  </LineDiagramFigure></ConceptFigures></LineDiagram></Lattice></Lattices>
</ConceptualSystem>
"#;
    assert_eq!(read(cex, Format::ConExp), read(STATES, Format::Burmeister));
}

/// An exported diagram without objects: the labelled nodes form a hierarchy of seven terms.
#[test]
fn the_attributes_of_an_exported_diagram_keep_their_order() {
    let nodes: String = (1..=14).map(|node| format!("Node: {node}, {node}, 0\n")).collect();
    let edges = [
        (2, 1),
        (3, 1),
        (4, 2),
        (5, 3),
        (6, 1),
        (7, 6),
        (8, 5),
        (8, 7),
        (10, 1),
        (11, 10),
        (12, 11),
        (13, 1),
        (14, 13),
        (9, 14),
        (9, 12),
        (9, 8),
        (9, 4),
    ];
    let edges: String = edges.iter().map(|(a, b)| format!("Edge: {a}, {b}\n")).collect();
    let labels = "Attribute: 1, 气象灾害\nAttribute: 3, 监测\nAttribute: 6, 服务\nAttribute: 10, 天气\n\
                  Attribute: 11, 低温\nAttribute: 13, 干旱\nAttribute: 14, 预警\nEOF\n";
    let context = read(&format!("{nodes}{edges}{labels}"), Format::ConExpText).unwrap();
    let order = AttributeOrder::of(&context, 1.0);
    let name = |node: usize| context.attributes().get(order.nodes[node][0]).into_owned();
    let parents: Vec<(String, Vec<String>)> = (0..order.nodes.len())
        .map(|node| (name(node), order.parents[node].iter().map(|&parent| name(parent)).collect()))
        .collect();
    let root = vec!["气象灾害".to_owned()];
    let expected = [
        ("气象灾害", vec![]),
        ("监测", root.clone()),
        ("服务", root.clone()),
        ("天气", root.clone()),
        ("低温", vec!["天气".to_owned()]),
        ("干旱", root),
        ("预警", vec!["干旱".to_owned()]),
    ];
    assert_eq!(parents, expected.map(|(term, parents)| (term.to_owned(), parents)));
}

#[test]
fn tables_with_values_are_scaled() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("scaled.csv");
    std::fs::write(&path, "name,age,colour,wild\na,3,red,x\nb,5,blue,\nc,,red,\n").unwrap();
    let scales = [
        ("age".to_owned(), "interordinal".parse::<Scale>().unwrap()),
        ("wild".to_owned(), Scale::Binary),
    ];
    let context = read_scaled(&path, &scales).unwrap();
    let names: Vec<String> =
        context.attributes().iter().map(std::borrow::Cow::into_owned).collect();
    assert_eq!(names, ["age≤3", "age≤5", "age≥3", "age≥5", "colour=blue", "colour=red", "wild"]);
    assert_eq!(context.row(0), [0, 1, 2, 5, 6]);
    assert_eq!(context.row(1), [1, 2, 3, 4]);
    assert_eq!(context.row(2), [5]);
    let ordinal = [("age".to_owned(), "ordinal:4".parse::<Scale>().unwrap())];
    let context = read_scaled(&path, &ordinal).unwrap();
    assert_eq!(context.attributes().get(0), "age≥4");
    assert!(!context.has(0, 0) && context.has(1, 0));

    let wrong = [("colour".to_owned(), Scale::Ordinal(Vec::new()))];
    let error = read_scaled(&path, &wrong).unwrap_err().to_string();
    let reason = "line 2: column \"colour\" has \"red\", which is not a number";
    assert!(error.contains(reason), "{error}");
    let unknown = [("size".to_owned(), Scale::Nominal)];
    let error = read_scaled(&path, &unknown).unwrap_err().to_string();
    let reason = "no column is called \"size\"; the columns are age, colour, wild";
    assert!(error.contains(reason), "{error}");
    assert!("ordinal:x".parse::<Scale>().is_err() && "ordinal:NaN".parse::<Scale>().is_err());
}

#[test]
fn the_names_of_a_fimi_file_are_read_from_the_files_beside_it() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fimi");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("states.dat");
    let context = read(STATES, Format::Burmeister).unwrap();
    let mut bytes = Vec::new();
    format::write(&context, Format::Fimi, &mut bytes).unwrap();
    std::fs::write(&path, &bytes).unwrap();
    let [attributes, objects] = format::names_beside(&path);
    for name in [&attributes, &objects] {
        let _ = std::fs::remove_file(name);
    }
    let bare = format::read(&path).unwrap();
    assert_eq!(bare.attributes().iter().collect::<Vec<_>>(), ["1", "4", "2", "3"]);
    assert_eq!(bare.objects().get(3), "4");
    let lines = |names: &ontrail_fca::Names| {
        names.iter().map(|name| format!("{name}\n")).collect::<String>()
    };
    std::fs::write(&attributes, lines(context.attributes())).unwrap();
    std::fs::write(&objects, lines(context.objects())).unwrap();
    assert_eq!(format::read(&path).unwrap(), context);
    std::fs::write(&attributes, "only one\n").unwrap();
    let error = format::read(&path).unwrap_err().to_string();
    assert!(
        error.contains("line 1, column 3: found item 4, but the file of attribute names has 1 "),
        "{error}"
    );
}

#[test]
fn other_delimiters_and_byte_order_marks_are_read_and_names_keep_their_blanks() {
    let comma = read(",a,b\no,X,\n", Format::Csv).unwrap();
    assert_eq!(read(";a;b\no;X;\n", Format::Csv), Ok(comma.clone()));
    assert_eq!(read("\ta\tb\no\tX\t\n", Format::Csv), Ok(comma.clone()));
    assert_eq!(read("\u{feff},a,b\no, X ,\n", Format::Csv), Ok(comma));
    let blank = read(",\"  lead\"\no,X\n", Format::Csv).unwrap();
    assert_eq!(blank.attributes().get(0), "  lead");
    let json = read("\u{feff}{\"objects\":[\"o\"],\"attributes\":[],\"rows\":[[]]}", Format::Json);
    assert_eq!(json.unwrap().attributes().len(), 0);
}
