import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../../../../tools/source-files.js";
import { runBounded } from "../../../../tools/process.js";
import { type AuthorizationEvent, createAuthorization } from "../../src/index.js";
import type { OAuthOptions } from "../../src/options.js";
import { goodClaims, RESOURCE } from "../../../../tools/tokens/issuer.js";
import { createSigner, signToken } from "../../../../tools/tokens/tokens.js";

const ISSUER = "https://id.example.com";
const METADATA = `${ISSUER}/.well-known/oauth-authorization-server`;
const signer = createSigner("ES256", "first");

/** Shows a token to a server whose remote issuer publishes this key URL. */
async function discover(jwksUri: string, options: Partial<OAuthOptions> = {}) {
  const asked: string[] = [];
  const events: AuthorizationEvent[] = [];
  const issuer = options.issuer ?? ISSUER;
  const authorization = createAuthorization({
    mode: "oauth",
    issuer,
    resource: RESOURCE,
    onEvent: (event) => void events.push(event),
    async fetch(url) {
      asked.push(url);
      return Response.json(url === jwksUri ? { keys: [signer.jwk] } : { issuer, jwks_uri: jwksUri });
    },
    ...options,
  });
  const token = signToken({ alg: "ES256", kid: "first" }, goodClaims(issuer), signer);
  const header = () => `Bearer ${token}`;
  const found = await authorization.authenticate({ method: "POST", url: "/mcp", header });
  return { asked, event: events[0], status: "status" in found ? found.status : 200 };
}

describe("a remote issuer's key URL", () => {
  test.each([
    ["https://127.0.0.1/keys", "a loopback address"],
    ["https://127.1/keys", "a loopback address"],
    ["https://localhost/keys", "a loopback address"],
    ["https://localhost./keys", "a loopback address"],
    ["https://[::1]/keys", "a loopback address"],
    ["https://[::ffff:127.0.0.1]/keys", "a loopback address"],
    ["https://0.0.0.0/keys", "an unspecified address"],
    ["https://10.0.0.5/keys", "a private address"],
    ["https://192.168.1.1:8443/keys", "a private address"],
    ["https://vault.internal/keys", "a private address"],
    ["https://169.254.169.254/latest/meta-data", "a cloud-metadata address"],
    ["https://169.254.1.1/keys", "a link-local address"],
    ["https://[fe80::1]/keys", "a link-local address"],
  ])("%s is not requested", async (url, kind) => {
    const { asked, event, status } = await discover(url);
    expect({ asked, status }).toEqual({ asked: [METADATA], status: 503 });
    expect(event).toEqual({
      type: "keys-failed",
      message: expect.stringMatching(
        new RegExp(`^The request was not sent, because the host is ${kind}`),
      ) as unknown,
    });
  });

  test.each<readonly [url: string, options: Partial<OAuthOptions>]>([
    ["https://keys.example.org/keys", {}],
    ["https://10.0.0.5/keys", { allowPrivateNetworks: true }],
    ["https://10.0.0.5/keys", { allowPrivateNetworks: ["10.0.0.5"] }],
    ["https://127.0.0.1/keys", { allowPrivateNetworks: ["127.0.0.1"] }],
    ["https://10.0.0.5/keys", { issuer: "https://10.0.0.4" }],
    ["https://10.0.0.5/keys", { jwksUri: "https://10.0.0.5/keys" }],
    ["https://localhost/keys", { issuer: "https://localhost:8443" }],
  ])("%s is requested with %j", async (url, options) => {
    expect(await discover(url, options)).toMatchObject({ status: 200, event: undefined });
  });
});

/** Real TLS and a fake resolver, in a process that trusts the certificate. All names resolve to this machine. */
const SCRIPT = `
import dns from "node:dns";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { createAuthorization } from "./auth.mjs";
const looked = [];
const { lookup } = dns;
dns.lookup = (host, options, callback) => {
  if (host === "127.0.0.1") return lookup(host, options, callback); // from listen()
  looked.push(host);
  const family = 4;
  if (options.all) callback(null, [{ address: "127.0.0.1", family }]);
  else callback(null, "127.0.0.1", family);
};
const asked = [];
const server = createServer({ key: readFileSync("key.pem"), cert: readFileSync("cert.pem") }, (request, response) => {
  asked.push(request.headers.host.replace(/:.*/, "") + request.url);
  const host = "https://" + request.headers.host;
  const keys = request.url.includes("moved") ? host.replace("id.", "keys.") : host;
  const metadata = { issuer: host + request.url.replace(/^.*authorization-server/, ""), jwks_uri: keys + "/keys" };
  response.end(request.url === "/keys" ? readFileSync("keys.json") : JSON.stringify(metadata));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address();
const show = async (host, path, allowPrivateNetworks) => {
  asked.length = looked.length = 0;
  let message;
  const { authenticate } = createAuthorization({
    mode: "oauth",
    issuer: "https://" + host + ":" + port + path,
    audience: "a",
    allowPrivateNetworks,
    onEvent: (event) => (message ??= event.message ?? event.reason),
  });
  const header = () => "Bearer " + process.env.TOKEN;
  const { status } = await authenticate({ method: "POST", url: "/", header });
  return { status, message, asked: [...asked], looked: [...looked] };
};
const listed = ["id.example.com", "other.example.com"];
const results = [
  await show("id.example.com", "", listed),
  await show("id.example.com", "", true),
  await show("id.example.com", "/moved", listed),
  await show("other.example.com", "", listed),
];
console.log(JSON.stringify(results));
server.close();
`;

describe("with TLS and names that resolve to this machine", () => {
  const folder = mkdtempSync(`${tmpdir()}/tenon-keys-`);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let results: unknown;

  beforeAll(async () => {
    await build({
      entryPoints: [`${ROOT}/packages/auth/src/index.ts`],
      outfile: `${folder}/auth.mjs`,
      bundle: true,
      format: "esm",
      platform: "neutral",
      logLevel: "silent",
    });
    const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const subject = ["-subj", "/CN=test", "-addext", "subjectAltName=DNS:id.example.com", "-days", "2"];
    const files = ["-keyout", "key.pem", "-out", "cert.pem"];
    const options = { cwd: folder, timeoutMs: 60_000 };
    const made = await runBounded("openssl", [...request, ...subject, ...files], options);
    if (!made.ok) throw new Error(made.output);
    writeFileSync(`${folder}/keys.json`, JSON.stringify({ keys: [signer.jwk] }));
    writeFileSync(`${folder}/main.mjs`, SCRIPT);
    const env = {
      NODE_EXTRA_CA_CERTS: `${folder}/cert.pem`,
      TOKEN: signToken({ alg: "ES256", kid: "first" }, goodClaims("", { iss: "unknown" }), signer),
    };
    const run = await runBounded(process.execPath, ["main.mjs"], { ...options, env });
    if (!run.ok) throw new Error(run.output);
    results = JSON.parse(run.output);
  });

  const metadata = "/.well-known/oauth-authorization-server";
  const isLoopback = expect.stringContaining("the host is a loopback address") as unknown;

  test("an allowed issuer's certificate is checked against its name, and each request resolves it once", () => {
    // The keys were fetched, so the token was rejected only for its issuer.
    expect(results).toMatchObject({
      0: {
        status: 401,
        message: "issuer",
        asked: [`id.example.com${metadata}`, "id.example.com/keys"],
        looked: ["id.example.com", "id.example.com"],
      },
    });
  });

  test("`true` does not allow a name that resolves to this machine", () => {
    expect(results).toMatchObject({ 1: { status: 503, message: isLoopback, asked: [] } });
  });

  test("a key URL whose name resolves to this machine is not requested", () => {
    expect(results).toMatchObject({
      2: {
        status: 503,
        message: isLoopback,
        asked: [`id.example.com${metadata}/moved`],
        looked: ["id.example.com", "keys.example.com"],
      },
    });
  });

  test("a certificate for a different name is rejected", () => {
    expect(results).toMatchObject({
      3: {
        status: 503,
        message: "The server could not be reached (ERR_TLS_CERT_ALTNAME_INVALID).",
        asked: [],
      },
    });
  });
});
