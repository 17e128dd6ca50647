//! Secrets in the text of a file that could not be read as what it is, but whose lines are shown.
//!
//! Flows in: the text. Flows out: what is written after the names of headers that carry secrets, and in URLs.

use ananke_model::variables::{credentials, is_secret_header};

/// The parts of the text of a broken file that may be secret.
pub fn written_secrets(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        found.extend(user_info(line));
        for value in secret_values(line) {
            if !value.is_empty() && !value.starts_with(['|', '>', '#', '&']) {
                add_value(value, &mut found);
                continue;
            }
            // What is written under its key.
            let depth = indentation(line);
            while let Some(below) = lines.next_if(|below| indentation(below) > depth) {
                add_value(below.trim(), &mut found);
            }
        }
    }
    found
}

/// The user and password of every URL in `line`.
fn user_info(line: &str) -> Vec<String> {
    let urls = line.split("://").skip(1);
    let info = urls.filter_map(|url| {
        let authority = url.split(['/', '?', '#', ' ', '"', '\'', ',']).next()?;
        Some(authority.rsplit_once('@')?.0)
    });
    info.flat_map(|info| [info].into_iter().chain(info.split(':')).map(str::to_owned))
        .collect()
}

/// The values that follow the names of headers that carry secrets.
fn secret_values(line: &str) -> Vec<&str> {
    let mut values = Vec::new();
    for (colon, _) in line.match_indices([':', '=']) {
        let before = line[..colon].trim_end().trim_end_matches(['"', '\'']);
        let is_of_name =
            |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
        let start = before
            .rfind(|character| !is_of_name(character))
            .map_or(0, |at| {
                at + before[at..].chars().next().map_or(1, char::len_utf8)
            });
        let name = before[start..].trim_start_matches('-');
        if !name.is_empty() && is_secret_header(name) {
            values.push(line[colon + 1..].trim());
        }
    }
    values
}

/// The value that `text` begins with, in each way it may be meant: to the end of its quotes, of its entry, of the line.
fn add_value(text: &str, found: &mut Vec<String>) {
    let text = text.trim_start_matches("- ").trim();
    let quote = text.chars().next().filter(|first| "\"'".contains(*first));
    let whole = quote.map_or(text, |quote| {
        text[1..].split(quote).next().unwrap_or_default()
    });
    let entry = whole.split([',', '}', ']']).next().unwrap_or_default();
    let all = text
        .trim_end_matches(['}', ']', ' ', '"', '\''])
        .trim_start_matches(['"', '\'']);
    for value in [all, whole, entry] {
        for literal in literals(value.trim()) {
            found.extend(credentials(literal));
            found.push(literal.to_owned());
        }
    }
}

/// The parts of `value` outside its references, without the scheme that is before one.
fn literals(value: &str) -> Vec<&str> {
    if !value.contains("${") {
        return vec![value];
    }
    let parts = value
        .split("${")
        .enumerate()
        .map(|(index, part)| match index {
            0 => part,
            _ => part.split_once('}').map_or("", |(_, after)| after),
        });
    let is_word = |part: &&str| part.chars().any(|character| character.is_ascii_digit());
    parts.map(str::trim).filter(is_word).collect()
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_the_name_of_a_secret_is_found() {
        for (text, expected) in [
            (
                "  headers: { authorization: \"Bearer hunter22\", a: b }",
                &["Bearer hunter22", "hunter22"][..],
            ),
            (
                "  authorization: Bearer hunter22",
                &["Bearer hunter22", "hunter22"],
            ),
            ("{x-api-key: hunter22, a: [}", &["hunter22"]),
            ("  - \"x-api-key\" : 'hunter22", &["hunter22"]),
            (
                "  cookie: |\n    sid=hunter22\n  x: y",
                &["sid=hunter22", "hunter22"],
            ),
            (
                "  endpoint: http://me:hunter22@host/x",
                &["me", "hunter22", "me:hunter22"],
            ),
            ("  authorization: Bearer ${ENV.KEY}", &[]),
            ("  agentId: hunter22", &[]),
            ("é: é = token", &[]),
        ] {
            let found = written_secrets(text);
            for expected in expected {
                assert!(
                    found.iter().any(|found| found == expected),
                    "{text}: {found:?}"
                );
            }
            assert!(
                !expected.is_empty() || found.iter().all(String::is_empty),
                "{text}: {found:?}"
            );
        }
    }
}
