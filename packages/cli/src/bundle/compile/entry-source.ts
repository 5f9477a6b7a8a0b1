/**
 * @fileoverview Writes the program that a bundle runs: it loads the module and serves its server over stdio.
 * @module cli/bundle/compile/entry-source
 */
import { type DeclaredVariable, userConfigKey } from "../project/declared-config.js";
import type { ExportPlace, ModuleExports } from "../project/module-target.js";
import type { EntrySource } from "./compile-module.js";

/** Facts that the program depends on. */
export interface EntryFacts {
  /** Absolute path of the module. */
  readonly path: string;
  readonly exports: ModuleExports;
  readonly variables: readonly DeclaredVariable[];
  /** Names of the packages that the module uses. */
  readonly packages: ReadonlySet<string>;
  /** True if a dependency is a CommonJS module. */
  readonly hasCommonJs: boolean;
}

/** Writes the program. */
export function createEntry(facts: EntryFacts): EntrySource {
  return { prelude: createPrelude(facts), main: createMain(facts) };
}

/**
 * Writes the code that runs first. Standard output is reserved for messages until the server starts. A host that runs
 * a `.mcpb` file leaves the placeholder of an optional value without a default as it is, so such values are removed.
 */
function createPrelude({ variables, hasCommonJs }: EntryFacts): string {
  const placeholders = variables.map((one) => [one.name, `\${user_config.${userConfigKey(one)}}`]);
  const lines = [
    ...(hasCommonJs ? ['import { createRequire } from "node:module";'] : []),
    'import process from "node:process";',
    "const { stdout, stderr, env } = process;",
    "const { write } = stdout;",
    "stdout.write = stderr.write.bind(stderr);",
    "export const releaseStdout = () => { stdout.write = write; };",
    ...(hasCommonJs ? COMMON_JS : []),
    ...(placeholders.length > 0
      ? [
          `for (const [name, placeholder] of ${JSON.stringify(placeholders)}) {`,
          '  if (env[name] === "" || env[name] === placeholder) delete env[name];',
          "}",
        ]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** Names that CommonJS modules expect, and that ES modules do not have. */
const COMMON_JS = [
  "globalThis.require ??= createRequire(import.meta.url);",
  "globalThis.__filename ??= import.meta.filename;",
  "globalThis.__dirname ??= import.meta.dirname;",
];

function createMain({ path, exports, packages }: EntryFacts): string {
  const { server, context, isWrapped } = exports;
  const transport = findTransport(packages);
  const lines = [
    'import process from "node:process";',
    'import { releaseStdout } from "tenon:prelude";',
    ...transport.imports,
    `import * as loaded from ${JSON.stringify(path)};`,
    isWrapped
      ? 'const exported = typeof loaded.default === "object" && "__esModule" in loaded.default ? loaded.default : loaded;'
      : "const exported = loaded;",
    `const found = ${readPlace(server)};`,
    'const server = typeof found === "function" ? await found() : found;',
    `const options = ${context === undefined ? "{}" : `{ context: await ${readPlace(context)} }`};`,
    "releaseStdout();",
    ...transport.serve,
  ];
  return `${lines.join("\n")}\n`;
}

function readPlace({ name, isNested }: ExportPlace): string {
  return `exported${isNested ? ".default" : ""}[${JSON.stringify(name)}]`;
}

interface TransportCode {
  readonly imports: readonly string[];
  readonly serve: readonly string[];
}

/** Selects the transport from the packages that the module already uses, so that a bundle adds no others. */
function findTransport(packages: ReadonlySet<string>): TransportCode {
  if (packages.has("@tenon/sdk")) {
    return {
      imports: [TENON_STDIO, 'import { toServerSource } from "@tenon/sdk/adapters";'],
      serve: [
        'const hosted = await toServerSource({ mcpServer: server }).open("stdio");',
        ...serveTenon("hosted"),
      ],
    };
  }
  const official = packages.has("@modelcontextprotocol/server")
    ? "@modelcontextprotocol/server/stdio"
    : packages.has("@modelcontextprotocol/sdk")
      ? "@modelcontextprotocol/sdk/server/stdio.js"
      : undefined;
  if (official === undefined) return { imports: [TENON_STDIO], serve: serveTenon("server") };
  const transport = `import { StdioServerTransport } from ${JSON.stringify(official)};`;
  const connect = "await server.connect(new StdioServerTransport());";
  if (!packages.has("tenon")) return { imports: [transport], serve: [connect] };
  return {
    imports: [TENON_STDIO, transport],
    serve: ['if ("handle" in server || "build" in server) {', ...serveTenon("server"), `} else ${connect}`],
  };
}

const TENON_STDIO = 'import { serveStdio } from "tenon/stdio";';

/** Serves until the client disconnects. Timers of the module must not keep the process running after that. */
function serveTenon(name: string): readonly string[] {
  return [`await serveStdio(${name}, options).closed;`, 'process.stdout.write("", () => process.exit());'];
}
