//! A file that uses keys newer than it says, with its version raised.

use std::sync::Arc;

use super::walk::walk;
use super::{FileKind, Version, version};
use crate::diagnostic::SourceFile;
use crate::source;

/// The text of a file with its version raised to the one its keys need, and that version; `None` where it is new
/// enough, or where no version can be read from it. Nothing else of the text changes.
pub fn raised(kind: FileKind, source: &Arc<SourceFile>) -> Option<(String, Version)> {
    let mut newest = None;
    let mut source = Arc::clone(source);
    // A branch that is newer is not looked into, so that a second look may find still newer keys in it.
    while let Some((text, version)) = raised_once(kind, &source) {
        source = Arc::new(SourceFile::new(Arc::clone(&source.name), source.path.clone(), text));
        newest = Some(version);
    }
    newest.map(|version| (source.text.clone(), version))
}

fn raised_once(kind: FileKind, source: &Arc<SourceFile>) -> Option<(String, Version)> {
    let node = source::tree(source).0?;
    let said = version::of(source, &node).ok()?;
    let needed = walk(kind, source, &node, Some(said)).needs?;
    let span = node.get("version")?.span;
    let (start, end) = (span.start as usize, span.end as usize);
    let written = source.text.get(start..end)?.replacen(&said.to_string(), &needed.to_string(), 1);
    let text = format!("{}{written}{}", source.text.get(..start)?, source.text.get(end..)?);
    // What is written in an unusual way (an alias, escapes) is left alone.
    (text != source.text).then_some((text, needed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: FileKind, text: &str, expected: Option<(&str, &str)>) {
        let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", text));
        let found = raised(kind, &source).map(|(text, version)| (text, version.to_string()));
        assert_eq!(
            found.as_ref().map(|(text, version)| (text.as_str(), version.as_str())),
            expected,
            "{text}"
        );
    }

    #[test]
    fn raises_what_is_too_old_and_nothing_else() {
        let newer = "# mine\r\nversion: '1.0' # old\r\ntarget: { type: scripted, rules: [] }\r\n";
        check(FileKind::Config, newer, Some((&newer.replace("'1.0'", "'1.3'"), "1.3")));
        check(FileKind::Config, &newer.replace("1.0", "1.3"), None);
        check(FileKind::Config, &newer.replace("'1.0'", "1.0"), None);
        check(FileKind::Config, "target: [", None);
        check(FileKind::Test, "version: \"1.0\"\nname: x\nturns: [{ user: x }]\n", None);
        let list = "version: \"1.0\"\nname: x\nturns: [{ user: [{ type: text, text: y }] }]\n";
        check(FileKind::Test, list, Some((&list.replace("1.0", "1.3"), "1.3")));
    }
}
