//! The command that runs the tests that failed again.

/// What to type after a run with this command line and this config, as messages show it; it can be pasted into a shell.
pub(super) fn rerun(command: &[String], config: Option<&str>) -> String {
    let mut words = vec!["ananke run --last-failed".to_owned()];
    if let Some(config) = config.filter(|config| !is_found(config)) {
        words.extend(["--config".to_owned(), quoted(config)]);
    }
    let mut arguments = command.iter();
    while let Some(argument) = arguments.next() {
        let target = match argument.strip_prefix("--target=") {
            Some(target) => Some(target),
            None if argument == "--target" => arguments.next().map(String::as_str),
            None => None,
        };
        words.extend(target.into_iter().flat_map(|target| ["--target".to_owned(), quoted(target)]));
    }
    words.join(" ")
}

/// Whether the program finds the config by itself: it is in the working directory or above it.
fn is_found(config: &str) -> bool {
    config.trim_start_matches("../") == "ananke.config.yaml"
}

/// `text` as one word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_./:@%+=,".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_config_and_the_target_are_kept() {
        for (command, config, expected) in [
            (&["run"][..], "ananke.config.yaml", "ananke run --last-failed"),
            (&["run", "--id", "y"], "../../ananke.config.yaml", "ananke run --last-failed"),
            (
                &["run", "specs"],
                "a b/ananke.config.yaml",
                "ananke run --last-failed --config 'a b/ananke.config.yaml'",
            ),
            (
                &["run", "--target=x", "--config", "b.yaml"],
                "b.yaml",
                "ananke run --last-failed --config b.yaml --target x",
            ),
            (
                &["run", "--target", "it's"],
                "ananke.config.yaml",
                "ananke run --last-failed --target 'it'\\''s'",
            ),
        ] {
            let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(rerun(&command, Some(config)), expected);
        }
    }
}
