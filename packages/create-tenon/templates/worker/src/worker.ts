import { toFetch } from "tenon/fetch";
import server from "./server.js";

// Host names that clients use. Before you deploy, add the Worker's own, such as "my-worker.me.workers.dev".
const allowedHosts = ["localhost", "127.0.0.1"];

// Instances of a Worker do not share memory, so every request is handled without a session.
export default { fetch: toFetch(server, { allowedHosts, legacy: "stateless" }) };
