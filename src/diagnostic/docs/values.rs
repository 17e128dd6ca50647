//! What is wrong with a value of a file, or how it is written.

use super::code_docs::{CodeDocs, of_config, of_test, told};

pub(super) const BAD_ENCODING: CodeDocs = told(
    "The bytes of the file are not UTF-8. Store it as UTF-8, with or without a byte order mark; \
                 editors call this the encoding or character set of the file.",
);

pub(super) const BAD_PATTERN: CodeDocs = of_test(
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
);

pub(super) const BAD_REFERENCE: CodeDocs = of_test(
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
);

pub(super) const BAD_URL: CodeDocs = of_config(
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
);

pub(super) const BAD_VALUE: CodeDocs = of_test(
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
);

pub(super) const CONTRADICTION: CodeDocs = of_test(
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
);

pub(super) const DUPLICATE_KEY: CodeDocs = of_test(
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
);

pub(super) const EMPTY_VALUE: CodeDocs = of_test(
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
);

pub(super) const LIMIT_EXCEEDED: CodeDocs = told(
    "A file is larger than 8 MiB, nested too deeply, or grows too large when its aliases are written \
                 out. No config or test that a person writes comes near; of a file that goes with what the user \
                 says, take a smaller one, or let the agent fetch it from its URL.",
);

pub(super) const MISSING_KEY: CodeDocs = of_test(
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
);

pub(super) const SYNTAX: CodeDocs = of_test(
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
);

pub(super) const UNDEFINED_VARIABLE: CodeDocs = of_test(
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
);

pub(super) const UNKNOWN_KEY: CodeDocs = of_test(
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
);

pub(super) const UNKNOWN_VALUE: CodeDocs = of_config(
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
);

pub(super) const WRONG_TYPE: CodeDocs = of_test(
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
);
