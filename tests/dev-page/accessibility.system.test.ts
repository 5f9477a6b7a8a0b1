import { afterAll, beforeAll, test } from "vitest";
import { describeInBrowser } from "../support/browser-page.js";
import { openDevPage } from "./support/dev-page.js";
import { DevServer } from "./support/dev-server.js";

describeInBrowser("accessibility of the development page", () => {
  let server: DevServer;

  beforeAll(async () => {
    server = await DevServer.start("workshop-server");
  });

  afterAll(async () => {
    await server.close();
  });

  test("axe finds no violations in any area, light and dark", async () => {
    const dev = await openDevPage(server.pageUrl);
    const check = (name: string) => dev.check(name);
    await dev.tool("order_create");
    await check("form");
    await dev.button("Call tool").click();
    await dev.page.getByText(/^\d+ problems$/).waitFor();
    await check("form with problems");
    for (const name of [
      "show_markdown",
      "show_json",
      "show_table",
      "show_media",
      "show_links",
      "show_error",
    ]) {
      await dev.call(name);
      await dev.result.getByRole("region", { name: "Content", exact: true }).first().waitFor();
      await check(name);
    }
    await dev.goTo("#/tools/bare/model");
    await dev.page.getByRole("heading", { name: "Input schema" }).waitFor();
    await check("what the model sees");
    await dev.goTo("#/tools/show_text/wire");
    await dev.button("Call in both eras").click();
    await dev.page.getByRole("region", { name: "Modern era" }).getByText("mcp-method").first().waitFor();
    await check("wire");
    await dev.call("ask_color");
    await dev.page.getByText("Which color?").first().waitFor();
    await check("question in the panel");
    await dev.area("Questions");
    await check("questions");
    await dev.page.getByRole("button", { name: "Decline" }).click();
    await dev.area("Calls");
    await check("calls");
    await dev.page.getByRole("tab", { name: "Timing" }).click();
    await check("timing");
    await dev.button("Copy").click();
    await dev.page.getByRole("menuitem").first().waitFor();
    await check("menu");
    await dev.page.keyboard.press("Escape");
    await dev.goTo("#/resources/workshop%3A%2F%2Fguide");
    await dev.button("Read").click();
    await dev.page.getByRole("heading", { name: "Joints" }).waitFor();
    await check("resources");
    await dev.goTo("#/prompts/advise");
    await dev.page.getByRole("combobox", { name: /^wood/ }).fill("o");
    await dev.page.getByRole("option", { name: "oak" }).waitFor();
    await check("prompts");
    await dev.call("talk");
    await dev.result.getByText("done").waitFor();
    await dev.area("Log");
    await dev.page.getByText("printed line").first().click();
    await check("log");
    await dev.area("Activity");
    await dev.page.getByRole("table").first().waitFor();
    await check("activity");
    await dev.button("More actions").click();
    await dev.page.getByRole("menuitem", { name: "About the server" }).click();
    await dev.page.getByRole("dialog").getByText("Builds furniture.").waitFor();
    await check("dialog");
    await dev.expectAccessible("dialog[open]");
  });
});
