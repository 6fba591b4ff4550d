//! Recipes: short TOML texts, each of which describes one crawler by its parts and their settings.
//!
//! The shipped recipes are the crawlers of the papers and their baselines, with the papers'
//! settings. A user copies one and changes it, or overrides single settings.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cut::Cut;
use crate::gate::GateRecipe;
use crate::hosts::HostsRecipe;
use crate::judge::JudgeRecipe;
use crate::priority::PriorityRecipe;
use crate::similarity::{AnchorChoice, SimilarityRecipe, TopicRecipe};
use crate::strategy::{Lookahead, StrategyRecipe};
use crate::tunnel::TunnelRecipe;

/// The shipped recipes, in the order in which they are listed.
const SHIPPED: [(&str, &str); 24] = [
    ("ontrail", include_str!("../recipes/ontrail.toml")),
    ("ontrail-classifier", include_str!("../recipes/ontrail-classifier.toml")),
    ("fixed", include_str!("../recipes/fixed.toml")),
    ("fixed-classifier", include_str!("../recipes/fixed-classifier.toml")),
    ("bfs", include_str!("../recipes/bfs.toml")),
    ("ops", include_str!("../recipes/ops.toml")),
    ("vsm", include_str!("../recipes/vsm.toml")),
    ("ssrm", include_str!("../recipes/ssrm.toml")),
    ("sdvsm", include_str!("../recipes/sdvsm.toml")),
    ("hits", include_str!("../recipes/hits.toml")),
    ("gafc", include_str!("../recipes/gafc.toml")),
    ("fcsa", include_str!("../recipes/fcsa.toml")),
    ("fcts", include_str!("../recipes/fcts.toml")),
    ("fcits", include_str!("../recipes/fcits.toml")),
    ("fcoits", include_str!("../recipes/fcoits.toml")),
    ("fcits-oh", include_str!("../recipes/fcits-oh.toml")),
    ("fcwseo", include_str!("../recipes/fcwseo.toml")),
    ("olmoaco", include_str!("../recipes/olmoaco.toml")),
    ("fcpso", include_str!("../recipes/fcpso.toml")),
    ("fccbs", include_str!("../recipes/fccbs.toml")),
    ("fcbcw", include_str!("../recipes/fcbcw.toml")),
    ("bcw-cc", include_str!("../recipes/bcw-cc.toml")),
    ("fish-search", include_str!("../recipes/fish-search.toml")),
    ("shark-search", include_str!("../recipes/shark-search.toml")),
];

/// A crawler, described by its parts and their settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recipe {
    /// The name.
    pub name: String,
    /// A description in one line.
    pub about: String,
    /// α or τ: a page is relevant if its relevance is greater.
    pub threshold: Cut,
    /// The kind of topic that the crawler expects.
    #[serde(default)]
    pub topic: TopicRecipe,
    /// The comparison of texts with the topic.
    #[serde(default)]
    pub similarity: SimilarityRecipe,
    /// The model that decides whether a page is relevant.
    #[serde(default)]
    pub judge: JudgeRecipe,
    /// The decision whether the links of a page are followed.
    #[serde(default)]
    pub gate: GateRecipe,
    /// The computation of a link's priority.
    pub priority: PriorityRecipe,
    /// The treatment of pages that are not relevant.
    #[serde(default)]
    pub tunnel: TunnelRecipe,
    /// The choice of the next link.
    pub strategy: StrategyRecipe,
    /// The way the crawl is spread over hosts.
    #[serde(default)]
    pub hosts: HostsRecipe,
    /// The numbers that the paper prints, by the names of the settings whose place they take.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub as_printed: BTreeMap<String, f64>,
}

/// The reason why a recipe cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// No recipe has this name.
    #[error("unknown recipe {name:?}; give one of {available}, or a file that ends in .toml")]
    Unknown {
        /// The requested name.
        name: String,
        /// The names of the shipped recipes.
        available: String,
    },
    /// No recipe has this name, but one has a similar name.
    #[error(
        "unknown recipe {name:?}; did you mean {nearest}? Give one of {available}, or a file that \
         ends in .toml"
    )]
    Misspelt {
        /// The requested name.
        name: String,
        /// The shipped recipe with the most similar name.
        nearest: &'static str,
        /// The names of the shipped recipes.
        available: String,
    },
    /// The text is not a valid recipe.
    #[error("{0}")]
    Text(String),
    /// A setting on the command line is not valid.
    #[error("--set {given}: {reason}")]
    Setting {
        /// The setting as given.
        given: String,
        /// The reason.
        reason: String,
    },
    /// A number is out of range, or parts do not fit together.
    #[error("recipe {name}: {reason}")]
    Parts {
        /// The name of the recipe.
        name: String,
        /// The reason.
        reason: String,
    },
}

impl Recipe {
    /// Returns the names of the shipped recipes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|(name, _)| *name)
    }

    /// Returns the text of a shipped recipe.
    pub fn text(name: &str) -> Result<&'static str, RecipeError> {
        let found = SHIPPED.iter().find(|(own, _)| *own == name).map(|(_, text)| *text);
        found.ok_or_else(|| {
            let available = Self::names().collect::<Vec<_>>().join(", ");
            let name = name.to_owned();
            match Self::nearest(&name) {
                Some(nearest) => RecipeError::Misspelt { name, nearest, available },
                None => RecipeError::Unknown { name, available },
            }
        })
    }

    /// Returns the shipped recipe with the most similar name, if at most a third of the letters
    /// differ.
    fn nearest(name: &str) -> Option<&'static str> {
        let distance = |own: &str| strsim::damerau_levenshtein(own, &name.to_lowercase());
        let nearest = Self::names().min_by_key(|own| distance(own))?;
        (distance(nearest) <= (name.chars().count() / 3).max(1)).then_some(nearest)
    }

    /// Returns a shipped recipe without changes.
    pub fn shipped(name: &str) -> Result<Self, RecipeError> {
        Self::parse(Self::text(name)?, &[])
    }

    /// Returns true if a name is that of a file and not of a shipped recipe.
    #[must_use]
    pub fn is_file(name: &str) -> bool {
        let path = Path::new(name);
        let has_ending = path.extension().is_some_and(|ending| ending == "toml");
        Self::text(name).is_err() && (path.is_file() || has_ending)
    }

    /// Reads a shipped recipe or a file, and applies the settings `set`, each `PART.SETTING=VALUE`.
    pub fn find(name: &str, set: &[String]) -> Result<Self, RecipeError> {
        if !Self::is_file(name) {
            return Self::parse(Self::text(name)?, set).map_err(|error| match error {
                RecipeError::Text(reason) => RecipeError::Text(format!("recipe {name}: {reason}")),
                error => error,
            });
        }
        let of_file = |reason: String| RecipeError::Text(format!("{name}: {reason}"));
        let text = std::fs::read_to_string(name)
            .map_err(|error| of_file(format!("cannot read the file: {error}")))?;
        let text = text.trim_start_matches('\u{feff}');
        Self::parse(text, set).map_err(|error| of_file(error.to_string()))
    }

    /// Reads a recipe like [`Recipe::find`], with the numbers that its paper prints.
    pub fn find_as_printed(name: &str, set: &[String]) -> Result<Self, RecipeError> {
        let recipe = Self::find(name, &[])?;
        let printed = recipe.as_printed.iter().map(|(name, value)| format!("{name}={value:?}"));
        let all: Vec<String> = printed.chain(set.iter().cloned()).collect();
        Self::find(name, &all)
    }

    /// Parses a recipe, and applies the settings `set`, each `PART.SETTING=VALUE`.
    pub fn parse(text: &str, set: &[String]) -> Result<Self, RecipeError> {
        let wrong = |error: toml::de::Error| RecipeError::Text(in_plain_words(&error.to_string()));
        let mut recipe: Self = toml::from_str(text).map_err(wrong)?;
        let mut table: toml::Table = toml::from_str(text).map_err(wrong)?;
        for given in set {
            override_setting(&mut table, given)?;
            recipe = table.clone().try_into().map_err(|error: toml::de::Error| {
                let reason = in_plain_words(&error.to_string());
                RecipeError::Setting { given: given.clone(), reason }
            })?;
        }
        recipe.check()?;
        Ok(recipe)
    }

    /// Returns the priority that a link must have to be followed, if there is one.
    #[must_use]
    pub fn least_priority(&self) -> Option<Cut> {
        match &self.priority {
            PriorityRecipe::PageAnchorContext(it) => Some(it.above),
            PriorityRecipe::PagerankPageAnchor(it) => Some(it.at_least),
            PriorityRecipe::Learned(it) => Some(it.at_least),
            PriorityRecipe::None(_)
            | PriorityRecipe::Page(_)
            | PriorityRecipe::PageAnchor(_)
            | PriorityRecipe::LinkModel(_) => None,
        }
    }

    /// Returns true if a threshold is computed from the scores of pages.
    #[must_use]
    pub fn has_auto(&self) -> bool {
        let is_auto_tunnel = match &self.tunnel {
            TunnelRecipe::ContentBlocks(tunnel) => tunnel.above.is_auto(),
            TunnelRecipe::None(_) => false,
        };
        self.threshold.is_auto()
            || self.least_priority().is_some_and(Cut::is_auto)
            || is_auto_tunnel
    }

    /// Returns true if links that a computed threshold refuses are kept for the time when no other
    /// link waits.
    #[must_use]
    pub fn keeps_reserve(&self) -> bool {
        let has_gate = !matches!(self.gate, GateRecipe::None(_));
        (has_gate && self.threshold.is_auto()) || self.least_priority().is_some_and(Cut::is_auto)
    }

    /// Returns true if the pilot must know more of the web than the current page.
    #[must_use]
    pub fn needs_graph(&self) -> bool {
        self.keeps_reserve()
            || self.priority.needs_graph()
            || self.strategy.needs_graph()
            || self.needs_anchor_terms()
            || matches!(self.hosts, HostsRecipe::Memory(_))
            || self.needs_blocks()
    }

    /// Returns true if the recipe must see the whole web at once, so that several workers cannot
    /// share a crawl by it.
    #[must_use]
    pub fn needs_whole_web(&self) -> bool {
        matches!(self.strategy, StrategyRecipe::Hits(_) | StrategyRecipe::NicheGenetic(_))
    }

    /// Returns true if the recipe needs a topic.
    #[must_use]
    pub fn needs_topic(&self) -> bool {
        self.strategy.needs_topic()
            || !matches!(self.priority, PriorityRecipe::None(_))
            || !matches!(self.gate, GateRecipe::None(_))
    }

    /// Returns the class of relevant pages, if the gate or the judge uses a classifier.
    #[must_use]
    pub fn class(&self) -> Option<&str> {
        match &self.gate {
            GateRecipe::Bcw(gate) => Some(&gate.class),
            GateRecipe::None(_) | GateRecipe::Threshold(_) => self.judge.class(),
        }
    }

    /// Sets the class of relevant pages, if the gate or the judge uses a classifier.
    pub fn set_class(&mut self, class: &str) {
        if let GateRecipe::Bcw(gate) = &mut self.gate {
            class.clone_into(&mut gate.class);
        }
        self.judge.set_class(class);
    }

    /// Returns true if the recipe needs link contexts.
    #[must_use]
    pub fn needs_context(&self) -> bool {
        self.priority.needs_context() || self.strategy.needs_context()
    }

    /// Returns true if the recipe needs the topic's terms in anchor texts.
    #[must_use]
    pub fn needs_anchor_terms(&self) -> bool {
        self.similarity.settings().anchor == AnchorChoice::Bm25
    }

    /// Returns true if the recipe needs the judge's probability of anchor texts.
    #[must_use]
    pub fn needs_anchor_probability(&self) -> bool {
        self.judge.uses_classifier() && self.priority.uses_judge()
    }

    /// Returns the size of the link model's table, in bits, if the recipe learns from links.
    #[must_use]
    pub fn link_model_bits(&self) -> Option<u32> {
        match &self.priority {
            PriorityRecipe::LinkModel(settings) => Some(settings.bits.clamp(1, 26)),
            _ => None,
        }
    }

    /// Returns true if the recipe learns from the words and places of links.
    #[must_use]
    pub fn learns_links(&self) -> bool {
        matches!(self.priority, PriorityRecipe::LinkModel(_))
    }

    /// Returns true if the recipe needs content blocks.
    #[must_use]
    pub fn needs_blocks(&self) -> bool {
        matches!(self.tunnel, TunnelRecipe::ContentBlocks(_))
    }

    /// Returns true if the recipe makes lookahead fetches that are not counted, which is allowed
    /// offline only.
    #[must_use]
    pub fn looks(&self) -> bool {
        match &self.strategy {
            StrategyRecipe::Tabu(it) => it.lookahead == Lookahead::Oracle,
            StrategyRecipe::ImprovedTabu(it) => it.lookahead == Lookahead::Oracle,
            _ => false,
        }
    }

    /// Checks that all numbers are in range and that the parts fit together.
    fn check(&self) -> Result<(), RecipeError> {
        let wrong = |reason: String| Err(RecipeError::Parts { name: self.name.clone(), reason });
        for (name, value) in self.numbers() {
            let (least, most) = range(&name);
            if !(least..=most).contains(&value) {
                return wrong(format!(
                    "{name} = {value} is out of range; give a number from {least} to {most}"
                ));
            }
        }
        if let StrategyRecipe::AntColony(ants) = &self.strategy
            && ants.bounds[0] > ants.bounds[1]
        {
            return wrong(format!(
                "strategy.bounds = {:?}: the first bound must not be greater than the second",
                ants.bounds
            ));
        }
        let has_own_priorities =
            matches!(self.strategy, StrategyRecipe::Fish(_) | StrategyRecipe::Shark(_));
        let is_plain = matches!(self.priority, PriorityRecipe::None(_));
        if has_own_priorities && (self.needs_graph() || !is_plain) {
            return wrong(
                "strategies fish and shark compute priorities themselves; set priority.kind, \
                 tunnel.kind and hosts.kind to none, and similarity.anchor to tfidf"
                    .to_owned(),
            );
        }
        if self.strategy.hedges() && !self.learns_links() {
            return wrong(
                "strategy hedge chooses between the learned order of links and others; set \
                 priority.kind to link-model"
                    .to_owned(),
            );
        }
        if self.needs_blocks() && matches!(self.gate, GateRecipe::None(_)) {
            return wrong(
                "tunnels start on pages that the gate holds back, and gate none holds back no \
                 page; set gate.kind to threshold or bcw"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Returns all numbers in the recipe by their names, such as `priority.at-least`.
    fn numbers(&self) -> Vec<(String, f64)> {
        let mut numbers = Vec::new();
        if let Ok(table) = toml::Table::try_from(self) {
            gather(&table, "", &mut numbers);
        }
        numbers
    }
}

/// Returns the range of a setting, by its name: from 0 to 1 for shares and weights. Counts are
/// limited so that no decision takes minutes.
fn range(name: &str) -> (f64, f64) {
    match name.rsplit('.').next().unwrap_or(name) {
        // With a damping factor of 1, PR would grow without bound.
        "damping" => (0.0, 0.99),
        // A negative value refuses no link.
        "above" if name == "priority.above" => (-1.0, 1.0),
        "pheromone-power" | "priority-power" | "pull" | "inertia" | "speed" | "noise" => {
            (0.0, 100.0)
        }
        "particles" | "ants" | "rounds" => (1.0, 500.0),
        "steps" => (0.0, 500.0),
        "library" | "batch" | "candidates" | "window" | "tries" | "turns" => (1.0, 2_000.0),
        "refusals" | "restore" | "new-population" => (0.0, 2_000.0),
        "width" | "depth" | "share" if name.starts_with("strategy.") => (0.0, 1e6),
        "bits" => (10.0, 24.0),
        "replay" => (0.0, 1_000.0),
        "fading" => (1e-9, 1e9),
        "lead" => (1.0, 1_000.0),
        "every" | "stretches" | "generations" | "rejections" => (1.0, 1e9),
        "omega" | "temperature" | "radius" | "widest" | "pheromone" | "bounds" | "growth"
        | "term" | "pages" | "most-pages" | "few-hosts" | "hub-links" | "directories"
        | "enough" => (0.0, 1e9),
        _ => (0.0, 1.0),
    }
}

/// Replaces Rust's type names in a message of the TOML parser by plain words, and joins the lines
/// of a message about a single value.
fn in_plain_words(message: &str) -> String {
    let words = [
        ("usize", "a whole number"),
        ("u64", "a whole number"),
        ("u32", "a whole number"),
        ("f64", "a number"),
        ("struct PageRankSettings", "settings, such as priority.pagerank.omega"),
        ("unknown variant", "unknown kind"),
    ];
    let plain =
        words.iter().fold(message.trim_end().to_owned(), |text, (from, to)| text.replace(from, to));
    plain.replace("\nin `", " in `")
}

/// Collects the numbers of a table, with `prefix` before their names.
fn gather(table: &toml::Table, prefix: &str, numbers: &mut Vec<(String, f64)>) {
    for (key, value) in table {
        let name = format!("{prefix}{key}");
        match value {
            toml::Value::Table(table) => gather(table, &format!("{name}."), numbers),
            toml::Value::Float(number) => numbers.push((name, *number)),
            toml::Value::Integer(number) => numbers.push((name, *number as f64)),
            toml::Value::Array(values) => {
                let floats = values.iter().filter_map(toml::Value::as_float);
                numbers.extend(floats.map(|number| (name.clone(), number)));
            }
            _ => {}
        }
    }
}

/// Applies one setting to a recipe.
fn override_setting(table: &mut toml::Table, given: &str) -> Result<(), RecipeError> {
    let wrong =
        |reason: &str| RecipeError::Setting { given: given.to_owned(), reason: reason.to_owned() };
    let (path, value) = given.split_once('=').ok_or_else(|| {
        wrong("missing `=`; give PART.SETTING=VALUE, such as priority.at-least=0.2")
    })?;
    // A value that is not valid TOML is taken as a string.
    let parsed = format!("value = {value}").parse::<toml::Table>();
    let value = match parsed.ok().and_then(|mut table| table.remove("value")) {
        Some(value) => value,
        None => toml::Value::String(value.trim().to_owned()),
    };
    let mut keys: Vec<&str> = path.trim().split('.').collect();
    let last =
        keys.pop().filter(|key| !key.is_empty()).ok_or_else(|| wrong("the setting has no name"))?;
    let mut place = table;
    for key in keys {
        let inner = place.entry(key).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        place = inner.as_table_mut().ok_or_else(|| wrong(&format!("{key} has no settings")))?;
    }
    if last == "kind" {
        // The old settings do not apply to another kind.
        place.clear();
    }
    // Accept 1 for 1.0, and 1.0 for 1.
    let value = match (&value, place.get(last)) {
        (toml::Value::Integer(number), Some(toml::Value::Float(_))) => {
            toml::Value::Float(*number as f64)
        }
        #[expect(clippy::cast_possible_truncation, reason = "a whole number within range")]
        (toml::Value::Float(number), Some(toml::Value::Integer(_)))
            if number.fract() == 0.0 && number.abs() < 1e15 =>
        {
            toml::Value::Integer(*number as i64)
        }
        _ => value,
    };
    place.insert(last.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_recipe_can_be_read_and_is_complete() {
        for name in Recipe::names() {
            let recipe = Recipe::shipped(name).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(recipe.name, name);
            assert!(
                recipe.about.len() > 10 && recipe.about.len() < 110,
                "{name}: {}",
                recipe.about
            );
            // A shipped recipe states every setting explicitly.
            let written: toml::Table = toml::from_str(Recipe::text(name).unwrap()).unwrap();
            let mut whole = toml::Table::try_from(&recipe).unwrap();
            strip_optional(&mut whole, &written);
            assert_eq!(written, whole, "{name}");
        }
    }

    /// Removes the settings that a recipe may omit.
    fn strip_optional(whole: &mut toml::Table, written: &toml::Table) {
        let (Some(whole), Some(written)) = (whole.get_mut("similarity"), written.get("similarity"))
        else {
            return;
        };
        if written.get("norm").is_none() {
            whole.as_table_mut().unwrap().remove("norm");
        }
    }

    /// The parameters that the papers print, by their names in a recipe: section 5 of fcits-oh,
    /// section 5 of bcw-cc, section IV of gafc. The 0.35 of sdvsm is ours.
    #[test]
    fn the_parameters_of_the_papers_ship() {
        let printed: [(&str, &[(&str, f64)]); 4] = [
            (
                "fcits-oh",
                &[
                    ("threshold", 0.62),
                    ("priority.at-least", 0.15),
                    ("priority.rank", 0.55),
                    ("priority.page", 0.25),
                    ("priority.anchor", 0.2),
                    ("priority.pagerank.damping", 0.85),
                    ("priority.pagerank.omega", 0.6),
                    ("strategy.tries", 5.0),
                    ("strategy.term", 5.0),
                    ("hosts.term", 4.0),
                    ("hosts.pages", 50.0),
                    ("hosts.most-pages", 100.0),
                    ("hosts.share", 0.8),
                ],
            ),
            (
                "bcw-cc",
                &[
                    ("threshold", 0.7),
                    ("priority.page", 0.5),
                    ("priority.anchor", 0.3),
                    ("priority.context", 0.2),
                    ("priority.above", 0.3),
                    ("tunnel.above", 0.3),
                ],
            ),
            (
                "gafc",
                &[
                    ("threshold", 0.05),
                    ("strategy.crossover", 0.6),
                    ("strategy.mutation", 0.4),
                    ("strategy.knock-out", 0.1),
                    ("strategy.hub-links", 15.0),
                    ("strategy.enough", 4_500.0),
                    ("strategy.new-population", 0.0),
                ],
            ),
            ("sdvsm", &[("threshold", 0.35), ("priority.page", 0.5)]),
        ];
        for (name, settings) in printed {
            let recipe = Recipe::find_as_printed(name, &[]).unwrap();
            let recipe = toml::Value::try_from(recipe).unwrap();
            for (path, expected) in settings {
                let found = path.split('.').try_fold(&recipe, |at, key| at.get(key));
                let found =
                    found.and_then(|it| it.as_float().or(it.as_integer().map(|it| it as f64)));
                assert_eq!(found, Some(*expected), "{name}: {path}");
            }
        }
    }

    #[test]
    fn settings_can_be_overridden() {
        let text = Recipe::text("fcits-oh").unwrap();
        let set = |given: &[&str]| {
            Recipe::parse(text, &given.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        let recipe =
            set(&["priority.at-least=0.4", "strategy.lookahead=oracle", "threshold=1"]).unwrap();
        let PriorityRecipe::PagerankPageAnchor(priority) = &recipe.priority else { panic!() };
        assert!(priority.at_least == Cut::At(0.4) && recipe.looks());
        assert_eq!(recipe.threshold, Cut::At(1.0));
        assert!(set(&["strategy.tries=7.0"]).is_ok() && set(&["strategy.tries=7.5"]).is_err());
        let recipe = set(&["strategy.kind=annealing", "strategy.cooling=0.9"]).unwrap();
        assert!(matches!(recipe.strategy, StrategyRecipe::Annealing(it) if it.cooling < 0.91));
        let error = |given: &str| set(&[given]).unwrap_err().to_string();
        assert!(
            error("strategy.kind=random")
                .contains("unknown kind `random`, expected one of `bfs`, `best-first`")
        );
        assert!(
            error("strategy.speed=2").contains("unknown field `speed`, expected one of `tries`")
        );
        assert!(error("threshold").contains("missing `=`"));
        assert!(error("threshold=2").contains("give a number from 0 to 1"));
        assert!(error("threshold=high").contains("expected a number or \"auto\""));
        assert!(error("priority.rank=nan").contains("priority.rank"));
        assert!(error("name.x=2").contains("name has no settings"));
        let range = "recipe fcits-oh: priority.pagerank.damping = 1.5 is out of range; \
                     give a number from 0 to 0.99";
        assert_eq!(error("priority.pagerank.damping=1.5"), range);
        assert!(error("strategy.tries=100000").contains("give a number from 1 to 2000"));
        assert!(error("hosts.share=-0.1").contains("give a number from 0 to 1"));
    }

    #[test]
    fn parts_that_do_not_fit_together_are_refused() {
        let parse = |name: &str, set: &[&str]| {
            let set: Vec<String> = set.iter().map(ToString::to_string).collect();
            Recipe::parse(Recipe::text(name).unwrap(), &set)
                .map(|_| ())
                .map_err(|it| it.to_string())
        };
        assert!(
            parse("shark-search", &["hosts.kind=memory"])
                .unwrap_err()
                .contains("compute priorities themselves")
        );
        assert!(
            parse("fccbs", &["gate.kind=none"])
                .unwrap_err()
                .contains("gate none holds back no page")
        );
        let error = Recipe::shipped("nothing").unwrap_err().to_string();
        assert!(error.contains("bfs, ops, vsm") && error.contains("shark-search"));
    }
}
