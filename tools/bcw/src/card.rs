//! What a classifier's README says of it.

use std::path::{Path, PathBuf};

use ontrail_bcw::{Card, Classifier, Evaluation, Mode, Settings, Validation};
use ontrail_cli::count;

/// A setting that candidates of a mode differ by.
pub(crate) fn detail(settings: &Settings) -> String {
    let amount = match settings.mode {
        Mode::Linear => format!("cost:{}", settings.cost),
        _ => settings.smoothing.to_string(),
    };
    if settings.information { amount } else { format!("{amount}, all words alike") }
}

/// How documents were held out.
pub(crate) fn folds(validation: &Validation) -> String {
    match validation.folds {
        1 => "one split".to_owned(),
        folds => format!("{folds} folds"),
    }
}

/// A temperature, with digits that tell something.
pub(crate) fn temperature(value: f64) -> String {
    if (0.01..1e6).contains(&value) { format!("{value:.3}") } else { format!("{value:.1e}") }
}

/// The README of a classifier.
pub(crate) fn markdown(
    data: Option<&Path>,
    updated: &[PathBuf],
    classifier: &Classifier,
    tested: Option<&Evaluation>,
) -> String {
    let card = classifier.card();
    let documents: u64 = card.classes.iter().map(|class| class.documents).sum();
    let sources = updated.iter().map(PathBuf::as_path).chain(data);
    let sources: Vec<String> = sources.map(|path| format!("`{}`", path.display())).collect();
    let name = sources.join(" and ");
    let mut text = format!(
        "# A page classifier\n\nTrained by `ontrail bcw train` on {} documents of {name}. Mode {} ({}), \
         features {} ({}). `manifest.json` has the command and the checksums.\n",
        count(documents),
        card.settings.mode,
        detail(&card.settings),
        card.features,
        count(card.features_used as u64)
    );
    if let Some(validation) = card.validation {
        text += &format!(
            "\nOn {} documents held out of training ({}) {:.4} were right, with a log-loss of {:.3} at \
             temperature {}. Every choice was made by these.\n",
            count(validation.documents as u64),
            folds(&validation),
            validation.accuracy,
            validation.log_loss,
            temperature(card.temperature)
        );
    }
    if let Some(tested) = tested {
        text += &evaluation(card, tested);
    }
    if !card.candidates.is_empty() {
        text += "\n## What was tried\n\n| mode | features | setting | right | log-loss |\n|---|---|---|---|---|\n";
        for candidate in &card.candidates {
            text += &format!(
                "| {} | {} | {} | {:.4} | {:.3} |\n",
                candidate.settings.mode,
                candidate.features,
                detail(&candidate.settings),
                candidate.validation.accuracy,
                candidate.validation.log_loss
            );
        }
    }
    text
}

/// How it did on documents that had no part in making it.
fn evaluation(card: &Card, tested: &Evaluation) -> String {
    let mut text = format!(
        "\n## Evaluation\n\nOn the {} documents of the part `test`: accuracy {:.4}, macro F1 {:.4}, \
         log-loss {:.3}, calibration error {:.3}.\n\n\
         | class | precision | recall | F1 | test documents | training documents |\n|---|---|---|---|---|---|\n",
        count(tested.documents()),
        tested.accuracy(),
        tested.macro_f1(),
        tested.log_loss(),
        tested.calibration_error()
    );
    for (class, figures) in card.classes.iter().zip(tested.figures()) {
        text += &format!(
            "| {} | {:.3} | {:.3} | {:.3} | {} | {} |\n",
            class.name.replace('|', "\\|"),
            figures.precision,
            figures.recall,
            figures.f1,
            count(figures.support),
            count(class.documents)
        );
    }
    text
}
