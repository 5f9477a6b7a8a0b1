/**
 * @fileoverview A scripted user with a browser: opens an address, fills in the forms and follows where they lead.
 * @module examples/mail/user-agent
 */

/** What the user saw last. */
export interface Visit {
  readonly url: URL;
  readonly status: number;
  readonly body: string;
}

/** What the user does. */
export interface UserOptions {
  readonly email: string;
  /** Says no to the first question. */
  readonly refuses?: boolean;
  /** Stops before an address that starts with this, as the last step: the callback. */
  readonly stopsAt?: string;
}

const MAX_STEPS = 20;

/** Signs in at an address, to the page at the end. Every visit is a new browser, without cookies. */
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
  throw new Error("The sign-in leads in circles");
}
