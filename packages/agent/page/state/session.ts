/**
 * @fileoverview Session of a user: the token, the sign-in, and the change to another user.
 * @module agent/page-app/state/session
 */
import { computed, effect, signal, untracked } from "@preact/signals";
import type { PageConfig } from "../../src/page/page-config.js";
import type { Link } from "./link.js";
import { createTabMemory, type TabStorage } from "./tab-memory.js";
import type { Timer } from "@tenon/ui/support/timer.js";

/** Session of a user. */
export type Session = ReturnType<typeof createSession>;

/** Options of `createSession`. */
export interface SessionOptions {
  readonly link: Pick<Link, "state" | "start" | "stop">;
  readonly config: Pick<PageConfig, "needsToken" | "hasUsers" | "signInUrl">;
  readonly storage: TabStorage;
  readonly later: Timer["after"];
  /** Called when the user has signed out or is another one. The page must forget what the last user has entered. */
  readonly onUserLeft: () => void;
}

/** A server that knows the user accepts the connection within this time. Without a token, it waits for one much longer. */
const PATIENCE_MS = 1_000;

/** Creates the session. It connects at once if no token is required or the tab has one. */
export function createSession({ link, config, storage, later, onUserLeft }: SessionOptions) {
  const memory = createTabMemory(storage, "token");
  // A page with a link has no form, which could replace an old token.
  const token = signal(config.signInUrl === undefined ? memory.read() : undefined);
  const isStarted = signal(false);
  const isLate = signal(false);
  let cancel: (() => void) | undefined;
  const stopWaiting = () => {
    cancel?.();
    cancel = undefined;
    isLate.value = false;
  };
  const start = (next: string | undefined) => {
    stopWaiting();
    token.value = next;
    isStarted.value = true;
    link.start(next);
    if (next === undefined && config.hasUsers)
      cancel = later(PATIENCE_MS, () => {
        isLate.value = true;
      });
  };
  const user = watchUser({ link, storage }, () => {
    onUserLeft();
    // The connection has data of the last user, and messages that are not sent yet.
    start(token.peek());
  });
  if (!config.needsToken || token.peek() !== undefined) start(token.peek());
  const isConnecting = computed(() => link.state.value.connection === "connecting");
  return {
    /** True if the user has entered a token. */
    isSignedIn: computed(() => token.value !== undefined),
    /** True until the first connection is accepted, rejected, or lost. */
    isConnecting,
    /** True if the user has to sign in. */
    needsSignIn: computed(() => {
      const isRejected = link.state.value.connection === "unauthorized";
      return !isStarted.value || isRejected || (isConnecting.value && isLate.value);
    }),
    /** Connects with a token. It is kept until the tab is closed, if the user wants it. */
    signIn: (next: string, isKept: boolean) => {
      if (isKept) memory.keep(next);
      else memory.forget();
      start(next);
    },
    signOut: () => {
      stopWaiting();
      memory.forget();
      user.forget();
      token.value = undefined;
      isStarted.value = false;
      link.stop();
      onUserLeft();
    },
  };
}

/**
 * Calls a function when the server identifies another user than before, also after a reload of the page. A user without an
 * ID counts as one user.
 */
function watchUser({ link, storage }: Pick<SessionOptions, "link" | "storage">, onOther: () => void) {
  const memory = createTabMemory(storage, "user");
  let last = memory.read();
  const user = computed(() => {
    const { connection, user: known } = link.state.value;
    return connection === "open" ? (known?.id ?? "") : undefined;
  });
  effect(() => {
    const current = user.value;
    if (current === undefined || current === last) return;
    const isOther = last !== undefined;
    last = current;
    memory.keep(current);
    if (isOther) untracked(onOther);
  });
  return {
    forget() {
      last = undefined;
      memory.forget();
    },
  };
}
