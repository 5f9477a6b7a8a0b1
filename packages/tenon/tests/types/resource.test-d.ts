import { describe, expectTypeOf, test } from "vitest";
import { defineServer, type TemplateVariables } from "../../src/index.js";

const builder = defineServer({ name: "types", version: "1.0.0" });

describe("a resource template's variables", () => {
  test("are inferred from the template text", () => {
    builder.resourceTemplate("t", {
      uriTemplate: "weather://{city}/{day}",
      handler(variables, _call, uri) {
        expectTypeOf(variables).toEqualTypeOf<{ city: string; day: string }>();
        expectTypeOf(uri).toBeString();
        return `${variables.city} ${variables.day}`;
      },
    });
  });

  test("are inferred for each kind of expression", () => {
    expectTypeOf<TemplateVariables<"a://{b}">>().toEqualTypeOf<{ b: string }>();
    expectTypeOf<TemplateVariables<"a://{b}{?q}">>().toEqualTypeOf<{ b: string; q?: string }>();
    expectTypeOf<TemplateVariables<"a://{b}{?q,r}">>().toEqualTypeOf<{ b: string; q?: string; r?: string }>();
    expectTypeOf<TemplateVariables<"a://b?x=1{&q}">>().toEqualTypeOf<{ q?: string }>();
    expectTypeOf<TemplateVariables<"a://b{/path*}">>().toEqualTypeOf<{ path: string[] }>();
    expectTypeOf<TemplateVariables<"a://b{/path}">>().toEqualTypeOf<{ path: string }>();
    expectTypeOf<TemplateVariables<"a://{+rest}">>().toEqualTypeOf<{ rest: string }>();
    expectTypeOf<TemplateVariables<"a://b{#part}">>().toEqualTypeOf<{ part: string }>();
    expectTypeOf<TemplateVariables<"a://b{.ext}">>().toEqualTypeOf<{ ext: string }>();
    expectTypeOf<TemplateVariables<"a://b{;lang}">>().toEqualTypeOf<{ lang: string }>();
    expectTypeOf<TemplateVariables<"a://{x,y}">>().toEqualTypeOf<{ x: string; y: string }>();
    expectTypeOf<TemplateVariables<"a://{b}{/path*}{?q}">>().toEqualTypeOf<{
      b: string;
      path: string[];
      q?: string;
    }>();
    expectTypeOf<TemplateVariables<"a://b{/first,rest*}">>().toEqualTypeOf<{
      first: string;
      rest: string[];
    }>();
  });

  test("are text or lists under any name if the template is not a literal type", () => {
    expectTypeOf<TemplateVariables<string>>().toEqualTypeOf<Record<string, string | string[]>>();
  });

  test("are the only ones a handler can read", () => {
    builder.resourceTemplate("t", {
      uriTemplate: "weather://{city}",
      // @ts-expect-error the template does not have {town}
      handler: ({ town }) => String(town),
    });
  });

  test("of a query may be absent", () => {
    builder.resourceTemplate("t", {
      uriTemplate: "weather://{city}{?unit}",
      handler(variables) {
        // @ts-expect-error the query may lack {unit}
        const unit: string = variables.unit;
        return unit;
      },
    });
  });

  test("are the only ones that can be completed", () => {
    builder.resourceTemplate("t", {
      uriTemplate: "weather://{city}",
      complete: { city: (typed) => [typed] },
      handler: ({ city }) => city,
    });
    builder.resourceTemplate("t", {
      uriTemplate: "weather://{city}",
      // @ts-expect-error the template does not have {town}
      complete: { town: () => [] },
      handler: ({ city }) => city,
    });
  });
});

describe("a resource handler's return value", () => {
  test("is text, bytes, contents, or a full result, synchronous or asynchronous", () => {
    const uri = "a://b";
    builder
      .resource("text", { uri, handler: () => "text" })
      .resource("bytes", { uri, handler: () => new Uint8Array(1) })
      .resource("content", { uri, handler: (at) => ({ uri: at, text: "text" }) })
      .resource("contents", { uri, handler: (at) => [{ uri: at, blob: "AA==" }] })
      .resource("full", { uri, handler: async (at) => ({ contents: [{ uri: at, text: "text" }] }) });
  });

  test("cannot be anything else", () => {
    builder.resource("t", {
      uri: "a://b",
      // @ts-expect-error a number is neither text nor bytes
      handler: () => 3,
    });
    builder.resource("t", {
      uri: "a://b",
      // @ts-expect-error contents need text or a blob
      handler: (uri) => ({ uri }),
    });
    builder.resource("t", {
      uri: "a://b",
      // @ts-expect-error undefined is not content
      handler: () => {},
    });
  });
});
