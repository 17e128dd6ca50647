//! What is wrong with the files of a project, or with how they belong together.

use super::code_docs::{CodeDocs, of_config, of_test, told};

pub(super) const BAD_REPORT: CodeDocs = told(
    "The file is no report that can be compared: not one that `-o FILE.json`, `-o FILE.jsonl` or `--json` \
                 wrote, one of another major version of the format, or only a part of one. A report ends with what \
                 it says of the whole run; where that is missing, the program was killed before the end.",
);

pub(super) const BAD_ROW: CodeDocs = of_test(
    "A test runs once for each row of its `cases`, with the row's columns as variables. A column is named \
                 like a variable: letters, digits and `_`, no digit first. Every row of a CSV file has the columns that \
                 its first line names; a line of a JSONL file is one object.",
    r#"version: "1.3"
name: pay
cases:
  - { id: euros, amount to pay: 12 }
turns:
  - user: "Pay ${amount:-12}"
    assert:
      tools: { require: [{ name: charge_card }] }
"#,
    r#"version: "1.3"
name: pay
cases:
  - { id: euros, amount: 12 }
turns:
  - user: "Pay ${amount:-12}"
    assert:
      tools: { require: [{ name: charge_card }] }
"#,
);

pub(super) const CIRCULAR_EXTENDS: CodeDocs = of_config(
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
);

pub(super) const CONFIG_MISSING: CodeDocs = told(
    "A project is a folder with an `ananke.config.yaml`. It is looked for in the folder of the first \
                 file or folder that is named, else in the working directory, and then upwards. `--config FILE` \
                 names one that stands elsewhere.",
);

pub(super) const DUPLICATE_ID: CodeDocs = told(
    "Recordings, reports and filters know a test by its id: the path of its file from the config's folder, \
                 two colons, and its name. Two tests have one id only where a file's path or a test's name holds two \
                 colons itself: rename one of them.",
);

pub(super) const DUPLICATE_SNAPSHOT: CodeDocs = of_test(
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
);

pub(super) const FIXED_THREAD: CodeDocs = told(
    "A test that is tried again (`--retries`) begins anew, with a thread of its own. Here every attempt \
                 would have the same thread, by the `threadId` of the target or by `--var THREAD_ID=…`, and an agent \
                 that remembers its threads would take up the attempt that failed. Leave the thread to ananke, or \
                 allow it with `--retry-dirty`.",
);

pub(super) const NEWER_KEY: CodeDocs = of_config(
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
);

pub(super) const NO_TESTS: CodeDocs = told(
    "No test is selected: no file fits the globs of the config, or `--filter` takes none of the \
                 tests. A run of nothing would pass for ever; where it is meant, `--allow-empty` says so.",
);

pub(super) const OTHER_CONFIG: CodeDocs = told(
    "One run has one config, and a file or folder that was named lies below another one. Run the two \
                 projects one after the other, or name the config with `--config FILE`.",
);

pub(super) const QUARANTINE_EXPIRY: CodeDocs = told(
    "An entry of `quarantine` in the config is past its last day, or will be within seven days. An \
                 expired entry protects its tests no more and fails the run, so that nobody forgets them. Mend the \
                 test and remove the entry, or agree on a later day with its owner.",
);

pub(super) const QUARANTINE_OF_NOTHING: CodeDocs = of_config(
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
);

pub(super) const SERVER: CodeDocs = told(
    "The config's `server` is started before the first test, and the tests begin when it is ready. It could not \
                 be started, ended before it was ready, was not ready in time, or something else runs in its place. \
                 What it printed last is shown below the problem. No test has begun.",
);

pub(super) const UNKNOWN_NAME: CodeDocs = of_config(
    "A target, a block of assertions or a script is named that the project does not have. Targets stand below \
                 `targets`, the one written at `target` is called `default`; assertions stand below `assertions`, \
                 scripts below `scripts` or as files in the folder `scripts/`.",
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
);

pub(super) const UNREADABLE: CodeDocs = told(
    "The file or folder cannot be read: it is not there, or the permissions do not allow it. The \
                 message has the reason in the words of the operating system.",
);

pub(super) const VERSION: CodeDocs = of_test(
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
);
