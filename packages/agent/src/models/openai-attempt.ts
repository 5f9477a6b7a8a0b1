/**
 * @fileoverview Sends one request to a model server and streams the response. The connection is always released.
 * @module agent/models/openai-attempt
 */
import { EventReader, isEventStreamError, type ServerEvent } from "@tenon/internal/event-stream";
import { readJson } from "@tenon/internal/json";
import type { ModelPiece } from "./model-port.js";
import { OpenAiAnswer } from "./openai-answer.js";
import {
  AttemptFailed,
  lost,
  notUnderstood,
  silent,
  tooLong,
  toRejectedError,
  unreachable,
} from "./model-failures.js";
import type { OpenAiSettings } from "./openai-options.js";
import { type Branch, createBranch, waitForData } from "./waiting.js";

/**
 * Sends a request and yields the response.
 *
 * @throws {AttemptFailed} if the request fails
 * @throws the signal's reason if the signal aborts
 */
export async function* attempt(
  settings: OpenAiSettings,
  body: string,
  signal: AbortSignal,
): AsyncGenerator<ModelPiece> {
  const branch = createBranch(signal);
  const line = new Line(settings, branch);
  try {
    const response = await line.open(body);
    const type = response.headers.get("content-type") ?? "";
    if (!response.ok) throw await readRejectedError(line, response, settings);
    yield* /^application\/(?:[\w.-]+\+)?json\b/i.test(type)
      ? readWhole(line, settings)
      : readEvents(line, settings);
  } finally {
    branch.release();
    branch.abort();
  }
}

/** Connection to the model server. Every read ends with data, an error, a timeout, or an abort. */
class Line {
  readonly #settings: OpenAiSettings;
  readonly #branch: Branch;
  #reader:
    { read(): Promise<{ readonly value?: Uint8Array | undefined; readonly done: boolean }> } | undefined;

  constructor(settings: OpenAiSettings, branch: Branch) {
    this.#settings = settings;
    this.#branch = branch;
  }

  async open(body: string): Promise<Response> {
    const { url, headers, fetch, idleTimeoutMs } = this.#settings;
    const { signal } = this.#branch;
    // Following a redirect could send the API key to a different server.
    const init = { method: "POST", headers, body, redirect: "manual", signal } as const;
    const response = await this.#wait(() => fetch(url, init), idleTimeoutMs, unreachable);
    this.#reader = response.body?.getReader();
    return response;
  }

  /** Reads the next chunk. Returns `undefined` at the end of the body. */
  async read(ms: number): Promise<Uint8Array | undefined> {
    const reader = this.#reader;
    if (reader === undefined) return undefined;
    return (await this.#wait(() => reader.read(), ms, lost)).value;
  }

  #wait<T>(start: () => Promise<T>, ms: number, fail: typeof lost): Promise<T> {
    const { ports, redact } = this.#settings;
    const toFailure = (error: unknown) => fail(error, redact);
    return waitForData(start, { branch: this.#branch, ms, ports, toFailure, toTimeout: () => silent(ms) });
  }
}

function createAnswer({ maxAnswerChars, redact, ports }: OpenAiSettings): OpenAiAnswer {
  const createId = () => {
    const digits = [...ports.randomBytes(12)].map((byte) => byte.toString(16).padStart(2, "0"));
    return `call_${digits.join("")}`;
  };
  return new OpenAiAnswer({ maxAnswerChars, redact, createId });
}

const MAX_EVENT_BYTES = 1_048_576;
/** Maximum number of bytes per character of model text. An event with a one-letter token has a few hundred bytes. */
const MAX_BYTES_PER_CHAR = 512;
/** Timeout after the finish reason. Only usage data is expected, and then the end of the response. */
const AFTER_FINISH_MS = 10_000;
/** Timeout after `[DONE]`. Reading to the end of the response allows the connection to be reused. */
const AFTER_DONE_MS = 100;

async function* readEvents(line: Line, settings: OpenAiSettings): AsyncGenerator<ModelPiece> {
  const { maxAnswerChars, idleTimeoutMs, redact } = settings;
  const answer = createAnswer(settings);
  const events = new EventReader(MAX_EVENT_BYTES);
  let bytesLeft = MAX_EVENT_BYTES + maxAnswerChars * MAX_BYTES_PER_CHAR;
  while (!answer.isDone) {
    const bytes = answer.isFinished
      ? await line.read(Math.min(idleTimeoutMs, AFTER_FINISH_MS)).catch(ignoreFailure)
      : await line.read(idleTimeoutMs);
    if (bytes === undefined) break;
    bytesLeft -= bytes.length;
    if (bytesLeft < 0) throw tooLong(maxAnswerChars);
    yield* readData(events.feed(bytes), answer);
  }
  if (answer.isDone) await line.read(Math.min(idleTimeoutMs, AFTER_DONE_MS)).catch(ignoreFailure);
  else yield* readData(withoutHalf(events.finish()), answer);
  yield* answer.flush();
  if (!answer.isDone && !answer.isFinished)
    throw events.isStrange ? notUnderstood() : lost(undefined, redact);
  yield* answer.finish();
}

function* readData(events: Iterable<ServerEvent>, answer: OpenAiAnswer): Generator<ModelPiece> {
  try {
    for (const { data } of events) {
      if (data !== undefined) yield* answer.readEvent(data);
      if (answer.isDone) return;
    }
  } catch (error) {
    throw isEventStreamError(error) ? notUnderstood() : error;
  }
}

/** Drops an incomplete event at the end of a response that was cut off. */
function* withoutHalf(events: Iterable<ServerEvent>): Generator<ServerEvent> {
  for (const event of events) {
    const { data } = event;
    if (data?.trim() === "[DONE]" || (data !== undefined && readJson(data) !== undefined)) yield event;
  }
}

/** Maximum number of bytes per character in JSON, reached by escapes such as `\\u0000`. */
const MAX_BYTES_PER_JSON_CHAR = 6;

async function* readWhole(line: Line, settings: OpenAiSettings): AsyncGenerator<ModelPiece> {
  const { maxAnswerChars, idleTimeoutMs } = settings;
  const limit = MAX_EVENT_BYTES + maxAnswerChars * MAX_BYTES_PER_JSON_CHAR;
  const { text, isCut } = await readText(() => line.read(idleTimeoutMs), limit);
  if (isCut) throw tooLong(maxAnswerChars);
  yield* createAnswer(settings).readWhole(text);
}

const MAX_REFUSAL_BYTES = 32_768;
const REFUSAL_MS = 5_000;

/** Converts an error response to a failure. The body is read, so that the connection can be reused. */
async function readRejectedError(
  line: Line,
  response: Response,
  settings: OpenAiSettings,
): Promise<AttemptFailed> {
  const { idleTimeoutMs, redact, ports } = settings;
  const read = () => line.read(Math.min(idleTimeoutMs, REFUSAL_MS)).catch(ignoreFailure);
  const { text, isCut } = await readText(read, MAX_REFUSAL_BYTES);
  // The redactor would miss a secret that is cut off at the end, so the second half is dropped.
  const detail = isCut ? text.slice(0, text.length / 2) : text;
  return toRejectedError(
    { status: response.status, headers: response.headers, text: detail },
    redact,
    ports.now(),
  );
}

async function readText(
  read: () => Promise<Uint8Array | undefined>,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (let bytes = await read(); bytes !== undefined; bytes = await read()) {
    size += bytes.length;
    if (size > maxBytes) return { text, isCut: true };
    text += decoder.decode(bytes, { stream: true });
  }
  return { text: text + decoder.decode(), isCut: false };
}

/** Ignores connection errors that occur after the outcome is known. */
function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof AttemptFailed)) throw error;
}
