/**
 * @fileoverview Requests of the server that the user answers on the page. Each one waits until it is answered, its call
 * ends, or the time limit is reached.
 * @module cli/page/workbench/questions
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { ClientError, type RequestHandlers, type UserAnswer } from "tenon/client";
import type { Era, Root, SamplingResult } from "tenon/protocol";
import { preciseNow } from "../../clock.js";
import { CommandError } from "../command-error.js";
import type { PageFeed } from "../feed/page-feed.js";
import type { Question } from "../protocol.js";
import type { CallRecord } from "../record/call-record.js";

/** Call that a question belongs to, and the ID of the server's request. */
export interface QuestionOrigin {
  readonly era: Era;
  readonly record: CallRecord | undefined;
  /** ID of the request, if the server has sent one. */
  readonly requestId?: unknown;
}

interface OpenQuestion {
  readonly question: Question;
  /** Size of the parameters in characters of JSON. */
  readonly size: number;
  readonly origin: QuestionOrigin;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (reason: Error) => void;
}

/** Maximum number of open questions, of their characters in JSON, and the time limit in milliseconds. */
const MAX_QUESTIONS = 100;
const MAX_TEXT = 16 * 1024 * 1024;
const MAX_WAIT_MS = 3_600_000;

/** Open questions. */
export class Questions {
  readonly #feed: PageFeed;
  readonly #onChange: (record: CallRecord) => void;
  readonly #open = new Map<string, OpenQuestion>();
  #lastId = 0;

  /** @param onChange called when a question of a call is asked or closed */
  constructor(feed: PageFeed, onChange: (record: CallRecord) => void) {
    this.#feed = feed;
    this.#onChange = onChange;
  }

  /** Returns the functions with which a client answers requests. `find` returns the origin of the current request. */
  handlers(find: () => QuestionOrigin): RequestHandlers {
    return {
      // Safe: `answer` checks the answers of each method.
      input: async (params) =>
        (await this.#ask("elicitation/create", params, find())) as unknown as UserAnswer,
      sample: async (params) =>
        (await this.#ask("sampling/createMessage", params, find())) as unknown as SamplingResult,
      roots: async () => (await this.#ask("roots/list", {}, find()))["roots"] as readonly Root[],
    };
  }

  /** IDs of a call's open questions. */
  idsOf(record: CallRecord): readonly string[] {
    return [...this.#open.values()]
      .filter(({ origin }) => origin.record === record)
      .map(({ question }) => question.id);
  }

  /** Returns the schema of a question's answer. @throws {CommandError} if the question is not open */
  schemaOf(id: string): JsonObject {
    const { requestedSchema } = this.#find(id).question.params;
    return isJsonObject(requestedSchema) ? requestedSchema : {};
  }

  /** Answers a question. @throws {CommandError} if it is not open, or if the answer is not valid */
  answer(id: string, answer: JsonObject): void {
    const open = this.#find(id);
    const problem = findProblem(open.question.method, answer);
    if (problem !== undefined) throw new CommandError(400, problem);
    const isDeclined = open.question.method !== "elicitation/create" && isRefusal(answer);
    if (isDeclined)
      open.reject(new ClientError({ code: DECLINED, message: "The user declined the request." }));
    else open.resolve(answer);
  }

  /** Cancels the questions of a call that has ended. */
  cancelFor(record: CallRecord): void {
    for (const { origin, reject } of this.#open.values())
      if (origin.record === record) reject(new Error("The call has ended."));
  }

  /** Cancels a question whose request the server has cancelled. */
  cancelRequest(era: Era, requestId: unknown): void {
    for (const { origin, reject } of this.#open.values())
      if (origin.era === era && requestId !== undefined && origin.requestId === requestId)
        reject(new Error("The server cancelled its request."));
  }

  /** Cancels all questions. */
  close(): void {
    for (const { reject } of this.#open.values()) reject(new Error("The page was closed."));
  }

  #find(id: string): OpenQuestion {
    const open = this.#open.get(id);
    if (open === undefined) throw new CommandError(404, "This question has been answered or cancelled.");
    return open;
  }

  async #ask(method: Question["method"], params: JsonObject, origin: QuestionOrigin): Promise<JsonObject> {
    if (this.#open.size >= MAX_QUESTIONS)
      throw new Error(`Too many questions are open (limit: ${MAX_QUESTIONS}).`);
    const size = JSON.stringify(params).length;
    if ([...this.#open.values()].reduce((sum, one) => sum + one.size, size) > MAX_TEXT)
      throw new Error(`The open questions are too large (limit: ${MAX_TEXT} characters).`);
    const { era, record } = origin;
    const id = `q${++this.#lastId}`;
    const start = preciseNow();
    const question: Question = { id, callId: record?.id, era, method, params, at: Date.now() };
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<JsonObject>((resolve, reject) => {
        timer = setTimeout(() => reject(new Error("The question was not answered in time.")), MAX_WAIT_MS);
        timer.unref();
        this.#open.set(id, { question, size, origin, resolve, reject });
        this.#feed.publish({ type: "question", question });
        if (record !== undefined) this.#onChange(record);
      });
    } finally {
      clearTimeout(timer);
      this.#open.delete(id);
      record?.addPhases([{ name: "user", start, end: preciseNow() }]);
      this.#feed.publish({ type: "question-closed", id });
      if (record !== undefined) this.#onChange(record);
    }
  }
}

/** Error code of the specification for a request that the user has declined. */
const DECLINED = -1;

/** Sampling and roots have no result for a request that was declined, so the page sends an action instead. */
function isRefusal({ action }: JsonObject): boolean {
  return action === "decline" || action === "cancel";
}

/** Returns the reason why an answer is not valid. */
function findProblem(method: Question["method"], answer: JsonObject): string | undefined {
  if (isRefusal(answer)) return undefined;
  if (method === "elicitation/create") {
    const { action, content } = answer;
    if (action !== "accept") return '`action` must be "accept", "decline", or "cancel".';
    return content === undefined || isJsonObject(content) ? undefined : "`content` must be an object.";
  }
  if (method === "roots/list") {
    const roots: readonly unknown[] | undefined = Array.isArray(answer["roots"])
      ? answer["roots"]
      : undefined;
    const isValid = roots?.every((root) => isJsonObject(root) && typeof root["uri"] === "string") === true;
    return isValid ? undefined : "`roots` must be an array of objects with a `uri`.";
  }
  const { role, content, model } = answer;
  if (role !== "assistant" && role !== "user") return '`role` must be "assistant" or "user".';
  if (typeof model !== "string") return "`model` must be a string.";
  return typeof content === "object" && content !== null
    ? undefined
    : "`content` must be an object or an array.";
}
