//! What other tools call a key: what is called so here.

/// Words of other tools, each with the keys of ours that mean the same. The one that exists in a mapping is offered there;
/// where none does, the last one is looked for elsewhere.
const WORDS: &[(&str, &[&str])] = &[
    ("afterAll", &["teardown"]),
    ("afterEach", &["teardown"]),
    ("agent", &["agentId", "target"]),
    ("arguments", &["args"]),
    ("assertions", &["assert"]),
    ("asserts", &["assert"]),
    ("base_url", &["endpoint"]),
    ("baseUrl", &["endpoint"]),
    ("before", &["hooks"]),
    ("beforeAll", &["hooks"]),
    ("beforeEach", &["hooks"]),
    ("called", &["require"]),
    ("calls", &["require"]),
    ("checks", &["assert"]),
    ("command", &["cmd"]),
    ("content", &["say", "user"]),
    ("conversation", &["turns"]),
    ("environment", &["env"]),
    ("exec", &["cmd"]),
    ("expect", &["assert"]),
    ("expected", &["assert"]),
    ("function", &["name", "call", "tool", "require"]),
    ("host", &["endpoint"]),
    ("input", &["args", "user"]),
    ("matches", &["match", "must_match"]),
    ("max_latency_ms", &["max_duration_ms"]),
    ("message", &["say", "user"]),
    ("not_called", &["forbid"]),
    ("not_match", &["must_not_match"]),
    ("options", &["forwardedProps"]),
    ("output", &["result"]),
    ("parameters", &["args", "vars"]),
    ("params", &["args"]),
    ("pattern", &["match", "must_match"]),
    ("prompt", &["user"]),
    ("provider", &["target"]),
    ("providers", &["targets"]),
    ("regex", &["match", "must_match"]),
    ("repeat", &["count"]),
    ("reply", &["say"]),
    ("response", &["result", "text"]),
    ("run", &["cmd"]),
    ("scenario", &["name"]),
    ("server_url", &["endpoint"]),
    ("setup", &["hooks"]),
    ("steps", &["rules", "turns"]),
    ("testFiles", &["specs"]),
    ("testMatch", &["specs"]),
    ("tests", &["specs"]),
    ("timeout", &["timeout_ms"]),
    ("times", &["count"]),
    ("title", &["name"]),
    ("tool", &["name", "call", "require"]),
    ("tool_calls", &["tools"]),
    ("tool_name", &["name", "call", "tool", "require"]),
    ("toolcalls", &["tools"]),
    ("tools_called", &["require"]),
    ("uri", &["endpoint"]),
    ("url", &["endpoint"]),
    ("variables", &["vars"]),
];

/// Words whose meaning needs a sentence, with a key of the mapping that they are in.
const SENTENCES: &[(&str, &str, &str)] = &[
    (
        "role",
        "user",
        "a turn begins with `user: …`; messages of before the first turn belong under `messages`",
    ),
    ("retries", "turns", "write `run: { retries: 2 }` in the config, or run with `--retries 2`"),
    ("retry", "turns", "write `run: { retries: 2 }` in the config, or run with `--retries 2`"),
    ("only", "turns", "run one test with `ananke run --filter NAME`"),
];

/// What to do instead of `word` in a mapping that knows the keys `known`.
pub(super) fn sentence(word: &str, known: &[&str]) -> Option<&'static str> {
    let found = SENTENCES.iter().find(|(other, key, _)| *other == word && known.contains(key));
    found.map(|(.., sentence)| *sentence)
}

/// The keys that mean what other tools call `word`.
pub(super) fn meanings(word: &str) -> &'static [&'static str] {
    WORDS.iter().find(|(known, _)| *known == word).map_or(&[], |(_, keys)| keys)
}
