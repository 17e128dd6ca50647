//! The remedies for what is not converted: what ananke has instead.

use ananke_base::source::printable;

/// The target that converted tests ask as a judge.
pub(super) const JUDGE: &str = "judge";

/// The remedy where a test asks a judge.
pub(super) const ADD_JUDGE: &str =
    "add a target that judges: `targets: { judge: { type: openai, model: …, endpoint: … } }`";

/// The remedy for what only a model can grade.
const IN_WORDS: &str = "say in words what must be true: `judge: [{ agent: judge, criteria: … }]`";

/// The beginnings of the types of assertions that no rule can express, with the remedy.
const TYPES: &[(&[&str], &str)] = &[
    (
        &["javascript", "python", "ruby", "webhook"],
        "write the check as a program: `script: [{ cmd: [python, check.py] }]`",
    ),
    (
        &["cost"],
        "limit the cost by the `prices` of the config: `usage: { max_cost_usd: 0.05 }`",
    ),
    (
        &["agent-rubric", "answer-relevance", "classifier", "context-"],
        IN_WORDS,
    ),
    (
        &["factuality", "g-eval", "is-refusal", "model-graded-"],
        IN_WORDS,
    ),
    (&["moderation", "search-rubric", "similar"], IN_WORDS),
    (
        &["is-valid-", "skill-used", "tool-call-f1", "trajectory:"],
        "calls are checked by name, arguments and order: `tools: { require: [NAME] }`",
    ),
    (&["latency"], "only the longest duration can be given"),
    (
        &["assert-set"],
        "a set of which a part is enough cannot be said in a rule",
    ),
];

/// The keys that are not converted, with the remedy.
const KEYS: &[(&[&str], &str)] = &[
    (
        &["evaluateOptions"],
        "the config has `run: { parallel: 4 }`; `ananke run --runs 5` repeats each test",
    ),
    (
        &[
            "outputPath",
            "sharing",
            "writeLatestResults",
            "commandLineOptions",
        ],
        "reports are named on the command line, `-o report.html`, or under `reports` in the config",
    ),
    (
        &["env"],
        "variables of the environment are read as `${ENV.NAME}`",
    ),
    (
        &[
            "threshold",
            "weight",
            "metric",
            "derivedMetrics",
            "assertScoringFunction",
        ],
        "ananke has no scores: every rule of a test must pass",
    ),
    (
        &["metadata"],
        "words to select tests by are `tags: [smoke]`",
    ),
    (
        &["provider", "providers"],
        "agents and judges are targets of the config",
    ),
    (
        &["transform", "postprocess"],
        "a rule is about the answer itself",
    ),
    (&["prompts"], "the test is written for every prompt"),
    (
        &["rubricPrompt"],
        "what a judge is asked is the text under `criteria`",
    ),
];

/// The remedy for a type of assertions; `None` for one that is unknown, or that a rule can express.
pub(super) fn of_type(kind: &str) -> Option<&'static str> {
    let mut types = TYPES.iter();
    let found = types.find(|(types, _)| types.iter().any(|start| kind.starts_with(start)));
    found.map(|(_, remedy)| *remedy)
}

/// The remedy for a key.
pub(super) fn of_key(key: &str) -> &'static str {
    let found = KEYS.iter().find(|(keys, _)| keys.contains(&key));
    found.map_or("ananke has nothing that means the same", |(_, remedy)| {
        remedy
    })
}

/// The remedy for a provider: the target to write.
pub(super) fn of_provider(id: &str) -> String {
    match id.split_once(':') {
        Some((provider @ ("openai" | "anthropic"), model)) => {
            // A kind of API may be between the provider and the model: `openai:chat:MODEL`.
            let model = model.rsplit_once(':').map_or(model, |(_, model)| model);
            let keys = if provider == "openai" {
                "endpoint: \"https://api.openai.com/v1/chat/completions\", headers: { authorization: \"Bearer ${ENV.OPENAI_API_KEY}\" }"
            } else {
                "endpoint: \"https://api.anthropic.com\", headers: { x-api-key: \"${ENV.ANTHROPIC_API_KEY}\" }"
            };
            format!(
                "write it into the config: `target: {{ type: {provider}, model: {}, {keys} }}`",
                printable(model)
            )
        }
        Some(("exec" | "python" | "file", _)) => {
            "wrap it as a program: `ananke init --for python` writes one, and its target".to_owned()
        }
        _ => "write a target for it into the config: `ananke init URL` detects its type".to_owned(),
    }
}
