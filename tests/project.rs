//! End-to-end tests of `ontrail new` and `ontrail run`.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use ontrail_tests::web::{Asked, Reply, Server};
use ontrail_tests::{Folder, Ran, root};
use serde_json::{Value, json};

/// Creates a project with pages, seeds and a web to crawl.
fn project() -> Folder {
    let folder = Folder::new();
    let made = folder.run(&["new", "rain", "--topic", "暴雨灾害", "--lang", "zh"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    for number in 1..=24 {
        let name = format!("{number:03}.html");
        let page = root().join("datasets/rainstorm-pages/pages").join(&name);
        fs::copy(page, folder.path("rain/pages").join(&name)).unwrap();
    }
    folder.write("rain/seeds.txt", "http://localhost/001.html\nhttp://localhost/002.html\n");
    change(&folder, "# web = \"web.warc.gz\"", "web = \"pages\"");
    change(&folder, "budget = 1000", "budget = 8");
    folder
}

fn change(folder: &Folder, from: &str, to: &str) {
    let path = folder.path("rain/ontrail.toml");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

fn append(folder: &Folder, text: &str) {
    let path = folder.path("rain/ontrail.toml");
    fs::write(&path, fs::read_to_string(&path).unwrap() + text).unwrap();
}

fn run(folder: &Folder, more: &[&str]) -> Ran {
    folder.run(&[&["run", "rain"], more].concat())
}

/// Returns the state of each stage.
fn states(folder: &Folder, more: &[&str]) -> Vec<(String, String)> {
    let ran = run(folder, &[&["--json"], more].concat());
    assert!(ran.code < 2, "{}", ran.stderr);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let stages = ran.json()["stages"].clone();
    stages.as_array().unwrap().iter().map(|it| (text(&it["stage"]), text(&it["state"]))).collect()
}

fn all(state: &str) -> Vec<(String, String)> {
    let names = ["context", "ontology", "topic", "crawl", "report"];
    names.iter().map(|name| ((*name).to_owned(), state.to_owned())).collect()
}

/// Returns the JSON output about a stage.
fn stage(folder: &Folder, name: &str, more: &[&str]) -> Value {
    let ran = run(folder, &[&["--json"], more].concat()).json();
    ran["stages"].as_array().unwrap().iter().find(|it| it["stage"] == name).unwrap().clone()
}

fn downloaded(folder: &Folder, crawl: &str) -> u64 {
    let summary = fs::read_to_string(folder.path("rain/crawls").join(crawl).join("summary.json"));
    let summary: Value = serde_json::from_str(&summary.unwrap()).unwrap();
    summary["downloaded"].as_u64().unwrap()
}

#[test]
fn a_new_project_lists_everything_that_is_missing() {
    let folder = Folder::new();
    let made = folder.run(&["new", "rain", "--topic", "暴雨灾害", "--lang", "zh", "--json"]);
    assert_eq!(made.json(), json!({ "project": "rain", "topic": "暴雨灾害" }));
    for name in ["ontrail.toml", "seeds.txt", "pages", "models", "crawls"] {
        assert!(folder.path("rain").join(name).exists(), "{name}");
    }
    let ran = run(&folder, &[]);
    ran.refused("the project is not ready");
    for what in [
        "[context] data: pages: this folder is empty; put pages about 暴雨灾害 there",
        "[crawl] seeds: seeds.txt: no seed URLs yet; add some, one per line",
        "[crawl] contact: missing; give a mail address or web page",
    ] {
        assert!(ran.stderr.contains(what), "{}", ran.stderr);
    }
    folder.run(&["new", "rain", "--topic", "x"]).refused("rain: this folder already is a project");
    folder.write("other/thesis.txt", "x");
    folder
        .run(&["new", "other", "--topic", "x"])
        .refused("other: exists and is not an empty folder");
    folder.run(&["new", "third", "--topic", " "]).refused("--topic: give a name");
    folder.run(&["run"]).refused("no ontrail.toml here or above");
    folder
        .run(&["inspect", "rain"])
        .refused("rain: this is a project; try `ontrail run --dry-run rain`");
    folder.run(&["run", "other"]).refused("other: not a project, because it has no ontrail.toml");
}

#[test]
fn stages_that_are_up_to_date_do_not_run_again() {
    let folder = project();
    assert_eq!(states(&folder, &["--dry-run"]), all("due"));
    assert!(!folder.path("rain/models/context.cxt").exists(), "nothing was done");
    let ran = run(&folder, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout.lines().last(), Some("rain/report.html"), "as it is called from here");
    assert!(ran.stdout.contains(
        "$ ontrail lattice owl models/context.cxt --tree --topic 暴雨灾害 -o models/ontology.owl"
    ));
    assert_eq!(downloaded(&folder, "1"), 8);
    let report = fs::read_to_string(folder.path("rain/report.html")).unwrap();
    assert!(report.contains("<html lang=\"zh\">") && report.contains("<h1>暴雨灾害</h1>"));
    let owl = fs::read(folder.path("rain/models/ontology.owl")).unwrap();
    assert_eq!(states(&folder, &[]), all("up-to-date"));
    // The project is also found from a folder inside it.
    let below = std::process::Command::new(ontrail_tests::binary())
        .args(["-q", "run", "--until", "topic"])
        .current_dir(folder.path("rain/crawls/1"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&below.stdout).matches("(up to date)").count(), 3);
    // Another page: every stage that depends on it runs, and a new crawl for the new topic.
    fs::write(folder.path("rain/pages/x.html"), "<title>暴雨</title><p>暴雨 洪水 预警").unwrap();
    let context = stage(&folder, "context", &["--dry-run"]);
    assert_eq!(
        (&context["state"], &context["because"]),
        (&json!("due"), &json!("pages has changed"))
    );
    assert_eq!(states(&folder, &[])[0].1, "done");
    assert!(
        folder.path("rain/crawls/2/run.json").exists()
            && folder.path("rain/crawls/1/run.json").exists()
    );
    // Without that page, the outputs have the same bytes as before.
    fs::remove_file(folder.path("rain/pages/x.html")).unwrap();
    assert_eq!(states(&folder, &["--until", "ontology"])[0].1, "done");
    assert_eq!(fs::read(folder.path("rain/models/ontology.owl")).unwrap(), owl);
}

#[test]
fn edited_files_are_kept_and_never_replaced() {
    let folder = project();
    assert_eq!(run(&folder, &[]).code, 0);
    let path = folder.path("rain/models/topic.json");
    let edited =
        fs::read_to_string(&path).unwrap().replacen("\"weight\": 0.", "\"weight\": 0.0", 1);
    fs::write(&path, &edited).unwrap();
    let ran = run(&folder, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("models/topic.json: this file was edited since it was made, so it is kept"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout.contains(
            "crawl: Crawl pages on the topic (models/topic.json has changed; crawls/1 is kept)"
        ),
        "{}",
        ran.stdout
    );
    assert!(folder.path("rain/crawls/2").exists());
    assert_eq!(fs::read_to_string(&path).unwrap(), edited);
    // If the edited file would have to be made again, the user must decide.
    change(&folder, "tree = true", "tree = false");
    let ran = run(&folder, &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("models/topic.json"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&path).unwrap(), edited);
}

#[test]
fn a_crawl_is_resumed_or_extended_and_never_lost() {
    let folder = project();
    assert_eq!(run(&folder, &[]).code, 0);
    let crawl = folder.run(&["inspect", "rain/crawls/1"]);
    crawl.refused("the folder of a crawl; try `ontrail crawl status rain/crawls/1`");
    // As if the crawl had been killed before it wrote its progress.
    fs::remove_file(folder.path("rain/crawls/1/progress.json")).unwrap();
    let crawl = stage(&folder, "crawl", &[]);
    assert_eq!(crawl["because"], "it was interrupted and is resumed");
    assert_eq!(crawl["command"], "ontrail crawl resume crawls/1");
    assert_eq!(states(&folder, &[]), all("up-to-date"));
    change(&folder, "budget = 8", "budget = 15");
    let crawl = stage(&folder, "crawl", &[]);
    assert_eq!(crawl["command"], "ontrail crawl resume crawls/1 --budget 15");
    assert_eq!(downloaded(&folder, "1"), 15);
    assert_eq!(states(&folder, &[]), all("up-to-date"));
    change(&folder, "recipe = \"ontrail\"", "recipe = \"bfs\"");
    let crawl = stage(&folder, "crawl", &[]);
    assert!(
        crawl["because"].as_str().unwrap().contains("its settings have changed: bfs"),
        "{crawl}"
    );
    assert!(crawl["command"].as_str().unwrap().ends_with("-o crawls/2"));
    let crawl = stage(&folder, "crawl", &["--again", "crawl"]);
    assert!(crawl["command"].as_str().unwrap().ends_with("-o crawls/3"));
    for number in ["1", "2", "3"] {
        assert_eq!(downloaded(&folder, number), 15, "{number}");
    }
}

#[test]
fn settings_without_a_flag_reach_the_crawl() {
    let folder = project();
    change(&folder, "# [crawl.settings.caps]", "[crawl.settings.caps]\npages-per-host = 3");
    assert_eq!(run(&folder, &[]).code, 0);
    assert_eq!(downloaded(&folder, "1"), 3);
    assert_eq!(states(&folder, &[]), all("up-to-date"));
    change(&folder, "pages-per-host = 3", "pages-per-host = 4");
    assert_eq!(run(&folder, &[]).code, 0);
    assert_eq!(downloaded(&folder, "2"), 4);
}

/// Returns the files below a folder that contain a text.
fn files_with(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if fs::read(&path).unwrap().windows(text.len()).any(|it| it == text.as_bytes()) {
            found.push(path.strip_prefix(folder).unwrap().to_owned());
        }
    }
    found.into_iter().map(|path| PathBuf::from(folder.file_name().unwrap()).join(path)).collect()
}

#[test]
fn secrets_of_a_project_stay_in_its_file_and_in_that_of_the_crawl() {
    let server = Server::start("127.0.0.2", |asked: &Asked| match asked.path.as_str() {
        "/" => Reply::html("<title>rain</title><p>暴雨"),
        _ => Reply::status(404),
    });
    let folder = project();
    folder.write("rain/seeds.txt", format!("http://{}/\n", server.address));
    change(
        &folder,
        "web = \"pages\"",
        "contact = \"test@example.org\"\nallow-private = \"127.0.0.2\"\n\
         header = [\"Cookie: key-one\", \"DNT: 1\"]\n\
         header-for = [\"127.0.0.2\", \"X-Two: key-two\"]",
    );
    append(
        &folder,
        "\n[crawl.settings.fetch]\nheaders = { X-Three = \"key-three\" }\n\
         headers-for.\"127.0.0.2\" = { X-Four = \"key-four\" }\n",
    );
    let ran = run(&folder, &["-v"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let asked = server.asked().into_iter().find(|asked| asked.path == "/").unwrap();
    let sent = [("cookie", "one"), ("x-two", "two"), ("x-three", "three"), ("x-four", "four")];
    for (name, value) in sent {
        let secret = format!("key-{value}");
        assert_eq!(asked.header(name), secret);
        assert!(!ran.stdout.contains(&secret) && !ran.stderr.contains(&secret), "{secret}");
        let mut places = files_with(&folder.path("rain"), &secret);
        places.sort();
        assert_eq!(places, ["rain/crawls/1/secrets.json", "rain/ontrail.toml"].map(PathBuf::from));
    }
    assert!(ran.stdout.contains("'Cookie: hidden'"), "{}", ran.stdout);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let file = fs::metadata(folder.path("rain/crawls/1/secrets.json")).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(states(&folder, &[]), all("up-to-date"));
}

#[test]
fn every_stage_of_a_project_feeds_the_next() {
    let folder = project();
    let data = |name: &str| root().join("datasets").join(name).display().to_string();
    append(
        &folder,
        &format!(
            "\n[classifier]\ndata = {news:?}\nmode = \"exponent\"\n[evaluation]\n[sdg]\nbackground = {news:?}\ntheta = 0.5\nrelevant = \"rainstorm\"\n",
            news = data("news-mini")
        ),
    );
    let ran = run(&folder, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let settings = fs::read_to_string(folder.path("rain/crawls/1/run.json")).unwrap();
    for model in ["models/topic.json", "models/classifier", "models/sdg.json"] {
        assert!(settings.contains(model), "{model}");
    }
    let report = fs::read_to_string(folder.path("rain/report.html")).unwrap();
    for part in ["ontology", "topic", "classifier", "senses", "crawls", "pages"] {
        assert!(report.contains(&format!("id=\"{part}\"")), "{part}");
    }
    let made = folder.run(&["inspect", "rain/models/classifier", "--json"]).json();
    assert_eq!(made["provenance"]["arguments"][0], "bcw", "{made}");
    assert_eq!(stage(&folder, "evaluation", &[])["state"], "up-to-date");
}

#[test]
fn topics_come_from_texts_or_keywords_too() {
    let folder = project();
    let english = Folder::new();
    assert_eq!(english.run(&["new", "rain", "--topic", "heavy rain"]).code, 0);
    assert!(
        fs::read_to_string(english.path("rain/ontrail.toml"))
            .unwrap()
            .contains("Lines that start with # show other common settings")
    );
    change(
        &folder,
        "from = \"ontology\"",
        "from = \"keywords\"\nterms = [\"暴雨=1\", \"洪水=0.5\"]",
    );
    assert_eq!(run(&folder, &["--until", "topic"]).code, 0);
    let topic = fs::read_to_string(folder.path("rain/models/topic.json")).unwrap();
    assert!(topic.contains("\"keywords\"") && topic.contains("洪水"));
    fs::remove_file(folder.path("rain/models/topic.json")).unwrap();
    change(
        &folder,
        "from = \"keywords\"\nterms = [\"暴雨=1\", \"洪水=0.5\"]",
        "from = \"texts\"\nmin-df = 2",
    );
    assert_eq!(run(&folder, &["--until", "topic"]).code, 0);
    let topic = fs::read_to_string(folder.path("rain/models/topic.json")).unwrap();
    assert!(topic.contains("\"texts\""));
}

#[test]
fn mistakes_in_the_file_are_named_with_their_place() {
    let folder = project();
    change(&folder, "budget = 8", "budgte = 8");
    run(&folder, &[]).refused("ontrail.toml:");
    run(&folder, &[]).refused("[crawl]: unknown setting `budgte`; did you mean `budget`?");
    change(&folder, "budgte = 8", "budget = \"many\"");
    let ran = run(&folder, &[]);
    ran.refused("[crawl] invalid value 'many' for '--budget <N>'");
    assert!(!ran.stderr.contains("Usage"), "{}", ran.stderr);
    change(&folder, "budget = \"many\"", "budget = 8\nrecipe-file = 1");
    run(&folder, &[]).refused("[crawl]: unknown setting `recipe-file`");
    run(&folder, &["--until", "nowhere"]).refused("the stages are context, ontology");
    change(&folder, "recipe-file = 1", "");
    run(&folder, &["--again", "sdg"]).refused("ontrail.toml has no [sdg]");
    change(&folder, "data = \"pages\"", "data = \"missing\"");
    run(&folder, &[]).refused("[context] data: missing: no such file or folder");
    let nothing: PathBuf = folder.path("rain/models");
    assert_eq!(fs::read_dir(nothing).unwrap().count(), 0, "nothing was done");
}

#[test]
fn all_problems_are_reported_before_any_stage_runs() {
    let folder = project();
    change(&folder, "recipe = \"ontrail\"", "recipe = \"ontrial\"");
    change(&folder, "web = \"pages\"", "web = \"nowhere\"\nclass = \"x\"\nurls = [\"no address\"]");
    change(&folder, "top = 50", "top = \"many\"");
    append(
        &folder,
        "\n[evaluation]\n[sdg]\nbackground = \"pages\"\noutput = \"models/topic.json\"\n",
    );
    let ran = run(&folder, &["--dry-run"]);
    ran.refused("the project is not ready");
    for problem in [
        "[context] invalid value 'many' for '--top <N>'",
        "[evaluation] data: missing; name documents that the classifier was not trained on",
        "[topic] output: models/topic.json: another stage writes to this path",
        "[crawl] the following required arguments were not provided: --classifier",
        "[crawl] web: nowhere: no such archive or folder",
        "[crawl] urls: \"no address\" is not an http or https URL",
        "did you mean `ontrail`?",
    ] {
        assert!(ran.stderr.contains(problem), "{problem}: {}", ran.stderr);
    }
    assert!(
        !ran.stderr.contains("error: error") && !ran.stderr.contains("--help"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_crawl_that_failed_or_fetched_nothing_is_not_up_to_date() {
    let folder = project();
    assert_eq!(run(&folder, &[]).code, 0);
    // A recipe without its classifier is refused before any stage runs; the finished crawl is
    // still recorded.
    change(&folder, "recipe = \"ontrail\"", "recipe = \"bcw-cc\"");
    run(&folder, &["--dry-run"]).refused("[crawl] recipe: recipe bcw-cc");
    run(&folder, &[]).refused("[crawl] recipe: recipe bcw-cc");
    change(&folder, "recipe = \"bcw-cc\"", "recipe = \"ontrail\"");
    assert_eq!(states(&folder, &[]), all("up-to-date"));
    // Without a budget the default applies, which differs from that of the crawl.
    change(&folder, "budget = 8", "");
    let crawl = stage(&folder, "crawl", &[]);
    assert!(crawl["command"].as_str().unwrap().ends_with("-o crawls/2"), "{crawl}");
    folder.write("rain/seeds.txt", "http://localhost/nowhere.html\n");
    assert_eq!(run(&folder, &[]).code, 1);
    folder.write("rain/pages/nowhere.html", "<title>暴雨</title><p>暴雨");
    assert_eq!(run(&folder, &["--until", "topic"]).code, 0);
    assert_eq!(run(&folder, &[]).code, 0, "it is tried again");
    assert_eq!(downloaded(&folder, "4"), 1);
    // A crawl whose queue was in memory cannot be resumed.
    change(&folder, "[crawl]", "[crawl]\nfrontier = \"memory\"");
    assert_eq!(run(&folder, &[]).code, 0);
    fs::remove_file(folder.path("rain/crawls/5/progress.json")).unwrap();
    let crawl = stage(&folder, "crawl", &[]);
    assert!(crawl["command"].as_str().unwrap().ends_with("-o crawls/6"), "{crawl}");
}

#[test]
fn files_named_like_a_setting_do_not_make_a_stage_outdated() {
    let folder = project();
    assert_eq!(run(&folder, &[]).code, 0);
    for name in ["crawl", "ontrail", "lattice", "暴雨灾害", "8"] {
        folder.write(&format!("rain/{name}/notes.txt"), "mine");
    }
    assert_eq!(states(&folder, &[]), all("up-to-date"));
    folder.write("rain/crawls/18446744073709551615/x", "");
    let ran = run(&folder, &["--again", "crawl"]);
    assert!(ran.code == 2 && ran.stderr.contains("no number is left"), "{}", ran.stderr);
}

#[test]
fn files_of_the_user_are_not_replaced() {
    let folder = project();
    change(&folder, "# [crawl.settings.caps]", "[crawl.settings.caps]");
    folder.write("rain/models/crawl-settings.toml", "# mine\n");
    let ran = run(&folder, &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("models/crawl-settings.toml"), "{}", ran.stderr);
    assert_eq!(
        fs::read_to_string(folder.path("rain/models/crawl-settings.toml")).unwrap(),
        "# mine\n"
    );
    // An edited ledger is refused with advice.
    let ledger = folder.path("rain/models/stages.json");
    let text = fs::read_to_string(&ledger).unwrap();
    fs::write(&ledger, text.replacen("models/context.cxt", "models/other.cxt", 1)).unwrap();
    run(&folder, &[]).refused("remove this file to run every stage again");
    fs::write(&ledger, "{").unwrap();
    run(&folder, &[]).refused("remove this file to run every stage again");
}

#[test]
fn values_that_look_like_flags_are_values() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["new", "rain", "--topic=--help"]).code, 0);
    let text = "[project]\ntopic = \"--help\"\n[topic]\nfrom = \"keywords\"\nterms = [\"--help=1\", \"rain=0.5\"]\n";
    folder.write("rain/ontrail.toml", text);
    let ran = run(&folder, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        fs::read_to_string(folder.path("rain/models/topic.json")).unwrap().contains("\"--help\"")
    );
}

#[test]
fn a_report_needs_at_least_a_crawl_to_show() {
    let folder = Folder::new();
    folder.write("web/index.html", "<title>home</title>");
    let project = "[project]\ntopic = \"x\"\n[report]\n";
    folder.write("rain/ontrail.toml", project);
    run(&folder, &[]).refused("[report] nothing to show; add the table of another stage");
    let crawl =
        "[crawl]\nweb = \"../web\"\nurls = [\"http://localhost/index.html\"]\nrecipe = \"bfs\"\n";
    folder.write("rain/ontrail.toml", project.to_owned() + crawl);
    let ran = run(&folder, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(folder.path("rain/report.html").exists());
}

#[test]
fn the_whole_output_of_a_stage_is_shown_with_v() {
    let folder = project();
    let short = run(&folder, &["--until", "topic"]);
    assert!(short.stdout.contains("more lines ("), "{}", short.stdout);
    let whole = run(&folder, &["--until", "topic", "--again", "topic", "-v"]);
    assert_eq!(whole.code, 0, "{}", whole.stderr);
    assert!(!whole.stdout.contains("more lines ("), "{}", whole.stdout);
}
