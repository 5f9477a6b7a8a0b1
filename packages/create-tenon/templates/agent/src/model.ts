import { createOpenAiModel, type ModelPort, openAiOptionsFromEnv } from "@tenon/agent";
import { createDemoModel } from "./demo-model.js";

const DEFAULT_MODEL = "gpt-5-mini";

export interface ChosenModel {
  readonly model: ModelPort;
  /** One line that says which model is used. */
  readonly description: string;
}

/** Returns a real model if a variable selects one, and otherwise the demo model. */
export function chooseModel(env: NodeJS.ProcessEnv): ChosenModel {
  if (!env["OPENAI_API_KEY"] && !env["OPENAI_BASE_URL"])
    return {
      model: createDemoModel(),
      description: `scripted. Set OPENAI_API_KEY to use ${DEFAULT_MODEL} instead.`,
    };
  const usesOpenAi = !env["OPENAI_BASE_URL"];
  const name = env["OPENAI_MODEL"] || (usesOpenAi ? DEFAULT_MODEL : undefined);
  const options = openAiOptionsFromEnv({ ...env, OPENAI_MODEL: name });
  const place = usesOpenAi ? "OpenAI" : new URL(options.baseUrl ?? "").host;
  return { model: createOpenAiModel(options), description: `${options.model} from ${place}` };
}
