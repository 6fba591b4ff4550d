//! Fits a judge on example pages.

use std::path::PathBuf;

use ontrail_artifact::{ArtifactError, Checksum, Input};
use ontrail_bcw::Classifier;
use ontrail_page::{Analyses, Content, Html};
use ontrail_pilot::Recipe;
use ontrail_sdg::{Sdg, Senses};
use ontrail_text::Analyzer;
use ontrail_topic::{Estimate, Folds, Quality, Scorer, Topic, words_as_read};

use super::rebuild::{Rebuilder, Rebuilt, RebuiltGraph};
use super::{CombinedJudge, Evidence, EvidenceKind, EvidenceQuality, JudgedModels, Logistic};
use crate::files::{LoadedModels, ModelError};
use crate::panel::Judge;
use crate::{model_of, scoring_of};

/// The parts of a page that may be compared with the topic, whatever the recipe reads. The menu of
/// a site may name the topic on all its pages, which examples from other sites do not show; so the
/// main content comes first. But pages of lists have hardly any.
const JUDGED_CONTENTS: [Content; 3] = [Content::Main, Content::Auto, Content::Page];

/// Values of AUC that differ by no more are nearly equal. Evidence is left out, and another part of
/// pages is read, only if that gains more.
const NEARLY: f64 = 0.05;

/// An example page.
#[derive(Debug)]
pub struct Example {
    /// The page.
    pub html: Html,
    /// Its label, if it has one: among off-topic pages, the class of a classifier.
    pub label: Option<String>,
}

/// A judge, with the models that were made again in order to fit it.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedJudge {
    /// The judge.
    pub judge: CombinedJudge,
    /// Names of the models that were made from the examples. Each part of the examples was scored
    /// by models that were made without it.
    pub rebuilt: Vec<&'static str>,
}

/// An error in fitting a judge.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// There are too few example pages.
    #[error(
        "a judge needs at least two pages about the topic and two others; there are {on} and {off}"
    )]
    TooFew {
        /// Number of on-topic pages.
        on: usize,
        /// Number of off-topic pages.
        off: usize,
    },
    /// The classifier has seen some of the examples, and other documents.
    #[error(
        "{path}: the classifier was trained on {seen} of these {all} pages and on others ({documents} \
         documents in all), so its answers for them cannot be trusted; give pages that it has not seen, \
         or all that it was trained on",
        path = .path.display()
    )]
    Mixed {
        /// The classifier.
        path: PathBuf,
        /// Number of examples that it was trained on.
        seen: usize,
        /// Number of examples.
        all: usize,
        /// Number of documents that it was trained on.
        documents: u64,
    },
    /// A model cannot be made again without some of the examples.
    #[error("cannot make the {model} again without some of the pages: {reason}; give more pages")]
    Rebuild {
        /// The model.
        model: &'static str,
        /// The reason.
        reason: String,
    },
    /// The models do not fit the recipe.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A model cannot be read.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
}

impl LoadedModels {
    /// Fits a judge on example pages, for the class `class` and the way of scoring of a recipe.
    /// `sources` are the checksums of the files or folders of the examples, by which models that
    /// were made from them are recognised.
    pub fn fit_judge(
        &self,
        recipe: &Recipe,
        class: &str,
        (on, off): (&[Example], &[Example]),
        sources: &[Checksum],
    ) -> Result<FittedJudge, FitError> {
        let too_few = FitError::TooFew { on: on.len(), off: off.len() };
        if on.len() < 2 || off.len() < 2 {
            return Err(too_few);
        }
        let folds = Folds::of(on.len()).ok_or(too_few)?;
        let mut models = self.judged_models(recipe, class)?;
        let (topic, learned) = self.topic_for(recipe)?;
        let classifier = self.classifier_for(recipe)?;
        let graph = self.graph();
        let remade = self.made_from(learned, sources, (on, off), class)?;
        let rebuilder = Rebuilder { topic, classifier, graph, class, on, off, learned, remade };
        let mut scored = JUDGED_CONTENTS
            .map(|content| (content, [vec![Vec::new(); on.len()], vec![Vec::new(); off.len()]]));
        for fold in 0..folds.count() {
            let is_out = |at: usize| folds.part_of(at) == fold;
            let rebuilt = rebuilder.without(&|at| !is_out(at))?;
            let readers = Readers::new(self, recipe, &rebuilder, rebuilt)?;
            for (content, scored) in &mut scored {
                for (pages, scored) in [on, off].into_iter().zip(scored) {
                    for at in (0..pages.len()).filter(|&at| is_out(at)) {
                        scored[at] = readers.evidence(&pages[at].html, *content).numbers();
                    }
                }
            }
        }
        let (content, [on, off]) = chosen(&scored);
        models.scoring.content = *content;
        Ok(FittedJudge {
            judge: CombinedJudge {
                prior: on.len() as f64 / (on.len() + off.len()) as f64,
                pages: [on.len() as u64, off.len() as u64],
                quality: cross_validated(on, off, folds),
                evidence: each_alone(on, off, models.sdg.is_some()),
                combination: combined(on, off),
                models,
            },
            rebuilt: rebuilder.remade.iter().map(|it| it.name()).collect(),
        })
    }

    /// Returns the models that a judge reads for a recipe.
    pub(crate) fn judged_models(
        &self,
        recipe: &Recipe,
        class: &str,
    ) -> Result<JudgedModels, ModelError> {
        let (topic, _) = self.topic_for(recipe)?;
        let checksum = |path: &std::path::Path| Ok::<_, ModelError>(Input::read(path)?.sha256);
        let name = || recipe.name.clone();
        let path = self.classifier_with_path().map(|it| it.0);
        let classifier = checksum(path.ok_or_else(|| ModelError::NeedsClassifier(name()))?)?;
        let mut scoring = scoring_of(recipe.similarity);
        if recipe.similarity.needs_meanings() {
            scoring = self.with_meanings(scoring)?;
        }
        Ok(JudgedModels {
            name: topic.name.clone(),
            topic: topic.checksum(),
            scoring,
            classifier,
            class: class.to_owned(),
            sdg: self.sdg_path().map(checksum).transpose()?,
        })
    }
}

/// The numbers of on-topic and of off-topic pages.
type Numbers = [Vec<Vec<f64>>; 2];

/// Returns the part of pages with which R(p) is compared, and the numbers with it: the first one by
/// which R(p) separates the pages nearly as well as by the best.
fn chosen(scored: &[(Content, Numbers)]) -> &(Content, Numbers) {
    let auc = |(_, [on, off]): &(Content, Numbers)| {
        let first = |pages: &[Vec<f64>]| sorted(pages.iter().map(|page| page[0]).collect());
        Estimate::of_auc(&first(on), &first(off)).value
    };
    let best = scored.iter().map(auc).fold(0.0, f64::max);
    let is_good = |it: &&(Content, Numbers)| auc(it) >= best - NEARLY;
    scored.iter().find(is_good).unwrap_or(&scored[0])
}

/// Returns the combination of the evidence that is worth using.
fn combined(on: &[Vec<f64>], off: &[Vec<f64>]) -> Logistic {
    Logistic::fit(on, off, &worth_using(on, off))
}

/// Says which evidence is worth using: all of it, unless pages that were held out are judged
/// clearly better without some; then as much as possible.
fn worth_using(on: &[Vec<f64>], off: &[Vec<f64>]) -> Vec<bool> {
    let kinds = on.first().map_or(0, Vec::len);
    let Some(folds) = Folds::of(on.len()) else { return vec![true; kinds] };
    let subset = |number: usize| (0..kinds).map(|kind| (number >> kind) & 1 == 1).collect();
    let mut tried: Vec<(Vec<bool>, f64)> = (1..1_usize << kinds)
        .map(subset)
        .map(|used: Vec<bool>| {
            let [on, off] = held_out(on, off, folds, |on, off| Logistic::fit(on, off, &used));
            (used, Estimate::of_auc(&on, &off).value)
        })
        .collect();
    tried.sort_by_key(|(used, _)| std::cmp::Reverse(used.iter().filter(|it| **it).count()));
    let best = tried.iter().map(|(_, auc)| *auc).fold(0.0, f64::max);
    let found = tried.into_iter().find(|(_, auc)| *auc >= best - NEARLY);
    found.map_or_else(|| vec![true; kinds], |(used, _)| used)
}

/// Returns the quality of combinations that were fitted, and whose evidence was chosen, without the
/// pages they judge.
fn cross_validated(on: &[Vec<f64>], off: &[Vec<f64>], folds: Folds) -> Quality {
    let [on, off] = held_out(on, off, folds, combined);
    Quality::estimate(&on, &off)
}

/// Returns the answers of combinations that were fitted without the pages they judge, in ascending
/// order.
fn held_out(
    on: &[Vec<f64>],
    off: &[Vec<f64>],
    folds: Folds,
    fit: impl Fn(&[Vec<f64>], &[Vec<f64>]) -> Logistic,
) -> [Vec<f64>; 2] {
    let mut judged = [vec![0.0; on.len()], vec![0.0; off.len()]];
    for fold in 0..folds.count() {
        let is_out = |at: &usize| folds.part_of(*at) == fold;
        let left = |pages: &[Vec<f64>]| -> Vec<Vec<f64>> {
            (0..pages.len()).filter(|at| !is_out(at)).map(|at| pages[at].clone()).collect()
        };
        let (left_on, left_off) = (left(on), left(off));
        // The last part of the off-topic pages may be all of them.
        let left_off = if left_off.is_empty() { off.to_vec() } else { left_off };
        let model = fit(&left_on, &left_off);
        for (pages, judged) in [on, off].into_iter().zip(&mut judged) {
            for at in (0..pages.len()).filter(is_out) {
                judged[at] = model.probability(&pages[at]);
            }
        }
    }
    judged.map(sorted)
}

/// Returns the quality of each kind of evidence alone. Log-odds become probabilities again.
fn each_alone(on: &[Vec<f64>], off: &[Vec<f64>], has_graph: bool) -> Vec<EvidenceQuality> {
    let alone = |(at, kind): (usize, &EvidenceKind)| {
        let score = |page: &Vec<f64>| match kind {
            EvidenceKind::LogOdds => 1.0 / (1.0 + libm::exp(-page[at])),
            EvidenceKind::Relevance | EvidenceKind::Disambiguated => page[at],
        };
        let on = sorted(on.iter().map(score).collect());
        let off = sorted(off.iter().map(score).collect());
        EvidenceQuality { kind: *kind, quality: Quality::estimate(&on, &off) }
    };
    EvidenceKind::used(has_graph).iter().enumerate().map(alone).collect()
}

fn sorted(mut scores: Vec<f64>) -> Vec<f64> {
    scores.sort_by(f64::total_cmp);
    scores
}

/// The models that read a page for a judge.
struct Readers {
    analyzer: Analyzer,
    scorer: Scorer,
    graph: Option<Senses>,
    has_graph: bool,
    classifier: Classifier,
    classifier_analyzer: Analyzer,
    class: usize,
}

impl Readers {
    /// Prepares the models that were made again, and the others as they are.
    fn new(
        models: &LoadedModels,
        recipe: &Recipe,
        whole: &Rebuilder<'_>,
        rebuilt: Rebuilt,
    ) -> Result<Self, FitError> {
        let topic: &Topic = rebuilt.topic.as_ref().unwrap_or(whole.topic);
        let analyzer = topic.analyzer().build();
        let words = models
            .measure_for(recipe)?
            .map(|measure| std::sync::Arc::new(words_as_read(measure, &analyzer)));
        let scorer = Scorer::new(topic, &analyzer, model_of(&recipe.similarity), words)
            .map_err(|error| FitError::Rebuild { model: "topic", reason: error.to_string() })?;
        let remade: Option<&Sdg> = match &rebuilt.graph {
            RebuiltGraph::Same => whole.graph,
            RebuiltGraph::New(graph) => Some(graph),
            RebuiltGraph::None => None,
        };
        let graph = remade.map(Senses::new).transpose().map_err(ModelError::from)?;
        let classifier = rebuilt.classifier.unwrap_or_else(|| whole.classifier.clone());
        let class = classifier.class_number(whole.class).ok_or_else(|| FitError::Rebuild {
            model: "classifier",
            reason: format!("no page of the class {:?} is left", whole.class),
        })?;
        Ok(Self {
            analyzer,
            scorer,
            graph,
            has_graph: whole.graph.is_some(),
            classifier,
            classifier_analyzer: Classifier::analyzer(),
            class,
        })
    }

    fn evidence(&self, html: &Html, content: Content) -> Evidence {
        let judge = Judge {
            scorer: &self.scorer,
            senses: None,
            reads_context: false,
            reads_blocks: false,
            reads_anchor_terms: false,
            content,
        };
        let mut analyses = Analyses::of(html);
        let (relevance, disambiguated) =
            judge.relevances(&mut analyses, &self.analyzer, self.graph.as_ref());
        let passages = html.passages_of(self.classifier.card().content);
        let mut predictor = self.classifier.predictor(&self.classifier_analyzer);
        let posterior = predictor.predict(&passages).posteriors[self.class];
        // Without a graph, no word is removed.
        let disambiguated = disambiguated.or(self.has_graph.then_some(relevance));
        Evidence { relevance, disambiguated, posterior }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(on: [f64; 2], off: [f64; 2]) -> Numbers {
        [on, off].map(|pages| pages.map(|r| vec![r]).to_vec())
    }

    /// The first number tells the pages apart, the others are chance. With a dozen pages, chance
    /// sometimes looks like evidence and spoils the judgement of other pages; then it is left out.
    #[test]
    fn evidence_that_does_harm_is_left_out() {
        let mut state = 1_u64;
        let mut chance = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / f64::from(1 << 24)
        };
        let mut sample = |count: usize, signal: f64| -> Vec<Vec<f64>> {
            (0..count).map(|_| vec![signal + chance(), 2.0 * chance(), chance()]).collect()
        };
        let mut used_all = 0;
        for _ in 0..40 {
            let used = worth_using(&sample(6, 0.45), &sample(12, 0.0));
            assert!(used[0], "{used:?}");
            used_all += usize::from(used.iter().all(|it| *it));
        }
        assert!((1..40).contains(&used_all), "{used_all} of 40");
    }

    /// AUC: 3 of 4 pairs are in order by the main content, all 4 by the other parts.
    #[test]
    fn the_main_content_is_read_unless_more_of_the_page_is_clearly_better() {
        let poor = numbers([0.3, 0.6], [0.1, 0.5]);
        let good = numbers([0.3, 0.6], [0.1, 0.2]);
        let [main, auto, page] = JUDGED_CONTENTS;
        let part = |of: [&Numbers; 3]| {
            let [a, b, c] = of.map(Clone::clone);
            chosen(&[(main, a), (auto, b), (page, c)]).0
        };
        assert_eq!(part([&poor, &good, &good]), Content::Auto);
        assert_eq!(part([&poor, &poor, &good]), Content::Page);
        assert_eq!(part([&good, &good, &good]), Content::Main);
        assert_eq!(part([&poor, &poor, &poor]), Content::Main);
    }
}
