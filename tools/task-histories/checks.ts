/**
 * @fileoverview Everything that a client of the property test knows about a task, and the rules that must hold.
 * @module tools/task-histories/checks
 */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { questionKey, REJECTED, type Script, stepResult } from "./script.js";

/** Task, as its client sees it. */
export interface Known {
  readonly taskId: string;
  readonly tool: "fail" | "retry";
  readonly script: Script;
  /** Texts that were sent as answers, by the question's key on the wire. */
  readonly sent: Map<string, string[]>;
  /** Keys whose valid answer was acknowledged while they were open. */
  readonly answered: Set<string>;
  /** Requests by key, as the client saw them. */
  readonly seen: Map<string, string>;
  /** Keys that were open once and are not open anymore. */
  readonly closed: Set<string>;
  isCancelSent: boolean;
  /** True while a request for the state is in flight. */
  isPolled: boolean;
  /** True if the task was deleted before the client saw its end. */
  isGone: boolean;
  last: JsonObject;
}

const FINAL: readonly unknown[] = ["completed", "failed", "cancelled"];

/** Returns true if the client has seen the end of a task. */
export function isFinished({ last }: Known): boolean {
  return FINAL.includes(last["status"]);
}

/** Client's knowledge when it sent a request. */
export interface Before {
  readonly now: number;
  readonly answered: ReadonlySet<string>;
}

/** Checks a response to `tasks/get` and remembers it. */
export function checkState(task: Known, state: JsonObject, { now, answered }: Before): void {
  const { last, script } = task;
  const where = `${script.id}: ${JSON.stringify(last)} → ${JSON.stringify(state)}`;
  if (isFinished(task)) assert.deepEqual(state, last, `A finished task changed. ${where}`);
  assert.equal(state["createdAt"], last["createdAt"], where);
  assert(timeOf(state, "lastUpdatedAt") >= timeOf(last, "lastUpdatedAt"), `Time went back. ${where}`);
  const isExpired = now >= timeOf(last, "createdAt") + Number(last["ttlMs"]);
  if (isExpired) assert(FINAL.includes(state["status"]), `A task outlived its lifetime. ${where}`);
  const open = isJsonObject(state["inputRequests"]) ? state["inputRequests"] : {};
  if (state["status"] === "input_required") assert(Object.keys(open).length > 0, `No question. ${where}`);
  for (const key of task.seen.keys()) if (!Object.hasOwn(open, key)) task.closed.add(key);
  for (const [key, request] of Object.entries(open)) {
    assert(!task.closed.has(key), `The key "${key}" is used again. ${where}`);
    assert(!answered.has(key), `The answer to "${key}" was lost. ${where}`);
    const text = JSON.stringify(request);
    assert.equal(task.seen.get(key) ?? text, text, `The question "${key}" changed. ${where}`);
    task.seen.set(key, text);
  }
  task.last = state;
}

/** Lost nodes, by the tasks that they ran. */
export interface Losses {
  /** Number of nodes that were lost while they ran a task. */
  readonly counts: ReadonlyMap<string, number>;
  /** Tasks whose node was lost during a step without `retry`. */
  readonly inStep: ReadonlySet<string>;
}

/** Checks the outcome of a task, after it has finished. */
export function checkOutcome(task: Known, losses: Losses): void {
  const { last, script, isCancelSent } = task;
  const where = `${script.id}: ${JSON.stringify(last)}`;
  switch (last["status"]) {
    case "cancelled":
      assert(isCancelSent, `Nobody cancelled the task. ${where}`);
      break;
    case "completed":
      checkResult(task, last["result"] as JsonObject, where); // Safe: a completed task has a result
      break;
    default:
      checkError(task, losses, where);
  }
}

function checkResult({ script, sent }: Known, result: JsonObject, where: string): void {
  const { id, steps, ending } = script;
  const [content] = result["content"] as readonly JsonObject[]; // Safe: the server's result was checked
  const isBroken = steps.some((step) => step.kind === "once" && step.fails);
  if (result["isError"] === true) {
    assert(ending === "error" || ending === "tool-error" || isBroken, where);
    return;
  }
  assert(ending === "text" && !isBroken, where);
  const { parts, ...rest } = JSON.parse(String(content?.["text"])) as { id: string; parts: string[] };
  assert.deepEqual(rest, { id }, where);
  const expected = steps.flatMap((step, index) => {
    if (step.kind === "once") return [[stepResult(index)]];
    if (step.kind !== "ask") return [];
    return Array.from({ length: step.count }, (_, n) => answersTo(sent, questionKey(index, n)));
  });
  assert.equal(parts.length, expected.length, where);
  for (const [index, part] of parts.entries()) {
    const candidates = expected[index] ?? [];
    assert(candidates.includes(part), `${part} is none of ${candidates.join(", ")}. ${where}`);
  }
}

/** Returns the texts that were sent as answers to a handler's key, which may have had several keys on the wire. */
function answersTo(sent: Known["sent"], key: string): readonly string[] {
  return [...sent]
    .filter(([wireKey]) => wireKey === key || wireKey.startsWith(`${key} (`))
    .flatMap(([, texts]) => texts.filter((text) => !text.includes(REJECTED)));
}

function checkError({ taskId, script, tool, sent, last }: Known, losses: Losses, where: string): void {
  const { code, message } = last["error"] as JsonObject; // Safe: a failed task has an error
  const lost = losses.counts.get(taskId) ?? 0;
  const text = String(message);
  const ended = timeOf(last, "lastUpdatedAt");
  if (text.includes("lifetime")) {
    const ttlMs = tool === "fail" ? 10_000 : 20_000;
    assert(ended >= timeOf(last, "createdAt") + ttlMs, `The task expired too early. ${where}`);
  } else if (text.includes("outcome is unknown")) {
    assert(losses.inStep.has(taskId), `No node was lost during the step. ${where}`);
  } else if (text.includes("worker stopped")) {
    assert(tool === "fail" && lost >= 1, `No node was lost. ${where}`);
  } else if (text.includes("lost 4 workers")) {
    assert(tool === "retry" && lost >= 4, `Only ${lost} nodes were lost. ${where}`);
  } else if (code === -32602) {
    const rejected = [...sent.values()].flat().filter((one) => one.includes(REJECTED));
    assert(rejected.length >= 5, `Only ${rejected.length} answers were rejected. ${where}`);
  } else {
    assert(script.ending === "request-error" && text === `offline ${script.id}`, where);
  }
}

function timeOf(state: JsonObject, member: "createdAt" | "lastUpdatedAt"): number {
  return Date.parse(String(state[member]));
}
