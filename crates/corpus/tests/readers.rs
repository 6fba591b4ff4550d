//! Valid and invalid input in every format.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ontrail_corpus::{
    Body, Columns, CorpusError, Dataset, Document, Format, read_rows, write_documents,
};
use tempfile::TempDir;

fn file(name: &str, content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    (directory, path)
}

fn load(path: &Path) -> Vec<Document> {
    Dataset::open(path).unwrap().load(false).unwrap().documents
}

fn brief(documents: &[Document]) -> Vec<(Option<&str>, Option<&str>, &str)> {
    documents
        .iter()
        .map(|document| {
            let Body::Text(text) = &document.body else { panic!("a text is expected") };
            (document.label.as_deref(), document.title.as_deref(), text.as_str())
        })
        .collect()
}

fn refusal(path: &Path) -> String {
    let error = Dataset::open(path).and_then(|dataset| dataset.load(false)).unwrap_err();
    let directory = path.parent().unwrap().display().to_string();
    let because = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
    error.to_string().replace(&(directory + "/"), "") + &because.unwrap_or_default()
}

const TWO: [(Option<&str>, Option<&str>, &str); 2] =
    [(Some("体育"), None, "主队\"绝杀\"取胜"), (Some("stocks"), None, "大盘高开")];

#[test]
fn tsv() {
    let rows = "\u{feff}体育\t主队\"绝杀\"取胜\r\n\nstocks\t大盘高开";
    let (_keep, path) = file("news.tsv", rows);
    let documents = load(&path);
    assert_eq!(brief(&documents), TWO);
    assert!(documents[1].id.ends_with("news.tsv:3"), "{}", documents[1].id);
}

#[test]
fn tsv_in_gzip() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all("体育\t主队\"绝杀\"取胜\nstocks\t大盘高开\n".as_bytes()).unwrap();
    let (_keep, path) = file("news.tsv.gz", packed.finish().unwrap());
    assert_eq!(brief(&load(&path)), TWO);
}

#[test]
fn csv_with_a_header_in_any_order_and_quotes() {
    let rows = "id,text,label\n1,\"主队\"\"绝杀\"\"取胜\",体育\n2,大盘高开,stocks\n";
    let (_keep, path) = file("news.csv", rows);
    assert_eq!(brief(&load(&path)), TWO);
}

#[test]
fn json_lines() {
    let rows = "{\"label\":\"体育\",\"text\":\"主队\\\"绝杀\\\"取胜\",\"x\":1}\n\n\
                {\"text\":\"大盘高开\",\"label\":\"stocks\",\"title\":null}\n";
    let (_keep, path) = file("news.jsonl", rows);
    assert_eq!(brief(&load(&path)), TWO);
}

#[test]
fn parquet() {
    let (_keep, tsv) = file("news.tsv", "体育\t主队\"绝杀\"取胜\nstocks\t大盘高开\n");
    let mut table = Vec::new();
    write_documents(&mut table, Format::Parquet, &load(&tsv)).unwrap();
    let (_keep, path) = file("news.parquet", table);
    assert_eq!(brief(&load(&path)), TWO);
}

#[test]
fn a_folder_of_class_folders() {
    let (keep, _) = file("sports/0001.txt", "主队取胜\n　　昨晚比赛结束。\n");
    fs::create_dir(keep.path().join("stocks")).unwrap();
    let (gbk, _, _) = encoding_rs::GBK.encode("大盘小幅高开，成交量明显放大，板块轮动加快。");
    fs::write(keep.path().join("stocks/0002.txt"), gbk).unwrap();
    fs::write(keep.path().join("stocks/.hidden.txt"), "x").unwrap();
    fs::write(keep.path().join("stocks/notes.doc"), "x").unwrap();
    fs::write(keep.path().join("README.txt"), "x").unwrap();
    let documents = load(keep.path());
    assert_eq!(
        brief(&documents),
        [
            (Some("sports"), Some("主队取胜"), "昨晚比赛结束。"),
            (Some("stocks"), None, "大盘小幅高开，成交量明显放大，板块轮动加快。")
        ]
    );
    assert_eq!(documents[0].id, "sports/0001.txt");
}

#[test]
fn a_folder_of_pages() {
    let (keep, _) = file("a.html", "<title>暴雨</title>");
    fs::write(keep.path().join("b.txt"), "<!DOCTYPE HTML><p>x").unwrap();
    let documents = load(keep.path());
    assert_eq!(documents.len(), 2);
    assert!(documents.iter().all(|d| matches!(d.body, Body::Html(_)) && d.label.is_none()));
}

fn tarball(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, content) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, path, content.as_bytes()).unwrap();
    }
    builder.into_inner().unwrap()
}

#[test]
fn a_tarball_packed_with_one_folder_around_it() {
    let entries =
        [("set/sports/1.txt", "甲\n主队取胜"), ("set/stocks/2.html", "<html>"), ("set/x.doc", "")];
    let (_keep, path) = file("set.tar", tarball(&entries));
    let documents = load(&path);
    let labels: Vec<_> = documents.iter().map(|d| d.label.as_deref().unwrap()).collect();
    assert_eq!(labels, ["sports", "stocks"]);
    assert_eq!(documents[0].id, "sports/1.txt");
}

#[test]
fn hidden_files_of_a_tarball_are_skipped() {
    let entries = [("s/a/1.txt", "甲乙"), ("s/a/._1.txt", "x"), ("s/.git/2.txt", "x")];
    let (_keep, path) = file("set.tar", tarball(&entries));
    assert_eq!(load(&path).len(), 1);
}

#[test]
fn html_files_and_txt_files_with_markup_are_pages() {
    let (keep, _) = file("a.html", "<p>暴雨");
    let utf16: Vec<u8> = "\u{feff}<html>雨".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(keep.path().join("b.txt"), utf16).unwrap();
    assert!(load(keep.path()).iter().all(|document| matches!(document.body, Body::Html(_))));
}

#[test]
fn a_column_named_in_the_dataset_toml_must_exist() {
    let (keep, _) =
        file("dataset.toml", "name='x'\n[data]\npath='a.csv'\n[data.columns]\nlabel='nope'");
    fs::write(keep.path().join("a.csv"), "label,text\nx,y\n").unwrap();
    let message = refusal(&keep.path().join("dataset.toml"));
    assert!(message.contains("no column `nope`; the columns are `label`, `text`"), "{message}");
}

#[test]
fn a_document_that_could_not_be_read_back_is_not_written() {
    let (_keep, path) = file("a.jsonl", "{\"text\":\"雨\"}\n");
    let documents = load(&path);
    let mut table = Vec::new();
    let error = write_documents(&mut table, Format::Tsv, &documents).unwrap_err();
    assert!(error.to_string().contains("no label, but a .tsv file needs one"), "{error}");
    write_documents(&mut table, Format::Csv, &documents).unwrap();
    assert_eq!(table, "text\n雨\n".as_bytes());
}

#[test]
fn a_flat_tarball_has_no_labels() {
    let (_keep, path) =
        file("set.tar", tarball(&[("./1.txt", "<html>甲"), ("./2.txt", "<html>乙")]));
    assert!(load(&path).iter().all(|document| document.label.is_none()));
}

#[test]
fn a_broken_tarball_is_an_error() {
    let whole = tarball(&[("a/1.txt", "甲")]);
    let (_keep, path) = file("set.tar", &whole[..700]);
    assert!(
        refusal(&path).starts_with("set.tar: not a complete tar archive"),
        "{}",
        refusal(&path)
    );
}

#[test]
fn a_dataset_toml_names_columns_parts_and_charset() {
    let toml = "name = 'x'\n[data.columns]\nlabel = 'class'\ntext = 'body'\nheader = true\n\
                charset = 'gbk'\n[parts]\ntrain = 'a.tsv'\ntest = 'b.tsv'\n";
    let (keep, _) = file("dataset.toml", toml);
    for (name, rows) in
        [("a.tsv", "body\tclass\n主队取胜\t体育\n"), ("b.tsv", "class\tbody\n股票\t大盘\n")]
    {
        fs::write(keep.path().join(name), encoding_rs::GBK.encode(rows).0).unwrap();
    }
    let documents = load(keep.path());
    let found: Vec<_> = documents
        .iter()
        .map(|d| (d.label.as_deref().unwrap(), d.part.as_deref().unwrap()))
        .collect();
    // Parts are sorted by name.
    assert_eq!(found, [("股票", "test"), ("体育", "train")]);
}

#[test]
fn a_dataset_toml_may_split_the_dataset() {
    let toml =
        "name = 'x'\n[data]\npath = 'all.tsv'\n[split]\nseed = 1\nparts = {train=0.5,test=0.5}";
    let (keep, _) = file("dataset.toml", toml);
    let rows: String = (0..20).map(|n| format!("c{}\t第{n}条\n", n % 2)).collect();
    fs::write(keep.path().join("all.tsv"), rows).unwrap();
    let documents = load(keep.path());
    let train = |label: &str| {
        let is =
            |d: &&Document| d.part.as_deref() == Some("train") && d.label.as_deref() == Some(label);
        documents.iter().filter(is).count()
    };
    assert_eq!((train("c0"), train("c1")), (5, 5));
    assert_eq!(documents, load(keep.path()));
}

#[test]
fn bad_rows_are_reported_with_file_line_and_reason() {
    for (name, content, expected) in [
        (
            "a.tsv",
            "x\ty\nno tab here\n",
            "a.tsv: line 2: expected 2 fields, found 1; a table with other columns than label and text needs a dataset.toml",
        ),
        (
            "a.tsv",
            "x\ty\tz\n",
            "a.tsv: line 1: expected 2 fields, found 3; a table with other columns than label and text needs a dataset.toml",
        ),
        ("a.tsv", "\tx\n", "a.tsv: line 1: the label is empty"),
        ("a.tsv", "x\t \n", "a.tsv: line 1: the text is empty"),
        ("a.csv", "label,text\n\nx,\"y\n\ny\"\n\n\nz", "a.csv: line 8: expected 2 fields, found 1"),
        (
            "a.tsv",
            "\n\nx\ty\r\n\r\n\nz",
            "a.tsv: line 6: expected 2 fields, found 1; a table with other columns than label and text needs a dataset.toml",
        ),
        ("a.csv", "label,text\nx,y\nz\n", "a.csv: line 3: expected 2 fields, found 1"),
        (
            "a.csv",
            "x,y\n",
            "a.csv: no column `text`; the columns are `x`, `y`. Name the right ones in a \
             dataset.toml",
        ),
        ("a.jsonl", "{}\n", "a.jsonl: line 1: no text: the field `text` is missing or empty"),
        ("a.jsonl", "\n{\"text\": }\n", "a.jsonl: line 2: column 10: expected value"),
        ("a.jsonl", "{\"text\":[1]}", "a.jsonl: line 1: the field `text` is a list, not a text"),
        ("a.jsonl", "7", "a.jsonl: line 1: column 1: invalid type: integer `7`, expected a map"),
        ("c/a.txt", "  \n", "c/a.txt: the text is empty"),
        ("c/a.html", "", "c/a.html: the file is empty"),
        ("a.csv", "label,text\r\nx,y\r\nz\r\n", "a.csv: line 3: expected 2 fields, found 1"),
    ] {
        let (keep, path) = file(name, content);
        let path = if name.contains('/') { keep.path() } else { &path };
        let found = refusal(path).replace(&format!("{}/", keep.path().display()), "");
        assert!(found.ends_with(expected), "{found}\nis not\n{expected}");
    }
}

#[test]
fn text_that_is_not_utf8_is_a_bad_row() {
    let mut rows = b"x\tfine\nx\t".to_vec();
    rows.extend(encoding_rs::GBK.encode("暴雨").0.iter());
    let (_keep, path) = file("a.tsv", rows);
    assert_eq!(
        refusal(&path),
        "a.tsv: line 2: field 2 is not valid UTF-8 after 0 bytes; if the file has another charset, \
         name it in a dataset.toml: [data.columns] charset = \"gbk\""
    );
}

#[test]
fn unusable_files_are_refused() {
    let (keep, path) = file("a.xyz", "x");
    assert!(refusal(&path).starts_with("a.xyz: not a dataset; give a folder"));
    assert!(
        refusal(&keep.path().join("absent.tsv"))
            .contains("absent.tsv: cannot read this file or folder: ")
    );
    let (_keep, path) = file("a.tsv", "\n\n");
    assert_eq!(refusal(&path), "a.tsv: the dataset contains no documents");
    let (_keep, path) = file("a.tsv", "x\ny\n");
    let error = Dataset::open(&path).unwrap().load(true).unwrap_err().to_string();
    assert!(error.starts_with("all 2 rows are bad; the first: "), "{error}");
    let (_keep, path) = file("a.parquet", "PAR1 but not really");
    assert!(refusal(&path).starts_with("a.parquet: not a readable Parquet file"));
    let (_keep, path) = file("a.tsv.gz", [0x1f, 0x8b, 8, 0, 0]);
    assert!(refusal(&path).starts_with("a.tsv.gz: "), "{}", refusal(&path));
}

#[test]
fn bad_rows_may_be_skipped_and_are_counted() {
    let rows: String = (0..30).map(|n| if n % 2 == 0 { "bad\n" } else { "x\ty\n" }).collect();
    let (_keep, path) = file("a.tsv", rows);
    let loaded = Dataset::open(&path).unwrap().load(true).unwrap();
    assert_eq!((loaded.documents.len(), loaded.skipped.count), (15, 15));
    assert_eq!(loaded.skipped.examples.len(), 10);
    assert_eq!(loaded.skipped.examples[1].line, Some(3));
}

#[test]
fn skipping_bad_rows_does_not_hide_errors_of_the_whole_file() {
    let (_keep, path) = file("a.csv", "x,y\n1,2\n");
    let error = Dataset::open(&path).unwrap().load(true).unwrap_err();
    assert!(matches!(error, CorpusError::File { .. }));
}

#[test]
fn an_unclosed_quote_loses_rows_but_reading_finishes() {
    let rows = "label,text\nx,\"never closed\ny,z\n";
    let documents: Vec<_> =
        read_rows(Format::Csv, rows.as_bytes(), "a.csv", &Columns::default()).collect();
    assert_eq!(documents.len(), 1);
}
