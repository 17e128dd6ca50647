//! On whose behalf and how the agent of a case is asked.

use super::builder::{MapBuilder, flag, text};
use ananke_base::source::Node;
use ananke_model::model::{CaseLine, RequestOptions};

/// Puts user, team, options and metadata of a case into the test.
pub(super) fn put_environment(case: &CaseLine, test: &mut MapBuilder) {
    let written = [("user", case.user.as_ref()), ("team", case.team.as_ref())];
    let span = written
        .iter()
        .find_map(|(_, text)| text.map(|text| text.span))
        .unwrap_or(test.span());
    let mut caller = MapBuilder::at(span);
    for (key, written) in written {
        caller.put_some(key, written.map(text));
    }
    test.put_map("caller", caller);
    put_options(case.options.as_ref(), case.metadata.as_ref(), test);
}

/// Puts options next to what a case or turn sends; `metadata` is data for the agent under that of the options.
pub(super) fn put_options(
    options: Option<&RequestOptions>,
    metadata: Option<&Node>,
    to: &mut MapBuilder,
) {
    let written = options.cloned().unwrap_or_default();
    let RequestOptions {
        connector,
        mode,
        search,
        disable_global_prompts,
        skip,
        metadata: own,
    } = written;
    let mut lowered = MapBuilder::at(to.span());
    lowered.put_text("connector", connector.as_ref());
    lowered.put_text("mode", mode.as_ref());
    lowered.put_some("search", search.as_ref().map(flag));
    lowered.put_some(
        "disable_global_prompts",
        disable_global_prompts.as_ref().map(flag),
    );
    lowered.put_some("skip", skip);
    let mut all = MapBuilder::at(
        own.as_ref()
            .or(metadata)
            .map_or(to.span(), |node| node.span),
    );
    for entry in metadata.into_iter().flat_map(Node::entries) {
        if own.as_ref().is_none_or(|own| own.get(&entry.key).is_none()) {
            all.put(&entry.key, entry.value.clone());
        }
    }
    for entry in own.iter().flat_map(Node::entries) {
        all.put(&entry.key, entry.value.clone());
    }
    lowered.put_map("metadata", all);
    to.put_map("options", lowered);
}
