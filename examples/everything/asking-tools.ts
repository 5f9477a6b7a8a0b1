/**
 * @fileoverview Tools that send requests to the client's user or model during a call. The same handlers work in every
 * protocol revision.
 * @module examples/everything/asking-tools
 */
import { form, type ServerBuilder } from "tenon";
import type { InputAnswer, SamplingResult } from "tenon/protocol";
import { z } from "zod";

/** Adds the tools to a server. */
export function addAskingTools(builder: ServerBuilder) {
  return builder
    .tool("test_sampling", {
      description: "Sends a prompt to the client's model and returns its response.",
      input: z.object({ prompt: z.string().describe("Prompt to send to the model") }),
      handler: async ({ prompt }, call) => {
        const messages = [{ role: "user", content: { type: "text", text: prompt } }] as const;
        const said = await call.sample("answer", { messages, maxTokens: 100 });
        return `LLM response: ${textOf(said)}`;
      },
    })
    .tool("test_missing_capability", {
      description: "Requires a client that supports sampling. Other clients receive an error.",
      handler: async (_args, call) => {
        const messages = [{ role: "user", content: { type: "text", text: "Say hello." } }] as const;
        return textOf(await call.sample("hello", { messages, maxTokens: 20 }));
      },
    })
    .tool("test_elicitation", {
      description: "Shows the user a message and asks for a name and an email address.",
      input: z.object({ message: z.string().describe("Message to show to the user") }),
      handler: async ({ message }, call) =>
        `User response: ${tell(await call.input("user", form({ message, schema: USER })))}`,
    })
    .tool("test_elicitation_sep1034_defaults", {
      description: "Shows the user a form in which every field has a default.",
      handler: async (_args, call) => `Elicitation completed: ${tell(await call.input("profile", PROFILE))}`,
    })
    .tool("test_elicitation_sep1330_enums", {
      description: "Shows the user a form with every kind of choice field.",
      handler: async (_args, call) => `Elicitation completed: ${tell(await call.input("choices", CHOICES))}`,
    })
    .tool("test_streaming_elicitation", {
      description: "Reports progress, then asks the user whether to continue.",
      handler: async (_args, call) => {
        await call.progress(1, 2, "About to ask");
        const answer = await call.input("go_on", GO_ON);
        await call.progress(2, 2, "Answered");
        return answer.action === "accept" && answer.content.ok ? "Continued." : "Stopped.";
      },
    });
}

/** Returns the text of a model's response. Other content is shown as its type in brackets. */
export function textOf({ content }: SamplingResult): string {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join(" ");
}

function tell(answer: InputAnswer<unknown>): string {
  const content = answer.action === "accept" ? JSON.stringify(answer.content) : "none";
  return `action=${answer.action}, content=${content}`;
}

const USER = z.object({
  username: z.string().describe("User's response"),
  email: z.string().describe("User's email address"),
});

const GO_ON = form({ message: "Continue?", schema: z.object({ ok: z.boolean() }) });

// Plain JSON Schema: schema libraries make fields with defaults optional, and cannot express every kind of choice.
const PROFILE = form({
  message: "Check your profile.",
  schema: {
    type: "object",
    properties: {
      name: { type: "string", description: "Your name", default: "John Doe" },
      age: { type: "integer", description: "Your age", default: 30 },
      score: { type: "number", description: "Your score", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", description: "True if you are verified", default: true },
    },
    required: [],
  },
});

const CHOICES = form({
  message: "Choose your options.",
  schema: {
    type: "object",
    properties: {
      untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
      titledSingle: { type: "string", oneOf: titled("First Option", "Second Option", "Third Option") },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
      titledMulti: {
        type: "array",
        items: { anyOf: titled("First Choice", "Second Choice", "Third Choice") },
      },
    },
    required: [],
  },
});

function titled(...titles: readonly string[]): readonly { readonly const: string; readonly title: string }[] {
  return titles.map((title, index) => ({ const: `value${index + 1}`, title }));
}
