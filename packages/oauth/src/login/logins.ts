/**
 * @fileoverview Logins in flight. Callers that require the same login share it, so that only one browser window opens.
 * @module oauth/login/logins
 */
import { McpError } from "tenon/protocol";
import { AuthRequiredError } from "./auth-required.js";
import { type Login, type LoginRequest, startLogin } from "./login.js";

/** Options shared by all of an adapter's logins. */
export interface LoginsOptions extends Omit<LoginRequest, "hint" | "isFurther" | "keep" | "background"> {
  /** True to never open a browser. */
  readonly headless: boolean;
  readonly openBrowser: (url: URL) => Promise<void>;
  /** Called when a login ends, with the error or `undefined`, even if no caller waits for it. */
  readonly onEnd: (failure: unknown) => void;
}

/** An adapter's logins. */
export interface Logins {
  /**
   * Resolves with the account's email when the user has signed in.
   * @throws {AuthRequiredError} if no browser can be opened. The login continues in the background.
   */
  readonly signIn: (request: Pick<LoginRequest, "hint" | "isFurther" | "keep">) => Promise<string>;
  /** Cancels all logins. */
  readonly cancelAll: () => void;
}

interface Shown {
  readonly login: Login;
  readonly isShown: boolean;
}

/** Maximum number of logins in flight. Each keeps a port open and may open a browser window. */
const MAX_LOGINS = 4;

/** Creates the logins for one adapter. */
export function createLogins(options: LoginsOptions): Logins {
  const { headless, openBrowser, onEnd, ...shared } = options;
  const inFlight = new Map<string, Promise<Shown>>();

  const start = async (key: string, request: Pick<LoginRequest, "hint" | "isFurther" | "keep">) => {
    const login = await startLogin({ ...shared, ...request, background: headless });
    login.done.then(
      () => end(key, undefined),
      (failure: unknown) => end(key, failure),
    );
    return { login, isShown: !headless && (await show(login.url)) };
  };
  const end = (key: string, failure: unknown) => {
    inFlight.delete(key);
    onEnd(failure);
  };
  const show = (url: URL): Promise<boolean> =>
    openBrowser(url).then(
      () => true,
      () => false,
    );

  return {
    async signIn(request) {
      const key = request.hint ?? "";
      const known = inFlight.get(key);
      if (known === undefined && inFlight.size >= MAX_LOGINS) {
        throw new McpError(
          "RATE_LIMITED",
          `Too many pending sign-ins (limit: ${MAX_LOGINS}). Complete one first.`,
        );
      }
      const started = known ?? start(key, request);
      if (known === undefined) {
        inFlight.set(key, started);
        started.catch(() => inFlight.delete(key));
      }
      const { login, isShown } = await started;
      if (!isShown) throw new AuthRequiredError(shared.provider.name, login.url.href);
      return login.done;
    },
    cancelAll() {
      for (const started of inFlight.values()) {
        started.then(({ login }) => login.cancel()).catch(() => undefined);
      }
    },
  };
}
