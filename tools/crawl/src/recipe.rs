//! The recipe of a crawl: which one was chosen, and whether everything that it asks for is there.

use anyhow::{Result, bail};
use ontrail_cli::Printer;
use ontrail_crawl::WebPlace;
use ontrail_focus::{LoadedModels, TopicMismatch, made_from};
use ontrail_pilot::Recipe;

use crate::run::AimArgs;

/// The recipe that was asked for, with its settings changed as asked.
pub(crate) fn chosen(aim: &AimArgs, web: &WebPlace) -> Result<Recipe> {
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
    if recipe.looks() && *web == WebPlace::Live {
        let name = &recipe.name;
        bail!("recipe {name} looks at pages without counting them; that can only be done offline");
    }
    Ok(recipe)
}

/// Warns if the topic is not of the kind that the recipe is meant for.
pub(crate) fn warn_of_topic(recipe: &Recipe, models: &LoadedModels, printer: &mut Printer) {
    let name = &recipe.name;
    match models.mismatch(recipe) {
        None => {}
        Some(TopicMismatch::Origin { wanted, given }) => printer.warn(format_args!(
            "recipe {name} is meant for a topic made from {}; this one is from {}",
            made_from(wanted),
            made_from(given)
        )),
        Some(TopicMismatch::DepMode { wanted, weighed }) => printer.warn(format_args!(
            "recipe {name} has dep-mode = {wanted:?}, and the topic was weighed with {weighed}: weigh it anew with \
             --dep-mode {wanted}"
        )),
    }
}
