/**
 * @fileoverview Damages the bytes below the messages: whole HTTP requests and WebSocket frames, each on its own
 * connection. The server may reject them or close the connection, but it must end the connection with the client.
 * @module tools/fuzz/targets/raw-bytes
 */
import { Buffer } from "node:buffer";
import { connect } from "node:net";
import { createRandom, type Random } from "../../random.js";
import type { Block, Chunking, Frame, Outcome, Problem, Target } from "../block.js";
import { pickChunking, splitBytes, toFrame } from "../frames/chunks.js";
import { mutateBytes } from "../frames/mutations.js";
import { findLeak, show } from "../model/check-replies.js";
import { checkProbe, probeText } from "../model/probe.js";
import { HttpModel } from "../model/http-model.js";
import { toPost } from "./http.js";
import { openSocketWire, ReplyReader, toBytes } from "./http-client.js";
import { withTimeout } from "./line-client.js";
import { patience } from "./patience.js";
import type { ServerProcess } from "./server-process.js";
import { openSocketClient, readFrame, toFragments, UPGRADE } from "./websocket-client.js";

/** Number of connections at the same time. */
const AT_ONCE = 8;

const MODERN = "2026-07-28";

/** Protocol whose bytes are damaged. */
interface RawProtocol {
  readonly name: string;
  /** Bytes that are sent unchanged before the damaged ones. */
  readonly opening: string;
  readonly encode: (frame: Frame, random: Random) => Uint8Array;
  /** Checks everything that the server sent. */
  readonly check: (received: Buffer) => readonly Problem[];
  /** Sends a regular message on a new connection. */
  readonly probe: (port: number, city: string) => Promise<Problem | undefined>;
}

/** Creates a target for damaged HTTP requests. */
export function createRawHttpTarget(server: ServerProcess): Target {
  return createRawTarget(server, {
    name: "http-bytes",
    opening: "",
    encode(frame, random) {
      const headers = new HttpModel(MODERN).headersFor(frame, random);
      return toBytes(toPost(frame, headers, undefined), random);
    },
    check: checkHttp,
    probe: probeHttp,
  });
}

/** Creates a target for damaged WebSocket frames. */
export function createRawWebSocketTarget(server: ServerProcess): Target {
  return createRawTarget(server, {
    name: "websocket-bytes",
    opening: UPGRADE,
    encode: toFragments,
    check: checkWebSocket,
    probe: probeWebSocket,
  });
}

function createRawTarget(server: ServerProcess, protocol: RawProtocol): Target {
  return {
    name: protocol.name,
    async run(block, chunking) {
      await server.revive();
      return runRaw(server, protocol, { block, chunking });
    },
    close: () => server.stop(),
  };
}

async function runRaw(
  server: ServerProcess,
  protocol: RawProtocol,
  { block, chunking }: { readonly block: Block; readonly chunking: Chunking | undefined },
): Promise<Outcome> {
  const problems: Problem[] = [];
  for (let at = 0; at < block.frames.length; at += AT_ONCE) {
    const found = block.frames.slice(at, at + AT_ONCE).map(async (frame) => {
      const random = createRandom(block.seed + frame.bytes.length);
      const whole = protocol.encode(frame, random);
      const damaged = mutateBytes(whole, whole, random);
      const chunks = splitBytes(damaged, chunking ?? pickChunking(random), random);
      try {
        return protocol.check(await exchange(server.port, protocol.opening, chunks));
      } catch (error) {
        return [toProblem(error)];
      }
    });
    problems.push(...(await Promise.all(found)).flat());
  }
  const death = problems.length === 0 ? server.death : await server.deathAfterFailure();
  if (death !== undefined) return { problems: [{ promise: "crash", text: death }], replies: [] };
  const failed = await protocol.probe(server.port, `Riga ${block.seed}`).catch(toProblem);
  return { problems: failed === undefined ? problems : [...problems, failed], replies: [] };
}

function toProblem(error: unknown): Problem {
  const text = error instanceof Error ? error.message : String(error);
  return { promise: text.startsWith("Timed out") ? "hang" : "wrong", text };
}

/** Sends bytes, ends the connection, and resolves to everything that the server sent. */
function exchange(port: number, opening: string, chunks: readonly Uint8Array[]): Promise<Buffer> {
  const socket = connect(port, "127.0.0.1");
  const received: Uint8Array[] = [];
  const ended = new Promise<Buffer>((resolve) => {
    socket.on("close", () => resolve(Buffer.concat(received)));
  });
  socket.on("error", () => undefined); // the server may reset the connection
  socket.on("data", (chunk) => received.push(chunk));
  socket.setNoDelay(true);
  if (opening !== "") socket.write(opening);
  for (const chunk of chunks) socket.write(chunk);
  socket.end();
  return withTimeout(ended, patience.replyMs).finally(() => socket.destroy());
}

function checkHttp(received: Buffer): readonly Problem[] {
  const reader = new ReplyReader();
  reader.push(received);
  const problems: Problem[] = [];
  for (let reply = reader.next(); reply !== undefined; reply = reader.next()) {
    const leak = findLeak(reply.body);
    if (leak !== undefined) problems.push(leak);
    if (reply.status >= 500)
      problems.push({ promise: "wrong", text: `HTTP status ${reply.status} with body ${show(reply.body)}` });
  }
  return problems;
}

function checkWebSocket(received: Buffer): readonly Problem[] {
  const start = received.indexOf("\r\n\r\n") + 4;
  const problems: Problem[] = [];
  let rest = received.subarray(start);
  for (let frame = readFrame(rest); frame !== undefined && rest.length > 0; frame = readFrame(rest)) {
    rest = rest.subarray(frame.end);
    const leak = findLeak(frame.payload.toString());
    if (leak !== undefined) problems.push(leak);
  }
  return problems;
}

async function probeHttp(port: number, city: string): Promise<Problem | undefined> {
  const wire = await openSocketWire(port);
  try {
    const headers = { version: MODERN, method: "tools/call", name: "typed" };
    const [reply] = await wire.send(
      [toPost(toFrame(probeText(city)), headers, undefined)],
      "whole",
      createRandom(1),
    );
    return checkProbe(reply?.body, city);
  } finally {
    wire.close();
  }
}

async function probeWebSocket(port: number, city: string): Promise<Problem | undefined> {
  const wire = await openSocketClient(port);
  try {
    const text = JSON.stringify({ type: "echo", data: { id: "probe", text: city } });
    wire.send(toFrame(text), "whole", createRandom(1));
    await wire.until(() => wire.messages.includes(text), patience.replyMs);
    return wire.messages.includes(text)
      ? undefined
      : { promise: "probe", text: "A regular message received no reply." };
  } finally {
    wire.close();
  }
}
