//! The training options, which `train` and `eval --folds` share.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, Parser, ValueEnum};
use ontrail_bcw::{
    BcwError, BcwParams, Candidate, FeatureSettings, Fixed, Labelled, Mode, ParamGuard as _,
    Priors, Ranking, Reader, Selection, Smoothing, TrainSettings, Trained, TrainingData,
    candidate_features, train, train_best,
};

use crate::sample::Sample;

/// The options of training.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Training")]
pub(crate) struct TrainingArgs {
    /// Choose the mode and the features on held-out documents; if the corpus has more than 50,000
    /// documents or 30 MB of text, on a sample of it. This is the default unless one of these
    /// options is given: --no-auto, --mode, --features, --hash-bits, --smoothing, --idf, --cost,
    /// --blend, --priors, --label-weights learn
    #[arg(long, conflicts_with_all = ["no_auto", "mode", "features", "hash_bits", "smoothing", "cost", "blend", "priors", "idf"])]
    auto: bool,
    /// Choose nothing: mode exponent on words, the classifier of bcw-cc. This is faster
    #[arg(long)]
    no_auto: bool,
    /// Kind of model to train [default: exponent]
    #[arg(long, value_name = "MODE", value_enum)]
    mode: Option<ModeName>,
    /// Features to use, separated by commas: words, pairs (of words), c1 to c8 (runs of 1 to 8
    /// characters); or auto, to choose them on held-out documents [default: words]
    #[arg(long, value_name = "LIST")]
    features: Option<String>,
    /// Number features by a hash of BITS bits, from 8 to 22, so that memory is bounded for any
    /// amount of data. The memory is allocated at the start, about 400 MB for 22 bits
    #[arg(long, value_name = "BITS")]
    hash_bits: Option<u8>,
    /// Estimate for words that a class has never seen: laplace:AMOUNT or discount:AMOUNT
    /// [default: discount:0.5]
    #[arg(long, value_name = "HOW")]
    smoothing: Option<Smoothing>,
    /// Multiply counts by idf, as in eq. 8 of bcw-cc
    #[arg(long)]
    idf: bool,
    /// Weight of a word, besides the weight of its label group [default: information]
    #[arg(long, value_name = "HOW", value_enum)]
    term_weights: Option<TermWeights>,
    /// Weights of the five label groups (title, heading, emphasis, body, other): table
    /// (2,1.5,1.2,1,0.2), none (1,1,1,1,1), learn (on held-out documents; only in mode exponent and
    /// with given features), or five numbers
    #[arg(long, value_name = "WEIGHTS", default_value = "table", allow_hyphen_values = true)]
    label_weights: LabelWeights,
    /// Prior probabilities of the classes: data (shares of the training documents), uniform, or
    /// LABEL=SHARE,… [default: data]
    #[arg(long, value_name = "PRIORS")]
    pub(crate) priors: Option<PriorsArg>,
    /// Cost of an error, in mode linear [default: 1]
    #[arg(long, value_name = "COST", allow_hyphen_values = true)]
    cost: Option<f64>,
    /// Share of the model that is trained on features scaled by their log-odds, in mode linear
    /// [default: 0.5]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    blend: Option<f64>,
    /// Number of documents that a feature must occur in
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_documents: u32,
    /// Keep only the N best features, by χ² (chi2:N) or by information gain (gain:N)
    #[arg(long, value_name = "HOW:N")]
    select: Option<SelectArg>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 42)]
    pub(crate) seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModeName {
    /// Eq. 8 and 9 of bcw-cc as printed, for the record; does not work
    Literal,
    /// Bayes with label weights as exponents: the paper's classifier, repaired
    Exponent,
    /// Bayes with label weights in the training counts, and none in prediction
    Counts,
    /// Complement Bayes: models a class by the documents of all other classes
    Complement,
    /// Linear support vector machine, blended with a second one on Bayesian log-odds
    Linear,
}

impl ModeName {
    fn mode(self) -> Mode {
        match self {
            Self::Literal => Mode::Literal,
            Self::Exponent => Mode::Exponent,
            Self::Counts => Mode::Counts,
            Self::Complement => Mode::Complement,
            Self::Linear => Mode::Linear,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TermWeights {
    /// Information about the class: the divergence of P(class | word) from P(class)
    Information,
    /// The same for all words
    None,
}

#[derive(Debug, Clone, PartialEq)]
enum LabelWeights {
    Learn,
    Given([f64; 5]),
}

impl FromStr for LabelWeights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "learn" => Ok(Self::Learn),
            "table" => Ok(Self::Given(TrainSettings::default().label_weights)),
            "none" => Ok(Self::Given([1.0; 5])),
            _ => {
                let numbers: Result<Vec<f64>, _> = text.split(',').map(str::parse).collect();
                let numbers = numbers.ok().and_then(|numbers| <[f64; 5]>::try_from(numbers).ok());
                numbers
                    .map(Self::Given)
                    .ok_or_else(|| "use table, none, learn or five numbers".to_owned())
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PriorsArg(pub(crate) Priors);

impl FromStr for PriorsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let given = || {
            let mut given = BTreeMap::new();
            for pair in text.split(',') {
                let (label, share) =
                    pair.rsplit_once('=').ok_or("use data, uniform or LABEL=SHARE,…")?;
                let share: f64 = share.parse().map_err(|_| format!("`{share}` is not a number"))?;
                if !(share > 0.0 && share <= 1000.0) {
                    return Err(format!("the share of `{label}` must be above 0 and at most 1000"));
                }
                if given.insert(label.to_owned(), share).is_some() {
                    return Err(format!("the label `{label}` is given twice"));
                }
            }
            Ok(Self(Priors::Given(given)))
        };
        match text {
            "data" => Ok(Self(Priors::Data)),
            "uniform" => Ok(Self(Priors::Uniform)),
            _ => given(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct SelectArg(Selection);

impl FromStr for SelectArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (by, keep) = text.split_once(':').ok_or("use chi2:N or gain:N")?;
        let by = match by {
            "chi2" => Ranking::Chi2,
            "gain" => Ranking::Gain,
            _ => return Err("use chi2:N or gain:N".to_owned()),
        };
        let keep = keep.parse().map_err(|_| format!("`{keep}` is not a number of features"))?;
        Ok(Self(Selection { by, keep }))
    }
}

impl TrainingArgs {
    /// Returns true if the mode and the features are chosen on held-out documents.
    fn chooses_all(&self) -> bool {
        let is_given = self.mode.is_some()
            || self.features.is_some()
            || self.hash_bits.is_some()
            || self.smoothing.is_some()
            || self.idf
            || self.cost.is_some()
            || self.blend.is_some()
            // A linear model has no priors.
            || self.priors.is_some()
            || self.learns_labels();
        self.auto || !(self.no_auto || is_given)
    }

    /// Returns true if the features are chosen on held-out documents.
    fn chooses(&self) -> bool {
        self.chooses_all() || self.features.as_deref() == Some("auto")
    }

    pub(crate) fn learns_labels(&self) -> bool {
        self.label_weights == LabelWeights::Learn
    }

    fn mode(&self) -> Mode {
        self.mode.map_or(Mode::Exponent, ModeName::mode)
    }

    /// Returns the features that were asked for.
    fn feature_settings(&self) -> Result<FeatureSettings> {
        let features: FeatureSettings = match self.features.as_deref() {
            Some("auto") => candidate_features(),
            Some(list) => list.parse()?,
            None => FeatureSettings::default(),
        };
        Ok(features.hashed(self.hash_bits)?)
    }

    /// Refuses invalid combinations of options before any document is read.
    pub(crate) fn check(&self) -> Result<()> {
        if self.chooses() && self.learns_labels() {
            bail!(
                "label weights can be learned for given features only; leave out --auto and \
                 --features auto"
            );
        }
        if self.chooses() && self.hash_bits.is_some() {
            bail!(
                "hashed features cannot be distinguished, so none can be chosen; name the features \
                 with --features"
            );
        }
        if self.learns_labels() && self.mode() != Mode::Exponent {
            bail!(
                "label weights can be learned in mode exponent only, not in mode {}",
                self.mode()
            );
        }
        let mode = self.mode();
        let is_idle = [
            ("--cost", self.cost.is_some() && mode != Mode::Linear),
            ("--blend", self.blend.is_some() && mode != Mode::Linear),
            (
                "--smoothing",
                self.smoothing.is_some() && matches!(mode, Mode::Linear | Mode::Literal),
            ),
            ("--idf", self.idf && matches!(mode, Mode::Linear | Mode::Literal)),
            (
                "--term-weights",
                self.term_weights.is_some() && matches!(mode, Mode::Complement | Mode::Literal),
            ),
        ];
        if let Some((flag, _)) = is_idle.iter().find(|(_, is_idle)| *is_idle && !self.chooses_all())
        {
            bail!("{flag} has no effect in mode {mode}; leave it out");
        }
        BcwParams::from(self.settings()).check()?;
        self.feature_settings()?;
        Ok(())
    }

    /// Returns true if none of these options was given.
    pub(crate) fn are_unused(&self) -> bool {
        #[derive(Parser)]
        struct Only {
            #[command(flatten)]
            training: TrainingArgs,
        }
        Only::try_parse_from(["train"]).is_ok_and(|only| only.training == *self)
    }

    fn settings(&self) -> TrainSettings {
        let mut settings = TrainSettings::default();
        settings.mode = self.mode();
        settings.smoothing = self.smoothing.unwrap_or(settings.smoothing);
        settings.idf = self.idf;
        settings.information = self.term_weights != Some(TermWeights::None);
        if let LabelWeights::Given(weights) = self.label_weights {
            settings.label_weights = weights;
        }
        if let Some(priors) = &self.priors {
            settings.priors = priors.0.clone();
        }
        settings.cost = self.cost.unwrap_or(settings.cost);
        settings.blend = self.blend.unwrap_or(settings.blend);
        settings.min_documents = self.min_documents;
        settings.selection = self.select.map(|select| select.0);
        settings.seed = self.seed;
        settings
    }

    /// Trains with these options on the documents that `read_all` reads. It reads them a second
    /// time if the mode and the features were chosen on a sample. Calls `tried` for every candidate
    /// that was tried. Errors name the dataset.
    pub(crate) fn train(
        &self,
        data: &Path,
        read_all: &mut ReadAll<'_>,
        tried: &mut dyn FnMut(&Candidate),
    ) -> Result<Trained> {
        self.train_choosing_on(Sample::new(), data, read_all, tried)
    }

    /// Trains like [`TrainingArgs::train`], and chooses on this sample, which is still empty.
    fn train_choosing_on(
        &self,
        mut sample: Sample,
        data: &Path,
        read_all: &mut ReadAll<'_>,
        tried: &mut dyn FnMut(&Candidate),
    ) -> Result<Trained> {
        let named = || data.display().to_string();
        if !self.chooses() {
            let read = read_features(self.feature_settings()?, self.mode(), data, read_all)?;
            return train(read, self.settings(), self.learns_labels()).with_context(named);
        }
        read_all(&mut |batch| {
            sample.add(batch);
            Ok(())
        })?;
        let best = match self.best(&sample, tried) {
            // Without --auto, a model that nobody chose is better than none.
            Err(BcwError::TooFew) if !self.auto && self.features.is_none() => {
                let read = read_features(FeatureSettings::default(), self.mode(), data, read_all)?;
                return train(read, self.settings(), false).with_context(named);
            }
            best => best.with_context(named)?,
        };
        if sample.is_whole() {
            return Ok(best);
        }
        let Trained { data: chosen_on, settings, candidates, .. } = best;
        let read = read_features(chosen_on.features().clone(), settings.mode, data, read_all)?;
        let trained = train(read, settings, false).with_context(named)?;
        Ok(Trained { candidates, ..trained })
    }

    /// Chooses the best model for a sample, and trains it on the sample.
    fn best(
        &self,
        sample: &Sample,
        tried: &mut dyn FnMut(&Candidate),
    ) -> Result<Trained, BcwError> {
        let mut reader = Reader::new(candidate_features(), true);
        reader.read(sample.documents())?;
        let fixed = Fixed {
            mode: if self.chooses_all() { None } else { Some(self.mode()) },
            smoothing: self.smoothing,
            information: self.term_weights.map(|weights| weights == TermWeights::Information),
        };
        train_best(&reader.finish(), self.settings(), fixed, tried)
    }
}

/// Reads all documents, and calls a function with each batch.
pub(crate) type ReadAll<'a> =
    dyn FnMut(&mut dyn FnMut(&[Labelled]) -> Result<()>) -> Result<()> + 'a;

/// Reads the features of all documents for a model of this mode.
fn read_features(
    features: FeatureSettings,
    mode: Mode,
    data: &Path,
    read_all: &mut ReadAll<'_>,
) -> Result<TrainingData> {
    let mut reader = Reader::new(features, mode == Mode::Linear);
    read_all(&mut |batch| read_batch(&mut reader, batch, data))?;
    Ok(reader.finish())
}

/// Reads a batch of documents. Errors name the dataset.
pub(crate) fn read_batch(reader: &mut Reader, batch: &[Labelled], data: &Path) -> Result<()> {
    reader.read(batch).map_err(|error| anyhow!("{}: {error}", data.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_on_a_sample_trains_on_all_documents() {
        #[derive(Parser)]
        struct Only {
            #[command(flatten)]
            training: TrainingArgs,
        }
        let args = Only::try_parse_from(["train"]).unwrap().training;
        let text = |n: usize| {
            if n.is_multiple_of(2) { format!("heavy rain {n}") } else { format!("home goal {n}") }
        };
        let label = |n: usize| if n.is_multiple_of(2) { "rain" } else { "sports" };
        let documents: Vec<Labelled> =
            (0..100).map(|n| Labelled::text(label(n), None, &text(n))).collect();
        let mut times = 0;
        let mut tried = 0;
        let mut read_all = |visit: &mut dyn FnMut(&[Labelled]) -> Result<()>| {
            times += 1;
            visit(&documents)
        };
        let sample = Sample::of_at_most(40, 1_000_000);
        let trained = args
            .train_choosing_on(sample, Path::new("x"), &mut read_all, &mut |_| tried += 1)
            .unwrap();
        assert_eq!((times, trained.data.documents()), (2, 100));
        assert_eq!(trained.candidates.len(), tried);
        // The candidates saw a quarter of each class; the model is validated on all documents.
        assert_eq!(trained.candidates[0].validation.documents, 26);
        assert_eq!(trained.validation.unwrap().documents, 100);
        let best = &trained.candidates[0];
        assert_eq!((&best.settings, &best.features), (&trained.settings, trained.data.features()));
    }
}
