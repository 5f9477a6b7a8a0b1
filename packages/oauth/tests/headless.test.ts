import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signIn } from "../../../examples/mail/user-agent.js";
import { McpError } from "tenon";
import { AuthRequiredError, type LoopbackAdapter } from "../src/index.js";
import { ADA, GRACE, setUp, type Stand, startStand } from "./support/fixture.js";

let stand: Stand;

beforeAll(async () => {
  stand = await startStand();
});
afterAll(() => stand.close());

const setUpHeadless = () => setUp(stand, { config: { headless: true } });

async function authUrlOf(adapter: LoopbackAdapter, accountId?: string): Promise<string> {
  const error = await adapter.getAccessToken(accountId).catch((thrown: unknown) => thrown);
  if (!(error instanceof AuthRequiredError)) throw new Error("Expected an AuthRequiredError.");
  return error.authUrl;
}

describe("a headless adapter", () => {
  test("Z16: opens no browser, and throws the URL that the user must open", async () => {
    const { adapter, opened } = await setUpHeadless();
    const error = await adapter.getAccessToken().catch((thrown: unknown) => thrown);
    if (!(error instanceof AuthRequiredError)) throw new Error("Expected an AuthRequiredError.");
    expect(error).toBeInstanceOf(McpError);
    expect(error.code).toBe("UNAUTHORIZED");
    expect(error.details).toEqual({ type: "auth_required", authUrl: error.authUrl });
    expect(error.message).toBe(
      "Sign in with Example first. Open this URL in a browser on the machine that runs the server, " +
        `then try again: ${error.authUrl}`,
    );
    expect(error.authUrl.startsWith(`${stand.provider.authorizationEndpoint}?`)).toBe(true);
    expect(opened).toEqual([]);
    adapter.close();
  });

  test("Z14: waits for the callback in the background, so that the next call succeeds", async () => {
    const { adapter } = await setUpHeadless();
    const visit = await signIn(await authUrlOf(adapter), { email: ADA });
    expect(visit.status).toBe(200);
    expect(await adapter.getAccessToken()).toMatch(/.{20}/);
    expect(await adapter.getUserEmail()).toBe(ADA);
  });

  test("returns the same URL to every caller until it expires, and then a new one", async () => {
    const { adapter, clock, lines } = await setUpHeadless();
    const urls = await Promise.all(Array.from({ length: 20 }, () => authUrlOf(adapter)));
    expect(new Set(urls).size).toBe(1);
    clock.advance(5 * 60_000);
    await expect
      .poll(() => lines)
      .toEqual([
        "Sign-in to mail did not complete. Sign-in with Example timed out after 5 minutes. Try again.",
      ]);
    const next = await authUrlOf(adapter);
    expect(next).not.toBe(urls[0]);
    await expect(signIn(urls[0] ?? "", { email: ADA })).rejects.toThrow("fetch failed");
    await signIn(next, { email: ADA });
    expect(await adapter.getUserEmail()).toBe(ADA);
  });

  test("starts a new login after a rejected one", async () => {
    const { adapter, lines } = await setUpHeadless();
    const first = await authUrlOf(adapter);
    await signIn(first, { email: ADA, refuses: true });
    expect(lines).toEqual([
      "Sign-in to mail did not complete. Sign-in with Example failed (code: access_denied). Try again.",
    ]);
    expect(await authUrlOf(adapter)).not.toBe(first);
    adapter.close();
  });

  test("limits the number of logins in flight", async () => {
    const { adapter } = await setUpHeadless();
    for (const name of ["a", "b", "c", "d"]) {
      await expect(adapter.accounts.add(`${name}@example.com`)).rejects.toThrow(AuthRequiredError);
    }
    await expect(adapter.accounts.add(GRACE)).rejects.toMatchObject({
      code: "RATE_LIMITED",
      message: "Too many pending sign-ins (limit: 4). Complete one first.",
    });
    adapter.close();
  });
});
