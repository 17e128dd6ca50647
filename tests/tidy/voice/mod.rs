//! The voice of the code: that it is read forwards, and that comments give reasons. A crate's figures may only get better.
//!
//! Functions were read by somebody who had not seen them: fewer than half were understood at one reading, since decisions hid in
//! chains, closures and tuples, and reasons were missing. The reading decides whether code is good; the figures only keep what
//! was won. CONTRIBUTING.md has examples.
//!
//! Comments and literals are no code, and unit tests are left out.
//!
//! - **adapters**: calls to what transforms a list or an option, [`code_figures::adapters`]; a loop that only pushes is one.
//! - **closures**; **named closures**: those of `let name = |…|`; **closures named once**: those of them whose name the rest of
//!   the block has once at most.
//! - **filters of nothing**: `.filter(|_| …)`; **idle deciders**: closures given to a method that decides by them, such as `find`
//!   and `any`, that use no parameter before a last `.then_some(…)`.
//! - **folds**: `.then(|| …)`, `.and_then(…)`, `.map_or(…)` and their like; **deciding folds**: those in the head of an `if`,
//!   `while`, `match` or `let … else`, before another link, or as the value of a block, an arm, a closure or a return. A `let`
//!   that only the next head reads is part of that head.
//! - **tuples bound**: `let (a, b) = (x, y)`; **tuples decided**: `match (a, b)`, `match ()`, `if let (…) = (…)`.
//! - **pronoun docs**: documentation that begins with a pronoun; **restating docs**: documentation whose words are all, by their
//!   first four letters, in the item's name, types and parameters, or in the name of its owner.
//! - **silent functions**: functions of more than 20 lines without a comment of four words that says more than the next line;
//!   one of more than 40 lines needs two.
//! - **reasons**: comments with `because`, `since`, `so`, `otherwise`, `to avoid` or `or it would` and three words with content
//!   after it, two of which are new. A reason that is copied is one. **comments with reasons**: the share of comments.
//! - Guards, which only have to stay below their aims: **long chains** of more than four links, **long closures** of more than
//!   three lines in chains, **small functions**: private ones of at most five lines that are used once.

mod code_figures;
mod comment_figures;
mod figures;
mod functions;
#[cfg(test)]
mod snippets;
mod source;
mod table;

use std::collections::BTreeMap;

use super::repository::{code, is_rust, place, read, repository};
use super::sizes::is_of_tests;
use super::{expect_none, golden};
use figures::Voice;
use table::Table;

/// The crate of fakes for tests.
const FAKES: &str = "fakes";

/// The voice of each crate.
fn voices() -> BTreeMap<String, Voice> {
    let by_place = code();
    let mut voices: BTreeMap<String, Voice> = BTreeMap::new();
    for file in repository() {
        let Some(place) = place(&file.path) else {
            continue;
        };
        let krate = place.split('/').next().unwrap_or_default().to_owned();
        if krate == FAKES || is_of_tests(&place, &by_place) {
            continue;
        }
        let voice = voices.entry(krate).or_insert_with(Voice::new);
        voice.add(&file.path, &file.text);
    }
    voices
}

/// The examples of `page` that its files do not have any more: each has a block before and one after, and names its file before
/// them.
fn outdated_examples(page: &str, read: impl Fn(&str) -> String) -> Vec<String> {
    let (_, section) = page.split_once(EXAMPLES).expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let mut outdated = Vec::new();
    let mut path = "";
    for (index, part) in section.split("```").enumerate() {
        let is_block = index % 2 == 1;
        if !is_block {
            let mut names = part.split('`').skip(1).step_by(2);
            path = names.find(|name| is_rust(name)).unwrap_or(path);
        } else if index % 4 == 3 {
            let code = part.trim_start_matches("rust").trim();
            if !without_indentation(&read(path)).contains(&without_indentation(code)) {
                outdated.push(format!("{path}: has not the code of its example any more"));
            }
        }
    }
    outdated
}

/// The part of CONTRIBUTING.md with the examples.
const EXAMPLES: &str = "\n## Code is read forwards\n";

fn without_indentation(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    lines.join("\n")
}

#[test]
fn the_examples_are_what_the_code_says() {
    expect_none(
        &outdated_examples(&read("CONTRIBUTING.md"), read),
        "write the code as it is now after the words `After`, or take another example",
    );
}

#[test]
fn finds_an_outdated_example() {
    let page = "# P\n\n## Code is read forwards\n\n(`a.rs`). Before:\n\n```rust\nold\n```\n\nAfter:\n\n```rust\nfn f() {\n    new\n}\n```\n\n## Words\n";
    let of = |code: &'static str| {
        outdated_examples(page, move |path| {
            assert_eq!(path, "a.rs");
            code.to_owned()
        })
    };
    assert_eq!(
        of("mod m {\n    fn f() {\n        new\n    }\n}\n"),
        [""; 0]
    );
    assert_eq!(of("fn f() {\n    old\n}\n").len(), 1);
}

#[test]
fn the_voice_only_gets_better() {
    let voices = voices();
    let mut table = Table::read(&read("tests/tidy/voice.txt"));
    if golden::is_updating() {
        let text = table.updated(&voices);
        golden::write("voice.txt", &text);
        table = Table::read(&text);
    }
    expect_none(
        &table.problems(&voices),
        "CONTRIBUTING.md has examples of code that is read forwards; tests/tidy/voice/mod.rs says what is counted",
    );
}
