import { expect, onTestFinished, test } from "vitest";
import { describeInBrowser } from "../support/browser-page.js";
import { openDevPage } from "./support/dev-page.js";
import { DevServer } from "./support/dev-server.js";

describeInBrowser("the development page", () => {
  test("finds a tool, calls it, asks the user the server's question, and lists the calls", async () => {
    const server = await DevServer.start("workshop-server");
    onTestFinished(() => server.close());
    const dev = await openDevPage(server.pageUrl);
    await dev.page.getByLabel("Search tools").fill("a text");
    await dev.page.getByText("1 tool found").waitFor();
    await dev.page.getByRole("treeitem", { name: "text", exact: false }).last().click();
    await dev.page.getByRole("textbox", { name: /^name/ }).fill("Grace");
    await dev.button("Call tool").click();
    await dev.result.getByText("Hello, Grace.").waitFor();

    await dev.call("ask_color");
    const panel = dev.page.getByRole("complementary", { name: "Question of the server" });
    await panel
      .getByLabel(/^color/)
      .first()
      .selectOption({ label: "green" });
    await panel.getByRole("textbox", { name: /^coats/ }).fill("2");
    await panel.getByRole("button", { name: "Accept" }).click();
    await dev.result.getByText("2 × green").waitFor();

    await dev.area("Calls");
    const calls = dev.page.getByRole("listbox", { name: "Calls, newest first" }).getByRole("option");
    await calls.filter({ hasText: "ask_color" }).waitFor();
    await calls.filter({ hasText: "show_text" }).waitFor();
    expect(await dev.overflow()).toEqual([]);
    expect(dev.foreignRequests(server.origin)).toEqual([]);
    expect(dev.complaints).toEqual([]);
  });
});
