/**
 * @fileoverview Parts of a run: the regression cases, the corpus, generated frames for each target, other chunks, and
 * histories of tasks.
 * @module tools/fuzz/parts
 */
import type { Figures } from "../figures.js";
import type { Block, Chunking, Frame, Problem, Target } from "./block.js";
import type { Findings } from "./findings.js";
import { generateAgentFrames } from "./frames/agent-frames.js";
import { corpusFrames, corpusMessages, type Document, readCorpus } from "./frames/corpus.js";
import { generateFrames, generateServerFrames } from "./frames/generate.js";
import { runHistories } from "./histories.js";
import { parseStrictly } from "./model/json-rules.js";
import { readRegressions, toBlock } from "./regressions.js";
import { isTargetName, type TargetName, type TargetPool } from "./targets/pool.js";

/** Counts of a run. */
export interface Scale {
  /** Number of generated frames, for all targets together. */
  readonly frames: number;
  readonly histories: number;
  readonly seed: number;
}

/** Environment of a part. */
export interface PartContext {
  readonly scale: Scale;
  readonly pool: TargetPool;
  readonly figures: Figures;
  readonly findings: Findings;
  readonly print: (line: string) => void;
}

/** Part of a run, and a sentence about it. */
export interface Part {
  readonly about: string;
  readonly run: (context: PartContext, name: string) => Promise<void>;
}

/** A target's share of the generated frames, and the number of frames per connection. */
interface Share {
  readonly share: number;
  readonly perBlock: number;
  readonly generate: (seed: number, count: number) => readonly Frame[];
}

const SHARES = {
  receive: { share: 0.4, perBlock: 500, generate: generateFrames },
  stdio: { share: 0.2, perBlock: 250, generate: generateFrames },
  "stdio-process": { share: 0.15, perBlock: 2_500, generate: generateFrames },
  http: { share: 0.1, perBlock: 100, generate: generateFrames },
  fetch: { share: 0.08, perBlock: 250, generate: generateFrames },
  websocket: { share: 0.05, perBlock: 100, generate: generateAgentFrames },
  "http-bytes": { share: 0.01, perBlock: 100, generate: generateFrames },
  "websocket-bytes": { share: 0.01, perBlock: 100, generate: generateAgentFrames },
  // Clients get frames in addition to those for servers.
  "client-json": { share: 0.01, perBlock: 100, generate: generateServerFrames },
  "client-events": { share: 0.04, perBlock: 200, generate: generateServerFrames },
  "client-stdio": { share: 0.005, perBlock: 500, generate: generateServerFrames },
} as const satisfies Partial<Record<TargetName, Share>>;

/** Targets whose replies are compared at several chunkings. */
const CHUNKED = ["stdio-ordered", "http", "fetch", "websocket"] as const satisfies readonly TargetName[];

/** Share of the generated frames that is sent again at every chunking. */
const CHUNKED_SHARE = 0.01;

/** Blocks that may fail before a part gives up. */
const MAX_FAILED = 3;

/** Time in milliseconds between lines about the progress. */
const PROGRESS_MS = 10_000;

/** Maximum time in milliseconds for a block. */
const BLOCK_MS = 60_000;

/** Parts by name, in their order. */
export const PARTS: Readonly<Record<string, Part>> = {
  regressions: { about: "saved inputs", run: replayRegressions },
  corpus: {
    about: "JSON documents that parsers must accept or reject, over every transport",
    run: sendCorpus,
  },
  receive: { about: "frames for `receive`, without a transport", run: sendGenerated },
  stdio: { about: "frames for `serveStdio` on streams in this process", run: sendGenerated },
  "stdio-process": { about: "frames for a server process over its standard streams", run: sendGenerated },
  http: {
    about: "frames for the Node handler over sockets, with keep-alive and pipelining",
    run: sendGenerated,
  },
  fetch: { about: "frames for the fetch handler", run: sendGenerated },
  websocket: { about: "messages for the agent server over WebSocket", run: sendGenerated },
  "http-bytes": {
    about: "HTTP requests whose bytes are damaged, each on its own connection",
    run: sendGenerated,
  },
  "websocket-bytes": {
    about: "WebSocket frames whose bytes are damaged, each on its own connection",
    run: sendGenerated,
  },
  "client-json": { about: "frames of a hostile server for a client, as bodies of JSON", run: sendGenerated },
  "client-events": { about: "frames of a hostile server for a client, as events", run: sendGenerated },
  "client-stdio": { about: "frames of a hostile program for a client", run: sendGenerated },
  chunks: { about: "the same streams, split at other places", run: compareChunks },
  histories: { about: "histories of tasks on several nodes", run: runTaskHistories },
};

async function replayRegressions({ pool, figures, findings }: PartContext, name: string): Promise<void> {
  const cases = readRegressions();
  let failed = 0;
  for (const saved of cases) {
    if (!isTargetName(saved.target)) throw new Error(`Unknown target in a regression case: ${saved.target}`);
    const { problems } = await (await pool.get(saved.target)).run(toBlock(saved));
    findings.add(`${name} (${saved.note})`, problems);
    if (problems.length > 0) failed++;
  }
  figures.note("cases", cases.length);
  figures.exactly("cases that fail again", failed, 0);
}

async function sendCorpus({ pool, figures, findings, scale }: PartContext, name: string): Promise<void> {
  const documents = readCorpus();
  const disputed = documents.filter(isDisputed).map(({ name: title, verdict }): Problem => ({
    promise: "wrong",
    text: `Expected to ${verdict} "${title}"`,
  }));
  findings.add(name, disputed);
  let sent = 0;
  for (const target of ["receive", "stdio", "stdio-process", "http", "fetch", "websocket"] as const) {
    const frames = target === "websocket" ? corpusMessages(documents) : corpusFrames(documents);
    sent += frames.length;
    const opened = await pool.get(target);
    for (let at = 0; at < frames.length; at += 100) {
      const block = { frames: frames.slice(at, at + 100), seed: scale.seed + at };
      const { problems } = await opened.run(block, "whole");
      if (problems.length > 0)
        await findings.report(`${name} over ${target}`, { target: opened, block, problems });
    }
  }
  figures.atLeast("documents", documents.length, 400);
  figures.note("frames, over six transports", sent);
}

/** Returns true if the model of a parser and the verdict of the corpus differ. */
function isDisputed({ bytes, verdict }: Document): boolean {
  return verdict !== "either" && parseStrictly(bytes).ok !== (verdict === "accept");
}

async function sendGenerated(context: PartContext, name: string): Promise<void> {
  const { scale, pool, figures, findings, print } = context;
  const { share, perBlock, generate } = SHARES[name as keyof typeof SHARES]; // Safe: the names of the parts that use it
  const target = await pool.get(name as keyof typeof SHARES);
  const planned = Math.round(scale.frames * share);
  const times = new BlockTimes((sent) => print(`${name}: ${sent.toLocaleString("en-US")} frames sent`));
  let failed = 0;
  for (let sent = 0; sent < planned && failed < MAX_FAILED; sent += perBlock) {
    const seed = blockSeed(scale.seed, name, sent);
    const block: Block = { frames: generate(seed, Math.min(perBlock, planned - sent)), seed };
    const { problems } = await times.measure(block.frames.length, () => target.run(block));
    if (problems.length === 0) continue;
    // Each further block with a hang would take as long.
    failed += problems.some(({ promise }) => promise === "hang") ? MAX_FAILED : 1;
    await findings.report(name, { target, block, problems });
  }
  figures.exactly("frames", times.sent, planned);
  figures.note("frames per second", times.perSecond);
  figures.within("slowest connection", times.slowestMs, BLOCK_MS);
}

async function compareChunks({ scale, pool, figures, findings }: PartContext, name: string): Promise<void> {
  const perBlock = 40;
  let sent = 0;
  let compared = 0;
  for (const targetName of CHUNKED) {
    const target = await pool.get(targetName);
    const generate = targetName === "websocket" ? generateAgentFrames : generateFrames;
    const planned = Math.max(perBlock, Math.round((scale.frames * CHUNKED_SHARE) / CHUNKED.length));
    for (let at = 0; at < planned; at += perBlock) {
      const seed = blockSeed(scale.seed, `${name} ${targetName}`, at);
      const block: Block = { frames: generate(seed, perBlock), seed };
      const { problems, replies } = await compare(target, block);
      findings.add(`${name} of ${targetName}, seed ${seed}`, problems);
      sent += perBlock;
      compared += replies;
    }
  }
  figures.note("frames, each sent three times", sent);
  figures.atLeast("replies compared", compared, Math.round(sent / 2));
}

/** Sends a block whole, in random chunks, and in single bytes. Compares the replies byte by byte. */
async function compare(
  target: Target,
  block: Block,
): Promise<{ readonly problems: readonly Problem[]; readonly replies: number }> {
  const problems: Problem[] = [];
  const whole = await target.run(block, "whole");
  problems.push(...whole.problems);
  for (const chunking of ["random", "bytes"] as const satisfies readonly Chunking[]) {
    const split = await target.run(block, chunking);
    problems.push(...split.problems);
    const at = whole.replies.findIndex((reply, index) => reply !== split.replies[index]);
    if (at === -1 && whole.replies.length === split.replies.length) continue;
    const shown = `${whole.replies[at]?.slice(0, 150)} and ${split.replies[at]?.slice(0, 150)}`;
    problems.push({ promise: "chunking", text: `Reply ${at} differs (${chunking}): ${shown}` });
  }
  return { problems, replies: whole.replies.length };
}

async function runTaskHistories({ scale, figures, print }: PartContext, name: string): Promise<void> {
  if (scale.histories === 0) return;
  const { runs, failures } = await runHistories(scale.histories, scale.seed);
  for (const failure of failures) print(`${name}: FAIL ${failure}`);
  figures.note("histories", runs);
  figures.exactly("histories that break the state machine", failures.length, 0);
}

/** Returns the seed of a block. Blocks of all parts have different seeds. */
function blockSeed(seed: number, part: string, at: number): number {
  let mixed = seed | 0;
  for (const character of `${part} ${at}`) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x01000193);
  return mixed >>> 1;
}

/** Measures blocks, and tells the progress from time to time. */
class BlockTimes {
  sent = 0;
  slowestMs = 0;
  readonly #start = performance.now();
  readonly #tell: (sent: number) => void;
  #told = this.#start;

  constructor(tell: (sent: number) => void) {
    this.#tell = tell;
  }

  get perSecond(): number {
    return Math.round((this.sent * 1_000) / Math.max(1, performance.now() - this.#start));
  }

  async measure<T>(count: number, send: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const result = await send();
    const end = performance.now();
    this.sent += count;
    this.slowestMs = Math.max(this.slowestMs, end - start);
    if (end - this.#told > PROGRESS_MS) {
      this.#told = end;
      this.#tell(this.sent);
    }
    return result;
  }
}
