import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { fixtures, programFile, temporaryFolder, tenon } from "../../../../tests/support/program.js";

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
}

/** Creates a home folder with the given files. */
function homeWith(files: Readonly<Record<string, string>> = {}): string {
  const home = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text, { mode: 0o600 });
  }
  return home;
}

const read = (...path: string[]) => readFileSync(join(...path), "utf8");
const readEntries = (...path: string[]) =>
  (JSON.parse(read(...path)) as { readonly mcpServers: Readonly<Record<string, Entry>> }).mcpServers;
const see = (command: string) => `Run tenon ${command} --help for usage.\n`;

/** Runs `tenon` with a home folder, in a working directory that is not the home folder. */
const run = (home: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  tenon(args, { cwd: fixtures(), env: { HOME: home, ...env } });

describe("tenon install", () => {
  test("a module is written with absolute paths, and starts from another folder", async () => {
    const home = homeWith({ ".cursor/extensions.json": "{}" });
    const file = join(home, ".cursor/mcp.json");
    const { code, stdout, stderr } = await run(home, [
      "install",
      "cursor",
      "calculator.mjs",
      "--name",
      "calc",
    ]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "Next step: Restart Cursor, and check in its MCP settings that the server is turned on.\n",
    });
    expect(stdout).toMatch(new RegExp(`^Added "calc" to Cursor: ${file}\\n\\{\\n  "type": "stdio",`));
    const { calc } = readEntries(file);
    expect(calc).toEqual({
      type: "stdio",
      command: process.execPath,
      args: [expect.stringMatching(/[\\/]dist[\\/]main\.js$/), "run", join(fixtures(), "calculator.mjs")],
    });
    const words = ["list", "--", calc?.command ?? "", ...(calc?.args ?? [])];
    const listed = await tenon(words, { cwd: "/" });
    expect(listed.stdout).toContain("Tools (");
    expect(listed.code).toBe(0);
  });

  test("outside a project, the running copy of the command line is used", async () => {
    const home = homeWith({ "shop/server.mjs": "", ".claude.json": "{}" });
    const cwd = join(home, "shop");
    await tenon(["install", "claude-code", "server.mjs"], { cwd, env: { HOME: home } });
    expect(readEntries(home, ".claude.json")["server"]).toEqual({
      type: "stdio",
      command: process.execPath,
      args: [programFile("tenon"), "run", join(cwd, "server.mjs")],
    });
  });

  test("a second run changes nothing and says so", async () => {
    const home = homeWith({ ".gemini/settings.json": '{\n  // mine\n  "theme": "dark"\n}\n' });
    const file = join(home, ".gemini/settings.json");
    const words = ["install", "gemini", "https://example.com/mcp"];
    expect((await run(home, words)).code).toBe(0);
    const [text, { mtimeMs }] = [read(file), statSync(file)];
    expect(text).toBe(
      '{\n  // mine\n  "theme": "dark",\n  "mcpServers": {\n    "example": {\n      "httpUrl": "https://example.com/mcp"\n    }\n  }\n}\n',
    );
    expect(await run(home, words)).toEqual({
      code: 0,
      stdout: `Nothing to change: "example" is already in Gemini CLI: ${file}\n`,
      stderr: "",
    });
    expect(read(file)).toBe(text);
    expect(statSync(file).mtimeMs).toBe(mtimeMs);
    expect(readdirSync(dirname(file))).toHaveLength(2);
  });

  test("--dry-run shows a diff, and writes nothing", async () => {
    const home = homeWith({ ".cursor/mcp.json": '{\n  "mcpServers": {}\n}\n' });
    const words = ["install", "cursor", "--dry-run", "--name", "a", "--env", "KEY=s3cret", "--", "npx", "a"];
    const { code, stdout, stderr } = await run(home, words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "This was a dry run. Nothing was written.\n" });
    expect(stdout).toContain(`+++ ${join(home, ".cursor/mcp.json")}\n@@ -2,1 +2,`);
    expect(stdout).toContain('+        "KEY": "[REDACTED]"\n');
    expect(stdout).not.toContain("s3cret");
    expect(read(home, ".cursor/mcp.json")).toBe('{\n  "mcpServers": {}\n}\n');
    expect(readdirSync(join(home, ".cursor"))).toEqual(["mcp.json"]);
  });

  test("goose: a program is added to the YAML file, and comments stay", async () => {
    const before = "# my settings\nGOOSE_MODEL: x   # fast\nextensions:\n  developer:\n    enabled: true\n";
    const home = homeWith({ ".config/goose/config.yaml": before });
    const words = ["install", "goose", "--env", "KEY", "--", "npx", "some-server", "--flag"];
    const { code, stdout, stderr } = await run(home, words, { KEY: "s3cret" });
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain("s3cret");
    const after = read(home, ".config/goose/config.yaml");
    expect(after.startsWith(before)).toBe(true);
    expect(parse(after)).toMatchObject({
      extensions: {
        "some-server": {
          enabled: true,
          type: "stdio",
          cmd: "npx",
          args: ["some-server", "--flag"],
          envs: { KEY: "s3cret" },
        },
      },
    });
  });

  test("--scope project writes into the current folder, without a check of the client", async () => {
    const home = homeWith();
    const cwd = temporaryFolder();
    const words = ["install", "vscode", "https://example.com/mcp", "--scope", "project"];
    const secret = ["--header", "Authorization: Bearer s3cret-token"];
    const { code, stdout, stderr } = await tenon([...words, ...secret], { cwd, env: { HOME: home } });
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain("s3cret");
    expect(stderr).toContain("The file contains the values of --env or --header. Do not commit it.\n");
    expect(JSON.parse(read(cwd, ".vscode/mcp.json"))).toEqual({
      servers: {
        example: {
          type: "http",
          url: "https://example.com/mcp",
          headers: { Authorization: "Bearer s3cret-token" },
        },
      },
    });
    expect(statSync(join(cwd, ".vscode/mcp.json")).mode & 0o777).toBe(0o600);
    expect(readdirSync(home)).toEqual([]);
  });

  test("a different server of the same name is replaced only with --force, and a backup is kept", async () => {
    const before = '{ "mcpServers": { "a": { "command": "old", "disabled": true } } }';
    const home = homeWith({ ".cursor/mcp.json": before });
    const words = ["install", "cursor", "--name", "a"];
    const first = await run(home, [...words, "--", "new"]);
    expect(first.code).toBe(1);
    expect(first.stderr).toContain('Cursor already has a different server named "a"');
    expect(read(home, ".cursor/mcp.json")).toBe(before);
    const second = await run(home, [...words, "--force", "--", "new"]);
    expect(second.code).toBe(0);
    expect(second.stdout).toContain('Replaced "a" in Cursor');
    expect(readEntries(home, ".cursor/mcp.json")["a"]).toEqual({
      disabled: true,
      type: "stdio",
      command: "new",
      args: [],
    });
    const [, backup = ""] = /^Backup: (.*)$/m.exec(second.stderr) ?? [];
    expect(readFileSync(backup, "utf8")).toBe(before);
  });

  test("a client that is not installed is reported, and --force creates its folder", async () => {
    const home = homeWith();
    const words = ["install", "cursor", "https://example.com/mcp"];
    expect(await run(home, words)).toEqual({
      code: 1,
      stdout: "",
      stderr:
        `Cursor does not seem to be installed, because "${join(home, ".cursor")}" does not exist. ` +
        "Start Cursor once, and run the command again. To create the folder now, pass --force.\n",
    });
    expect(readdirSync(home)).toEqual([]);
    expect((await run(home, [...words, "--force"])).code).toBe(0);
    expect(existsSync(join(home, ".cursor/mcp.json"))).toBe(true);
  });

  test("a file that is not valid is reported with the place, and is not touched", async () => {
    const before = '{\n  "mcpServers": {\n    "a": {} "b": {}\n  }\n}\n';
    const home = homeWith({ ".claude.json": before });
    const { code, stdout, stderr } = await run(home, ["install", "claude-code", "https://example.com/mcp"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr:
        `Could not change "${join(home, ".claude.json")}", line 3, column 13: Expected a comma. ` +
        "The file was left as it is.\n",
    });
    expect(read(home, ".claude.json")).toBe(before);
    expect(readdirSync(home)).toEqual([".claude.json"]);
  });

  test("a file that others can read is reported if it gets secrets", async () => {
    const home = homeWith({ ".cursor/mcp.json": "{}" });
    chmodSync(join(home, ".cursor/mcp.json"), 0o644);
    const { stderr } = await run(home, ["install", "cursor", "--env", "KEY=s3cret", "--", "srv"]);
    expect(stderr).toContain("Other users of this machine may read");
    expect(statSync(join(home, ".cursor/mcp.json")).mode & 0o777).toBe(0o644);
  });

  test("--json prints one object without secrets", async () => {
    const home = homeWith({ ".cursor/mcp.json": "{}" });
    writeFileSync(join(home, "vars"), "KEY=s3cret\n");
    const words = ["install", "cursor", "--json", "--env-file", join(home, "vars"), "--", "srv", "x"];
    const { code, stdout, stderr } = await run(home, words);
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain("s3cret");
    expect(JSON.parse(stdout)).toEqual({
      client: "cursor",
      name: "srv",
      scope: "user",
      file: join(home, ".cursor/mcp.json"),
      action: "added",
      dryRun: false,
      backup: expect.stringMatching(/mcp\.json\.\d{8}T\d{6}Z\.bak$/),
      entry: { type: "stdio", command: "srv", args: ["x"], env: { KEY: "[REDACTED]" } },
      nextStep: "Restart Cursor, and check in its MCP settings that the server is turned on.",
    });
    expect(read(home, ".cursor/mcp.json")).toContain('"KEY": "s3cret"');
  });

  test("json prints a snippet, and writes it with --file", async () => {
    const home = homeWith();
    const words = ["install", "json", "--name", "a", "--env", "KEY=s3cret"];
    expect(await run(home, [...words, "--", "srv"])).toEqual({
      code: 0,
      stdout: `${JSON.stringify(
        { mcpServers: { a: { type: "stdio", command: "srv", args: [], env: { KEY: "[REDACTED]" } } } },
        null,
        2,
      )}\n`,
      stderr: "Values of --env and --header are not printed. Write them to a file with --file mcp.json.\n",
    });
    const file = join(home, "mcp.json");
    expect((await run(home, [...words, "--file", file, "--", "srv"])).code).toBe(0);
    expect(readEntries(file)["a"]).toMatchObject({ env: { KEY: "s3cret" } });
  });

  test("several processes at the same time do not lose a server", async () => {
    const home = homeWith({ ".cursor/mcp.json": "{}" });
    const names = ["a", "b", "c", "d", "e"];
    const ended = await Promise.all(
      names.map((name) => run(home, ["install", "cursor", "--name", name, "--", "srv", name])),
    );
    expect(ended.map(({ code }) => code)).toEqual(names.map(() => 0));
    expect(Object.keys(readEntries(home, ".cursor/mcp.json")).toSorted()).toEqual(names);
    expect(readdirSync(join(home, ".cursor")).filter((name) => name.endsWith("tenon-new"))).toEqual([]);
  });

  test.each<[readonly string[], string]>([
    [["install"], "tenon install requires the argument <client>."],
    [
      ["install", "curser", "a.mjs"],
      'Unknown client "curser". Did you mean cursor? The clients are: claude-code, claude-desktop, cursor, vscode, gemini, goose, json.',
    ],
    [["install", "cursor"], "No server specified. Pass a file or a URL, or a program after --."],
    [
      ["install", "cursor", "calculater.mjs"],
      'File "calculater.mjs" not found. Did you mean calculator.mjs?',
    ],
    [["install", "cursor", "a", "b"], 'Unexpected argument "b".'],
    [["install", "cursor", "--remove"], "Unknown flag --remove. Use: tenon uninstall <client> <name>"],
    [
      ["install", "goose", "calculator.mjs", "--scope", "project"],
      "goose has only one configuration file, for all projects. Omit --scope.",
    ],
    [
      ["install", "cursor", "calculator.mjs", "--scope", "global"],
      '--scope must be one of user, project; got "global".',
    ],
    [
      ["install", "cursor", "calculator.mjs", "--scope", "user", "--file", "x"],
      "--scope and --file cannot be used together.",
    ],
    [
      ["install", "json", "calculator.mjs", "--scope", "user"],
      "The client json does not have scopes. Pass the path of a file with --file.",
    ],
    [
      ["install", "claude-desktop", "https://example.com/mcp"],
      "Claude Desktop starts only stdio servers from its configuration file. Add a public https server in " +
        "Claude Desktop under Settings > Connectors. For other servers, install a bridge: " +
        "tenon install claude-desktop -- npx -y mcp-remote <url>",
    ],
    [
      ["install", "cursor", "--name", "a.b", "--", "srv"],
      "--name must start with a letter or a digit, and consist of letters, digits, hyphens, and underscores " +
        '(limit: 64 characters); got "a.b".',
    ],
    [["uninstall", "cursor"], "tenon uninstall requires the argument <name>."],
    [
      ["uninstall", "json", "a"],
      "The client json does not have a file of its own. Pass the path with --file.",
    ],
  ])("%j is reported in one line, with exit code 2", async (args, problem) => {
    const home = homeWith({ ".cursor/mcp.json": "{}", ".config/goose/config.yaml": "" });
    expect(await run(home, args)).toEqual({
      code: 2,
      stdout: "",
      stderr: `${problem}\n${see(args[0] ?? "")}`,
    });
    expect(read(home, ".cursor/mcp.json")).toBe("{}");
  });
});

describe("tenon uninstall", () => {
  test.each<[client: string, file: string, original: string]>([
    ["cursor", ".cursor/mcp.json", "{ }"],
    ["claude-code", ".claude.json", '{"numStartups":3,"mcpServers":{}}'],
    ["vscode", ".config/Code/User/mcp.json", '{\r\n\t// mine\r\n\t"servers": {\r\n\t},\r\n}\r\n'],
    ["gemini", ".gemini/settings.json", '{\n    "theme": "dark" // x\n}'],
    ["goose", ".config/goose/config.yaml", "# x\nextensions:   {}   # none\nGOOSE_MODEL: 'y'\n"],
    ["claude-desktop", ".config/Claude/claude_desktop_config.json", "\n"],
  ])("%s: the file gets its old bytes back", async (client, file, original) => {
    const home = homeWith({ [file]: original });
    const installed = await run(home, ["install", client, "--name", "a", "--env", "K=s3cret", "--", "srv"]);
    expect({ code: installed.code, stderr: installed.stderr }).toMatchObject({ code: 0 });
    expect(read(home, file)).not.toBe(original);
    const { code, stdout, stderr } = await run(home, ["uninstall", client, "a"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Removed "a" from .*\n$/);
    expect(stdout + stderr).not.toContain("s3cret");
    expect(stderr).toMatch(/^Backup: .*\nNext step: Restart [\w ]+\.\n$/);
    expect(read(home, file)).toBe(original);
  });

  test("an unknown name changes nothing, and the closest one is suggested", async () => {
    const text = '{"mcpServers":{"notes":{"command":"x"}}}';
    const home = homeWith({ ".cursor/mcp.json": text });
    expect(await run(home, ["uninstall", "cursor", "nots"])).toEqual({
      code: 0,
      stdout: `Nothing to remove: no server named "nots" in Cursor: ${join(home, ".cursor/mcp.json")}\n`,
      stderr: "Did you mean notes?\n",
    });
    expect(read(home, ".cursor/mcp.json")).toBe(text);
  });

  test("without a configuration file, nothing is created", async () => {
    const home = homeWith();
    const { code, stdout } = await run(home, ["uninstall", "goose", "a"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Nothing to remove");
    expect(readdirSync(home)).toEqual([]);
  });

  test("--dry-run shows the removed lines without secrets", async () => {
    const text = '{\n  "mcpServers": {\n    "a": {\n      "env": { "K": "s3cret" }\n    }\n  }\n}\n';
    const home = homeWith({ ".cursor/mcp.json": text });
    const { stdout } = await run(home, ["uninstall", "cursor", "a", "--dry-run"]);
    expect(stdout).toContain('-      "env": { "K": "[REDACTED]" }\n');
    expect(stdout).not.toContain("s3cret");
    expect(read(home, ".cursor/mcp.json")).toBe(text);
  });
});
