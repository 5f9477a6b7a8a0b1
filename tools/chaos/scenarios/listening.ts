/**
 * @fileoverview `subscriptions/listen` streams of revision 2026-07-28 under kills. From the acknowledgement on, a stream
 * receives every change, also on a node that has just started.
 * @module tools/chaos/scenarios/listening
 */
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../http.js";
import { openStream, type OpenStream, type StreamEvent } from "../legacy-client.js";
import { toUri } from "../listener.js";
import type { ChaosNode } from "../node-group.js";
import type { ScenarioContext } from "../scale.js";
import { encode, send } from "../task-client.js";

/** Updates of one round. */
const UPDATES = 6;

/** Time in milliseconds in which an update must arrive. */
const ARRIVAL_MS = 10_000;

/** Runs the scenario. */
export async function listening(context: ScenarioContext): Promise<void> {
  const { cluster, scale, figures } = context;
  const tally = { published: 0, lost: 0, repeated: 0, unexpectedEnds: 0 };
  for (let round = 0; round < scale.aimedRounds; round++) {
    const killed = cluster.node(round);
    const uris = Array.from({ length: UPDATES }, (_, index) => toUri(round, index + 1));
    const others = cluster.nodes.filter((node) => node !== killed);
    const streams = others.map((node) => new ListenStream(node, uris));
    streams.push(new ListenStream(killed, uris));
    await Promise.all(streams.map((stream) => stream.acknowledged()));
    await killed.kill();
    const starting = killed.start();
    // The client of the killed node listens again as soon as the new process accepts the request.
    streams.pop();
    streams.push(await listenAgain(killed, uris));
    const confirmed: string[] = [];
    await Promise.all(
      uris.map((uri, index) => update(others[index % others.length] ?? killed, { uri, confirmed })),
    );
    await starting;
    tally.published += confirmed.length;
    for (const stream of streams) {
      const missing = () => confirmed.filter((uri) => !stream.uris.includes(uri)).length;
      await waitFor("updates arrive", ARRIVAL_MS, () => missing() === 0 || undefined).catch(() => undefined);
      tally.lost += missing();
      tally.repeated += stream.uris.length - new Set(stream.uris).size;
      if (stream.isOver) tally.unexpectedEnds++;
      stream.close();
    }
  }
  figures.note("kills", scale.aimedRounds);
  figures.exactly(
    "updates published right after an acknowledgement",
    tally.published,
    scale.aimedRounds * UPDATES,
  );
  figures.exactly("updates lost on acknowledged streams", tally.lost, 0);
  figures.exactly("updates repeated on a stream", tally.repeated, 0);
  figures.exactly("streams of living nodes that ended", tally.unexpectedEnds, 0);
}

/** Open `subscriptions/listen` request. */
class ListenStream {
  readonly uris: string[] = [];
  isOver = false;
  #isAcknowledged = false;
  readonly #stream: OpenStream;

  constructor(node: ChaosNode, uris: readonly string[]) {
    const { body, headers } = encode({
      principal: "listener",
      method: "subscriptions/listen",
      params: { notifications: { resourceSubscriptions: uris } },
    });
    const onEvent = (event: StreamEvent) => this.#receive(event);
    this.#stream = openStream({ node, client: { headers }, body, onEvent });
    void this.#stream.closed.then(() => (this.isOver = true));
  }

  /** Resolves with true once the node has acknowledged the request, or with false if the stream ends before that. */
  acknowledged(): Promise<boolean> {
    const check = () => (this.#isAcknowledged || this.isOver ? this.#isAcknowledged : undefined);
    return waitFor("the node acknowledges", ARRIVAL_MS, check);
  }

  close(): void {
    this.#stream.close();
  }

  #receive({ message }: StreamEvent): void {
    const method = message?.["method"];
    if (method === "notifications/subscriptions/acknowledged") this.#isAcknowledged = true;
    const { uri } = (message?.["params"] ?? {}) as { readonly uri?: string };
    if (uri !== undefined) this.uris.push(uri);
  }
}

/** Opens a stream on a node that is starting. */
async function listenAgain(node: ChaosNode, uris: readonly string[]): Promise<ListenStream> {
  for (;;) {
    const stream = new ListenStream(node, uris);
    if (await stream.acknowledged()) return stream;
    await sleep(5);
  }
}

interface Update {
  readonly uri: string;
  readonly confirmed: string[];
}

async function update(node: ChaosNode, { uri, confirmed }: Update): Promise<void> {
  const params = { name: "mention", arguments: { uri } };
  const { result } = await send(node, { principal: "publisher", method: "tools/call", params, isOnce: true });
  if (result !== undefined) confirmed.push(uri);
}
