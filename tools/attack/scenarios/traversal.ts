/**
 * @fileoverview Requests files and resources with paths that leave their folder.
 * @module tools/attack/scenarios/traversal
 */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unescape } from "node:querystring";
import { pathToFileURL } from "node:url";
import { createFileServingRouter } from "@tenon/kit";
import express from "express";
import * as sdk from "@tenon/sdk";
import * as sdk2 from "@tenon/sdk/v2";
import { defineServer, type ServerLike } from "tenon";
import { CORPUS, DOTS, hasEscaped, makeBaitedStore, SLASHES } from "../traversal-corpus.js";
import { type Endpoint, forEachLimited, openEndpoints } from "../clients/endpoints.js";
import { encoded } from "../corpora/header-values.js";
import { modernBody, PLAIN } from "../clients/messages.js";
import { exchangeRaw } from "../clients/raw-socket.js";
import { type AttackContext, Findings, sample } from "../context.js";

const SECRET = "CANARY-7f1d";

/** Runs the attack. */
export async function traversal(context: AttackContext): Promise<void> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "tenon-attack-")));
  try {
    // The tests send the same paths, all of them: packages/kit/tests/files/traversal.system.test.ts
    if (!context.isShort) await attackFiles(context, base);
    await attackTemplates(context, base);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function attackFiles(context: AttackContext, base: string): Promise<void> {
  const { figures, print } = context;
  const baited = await makeBaitedStore(base);
  const router = () =>
    createFileServingRouter({ routePrefix: "/exports", resourceStoreUri: pathToFileURL(baited.store).href });
  const escaped = new Findings(print);
  const others = new Findings(print);
  const rejected = new Findings(print);
  let sent = 0;
  const mounts: Readonly<Record<string, RequestListener>> = {
    "node:http": router(),
    Express: express().use("/exports", router()),
  };
  for (const [name, listener] of Object.entries(mounts)) {
    const http = createServer(listener).listen(0, "127.0.0.1");
    await once(http, "listening");
    const { port } = http.address() as AddressInfo; // Safe: listening on a port
    await forEachLimited(CORPUS, 16, async (target) => {
      const reply = await get(port, target);
      sent++;
      if (hasEscaped(reply)) escaped.add(`${name}: ${target} got ${reply}`);
      else if (!/^HTTP\/1\.1 40[04] /.test(reply)) others.add(`${name}: ${target} got ${reply}`);
    });
    for (const target of ["/exports/ok", "/exports/%6f%6B"]) {
      if (!(await get(port, target)).endsWith("\r\n\r\ninside"))
        rejected.add(`${name}: ${target} is not served`);
    }
    http.closeAllConnections();
    http.close();
    print(`${sent} paths`);
  }
  baited.close();
  figures.atLeast("file paths", sent, 2_000);
  figures.exactly("files outside the folder that were served", escaped.count, 0);
  figures.exactly("paths with a status other than 400 or 404", others.count, 0);
  figures.exactly("regular files that were rejected", rejected.count, 0);
}

async function get(port: number, target: string): Promise<string> {
  const pieces = [`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`];
  return (await exchangeRaw(port, { pieces, isDone: () => false, quietMs: 120_000 })).text;
}

/** URIs in every spelling, below a scheme and host. */
const CLIMBS: readonly string[] = DOTS.flatMap((dots) =>
  SLASHES.flatMap((slash) =>
    [
      [1, "secret.txt"],
      [2, "secret.txt"],
      [12, `etc${slash}passwd`],
    ].map(([depth, goal]) => `${`${dots}${slash}`.repeat(Number(depth))}${goal}`),
  ),
);

const PLACES = ["files://name/", "files://path/", "files://name/ok.csv%00/", "files://path/folder/"];

/** Ends of file names. An invalid escape makes `decodeURIComponent` fail, but `querystring.unescape` decodes the others. */
const ENDS = ["", "%ff", "%zz", "%"];

/** Reads a file below the store. */
type Read = (...parts: readonly string[]) => string;

/** Server with resource templates, and the URIs to request. Its handlers join values to a path without a check. */
interface TemplateServer {
  readonly name: string;
  readonly create: (read: Read) => ServerLike<unknown>;
  readonly uris: readonly string[];
  /** URIs that the server must read, in addition to those of `{name}`. */
  readonly regular?: readonly string[];
}

/** The method of both versions of the drop-in, without the types in which they differ. */
interface Registering {
  registerResource(name: string, template: unknown, config: object, callback: unknown): unknown;
}

const dropIn = (name: string, { McpServer, ResourceTemplate }: typeof sdk | typeof sdk2): TemplateServer => ({
  name,
  create(read) {
    const server = new McpServer({ name, version: "1.0.0" });
    const template = new ResourceTemplate("files://name/{name}", { list: undefined });
    const callback = (uri: URL, values: Readonly<Record<string, unknown>>) => {
      try {
        return { contents: [{ uri: uri.href, text: read(unescape(String(values["name"]))) }] };
      } catch {
        return { contents: [] };
      }
    };
    (server as Registering).registerResource("name", template, {}, callback);
    return server.build();
  },
  uris: ENDS.flatMap((end) => CLIMBS.map((climb) => `files://name/${climb}${end}`)),
});

const TEMPLATE_SERVERS: readonly TemplateServer[] = [
  {
    name: "templates",
    create: (read) =>
      defineServer({ name: "templates", version: "1.0.0", log: () => {} })
        .resourceTemplate("name", {
          uriTemplate: "files://name/{name}",
          handler: ({ name }) => read(name),
        })
        .resourceTemplate("path", {
          uriTemplate: "files://path{/path*}",
          handler: ({ path }) => read(...[path].flat().map(String)),
        })
        .build(),
    regular: ["files://path/folder/ok.csv"],
    uris: PLACES.flatMap((place) => CLIMBS.map((climb) => `${place}${climb}`)),
  },
  dropIn("drop-in, version 1", sdk),
  dropIn("drop-in, version 2", sdk2),
];

/** Requests resources of templates. */
async function attackTemplates(context: AttackContext, base: string): Promise<void> {
  const { figures, print } = context;
  const store = join(base, "templates", "store");
  mkdirSync(join(store, "folder"), { recursive: true });
  for (const path of ["ok.csv", "folder/ok.csv"]) writeFileSync(join(store, path), "inside");
  for (const end of ENDS)
    for (const path of ["../secret.txt", "../../secret.txt"])
      writeFileSync(join(store, `${path}${unescape(end)}`), SECRET);
  const read: Read = (...parts) => readFileSync(join(store, ...parts), "utf8");
  const escaped = new Findings(print);
  const rejected = new Findings(print);
  let sent = 0;
  for (const { name, create, uris, regular = [] } of TEMPLATE_SERVERS) {
    const endpoints = await openEndpoints(() => create(read));
    try {
      for (const endpoint of endpoints) {
        await forEachLimited(sample(uris, context.scale.paths, context.random), 16, async (uri) => {
          const reply = await readResource(endpoint, uri);
          sent++;
          if (hasEscaped(reply)) escaped.add(`${name}, ${endpoint.name}: ${uri} got ${reply}`);
        });
        for (const uri of ["files://name/ok.csv", "files://name/%6f%6B.csv", ...regular]) {
          if (!(await readResource(endpoint, uri)).includes("inside"))
            rejected.add(`${name}, ${endpoint.name}: ${uri} is not served`);
        }
      }
    } finally {
      await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    }
    const climbing = uris.filter((uri) => wouldEscape(uri, read)).length;
    figures.atLeast(`URIs that leave the folder if values are only decoded (${name})`, climbing, 30);
  }
  figures.atLeast("resource URIs", sent, context.isShort ? 1_200 : 8_000);
  figures.exactly("files outside the folder that a template served", escaped.count, 0);
  figures.exactly("regular resources that were rejected", rejected.count, 0);
}

async function readResource(endpoint: Endpoint, uri: string): Promise<string> {
  const headers = [
    ...PLAIN,
    ["MCP-Protocol-Version", "2026-07-28"],
    ["Mcp-Method", "resources/read"],
    ["Mcp-Name", encoded(uri)],
  ] as const;
  return (await endpoint.send({ headers, body: modernBody("resources/read", { uri }) })).body;
}

/** Returns true if a server that only decodes the rest of the URI would read a file outside. */
function wouldEscape(uri: string, read: Read): boolean {
  try {
    return hasEscaped(read(unescape(uri.replace(/^files:\/\/(?:name|path)\//, ""))));
  } catch {
    return false;
  }
}
