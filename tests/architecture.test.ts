import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  PACKAGE_FOLDERS,
  readSourceFiles,
  readSupportImports,
  ROOT,
  SOURCE_ROOTS,
  type SourceFile,
  SUPPORT_LAYERS,
} from "../tools/source-files.js";

/** Packages that each package may import. Update ARCHITECTURE.md when you add a dependency. */
const PACKAGE_ARROWS: Readonly<Record<string, readonly string[]>> = {
  internal: [],
  ui: ["internal"],
  tenon: ["internal"],
  auth: ["internal", "tenon"],
  oauth: ["internal", "tenon"],
  redis: ["internal", "tenon"],
  sdk: ["internal", "tenon"],
  kit: ["internal", "tenon", "sdk"],
  app: ["internal", "tenon", "auth"],
  agent: ["internal", "tenon"],
  "agent-page": ["internal", "agent", "ui"],
  cli: ["internal", "tenon", "sdk", "kit", "oauth"],
  "cli-page": ["internal", "tenon", "ui"],
  "create-tenon": ["internal"],
};

/** Folders in `tenon` that each of its folders may import. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  schema: [],
  core: ["protocol", "schema"],
  model: ["protocol", "core"],
  grouped: ["protocol", "schema", "core"],
  tasks: ["protocol", "schema", "core"],
  stores: ["protocol", "core", "tasks"],
  session: ["protocol", "core", "stores"],
  transport: ["protocol", "schema", "core", "stores", "session", "tasks"],
  client: ["protocol", "core", "transport"],
  testing: ["client", "stores", "tasks"],
  host: ["protocol", "schema", "core", "stores", "transport"],
  "index.ts": ["protocol", "schema", "core"],
};

/** Folders, bottom layer first. Each imports only those before it. Top-level files come last. */
const ORDERED_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  "tenon/core": ["wire", "call", "definitions", "snapshot", "methods"],
  "cli/page": ["schema", "feed", "record", "gauges", "serve", "workbench", "launch", "bridge"],
  "agent-page": ["routes", "state", "components", "views"],
  "cli-page": ["backend", "routes", "state", "components", "views"],
  ui: ["support", "icons", "components", "json", "markdown", "form", "content"],
};

/** Top-level files that folders below them may import: types, a context, and settings of the whole page. */
const COMMON_FILES = new Set([
  "cli/page/command-error.ts",
  "cli/page/protocol.ts",
  "agent-page/app-context.ts",
  "cli-page/app-context.ts",
  "ui/keys.ts",
  "ui/theme.ts",
]);

/** Module of each page's server that the page imports. */
const SHARED_TYPES: Readonly<Record<string, string>> = {
  "agent-page": "agent/page/page-config.ts",
  "cli-page": "cli/page/protocol.ts",
};

/** Third-party packages that each package or folder may import. `node:` allows every Node.js module. */
const THIRD_PARTY: Readonly<Record<string, readonly string[]>> = {
  internal: [],
  "internal/command-line": ["node:", "citty"],
  "internal/files": ["node:"],
  "internal/limits": ["node:"],
  "internal/outgoing": ["node:"], // types only: the modules are loaded on Node.js, without an import
  ui: ["preact", "preact/hooks", "@preact/signals", "marked"],
  "tenon/protocol": [],
  "tenon/schema": ["@standard-schema/spec", "typebox/schema"],
  "tenon/core": [],
  "tenon/model": [],
  "tenon/grouped": ["@toon-format/toon"],
  "tenon/stores": [],
  "tenon/session": [],
  "tenon/tasks": ["node:"],
  "tenon/transport": ["node:"],
  "tenon/client": ["node:"], // types only: the module is loaded on Node.js, without an import
  "tenon/testing": [],
  "tenon/host": [],
  "tenon/index.ts": [],
  auth: ["jose", "jose/jwks/local", "jose/jws/compact/verify"],
  oauth: ["node:", "oauth4webapi", "zod"],
  redis: ["node:", "bullmq", "ioredis"],
  sdk: [
    "node:",
    "@modelcontextprotocol/sdk/server/index.js",
    "@modelcontextprotocol/sdk/server/mcp.js",
    "@modelcontextprotocol/sdk/shared/protocol.js",
    "@modelcontextprotocol/sdk/types.js",
    "@modelcontextprotocol/server",
    "@modelcontextprotocol/server/stdio",
    "zod-to-json-schema",
    "zod/v3",
    "zod/v4",
    "zod/v4/core",
  ],
  kit: ["node:", "@fastify/send", "router", "zod"],
  app: ["node:", "zod", "pino", "pino-pretty", "@opentelemetry/api", "sanitize-html"],
  agent: ["node:", "zod", "ws", "@opentelemetry/api", "typebox/error", "typebox/schema"],
  "agent/client": ["zod"], // types only: browsers load the client without dependencies
  cli: [
    "node:",
    "citty",
    "esbuild",
    "fflate",
    "gpt-tokenizer/encoding/o200k_base",
    "jose/jwt/sign",
    "jsonc-parser",
    "typebox/error",
    "typebox/schema",
    "yaml",
  ],
  "agent-page": ["preact", "preact/hooks", "@preact/signals"],
  "cli-page": ["preact", "preact/hooks", "@preact/signals"],
  "create-tenon": ["node:", "citty", "@clack/prompts"],
};

/** Layers that must not use I/O, clocks, timers, or randomness. */
const PURE =
  /^(?:internal\/(?!command-line\/|files\/|limits\/|outgoing\/)|tenon\/(?:protocol|schema|core|model|grouped|stores|session|index\.ts))/;

const files = readSourceFiles();
const nameOf = (folder: string) =>
  (JSON.parse(readFileSync(`${ROOT}/packages/${folder}/package.json`, "utf8")) as { readonly name: string })
    .name;
const folderByName = new Map(PACKAGE_FOLDERS.map((folder) => [nameOf(folder), folder]));
/** Returns the workspace package folder that a specifier belongs to. */
const workspaceOf = (specifier: string) => folderByName.get(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? "");
/** Returns the first folder below a package's `src/`, or the file name. */
const layerOf = (path: string) => path.split("/")[1] ?? path;

describe("packages", () => {
  test("every package is in the table", () => {
    expect(Object.keys(SOURCE_ROOTS).toSorted()).toEqual(Object.keys(PACKAGE_ARROWS).toSorted());
  });

  test("a package imports only the packages that the table allows", () => {
    const wrong = files.flatMap(({ package: own, path, packages }) =>
      packages
        .map((specifier) => ({ specifier, target: workspaceOf(specifier) }))
        .filter(({ target }) => target !== undefined && !PACKAGE_ARROWS[own]?.includes(target))
        .map(({ specifier }) => `${path} → ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  test("packages import each other only through public entry points", () => {
    const wrong = files.flatMap(({ package: own, path, files: targets, packages }) => [
      ...targets
        .filter((target) => !target.startsWith(`${own}/`))
        // A page and its server share the types of their messages.
        .filter((target) => SHARED_TYPES[own] !== target)
        .map((target) => `${path} → ${target}`),
      ...packages
        .filter((specifier) => !isEntryPoint(specifier))
        .map((specifier) => `${path} → ${specifier}`),
    ]);
    expect(wrong).toEqual([]);
  });

  test("R1, R4: a package or folder imports only the third-party packages that the table allows", () => {
    const allowed = (path: string) =>
      THIRD_PARTY[path.split("/").slice(0, 2).join("/")] ?? THIRD_PARTY[path.split("/")[0] ?? ""] ?? [];
    const wrong = files.flatMap(({ path, packages }) =>
      packages
        .filter((name) => workspaceOf(name) === undefined)
        .filter(
          (name) => !allowed(path).some((one) => name === one || (one === "node:" && name.startsWith(one))),
        )
        .map((name) => `${path} → ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test("@tenon/internal has no state, and its classes are never used with instanceof", () => {
    const internal = files.filter(
      ({ package: own, path }) => own === "internal" && !path.includes("/command-line/"),
    );
    const stateful = internal.filter(({ text }) =>
      /^(?:export )?let |^(?:export )?const \w+(?:: [^=]+)? = new (?:Map|WeakMap|Set|WeakSet)(?:<[^>]*>)?\(\)/m.test(
        text,
      ),
    );
    expect(stateful.map(({ path }) => path)).toEqual([]);
    const classes = files
      .filter(({ package: own }) => own === "internal")
      .flatMap(({ text }) => [...text.matchAll(/^export class (\w+)/gm)].map(([, name = ""]) => name));
    const checked = classes.filter((name) =>
      files.some(({ text }) => new RegExp(`instanceof ${name}\\b`).test(text)),
    );
    expect(checked).toEqual([]);
  });
});

describe("layers", () => {
  test("every folder in tenon is in the table", () => {
    const folders = files.filter(({ package: own }) => own === "tenon").map(({ path }) => layerOf(path));
    expect([...new Set(folders)].toSorted()).toEqual(Object.keys(LAYERS).toSorted());
  });

  test("a folder in tenon imports only the folders that the table allows", () => {
    const wrong = files
      .filter(({ package: own }) => own === "tenon")
      .flatMap(({ path, files: targets }) =>
        targets
          .filter((target) => layerOf(target) !== layerOf(path))
          .filter((target) => !LAYERS[layerOf(path)]?.includes(layerOf(target)))
          .map((target) => `${path} → ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  test.each(Object.entries(ORDERED_FOLDERS))(
    "a folder in %s imports only the folders below it",
    (root, order) => {
      const rank = (path: string) => {
        const index = order.indexOf(path.slice(root.length + 1).split("/")[0] ?? "");
        return index === -1 ? order.length : index;
      };
      const inside = files.filter(({ path }) => path.startsWith(`${root}/`));
      expect(inside.length).toBeGreaterThan(order.length);
      const wrong = inside.flatMap(({ path, files: targets }) =>
        targets
          .filter((target) => target.startsWith(`${root}/`) && !COMMON_FILES.has(target))
          .filter((target) => rank(target) > rank(path))
          .map((target) => `${path} → ${target}`),
      );
      expect(wrong).toEqual([]);
    },
  );

  test.each(Object.keys(SOURCE_ROOTS))("no two folders in %s import each other", (folder) => {
    const folderOf = (path: string) => path.split("/").slice(1, -1).join("/");
    const arrows = new Set(
      files
        .filter(({ package: own }) => own === folder)
        .flatMap(({ path, files: targets }) =>
          targets.map((target) => `${folderOf(path)} → ${folderOf(target)}`),
        ),
    );
    const isNested = (a: string, b: string) =>
      a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`) || a === "" || b === "";
    const mutual = [...arrows].filter((arrow) => {
      const [from = "", to = ""] = arrow.split(" → ");
      return from < to && !isNested(from, to) && arrows.has(`${to} → ${from}`);
    });
    expect(mutual).toEqual([]);
  });

  test("a folder has at most 15 files", () => {
    const counts = new Map<string, number>();
    for (const { path } of files) {
      const folder = path.slice(0, path.lastIndexOf("/"));
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    expect([...counts].filter(([, count]) => count > 15)).toEqual([]);
  });

  test("every import resolves to an existing file", () => {
    const known = new Set(files.map(({ path }) => path));
    expect(files.flatMap(({ files: targets }) => targets.filter((target) => !known.has(target)))).toEqual([]);
  });

  test("imports, including type imports, form no cycles", () => {
    expect(findCycle(files)).toBeUndefined();
  });

  test("support code imports only its own layer and those before it: tools and examples, scripts, tests", () => {
    const layerOf = (path: string) => {
      const [folder = "", , part] = path.split("/");
      const name = folder === "packages" && part === "tests" ? part : folder;
      return SUPPORT_LAYERS.findIndex((layer) => layer.includes(name));
    };
    const wrong = readSupportImports().filter(({ from, to }) => layerOf(to) > layerOf(from));
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test("the tests of a package keep their support code in `tests/support`", () => {
    const tests = readdirSync(`${ROOT}/packages`).flatMap((name) =>
      readdirSync(`${ROOT}/packages/${name}/tests`, { recursive: true, encoding: "utf8" }).map(
        (file) => `${name}/tests/${file}`,
      ),
    );
    const code = tests.filter((file) => file.endsWith(".ts") || file.endsWith(".tsx"));
    const isInPlace = /\.test(?:-d)?\.tsx?$|\/tests\/support\/|\/fixtures\/|\/tests\/types\//;
    expect(code.filter((file) => !isInPlace.test(file))).toEqual([]);
  });

  test("transports do not refer to tools", () => {
    const inside =
      /^tenon\/core\/(?:definitions\/(?:tool|results|resource|prompt)|snapshot\/|call\/operation|methods\/)/;
    const transports = files.filter(({ path }) => /^tenon\/transport\/(?:memory|stdio|http)\//.test(path));
    expect(transports.length).toBeGreaterThan(0);
    expect(
      transports.flatMap(({ files: targets }) => targets.filter((target) => inside.test(target))),
    ).toEqual([]);
  });
});

describe("the pure layers", () => {
  test("R1: use no I/O, clock, timer, randomness, or runtime-specific global, except through one port", () => {
    const impure =
      /\b(process|Buffer|console|setTimeout|setInterval|setImmediate|queueMicrotask|performance|fetch|localStorage)\b(?!["'`]?:)|Date\.now|new Date\(|Math\.random|crypto\./;
    const wrong = files
      .filter(({ path }) => PURE.test(path) && path !== "internal/ports.ts" && path !== "internal/base64.ts")
      .flatMap(({ path, text }) =>
        withoutComments(text)
          .split("\n")
          .filter((line) => impure.test(line) && !/typeof globalThis\.crypto/.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      );
    expect(wrong).toEqual([]);
  });

  test("eras are compared only in the files that the notes of tenon list", () => {
    const compares = /\bera\b\s*[!=]==|[!=]==\s*"(?:legacy|modern)"|\.stateless\b|isRevisionOf\(/;
    const comparing = files
      .filter(({ path }) => path.startsWith("tenon/") && !path.startsWith("tenon/protocol/revisions/"))
      .filter(({ text }) => compares.test(withoutComments(text)));
    const [, table = ""] = readFileSync(`${ROOT}/packages/tenon/ARCHITECTURE.md`, "utf8").split(
      "\n## Eras\n",
    );
    const listed = table.split("\n").flatMap((line) => {
      const [, names = ""] = line.startsWith("| `") ? line.split("|") : [];
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => `tenon/${name}`);
    });
    expect(comparing.map(({ path }) => path).toSorted()).toEqual(listed.toSorted());
  });

  test("requests go through the guard, except those to URLs that a developer or a user has entered", () => {
    const senders = files
      // The page sends requests only to its own origin. Its content security policy allows no other.
      .filter(({ path }) => !path.startsWith("internal/outgoing/") && !path.startsWith("cli-page/backend/"))
      .filter(({ text }) => /globalThis\.fetch|(?<![\w.#]|async )fetch\(/.test(withoutComments(text)));
    expect(senders.map(({ path }) => path).toSorted()).toEqual([
      "agent/models/openai-attempt.ts", // the URL of the model
      "agent/models/openai-options.ts",
      "tenon/client/transports/http-sender.ts", // the URL of the server to call
    ]);
    const connecting = /^import (?!type ).*"node:(?:https|tls|dns|dgram)"|\bhttps?\.(?:request|get)\(/m;
    const connectors = files
      .filter(({ path }) => !path.startsWith("internal/outgoing/"))
      .filter(({ text }) => connecting.test(withoutComments(text)));
    expect(connectors.map(({ path }) => path)).toEqual([]);
    const users = files.filter(({ packages }) =>
      packages.some((name) => name.startsWith("@tenon/internal/outgoing/")),
    );
    expect(new Set(users.map(({ package: own }) => own))).toEqual(new Set(["auth", "oauth"]));
  });

  test("R48: no source file writes to the console", () => {
    // Transports print unexpected failures of servers without a log, and some runtimes have only the console for that.
    // The drop-ins print warnings about tool names as the official SDK does.
    const allowed = ["tenon/transport/default-log.ts", "sdk/server/registrations/check-config.ts"];
    expect(
      files
        .filter(({ path, text }) => !allowed.includes(path) && /console\./.test(withoutComments(text)))
        .map(({ path }) => path),
    ).toEqual([]);
  });

  test("URLs are checked with isUrl, because URL.canParse rejects valid ones on Node 20", () => {
    const users = files.filter(
      ({ path, text }) => path !== "internal/security/is-url.ts" && /URL\.canParse/.test(text),
    );
    expect(users.map(({ path }) => path)).toEqual([]);
  });

  test("protocol dates appear only in protocol/revisions", () => {
    const dated = files
      .filter(({ path }) => !path.startsWith("tenon/protocol/revisions/"))
      // The registry's format has its own date.
      .filter(({ path }) => path !== "cli/publish/registry-schema.ts")
      .filter(({ text }) => /\b20\d\d-\d\d-\d\d\b/.test(text));
    expect(dated.map(({ path }) => path)).toEqual([]);
  });
});

describe("source files", () => {
  test("every file starts with a file overview, and its `@module` equals its path", () => {
    const overview = /^\/\*\*\n \* @fileoverview [\s\S]+?\n \* @module ([\w/-]+)\n \*\//;
    const wrong = files.flatMap(({ path, text }) => {
      const [, name = "no overview"] = overview.exec(text) ?? [];
      const expected = path
        .replace(/^(agent|cli)-page\//, "$1/page-app/")
        .replace(/(?:\/index)?(?:\.d)?\.tsx?$/, "");
      return name === expected ? [] : [`${path}: ${name}, expected ${expected}`];
    });
    expect(wrong).toEqual([]);
  });

  test("every file has at most 400 lines", () => {
    const long = files.filter(({ text }) => text.split("\n").length > 400);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  test("only entry points re-export", () => {
    const passing = files.filter(
      ({ path, text }) => !/(^|\/)index\.ts$/.test(path) && /^export .* from /m.test(text),
    );
    expect(passing.map(({ path }) => path)).toEqual([]);
  });

  test("every export has a JSDoc comment", () => {
    const bare = files
      .filter(({ path }) => !/(^|\/)index\.ts$/.test(path))
      .flatMap(({ path, text }) =>
        [
          ...text.matchAll(
            /(.*)\n(?:\/\/ (?:prettier-ignore|oxlint-disable-next-line .*)\n)?export (?!\{|default )(?:declare )?(?:async )?\w+ (\w+)/g,
          ),
        ]
          // The rest of a declaration without a body belongs to the overload before.
          .filter(([, before = ""]) => !/\*\/\s*$|^<.*;$/.test(before))
          .map(([, , name]) => `${path}: ${name}`),
      );
    expect(bare).toEqual([]);
  });
});

/** Returns true if a specifier is an entry point: a key in an export map, or any file in a private package. */
function isEntryPoint(specifier: string): boolean {
  const folder = workspaceOf(specifier);
  if (folder === undefined || folder === "internal" || folder === "ui") return true;
  const { exports } = JSON.parse(readFileSync(`${ROOT}/packages/${folder}/package.json`, "utf8")) as {
    readonly exports: Readonly<Record<string, unknown>>;
  };
  return Object.hasOwn(exports, specifier.replace(nameOf(folder), "."));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "");
}

function findCycle(all: readonly SourceFile[]): readonly string[] | undefined {
  const next = new Map(all.map(({ path, files: targets }) => [path, targets]));
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const target of next.get(path) ?? []) {
      const cycle = visit(target, [...trail, path]);
      if (cycle !== undefined) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const { path } of all) {
    const cycle = visit(path, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
