/**
 * @fileoverview Sends the frames of a hostile server to clients: as JSON bodies, as events, and over stdio.
 * @module tools/fuzz/targets/clients
 */
import { Buffer } from "node:buffer";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Client, createClient, type RemoteClientOptions, type RemoteServer } from "tenon/client";
import { createRandom, type Random } from "../../random.js";
import type { Block, Chunking, Outcome, Problem, Target } from "../block.js";
import { pickChunking, splitBytes } from "../frames/chunks.js";
import { REQUEST_ID } from "../frames/server-messages.js";
import { PROGRAM } from "./hostile-program.js";
import { withTimeout } from "./line-client.js";
import { patience } from "./patience.js";

/** Total time of one operation in milliseconds. */
const TOTAL_MS = 300;
/** Time limit over HTTP in milliseconds. A server that sends events without an end can use it up. */
const HTTP_MS = 5_000;
/** Frames that answer one request, as events and as lines. */
const PER_REQUEST = 10;
/** Most memory that this process may gain, in bytes. */
const MAX_GAIN = 256 * 1024 * 1024;
/** Share of the bodies that repeat a frame without an end. */
const ENDLESS_SHARE = 0.01;
const MEGABYTE = 1024 * 1024;

const LIMITS = {
  maxMessageBytes: MEGABYTE,
  maxListBytes: MEGABYTE,
  maxNotificationBytes: MEGABYTE,
  maxConnectionBytes: 8 * MEGABYTE,
  maxTotalMs: TOTAL_MS,
};

/** Name of the tool whose calls get a regular result. */
const PROBE = "probe";

/** Connects to a hostile server that sends a block. */
type Connect = (block: Block, chunking: Chunking | undefined) => Promise<HostileConnection>;

interface HostileConnection {
  readonly server: RemoteServer;
  readonly options?: RemoteClientOptions;
  /** Number of requests that get hostile frames. */
  readonly requests: number;
  close(): Promise<void>;
}

/** Creates a target whose clients get each frame as a body of JSON. */
export function createJsonTarget(): Target {
  return createTarget("client-json", (block, chunking) => connectFetch(block, { chunking, perRequest: 1 }));
}

/** Creates a target whose clients get the frames as events. */
export function createEventsTarget(): Target {
  return createTarget("client-events", (block, chunking) =>
    connectFetch(block, { chunking, perRequest: PER_REQUEST }),
  );
}

/** Creates a target whose clients get the frames as lines of a program. */
export function createProgramTarget(): Target {
  return createTarget("client-stdio", connectProgram);
}

function createTarget(name: string, connect: Connect): Target {
  const before = process.memoryUsage().rss;
  return {
    name,
    async run(block, chunking) {
      const connection = await connect(block, chunking);
      try {
        return await attack(connection, before);
      } finally {
        await connection.close();
      }
    },
    close: () => Promise.resolve(),
  };
}

async function attack({ server, options, requests }: HostileConnection, before: number): Promise<Outcome> {
  const problems: Problem[] = [];
  const client = await createClient(server, {
    timeoutMs: patience.replyMs,
    limits: LIMITS,
    input: () => ({ action: "accept" }),
    sample: () => "text",
    roots: [],
    onNotification: () => {},
    ...options,
  });
  try {
    for (let at = 0; at < requests; at++) {
      const operation = OPERATIONS[at % OPERATIONS.length];
      if (operation !== undefined) problems.push(...(await settle(() => operation(client))));
    }
    const { content } = await withTimeout(client.callTool(PROBE), patience.replyMs);
    if (content?.length !== 1) throw new Error(`The result was ${JSON.stringify(content)}`);
  } catch (error) {
    problems.push({ promise: "probe", text: `A regular call failed: ${String(error)}` });
  } finally {
    await client.close();
  }
  const gain = process.memoryUsage().rss - before;
  if (gain > MAX_GAIN) problems.push({ promise: "memory", text: `${Math.round(gain / MEGABYTE)} MB more` });
  if (Object.hasOwn(Object.prototype, "polluted"))
    problems.push({ promise: "wrong", text: "A prototype was polluted." });
  return { problems, replies: [] };
}

const SHORT = { timeoutMs: TOTAL_MS, onProgress: () => {} };

/** Operations that read the frames. */
const OPERATIONS: readonly ((client: Client) => Promise<unknown>)[] = [
  (client) => client.callTool("a", {}, SHORT),
  (client) => client.listTools(),
  (client) => client.callTool("a", {}, SHORT),
  (client) => client.readResource("a://b", SHORT),
  (client) => client.getPrompt("a", {}, SHORT),
  (client) => client.request("completion/complete", {}, SHORT),
  async (client) => {
    const task = await client.startTask("a", {}, SHORT);
    await task.result({ signal: AbortSignal.timeout(TOTAL_MS) });
  },
];

/** Runs an operation to its end. A failure must be an error of the client, not one of the runtime. */
async function settle(run: () => Promise<unknown>): Promise<readonly Problem[]> {
  const settled = run().then(
    () => [],
    (error: unknown): readonly Problem[] =>
      INTERNAL.some((type) => error instanceof type) || !(error instanceof Error)
        ? [
            {
              promise: "crash",
              text: error instanceof Error ? (error.stack ?? String(error)) : String(error),
            },
          ]
        : [],
  );
  return withTimeout(settled, patience.replyMs).catch((error: unknown): readonly Problem[] => [
    { promise: "hang", text: String(error) },
  ]);
}

const INTERNAL = [TypeError, RangeError, SyntaxError, ReferenceError];

interface FetchOptions {
  readonly chunking: Chunking | undefined;
  /** Number of frames that answer one request. 1 for a body of JSON. */
  readonly perRequest: number;
}

function connectFetch(block: Block, { chunking, perRequest }: FetchOptions): Promise<HostileConnection> {
  const random = createRandom(block.seed);
  const left = [...block.frames];
  const isJson = perRequest === 1;
  const respond = (chunks: AsyncIterable<Uint8Array>, status = 200) =>
    new Response(ReadableStream.from(chunks), {
      status,
      headers: { "content-type": isJson ? "application/json" : "text/event-stream" },
    });
  const toBody = (text: string) => (isJson ? text : `data: ${text}\n\n`);
  const fetch = (_url: unknown, { body, signal }: RequestInit = {}): Promise<Response> => {
    const { id, method, params } = JSON.parse(typeof body === "string" ? body : "{}") as Request;
    if (method === undefined || id === undefined) return Promise.resolve(new Response(null, { status: 202 }));
    const regular = regularReply(id, method, params);
    const frames = left.splice(0, perRequest).map(({ bytes }) => withId(bytes, id));
    if (regular !== undefined || frames.length === 0)
      return Promise.resolve(respond(toChunks([Buffer.from(toBody(regular ?? emptyReply(id)))])));
    const parts = isJson
      ? frames
      : [
          ...frames.flatMap((bytes) => [Buffer.from("data: "), bytes, Buffer.from("\n\n")]),
          Buffer.from(toBody(emptyReply(id))),
        ];
    const used = chunking ?? pickChunking(random);
    const status = random.chance(0.1) ? random.pick([400, 401, 403, 404, 429, 500, 503]) : 200;
    // Without the parts around it, an event becomes one line without an end.
    const repeated = random.chance(0.5) ? parts.slice(0, 3) : frames.slice(0, 1);
    if (random.chance(ENDLESS_SHARE)) return Promise.resolve(respond(repeat(repeated, signal), status));
    return Promise.resolve(respond(toChunks(splitBytes(Buffer.concat(parts), used, random)), status));
  };
  return Promise.resolve({
    server: "http://127.0.0.1:9/mcp",
    options: { fetch, timeoutMs: HTTP_MS },
    requests: Math.ceil(block.frames.length / perRequest),
    close: () => Promise.resolve(),
  });
}

async function connectProgram(block: Block, chunking: Chunking | undefined): Promise<HostileConnection> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-fuzz-client-"));
  const random: Random = createRandom(block.seed);
  const groups: string[][] = [];
  for (let at = 0; at < block.frames.length; at += PER_REQUEST) {
    const frames = block.frames
      .slice(at, at + PER_REQUEST)
      .flatMap(({ bytes }) => [bytes, Buffer.from("\n")]);
    const used = chunking ?? pickChunking(random);
    // The process writes each chunk on its own.
    const chunks = splitBytes(Buffer.concat(frames), used === "bytes" ? "random" : used, random);
    groups.push(chunks.map((chunk) => Buffer.from(chunk).toString("base64")));
  }
  const file = join(folder, "groups.json");
  await writeFile(file, JSON.stringify(groups));
  return {
    server: { command: process.execPath, args: ["-e", PROGRAM, file] },
    requests: groups.length,
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

interface Request {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

/** Returns the response to the handshake and to the probe. */
function regularReply(id: number, method: string, params: Request["params"]): string | undefined {
  const result =
    method === "server/discover"
      ? { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }
      : params?.name === PROBE
        ? { content: [{ type: "text", text: "probe" }] }
        : undefined;
  return result === undefined ? undefined : JSON.stringify({ jsonrpc: "2.0", id, result });
}

function emptyReply(id: number): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } });
}

/** Replaces the placeholder for the ID of the request. */
function withId(bytes: Uint8Array, id: number): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString("latin1").replaceAll(REQUEST_ID, String(id)), "latin1");
}

async function* toChunks(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  await nextTurn();
  yield* chunks;
}

/** Repeats bytes until the signal of the request aborts. */
async function* repeat(
  parts: readonly Uint8Array[],
  signal: AbortSignal | null | undefined,
): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.concat([...parts, Buffer.from(" ")]);
  const chunk = Buffer.alloc(MEGABYTE, bytes);
  for (;;) {
    await nextTurn();
    signal?.throwIfAborted();
    yield Uint8Array.from(chunk);
  }
}
