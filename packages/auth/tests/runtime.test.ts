import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAuthorization } from "../src/index.js";
import { NO_CODE_GENERATION, runModule } from "../../../tests/support/run-module.js";
import { ROOT } from "../../../tests/support/source-files.js";
import { hmacToken } from "./tokens.js";

const SECRET = "a-secret-of-more-than-32-bytes-for-this";
const TOKEN = hmacToken({ alg: "HS256" }, { cid: "a", scp: ["a"], exp: 4e9 }, SECRET);
const folder = mkdtempSync(`${tmpdir()}/tenon-auth-`);

/** Bundles the package for any runtime. Returns the imports that remain in the bundle. */
async function bundle(outfile: string, external: readonly string[]): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [`${ROOT}/packages/auth/src/index.ts`],
    outfile,
    bundle: true,
    format: "esm",
    platform: "neutral",
    metafile: true,
    external: [...external],
    logLevel: "silent",
  });
  return Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.filter((one) => one.external).map(({ path, kind }) => `${kind} ${path}`),
  );
}

const own = `${folder}/own.mjs`;
const whole = `${folder}/whole.mjs`;
let ownImports: readonly string[] = [];
let wholeImports: readonly string[] = [];

beforeAll(async () => {
  [ownImports, wholeImports] = await Promise.all([
    bundle(own, ["jose", "node:*"]),
    bundle(whole, ["node:*"]),
  ]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("imports only two modules of jose and uses no Node.js global", () => {
  expect([...new Set(ownImports)].toSorted()).toEqual([
    "import-statement jose/jwks/local",
    "import-statement jose/jws/compact/verify",
  ]);
  expect(readFileSync(own, "utf8")).not.toMatch(/\b(?:Buffer|process)\b\s*[.[(]\w|\brequire\(/);
});

test("verifies a token with web standards only: no node: module, no Buffer, no process, no eval", () => {
  expect(wholeImports).toEqual([]);
  const { code, stdout, stderr } = runModule(
    `import { createAuthorization } from ${JSON.stringify(whole)};
     delete globalThis.Buffer;
     delete globalThis.process;
     const authorization = createAuthorization({ mode: "jwt", secretKey: ${JSON.stringify(SECRET)} });
     const show = (value) => authorization.authenticate({ method: "POST", url: "/", header: () => value });
     console.log((await show()).status);
     console.log((await show("Bearer ${TOKEN}x")).status);
     console.log((await show("Bearer ${TOKEN}")).auth.clientId);`,
    [NO_CODE_GENERATION],
    folder,
  );
  expect({ code, stderr, lines: stdout.trim().split("\n") }).toEqual({
    code: 0,
    stderr: "",
    lines: ["401", "401", "a"],
  });
});

test("T57: a handler cannot change the caller's data", async () => {
  const authorization = createAuthorization({ mode: "jwt", secretKey: SECRET });
  const found = await authorization.authenticate({
    method: "POST",
    url: "/",
    header: () => `Bearer ${TOKEN}`,
  });
  if (!("auth" in found) || found.auth === undefined) throw new Error("The token was rejected.");
  const { auth } = found;
  expect(() => (auth.scopes as string[]).push("admin")).toThrow(TypeError);
  expect(Object.isFrozen(auth)).toBe(true);
});
