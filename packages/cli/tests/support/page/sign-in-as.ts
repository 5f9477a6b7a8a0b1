/**
 * @fileoverview A browser that fills in the forms of an authorization server.
 * @module tests/cli/support/page/sign-in-as
 */

const MAX_STEPS = 20;

/** Follows the redirects from a URL, and submits each form. Returns the text of the last page. */
export async function signInAs(email: string, start: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < MAX_STEPS; step++) {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form && { method: "POST", body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = cookie.split(";", 1)[0]?.split("=", 2) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    const text = await response.text();
    form = undefined;
    if (location !== null) url = new URL(location, url);
    else if (text.includes("<form")) form = new URLSearchParams({ email, answer: "yes" });
    else return text;
  }
  throw new Error(`The sign-in did not end after ${MAX_STEPS} steps at ${url.href}.`);
}
