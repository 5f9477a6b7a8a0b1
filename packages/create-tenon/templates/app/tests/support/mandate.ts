/**
 * @fileoverview Checks this project's rules: layout, JSDoc, and error handling. `tests/mandate.test.ts`
 * runs it. Change a rule here and in the README.
 * @module tests/support/mandate
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Visitor } from "oxc-parser";
import { checkExports, checkHeader } from "./jsdocRules.js";
import {
  listFolders,
  readSources,
  type SourceFile,
  type Violation,
  violationAt,
} from "./sourceFiles.js";

const SOURCE_FILES = ["index.ts", "logic.ts", "registration.ts"];
const TEST_FILES = ["integration.test.ts", "logic.test.ts", "registration.test.ts"];
const SERVER = "src/mcp-server/server.ts";
const CONFIGURATION = "src/config/index.ts";

/** A tool or a resource. */
interface Part {
  /** Folder below `src/`, such as `mcp-server/tools/echoTool`. */
  readonly folder: string;
  /** Required name of its register function. */
  readonly register: string;
}

/** Checks a project against its rules. Returns one line per broken rule, such as `src/a.ts:3: …`. */
export function checkMandate(project: string): readonly string[] {
  const sources = readSources(project, "src");
  const tests = readSources(project, "tests");
  const parts = ["tools", "resources"].flatMap((kind) =>
    listFolders(project, `src/mcp-server/${kind}`).map((name) => ({
      folder: `mcp-server/${kind}/${name}`,
      register: `register${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    })),
  );
  const violations = [
    ...parts.flatMap((part) => [...checkLayout(project, part), ...checkPart(sources, part)]),
    ...sources.flatMap((file) => [...checkExports(file), ...checkGlobals(file)]),
    ...[...sources, ...tests].flatMap(checkHeader),
    ...tests.flatMap(checkMocks),
  ];
  return violations.map(({ path, line, message }) => `${path}:${line}: ${message}`).toSorted();
}

/** Every tool and resource has the same three source files and the same three test files. */
function checkLayout(project: string, { folder }: Part): readonly Violation[] {
  const check = (path: string, required: readonly string[], mayHaveMore: boolean) => {
    const found = listFiles(project, path);
    const missing = required.filter((name) => !found.includes(name));
    const more = mayHaveMore ? [] : found.filter((name) => !required.includes(name));
    return [
      ...missing.map((name) => ({
        path: `${path}/${name}`,
        line: 1,
        message: "The file is missing.",
      })),
      ...more.map((name) => ({
        path: `${path}/${name}`,
        line: 1,
        message: `The folder may contain only ${required.join(", ")}. Move shared code to src/services or src/utils.`,
      })),
    ];
  };
  return [
    ...check(`src/${folder}`, SOURCE_FILES, false),
    ...check(`tests/${folder}`, TEST_FILES, true),
  ];
}

function listFiles(project: string, folder: string): readonly string[] {
  try {
    return readdirSync(join(project, folder));
  } catch {
    return []; // a missing folder has no files
  }
}

/** Checks the contents of a tool's or resource's three files, and that the server registers it. */
function checkPart(
  sources: readonly SourceFile[],
  { folder, register }: Part,
): readonly Violation[] {
  const find = (path: string) => sources.filter((file) => file.path === path);
  const isRegistered = find(SERVER).some(({ text }) => text.includes(`${register}(server)`));
  return [
    ...find(`src/${folder}/index.ts`).flatMap((file) => checkBarrel(file, register)),
    ...find(`src/${folder}/logic.ts`).flatMap((file) => checkLogic(file)),
    ...find(`src/${folder}/registration.ts`).flatMap((file) => checkRegistration(file, register)),
    ...(isRegistered
      ? []
      : [{ path: SERVER, line: 1, message: `The server must call \`${register}(server)\`.` }]),
  ];
}

function checkBarrel(file: SourceFile, register: string): readonly Violation[] {
  const [statement, ...more] = file.program.body;
  const code = statement === undefined ? "" : file.text.slice(statement.start, statement.end);
  const wanted = `export { ${register} } from "./registration.js";`;
  return more.length === 0 && code.replaceAll(/\s+/g, " ") === wanted
    ? []
    : [violationAt(file, statement?.start ?? 0, `The file must contain only \`${wanted}\``)];
}

/** The logic throws an `McpError` and catches nothing. */
function checkLogic(file: SourceFile): readonly Violation[] {
  const found: Violation[] = [];
  const report = (position: number, message: string) =>
    void found.push(violationAt(file, position, message));
  new Visitor({
    TryStatement: ({ start }) =>
      report(start, "Logic must not use try/catch. Throw an `McpError`; the handler catches it."),
    ThrowStatement: ({ start, argument }) => {
      const { type } = argument;
      const isOwn =
        type === "NewExpression" &&
        argument.callee.type === "Identifier" &&
        argument.callee.name === "McpError";
      if (!isOwn) report(start, "Logic must throw `new McpError(code, message)`.");
    },
  }).visit(file.program);
  if (!/^export const \w+Schema = z\s*\./m.test(file.text))
    report(0, "The file must export its input schema: `export const …Schema = z.object({ … })`.");
  if (!/^export (async function|const) \w+Logic\b/m.test(file.text))
    report(0, "The file must export the logic as a function whose name ends with `Logic`.");
  return found;
}

/** The handler catches every error, either itself or through `defineToolHandler`. */
function checkRegistration(file: SourceFile, register: string): readonly Violation[] {
  const found: Violation[] = [];
  const isHandled =
    /\bdefineToolHandler\(/.test(file.text) ||
    /\btry \{[^]*\bcatch \(\w+\) \{[^]*\bErrorHandler\.handleError\(/.test(file.text);
  if (!isHandled)
    found.push(
      violationAt(
        file,
        0,
        "The handler must call the logic in a `try` block and pass errors to `ErrorHandler.handleError`, or use `defineToolHandler`.",
      ),
    );
  if (!new RegExp(`^export (async function|const) ${register}\\b`, "m").test(file.text))
    found.push(violationAt(file, 0, `The file must export \`${register}\`.`));
  return found;
}

/** Only the configuration reads the environment, and all output goes through the logger. */
function checkGlobals(file: SourceFile): readonly Violation[] {
  const found: Violation[] = [];
  const report = (position: number, message: string) =>
    void found.push(violationAt(file, position, message));
  new Visitor({
    MemberExpression({ start, object, property }) {
      if (object.type !== "Identifier" || property.type !== "Identifier") return;
      if (object.name === "console") report(start, "Use `logger` instead of `console`.");
      if (object.name === "process" && property.name === "env" && file.path !== CONFIGURATION)
        report(start, `Only ${CONFIGURATION} may read environment variables.`);
    },
  }).visit(file.program);
  return found;
}

/** Tests run the real logic. */
function checkMocks(file: SourceFile): readonly Violation[] {
  const found: Violation[] = [];
  new Visitor({
    CallExpression({ start, callee, arguments: [first] }) {
      if (callee.type !== "MemberExpression" || first?.type !== "Literal") return;
      const isMock = /^vi\.(mock|doMock)$/.test(file.text.slice(callee.start, callee.end));
      if (isMock && String(first.value).endsWith("/logic.js"))
        found.push(
          violationAt(file, start, "Tests must not mock a tool's logic. Call the real one."),
        );
    },
  }).visit(file.program);
  return found;
}
