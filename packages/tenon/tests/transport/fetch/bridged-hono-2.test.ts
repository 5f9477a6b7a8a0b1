import { getRequestListener } from "@hono/node-server";
import { describeBridge } from "./bridged-requests.js";

describeBridge("version 2 of Hono's server", (handler) => getRequestListener(handler));
