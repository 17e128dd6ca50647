//! The hints as tables: words, sentences and values of other tools, for each format of files.

/// A word of other tools, and the keys of ours that mean the same.
pub(super) type Word = (&'static str, &'static [&'static str]);

/// Words whose meaning needs a sentence: the words, a key of the mapping that they are in, and the sentence.
pub(super) type Sentence = (&'static [&'static str], &'static str, &'static str);

/// Values of other tools: the key, the values, and the sentence.
pub(super) type ForeignValue = (&'static str, &'static [&'static str], &'static str);

/// Words in files of YAML. The key that exists in a mapping is offered there; where none does, the last one is looked for
/// elsewhere.
pub(super) const YAML_WORDS: &[Word] = &[
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
    ("field", &["path"]),
    ("fixtures", &["hooks"]),
    ("function", &["name", "call", "tool", "require"]),
    ("globalSetup", &["setup"]),
    ("globalTeardown", &["teardown"]),
    ("graders", &["judge", "assert"]),
    ("host", &["endpoint"]),
    ("if", &["when"]),
    ("include", &["specs"]),
    ("includes", &["contains"]),
    ("input", &["args", "user"]),
    ("is-json", &["output"]),
    ("javascript", &["script"]),
    ("jobs", &["parallel"]),
    ("json", &["output"]),
    ("json_path", &["path"]),
    ("jsonpath", &["path"]),
    ("key", &["path"]),
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
    ("must_not_call", &["forbid"]),
    ("name", &["tool"]),
    ("never", &["forbid"]),
    ("not_allowed", &["forbid"]),
    ("not_called", &["forbid"]),
    ("not_match", &["must_not_match"]),
    ("not_require", &["forbid"]),
    ("options", &["forwardedProps"]),
    ("order", &["sequence"]),
    ("output", &["result"]),
    ("outputPath", &["reports"]),
    ("parameters", &["args", "vars"]),
    ("parametrize", &["cases"]),
    ("params", &["args"]),
    ("pattern", &["match", "must_match"]),
    ("program", &["cmd", "command"]),
    ("projects", &["targets"]),
    ("prompt", &["user"]),
    ("provider", &["target"]),
    ("providers", &["targets"]),
    ("python", &["script"]),
    ("regex", &["match", "must_match"]),
    ("repeat", &["count"]),
    ("require_not", &["forbid"]),
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
    ("tokens", &["max_total_tokens"]),
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

/// Sentences for the config.
pub(super) const CONFIG_SENTENCES: &[Sentence] = &[
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
            "tool_choice",
            "parallel_tool_calls",
            "response_format",
        ],
        "params",
        "parameters of the model belong under `params`",
    ),
    (
        &["args", "arguments"],
        "command",
        "the arguments follow the program in one list: `command: [python, server.py]`",
    ),
];

/// Sentences for words in files of YAML whose values are lists; a key of ours has another value.
pub(super) const LIST_SENTENCES: &[Sentence] = &[
    (
        &["tools", "functions", "function"],
        "walk",
        "tools that the test gives the agent belong under `client_tools`, and rules about calls under `assert: { tools: … }`",
    ),
    (
        &["tools", "functions", "function"],
        "rate_limit",
        "tools that the agent is given belong under `client_tools`; those that it has itself need no key",
    ),
];

/// The same of words whose values are mappings.
pub(super) const MAPPING_SENTENCES: &[Sentence] = LIST_SENTENCES.split_at(1).1;

/// Sentences for test files.
pub(super) const TEST_SENTENCES: &[Sentence] = &[
    (
        &["result", "output", "answer"],
        "undeclared",
        "the script of a model has no results: the agent's own code gives them",
    ),
    (
        &["text"],
        "attachments",
        "write what the user says as `user: …`, and what the answer must be as `assert: { text: … }`",
    ),
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
        &["headers"],
        "turns",
        "`headers` belongs in the config, under `target`; an `http` target takes those of one turn in its `request`",
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
        &["only", "focus"],
        "turns",
        "run one test with `ananke run FILE:LINE`, or those whose ids contain a word with `-k WORD`",
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
        &["provider", "providers"],
        "turns",
        "the agent is `target` in `ananke.config.yaml`",
    ),
];

/// Sentences for what both files have: rules, and programs that are run.
pub(super) const BLOCK_SENTENCES: &[Sentence] = &[
    (
        &["call_count", "calls_count", "count"],
        "allow_only",
        "limit all calls with `max_calls`, or those to one tool with `count`: `require: [{ name: pay, count: 1 }]`",
    ),
    (
        &["type", "kind", "status"],
        "error_match",
        "write it as `is`: `outcome: { is: error }`",
    ),
    (
        &["then"],
        "followed_by",
        "write `followed_by: [{ call: ask }]`",
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
        &["before"],
        "after",
        "write `after` in the entry of the later tool: `{ name: ship, after: pay }`",
    ),
];

/// Words in cases, which are JSON.
pub(super) const CASE_WORDS: &[Word] = &[
    ("agent", &["use"]),
    ("answer", &["expected"]),
    ("asserting", &["assert"]),
    ("checks", &["assert"]),
    ("conversation", &["messages"]),
    ("criteria", &["value"]),
    ("description", &["name"]),
    ("evaluators", &["assert"]),
    ("expect", &["expected", "assert"]),
    ("expectations", &["assert"]),
    ("expects", &["assert"]),
    ("graders", &["assert"]),
    ("history", &["messages"]),
    ("judge", &["use"]),
    ("match", &["pattern"]),
    ("message", &["input"]),
    ("not", &["negate"]),
    ("output", &["expected"]),
    ("prompt", &["input"]),
    ("provider", &["use"]),
    ("query", &["input"]),
    ("question", &["input"]),
    ("regex", &["pattern"]),
    ("rubric", &["value"]),
    ("rules", &["assert"]),
    ("timeout_ms", &["timeout"]),
    ("title", &["name"]),
    ("tool", &["name"]),
    ("validations", &["assert"]),
    ("validators", &["assert"]),
];

/// Sentences for cases.
pub(super) const CASE_SENTENCES: &[Sentence] = &[
    (
        &["vars", "variables", "params", "parameters"],
        "input",
        "a case has no variables: write their values into `input`",
    ),
    (
        &["prompts"],
        "input",
        "each prompt is a case of its own: `\"input\": \"…\"`",
    ),
    (
        &["system", "system_prompt", "systemPrompt"],
        "input",
        "write it as the first message: `\"messages\": [{\"role\": \"system\", \"content\": \"…\"}, …]`",
    ),
    (
        &[
            "expect",
            "expectation",
            "expectations",
            "expected_answer",
            "expected_output",
            "expected_response",
            "expected_result",
            "expectedOutput",
            "expects",
        ],
        "expected",
        "write the whole answer as `\"expected\": \"…\"`, or what it must contain as `\"assert\": [{\"type\": \"contains\", \"value\": \"…\"}]`",
    ),
    (
        &["expected_tools", "tools", "tools_called", "tool_calls"],
        "final_assertions",
        "each tool is an assertion: `\"assert\": [{\"type\": \"tool_called\", \"value\": \"…\"}]`",
    ),
    (
        &["model"],
        "final_assertions",
        "the model is `\"options\": {\"connector\": \"…\"}`",
    ),
    (
        &["provider", "providers", "agent", "target"],
        "final_assertions",
        "the agent is chosen for the whole file: `ananke run FILE -n NAME`",
    ),
    (
        &["threshold"],
        "negate",
        "an assertion passes or fails: say in `value` what is good enough",
    ),
];

/// Values of other tools in a config alone.
pub(super) const CONFIG_VALUES: &[ForeignValue] = &[(
    "transport",
    &["streamable-http", "streamable_http", "streamableHttp"],
    "write `http`",
)];

/// Values of other tools in the messages and assert blocks of both formats.
pub(super) const BLOCK_VALUES: &[ForeignValue] = &[
    ("mode", &["strict"], "write `exact`"),
    ("mode", &["ordered", "sequence"], "write `in_order`"),
    ("mode", &["unordered", "any", "set"], "write `any_order`"),
    ("outcome", &["failed", "failure", "fail"], "write `error`"),
    (
        "outcome",
        &[
            "success",
            "succeeded",
            "completed",
            "complete",
            "ok",
            "done",
        ],
        "write `finished`",
    ),
    ("role", &["human"], "write `user`"),
    (
        "role",
        &["ai", "bot", "agent", "model"],
        "write `assistant`",
    ),
];

/// Values of other tools in cases.
pub(super) const CASE_VALUES: &[ForeignValue] = &[
    (
        "type",
        &[
            "answer-relevance",
            "factuality",
            "g-eval",
            "judge",
            "llm-rubric",
            "llm_rubric",
            "model-graded-closedqa",
            "rubric",
            "similar",
        ],
        "`agent` asks a judge: `\"type\": \"agent\", \"use\": \"agents:NAME\", \"value\": \"…\"`",
    ),
    (
        "type",
        &[
            "no_tool_called",
            "not_tool_called",
            "tool_never_called",
            "tool_not_called",
        ],
        "write the opposite: `\"type\": \"tool_called\", \"negate\": true`",
    ),
    (
        "type",
        &["code", "custom", "function", "javascript", "python"],
        "`script` runs a program: `\"type\": \"script\", \"script\": \"scripts.NAME\"`",
    ),
    (
        "type",
        &["icontains"],
        "`regex` can ignore case: `\"type\": \"regex\", \"value\": \"(?i)…\"`",
    ),
    (
        "type",
        &["contains_any", "contains-any"],
        "`regex` matches one of several texts: `\"type\": \"regex\", \"value\": \"yes|no\"`",
    ),
    (
        "type",
        &["contains_all", "contains-all"],
        "write an assertion of type `contains` for each text",
    ),
    (
        "type",
        &["starts_with", "starts-with"],
        "`regex` matches the start: `\"type\": \"regex\", \"value\": \"^…\"`",
    ),
    (
        "type",
        &["contains-json", "is-json", "is_json", "json"],
        "`type` without a `path` is about the JSON of the answer: `\"type\": \"type\", \"value\": \"object\"`",
    ),
    (
        "type",
        &["duration", "latency"],
        "the time of a case is limited by its field `timeout`: `\"timeout\": \"30s\"`",
    ),
];
