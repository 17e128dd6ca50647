// Texts of tests and agents as nodes. They are data: nothing here reads them as markup.

/** What the eye takes for something other than a sign on its place: the same as everywhere, but for tabs and line ends. */
const DECEIVING = new RegExp(
  "[\\u{0}-\\u{8}\\u{b}-\\u{1f}\\u{7f}-\\u{9f}\\u{ad}\\u{61c}\\u{115f}\\u{1160}\\u{17b4}\\u{17b5}\\u{180e}\\u{200b}\\u{200e}" +
    "\\u{200f}\\u{2028}-\\u{202e}\\u{2060}-\\u{206f}\\u{3164}\\u{feff}\\u{ffa0}\\u{fdd0}-\\u{fdef}\\u{fff0}-\\u{fffb}" +
    "\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}\\p{Noncharacter_Code_Point}]",
  "gu",
);

/** An element with attributes; those that are undefined or false are left out. Children are nodes or texts. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null && child !== ""));
  return element;
}

/** The name of a sign that deceives: U+202E. */
function point(sign) {
  return "U+" + sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
}

/** A text for places that hold no nodes: signs that deceive are written out. */
function line(text) {
  return text.replace(/\s*\n\s*/g, " ").replace(DECEIVING, (sign) => `[${point(sign)}]`);
}

/** A text as it was said, apart from what is around it: signs that deceive are shown as marks. */
function said(text, name = "bdi", attributes = {}) {
  const element = make(name, attributes);
  const lines = text.replaceAll("\r\n", "\n");
  let from = 0;
  for (const found of lines.matchAll(DECEIVING)) {
    element.append(lines.slice(from, found.index), make("span", { class: "sign" }, point(found[0])));
    from = found.index + found[0].length;
  }
  element.append(lines.slice(from));
  return element;
}

/** Words of our own in which `code` stands between backticks: a finding's message. */
function message(text) {
  const element = make("bdi");
  text.split(/(`[^`\n]+`)/).forEach((part, index) => {
    element.append(index % 2 ? said(part.slice(1, -1), "code") : said(part, "span"));
  });
  return element;
}

/** A text of many lines that scrolls where it is long, by keyboard too. */
function block(content, label) {
  const length = content.textContent.length;
  const isLong = length > 1200 || content.textContent.split("\n").length > 16;
  const reach = isLong ? { tabindex: "0", role: "group", "aria-label": label } : {};
  const pre = make("pre", { class: isLong ? "block long" : "block", ...reach });
  pre.append(content);
  return pre;
}

/** Milliseconds as people say them; nothing for a time that a trace does not show. */
function took(ms) {
  if (ms === undefined) return "";
  if (ms > 0 && ms < 1) return "<1 ms";
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59950) return `${(ms / 1000).toFixed(1).replace(".0", "")} s`;
  const two = (count, unit, whole, name) =>
    `${Math.floor(count / whole)} ${name}` + (count % whole ? ` ${count % whole} ${unit}` : "");
  return ms < 3599500 ? two(Math.round(ms / 1000), "s", 60, "min") : two(Math.round(ms / 60000), "min", 60, "h");
}

/** `1 test`, `2 tests`. */
function counted(count, one) {
  return `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}

/** The value of a block of data. */
function data(id) {
  return JSON.parse(document.getElementById(id).textContent);
}
