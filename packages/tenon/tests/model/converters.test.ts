import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ConverterBase,
  Group,
  GroupConverterBase,
  Prompt,
  PromptConverterBase,
  Resource,
  ResourceConverterBase,
  Tool,
  ToolAnnotations,
  ToolAnnotationsConverterBase,
  ToolConverterBase,
} from "../../src/model/index.js";
import type { Maybe } from "../../src/model/converters.js";

/** Numbers as text: odd numbers convert to null, and so does the empty text. */
class EvenNumbers extends ConverterBase<number, string> {
  protected override convertFromSingle(source: number): Maybe<string> {
    return source % 2 === 0 ? String(source) : null;
  }

  protected override convertToSingle(target: string): Maybe<number> {
    return target === "" ? undefined : Number(target);
  }
}

describe("a batch", () => {
  const converter = new EvenNumbers();

  test("F10: keeps its order and leaves out null values and values that convert to null, from sources", () => {
    expect(converter.convertFromBatch([2, null, 3, undefined, 0, 4])).toEqual(["2", "0", "4"]);
  });

  test("F10: keeps its order and leaves out null values and values that convert to null, from targets", () => {
    expect(converter.convertToBatch(["2", null, "", undefined, "0"])).toEqual([2, 0]);
  });

  test("F10: is empty for an empty list", () => {
    expect(converter.convertFromBatch([])).toEqual([]);
    expect(converter.convertToBatch([null, undefined])).toEqual([]);
  });

  test("F10: keeps values that are falsy but not null", () => {
    class Same extends ConverterBase<unknown, unknown> {
      protected override convertFromSingle(source: unknown): unknown {
        return source;
      }

      protected override convertToSingle(target: unknown): unknown {
        return target;
      }
    }
    const falsy = [0, "", false, Number.NaN];
    expect(new Same().convertFromBatch([...falsy, null])).toEqual(falsy);
    expect(new Same().convertToBatch([undefined, ...falsy])).toEqual(falsy);
  });

  test("F10: equals the conversion of each value without the nulls", () => {
    const batch = fc.array(fc.option(fc.integer(), { freq: 3 }));
    fc.assert(
      fc.property(batch, (numbers) => {
        const even = numbers.filter((one): one is number => one !== null && one % 2 === 0);
        const texts = converter.convertFromBatch(numbers);
        expect(texts).toEqual(even.map(String));
        expect(converter.convertToBatch([null, ...texts, ""])).toEqual(even);
      }),
    );
  });
});

/** Converts any model to its name. An empty name converts to null. */
type Name = string;
const nameOf = (model: { readonly name: string }): Maybe<Name> => model.name || null;

class ToolNames extends ToolConverterBase<Name> {
  override convertFromTool(tool: Tool) {
    return nameOf(tool);
  }
  override convertToTool(name: Name) {
    return name === "" ? null : new Tool(name);
  }
}

class GroupNames extends GroupConverterBase<Name> {
  override convertFromGroup(group: Group) {
    return nameOf(group);
  }
  override convertToGroup(name: Name) {
    return name === "" ? null : new Group(name);
  }
}

class PromptNames extends PromptConverterBase<Name> {
  override convertFromPrompt(prompt: Prompt) {
    return nameOf(prompt);
  }
  override convertToPrompt(name: Name) {
    return name === "" ? null : new Prompt(name);
  }
}

class ResourceNames extends ResourceConverterBase<Name> {
  override convertFromResource(resource: Resource) {
    return nameOf(resource);
  }
  override convertToResource(name: Name) {
    return name === "" ? null : new Resource(name, { uri: `memo://${name}` });
  }
}

class AnnotationTitles extends ToolAnnotationsConverterBase<Name> {
  override convertFromToolAnnotation(annotation: ToolAnnotations) {
    return annotation.title;
  }
  override convertToToolAnnotation(title: Name) {
    return title === "" ? null : new ToolAnnotations({ title });
  }
}

describe("the typed method names", () => {
  test("F11: for tools", () => {
    const converter = new ToolNames();
    const tools = converter.convertToTools(["a", "", null, "b"]);
    expect(tools).toStrictEqual([new Tool("a"), new Tool("b")]);
    expect(converter.convertFromTools([...tools, null, new Tool("")])).toEqual(["a", "b"]);
    expect(converter.convertFromTool(new Tool("a"))).toBe("a");
    expect(converter.convertToTool("a")).toStrictEqual(new Tool("a"));
  });

  test("F11: for groups", () => {
    const converter = new GroupNames();
    const groups = converter.convertToGroups(["a", "", null, "b"]);
    expect(groups).toStrictEqual([new Group("a"), new Group("b")]);
    expect(converter.convertFromGroups([...groups, null, new Group("")])).toEqual(["a", "b"]);
    expect(converter.convertFromGroup(new Group("a"))).toBe("a");
    expect(converter.convertToGroup("a")).toStrictEqual(new Group("a"));
  });

  test("F11: for prompts", () => {
    const converter = new PromptNames();
    const prompts = converter.convertToPrompts(["a", "", null, "b"]);
    expect(prompts).toStrictEqual([new Prompt("a"), new Prompt("b")]);
    expect(converter.convertFromPrompts([...prompts, null, new Prompt("")])).toEqual(["a", "b"]);
    expect(converter.convertFromPrompt(new Prompt("a"))).toBe("a");
    expect(converter.convertToPrompt("a")).toStrictEqual(new Prompt("a"));
  });

  test("F11: for resources", () => {
    const converter = new ResourceNames();
    const [a, b] = ["a", "b"].map((name) => new Resource(name, { uri: `memo://${name}` })) as [
      Resource,
      Resource,
    ];
    expect(converter.convertToResources(["a", "", null, "b"])).toStrictEqual([a, b]);
    expect(converter.convertFromResources([a, null, b, undefined])).toEqual(["a", "b"]);
    expect(converter.convertFromResource(a)).toBe("a");
    expect(converter.convertToResource("a")).toStrictEqual(a);
  });

  test("F11: for annotations of tools", () => {
    const converter = new AnnotationTitles();
    const annotations = converter.convertToToolAnnotations(["a", "", null]);
    expect(annotations).toStrictEqual([new ToolAnnotations({ title: "a" })]);
    expect(converter.convertFromToolAnnotations([...annotations, null, new ToolAnnotations()])).toEqual([
      "a",
    ]);
    expect(converter.convertFromToolAnnotation(new ToolAnnotations({ title: "a" }))).toBe("a");
    expect(converter.convertToToolAnnotation("a")).toStrictEqual(new ToolAnnotations({ title: "a" }));
  });

  test.each([ToolNames, GroupNames, PromptNames, ResourceNames, AnnotationTitles])(
    "F11: %o inherits its batch methods from ConverterBase",
    (converter) => {
      const base: object = Object.getPrototypeOf(converter.prototype) as object;
      expect(Object.getPrototypeOf(base)).toBe(ConverterBase.prototype);
      for (const made of [base, converter.prototype]) {
        expect(Object.hasOwn(made, "convertFromBatch") || Object.hasOwn(made, "convertToBatch")).toBe(false);
      }
    },
  );
});
