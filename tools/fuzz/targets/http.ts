/**
 * @fileoverview Posts frames to an HTTP endpoint, in sessions and stateless, and checks every response.
 * @module tools/fuzz/targets/http
 */
import { toFetch } from "tenon/fetch";
import { createRandom, type Random } from "../../random.js";
import type { Block, Chunking, Frame, Outcome, Problem, Target } from "../block.js";
import { pickChunking, toFrame } from "../frames/chunks.js";
import { createFuzzServer } from "../fuzz-server.js";
import { checkReplies, show } from "../model/check-replies.js";
import { HttpModel, type McpHeaders } from "../model/http-model.js";
import { checkProbe, initializeText, legacyProbeText, probeText } from "../model/probe.js";
import type { FrameRule } from "../model/server-model.js";
import {
  type HttpReply,
  type HttpRequest,
  type HttpWire,
  openFetchWire,
  openSocketWire,
} from "./http-client.js";
import type { ServerProcess } from "./server-process.js";

const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "2026-07-28"];
const MODERN = "2026-07-28";

const CLOSE_BRACE = 0x7d;

/** Maximum number of requests that are sent without waiting. */
const MAX_PIPELINED = 16;

/** Creates a target that posts to a server process over sockets. */
export function createHttpTarget(server: ServerProcess): Target {
  return {
    name: "http",
    async run(block, chunking) {
      await server.revive();
      return runHttp(() => openSocketWire(server.port), block, {
        chunking,
        death: () => server.deathAfterFailure(),
      });
    },
    close: () => server.stop(),
  };
}

/** Creates a target that calls `toFetch` in this process. */
export function createFetchTarget(): Target {
  const handler = toFetch(createFuzzServer("silent"));
  return {
    name: "fetch",
    run: (block, chunking) =>
      runHttp(() => Promise.resolve(openFetchWire(handler)), block, {
        chunking,
        death: () => Promise.resolve(undefined),
      }),
    close: () => handler.close(1_000),
  };
}

interface HttpRun {
  readonly chunking: Chunking | undefined;
  /** Describes how the server ended, if it has. */
  readonly death: () => Promise<string | undefined>;
}

/** Request, and the reply that it must get. */
interface Posted {
  readonly request: HttpRequest;
  readonly rule: FrameRule;
}

async function runHttp(open: () => Promise<HttpWire>, block: Block, run: HttpRun): Promise<Outcome> {
  const random = createRandom(block.seed);
  const revision = random.pick(REVISIONS);
  const chunking = run.chunking ?? pickChunking(random);
  const problems: Problem[] = [];
  const replies: string[] = [];
  try {
    const wire = await open();
    try {
      const session = revision === MODERN ? undefined : await openSession(wire, revision, random);
      const posted = toRequests(block.frames, { revision, session, random });
      // The choices of a group must not depend on the chunks, so that runs with other chunks can be compared.
      const groups = createRandom(block.seed + 1);
      for (let at = 0; at < posted.length;) {
        const group = posted.slice(at, at + groups.between(1, MAX_PIPELINED));
        const received = await wire.send(
          group.map(({ request }) => request),
          chunking,
          random,
        );
        for (const [index, reply] of received.entries()) {
          const rule = group[index]?.rule;
          if (rule !== undefined) problems.push(...checkHttpReply(reply, rule));
          replies.push(`${reply.status} ${reply.body}`);
        }
        at += group.length;
      }
      const city = `Riga ${block.seed}`;
      const text = revision === MODERN ? probeText(city) : legacyProbeText(city);
      const headers =
        revision === MODERN
          ? { version: MODERN, method: "tools/call", name: "typed" }
          : { version: revision };
      const [last] = await wire.send([toPost(toFrame(text), headers, session)], "whole", random);
      const failed = checkProbe(last?.body, city);
      if (failed !== undefined) problems.push(failed);
      if (session !== undefined) await endSession(wire, session, random);
    } finally {
      wire.close();
    }
  } catch (error) {
    problems.push(toProblem(error, await run.death()));
  }
  return { problems, replies };
}

function toProblem(error: unknown, death: string | undefined): Problem {
  if (death !== undefined) return { promise: "crash", text: death };
  const text = error instanceof Error ? error.message : String(error);
  if (text.startsWith("Timed out")) return { promise: "hang", text };
  return { promise: text.startsWith("The server sent") ? "extra" : "missing", text };
}

interface Posting {
  readonly revision: string;
  readonly session: string | undefined;
  readonly random: Random;
}

function toRequests(frames: readonly Frame[], { revision, session, random }: Posting): readonly Posted[] {
  const model = new HttpModel(revision);
  const predict = (frame: Frame): Posted => {
    const headers = model.headersFor(frame, random);
    return { request: toPost(frame, headers, session), rule: model.expect(frame, headers) };
  };
  return frames.map((frame) => {
    const posted = predict(frame);
    // A stream of notifications would not end, so its request is sent without its last brace.
    const isHeld = posted.rule.replies.some((reply) => reply.isHeld);
    return isHeld
      ? predict({ bytes: frame.bytes.subarray(0, frame.bytes.lastIndexOf(CLOSE_BRACE)) })
      : posted;
  });
}

/** Returns the request that posts a frame. */
export function toPost(
  { bytes }: Frame,
  { version, method, name }: McpHeaders,
  session: string | undefined,
): HttpRequest {
  return {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(version === undefined ? {} : { "MCP-Protocol-Version": version }),
      ...(method === undefined ? {} : { "Mcp-Method": method }),
      ...(name === undefined ? {} : { "Mcp-Name": name }),
      ...(session === undefined ? {} : { "Mcp-Session-Id": session }),
    },
    body: bytes,
  };
}

async function openSession(wire: HttpWire, revision: string, random: Random): Promise<string> {
  const [reply] = await wire.send(
    [toPost(toFrame(initializeText(revision)), {}, undefined)],
    "whole",
    random,
  );
  const session = reply?.headers.get("mcp-session-id");
  if (session === undefined) throw new Error(`No session was opened: ${show(reply?.body ?? "")}`);
  return session;
}

async function endSession(wire: HttpWire, session: string, random: Random): Promise<void> {
  const headers = { "Mcp-Session-Id": session };
  await wire.send([{ method: "DELETE", headers, body: new Uint8Array() }], "whole", random);
}

/** Checks one response: its status, its type, and the JSON-RPC reply in its body. */
function checkHttpReply({ status, headers, body }: HttpReply, rule: FrameRule): readonly Problem[] {
  const problems: Problem[] = [];
  const isSilent = rule.replies.length === 0;
  const expectsStatus = isSilent ? status === 202 : [200, 400, 404].includes(status);
  if (!expectsStatus)
    problems.push({ promise: "wrong", text: `HTTP status ${status} with body ${show(body)}` });
  if (isSilent) {
    if (body !== "")
      problems.push({ promise: "extra", text: `A message without an ID received ${show(body)}` });
    return problems;
  }
  const type = headers.get("content-type");
  if (type !== "application/json")
    problems.push({ promise: "wrong", text: `Content-Type ${type}: ${show(body)}` });
  return [...problems, ...checkReplies([rule], [body])];
}
