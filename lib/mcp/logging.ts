import type { LoggingLevel } from "@modelcontextprotocol/server";
import type { Notification } from "@modelcontextprotocol/server";

/** Levels by rising severity. */
export const LOG_LEVELS: readonly LoggingLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** Name under which messages are sent. */
const LOGGER = "kbdb";

/** Says whether a message is severe enough. Nothing is sent before a level is asked for. */
export function isWanted(
  level: LoggingLevel,
  threshold: LoggingLevel | undefined,
): boolean {
  return threshold !== undefined &&
    LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(threshold);
}

/** A log message as it is sent. */
export function toLogNotification(
  level: LoggingLevel,
  data: string,
): Notification {
  return {
    method: "notifications/message",
    params: { level, logger: LOGGER, data },
  };
}
