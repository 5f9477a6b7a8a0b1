/**
 * @fileoverview `npm run prose`: checks comments and documentation. Fails if too many JSDoc comments start with a
 * question word, or if a sentence in the documentation is too long.
 * @module scripts/check-prose
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** Maximum number of words in a sentence. */
export const MAX_WORDS = 35;

/** Maximum share of JSDoc comments that may start with a question word. */
export const MAX_SHARE = 0.03;

const QUESTION_WORD = /^(?:What|Whether|Where|Who|How|All)\b/;
const REQUIREMENT = /^\s*- \*\*[FRTZA]\d+\*\* /;

/** Text and the line on which it starts, counted from 1. */
export interface Passage {
  readonly line: number;
  readonly text: string;
}

/** Sentence and its number of words. */
export interface Sentence extends Passage {
  readonly words: number;
}

/** Finds the JSDoc comments in a source file. Returns their text without asterisks or a leading block tag. */
export function findJsDocs(source: string): readonly Passage[] {
  return [...source.matchAll(/^[ \t]*\/\*\*(?!\/)([\s\S]*?)\*\//gm)].map(({ index, 1: body = "" }) => ({
    line: lineAt(source, index),
    text: body
      .replaceAll(/^[ \t]*\*/gm, "")
      .replaceAll(/\s+/g, " ")
      .trim()
      .replace(/^@\w+ /, ""),
  }));
}

/** Returns true if a comment starts with a question word or with "All". */
export function startsWithQuestionWord(comment: string): boolean {
  return QUESTION_WORD.test(comment);
}

/**
 * Splits Markdown into sentences. Code blocks, table separators, and HTML comments are skipped. A heading, a list item,
 * or a table cell ends a sentence. Inline code counts as one word, and a link as its text.
 */
export function findSentences(markdown: string): readonly Sentence[] {
  return findBlocks(markdown).flatMap(({ line, text }) =>
    plainText(text)
      .replaceAll(/\b(e\.g|i\.e|etc|vs|cf)\.(?=\s)/gi, "$1")
      .split(/(?<=[.!?…]["'”’)\]]*)\s+/)
      .map((sentence) => ({ line, text: sentence, words: countWords(sentence) }))
      .filter(({ words }) => words > 0),
  );
}

/** Finds the sentences that are longer than `maxWords`. */
export function findLongSentences(markdown: string, maxWords = MAX_WORDS): readonly Sentence[] {
  return findSentences(markdown).filter(({ words }) => words > maxWords);
}

/** Empties the lines in `docs/requirements.md` that state a requirement, because their wording is fixed. */
export function withoutRequirements(markdown: string): string {
  return markdown
    .split("\n")
    .map((line) => (REQUIREMENT.test(line) ? "" : line))
    .join("\n");
}

/** Groups the lines of a page into headings, paragraphs, list items, and table cells. */
function findBlocks(markdown: string): readonly Passage[] {
  const blocks: Passage[] = [];
  let open: { line: number; lines: string[] } | undefined;
  let fence: string | undefined;
  const close = () => {
    if (open !== undefined) blocks.push({ line: open.line, text: open.lines.join(" ") });
    open = undefined;
  };
  const withoutComments = markdown.replaceAll(/<!--[\s\S]*?-->/g, (comment) =>
    comment.replaceAll(/[^\n]/g, ""),
  );
  for (const [index, raw] of withoutComments.split("\n").entries()) {
    const line = index + 1;
    const text = raw.replace(/^\s*(?:>\s?)+/, "").trim();
    const [, mark] = /^(`{3,}|~{3,})/.exec(text) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
    } else if (mark !== undefined) {
      close();
      fence = mark;
    } else if (text === "" || text.startsWith("#")) {
      close();
      if (text !== "") blocks.push({ line, text: text.replace(/^#+\s*/, "") });
    } else if (text.startsWith("|")) {
      close();
      if (!/^[|:\-\s]+$/.test(text)) blocks.push(...splitRow(text).map((cell) => ({ line, text: cell })));
    } else {
      const [item] = /^(?:[-*+]|\d+[.)])\s+/.exec(text) ?? [];
      if (item !== undefined) close();
      open ??= { line, lines: [] };
      open.lines.push(text.slice(item?.length ?? 0));
    }
  }
  close();
  return blocks;
}

/** Splits a table row into its cells. Escaped bars and bars in inline code do not end a cell. */
function splitRow(row: string): readonly string[] {
  return replaceCode(row).split(/(?<!\\)\|/);
}

/** Removes Markdown syntax that is not read as words. */
function plainText(text: string): string {
  return replaceCode(text)
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/<\/?[a-z][^>]*>/gi, " ")
    .replaceAll(/\*+/g, "");
}

/** Replaces inline code with one word. */
function replaceCode(text: string): string {
  return text.replaceAll(/(`+)(?!`).*?[^`]\1(?!`)/g, "code");
}

/** Counts the words that contain a letter or a digit. */
function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

/** Lists the files in a folder and its subfolders whose names end with `suffix`. */
function filesBelow(folder: string, suffix: string): readonly string[] {
  return readdirSync(`${ROOT}/${folder}`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(suffix) && !file.includes("node_modules"))
    .map((file) => `${folder}/${file}`)
    .toSorted();
}

/** Checks the comments in all packages. Returns true if they pass. */
function checkComments(packages: readonly string[]): boolean {
  const comments = packages
    .flatMap((folder) => filesBelow(`packages/${folder}/src`, ".ts"))
    .flatMap((file) => findJsDocs(readText(file)).map((comment) => ({ file, ...comment })));
  const found = comments.filter(({ text }) => startsWithQuestionWord(text));
  for (const { file, line, text } of found) console.log(`${file}:${line}: ${shorten(text)}`);
  const share = found.length / comments.length;
  console.log(
    `JSDoc comments that start with What, Whether, Where, Who, How, or All: ${found.length} of ${comments.length} ` +
      `(${(share * 100).toFixed(1)}%; limit ${MAX_SHARE * 100}%)\n`,
  );
  return share <= MAX_SHARE;
}

/** Checks the sentences on all pages. Returns true if they pass. */
function checkPages(packages: readonly string[]): boolean {
  const readmes = packages.flatMap((folder) =>
    readdirSync(`${ROOT}/packages/${folder}`)
      .filter((file) => file === "README.md" || file === "ARCHITECTURE.md")
      .map((file) => `packages/${folder}/${file}`),
  );
  const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...filesBelow("docs", ".md"), ...readmes];
  let total = 0;
  let found = 0;
  for (const page of pages) {
    const text = page === "docs/requirements.md" ? withoutRequirements(readText(page)) : readText(page);
    total += findSentences(text).length;
    for (const { line, words, text: sentence } of findLongSentences(text)) {
      found++;
      console.log(`${page}:${line}: ${words} words: ${shorten(sentence)}`);
    }
  }
  console.log(`Sentences with more than ${MAX_WORDS} words: ${found} of ${total} on ${pages.length} pages`);
  return found === 0;
}

function readText(file: string): string {
  return readFileSync(`${ROOT}/${file}`, "utf8");
}

function shorten(text: string): string {
  return text.length > 90 ? `${text.slice(0, 89)}…` : text;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const packages = readdirSync(`${ROOT}/packages`).toSorted();
  const passed = [checkComments(packages), checkPages(packages)];
  if (passed.includes(false)) process.exitCode = 1;
}
