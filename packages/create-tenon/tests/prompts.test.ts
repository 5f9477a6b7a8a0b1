import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { PassThrough, Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { askChoices } from "../src/ask.js";
import { ROOT } from "../../../tools/source-files.js";
import { programFile, temporaryFolder } from "../../../tests/support/program.js";

const DOWN = "\u001b[B";
const ENTER = "\r";

function makeTemplate(): string {
  const folder = temporaryFolder();
  writeFileSync(`${folder}/package.json`, '{"name":"my-mcp-server"}');
  writeFileSync(`${folder}/.env.example`, "# Settings\n");
  return folder;
}

/** A program's output in a terminal, and its exit code. */
interface Session {
  readonly shown: string;
  readonly code: number | null;
}

/** Runs the program in a real terminal and types each answer when its prompt appears. */
async function atTerminal(
  args: readonly string[],
  cwd: string,
  answers: readonly (readonly [question: string, keys: string])[],
): Promise<Session> {
  const command = [process.execPath, programFile("create-tenon"), ...args]
    .map((word) => `'${word}'`)
    .join(" ");
  // A new terminal does not have a size until it is set.
  const child = spawn("script", ["-qefc", `stty cols 100 rows 40 && exec ${command}`, "/dev/null"], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", TERM: "xterm", SHELL: "/bin/sh" },
  });
  let shown = "";
  const open = [...answers];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    const next = open[0];
    if (next === undefined || !shown.includes(next[0])) return;
    open.shift();
    child.stdin.write(next[1]);
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { shown, code };
}

describe("npm create tenon in a terminal", () => {
  test("asks for options that no flag sets, and creates the project, without colors if NO_COLOR is set", async () => {
    const cwd = temporaryFolder();
    const { shown, code } = await atTerminal(["--template", makeTemplate(), "--no-install"], cwd, [
      ["Where should the project be created?", `weather${ENTER}`],
      ["What is the package name?", ENTER],
      ["How do clients connect to the server?", `${DOWN}${ENTER}`],
      ["Who can call the server?", `${DOWN}${ENTER}`],
      ["Which package manager do you use?", `${DOWN}${ENTER}`],
      ["Create a Git repository?", `n`],
    ]);
    expect(code).toBe(0);
    expect(shown).toContain("Next steps:\r\n  cd weather\r\n  pnpm install\r\n");
    expect(shown).not.toMatch(/\p{Cc}\[3\dm/u);
    expect(readFileSync(`${cwd}/weather/.env`, "utf8")).toMatch(
      /^# Settings\nMCP_SERVER_NAME=weather\nMCP_TRANSPORT_TYPE=http\nMCP_AUTH_MODE=jwt\nMCP_AUTH_SECRET_KEY=[\w-]{64}\n$/,
    );
    expect(readdirSync(`${cwd}/weather`)).not.toContain(".git");
  });

  test("asks for the template first, with a description of each, and only for options that apply to it", async () => {
    const cwd = temporaryFolder();
    const { shown, code } = await atTerminal(["--no-install", "--no-git"], cwd, [
      ["Which template do you want to use?", `${DOWN}${ENTER}`],
      ["Where should the project be created?", `notes${ENTER}`],
      ["What is the package name?", ENTER],
      ["Which package manager do you use?", ENTER],
    ]);
    expect(code).toBe(0);
    for (const label of [
      "minimal: one file with a tool, a resource, and a prompt",
      "grouped: one tool with many actions, which costs the model fewer tokens",
      "worker: a server for Cloudflare Workers",
      "agent: an agent with tools, approvals, and a chat page",
      "app: the application standard: logging, authorization, services, and rules",
    ])
      expect(shown).toContain(label);
    expect(shown).not.toContain("How do clients connect to the server?");
    expect(shown).toContain("Next steps:\r\n  cd notes\r\n  npm install\r\n  npm run dev\r\n");
    expect(readdirSync(`${cwd}/notes/src`).toSorted()).toEqual(["main.ts", "notes.ts", "server.ts"]);
    expect(readdirSync(`${cwd}/notes`)).not.toContain(".env");
  });

  test("does not ask for the template if --template or a flag for a setting is given", async () => {
    const cwd = temporaryFolder();
    const rejected = await atTerminal(["x", "--auth", "jwt"], cwd, []);
    expect(rejected.code).toBe(2);
    expect(rejected.shown).toContain("--auth applies only to the template app.");
    const words = ["x", "--template", "app", "--auth", "jwt", "--name", "y", "--package-manager", "npm"];
    const { shown, code } = await atTerminal([...words, "--no-install", "--no-git"], cwd, []);
    expect(code).toBe(0);
    expect(shown).not.toContain("?");
    expect(readFileSync(`${cwd}/x/.env`, "utf8")).toMatch(/^MCP_TRANSPORT_TYPE=http$/m);
  });

  test("Ctrl+C at a prompt exits with 130, and creates nothing", async () => {
    const cwd = temporaryFolder();
    const { shown, code } = await atTerminal(["x", "--template", makeTemplate()], cwd, [
      ["What is the package name?", "\u0003"],
    ]);
    expect(code).toBe(130);
    expect(shown).toContain("Interrupted.\r\n");
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("rejects a folder that is not empty before any prompt", async () => {
    const cwd = temporaryFolder();
    mkdirSync(`${cwd}/full/x`, { recursive: true });
    const { shown, code } = await atTerminal(["full"], cwd, []);
    expect(code).toBe(2);
    expect(shown).toContain("is not empty. Choose a different folder");
    expect(shown).not.toContain("What is the package name?");
  });

  test("does not ask with --yes", async () => {
    const cwd = temporaryFolder();
    const words = ["x", "--yes", "--no-install", "--no-git", "--template", makeTemplate()];
    const { shown, code } = await atTerminal(words, cwd, []);
    expect(code).toBe(0);
    expect(shown).not.toContain("?");
  });
});

describe("the prompts", () => {
  /** Creates streams that simulate a user who types each answer when its prompt appears. */
  function createStreams(answers: readonly (readonly [string, string])[]) {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
    const open = [...answers];
    let shown = "";
    const output = new Writable({
      write(chunk: Uint8Array, _encoding, done) {
        shown += String(chunk);
        const next = open[0];
        if (next !== undefined && shown.includes(next[0])) {
          open.shift();
          setImmediate(() => input.write(next[1]));
        }
        done();
      },
    });
    return { streams: { input, output, signal: new AbortController().signal }, shown: () => shown };
  }

  test("asks again after a name that npm does not accept, and suggests a valid one", async () => {
    const { streams, shown } = createStreams([
      ["What is the package name?", `Bad${ENTER}`],
      ['Try "bad"', `\u0015fine${ENTER}`],
    ]);
    const preferences = { packageManager: "npm", install: false, git: false } as const;
    const request = { preferences, folder: `${ROOT}/x`, hasSettings: false, env: {} };
    expect(await askChoices(streams, request)).toEqual({ ...preferences, name: "fine", settings: undefined });
    expect(shown()).toContain('Invalid package name "Bad": it contains uppercase letters. Try "bad".');
  });

  test("does not ask who can call a stdio server, or for options that are already set", async () => {
    const { streams, shown } = createStreams([["How do clients connect to the server?", ENTER]]);
    const preferences = { name: "x", packageManager: "npm", install: true, git: true } as const;
    const request = { preferences, folder: `${ROOT}/x`, hasSettings: true, env: {} };
    expect(await askChoices(streams, request)).toEqual({
      ...preferences,
      settings: { transport: "stdio", auth: "none" },
    });
    expect(shown()).not.toContain("Who can call the server?");
  });
});
