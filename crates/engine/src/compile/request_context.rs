//! The context that an agent receives with its requests, with its variables filled.

use serde_json::{Map, Value};

use ananke_base::message::RequestContext;
use ananke_base::source::Node;
use ananke_model::model::{Caller, RequestOptions, Text};
use ananke_model::variables::{Interpolation, Leaf};

/// Checks and fills what goes to an agent with the requests of a test or turn.
pub(crate) fn request_context(
    props: Option<&Node>,
    options: Option<&RequestOptions>,
    caller: Option<&Caller>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<RequestContext> {
    let props = mapping(props, interpolation);
    let options = options
        .map(|options| self::options(options, interpolation))
        .transpose();
    let mut named = |(key, text): (&str, &Text)| {
        interpolation
            .text(text)
            .map(|text| (key.to_owned(), Value::String(text)))
    };
    let caller: Vec<Leaf<(String, Value)>> = caller
        .into_iter()
        .flat_map(Caller::entries)
        .map(&mut named)
        .collect();
    let caller = caller.into_iter().collect::<Leaf<Map<String, Value>>>();
    Ok(RequestContext {
        props: props?,
        options: options?.unwrap_or_default(),
        caller: caller?,
    })
}

/// The options of the agent; those that are not given are not sent.
fn options(
    written: &RequestOptions,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Map<String, Value>> {
    let RequestOptions {
        connector,
        mode,
        search,
        disable_global_prompts,
        skip,
        metadata,
    } = written;
    let mut text = |text: &Option<Text>| {
        text.as_ref()
            .map(|text| interpolation.text(text).map(Value::String))
            .transpose()
    };
    let (connector, mode) = (text(connector), text(mode));
    let mut json = |node: &Option<Node>| {
        node.as_ref()
            .map(|node| interpolation.json(node))
            .transpose()
    };
    let (skip, metadata) = (json(skip), json(metadata));
    let flag = |flag: &Option<ananke_base::diagnostic::Spanned<bool>>| {
        flag.as_ref().map(|flag| Value::Bool(flag.value))
    };
    let all = [
        ("connector", connector?),
        ("mode", mode?),
        ("search", flag(search)),
        ("disable_global_prompts", flag(disable_global_prompts)),
        ("skip", skip?),
        ("metadata", metadata?),
    ];
    Ok(all
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)))
        .collect())
}

/// A mapping; empty where there is none.
fn mapping(
    written: Option<&Node>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Map<String, Value>> {
    let value = written.map(|node| interpolation.json(node)).transpose()?;
    Ok(match value {
        Some(Value::Object(props)) => props,
        _ => Map::new(),
    })
}
