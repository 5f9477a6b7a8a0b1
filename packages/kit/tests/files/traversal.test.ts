import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen, makeFolder, MOUNTS, rawGet, serveFolder, statusOf } from "./served-store.js";

/** Content of every file that must not be served, and of no other. */
const CANARY = "CANARY-7f1d";

/** Creates a store with bait files around and inside it. */
async function makeStore(): Promise<string> {
  const base = makeFolder();
  const store = join(base, "store");
  mkdirSync(join(store, "folder"), { recursive: true });
  mkdirSync(join(base, "store-sibling"));
  writeFileSync(join(store, "ok.csv"), "inside");
  for (const bait of ["secret.txt", "store-sibling/secret.txt", "store/.env", "store/folder/secret.txt"]) {
    writeFileSync(join(base, bait), CANARY);
  }
  symlinkSync("../secret.txt", join(store, "link-out.txt"));
  symlinkSync("ok.csv", join(store, "link-in.csv"));
  symlinkSync("..", join(store, "up"));
  symlinkSync("/dev/zero", join(store, "device.bin"));
  symlinkSync("loop.txt", join(store, "loop.txt"));
  execFileSync("mkfifo", [join(store, "pipe.csv")]);
  const socket = createServer().listen(join(store, "socket.csv"));
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  return store;
}

const words = ({ raw: [text = ""] }: TemplateStringsArray) => text.trim().split(/\s+/);

const DOTS = words`
  .. %2e%2e %2E. .%2e %252e%252e %25252e%25252e ..%00 %00.. %c0%ae%c0%ae %e0%80%ae%e0%80%ae %uff0e%uff0e
  %ef%bc%8e%ef%bc%8e .... ..; .%20. up store/..`;
const SLASHES = words`
  / // /./ \ %2f %2F %5c %5C %252f %255c %c0%af %e0%80%af %ef%bc%8f %2f%2f /%2e/`;

/** Target files, and their depth above the store. */
const GOALS = [
  [1, "secret.txt"],
  [1, "secret"],
  [1, "store-sibling/secret.txt"],
  [8, "etc/passwd"],
] as const;

/** Traversal paths in every spelling. */
const CLIMBS = DOTS.flatMap((dots) =>
  SLASHES.flatMap((slash) =>
    GOALS.map(([depth, goal]) => `/exports/${(dots + slash).repeat(depth)}${goal.replaceAll("/", slash)}`),
  ),
);

/** Single paths: absolute paths, links, dotfiles, special files, odd spellings, odd targets. */
const SHOTS = [
  ...words`//etc/passwd /%2fetc%2fpasswd /%2Fetc/passwd /file:///etc/passwd /C:%5cwindows%5cwin.ini /~root`,
  ...words`/.env /%2eenv /%2Eenv /. /.. /%2e /%2e%2e /.%2fok.csv /folder /folder/ /folder%2f /folder/secret`,
  ...words`/folder/secret.txt /folder%2fsecret.txt /folder%5csecret.txt /link-out /link-out.txt /link-in /link-in.csv`,
  ...words`/up /up/secret.txt /up%2fsecret.txt /device /device.bin /loop /pipe /pipe.csv /socket /socket.csv /CON /nul`,
  ...words`/ok%00 /ok%00.csv /ok%0a /ok.csv::$DATA /ok%20 /ok. /ok/ /ok/x /ok%2f //ok /% /%zz /%ff%fe /;/ok /* /[a-z]*`,
  ...words`sibling/secret.txt %2fsecret.txt`,
  `/${"a".repeat(300)}`,
  `/${"%c3%bc".repeat(200)}`,
].map((rest) => `/exports${rest}`);

const ODD_TARGETS = [
  "http://localhost/exports/../secret.txt",
  "http://localhost/exports/..%2fsecret.txt",
  "/exports/../exports/../secret.txt",
  "/./exports/../secret.txt",
  "/exports\\..\\secret.txt",
  "/exports/x?../../secret.txt",
  "/exports/..?/secret.txt",
  "/exports/#/../../secret.txt",
];

const CORPUS = [...new Set([...CLIMBS, ...SHOTS, ...ODD_TARGETS])];

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

const hasEscaped = (answer: string) => /CANARY-7f1d|root:.*:0:0/.test(answer);

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
