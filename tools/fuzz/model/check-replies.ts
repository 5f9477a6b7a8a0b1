/**
 * @fileoverview Compares replies with the rules of the model: exactly one reply per request, its shape, its ID, and its
 * error code. Finds internals in any text that the server sends.
 * @module tools/fuzz/model/check-replies
 */
import { SECRET } from "../fuzz-server.js";
import type { Problem } from "../block.js";
import { type Fields, isFields } from "./json-rules.js";
import type { FrameRule, ReplyRule } from "./server-model.js";

/** Maximum length of a reply in the text of a problem. */
const MAX_SHOWN = 300;

/** Text that only a leak of internals can contain: the secret, stack traces, and paths of source files. */
const LEAK = new RegExp(
  `${SECRET}|\\bat .{1,200}:\\d+:\\d+|node_modules|file://[^"]*\\.[jt]s\\b|node:internal`,
);

/** Returns a problem if text contains internals. */
export function findLeak(text: string): Problem | undefined {
  const [found] = LEAK.exec(text) ?? [];
  return found === undefined ? undefined : { promise: "leak", text: `The server sent ${show(text)}` };
}

/** Checks the lines that a server sent in reply to frames. Messages that the server sends on its own do not count. */
export function checkReplies(rules: readonly FrameRule[], lines: readonly string[]): readonly Problem[] {
  const problems: Problem[] = [];
  const requests = new Map<string, Request[]>();
  for (const { replies } of rules) {
    for (const rule of replies) {
      const known = requests.get(rule.id) ?? [];
      requests.set(rule.id, known);
      // Requests that may stay open come last, so that replies are assigned to the others first.
      if (rule.isHeld === true) known.push({ rule, reply: undefined });
      else known.unshift({ rule, reply: undefined });
    }
  }
  let arrays = 0;
  for (const line of lines) {
    const leak = findLeak(line);
    if (leak !== undefined) problems.push(leak);
    const value = parse(line);
    if (Array.isArray(value)) arrays++;
    const replies: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const reply of replies) {
      if (isOwnMessage(reply)) continue;
      const problem = checkReply(reply, requests);
      if (problem !== undefined) problems.push(problem);
    }
  }
  for (const [id, all] of requests) {
    const missing = all.filter(({ rule, reply }) => reply === undefined && rule.isHeld !== true).length;
    if (missing > 0) problems.push({ promise: "missing", text: `No reply to ID ${show(id)} (${missing})` });
  }
  const expected = countArrays(rules);
  if (arrays < expected.least || arrays > expected.most)
    problems.push({ promise: "wrong", text: `Expected ${expected.least} batch replies; got ${arrays}` });
  return problems;
}

/** Returns true for a request or a notification of the server. */
export function isOwnMessage(value: unknown): boolean {
  return isFields(value) && typeof value["method"] === "string";
}

/** Parses JSON. Returns `undefined` for other text. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Shortens text for a problem. */
export function show(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)` : text;
}

/** Rule for the reply to a request, and the reply that was assigned to it. */
interface Request {
  readonly rule: ReplyRule;
  reply: Fields | undefined;
}

/** Assigns a reply to a request with its ID. Returns a problem if it fits none. */
function checkReply(reply: unknown, requests: ReadonlyMap<string, readonly Request[]>): Problem | undefined {
  const shown = show(JSON.stringify(reply) ?? "text that is not JSON");
  if (!isReply(reply)) return { promise: "wrong", text: `Not a JSON-RPC reply: ${shown}` };
  const same = requests.get(JSON.stringify(reply["id"])) ?? [];
  if (assign(reply, same, new Set())) return undefined;
  const open = same.find((request) => request.reply === undefined);
  if (open === undefined) return { promise: "extra", text: `Nothing asked for this reply: ${shown}` };
  open.reply = reply;
  const wanted = [...(open.rule.result ? ["a result"] : []), ...open.rule.codes].join(" or ");
  return { promise: "wrong", text: `Expected ${wanted}; got ${shown}` };
}

/**
 * Assigns a reply to a request that it fits, and moves earlier replies to other requests if necessary. Requests with the
 * same ID can be answered in any order, so only a complete assignment shows that each of them got a correct reply.
 */
function assign(reply: Fields, requests: readonly Request[], tried: Set<Request>): boolean {
  for (const request of requests) {
    if (tried.has(request) || !fits(reply, request.rule)) continue;
    tried.add(request);
    if (request.reply === undefined || assign(request.reply, requests, tried)) {
      request.reply = reply;
      return true;
    }
  }
  return false;
}

function isReply(value: unknown): value is Fields {
  if (!isFields(value) || value["jsonrpc"] !== "2.0" || value["id"] === undefined) return false;
  if (Object.keys(value).length !== 3) return false;
  const { result, error } = value;
  return (
    isFields(result) ||
    (isFields(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string")
  );
}

function fits({ error }: Fields, { result, codes }: ReplyRule): boolean {
  return isFields(error) ? codes.includes(Number(error["code"])) : result;
}

function countArrays(rules: readonly FrameRule[]): { readonly least: number; readonly most: number } {
  const batches = rules.filter(({ isBatch }) => isBatch);
  return {
    least: batches.filter(({ replies }) => replies.some(({ isHeld }) => isHeld !== true)).length,
    most: batches.filter(({ replies }) => replies.length > 0).length,
  };
}
