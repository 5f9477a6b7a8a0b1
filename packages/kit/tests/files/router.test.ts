import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import express from "express";
import { describe, expect, test } from "vitest";
import { openStoredFile } from "../../src/files/open-file.js";
import { createSendEngine } from "../../src/files/send-engine.js";
import { sendFile } from "../../src/files/send-file.js";
import { createHttpError } from "../../src/errors/http-error.js";
import { McpError } from "../../../tenon/src/protocol/errors.js";
import {
  listen,
  makeFolder,
  MOUNTS,
  rawGet,
  recorder,
  routerOf,
  serveFolder,
  statusOf,
} from "../support/files/served-store.js";

const CSV = "name,age\nada,36\n";
const MODIFIED = new Date("2024-05-06T07:08:09Z");

/** Creates a store with these files, or with `abc123.csv` only. */
function storeOf(files: Readonly<Record<string, string>> = { "abc123.csv": CSV }): string {
  const store = makeFolder();
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(store, name), text);
    utimesSync(join(store, name), MODIFIED, MODIFIED);
  }
  return store;
}

const LINE = { fileId: "abc123", filename: "abc123.csv", size: CSV.length, modified: MODIFIED.toISOString() };
const NOT_FOUND = { type: "error", error: "The requested file was not found.", code: "NOT_FOUND" };

describe.each(MOUNTS)("on %s", (_name, mount) => {
  test("Z34, Z35, Z37: GET /exports/abc123 streams abc123.csv, and GET /exports lists it", async () => {
    const origin = `http://127.0.0.1:${await listen(mount(storeOf()))}`;
    const file = await fetch(`${origin}/exports/abc123`);
    expect(file.status).toBe(200);
    expect(await file.text()).toBe(CSV);
    for (const path of ["/exports", "/exports/", "/exports?x=1"]) {
      const list = await fetch(origin + path);
      expect(list.status).toBe(200);
      expect(await list.json()).toEqual({ type: "success", items: [LINE] });
    }
    expect((await fetch(`${origin}/exports/missing`)).status).toBe(404);
    expect((await fetch(`${origin}/elsewhere`)).status).toBe(404);
  });
});

test("Z34: passes requests for other paths to the next handler", async () => {
  const app = express();
  app.use(routerOf(storeOf()));
  app.get("/healthz", (_request, response) => void response.send("well"));
  const port = await listen(app);
  expect(await (await fetch(`http://127.0.0.1:${port}/healthz`)).text()).toBe("well");
});

test("Z34: a nested router serves below both mounts", async () => {
  const inner = express.Router().use("/exports", routerOf(storeOf()));
  const port = await listen(express().use("/api", inner));
  expect(await (await fetch(`http://127.0.0.1:${port}/api/exports/abc123`)).text()).toBe(CSV);
});

describe("a file over HTTP", () => {
  test("Z35: has headers that protect against browsers and caches", async () => {
    const { url } = await serveFolder(storeOf({ "0f~übersicht.html": "<script>alert(1)</script>" }));
    const { headers } = await fetch(`${url}/0f`);
    expect(Object.fromEntries(headers)).toMatchObject({
      "accept-ranges": "bytes",
      "cache-control": "private, no-cache",
      "content-disposition": "attachment; filename=\"_bersicht.html\"; filename*=UTF-8''%C3%BCbersicht.html",
      "content-length": "25",
      "content-security-policy": "default-src 'none'; sandbox",
      "content-type": "text/html; charset=utf-8",
      "last-modified": MODIFIED.toUTCString(),
      "x-content-type-options": "nosniff",
    });
  });

  test("Z35: HEAD has the headers of GET without a body, and ignores ranges", async () => {
    const { port, url } = await serveFolder(storeOf());
    const [get, head] = await Promise.all([
      fetch(`${url}/abc123`),
      fetch(`${url}/abc123`, { method: "HEAD", headers: { range: "bytes=0-3" } }),
    ]);
    const plain = (response: Response) =>
      [...response.headers].filter(([name]) => !/^(?:connection|keep-alive|date)$/.test(name));
    expect(head.status).toBe(200);
    expect(plain(head)).toEqual(plain(get));
    for (const target of ["/exports/abc123", "/exports", "/exports/missing"]) {
      expect(await rawGet(port, target, "HEAD")).toMatch(/\r\n\r\n$/);
    }
  });

  test.each([
    ["bytes=0-3", 206, "name", "bytes 0-3/16"],
    ["bytes=9-", 206, "ada,36\n", "bytes 9-15/16"],
    ["bytes=-3", 206, "36\n", "bytes 13-15/16"],
    ["bytes=-99", 206, CSV, "bytes 0-15/16"],
    ["bytes=10-99", 206, "da,36\n", "bytes 10-15/16"],
    ["bytes=0-0,2-3", 200, CSV, null],
    ["bytes=nonsense", 200, CSV, null],
  ])("Z35: Range %s returns %i", async (range, status, text, contentRange) => {
    const { url } = await serveFolder(storeOf());
    const response = await fetch(`${url}/abc123`, { headers: { range } });
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(text);
    expect(response.headers.get("content-range")).toBe(contentRange);
  });

  test.each(["bytes=16-", "bytes=99-100", "bytes=-0"])(
    "Z35: Range %s is past the end and returns 416",
    async (range) => {
      const { url } = await serveFolder(storeOf());
      const response = await fetch(`${url}/abc123`, { headers: { range } });
      expect(response.status).toBe(416);
      expect(response.headers.get("content-range")).toBe("bytes */16");
      expect(response.headers.get("content-disposition")).toBe(null);
      expect(await response.json()).toEqual({
        type: "error",
        error: "The requested range is outside the file.",
        code: "INVALID_REQUEST",
      });
    },
  );

  test("Z35: sends a file again only if it has changed", async () => {
    const store = storeOf();
    const { url } = await serveFolder(store);
    const etag = (await fetch(`${url}/abc123`)).headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"[\da-f-]+"$/);
    const ask = (headers: Record<string, string>) => fetch(`${url}/abc123`, { headers });
    const again = await rawConditional(url, { "if-none-match": etag });
    expect(again).toEqual({ status: 304, body: "", type: undefined, etag });
    expect(await rawConditional(url, { "if-modified-since": MODIFIED.toUTCString() })).toMatchObject({
      status: 304,
    });
    expect((await ask({ "if-match": '"other"' })).status).toBe(412);
    expect((await ask({ range: "bytes=0-3", "if-range": '"other"' })).status).toBe(200);
    writeFileSync(join(store, "abc123.csv"), "changed");
    expect(await rawConditional(url, { "if-none-match": etag })).toMatchObject({
      status: 200,
      body: "changed",
    });
  });

  test("Z35: an empty file returns 200 with an empty body", async () => {
    const { url } = await serveFolder(storeOf({ "empty.txt": "" }));
    const response = await fetch(`${url}/empty`);
    expect([response.status, response.headers.get("content-length"), await response.text()]).toEqual([
      200,
      "0",
      "",
    ]);
  });

  test.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])(
    "Z35: %s returns 405 with Allow",
    async (method) => {
      const { port } = await serveFolder(storeOf());
      for (const target of ["/exports", "/exports/abc123"]) {
        const answer = await rawGet(port, target, method);
        expect(statusOf(answer)).toBe(405);
        expect(answer).toMatch(/\r\nAllow: GET, HEAD\r\n/);
      }
    },
  );

  test("Z37: files that share an ID are neither served nor listed", async () => {
    const store = storeOf({ "a.csv": "1", "a.pdf": "2", "b.csv": "3", "b~x.csv": "4", "c.csv": "5" });
    mkdirSync(join(store, "c")); // folders have no ID
    const { url } = await serveFolder(store);
    expect((await fetch(`${url}/a`)).status).toBe(404);
    expect((await fetch(`${url}/b`)).status).toBe(404);
    expect((await fetch(`${url}/a.csv`)).status).toBe(404);
    expect(await (await fetch(`${url}/c`)).text()).toBe("5");
    expect(await (await fetch(url)).json()).toMatchObject({ items: [{ fileId: "c" }] });
  });

  test("Z36: does not mix up a file that is swapped while it is opened", async () => {
    const store = storeOf();
    const real = createSendEngine();
    const port = await listen((request, response) => {
      void (async () => {
        const file = await openStoredFile(store, "abc123.csv");
        if (file === undefined) throw new Error("expected a file");
        writeFileSync(join(store, "new"), "another, longer text");
        renameSync(join(store, "new"), join(store, "abc123.csv"));
        await sendFile({ request, response }, file, { presentation: {}, engine: real, stallMs: 1_000 });
        await expect(file.handle.stat()).rejects.toThrow(); // the handle is closed
      })();
    });
    const answer = await rawGet(port, "/");
    expect(statusOf(answer)).toBe(503);
    expect(answer).toMatch(/\r\nRetry-After: 1\r\n/);
  });
});

describe("access control", () => {
  test("Z35: getMetadata runs first and receives the request", async () => {
    const asked: string[] = [];
    const { url } = await serveFolder(storeOf(), {
      getMetadata: async (fileId, request) => {
        asked.push(fileId);
        await delay(5);
        return request.headers.authorization === "Bearer ada" ? {} : null;
      },
    });
    const refused = await fetch(`${url}/abc123`);
    expect([refused.status, await refused.json()]).toEqual([404, NOT_FOUND]);
    const allowed = await fetch(`${url}/abc123`, { headers: { authorization: "Bearer ada" } });
    expect(await allowed.text()).toBe(CSV);
    expect(asked).toEqual(["abc123", "abc123"]);
  });

  test("Z35: the store is not read before getMetadata returns", async () => {
    const store = storeOf();
    const { url } = await serveFolder(store, {
      getMetadata: (fileId) => {
        writeFileSync(join(store, `${fileId}.txt`), "made just now");
        return {};
      },
    });
    expect(await (await fetch(`${url}/late`)).text()).toBe("made just now");
  });

  test.each([
    [Object.assign(new Error("secret text"), { status: 403 }), 403, "Permission denied.", "FORBIDDEN"],
    [
      Object.assign(new Error("secret text"), { statusCode: 410 }),
      410,
      "The requested file is no longer available.",
      "NOT_FOUND",
    ],
    [createHttpError(410, "secret text"), 410, "The requested file is no longer available.", "NOT_FOUND"],
    [new McpError("FORBIDDEN", "secret text"), 403, "Permission denied.", "FORBIDDEN"],
    [
      new McpError("UNAUTHORIZED", "secret text"),
      401,
      "Authentication is required.",
      "AUTHENTICATION_REQUIRED",
    ],
    [new McpError("RATE_LIMITED", "secret text"), 429, "Too many requests. Try again later.", "RATE_LIMITED"],
    [new Error("secret\ntext"), 500, "An unexpected error occurred.", "SERVICE_ERROR"],
    [{ status: 200 }, 500, "An unexpected error occurred.", "SERVICE_ERROR"],
  ])("Z35: throwing %o returns %i with a fixed message", async (thrown, status, error, code) => {
    const { lines, logger } = recorder();
    const { url } = await serveFolder(storeOf(), {
      logger,
      getMetadata: () => {
        throw thrown;
      },
    });
    const response = await fetch(`${url}/abc123`);
    expect(response.status).toBe(status);
    expect(response.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
    expect(await response.json()).toEqual({ type: "error", error, code });
    expect(lines).toEqual(
      status === 500 ? [expect.stringMatching(/^error: Could not serve a file: [^\n]+$/)] : [],
    );
  });

  test("Z35: getMetadata can set the name, type, and disposition", async () => {
    const { url } = await serveFolder(storeOf({ "0001.bin": "%PDF" }), {
      getMetadata: () => ({
        filename: "0001.bin",
        downloadName: "Invoice\r\nX: 1.pdf",
        contentType: "application/pdf",
        disposition: "inline",
      }),
    });
    const { headers } = await fetch(`${url}/invoice-7`);
    expect(headers.get("content-disposition")).toBe('inline; filename="Invoice_X_ 1.pdf"');
    expect(headers.get("content-type")).toBe("application/pdf");
    expect(headers.get("content-security-policy")).toBe(null);
  });

  test.each(["text/html\r\nX-Evil: 1", "nonsense", "a/b;", ""])(
    "Z36: rejects the content type %j",
    async (contentType) => {
      const { lines, logger } = recorder();
      const { url } = await serveFolder(storeOf(), { logger, getMetadata: () => ({ contentType }) });
      expect((await fetch(`${url}/abc123`)).status).toBe(500);
      const got = JSON.stringify(contentType.replaceAll(/[\r\n]/g, "?"));
      expect(lines).toEqual([
        "error: Could not serve a file: TypeError: `contentType` must be a media type such as text/csv; " +
          `\`getMetadata\` returned ${got}.`,
      ]);
    },
  );
});

describe("the list", () => {
  test("Z35: omits files that getMetadata denies", async () => {
    const files = { "a.csv": "1", "b.csv": "2", "c.csv": "3", "d.csv": "4" };
    const { url } = await serveFolder(storeOf(files), {
      getMetadata: (fileId) => {
        if (fileId === "a") return null;
        if (fileId === "b") throw Object.assign(new Error("no"), { status: 403 });
        return fileId === "c" ? { contentType: "text/csv" } : { filename: "other.csv" };
      },
    });
    expect(await (await fetch(url)).json()).toEqual({
      type: "success",
      items: [
        {
          fileId: "c",
          filename: "c.csv",
          contentType: "text/csv",
          size: 1,
          modified: MODIFIED.toISOString(),
        },
      ],
    });
  });

  test("Z35: uses getAllFiles and only the public fields of its records", async () => {
    const record = { fileId: "x", filename: "x.csv", owner: "ada", path: "/srv/x" };
    const { url } = await serveFolder(storeOf(), {
      getAllFiles: async () => [record, { fileId: "y" }, { fileId: "z" }],
      maxListed: 2,
    });
    expect(await (await fetch(url)).json()).toEqual({
      type: "success",
      items: [{ fileId: "x", filename: "x.csv" }, { fileId: "y" }],
    });
  });

  test("Z35: contains regular files only, sorted by name, up to the limit", async () => {
    const store = storeOf({ "c.csv": "", "a.csv": "", "b.csv": "", ".hidden": "" });
    mkdirSync(join(store, "folder"));
    symlinkSync("a.csv", join(store, "link.csv"));
    const idsOf = async (maxListed: number) => {
      const list = await fetch((await serveFolder(store, { maxListed })).url);
      return ((await list.json()) as { items: { fileId: string }[] }).items.map(({ fileId }) => fileId);
    };
    expect(await idsOf(10)).toEqual(["a", "b", "c"]);
    expect(await idsOf(2)).toEqual(["a", "b"]);
  });

  test("Z35: can be disabled", async () => {
    const { url } = await serveFolder(storeOf(), { list: false });
    expect((await fetch(url)).status).toBe(404);
    expect((await fetch(`${url}/abc123`)).status).toBe(200);
  });

  test("Z35: is empty if the store does not exist yet", async () => {
    const store = storeOf();
    const { url } = await serveFolder(store);
    rmSync(store, { recursive: true });
    expect(await (await fetch(url)).json()).toEqual({ type: "success", items: [] });
    expect((await fetch(`${url}/abc123`)).status).toBe(404);
  });

  test("Z35: fails for a store with more than 10000 entries, as does a lookup by ID", async () => {
    const store = storeOf();
    for (let at = 0; at < 10_000; at++) writeFileSync(join(store, `f${at}`), "");
    const { lines, logger } = recorder();
    const { url } = await serveFolder(store, { logger });
    expect((await fetch(`${url}/abc123`)).status).toBe(500);
    expect(lines).toEqual([
      "error: Could not serve a file: Error: The store has too many entries (limit: 10000). Set `getAllFiles`, and return `filename` from `getMetadata`.",
    ]);
    const named = await serveFolder(store, { getMetadata: () => ({ filename: "abc123.csv" }) });
    expect(await (await fetch(`${named.url}/abc123`)).text()).toBe(
      readFileSync(join(store, "abc123.csv"), "utf8"),
    );
  });
});

/** Sends a request with exactly these headers. `fetch` adds `no-cache` to conditional requests. */
function rawConditional(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; body: string; type: string | undefined; etag: string | undefined }> {
  return new Promise((resolve, reject) => {
    httpRequest(`${url}/abc123`, { headers }, (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => (body += chunk.toString()));
      response.on("end", () => {
        const { etag, "content-type": type } = response.headers;
        resolve({ status: response.statusCode, body, type, etag });
      });
    })
      .on("error", reject)
      .end();
  });
}
