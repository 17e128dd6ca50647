//! Small pieces of code with their figures, and the cheap ways to meet a figure: they make the code worse, and count as before.

use super::figures::{FIGURES, Voice};

fn voice(text: &str) -> Voice {
    let mut voice = Voice::new();
    voice.add("crates/agents/src/lib.rs", text);
    voice
}

/// The count of the figure `name` in `text`.
fn count(name: &str, text: &str) -> usize {
    let index = FIGURES.iter().position(|it| it.name == name);
    voice(text).counts[index.expect("a figure")].found
}

/// A figure, a snippet, and how often it is there.
const SNIPPETS: &[(&str, &str, usize)] = &[
    ("adapters", "a.iter().map(f).filter(g).fold(0, h)", 3),
    (
        "adapters",
        "a.map_or(0, f).zip::<u8>(b); a.take_while(c)",
        3,
    ),
    (
        "adapters",
        "a.iter().any(f); map(b); self.filter; 0..map(c)",
        0,
    ),
    ("adapters", "// a.map(f)\n\"a.map(f)\"; r#\"b.map(f)\"#", 0),
    (
        "adapters",
        "fn f() {}\n#[cfg(test)]\nmod tests { fn g() { a.map(b); } }",
        0,
    ),
    ("closures", "f(|a| b, || c, move |d| e); let g = |_| h;", 4),
    (
        "closures",
        "a | b || c; match d { A | B => 1, C | D => 2 }",
        0,
    ),
    (
        "named closures",
        "fn f() { let a = |b| c; let mut d: E = move || f; g(|h| i); j = |k| l; }",
        2,
    ),
    ("closures named once", "{ let a = |b| c; x.map(a); }", 1),
    (
        "closures named once",
        "{ let a = |b| c; x.map(a); y.map(a); } a",
        0,
    ),
    (
        "closures named once",
        "{ let a = |b| c; d(a(1), \"{a}\"); }",
        0,
    ),
    (
        "filters of nothing",
        "a.filter(|_| b).filter(|_c| d).filter(|e| e.f).map(|_| g)",
        2,
    ),
    (
        "idle deciders",
        "a.find(|b| c).any(|d| d.e).and_then(|f| g.then_some(f))",
        2,
    ),
    (
        "idle deciders",
        "a.any(|(b, _)| \"{b}\" == c).find_map(|A { d, .. }| e(d)).map(|f| g)",
        0,
    ),
    (
        "folds",
        "a.then(|| b); c.then_some(d); e.is_none_or(|f| g); h.map_or(0, i)",
        4,
    ),
    (
        "folds",
        "one.cmp(two).then(three.cmp(four)); a.map(b); a.filter(c)",
        0,
    ),
    (
        "deciding folds",
        "if a.is_some_and(b) {} while !c(d.is_none_or(e)) {}",
        2,
    ),
    (
        "deciding folds",
        "match a.map_or(0, b) { c if d.is_some_and(e) => {} }",
        2,
    ),
    (
        "deciding folds",
        "let Some(a) = b.and_then(c) else { return; };",
        1,
    ),
    (
        "deciding folds",
        "let a = b.and_then(c).unwrap_or(d); e.and_then(f)?.g();",
        2,
    ),
    (
        "deciding folds",
        "fn f() -> bool { let a = 1; b && a.is_some_and(c) }",
        1,
    ),
    (
        "deciding folds",
        "fn f() { for a in b { c(); } d.is_some_and(e) }",
        1,
    ),
    (
        "deciding folds",
        "match a { B => c.map_or(0, d), E => { return f.then_some(g); } }",
        2,
    ),
    ("deciding folds", "a.iter().map(|b| b.and_then(c))", 1),
    (
        "deciding folds",
        "let a = b.and_then(c); let d = E { f: g.map_or(0, h) }; i(j.then_some(k));",
        0,
    ),
    (
        "tuples bound",
        "let (a, b) = (c, d); let (e, f): (G, H) = (i, j); (k, l) = (m, n); let [o, p] = [q, r];",
        4,
    ),
    (
        "tuples bound",
        "let (a, b) = c; let (d, e) = f(g, h); let [i, j] = [k, l].map(m); let (n) = (o);",
        0,
    ),
    (
        "tuples decided",
        "match (a, b) { _ => {} } match () { () if c => {} }",
        2,
    ),
    (
        "tuples decided",
        "if let (A, B) = (c, d) {} let (Some(e), _) = (f, g) else { return; }; match [h, i] {}",
        3,
    ),
    (
        "tuples decided",
        "match (a) { _ => {} } match a { (b, c) => {} } if let (d, e) = f {}",
        0,
    ),
    (
        "pronoun docs",
        "/// Its id.\na: u8,\n/// Those, in order.\nb: u8,\n//! They.\n",
        3,
    ),
    (
        "pronoun docs",
        "/// Item.\na: u8,\n// It is odd.\n/// The one of it.\nb: u8",
        0,
    ),
    (
        "restating docs",
        "/// Opens the file.\nfn open(file: File) {}",
        1,
    ),
    (
        "restating docs",
        "struct Server {\n    /// The address of the server.\n    #[serde(default)]\n    address: Url,\n}",
        1,
    ),
    (
        "restating docs",
        "/// The open file, without its comments.\nfn open(file: File) {}",
        0,
    ),
    (
        "reasons",
        "/// Kept, because servers close idle connections early.\nfn keep() {}",
        1,
    ),
    (
        "reasons",
        "// To avoid a second request to slow servers.\na();\n// Sorted, so readers find their tests.\nb();",
        2,
    ),
    (
        "reasons",
        "// Done because it is needed.\na();\n// Because a b.\nc();\n// So many tests of several servers.\nd();",
        0,
    ),
    (
        "reasons",
        "// Because open file server is here.\nopen(file, server);",
        0,
    ),
    (
        "long chains",
        "a.b().c()?.d.e().f().await.g(); h.i().j().k().l(); m.n(o.p().q())",
        1,
    ),
    (
        "long closures",
        "a.map(|b| {\n c;\n d;\n e;\n f\n}); a.map(|b| {\n c;\n d;\n e\n}); f(|b| {\n c;\n d;\n e;\n f\n});",
        1,
    ),
    (
        "small functions",
        "fn a() { b() }\nfn b() {\n 1\n}\npub fn c() { a(); a(); d() }\nimpl T for S { fn d() {} }",
        1,
    ),
];

#[test]
fn figures_are_counted() {
    for (figure, text, expected) in SNIPPETS {
        assert_eq!(count(figure, text), *expected, "{figure}: {text}");
    }
}

/// A figure, code, and the same code after a cheap change: the figure is no better then.
const CHEAP: &[(&str, &str, &str)] = &[
    // A filter becomes another decision in a chain.
    (
        "idle deciders",
        "fn f() { a.filter(|_| b) }",
        "fn f() { a.and_then(|it| b.then_some(it)) }",
    ),
    (
        "idle deciders",
        "fn f() { a.filter(|_| b) }",
        "fn f() { a.and_then(|it| b.then(|| it)) }",
    ),
    (
        "folds",
        "fn f() { a.and_then(|it| b(it)) }",
        "fn f() { c.then(|| b(it)) }",
    ),
    // A fold leaves the `if` by a `let`.
    (
        "deciding folds",
        "if a.is_some_and(b) {}",
        "let c = a.is_some_and(b); if c {}",
    ),
    (
        "deciding folds",
        "if a.is_none_or(b) {}",
        "let c = a.is_none_or(b); if !c {}",
    ),
    // A closure moves into the chain, where it is long.
    ("closures", "let a = |b| c; d.map(a)", "d.map(|b| c)"),
    // A closure becomes a small function far away.
    (
        "small functions",
        "fn f() { let a = |b| c; d.map(a).e(a) }",
        "fn f() { d.map(a) }\nfn a(b: u8) -> u8 { c }",
    ),
    // Two decisions become one of two things.
    (
        "tuples decided",
        "match (a, b) { _ => {} }",
        "match [a, b] { _ => {} }",
    ),
    (
        "tuples bound",
        "let (a, b) = (c, d);",
        "let [a, b] = [c, d];",
    ),
    (
        "tuples bound",
        "let (a, b) = (c, d);",
        "let a; let b; (a, b) = (c, d);",
    ),
    // A plain `map` over a list becomes a loop.
    (
        "adapters",
        "let a = b.iter().map(c).collect();",
        "let mut a = Vec::new(); for it in b { a.push(c(it)); }",
    ),
    ("adapters", "a.map(b)", "Option::map(a, b)"),
    // A pronoun has a comma after it, and a restatement has a few empty words more.
    (
        "pronoun docs",
        "/// Its own.\na: u8",
        "/// Those, too.\na: u8",
    ),
    (
        "restating docs",
        "/// The name.\nname: String",
        "/// The name, and one that it needs to have.\nname: String",
    ),
];

#[test]
fn cheap_ways_are_no_better() {
    for (figure, before, after) in CHEAP {
        assert!(
            count(figure, after) >= count(figure, before),
            "{figure}: {after}"
        );
        assert!(count(figure, after) > 0, "{figure}: {after}");
    }
}

/// A function of `lines` lines, with `comments` before its first statements.
fn function(lines: usize, comments: &[&str]) -> String {
    let mut text = String::from("fn f() {\n");
    for index in 0..lines - 2 {
        if let Some(comment) = comments.get(index) {
            text.extend(["// ", comment, "\n"]);
        }
        text += "step(one, two);\n";
    }
    text + "}\n"
}

#[test]
fn a_long_function_has_sentences() {
    let silent = |lines, comments: &[&str]| count("silent functions", &function(lines, comments));
    assert_eq!(silent(20, &[]), 0);
    assert_eq!(silent(21, &[]), 1);
    assert_eq!(silent(21, &["Servers close idle connections early."]), 0);
    // Too few words, nothing that the next line does not say, and words without content.
    assert_eq!(silent(21, &["Servers close early."]), 1);
    assert_eq!(silent(21, &["The step for one and two."]), 1);
    assert_eq!(silent(21, &["Then this is what it does here."]), 1);
    // One comment on top of sixty lines.
    assert_eq!(silent(60, &["Servers close idle connections early."]), 1);
    assert_eq!(
        silent(
            60,
            &[
                "Servers close early, by default.",
                "Clients open again after that."
            ]
        ),
        0
    );
    let doc = "/// Servers close idle connections early.\n".to_owned() + &function(30, &[]);
    assert_eq!(count("silent functions", &doc), 1);
}

#[test]
fn a_copied_reason_is_one() {
    let reason = "// Kept, because servers close idle connections early.\nstep();\n";
    let mut voice = Voice::new();
    voice.add("a.rs", reason);
    voice.add("b.rs", &format!("{reason}{reason}"));
    let index = FIGURES.iter().position(|it| it.name == "reasons");
    assert_eq!(voice.counts[index.expect("a figure")].found, 1);
}

#[test]
fn shares_are_of_comments_and_of_long_functions() {
    let text = "/// Doc.\nfn a() {}\n// One.\n// Two.\n\n// Three.\n";
    let base = |name: &str| {
        let index = FIGURES.iter().position(|it| it.name == name);
        voice(text).counts[index.expect("a figure")].base
    };
    assert_eq!(base("comments with reasons"), 3);
    assert_eq!(base("silent functions"), 0);
    assert_eq!(base("adapters"), 1);
}
