//! The stages that a project can have.

use toml::{Table, Value};

/// A stage that a project can have.
#[derive(Debug)]
pub(crate) struct Kind {
    /// Name of its table in ontrail.toml.
    pub(crate) table: &'static str,
    /// Heading for people.
    pub(crate) title: &'static str,
    /// The commands that can run the stage. If there are several, the key `from` selects one by
    /// its name.
    commands: &'static [StageCommand],
    /// Default path of its result.
    pub(crate) output: &'static str,
}

/// A command that can run a stage: its value of the key `from`, its words, and the key that holds
/// its positional arguments.
pub(crate) type StageCommand = (&'static str, &'static [&'static str], Option<&'static str>);

/// All stages, in the order in which they run.
pub(crate) const KINDS: [Kind; 9] = [
    Kind {
        table: "context",
        title: "Find the terms on the pages",
        commands: &[("", &["lattice", "context"], Some("data"))],
        output: "models/context.cxt",
    },
    Kind {
        table: "ontology",
        title: "Order the terms into an ontology",
        commands: &[("", &["lattice", "owl"], Some("context"))],
        output: "models/ontology.owl",
    },
    Kind {
        table: "topic",
        title: "Weigh the terms of the topic",
        commands: &[
            ("ontology", &["topic", "weigh"], Some("ontology")),
            ("texts", &["topic", "learn"], Some("data")),
            ("keywords", &["topic", "keywords"], Some("terms")),
        ],
        output: "models/topic.json",
    },
    Kind {
        table: "classifier",
        title: "Train the page classifier",
        commands: &[("", &["bcw", "train"], Some("data"))],
        output: "models/classifier",
    },
    Kind {
        table: "evaluation",
        title: "Evaluate the classifier",
        commands: &[("", &["bcw", "eval"], Some("data"))],
        output: "models/evaluation.json",
    },
    Kind {
        table: "sdg",
        title: "Build the disambiguation graph",
        commands: &[("", &["sdg", "build"], Some("pages"))],
        output: "models/sdg.json",
    },
    Kind {
        table: "judge",
        title: "Fit the judge of pages",
        commands: &[("", &["crawl", "judge"], None)],
        output: "models/judge.json",
    },
    Kind {
        table: "crawl",
        title: "Crawl pages on the topic",
        commands: &[("", &["crawl", "run"], Some("urls"))],
        output: "crawls",
    },
    Kind {
        table: "report",
        title: "Write the report",
        commands: &[("", &["report"], None)],
        output: "report.html",
    },
];

impl Kind {
    /// Returns the command that a table selects.
    pub(crate) fn command(&self, table: &Table) -> Result<Vec<&'static str>, String> {
        let from = match table.get("from") {
            None => self.commands[0].0,
            Some(Value::String(from)) => from.as_str(),
            Some(_) => "?",
        };
        let chosen = self.commands.iter().find(|(name, ..)| *name == from || !self.has_from());
        chosen.map(|(_, words, _)| words.to_vec()).ok_or_else(|| {
            let names: Vec<String> =
                self.commands.iter().map(|(name, ..)| format!("{name:?}")).collect();
            let (last, first) = names.split_last().expect("a stage has commands");
            format!("from must be {} or {last}", first.join(", "))
        })
    }

    /// Returns the key that holds the positional arguments of a command.
    pub(crate) fn positional_key(&self, command: &[&str]) -> Option<&'static str> {
        self.commands.iter().find(|(_, words, _)| *words == command).and_then(|it| it.2)
    }

    /// Returns true if the key `from` selects one of several commands.
    pub(crate) fn has_from(&self) -> bool {
        self.commands.len() > 1
    }

    /// Returns true if the table can have a `settings` table with crawl settings.
    pub(crate) fn has_settings(&self) -> bool {
        self.table == "crawl"
    }

    /// Returns the commands that can run the stage.
    #[cfg(test)]
    pub(crate) fn commands(&self) -> &'static [StageCommand] {
        self.commands
    }
}
