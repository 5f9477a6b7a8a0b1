import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPage } from "../../examples/agent/page.js";
import { ROOT } from "../support/source-files.js";

const http = createServer(createPage());
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  ({ port } = http.address() as AddressInfo);
});

afterAll(() => {
  http.close();
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** Sends a request with any path, method, and host, including those that a browser would not send. */
function ask(path: string, { method = "GET", host = `127.0.0.1:${port}` } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", path, method, headers: { host } }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => (body += piece));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("the page's files", () => {
  const served = readdirSync(`${ROOT}/examples/agent/page`).filter((name) => /\.(js|css|svg)$/.test(name));

  test.each(["", ...served])(
    "/%s is served with its content type and a strict security policy",
    async (name) => {
      const { status, headers, body } = await ask(`/${name}`);
      const types = {
        js: "text/javascript; charset=utf-8",
        css: "text/css; charset=utf-8",
        svg: "image/svg+xml",
      };
      const kind = name.split(".").at(-1) as keyof typeof types;
      expect(status).toBe(200);
      expect(headers["content-type"]).toBe(types[kind] ?? "text/html; charset=utf-8");
      expect(headers["content-security-policy"]).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ws://127.0.0.1:${port}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'`,
      );
      expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "cache-control": "no-store" });
      expect(Number(headers["content-length"])).toBe(new TextEncoder().encode(body).byteLength);
    },
  );

  test.each([
    ["/types.ts", {}, 404],
    ["/tsconfig.json", {}, 404],
    ["/../server.ts", {}, 404],
    ["/%2e%2e/server.ts", {}, 404],
    ["/index.html", {}, 404],
    ["/?x=1", {}, 200],
    ["/", { method: "HEAD" }, 200],
    ["/", { method: "POST" }, 405],
    ["/", { host: "localhost:1" }, 200],
    ["/", { host: "[::1]:1" }, 200],
    ["/", { host: "evil.example" }, 403],
    ["/", { host: "127.0.0.1.evil.example" }, 403],
    ["/", { host: "localhost:80; script-src *" }, 403],
  ])("%s %j returns status %i", async (path, options, status) => {
    const answer = await ask(path, options);
    expect(answer.status).toBe(status);
    if (status === 405) expect(answer.headers["allow"]).toBe("GET, HEAD");
    if (status !== 200) expect(answer.headers["content-security-policy"]).toContain("default-src 'none'");
    if (JSON.stringify(options).includes("HEAD")) expect(answer.body).toBe("");
  });
});

test("the page's scripts pass the type check", () => {
  const tsc = `${ROOT}/node_modules/typescript/bin/tsc`;
  const run = spawnSync(process.execPath, [tsc, "-p", `${ROOT}/examples/agent/page/tsconfig.json`], {
    encoding: "utf8",
    timeout: 60_000,
  });
  expect(run.stdout).toBe("");
  expect(run.status).toBe(0);
});

test("no script parses markup", async () => {
  for (const name of readdirSync(`${ROOT}/examples/agent/page`).filter((file) => file.endsWith(".js"))) {
    const { body } = await ask(`/${name}`);
    expect(body, name).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|DOMParser/,
    );
  }
});
