import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import {
  type AuthAdapter,
  AuthRequiredError,
  createMemoryTokenStore,
  createOAuthAdapters,
  type OAuthAdapters,
  type OAuthFactoryConfig,
  type TokenStore,
} from "../src/index.js";
import { ROOT } from "../../../tools/source-files.js";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

const CONFIG: OAuthFactoryConfig = {
  provider: "google",
  service: "gmail",
  clientId: "id.apps.googleusercontent.com",
  scope: "openid https://www.googleapis.com/auth/userinfo.email",
  headless: true,
  tokenStore: createMemoryTokenStore(),
  logger: quiet,
};

const PROVIDER = {
  name: "Example",
  issuer: "https://example.com",
  authorizationEndpoint: "https://example.com/auth",
  tokenEndpoint: "https://example.com/token",
  userEndpoint: "https://example.com/me",
};

/** Returns the URL that the user would open, without sending a request. */
async function authUrlOf(config: Partial<OAuthFactoryConfig>): Promise<URL> {
  const { loopback } = await createOAuthAdapters({
    ...CONFIG,
    tokenStore: createMemoryTokenStore(),
    ...config,
  });
  const error = await loopback.getAccessToken().catch((thrown: unknown) => thrown);
  loopback.close();
  if (!(error instanceof AuthRequiredError)) throw new Error("Expected an AuthRequiredError.");
  return new URL(error.authUrl);
}

describe("createOAuthAdapters", () => {
  test("Z13: always returns a loopback adapter", async () => {
    for (const provider of ["google", "microsoft", PROVIDER] as const) {
      const adapters = await createOAuthAdapters({ ...CONFIG, provider });
      expect(Object.keys(adapters)).toEqual(["loopback"]);
      expect(adapters.loopback.getAccessToken).toBeTypeOf("function");
      expect(adapters.loopback.getUserEmail).toBeTypeOf("function");
    }
    expectTypeOf<OAuthAdapters["loopback"]>().toExtend<AuthAdapter>();
    expectTypeOf<AuthAdapter>().toEqualTypeOf<{
      readonly getAccessToken: (accountId?: string) => Promise<string>;
      readonly getUserEmail: (accountId?: string) => Promise<string>;
    }>();
  });

  test("Z14, Z16: describes Google: offline access, consent, 127.0.0.1", async () => {
    const url = await authUrlOf({});
    expect(`${url.origin}${url.pathname}`).toBe("https://accounts.google.com/o/oauth2/v2/auth");
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      access_type: "offline",
      prompt: "consent",
      client_id: "id.apps.googleusercontent.com",
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/) as string,
      code_challenge_method: "S256",
    });
  });

  test.each([
    [undefined, "common"],
    ["contoso.onmicrosoft.com", "contoso.onmicrosoft.com"],
    ["11111111-2222-3333-4444-555555555555", "11111111-2222-3333-4444-555555555555"],
  ])("Z14, Z16: describes Microsoft for tenant %s: its endpoints, localhost", async (tenant, part) => {
    const url = await authUrlOf({ provider: "microsoft", ...(tenant === undefined ? {} : { tenant }) });
    expect(`${url.origin}${url.pathname}`).toBe(
      `https://login.microsoftonline.com/${part}/oauth2/v2.0/authorize`,
    );
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      prompt: "select_account",
      redirect_uri: expect.stringMatching(/^http:\/\/localhost:\d+\/callback$/) as string,
    });
  });

  test.each<readonly [string, object, string]>([
    [
      "no provider",
      { provider: undefined },
      'createOAuthAdapters: `provider` is required. Set it to "google", "microsoft", or a provider object.',
    ],
    [
      "an unknown provider",
      { provider: "yahoo" },
      'createOAuthAdapters: `provider` must be "google", "microsoft", or a provider object; got "yahoo".',
    ],
    [
      "no service",
      { service: undefined },
      "createOAuthAdapters: `service` is required. Set it to a non-empty string.",
    ],
    ["a service with a colon", { service: "a:b" }, '`service` must not contain a colon; got "a:b".'],
    ["no clientId", { clientId: "" }, 'createOAuthAdapters: `clientId` must be a non-empty string; got "".'],
    [
      "an empty secret",
      { clientSecret: "" },
      "createOAuthAdapters: `clientSecret` must be a non-empty string; got an empty string. Omit it for a public client.",
    ],
    ["no scope", { scope: " " }, 'createOAuthAdapters: `scope` must be a non-empty string; got " ".'],
    [
      "no headless",
      { headless: undefined },
      "createOAuthAdapters: `headless` is required. Set it to true or false.",
    ],
    [
      "no tokenStore",
      { tokenStore: undefined },
      "createOAuthAdapters: `tokenStore` is required. Set it to an object with the methods `get`, `set`, and `delete`, like a Keyv instance.",
    ],
    [
      "an incomplete tokenStore",
      { tokenStore: { get() {} } },
      "createOAuthAdapters: `tokenStore` must be an object with the methods `get`, `set`, and `delete`, like a Keyv instance; got an object.",
    ],
    [
      "no logger",
      { logger: null },
      "createOAuthAdapters: `logger` must be an object with the methods `debug`, `info`, `warn`, and `error`, like `console`; got null.",
    ],
    [
      "a URL as private host",
      { allowPrivateNetworks: ["https://id.example.com"] },
      "createOAuthAdapters: `allowPrivateNetworks` must be true, false, or an array of host names without a scheme and port; " +
        'got "https://id.example.com".',
    ],
    [
      "a tenant for Google",
      { tenant: "common" },
      'createOAuthAdapters: `tenant` is supported only if `provider` is "microsoft". Remove it.',
    ],
    [
      "a path as tenant",
      { provider: "microsoft", tenant: "../evil" },
      'createOAuthAdapters: `tenant` must be a tenant ID or a domain; got "../evil".',
    ],
    [
      "an endpoint over http",
      { provider: { ...PROVIDER, tokenEndpoint: "http://example.com/token" } },
      'createOAuthAdapters: `provider.tokenEndpoint` must be an https URL, or an http URL on a loopback address; got "http://example.com/token".',
    ],
    [
      "an endpoint that is not a URL",
      { provider: { ...PROVIDER, userEndpoint: "javascript:x" } },
      'createOAuthAdapters: `provider.userEndpoint` must be an https URL, or an http URL on a loopback address; got "javascript:x".',
    ],
    [
      "a provider without an issuer",
      { provider: { ...PROVIDER, issuer: "" } },
      'createOAuthAdapters: `provider.issuer` must be a non-empty string; got "".',
    ],
    [
      "a redirect to a different host",
      { provider: { ...PROVIDER, redirectHost: "0.0.0.0" } },
      'createOAuthAdapters: `provider.redirectHost` must be "127.0.0.1", "localhost", or "[::1]"; got "0.0.0.0".',
    ],
    [
      "a redirect path with a query",
      { provider: { ...PROVIDER, redirectPath: "/a?b" } },
      'createOAuthAdapters: `provider.redirectPath` must be a path that starts with a slash and contains only letters, digits, and the characters . / _ -; got "/a?b".',
    ],
  ])("Z17: throws before it loads anything, given %s", async (_case, change, message) => {
    const config = { ...CONFIG, ...change } as OAuthFactoryConfig;
    await expect(createOAuthAdapters(config)).rejects.toMatchObject({ message });
  });

  test("Z18: sends no request, opens no port or browser, and does not access the store", async () => {
    const touched: string[] = [];
    const note = (name: string) => async () => void touched.push(name);
    const tokenStore: TokenStore = { get: note("get"), set: note("set"), delete: note("delete") };
    await createOAuthAdapters(
      { ...CONFIG, headless: false, tokenStore },
      { openBrowser: note("browser"), ports: { startTimer: () => (touched.push("timer"), () => {}) } },
    );
    expect(touched).toEqual([]);
  });

  test("Z16: accepts any store with three methods, such as one based on a Map", async () => {
    const map = new Map<string, unknown>();
    const tokenStore: TokenStore = {
      get: async (key) => map.get(key),
      set: async (key, value) => map.set(key, value),
      delete: async (key) => map.delete(key),
    };
    await expect(createOAuthAdapters({ ...CONFIG, tokenStore })).resolves.toBeDefined();
  });
});

describe("loading", () => {
  const run = promisify(execFile);
  let folder: string;
  let chunks: Readonly<Record<"google" | "microsoft", string>>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tenon-oauth-"));
    await build({
      entryPoints: [`${ROOT}/packages/oauth/src/index.ts`],
      outdir: folder,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      outExtension: { ".js": ".mjs" },
      logLevel: "silent",
    });
    const find = (endpoint: string) =>
      readdirSync(folder).find((file) => readFileSync(join(folder, file), "utf8").includes(endpoint)) ?? "";
    chunks = {
      google: find("oauth2.googleapis.com/token"),
      microsoft: find("login.microsoftonline.com"),
    };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs the bundle in a separate process, and returns its output. */
  async function tryProvider(provider: string, then = "() => console.log('ready')"): Promise<string> {
    const script = `
      import { createMemoryTokenStore, createOAuthAdapters } from ${JSON.stringify(join(folder, "index.mjs"))};
      const config = { service: "s", clientId: "c", scope: "x", headless: true, logger: console };
      await createOAuthAdapters({ ...config, provider: ${provider}, tokenStore: createMemoryTokenStore() })
        .then(${then}).catch((error) => console.log(error.message));`;
    const options = { cwd: folder, timeout: 60_000 };
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], options);
    return stdout.trim();
  }

  test("Z15: loads only the chosen provider, even if the other providers' files are missing", async () => {
    expect(chunks.google).not.toBe("index.mjs");
    expect(chunks.microsoft).not.toBe("index.mjs");
    rmSync(join(folder, chunks.microsoft));
    expect(await tryProvider('"google"')).toBe("ready");
    expect(await tryProvider('"microsoft"')).toContain("Cannot find module");
    rmSync(join(folder, chunks.google));
    expect(await tryProvider('"google"')).toContain("Cannot find module");
    expect(await tryProvider(JSON.stringify(PROVIDER))).toBe("ready");
  });

  test("Z14: a pending headless login does not keep the process running", async () => {
    const ask = "({ loopback }) => loopback.getAccessToken()";
    expect(await tryProvider(JSON.stringify(PROVIDER), ask)).toMatch(/^Sign in with Example first\./);
  });
});
