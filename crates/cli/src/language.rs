//! The language of messages.

use clap::ValueEnum;

/// The language in which messages and the headings of help are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Language {
    /// English
    #[default]
    En,
    /// Chinese (中文)
    Zh,
}

impl Language {
    /// Returns the language of the environment, as `LC_ALL`, `LC_MESSAGES` and `LANG` name it.
    /// The first of them that is set and not empty decides; anything but Chinese means English.
    #[must_use]
    pub fn of_environment() -> Self {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set);
        Self::of_locale(locale.as_deref().unwrap_or_default())
    }

    /// Returns the language of a locale such as `zh_CN.UTF-8`.
    fn of_locale(locale: &str) -> Self {
        let language = locale.split(['_', '.', '-', '@']).next().unwrap_or_default();
        if language.eq_ignore_ascii_case("zh") { Self::Zh } else { Self::En }
    }

    /// Returns the language that `--lang` names on this command line, before clap parses it: help
    /// is printed while clap still parses. The flag stands before the name of a tool.
    pub(crate) fn of_command_line(words: impl IntoIterator<Item = String>) -> Option<Self> {
        let mut words = words.into_iter().skip(1);
        while let Some(word) = words.next().filter(|word| word.starts_with('-')) {
            let value = match word.strip_prefix("--lang") {
                Some("") => words.next(),
                Some(rest) => rest.strip_prefix('=').map(str::to_owned),
                None => continue,
            };
            return value.and_then(|value| Self::from_str(&value, false).ok());
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_name_languages() {
        for locale in ["zh_CN.UTF-8", "zh", "zh_TW", "ZH-hans"] {
            assert_eq!(Language::of_locale(locale), Language::Zh, "{locale}");
        }
        for locale in ["", "C", "en_GB.UTF-8", "zha", "POSIX"] {
            assert_eq!(Language::of_locale(locale), Language::En, "{locale}");
        }
    }

    #[test]
    fn the_flag_is_read_only_before_the_name_of_a_tool() {
        let of = |line: &str| Language::of_command_line(line.split(' ').map(str::to_owned));
        assert_eq!(of("ontrail --lang zh crawl"), Some(Language::Zh));
        assert_eq!(of("ontrail -q --lang=en crawl"), Some(Language::En));
        assert_eq!(of("ontrail report --lang zh"), None);
        assert_eq!(of("ontrail --lang klingon"), None);
        assert_eq!(of("ontrail --lang"), None);
    }
}
