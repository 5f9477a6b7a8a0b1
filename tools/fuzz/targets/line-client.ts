/**
 * @fileoverview Client of a server that reads and writes lines. Writes a stream in chunks, answers the server's requests,
 * and waits until every frame has its reply.
 * @module tools/fuzz/targets/line-client
 */
import { createRandom } from "../../random.js";
import type { Block, Chunking, Frame, Outcome, Problem } from "../block.js";
import { joinLines, pickChunking, splitBytes, splitLines, toFrame } from "../frames/chunks.js";
import { checkReplies, isOwnMessage, parse } from "../model/check-replies.js";
import type { Fields } from "../model/json-rules.js";
import { checkProbe, initializeText, isProbeReply, probeText } from "../model/probe.js";
import { ServerModel } from "../model/server-model.js";
import { patience } from "./patience.js";

/** Connection to a server. */
export interface LineWire {
  /** Writes a chunk. Resolves when the server can take more. */
  write(chunk: Uint8Array): Promise<void> | void;
  /** Ends the input. Returns a problem if the server does not end as it should. */
  end(): Promise<Problem | undefined>;
  /** Describes how the server ended, if it has ended on its own. */
  readonly death: string | undefined;
}

/** Opens a connection that passes every line of the server to `onLine`. */
export type OpenLines = (onLine: (line: string) => void) => LineWire;

/** Revisions with which a connection opens. `none` leaves the first request to the frames. */
const OPENINGS = ["none", "none", "2024-11-05", "2025-03-26", "2025-03-26", "2025-06-18", "2025-11-25"];

/** Sends a block over a new connection and checks all lines of the server. */
export async function runLines(
  open: OpenLines,
  block: Block,
  chosen: Chunking | undefined,
): Promise<Outcome> {
  const random = createRandom(block.seed);
  const city = `Riga ${block.seed}`;
  const revision = random.pick(OPENINGS);
  const opening: readonly Frame[] = revision === "none" ? [] : [toFrame(initializeText(revision))];
  const stream = joinLines([...opening, ...block.frames, toFrame(probeText(city))]);
  const model = new ServerModel();
  const rules = splitLines(stream).map((frame) => model.expect(frame));
  const expected = rules.filter(({ replies }) => replies.some(({ isHeld }) => isHeld !== true)).length;
  const lines: string[] = [];
  /** Answers to requests of the server. They wait until the stream is written, so that they do not split a frame. */
  const answers: Uint8Array[] = [];
  let isWritten = false;
  let wake = () => {};
  let probe: string | undefined;
  const wire = open((line) => {
    const value = parse(line);
    if (isOwnMessage(value)) {
      answers.push(...answerTo(value as Fields)); // Safe: `isOwnMessage` checked it
      if (isWritten) void flush();
      return;
    }
    lines.push(line);
    if (isProbeReply(line)) probe ??= line;
    if (lines.length >= expected) wake();
  });
  const flush = async () => {
    for (const reply of answers.splice(0)) await wire.write(reply);
  };
  for (const chunk of splitBytes(stream, chosen ?? pickChunking(random), random)) {
    if (wire.death !== undefined) break;
    const full = wire.write(chunk);
    if (full !== undefined) await full;
  }
  isWritten = true;
  await flush();
  await waitFor(() => (lines.length >= expected && probe !== undefined) || wire.death !== undefined, {
    onWake: (listener) => (wake = listener),
    isLate: () => probe !== undefined,
  });
  const problems: Problem[] = [];
  if (wire.death !== undefined) problems.push({ promise: "crash", text: wire.death });
  else if (probe === undefined)
    problems.push({ promise: "hang", text: `No reply to the last request within ${patience.replyMs} ms.` });
  const ending = await wire.end();
  if (ending !== undefined) problems.push(ending);
  if (problems.length === 0) problems.push(...checkReplies(rules, lines));
  const failed = checkProbe(probe, city);
  if (failed !== undefined) problems.push(failed);
  return { problems, replies: lines };
}

/** Resolves to the value of a promise. @throws if it does not settle in time */
export async function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Timed out after ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface Waiting {
  readonly onWake: (listener: () => void) => void;
  /** True if only late replies are missing. */
  readonly isLate: () => boolean;
}

/** Waits until a condition holds, or the time is over. */
async function waitFor(holds: () => boolean, { onWake, isLate }: Waiting): Promise<void> {
  const end = performance.now() + patience.replyMs;
  let lateEnd = Number.POSITIVE_INFINITY;
  while (!holds()) {
    const now = performance.now();
    if (isLate()) lateEnd = Math.min(lateEnd, now + patience.lateMs);
    const left = Math.min(end, lateEnd) - now;
    if (left <= 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.min(left, 100));
      onWake(resolve);
    });
    clearTimeout(timer);
  }
}

/** Declines a request of the server. A notification gets no answer. */
function answerTo({ id }: Fields): readonly Uint8Array[] {
  if (id === undefined) return [];
  const reply = JSON.stringify({ jsonrpc: "2.0", id, result: { action: "decline" } });
  return [toFrame(`${reply}\n`).bytes];
}
