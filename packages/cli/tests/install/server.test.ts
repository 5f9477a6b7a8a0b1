import { describe, expect, test } from "vitest";
import { findClient } from "../../src/install/locate-config.js";
import { findLauncher } from "../../src/install/context.js";
import { parseEnvPairs, parseHeaderPairs } from "../../src/install/server/pairs.js";
import { resolveServer, type ServerWords } from "../../src/install/server/resolve-server.js";
import {
  assertServerName,
  nameOfProgram,
  nameOfUrl,
  toServerName,
} from "../../src/install/server/server-name.js";
import { toStartableServer } from "../../src/install/install-server.js";
import type { Machine, StdioServer } from "../../src/install/types.js";
import { contextOf, filesOf, MACHINES } from "../support/install/machines.js";

const words = (given: Partial<ServerWords>): ServerWords => ({
  target: undefined,
  program: undefined,
  env: {},
  headers: {},
  ...given,
});

const SHOP = {
  "/home/ada/shop/package.json": '{"name":"@ada/shop-tools"}',
  "/home/ada/shop/src/server.ts": "",
  "/home/ada/shop/dist/server.js": "",
  "/home/ada/shop/bin/serve": "",
};
const linux = contextOf(MACHINES.linux, SHOP);

describe("servers", () => {
  test("a module starts with absolute paths, from any folder", async () => {
    expect(await resolveServer(words({ target: "src/server.ts", env: { A: "1" } }), linux)).toEqual({
      server: {
        kind: "stdio",
        command: "/usr/bin/node",
        args: ["/usr/lib/node_modules/@tenon/cli/dist/main.js", "run", "/home/ada/shop/src/server.ts"],
        env: { A: "1" },
      },
      name: "shop-tools",
      notes: [],
    });
  });

  test("a module on Windows has Windows paths", async () => {
    const context = contextOf(MACHINES.win32, { "C:\\Users\\ada\\shop\\src\\server.ts": "" });
    const { server, name } = await resolveServer(words({ target: "src/server.ts:admin" }), context);
    expect(server).toMatchObject({
      command: "C:\\Program Files\\nodejs\\node.exe",
      args: [
        "C:\\npm\\node_modules\\@tenon\\cli\\dist\\main.js",
        "run",
        "C:\\Users\\ada\\shop\\src\\server.ts:admin",
      ],
    });
    expect(name).toBe("server-admin");
  });

  test("the name of an export becomes part of the arguments and of the name", async () => {
    const { server, name } = await resolveServer(words({ target: "src/server.ts:admin" }), linux);
    expect(server).toMatchObject({ args: [expect.any(String), "run", "/home/ada/shop/src/server.ts:admin"] });
    expect(name).toBe("shop-tools-admin");
  });

  test("a program keeps its words, except paths of files", async () => {
    const program = ["node", "dist/server.js", "--config", "src", "-x", "dist/none.js", "@a/b"];
    const { server, name, notes } = await resolveServer(words({ program }), linux);
    expect(server).toEqual({
      kind: "stdio",
      command: "node",
      args: ["/home/ada/shop/dist/server.js", "--config", "src", "-x", "dist/none.js", "@a/b"],
      env: {},
    });
    expect(name).toBe("server");
    expect(notes).toEqual([
      'Wrote "dist/server.js" as an absolute path, because clients start servers in any folder.',
    ]);
    const own = await resolveServer(words({ program: ["./bin/serve"] }), linux);
    expect(own.server).toMatchObject({ command: "/home/ada/shop/bin/serve", args: [] });
  });

  test("a URL keeps its path and query, but not its fragment", async () => {
    const target = "https://mcp.example.com/mcp?team=a#x";
    expect(await resolveServer(words({ target, headers: { "X-A": "1" } }), linux)).toEqual({
      server: { kind: "http", url: "https://mcp.example.com/mcp?team=a", headers: { "X-A": "1" } },
      name: "example",
      notes: [],
    });
  });

  test("headers without encryption are reported, except to this machine", async () => {
    const headers = { "X-A": "1" };
    const far = await resolveServer(words({ target: "http://example.com/mcp", headers }), linux);
    expect(far.notes).toEqual([
      "The URL does not use https, so the client sends the headers without encryption.",
    ]);
    const near = await resolveServer(words({ target: "http://127.0.0.1:3000/mcp", headers }), linux);
    expect(near.notes).toEqual([]);
  });

  test.each<[Partial<ServerWords>, string]>([
    [{}, "No server specified. Pass a file or a URL, or a program after --."],
    [
      { target: "a.ts", program: ["b"] },
      "More than one server specified. Pass either a file or URL, or a program after --.",
    ],
    [
      { target: "https://example.com", env: { A: "1" } },
      "--env and --env-file require a stdio server. Use --header for a URL.",
    ],
    [
      { target: "src/server.ts", headers: { A: "1" } },
      "--header requires an http or https URL as the server.",
    ],
    [{ program: ["x"], headers: { A: "1" } }, "--header requires an http or https URL as the server."],
    [{ target: "http://[x" }, "The server's URL is not valid. Pass a URL such as https://example.com/mcp."],
    [
      { target: "https://u:s3cret@example.com/mcp" },
      "The server's URL must not contain a user name or password. Use --header instead.",
    ],
    [{ target: "src/servr.ts" }, 'File "src/servr.ts" not found. Did you mean server.ts?'],
    [{ target: "src" }, '"src" is not a file. Pass a module such as src/server.ts.'],
    [{ target: "npx" }, 'File "npx" not found. To install a program, put it after --: -- npx'],
    [{ program: [" "] }, 'Add a program after "--".'],
  ])("%j is rejected", async (given, message) => {
    await expect(resolveServer(words(given), linux)).rejects.toThrow(
      expect.objectContaining({ message, exitCode: 2 }),
    );
  });
});

describe("names", () => {
  test.each<[readonly string[], string | undefined]>([
    [["npx", "-y", "@acme/some-server@1.2.3", "--flag"], "some-server"],
    [["npx", "some-server"], "some-server"],
    [["pnpm", "dlx", "thing"], "thing"],
    [["uvx", "mcp-server-git"], "mcp-server-git"],
    [["node", "/a/b/index.mjs"], "index"],
    [["python3", "-m", "my_server"], "my_server"],
    [["/opt/bin/My Server.exe"], "my-server"],
    [["npx"], "npx"],
    [["..."], undefined],
  ])("%j: %s", (program, name) => {
    expect(nameOfProgram(program, MACHINES.linux)).toBe(name);
  });

  test.each([
    ["https://example.com/mcp", "example"],
    ["https://mcp.linear.app/mcp", "linear"],
    ["https://mcp.app/", "mcp"],
    ["https://tools.example.co.uk/", "tools-example-co"],
    ["http://localhost:3000/mcp", "localhost"],
    ["http://127.0.0.1:3000/", "127-0-0-1"],
    ["http://[::1]:3000/", "1"],
  ])("%s: %s", (url, name) => {
    expect(nameOfUrl(new URL(url))).toBe(name);
  });

  test("a derived name is always valid", () => {
    for (const text of ["Ünï cödé", "a".repeat(500), "__x__", "-a-", "a/../b"]) {
      const name = toServerName(text) ?? "";
      expect(() => assertServerName(name)).not.toThrow();
    }
  });

  test.each(["", "-a", "_a", "a b", "a.b", "a/b", "__proto__", "é", "a".repeat(65), "a\u001b[31m"])(
    "%j is rejected",
    (name) => {
      expect(() => assertServerName(name)).toThrow("--name must start with a letter or a digit");
    },
  );
});

describe("the command that runs tenon", () => {
  const installation = { node: "/usr/bin/node", root: "/usr/lib/node_modules/@tenon/cli", version: "1.2.3" };
  const find = (texts: Readonly<Record<string, string>>, given = {}, machine: Machine = MACHINES.linux) =>
    findLauncher("/home/ada/shop/src", {
      installation: { ...installation, ...given },
      machine,
      files: filesOf(texts),
    });

  test("is the running copy by default", async () => {
    expect(await find({})).toEqual({
      command: "/usr/bin/node",
      args: ["/usr/lib/node_modules/@tenon/cli/dist/main.js"],
    });
  });

  test("is the project's copy if it has one", async () => {
    const main = "/home/ada/node_modules/@tenon/cli/dist/main.js";
    const root = "/home/ada/.npm/_npx/0123/node_modules/@tenon/cli";
    expect(await find({ [main]: "" }, { root })).toEqual({ command: "/usr/bin/node", args: [main] });
  });

  test("is npx if the copy is in its cache", async () => {
    const root = "/home/ada/.npm/_npx/0123/node_modules/@tenon/cli";
    expect(await find({}, { root })).toEqual({ command: "npx", args: ["-y", "@tenon/cli@1.2.3"] });
  });

  test("uses Homebrew's link, which survives an upgrade", async () => {
    const node = "/opt/homebrew/Cellar/node@22/22.1.0/bin/node";
    const link = "/opt/homebrew/opt/node@22/bin/node";
    expect((await find({ [link]: "" }, { node })).command).toBe(link);
    expect((await find({}, { node })).command).toBe(node);
  });
});

describe("scripts on Windows", () => {
  const stdio = (command: string, ...args: string[]): StdioServer => ({
    kind: "stdio",
    command,
    args,
    env: {},
  });

  test.each([
    ["npx", "cmd", ["/c", "npx", "-y"]],
    ["NPM", "cmd", ["/c", "NPM", "-y"]],
    ["C:\\tools\\a b.cmd", "cmd", ["/c", "C:\\tools\\a b.cmd", "-y"]],
    ["node", "node", ["-y"]],
    ["uvx", "uvx", ["-y"]],
    ["C:\\x\\npx.exe", "C:\\x\\npx.exe", ["-y"]],
  ])("%s starts as %s %j", (command, started, args) => {
    const server = toStartableServer(stdio(command, "-y"), findClient("cursor"), MACHINES.win32);
    expect(server).toMatchObject({ command: started, args });
  });

  test("other platforms, and clients that start scripts themselves, are not affected", () => {
    const server = stdio("npx", "a&b");
    expect(toStartableServer(server, findClient("cursor"), MACHINES.linux)).toBe(server);
    expect(toStartableServer(server, findClient("vscode"), MACHINES.win32)).toBe(server);
    expect(toStartableServer(server, findClient("gemini"), MACHINES.win32)).toBe(server);
  });

  test.each(["https://example.com/?a=1&b=2", "a|b", "%PATH%", 'a"b', "a^b", "a\nb"])(
    "%j would be interpreted by cmd, and is rejected",
    (word) => {
      expect(() =>
        toStartableServer(stdio("npx", "x", word), findClient("claude-code"), MACHINES.win32),
      ).toThrow('Word 3 of the program contains one of the characters & | < > ^ " %, which cmd interprets.');
    },
  );
});

describe("variables and headers", () => {
  const parse = (given: readonly string[], file?: string, env = {}) => parseEnvPairs({ given, file, env });

  test("variables come from flags, from the environment, and from a file", () => {
    expect(parse(["A=1", "B=a=b", "C=", "D"], "A=file\nE='x y'\n", { D: "from env" })).toEqual({
      A: "1",
      B: "a=b",
      C: "",
      D: "from env",
      E: "x y",
    });
  });

  test.each<[() => unknown, string]>([
    [() => parse(["s3cret value"]), "--env must have the form NAME=value, or NAME to copy a variable"],
    [() => parse(["1A=s3cret"]), "--env must have the form NAME=value"],
    [() => parse(["A"]), "Environment variable A is not set. Set it, or pass --env NAME=value."],
    [() => parse(["A=1", "A=2"]), "--env sets A more than once."],
    [() => parse(["A=s3cret\0"]), "--env: the value of A must not contain NUL characters"],
    [() => parse([`A=${"x".repeat(40_000)}`]), "(limit: 32768 characters)"],
    [() => parse([], "a-b=s3cret\n"), "--env-file contains an invalid name."],
    [() => parseHeaderPairs(["s3cret"]), '--header must have the form "Name: value".'],
    [() => parseHeaderPairs(["A: s3cret\r\nB: x"]), '--header must have the form "Name: value".'],
    [
      () => parseHeaderPairs(["Host: s3cret"]),
      "--header cannot set Host, because the protocol uses this header.",
    ],
    [() => parseHeaderPairs(["A: 1", "a: s3cret"]), "--header sets a more than once."],
  ])("%s is rejected without its value", (run, message) => {
    expect(run).toThrow(expect.objectContaining({ message: expect.stringContaining(message), exitCode: 2 }));
    expect(run).not.toThrow(/s3cret/);
  });

  test("headers keep their spelling", () => {
    expect(parseHeaderPairs(["Authorization: Bearer abc", "X-Team:docs"])).toEqual({
      Authorization: "Bearer abc",
      "X-Team": "docs",
    });
  });
});
