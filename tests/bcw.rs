//! End-to-end tests of `ontrail bcw`.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;

use ontrail_tests::{Folder, root};
use serde_json::{Value, json};

fn path(name: &str) -> String {
    root().join(name).to_string_lossy().into_owned()
}

/// The labelled texts of datasets/news-mini as label and text, each on one line.
fn news() -> Rows {
    let mut texts = Vec::new();
    for class in ["rainstorm", "realty", "sports", "stocks", "technology"] {
        let mut files: Vec<_> = fs::read_dir(root().join("datasets/news-mini").join(class))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        let text = |file: &std::path::PathBuf| {
            fs::read_to_string(file).unwrap().replace(['\n', '\t'], " ")
        };
        texts.extend(files.iter().map(|file| (class.to_owned(), text(file))));
    }
    texts
}

fn table<'a>(rows: impl IntoIterator<Item = &'a (String, String)>) -> String {
    rows.into_iter().map(|(label, text)| format!("{label}\t{text}\n")).collect()
}

/// Documents as pairs of label and text.
type Rows = Vec<(String, String)>;

/// Splits the documents: every third one is for testing.
fn cut() -> (Rows, Rows) {
    let numbered = news().into_iter().enumerate();
    let (test, train): (Vec<_>, Vec<_>) = numbered.partition(|(n, _)| n % 3 == 0);
    let plain =
        |rows: Vec<(usize, (String, String))>| rows.into_iter().map(|(_, row)| row).collect();
    (plain(train), plain(test))
}

fn accuracy(report: &Value) -> f64 {
    report["accuracy"].as_f64().unwrap()
}

#[test]
fn a_classifier_is_trained_on_news_evaluated_and_used() {
    let folder = Folder::new();
    let data = path("datasets/news-mini");
    let report = folder.run(&["bcw", "train", &data, "-o", "news", "--json"]).json();
    assert_eq!(report["card"]["settings"]["mode"], "exponent");
    assert_eq!(report["card"]["classes"][0], json!({ "name": "rainstorm", "documents": 43 }));
    assert_eq!(report["card"]["validation"]["folds"], 5);
    assert!(report["card"]["validation"]["accuracy"].as_f64().unwrap() > 0.93);

    let report = folder.run(&["bcw", "eval", "news", &data, "--json"]).json();
    assert!(accuracy(&report) > 0.93, "{report}");
    let classes = report["classes"].as_object().unwrap();
    assert_eq!(classes.len(), 5);
    let sports = classes["sports"].as_object().unwrap();
    let mut keys: Vec<&str> = sports.keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["f1", "precision", "recall", "support"]);
    let supports: u64 = classes.values().map(|class| class["support"].as_u64().unwrap()).sum();
    assert_eq!(report["documents"], supports);
    let confused = report["confusion"].as_object().unwrap().values();
    let sum: u64 = confused
        .flat_map(|row| row.as_object().unwrap().values())
        .map(|n| n.as_u64().unwrap())
        .sum();
    assert_eq!(sum, supports);
    let right: u64 = ["rainstorm", "realty", "sports", "stocks", "technology"]
        .iter()
        .map(|class| report["confusion"][class][class].as_u64().unwrap())
        .sum();
    assert!((accuracy(&report) - right as f64 / supports as f64).abs() < 1e-12);

    let page = path("datasets/rainstorm-pages/pages/017.html");
    let line = folder.run(&["bcw", "predict", "news", &page]).stdout;
    let cells: Vec<&str> = line.trim_end().split('\t').collect();
    assert_eq!((cells[0], cells.len()), ("rainstorm", 4));
    assert!(cells[1].parse::<f64>().unwrap() > 0.5);
    assert!(!cells[2].is_empty() && cells[3] == page);
    assert!(folder.run(&["inspect", "news"]).stdout.contains("page classifier"));
    let readme = fs::read_to_string(folder.path("news/README.md")).unwrap();
    assert!(readme.contains("## Evaluation") && readme.contains("| sports |"), "{readme}");
}

#[test]
fn the_model_that_ships_is_the_one_that_its_command_makes() {
    let folder = Folder::new();
    let data = path("datasets/news-mini");
    let train = ["bcw", "train", &data, "-o", "news", "--auto", "--final", "--json"];
    let made = folder.run(&train).json();
    let shipped: Value =
        serde_json::from_str(&fs::read_to_string(path("models/news-mini/model.json")).unwrap())
            .unwrap();
    for key in ["features", "classes", "feature_count"] {
        assert_eq!(made["card"][key], shipped[key], "{key}: train it again, see models/README.md");
    }
    assert_eq!(made["card"]["settings"]["mode"], shipped["settings"]["mode"]);
    let evaluate = |model: &str| folder.run(&["bcw", "eval", model, &data, "--json"]).json();
    let (made, shipped) = (evaluate("news"), evaluate(&path("models/news-mini")));
    assert_eq!(made["confusion"], shipped["confusion"]);
    let stated = format!(
        "accuracy {:.3}, macro F1 {:.3}",
        accuracy(&shipped),
        shipped["macro_f1"].as_f64().unwrap()
    );
    let readme = fs::read_to_string(path("models/news-mini/README.md")).unwrap();
    assert!(readme.contains(&stated), "{stated}");
}

#[test]
fn models_of_two_halves_join_to_the_model_of_the_whole() {
    let folder = Folder::new();
    let texts = news();
    let (first, second) = texts.split_at(130);
    folder.write("whole.tsv", table(&texts));
    folder.write("first.tsv", table(first));
    folder.write("second.tsv", table(second));
    let train = |args: &[&str]| {
        let ran = folder.run(&[&["bcw", "train"], args].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    };
    for (name, mode) in [("b", "exponent"), ("l", "linear")] {
        let of = |data: &str, model: &str| {
            train(&[data, "-o", model, "--mode", mode, "--features", "words,c2"]);
        };
        of("whole.tsv", "whole");
        of("first.tsv", "half1");
        of("second.tsv", "half2");
        train(&["-o", "joined", "--update", "half1", "--update", "half2"]);
        train(&["second.tsv", "-o", "grown", "--update", "half1"]);
        for model in ["joined", "grown"] {
            for file in ["features.txt", "weights.bin", "evidence.bin", "model.json"] {
                let read = |model: &str| fs::read(folder.path(model).join(file)).unwrap();
                assert!(read(model) == read("whole"), "{name}: {model}/{file} differ");
            }
        }
    }
    // The first half has three classes; the second adds two.
    let card = fs::read_to_string(folder.path("half1/model.json")).unwrap();
    assert!(!card.contains("technology"));
}

#[test]
fn label_weights_make_sidebars_harmless() {
    let folder = Folder::new();
    let (train, test) = cut();
    folder.write("train.tsv", table(&train));
    for (n, (label, text)) in test.iter().enumerate() {
        // A sidebar of another class on every page.
        let others: Vec<&(String, String)> =
            train.iter().filter(|(other, _)| other != label).collect();
        let of_class = &others[(n * 37) % others.len()].0;
        let mut sidebar = String::new();
        for (_, text) in
            others.iter().filter(|(class, _)| class == of_class).cycle().skip(n).take(25)
        {
            let headline: String = text.chars().take(24).collect();
            sidebar += &format!("<div><a href='/x'>{headline}</a></div>");
        }
        let title: String = text.chars().take(16).collect();
        let html =
            format!("<title>{title}</title><h1>{title}</h1><p>{text}</p><div>{sidebar}</div>");
        folder.write(&format!("pages/{label}/{n:03}.html"), html);
    }
    let measure = |weights: &str| {
        let made =
            folder.run(&["bcw", "train", "train.tsv", "-o", weights, "--label-weights", weights]);
        assert_eq!(made.code, 0, "{}", made.stderr);
        accuracy(
            &folder.run(&["bcw", "eval", weights, "pages", "--content", "page", "--json"]).json(),
        )
    };
    let (with, without) = (measure("table"), measure("none"));
    assert!(with >= without + 0.02, "{with} with label weights, {without} without");
}

#[test]
fn texts_on_standard_input_are_classified_line_by_line() {
    let folder = Folder::new();
    let model = path("models/news-mini");
    let input = "暴雨红色预警，城区积水严重\nquux zyzzyx\n主队客场进球取胜\n";
    let ran = folder.run_with_input(&["bcw", "predict", &model, "-"], input);
    let lines: Vec<Vec<&str>> = ran.stdout.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!((lines[0][0], lines[0][3]), ("rainstorm", "line 1"));
    assert_eq!(lines[2][0], "sports");
    let unknown = folder.run_with_input(&["bcw", "predict", &model, "-", "--json"], "鿕\n").json();
    let answer = &unknown["documents"][0];
    assert_eq!(answer["known_features"], 0);
    let posteriors = answer["posteriors"].as_object().unwrap();
    // 44 of 216 documents are about sports, 43 about each of the others.
    assert!((posteriors["sports"].as_f64().unwrap() - 44.0 / 216.0).abs() < 1e-9);
    let told = folder.run_with_input(&["bcw", "predict", &model, "-"], "鿕\n").stdout;
    assert!(told.contains("no known word"), "{told}");
    let doubtful =
        folder.run_with_input(&["bcw", "predict", &model, "-", "--other-below", "0.5"], "鿕\n");
    assert!(doubtful.stdout.starts_with("other\t"), "{}", doubtful.stdout);
}

#[test]
fn a_text_file_is_read_in_the_same_way_as_in_training() {
    let folder = Folder::new();
    let model = path("models/news-mini");
    let data = path("datasets/news-mini");
    let all = folder.run(&["bcw", "eval", &model, &data, "--part", "all", "--json"]).json();
    let predicted = folder.run(&["bcw", "predict", &model, &data, "--json"]).json();
    let documents = predicted["documents"].as_array().unwrap();
    assert_eq!(all["documents"], documents.len());
    // The posteriors of the single files give the log-loss of the evaluation.
    let loss: f64 = documents
        .iter()
        .map(|answer| {
            let name = answer["name"].as_str().unwrap();
            let label = name.rsplit('/').nth(1).unwrap();
            -answer["posteriors"][label].as_f64().unwrap().ln()
        })
        .sum();
    let expected = all["log_loss"].as_f64().unwrap();
    assert!((loss / documents.len() as f64 - expected).abs() < 1e-9, "{loss} {expected}");
}

#[test]
fn documents_of_no_class_determine_the_threshold() {
    let folder = Folder::new();
    let model = path("models/news-mini");
    folder.write(
        "mixed.tsv",
        "sports\t主队客场进球取胜，球迷欢呼\nother\t红烧肉的做法：五花肉切块\n",
    );
    let evaluate = |threshold: &str| {
        folder
            .run(&["bcw", "eval", &model, "mixed.tsv", "--other-below", threshold, "--json"])
            .json()
    };
    assert!((accuracy(&evaluate("0")) - 0.5).abs() < 1e-12);
    let strict = evaluate("1");
    assert!((accuracy(&strict) - 0.5).abs() < 1e-12, "all are other: {strict}");
    assert_eq!(strict["confusion"]["other"]["other"], 1);
    assert_eq!(strict["classes"]["other"]["support"], 1);
}

#[test]
fn data_that_a_model_was_already_trained_on_is_reported() {
    let folder = Folder::new();
    let (train, _) = cut();
    folder.write("news.tsv", table(&train));
    assert_eq!(folder.run(&["bcw", "train", "news.tsv", "-o", "news", "--no-auto"]).code, 0);
    let again = folder.run(&["bcw", "train", "news.tsv", "-o", "news", "--update", "news"]);
    assert!(again.stderr.contains("news was already trained on it"), "{}", again.stderr);
    let twice = folder.run(&["bcw", "train", "-o", "both", "--update", "news", "--update", "news"]);
    assert!(twice.stderr.contains("given twice"), "{}", twice.stderr);
    let priors = "rainstorm=1,realty=1,sports=1,stocks=1,technology=9";
    let ran = folder.run(&["bcw", "train", "-o", "both", "--update", "news", "--priors", priors]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let answer = folder.run_with_input(&["bcw", "predict", "both", "-"], "鿕\n").stdout;
    assert!(answer.starts_with("technology\t0.69"), "{answer}");
}

#[test]
fn documents_learned_before_are_not_learned_again() {
    let folder = Folder::new();
    let (train, test) = cut();
    folder.write("news.tsv", table(&train));
    // Half of these documents are known already.
    folder.write("more.tsv", table(test.iter().chain(&train[..test.len()])));
    folder.write("all.tsv", table(train.iter().chain(&test)));
    let train_on = |data: &str, more: &[&str]| {
        let ran = folder.run(&[&["bcw", "train", data, "--json"], more].concat());
        (ran.json()["card"].clone(), ran.stderr)
    };
    train_on("news.tsv", &["-o", "news", "--no-auto"]);
    let (updated, warnings) = train_on("more.tsv", &["-o", "updated", "--update", "news"]);
    let wanted = format!("{} of {} documents were learned before", test.len(), 2 * test.len());
    assert!(warnings.contains(&wanted), "{warnings}");
    // The classifier is that of all documents, each once, and so is its held-out accuracy.
    let (whole, _) = train_on("all.tsv", &["-o", "whole", "--no-auto"]);
    assert_eq!(updated, whole);
    let joined =
        folder.run(&["bcw", "train", "-o", "x", "--update", "updated", "--update", "news"]);
    let wanted = format!("news: {} documents are in another classifier too", train.len());
    assert!(joined.stderr.contains(&wanted), "{}", joined.stderr);
}

#[test]
fn training_chooses_mode_and_features_unless_told_otherwise() {
    let folder = Folder::new();
    let (train, test) = cut();
    folder.write("train.tsv", table(&train));
    folder.write("test.tsv", table(&test));
    let card = |more: &[&str]| {
        let ran = folder.run(&[&["bcw", "train", "train.tsv", "-o", "m", "--json"], more].concat());
        ran.json()["card"].clone()
    };
    let (chosen, auto, plain) = (card(&[]), card(&["--auto"]), card(&["--no-auto"]));
    assert_eq!(chosen, auto);
    let candidates = chosen["candidates"].as_array().unwrap();
    assert!(candidates.len() >= 20, "{}", candidates.len());
    assert_eq!(plain["candidates"], Value::Null);
    assert_eq!(plain["settings"]["mode"], "exponent");
    assert_eq!(plain["features"], json!({ "words": true, "pairs": false, "characters": [] }));
    assert_eq!(card(&["--mode", "complement"])["candidates"], Value::Null);
    // Cross-validation trains in the same way.
    let folds = |more: &[&str]| {
        let eval = ["bcw", "eval", "train.tsv", "--folds", "2", "--json"];
        folder.run(&[&eval, more].concat()).json()["log_loss"].clone()
    };
    assert_eq!(folds(&[]), folds(&["--auto"]));
    assert_ne!(folds(&[]), folds(&["--no-auto"]));
    // Too few documents to hold some out are no reason to refuse, unless --auto was asked for.
    folder.write("few.tsv", "a\tred wine\nb\tgreen tea\n");
    let few = folder.run(&["bcw", "train", "few.tsv", "-o", "few"]);
    assert!(few.code == 0 && few.stderr.contains("not calibrated"), "{}", few.stderr);
    folder.run(&["bcw", "train", "few.tsv", "-o", "few", "--auto"]).refused("few.tsv");
}

#[test]
fn wrong_answers_are_listed_with_the_words_responsible() {
    let folder = Folder::new();
    let model = path("models/news-mini");
    folder.write(
        "wrong.tsv",
        "sports\t主队客场进球取胜，球迷欢呼\nstocks\t客场进球取胜，球迷欢呼 <b>\n\
         other\t暴雨红色预警，防汛抗旱\n",
    );
    let eval = ["bcw", "eval", &model, "wrong.tsv"];
    let report = folder.run(&[&eval[..], &["--json"]].concat()).json();
    let mistakes = report["mistakes"].as_array().unwrap();
    assert_eq!(mistakes.len(), 2);
    let stocks = mistakes.iter().find(|it| it["class"] == "stocks").unwrap();
    assert_eq!(stocks["answer"], "sports");
    assert!(stocks["document"].as_str().unwrap().ends_with('2'), "{stocks}");
    assert!(stocks["text"].as_str().unwrap().contains("球迷欢呼"), "{stocks}");
    let words: Vec<&str> = stocks["reasons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|reason| reason["feature"].as_str().unwrap())
        .collect();
    assert!(words.iter().any(|word| word.contains("球")), "{words:?}");
    let other = mistakes.iter().find(|it| it["class"] == "other").unwrap();
    assert_eq!(other["answer"], "rainstorm");
    let posteriors: Vec<f64> =
        mistakes.iter().map(|it| it["posterior"].as_f64().unwrap()).collect();
    assert!(posteriors[0] >= posteriors[1], "{posteriors:?}");

    let text = folder.run(&[&eval[..], &["--mistakes", "1", "-o", "wrong.html"]].concat()).stdout;
    assert!(text.contains("The 1 of 2 wrong answers") && text.contains("because of"), "{text}");
    let html = fs::read_to_string(folder.path("wrong.html")).unwrap();
    assert!(html.contains("Wrong answers") && !html.contains("欢呼 <b>"), "{html}");
    let strict = [&eval[..], &["--other-below", "1"]].concat();
    assert!(folder.run(&strict).stdout.contains("because of the threshold (--other-below)"));
}

#[test]
fn the_curve_of_the_threshold_shows_what_other_below_would_do() {
    let folder = Folder::new();
    let (model, data) = (path("models/news-mini"), path("datasets/news-mini"));
    let eval = |more: &[&str]| {
        folder.run(&[&["bcw", "eval", &model, &data, "--json"], more].concat()).json()
    };
    let curve = eval(&["-o", "curve.html"])["thresholds"].clone();
    assert_eq!(curve.as_array().unwrap().len(), 101);
    for step in [0_usize, 40, 60, 90] {
        let threshold = format!("0.{step:02}");
        let (point, with) = (&curve[step], eval(&["--other-below", &threshold]));
        let (all, others) = (with["documents"].as_f64().unwrap(), with["other"].as_f64().unwrap());
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{threshold}: {a} {b}");
        close(point["coverage"].as_f64().unwrap(), (all - others) / all);
        close(point["accuracy"].as_f64().unwrap(), accuracy(&with));
    }
    let html = fs::read_to_string(folder.path("curve.html")).unwrap();
    assert!(html.contains("documents answered with a class"), "{html}");
}

#[test]
fn documents_are_chosen_by_their_labels() {
    let folder = Folder::new();
    folder.write(
        "texts.tsv",
        "rain\t暴雨红色预警发布\nrain\t暴雨蓝色预警解除\nsports\t主队客场取胜\nsports\t球迷欢呼进球\n\
         stocks\t股市收盘上涨\n",
    );
    let convert = ["corpus", "convert", "texts.tsv", "--label", "rain", "--label", "stocks"];
    let ran = folder.run(&[&convert[..], &["-o", "some.tsv"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let some = fs::read_to_string(folder.path("some.tsv")).unwrap();
    assert_eq!((some.lines().count(), some.contains("sports")), (3, false), "{some}");
    let labels = ["--label", "rain", "--label", "sports"];
    let train = ["bcw", "train", "texts.tsv", "-o", "two", "--json"];
    let report = folder.run(&[&train[..], &labels].concat()).json();
    assert_eq!(report["card"]["classes"].as_array().unwrap().len(), 2);
    let report =
        folder.run(&[&["bcw", "eval", "two", "texts.tsv", "--json"], &labels[..]].concat());
    assert_eq!(report.json()["documents"], 4);
    let one = ["--label", "rain"];
    let predicted = folder.run(&[&["bcw", "predict", "two", "texts.tsv"], &one[..]].concat());
    assert_eq!(predicted.stdout.lines().count(), 2, "{}", predicted.stdout);
    let check = folder.run(&[&["corpus", "check", "texts.tsv", "--json"], &one[..]].concat());
    assert_eq!(check.json()["documents"], 2);
    let terms = folder.run(&[&["corpus", "terms", "texts.tsv"], &one[..]].concat());
    assert!(terms.stdout.contains("rain") && !terms.stdout.contains("sports"), "{}", terms.stdout);
    // In a folder of pages, the label is the subfolder.
    folder.write("pages/a/1.txt", "暴雨预警");
    folder.write("pages/b/2.txt", "球迷欢呼");
    let of_folder = folder.run(&["bcw", "predict", "two", "pages", "--label", "b"]).stdout;
    assert!(of_folder.lines().count() == 1 && of_folder.contains("2.txt"), "{of_folder}");
    let hint = "--label: no text has the label \"snow\"; the labels are rain, sports, stocks";
    for verb in [
        &["corpus", "split", "texts.tsv", "-o", "parts"][..],
        &["lattice", "context", "texts.tsv", "-o", "x.cxt"],
        &["bcw", "train", "texts.tsv", "-o", "x"],
        &["bcw", "eval", "two", "texts.tsv"],
        &["bcw", "predict", "two", "texts.tsv"],
    ] {
        folder.run(&[verb, &["--label", "snow"]].concat()).refused(hint);
    }
}

#[test]
fn cross_validation_is_compared_with_the_baseline() {
    let folder = Folder::new();
    let (train, _) = cut();
    folder.write("news.csv", {
        let rows: String =
            train.iter().map(|(label, text)| format!("{label},\"{text}\"\n")).collect();
        format!("label,text\n{rows}")
    });
    let folds = ["bcw", "eval", "news.csv", "--folds", "3", "--baseline", "--json"];
    let ran = folder.run(&folds);
    assert!(!ran.stderr.contains("multinomial_nb"), "{}", ran.stderr);
    let report = ran.json();
    assert_eq!(report["documents"], train.len());
    assert!(accuracy(&report) > 0.9, "{}", accuracy(&report));
    assert!(accuracy(&report["baseline"]) > 0.5 && accuracy(&report["baseline"]) < 1.0);
    let again = folder.run(&[&folds[..], &["--threads", "1"]].concat()).json();
    assert_eq!(report["confusion"], again["confusion"]);
    let data = path("datasets/news-mini");
    let report = folder
        .run(&["bcw", "eval", &path("models/news-mini"), &data, "--baseline", "--json"])
        .json();
    assert!(accuracy(&report["baseline"]) > 0.5, "{report}");
}

#[test]
fn an_evaluation_is_written_as_an_html_report() {
    let folder = Folder::new();
    let data = path("datasets/news-mini");
    let model = path("models/news-mini");
    let ran = folder.run(&["bcw", "eval", &model, &data, "-o", "report.html"]);
    assert!(ran.stdout.contains("Rows are true classes"), "{}", ran.stdout);
    let html = fs::read_to_string(folder.path("report.html")).unwrap();
    assert!(html.contains("Confusion") && html.contains("rainstorm"));
    let html = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!html.contains("http://") && !html.contains("https://"), "nothing is fetched");
    folder.run(&["bcw", "eval", &model, &data, "-o", "report.txt"]).refused("is written as .html");
}

#[test]
fn every_training_option_works() {
    let folder = Folder::new();
    let (train, test) = cut();
    folder.write("train.tsv", table(&train));
    folder.write("test.tsv", table(&test));
    let ways: [&[&str]; 9] = [
        &["--mode", "counts", "--smoothing", "laplace:1", "--idf", "--term-weights", "none"],
        &["--mode", "complement", "--priors", "uniform"],
        &["--mode", "linear", "--features", "words,c1,c2", "--cost", "2", "--blend", "0"],
        &["--features", "words,pairs", "--min-documents", "2"],
        &["--select", "chi2:3000"],
        &["--select", "gain:3000", "--features", "c2"],
        &["--hash-bits", "16", "--features", "words,c2"],
        &[
            "--label-weights",
            "3,2,1,1,0.5",
            "--priors",
            "rainstorm=2,realty=1,sports=1,stocks=1,technology=1",
        ],
        &["--label-weights", "learn"],
    ];
    for way in ways {
        let ran = folder.run(&[&["bcw", "train", "train.tsv", "-o", "model"], way].concat());
        assert_eq!(ran.code, 0, "{way:?}: {}", ran.stderr);
        let report = folder.run(&["bcw", "eval", "model", "test.tsv", "--json"]).json();
        assert!(accuracy(&report) > 0.88, "{way:?}: {}", accuracy(&report));
    }
    let literal = folder.run(&["bcw", "train", "train.tsv", "-o", "model", "--mode", "literal"]);
    assert_eq!(literal.code, 0, "{}", literal.stderr);
    let report = folder.run(&["bcw", "eval", "model", "test.tsv", "--json"]).json();
    assert!(accuracy(&report) < 0.3, "eq. 8 and 9 as printed: {}", accuracy(&report));
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let folder = Folder::new();
    let train = |args: &[&str]| folder.run(&[&["bcw", "train"], args, &["-o", "model"]].concat());
    folder.write("one.tsv", "rain\t暴雨\nrain\t洪水\n");
    train(&["one.tsv"]).refused("all documents are of the class `rain`");
    folder.write("silent.tsv", "rain\t暴雨\nsports\t！！！\n");
    train(&["silent.tsv"]).refused("the class `sports` has no usable words");
    folder.write(
        "tab.jsonl",
        "{\"label\":\"a\\tb\",\"text\":\"x\"}\n{\"label\":\"c\",\"text\":\"y\"}\n",
    );
    train(&["tab.jsonl"]).refused("the label \"a\\tb\" contains a tab or a line break");
    folder.write("bare/1.txt", "暴雨");
    train(&["bare"]).refused("no label");
    train(&["nowhere.tsv"]).refused("nowhere.tsv");
    folder.write("two.tsv", "rain\t暴雨 洪水\nsports\t进球 联赛\n");
    train(&["two.tsv", "--features", "letters"]).refused("use words, pairs and c1 to c8");
    train(&["two.tsv", "--smoothing", "discount:2"]).refused("discount:AMOUNT between 0 and 1");
    train(&["two.tsv", "--priors", "snow=1"]).refused("no class `snow`");
    train(&["two.tsv", "--label-weights", "-1,1,1,1,1"]).refused("each must be from 0 to 1000");
    train(&["two.tsv", "--cost", "nan", "--mode", "linear"]).refused("the cost is NaN");
    train(&["two.tsv", "--auto"]).refused("no class has five documents");
    train(&["two.tsv", "--mode", "linear", "--label-weights", "learn"])
        .refused("in mode exponent only");
    train(&["two.tsv", "--select", "chi2:0"]).refused("keep at least one");
    assert!(!folder.path("model").exists(), "nothing is left behind");

    let made = train(&["two.tsv", "--final"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert!(made.stderr.contains("not calibrated"), "{}", made.stderr);
    folder.run(&["bcw", "train", "two.tsv", "-o", "more", "--update", "model"]).refused("--final");
    folder.write("snow.tsv", "snow\t大雪\n");
    folder.run(&["bcw", "eval", "model", "snow.tsv"]).refused("the classifier has no class `snow`");
    folder.run(&["bcw", "eval", "model"]).refused("give a classifier and the documents");
    folder
        .run(&["bcw", "eval", "two.tsv", "--folds", "3"])
        .refused("too few documents for 3 folds: 1");
    folder
        .run(&["bcw", "predict", "two.tsv", "-"])
        .refused("two.tsv: this is not a page classifier; make one with");
    folder
        .run(&["bcw", "eval", "model", "two.tsv", "--mode", "linear"])
        .refused("they are for --folds");
    folder
        .run(&["bcw", "eval", "model", "two.tsv", "--part", "tset"])
        .refused("the dataset is not split into parts");
    folder
        .run(&["bcw", "eval", "model", "two.tsv", "--baseline"])
        .refused("--baseline needs a dataset that is split");
    fs::create_dir_all(folder.path("classes/snow")).unwrap();
    folder.write("classes/rain/1.txt", "暴雨");
    folder.write("classes/sports/1.txt", "进球");
    let train = |args: &[&str]| folder.run(&[&["bcw", "train"], args, &["-o", "other"]].concat());
    train(&["classes"]).refused("snow: the folder of this class has no documents");
    assert_eq!(train(&["classes", "--skip-bad"]).code, 0);
    for flags in [
        ["--label-weights", "1e308,1,1,1,1"],
        ["--smoothing", "laplace:1e308"],
        ["--priors", "rain=1e308,sports=1"],
        ["--priors", "rain=1,rain=2"],
        ["--cost", "-1"],
        ["--cost", "2"],
    ] {
        let ran = train(&["two.tsv", flags[0], flags[1]]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{flags:?}");
    }

    let whole = fs::read(folder.path("model/weights.bin")).unwrap();
    folder.write("model/weights.bin", &whole[..20]);
    folder
        .run(&["bcw", "predict", "model", "two.tsv"])
        .refused("`weights.bin` has 20 bytes instead of");
    folder.write("model/weights.bin", &whole);
    let other = ["bcw", "train", "two.tsv", "-o", "characters", "--features", "c2"];
    assert_eq!(folder.run(&other).code, 0);
    assert_eq!(folder.run(&["bcw", "train", "two.tsv", "-o", "words"]).code, 0);
    let join = ["bcw", "train", "-o", "joined", "--update", "words", "--update", "characters"];
    folder.run(&join).refused("one has the features words, the other c2");
    folder.write("notes/thesis.txt", "years of work");
    folder.run(&["bcw", "train", "two.tsv", "-o", "notes"]).refused("not replaced");
}
