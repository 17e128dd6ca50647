//! The rows. Events are counted from 1 in each turn: the run's start is event 1; a call is its start, its arguments
//! where it has some, their end, and its result; a message is its start, its text and its end.

use super::Row;

macro_rules! rows {
    ($($level:literal $rule:literal: $agent:literal => $settles:literal,)*) => {
        pub(crate) const ROWS: &[Row] =
            &[$(Row { level: $level, rule: $rule, agent: $agent, settles: $settles },)*];
    };
}

rows! {
    // forbid: at the start of the call, with or without a result; on every turn of its scope.
    "target" "{tools: {forbid: [x]}}": "a x b" => "fails at event 5 of turn 1",
    "target" "{tools: {forbid: [x]}}": "a|b" => "holds at the end of the test",
    "test" "{tools: {forbid: [x]}}": "a|x" => "fails at event 2 of turn 2",
    "test" "{tools: {forbid: [x]}}": "X|xx" => "holds at the end of the test",
    "turn 1" "{tools: {forbid: [x]}}": "a|x" => "holds at the end of turn 1",
    "turn 2" "{tools: {forbid: [x]}}": "x|a" => "holds at the end of turn 2",
    "turn 1" "{tools: {forbid: [x]}}": "x?" => "fails at event 2 of turn 1",
    "turn 1" "{tools: {forbid: [x]}}": "x !" => "fails at event 2 of turn 1",

    // forbid_calls: as soon as all its conditions are known to be true.
    "turn 1" "{tools: {forbid_calls: [{name: x}]}}": "a x" => "fails at event 5 of turn 1",
    "test" "{tools: {forbid_calls: [{name: x, args_match: {k: bad}}]}}": "x(k:good) x(k:bad)" => "fails at event 8 of turn 1",
    "test" "{tools: {forbid_calls: [{name: x, args_match: {k: bad}}]}}": "x(k:good)|x(j:bad)" => "holds at the end of the test",
    "target" "{tools: {forbid_calls: [{name: x, result_match: declined}]}}": "x=ok|x=declined" => "fails at event 4 of turn 2",
    "turn 1" "{tools: {forbid_calls: [{name: x, args_match: {k: bad}, result_match: no}]}}": "x(k:bad)=yes x(k:good)=no" => "holds at the end of turn 1",
    "turn 1" "{tools: {forbid_calls: [{name: x, args_match: {k: bad}, result_match: no}]}}": "x(k:bad)=no" => "fails at event 5 of turn 1",
    "turn 1" "{tools: {forbid_calls: [{name: x, result_match: declined}]}}": "x#1=ok >1=declined" => "fails at event 5 of turn 1",
    "turn 1" "{tools: {forbid_calls: [{name: x, result_match: declined}]}}": "x#1? | >1=declined" => "fails at event 2 of turn 2",
    "turn 1" "{tools: {forbid_calls: [{name: x, result_match: declined}]}}": "x#1? | a" => "holds at the end of the test",
    "turn 2" "{tools: {forbid_calls: [{name: x, result_match: declined}]}}": "x=declined | a" => "holds at the end of turn 2",

    // require: at the end of its scope; at once if it can no longer pass.
    "target" "{tools: {require: [{name: b}]}}": "a|b" => "holds at the end of the test",
    "test" "{tools: {require: [{name: b}]}}": "a|c" => "fails at the end of the test",
    "turn 1" "{tools: {require: [{name: b}]}}": "a|b" => "fails at the end of turn 1",
    "turn 2" "{tools: {require: [{name: b}]}}": "a|b" => "holds at the end of turn 2",
    "turn 2" "{tools: {require: [{name: b}]}}": "b|a" => "fails at the end of turn 2",
    "turn 1" "{tools: {require: [{name: b}]}}": "b?" => "holds at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b}]}}": "a !" => "never settles",

    // count: counts the selected calls, and nothing else decides.
    "test" "{tools: {require: [{name: b, count: {exact: 1}}]}}": "b|b" => "fails at event 2 of turn 2",
    "test" "{tools: {require: [{name: b, count: {exact: 1}}]}}": "b b !" => "fails at event 5 of turn 1",
    "test" "{tools: {require: [{name: b, count: {exact: 2}}]}}": "b|b" => "holds at the end of the test",
    "turn 1" "{tools: {require: [{name: b, count: {exact: 1}}]}}": "b b" => "fails at event 5 of turn 1",
    "turn 1" "{tools: {require: [{name: b, count: {exact: 0}}]}}": "a" => "holds at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, count: {exact: 0}}]}}": "a b" => "fails at event 5 of turn 1",
    "turn 1" "{tools: {require: [{name: b, count: {max: 2}}]}}": "a" => "holds at the end of turn 1",
    "target" "{tools: {require: [{name: b, count: {max: 2}}]}}": "b b|b" => "fails at event 2 of turn 2",
    "test" "{tools: {require: [{name: b, count: {min: 2}}]}}": "b|b" => "holds at the end of the test",
    "test" "{tools: {require: [{name: b, count: {min: 2, max: 3}}]}}": "b|a" => "fails at the end of the test",

    // args_match and result_match select.
    "turn 1" "{tools: {require: [{name: b, args_match: {k: ^1$}, count: {exact: 1}}]}}": "b(k:1) b(k:2) b(k:1)" => "fails at event 12 of turn 1",
    "turn 1" "{tools: {require: [{name: b, args_match: {k: ^1$}}]}}": "b(k:2)" => "fails at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, result_match: ok, count: {exact: 1}}]}}": "b=ok b=no b=ok" => "fails at event 10 of turn 1",
    "turn 1" "{tools: {require: [{name: b, result_match: ok}]}}": "b=no" => "fails at the end of turn 1",
    "test" "{tools: {require: [{name: b, result_match: ok}]}}": "b=no|b=ok" => "holds at the end of the test",

    // Conditions on results stay open until the result or the end of the test.
    "turn 1" "{tools: {require: [{name: b, result_match: ok}]}}": "b#1?|>1=ok" => "holds at the end of the test",
    "turn 1" "{tools: {require: [{name: b, result_match: ok}]}}": "b#1?|>1=no" => "fails at the end of the test",
    "turn 1" "{tools: {require: [{name: b, result_match: ok}]}}": "b#1?|a" => "fails at the end of the test",
    "turn 1" "{tools: {require: [{name: b, result_match: ok, count: {min: 2}}]}}": "b#1?|>1=ok" => "fails at the end of turn 1",
    "turn 2" "{tools: {require: [{name: b}]}}": "b#1?|>1=ok" => "holds at the end of turn 2",
    "turn 2" "{tools: {require: [{name: b, result_match: ok}]}}": "b#1?|>1=no" => "fails at the end of turn 2",
    "turn 1" "{tools: {require: [{name: b, result_match: ok}]}}": "b#1=no >1=ok" => "holds at the end of turn 1",

    // result_not_match: one clean call does not excuse a bad one; no result passes.
    "test" "{tools: {require: [{name: b, result_not_match: error}]}}": "b=ok b=error" => "fails at event 7 of turn 1",
    "test" "{tools: {require: [{name: b, result_not_match: error}]}}": "b=ok|b?" => "holds at the end of the test",
    "turn 1" "{tools: {require: [{name: b, result_not_match: error}]}}": "b?" => "holds at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, result_not_match: error}]}}": "b#1?|>1=error" => "fails at event 2 of turn 2",
    "turn 1" "{tools: {require: [{name: b, args_match: {k: x}, result_not_match: error}]}}": "b(k:y)=error b(k:x)=ok" => "holds at the end of turn 1",

    // after: every selected call needs an earlier call, in this turn or any before it.
    "turn 1" "{tools: {require: [{name: b, after: a}]}}": "a b a" => "holds at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, after: a}]}}": "b a b" => "fails at event 2 of turn 1",
    "turn 2" "{tools: {require: [{name: b, after: a}]}}": "a|b" => "holds at the end of turn 2",
    "test" "{tools: {require: [{name: b, after: a}]}}": "b|a" => "fails at event 2 of turn 1",
    "target" "{tools: {require: [{name: b, args_match: {k: x}, after: a}]}}": "b(k:y) a|b(k:x)" => "holds at the end of the test",
    "test" "{tools: {require: [{name: b, result_match: ok, after: a}]}}": "b=no a b=ok" => "holds at the end of the test",
    "test" "{tools: {require: [{name: b, result_match: ok, after: a}]}}": "b=ok a" => "fails at event 4 of turn 1",

    // after_result: every selected call needs a call whose result came before it started.
    "turn 1" "{tools: {require: [{name: b, after_result: a}]}}": "a b" => "holds at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, after_result: a}]}}": "a#1? b >1" => "fails at event 4 of turn 1",
    "turn 1" "{tools: {require: [{name: b, after: a}]}}": "a#1? b >1" => "holds at the end of turn 1",
    "turn 2" "{tools: {require: [{name: b, after_result: a}]}}": "a#1?|>1 b" => "holds at the end of turn 2",
    "test" "{tools: {require: [{name: b, after_result: a}]}}": "a#1?|b#2" => "fails at event 2 of turn 2",
    "target" "{tools: {require: [{name: b, count: {min: 0}, after_result: a}]}}": "a#1=x* b" => "holds at the end of the test",

    // args and result: a partial match, or with `exact` a whole one.
    "turn 1" "{tools: {require: [{name: b, args: {k: x}}]}}": "b(k:x)" => "holds at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, args: {k: y}}]}}": "b(k:x)" => "fails at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, args: {}, exact: true}]}}": "b" => "holds at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, args: {}, exact: true}]}}": "b(k:x)" => "fails at the end of turn 1",
    "test" "{tools: {require: [{name: b, args: {k: x}, count: {exact: 1}}]}}": "b(k:x) b(k:y)|b(k:x)" => "fails at event 4 of turn 2",
    "test" "{tools: {require: [{name: b, result: good}]}}": "b=bad|b=good" => "holds at the end of the test",
    "turn 1" "{tools: {require: [{name: b, result: good}]}}": "b#1?|>1=good" => "holds at the end of the test",
    "target" "{tools: {forbid_calls: [{name: b, args: {k: x}}]}}": "b(k:y)|b(k:x)" => "fails at event 4 of turn 2",
    "turn 1" "{tools: {forbid_calls: [{name: b, result: bad}]}}": "b=good b=bad" => "fails at event 7 of turn 1",

    // args_not_match excludes in require, as result_not_match does, and selects in forbid_calls.
    "turn 1" "{tools: {require: [{name: b, args_not_match: {k: bad}}]}}": "b(k:good) b(k:bad)" => "fails at event 8 of turn 1",
    "turn 1" "{tools: {require: [{name: b, args_not_match: {k: bad}}]}}": "b(k:good) b" => "holds at the end of turn 1",
    "test" "{tools: {require: [{name: b, args_match: {k: g}, args_not_match: {k: bad}}]}}": "b(k:bad)|b(k:good)" => "holds at the end of the test",
    "test" "{tools: {forbid_calls: [{name: b, args_not_match: {k: good}}]}}": "b(k:good)|b(k:bad)" => "fails at event 4 of turn 2",
    "test" "{tools: {forbid_calls: [{name: b, args_not_match: {k: good}}]}}": "b(k:good)|b" => "fails at event 3 of turn 2",
    "turn 1" "{tools: {forbid_calls: [{name: b, result_not_match: ok}]}}": "b=ok b? b=no" => "fails at event 9 of turn 1",
    "turn 1" "{tools: {forbid_calls: [{name: b, result_not_match: ok}]}}": "b#1?|>1=no" => "fails at event 2 of turn 2",

    // name_match: every tool whose name matches.
    "turn 1" "{tools: {require: [{name_match: ^b}]}}": "ab bc" => "holds at the end of turn 1",
    "turn 1" "{tools: {require: [{name_match: ^b}]}}": "ab" => "fails at the end of turn 1",
    "test" "{tools: {require: [{name_match: ^b, count: {max: 1}}]}}": "ba|bb" => "fails at event 2 of turn 2",
    "target" "{tools: {forbid_calls: [{name_match: ^b}]}}": "ab|ba" => "fails at event 2 of turn 2",

    // is_error and status: the status of a call is known at the end of the turn.
    "turn 1" "{tools: {require: [{name: b, is_error: true}]}}": "b=x*" => "holds at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, is_error: true}]}}": "b=x" => "fails at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, is_error: true, count: {max: 0}}]}}": "b=x b=x*" => "fails at event 8 of turn 1",
    "turn 1" "{tools: {require: [{name: b, is_error: false}]}}": "b=x*" => "fails at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, is_error: false, count: {max: 1}}]}}": "b=x b=x*" => "holds at the end of turn 1",
    "test" "{tools: {require: [{name: b, is_error: false, count: {max: 1}}]}}": "b=x b=x a|a" => "fails at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, is_error: false}]}}": "b#1?|>1=x" => "holds at the end of the test",
    "turn 1" "{tools: {forbid_calls: [{name: b, is_error: true}]}}": "b=x b=x*" => "fails at event 8 of turn 1",
    "test" "{tools: {forbid_calls: [{name: b, is_error: false}]}}": "b=x*|b=x a" => "fails at the end of turn 2",
    "turn 1" "{tools: {require: [{name: b, status: denied}]}}": "b=x~" => "holds at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, status: denied}]}}": "b=x*" => "fails at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, status: executed}]}}": "b=x~ b?" => "fails at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, status: executed}]}}": "b=x*" => "holds at the end of turn 1",
    "test" "{tools: {require: [{name: b, status: executed, after: a}]}}": "b=x~|a b" => "holds at the end of the test",
    "test" "{tools: {require: [{name: b, status: executed, after: a}]}}": "b|a" => "fails at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, status: pending}]}}": "b#1?|>1" => "holds at the end of turn 1",
    "turn 1" "{tools: {require: [{name: b, status: pending}]}}": "b" => "fails at the end of turn 1",
    "turn 2" "{tools: {require: [{name: b, status: pending}]}}": "b?|a" => "fails at the end of turn 2",
    "test" "{tools: {require: [{name: b, status: pending}]}}": "b#1?|>1" => "fails at the end of the test",
    "target" "{tools: {require: [{name: b, status: pending, count: {exact: 1}}]}}": "b#1? b?|>1" => "holds at the end of the test",
    "turn 1" "{tools: {forbid_calls: [{name: b, status: pending}]}}": "b b?" => "fails at the end of turn 1",
    "turn 1" "{tools: {forbid_calls: [{name: b, status: pending}]}}": "b b? !" => "fails at the end of turn 1",
    "test" "{tools: {forbid_calls: [{name: b, status: pending}]}}": "b#1?|>1" => "holds at the end of the test",
    "test" "{tools: {forbid_calls: [{name: b, status: pending}]}}": "b#1?|a#2" => "fails at the end of the test",
    "test" "{tools: {forbid_calls: [{name: b, status: denied}]}}": "b=x*|b=x~" => "fails at event 5 of turn 2",

    // allow_only: at the start of any other call.
    "target" "{tools: {allow_only: [a, b]}}": "a b|a" => "holds at the end of the test",
    "target" "{tools: {allow_only: [a]}}": "a|b?" => "fails at event 2 of turn 2",
    "test" "{tools: {allow_only: [a]}}": "a A" => "fails at event 5 of turn 1",
    "turn 1" "{tools: {allow_only: []}}": "'x'|a" => "holds at the end of turn 1",
    "turn 1" "{tools: {allow_only: []}}": "a" => "fails at event 2 of turn 1",

    // max_calls: as soon as its scope has a call too many.
    "target" "{tools: {max_calls: 2}}": "a|b" => "holds at the end of the test",
    "target" "{tools: {max_calls: 2}}": "a|b a" => "fails at event 5 of turn 2",
    "test" "{tools: {max_calls: 1}}": "a? b?" => "fails at event 4 of turn 1",
    "turn 2" "{tools: {max_calls: 1}}": "a b|a" => "holds at the end of turn 2",
    "turn 1" "{tools: {max_calls: 0}}": "a !" => "fails at event 2 of turn 1",
    "turn 2" "{tools: {max_calls: 0}}": "a#1?|>1" => "holds at the end of turn 2",

    // max_identical_calls: as soon as the arguments of a call too many are known; each pair of name and arguments by itself.
    "target" "{tools: {max_identical_calls: 1}}": "a(k:1)|b(k:1) a(k:2)" => "holds at the end of the test",
    "target" "{tools: {max_identical_calls: 1}}": "a(k:1)|a(k:1)" => "fails at event 4 of turn 2",
    "test" "{tools: {max_identical_calls: 2}}": "a a|a" => "fails at event 3 of turn 2",
    "test" "{tools: {max_identical_calls: 1}}": "a|A" => "holds at the end of the test",
    "turn 1" "{tools: {max_identical_calls: 1}}": "a b|a" => "holds at the end of turn 1",
    "turn 2" "{tools: {max_identical_calls: 1}}": "a|a?" => "holds at the end of turn 2",

    // subagents: their calls count, unless they are excluded.
    "test" "{tools: {forbid: [x]}}": "s:x" => "fails at event 2 of turn 1",
    "test" "{tools: {subagents: exclude, forbid: [x]}}": "s:x|a" => "holds at the end of the test",
    "test" "{tools: {subagents: exclude, forbid_calls: [{name: x}]}}": "s:x|x" => "fails at event 2 of turn 2",
    "target" "{tools: {subagents: exclude, require: [{name: x}]}}": "s:x" => "fails at the end of the test",
    "turn 1" "{tools: {subagents: exclude, require: [{name: b, after: a}]}}": "s:a b" => "fails at event 5 of turn 1",
    "turn 1" "{tools: {subagents: exclude, require: [{name: b, after_result: a}]}}": "s:a a b" => "holds at the end of turn 1",
    "turn 1" "{tools: {subagents: exclude, max_calls: 1}}": "s:a s:b c" => "holds at the end of turn 1",
    "turn 1" "{tools: {subagents: exclude, allow_only: [c]}}": "s:a c" => "holds at the end of turn 1",
    "turn 2" "{tools: {subagents: exclude, require: [{name: b}]}}": "s:b#1?|>1" => "fails at the end of turn 2",
    "turn 2" "{tools: {subagents: include, require: [{name: b}]}}": "s:b#1?|>1" => "holds at the end of turn 2",

    // must_match: at the end of its scope, on the joined text.
    "turn 1" "{text: {must_match: hello}}": "'hello_you'" => "holds at the end of turn 1",
    "turn 1" "{text: {must_match: hello}}": "a|'hello'" => "fails at the end of turn 1",
    "test" "{text: {must_match: hello}}": "'a'|'hello'" => "holds at the end of the test",
    "test" "{text: {must_match: \"a\\nb\"}}": "'a'|'b'" => "holds at the end of the test",
    "target" "{text: {must_match: hello}}": "'a'|'b'" => "fails at the end of the test",

    // must_not_match: when a message ends, at the end of each turn, at the end of the test.
    "target" "{text: {must_not_match: error}}": "'fine'|a 'an_error'" => "fails at event 7 of turn 2",
    "test" "{text: {must_not_match: error}}": "'fine'|'good'" => "holds at the end of the test",
    "turn 1" "{text: {must_not_match: error}}": "'fine'|'error'" => "holds at the end of turn 1",
    "turn 1" "{text: {must_not_match: \"a\\nb\"}}": "'a' 'b'" => "fails at the end of turn 1",
    "test" "{text: {must_not_match: \"a\\nb\"}}": "'a'|'b'" => "fails at the end of the test",
    "test" "{text: {must_not_match: ^error}}": "'x' 'error'" => "holds at the end of the test",
    "test" "{text: {must_not_match: ^error}}": "'x'|'error'" => "fails at the end of turn 2",
    "turn 1" "{text: {must_not_match: error}}": "'error' !" => "fails at event 4 of turn 1",

    // contains, not_contains: like the two before, character by character.
    "turn 1" "{text: {contains: (a.b)*}}": "'x_(a.b)*_y'" => "holds at the end of turn 1",
    "turn 1" "{text: {contains: [a, b]}}": "'a'|'b'" => "fails at the end of turn 1",
    "test" "{text: {contains: [a, b]}}": "'a'|'b'" => "holds at the end of the test",
    "target" "{text: {contains: Hello}}": "'hello'" => "fails at the end of the test",
    "target" "{text: {not_contains: a.b}}": "'axb'|c 'a.b'" => "fails at event 7 of turn 2",
    "test" "{text: {not_contains: \"a\\nb\"}}": "'a'|'b'" => "fails at the end of the test",
    "turn 1" "{text: {not_contains: ^}}": "'x' 'y'|'^'" => "holds at the end of turn 1",
    "turn 1" "{text: {not_contains: no}}": "'no' !" => "fails at event 4 of turn 1",

    // equals: all of the text, or one of several.
    "turn 1" "{text: {equals: yes}}": "'yes'" => "holds at the end of turn 1",
    "turn 1" "{text: {equals: yes}}": "'yes'|'no'" => "holds at the end of turn 1",
    "test" "{text: {equals: [no, yes]}}": "a 'yes'" => "holds at the end of the test",
    "test" "{text: {equals: [no, yes]}}": "'no'|'yes'" => "fails at the end of the test",
    "test" "{text: {equals: \"a\\nb\"}}": "'a'|'b'" => "holds at the end of the test",
    "target" "{text: {equals: yes}}": "'yes,'" => "fails at the end of the test",
    "target" "{text: {equals: yes}}": "a !" => "never settles",
    "turn 1" "{text: {equals: \"\"}}": "a" => "holds at the end of turn 1",
    "turn 1" "{text: {equals: [yes, \"\"]}}": "'no'" => "fails at the end of turn 1",

    // of: final: the last message of the scope, and for prohibitions that of each turn.
    "turn 1" "{text: {must_match: ^b$, of: final}}": "'a' 'b' c" => "holds at the end of turn 1",
    "turn 1" "{text: {contains: a, of: final}}": "'a' 'b'" => "fails at the end of turn 1",
    "test" "{text: {equals: b, of: final}}": "'a'|'b'|c" => "holds at the end of the test",
    "test" "{text: {equals: a, of: final}}": "'a'|'b'" => "fails at the end of the test",
    "target" "{text: {contains: a, of: final}}": "b" => "fails at the end of the test",
    "target" "{text: {not_contains: a, of: final}}": "'a' 'b'|'c'" => "holds at the end of the test",
    "test" "{text: {not_contains: a, of: final}}": "'a'|'c'" => "fails at the end of turn 1",
    "turn 2" "{text: {must_not_match: a, of: final}}": "'a'|'b' 'a' c" => "fails at the end of turn 2",

    // max_duration_ms: equal passes; each turn by its effective number, the test by its own.
    "turn 1" "{timing: {max_duration_ms: 100}}": "a +100" => "holds at the end of turn 1",
    "turn 1" "{timing: {max_duration_ms: 100}}": "a +101" => "fails at the end of turn 1",
    "test" "{timing: {max_duration_ms: 100}}": "+60|+60" => "fails at the end of turn 2",
    "test" "{timing: {max_duration_ms: 100}}": "+40|+60" => "holds at the end of the test",
    "target" "{timing: {max_duration_ms: 100}}": "a|+101" => "fails at the end of turn 2",
    "turn 1" "{timing: {max_duration_ms: 100}}": "+101 !" => "fails at the end of turn 1",

    // max_idle_ms: start→first call, between calls, last call→end; never across a turn's end.
    "turn 1" "{timing: {max_idle_ms: 50}}": "+50 a +50 b +50" => "holds at the end of turn 1",
    "turn 1" "{timing: {max_idle_ms: 50}}": "+51 a" => "fails at the end of turn 1",
    "test" "{timing: {max_idle_ms: 50}}": "a +30|+30 a +51" => "fails at the end of turn 2",
    "target" "{timing: {max_idle_ms: 50}}": "a#1? +500 >1|a" => "holds at the end of turn 2",
    "target" "{timing: {max_idle_ms: 50}}": "+51" => "fails at the end of turn 1",

    // max_first_token_ms: sending→first text, without reasoning; without text the whole turn.
    "turn 1" "{timing: {max_first_token_ms: 50}}": "+50 'x' +100 'y'" => "holds at the end of turn 1",
    "turn 1" "{timing: {max_first_token_ms: 50}}": "+51 'x'" => "fails at the end of turn 1",
    "turn 1" "{timing: {max_first_token_ms: 50}}": "%t +51 'x'" => "fails at the end of turn 1",
    "turn 1" "{timing: {max_first_token_ms: 50}}": "a +50" => "holds at the end of turn 1",
    "turn 1" "{timing: {max_first_token_ms: 50}}": "a +51 !" => "fails at the end of turn 1",
    "test" "{timing: {max_first_token_ms: 50}}": "+30 'x'|+51 'x'" => "fails at the end of turn 2",
    "target" "{timing: {max_first_token_ms: 50}}": "+30 'x'|+30 'x'" => "holds at the end of turn 2",

    // max_tool_ms: start→result, else the end of the arguments; a call that waits for another turn counts in each of
    // the two.
    "turn 1" "{timing: {max_tool_ms: 50}}": "a#1? +50 >1" => "holds at the end of turn 1",
    "turn 1" "{timing: {max_tool_ms: 50}}": "b a#1? +51 >1" => "fails at the end of turn 1",
    "turn 1" "{timing: {max_tool_ms: 50}}": "a? +500" => "holds at the end of turn 1",
    "test" "{timing: {max_tool_ms: 50}}": "a#1? +500|+50 >1" => "holds at the end of turn 2",
    "target" "{timing: {max_tool_ms: 50}}": "a#1? +500|+51 >1" => "fails at the end of turn 2",

    // usage: each turn by its effective number, the test by its own; what is not reported cannot be evaluated.
    "turn 1" "{usage: {max_input_tokens: 10}}": "$10/99" => "holds at the end of turn 1",
    "turn 1" "{usage: {max_input_tokens: 10}}": "$11/1" => "fails at the end of turn 1",
    "turn 1" "{usage: {max_input_tokens: 10}}": "a" => "fails at the end of turn 1",
    "turn 1" "{usage: {max_output_tokens: 10}}": "$1/" => "fails at the end of turn 1",
    "turn 1" "{usage: {max_total_tokens: 10}}": "$5/5" => "holds at the end of turn 1",
    "turn 1" "{usage: {max_total_tokens: 10}}": "a !" => "holds at the end of turn 1",
    "test" "{usage: {max_total_tokens: 20}}": "$6/4|$6/5" => "fails at the end of turn 2",
    "test" "{usage: {max_input_tokens: 20}}": "$10/9|$10/9" => "holds at the end of the test",
    "target" "{usage: {max_total_tokens: 20}}": "$6/4|$6/4" => "holds at the end of the test",
    "target" "{usage: {max_input_tokens: 20}}": "$10/1|$11/1" => "fails at the end of turn 2",
    "test" "{usage: {max_output_tokens: 20}}": "$1/21" => "fails at the end of turn 1",
    "target" "{usage: {max_output_tokens: 20}}": "$9/9|$9/12" => "fails at the end of turn 2",

    // sequence: what happened in its scope, at its end; a mode that allows nothing else looks at the kinds that its
    // steps name.
    "turn 1" "{sequence: {mode: exact, steps: [{call: a}, {call: b}]}}": "a 'x' b" => "holds at the end of turn 1",
    "turn 1" "{sequence: {mode: exact, steps: [{call: a}, {call: b}]}}": "b a" => "fails at the end of turn 1",
    "turn 1" "{sequence: {mode: exact, steps: [{call: a}, {call: b}]}}": "a b|b" => "holds at the end of turn 1",
    "turn 1" "{sequence: {mode: exact, steps: [{call: a}, {call: b}]}}": "a b a" => "fails at the end of turn 1",
    "turn 1" "{sequence: {mode: exact, steps: [{call: a}, {call: b, optional: true}]}}": "a" => "holds at the end of turn 1",
    "turn 1" "{sequence: {mode: exact, steps: [{call: a}]}}": "a !" => "never settles",
    "turn 1" "{sequence: {mode: exact, steps: [{says: x}, {call: a}, {result: a, match: ok}, {says: y}]}}": "'x' a 'y'" => "holds at the end of turn 1",
    "turn 1" "{sequence: {mode: exact, steps: [{call: a}, {call: b}, {result: b}, {result: a}]}}": "a#1? b >1" => "holds at the end of turn 1",
    "turn 2" "{sequence: {mode: exact, steps: [{result: a}]}}": "a#1?|>1" => "holds at the end of turn 2",
    "turn 1" "{sequence: {mode: exact, steps: [{call: a}, {result: a}]}}": "a#1?|>1" => "fails at the end of turn 1",
    "turn 2" "{sequence: {mode: exact, steps: [{says: go, role: user}, {call: b}]}}": "a|b" => "holds at the end of turn 2",
    "test" "{sequence: {mode: exact, steps: [{call: a}, {call: b}]}}": "a|b" => "holds at the end of the test",
    "target" "{sequence: {mode: exact, steps: [{call: a}, {call: b}]}}": "a|b|a" => "fails at the end of the test",
    "turn 1" "{sequence: {mode: in_order, steps: [{call: a}, {call: b}]}}": "c a c b c" => "holds at the end of turn 1",
    "turn 1" "{sequence: {mode: in_order, steps: [{call: a, args: {k: v}}, {call: a}]}}": "a a(k:v)" => "fails at the end of turn 1",
    "turn 1" "{sequence: {mode: in_order, steps: [{result: a}, {call: b}]}}": "a#1? b >1" => "fails at the end of turn 1",
    "turn 1" "{sequence: {mode: in_order, steps: [{call: a}, {call: b, optional: true}, {call: c}]}}": "b a c" => "fails at the end of turn 1",
    "test" "{sequence: {mode: in_order, steps: [{result: a}, {says: y}]}}": "a#1?|'x' >1 'y'" => "holds at the end of the test",
    "target" "{sequence: {mode: in_order, steps: [{call: a}, {call: b}]}}": "b|a" => "fails at the end of the test",
    "turn 1" "{sequence: {mode: any_order, steps: [{call: a}, {call: b, args_match: {k: v}}]}}": "b(k:v) a" => "holds at the end of turn 1",
    "turn 1" "{sequence: {mode: any_order, steps: [{call: a}, {call: b}]}}": "b a c" => "fails at the end of turn 1",
    "test" "{sequence: {mode: any_order, steps: [{call: a}, {call: a, args: {k: v}}]}}": "a(k:v)|a" => "holds at the end of the test",
    "target" "{sequence: {mode: any_order, steps: [{result: a, is_error: true}]}}": "a=x*" => "holds at the end of the test",
    "turn 1" "{sequence: {mode: at_least, steps: [{call: a}, {call: a}]}}": "c a b a" => "holds at the end of turn 1",
    "turn 1" "{sequence: {mode: at_least, steps: [{call: a}, {call: a}]}}": "a b|a" => "fails at the end of turn 1",
    "test" "{sequence: {mode: at_least, steps: [{result: a, is_error: false}, {says: x}]}}": "'x'|a" => "holds at the end of the test",
    "target" "{sequence: {mode: at_least, steps: [{result: a, is_error: false}]}}": "a=no*" => "fails at the end of the test",
    "test" "{tools: {subagents: exclude}, sequence: {mode: exact, steps: [{call: a}]}}": "s:b a" => "holds at the end of the test",

    // sequence, only: as soon as something happens that no step allows.
    "turn 1" "{sequence: {mode: only, steps: [{call: a}]}}": "'x' a a|b" => "holds at the end of turn 1",
    "turn 1" "{sequence: {mode: only, steps: [{call: a}]}}": "a b" => "fails at event 5 of turn 1",
    "turn 1" "{sequence: {mode: only, steps: [{call: a}]}}": "b !" => "fails at event 2 of turn 1",
    "test" "{sequence: {mode: only, steps: [{call: a, args: {k: v}}]}}": "a(k:v)|a(k:w)" => "fails at event 4 of turn 2",
    "test" "{sequence: {mode: only, steps: [{call: a, args: {k: v}}, {call: a}]}}": "a(k:w)|a" => "holds at the end of the test",
    "test" "{sequence: {mode: only, steps: [{result: a, match: ok}]}}": "b|a=ok a=no" => "fails at event 4 of turn 1",
    "target" "{sequence: {mode: only, steps: [{result: a, match: ok}]}}": "a|a=no" => "fails at event 4 of turn 2",
    "target" "{sequence: {mode: only, steps: [{result: a, is_error: false}]}}": "a=x a=x* 'y'" => "fails at the end of turn 1",
    "turn 2" "{sequence: {mode: only, steps: [{says: y}]}}": "'x'|'y' a 'x'" => "fails at event 10 of turn 2",
    "turn 2" "{sequence: {mode: only, steps: [{result: a, match: ok}]}}": "a#1?|>1=no" => "fails at event 2 of turn 2",
    "target" "{sequence: {mode: only, steps: [{says: no, role: user}]}}": "a|a" => "fails at the end of turn 1",

    // output: the last message of its scope, as text or as JSON.
    "turn 1" "{output: [{match: ^b$}]}": "'a' 'b' c" => "holds at the end of turn 1",
    "turn 1" "{output: [{equals: a}]}": "'a' 'b'" => "fails at the end of turn 1",
    "turn 1" "{output: [{equals: a}]}": "c" => "fails at the end of turn 1",
    "turn 1" "{output: [{equals: a, not: true}]}": "c" => "holds at the end of turn 1",
    "turn 2" "{output: [{path: k, equals: 1}]}": "'{\"k\":2}'|'{\"k\":1}'" => "holds at the end of turn 2",
    "test" "{output: [{path: k, equals: 1}]}": "'{\"k\":1}'|c" => "holds at the end of the test",
    "test" "{output: [{path: k, exists: false}]}": "'no_JSON'" => "fails at the end of the test",
    "test" "{output: [{path: $, type: array}]}": "'[1]'" => "holds at the end of the test",
    "target" "{output: [{exists: true}]}": "c|c" => "fails at the end of the test",
    "target" "{output: [{path: k, equals: 1}]}": "'{\"k\":1}'|'{}'" => "fails at the end of the test",
    "target" "{output: [{match: a}]}": "c !" => "never settles",

    // state: as it is at the end of its scope.
    "turn 1" "{state: [{path: k, equals: x}]}": "@k:y @k:x" => "holds at the end of turn 1",
    "turn 1" "{state: [{path: k, equals: x}]}": "a|@k:x" => "fails at the end of turn 1",
    "turn 2" "{state: [{path: k, match: ^x, not: true}]}": "@k:x|@k:y" => "holds at the end of turn 2",
    "turn 1" "{state: [{path: k, exists: true}]}": "@k:x !" => "never settles",
    "test" "{state: [{path: k, type: string}]}": "@k:x|a" => "holds at the end of the test",
    "target" "{state: [{path: k, schema: {enum: [x]}}]}": "@k:x|@k:y" => "fails at the end of the test",

    // outcome: of the last run of the scope; an expected error is not a failure, and the test continues.
    "turn 1" "{outcome: error}": "a !|a" => "holds at the end of turn 1",
    "turn 1" "{outcome: error}": "a" => "fails at the end of turn 1",
    "turn 1" "{outcome: {is: error, error_match: brok}}": "!" => "holds at the end of turn 1",
    "turn 1" "{outcome: {is: error, error_match: other}}": "!" => "fails at the end of turn 1",
    "turn 1" "{outcome: finished}": "!" => "never settles",
    "turn 2" "{outcome: interrupted}": "^|^" => "holds at the end of turn 2",
    "test" "{outcome: error}": "a|!" => "holds at the end of the test",
    "test" "{outcome: error}": "!|!" => "never settles",
    "test" "{outcome: finished}": "a|^" => "fails at the end of the test",
    "target" "{outcome: interrupted}": "a|^" => "holds at the end of the test",

    // snapshot: compared at the end of its scope; none is kept here, so it always fails.
    "target" "{snapshot: true}": "a|b" => "fails at the end of the test",
    "test" "{snapshot: {volatile: [text]}}": "a|b" => "fails at the end of the test",
    "test" "{snapshot: true}": "a !" => "never settles",
    "turn 1" "{snapshot: first}": "a|b" => "fails at the end of turn 1",
    "turn 2" "{snapshot: true}": "a|b" => "fails at the end of turn 2",
    "turn 1" "{snapshot: true}": "a !" => "never settles",
}
