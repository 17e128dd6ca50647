//! Texts that no report may contain unescaped.

use proptest::prelude::*;

use crate::report::outcomes::{HOSTILE, MARKDOWN};

/// Characters that are terminal commands, or invisible, or look like others. This list is the test's own.
pub(super) const DECEIVING: &str = "\0\u{1}\u{7}\u{8}\u{b}\u{c}\r\u{e}\u{1a}\u{1b}\u{1f}\u{7f}\u{80}\u{84}\u{85}\u{90}\u{9b}\u{9d}\u{9f}\
    \u{ad}\u{61c}\u{115f}\u{1160}\u{17b4}\u{180e}\u{200b}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202d}\u{202e}\u{2060}\u{2063}\u{2065}\
    \u{2066}\u{2068}\u{2069}\u{206f}\u{3164}\u{fdd0}\u{feff}\u{ffa0}\u{fff0}\u{fff9}\u{fffe}\u{ffff}\u{1bca0}\u{1d173}\u{1fffe}\u{e0001}\
    \u{e0041}\u{e007f}\u{e0fff}\u{10ffff}";

/// Texts with a meaning to some reader, each alone and in any order.
const PIECES: [&str; 40] = [
    "]]>",
    "<![CDATA[",
    "</system-out>",
    "<testcase/>",
    "&amp;",
    "&#0;",
    "<!--",
    "-->",
    "?>",
    "</script>",
    "<script>",
    "</pre></noscript>",
    "</details>",
    "`",
    "```\n",
    "~~~\n",
    "\n\n",
    "\r\n",
    "\n    ",
    "# ",
    "# SKIP",
    "\\",
    "\"",
    "'",
    "![x](https://example.org/x.png)",
    "@everyone",
    "|a|\n|-|\n",
    "::error::x",
    "\n::add-mask::y",
    "\n\u{a0}::debug::z",
    "##vso[task.setvariable variable=a]b",
    "##[error]",
    "#",
    "##teamcity[x]",
    "[[ATTACHMENT|/etc/passwd]]",
    "[",
    "%0A",
    "\u{1b}]8;;https://example.org\u{1b}\\x",
    "\n  ...\nnot ok 1 - x\n1..0\nBail out!\n",
    "{\"a\":\"\\ud800\"}",
];

/// The texts, each for its own reason.
pub(super) fn all() -> Vec<String> {
    let texts = [
        HOSTILE,
        MARKDOWN,
        DECEIVING,
        "",
        " ",
        "\n",
        "a\r\n::error::x\r::error::y\n\u{2028}::error::z\u{85}::error::w\u{b}\u{c}\t::error::v\n\t::error::u",
        "::error file=a::b ##vso[task.setvariable variable=a]b ##[error]c ##teamcity[x] %0A::error::d",
        "[[ATTACHMENT|/etc/passwd]]\n[[[ATTACHMENT|x]]\n[[PROPERTY|a=b]]",
        "\u{1b}]8;;https://example.org\u{1b}\\link\u{1b}]8;;\u{1b}\\ \u{9d}8;;x\u{9c} \u{1b}[2J\u{1b}P1$r\u{1b}\\",
        "# SKIP\nnot ok 1\n1..0\nBail out!\n  ---\n  ...\n\\# SKIP \\\\# SKIP",
        "]]> </system-out><testcase/> <![CDATA[ &amp; &#0; &#x1b; <!-- --> ?> \"'",
        "</script><!--<script> --> <img src=x onerror=alert(1)> </noscript></pre></title></style></textarea> &lt;",
        "{\"\\ud800\":\"\\udc00\\u0000\",\"</script>\":[1e999,\"\u{202e}\"]}",
    ];
    let long = [
        ("[", 500),
        ("`", 1200),
        ("\0", 300),
        ("\n", 300),
        ("##vso[", 80),
    ];
    let long = long.map(|(piece, count)| piece.repeat(count));
    texts.map(str::to_owned).into_iter().chain(long).collect()
}

/// Pieces of such texts in any order.
pub(in crate::report) fn any() -> impl Strategy<Value = String> {
    let character =
        proptest::sample::select(DECEIVING.chars().collect::<Vec<_>>()).prop_map(String::from);
    let piece = prop_oneof![3 => proptest::sample::select(&PIECES[..]).prop_map(str::to_owned), 1 => character];
    proptest::collection::vec(piece, 1..12).prop_map(|pieces| pieces.concat())
}
