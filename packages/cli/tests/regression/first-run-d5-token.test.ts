import { writeFileSync } from "node:fs";
import { jwtVerify } from "jose";
import { expect, onTestFinished, test } from "vitest";
import { createAuthorization } from "@tenon/auth";
import { serve } from "tenon/node";
import { defineServer } from "tenon";
import { temporaryFolder, tenonInProcess } from "../../../../tests/support/program.js";

const SECRET = "a secret of at least thirty-two bytes";
const KEY = new TextEncoder().encode(SECRET);
const WARNING =
  "This token is for development only. In production, use tokens from your authorization server.\n";
const withSecret = { env: { MY_SECRET: SECRET } };

test("first-run-d5: `token` prints only the token to stdout, with all claims", async () => {
  const words = ["token", "--scope", "notes:read notes:write", "--scope", "a,b", "--secret-env", "MY_SECRET"];
  const more = ["--audience", "notes", "--issuer", "https://id.example.com", "--subject", "ada"];
  const { code, stdout, stderr } = await tenonInProcess(
    [...words, ...more, "--expires-in", "2h"],
    withSecret,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: WARNING });
  const { payload, protectedHeader } = await jwtVerify(stdout.trimEnd(), KEY);
  expect(protectedHeader.alg).toBe("HS256");
  expect(payload).toMatchObject({
    scope: "notes:read notes:write a b",
    aud: "notes",
    iss: "https://id.example.com",
    sub: "ada",
    client_id: "tenon-cli",
  });
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(7_200);
});

test("first-run-d5: the token opens a server with `createAuthorization` in jwt mode", async () => {
  const server = defineServer({ name: "notes", version: "1.0.0" }).tool("whoami", {
    scopes: ["notes:read"],
    handler: (_args, call) => call.auth?.subject ?? "unknown",
  });
  const authorization = createAuthorization({ mode: "jwt", secretKey: SECRET, audience: "notes" });
  const running = await serve(server, {
    transport: { type: "http", port: 0 },
    signals: false,
    banner: false,
    authorization,
  });
  onTestFinished(() => running.close());
  const words = ["token", "--scope", "notes:read", "--audience", "notes", "--secret-env", "MY_SECRET"];
  const TOKEN = (await tenonInProcess([...words, "--subject", "ada"], withSecret)).stdout.trimEnd();
  const call = ["call", running.url ?? "", "whoami", "--bearer-env", "TOKEN"];
  expect(await tenonInProcess(call, { env: { TOKEN } })).toEqual({ code: 0, stdout: "ada\n", stderr: "" });
});

test("first-run-d5: the secret comes from MCP_AUTH_SECRET_KEY in .env by default", async () => {
  const cwd = temporaryFolder();
  writeFileSync(`${cwd}/.env`, `MCP_AUTH_MODE=jwt\nMCP_AUTH_SECRET_KEY="${SECRET}"\n`);
  const { code, stdout } = await tenonInProcess(["token", "--scope", "x", "--json"], { cwd });
  expect(code).toBe(0);
  const { token, claims } = JSON.parse(stdout) as { token: string; claims: object };
  expect((await jwtVerify(token, KEY)).payload).toEqual(claims);
});

test.each<[readonly string[], Readonly<Record<string, string>>, number, string]>([
  [["--scope", "x"], {}, 1, "Environment variable MCP_AUTH_SECRET_KEY is not set"],
  [
    ["--scope", "x", "--secret-env", "S"],
    { S: "short s3cret" },
    1,
    "The secret in S must be at least 32 bytes long for HS256; got 12. Create one with: openssl rand -base64 32\n",
  ],
  [
    ["--scope", "x", "--secret-env", "S", "--algorithm", "HS512"],
    { S: "s3cret".repeat(6) },
    1,
    "The secret in S must be at least 64 bytes long for HS512; got 36.",
  ],
  [
    ["--scope", "x", "--secret-env", "my s3cret"],
    {},
    2,
    "--secret-env must be the name of an environment variable, not the secret itself.\n",
  ],
  [["--scope", "x", "--secret", "s3cret"], {}, 2, "Unknown flag --secret. Put the secret in an environment"],
  [[], {}, 2, "--scope is required"],
  [["--scope", 'a"b'], {}, 2, "--scope must contain only visible ASCII characters"],
  [["--scope", "x", "--expires-in", "soon"], {}, 2, "--expires-in must be a time from 1s to 365d"],
  [["--scope", "x", "--expires-in", "400d"], {}, 2, "--expires-in must be a time from 1s to 365d"],
  [["--scope", "x", "--algorithm", "RS256"], {}, 2, "--algorithm must be one of HS256, HS384, HS512"],
])("first-run-d5: %j is rejected without printing the secret", async (args, env, code, message) => {
  const ended = await tenonInProcess(["token", ...args], { env });
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: "" });
  expect(ended.stderr).toContain(message);
  expect(ended.stderr).not.toContain("s3cret");
});
