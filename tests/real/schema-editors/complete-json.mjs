// What an editor offers in a line of a case file, which is JSON.
//
// The library is that of VS Code's JSON language server; the server around it only carries messages.
import { readFileSync } from "node:fs";

import { getLanguageService } from "vscode-json-languageservice";
import { TextDocument } from "vscode-languageserver-textdocument";

import { BLANK, withoutStops } from "./language.mjs";
import { CURSOR } from "./positions.mjs";

/** The least case. */
const HEAD = { id: "T1", input: "hi" };

const members = (mapping) => Object.entries(mapping).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);

/** A line with a text at the end of the steps. */
function around(language, steps, text) {
  let line = text;
  for (const [index, { key, mapping, name }] of [...steps.entries()].reverse()) {
    if (key === undefined && name === undefined) {
      line = `[${line}]`;
    } else {
      const others = key === undefined ? {} : language.nextTo(mapping, key, index === 0 ? HEAD : {});
      line = `{${[...members(others), `${JSON.stringify(key ?? name)}: ${line}`].join(", ")}}`;
    }
  }
  return line;
}

/** The positions in every block. */
function* positions(language) {
  for (const { mappings, steps } of language.blocks()) {
    for (const mapping of mappings) {
      const head = steps.length === 0 ? HEAD : {};
      const path = steps.map(({ key, name }) => key ?? name ?? "[]").join(".");
      const position = (kind, text, key) => ({ kind, at: key ? `${path}.${key}` : path, text: around(language, steps, text) });
      yield position("empty", `{${CURSOR}}`);
      yield position("quotes", `{"${CURSOR}"}`);
      const known = members(language.complete(mapping, head));
      if (known.length > 0) yield position("a comma", `{${known.join(", ")}, ${CURSOR}}`);
      for (const [key, property] of Object.entries(mapping.properties)) {
        const others = members(language.nextTo(mapping, key, head));
        const value = (kind, text) => position(kind, `{${[...others, `"${key}": ${text}`].join(", ")}}`, key);
        yield value("value", CURSOR);
        const list = language.forms(property).find(({ items }) => items !== undefined);
        if (list === undefined) continue;
        yield value("entry", `[${CURSOR}]`);
        const entries = language.forms(list.items);
        const first = language.least(entries.find(({ properties }) => properties !== undefined) ?? entries[0]);
        yield value("entry, the second", `[${JSON.stringify(first)}, ${CURSOR}]`);
      }
    }
  }
}

/** Every position with its items, each with the line that it makes. */
export async function* askedInJson(language, schemaFile) {
  const snippetSupport = { completionItem: { snippetSupport: true } };
  const service = getLanguageService({ clientCapabilities: { textDocument: { completion: snippetSupport } } });
  const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
  service.configure({ validate: true, schemas: [{ uri: "case.json", fileMatch: ["*.jsonl"], schema }] });
  for (const position of positions(language)) {
    const at = position.text.indexOf(CURSOR);
    const text = position.text.replace(CURSOR, "");
    const document = TextDocument.create("file:///a.jsonl", "json", 1, text);
    const found = await service.doComplete(document, document.positionAt(at), service.parseJSONDocument(document));
    const items = found.items.map(({ label, textEdit: { range, newText } }) => {
      // A blank is a value, but between braces and quotes.
      const inserted = newText.replaceAll(/\{\$\d+\}/g, "{}").replaceAll(/\[\$\d+\]/g, "[]").replaceAll(/"(\$\d+|\$\{\d+\})"/g, `"${BLANK}"`);
      const made = withoutStops(inserted, `"${BLANK}"`);
      return { label, made: text.slice(0, document.offsetAt(range.start)) + made + text.slice(document.offsetAt(range.end)) };
    });
    yield { position, items };
  }
}
