// ajv with ajv-formats, at their defaults, as a validator of ananke's files and reports.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import Ajv from "ajv";
import addFormats from "ajv-formats";

/** The keywords in the schemas that are not part of draft-07. */
const VOCABULARY = ["x-since", "x-same-as", "defaultSnippets", "doNotSuggest", "enumDescriptions"];

/** What ajv finds in a value of a kind, if it finds anything. */
export function validator(schemas, kind) {
  const ajv = addFormats(new Ajv());
  ajv.addVocabulary(VOCABULARY);
  const validate = ajv.compile(JSON.parse(readFileSync(join(schemas, `${kind}.schema.json`), "utf8")));
  return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors.slice(0, 3)));
}
