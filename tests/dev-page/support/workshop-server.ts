/**
 * @fileoverview Server with every feature that the development page shows. The tests copy it into a project, so that they
 * can change it while `tenon dev` runs.
 * @module tests/dev-page/support/workshop-server
 */
import { defineServer, form, url } from "tenon";
import { tasks } from "tenon/tasks";
import { z } from "zod";

/** A red pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** Eight samples of silence as a WAV file. */
const SILENCE = Buffer.from(
  "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==",
  "base64",
).toString("base64");

const MARKDOWN = `# Joints

A **tenon** fits into a _mortise_. See [the docs](https://example.com/joints).

1. Mark
2. Cut

\`\`\`ts
const depth = 30;
\`\`\`
`;

const WOOD = z.object({ name: z.string(), hardness: z.number(), isLocal: z.boolean(), price: z.number() });

const WOODS: readonly z.infer<typeof WOOD>[] = [
  { name: "oak", hardness: 6.0, isLocal: true, price: 3_200 },
  { name: "ash", hardness: 5.9, isLocal: true, price: 2_900 },
  { name: "beech", hardness: 5.8, isLocal: true, price: 1_800 },
  { name: "teak", hardness: 4.7, isLocal: false, price: 9_500 },
  { name: "pine", hardness: 1.7, isLocal: true, price: 700 },
];

const INPUT = z.object({
  title: z.string().min(3).describe("Name of the piece"),
  count: z.number().int().min(1).max(10).default(3).describe("Number of pieces"),
  wood: z.enum(["oak", "ash", "teak"]).describe("Kind of wood"),
  tags: z.array(z.string()).default(["indoor"]).describe("Labels"),
  customer: z
    .object({
      name: z.string().describe("Full name"),
      city: z.string().optional().describe("Place of the delivery"),
    })
    .describe("Person who orders"),
  payment: z
    .discriminatedUnion("kind", [
      z.object({ kind: z.literal("card"), number: z.string().describe("Card number") }),
      z.object({ kind: z.literal("invoice"), company: z.string().describe("Name of the company") }),
    ])
    .describe("Way to pay"),
  plan: z
    .string()
    .meta({ contentEncoding: "base64", contentMediaType: "text/plain" })
    .optional()
    .describe("Plan as a file"),
  isUrgent: z.boolean().optional().describe("True if it is needed this week"),
});

const hold = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    const stop = () => reject(signal.reason as Error); // Safe: servers abort with errors
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });

let stock = 1;
let notify: () => void = () => undefined;

const server = defineServer({
  name: "workshop",
  title: "Workshop",
  version: "1.2.3",
  instructions: "Builds furniture.",
})
  .extension(tasks({ progressIntervalMs: 0 }))
  .tool("order_create", {
    title: "Create an order",
    description: "Creates an order for a piece of furniture.",
    input: INPUT,
    handler: (order) => ({
      content: [{ type: "text", text: JSON.stringify(order) }],
      structuredContent: order,
    }),
  })
  .tool("show_text", {
    description: "Returns a text.",
    annotations: { readOnlyHint: true },
    tags: ["show"],
    input: z.object({ name: z.string().default("Ada").describe("Name to greet") }),
    handler: ({ name }) => `Hello, ${name}.`,
  })
  .tool("show_markdown", { description: "Returns Markdown.", tags: ["show"], handler: () => MARKDOWN })
  .tool("show_json", {
    description: "Returns structured content.",
    tags: ["show"],
    output: z.object({ wood: z.string(), sizes: z.array(z.number()) }),
    handler: () => ({ wood: "oak", sizes: [10, 20] }),
  })
  .tool("show_table", {
    title: "List woods",
    description: "Lists the woods in the store by their hardness.",
    annotations: { readOnlyHint: true },
    tags: ["show"],
    input: z.object({
      hardness: z.number().min(0).max(20).default(4).describe("Least hardness in kilonewtons"),
    }),
    output: z.object({ woods: z.array(WOOD) }),
    handler: ({ hardness }) => ({ woods: WOODS.filter((wood) => wood.hardness >= hardness) }),
  })
  .tool("show_media", {
    description: "Returns an image and a sound.",
    tags: ["show"],
    handler: () => ({
      content: [
        { type: "image" as const, data: PIXEL, mimeType: "image/png" },
        { type: "audio" as const, data: SILENCE, mimeType: "audio/wav" },
      ],
    }),
  })
  .tool("show_links", {
    description: "Returns a link to a resource, and an embedded resource.",
    tags: ["show"],
    handler: () => ({
      content: [
        { type: "resource_link" as const, uri: "workshop://stock", name: "Stock", mimeType: "text/plain" },
        {
          type: "resource" as const,
          resource: { uri: "workshop://note", mimeType: "text/plain", text: "Dry it for a week." },
        },
      ],
    }),
  })
  .tool("show_error", {
    description: "Reports an error.",
    tags: ["show"],
    handler: () => ({ isError: true, content: [{ type: "text" as const, text: "The saw is blunt." }] }),
  })
  .tool("saw", {
    description: "Saws until the call is cancelled.",
    handler: async (_args, call) => {
      await call.progress(1, 4, "First cut");
      return hold(call.signal);
    },
  })
  .tool("ask_color", {
    description: "Asks the user for a color.",
    handler: async (_args, call) => {
      const answer = await call.input(
        "color",
        form({
          message: "Which color?",
          schema: z.object({
            color: z.enum(["red", "green"]).describe("Color of the paint"),
            coats: z.number().int().min(1).describe("Number of coats"),
          }),
        }),
      );
      return answer.action === "accept" ? `${answer.content.coats} × ${answer.content.color}` : answer.action;
    },
  })
  .tool("ask_payment", {
    description: "Asks the user to open a site.",
    handler: async (_args, call) =>
      (await call.input("pay", url({ message: "Please pay.", url: "https://pay.example.com/7" }))).action,
  })
  .tool("ask_model", {
    description: "Asks the model of the client.",
    handler: async (_args, call) => {
      const { content } = await call.sample("slogan", {
        messages: [{ role: "user", content: { type: "text", text: "Write a slogan." } }],
        systemPrompt: "You sell chairs.",
        maxTokens: 50,
      });
      return JSON.stringify(content);
    },
  })
  .tool("ask_roots", {
    description: "Asks for the roots of the client.",
    handler: async (_args, call) => (await call.roots("roots")).map(({ uri }) => uri).join(", "),
  })
  .tool("glue", {
    description: "Runs as a task, and asks for the clamp.",
    task: "optional",
    handler: async (_args, call) => {
      await call.progress(1, 2, "Glue is applied");
      const answer = await call.input(
        "clamp",
        form({ message: "Which clamp?", schema: z.object({ clamp: z.string().describe("Clamp") }) }),
      );
      return answer.action === "accept" ? `Held by ${answer.content.clamp}` : "Not held";
    },
  })
  .tool("talk", {
    description: "Writes to the log.",
    handler: async (_args, call) => {
      process.stdout.write("printed line\n");
      await call.log("debug", "quiet line");
      await call.log("info", "info line");
      await call.log("error", "error line");
      return "done";
    },
  })
  .tool("use_stock", {
    description: "Changes the stock.",
    handler: () => {
      stock++;
      notify();
      return String(stock);
    },
  })
  .tool("stop", { description: "Ends the process.", handler: () => process.exit(7) })
  .tool("bare", { description: "Bare", input: z.object({ x: z.string() }), handler: ({ x }) => x })
  .resource("stock", {
    uri: "workshop://stock",
    description: "Pieces in stock",
    mimeType: "text/plain",
    handler: () => `Stock: ${stock}`,
  })
  .resource("guide", {
    uri: "workshop://guide",
    description: "How to join wood",
    mimeType: "text/markdown",
    handler: () => MARKDOWN,
  })
  .resourceTemplate("wood", {
    uriTemplate: "workshop://wood/{name}",
    description: "Facts about a wood",
    complete: { name: (typed) => WOODS.map(({ name }) => name).filter((name) => name.startsWith(typed)) },
    handler: ({ name }) => JSON.stringify(WOODS.find((wood) => wood.name === name) ?? null),
  })
  .prompt("advise", {
    description: "Asks for advice on a wood",
    arguments: z.object({ wood: z.string().describe("Kind of wood"), place: z.string().optional() }),
    complete: { wood: (typed) => WOODS.map(({ name }) => name).filter((name) => name.startsWith(typed)) },
    handler: ({ wood, place }) => [
      {
        role: "user" as const,
        content: { type: "text" as const, text: `Is **${wood}** good ${place ?? "here"}?` },
      },
      { role: "assistant" as const, content: { type: "text" as const, text: "Let me think." } },
    ],
  })
  .build();

notify = () => server.resourceUpdated("workshop://stock");

export default server;
