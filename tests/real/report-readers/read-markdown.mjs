// Reads a Markdown report as GitHub does (CommonMark with GitHub's extensions) and says whether it holds anything but the
// headings, lists, code and folds that ananke writes: nothing that an agent said may become a link, an image, a table or
// HTML. The links are those to the CI job and to the places of failures. With JSON lines as the second argument, every test that failed must have a heading, a row or an entry with its id.

import { readFileSync } from "node:fs";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";

const [report, lines] = process.argv.slice(2);
const text = readFileSync(report, "utf8");
const tree = unified().use(remarkParse).use(remarkGfm).parse(text);

const ours = ["root", "heading", "paragraph", "text", "inlineCode", "code", "html", "list", "listItem", "table", "tableRow", "tableCell"];
const marker = "<!-- ananke -->";
const fold = /^(<details><summary>(transcript|slowest|\d+ tests|\d+ quarantined|\d+ more failures?)<\/summary>|<\/details>)$/;
const problems = [];
const ids = [];
let open = 0;
// The page of the CI job that made the run.
const summary = lines && readFileSync(lines, "utf8").trim().split("\n").map(JSON.parse).at(-1);
const job = summary?.run?.ci_url;
const blobs = summary?.run?.blob_url;
const visit = (node) => {
  if (job && node.type === "link" && node.url === job) return;
  // The place of a failure, in the repository.
  if (blobs && node.type === "link" && node.url.startsWith(`${blobs}/`) && node.children.every(({ type }) => type === "inlineCode")) return;
  if (!ours.includes(node.type)) {
    problems.push(`a ${node.type} in line ${node.position.start.line}`);
  }
  if (node.type === "html" && !(node.value === marker && node === tree.children[0])) {
    if (!fold.test(node.value)) {
      problems.push(`HTML in line ${node.position.start.line}: ${node.value}`);
    }
    open += node.value === "</details>" ? -1 : 1;
  }
  // Code is shown as it is; anything else mentions people and issues.
  // A `<` before anything else begins neither a tag nor a link: `<1 ms`.
  if (node.type === "text" && /[@#[]|<[a-z/!?]|:\/\//i.test(node.value)) {
    problems.push(`text in line ${node.position.start.line}: ${node.value}`);
  }
  if ((node.type === "heading" && node.depth === 3) || node.type === "tableCell") {
    ids.push(node.children.filter((child) => child.type === "inlineCode").map((child) => child.value).join());
  }
  if (node.type === "listItem") {
    const [paragraph] = node.children;
    ids.push(paragraph?.children?.find((child) => child.type === "inlineCode")?.value);
  }
  (node.children ?? []).forEach(visit);
};
visit(tree);
if (open !== 0) {
  problems.push(`${open} folds are open at the end`);
}
// A comparison has none: no bot writes it again.
if (lines && tree.children[0]?.value !== marker) {
  problems.push("no marker in the first line");
}
if (Buffer.byteLength(text) > 20_000) {
  problems.push(`${text.length} characters`);
}
if (lines) {
  const results = readFileSync(lines, "utf8").trim().split("\n").map(JSON.parse);
  const fails = (result) => ["failed", "error", "timeout"].includes(result.status) && !("quarantined" in result);
  const plain = (id) => !/[\u0000-\u001f\u007f-\u009f]/.test(id);
  for (const { id } of results.filter((result) => result.type === "result" && fails(result) && plain(result.id))) {
    if (!ids.includes(id)) {
      problems.push(`neither a heading nor a row nor an entry for ${id}`);
    }
  }
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
