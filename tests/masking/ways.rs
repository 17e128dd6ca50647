//! The ways in which a secret enters a run, and the forms in which an agent repeats it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{OF_URL, SECRET};

/// A row of the table: how a secret enters.
pub(super) struct Way {
    /// The row in the documentation.
    pub(super) row: &'static str,
    pub(super) secret: &'static str,
    /// The keys of the target, of the config and of the test.
    pub(super) target: Value,
    pub(super) config: Value,
    pub(super) test: Value,
    /// The URL of the target after its address; or all of it if it contains `{address}`.
    pub(super) endpoint: &'static str,
    pub(super) arguments: &'static [&'static str],
}

impl Way {
    fn of(row: &'static str) -> Self {
        let (target, config, test) = (json!({}), json!({}), json!({}));
        Self {
            row,
            secret: SECRET,
            target,
            config,
            test,
            endpoint: "/agent",
            arguments: &[],
        }
    }

    fn header(row: &'static str, name: &str, value: &str) -> Self {
        Self {
            target: json!({ "headers": { name: value } }),
            ..Self::of(row)
        }
    }

    fn endpoint(row: &'static str, endpoint: &'static str) -> Self {
        Self {
            secret: OF_URL,
            endpoint,
            ..Self::of(row)
        }
    }
}

pub(super) fn ways() -> Vec<Way> {
    let basic = format!("Basic {}", STANDARD.encode(format!("shop-user:{SECRET}")));
    let bearer = json!({ "headers": { "authorization": "Bearer ${TOKEN}" } });
    let cat = json!([{ "cmd": ["cat", "given.json"] }]);
    vec![
        Way::header("a variable in a header", "x-tenant", "key ${ENV.SECRET}"),
        Way::header("a header whose name says so", "x-functions-key", SECRET),
        Way::header(
            "the token after the scheme",
            "authorization",
            &format!("Bearer {SECRET}"),
        ),
        Way::header(
            "a part of a composed value",
            "x-pair",
            "${ENV.OTHER}:${ENV.SECRET}",
        ),
        Way {
            config: json!({ "vars": { "KEY": "${ENV.SECRET}", "PAIR": ["shop-user:${KEY}"], "AUTH": "Basic ${PAIR.0}" } }),
            ..Way::header("what a variable was made of", "x-auth", "${AUTH}")
        },
        Way {
            target: bearer.clone(),
            test: json!({ "vars": { "TOKEN": "abc-${ENV.SECRET}-def" } }),
            ..Way::of("what a variable of the test was made of")
        },
        Way::header(
            "a single cookie",
            "cookie",
            &format!("theme=dark; sid={SECRET}; lang=de"),
        ),
        Way::header("the user and password of `Basic`", "authorization", &basic),
        Way::endpoint(
            "the user and password of a URL",
            "http://shop-user:s3cr3t-to.ken_42@{address}/agent",
        ),
        Way::endpoint(
            "a variable in the query of an endpoint",
            "/agent?v=1&key=${ENV.OF_URL}",
        ),
        Way::endpoint(
            "a value in the query of an endpoint whose name says so",
            "/agent?v=1&api_key=s3cr3t-to.ken_42",
        ),
        Way::endpoint(
            "a variable in the path of an endpoint",
            "/${ENV.OF_URL}/run",
        ),
        Way::endpoint(
            "the query of an endpoint that is a variable",
            "${ENV.WHOLE}",
        ),
        Way {
            test: json!({ "hooks": [{ "cmd": ["cat", "given.json"], "env": { "SHOP_API_KEY": SECRET } }] }),
            ..Way::of("a variable of a program whose name says so")
        },
        Way {
            target: bearer.clone(),
            test: json!({ "cases": [{ "TOKEN": SECRET }] }),
            ..Way::of("a column of a row in a header")
        },
        Way {
            target: bearer.clone(),
            test: json!({ "hooks": cat }),
            ..Way::of("the output of a hook in a header")
        },
        Way {
            target: bearer,
            arguments: &["--var", "TOKEN=s3cr3t/to\"ken+42"],
            ..Way::of("`--var` in a header")
        },
        Way {
            config: json!({ "redact": ["LOGIN.password"], "vars": { "LOGIN": { "password": "${ENV.SECRET}" } } }),
            ..Way::of("a variable that `redact` names")
        },
        Way {
            config: json!({ "redact": [{ "match": "s3cr3t[a-z/]+\"ken[+]42" }] }),
            ..Way::of("a pattern of `redact`")
        },
        Way {
            secret: OF_URL,
            test: json!({ "attachments": [{ "type": "image", "source": "https://shop-user:s3cr3t-to.ken_42@example.org/a.png" }] }),
            ..Way::of("the user and password of the URL of an attachment")
        },
        Way {
            secret: OF_URL,
            test: json!({ "first": { "user": "hi", "capture": { "FILE": { "text": "(file-1)" } } },
                "attachments": [{ "type": "image", "source": "https://shop-user:s3cr3t-to.ken_42@example.org/${FILE}.png" }] }),
            ..Way::of("the same in a turn that uses what an earlier one captured")
        },
    ]
}

/// Each form in which an agent repeats a secret, with a part of it that no report escapes.
pub(super) fn forms(secret: &str) -> Vec<(&'static str, String, String)> {
    let each = |encode: &dyn Fn(u8) -> String| secret.bytes().map(encode).collect::<String>();
    let percent = each(&|byte| format!("%{byte:02x}"));
    let hexadecimal = each(&|byte| format!("{byte:02x}"));
    let encoded = STANDARD.encode(secret);
    let longer = STANDARD.encode(format!("my {secret} and more"));
    let nested = json!({ "body": json!({ "key": secret }).to_string() }).to_string();
    let url: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let middle = longer[8..20].to_owned();
    vec![
        ("plain", secret.to_owned(), "s3cr3t".to_owned()),
        (
            "escaped in JSON",
            each(&|byte| format!("\\u{byte:04x}")),
            "u0073".to_owned(),
        ),
        ("JSON in JSON", nested, "s3cr3t".to_owned()),
        ("URL-encoded", url, "s3cr3t".to_owned()),
        ("percent-encoded", percent.clone(), "73%33%63".to_owned()),
        (
            "percent-encoded twice",
            percent.replace('%', "%25"),
            "2573%2533".to_owned(),
        ),
        (
            "hexadecimal",
            hexadecimal.clone(),
            hexadecimal[..12].to_owned(),
        ),
        (
            "HEXADECIMAL",
            hexadecimal.to_uppercase(),
            hexadecimal[..12].to_uppercase(),
        ),
        (
            "entities",
            each(&|byte| format!("&#{byte};")),
            "#115;".to_owned(),
        ),
        (
            "hexadecimal entities",
            each(&|byte| format!("&#x{byte:x};")),
            "#x73;".to_owned(),
        ),
        (
            "a web page",
            secret.replace('"', "&quot;").replace('+', "&plus;"),
            "s3cr3t".to_owned(),
        ),
        ("base64", encoded.clone(), encoded[..8].to_owned()),
        ("longer base64", longer, middle),
    ]
}
