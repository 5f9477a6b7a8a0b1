/**
 * @fileoverview Tokens that are reserved for requests in flight. Without them, parallel runs would all pass a budget that
 * has room for only one of them, because tokens are counted after a response.
 * @module agent/conversation/tasks/reservations
 */

/** Budget that a request counts toward. */
export interface Account {
  /** Unique key. Requests with the same key share the budget. */
  readonly key: string;
  readonly limit: number;
  /** Tokens that are counted already. */
  readonly used: number;
}

/** Reserved tokens, by account. They are only in memory: after a restart, no request is in flight. */
export class Reservations {
  readonly #reserved = new Map<string, number>();
  #wake: () => void = () => undefined;
  #released = this.#nextRelease();

  /** Resolves when tokens are released the next time. A new promise means that counts may have changed. */
  get released(): Promise<void> {
    return this.#released;
  }

  /**
   * Reserves tokens in all accounts. Returns a function that releases them, or `undefined` if requests in flight may need
   * the rest of an account. An account without reservations has room, because the length of a response is not known.
   */
  tryReserve(accounts: readonly Account[], tokens: number): (() => void) | undefined {
    const hasRoom = accounts.every(({ key, limit, used }) => {
      const reserved = this.#reserved.get(key) ?? 0;
      return reserved === 0 || used + reserved + tokens <= limit;
    });
    if (!hasRoom) return undefined;
    for (const { key } of accounts) this.#change(key, tokens);
    return () => {
      for (const { key } of accounts) this.#change(key, -tokens);
      this.#wake();
      this.#released = this.#nextRelease();
    };
  }

  #change(key: string, tokens: number): void {
    const reserved = (this.#reserved.get(key) ?? 0) + tokens;
    if (reserved > 0) this.#reserved.set(key, reserved);
    else this.#reserved.delete(key);
  }

  #nextRelease(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }
}
