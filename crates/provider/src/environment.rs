//! The environment variables by which SDKs of models find a provider.

/// The key that no provider accepts.
pub const NO_KEY: &str = "ananke-no-key";

/// The variables with keys of providers that are replaced or removed, so that no real provider can be asked.
pub const PROVIDER_KEYS: &[&str] = &[
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AZURE_OPENAI_API_KEY",
    "COHERE_API_KEY",
    "DEEPSEEK_API_KEY",
    "FIREWORKS_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "OPENROUTER_API_KEY",
    "PERPLEXITY_API_KEY",
    "TOGETHER_API_KEY",
    "XAI_API_KEY",
];

/// The keys of those providers whose API is not that of OpenAI.
const KEYS_OF_OTHER_APIS: &[&str] = &[
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "AWS_BEARER_TOKEN_BEDROCK",
    "COHERE_API_KEY",
];

const KEYS_OF_ANTHROPIC: &[&str] = &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"];

/// Whether requests to one of these `upstreams` may need the key in the variable `name`. Many providers have the API of OpenAI.
pub(crate) fn is_key_for(upstreams: &[(String, String)], name: &str) -> bool {
    for (upstream, _) in upstreams {
        let is_of_anthropic = KEYS_OF_ANTHROPIC.contains(&name);
        if is_of_anthropic != (upstream == "anthropic") {
            continue;
        }
        if PROVIDER_KEYS.contains(&name) && !KEYS_OF_OTHER_APIS.contains(&name) {
            return true;
        }
    }
    false
}

/// The remedy for an agent that never asks.
pub(crate) const POINTING_HELP: &str = "point the agent at this model: its SDK has to read OPENAI_BASE_URL, ANTHROPIC_BASE_URL or \
     GOOGLE_GEMINI_BASE_URL; docs/models.md has the variables of each SDK";

/// The keys without which an SDK makes no request at all.
const NEEDED_KEYS: usize = 4;

/// The hosts that no proxy is asked for.
const LOCAL_HOSTS: &str = "127.0.0.1,localhost,::1";

/// The variables for a program whose models are at `url`, each with its value; `None` removes it. `no_proxy` is the variable of
/// this name as the program would get it.
///
/// The paths are those that the SDKs of each provider add theirs to (docs/models.md has the clients).
pub fn provider_environment(
    url: &str,
    no_proxy: Option<&str>,
) -> Vec<(&'static str, Option<String>)> {
    let mut variables = vec![
        ("OPENAI_BASE_URL", Some(format!("{url}/v1"))),
        // This name is set as well, because LangChain and older releases of other clients look at it first.
        ("OPENAI_API_BASE", Some(format!("{url}/v1"))),
        ("ANTHROPIC_BASE_URL", Some(url.to_owned())),
        ("GOOGLE_GEMINI_BASE_URL", Some(url.to_owned())),
    ];
    for (place, key) in PROVIDER_KEYS.iter().enumerate() {
        // A real key is removed. An SDK that looks for one of the first keys gets one that is none.
        let value = if place < NEEDED_KEYS {
            Some(NO_KEY.to_owned())
        } else {
            None
        };
        variables.push((key, value));
    }
    // No proxy is used, because one cannot reach the loopback address of this program.
    let hosts = match no_proxy {
        Some(known) if !known.is_empty() => format!("{known},{LOCAL_HOSTS}"),
        _ => LOCAL_HOSTS.to_owned(),
    };
    variables.push(("NO_PROXY", Some(hosts.clone())));
    variables.push(("no_proxy", Some(hosts)));
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str, no_proxy: Option<&str>) -> Option<String> {
        let variables = provider_environment("http://127.0.0.1:9", no_proxy);
        let (_, value) = variables.into_iter().find(|(known, _)| *known == name)?;
        value
    }

    #[test]
    fn bases_have_the_version_that_each_sdk_expects() {
        assert_eq!(
            value("OPENAI_BASE_URL", None).as_deref(),
            Some("http://127.0.0.1:9/v1")
        );
        assert_eq!(
            value("ANTHROPIC_BASE_URL", None).as_deref(),
            Some("http://127.0.0.1:9")
        );
    }

    #[test]
    fn real_keys_are_replaced_or_removed() {
        assert_eq!(value("OPENAI_API_KEY", None).as_deref(), Some(NO_KEY));
        assert_eq!(value("GROQ_API_KEY", None), None);
    }

    #[test]
    fn a_provider_gets_keys_for_its_own_api() {
        for (upstream, name, expected) in [
            ("openai", "OPENAI_API_KEY", true),
            ("openai", "GROQ_API_KEY", true),
            ("openai", "ANTHROPIC_API_KEY", false),
            ("openai", "GEMINI_API_KEY", false),
            ("openai", "NO_PROXY", false),
            ("anthropic", "ANTHROPIC_AUTH_TOKEN", true),
            ("anthropic", "OPENAI_API_KEY", false),
        ] {
            let asked = [(upstream.to_owned(), String::new())];
            assert_eq!(is_key_for(&asked, name), expected, "{upstream} {name}");
        }
    }

    #[test]
    fn hosts_without_a_proxy_are_kept() {
        let hosts = value("NO_PROXY", Some("corp.example")).unwrap();
        assert_eq!(hosts, "corp.example,127.0.0.1,localhost,::1");
    }
}
