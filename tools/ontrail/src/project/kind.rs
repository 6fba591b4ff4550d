//! The stages that a project can have.

use toml::{Table, Value};

/// A stage that a project can have.
#[derive(Debug)]
pub(crate) struct Kind {
    /// Its table in the file.
    pub(crate) table: &'static str,
    /// What it does.
    pub(crate) title: &'static str,
    /// The command, or several of which the key `from` chooses one, by their names there.
    commands: &'static [Way],
    /// Where what it makes goes, if nothing else is said.
    pub(crate) output: &'static str,
}

/// A way to do a stage: its name in the key `from`, the command, and what is given to it without a flag.
pub(crate) type Way = (&'static str, &'static [&'static str], Option<&'static str>);

/// All of them, in the order in which they are done.
pub(crate) const KINDS: [Kind; 8] = [
    Kind {
        table: "context",
        title: "Pages and the terms on them: a formal context",
        commands: &[("", &["lattice", "context"], Some("data"))],
        output: "models/context.cxt",
    },
    Kind {
        table: "ontology",
        title: "The ontology: terms as classes, in the order of the concept lattice",
        commands: &[("", &["lattice", "owl"], Some("context"))],
        output: "models/ontology.owl",
    },
    Kind {
        table: "topic",
        title: "The topic: terms and what each says about it",
        commands: &[
            ("ontology", &["topic", "weigh"], Some("ontology")),
            ("texts", &["topic", "learn"], Some("data")),
            ("keywords", &["topic", "keywords"], Some("terms")),
        ],
        output: "models/topic.json",
    },
    Kind {
        table: "classifier",
        title: "The page classifier",
        commands: &[("", &["bcw", "train"], Some("data"))],
        output: "models/classifier",
    },
    Kind {
        table: "evaluation",
        title: "How good the classifier is",
        commands: &[("", &["bcw", "eval"], Some("data"))],
        output: "models/evaluation.json",
    },
    Kind {
        table: "sdg",
        title: "The disambiguation graph: which words mean something else elsewhere",
        commands: &[("", &["sdg", "build"], Some("pages"))],
        output: "models/sdg.json",
    },
    Kind {
        table: "crawl",
        title: "The crawl",
        commands: &[("", &["crawl", "run"], Some("urls"))],
        output: "crawls",
    },
    Kind {
        table: "report",
        title: "All of it as a page to look at",
        commands: &[("", &["report"], None)],
        output: "report.html",
    },
];

impl Kind {
    /// The command that a table asks for.
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
            format!("from is {} or {last}", first.join(", "))
        })
    }

    /// What is given to a command without a flag, by its key in the file.
    pub(crate) fn given(&self, command: &[&str]) -> Option<&'static str> {
        self.commands.iter().find(|(_, words, _)| *words == command).and_then(|it| it.2)
    }

    /// Whether the key `from` chooses between commands.
    pub(crate) fn has_from(&self) -> bool {
        self.commands.len() > 1
    }

    /// Whether settings of a crawl stand in its table.
    pub(crate) fn has_settings(&self) -> bool {
        self.table == "crawl"
    }

    /// Its commands: the value of `from`, the words, and what is given without a flag.
    #[cfg(test)]
    pub(crate) fn commands(&self) -> &'static [Way] {
        self.commands
    }
}
