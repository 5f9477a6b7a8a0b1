/**
 * @fileoverview A scripted browser user: opens a URL, submits forms, and follows redirects.
 * @module examples/mail/user-agent
 */

/** The last page that the user saw. */
export interface Visit {
  readonly url: URL;
  readonly status: number;
  readonly body: string;
}

/** Options for `signIn`. */
export interface UserOptions {
  readonly email: string;
  /** Cancels the first form instead of submitting it. */
  readonly refuses?: boolean;
  /** URL prefix at which the user stops. The matching URL, usually the callback, is not requested. */
  readonly stopsAt?: string;
}

const MAX_STEPS = 20;

/** Signs in at a URL and returns the last page. Every call starts without cookies. */
export async function signIn(address: string | URL, options: UserOptions): Promise<Visit> {
  const { email, refuses = false, stopsAt } = options;
  const cookies = new Map<string, string>();
  let url = new URL(address);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < MAX_STEPS; step++) {
    if (stopsAt !== undefined && url.href.startsWith(stopsAt)) return { url, status: 0, body: "" };
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form === undefined ? {} : { method: "POST", body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const body = await response.text();
    const location = response.headers.get("location");
    form = undefined;
    if (location !== null) {
      url = new URL(location, url);
    } else if (body.includes('<form method="post">')) {
      form = new URLSearchParams({ answer: refuses ? "no" : "yes" });
      if (body.includes('name="email"')) form.set("email", email);
    } else {
      return { url, status: response.status, body };
    }
  }
  throw new Error(
    `Sign-in did not finish after ${MAX_STEPS} steps. The last page was ${url.origin}${url.pathname}.`,
  );
}
