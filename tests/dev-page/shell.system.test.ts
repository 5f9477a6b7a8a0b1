import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../support/browser-page.js";
import { openDevPage } from "./support/dev-page.js";
import { DevServer, readServer } from "./support/dev-server.js";

const AREAS = ["tools", "resources", "prompts", "calls", "questions", "activity", "log"];

describeInBrowser("the frame of the development page", () => {
  let server: DevServer;
  const open = (hash = "") => openDevPage(server.pageUrl, { hash });

  beforeAll(async () => {
    server = await DevServer.start("workshop-server");
  });

  afterAll(async () => {
    await server.close();
  });

  test("is light or dark as the system is, and as the user wants", async () => {
    const dev = await open();
    const background = () =>
      dev.page.evaluate<string>("getComputedStyle(document.querySelector('.p-top')).backgroundColor");
    const scheme = () => dev.page.evaluate<string>("getComputedStyle(document.documentElement).colorScheme");
    await dev.page.emulateMedia({ colorScheme: "light" });
    const light = await background();
    await dev.page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(background).not.toBe(light);
    const dark = await background();
    await dev.page.getByRole("button", { name: "Theme: system. Change it" }).click();
    await expect.poll(background).toBe(light);
    await dev.page.getByRole("button", { name: "Theme: light. Change it" }).click();
    await expect.poll(background).toBe(dark);
    await dev.page.emulateMedia({ colorScheme: "light" });
    await expect.poll(background).toBe(dark);
    expect(await scheme()).toBe("dark");
    await dev.page.reload();
    await dev.ready();
    await expect.poll(background).toBe(dark);
    expect(dev.complaints).toEqual([]);
  });

  test("needs only the keyboard for a call, a question, and a cancellation", async () => {
    const dev = await open();
    const { keyboard } = dev.page;
    const type = async (...keys: readonly string[]) => {
      for (const key of keys) await keyboard.press(key);
    };
    /** Presses Tab until an element has the focus. */
    const tabTo = async (role: "button" | "tree" | "textbox" | "combobox" | "tab", name: RegExp | string) => {
      const wanted = dev.page.getByRole(role, { name }).and(dev.page.locator(":focus"));
      for (let presses = 0; presses < 60; presses++) {
        if ((await wanted.count()) > 0) return;
        await keyboard.press("Tab");
      }
      throw new Error(`The Tab key does not reach the ${role} "${name}".`);
    };

    // A search, the selection of a tool, and its call.
    await type("/");
    await keyboard.type("a text");
    await dev.page.getByText("1 tool found").waitFor();
    await tabTo("tree", "Tools");
    // The first row is the group of the tool.
    await type("ArrowDown", "ArrowDown", "Enter");
    const form = dev.page.getByRole("form", { name: "Call show_text" });
    await form.waitFor();
    await tabTo("textbox", /^name/);
    await type("ControlOrMeta+a");
    await keyboard.type("Keys");
    await type("ControlOrMeta+Enter");
    await dev.result.getByText("Hello, Keys.").waitFor();

    // A question.
    await dev.tool("ask_color");
    await tabTo("button", "Call tool");
    await type("Enter");
    await dev.page.getByText("Which color?").first().waitFor();
    await dev.page.locator("body").press("s");
    await type("q");
    const panel = dev.page.getByRole("complementary", { name: "Question of the server" });
    await panel.locator(":focus").waitFor();
    await tabTo("combobox", /^color/);
    await type("r");
    await tabTo("textbox", /^coats/);
    await keyboard.type("3");
    await type("Enter");
    await dev.result.getByText("3 × red").waitFor();

    // A cancellation.
    await dev.tool("saw");
    await tabTo("button", "Call tool");
    await type("Enter");
    await dev.result.getByText("First cut").waitFor();
    await tabTo("button", "Cancel");
    // The focus is visible.
    const outline = await dev.page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle");
    expect(outline).not.toBe("none");
    await type("Enter");
    await dev.result.getByText("The call was cancelled.").waitFor();

    await dev.page.locator("body").press("g");
    await type("c");
    await dev.page.getByRole("main", { name: "Calls" }).waitFor();
    await type("?");
    await dev.page.getByRole("dialog").getByText("Go to").waitFor();
    await type("Escape");
    await expect.poll(() => dev.page.getByRole("dialog").count()).toBe(0);
    expect(dev.complaints).toEqual([]);
  });

  test("fits on a screen of 360 pixels", async () => {
    const dev = await openDevPage(server.pageUrl, {
      viewport: { width: 360, height: 740 },
      isMobile: true,
      hasTouch: true,
    });
    for (const area of AREAS) {
      await dev.goTo(`#/${area}`);
      await dev.page.locator(".p-view").waitFor();
      expect(await dev.overflow(), area).toEqual([]);
    }
    await dev.page.getByRole("button", { name: "Areas" }).tap();
    await dev.page.getByRole("menuitem", { name: /^Tools/ }).tap();
    await dev.page.getByRole("treeitem", { name: /^order_create/ }).tap();
    await dev.page.getByRole("form", { name: "Call order_create" }).waitFor();
    expect(await dev.overflow()).toEqual([]);
    await dev.button("All tools").tap();
    await dev.page.getByRole("treeitem", { name: /^json/ }).tap();
    await dev.button("Call tool").tap();
    await dev.result.getByRole("tree", { name: "Structured content" }).waitFor();
    expect(await dev.overflow()).toEqual([]);
    await dev.screenshot("narrow");
    await dev.page.getByRole("tab", { name: "Wire" }).tap();
    await dev.button("Call in both eras").tap();
    await dev.page.getByRole("region", { name: "Modern era" }).getByText("mcp-method").first().waitFor();
    expect(await dev.overflow()).toEqual([]);
    await dev.screenshot("narrow-wire");
    await dev.call("ask_color");
    const panel = dev.page.getByRole("complementary", { name: "Question of the server" });
    await panel.getByText("Which color?").waitFor();
    expect(await dev.overflow()).toEqual([]);
    await dev.screenshot("narrow-question");
    await panel.getByRole("button", { name: "Decline" }).tap();
    await dev.goTo("#/calls");
    await dev.page.getByRole("option").filter({ hasText: "ask_color" }).first().waitFor();
    expect(await dev.overflow()).toEqual([]);
    await dev.screenshot("narrow-calls");
    expect(dev.complaints).toEqual([]);
  });

  test("keeps its state over a reload of the page and of the code", async () => {
    const dev = await open("#/tools/order_create");
    const title = dev.page.getByRole("textbox", { name: /^title/ });
    await title.fill("Half a chair");
    await dev.page.getByLabel("Search tools").fill("order");
    await dev.page.reload();
    await dev.ready();
    expect(await title.inputValue()).toBe("Half a chair");
    expect(await dev.page.getByLabel("Search tools").inputValue()).toBe("order");
    await dev.page.getByLabel("Search tools").fill("");

    // The schema changes, and a tool is added. The text stays, and the changes are marked.
    const code = readServer("workshop-server");
    const changed = code
      .replace("Name of the piece", "Name of the furniture")
      .replace(
        '.tool("saw"',
        '.tool("drill", { description: "Drills a hole.", handler: () => "done" })\n  .tool("saw"',
      );
    await server.save(changed);
    await dev.page
      .getByRole("treeitem", { name: /^drill/ })
      .getByText("new")
      .waitFor();
    await dev.page.getByText("Name of the furniture").waitFor();
    expect(await title.inputValue()).toBe("Half a chair");
    await dev.page.getByText(/^Reloaded /).waitFor();

    // Errors in the code are shown with their place, and the last version still works.
    await server.save("this is not code", "build-failed");
    await dev.page.getByText("The code has errors.").waitFor();
    await dev.page.getByText(/^server\.ts:1:/).waitFor();
    await dev.call("drill");
    await dev.result.getByText("done").waitFor();
    await server.save(code);
    await expect.poll(() => dev.page.getByText("The code has errors.").count()).toBe(0);
    await dev.page.getByText("Removed by the last reload: drill").waitFor();
    expect(dev.complaints).toEqual([]);
  });

  test("keeps its state when the command ends and starts again", async () => {
    const dev = await open("#/tools/order_create");
    const title = dev.page.getByRole("textbox", { name: /^title/ });
    await title.fill("Half a table");
    await server.stop();
    await dev.page.getByText("The command in the terminal does not respond.").waitFor();
    expect(await title.inputValue()).toBe("Half a table");
    await server.restart();
    // The token is a different one, so the user opens the new URL. The old tab continues then.
    await dev.page.getByText("This tab belongs to an earlier start of the command.").waitFor();
    const other = await dev.page.context().newPage();
    await other.goto(server.pageUrl);
    await other.locator(".p-top__state .t-badge[data-tone=success]").first().waitFor();
    await other.close();
    // The old tab also tries again by itself, and then the button is gone.
    await dev
      .button("Try now")
      .click({ timeout: 1_000 })
      .catch(() => undefined);
    await dev.ready();
    expect(await title.inputValue()).toBe("Half a table");
    await dev.call("show_text");
    await dev.result.getByText("Hello, Ada.").waitFor();
  });

  test("shows that the process of the server has ended, and that it is back", async () => {
    const dev = await open();
    await dev.call("stop");
    await dev.result.getByText("Error", { exact: true }).first().waitFor();
    await dev.call("show_text");
    await dev.result.getByText("Hello, Ada.").waitFor();
    await expect.poll(() => dev.page.getByText("The server process has crashed.").count()).toBe(0);
  });
});
