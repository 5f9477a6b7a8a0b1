import { h } from "preact";
import { describe, expect, test, vi } from "vitest";
import { ContentView, ResultView } from "../../src/content/content-view.js";
import { MediaContent } from "../../src/content/media-content.js";
import { mount, type SmallElement } from "../support/small-dom.js";

const named = (root: SmallElement, name: string) => root.all(({ localName }) => localName === name);

describe("content from a server", () => {
  test("shows every kind of block", () => {
    const content = [
      { type: "text", text: "# Title" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "resource_link", uri: "demo://a", name: "Link" },
      { type: "resource", resource: { uri: "demo://b", text: "embedded" } },
    ];
    const { root } = mount(h(ContentView, { content }));
    expect(named(root, "li").length).toBe(5);
    expect(named(root, "h3").map(({ text }) => text)).toEqual(["Title"]);
    expect(named(root, "img").map(({ attributes }) => attributes.get("src"))).toEqual([
      "data:image/png;base64,AAAA",
    ]);
    expect(named(root, "audio").map(({ attributes }) => attributes.get("src"))).toEqual([
      "data:audio/wav;base64,AAAA",
    ]);
    expect(root.text).toContain("demo://a");
    expect(root.text).toContain("embedded");
  });

  test.each([
    { type: "image", data: "https://example.com/pixel.png", mimeType: "image/png" },
    { type: "image", data: "PHN2Zz4=", mimeType: "image/svg+xml" },
    { type: "image", data: 'AAAA" onerror="alert(1)', mimeType: "image/png" },
    { type: "audio", data: "AAAA", mimeType: "text/html" },
    { type: "resource", resource: { uri: "javascript:alert(1)", blob: "AAAA", mimeType: "text/html" } },
    { type: "resource_link", uri: "javascript:alert(1)", name: "click me" },
    { type: "text", text: "<img src=x onerror=alert(1)>" },
    { type: "iframe", src: "https://example.com" },
  ])("%j loads and links nothing", (block) => {
    const { root } = mount(h(ContentView, { content: [block], onOpenResource: () => {} }));
    expect(root.all(({ attributes }) => attributes.has("src") || attributes.has("href"))).toEqual([]);
    expect(["script", "iframe", "object", "embed"].flatMap((name) => named(root, name))).toEqual([]);
    expect(root.text).not.toBe("");
  });

  test("a resource link only tells the page which resource to open", () => {
    const onOpenResource = vi.fn<(uri: string) => void>();
    const content = [{ type: "resource_link", uri: "demo://a", name: "Link" }];
    const { root } = mount(h(ContentView, { content, onOpenResource }));
    named(root, "button")[0]?.send("click");
    expect(onOpenResource).toHaveBeenCalledExactlyOnceWith("demo://a");
  });

  test("a result of another shape is shown as JSON", () => {
    expect(mount(h(ResultView, { result: { other: "value" } })).root.text).toContain('"value"');
    expect(mount(h(ResultView, { result: "text" })).root.text).toContain('"text"');
  });
});

describe("an image that cannot be decoded", () => {
  test("is replaced by a message, until there is another image", async () => {
    const image = (data: string) => h(MediaContent, { data, mediaType: "image/png" });
    const { root, update, settle } = mount(image("AAAA"));
    named(root, "img")[0]?.send("error");
    await settle();
    expect([named(root, "img").length, root.text.includes("could not decode")]).toEqual([0, true]);
    update(image("BBBB"));
    expect([named(root, "img").length, root.text.includes("could not decode")]).toEqual([1, false]);
  });
});
