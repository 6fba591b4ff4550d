//! The layers of ARCHITECTURE.md: which package may depend on which, and where heavy crates may be
//! used.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use ontrail_tests::root;

/// Returns the dependencies of each package of the workspace, without dev-dependencies.
fn manifests() -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::new();
    for folder in ["crates", "tools"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path().join("Cargo.toml");
            let manifest: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
            let name = manifest["package"]["name"].as_str().unwrap().to_owned();
            let dependencies = manifest["dependencies"].as_table().unwrap().keys().cloned();
            found.insert(name, dependencies.collect());
        }
    }
    found
}

/// The packages of the workspace that each package may use. A new package must be added here and in
/// ARCHITECTURE.md.
const ALLOWED: [(&str, &[&str]); 40] = [
    ("ontrail-text", &[]),
    ("ontrail-anchor", &[]),
    ("ontrail-calibration", &[]),
    ("ontrail-learner", &[]),
    ("ontrail-artifact", &[]),
    ("ontrail-archive", &[]),
    ("ontrail-numbers", &[]),
    ("ontrail-cells", &[]),
    ("ontrail-depot", &["artifact"]),
    ("ontrail-cli", &["artifact", "numbers"]),
    ("ontrail-page", &["text"]),
    ("ontrail-corpus", &["cells", "table", "text"]),
    ("ontrail-fca", &["cells"]),
    ("ontrail-serve", &[]),
    ("ontrail-table", &[]),
    ("ontrail-taxonomy", &[]),
    ("ontrail-diagram", &[]),
    ("ontrail-report", &["diagram", "numbers"]),
    ("ontrail-ontology", &["fca", "taxonomy"]),
    ("ontrail-domain", &["fca", "text"]),
    ("ontrail-topic", &["anchor", "artifact", "page", "taxonomy", "text"]),
    ("ontrail-bcw", &["artifact", "page", "text"]),
    ("ontrail-sdg", &["artifact", "diagram", "fca", "numbers", "page", "text"]),
    ("ontrail-pilot", &["anchor", "calibration", "learner"]),
    ("ontrail-crawl", &["archive", "artifact", "calibration", "page", "pilot", "table"]),
    (
        "ontrail-focus",
        &[
            "artifact",
            "bcw",
            "calibration",
            "crawl",
            "learner",
            "ontology",
            "page",
            "pilot",
            "sdg",
            "taxonomy",
            "text",
            "topic",
        ],
    ),
    (
        "ontrail-lab",
        &[
            "archive",
            "artifact",
            "calibration",
            "crawl",
            "focus",
            "intake",
            "page",
            "pilot",
            "serve",
            "text",
        ],
    ),
    ("ontrail-intake", &["archive", "corpus", "page", "text"]),
    ("ontrail-tool-input", &["artifact", "cli", "corpus", "intake"]),
    ("ontrail-tool-inspect", &["archive", "artifact", "cli", "intake", "page", "text"]),
    ("ontrail-tool-corpus", &["artifact", "cli", "corpus", "intake", "text", "tool-input"]),
    (
        "ontrail-tool-lattice",
        &[
            "artifact",
            "cli",
            "diagram",
            "domain",
            "fca",
            "intake",
            "ontology",
            "report",
            "taxonomy",
            "text",
            "tool-input",
        ],
    ),
    (
        "ontrail-tool-topic",
        &[
            "anchor",
            "artifact",
            "cli",
            "corpus",
            "diagram",
            "intake",
            "ontology",
            "page",
            "report",
            "sdg",
            "taxonomy",
            "text",
            "tool-input",
            "topic",
        ],
    ),
    (
        "ontrail-tool-crawl",
        &[
            "archive",
            "artifact",
            "calibration",
            "cells",
            "cli",
            "crawl",
            "depot",
            "diagram",
            "focus",
            "intake",
            "page",
            "pilot",
            "report",
            "serve",
            "table",
            "taxonomy",
            "tool-input",
        ],
    ),
    (
        "ontrail-tool-seeds",
        &["artifact", "cli", "crawl", "focus", "intake", "page", "pilot", "text", "topic"],
    ),
    (
        "ontrail-tool-sdg",
        &[
            "artifact",
            "cli",
            "corpus",
            "intake",
            "page",
            "report",
            "sdg",
            "text",
            "tool-input",
            "topic",
        ],
    ),
    (
        "ontrail-tool-lab",
        &[
            "artifact",
            "cells",
            "cli",
            "corpus",
            "crawl",
            "diagram",
            "focus",
            "intake",
            "lab",
            "pilot",
            "report",
            "tool-input",
        ],
    ),
    (
        "ontrail-tool-bcw",
        &["artifact", "bcw", "cli", "corpus", "intake", "page", "report", "text", "tool-input"],
    ),
    (
        "ontrail-tool-bench",
        &[
            "artifact", "bcw", "cli", "corpus", "crawl", "fca", "focus", "page", "pilot", "sdg",
            "serve", "taxonomy", "text", "topic",
        ],
    ),
    (
        "ontrail",
        &[
            "artifact",
            "bcw",
            "cli",
            "corpus",
            "crawl",
            "diagram",
            "focus",
            "intake",
            "lab",
            "ontology",
            "pilot",
            "report",
            "sdg",
            "taxonomy",
            "tool-bcw",
            "tool-bench",
            "tool-corpus",
            "tool-crawl",
            "tool-inspect",
            "tool-lab",
            "tool-lattice",
            "tool-sdg",
            "tool-seeds",
            "tool-topic",
            "topic",
        ],
    ),
];

/// The packages that may use a heavy crate, or a crate that belongs to one layer.
const CONFINED: [(&str, &[&str]); 32] = [
    ("lopdf", &["ontrail-page"]),
    ("pulldown-cmark", &["ontrail-page"]),
    ("open", &["ontrail"]),
    ("statrs", &["ontrail-lab"]),
    ("httparse", &["ontrail-serve"]),
    ("polars", &["ontrail-corpus", "ontrail-crawl", "ontrail-lab", "ontrail-table"]),
    ("polars-core", &["ontrail-corpus", "ontrail-crawl", "ontrail-lab", "ontrail-table"]),
    ("polars-io", &["ontrail-corpus", "ontrail-crawl", "ontrail-lab", "ontrail-table"]),
    ("html5ever", &["ontrail-page"]),
    ("jieba-rs", &["ontrail-text", "ontrail-tool-bench"]),
    ("indicatif", &["ontrail-cli"]),
    ("chardetng", &["ontrail-text"]),
    ("object_store", &["ontrail-depot"]),
    ("tempfile", &["ontrail-archive", "ontrail-artifact", "ontrail-depot", "ontrail-tool-bench"]),
    ("horned-owl", &["ontrail-ontology"]),
    ("sophia_api", &["ontrail-ontology"]),
    ("sophia_iri", &["ontrail-ontology"]),
    ("sophia_turtle", &["ontrail-ontology"]),
    ("oxrdfio", &["ontrail-ontology"]),
    ("resvg", &["ontrail-diagram"]),
    ("fjadra", &["ontrail-diagram"]),
    ("maud", &["ontrail-report"]),
    ("reqwest", &["ontrail-crawl", "ontrail-depot"]),
    ("tokio", &["ontrail-crawl", "ontrail-depot"]),
    ("fjall", &["ontrail-crawl"]),
    ("zstd", &["ontrail-archive"]),
    ("brotli-decompressor", &["ontrail-archive"]),
    ("sha1", &["ontrail-archive"]),
    ("linfa", &["ontrail-bcw"]),
    ("linfa-bayes", &["ontrail-bcw"]),
    ("ndarray", &["ontrail-bcw"]),
    (
        "rayon",
        &[
            "ontrail-bcw",
            "ontrail-cli",
            "ontrail-fca",
            "ontrail-lab",
            "ontrail-sdg",
            "ontrail-tool-bcw",
            "ontrail-tool-bench",
            "ontrail-tool-crawl",
            "ontrail-tool-lab",
            "ontrail-tool-topic",
        ],
    ),
];

#[test]
fn packages_depend_only_on_lower_layers() {
    let manifests = manifests();
    let known: BTreeSet<_> = ALLOWED.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(known, manifests.keys().cloned().collect());
    for (name, allowed) in ALLOWED {
        let ours =
            manifests[name].iter().filter_map(|dependency| dependency.strip_prefix("ontrail-"));
        let surplus: Vec<_> = ours.filter(|dependency| !allowed.contains(dependency)).collect();
        assert!(surplus.is_empty(), "{name} must not depend on {surplus:?}");
    }
}

#[test]
fn plain_cargo_commands_build_the_ontrail_binary() {
    let text = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    let members = manifest["workspace"]["default-members"].as_array().unwrap();
    assert_eq!(members.iter().filter_map(|m| m.as_str()).collect::<Vec<_>>(), ["tools/ontrail"]);
}

/// A library has its own error types and does not parse arguments.
#[test]
fn only_the_cli_library_depends_on_anyhow_and_clap() {
    for (name, dependencies) in manifests() {
        let is_library = !name.contains("-tool-") && name != "ontrail" && name != "ontrail-cli";
        for surplus in ["anyhow", "clap"].iter().filter(|_| is_library) {
            assert!(!dependencies.contains(*surplus), "{name} must not depend on {surplus}");
        }
    }
}

#[test]
fn heavy_crates_stay_where_they_are_used() {
    for (name, dependencies) in manifests() {
        for (heavy, places) in CONFINED {
            let is_fine = !dependencies.contains(heavy) || places.contains(&name.as_str());
            assert!(is_fine, "{name} must not depend on {heavy}");
        }
    }
}

#[test]
fn every_crate_has_a_readme_and_a_row_in_the_architecture() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let row = format!("| [{name}](crates/{name}/README.md) | ");
        assert!(text.contains(&row), "ARCHITECTURE.md has no row for {name}");
        let library = fs::read_to_string(path.join("src/lib.rs")).unwrap();
        assert!(
            library.contains("include_str!(\"../README.md\")"),
            "{name}: README.md is not its doc"
        );
    }
    assert!(text.len() <= 12_000, "ARCHITECTURE.md has {} bytes", text.len());
}
