//! The depth of indentation of the lines of a text, and the line that begins the block of each.

/// The depth of a line. An entry of a list is deeper than a key in its column, which may hold the list.
pub(super) fn depth(line: &str) -> (usize, bool) {
    let text = line.trim_start_matches(' ');
    (line.len() - text.len(), text.starts_with("- "))
}

/// For each line the earlier line that begins the block with it. Blank lines and comments begin no blocks.
pub(super) fn parents<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<Option<usize>> {
    // The lines whose blocks may contain a next one, each deeper than the one before.
    let mut open: Vec<(usize, (usize, bool))> = Vec::new();
    let parent = |(index, line): (usize, &str)| {
        let depth = depth(line);
        let shallower = open.partition_point(|(_, known)| *known < depth);
        let parent = open[..shallower].last().map(|(index, _)| *index);
        if !(line.trim().is_empty() || line.trim_start().starts_with('#')) {
            open.truncate(shallower);
            open.push((index, depth));
        }
        parent
    };
    lines.enumerate().map(parent).collect()
}
