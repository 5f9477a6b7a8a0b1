import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAuthorization } from "../src/index.js";
import { NO_CODE_GENERATION, runModule } from "../../../tests/support/run-module.js";
import { ROOT } from "../../../tools/source-files.js";
import { createSigner, hmacToken, signToken } from "../../../tools/tokens/tokens.js";

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

test("fetches keys with the global fetch if there is no Node.js, and still checks addresses in URLs", () => {
  const signer = createSigner("ES256", "first");
  const { kid, alg, jwk } = signer;
  const claims = { iss: "@", aud: "a", client_id: "a", exp: 4e9 };
  const { code, stdout, stderr } = runModule(
    `import { createServer } from "node:http";
     import { createAuthorization } from ${JSON.stringify(whole)};
     const server = createServer((request, response) => response.end('${JSON.stringify({ keys: [jwk] })}'));
     await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
     const base = "http://127.0.0.1:" + server.address().port;
     const real = globalThis.fetch;
     const fetched = [];
     globalThis.fetch = (url, init) => (fetched.push(url.replace(base, "")), real(url, init));
     delete globalThis.process;
     const show = async (options) => {
       const { authenticate } = createAuthorization({ mode: "oauth", audience: "a", discover: false, ...options });
       const token = "${signToken({ alg, kid }, claims, signer)}";
       return (await authenticate({ method: "POST", url: "/", header: () => "Bearer " + token })).status;
     };
     console.log(await show({ issuer: base }), await show({ issuer: "https://169.254.169.254" }), fetched.join());
     server.closeAllConnections();
     server.close();`,
    [],
    folder,
  );
  // The token names a different issuer, which is checked after its signature.
  expect({ code, stderr, stdout }).toEqual({
    code: 0,
    stderr: "",
    stdout: "401 503 /.well-known/jwks.json\n",
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
