//! Candidates for seeds, and the judge that scores them.

use ontrail_crawl::Focus as _;
use ontrail_focus::Models;
use ontrail_intake::PageFile;
use ontrail_page::{Content, HostTemplate, Html, Page, Source};
use ontrail_pilot::host_of;
use ontrail_text::Analyzer;
use ontrail_topic::{Calibration, CalibrationError, Model, Scorer, ScorerError, Scoring, Topic};
use serde::Serialize;
use url::Url;

/// Number of terms that explain a score.
const TERMS: usize = 3;

/// The text by which a candidate was judged, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Evidence {
    /// The words of its URL.
    Url,
    /// Its title, and the words of its URL.
    Title,
    /// The page.
    Page,
}

impl Evidence {
    /// Returns the name for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Url => "URL",
            Self::Title => "title",
            Self::Page => "page",
        }
    }
}

/// A URL that may become a seed.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) url: Url,
    pub(crate) title: Option<String>,
    pub(crate) evidence: Evidence,
    /// The file that it comes from.
    pub(crate) source: String,
    pub(crate) judgement: Judgement,
}

impl Candidate {
    /// Returns the host.
    pub(crate) fn host(&self) -> &str {
        host_of(&self.url)
    }
}

/// The judge's opinion of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judgement {
    /// P(relevant) if it is known, otherwise R.
    pub(crate) score: f64,
    /// R.
    pub(crate) relevance: f64,
    /// P(relevant), for pages if the topic has a calibration or other models judge them.
    pub(crate) probability: Option<f64>,
    /// The terms that contribute most to R, with their parts.
    pub(crate) terms: Vec<(String, f64)>,
}

/// Scores texts by a topic, as crawls with the default recipe do.
#[derive(Debug)]
pub(crate) struct Judge {
    analyzer: Analyzer,
    scorer: Scorer,
    calibration: Option<Calibration>,
    /// The models that judge pages in place of the topic's calibration.
    models: Option<Models>,
}

impl Judge {
    /// Prepares a topic. The second value is the reason why its calibrations cannot be used, if
    /// they cannot and no other models judge pages.
    pub(crate) fn new(
        topic: &Topic,
        models: Option<Models>,
    ) -> Result<(Self, Option<CalibrationError>), ScorerError> {
        let analyzer = topic.analyzer().build();
        let model = Model::labels();
        let scorer = Scorer::new(topic, &analyzer, model, None)?;
        let (calibration, unusable) = match topic.calibration(&Scoring::new(&model, Content::Page))
        {
            Ok(calibration) => (calibration.cloned(), None),
            Err(error) => (None, Some(error).filter(|_| models.is_none())),
        };
        Ok((Self { analyzer, scorer, calibration, models }, unusable))
    }

    /// Returns the terms of the topic that no text can have.
    pub(crate) fn unread(&self) -> &[String] {
        self.scorer.unread()
    }

    /// Judges a page.
    pub(crate) fn page(&self, html: &Html, file: &PageFile, url: &Url) -> Judgement {
        let mut judgement = self.judge(&html.analyze(&self.analyzer));
        let by_models = |models: &Models| {
            let kind = file.content_type.as_deref();
            models.read(&file.bytes, url, kind, &HostTemplate::default()).judged
        };
        let by_topic = || Some(self.calibration.as_ref()?.probability(judgement.relevance));
        judgement.probability = self.models.as_ref().map_or_else(by_topic, by_models);
        judgement.score = judgement.probability.unwrap_or(judgement.relevance);
        judgement
    }

    /// Judges a page that is not at hand by its title and the words of its URL. Its probability is
    /// not known, because calibrations are made from pages.
    pub(crate) fn words(&self, title: &str, url: &Url) -> Judgement {
        let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
        let text = format!("<title>{}</title><p>{}", escaped(title), escaped(&url_words(url)));
        let source = Source::default().with_content_type(Some("text/html; charset=utf-8"));
        self.judge(&Html::parse(text.as_bytes(), source).analyze(&self.analyzer))
    }

    fn judge(&self, page: &Page) -> Judgement {
        let view = self.scorer.view(page);
        let relevance = view.relevance();
        let reasons = view.reasons().into_iter().take(TERMS);
        let terms = reasons.map(|reason| (reason.term, reason.part)).collect();
        Judgement { score: relevance, relevance, probability: None, terms }
    }
}

/// Returns the words in a URL: those of its host without the last label, its path and its query.
fn url_words(url: &Url) -> String {
    let host = url.domain().and_then(|host| Some(host.rsplit_once('.')?.0)).unwrap_or_default();
    let rest = format!("{host}/{}?{}", url.path(), url.query().unwrap_or_default());
    let rest = percent_decoded(&rest);
    let words = rest.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Decodes `%41` and the like. Bytes that are not UTF-8 become separators.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).filter(|_| *first == b'%');
        let code =
            code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use ontrail_topic::{Origin, Term};

    use super::*;

    #[test]
    fn words_of_urls_are_decoded_and_split() {
        let words = |url: &str| url_words(&url.parse().expect("a URL"));
        assert_eq!(
            words(
                "http://news.rain-watch.example.org/2024/heavy_rain%20storm.html?q=%E6%9A%B4%E9%9B%A8"
            ),
            "news rain watch example 2024 heavy rain storm html q 暴雨"
        );
        assert_eq!(words("http://127.0.0.1/%ff%zz%4"), "zz 4");
    }

    #[test]
    fn titles_and_urls_are_judged_like_pages() {
        let terms = vec![Term::new("rain", 1.0), Term::new("flood", 1.0)];
        let topic = Topic::new("rain", Origin::Keywords, terms).expect("a topic");
        let judge = Judge::new(&topic, None).expect("a judge").0;
        let url: Url = "http://a.test/flood".parse().expect("a URL");
        // Rain in the title weighs 2, flood in the URL 1: (2 + 1) / √2 / √5.
        let both = judge.words("Rain & <b>", &url);
        assert!((both.relevance - 3.0 / 10.0_f64.sqrt()).abs() < 1e-9, "{both:?}");
        assert_eq!(both.terms[0].0, "rain");
        let one = judge.words("", &url);
        assert!((one.relevance - 0.5_f64.sqrt()).abs() < 1e-9);
        assert!(judge.words("", &"http://a.test/".parse().expect("a URL")).relevance == 0.0);
    }
}
