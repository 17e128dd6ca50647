// What can be written in a file, by the schema with which the program checks it: its blocks, and values that fill them.
import { readFileSync } from "node:fs";

/** Whether a schema demands keys and nothing else. */
const isDemand = (schema) => Object.keys(schema).every((keyword) => ["required", "title"].includes(keyword));
/** The word by which `type` chooses a mapping. */
export const tag = (mapping) => mapping.properties?.type?.const;
/** The only key of a mapping that has exactly one. */
export const onlyKey = (mapping) => {
  const keys = Object.keys(mapping.properties ?? {});
  return keys.length === 1 && tag(mapping) === undefined ? keys[0] : undefined;
};
/** The keys of a mapping that an editor offers. */
export const offeredKeys = ({ properties }) => Object.entries(properties).filter(([, property]) => !property.doNotSuggest);
/** A text for a value that must be text and says nothing. */
const TEXT = "x";
const DEEPEST = 8;

export class Language {
  /** The language of the files of a kind; `folder` has the schemas. */
  constructor(folder, kind) {
    this.kind = kind;
    this.schema = JSON.parse(readFileSync(`${folder}/${kind}.json`, "utf8"));
  }

  /** The schema that a reference leads to. */
  resolved(schema) {
    return schema?.$ref === undefined ? schema : this.schema.definitions[schema.$ref.split("/").at(-1)];
  }

  /** The forms of a value, with references followed. */
  forms(schema) {
    const resolved = this.resolved(schema) ?? true;
    if (resolved === true) return [{}];
    const branches = resolved.oneOf ?? (resolved.anyOf?.every(isDemand) ? undefined : resolved.anyOf);
    return branches?.flatMap((branch) => this.forms(branch)) ?? [resolved];
  }

  /** The keys of which a mapping needs one. */
  alternatives(mapping) {
    const either = mapping.anyOf?.every(isDemand) ? mapping.anyOf : (mapping.else?.anyOf ?? []);
    return either.map(({ required }) => required[0]);
  }

  /** The keys that a mapping does not have next to this one. */
  excluded(mapping, key) {
    const found = [];
    for (const { not } of mapping.allOf ?? []) {
      if (not?.required?.includes(key)) found.push(...not.required.filter((other) => other !== key));
    }
    for (const [name, property] of Object.entries(mapping.properties)) {
      if (property["x-same-as"] === key) found.push(name);
      if (name === key && property["x-same-as"] !== undefined) found.push(property["x-same-as"]);
    }
    return found;
  }

  /** A mapping with the keys that it needs in addition to those of `present`. */
  complete(mapping, present) {
    // A file with several tests has nothing else.
    if (mapping === this.schema && "tests" in present) return present;
    const value = { ...present };
    const needed = [...(mapping.required ?? []), ...(mapping.else?.required ?? [])];
    const either = this.alternatives(mapping);
    if (either.length > 0 && !either.some((key) => key in value)) needed.push(either[0]);
    for (const key of needed) value[key] ??= this.least(mapping.properties[key], key);
    return value;
  }

  /** The other keys of a mapping that has this one and all that it needs, or of one that has the keys of `present`. */
  nextTo(mapping, key, present = {}) {
    if (onlyKey(mapping) !== undefined) return {};
    const others = this.complete(mapping, { ...present, [key]: TEXT });
    if (mapping === this.schema && key === "tests") return { version: others.version };
    for (const other of [key, ...this.excluded(mapping, key)]) delete others[other];
    return others;
  }

  /** The least value of a schema, of examples where it has some. */
  least(schema, name = "", left = DEEPEST) {
    if (schema === true || schema === undefined || left === 0) return TEXT;
    if (schema.examples !== undefined) return schema.examples[0];
    const [only] = [schema.const, schema.default, schema.enum?.[0]].filter((value) => value !== undefined);
    if (only !== undefined) return only;
    if (schema.$ref !== undefined) return this.least(this.resolved(schema), name, left - 1);
    const [first] = schema.oneOf ?? (schema.anyOf?.every(isDemand) ? [] : (schema.anyOf ?? []));
    if (first !== undefined) return this.least(first, name, left - 1);
    if (schema.properties !== undefined) {
      const value = this.complete(schema, {});
      if (Object.keys(value).length > 0) return value;
      const keys = Object.keys(schema.properties);
      const key = keys.find((known) => schema.properties[known].examples !== undefined) ?? keys[0];
      return { [key]: this.least(schema.properties[key], key, left - 1) };
    }
    switch (schema.type) {
      case "array":
        return [this.least(schema.items, name, left - 1)];
      case "integer":
      case "number":
        return name.endsWith("_ms") ? 5000 : Math.max(schema.minimum ?? 0, 1);
      case "boolean":
        return true;
      case "object":
        return { A: this.least(schema.additionalProperties, "A", left - 1) };
      default:
        return TEXT;
    }
  }

  /**
   * Every block once, each by the shortest way to it: the mappings that it can be, and the steps from the top of a file, each
   * `{ key, mapping }`, `{ name }` or `{ entry }`. Definitions that `without` has as well are left out.
   */
  blocks(without) {
    const other = without?.schema.definitions ?? {};
    const isOther = ([name, definition]) => JSON.stringify(definition) === JSON.stringify(other[name]);
    const skipped = Object.entries(this.schema.definitions).filter(isOther).map(([, definition]) => definition);
    const known = new Set(skipped.flatMap((definition) => this.forms(definition)));
    const found = [];
    const open = [{ schema: this.schema, steps: [] }];
    for (const { schema, steps } of open) {
      const mappings = [];
      for (const form of this.forms(schema)) {
        if (form.items !== undefined) open.push({ schema: form.items, steps: [...steps, { entry: true }] });
        if (form.properties === undefined) {
          const ofNames = form.additionalProperties;
          if (typeof ofNames === "object") open.push({ schema: ofNames, steps: [...steps, { name: "A" }] });
        } else if (!known.has(form)) {
          known.add(form);
          mappings.push(form);
          for (const [key, property] of offeredKeys(form)) {
            open.push({ schema: property, steps: [...steps, { key, mapping: form }] });
          }
        }
      }
      if (mappings.length > 0) found.push({ mappings, steps });
    }
    return found;
  }

  /** A file in which blanks are filled, and mappings have the keys that they need. */
  filled(value, schema = this.schema) {
    const forms = this.forms(schema);
    if (value === BLANK || value === null) return this.least(schema);
    if (Array.isArray(value)) {
      const list = forms.find(({ items }) => items !== undefined);
      return list === undefined ? value : value.map((entry) => this.filled(entry, list.items));
    }
    if (typeof value !== "object") return value;
    const mapping = this.meant(forms, value);
    const ofNames = forms.find((form) => form.type === "object" && form.properties === undefined);
    const entries = Object.entries(value).map(([key, inner]) => {
      const property = mapping?.properties[key] ?? (mapping === undefined ? ofNames?.additionalProperties : undefined);
      return [key, property === undefined ? inner : this.filled(inner, property)];
    });
    const filled = Object.fromEntries(entries);
    if (mapping === undefined || onlyKey(mapping) !== undefined) return filled;
    return this.complete(mapping, filled);
  }

  /** The mapping that a value is meant to be. */
  meant(forms, value) {
    const mappings = forms.filter(({ properties }) => properties !== undefined);
    const tagged = mappings.filter((mapping) => tag(mapping) !== undefined);
    if (value.type === BLANK && tagged.length > 0) value.type = tag(tagged[0]);
    const hasAll = (mapping) => Object.keys(value).every((key) => key in mapping.properties);
    return (
      tagged.find((mapping) => tag(mapping) === value.type) ??
      mappings.find((mapping) => hasAll(mapping) && !(tag(mapping) && mapping.required?.includes("type")))
    );
  }
}

/** What is in a file in the place of a blank. */
export const BLANK = "BLANK";
/** What a snippet leaves in a file if every tab stop stays as it is; `blank` is that for one without a text. */
export const withoutStops = (text, blank) =>
  text
    .replaceAll(/\$\{\d+\|((?:[^\\|,]|\\.)*)(?:,(?:[^\\|]|\\.)*)?\|\}/g, "$1")
    .replaceAll(/\$\{\d+:((?:[^\\}]|\\.)*)\}/g, "$1")
    .replaceAll(/\$\{\d+\}|\$\d+/g, blank)
    .replaceAll(/\\([\\$}])/g, "$1");
