/**
 * @fileoverview Readiness of a server: its store accepts writes, and it is not stopping.
 * @module tenon/transport/node/health/readiness
 */

/** Options for `Readiness`. */
export interface ReadinessOptions {
  /**
   * Resolves if the store accepts writes.
   * @default there is no store
   */
  readonly ping?: (() => Promise<void>) | undefined;
  /**
   * Time in milliseconds for which an outcome is used again. Stops frequent probes from reaching the store.
   * @default 1000
   */
  readonly cacheMs?: number;
  /**
   * Time in milliseconds after which a store that does not respond counts as unavailable.
   * @default 2000
   */
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

/** Checks if a server is ready. */
export class Readiness {
  readonly #options: ReadinessOptions;
  #last: { readonly at: number; readonly isReady: boolean } | undefined;
  #checking: Promise<boolean> | undefined;
  #isStopping = false;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** Reports from now on that the server is not ready. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Resolves with true if the server is ready. */
  async check(): Promise<boolean> {
    return !this.#isStopping && (await this.checkStore()) && !this.#isStopping;
  }

  /** Resolves with true if the store accepts writes, also while the server stops. Concurrent checks share one request. */
  async checkStore(): Promise<boolean> {
    const { ping, cacheMs = 1_000, now = Date.now } = this.#options;
    if (ping === undefined) return true;
    if (this.#last !== undefined && now() - this.#last.at < cacheMs) return this.#last.isReady;
    return (this.#checking ??= this.#check(ping, now));
  }

  async #check(ping: () => Promise<void>, now: () => number): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const expired = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, this.#options.timeoutMs ?? 2_000, false);
    });
    const responds = ping().then(
      () => true,
      () => false,
    );
    const isReady = await Promise.race([responds, expired]);
    clearTimeout(timer);
    this.#last = { at: now(), isReady };
    this.#checking = undefined;
    return isReady;
  }
}
