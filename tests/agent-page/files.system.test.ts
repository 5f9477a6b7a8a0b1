import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser-page.js";
import { openChat } from "./support/chat.js";
import { IMAGE } from "./support/sample-task.js";
import { StubServer } from "./support/stub-server.js";

const PNG = { name: "sketch.png", mimeType: "image/png", buffer: Buffer.from(IMAGE, "base64") };
const CSV = { name: "sizes.csv", mimeType: "text/csv", buffer: Buffer.from("a,b") };

/** Creates a transfer with a file in the page, and dispatches an event with it. */
const dispatch = (selector: string, type: "drop" | "paste") => `{
  const transfer = new DataTransfer();
  transfer.items.add(new File(["hello"], "note.txt", { type: "text/plain" }));
  const options = { bubbles: true, cancelable: true, dataTransfer: transfer, clipboardData: transfer };
  const event = ${type === "drop" ? "new DragEvent('drop', options)" : "new ClipboardEvent('paste', options)"};
  document.querySelector(${JSON.stringify(selector)}).dispatchEvent(event);
}`;

describeInBrowser("files on the agent page", () => {
  test("files are attached, shown before and after they are sent, and can be removed", async () => {
    const stub = await StubServer.start({ page: { maxPayload: 8_388_608 } });
    const chat = await openChat(stub.url);
    await chat.page.locator("input[type=file]").setInputFiles([PNG, CSV]);
    const attached = chat.page.getByRole("list", { name: "Attached files" });
    await attached.getByText("sketch.png").waitFor();
    await attached.getByText("3 B").waitFor();
    await chat.button("Remove sizes.csv").click();
    await expect.poll(() => attached.getByRole("listitem").count()).toBe(1);
    await chat.say("Look at this");
    const [sent] = stub.sent("userSendMessage");
    expect(sent).toMatchObject({
      message: "Look at this",
      files: [{ name: "sketch.png", mediaType: "image/png", data: IMAGE }],
    });
    expect(await attached.count()).toBe(0);
    const image = chat.log.getByRole("img", { name: "sketch.png" });
    await image.waitFor();
    await image.click();
    await chat.page.getByRole("dialog", { name: "sketch.png" }).getByRole("img").waitFor();
    expect(chat.complaints).toEqual([]);
  });

  test("an image stays visible after the server has stored its message without the content", async () => {
    const stub = await StubServer.start({
      page: { maxPayload: 8_388_608 },
      respond: (server, taskId) => {
        server.emit(taskId, "message", { message: "I see it." });
        server.end(taskId);
      },
    });
    const chat = await openChat(stub.url);
    await chat.page.locator("input[type=file]").setInputFiles([PNG]);
    await chat.page.getByRole("list", { name: "Attached files" }).waitFor();
    await chat.say("Look at this");
    await chat.sees("I see it.");
    await chat.rests();
    const image = chat.log.getByRole("img", { name: "sketch.png" });
    const width = (element: { readonly naturalWidth: number }) => element.naturalWidth;
    expect(await image.evaluate(width)).toBe(320);
    await chat.page.reload();
    await image.waitFor();
    expect(await image.evaluate(width)).toBe(320);
    expect(chat.complaints).toEqual([]);
  });

  test("files are pasted and dropped, and a message can consist of files", async () => {
    const stub = await StubServer.start();
    const chat = await openChat(stub.url);
    await chat.box.waitFor();
    await chat.page.evaluate(dispatch("#composer", "paste"));
    const attached = chat.page.getByRole("list", { name: "Attached files" });
    await attached.getByText("note.txt").waitFor();
    await chat.page.evaluate(dispatch(".a-drop", "drop"));
    await expect.poll(() => attached.getByRole("listitem").count()).toBe(2);
    await chat.button("Send").click();
    await expect.poll(() => stub.sent("userSendMessage").length).toBe(1);
    expect(stub.sent("userSendMessage")[0]).toMatchObject({
      message: "Attached: note.txt, note.txt",
      files: [{ data: "aGVsbG8=" }, { data: "aGVsbG8=" }],
    });
  });

  test("a file that is too large is rejected with a clear message", async () => {
    const stub = await StubServer.start({ page: { maxPayload: 1_048_576 } });
    const chat = await openChat(stub.url);
    await chat.page
      .locator("input[type=file]")
      .setInputFiles({ name: "big.bin", mimeType: "", buffer: Buffer.alloc(900_000) });
    await chat.page
      .getByRole("alert")
      .getByText("“big.bin” is too large: 879 KiB (limit: 720 KiB).")
      .waitFor();
    expect(await chat.button("Send").isEnabled()).toBe(false);
  });

  test("images of the agent are shown, and every file can be saved", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t" });
    stub.emit("t", "file", { mediaType: "image/png", data: IMAGE, name: "drawing.png" });
    stub.emit("t", "file", { mediaType: "text/csv", data: "YSxi", name: "../../sizes.csv" });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.log.getByRole("img", { name: "drawing.png" }).waitFor();
    const download = chat.page.waitForEvent("download");
    await chat.button("Save ../../sizes.csv").click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe("sizes.csv");
    expect(await readFile(await saved.path(), "utf8")).toBe("a,b");
    expect(chat.complaints).toEqual([]);
  });
});
