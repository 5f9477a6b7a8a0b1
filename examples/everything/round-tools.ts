/**
 * @fileoverview Tools that send one request to the client, or more in parallel or in sequence. In protocol revision
 * 2026-07-28, such a call ends with the requests and resumes with the client's responses.
 * @module examples/everything/round-tools
 */
import { form, type ServerBuilder } from "tenon";
import type { SamplingRequest } from "tenon/protocol";
import { z } from "zod";
import { textOf } from "./asking-tools.js";

/** Adds the tools to a server. */
export function addRoundTools(builder: ServerBuilder) {
  return builder
    .tool("test_input_required_result_elicitation", {
      description: "Asks the user for a name and greets them.",
      handler: async (_args, call) => {
        const answer = await call.input("user_name", NAME);
        return `Hello, ${answer.action === "accept" ? answer.content.name : "guest"}!`;
      },
    })
    .tool("test_input_required_result_sampling", {
      description: "Asks the client's model for the capital of France.",
      handler: async (_args, call) =>
        textOf(await call.sample("capital_question", prompt("What is the capital of France?", 100))),
    })
    .tool("test_input_required_result_list_roots", {
      description: "Lists the client's roots.",
      handler: async (_args, call) => {
        const roots = await call.roots("client_roots");
        return `Roots: ${roots.map(({ uri, name }) => name ?? uri).join(", ")}`;
      },
    })
    .tool("test_input_required_result_request_state", {
      description: "Creates a ticket once, asks for confirmation, and returns the same ticket afterward.",
      handler: async (_args, call) => {
        const ticket = await call.once("ticket", () => crypto.randomUUID());
        const answer = await call.input("confirm", CONFIRM);
        return `state-ok: ticket ${ticket}, ${answer.action}`;
      },
    })
    .tool("test_input_required_result_multiple_inputs", {
      description: "Asks the user, asks the client's model, and requests the roots, all in parallel.",
      handler: async (_args, call) => {
        const [answer, greeting, roots] = await Promise.all([
          call.input("user_name", NAME),
          call.sample("greeting", prompt("Generate a greeting", 50)),
          call.roots("client_roots"),
        ]);
        const name = answer.action === "accept" ? answer.content.name : "guest";
        return `${textOf(greeting)} ${name} has ${roots.length} ${roots.length === 1 ? "root" : "roots"}.`;
      },
    })
    .tool("test_input_required_result_multi_round", {
      description: "Asks the user for a name, then for a color.",
      handler: async (_args, call) => {
        const first = await call.input("step1", FIRST_STEP);
        if (first.action !== "accept") return "The user did not answer.";
        const second = await call.input("step2", SECOND_STEP);
        const color = second.action === "accept" ? second.content.color : "nothing";
        return `${first.content.name} likes ${color}.`;
      },
    })
    .tool("test_input_required_result_tampered_state", {
      description: "Asks for confirmation. The server rejects responses with a modified call state.",
      handler: async (_args, call) => {
        const answer = await call.input("confirm", CONFIRM);
        return `The state is unmodified: ${answer.action}`;
      },
    })
    .tool("test_input_required_result_capabilities", {
      description: "Uses only the capabilities that the client declares.",
      handler: async (_args, call) => {
        const { elicitation, sampling, roots } = call.client.capabilities;
        const answers = await Promise.all([
          elicitation && call.input("user_name", NAME),
          sampling && call.sample("greeting", prompt("Generate a greeting", 50)),
          roots && call.roots("client_roots"),
        ]);
        return `Responses: ${answers.filter((answer) => answer !== undefined).length}`;
      },
    });
}

const NAME = form({ message: "What is your name?", schema: z.object({ name: z.string() }) });
const FIRST_STEP = form({ message: "Step 1: What is your name?", schema: z.object({ name: z.string() }) });
const SECOND_STEP = form({
  message: "Step 2: What is your favorite color?",
  schema: z.object({ color: z.string() }),
});
const CONFIRM = form({ message: "Please confirm.", schema: z.object({ ok: z.boolean() }) });

function prompt(text: string, maxTokens: number): SamplingRequest {
  return { messages: [{ role: "user", content: { type: "text", text } }], maxTokens };
}
