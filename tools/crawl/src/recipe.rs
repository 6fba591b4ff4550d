//! Chooses the recipe of a crawl, and checks that the topic suits it.

use anyhow::{Result, bail};
use ontrail_cli::Printer;
use ontrail_crawl::WebPlace;
use ontrail_focus::{LoadedModels, TopicMismatch, made_from};
use ontrail_pilot::Recipe;

use crate::run::FocusArgs;

/// Returns the recipe that the flags name, with the settings that they change.
pub(crate) fn chosen(focus: &FocusArgs, web: &WebPlace) -> Result<Recipe> {
    let default = if focus.topic.is_some() { "ontrail" } else { "bfs" };
    let mut set = focus.set.clone();
    set.extend(focus.threshold.map(|threshold| format!("threshold={threshold:?}")));
    let name = focus.recipe.as_deref().unwrap_or(default);
    let find = if focus.as_printed { Recipe::find_as_printed } else { Recipe::find };
    if let Some(class) = &focus.class {
        if find(name, &focus.set)?.class().is_none() {
            bail!(
                "--class: recipe {name} does not use a classifier as its gate; drop --class, or choose \
                 bcw-cc or fcbcw"
            );
        }
        set.push(format!("gate.class={class:?}"));
    }
    set.extend(focus.sdg.as_ref().map(|_| "similarity.sdg=true".to_owned()));
    let recipe = find(name, &set)?;
    if recipe.looks() && *web == WebPlace::Live {
        let name = &recipe.name;
        bail!(
            "recipe {name} looks at pages without counting them, which is only possible offline; give \
             archives or a folder with --web"
        );
    }
    Ok(recipe)
}

/// Warns if the recipe is designed for another kind of topic.
pub(crate) fn warn_of_topic(recipe: &Recipe, models: &LoadedModels, printer: &mut Printer) {
    let name = &recipe.name;
    if let Err(error) = models.start_curve_for(recipe) {
        printer.warn(error);
    }
    match models.mismatch(recipe) {
        None => {}
        Some(TopicMismatch::Origin { wanted, given }) => printer.warn(format_args!(
            "recipe {name} is designed for a topic made from {}; this one was made from {}",
            made_from(wanted),
            made_from(given)
        )),
        Some(TopicMismatch::DepMode { wanted, weighed }) => printer.warn(format_args!(
            "recipe {name} has dep-mode = {wanted:?}, but the topic was weighted with {weighed}; \
             weight it again with --dep-mode {wanted}"
        )),
    }
}
