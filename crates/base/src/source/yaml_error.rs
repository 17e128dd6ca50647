//! The errors of a YAML text, in words for its author; places as the YAML crate reports them, and how deep values may be.

use std::sync::Arc;

use serde_yaml::budget::BudgetBreach;
use serde_yaml::granit_parser::ErrorKind;
use serde_yaml::localizer::ExternalMessageSource;
use serde_yaml::{Error, Location};

use super::printable;
use super::unclosed::{Opening, opening};
use crate::diagnostic::{Code, Diagnostic, SourceFile, Span};
use crate::text::truncate;

/// The crate's error as a problem of ours.
pub(super) fn explain(source: &Arc<SourceFile>, error: &Error) -> Diagnostic {
    let problem = words(error);
    let location = error
        .location()
        .filter(|location| *location != Location::UNKNOWN);
    let Some(place) = location.map(|location| place(source, location)) else {
        return problem.in_file(source);
    };
    let is_about_structure = problem.code == Code::Syntax && is_about_structure(error);
    if let Some(opening) =
        opening(&source.text, place.start as usize).filter(|_| is_about_structure)
    {
        return not_closed(source, opening);
    }
    match no_space(source, place).filter(|_| is_about_structure) {
        Some(problem) => problem,
        None => problem.at(source, place, ""),
    }
}

/// Whether an unclosed quote or bracket before the place can be the reason.
fn is_about_structure(error: &Error) -> bool {
    use ErrorKind as Kind;
    match error {
        Error::WithSnippet { error, .. } => is_about_structure(error),
        Error::ExternalMessage { source, .. } => match &**source {
            ExternalMessageSource::Parser(scan) => !matches!(
                scan.kind(),
                Kind::TabNotAllowed
                    | Kind::TabInBlockIndentation
                    | Kind::TabInIndentation
                    | Kind::TabAtBlockScalarStart
                    | Kind::TabInPlainScalar
                    | Kind::UnknownAnchor
                    | Kind::UnknownQuotedScalarEscape
                    | Kind::InvalidQuotedScalarHexEscape
            ),
            _ => false,
        },
        Error::Eof { .. } | Error::Unexpected { .. } => true,
        _ => false,
    }
}

fn not_closed(source: &Arc<SourceFile>, Opening { offset, sign }: Opening) -> Diagnostic {
    let (message, close) = match sign {
        '[' => ("this list is not closed", ']'),
        '{' => ("this mapping is not closed", '}'),
        quote => ("this text is not closed on its line", quote),
    };
    let problem = Diagnostic::error(Code::Syntax, message).at(
        source,
        Span::new(offset, offset + 1),
        "opened here",
    );
    problem.help(format!("add the missing `{close}`"))
}

/// A key at or before the place of a problem that has no space after its colon: YAML reads such a line as one text.
fn no_space(source: &Arc<SourceFile>, place: Span) -> Option<Diagnostic> {
    let before = source.text.get(..place.start as usize)?;
    let this = before.rfind('\n').map_or(0, |newline| newline + 1);
    let previous = before[..this]
        .trim_end()
        .rfind('\n')
        .map_or(0, |newline| newline + 1);
    [this, previous].into_iter().find_map(|start| {
        let line = source.text[start..].lines().next()?;
        let text = line.trim_start_matches([' ', '-']);
        let (key, value) = text.split_once(':')?;
        let is_key = !key.is_empty()
            && key
                .chars()
                .all(|sign| sign.is_ascii_alphanumeric() || sign == '_');
        let is_value =
            value.starts_with(['"', '\'', '[', '{']) || value.starts_with(char::is_alphabetic);
        if !is_key || !is_value {
            return None;
        }
        let begin = start + line.len() - text.len();
        let colon = begin + key.len() + 1;
        let message = format!("there is no space after the colon of `{key}`");
        let problem =
            Diagnostic::error(Code::Syntax, message).at(source, Span::new(begin, colon), "");
        let help = format!("write `{key}: {}`", truncate::chars(value.trim_end(), 200));
        Some(problem.help(help).fix(source, Span::new(colon, colon), " "))
    })
}

/// The place of an error. Those of the scanner come without byte offsets, with line and column only.
fn place(source: &SourceFile, location: Location) -> Span {
    if location.span().byte_offset().is_some() {
        return span(location);
    }
    let line = usize::try_from(location.line())
        .unwrap_or(usize::MAX)
        .saturating_sub(1);
    let column = usize::try_from(location.column())
        .unwrap_or(usize::MAX)
        .saturating_sub(1);
    let text = source.text.as_str();
    let start = match line {
        0 => 0,
        _ => memchr::memchr_iter(b'\n', text.as_bytes())
            .nth(line - 1)
            .map_or(text.len(), |newline| newline + 1),
    };
    let line = text[start..].lines().next().unwrap_or("");
    let offset = line
        .char_indices()
        .nth(column)
        .map_or(line.len(), |(offset, _)| offset);
    Span::new(start + offset, start + offset)
}

fn words(error: &Error) -> Diagnostic {
    let syntax = |message: &str| Diagnostic::error(Code::Syntax, message);
    match error {
        Error::AliasError { error, .. } | Error::WithSnippet { error, .. } => words(error),
        Error::ExternalMessage { source, .. } => match &**source {
            ExternalMessageSource::Parser(scan) => parser_words(scan.kind()),
            _ => syntax("this is not valid YAML"),
        },
        Error::Eof { .. } => syntax("the text ends too early"),
        Error::MultipleDocuments { .. } => syntax("a second YAML document begins here")
            .help("write one document per file: move the rest to a file of its own"),
        Error::NonFiniteFloat { value, .. } => Diagnostic::error(
            Code::BadValue,
            format!(
                "`{}` is not a number that JSON can represent",
                printable(value)
            ),
        )
        .help("write a finite number, or quote the text"),
        Error::NullIntoString { .. }
        | Error::Unexpected { .. }
        | Error::UnexpectedContainerEndWhileReadingKeyNode { .. } => {
            syntax("a key must be a text").help("write every key as `name: value`")
        }
        Error::MergeValueNotMapOrSeqOfMaps { .. } => Diagnostic::error(
            Code::WrongType,
            "`<<` takes a mapping or a list of mappings",
        )
        .help("merge an anchored mapping: `<<: *name`"),
        Error::UnknownAnchor { .. } => no_anchor(),
        Error::UnsupportedTag { .. }
        | Error::TaggedScalarCannotDeserializeIntoString { .. }
        | Error::InvalidScalar { .. }
        | Error::InvalidBinaryBase64 { .. }
        | Error::BinaryNotUtf8 { .. } => syntax("this tag does not fit its value")
            .help("leave out the `!` tag; quote a text that begins with `!`"),
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            syntax("this alias is inside its own anchor")
        }
        Error::AliasReplayCounterOverflow { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => too_many_aliases(),
        Error::Budget { breach, .. } => match breach {
            BudgetBreach::Depth { .. } => too_deep(),
            BudgetBreach::Aliases { .. }
            | BudgetBreach::Anchors { .. }
            | BudgetBreach::MergeKeys { .. }
            | BudgetBreach::AliasAnchorRatio { .. }
            | BudgetBreach::RecordedAnchorEvents { .. }
            | BudgetBreach::RecordedAnchorBytes { .. } => too_many_aliases(),
            _ => Diagnostic::error(
                Code::LimitExceeded,
                "the file holds more values than are read",
            )
            .help("split it into several files"),
        },
        _ => syntax("this is not valid YAML"),
    }
}

fn too_deep() -> Diagnostic {
    Diagnostic::error(
        Code::LimitExceeded,
        format!("lists and mappings nest deeper than {MAX_DEPTH} levels"),
    )
}

fn too_many_aliases() -> Diagnostic {
    Diagnostic::error(
        Code::LimitExceeded,
        "the aliases of this file expand to more values than are read",
    )
    .help("write the repeated parts in full, or split the file")
}

fn no_anchor() -> Diagnostic {
    Diagnostic::error(Code::Syntax, "this alias has no anchor")
        .help("define it first with `&name`, or quote a text that begins with `*`")
}

#[expect(clippy::too_many_lines, reason = "a line for each error")]
fn parser_words(kind: &ErrorKind) -> Diagnostic {
    use ErrorKind as Kind;

    let syntax = |message: &str| Diagnostic::error(Code::Syntax, message);
    match kind {
        Kind::TabNotAllowed
        | Kind::TabInBlockIndentation
        | Kind::TabInIndentation
        | Kind::TabAtBlockScalarStart
        | Kind::TabInPlainScalar => syntax("YAML does not allow tabs as indentation")
            .help("indent with spaces, usually two per level"),
        Kind::UnknownAnchor => no_anchor(),
        Kind::RecursionLimitExceeded => too_deep(),
        Kind::UnexpectedEofFlowSequence | Kind::UnclosedFlowCollection { open: '[' } => {
            syntax("this list is not closed").help("add the missing `]`")
        }
        Kind::UnexpectedEofFlowMapping
        | Kind::UnexpectedEofImplicitFlowMapping
        | Kind::UnclosedFlowCollection { .. } => {
            syntax("this mapping is not closed").help("add the missing `}`")
        }
        Kind::MismatchedFlowCollectionEnd { open, close } => {
            let right = if *open == '[' { ']' } else { '}' };
            syntax(&format!("`{open}` is closed by `{}`", close.escape_debug()))
                .help(format!("close it with `{right}`"))
        }
        Kind::MisplacedFlowCollectionEnd => syntax("unmatched closing bracket"),
        Kind::ExpectedFlowMappingSeparator => {
            syntax("expected `,` or `}`").help("quote a text that contains `{`, `}` or `,`")
        }
        Kind::ExpectedFlowSequenceSeparator => {
            syntax("expected `,` or `]`").help("quote a text that contains `[`, `]` or `,`")
        }
        Kind::UnclosedQuotedScalar | Kind::DocumentIndicatorInQuotedScalar => {
            syntax("this text is not closed").help("add the missing quote")
        }
        Kind::InvalidTrailingSingleQuotedScalar | Kind::InvalidTrailingDoubleQuotedScalar => {
            syntax("unexpected text after the closing quote")
                .help("quote the whole text; inside single quotes, write `''` for one")
        }
        Kind::UnknownQuotedScalarEscape
        | Kind::InvalidQuotedScalarHexEscape
        | Kind::InvalidLowSurrogateHexEscape
        | Kind::InvalidLowSurrogate
        | Kind::MissingLowSurrogate
        | Kind::UnpairedLowSurrogate
        | Kind::InvalidUnicodeEscape => syntax("invalid escape sequence")
            .help("write `\\\\` for a backslash, or use single quotes"),
        Kind::InvalidIndentation
        | Kind::InvalidFlowScalarIndent
        | Kind::InvalidQuotedScalarIndent
        | Kind::InvalidBlockScalarIndent
        | Kind::ExpectedBlockMappingKey
        | Kind::ExpectedBlockSequenceEntry
        | Kind::ExpectedDocumentStart => syntax("inconsistent indentation")
            .help("all keys of a mapping must start in the same column"),
        Kind::SimpleKeyExpected | Kind::InvalidSimpleKey => {
            syntax("expected `:` after a key").help("write `name: value`; a key stays on one line")
        }
        Kind::MappingValueNotAllowed | Kind::InvalidColonPlacement | Kind::MappingKeyNotAllowed => {
            syntax("unexpected `name: value`").help("quote a text that contains `: `")
        }
        Kind::BlockSequenceEntryNotAllowed | Kind::BlockEntryInFlowCollection => {
            syntax("unexpected list entry").help("quote a text that begins with `- `")
        }
        Kind::UnexpectedCharacter { character } if character.is_control() => syntax(&format!(
            "the character `{}` is not allowed in a file",
            character.escape_debug()
        ))
        .help("write it as an escape inside double quotes"),
        Kind::UnexpectedCharacter { character } => syntax(&format!(
            "a value cannot start with `{}`",
            character.escape_debug()
        ))
        .help("quote the text"),
        Kind::PlainScalarStartsWithDashFlowIndicator => {
            syntax("a value cannot start with `-` here").help("quote the text")
        }
        Kind::InvalidDocumentEnd => syntax("unexpected text after the end of the document"),
        Kind::BomInsideDocument => {
            syntax("unexpected byte order mark inside the text").help("delete it")
        }
        Kind::CommentNotSeparated | Kind::CommentInterceptedScalar => {
            syntax("a comment cannot begin here").help("put a space before `#`, or quote the text")
        }
        Kind::InvalidBlockScalarHeader | Kind::ZeroBlockScalarIndent => {
            syntax("a block of text begins with `|` or `>` and a line break")
        }
        Kind::UnexpectedEof
        | Kind::UnexpectedEofBlockSequence
        | Kind::UnexpectedEofBlockMapping => syntax("the text ends too early"),
        _ => syntax("this is not valid YAML"),
    }
}

/// The deepest nesting of lists and mappings: far beyond what people write, far below what the stack bears.
pub(super) const MAX_DEPTH: usize = 64;

/// The place of a value in the text; for the value of an alias, the place of the alias.
pub(super) fn span(location: Location) -> Span {
    let place = location.span();
    let start = place.byte_offset().unwrap_or(0);
    let end = start + place.byte_len().unwrap_or(0);
    let offset = |value| u32::try_from(value).unwrap_or(u32::MAX);
    Span {
        start: offset(start),
        end: offset(end),
    }
}
