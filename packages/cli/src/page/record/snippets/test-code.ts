/**
 * @fileoverview A call as a test in TypeScript. A server of Tenon is imported, and other servers are connected to.
 * @module cli/page/record/snippets/test-code
 */
import type { JsonObject } from "@tenon/internal/json";
import { type SnippetCall, type SnippetTarget, variableOf } from "./snippet-call.js";

/** Longest result in characters of JSON that the test compares. */
const MAX_RESULT = 4_000;

/** Writes the test. Returns `undefined` if the server cannot be connected to. */
export function toTestCode(call: SnippetCall, target: SnippetTarget): string | undefined {
  const connection = toConnection(call, target);
  if (connection === undefined) return undefined;
  const { imports, server, options } = connection;
  const given = options === "" ? "" : `, ${options}`;
  return `${[...imports, 'import { expect, test } from "vitest";'].join("\n")}

test(${literal(`${TITLES[call.method]} ${call.name}`)}, async () => {
  const client = await createClient(${server}${given});
  try {
    const result = await client.${toRequest(call)};
${toExpectation(call)}
  } finally {
    await client.close();
  }
});
`;
}

const TITLES: Readonly<Record<SnippetCall["method"], string>> = {
  "tools/call": "calls",
  "resources/read": "reads",
  "prompts/get": "gets",
};

interface SnippetConnection {
  readonly imports: readonly string[];
  readonly server: string;
  readonly options: string;
}

function toConnection({ revision }: SnippetCall, target: SnippetTarget): SnippetConnection | undefined {
  const { module, url, program, hasToken, headers } = target;
  if (module !== undefined && /^[\p{L}$_][\w$]*$/u.test(module.exportName ?? "server")) {
    const path = literal(toImportPath(module.file));
    const { exportName } = module;
    const name = exportName === undefined ? "server" : `{ ${exportName} as server }`;
    return {
      imports: ['import { createClient } from "tenon/testing";', `import ${name} from ${path};`],
      server: "server",
      options: `{ revision: ${literal(revision)} }`,
    };
  }
  const imports = ['import { createClient } from "tenon/client";'];
  if (program !== undefined) {
    const [command = "", ...args] = program;
    const server = `{ command: ${literal(command)}, args: ${literal(args)} }`;
    return { imports, server, options: `{ revision: ${literal(revision)} }` };
  }
  if (url === undefined) return undefined;
  const secrets = [
    ...(hasToken ? ['authorization: `Bearer ${process.env["TOKEN"]}`'] : []),
    ...headers
      .filter((header) => header !== "authorization")
      .map((header) => `${literal(header)}: process.env[${literal(variableOf(header))}] ?? ""`),
  ];
  const own = secrets.length === 0 ? "" : `, headers: { ${secrets.join(", ")} }`;
  return { imports, server: literal(url), options: `{ revision: ${literal(revision)}${own} }` };
}

function toRequest({ method, name, arguments: args }: SnippetCall): string {
  if (method === "resources/read") return `readResource(${literal(name)})`;
  const given = Object.keys(args).length === 0 ? "" : `, ${literal(args)}`;
  return `${method === "tools/call" ? "callTool" : "getPrompt"}(${literal(name)}${given})`;
}

/** Compares the recorded members of the result. Members that a server adds later do not fail the test. */
function toExpectation({ method, result }: SnippetCall): string {
  const expected = result === undefined ? undefined : withoutMeta(result);
  const text = expected === undefined ? undefined : literal(expected);
  if (text !== undefined && text.length <= MAX_RESULT) return `    expect(result).toMatchObject(${text});`;
  return method === "tools/call"
    ? "    expect(result.isError).not.toBe(true);"
    : "    expect(result).toBeDefined();";
}

function withoutMeta({ _meta: _, resultType: __, ...result }: JsonObject): JsonObject {
  return result;
}

/** Returns the path of an import from the working folder. TypeScript files are imported with the extension `.js`. */
function toImportPath(file: string): string {
  const path = file.replaceAll("\\", "/").replace(/\.([cm]?)tsx?$/, ".$1js");
  return /^(?:\.{0,2}\/)/.test(path) ? path : `./${path}`;
}

/** Writes a value as a literal. Line separators are escaped, because some tools read them as ends of lines. */
function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
