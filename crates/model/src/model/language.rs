//! The language as a whole: its versions, the default types of mappings, and the features that do not exist yet.

use ananke_base::source::TagDefault;

/// The schema versions this program knows, oldest first.
pub const VERSIONS: &[&str] = &["1.0", "1.1", "1.2", "1.3", "1.4"];

/// The newest of them: what everything that this program writes says.
pub const NEWEST_VERSION: &str = VERSIONS[VERSIONS.len() - 1];

/// The unions discriminated by `type` in which `type` has a default, and that default (SPEC 1).
pub const TAG_DEFAULTS: &[TagDefault] = &[
    TagDefault {
        union: "Turn",
        tag: "user",
        key: None,
    },
    TagDefault {
        union: "WalkAction",
        tag: "user",
        key: None,
    },
    TagDefault {
        union: "NamedTarget",
        tag: "extends",
        key: Some("extends"),
    },
];

/// Values of `type` that the language has and this version does not implement, and what each is: the problem of a file
/// that uses one says so.
pub const NOT_YET: &[(&str, &str)] = &[];

/// A simpler shape in which a value may be written by mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenShape {
    /// A text.
    Text,
    /// A list.
    List,
}

/// The mappings that are probably meant by a simpler shape: the mapping's type, the shape that is written, the mapping with
/// `…` for the written value, and whether nothing else can be meant.
pub const MEANT_SHAPES: &[(&str, WrittenShape, &str, bool)] = &[
    (
        "Capture",
        WrittenShape::Text,
        "{ tool: NAME, result: … }",
        false,
    ),
    ("ForbidCalls", WrittenShape::Text, "{ name: … }", true),
    ("Hook", WrittenShape::List, "{ cmd: … }", true),
    (
        "Message",
        WrittenShape::Text,
        "{ role: user, content: … }",
        false,
    ),
    ("Mock", WrittenShape::Text, "{ result: … }", true),
    ("ScriptRule", WrittenShape::Text, "{ script: … }", true),
    (
        "SequenceRule",
        WrittenShape::List,
        "{ mode: in_order, steps: … }",
        false,
    ),
    ("SequenceStep", WrittenShape::Text, "{ call: … }", true),
    ("TextRules", WrittenShape::List, "{ contains: … }", false),
    ("TextRules", WrittenShape::Text, "{ contains: … }", false),
    ("ToolRules", WrittenShape::List, "{ require: … }", false),
    ("Turn", WrittenShape::Text, "{ user: … }", true),
];
