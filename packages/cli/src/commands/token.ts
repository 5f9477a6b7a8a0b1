/**
 * @fileoverview The `tenon token` command: creates a signed token for development and prints it to standard output.
 * The secret is read from the environment or a file, and is never printed.
 * @module cli/commands/token
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { SignJWT } from "jose/jwt/sign";
import { cliError, EXIT, type Terminal, usageError } from "@tenon/internal/command-line/command";
import { choice, repeated, value } from "@tenon/internal/command-line/flags";
import { custom, text } from "@tenon/internal/options/option-rows";
import { oneLine } from "@tenon/internal/text";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { defineCommand, outputArgs, printResult, variableFlag } from "../define-command.js";

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

const LIFETIME = custom<number>({
  expected: "a time from 1s to 365d, such as 90s, 30m, 12h, or 7d",
  accepts: (seconds) => typeof seconds === "number" && seconds >= 1 && seconds <= 365 * 86_400,
  fromText(given) {
    const [, amount, unit] = /^(\d{1,9})([smhd]?)$/.exec(given) ?? [];
    return amount === undefined ? given : Number(amount) * (UNITS[unit || "s"] ?? 0);
  },
});

const NAME = {
  option: text({
    pattern: /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,512}$/u,
    expected: "1 to 512 characters long, without control characters",
  }),
};

/** The `token` command. Standard output contains only the token, so that `$(tenon token …)` works. */
export const tokenCommand = defineCommand({
  name: "token",
  synopsis: "tenon token --scope <SCOPES> [OPTIONS]",
  description: "Create a token for development, signed with the server's secret (jwt mode)",
  args: {
    scope: repeated("scopes", "Token scopes, separated by spaces or commas"),
    "secret-env": variableFlag(
      "secret",
      "Environment variable that contains the secret (default: MCP_AUTH_SECRET_KEY)",
    ),
    "env-file": value(
      "file",
      "File with variables, used if the variable is not set (default: .env, if it exists)",
    ),
    audience: value("name", "Token audience (aud claim)", NAME),
    issuer: value("name", "Token issuer (iss claim)", NAME),
    subject: value("name", "Token subject: the user (sub claim; default: developer)", NAME),
    "client-id": value("name", "Client ID (client_id claim; default: tenon-cli)", NAME),
    "expires-in": value("time", "Lifetime, such as 90s, 30m, 12h, or 7d (default: 1h)", {
      option: LIFETIME,
    }),
    algorithm: choice(
      ["HS256", "HS384", "HS512"],
      "Signature algorithm (default: HS256, the only one that @tenon/auth accepts)",
    ),
    ...outputArgs("Print the token and its claims as JSON"),
  },
  hints: {
    scopes: "Did you mean --scope?",
    secret: "Put the secret in an environment variable, and pass its name with --secret-env.",
  },
  examples: [
    `tenon token --scope "notes:read notes:write" --secret-env MCP_AUTH_SECRET_KEY`,
    "export TOKEN=$(tenon token --scope notes:read --subject ada --expires-in 8h)",
    "tenon list http://127.0.0.1:3000/mcp --bearer-env TOKEN",
  ],
  async run(flags, terminal) {
    const { algorithm = "HS256", secretEnv: variable = "MCP_AUTH_SECRET_KEY", expiresIn = 3_600 } = flags;
    const scopes = parseScopes(flags.scope);
    const secret = checkSecret(await readSecret(variable, flags.envFile, terminal), { variable, algorithm });
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      ...(flags.issuer === undefined ? {} : { iss: flags.issuer }),
      ...(flags.audience === undefined ? {} : { aud: flags.audience }),
      sub: flags.subject ?? "developer",
      client_id: flags.clientId ?? "tenon-cli",
      scope: scopes.join(" "),
      iat: now,
      exp: now + expiresIn,
    };
    const token = await new SignJWT(claims).setProtectedHeader({ alg: algorithm, typ: "JWT" }).sign(secret);
    terminal.stderr.write(
      "This token is for development only. In production, use tokens from your authorization server.\n",
    );
    printResult(flags, terminal, { json: { token, claims }, text: () => `${token}\n` });
    return EXIT.ok;
  },
});

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
