/**
 * @fileoverview Makes the calls of a recording again, one after the other, and compares their outcomes and results.
 * @module cli/page/workbench/calls/replays
 */
import { CommandError } from "../../command-error.js";
import type { PageFeed } from "../../feed/page-feed.js";
import type { RecordedCall, Recording, ReplayState } from "../../protocol.js";
import { toLabel } from "../../record/limits.js";
import { findDifference } from "../../record/recording.js";
import { type PageCalls, type StartedCall, toOwnParams } from "./page-calls.js";

const MAX_NAME = 500;
/** Minimum time in milliseconds between two states, because each one contains all differences. */
const INTERVAL_MS = 100;

interface Running {
  readonly id: string;
  readonly stop: AbortController;
  /** Call in flight. */
  call?: StartedCall;
}

/** Replays of recordings. Only one runs at a time. */
export class Replays {
  readonly #feed: PageFeed;
  readonly #calls: PageCalls;
  #current: Running | undefined;
  #lastId = 0;

  constructor(feed: PageFeed, calls: PageCalls) {
    this.#feed = feed;
    this.#calls = calls;
  }

  /** Starts a replay. @throws {CommandError} if one is running */
  start(recording: Recording): string {
    if (this.#current !== undefined)
      throw new CommandError(409, "A replay is running already. Cancel it first.");
    const id = `r${++this.#lastId}`;
    const running: Running = { id, stop: new AbortController() };
    this.#current = running;
    void this.#run(running, recording.calls);
    return id;
  }

  /** Cancels a replay, and the call that is in flight. @throws {CommandError} if it is not running */
  cancel(id: string): void {
    const current = this.#current;
    if (current?.id !== id) throw new CommandError(404, "This replay is not running.");
    current.stop.abort();
    if (current.call?.record.isRunning === true) this.#calls.cancel(current.call.record.id);
  }

  async #run(running: Running, calls: readonly RecordedCall[]): Promise<void> {
    const { id, stop } = running;
    const total = calls.length;
    let differences: ReplayState["differences"] = [];
    let done = 0;
    let publishedAt = Number.NEGATIVE_INFINITY;
    const publish = (status: ReplayState["status"]) => {
      const now = performance.now();
      if (status === "running" && now - publishedAt < INTERVAL_MS) return;
      publishedAt = now;
      this.#feed.publish({ type: "replay", replay: { id, done, total, differences, status } });
    };
    publish("running");
    for (const call of calls) {
      const found = await this.#repeat(call, running);
      if (stop.signal.aborted) break;
      done++;
      if (found !== undefined) differences = [...differences, found];
      publish("running");
    }
    this.#current = undefined;
    publish(stop.signal.aborted ? "cancelled" : "done");
  }

  /** Makes one call. Returns the difference, if there is one. */
  async #repeat(
    call: RecordedCall,
    running: Running,
  ): Promise<ReplayState["differences"][number] | undefined> {
    const { era, method, params = {}, outcome: before } = call;
    const named = [params["name"], params["uri"]].find((one) => typeof one === "string");
    const name = toLabel(named ?? method, MAX_NAME);
    try {
      const started = this.#calls.start({ era, method, params: toOwnParams(method, params) });
      running.call = started;
      await started.ended;
      const { id, outcome: after, result } = started.record;
      const difference = findDifference(call, { outcome: after, result });
      return difference && { name, before, after, callId: id, isResult: difference === "result" };
    } catch {
      // The call could not be sent, for example because the server does not support its era.
      return { name, before, after: "error", callId: "", isResult: false };
    }
  }
}
