import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fileLink, fileUri, saveFile } from "../../src/files/file-store.js";
import { defineServer } from "tenon";
import { createClient } from "tenon/testing";
import { makeFolder, serveFolder, uriOf } from "../support/files/served-store.js";

const AT = { baseUrl: "https://files.example.com", routePrefix: "/exports" };

describe("saving a file", () => {
  test("Z34: uses an unguessable ID and permissions for the owner only", async () => {
    const store = join(makeFolder(), "made", "for-it");
    const saved = await saveFile("a,b\n", { resourceStoreUri: uriOf(store), filename: "report.csv" });
    expect(saved).toEqual({
      fileId: expect.stringMatching(/^[\da-f]{32}$/) as string,
      filename: `${saved.fileId}~report.csv`,
      downloadName: "report.csv",
      size: 4,
      resourceStoreUri: uriOf(store),
    });
    expect(readdirSync(store)).toEqual([saved.filename]);
    expect(readFileSync(join(store, saved.filename), "utf8")).toBe("a,b\n");
    expect(statSync(join(store, saved.filename)).mode & 0o777).toBe(0o600);
    expect(statSync(store).mode & 0o777).toBe(0o700);
  });

  test.each([
    ["text", "übung"],
    ["bytes", new TextEncoder().encode("übung")],
    ["parts", ["üb", new TextEncoder().encode("ung")]],
    ["asynchronous parts", laterParts(["üb", "ung"])],
  ])("Z34: accepts %s", async (_name, content) => {
    const store = makeFolder();
    const { filename, size } = await saveFile(content, { resourceStoreUri: uriOf(store), filename: "x" });
    expect(size).toBe(6);
    expect(readFileSync(join(store, filename), "utf8")).toBe("übung");
  });

  test.each(["../../escape.csv", "/etc/passwd", "..", "a\0b", "", "x".repeat(5_000), "~a~b", ".env", "nul"])(
    "Z36: a file named %j stays in the store and can be found",
    async (filename) => {
      const store = join(makeFolder(), "store");
      const saved = await saveFile("content", { resourceStoreUri: uriOf(store), filename });
      expect(readdirSync(join(store, ".."))).toEqual(["store"]);
      const { url } = await serveFolder(store);
      expect(await (await fetch(`${url}/${saved.fileId}`)).text()).toBe("content");
    },
  );

  test("Z36: rejects content over maxBytes and leaves no partial file", async () => {
    const store = makeFolder();
    const options = { resourceStoreUri: uriOf(store), filename: "x", maxBytes: 10 };
    expect((await saveFile("0123456789", options)).size).toBe(10);
    let given = 0;
    const endless = (function* () {
      for (;;) yield `${given++}`;
    })();
    await expect(saveFile(endless, options)).rejects.toThrow(
      "The file is too large (limit: 10 bytes). Raise `maxBytes` to allow it.",
    );
    expect(given).toBeLessThan(20);
    expect(readdirSync(store)).toHaveLength(1);
    await expect(saveFile("", { ...options, maxBytes: Number.NaN })).rejects.toThrow(
      "`maxBytes` must be a non-negative number (bytes); got NaN.",
    );
  });

  test("Z34: serves a file only when it is complete, and leaves nothing after a failure", async () => {
    const store = makeFolder();
    const { url } = await serveFolder(store);
    const seen: unknown[] = [];
    async function* failing(): AsyncIterable<string> {
      yield "half";
      seen.push(readdirSync(store).length, await (await fetch(url)).json());
      throw new Error("the source failed");
    }
    await expect(saveFile(failing(), { resourceStoreUri: uriOf(store), filename: "x.csv" })).rejects.toThrow(
      "the source failed",
    );
    expect(seen).toEqual([1, { type: "success", items: [] }]);
    expect(readdirSync(store)).toEqual([]);
  });

  test("Z34: writing can be aborted", async () => {
    const store = makeFolder();
    const stop = new AbortController();
    const options = { resourceStoreUri: uriOf(store), filename: "x", signal: stop.signal };
    async function* slow(): AsyncIterable<string> {
      yield "a";
      stop.abort(new Error("enough"));
      yield "b";
    }
    await expect(saveFile(slow(), options)).rejects.toThrow("enough");
    await expect(saveFile("a", options)).rejects.toThrow("enough");
    expect(readdirSync(store)).toEqual([]);
  });

  test("Z34: explains why the store cannot be a directory", async () => {
    const file = join(makeFolder(), "file");
    writeFileSync(file, "");
    await expect(saveFile("a", { resourceStoreUri: uriOf(file), filename: "x" })).rejects.toThrow("EEXIST");
    await expect(saveFile("a", { resourceStoreUri: "store", filename: "x" })).rejects.toThrow(
      '`resourceStoreUri` must be an absolute file:// URI of a directory; got "store".',
    );
  });

  test("Z34: a hundred concurrent calls save a hundred files", async () => {
    const store = makeFolder();
    const options = { resourceStoreUri: uriOf(store), filename: "same.txt" };
    const saved = await Promise.all(Array.from({ length: 100 }, (_, at) => saveFile(`${at}`, options)));
    expect(new Set(saved.map(({ fileId }) => fileId)).size).toBe(100);
    expect(saved.map(({ filename }) => readFileSync(join(store, filename), "utf8"))).toEqual(
      Array.from({ length: 100 }, (_, at) => `${at}`),
    );
  });
});

describe("the URL of a file", () => {
  const file = { fileId: "0f", filename: "a b?.csv", resourceStoreUri: "file:///srv/my%20exports" };

  test.each([
    [AT, "https://files.example.com/exports/0f"],
    [{ ...AT, baseUrl: "http://localhost:3000/app/" }, "http://localhost:3000/app/exports/0f"],
    [{ ...AT, routePrefix: "/" }, "https://files.example.com/0f"],
    [undefined, "file:///srv/my%20exports/a%20b%3F.csv"],
  ])("Z34: served at %o is %s", (at, uri) => expect(fileUri(file, at)).toBe(uri));

  test("Z34: the file:// URI opens the file", async () => {
    const store = join(makeFolder(), "with space");
    mkdirSync(store);
    const saved = await saveFile("content", { resourceStoreUri: uriOf(store), filename: "ü #1.csv" });
    expect(readFileSync(fileURLToPath(fileUri(saved)), "utf8")).toBe("content");
  });

  test.each([
    ["ftp://host", "`baseUrl` must be an http or https URL; got a URL that starts with ftp:."],
    [
      "javascript:alert(1)",
      "`baseUrl` must be an http or https URL; got a URL that starts with javascript:.",
    ],
    ["host", "`baseUrl` must be an http or https URL; got a string that is not a URL."],
    ["https://host/?x=1", "`baseUrl` must not contain credentials, a query, or a fragment."],
    ["https://user:password@host", "`baseUrl` must not contain credentials, a query, or a fragment."],
  ])("Z34: rejects the base URL %s", (baseUrl, message) => {
    expect(() => fileUri(file, { ...AT, baseUrl })).toThrow(new TypeError(message));
  });
});

test("Z35: a tool writes an export, links it, and the client downloads it", async () => {
  const store = makeFolder();
  const { url } = await serveFolder(store, { list: false });
  const server = defineServer({ name: "exports", version: "1.0.0" }).tool("export_rows", {
    input: z.object({ rows: z.number() }),
    handler: async ({ rows }) => {
      const lines = Array.from({ length: rows }, (_, at) => `${at}\n`);
      const options = { resourceStoreUri: uriOf(store), filename: "rows.csv", contentType: "text/csv" };
      const saved = await saveFile(lines, options);
      return fileLink(saved, { baseUrl: new URL(url).origin, routePrefix: "/exports" });
    },
  });
  const client = await createClient(server);
  const { content } = await client.callTool("export_rows", { rows: 3 });
  await client.close();
  const [link] = content as readonly { readonly uri: string }[]; // the one block
  expect(link).toEqual({
    type: "resource_link",
    uri: expect.stringMatching(/\/exports\/[\da-f]{32}$/) as string,
    name: "rows.csv",
    mimeType: "text/csv",
    size: 6,
  });
  const response = await fetch(link?.uri ?? "");
  expect(await response.text()).toBe("0\n1\n2\n");
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="rows.csv"');
  rmSync(store, { recursive: true });
  expect((await fetch(link?.uri ?? "")).status).toBe(404);
});

async function* laterParts(parts: readonly string[]): AsyncIterable<string> {
  for (const part of parts) {
    await delay(1);
    yield part;
  }
}
