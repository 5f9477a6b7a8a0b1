import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { PassThrough, Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { askChoices } from "../src/ask.js";
import { ROOT } from "../../../tests/support/source-files.js";
import { programFile, temporaryFolder } from "../../../tests/support/program.js";

const DOWN = "\u001b[B";
const ENTER = "\r";

function makeTemplate(): string {
  const folder = temporaryFolder();
  writeFileSync(`${folder}/package.json`, '{"name":"my-mcp-server"}');
  return folder;
}

/** What was shown to a person at a terminal, and how it ended. */
interface Session {
  readonly shown: string;
  readonly code: number | null;
}

/** Runs the program in a real terminal, and types each answer when its question is shown. */
async function atTerminal(
  args: readonly string[],
  cwd: string,
  answers: readonly (readonly [question: string, keys: string])[],
): Promise<Session> {
  const command = [process.execPath, programFile(), ...args].map((word) => `'${word}'`).join(" ");
  // A terminal of its own has no size until it is given one.
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

describe("tenon new at a terminal", () => {
  test("asks for what was not said, and makes what was answered, without colours where nobody wants them", async () => {
    const cwd = temporaryFolder();
    const { shown, code } = await atTerminal(["new", "--template", makeTemplate(), "--no-install"], cwd, [
      ["Where should the project be?", `weather${ENTER}`],
      ["What is its name?", ENTER],
      ["How do clients reach it?", `${DOWN}${ENTER}`],
      ["Who may call it?", `${DOWN}${ENTER}`],
      ["Which package manager?", `${DOWN}${ENTER}`],
      ["Start a Git repository?", `n`],
    ]);
    expect(code).toBe(0);
    expect(shown).toContain("Next:\r\n  cd weather\r\n  pnpm install\r\n");
    expect(shown).not.toMatch(/\p{Cc}\[3\dm/u);
    expect(readFileSync(`${cwd}/weather/.env`, "utf8")).toMatch(
      /^MCP_SERVER_NAME=weather\nMCP_TRANSPORT_TYPE=http\nMCP_AUTH_MODE=jwt\nMCP_AUTH_SECRET_KEY=[\w-]{64}\n$/,
    );
    expect(readdirSync(`${cwd}/weather`)).not.toContain(".git");
  });

  test("Ctrl-C at a question ends it with 130, and nothing is made", async () => {
    const cwd = temporaryFolder();
    const { shown, code } = await atTerminal(["new", "x", "--template", makeTemplate()], cwd, [
      ["What is its name?", "\u0003"],
    ]);
    expect(code).toBe(130);
    expect(shown).toContain("Interrupted\r\n");
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("a folder that is not empty is refused before any question", async () => {
    const cwd = temporaryFolder();
    mkdirSync(`${cwd}/full/x`, { recursive: true });
    const { shown, code } = await atTerminal(["new", "full"], cwd, []);
    expect(code).toBe(2);
    expect(shown).toContain("is not empty: choose another folder");
    expect(shown).not.toContain("What is its name?");
  });

  test("--yes asks nothing", async () => {
    const cwd = temporaryFolder();
    const words = ["new", "x", "--yes", "--no-install", "--no-git", "--template", makeTemplate()];
    const { shown, code } = await atTerminal(words, cwd, []);
    expect(code).toBe(0);
    expect(shown).not.toContain("?");
  });
});

describe("the questions", () => {
  /** A prompts whose person types when a question is shown. */
  function prompts(answers: readonly (readonly [string, string])[]) {
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

  test("a name that npm does not take is answered with one that it does, and asked again", async () => {
    const { streams, shown } = prompts([
      ["What is its name?", `Bad Name${ENTER}`],
      ["Try bad-name", `\u0015fine${ENTER}`],
    ]);
    const preferences = { transport: "stdio", packageManager: "npm", install: false, git: false } as const;
    const choices = await askChoices(streams, preferences, `${ROOT}/x`, {});
    expect(choices).toEqual({ ...preferences, name: "fine", auth: "none" });
    expect(shown()).toContain('"Bad Name" is no name for a package: it has capital letters. Try bad-name');
  });

  test("on stdio nobody is asked who may call, and what was said is not asked again", async () => {
    const { streams, shown } = prompts([["How do clients reach it?", ENTER]]);
    const preferences = { name: "x", packageManager: "npm", install: true, git: true } as const;
    expect(await askChoices(streams, preferences, `${ROOT}/x`, {})).toEqual({
      ...preferences,
      transport: "stdio",
      auth: "none",
    });
    expect(shown()).not.toContain("Who may call it?");
  });
});
