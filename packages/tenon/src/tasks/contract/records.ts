/**
 * @fileoverview Task records for the contract suite, and changes as a worker makes them.
 * @module tenon/tasks/contract/records
 */
import { REVISIONS } from "../../protocol/index.js";
import type { TaskEngine, TaskWrite } from "../engine/task-engine.js";
import type { TaskRecord } from "../state/record.js";
import { BASE_BYTES } from "../state/size.js";
import { askQuestions, beginRun, complete, EMPTY_JOURNAL, recordAnswers } from "../state/transitions.js";

/**
 * Creates the record of a new task, for tests of engines.
 *
 * @param now time of creation, in milliseconds since the epoch
 * @example await engine.create(createTaskRecord(Date.now(), { taskId: "a", principal: "ada" }));
 */
export function createTaskRecord(now: number, members: Partial<TaskRecord> = {}): TaskRecord {
  return {
    taskId: "task",
    server: "contract",
    tool: "report",
    principal: null,
    request: {
      id: 1,
      args: { title: "Sales" },
      meta: {},
      auth: null,
      revision: LATEST,
      capabilities: { elicitation: { form: {} } },
      clientInfo: { name: "contract", version: "1.0.0" },
      logLevel: null,
      hasContext: false,
    },
    policy: { onLostWorker: "retry", maxLostWorkers: 3, resultTtlMs: 300_000 },
    status: "working",
    statusMessage: null,
    createdAt: now,
    updatedAt: now,
    ttlMs: 3_600_000,
    pollIntervalMs: 1_000,
    deleteAt: now + 3_900_000,
    run: 0,
    isRunning: false,
    runId: null,
    lostWorkers: 0,
    isCancelRequested: false,
    journal: EMPTY_JOURNAL,
    result: null,
    error: null,
    bytes: BASE_BYTES,
    ...members,
  };
}

/** Tasks exist since the last revision in the list. */
const LATEST = REVISIONS[REVISIONS.length - 1] ?? REVISIONS[0];

/** Record with texts and keys that are easily changed by an encoding. */
export function createTrickyRecord(now: number, taskId: string): TaskRecord {
  const text = 'tab\t line\n\r\u2028\u0000 quote" back\\slash é € 😀 {{hash}} \ud800';
  // Parsed, because a literal would set the prototype.
  const object = JSON.parse(
    `{"__proto__":{"polluted":true},"constructor":1,"":"empty","list":[null,true,1.5e-7,-3,"x"],"2":0,"10":1}`,
  ) as TaskRecord["request"]["args"]; // Safe: the text above
  let deep: TaskRecord["request"]["args"] = { text };
  for (let depth = 0; depth < 50; depth++) deep = { deep };
  const plain = createTaskRecord(now);
  return {
    ...plain,
    taskId,
    tool: "报告 report",
    principal: `ada:{x}\n${text}`,
    statusMessage: text,
    request: { ...plain.request, id: text, args: { ...object, deep }, meta: object },
    journal: {
      ...EMPTY_JOURNAL,
      answers: object,
      steps: { [text]: { state: "done", json: JSON.stringify(object) }, other: { state: "done" } },
      usedKeys: [text, "__proto__", ""],
      progress: 0.1,
    },
  };
}

/** Change of a record, for `changeTask`. */
export interface ContractChange {
  readonly taskId: string;
  readonly change: (record: TaskRecord, now: number) => TaskRecord | undefined;
  readonly queue?: boolean;
}

/** Changes a record as often as needed, until no other writer is faster. */
export async function changeTask(
  engine: TaskEngine,
  now: number,
  { taskId, change, queue }: ContractChange,
): Promise<void> {
  for (;;) {
    const stored = await engine.read(taskId);
    if (stored === undefined) throw new Error(`Task "${taskId}" does not exist.`);
    const record = change(stored.record, now);
    if (record === undefined) throw new Error(`Task "${taskId}" has the status ${stored.record.status}.`);
    const write: TaskWrite = { record, expectedVersion: stored.version };
    if (await engine.write(queue === undefined ? write : { ...write, queue })) return;
  }
}

/** Starts a run. */
export function begin(record: TaskRecord, now: number): TaskRecord | undefined {
  return beginRun(record, now, `run ${record.run + 1}`);
}

/** Ends a task with a result. */
export function finish(record: TaskRecord, now: number): TaskRecord {
  return complete(record, now, `{"content":[{"type":"text","text":"Finished"}]}`);
}

/** Ends a run with a question to the client. */
export function ask(record: TaskRecord, now: number): TaskRecord {
  const params = { message: "Continue?", requestedSchema: { type: "object", properties: {} } };
  const inputRequests = { [`question ${record.run}`]: { method: "elicitation/create", params } };
  return askQuestions({ ...record, run: record.run + 1 }, now, { inputRequests, rejected: new Map() });
}

/** Answers all questions. */
export function answer(record: TaskRecord, now: number): TaskRecord | undefined {
  const keys = Object.keys(record.journal.questions);
  return recordAnswers(record, now, Object.fromEntries(keys.map((key) => [key, { action: "accept" }])));
}
