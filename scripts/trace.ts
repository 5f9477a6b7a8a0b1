/**
 * @fileoverview `npm run trace`: lists requirements without a test and requirements that are checked by review.
 * @module scripts/trace
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Requirements that no test names, and the total number of requirements. */
export interface Trace {
  readonly untested: readonly string[];
  readonly reviewed: readonly string[];
  readonly total: number;
}

/** Compares the requirements in `docs/requirements.md` with the test titles. */
export function traceRequirements(requirements: string, tests: readonly string[]): Trace {
  const lines = [...requirements.matchAll(/^- \*\*([FRTZA]\d+)\*\* (.+)$/gm)].map(
    ([, id = "", text = ""]) => ({
      id,
      text,
    }),
  );
  const named = new Set(tests.flatMap(titleIds));
  const open = lines.filter(({ id }) => !named.has(id));
  const isReviewed = (text: string) => /\(kept by review: .+\)$/.test(text);
  const say = ({ id, text }: { readonly id: string; readonly text: string }) => `${id} ${text}`;
  return {
    untested: open.filter(({ text }) => !isReviewed(text)).map(say),
    reviewed: open.filter(({ text }) => isReviewed(text)).map(say),
    total: lines.length,
  };
}

/** Returns the requirement IDs in a test file's titles: the strings passed to `test`, `it`, and `describe`. */
function titleIds(source: string): readonly string[] {
  return [...source.matchAll(/\b(?:test|it|describe)(?:\.\w+)*(?:<[^()]*>)?\(/g)].flatMap((call) => {
    const open = call.index + call[0].length - 1;
    // With `test.each(table)(title, …)`, the title is in the second pair of parentheses.
    const end = skipParentheses(source, open);
    const start = source[end] === "(" ? end : open;
    const [, , title = ""] = /^\(\s*(["'`])((?:(?!\1)[^\\]|\\.)*)\1/.exec(source.slice(start)) ?? [];
    return title.match(/\b[FRTZA]\d+\b/g) ?? [];
  });
}

/** Returns the index after the parenthesis that closes the one at `open`. Skips strings. */
function skipParentheses(source: string, open: number): number {
  const piece = /(["'`])(?:(?!\1)[^\\]|\\.)*\1|[()]/g;
  piece.lastIndex = open;
  let depth = 0;
  for (let match = piece.exec(source); match !== null; match = piece.exec(source)) {
    if (match[0] === "(") depth++;
    else if (match[0] === ")" && --depth === 0) return piece.lastIndex;
  }
  return source.length;
}

/** Compares this project's requirements with its tests. */
export function readProject(): Trace {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const folders = ["tests", ...readdirSync(`${root}/packages`).map((name) => `packages/${name}/tests`)];
  const tests = folders
    .filter((folder) => existsSync(`${root}/${folder}`))
    .flatMap((folder) =>
      readdirSync(`${root}/${folder}`, { recursive: true, encoding: "utf8" })
        .filter((file) => /\.test(-d)?\.ts$/.test(file))
        .map((file) => `${root}/${folder}/${file}`),
    );
  return traceRequirements(
    readFileSync(`${root}/docs/requirements.md`, "utf8"),
    tests.map((file) => readFileSync(file, "utf8")),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { untested, reviewed, total } = readProject();
  for (const line of [...untested, ...reviewed]) console.log(line);
  console.log(
    `Requirements without a test: ${untested.length} of ${total}. Verified by review: ${reviewed.length}.`,
  );
}
