import { signal } from "@preact/signals";
import { describe, expect, test } from "vitest";
import { checkAnswer } from "../../../page/state/forms/check-answer.js";
import type { Drafts } from "../../../page/state/forms/drafts.js";
import { QuestionDrafts, ROOTS, type RootDraft } from "../../../page/state/forms/question-drafts.js";
import { ToolForms } from "../../../page/state/forms/tool-forms.js";
import type { Question } from "../../../src/page/protocol.js";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", default: 3 } },
};

describe("ToolForms", () => {
  test("a tool has one form, also after the same schema was sent again", () => {
    const forms = new ToolForms(signal<Drafts>([]));
    const form = forms.get({ key: "a", schema });
    expect(forms.get({ key: "a", schema: structuredClone(schema) })).toBe(form);
    expect(forms.get({ key: "b", schema })).not.toBe(form);
  });

  test("changes are kept as a draft, until the form has its defaults again", () => {
    const drafts = signal<Drafts>([]);
    const forms = new ToolForms(drafts);
    const form = forms.get({ key: "a", schema });
    expect(drafts.value).toEqual([]);
    form.set(["city"], "Oslo");
    expect(drafts.value).toEqual([["a", { days: 3, city: "Oslo" }]]);
    form.reset();
    expect(drafts.value).toEqual([]);
  });

  test("a draft is restored after a reload", () => {
    const forms = new ToolForms(signal<Drafts>([["a", { city: "Oslo" }]]));
    expect(forms.get({ key: "a", schema }).value.value).toEqual({ city: "Oslo" });
  });

  test("a changed schema keeps the value of the user, and new defaults replace old ones", () => {
    const forms = new ToolForms(signal<Drafts>([]));
    forms.get({ key: "a", schema }).set(["city"], "Oslo");
    forms.get({ key: "b", schema });
    const next = { ...schema, properties: { ...schema.properties, days: { type: "integer", default: 5 } } };
    expect(forms.get({ key: "a", schema: next }).value.value).toEqual({ days: 3, city: "Oslo" });
    expect(forms.get({ key: "b", schema: next }).value.value).toEqual({ days: 5 });
  });

  test.each([
    [{ type: "object" }, "object"],
    [{ type: "object", properties: {} }, "object"],
    [{ type: "object", additionalProperties: true }, "json"],
    [{ type: "object", additionalProperties: { type: "string" } }, "object"],
    [{ type: "object", minProperties: 1 }, "json"],
    [true, "json"],
  ])("a tool with the schema %j has a form of the kind %s", (empty, kind) => {
    const form = new ToolForms(signal<Drafts>([])).get({ key: "a", schema: empty });
    expect(form.field.kind).toBe(kind);
  });

  test("keeps a limited number of forms, and their drafts", () => {
    const drafts = signal<Drafts>([]);
    const forms = new ToolForms(drafts);
    const first = forms.get({ key: "first", schema });
    first.set(["city"], "Oslo");
    for (let number = 0; number < 40; number++) forms.get({ key: `t${number}`, schema });
    const again = forms.get({ key: "first", schema });
    expect(again).not.toBe(first);
    expect(again.value.value).toEqual({ days: 3, city: "Oslo" });
  });
});

describe("QuestionDrafts", () => {
  const ask = (id: string, part: Partial<Question> = {}): Question => ({
    id,
    era: "modern",
    method: "elicitation/create",
    params: { message: "Name?", requestedSchema: schema },
    at: 0,
    ...part,
  });
  const create = () => new QuestionDrafts(signal<readonly RootDraft[]>([{ uri: "file:///a", name: "" }]));

  test.each([
    [ask("q1"), "form"],
    [ask("q1", { params: { mode: "url", url: "https://example.com" } }), "url"],
    [ask("q1", { method: "sampling/createMessage", params: { messages: [] } }), "sampling"],
    [ask("q1", { method: "roots/list", params: {} }), "roots"],
  ])("%j is answered with a %s", (question, kind) => {
    expect(create().get(question).kind).toBe(kind);
  });

  test("an answer is kept while its question is open", () => {
    const drafts = create();
    const question = ask("q1");
    const draft = drafts.get(question);
    drafts.keepOnly(new Map([["q1", question]]));
    expect(drafts.get(question)).toBe(draft);
    drafts.keepOnly(new Map());
    expect(drafts.get(question)).not.toBe(draft);
  });

  test("stored roots are checked", () => {
    expect(ROOTS.parse([{ uri: "file:///a", name: 5 }, 7])).toEqual([{ uri: "file:///a", name: "" }]);
    expect(ROOTS.parse("x")).toBeUndefined();
  });
});

describe("checkAnswer", () => {
  const requested = {
    type: "object",
    properties: {
      name: { type: "string", minLength: 2, maxLength: 4 },
      age: { type: "integer", minimum: 18 },
      tags: { type: "array", maxItems: 1 },
    },
    required: ["name"],
  };

  test.each([
    [{ name: "Ada" }, []],
    [{}, [["name", "A value is required."]]],
    [{ name: "A" }, [["name", "Must be at least 2 characters; got 1."]]],
    [{ name: "Ada L" }, [["name", "Must be at most 4 characters; got 5."]]],
    [{ name: "Ada", age: 17 }, [["age", "Must be at least 18; got 17."]]],
    [{ name: "Ada", age: 18.5 }, [["age", "Must be an integer."]]],
    [{ name: "Ada", tags: ["a", "b"] }, [["tags", "Must be at most 1 items; got 2."]]],
  ])("%j has the problems %j", (value, problems) => {
    expect(checkAnswer(requested, value).map(({ path, message }) => [path.join("."), message])).toEqual(
      problems,
    );
  });

  test("an answer must be an object, and a missing schema accepts every object", () => {
    expect(checkAnswer(requested, [])).toEqual([{ path: [], message: "The answer must be an object." }]);
    expect(checkAnswer(undefined, { any: 1 })).toEqual([]);
  });
});
