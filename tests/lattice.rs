//! End-to-end tests of `ontrail lattice`: from documents to a lattice to an ontology.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;

use ontrail_tests::{Folder, root, shell_commands};
use serde_json::{Value, json};

/// Pages about rain in two languages, as a table.
const NEWS: &str = "rain\t暴雨引发洪涝，水位上涨，泵站排水\n\
    rain\t洪涝过后，泵站加紧排水，水位回落\n\
    rain\t山洪冲毁道路，洪涝严重，水位超过警戒\n\
    rain\t气象台发布预警，雷达监测降雨\n\
    rain\t雷达监测显示降雨增强，预警升级\n\
    rain\t预警解除，雷达回波减弱\n";

/// Four objects, four attributes, seven concepts.
const STATES: &str = "B\n\n4\n4\n\nnever\nonce\nwidow\nagain\nsingle\nmarried\nhas been\nnot yet\n\
                      X..X\n.XX.\nX.X.\n.XX.\n";

fn states() -> Folder {
    let folder = Folder::new();
    folder.write("states.cxt", STATES);
    folder
}

#[test]
fn documents_become_a_context_in_every_format() {
    let folder = Folder::new();
    folder.write("news.tsv", NEWS);
    let args = |output| {
        [
            "lattice",
            "context",
            "news.tsv",
            "-o",
            output,
            "--min-df",
            "2",
            "--keyword",
            "山洪",
            "--json",
        ]
    };
    let made = folder.run(&args("news.cxt")).json();
    assert_eq!(
        (&made["objects"], &made["attributes"]),
        (&json!(6), &json!(made["terms"].as_array().unwrap().len()))
    );
    let flood = made["terms"].as_array().unwrap().iter().find(|it| it["term"] == "洪涝").unwrap();
    assert_eq!(flood["documents"], 3);
    let keyword = made["terms"].as_array().unwrap().iter().find(|it| it["term"] == "山洪").unwrap();
    assert_eq!(keyword["documents"], 1, "a keyword is taken though it is rare");
    let build = |path: &str| folder.run(&["lattice", "build", path, "--json"]).json();
    let expected = build("news.cxt");
    for output in ["news.csv", "news.dat", "news.json"] {
        assert_eq!(folder.run(&args(output)).code, 0);
        assert_eq!(build(output), expected, "{output}");
    }
    assert!(
        folder.path("news.attributes.txt").exists() && folder.path("news.objects.txt").exists()
    );
    let inspected = folder.run(&["inspect", "news.cxt"]);
    assert!(inspected.stdout.contains("ontrail lattice context"), "{}", inspected.stdout);
}

#[test]
fn english_terms_keep_their_spelling() {
    let folder = Folder::new();
    let pages = ["Floods broke the dykes.", "A flood and a dyke.", "Floods again.", "Only wind."];
    let lines: String = pages.iter().map(|page| format!("x\t{page}\n")).collect();
    folder.write("news.tsv", lines);
    let made = folder
        .run(&["lattice", "context", "news.tsv", "-o", "x.cxt", "--min-df", "2", "--json"])
        .json();
    let terms: Vec<&str> =
        made["terms"].as_array().unwrap().iter().map(|it| it["term"].as_str().unwrap()).collect();
    assert_eq!(terms, ["dyke", "floods"]);
}

#[test]
fn a_web_archive_is_read_as_documents() {
    let record = |number: usize, kind: &str, body: &str| {
        let http = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n{body}");
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://rain.example/{number}\r\n\
             Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
            http.len()
        )
    };
    let mut archive: String = NEWS
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let page = format!("<title>雨</title><p>{}</p>", line.trim_start_matches("rain\t"));
            record(number, "text/html; charset=utf-8", &page)
        })
        .collect();
    archive += &record(99, "image/png", "no page");
    let folder = Folder::new();
    folder.write("crawl.warc", archive);
    let args = ["lattice", "context", "crawl.warc", "-o", "x.cxt", "--min-df", "2", "--json"];
    let made = folder.run(&args).json();
    assert_eq!(made["objects"], 6);
    let context = fs::read_to_string(folder.path("x.cxt")).unwrap();
    assert!(context.contains("http://rain.example/0\n"), "{context}");
}

#[test]
fn a_lattice_is_built_and_its_figures_are_printed() {
    let folder = states();
    let figures = folder.run(&["lattice", "build", "states.cxt", "--json"]).json();
    assert_eq!(
        figures,
        json!({
            "objects": 4, "attributes": 4, "concepts": 7, "edges": 9, "height": 3, "width": 3,
            "width_is_exact": true,
        })
    );
    let counted = folder.run(&["lattice", "build", "states.cxt", "--count-only", "--json"]).json();
    assert_eq!(counted, json!({ "objects": 4, "attributes": 4, "concepts": 7 }));
    let iceberg = folder.run(&["lattice", "build", "states.cxt", "--min-support", "50%", "--json"]);
    assert_eq!(iceberg.json()["concepts"], 4);
    let listed = folder
        .run(&["lattice", "build", "states.cxt", "--concepts", "--stability", "--json"])
        .json();
    let top = &listed["list"][0];
    assert_eq!((&top["intent"], &top["support"]), (&json!([]), &json!(4)));
    // 6 of the 16 sets of objects have no common attribute: {never, once}, {never, again}, the
    // three larger sets with `never` and one of these, and the set of all four.
    assert_eq!(top["stability"], 6.0 / 16.0);
    folder
        .run(&["lattice", "build", "states.cxt", "--limit", "3"])
        .refused("there are more than 3 concepts\n  leave out small concepts with --min-support (such as 2%), or raise --limit");
}

#[test]
fn rules_are_found() {
    let folder = states();
    let rules =
        folder.run(&["lattice", "rules", "states.cxt", "--confidence", "0.6", "--json"]).json();
    let implications = rules["implications"].as_array().unwrap();
    let wanted = json!({ "premise": ["married"], "conclusion": ["has been"], "support": 2 });
    assert!(implications.contains(&wanted), "{rules}");
    let rule = &rules["rules"][0];
    assert_eq!((&rule["premise"], &rule["conclusion"]), (&json!([]), &json!(["has been"])));
    assert_eq!(rule["confidence"], 0.75);
    folder.run(&["lattice", "rules", "states.cxt", "--confidence", "NaN"]).refused("--confidence");
}

#[test]
fn an_exploration_is_stopped_and_resumed() {
    let folder = states();
    let args = ["lattice", "explore", "states.cxt", "--answers", "a.json"];
    let first = folder.run_with_input(&args, "no fiancé: not yet\nmaybe\nstop\n");
    assert_eq!(first.code, 1, "{}", first.stderr);
    assert!(first.stdout.contains("Does everything with"), "{}", first.stdout);
    assert!(
        first.stdout.contains("answer `yes`, `no NAME: attributes` or `stop`"),
        "{}",
        first.stdout
    );
    let kept = fs::read_to_string(folder.path("a.json")).unwrap();
    let mut json_args = args.to_vec();
    json_args.push("--json");
    let all = folder.run_with_input(&json_args, &"yes\n".repeat(50));
    assert_eq!(all.code, 0);
    let result = all.json();
    assert_eq!(result["done"], true);
    assert_eq!(result["examples"], 5, "the counterexample of the first session is still there");
    assert!(fs::read_to_string(folder.path("a.json")).unwrap().contains("fiancé"));
    assert!(!result["implications"].as_array().unwrap().is_empty());
    assert_ne!(fs::read_to_string(folder.path("a.json")).unwrap(), kept);
    // An object that was added to the context later contradicts an answer.
    let more = STATES.replacen("4\n4", "5\n4", 1).replacen("never", "odd\nnever", 1);
    folder.write("more.cxt", more.replacen("X..X", ".X..\nX..X", 1));
    folder
        .run(&["lattice", "explore", "more.cxt", "--answers", "a.json"])
        .refused("according to the answers married implies has been, but object \"odd\"");
    folder.write("other.cxt", STATES.replace("single", "alone"));
    folder
        .run(&["lattice", "explore", "other.cxt", "--answers", "a.json"])
        .refused("a.json: the answers are about other attributes; name another file");
}

#[test]
fn pictures_are_drawn() {
    let folder = states();
    for ending in ["svg", "html", "dot"] {
        let output = format!("states.{ending}");
        let drawn = folder.run(&["lattice", "draw", "states.cxt", "-o", &output, "--json"]).json();
        assert_eq!((&drawn["drawn"], &drawn["nodes"]), (&json!("lattice"), &json!(7)));
        let text = fs::read_to_string(folder.path(&output)).unwrap();
        for label in ["married", "has been", "once", "widow"] {
            assert!(text.contains(label), "{output} lacks {label}");
        }
    }
    let small = ["lattice", "draw", "states.cxt", "-o", "a.svg", "--max-nodes", "5"];
    let ran = folder.run(&small);
    assert!(ran.stderr.contains("so only the order of the attributes is drawn"), "{}", ran.stderr);
    assert!(ran.stdout.contains("attribute order"), "{}", ran.stdout);
    let smaller = ["lattice", "draw", "states.cxt", "-o", "b.svg", "--max-nodes", "2"];
    let ran = folder.run(&smaller);
    assert!(ran.stderr.contains("are drawn"), "{}", ran.stderr);
    folder
        .run(&[
            "lattice",
            "draw",
            "states.cxt",
            "-o",
            "c.svg",
            "--max-nodes",
            "2",
            "--as",
            "lattice",
        ])
        .refused("more than 2 concepts, which would not be readable");
    folder
        .run(&["lattice", "draw", "states.cxt", "-o", "c.gif"])
        .refused("name a .svg, .html, .png or .dot");
}

#[test]
fn a_png_picture_needs_a_font() {
    let folder = states();
    let ran = folder.run(&["lattice", "draw", "states.cxt", "-o", "states.png"]);
    if ran.code == 0 {
        let png = fs::read(folder.path("states.png")).unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 2000);
    } else {
        ran.refused("no font on this machine has");
    }
}

fn ontology(folder: &Folder) {
    folder.write("news.tsv", NEWS);
    let context = ["lattice", "context", "news.tsv", "-o", "news.cxt", "--min-df", "2"];
    assert_eq!(folder.run(&context).code, 0);
    folder.write(
        "more.toml",
        "drop = [\"泵站\"]\n[[class]]\nterm = \"洪涝\"\nid = \"Flood\"\nlabel = { en = \"flood\" }\n\
         [[relation]]\nfrom = \"雷达\"\nto = \"预警\"\nid = \"serves\"\nlabel = { en = \"serves\" }\n",
    );
    let ran = folder.run(&[
        "lattice",
        "owl",
        "news.cxt",
        "--topic",
        "暴雨",
        "--overrides",
        "more.toml",
        "-o",
        "rain.owl",
        "-o",
        "rain.omn",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn an_ontology_is_made_checked_converted_and_compared() {
    let folder = Folder::new();
    ontology(&folder);
    let checked = folder.run(&["lattice", "check", "rain.owl", "--json"]);
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    let report = checked.json();
    assert_eq!(report["problems"], json!([]));
    assert!(report["classes"].as_u64().unwrap() >= 4 && report["levels"].as_u64().unwrap() >= 2);
    for ending in ["owx", "ofn", "ttl", "nt", "jsonld"] {
        let output = format!("copy.{ending}");
        assert_eq!(folder.run(&["lattice", "convert", "rain.owl", "-o", &output]).code, 0);
        let difference = folder.run(&["lattice", "diff", "rain.omn", &output, "--json"]);
        assert_eq!((difference.code, &difference.json()["same"]), (0, &json!(true)), "{ending}");
    }
    let text = fs::read_to_string(folder.path("copy.ofn")).unwrap();
    folder.write("changed.ofn", text.replace("\"flood\"@en", "\"deluge\"@en"));
    let difference = folder.run(&["lattice", "diff", "rain.owl", "changed.ofn"]);
    assert_eq!(difference.code, 1);
    let summary = difference.stdout.lines().next().unwrap_or_default();
    assert!(
        summary.contains("axioms in both, 1 only in rain.owl, 1 only in changed.ofn"),
        "{summary}"
    );
    assert!(
        difference.stdout.contains("\"flood\"@en") && difference.stdout.contains("\"deluge\"@en")
    );
    let drawn = folder.run(&["lattice", "draw", "rain.owl", "-o", "rain.html", "--json"]).json();
    assert_eq!(drawn["drawn"], "hierarchy");
    let upper = folder.run(&["lattice", "draw", "rain.owl", "-o", "upper.svg", "--max-nodes", "3"]);
    assert!(upper.stderr.contains("so only the upper 2 of 3 levels are drawn"), "{}", upper.stderr);
    let skos =
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<urn:a> skos:broader <urn:b> .\n";
    folder.write("skos.ttl", skos);
    folder.run(&["lattice", "diff", "skos.ttl", "rain.owl"]).refused("no axioms to compare");
    folder.run(&["lattice", "convert", "skos.ttl", "-o", "x.owl"]).refused("no axioms to convert");
    folder
        .run(&["lattice", "enrich", "news.tsv", "--ontology", "rain.owl", "-o", "rain.owl"])
        .refused("is an input of this command");
}

#[test]
fn an_ontology_is_enriched_from_the_topics_of_documents() {
    let folder = Folder::new();
    ontology(&folder);
    let args = [
        "lattice",
        "enrich",
        "news.tsv",
        "--ontology",
        "rain.owl",
        "-o",
        "richer.owl",
        "--suggest",
        "suggested.toml",
        "--topics",
        "2",
        "--sweeps",
        "100",
        "--min-support",
        "0.1",
        "--json",
    ];
    let found = folder.run(&args).json();
    let placed = found["placed"].as_array().unwrap();
    assert!(!placed.is_empty(), "{found}");
    assert_eq!(found, folder.run(&args).json(), "the seed decides");
    let before = folder.run(&["lattice", "check", "rain.owl", "--json"]).json();
    let after = folder.run(&["lattice", "check", "richer.owl", "--json"]).json();
    let new = placed.iter().filter(|it| it["synonym"] == json!(false)).count() as u64;
    assert_eq!(after["classes"].as_u64(), before["classes"].as_u64().map(|count| count + new));
    let suggested = fs::read_to_string(folder.path("suggested.toml")).unwrap();
    assert!(suggested.contains("[[class]]"), "{suggested}");
}

#[test]
fn contexts_are_scaled_and_reduced() {
    let folder = Folder::new();
    folder.write("people.csv", "name,age,sex\nann,17,f\nbob,40,m\ncid,70,m\n");
    let args = [
        "lattice",
        "convert",
        "people.csv",
        "-o",
        "people.cxt",
        "--scale",
        "age=ordinal:18,65",
        "--scale",
        "sex=nominal",
    ];
    assert_eq!(folder.run(&args).code, 0);
    let context = fs::read_to_string(folder.path("people.cxt")).unwrap();
    assert!(context.ends_with("age≥18\nage≥65\nsex=f\nsex=m\n..X.\nX..X\nXX.X\n"), "{context}");
    let reduced: Value = folder
        .run(&["lattice", "convert", "people.cxt", "-o", "small.json", "--reduce", "--json"])
        .json();
    assert_eq!(reduced["left_out"]["attributes"], json!(["sex=m"]));
    let count =
        |path: &str| folder.run(&["lattice", "build", path, "--json"]).json()["concepts"].clone();
    assert_eq!(count("people.cxt"), count("small.json"));
    folder
        .run(&["lattice", "convert", "people.csv", "-o", "x.cxt"])
        .refused("a table with values needs a scale");
    folder
        .run(&["lattice", "convert", "people.cxt", "-o", "people.owl"])
        .refused("use `ontrail lattice owl` to make an ontology");
}

#[test]
fn bad_input_is_refused_and_nothing_is_written() {
    let folder = states();
    let build = |path: &str| folder.run(&["lattice", "build", path]);
    build("nowhere.cxt").refused("nowhere.cxt: cannot read the file");
    build("states.xyz").refused("not the name of a context");
    folder.write("bad.cxt", STATES.replacen("X..X", "X.?X", 1));
    build("bad.cxt").refused("bad.cxt: line 14, column 3: '?' is neither a cross X nor a dot");
    folder.write("none.cxt", "B\n\n0\n1\n\nx\n");
    build("none.cxt").refused("none.cxt: the context has no objects");
    folder.write("twice.cxt", STATES.replacen("once", "never", 1));
    build("twice.cxt").refused("are both called \"never\"");
    folder.write("bad.cxt.gz", "not compressed");
    build("bad.cxt.gz").refused("bad.cxt.gz: cannot read the file");
    folder.write("broken.owl", "<rdf:RDF><owl:Class></rdf:RDF>");
    folder.run(&["lattice", "check", "broken.owl"]).refused("broken.owl: line 1, column ");

    folder.write("cycle.toml", "[[class]]\nterm = \"married\"\nparent = \"single\"\n[[class]]\nterm = \"single\"\nparent = \"married\"\n");
    let owl = ["lattice", "owl", "states.cxt", "--topic", "state", "--overrides"];
    let with = |overrides: &'static str| {
        let mut args = owl.to_vec();
        args.extend([overrides, "-o", "x.owl"]);
        folder.run(&args)
    };
    with("cycle.toml").refused(
        "cycle.toml: the overrides make a cycle in the hierarchy: single → married → single",
    );
    folder.write("typo.toml", "[[class]]\nterm = \"married\"\nperent = \"single\"\n");
    with("typo.toml").refused("unknown field `perent`");
    folder.write("near.toml", "[[class]]\nterm = \"maried\"\n");
    with("near.toml").refused("did you mean \"married\"?");
    assert!(!folder.path("x.owl").exists());
    folder.write(
        "strays.toml",
        "drop = [\"singel\", \"snow\"]\n[[class]]\nterm = \"marrieds\"\nparent = \"single\"\n",
    );
    let strays = with("strays.toml");
    assert_eq!(strays.code, 0, "{}", strays.stderr);
    for warning in [
        "strays.toml: drop: \"singel\" is not a term of the context; did you mean \"single\"?",
        "strays.toml: drop: \"snow\" is not a term of the context\n",
        "\"marrieds\" is not a term of the context and becomes a new class; did you mean \"married\"?",
    ] {
        assert!(strays.stderr.contains(warning), "{}", strays.stderr);
    }

    folder.write("imports.ofn", "Ontology(<urn:x> Import(<http://127.0.0.1:9/never>))");
    let checked = folder.run(&["lattice", "check", "imports.ofn", "--json"]);
    assert_eq!(checked.code, 1);
    assert_eq!(checked.json()["problems"][0]["subject"], "http://127.0.0.1:9/never");
}

#[test]
fn files_that_ontrail_did_not_make_are_not_replaced() {
    let folder = states();
    folder.write("mine.svg", "<svg/>");
    folder.run(&["lattice", "draw", "states.cxt", "-o", "mine.svg"]).refused("mine.svg");
    assert_eq!(fs::read_to_string(folder.path("mine.svg")).unwrap(), "<svg/>");
    folder
        .run(&["lattice", "convert", "states.cxt", "-o", "states.cxt"])
        .refused("is an input of this command");

    // If one of several outputs may not be replaced, none is written.
    let owl =
        ["lattice", "owl", "states.cxt", "--topic", "state", "-o", "new.owl", "-o", "mine.ttl"];
    folder.write("mine.ttl", "");
    folder
        .run(&owl)
        .refused("mine.ttl: already exists and holds something that Ontrail did not make");
    assert!(!folder.path("new.owl").exists());
    // A file that was made and then edited is not replaced either.
    assert_eq!(folder.run(&["lattice", "draw", "states.cxt", "-o", "a.svg"]).code, 0);
    assert_eq!(folder.run(&["lattice", "draw", "states.cxt", "-o", "a.svg"]).code, 0);
    folder.write("a.svg", "<svg>mine</svg>");
    let again = folder.run(&["lattice", "draw", "states.cxt", "-o", "a.svg"]);
    again.refused("a.svg: has been changed since Ontrail made it");
}

/// The commands of ontologies/README.md make every file in the folder again, byte for byte.
#[test]
fn the_ontologies_that_ship_can_be_made_again() {
    let folder = Folder::new();
    let readme = fs::read_to_string(root().join("ontologies/README.md")).unwrap();
    for name in ["rainstorm", "tourism"] {
        for input in ["terms.txt", "overrides.toml"] {
            let path = format!("ontologies/{name}/{input}");
            folder.write(&path, fs::read(root().join(&path)).unwrap());
        }
        let pages = format!("datasets/{name}-pages");
        for entry in fs::read_dir(root().join(&pages).join("pages")).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{pages}/pages/{}", entry.file_name().to_string_lossy());
            folder.write(&path, fs::read(entry.path()).unwrap());
        }
        for file in ["dataset.toml", "README.md"] {
            let path = format!("{pages}/{file}");
            folder.write(&path, fs::read(root().join(&path)).unwrap());
        }
    }
    let commands = shell_commands(&readme);
    assert_eq!(commands.len(), 6);
    for command in commands {
        let args: Vec<&str> = command.split_whitespace().collect();
        let ran = folder.run(&args[1..]);
        assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
    }
    for (name, classes, levels, branches) in [("rainstorm", 50, 6, 3), ("tourism", 61, 7, 7)] {
        let shipped = root().join("ontologies").join(name);
        for entry in fs::read_dir(&shipped).unwrap() {
            let file = entry.unwrap().file_name().to_string_lossy().into_owned();
            let made = folder.path(&format!("ontologies/{name}/{file}"));
            let same = fs::read(&made).ok() == Some(fs::read(shipped.join(&file)).unwrap());
            assert!(same, "ontologies/{name}/{file} is not what the commands make");
        }
        let path = format!("ontologies/{name}/{name}.owl");
        let report = folder.run(&["lattice", "check", &path, "--json"]);
        assert_eq!(report.code, 0, "{}", report.stdout);
        let report = report.json();
        let found = [&report["classes"], &report["levels"], &report["branches"]];
        assert_eq!(found, [&json!(classes), &json!(levels), &json!(branches)], "{name}");
        assert_eq!(report["problems"], json!([]));
        let turtle = format!("ontologies/{name}/{name}.ttl");
        assert_eq!(folder.run(&["lattice", "diff", &path, &turtle]).code, 0);
    }
}

#[test]
fn an_ontology_whose_entities_fill_the_memory_is_refused() {
    let folder = Folder::new();
    let tower: String = (1..8)
        .map(|level| format!("<!ENTITY e{level} \"{}\">\n", format!("&e{};", level - 1).repeat(10)))
        .collect();
    let bomb = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE rdf:RDF [\n<!ENTITY e0 \"x>{}\">\n{tower}]>\n\
         <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\
         <rdf:Description rdf:about=\"&e7;\"/></rdf:RDF>",
        "a".repeat(60)
    );
    folder.write("bomb.owl", &bomb);
    let refused = folder.run(&["lattice", "check", "bomb.owl"]);
    assert_eq!(refused.code, 2);
    let expected =
        "bomb.owl: line 12, column 94: the entities of this file expand to more than 8 MB";
    assert!(refused.stderr.contains(expected), "{}", refused.stderr);
}
