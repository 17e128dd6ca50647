//! What a code means, with a wrong example and a right one.

use std::fmt::Write as _;

use ananke::diagnostic::{Code, ExampleFile};

use super::layout::{Colours, styled, wrapped};

/// The text about one code.
pub(super) fn text(code: Code, colours: Colours) -> String {
    let explained = code.explained();
    let mut text = format!("{}\n\n{}", styled(colours.strong, code.as_str()), wrapped(explained.about));
    let Some(example) = explained.example else { return text };
    let file = match example.file {
        ExampleFile::Config => "an `ananke.config.yaml`",
        ExampleFile::Test => "a test file",
    };
    for (style, word, yaml) in
        [(colours.wrong, "wrong", example.wrong), (colours.right, "right", example.right)]
    {
        let _ = writeln!(text, "\n{}, {file}:\n", styled(style, word));
        for line in yaml.lines() {
            let _ = writeln!(text, "    {line}");
        }
    }
    text
}
