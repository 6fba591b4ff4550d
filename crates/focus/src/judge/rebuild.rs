//! The models as they would be without some of the example pages.
//!
//! A topic, a classifier and a graph fit the pages that they were made from better than any other
//! page. If a judge were fitted on such scores, it would trust them too much. So each part of the
//! examples is scored by models that were made again without it. A model that was made from other
//! pages is used as it is.

use std::collections::BTreeMap;

use ontrail_artifact::{Checksum, Provenance, read_json};
use ontrail_bcw::{Classifier, Labelled, Mode, Reader, TrainingData, passages_of_text, train};
use ontrail_page::Content;
use ontrail_sdg::{Occurrences, Sdg, SdgSettings, TopicTerm, analyzer_for};
use ontrail_text::weight::{DocumentFrequency, Idf};
use ontrail_text::{Analyzer, Counts, TermId, is_han};
use ontrail_topic::{
    Background, GENERAL_TEXTS, Learning, Method, Origin, Term, Topic, general_texts_with,
};
use serde_json::Value;

use super::fit::{Example, FitError};
use crate::files::LoadedModels;

/// A model that has to be made again without the pages that it scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Remade {
    Topic,
    Classifier,
    Graph,
}

impl Remade {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Topic => "topic",
            Self::Classifier => "classifier",
            Self::Graph => "disambiguation graph",
        }
    }
}

/// Makes models again without some of the example pages.
pub(super) struct Rebuilder<'a> {
    pub(super) topic: &'a Topic,
    pub(super) classifier: &'a Classifier,
    pub(super) graph: Option<&'a Sdg>,
    pub(super) class: &'a str,
    pub(super) on: &'a [Example],
    pub(super) off: &'a [Example],
    /// The provenance of the topic, which tells how it was learned.
    pub(super) learned: &'a Provenance,
    pub(super) remade: Vec<Remade>,
}

/// The models that were made again; the others are `None`.
#[derive(Default)]
pub(super) struct Rebuilt {
    pub(super) topic: Option<Topic>,
    pub(super) classifier: Option<Classifier>,
    pub(super) graph: RebuiltGraph,
}

/// The graph after it was made again.
#[derive(Default)]
pub(super) enum RebuiltGraph {
    /// It was not made from the examples.
    #[default]
    Same,
    /// It was made from the pages that are left.
    New(Box<Sdg>),
    /// The pages that are left are too few for a graph.
    None,
}

impl LoadedModels {
    /// Returns the models that were made from the example pages, which have these checksums as
    /// files or folders.
    pub(super) fn made_from(
        &self,
        learned: &Provenance,
        sources: &[Checksum],
        examples: (&[Example], &[Example]),
        class: &str,
    ) -> Result<Vec<Remade>, FitError> {
        let is_made = |provenance: &Provenance, tool: &str| {
            let is_source = |input: &ontrail_artifact::Input| sources.contains(&input.sha256);
            // The first input has the pages about the topic, the others are for comparison.
            provenance.tool == tool && provenance.inputs.iter().take(1).any(is_source)
        };
        let mut remade = Vec::new();
        if is_made(learned, "ontrail topic learn") {
            remade.push(Remade::Topic);
        }
        if self.is_trained_on(examples, class)? {
            remade.push(Remade::Classifier);
        }
        if let Some(path) = self.sdg_path() {
            let (provenance, _): (_, Sdg) = read_json(path, &ontrail_sdg::FORMAT)?;
            if is_made(&provenance, "ontrail sdg build") {
                remade.push(Remade::Graph);
            }
        }
        Ok(remade)
    }

    /// Returns true if the classifier was trained on the examples, and on nothing else.
    fn is_trained_on(
        &self,
        (on, off): (&[Example], &[Example]),
        class: &str,
    ) -> Result<bool, FitError> {
        let Some((path, classifier)) = self.classifier_with_path() else { return Ok(false) };
        // A classifier that was stored without its training data cannot tell.
        let Ok(data) = TrainingData::open(path) else { return Ok(false) };
        let known = |example: &Example, labels: &[&str]| {
            labels.iter().any(|label| {
                example.documents(label, classifier.card().content).any(|it| data.has(&it))
            })
        };
        let others: Vec<&str> = data.classes().iter().map(String::as_str).collect();
        let seen = on.iter().filter(|it| known(it, &[class])).count()
            + off.iter().filter(|it| known(it, &others)).count();
        let all = on.len() + off.len();
        if seen == 0 {
            return Ok(false);
        }
        if data.documents() <= seen as u64 {
            return Ok(true);
        }
        Err(FitError::Mixed { path: path.to_owned(), seen, all, documents: data.documents() })
    }
}

impl Rebuilder<'_> {
    /// Makes the models again from the pages that `is_left` keeps.
    pub(super) fn without(&self, is_left: &dyn Fn(usize) -> bool) -> Result<Rebuilt, FitError> {
        let left = |pages: &'_ [Example]| -> Vec<usize> {
            (0..pages.len()).filter(|&at| is_left(at)).collect()
        };
        let on: Vec<&Example> = left(self.on).into_iter().map(|at| &self.on[at]).collect();
        let off: Vec<&Example> = left(self.off).into_iter().map(|at| &self.off[at]).collect();
        let mut rebuilt = Rebuilt::default();
        for model in &self.remade {
            match model {
                Remade::Topic => rebuilt.topic = Some(self.topic(&on, &off)?),
                Remade::Classifier => rebuilt.classifier = Some(self.classifier(&on, &off)?),
                Remade::Graph => {
                    let graph = self.graph(&on, &off).map(Box::new);
                    rebuilt.graph = graph.map_or(RebuiltGraph::None, RebuiltGraph::New);
                }
            }
        }
        Ok(rebuilt)
    }

    /// Learns the topic as `ontrail topic learn` did, by the settings that its file records.
    fn topic(&self, on: &[&Example], off: &[&Example]) -> Result<Topic, FitError> {
        let setting = |name: &str| self.learned.parameters.get(name);
        let text = |name: &str| setting(name).and_then(Value::as_str);
        let method = if text("method") == Some("pages") { Method::Pages } else { Method::TfIdf };
        let idf = match text("idf") {
            Some("offset") => Idf::Offset,
            Some("plain") => Idf::Plain,
            Some("smooth") => Idf::Smooth,
            _ => method.idf(),
        };
        let number = |name: &str| setting(name).and_then(Value::as_u64);
        let terms = number("terms").and_then(|it| usize::try_from(it).ok());
        let terms = terms.unwrap_or(self.topic.terms.len());
        let least = number("min_df").unwrap_or(1);
        let only_nouns = setting("nouns").and_then(Value::as_bool).unwrap_or(false);
        let phrases = setting("phrases").and_then(Value::as_array).into_iter().flatten();
        let phrases = phrases.filter_map(Value::as_str).map(str::to_owned);
        let analyzer = Analyzer::builder().terms(phrases).build();
        let mut counts = Counts::new(&analyzer);
        on.iter().chain(off).for_each(|page| counts.add("", &page.text()));
        let texts: Vec<&[(TermId, u32)]> = (0..on.len()).map(|page| counts.of(page)).collect();
        let within = counts.frequency(0..on.len());
        let is_candidate = |term: TermId| {
            let word = counts.vocabulary().term(term);
            let is_chinese = word.chars().any(is_han);
            within.containing(term) >= least
                && (!only_nouns || !is_chinese || analyzer.segmenter().is_noun(word))
        };
        // A topic without a background of its own uses the one that ships alone.
        let has_own = self.topic.background.is_some();
        let others = if has_own { on.len()..counts.len() } else { 0..0 };
        let frequency = completed(counts.frequency(others.clone()), &counts);
        let learning = Learning { method, idf, terms };
        let best = learning.learn(&texts, &frequency, is_candidate);
        let terms: Vec<Term> =
            best.into_iter().map(|(term, weight)| Term::new(counts.name(term), weight)).collect();
        let topic = Topic::new(&self.topic.name, Origin::Texts, terms)
            .map_err(|error| FitError::Rebuild { model: "topic", reason: error.to_string() })?;
        Ok(if has_own {
            topic.with_background(Some(background(&counts, others)))
        } else {
            topic.with_general_background()
        })
    }

    /// Trains a classifier with the same settings.
    fn classifier(&self, on: &[&Example], off: &[&Example]) -> Result<Classifier, FitError> {
        let card = self.classifier.card();
        let other = |page: &Example| self.label_of(page);
        let document = |page: &Example, label: &str| Labelled {
            id: String::new(),
            label: label.to_owned(),
            passages: page.html.passages_of(card.content).into_owned(),
        };
        let on = on.iter().map(|page| document(page, self.class));
        let off = off.iter().map(|page| document(page, &other(page)));
        let documents: Vec<Labelled> = on.chain(off).collect();
        let failed = |error: ontrail_bcw::BcwError| FitError::Rebuild {
            model: "classifier",
            reason: error.to_string(),
        };
        let mut reader = Reader::new(card.features.clone(), card.settings.mode == Mode::Linear);
        reader.read(&documents).map_err(failed)?;
        let trained = train(reader.finish(), card.settings.clone(), false).map_err(failed)?;
        Ok(Classifier::from(trained).with_content(card.content))
    }

    /// Returns the class of an off-topic page: its label, or else the first other class.
    fn label_of(&self, page: &Example) -> String {
        let classes = &self.classifier.card().classes;
        let is_other = |name: &str| name != self.class && classes.iter().any(|it| it.name == name);
        let own = page.label.clone().filter(|label| is_other(label));
        let first = || classes.iter().map(|it| it.name.clone()).find(|name| *name != self.class);
        own.or_else(first).unwrap_or_default()
    }

    /// Builds a graph of the same terms. `None` if its terms do not occur together any more.
    fn graph(&self, on: &[&Example], off: &[&Example]) -> Option<Sdg> {
        let graph = self.graph?;
        let analyzer = analyzer_for(graph.names());
        let mut counts = Counts::new(&analyzer);
        on.iter().chain(off).for_each(|page| counts.add("", &page.text()));
        let mut reader = analyzer.reader();
        let mut number_of = BTreeMap::new();
        for (number, node) in graph.terms.iter().enumerate() {
            let form = reader.single_term(&node.term);
            let id = form.and_then(|form| counts.vocabulary().get(&form));
            number_of.extend(id.map(|id| (id, number)));
        }
        let mut occurrences = Occurrences::new(graph.terms.len());
        let mut on_topic = vec![0_u64; graph.terms.len()];
        for page in 0..counts.len() {
            let is_relevant = page < on.len();
            let found = counts.of(page).iter();
            let found: Vec<(usize, u32)> =
                found.filter_map(|(id, count)| Some((*number_of.get(id)?, *count))).collect();
            if is_relevant {
                found.iter().for_each(|(term, count)| on_topic[*term] += u64::from(*count));
            }
            occurrences.add(is_relevant, found);
        }
        let terms: Vec<TopicTerm> = graph
            .terms
            .iter()
            .zip(on_topic)
            .map(|(node, occurrences)| TopicTerm {
                term: node.term.clone(),
                weight: node.weight,
                occurrences,
            })
            .collect();
        let settings = SdgSettings::default().with(|it| {
            (it.importance, it.shape, it.theta) = (graph.importance, graph.shape, graph.theta);
        });
        Sdg::build(&graph.name, &terms, &occurrences, &settings).ok()
    }
}

impl Example {
    /// Returns the title and the main content, from which topics and graphs are made.
    fn text(&self) -> String {
        format!("{}\n{}", self.html.title, self.html.text_of(Content::Main))
    }

    /// Returns the page as the documents that a classifier may have been trained on.
    fn documents(&self, label: &str, content: Content) -> impl Iterator<Item = Labelled> {
        let page = self.html.passages_of(content).into_owned();
        let text = passages_of_text(Some(&self.html.title), &self.html.text());
        let label = label.to_owned();
        [page, text].into_iter().map(move |passages| Labelled {
            id: String::new(),
            label: label.clone(),
            passages,
        })
    }
}

/// Adds the counts of the background that ships, as `ontrail topic learn` does.
fn completed(mut frequency: DocumentFrequency, counts: &Counts<'_>) -> DocumentFrequency {
    let general = counts
        .vocabulary()
        .iter()
        .map(|(term, word)| (term, u32::try_from(general_texts_with(word)).unwrap_or(u32::MAX)));
    frequency.add_counted(GENERAL_TEXTS, general);
    frequency
}

/// Returns the document frequencies that a topic stores.
fn background(counts: &Counts<'_>, texts: std::ops::Range<usize>) -> Background {
    let frequency = counts.frequency(texts.clone());
    let words = texts.clone().flat_map(|text| counts.of(text)).map(|&(_, count)| u64::from(count));
    let common = counts.vocabulary().iter().filter_map(|(term, word)| {
        let documents = frequency.containing(term);
        (documents > 1).then(|| (word.to_owned(), documents))
    });
    Background { documents: texts.len() as u64, words: words.sum(), containing: common.collect() }
}
