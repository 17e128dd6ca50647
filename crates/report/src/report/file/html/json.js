// Arguments and results: JSON set out over lines where it is long, digit by digit as it was sent.

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** How long a value may be on one line. */
const ONE_LINE = 72;

/** A text of an agent's as a node: laid out where it is JSON, else as it is. */
function value(text, name = "code") {
  let isJson = true;
  try {
    JSON.parse(text);
  } catch {
    isJson = false;
  }
  return isJson ? laidOut(text.match(TOKENS) ?? [], name) : said(text, name);
}

function laidOut(tokens, name) {
  const element = make(name, { class: "json" });
  const flat = tokens.reduce((length, token) => length + token.length + 1, 0) <= ONE_LINE;
  let depth = 0;
  const put = (text) => element.append(text);
  const newLine = () => put(flat ? "" : "\n" + "  ".repeat(depth));
  tokens.forEach((token, index) => {
    const next = tokens[index + 1];
    if (token === "{" || token === "[") {
      put(token);
      depth += 1;
      if (next !== "}" && next !== "]") newLine();
    } else if (token === "}" || token === "]") {
      depth -= 1;
      const before = tokens[index - 1];
      if (before !== "{" && before !== "[") newLine();
      put(token);
    } else if (token === ",") {
      put(flat ? ", " : ",");
      newLine();
    } else if (token === ":") {
      put(": ");
    } else {
      element.append(said(token, "span", { class: kind(token, next) }));
    }
  });
  return element;
}

function kind(token, next) {
  if (next === ":") return "key";
  return token.startsWith('"') ? "string" : "atom";
}
