//! The outline of an HTML report: what a reader sees of it, and its data, without the markup.
//!
//! A heading, a paragraph, an item, a fact and a row of a table are a line each; a block of data is its value, an object of
//! plain values in one line. Style, script, classes and drawings are not part of it, so that another look changes no golden
//! file. The page is read as strictly as XML, and what is not well-formed is an error.

use std::fmt::Write as _;

use serde_json::Value;

/// Elements that have no end.
const VOID: [&str; 4] = ["!doctype", "meta", "link", "br"];

/// One part of a page.
pub(crate) enum PagePart<'a> {
    /// The beginning of an element, with its attributes, unescaped.
    Begin(&'a str, Vec<(&'a str, String)>),
    End(&'a str),
    /// Text between tags, unescaped; that of a style or a script as it is.
    Text(String),
}

/// The parts of `page`, or the first thing that is wrong with it.
pub(crate) fn parts(page: &str) -> Result<Vec<PagePart<'_>>, String> {
    let (mut parts, mut open) = (Vec::new(), Vec::new());
    let mut rest = page;
    while !rest.is_empty() {
        let raw = open
            .last()
            .is_some_and(|name| ["style", "script"].contains(name));
        let end = rest
            .find(if raw { "</" } else { "<" })
            .unwrap_or(rest.len());
        let (text, tag) = rest.split_at(end);
        let text = if raw {
            text.to_owned()
        } else {
            unescaped(text)?
        };
        if open.is_empty() && !text.trim().is_empty() {
            return Err(format!("text outside of the page: {text:?}"));
        }
        parts.push(PagePart::Text(text));
        let Some(tag) = tag.strip_prefix('<') else {
            break;
        };
        let (tag, after) = tag.split_once('>').ok_or("a tag without an end")?;
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("`</{name}>` ends nothing"));
            }
            parts.push(PagePart::End(name));
            continue;
        }
        let is_empty = tag.ends_with('/');
        let tag = tag.trim_end_matches('/');
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let is_void = is_empty || VOID.contains(&name);
        parts.push(PagePart::Begin(name, read_attributes(name, attributes)?));
        if is_void {
            parts.push(PagePart::End(name));
        } else {
            open.push(name);
        }
    }
    match open.pop() {
        Some(name) => Err(format!("`<{name}>` has no end")),
        None => Ok(parts),
    }
}

/// `NAME="VALUE"`, or a name alone, parted by blanks.
fn read_attributes<'a>(tag: &str, text: &'a str) -> Result<Vec<(&'a str, String)>, String> {
    let (mut attributes, mut rest) = (Vec::new(), text.trim_start());
    while !rest.is_empty() {
        let end = rest.find([' ', '=']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return Err(format!("`{name}` as the name of an attribute of `<{tag}>`"));
        }
        let (value, after) = match after.strip_prefix("=\"") {
            Some(value) => value.split_once('"').ok_or("a value without an end")?,
            None if after.starts_with('=') => return Err(format!("a bare value in `<{tag}>`")),
            None => ("", after),
        };
        if attributes.iter().any(|(known, _)| *known == name) {
            return Err(format!("`{name}` twice in `<{tag}>`"));
        }
        attributes.push((name, unescaped(value)?));
        rest = after.trim_start();
    }
    Ok(attributes)
}

fn unescaped(text: &str) -> Result<String, String> {
    let mut pieces = text.split('&');
    let mut unescaped = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once(';').ok_or("`&` that begins nothing")?;
        unescaped.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            _ => return Err(format!("`&{name};`, which the page does not use")),
        });
        unescaped += rest;
    }
    Ok(unescaped)
}

/// The text that a reader sees of `page`, and its data.
pub(crate) fn page_outline(page: &str) -> String {
    let parts = parts(page).unwrap_or_else(|problem| panic!("{problem}\n{page}"));
    let (mut outline, mut line) = (String::new(), String::new());
    // How deep in what is not shown, and in preformatted text; the data block that is open.
    let (mut hidden, mut preformatted, mut data) = (0, 0, None);
    for part in parts {
        match part {
            PagePart::Begin(name, attributes) => {
                let of = |wanted: &str| {
                    let found = attributes.iter().find(|(name, _)| *name == wanted);
                    found.map(|(_, value)| value.clone())
                };
                match name {
                    "script" if of("type").is_some() => data = of("id"),
                    "style" | "script" | "svg" => hidden += 1,
                    "pre" => preformatted += 1,
                    "dd" => line += ": ",
                    "td" | "th" if !line.is_empty() => line += " | ",
                    "a" => line.extend(["[", &of("href").unwrap_or_default(), "] "]),
                    "br" => line += "; ",
                    "title" | "h1" | "h2" | "p" | "li" | "dt" | "tr" | "noscript" => {
                        flush(&mut outline, &mut line);
                        line += match name {
                            "title" => "title: ",
                            "h1" => "# ",
                            "h2" => "## ",
                            "li" => "- ",
                            "noscript" => "without scripts:",
                            _ => "",
                        };
                    }
                    _ => {}
                }
            }
            PagePart::Text(text) if hidden > 0 => drop(text),
            PagePart::Text(text) => match &data {
                Some(id) => {
                    flush(&mut outline, &mut line);
                    let _ = write!(outline, "data {id}:");
                    write_value(&mut outline, &read_data(&text), 1);
                }
                None if preformatted > 0 => line += &text,
                None if text.trim().is_empty() && text.contains('\n') => {}
                None => line += &text,
            },
            PagePart::End(name) => match name {
                "script" if data.is_some() => data = None,
                "style" | "script" | "svg" => hidden -= 1,
                "pre" => {
                    preformatted -= 1;
                    flush(&mut outline, &mut line);
                }
                "title" | "h1" | "h2" | "p" | "li" | "dd" | "tr" => flush(&mut outline, &mut line),
                _ => {}
            },
        }
    }
    flush(&mut outline, &mut line);
    outline
}

fn flush(outline: &mut String, line: &mut String) {
    for row in line.trim_matches('\n').lines() {
        *outline += row.trim_end();
        outline.push('\n');
    }
    line.clear();
}

/// A block of data, in which marks may be where a number was.
fn read_data(json: &str) -> Value {
    let mut json = json.to_owned();
    for mark in ["[NOW]", "[ELAPSED]", "[TIME]", "[…]"] {
        json = json.replace(&format!(":{mark}"), &format!(":\"{mark}\""));
    }
    serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}\n{json}"))
}

/// The members of a list in a line each; the plain members of an object in one line, and the others after it.
fn write_value(outline: &mut String, value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    let is_plain = |value: &Value| !(value.is_array() || value.is_object());
    match value {
        Value::Array(items) if items.iter().all(is_plain) => {
            let _ = writeln!(outline, " {value}");
        }
        Value::Array(items) => {
            outline.push('\n');
            for item in items {
                let _ = write!(outline, "{indent}-");
                write_value(outline, item, depth + 1);
            }
        }
        Value::Object(members) => {
            let (plain, others): (Vec<_>, Vec<_>) =
                members.iter().partition(|(_, value)| is_plain(value));
            let plain: Vec<String> = plain
                .iter()
                .map(|(name, value)| format!("{name} {}", plain_text(value)))
                .collect();
            if !plain.is_empty() {
                let _ = write!(outline, " {}", plain.join(", "));
            }
            outline.push('\n');
            for (name, value) in others {
                let _ = write!(outline, "{indent}{name}:");
                write_value(outline, value, depth + 1);
            }
        }
        plain => {
            let _ = writeln!(outline, " {plain}");
        }
    }
}

/// A text that has nothing to escape as it is, and everything else as a program writes it.
fn plain_text(value: &Value) -> String {
    let Value::String(text) = value else {
        return value.to_string();
    };
    let quoted = format!("{text:?}");
    if quoted[1..quoted.len() - 1] == **text && !text.contains(',') {
        text.clone()
    } else {
        quoted
    }
}
