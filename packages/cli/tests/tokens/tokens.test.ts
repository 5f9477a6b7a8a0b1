import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, onTestFinished, test } from "vitest";
import type { TokenReport } from "../../src/tokens/measure.js";
import { onTerminal, plain } from "../support/pseudo-terminal.js";
import {
  programFile,
  startTenon,
  temporaryFolder,
  tenon,
  tenonInProcess,
} from "../../../../tests/support/program.js";
import { ROOT } from "../../../../tools/source-files.js";

const FOLDER = `${ROOT}/packages/cli/tests/tokens/fixtures`;
const OFFICE = `${FOLDER}/office.mjs`;
const LOADED = "the office is open\n";

interface Definition {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
}

const costOf = ({ name, description, inputSchema }: Definition) =>
  countTokens(JSON.stringify({ name, description, inputSchema }));

async function count(...args: readonly string[]): Promise<TokenReport> {
  const { code, stdout, stderr } = await tenonInProcess(["tokens", ...args, "--json"]);
  expect({ code, stderr: stderr.replace(LOADED, "") }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as TokenReport;
}

let office: Promise<TokenReport> | undefined;

/** Counts the office once for all tests, because each process loads the tokenizer. */
function countOffice(): Promise<TokenReport> {
  return (office ??= count(OFFICE));
}

async function listed(...args: readonly string[]): Promise<readonly Definition[]> {
  const { stdout } = await tenonInProcess(["list", ...args, "--json"]);
  return (JSON.parse(stdout) as { readonly tools: readonly Definition[] }).tools;
}

describe("the counts of tenon tokens", () => {
  test("are those of the tokenizer for the definitions that the server lists", async () => {
    const [report, tools] = [await countOffice(), await listed(OFFICE)];
    expect(report.tools.map(({ name, tokens }) => ({ name, tokens }))).toEqual(
      tools.map((tool) => ({ name: tool.name, tokens: costOf(tool) })),
    );
    const instructions = countTokens("Search before you purge. Never ban a user without a reason.");
    expect(report.instructions).toBe(instructions);
    expect(report.total).toBe(tools.reduce((sum, tool) => sum + costOf(tool), instructions));
    const search = tools.find(({ name }) => name === "search");
    expect(report.tools.find(({ name }) => name === "search")).toMatchObject({
      description: countTokens("Finds documents that contain all words"),
      inputSchema: countTokens(JSON.stringify(search?.inputSchema)),
      outputSchema: countTokens(JSON.stringify(search?.outputSchema)),
      other: countTokens('{"title":"Search documents","annotations":{"readOnlyHint":true}}'),
    });
    expect(report.prompts).toEqual([
      {
        name: "review",
        tokens: countTokens(
          '{"name":"review","description":"Reviews a document","arguments":[{"name":"title","description":"Title of the document","required":true}]}',
        ),
      },
    ]);
  });

  test("have a stable form in JSON", async () => {
    const report = await countOffice();
    expect(Object.keys(report)).toEqual([
      "server",
      "revision",
      "encoding",
      "view",
      "total",
      "instructions",
      "tools",
      "prompts",
      "views",
      "omittedViews",
    ]);
    expect(report).toMatchObject({
      server: { name: "office", version: "1.0.0" },
      encoding: "o200k_base",
      view: "as listed",
      omittedViews: 0,
    });
    for (const tool of report.tools) {
      expect(Object.keys(tool).slice(0, 6)).toEqual([
        "name",
        "tokens",
        "description",
        "inputSchema",
        "outputSchema",
        "other",
      ]);
    }
    expect((await tenonInProcess(["tokens", OFFICE, "--output", "json"])).stdout).toBe(
      `${JSON.stringify(report, null, 2)}\n`,
    );
  });

  test("are the same for a module, a program, and a URL", async () => {
    const program = [process.execPath, programFile("tenon"), "run", OFFICE];
    const [module, stdio, http] = [
      await countOffice(),
      await tenonInProcess(["tokens", "--json", "--", ...program]),
      await count(await serve(OFFICE)),
    ];
    const { views: _, ...same } = module;
    // Only a module shows the actions of its grouped tools.
    const tools = same.tools.map(({ actions: _actions, ...tool }) => tool);
    expect(http).toEqual({ ...same, tools, views: [] });
    expect(JSON.parse(stdio.stdout)).toEqual({ ...same, tools, views: [] });
  });

  test("work with servers of the official SDK, which have no views", async () => {
    const report = await count("sdk-v1-factory.mjs");
    expect(report).toMatchObject({ view: "as listed", views: [], tools: [{ name: "shout" }] });
    expect(report.total).toBe(costOf((await listed("sdk-v1-factory.mjs"))[0] as Definition));
  });
});

describe("the views of a module", () => {
  test("compare the list with one tool per action, and with what each scope and tag shows", async () => {
    const { views, total, tools } = await countOffice();
    expect(views.map(({ name, tools: number }) => [name, number])).toEqual([
      ["as listed", 3],
      ["one tool per action", 4],
      ["as listed, no scopes", 2],
      ["as listed, scope docs:admin", 3],
      ["as listed, scope users:write", 2],
      ["as listed, tag danger", 1],
      ["as listed, tag docs", 2],
    ]);
    expect(views[0]?.tokens).toBe(total);
    // Without the scope, the grouped tool does not describe the action.
    const users = tools.find(({ name }) => name === "users");
    expect(users?.actions?.map(({ name }) => name)).toEqual(["list", "ban"]);
    expect(views[2]?.tokens).toBeLessThan(views[4]?.tokens ?? 0);
  });

  test("can be selected: one tool per action", async () => {
    const report = await count(OFFICE, "--view", "flat");
    expect(report.view).toBe("one tool per action");
    expect(report.tools.map(({ name }) => name)).toEqual(["users_list", "users_ban", "search", "purge"]);
    const { tools, views } = await countOffice();
    const actions = tools.flatMap((tool) => tool.actions ?? []);
    expect(report.tools.slice(0, 2).map(({ tokens }) => tokens)).toEqual(actions.map(({ tokens }) => tokens));
    expect(report.total).toBe(views[1]?.tokens);
  });

  test.each<[readonly string[], string, readonly string[]]>([
    [["--scope", "users:write"], "as listed, scope users:write", ["users", "search"]],
    [
      ["--scope", "users:write,docs:admin"],
      "as listed, scopes docs:admin and users:write",
      ["users", "search", "purge"],
    ],
    [["--scope", "none", "--view", "flat"], "one tool per action, scope none", ["users_list", "search"]],
    [["--tags", "docs"], "as listed, tag docs", ["search", "purge"]],
    [["--tags", "docs danger"], "as listed, tags docs and danger", ["purge"]],
    [["--any-tag", "danger,other"], "as listed, any tag of danger, other", ["purge"]],
    [
      ["--tags", "docs", "--exclude-tag", "danger", "--view", "flat"],
      "one tool per action, tag docs, without tag danger",
      ["search"],
    ],
  ])("can be selected: %j", async (flags, view, names) => {
    const report = await count(OFFICE, ...flags);
    expect({ view: report.view, names: report.tools.map(({ name }) => name) }).toEqual({ view, names });
    expect(report.views.find(({ name }) => name === view)?.tokens).toBe(report.total);
  });

  test("require a module", async () => {
    const problem =
      "--view flat, --scope, --tags, --any-tag, and --exclude-tag require a module that exports a Tenon server. " +
      "For a URL, pass a token that has the scopes: --bearer-env <variable>\nRun tenon tokens --help for usage.\n";
    for (const target of ["sdk-v1-factory.mjs", "http://127.0.0.1:9"]) {
      const ended = await tenonInProcess(["tokens", target, "--scope", "a"]);
      expect(ended).toEqual({ code: 2, stdout: "", stderr: problem });
    }
  });
});

describe("limits for CI", () => {
  test("--max and --max-per-tool pass if nothing exceeds them", async () => {
    const { total, tools } = await countOffice();
    const most = Math.max(...tools.map(({ tokens }) => tokens));
    const flags = ["--max", String(total), "--max-per-tool", String(most)];
    expect(await tenon(["tokens", OFFICE, ...flags])).toMatchObject({ code: 0, stderr: LOADED });
  });

  test("print one line for each excess, and exit with code 1", async () => {
    const { total, tools } = await countOffice();
    const [users, search, purge] = tools.map(({ tokens }) => tokens) as [number, number, number];
    expect(Math.min(users, search)).toBeGreaterThan(purge);
    const flags = ["--max", String(total - 1), "--max-per-tool", String(purge)];
    const { code, stdout, stderr } = await tenon(["tokens", OFFICE, ...flags]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `${LOADED}The total is ${total} tokens, 1 more than --max ${total - 1}.\n` +
        `Tool "users" has ${users} tokens, ${users - purge} more than --max-per-tool ${purge}.\n` +
        `Tool "search" has ${search} tokens, ${search - purge} more than --max-per-tool ${purge}.\n`,
    });
    expect(stdout).toContain("Total");
  });

  test("apply to the selected view, and also with --json", async () => {
    const { views } = await countOffice();
    const max = String(views[0]?.tokens);
    expect((await tenonInProcess(["tokens", OFFICE, "--max", max])).code).toBe(0);
    expect((await tenonInProcess(["tokens", OFFICE, "--max", max, "--tags", "docs"])).code).toBe(0);
    const { code, stdout, stderr } = await tenonInProcess(["tokens", OFFICE, "--max", "0", "--json"]);
    expect(code).toBe(1);
    expect((JSON.parse(stdout) as TokenReport).total).toBeGreaterThan(0);
    expect(stderr).toMatch(/The total is \d+ tokens, \d+ more than --max 0\.\n$/);
  });
});

describe("--baseline", () => {
  const write = (report: unknown) => {
    const file = `${temporaryFolder()}/tokens.json`;
    writeFileSync(file, typeof report === "string" ? report : JSON.stringify(report));
    return file;
  };

  test("prints what has changed since the stored result", async () => {
    const report = await countOffice();
    const [users, ...others] = report.tools;
    const old = { name: "fax", tokens: 30 };
    const file = write({
      ...report,
      total: report.total - 7,
      tools: [{ ...users, tokens: (users?.tokens ?? 0) + 1_200 }, ...others.slice(1), old],
    });
    const { stdout } = await tenonInProcess(["tokens", OFFICE, "--baseline", file]);
    const [search] = others;
    expect(stdout.slice(stdout.indexOf("Change since"))).toBe(
      `Change since ${file}: +7 tokens (${report.total - 7} before, ${report.total} now)\n` +
        `  fax: -30 (removed)\n  search: +${search?.tokens} (new)\n  users: -1,200\n`,
    );
    const json = await tenonInProcess(["tokens", OFFICE, "--baseline", file, "--json"]);
    expect((JSON.parse(json.stdout) as { readonly baseline: unknown }).baseline).toMatchObject({
      before: report.total - 7,
      after: report.total,
      tools: [
        { name: "fax", before: 30, after: null },
        { name: "search", before: null, after: search?.tokens },
        { name: "users" },
      ],
    });
  });

  test("reports that nothing has changed", async () => {
    const file = write(`\ufeff${(await tenonInProcess(["tokens", OFFICE, "--json"])).stdout}`);
    const { code, stdout } = await tenonInProcess(["tokens", OFFICE, "--baseline", file]);
    expect({ code, end: stdout.split("\n").slice(-2) }).toEqual({
      code: 0,
      end: [`No change since ${file}`, ""],
    });
  });

  test.each([
    ["{", "is not a report from tenon tokens --json."],
    ["[]", "is not a report from tenon tokens --json."],
    [{ total: 1, encoding: "o200k_base", view: "as listed", tools: [{}] }, "is not a report from"],
    [
      { total: 1, encoding: "p50k_base", view: "as listed", tools: [] },
      'has a different encoding ("p50k_base") than this count ("o200k_base"). Count both in the same way.',
    ],
    [{ total: 1, encoding: "o200k_base", view: "flat", tools: [] }, 'has a different view ("flat") than'],
  ])("rejects %j", async (content, problem) => {
    const file = write(content);
    const { code, stdout, stderr } = await tenonInProcess(["tokens", OFFICE, "--baseline", file]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.replace(LOADED, "")).toContain(`"${file}" ${problem}`);
  });

  test("reports a missing file before the server is started", async () => {
    expect(await tenonInProcess(["tokens", OFFICE, "--baseline", "nowhere.json"])).toEqual({
      code: 1,
      stdout: "",
      stderr: 'Could not read "nowhere.json". Create it with: tenon tokens … --json > nowhere.json\n',
    });
  });
});

describe("the output of tenon tokens", () => {
  test("is a table in a pipe, sorted by cost, without block characters", async () => {
    const { stdout } = await tenonInProcess(["tokens", OFFICE], { env: { LANG: "en_US.UTF-8" } });
    const lines = stdout.split("\n");
    expect(lines[0]).toMatch(/^office 1\.0\.0 \(\d{4}-\d\d-\d\d\), as listed$/);
    expect(lines[3]).toMatch(/^Tool +Tokens +Share$/);
    expect(lines.slice(4, 7).map((line) => line.split(/ +/)[0])).toEqual(["users", "search", "purge"]);
    expect(lines[4]).toMatch(/^users +\d+ +\d+\.\d% {2}#{40}$/);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    expect(stdout).not.toMatch(/[█▏]/);
    expect(stdout).not.toContain("\u001b");
    expect(stdout.replaceAll("\n", " ")).toMatch(
      / Not in the total: 1 prompt \(\d+\); output schemas \(\d+\); titles, annotations/m,
    );
    expect(stdout).toMatch(/^one tool per action +\d+ +4 {2}#+$/m);
  });

  test("has block characters and fits the width on a UTF-8 terminal", async () => {
    const terminal = { columns: 44, env: { LANG: "en_US.UTF-8" } };
    const { code, output } = await onTerminal(["tokens", OFFICE], terminal);
    expect(code).toBe(0);
    const lines = plain(output).replace(LOADED, "").split("\n");
    expect(lines.find((line) => line.startsWith("users "))).toMatch(/█$/);
    const table = lines.slice(
      lines.findIndex((line) => line.startsWith("Tool ")),
      -1,
    );
    expect(Math.max(...table.filter((line) => !line.startsWith("Not in")).map((line) => line.length))).toBe(
      43,
    );
  });

  test("--sort, --top, and --actions change the table", async () => {
    const { stdout } = await tenonInProcess(["tokens", OFFICE, "--sort", "name", "--top", "2"]);
    expect(stdout).toMatch(
      /Share\npurge .*\nsearch .*\n\(1 more tool\) .*\n3 tools .*\nInstructions .*\nTotal /,
    );
    const { stdout: actions } = await tenonInProcess(["tokens", OFFICE, "--actions"]);
    expect(actions).toMatch(/\nusers .*\n {2}list +\d+\n {2}ban +\d+\nsearch /);
  });

  test("describes a server that offers nothing", async () => {
    const { code, stdout } = await tenonInProcess(["tokens", `${OFFICE}:empty`]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^empty 1\.0\.0 .*\n.*\n\nThis server does not offer tools or instructions\.\n$/);
  });

  test("does not pass control characters or special tokens of a server on", async () => {
    const program = [process.execPath, `${FOLDER}/hostile-program.mjs`];
    const { code, stdout, stderr } = await tenonInProcess([
      "tokens",
      "--max-per-tool",
      "20",
      "--",
      ...program,
    ]);
    expect(code).toBe(1);
    // eslint-disable-next-line no-control-regex -- matches the characters that must not appear
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(stdout).toMatch(/^\[31mhostile \(2024-11-05\), as listed\n/);
    expect(stdout).toContain("\n]0;owned[2Jred line ");
    expect(stdout.match(/^\(no name\) /gm)).toHaveLength(2);
    expect(stderr).toMatch(/^Tool "long" has [\d,]+ tokens, [\d,]+ more than --max-per-tool 20\.\n/m);
  });
});

describe("the guide", () => {
  const guide = readFileSync(`${ROOT}/docs/tokens.md`, "utf8");
  const blocks = (kind: string) =>
    [...guide.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\`$`, "gms"))].map(([, code = ""]) => code);

  test("shows what the command prints for its example", async () => {
    mkdirSync(`${ROOT}/.tmp`, { recursive: true });
    const cwd = mkdtempSync(`${ROOT}/.tmp/tokens-`); // inside the project, so that the example can import packages
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    writeFileSync(`${cwd}/office.ts`, blocks("ts")[0] ?? "");
    const run = (...flags: readonly string[]) => tenonInProcess(["tokens", "office.ts", ...flags], { cwd });
    const [table, excess] = blocks("console");
    expect(table).toBe(`$ npx tenon tokens office.ts\n${(await run()).stdout}`);
    const flags = ["--max", "100", "--max-per-tool", "60"];
    const { code, stderr } = await run(...flags);
    expect(code).toBe(1);
    expect(excess).toBe(`$ npx tenon tokens office.ts ${flags.join(" ")} > /dev/null\n${stderr}`);
  });
});

describe("an invalid command line", () => {
  test.each([
    [["--max", "many"], '--max must be an integer from 0 to 999999999; got "many".'],
    [["--max", "-1"], "--max requires a value."],
    [["--max-per-tool", "1.5"], '--max-per-tool must be an integer from 0 to 999999999; got "1.5".'],
    [["--top", "0"], '--top must be an integer from 1 to 999999999; got "0".'],
    [["--sort", "size"], '--sort must be one of tokens, name; got "size".'],
    [["--view", "tree"], '--view must be one of listed, flat; got "tree".'],
    [["--scopes", "a"], "Unknown flag --scopes. Did you mean --scope?"],
    [["--timeout", "soon"], '--timeout must be a number of seconds greater than 0; got "soon".'],
    [["-s", "x.ts"], "The server is specified twice. Use either the argument or --server."],
  ])("%j is reported", async (flags, problem) => {
    expect(await tenonInProcess(["tokens", OFFICE, ...flags])).toEqual({
      code: 2,
      stdout: "",
      stderr: `${problem}\nRun tenon tokens --help for usage.\n`,
    });
  });

  test("without a server is reported", async () => {
    const { code, stderr } = await tenonInProcess(["tokens"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^No server specified\. /);
  });
});

/** Serves a module over HTTP until the test ends, and returns its address. */
async function serve(file: string): Promise<string> {
  const server = startTenon(["run", file, "--port", "0"]);
  onTestFinished(() => void server.kill());
  let printed = "";
  for await (const text of server.stderr.setEncoding("utf8")) {
    printed += text as string;
    const [, url] = /Serving (http:\S+)\n/.exec(printed) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`The server did not start: ${printed}`);
}
