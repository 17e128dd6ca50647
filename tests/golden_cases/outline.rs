//! The outline of printed text: its facts without its words, so that a reworded message changes no golden file.
//!
//! A problem or a finding is one line: its mark, what its message quotes and counts, then its place, its events, its
//! rule, and what its help quotes. A rule that is explained is what it quotes and counts, its level and its place. Lines
//! about tests and totals stay as they are, without the index of a test. Excerpts of files and conversations are left out: a case that is about those
//! keeps the whole text.

use std::sync::LazyLock;

use regex::Regex;

/// A row of an explanation: words, then the level and the place.
static ROW: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^ {4,}(?P<words>\S.*?) {2,}(?P<level>target|test|turn) {2,}(?P<place>\S+:\d+)$")
        .expect("valid")
});

/// The same in two lines.
static BROKEN_ROW: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^(?P<words> {4}\S.*)\n {20,}(?P<level>(?:target|test|turn) +\S+:\d+)$")
        .expect("valid")
});

/// The index of a test among several, which a log has.
static INDEX: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^  \[ *\d+/\d+\] ").expect("valid"));

/// The number of a failure and what follows it.
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\d+  \S").expect("valid"));

/// The number of a failure, its place, and what follows.
static LISTED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\d+  \S+:\d+").expect("valid"));

/// A file and a line.
static PLACE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\S+:\d+$").expect("valid"));

/// The mark of an event.
static MARKED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[\u{2776}-\u{277F}\u{24EB}-\u{24F4}]$").expect("valid"));

/// The outline of what the program printed.
pub(crate) fn outline(printed: &str) -> String {
    let mut outline = String::new();
    // A rule that is too long for the column of the levels has its level on the next line.
    let printed = BROKEN_ROW.replace_all(printed, "$words  $level");
    for line in printed.lines() {
        match reduced(&INDEX.replace(line, "  ")) {
            Line::Own(text) => {
                if !outline.is_empty() {
                    outline.push('\n');
                }
                outline += &text;
            }
            Line::Detail(text) if !text.is_empty() => {
                outline += "; ";
                outline += &text;
            }
            Line::Detail(_) => {}
        }
    }
    outline.push('\n');
    outline
}

/// What is left of a line.
enum Line {
    /// A line of its own.
    Own(String),
    /// More about the line before; nothing if it is empty.
    Detail(String),
}

fn reduced(line: &str) -> Line {
    let text = line.trim_start();
    let indentation = line.len() - text.len();
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let is_mark = ["✓", "✗", "!"].contains(&first);
    let is_test = indentation <= 2 && (is_mark || ["-", "+", "~"].contains(&first));
    if let Some(row) = ROW.captures(line) {
        let (name, words) = row["words"].split_once("  ").unwrap_or(("", &row["words"]));
        return Line::Own(
            format!("{} {} {name}{}", &row["level"], &row["place"], facts(words))
                .replace("  ", " "),
        );
    }
    match first.trim_end_matches(':') {
        kind if indentation == 2 && kind.ends_with(',') => {
            Line::Own(kind.trim_end_matches(',').to_owned())
        }
        "subagents" | "not" | "dropped" if indentation == 2 => {
            Line::Own(format!("{first}{}", facts(rest)))
        }
        "turn" if indentation == 0 => Line::Own(line.to_owned()),
        // The rule that failed, with its line or its place.
        "rule" if (4..12).contains(&indentation) => {
            Line::Detail(match rest.trim().split_once(" | ") {
                Some((number, _)) => format!("rule {}", number.trim()),
                None => rest
                    .rsplit_once(" rule ")
                    .map_or("", |(_, rule)| rule)
                    .to_owned(),
            })
        }
        // A failure: its number, and what its message quotes and counts.
        _ if indentation == 0 && is_mark && NUMBERED.is_match(rest) => {
            let (number, message) = rest.split_once("  ").unwrap_or((rest, ""));
            match message.split_once("  ") {
                Some((place, _)) if PLACE.is_match(place) => {
                    let same = message
                        .rsplit_once("  same as ")
                        .map_or("", |(_, same)| same);
                    let same = same.split(' ').next().unwrap_or_default();
                    Line::Own(format!("{first} {number}; {place} as {same}"))
                }
                _ => Line::Own(format!("{first} {number}{}", facts(message))),
            }
        }
        _ if indentation == 5 && PLACE.is_match(first) => {
            Line::Detail(format!("{first}{}", statuses(rest)))
        }
        // A line that a finding rests on.
        _ if indentation == 5 && MARKED.is_match(first) => {
            let what = rest.split(['(', ' ']).next().unwrap_or_default();
            let name = rest[what.len()..]
                .trim()
                .split(['(', ' '])
                .next()
                .unwrap_or_default();
            let name = if what == "call" { name } else { "" };
            Line::Detail(format!("{first} {what} {name}").trim().to_owned())
        }
        // A test in the list of those that failed: its number and place, and what its reason quotes and counts.
        _ if is_test && indentation == 2 && first != "✓" && LISTED.is_match(rest) => {
            let (number, rest) = rest.split_once("  ").unwrap_or((rest, ""));
            let (place, why) = rest.split_once("  ").unwrap_or((rest, ""));
            Line::Own(format!("  {first} {number} {place}{}", facts(why)))
        }
        number if indentation == 4 && LISTED.is_match(text) => {
            let place = rest.trim().split("  ").next().unwrap_or_default();
            Line::Own(format!("    {number} {place}"))
        }
        // An excerpt of a file: a line with or without its number.
        _ if rest.trim_start().starts_with('|') || first == "|" => Line::Detail(String::new()),
        _ if is_test && rest.contains(" tests  ") => Line::Own(format!("  {first}{}", facts(rest))),
        "SLOW" | "run" if indentation == 0 => Line::Detail(String::new()),
        _ if is_test => Line::Own(line.to_owned()),
        mark if indentation == 0 && (mark.starts_with("error") || mark.starts_with("warning")) => {
            Line::Own(format!("{mark}{}", facts(rest)))
        }
        mark if (5..=6).contains(&indentation) && is_mark => Line::Own(format!(
            "{mark}{}{}{}",
            code(rest),
            facts(message(rest)),
            rule(rest)
        )),
        "turn" | "attempt" if (3..=4).contains(&indentation) => {
            Line::Own(format!("{first}{}{}", mark(rest), facts(rest)))
        }
        "warning" if indentation > 0 => Line::Own(format!("{first}{}", facts(rest))),
        // What changed between two runs.
        "tools" | "ending" | "time" | "→" if (6..12).contains(&indentation) => {
            Line::Detail(text.split_whitespace().collect::<Vec<_>>().join(" "))
        }
        "-->" | ":::" | "events" => Line::Detail(rest.trim().to_owned()),
        word @ ("help" | "seen" | "tip") => detail(word, rest),
        "=" => detail("help", rest),
        // Totals, and the headings of files.
        number if indentation == 0 && number.starts_with(|first: char| first.is_ascii_digit()) => {
            Line::Own(line.to_owned())
        }
        file if indentation == 0 && rest.is_empty() && file.strip_suffix(".yaml").is_some() => {
            Line::Own(line.to_owned())
        }
        _ => Line::Detail(String::new()),
    }
}

/// The statuses in a line.
fn statuses(text: &str) -> String {
    let words = text.split(' ');
    let statuses = words.filter(|word| ["error", "timeout", "undecided"].contains(word));
    statuses.flat_map(|word| [" ", word]).collect()
}

fn detail(word: &str, text: &str) -> Line {
    let facts = facts(text);
    Line::Detail(if facts.is_empty() {
        String::new()
    } else {
        format!("{word}{facts}")
    })
}

/// What a message quotes and counts, and statuses, each after a blank.
fn facts(text: &str) -> String {
    static FACT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?P<quoted>`[^`]*`)|(?:^|[\s(])(?P<argument>'[^']+')|(?P<count>#?\b\d+(?:\.\d+)*\b)",
            r"|(?P<status>\b(?:passed|failed|error|timeout|skipped)\b)",
        ))
        .expect("the pattern is valid")
    });
    let names = ["quoted", "argument", "count", "status"];
    let fact = |found: regex::Captures<'_>| {
        names
            .iter()
            .find_map(|name| found.name(name))
            .map_or(String::new(), |fact| format!(" {}", fact.as_str()))
    };
    FACT.captures_iter(text).map(fact).collect()
}

/// A line of a rule without the rule that it ends with.
fn message(text: &str) -> &str {
    text.rfind("  (").map_or(text, |end| &text[..end])
}

/// The rule that a line ends with.
fn rule(text: &str) -> String {
    let rule = text[message(text).len()..]
        .split_once(" rule ")
        .map(|(_, rule)| rule.trim_end_matches(')'));
    rule.map_or(String::new(), |rule| format!("; {rule}"))
}

/// The code of the diagnostic that a finding is.
fn code(text: &str) -> String {
    let code = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once("]:"));
    code.map_or(String::new(), |(code, _)| format!("[{code}]"))
}

/// The mark in a line about an attempt.
fn mark(text: &str) -> String {
    let mark = text.split(' ').find(|word| ["✓", "✗", "!"].contains(word));
    mark.map_or(String::new(), |mark| format!(" {mark}"))
}

/// What is wrong with [`outline`].
pub(crate) fn has_no_words() -> String {
    let rows = [
        (
            concat!(
                "error[unknown-key]: unknown key `usr`\n --> one.test.yaml:3:11\n  |\n",
                "3 | turns: [{ usr: 1 }]\n  |           ^^^\n  |\n  = help: did you mean `user`?\n\n1 error\n",
            ),
            "error[unknown-key] `usr`; one.test.yaml:3:11; help `user`\n1 error\n",
        ),
        (
            concat!(
                "✗ 1  `pay` was called 3 times, which is forbidden\n",
                "     one.test.yaml:4  one  0 ms\n   turn 2 of 3  failed  0 ms\n",
                "       seen     the result `no` is none\n       user:    pay\n",
                "     ❶ call     pay({}) → no\n       rule     target rule tools.forbid, a.yaml:4\n",
                "                4 | tools: { forbid: [pay] }\n     ✗ `log` was called\n       rule     12 | - log\n\n",
                "✗ 2  one.test.yaml:9  other  same as 1  3 ms\n\nfailed\n  ✗ 2 tests  `pay` was called\n",
                "    1  one.test.yaml:4  one\n  ! 3  b.test.yaml:1  error `E42`\n",
                "      ✓ text matching `a`  (turn rule text.must_match, one.test.yaml:4)\n",
            ),
            concat!(
                "✗ 1 `pay` 3; one.test.yaml:4\nturn 2 3 failed 0; seen `no`; ❶ call pay; ",
                "tools.forbid, a.yaml:4\n✗ `log`; rule 12\n✗ 2; one.test.yaml:9 as 1\n",
                "  ✗ 2 `pay`\n    1 one.test.yaml:4\n  ! 3 b.test.yaml:1 error `E42`\n",
                "✓ `a`; text.must_match, one.test.yaml:4\n",
            ),
        ),
        (
            concat!(
                "turn 1 of 2  one\n  prohibition, broken at once\n",
                "    no call to `drop`           target  a.config.yaml:5\n",
                "    no call to `drop` with arguments containing `{}`\n",
                "                                turn    one.test.yaml:5\n",
                "  limit, evaluated at the end of the turn\n    total  at most 5 tokens     test    one.test.yaml:9\n",
            ),
            concat!(
                "turn 1 of 2  one\nprohibition\ntarget a.config.yaml:5 `drop`\n",
                "turn one.test.yaml:5 `drop` `{}`\nlimit\ntest one.test.yaml:9 total 5\n",
            ),
        ),
        (
            "error: unexpected argument '--junitt' found\n\n  tip: a similar argument exists: '--junit'\n",
            "error '--junitt'; tip '--junit'\n",
        ),
    ];
    let wrong = rows
        .iter()
        .filter(|(text, expected)| outline(text) != *expected);
    let wrong =
        wrong.map(|(text, expected)| format!("expected {expected:?}, found {:?}", outline(text)));
    wrong.collect::<Vec<_>>().join("\n")
}
