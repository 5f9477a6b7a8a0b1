# One worker on a loopback port chosen by the system; workerd reports the port on its control descriptor.
# Node.js modules stay disabled: no compatibility flag is set.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [ (name = "hello", worker = .hello) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "hello") ],
);

const hello :Workerd.Worker = (
  modules = [ (name = "worker", esModule = embed "worker.mjs") ],
  compatibilityDate = "2026-01-01",
);
