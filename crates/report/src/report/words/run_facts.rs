//! The facts of a run that every report prints: what it was made with, and what it took.

use super::{links::web_address, tokens};
use crate::run_document::RunTotals;
use ananke_base::text::{duration, grouped, truncate};
use ananke_trace::outcome::{ChangeTotals, RunFacts, StatusChange};

/// The most bytes of a value.
const LONGEST: usize = 500;

/// The name of the fact that links to the page of the job.
const JOB: &str = "CI job";

/// A fact of a run: `commit`, `0123456789abcdef`.
#[derive(Debug)]
pub(crate) struct RunFact {
    pub(crate) name: &'static str,
    pub(crate) value: String,
}

impl RunFact {
    /// The address that it links to: of the page of the job, if that is an address of the web.
    pub(crate) fn link(&self) -> Option<&str> {
        web_address(&self.value).filter(|_| self.name == JOB)
    }
}

/// All facts of a run: what it took, then what it was made with.
pub(crate) fn run_facts(run: &RunTotals) -> Vec<RunFact> {
    let took = [
        ("virtual time", virtual_time(run)),
        ("tokens", tokens::of_run(run.tokens)),
        ("cost", tokens::cost_of_run(run)),
        ("models", model_calls(run)),
        ("helpers", tokens::helpers(&run.helpers)),
        ("changes", change_totals(run.totals.changes)),
    ];
    let mut facts = Vec::new();
    for (name, value) in took {
        facts.extend(fact(name, value));
    }
    facts.extend(made_with(&run.facts));
    facts
}

/// The facts of a run, as far as they are known.
pub(crate) fn made_with(facts: &RunFacts) -> Vec<RunFact> {
    let RunFacts {
        ananke,
        command,
        target,
        model,
        commit,
        branch,
        job_url,
        shard,
        // They are in the command, or of no use for a reader.
        config: _,
        target_description: _,
        host: _,
        blob_url: _,
        parallel: _,
        files: _,
        generated: _,
    } = facts;
    let command = match command.as_slice() {
        [] => None,
        words => Some(command_line(words)),
    };
    let values = [
        ("ananke", Some(ananke.to_string())),
        ("target", target.clone()),
        ("model", model.clone()),
        ("shard", shard.as_ref().map(ToString::to_string)),
        ("commit", commit.clone()),
        ("branch", branch.clone()),
        (JOB, job_url.clone()),
        ("command", command),
    ];
    let mut facts = Vec::new();
    for (name, value) in values {
        facts.extend(fact(name, value));
    }
    facts
}

fn fact(name: &'static str, value: Option<String>) -> Option<RunFact> {
    let value = truncate::bytes(&value?, LONGEST).into_owned();
    Some(RunFact { name, value })
}

/// `12.1 s (delays are simulated)`: the time of tests whose agents have a virtual clock; `None` if there was none.
///
/// This time is not part of the duration of the run, and can be much longer.
pub(crate) fn virtual_time(run: &RunTotals) -> Option<String> {
    let us = run.virtual_us;
    if us == 0 {
        return None;
    }
    Some(format!("{} (delays are simulated)", duration::rounded(us)))
}

/// `41 calls, 41 replayed, 0 live`: the calls of agents to models; `None` if none was seen.
pub(crate) fn model_calls(run: &RunTotals) -> Option<String> {
    let calls = run.tokens.model_calls;
    let noun = match calls.calls() {
        0 => return None,
        1 => "call",
        _ => "calls",
    };
    let mut words = vec![format!("{} {noun}", grouped(calls.calls()))];
    for (count, how) in [
        (calls.by_script, "from scripts"),
        (calls.replayed, "replayed"),
    ] {
        if count > 0 {
            words.push(format!("{} {how}", grouped(count)));
        }
    }
    // Whether a provider was asked is worth a word in any case.
    words.push(format!("{} live", grouped(calls.live)));
    Some(words.join(", "))
}

/// ` in 34 ms, 12.1 s of virtual time (delays are simulated)`: how long a run took, after its counts; empty if it did not end.
pub(crate) fn took(run: &RunTotals) -> String {
    let Some(end) = &run.end else {
        return String::new();
    };
    let virtual_time = (run.virtual_us > 0).then(|| {
        let time = duration::rounded(run.virtual_us);
        format!(", {time} of virtual time (delays are simulated)")
    });
    format!(
        " in {}{}",
        duration::rounded(end.elapsed_us),
        virtual_time.unwrap_or_default()
    )
}

/// `10 turns, 3.3 per test`: the turns of a run of cases; `None` for any other.
pub(crate) fn turns(run: &RunTotals) -> Option<String> {
    let tests = run.totals.tests();
    let turns = run.total_turns;
    // One message needs no count.
    if !run.has_cases || tests == 0 || (tests, turns) == (1, 1) {
        return None;
    }
    let plural = if turns == 1 { "turn" } else { "turns" };
    // The number of turns is far below what a float holds.
    #[expect(clippy::cast_precision_loss, reason = "the quotient has one decimal")]
    let per_test = turns as f64 / tests as f64;
    Some(format!(
        "{} {plural}, {per_test:.1} per test",
        grouped(turns)
    ))
}

/// `2 new, 3 known, 1 fixed`: the tests that fail or failed before; `None` if there are none, or no earlier run is known.
pub(crate) fn change_totals(changes: ChangeTotals) -> Option<String> {
    let ChangeTotals { new, known, fixed } = changes;
    let counts = [
        (new, StatusChange::New),
        (known, StatusChange::Known),
        (fixed, StatusChange::Fixed),
    ];
    let mut words = Vec::new();
    for (count, change) in counts {
        if count > 0 {
            words.push(format!("{} {}", grouped(count), change.as_str()));
        }
    }
    if words.is_empty() {
        return None;
    }
    Some(words.join(", "))
}

/// The words of a command line.
pub(crate) fn command_line(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// `text` as one word of a shell.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "-_./:@%+=,".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_trace::outcome::{ModelTotals, TokenTotals};

    #[test]
    fn what_is_known_is_there_in_one_order() {
        let run = RunTotals {
            facts: RunFacts {
                command: ["ananke", "run", "a b.test.yaml"].map(str::to_owned).into(),
                model: Some("gpt-4o".to_owned()),
                job_url: Some("https://ci.example.org/7".to_owned()),
                ..RunFacts::default()
            },
            virtual_us: 12_100_000,
            tokens: TokenTotals {
                model_calls: ModelTotals {
                    by_script: 0,
                    replayed: 1041,
                    live: 0,
                },
                ..TokenTotals::default()
            },
            ..RunTotals::default()
        };
        let facts = run_facts(&run);
        let shown: Vec<String> = facts
            .iter()
            .filter(|fact| fact.name != "ananke")
            .map(|RunFact { name, value }| format!("{name}: {value}"))
            .collect();
        assert_eq!(
            shown,
            [
                "virtual time: 12.1 s (delays are simulated)",
                "models: 1,041 calls, 1,041 replayed, 0 live",
                "model: gpt-4o",
                "CI job: https://ci.example.org/7",
                "command: ananke run 'a b.test.yaml'",
            ]
        );
    }

    #[test]
    fn only_an_address_of_the_web_is_a_link() {
        for (name, value, is_link) in [
            (JOB, "https://ci.example.org/7?a=b#c", true),
            (JOB, "javascript:alert(1)", false),
            (JOB, "https://ci.example.org/\"><script>", false),
            (JOB, "https://ci.example.org/)](x", false),
            ("commit", "https://ci.example.org/7", false),
        ] {
            let value = value.to_owned();
            assert_eq!(RunFact { name, value }.link().is_some(), is_link);
        }
    }
}
