//! Trains a page classifier on labelled news, and asks it for the class of a headline and of a
//! page.
//!
//!     cargo run -p ontrail-examples --example train_and_predict

use std::error::Error;
use std::path::Path;

use ontrail_bcw::{Bcw, Classifier, Labelled, Mode, Reader, passages_of_text, train};
use ontrail_intake::{Reading, read};
use ontrail_page::{Html, Source};

fn main() -> Result<(), Box<dyn Error>> {
    let read = read(Path::new("datasets/news-mini"), Reading::default(), &|_| Box::new(|| ()))?;
    let labelled = read.documents.iter().filter_map(|document| {
        let (label, text) = (document.label.as_deref()?, document.text()?);
        Some(Labelled::text(label, document.title.as_deref(), text))
    });
    let labelled: Vec<Labelled> = labelled.collect();

    let mut reader = Reader::new("words".parse()?, false);
    reader.read(&labelled)?;
    let params = Bcw::params().mode(Mode::Exponent);
    let classifier = Classifier::from(train(reader.finish(), params, false)?);

    let analyzer = Classifier::analyzer();
    let mut predictor = classifier.predictor(&analyzer);
    let headline = predictor.predict(&passages_of_text(None, "气象台发布暴雨红色预警"));
    println!("headline: {}", classifier.class(headline.class));

    let bytes = std::fs::read("datasets/rainstorm-pages/pages/017.html")?;
    let url = "http://example.org/".parse()?;
    let html = Html::parse(&bytes, Source::at(&url));
    let page = predictor.predict(&html.passages);
    println!("page: {} (P = {:.2})", classifier.class(page.class), page.posterior);
    Ok(())
}
