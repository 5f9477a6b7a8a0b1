/**
 * @fileoverview Signs in two users to the mail server and checks the tools' results.
 * @module examples/mail/check
 */
import assert from "node:assert/strict";
import { createClient } from "tenon/testing";
import { startMailExample } from "./start.js";
import { signIn } from "./user-agent.js";

/** Runs the example. @throws if its behavior differs from the documentation */
export async function check(): Promise<void> {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const { server, auth, close } = await startMailExample({
    debug: write,
    info: write,
    warn: write,
    error: write,
  });
  const client = await createClient(server);
  const call = async (name: string, args: object = {}, accountId?: string): Promise<Answer> => {
    const _meta = accountId === undefined ? {} : { accountId };
    const { structuredContent } = await client.request("tools/call", { name, arguments: args, _meta });
    return structuredContent as Answer; // validated by the tools' output schemas
  };
  const subjects = async (accountId?: string) =>
    (await call("message-list", {}, accountId)).items?.map(({ subject }) => subject);
  try {
    const asked = await call("message-list");
    assert.equal(asked.type, "auth_required");
    const visit = await signIn(asked.authUrl ?? "", { email: "ada@example.com" });
    assert.match(visit.body, /You are signed in/);
    assert.deepEqual(await subjects(), ["Welcome, ada@example.com", "The engine is ready"]);

    const added = await call("account-switch");
    assert.equal(added.type, "auth_required");
    await signIn(added.authUrl ?? "", { email: "grace@example.com" });
    assert.deepEqual((await call("account-list")).items?.length, 2);
    assert.equal((await call("account-me")).item?.accountId, "grace@example.com");
    assert.equal((await subjects())?.[0], "Welcome, grace@example.com");
    assert.equal((await subjects("ada@example.com"))?.[0], "Welcome, ada@example.com");

    const first = await auth.getAccessToken();
    await auth.invalidate();
    assert.equal((await subjects())?.[0], "Welcome, grace@example.com");
    assert.notEqual(await auth.getAccessToken(), first);

    await call("account-remove", { accountId: "grace@example.com" });
    assert.equal((await subjects())?.[0], "Welcome, ada@example.com");
    assert.deepEqual(lines, [
      "Signed in to mail.",
      "Signed in to mail.",
      "Refreshed an access token for mail.",
    ]);
  } finally {
    await client.close();
    await close();
  }
}

/** Tool result members that are checked here. */
interface Answer {
  readonly type: string;
  readonly authUrl?: string;
  readonly item?: { readonly accountId: string };
  readonly items?: readonly { readonly subject?: string }[];
}
