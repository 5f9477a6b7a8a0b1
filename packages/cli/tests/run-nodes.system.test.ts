import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { hideCredentials } from "../src/load/load-redis.js";
import { startTenon, temporaryFolder, tenon } from "../../../tests/support/program.js";
import { type Endpoint, post } from "../../../tests/support/http-faces.js";
import { modernCall, openSession } from "../../../tests/support/http-messages.js";
import { request } from "../../../tests/support/requests.js";
import { REDIS_INSTALL_MS, startRedis } from "../../../tools/redis-server.js";
import { findFreePort } from "../../../tools/server-process.js";

const KEY = "0123456789abcdef0123456789abcdef";

/** Starts `tenon run` and waits until it serves. */
async function start(args: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}) {
  const child = startTenon(["run", ...args], options);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(([code]: unknown[]) => code);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const url = await vi.waitFor(() => {
    const found = /^Serving (\S+)/m.exec(stderr)?.[1];
    if (found === undefined) throw new Error(`Not serving: ${stderr}`);
    return found;
  });
  return { child, url, ended, stderr: () => stderr };
}

const toEndpoint = (url: string): Endpoint => ({
  port: Number(new URL(url).port),
  fetch: (init) => fetch(url, init),
  close: async () => undefined,
});

describe("tenon run --workers", () => {
  test("serves from several processes, and stops them on SIGTERM", async () => {
    const { child, url, ended, stderr } = await start(["calculator.mjs", "--port", "0", "--workers", "2"]);
    expect(stderr()).toContain(`Serving ${url} with 2 workers\n`);
    const response = await fetch(url, modernCall("add", { a: 1, b: 2 }));
    expect(await response.text()).toContain('"text":"3"');
    expect((await fetch(new URL("/readyz", url))).status).toBe(200);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(stderr().match(/Serving/g)).toHaveLength(1);
  });

  test.each<[readonly string[], string]>([
    [["--workers", "2"], "--workers requires --port."],
    [["--redis", "redis://127.0.0.1"], "--redis requires --port."],
    [["--port", "0", "--workers", "0"], '--workers must be an integer from 1 to 512, or auto; got "0".'],
    [
      ["--port", "0", "--workers", "many"],
      '--workers must be an integer from 1 to 512, or auto; got "many".',
    ],
    [
      ["--port", "0", "--redis", "http://user:hunter2@127.0.0.1"],
      "--redis must be a URL such as redis://127.0.0.1:6379, or the path of a Unix socket.",
    ],
  ])("rejects %j as a usage error", async (args, message) => {
    const { code, stderr } = await tenon(["run", "calculator.mjs", ...args]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `${message}\nRun tenon run --help for usage.\n` });
  });

  test("rejects a server of the official SDK", async () => {
    const { code, stderr } = await tenon(["run", "sdk-v1-factory.mjs", "--port", "0", "--workers", "2"]);
    expect(code).toBe(1);
    expect(stderr).toContain("--workers and --redis require a Tenon server");
  });
});

describe("tenon run --redis", () => {
  const URL_ON_LOOPBACK = "redis://user:hunter2@127.0.0.1:1";
  test.each<[string, readonly string[], Record<string, string>]>([
    ["--redis", ["--redis", URL_ON_LOOPBACK], {}],
    ["TENON_REDIS_URL", [], { TENON_REDIS_URL: URL_ON_LOOPBACK }],
  ])("with %s prints the install command if @tenon/redis is missing", async (_, flags, env) => {
    const cwd = temporaryFolder();
    writeFileSync(
      `${cwd}/server.mjs`,
      "export default { handle: () => undefined, attach: () => () => {} };\n",
    );
    expect(await tenon(["run", "server.mjs", "--port", "0", ...flags], { cwd, env })).toEqual({
      code: 1,
      stdout: "",
      stderr: "--redis requires the package @tenon/redis. Install it: npm install @tenon/redis\n",
    });
  });

  test("rejects short keys in TENON_KEYS, and does not print them", async () => {
    const args = ["run", "calculator.mjs", "--port", "0", "--redis", "redis://127.0.0.1:1"];
    const { code, stderr } = await tenon(args, { env: { TENON_KEYS: `${KEY}, hunter2` } });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "Each key in TENON_KEYS must have at least 32 bytes; got one with 7. Create a key with: openssl rand -hex 32\n",
    });
  });

  test("passes the URL and the keys to the project's package, and hides the credentials in its errors", async () => {
    const cwd = temporaryFolder();
    const folder = `${cwd}/node_modules/@tenon/redis`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/package.json`, '{"type":"module","exports":{".":{"default":"./index.js"}}}');
    writeFileSync(
      `${folder}/index.js`,
      "export const redis = ({ url, keys }) => { throw new Error(`${url} ${keys.length} ${new URL(url).password}`) };\n",
    );
    writeFileSync(
      `${cwd}/server.mjs`,
      "export default { handle: () => undefined, attach: () => () => {} };\n",
    );
    const args = ["run", "server.mjs", "--port", "0", "--redis", "redis://user:hunter2@127.0.0.1:1"];
    const { code, stderr } = await tenon(args, { cwd, env: { TENON_KEYS: `${KEY},${KEY}` } });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "Could not use @tenon/redis: *** 2 ***\n" });
  });

  test(
    "two programs with the same Redis serve one session, and the URL is not printed",
    { timeout: REDIS_INSTALL_MS },
    async () => {
      const redis = await startRedis({ password: "hunter2" });
      onTestFinished(() => redis.stop());
      const flags = ["calculator.mjs", "--port", "0", "--redis", redis.url];
      const env = { TENON_KEYS: KEY };
      const first = await start([...flags, "--workers", "2"], { env });
      const second = await start(flags, { env });
      const session = await openSession(toEndpoint(first.url));
      for (const { url } of [second, first, second]) {
        const response = await fetch(
          url,
          post(request("tools/call", { name: "add", arguments: { a: 1, b: 2 } }), session.headers),
        );
        expect(await response.text()).toContain('"text":"3"');
      }
      for (const { child } of [first, second]) child.kill("SIGTERM");
      expect([await first.ended, await second.ended]).toEqual([0, 0]);
      expect(first.stderr() + second.stderr()).not.toContain("hunter2");
    },
  );

  test("a Redis that cannot be reached is reported in one sentence", async () => {
    const port = await findFreePort("127.0.0.1");
    const args = ["run", "calculator.mjs", "--port", "0", "--redis", `redis://ada:hunter2@127.0.0.1:${port}`];
    const { code, stderr } = await tenon(args);
    expect(code).toBe(1);
    expect(stderr.trimEnd().split("\n")).toEqual([expect.stringContaining(`Redis at 127.0.0.1:${port}`)]);
    expect(stderr).not.toMatch(/hunter2|ada/);
  });

  test("hides encoded and decoded credentials", () => {
    const url = "redis://ada:p%40ss@127.0.0.1";
    expect(hideCredentials("p@ss, p%40ss, ada, and redis://ada:p%40ss@127.0.0.1", url)).toBe(
      "***, ***, ***, and ***",
    );
    expect(hideCredentials("a plain message", "")).toBe("a plain message");
  });
});
