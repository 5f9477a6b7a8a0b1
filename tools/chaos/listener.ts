/**
 * @fileoverview Clients that follow the session streams of legacy sessions, and the judgement of what they received. The URI of
 * each update has the number of its publisher and its own number.
 * @module tools/chaos/listener
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Target, waitFor } from "./http.js";
import { type LegacyClient, openStream, type StreamEvent } from "./legacy-client.js";

/** Client that follows its session stream, and reconnects to any node. */
export class Listener {
  readonly uris: string[] = [];
  /** Methods of all notifications. */
  readonly methods: string[] = [];
  /** Connections that failed, or were rejected. */
  readonly failures: string[] = [];
  reconnects = -1;
  isListening = false;
  #isStopped = false;
  #lastEventId: string | undefined;
  #close: () => void = () => undefined;
  readonly #done: Promise<void>;

  /** @param pickNode chooses the node of each connection */
  constructor(client: LegacyClient, pickNode: () => Target) {
    this.#done = this.#run(client, pickNode);
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    this.#close();
    return this.#done;
  }

  async #run(client: LegacyClient, pickNode: () => Target): Promise<void> {
    while (!this.#isStopped) {
      const lastEventId = this.#lastEventId;
      const onEvent = (event: StreamEvent) => this.#receive(event);
      const stream = openStream({
        node: pickNode(),
        client,
        ...(lastEventId === undefined ? {} : { lastEventId }),
        onEvent,
      });
      this.#close = () => stream.close();
      this.reconnects++;
      const status = await stream.closed;
      if (status !== 200 && !this.#isStopped) this.failures.push(`${status} session stream`);
      await sleep(20);
    }
  }

  #receive({ id, message }: StreamEvent): void {
    this.isListening = true;
    this.#lastEventId = id ?? this.#lastEventId;
    if (typeof message?.["method"] === "string") this.methods.push(message["method"]);
    const uri = (message?.["params"] as { readonly uri?: string } | undefined)?.uri;
    if (uri !== undefined) this.uris.push(uri);
  }
}

/** Waits until all clients have received an event. */
export async function untilListening(listeners: readonly Listener[]): Promise<void> {
  const areListening = () => listeners.every(({ isListening }) => isListening) || undefined;
  await waitFor("all clients listen", 30_000, areListening);
}

/** Waits until all clients have all updates. Returns the number of updates that are still missing after `timeoutMs`. */
export async function countLost(
  listeners: readonly Listener[],
  wanted: () => ReadonlySet<string>,
  timeoutMs = 30_000,
): Promise<number> {
  const count = () => {
    const all = [...wanted()];
    const lost = listeners.map(({ uris }) => {
      const received = new Set(uris);
      return all.filter((uri) => !received.has(uri)).length;
    });
    return lost.reduce((total, one) => total + one, 0);
  };
  await waitFor("all updates arrive", timeoutMs, () => count() === 0 || undefined).catch(() => undefined);
  return count();
}

/** Returns the URI of an update. */
export function toUri(publisher: number, number: number): string {
  return `chaos://update/${publisher}/${number}`;
}

/** Returns the number of updates whose number is not higher than the previous one of the same publisher. */
export function countDisorder(uris: readonly string[]): number {
  const last = new Map<string, number>();
  let count = 0;
  for (const uri of uris) {
    const [, publisher = "", number] = /^chaos:\/\/update\/(\d+)\/(\d+)$/.exec(uri) ?? [];
    if (Number(number) <= (last.get(publisher) ?? 0)) count++;
    last.set(publisher, Number(number));
  }
  return count;
}
