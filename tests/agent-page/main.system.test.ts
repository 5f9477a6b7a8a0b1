import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ROOT } from "../../tools/source-files.js";

const COMMAND = ["--import", "tsx", `${ROOT}/scripts/example.ts`, "agent"];

/** This process's environment, without variables that configure a model. */
function environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const names = Object.keys(process.env).filter((name) => !name.startsWith("OPENAI_"));
  return { ...Object.fromEntries(names.map((name) => [name, process.env[name]])), ...more };
}

function run(args: readonly string[], env: NodeJS.ProcessEnv) {
  return spawnSync(process.execPath, [...COMMAND, ...args], {
    cwd: ROOT,
    env,
    encoding: "utf8",
    timeout: 60_000,
  });
}

describe("npm run example -- agent", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "serves the page until %s, then stops cleanly",
    async (signal) => {
      const storage = mkdtempSync(join(tmpdir(), "tenon-agent-main-"));
      const child = spawn(process.execPath, [...COMMAND, "--port", "0", "--storage", storage], {
        cwd: ROOT,
        env: environment(),
        stdio: ["ignore", "pipe", "pipe"],
      });
      onTestFinished(() => {
        child.kill("SIGKILL");
        rmSync(storage, { recursive: true, force: true });
      });
      let said = "";
      child.stdout.setEncoding("utf8");
      const ready = new Promise<string>((resolve, reject) => {
        child.stdout.on("data", (text: string) => {
          said += text;
          const [, url] = /page +(http:\S+)[^]*Ctrl\+C/.exec(said) ?? [];
          if (url !== undefined) resolve(url);
        });
        child.on("exit", () => reject(new Error(`The example exited early: ${said}`)));
      });
      const exit = once(child, "exit");
      const page = await fetch(await ready);
      expect(page.status).toBe(200);
      expect(said).toContain("model     scripted");
      expect(said).toContain(`storage   ${storage}`);
      child.kill(signal);
      expect(await exit).toEqual([0, null]);
      expect(said).toMatch(/Stopped\.\n$/);
    },
  );

  test("prints its options, and rejects invalid ones", () => {
    const help = run(["--help"], environment());
    expect(help.stdout).toContain("--storage  folder for conversations");
    const port = run(["--port", "x"], environment());
    expect(port.status).toBe(1);
    expect(port.stderr).toContain('--port must be an integer from 0 to 65535; got "x".');
    const key = run(["--port", "0"], environment({ OPENAI_API_KEY: "a-secret-key" }));
    expect(key.status).toBe(1);
    expect(key.stderr).toContain("OPENAI_MODEL is required");
    expect(key.stderr + key.stdout).not.toContain("a-secret-key");
  });
});
