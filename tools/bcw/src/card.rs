//! The README of a classifier.

use std::path::{Path, PathBuf};

use ontrail_bcw::{Card, Classifier, Evaluation, Mode, TrainSettings, Validation};
use ontrail_cli::count;

/// Greatest number of columns of a line of prose.
const COLUMNS: usize = 100;

/// Returns the settings by which candidates of a mode differ.
pub(crate) fn detail(settings: &TrainSettings) -> String {
    let amount = match settings.mode {
        Mode::Linear => format!("cost:{}", settings.cost),
        _ => settings.smoothing.to_string(),
    };
    if settings.information { amount } else { format!("{amount}, no term weights") }
}

/// Describes how documents were held out.
pub(crate) fn folds(validation: &Validation) -> String {
    match validation.folds {
        1 => "one split".to_owned(),
        folds => format!("{folds} folds"),
    }
}

/// Formats a temperature, which may be of any magnitude.
pub(crate) fn temperature(value: f64) -> String {
    if (0.01..1e6).contains(&value) { format!("{value:.3}") } else { format!("{value:.1e}") }
}

/// Writes the README of a classifier.
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
    let mut text = "# Page classifier\n\n".to_owned();
    text += &wrapped(&format!(
        "Trained by `ontrail bcw train` on {} documents of {name}, in mode {} ({}) with {} features \
         ({}). `manifest.json` has the command and the checksums.",
        count(documents),
        card.settings.mode,
        detail(&card.settings),
        count(card.features_used as u64),
        card.features
    ));
    if let Some(validation) = card.validation {
        text += "\n";
        text += &wrapped(&format!(
            "Accuracy {:.3} on {} documents held out of training ({}), with a log-loss of {:.3} at \
             temperature {}. All choices were made on these documents.",
            validation.accuracy,
            count(validation.documents as u64),
            folds(&validation),
            validation.log_loss,
            temperature(card.temperature)
        ));
    }
    if let Some(tested) = tested {
        text += &evaluation(card, tested);
    }
    if !card.candidates.is_empty() {
        text += "\n## Candidates\n\n| mode | features | setting | accuracy | log-loss |\n|---|---|---|---|---|\n";
        for candidate in &card.candidates {
            text += &format!(
                "| {} | {} | {} | {:.3} | {:.3} |\n",
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

/// Describes the results on documents that were not used in training.
fn evaluation(card: &Card, tested: &Evaluation) -> String {
    let mut text = "\n## Evaluation\n\n".to_owned();
    text += &wrapped(&format!(
        "On the {} documents of the part `test`: accuracy {:.3}, macro F1 {:.3}, log-loss {:.3}, \
         calibration error {:.3}.",
        count(tested.documents()),
        tested.accuracy(),
        tested.macro_f1(),
        tested.log_loss(),
        tested.calibration_error()
    ));
    text += "\n| class | precision | recall | F1 | test documents | training documents |\n\
             |---|---|---|---|---|---|\n";
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

/// Breaks a paragraph into lines that fit.
fn wrapped(paragraph: &str) -> String {
    let (mut text, mut columns) = (String::new(), 0);
    for word in paragraph.split(' ') {
        let wide = word.chars().count();
        if columns > 0 && columns + 1 + wide > COLUMNS {
            text.push('\n');
            columns = 0;
        } else if columns > 0 {
            text.push(' ');
            columns += 1;
        }
        text += word;
        columns += wide;
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_break_at_spaces() {
        assert_eq!(wrapped("a b"), "a b\n");
        let (long, word) = ("x".repeat(COLUMNS - 2), "y");
        assert_eq!(wrapped(&format!("{long} {word} {word}")), format!("{long} {word}\n{word}\n"));
    }
}
