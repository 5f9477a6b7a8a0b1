/**
 * @fileoverview A client that resumes the stream of a call again and again, each time on a new connection, as after a
 * lost one.
 * @module bench/lib/resume-client
 */
import type { Buffer } from "node:buffer";
import { INITIALIZE, INITIALIZED, makeCase, PROGRESS_PER_CALL, type Variant } from "./cases.js";
import { eventData } from "./check.js";
import type { LoadSlice } from "./http-client.js";
import { ACCEPT, requestBytes, resumeBytes } from "./http-request.js";
import { exchangeOnce } from "./one-exchange.js";

/** Number of sessions, which is also the number of resumptions at a time. */
const SESSIONS = 8;

/** Events that the client still has at the time of the resumption. The others are replayed. */
const RECEIVED = 1;

/** Number of events that a resumption replays: the rest of the progress, and the response. */
export const REPLAYED = PROGRESS_PER_CALL - RECEIVED + 1;

/** A call that has finished, and the request that resumes its stream. */
interface Resumable {
  readonly variant: Variant;
  readonly request: Buffer;
}

/** Resumes the streams of calls in several sessions. */
export class ResumeClient {
  readonly #port: number;
  readonly #calls: readonly Resumable[];
  /** First wrong response, for the report. */
  firstWrong: string | undefined;

  private constructor(port: number, calls: readonly Resumable[]) {
    this.#port = port;
    this.#calls = calls;
  }

  /** Opens the sessions, and makes the call of each. */
  static async open(port: number): Promise<ResumeClient> {
    const { variants } = makeCase("progress", "session", 1, SESSIONS);
    return new ResumeClient(port, await Promise.all(variants.map((variant) => callOnce(port, variant))));
  }

  /** Resumes streams for a time. */
  async run(ms: number): Promise<LoadSlice> {
    const start = performance.now();
    const total = { done: 0, errors: 0, latencies: [] as number[] };
    const repeat = async ({ variant, request }: Resumable) => {
      while (performance.now() < start + ms) {
        const sentAt = performance.now();
        const isRight = await this.#resume(request, variant);
        total.latencies.push(performance.now() - sentAt);
        total.done++;
        if (!isRight) total.errors++;
      }
    };
    await Promise.all(this.#calls.map(repeat));
    return { ...total, wallMs: performance.now() - start };
  }

  async #resume(request: Buffer, variant: Variant): Promise<boolean> {
    try {
      const { status, body } = await exchangeOnce(this.#port, request, (text) => hasResponse(text, variant));
      if (status === 200 && isReplay(body, variant)) return true;
      this.firstWrong ??= `${status} ${body.slice(0, 300)}`;
    } catch (error) {
      this.firstWrong ??= String(error);
    }
    return false;
  }
}

async function callOnce(port: number, variant: Variant): Promise<Resumable> {
  const target = { port, mode: "session", accept: ACCEPT } as const;
  const initialize = { method: "initialize", name: undefined, text: INITIALIZE };
  const { head } = await exchangeOnce(port, requestBytes(initialize, target), (text) =>
    text.includes('"result"'),
  );
  const session = /^mcp-session-id: *(.+?)\r?$/im.exec(head)?.[1] ?? "";
  const initialized = { method: "notifications/initialized", name: undefined, text: INITIALIZED };
  await exchangeOnce(port, requestBytes(initialized, target, session));
  const { body } = await exchangeOnce(port, requestBytes(variant, target, session));
  const ids = [...body.matchAll(/^id: *(.+)\r?\ndata: *\{/gm)].map(([, id]) => id);
  if (ids.length !== variant.progress + 1)
    throw new Error(`Expected ${variant.progress + 1} events with IDs: ${body.slice(0, 200)}`);
  return { variant, request: resumeBytes(port, session, ids[RECEIVED - 1] ?? "") };
}

/** Returns true once the response has arrived. The official SDK keeps the stream open after it. */
function hasResponse(body: string, { id }: Variant): boolean {
  return body.endsWith("\n\n") && (body.includes(`"id":${id},`) || body.includes(`"id":${id}}`));
}

function isReplay(body: string, { id, check }: Variant): boolean {
  const messages = eventData(body).map((data) => JSON.parse(data) as ReplayedMessage);
  const last = messages.at(-1);
  return (
    messages.length === REPLAYED &&
    messages.slice(0, -1).every(({ params }, index) => params?.progress === RECEIVED + index + 1) &&
    last?.id === id &&
    check(last.result)
  );
}

interface ReplayedMessage {
  readonly id?: number;
  readonly params?: { readonly progress?: number };
  readonly result?: unknown;
}
