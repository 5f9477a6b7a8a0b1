/**
 * @fileoverview Tools whose calls end with a question in 2026-07-28 and go on when the client comes back with the
 * answer: one question, several at once, several in turn, and with state of their own.
 * @module examples/everything/round-tools
 */
import { form, type SamplingRequest, type ServerBuilder, type ToolMap } from "tenon";
import { z } from "zod";
import { textOf } from "./asking-tools.js";

/** Adds them. */
export function addRoundTools<Tools extends ToolMap>(builder: ServerBuilder<unknown, Tools>) {
  return builder
    .tool("test_input_required_result_elicitation", {
      description: "Asks the user for a name and greets them.",
      handler: async (_args, call) => {
        const answer = await call.input("user_name", NAME);
        return `Hello, ${answer.action === "accept" ? answer.content.name : "stranger"}!`;
      },
    })
    .tool("test_input_required_result_sampling", {
      description: "Asks the client's model for the capital of France.",
      handler: async (_args, call) =>
        textOf(await call.sample("capital_question", prompt("What is the capital of France?", 100))),
    })
    .tool("test_input_required_result_list_roots", {
      description: "Names the places that the client works in.",
      handler: async (_args, call) => {
        const roots = await call.roots("client_roots");
        return `Roots: ${roots.map(({ uri, name }) => name ?? uri).join(", ")}`;
      },
    })
    .tool("test_input_required_result_request_state", {
      description: "Draws a ticket once, asks for confirmation, and still has the same ticket afterwards.",
      handler: async (_args, call) => {
        const ticket = await call.once("ticket", () => crypto.randomUUID());
        const answer = await call.input("confirm", CONFIRM);
        return `state-ok: ticket ${ticket}, ${answer.action}`;
      },
    })
    .tool("test_input_required_result_multiple_inputs", {
      description: "Asks the user, the client's model and for roots, all at once.",
      handler: async (_args, call) => {
        const [answer, greeting, roots] = await Promise.all([
          call.input("user_name", NAME),
          call.sample("greeting", prompt("Generate a greeting", 50)),
          call.roots("client_roots"),
        ]);
        const name = answer.action === "accept" ? answer.content.name : "stranger";
        return `${textOf(greeting)} ${name} works in ${roots.length} place(s).`;
      },
    })
    .tool("test_input_required_result_multi_round", {
      description: "Asks the user for a name and then, knowing it, for a colour.",
      handler: async (_args, call) => {
        const first = await call.input("step1", FIRST_STEP);
        if (first.action !== "accept") return "Nobody is there.";
        const second = await call.input("step2", SECOND_STEP);
        const colour = second.action === "accept" ? second.content.color : "nothing";
        return `${first.content.name} likes ${colour}.`;
      },
    })
    .tool("test_input_required_result_tampered_state", {
      description: "Asks for confirmation; a client that alters the state of the call is refused.",
      handler: async (_args, call) => {
        const answer = await call.input("confirm", CONFIRM);
        return `The state came back unaltered: ${answer.action}`;
      },
    })
    .tool("test_input_required_result_capabilities", {
      description: "Asks only in the ways that the client said it supports.",
      handler: async (_args, call) => {
        const { elicitation, sampling, roots } = call.client.capabilities;
        const answers = await Promise.all([
          elicitation && call.input("user_name", NAME),
          sampling && call.sample("greeting", prompt("Generate a greeting", 50)),
          roots && call.roots("client_roots"),
        ]);
        return `Answers: ${answers.filter((answer) => answer !== undefined).length}`;
      },
    });
}

const NAME = form({ message: "What is your name?", schema: z.object({ name: z.string() }) });
const FIRST_STEP = form({ message: "Step 1: What is your name?", schema: z.object({ name: z.string() }) });
const SECOND_STEP = form({
  message: "Step 2: What is your favorite color?",
  schema: z.object({ color: z.string() }),
});
const CONFIRM = form({ message: "Please confirm", schema: z.object({ ok: z.boolean() }) });

function prompt(text: string, maxTokens: number): SamplingRequest {
  return { messages: [{ role: "user", content: { type: "text", text } }], maxTokens };
}
