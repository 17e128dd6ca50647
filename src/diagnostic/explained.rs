//! What the codes mean, for people: one table that `ananke explain CODE` prints and the tests hold to.

use super::Code;

/// What a code means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explained {
    /// A few sentences.
    pub about: &'static str,
    /// A file with the problem and the same without it, where a file can show it.
    pub example: Option<Example>,
}

/// A wrong file and the right one, both complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Which file it is.
    pub file: ExampleFile,
    /// With the problem, and no other.
    pub wrong: &'static str,
    /// Without it.
    pub right: &'static str,
}

/// Which file an example is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExampleFile {
    /// The project config.
    Config,
    /// A test file.
    Test,
}

const fn told(about: &'static str) -> Explained {
    Explained { about, example: None }
}

const fn of_test(about: &'static str, wrong: &'static str, right: &'static str) -> Explained {
    Explained { about, example: Some(Example { file: ExampleFile::Test, wrong, right }) }
}

const fn of_config(about: &'static str, wrong: &'static str, right: &'static str) -> Explained {
    Explained { about, example: Some(Example { file: ExampleFile::Config, wrong, right }) }
}

impl Code {
    /// The code of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }

    /// What it means, with an example.
    #[expect(clippy::too_many_lines, reason = "a table")]
    pub fn explained(self) -> Explained {
        match self {
            Self::AssertsNothing => of_test(
                "No rule is in force on any turn of the test or on the test as a whole: it passes whenever the \
                 agent answers, whatever it answers. Say what must hold, or give the target rules that every test \
                 inherits.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card }] }
"#,
            ),
            Self::BadEncoding => told(
                "The bytes of the file are not UTF-8. Store it as UTF-8, with or without a byte order mark; \
                 editors call this the encoding or character set of the file.",
            ),
            Self::BadPattern => of_test(
                "A pattern is no regular expression that ananke takes. Patterns are those of the Rust crate \
                 `regex`: no look-around and no back-references, so that matching is always linear. They are \
                 found anywhere in the text and written without slashes; `(?i)` at the start ignores case.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      text: { must_match: "/confirmed/i" }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      text: { must_match: "(?i)confirmed" }
"#,
            ),
            Self::BadReference => of_test(
                "A `${` begins a reference to a variable, and what follows it is none. A name is made of letters, \
                 digits and `_`; `$${` stands for the two characters themselves. A bare `$` needs nothing.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay ${12 euros}"
    assert:
      tools: { require: [{ name: charge_card }] }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay $${12 euros}"
    assert:
      tools: { require: [{ name: charge_card }] }
"#,
            ),
            Self::BadReport => told(
                "The file is no report that can be compared: not one that `-o FILE.json`, `-o FILE.jsonl` or `--json` \
                 wrote, one of another major version of the format, or only a part of one. A report ends with what \
                 it says of the whole run; where that is missing, the program was killed before the end.",
            ),
            Self::BadUrl => of_config(
                "A URL cannot be used. That of an agent must be written in full, with `http://` or `https://` and a host; \
                 the source of a file may also be a path, or a `data:` URL that says its media type and holds base64.",
                r#"version: "1.0"
target:
  type: agui
  agentId: shop
  endpoint: "127.0.0.1:8000/agent"
"#,
                r#"version: "1.0"
target:
  type: agui
  agentId: shop
  endpoint: "http://127.0.0.1:8000/agent"
"#,
            ),
            Self::BadValue => of_test(
                "A value has the right type and still cannot be used in this place. The message says why.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card, args_match: { "items[": "sku" } }] }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card, args_match: { "items[0]": "sku" } }] }
"#,
            ),
            Self::CircularExtends => of_config(
                "What extends each other in a circle has no beginning: every target and every block of \
                 assertions is built on others that stand on their own.",
                r#"version: "1.3"
target: staging
targets:
  staging: { extends: production, timeout_ms: 60000 }
  production: { extends: staging, endpoint: "https://example.org/agent" }
"#,
                r#"version: "1.3"
target: staging
targets:
  staging: { extends: production, timeout_ms: 60000 }
  production: { type: agui, agentId: shop, endpoint: "https://example.org/agent" }
"#,
            ),
            Self::ConfigMissing => told(
                "A project is a folder with an `ananke.config.yaml`. It is looked for in the folder of the first \
                 file or folder that is named, else in the working directory, and then upwards. `--config FILE` \
                 names one that stands elsewhere.",
            ),
            Self::DuplicateId => told(
                "Recordings, reports and filters know a test by its id: the path of its file from the config's folder, \
                 two colons, and its name. Two tests have one id only where a file's path or a test's name holds two \
                 colons itself: rename one of them.",
            ),
            Self::ConnectOverHttp => of_test(
                "Plain AG-UI has no way to ask for what was said before: connecting sends a run without messages. \
                 Some agents answer it by telling their thread, others run the model again, with all that its tools \
                 do. Say `connect: empty_run` on the target once you know that yours is one of the first kind, or \
                 let a user turn bring the conversation back.",
                r#"version: "1.0"
name: come back
turns:
  - type: agui:connect
    assert: { text: { must_match: "Shipping" } }
"#,
                r#"version: "1.0"
name: come back
turns:
  - user: "Where were we?"
    assert: { text: { must_match: "Shipping" } }
"#,
            ),
            Self::DuplicateSnapshot => of_test(
                "A snapshot is kept in a file of its own, found by its name: two rules with one name would take turns at \
                 writing it. Names that differ only in capitals, or in blanks and dashes, are one name of a file.",
                r#"version: "1.3"
name: pay
turns:
  - user: "Pay"
    assert: { snapshot: paying }
assert: { snapshot: Paying }
"#,
                r#"version: "1.3"
name: pay
turns:
  - user: "Pay"
    assert: { snapshot: paying }
assert: { snapshot: true }
"#,
            ),
            Self::Contradiction => of_test(
                "Two keys exclude each other: no conversation satisfies both.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card, count: { exact: 2, max: 3 } }] }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card, count: { min: 2, max: 3 } }] }
"#,
            ),
            Self::DuplicateKey => of_test(
                "A key stands twice in one mapping. YAML would silently take one of the two; ananke takes \
                 neither.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { forbid: [delete_order] }
      tools: { require: [{ name: charge_card }] }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools:
        forbid: [delete_order]
        require: [{ name: charge_card }]
"#,
            ),
            Self::EmptyValue => of_test(
                "A key has no value. Give it one, or take the key away: what is left out has a documented \
                 default, what is left empty is most often a mistake in the indentation.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools:
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { forbid: [delete_order] }
"#,
            ),
            Self::FixedThread => told(
                "A test that is tried again (`--retries`) begins anew, with a thread of its own. Here every attempt \
                 would have the same thread, by the `threadId` of the target or by `--var THREAD_ID=…`, and an agent \
                 that remembers its threads would take up the attempt that failed. Leave the thread to ananke, or \
                 allow it with `--retry-dirty`.",
            ),
            Self::ForbiddenRequirement => of_test(
                "A warning: a call is required where the same call is forbidden, or where the tool that must come \
                 before it is. Whatever the agent does, one of the two rules is broken. What a test or target \
                 forbids is forbidden on each of its turns.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card }] }
assert:
  tools: { forbid: [charge_card] }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card }] }
assert:
  tools: { forbid: [delete_order] }
"#,
            ),
            Self::ForbiddenText => of_test(
                "A warning: the same pattern must match and must not match the same text. Whatever the agent \
                 says, one of the two rules is broken.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      text: { must_match: "confirmed" }
assert:
  text: { must_not_match: "confirmed" }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      text: { must_match: "confirmed" }
assert:
  text: { must_not_match: "declined" }
"#,
            ),
            Self::IdleAboveDuration => of_test(
                "A warning: on every turn it is in force on, `max_idle_ms` is no smaller than `max_duration_ms`. \
                 A turn that is idle for too long then takes too long as well, so this limit never finds anything \
                 that the other does not.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      timing: { max_duration_ms: 30000, max_idle_ms: 30000 }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      timing: { max_duration_ms: 30000, max_idle_ms: 5000 }
"#,
            ),
            Self::LimitAboveTimeout => of_test(
                "A warning: a limit is larger than the time-out that cuts a turn off, so that the turn ends as a \
                 time-out and the limit is never exceeded. `timeout_ms` of the target is 120000 where it is left \
                 out.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      timing: { max_duration_ms: 300000 }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      timing: { max_duration_ms: 30000 }
"#,
            ),
            Self::LimitExceeded => told(
                "A file is larger than 8 MiB, nested too deeply, or grows too large when its aliases are written \
                 out. No config or test that a person writes comes near; of a file that goes with what the user \
                 says, take a smaller one, or let the agent fetch it from its URL.",
            ),
            Self::MissingKey => of_test(
                "A key is missing that this place requires.",
                r#"version: "1.0"
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card }] }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card }] }
"#,
            ),
            Self::NewerKey => of_config(
                "A key is newer than the version of the file format that its file declares. Each file is held to \
                 its own `version`: raise it to the one that the message names.",
                r#"version: "1.0"
target:
  type: agui
  agentId: shop
  endpoint: "http://127.0.0.1:8000/agent"
specs: "**/*.test.yaml"
"#,
                r#"version: "1.3"
target:
  type: agui
  agentId: shop
  endpoint: "http://127.0.0.1:8000/agent"
specs: "**/*.test.yaml"
"#,
            ),
            Self::NoTests => told(
                "No test is selected: no file fits the globs of the config, or `--filter` takes none of the \
                 tests. A run of nothing would pass for ever; where it is meant, `--allow-empty` says so.",
            ),
            Self::OtherConfig => told(
                "One run has one config, and a file or folder that was named lies below another one. Run the two \
                 projects one after the other, or name the config with `--config FILE`.",
            ),
            Self::QuarantineExpiry => told(
                "An entry of `quarantine` in the config is past its last day, or will be within seven days. An \
                 expired entry protects its tests no more and fails the run, so that nobody forgets them. Mend the \
                 test and remove the entry, or agree on a later day with its owner.",
            ),
            Self::QuarantineOfNothing => of_config(
                "An entry of `quarantine` fits none of the project's tests: its `test` is mistyped, or the test is \
                 gone. It is the id as `ananke list` prints it, or a pattern with `*` and `?`.",
                r#"version: "1.3"
target: { type: scripted, rules: [] }
quarantine:
  - { test: "a.test.yaml::b", owner: shop, expires: "2999-12-31" }
"#,
                r#"version: "1.3"
target: { type: scripted, rules: [] }
quarantine:
  - { test: "a.test.yaml::a", owner: shop, expires: "2999-12-31" }
"#,
            ),
            Self::RequiresNothing => of_test(
                "A warning: an entry of `require` is satisfied by any number of calls, none included, and binds \
                 them to nothing else. `min: 0` alone says nothing; with `after` or `result_not_match` it does.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card, count: { min: 0 } }] }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card, count: { max: 1 } }] }
"#,
            ),
            Self::ShortSecret => of_config(
                "A warning: a secret of fewer than four characters is not masked in what is printed and written, \
                 because masking it would tear every text apart. Use a real token.",
                r#"version: "1.0"
target:
  type: agui
  agentId: shop
  endpoint: "http://127.0.0.1:8000/agent"
  headers: { x-token: "abc" }
"#,
                r#"version: "1.0"
target:
  type: agui
  agentId: shop
  endpoint: "http://127.0.0.1:8000/agent"
  headers: { x-token: "${ENV.AGENT_TOKEN}" }
"#,
            ),
            Self::Syntax => of_test(
                "The text is no YAML: most often a quote or bracket that is not closed, a tab, or a line that is \
                 indented by one too many or too few.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay
    assert: { tools: { require: [{ name: charge_card }] } }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert: { tools: { require: [{ name: charge_card }] } }
"#,
            ),
            Self::UndefinedVariable => of_test(
                "Nothing defines this variable, so that nothing can be put in its place. Define it, correct its \
                 name, or give a default behind `:-`. Environment variables are written `${ENV.NAME}`; that one \
                 of a target is not set is a warning where nothing is sent.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay with ${ENV.CARD}"
    assert:
      tools: { require: [{ name: charge_card }] }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay with ${ENV.CARD:-visa}"
    assert:
      tools: { require: [{ name: charge_card }] }
"#,
            ),
            Self::UnknownKey => of_test(
                "There is no such key in this place. Unknown keys are never ignored: a rule with a slip of the \
                 pen would silently check nothing.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { requires: [{ name: charge_card }] }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card }] }
"#,
            ),
            Self::UnknownName => of_config(
                "A target or a block of assertions is named that the config does not have. Targets stand below \
                 `targets`, the one written at `target` is called `default`; assertions stand below `assertions`.",
                r#"version: "1.3"
target: stagin
targets:
  staging: { type: agui, agentId: shop, endpoint: "https://example.org/agent" }
"#,
                r#"version: "1.3"
target: staging
targets:
  staging: { type: agui, agentId: shop, endpoint: "https://example.org/agent" }
"#,
            ),
            Self::UnknownValue => of_config(
                "The value is not one of those that are possible here; the message lists them.",
                r#"version: "1.0"
target:
  type: ag-ui
  agentId: shop
  endpoint: "http://127.0.0.1:8000/agent"
"#,
                r#"version: "1.0"
target:
  type: agui
  agentId: shop
  endpoint: "http://127.0.0.1:8000/agent"
"#,
            ),
            Self::Unreadable => told(
                "The file or folder cannot be read: it is not there, or the permissions do not allow it. The \
                 message has the reason in the words of the operating system.",
            ),
            Self::Version => of_test(
                "The first key of every file, `version`, says for which version of the file format it is written, \
                 as a quoted string: without quotes, 1.0 is a number. It is missing, not quoted, unknown, or \
                 newer than this program.",
                r#"version: 1.0
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card }] }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      tools: { require: [{ name: charge_card }] }
"#,
            ),
            Self::WrongType => of_test(
                "The value has another type than is expected here, such as text where a number or a list must \
                 stand. Numbers have no unit; times are in milliseconds.",
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      timing: { max_duration_ms: "30s" }
"#,
                r#"version: "1.0"
name: pay
turns:
  - user: "Pay"
    assert:
      timing: { max_duration_ms: 30000 }
"#,
            ),
        }
    }
}
