/**
 * @fileoverview Prompts: plain, with arguments and completions, with a resource, with an image, and with a request
 * to the user.
 * @module examples/everything/prompts
 */
import { form, type ServerBuilder } from "tenon";
import { z } from "zod";
import { RED_PIXEL } from "./media.js";

/** Adds the prompts to a server. */
export function addPrompts(builder: ServerBuilder) {
  return builder
    .prompt("test_simple_prompt", {
      description: "A prompt without arguments.",
      handler: () => "This is a simple prompt for testing.",
    })
    .prompt("test_prompt_with_arguments", {
      description: "A prompt with two arguments.",
      arguments: z.object({
        arg1: z.string().describe("First test argument"),
        arg2: z.string().describe("Second test argument"),
      }),
      complete: {
        arg1: (typed) => ["paris", "park", "party", "testing"].filter((word) => word.startsWith(typed)),
      },
      handler: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
    })
    .prompt("test_prompt_with_embedded_resource", {
      description: "A prompt with an embedded resource.",
      arguments: [{ name: "resourceUri", description: "URI of the resource to embed", required: true }],
      handler: ({ resourceUri }) => [
        {
          role: "user",
          content: {
            type: "resource",
            resource: {
              uri: resourceUri,
              mimeType: "text/plain",
              text: "Embedded resource content for testing.",
            },
          },
        },
        { role: "user", content: { type: "text", text: "Please process the embedded resource above." } },
      ],
    })
    .prompt("test_prompt_with_image", {
      description: "A prompt with an image.",
      handler: () => [
        { role: "user", content: { type: "image", data: RED_PIXEL, mimeType: "image/png" } },
        { role: "user", content: { type: "text", text: "Please analyze the image above." } },
      ],
    })
    .prompt("test_input_required_result_prompt", {
      description: "A prompt that first asks the user for context.",
      handler: async (_args, call) => {
        const answer = await call.input("user_context", CONTEXT);
        return `Use this context: ${answer.action === "accept" ? answer.content.context : "none"}`;
      },
    });
}

const CONTEXT = form({
  message: "What context should the prompt use?",
  schema: z.object({ context: z.string() }),
});
