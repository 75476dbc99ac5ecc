import type { z } from "zod";
import type { Engine, Progress, UpkeepProgress } from "../../kb/mod.ts";
import type { Arguments, OperationName, Result } from "../../wire/mod.ts";
import type { Scope } from "../keys.ts";

/** What an operation that takes a while may do besides answering. */
export interface OperationCall {
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** For work that a server about to stop does not wait for: how to end it, and how to tell where it stands. */
  readonly long: {
    readonly signal: AbortSignal;
    readonly onProgress: (progress: Progress | UpkeepProgress) => void;
  };
}

/** One operation: all that the route, its guard and the client have to know. */
export interface Operation<K extends OperationName = OperationName> {
  /** Name. */
  readonly name: K;
  /** What a key must allow. */
  readonly scope: Scope;
  /** Whether only the owner of the base may call it, by its private socket: it takes a path of this machine. */
  readonly ownerOnly: boolean;
  /** Arguments in order. */
  readonly args: z.ZodType;
  /** Runs it on arguments that were checked. */
  readonly run: (kb: Engine, args: never, call: OperationCall) => unknown;
}

/** Every option of every argument, as if none could be left out. */
type Full<A> = { [I in keyof A]-?: Required<NonNullable<A[I]>> };

/** Nothing to add if a schema has every option that a method takes. */
type HasAll<A, S extends z.ZodType> = Full<z.input<S>> extends Full<A> ? unknown
  : { readonly missing: "The schema lacks an option of the method" };

/**
 * Declares an operation. It does not compile unless the schema takes what the method takes: no more, or the method
 * could not be called with it, and no less, or a client could not.
 */
export function operation<
  K extends OperationName,
  S extends z.ZodType<Arguments<K>>,
>(
  name: K,
  scope: Scope,
  args: S & HasAll<Arguments<K>, S>,
  run: (
    kb: Engine,
    args: z.output<S>,
    call: OperationCall,
  ) => Result<K> | Promise<Result<K>>,
): Operation<K> {
  return { name, scope, ownerOnly: false, args, run };
}

/** Keeps an operation to the owner of the base. */
export function ofOwner<K extends OperationName>(
  operation: Operation<K>,
): Operation<K> {
  return { ...operation, ownerOnly: true };
}

/** A table with an entry for each of some operations. */
export type OperationTable<K extends OperationName> = {
  readonly [N in K]: Operation<N>;
};

/** Names of the operations of the queue. */
export type JobOperation = Extract<OperationName, `jobs.${string}`>;
