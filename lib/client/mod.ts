/**
 * An engine in another process: the facade over HTTP, of a daemon of this machine or a server elsewhere.
 *
 * @module
 */
export { RemoteEngine, type RemoteEngineOptions } from "./engine.ts";
export type { RemoteJobs } from "./jobs.ts";
export { type EngineAddress, toAddress } from "./address.ts";
export { toSentPath } from "./sent_path.ts";
export { MIN_ENGINE_VERSION } from "./version.ts";
export {
  clearServerFile,
  type DaemonWanted,
  findDaemon,
  readServerFile,
  SERVER_FILE,
  type ServerFile,
  stopDaemon,
  toDaemonAddress,
  writeServerFile,
} from "./daemon.ts";
export { type DaemonSource, withDaemon } from "./with_daemon.ts";
