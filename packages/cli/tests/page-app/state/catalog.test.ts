import { signal } from "@preact/signals";
import { describe, expect, test } from "vitest";
import { createCatalog, hasCapability } from "../../../page/state/catalog/catalog.js";
import { toPromptItems, toResourceItems } from "../../../page/state/catalog/definitions.js";
import { expandTemplate, templateVariables } from "../../../page/state/catalog/expand-template.js";
import { hasHiddenText, matchesQuery, toLabel, toSearchText } from "../../../page/state/text.js";
import type { ServerState } from "../../../src/page/protocol.js";
import { server, tool } from "../../support/page-app/samples.js";

describe("definitions", () => {
  test("resources and templates are in one list", () => {
    const items = toResourceItems(
      server({
        resources: [{ uri: "a:1", name: "one", title: "One", size: 5 }, { uri: "a:1" }, {}],
        resourceTemplates: [{ uriTemplate: "a:{id}", name: "any" }],
        changes: [{ sign: "~", noun: "resource template", name: "a:{id}" }],
      }),
    );
    expect(items.map(({ key, kind, label }) => [key, kind, label])).toEqual([
      ["a:1", "resource", "One"],
      ["a:1#2", "resource", "a:1"],
      ["#2", "resource", "(no name)"],
      ["a:{id}", "template", "any"],
    ]);
    expect(items[3]?.change).toBe("~");
  });

  test("prompts have arguments, and invalid ones are skipped", () => {
    const [item] = toPromptItems(
      server({
        prompts: [{ name: "p", arguments: [{ name: "a", required: true }, { name: "b" }, 5, { name: 6 }] }],
      }),
    );
    expect(item?.arguments).toEqual([
      { name: "a", description: "", isRequired: true },
      { name: "b", description: "", isRequired: false },
    ]);
    expect(toPromptItems(server({ prompts: [{ arguments: "x" }] }))[0]?.arguments).toEqual([]);
  });

  test("the catalog follows the server", () => {
    const state = signal<ServerState | undefined>(undefined);
    const catalog = createCatalog(state);
    expect(catalog.tools.value).toEqual([]);
    state.value = server({ tools: [tool("a")], capabilities: { resources: { subscribe: true } } });
    expect(catalog.tools.value.map(({ key }) => key)).toEqual(["a"]);
    expect(catalog.hasCapability("resources.subscribe")).toBe(true);
    expect(catalog.hasCapability("completions")).toBe(false);
  });

  test.each([
    [{ logging: {} }, "logging", true],
    [{ resources: { subscribe: false } }, "resources.subscribe", false],
    [{}, "toString", false],
    [undefined, "logging", false],
  ])("%j has %s: %s", (capabilities, path, expected) => {
    expect(hasCapability(capabilities, path)).toBe(expected);
  });
});

describe("URI templates", () => {
  test.each([
    ["notes://{name}", ["name"]],
    ["a/{x,y}{?q,x}", ["x", "y", "q"]],
    ["a{/path*}{+rest:5}", ["path", "rest"]],
    ["plain", []],
    ["{}{,}", []],
  ])("%s has the variables %j", (template, names) => {
    expect(templateVariables(template)).toEqual(names);
  });

  // The examples of RFC 6570, section 3.2, as far as their values are texts.
  const values = {
    var: "value",
    hello: "Hello World!",
    path: "/foo/bar",
    x: "1024",
    y: "768",
    empty: "",
    list: "a,b",
  };
  test.each([
    ["{var}", "value"],
    ["{hello}", "Hello%20World%21"],
    ["{+hello}", "Hello%20World!"],
    ["{+path}/here", "/foo/bar/here"],
    ["{path}", "%2Ffoo%2Fbar"],
    ["{x,y}", "1024,768"],
    ["{#path,x}", "#/foo/bar,1024"],
    ["X{.x,y}", "X.1024.768"],
    ["{/var,x}/here", "/value/1024/here"],
    ["{;x,y}", ";x=1024;y=768"],
    ["{?x,y}", "?x=1024&y=768"],
    ["?fixed=yes{&x}", "?fixed=yes&x=1024"],
    ["{var:3}", "val"],
    ["{list*}", "a,b"],
    ["{?undef}", ""],
    ["{empty}{?empty,x}", "?x=1024"],
    ["notes://{__proto__}", "notes://"],
  ])("%s expands to %s", (template, expected) => {
    expect(expandTemplate(template, values)).toBe(expected);
  });

  test("text that is encoded already stays the same in a reserved expansion", () => {
    expect(expandTemplate("{+path}", { path: "a%20b[1]" })).toBe("a%20b[1]");
  });

  test("lone surrogates do not throw", () => {
    expect(expandTemplate("{a}{+b}", { a: "\ud800", b: "\udc00" })).toBe("%EF%BF%BD%EF%BF%BD");
  });
});

describe("texts", () => {
  test.each([
    ["plain", false],
    ["line\nbreak\tand tab", false],
    ["family 👩‍👩‍👧", false],
    ["zero\u200bwidth", true],
    ["tag\u{e0041}", true],
    ["override\u202e", true],
    ["bell\u0007", true],
  ])("%j contains hidden text: %s", (text, expected) => {
    expect(hasHiddenText(text)).toBe(expected);
  });

  test("labels are never empty, and have a limit", () => {
    expect(toLabel("\u0000\n")).toBe("(no name)");
    expect(toLabel("x".repeat(500)).length).toBe(200);
  });

  test("all words of a query must match", () => {
    const text = toSearchText("Forecast", undefined, "Weather of a city");
    expect(matchesQuery(text, "city  FORE")).toBe(true);
    expect(matchesQuery(text, "city rain")).toBe(false);
    expect(matchesQuery(text, "")).toBe(true);
  });
});
