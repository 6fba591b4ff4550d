//! The recipe of a crawl: which one was chosen, and whether everything that it asks for is there.

use std::path::Path;

use anyhow::{Result, bail};
use ontrail_artifact::{Provenance, read_json};
use ontrail_bcw::Classifier;
use ontrail_cli::Printer;
use ontrail_crawl::WebPlace;
use ontrail_pilot::{DepMode, Recipe, TopicRecipe};
use ontrail_topic::{Origin, Topic};

use crate::run::AimArgs;

/// The recipe that was asked for, complete.
pub(crate) fn chosen(aim: &AimArgs, web: &WebPlace, printer: &mut Printer) -> Result<Recipe> {
    let usual = if aim.topic.is_some() { "ontrail" } else { "bfs" };
    let mut set = aim.set.clone();
    set.extend(aim.threshold.map(|threshold| format!("threshold={threshold:?}")));
    let name = aim.recipe.as_deref().unwrap_or(usual);
    if let Some(class) = &aim.class {
        if Recipe::find(name, &aim.set)?.class().is_none() {
            bail!(
                "--class: recipe {name} has no gate that a classifier keeps; leave it out, or take bcw-cc or fcbcw"
            );
        }
        set.push(format!("gate.class={class:?}"));
    }
    set.extend(aim.sdg.as_ref().map(|_| "similarity.sdg=true".to_owned()));
    let recipe = Recipe::find(name, &set)?;
    let name = &recipe.name;
    if recipe.needs_topic() && aim.topic.is_none() {
        bail!("recipe {name} needs a topic to know what is promising; give one with --topic");
    }
    if recipe.similarity.settings().sdg && aim.sdg.is_none() {
        bail!(
            "recipe {name} leaves out words that do not mean the topic; give a disambiguation graph with --sdg, \
             or do without: --set similarity.sdg=false"
        );
    }
    if recipe.looks() && *web == WebPlace::Live {
        bail!("recipe {name} looks at pages without counting them; that can only be done offline");
    }
    check_class(&recipe, aim)?;
    if let Some(path) = &aim.topic {
        note_topic(&recipe, path, printer)?;
    }
    Ok(recipe)
}

/// Refuses a class that the classifier does not know.
fn check_class(recipe: &Recipe, aim: &AimArgs) -> Result<()> {
    let Some(class) = recipe.class() else { return Ok(()) };
    let name = &recipe.name;
    let Some(path) = &aim.classifier else {
        bail!("recipe {name} has a gate that a classifier keeps; give one with --classifier");
    };
    let classifier = Classifier::open(path)?;
    if classifier.class_number(class).is_none() {
        let classes: Vec<&str> =
            classifier.card().classes.iter().map(|it| it.name.as_str()).collect();
        let classes = classes.join(", ");
        bail!(
            "recipe {name}: {class:?} is not a class of {}; give one with --class: {classes}",
            path.display()
        );
    }
    Ok(())
}

/// Says so if the topic is not of the kind that the recipe is meant for.
fn note_topic(recipe: &Recipe, path: &Path, printer: &mut Printer) -> Result<()> {
    let (provenance, topic): (Provenance, Topic) = read_json(path, &ontrail_topic::FORMAT)?;
    let wanted = match recipe.topic {
        TopicRecipe::Any {} => return Ok(()),
        TopicRecipe::Sem { .. } => Origin::Ontology,
        TopicRecipe::Tfidf {} => Origin::Texts,
        TopicRecipe::Keywords {} => Origin::Keywords,
    };
    if topic.origin != wanted {
        let (made, from) = (made_from(wanted), made_from(topic.origin));
        printer.warn(format_args!(
            "recipe {} is meant for a topic made from {made}; this one is from {from}",
            recipe.name
        ));
        return Ok(());
    }
    let TopicRecipe::Sem { dep_mode: Some(mode) } = recipe.topic else { return Ok(()) };
    let mode = match mode {
        DepMode::Sum => "sum",
        DepMode::Diff => "diff",
    };
    let weighed = provenance.parameters.get("dep_mode").and_then(|mode| mode.as_str());
    if let Some(weighed) = weighed.filter(|weighed| *weighed != mode) {
        printer.warn(format_args!(
            "recipe {} has dep-mode = {mode:?}, and the topic was weighed with {weighed}: weigh it anew with \
             --dep-mode {mode}",
            recipe.name
        ));
    }
    Ok(())
}

fn made_from(origin: Origin) -> &'static str {
    match origin {
        Origin::Ontology => "an ontology (ontrail topic weigh)",
        Origin::Texts => "texts (ontrail topic learn)",
        Origin::Keywords => "keywords (ontrail topic keywords)",
    }
}
