import { describe, expect, test } from "vitest";
import { type Client, CLIENTS } from "../../src/install/clients.js";
import { createEntry } from "../../src/install/install-server.js";
import { findClient, locateConfig } from "../../src/install/locate-config.js";
import { planInstall } from "../../src/install/plan.js";
import type { Machine, Server } from "../../src/install/types.js";
import {
  contextOf,
  fileOf,
  filesOf,
  MACHINES,
  type Platform,
  PLATFORMS,
} from "../support/install/machines.js";

const FLAGS = { name: undefined, scope: undefined, file: undefined, dryRun: false, force: false };

const STDIO: Server = {
  kind: "stdio",
  command: "npx",
  args: ["-y", "some-server"],
  env: { API_KEY: "k3y" },
};
const HTTP: Server = {
  kind: "http",
  url: "https://example.com/mcp",
  headers: { Authorization: "Bearer t0ken" },
};

/** Places on each platform: the user's file, and the project's file. */
const PLACES: Readonly<Record<string, Readonly<Record<Platform, readonly [string, string | undefined]>>>> = {
  "claude-code": {
    linux: ["/home/ada/.claude.json", "/home/ada/shop/.mcp.json"],
    darwin: ["/Users/ada/.claude.json", "/Users/ada/shop/.mcp.json"],
    win32: ["C:\\Users\\ada\\.claude.json", "C:\\Users\\ada\\shop\\.mcp.json"],
  },
  "claude-desktop": {
    linux: ["/home/ada/.config/Claude/claude_desktop_config.json", undefined],
    darwin: ["/Users/ada/Library/Application Support/Claude/claude_desktop_config.json", undefined],
    win32: ["C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json", undefined],
  },
  cursor: {
    linux: ["/home/ada/.cursor/mcp.json", "/home/ada/shop/.cursor/mcp.json"],
    darwin: ["/Users/ada/.cursor/mcp.json", "/Users/ada/shop/.cursor/mcp.json"],
    win32: ["C:\\Users\\ada\\.cursor\\mcp.json", "C:\\Users\\ada\\shop\\.cursor\\mcp.json"],
  },
  vscode: {
    linux: ["/home/ada/.config/Code/User/mcp.json", "/home/ada/shop/.vscode/mcp.json"],
    darwin: ["/Users/ada/Library/Application Support/Code/User/mcp.json", "/Users/ada/shop/.vscode/mcp.json"],
    win32: [
      "C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json",
      "C:\\Users\\ada\\shop\\.vscode\\mcp.json",
    ],
  },
  gemini: {
    linux: ["/home/ada/.gemini/settings.json", "/home/ada/shop/.gemini/settings.json"],
    darwin: ["/Users/ada/.gemini/settings.json", "/Users/ada/shop/.gemini/settings.json"],
    win32: ["C:\\Users\\ada\\.gemini\\settings.json", "C:\\Users\\ada\\shop\\.gemini\\settings.json"],
  },
  goose: {
    linux: ["/home/ada/.config/goose/config.yaml", undefined],
    darwin: ["/Users/ada/.config/goose/config.yaml", undefined],
    win32: ["C:\\Users\\ada\\AppData\\Roaming\\Block\\goose\\config\\config.yaml", undefined],
  },
};

const PLACE_ROWS = Object.entries(PLACES).flatMap(([client, rows]) =>
  PLATFORMS.flatMap((platform) =>
    (["user", "project"] as const).map(
      (scope, index) => [client, platform, scope, rows[platform][index]] as const,
    ),
  ),
);

describe("places", () => {
  test("every client with a file of its own is in the table", () => {
    const names = CLIENTS.map(({ name }) => name).filter((name) => name !== "json");
    expect(Object.keys(PLACES)).toEqual(names);
  });

  test.each(PLACE_ROWS)("%s on %s, %s scope: %s", async (name, platform, scope, path) => {
    const located = locateConfig(findClient(name), { scope, file: undefined }, contextOf(MACHINES[platform]));
    if (path === undefined) {
      await expect(located).rejects.toThrow(
        "has only one configuration file, for all projects. Omit --scope.",
      );
    } else {
      expect(await located).toMatchObject({ file: path, scope });
    }
  });

  test.each<[string, Platform, Readonly<Record<string, string>>, string]>([
    ["claude-code", "linux", { CLAUDE_CONFIG_DIR: "/work/claude" }, "/work/claude/.claude.json"],
    ["claude-code", "linux", { CLAUDE_CONFIG_DIR: "" }, "/home/ada/.claude.json"],
    ["claude-desktop", "linux", { XDG_CONFIG_HOME: "/x" }, "/x/Claude/claude_desktop_config.json"],
    ["claude-desktop", "win32", { APPDATA: "D:\\R" }, "D:\\R\\Claude\\claude_desktop_config.json"],
    [
      "claude-desktop",
      "win32",
      { APPDATA: "", LOCALAPPDATA: "" },
      "C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
    ],
    ["vscode", "linux", { XDG_CONFIG_HOME: "/x" }, "/x/Code/User/mcp.json"],
    ["vscode", "linux", { XDG_CONFIG_HOME: "relative" }, "/home/ada/.config/Code/User/mcp.json"],
    ["vscode", "linux", { VSCODE_APPDATA: "/data" }, "/data/Code/User/mcp.json"],
    ["vscode", "darwin", { VSCODE_PORTABLE: "/usb" }, "/usb/user-data/User/mcp.json"],
    [
      "vscode",
      "darwin",
      { XDG_CONFIG_HOME: "/x" },
      "/Users/ada/Library/Application Support/Code/User/mcp.json",
    ],
    ["gemini", "linux", { GEMINI_CLI_HOME: "/g" }, "/g/.gemini/settings.json"],
    ["goose", "darwin", { XDG_CONFIG_HOME: "/x" }, "/x/goose/config.yaml"],
    ["goose", "linux", { GOOSE_PATH_ROOT: "/g" }, "/g/config/config.yaml"],
    ["goose", "linux", { GOOSE_PATH_ROOT: "g" }, "/home/ada/.config/goose/config.yaml"],
    [
      "goose",
      "win32",
      { XDG_CONFIG_HOME: "C:\\x", APPDATA: "D:\\R" },
      "D:\\R\\Block\\goose\\config\\config.yaml",
    ],
  ])("%s on %s with %j: %s", async (name, platform, env, path) => {
    const machine: Machine = { ...MACHINES[platform], env };
    const located = await locateConfig(
      findClient(name),
      { scope: undefined, file: undefined },
      contextOf(machine),
    );
    expect(located.file).toBe(path);
  });

  test("the redirected folder of the Windows package is preferred if it exists", async () => {
    const folder =
      "C:\\Users\\ada\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude";
    const files = filesOf({ [`${folder}\\config.json`]: "{}" });
    const machine = MACHINES.win32;
    expect(
      await locateConfig(
        findClient("claude-desktop"),
        { scope: "user", file: undefined },
        { machine, files },
      ),
    ).toEqual({ file: `${folder}\\claude_desktop_config.json`, scope: "user", missing: undefined });
  });

  test.each<[string, string, string | undefined]>([
    ["cursor", "/home/ada/.cursor/extensions.json", undefined],
    ["cursor", "/home/ada/other", "/home/ada/.cursor"],
    ["claude-code", "/home/ada/.claude.json", undefined],
    ["claude-code", "/home/ada/.claude/settings.json", undefined],
    ["claude-code", "/home/ada/other", "/home/ada/.claude"],
    ["vscode", "/home/ada/.config/Code/User/settings.json", undefined],
    ["goose", "/home/ada/.config/other", "/home/ada/.config/goose"],
  ])("%s with %s: missing is %s", async (name, existing, missing) => {
    const context = contextOf(MACHINES.linux, { [existing]: "" });
    expect((await locateConfig(findClient(name), { scope: "user", file: undefined }, context)).missing).toBe(
      missing,
    );
  });

  test("--file is relative to the working directory, on every platform", async () => {
    for (const [platform, path] of [
      ["linux", "/home/ada/shop/a/mcp.json"],
      ["win32", "C:\\Users\\ada\\shop\\a\\mcp.json"],
    ] as const) {
      const context = contextOf(MACHINES[platform]);
      const located = await locateConfig(
        findClient("json"),
        { scope: undefined, file: "a/mcp.json" },
        context,
      );
      expect(located.file).toBe(path);
    }
  });
});

describe("names of clients", () => {
  test.each([
    ["cursr", 'Unknown client "cursr". Did you mean cursor? The clients are: claude-code, claude-desktop, '],
    ["claude", 'Unknown client "claude". Did you mean claude-code or claude-desktop? The clients are: '],
    ["constructor", 'Unknown client "constructor". The clients are: '],
  ])("%s", (name, message) => {
    expect(() => findClient(name)).toThrow(message);
  });
});

const env = { API_KEY: "k3y" };
const headers = { Authorization: "Bearer t0ken" };
const plain = { command: "npx", args: ["-y", "some-server"], env };
const wrapped = { command: "cmd", args: ["/c", "npx", "-y", "some-server"], env };

/** Entries for the two servers. The second stdio entry is for Windows. */
const ENTRIES: Readonly<Record<string, readonly [stdio: object, windows: object, http: object | undefined]>> =
  {
    "claude-code": [
      { type: "stdio", ...plain },
      { type: "stdio", ...wrapped },
      { type: "http", url: "https://example.com/mcp", headers },
    ],
    "claude-desktop": [plain, wrapped, undefined],
    cursor: [
      { type: "stdio", ...plain },
      { type: "stdio", ...wrapped },
      { url: "https://example.com/mcp", headers },
    ],
    vscode: [
      { type: "stdio", ...plain },
      { type: "stdio", ...plain },
      { type: "http", url: "https://example.com/mcp", headers },
    ],
    gemini: [plain, plain, { httpUrl: "https://example.com/mcp", headers }],
    json: [
      { type: "stdio", ...plain },
      { type: "stdio", ...wrapped },
      { type: "http", url: "https://example.com/mcp", headers },
    ],
  };

const JSON_ROWS = Object.keys(ENTRIES).flatMap((name) =>
  PLATFORMS.flatMap((platform) => [[name, platform, "stdio"] as const, [name, platform, "http"] as const]),
);

/** Returns the text of a new file after an installation. */
async function newFile(client: Client, platform: Platform, server: Server, name = "notes"): Promise<string> {
  const context = contextOf(MACHINES[platform]);
  const created = createEntry(client, { server, name }, { flags: FLAGS, context });
  const plan = await planInstall(fileOf(undefined), { client, force: false, ...created });
  expect(plan.action).toBe("added");
  return plan.text;
}

describe("contents of new files", () => {
  test.each(JSON_ROWS)("%s on %s over %s", async (name, platform, kind) => {
    const client = findClient(name);
    const [stdio, windows, http] = ENTRIES[name] ?? [];
    const entry = kind === "http" ? http : platform === "win32" ? windows : stdio;
    const text = newFile(client, platform, kind === "http" ? HTTP : STDIO);
    if (entry === undefined) {
      await expect(text).rejects.toThrow(
        "Claude Desktop starts only stdio servers from its configuration file. Add a public https server in " +
          "Claude Desktop under Settings > Connectors. For other servers, install a bridge: " +
          "tenon install claude-desktop -- npx -y mcp-remote <url>",
      );
      return;
    }
    const container = name === "vscode" ? "servers" : "mcpServers";
    expect(await text).toBe(`${JSON.stringify({ [container]: { notes: entry } }, null, 2)}\n`);
  });

  const gooseStart =
    'extensions:\n  my-notes:\n    enabled: true\n    name: "My-Notes"\n    description: ""\n';
  test.each<[Platform, "stdio" | "http", string]>([
    ...(["linux", "darwin"] as const).map((platform): [Platform, "stdio", string] => [
      platform,
      "stdio",
      '    type: "stdio"\n    cmd: "npx"\n    args:\n      - "-y"\n      - "some-server"\n' +
        '    envs:\n      API_KEY: "k3y"\n    timeout: 300\n',
    ]),
    [
      "win32",
      "stdio",
      '    type: "stdio"\n    cmd: "cmd"\n    args:\n      - "/c"\n      - "npx"\n      - "-y"\n      - "some-server"\n' +
        '    envs:\n      API_KEY: "k3y"\n    timeout: 300\n',
    ],
    ...PLATFORMS.map((platform): [Platform, "http", string] => [
      platform,
      "http",
      '    type: "streamable_http"\n    uri: "https://example.com/mcp"\n' +
        '    headers:\n      Authorization: "Bearer t0ken"\n    timeout: 300\n',
    ]),
  ])("goose on %s over %s", async (platform, kind, rest) => {
    const text = await newFile(findClient("goose"), platform, kind === "http" ? HTTP : STDIO, "My-Notes");
    expect(text).toBe(gooseStart + rest);
  });

  test.each(["claude-code", "goose"])(
    "%s: an entry without variables does not have an empty member",
    async (name) => {
      const server: Server = { kind: "stdio", command: "srv", args: [], env: {} };
      expect(await newFile(findClient(name), "linux", server)).not.toMatch(/envs?\b/);
    },
  );
});
