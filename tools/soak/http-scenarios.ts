/**
 * @fileoverview Scenarios of the soak test that only HTTP has: sessions that end or are forgotten, streams that resume,
 * slow readers, pipelined and broken requests.
 * @module tools/soak/http-scenarios
 */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../random.js";
import { ENVELOPE, INITIALIZE, type Json } from "./client.js";
import { type HttpRequest, send } from "./http.js";
import { modernHeaders, sessionHeaders } from "./http-wires.js";
import { expectEqual } from "./scenarios.js";
import type { Tally } from "./tally.js";

/** Parts of a scenario. */
export interface HttpScene {
  readonly port: number;
  readonly random: Random;
  readonly tally: Tally;
}

/** One scenario. @throws if a response is wrong */
export type HttpScenario = (scene: HttpScene) => Promise<void>;

function toCall(name: string, args: Json, meta: Json = {}): Json {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta: meta } };
}

async function openSession({ port, tally }: HttpScene): Promise<string> {
  const body = { jsonrpc: "2.0", id: 0, method: "initialize", params: INITIALIZE };
  const response = await send({ port, body });
  await response.text();
  const session = response.headers["mcp-session-id"];
  if (typeof session !== "string") throw new Error(`initialize got status ${response.status}`);
  tally.add("requests");
  tally.add("connections");
  return session;
}

async function statusOf(request: HttpRequest): Promise<number> {
  const response = await send(request);
  await response.text();
  return response.status;
}

/** A session is deleted, and is then unknown. Another one is forgotten, and expires. */
const endedSessions: HttpScenario = async (scene) => {
  const { port, tally } = scene;
  const headers = sessionHeaders(await openSession(scene));
  expectEqual("DELETE", await statusOf({ port, method: "DELETE", headers }), 204);
  expectEqual("deleted session", await statusOf({ port, headers, body: toCall("echo", {}) }), 404);
  await openSession(scene);
  tally.add("connections dropped");
  tally.add("requests", 2);
};

/** The connection of a call breaks, and the client resumes its stream without a loss or a repetition. */
const resumption: HttpScenario = async (scene) => {
  const { port, random, tally } = scene;
  const headers = sessionHeaders(await openSession(scene));
  const to = random.between(4, 12);
  const body = toCall("count", { to, ms: random.between(1, 10) }, { progressToken: "resumed" });
  const numbers: number[] = [];
  let lastEventId: string | undefined;
  let result: unknown;
  for (let left = random.between(1, 5); result === undefined; left = Infinity) {
    const response = await send(
      lastEventId === undefined
        ? { port, headers, body }
        : { port, method: "GET", headers: { ...headers, "last-event-id": lastEventId } },
    );
    if (response.status !== 200) throw new Error(`the stream got status ${response.status}`);
    for await (const { id, data } of response.events()) {
      lastEventId = id ?? lastEventId;
      const message = (data === "" ? {} : JSON.parse(data)) as Json; // Safe: only read
      const { progress } = (message["params"] ?? {}) as Json; // Safe: only read
      if (progress !== undefined) numbers.push(Number(progress));
      result = message["result"];
      if (result !== undefined || --left <= 0) break;
    }
    if (result === undefined && left === Infinity) throw new Error("the resumed stream ended early");
    response.destroy();
  }
  expectEqual(
    "resumed progress",
    numbers,
    Array.from({ length: to }, (_, index) => index + 1),
  );
  tally.add("streams resumed");
  tally.add("requests");
  await statusOf({ port, method: "DELETE", headers });
};

/** A client reads a large response late, or not at all. */
const slowReaders: HttpScenario = async ({ port, random, tally }) => {
  const length = random.between(200_000, 2_000_000);
  const isWhole = random.chance(0.5);
  const socket = await openSocket(port);
  socket.pause();
  socket.write(toText(toCall("large", { length }, ENVELOPE)));
  await sleep(random.between(20, 200));
  if (isWhole) {
    let received = 0;
    for await (const chunk of socket) {
      received += (chunk as Uint8Array).length; // Safe: without an encoding
      if (received >= length) break;
    }
    if (received < length) throw new Error(`a slow reader got ${received} of ${length} bytes`);
    tally.add("requests");
  }
  socket.destroy();
  tally.add("slow readers");
};

/** Two requests arrive in one packet, and get their responses in order. */
const pipelined: HttpScenario = async ({ port, tally }) => {
  const socket = await openSocket(port);
  const message = (text: string) => toText(toCall("echo", { text }, ENVELOPE));
  socket.write(message("first of two") + message("second of two"));
  let text = "";
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.includes("second of two")) break;
  }
  if (!/first of two[\s\S]*second of two/.test(text)) throw new Error(`pipelined requests got ${text}`);
  socket.destroy();
  tally.add("requests", 2);
};

/** A client disconnects in the middle of its headers, of its body, or of its call. */
const broken: HttpScenario = async ({ port, random, tally }) => {
  const socket = await openSocket(port);
  const text = toText(toCall("wait", { text: "" }, ENVELOPE));
  socket.write(text.slice(0, random.between(10, text.length)));
  await sleep(random.between(0, 30));
  socket.destroy();
  tally.add("connections dropped");
};

/** Requests that the server must reject, each with its status. */
const rejected: HttpScenario = async ({ port, random, tally }) => {
  const body = toCall("echo", { text: "x" }, ENVELOPE);
  const headers = modernHeaders(body);
  const cases: readonly (readonly [string, HttpRequest, number])[] = [
    ["foreign host", { port, headers: { ...headers, host: "attacker.example" }, body }, 403],
    ["foreign origin", { port, headers: { ...headers, origin: "https://attacker.example" }, body }, 403],
    ["text body", { port, headers: { ...headers, "content-type": "text/plain" }, body }, 415],
    ["other accept", { port, headers: { ...headers, accept: "image/png" }, body }, 406],
    ["not JSON", { port, headers, body: "{" }, 400],
    ["too deep", { port, headers, body: `${"[".repeat(100)}${"]".repeat(100)}` }, 400],
    ["other tool in the header", { port, headers: { ...headers, "mcp-name": "add" }, body }, 400],
    ["unknown session", { port, headers: sessionHeaders("unknown"), body: toCall("echo", {}) }, 404],
    ["no session", { port, body: toCall("echo", {}) }, 400],
  ];
  const [name, request, status] = random.pick(cases);
  expectEqual(name, await statusOf(request), status);
  tally.add("invalid requests");
};

async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  // The server may end the connection of a broken request first.
  socket.on("error", () => undefined);
  return socket;
}

/** Returns the text of an HTTP request with a stateless call. */
function toText(message: Json): string {
  const body = JSON.stringify(message);
  const headers = {
    host: "127.0.0.1",
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...modernHeaders(message),
    "content-length": String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return ["POST /mcp HTTP/1.1", ...lines, "", body].join("\r\n");
}

/** A call with an idempotency key is repeated, and returns the same result. Its result is stored for some seconds. */
const keyed: HttpScenario = async ({ port, random, tally }) => {
  const text = "x".repeat(random.between(1, 5_000));
  const body = toCall("echo", { text }, ENVELOPE);
  const headers = { ...modernHeaders(body), "idempotency-key": `key-${++lastKey}` };
  const [first, second] = [await send({ port, headers, body }), await send({ port, headers, body })];
  expectEqual("status of a keyed call", first.status, 200);
  // A slow response is an event stream.
  for (const response of [first, second])
    expectEqual("keyed call", /"text":"(x+)"/.exec(await response.text())?.[1], text);
  tally.add("requests", 2);
  tally.add("keyed calls");
};

let lastKey = 0;

/** Scenarios by name. */
export const HTTP_SCENARIOS: Readonly<Record<string, HttpScenario>> = {
  endedSessions,
  resumption,
  slowReaders,
  pipelined,
  broken,
  rejected,
  keyed,
};
