//! From what a reporter answers to the report.

use super::answer_text::fenced;

/// The report in what a reporter says: all of it, or what is in the fenced block that it consists of.
///
/// # Errors
/// If there is none; the words after `the reporter answered with` say so.
pub fn read_report(text: &str) -> Result<String, String> {
    let report = fenced(text.trim()).unwrap_or(text).trim();
    if report.is_empty() {
        return Err("nothing".to_owned());
    }
    Ok(format!("{report}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_the_whole_text_without_its_fence() {
        for (text, expected) in [
            ("# Run\n\nAll passed.\n\n", Ok("# Run\n\nAll passed.\n")),
            ("```markdown\n# Run\n```\n", Ok("# Run\n")),
            (
                "```sh\na\n```\nand\n```sh\nb\n```",
                Ok("```sh\na\n```\nand\n```sh\nb\n```\n"),
            ),
            (" \n", Err("nothing")),
            ("```html\n```", Err("nothing")),
        ] {
            assert_eq!(
                read_report(text).as_deref().map_err(String::as_str),
                expected,
                "{text}"
            );
        }
    }
}
