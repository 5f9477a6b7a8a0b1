import * as fc from "fast-check";
import { createRouter } from "@tenon/ui/router.js";
import { describe, expect, test, vi } from "vitest";
import { formatRoute, parseRoute } from "../../../page/routes/route.js";

describe("routes", () => {
  test.each([
    ["", { area: "tools" }],
    ["#/", { area: "tools" }],
    ["#/nowhere/x", { area: "tools" }],
    ["#/tools/forecast", { area: "tools", id: "forecast" }],
    ["#/calls/c12/wire", { area: "calls", id: "c12", tab: "wire" }],
    ["#/resources/notes%3A%2F%2Fa%2Fb", { area: "resources", id: "notes://a/b" }],
    ["#/tools/%E0%A4%A", { area: "tools" }],
  ])("%s is a place", (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  });

  test("names of a hostile server survive, including lone surrogates", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", minLength: 1 }),
      fc.constant("\ud800"),
      fc.constant("a\udfffb%u0041/"),
    );
    fc.assert(
      fc.property(text, text, (id, tab) => {
        expect(parseRoute(formatRoute({ area: "tools", id, tab }))).toEqual({ area: "tools", id, tab });
      }),
    );
  });
});

describe("createRouter", () => {
  const createWindow = (hash: string) => {
    const listeners: (() => void)[] = [];
    const location = { hash };
    const move = (_data: unknown, _title: string, url?: string | URL | null) => {
      location.hash = String(url);
    };
    const history = { pushState: vi.fn(move), replaceState: vi.fn(move) };
    const target = {
      location,
      history,
      addEventListener: (_type: string, listener: () => void) => listeners.push(listener),
    };
    return {
      target: target as unknown as Parameters<typeof createRouter>[0],
      history,
      goBackTo: (previous: string) => {
        location.hash = previous;
        for (const listener of listeners) listener();
      },
    };
  };

  test("starts at the place of the URL, and follows the back button", () => {
    const { target, history, goBackTo } = createWindow("#/calls/c1");
    const router = createRouter(target, { parseRoute, formatRoute });
    expect(router.route.value).toEqual({ area: "calls", id: "c1" });
    router.go({ area: "log" });
    expect(history.pushState).toHaveBeenCalledWith(null, "", "#/log");
    goBackTo("#/calls/c1");
    expect(router.route.value).toEqual({ area: "calls", id: "c1" });
  });

  test("does not add the same place to the history twice", () => {
    const { target, history } = createWindow("#/log");
    const router = createRouter(target, { parseRoute, formatRoute });
    router.go({ area: "log" });
    expect(history.pushState).not.toHaveBeenCalled();
    router.replace({ area: "tools", id: "a" });
    expect(history.replaceState).toHaveBeenCalledWith(null, "", "#/tools/a");
    expect(router.route.value).toEqual({ area: "tools", id: "a" });
  });
});
