/**
 * @fileoverview Demo server: in-memory notes, a unit converter, a slow tool with progress that can run as a task, a
 * request for user input, a resource template, and a prompt.
 * @module examples/showcase/server
 */
import { defineServer, form, McpError } from "tenon";
import { tasks } from "tenon/tasks";
import { z } from "zod";

/** Limits for the number and length of notes, so that clients cannot fill the memory. */
const MAX_NOTES = 1_000;
const MAX_TEXT = 10_000;

const UNITS = { m: 1, km: 1_000, mi: 1_609.344, ft: 0.3048, in: 0.0254 } as const;
const unit = z.enum(["m", "km", "mi", "ft", "in"]);

/** Creates a showcase server. Each server has its own notes. */
export function createShowcase() {
  const notes = new Map<string, string>([["welcome", "Welcome to the Tenon showcase."]]);

  const server = defineServer({
    name: "tenon-showcase",
    title: "Tenon showcase",
    version: "1.0.0",
    instructions: "Notes are kept in memory and are lost when the server stops.",
  })
    // Tasks are kept in memory too, so there is no reason to wait for them when the server stops.
    .extension(tasks({ pollIntervalMs: 500, closeGraceMs: 0 }))
    .tool("save_note", {
      title: "Save a note",
      description: "Saves a note under a name. Replaces an existing note with the same name.",
      input: z.object({
        name: z
          .string()
          .regex(/^[a-z0-9-]{1,40}$/)
          .describe("Lowercase letters, digits, and hyphens"),
        text: z.string().max(MAX_TEXT),
      }),
      annotations: { idempotentHint: true, openWorldHint: false },
      handler: async ({ name, text }) => {
        if (notes.size >= MAX_NOTES && !notes.has(name))
          throw new McpError("CONFLICT", `Too many notes (limit: ${MAX_NOTES}). Delete one first.`);
        notes.set(name, text);
        await server.resourceUpdated(`notes://${name}`);
        return `Saved. Read it at notes://${name}`;
      },
    })
    .tool("list_notes", {
      title: "List notes",
      description: "Lists the names of all notes.",
      output: z.object({ names: z.array(z.string()) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      handler: () => ({ names: [...notes.keys()] }),
    })
    .tool("delete_note", {
      title: "Delete a note",
      description: "Deletes a note after the user confirms.",
      input: z.object({ name: z.string().describe("Name of a note, such as welcome") }),
      annotations: { destructiveHint: true, openWorldHint: false },
      handler: async ({ name }, call) => {
        if (!notes.has(name))
          throw new McpError("NOT_FOUND", `Note "${name}" was not found. Use list_notes to see all names.`);
        const question = form({
          message: `Delete the note "${name}"?`,
          schema: z.object({ sure: z.boolean().describe("Yes, delete it") }),
        });
        const answer = await call.input("sure", question);
        if (answer.action !== "accept" || !answer.content.sure) return "The note was not deleted.";
        notes.delete(name);
        return `Deleted "${name}".`;
      },
    })
    .tool("convert_length", {
      title: "Convert a length",
      description: "Converts a length between meters, kilometers, miles, feet, and inches.",
      input: z.object({ value: z.number(), from: unit, to: unit }),
      output: z.object({ value: z.number(), unit }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      handler: ({ value, from, to }) => ({ value: (value * UNITS[from]) / UNITS[to], unit: to }),
    })
    .tool("count_slowly", {
      title: "Count slowly",
      description: "Counts up to a number, ten per second, and reports progress.",
      input: z.object({ to: z.int().min(1).max(1_000).default(100) }),
      // Clients with the Tasks extension get a task, whose status message shows the progress.
      task: "optional",
      handler: async ({ to }, call) => {
        for (let count = 1; count <= to; count++) {
          await pause(100, call.signal);
          await call.progress(count, to, `${count} of ${to}`);
        }
        return `Counted to ${to}.`;
      },
    })
    .resourceTemplate("note", {
      title: "A note",
      uriTemplate: "notes://{name}",
      mimeType: "text/plain",
      complete: { name: (typed) => [...notes.keys()].filter((name) => name.startsWith(typed)) },
      handler: ({ name }) => {
        const text = notes.get(name);
        if (text === undefined)
          throw new McpError("NOT_FOUND", `Note "${name}" was not found. Use list_notes to see all names.`);
        return text;
      },
    })
    .prompt("summarize_notes", {
      title: "Summarize my notes",
      description: "Asks for a summary of all notes.",
      arguments: z.object({
        style: z.string().optional().describe("Style of the summary, such as one line, a list, or a poem"),
      }),
      handler: ({ style }) => {
        const all = [...notes].map(([name, text]) => `## ${name}\n${text}`).join("\n\n");
        return `Summarize these notes${style === undefined ? "" : ` as ${style}`}:\n\n${all}`;
      },
    })
    .build();
  return server;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop);
  });
}
