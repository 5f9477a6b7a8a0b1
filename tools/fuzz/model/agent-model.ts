/**
 * @fileoverview Model of the agent's WebSocket endpoint: the replies that each message must get.
 * @module tools/fuzz/model/agent-model
 */
import type { Frame, Problem } from "../block.js";
import { findLeak, parse, show } from "./check-replies.js";
import { decodeStrictly, type Fields, isFields, measure } from "./json-rules.js";

/**
 * Reply that a message must get: an `error` with a reason, the message itself, a failed `ack` with an `error`, nothing,
 * or the end of the connection.
 */
export type AgentRule =
  | { readonly kind: "error" | "refused" | "none" | "close" }
  | { readonly kind: "echo"; readonly data: string };

/** Maximum nesting depth of a message. */
const MAX_DEPTH = 64;

const TASK_MESSAGES: ReadonlySet<unknown> = new Set(["userSendMessage", "interrupt", "loadTask", "resume"]);

/** Returns the reply that a message must get. */
export function expectAgentReply({ bytes, isBinary = false }: Frame): AgentRule {
  if (isBinary) return { kind: "error" };
  const text = decodeStrictly(bytes);
  if (text === undefined) return { kind: "close" };
  const value = parse(text);
  if (!isFields(value) || measure(text).depth > MAX_DEPTH) return { kind: "error" };
  const { type, data } = value;
  if (!isFields(data)) return { kind: "error" };
  if (type === "echo") return echoRule(data);
  if (type === "quiet") return { kind: "none" };
  if (type === "broken" || !TASK_MESSAGES.has(type)) return { kind: "error" };
  return { kind: isTaskMessage(type, data) ? "refused" : "error" };
}

/** Checks the messages that the server sent in reply to messages on one connection. */
export function checkAgentReplies(
  rules: readonly AgentRule[],
  messages: readonly string[],
): readonly Problem[] {
  const problems: Problem[] = [];
  const open = new Map<string, number>();
  const change = (key: string, by: number) => open.set(key, (open.get(key) ?? 0) + by);
  for (const rule of rules) {
    for (const key of keysOf(rule)) change(key, 1);
  }
  for (const message of messages) {
    const leak = findLeak(message);
    if (leak !== undefined) problems.push(leak);
    const key = keyOf(message);
    if (key === undefined) problems.push({ promise: "wrong", text: `Not a reply: ${show(message)}` });
    else if ((open.get(key) ?? 0) > 0) change(key, -1);
    else problems.push({ promise: "extra", text: `Nothing asked for this message: ${show(message)}` });
  }
  for (const [key, count] of open)
    if (count > 0) problems.push({ promise: "missing", text: `No reply (${count}): ${show(key)}` });
  return problems;
}

/** Returns the number of messages that the rules require. */
export function countAgentReplies(rules: readonly AgentRule[]): number {
  return rules.reduce((sum, rule) => sum + keysOf(rule).length, 0);
}

/** Returns a message without the parts that differ in every run. */
export function comparable(message: string): string {
  return message
    .replaceAll(/"updateTime":\d+/g, '"updateTime":0')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID");
}

/** Returns true for messages that the server sends to every client that connects. */
export function isGreeting(message: string): boolean {
  return message.startsWith('{"type":"connected"') || message.startsWith('{"type":"sessionHistories"');
}

function echoRule({ id, text }: Fields): AgentRule {
  const isValid = (typeof id === "string" || Number.isFinite(id)) && typeof text === "string";
  return isValid ? { kind: "echo", data: JSON.stringify({ id, text }) } : { kind: "error" };
}

function isTaskMessage(type: unknown, { taskId, message }: Fields): boolean {
  if (type !== "userSendMessage") return isTaskId(taskId);
  const hasTask = taskId === undefined || taskId === "" || isTaskId(taskId);
  return hasTask && typeof message === "string" && message !== "" && message.length <= 1_000_000;
}

function isTaskId(value: unknown): boolean {
  return (
    typeof value === "string" &&
    /^[A-Za-z0-9][\w-]{0,127}$/.test(value) &&
    !/^(?:con|prn|aux|nul|com\d|lpt\d)$/i.test(value)
  );
}

function keysOf(rule: AgentRule): readonly string[] {
  if (rule.kind === "echo") return [rule.data];
  if (rule.kind === "refused") return ["ack", "task error"];
  return rule.kind === "error" ? ["error"] : [];
}

/** Returns the key of the rule that a message fulfills, or `undefined` if its shape is wrong. */
function keyOf(text: string): string | undefined {
  const message = parse(text);
  if (!isFields(message) || !isFields(message["data"])) return undefined;
  const { type, data } = message as { readonly type: unknown; readonly data: Fields }; // Safe: checked above
  if (type === "echo") return JSON.stringify(data);
  if (type === "ack") return data["status"] === "failed" ? "ack" : undefined;
  if (type !== "error" || typeof data["message"] !== "string") return undefined;
  return data["taskId"] === undefined ? "error" : "task error";
}
