import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAuthorization } from "../src/index.js";
import { runModule } from "../../../tests/support/run-module.js";
import { ROOT } from "../../../tests/support/source-files.js";
import { hmacToken } from "./tokens.js";

const SECRET = "a-secret-of-more-than-32-bytes-for-this";
const folder = mkdtempSync(`${tmpdir()}/tenon-auth-`);
const outfile = `${folder}/auth.mjs`;
let external: readonly string[] = [];

beforeAll(async () => {
  const entryPoints = [`${ROOT}/packages/auth/src/index.ts`];
  const { metafile } = await build({
    entryPoints,
    outfile,
    bundle: true,
    format: "esm",
    platform: "neutral",
    metafile: true,
    external: ["jose", "node:*"],
    logLevel: "silent",
  });
  external = Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.filter((one) => one.external).map(({ path, kind }) => `${kind} ${path}`),
  );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("nothing is imported but jose, and that when it is needed", () => {
  expect([...new Set(external)]).toEqual(["dynamic-import jose"]);
  expect(readFileSync(outfile, "utf8")).not.toMatch(/\b(?:Buffer|process|require)\b(?!\w|')/);
});

test("without jose, what needs it says how to install it, and the rest works", () => {
  const token = hmacToken({ alg: "HS256" }, { cid: "a", scp: ["a"], exp: 4e9 }, SECRET);
  const { code, stdout, stderr } = runModule(
    `import { createAuthorization } from ${JSON.stringify(outfile)};
     const show = (authorization, value) => authorization.authenticate({ method: "POST", url: "/", header: () => value });
     const say = (event) => console.log(event.type, event.error?.message ?? event.reason);
     const authorization = createAuthorization({ mode: "jwt", secretKey: ${JSON.stringify(SECRET)}, onEvent: say });
     console.log(JSON.stringify(await show(createAuthorization({ mode: "none" }))));
     console.log((await show(authorization)).status);
     await show(authorization, "Bearer ${token}").catch((error) => console.log(error.message));`,
    [],
    folder,
  );
  expect({ code, stderr, lines: stdout.trim().split("\n") }).toEqual({
    code: 0,
    stderr: "",
    lines: [
      "{}",
      "refused missing",
      "401",
      "failed tenon/auth needs jose: npm install jose",
      "tenon/auth needs jose: npm install jose",
    ],
  });
});

test("T57: what is known of a caller cannot be changed by a handler", async () => {
  const authorization = createAuthorization({ mode: "jwt", secretKey: SECRET });
  const token = hmacToken({ alg: "HS256" }, { cid: "a", scp: ["a"], exp: 4e9 }, SECRET);
  const found = await authorization.authenticate({
    method: "POST",
    url: "/",
    header: () => `Bearer ${token}`,
  });
  if (!("auth" in found) || found.auth === undefined) throw new Error("the token was refused");
  const { auth } = found;
  expect(() => (auth.scopes as string[]).push("admin")).toThrow(TypeError);
  expect(Object.isFrozen(auth)).toBe(true);
});
