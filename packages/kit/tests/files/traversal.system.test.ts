import { readFileSync, symlinkSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen, makeFolder, MOUNTS, rawGet, serveFolder, statusOf } from "../support/files/served-store.js";
import { CORPUS, hasEscaped, makeBaitedStore, words } from "../../../../tools/attack/traversal-corpus.js";

/** Creates a store with bait files around and inside it. */
async function makeStore(): Promise<string> {
  const { store, close } = await makeBaitedStore(makeFolder());
  onTestFinished(close);
  return store;
}

/** Sends every target in the corpus over a few sockets at a time. */
async function fireAll(app: RequestListener): Promise<readonly (readonly [string, string])[]> {
  const port = await listen(app);
  const answers: (readonly [string, string])[] = [];
  const queue = [...CORPUS];
  const gunner = async () => {
    for (let target = queue.pop(); target !== undefined; target = queue.pop()) {
      answers.push([target, await rawGet(port, target)]);
    }
  };
  await Promise.all(Array.from({ length: 16 }, gunner));
  return answers;
}

describe("path traversal", () => {
  test("the corpus is large and breaks a naive server", async () => {
    expect(CORPUS.length).toBeGreaterThan(300);
    const store = await makeStore();
    const answers = await fireAll((request, response) => {
      try {
        const path = decodeURIComponent((request.url ?? "").replace(/^\/exports/, ""));
        if (/pipe|device|socket/.test(path)) throw new Error("would never end");
        response.end(readFileSync(join(store, path)));
      } catch {
        response.writeHead(404).end();
      }
    });
    expect(answers.filter(([, answer]) => hasEscaped(answer)).length).toBeGreaterThan(30);
  });

  test.each(MOUNTS.filter(([name]) => !name.includes("root")))(
    "Z36: on %s, the corpus reads no file",
    async (_name, mount) => {
      const answers = await fireAll(mount(await makeStore()));
      expect(answers).toHaveLength(CORPUS.length);
      expect(answers.filter(([, answer]) => hasEscaped(answer))).toEqual([]);
      // 400 comes from the HTTP parser or from Express, before the router runs.
      expect(answers.filter(([, answer]) => ![400, 404].includes(statusOf(answer)))).toEqual([]);
    },
  );

  test("Z36: regular files are still served afterwards", async () => {
    const { port } = await serveFolder(await makeStore());
    expect(await rawGet(port, "/exports/ok")).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\ninside$/);
    expect(await rawGet(port, "/exports/%6f%6B")).toMatch(/\r\n\r\ninside$/);
  });

  test.each([
    ...words`../secret.txt /etc/passwd ..\secret.txt folder/secret.txt up/secret.txt .env link-out.txt link-in.csv`,
    ...words`device.bin pipe.csv socket.csv folder . .. ./ok.csv folder/../ok.csv %2e%2e%2fsecret.txt`,
    "",
    "ok.csv\0",
  ])("Z36: rejects the file name %j from getMetadata", async (filename) => {
    const { port } = await serveFolder(await makeStore(), { getMetadata: () => ({ filename }) });
    expect(statusOf(await rawGet(port, "/exports/x"))).toBe(404);
  });

  test("Z36: a store can be behind a symbolic link", async () => {
    const store = await makeStore();
    const link = join(store, "..", "alias");
    symlinkSync(store, link);
    const { port } = await serveFolder(link);
    expect(await rawGet(port, "/exports/ok")).toMatch(/\r\n\r\ninside$/);
    expect(statusOf(await rawGet(port, "/exports/link-out"))).toBe(404);
  });
});
