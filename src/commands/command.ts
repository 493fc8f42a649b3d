import type { Config } from '../platform/config.ts'

/** One word of the command line, or two: `serve`, `team create`. */
export interface Command {
  readonly name: string
  /** What follows the name: `NAME [--team T]`. */
  readonly usage: string
  readonly summary: string
  /** Flags that it takes, for the parser of node:util. */
  readonly options?: Record<string, { type: 'boolean' | 'string' }>
  /** How many words it needs after its name. */
  readonly words: number
  run(input: {
    config: Config
    environment: NodeJS.ProcessEnv
    words: string[]
    flags: Record<string, string | boolean | undefined>
    print(line: string): void
  }): Promise<void>
}

/** A mistake of the operator: told in one line, exit 1. */
export class OperatorError extends Error {}
