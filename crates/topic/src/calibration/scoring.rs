//! The way of scoring that a calibration belongs to.

use std::fmt;

use ontrail_artifact::Checksum;
use ontrail_page::Content;
use ontrail_taxonomy::Taxonomy;
use ontrail_text::weight::Idf;
use serde::{Deserialize, Serialize};

use crate::model::{Model, Norm, Similarity, Weighting};

/// A way of scoring: everything apart from the topic that changes the relevance R of a page. A
/// setting that has no effect is absent, so that equal ways are equal values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scoring {
    /// The comparison of vectors.
    pub similarity: Similarity,
    /// The weight of a term on a page.
    pub weights: Weighting,
    /// The terms that count for the length of the text's vector; none for SSRM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub norm: Option<Norm>,
    /// The form of inverse document frequency, for TF-IDF.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idf: Option<Idf>,
    /// Least similarity of a pair of terms that counts, for SSRM and SVSM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_similarity: Option<f64>,
    /// The source of meanings, for SSRM and SVSM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meanings: Option<Meanings>,
    /// The checksum of the disambiguation graph, if one removes terms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub senses: Option<Checksum>,
    /// The part of a page that is compared with the topic.
    pub content: Content,
}

/// The source of the meanings of words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meanings {
    /// The measure of similarity.
    pub measure: String,
    /// The checksum of the taxonomy's concepts, names and hierarchy.
    pub taxonomy: Checksum,
}

impl Scoring {
    /// Returns the way of scoring of a model on a part of pages.
    #[must_use]
    pub fn new(model: &Model, content: Content) -> Self {
        let is_semantic = model.similarity != Similarity::Vsm;
        Self {
            similarity: model.similarity,
            weights: model.weighting,
            norm: (model.similarity != Similarity::Ssrm).then_some(model.norm),
            idf: (model.weighting == Weighting::TfIdf).then_some(model.idf),
            least_similarity: is_semantic.then_some(model.least_similarity),
            meanings: None,
            senses: None,
            content,
        }
    }

    /// Adds the source of meanings, for SSRM and SVSM.
    #[must_use]
    pub fn with_meanings(mut self, measure: &str, taxonomy: &Taxonomy) -> Self {
        if self.similarity != Similarity::Vsm {
            let taxonomy = checksum(taxonomy);
            self.meanings = Some(Meanings { measure: measure.to_owned(), taxonomy });
        }
        self
    }

    /// Adds the disambiguation graph.
    #[must_use]
    pub fn with_senses(mut self, graph: Checksum) -> Self {
        self.senses = Some(graph);
        self
    }
}

/// Returns a checksum of everything in a taxonomy that similarities depend on.
fn checksum(taxonomy: &Taxonomy) -> Checksum {
    let mut text = String::new();
    for id in taxonomy.ids() {
        text.push_str(&taxonomy.concept(id).key);
        for parent in taxonomy.parents(id) {
            text.push_str(&format!("\t{}", parent.index()));
        }
        for (name, _) in taxonomy.names(id) {
            text.push('\t');
            text.push_str(&name);
        }
        text.push('\n');
    }
    Checksum::of(text.as_bytes())
}

impl fmt::Display for Scoring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.similarity {
            Similarity::Vsm => "vsm",
            Similarity::Ssrm => "ssrm",
            Similarity::Svsm => "svsm",
        })?;
        match &self.weights {
            weights if *weights == Model::label_weights() => f.write_str(" labels")?,
            Weighting::Labels(weights) => {
                let weights = weights.map(|weight| weight.to_string());
                write!(f, " labels {}", weights.join(","))?;
            }
            Weighting::Tags => f.write_str(" tags")?,
            Weighting::TfIdf => f.write_str(" tfidf")?,
        }
        match self.norm {
            Some(Norm::Topic) => f.write_str(", norm topic")?,
            Some(Norm::Text) => f.write_str(", norm text")?,
            Some(Norm::Pairs) => f.write_str(", norm pairs")?,
            None => {}
        }
        match self.idf {
            Some(Idf::Offset) => f.write_str(", idf offset")?,
            Some(Idf::Smooth) => f.write_str(", idf smooth")?,
            Some(Idf::Plain) | None => {}
        }
        if let Some(meanings) = &self.meanings {
            let start: String = meanings.taxonomy.0.chars().take(8).collect();
            write!(f, ", {} over taxonomy {start}", meanings.measure)?;
        }
        if let Some(graph) = &self.senses {
            let start: String = graph.0.chars().take(8).collect();
            write!(f, ", graph {start}")?;
        }
        write!(f, ", content {}", self.content.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ontrail_taxonomy::{Label, TaxonomyBuilder};

    #[test]
    fn settings_without_effect_do_not_distinguish_ways_of_scoring() {
        let labels = Scoring::new(&Model::labels(), Content::Page);
        let other = Model { idf: Idf::Smooth, least_similarity: 0.3, ..Model::labels() };
        assert_eq!(Scoring::new(&other, Content::Page), labels);
        assert_eq!(labels.to_string(), "vsm labels, norm topic, content page");
        assert_ne!(Scoring::new(&Model::labels(), Content::Main), labels);
        assert_ne!(Scoring::new(&Model::tags(), Content::Page), labels);
        let heavier = Model { weighting: Weighting::Labels([3.0; 5]), ..Model::labels() };
        assert_ne!(Scoring::new(&heavier, Content::Page), labels);
        let text = serde_json::to_string(&labels).unwrap();
        assert_eq!(
            text,
            "{\"similarity\":\"vsm\",\"weights\":{\"labels\":[2.0,1.5,1.2,1.0,0.2]},\
             \"norm\":\"topic\",\"content\":\"page\"}"
        );
        assert_eq!(serde_json::from_str::<Scoring>(&text).unwrap(), labels);
    }

    #[test]
    fn another_taxonomy_is_another_way_of_scoring() {
        let taxonomy = |name: &str| {
            let mut builder = TaxonomyBuilder::new();
            let one = builder.concept("x:one");
            builder.label(one, Label::preferred(name, None));
            builder.finish().unwrap()
        };
        let scoring = Scoring::new(&Model::tf_idf(Similarity::Ssrm), Content::Page);
        let of = |name| scoring.clone().with_meanings("lin", &taxonomy(name));
        assert_eq!(of("rain"), of("rain"));
        assert_ne!(of("rain"), of("hail"));
        assert!(of("rain").to_string().starts_with("ssrm tfidf, lin over taxonomy "));
    }
}
