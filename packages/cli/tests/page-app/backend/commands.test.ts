import { describe, expect, test, vi } from "vitest";
import { CallDetails } from "../../../page/backend/call-details.js";
import { createCommandClient } from "../../../page/backend/commands.js";
import { CommandFailed } from "../../../page/backend/requests.js";
import type { CallDetail } from "../../../src/page/protocol.js";
import { call, manualTimer } from "../../support/page-app/samples.js";

describe("createCommandClient", () => {
  test("sends parameters as JSON to the command's path", async () => {
    const fetch = vi.fn(async () => Response.json({ id: "c1" }));
    const params = { tool: "forecast", arguments: { city: "Oslo" }, era: "modern" } as const;
    expect(await createCommandClient(fetch).run("call", params)).toEqual({ id: "c1" });
    expect(fetch).toHaveBeenCalledWith("/_dev/api/call", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(params),
    });
  });

  test("reads a call by its ID", async () => {
    const fetch = vi.fn(async () => Response.json({ summary: call("c/1") }));
    await createCommandClient(fetch).readCall("c/1");
    expect(fetch).toHaveBeenCalledWith("/_dev/api/calls/c%2F1", undefined);
  });

  test.each([
    [Response.json({ error: "Too many calls." }, { status: 429 }), "Too many calls.", 429],
    [new Response("<html>", { status: 502 }), "The command responded with HTTP status 502.", 502],
  ])("throws the message of a failure", async (response, message, status) => {
    const attempt = createCommandClient(async () => response).run("refresh", {});
    await expect(attempt).rejects.toThrow(new CommandFailed(message, status));
    await expect(attempt).rejects.toMatchObject({ status });
  });

  test("says that the command may have stopped", async () => {
    const attempt = createCommandClient(async () => Promise.reject(new TypeError("failed"))).run(
      "refresh",
      {},
    );
    await expect(attempt).rejects.toThrow(
      "The command in the terminal does not respond. Check that it still runs.",
    );
  });
});

describe("CallDetails", () => {
  const detailOf = (id: string, outcome: "ok" | "running" = "ok"): CallDetail => ({
    summary: call(id, { outcome }),
    wire: [],
    checks: [],
    snippets: {},
  });

  test("reads a call, and once more if it changes in the meantime", async () => {
    const timer = manualTimer();
    const readCall = vi.fn(async (id: string) => detailOf(id));
    const details = new CallDetails({ readCall }, timer);
    details.load("c1");
    details.load("c1");
    details.load("c1");
    await vi.waitFor(() => expect(details.stateOf("c1").value.detail?.summary.id).toBe("c1"));
    expect(readCall).toHaveBeenCalledTimes(1);
    details.load("c1");
    await vi.waitFor(() => expect(timer.delays()).toEqual([150]));
    timer.run(150);
    await vi.waitFor(() => expect(readCall).toHaveBeenCalledTimes(2));
  });

  test("keeps the last state if a later read fails", async () => {
    const timer = manualTimer();
    const readCall = vi.fn(async (id: string) => detailOf(id));
    const details = new CallDetails({ readCall }, timer);
    details.load("c1");
    await vi.waitFor(() => expect(timer.delays()).toEqual([150]));
    readCall.mockRejectedValueOnce(new CommandFailed("gone", 404));
    details.load("c1");
    timer.run(150);
    await vi.waitFor(() => expect(details.stateOf("c1").value.message).toBe("gone"));
    expect(details.stateOf("c1").value.detail?.summary.id).toBe("c1");
  });

  test("keeps only the last calls", async () => {
    const details = new CallDetails({ readCall: async (id) => detailOf(id) }, manualTimer());
    const first = details.stateOf("c0");
    for (let number = 1; number <= 24; number++) details.stateOf(`c${number}`);
    expect(details.stateOf("c0")).not.toBe(first);
    expect(details.stateOf("c24")).toBe(details.stateOf("c24"));
  });

  test("forgets the calls of an earlier launch", async () => {
    const details = new CallDetails({ readCall: async (id) => detailOf(id) }, manualTimer());
    const before = details.stateOf("c1");
    details.clear();
    expect(details.stateOf("c1")).not.toBe(before);
  });
});
