import * as querystring from "node:querystring";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileUriTemplate, type TemplateValues } from "../src/uri-template.js";

const match = (template: string, uri: string) => compileUriTemplate(template).match(uri);

describe("compileUriTemplate", () => {
  test("keeps the source and lists the variables in order", () => {
    const template = compileUriTemplate("db://{table}/{+rest}{?limit,offset}");
    expect(template.source).toBe("db://{table}/{+rest}{?limit,offset}");
    expect(template.variables).toEqual(["table", "rest", "limit", "offset"]);
  });

  const NAMES = "Use variable names with letters, digits, underscores, and dots, separated by commas.";

  test.each([
    ["a:}", 'URI template "a:}" has a "}" without a matching "{".'],
    ["a:{b}}", 'URI template "a:{b}}" has a "}" without a matching "{".'],
    ["a:{b", 'URI template "a:{b" has a "{" without a matching "}".'],
    ["a:{}", `URI template "a:{}" has the unsupported expression {}. ${NAMES}`],
    ["a:{b{c}", `URI template "a:{b{c}" has the unsupported expression {b{c}. ${NAMES}`],
    ["a:{b:3}", `URI template "a:{b:3}" has the unsupported expression {b:3}. ${NAMES}`],
    ["a:{b,}", `URI template "a:{b,}" has the unsupported expression {b,}. ${NAMES}`],
    ["a:{|b}", `URI template "a:{|b}" has the unsupported expression {|b}. ${NAMES}`],
    ["a:{b c}", `URI template "a:{b c}" has the unsupported expression {b c}. ${NAMES}`],
    [
      "a:{b*}",
      'URI template "a:{b*}" uses the explode modifier in {b*}. Only path variables, such as {/name*}, support it.',
    ],
    [
      "a:{?b*}",
      'URI template "a:{?b*}" uses the explode modifier in {?b*}. Only path variables, such as {/name*}, support it.',
    ],
    ["a:{b}/{b}", 'URI template "a:{b}/{b}" contains the variable {b} twice. Rename one of the variables.'],
    ["a:{b}{?b}", 'URI template "a:{b}{?b}" contains the variable {b} twice. Rename one of the variables.'],
    ["a:{?b}/c", 'URI template "a:{?b}/c" must end with its query variables. Move them to the end.'],
    ["a:{?b}{c}", 'URI template "a:{?b}{c}" must end with its query variables. Move them to the end.'],
  ])("rejects %s", (source, message) => {
    expect(() => compileUriTemplate(source)).toThrow(new Error(message));
  });
});

describe("a URI is matched by", () => {
  test.each<[string, string, TemplateValues | undefined]>([
    ["a:b", "a:b", {}],
    ["a:b", "a:bc", undefined],
    ["a:b", "", undefined],
    ["", "", {}],
    ["user://{id}", "user://42", { id: "42" }],
    ["user://{id}", "user://", undefined],
    ["user://{id}", "user://4/2", undefined],
    ["user://{id}", "user://a%20b%3Fc", { id: "a b?c" }],
    ["user://{id}", "user://%C3%A9", { id: "é" }],
    ["user://{id}", "user://%E0%A4", undefined],
    ["user://{id}", "user://100%", undefined],
    ["user://{id}", "user://4?x=1", undefined],
    ["test://template/{id}/data", "test://template/123/data", { id: "123" }],
    ["p://{a,b}", "p://1,2", { a: "1", b: "2" }],
    ["p://{a}{b}", "p://xyz", { a: "x", b: "yz" }],
    ["p://{a}-{b}", "p://1-2-3", { a: "1", b: "2-3" }],
    ["file:///{+path}", "file:///a/b?c#d", { path: "a/b?c#d" }],
    ["p://{+a,b}", "p://x/y,z", { a: "x/y", b: "z" }],
    ["p://x{#part}", "p://x#a/b", { part: "a/b" }],
    ["p://x{#a,b}", "p://x#1,2", { a: "1", b: "2" }],
    ["p://x{.kind}", "p://x.json", { kind: "json" }],
    ["p://x{.a,b}", "p://x.tar.gz", { a: "tar", b: "gz" }],
    ["p://x{/a,b}", "p://x/1/2", { a: "1", b: "2" }],
    ["p://x{/path*}", "p://x/a/b%20c/d", { path: ["a", "b c", "d"] }],
    ["p://x{/path*}", "p://x/a", { path: ["a"] }],
    ["p://x{/path*}", "p://x", undefined],
    ["p://x{/path*}", "p://x/%ZZ", undefined],
    ["p://x{/path*}/end", "p://x/a/b/end", { path: ["a", "b"] }],
    ["p://x{;a,b}", "p://x;a=1;b=2", { a: "1", b: "2" }],
    ["p://x{;a,b}", "p://x;b=2;a=1", undefined],
  ])("%s, %s: %j", (template, uri, expected) => {
    expect(match(template, uri)).toEqual(expected);
  });
});

describe("a query", () => {
  test.each<[string, string, TemplateValues | undefined]>([
    ["may be missing", "p://x", {}],
    ["may be empty", "p://x?", {}],
    ["may have some of its names", "p://x?b=2", { b: "2" }],
    ["may have any order", "p://x?b=2&a=1", { a: "1", b: "2" }],
    ["may have empty values", "p://x?a=&b", { a: "", b: "" }],
    ["may have stray ampersands", "p://x?&a=1&&", { a: "1" }],
    ["is decoded, and + is a space", "p://x?a=1%262+3", { a: "1&2 3" }],
    ["keeps further equals signs", "p://x?a=b=c", { a: "b=c" }],
    ["may have its names escaped", "p://x?%61=1", { a: "1" }],
    ["must not have other names", "p://x?a=1&c=3", undefined],
    ["must not have malformed escapes", "p://x?a=%", undefined],
    ["must not have malformed escapes in a name", "p://x?%=1", undefined],
    ["does not replace the part before it", "p://y?a=1", undefined],
  ])("%s", (_case, uri, expected) => {
    expect(match("p://x{?a,b}", uri)).toEqual(expected);
  });

  test("continues after a fixed query", () => {
    expect(match("p://x?fixed=1{&a}", "p://x?fixed=1&a=2")).toEqual({ a: "2" });
  });
});

describe("matching an expanded template returns the values", () => {
  const isSegment = (text: string) => !/[/\\\0]/.test(text) && text !== "." && text !== "..";
  const value = fc.string({ unit: "binary", minLength: 1, maxLength: 20 }).filter(isSegment);
  const reserved = fc.string({
    unit: fc.constantFrom(..."abcXYZ019-._~:/?#[]@!$&'()*+,;=".split("")),
    minLength: 1,
    maxLength: 20,
  });

  test("for plain variables", () => {
    const template = compileUriTemplate("t://{a}/mid/{b}{;c}");
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        expect(template.match(`t://${escape(a)}/mid/${escape(b)};c=${escape(c)}`)).toEqual({ a, b, c });
      }),
    );
  });

  test("for reserved variables", () => {
    const template = compileUriTemplate("t://x/{+path}");
    fc.assert(
      fc.property(reserved, (path) => {
        expect(template.match(`t://x/${path}`)).toEqual({ path });
      }),
    );
  });

  test("for a path with multiple segments", () => {
    const template = compileUriTemplate("t://x{/path*}");
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), (path) => {
        expect(template.match(`t://x${path.map((one) => `/${escape(one)}`).join("")}`)).toEqual({ path });
      }),
    );
  });

  test("for a query, including empty values", () => {
    const template = compileUriTemplate("t://x{?a,b}");
    const any = fc.string({ unit: "binary", maxLength: 20 });
    fc.assert(
      fc.property(any, any, (a, b) => {
        expect(template.match(`t://x?a=${escape(a)}&b=${escape(b)}`)).toEqual({ a, b });
      }),
    );
  });
});

describe("a value that could change a path", () => {
  const HOSTILE = [
    "..%2fsecret",
    "..%2Fsecret",
    "%2e%2e%2fsecret",
    "%2E%2E%2Fsecret",
    "%2fetc%2fpasswd",
    "a%2fb",
    "..%5csecret",
    "..%5Csecret",
    "%5c%5chost%5cshare",
    "a%00.txt",
    "%00",
    "..",
    ".",
    "%2e%2e",
    "%2e",
    ".%2e",
  ];

  test.each(HOSTILE)("%s does not match a simple variable", (text) => {
    for (const template of [
      "file:///{name}",
      "file:///{name}/end",
      "p://x{/name}",
      "p://x{;name}",
      "p://{a}/{name}",
    ]) {
      const uri = template
        .replace("{a}", "1")
        .replace("{/name}", `/${text}`)
        .replace("{;name}", `;name=${text}`);
      expect([template, match(template, uri.replace("{name}", text))]).toEqual([template, undefined]);
    }
  });

  test.each(HOSTILE)("%s does not match a segment of an exploded path", (text) => {
    expect(match("p://x{/path*}", `p://x/a/${text}/b`)).toBeUndefined();
  });

  test.each([
    ["%252e%252e%252f", "%2e%2e%2f"],
    ["..%252fsecret", "..%2fsecret"],
    ["%255c", "%5c"],
    ["%2500", "%00"],
    ["...", "..."],
    ["..a", "..a"],
    ["a..", "a.."],
    ["%C0%AE%C0%AE", undefined],
    ["%ff", undefined],
  ])("%s is decoded once: %s", (text, name) => {
    expect(match("file:///{name}", `file:///${text}`)).toEqual(name === undefined ? undefined : { name });
  });

  test("may have several segments in a reserved variable, but no null character", () => {
    expect(match("file:///{+path}", "file:///a/..%2f../b")).toEqual({ path: "a/../../b" });
    expect(match("file:///{+path}", "file:///a%00b")).toBeUndefined();
    expect(match("p://x{#part}", "p://x#a%00")).toBeUndefined();
  });

  test("may be anything in a query", () => {
    expect(match("p://x{?q}", "p://x?q=..%2f%5c%00")).toEqual({ q: "../\\\0" });
  });

  test("is never decoded by matchEncoded", () => {
    const template = compileUriTemplate("p://x/{name}{/path*}{?q}");
    expect(template.matchEncoded("p://x/a%20b/%2eb/c?q=a+%2f")).toEqual({
      name: "a%20b",
      path: ["%2eb", "c"],
      q: "a+%2f",
    });
    expect(template.matchEncoded("p://y/a/b")).toBeUndefined();
  });

  const OTHERS = `..%2f..%2fetc%ff ..%2F..%2Fetc%zz ..%2f..%2fetc% %ff%5c.. %zz%00 %C3%28%2f
    ..%u002f..%u002fetc %u002e%2e a%u005Cb a%u0000`;

  // `decodeURIComponent` rejects the other values, but other functions decode the valid escapes in them.
  test.each(["..%2f..%2fetc", "%2e%2e", "..", "a%5cb", "a%00", ...OTHERS.split(/\s+/)])(
    "that could leave its folder when it is decoded later does not match: %s",
    (value) => {
      for (const [template, uri] of [
        ["file:///{name}", `file:///${value}`],
        ["p://x{/path*}", `p://x/a/${value}/b`],
      ] as const)
        expect(compileUriTemplate(template).matchEncoded(uri)).toBeUndefined();
    },
  );

  test.each(["%zz%00", "%u0000"])("has no null character in a reserved variable either: %s", (value) => {
    expect(compileUriTemplate("p:{+name}").matchEncoded(`p:${value}`)).toBeUndefined();
  });

  test.each(["%C3%28", "%", "%zz", "a%ff", "..%ff", "%u00e9"])(
    "may have an invalid escape if it is not decoded: %s",
    (text) => {
      expect(compileUriTemplate("echo://{text}").matchEncoded(`echo://${text}`)).toEqual({ text });
    },
  );

  test("never contains a separator, whatever decodes it", () => {
    const invalid = ["%", "%zz", "%ff", "%C3%28", "%u002f", "%u002e"];
    const parts = fc.constantFrom(...invalid, "%2f", "%5C", "%00", ".", "%2e", "%25", "a", "2f");
    const template = compileUriTemplate("file:///{name}");
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1, maxLength: 8 }), (text) => {
        const name = String(template.matchEncoded(`file:///${text.join("")}`)?.["name"] ?? "");
        for (const decoded of [querystring.unescape(name), globalThis.unescape(name)])
          expect(decoded).toSatisfy((one: string) => isSafe(one));
      }),
    );
  });

  test("matches the same URIs, encoded or not, unless an escape is invalid", () => {
    const parts = fc.constantFrom("%2f", "%5c", "%00", ".", "..", "%2e", "%25", "a", "/", "?", "+");
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1, maxLength: 8 }), (text) => {
        for (const source of ["p:{name}", "p:{+name}", "p:{/path*}", "p:x{?q}"]) {
          const template = compileUriTemplate(source);
          const uri = `p:${text.join("")}`;
          expect(template.matchEncoded(uri) === undefined).toBe(template.match(uri) === undefined);
        }
      }),
    );
  });

  test("never contains a separator, whatever the URI", () => {
    const parts = fc.constantFrom("%2f", "%5c", "%00", ".", "..", "%2e", "%25", "a", "/", "?", "%2F", "%5C");
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1, maxLength: 8 }), (text) => {
        const { name } = match("file:///{name}", `file:///${text.join("")}`) ?? {};
        if (name !== undefined) expect(name).toSatisfy((one: string) => isSafe(one));
      }),
    );
  });
});

/** Returns true if a value stays in its folder when it is used as a file name. */
function isSafe(name: string): boolean {
  return !/[/\\\0]/.test(name) && name !== "." && name !== "..";
}

describe("a hostile URI", () => {
  test.each([
    ["many variables in a row", `t://${variables(40).join("")}!`, `t://${"a".repeat(8000)}`],
    ["many variables with the same separator", `t://${variables(40).join("-")}!`, `t://${"a-".repeat(4000)}`],
    ["many reserved variables", `t://${variables(40, "+").join("/")}{end}`, `t://${"a/".repeat(4000)}`],
    ["a long literal that nearly repeats", `t://{a}${"x".repeat(2000)}y`, `t://${"x".repeat(8000)}`],
  ])("with %s is rejected quickly", (_case, template, uri) => {
    expect(match(template, uri)).toBeUndefined();
  });

  test("that matches a template with many variables is matched quickly", () => {
    const values = match(`t://${variables(40).join("")}`, `t://${"a".repeat(8000)}`);
    expect(Object.values(values ?? {}).join("")).toBe("a".repeat(8000));
  });

  test.each([
    ["a path", "t:{a}", "t:"],
    ["a query", "t:x{?a}", "t:x?a="],
  ])("with %s is matched up to 8192 characters", (_case, template, start) => {
    const isRead = (length: number) => match(template, start.padEnd(length, "a")) !== undefined;
    expect({ 8192: isRead(8192), 8193: isRead(8193) }).toEqual({ 8192: true, 8193: false });
  });

  test.each(["t:{__proto__}", "t:{?__proto__}"])("does not pollute a prototype with %s", (template) => {
    const values = match(template, template.includes("?") ? "t:?__proto__=polluted" : "t:polluted");
    expect(Object.entries(values ?? {})).toEqual([["__proto__", "polluted"]]);
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
  });
});

/**
 * Percent-encodes all characters except unreserved ones, as the expansion of a plain variable does (RFC 6570, 3.2.2).
 */
function escape(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function variables(count: number, operator = ""): string[] {
  return Array.from({ length: count }, (_, index) => `{${operator}v${index}}`);
}
