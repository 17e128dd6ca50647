//! The names of keys in other tools, and the name of each here.

use crate::model::BOUND_WORDS;

/// Words of other tools, each with the keys of ours that mean the same. The one that exists in a mapping is offered there;
/// where none does, the last one is looked for elsewhere.
const WORDS: &[(&str, &[&str])] = &[
    ("afterAll", &["teardown"]),
    ("afterEach", &["teardown"]),
    ("agent", &["agentId", "target"]),
    ("api_base", &["endpoint"]),
    ("arguments", &["args"]),
    ("assertions", &["assert"]),
    ("asserts", &["assert"]),
    ("bail", &["fail_fast"]),
    ("base_url", &["endpoint"]),
    ("baseUrl", &["endpoint"]),
    ("before", &["hooks"]),
    ("beforeAll", &["hooks"]),
    ("beforeEach", &["hooks"]),
    ("call", &["tool"]),
    ("called", &["require"]),
    ("calls", &["require"]),
    ("checks", &["assert"]),
    ("command", &["cmd"]),
    ("content", &["say", "user"]),
    ("conversation", &["turns"]),
    ("custom", &["script"]),
    ("data", &["cases"]),
    ("dataset", &["cases"]),
    ("defaultTest", &["assert"]),
    ("environment", &["env"]),
    ("eq", &["equals"]),
    ("evaluators", &["assert"]),
    ("examples", &["cases"]),
    ("exec", &["cmd"]),
    ("expect", &["assert"]),
    ("expected", &["assert"]),
    ("expression", &["script"]),
    ("fixtures", &["hooks"]),
    ("function", &["name", "call", "tool", "require"]),
    ("globalSetup", &["setup"]),
    ("globalTeardown", &["teardown"]),
    ("graders", &["judge", "assert"]),
    ("host", &["endpoint"]),
    ("if", &["when"]),
    ("include", &["specs"]),
    ("input", &["args", "user"]),
    ("is-json", &["output"]),
    ("javascript", &["script"]),
    ("json", &["output"]),
    ("labels", &["tags"]),
    ("latency", &["max_duration_ms"]),
    ("llm-rubric", &["judge"]),
    ("llm_rubric", &["judge"]),
    ("mark", &["tags"]),
    ("markers", &["tags"]),
    ("matches", &["match", "must_match"]),
    ("max_latency_ms", &["max_duration_ms"]),
    ("maxConcurrency", &["parallel"]),
    ("maxWorkers", &["parallel"]),
    ("message", &["say", "user"]),
    ("mocks", &["client_tools"]),
    ("name", &["tool"]),
    ("not_called", &["forbid"]),
    ("not_match", &["must_not_match"]),
    ("options", &["forwardedProps"]),
    ("order", &["sequence"]),
    ("output", &["result"]),
    ("outputPath", &["reports"]),
    ("parameters", &["args", "vars"]),
    ("parametrize", &["cases"]),
    ("params", &["args"]),
    ("pattern", &["match", "must_match"]),
    ("projects", &["targets"]),
    ("program", &["cmd", "command"]),
    ("prompt", &["user"]),
    ("provider", &["target"]),
    ("providers", &["targets"]),
    ("python", &["script"]),
    ("regex", &["match", "must_match"]),
    ("repeat", &["count"]),
    ("reply", &["say"]),
    ("response", &["result", "text"]),
    ("return", &["result"]),
    ("returns", &["result"]),
    ("rows", &["cases"]),
    ("rubric", &["criteria", "judge"]),
    ("run", &["cmd"]),
    ("say", &["user"]),
    ("scenario", &["name"]),
    ("scorers", &["assert"]),
    ("server_url", &["endpoint"]),
    ("setup", &["hooks"]),
    ("steps", &["rules", "turns"]),
    ("strict", &["strict_protocol"]),
    ("system", &["instructions"]),
    ("system_prompt", &["instructions"]),
    ("systemPrompt", &["instructions"]),
    ("testDir", &["specs"]),
    ("testFiles", &["specs"]),
    ("testMatch", &["specs"]),
    ("tests", &["specs"]),
    ("then", &["do"]),
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
    ("value", &["equals"]),
    ("variables", &["vars"]),
    ("workers", &["parallel"]),
];

/// Words whose meaning needs a sentence: the words, a key of the mapping that they are in, and the sentence.
const SENTENCES: &[(&[&str], &str, &str)] = &[
    (
        &["role"],
        "user",
        "a turn begins with `user: …`; messages of before the first turn belong under `messages`",
    ),
    (
        &["assistant", "agent", "bot", "ai"],
        "attachments",
        "a turn is what the user says; check the answer under `assert: { text: … }`",
    ),
    (
        &["repeat", "times"],
        "attachments",
        "write the turn as often as it is sent",
    ),
    (
        &["wait", "sleep", "pause"],
        "attachments",
        "a turn waits until the agent's run ends, and for nothing else",
    ),
    (
        &["image", "images", "file", "files"],
        "attachments",
        "attach a file: `attachments: [{ type: image, source: \"file://photo.png\" }]`",
    ),
    (
        &["retries", "retry"],
        "turns",
        "write `run: { retries: 2 }` in the config, or run with `--retries 2`",
    ),
    (
        &["user", "input", "prompt", "message", "content"],
        "turns",
        "what the user says belongs under `turns`: `turns: [{ user: … }]`",
    ),
    (
        &["only"],
        "turns",
        "run one test with `ananke run --filter NAME`",
    ),
    (
        &["skip_if", "skipIf"],
        "turns",
        "write `skip: \"why\"`, or leave tests out with `--filter 'not WORD'`",
    ),
    (
        &["xfail"],
        "turns",
        "name the test under `quarantine` in the config, with a date",
    ),
    (
        &["system", "system_prompt", "systemPrompt"],
        "turns",
        "write it as the first message: `messages: [{ role: system, content: … }]`",
    ),
    (
        &["depends_on", "dependsOn", "needs"],
        "turns",
        "each test is a conversation of its own: put what belongs together into the turns of one test",
    ),
    (
        &["prompts"],
        "turns",
        "each prompt is a turn: `turns: [{ user: … }]`",
    ),
    (
        &["prompts"],
        "specs",
        "each prompt is a turn of a test file: `turns: [{ user: … }]`",
    ),
    (
        &["scenarios"],
        "specs",
        "tests are in files of their own, named `*.test.yaml`",
    ),
    (
        &["exclude", "ignore"],
        "specs",
        "list in `specs` what is included; what `.gitignore` excludes is not included",
    ),
    (
        &[
            "auth",
            "authorization",
            "apiKey",
            "api_key",
            "apikey",
            "token",
            "bearer",
        ],
        "headers",
        "write it as a header: `headers: { authorization: \"Bearer ${ENV.TOKEN}\" }`",
    ),
    (
        &["verify", "verify_ssl", "ssl_verify", "rejectUnauthorized"],
        "tls",
        "to accept any certificate write `tls: { insecure: true }`",
    ),
    (
        &[
            "temperature",
            "max_tokens",
            "max_completion_tokens",
            "top_p",
            "seed",
            "stop",
        ],
        "params",
        "parameters of the model belong under `params`",
    ),
    (
        &["functions"],
        "params",
        "the tools of the model belong under `client_tools`",
    ),
    (
        &["type"],
        "usage",
        "name the rule with a key, such as `text: { contains: … }` or `tools: { require: [NAME] }`",
    ),
    (
        &["value"],
        "usage",
        "write the value under its rule, such as `text: { contains: … }`",
    ),
    (
        &["icontains"],
        "must_match",
        "write `must_match: \"(?i)…\"`, which ignores case",
    ),
    (
        &["contains_any", "contains-any"],
        "must_match",
        "write the texts as a pattern: `must_match: \"yes|no\"`",
    ),
    (
        &["starts_with", "startsWith", "starts-with"],
        "must_match",
        "write `must_match: \"^…\"`",
    ),
    (
        &["ends_with", "endsWith", "ends-with"],
        "must_match",
        "write `must_match: \"…$\"`",
    ),
    (
        &[
            "icontains",
            "contains_any",
            "contains-any",
            "starts_with",
            "startsWith",
            "starts-with",
            "regexp",
        ],
        "usage",
        "what the agent says is checked under `text`, with `contains` or a pattern in `must_match`",
    ),
    (
        &["cost", "tokens"],
        "usage",
        "tokens are limited under `usage`: `usage: { max_total_tokens: 5000 }`",
    ),
    (
        &["provider", "providers"],
        "turns",
        "the agent is `target` in `ananke.config.yaml`",
    ),
    (
        &["none"],
        "allow_only",
        "to allow no tool write `allow_only: []`",
    ),
    (
        &["exactly", "once"],
        "allow_only",
        "write `require: [{ name: pay, count: 1 }]`",
    ),
    (
        &["before"],
        "require",
        "write `after` in the entry of the later tool: `require: [{ name: ship, after: pay }]`",
    ),
    (
        &["args", "arguments"],
        "cmd",
        "the arguments follow the program in one list: `cmd: [python, agent.py]`",
    ),
    (
        &["args", "arguments"],
        "command",
        "the arguments follow the program in one list: `command: [python, server.py]`",
    ),
    (
        &["before"],
        "after",
        "write `after` in the entry of the later tool: `{ name: ship, after: pay }`",
    ),
];

/// The remedy for `word` in a mapping that knows the keys `known`.
pub(super) fn sentence(word: &str, known: &[&str]) -> Option<&'static str> {
    let found = SENTENCES
        .iter()
        .find(|(words, key, _)| words.contains(&word) && known.contains(key));
    found.map(|(.., sentence)| *sentence)
}

/// Words of other tools for the fields of a case.
const WORDS_OF_CASES: &[(&str, &str)] = &[
    ("answer", "expected"),
    ("checks", "assert"),
    ("description", "name"),
    ("expect", "expected"),
    ("message", "input"),
    ("output", "expected"),
    ("prompt", "input"),
    ("query", "input"),
    ("question", "input"),
    ("timeout_ms", "timeout"),
    ("title", "name"),
];

/// The field of a case that a word of another tool means.
pub(super) fn meaning_in_case(word: &str) -> Option<&'static str> {
    let known = WORDS_OF_CASES.iter().find(|(known, _)| *known == word);
    known.map(|(_, field)| *field)
}

/// The keys that mean what other tools call `word`.
pub(super) fn meanings(word: &str) -> &'static [&'static str] {
    WORDS
        .iter()
        .chain(BOUND_WORDS)
        .find(|(known, _)| *known == word)
        .map_or(&[], |(_, keys)| keys)
}
