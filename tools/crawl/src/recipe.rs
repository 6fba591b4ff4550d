//! Chooses the recipe of a crawl, and checks that the topic suits it.

use anyhow::{Result, bail};
use ontrail_cli::Printer;
use ontrail_crawl::WebPlace;
use ontrail_focus::{LoadedModels, TopicMismatch, made_from};
use ontrail_pilot::Recipe;

use crate::run::FocusArgs;

/// Returns the recipe that the flags name, with the settings that they change.
pub(crate) fn chosen(focus: &FocusArgs, web: &WebPlace) -> Result<Recipe> {
    let default = match (&focus.topic, &focus.class) {
        (Some(_), Some(_)) if focus.judge.is_none() => "ontrail-classifier",
        (Some(_), _) => "ontrail",
        (None, _) => "bfs",
    };
    let mut set = focus.set.clone();
    // The judge takes its place in whatever recipe is chosen.
    let judge = focus.judge.iter().map(|_| "judge.kind=\"both\"".to_owned());
    set.extend(judge);
    set.extend(focus.threshold.map(|threshold| format!("threshold={threshold:?}")));
    let name = focus.recipe.as_deref().unwrap_or(default);
    let find = if focus.as_printed { Recipe::find_as_printed } else { Recipe::find };
    if focus.class.is_some() && find(name, &set)?.class().is_none() {
        bail!(
            "--class: recipe {name} does not use a classifier; drop --class, or choose \
             ontrail-classifier, bcw-cc or fcbcw"
        );
    }
    // With a judge, the graph is part of it, and links are scored as the recipe says.
    let sdg = focus.sdg.as_ref().filter(|_| focus.judge.is_none());
    set.extend(sdg.map(|_| "similarity.sdg=true".to_owned()));
    let mut recipe = find(name, &set)?;
    if let Some(class) = &focus.class {
        recipe.set_class(class);
    }
    if focus.link_model.is_some() && !recipe.learns_links() {
        bail!(
            "--link-model: recipe {} does not learn from links; drop --link-model, or choose \
             ontrail or ontrail-classifier",
            recipe.name
        );
    }
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
