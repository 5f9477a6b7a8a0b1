/**
 * @fileoverview The `tenon token` command: creates a signed token for development and prints it to standard output.
 * The secret is read from the environment or a file, and is never printed.
 * @module cli/commands/token
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import type { ArgsDef } from "citty";
import { SignJWT } from "jose/jwt/sign";
import { encodeUtf8 } from "@tenon/internal/utf8";
import {
  cliError,
  type Command,
  EXIT,
  type Terminal,
  usageError,
} from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/text";
import { isJsonOutput, outputArgs } from "../client/target.js";

const ARGS: ArgsDef = {
  scope: {
    type: "string",
    valueHint: "scopes",
    description: "Token scopes, separated by spaces or commas. Can be repeated",
  },
  "secret-env": {
    type: "string",
    valueHint: "variable",
    description: "Environment variable that contains the secret (default: MCP_AUTH_SECRET_KEY)",
  },
  "env-file": {
    type: "string",
    valueHint: "file",
    description: "File with variables, used if the variable is not set (default: .env, if it exists)",
  },
  audience: { type: "string", valueHint: "name", description: "Token audience (aud claim)" },
  issuer: { type: "string", valueHint: "name", description: "Token issuer (iss claim)" },
  subject: {
    type: "string",
    valueHint: "name",
    description: "Token subject: the user (sub claim; default: developer)",
  },
  "client-id": {
    type: "string",
    valueHint: "name",
    description: "Client ID (client_id claim; default: tenon-cli)",
  },
  "expires-in": {
    type: "string",
    valueHint: "time",
    description: "Lifetime, such as 90s, 30m, 12h, or 7d (default: 1h)",
  },
  algorithm: {
    type: "enum",
    options: ["HS256", "HS384", "HS512"],
    description: "Signature algorithm (default: HS256, the only one that @tenon/auth accepts)",
  },
  ...outputArgs("Print the token and its claims as JSON"),
};

/** The `token` command. Standard output contains only the token, so that `$(tenon token …)` works. */
export const tokenCommand: Command = {
  name: "token",
  usage: "tenon token",
  synopsis: "tenon token --scope <SCOPES> [OPTIONS]",
  description: "Create a token for development, signed with the server's secret (jwt mode)",
  args: ARGS,
  repeatable: ["scope"],
  hints: {
    scopes: "Did you mean --scope?",
    secret: "Put the secret in an environment variable, and pass its name with --secret-env.",
  },
  examples: [
    `tenon token --scope "notes:read notes:write" --secret-env MCP_AUTH_SECRET_KEY`,
    "export TOKEN=$(tenon token --scope notes:read --subject ada --expires-in 8h)",
    "tenon list http://127.0.0.1:3000/mcp --bearer-env TOKEN",
  ],
  async run(invocation, terminal) {
    const { text, all } = invocation;
    const scopes = parseScopes(all("scope"));
    const algorithm = text("algorithm") ?? "HS256";
    const variable = parseVariable(text("secret-env") ?? "MCP_AUTH_SECRET_KEY");
    const seconds = parseLifetime(text("expires-in") ?? "1h");
    const names = {
      issuer: parseName("issuer", text("issuer")),
      audience: parseName("audience", text("audience")),
      subject: parseName("subject", text("subject")) ?? "developer",
      clientId: parseName("client-id", text("client-id")) ?? "tenon-cli",
    };
    const secret = checkSecret(await readSecret(variable, text("env-file"), terminal), {
      variable,
      algorithm,
    });
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      ...(names.issuer === undefined ? {} : { iss: names.issuer }),
      ...(names.audience === undefined ? {} : { aud: names.audience }),
      sub: names.subject,
      client_id: names.clientId,
      scope: scopes.join(" "),
      iat: now,
      exp: now + seconds,
    };
    const token = await new SignJWT(claims).setProtectedHeader({ alg: algorithm, typ: "JWT" }).sign(secret);
    terminal.stderr.write(
      "This token is for development only. In production, use tokens from your authorization server.\n",
    );
    terminal.stdout.write(
      `${isJsonOutput(invocation) ? JSON.stringify({ token, claims }, null, 2) : token}\n`,
    );
    return EXIT.ok;
  },
};

/** Maximum lifetime of a token in seconds: one year. */
const MAX_SECONDS = 365 * 86_400;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** Minimum length of the secret in bytes: the size of the hash (RFC 7518, section 3.2). */
const SECRET_BYTES: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };

function parseScopes(given: readonly string[]): readonly string[] {
  const scopes = given.flatMap((one) => one.split(/[\s,]+/)).filter((scope) => scope !== "");
  if (scopes.length === 0) {
    throw usageError(
      "--scope is required, because servers reject tokens without scopes. For example: --scope notes:read",
    );
  }
  const wrong = scopes.find((scope) => scope.length > 256 || !/^[!#-[\]-~]+$/.test(scope));
  if (wrong !== undefined) {
    throw usageError(
      `--scope must contain only visible ASCII characters except " and \\; got "${oneLine(wrong, 40)}".`,
    );
  }
  return [...new Set(scopes)];
}

function parseVariable(name: string): string {
  if (/^[A-Za-z_]\w{0,63}$/.test(name)) return name;
  // A secret passed by mistake must not appear in the message.
  throw usageError("--secret-env must be the name of an environment variable, not the secret itself.");
}

function parseLifetime(text: string): number {
  const [, amount, unit = "s"] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? [];
  const seconds = Number(amount ?? 0) * (UNITS[unit || "s"] ?? 0);
  if (seconds >= 1 && seconds <= MAX_SECONDS) return seconds;
  throw usageError(
    `--expires-in must be a time from 1s to 365d, such as 90s, 30m, 12h, or 7d; got "${oneLine(text, 40)}".`,
  );
}

function parseName(flag: string, text: string | undefined): string | undefined {
  if (text === undefined || /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,512}$/u.test(text)) return text;
  throw usageError(`--${flag} must be 1 to 512 characters long, without control characters.`);
}

/** Reads the secret from the environment, or from a file if the variable is not set. */
async function readSecret(
  variable: string,
  file: string | undefined,
  { env, cwd }: Terminal,
): Promise<string | undefined> {
  const set = env[variable];
  if (set !== undefined && set !== "" && file === undefined) return set;
  const content = await readFile(resolve(cwd, file ?? ".env"), "utf8").catch(() => undefined);
  if (content === undefined && file !== undefined)
    throw cliError(`Could not read "${oneLine(file, 200)}". Check the path and its permissions.`);
  return content === undefined ? undefined : parseEnv(content)[variable];
}

interface SecretRule {
  readonly variable: string;
  readonly algorithm: string;
}

function checkSecret(secret: string | undefined, { variable, algorithm }: SecretRule): Uint8Array {
  if (secret === undefined || secret.trim() === "") {
    throw cliError(
      `Environment variable ${variable} is not set, and the file .env does not contain it. ` +
        "Set it to the secret that the server uses.",
    );
  }
  const bytes = encodeUtf8(secret);
  const least = SECRET_BYTES[algorithm] ?? 32;
  if (bytes.length >= least) return bytes;
  throw cliError(
    `The secret in ${variable} must be at least ${least} bytes long for ${algorithm}; got ${bytes.length}. ` +
      `Create one with: openssl rand -base64 ${least}`,
  );
}
