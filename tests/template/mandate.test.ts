import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { copyTemplate, linkTemplate, readTemplate } from "../support/template/canonical-template.js";

/** A new tool could break the rules of the standard without any test of the project noticing. */

type CheckMandate = (project: string) => readonly string[];

const linked = linkTemplate();
const project = join(linked, "project");
let checkMandate: CheckMandate;

beforeAll(async () => {
  ({ checkMandate } = (await import(/* @vite-ignore */ `${linked}/tests/support/mandate.ts`)) as {
    checkMandate: CheckMandate;
  });
});
afterAll(() => rmSync(linked, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(project, { recursive: true, force: true });
  copyTemplate(project, "checked-server");
});

const TOOL = "src/mcp-server/tools/echoTool";
const TESTS = "tests/mcp-server/tools/echoTool";

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
};
const edit = (path: string, from: string | RegExp, to: string) => {
  const text = readFileSync(join(project, path), "utf8");
  const changed = text.replace(from, to);
  expect(changed, `${path} must contain ${String(from)}`).not.toBe(text);
  write(path, changed);
};
const remove = (path: string) => rmSync(join(project, path));

/** Adds a copy of the echo tool, with its tests, and registers it. */
function addTool(): void {
  const renamed = (text: string) =>
    text.replaceAll("echoTool", "greetTool").replaceAll("EchoTool", "GreetTool");
  for (const file of ["index.ts", "logic.ts", "registration.ts"])
    write(`src/mcp-server/tools/greetTool/${file}`, renamed(readTemplate(`${TOOL}/${file}`)));
  for (const file of ["integration.test.ts", "logic.test.ts", "registration.test.ts"])
    write(`tests/mcp-server/tools/greetTool/${file}`, renamed(readTemplate(`${TESTS}/${file}`)));
  edit(
    "src/mcp-server/server.ts",
    '      { name: "echoTool"',
    '      { name: "greetTool", register: () => registerGreetTool(server) },\n      { name: "echoTool"',
  );
}

describe("first-run-d3: the generated project checks its own rules", () => {
  test("accepts the template, and a tool that is copied from it", () => {
    expect(checkMandate(project)).toEqual([]);
    addTool();
    expect(checkMandate(project)).toEqual([]);
  });

  test("accepts the files of the standard as they are", () => {
    for (const name of ["logic", "registration"]) {
      const canonical = new URL(`canonical/${name}.ts.txt`, import.meta.url);
      write(`${TOOL}/${name}.ts`, readFileSync(canonical, "utf8"));
    }
    expect(checkMandate(project)).toEqual([]);
  });

  test.each<[string, () => void, string]>([
    [
      "layout: a source file is missing",
      () => remove(`${TOOL}/logic.ts`),
      `${TOOL}/logic.ts: The file is missing.`,
    ],
    [
      "layout: a tool has an additional file",
      () =>
        write(
          `${TOOL}/helpers.ts`,
          "/**\n * @fileoverview Helps.\n * @module src/mcp-server/tools/echoTool/helpers\n */\n",
        ),
      `${TOOL}/helpers.ts: The folder may contain only index.ts, logic.ts, registration.ts. Move shared code to src/services or src/utils.`,
    ],
    [
      "layout: a test file is missing",
      () => remove(`${TESTS}/registration.test.ts`),
      `${TESTS}/registration.test.ts: The file is missing.`,
    ],
    [
      "layout: the barrel file contains logic",
      () => edit(`${TOOL}/index.ts`, /$/, "export const more = 1;\n"),
      `${TOOL}/index.ts: The file must contain only \`export { registerEchoTool } from "./registration.js";\``,
    ],
    [
      "layout: the folder and the register function have different names",
      () => {
        renameSync(join(project, TOOL), join(project, "src/mcp-server/tools/sayTool"));
        renameSync(join(project, TESTS), join(project, "tests/mcp-server/tools/sayTool"));
      },
      "src/mcp-server/tools/sayTool/registration.ts: The file must export `registerSayTool`.",
    ],
    [
      "layout: the server does not register the tool",
      () => edit("src/mcp-server/server.ts", /.*registerEchoTool\(server\).*\n/, ""),
      "src/mcp-server/server.ts: The server must call `registerEchoTool(server)`.",
    ],
    [
      "layout: the logic does not export its schema",
      () => edit(`${TOOL}/logic.ts`, /^export const (\w+Schema)/gm, "const $1"),
      `${TOOL}/logic.ts: The file must export its input schema: \`export const …Schema = z.object({ … })\`.`,
    ],
    [
      "layout: the logic function has a different name",
      () => edit(`${TOOL}/logic.ts`, "export async function echoToolLogic", "export async function runEcho"),
      `${TOOL}/logic.ts: The file must export the logic as a function whose name ends with \`Logic\`.`,
    ],
    [
      "JSDoc: a file has no header",
      () => edit(`${TOOL}/logic.ts`, /^\/\*\*[^]*?\*\/\n/, ""),
      `${TOOL}/logic.ts: The file must start with a \`/** @fileoverview … */\` comment.`,
    ],
    [
      "JSDoc: a file names a different module",
      () => edit(`${TOOL}/logic.ts`, /@module .*/, "@module somewhere/else"),
      `${TOOL}/logic.ts: The file's comment must contain \`@module ${TOOL}/logic\`.`,
    ],
    [
      "JSDoc: an exported function has no comment",
      () => edit(`${TOOL}/logic.ts`, /\/\*\*\n \* Formats and repeats[^]*?\*\/\n/, ""),
      `${TOOL}/logic.ts: \`echoToolLogic\` is exported and must have a JSDoc comment.`,
    ],
    [
      "JSDoc: a parameter is not documented",
      () => edit(`${TOOL}/logic.ts`, / \* @param context.*\n/, ""),
      `${TOOL}/logic.ts: The JSDoc of \`echoToolLogic\` must have \`@param context\`.`,
    ],
    [
      "JSDoc: the result is not documented",
      () => edit(`${TOOL}/logic.ts`, / \* @returns.*\n/, ""),
      `${TOOL}/logic.ts: The JSDoc of \`echoToolLogic\` must have \`@returns\`.`,
    ],
    [
      "JSDoc: a thrown error is not documented",
      () => edit(`${TOOL}/logic.ts`, / \* @throws.*\n/, ""),
      `${TOOL}/logic.ts: The JSDoc of \`echoToolLogic\` must have \`@throws\`.`,
    ],
    [
      "JSDoc: a method is not documented",
      () => edit("src/services/notes/notesProvider.ts", / {2}\/\*\* Closes the database.*\n/, ""),
      "src/services/notes/notesProvider.ts: `close` is exported and must have a JSDoc comment.",
    ],
    [
      "JSDoc: an interface is not documented",
      () => edit("src/services/notes/notesProvider.ts", "/** A saved note. */\n", ""),
      "src/services/notes/notesProvider.ts: `Note` is exported and must have a JSDoc comment.",
    ],
    [
      "logic: it catches an error",
      () =>
        edit(
          `${TOOL}/logic.ts`,
          "  const formattedMessage = formatMessage(params.message, params.mode);",
          "  let formattedMessage = '';\n  try {\n    formattedMessage = formatMessage(params.message, params.mode);\n  } catch {}",
        ),
      `${TOOL}/logic.ts: Logic must not use try/catch. Throw an \`McpError\`; the handler catches it.`,
    ],
    [
      "logic: it throws a plain error",
      () => edit(`${TOOL}/logic.ts`, /throw new McpError\([^]*?\);/, 'throw new Error("fail");'),
      `${TOOL}/logic.ts: Logic must throw \`new McpError(code, message)\`.`,
    ],
    [
      "handler: it does not catch errors",
      () => edit(`${TOOL}/registration.ts`, "ErrorHandler.handleError(error", "toResult(error"),
      `${TOOL}/registration.ts: The handler must call the logic in a \`try\` block and pass errors to \`ErrorHandler.handleError\`, or use \`defineToolHandler\`.`,
    ],
    [
      "globals: a file reads the environment",
      () => edit(`${TOOL}/logic.ts`, /$/, 'const level = process.env["LEVEL"];\n'),
      `${TOOL}/logic.ts: Only src/config/index.ts may read environment variables.`,
    ],
    [
      "globals: a file writes to the console",
      () => edit(`${TOOL}/logic.ts`, /$/, 'console.log("x");\n'),
      `${TOOL}/logic.ts: Use \`logger\` instead of \`console\`.`,
    ],
    [
      "tests: the logic is mocked",
      () =>
        edit(
          `${TESTS}/integration.test.ts`,
          /$/,
          'vi.mock("../../../../src/mcp-server/tools/echoTool/logic.js");\n',
        ),
      `${TESTS}/integration.test.ts: Tests must not mock a tool's logic. Call the real one.`,
    ],
  ])("%s", (_rule, breakRule, violation) => {
    breakRule();
    const found = checkMandate(project).map((line) => line.replace(/:\d+: /, ": "));
    expect(found).toContain(violation);
  });

  test("a violation names its line", () => {
    edit(`${TOOL}/logic.ts`, /$/, 'console.log("x");\n');
    const lines = readFileSync(join(project, `${TOOL}/logic.ts`), "utf8").split("\n").length - 1;
    expect(checkMandate(project)).toEqual([
      `${TOOL}/logic.ts:${lines}: Use \`logger\` instead of \`console\`.`,
    ]);
  });
});
