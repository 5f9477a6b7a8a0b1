/**
 * @fileoverview Sends messages to the WebSocket endpoint of an agent server process.
 * @module tools/fuzz/targets/websocket
 */
import { createRandom } from "../../random.js";
import type { Block, Chunking, Frame, Outcome, Problem, Target } from "../block.js";
import { pickChunking, toFrame } from "../frames/chunks.js";
import {
  type AgentRule,
  checkAgentReplies,
  comparable,
  countAgentReplies,
  expectAgentReply,
  isGreeting,
} from "../model/agent-model.js";
import { patience } from "./patience.js";
import type { ServerProcess } from "./server-process.js";
import { openSocketClient, type SocketWire } from "./websocket-client.js";

/** Code for text that is not UTF-8. */
const INVALID_TEXT = 1007;

/** Creates the target. */
export function createWebSocketTarget(server: ServerProcess): Target {
  return {
    name: "websocket",
    async run(block, chunking) {
      await server.revive();
      return runSocket(server, block, chunking);
    },
    close: () => server.stop(),
  };
}

async function runSocket(
  server: ServerProcess,
  block: Block,
  chosen: Chunking | undefined,
): Promise<Outcome> {
  const random = createRandom(block.seed);
  const chunking = chosen ?? pickChunking(random);
  const problems: Problem[] = [];
  const replies: string[] = [];
  try {
    for (const { frames, rules, closing } of splitAtClose(block.frames)) {
      const wire = await openSocketClient(server.port);
      try {
        for (const frame of frames) wire.send(frame, chunking, random);
        const city = `Riga ${block.seed}`;
        const text = `{"id":"probe","text":${JSON.stringify(city)}}`;
        wire.send(toFrame(`{"type":"echo","data":${text}}`), "whole", random);
        const all: readonly AgentRule[] = [...rules, { kind: "echo", data: text }];
        problems.push(...(await collect(wire, all)));
        replies.push(...wire.messages.filter((one) => !isGreeting(one)).map(comparable));
        if (closing !== undefined)
          problems.push(...(await closeAfter(wire, () => wire.send(closing, chunking, random))));
      } finally {
        wire.close();
      }
    }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    problems.push({ promise: text.startsWith("Timed out") ? "hang" : "missing", text });
  }
  const death = problems.length === 0 ? server.death : await server.deathAfterFailure();
  // Handlers run at the same time, so the order of their replies can differ.
  return {
    problems: death === undefined ? problems : [{ promise: "crash", text: death }],
    replies: replies.toSorted(),
  };
}

/** Messages that share a connection, and the message that ends it. */
interface Part {
  readonly frames: readonly Frame[];
  readonly rules: readonly AgentRule[];
  readonly closing: Frame | undefined;
}

/** Splits messages after each one that ends the connection. */
function splitAtClose(frames: readonly Frame[]): readonly Part[] {
  const parts: Part[] = [];
  let open: { frames: Frame[]; rules: AgentRule[] } = { frames: [], rules: [] };
  const end = (closing: Frame | undefined) => {
    parts.push({ ...open, closing });
    open = { frames: [], rules: [] };
  };
  for (const frame of frames) {
    const rule = expectAgentReply(frame);
    if (rule.kind === "close") end(frame);
    else {
      open.frames.push(frame);
      open.rules.push(rule);
    }
  }
  end(undefined);
  return parts;
}

/** Waits for all replies, and checks them. */
async function collect(wire: SocketWire, rules: readonly AgentRule[]): Promise<readonly Problem[]> {
  const replies = () => wire.messages.filter((one) => !isGreeting(one));
  const isDone = () => replies().length >= countAgentReplies(rules);
  const hasProbe = () => replies().some((one) => one.startsWith('{"type":"echo","data":{"id":"probe"'));
  await wire.until(hasProbe, patience.replyMs);
  await wire.until(isDone, patience.lateMs).catch(() => undefined);
  if (wire.closeCode !== undefined)
    return [{ promise: "missing", text: `The server closed the connection with code ${wire.closeCode}.` }];
  const probes = hasProbe()
    ? []
    : [{ promise: "probe", text: "A regular message received no reply." } as const];
  return [...probes, ...checkAgentReplies(rules, replies())];
}

/** Sends a message that must end the connection. */
async function closeAfter(wire: SocketWire, send: () => void): Promise<readonly Problem[]> {
  const before = wire.messages.length;
  send();
  await wire.until(() => false, patience.replyMs);
  if (wire.messages.slice(before).some((one) => !isGreeting(one)))
    return [{ promise: "extra", text: "A message that is not UTF-8 received a reply." }];
  return wire.closeCode === INVALID_TEXT
    ? []
    : [{ promise: "wrong", text: `Expected close code ${INVALID_TEXT}; got ${wire.closeCode}.` }];
}
