//! The context that an agent receives with its requests, with its variables filled.

use serde_json::{Map, Value};

use ananke_agents::http::headers;
use ananke_base::message::{RequestAdditions, RequestContext};
use ananke_base::source::Node;
use ananke_model::model::{Caller, RequestOptions, TurnHttpRequest};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, fill_all};

/// Checks and fills what goes to an agent with the requests of a test or turn.
pub(crate) fn request_context(
    props: Option<&Node>,
    options: Option<&RequestOptions>,
    caller: Option<&Caller>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<RequestContext> {
    let props: Leaf<Option<_>> = props.fill(interpolation);
    let options = options
        .map(|options| self::options(options, interpolation))
        .transpose();
    let caller = fill_all(
        caller.into_iter().flat_map(Caller::entries),
        |(key, text)| Ok((key.to_owned(), text.fill(interpolation)?)),
    );
    Ok(RequestContext {
        props: props?.unwrap_or_default(),
        options: options?.unwrap_or_default(),
        caller: caller?,
        request: RequestAdditions::default(),
    })
}

/// Checks and fills what a turn adds to the request of its target.
pub(super) fn request_additions(
    written: &TurnHttpRequest,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<RequestAdditions> {
    // All three are filled before the first `?` returns, so that the problems of each are reported.
    let headers = headers(written.headers.as_ref(), interpolation);
    let query = fill_all(written.query.iter().flatten(), |(name, text)| {
        Ok((name.value.clone(), text.fill(interpolation)?))
    });
    let body: Leaf<Option<_>> = written.body.fill(interpolation);
    Ok(RequestAdditions {
        headers: headers?,
        query: query?,
        body: body?.unwrap_or_default(),
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
    let (connector, mode) = (connector.fill(interpolation), mode.fill(interpolation));
    let (skip, metadata) = (skip.fill(interpolation), metadata.fill(interpolation));
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
